// What the shapes share: their numbers, and the bound of a convex solid.

#ifndef TOI_SDF_SHAPES_SHAPE_H
#define TOI_SDF_SHAPES_SHAPE_H

#include "sdf/field.h"
#include "sdf/rounding.h"

enum
{
    TOI_SHAPE_NUMBERS = 4, // the most that a shape takes
    TOI_SHAPE_MADE = 6     // the most that it makes of them
};

typedef struct toi_shape_field
{
    toi_field base;
    double numbers[TOI_SHAPE_NUMBERS]; // as given
    double made[TOI_SHAPE_MADE];       // by the shape's `prepare`
} toi_shape_field;

// Checks the numbers beyond being positive and fills `made`; or NULL.
typedef toi_status toi_prepare_shape_fn(toi_shape_field *shape);

toi_status toi_prepare_rounded_box(toi_shape_field *shape);
toi_status toi_prepare_cone(toi_shape_field *shape);
toi_status toi_prepare_plane(toi_shape_field *shape);
toi_status toi_prepare_spikes(toi_shape_field *shape);
toi_status toi_prepare_gyroid(toi_shape_field *shape);

extern const toi_field_class toi_sphere_class;
extern const toi_field_class toi_box_class;
extern const toi_field_class toi_rounded_box_class;
extern const toi_field_class toi_capsule_class;
extern const toi_field_class toi_cylinder_class;
extern const toi_field_class toi_cone_class;
extern const toi_field_class toi_plane_class;
extern const toi_field_class toi_torus_class;
extern const toi_field_class toi_spikes_class;
extern const toi_field_class toi_gyroid_class;

static inline const toi_shape_field *toi_shape_of(const toi_field *field)
{
    return (const toi_shape_field *)field;
}

// A field's value and its error in a sample.
static inline void toi_set_sample(toi_field_sample *sample, double value, double error, double x,
                                  double y, double z)
{
    sample->value = value;
    sample->error = error;
    sample->gradient[0] = x;
    sample->gradient[1] = y;
    sample->gradient[2] = z;
}

// Likewise for a solid of revolution about z: the gradient's part away from the axis, and along z.
static inline void toi_set_turned_sample(toi_field_sample *sample, double value, double error,
                                         const double p[3], double axis, double across, double up)
{
    double by = axis > TOI_NOTHING ? across / axis : 0;
    toi_set_sample(sample, value, error, axis > TOI_NOTHING ? p[0] * by : across, p[1] * by, up);
}

// The bound from a sample that is the true one of a point no farther than `error` away, but for
// TOI_TURN: docs/sdf.md, "Rounding". The value's own error is in `error` too. 0 where numbers
// overflow.
static inline int toi_tangent(const toi_field_sample *sample, double sign, double curvature,
                              toi_minorant *minorant)
{
    double bend = curvature * sample->error;
    double loss = toi_raise(sample->error + bend * sample->error);
    *minorant = (toi_minorant){.distance = toi_lower(sign * sample->value - loss),
                               .normal = {sign * sample->gradient[0], sign * sample->gradient[1],
                                          sign * sample->gradient[2]},
                               .curvature = curvature,
                               .slope = toi_raise(TOI_TURN + bend)};
    return loss < INFINITY && curvature < INFINITY;
}

// A distance to a set, minus a constant: where the distance is `away`, the set's nearest point
// alone bounds it from above, by a curvature of 1 / away. 0 unless that is a number.
static inline int toi_tangent_above(const toi_field_sample *sample, double away,
                                    toi_minorant *minorant)
{
    return toi_tangent(sample, -1, toi_raise(1 / away), minorant);
}

#endif
