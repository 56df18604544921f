// Root parity, exactCCD (Brochu, Edwards, Bridson, "Efficient geometrically exact continuous
// collision detection", 2012): is the number of contacts in the step odd? F maps the domain of
// (t, u, v), a prism or a cube, into space; a contact is a point of it that lands on the origin. A
// ray from the origin crosses the image of the domain's boundary as often, modulo two, as the
// domain covers the origin. Signs come from doubles where an error bound allows it, else from
// integers, so the answer is exact: docs/fast.md, section 7.

#include "kernel/separation.h"
#include "narrow/literature/literature.h"

#include <gmp.h>

enum
{
    DIRECTIONS = 8,
    NONE = -1 // no fourth corner: a triangle
};

// The domain's faces by their corners (kernel/separation.h numbers them), in order around the face.
static const int prism[][4] = {
    {0, 1, 2, NONE}, {3, 4, 5, NONE}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
static const int cube[][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                              {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}};

// Rays to try in turn, in no special direction; whole and small, so that products with them are
// too.
static const double directions[DIRECTIONS][3] = {{61, 37, -89},   {-53, 83, 29}, {97, -19, 43},
                                                 {-31, -71, 59},  {23, 79, 67},  {-73, 41, -47},
                                                 {13, -101, -17}, {-11, 7, 103}};

// F at the corners times a power of two, without rounding; room for what is computed from them.
typedef struct integers
{
    bool ready;
    mpz_t w[TOI_MAX_CORNERS][3];
    mpz_t normal[3][3], sum[4];
} integers;

typedef struct image
{
    toi_kind kind;
    const toi_query *query;
    int corners;
    double w[TOI_MAX_CORNERS][3]; // F at the domain's corners, scaled
    double size[3];
    const double *ray;
    double volume_error, side_error; // of volume() and side()
    integers exact;                  // made ready when first needed
} image;

// ---- Integers

// A double as a whole number times a power of two; zero has the largest exponent there is.
static double split(double x, int *exponent)
{
    double mantissa = frexp(x, exponent);
    *exponent = mantissa == 0 ? INT32_MAX : *exponent - 53;
    return ldexp(mantissa, 53);
}

static int least_exponent(const toi_query *query)
{
    int least = INT32_MAX;
    for (int i = 0; i < 24; ++i) {
        int exponent, at = i / 2;
        split(i % 2 ? query->end[at / 3][at % 3] : query->start[at / 3][at % 3], &exponent);
        least = exponent < least ? exponent : least;
    }
    return least;
}

static void set_integer(mpz_ptr to, double x, int least)
{
    int exponent;
    mpz_set_d(to, split(x, &exponent));
    if (mpz_sgn(to) != 0)
        mpz_mul_2exp(to, to, (mp_bitcnt_t)(exponent - least));
}

// At a corner F is the difference of two of the given points.
static void take_corner(const image *f, int corner, int least, mpz_t w[3])
{
    int half = f->corners / 2, c = corner % half;
    int to = f->kind == TOI_EDGE_EDGE ? c % 2 : 0,
        from = f->kind == TOI_EDGE_EDGE ? 2 + c / 2 : 1 + c;
    const double(*x)[3] = corner < half ? f->query->start : f->query->end;
    mpz_t other;
    mpz_init(other);
    for (int k = 0; k < 3; ++k) {
        set_integer(w[k], x[to][k], least);
        set_integer(other, x[from][k], least);
        mpz_sub(w[k], w[k], other);
    }
    mpz_clear(other);
}

static integers *take_integers(image *f)
{
    integers *z = &f->exact;
    if (z->ready)
        return z;
    z->ready = true;
    int least = least_exponent(f->query);
    for (int i = 0; i < TOI_MAX_CORNERS; ++i) {
        mpz_inits(z->w[i][0], z->w[i][1], z->w[i][2], NULL);
        if (i < f->corners)
            take_corner(f, i, least, z->w[i]);
    }
    for (int i = 0; i < 3; ++i)
        mpz_inits(z->normal[i][0], z->normal[i][1], z->normal[i][2], NULL);
    mpz_inits(z->sum[0], z->sum[1], z->sum[2], z->sum[3], NULL);
    return z;
}

static void free_integers(integers *z)
{
    if (!z->ready)
        return;
    for (int i = 0; i < TOI_MAX_CORNERS; ++i)
        mpz_clears(z->w[i][0], z->w[i][1], z->w[i][2], NULL);
    for (int i = 0; i < 3; ++i)
        mpz_clears(z->normal[i][0], z->normal[i][1], z->normal[i][2], NULL);
    mpz_clears(z->sum[0], z->sum[1], z->sum[2], z->sum[3], NULL);
}

static void exact_dot(mpz_t a[3], mpz_t b[3], mpz_t sum)
{
    mpz_mul(sum, a[0], b[0]);
    mpz_addmul(sum, a[1], b[1]);
    mpz_addmul(sum, a[2], b[2]);
}

static void exact_cross(mpz_t a[3], mpz_t b[3], mpz_t n[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(n[k], a[i], b[j]);
        mpz_submul(n[k], a[j], b[i]);
    }
}

static int exact_volume(image *f, int a, int b, int c, int place)
{
    integers *z = take_integers(f);
    exact_cross(z->w[b], z->w[c], z->normal[0]);
    exact_dot(z->w[a], z->normal[0], z->sum[place]);
    return mpz_sgn(z->sum[place]);
}

static int exact_side(image *f, int a, int b)
{
    integers *z = take_integers(f);
    exact_cross(z->w[a], z->w[b], z->normal[0]);
    for (int k = 0; k < 3; ++k)
        mpz_set_d(z->normal[1][k], f->ray[k]);
    exact_dot(z->normal[0], z->normal[1], z->sum[0]);
    return mpz_sgn(z->sum[0]);
}

// Is the origin on the line through a and b, or are they the same point?
static bool line_holds_origin(image *f, int a, int b)
{
    integers *z = take_integers(f);
    exact_cross(z->w[a], z->w[b], z->normal[0]);
    return mpz_sgn(z->normal[0][0]) == 0 && mpz_sgn(z->normal[0][1]) == 0 &&
           mpz_sgn(z->normal[0][2]) == 0;
}

static bool segment_holds_origin(image *f, int a, int b)
{
    integers *z = take_integers(f);
    exact_dot(z->w[a], z->w[b], z->sum[0]);
    return mpz_sgn(z->sum[0]) <= 0 && line_holds_origin(f, a, b);
}

// Is the origin in the closed triangle, given that it lies in its plane or the triangle has none?
static bool triangle_holds_origin(image *f, int a, int b, int c)
{
    integers *z = take_integers(f);
    const int ends[3][2] = {{a, b}, {b, c}, {c, a}};
    if (segment_holds_origin(f, a, b) || segment_holds_origin(f, b, c) ||
        segment_holds_origin(f, c, a))
        return true;
    for (int i = 0; i < 3; ++i)
        exact_cross(z->w[ends[i][0]], z->w[ends[i][1]], z->normal[i]);
    // On the same side of all three: the areas' normals point the same way.
    exact_dot(z->normal[0], z->normal[1], z->sum[0]);
    exact_dot(z->normal[1], z->normal[2], z->sum[1]);
    return mpz_sgn(z->sum[0]) > 0 && mpz_sgn(z->sum[1]) > 0;
}

// ---- Signs

// det(a, b, c), within volume_error of the true one.
static double volume(const image *f, int a, int b, int c)
{
    const double *x = f->w[a], *y = f->w[b], *z = f->w[c];
    return x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
           x[2] * (y[0] * z[1] - y[1] * z[0]);
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static int volume_sign(image *f, int a, int b, int c)
{
    double x = volume(f, a, b, c);
    return fabs(x) > f->volume_error ? sign_of(x) : exact_volume(f, a, b, c, 0);
}

// On which side of the ray the line from a to b passes: the sign of det(ray, a, b).
static int side(image *f, int a, int b)
{
    const double *r = f->ray, *x = f->w[a], *y = f->w[b];
    double sum = r[0] * (x[1] * y[2] - x[2] * y[1]) + r[1] * (x[2] * y[0] - x[0] * y[2]) +
                 r[2] * (x[0] * y[1] - x[1] * y[0]);
    return fabs(sum) > f->side_error ? sign_of(sum) : exact_side(f, a, b);
}

// The sign of (BCD)(ABD) - (ACD)(ABC), products of volumes: which side of a patch the origin is on.
static int exact_patch_side(image *f, const int at[4])
{
    exact_volume(f, at[1], at[2], at[3], 0);
    exact_volume(f, at[0], at[1], at[3], 1);
    exact_volume(f, at[0], at[2], at[3], 2);
    exact_volume(f, at[0], at[1], at[2], 3);
    mpz_t *sum = f->exact.sum;
    mpz_mul(sum[0], sum[0], sum[1]);
    mpz_submul(sum[0], sum[2], sum[3]);
    return mpz_sgn(sum[0]);
}

static int patch_side(image *f, const int at[4])
{
    double x[4] = {volume(f, at[1], at[2], at[3]), volume(f, at[0], at[1], at[3]),
                   volume(f, at[0], at[2], at[3]), volume(f, at[0], at[1], at[2])};
    double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + fabs(x[3]);
    double difference = x[0] * x[1] - x[2] * x[3];
    double error = 2 * f->volume_error * (size + f->volume_error) + TOI_TINY;
    return fabs(difference) > error ? sign_of(difference) : exact_patch_side(f, at);
}

// ---- Crossings

// What a ray says of a part of the boundary. Counts add up to the parity.
typedef enum crossing
{
    MISSED,
    CROSSED,
    GRAZED,  // the ray meets an edge or lies in the plane: try another
    TOUCHING // the origin is on the boundary
} crossing;

// The ray against a triangle that does not hold the origin.
static crossing cross_triangle(image *f, int a, int b, int c)
{
    int ab = side(f, a, b), bc = side(f, b, c);
    if (ab * bc < 0)
        return MISSED;
    int ca = side(f, c, a), either = ab != 0 ? ab : bc;
    if (ca * either < 0)
        return MISSED;
    int around = either != 0 ? either : ca, towards = volume_sign(f, a, b, c);
    if (around == 0 && line_holds_origin(f, a, b) && line_holds_origin(f, b, c) &&
        line_holds_origin(f, c, a))
        return MISSED; // no triangle but a line, which no ray meets but its own
    if (around * towards < 0)
        return MISSED; // behind the origin
    return ab * bc * ca * towards != 0 ? CROSSED : GRAZED;
}

static crossing cross_two(image *f, const int first[3], const int second[3])
{
    crossing x = cross_triangle(f, first[0], first[1], first[2]);
    crossing y = x == GRAZED ? GRAZED : cross_triangle(f, second[0], second[1], second[2]);
    return y == GRAZED ? GRAZED : (crossing)(x ^ y);
}

static crossing cross_face(image *f, const int at[4])
{
    if (volume_sign(f, at[0], at[1], at[2]) == 0 && triangle_holds_origin(f, at[0], at[1], at[2]))
        return TOUCHING;
    return cross_triangle(f, at[0], at[1], at[2]);
}

// A patch and either pair of triangles between its corners (ABC and ACD, or ABD and BCD) together
// enclose a part of the corners' tetrahedron, so the ray crosses both alike if the origin is not in
// there. The origin's barycentric coordinates in the tetrahedron are in proportion to its volumes
// with the faces; on the patch those of A and C have the same product as those of B and D.
static crossing cross_patch(image *f, const int at[4])
{
    int a = at[0], b = at[1], c = at[2], d = at[3];
    int signs[4] = {volume_sign(f, b, c, d), -volume_sign(f, a, c, d), volume_sign(f, a, b, d),
                    -volume_sign(f, a, b, c)};
    bool above = false, below = false;
    for (int i = 0; i < 4; ++i) {
        above |= signs[i] > 0;
        below |= signs[i] < 0;
    }
    int towards_ac = 0;
    if (above != below) {
        towards_ac = patch_side(f, at);
        if (towards_ac == 0)
            return TOUCHING;
    } else if (!above && // all in one plane: where the patch may fold, its hull is taken for it
               (triangle_holds_origin(f, a, b, c) || triangle_holds_origin(f, a, c, d) ||
                triangle_holds_origin(f, a, b, d) || triangle_holds_origin(f, b, c, d))) {
        return TOUCHING;
    }
    if (towards_ac > 0)
        return cross_two(f, (int[]){a, b, d}, (int[]){b, c, d});
    return cross_two(f, (int[]){a, b, c}, (int[]){a, c, d});
}

static crossing cross_boundary(image *f)
{
    int faces = f->kind == TOI_EDGE_EDGE ? 6 : 5, total = MISSED;
    const int(*table)[4] = f->kind == TOI_EDGE_EDGE ? cube : prism;
    for (int i = 0; i < faces; ++i) {
        crossing x = table[i][3] == NONE ? cross_face(f, table[i]) : cross_patch(f, table[i]);
        if (x == GRAZED || x == TOUCHING)
            return x;
        total ^= x;
    }
    return (crossing)total;
}

// ---- A query

static void take_image(toi_kind kind, const toi_query *query, image *f)
{
    toi_pair_motion m;
    toi_take_motion(kind, query, &m);
    f->kind = kind;
    f->query = query;
    f->corners = toi_corners(kind == TOI_EDGE_EDGE, &m, f->w);
    memcpy(f->size, m.size, sizeof f->size);
    f->volume_error = 96 * TOI_UNIT * f->size[0] * f->size[1] * f->size[2] + TOI_TINY;
    f->exact.ready = false;
}

static void take_ray(image *f, int direction)
{
    const double *r = f->ray = directions[direction], *s = f->size;
    double reach = fabs(r[0]) * s[1] * s[2] + fabs(r[1]) * s[2] * s[0] + fabs(r[2]) * s[0] * s[1];
    f->side_error = 24 * TOI_UNIT * reach + TOI_TINY;
}

void toi_solve_parity(const toi_narrow_batch *batch)
{
    for (int64_t i = 0; i < batch->count; ++i) {
        toi_query_result *result = &batch->results[i];
        image f;
        take_image(batch->kind, &batch->queries[i], &f);
        crossing x = GRAZED;
        for (int n = 0; n < DIRECTIONS && x == GRAZED; ++n) {
            take_ray(&f, n);
            x = cross_boundary(&f);
        }
        free_integers(&f.exact);
        *result = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
        if (x == MISSED)
            continue;
        // When they touch it does not say: zero is not late.
        result->state = x == GRAZED ? TOI_UNDECIDED : TOI_HIT;
        result->time = 0;
        result->contacts = batch->def->all_roots && x != GRAZED;
    }
}
