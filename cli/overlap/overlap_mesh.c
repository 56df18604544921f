// Loads one mesh, or puts two side by side with a filter that only lets them meet each other.

#include "overlap_mesh.h"

#include <stdio.h>
#include <string.h>

static toi_status take_memory(instant *m, int64_t points, int64_t faces)
{
    m->joined_points = toi_allocate((size_t)points * sizeof *m->joined_points);
    m->joined_faces = toi_allocate((size_t)faces * sizeof *m->joined_faces);
    m->groups = toi_allocate((size_t)points * sizeof *m->groups);
    return m->joined_points && m->joined_faces && m->groups ? TOI_OK : TOI_ERROR_MEMORY;
}

// Behind what is there, as group number `group`.
static void append(instant *m, const toi_mesh_file *file, int32_t group, int64_t points,
                   int64_t faces)
{
    if (file->point_count > 0)
        memcpy(m->joined_points + points, file->points,
               (size_t)file->point_count * sizeof *file->points);
    for (int64_t i = 0; i < file->point_count; ++i)
        m->groups[points + i] = group;
    for (int64_t i = 0; i < file->face_count; ++i)
        for (int k = 0; k < 3; ++k)
            m->joined_faces[faces + i][k] = file->faces[i][k] + (int32_t)points;
}

static toi_status join(instant *m)
{
    const toi_mesh_file *a = &m->files[0], *b = &m->files[1];
    int64_t points = a->point_count + b->point_count, faces = a->face_count + b->face_count;
    if (points > INT32_MAX || faces > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "the two meshes have more than 2147483647 vertices or "
                                         "faces together");
    toi_status status = take_memory(m, points, faces);
    if (status != TOI_OK)
        return status;
    append(m, a, 0, 0, 0);
    append(m, b, 1, a->point_count, a->face_count);
    m->points = (const double(*)[3])m->joined_points;
    m->faces = (const int32_t(*)[3])m->joined_faces;
    m->mesh = toi_make_mesh((const double *)m->points, (const double *)m->points, points,
                            (const int32_t *)m->faces, faces);
    m->filter = (toi_filter){.groups = m->groups, .group_count = points};
    m->first_faces = a->face_count;
    m->two = true;
    return TOI_OK;
}

static toi_status load_two(const operand_list *operands, instant *m)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < 2 && status == TOI_OK; ++i)
        status = toi_read_mesh(operands->at[i], &m->files[i]);
    snprintf(m->name, sizeof m->name, "%.120s and %.120s", file_name(operands->at[0]),
             file_name(operands->at[1]));
    return status == TOI_OK ? join(m) : status;
}

static toi_status load_one(const scene_choice *choice, const char *path, instant *m)
{
    toi_status status = load_instant(choice, path, &m->one);
    if (status != TOI_OK)
        return status;
    m->mesh = m->one.mesh;
    m->points = m->one.start;
    m->faces = m->one.faces;
    m->scene = m->one.scene;
    m->first_faces = m->mesh.faces.count;
    snprintf(m->name, sizeof m->name, "%s", m->one.name);
    return TOI_OK;
}

toi_status load_instant_mesh(const scene_choice *choice, const operand_list *operands, instant *m)
{
    *m = (instant){0};
    if (operands->count < 2)
        return load_one(choice, operands->count > 0 ? operands->at[0] : NULL, m);
    toi_status status = check_choice(choice, operands);
    return status == TOI_OK ? load_two(operands, m) : status;
}

void free_instant_mesh(instant *m)
{
    free_frames(&m->one);
    toi_free_mesh_file(&m->files[0]);
    toi_free_mesh_file(&m->files[1]);
    toi_release(m->joined_points);
    toi_release(m->joined_faces);
    toi_release(m->groups);
    *m = (instant){0};
}
