// The table of shapes, and the making of one.

#include "base/fp_mode.h"
#include "base/memory.h"
#include "sdf/shapes/shape.h"

// `negative` numbers may be anything finite; the others are positive.
static const struct
{
    const char *name;
    int numbers;
    bool negative;
    const toi_field_class *class;
    toi_prepare_shape_fn *prepare;
} shapes[TOI_SHAPE_COUNT] = {
    [TOI_SHAPE_SPHERE] = {"sphere", 1, false, &toi_sphere_class, NULL},
    [TOI_SHAPE_BOX] = {"box", 3, false, &toi_box_class, NULL},
    [TOI_SHAPE_ROUNDED_BOX] = {"rounded-box", 4, false, &toi_rounded_box_class,
                               toi_prepare_rounded_box},
    [TOI_SHAPE_CAPSULE] = {"capsule", 2, false, &toi_capsule_class, NULL},
    [TOI_SHAPE_CYLINDER] = {"cylinder", 2, false, &toi_cylinder_class, NULL},
    [TOI_SHAPE_CONE] = {"cone", 2, false, &toi_cone_class, toi_prepare_cone},
    [TOI_SHAPE_PLANE] = {"plane", 4, true, &toi_plane_class, toi_prepare_plane},
    [TOI_SHAPE_TORUS] = {"torus", 2, false, &toi_torus_class, NULL},
    [TOI_SHAPE_SPIKES] = {"spikes", 3, false, &toi_spikes_class, toi_prepare_spikes},
    [TOI_SHAPE_GYROID] = {"gyroid", 2, false, &toi_gyroid_class, toi_prepare_gyroid},
};

const char *toi_shape_name(toi_shape shape)
{
    return (unsigned)shape < TOI_SHAPE_COUNT ? shapes[shape].name : NULL;
}

int toi_shape_numbers(toi_shape shape)
{
    return (unsigned)shape < TOI_SHAPE_COUNT ? shapes[shape].numbers : 0;
}

static toi_status check_numbers(toi_shape shape, const double *numbers, int count)
{
    if ((unsigned)shape >= TOI_SHAPE_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "unknown shape %d; there are %d", (int)shape,
                        TOI_SHAPE_COUNT);
    if (count != shapes[shape].numbers || !numbers)
        return toi_fail(TOI_ERROR_ARGUMENT, "%s takes %d numbers, not %d", shapes[shape].name,
                        shapes[shape].numbers, numbers ? count : 0);
    for (int i = 0; i < count; ++i)
        if (!isfinite(numbers[i]) || (!shapes[shape].negative && numbers[i] <= 0))
            return toi_fail(TOI_ERROR_ARGUMENT, "%s: number %d is %g; use a %s one",
                            shapes[shape].name, i + 1, numbers[i],
                            shapes[shape].negative ? "finite" : "positive, finite");
    return TOI_OK;
}

toi_status toi_make_shape(toi_shape shape, const double *numbers, int count, toi_field **field)
{
    TOI_GUARD_FP;
    if (!field)
        return toi_fail(TOI_ERROR_ARGUMENT, "no place for the field (NULL)");
    *field = NULL;
    toi_status status = check_numbers(shape, numbers, count);
    if (status != TOI_OK)
        return status;
    toi_shape_field *made =
        (toi_shape_field *)toi_new_field(shapes[shape].class, sizeof(toi_shape_field));
    if (!made)
        return TOI_ERROR_MEMORY;
    made->base.lipschitz = 1;
    for (int i = 0; i < count; ++i)
        made->numbers[i] = numbers[i];
    if (shapes[shape].prepare && (status = shapes[shape].prepare(made)) != TOI_OK) {
        toi_free_field(&made->base);
        return status;
    }
    *field = &made->base;
    return TOI_OK;
}
