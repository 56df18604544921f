// The stages of toi_find_overlaps() that exist once for each instruction set.

#include "base/simd.h"
#include "overlap/overlap.h"

toi_cull_faces_fn toi_cull_faces_baseline, toi_cull_faces_avx2, toi_cull_faces_avx512;
toi_decide_faces_fn toi_decide_faces_baseline, toi_decide_faces_avx2, toi_decide_faces_avx512;

toi_cull_faces_fn *toi_cull_faces_kernel(void)
{
    static toi_cull_faces_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_cull_faces);
    return kernels[toi_simd_level()];
}

toi_decide_faces_fn *toi_decide_faces_kernel(void)
{
    static toi_decide_faces_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_decide_faces);
    return kernels[toi_simd_level()];
}
