// What the headers say of options, results and the filter: defaults, ranges, which method looks at
// which option, what is never looked at, and that no policy makes an answer late.

#include "support.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_pairs(const toi_pair_array *pairs)
{
    return toi_hash(pairs->data, (size_t)pairs->count * sizeof *pairs->data);
}

// Random queries in the unit cube: about one in fourteen touches.
static void random_queries(toi_query *queries, int64_t count, uint64_t seed)
{
    toi_random random = {seed};
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 24; ++k)
            (&queries[i].start[0][0])[k] = toi_random_unit(&random);
}

// ---- Defaults and ranges

static void defaults_are_the_documented_ones(void **state)
{
    (void)state;
    toi_ccd_def ccd = toi_default_ccd_def();
    toi_broad_def broad = toi_default_broad_def();
    toi_narrow_def narrow = toi_default_narrow_def();
    assert_true(narrow.tolerance == 1e-6 && narrow.min_separation == 0 && narrow.t_max == 1);
    assert_int_equal(narrow.max_iterations, 100000);
    assert_true(!narrow.no_zero_time && !narrow.all_roots && narrow.workers == 0);
    assert_null(narrow.device);
    assert_int_equal(toi_narrow_guarantee(narrow.method), TOI_GUARANTEE_EXACT);
    assert_true(broad.method == TOI_BROAD_AUTO && broad.order == TOI_ORDER_CANONICAL);
    assert_true(broad.memory_limit == 0 && !broad.memory && !broad.progress && broad.workers == 0);
    assert_memory_equal(&ccd.narrow.tolerance, &narrow.tolerance, sizeof narrow.tolerance);
    assert_int_equal(ccd.narrow.method, narrow.method);
    assert_true(!ccd.float_boxes && ccd.memory_limit == 0 && ccd.workers == 0 && !ccd.progress);
    assert_true(!ccd.filter.groups && !ccd.filter.may_collide);
    assert_true(ccd.zero_time.relative_separation == 0 && ccd.zero_time.rescale == 0);
}

// Where an option is, what it may be and what not.
typedef struct range
{
    const char *name;
    size_t offset; // of a double in toi_ccd_def
    double good[3], bad[4];
} range;

#define AT(member) offsetof(toi_ccd_def, member)

static const range ranges[] = {
    {"tolerance", AT(narrow.tolerance), {DBL_TRUE_MIN, 1, DBL_MAX}, {0, -1, NAN, INFINITY}},
    {"min_separation", AT(narrow.min_separation), {0, 1, DBL_MAX}, {-1e-300, -1, NAN, INFINITY}},
    {"t_max", AT(narrow.t_max), {0, -0.0, 1}, {-1e-300, 1 + DBL_EPSILON, NAN, INFINITY}},
    {"relative_separation",
     AT(zero_time.relative_separation),
     {0, 0.2, 0.5},
     {-1e-300, 0.5 + DBL_EPSILON, NAN, INFINITY}},
    {"rescale", AT(zero_time.rescale), {0, 0.8, 1 - DBL_EPSILON}, {-1e-300, 1, NAN, INFINITY}},
};

static void expect_refusal(const toi_ccd_def *def, const toi_mesh *mesh, const char *word)
{
    toi_ccd_report report;
    toi_query query = {{{0}}, {{0}}};
    toi_query_result result;
    assert_fails(toi_find_earliest(def, mesh, &report), TOI_ERROR_ARGUMENT, word);
    if (strcmp(word, "relative_separation") != 0 && strcmp(word, "rescale") != 0)
        assert_fails(toi_solve_queries(&def->narrow, TOI_EDGE_EDGE, &query, 1, &result),
                     TOI_ERROR_ARGUMENT, word);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    soup s = make_soup(4, 0.3, 0.3, 41);
    toi_ccd_report report;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        for (int k = 0; k < 3; ++k) {
            toi_ccd_def def = toi_default_ccd_def();
            def.narrow.method = TOI_NARROW_INCLUSION; // which honours all of them
            memcpy((char *)&def + ranges[i].offset, &ranges[i].good[k], sizeof(double));
            assert_ok(toi_find_earliest(&def, &s.mesh, &report));
        }
        for (int k = 0; k < 4; ++k) {
            toi_ccd_def def = toi_default_ccd_def();
            memcpy((char *)&def + ranges[i].offset, &ranges[i].bad[k], sizeof(double));
            expect_refusal(&def, &s.mesh, ranges[i].name);
        }
    }
    static const int counts[] = {0, -1, INT32_MIN};
    for (int i = 0; i < 3; ++i) {
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.max_iterations = counts[i];
        expect_refusal(&def, &s.mesh, "max_iterations");
    }
    static const int methods[] = {-1, TOI_NARROW_COUNT, INT32_MAX};
    for (int i = 0; i < 3; ++i) {
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.method = (toi_narrow_method)methods[i];
        expect_refusal(&def, &s.mesh, "narrow phase");
    }
    free_soup(&s);
}

static void zeroed_definitions_are_refused(void **state)
{
    (void)state;
    soup s = make_soup(4, 0.3, 0.3, 42);
    toi_ccd_report report;
    toi_pair_array pairs = {0};
    toi_ccd_def ccd = {0};
    toi_broad_def broad = {0};
    toi_narrow_def narrow = {0};
    toi_query query = {{{0}}, {{0}}};
    toi_query_result result;
    toi_box box = {{0}, {1, 1, 1}};
    assert_fails(toi_find_earliest(&ccd, &s.mesh, &report), TOI_ERROR_ARGUMENT,
                 "toi_default_ccd_def");
    assert_fails(toi_find_pairs(&broad, (toi_box_view){&box, 1}, &pairs), TOI_ERROR_ARGUMENT,
                 "toi_default_broad_def");
    assert_fails(toi_solve_queries(&narrow, TOI_EDGE_EDGE, &query, 1, &result), TOI_ERROR_ARGUMENT,
                 "toi_default_narrow_def");
    ccd = toi_default_ccd_def();
    ccd.narrow = narrow; // the definition inside, too
    assert_fails(toi_find_earliest(&ccd, &s.mesh, &report), TOI_ERROR_ARGUMENT,
                 "toi_default_narrow_def");
    static const int workers[] = {-1, TOI_MAX_WORKERS + 1};
    for (int i = 0; i < 2; ++i) {
        ccd = toi_default_ccd_def();
        ccd.workers = workers[i];
        assert_fails(toi_find_earliest(&ccd, &s.mesh, &report), TOI_ERROR_ARGUMENT, "workers");
        narrow = toi_default_narrow_def();
        narrow.workers = workers[i];
        assert_fails(toi_solve_queries(&narrow, TOI_EDGE_EDGE, &query, 1, &result),
                     TOI_ERROR_ARGUMENT, "workers");
        assert_fails(toi_sort_pairs(NULL, 0, workers[i]), TOI_ERROR_ARGUMENT, "workers");
    }
    broad = toi_default_broad_def();
    broad.memory_limit = -1;
    assert_fails(toi_find_pairs(&broad, (toi_box_view){&box, 1}, &pairs), TOI_ERROR_ARGUMENT,
                 "negative");
    free_soup(&s);
}

// ---- Queries

enum
{
    COUNT = 1100
};

static toi_query queries[COUNT];
static toi_query_result first[COUNT], second[COUNT];

static void solve(const toi_narrow_def *def, toi_kind kind, toi_query_result *results)
{
    memset(results, 0xa5, COUNT * sizeof *results); // nothing may be left of this
    assert_ok(toi_solve_queries(def, kind, queries, COUNT, results));
}

static bool same_answers(void)
{
    return memcmp(first, second, sizeof first) == 0;
}

static bool has_trait(int method, toi_narrow_trait trait)
{
    return toi_narrow_traits((toi_narrow_method)method) & (unsigned)trait;
}

// The method has the trait and `def` has changed its answers; or it refuses `def` by the option's
// name, and names a method that does not.
static void expect_honoured(const toi_narrow_def *def, int kind, toi_narrow_trait trait,
                            const char *option, const char *another)
{
    if (has_trait((int)def->method, trait)) {
        solve(def, (toi_kind)kind, second);
        // `inclusion-queue` decides all of these without its tolerance.
        if (trait != TOI_NARROW_TRAIT_TOLERANCE || def->method != TOI_NARROW_INCLUSION_QUEUE)
            assert_false(same_answers());
        return;
    }
    char expected[100];
    snprintf(expected, sizeof expected, "%s: the narrow phase %s does not", option,
             toi_narrow_name(def->method));
    assert_fails(toi_solve_queries(def, (toi_kind)kind, queries, COUNT, second), TOI_ERROR_ARGUMENT,
                 expected);
    assert_non_null(strstr(toi_last_message(), another));
    toi_narrow_def fit = toi_fit_narrow_def(def);
    solve(&fit, (toi_kind)kind, second);
    assert_true(same_answers());
}

// Each option changes the answers of the methods that use it; the others refuse it.
static void methods_look_at_their_own_options(void **state)
{
    (void)state;
    random_queries(queries, COUNT, 43);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
            toi_narrow_def plain = toi_default_narrow_def(), def;
            plain.method = (toi_narrow_method)method;
            solve(&plain, (toi_kind)kind, first);
            def = plain;
            def.tolerance = 0.5;
            expect_honoured(&def, kind, TOI_NARROW_TRAIT_TOLERANCE, "tolerance", "inclusion");
            def = plain;
            def.min_separation = 0.05;
            expect_honoured(&def, kind, TOI_NARROW_TRAIT_SEPARATION, "min_separation", "exact");
            def = plain;
            def.max_iterations = 1;
            expect_honoured(&def, kind, TOI_NARROW_TRAIT_BUDGET, "max_iterations", "additive");
            for (int i = 0; i < COUNT; ++i)
                assert_in_range(second[i].iterations, 0,
                                has_trait(method, TOI_NARROW_TRAIT_BUDGET));
            def = plain;
            def.all_roots = true;
            expect_honoured(&def, kind, TOI_NARROW_TRAIT_CONTACTS, "all_roots", "exact");
            for (int i = 0; i < COUNT; ++i) {
                assert_int_equal(first[i].contacts, 0); // not asked for
                assert_true(second[i].state == first[i].state && second[i].time == first[i].time);
            }
            def = plain;
            def.no_zero_time = true;
            if (!has_trait(method, TOI_NARROW_TRAIT_REFINEMENT))
                expect_honoured(&def, kind, TOI_NARROW_TRAIT_REFINEMENT, "no_zero_time",
                                "inclusion");
            else
                assert_ok(toi_solve_queries(&def, (toi_kind)kind, queries, COUNT, second));
        }
}

// The same in the pipeline, of the share of a distance too; and the report names who decided.
static void the_pipeline_refuses_what_is_ignored(void **state)
{
    (void)state;
    soup s = make_soup(30, 0.2, 0.3, 57);
    toi_ccd_report report;
    toi_pair_array pairs = {0};
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.method = (toi_narrow_method)method;
        assert_ok(toi_find_earliest(&def, &s.mesh, &report));
        assert_int_equal(report.decided_by, method);
        bool apart = has_trait(method, TOI_NARROW_TRAIT_SEPARATION);
        def.zero_time.relative_separation = 0.2;
        toi_status status = toi_find_earliest(&def, &s.mesh, &report);
        if (!apart)
            assert_fails(status, TOI_ERROR_ARGUMENT, "relative_separation: the narrow phase");
        def.zero_time.relative_separation = 0;
        def.narrow.min_separation = 0.01;
        status = toi_find_earliest(&def, &s.mesh, &report);
        if (!apart)
            assert_fails(status, TOI_ERROR_ARGUMENT, "min_separation: the narrow phase");
        assert_int_equal(status == TOI_OK, apart);
        def.narrow = toi_fit_narrow_def(&def.narrow);
        assert_ok(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, &report));
        assert_int_equal(report.decided_by, TOI_NARROW_COUNT);
    }
    toi_free_pairs(&pairs);
    free_soup(&s);
}

// Hits have times, places and normals where the traits say so, and zeros elsewhere.
static void methods_find_what_their_traits_say(void **state)
{
    (void)state;
    random_queries(queries, COUNT, 47);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
            toi_narrow_def def = toi_default_narrow_def();
            def.method = (toi_narrow_method)method;
            solve(&def, (toi_kind)kind, first);
            int64_t times = 0, places = 0, normals = 0;
            for (int i = 0; i < COUNT; ++i)
                if (first[i].state != TOI_SEPARATED) {
                    times += first[i].time > 0;
                    places += first[i].u > 0 || first[i].v > 0;
                    normals += first[i].normal[0] != 0;
                }
            assert_int_equal(times > 0, has_trait(method, TOI_NARROW_TRAIT_TIME));
            assert_int_equal(places > 0, has_trait(method, TOI_NARROW_TRAIT_PLACE));
            assert_int_equal(normals > 0, has_trait(method, TOI_NARROW_TRAIT_PLACE));
            assert_true(has_trait(method, TOI_NARROW_TRAIT_BUILT));
        }
}

// What is that close in the Euclidean norm is so in the maximum norm, and not earlier; `inclusion`
// reports more.
static void exact_honours_separations(void **state)
{
    (void)state;
    random_queries(queries, COUNT, 44);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        for (int i = 0; i < 3; ++i) {
            toi_narrow_def def = toi_default_narrow_def();
            def.min_separation = i == 0 ? 1e-9 : 0.05 * i;
            solve(&def, (toi_kind)kind, first);
            def.method = TOI_NARROW_INCLUSION;
            solve(&def, (toi_kind)kind, second);
            int64_t hits[2] = {0};
            for (int n = 0; n < COUNT; ++n) {
                hits[0] += first[n].state == TOI_HIT;
                hits[1] += second[n].state == TOI_HIT;
                assert_true(first[n].state == TOI_SEPARATED || second[n].time <= first[n].time);
            }
            assert_true(hits[0] <= hits[1] && (i == 0 || (0 < hits[0] && hits[0] < hits[1])));
        }
}

static void exact_counts_no_contacts_at_a_distance(void **state)
{
    (void)state;
    toi_narrow_def def = toi_default_narrow_def();
    def.min_separation = 0.1;
    def.all_roots = true;
    random_queries(queries, COUNT, 44);
    assert_int_equal(toi_solve_queries(&def, TOI_VERTEX_FACE, queries, COUNT, first),
                     TOI_ERROR_ARGUMENT);
    assert_non_null(strstr(toi_last_message(), "all_roots"));
}

// Every byte of a result is an answer, or zero.
static void results_are_whole(void **state)
{
    (void)state;
    random_queries(queries, COUNT, 45);
    int64_t hits = 0;
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            toi_narrow_def def = toi_default_narrow_def();
            def.method = (toi_narrow_method)method;
            solve(&def, (toi_kind)kind, first);
            memset(second, 0, sizeof second);
            assert_ok(toi_solve_queries(&def, (toi_kind)kind, queries, COUNT, second));
            assert_true(same_answers());
            for (int i = 0; i < COUNT; ++i) {
                const toi_query_result *r = &first[i];
                assert_true(r->reserved[0] == 0);
                assert_int_equal(r->rung == TOI_RUNG_NONE, method != TOI_NARROW_EXACT);
                assert_true(has_trait(method, TOI_NARROW_TRAIT_BUDGET) || r->iterations == 0);
                hits += r->state == TOI_HIT;
                if (r->state != TOI_SEPARATED)
                    continue;
                assert_true(r->time == INFINITY && r->u == 0 && r->v == 0 && r->contacts == 0);
                assert_true(r->normal[0] == 0 && r->normal[1] == 0 && r->normal[2] == 0);
            }
        }
    assert_true(hits > 1000);
}

// Points that the kind does not name may be anything, even what is no number.
static void unnamed_points_are_not_looked_at(void **state)
{
    (void)state;
    static const double anything[] = {NAN, INFINITY, -INFINITY, DBL_MAX, 0x1p-1074, -3};
    int64_t hits = 0;
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        for (int kind = TOI_POINT_EDGE; kind <= TOI_POINT_POINT; ++kind) {
            random_queries(queries, COUNT, 46);
            for (int i = 0; i < COUNT; i += 2) { // half of them fall on the first corner
                memcpy(queries[i].end[1], queries[i].end[0], sizeof queries[i].end[0]);
                memcpy(queries[i].start[3], queries[i].start[2], sizeof queries[i].start[2]);
            }
            toi_narrow_def def = toi_default_narrow_def();
            def.method = (toi_narrow_method)method;
            solve(&def, (toi_kind)kind, first);
            for (int i = 0; i < COUNT; ++i)
                for (int c = kind == TOI_POINT_EDGE ? 3 : 2; c < 4; ++c)
                    for (int k = 0; k < 3; ++k) {
                        queries[i].start[c][k] = anything[(i + c + k) % 6];
                        queries[i].end[c][k] = anything[(i + 2 * c + k) % 6];
                    }
            solve(&def, (toi_kind)kind, second);
            assert_true(same_answers());
            for (int i = 0; i < COUNT; ++i)
                hits += first[i].state != TOI_SEPARATED;
        }
    assert_true(hits > 1000);
}

static void the_first_bad_coordinate_is_named(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        for (int workers = 1; workers <= 5; workers += 2)
            for (int i = 0; i < 3; ++i) {
                random_queries(queries, COUNT, 47);
                queries[700].end[1][2] = bad[i];
                queries[701].start[0][0] = bad[i];
                queries[1050].start[0][0] = bad[i];
                toi_narrow_def def = toi_default_narrow_def();
                def.workers = workers;
                assert_fails(toi_solve_queries(&def, (toi_kind)kind, queries, COUNT, first),
                             TOI_ERROR_DATA, "query 700: coordinate z of point 1 at t = 1");
            }
}

// ---- Lists

static int by_pair(const void *x, const void *y)
{
    const toi_pair *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static void sorting_agrees_with_qsort(void **state)
{
    (void)state;
    toi_random random = {48};
    static const uint64_t spreads[] = {1, 7, 3000, INT32_MAX};
    for (int64_t count = 0; count <= 100000; count = count * 7 + 1)
        for (int i = 0; i < 4; ++i)
            for (int workers = 0; workers <= 8; workers += 4) {
                size_t bytes = (size_t)(count + 1) * sizeof(toi_pair);
                toi_pair *pairs = malloc(bytes), *twin = malloc(bytes);
                for (int64_t n = 0; n < count; ++n)
                    pairs[n] = twin[n] = (toi_pair){(int32_t)toi_random_below(&random, spreads[i]),
                                                    (int32_t)toi_random_below(&random, spreads[i])};
                assert_ok(toi_sort_pairs(pairs, count, workers));
                qsort(twin, (size_t)count, sizeof *twin, by_pair);
                assert_memory_equal(pairs, twin, (size_t)count * sizeof *twin);
                free(pairs);
                free(twin);
            }
}

static toi_status count_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)pairs;
    assert_in_range(worker, 0, 2);
    assert_in_range(count, 1, 16384);
    *(_Atomic int64_t *)context += count;
    return TOI_OK;
}

static void streams_have_no_order(void **state)
{
    (void)state;
    soup s = make_soup(900, 0.3, 0.2, 49);
    toi_box *boxes = malloc((size_t)s.face_count * sizeof *boxes);
    assert_ok(toi_make_boxes(&s.mesh, TOI_FACE, 0, 1, boxes));
    toi_box_view view = {boxes, s.face_count};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        for (int order = 0; order < 3; ++order) {
            toi_broad_def def = toi_default_broad_def();
            toi_pair_array pairs = {0};
            _Atomic int64_t count = 0;
            def.method = (toi_broad_method)method;
            def.workers = 3;
            assert_ok(toi_find_pairs(&def, view, &pairs));
            def.order = (toi_order)(order == 2 ? 99 : order);
            assert_ok(toi_stream_pairs(&def, view, NULL, count_pairs, &count));
            assert_true(pairs.count > 20000 && count == pairs.count);
            toi_free_pairs(&pairs);
        }
    free(boxes);
    free_soup(&s);
}

// ---- The pipeline

// What the report counts, for each question.
static void reports_count_what_was_asked(void **state)
{
    (void)state;
    soup s = make_soup(400, 0.1, 0.3, 50);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report, earliest;
    toi_impact_array impacts = {0};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    def.narrow.method = TOI_NARROW_INCLUSION;
    def.narrow.max_iterations = 12; // leaves some undecided
    def.count_candidates = true;
    assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, &report));
    int64_t hits[TOI_KIND_COUNT] = {0}, undecided[TOI_KIND_COUNT] = {0};
    for (int64_t i = 0; i < impacts.count; ++i) {
        assert_in_range(impacts.data[i].state, TOI_HIT, TOI_UNDECIDED);
        ++hits[impacts.data[i].kind];
        undecided[impacts.data[i].kind] += impacts.data[i].state == TOI_UNDECIDED;
    }
    assert_memory_equal(report.hits, hits, sizeof hits);
    assert_memory_equal(report.undecided, undecided, sizeof undecided);
    assert_true(hits[0] > 10 && hits[1] > 10 && undecided[0] + undecided[1] > 0);
    assert_true(report.vertices == s.vertex_count && report.edges == s.edge_count &&
                report.faces == s.face_count);
    assert_ok(toi_find_earliest(&def, &s.mesh, &earliest));
    assert_int_equal(earliest.hits[0] + earliest.hits[1], 0);
    assert_int_equal(earliest.state, earliest.earliest.state);
    assert_ok(toi_find_all_candidates(&def, &s.mesh, lists, NULL));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        assert_int_equal(report.candidates[kind], lists[kind].count);
        assert_int_equal(earliest.candidates[kind], lists[kind].count);
        assert_int_equal(report.tested[kind], lists[kind].count);
        toi_free_pairs(&lists[kind]);
    }
    def.count_candidates = false;
    toi_impact_array again = {0};
    assert_ok(toi_find_impacts(&def, &s.mesh, &again, &report));
    assert_int_equal(again.count, impacts.count);
    assert_memory_equal(again.data, impacts.data, (size_t)again.count * sizeof *again.data);
    toi_free_impacts(&again);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        assert_int_equal(report.candidates[kind], -1);
        assert_in_range(report.tested[kind], hits[kind], earliest.candidates[kind] - 1);
    }
    toi_free_impacts(&impacts);
    free_soup(&s);
}

static struct
{
    int64_t made;
} ledger;

static void *count_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    ++ledger.made;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void plain_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

static bool refuse(void *context, double done)
{
    (void)done;
    ++*(int *)context;
    return false;
}

// What the definitions inside say of workers, memory and progress is not looked at.
static void the_pipeline_has_its_own_limits(void **state)
{
    (void)state;
    soup s = make_soup(300, 0.1, 0.3, 55);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array expected = {0}, impacts = {0};
    toi_ccd_report report, first_report;
    int asked = 0;
    assert_ok(toi_find_impacts(&def, &s.mesh, &expected, NULL));
    assert_ok(toi_find_earliest(&def, &s.mesh, &first_report));
    def.broad.workers = def.narrow.workers = -7;
    def.broad.memory_limit = 1;
    def.broad.progress = refuse;
    def.broad.progress_context = &asked;
    assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
    assert_ok(toi_find_earliest(&def, &s.mesh, &report));
    toi_pair_array pairs = {0};
    assert_ok(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL));
    assert_int_equal(asked, 0);
    assert_true(expected.count > 20 && impacts.count == expected.count);
    assert_memory_equal(impacts.data, expected.data, (size_t)impacts.count * sizeof *impacts.data);
    assert_memory_equal(&report.earliest, &first_report.earliest, sizeof report.earliest);
    def.progress = refuse; // its own is
    def.progress_context = &asked;
    assert_int_equal(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL),
                     TOI_ERROR_CANCELLED);
    toi_free_pairs(&pairs);
    toi_free_impacts(&expected);
    toi_free_impacts(&impacts);
    free_soup(&s);
}

// All kinds together: the same lists as one after the other, from fewer allocations.
static void all_kinds_share_their_preparation(void **state)
{
    (void)state;
    soup s = make_soup(900, 0.1, 0.2, 51);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}}, alone[TOI_KIND_COUNT] = {{0}};
    toi_set_hooks(&(toi_hooks){.allocate = count_allocate, .release = plain_release});
    ledger.made = 0;
    assert_ok(toi_find_all_candidates(&def, &s.mesh, lists, NULL));
    int64_t together = ledger.made;
    ledger.made = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        assert_ok(toi_find_candidates(&def, &s.mesh, (toi_kind)kind, &alone[kind], NULL));
    assert_true(together < ledger.made);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        assert_true(alone[kind].count > (kind < TOI_PAIR_KINDS ? 100 : 0) &&
                    hash_pairs(&alone[kind]) == hash_pairs(&lists[kind]));
        for (int64_t i = 0; kind == TOI_EDGE_EDGE && i < alone[kind].count; ++i)
            assert_true(alone[kind].data[i].a < alone[kind].data[i].b);
        toi_free_pairs(&alone[kind]);
        toi_free_pairs(&lists[kind]);
    }
    toi_set_hooks(NULL);
    free_soup(&s);
}

// Edges made in the call, made once, or given with strides: the same impacts.
static void edges_may_be_made_in_the_call(void **state)
{
    (void)state;
    soup s = make_soup(500, 0.1, 0.3, 52);
    toi_edge_array made;
    toi_ccd_def def = toi_default_ccd_def();
    toi_mesh mesh = s.mesh;
    mesh.edges = (toi_index_view){0};
    assert_ok(toi_make_edges(mesh.faces, mesh.edges, s.vertex_count, &made));
    int32_t(*rows)[5] = malloc((size_t)made.count * sizeof *rows);
    for (int64_t i = 0; i < made.count; ++i)
        memcpy(rows[i], made.data[i], sizeof *made.data);
    const toi_index_view views[] = {
        {0}, toi_view_edges(&made), {rows[0], made.count, sizeof *rows}};
    toi_impact_array expected = {0}, impacts = {0};
    for (int i = 0; i < 3; ++i) {
        mesh.edges = views[i];
        toi_impact_array *list = i ? &impacts : &expected;
        assert_ok(toi_find_impacts(&def, &mesh, list, NULL));
        assert_true(list->count > 100 && list->count == expected.count);
        assert_memory_equal(list->data, expected.data, (size_t)list->count * sizeof *list->data);
    }
    toi_free_impacts(&expected);
    toi_free_impacts(&impacts);
    toi_free_edges(&made);
    free(rows);
    free_soup(&s);
}

// A separation that grows with the distance, a second pass: nothing that touches is missed, nothing
// is later than the truth.
static void no_policy_is_late(void **state)
{
    (void)state;
    static const toi_zero_time_policy policies[] = {
        {0},
        {.relative_separation = 0.2},
        {.relative_separation = 0.5},
        {.rescale = 0.8},
        {.relative_separation = 0.2, .rescale = 0.8, .small_time = 0.1},
        {.relative_separation = 0.5, .rescale = 1e-3, .small_time = 1}};
    static const double separations[] = {0, 1e-3};
    soup s = make_soup(120, 0.15, 0.3, 53);
    toi_impact_array truth = {0}, impacts = {0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    assert_ok(toi_find_impacts(&def, &s.mesh, &truth, NULL));
    assert_true(truth.count > 100);
    int64_t rescaled = 0;
    for (int i = 0; i < 12; ++i) {
        def.zero_time = policies[i / 2];
        def.narrow.min_separation = separations[i % 2];
        assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, &report));
        if (i == 0) // zeroed, it does nothing
            assert_memory_equal(impacts.data, truth.data, (size_t)truth.count * sizeof *truth.data);
        rescaled += report.rescaled;
        int64_t next = 0;
        for (int64_t n = 0; n < truth.count; ++n) {
            const toi_impact *t = &truth.data[n];
            while (next < impacts.count &&
                   (impacts.data[next].kind != t->kind || impacts.data[next].a != t->a ||
                    impacts.data[next].b != t->b))
                ++next;
            if (next == impacts.count)
                fail_msg("policy %d misses %s %d-%d", i, toi_kind_name((toi_kind)t->kind), t->a,
                         t->b);
            assert_true(impacts.data[next].time <= t->time);
        }
    }
    assert_true(rescaled > 0);
    toi_free_impacts(&truth);
    toi_free_impacts(&impacts);
    free_soup(&s);
}

// ---- The filter

typedef struct rule
{
    const int32_t *groups;
    _Atomic int64_t asked, forbidden;
} rule;

static bool ask(void *context, int32_t a, int32_t b)
{
    rule *r = context;
    ++r->asked;
    r->forbidden += a == b || (r->groups[a] >= 0 && r->groups[a] == r->groups[b]);
    return (a + b) % 2;
}

static void the_rule_is_asked_only_what_groups_allow(void **state)
{
    (void)state;
    soup s = make_soup(400, 0.15, 0.2, 54);
    int32_t *groups = malloc((size_t)s.vertex_count * sizeof *groups);
    for (int64_t v = 0; v < s.vertex_count; ++v)
        groups[v] = (int32_t)(v / 3 % 4) - 1;
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        rule r = {.groups = groups};
        toi_ccd_def def = toi_default_ccd_def();
        toi_impact_array impacts = {0};
        def.broad.method = (toi_broad_method)method;
        def.workers = 1 + method % 3;
        def.filter = (toi_filter){groups, s.vertex_count, ask, &r};
        assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
        assert_true(r.asked > 1000 && impacts.count > 0);
        assert_int_equal(r.forbidden, 0);
        toi_free_impacts(&impacts);
    }
    free(groups);
    free_soup(&s);
}

// ---- Random numbers

// SplitMix64 as its authors print it, beside what the header has.
static uint64_t split_mix(uint64_t *x)
{
    *x += 0x9e3779b97f4a7c15u;
    uint64_t z = *x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void random_numbers_are_in_range(void **state)
{
    (void)state;
    toi_random random = {1234567};
    assert_true(toi_random_bits(&random) == 6457827717110365317u); // known from other languages
    assert_true(toi_random_bits(&random) == 3203168211198807973u);
    uint64_t seeds[] = {0, 1, 42, UINT64_MAX};
    for (int i = 0; i < 4; ++i) {
        toi_random a = {seeds[i]};
        uint64_t x = seeds[i];
        double least = 1, most = 0;
        for (int n = 0; n < 100000; ++n) {
            uint64_t bits = split_mix(&x);
            double unit = toi_random_unit(&a);
            assert_true(unit >= 0 && unit < 1 && unit == (double)(bits >> 11) * 0x1p-53);
            double scaled = unit * 0x1p53; // a multiple of 2^-53
            assert_true(scaled == floor(scaled));
            least = fmin(least, unit);
            most = fmax(most, unit);
            split_mix(&x);
            double between = toi_random_range(&a, -3, 5);
            assert_true(between >= -3 && between < 5);
            split_mix(&x);
            between = toi_random_range(&a, 1, 1 + DBL_EPSILON); // nothing in between
            assert_true(between == 1 || between == 1 + DBL_EPSILON);
            uint64_t below = 1 + (uint64_t)n;
            assert_true(toi_random_below(&a, below) == split_mix(&x) % below);
        }
        assert_true(least < 1e-3 && most > 1 - 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(zeroed_definitions_are_refused),
        cmocka_unit_test(methods_look_at_their_own_options),
        cmocka_unit_test(the_pipeline_refuses_what_is_ignored),
        cmocka_unit_test(methods_find_what_their_traits_say),
        cmocka_unit_test(exact_honours_separations),
        cmocka_unit_test(exact_counts_no_contacts_at_a_distance),
        cmocka_unit_test(results_are_whole),
        cmocka_unit_test(unnamed_points_are_not_looked_at),
        cmocka_unit_test(the_first_bad_coordinate_is_named),
        cmocka_unit_test(sorting_agrees_with_qsort),
        cmocka_unit_test(streams_have_no_order),
        cmocka_unit_test(reports_count_what_was_asked),
        cmocka_unit_test(the_pipeline_has_its_own_limits),
        cmocka_unit_test(all_kinds_share_their_preparation),
        cmocka_unit_test(edges_may_be_made_in_the_call),
        cmocka_unit_test(no_policy_is_late),
        cmocka_unit_test(the_rule_is_asked_only_what_groups_allow),
        cmocka_unit_test(random_numbers_are_in_range),
    };
    return cmocka_run_group_tests_name("contract_options", tests, NULL, NULL);
}
