// What the headers say of all functions of the core in a few words: names and messages, what
// failures leave, hooks, freeing nothing. docs/promises.md lists all promises.

#define _GNU_SOURCE // readlink, popen

#include "support.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t hash_impacts(const toi_impact_array *impacts)
{
    return toi_hash(impacts->data, (size_t)impacts->count * sizeof *impacts->data);
}

static uint64_t hash_pairs(const toi_pair_array *pairs)
{
    return toi_hash(pairs->data, (size_t)pairs->count * sizeof *pairs->data);
}

static void random_query(toi_query *query, uint64_t seed)
{
    toi_random random = {seed};
    for (int k = 0; k < 24; ++k)
        (&query->start[0][0])[k] = toi_random_unit(&random);
}

// ---- Names

static void names_are_as_promised(void **state)
{
    (void)state;
    for (int i = -3; i < TOI_STATUS_COUNT + 3; ++i)
        assert_true(strlen(toi_status_name((toi_status)i)) > 0);
    assert_true(strlen(toi_status_name((toi_status)INT32_MAX)) > 0);
    assert_string_equal(toi_status_name(TOI_ERROR_MEMORY), "out of memory");
    static const char *const kinds[] = {"vf", "ee", "pe", "pp"},
                             *const states[] = {"separated", "hit", "undecided"},
                             *const guarantees[] = {"exact", "conservative", "none"},
                             *const rungs[] = {"none", "axis", "direction"};
    for (int i = 0; i < TOI_KIND_COUNT; ++i)
        assert_string_equal(toi_kind_name((toi_kind)i), kinds[i]);
    for (int i = 0; i < TOI_STATE_COUNT; ++i)
        assert_string_equal(toi_state_name((toi_state)i), states[i]);
    for (int i = 0; i < TOI_GUARANTEE_COUNT; ++i)
        assert_string_equal(toi_guarantee_name((toi_guarantee)i), guarantees[i]);
    for (int i = 0; i < TOI_RUNG_COUNT; ++i)
        assert_true(i < 3 ? strcmp(toi_rung_name((toi_rung)i), rungs[i]) == 0
                          : strlen(toi_rung_name((toi_rung)i)) > 0);
    static const int beyond[] = {-1, 99, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; ++i) {
        assert_null(toi_kind_name((toi_kind)beyond[i]));
        assert_null(toi_state_name((toi_state)beyond[i]));
        assert_null(toi_guarantee_name((toi_guarantee)beyond[i]));
        assert_null(toi_rung_name((toi_rung)beyond[i]));
        assert_null(toi_broad_name((toi_broad_method)beyond[i]));
        assert_null(toi_narrow_name((toi_narrow_method)beyond[i]));
        assert_int_equal(toi_narrow_guarantee((toi_narrow_method)beyond[i]), TOI_GUARANTEE_COUNT);
        assert_int_equal(toi_broad_traits((toi_broad_method)beyond[i]), 0);
        assert_int_equal(toi_narrow_traits((toi_narrow_method)beyond[i]), 0);
    }
    assert_null(toi_kind_name(TOI_KIND_COUNT));
    assert_null(toi_state_name(TOI_STATE_COUNT));
    assert_null(toi_guarantee_name(TOI_GUARANTEE_COUNT));
    assert_null(toi_rung_name(TOI_RUNG_COUNT));
    assert_null(toi_narrow_name(TOI_NARROW_COUNT));
    assert_int_equal(toi_narrow_guarantee(TOI_NARROW_COUNT), TOI_GUARANTEE_COUNT);
    assert_int_equal(toi_narrow_guarantee(TOI_NARROW_EXACT), TOI_GUARANTEE_EXACT);
    assert_string_equal(toi_broad_name(TOI_BROAD_STQ), "stq");
    assert_string_equal(toi_narrow_name(TOI_NARROW_EXACT), "exact");
    assert_int_equal(toi_broad_find(""), TOI_BROAD_COUNT);
    assert_int_equal(toi_narrow_find(""), TOI_NARROW_COUNT);
}

static void instruction_sets_are_taken_or_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    assert_ok(toi_set_simd(NULL));
    char best[16];
    snprintf(best, sizeof best, "%s", toi_simd_name());
    bool had_best = false;
    for (int i = 0; i < 3; ++i) {
        toi_status status = toi_set_simd(names[i]);
        if (status == TOI_OK)
            assert_string_equal(toi_simd_name(), names[i]);
        else
            assert_fails(status, TOI_ERROR_UNSUPPORTED, names[i]);
        assert_int_equal(status == TOI_OK, !had_best); // all up to the best, none beyond
        had_best |= strcmp(names[i], best) == 0;
    }
    assert_true(had_best);
    assert_ok(toi_set_simd(NULL));
    assert_string_equal(toi_simd_name(), best);
}

// ---- Messages

// cmocka's own assertions are for its own thread.
#define EXPECT(condition)                                                                          \
    if (!(condition))                                                                              \
    return #condition

static void *watch_messages(void *unused)
{
    (void)unused;
    EXPECT(strcmp(toi_last_message(), "") == 0); // before the first failure of this thread
    const double zero[3] = {0};
    toi_mesh mesh = toi_make_mesh(zero, zero, 1, NULL, 0);
    EXPECT(toi_check_mesh(&mesh) == TOI_OK);
    EXPECT(strcmp(toi_last_message(), "") == 0);
    EXPECT(toi_fail(TOI_ERROR_DATA, "%s %d of %.1f", "number", 3, 4.5) == TOI_ERROR_DATA);
    const char *kept = toi_last_message();
    EXPECT(strcmp(kept, "number 3 of 4.5") == 0);
    toi_pair_array pairs = {0}; // calls that succeed, with workers of their own
    toi_broad_def def = toi_default_broad_def();
    def.workers = 3;
    for (int i = 0; i < 20; ++i) {
        EXPECT(toi_find_pairs(&def, (toi_box_view){NULL, 0}, &pairs) == TOI_OK);
        EXPECT(toi_check_mesh(&mesh) == TOI_OK);
        EXPECT(strcmp(kept, "number 3 of 4.5") == 0);
    }
    toi_free_pairs(&pairs);
    mesh.start.data = NULL;
    EXPECT(toi_check_mesh(&mesh) == TOI_ERROR_DATA);
    EXPECT(strstr(toi_last_message(), "no data"));
    char longer[5000]; // longer than any message is kept
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    toi_fail(TOI_ERROR_DATA, "%s", longer);
    EXPECT(strlen(toi_last_message()) > 100 && strlen(toi_last_message()) < sizeof longer);
    return NULL;
}

static void messages_last_until_the_next_failure(void **state)
{
    (void)state;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, watch_messages, NULL), 0);
    void *complaint = NULL;
    pthread_join(other, &complaint);
    if (complaint)
        fail_msg("%s", (const char *)complaint);
}

// ---- Failures

static const double drop_start[4][3] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const double drop_end[4][3] = {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const int32_t drop_faces[1][3] = {{1, 2, 3}};

static toi_mesh drop(void)
{
    return toi_make_mesh(drop_start[0], drop_end[0], 4, drop_faces[0], 1);
}

static void expect_nothing(const toi_ccd_report *report)
{
    assert_true(report->earliest.time == INFINITY && report->state == TOI_SEPARATED);
    assert_int_equal(report->candidates[0] + report->candidates[1], 0);
    assert_int_equal(report->hits[0] + report->hits[1], 0);
}

static int passed; // of the two tests of failures

// What the pipeline leaves in lists that held something, for a bad definition or mesh.
static void fail_pipeline(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind)
{
    toi_ccd_def good = toi_default_ccd_def();
    toi_mesh sound = drop();
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    if ((unsigned)kind < TOI_KIND_COUNT) {
        assert_ok(toi_find_impacts(&good, &sound, &impacts, &report));
        assert_true(impacts.count > 0);
        expect_news(toi_find_impacts(def, mesh, &impacts, &report), "toi_find_impacts");
        assert_int_equal(impacts.count, 0);
        expect_nothing(&report);
        assert_ok(toi_find_earliest(&good, &sound, &report));
        expect_news(toi_find_earliest(def, mesh, &report), "toi_find_earliest");
        expect_nothing(&report);
        double steps[4] = {1, 1, 1, 1};
        expect_news(toi_find_safe_steps(def, mesh, steps, &report), "toi_find_safe_steps");
        expect_nothing(&report);
        for (int i = 0; mesh->start.count == 4 && i < 4; ++i)
            assert_true(steps[i] == 0);
        assert_ok(toi_find_all_candidates(&good, &sound, lists, &report));
        assert_true(lists[0].count > 0);
        expect_news(toi_find_all_candidates(def, mesh, lists, &report), "toi_find_all_candidates");
        for (int i = 0; i < TOI_KIND_COUNT; ++i)
            assert_int_equal(lists[i].count, 0);
        expect_nothing(&report);
    }
    assert_ok(toi_find_candidates(&good, &sound, TOI_VERTEX_FACE, &lists[0], &report));
    assert_true(lists[0].count > 0);
    expect_news(toi_find_candidates(def, mesh, kind, &lists[0], &report), "toi_find_candidates");
    assert_int_equal(lists[0].count, 0);
    expect_nothing(&report);
    toi_free_impacts(&impacts);
    for (int i = 0; i < TOI_KIND_COUNT; ++i)
        toi_free_pairs(&lists[i]);
}

static void failed_pipelines_leave_nothing(void **state)
{
    (void)state;
    toi_ccd_def good = toi_default_ccd_def(), bad = good;
    toi_mesh sound = drop(), broken = sound;
    toi_fail(TOI_ERROR_DATA, "stale");
    fail_pipeline(&good, &sound, (toi_kind)7); // only candidates are asked by kind
    broken.end.count = 3;
    fail_pipeline(&good, &broken, TOI_VERTEX_FACE);
    broken = sound;
    broken.faces.data = (const int32_t[]){1, 2, 4};
    fail_pipeline(&good, &broken, TOI_VERTEX_FACE);
    double end[4][3];
    memcpy(end, drop_end, sizeof end);
    end[3][1] = NAN;
    broken = sound;
    broken.end.data = end;
    fail_pipeline(&good, &broken, TOI_EDGE_EDGE);
    fail_pipeline(&good, &broken, TOI_EDGE_EDGE);
    broken = sound;
    broken.edges = (toi_index_view){(const int32_t[]){1, 2, 2, 3}, 2, 0};
    fail_pipeline(&good, &broken, TOI_EDGE_EDGE);
    bad.memory_limit = 1;
    fail_pipeline(&bad, &sound, TOI_VERTEX_FACE);
    bad = (toi_ccd_def){0};
    fail_pipeline(&bad, &sound, TOI_VERTEX_FACE);
    ++passed;
}

static void *no_memory(void *user, size_t size, size_t alignment)
{
    (void)user, (void)size, (void)alignment;
    return NULL;
}

static void leave_memory(void *user, void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

// Nothing that needs memory gets any.
static void failed_calls_leave_nothing(void **state)
{
    (void)state;
    toi_query query;
    random_query(&query, 1);
    toi_query_result result;
    toi_narrow_def narrow = toi_default_narrow_def();
    toi_exact_contacts contacts = {(void *)&query, 3};
    toi_exact_time *times[2] = {(void *)&query, (void *)&query};
    toi_broad_memory *memory = (void *)&query;
    toi_edge_array edges = {(void *)&query, 4};
    toi_mesh mesh = drop();
    toi_pair pairs[2] = {{2, 1}, {1, 2}}, kept[2];
    memcpy(kept, pairs, sizeof kept);
    toi_fail(TOI_ERROR_DATA, "stale");
    toi_set_hooks(&(toi_hooks){.allocate = no_memory, .release = leave_memory});
    expect_news(toi_allocate(10) ? TOI_OK : TOI_ERROR_MEMORY, "toi_allocate");
    expect_news(toi_solve_queries(&narrow, TOI_VERTEX_FACE, &query, 1, &result), "solve");
    expect_news(toi_make_broad_memory(&memory), "toi_make_broad_memory");
    assert_null(memory);
    expect_news(toi_make_edges(mesh.faces, mesh.edges, 4, &edges), "toi_make_edges");
    assert_true(edges.count == 0 && !edges.data);
    expect_news(toi_sort_pairs(pairs, -1, 1), "toi_sort_pairs");
    assert_memory_equal(pairs, kept, sizeof kept);
    toi_set_hooks(NULL);
    query.start[0][0] = NAN;
    expect_news(toi_find_exact_contacts(TOI_VERTEX_FACE, &query, &contacts), "contacts");
    assert_true(contacts.count == 0 && !contacts.data);
    expect_news(toi_find_exact_times(TOI_VERTEX_FACE, &query, 1, 1, times), "exact times");
    assert_null(times[0]);
    expect_news(toi_solve_queries(&narrow, TOI_VERTEX_FACE, &query, 1, &result), "solve");
    expect_news(toi_decode_exact_time("", 0, &times[1]), "toi_decode_exact_time");
    assert_null(times[1]);
    expect_news(toi_set_simd("abacus"), "toi_set_simd");
    toi_box box;
    static const double separations[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; ++i)
        expect_news(toi_make_boxes(&mesh, TOI_FACE, separations[i], 1, &box), "toi_make_boxes");
    ++passed;
}

// The library speaks through messages alone. Where the tests above fail, so would this, unseen.
static void nothing_is_printed(void **state)
{
    (void)state;
    if (passed < 2)
        fail_msg("see above");
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    fflush(stderr);
    int kept[2] = {dup(1), dup(2)};
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    failed_pipelines_leave_nothing(NULL);
    failed_calls_leave_nothing(NULL);
    fflush(stdout);
    fflush(stderr);
    dup2(kept[0], 1);
    dup2(kept[1], 2);
    close(kept[0]);
    close(kept[1]);
    struct stat info;
    assert_int_equal(fstat(fileno(file), &info), 0);
    assert_int_equal(info.st_size, 0);
    fclose(file);
}

// More than an index can number, of everything: refused before anything is read.
static void counts_beyond_the_indices_are_refused(void **state)
{
    (void)state;
    const int64_t many = (int64_t)INT32_MAX + 1;
    toi_mesh mesh = drop();
    mesh.start.count = mesh.end.count = many;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_LIMIT, "2147483648 vertices");
    mesh = drop();
    mesh.faces.count = many;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_LIMIT, "2147483648 faces");
    mesh = drop();
    mesh.edges = (toi_index_view){drop_faces[0], many, 0};
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_LIMIT, "2147483648 edges");
    toi_edge_array edges;
    assert_fails(toi_make_edges(mesh.edges, (toi_index_view){0}, 4, &edges), TOI_ERROR_LIMIT,
                 "faces or edges");
    toi_broad_def def = toi_default_broad_def();
    toi_pair_array pairs = {0};
    toi_box_view boxes = {(const toi_box *)drop_start, many};
    assert_fails(toi_find_pairs(&def, boxes, &pairs), TOI_ERROR_LIMIT, "2147483648 boxes");
}

// ---- Memory and hooks

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    toi_pair_array pairs = {0};
    toi_impact_array impacts = {0};
    toi_edge_array edges = {0};
    toi_exact_contacts contacts = {0};
    for (int twice = 0; twice < 2; ++twice) {
        toi_release(NULL);
        toi_free_broad_memory(NULL);
        toi_free_exact_time(NULL);
        toi_free_pairs(&pairs);
        toi_free_impacts(&impacts);
        toi_free_edges(&edges);
        toi_free_exact_contacts(&contacts);
    }
}

static void freeing_empties(void **state)
{
    (void)state;
    toi_ccd_def def = toi_default_ccd_def();
    toi_mesh mesh = drop();
    toi_pair_array pairs = {0};
    toi_impact_array impacts = {0};
    toi_edge_array edges;
    toi_exact_contacts contacts = {0};
    assert_ok(toi_find_candidates(&def, &mesh, TOI_VERTEX_FACE, &pairs, NULL));
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    assert_ok(toi_make_edges(mesh.faces, mesh.edges, 4, &edges));
    toi_query query = toi_gather_query(&mesh, TOI_VERTEX_FACE, pairs.data[0]);
    assert_ok(toi_find_exact_contacts(TOI_VERTEX_FACE, &query, &contacts));
    assert_true(pairs.count == 1 && impacts.count == 1 && edges.count == 3 && contacts.count == 1);
    toi_free_pairs(&pairs);
    toi_free_impacts(&impacts);
    toi_free_edges(&edges);
    toi_free_exact_contacts(&contacts);
    assert_true(!pairs.data && pairs.count == 0 && pairs.capacity == 0);
    assert_true(!impacts.data && impacts.count == 0 && impacts.capacity == 0);
    assert_true(!edges.data && edges.count == 0 && !contacts.data && contacts.count == 0);
    freeing_nothing_is_harmless(NULL);
}

// A caller's services, which keep books.
typedef struct service
{
    pthread_mutex_t lock;
    struct
    {
        void *memory;
        size_t size;
    } live[4096];
    int64_t count, made, loops, bad;
} service;

static service books = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *book_allocate(void *user, size_t size, size_t alignment)
{
    service *s = user;
    pthread_mutex_lock(&s->lock);
    s->bad +=
        s != &books || alignment < 64 || (alignment & (alignment - 1)) != 0 || s->count == 4096;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    s->live[s->count].memory = memory;
    s->live[s->count++].size = size;
    ++s->made;
    pthread_mutex_unlock(&s->lock);
    return memory;
}

static void book_release(void *user, void *memory, size_t size)
{
    service *s = user;
    pthread_mutex_lock(&s->lock);
    int64_t i = 0;
    while (i < s->count && s->live[i].memory != memory)
        ++i;
    s->bad += s != &books || i == s->count || s->live[i].size != size;
    if (i < s->count)
        s->live[i] = s->live[--s->count];
    free(memory);
    pthread_mutex_unlock(&s->lock);
}

// Serves in another order than one would think of: backwards, by two workers in turns.
static void book_parallel_for(void *user, int workers, int64_t count, toi_task_fn *task,
                              void *context)
{
    service *s = user;
    s->bad += s != &books || workers < 1 || workers > 8;
    ++s->loops;
    for (int64_t i = count - 1; i >= 0; --i)
        task(context, i, (int)(i % workers));
}

static void hooks_get_what_they_gave(void **state)
{
    (void)state;
    soup s = make_soup(3000, 0.05, 0.2, 31);
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = TOI_BROAD_LBVH; // auto has no use for more than one worker here
    def.workers = 4;
    toi_impact_array expected = {0}, impacts = {0};
    assert_ok(toi_find_impacts(&def, &s.mesh, &expected, NULL));
    for (int which = 1; which < 4; ++which) { // memory alone, loops alone, both
        books.count = books.made = books.loops = books.bad = 0;
        toi_hooks hooks = {.user = &books};
        if (which & 1)
            hooks.allocate = book_allocate, hooks.release = book_release;
        if (which & 2)
            hooks.parallel_for = book_parallel_for;
        toi_set_hooks(&hooks);
        assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
        assert_true(impacts.count > 100 && hash_impacts(&impacts) == hash_impacts(&expected));
        toi_free_impacts(&impacts);
        assert_int_equal(books.bad, 0);
        assert_int_equal(books.count, 0);
        assert_int_equal(books.made > 10, which & 1);
        assert_int_equal(books.loops > 0, (which & 2) != 0);
        toi_set_hooks(NULL);
    }
    books.made = books.loops = 0;
    toi_set_hooks(NULL); // the defaults again
    void *memory = toi_allocate(1);
    toi_release(memory);
    toi_set_hooks(NULL);
    assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
    assert_int_equal(books.made + books.loops, 0);
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    free_soup(&s);
}

static void memory_is_aligned(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 1 << 20, (4 << 20) + 1};
    for (int i = 0; i < 8; ++i) {
        char *a = toi_allocate(sizes[i]), *b = toi_allocate(sizes[i]);
        assert_true(a && b && a != b);
        assert_int_equal((uintptr_t)a % 64 + (uintptr_t)b % 64, 0);
        memset(a, 1, sizes[i]);
        memset(b, 2, sizes[i]);
        assert_true(sizes[i] == 0 || (a[0] == 1 && a[sizes[i] - 1] == 1));
        toi_release(a);
        toi_release(b);
    }
}

static void lists_reuse_their_memory(void **state)
{
    (void)state;
    soup s = make_soup(300, 0.1, 0.2, 32);
    toi_ccd_def def = toi_default_ccd_def();
    toi_pair_array pairs = {0};
    toi_impact_array impacts = {0};
    assert_ok(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL));
    assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
    const toi_pair *data = pairs.data;
    const toi_impact *list = impacts.data;
    int64_t capacity = pairs.capacity;
    uint64_t hash = hash_pairs(&pairs);
    assert_true(pairs.count > 100 && impacts.count > 10);
    for (int i = 0; i < 5; ++i) {
        assert_ok(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL));
        assert_ok(toi_find_impacts(&def, &s.mesh, &impacts, NULL));
        assert_ptr_equal(pairs.data, data);
        assert_ptr_equal(impacts.data, list);
        assert_true(pairs.capacity == capacity && hash_pairs(&pairs) == hash);
    }
    toi_free_pairs(&pairs);
    toi_free_impacts(&impacts);
    free_soup(&s);
}

// What this program says when it is run with the argument "workers".
static int workers_under(const char *environment)
{
    char path[512], command[700];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        skip();
    path[length] = 0;
    snprintf(command, sizeof command, "%s '%s' workers", environment, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    int workers = 0;
    assert_int_equal(fscanf(pipe, "%d", &workers), 1);
    assert_int_equal(pclose(pipe), 0);
    return workers;
}

static void workers_follow_the_environment(void **state)
{
    (void)state;
    assert_int_equal(workers_under("OMP_NUM_THREADS=3"), 3);
    assert_int_equal(workers_under("OMP_NUM_THREADS=17"), 17);
    assert_int_equal(workers_under("OMP_NUM_THREADS=5000"), TOI_MAX_WORKERS);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int free_choice = workers_under("env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT");
    assert_in_range(free_choice, 1, cores); // fewer where the process is bound to some
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "workers") == 0) {
        printf("%d\n", toi_default_workers());
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_promised),
        cmocka_unit_test(instruction_sets_are_taken_or_refused),
        cmocka_unit_test(messages_last_until_the_next_failure),
        cmocka_unit_test(failed_pipelines_leave_nothing),
        cmocka_unit_test(failed_calls_leave_nothing),
        cmocka_unit_test(nothing_is_printed),
        cmocka_unit_test(counts_beyond_the_indices_are_refused),
        cmocka_unit_test(freeing_nothing_is_harmless),
        cmocka_unit_test(freeing_empties),
        cmocka_unit_test(hooks_get_what_they_gave),
        cmocka_unit_test(memory_is_aligned),
        cmocka_unit_test(lists_reuse_their_memory),
        cmocka_unit_test(workers_follow_the_environment),
    };
    return cmocka_run_group_tests_name("contract", tests, NULL, NULL);
}
