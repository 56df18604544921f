// What broad phases keep between calls changes no answer, whatever the boxes do in between and
// however a call ended.

#include "broad_sets.h"

#include "broad/broad.h"

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

// Both searches of one frame, one list and two.
static void check_frame(const char *name, const toi_broad_def *def, box_list a, box_list b)
{
    pair_list self = slow_pairs(a, NULL), between = slow_pairs(a, &b);
    check_pairs(name, def, a, NULL, &self);
    check_pairs(name, def, a, &b, &between);
    free(self.data);
    free(between.data);
}

// Moves each box a little, one in fifty far, and lets some grow or shrink.
static void move_boxes(box_list list, toi_random *random)
{
    for (int64_t i = 0; i < list.count; ++i) {
        double reach = toi_random_below(random, 50) ? 0.02 : 1;
        for (int k = 0; k < 3; ++k) {
            double by = toi_random_range(random, -reach, reach);
            double size = (list.data[i].hi[k] - list.data[i].lo[k]) *
                          (toi_random_below(random, 20) ? 1 : toi_random_range(random, 0, 2));
            list.data[i].lo[k] += by;
            list.data[i].hi[k] = list.data[i].lo[k] + size;
        }
    }
}

static void frames_of_moving_boxes_agree(void **state)
{
    (void)state;
    static const int kinds[] = {UNIFORM, GIANTS, CLUSTERS, CROWDED, FLAT, CHAIN};
    int64_t count = getenv("TOI_SANITIZED") ? 100 : 500;
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        for (int i = 0; i < 6; ++i) {
            toi_broad_def def = define(method, make_memory());
            toi_random random = {77};
            box_list a = make_boxes(kinds[i], count, 8), b = make_boxes(kinds[i], count * 3 / 5, 9);
            for (int frame = 0; frame < 12; ++frame) {
                def.workers = 1 + frame % 3;
                check_frame(box_kind_name(kinds[i]), &def, a, b);
                if (frame % 4 < 3) // the fourth time nothing moves
                    move_boxes(a, &random), move_boxes(b, &random);
            }
            toi_free_broad_memory(def.memory);
            free(a.data);
            free(b.data);
        }
}

// What happens to all boxes between two calls: a little, much, nothing, everything.
static box_list next_frame(int kind, int frame, box_list list, toi_random *random)
{
    if (frame % 8 == 3 || frame % 8 == 7) { // boxes that have nothing to do with these
        int64_t count = list.count;
        free(list.data);
        return make_boxes(frame % 8 == 3 ? RODS : kind, count, (uint64_t)frame);
    }
    if (frame % 8 < 5)
        move_boxes(list, random);
    double scale = frame % 8 == 5 ? 0.01 : 1, by = frame % 8 == 6 ? 100 : 0;
    for (int64_t i = 0; i < list.count; ++i)
        for (int k = 0; k < 3; ++k) {
            list.data[i].lo[k] = list.data[i].lo[k] * scale + by;
            list.data[i].hi[k] = list.data[i].hi[k] * scale + by;
        }
    return list;
}

// Enough boxes for several cells, parts and pieces of every method.
static void frames_of_many_boxes_agree(void **state)
{
    (void)state;
    static const int kinds[] = {UNIFORM, GIANTS,       OUTLIER,    CLUSTERS, SHEETS,
                                PILLARS, FAR_OUTLIERS, MANY_SIZES, LATTICE};
    bool brief = getenv("TOI_SANITIZED");
    int64_t count = brief ? 1000 : long_factor() > 1 ? 12000 : 6000;
    toi_broad_memory *memory[TOI_BROAD_COUNT];
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        memory[method] = make_memory();
    for (int i = 0; i < (brief ? 3 : 9); ++i) {
        toi_random random = {78};
        box_list a = make_boxes(kinds[i], count, 8), b = make_boxes(kinds[i], count / 2, 9);
        for (int frame = 0; frame < 10; ++frame) {
            a = next_frame(kinds[i], frame, a, &random);
            b = next_frame(kinds[i], frame, b, &random);
            const box_list *second = frame % 2 ? &b : NULL; // every other frame of either search
            pair_list expected = method_pairs(TOI_BROAD_BRUTE, a, second);
            for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
                toi_broad_def def = define(method, memory[method]);
                def.workers = 1 + frame % 3;
                if (method != TOI_BROAD_BRUTE)
                    check_pairs(box_kind_name(kinds[i]), &def, a, second, &expected);
            }
            free(expected.data);
        }
        free(a.data);
        free(b.data);
    }
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        toi_free_broad_memory(memory[method]);
}

// Boxes that grow into plates in their places, so that ever more are in several cells, and shrink.
static void frames_of_growing_boxes_agree(void **state)
{
    (void)state;
    bool brief = getenv("TOI_SANITIZED");
    const int64_t count = brief ? 3000 : 40000;
    toi_broad_memory *memory[TOI_BROAD_COUNT];
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        memory[method] = make_memory();
    box_list a = make_boxes(POINTS, count, 12);
    toi_random random = {12};
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            a.data[i].lo[k] = toi_random_range(&random, -1, 1);
    double size = 0.01;
    for (int frame = 0; frame < 20; ++frame, size *= frame < 19 ? 1.2 : 0.1) {
        if (brief && frame % 3 != 1)
            continue;
        for (int64_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                a.data[i].hi[k] = a.data[i].lo[k] + (k == 1 ? 0.005 : size);
        pair_list expected = method_pairs(TOI_BROAD_STQ, a, NULL);
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            toi_broad_def def = define(method, memory[method]);
            def.workers = 2;
            if (method != TOI_BROAD_BRUTE)
                check_pairs("growing boxes", &def, a, NULL, &expected);
        }
        free(expected.data);
    }
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        toi_free_broad_memory(memory[method]);
    free(a.data);
}

// A kept order is a hint about boxes that were as many, not about these.
static void unrelated_boxes_of_the_same_number_agree(void **state)
{
    (void)state;
    bool brief = getenv("TOI_SANITIZED");
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, make_memory());
        for (int turn = 0; turn < (brief ? 1 : 2) * BOX_KINDS; ++turn) {
            int kind = turn * 11 % BOX_KINDS; // every kind after another neighbour
            box_list a = make_boxes(kind, brief ? 90 : 260, (uint64_t)turn),
                     b = make_boxes(kind, brief ? 60 : 130, (uint64_t)turn + 100);
            def.workers = 1 + turn % 2;
            check_frame(box_kind_name(kind), &def, a, b);
            free(a.data);
            free(b.data);
        }
        toi_free_broad_memory(def.memory);
    }
}

// One memory for lists of any lengths and any methods, in any order.
static void lengths_and_methods_may_change(void **state)
{
    (void)state;
    static const int64_t counts[] = {300, 17, 0, 300, 1, 257, 64, 300, 2, 16, 1000, 300};
    toi_broad_memory *memory = make_memory();
    toi_random random = {5};
    for (int turn = 0; turn < 40 * TOI_BROAD_COUNT; ++turn) {
        int method = turn < 12 * TOI_BROAD_COUNT // first one method after the other, then any
                         ? turn / 12
                         : (int)toi_random_below(&random, TOI_BROAD_COUNT);
        int kind = turn % 5 ? UNIFORM : (int)toi_random_below(&random, BOX_KINDS);
        int64_t count = kind_is_dense(kind) ? counts[turn % 12] % 300 : counts[turn % 12];
        toi_broad_def def = define(method, memory);
        box_list a = make_boxes(kind, count, (uint64_t)turn / 5),
                 b = make_boxes(kind, counts[turn * 5 % 12] % 301, 1);
        check_frame(box_kind_name(kind), &def, a, b);
        free(a.data);
        free(b.data);
    }
    toi_free_broad_memory(memory);
}

// Two lists that together are as long as the two before.
static void lists_of_the_same_total_are_told_apart(void **state)
{
    (void)state;
    static const int64_t counts[][2] = {{100, 50}, {50, 100}, {90, 60},
                                        {149, 1},  {0, 150},  {75, 75}};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_def def = define(method, make_memory());
        for (int turn = 0; turn < 12; ++turn) {
            box_list a = make_boxes(UNIFORM, counts[turn % 6][0], (uint64_t)turn),
                     b = make_boxes(UNIFORM, counts[turn % 6][1], (uint64_t)turn + 50);
            check_frame("the same total", &def, a, b);
            free(a.data);
            free(b.data);
        }
        toi_free_broad_memory(def.memory);
    }
}

// A call that wants the memory of the call it is made from.
typedef struct nested_call
{
    toi_broad_def def;
    box_list boxes;
    int refused, granted;
} nested_call;

static toi_status call_again(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)pairs, (void)count, (void)worker;
    nested_call *nested = context;
    toi_pair_array found = {0};
    toi_broad_def def = nested->def;
    if (toi_find_pairs(&def, view(nested->boxes), &found) == TOI_ERROR_ARGUMENT &&
        strstr(toi_last_message(), "in use"))
        ++nested->refused;
    def.memory = NULL;
    if (toi_find_pairs(&def, view(nested->boxes), &found) == TOI_OK)
        ++nested->granted;
    toi_free_pairs(&found);
    return TOI_OK;
}

// Something is kept by the methods that say so, and by no others.
static void methods_keep_what_their_traits_say(void **state)
{
    (void)state;
    box_list list = make_boxes(UNIFORM, 500, 21);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_memory *memory = make_memory();
        toi_broad_def def = define(method, memory);
        toi_pair_array pairs = {0};
        assert_ok(toi_find_pairs(&def, view(list), &pairs));
        bool keeps = memory->slots[TOI_SLOT_SELF].data;
        assert_int_equal(
            keeps, (toi_broad_traits((toi_broad_method)method) & TOI_BROAD_TRAIT_MEMORY) != 0);
        toi_free_pairs(&pairs);
        toi_free_broad_memory(memory);
    }
    free(list.data);
}

static void a_memory_serves_one_call_at_a_time(void **state)
{
    (void)state;
    box_list a = make_boxes(UNIFORM, 200, 8);
    pair_list expected = slow_pairs(a, NULL);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        nested_call nested = {.def = define(method, make_memory()), .boxes = a};
        for (int turn = 0; turn < 2; ++turn) {
            assert_ok(toi_stream_pairs(&nested.def, view(a), NULL, call_again, &nested));
            check_pairs("afterwards", &nested.def, a, NULL, &expected);
        }
        assert_true(nested.refused > 0 && nested.refused == nested.granted);
        toi_free_broad_memory(nested.def.memory);
    }
    toi_free_broad_memory(NULL);
    free(expected.data);
    free(a.data);
}

typedef struct patience
{
    int calls_left;
} patience;

static bool lose_patience(void *context, double done)
{
    (void)done;
    return ((patience *)context)->calls_left-- > 0;
}

static toi_status refuse_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)context, (void)pairs, (void)count, (void)worker;
    return toi_fail(TOI_ERROR_DATA, "no more");
}

// Each cancelled or refused call is followed by one that must be right, with the same memory.
static void a_call_that_was_stopped_spoils_nothing(void **state)
{
    (void)state;
    int64_t count = getenv("TOI_SANITIZED") ? 1000 : 3000;
    box_list a = make_boxes(UNIFORM, count, 8), b = make_boxes(UNIFORM, count * 2 / 3, 9);
    pair_list self = method_pairs(TOI_BROAD_BRUTE, a, NULL),
              between = method_pairs(TOI_BROAD_BRUTE, a, &b);
    toi_box_view second = view(b);
    toi_pair_array pairs = {0};
    toi_random random = {3};
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_broad_memory *memory = make_memory();
        for (int calls = 0; calls < 8; ++calls) {
            patience p = {calls / 2};
            toi_broad_def def = define(method, memory);
            def.progress = lose_patience;
            def.progress_context = &p;
            toi_status status = calls % 2 ? toi_find_pairs_between(&def, view(a), second, &pairs)
                                          : toi_find_pairs(&def, view(a), &pairs);
            assert_true(status == TOI_OK || status == TOI_ERROR_CANCELLED);
            assert_true(calls > 1 || status == TOI_ERROR_CANCELLED);
            def = define(method, memory);
            check_pairs("after a stop", &def, a, calls % 2 ? &b : NULL,
                        calls % 2 ? &between : &self);
            assert_fails(
                toi_stream_pairs(&def, view(a), calls % 2 ? &second : NULL, refuse_pairs, NULL),
                TOI_ERROR_DATA, "no more");
            check_pairs("after a refusal", &def, a, calls % 2 ? &b : NULL,
                        calls % 2 ? &between : &self);
            box_list moved = make_boxes(UNIFORM, 3000, 8);
            move_boxes(moved, &random);
            assert_int_equal(
                toi_stream_pairs(&def, view(moved), calls % 2 ? &second : NULL, refuse_pairs, NULL),
                TOI_ERROR_DATA);
            free(moved.data);
        }
        toi_free_broad_memory(memory);
    }
    toi_free_pairs(&pairs);
    free(self.data);
    free(between.data);
    free(a.data);
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_moving_boxes_agree),
        cmocka_unit_test(frames_of_many_boxes_agree),
        cmocka_unit_test(frames_of_growing_boxes_agree),
        cmocka_unit_test(unrelated_boxes_of_the_same_number_agree),
        cmocka_unit_test(lengths_and_methods_may_change),
        cmocka_unit_test(lists_of_the_same_total_are_told_apart),
        cmocka_unit_test(methods_keep_what_their_traits_say),
        cmocka_unit_test(a_memory_serves_one_call_at_a_time),
        cmocka_unit_test(a_call_that_was_stopped_spoils_nothing),
    };
    return cmocka_run_group_tests_name("broad_memory", tests, NULL, NULL);
}
