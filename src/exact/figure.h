// The figure of a query, {a - b: a in one primitive, b in the other}, in whole numbers of one unit:
// its distance from the origin is that of the primitives. docs/separation.md.

#ifndef TOI_EXACT_FIGURE_H
#define TOI_EXACT_FIGURE_H

#include "exact/sextic.h"

#include "toi/narrow_phase.h"

enum
{
    TOI_MOST_FACES = 9,     // four corners, four sides, the inside of a parallelogram
    TOI_MOST_CONDITIONS = 4 // of the inside
};

// A corner, a side or the inside. `over` / `under` is the squared distance of its flat (point, line
// or plane) from the origin, and the closest point of the flat is in the face, but not on its
// border, where all conditions are positive; `under` is then too. A corner has no conditions.
typedef struct toi_face
{
    toi_sextic over;
    toi_sextic under;
    int conditions;
    toi_sextic condition[TOI_MOST_CONDITIONS];
} toi_face;

// Corners first, then sides, then the inside.
typedef struct toi_figure
{
    int64_t unit; // lengths are whole multiples of 2^unit
    int faces;
    toi_face face[TOI_MOST_FACES];
} toi_figure;

// Takes the figure of a query of finite doubles. `degree` is 1, or 0 to look at t = 0 alone, which
// takes a third of the time.
void toi_figure_from_query(toi_arena *arena, toi_kind kind, const toi_query *query, int degree,
                           toi_figure *figure);

#endif
