// The filter in front of Tight-Inclusion: eight queries at a time, transposed into vectors.

#define TOI_LANES 8
#include "kernel/separation.h"

#include "base/simd.h"
#include "narrow/inclusion.h"

typedef struct lanes
{
    toi_real points[2][4][3];
    toi_real separation;
    toi_pair_motion motion;
} lanes;

// Reads the queries into lanes; lanes past the end repeat the last query and are ignored.
static void load_lanes(const toi_narrow_batch *batch, int64_t first, lanes *l)
{
    for (int i = 0; i < TOI_FILTER_LANES; ++i) {
        int64_t at = first + i < batch->count ? first + i : batch->count - 1;
        const toi_query *query = &batch->queries[at];
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k) {
                l->points[0][c][k][i] = query->start[c][k];
                l->points[1][c][k][i] = query->end[c][k];
            }
        l->separation[i] = batch->separations ? batch->separations[at] : batch->def->min_separation;
    }
}

TOI_INLINE void measure(int edge_edge, lanes *l)
{
    toi_real shrink;
    toi_take_scaled_motion(edge_edge, l->points, &shrink, &l->motion);
    l->separation *= l->motion.scale;
}

// Called with a constant kind, so that each kind gets its own straight code.
TOI_INLINE toi_mask try_lanes(int edge_edge, lanes *l)
{
    toi_mask apart = toi_axes_apart(edge_edge, l->points, NULL, &l->separation);
    measure(edge_edge, l);
    return apart | toi_separated(edge_edge, &l->motion, &l->separation);
}

static void extract(const toi_pair_motion *m, int lane, toi_filtered *out)
{
    for (int k = 0; k < 3; ++k) {
        for (int end = 0; end < 2; ++end) {
            out->p[end][k] = m->p[end][k][lane];
            out->e[end][k] = m->e[end][k][lane];
            out->g[end][k] = m->g[end][k][lane];
        }
        out->size[k] = m->size[k][lane];
    }
    out->scale = m->scale[lane];
}

int TOI_ISA_NAME(toi_filter)(const toi_narrow_batch *batch, int64_t first,
                             toi_filtered left[TOI_FILTER_LANES]);

int TOI_ISA_NAME(toi_filter)(const toi_narrow_batch *batch, int64_t first,
                             toi_filtered left[TOI_FILTER_LANES])
{
    lanes l;
    load_lanes(batch, first, &l);
    toi_mask apart = batch->kind == TOI_EDGE_EDGE ? try_lanes(1, &l) : try_lanes(0, &l);
    int count = 0;
    for (int i = 0; i < TOI_FILTER_LANES && first + i < batch->count; ++i)
        if (!apart[i]) {
            left[count].index = first + i;
            extract(&l.motion, i, &left[count++]);
        }
    return count;
}
