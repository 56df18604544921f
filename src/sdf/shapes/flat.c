// Shapes with flat faces: box and plane.

#include "sdf/shapes/shape.h"

// ---------------------------------------------------------------------------------------------
// Box: numbers are half of each side.

// Signed distance to a box with these half sides, with its gradient. Every step is accurate
// relative to its result.
static inline double box_distance(const double half[3], const double p[3], double gradient[3])
{
    double q[3], out[3];
    for (int k = 0; k < 3; ++k) {
        q[k] = fabs(p[k]) - half[k];
        out[k] = q[k] > 0 ? q[k] : 0;
    }
    double length = toi_length(out[0], out[1], out[2]);
    if (length > TOI_NOTHING) {
        for (int k = 0; k < 3; ++k)
            gradient[k] = copysign(out[k] / length, p[k]);
        return length;
    }
    int face = q[0] >= q[1] ? (q[0] >= q[2] ? 0 : 2) : (q[1] >= q[2] ? 1 : 2);
    for (int k = 0; k < 3; ++k)
        gradient[k] = k == face ? copysign(1, p[k]) : 0;
    return length > 0 ? length : q[face];
}

static inline void box_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    sample->value = box_distance(toi_shape_of(field)->numbers, p, sample->gradient);
    sample->error = TOI_HALF_ULP * 6 * fabs(sample->value) + TOI_DUST;
}

static double box_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    box_sample(field, p, &sample);
    return sample.value;
}

// Does the whole ball see one face alone? Then the field is linear in it: there all points are
// beside one another's sides (the other coordinates within the half sides) and nearer to that face
// than to the others.
static bool one_face(const double half[3], const double c[3], double radius)
{
    double q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = fabs(c[k]) - half[k];
    int face = q[0] >= q[1] ? (q[0] >= q[2] ? 0 : 2) : (q[1] >= q[2] ? 1 : 2);
    double reach = toi_raise(radius);
    for (int k = 0; k < 3; ++k)
        if (k != face &&
            (toi_lower(-q[k]) < reach || toi_lower(toi_lower(q[face] - q[k])) < 2 * reach))
            return false;
    return fabs(c[face]) >= radius;
}

static int box_bound(const toi_field *field, const toi_field_sample *sample, const double centre[3],
                     double radius, double sign, toi_minorant *minorants, int room)
{
    (void)room;
    if (sign > 0)
        return toi_tangent(sample, 1, 0, minorants);
    if (one_face(toi_shape_of(field)->numbers, centre, radius))
        return toi_tangent(sample, -1, 0, minorants);
    return sample->value > 0 && toi_tangent_above(sample, sample->value, minorants);
}

const toi_field_class toi_box_class = {
    .kind = "box", .sample = box_sample, .value = box_value, .bound = box_bound};

// ---------------------------------------------------------------------------------------------
// Plane: numbers are normal and offset, made is the unit normal.

toi_status toi_prepare_plane(toi_shape_field *shape)
{
    const double *n = shape->numbers;
    double largest = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    if (largest == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "plane: the normal is (0, 0, 0)");
    double x = scalbn(n[0], -ilogb(largest)), y = scalbn(n[1], -ilogb(largest)),
           z = scalbn(n[2], -ilogb(largest)), length = sqrt(x * x + y * y + z * z);
    shape->made[0] = x / length;
    shape->made[1] = y / length;
    shape->made[2] = z / length;
    return TOI_OK;
}

static inline void plane_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    const double *n = shape->made;
    double x = n[0] * p[0], y = n[1] * p[1], z = n[2] * p[2], offset = shape->numbers[3];
    double size = fabs(x) + fabs(y) + fabs(z) + fabs(offset);
    toi_set_sample(sample, x + y + z - offset, TOI_HALF_ULP * 12 * size + TOI_DUST, n[0], n[1],
                   n[2]);
}

static double plane_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    plane_sample(field, p, &sample);
    return sample.value;
}

static int plane_bound(const toi_field *field, const toi_field_sample *sample,
                       const double centre[3], double radius, double sign, toi_minorant *minorants,
                       int room)
{
    (void)field, (void)centre, (void)radius, (void)room;
    return toi_tangent(sample, sign, 0, minorants);
}

const toi_field_class toi_plane_class = {
    .kind = "plane", .sample = plane_sample, .value = plane_value, .bound = plane_bound};
