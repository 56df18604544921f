// Culls candidates: on the axes one is two or four cache lines and a dozen instructions, and most
// go no further; the others are tried in single precision, a vector of them at a time.

#include "simd/query_rows.h" // first: it says how many lanes there are

#include "simd/gap_rows.h"

#include "base/simd.h"
#include "broad/layout/layout.h"
#include "ccd/corners.h"
#include "ccd/cull.h"
#include "ccd/margin_lanes.h"
#include "mesh/mesh.h"
#include "narrow/narrow.h"

enum
{
    AHEAD = 48 // candidates that are fetched before they are tried
};

// Of the table, or, where there is none, loaded.
TOI_INLINE const toi_moving_vertex *find_vertex(const toi_cull_source *s, int32_t vertex,
                                                toi_moving_vertex *loaded)
{
    if (s->trajectories)
        return &s->trajectories[vertex];
    toi_load_point(&s->mesh->start, vertex, loaded->start);
    toi_load_point(&s->mesh->end, vertex, loaded->end);
    loaded->start[3] = loaded->end[3] = 0;
    return loaded;
}

TOI_INLINE void find_corners(int edge_edge, const toi_cull_source *s, const toi_pair *pair,
                             toi_moving_vertex loaded[4], const toi_moving_vertex *corners[4])
{
    toi_corner_rows found = toi_find_corners(s->mesh, edge_edge, pair);
    for (int c = 0; c < 4; ++c)
        corners[c] = find_vertex(s, toi_corner_of(found, edge_edge, c), &loaded[c]);
}

// Corners jump about in memory: they are asked for ahead.
TOI_INLINE void prefetch_corners(int edge_edge, const toi_cull_source *s, const toi_pair *pair)
{
    toi_corner_rows found = toi_find_corners(s->mesh, edge_edge, pair);
    for (int c = 0; c < 4; ++c)
        toi_fetch_vertex(s->mesh, s->trajectories, toi_corner_of(found, edge_edge, c));
}

// At least the separation of a pair: its distance at t = 0 is at most that of any two of its
// points.
static inline double pair_separation(int edge_edge, const toi_cull_source *s,
                                     const toi_moving_vertex *const corners[4])
{
    if (!(s->relative > 0))
        return s->separation;
    const double *x = corners[0]->start, *y = corners[edge_edge ? 2 : 1]->start;
    return toi_base_separation(s->separation, s->relative) * (1 + 0x1p-40) +
           toi_distance_share(s->relative, x, y);
}

// ---- Axes

TOI_INLINE int axes_apart(int edge_edge, const toi_wide_motion_row x[4], double t_max, int early,
                          double separation)
{
    toi_wide_motion_row above, below;
    toi_take_gaps_wide(edge_edge, x, &above, &below);
    if (early) {
        above = toi_close_row(above, t_max);
        below = toi_close_row(below, t_max);
    }
    return toi_stays_open(above, separation) | toi_stays_open(below, separation);
}

TOI_INLINE const float *numbers_of(const toi_end_boxes *bounds)
{
    _Static_assert(sizeof *bounds == TOI_BOUND_NUMBERS * sizeof(float), "they are read as one");
    return (const float *)bounds;
}

TOI_INLINE int64_t cull_bounds(const toi_cull_source *s, toi_pair *pairs, int64_t count, int early)
{
    int64_t kept = 0, last = count > AHEAD ? count - AHEAD : 0;
    float t = toi_float_above(s->t_max);
    for (int64_t i = 0; i < count; ++i) {
        if (i < last)
            __builtin_prefetch(&s->b[pairs[i + AHEAD].b]);
        toi_pair pair = pairs[i];
        pairs[kept] = pair;
        const float *a = numbers_of(&s->a[pair.a]), *b = numbers_of(&s->b[pair.b]);
        kept += early ? !toi_boxes_apart_until(a, b, t) : !toi_boxes_clear(a, b, 0);
    }
    return kept;
}

// ---- Boxes with a Euclidean margin

// No less than the separation of a pair, or than its distance at t = 0 at which all is clear up to
// a time T: (separation + T ways) / (1 - relative).
typedef struct margin
{
    float least;  // of every pair
    float factor; // of the distance of two points, or of the ways
    float off;
} margin;

static margin take_margin(const toi_cull_source *s, int early)
{
    double rest = 1 - s->relative, up = 1 + 0x1p-19;
    if (early)
        return (margin){toi_round_separation(s->separation * up),
                        toi_float_above(s->t_max / rest * up), 0};
    return (margin){toi_round_separation(rest * s->separation * up),
                    toi_float_above(s->relative * up), s->off};
}

// The distance at t = 0 is at most that of two points; nor does any point move farther than the
// longest way. Roots of single numbers are cheap where others are computed meanwhile.
TOI_INLINE float pair_margin(const margin *m, const toi_end_boxes *a, const toi_end_boxes *b,
                             int early)
{
    if (early)
        return m->least + (a->way + b->way) * m->factor;
    toi_quad x, y;
    memcpy(&x, a->middle, sizeof x);
    memcpy(&y, b->middle, sizeof y);
    x -= y;
    x *= x;
    return m->least + (sqrtf(x[0] + x[1] + x[2]) + m->off) * m->factor;
}

TOI_INLINE int64_t cull_clear(const toi_cull_source *s, toi_pair *pairs, int64_t count, int early,
                              int relative)
{
    const margin m = take_margin(s, early);
    int64_t kept = 0, last = count > AHEAD ? count - AHEAD : 0;
    for (int64_t i = 0; i < count; ++i) {
        if (i < last)
            __builtin_prefetch(&s->b[pairs[i + AHEAD].b]);
        toi_pair pair = pairs[i];
        const toi_end_boxes *a = &s->a[pair.a], *b = &s->b[pair.b];
        float least = early || relative ? pair_margin(&m, a, b, early) : m.least;
        pairs[kept] = pair;
        kept += early ? !toi_boxes_clear_at_start(numbers_of(a), numbers_of(b), least)
                      : !toi_boxes_clear(numbers_of(a), numbers_of(b), least);
    }
    return kept;
}

static void bound_corners(const toi_moving_vertex *const corners[3], int count,
                          toi_end_boxes *bounds)
{
    toi_wide_motion_row low, high, x;
    memcpy(&low, corners[0], sizeof low);
    high = low;
    for (int c = 1; c < count; ++c) {
        memcpy(&x, corners[c], sizeof x);
        low = TOI_WIDE_MIN(low, x);
        high = TOI_WIDE_MAX(high, x);
    }
    toi_motion_row lows = toi_round_row_down(low), highs = toi_round_row_down(-high);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            bounds->at[end][0][k] = lows[4 * end + k];
            bounds->at[end][1][k] = highs[4 * end + k];
        }
    memset(bounds->middle, 0, sizeof bounds->middle);
    bounds->way = 0;
}

// The middle at t = 0, and the longest way. What underflows is less than the last term.
static void add_middle(const toi_moving_vertex *const corners[3], int count, toi_end_boxes *bounds)
{
    typedef double row __attribute__((vector_size(32)));
    row sum = {0};
    float longest = 0;
    for (int c = 0; c < count; ++c) {
        row start, end;
        memcpy(&start, corners[c]->start, sizeof start);
        memcpy(&end, corners[c]->end, sizeof end);
        toi_quad step = __builtin_convertvector(end - start, toi_quad), squares = step * step;
        float square = squares[0] + squares[1] + squares[2];
        longest = square > longest ? square : longest;
        sum += start * (1.0 / count);
    }
    toi_quad middle = __builtin_convertvector(sum, toi_quad);
    for (int k = 0; k < 3; ++k)
        bounds->middle[k] = middle[k];
    bounds->way = sqrtf(longest) * (1 + 0x1p-20f) + 0x1p-60f;
}

toi_fill_bounds_fn TOI_ISA_NAME(toi_fill_bounds);
void TOI_ISA_NAME(toi_fill_bounds)(const toi_cull_source *s, toi_primitive primitive,
                                   toi_end_boxes *bounds)
{
    const toi_mesh *mesh = s->mesh;
    int64_t count = primitive == TOI_VERTEX ? mesh->start.count
                    : primitive == TOI_EDGE ? mesh->edges.count
                                            : mesh->faces.count;
    int corner_count = primitive == TOI_VERTEX ? 1 : primitive == TOI_EDGE ? 2 : 3;
    for (int64_t i = 0; i < count; ++i) {
        const int32_t vertex = (int32_t)i;
        const int32_t *at = primitive == TOI_VERTEX ? &vertex
                            : primitive == TOI_EDGE ? toi_edge_at(&mesh->edges, i)
                                                    : toi_face_at(&mesh->faces, i);
        const toi_moving_vertex *corners[3];
        toi_moving_vertex loaded[3];
        for (int c = 0; c < corner_count; ++c)
            corners[c] = find_vertex(s, at[c], &loaded[c]);
        bound_corners(corners, corner_count, &bounds[i]);
        if (s->euclidean)
            add_middle(corners, corner_count, &bounds[i]);
    }
}

// ---- Directions

// Candidates that are tried together.
typedef struct batch
{
    toi_motion_rows rows;
    toi_pair pairs[TOI_LANES];
    int count;
} batch;

// Writes those that no direction separates to `pairs`; returns how many.
TOI_INLINE int64_t try_directions(int edge_edge, const toi_cull_source *s, batch *c,
                                  toi_pair *pairs)
{
    const toi_distances d = toi_take_distances(s->separation, s->relative, 0);
    toi_pair_vector v;
    v.wild = toi_load_motion(&c->rows, &v.m, &v.separation);
    v.inside = v.wild ^ v.wild;
    if (s->euclidean)
        toi_separate_by_margin(edge_edge, &d, &v, 1);
    else
        v.apart = toi_separated(edge_edge, &v.m, &v.separation);
    unsigned all = (1u << c->count) - 1, left = toi_mask_word(~v.apart | v.wild) & all,
             aside = s->inside ? toi_mask_word(v.inside & ~v.wild) & left : 0;
    c->count = 0;
    if (aside)
        toi_set_aside(c->pairs, aside, s->inside);
    return toi_copy_lanes(c->pairs, left & ~aside, pairs);
}

// `axes`: these have not been tried on bounds.
TOI_INLINE int64_t cull_directions(int edge_edge, const toi_cull_source *s, toi_pair *pairs,
                                   int64_t count, int early, int axes)
{
    int64_t kept = 0, last = count > AHEAD ? count - AHEAD : 0;
    batch c;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < TOI_LANES; ++i)
        c.rows.separation[i] = toi_round_separation(s->separation);
    for (int64_t i = 0; i < count; ++i) {
        if (i < last)
            prefetch_corners(edge_edge, s, &pairs[i + AHEAD]);
        const toi_moving_vertex *corners[4];
        toi_moving_vertex loaded[4];
        toi_wide_motion_row x[4];
        c.pairs[c.count] = pairs[i];
        find_corners(edge_edge, s, &c.pairs[c.count], loaded, corners);
        for (int k = 0; k < 4; ++k)
            memcpy(&x[k], corners[k], sizeof x[k]);
        double separation = axes ? pair_separation(edge_edge, s, corners) : 0;
        if (axes && s->relative > 0)
            c.rows.separation[c.count] = toi_round_separation(separation);
        int apart = axes && axes_apart(edge_edge, x, s->t_max, early, separation);
        if (early && apart) // nearly always; else it is as well to go on
            continue;
        toi_put_rows(edge_edge, x, s->t_max, early, c.count, &c.rows);
        c.count += !apart;
        if (c.count == TOI_LANES)
            kept += try_directions(edge_edge, s, &c, pairs + kept);
    }
    return c.count > 0 ? kept + try_directions(edge_edge, s, &c, pairs + kept) : kept;
}

TOI_INLINE int64_t cull_pairs(int edge_edge, const toi_cull_source *s, toi_pair *pairs,
                              int64_t count, int early)
{
    bool plain = !(s->separation > 0) && !(s->relative > 0);
    bool bounded = s->b && (plain || s->euclidean);
    if (bounded && plain)
        count = cull_bounds(s, pairs, count, early);
    else if (bounded)
        count = !early && s->relative > 0 ? cull_clear(s, pairs, count, early, 1)
                                          : cull_clear(s, pairs, count, early, 0);
    if (bounded && !s->alike)
        return cull_directions(edge_edge, s, pairs, count, early, 0);
    return cull_directions(edge_edge, s, pairs, count, early, 1);
}

toi_cull_pairs_fn TOI_ISA_NAME(toi_cull_pairs);
int64_t TOI_ISA_NAME(toi_cull_pairs)(const toi_cull_source *source, toi_pair *pairs, int64_t count)
{
    bool early = source->t_max < 0x1p-5; // measured: a longer step may as well be taken whole
    if (source->kind == TOI_EDGE_EDGE)
        return early ? cull_pairs(1, source, pairs, count, 1)
                     : cull_pairs(1, source, pairs, count, 0);
    return early ? cull_pairs(0, source, pairs, count, 1) : cull_pairs(0, source, pairs, count, 0);
}

// ---- Swept boxes

// Is there room on some axis from the higher side of one box to the lower side of another? Both
// halves of the rows are alike.
TOI_INLINE int is_above(toi_wide_motion_row low, toi_wide_motion_row high)
{
    const toi_wide_motion_row none = {0};
    toi_wide_motion_row gaps = low - high;
    gaps = __builtin_shufflevector(gaps, none, 0, 1, 2, 8, 4, 5, 6, 8); // nor in the idle numbers
    return toi_stays_open(gaps, 0);
}

TOI_INLINE int sweeps_apart(int edge_edge, const toi_query *query)
{
    toi_wide_motion_row low[2], high[2];
    for (int c = 0; c < 4; ++c) {
        int side = c >= (edge_edge ? 2 : 1);
        bool first = c == 0 || c == (edge_edge ? 2 : 1);
        toi_wide_motion_row x = toi_load_corner(query, c);
        toi_wide_motion_row other = __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
        toi_wide_motion_row least = TOI_WIDE_MIN(x, other), most = TOI_WIDE_MAX(x, other);
        low[side] = first ? least : TOI_WIDE_MIN(low[side], least);
        high[side] = first ? most : TOI_WIDE_MAX(high[side], most);
    }
    return is_above(low[0], high[1]) | is_above(low[1], high[0]);
}

toi_list_beyond_fn TOI_ISA_NAME(toi_list_beyond);
int64_t TOI_ISA_NAME(toi_list_beyond)(toi_kind kind, const toi_query *queries,
                                      const toi_query_result *results, int64_t count, int32_t *list)
{
    int64_t listed = 0;
    for (int32_t i = 0; i < count; ++i) {
        int apart =
            kind == TOI_EDGE_EDGE ? sweeps_apart(1, &queries[i]) : sweeps_apart(0, &queries[i]);
        list[listed] = i;
        listed += apart & (results[i].state != TOI_SEPARATED);
    }
    return listed;
}
