// Memory, sorting, parallel loops, hashing, messages.

#include "support.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Keys carry their index in the low half, so sorting whole keys is what a stable sort by the high
// half must give.
static void radix_sort_agrees_with_qsort(void **state)
{
    (void)state;
    static const uint64_t spreads[] = {1, 2, 255, 70000, 0xffffffffu};
    toi_random random = {7};
    for (int64_t count = 0; count <= 200000; count = count * 5 + 1)
        for (size_t s = 0; s < sizeof spreads / sizeof *spreads; ++s)
            for (int workers = 1; workers <= 8; workers += 3) {
                uint64_t *keys = malloc((size_t)count * 8 + 8),
                         *twin = malloc((size_t)count * 8 + 8);
                for (int64_t i = 0; i < count; ++i)
                    keys[i] = twin[i] = toi_random_below(&random, spreads[s]) << 32 | (uint64_t)i;
                assert_ok(toi_radix_sort(keys, count, ~(uint64_t)0 << 32, workers, NULL));
                qsort(twin, (size_t)count, 8, by_key);
                assert_memory_equal(keys, twin, (size_t)count * 8);
                free(keys);
                free(twin);
            }
}

// The lower halves alone, in the order of the upper ones; also where these are all alike.
static void radix_sort_gives_lower_halves(void **state)
{
    (void)state;
    static const uint64_t spreads[] = {1, 2, 255, 70000, 0xffffffffu};
    toi_random random = {9};
    for (int64_t count = 0; count <= 100000; count = count * 7 + 1)
        for (size_t s = 0; s < sizeof spreads / sizeof *spreads; ++s)
            for (int workers = 1; workers <= 8; workers += 3) {
                size_t words = (size_t)(count + toi_radix_words(count, workers));
                uint64_t *keys = malloc(words * 8), *twin = malloc((size_t)count * 8 + 8);
                int32_t *low = malloc((size_t)count * 4 + 4);
                for (int64_t i = 0; i < count; ++i)
                    keys[i] = twin[i] = toi_random_below(&random, spreads[s]) << 32 | (uint64_t)i;
                toi_radix_sort_low(keys, keys + count, count, ~(uint64_t)0 << 32, workers, low);
                qsort(twin, (size_t)count, 8, by_key);
                for (int64_t i = 0; i < count; ++i)
                    assert_int_equal(low[i], (int32_t)(uint32_t)twin[i]);
                free(low);
                free(twin);
                free(keys);
            }
}

typedef struct places
{
    const uint32_t *at;
    uint64_t *keys;
} places;

static toi_status fill_places(void *context, int64_t first, int64_t end)
{
    const places *p = context;
    for (int64_t i = first; i < end; ++i)
        p->keys[i] = (uint64_t)p->at[i] << 32 | (uint64_t)i;
    return TOI_OK;
}

// Numbers by place, and upwards at each: also where all are at one place, or there are more places
// than numbers.
static void numbers_are_sorted_by_place(void **state)
{
    (void)state;
    static const int64_t ranges[] = {1, 2, 3, 255, 70000, TOI_MOST_PLACES};
    toi_random random = {11};
    for (int64_t count = 0; count <= 100000; count = count * 7 + 1)
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; ++r)
            for (int workers = 1; workers <= 8; workers += 3) {
                size_t words = (size_t)(count + toi_radix_words(count, workers));
                uint64_t *keys = malloc(words * 8), *twin = malloc((size_t)count * 8 + 8);
                uint32_t *at = malloc((size_t)count * 4 + 4);
                int32_t *order = malloc((size_t)count * 4 + 4);
                uint64_t used = r % 2 ? (uint64_t)ranges[r] : 1 + (uint64_t)ranges[r] / 2;
                for (int64_t i = 0; i < count; ++i) {
                    at[i] = (uint32_t)((uint64_t)ranges[r] - 1 - toi_random_below(&random, used));
                    twin[i] = (uint64_t)at[i] << 32 | (uint64_t)i;
                }
                places p = {at, keys};
                toi_place_sort sort = {fill_places, &p,        keys, keys + count,
                                       count,       ranges[r], order};
                toi_sort_by_place(&sort, workers);
                qsort(twin, (size_t)count, 8, by_key);
                for (int64_t i = 0; i < count; ++i)
                    assert_int_equal(order[i], (int32_t)(uint32_t)twin[i]);
                free(order);
                free(at);
                free(twin);
                free(keys);
            }
}

// From 2^18 keys on workers have several pieces each. Memory is taken for more keys than there are.
static void long_radix_sorts_agree_with_qsort(void **state)
{
    (void)state;
    toi_random random = {9};
    for (int64_t count = (1 << 18) - 1; count <= (1 << 18) + 9; count += 5) {
        size_t bytes = (size_t)count * sizeof(uint64_t);
        uint64_t *given = malloc(bytes), *twin = malloc(bytes);
        for (int64_t i = 0; i < count; ++i)
            given[i] = twin[i] = toi_random_below(&random, 5000) << 40 | (uint64_t)i;
        qsort(twin, (size_t)count, sizeof *twin, by_key);
        for (int workers = 1; workers <= 7; workers += 2)
            for (int64_t room = count; room <= count + 20; room += 20) {
                size_t words = (size_t)toi_radix_words(room, workers);
                uint64_t *keys = malloc(bytes), *scratch = malloc(words * sizeof *scratch);
                memcpy(keys, given, bytes);
                toi_radix_sort_with(keys, scratch, count, ~(uint64_t)0 << 40, workers);
                assert_memory_equal(keys, twin, bytes);
                free(scratch);
                free(keys);
            }
        free(given);
        free(twin);
    }
}

// More workers than divide the keys evenly: some of them get none.
static void radix_sort_shares_keys_among_many(void **state)
{
    (void)state;
    enum
    {
        COUNT = 40000
    };
    toi_random random = {8};
    for (int workers = 1000; workers <= TOI_MAX_WORKERS; workers += 12) {
        uint64_t keys[COUNT], twin[COUNT];
        for (int i = 0; i < COUNT; ++i)
            keys[i] = twin[i] = toi_random_below(&random, 1000) << 32 | (uint64_t)i;
        assert_ok(toi_radix_sort(keys, COUNT, ~(uint64_t)0 << 32, workers, NULL));
        qsort(twin, COUNT, 8, by_key);
        assert_memory_equal(keys, twin, sizeof keys);
    }
}

static void radix_sort_takes_whole_keys(void **state)
{
    (void)state;
    enum
    {
        COUNT = 50000
    };
    static uint64_t keys[COUNT], twin[COUNT];
    toi_random random = {8};
    for (int i = 0; i < COUNT; ++i)
        keys[i] = twin[i] = toi_random_bits(&random);
    assert_ok(toi_radix_sort(keys, COUNT, ~(uint64_t)0, 3, NULL));
    qsort(twin, COUNT, 8, by_key);
    assert_memory_equal(keys, twin, sizeof keys);
}

static int by_pair(const void *a, const void *b)
{
    const toi_pair *x = a, *y = b;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

typedef struct wide_element
{
    int32_t high, middle;
    uint32_t low;
    char rest[52];
} wide_element;

static uint64_t wide_key(const void *element, int word)
{
    wide_element e;
    memcpy(&e, element, sizeof e);
    return word > 0 ? e.low : (uint64_t)(uint32_t)e.high << 32 | (uint32_t)e.middle;
}

static int by_wide_key(const void *a, const void *b)
{
    for (int word = 0; word < 2; ++word)
        if (wide_key(a, word) != wide_key(b, word))
            return wide_key(a, word) < wide_key(b, word) ? -1 : 1;
    return 0;
}

// Random, few values, many equal, in order, against it: as qsort() has them.
static void sorting_in_place_needs_nothing(void **state)
{
    (void)state;
    enum
    {
        COUNT = 3000
    };
    static wide_element elements[COUNT], twin[COUNT];
    toi_random random = {9};
    for (int kind = 0; kind < 40; ++kind) {
        int count = kind < 20 ? kind : COUNT;
        for (int i = 0; i < count; ++i) {
            uint64_t bits = toi_random_bits(&random) >> (kind % 8 * 8);
            if (kind % 5 == 3)
                bits = (uint64_t)(kind % 2 ? i : count - i) << 32;
            elements[i] = (wide_element){(int32_t)(bits >> 40 & 1), (int32_t)(bits & 0xffff),
                                         (uint32_t)(bits >> 20), ""};
            elements[i].rest[51] = (char)(elements[i].low % 100); // must come along
        }
        memcpy(twin, elements, sizeof twin);
        toi_sort_in_place(elements, count, sizeof *elements, 2, wide_key);
        qsort(twin, (size_t)count, sizeof *twin, by_wide_key);
        assert_memory_equal(elements, twin, (size_t)count * sizeof *twin);
    }
}

static void *allocate_nothing(void *user, size_t size, size_t alignment)
{
    (void)user;
    (void)size;
    (void)alignment;
    return NULL;
}

// Without memory, and where no 64-bit number may stand.
static void pairs_are_sorted_anywhere(void **state)
{
    (void)state;
    enum
    {
        COUNT = 5000
    };
    static int32_t numbers[2 * COUNT + 1];
    static toi_pair expected[COUNT];
    toi_random random = {10};
    for (int turn = 0; turn < 4; ++turn) {
        toi_pair *pairs = (toi_pair *)(numbers + turn % 2);
        for (int i = 0; i < COUNT; ++i)
            pairs[i] = expected[i] = (toi_pair){(int32_t)(toi_random_bits(&random) % 700),
                                                (int32_t)(toi_random_bits(&random) >> 33)};
        toi_hooks hooks = {.allocate = turn / 2 ? allocate_nothing : NULL};
        toi_set_hooks(&hooks);
        toi_status status = toi_sort_pairs(pairs, COUNT, 1);
        toi_set_hooks(NULL);
        assert_ok(status);
        qsort(expected, COUNT, sizeof *expected, by_pair);
        assert_memory_equal(pairs, expected, sizeof expected);
    }
}

static void memory_is_counted_and_limited(void **state)
{
    (void)state;
    toi_budget budget = {.limit = 1000};
    assert_null(toi_take(&budget, 1000, 1)); // the header does not fit any more
    assert_int_equal(toi_allocation_status(), TOI_ERROR_LIMIT);
    assert_non_null(strstr(toi_last_message(), "1000"));
    void *a = toi_take(&budget, 500, 1);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal(budget.used, 564);
    assert_null(toi_take(&budget, 500, 1));
    assert_int_equal(budget.used, 564);
    assert_non_null(strstr(toi_last_message(), "the memory limit of 1000 bytes is too small"));
    budget.need = 83571712; // what is known of the whole call is what the message names
    budget.list = "8 bytes for every pair";
    assert_null(toi_take(&budget, 500, 1));
    assert_non_null(strstr(toi_last_message(),
                           "needs 79.7 MiB (83,571,712 bytes) and 8 bytes for every pair; raise"));
    toi_detach(a);
    assert_int_equal(budget.used, 0);
    assert_int_equal(budget.peak, 564);
    toi_give_back(a);
}

static void overflowing_sizes_are_refused(void **state)
{
    (void)state;
    assert_null(toi_take(NULL, INT64_MAX / 4, 8));
    assert_int_equal(toi_allocation_status(), TOI_ERROR_MEMORY);
    assert_null(toi_take(NULL, -1, 8));
    assert_null(toi_allocate(SIZE_MAX));
    assert_null(toi_allocate(SIZE_MAX / 2)); // fits the type, not the machine
}

static void arrays_grow_and_keep_their_contents(void **state)
{
    (void)state;
    int *data = NULL;
    int64_t capacity = 0;
    for (int i = 0; i < 10000; ++i) {
        assert_ok(toi_reserve(NULL, (void **)&data, &capacity, i + 1, sizeof *data));
        data[i] = i;
    }
    for (int i = 0; i < 10000; ++i)
        assert_int_equal(data[i], i);
    int *before = data;
    assert_int_equal(toi_reserve(NULL, (void **)&data, &capacity, INT64_MAX / 2, sizeof *data),
                     TOI_ERROR_MEMORY);
    assert_ptr_equal(data, before);
    toi_give_back(data);
}

typedef struct counts
{
    int seen[1000];
    int fail_at;
    int64_t piece; // of ranges
} counts;

static toi_status count_once(void *context, int64_t index, int worker)
{
    counts *c = context;
    assert_true(worker >= 0 && worker < 8);
    ++c->seen[index];
    return index == c->fail_at ? toi_fail(TOI_ERROR_DATA, "task %d is bad", (int)index) : TOI_OK;
}

static void loops_run_every_task_once(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 8; ++workers) {
        counts c = {.fail_at = -1};
        assert_ok(toi_parallel(workers, 1000, count_once, &c));
        for (int i = 0; i < 1000; ++i)
            assert_int_equal(c.seen[i], 1);
    }
}

static toi_status count_range(void *context, int64_t first, int64_t end)
{
    counts *c = context;
    assert_true(first % c->piece == 0 && first < end && end <= first + c->piece);
    for (int64_t i = first; i < end; ++i) {
        ++c->seen[i];
        if (i == c->fail_at)
            return toi_fail(TOI_ERROR_DATA, "element %d is bad", (int)i);
    }
    return TOI_OK;
}

static void ranges_hold_every_element_once(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 8; workers += 7)
        for (int64_t piece = 1; piece < 2000; piece = 3 * piece - 1) {
            counts c = {.fail_at = -1, .piece = piece};
            assert_ok(toi_parallel_ranges(workers, 1000, piece, count_range, &c));
            for (int i = 0; i < 1000; ++i)
                assert_int_equal(c.seen[i], 1);
            assert_ok(toi_parallel_ranges(workers, 0, piece, count_range, &c));
            c.fail_at = 977;
            assert_fails(toi_parallel_ranges(workers, 1000, piece, count_range, &c), TOI_ERROR_DATA,
                         "element 977 is bad");
        }
}

// The message of a failure on another thread must reach the caller's thread.
static void loops_report_failures(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 8; workers += 7) {
        counts c = {.fail_at = 977};
        toi_fail(TOI_ERROR_FILE, "stale");
        assert_fails(toi_parallel(workers, 1000, count_once, &c), TOI_ERROR_DATA,
                     "task 977 is bad");
    }
}

static toi_status fail_often(void *context, int64_t index, int worker)
{
    (void)context;
    (void)worker;
    return index % 1000 == 777 ? toi_fail(TOI_ERROR_DATA, "task %d is bad", (int)index) : TOI_OK;
}

static toi_status fail_in_range(void *context, int64_t first, int64_t end)
{
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i)
        status = fail_often(context, i, 0);
    return status;
}

// Workers take tasks in runs, and a later one may fail before an earlier one is run.
static void the_first_failure_is_reported(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round)
        for (int workers = 1; workers <= 8; ++workers) {
            assert_fails(toi_parallel(workers, 100000, fail_often, NULL), TOI_ERROR_DATA,
                         "task 777 is bad");
            for (int64_t piece = 1; piece < 2000; piece = 3 * piece + 1)
                assert_fails(toi_parallel_ranges(workers, 100000, piece, fail_in_range, NULL),
                             TOI_ERROR_DATA, "task 777 is bad");
        }
}

static void pieces_cover_a_range(void **state)
{
    (void)state;
    for (int64_t count = 0; count < 50; ++count)
        for (int64_t pieces = 1; pieces < 12; ++pieces) {
            assert_int_equal(toi_piece_start(count, pieces, 0), 0);
            assert_int_equal(toi_piece_start(count, pieces, pieces), count);
            for (int64_t p = 0; p < pieces; ++p)
                assert_true(toi_piece_start(count, pieces, p) <=
                            toi_piece_start(count, pieces, p + 1));
        }
}

static void *fail_elsewhere(void *unused)
{
    toi_fail(TOI_ERROR_DATA, "elsewhere");
    return unused;
}

static void messages_belong_to_their_thread(void **state)
{
    (void)state;
    pthread_t other;
    toi_fail(TOI_ERROR_DATA, "here");
    assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, NULL), 0);
    pthread_join(other, NULL);
    assert_string_equal(toi_last_message(), "here");
}

// From the definitions of XXH64 and SplitMix64: the same on every platform.
static void known_values(void **state)
{
    (void)state;
    assert_true(toi_hash("", 0) == UINT64_C(0xef46db3751d8e999));
    assert_true(toi_hash("a", 1) == UINT64_C(0xd24ec4f1a98c6e5b));
    assert_true(toi_hash("Nobody inspects the spammish repetition", 39) ==
                UINT64_C(0xfbcea83c8a378bf1)); // longer than a block
    toi_random random = {0};
    assert_true(toi_random_bits(&random) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(toi_random_bits(&random) == UINT64_C(0x6e789e6aa1b965f4));
    assert_string_equal(toi_version(), TOI_VERSION);
}

static void names_are_complete(void **state)
{
    (void)state;
    for (int i = 0; i < TOI_STATUS_COUNT; ++i)
        assert_true(strlen(toi_status_name((toi_status)i)) > 0);
    for (int i = 0; i < TOI_BROAD_COUNT; ++i)
        assert_int_equal(toi_broad_find(toi_broad_name((toi_broad_method)i)), i);
    for (int i = 0; i < TOI_NARROW_COUNT; ++i)
        assert_int_equal(toi_narrow_find(toi_narrow_name((toi_narrow_method)i)), i);
    assert_null(toi_broad_name(TOI_BROAD_COUNT));
    assert_int_equal(toi_broad_find("none"), TOI_BROAD_COUNT);
    assert_int_equal(toi_narrow_find("none"), TOI_NARROW_COUNT);
    assert_fails(toi_set_simd("mmx"), TOI_ERROR_ARGUMENT, "mmx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radix_sort_agrees_with_qsort),
        cmocka_unit_test(radix_sort_gives_lower_halves),
        cmocka_unit_test(numbers_are_sorted_by_place),
        cmocka_unit_test(long_radix_sorts_agree_with_qsort),
        cmocka_unit_test(radix_sort_shares_keys_among_many),
        cmocka_unit_test(radix_sort_takes_whole_keys),
        cmocka_unit_test(sorting_in_place_needs_nothing),
        cmocka_unit_test(pairs_are_sorted_anywhere),
        cmocka_unit_test(memory_is_counted_and_limited),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(arrays_grow_and_keep_their_contents),
        cmocka_unit_test(loops_run_every_task_once),
        cmocka_unit_test(ranges_hold_every_element_once),
        cmocka_unit_test(loops_report_failures),
        cmocka_unit_test(the_first_failure_is_reported),
        cmocka_unit_test(pieces_cover_a_range),
        cmocka_unit_test(messages_belong_to_their_thread),
        cmocka_unit_test(known_values),
        cmocka_unit_test(names_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
