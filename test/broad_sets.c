// Makes the box sets of the broad phases' tests, finds their pairs slowly, and compares.

#include "broad_sets.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Which box of how many is made.
typedef struct place
{
    int64_t index;
    int64_t count;
} place;

static void set_interval(toi_box *box, int axis, double x, double y)
{
    box->lo[axis] = x < y ? x : y;
    box->hi[axis] = x < y ? y : x;
}

// A box of at most `size`, anywhere in a cube.
static void spread(toi_random *random, double from, double to, double size, toi_box *box)
{
    for (int k = 0; k < 3; ++k) {
        double x = toi_random_range(random, from, to);
        set_interval(box, k, x, x + toi_random_range(random, 0, size));
    }
}

// Of `count` boxes of this size in a cube of side 2 each overlaps about three others.
static double usual_size(int64_t count)
{
    return fmin(0.5, 2.9 / cbrt((double)count));
}

static void scale(toi_box *box, double factor)
{
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, box->lo[k] * factor, box->hi[k] * factor);
}

static void move(toi_box *box, double x, double y, double z)
{
    const double by[3] = {x, y, z};
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, box->lo[k] + by[k], box->hi[k] + by[k]);
}

// Small boxes all over.
static void make_uniform(toi_random *random, place at, toi_box *box)
{
    spread(random, -1, 1, usual_size(at.count), box);
}

// Whole numbers: ties everywhere, faces that touch.
static void make_lattice(toi_random *random, place at, toi_box *box)
{
    uint64_t steps = (uint64_t)fmax(8, cbrt((double)at.count));
    for (int k = 0; k < 3; ++k) {
        double x = (double)toi_random_below(random, steps);
        set_interval(box, k, x, x + (double)toi_random_below(random, 2));
    }
}

static void make_identical(toi_random *random, place at, toi_box *box)
{
    (void)random, (void)at;
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, 0.25, 0.5);
}

// One inside the other.
static void make_nested(toi_random *random, place at, toi_box *box)
{
    (void)random;
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, -(double)at.index, (double)at.index);
}

// No size, and many coincide.
static void make_points(toi_random *random, place at, toi_box *box)
{
    make_lattice(random, at, box);
    memcpy(box->hi, box->lo, sizeof box->hi);
}

// One enormous among tiny ones.
static void make_outlier(toi_random *random, place at, toi_box *box)
{
    spread(random, -1, 1, 0.3 * usual_size(at.count), box);
    if (at.index == at.count / 2)
        for (int k = 0; k < 3; ++k)
            set_interval(box, k, -100, 100);
}

// All in a plane.
static void make_flat(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    set_interval(box, 1, 0.125, 0.125);
}

// Distinct doubles that are one float.
static void make_near_ties(toi_random *random, place at, toi_box *box)
{
    (void)at;
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, 1 + (double)toi_random_below(random, 8) * 0x1p-30,
                     1 + (double)toi_random_below(random, 8) * 0x1p-30);
}

// Beyond the floats.
static void make_huge(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    scale(box, 1e300);
}

// Below the normal numbers.
static void make_denormal(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    scale(box, 0x1p-1040);
}

// One in two hundred reaches through a good part of the scene.
static void make_giants(toi_random *random, place at, toi_box *box)
{
    spread(random, -1, 1, at.index % 200 == 7 ? 2 : usual_size(at.count), box);
}

// Over twelve orders of magnitude.
static void make_many_sizes(toi_random *random, place at, toi_box *box)
{
    (void)at;
    spread(random, -1, 1, pow(10, toi_random_range(random, -12, 0)), box);
}

static void make_far_outliers(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    if (at.index % 64 == 5)
        scale(box, 1e12);
}

static void make_farthest_outliers(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    if (at.index % 64 == 5)
        scale(box, 1e300);
}

// In a plane whose coordinate no float has.
static void make_flat_at_a_tenth(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    set_interval(box, 2, 0.1, 0.1);
}

// Along the diagonal of a cube.
static void make_diagonal(toi_random *random, place at, toi_box *box)
{
    double along = toi_random_range(random, -10, 10), size = 60 / (double)at.count;
    spread(random, 0, size, size, box);
    move(box, along, along, along);
}

// A thin row along z.
static void make_along_an_axis(toi_random *random, place at, toi_box *box)
{
    spread(random, 0, 0.01, 0.01, box);
    double along = toi_random_range(random, -10, 10);
    set_interval(box, 2, along, along + toi_random_range(random, 0, 60 / (double)at.count));
}

// Thin, side by side, and all as high as the scene.
static void make_pillars(toi_random *random, place at, toi_box *box)
{
    spread(random, -1, 1, fmin(0.5, 4 / sqrt((double)at.count)), box);
    set_interval(box, 2, toi_random_range(random, -1, -0.9), toi_random_range(random, 0.9, 1));
}

// Through the whole scene along two axes.
static void make_plates(toi_random *random, place at, toi_box *box)
{
    int thin = (int)toi_random_below(random, 3);
    spread(random, -1, 1, usual_size(at.count), box);
    for (int k = 0; k < 3; ++k)
        if (k != thin)
            set_interval(box, k, -1, 1);
}

// Ten clusters, far apart for their size.
static void make_clusters(toi_random *random, place at, toi_box *box)
{
    toi_random centre = {toi_random_below(random, 10)};
    spread(random, -0.02, 0.02, 0.02 * usual_size(1 + at.count / 10), box);
    move(box, toi_random_range(&centre, -1, 1), toi_random_range(&centre, -1, 1),
         toi_random_range(&centre, -1, 1));
}

// Two zeros, and what is next to them.
static void make_negative_zeros(toi_random *random, place at, toi_box *box)
{
    (void)at;
    static const double values[] = {-1, -DBL_TRUE_MIN, -0.0, 0.0, -0.0, 0.0, DBL_TRUE_MIN, 1};
    for (int k = 0; k < 3; ++k) {
        double x = values[toi_random_below(random, 8)], y = values[toi_random_below(random, 8)];
        box->lo[k] = y < x ? y : x; // keeps [0, -0] and [-0, 0] as drawn
        box->hi[k] = y < x ? x : y;
    }
}

// Each ends exactly where another begins; even indices from one end, odd ones from the other.
static void make_chain(toi_random *random, place at, toi_box *box)
{
    int64_t link = at.index % 2 ? at.count - 1 - at.index / 2 : at.index / 2;
    spread(random, 0, 0.1, 0.1, box);
    for (int k = 1; k < 3; ++k)
        set_interval(box, k, 0, 0.1 * (double)(1 + toi_random_below(random, 3)));
    set_interval(box, 0, 0.1 * (double)link, 0.1 * (double)(link + 1));
}

// Three of four in the same place.
static void make_crowded(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    if (at.index % 4 != 1)
        for (int k = 0; k < 3; ++k)
            set_interval(box, k, 0.3, 0.31);
}

// Sizes and places from the least double to the largest, about zero.
static void make_tiny_and_huge(toi_random *random, place at, toi_box *box)
{
    static const double scales[] = {DBL_TRUE_MIN * 64, 1e-310, 1e-150, 1, 1e150, 1e300, DBL_MAX};
    spread(random, -0.7, 0.6, fmin(0.3, usual_size(at.count)), box);
    scale(box, scales[toi_random_below(random, 7)]);
}

// About the largest float: to both sides of where doubles become infinite as floats.
static void make_float_limit(toi_random *random, place at, toi_box *box)
{
    (void)at;
    for (int k = 0; k < 3; ++k) {
        double x = FLT_MAX * (1 + ((double)toi_random_below(random, 16) - 8) * 0x1p-26);
        double y = FLT_MAX * (1 + ((double)toi_random_below(random, 16) - 8) * 0x1p-26);
        double side = k == 1 ? -1 : 1;
        set_interval(box, k, x * side, toi_random_below(random, 4) ? y * side : 0);
    }
}

static double any_finite(toi_random *random)
{
    double x;
    do {
        uint64_t bits = toi_random_bits(random);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static void make_any_bits(toi_random *random, place at, toi_box *box)
{
    (void)at;
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, any_finite(random), any_finite(random));
}

// So far from the origin that on one axis all are one float, and on another few differ.
static void make_translated(toi_random *random, place at, toi_box *box)
{
    make_uniform(random, at, box);
    move(box, 3e7, -1e9, 3);
}

// Four flat layers.
static void make_sheets(toi_random *random, place at, toi_box *box)
{
    spread(random, -1, 1, fmin(0.5, 6 / sqrt((double)at.count)), box);
    double layer = 0.7 * (double)toi_random_below(random, 4);
    set_interval(box, 1, layer, layer);
}

// Long along any one axis.
static void make_rods(toi_random *random, place at, toi_box *box)
{
    spread(random, -1, 1, 0.3 * usual_size(at.count), box);
    int axis = (int)toi_random_below(random, 3);
    set_interval(box, axis, box->lo[axis], box->lo[axis] + toi_random_range(random, 0, 1));
}

// Lower bounds are floats, upper bounds lie between them, where they count as the nearest.
static void make_lower_floats(toi_random *random, place at, toi_box *box)
{
    (void)at;
    for (int k = 0; k < 3; ++k) {
        box->lo[k] = 1 + (double)toi_random_below(random, 8) * 0x1p-23;
        box->hi[k] = box->lo[k] + (double)toi_random_below(random, 9) * 0x1p-25;
    }
}

static void make_upper_floats(toi_random *random, place at, toi_box *box)
{
    make_lower_floats(random, at, box);
    for (int k = 0; k < 3; ++k)
        set_interval(box, k, -box->lo[k], -box->hi[k]);
}

// Whole numbers but for one box, which is next to others, and as floats touches them.
static void make_one_inexact(toi_random *random, place at, toi_box *box)
{
    make_lattice(random, at, box);
    int axis = (int)toi_random_below(random, 3);
    if (at.index == at.count / 3)
        set_interval(box, axis, box->lo[axis] + 0x1p-40, box->hi[axis] + 1 - 0x1p-40);
}

static const struct
{
    const char *name;
    void (*make)(toi_random *random, place at, toi_box *box);
    bool dense;
} kinds[BOX_KINDS] = {
    [UNIFORM] = {"uniform", make_uniform, false},
    [LATTICE] = {"lattice", make_lattice, false},
    [IDENTICAL] = {"identical", make_identical, true},
    [NESTED] = {"nested", make_nested, true},
    [POINTS] = {"points", make_points, false},
    [OUTLIER] = {"outlier", make_outlier, false},
    [FLAT] = {"flat", make_flat, false},
    [NEAR_TIES] = {"near ties", make_near_ties, true},
    [HUGE_SIZE] = {"huge", make_huge, false},
    [DENORMAL] = {"denormal", make_denormal, false},
    [GIANTS] = {"giants", make_giants, false},
    [MANY_SIZES] = {"many sizes", make_many_sizes, false},
    [FAR_OUTLIERS] = {"far outliers", make_far_outliers, false},
    [FARTHEST_OUTLIERS] = {"farthest outliers", make_farthest_outliers, false},
    [FLAT_AT_A_TENTH] = {"flat at a tenth", make_flat_at_a_tenth, false},
    [DIAGONAL] = {"diagonal", make_diagonal, false},
    [ALONG_AN_AXIS] = {"along an axis", make_along_an_axis, false},
    [PILLARS] = {"pillars", make_pillars, false},
    [PLATES] = {"plates", make_plates, true},
    [CLUSTERS] = {"clusters", make_clusters, false},
    [NEGATIVE_ZEROS] = {"negative zeros", make_negative_zeros, true},
    [CHAIN] = {"chain", make_chain, false},
    [CROWDED] = {"crowded", make_crowded, true},
    [TINY_AND_HUGE] = {"tiny and huge", make_tiny_and_huge, false},
    [FLOAT_LIMIT] = {"float limit", make_float_limit, true},
    [ANY_BITS] = {"any bits", make_any_bits, true},
    [TRANSLATED] = {"translated", make_translated, false},
    [SHEETS] = {"sheets", make_sheets, false},
    [RODS] = {"rods", make_rods, false},
    [LOWER_FLOATS] = {"lower floats", make_lower_floats, true},
    [UPPER_FLOATS] = {"upper floats", make_upper_floats, true},
    [ONE_INEXACT] = {"one inexact", make_one_inexact, false},
};

const char *box_kind_name(int kind)
{
    return kinds[kind].name;
}

bool kind_is_dense(int kind)
{
    return kinds[kind].dense;
}

bool kind_defeats_floats(int kind)
{
    return kind == HUGE_SIZE || kind == DENORMAL || kind == TINY_AND_HUGE || kind == TRANSLATED;
}

box_list make_boxes(int kind, int64_t count, uint64_t seed)
{
    toi_random random = {seed * 100 + (uint64_t)kind};
    box_list list = {malloc((size_t)(count + 1) * sizeof(toi_box)), count};
    for (int64_t i = 0; i < count; ++i)
        kinds[kind].make(&random, (place){i, count}, &list.data[i]);
    return list;
}

static box_list make_second_list(int number, int kind, box_list first, uint64_t seed)
{
    box_list list = make_boxes(kind, first.count, seed);
    switch (number % 7) {
    case 0: // the same boxes
        free(list.data);
        return make_boxes(kind, first.count, 1 + (uint64_t)number);
    case 1: // far away
        for (int64_t i = 0; i < list.count; ++i)
            move(&list.data[i], 0, 1e5, 0);
        break;
    case 2:
        list.count = 0;
        break;
    case 3:
        list.count = list.count > 0;
        break;
    case 4: // another kind, and more of it
        free(list.data);
        return make_boxes((kind + number / 7) % BOX_KINDS, 2 * first.count + 3, seed);
    default: // another draw
        list.count = list.count * 2 / 3;
        break;
    }
    return list;
}

box_set make_box_set(int number)
{
    static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 400, 255, 256, 257, 100, 700};
    int kind = number / SIZES_A_KIND, step = number % SIZES_A_KIND;
    int64_t count = sizes[(kind + 2 * step) % (int)(sizeof sizes / sizeof *sizes)];
    if (kinds[kind].dense && count > 257)
        count = 200;
    box_set set = {.a = make_boxes(kind, count, 1 + (uint64_t)number)};
    set.b = make_second_list(number, kind, set.a, 1000 + (uint64_t)number);
    snprintf(set.name, sizeof set.name, "set %d (%s, %" PRId64 " and %" PRId64 " boxes)", number,
             kinds[kind].name, set.a.count, set.b.count);
    return set;
}

void free_box_set(box_set *set)
{
    free(set->a.data);
    free(set->b.data);
}

static bool overlap(const toi_box *a, const toi_box *b)
{
    for (int k = 0; k < 3; ++k)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k])
            return false;
    return true;
}

pair_list slow_pairs(box_list a, const box_list *b)
{
    const box_list *second = b ? b : &a;
    pair_list list = {malloc((size_t)(a.count * second->count + 1) * sizeof *list.data), 0};
    for (int64_t i = 0; i < a.count; ++i)
        for (int64_t j = b ? 0 : i + 1; j < second->count; ++j)
            if (overlap(&a.data[i], &second->data[j]))
                list.data[list.count++] = (toi_pair){(int32_t)i, (int32_t)j};
    return list;
}

static toi_status find(const toi_broad_def *def, box_list a, const box_list *b,
                       toi_pair_array *pairs)
{
    return b ? toi_find_pairs_between(def, view(a), view(*b), pairs)
             : toi_find_pairs(def, view(a), pairs);
}

pair_list method_pairs(toi_broad_method method, box_list a, const box_list *b)
{
    toi_broad_def def = toi_default_broad_def();
    def.method = method;
    def.workers = 2;
    toi_pair_array pairs = {0};
    assert_ok(find(&def, a, b, &pairs));
    pair_list list = {malloc((size_t)(pairs.count + 1) * sizeof *list.data), pairs.count};
    if (pairs.count > 0)
        memcpy(list.data, pairs.data, (size_t)pairs.count * sizeof *list.data);
    toi_free_pairs(&pairs);
    return list;
}

static bool before(toi_pair x, toi_pair y)
{
    return x.a != y.a ? x.a < y.a : x.b < y.b;
}

void describe_difference(const toi_pair_array *found, const pair_list *expected, char *text,
                         size_t size)
{
    int64_t i = 0, least = found->count < expected->count ? found->count : expected->count;
    while (i < least && memcmp(&found->data[i], &expected->data[i], sizeof(toi_pair)) == 0)
        ++i;
    bool missing =
        i == found->count || (i < expected->count && before(expected->data[i], found->data[i]));
    toi_pair pair = missing ? expected->data[i] : found->data[i];
    bool twice = !missing && i > 0 && memcmp(&pair, &found->data[i - 1], sizeof pair) == 0;
    snprintf(text, size, "%" PRId64 " pairs of %" PRId64 ", (%d, %d) is %s", found->count,
             expected->count, pair.a, pair.b,
             missing ? "missing"
             : twice ? "there twice"
                     : "none");
}

static uint64_t hash_pairs(const toi_pair_array *pairs)
{
    return toi_hash(pairs->data, (size_t)pairs->count * sizeof *pairs->data);
}

// Whose call it was, for messages.
static const char *describe_call(const char *name, const toi_broad_def *def, const box_list *b)
{
    static char text[300];
    snprintf(text, sizeof text, "%s, %d lists: %s with %d workers%s", name, b ? 2 : 1,
             toi_broad_name(def->method), def->workers, def->memory ? " and a memory" : "");
    return text;
}

static toi_pair_array find_or_fail(const char *name, const toi_broad_def *def, box_list a,
                                   const box_list *b)
{
    toi_pair_array pairs = {0};
    if (find(def, a, b, &pairs) != TOI_OK)
        fail_msg("%s: %s", describe_call(name, def, b), toi_last_message());
    return pairs;
}

uint64_t check_pairs(const char *name, const toi_broad_def *def, box_list a, const box_list *b,
                     const pair_list *expected)
{
    toi_pair_array pairs = find_or_fail(name, def, a, b);
    uint64_t hash = hash_pairs(&pairs);
    if (def->order != TOI_ORDER_CANONICAL)
        assert_ok(toi_sort_pairs(pairs.data, pairs.count, 1));
    size_t bytes = (size_t)pairs.count * sizeof *pairs.data;
    if (pairs.count != expected->count ||
        (pairs.count > 0 && memcmp(pairs.data, expected->data, bytes) != 0)) {
        char difference[200];
        describe_difference(&pairs, expected, difference, sizeof difference);
        fail_msg("%s: %s", describe_call(name, def, b), difference);
    }
    toi_free_pairs(&pairs);
    return hash;
}

void check_same_order(const char *name, const toi_broad_def *def, box_list a, const box_list *b,
                      const pair_list *expected, uint64_t hash)
{
    toi_pair_array pairs = find_or_fail(name, def, a, b);
    bool same = hash_pairs(&pairs) == hash;
    toi_free_pairs(&pairs);
    if (same)
        return;
    check_pairs(name, def, a, b, expected);
    fail_msg("%s: the right pairs in another order", describe_call(name, def, b));
}
