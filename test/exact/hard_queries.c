// Nearly degenerate queries start as exact ones, in integers: points in a plane or on a line that
// turns, points that all meet, roots of order two and three, or a contact of adversary.c. Then they
// are sheared, moved away from the origin, scaled and nudged, each of which may or may not spoil
// the degeneracy by a few ulps.

#include "exact/hard_queries.h"

#include "exact/adversary.h"

#include <math.h>
#include <string.h>

const char *hard_family_name(hard_family family)
{
    static const char *const names[HARD_FAMILIES] = {"unit cube", "small integers",
                                                     "nearly degenerate"};
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

// ---- Degenerate frames: x[end][point][axis], small integers

typedef int frames[2][4][3];

static void fill(frames x, int reach, toi_random *random)
{
    for (int i = 0; i < 24; ++i)
        x[i / 12][i / 3 % 4][i % 3] = random_int(random, -reach, reach);
}

// All points are in z = (p + q t) y, a plane that turns about the x axis: with y constant, z moves
// linearly.
static void make_plane(frames x, int reach, toi_random *random)
{
    int p = random_int(random, -3, 3), q = random_int(random, -3, 3);
    if (chance(random, 4)) // the plane stands still, and points may move within it
        q = 0;
    fill(x, reach, random);
    for (int c = 0; c < 4; ++c) {
        if (q != 0)
            x[1][c][1] = x[0][c][1];
        x[0][c][2] = p * x[0][c][1];
        x[1][c][2] = (p + q) * x[1][c][1];
    }
}

// All points are on a line through the origin: a turning one, where each keeps its place on it, or
// a fixed one.
static void make_line(frames x, int reach, toi_random *random)
{
    int direction[2][3], place[4];
    bool turns = chance(random, 2);
    for (int k = 0; k < 3; ++k) {
        direction[0][k] = random_int(random, -2, 2);
        direction[1][k] = turns ? random_int(random, -2, 2) : direction[0][k];
    }
    for (int end = 0; end < 2; ++end)
        for (int c = 0; c < 4; ++c) {
            if (end == 0 || !turns)
                place[c] = random_int(random, -reach, reach);
            for (int k = 0; k < 3; ++k)
                x[end][c][k] = place[c] * direction[end][k];
        }
}

// All points, or the last ones, are (r - t) times a fixed vector away from a place that moves, and
// so meet there at r = part / whole: a root of order three.
static void make_collapse(frames x, int reach, toi_random *random)
{
    static const int wholes[] = {1, 2, 3, 4, 5, 7, 8, 16};
    int whole = wholes[toi_random_below(random, 8)], part = random_int(random, 0, whole);
    int first = chance(random, 2) ? 0 : random_int(random, 0, 2);
    frames place;
    fill(place, reach, random);
    fill(x, reach, random);
    for (int c = first; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            int away = random_int(random, -reach, reach);
            x[0][c][k] = place[0][0][k] + part * away;
            x[1][c][k] = place[1][0][k] + (part - whole) * away;
        }
}

// The height of the first point over the plane z = (p + q t) x is a (num - den t)^2, a root of
// order two, while it moves from x = m to x = m + n.
static void make_tangent(frames x, int reach, toi_random *random)
{
    static const int dens[] = {1, 2, 2, 3, 4, 5};
    int den = dens[toi_random_below(random, 6)], num = random_int(random, 0, den);
    int s = random_int(random, -2, 2), r = random_int(random, 1, 2);
    int p = random_int(random, -2, 2), m = random_int(random, -2, 2);
    int q = den * s, n = den * r, a = -s * r; // q n = -a den^2
    fill(x, reach, random);
    for (int c = 1; c < 4; ++c) {
        x[1][c][0] = x[0][c][0]; // so that z is linear in t
        x[0][c][2] = p * x[0][c][0];
        x[1][c][2] = (p + q) * x[1][c][0];
    }
    // z = (p + q t)(m + n t) + a (num - den t)^2, whose t^2 vanishes.
    x[0][0][0] = m;
    x[1][0][0] = m + n;
    x[0][0][2] = p * m + a * num * num;
    x[1][0][2] = (p + q) * (m + n) + a * (num - den) * (num - den);
}

static void copy_point(frames x, int to, int from, int end)
{
    memcpy(x[end][to], x[end][from], sizeof x[end][to]);
}

// Shared corners, edges without length, at one end of the step or at both.
static void make_coincident(frames x, int reach, toi_random *random)
{
    fill(x, reach, random);
    for (int n = random_int(random, 1, 3); n > 0; --n) {
        int to = random_int(random, 0, 3), from = random_int(random, 0, 3);
        int ends = random_int(random, 0, 3);
        if (ends != 1)
            copy_point(x, to, from, 0);
        if (ends != 0)
            copy_point(x, to, from, 1);
    }
}

// x3 - x2 is a whole multiple of x1 - x0 at all times, which makes edges parallel, or of x1 - x2,
// which makes a face without area.
static void make_parallel(frames x, int reach, toi_random *random)
{
    fill(x, reach, random);
    int factor = random_int(random, -2, 2), from = chance(random, 2) ? 0 : 2;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k)
            x[end][3][k] = x[end][2][k] + factor * (x[end][1][k] - x[end][from][k]);
}

// The cubic of hand_cases.c, times 8: three roots, some of them equal, and contact at each.
static void make_cubic(frames x, toi_kind kind, toi_random *random)
{
    static const struct
    {
        int b, start, end; // the height of f1 at t = 1, those of the vertex
    } roots[] = {{128, -3, 67}, {128, 0, 64}, {64, -2, 46}, {192, -6, 90}, {128, -4, 68}};
    int n = (int)toi_random_below(random, 5);
    frames made = {{{2, 2, roots[n].start}, {0, 0, 0}, {8, 0, 0}, {0, 8, 0}},
                   {{3, 14, roots[n].end}, {0, 0, 0}, {8, 32, roots[n].b}, {0, 8, 64}}};
    memcpy(x, made, sizeof made);
    if (kind != TOI_EDGE_EDGE)
        return;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            x[end][0][k] = 0;
            x[end][1][k] = made[end][2][k];
            x[end][2][k] = made[end][0][k];
            x[end][3][k] = made[end][0][k] - made[end][3][k];
        }
}

static void make_frames(frames x, toi_kind kind, toi_random *random)
{
    int reach = 1 << random_int(random, 0, 4);
    switch (random_int(random, 0, 8)) {
    case 0:
        make_plane(x, reach, random);
        break;
    case 1:
        make_line(x, reach, random);
        break;
    case 2:
        make_collapse(x, reach, random);
        break;
    case 3:
        make_tangent(x, reach, random);
        break;
    case 4:
        make_coincident(x, reach, random);
        break;
    case 5:
        make_parallel(x, reach, random);
        break;
    case 6:
        make_cubic(x, kind, random);
        break;
    case 7:
        make_plane(x, 2, random);
        break;
    default:
        make_line(x, 4, random);
        break;
    }
    if (chance(random, 8)) // nothing moves, or not all of it
        for (int c = 0, still = random_int(random, 1, 4); c < still; ++c)
            memcpy(x[1][c], x[0][c], sizeof x[1][c]);
}

// ---- Away from the origin and the axes

// The same shear for all points keeps every degeneracy; the axes change places.
static void shear(frames x, toi_random *random)
{
    int a = random_int(random, -3, 3), b = random_int(random, -3, 3), c = random_int(random, -3, 3);
    int turn = random_int(random, 0, 2);
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 4; ++i) {
            int *at = x[end][i], y[3];
            at[1] += a * at[0];
            at[2] += b * at[0] + c * at[1];
            for (int k = 0; k < 3; ++k)
                y[k] = at[(k + turn) % 3];
            memcpy(at, y, sizeof y);
        }
}

// Edges need what is first and second of a plane's points mixed up.
static void shuffle_points(frames x, toi_random *random)
{
    for (int i = 3; i > 0; --i) {
        int j = random_int(random, 0, i);
        for (int end = 0; end < 2; ++end)
            for (int k = 0; k < 3; ++k) {
                int kept = x[end][i][k];
                x[end][i][k] = x[end][j][k];
                x[end][j][k] = kept;
            }
    }
}

// A power of two keeps the degeneracy, unless it ends in denormals; another factor rounds it.
static double random_scale(toi_random *random)
{
    static const double tens[] = {1e-150, 1e-75, 1e-30, 1e-9, 1e-3, 1e3, 1e9, 1e30, 1e75, 1e150};
    switch (random_int(random, 0, 7)) {
    case 0:
        return ldexp(1, random_int(random, -500, 500));
    case 1:
        return tens[toi_random_below(random, 10)];
    case 2:
        return ldexp(1, random_int(random, -1074, -1060));
    case 3:
        return ldexp(0.75, random_int(random, -1074, -1060));
    case 4:
        return toi_random_unit(random);
    case 5:
        return 0.1;
    default:
        return 1;
    }
}

static toi_query place_frames(frames x, toi_random *random)
{
    toi_query query;
    double scale = random_scale(random), offset[2][3] = {{0}};
    if (chance(random, 2))
        for (int k = 0; k < 3; ++k) {
            offset[0][k] = chance(random, 2) ? random_int(random, -1000000, 1000000)
                                             : toi_random_range(random, -1e6, 1e6);
            offset[1][k] = chance(random, 2) ? offset[0][k] : random_int(random, -1000000, 1000000);
        }
    for (int end = 0; end < 2; ++end)
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k)
                (end ? query.end : query.start)[c][k] = (x[end][c][k] + offset[end][k]) * scale;
    return query;
}

// Moves some coordinates by anything from an eighth to an ulp of their size, and zeros off zero:
// the errors that a filter allows for are somewhere in between.
static void shake_query(toi_query *query, toi_random *random)
{
    double *x = &query->start[0][0], size = 0;
    for (int i = 0; i < 24; ++i)
        size = fmax(size, fabs(x[i]));
    for (int n = random_int(random, 1, 4); n > 0; --n) {
        double *at = &x[toi_random_below(random, 24)];
        double change = ldexp(toi_random_range(random, -1, 1), -random_int(random, 3, 52));
        *at += change * (*at == 0 || chance(random, 4) ? size : *at);
        if (!isfinite(*at))
            *at = size;
    }
}

static toi_query make_near(toi_kind kind, toi_random *random)
{
    toi_query query;
    toi_kind raised = kind == TOI_EDGE_EDGE ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
    if (chance(random, 4)) {
        contact_recipe recipe = random_recipe(random);
        recipe.kind = raised;
        query =
            (chance(random, 4)   ? make_dense_contact(&recipe, random)
             : chance(random, 4) ? make_wild_contact(raised, 0, random_int(random, 0, 60), random)
                                 : make_contact(&recipe, random))
                .query;
    } else {
        frames x;
        make_frames(x, raised, random);
        if (chance(random, 2))
            shear(x, random);
        if (chance(random, 2))
            shuffle_points(x, random);
        query = place_frames(x, random);
    }
    if (chance(random, 2))
        nudge_query(&query, random_int(random, 1, 4), random);
    else if (chance(random, 2))
        shake_query(&query, random);
    return query;
}

// ---- The families

toi_query make_hard_query(hard_family family, toi_kind kind, toi_random *random)
{
    if (family == HARD_NEAR)
        return make_near(kind, random);
    toi_query query;
    double *x = &query.start[0][0];
    for (int i = 0; i < 24; ++i)
        x[i] = family == HARD_CUBE ? toi_random_unit(random) : random_int(random, -2, 2);
    return query;
}

// ---- Mixed exponents

static int pick_exponent(int choice, toi_random *random)
{
    static const int few[] = {-1070, -500, -40, 0, 30, 400, 1000};
    return choice == 0   ? random_int(random, -1074, 1023)
           : choice == 1 ? random_int(random, -150, 150)
                         : few[toi_random_below(random, 7)];
}

toi_query make_mixed_query(toi_random *random)
{
    toi_query query;
    double *x = &query.start[0][0];
    int choice = random_int(random, 0, 2), groups = random_int(random, 0, 5), exponents[24];
    bool small = choice == 2 || chance(random, 4);
    for (int i = 0; i < 24; ++i)
        exponents[i] = pick_exponent(choice, random);
    for (int i = 0; i < 24; ++i) {
        int group = groups == 0 ? i % 3 : groups == 1 ? i / 3 % 4 : groups == 2 ? i / 12 : i;
        double m = small ? random_int(random, -2, 2) : toi_random_range(random, -2, 2);
        x[i] = ldexp(0.5 * m, exponents[group]);
    }
    for (int n = chance(random, 2) ? random_int(random, 1, 6) : 0; n > 0; --n) {
        double from = x[toi_random_below(random, 24)];
        x[toi_random_below(random, 24)] = chance(random, 2) ? from : -from;
    }
    for (int k = 0; k < 3 && chance(random, 4); ++k)
        query.end[1][k] = query.start[1][k];
    if (chance(random, 3))
        nudge_query(&query, random_int(random, 1, 4), random);
    return query;
}
