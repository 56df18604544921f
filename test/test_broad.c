// Every broad phase returns exactly the overlapping pairs: for ordinary and for nasty boxes, one
// list or two, stored or streamed, with any instruction set and any number of workers.

#include "broad_sets.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static toi_broad_def define(int method, int workers, toi_order order)
{
    toi_broad_def def = toi_default_broad_def();
    def.method = (toi_broad_method)method;
    def.workers = workers;
    def.order = order;
    return def;
}

// Own order is the same for any workers and instruction set; canonical order is everyone's.
static void check_set(const char *name, box_list a, const box_list *b)
{
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    pair_list expected = slow_pairs(a, b);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, 1, TOI_ORDER_OWN);
        uint64_t own = check_pairs(name, &def, a, b, &expected);
        for (int level = 0; level < 3; ++level)
            if (toi_set_simd(levels[level]) == TOI_OK)
                check_same_order(levels[level], &def, a, b, &expected, own);
        assert_ok(toi_set_simd(NULL));
        for (def.workers = 2; def.workers <= 8; def.workers += getenv("TOI_SANITIZED") ? 3 : 1)
            check_same_order(name, &def, a, b, &expected, own);
        def.workers = 3;
        def.order = TOI_ORDER_CANONICAL;
        check_pairs(name, &def, a, b, &expected);
    }
    free(expected.data);
}

static void all_methods_agree(void **state)
{
    (void)state;
    assert_true(BOX_SETS >= 200);
    for (int number = 0; number < BOX_SETS; number += getenv("TOI_SANITIZED") ? 29 : 1) {
        box_set set = make_box_set(number);
        check_set(set.name, set.a, NULL);
        check_set(set.name, set.a, &set.b);
        free_box_set(&set);
    }
}

// The sets above must not pass for the wrong reason.
static void the_sets_have_pairs_and_gaps(void **state)
{
    (void)state;
    for (int kind = 0; kind < BOX_KINDS; ++kind) {
        box_list a = make_boxes(kind, 400, 1);
        pair_list pairs = slow_pairs(a, NULL);
        assert_true(pairs.count > 20);
        if (kind != IDENTICAL && kind != NESTED)
            assert_true(pairs.count < 400 * 399 / 2);
        free(a.data);
        free(pairs.data);
    }
}

static void check_large(const char *name, box_list a, const box_list *b)
{
    pair_list expected = method_pairs(TOI_BROAD_BRUTE, a, b);
    assert_true(expected.count > 0);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, 1, TOI_ORDER_OWN);
        uint64_t own = check_pairs(name, &def, a, b, &expected);
        def.workers = 8;
        check_same_order(name, &def, a, b, &expected, own);
    }
    free(expected.data);
}

// Larger than one task, one writer's buffer, one sweep window, one piece of every sort.
static void large_sets_agree_with_brute(void **state)
{
    (void)state;
    if (getenv("TOI_SANITIZED"))
        skip();
    for (int kind = 0; kind < BOX_KINDS; ++kind) {
        if (kind_is_dense(kind))
            continue;
        int64_t count = kind_defeats_floats(kind) ? 4000 : long_factor() > 1 ? 12000 : 4000;
        box_list a = make_boxes(kind, count, 4), b = make_boxes(kind, count * 2 / 3, 5);
        if (kind % 2 == 0 || long_factor() > 1) // one list or two
            check_large(box_kind_name(kind), a, NULL);
        if (kind % 2 == 1 || long_factor() > 1)
            check_large(box_kind_name(kind), a, &b);
        free(a.data);
        free(b.data);
    }
    static const int larger[] = {UNIFORM, RODS, LATTICE, CLUSTERS, GIANTS};
    for (int i = 0; i < (long_factor() > 1 ? 5 : 2); ++i) {
        box_list a = make_boxes(larger[i], long_factor() > 1 ? 100000 : 20000, 4);
        check_large(box_kind_name(larger[i]), a, NULL);
        free(a.data);
    }
}

// One more and one less than a piece, a cell or a task of some method.
static void sets_about_the_size_of_pieces_agree(void **state)
{
    (void)state;
    if (getenv("TOI_SANITIZED"))
        skip();
    for (int64_t size = 512; size <= 16384; size *= 2)
        for (int64_t count = size - 1; count <= size + 1; ++count) {
            box_list a = make_boxes(UNIFORM, count, 4), b = make_boxes(UNIFORM, size, 5);
            check_large("uniform", a, NULL);
            check_large("uniform", a, &b);
            free(a.data);
            free(b.data);
        }
}

// A million boxes in rows, each touching the next of its row, numbered at random, and one around
// them all: its pairs are known without a search.
enum
{
    ROW = 10000,
    ROWS = 100
};

static void swap_numbers(int32_t *x, int32_t *y)
{
    int32_t kept = *x;
    *x = *y;
    *y = kept;
}

// Box numbers by place; the last place is that of the enormous one.
static int32_t *shuffled(int64_t count)
{
    toi_random random = {11};
    int32_t *numbers = malloc((size_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; ++i)
        numbers[i] = (int32_t)i;
    for (int64_t i = count - 1; i > 0; --i)
        swap_numbers(&numbers[i], &numbers[toi_random_below(&random, (uint64_t)i + 1)]);
    return numbers;
}

static toi_pair sorted_pair(int32_t x, int32_t y)
{
    return x < y ? (toi_pair){x, y} : (toi_pair){y, x};
}

static void one_enormous_among_a_million_tiny(void **state)
{
    (void)state;
    int64_t row = getenv("TOI_SANITIZED") ? ROW / 100 : ROW, tiny = row * ROWS;
    int32_t *numbers = shuffled(tiny + 1);
    box_list a = {malloc((size_t)(tiny + 1) * sizeof *a.data), tiny + 1};
    pair_list expected = {malloc((size_t)(2 * tiny) * sizeof *expected.data), 0};
    for (int64_t i = 0; i < tiny; ++i) {
        double x = (double)(i % row), y = (double)(i / row / 10), z = (double)(i / row % 10);
        a.data[numbers[i]] = (toi_box){{x, y, z}, {x + 1, y + 0.5, z + 0.5}};
        expected.data[expected.count++] = sorted_pair(numbers[i], numbers[tiny]);
        if (i % row > 0)
            expected.data[expected.count++] = sorted_pair(numbers[i], numbers[i - 1]);
    }
    a.data[numbers[tiny]] = (toi_box){{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}};
    assert_ok(toi_sort_pairs(expected.data, expected.count, 2));
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        if (method == TOI_BROAD_BRUTE)
            continue;
        toi_broad_def def = define(method, 2, TOI_ORDER_CANONICAL);
        check_pairs("one among a million", &def, a, NULL, &expected);
    }
    free(expected.data);
    free(a.data);
    free(numbers);
}

// What a stream carried, each worker's share apart.
typedef struct sum
{
    int64_t pairs[8];
    uint64_t mix[8]; // of all pairs, in any order
    int64_t stop_after;
} sum;

static toi_status add_up(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    sum *s = context;
    s->pairs[worker] += count;
    for (int64_t i = 0; i < count; ++i) {
        uint64_t key = (uint64_t)(uint32_t)pairs[i].a << 32 | (uint32_t)pairs[i].b;
        s->mix[worker] += toi_hash(&key, sizeof key);
    }
    if (s->stop_after && s->pairs[worker] > s->stop_after)
        return toi_fail(TOI_ERROR_CANCELLED, "enough");
    return TOI_OK;
}

static sum stream_all(const toi_broad_def *def, box_list a, const box_list *b)
{
    sum s = {.stop_after = 0};
    toi_box_view second = b ? view(*b) : view(a);
    assert_ok(toi_stream_pairs(def, view(a), b ? &second : NULL, add_up, &s));
    for (int w = 1; w < 8; ++w) {
        s.pairs[0] += s.pairs[w];
        s.mix[0] += s.mix[w];
    }
    return s;
}

static void streams_carry_the_same_pairs(void **state)
{
    (void)state;
    int64_t part = getenv("TOI_SANITIZED") ? 4 : 1;
    box_list a = make_boxes(UNIFORM, 6000 / part, 6), b = make_boxes(UNIFORM, 5000 / part, 7);
    for (int lists = 1; lists <= 2; ++lists) {
        toi_broad_def reference = define(TOI_BROAD_BRUTE, 1, TOI_ORDER_OWN);
        sum expected = stream_all(&reference, a, lists == 2 ? &b : NULL);
        assert_true(expected.pairs[0] > 5000 / (part * part));
        for (int workers = 1; workers <= 8; workers += 7)
            for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
                toi_broad_def def = define(method, workers, TOI_ORDER_OWN);
                sum s = stream_all(&def, a, lists == 2 ? &b : NULL);
                assert_int_equal(s.pairs[0], expected.pairs[0]);
                assert_true(s.mix[0] == expected.mix[0]);
            }
    }
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, 2, TOI_ORDER_OWN);
        sum s = {.stop_after = 100};
        assert_fails(toi_stream_pairs(&def, view(a), NULL, add_up, &s), TOI_ERROR_CANCELLED,
                     "enough");
    }
    free(a.data);
    free(b.data);
}

static void bad_boxes_are_named(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    box_list a = make_boxes(UNIFORM, 10, 1), b = make_boxes(UNIFORM, 10, 2);
    toi_pair_array pairs = {0};
    for (int i = 0; i < TOI_BROAD_COUNT * 18; ++i) {
        toi_broad_def def = define(i / 18, 1, TOI_ORDER_CANONICAL);
        double *bound = i / 3 % 2 ? &b.data[7].lo[i / 6 % 3] : &b.data[7].hi[i / 6 % 3];
        double kept = *bound;
        *bound = bad[i % 3];
        assert_fails(toi_find_pairs_between(&def, view(a), view(b), &pairs), TOI_ERROR_DATA,
                     "second list: box 7");
        assert_fails(toi_find_pairs(&def, view(b), &pairs), TOI_ERROR_DATA, "box 7");
        *bound = kept;
    }
    toi_broad_def def = toi_default_broad_def();
    b.data[7].hi[2] = -5;
    assert_fails(toi_find_pairs(&def, view(b), &pairs), TOI_ERROR_DATA, "axis z");
    assert_null(pairs.data);
    free(a.data);
    free(b.data);
}

static void bad_definitions_are_named(void **state)
{
    (void)state;
    box_list a = make_boxes(UNIFORM, 10, 1);
    toi_broad_def def = toi_default_broad_def();
    toi_pair_array pairs = {0};
    def.cookie = 0;
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_ARGUMENT,
                 "toi_default_broad_def");
    def = define(TOI_BROAD_COUNT, 1, TOI_ORDER_OWN);
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_ARGUMENT, "no broad phase");
    def = define(TOI_BROAD_AUTO, TOI_MAX_WORKERS + 1, TOI_ORDER_OWN);
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_ARGUMENT, "workers");
    def = toi_default_broad_def();
    a.count = (int64_t)INT32_MAX + 1;
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_LIMIT, "boxes");
    assert_null(pairs.data);
    free(a.data);
}

static void methods_have_names(void **state)
{
    (void)state;
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        assert_non_null(toi_broad_name((toi_broad_method)method));
        assert_int_equal(toi_broad_find(toi_broad_name((toi_broad_method)method)), method);
    }
    assert_null(toi_broad_name(TOI_BROAD_COUNT));
    assert_int_equal(toi_broad_find("quadtree"), TOI_BROAD_COUNT);
}

typedef struct watch
{
    double stop_at;
    double last;
} watch;

static bool watch_progress(void *context, double done)
{
    watch *w = context;
    assert_true(done >= 0 && done <= 1);
    w->last = done;
    return done < w->stop_at;
}

static void a_caller_can_stop_a_search(void **state)
{
    (void)state;
    int64_t count = getenv("TOI_SANITIZED") ? 6000 : 20000;
    box_list a = make_boxes(UNIFORM, count, 6), b = make_boxes(UNIFORM, count, 7);
    toi_pair_array pairs = {0};
    for (int i = 0; i < 2 * TOI_BROAD_COUNT; ++i) {
        toi_broad_def def = define(i / 2, 2, TOI_ORDER_OWN);
        watch w = {0.5, -1};
        def.progress = watch_progress;
        def.progress_context = &w;
        toi_status status = i % 2 ? toi_find_pairs_between(&def, view(a), view(b), &pairs)
                                  : toi_find_pairs(&def, view(a), &pairs);
        if (status != TOI_ERROR_CANCELLED || w.last < 0.5)
            fail_msg("%s was not stopped: it told of %g", toi_broad_name(def.method), w.last);
        assert_true(strstr(toi_last_message(), "progress") && pairs.count == 0);
    }
    toi_free_pairs(&pairs);
    free(a.data);
    free(b.data);
}

static void progress_reaches_the_end(void **state)
{
    (void)state;
    box_list a = make_boxes(UNIFORM, getenv("TOI_SANITIZED") ? 6000 : 20000, 6);
    toi_pair_array pairs = {0};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, 1, TOI_ORDER_OWN);
        watch w = {2, -1};
        def.progress = watch_progress;
        def.progress_context = &w;
        assert_ok(toi_find_pairs(&def, view(a), &pairs));
        if (w.last < 0.99)
            fail_msg("%s ends at %g", toi_broad_name(def.method), w.last);
    }
    toi_free_pairs(&pairs);
    free(a.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_agree),
        cmocka_unit_test(the_sets_have_pairs_and_gaps),
        cmocka_unit_test(large_sets_agree_with_brute),
        cmocka_unit_test(sets_about_the_size_of_pieces_agree),
        cmocka_unit_test(one_enormous_among_a_million_tiny),
        cmocka_unit_test(streams_carry_the_same_pairs),
        cmocka_unit_test(bad_boxes_are_named),
        cmocka_unit_test(bad_definitions_are_named),
        cmocka_unit_test(methods_have_names),
        cmocka_unit_test(a_caller_can_stop_a_search),
        cmocka_unit_test(progress_reaches_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
