// Writes and reads the files of the gallery of cases.

#include "case_files.h"

#include "toi/io.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

toi_status make_case(int index, moving_case *made)
{
    *made = (moving_case){.about = toi_describe_case(index)};
    toi_status status = toi_make_case(index, &made->scene);
    if (status != TOI_OK)
        return status;
    const toi_animation *scene = &made->scene;
    made->mesh = toi_make_mesh(scene->points[0], scene->points[scene->point_count],
                               scene->point_count, scene->faces[0], scene->face_count);
    toi_index_view loose = {scene->edges[0], scene->edge_count, 0};
    status = toi_make_edges(made->mesh.faces, loose, scene->point_count, &made->edges);
    if (status != TOI_OK)
        free_case(made);
    else
        made->mesh.edges = toi_view_edges(&made->edges);
    return status;
}

void free_case(moving_case *made)
{
    toi_free_animation(&made->scene);
    toi_free_edges(&made->edges);
    made->mesh = (toi_mesh){0};
}

// ---- Truth

// The pairs of one kind and their certificates.
typedef struct listed
{
    toi_pair_array pairs;
    toi_query *queries;
    toi_exact_time **times;
    toi_truth_entry *entries;
} listed;

static void free_listed(listed *list)
{
    for (int64_t i = 0; list->times && i < list->pairs.count; ++i)
        toi_free_exact_time(list->times[i]);
    toi_release(list->times);
    toi_release(list->queries);
    toi_release(list->entries);
    toi_free_pairs(&list->pairs);
}

static toi_status decide_pairs(const toi_mesh *mesh, toi_kind kind, listed *list)
{
    size_t count = (size_t)list->pairs.count;
    list->queries = toi_allocate(count * sizeof *list->queries);
    list->times = toi_allocate(count * sizeof *list->times);
    list->entries = toi_allocate(count * sizeof *list->entries);
    if (!list->queries || !list->times || !list->entries) {
        toi_release(list->times);
        list->times = NULL; // not filled in yet
        return TOI_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i)
        list->queries[i] = toi_gather_query(mesh, kind, list->pairs.data[i]);
    toi_status status =
        toi_find_exact_times(kind, list->queries, list->pairs.count, 1, list->times);
    for (size_t i = 0; i < count && status == TOI_OK; ++i) {
        const toi_exact_time *time = list->times[i];
        list->entries[i] = (toi_truth_entry){
            .pair = list->pairs.data[i],
            .hit = time != NULL,
            .time_is_exact = time && toi_exact_time_is_double(time),
            .time = time ? toi_exact_time_floor(time) : INFINITY,
        };
    }
    return status;
}

// Appends the certificates of the pairs that collide; `skip` of them are in the file already.
static toi_status append_times(toi_truth_writer *writer, const listed *list, int64_t *skip)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < list->pairs.count && status == TOI_OK; ++i)
        if (list->times[i] && --*skip < 0)
            status = toi_append_times(writer, &list->times[i], 1);
    return status;
}

static toi_status write_truth(const toi_mesh *mesh, const listed *lists, const char *path)
{
    toi_truth_def def = {.mesh = mesh, .listed = TOI_TRUTH_CANDIDATES};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        def.candidates[kind] = def.counts[kind] = lists[kind].pairs.count;
        def.entries[kind] = lists[kind].entries;
    }
    toi_truth_writer *writer;
    int64_t done;
    toi_status status = toi_begin_truth(path, &def, &writer, &done);
    if (status != TOI_OK)
        return status;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = append_times(writer, &lists[kind], &done);
    toi_status ended = toi_end_truth(writer);
    return status != TOI_OK ? status : ended;
}

toi_status write_case(const moving_case *made, const char *path)
{
    listed lists[TOI_PAIR_KINDS] = {0};
    toi_pair_array pairs[TOI_KIND_COUNT] = {0};
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = TOI_BROAD_BRUTE;
    def.workers = 1;
    toi_status status = toi_find_all_candidates(&def, &made->mesh, pairs, NULL);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        lists[kind].pairs = pairs[kind];
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = decide_pairs(&made->mesh, (toi_kind)kind, &lists[kind]);
    if (status == TOI_OK)
        status = write_truth(&made->mesh, lists, path);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        free_listed(&lists[kind]);
    for (int kind = TOI_PAIR_KINDS; kind < TOI_KIND_COUNT;
         ++kind) // a truth file has no place for them
        toi_free_pairs(&pairs[kind]);
    return status;
}

// ---- Images

bool is_image(const toi_case *about)
{
    return *about->variant != '\0';
}

// The hash of a file's bytes.
static toi_status hash_file(const char *path, uint64_t *hash)
{
    static char data[1 << 18];
    FILE *file = fopen(path, "rb");
    if (!file)
        return toi_fail(TOI_ERROR_FILE, "cannot open %s", path);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    *hash = toi_hash(data, size);
    return size < sizeof data ? TOI_OK : toi_fail(TOI_ERROR_LIMIT, "%s is too long", path);
}

static toi_status write_image(int index, const char *folder, FILE *hashes)
{
    moving_case made;
    toi_status status = make_case(index, &made);
    if (status != TOI_OK)
        return status;
    char path[4096];
    uint64_t hash = 0;
    snprintf(path, sizeof path, "%s/%s.truth", folder, made.about.name);
    status = write_case(&made, path);
    if (status == TOI_OK)
        status = hash_file(path, &hash);
    fprintf(hashes, "%016" PRIx64 " %s\n", hash, made.about.name);
    free_case(&made);
    return status;
}

toi_status write_images(const char *folder)
{
    char path[4096];
    toi_output hashes;
    snprintf(path, sizeof path, "%s/images.txt", folder);
    toi_status status = toi_open_output(path, &hashes);
    if (status != TOI_OK)
        return status;
    for (int i = 0; i < toi_case_count() && status == TOI_OK; ++i) {
        toi_case about = toi_describe_case(i);
        if (is_image(&about))
            status = write_image(i, folder, hashes.file);
    }
    toi_status closed = toi_close_output(&hashes);
    return status != TOI_OK ? status : closed;
}

toi_status open_case(const toi_case *about, const char *images, toi_truth **truth)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.truth",
             is_image(about) ? images : TOI_SOURCE_DIR "/test/cases", about->name);
    return toi_open_truth(path, truth);
}

// ---- The list for people

// "1/2", "never" or "root of 1 - 8t + 8t^2".
static void print_first(FILE *file, const int64_t first[4])
{
    static const char *const powers[4] = {"", "t", "t^2", "t^3"};
    if (first[1] == 0 && first[2] == 0 && first[3] == 0) {
        fputs("never", file);
        return;
    }
    if (first[2] == 0 && first[3] == 0) {
        fprintf(file, first[1] == 1 ? "%" PRId64 : "%" PRId64 "/%" PRId64, -first[0], first[1]);
        return;
    }
    fputs("root of", file);
    for (int i = 0, terms = 0; i < 4; ++i)
        if (first[i] != 0) {
            fputs(first[i] < 0 ? " -" : terms ? " +" : "", file);
            fprintf(file, "%s%" PRId64 "%s", terms || first[i] > 0 ? " " : "",
                    first[i] < 0 ? -first[i] : first[i], powers[i]);
            ++terms;
        }
}

// Prints words in lines of at most 118 columns, of which `column` are used.
static void print_wrapped(FILE *file, const char *text, int column)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool full = column + 1 + length > 118;
        if (column > 0)
            fputc(full ? '\n' : ' ', file);
        column = column == 0 || full ? 0 : column + 1;
        fprintf(file, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void print_paragraph(FILE *file, const char *text)
{
    print_wrapped(file, text, 0);
    fputc('\n', file);
}

static void print_introduction(FILE *file)
{
    print_paragraph(file, "# The gallery of traps");
    print_paragraph(
        file,
        "Small moving meshes on which collision detection is known to fail, each with every "
        "candidate pair and its exact truth: one truth file a case (docs/truth.md). `make cases` "
        "makes the files and this page from scenes/cases*.c; docs/cases.md says how to add one.");
    print_paragraph(
        file,
        "Variants are exact images with the same answer: `small` and `large` by 2^-20 and 2^20, "
        "`offset` by a million, `turned` by the angle of the 3-4-5 triangle about two axes, `huge` "
        "and `tiny` by 2^498 and 2^-498, `denormal` by 2^-1060. The tests make their files; "
        "images.txt keeps the hashes of these.");
    print_paragraph(
        file, "`vf` and `ee` count the pairs that touch at some time of the step; `first` is the "
              "time of the first contact.");
}

static void print_rows(FILE *file)
{
    fputs("| case | variants | first | vf | ee |\n| --- | --- | --- | ---: | ---: |\n", file);
    for (int i = 0; i < toi_case_count();) {
        toi_case first = toi_describe_case(i);
        fprintf(file, "| %s |", first.family);
        for (++i; i < toi_case_count(); ++i) {
            toi_case next = toi_describe_case(i);
            if (!*next.variant)
                break;
            fprintf(file, " %s", next.variant);
        }
        fputs(" | ", file);
        print_first(file, first.first);
        fprintf(file, " | %" PRId64 " | %" PRId64 " |\n", first.hits[TOI_VERTEX_FACE],
                first.hits[TOI_EDGE_EDGE]);
    }
}

toi_status write_case_list(const char *path)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    print_introduction(output.file);
    print_rows(output.file);
    fputs("\n## What each is about\n", output.file);
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case described = toi_describe_case(i);
        if (*described.variant)
            continue;
        int column = fprintf(output.file, "\n**%s.**", described.family) - 1;
        print_wrapped(output.file, described.about, column);
    }
    return toi_close_output(&output);
}
