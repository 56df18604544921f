// Packed impacts come back bit for bit, or are refused; deliveries are the list, in whatever order
// their chunks come, for any number of workers; and one that never comes ends the wait.

#include "support.h"

#include "device/delivery.h"
#include "toi/random.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST = 20000,
    CHUNK_IMPACTS = TOI_PACKED_CHUNK * TOI_PACKED_GROUP
};

// ---- Impacts

static double random_share(toi_random *r)
{
    static const double special[] = {
        0, 1, 0.5, 0x1p-30, 0x1.fffffffffffffp-1, 0x1.fffffffffffffp-30};
    uint64_t bits = toi_random_bits(r);
    double x = toi_random_unit(r);
    return bits % 4 == 0 ? special[bits / 4 % 6] : bits % 4 == 1 ? x * x * x + 0x1p-30 : x;
}

// In any direction, along an axis, in a plane of two, and with two components of one size.
static void random_normal(toi_random *r, double n[3])
{
    uint64_t bits = toi_random_bits(r);
    for (int k = 0; k < 3; ++k)
        n[k] = toi_random_range(r, -1, 1);
    if (bits % 8 < 3)
        n[bits % 8] = 0;
    if (bits % 8 == 3)
        n[1] = n[2] = 0;
    if (bits % 8 == 4)
        n[1] = -n[0];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; ++k)
        n[k] = length > 0 ? n[k] / length + 0.0 : k == 2;
    if (bits >> 8 & 1) // as far off as another way to compute it may be
        n[bits >> 9 & 1] = nextafter(n[bits >> 9 & 1], bits >> 10 & 1 ? 2 : -2);
}

static toi_impact random_impact(toi_random *r)
{
    uint64_t bits = toi_random_bits(r);
    toi_impact impact = {.kind = bits & 1 ? TOI_EDGE_EDGE : TOI_VERTEX_FACE,
                         .a = (int32_t)(bits >> 33),
                         .b = (int32_t)(bits >> 1 & 0x1ffffff),
                         .state = TOI_HIT,
                         .time = random_share(r),
                         .u = random_share(r),
                         .v = random_share(r)};
    random_normal(r, impact.normal);
    return impact;
}

static bool pack(const toi_impact *impact, toi_packed_impacts *group, int i)
{
    uint64_t words[TOI_PACKED_WORDS];
    bool fits = toi_pack_impact(impact, &group->firsts[i], words);
    for (int k = 0; k < TOI_PACKED_WORDS; ++k)
        group->words[k][i] = words[k];
    return fits;
}

static void what_is_packed_comes_back(void **state)
{
    (void)state;
    toi_random r = {1};
    static toi_packed_impacts group;
    int64_t count = cases(1000000), packed = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_impact impact = random_impact(&r);
        if (!pack(&impact, &group, (int)(i % TOI_PACKED_GROUP)))
            continue;
        toi_impact back = toi_unpack_impact(&group, (int)(i % TOI_PACKED_GROUP));
        assert_memory_equal(&back, &impact, sizeof impact);
        ++packed;
    }
    assert_true(packed > count * 9 / 10);
}

static void refuse(toi_impact impact)
{
    toi_packed_impacts group;
    assert_false(pack(&impact, &group, 0));
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    const toi_impact good = {.kind = TOI_VERTEX_FACE,
                             .a = INT32_MAX,
                             .b = 0x1ffffff,
                             .state = TOI_HIT,
                             .time = 1,
                             .normal = {0, -1, 0}};
    static const double numbers[] = {-0.0,      -0x1p-1,  2,  0x1.fffffffffffffp-31,
                                     0x1p-1074, INFINITY, NAN};
    toi_packed_impacts group;
    assert_true(pack(&good, &group, 0));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        toi_impact bad[3] = {good, good, good};
        bad[0].time = bad[1].u = bad[2].v = numbers[i];
        for (int k = 0; k < 3; ++k)
            refuse(bad[k]);
    }
    toi_impact bad[6] = {good, good, good, good, good, good};
    bad[0].b = 0x2000000;
    bad[1].a = -1;
    bad[2].state = TOI_UNDECIDED;
    bad[3].kind = TOI_PAIR_KINDS;
    bad[4].normal[1] = 0;
    bad[5].normal[0] = NAN;
    for (int i = 0; i < 6; ++i)
        refuse(bad[i]);
    toi_impact off = good;
    off.normal[1] = 1 - 17 * 0x1p-53;
    refuse(off);
}

// ---- Deliveries

typedef struct card
{
    toi_impact *list;
    int64_t count;
    toi_impact_group *groups;
    toi_chunk_mark *marks;
    uint64_t begun, seen;
    uint64_t seed;
    int64_t lost; // a chunk that never comes; -1: all come
    _Atomic bool runs;
    toi_card_delivery delivery;
} card;

static bool runs(const void *mesh)
{
    return ((const card *)mesh)->runs;
}

static uint64_t send_chunk(card *c, int64_t chunk, toi_random *r)
{
    uint64_t plain = 0;
    for (int64_t i = chunk * CHUNK_IMPACTS; i < (chunk + 1) * CHUNK_IMPACTS && i < c->count;
         i += TOI_PACKED_GROUP) {
        toi_impact_group *group = &c->groups[i / TOI_PACKED_GROUP];
        int64_t rest = c->count - i, many = rest < TOI_PACKED_GROUP ? rest : TOI_PACKED_GROUP;
        bool fits = toi_random_bits(r) % 8 != 0;
        for (int k = 0; k < TOI_PACKED_GROUP; ++k)
            fits = pack(&c->list[k < many ? i + k : c->count - 1], &group->packed, k) && fits;
        if (!fits) {
            memcpy(group->plain, c->list + i, (size_t)many * sizeof *c->list);
            plain |= (uint64_t)1 << i / TOI_PACKED_GROUP % TOI_PACKED_CHUNK;
        }
    }
    return plain;
}

// In any order.
static void *send(void *context)
{
    card *c = context;
    toi_random r = {c->seed};
    int64_t chunks = (c->count + CHUNK_IMPACTS - 1) / CHUNK_IMPACTS, order[MOST];
    for (int64_t i = 0; i < chunks; ++i) {
        int64_t j = (int64_t)(toi_random_bits(&r) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    c->seen = (uint64_t)c->count;
    __atomic_store_n(&c->begun, c->delivery.number, __ATOMIC_RELEASE);
    for (int64_t i = 0; i < chunks; ++i) {
        if (order[i] == c->lost)
            continue;
        uint64_t word = c->delivery.number << TOI_PACKED_CHUNK | send_chunk(c, order[i], &r);
        __atomic_store_n(&c->marks[order[i]].word, word, __ATOMIC_RELEASE);
    }
    c->runs = false;
    return NULL;
}

static card make_card(int64_t count)
{
    toi_random r = {(uint64_t)count};
    size_t chunks = (size_t)count / CHUNK_IMPACTS + 1;
    card c = {.count = count,
              .list = malloc((size_t)count * sizeof *c.list + 1),
              .groups = malloc(chunks * TOI_PACKED_CHUNK * sizeof *c.groups),
              .marks = calloc(chunks, sizeof *c.marks),
              .lost = -1};
    for (int64_t i = 0; i < count; ++i)
        c.list[i] = random_impact(&r);
    return c;
}

static void free_card(card *c)
{
    free(c->list);
    free(c->groups);
    free(c->marks);
}

// Returns what unpacking says; `to` is poisoned first.
static bool deliver(card *c, uint64_t number, int workers, toi_impact *to, int64_t room)
{
    pthread_t thread;
    c->delivery = (toi_card_delivery){.number = number,
                                      .begun = &c->begun,
                                      .count = &c->seen,
                                      .marks = c->marks,
                                      .groups = c->groups,
                                      .runs = runs,
                                      .mesh = c};
    c->seed = number;
    c->runs = true;
    memset(to, 0xa5, (size_t)room * sizeof *to);
    assert_int_equal(pthread_create(&thread, NULL, send, c), 0);
    bool done = toi_unpack_delivery(&c->delivery, workers, to, room);
    pthread_join(thread, NULL);
    return done;
}

static void deliveries_are_the_list(void **state)
{
    (void)state;
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    static const int64_t counts[] = {1, 31, 32, 33, 511, 512, 513, 5000, MOST};
    static toi_impact to[MOST + 1];
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        card c = make_card(counts[i]);
        for (int set = 0; set < 3; ++set) {
            if (toi_set_simd(sets[set]) != TOI_OK)
                continue;
            for (int workers = 1; workers <= 7; workers += 2) {
                assert_true(deliver(&c, ++number, workers, to, c.count + 1));
                assert_memory_equal(to, c.list, (size_t)c.count * sizeof *to);
                assert_int_equal(to[c.count].kind, (int)0xa5a5a5a5);
            }
        }
        assert_ok(toi_set_simd(NULL));
        free_card(&c);
    }
}

static void what_never_comes_ends_the_wait(void **state)
{
    (void)state;
    static toi_impact to[MOST];
    card c = make_card(MOST);
    for (int workers = 1; workers <= 5; workers += 2) {
        c.lost = 7 * workers;
        assert_false(deliver(&c, (uint64_t)workers, workers, to, MOST));
    }
    c.lost = -1;
    assert_false(deliver(&c, 100, 3, to, MOST - 1));            // no room
    assert_true(toi_unpack_delivery(&c.delivery, 3, to, MOST)); // all is there by now
    assert_memory_equal(to, c.list, sizeof to);
    c.delivery.number = 101; // nothing of this one ever begins
    assert_false(toi_unpack_delivery(&c.delivery, 3, to, MOST));
    free_card(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(deliveries_are_the_list),
        cmocka_unit_test(what_never_comes_ends_the_wait),
    };
    return cmocka_run_group_tests_name("delivery", tests, NULL, NULL);
}
