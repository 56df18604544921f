// Round shapes, made by a distance to a point, a segment or a circle: sphere, capsule and torus.

#include "sdf/shapes/shape.h"

// ---------------------------------------------------------------------------------------------
// Sphere: the number is its radius. Capsule: its radius, and half the length of the segment.
// own[0] is the distance to the centre, or to the segment.

// Of the distance to a point or segment, which is (x, y, z) away.
static inline void round_sample(double x, double y, double z, double radius,
                                toi_field_sample *sample)
{
    double length = toi_length(x, y, z), value = length - radius;
    double error = TOI_HALF_ULP * (5 * length + 2 * fabs(value)) + TOI_DUST;
    double by = length > TOI_NOTHING ? 1 / length : 0;
    toi_set_sample(sample, value, error, by > 0 ? x * by : 1, y * by, z * by);
    sample->own[0] = length;
}

static inline void sphere_sample(const toi_field *field, const double p[3],
                                 toi_field_sample *sample)
{
    round_sample(p[0], p[1], p[2], toi_shape_of(field)->numbers[0], sample);
}

static double sphere_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    sphere_sample(field, p, &sample);
    return sample.value;
}

static int round_bound(const toi_field *field, const toi_field_sample *sample,
                       const double centre[3], double radius, double sign, toi_minorant *minorants,
                       int room)
{
    (void)field, (void)centre, (void)radius, (void)room;
    if (sign > 0)
        return toi_tangent(sample, 1, 0, minorants);
    return toi_tangent_above(sample, sample->own[0], minorants);
}

const toi_field_class toi_sphere_class = {
    .kind = "sphere", .sample = sphere_sample, .value = sphere_value, .bound = round_bound};

static inline void capsule_sample(const toi_field *field, const double p[3],
                                  toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    double beyond = fabs(p[2]) - shape->numbers[1];
    round_sample(p[0], p[1], beyond > 0 ? copysign(beyond, p[2]) : 0, shape->numbers[0], sample);
}

static double capsule_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    capsule_sample(field, p, &sample);
    return sample.value;
}

const toi_field_class toi_capsule_class = {
    .kind = "capsule", .sample = capsule_sample, .value = capsule_value, .bound = round_bound};

// ---------------------------------------------------------------------------------------------
// Torus: numbers are the radii of ring and tube. own: distances to the axis and to the ring.

static inline void torus_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    double axis = toi_length(p[0], p[1], 0), out = axis - shape->numbers[0];
    double ring = toi_length(out, p[2], 0), value = ring - shape->numbers[1];
    double error = TOI_HALF_ULP * (4 * axis + 6 * ring + 2 * fabs(value)) + TOI_DUST;
    double by = ring > TOI_NOTHING ? 1 / ring : 0;
    double around = axis > TOI_NOTHING ? out * by / axis : 0;
    toi_set_sample(sample, value, error, p[0] * around, p[1] * around, p[2] * by);
    sample->own[0] = axis;
    sample->own[1] = ring;
}

static double torus_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    torus_sample(field, p, &sample);
    return sample.value;
}

// The least curvature in the ball: 0 beyond the ring, and else that of the circles about the axis,
// on which the gradient leans inward by (ring radius - axis) / ring <= 1. Infinite on the axis.
static double torus_curvature(double ring_radius, double axis, double ring, double reach)
{
    double least_axis = toi_lower(axis - reach), least_ring = toi_lower(ring - reach);
    if (least_axis >= ring_radius)
        return 0;
    if (least_axis <= 0)
        return INFINITY;
    double lean = 1;
    if (least_ring > 0)
        lean = fmin(1, toi_raise((ring_radius - least_axis) / least_ring));
    return toi_raise(lean / least_axis);
}

static int torus_bound(const toi_field *field, const toi_field_sample *sample,
                       const double centre[3], double radius, double sign, toi_minorant *minorants,
                       int room)
{
    (void)centre, (void)room;
    if (sign < 0)
        return toi_tangent_above(sample, sample->own[1], minorants);
    // The sample is that of a point `error` away, and so are own's distances.
    double curvature = torus_curvature(toi_shape_of(field)->numbers[0], sample->own[0],
                                       sample->own[1], toi_raise(radius + 2 * sample->error));
    return toi_tangent(sample, 1, curvature, minorants);
}

const toi_field_class toi_torus_class = {
    .kind = "torus", .sample = torus_sample, .value = torus_value, .bound = torus_bound};
