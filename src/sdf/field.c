// The base of all fields: holding and freeing them, values at many points, bounds, what is known.

#include "sdf/field.h"

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/mesh.h"
#include "sdf/rounding.h"

#include <math.h>
#include <string.h>

double toi_long_length(double x, double y, double z)
{
    double largest = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    if (!(largest > 0 && largest < INFINITY))
        return fabs(x) + fabs(y) + fabs(z); // zero, infinite, or not a number
    int exponent = ilogb(largest);
    double a = scalbn(x, -exponent), b = scalbn(y, -exponent), c = scalbn(z, -exponent);
    return scalbn(sqrt(a * a + b * b + c * c), exponent);
}

toi_field *toi_new_field(const toi_field_class *class, size_t size)
{
    toi_field *field = toi_take(NULL, 1, size);
    if (!field)
        return NULL;
    memset(field, 0, size);
    field->class = class;
    field->floor[0] = field->floor[1] = -INFINITY;
    atomic_init(&field->references, 1);
    return field;
}

toi_field *toi_hold_field(toi_field *field)
{
    atomic_fetch_add_explicit(&field->references, 1, memory_order_relaxed);
    return field;
}

void toi_free_field(toi_field *field)
{
    if (!field || atomic_fetch_sub_explicit(&field->references, 1, memory_order_acq_rel) != 1)
        return;
    if (field->class->release)
        field->class->release(field);
    toi_give_back(field);
}

toi_field_facts toi_describe_field(const toi_field *field)
{
    if (!field)
        return (toi_field_facts){.kind = "none"};
    return (toi_field_facts){field->class->kind, field->lipschitz, field->error};
}

toi_status toi_check_field(const toi_field *field)
{
    return field ? TOI_OK : toi_fail(TOI_ERROR_ARGUMENT, "no field (NULL)");
}

// ---------------------------------------------------------------------------------------------
// Values

typedef struct evaluation
{
    const toi_field *field;
    toi_point_view points;
    double *values;
    double *gradients; // or NULL
} evaluation;

static toi_status evaluate_point(const evaluation *all, int64_t i)
{
    double point[3];
    toi_load_point(&all->points, i, point);
    for (int k = 0; k < 3; ++k)
        if (!isfinite(point[k]))
            return toi_fail(TOI_ERROR_DATA, "point %" PRId64 ": coordinate %c is %g", i, "xyz"[k],
                            point[k]);
    if (all->gradients) {
        toi_field_sample sample;
        toi_sample_field(all->field, point, &sample);
        all->values[i] = sample.value;
        memcpy(all->gradients + 3 * i, sample.gradient, sizeof sample.gradient);
    } else {
        all->values[i] = all->field->class->value(all->field, point);
    }
    if (isnan(all->values[i]))
        return toi_fail(TOI_ERROR_DATA,
                        "the field's value at point %" PRId64 " (%g, %g, %g) is not a number", i,
                        point[0], point[1], point[2]);
    return TOI_OK;
}

static toi_status evaluate_piece(void *context, int64_t first, int64_t end)
{
    const evaluation *all = context;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i)
        status = evaluate_point(all, i);
    return status;
}

static toi_status check_evaluation(const evaluation *all)
{
    toi_status status = toi_check_field(all->field);
    if (status == TOI_OK)
        status = toi_check_count(all->points.count, "points");
    if (status != TOI_OK)
        return status;
    if (all->points.count > 0 && (!all->points.data || !all->values))
        return toi_fail(TOI_ERROR_ARGUMENT, "no %s for %" PRId64 " points",
                        all->points.data ? "room for values" : "coordinates", all->points.count);
    if (all->points.scalar != TOI_DOUBLE && all->points.scalar != TOI_FLOAT)
        return toi_fail(TOI_ERROR_ARGUMENT, "points: unknown scalar type %d",
                        (int)all->points.scalar);
    return TOI_OK;
}

toi_status toi_evaluate_field(const toi_field *field, toi_point_view points, int workers,
                              double *values, double *gradients)
{
    TOI_GUARD_FP;
    evaluation all = {field, points, values, gradients};
    toi_status status = check_evaluation(&all);
    if (status == TOI_OK)
        status = toi_resolve_workers(workers, &workers);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, points.count, TOI_PIECE / 8, evaluate_piece, &all);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Bounds

static toi_status check_ball(const double centre[3], double radius)
{
    for (int k = 0; k < 3; ++k)
        if (!isfinite(centre[k]))
            return toi_fail(TOI_ERROR_ARGUMENT, "the centre's coordinate %c is %g", "xyz"[k],
                            centre[k]);
    if (!(radius >= 0 && radius < INFINITY))
        return toi_fail(TOI_ERROR_ARGUMENT, "the radius is %g; use 0 or more, finite", radius);
    return TOI_OK;
}

// Apart from the caller of the guard: the radius comes in a register.
static TOI_APART toi_status bound_ball(const toi_field *field, const double centre[3],
                                       double radius, toi_minorant *minorants, int *count)
{
    toi_status status = check_ball(centre, radius);
    if (status != TOI_OK)
        return status;
    toi_field_sample sample;
    toi_sample_field(field, centre, &sample);
    if (isnan(sample.value))
        return toi_fail(TOI_ERROR_DATA, "the field's value at (%g, %g, %g) is not a number",
                        centre[0], centre[1], centre[2]);
    int written = field->class->bound(field, &sample, centre, radius, 1, minorants, TOI_MINORANTS);
    if (written < 0)
        return toi_fail(TOI_ERROR_DATA,
                        "a caller's bounds at (%g, %g, %g) are none: more than %d, a number that "
                        "is NaN, a curvature or slope below 0, or above the value there",
                        centre[0], centre[1], centre[2], TOI_MINORANTS);
    *count = written;
    return TOI_OK;
}

toi_status toi_bound_field(const toi_field *field, const double centre[3], double radius,
                           toi_minorant minorants[TOI_MINORANTS], int *count)
{
    TOI_GUARD_FP;
    if (count)
        *count = 0;
    toi_status status = toi_check_field(field);
    if (status != TOI_OK)
        return status;
    if (!centre || !minorants || !count)
        return toi_fail(TOI_ERROR_ARGUMENT, "no %s (NULL)",
                        !centre      ? "centre"
                        : !minorants ? "room for minorants"
                                     : "room for their count");
    return bound_ball(field, centre, radius, minorants, count);
}
