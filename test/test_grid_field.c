// Baked fields: values, bounds, errors and signs against slow twins in long double; the same bytes
// for any number of workers; bytes and files that are opened again, cut off and damaged.

#include "grid_twin.h"
#include "io_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double origin[3] = {0, 0, 0};

// The grids that most tests look at.
typedef struct setting
{
    double scale;
    toi_interpolation interpolation;
    int resolution;
    double band;
    double padding;
} setting;

static const setting settings[] = {
    {1, TOI_TRILINEAR, 20, 0, 0.1},   {1e-6, TOI_TRILINEAR, 13, 0, 0},
    {1e6, TOI_TRILINEAR, 40, 2, 0.2}, {1, TOI_CUBIC, 17, 0, 0.1},
    {1e6, TOI_CUBIC, 30, 1.5, 0},     {1e-6, TOI_TRILINEAR, 50, 0.5, 0.5},
};
enum
{
    SETTINGS = sizeof settings / sizeof *settings
};

static toi_bake_def def_of(const setting *s)
{
    toi_bake_def def = toi_default_bake_def();
    def.resolution = s->resolution;
    def.interpolation = s->interpolation;
    def.band = s->band;
    def.padding = s->padding;
    return def;
}

static solid solid_of(const setting *s)
{
    double at[3] = {3 * s->scale, -s->scale, 0.1 * s->scale};
    return make_bumpy(12, s->scale, at);
}

static toi_grid *grid_of(toi_field *field)
{
    return (toi_grid *)field;
}

// Anywhere about the grid: inside, on nodes and faces of cells, at the border, outside.
static void random_point(toi_random *random, const toi_grid *grid, double point[3])
{
    int kind = (int)toi_random_below(random, 4);
    for (int k = 0; k < 3; ++k) {
        double n = grid->cells[k], u = toi_random_range(random, 0, n);
        if (kind == 1 && toi_random_below(random, 2))
            u = rint(u);
        if (kind == 2)
            u = toi_random_below(random, 2) ? toi_random_range(random, -1, 1)
                                            : n + toi_random_range(random, -1, 1);
        if (kind == 3)
            u = toi_random_range(random, -n, 2 * n);
        point[k] = grid->origin[k] + u * grid->cell;
    }
}

static void in_ball(toi_random *random, const double centre[3], double radius, long double x[3])
{
    double d[3], square = 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = toi_random_range(random, -1, 1);
        if (toi_random_below(random, 4) == 0)
            d[k] = 0;
        square += d[k] * d[k];
    }
    double share = toi_random_below(random, 2) ? 1 : toi_random_unit(random);
    long double length = square > 0 ? radius * share / sqrtl(square) * (1 - 1e-18L) : 0;
    for (int k = 0; k < 3; ++k)
        x[k] = centre[k] + length * d[k];
}

// ---- Values

static void nodes_are_distances(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_field *field = bake(&s, def_of(&settings[i]), NULL);
        const toi_grid *grid = grid_of(field);
        int64_t blocks = (int64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2], near = 0;
        double far = grid->header->far > 0 ? grid->header->far : INFINITY;
        toi_random random = {7};
        for (int64_t n = 0; n < slow_cases(1500); ++n) {
            int64_t index = (int64_t)toi_random_below(&random, (uint64_t)blocks);
            int at[3], node[3] = {(int)(index % grid->blocks[0]),
                                  (int)(index / grid->blocks[0] % grid->blocks[1]),
                                  (int)(index / grid->blocks[0] / grid->blocks[1])};
            long double x[3];
            for (int k = 0; k < 3; ++k) {
                at[k] = (int)toi_random_below(&random, 9);
                x[k] = grid->origin[k] + (long double)grid->cell * (8 * node[k] + at[k]);
            }
            double d = (double)(brute_distance(&s, x) / grid->cell);
            int32_t number = grid->table[index];
            double value = number < 0
                               ? grid->header->far
                               : toi_grid_record(grid, number)[at[0] + 9 * at[1] + 81 * at[2]];
            assert_true(fabs(fabs(value) - fmin(d, far)) <= 0x1p-24 * d + 1e-9);
            near += d < 1;
        }
        assert_true(near > slow_cases(1500) / 200);
        toi_free_field(field);
        free_solid(&s);
    }
}

static void values_keep_their_error(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_field *field = bake(&s, def_of(&settings[i]), NULL);
        const toi_grid *grid = grid_of(field);
        toi_random random = {11};
        for (int64_t n = 0; n < slow_cases(30000); ++n) {
            double p[3];
            random_point(&random, grid, p);
            toi_field_sample sample;
            toi_sample_field(field, p, &sample);
            long double x[3] = {p[0], p[1], p[2]};
            assert_true(fabsl(sample.value - twin_grid_value(grid, x)) <= sample.error);
            assert_true(sample.error < 1e-11 * grid->cell * (1 + fabs(sample.value) / grid->cell));
            assert_true(field->class->value(field, p) == sample.value);
        }
        toi_free_field(field);
        free_solid(&s);
    }
}

// The gradient steers: it should be that of the value.
static void gradients_are_slopes(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_field *field = bake(&s, def_of(&settings[i]), NULL);
        const toi_grid *grid = grid_of(field);
        toi_random random = {13};
        for (int64_t n = 0; n < slow_cases(3000); ++n) {
            double p[3], e = 1e-6 * grid->cell;
            random_point(&random, grid, p);
            for (int k = 0; k < 3; ++k) // away from the faces of cells, where slopes jump
                p[k] =
                    grid->origin[k] + grid->cell * (floor((p[k] - grid->origin[k]) / grid->cell) +
                                                    toi_random_range(&random, 0.1, 0.9));
            toi_field_sample sample;
            toi_sample_field(field, p, &sample);
            for (int k = 0; k < 3; ++k) {
                long double a[3] = {p[0], p[1], p[2]}, b[3] = {p[0], p[1], p[2]};
                a[k] -= e;
                b[k] += e;
                long double slope = (twin_grid_value(grid, b) - twin_grid_value(grid, a)) / (2 * e);
                assert_true(fabsl(slope - sample.gradient[k]) < 1e-4);
            }
        }
        toi_free_field(field);
        free_solid(&s);
    }
}

// ---- Bounds

static void check_bounds(toi_random *random, const toi_field *field, double sign, int64_t *given)
{
    const toi_grid *grid = (const toi_grid *)field;
    double p[3], radius = grid->cell * exp(toi_random_range(random, log(1e-10), log(200)));
    random_point(random, grid, p);
    toi_field_sample sample;
    toi_minorant m[TOI_MINORANTS];
    toi_sample_field(field, p, &sample);
    int count = field->class->bound(field, &sample, p, radius, sign, m, TOI_MINORANTS);
    *given += count;
    for (int i = 0; count && i < 30; ++i) {
        long double x[3], least = INFINITY;
        in_ball(random, p, radius, x);
        for (int j = 0; j < count; ++j)
            least = fminl(least, twin_minorant(&m[j], p, x));
        long double value = sign * twin_grid_value(grid, x);
        if (value < least)
            fail_msg("radius %g cells, sign %g: value %Lg is below the bound %Lg",
                     radius / grid->cell, sign, value, least);
    }
}

static void bounds_are_below(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_field *field = bake(&s, def_of(&settings[i]), NULL);
        toi_random random = {17};
        int64_t given = 0, asked = slow_cases(10000);
        for (int64_t n = 0; n < asked; ++n)
            check_bounds(&random, field, n % 4 ? 1 : -1, &given);
        assert_true(given > asked / 2);
        toi_free_field(field);
        free_solid(&s);
    }
}

// A bound about a point is nearly the value there, and nearly the tangent plane in a small ball.
static void bounds_are_tight(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_field *field = bake(&s, def_of(&settings[i]), NULL);
        const toi_grid *grid = grid_of(field);
        toi_random random = {19};
        for (int64_t n = 0; n < slow_cases(3000); ++n) {
            double p[3];
            random_point(&random, grid, p);
            toi_field_sample sample;
            toi_minorant m[TOI_MINORANTS];
            for (int k = 0; k < 3; ++k)
                p[k] =
                    grid->origin[k] + grid->cell * (floor((p[k] - grid->origin[k]) / grid->cell) +
                                                    toi_random_range(&random, 0.01, 0.99));
            toi_sample_field(field, p, &sample);
            assert_int_equal(field->class->bound(field, &sample, p, 1e-4 * grid->cell, 1, m, 1), 1);
            assert_true(m[0].slope < 0.02 && m[0].curvature == 0);
            assert_true(sample.value - m[0].distance <= 8 * sample.error);
        }
        toi_free_field(field);
        free_solid(&s);
    }
}

// Pairs of points; returns the steepest of those that are not too near for rounding.
static double check_steps(const toi_field *field, int64_t pairs)
{
    const toi_grid *grid = (const toi_grid *)field;
    toi_random random = {23};
    double steepest = 0;
    for (int64_t n = 0; n < pairs; ++n) {
        double p[3];
        long double x[3], y[3], square = 0;
        random_point(&random, grid, p);
        in_ball(&random, p, grid->cell * exp(toi_random_range(&random, -8, 6)), y);
        for (int k = 0; k < 3; ++k) {
            x[k] = p[k];
            square += (x[k] - y[k]) * (x[k] - y[k]);
        }
        long double d = sqrtl(square),
                    change = fabsl(twin_grid_value(grid, x) - twin_grid_value(grid, y));
        long double slack = 1e-15L * grid->cell * grid->cells[0];
        assert_true(change <= field->lipschitz * d + slack);
        assert_true(change <= d + field->step + slack);
        if (d > 1e-6 * grid->cell)
            steepest = fmax(steepest, (double)(change / d));
    }
    return steepest;
}

static void lipschitz_constants_hold(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_field *field = bake(&s, def_of(&settings[i]), NULL);
        double steepest = check_steps(field, slow_cases(50000));
        assert_true(steepest > 0.5 * field->lipschitz || slow_cases(50000) < 50000);
        toi_free_field(field);
        free_solid(&s);
    }
}

// ---- Against the mesh

static void error_bound_holds(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_bake_report report;
        toi_field *field = bake(&s, def_of(&settings[i]), &report);
        const toi_grid *grid = grid_of(field);
        toi_random random = {29};
        double band = settings[i].band > 0 ? settings[i].band * grid->cell : INFINITY;
        for (int64_t n = 0; n < slow_cases(3000); ++n) {
            double p[3];
            random_point(&random, grid, p);
            long double x[3] = {p[0], p[1], p[2]}, d = brute_distance(&s, x);
            double value = field->class->value(field, p);
            bool inside = true;
            for (int k = 0; k < 3; ++k)
                inside &=
                    p[k] > grid->origin[k] && p[k] < grid->origin[k] + grid->cell * grid->cells[k];
            if (inside && d < band)
                assert_true(fabsl(fabs(value) - d) <= report.error);
            assert_true(fabs(value) <= d + report.error); // never more, wherever
        }
        assert_true(report.error == toi_describe_field(field).error);
        assert_true(report.error < (grid->cubic ? 2.5 : 0.88) * grid->cell);
        toi_free_field(field);
        free_solid(&s);
    }
}

static void signs_are_those_of_a_box(void **state)
{
    (void)state;
    double low[3] = {-1, -0.6, -0.37}, high[3] = {1, 0.5, 0.31};
    solid s = make_box(low, high);
    for (int i = 0; i < 6; ++i) {
        toi_bake_def def = toi_default_bake_def();
        toi_bake_report report;
        def.resolution = 31;
        def.interpolation = (toi_interpolation)(i % 2);
        def.band = i / 2 == 1 ? 1 : 0;
        if (i >= 4)
            def.resolution = 40; // the box's sides lie on nodes
        toi_field *field = bake(&s, def, &report);
        toi_random random = {31};
        for (int n = 0; n < 20000; ++n) {
            double p[3], deepest = -INFINITY;
            random_point(&random, grid_of(field), p);
            for (int k = 0; k < 3; ++k)
                deepest = fmax(deepest, fmax(low[k] - p[k], p[k] - high[k]));
            double value = field->class->value(field, p);
            if (fabs(deepest) > report.error)
                assert_true((value < 0) == (deepest < 0));
        }
        assert_int_equal(report.mesh.open_edges, 0);
        assert_true(report.mesh.doubtful == 0);
        assert_true(fabs(report.mesh.volume - 2 * 1.1 * 0.68) < 1e-12);
        toi_free_field(field);
    }
    free_solid(&s);
}

// Inside out there is no inside; with a hole wider than a cell inside and outside are one.
static void unsound_meshes_are_reported(void **state)
{
    (void)state;
    solid s = make_bumpy(16, 1, origin);
    toi_bake_def def = toi_default_bake_def();
    toi_bake_report report;
    def.resolution = 24;
    double middle[3] = {0, 0, 0};
    toi_field *field = bake(&s, def, &report);
    assert_true(field->class->value(field, middle) < -0.5);
    toi_free_field(field);
    for (int64_t i = 0; i < s.face_count; ++i) {
        int32_t kept = s.faces[i][0];
        s.faces[i][0] = s.faces[i][1];
        s.faces[i][1] = kept;
    }
    field = bake(&s, def, &report);
    assert_true(field->class->value(field, middle) > 0.5);
    assert_true(report.mesh.volume < 0 && report.mesh.open_edges == 0);
    toi_free_field(field);
    free_solid(&s);
    s = make_bumpy(16, 1, origin);
    s.face_count -= 150; // the bottom
    field = bake(&s, def, &report);
    assert_true(field->class->value(field, middle) > 0.5);
    assert_true(report.mesh.open_edges > 8 && report.mesh.open_edge[0] >= 0);
    assert_true(report.mesh.doubtful > 0.01 && report.mesh.doubtful < 1);
    double lipschitz = field->lipschitz;
    assert_true(lipschitz < 2); // nothing jumps
    toi_free_field(field);
    free_solid(&s);
}

// A hole much smaller than a cell does not let the outside in.
static void small_holes_are_closed(void **state)
{
    (void)state;
    solid s = make_bumpy(40, 1, origin);
    toi_bake_def def = toi_default_bake_def();
    toi_bake_report report;
    s.face_count -= 1;
    def.resolution = 12;
    toi_field *field = bake(&s, def, &report);
    double middle[3] = {0, 0, 0};
    assert_true(report.mesh.open_edges == 3);
    assert_true(field->class->value(field, middle) < -0.5);
    check_steps(field, slow_cases(20000));
    toi_random random = {43};
    for (int n = 0; n < 2000; ++n) {
        double p[3];
        random_point(&random, grid_of(field), p);
        long double x[3] = {p[0], p[1], p[2]}, d = brute_distance(&s, x);
        assert_true(fabs(field->class->value(field, p)) <= d + report.error);
    }
    toi_free_field(field);
    free_solid(&s);
}

// ---- Bytes

static uint64_t hash_field(const toi_field *field)
{
    const void *bytes;
    int64_t size;
    assert_ok(toi_field_bytes(field, &bytes, &size));
    return toi_hash(bytes, (size_t)size);
}

static void workers_and_simd_change_nothing(void **state)
{
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    for (int i = 0; i < SETTINGS; ++i) {
        solid s = solid_of(&settings[i]);
        toi_bake_def def = def_of(&settings[i]);
        def.workers = 1;
        toi_field *field = bake(&s, def, NULL);
        uint64_t expected = hash_field(field);
        toi_free_field(field);
        for (int workers = 1; workers <= 8; ++workers) {
            if (toi_set_simd(levels[workers % 3]) != TOI_OK)
                continue;
            def.workers = workers;
            field = bake(&s, def, NULL);
            assert_true(hash_field(field) == expected);
            toi_free_field(field);
        }
        assert_ok(toi_set_simd(NULL));
        free_solid(&s);
    }
}

static int released;

static void count_release(void *context)
{
    free(context);
    ++released;
}

// A copy of a field's bytes, aligned.
static void *copy_of(const toi_field *field, int64_t *size)
{
    const void *bytes;
    assert_ok(toi_field_bytes(field, &bytes, size));
    void *copy = aligned_alloc(64, (size_t)*size);
    memcpy(copy, bytes, (size_t)*size);
    return copy;
}

static toi_field *small_field(toi_interpolation interpolation, double band)
{
    solid s = make_bumpy(8, 1, origin);
    toi_bake_def def = toi_default_bake_def();
    def.resolution = 24;
    def.interpolation = interpolation;
    def.band = band;
    toi_field *field = bake(&s, def, NULL);
    free_solid(&s);
    return field;
}

static void bytes_open_again(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        toi_field *field = small_field((toi_interpolation)(i % 2), i / 2), *again, *box;
        int64_t size;
        void *copy = copy_of(field, &size);
        released = 0;
        assert_ok(toi_open_field(copy, size, count_release, copy, &again));
        toi_random random = {37};
        for (int n = 0; n < 1000; ++n) {
            double p[3];
            random_point(&random, grid_of(field), p);
            toi_field_sample a, b;
            toi_sample_field(field, p, &a);
            toi_sample_field(again, p, &b);
            assert_memory_equal(&a, &b, sizeof a);
        }
        assert_true(again->lipschitz == field->lipschitz && again->step == field->step &&
                    again->error == field->error);
        toi_free_field(again);
        assert_int_equal(released, 1);
        toi_free_field(field);
        const void *bytes;
        assert_ok(toi_make_shape(TOI_SHAPE_SPHERE, &(double){1}, 1, &box));
        assert_fails(toi_field_bytes(box, &bytes, &size), TOI_ERROR_ARGUMENT, "baked");
        toi_free_field(box);
    }
}

static void cut_bytes_are_refused(void **state)
{
    (void)state;
    toi_field *field = small_field(TOI_TRILINEAR, 1), *again;
    int64_t size;
    char *copy = copy_of(field, &size);
    for (int64_t length = 0; length < size; length += 1 + length / 7) {
        assert_int_equal(toi_open_field(copy, length, NULL, NULL, &again), TOI_ERROR_FORMAT);
        assert_null(again);
    }
    assert_fails(toi_open_field(copy + 8, size - 8, NULL, NULL, &again), TOI_ERROR_ARGUMENT,
                 "aligned");
    assert_fails(toi_open_field(copy, size - 1, NULL, NULL, &again), TOI_ERROR_FORMAT, "cut off");
    void *damaged = copy_of(field, &size);
    ((char *)damaged)[size / 2] ^= 1;
    released = 0;
    assert_fails(toi_open_field(damaged, size, count_release, damaged, &again), TOI_ERROR_FORMAT,
                 "checksum");
    assert_int_equal(released, 1); // on failure too
    free(copy);
    toi_free_field(field);
}

// With the checksum made right, too: all that bounds rest on is computed again. What opens after a
// change may have other values, but its bounds are valid.
static void changed_bytes_cannot_lie(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        toi_field *field = small_field((toi_interpolation)(i % 2), i / 2);
        int64_t size, refused = 0, tries = slow_cases(60);
        char *original = copy_of(field, &size), *copy = copy_of(field, &size);
        toi_random random = {41};
        for (int64_t n = 0; n < tries; ++n) {
            memcpy(copy, original, (size_t)size);
            int64_t at =
                64 + (int64_t)toi_random_below(&random, n % 2 ? 1000 : (uint64_t)size - 64);
            copy[at] = (char)(copy[at] ^ (1 << toi_random_below(&random, 8)));
            toi_grid_header *header = (toi_grid_header *)copy;
            header->checksum = toi_hash(copy + 64, (size_t)size - 64);
            toi_field *again;
            toi_status status = toi_open_field(copy, size, NULL, NULL, &again);
            refused += status != TOI_OK;
            int64_t given = 0;
            for (int j = 0; status == TOI_OK && j < 20; ++j)
                check_bounds(&random, again, 1, &given);
            toi_free_field(again);
        }
        assert_true(refused > tries / 2);
        free(original);
        free(copy);
        toi_free_field(field);
    }
}

static void files_open_again(void **state)
{
    (void)state;
    toi_field *field = small_field(TOI_CUBIC, 1), *again, *sphere;
    const char *path = path_of("field.toi");
    assert_ok(toi_write_field(path, field));
    assert_ok(toi_read_field(path, &again));
    assert_true(hash_field(field) == hash_field(again));
    assert_ok(toi_write_field(path, field)); // the mapped file keeps its bytes
    assert_true(hash_field(field) == hash_field(again));
    toi_free_field(again);
    write_file(path, "toigrid", 8);
    assert_fails(toi_read_field(path, &again), TOI_ERROR_FORMAT, "field.toi: not a sound");
    assert_null(again);
    write_file(path, "", 0);
    assert_fails(toi_read_field(path, &again), TOI_ERROR_FORMAT, "field.toi: is empty");
    assert_fails(toi_read_field(path_of("none"), &again), TOI_ERROR_FILE, "none");
    assert_fails(toi_read_field(folder, &again), TOI_ERROR_FILE, "not a regular file");
    assert_ok(toi_make_shape(TOI_SHAPE_SPHERE, &(double){1}, 1, &sphere));
    assert_fails(toi_write_field(path, sphere), TOI_ERROR_ARGUMENT, "baked");
    toi_free_field(sphere);
    toi_free_field(field);
}

// ---- The call

typedef struct watch
{
    double last;
    int calls;
    int allowed;
} watch;

static bool watch_progress(void *context, double done)
{
    watch *w = context;
    assert_true(done >= w->last && done <= 1);
    w->last = done;
    return ++w->calls < w->allowed;
}

static void baking_can_be_stopped(void **state)
{
    (void)state;
    solid s = make_bumpy(12, 1, origin);
    toi_bake_def def = toi_default_bake_def();
    watch w = {0, 0, INT32_MAX};
    toi_field *field;
    def.workers = 1;
    def.progress = watch_progress;
    def.progress_context = &w;
    toi_free_field(bake(&s, def, NULL));
    int calls = w.calls;
    assert_true(calls > 100);
    for (int allowed = 1; allowed < calls; allowed += calls / 5) {
        w = (watch){0, 0, allowed};
        assert_fails(toi_bake_field(&def, solid_points(&s), solid_faces(&s), NULL, &field),
                     TOI_ERROR_CANCELLED, "stopped");
        assert_null(field);
    }
    free_solid(&s);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    solid s = make_bumpy(6, 1, origin);
    toi_field *field;
    toi_bake_def good = toi_default_bake_def(), bad[7];
    for (int i = 0; i < 7; ++i)
        bad[i] = good;
    bad[0].resolution = 1;
    bad[1].resolution = 2049;
    bad[2].padding = NAN;
    bad[3].band = -1;
    bad[4].interpolation = (toi_interpolation)2;
    bad[5].workers = -1;
    bad[6].cookie = 0;
    static const char *const words[] = {
        "resolution", "resolution",          "padding", "band", "interpolation",
        "workers",    "toi_default_bake_def"};
    for (int i = 0; i < 7; ++i) {
        assert_fails(toi_bake_field(&bad[i], solid_points(&s), solid_faces(&s), NULL, &field),
                     TOI_ERROR_ARGUMENT, words[i]);
        assert_null(field);
    }
    toi_index_view none = {NULL, 0, 0};
    assert_fails(toi_bake_field(&good, solid_points(&s), none, NULL, &field), TOI_ERROR_DATA,
                 "face");
    for (int64_t i = 0; i < s.point_count; ++i)
        s.points[i][0] += 1e12;
    assert_fails(toi_bake_field(&good, solid_points(&s), solid_faces(&s), NULL, &field),
                 TOI_ERROR_DATA, "origin");
    free_solid(&s);
    assert_string_equal(toi_interpolation_name(TOI_TRILINEAR), "trilinear");
    assert_string_equal(toi_interpolation_name(TOI_CUBIC), "cubic");
    assert_null(toi_interpolation_name(TOI_INTERPOLATION_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_distances),
        cmocka_unit_test(values_keep_their_error),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(bounds_are_below),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(lipschitz_constants_hold),
        cmocka_unit_test(error_bound_holds),
        cmocka_unit_test(signs_are_those_of_a_box),
        cmocka_unit_test(unsound_meshes_are_reported),
        cmocka_unit_test(small_holes_are_closed),
        cmocka_unit_test(workers_and_simd_change_nothing),
        cmocka_unit_test(bytes_open_again),
        cmocka_unit_test(cut_bytes_are_refused),
        cmocka_unit_test(changed_bytes_cannot_lie),
        cmocka_unit_test(files_open_again),
        cmocka_unit_test(baking_can_be_stopped),
        cmocka_unit_test(bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
