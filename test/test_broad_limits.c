// Broad phases hold the memory limit by handing pairs on in blocks, and allocations that fail leave
// nothing behind.

#include "steps.h"
#include "tangles.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static toi_broad_def define(int method, toi_broad_memory *memory)
{
    toi_broad_def def = toi_default_broad_def();
    def.method = (toi_broad_method)method;
    def.workers = 1;
    def.memory = memory;
    return def;
}

static toi_broad_memory *make_memory(void)
{
    toi_broad_memory *memory;
    assert_ok(toi_make_broad_memory(&memory));
    return memory;
}

static uint64_t hash_list(const toi_pair_array *pairs)
{
    return toi_hash(pairs->data, (size_t)pairs->count * sizeof *pairs->data);
}

// An allocator that counts, and fails once, or from then on.
static struct
{
    _Atomic int64_t live, made, bytes, peak;
    int64_t fail_at;
    bool stay_empty;
} ledger;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    int64_t made = atomic_fetch_add(&ledger.made, 1);
    if (made == ledger.fail_at || (ledger.stay_empty && made > ledger.fail_at))
        return NULL;
    ++ledger.live;
    int64_t bytes = atomic_fetch_add(&ledger.bytes, (int64_t)size) + (int64_t)size;
    int64_t peak = ledger.peak;
    while (bytes > peak && !atomic_compare_exchange_weak(&ledger.peak, &peak, bytes)) {}
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory, size_t size)
{
    (void)user;
    --ledger.live;
    ledger.bytes -= (int64_t)size;
    free(memory);
}

static void count_allocations(int64_t fail_at)
{
    ledger.live = ledger.made = ledger.bytes = ledger.peak = 0;
    ledger.fail_at = fail_at;
    ledger.stay_empty = false;
    toi_set_hooks(&(toi_hooks){.allocate = counting_allocate, .release = counting_release});
}

// Several calls of which one allocation fails; TOI_OK when none was left to fail. With a memory the
// second call starts from what the first kept, and so does the last, which is not disturbed.
static toi_status calls_with_a_failure(toi_broad_def def, bool keep, int64_t fail_at, box_list a,
                                       const box_list *b, const pair_list *expected)
{
    count_allocations(fail_at);
    toi_status status = keep ? toi_make_broad_memory(&def.memory) : TOI_OK;
    if (status == TOI_OK) {
        toi_pair_array pairs = {0};
        for (int call = 0; call < (keep ? 3 : 1) && status == TOI_OK; ++call)
            status = b ? toi_find_pairs_between(&def, view(a), view(*b), &pairs)
                       : toi_find_pairs(&def, view(a), &pairs);
        if (status != TOI_OK)
            assert_int_equal(pairs.count, 0);
        toi_free_pairs(&pairs);
        check_pairs("after a failure", &def, a, b, expected);
    }
    toi_free_broad_memory(def.memory);
    if (ledger.live != 0)
        fail_msg("%s keeps %lld blocks after allocation %lld failed", toi_broad_name(def.method),
                 (long long)ledger.live, (long long)fail_at);
    toi_set_hooks(NULL);
    return status;
}

// Makes every allocation of a call fail in turn: always a status, never a leak.
static void fail_one_after_the_other(toi_broad_def def, bool keep, box_list a, const box_list *b,
                                     const pair_list *expected)
{
    int64_t fail_at = 0;
    toi_status status;
    while ((status = calls_with_a_failure(def, keep, fail_at, a, b, expected)) != TOI_OK) {
        assert_int_equal(status, TOI_ERROR_MEMORY);
        assert_true(++fail_at < 2000);
    }
    assert_true(fail_at > 2);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    box_list a = make_boxes(GIANTS, 700, 8), b = make_boxes(UNIFORM, 600, 9);
    pair_list expected[2] = {slow_pairs(a, NULL), slow_pairs(a, &b)};
    int stride = getenv("TOI_SANITIZED") ? 3 : 1; // of the eight choices others with each method
    for (int variant = 0; variant < 8 * TOI_BROAD_COUNT; variant += stride) {
        toi_broad_def def = define(variant / 8, NULL);
        def.workers = 1 + variant / 4 % 2;
        fail_one_after_the_other(def, variant / 2 % 2, a, variant % 2 ? &b : NULL,
                                 &expected[variant % 2]);
    }
    free(expected[0].data);
    free(expected[1].data);
    free(a.data);
    free(b.data);
}

// Enough boxes for every method to cut its work in pieces.
static void every_allocation_of_a_large_search_may_fail(void **state)
{
    (void)state;
    box_list a = make_boxes(GIANTS, getenv("TOI_SANITIZED") ? 9000 : 20000, 8);
    pair_list expected = method_pairs(TOI_BROAD_STQ, a, NULL);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, NULL);
        def.workers = 2;
        if (method != TOI_BROAD_BRUTE)
            fail_one_after_the_other(def, true, a, NULL, &expected);
    }
    free(expected.data);
    free(a.data);
}

// Candidates of both kinds, twice in a scene; one allocation fails.
static toi_status candidates_with_a_failure(toi_ccd_def def, const tangle *t, bool keep,
                                            int64_t fail_at)
{
    count_allocations(fail_at);
    ledger.stay_empty = true; // a scene tries again without what it keeps
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    toi_scene *scene = NULL;
    toi_status status = keep ? make_scene_of(&t->mesh, NULL, &scene) : TOI_OK;
    for (int turn = 0; turn < 1 + keep && status == TOI_OK; ++turn)
        status = ask_all_candidates(scene, &def, &t->mesh, lists, NULL);
    if (status != TOI_OK)
        assert_true(lists[0].count == 0 && lists[1].count == 0);
    else
        assert_true(lists[0].count > 0 && lists[1].count > 0);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
    toi_free_scene(scene);
    assert_int_equal(ledger.live, 0);
    toi_set_hooks(NULL);
    return status;
}

static void every_allocation_for_a_mesh_may_fail(void **state)
{
    (void)state;
    tangle t = make_tangle(SOUP, ANYWHERE, EDGES_NOT_GIVEN, 60, 5);
    for (int variant = 0; variant < 2 * TOI_BROAD_COUNT; ++variant) {
        toi_ccd_def def = toi_default_ccd_def();
        def.broad.method = (toi_broad_method)(variant / 2);
        def.workers = 1;
        int64_t fail_at = 0;
        toi_status status;
        while ((status = candidates_with_a_failure(def, &t, variant % 2, fail_at)) != TOI_OK) {
            assert_int_equal(status, TOI_ERROR_MEMORY);
            assert_true(++fail_at < 1000);
        }
        assert_true(fail_at > 5);
    }
    free_tangle(&t);
}

// A stream's pairs, in any order.
typedef struct tally
{
    _Atomic int64_t count;
    _Atomic uint64_t mix;
} tally;

static toi_status count_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    tally *t = context;
    uint64_t mix = 0;
    for (int64_t i = 0; i < count; ++i) {
        uint64_t key = (uint64_t)(uint32_t)pairs[i].a << 32 | (uint32_t)pairs[i].b;
        key *= UINT64_C(0x9e3779b97f4a7c15);
        mix += (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    t->count += count;
    t->mix += mix;
    return TOI_OK;
}

// Limits from nothing to enough: each is held, refused or met, and spoils nothing.
static void every_limit_is_held(void **state)
{
    (void)state;
    bool brief = getenv("TOI_SANITIZED");
    box_list a = make_boxes(GIANTS, brief ? 2500 : 10000, 8);
    box_list b = make_boxes(UNIFORM, brief ? 1000 : 3000, 9);
    pair_list expected[2] = {method_pairs(TOI_BROAD_BRUTE, a, NULL),
                             method_pairs(TOI_BROAD_BRUTE, a, &b)};
    toi_box_view second = view(b);
    for (int variant = 0; variant < 2 * TOI_BROAD_COUNT; ++variant) {
        count_allocations(-1);
        toi_broad_def def = define(variant / 2, make_memory());
        int64_t refused = 0;
        for (int64_t limit = 1000; limit < 64 << 20; limit += limit / (brief ? 1 : 3)) {
            tally t = {0};
            def.memory_limit = limit;
            ledger.peak = (int64_t)ledger.bytes;
            toi_status status =
                toi_stream_pairs(&def, view(a), variant % 2 ? &second : NULL, count_pairs, &t);
            if (status == TOI_OK) {
                assert_int_equal(t.count, expected[variant % 2].count);
                if (ledger.peak > limit + 1000)
                    fail_msg("%s took %lld bytes, not %lld", toi_broad_name(def.method),
                             (long long)ledger.peak, (long long)limit);
            } else {
                assert_int_equal(status, TOI_ERROR_LIMIT);
                assert_non_null(strstr(toi_last_message(), "raise the limit"));
                ++refused;
            }
            def.memory_limit = 0;
            check_pairs("after a limit", &def, a, variant % 2 ? &b : NULL, &expected[variant % 2]);
        }
        assert_true(refused > 2 && refused < 30);
        toi_free_broad_memory(def.memory);
        assert_int_equal(ledger.live, 0);
        toi_set_hooks(NULL);
    }
    free(expected[0].data);
    free(expected[1].data);
    free(a.data);
    free(b.data);
}

static void every_limit_is_held_for_a_mesh(void **state)
{
    (void)state;
    tangle t = make_tangle(SOUP, ANYWHERE, PACKED, 700, 5);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_ccd_def def = toi_default_ccd_def();
        toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
        toi_ccd_report report;
        int64_t refused = 0;
        def.broad.method = (toi_broad_method)method;
        def.workers = 1;
        assert_ok(toi_find_all_candidates(&def, &t.mesh, lists, &report));
        uint64_t expected[] = {hash_list(&lists[0]), hash_list(&lists[1])};
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            toi_free_pairs(&lists[kind]);
        count_allocations(-1);
        toi_scene *scene;
        assert_ok(make_scene_of(&t.mesh, NULL, &scene));
        int64_t object = (int64_t)ledger.bytes - toi_scene_bytes(scene); // is not the call's
        for (int64_t limit = 10000; limit < 64 << 20; limit += limit / 3) {
            def.memory_limit = limit;
            ledger.peak = (int64_t)ledger.bytes;
            toi_status status = ask_all_candidates(scene, &def, &t.mesh, lists, &report);
            if (status == TOI_OK) {
                assert_true(hash_list(&lists[0]) == expected[0]);
                assert_true(hash_list(&lists[1]) == expected[1]);
                assert_true(report.peak_bytes <= limit);
                if (ledger.peak > limit + object)
                    fail_msg("%s took %lld bytes, not %lld", toi_broad_name(def.broad.method),
                             (long long)ledger.peak, (long long)limit);
            } else {
                assert_int_equal(status, TOI_ERROR_LIMIT);
                ++refused;
            }
            for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
                toi_free_pairs(&lists[kind]);
        }
        assert_true(refused > 2 && refused < 25);
        toi_free_scene(scene);
        assert_int_equal(ledger.live, 0);
        toi_set_hooks(NULL);
    }
    free_tangle(&t);
}

// A list that does not fit is refused; a stream of the same pairs fits, and so does the list
// without a limit. Four million pairs, in the same order for any workers.
static void long_lists_are_refused_or_whole(void **state)
{
    (void)state;
    int64_t count = getenv("TOI_SANITIZED") ? 1000 : 3000;
    box_list a = make_boxes(NESTED, count, 1);
    pair_list expected = slow_pairs(a, NULL);
    toi_pair_array pairs = {0};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, NULL);
        def.order = TOI_ORDER_OWN;
        uint64_t own = check_pairs("a long list", &def, a, NULL, &expected);
        for (def.workers = 2; def.workers <= 5; def.workers += 3) {
            tally t = {0};
            def.memory_limit = 0;
            check_same_order("a long list", &def, a, NULL, &expected, own);
            def.memory_limit = 2 << 20;
            assert_fails(toi_find_pairs(&def, view(a), &pairs), TOI_ERROR_LIMIT, "raise the limit");
            assert_int_equal(pairs.count, 0);
            assert_ok(toi_stream_pairs(&def, view(a), NULL, count_pairs, &t));
            assert_int_equal(t.count, expected.count);
        }
    }
    toi_free_pairs(&pairs);
    free(expected.data);
    free(a.data);
}

// Where pairs grow with the square, or boxes reach through everything, memory still grows with the
// boxes alone.
static void crowds_stream_within_a_limit(void **state)
{
    (void)state;
    static const struct
    {
        int kind;
        int64_t count;
    } crowds[] = {{IDENTICAL, 5000}, {NESTED, 5000}, {CROWDED, 13334}, {PLATES, 5000},
                  {PILLARS, 50000},  {RODS, 50000},  {GIANTS, 100000}};
    int64_t divisor = getenv("TOI_SANITIZED") ? 20 : long_factor() > 1 ? 1 : 3;
    for (int i = 0; i < (int)(sizeof crowds / sizeof *crowds); ++i) {
        box_list a = make_boxes(crowds[i].kind, crowds[i].count / divisor, 3);
        toi_broad_def def = define(TOI_BROAD_BRUTE, NULL);
        tally expected = {0};
        assert_ok(toi_stream_pairs(&def, view(a), NULL, count_pairs, &expected));
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            count_allocations(-1);
            def = define(method, make_memory());
            def.memory_limit = 300 * a.count + (2 << 20);
            tally t = {0};
            toi_status status = toi_stream_pairs(&def, view(a), NULL, count_pairs, &t);
            if (status != TOI_OK)
                fail_msg("%s on %s: %s", toi_broad_name(def.method), box_kind_name(crowds[i].kind),
                         toi_last_message());
            assert_int_equal(t.count, expected.count);
            assert_true(t.mix == expected.mix);
            assert_true(ledger.peak <= def.memory_limit + 1000);
            toi_free_broad_memory(def.memory);
            toi_set_hooks(NULL);
        }
        free(a.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_a_large_search_may_fail),
        cmocka_unit_test(every_allocation_for_a_mesh_may_fail),
        cmocka_unit_test(every_limit_is_held),
        cmocka_unit_test(every_limit_is_held_for_a_mesh),
        cmocka_unit_test(long_lists_are_refused_or_whole),
        cmocka_unit_test(crowds_stream_within_a_limit),
    };
    return cmocka_run_group_tests_name("broad_limits", tests, NULL, NULL);
}
