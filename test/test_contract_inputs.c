// What the headers say of inputs and threads: inputs are only read, during the call; any number of
// threads may call at once, and share what is immutable; progress reaches the caller from one
// thread at a time.

#define _GNU_SOURCE // MAP_ANONYMOUS, usleep

#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
    THREADS = 4
};

static uint64_t hash_impacts(const toi_impact_array *impacts)
{
    return toi_hash(impacts->data, (size_t)impacts->count * sizeof *impacts->data);
}

// Random queries in the unit cube: about one in fourteen touches.
static void random_queries(toi_query *queries, int64_t count, uint64_t seed)
{
    toi_random random = {seed};
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 24; ++k)
            (&queries[i].start[0][0])[k] = toi_random_unit(&random);
}

// ---- Inputs

// A copy that ends where memory ends, may be read and not written; and that can be taken away.
typedef struct lent
{
    char *pages;
    size_t bytes;
    void *data;
} lent;

static lent lend(const void *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size + page - 1) / page * page;
    lent l = {.bytes = bytes + page};
    l.pages = mmap(NULL, l.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(l.pages != MAP_FAILED);
    l.data = l.pages + bytes - size;
    memcpy(l.data, data, size);
    assert_int_equal(mprotect(l.pages, bytes, PROT_READ), 0);
    assert_int_equal(mprotect(l.pages + bytes, page, PROT_NONE), 0);
    return l;
}

static void take_away(lent *l)
{
    assert_int_equal(mprotect(l->pages, l->bytes, PROT_NONE), 0);
}

static void end_loan(lent *l)
{
    munmap(l->pages, l->bytes);
}

static toi_status drop_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)pairs, (void)worker;
    *(_Atomic int64_t *)context += count;
    return TOI_OK;
}

static void set_scene(const toi_mesh *mesh, toi_scene **scene)
{
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = mesh->start.count;
    def.faces = mesh->faces;
    def.edges = mesh->edges;
    assert_ok(*scene ? toi_scene_change(*scene, &def) : toi_make_scene(&def, scene));
}

// Everything that a mesh can be asked, in read-only memory with nothing behind it, by every broad
// phase with a memory that it keeps; then the input goes, and the answers must stay.
static void inputs_are_only_read_during_the_call(void **state)
{
    (void)state;
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_memory *memory;
        toi_scene *scene = NULL;
        assert_ok(toi_make_broad_memory(&memory));
        for (int turn = 0; turn < 2; ++turn) {
            soup s = make_soup(60, 0.2, 0.3, 33 + (uint64_t)turn);
            size_t points = (size_t)s.vertex_count * sizeof *s.start;
            lent start = lend(s.start, points), end = lend(s.end, points);
            lent faces = lend(s.faces, (size_t)s.face_count * sizeof *s.faces);
            lent edges = lend(s.edges.data, (size_t)s.edge_count * sizeof *s.edges.data);
            lent loans[] = {start, end, faces, edges};
            toi_mesh mesh =
                toi_make_mesh(start.data, end.data, s.vertex_count, faces.data, s.face_count);
            mesh.edges = (toi_index_view){edges.data, s.edge_count, 0};
            toi_ccd_def def = toi_default_ccd_def();
            def.broad.method = (toi_broad_method)method;
            def.workers = 2;
            toi_impact_array expected = {0}, impacts = {0};
            toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
            assert_ok(toi_find_impacts(&def, &s.mesh, &expected, NULL));
            assert_ok(toi_check_mesh(&mesh));
            assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
            assert_ok(toi_find_all_candidates(&def, &mesh, lists, NULL));
            set_scene(&mesh, &scene);
            toi_edge_array made;
            assert_ok(toi_make_edges(mesh.faces, (toi_index_view){0}, s.vertex_count, &made));
            toi_box *boxes = malloc((size_t)s.face_count * sizeof *boxes);
            assert_ok(toi_make_boxes(&mesh, TOI_FACE, 0, 2, boxes));
            lent box_loan = lend(boxes, (size_t)s.face_count * sizeof *boxes);
            toi_pair_array pairs = {0};
            toi_box_view view = {box_loan.data, s.face_count};
            _Atomic int64_t streamed = 0;
            def.broad.workers = 2;
            def.broad.memory = memory;
            assert_ok(toi_find_pairs(&def.broad, view, &pairs));
            assert_ok(toi_stream_pairs(&def.broad, view, NULL, drop_pairs, &streamed));
            take_away(&loans[2]); // a scene has its own faces and edges
            take_away(&loans[3]);
            def.broad.memory = NULL;
            assert_ok(toi_scene_find_impacts(scene, &def, mesh.start, mesh.end, &impacts, NULL));
            take_away(&loans[0]);
            take_away(&loans[1]);
            take_away(&box_loan);
            assert_true(impacts.count > 0 && hash_impacts(&impacts) == hash_impacts(&expected));
            assert_true(lists[0].count > 0 && lists[1].count > 0 && streamed == pairs.count);
            assert_int_equal(made.count, 3 * s.face_count);
            for (int i = 0; i < 4; ++i)
                end_loan(&loans[i]);
            end_loan(&box_loan);
            toi_free_edges(&made);
            toi_free_pairs(&pairs);
            for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
                toi_free_pairs(&lists[kind]);
            toi_free_impacts(&impacts);
            toi_free_impacts(&expected);
            free(boxes);
            free_soup(&s);
        }
        toi_free_broad_memory(memory);
        toi_free_scene(scene);
    }
}

static void queries_are_only_read_during_the_call(void **state)
{
    (void)state;
    enum
    {
        COUNT = 1100
    };
    static toi_query queries[COUNT];
    static toi_query_result expected[COUNT], results[COUNT];
    random_queries(queries, COUNT, 34);
    lent loan = lend(queries, sizeof queries);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            toi_narrow_def def = toi_default_narrow_def();
            def.method = (toi_narrow_method)method;
            def.workers = 2;
            assert_ok(toi_solve_queries(&def, (toi_kind)kind, queries, COUNT, expected));
            assert_ok(toi_solve_queries(&def, (toi_kind)kind, loan.data, COUNT, results));
            assert_memory_equal(results, expected, sizeof results);
        }
    static toi_exact_time *times[COUNT];
    assert_ok(toi_find_exact_times(TOI_VERTEX_FACE, loan.data, COUNT, 2, times));
    take_away(&loan);
    toi_narrow_def def = toi_default_narrow_def();
    int64_t hits = 0;
    assert_ok(toi_solve_queries(&def, TOI_VERTEX_FACE, queries, COUNT, expected));
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(times[i] != NULL, expected[i].state == TOI_HIT);
        if (times[i])
            assert_true(toi_exact_time_floor(times[i]) == expected[i].time && ++hits);
        toi_free_exact_time(times[i]);
    }
    assert_true(hits > 20);
    end_loan(&loan);
}

// ---- Threads

typedef struct crowd
{
    soup s;
    toi_query queries[600];
    uint64_t impacts, results;
    toi_exact_time *times[2];
    int order;
    char *digits;
    _Atomic int64_t wrong;
} crowd;

static void *call_often(void *argument)
{
    crowd *c = argument;
    static _Thread_local toi_query_result results[600];
    for (int i = 0; i < 6; ++i) {
        toi_ccd_def def = toi_default_ccd_def();
        def.broad.method = (toi_broad_method)(1 + i * 2);
        def.workers = 1 + i % 3;
        toi_impact_array impacts = {0};
        toi_ccd_report report;
        if (toi_find_impacts(&def, &c->s.mesh, &impacts, &report) != TOI_OK ||
            hash_impacts(&impacts) != c->impacts)
            ++c->wrong;
        def.narrow.t_max = -1; // fails, with this thread's own message
        if (toi_find_earliest(&def, &c->s.mesh, &report) != TOI_ERROR_ARGUMENT ||
            !strstr(toi_last_message(), "t_max"))
            ++c->wrong;
        toi_free_impacts(&impacts);
        toi_narrow_def narrow = toi_default_narrow_def();
        memset(results, 0, sizeof results);
        if (toi_solve_queries(&narrow, TOI_EDGE_EDGE, c->queries, 600, results) != TOI_OK ||
            toi_hash(results, sizeof results) != c->results)
            ++c->wrong;
    }
    return NULL;
}

static void run_together(void *(*work)(void *), crowd *c)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, c), 0);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(c->wrong, 0);
}

static void many_threads_may_call_at_once(void **state)
{
    (void)state;
    static crowd c;
    static toi_query_result results[600];
    c.s = make_soup(120, 0.15, 0.3, 35);
    random_queries(c.queries, 600, 36);
    toi_ccd_def def = toi_default_ccd_def();
    toi_narrow_def narrow = toi_default_narrow_def();
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, &c.s.mesh, &impacts, NULL));
    assert_ok(toi_solve_queries(&narrow, TOI_EDGE_EDGE, c.queries, 600, results));
    assert_true(impacts.count > 20);
    c.impacts = hash_impacts(&impacts);
    c.results = toi_hash(results, sizeof results);
    run_together(call_often, &c);
    toi_free_impacts(&impacts);
    free_soup(&c.s);
}

static void *read_often(void *argument)
{
    crowd *c = argument;
    for (int i = 0; i < 200; ++i) {
        int order = 7;
        uint8_t bytes[2][TOI_EXACT_TIME_BYTES];
        int64_t size = toi_encode_exact_time(c->times[0], bytes[0], TOI_EXACT_TIME_BYTES);
        toi_encode_exact_time(c->times[1], bytes[1], TOI_EXACT_TIME_BYTES);
        char *digits = toi_exact_time_coefficient(c->times[0], 0), *lo, *hi;
        int64_t bits;
        if (toi_exact_time_compare(c->times[0], c->times[1], &order) != TOI_OK ||
            order != c->order || !digits || strcmp(digits, c->digits) != 0 || size < 1 ||
            toi_exact_time_bounds(c->times[1], &lo, &hi, &bits) != TOI_OK ||
            toi_exact_time_compare_double(c->times[0], toi_exact_time_floor(c->times[0])) < 0 ||
            toi_exact_time_is_double(c->times[0]) || toi_exact_time_degree(c->times[0]) < 2) {
            ++c->wrong;
            return NULL;
        }
        toi_release(digits);
        toi_release(lo);
        toi_release(hi);
    }
    return NULL;
}

static void many_threads_may_use_a_certificate(void **state)
{
    (void)state;
    static crowd c;
    toi_exact_time *times[600];
    random_queries(c.queries, 600, 37);
    assert_ok(toi_find_exact_times(TOI_EDGE_EDGE, c.queries, 600, 2, times));
    int found = 0;
    for (int i = 0; i < 600; ++i)
        if (times[i] && found < 2 && toi_exact_time_degree(times[i]) > 1)
            c.times[found++] = times[i];
        else
            toi_free_exact_time(times[i]);
    assert_int_equal(found, 2);
    assert_ok(toi_exact_time_compare(c.times[0], c.times[1], &c.order));
    c.digits = toi_exact_time_coefficient(c.times[0], 0);
    run_together(read_often, &c);
    toi_release(c.digits);
    toi_free_exact_time(c.times[0]);
    toi_free_exact_time(c.times[1]);
}

typedef struct watcher
{
    _Atomic int inside;
    _Atomic int64_t calls, crowded, beyond;
} watcher;

static bool watch(void *context, double done)
{
    watcher *w = context;
    w->crowded += atomic_fetch_add(&w->inside, 1) != 0;
    w->beyond += !(done >= 0 && done <= 1);
    ++w->calls;
    usleep(50); // long enough for another to come
    atomic_fetch_sub(&w->inside, 1);
    return true;
}

static void progress_is_told_by_one_thread_at_a_time(void **state)
{
    (void)state;
    soup s = make_soup(1500, 0.08, 0.2, 38);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        watcher w = {0};
        toi_ccd_def def = toi_default_ccd_def();
        def.broad.method = (toi_broad_method)method;
        def.workers = 6;
        def.progress = watch;
        def.progress_context = &w;
        toi_ccd_report report;
        toi_pair_array pairs = {0};
        assert_ok(toi_find_earliest(&def, &s.mesh, &report));
        assert_ok(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL));
        if (w.crowded > 0 || w.beyond > 0 || w.calls < 2)
            fail_msg("%s: of %lld calls %lld met another, %lld were beyond [0, 1]",
                     toi_broad_name(def.broad.method), (long long)w.calls, (long long)w.crowded,
                     (long long)w.beyond);
        toi_free_pairs(&pairs);
    }
    toi_set_hooks(NULL);
    free_soup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_only_read_during_the_call),
        cmocka_unit_test(queries_are_only_read_during_the_call),
        cmocka_unit_test(many_threads_may_call_at_once),
        cmocka_unit_test(many_threads_may_use_a_certificate),
        cmocka_unit_test(progress_is_told_by_one_thread_at_a_time),
    };
    return cmocka_run_group_tests_name("contract_inputs", tests, NULL, NULL);
}
