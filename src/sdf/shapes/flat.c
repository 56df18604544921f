// Shapes with flat faces: box, rounded box and plane.

#include "sdf/shapes/shape.h"

// ---------------------------------------------------------------------------------------------
// Box: numbers are half of each side. Rounded box: then the radius; made is half of each side
// without it. own[0] is the distance to the box without the radius.

static inline int nearest_face(const double q[3])
{
    return q[0] >= q[1] ? (q[0] >= q[2] ? 0 : 2) : (q[1] >= q[2] ? 1 : 2);
}

// Signed distance to a box with these half sides, with its gradient. Every step is accurate
// relative to its result.
static inline double box_distance(const double half[3], const double p[3], double gradient[3])
{
    double x = fabs(p[0]) - half[0], y = fabs(p[1]) - half[1], z = fabs(p[2]) - half[2];
    double value = x >= y ? x : y;
    value = value >= z ? value : z;
    if (value > TOI_NOTHING) {
        double a = x > 0 ? x : 0, b = y > 0 ? y : 0, c = z > 0 ? z : 0;
        double length = toi_length(a, b, c), by = 1 / length;
        gradient[0] = copysign(a * by, p[0]);
        gradient[1] = copysign(b * by, p[1]);
        gradient[2] = copysign(c * by, p[2]);
        return length;
    }
    bool first = x == value, second = !first && y == value;
    gradient[0] = first ? copysign(1, p[0]) : 0;
    gradient[1] = second ? copysign(1, p[1]) : 0;
    gradient[2] = first || second ? 0 : copysign(1, p[2]);
    return value;
}

static inline void box_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    sample->value = box_distance(toi_shape_of(field)->numbers, p, sample->gradient);
    sample->error = TOI_HALF_ULP * 6 * fabs(sample->value) + TOI_DUST;
    sample->own[0] = sample->value;
}

static double box_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    box_sample(field, p, &sample);
    return sample.value;
}

// Does the whole ball see one face alone? Then the field is linear in it: there the other
// coordinates are within the half sides, and that face is nearer than the others.
static bool one_face(const double half[3], const double c[3], double radius)
{
    double q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = fabs(c[k]) - half[k];
    int face = nearest_face(q);
    for (int k = 0; k < 3; ++k) {
        double reach = toi_raise(2 * radius + 4 * TOI_HALF_ULP * (fabs(q[k]) + fabs(q[face])));
        if (k != face && (-q[k] < reach || q[face] - q[k] < reach))
            return false;
    }
    return fabs(c[face]) >= radius;
}

static inline int any_box_bound(const double half[3], const toi_field_sample *sample,
                                const double centre[3], double radius, double sign,
                                toi_minorant *minorants)
{
    if (sign > 0)
        return toi_tangent(sample, 1, 0, minorants);
    if (one_face(half, centre, radius))
        return toi_tangent(sample, -1, 0, minorants);
    return sample->own[0] > 0 && toi_tangent_above(sample, sample->own[0], minorants);
}

static int box_bound(const toi_field *field, const toi_field_sample *sample, const double centre[3],
                     double radius, double sign, toi_minorant *minorants, int room)
{
    (void)room;
    return any_box_bound(toi_shape_of(field)->numbers, sample, centre, radius, sign, minorants);
}

const toi_field_class toi_box_class = {
    .kind = "box", .sample = box_sample, .value = box_value, .bound = box_bound};

// made[3] is how far the computed inner box may be from the true one.
toi_status toi_prepare_rounded_box(toi_shape_field *shape)
{
    double radius = shape->numbers[3];
    for (int k = 0; k < 3; ++k) {
        if (radius > shape->numbers[k])
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "rounded-box: number 4, the radius of the edges, is %g; use at most "
                            "the least half side, and number %d is %g",
                            radius, k + 1, shape->numbers[k]);
        shape->made[k] = shape->numbers[k] - radius;
        shape->made[3] += TOI_HALF_ULP * 2 * shape->made[k];
    }
    return TOI_OK;
}

static inline void rounded_box_sample(const toi_field *field, const double p[3],
                                      toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    double inner = box_distance(shape->made, p, sample->gradient);
    sample->value = inner - shape->numbers[3];
    sample->error =
        TOI_HALF_ULP * (6 * fabs(inner) + 2 * fabs(sample->value)) + shape->made[3] + TOI_DUST;
    sample->own[0] = inner;
}

static double rounded_box_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    rounded_box_sample(field, p, &sample);
    return sample.value;
}

static int rounded_box_bound(const toi_field *field, const toi_field_sample *sample,
                             const double centre[3], double radius, double sign,
                             toi_minorant *minorants, int room)
{
    (void)room;
    return any_box_bound(toi_shape_of(field)->made, sample, centre, radius, sign, minorants);
}

const toi_field_class toi_rounded_box_class = {.kind = "rounded-box",
                                               .sample = rounded_box_sample,
                                               .value = rounded_box_value,
                                               .bound = rounded_box_bound};

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
