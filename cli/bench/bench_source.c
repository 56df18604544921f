// Fetches a benchmark's queries: random ones, a mesh's candidates, or those of files.

#include "bench_source.h"

#include "bench_broad_scene.h"
#include "method_options.h"
#include "text.h"
#include "toi/random.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_wanted(int kind, int wanted)
{
    return wanted < 0 || wanted == kind;
}

// ---------------------------------------------------------------------------------------------
// Random

// Every coordinate, at both ends, uniform in [0, 1).
static void open_random(uint64_t seed, int64_t count, toi_kind kind, query_source *source)
{
    toi_random random = {seed};
    source->type = SOURCE_RANDOM;
    source->seed = toi_random_bits(&random); // neighbouring seeds must not share queries
    source->counts[kind] = count;
    snprintf(source->name, sizeof source->name, "random in the unit cube, seed %llu",
             (unsigned long long)seed);
    copy_name(source->label, "random");
}

static void make_random_query(uint64_t seed, int64_t index, toi_query *query)
{
    toi_random number = {seed + (uint64_t)index};
    toi_random random = {toi_random_bits(&number)};
    for (int i = 0; i < 12; ++i)
        query->start[i / 3][i % 3] = toi_random_unit(&random);
    for (int i = 0; i < 12; ++i)
        query->end[i / 3][i % 3] = toi_random_unit(&random);
}

// ---------------------------------------------------------------------------------------------
// Candidates of two frames

static toi_status open_candidates(const scene_choice *choice, const operand_list *operands,
                                  int kind, int workers, query_source *source)
{
    source->type = SOURCE_FRAMES;
    toi_status status = load_frames(choice, operands, &source->frames);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = workers;
    for (int k = 0; k < TOI_PAIR_KINDS && status == TOI_OK; ++k) {
        if (!is_wanted(k, kind))
            continue;
        status =
            toi_find_candidates(&def, &source->frames.mesh, (toi_kind)k, &source->pairs[k], NULL);
        source->counts[k] = source->pairs[k].count;
    }
    snprintf(source->name, sizeof source->name, "candidates of %s", source->frames.name);
    char label[BROAD_NAME_BYTES];
    if (choice->scene)
        snprintf(label, sizeof label, "%s-%" PRId64, choice->scene, choice->size);
    else if (operands->count > 0)
        name_by_folder(operands->at[0], label, sizeof label);
    else
        *label = '\0';
    copy_name(source->label, label);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static toi_status add_file(const char *path, toi_kind kind, query_source *source)
{
    size_t held = (size_t)source->file_count * sizeof *source->files;
    source_file *files = toi_allocate(held + sizeof *files);
    if (!files)
        return TOI_ERROR_MEMORY;
    if (held > 0)
        memcpy(files, source->files, held);
    toi_release(source->files);
    source->files = files;
    source_file *added = &files[source->file_count];
    *added = (source_file){.kind = kind};
    toi_status status = toi_read_queries(path, &added->file);
    if (status != TOI_OK)
        return status;
    ++source->file_count;
    source->counts[kind] += added->file.count;
    return TOI_OK;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum
{
    PATH_BYTES = 4096
};

static toi_status join_path(char path[PATH_BYTES], const char *folder, const char *name,
                            const char *ending)
{
    int length = snprintf(path, PATH_BYTES, "%s/%s%s", folder, name, ending);
    return length < PATH_BYTES ? TOI_OK
                               : toi_fail(TOI_ERROR_FILE, "%.80s...: the path is too long", folder);
}

// Adds what the folder itself has of vf.csv and ee.csv.
static toi_status add_folder(const char *folder, int kind, query_source *source)
{
    for (int k = 0; k < TOI_PAIR_KINDS; ++k) {
        char path[PATH_BYTES];
        struct stat info;
        toi_status status = join_path(path, folder, toi_kind_name((toi_kind)k), ".csv");
        if (status == TOI_OK && is_wanted(k, kind) && stat(path, &info) == 0)
            status = add_file(path, (toi_kind)k, source);
        if (status != TOI_OK)
            return status;
    }
    return TOI_OK;
}

static toi_status add_inner_folders(const char *folder, int kind, query_source *source)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return toi_fail(TOI_ERROR_FILE, "%s: cannot list the folder", folder);
    toi_status status = TOI_OK;
    for (int i = 0; i < count; ++i) {
        char path[PATH_BYTES];
        if (status == TOI_OK)
            status = join_path(path, folder, entries[i]->d_name, "");
        if (status == TOI_OK && entries[i]->d_name[0] != '.' && is_folder(path))
            status = add_folder(path, kind, source);
        free(entries[i]);
    }
    free(entries);
    return status;
}

// A file, whose kind must be given; or a folder with vf.csv and ee.csv, or folders that have them.
static toi_status open_files(const char *path, int kind, query_source *source)
{
    source->type = SOURCE_FILES;
    snprintf(source->name, sizeof source->name, "%s", path);
    char inside[PATH_BYTES], label[BROAD_NAME_BYTES];
    snprintf(inside, sizeof inside, "%s%s", path, is_folder(path) ? "/." : "");
    name_by_folder(inside, label, sizeof label);
    copy_name(source->label, label);
    if (!is_folder(path))
        return kind >= 0 ? add_file(path, (toi_kind)kind, source)
                         : toi_fail(TOI_ERROR_ARGUMENT,
                                    "what does '%.80s' hold? Give --kind vf or ee", path);
    toi_status status = add_folder(path, kind, source);
    if (status == TOI_OK)
        status = add_inner_folders(path, kind, source);
    if (status == TOI_OK && source->file_count == 0)
        return toi_fail(TOI_ERROR_FILE, "%s: no vf.csv or ee.csv in the folder, nor one below it",
                        path);
    return status;
}

static file_truth fetch_from_files(const query_source *source, toi_kind kind, int64_t index,
                                   toi_query *query)
{
    const source_file *at = source->files;
    for (; at->kind != kind || index >= at->file.count; ++at)
        if (at->kind == kind)
            index -= at->file.count;
    *query = at->file.queries[index];
    if (!at->file.hits)
        return FILE_SAYS_NOTHING;
    return at->file.hits[index] ? FILE_SAYS_HIT : FILE_SAYS_SEPARATED;
}

// ---------------------------------------------------------------------------------------------
// What a command line says

static const char *pair_kind_choice(int index)
{
    return index < TOI_PAIR_KINDS ? kind_choice(index) : NULL;
}

const option query_options[] = {
    {.name = "random",
     .type = OPTION_INT64,
     .offset = offsetof(query_choice, random),
     .argument = "N",
     .help = "N random queries, all points uniform in the unit cube at both ends; --seed chooses "
             "which",
     .least = 1,
     .most = 1e12,
     .range = "a whole number from 1 to 10^12"},
    {.name = "queries",
     .type = OPTION_TEXT,
     .offset = offsetof(query_choice, path),
     .argument = "PATH",
     .help = "a file as for 'toi queries', or a folder with vf.csv and ee.csv or with folders that "
             "have them"},
    {.name = "kind",
     .type = OPTION_CHOICE,
     .offset = offsetof(query_choice, kind),
     .argument = "KIND",
     .help = "only vf (a vertex and a face) or ee (two edges); unless given, vf where random, else "
             "both",
     .choice = pair_kind_choice},
    {.name = "label",
     .type = OPTION_TEXT,
     .offset = offsetof(query_choice, label),
     .argument = "NAME",
     .help = "what files are called in the rows of --csv; the name of their folder unless given"},
    {0}};

query_choice default_query_choice(void)
{
    return (query_choice){.scene = default_scene_choice(), .kind = KIND_ANY};
}

toi_status check_queries(const query_choice *choice, const operand_list *operands)
{
    const scene_choice *scene = &choice->scene;
    scene_choice other = default_scene_choice();
    int sources =
        (choice->random > 0) + (choice->path != NULL) + (scene->scene || operands->count > 0);
    if (sources != 1)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "%s: --random N, --queries PATH, --scene NAME or two files START and END",
                        sources == 0 ? "queries are needed" : "only one source of queries, please");
    if (choice->label && (choice->random || scene->scene))
        return toi_fail(TOI_ERROR_ARGUMENT, "--label needs files: what is made has a name");
    if (!choice->random && !choice->path)
        return TOI_OK; // load_frames() checks the rest
    if (scene->size != other.size || scene->begin != other.begin || scene->frames != other.frames ||
        scene->frame != other.frame)
        return toi_fail(TOI_ERROR_ARGUMENT, "--size, --begin, --frames and --frame need a scene");
    if (choice->path && scene->seed != other.seed)
        return toi_fail(TOI_ERROR_ARGUMENT, "--seed: nothing is random in '%.80s'", choice->path);
    return TOI_OK;
}

static toi_status open_chosen(const query_choice *choice, const operand_list *operands, int workers,
                              query_source *source)
{
    if (choice->path)
        return open_files(choice->path, choice->kind, source);
    if (!choice->random)
        return open_candidates(&choice->scene, operands, choice->kind, workers, source);
    open_random((uint64_t)choice->scene.seed, choice->random,
                choice->kind == KIND_ANY ? TOI_VERTEX_FACE : (toi_kind)choice->kind, source);
    return TOI_OK;
}

toi_status open_queries(const query_choice *choice, const operand_list *operands, int workers,
                        query_source *source)
{
    toi_status status = open_chosen(choice, operands, workers, source);
    if (choice->label)
        copy_name(source->label, choice->label);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All

file_truth fetch_query(const query_source *source, toi_kind kind, int64_t index, toi_query *query)
{
    switch (source->type) {
    case SOURCE_RANDOM:
        make_random_query(source->seed, index, query);
        break;
    case SOURCE_FRAMES:
        *query = toi_gather_query(&source->frames.mesh, kind, source->pairs[kind].data[index]);
        break;
    case SOURCE_FILES:
        return fetch_from_files(source, kind, index, query);
    }
    return FILE_SAYS_NOTHING;
}

void free_source(query_source *source)
{
    for (int i = 0; i < source->file_count; ++i)
        toi_free_query_file(&source->files[i].file);
    toi_release(source->files);
    for (int k = 0; k < TOI_PAIR_KINDS; ++k)
        toi_free_pairs(&source->pairs[k]);
    free_frames(&source->frames);
    *source = (query_source){0};
}
