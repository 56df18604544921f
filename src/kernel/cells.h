// What becomes of a cell of (t, u, v) in a search: it is excluded, accepted, or shrunk and split.
// One cell at a time and without memory of others, so that any order of search can use it:
// docs/inclusion.md, sections 3, 5 and 6.

#ifndef TOI_KERNEL_CELLS_H
#define TOI_KERNEL_CELLS_H

#include "kernel/inclusion.h"

#include <stdbool.h>

// A contact's time is refined to this, however slow the motion; most come out far sharper.
#define TOI_TIME_RESOLUTION 0x1p-20

enum
{
    // Cells examined for an earlier time once a query is known to be a hit. Most hits need a few.
    TOI_REFINEMENTS = 256
};

typedef enum toi_cell_verdict
{
    TOI_CELL_EXCLUDED,
    TOI_CELL_ACCEPTED,
    TOI_CELL_OPEN
} toi_cell_verdict;

// With a separation: a pair of points, and a time at which it is within it. Starts at infinity.
typedef struct toi_touch
{
    double time;
    double u, v;
    double blur; // times before it by less than this cannot be told from it
} toi_touch;

// Compares the box of F over a cell with what counts as zero. `open`: on which axes it is not all
// zero. *narrow: it is within the tolerance, or so small that rounding hides more.
TOI_INLINE toi_cell_verdict toi_judge_hull(const toi_inclusion *q, const toi_cell *cell,
                                           bool open[3], bool *narrow)
{
    toi_hull hull;
    toi_cell_hull(q, cell, &hull);
    bool inside = true;
    *narrow = true;
    for (int k = 0; k < 3; ++k) {
        if (hull.lo[k] > q->threshold[k] || hull.hi[k] < -q->threshold[k])
            return TOI_CELL_EXCLUDED;
        open[k] = hull.lo[k] < -q->threshold[k] || hull.hi[k] > q->threshold[k];
        inside &= !open[k];
        *narrow &= hull.hi[k] - hull.lo[k] <= q->narrow[k];
    }
    // Inside, every point is a contact as far as doubles can tell: nothing is left to refine.
    return inside ? TOI_CELL_ACCEPTED : TOI_CELL_OPEN;
}

// With a separation contact is not a point but a region of (t, u, v), and only its first time is
// wanted: a pair of points that is within the separation at some time bounds that time from above.
TOI_INLINE bool toi_is_early_enough(const toi_inclusion *q, const toi_cell *cell,
                                    toi_touch *touched)
{
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    double blur = 0;
    double time = !q->triangle || u + v <= 1 ? toi_entry_time(q, u, v, &blur) : HUGE_VAL;
    if (time < touched->time) {
        toi_touch earlier = {time, u, v, TOI_TIME_RESOLUTION + blur};
        *touched = earlier;
    }
    if (q->no_zero_time && cell->lo[0] == 0)
        return touched->time == 0;
    return cell->lo[0] >= touched->time - touched->blur;
}

// Examines a cell once: judges it, shrinks it, and says whether shrinking is worth repeating.
// *narrow: the cell is within the tolerance, so the query is a hit; what is left to find is how
// early.
TOI_INLINE toi_cell_verdict toi_examine_cell(const toi_inclusion *q, toi_cell *cell,
                                             toi_touch *touched, toi_expansion *x, bool *again,
                                             bool *narrow)
{
    *again = false;
    if (q->triangle && !toi_clip_cell(cell))
        return TOI_CELL_EXCLUDED;
    toi_cell_verdict v = toi_judge_hull(q, cell, x->open, narrow);
    if (v != TOI_CELL_OPEN)
        return v;
    if (q->separation > 0) {
        if (toi_is_early_enough(q, cell, touched))
            return TOI_CELL_ACCEPTED;
        cell->hi[0] = toi_min(cell->hi[0], touched->time);
    }
    toi_cell old = *cell;
    if (!toi_shrink_cell(q, cell, x))
        return TOI_CELL_EXCLUDED;
    for (int a = 0; a < 3; ++a)
        *again |= cell->hi[a] - cell->lo[a] < 0.5 * (old.hi[a] - old.lo[a]);
    bool done = *narrow && cell->hi[0] - cell->lo[0] <= TOI_TIME_RESOLUTION &&
                !(q->no_zero_time && cell->lo[0] == 0);
    return done && !*again ? TOI_CELL_ACCEPTED : TOI_CELL_OPEN;
}

// |F| at the centre of a cell's first face.
TOI_INLINE double toi_centre_size(const toi_inclusion *q, const toi_cell *cell)
{
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    double t = cell->lo[0], value[3];
    for (int k = 0; k < 3; ++k)
        value[k] = (q->p[0][k] + t * q->dp[k]) + u * (q->e[0][k] + t * q->de[k]) +
                   v * (q->g[0][k] + t * q->dg[k]);
    return toi_max3(value);
}

// Cuts the cell, expanded as `x`, across the variable that moves F most, on the axes where F is not
// yet known to be zero. False: doubles cannot cut that one any more, and cutting another would
// leave the box as wide.
TOI_INLINE bool toi_split_cell(const toi_inclusion *q, const toi_cell *cell, const toi_expansion *x,
                               toi_cell halves[2])
{
    const double *slopes[3] = {x->dt, x->du, x->dv};
    bool zero = q->no_zero_time && cell->lo[0] == 0;
    int best = 0;
    double most = -1;
    for (int a = 0; a < 3; ++a) {
        double slope = 0;
        for (int k = 0; k < 3; ++k)
            slope = toi_max(slope, x->open[k] ? toi_abs(slopes[a][k]) : 0);
        double reach = (cell->hi[a] - cell->lo[a]) * slope;
        if (reach > most) {
            most = reach;
            best = a;
        }
    }
    double middle = 0.5 * (cell->lo[best] + cell->hi[best]);
    bool cut = middle > cell->lo[best] && middle < cell->hi[best];
    // Below the tolerance only the time matters to a caller that wants it off zero.
    if (zero && (most <= q->tolerance || !cut) && 0.5 * cell->hi[0] > 0) {
        best = 0;
        middle = 0.5 * cell->hi[0];
        cut = true;
    }
    if (!cut)
        return false;
    halves[0] = halves[1] = *cell;
    halves[0].hi[best] = middle;
    halves[1].lo[best] = middle;
    // The earlier half goes first; of two equally early ones that where F is smaller.
    if (best > 0 && toi_centre_size(q, &halves[1]) < toi_centre_size(q, &halves[0])) {
        toi_cell swapped = halves[0];
        halves[0] = halves[1];
        halves[1] = swapped;
    }
    return true;
}

#endif
