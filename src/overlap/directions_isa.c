// Culls pairs of faces in single precision, a vector of them at a time: by orientation signs, and
// where these are not certain, as in one plane, by directions.

#define TOI_SINGLE
#if defined(TOI_ISA_avx512)
#define TOI_LANES 16
#elif defined(TOI_ISA_avx2)
#define TOI_LANES 8
#else
#define TOI_LANES 4
#endif
#include "kernel/face_directions.h"
#include "simd/face_lanes.h"

#include "base/simd.h"

#ifndef STEPS
#define STEPS 2
#endif

toi_cull_faces_fn TOI_ISA_NAME(toi_cull_faces);
int64_t TOI_ISA_NAME(toi_cull_faces)(const toi_face_table *table, toi_pair *pairs, int64_t count)
{
    int64_t kept = 0;
    const toi_real error = TOI_SPREAD(table->error);
    for (int64_t first = 0; first < count; first += TOI_LANES) {
        int lanes = count - first < TOI_LANES ? (int)(count - first) : TOI_LANES;
        toi_real x[2][3][3], p[TOI_FACE_DIFFERENCES][3];
        toi_mask apart, crossing;
        toi_load_faces(table, pairs + first, lanes, x);
        toi_take_differences(x, p);
        toi_judge_faces(p, &error, &apart, &crossing);
        if (toi_any(~(apart | crossing)))
            apart |= toi_faces_separated(p, &error, STEPS);
        unsigned left = ~toi_mask_word(apart) & ((1u << lanes) - 1);
        for (; left; left &= left - 1)
            pairs[kept++] = pairs[first + __builtin_ctz(left)];
    }
    return kept;
}
