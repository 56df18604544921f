// A field of the caller's own functions. What they return is checked, not trusted.

#include "base/fp_mode.h"
#include "base/memory.h"
#include "sdf/field.h"

#include <math.h>
#include <string.h>

typedef struct user_field
{
    toi_field base;
    toi_field_def def;
} user_field;

static void user_sample(const toi_field *field, const double p[3], toi_field_sample *sample)
{
    const toi_field_def *def = &((const user_field *)field)->def;
    memset(sample, 0, sizeof *sample);
    sample->value = def->value(def->context, p, sample->gradient);
    sample->error = def->error;
}

static double user_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    user_sample(field, p, &sample);
    return sample.value;
}

static bool is_bound(const toi_minorant *m)
{
    bool number = isfinite(m->distance);
    for (int k = 0; k < 3; ++k)
        number = number && isfinite(m->normal[k]);
    return number && m->curvature >= 0 && m->curvature < INFINITY && m->slope >= 0 &&
           m->slope < INFINITY;
}

// phi is at least the least of the bounds, at the centre as well.
static bool contradicts(const toi_minorant *minorants, int count, const toi_field_sample *sample)
{
    double least = INFINITY, value = sample->value + sample->error;
    for (int i = 0; i < count; ++i)
        least = fmin(least, minorants[i].distance);
    return count > 0 && least > value + 0x1p-50 * fabs(value);
}

// Of -phi nothing is known but the Lipschitz constant. Bounds cannot be left out, so that too many
// for the room are as good as none.
static int user_bound(const toi_field *field, const toi_field_sample *sample,
                      const double centre[3], double radius, double sign, toi_minorant *minorants,
                      int room)
{
    const toi_field_def *def = &((const user_field *)field)->def;
    if (!def->bounds || sign < 0)
        return 0;
    toi_minorant all[TOI_MINORANTS];
    int count = def->bounds(def->context, centre, radius, all);
    if (count < 0 || count > TOI_MINORANTS)
        return -1;
    for (int i = 0; i < count; ++i)
        if (!is_bound(&all[i]))
            return -1;
    if (contradicts(all, count, sample))
        return -1;
    if (count > room)
        return 0;
    memcpy(minorants, all, (size_t)count * sizeof *all);
    return count;
}

static const toi_field_class user_class = {
    .kind = "user", .sample = user_sample, .value = user_value, .bound = user_bound};

static toi_status check_def(const toi_field_def *def)
{
    if (!def || !def->value)
        return toi_fail(TOI_ERROR_ARGUMENT, "%s (NULL)",
                        def ? "the definition has no function `value`" : "no definition");
    if (!(def->lipschitz > 0 && def->lipschitz < INFINITY))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the Lipschitz constant is %g; use a positive, finite one", def->lipschitz);
    if (!(def->error >= 0 && def->error < INFINITY))
        return toi_fail(TOI_ERROR_ARGUMENT, "the error of the values is %g; use 0 or more, finite",
                        def->error);
    return TOI_OK;
}

toi_status toi_make_field(const toi_field_def *def, toi_field **field)
{
    TOI_GUARD_FP;
    if (!field)
        return toi_fail(TOI_ERROR_ARGUMENT, "no place for the field (NULL)");
    *field = NULL;
    toi_status status = check_def(def);
    if (status != TOI_OK)
        return status;
    user_field *made = (user_field *)toi_new_field(&user_class, sizeof *made);
    if (!made)
        return TOI_ERROR_MEMORY;
    made->def = *def;
    made->base.lipschitz = def->lipschitz;
    made->base.user = true;
    *field = &made->base;
    return TOI_OK;
}
