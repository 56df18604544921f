// The last bit of `exact` with a separation, a vector of queries at a time: renames the corners of
// each query after its closest feature and loads the lanes of the kernels.

#include "simd/fused.h" // first; then what says how many lanes there are
#include "simd/load_lanes.h"

#include "kernel/apart_time.h"

#include "base/simd.h"
#include "narrow/apart.h"

// Which corners of a query become the first to the fourth, so that the feature is the corner P, the
// side from P along E, or the inside. Where edge a and edge b change places, F changes its sign.
static const uint8_t NEW_CORNERS[TOI_PAIR_KINDS][TOI_FEATURES][4] = {
    [TOI_VERTEX_FACE] = {{0, 1, 2, 3},
                         {0, 2, 1, 3},
                         {0, 3, 1, 2},
                         {0, 1, 2, 3}, // no such feature
                         {0, 1, 2, 3},
                         {0, 1, 3, 2},
                         {0, 2, 3, 1},
                         {0, 1, 2, 3}, // no such feature
                         {0, 1, 2, 3}},
    [TOI_EDGE_EDGE] = {{0, 1, 2, 3},
                       {1, 0, 2, 3},
                       {0, 1, 3, 2},
                       {1, 0, 3, 2},
                       {0, 1, 2, 3},
                       {2, 3, 0, 1},
                       {0, 1, 3, 2},
                       {2, 3, 1, 0},
                       {0, 1, 2, 3}}};

// A corner: x y z at t = 0, two idle numbers, and x y z at t = 1. What is idle is what lies behind
// or before it.
static inline toi_row load_corner(const toi_query *query, int corner)
{
    typedef double quad __attribute__((vector_size(32)));
    _Static_assert(sizeof *query == 24 * sizeof(double), "points follow each other");
    const double *at = &query->start[0][0] + 3 * corner;
    quad start, end;
    memcpy(&start, at, sizeof start);
    memcpy(&end, at + 11, sizeof end);
    return __builtin_shufflevector(start, end, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Loads the lanes of the list from `at` on, with their corners renamed; those beyond its end repeat
// the first of them.
static inline void load_lanes(const toi_narrow_batch *batch, const toi_feature_lanes *list, int at,
                              toi_real points[2][4][3])
{
    toi_row corners[4][TOI_LANES];
    for (int i = 0; i < TOI_LANES; ++i) {
        int lane = at + i < list->count ? at + i : at;
        const toi_query *query = &batch->queries[list->query[lane]];
        const uint8_t *from = NEW_CORNERS[batch->kind][list->feature[lane]];
        for (int c = 0; c < 4; ++c)
            corners[c][i] = load_corner(query, from[c]);
    }
    for (int c = 0; c < 4; ++c) {
        toi_real numbers[TOI_ROW];
        toi_transpose_rows(corners[c], numbers);
        memcpy(points[0][c], &numbers[0], sizeof points[0][c]);
        memcpy(points[1][c], &numbers[5], sizeof points[1][c]);
    }
}

// The numbers of the lanes from `at` on, the first of them again beyond the end.
static inline toi_real load_reals(const double *from, int at, int count)
{
    toi_real x;
    for (int i = 0; i < TOI_LANES; ++i)
        x[i] = from[at + i < count ? at + i : at];
    return x;
}

static inline void store_reals(toi_mask sure, toi_real x, double *to, int count)
{
    x = TOI_SELECT(sure, x, TOI_SPREAD((double)NAN));
    for (int i = 0; i < TOI_LANES && i < count; ++i)
        to[i] = x[i];
}

// ---- Distances

TOI_INLINE void find_distances(int edge_edge, toi_nearness nearness, const toi_narrow_batch *batch,
                               const toi_feature_lanes *list, int at, double *distance)
{
    toi_real points[2][4][3];
    toi_apart a;
    load_lanes(batch, list, at, points);
    toi_take_apart(edge_edge, points, &a);
    toi_real found;
    toi_mask sure = toi_find_apart_distance(edge_edge, nearness, points, &a, &found);
    store_reals(sure, found, distance + at, list->count - at);
}

// The functions below are one for each kind and nearness, so that each is compiled for its own.
#define DISTANCES(name, edge_edge, nearness)                                                       \
    static void name(const toi_narrow_batch *batch, const toi_feature_lanes *list,                 \
                     double distance[TOI_FEATURE_LANES])                                           \
    {                                                                                              \
        for (int at = 0; at < list->count; at += TOI_LANES)                                        \
            find_distances(edge_edge, nearness, batch, list, at, distance);                        \
    }

DISTANCES(find_vf_corner_distances, 0, TOI_NEAR_CORNER)
DISTANCES(find_vf_side_distances, 0, TOI_NEAR_SIDE)
DISTANCES(find_vf_inside_distances, 0, TOI_NEAR_INSIDE)
DISTANCES(find_ee_corner_distances, 1, TOI_NEAR_CORNER)
DISTANCES(find_ee_side_distances, 1, TOI_NEAR_SIDE)
DISTANCES(find_ee_inside_distances, 1, TOI_NEAR_INSIDE)

static toi_apart_distances_fn *const FIND_DISTANCES[TOI_PAIR_KINDS][TOI_NEARNESSES] = {
    [TOI_VERTEX_FACE] = {find_vf_corner_distances, find_vf_side_distances,
                         find_vf_inside_distances},
    [TOI_EDGE_EDGE] = {find_ee_corner_distances, find_ee_side_distances, find_ee_inside_distances}};

void TOI_ISA_NAME(toi_find_apart_distances)(const toi_narrow_batch *batch,
                                            const toi_feature_lanes *lanes,
                                            double distance[TOI_FEATURE_LANES])
{
    if (lanes->count > 0)
        FIND_DISTANCES[batch->kind][toi_nearness_of(lanes->feature[0])](batch, lanes, distance);
}

// ---- Times

typedef struct vector
{
    toi_apart apart;
    toi_real lo, separation;
    toi_apart_approach to;
} vector;

// Lanes from `at` on, of so many vectors.
TOI_INLINE void find_times(int edge_edge, toi_nearness nearness, const toi_narrow_batch *batch,
                           const toi_feature_lanes *list, int at, int count, const double *lo,
                           const double *guess, const double *separation, double *time)
{
    vector v[TOI_TOGETHER];
    for (int i = 0; i < count; ++i) {
        toi_real points[2][4][3], near;
        int first = at + i * TOI_LANES;
        load_lanes(batch, list, first, points);
        toi_take_apart(edge_edge, points, &v[i].apart);
        v[i].lo = load_reals(lo, first, list->count);
        v[i].separation = load_reals(separation, first, list->count) * v[i].apart.scale;
        near = load_reals(guess, first, list->count);
        toi_begin_approach(&v[i].lo, &near, &v[i].to);
    }
    for (int step = 0; step < TOI_APART_STEPS; ++step) {
        toi_mask open = v[0].to.open;
        for (int i = 1; i < count; ++i)
            open |= v[i].to.open;
        if (!toi_any(open))
            break;
        for (int i = 0; i < count; ++i)
            toi_approach(nearness, &v[i].apart.near, &v[i].separation, &v[i].lo, &v[i].to);
    }
    for (int i = 0; i < count; ++i) {
        toi_real found;
        toi_mask sure = toi_settle_apart_time(edge_edge, nearness, &v[i].apart, &v[i].separation,
                                              &v[i].lo, &v[i].to.t, &found);
        store_reals(sure, found, time + at + i * TOI_LANES, list->count - at - i * TOI_LANES);
    }
}

#define TIMES(name, edge_edge, nearness)                                                           \
    static void name(const toi_narrow_batch *batch, const toi_feature_lanes *list,                 \
                     const double lo[TOI_FEATURE_LANES], const double guess[TOI_FEATURE_LANES],    \
                     const double separation[TOI_FEATURE_LANES], double time[TOI_FEATURE_LANES])   \
    {                                                                                              \
        int at = 0;                                                                                \
        for (; list->count - at > (TOI_TOGETHER - 1) * TOI_LANES; at += TOI_TOGETHER * TOI_LANES)  \
            find_times(edge_edge, nearness, batch, list, at, TOI_TOGETHER, lo, guess, separation,  \
                       time);                                                                      \
        for (; at < list->count; at += TOI_LANES)                                                  \
            find_times(edge_edge, nearness, batch, list, at, 1, lo, guess, separation, time);      \
    }

TIMES(find_vf_corner_times, 0, TOI_NEAR_CORNER)
TIMES(find_vf_side_times, 0, TOI_NEAR_SIDE)
TIMES(find_vf_inside_times, 0, TOI_NEAR_INSIDE)
TIMES(find_ee_corner_times, 1, TOI_NEAR_CORNER)
TIMES(find_ee_side_times, 1, TOI_NEAR_SIDE)
TIMES(find_ee_inside_times, 1, TOI_NEAR_INSIDE)

static toi_apart_times_fn *const FIND_TIMES[TOI_PAIR_KINDS][TOI_NEARNESSES] = {
    [TOI_VERTEX_FACE] = {find_vf_corner_times, find_vf_side_times, find_vf_inside_times},
    [TOI_EDGE_EDGE] = {find_ee_corner_times, find_ee_side_times, find_ee_inside_times}};

void TOI_ISA_NAME(toi_find_apart_times)(const toi_narrow_batch *batch,
                                        const toi_feature_lanes *lanes,
                                        const double lo[TOI_FEATURE_LANES],
                                        const double guess[TOI_FEATURE_LANES],
                                        const double separation[TOI_FEATURE_LANES],
                                        double time[TOI_FEATURE_LANES])
{
    if (lanes->count > 0)
        FIND_TIMES[batch->kind][toi_nearness_of(lanes->feature[0])](batch, lanes, lo, guess,
                                                                    separation, time);
}
