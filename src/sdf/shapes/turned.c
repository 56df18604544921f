// Solids of revolution about z with an edge: cylinder and cone. Both are worked out in the half
// plane of the distance from the axis and z.

#include "sdf/shapes/shape.h"

// ---------------------------------------------------------------------------------------------
// Cylinder: numbers are its radius and half its height. own[0] is the distance from the axis.

static inline void cylinder_sample(const toi_field *field, const double p[3],
                                   toi_field_sample *sample)
{
    const double *numbers = toi_shape_of(field)->numbers;
    double axis = toi_length(p[0], p[1], 0);
    double side = axis - numbers[0], end = fabs(p[2]) - numbers[1];
    double value = side >= end ? side : end, across = side >= end ? 1 : 0, up = 1 - across;
    if (side > TOI_NOTHING && end > TOI_NOTHING) {
        value = toi_length(side, end, 0);
        across = side / value;
        up = end / value;
    }
    double error = TOI_HALF_ULP * (4 * axis + 6 * fabs(value)) + TOI_DUST;
    toi_set_turned_sample(sample, value, error, p, axis, across, copysign(up, p[2]));
    sample->own[0] = axis;
}

static double cylinder_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    cylinder_sample(field, p, &sample);
    return sample.value;
}

// Where the whole ball sees the flank alone, the field bends as the distance from the axis does;
// where it sees one end alone, it is linear.
static int cylinder_above(const double numbers[2], const toi_field_sample *sample,
                          const double centre[3], double radius, toi_minorant *minorants)
{
    double axis = sample->own[0], z = fabs(centre[2]);
    double side = axis - numbers[0], end = z - numbers[1];
    double size = axis + numbers[0] + z + numbers[1];
    double reach = toi_raise(2 * radius + 16 * TOI_HALF_ULP * size + 2 * sample->error);
    if (-end >= reach && side - end >= reach)
        return toi_tangent(sample, -1, toi_raise(1 / axis), minorants);
    if (-side >= reach && end - side >= reach && z >= reach)
        return toi_tangent(sample, -1, 0, minorants);
    return sample->value > 0 && toi_tangent_above(sample, sample->value, minorants);
}

static int cylinder_bound(const toi_field *field, const toi_field_sample *sample,
                          const double centre[3], double radius, double sign,
                          toi_minorant *minorants, int room)
{
    (void)room;
    if (sign > 0)
        return toi_tangent(sample, 1, 0, minorants);
    return cylinder_above(toi_shape_of(field)->numbers, sample, centre, radius, minorants);
}

const toi_field_class toi_cylinder_class = {.kind = "cylinder",
                                            .sample = cylinder_sample,
                                            .value = cylinder_value,
                                            .bound = cylinder_bound};

// ---------------------------------------------------------------------------------------------
// Cone: numbers are the radius of its base and its height.

// What is made of the numbers: the flank's outward unit normal.
enum
{
    ACROSS,
    UP
};

toi_status toi_prepare_cone(toi_shape_field *shape)
{
    double length = toi_length(shape->numbers[0], shape->numbers[1], 0);
    shape->made[ACROSS] = shape->numbers[1] / length;
    shape->made[UP] = shape->numbers[0] / length;
    return TOI_OK;
}

// A point in the half plane, seen from the rim of the base and from the tip.
typedef struct cone_view
{
    double axis;  // distance from the axis
    double side;  // beyond the rim, away from the axis
    double flank; // signed distance to the flank's line
    double above; // beyond the tip, along the flank
    double below; // beyond the rim, along the flank
} cone_view;

static inline cone_view view_cone(const toi_shape_field *shape, const double p[3])
{
    double across = shape->made[ACROSS], up = shape->made[UP];
    double axis = toi_length(p[0], p[1], 0), side = axis - shape->numbers[0];
    double height = p[2] - shape->numbers[1];
    return (cone_view){axis, side, side * across + p[2] * up, height * across - axis * up,
                       side * up - p[2] * across};
}

static inline void cone_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    cone_view view = view_cone(shape, p);
    double z = p[2], base = shape->numbers[0], height = shape->numbers[1];
    double value = view.flank, across = shape->made[ACROSS], up = shape->made[UP];
    bool tip = view.above > 0, rim = z < 0 ? view.side > 0 : view.below > 0;
    if (tip || rim) {
        double x = tip ? view.axis : view.side, y = tip ? z - height : z;
        value = toi_length(x, y, 0);
        double by = value > TOI_NOTHING ? 1 / value : 0;
        across = x * by;
        up = by > 0 ? y * by : tip ? 1 : -1;
    } else if (-z >= view.flank) {
        value = -z;
        across = 0;
        up = -1;
    }
    double error = TOI_HALF_ULP * 32 * (view.axis + fabs(z) + base + height) + TOI_DUST;
    toi_set_turned_sample(sample, value, error, p, view.axis, across, up);
}

static double cone_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    cone_sample(field, p, &sample);
    return sample.value;
}

// As the cylinder's.
static int cone_above(const toi_shape_field *shape, const toi_field_sample *sample,
                      const double centre[3], double radius, toi_minorant *minorants)
{
    cone_view view = view_cone(shape, centre);
    double z = centre[2], reach = toi_raise(2 * radius + 4 * sample->error);
    if (-view.above >= reach && -view.below >= reach && view.flank + z >= reach)
        return toi_tangent(sample, -1, toi_raise(shape->made[ACROSS] / view.axis), minorants);
    if (-view.side >= reach && -z - view.flank >= reach)
        return toi_tangent(sample, -1, 0, minorants);
    return sample->value > 0 && toi_tangent_above(sample, sample->value, minorants);
}

static int cone_bound(const toi_field *field, const toi_field_sample *sample,
                      const double centre[3], double radius, double sign, toi_minorant *minorants,
                      int room)
{
    (void)room;
    if (sign > 0)
        return toi_tangent(sample, 1, 0, minorants);
    return cone_above(toi_shape_of(field), sample, centre, radius, minorants);
}

const toi_field_class toi_cone_class = {
    .kind = "cone", .sample = cone_sample, .value = cone_value, .bound = cone_bound};
