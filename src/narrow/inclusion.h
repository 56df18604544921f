// What the inclusion method's two parts share: the filter, eight queries at a time, and the search,
// one cell at a time. Each is compiled once for each instruction set; inclusion.c chooses.

#ifndef TOI_NARROW_INCLUSION_H
#define TOI_NARROW_INCLUSION_H

#include "narrow/narrow.h"

enum
{
    TOI_FILTER_LANES = 8
};

// The scaled motion of a query that the filter could not separate (toi_motion, one lane).
typedef struct toi_filtered
{
    int64_t index; // in the batch
    double p[2][3], e[2][3], g[2][3];
    double size[3];
    double scale;
} toi_filtered;

// Runs the filter on queries first .. first + 7 of the batch; writes those it could not separate to
// `left`, in order, and returns how many.
typedef int toi_inclusion_filter(const toi_narrow_batch *batch, int64_t first,
                                 toi_filtered left[TOI_FILTER_LANES]);

// Searches one query's domain; batch->scratch holds the cells that wait.
typedef void toi_inclusion_search(const toi_narrow_batch *batch, const toi_filtered *query);

// Bytes of scratch that a search needs: the bound on a query's memory.
int64_t toi_search_scratch_bytes(void);

#endif
