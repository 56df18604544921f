// Lists of queries on a card: every byte of every result is the processor's, of random, degenerate
// and nearly degenerate queries, in all kinds, scaled, with an early end, under a memory limit.
// TOI_LONG: ten million random and a million degenerate ones. Skipped where there is no card,
// unless TOI_REQUIRE_CARD is set (`make test-cuda`). TOI_TEST_BACKEND: the file of another backend.

#include "base/parallel.h"
#include "card.h"
#include "exact/hard_queries.h"
#include "toi/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    BLOCK = 1 << 18 // queries of a call
};

typedef struct list_memory
{
    toi_query *queries;
    toi_query_result *found, *expected;
} list_memory;

static list_memory memory;

// ---- Comparing

typedef struct tally
{
    int64_t queries, hits, hard;
    double seconds; // on the card: the whole calls
} tally;

static void show(const char *what, const toi_query_result *r)
{
    print_message("%s: %s at %a, exact %d, (%a, %a), normal (%a, %a, %a), %d contacts, by %s\n",
                  what, toi_state_name(r->state), r->time, r->time_is_exact, r->u, r->v,
                  r->normal[0], r->normal[1], r->normal[2], r->contacts,
                  toi_rung_name((toi_rung)r->rung));
}

static void compare(const char *name, const toi_narrow_def *def, toi_kind kind, int64_t count,
                    tally *sum)
{
    toi_narrow_def without = *def;
    without.device = NULL;
    memset(memory.found, 0xff, (size_t)count * sizeof *memory.found);
    double started = toi_clock();
    assert_ok(toi_solve_queries(def, kind, memory.queries, count, memory.found));
    sum->seconds += toi_clock() - started;
    assert_ok(toi_solve_queries(&without, kind, memory.queries, count, memory.expected));
    toi_device_report report = toi_device_last_report(def->device);
    sum->queries += count;
    sum->hard += report.hard;
    for (int64_t i = 0; i < count; ++i) {
        sum->hits += memory.expected[i].state == TOI_HIT;
        if (memcmp(&memory.found[i], &memory.expected[i], sizeof memory.found[i]) == 0)
            continue;
        show("card", &memory.found[i]);
        show("processor", &memory.expected[i]);
        for (int c = 0; c < 8; ++c) {
            const double *x = c < 4 ? memory.queries[i].start[c] : memory.queries[i].end[c - 4];
            print_message("    %a, %a, %a\n", x[0], x[1], x[2]);
        }
        fail_msg("%s, %s: query %lld", name, toi_kind_name(kind), (long long)i);
    }
}

static void report(const char *name, const tally *sum)
{
    print_message("%s: %lld queries, %lld hits, %lld left to the host; %.1f ns a query\n", name,
                  (long long)sum->queries, (long long)sum->hits, (long long)sum->hard,
                  1e9 * sum->seconds / (double)sum->queries);
    assert_true(sum->hits > 0);
}

// ---- Families

static void scale(toi_query *query, double factor)
{
    for (int i = 0; i < 12; ++i) {
        query->start[i / 3][i % 3] *= factor;
        query->end[i / 3][i % 3] *= factor;
    }
}

static void compare_family(const char *name, hard_family family, int64_t count, double factor,
                           const toi_narrow_def *def)
{
    toi_random random = {23 + (uint64_t)family};
    tally sum = {0};
    for (int64_t done = 0; done < count; done += BLOCK) {
        int64_t many = count - done < BLOCK ? count - done : BLOCK;
        toi_kind kind = done / BLOCK % 2 ? TOI_VERTEX_FACE : TOI_EDGE_EDGE;
        for (int64_t i = 0; i < many; ++i) {
            memory.queries[i] = make_hard_query(family, kind, &random);
            scale(&memory.queries[i], factor);
        }
        compare(name, def, kind, many, &sum);
    }
    report(name, &sum);
}

static toi_narrow_def list_on_card(void **state)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.device = *state;
    return def;
}

static void random_queries_agree(void **state)
{
    toi_narrow_def def = list_on_card(state);
    compare_family("cube", HARD_CUBE, cases(1000000), 1, &def);
}

static void degenerate_queries_agree(void **state)
{
    toi_narrow_def def = list_on_card(state);
    compare_family("small integers", HARD_SMALL, cases(50000), 1, &def);
    compare_family("nearly degenerate", HARD_NEAR, cases(50000), 1, &def);
}

static void scaled_queries_agree(void **state)
{
    static const double factors[] = {1 / 3.0, 0x1p200, 0x1p-200, 0x1p1018, 0x1p-1070};
    toi_narrow_def def = list_on_card(state);
    for (int i = 0; i < 5; ++i) {
        char name[32];
        snprintf(name, sizeof name, "cube * %g", factors[i]);
        compare_family(name, HARD_CUBE, cases(20000), factors[i], &def);
        bool near = i == 0; // they have all sizes that there are
        snprintf(name, sizeof name, "%s * %g", near ? "near" : "small", factors[i]);
        compare_family(name, near ? HARD_NEAR : HARD_SMALL, cases(10000), factors[i], &def);
    }
}

static void any_exponents_agree(void **state)
{
    toi_narrow_def def = list_on_card(state);
    toi_random random = {3};
    tally sum = {0};
    int64_t count = cases(5000);
    for (int64_t i = 0; i < count; ++i)
        memory.queries[i] = make_mixed_query(&random);
    compare("any exponents", &def, TOI_VERTEX_FACE, count, &sum);
    compare("any exponents", &def, TOI_EDGE_EDGE, count, &sum);
    report("any exponents", &sum);
}

static void options_agree(void **state)
{
    toi_narrow_def def = list_on_card(state);
    def.t_max = 0.3;
    compare_family("cube to 0.3", HARD_CUBE, cases(20000), 1, &def);
    compare_family("near to 0.3", HARD_NEAR, cases(5000), 1, &def);
    def.t_max = 0;
    compare_family("small at 0", HARD_SMALL, cases(5000), 1, &def);
    def.t_max = 0.6;
    def.all_roots = true;
    compare_family("all roots", HARD_CUBE, cases(20000), 1, &def);
    compare_family("all roots, small", HARD_SMALL, cases(2000), 1, &def);
}

// The other method that a card has.
static void queues_agree(void **state)
{
    toi_narrow_def def = list_on_card(state);
    def.method = TOI_NARROW_INCLUSION_QUEUE;
    compare_family("queue, cube", HARD_CUBE, cases(50000), 1, &def);
    compare_family("queue, small", HARD_SMALL, cases(5000), 1, &def);
    compare_family("queue, near", HARD_NEAR, cases(2000), 1, &def);
    def.t_max = 0.4;
    def.no_zero_time = true;
    compare_family("queue to 0.4", HARD_CUBE, cases(20000), 1, &def);
    def.t_max = 1;
    def.min_separation = 0.01;
    compare_family("queue, apart", HARD_CUBE, cases(20000), 1, &def);
    def.max_iterations = 20;
    def.tolerance = 1e-3;
    compare_family("queue, short", HARD_NEAR, cases(2000), 1, &def);
}

static void all_kinds_agree(void **state)
{
    toi_narrow_def def = list_on_card(state);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        toi_random random = {41};
        tally sum = {0};
        for (int i = 0; i < 100000; ++i)
            memory.queries[i] =
                make_hard_query(i % 4 ? HARD_SMALL : HARD_CUBE, (toi_kind)(kind % 2), &random);
        compare("kinds", &def, (toi_kind)kind, 100000, &sum);
        report(toi_kind_name((toi_kind)kind), &sum);
    }
}

static void memory_limits_change_nothing(void **state)
{
    (void)state;
    toi_device_def card = card_def();
    toi_narrow_def def = toi_default_narrow_def();
    card.memory_limit = 3 << 20;
    assert_ok(toi_open_device(&card, &def.device));
    compare_family("3 MiB", HARD_CUBE, 100000, 1, &def);
    toi_device_report last = toi_device_last_report(def.device);
    def.method = TOI_NARROW_INCLUSION_QUEUE;
    compare_family("queue, 3 MiB", HARD_CUBE, 20000, 1, &def);
    compare_family("queue, small, 3 MiB", HARD_SMALL, 5000, 1, &def);
    if (!card.file)
        assert_true(last.windows > 5 && last.peak_bytes <= card.memory_limit);
    toi_close_device(def.device);
}

// ---- Memory of the queries

static int open_memory(void **state)
{
    memory.queries = malloc(BLOCK * sizeof *memory.queries);
    memory.found = malloc(BLOCK * sizeof *memory.found);
    memory.expected = malloc(BLOCK * sizeof *memory.expected);
    return memory.queries && memory.found && memory.expected ? open_group(state) : -1;
}

static int close_memory(void **state)
{
    free(memory.queries);
    free(memory.found);
    free(memory.expected);
    return close_group(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_queries_agree), cmocka_unit_test(degenerate_queries_agree),
        cmocka_unit_test(scaled_queries_agree), cmocka_unit_test(any_exponents_agree),
        cmocka_unit_test(options_agree),        cmocka_unit_test(queues_agree),
        cmocka_unit_test(all_kinds_agree),      cmocka_unit_test(memory_limits_change_nothing),
    };
    return run_on_card("cuda_queries", tests, open_memory, close_memory);
}
