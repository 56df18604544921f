// Any bits as boxes, any method, one list or two, a memory kept over three calls: what is no box is
// refused, and the pairs of the rest are those of two loops.

#include "fuzz.h"

#include "toi/toi.h"

#include <math.h>

enum
{
    MAX_TAKEN = 24, // boxes read from the input; longer lists repeat them, moved
    MAX_BOXES = 400
};

typedef struct fuzz_list
{
    toi_box boxes[MAX_BOXES];
    int64_t count;
} fuzz_list;

// Mostly small numbers, which touch and coincide often; sometimes any bits at all.
static double take_bound(fuzz_bytes *bytes)
{
    uint8_t choice = take_byte(bytes);
    if (choice < 230)
        return (choice - 115) / 8.0;
    if (choice < 240)
        return ldexp(choice & 1 ? 1 : -1, take_byte(bytes) * 8 - 1074);
    return take_double(bytes);
}

static void take_box(fuzz_bytes *bytes, toi_box *box)
{
    bool as_given = take_byte(bytes) == 255; // lower bounds may then be the higher ones
    for (int k = 0; k < 3; ++k) {
        double x = take_bound(bytes), y = take_bound(bytes);
        box->lo[k] = !as_given && y < x ? y : x;
        box->hi[k] = !as_given && y < x ? x : y;
    }
}

static void take_list(fuzz_bytes *bytes, int64_t count, fuzz_list *list)
{
    uint8_t shape = take_byte(bytes);
    int64_t taken = 1 + shape % MAX_TAKEN;
    double step = shape < 128 ? take_bound(bytes) : 0;
    list->count = count;
    for (int64_t i = 0; i < count; ++i) {
        toi_box *box = &list->boxes[i];
        if (i < taken) {
            take_box(bytes, box);
            continue;
        }
        *box = list->boxes[i - taken];
        box->lo[i % 3] += step;
        box->hi[i % 3] += step;
    }
}

static int64_t take_count(fuzz_bytes *bytes)
{
    uint8_t count = take_byte(bytes);
    return count < 200 ? count % 40 : count * 2 - 200;
}

static bool all_are_boxes(const fuzz_list *list)
{
    for (int64_t i = 0; i < list->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(list->boxes[i].lo[k]) || !isfinite(list->boxes[i].hi[k]) ||
                list->boxes[i].lo[k] > list->boxes[i].hi[k])
                return false;
    return true;
}

static bool overlap(const toi_box *a, const toi_box *b)
{
    for (int k = 0; k < 3; ++k)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k])
            return false;
    return true;
}

static void compare_with_loops(const fuzz_list *a, const fuzz_list *b, const toi_pair_array *pairs)
{
    const fuzz_list *second = b ? b : a;
    int64_t next = 0;
    for (int64_t i = 0; i < a->count; ++i)
        for (int64_t j = b ? 0 : i + 1; j < second->count; ++j)
            if (overlap(&a->boxes[i], &second->boxes[j])) {
                CHECK(next < pairs->count);
                CHECK(pairs->data[next].a == i && pairs->data[next].b == j);
                ++next;
            }
    CHECK(next == pairs->count);
}

static void find_and_compare(const toi_broad_def *def, const fuzz_list *a, const fuzz_list *b)
{
    toi_pair_array pairs = {0};
    toi_box_view first = {a->boxes, a->count};
    toi_status status =
        b ? toi_find_pairs_between(def, first, (toi_box_view){b->boxes, b->count}, &pairs)
          : toi_find_pairs(def, first, &pairs);
    if (all_are_boxes(a) && (!b || all_are_boxes(b))) {
        CHECK(status == TOI_OK);
        if (def->order == TOI_ORDER_OWN)
            CHECK(toi_sort_pairs(pairs.data, pairs.count, 1) == TOI_OK);
        compare_with_loops(a, b, &pairs);
    } else {
        CHECK(status == TOI_ERROR_DATA && pairs.count == 0);
        CHECK(strstr(toi_last_message(), "box "));
    }
    toi_free_pairs(&pairs);
}

// Set to a method's name, keeps to that method.
static int chosen_method(uint8_t byte)
{
    const char *name = getenv("TOI_FUZZ_METHOD");
    return name ? (int)toi_broad_find(name) : byte % TOI_BROAD_COUNT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_list a, b;
    fuzz_bytes bytes = {data, size};
    toi_broad_def def = toi_default_broad_def();
    int method = chosen_method(take_byte(&bytes));
    uint8_t options = take_byte(&bytes);
    int64_t a_count = take_count(&bytes), b_count = options & 1 ? take_count(&bytes) : 0;
    CHECK(method < TOI_BROAD_COUNT);
    def.workers = 1 + (options >> 1) % 3;
    if (options & 8)
        CHECK(toi_make_broad_memory(&def.memory) == TOI_OK);
    for (int call = 0; call < (options & 8 ? 3 : 1); ++call) {
        def.method = (toi_broad_method)method;
        def.order = options & 16 ? TOI_ORDER_OWN : TOI_ORDER_CANONICAL;
        if (options & 32 && call == 1) // another method in between
            def.method = (toi_broad_method)((method + 1 + (options >> 6)) % TOI_BROAD_COUNT);
        if (call < 2) // the third time nothing has moved
            take_list(&bytes, a_count, &a);
        if (call < 2 && options & 1)
            take_list(&bytes, b_count, &b);
        find_and_compare(&def, &a, options & 1 ? &b : NULL);
    }
    toi_free_broad_memory(def.memory);
    return 0;
}
