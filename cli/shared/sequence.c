// Reads or makes the frames of a motion, one step after the other.

#include "sequence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const option sequence_options[] = {
    {.name = "scene",
     .type = OPTION_TEXT,
     .offset = offsetof(scene_choice, scene),
     .argument = "NAME",
     .help = "make this scene in memory instead of reading files; 'toi scene' lists them"},
    {0}};

// ---------------------------------------------------------------------------------------------
// Files

static toi_status check_frame(const sequence *s, int frame)
{
    const toi_mesh_file *a = &s->held[0], *b = &s->held[1];
    const char *path = s->files.at[frame];
    const char *before = s->files.at[frame - 1];
    if (a->point_count != b->point_count)
        return toi_fail(TOI_ERROR_DATA, "%s: has %lld vertices, %s has %lld", path,
                        (long long)b->point_count, before, (long long)a->point_count);
    bool same = a->face_count == b->face_count && a->loose_edge_count == b->loose_edge_count;
    if (same && a->face_count > 0)
        same = memcmp(a->faces, b->faces, (size_t)a->face_count * sizeof *a->faces) == 0;
    if (same && a->loose_edge_count > 0)
        same = memcmp(a->loose_edges, b->loose_edges,
                      (size_t)a->loose_edge_count * sizeof *a->loose_edges) == 0;
    return same ? TOI_OK
                : toi_fail(TOI_ERROR_DATA,
                           "%s: has other faces or edges than %s; all frames must be the same mesh",
                           path, before);
}

// Reads a frame behind the one that was held last.
static toi_status read_frame(sequence *s, int frame)
{
    toi_free_mesh_file(&s->held[0]);
    s->held[0] = s->held[1];
    s->held[1] = (toi_mesh_file){0};
    return toi_read_mesh(s->files.at[frame], &s->held[1]);
}

// Reads what a step needs beyond what is held.
static toi_status hold_step(sequence *s, int step)
{
    toi_status status = TOI_OK;
    if (step == s->held_step)
        return TOI_OK;
    if (step != s->held_step + 1 || s->held_step < 0)
        status = read_frame(s, step);
    s->held_step = -1;
    if (status == TOI_OK)
        status = read_frame(s, step + 1);
    if (status == TOI_OK)
        status = check_frame(s, step + 1);
    if (status == TOI_OK)
        s->held_step = step;
    return status;
}

static toi_mesh file_mesh(const sequence *s)
{
    const toi_mesh_file *start = &s->held[0];
    return toi_make_mesh((const double *)start->points, (const double *)s->held[1].points,
                         start->point_count, (const int32_t *)start->faces, start->face_count);
}

static toi_status open_files(const operand_list *operands, sequence *s)
{
    if (operands->count < 2)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "two files are needed at least, FRAME FRAME ..., or --scene NAME");
    s->files = *operands;
    s->steps = operands->count - 1;
    snprintf(s->name, sizeof s->name, "%s to %s", file_name(operands->at[0]),
             file_name(operands->at[s->steps]));
    return hold_step(s, 0);
}

// ---------------------------------------------------------------------------------------------
// Scenes

static toi_mesh made_mesh(const sequence *s, int step)
{
    const toi_animation *made = &s->made;
    const double *start = (const double *)(made->points + step * made->point_count);
    return toi_make_mesh(start, start + 3 * made->point_count, made->point_count,
                         (const int32_t *)made->faces, made->face_count);
}

static toi_status open_scene_of(const scene_choice *choice, sequence *s)
{
    toi_animation_def def = toi_default_animation_def();
    toi_status status = choose_scene(choice, &def);
    if (status == TOI_OK)
        status = toi_make_animation(&def, &s->made);
    s->steps = def.frames - 1;
    snprintf(s->name, sizeof s->name, "%s, %d frames from %g on", choice->scene, def.frames,
             def.begin);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Parts of a step

static double part_of(double from, double to, double share)
{
    double at = from + share * (to - from);
    bool single = (double)(float)from == from && (double)(float)to == to;
    return single ? (double)(float)at : at;
}

// The `count` parts are gone through to and fro.
static double share_at(int64_t step, int count)
{
    int64_t place = step % (2 * (int64_t)count);
    return (double)(place <= count ? place : 2 * (int64_t)count - place) / count;
}

static void fill_part(const sequence *s, int64_t step, double *points)
{
    toi_mesh whole = s->files.count > 0 ? file_mesh(s) : made_mesh(s, s->made.frames - 2);
    const double *start = whole.start.data, *end = whole.end.data;
    double share = share_at(step, s->parts);
    for (int64_t i = 0; i < 3 * whole.start.count; ++i)
        points[i] = part_of(start[i], end[i], share);
}

static void next_part(sequence *s)
{
    double *last = s->cut[0];
    s->cut[0] = s->cut[1];
    s->cut[1] = last;
    if (s->step == 0)
        fill_part(s, 0, s->cut[0]);
    fill_part(s, s->step + 1, s->cut[1]);
    s->mesh.start = toi_view_points(s->cut[0], s->mesh.start.count);
    s->mesh.end = toi_view_points(s->cut[1], s->mesh.start.count);
}

toi_status cut_sequence(sequence *s, int parts, int steps)
{
    toi_status status = s->files.count > 0 ? hold_step(s, s->files.count - 2) : TOI_OK;
    for (int i = 0; i < 2 && !s->cut[i] && status == TOI_OK; ++i) {
        s->cut[i] = toi_allocate((size_t)s->mesh.start.count * 3 * sizeof *s->cut[i]);
        status = s->cut[i] ? TOI_OK : TOI_ERROR_MEMORY;
    }
    s->parts = parts;
    s->steps = steps;
    s->step = -1;
    return status;
}

// ---------------------------------------------------------------------------------------------
// The sequence

static toi_status set_mesh(sequence *s, toi_mesh mesh)
{
    mesh.edges = toi_view_edges(&s->edges);
    s->mesh = mesh;
    return TOI_OK;
}

toi_status open_sequence(const scene_choice *choice, const operand_list *operands, sequence *s)
{
    *s = (sequence){.step = -1, .held_step = -1};
    toi_status status = check_choice(choice, operands);
    if (status == TOI_OK)
        status = choice->scene ? open_scene_of(choice, s) : open_files(operands, s);
    if (status != TOI_OK)
        return status;
    toi_mesh mesh = choice->scene ? made_mesh(s, 0) : file_mesh(s);
    toi_index_view loose = {(const int32_t *)s->held[0].loose_edges, s->held[0].loose_edge_count,
                            0};
    if (choice->scene)
        loose = (toi_index_view){(const int32_t *)s->made.edges, s->made.edge_count, 0};
    status = toi_make_edges(mesh.faces, loose, mesh.start.count, &s->edges);
    return status == TOI_OK ? set_mesh(s, mesh) : status;
}

toi_status next_step(sequence *s)
{
    ++s->step;
    if (s->parts > 0) {
        next_part(s);
        return TOI_OK;
    }
    if (s->files.count == 0)
        return set_mesh(s, made_mesh(s, s->step));
    toi_status status = hold_step(s, s->step);
    return status == TOI_OK ? set_mesh(s, file_mesh(s)) : status;
}

void rewind_sequence(sequence *s)
{
    s->step = -1;
}

static double distance_between(const double *a, const double *b)
{
    return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

double measure_motion(const sequence *s)
{
    const double *start = s->mesh.start.data, *end = s->mesh.end.data;
    double way = 0, length = 0;
    for (int64_t i = 0; i < s->mesh.start.count; ++i)
        way += distance_between(start + 3 * i, end + 3 * i) / (double)s->mesh.start.count;
    for (int64_t i = 0; i < s->edges.count; ++i)
        length += distance_between(start + 3 * (int64_t)s->edges.data[i][0],
                                   start + 3 * (int64_t)s->edges.data[i][1]) /
                  (double)s->edges.count;
    return length > 0 ? way / length : 0;
}

void close_sequence(sequence *s)
{
    for (int i = 0; i < 2; ++i) {
        toi_free_mesh_file(&s->held[i]);
        toi_release(s->cut[i]);
    }
    toi_free_animation(&s->made);
    toi_free_edges(&s->edges);
    *s = (sequence){0};
}
