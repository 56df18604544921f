// The inner loop of baking: squared distances of a group of points to triangles.

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "sdf/bake_triangle.h"

#include <string.h>

toi_bake_lower_fn TOI_ISA_NAME(toi_bake_lower);
void TOI_ISA_NAME(toi_bake_lower)(toi_bake_group *group, const toi_bake_triangle *triangles,
                                  int64_t first, int64_t end)
{
    for (int i = 0; i < TOI_BAKE_POINTS; i += TOI_LANES) {
        toi_real at[3], best;
        for (int k = 0; k < 3; ++k)
            memcpy(&at[k], &group->at[k][i], sizeof at[k]);
        memcpy(&best, &group->best[i], sizeof best);
        for (int64_t t = first; t < end; ++t)
            best = toi_min(toi_triangle_square(&triangles[t], at), best);
        memcpy(&group->best[i], &best, sizeof best);
    }
}
