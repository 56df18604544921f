// Box sets made to break broad phases, the slow twin that says which pairs they have, and a
// comparison that names what a method got wrong.

#ifndef TOI_TEST_BROAD_SETS_H
#define TOI_TEST_BROAD_SETS_H

#include "support.h"

typedef struct box_list
{
    toi_box *data;
    int64_t count;
} box_list;

static inline toi_box_view view(box_list list)
{
    toi_box_view boxes = {list.data, list.count};
    return boxes;
}

// Kinds of box sets, each a way to break a broad phase; broad_sets.c says how each is made.
enum
{
    UNIFORM,
    LATTICE,
    IDENTICAL,
    NESTED,
    POINTS,
    OUTLIER,
    FLAT,
    NEAR_TIES,
    HUGE_SIZE,
    DENORMAL,
    GIANTS,
    MANY_SIZES,
    FAR_OUTLIERS,
    FARTHEST_OUTLIERS,
    FLAT_AT_A_TENTH,
    DIAGONAL,
    ALONG_AN_AXIS,
    PILLARS,
    PLATES,
    CLUSTERS,
    NEGATIVE_ZEROS,
    CHAIN,
    CROWDED,
    TINY_AND_HUGE,
    FLOAT_LIMIT,
    ANY_BITS,
    TRANSLATED,
    SHEETS,
    RODS,
    LOWER_FLOATS,
    UPPER_FLOATS,
    ONE_INEXACT,
    BOX_KINDS
};

const char *box_kind_name(int kind);

// Is a good part of all pairs an overlapping one? Large sets of such a kind fit no list.
bool kind_is_dense(int kind);

// Do many of its bounds coincide as floats, so that comparing is slow?
bool kind_defeats_floats(int kind);

// Boxes are as large as leaves each a few neighbours, whatever the count.
box_list make_boxes(int kind, int64_t count, uint64_t seed);

// A set for both searches: `a` against itself, and `a` against `b`, which is another draw of the
// kind, another kind, the same list, a list far away, one box or empty.
typedef struct box_set
{
    char name[100];
    box_list a, b;
} box_set;

enum
{
    SIZES_A_KIND = 8,
    BOX_SETS = BOX_KINDS * SIZES_A_KIND
};

box_set make_box_set(int number);
void free_box_set(box_set *set);

typedef struct pair_list
{
    toi_pair *data;
    int64_t count;
} pair_list;

// The slow twin: two loops. `b` is NULL for a list against itself. Free the data.
pair_list slow_pairs(box_list a, const box_list *b);

// The pairs of `method` in a list that is ours; for expectations that two loops are too slow for.
pair_list method_pairs(toi_broad_method method, box_list a, const box_list *b);

// Says what the first difference of two sorted lists is.
void describe_difference(const toi_pair_array *found, const pair_list *expected, char *text,
                         size_t size);

// The call of `def` must find exactly the pairs expected; `name` is for the message. Returns the
// hash of the pairs in the order in which the method gave them.
uint64_t check_pairs(const char *name, const toi_broad_def *def, box_list a, const box_list *b,
                     const pair_list *expected);

// The same for another call of which that hash is known already; cheaper.
void check_same_order(const char *name, const toi_broad_def *def, box_list a, const box_list *b,
                      const pair_list *expected, uint64_t hash);

#endif
