// Tight-Inclusion over one queue of many queries' cells: inclusion_queue_isa.c.

#include "base/simd.h"
#include "narrow/inclusion.h"

toi_narrow_solve_fn toi_solve_queue_baseline, toi_solve_queue_avx2, toi_solve_queue_avx512;

void toi_solve_inclusion_queue(const toi_narrow_batch *batch)
{
    static toi_narrow_solve_fn *const solvers[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_solve_queue);
    solvers[toi_simd_level()](batch);
}
