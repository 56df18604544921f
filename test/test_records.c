// Lists of records come in order, and whole, whoever finds them: handed in whole or in brief, few
// and many, with keys of all widths, with and without a list to reuse, for any number of workers,
// and where a limit has them counted first.

#include "support.h"

#include "base/parallel.h"
#include "ccd/brief.h"
#include "ccd/brief_sort.h"
#include "toi/random.h"

#include <stdlib.h>
#include <string.h>

enum
{
    PIECE = 700 // records that are handed in together
};

// As long as an impact: what is brief of it, and what follows from that.
typedef struct record
{
    toi_record_key key;
    int32_t check;
    uint64_t value, rest[5];
} record;

_Static_assert(sizeof(record) == TOI_BRIEF_SHARE * sizeof(toi_brief), "as brief.h has it");

static record record_of(const toi_brief *brief)
{
    record r = {.key = toi_unpack_key(brief->key), .value = brief->value};
    r.check = (int32_t)(brief->key * 0x9e3779b97f4a7c15u >> 40);
    for (int i = 0; i < 5; ++i)
        r.rest[i] = (brief->key ^ brief->value) * (2 * (uint64_t)i + 3);
    return r;
}

typedef struct job
{
    toi_recorder recorder;
    toi_brief *found; // in the order of finding; keys are all different
    int64_t count;
    _Atomic int64_t completed;
} job;

static toi_status hand_in(void *context, int64_t piece, int worker)
{
    job *j = context;
    int64_t first = piece * PIECE, count = j->count - first < PIECE ? j->count - first : PIECE;
    if (j->recorder.complete)
        return toi_keep_records(&j->recorder, j->found + first, count, worker);
    record records[PIECE];
    for (int64_t i = 0; i < count; ++i)
        records[i] = record_of(&j->found[first + i]);
    return toi_keep_records(&j->recorder, records, count, worker);
}

static toi_status find(void *context)
{
    job *j = context;
    return toi_parallel(j->recorder.workers, (j->count + PIECE - 1) / PIECE, hand_in, j);
}

static void complete(void *context, const toi_brief *brief, int64_t count, void *records)
{
    job *j = context;
    j->completed += count;
    for (int64_t i = 0; i < count; ++i) {
        record r = record_of(&brief[i]);
        memcpy((record *)records + i, &r, sizeof r);
    }
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const toi_brief *)a)->key, y = ((const toi_brief *)b)->key;
    return x < y ? -1 : x > y;
}

typedef enum keys
{
    SHORT,   // of two kinds
    WIDE,    // of all kinds, and as long as they get
    CROWDED, // many are alike in their first bits: thousands, or about TOI_BRIEF_RUN
    LEVEL,   // as many as that, two less, or up to three more
    DENSE,   // the first bits end among those of a
    ALL_KEYS
} keys;

static toi_record_key crowded_key(toi_random *random, int64_t i)
{
    enum
    {
        CROWD = 1 << 15,
        FEW = CROWD / TOI_BRIEF_RUN * 15 / 16
    };
    int32_t few = toi_random_below(random, 8) > 0 ? (int32_t)toi_random_below(random, FEW) : FEW;
    return (toi_record_key){1, (int32_t)(i / CROWD) * (FEW + 1) + few, (int32_t)(i % CROWD)};
}

static toi_record_key level_key(int64_t i)
{
    int32_t six = 6 * TOI_BRIEF_RUN + 3, group = (int32_t)(i / six), at = (int32_t)(i % six),
            run = 0;
    while (at >= TOI_BRIEF_RUN - 2 + run) {
        at -= TOI_BRIEF_RUN - 2 + run;
        ++run;
    }
    return (toi_record_key){0, (6 * group + run) << 7, at ^ 5};
}

static toi_record_key key_of(toi_random *random, int64_t i, keys which)
{
    if (which == CROWDED) // and one whose bits the others lack
        return i > 0 ? crowded_key(random, i) : (toi_record_key){0, 0, 1 << 20};
    if (which == LEVEL)
        return level_key(i);
    if (which == DENSE)
        return (toi_record_key){(int32_t)(i & 1), (int32_t)(i >> 3), (int32_t)(i >> 1 & 3)};
    return (toi_record_key){(int32_t)toi_random_below(random, 2),
                            (int32_t)toi_random_below(random, 97), (int32_t)i};
}

static void shuffle(toi_random *random, toi_brief *briefs, int64_t count)
{
    for (int64_t i = count - 1; i > 0; --i) {
        int64_t other = (int64_t)toi_random_below(random, (uint64_t)i + 1);
        toi_brief brief = briefs[i];
        briefs[i] = briefs[other];
        briefs[other] = brief;
    }
}

// Different ones.
static toi_brief *random_briefs(toi_random *random, int64_t count, keys which)
{
    toi_brief *found = toi_allocate((size_t)(count + 1) * sizeof *found);
    for (int64_t i = 0; i < count; ++i) {
        found[i].key = toi_pack_key(key_of(random, i, which));
        if (which == WIDE) // the last and the first of all among them
            found[i].key = i < 2 ? (uint64_t)i - 1 : toi_random_bits(random);
        found[i].value = toi_random_bits(random);
    }
    if (which == LEVEL || which == DENSE)
        shuffle(random, found, count);
    return found;
}

static void expect_in_order(const job *j, const record *list)
{
    toi_brief *sorted = toi_allocate((size_t)(j->count + 1) * sizeof *sorted);
    memcpy(sorted, j->found, (size_t)j->count * sizeof *sorted);
    qsort(sorted, (size_t)j->count, sizeof *sorted, by_key);
    for (int64_t i = 0; i < j->count; ++i) {
        record r = record_of(&sorted[i]);
        if (memcmp(&r, &list[i], sizeof r) != 0)
            fail_msg("record %lld of %lld is another one", (long long)i, (long long)j->count);
    }
    toi_release(sorted);
}

// A fresh list, then the same list again, with more room than it takes.
static void list_twice(job *j, bool brief, int workers, int64_t limit)
{
    toi_record_array list = {0};
    for (int time = 0; time < 2; ++time) {
        toi_budget budget = {.limit = limit};
        j->recorder = (toi_recorder){.budget = &budget,
                                     .workers = workers,
                                     .size = sizeof(record),
                                     .find = find,
                                     .context = j,
                                     .complete = brief ? complete : NULL};
        j->completed = 0;
        if (!toi_reuse(&budget, list.data)) {
            toi_give_back(list.data);
            list = (toi_record_array){0};
        }
        assert_ok(toi_make_record_list(&j->recorder, &list));
        assert_int_equal(list.count, j->count);
        assert_int_equal(j->completed, brief ? j->count : 0);
        expect_in_order(j, list.data);
        assert_int_equal(budget.used, 0);
        assert_true(limit == 0 || budget.peak <= limit);
    }
    toi_give_back(list.data);
}

static void lists_are_in_order(void **state)
{
    (void)state;
    static const int64_t COUNTS[] = {0, 1, 2, 3, 63, 64, 65, 700, 4097, 16400, 70000, 300000};
    static const int WORKERS[] = {1, 2, 3, 8};
    toi_random random = {3};
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; ++c)
        for (keys which = SHORT; which < ALL_KEYS; ++which) {
            job j = {.count = COUNTS[c]};
            j.found = random_briefs(&random, j.count, which);
            for (int w = 0; w < 4; ++w) {
                list_twice(&j, true, WORKERS[w], 0);
                list_twice(&j, false, WORKERS[w], 0);
            }
            toi_release(j.found);
        }
}

// Room for the list and for what finding it takes, but for no list beside it: they are counted
// first.
static void lists_near_the_limit_are_in_order(void **state)
{
    (void)state;
    toi_random random = {4};
    job j = {.count = 20000};
    j.found = random_briefs(&random, j.count, WIDE);
    int64_t limit = j.count * (int64_t)sizeof(record) + 100000;
    for (int workers = 1; workers <= 4; ++workers) {
        list_twice(&j, true, workers, limit);
        list_twice(&j, false, workers, limit);
    }
    toi_release(j.found);
}

// Wherever a list is cut, what is read from there on is what belongs there.
static void every_cut_reads_in_order(void **state)
{
    (void)state;
    enum
    {
        COUNT = 40000,
        FIRST_CUT = 30000 // and all behind it
    };
    toi_random random = {6};
    for (keys which = SHORT; which < ALL_KEYS; ++which) {
        toi_brief *found = random_briefs(&random, COUNT, which), to[TOI_BRIEF_RUN];
        toi_brief *truth = toi_allocate(4 * COUNT * sizeof *truth);
        toi_brief_sort sort = {.found = found,
                               .scratch = truth + COUNT,
                               .sorted = truth + 2 * COUNT,
                               .tables = (int64_t *)(truth + 3 * COUNT),
                               .count = COUNT};
        for (int64_t i = 0; i < COUNT; ++i)
            sort.all |= found[i].key;
        memcpy(truth, found, COUNT * sizeof *truth);
        qsort(truth, COUNT, sizeof *truth, by_key);
        toi_brief_order order = toi_sort_brief(&sort, 3);
        for (int64_t cut = FIRST_CUT; cut < COUNT; ++cut) {
            int64_t at = toi_between_runs(&order, sort.sorted, 0, cut);
            int64_t count = toi_read_briefs(&order, sort.sorted + at, COUNT - at, to);
            assert_true(at <= cut && at > cut - TOI_BRIEF_RUN && count > 0);
            assert_memory_equal(to, truth + at, (size_t)count * sizeof *to);
        }
        toi_release(truth);
        toi_release(found);
    }
}

// Short runs are put in order in vectors.
static void every_instruction_set_orders(void **state)
{
    (void)state;
    static const char *const LEVELS[] = {"baseline", "avx2", "avx512"};
    toi_random random = {5};
    job j = {.count = 70000};
    j.found = random_briefs(&random, j.count, CROWDED);
    for (int level = 0; level < 3; ++level)
        if (toi_set_simd(LEVELS[level]) == TOI_OK)
            list_twice(&j, true, 2, 0);
    toi_set_simd(NULL);
    toi_release(j.found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_in_order),
        cmocka_unit_test(lists_near_the_limit_are_in_order),
        cmocka_unit_test(every_cut_reads_in_order),
        cmocka_unit_test(every_instruction_set_orders),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
