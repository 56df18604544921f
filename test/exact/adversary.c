// The proof that a made contact is one: all coordinates are integers N 2^exponent with |N| <= 2^52,
// so doubles hold them without rounding. With T / 2^q the time and (U, V) / 2^r the place, corners
// of the face (the edges) are 2^r times integers, so their point at (U, V) is an integer too. The
// point meant to meet it is put
//     T w + s  away from it at t = 0,   (T - 2^q) w + s  at t = 1,
// for integer vectors w and s; both move on straight lines, so they are
//     (1 - t)(T w + s) + t ((T - 2^q) w + s) = (T - t 2^q) w + s
// apart at t, which is s at t = T / 2^q. Where the gap is 0, so is s: they touch.
//
// A dense contact has |N| <= 2^53 and corners that are not multiples of 2^r: one edge's low bits
// are chosen so that the point at (U, V) is an integer all the same.

#include "exact/adversary.h"

#include <math.h>
#include <string.h>

enum
{
    PLACE_BITS = 5 // most of r
};

static int64_t random_int(toi_random *random, int64_t lo, int64_t hi)
{
    return lo + (int64_t)toi_random_below(random, (uint64_t)(hi - lo + 1));
}

static bool chance(toi_random *random, int one_in)
{
    return toi_random_below(random, (uint64_t)one_in) == 0;
}

contact_recipe random_recipe(toi_random *random)
{
    contact_recipe recipe = {.kind = chance(random, 2) ? TOI_VERTEX_FACE : TOI_EDGE_EDGE,
                             .latest = 1};
    recipe.exponent = (int)random_int(random, -50, 10); // sizes are up to 2^20 units and more
    if (chance(random, 8)) {
        static const int extremes[] = {-1074, -1073, -1060, -1022, -1000, 900, 960, 970};
        recipe.exponent = extremes[toi_random_below(random, 8)];
    }
    return recipe;
}

// ---- Shapes of integers

typedef struct vec
{
    int64_t k[3];
} vec;

// How the integers of one contact are drawn.
typedef struct style
{
    int64_t reach[3]; // by axis: most |coordinate| of a shape
    int64_t speed[3]; // and of w
    int flat;         // which linear map makes everything flat, or straight; 0: none
    int shape, motion;
    int64_t offset[2][3]; // of both frames
} style;

enum
{
    FLAT_KINDS = 6,
    SHAPE_KINDS = 12,
    MOTION_KINDS = 5
};

// The same linear map for every vector of a contact keeps it a contact.
static vec flatten(const style *s, vec a)
{
    switch (s->flat) {
    case 1:
        a.k[2] = 0;
        break;
    case 2:
        a.k[2] = a.k[0] + a.k[1];
        break;
    case 3:
        a.k[1] = a.k[2] = 0;
        break;
    case 4:
        a.k[1] = 2 * a.k[0];
        a.k[2] = -a.k[0];
        break;
    case 5: // a plane far from the axes
        a.k[2] = 3 * a.k[1] - 2 * a.k[0];
        break;
    default:
        break;
    }
    return a;
}

static vec random_vec(const style *s, const int64_t reach[3], toi_random *random)
{
    vec a;
    for (int k = 0; k < 3; ++k)
        a.k[k] = random_int(random, -reach[k], reach[k]);
    return flatten(s, a);
}

static vec add(vec a, int64_t scale, vec b)
{
    for (int k = 0; k < 3; ++k)
        a.k[k] += scale * b.k[k];
    return a;
}

// Three vectors, before multiplication by 2^r: the face's corners, or b0 and the edges a and b.
static void random_shape(const style *s, toi_kind kind, vec h[3], toi_random *random)
{
    static const int64_t one[3] = {1, 1, 1};
    const vec zero = {{0, 0, 0}};
    for (int i = 0; i < 3; ++i)
        h[i] = random_vec(s, s->reach, random);
    bool edges = kind == TOI_EDGE_EDGE;
    switch (s->shape) {
    case 0: // straight: a triangle without area, parallel edges
        h[2] = edges ? add(zero, random_int(random, -3, 3), h[1])
                     : add(h[0], random_int(random, -3, 3), add(h[1], -1, h[0]));
        break;
    case 1: // all but straight
        h[2] = add(edges ? h[1] : add(h[1], 1, add(h[1], -1, h[0])), 1, random_vec(s, one, random));
        break;
    case 2: // an edge without length
        h[1] = edges ? zero : h[0];
        break;
    case 3:
        h[2] = edges ? zero : h[1];
        break;
    case 4: // points
        h[1] = edges ? zero : h[0];
        h[2] = edges ? zero : h[0];
        break;
    case 5: // tiny beside the rest
        h[2] = edges ? random_vec(s, one, random) : add(h[0], 1, random_vec(s, one, random));
        h[1] = edges ? h[1] : add(h[0], 1, random_vec(s, one, random));
        break;
    default:
        break;
    }
}

static style random_style(toi_random *random)
{
    style s = {0};
    int bits = (int)random_int(random, 0, 30);
    int offset = chance(random, 2) ? 0 : (int)random_int(random, bits, 45);
    bool stays = chance(random, 3);
    for (int k = 0; k < 3; ++k) {
        int axis = chance(random, 3) ? (int)random_int(random, 0, bits) : bits;
        int speed = chance(random, 3) ? (int)random_int(random, 0, bits) : bits;
        s.reach[k] = (int64_t)1 << axis;
        s.speed[k] = (int64_t)1 << speed;
        if (offset > 0) {
            s.offset[0][k] = random_int(random, -15, 15) * ((int64_t)1 << offset);
            s.offset[1][k] =
                stays ? s.offset[0][k] : random_int(random, -15, 15) * ((int64_t)1 << offset);
        }
    }
    s.flat = chance(random, 3) ? (int)random_int(random, 1, FLAT_KINDS - 1) : 0;
    s.shape = (int)random_int(random, 0, SHAPE_KINDS - 1);
    s.motion = (int)random_int(random, 0, MOTION_KINDS - 1);
    return s;
}

// The shape at t = 1.
static void random_end(const style *s, toi_kind kind, const vec start[3], vec end[3],
                       toi_random *random)
{
    static const int64_t one[3] = {1, 1, 1};
    random_shape(s, kind, end, random);
    for (int i = 0; i < 3 && s->motion > 0; ++i)
        switch (s->motion) {
        case 1: // moves as it is, or not at all
            end[i] = start[i];
            break;
        case 2: // hardly moves
            end[i] = add(start[i], 1, random_vec(s, one, random));
            break;
        case 3: // turns inside out
            end[i] = add((vec){{0}}, -1, start[i]);
            break;
        default:
            break;
        }
}

// ---- Where and when

typedef struct place
{
    int r, q;
    int64_t u, v; // over 2^r
    int64_t t;    // over 2^q
} place;

static void random_place(toi_kind kind, place *p, toi_random *random)
{
    p->r = (int)random_int(random, 0, PLACE_BITS);
    int64_t whole = (int64_t)1 << p->r;
    p->u = random_int(random, 0, whole);
    p->v = random_int(random, 0, whole);
    switch (toi_random_below(random, 4)) {
    case 0: // a corner
        p->u = chance(random, 2) ? 0 : whole;
        p->v = chance(random, 2) ? 0 : whole;
        break;
    case 1: // a side
        if (chance(random, 2))
            p->u = kind == TOI_EDGE_EDGE && chance(random, 2) ? whole : 0;
        else
            p->v = kind == TOI_EDGE_EDGE && chance(random, 2) ? whole : 0;
        break;
    case 2: // the far side of a face
        p->v = kind == TOI_EDGE_EDGE ? p->v : whole - p->u;
        break;
    default:
        break;
    }
    if (kind == TOI_VERTEX_FACE && p->u + p->v > whole)
        p->v = whole - p->u;
}

static void random_time(const contact_recipe *recipe, place *p, toi_random *random)
{
    for (int attempt = 0; attempt < 20; ++attempt) {
        p->q = (int)random_int(random, 0, 10);
        p->t = random_int(random, 0, (int64_t)1 << p->q);
        if (chance(random, 8)) { // just after the start, just before the end
            p->q = (int)random_int(random, 11, 16);
            p->t = random_int(random, 0, 3);
            if (chance(random, 2))
                p->t = ((int64_t)1 << p->q) - p->t;
        }
        if (chance(random, 4))
            p->t = chance(random, 2) ? 0 : (int64_t)1 << p->q;
        if (ldexp((double)p->t, -p->q) <= recipe->latest)
            return;
    }
    p->t = 0;
}

// ---- Putting it together

static void store(const contact_recipe *recipe, const style *s, vec points[2][4], toi_query *query)
{
    for (int end = 0; end < 2; ++end)
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k) {
                double x = (double)(points[end][c].k[k] + s->offset[end][k]);
                (end ? query->end : query->start)[c][k] = ldexp(x, recipe->exponent);
            }
}

// A vector of maximum norm `gap`.
static vec random_gap(int64_t gap, toi_random *random)
{
    vec s = {{0}};
    bool straight = chance(random, 2); // Euclidean distance too
    for (int k = 0; k < 3 && !straight; ++k)
        s.k[k] = random_int(random, -gap, gap);
    s.k[toi_random_below(random, 3)] = chance(random, 2) ? gap : -gap;
    return s;
}

contact make_contact(const contact_recipe *recipe, toi_random *random)
{
    style s = random_style(random);
    place p;
    random_place(recipe->kind, &p, random);
    random_time(recipe, &p, random);
    int64_t whole = (int64_t)1 << p.r, steps = (int64_t)1 << p.q;
    vec h[2][3], points[2][4], w = random_vec(&s, s.speed, random);
    if (chance(random, 8))
        w = random_vec(&s, (const int64_t[3]){1, 1, 1}, random);
    vec gap = random_gap(recipe->gap, random);
    random_shape(&s, recipe->kind, h[0], random);
    random_end(&s, recipe->kind, h[0], h[1], random);
    for (int end = 0; end < 2; ++end) {
        vec apart = add(gap, end == 0 ? p.t : p.t - steps, w);
        const vec zero = {{0, 0, 0}}, *a = h[end];
        vec *x = points[end];
        if (recipe->kind == TOI_VERTEX_FACE) {
            for (int c = 0; c < 3; ++c)
                x[c + 1] = add(zero, whole, a[c]);
            x[0] = add(add(add(apart, whole - p.u - p.v, a[0]), p.u, a[1]), p.v, a[2]);
        } else {
            x[2] = add(zero, whole, a[0]);
            x[3] = add(x[2], whole, a[2]);
            x[0] = add(add(add(x[2], p.v, a[2]), 1, apart), -p.u, a[1]);
            x[1] = add(x[0], whole, a[1]);
        }
    }
    contact made = {.time = ldexp((double)p.t, -p.q),
                    .u = ldexp((double)p.u, -p.r),
                    .v = ldexp((double)p.v, -p.r),
                    .separation = ldexp((double)recipe->gap, recipe->exponent)};
    store(recipe, &s, points, &made.query);
    return made;
}

// ---- Dense integers

// The inverse of an odd number modulo 2^64, by Newton's iteration: the low bits double each time.
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 5; ++i)
        x *= 2 - odd * x;
    return x;
}

// A random x in [-reach, reach] with U x = rest modulo 2^r, for an odd U.
static int64_t random_congruent(const place *p, int64_t rest, int64_t reach, toi_random *random)
{
    uint64_t mask = ((uint64_t)1 << p->r) - 1;
    int64_t low = (int64_t)(inverse((uint64_t)p->u) * (uint64_t)rest & mask);
    return random_int(random, -reach, reach) * ((int64_t)1 << p->r) + low;
}

// One axis of one frame; `apart` as in make_contact(). False where a coordinate is too large.
static bool make_dense_axis(toi_kind kind, const place *p, int64_t reach, int64_t apart,
                            int64_t x[4], toi_random *random)
{
    const int64_t most = (int64_t)1 << 53, whole = (int64_t)1 << p->r;
    int64_t base = random_int(random, -reach, reach);
    int64_t g = random_int(random, -2 * reach, 2 * reach), along = (2 * reach) >> p->r;
    if (kind == TOI_VERTEX_FACE) { // the face is base, base + e, base + g
        int64_t e = random_congruent(p, -p->v * g, along, random);
        x[1] = base;
        x[2] = base + e;
        x[3] = base + g;
        x[0] = base + (p->u * e + p->v * g) / whole + apart;
    } else { // b is base, base + g; a is x, x + e
        int64_t e = random_congruent(p, p->v * g, along, random);
        x[2] = base;
        x[3] = base + g;
        x[0] = base + (p->v * g - p->u * e) / whole + apart;
        x[1] = x[0] + e;
    }
    bool fits = true;
    for (int c = 0; c < 4; ++c)
        fits &= x[c] <= most && x[c] >= -most;
    return fits;
}

contact make_dense_contact(const contact_recipe *recipe, toi_random *random)
{
    place p;
    do
        random_place(recipe->kind, &p, random);
    while (p.u % 2 == 0);
    random_time(recipe, &p, random);
    contact made = {.time = ldexp((double)p.t, -p.q),
                    .u = ldexp((double)p.u, -p.r),
                    .v = ldexp((double)p.v, -p.r)};
    for (int k = 0; k < 3; ++k) {
        int64_t x[2][4], reach = (int64_t)1 << (chance(random, 4) ? 50 : 53);
        bool fits;
        do {
            int64_t speed = reach >> p.q, w = random_int(random, -speed, speed);
            fits = make_dense_axis(recipe->kind, &p, reach, p.t * w, x[0], random) &&
                   make_dense_axis(recipe->kind, &p, reach, (p.t - ((int64_t)1 << p.q)) * w, x[1],
                                   random);
        } while (!fits);
        for (int c = 0; c < 4; ++c) {
            made.query.start[c][k] = ldexp((double)x[0][c], recipe->exponent);
            made.query.end[c][k] = ldexp((double)x[1][c], recipe->exponent);
        }
    }
    return made;
}

// ---- Arbitrary doubles

static double random_double(int exponent, int spread, toi_random *random)
{
    if (chance(random, 16))
        return 0;
    double x = chance(random, 2) ? toi_random_unit(random) : -toi_random_unit(random);
    return ldexp(x, exponent + (int)random_int(random, -spread, 0));
}

contact make_wild_contact(toi_kind kind, int exponent, int spread, toi_random *random)
{
    contact made = {.time = chance(random, 2)};
    double *x = &made.query.start[0][0];
    for (int i = 0; i < 24; ++i)
        x[i] = random_double(exponent, spread, random);
    int first = kind == TOI_EDGE_EDGE ? (int)toi_random_below(random, 2) : 0;
    int second = kind == TOI_EDGE_EDGE ? 2 + (int)toi_random_below(random, 2)
                                       : 1 + (int)toi_random_below(random, 3);
    if (made.time == 0 || chance(random, 8))
        memcpy(made.query.start[first], made.query.start[second], sizeof made.query.start[0]);
    if (made.time == 1 || chance(random, 8))
        memcpy(made.query.end[first], made.query.end[second], sizeof made.query.end[0]);
    if (kind == TOI_EDGE_EDGE) {
        made.u = first;
        made.v = second - 2;
    } else {
        made.u = second == 2;
        made.v = second == 3;
    }
    return made;
}

// Steps along the doubles, which in order have consecutive bits; negative ones count down from the
// sign bit.
static double step_double(double x, int64_t ulps)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits < 0 ? INT64_MIN - bits : bits) + ulps;
    bits = bits < 0 ? INT64_MIN - bits : bits;
    double result;
    memcpy(&result, &bits, sizeof result);
    return isfinite(result) ? result : x;
}

void nudge_query(toi_query *query, int64_t most_ulps, toi_random *random)
{
    double *x = &query->start[0][0];
    int count = (int)random_int(random, 1, 24);
    for (int n = 0; n < count; ++n) {
        double *at = &x[toi_random_below(random, 24)];
        if (*at == 0 && !chance(random, 16)) // the neighbours of 0 are denormal: now and then
            continue;
        *at = step_double(*at, random_int(random, -most_ulps, most_ulps));
    }
}
