// fastCCD (Huh, Lee, Gornowicz, Henderson, "Fast and robust continuous collision detection", 2014):
// times of coplanarity to within one tolerance, then areas compared with error terms that follow
// from that tolerance. Numbers of equations are the paper's; docs/fast.md derives what it does not
// print and names what it has wrong.

#include "kernel/areas.h"
#include "kernel/roots.h"
#include "narrow/literature/literature.h"

typedef struct body
{
    toi_query_points points;
    double length[4][4], speed[4][4]; // of the points' differences, at t = 0
    double rounding;                  // toi_difference_rounding()
    toi_kind kind;
} body;

// A time, and how far the true one may be from it.
typedef struct instant
{
    double t, doubt;
} instant;

typedef struct moment
{
    const body *b;
    double doubt;
    double at[4][3];
} moment;

static void difference(double points[4][3], int i, int j, double d[3])
{
    for (int k = 0; k < 3; ++k)
        d[k] = points[j][k] - points[i][k];
}

static double distance(double points[4][3], int i, int j)
{
    double d[3];
    difference(points, i, j, d);
    return sqrt(toi_dot(d, d));
}

static void take_body(toi_kind kind, const toi_pair_motion *m, body *b)
{
    double longest = 0, fastest = 0;
    toi_take_points(kind, m, &b->points);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) {
            b->length[i][j] = b->length[j][i] = distance(b->points.start, i, j);
            b->speed[i][j] = b->speed[j][i] = distance(b->points.velocity, i, j);
            longest = toi_max(longest, b->length[i][j]);
            fastest = toi_max(fastest, b->speed[i][j]);
        }
    b->kind = kind;
    b->rounding = toi_difference_rounding(longest, fastest);
}

static moment take_moment(const body *b, instant when)
{
    moment now = {.b = b, .doubt = when.doubt};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            now.at[i][k] = b->points.start[i][k] + when.t * b->points.velocity[i][k];
    return now;
}

// ---- Areas and what they may be off by

static double area(moment *now, int i, int j, int k)
{
    double a[3], b[3];
    difference(now->at, i, j, a);
    difference(now->at, i, k, b);
    return toi_half_cross(a, b);
}

static double area_error(const moment *now, int i, int j, int k)
{
    const body *b = now->b;
    double length = toi_max(toi_max(b->length[i][j], b->length[j][k]), b->length[k][i]);
    double speed = toi_max(toi_max(b->speed[i][j], b->speed[j][k]), b->speed[k][i]);
    return toi_area_error(length, speed, now->doubt, b->rounding);
}

// How much a distance may change likewise.
static double distance_error(const moment *now, int i, int j)
{
    return now->doubt * now->b->speed[i][j] + now->b->rounding;
}

// ---- Inclusion

// F-P 2^ (7). Areas cannot place a point on the line of a collapsed face, so it must not be farther
// from a corner than the face is long.
static bool face_holds(moment *now)
{
    double parts = area(now, 0, 1, 2) + area(now, 0, 2, 3) + area(now, 0, 3, 1);
    double slack = area_error(now, 0, 1, 2) + area_error(now, 0, 2, 3) + area_error(now, 0, 3, 1) +
                   area_error(now, 1, 2, 3);
    if (parts - area(now, 1, 2, 3) > slack)
        return false;
    double longest = 0, farthest = 0;
    for (int i = 1; i < 4; ++i) {
        int j = i % 3 + 1;
        longest = toi_max(longest, distance(now->at, i, j) + distance_error(now, i, j));
        farthest = toi_max(farthest, distance(now->at, 0, i) - distance_error(now, 0, i));
    }
    return farthest <= longest;
}

// E-E 2^ (13): the two triangles on either edge fill the quadrilateral whose diagonals the edges
// are. Collinear edges must not reach farther together than their lengths add up to.
static bool edges_cross(moment *now)
{
    const body *b = now->b;
    double along_a[3], along_b[3];
    difference(now->at, 0, 1, along_a);
    difference(now->at, 2, 3, along_b);
    double whole = toi_half_cross(along_a, along_b);
    double whole_error =
        toi_area_error(toi_max(b->length[0][1], b->length[2][3]),
                       toi_max(b->speed[0][1], b->speed[2][3]), now->doubt, b->rounding);
    for (int i = 0; i < 4; i += 2) {
        int j = 2 - i; // the other edge's first end
        double parts = area(now, i, i + 1, j) + area(now, i, i + 1, j + 1);
        double slack =
            area_error(now, i, i + 1, j) + area_error(now, i, i + 1, j + 1) + whole_error;
        if (parts - whole > slack)
            return false;
    }
    double reach = distance(now->at, 0, 1) + distance_error(now, 0, 1) + distance(now->at, 2, 3) +
                   distance_error(now, 2, 3);
    for (int i = 0; i < 2; ++i)
        for (int j = 2; j < 4; ++j)
            if (distance(now->at, i, j) - distance_error(now, i, j) > reach)
                return false;
    return true;
}

static bool touch_at(const body *b, instant when)
{
    moment now = take_moment(b, when);
    return b->kind == TOI_EDGE_EDGE ? edges_cross(&now) : face_holds(&now);
}

// Is point p on the edge between points i and j? The areas' condition one dimension down.
static bool edge_holds(const body *b, int p, int i, int j, instant when)
{
    moment now = take_moment(b, when);
    if (area(&now, p, i, j) > area_error(&now, p, i, j))
        return false;
    double length = distance(now.at, i, j) + distance_error(&now, i, j);
    return distance(now.at, p, i) - distance_error(&now, p, i) <= length &&
           distance(now.at, p, j) - distance_error(&now, p, j) <= length;
}

// ---- Motion that stays flat (section 4.2)

// The component of (9) with the largest coefficients, its degree raised from two to three; false
// where all of them are nothing but rounding.
static bool take_collinearity(const body *b, int p, int i, int j, toi_cubic *q, double *noise)
{
    const toi_query_points *at = &b->points;
    double x[2][3], y[2][3], n[3][3];
    toi_take_way(at, p, i, x);
    toi_take_way(at, p, j, y);
    toi_cross_moving(x, y, n);
    int best = 0;
    double sizes[3];
    for (int k = 0; k < 3; ++k) {
        sizes[k] = fabs(n[0][k]) + fabs(n[1][k]) + fabs(n[2][k]);
        best = sizes[k] > sizes[best] ? k : best;
    }
    q->c[0] = n[0][best];
    q->c[1] = n[0][best] + n[1][best];
    q->c[2] = n[1][best] + n[2][best];
    q->c[3] = n[2][best];
    double reach = toi_max(b->length[p][i] + b->speed[p][i], b->length[p][j] + b->speed[p][j]);
    *noise = 8 * reach * b->rounding + TOI_TINY;
    return sizes[best] > *noise;
}

// A root as it was found, which is within the tolerance, or further off where rounding hides that.
static instant take_instant(const toi_cubic *q, double t, double tolerance, double noise)
{
    double doubt = toi_max(tolerance, 4 * TOI_UNIT);
    while (doubt < 1 && !toi_root_is_within(q, t, doubt, noise))
        doubt *= 8;
    return (instant){t, toi_min(doubt, 1)};
}

// When points p and i are closest.
static instant take_meeting(const body *b, int p, int i, double tolerance)
{
    double speed = b->speed[p][i];
    double doubt = speed > b->rounding ? tolerance + b->rounding / speed : 1;
    return (instant){toi_closest_time(&b->points, p, i), toi_min(doubt, 1)};
}

// When point p first meets the edge between i and j, all staying in one plane; or infinity.
static instant meet_edge(const body *b, int p, int i, int j, double tolerance)
{
    toi_cubic q;
    double noise, times[TOI_MOST_TIMES];
    instant found[TOI_MOST_TIMES];
    int count;
    if (take_collinearity(b, p, i, j, &q, &noise)) {
        count = toi_root_times(&q, tolerance, noise, times);
        for (int n = 0; n < count; ++n)
            found[n] = take_instant(&q, times[n], tolerance, noise);
    } else { // always on one line: it can only meet an end
        int swap = toi_closest_time(&b->points, p, j) < toi_closest_time(&b->points, p, i);
        found[swap] = take_meeting(b, p, i, tolerance);
        found[!swap] = take_meeting(b, p, j, tolerance);
        count = 2;
    }
    for (int n = 0; n < count; ++n)
        if (edge_holds(b, p, i, j, found[n]))
            return found[n];
    return (instant){INFINITY, 0};
}

// Contacts in [0, 1]: the first, at infinity if there is none, and how many were found.
typedef struct contacts
{
    instant first;
    int32_t count;
} contacts;

// They touch at the start, or a point of one is the first to meet an edge of the other. Contacts
// are intervals of time here, and count as one.
static contacts find_flat_contact(const body *b, double tolerance)
{
    contacts found = {{0, 0}, 1};
    if (touch_at(b, found.first))
        return found;
    const int(*pairs)[3];
    int count = toi_point_edge_pairs(b->kind, &pairs);
    found.first.t = INFINITY;
    for (int n = 0; n < count; ++n) {
        instant met = meet_edge(b, pairs[n][0], pairs[n][1], pairs[n][2], tolerance);
        if (met.t - met.doubt < found.first.t - found.first.doubt)
            found.first = met;
    }
    found.count = found.first.t < INFINITY;
    return found;
}

// ---- A query

// All four coefficients are zero, as far as doubles can tell.
static bool always_coplanar(const toi_cubic *q)
{
    return fabs(q->c[0]) <= q->error && fabs(q->c[1]) <= q->error && fabs(q->c[2]) <= q->error &&
           fabs(q->c[3]) <= q->error;
}

// Tests the times of coplanarity in order; stops at the first contact unless all are asked for.
static contacts find_contacts(const body *b, const instant *coplanar, int count, bool all)
{
    contacts found = {{INFINITY, 0}, 0};
    double last = -INFINITY;
    for (int i = 0; i < count && (all || found.count == 0); ++i) {
        if (!touch_at(b, coplanar[i]))
            continue;
        if (found.count == 0)
            found.first = coplanar[i];
        found.count += coplanar[i].t - last > 2 * coplanar[i].doubt; // else the same root again
        last = coplanar[i].t;
    }
    return found;
}

static void solve_query(const toi_narrow_batch *batch, const toi_query *query,
                        toi_query_result *result)
{
    toi_pair_motion m;
    toi_cubic q;
    toi_take_coplanarity(batch->kind, query, &m, &q);
    double tolerance = toi_min(batch->def->tolerance, 1), noise = toi_cubic_error(&q);
    double times[TOI_MOST_TIMES];
    bool flat = always_coplanar(&q), all = batch->def->all_roots;
    int count = flat ? 0 : toi_root_times(&q, tolerance, noise, times);
    if (!flat && count == 0)
        return;
    instant coplanar[TOI_MOST_TIMES];
    for (int i = 0; i < count; ++i)
        coplanar[i] = take_instant(&q, times[i], tolerance, noise);
    body b;
    take_body(batch->kind, &m, &b);
    contacts found =
        flat ? find_flat_contact(&b, tolerance) : find_contacts(&b, coplanar, count, all);
    result->contacts = all ? found.count : 0;
    double time = toi_max(0, found.first.t - found.first.doubt); // not late
    if (time <= batch->def->t_max)
        toi_report_touch(batch->kind, query, &m, found.first.t, time, result);
}

void toi_solve_fast(const toi_narrow_batch *batch)
{
    for (int64_t i = 0; i < batch->count; ++i) {
        batch->results[i] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
        solve_query(batch, &batch->queries[i], &batch->results[i]);
    }
}
