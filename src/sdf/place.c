// A field scaled, turned, moved and grown: phi(x) = scale psi(R^T (x - position) / scale) - offset.

#include "base/fp_mode.h"
#include "base/memory.h"
#include "sdf/field.h"
#include "sdf/rounding.h"

#include <math.h>

// Within these the scale and its inverse lose nothing, nor do curvatures overflow.
#define LEAST_SCALE 0x1p-200
#define LARGEST_SCALE 0x1p200

typedef struct placed_field
{
    toi_field base;
    toi_field *inner;
    double scale, inverse, offset;
    double position[3];
    double matrix[9];   // row by row
    double turn_error;  // how far the matrix, applied to a unit vector, may be off
    double point_error; // likewise a point in the field's coordinates, a unit of |x - position|
} placed_field;

toi_placement toi_default_placement(void)
{
    return (toi_placement){.scale = 1, .rotation = {1, 0, 0, 0}};
}

// Where a point is in the field's coordinates; returns by how much it may be off.
static inline double to_inner(const placed_field *placed, const double p[3], double q[3])
{
    const double *m = placed->matrix;
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = p[k] - placed->position[k];
    for (int k = 0; k < 3; ++k)
        q[k] = (m[k] * d[0] + m[3 + k] * d[1] + m[6 + k] * d[2]) * placed->inverse;
    return placed->point_error * (fabs(d[0]) + fabs(d[1]) + fabs(d[2])) * placed->inverse +
           TOI_DUST;
}

static inline void turn(const placed_field *placed, const double v[3], double turned[3])
{
    const double *m = placed->matrix;
    for (int k = 0; k < 3; ++k)
        turned[k] = m[3 * k] * v[0] + m[3 * k + 1] * v[1] + m[3 * k + 2] * v[2];
}

static void placed_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    const placed_field *placed = (const placed_field *)field;
    toi_field_sample one;
    double q[3], off = to_inner(placed, p, q);
    toi_sample_field(placed->inner, q, &one);
    double scaled = placed->scale * one.value;
    sample->value = scaled - placed->offset;
    sample->error = toi_raise(placed->scale * (one.error + placed->base.lipschitz * off) +
                              TOI_HALF_ULP * 2 * (fabs(scaled) + fabs(sample->value)));
    turn(placed, one.gradient, sample->gradient);
}

static double placed_value(const toi_field *field, const double p[3])
{
    const placed_field *placed = (const placed_field *)field;
    double q[3];
    to_inner(placed, p, q);
    return placed->scale * placed->inner->class->value(placed->inner, q) - placed->offset;
}

// A bound in the field's coordinates about a point that is `off` from the true one, put in place.
static void place_bound(const placed_field *placed, double off, double sign, toi_minorant *m)
{
    double size = fabs(m->normal[0]) + fabs(m->normal[1]) + fabs(m->normal[2]), normal[3];
    double bend = m->curvature * off;
    double scaled = placed->scale * m->distance;
    double loss = toi_raise(placed->scale * off * (size + m->slope + bend)) +
                  TOI_HALF_ULP * 4 * fabs(scaled) + TOI_DUST;
    m->distance = toi_lower(toi_lower(scaled - loss) - sign * placed->offset);
    turn(placed, m->normal, normal);
    for (int k = 0; k < 3; ++k)
        m->normal[k] = normal[k];
    m->slope = toi_raise(m->slope + bend + placed->turn_error * size);
    m->curvature = toi_raise(m->curvature * placed->inverse);
}

static int placed_bound(const toi_field *field, const toi_field_sample *sample,
                        const double centre[3], double radius, double sign, toi_minorant *minorants,
                        int room)
{
    (void)sample;
    const placed_field *placed = (const placed_field *)field;
    toi_field_sample one;
    double q[3], off = to_inner(placed, centre, q);
    toi_sample_field(placed->inner, q, &one);
    int count = placed->inner->class->bound(
        placed->inner, &one, q, toi_raise(radius * placed->inverse + off), sign, minorants, room);
    for (int i = 0; i < count; ++i)
        place_bound(placed, off, sign, minorants + i);
    return count;
}

static void placed_release(toi_field *field)
{
    toi_free_field(((placed_field *)field)->inner);
}

static const toi_field_class placed_class = {.kind = "placed",
                                             .sample = placed_sample,
                                             .value = placed_value,
                                             .bound = placed_bound,
                                             .release = placed_release};

// ---------------------------------------------------------------------------------------------
// Making one

static toi_status check_finite(const double *numbers, int count, const char *what)
{
    for (int k = 0; k < count; ++k)
        if (!isfinite(numbers[k]))
            return toi_fail(TOI_ERROR_ARGUMENT, "the placement's %s: number %d is %g", what, k + 1,
                            numbers[k]);
    return TOI_OK;
}

static toi_status check_placement(const toi_placement *placement)
{
    if (!(placement->scale >= LEAST_SCALE && placement->scale <= LARGEST_SCALE))
        return toi_fail(TOI_ERROR_ARGUMENT, "the placement's scale is %g; use %g to %g",
                        placement->scale, LEAST_SCALE, LARGEST_SCALE);
    toi_status status = check_finite(placement->rotation, 4, "rotation");
    if (status == TOI_OK)
        status = check_finite(placement->position, 3, "position");
    if (status == TOI_OK)
        status = check_finite(&placement->offset, 1, "offset");
    const double *q = placement->rotation;
    if (status == TOI_OK && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the placement's rotation is (0, 0, 0, 0)");
    return status;
}

// The matrix of a quaternion of any length; its entries are off by 24 half ulps at most.
static void fill_matrix(const double rotation[4], double m[9])
{
    double largest = 0, q[4], square = 0;
    for (int k = 0; k < 4; ++k)
        largest = fmax(largest, fabs(rotation[k]));
    for (int k = 0; k < 4; ++k) {
        q[k] = scalbn(rotation[k], -ilogb(largest));
        square += q[k] * q[k];
    }
    double length = sqrt(square);
    double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
    m[0] = 1 - 2 * (y * y + z * z), m[1] = 2 * (x * y - w * z), m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z), m[4] = 1 - 2 * (x * x + z * z), m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y), m[7] = 2 * (y * z + w * x), m[8] = 1 - 2 * (x * x + y * y);
}

static void fill_placed(placed_field *placed, const toi_placement *placement)
{
    const double *q = placement->rotation;
    bool turned = q[1] != 0 || q[2] != 0 || q[3] != 0;
    fill_matrix(q, placed->matrix);
    placed->scale = placement->scale;
    placed->inverse = 1 / placement->scale;
    placed->offset = placement->offset;
    for (int k = 0; k < 3; ++k)
        placed->position[k] = placement->position[k];
    placed->turn_error = turned ? 80 * TOI_HALF_ULP : 0;
    placed->point_error = (turned ? 84 : 4) * TOI_HALF_ULP;
}

// A floor of 0 stays exact, so that a margin of 0 is not below it.
static double place_floor(double floor, double scale, double offset)
{
    return floor == 0 ? offset : floor == -INFINITY ? floor : toi_upper(scale * floor + offset);
}

toi_status toi_place_field(toi_field *field, const toi_placement *placement, toi_field **placed)
{
    TOI_GUARD_FP;
    if (!placed)
        return toi_fail(TOI_ERROR_ARGUMENT, "no place for the field (NULL)");
    *placed = NULL;
    toi_status status = toi_check_field(field);
    if (status != TOI_OK)
        return status;
    if (!placement)
        return toi_fail(TOI_ERROR_ARGUMENT, "no placement (NULL)");
    status = check_placement(placement);
    if (status != TOI_OK)
        return status;
    if (field->depth >= TOI_FIELD_DEPTH)
        return toi_fail(TOI_ERROR_LIMIT, "the field is made of others %d deep; at most %d",
                        field->depth + 1, TOI_FIELD_DEPTH);
    placed_field *made = (placed_field *)toi_new_field(&placed_class, sizeof *made);
    if (!made)
        return TOI_ERROR_MEMORY;
    fill_placed(made, placement);
    made->inner = toi_hold_field(field);
    made->base.lipschitz = field->lipschitz;
    made->base.step = field->step * placement->scale;
    made->base.error = field->error * placement->scale;
    made->base.floor[0] = place_floor(field->floor[0], placement->scale, -placement->offset);
    made->base.floor[1] = place_floor(field->floor[1], placement->scale, placement->offset);
    made->base.depth = field->depth + 1;
    made->base.user = field->user;
    *placed = &made->base;
    return TOI_OK;
}
