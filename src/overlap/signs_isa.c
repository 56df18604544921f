// Decides pairs of faces by orientation signs in double precision, a vector of them at a time.

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "kernel/orientations.h"
#include "simd/face_lanes.h"

#include "base/simd.h"

toi_decide_faces_fn TOI_ISA_NAME(toi_decide_faces);
int64_t TOI_ISA_NAME(toi_decide_faces)(const toi_face_table *table, toi_pair *pairs, int64_t count,
                                       toi_pair *crossing, int64_t *crossings)
{
    int64_t kept = 0, found = 0;
    // Coordinates that lost digits by scaling are off by less than the bound's constant term.
    const toi_real error = TOI_SPREAD(0);
    for (int64_t first = 0; first < count; first += TOI_LANES) {
        int lanes = count - first < TOI_LANES ? (int)(count - first) : TOI_LANES;
        toi_real x[2][3][3], p[TOI_FACE_DIFFERENCES][3];
        toi_mask apart, through;
        toi_load_faces(table, pairs + first, lanes, x);
        toi_take_differences(x, p);
        toi_judge_faces(p, &error, &apart, &through);
        unsigned on = (1u << lanes) - 1, hits = toi_mask_word(through) & on;
        for (unsigned left = hits; left; left &= left - 1)
            crossing[found++] = pairs[first + __builtin_ctz(left)];
        for (unsigned left = ~toi_mask_word(apart) & ~hits & on; left; left &= left - 1)
            pairs[kept++] = pairs[first + __builtin_ctz(left)];
    }
    *crossings = found;
    return kept;
}
