// The functions of ccd.h in every floating-point mode.

#include "modes.h"

#include "modes_calls.h"

#include <stdatomic.h>
#include <stdlib.h>

static bool go_on(void *context, double done)
{
    (void)context;
    (void)done;
    check_own_mode();
    return true;
}

static bool always(void *context, int32_t a, int32_t b)
{
    (void)context;
    check_own_mode();
    return a != b;
}

static void in_turn(void *user, int workers, int64_t count, toi_task_fn *task, void *context)
{
    (void)user;
    (void)workers;
    check_own_mode();
    for (int64_t i = 0; i < count; ++i)
        task(context, i, 0);
}

static void keep_report(const toi_ccd_report *report)
{
    keep(&report->state, sizeof report->state);
    keep(&report->earliest, sizeof report->earliest);
    keep(report->hits, sizeof report->hits);
    if (report->seconds_total < 0 || report->seconds_total > 3600)
        keep("time runs backwards", 19);
}

static toi_status add_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    for (int64_t i = 0; i < count; ++i)
        atomic_fetch_add((_Atomic uint64_t *)context, toi_hash(&pairs[i], sizeof pairs[i]));
    return TOI_OK;
}

static void ask_all(const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    toi_status status;
    double *steps = calloc((size_t)(4 * mesh->start.count), sizeof *steps);
    double *positions = steps + mesh->start.count;
    IN_MODE(status = toi_find_earliest(def, mesh, &report));
    assert_int_equal(status, TOI_OK);
    keep_report(&report);
    IN_MODE(status = toi_find_impacts(def, mesh, &impacts, &report));
    assert_int_equal(status, TOI_OK);
    assert_true(impacts.count > 0);
    keep(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    keep_report(&report);
    IN_MODE(status = toi_find_safe_steps(def, mesh, steps, &report));
    assert_int_equal(status, TOI_OK);
    keep(steps, (size_t)mesh->start.count * sizeof *steps);
    IN_MODE(status = toi_move_points(mesh, steps, positions));
    assert_int_equal(status, TOI_OK);
    keep(positions, (size_t)(3 * mesh->start.count) * sizeof *positions);
    IN_MODE(status = toi_find_all_candidates(def, mesh, lists, NULL));
    assert_int_equal(status, TOI_OK);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        keep(lists[kind].data, (size_t)lists[kind].count * sizeof *lists[kind].data);
        IN_MODE(status = toi_find_candidates(def, mesh, (toi_kind)kind, &lists[kind], &report));
        keep(lists[kind].data, (size_t)lists[kind].count * sizeof *lists[kind].data);
        for (int64_t i = 0; i < lists[kind].count; i += 10) {
            toi_query query;
            IN_MODE(query = toi_gather_query(mesh, (toi_kind)kind, lists[kind].data[i]));
            keep(&query, sizeof query);
        }
        _Atomic uint64_t sum = 0;
        IN_MODE(status =
                    toi_stream_candidates(def, mesh, (toi_kind)kind, add_pairs, &sum, &report));
        assert_int_equal(status, TOI_OK);
        keep((const void *)&sum, sizeof sum);
        IN_MODE(toi_free_pairs(&lists[kind]));
    }
    IN_MODE(toi_free_impacts(&impacts));
    free(steps);
}

// The coordinates as floats, small enough to be denormal ones.
static toi_mesh as_floats(const soup *s, float *numbers)
{
    toi_mesh mesh = s->mesh;
    for (int64_t i = 0; i < 3 * s->vertex_count; ++i) {
        numbers[i] = (float)(s->start[i / 3][i % 3] * 0x1p-130);
        numbers[3 * s->vertex_count + i] = (float)(s->end[i / 3][i % 3] * 0x1p-130);
    }
    mesh.start = (toi_point_view){numbers, s->vertex_count, 0, TOI_FLOAT};
    mesh.end = (toi_point_view){numbers + 3 * s->vertex_count, s->vertex_count, 0, TOI_FLOAT};
    return mesh;
}

void call_pipeline(void)
{
    soup s = make_soup(25, 0.25, 0.4, 6);
    float *numbers = calloc((size_t)(6 * s.vertex_count), sizeof *numbers);
    toi_mesh floats = as_floats(&s, numbers);
    toi_ccd_def def;
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        IN_MODE(def = toi_default_ccd_def());
        def.narrow.method = (toi_narrow_method)method;
        def.narrow.max_iterations = 300;
        def.narrow = toi_fit_narrow_def(&def.narrow);
        def.broad.method = (toi_broad_method)(method % TOI_BROAD_COUNT);
        def.workers = 1 + method % 2;
        def.filter.may_collide = always;
        def.progress = go_on;
        ask_all(&def, &s.mesh);
        if (method == TOI_NARROW_INCLUSION)
            toi_set_hooks(&(toi_hooks){.parallel_for = in_turn});
        bool apart = toi_narrow_traits(def.narrow.method) & TOI_NARROW_TRAIT_SEPARATION;
        def.narrow.min_separation = apart ? 0.003 : 0;
        def.float_boxes = true;
        IN_MODE(def.zero_time = toi_solver_policy());
        if (!apart)
            def.zero_time.relative_separation = 0;
        ask_all(&def, &s.mesh);
        toi_set_hooks(NULL);
    }
    def = toi_default_ccd_def();
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        def.broad.method = (toi_broad_method)method;
        ask_all(&def, &floats);
    }
    def.narrow.t_max = 1.23456789;
    toi_ccd_report report;
    toi_status status;
    IN_MODE(status = toi_find_earliest(&def, &floats, &report));
    assert_int_equal(status, TOI_ERROR_ARGUMENT);
    keep_message();
    free(numbers);
    free_soup(&s);
}
