// Loads two frames from files, or makes them from a scene.

#include "frames.h"

#include "names.h"

#include <stdio.h>
#include <string.h>

#define SCENE_SETTINGS                                                                             \
    {.name = "size",                                                                               \
     .type = OPTION_INT64,                                                                         \
     .offset = offsetof(scene_choice, size),                                                       \
     .argument = "S",                                                                              \
     .help = "about how many faces the scene has",                                                 \
     .least = 1,                                                                                   \
     .most = INT32_MAX,                                                                            \
     .range = "a whole number from 1 to 2147483647"},                                              \
        {.name = "seed",                                                                           \
         .type = OPTION_INT64,                                                                     \
         .offset = offsetof(scene_choice, seed),                                                   \
         .argument = "K",                                                                          \
         .help = "what is random in the scene follows from it",                                    \
         .most = (double)INT64_MAX,                                                                \
         .range = "a whole number from 0 to 9223372036854775807"},                                 \
        {.name = "begin",                                                                          \
         .type = OPTION_NUMBER,                                                                    \
         .offset = offsetof(scene_choice, begin),                                                  \
         .argument = "B",                                                                          \
         .help = "where in its motion the first frame lies, from 0 (the default: nothing touches " \
                 "yet) to 1; much touches from 0.6 on",                                            \
         .most = 1,                                                                                \
         .range = "a number from 0 to 1"},                                                         \
    {                                                                                              \
        .name = "frames", .type = OPTION_INT, .offset = offsetof(scene_choice, frames),            \
        .argument = "N", .help = "how many frames the scene has; 2 unless given", .least = 2,      \
        .most = INT32_MAX, .range = "a whole number of at least 2"                                 \
    }

const option scene_options[] = {SCENE_SETTINGS, {0}};

const option frame_options[] = {
    {.name = "scene",
     .type = OPTION_TEXT,
     .offset = offsetof(scene_choice, scene),
     .argument = "NAME",
     .help = "make this scene in memory instead of reading files; 'toi scene' lists them"},
    SCENE_SETTINGS,
    {.name = "frame",
     .type = OPTION_INT,
     .offset = offsetof(scene_choice, frame),
     .argument = "I",
     .help = "take frames I and I+1, counted from 0; the last two unless given",
     .most = INT32_MAX - 2,
     .range = "a whole number of at least 0"},
    {0}};

scene_choice default_scene_choice(void)
{
    toi_animation_def def = toi_default_animation_def();
    return (scene_choice){
        .size = def.size, .seed = (int64_t)def.seed, .begin = def.begin, .frame = -1};
}

toi_status choose_scene(const scene_choice *choice, toi_animation_def *def)
{
    const char *name = choice->scene;
    if (find_name(name, strlen(name), toi_animation_name) < 0)
        return fail_name("there is no scene", name, strlen(name), toi_animation_name);
    *def = toi_default_animation_def();
    def->name = name;
    def->size = choice->size;
    def->seed = (uint64_t)choice->seed;
    def->begin = choice->begin;
    if (choice->frames > 0)
        def->frames = choice->frames;
    else if (choice->frame >= 0)
        def->frames = choice->frame + 2;
    if (choice->frame > def->frames - 2)
        return toi_fail(TOI_ERROR_ARGUMENT, "--frame %d: the last two of %d frames begin with %d",
                        choice->frame, def->frames, def->frames - 2);
    return TOI_OK;
}

toi_status check_choice(const scene_choice *choice, const operand_list *operands)
{
    if (choice->scene)
        return operands->count == 0
                   ? TOI_OK
                   : toi_fail(TOI_ERROR_ARGUMENT,
                              "give either --scene or files, not '%s' beside it", operands->at[0]);
    scene_choice other = default_scene_choice();
    if (choice->size != other.size || choice->seed != other.seed || choice->begin != other.begin ||
        choice->frames != other.frames || choice->frame != other.frame)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "--size, --seed, --begin, --frames and --frame need --scene NAME");
    return TOI_OK;
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static toi_mesh make_mesh(const frames *f, int64_t points, int64_t faces)
{
    return toi_make_mesh((const double *)f->start, (const double *)f->end, points,
                         (const int32_t *)f->faces, faces);
}

static toi_status read_files(const operand_list *operands, frames *f)
{
    const toi_mesh_file *start = &f->files[0];
    if (operands->count < 2)
        return toi_fail(TOI_ERROR_ARGUMENT, "two files are needed, START and END, or --scene NAME");
    toi_status status =
        toi_read_frames(operands->at[0], operands->at[1], &f->files[0], &f->files[1]);
    if (status != TOI_OK)
        return status;
    snprintf(f->name, sizeof f->name, "%s to %s", file_name(operands->at[0]),
             file_name(operands->at[1]));
    f->start = (const double(*)[3])start->points;
    f->end = (const double(*)[3])f->files[1].points;
    f->faces = (const int32_t(*)[3])start->faces;
    f->loose = (const int32_t(*)[2])start->loose_edges;
    f->loose_count = start->loose_edge_count;
    f->mesh = make_mesh(f, start->point_count, start->face_count);
    return TOI_OK;
}

static toi_status make_scene(const scene_choice *choice, frames *f)
{
    toi_animation_def def;
    toi_status status = choose_scene(choice, &def);
    if (status == TOI_OK)
        status = toi_make_animation(&def, &f->made);
    if (status != TOI_OK)
        return status;
    const toi_animation *scene = &f->made;
    int frame = choice->frame >= 0 ? choice->frame : scene->frames - 2;
    snprintf(f->name, sizeof f->name, "%s, frames %d and %d", def.name, frame, frame + 1);
    f->scene = true;
    f->start = (const double(*)[3])scene->points + frame * scene->point_count;
    f->end = f->start + scene->point_count;
    f->faces = (const int32_t(*)[3])scene->faces;
    f->loose = (const int32_t(*)[2])scene->edges;
    f->loose_count = scene->edge_count;
    f->groups = scene->groups;
    f->mesh = make_mesh(f, scene->point_count, scene->face_count);
    return TOI_OK;
}

toi_status load_frames(const scene_choice *choice, const operand_list *operands, frames *f)
{
    *f = (frames){0};
    toi_status status = check_choice(choice, operands);
    if (status == TOI_OK)
        status = choice->scene ? make_scene(choice, f) : read_files(operands, f);
    if (status != TOI_OK)
        return status;
    toi_index_view loose = {(const int32_t *)f->loose, f->loose_count, 0};
    status = toi_make_edges(f->mesh.faces, loose, f->mesh.start.count, &f->edges);
    f->mesh.edges = toi_view_edges(&f->edges);
    return status == TOI_OK ? toi_check_mesh(&f->mesh) : status;
}

toi_status make_kept_scene(const toi_mesh *mesh, toi_scene **scene)
{
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = mesh->start.count;
    def.faces = mesh->faces;
    def.edges = mesh->edges;
    return toi_make_scene(&def, scene);
}

void free_frames(frames *f)
{
    toi_free_edges(&f->edges);
    toi_free_animation(&f->made);
    toi_free_mesh_file(&f->files[0]);
    toi_free_mesh_file(&f->files[1]);
    *f = (frames){0};
}
