// What scenes of simulations are put together from: fields out of parts, meshes out of files.

#include "simulation_scene.h"

#include "toi/io.h"
#include "wave.h"

#include <stdio.h>
#include <string.h>

toi_field *shape_field(field_maker *m, toi_shape shape, const double *numbers)
{
    toi_field *field = NULL;
    if (m->status == TOI_OK)
        m->status = toi_make_shape(shape, numbers, toi_shape_numbers(shape), &field);
    return field;
}

toi_field *joined_field(field_maker *m, toi_combination combination, toi_field *a, toi_field *b)
{
    toi_field *field = NULL;
    toi_field *both[] = {a, b};
    if (m->status == TOI_OK)
        m->status = toi_combine_fields(combination, both, 2, &field);
    toi_free_field(a);
    toi_free_field(b);
    return field;
}

toi_field *placed_field(field_maker *m, toi_field *field, vec3 position, vec3 axis, double turns,
                        double offset)
{
    toi_field *placed = NULL;
    toi_placement placement = toi_default_placement();
    wave half = scene_wave(0.5 * turns);
    placement.rotation[0] = half.cos;
    put3(placement.rotation + 1, scale3(half.sin, unit3(axis)));
    put3(placement.position, position);
    placement.offset = offset;
    if (m->status == TOI_OK)
        m->status = toi_place_field(field, &placement, &placed);
    toi_free_field(field);
    return placed;
}

toi_field *mesh_field(field_maker *m, const toi_solid *solid, int workers)
{
    toi_field *field = NULL;
    if (m->status == TOI_OK)
        m->status = toi_make_mesh_field(toi_solid_points(solid), toi_solid_faces(solid), workers,
                                        NULL, &field);
    return field;
}

toi_status finish_field(const field_maker *m, toi_field *field, simulation_scene *scene)
{
    scene->field = field;
    return m->status;
}

static toi_status copy_mesh(const toi_mesh_file *file, double scale, toi_solid *solid)
{
    size_t points = (size_t)file->point_count * sizeof *solid->points;
    size_t faces = (size_t)file->face_count * sizeof *solid->faces;
    solid->points = toi_allocate(points);
    solid->faces = toi_allocate(faces);
    if (!solid->points || !solid->faces)
        return TOI_ERROR_MEMORY;
    solid->point_count = file->point_count;
    solid->face_count = file->face_count;
    memcpy(solid->faces, file->faces, faces);
    for (int64_t i = 0; i < file->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            solid->points[i][k] = scale * file->points[i][k];
    return TOI_OK;
}

toi_status load_solid(const toi_simulation_def *def, const char *path, double scale,
                      toi_solid *solid)
{
    char full[4096];
    toi_mesh_file file = {0};
    *solid = (toi_solid){0};
    if (!def->data)
        return toi_fail(TOI_ERROR_FILE, "%s: this scene needs the folder of real data", path);
    snprintf(full, sizeof full, "%s/%s", def->data, path);
    toi_status status = toi_read_mesh(full, &file);
    if (status == TOI_OK)
        status = copy_mesh(&file, scale, solid);
    toi_free_mesh_file(&file);
    if (status != TOI_OK)
        toi_free_solid(solid);
    return status;
}
