// The slow twin of toi_classify_faces() and toi_find_overlap_figure(): the intersection of two
// faces in rationals, by clipping one with the half-spaces that the other is made of.

#ifndef TOI_TEST_OVERLAP_TWIN_H
#define TOI_TEST_OVERLAP_TWIN_H

#include "overlap/overlap.h"

#include <gmp.h>

enum
{
    TWIN_POINTS = 16 // a triangle clipped by eight half-spaces has at most eleven corners
};

// A convex set in space: its extreme points, in order around it.
typedef struct twin_set
{
    int count; // 0 nothing, 1 a point, 2 a segment, else a polygon
    mpq_t x[TWIN_POINTS][3];
} twin_set;

void open_twin_set(twin_set *set);
void close_twin_set(twin_set *set);

// Everything that two faces have in common, what they share included. `set` is open.
void find_twin_set(const toi_corner_view *a, const toi_corner_view *b, twin_set *set);

// What toi_classify_faces() must say.
toi_overlap_class find_twin_class(const toi_corner_view *a, const toi_corner_view *b);

// The double nearest to a rational, ties to even; numbers that doubles do not reach are not asked.
double nearest_double(const mpq_t x);

#endif
