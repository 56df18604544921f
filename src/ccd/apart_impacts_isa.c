// Places and normals of impacts with a separation. A vertex is one row of a table, which is a line
// of the caches; an impact is a row of the list.

#include "simd/apart_lanes.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "ccd/apart_impacts.h"
#include "narrow/normal.h"

// A vertex: x y z and zero at t = 0, and then at t = 1.
static inline toi_row load_row(const toi_moving_vertex *vertex)
{
    toi_row x;
    memcpy(&x, vertex, sizeof x);
    return x;
}

// ---- Motions

// What impact i is gathered from, for what wants a query.
static void make_query(const toi_apart_impacts *found, int64_t i, toi_query *query)
{
    for (int c = 0; c < 4; ++c) {
        memcpy(query->start[c], found->corners[i][c]->start, sizeof query->start[c]);
        memcpy(query->end[c], found->corners[i][c]->end, sizeof query->end[c]);
    }
}

// Some difference is so large that coordinates must be scaled down first.
static void take_large_motion(const toi_apart_impacts *found, int edge_edge, const int64_t *lanes,
                              toi_pair_motion *m)
{
    toi_real points[2][4][3] = {0}, shrink;
    for (int i = 0; i < TOI_LANES; ++i)
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k) {
                points[0][c][k][i] = found->corners[lanes[i]][c]->start[k];
                points[1][c][k][i] = found->corners[lanes[i]][c]->end[k];
            }
    toi_take_scaled_motion(edge_edge, points, &shrink, m);
}

static inline toi_real put_differences(const toi_row from[TOI_LANES], toi_real to[2][3])
{
    toi_real numbers[TOI_ROW], largest = TOI_SPREAD(0);
    toi_transpose_rows(from, numbers);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            to[end][k] = numbers[4 * end + k];
            largest = toi_max(largest, toi_abs(to[end][k]));
        }
    return largest;
}

// The numbers that toi_take_scaled_motion() takes from points.
TOI_INLINE void take_motion(int edge_edge, const toi_apart_impacts *found, const int64_t *lanes,
                            toi_pair_motion *m)
{
    toi_row p[TOI_LANES], e[TOI_LANES], g[TOI_LANES];
    for (int i = 0; i < TOI_LANES; ++i) {
        toi_row x[4];
        for (int c = 0; c < 4; ++c)
            x[c] = load_row(found->corners[lanes[i]][c]);
        p[i] = TOI_P_OF(edge_edge, x);
        e[i] = TOI_E_OF(edge_edge, x);
        g[i] = TOI_G_OF(edge_edge, x);
    }
    toi_real largest = put_differences(p, m->p);
    largest = toi_max(largest, put_differences(e, m->e));
    m->largest = toi_max(largest, put_differences(g, m->g));
    m->scale = TOI_SPREAD(1);
    if (toi_any(TOI_TEST(m->largest >= TOI_LARGE)))
        take_large_motion(found, edge_edge, lanes, m);
    else
        toi_normalise(m);
}

// ---- Impacts

// The first `count` lanes become impacts.
static inline void store_impacts(const toi_real numbers[TOI_ROW], int count, toi_impact *impacts)
{
    _Static_assert(sizeof *impacts == TOI_ROW * sizeof(double), "an impact is a row");
    for (int k = 0; k < TOI_ROW; k += TOI_LANES) {
        const double *rows[TOI_LANES];
        toi_real parts[TOI_LANES];
        for (int i = 0; i < TOI_LANES; ++i)
            rows[i] = (const double *)&numbers[k + i];
        toi_transpose(rows, 0, parts);
        for (int i = 0; i < count; ++i)
            memcpy((double *)&impacts[i] + k, &parts[i], sizeof parts[i]);
    }
}

static void set_contact_normal(const toi_apart_impacts *found, int64_t i, toi_apart_lanes *l,
                               int lane, toi_impact *impact)
{
    toi_query query;
    toi_contact_frame frame;
    toi_query_result result = {.time = found->at[i], .u = impact->u, .v = impact->v};
    make_query(found, i, &query);
    toi_take_frame(l, lane, &frame);
    toi_settle_normal(found->kind, &query, &frame, &result);
    memcpy(impact->normal, result.normal, sizeof impact->normal);
}

// As many impacts as there are lanes.
typedef struct vector
{
    int64_t first;
    int count;
    toi_real at;
    toi_apart_lanes lanes;
} vector;

// Those from `first` on; beyond the end the first of them once more.
TOI_INLINE void load_vector(int edge_edge, const toi_apart_impacts *found, int64_t first, vector *v)
{
    int64_t from[TOI_LANES], left = found->count - first;
    v->first = first;
    v->count = left < TOI_LANES ? (int)left : TOI_LANES;
    for (int i = 0; i < TOI_LANES; ++i) {
        from[i] = first + (i < v->count ? i : 0);
        v->at[i] = found->at[from[i]];
    }
    take_motion(edge_edge, found, from, &v->lanes.motion);
}

static inline void store_vector(const toi_apart_impacts *found, vector *v, toi_impact *impacts)
{
    toi_real numbers[TOI_ROW];
    toi_apart_lanes *l = &v->lanes;
    memcpy(&numbers[0], &found->names[0][v->first], sizeof numbers[0]);
    memcpy(&numbers[1], &found->names[1][v->first], sizeof numbers[1]);
    memcpy(&numbers[2], &found->time[v->first], sizeof numbers[2]);
    numbers[3] = l->place.u;
    numbers[4] = l->place.v;
    for (int k = 0; k < 3; ++k)
        numbers[5 + k] = l->normal[k];
    store_impacts(numbers, v->count, impacts + v->first);
    for (unsigned close = ~l->apart & ((1u << v->count) - 1); close; close &= close - 1) {
        int i = __builtin_ctz(close);
        set_contact_normal(found, v->first + i, l, i, &impacts[v->first + i]);
    }
}

TOI_INLINE void place_vectors(int edge_edge, const toi_apart_impacts *found, int64_t first,
                              int count, toi_impact *impacts)
{
    vector v[TOI_TOGETHER];
    for (int i = 0; i < count; ++i)
        load_vector(edge_edge, found, first + i * TOI_LANES, &v[i]);
    for (int i = 0; i < count; ++i)
        toi_begin_apart_place(edge_edge, &v[i].lanes.motion, &v[i].at, &v[i].lanes.place);
    for (int i = 0; i < count; ++i)
        toi_end_apart_place(edge_edge, &v[i].lanes.place);
    for (int i = 0; i < count; ++i)
        toi_direct_lanes(edge_edge, &v[i].lanes);
    for (int i = 0; i < count; ++i)
        store_vector(found, &v[i], impacts);
}

TOI_INLINE void place_impacts(int edge_edge, const toi_apart_impacts *found, toi_impact *impacts)
{
    int64_t i = 0;
    for (; found->count - i > (TOI_TOGETHER - 1) * TOI_LANES; i += TOI_TOGETHER * TOI_LANES)
        place_vectors(edge_edge, found, i, TOI_TOGETHER, impacts);
    for (; i < found->count; i += TOI_LANES)
        place_vectors(edge_edge, found, i, 1, impacts);
}

toi_apart_impacts_fn TOI_ISA_NAME(toi_place_apart_impacts);
void TOI_ISA_NAME(toi_place_apart_impacts)(const toi_apart_impacts *found, toi_impact *impacts)
{
    if (found->kind == TOI_EDGE_EDGE)
        place_impacts(1, found, impacts);
    else
        place_impacts(0, found, impacts);
}
