// A mesh as a field: the distance to its triangles, negative where the winding number is at least
// 1/2. docs/sdf.md proves the bounds.

#include "sdf/field.h"

#include "base/fp_mode.h"
#include "base/memory.h"
#include "sdf/mesh_distance.h"

#include <math.h>

typedef struct mesh_field
{
    toi_field base;
    toi_mesh_tree tree;
} mesh_field;

// Half-spaces may lose this share of the distance and of the radius, so that nearly flat parts of
// the mesh need one instead of many.
static const double SLACK = 0x1p-16;

// Squares of what is farther away would overflow.
static bool is_far(const double point[3])
{
    return fmax(fabs(point[0]), fmax(fabs(point[1]), fabs(point[2]))) > TOI_LARGEST_COORDINATE;
}

// Nothing is known of far points but that they are outside.
static void sample_far(const double point[3], toi_field_sample *sample)
{
    double largest = fmax(fabs(point[0]), fmax(fabs(point[1]), fabs(point[2])));
    sample->value = largest;
    sample->error = INFINITY;
    for (int k = 0; k < 3; ++k)
        sample->gradient[k] = fabs(point[k]) == largest ? (point[k] < 0 ? -1 : 1) : 0;
}

// The value with its sign, and the error. Where rounding decides the sign, both are possible.
static double sign_value(const toi_mesh_tree *tree, const double point[3], double distance,
                         double *error)
{
    bool certain;
    double winding = toi_winding_number(tree, point, &certain);
    *error = toi_mesh_distance_error(tree, distance);
    if (!certain)
        *error += 2 * distance * (1 + 0x1p-50);
    return winding >= 0.5 ? -distance : distance;
}

// The gradient of the distance at a point of a face: its normal.
static void face_normal(const toi_mesh_tree *tree, const toi_nearest *nearest, double normal[3])
{
    double c[3][3], e[3], g[3], square = 0;
    toi_block_corners(&tree->blocks[nearest->block], nearest->lane, c);
    for (int k = 0; k < 3; ++k) {
        e[k] = c[1][k] - c[0][k];
        g[k] = c[2][k] - c[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = e[i] * g[j] - e[j] * g[i];
        square += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; ++k)
        normal[k] = square > 0 ? normal[k] / sqrt(square) : k == 2;
}

static void sample_mesh(const toi_field *field, const double point[3], toi_field_sample *sample)
{
    const toi_mesh_tree *tree = &((const mesh_field *)field)->tree;
    *sample = (toi_field_sample){0};
    if (is_far(point)) {
        sample_far(point, sample);
        return;
    }
    toi_nearest nearest;
    toi_find_nearest(tree, point, INFINITY, &nearest);
    double distance = sqrt(nearest.square);
    sample->value = sign_value(tree, point, distance, &sample->error);
    sample->own[0] = (double)(TOI_WIDE * (int64_t)nearest.block + nearest.lane);
    if (distance > 0)
        for (int k = 0; k < 3; ++k)
            sample->gradient[k] = nearest.offset[k] / sample->value;
    else
        face_normal(tree, &nearest, sample->gradient);
}

static double value_of_mesh(const toi_field *field, const double point[3])
{
    const toi_mesh_tree *tree = &((const mesh_field *)field)->tree;
    toi_field_sample sample;
    if (is_far(point)) {
        sample_far(point, &sample);
        return sample.value;
    }
    toi_nearest nearest;
    toi_find_nearest(tree, point, INFINITY, &nearest);
    return sign_value(tree, point, sqrt(nearest.square), &sample.error);
}

// Half-spaces that hold every triangle which may be nearest to a point of the ball, or be met on
// the way to it from the centre.
static int bound_mesh(const toi_field *field, const toi_field_sample *sample,
                      const double centre[3], double radius, double sign, toi_minorant *minorants,
                      int room)
{
    const toi_mesh_tree *tree = &((const mesh_field *)field)->tree;
    double distance = sign * sample->value;
    if (!(distance > sample->error) || !(radius <= TOI_LARGEST_COORDINATE))
        return 0; // within the solid, or too near to its surface to know
    double reach = distance + 2 * radius;
    reach = (reach + 4 * toi_mesh_distance_error(tree, reach)) * (1 + 0x1p-48);
    int64_t place = (int64_t)sample->own[0];
    toi_near near = {(int32_t)(place / TOI_WIDE), (int32_t)(place % TOI_WIDE), reach,
                     SLACK * fmin(distance, radius)};
    toi_support supports[TOI_MINORANTS];
    int count = toi_cover_near(tree, centre, &near, supports, room);
    for (int i = 0; i < count; ++i) {
        const toi_support *s = &supports[i];
        minorants[i] = (toi_minorant){.distance = s->distance,
                                      .normal = {s->normal[0], s->normal[1], s->normal[2]}};
    }
    return count;
}

static void release_mesh(toi_field *field)
{
    toi_free_mesh_tree(&((mesh_field *)field)->tree);
}

static const toi_field_class mesh_class = {"mesh", sample_mesh, value_of_mesh, bound_mesh,
                                           release_mesh};

toi_status toi_make_mesh_field(toi_point_view points, toi_index_view faces, int workers,
                               toi_mesh_field_report *report, toi_field **field)
{
    TOI_GUARD_FP;
    if (!field)
        return toi_fail(TOI_ERROR_ARGUMENT, "no place for the field (NULL)");
    *field = NULL;
    toi_mesh_tree tree;
    toi_mesh_field_report own;
    toi_status status = toi_make_mesh_tree(points, faces, workers, &tree, report ? report : &own);
    if (status != TOI_OK)
        return status;
    *field = toi_new_field(&mesh_class, sizeof(mesh_field));
    if (!*field) {
        toi_free_mesh_tree(&tree);
        return toi_allocation_status();
    }
    mesh_field *mesh = (mesh_field *)*field;
    mesh->tree = tree;
    mesh->base.lipschitz = 1;
    mesh->base.floor[0] = mesh->base.floor[1] = 0;
    return TOI_OK;
}
