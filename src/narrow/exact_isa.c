// The stages of `exact` in double precision, a vector of queries at a time: loads the lanes of the
// kernels and writes down what they find.

#include "simd/fused.h" // first; then what says how many lanes there are
#include "simd/load_lanes.h"

#include "kernel/contact_place.h"
#include "kernel/root_time.h"

#include "base/simd.h"
#include "narrow/exact.h"
#include "narrow/normal.h"
#include "simd/one_lane.h"

typedef struct lanes
{
    union
    {
        toi_real points[2][4][3];
        toi_real numbers[24];
    };
    toi_real shrink; // what the points were multiplied by before their differences were taken
    toi_pair_motion motion;
    toi_reach reach;
    toi_cubic cubic;
} lanes;

// Loads the lanes of the list from `at` on; those beyond its end repeat the first of them.
static inline void load_lanes(const toi_narrow_batch *batch, const toi_lane_list *list, int at,
                              lanes *l)
{
    const double *from[TOI_LANES];
    for (int i = 0; i < TOI_LANES; ++i)
        from[i] = &batch->queries[list->query[at + i < list->count ? at + i : at]].start[0][0];
    for (int offset = 0; offset < 24; offset += TOI_LANES)
        toi_transpose(from, offset, l->numbers + offset);
}

TOI_INLINE void load_cubics(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at, lanes *l)
{
    load_lanes(batch, list, at, l);
    toi_take_scaled_motion(edge_edge, l->points, &l->shrink, &l->motion);
    toi_take_reach(&l->motion, &l->reach);
    toi_take_cubic(&l->motion, &l->reach, &l->cubic);
}

static inline toi_real load_reals(const double *from)
{
    toi_real x;
    memcpy(&x, from, sizeof x);
    return x;
}

// Writes the verdict of every lane where the mask is set.
static inline void note(uint8_t verdict[TOI_LANES], toi_mask mask, toi_stage_verdict value)
{
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = mask[i] ? (uint8_t)value : verdict[i];
}

// ---- Roots or none

TOI_INLINE void judge_planes(int edge_edge, const toi_narrow_batch *batch,
                             const toi_lane_list *list, int at, uint8_t verdict[TOI_LANES])
{
    lanes l;
    load_cubics(edge_edge, batch, list, at, &l);
    toi_root_count roots = toi_count_roots(l.cubic.c, &l.cubic.end_error, &l.cubic.error);
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = TOI_VERDICT_HARD;
    note(verdict, roots.known, TOI_VERDICT_FOLDED);
    note(verdict, roots.one, TOI_VERDICT_ONE_ROOT);
    note(verdict, roots.none, TOI_VERDICT_SEPARATED);
}

toi_exact_planes_fn TOI_ISA_NAME(toi_judge_planes);
void TOI_ISA_NAME(toi_judge_planes)(const toi_narrow_batch *batch, const toi_lane_list *list,
                                    uint8_t verdict[TOI_STAGE_LANES])
{
    for (int at = 0; at < list->count; at += TOI_LANES) {
        if (batch->kind == TOI_EDGE_EDGE)
            judge_planes(1, batch, list, at, verdict + at);
        else
            judge_planes(0, batch, list, at, verdict + at);
    }
}

// ---- Monotone pieces

TOI_INLINE void judge_piece(const toi_cubic *q, const toi_real *from, const toi_real *to,
                            uint8_t verdict[TOI_LANES])
{
    toi_root_count roots = toi_count_piece_roots(q, from, to);
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = TOI_VERDICT_HARD;
    note(verdict, roots.one, TOI_VERDICT_ONE_ROOT);
    note(verdict, roots.none, TOI_VERDICT_SEPARATED);
}

TOI_INLINE void judge_folds(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at, toi_folds *folds)
{
    lanes l;
    load_cubics(edge_edge, batch, list, at, &l);
    toi_real cuts[TOI_MOST_PIECES + 1] = {TOI_SPREAD(0), TOI_SPREAD(0), TOI_SPREAD(0),
                                          TOI_SPREAD(1)};
    toi_cut_step(&l.cubic, &cuts[1], &cuts[2]);
    for (int i = 0; i < TOI_MOST_PIECES; ++i) {
        memcpy(folds->from[i] + at, &cuts[i], sizeof cuts[i]);
        memcpy(folds->to[i] + at, &cuts[i + 1], sizeof cuts[i]);
        judge_piece(&l.cubic, &cuts[i], &cuts[i + 1], folds->verdict[i] + at);
    }
}

toi_exact_folds_fn TOI_ISA_NAME(toi_judge_folds);
void TOI_ISA_NAME(toi_judge_folds)(const toi_narrow_batch *batch, const toi_lane_list *list,
                                   toi_folds *folds)
{
    for (int at = 0; at < list->count; at += TOI_LANES) {
        if (batch->kind == TOI_EDGE_EDGE)
            judge_folds(1, batch, list, at, folds);
        else
            judge_folds(0, batch, list, at, folds);
    }
}

// ---- Roots, and whether they are contacts

TOI_INLINE void judge_crossings(int edge_edge, const toi_narrow_batch *batch,
                                const toi_lane_list *list, int at, toi_crossings *x)
{
    lanes l;
    load_cubics(edge_edge, batch, list, at, &l);
    toi_real from = load_reals(x->from + at), to = load_reals(x->to + at), root, radius;
    toi_inside inside =
        toi_judge_root(edge_edge, &l.motion, &l.reach, &l.cubic, &from, &to, &root, &radius);
    memcpy(x->root + at, &root, sizeof root);
    memcpy(x->radius + at, &radius, sizeof radius);
    uint8_t *verdict = x->verdict + at;
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = TOI_VERDICT_HARD;
    note(verdict, inside.in, TOI_VERDICT_INSIDE);
    note(verdict, inside.out, TOI_VERDICT_SEPARATED);
}

toi_exact_crossings_fn TOI_ISA_NAME(toi_judge_crossings);
void TOI_ISA_NAME(toi_judge_crossings)(const toi_narrow_batch *batch, const toi_lane_list *list,
                                       toi_crossings *crossings)
{
    for (int at = 0; at < list->count; at += TOI_LANES) {
        if (batch->kind == TOI_EDGE_EDGE)
            judge_crossings(1, batch, list, at, crossings);
        else
            judge_crossings(0, batch, list, at, crossings);
    }
}

// ---- Times

TOI_INLINE void find_times(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                           int at, const double root[TOI_STAGE_LANES],
                           const double radius[TOI_STAGE_LANES], double time[TOI_STAGE_LANES])
{
    lanes l;
    load_cubics(edge_edge, batch, list, at, &l);
    toi_real t = load_reals(root + at), r = load_reals(radius + at), found;
    toi_mask sure =
        toi_find_root_time(edge_edge, l.points, &l.shrink, &l.motion, &l.cubic, &t, &r, &found);
    found = TOI_SELECT(sure, found, TOI_SPREAD((double)NAN));
    memcpy(time + at, &found, sizeof found);
}

toi_exact_times_fn TOI_ISA_NAME(toi_find_times);
void TOI_ISA_NAME(toi_find_times)(const toi_narrow_batch *batch, const toi_lane_list *list,
                                  const double root[TOI_STAGE_LANES],
                                  const double radius[TOI_STAGE_LANES],
                                  double time[TOI_STAGE_LANES])
{
    for (int at = 0; at < list->count; at += TOI_LANES) {
        if (batch->kind == TOI_EDGE_EDGE)
            find_times(1, batch, list, at, root, radius, time);
        else
            find_times(0, batch, list, at, root, radius, time);
    }
}

// ---- Places

TOI_INLINE void find_places(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at)
{
    lanes l;
    int count = list->count - at < TOI_LANES ? list->count - at : TOI_LANES;
    toi_real t = TOI_SPREAD(0);
    for (int i = 0; i < count; ++i)
        t[i] = batch->results[list->query[at + i]].time;
    load_lanes(batch, list, at, &l);
    toi_take_scaled_motion(edge_edge, l.points, &l.shrink, &l.motion);
    toi_contact_place p;
    toi_settle_contact_place(edge_edge, &l.motion, &t, &p);
    for (int i = 0; i < count; ++i) {
        toi_query_result *result = &batch->results[list->query[at + i]];
        toi_contact_frame frame = {.e_size = p.e_size[i], .g_size = p.g_size[i]};
        toi_pick_lane(p.e, i, frame.e);
        toi_pick_lane(p.g, i, frame.g);
        toi_pick_lane(p.speed, i, frame.speed);
        result->u = p.u[i];
        result->v = p.v[i];
        toi_settle_normal(batch->kind, &batch->queries[list->query[at + i]], &frame, result);
    }
}

toi_exact_places_fn TOI_ISA_NAME(toi_find_places);
void TOI_ISA_NAME(toi_find_places)(const toi_narrow_batch *batch, const toi_lane_list *list)
{
    for (int at = 0; at < list->count; at += TOI_LANES) {
        if (batch->kind == TOI_EDGE_EDGE)
            find_places(1, batch, list, at);
        else
            find_places(0, batch, list, at);
    }
}
