// The stages of `exact` in double precision, a vector of queries at a time.

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "kernel/root_time.h"

#include "base/simd.h"
#include "narrow/exact.h"
#include "narrow/normal.h"

#include <math.h>

typedef struct lanes
{
    union
    {
        toi_real points[2][4][3];
        toi_real numbers[24];
    };
    toi_real shrink; // what the points were multiplied by before their differences were taken
    toi_motion motion;
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

TOI_INLINE void take_motion(int edge_edge, lanes *l)
{
    l->shrink = TOI_SPREAD(1);
    toi_take_differences(edge_edge, l->points, &l->shrink, &l->motion);
    toi_mask large = TOI_TEST(l->motion.largest >= TOI_LARGE);
    if (toi_any(large)) {
        l->shrink = TOI_SELECT(large, TOI_SPREAD(0x1p-4), l->shrink);
        toi_take_differences(edge_edge, l->points, &l->shrink, &l->motion);
    }
    toi_normalise(&l->motion);
    toi_take_reach(&l->motion, &l->reach);
}

TOI_INLINE void load_cubics(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at, lanes *l)
{
    load_lanes(batch, list, at, l);
    take_motion(edge_edge, l);
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
    const toi_real *c = l.cubic.c, end_error = l.cubic.end_error, error = l.cubic.error;
    toi_mask p0 = TOI_TEST(c[0] > end_error), n0 = TOI_TEST(c[0] < -end_error);
    toi_mask p3 = TOI_TEST(c[3] > end_error), n3 = TOI_TEST(c[3] < -end_error);
    toi_mask p1 = TOI_TEST(c[1] > error), n1 = TOI_TEST(c[1] < -error);
    toi_mask p2 = TOI_TEST(c[2] > error), n2 = TOI_TEST(c[2] < -error);
    toi_mask none = (p0 & p1 & p2 & p3) | (n0 & n1 & n2 & n3);
    // With signs that differ at the ends, one variation unless both middle signs may be swapped.
    toi_mask one = (p0 & n3 & (p1 | n2)) | (n0 & p3 & (n1 | p2));
    toi_mask known = (p0 | n0) & (p3 | n3);
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = TOI_VERDICT_HARD;
    note(verdict, known, TOI_VERDICT_FOLDED);
    note(verdict, one, TOI_VERDICT_ONE_ROOT);
    note(verdict, none, TOI_VERDICT_SEPARATED);
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

// Where to cut the step so that D is monotone on each piece: about at its critical points in (0,
// 1), or, where it has none, at the least slope. `first` is 0 where one cut is enough.
TOI_INLINE void critical_points(const toi_cubic *q, toi_real *first, toi_real *last)
{
    toi_real d[3];
    toi_take_slope(q, d);
    toi_real a = d[0] - d[1] + d[2], half = 0.5 * d[1] - d[0]; // the slope: a t^2 + 2 half t + d0
    toi_real square = half * half - a * d[0], root;
    for (int i = 0; i < TOI_LANES; ++i)
        root[i] = square[i] > 0 ? sqrt(square[i]) : 0;
    toi_real sum = TOI_SELECT(TOI_TEST(half > 0), -half - root, root - half);
    toi_real x = sum / a, y = d[0] / sum, least = -half / a;
    const toi_real zero = TOI_SPREAD(0), middle = TOI_SPREAD(0.5);
    toi_mask real = TOI_TEST(square > 0); // and comparisons with NaN are false
    toi_mask x_within = TOI_TEST((x > 0) & (x < 1)) & real;
    toi_mask y_within = TOI_TEST((y > 0) & (y < 1)) & real;
    x = TOI_SELECT(x_within, x, zero);
    y = TOI_SELECT(y_within, y, zero);
    least = TOI_SELECT(TOI_TEST((least > 0) & (least < 1)), least, middle);
    *first = TOI_MIN(x, y);
    *last = TOI_MAX(x, y);
    *last = TOI_SELECT(x_within | y_within, *last, least);
}

TOI_INLINE void judge_piece(const toi_cubic *q, const toi_real *from, const toi_real *to,
                            uint8_t verdict[TOI_LANES])
{
    toi_real b0 = toi_cubic_at(q, from), b1 = toi_cubic_blossom(q, from, to);
    toi_real b2 = toi_cubic_blossom(q, to, from), b3 = toi_cubic_at(q, to);
    toi_real error = toi_cubic_error(q);
    toi_mask p0 = TOI_TEST(b0 > error), n0 = TOI_TEST(b0 < -error);
    toi_mask p1 = TOI_TEST(b1 > error), n1 = TOI_TEST(b1 < -error);
    toi_mask p2 = TOI_TEST(b2 > error), n2 = TOI_TEST(b2 < -error);
    toi_mask p3 = TOI_TEST(b3 > error), n3 = TOI_TEST(b3 < -error);
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = TOI_VERDICT_HARD;
    note(verdict, (p0 & n3 & (p1 | n2)) | (n0 & p3 & (n1 | p2)), TOI_VERDICT_ONE_ROOT);
    note(verdict, (p0 & p1 & p2 & p3) | (n0 & n1 & n2 & n3), TOI_VERDICT_SEPARATED);
    note(verdict, TOI_TEST(*from >= *to), TOI_VERDICT_SEPARATED); // no such piece
}

TOI_INLINE void judge_folds(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at, toi_folds *folds)
{
    lanes l;
    load_cubics(edge_edge, batch, list, at, &l);
    toi_real cuts[TOI_MOST_PIECES + 1] = {TOI_SPREAD(0), TOI_SPREAD(0), TOI_SPREAD(0),
                                          TOI_SPREAD(1)};
    critical_points(&l.cubic, &cuts[1], &cuts[2]);
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
    toi_real from = load_reals(x->from + at), to = load_reals(x->to + at), radius;
    toi_real root = toi_find_root(&l.cubic, from, to);
    toi_mask sure = toi_bracket_root(&l.cubic, &from, &to, &root, &radius);
    toi_inside inside = toi_test_inside(edge_edge, &l.motion, &l.reach, &root, &radius);
    memcpy(x->root + at, &root, sizeof root);
    memcpy(x->radius + at, &radius, sizeof radius);
    uint8_t *verdict = x->verdict + at;
    for (int i = 0; i < TOI_LANES; ++i)
        verdict[i] = TOI_VERDICT_HARD;
    note(verdict, inside.in & sure, TOI_VERDICT_INSIDE);
    note(verdict, inside.out & sure, TOI_VERDICT_SEPARATED);
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
    toi_exact_motion exact;
    toi_real scale = l.motion.scale / l.shrink, found;
    toi_real t = load_reals(root + at), r = load_reals(radius + at);
    toi_take_exact(edge_edge, l.points, &l.shrink, &scale, &exact);
    toi_mask sure = toi_certify_time(&l.cubic, &exact, &t, &r, &found);
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

// Where two primitives touch, and how they move there.
typedef struct place
{
    toi_real u, v, speed[3];
    toi_real p[3], e[3], g[3];
    toi_real e_size, g_size; // the largest component at an end of the step
    toi_mask trusted;
} place;

// u and v from the cross products; trusted where the plane is well defined and the two points that
// they name do meet.
TOI_INLINE void find_place(int edge_edge, toi_motion *m, const toi_real *t, place *at)
{
    toi_real s = 1 - *t, n[3], un[3], vn[3], gap = TOI_SPREAD(0), size = TOI_SPREAD(0);
    const toi_real zero = TOI_SPREAD(0), one = TOI_SPREAD(1);
    for (int k = 0; k < 3; ++k) {
        at->p[k] = s * m->p[0][k] + *t * m->p[1][k];
        at->e[k] = s * m->e[0][k] + *t * m->e[1][k];
        at->g[k] = s * m->g[0][k] + *t * m->g[1][k];
        at->e_size = TOI_MAX(k > 0 ? at->e_size : zero, toi_larger_end(m->e, k));
        at->g_size = TOI_MAX(k > 0 ? at->g_size : zero, toi_larger_end(m->g, k));
    }
    toi_cross(at->e, at->g, n);
    toi_cross(at->g, at->p, un);
    toi_cross(at->p, at->e, vn);
    toi_real w = toi_dot(n, n);
    toi_mask flat =
        TOI_TEST(w > 0x1p-60 * toi_dot(at->e, at->e) * toi_dot(at->g, at->g) + TOI_TINY);
    at->u = TOI_MIN(TOI_MAX(toi_dot(n, un) / w, zero), one);
    at->v = TOI_MAX(toi_dot(n, vn) / w, zero);
    at->v = TOI_MIN(at->v, edge_edge ? one : one - at->u);
    for (int k = 0; k < 3; ++k) {
        at->speed[k] = (m->p[1][k] - m->p[0][k]) + at->u * (m->e[1][k] - m->e[0][k]) +
                       at->v * (m->g[1][k] - m->g[0][k]);
        gap = TOI_MAX(gap, TOI_ABS(at->p[k] + at->u * at->e[k] + at->v * at->g[k]));
        size = TOI_MAX(size, m->size[k]);
    }
    at->trusted = flat & TOI_TEST(gap <= 0x1p-40 * size);
}

// One lane's numbers.
static inline void pick(const toi_real from[3], int lane, double to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = from[k][lane];
}

// The primitives are parallel, or points, or nearly so: the closest points serve.
static void find_degenerate_place(int edge_edge, const place *at, toi_motion *m, int lane,
                                  toi_query_result *result, double speed[3])
{
    double p[3], e[3], g[3], q[3], f1[3], f2[3], zero[3] = {0}, uv[2];
    pick(at->p, lane, p);
    pick(at->e, lane, e);
    pick(at->g, lane, g);
    for (int k = 0; k < 3; ++k) {
        q[k] = p[k] + e[k];
        f1[k] = -e[k];
        f2[k] = -g[k];
    }
    if (edge_edge)
        toi_edge_edge_distance(p, q, zero, f2, uv);
    else
        toi_point_triangle_distance(p, zero, f1, f2, uv);
    result->u = uv[0];
    result->v = uv[1];
    for (int k = 0; k < 3; ++k)
        speed[k] = (m->p[1][k][lane] - m->p[0][k][lane]) +
                   uv[0] * (m->e[1][k][lane] - m->e[0][k][lane]) +
                   uv[1] * (m->g[1][k][lane] - m->g[0][k][lane]);
}

TOI_INLINE void find_places(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at)
{
    lanes l;
    int count = list->count - at < TOI_LANES ? list->count - at : TOI_LANES;
    toi_real t = TOI_SPREAD(0);
    for (int i = 0; i < count; ++i)
        t[i] = batch->results[list->query[at + i]].time;
    load_lanes(batch, list, at, &l);
    take_motion(edge_edge, &l);
    place p;
    find_place(edge_edge, &l.motion, &t, &p);
    for (int i = 0; i < count; ++i) {
        toi_query_result *result = &batch->results[list->query[at + i]];
        toi_contact_frame frame = {.e_size = p.e_size[i], .g_size = p.g_size[i]};
        pick(p.e, i, frame.e);
        pick(p.g, i, frame.g);
        pick(p.speed, i, frame.speed);
        result->u = p.u[i];
        result->v = p.v[i];
        if (!p.trusted[i])
            find_degenerate_place(edge_edge, &p, &l.motion, i, result, frame.speed);
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
