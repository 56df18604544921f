// Spikes: the solid z <= 0 with a cone at every (i, j) of a square grid. The cones go on below
// z = 0, where the solid is anyway; so the field is the least of z and the cones' distances.

#include "sdf/shapes/shape.h"

// What is made of the numbers (spacing, height, base radius).
enum
{
    ACROSS,     // the flank's outward unit normal: its part away from the axis,
    UP,         // and along z
    PER_SPACING // 1 / spacing
};

toi_status toi_prepare_spikes(toi_shape_field *shape)
{
    double spacing = shape->numbers[0], height = shape->numbers[1], base = shape->numbers[2];
    if (base > spacing / 2)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "spikes: number 3, the base radius, is %g; use at most half the spacing "
                        "of %g",
                        base, spacing);
    double length = toi_length(height, base, 0);
    shape->made[ACROSS] = height / length;
    shape->made[UP] = base / length;
    shape->made[PER_SPACING] = 1 / spacing;
    return TOI_OK;
}

// From here on doubles are farther apart than half a row.
#define LAST_ROW 0x1p52

// The row or column of the grid nearest to a coordinate; beyond the last row, any is as good.
static inline double nearest_row(const toi_shape_field *shape, double x)
{
    double row = x * shape->made[PER_SPACING];
    return fabs(row) < LAST_ROW ? rint(row) : copysign(LAST_ROW, row);
}

// By how much the computed place of a row's cones may be off, along x and y together.
static inline double row_error(const toi_shape_field *shape, const double p[3])
{
    return TOI_HALF_ULP * 6 * (fabs(p[0]) + fabs(p[1]) + shape->numbers[0]);
}

// One cone's distance; own[0] is the distance from its axis, own[1] how far the point is beyond the
// end of the flank, the tip (negative: beside the flank).
static inline void cone_sample(const toi_shape_field *shape, const double p[3], double column,
                               double row, double place_error, toi_field_sample *sample)
{
    double x = p[0] - column * shape->numbers[0], y = p[1] - row * shape->numbers[0];
    if (fabs(column) >= LAST_ROW)
        x = 0;
    if (fabs(row) >= LAST_ROW)
        y = 0;
    double across = shape->made[ACROSS], up = shape->made[UP];
    double axis = toi_length(x, y, 0), z = p[2] - shape->numbers[1];
    double beyond = z * across - axis * up, value = axis * across + z * up;
    if (beyond > 0) {
        value = toi_length(axis, z, 0);
        double by = value > TOI_NOTHING ? 1 / value : 0;
        across = axis * by;
        up = by > 0 ? z * by : 1;
    }
    double error = place_error + TOI_HALF_ULP * 28 * (axis + fabs(z)) + TOI_DUST;
    toi_set_turned_sample(sample, value, error, (double[3]){x, y, 0}, axis, across, up);
    sample->own[0] = axis;
    sample->own[1] = beyond;
}

// own[0]: 0 for the plane, 1 for the nearest cone.
static inline void spikes_sample(const toi_field *field, const double p[3],
                                 toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    cone_sample(shape, p, nearest_row(shape, p[0]), nearest_row(shape, p[1]), row_error(shape, p),
                sample);
    bool plane = p[2] < sample->value;
    if (plane)
        toi_set_sample(sample, p[2], sample->error, 0, 0, 1);
    sample->own[0] = plane ? 0 : 1;
}

static double spikes_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    spikes_sample(field, p, &sample);
    return sample.value;
}

// The solid z <= height holds all spikes.
static int slab_bound(const toi_shape_field *shape, const double centre[3], toi_minorant *minorants)
{
    *minorants =
        (toi_minorant){.distance = toi_lower(centre[2] - shape->numbers[1]), .normal = {0, 0, 1}};
    return 1;
}

// The rows whose cones are nearest to some point within `radius` of a coordinate.
static inline void row_range(const toi_shape_field *shape, double x, double radius, double range[2])
{
    double reach = toi_raise(radius) + TOI_HALF_ULP * 16 * (fabs(x) + shape->numbers[0]);
    range[0] = nearest_row(shape, toi_lower(x - reach));
    range[1] = nearest_row(shape, x + reach);
}

// The plane and the cones that can be nearest in the ball.
static int spikes_below(const toi_shape_field *shape, const toi_field_sample *sample,
                        const double centre[3], double radius, toi_minorant *minorants, int room)
{
    double columns[2], rows[2];
    row_range(shape, centre[0], radius, columns);
    row_range(shape, centre[1], radius, rows);
    bool known = fabs(columns[0]) < LAST_ROW && fabs(columns[1]) < LAST_ROW &&
                 fabs(rows[0]) < LAST_ROW && fabs(rows[1]) < LAST_ROW;
    if (!known || (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1) >= room)
        return slab_bound(shape, centre, minorants);
    // Distances change by at most the radius: what is farther than this at the centre is never
    // least.
    double most = toi_upper(sample->value + toi_raise(2 * (radius + sample->error)));
    int count = 0;
    if (centre[2] <= most)
        minorants[count++] = (toi_minorant){.distance = centre[2], .normal = {0, 0, 1}};
    // Often there is only the cone that was sampled.
    if (sample->own[0] == 1 && columns[0] == columns[1] && rows[0] == rows[1])
        return toi_tangent(sample, 1, 0, minorants + count) ? count + 1
                                                            : slab_bound(shape, centre, minorants);
    double place_error = row_error(shape, centre);
    int across = (int)(columns[1] - columns[0]) + 1, along = (int)(rows[1] - rows[0]) + 1;
    for (int i = 0; i < across; ++i)
        for (int j = 0; j < along; ++j) {
            toi_field_sample cone;
            cone_sample(shape, centre, columns[0] + i, rows[0] + j, place_error, &cone);
            if (cone.value - cone.error > most)
                continue;
            if (!toi_tangent(&cone, 1, 0, minorants + count))
                return slab_bound(shape, centre, minorants);
            ++count;
        }
    return count;
}

// -phi is at least -z, and at least the negative distance of any cone: the nearest at the centre.
static int spikes_above(const toi_shape_field *shape, const toi_field_sample *sample,
                        const double centre[3], double radius, toi_minorant *minorants)
{
    if (sample->own[0] == 0)
        return toi_tangent(sample, -1, 0, minorants);
    toi_field_sample cone;
    cone_sample(shape, centre, nearest_row(shape, centre[0]), nearest_row(shape, centre[1]),
                row_error(shape, centre), &cone);
    // Beside the flank the distance bends as the distance from the axis does.
    if (toi_raise(radius + 2 * cone.error) <= -cone.own[1])
        return toi_tangent(&cone, -1, toi_raise(shape->made[ACROSS] / cone.own[0]), minorants);
    return cone.value > 0 && toi_tangent_above(&cone, cone.value, minorants);
}

static int spikes_bound(const toi_field *field, const toi_field_sample *sample,
                        const double centre[3], double radius, double sign, toi_minorant *minorants,
                        int room)
{
    const toi_shape_field *shape = toi_shape_of(field);
    if (sign < 0)
        return spikes_above(shape, sample, centre, radius, minorants);
    return spikes_below(shape, sample, centre, radius, minorants, room);
}

const toi_field_class toi_spikes_class = {
    .kind = "spikes", .sample = spikes_sample, .value = spikes_value, .bound = spikes_bound};
