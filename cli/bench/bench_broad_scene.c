// Opens the scenes, files and box sets that broad phases are compared on.

#include "bench_broad_scene.h"

#include "box_sets.h"
#include "names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const option broad_scene_options[] = {
    {.name = "all-scenes",
     .offset = offsetof(broad_source, all),
     .help = "every scene that 'toi scene' lists, begun at 0.8 unless --begin is given, and every "
             "set of boxes: uniform, flat, outliers, giants, of 3 S boxes each"},
    {.name = "label",
     .type = OPTION_TEXT,
     .offset = offsetof(broad_source, label),
     .argument = "NAME",
     .help = "what START and END are called in tables; the name of their folder unless given"},
    {.name = "scaling",
     .offset = offsetof(broad_source, scaling),
     .help = "uniform boxes in growing numbers, each overlapping about 10 others; with auto alone "
             "unless --broad names others"},
    {.name = "from",
     .type = OPTION_INT64,
     .offset = offsetof(broad_source, least),
     .argument = "N",
     .help = "begin with N boxes",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1 to 2147483647"},
    {.name = "to",
     .type = OPTION_INT64,
     .offset = offsetof(broad_source, most),
     .argument = "N",
     .help = "end with N boxes; two sizes a power of ten",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1 to 2147483647"},
    {0}};

broad_source default_broad_source(void)
{
    broad_source choice = {.scene = default_scene_choice(), .least = 10000, .most = 10000000};
    choice.scene.begin = -1;
    return choice;
}

// ---------------------------------------------------------------------------------------------
// What there is to open

// Two sizes a power of ten. Rounded sums of logarithms may fall short of a power by a hair.
static int64_t scaling_size(const broad_source *choice, int index)
{
    return (int64_t)llround((double)choice->least * pow(10, 0.5 * index));
}

static int count_steps(const broad_source *choice)
{
    int count = 0;
    while (scaling_size(choice, count) <= choice->most)
        ++count;
    return count;
}

static int count_names(const char *(*name)(int index))
{
    int count = 0;
    while (name(count))
        ++count;
    return count;
}

static toi_status check_scaling(const broad_source *choice)
{
    const broad_source usual = default_broad_source();
    if (!choice->scaling && (choice->least != usual.least || choice->most != usual.most))
        return toi_fail(TOI_ERROR_ARGUMENT, "--from and --to need --scaling");
    if (choice->scaling && choice->least > choice->most)
        return toi_fail(TOI_ERROR_ARGUMENT, "--from %" PRId64 " is above --to %" PRId64,
                        choice->least, choice->most);
    return TOI_OK;
}

// Scenes and sets are made, and so are the boxes of --scaling, which take only the seed.
static toi_status check_scene_options(const broad_source *choice, const operand_list *operands)
{
    const scene_choice *scene = &choice->scene, usual = default_scene_choice();
    bool made = scene->scene || choice->all;
    if (!made && (scene->size != usual.size || scene->begin >= 0 || scene->frames != usual.frames ||
                  scene->frame != usual.frame))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "--size, --begin, --frames and --frame need --scene NAME or --all-scenes");
    if (!made && !choice->scaling && scene->seed != usual.seed)
        return toi_fail(TOI_ERROR_ARGUMENT, "--seed needs --scene NAME, --all-scenes or --scaling");
    if (choice->label && operands->count == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "--label needs files: what is made has a name");
    return TOI_OK;
}

// Scenes first, then sets of boxes.
static const char *scene_or_set_name(int index)
{
    int scenes = count_names(toi_animation_name);
    return index < scenes ? toi_animation_name(index) : box_set_name(index - scenes);
}

static toi_status check_name(const char *name, bool meshes_only)
{
    const char *(*names)(int index) = meshes_only ? toi_animation_name : scene_or_set_name;
    if (find_name(name, strlen(name), names) >= 0)
        return TOI_OK;
    return fail_name(meshes_only ? "there is no scene with a mesh named" : "there is no scene",
                     name, strlen(name), names);
}

toi_status count_scenes(const broad_source *choice, const operand_list *operands, int *count)
{
    int sources =
        (operands->count > 0) + (choice->scene.scene != NULL) + choice->all + choice->scaling;
    *count = sources;
    if (sources > 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "only one of START END, --scene NAME%s, please",
                        choice->meshes_only ? " and --all-scenes" : ", --all-scenes and --scaling");
    toi_status status = check_scaling(choice);
    if (status == TOI_OK)
        status = check_scene_options(choice, operands);
    if (status == TOI_OK && choice->scene.scene)
        status = check_name(choice->scene.scene, choice->meshes_only);
    if (choice->all)
        *count = count_names(choice->meshes_only ? toi_animation_name : scene_or_set_name);
    if (choice->scaling)
        *count = count_steps(choice);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Opening

static toi_status open_set(int set, uint64_t seed, int64_t count, broad_scene *scene)
{
    snprintf(scene->name, sizeof scene->name, "%s-%" PRId64, box_set_name(set), count);
    if (count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " boxes: at most %d are possible", count,
                        INT32_MAX);
    scene->boxes = toi_allocate((size_t)count * sizeof *scene->boxes);
    if (!scene->boxes)
        return TOI_ERROR_MEMORY;
    make_box_set(set, seed, count, scene->boxes);
    scene->count = count;
    scene->comparisons = 0.5 * (double)count * (double)(count - 1);
    return TOI_OK;
}

void name_by_folder(const char *path, char *name, size_t size)
{
    const char *end = strrchr(path, '/');
    while (end && end > path && end[-1] == '/')
        --end;
    const char *begin = end ? end : path;
    if (!end || end == path)
        end = path + strlen(path);
    else
        while (begin > path && begin[-1] != '/')
            --begin;
    snprintf(name, size, "%.*s", (int)(end - begin), begin);
}

static toi_status open_mesh(const scene_choice *choice, const operand_list *operands,
                            broad_scene *scene)
{
    toi_status status = load_frames(choice, operands, &scene->moving);
    const toi_mesh *mesh = &scene->moving.mesh;
    scene->count = mesh->start.count + mesh->edges.count + mesh->faces.count;
    scene->comparisons = (double)mesh->start.count * (double)mesh->faces.count +
                         0.5 * (double)mesh->edges.count * (double)(mesh->edges.count - 1);
    return status;
}

// A scene that is made. A set has as many boxes as a mesh of so many faces.
static toi_status make_named(const broad_source *choice, const char *name, broad_scene *scene)
{
    const operand_list none = {.count = 0};
    scene_choice made = choice->scene;
    made.scene = name;
    int set = find_box_set(name);
    if (set >= 0)
        return open_set(set, (uint64_t)made.seed, 3 * made.size, scene);
    if (made.begin < 0)
        made.begin = choice->all ? 0.8 : default_scene_choice().begin;
    snprintf(scene->name, sizeof scene->name, "%s-%" PRId64, name, made.size);
    return open_mesh(&made, &none, scene);
}

toi_status open_scene(const broad_source *choice, const operand_list *operands, int index,
                      broad_scene *scene)
{
    *scene = (broad_scene){.boxes = NULL};
    if (choice->scaling)
        return open_set(BOX_SET_UNIFORM, (uint64_t)choice->scene.seed, scaling_size(choice, index),
                        scene);
    if (choice->all)
        return make_named(choice, scene_or_set_name(index), scene);
    if (choice->scene.scene)
        return make_named(choice, choice->scene.scene, scene);
    const scene_choice files = default_scene_choice();
    if (choice->label)
        snprintf(scene->name, sizeof scene->name, "%s", choice->label);
    else
        name_by_folder(operands->at[0], scene->name, sizeof scene->name);
    return open_mesh(&files, operands, scene);
}

void close_scene(broad_scene *scene)
{
    toi_release(scene->boxes);
    free_frames(&scene->moving);
    *scene = (broad_scene){.boxes = NULL};
}
