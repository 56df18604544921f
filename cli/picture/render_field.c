// A field as an eye sees it: all rays step on together by the field's value, which is never more
// than the distance to the surface.

#include "render.h"

#include <string.h>

enum
{
    MOST_STEPS = 160,
    SHADOW_STEPS = 48
};

vec light_direction(void)
{
    return unit((vec){0.35, -0.55, 0.9});
}

toi_status create_image(image *im, int width, int height)
{
    *im = (image){width, height, toi_allocate((size_t)width * (size_t)height * sizeof(colour))};
    return im->pixels ? TOI_OK : TOI_ERROR_MEMORY;
}

void free_image(image *im)
{
    toi_release(im->pixels);
    *im = (image){0};
}

static camera look_at(vec eye, vec target, double width, double height, double opening)
{
    camera c = {.eye = eye, .forward = unit(minus(target, eye))};
    c.right = unit(cross(c.forward, (vec){0.0, 0.0, 1.0}));
    c.up = cross(c.right, c.forward);
    c.scale = 0.5 * height / opening;
    c.shift_x = 0.5 * width;
    c.shift_y = 0.5 * height;
    c.near = 1e-9;
    return c;
}

// Through the middle of a pixel.
static vec ray_of(const camera *c, int x, int y)
{
    vec ray = plus(c->forward, (x + 0.5 - c->shift_x) / c->scale, c->right);
    return unit(plus(ray, -(y + 0.5 - c->shift_y) / c->scale, c->up));
}

static toi_status take_memory(field_view *f)
{
    size_t count = (size_t)f->width * (size_t)f->height;
    f->depth = toi_allocate(count * sizeof *f->depth);
    f->points = toi_allocate(count * sizeof *f->points);
    f->normals = toi_allocate(count * sizeof *f->normals);
    f->lit = toi_allocate(count * sizeof *f->lit);
    f->open = toi_allocate(count * sizeof *f->open);
    f->values = toi_allocate(count * sizeof *f->values);
    f->places = toi_allocate(count * sizeof *f->places);
    f->slopes = toi_allocate(count * sizeof *f->slopes);
    f->active = toi_allocate(count * sizeof *f->active);
    bool all = f->depth && f->points && f->normals && f->lit && f->open && f->values && f->places &&
               f->slopes && f->active;
    return all ? TOI_OK : TOI_ERROR_MEMORY;
}

void free_field_view(field_view *f)
{
    void *all[] = {f->depth,  f->points, f->normals, f->lit,   f->open,
                   f->values, f->places, f->slopes,  f->active};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); ++i)
        toi_release(all[i]);
    *f = (field_view){0};
}

static toi_status evaluate(const field_view *f, int count, bool slopes)
{
    return toi_evaluate_field(f->field, toi_view_points((const double *)f->places, count),
                              f->workers, f->values, slopes ? (double *)f->slopes : NULL);
}

static void put_place(const field_view *f, int i, vec p)
{
    f->places[i][0] = p.x;
    f->places[i][1] = p.y;
    f->places[i][2] = p.z;
}

// Rays that have neither met the surface nor left. Near the surface a ray is taken as there once a
// pixel could not show the rest.
static toi_status step_rays(field_view *f, double lipschitz, int *count)
{
    double far = 6.0 * f->size, pixel = 0.05 / f->view.scale;
    for (int i = 0; i < *count; ++i) {
        int at = f->active[i];
        vec ray = ray_of(&f->view, at % f->width, at / f->width);
        f->points[at] = plus(f->view.eye, f->depth[at], ray);
        put_place(f, i, f->points[at]);
    }
    toi_status status = evaluate(f, *count, false);
    int left = 0;
    for (int i = 0; i < *count && status == TOI_OK; ++i) {
        int at = f->active[i];
        if (f->values[i] < pixel * f->depth[at])
            continue;
        f->depth[at] += f->values[i] / lipschitz;
        if (f->depth[at] > far)
            f->depth[at] = INFINITY;
        else
            f->active[left++] = at;
    }
    *count = left;
    return status;
}

static toi_status trace_rays(field_view *f)
{
    double lipschitz = toi_describe_field(f->field).lipschitz;
    int count = f->width * f->height;
    for (int i = 0; i < count; ++i) {
        f->active[i] = i;
        f->depth[i] = 0.0;
    }
    toi_status status = TOI_OK;
    for (int step = 0; step < MOST_STEPS && count > 0 && status == TOI_OK; ++step)
        status = step_rays(f, lipschitz, &count);
    return status;
}

// The pixels where the surface is seen; returns how many.
static int list_seen(field_view *f)
{
    int count = 0;
    for (int at = 0; at < f->width * f->height; ++at)
        if (isfinite(f->depth[at]))
            f->active[count++] = at;
    return count;
}

static toi_status find_normals(field_view *f, int count)
{
    for (int i = 0; i < count; ++i)
        put_place(f, i, f->points[f->active[i]]);
    toi_status status = evaluate(f, count, true);
    for (int i = 0; i < count && status == TOI_OK; ++i)
        f->normals[f->active[i]] = unit((vec){f->slopes[i][0], f->slopes[i][1], f->slopes[i][2]});
    return status;
}

// A little above the surface an open place is as far from it as it is high.
static toi_status find_crevices(field_view *f, int count)
{
    double height = 0.04 * f->size;
    for (int i = 0; i < count; ++i)
        put_place(f, i, plus(f->points[f->active[i]], height, f->normals[f->active[i]]));
    toi_status status = evaluate(f, count, false);
    for (int i = 0; i < count && status == TOI_OK; ++i)
        f->open[f->active[i]] = (float)fmin(1.0, fmax(0.0, f->values[i] / height));
    return status;
}

// Rays towards the light; the narrowest gap that one passes, against how far away it is, makes the
// edge of a shadow soft. `lit` holds that meanwhile, and `slopes` the way gone.
static toi_status find_shadows(field_view *f, int count)
{
    vec light = light_direction();
    double lipschitz = toi_describe_field(f->field).lipschitz;
    int32_t *rays = f->active;
    double begin = 0.01 * f->size;
    for (int i = 0; i < count; ++i) {
        f->lit[rays[i]] = 1.0f;
        f->slopes[rays[i]][0] = begin;
    }
    toi_status status = TOI_OK;
    for (int step = 0; step < SHADOW_STEPS && count > 0 && status == TOI_OK; ++step) {
        for (int i = 0; i < count; ++i) {
            vec from = plus(f->points[rays[i]], 0.004 * f->size, f->normals[rays[i]]);
            put_place(f, i, plus(from, f->slopes[rays[i]][0], light));
        }
        status = evaluate(f, count, false);
        int left = 0;
        for (int i = 0; i < count && status == TOI_OK; ++i) {
            int at = rays[i];
            double way = f->slopes[at][0], value = f->values[i];
            f->lit[at] = (float)fmax(0.0, fmin(f->lit[at], 14.0 * value / way));
            f->slopes[at][0] += fmax(value / lipschitz, 0.002 * f->size);
            if (f->lit[at] > 0.01f && f->slopes[at][0] < 2.0 * f->size)
                rays[left++] = at;
        }
        count = left;
    }
    return status;
}

toi_status trace_field(const toi_field *field, vec eye, vec target, int width, int height,
                       int workers, field_view *f)
{
    vec away = minus(eye, target);
    *f = (field_view){.field = field, .workers = workers, .width = width, .height = height};
    f->size = 0.5 * sqrt(dot(away, away));
    f->view = look_at(eye, target, width, height, 0.36);
    // The light is far enough away for its rays to be nearly parallel.
    f->light = look_at(plus(target, 20.0 * f->size, light_direction()), target, 1024, 1024, 0.075);
    toi_status status = take_memory(f);
    if (status == TOI_OK)
        status = trace_rays(f);
    int seen = status == TOI_OK ? list_seen(f) : 0;
    if (status == TOI_OK)
        status = find_normals(f, seen);
    if (status == TOI_OK)
        status = find_crevices(f, seen);
    if (status == TOI_OK)
        status = find_shadows(f, seen);
    return status;
}
