// Candidates on a device, the host's side, with a backend that needs no card: lists and streams are
// the processor's whatever the order that pairs come in, positions are sent once, filters and
// limits hold, and failures leave a scene usable.

#include "fake_device.h"
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool even_sum(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a + b) % 2 == 0;
}

static toi_status ask_pairs(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                            toi_pair_array *lists)
{
    return scene ? toi_scene_find_all_candidates(scene, def, mesh->start, mesh->end, lists, NULL)
                 : toi_find_all_candidates(def, mesh, lists, NULL);
}

static void free_lists(toi_pair_array lists[TOI_KIND_COUNT])
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}

static int64_t same_pairs(const toi_pair_array *found, const toi_pair_array *expected)
{
    int64_t count = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        assert_int_equal(found[kind].count, expected[kind].count);
        count += found[kind].count;
        if (found[kind].count > 0)
            assert_memory_equal(found[kind].data, expected[kind].data,
                                (size_t)found[kind].count * sizeof *found[kind].data);
    }
    return count;
}

// Lists of all kinds, in canonical order and in that of the device; returns how many pairs.
static int64_t compare_pairs(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_ccd_def with = *def, without = *def;
    toi_pair_array lists[TOI_KIND_COUNT] = {0}, others[TOI_KIND_COUNT] = {0};
    without.device = NULL;
    assert_ok(ask_pairs(scene, &without, mesh, others));
    assert_ok(ask_pairs(scene, &with, mesh, lists));
    int64_t count = same_pairs(lists, others);
    with.broad.order = TOI_ORDER_OWN;
    assert_ok(ask_pairs(scene, &with, mesh, lists));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        assert_ok(toi_sort_pairs(lists[kind].data, lists[kind].count, 1));
    same_pairs(lists, others);
    free_lists(lists);
    free_lists(others);
    return count;
}

static void candidates_are_the_processors(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    soup s = make_soup(60, 0.4, 0.4, 9);
    int32_t *groups = calloc((size_t)s.vertex_count, sizeof *groups);
    for (int64_t i = 0; i < s.vertex_count; ++i)
        groups[i] = (int32_t)(i * 5 / s.vertex_count) - 1;
    int64_t counts[8];
    for (int i = 0; i < 8; ++i) {
        toi_filter filter = {.may_collide = i & 1 ? even_sum : NULL};
        if (i & 2)
            filter.groups = groups, filter.group_count = s.vertex_count;
        toi_ccd_def def = on_device(device);
        def.workers = 1 + i % 3;
        def.narrow.min_separation = i & 4 ? 0.1 : 0;
        def.float_boxes = i & 4;
        def.broad.method = i & 1 ? TOI_BROAD_STQ : TOI_BROAD_AUTO;
        toi_scene *scene;
        assert_ok(make_scene_of(&s.mesh, &filter, &scene));
        int64_t sent = knobs->sent;
        counts[i] = compare_pairs(scene, &def, &s.mesh);
        assert_int_equal(knobs->sent, sent + 2); // once a call, for both kinds
        def.filter = filter;
        assert_int_equal(compare_pairs(NULL, &def, &s.mesh), counts[i]);
        toi_free_scene(scene);
    }
    assert_true(counts[3] < counts[2] && counts[2] < counts[0] && counts[0] < counts[4]);
    assert_true(counts[3] > FAKE_PART);
    free(groups);
    free_soup(&s);
    toi_close_device(device);
}

// By inclusion-queue a device finds candidates and solves them; loose points, filters' functions
// and the earliest are the host's.
static void queues_are_the_processors(void **state)
{
    (void)state;
    if (!(toi_narrow_traits(TOI_NARROW_INCLUSION_QUEUE) & TOI_NARROW_TRAIT_BUILT))
        skip(); // the methods of the literature were left out
    toi_device *device = open_fake();
    bool brief = getenv("TOI_SANITIZED"); // it takes and returns much memory for a queue
    soup s = make_soup(brief ? 30 : 60, 0.4, 0.4, 9);
    toi_impact_array found = {0}, expected = {0};
    for (int i = 0; i < 8; i += brief ? 7 : 1) { // 0, 7: each choice both ways
        toi_ccd_def def = on_device(device), without = toi_default_ccd_def();
        toi_ccd_report reports[2];
        def.narrow.method = without.narrow.method = TOI_NARROW_INCLUSION_QUEUE;
        def.narrow.min_separation = without.narrow.min_separation = i & 1 ? 0.05 : 0;
        def.filter.may_collide = without.filter.may_collide = i & 2 ? even_sum : NULL;
        def.narrow.t_max = without.narrow.t_max = i & 4 ? 0.5 : 1;
        assert_ok(toi_find_impacts(&without, &s.mesh, &expected, &reports[0]));
        assert_ok(toi_find_impacts(&def, &s.mesh, &found, &reports[1]));
        same_lists(found.data, found.count, expected.data, expected.count);
        assert_memory_equal(reports[1].hits, reports[0].hits, sizeof reports[0].hits);
        assert_true(expected.count > (brief ? 5 : 50));
        assert_true(reports[1].candidates[TOI_EDGE_EDGE] > FAKE_PART);
        assert_ok(toi_find_earliest(&without, &s.mesh, &reports[0]));
        assert_ok(toi_find_earliest(&def, &s.mesh, &reports[1]));
        assert_memory_equal(&reports[1].earliest, &reports[0].earliest, sizeof(toi_impact));
    }
    toi_free_impacts(&expected);
    toi_free_impacts(&found);
    free_soup(&s);
    toi_close_device(device);
}

typedef struct counting
{
    int64_t count, most;
} counting;

static toi_status count_some(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    counting *c = context;
    (void)worker;
    assert_true(pairs[0].a >= 0);
    c->count += count;
    return c->count > c->most ? TOI_ERROR_CANCELLED : TOI_OK;
}

static void streams_of_candidates_end_as_their_sinks(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    soup s = make_soup(80, 0.4, 0.4, 9);
    toi_ccd_def def = on_device(device);
    toi_scene *scene;
    toi_ccd_report report;
    toi_pair_array pairs = {0};
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    toi_point_view start = s.mesh.start, to = s.mesh.end;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        counting c = {0, INT64_MAX};
        assert_ok(toi_scene_find_candidates(scene, &def, start, to, (toi_kind)kind, &pairs, NULL));
        assert_ok(toi_scene_stream_candidates(scene, &def, start, to, (toi_kind)kind, count_some,
                                              &c, &report));
        assert_int_equal(c.count, pairs.count);
        assert_int_equal(report.candidates[kind], pairs.count);
        assert_true(pairs.count > FAKE_PART || kind >= TOI_PAIR_KINDS);
        c = (counting){0, FAKE_PART / 2};
        if (pairs.count > c.most)
            assert_int_equal(toi_scene_stream_candidates(scene, &def, start, to, (toi_kind)kind,
                                                         count_some, &c, NULL),
                             TOI_ERROR_CANCELLED);
        compare_pairs(scene, &def, &s.mesh);
    }
    knobs->find_pairs = TOI_ERROR_MEMORY;
    assert_fails(toi_scene_find_candidates(scene, &def, start, to, TOI_EDGE_EDGE, &pairs, NULL),
                 TOI_ERROR_MEMORY, "finding pairs has failed");
    assert_int_equal(pairs.count, 0);
    knobs->find_pairs = TOI_OK;
    compare_pairs(scene, &def, &s.mesh);
    double good = s.end[7][2];
    s.end[7][2] = NAN;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        assert_fails(
            toi_scene_find_candidates(scene, &def, start, to, (toi_kind)kind, &pairs, NULL),
            TOI_ERROR_DATA, "vertex 7: coordinate z at t = 1");
    s.end[7][2] = good;
    compare_pairs(scene, &def, &s.mesh);
    toi_free_pairs(&pairs);
    toi_free_scene(scene);
    free_soup(&s);
    toi_close_device(device);
}

// Near a limit of the host's memory lists are counted first, and in the least there is no room for
// them: then that is said.
static void lists_of_candidates_keep_the_limit(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    soup s = make_soup(80, 0.4, 0.4, 9);
    toi_ccd_def def = on_device(device), without = toi_default_ccd_def();
    toi_pair_array lists[TOI_KIND_COUNT] = {0}, others[TOI_KIND_COUNT] = {0};
    toi_ccd_report report;
    assert_ok(toi_find_all_candidates(&without, &s.mesh, others, NULL));
    assert_ok(toi_find_all_candidates(&def, &s.mesh, lists, &report));
    int64_t enough = report.peak_bytes, fitted = 0, refused = 0;
    for (int64_t limit = enough; limit > enough / 8; limit -= enough / 37) {
        def.memory_limit = limit;
        toi_status status = toi_find_all_candidates(&def, &s.mesh, lists, &report);
        if (status != TOI_OK && status != TOI_ERROR_LIMIT)
            fail_msg("limit %lld: %s", (long long)limit, toi_last_message());
        if (status == TOI_OK) {
            same_pairs(lists, others);
            assert_true(report.peak_bytes <= limit);
        }
        *(status == TOI_OK ? &fitted : &refused) += 1;
    }
    assert_true(fitted > 1 && refused > 0);
    free_lists(lists);
    free_lists(others);
    free_soup(&s);
    toi_close_device(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(candidates_are_the_processors, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(queues_are_the_processors, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(streams_of_candidates_end_as_their_sinks, begin_fake,
                                        end_fake),
        cmocka_unit_test_setup_teardown(lists_of_candidates_keep_the_limit, begin_fake, end_fake),
    };
    return cmocka_run_group_tests_name("device_pairs", tests, find_fake, NULL);
}
