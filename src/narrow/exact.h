// The stages of the `exact` method, each up to eight queries at a time, compiled once for each
// instruction set; exact.c drives them. docs/exact.md gives the theorem behind each.

#ifndef TOI_NARROW_EXACT_H
#define TOI_NARROW_EXACT_H

#include "narrow/narrow.h"

enum
{
    TOI_STAGE_LANES = 8,
    TOI_MOST_PIECES = 3 // a cubic is monotone on at most three pieces
};

// What a stage says of one lane.
typedef enum toi_stage_verdict
{
    TOI_VERDICT_SEPARATED, // proved
    TOI_VERDICT_ONE_ROOT,  // D has exactly one root in the piece
    TOI_VERDICT_FOLDED,    // more than one, perhaps
    TOI_VERDICT_INSIDE,    // they touch at the piece's root
    TOI_VERDICT_HARD,      // the stage cannot tell
} toi_stage_verdict;

// Up to eight queries of a batch.
typedef struct toi_lane_list
{
    int count;
    int32_t query[TOI_STAGE_LANES];
} toi_lane_list;

// Does D have a root at all? Verdicts: separated, one root, folded, hard.
typedef void toi_exact_planes_fn(const toi_narrow_batch *batch, const toi_lane_list *lanes,
                                 uint8_t verdict[TOI_STAGE_LANES]);

// The step cut at the critical points of D.
typedef struct toi_folds
{
    double from[TOI_MOST_PIECES][TOI_STAGE_LANES];
    double to[TOI_MOST_PIECES][TOI_STAGE_LANES];
    uint8_t verdict[TOI_MOST_PIECES][TOI_STAGE_LANES]; // separated (no root), one root, hard
} toi_folds;

typedef void toi_exact_folds_fn(const toi_narrow_batch *batch, const toi_lane_list *lanes,
                                toi_folds *folds);

// Pieces with one root each, and what became of them.
typedef struct toi_crossings
{
    double from[TOI_STAGE_LANES], to[TOI_STAGE_LANES];
    double root[TOI_STAGE_LANES], radius[TOI_STAGE_LANES];
    uint8_t verdict[TOI_STAGE_LANES]; // separated, inside, hard
} toi_crossings;

typedef void toi_exact_crossings_fn(const toi_narrow_batch *batch, const toi_lane_list *lanes,
                                    toi_crossings *crossings);

// The times of bracketed roots; NaN where this stage cannot tell the last bit.
typedef void toi_exact_times_fn(const toi_narrow_batch *batch, const toi_lane_list *lanes,
                                const double root[TOI_STAGE_LANES],
                                const double radius[TOI_STAGE_LANES], double time[TOI_STAGE_LANES]);

// Completes results whose time is known: where, and which way.
typedef void toi_exact_places_fn(const toi_narrow_batch *batch, const toi_lane_list *lanes);

// The same for all hits of a batch.
void toi_climb_places(const toi_narrow_batch *batch, toi_exact_places_fn *find_places);

// Separating directions in single precision over the whole batch: lists the queries that are left
// and returns how many; the others' rungs are noted in their results.
typedef int64_t toi_exact_directions_fn(const toi_narrow_batch *batch, int32_t *left);

#endif
