// Every broad phase returns exactly the overlapping pairs: for ordinary and for nasty boxes, one
// list or two, stored or streamed, with any instruction set and any number of workers.

#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct box_list
{
    toi_box *data;
    int64_t count;
} box_list;

static toi_box_view view(box_list list)
{
    return (toi_box_view){list.data, list.count};
}

// Kinds of box sets, each a way to break a broad phase.
enum
{
    UNIFORM,   // small boxes all over
    LATTICE,   // small integers: ties everywhere, touching faces
    IDENTICAL, // all the same
    NESTED,    // one inside the other
    POINTS,    // no size, many coincide
    OUTLIER,   // one enormous among tiny ones
    FLAT,      // all in a plane
    NEAR_TIES, // distinct doubles that are one float
    HUGE_SIZE, // beyond the floats
    DENORMAL,  // below the normal numbers
    KINDS
};

static void fill_interval(int kind, toi_random *random, int64_t i, int axis, double *lo, double *hi)
{
    double a = toi_random_range(random, -1, 1), b = a + toi_random_range(random, 0, 0.2);
    double step = (double)toi_random_below(random, 8);
    switch (kind) {
    case LATTICE:
        a = step;
        b = a + (double)toi_random_below(random, 2);
        break;
    case IDENTICAL:
        a = 0.25, b = 0.5;
        break;
    case NESTED:
        a = -(double)i, b = (double)i;
        break;
    case POINTS:
        a = b = step;
        break;
    case OUTLIER:
        if (i == 3)
            a = -100, b = 100;
        else
            b = a + 0.01;
        break;
    case FLAT:
        if (axis == 1)
            a = b = 0.125;
        break;
    case NEAR_TIES:
        a = 1 + step * 0x1p-30;
        b = 1 + (double)toi_random_below(random, 8) * 0x1p-30;
        break;
    case HUGE_SIZE:
        a *= 1e300, b *= 1e300;
        break;
    case DENORMAL:
        a *= 0x1p-1040, b *= 0x1p-1040;
        break;
    default:
        break;
    }
    *lo = fmin(a, b);
    *hi = fmax(a, b);
}

static box_list make_boxes(int kind, int64_t count, uint64_t seed)
{
    toi_random random = {seed * 100 + (uint64_t)kind};
    box_list list = {malloc((size_t)(count + 1) * sizeof(toi_box)), count};
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            fill_interval(kind, &random, i, k, &list.data[i].lo[k], &list.data[i].hi[k]);
    return list;
}

static bool overlap(const toi_box *a, const toi_box *b)
{
    for (int k = 0; k < 3; ++k)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k])
            return false;
    return true;
}

// The slow twin: two loops.
static uint64_t slow_hash(box_list a, const box_list *b, int64_t *count)
{
    toi_pair *pairs = malloc((size_t)(a.count * (b ? b->count : a.count) + 1) * sizeof *pairs);
    *count = 0;
    for (int64_t i = 0; i < a.count; ++i)
        for (int64_t j = b ? 0 : i + 1; j < (b ? b->count : a.count); ++j)
            if (overlap(&a.data[i], b ? &b->data[j] : &a.data[j]))
                pairs[(*count)++] = (toi_pair){(int32_t)i, (int32_t)j};
    uint64_t hash = toi_hash(pairs, (size_t)*count * sizeof *pairs);
    free(pairs);
    return hash;
}

static uint64_t find_hash(toi_broad_method method, int workers, box_list a, const box_list *b,
                          toi_order order)
{
    toi_broad_def def = toi_default_broad_def();
    def.method = method;
    def.workers = workers;
    def.order = order;
    toi_pair_array pairs = {0};
    if (b)
        assert_ok(toi_find_pairs_between(&def, view(a), view(*b), &pairs));
    else
        assert_ok(toi_find_pairs(&def, view(a), &pairs));
    uint64_t hash = toi_hash(pairs.data, (size_t)pairs.count * sizeof *pairs.data);
    toi_free_pairs(&pairs);
    return hash;
}

static void check_set(box_list a, const box_list *b)
{
    int64_t count;
    uint64_t expected = slow_hash(a, b, &count);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        uint64_t own = find_hash((toi_broad_method)method, 1, a, b, TOI_ORDER_OWN);
        for (int workers = 1; workers <= 8; workers += workers < 3 ? 1 : 5) {
            assert_true(find_hash((toi_broad_method)method, workers, a, b, TOI_ORDER_CANONICAL) ==
                        expected);
            assert_true(find_hash((toi_broad_method)method, workers, a, b, TOI_ORDER_OWN) == own);
        }
    }
}

static void all_methods_agree(void **state)
{
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    int sets = 0;
    // Up to 121 boxes still fill several blocks; the larger sets are for the plain build.
    int64_t largest = getenv("TOI_SANITIZED") ? 200 : 700;
    for (int level = 0; level < 3; ++level) {
        if (toi_set_simd(levels[level]) != TOI_OK)
            continue;
        for (int kind = 0; kind < KINDS; ++kind)
            for (int64_t count = 0; count <= largest; count = 3 * count + 1, ++sets) {
                box_list a = make_boxes(kind, count, 1), b = make_boxes(kind, count * 2 / 3, 2);
                check_set(a, NULL);
                check_set(a, &b);
                free(a.data);
                free(b.data);
            }
    }
    assert_ok(toi_set_simd(NULL));
    assert_true(sets >= KINDS * 5);
}

// The sets above must not pass for the wrong reason.
static void the_sets_have_pairs_and_gaps(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        box_list a = make_boxes(kind, 364, 1);
        int64_t count;
        slow_hash(a, NULL, &count);
        assert_true(count > 0);
        if (kind != IDENTICAL && kind != NESTED)
            assert_true(count < 364 * 363 / 2);
        free(a.data);
    }
}

// Larger than one task, one writer's buffer and one sweep window.
static void large_sets_agree_with_brute(void **state)
{
    (void)state;
    if (getenv("TOI_SANITIZED"))
        skip();
    for (int kind = UNIFORM; kind <= NEAR_TIES; ++kind) {
        if (kind == NESTED || kind == IDENTICAL || kind == NEAR_TIES)
            continue; // dense: the pairs would not fit a test
        box_list a = make_boxes(kind, 12000, 4), b = make_boxes(kind, 8000, 5);
        for (int k = 0; kind == UNIFORM && k < 12000; ++k)
            for (int x = 0; x < 3; ++x)
                a.data[k].hi[x] = a.data[k].lo[x] + 0.02;
        if (kind == POINTS || kind == LATTICE)
            a.count = 3000, b.count = 2000;
        for (int lists = 1; lists <= 2; ++lists) {
            const box_list *second = lists == 2 ? &b : NULL;
            uint64_t expected = find_hash(TOI_BROAD_BRUTE, 2, a, second, TOI_ORDER_CANONICAL);
            for (int workers = 1; workers <= 8; workers += 3)
                assert_true(find_hash(TOI_BROAD_STQ, workers, a, second, TOI_ORDER_CANONICAL) ==
                            expected);
        }
        free(a.data);
        free(b.data);
    }
}

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

static void streams_carry_the_same_pairs(void **state)
{
    (void)state;
    box_list a = make_boxes(UNIFORM, 6000, 6);
    uint64_t expected = 0;
    for (int workers = 1; workers <= 8; workers += 7)
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            toi_broad_def def = toi_default_broad_def();
            def.method = (toi_broad_method)method;
            def.workers = workers;
            sum s = {.stop_after = 0};
            assert_ok(toi_stream_pairs(&def, view(a), NULL, add_up, &s));
            uint64_t mix = 0;
            int64_t pairs = 0;
            for (int w = 0; w < 8; ++w) {
                mix += s.mix[w];
                pairs += s.pairs[w];
            }
            assert_true(pairs > 10000);
            if (!expected)
                expected = mix;
            assert_true(mix == expected);
        }
    toi_broad_def def = toi_default_broad_def();
    sum s = {.stop_after = 100};
    assert_fails(toi_stream_pairs(&def, view(a), NULL, add_up, &s), TOI_ERROR_CANCELLED, "enough");
    free(a.data);
}

static void bad_boxes_are_named(void **state)
{
    (void)state;
    box_list a = make_boxes(UNIFORM, 10, 1), b = make_boxes(UNIFORM, 10, 2);
    toi_broad_def def = toi_default_broad_def();
    toi_pair_array pairs = {0};
    b.data[7].hi[2] = NAN;
    assert_fails(toi_find_pairs_between(&def, view(a), view(b), &pairs), TOI_ERROR_DATA,
                 "second list: box 7");
    b.data[7].hi[2] = INFINITY;
    assert_fails(toi_find_pairs(&def, view(b), &pairs), TOI_ERROR_DATA, "box 7");
    b.data[7].hi[2] = -5;
    assert_fails(toi_find_pairs(&def, view(b), &pairs), TOI_ERROR_DATA, "axis z");
    def.cookie = 0;
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_ARGUMENT,
                 "toi_default_broad_def");
    def = toi_default_broad_def();
    def.method = TOI_BROAD_COUNT;
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_ARGUMENT, "no broad phase");
    def = toi_default_broad_def();
    def.workers = TOI_MAX_WORKERS + 1;
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_ARGUMENT, "workers");
    def = toi_default_broad_def();
    a.count = (int64_t)INT32_MAX + 1;
    assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_LIMIT, "boxes");
    assert_null(pairs.data);
    free(a.data);
    free(b.data);
}

static void a_memory_limit_is_an_error_not_a_crash(void **state)
{
    (void)state;
    box_list a = make_boxes(IDENTICAL, 3000, 1); // 4.5 million pairs, 36 MB
    toi_broad_def def = toi_default_broad_def();
    toi_pair_array pairs = {0};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        def.method = (toi_broad_method)method;
        def.workers = 2;
        def.memory_limit = 4 << 20;
        assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_LIMIT, "raise the limit");
        assert_int_equal(pairs.count, 0);
        sum s = {.stop_after = 0};
        assert_ok(toi_stream_pairs(&def, view(a), NULL, add_up, &s)); // a stream fits in it
        assert_int_equal(s.pairs[0] + s.pairs[1], 3000 * 2999 / 2);
        def.memory_limit = 0;
        assert_ok(toi_find_pairs(&def, view(a), &pairs));
        assert_int_equal(pairs.count, 3000 * 2999 / 2);
    }
    toi_free_pairs(&pairs);
    free(a.data);
}

static bool stop_at_half(void *context, double done)
{
    double *last = context;
    assert_true(done >= 0 && done <= 1);
    *last = done;
    return done < 0.5;
}

static void a_caller_can_stop_a_search(void **state)
{
    (void)state;
    box_list a = make_boxes(UNIFORM, 20000, 6);
    double last = -1;
    toi_broad_def def = toi_default_broad_def();
    def.progress = stop_at_half;
    def.progress_context = &last;
    toi_pair_array pairs = {0};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        def.method = (toi_broad_method)method;
        assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_CANCELLED, "progress");
        assert_true(last >= 0.5 && pairs.count == 0);
    }
    toi_free_pairs(&pairs);
    free(a.data);
}

int main(void)
{
    use_threads_for_sanitizer();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_agree),
        cmocka_unit_test(the_sets_have_pairs_and_gaps),
        cmocka_unit_test(large_sets_agree_with_brute),
        cmocka_unit_test(streams_carry_the_same_pairs),
        cmocka_unit_test(bad_boxes_are_named),
        cmocka_unit_test(a_memory_limit_is_an_error_not_a_crash),
        cmocka_unit_test(a_caller_can_stop_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
