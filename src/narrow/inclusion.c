// Tight-Inclusion with a certified filter in front: docs/inclusion.md.

#include "narrow/inclusion.h"

#include "base/simd.h"

#include <math.h>

toi_inclusion_filter toi_filter_baseline, toi_filter_avx2, toi_filter_avx512;
toi_inclusion_search toi_search_cells_baseline, toi_search_cells_avx2, toi_search_cells_avx512;

void toi_solve_inclusion(const toi_narrow_batch *batch)
{
    static toi_inclusion_filter *const filters[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_filter);
    static toi_inclusion_search *const searches[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_search_cells);
    toi_inclusion_filter *filter = filters[toi_simd_level()];
    toi_inclusion_search *search = searches[toi_simd_level()];
    for (int64_t i = 0; i < batch->count; ++i)
        batch->results[i] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
    for (int64_t first = 0; first < batch->count; first += TOI_FILTER_LANES) {
        toi_filtered left[TOI_FILTER_LANES];
        int count = filter(batch, first, left);
        for (int i = 0; i < count; ++i)
            search(batch, &left[i]);
    }
}
