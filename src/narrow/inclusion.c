// Tight-Inclusion with a certified filter in front: docs/inclusion.md.

#include "narrow/inclusion.h"

#include "base/simd.h"
#include "kernel/cells.h"
#include "narrow/normal.h"

#include <math.h>
#include <string.h>

toi_inclusion_filter_fn toi_filter_baseline, toi_filter_avx2, toi_filter_avx512;
toi_inclusion_search_fn toi_search_cells_baseline, toi_search_cells_avx2, toi_search_cells_avx512;

int toi_filter_queries(const toi_narrow_batch *batch, int64_t first,
                       toi_filtered left[TOI_FILTER_LANES])
{
    static toi_inclusion_filter_fn *const filters[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_filter);
    return filters[toi_simd_level()](batch, first, left);
}

void toi_clear_results(const toi_narrow_batch *batch)
{
    memset(batch->results, 0, (size_t)batch->count * sizeof *batch->results); // padding too
    for (int64_t i = 0; i < batch->count; ++i)
        batch->results[i].time = INFINITY;
}

void toi_prepare_inclusion(const toi_narrow_batch *batch, const toi_filtered *from,
                           toi_inclusion *q)
{
    double separation =
        batch->separations ? batch->separations[from->index] : batch->def->min_separation;
    toi_take_inclusion(from->p, from->e, from->g, from->size,
                       toi_scale_length(separation, from->scale),
                       toi_scale_length(batch->def->tolerance, from->scale), q);
    q->triangle = batch->kind == TOI_VERTEX_FACE;
    q->no_zero_time = batch->def->no_zero_time;
}

void toi_report_cell(const toi_inclusion *q, const toi_query *asked, toi_state state, double time,
                     const toi_touch *touched, const toi_cell *cell, toi_query_result *result)
{
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    if (touched->time < INFINITY) { // that place, not the middle of a large cell
        u = touched->u;
        v = touched->v;
    }
    if (q->triangle) // cells reach a little beyond the side they were cut at
        v = toi_min(v, 1 - u);
    result->state = state;
    result->time = time;
    result->u = u;
    result->v = v;
    toi_set_normal(q->triangle ? TOI_VERTEX_FACE : TOI_EDGE_EDGE, asked, result);
}

void toi_solve_inclusion(const toi_narrow_batch *batch)
{
    static toi_inclusion_search_fn *const searches[TOI_SIMD_COUNT] =
        TOI_ISA_TABLE(toi_search_cells);
    toi_inclusion_search_fn *search = searches[toi_simd_level()];
    toi_clear_results(batch);
    for (int64_t first = 0; first < batch->count; first += TOI_FILTER_LANES) {
        toi_filtered left[TOI_FILTER_LANES];
        int count = toi_filter_queries(batch, first, left);
        for (int i = 0; i < count; ++i)
            search(batch, &left[i]);
    }
}
