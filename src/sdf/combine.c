// Union, intersection and difference of fields. All three are outer * min(inner_i * phi_i) with
// signs outer and inner: the least of all, minus the least of the negatives, and the latter with
// the first alone negated.

#include "base/fp_mode.h"
#include "base/memory.h"
#include "sdf/field.h"
#include "sdf/rounding.h"

#include <math.h>

static const struct
{
    const char *name;
    double outer, first, others;
} combinations[TOI_COMBINE_COUNT] = {
    [TOI_COMBINE_UNION] = {"union", 1, 1, 1},
    [TOI_COMBINE_INTERSECTION] = {"intersection", -1, -1, -1},
    [TOI_COMBINE_DIFFERENCE] = {"difference", -1, -1, 1},
};

const char *toi_combination_name(toi_combination combination)
{
    return (unsigned)combination < TOI_COMBINE_COUNT ? combinations[combination].name : NULL;
}

typedef struct combined_field
{
    toi_field base;
    double outer, first, others; // signs
    int count;
    toi_field *fields[];
} combined_field;

static inline double inner(const combined_field *all, int i)
{
    return i == 0 ? all->first : all->others;
}

// own[0]: the least of all is at most this; own[1]: which field is the least.
static void combined_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    const combined_field *all = (const combined_field *)field;
    double least = INFINITY, low = INFINITY, high = INFINITY;
    bool none = false; // some value is not a number
    for (int i = 0; i < all->count; ++i) {
        toi_field_sample one;
        toi_sample_field(all->fields[i], p, &one);
        double sign = inner(all, i), value = sign * one.value;
        none |= isnan(value);
        low = fmin(low, toi_lower(value - one.error));
        high = fmin(high, value + one.error);
        if (value < least || i == 0) {
            least = value;
            for (int k = 0; k < 3; ++k)
                sample->gradient[k] = all->outer * sign * one.gradient[k];
            sample->own[1] = i;
        }
    }
    sample->value = none ? NAN : all->outer * least;
    sample->own[0] = toi_upper(high); // the true least is between low and this
    sample->error = toi_raise(fmax(least - low, sample->own[0] - least));
}

static double combined_value(const toi_field *field, const double p[3])
{
    const combined_field *all = (const combined_field *)field;
    double least = INFINITY;
    bool none = false;
    for (int i = 0; i < all->count; ++i) {
        double value = inner(all, i) * all->fields[i]->class->value(all->fields[i], p);
        none |= isnan(value);
        if (value < least || i == 0)
            least = value;
    }
    return none ? NAN : all->outer * least;
}

// One bound for every field that has no better one, or for which there is no room.
static void add_plain(toi_minorant *plain, double distance, double lipschitz)
{
    plain->distance = fmin(plain->distance, isnan(distance) ? -INFINITY : distance);
    plain->slope = fmax(plain->slope, lipschitz);
}

// Bounds of one field of several, of which the last place is kept for `plain`.
static int add_bounds(const toi_field *field, const toi_field_sample *sample,
                      const double centre[3], double radius, double sign, toi_minorant *minorants,
                      int room, toi_minorant *plain)
{
    int written = 0;
    if (room > 0)
        written = field->class->bound(field, sample, centre, radius, sign, minorants, room);
    if (written == 0)
        add_plain(plain, toi_lower(sign * sample->value - sample->error), field->lipschitz);
    return written;
}

// The least of fields with signs, in a ball: all their bounds, without those of fields that are
// above what the least can be.
static int bound_least(const combined_field *all, const toi_field_sample *sample,
                       const double centre[3], double radius, toi_minorant *minorants, int room)
{
    double most = toi_upper(sample->own[0] + toi_raise(all->base.lipschitz * radius));
    toi_minorant plain = {.distance = INFINITY};
    int count = 0;
    for (int i = 0; i < all->count; ++i) {
        const toi_field *field = all->fields[i];
        toi_field_sample one;
        toi_sample_field(field, centre, &one);
        double value = inner(all, i) * one.value;
        double nearest = toi_lower(value - toi_raise(one.error + field->lipschitz * radius));
        if (nearest > most)
            continue;
        int written = add_bounds(field, &one, centre, radius, inner(all, i), minorants + count,
                                 room - 1 - count, &plain);
        if (written < 0)
            return -1;
        count += written;
    }
    if (plain.slope == 0)
        return count;
    minorants[count] = plain;
    return count > 0 && isfinite(plain.distance) ? count + 1 : 0;
}

// The greatest of fields with signs is at least any of them: that which is greatest at the centre.
static int bound_greatest(const combined_field *all, const toi_field_sample *sample,
                          const double centre[3], double radius, toi_minorant *minorants, int room)
{
    int i = (int)sample->own[1];
    const toi_field *field = all->fields[i];
    toi_field_sample one;
    toi_sample_field(field, centre, &one);
    return field->class->bound(field, &one, centre, radius, -inner(all, i), minorants, room);
}

static int combined_bound(const toi_field *field, const toi_field_sample *sample,
                          const double centre[3], double radius, double sign,
                          toi_minorant *minorants, int room)
{
    const combined_field *all = (const combined_field *)field;
    if (sign * all->outer > 0)
        return bound_least(all, sample, centre, radius, minorants, room);
    return bound_greatest(all, sample, centre, radius, minorants, room);
}

static void combined_release(toi_field *field)
{
    combined_field *all = (combined_field *)field;
    for (int i = 0; i < all->count; ++i)
        toi_free_field(all->fields[i]);
}

// The same functions by three names.
#define COMBINED_FUNCTIONS                                                                         \
    .sample = combined_sample, .value = combined_value, .bound = combined_bound,                   \
    .release = combined_release
static const toi_field_class classes[TOI_COMBINE_COUNT] = {
    [TOI_COMBINE_UNION] = {.kind = "union", COMBINED_FUNCTIONS},
    [TOI_COMBINE_INTERSECTION] = {.kind = "intersection", COMBINED_FUNCTIONS},
    [TOI_COMBINE_DIFFERENCE] = {.kind = "difference", COMBINED_FUNCTIONS},
};

static toi_status check_fields(toi_combination combination, toi_field *const *fields, int count)
{
    if ((unsigned)combination >= TOI_COMBINE_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "unknown combination %d; there are %d",
                        (int)combination, TOI_COMBINE_COUNT);
    if (count < 1 || !fields)
        return toi_fail(TOI_ERROR_ARGUMENT, "%s of %d fields; give 1 or more",
                        combinations[combination].name, fields ? count : 0);
    for (int i = 0; i < count; ++i) {
        if (!fields[i])
            return toi_fail(TOI_ERROR_ARGUMENT, "%s: field %d is NULL",
                            combinations[combination].name, i);
        if (fields[i]->depth >= TOI_FIELD_DEPTH)
            return toi_fail(TOI_ERROR_LIMIT, "%s: field %d is made of others %d deep; at most %d",
                            combinations[combination].name, i, fields[i]->depth + 1,
                            TOI_FIELD_DEPTH);
    }
    return TOI_OK;
}

// What is known of the least or greatest of several, with one more of them, which has this sign.
static void join_facts(toi_field *all, const toi_field *one, double sign)
{
    for (int k = 0; k < 2; ++k)
        all->floor[k] = fmax(all->floor[k], one->floor[sign > 0 ? k : 1 - k]);
    // A step says nothing more than a Lipschitz constant of 1.
    bool both = (all->lipschitz <= 1 || all->step > 0) && (one->lipschitz <= 1 || one->step > 0);
    all->step = both ? fmax(all->step, one->step) : 0;
    all->lipschitz = fmax(all->lipschitz, one->lipschitz);
    all->error = fmax(all->error, one->error);
    all->depth = all->depth > one->depth ? all->depth : one->depth + 1;
    all->user |= one->user;
}

toi_status toi_combine_fields(toi_combination combination, toi_field *const *fields, int count,
                              toi_field **field)
{
    TOI_GUARD_FP;
    if (!field)
        return toi_fail(TOI_ERROR_ARGUMENT, "no place for the field (NULL)");
    *field = NULL;
    toi_status status = check_fields(combination, fields, count);
    if (status != TOI_OK)
        return status;
    combined_field *all = (combined_field *)toi_new_field(
        &classes[combination], sizeof(combined_field) + (size_t)count * sizeof(toi_field *));
    if (!all)
        return TOI_ERROR_MEMORY;
    all->outer = combinations[combination].outer;
    all->first = combinations[combination].first;
    all->others = combinations[combination].others;
    all->count = count;
    for (int i = 0; i < count; ++i) {
        all->fields[i] = toi_hold_field(fields[i]);
        join_facts(&all->base, fields[i], all->outer * inner(all, i));
    }
    *field = &all->base;
    return TOI_OK;
}
