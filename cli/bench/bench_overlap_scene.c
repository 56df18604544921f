// Opens the meshes that searches for intersecting faces are compared on.

#include "bench_overlap_scene.h"

#include "names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Folded all over: much touches nearly, as in a simulation that goes on for a while.
static const char SCALING_SCENE[] = "cloth-ball";

const option overlap_scene_options[] = {
    {.name = "all-scenes",
     .offset = offsetof(overlap_source, all),
     .help = "every scene that 'toi scene' lists"},
    {.name = "scaling",
     .offset = offsetof(overlap_source, scaling),
     .help = "cloth-ball in growing sizes: does the time a face stay the same?"},
    {.name = "from",
     .type = OPTION_INT64,
     .offset = offsetof(overlap_source, least),
     .argument = "N",
     .help = "begin with N faces, with --scaling; 10,000 unless given",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1 to 2147483647"},
    {.name = "to",
     .type = OPTION_INT64,
     .offset = offsetof(overlap_source, most),
     .argument = "N",
     .help = "end with N faces, 1,000,000 unless given; two sizes a power of ten",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1 to 2147483647"},
    {0}};

overlap_source default_overlap_source(void)
{
    overlap_source choice = {.scene = default_scene_choice(), .least = 10000, .most = 1000000};
    choice.scene.begin = 0.95; // at 0 nothing touches
    return choice;
}

// ---------------------------------------------------------------------------------------------
// What there is to open

static int64_t scaling_size(const overlap_source *choice, int index)
{
    return (int64_t)llround((double)choice->least * pow(10, 0.5 * index));
}

static int count_all(const overlap_source *choice)
{
    int count = 0;
    if (choice->scaling)
        while (scaling_size(choice, count) <= choice->most)
            ++count;
    else
        while (toi_animation_name(count))
            ++count;
    return count;
}

static toi_status check_scaling(const overlap_source *choice)
{
    const overlap_source usual = default_overlap_source();
    if (!choice->scaling && (choice->least != usual.least || choice->most != usual.most))
        return toi_fail(TOI_ERROR_ARGUMENT, "--from and --to need --scaling");
    if (choice->scaling && choice->least > choice->most)
        return toi_fail(TOI_ERROR_ARGUMENT, "--from %" PRId64 " is above --to %" PRId64,
                        choice->least, choice->most);
    if (choice->scaling && choice->scene.size != usual.scene.size)
        return toi_fail(TOI_ERROR_ARGUMENT, "--scaling has sizes of its own: use --from and --to");
    return TOI_OK;
}

static toi_status check_files(const overlap_source *choice, const operand_list *operands)
{
    const scene_choice *scene = &choice->scene, usual = default_overlap_source().scene;
    if (operands->count > 0 &&
        (scene->size != usual.size || scene->seed != usual.seed || scene->begin != usual.begin ||
         scene->frames != usual.frames || scene->frame != usual.frame))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "--size, --seed, --begin, --frames and --frame need --scene NAME, "
                        "--all-scenes or --scaling");
    return TOI_OK;
}

toi_status count_overlap_scenes(const overlap_source *choice, const operand_list *operands,
                                int *count)
{
    const char *name = choice->scene.scene;
    int sources = (operands->count > 0) + (name != NULL) + choice->all + choice->scaling;
    if (sources != 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "%s: files, --scene NAME, --all-scenes or --scaling",
                        sources == 0 ? "a mesh is needed" : "only one source of meshes, please");
    if (name && find_name(name, strlen(name), toi_animation_name) < 0)
        return fail_name("there is no scene", name, strlen(name), toi_animation_name);
    *count = operands->count > 0 ? operands->count : name ? 1 : count_all(choice);
    toi_status status = check_scaling(choice);
    return status == TOI_OK ? check_files(choice, operands) : status;
}

// ---------------------------------------------------------------------------------------------
// Opening

// "cloth-ball/end" for scenes/cloth-ball/end.ply: files of several folders have the same names.
static void name_file(const char *path, char *name, size_t size)
{
    const char *from = path;
    int slashes = 0;
    for (const char *at = path + strlen(path); at > path && slashes < 2; --at)
        if (at[-1] == '/' && ++slashes <= 2)
            from = slashes == 2 ? at : path;
    const char *dot = strrchr(from, '.'), *slash = strrchr(from, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - from) : strlen(from);
    snprintf(name, size, "%.*s", (int)length, from);
    for (char *at = name; *at; ++at)
        if (*at == ',' || *at == '"' || *at == '\n')
            *at = '_'; // it goes into rows of text
}

static toi_status open_file(const char *path, overlap_scene *scene)
{
    name_file(path, scene->name, sizeof scene->name);
    toi_status status = toi_read_mesh(path, &scene->file);
    if (status != TOI_OK)
        return status;
    const double *points = (const double *)scene->file.points;
    scene->mesh = toi_make_mesh(points, points, scene->file.point_count,
                                (const int32_t *)scene->file.faces, scene->file.face_count);
    scene->before = scene->mesh.start;
    return toi_check_mesh(&scene->mesh);
}

static toi_status open_made(const scene_choice *choice, overlap_scene *scene)
{
    const operand_list none = {.count = 0};
    snprintf(scene->name, sizeof scene->name, "%s-%" PRId64, choice->scene, choice->size);
    toi_status status = load_frames(choice, &none, &scene->moving);
    const toi_mesh *mesh = &scene->moving.mesh;
    scene->mesh = (toi_mesh){.start = mesh->end, .end = mesh->end, .faces = mesh->faces};
    scene->before = mesh->start;
    return status;
}

toi_status open_overlap_scene(const overlap_source *choice, const operand_list *operands, int index,
                              overlap_scene *scene)
{
    *scene = (overlap_scene){.name = ""};
    if (operands->count > 0)
        return open_file(operands->at[index], scene);
    scene_choice made = choice->scene;
    if (choice->all)
        made.scene = toi_animation_name(index);
    if (choice->scaling) {
        made.scene = SCALING_SCENE;
        made.size = scaling_size(choice, index);
    }
    return open_made(&made, scene);
}

void close_overlap_scene(overlap_scene *scene)
{
    free_frames(&scene->moving);
    toi_free_mesh_file(&scene->file);
    *scene = (overlap_scene){.name = ""};
}
