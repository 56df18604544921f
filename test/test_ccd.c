// The pipeline: its three questions agree with each other and with the stages run by hand, whatever
// the filter, the memory, the workers, the precision of the input.

#include "support.h"

#include "narrow/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// A vertex falls on a triangle from height 1 at unit speed 2: contact at t = 1/2.
static const double drop_start[4][3] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const double drop_end[4][3] = {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const int32_t drop_faces[1][3] = {{1, 2, 3}};

static toi_mesh drop(void)
{
    return toi_make_mesh(drop_start[0], drop_end[0], 4, drop_faces[0], 1);
}

static uint64_t hash_impacts(const toi_impact_array *impacts)
{
    return toi_hash(impacts->data, (size_t)impacts->count * sizeof *impacts->data);
}

static void a_falling_vertex_hits(void **state)
{
    (void)state;
    toi_mesh mesh = drop();
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.state, TOI_HIT);
    assert_true(report.earliest.time <= 0.5 && report.earliest.time > 0.5 - 1e-9);
    assert_int_equal(report.earliest.kind, TOI_VERTEX_FACE);
    assert_int_equal(report.earliest.a, 0);
    assert_int_equal(report.earliest.b, 0);
    assert_true(fabs(report.earliest.u - 0.25) < 1e-6 && fabs(report.earliest.v - 0.25) < 1e-6);
    // From the face towards the vertex: up.
    assert_true(fabs(report.earliest.normal[2] - 1) < 1e-12);
    assert_int_equal(report.vertices, 4);
    assert_int_equal(report.edges, 3);
    double steps[4];
    assert_ok(toi_find_safe_steps(&def, &mesh, steps, NULL));
    for (int v = 0; v < 4; ++v) // short of contact
        assert_true(steps[v] == report.earliest.time * (1 - 0x1p-40));
}

static void a_free_step_is_free(void **state)
{
    (void)state;
    toi_mesh mesh = drop();
    double end[4][3];
    memcpy(end, drop_end, sizeof end);
    end[0][2] = 0.5;
    mesh.end.data = end;
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    double steps[4];
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
    assert_true(isinf(report.earliest.time));
    assert_ok(toi_find_safe_steps(&def, &mesh, steps, &report));
    for (int v = 0; v < 4; ++v)
        assert_true(steps[v] == 1);
    // A separation of 0.6 is reached on the way down from 1 to 0.5, at t = 0.8.
    def.narrow.min_separation = 0.6;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.earliest.time <= 0.8 && report.earliest.time > 0.8 - 1e-5);
}

// Nobody has looked beyond t_max, so no vertex may go further.
static void steps_end_where_the_search_ends(void **state)
{
    (void)state;
    toi_mesh mesh = drop();
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    double steps[4];
    static const double limits[] = {0.25, 0.0, -0.0, 0x1p-1074, 0.5, 0.75, 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        def.narrow.t_max = limits[i];
        assert_ok(toi_find_safe_steps(&def, &mesh, steps, &report));
        assert_int_equal(report.state, limits[i] < 0.5 ? TOI_SEPARATED : TOI_HIT);
        double expected = limits[i] < 0.5 ? limits[i] : 0.5 * (1 - 0x1p-40);
        for (int v = 0; v < 4; ++v)
            assert_true(steps[v] == expected && !signbit(steps[v]));
    }
}

// A point follows a face that falls on a spike. Neither touches the other on the way that is asked
// about; but if the face stopped at the spike and the point did not, they would.
static void own_steps_are_another_motion(void **state)
{
    (void)state;
    static const double start[5][3] = {
        {0, 0, 1}, {4, 0, 1}, {0, 4, 1}, {1, 1, 1.5}, {1.5, 1, 0.75}};
    static const int32_t faces[1][3] = {{0, 1, 2}};
    double end[5][3], steps[5], moved[5][3];
    memcpy(end, start, sizeof end);
    for (int v = 0; v < 4; ++v)
        end[v][2] -= 1;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 5, faces[0], 1);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    assert_ok(toi_find_safe_steps(&def, &mesh, steps, &report));
    assert_int_equal(report.hits[TOI_VERTEX_FACE], 1);
    assert_true(report.earliest.time == 0.25 && report.checks > 1);
    for (int v = 0; v < 5; ++v)
        assert_true(steps[v] >= 0.25 * (1 - 0x1p-10) && steps[v] < 1);
    assert_true(steps[3] > 0.5); // the point need not stop where the face does
    assert_ok(toi_move_points(&mesh, steps, moved[0]));
    mesh.end.data = moved;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
}

// A list that has room for many is filled in another way than one that has none, and in a third way
// where its room turns out too small. None of them changes a bit.
static void long_lists_are_the_same_again(void **state)
{
    (void)state;
    bool brief = getenv("TOI_SANITIZED"); // seconds for each number of workers there
    soup triangles = make_soup(brief ? 130 : 200, 0.5, 0.3, 7);
    double wide = brief ? 0.7 : 0.3, separations[] = {wide, 0.25, 10, wide};
    for (int workers = 4; workers > (brief ? 3 : 0); --workers) {
        toi_impact_array again = {0};
        toi_ccd_def def = toi_default_ccd_def();
        def.workers = workers;
        int64_t most = 0;
        for (size_t i = 0; i < sizeof separations / sizeof *separations; ++i) {
            toi_impact_array fresh = {0};
            def.narrow.min_separation = separations[i];
            assert_ok(toi_find_impacts(&def, &triangles.mesh, &fresh, NULL));
            assert_ok(toi_find_impacts(&def, &triangles.mesh, &again, NULL));
            assert_int_equal(again.count, fresh.count);
            assert_int_equal(hash_impacts(&again), hash_impacts(&fresh));
            assert_true(i > 0 || fresh.count > 1 << 16); // else the list counts as short
            most = fresh.count > most ? fresh.count : most;
            assert_true(separations[i] < 10 || fresh.count == most);
            toi_free_impacts(&fresh);
        }
        toi_free_impacts(&again);
    }
    free_soup(&triangles);
}

// Whatever makes the call fail, and however early: nothing may move.
static void a_failed_call_grants_no_step(void **state)
{
    (void)state;
    toi_mesh mesh = drop(), broken = mesh;
    toi_ccd_def def = toi_default_ccd_def(), bad[5];
    for (int i = 0; i < 5; ++i)
        bad[i] = def;
    bad[0].cookie = 0;
    bad[1].workers = -1;
    bad[2].memory_limit = 1;
    bad[3].narrow.t_max = 2;
    bad[4].filter = (toi_filter){.groups = drop_faces[0], .group_count = 3};
    for (int i = 0; i < 6; ++i) {
        double steps[4] = {1, 1, 1, 1};
        if (i == 5)
            broken.end.count = 3;
        assert_int_not_equal(
            toi_find_safe_steps(i < 5 ? &bad[i] : &def, i < 5 ? &mesh : &broken, steps, NULL),
            TOI_OK);
        for (int v = 0; v < 4; ++v)
            assert_true(steps[v] == 0);
    }
}

static void empty_meshes_are_fine(void **state)
{
    (void)state;
    toi_mesh mesh = {0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, &report));
    assert_ok(toi_find_safe_steps(&def, &mesh, NULL, &report));
    assert_int_equal(impacts.count, 0);
    toi_free_impacts(&impacts);
}

// The stages by hand: candidates of both kinds, gathered, solved, compared with the pipeline's
// list.
static void the_pipeline_is_its_stages(void **state)
{
    (void)state;
    bool small = getenv("TOI_SANITIZED");
    soup s = make_soup(small ? 300 : 1500, 0.08, 0.2, 21);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    def.count_candidates = true;
    toi_ccd_report report, earliest;
    assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, &report));
    double *steps = malloc((size_t)s.vertex_count * sizeof *steps),
           *slow = malloc((size_t)s.vertex_count * sizeof *slow);
    for (int64_t v = 0; v < s.vertex_count; ++v)
        slow[v] = 1;
    int64_t next = 0;
    toi_impact first = {.time = INFINITY};
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        toi_pair_array pairs = {0};
        assert_ok(toi_find_candidates(&def, &s.mesh, (toi_kind)kind, &pairs, NULL));
        assert_int_equal(pairs.count, report.candidates[kind]);
        for (int64_t i = 0; i < pairs.count; ++i) {
            toi_query query = toi_gather_query(&s.mesh, (toi_kind)kind, pairs.data[i]);
            toi_query_result result;
            assert_ok(toi_solve_queries(&def.narrow, (toi_kind)kind, &query, 1, &result));
            if (result.state == TOI_SEPARATED)
                continue;
            assert_true(next < impacts.count);
            const toi_impact *impact = &impacts.data[next++];
            assert_int_equal(impact->kind, kind);
            assert_int_equal(impact->a, pairs.data[i].a);
            assert_int_equal(impact->b, pairs.data[i].b);
            assert_true(impact->time == result.time && impact->u == result.u);
            if (impact->time < first.time)
                first = *impact;
            int32_t corners[4] = {pairs.data[i].a};
            if (kind == TOI_VERTEX_FACE)
                memcpy(corners + 1, s.faces[pairs.data[i].b], 12);
            else
                memcpy(corners, s.edges.data[pairs.data[i].a], 8),
                    memcpy(corners + 2, s.edges.data[pairs.data[i].b], 8);
            for (int c = 0; c < 4; ++c)
                slow[corners[c]] = fmin(slow[corners[c]], result.time);
        }
        toi_free_pairs(&pairs);
    }
    assert_int_equal(next, impacts.count);
    assert_true(report.hits[0] > (small ? 3 : 100) && report.hits[1] > (small ? 10 : 100));
    assert_int_equal(report.hits[0] + report.hits[1], impacts.count);
    assert_ok(toi_find_earliest(&def, &s.mesh, &earliest));
    assert_memory_equal(&earliest.earliest, &first, sizeof first);
    assert_memory_equal(&report.earliest, &first, sizeof first);
    assert_ok(toi_find_safe_steps(&def, &s.mesh, steps, NULL));
    for (int64_t v = 0; v < s.vertex_count; ++v)
        assert_true(steps[v] <= slow[v] && steps[v] >= first.time * (1 - 0x1p-10));
    free(steps);
    free(slow);
    toi_free_impacts(&impacts);
    free_soup(&s);
}

static bool same_parity(void *context, int32_t a, int32_t b)
{
    (void)context;
    return a / 3 % 2 == b / 3 % 2;
}

static bool allowed(const toi_filter *f, const toi_mesh *mesh, const toi_impact *i)
{
    bool face = i->kind == TOI_VERTEX_FACE;
    const int32_t *a = face ? &i->a : mesh->edges.data + 2 * i->a;
    const int32_t *b = face ? mesh->faces.data + 3 * i->b : mesh->edges.data + 2 * i->b;
    for (int x = 0; x < (face ? 1 : 2); ++x)
        for (int y = 0; y < (face ? 3 : 2); ++y)
            if (!(f->groups && f->groups[a[x]] >= 0 && f->groups[a[x]] == f->groups[b[y]]) &&
                (!f->may_collide || f->may_collide(f->context, a[x], b[y])))
                return true;
    return false;
}

// Filtered lists are the unfiltered lists less what the rule forbids, on every path.
static void the_filter_holds_on_every_path(void **state)
{
    (void)state;
    soup s = make_soup(800, 0.1, 0.2, 22);
    int32_t *groups = malloc((size_t)s.vertex_count * sizeof *groups);
    for (int64_t v = 0; v < s.vertex_count; ++v)
        groups[v] = (int32_t)(v / 3 % 5) - 1;
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array all = {0}, some = {0};
    assert_ok(toi_find_impacts(&def, &s.mesh, &all, NULL));
    const toi_filter filters[] = {{.groups = groups, .group_count = s.vertex_count},
                                  {.may_collide = same_parity},
                                  {groups, s.vertex_count, same_parity, NULL}};
    for (int f = 0; f < 3; ++f) {
        def.filter = filters[f];
        toi_ccd_report report, earliest;
        def.count_candidates = true;
        assert_ok(toi_find_impacts(&def, &s.mesh, &some, &report));
        uint64_t counted = hash_impacts(&some);
        def.count_candidates = false;
        assert_ok(toi_find_impacts(&def, &s.mesh, &some, NULL));
        assert_true(hash_impacts(&some) == counted);
        int64_t kept = 0;
        toi_impact first = {.time = INFINITY};
        for (int64_t i = 0; i < all.count; ++i)
            if (allowed(&filters[f], &s.mesh, &all.data[i])) {
                assert_true(kept < some.count);
                assert_memory_equal(&some.data[kept++], &all.data[i], sizeof(toi_impact));
                if (all.data[i].time < first.time)
                    first = all.data[i];
            }
        assert_int_equal(kept, some.count);
        assert_true(kept > 0 && kept < all.count);
        assert_ok(toi_find_earliest(&def, &s.mesh, &earliest));
        assert_memory_equal(&earliest.earliest, &first, sizeof first);
        int64_t candidates = 0;
        for (int kind = 0; kind < 2; ++kind) {
            toi_pair_array pairs = {0};
            assert_ok(toi_find_candidates(&def, &s.mesh, (toi_kind)kind, &pairs, NULL));
            candidates += pairs.count;
            toi_free_pairs(&pairs);
        }
        assert_int_equal(candidates, report.candidates[0] + report.candidates[1]);
    }
    def.filter = (toi_filter){.groups = groups, .group_count = 3};
    assert_fails(toi_find_impacts(&def, &s.mesh, &some, NULL), TOI_ERROR_ARGUMENT, "3 groups");
    toi_free_impacts(&all);
    toi_free_impacts(&some);
    free(groups);
    free_soup(&s);
}

// Loose vertices meet faces, loose edges meet edges; nothing meets a primitive it shares a vertex
// with.
static void codimensional_parts_take_part(void **state)
{
    (void)state;
    const double start[4][3] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
    const double end[4][3] = {{-1, 0, -1}, {1, 0, -1}, {0, -1, 0}, {0, 1, 0}};
    const int32_t edges[2][2] = {{0, 1}, {2, 3}}, chain[3][2] = {{0, 1}, {1, 2}, {2, 3}};
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, NULL, 0);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    assert_ok(toi_find_earliest(&def, &mesh, &report)); // points alone never collide
    assert_int_equal(report.state, TOI_SEPARATED);
    mesh.edges = (toi_index_view){edges[0], 2, 0};
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.state, TOI_HIT);
    assert_int_equal(report.earliest.kind, TOI_EDGE_EDGE);
    assert_true(report.earliest.time <= 0.5 && report.earliest.time > 0.49);
    mesh.edges = (toi_index_view){chain[0], 3, 0};
    toi_pair_array pairs = {0};
    assert_ok(toi_find_candidates(&def, &mesh, TOI_EDGE_EDGE, &pairs, NULL));
    assert_int_equal(pairs.count, 1); // only the two ends of the chain share no vertex
    toi_free_pairs(&pairs);
}

static void float_boxes_give_no_fewer_candidates(void **state)
{
    (void)state;
    soup s = make_soup(1500, 0.05, 0.1, 23);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report exact, rounded;
    toi_impact_array a = {0}, b = {0};
    def.count_candidates = true;
    assert_ok(toi_find_impacts(&def, &s.mesh, &a, &exact));
    def.float_boxes = true;
    assert_ok(toi_find_impacts(&def, &s.mesh, &b, &rounded));
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        assert_true(rounded.candidates[kind] >= exact.candidates[kind]);
    assert_true(hash_impacts(&a) == hash_impacts(&b));
    toi_free_impacts(&a);
    toi_free_impacts(&b);
    free_soup(&s);
}

static void float_input_is_its_doubles(void **state)
{
    (void)state;
    soup s = make_soup(600, 0.1, 0.2, 24);
    float *points = malloc((size_t)s.vertex_count * 7 * sizeof *points);
    for (int64_t v = 0; v < s.vertex_count; ++v)
        for (int k = 0; k < 3; ++k) {
            points[7 * v + k] = (float)s.start[v][k];
            points[7 * v + 3 + k] = (float)s.end[v][k];
            s.start[v][k] = (double)points[7 * v + k];
            s.end[v][k] = (double)points[7 * v + 3 + k];
        }
    toi_mesh mesh = s.mesh;
    mesh.start = (toi_point_view){points, s.vertex_count, 28, TOI_FLOAT};
    mesh.end = (toi_point_view){points + 3, s.vertex_count, 28, TOI_FLOAT};
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array a = {0}, b = {0};
    assert_ok(toi_find_impacts(&def, &s.mesh, &a, NULL));
    assert_ok(toi_find_impacts(&def, &mesh, &b, NULL));
    assert_true(a.count > 0 && hash_impacts(&a) == hash_impacts(&b));
    toi_free_impacts(&a);
    toi_free_impacts(&b);
    free(points);
    free_soup(&s);
}

// The limit is held by what the library allocates, and changes nothing but the memory.
static void a_memory_limit_changes_no_answer(void **state)
{
    (void)state;
    bool brief = getenv("TOI_SANITIZED");
    soup s = make_soup(brief ? 1500 : 3000, 0.08, 0.2, 25);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array a = {0}, b = {0};
    toi_ccd_report free_report, tight_report;
    def.workers = 2;
    assert_ok(toi_find_impacts(&def, &s.mesh, &a, &free_report));
    def.memory_limit = (brief ? 5 : 10) << 20;
    assert_ok(toi_find_impacts(&def, &s.mesh, &b, &tight_report));
    assert_true(hash_impacts(&a) == hash_impacts(&b));
    assert_true(tight_report.peak_bytes <= def.memory_limit && tight_report.peak_bytes > 0);
    def.memory_limit = 1 << 18;
    assert_fails(toi_find_impacts(&def, &s.mesh, &b, &tight_report), TOI_ERROR_LIMIT,
                 "raise the limit");
    assert_int_equal(b.count, 0);
    assert_true(isinf(tight_report.earliest.time));
    toi_free_impacts(&a);
    toi_free_impacts(&b);
    free_soup(&s);
}

// Parallel diagonal edges, side by side: every box overlaps every other, so the candidates grow
// with the square and must stream. Ten million here, a thousand million under test-long, in a fixed
// memory.
static void candidates_stream_through_a_small_limit(void **state)
{
    (void)state;
    bool large = long_factor() > 1;
    int64_t edges = large ? 44722 : getenv("TOI_SANITIZED") ? 1000 : 4473;
    double(*start)[3] = malloc((size_t)edges * 2 * sizeof *start);
    double(*end)[3] = malloc((size_t)edges * 2 * sizeof *end);
    int32_t(*rows)[2] = malloc((size_t)edges * sizeof *rows);
    for (int64_t i = 0; i < 2 * edges; ++i) {
        double aside = (double)(i / 2) / (double)(4 * edges);
        for (int k = 0; k < 3; ++k) {
            start[i][k] = (double)(i % 2) + (k == 0 ? aside : k == 1 ? -aside : 0);
            end[i][k] = start[i][k] + 0.25;
        }
        rows[i / 2][i % 2] = (int32_t)i;
    }
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 2 * edges, NULL, 0);
    mesh.edges = (toi_index_view){rows[0], edges, 0};
    toi_ccd_def def = toi_default_ccd_def();
    def.memory_limit = large ? 1 << 30 : 24 << 20;
    toi_ccd_report report;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.candidates[TOI_EDGE_EDGE], -1);
    assert_in_range(report.tested[TOI_EDGE_EDGE], 1, edges * (edges - 1) / 2);
    assert_int_equal(report.state, TOI_SEPARATED);
    assert_true(report.peak_bytes < def.memory_limit);
    def.count_candidates = true;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.candidates[TOI_EDGE_EDGE], edges * (edges - 1) / 2);
    assert_int_equal(report.tested[TOI_EDGE_EDGE], edges * (edges - 1) / 2);
    assert_int_equal(report.state, TOI_SEPARATED);
    assert_true(report.peak_bytes < def.memory_limit);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_message("%lld candidates in %.2f s, %lld bytes of working memory, %ld KiB resident\n",
                  (long long)report.candidates[TOI_EDGE_EDGE], report.seconds_total,
                  (long long)report.peak_bytes, usage.ru_maxrss);
    free(start);
    free(end);
    free(rows);
}

static struct
{
    int64_t live, made, fail_at;
} ledger;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (ledger.made++ == ledger.fail_at)
        return NULL;
    ++ledger.live;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    --ledger.live;
    free(memory);
}

// Every single allocation of a call fails once: always a status, never a leak.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    soup s = make_soup(60, 0.3, 0.3, 26);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1; // the ledger is not atomic
    s.mesh.edges = (toi_index_view){0};
    double *steps = malloc((size_t)s.vertex_count * sizeof *steps);
    toi_set_hooks(&(toi_hooks){.allocate = counting_allocate, .release = counting_release});
    int failures = 0;
    for (int64_t at = 0;; ++at) {
        toi_impact_array impacts = {0};
        toi_pair_array pairs = {0};
        ledger.made = ledger.live = 0;
        ledger.fail_at = at;
        toi_status status = toi_find_impacts(&def, &s.mesh, &impacts, NULL);
        if (status == TOI_OK)
            status = toi_find_safe_steps(&def, &s.mesh, steps, NULL);
        if (status == TOI_OK)
            status = toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL);
        toi_free_impacts(&impacts);
        toi_free_pairs(&pairs);
        assert_int_equal(ledger.live, 0);
        if (status == TOI_OK)
            break;
        assert_int_equal(status, TOI_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures > 12);
    toi_set_hooks(NULL);
    free(steps);
    free_soup(&s);
}

static bool never(void *context, double done)
{
    (void)done;
    ++*(int *)context;
    return false;
}

static void bad_calls_get_a_status(void **state)
{
    (void)state;
    toi_mesh mesh = drop();
    toi_ccd_report report;
    toi_ccd_def def = {0};
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT,
                 "toi_default_ccd_def");
    assert_true(isinf(report.earliest.time));
    def = toi_default_ccd_def();
    def.narrow.tolerance = 0;
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, "tolerance");
    def = toi_default_ccd_def();
    def.narrow.min_separation = NAN;
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, "min_separation");
    def = toi_default_ccd_def();
    def.narrow.t_max = 2;
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, "t_max");
    def = toi_default_ccd_def();
    def.narrow.max_iterations = 0;
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, "max_iterations");
    def = toi_default_ccd_def();
    def.zero_time.rescale = 1;
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, "rescale");
    def = toi_default_ccd_def();
    def.memory_limit = -1;
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, "limit");
    def = toi_default_ccd_def();
    int asked = 0;
    def.progress = never;
    def.progress_context = &asked;
    double steps[4];
    assert_fails(toi_find_safe_steps(&def, &mesh, steps, &report), TOI_ERROR_CANCELLED, "stopped");
    assert_true(asked > 0 && steps[0] == 0); // a failed call grants no step
    mesh.faces.count = 2;
    mesh.faces.data = (const int32_t[]){1, 2, 3, 1, 2, 7};
    def = toi_default_ccd_def();
    assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_DATA, "face 1");
}

// Appendix B: a pair almost in contact that moves apart or slides gives a time of zero only if it
// touches.
static void the_zero_time_policy_keeps_a_solver_moving(void **state)
{
    (void)state;
    toi_mesh mesh = drop();
    double start[4][3];
    memcpy(start, drop_start, sizeof start);
    start[0][2] = 1e-3; // closer than the minimum separation below
    mesh.start.data = start;
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    def.narrow.min_separation = 1e-2;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.earliest.time == 0);
    assert_true(report.inside == 1 && report.first_inside.kind == TOI_VERTEX_FACE);
    double contact = 1e-3 / 1.001;
    // With a relative separation it keeps a share of its own distance.
    def.zero_time.relative_separation = 0.2;
    def.zero_time.rescale = 0.8;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.inside == 1 && report.earliest.time > 0.8 * contact - 1e-9 &&
                report.earliest.time <= 0.8 * contact);
    // Relative separation: stop at 0.2 of the initial distance.
    def = toi_default_ccd_def();
    def.zero_time.relative_separation = 0.2;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.earliest.time <= 0.8 * contact &&
                report.earliest.time > 0.8 * contact - 1e-9);
    // Really touching at the start: zero it is, and it ends.
    start[0][2] = 0;
    def.zero_time.rescale = 0.8;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.earliest.time == 0);
}

// Culling compares with an upper bound of each pair's own separation: every pair that the solver,
// given that separation itself, calls a hit must be in the pipeline's list, with the same time, and
// no other.
static void relative_separations_survive_the_culling(void **state)
{
    (void)state;
    soup s = make_soup(getenv("TOI_SANITIZED") ? 300 : 1000, 0.08, 0.2, 27);
    toi_ccd_def def = toi_default_ccd_def();
    def.zero_time.relative_separation = 0.4;
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
    int64_t next = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        toi_pair_array pairs = {0};
        assert_ok(toi_find_candidates(&def, &s.mesh, (toi_kind)kind, &pairs, NULL));
        for (int64_t i = 0; i < pairs.count; ++i) {
            toi_query q = toi_gather_query(&s.mesh, (toi_kind)kind, pairs.data[i]);
            double distance =
                kind == TOI_EDGE_EDGE
                    ? toi_edge_edge_distance(q.start[0], q.start[1], q.start[2], q.start[3], NULL)
                    : toi_point_triangle_distance(q.start[0], q.start[1], q.start[2], q.start[3],
                                                  NULL);
            double separation = 0.4 * distance;
            toi_query_result result;
            toi_narrow_def asked = def.narrow;
            asked.min_separation = separation;
            assert_ok(toi_solve_queries(&asked, (toi_kind)kind, &q, 1, &result));
            if (result.state == TOI_SEPARATED)
                continue;
            assert_true(next < impacts.count);
            assert_int_equal(impacts.data[next].a, pairs.data[i].a);
            assert_int_equal(impacts.data[next].b, pairs.data[i].b);
            assert_true(fabs(impacts.data[next++].time - result.time) < 1e-12);
        }
        toi_free_pairs(&pairs);
    }
    assert_int_equal(next, impacts.count);
    assert_true(next > 100);
    toi_free_impacts(&impacts);
    free_soup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_vertex_hits),
        cmocka_unit_test(a_free_step_is_free),
        cmocka_unit_test(own_steps_are_another_motion),
        cmocka_unit_test(steps_end_where_the_search_ends),
        cmocka_unit_test(long_lists_are_the_same_again),
        cmocka_unit_test(a_failed_call_grants_no_step),
        cmocka_unit_test(empty_meshes_are_fine),
        cmocka_unit_test(the_pipeline_is_its_stages),
        cmocka_unit_test(the_filter_holds_on_every_path),
        cmocka_unit_test(codimensional_parts_take_part),
        cmocka_unit_test(float_boxes_give_no_fewer_candidates),
        cmocka_unit_test(float_input_is_its_doubles),
        cmocka_unit_test(a_memory_limit_changes_no_answer),
        cmocka_unit_test(candidates_stream_through_a_small_limit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_calls_get_a_status),
        cmocka_unit_test(the_zero_time_policy_keeps_a_solver_moving),
        cmocka_unit_test(relative_separations_survive_the_culling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
