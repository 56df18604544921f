// What tests of overlap calls share: definitions, and which methods there are.

#ifndef TOI_TEST_OVERLAP_CALLS_H
#define TOI_TEST_OVERLAP_CALLS_H

#include "toi/overlap.h"

static inline toi_overlap_def make_def(int method, int workers)
{
    toi_overlap_def def = toi_default_overlap_def();
    def.method = (toi_overlap_method)method;
    def.workers = workers;
    return def;
}

// Methods of the literature can be left out of a build.
static inline bool is_built(int method)
{
    toi_overlap_def def = make_def(method, 1);
    return toi_count_overlaps(&def, &(toi_mesh){0}, NULL) != TOI_ERROR_UNSUPPORTED;
}

static inline bool odd_sum(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a + b) % 2 != 0;
}

#endif
