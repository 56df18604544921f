// safeCCD (Wang, "Defending continuous collision detection against errors", 2014): the cubic solver
// with tolerances that follow from one bound B on relative positions and velocities, and, wherever
// it could be wrong, tests of how close a point comes to an edge or to another point. A contact is
// not missed; what comes within about B / 200 may be reported as one. docs/fast.md, section 6.

#include "kernel/crossing.h"
#include "kernel/roots.h"
#include "narrow/literature/literature.h"

// The fourth root of the distance between 1 and the next double; the tolerances are B's powers
// times powers of this.
#define QUARTER 0x1p-13

// Roots that are known no better than this are not trusted with the inside test.
#define INTERVAL QUARTER

typedef struct pair
{
    toi_kind kind;
    toi_pair_motion m;
    toi_cubic q;
    toi_query_points points;
    double coplanar; // |D| up to here counts as zero
    double area;     // a shorter normal counts as none,
    double height;   // and so does one shorter than this times the longest edge
    double weight;   // how much the inside test's inequalities may change in an INTERVAL
    double near;     // the square of how close counts as touching
} pair;

// Of all relative positions at both ends, and so at all times, and of all relative velocities.
static double largest_square(const toi_query_points *x)
{
    double largest = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) {
            double start[3], end[3], velocity[3];
            for (int k = 0; k < 3; ++k) {
                start[k] = x->start[i][k] - x->start[j][k];
                velocity[k] = x->velocity[i][k] - x->velocity[j][k];
                end[k] = start[k] + velocity[k];
            }
            largest = toi_max(largest, toi_dot(start, start));
            largest = toi_max(largest, toi_dot(end, end));
            largest = toi_max(largest, toi_dot(velocity, velocity));
        }
    return largest;
}

static void take_tolerances(pair *a)
{
    double square = largest_square(&a->points) + TOI_TINY, bound = sqrt(square);
    a->coplanar = 64 * square * bound * (QUARTER * QUARTER * QUARTER);
    a->area = 64 * square * (QUARTER * QUARTER);
    a->height = 4 * bound * QUARTER;
    a->weight = 12 * square * square * INTERVAL;
    a->near = 41 * 41 * square * (QUARTER * QUARTER);
}

// ---- Coplanar times

typedef enum verdict
{
    OUTSIDE, // no contact within the interval around this time
    INSIDE,
    DOUBTFUL
} verdict;

static verdict judge(const pair *a, double t)
{
    double p[3], e[3], g[3], side[3];
    toi_plane at;
    toi_motion_at(&a->m, &t, p, e, g);
    toi_take_plane(p, e, g, &at);
    for (int k = 0; k < 3; ++k)
        side[k] = a->kind == TOI_EDGE_EDGE ? 0 : e[k] - g[k];
    double square = at.w, u = at.uw, v = at.vw;
    double longest = toi_max(toi_max(toi_dot(e, e), toi_dot(g, g)), toi_dot(side, side));
    if (square < a->area * a->area || square < a->height * a->height * longest)
        return DOUBTFUL;
    double rest = a->kind == TOI_EDGE_EDGE ? square - toi_max(u, v) : square - u - v;
    double least = toi_min(toi_min(u, v), rest);
    if (least >= 0)
        return INSIDE;
    bool known = toi_root_is_within(&a->q, t, INTERVAL, a->coplanar);
    return known && least < -a->weight ? OUTSIDE : DOUBTFUL;
}

// ---- Proximity

// The slope of |w x e|^2 - near |e|^2, where e is the edge and w the way to the point from one of
// its ends; e and w at t = 0 and at t = 1. False if that is positive for all t: never close.
static bool take_approach(const pair *a, double w[2][3], double e[2][3], toi_cubic *slope)
{
    double n[3][3];
    toi_cross_moving(w, e, n);
    double e00 = toi_dot(e[0], e[0]), e01 = toi_dot(e[0], e[1]), e11 = toi_dot(e[1], e[1]);
    double c[5] = {toi_dot(n[0], n[0]) - a->near * e00, // of s^4, s^3 t, .. t^4, with s = 1 - t
                   2 * toi_dot(n[0], n[1]) - a->near * 2 * (e00 + e01),
                   toi_dot(n[1], n[1]) + 2 * toi_dot(n[0], n[2]) - a->near * (e00 + 4 * e01 + e11),
                   2 * toi_dot(n[1], n[2]) - a->near * 2 * (e01 + e11),
                   toi_dot(n[2], n[2]) - a->near * e11};
    if (c[0] > 0 && c[1] > 0 && c[2] > 0 && c[3] > 0 && c[4] > 0)
        return false;
    for (int i = 0; i < 4; ++i)
        slope->c[i] = (i + 1) * c[i + 1] - (4 - i) * c[i];
    return true;
}

static bool is_near_edge(const pair *a, double w[2][3], double e[2][3], double t)
{
    double wt[3], et[3], n[3];
    for (int k = 0; k < 3; ++k) {
        wt[k] = (1 - t) * w[0][k] + t * w[1][k];
        et[k] = (1 - t) * e[0][k] + t * e[1][k];
    }
    toi_cross(wt, et, n);
    double square = toi_dot(et, et), along = toi_dot(wt, et);
    return square > 0 && along >= 0 && along <= square && toi_dot(n, n) <= a->near * square;
}

// A time at which point p is close to the inside of the edge from i to j, or infinity: the ends of
// the step and every local minimum of the distance to the line, nearly, are looked at.
static double near_edge_time(const pair *a, int p, int i, int j)
{
    const toi_query_points *x = &a->points;
    double w[2][3], e[2][3], times[TOI_MOST_TIMES + 2] = {0};
    toi_take_way(x, i, p, w);
    toi_take_way(x, i, j, e);
    toi_cubic slope;
    if (!take_approach(a, w, e, &slope))
        return INFINITY;
    int count = 1 + toi_root_times(&slope, QUARTER * QUARTER, 0, times + 1);
    times[count++] = 1;
    for (int n = 0; n < count; ++n)
        if (is_near_edge(a, w, e, times[n]))
            return times[n];
    return INFINITY;
}

// When points i and j are closest, if they are close then; else infinity.
static double near_point_time(const pair *a, int i, int j)
{
    const toi_query_points *x = &a->points;
    double t = toi_closest_time(x, i, j), d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = (x->start[i][k] - x->start[j][k]) + t * (x->velocity[i][k] - x->velocity[j][k]);
    return toi_dot(d, d) <= a->near ? t : INFINITY;
}

static double near_time(const pair *a)
{
    const int(*pairs)[3];
    int count = toi_point_edge_pairs(a->kind, &pairs);
    double first = INFINITY;
    for (int n = 0; n < count; ++n) {
        int p = pairs[n][0], i = pairs[n][1], j = pairs[n][2];
        first = toi_min(first, near_edge_time(a, p, i, j));
        first = toi_min(first, near_point_time(a, p, i));
        first = toi_min(first, near_point_time(a, p, j));
    }
    return first;
}

// ---- A query

static void solve_query(const toi_narrow_batch *batch, const toi_query *query,
                        toi_query_result *result)
{
    pair a;
    a.kind = batch->kind;
    toi_take_coplanarity(a.kind, query, &a.m, &a.q);
    toi_take_points(a.kind, &a.m, &a.points);
    take_tolerances(&a);
    double times[TOI_MOST_TIMES], first = INFINITY, last = -1;
    int count = toi_root_times(&a.q, 0, a.coplanar, times);
    bool doubtful = false;
    for (int i = 0; i < count && (batch->def->all_roots || first == INFINITY); ++i) {
        verdict v = judge(&a, times[i]);
        doubtful |= v == DOUBTFUL && first == INFINITY;
        if (v != INSIDE)
            continue;
        first = toi_min(first, times[i]);
        result->contacts += batch->def->all_roots && times[i] - last > 2 * INTERVAL;
        last = times[i];
    }
    if (doubtful) {
        first = toi_min(first, near_time(&a));
        if (batch->def->all_roots && first < INFINITY && result->contacts == 0)
            result->contacts = 1;
    }
    if (first <= batch->def->t_max)
        toi_report_touch(a.kind, query, &a.m, first, first, result);
}

void toi_solve_safe(const toi_narrow_batch *batch)
{
    for (int64_t i = 0; i < batch->count; ++i) {
        batch->results[i] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
        solve_query(batch, &batch->queries[i], &batch->results[i]);
    }
}
