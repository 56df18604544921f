// Queries with separations: random, on a lattice, and constructed so that the distance comes to the
// separation exactly, or twice within a tiny part of the step.

#include "exact/apart_queries.h"

#include "exact/apart_twin.h"
#include "exact/hard_queries.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *apart_family_name(apart_family family)
{
    static const char *const names[APART_FAMILIES] = {"random", "lattice", "nearly degenerate"};
    return names[family];
}

static int random_int(toi_random *random, int lo, int hi)
{
    return lo + (int)toi_random_below(random, (uint64_t)(hi - lo + 1));
}

static bool chance(toi_random *random, int one_in)
{
    return toi_random_below(random, (uint64_t)one_in) == 0;
}

static int first_count(toi_kind kind) // points of the first primitive
{
    return kind == TOI_EDGE_EDGE ? 2 : 1;
}

static double (*points_at(toi_query *query, int end))[3]
{
    return end ? query->end : query->start;
}

// ---- Motions given about a time

// Point c is at x[c] + tau v[c], with tau = t - t0.
typedef struct motion
{
    double x[4][3], v[4][3];
} motion;

static toi_query place_motion(const motion *m, double t0)
{
    toi_query query;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            query.start[c][k] = m->x[c][k] - t0 * m->v[c][k];
            query.end[c][k] = m->x[c][k] + (1 - t0) * m->v[c][k];
        }
    return query;
}

static double random_dyadic(toi_random *random, int bits) // in ]0, 1[
{
    return ldexp((double)(1 + toi_random_below(random, (UINT64_C(1) << bits) - 1)), -bits);
}

// Whole vectors of whole length.
typedef struct whole_vector
{
    int x[3], length;
} whole_vector;

static const whole_vector whole_vectors[] = {
    {{0, 0, 1}, 1}, {{0, 3, 4}, 5},   {{1, 2, 2}, 3},  {{2, 3, 6}, 7},
    {{1, 4, 8}, 9}, {{0, 5, 12}, 13}, {{2, 6, 9}, 11}, {{4, 4, 7}, 9},
};

// One of them, with any signs and order of the axes.
static whole_vector pick_vector(toi_random *random)
{
    whole_vector from = whole_vectors[toi_random_below(random, 8)], to = from;
    int turn = random_int(random, 0, 2), step = chance(random, 2) ? 1 : 2;
    for (int k = 0; k < 3; ++k)
        to.x[k] = (chance(random, 2) ? 1 : -1) * from.x[(turn + step * k) % 3];
    return to;
}

// A whole vector across another.
static void pick_across(const whole_vector *n, int reach, toi_random *random, int across[3])
{
    int a = random_int(random, -reach, reach), b = random_int(random, -reach, reach),
        c = random_int(random, -reach, reach);
    across[0] = b * n->x[2] - c * n->x[1];
    across[1] = c * n->x[0] - a * n->x[2];
    across[2] = a * n->x[1] - b * n->x[0];
}

// A corner passes another, c + tau v with v across c, whose length is whole; the rest of both
// primitives is behind them. The square of the distance is |c|^2 + tau^2 |v|^2.
static grazing_query graze_corner(toi_kind kind, toi_random *random)
{
    whole_vector c = pick_vector(random);
    motion m = {0};
    double speed = ldexp(1, random_int(random, 0, 20));
    for (int i = 0; i < 4; ++i) {
        bool first = i < first_count(kind);
        int aside[3], v[3],
            back = i == 0 || (i == 1 && !first) || (i == 2 && first_count(kind) == 2)
                       ? 0
                       : random_int(random, 1, 4);
        pick_across(&c, 2, random, aside);
        pick_across(&c, 3, random, v);
        for (int k = 0; k < 3; ++k) {
            m.x[i][k] = (first ? 1 + back : -back) * c.x[k] + (back ? aside[k] : 0);
            m.v[i][k] = first ? speed * (i == 0 ? v[k] : m.v[0][k] / speed) : 0;
        }
    }
    return (grazing_query){place_motion(&m, random_dyadic(random, random_int(random, 1, 12))),
                           c.length};
}

// The second primitive's edge is along (0, 1, tau), the first point at (3, y tau, 4) with
// y = -(2 + bend). With h = 4 + (2 + bend) tau^2 the square of the distance is 9 + h^2 / (1 +
// tau^2): 25 at 0, and 8 bend tau^2 more nearby.
static grazing_query graze_edge(toi_kind kind, toi_random *random)
{
    motion m = {0};
    double bend = chance(random, 4) ? 0 : ldexp(1, random_int(random, -2, 40));
    double reach = ldexp(1, random_int(random, 3, 5)), behind = random_int(random, 1, 4);
    int last = first_count(kind); // the edge's ends are this and the next point
    m.x[0][0] = 3;
    m.x[0][2] = 4;
    m.v[0][1] = -(2 + bend);
    for (int end = 0; end < 2; ++end) {
        m.x[last + end][1] = end ? reach : -reach;
        m.v[last + end][2] = end ? reach : -reach;
    }
    int other = kind == TOI_EDGE_EDGE ? 1 : 3; // behind the point, or behind the edge
    for (int k = 0; k < 3; ++k) {
        m.x[other][k] = kind == TOI_EDGE_EDGE ? (1 + behind) * m.x[0][k] : -behind * m.x[0][k];
        m.v[other][k] = kind == TOI_EDGE_EDGE ? m.v[0][k] : 0;
    }
    return (grazing_query){place_motion(&m, random_dyadic(random, random_int(random, 1, 8))), 5};
}

// The face's sides, or the two edges, are along e = (1, 0, tau) and f = (0, 1 + tau, tau). Their
// cross product n = (-tau - tau^2, -tau, 1 + tau) is 1 + tau + tau^2 long, no root needed, and n .
// w for a point w that moves on a line is any cubic. Here it is s (1 + tau + tau^2) + q(tau), with
// q = speed tau (tau - gap) (1 - tau / third): the distance from the plane is s at 0, at `gap` and
// at `third`. That is far off, or close behind: then they come, go and come again, and a search
// that finds the last of the three is wrong.
static grazing_query graze_plane(toi_kind kind, toi_random *random)
{
    bool again = chance(random, 2);
    int bits = again ? random_int(random, 16, 40) : random_int(random, 8, 45);
    double gap = ldexp(1, -bits), speed = ldexp(1, again || bits < 24 ? 0 : 2 * bits - 48);
    double third = ldexp(again ? gap : 1, random_int(random, again ? 1 : -1, again ? 12 : 3));
    double q1 = -speed * gap, q2 = speed * (1 + gap / third), q3 = -speed / third;
    double s = ldexp(random_int(random, 1, 64), -5), reach = 16, x0 = 4, y0 = 5;
    double z1 = q1 + x0 + y0, x1 = -q3, y1 = z1 - x0 - x1 - s - q2;
    double grain = ldexp(1, ilogb(fmax(fabs(x1), fabs(y1))) - 45);
    y1 = rint(y1 / grain) * grain; // so that places are doubles; it changes q2 a little
    motion w = {.x = {{x0, y0, s}}, .v = {{x1, y1, z1}}}, m = {0};
    double e[2][3] = {{1, 0, 0}, {0, 0, 1}}, f[2][3] = {{0, 1, 0}, {0, 1, 1}};
    for (int k = 0; k < 3; ++k)
        for (int rate = 0; rate < 2; ++rate) {
            double(*to)[3] = rate ? m.v : m.x, at = rate ? w.v[0][k] : w.x[0][k];
            if (kind == TOI_EDGE_EDGE) { // through w along e, and through 0 along f
                to[0][k] = at - reach * e[rate][k];
                to[1][k] = at + reach * e[rate][k];
                to[2][k] = -reach * f[rate][k];
                to[3][k] = reach * f[rate][k];
            } else {
                to[0][k] = at;
                to[1][k] = 0;
                to[2][k] = reach * e[rate][k];
                to[3][k] = reach * f[rate][k];
            }
        }
    return (grazing_query){place_motion(&m, random_dyadic(random, random_int(random, 1, 3))), s};
}

grazing_query make_grazing_query(toi_kind kind, toi_random *random)
{
    int dimension = kind == TOI_POINT_POINT ? 0 : kind == TOI_POINT_EDGE ? 1 : 2;
    int choice = random_int(random, 0, dimension);
    return choice == 0   ? graze_corner(kind, random)
           : choice == 1 ? graze_edge(kind, random)
                         : graze_plane(kind, random);
}

// ---- Coming, going and coming again

static toi_query stopped_at(const toi_query *query, double t)
{
    toi_query still;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            still.start[c][k] = still.end[c][k] =
                (1 - t) * query->start[c][k] + t * query->end[c][k];
    return still;
}

static double distance_at_start(toi_kind kind, const toi_query *query)
{
    double x[4][3];
    memcpy(x, query->start, sizeof x);
    if (kind == TOI_EDGE_EDGE)
        return toi_edge_edge_distance(x[0], x[1], x[2], x[3], NULL);
    if (kind == TOI_POINT_POINT)
        return toi_edge_edge_distance(x[0], x[0], x[1], x[1], NULL);
    return toi_point_triangle_distance(x[0], x[1], x[2], x[kind == TOI_POINT_EDGE ? 2 : 3], NULL);
}

enum
{
    LOOKS = 33 // at a short time
};

// The number of the first look at which the distance has a least value, all before being more, with
// a lesser one to come; -1: there is none.
static int find_first_dip(const double d[LOOKS])
{
    for (int i = 1; i + 1 < LOOKS; ++i)
        if (d[i] < d[i - 1] && d[i] < d[i + 1])
            for (int j = i + 2; j < LOOKS; ++j)
                if (d[j] < d[i])
                    return d[i] < d[0] ? i : -1;
    return -1;
}

// Quick turns within a small share of the step: the distance falls to s or hardly less, rises, and
// falls below s for good. All of it is so short that a search may leave it to its last stage. Where
// no such motion was found any will do.
static grazing_query make_wiggle(toi_kind kind, toi_random *random)
{
    double part = ldexp(1, -random_int(random, 6, 20)), t0 = random_dyadic(random, 4), d[LOOKS];
    toi_query query;
    for (int tries = 0; tries < 60; ++tries) {
        motion m;
        for (int i = 0; i < 12; ++i) {
            m.x[i / 3][i % 3] = random_int(random, -16, 16);
            m.v[i / 3][i % 3] = random_int(random, -16, 16) / part;
        }
        query = place_motion(&m, t0);
        for (int i = 0; i < LOOKS; ++i) {
            toi_query still = stopped_at(&query, t0 + part * (i - LOOKS / 2) / (LOOKS / 4));
            d[i] = distance_at_start(kind, &still);
        }
        int dip = find_first_dip(d);
        if (dip >= 0 && d[dip] > 0.125)
            return (grazing_query){query, d[dip] * (1 + ldexp(1, -random_int(random, 4, 30)))};
    }
    return (grazing_query){query, d[0]};
}

// ---- Random primitives

// A multiple of 2^-bits in [-1, 1].
static double random_coordinate(toi_random *random, int bits)
{
    return ldexp(rint(toi_random_range(random, -1, 1) * ldexp(1, bits)), -bits);
}

// Which points move: all, one, those of one primitive, none.
static void hold_still(toi_kind kind, toi_query *query, toi_random *random)
{
    int choice = random_int(random, 0, 8), one = random_int(random, 0, 3);
    for (int c = 0; c < 4; ++c) {
        bool first = c < first_count(kind);
        bool still = (choice == 0 && c != one) || (choice == 1 && first) ||
                     (choice == 2 && !first) || (choice == 3 && chance(random, 4));
        if (still)
            memcpy(query->end[c], query->start[c], sizeof query->end[c]);
    }
    if (choice == 3 && chance(random, 4))
        memcpy(query->end, query->start, sizeof query->end);
}

// Most coordinates have few bits, since the twin's time grows with them.
static toi_query make_random_query(toi_kind kind, toi_random *random)
{
    toi_query query;
    int bits = chance(random, 8) ? 53 : random_int(random, 16, 26);
    double size = ldexp(1, -random_int(random, 0, 8)), way = ldexp(1, -random_int(random, 0, 4));
    double centre[2][2][3];
    bool meet = chance(random, 2); // the first primitive goes to where the second one is
    for (int k = 0; k < 3; ++k)
        for (int side = 1; side >= 0; --side) {
            centre[side][0][k] = random_coordinate(random, bits);
            centre[side][1][k] = centre[side || meet][0][k] + way * random_coordinate(random, bits);
        }
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            int side = c < first_count(kind) ? 0 : 1;
            double x = size * random_coordinate(random, bits);
            query.start[c][k] = centre[side][0][k] + x;
            query.end[c][k] = centre[side][1][k] +
                              (chance(random, 2) ? x : size * random_coordinate(random, bits));
        }
    hold_still(kind, &query, random);
    return query;
}

// ---- Whole numbers

// In the plane across a whole vector, and whole multiples of the vector apart.
static toi_query make_layers(toi_kind kind, const whole_vector *n, toi_random *random)
{
    toi_query query;
    int layer[2] = {random_int(random, 0, 3), random_int(random, -2, 3)}, across[3];
    for (int end = 0; end < 2; ++end)
        for (int c = 0; c < 4; ++c) {
            pick_across(n, 3, random, across);
            int height = c < first_count(kind) ? layer[end] : 0;
            for (int k = 0; k < 3; ++k)
                points_at(&query, end)[c][k] = across[k] + height * n->x[k];
        }
    if (chance(random, 2)) // the second primitive is a fixed one
        memcpy(query.end + first_count(kind), query.start + first_count(kind),
               sizeof query.end - (size_t)first_count(kind) * sizeof query.end[0]);
    return query;
}

// Moves the first primitive so that one of its corners is apart from one of the other by a whole
// vector at j / 8.
static void tie_corners(toi_kind kind, toi_query *query, const whole_vector *apart,
                        toi_random *random)
{
    int a = random_int(random, 0, first_count(kind) - 1), b = first_count(kind);
    int j = random_int(random, 0, 8);
    for (int k = 0; k < 3; ++k) {
        double w0 = query->start[a][k] - query->start[b][k];
        double w1 = query->end[a][k] - query->end[b][k];
        double move = apart->x[k] - (w0 * (8 - j) + w1 * j) / 8;
        for (int c = 0; c < first_count(kind); ++c) {
            query->start[c][k] += move;
            query->end[c][k] += move;
        }
    }
}

static toi_query make_lattice_query(toi_kind kind, const whole_vector *apart, toi_random *random)
{
    toi_query query;
    int choice = random_int(random, 0, 3), reach = 1 << random_int(random, 0, 4);
    if (choice == 0)
        return make_layers(kind, apart, random);
    double *x = &query.start[0][0];
    for (int i = 0; i < 24; ++i)
        x[i] = random_int(random, -reach, reach);
    hold_still(kind, &query, random);
    int far = random_int(random, 0, 4), near = random_int(random, -1, far);
    for (int i = 0; i < 6 * first_count(kind); ++i) { // mostly from far to near
        int end = i / 3 / first_count(kind);
        points_at(&query, end)[i / 3 % first_count(kind)][i % 3] +=
            (end ? near : far) * apart->x[i % 3];
    }
    if (choice == 1)
        tie_corners(kind, &query, apart, random);
    return query;
}

// ---- Nearly the same distance all the time

// Both primitives move alike, but for a little; the plane of the face may be anywhere.
static toi_query make_skimming_query(toi_kind kind, toi_random *random)
{
    toi_query query = make_random_query(kind, random);
    double v[3], little = chance(random, 2) ? 0 : ldexp(1, -random_int(random, 20, 60));
    for (int k = 0; k < 3; ++k)
        v[k] = random_coordinate(random, 20);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            query.end[c][k] = query.start[c][k] + v[k] + little * toi_random_range(random, -1, 1);
    return query;
}

// The first point is close to the face's plane (or edge a to the plane of edge b and its normal)
// but far from the face itself, and comes nearer, or not.
static toi_query make_trap(toi_kind kind, toi_random *random)
{
    motion m = {0};
    double height = ldexp(random_int(random, 0, 8), -random_int(random, 4, 40));
    double aside = random_int(random, 1, 4), size = ldexp(random_int(random, 1, 8), -3);
    double across[4][2] = {{1 + aside, 0}, {0, 0}, {1, size}, {1, -size}};
    if (kind == TOI_EDGE_EDGE) {
        across[1][0] = 2 + aside;
        across[1][1] = size;
        across[2][0] = -size;
    }
    for (int c = 0; c < 4; ++c) {
        bool first = c < first_count(kind);
        m.x[c][0] = across[c][0];
        m.x[c][1] = across[c][1];
        m.x[c][2] = first ? height : 0;
        for (int k = 0; k < 3; ++k) {
            m.x[c][k] += ldexp(random_coordinate(random, 20), -random_int(random, 3, 20));
            m.v[c][k] = (first && k == 0 ? -aside : 0) + random_coordinate(random, 20) / 2;
        }
    }
    return place_motion(&m, 0);
}

// ---- Other places and sizes

static void turn_axes(toi_query *query, toi_random *random)
{
    int turn = random_int(random, 0, 2), flips = random_int(random, 0, 7);
    for (int i = 0; i < 8; ++i) {
        double *x = points_at(query, i / 4)[i % 4], y[3];
        for (int k = 0; k < 3; ++k)
            y[k] = (flips >> k & 1 ? -1 : 1) * x[(k + turn) % 3];
        memcpy(x, y, sizeof y);
    }
}

static double random_scale(toi_random *random)
{
    static const double tens[] = {1e-100, 1e-60, 1e-18, 1e-9, 0.1, 1e3, 1e18, 1e60, 1e100, 0.3};
    return chance(random, 3)   ? tens[toi_random_below(random, 10)]
           : chance(random, 2) ? ldexp(1, random_int(random, -330, 330))
                               : 1;
}

// The same for all points; rounds where the query has many bits.
static void move_query(toi_query *query, double scale, const double offset[3])
{
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) {
            double *x = &points_at(query, i / 4)[i % 4][k];
            *x = *x * scale + offset[k] * scale;
        }
}

static void pick_offset(toi_random *random, double offset[3])
{
    int bits = chance(random, 3) ? 60 : random_int(random, 1, 50);
    for (int k = 0; k < 3; ++k)
        offset[k] = rint(ldexp(toi_random_range(random, -1, 1), bits));
}

// ---- Separations

static toi_query reversed(const toi_query *query)
{
    toi_query back;
    memcpy(back.start, query->end, sizeof back.start);
    memcpy(back.end, query->start, sizeof back.end);
    return back;
}

// About the least distance over the motion.
static double least_distance(toi_kind kind, const toi_query *query)
{
    double least = INFINITY, centre = 0.5;
    for (double width = 0.5; width > 1e-9; width /= 4)
        for (int i = -4; i <= 4; ++i) {
            double t = fmin(fmax(centre + width * i / 4, 0), 1);
            toi_query still = stopped_at(query, t);
            double d = distance_at_start(kind, &still);
            if (d < least) {
                least = d;
                centre = t;
            }
        }
    return least;
}

// Of the first corners, at a time with few bits.
static double corner_distance(toi_kind kind, const toi_query *query, toi_random *random)
{
    toi_query still = stopped_at(query, ldexp(random_int(random, 0, 16), -4));
    const double *a = still.start[0], *b = still.start[first_count(kind)];
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// Of zero hardly ever: the twin takes long for lengths so far apart.
static double few_ulps(double x, toi_random *random)
{
    int most = x == 0 && !chance(random, 16) ? 0 : 3;
    for (int n = random_int(random, -most, most); n != 0; n -= n > 0 ? 1 : -1)
        x = nextafter(x, n > 0 ? INFINITY : 0);
    return x;
}

static double pick_separation(toi_kind kind, const toi_query *query, toi_random *random)
{
    toi_query back = reversed(query);
    double d0 = twin_distance(kind, query), unit = toi_random_unit(random);
    double base = d0 > 0 ? d0 : corner_distance(kind, query, random);
    switch (random_int(random, 0, 15)) {
    case 0:
        return chance(random, 2) ? 0 : d0;
    case 1:
        return few_ulps(d0, random);
    case 2:
        return few_ulps(least_distance(kind, query), random);
    case 3:
        return least_distance(kind, query);
    case 4:
        return fmin(corner_distance(kind, query, random), d0);
    case 5:
        return fmin(few_ulps(twin_distance(kind, &back), random), d0);
    case 6:
        return ldexp(base, -random_int(random, 1, 60));
    case 7:
        return ldexp(base, random_int(random, -3, 20));
    default:
        return unit * base;
    }
}

static double pick_t_max(const apart_group *group, toi_random *random)
{
    if (chance(random, 2))
        return 1;
    const toi_query *query = &group->queries[toi_random_below(random, APART_GROUP)];
    apart_answer truth = twin_apart(group->kind, query, group->separation, 1);
    double t = truth.hit ? truth.time : toi_random_unit(random);
    int choice = random_int(random, 0, 4);
    return choice == 0 ? nextafter(t, 0) : choice == 1 ? fmin(nextafter(t, 2), 1) : t;
}

// ---- Groups

static const toi_kind kinds[8] = {TOI_VERTEX_FACE, TOI_EDGE_EDGE,  TOI_VERTEX_FACE,
                                  TOI_EDGE_EDGE,   TOI_POINT_EDGE, TOI_VERTEX_FACE,
                                  TOI_EDGE_EDGE,   TOI_POINT_POINT};

// What a group's queries have in common.
typedef struct apart_recipe
{
    apart_family family;
    toi_kind kind;
    int choice;         // what is made, of APART_NEAR
    whole_vector apart; // of APART_LATTICE
    double scale, offset[3];
} apart_recipe;

// Each hard query has a size and a place of its own, and a separation that suits another does not
// suit it.
static bool has_own_size(const apart_recipe *recipe)
{
    return recipe->family == APART_NEAR && recipe->choice > 4;
}

// `s` is the separation the query was made for; -1: none.
static toi_query make_query(const apart_recipe *recipe, toi_random *random, double *s)
{
    toi_query query;
    *s = -1;
    if (recipe->family == APART_RANDOM) {
        query = make_random_query(recipe->kind, random);
    } else if (recipe->family == APART_LATTICE) {
        query = make_lattice_query(recipe->kind, &recipe->apart, random);
        *s = recipe->apart.length * (chance(random, 3) ? random_int(random, 1, 3) : 1);
    } else if (has_own_size(recipe)) {
        return make_hard_query(HARD_NEAR, recipe->kind, random);
    } else if (recipe->choice < 3) {
        grazing_query made = recipe->choice == 0 ? make_wiggle(recipe->kind, random)
                                                 : make_grazing_query(recipe->kind, random);
        query = made.query;
        *s = made.separation;
    } else if (recipe->choice == 3) {
        query = make_skimming_query(recipe->kind, random);
    } else {
        query = make_trap(recipe->kind, random);
    }
    turn_axes(&query, random);
    move_query(&query, recipe->scale, recipe->offset);
    *s *= recipe->scale;
    return query;
}

static apart_recipe pick_recipe(apart_family family, toi_random *random)
{
    apart_recipe recipe = {.family = family,
                           .kind = kinds[toi_random_below(random, 8)],
                           .choice = random_int(random, 0, 6),
                           .apart = pick_vector(random),
                           .scale = 1};
    if (chance(random, family == APART_NEAR ? 2 : 6))
        recipe.scale = random_scale(random);
    if (chance(random, 4))
        pick_offset(random, recipe.offset);
    return recipe;
}

// Moves some coordinates by a few ulps, or by more. Zeros stay: their neighbours make integers of a
// thousand bits, which hard_queries.c has enough of.
static void nudge(toi_query *query, toi_random *random)
{
    int bits = chance(random, 2) ? 52 : random_int(random, 3, 52);
    for (int n = random_int(random, 1, 4); n > 0; --n) {
        double *x = &points_at(
            query, random_int(random, 0, 1))[random_int(random, 0, 3)][random_int(random, 0, 2)];
        *x += ldexp(*x, -bits) * random_int(random, -2, 2);
    }
}

// Half of the group are the first query again, turned or a little off, so that a separation that is
// critical for one is so for many.
static void fill_group(const apart_recipe *recipe, apart_group *group, toi_random *random)
{
    double s;
    for (int i = 1; i < APART_GROUP; ++i) {
        toi_query *query = &group->queries[i];
        if (!has_own_size(recipe) && chance(random, 2)) {
            *query = make_query(recipe, random, &s);
            continue;
        }
        *query = group->queries[0];
        turn_axes(query, random);
        if (chance(random, 2))
            nudge(query, random);
    }
}

static double finite_separation(double s)
{
    return s >= 0 && s <= DBL_MAX ? s : 0;
}

apart_group make_apart_group(apart_family family, toi_random *random)
{
    apart_recipe recipe = pick_recipe(family, random);
    apart_group group = {.kind = recipe.kind};
    double s;
    group.queries[0] = make_query(&recipe, random, &s);
    fill_group(&recipe, &group, random);
    bool made_for = s >= 0 && !chance(random, 4);
    if (made_for && family == APART_NEAR)
        s = few_ulps(s, random);
    group.separation =
        finite_separation(made_for ? s : pick_separation(group.kind, &group.queries[0], random));
    group.t_max = pick_t_max(&group, random);
    return group;
}

apart_group make_relative_group(toi_random *random)
{
    apart_recipe recipe = pick_recipe((apart_family)random_int(random, 0, 2), random);
    if (chance(random, 3))
        recipe = (apart_recipe){APART_NEAR, recipe.kind, 4, recipe.apart, recipe.scale, {0}};
    apart_group group = {.kind = recipe.kind, .t_max = 1};
    double s;
    group.queries[0] = make_query(&recipe, random, &s);
    fill_group(&recipe, &group, random);
    group.separation =
        chance(random, 2)
            ? 0
            : finite_separation(pick_separation(group.kind, &group.queries[0], random));
    group.share = chance(random, 3)   ? 0.5
                  : chance(random, 2) ? 0.2
                                      : 0.5 * random_dyadic(random, 40);
    return group;
}
