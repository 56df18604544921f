// Why the twin is right.
//
// The differences w_i(t) of the corners of the first primitive and those of the second span a
// triangle (vertex-face), a parallelogram (edge-edge: two triangles on a diagonal), a segment or a
// point, and the distance of the primitives is that of the origin from it. Contact at a distance s
// with a union is contact with one of its parts, and the first time is the earliest of theirs. So
// all that is asked is when a simplex of at most three moving points comes as close to the origin
// as s. Everything follows from the products g_ij = w_i . w_j, polynomials of degree 2 in t:
//
//     a_ij = w_i . (w_j - w_i) = g_ij - g_ii
//            not negative: from w_i towards w_j the distance does not fall
//     b_k  = a_ik |e|^2 - a_ij (e . f) with e = w_j - w_i, f = w_k - w_i
//            |e|^2 times the product of w_k - w_i and the perpendicular from the origin to the line
//            ij; not negative: from that line towards w_k the distance does not fall
//
// Closest feature. The closest point of a simplex is in the relative interior of the hull of some
// affinely independent corners S (take as few as possible), and it is then the closest point of
// their affine hull. Conversely, for convex figures a point from which the distance falls towards
// no corner is the closest. So S is closest where
//     S = {i}:       a_ij >= 0 for the others j;
//     S = {i, j}:    a_ij < 0 and a_ji < 0, which is inside, and b_k >= 0 for the third;
//     S = {i, j, k}: b_i, b_j, b_k < 0: these are minus the barycentric coordinates, times |e x
//     f|^2.
// Strict signs keep out edges without length (a_ij = 0) and faces without area (b = 0).
//
// Cells. Between neighbouring roots of all a_ij and b_k that are not zero for all t, every one of
// them keeps its sign. So S, found at any one time in between, is closest in all of the open cell.
// The square of the distance is there n / m, with
//     n = g_ii, m = 1;   n = g_ii g_jj - g_ij^2, m = |e|^2;   n = det(g), m = -(b_i + b_j + b_k),
// m > 0. The distance is continuous, so n / m has a limit at the cell's ends, even where m is zero
// there; divided by their greatest common divisor c, m / c is not zero there. Both n and m are not
// negative for any real t, so their real roots have even order, and c does not change its sign. So
// in all of the closed cell the distance is above, at or below s where h = (n - s^2 m) / c is
// positive, zero or negative.
//
// Sweep. If n <= s^2 m for the feature that is closest at t = 0 the time is 0. Else the distance is
// above s at the start of the first cell, and cell by cell: the first root of h after the cell's
// start and not after its end is the answer; if there is none, the distance is above s at the start
// of the next.
//
// Doubles are whole multiples of a power of two, so all coefficients are integers; moments.c finds
// and orders roots without an error, and no step narrows down what might be equal.

#include "exact/apart_twin.h"

#include "exact/moments.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- Moving points

enum
{
    CORNERS = 3, // at most, of a simplex
    FEATURES = 1 << CORNERS
};

// The parts of the differences' hull: difference i of a part is of these two points of the query.
typedef struct part_list
{
    int parts, corners;
    int first[2][CORNERS], second[2][CORNERS];
} part_list;

static const part_list part_lists[TOI_KIND_COUNT] = {
    [TOI_VERTEX_FACE] = {1, 3, {{0, 0, 0}}, {{1, 2, 3}}},
    [TOI_EDGE_EDGE] = {2, 3, {{0, 0, 1}, {0, 1, 1}}, {{2, 3, 3}, {2, 3, 2}}},
    [TOI_POINT_EDGE] = {1, 2, {{0, 0}}, {{1, 2}}},
    [TOI_POINT_POINT] = {1, 1, {{0}}, {{1}}},
};

// What is found of a feature when it is first met as the closest.
typedef struct feature
{
    bool ready; // the members below are
    poly above; // h
    moments roots;
} feature;

typedef struct simplex
{
    int corners;
    int unit;           // lengths are multiples of 2^unit
    poly w[CORNERS][3]; // the coordinates
    poly g[CORNERS][CORNERS];
    poly a[CORNERS][CORNERS];
    poly b[CORNERS];
    poly n[FEATURES], m[FEATURES]; // by the set S of corners, a bit each
    feature features[FEATURES];
} simplex;

static void visit_polys(simplex *x, void visit(poly *))
{
    for (int i = 0; i < CORNERS; ++i) {
        visit(&x->b[i]);
        for (int j = 0; j < CORNERS; ++j) {
            visit(&x->w[i][j]);
            visit(&x->g[i][j]);
            visit(&x->a[i][j]);
        }
    }
    for (int set = 0; set < FEATURES; ++set) {
        visit(&x->n[set]);
        visit(&x->m[set]);
        visit(&x->features[set].above);
    }
}

// value = k 2^exponent, with an odd k, or 0.
static int split(double value, mpz_t k)
{
    int exponent;
    mpz_set_d(k, ldexp(frexp(value, &exponent), 53));
    mp_bitcnt_t zeros = mpz_sgn(k) != 0 ? mpz_scan1(k, 0) : 0;
    mpz_fdiv_q_2exp(k, k, zeros);
    return exponent - 53 + (int)zeros;
}

// The largest power of two of which all differences of a part's coordinates are multiples is not
// less than this.
static int find_unit(const part_list *list, int part, const toi_query *query)
{
    int unit = INT16_MAX;
    mpz_t k;
    mpz_init(k);
    for (int i = 0; i < 12 * list->corners; ++i) {
        int corner = i / 12, side = i / 6 % 2, end = i / 3 % 2;
        int point = (side ? list->second : list->first)[part][corner];
        double value = (end ? query->end : query->start)[point][i % 3];
        int exponent = split(value, k);
        unit = value != 0 && exponent < unit ? exponent : unit;
    }
    mpz_clear(k);
    return unit < INT16_MAX ? unit : 0;
}

// a - b in units of 2^unit
static void subtract(double a, double b, int unit, mpz_t difference)
{
    mpz_t k;
    mpz_init(k);
    mpz_set_ui(difference, 0);
    for (int i = 0; i < 2; ++i) {
        int exponent = split(i ? b : a, k);
        if (mpz_sgn(k) == 0)
            continue;
        mpz_mul_2exp(k, k, (mp_bitcnt_t)(exponent - unit));
        if (i)
            mpz_sub(difference, difference, k);
        else
            mpz_add(difference, difference, k);
    }
    mpz_clear(k);
}

// Powers of two that all coordinates have in common only make the integers longer.
static void shorten(simplex *x)
{
    mp_bitcnt_t zeros = 0;
    bool any = false;
    for (int i = 0; i < 6 * x->corners; ++i) {
        mpz_t *c = &x->w[i / 6][i / 2 % 3].c[i % 2];
        if (mpz_sgn(*c) != 0 && (!any || mpz_scan1(*c, 0) < zeros))
            zeros = mpz_scan1(*c, 0);
        any = any || mpz_sgn(*c) != 0;
    }
    for (int i = 0; i < 6 * x->corners; ++i) {
        mpz_t *c = &x->w[i / 6][i / 2 % 3].c[i % 2];
        mpz_fdiv_q_2exp(*c, *c, zeros);
    }
    x->unit += (int)zeros;
}

static void take_coordinates(simplex *x, const part_list *list, int part, const toi_query *query)
{
    x->unit = find_unit(list, part, query);
    x->corners = list->corners;
    for (int i = 0; i < x->corners; ++i)
        for (int k = 0; k < 3; ++k) {
            int p = list->first[part][i], q = list->second[part][i];
            poly *w = &x->w[i][k];
            subtract(query->start[p][k], query->start[q][k], x->unit, w->c[0]);
            subtract(query->end[p][k], query->end[q][k], x->unit, w->c[1]);
            mpz_sub(w->c[1], w->c[1], w->c[0]);
        }
    shorten(x);
    for (int i = 0; i < 3 * x->corners; ++i)
        find_degree(&x->w[i / 3][i % 3], 1);
}

// ---- The polynomials

// f += sign * p
static void add(poly *f, int sign, const poly *p)
{
    for (int i = 0; i <= p->degree; ++i)
        if (sign > 0)
            mpz_add(f->c[i], f->c[i], p->c[i]);
        else
            mpz_sub(f->c[i], f->c[i], p->c[i]);
    find_degree(f, MOST_DEGREE);
}

// f += sign * p * q
static void add_product(poly *f, int sign, const poly *p, const poly *q)
{
    for (int i = 0; i <= p->degree; ++i)
        for (int j = 0; j <= q->degree; ++j)
            if (sign > 0)
                mpz_addmul(f->c[i + j], p->c[i], q->c[j]);
            else
                mpz_submul(f->c[i + j], p->c[i], q->c[j]);
    find_degree(f, MOST_DEGREE);
}

static void find_products(simplex *x)
{
    for (int i = 0; i < x->corners; ++i)
        for (int j = 0; j < x->corners; ++j)
            for (int k = 0; k < 3; ++k)
                add_product(&x->g[i][j], 1, &x->w[i][k], &x->w[j][k]);
    for (int i = 0; i < x->corners; ++i)
        for (int j = 0; j < x->corners; ++j) {
            add(&x->a[i][j], 1, &x->g[i][j]);
            add(&x->a[i][j], -1, &x->g[i][i]);
        }
}

static void find_edge(simplex *x, int i, int j)
{
    poly *n = &x->n[1 << i | 1 << j], *m = &x->m[1 << i | 1 << j];
    add_product(n, 1, &x->g[i][i], &x->g[j][j]);
    add_product(n, -1, &x->g[i][j], &x->g[i][j]);
    add(m, -1, &x->a[i][j]); // |e|^2 = g_ii - 2 g_ij + g_jj
    add(m, -1, &x->a[j][i]);
}

// b_k of the line through corners i and j.
static void find_third(simplex *x, int i, int j, int k)
{
    poly across; // e . f = g_jk - g_ij - a_ik
    poly_init(&across);
    add(&across, 1, &x->g[j][k]);
    add(&across, -1, &x->g[i][j]);
    add(&across, -1, &x->a[i][k]);
    add_product(&x->b[k], 1, &x->a[i][k], &x->m[1 << i | 1 << j]);
    add_product(&x->b[k], -1, &x->a[i][j], &across);
    poly_clear(&across);
}

// det(g), by its first row.
static void find_determinant(simplex *x, poly *n)
{
    for (int k = 0; k < 3; ++k) {
        int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        poly minor;
        poly_init(&minor);
        add_product(&minor, 1, &x->g[1][k1], &x->g[2][k2]);
        add_product(&minor, -1, &x->g[1][k2], &x->g[2][k1]);
        add_product(n, 1, &x->g[0][k], &minor);
        poly_clear(&minor);
    }
}

static void find_features(simplex *x)
{
    for (int i = 0; i < x->corners; ++i) {
        add(&x->n[1 << i], 1, &x->g[i][i]);
        mpz_set_ui(x->m[1 << i].c[0], 1);
        x->m[1 << i].degree = 0;
        for (int j = i + 1; j < x->corners; ++j)
            find_edge(x, i, j);
    }
    if (x->corners < 3)
        return;
    for (int k = 0; k < 3; ++k) {
        find_third(x, (k + 1) % 3, (k + 2) % 3, k);
        add(&x->m[7], -1, &x->b[k]);
    }
    find_determinant(x, &x->n[7]);
}

static void simplex_init(simplex *x, toi_kind kind, int part, const toi_query *query)
{
    visit_polys(x, poly_init);
    for (int set = 0; set < FEATURES; ++set) {
        x->features[set].ready = false;
        x->features[set].roots.count = 0;
    }
    take_coordinates(x, &part_lists[kind], part, query);
    find_products(x);
    find_features(x);
}

static void clear_moments(moments *list)
{
    for (int i = 0; i < list->count; ++i)
        moment_clear(&list->at[i]);
}

static void simplex_clear(simplex *x)
{
    for (int set = 0; set < FEATURES; ++set)
        clear_moments(&x->features[set].roots);
    visit_polys(x, poly_clear);
}

// ---- The closest feature

static bool is_closest(const simplex *x, int set, moment *t)
{
    int size = (set & 1) + (set >> 1 & 1) + (set >> 2 & 1);
    for (int i = 0; i < x->corners; ++i) {
        bool inside = set >> i & 1;
        if (size == 3 && sign_at(&x->b[i], t) >= 0)
            return false;
        if (size == 2 && !inside && sign_at(&x->b[i], t) < 0)
            return false;
        for (int j = 0; j < x->corners; ++j) {
            if (size == 1 && inside && j != i && sign_at(&x->a[i][j], t) < 0)
                return false;
            if (size == 2 && inside && j != i && set >> j & 1 && sign_at(&x->a[i][j], t) >= 0)
                return false;
        }
    }
    return true;
}

// The set of corners; `guess` is looked at first.
static int find_closest(const simplex *x, int guess, moment *t)
{
    if (guess > 0 && is_closest(x, guess, t))
        return guess;
    for (int set = 1; set < 1 << x->corners; ++set)
        if (set != guess && is_closest(x, set, t))
            return set;
    fprintf(stderr, "apart twin: no feature is closest\n");
    abort();
}

// factor = the square of `length` over 2^unit, where that is a whole number; else the square over a
// power of two, whose exponent is returned.
static mp_bitcnt_t take_square(double length, int unit, mpz_t factor)
{
    int exponent = split(length, factor) - unit;
    mpz_mul(factor, factor, factor);
    if (mpz_sgn(factor) == 0)
        return 0;
    if (exponent >= 0)
        mpz_mul_2exp(factor, factor, 2 * (mp_bitcnt_t)exponent);
    return exponent >= 0 ? 0 : 2 * (mp_bitcnt_t)-exponent;
}

// h = (n - s^2 m) / c, up to a positive factor.
static void find_above(const simplex *x, int set, double s, poly *h)
{
    const poly *n = &x->n[set], *m = &x->m[set];
    mpz_t square;
    mpz_init(square);
    mp_bitcnt_t bits = take_square(s, x->unit, square);
    if (n->degree < 0) { // the distance is zero
        mpz_set_si(h->c[0], -1);
        h->degree = s > 0 ? 0 : -1;
    } else {
        for (int i = 0; i <= MOST_DEGREE; ++i) {
            mpz_mul_2exp(h->c[i], n->c[i], bits);
            mpz_submul(h->c[i], square, m->c[i]);
        }
        find_degree(h, MOST_DEGREE);
        divide_by_common(h, n, m);
    }
    mpz_clear(square);
}

static feature *take_feature(simplex *x, int set, double s)
{
    feature *f = &x->features[set];
    if (!f->ready) {
        find_above(x, set, s, &f->above);
        add_roots(&f->roots, &f->above);
        f->ready = true;
    }
    return f;
}

// ---- The sweep

// 0, 1, and every time between them at which the closest feature can change.
static void find_cells(const simplex *x, moments *cells)
{
    mpz_t k;
    mpz_init(k);
    add_moment(cells, k, 0);
    mpz_set_ui(k, 1);
    add_moment(cells, k, 0);
    mpz_clear(k);
    for (int i = 0; i < x->corners; ++i) {
        add_roots(cells, &x->b[i]);
        for (int j = 0; j < x->corners; ++j)
            if (i != j)
                add_roots(cells, &x->a[i][j]);
    }
}

// The first root of the feature after `start` and not after `end`; NULL if there is none.
static moment *find_root(feature *f, moment *start, moment *end)
{
    for (int i = 0; i < f->roots.count; ++i) {
        moment *root = &f->roots.at[i];
        if (compare_moments(root, start) > 0)
            return compare_moments(root, end) <= 0 ? root : NULL;
    }
    return NULL;
}

static void take_time(moment *m, apart_answer *answer)
{
    answer->hit = true;
    answer->time = floor_of(m, &answer->time_is_exact);
}

static apart_answer sweep(simplex *x, moments *cells, double s)
{
    apart_answer answer = {.time = INFINITY};
    moment between;
    moment_init(&between);
    int set = 0;
    for (int i = 0; i + 1 < cells->count && !answer.hit; ++i) {
        moment *start = &cells->at[i], *end = &cells->at[i + 1];
        find_between(start, end, &between);
        set = find_closest(x, set, &between);
        feature *f = take_feature(x, set, s);
        bool last = i + 2 == cells->count;
        moment *root = find_root(f, start, end);
        if (root)
            take_time(root, &answer);
        else if (last && sign_at(&f->above, end) == 0) // add_roots() leaves out 0 and 1
            take_time(end, &answer);
    }
    moment_clear(&between);
    return answer;
}

// On some axis all differences are more than s, or less than -s, at both ends, and so at all times.
static bool axis_separates(const simplex *x, double s)
{
    mpz_t square, end;
    mpz_inits(square, end, NULL);
    mp_bitcnt_t bits = take_square(s, x->unit, square);
    bool separates = false;
    for (int k = 0; k < 3 && !separates; ++k) {
        int above = 0, below = 0;
        for (int i = 0; i < 2 * x->corners; ++i) {
            const poly *w = &x->w[i / 2][k];
            mpz_set(end, w->c[0]);
            if (i % 2)
                mpz_add(end, end, w->c[1]);
            int sign = mpz_sgn(end);
            mpz_mul(end, end, end);
            mpz_mul_2exp(end, end, bits);
            bool beyond = mpz_cmp(end, square) > 0;
            above += beyond && sign > 0;
            below += beyond && sign < 0;
        }
        separates = above == 2 * x->corners || below == 2 * x->corners;
    }
    mpz_clears(square, end, NULL);
    return separates;
}

// Is the distance at t = 0 at most s?
static bool starts_within(const simplex *x, double s)
{
    moment start;
    moment_init(&start);
    int set = find_closest(x, 0, &start);
    mpz_t above, square;
    mpz_inits(above, square, NULL);
    mpz_mul_2exp(above, x->n[set].c[0], take_square(s, x->unit, square));
    mpz_submul(above, square, x->m[set].c[0]);
    bool within = mpz_sgn(above) <= 0;
    mpz_clears(above, square, NULL);
    moment_clear(&start);
    return within;
}

static apart_answer decide_part(toi_kind kind, int part, const toi_query *query, double s)
{
    apart_answer answer = {.time = INFINITY};
    simplex x;
    simplex_init(&x, kind, part, query);
    if (starts_within(&x, s)) {
        answer = (apart_answer){.hit = true, .time_is_exact = true};
    } else if (!axis_separates(&x, s)) {
        moments cells = {.count = 0};
        find_cells(&x, &cells);
        answer = sweep(&x, &cells, s);
        clear_moments(&cells);
    }
    simplex_clear(&x);
    return answer;
}

// ---- Distances at t = 0

// The square of the distance of the nearest part, as a fraction n / m times 4^unit.
typedef struct distance_square
{
    mpz_t n, m;
    int unit;
} distance_square;

// -1, 0 or 1: the order of two of them.
static int compare_squares(const distance_square *a, const distance_square *b)
{
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul(left, a->n, b->m);
    mpz_mul(right, b->n, a->m);
    int shift = 2 * (a->unit - b->unit);
    if (shift > 0)
        mpz_mul_2exp(left, left, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(right, right, (mp_bitcnt_t)-shift);
    int order = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return (order > 0) - (order < 0);
}

static void find_part_square(toi_kind kind, int part, const toi_query *query, distance_square *d)
{
    simplex x;
    moment start;
    simplex_init(&x, kind, part, query);
    moment_init(&start);
    int set = find_closest(&x, 0, &start);
    mpz_set(d->n, x.n[set].c[0]);
    mpz_set(d->m, x.m[set].c[0]);
    d->unit = x.unit;
    moment_clear(&start);
    simplex_clear(&x);
}

static void find_square(toi_kind kind, const toi_query *query, distance_square *d)
{
    distance_square other;
    mpz_inits(d->n, d->m, other.n, other.m, NULL);
    find_part_square(kind, 0, query, d);
    for (int part = 1; part < part_lists[kind].parts; ++part) {
        find_part_square(kind, part, query, &other);
        if (compare_squares(&other, d) < 0) {
            mpz_swap(d->n, other.n);
            mpz_swap(d->m, other.m);
            d->unit = other.unit;
        }
    }
    mpz_clears(other.n, other.m, NULL);
}

// The whole part of the root of n / m 4^shift.
static void scaled_root(const distance_square *d, int shift, mpz_t root)
{
    mpz_t m;
    mpz_init_set(m, d->m);
    mpz_set(root, d->n);
    if (shift > 0)
        mpz_mul_2exp(root, root, 2 * (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(m, m, 2 * (mp_bitcnt_t)-shift);
    mpz_fdiv_q(root, root, m);
    mpz_sqrt(root, root);
    mpz_clear(m);
}

// 53 bits of the root, fewer where the double is denormal: the whole part of root / 2^exponent.
static double floor_of_root(const distance_square *d)
{
    if (mpz_sgn(d->n) == 0)
        return 0;
    mpz_t root;
    mpz_init(root);
    int bits = ((int)mpz_sizeinbase(d->n, 2) - (int)mpz_sizeinbase(d->m, 2)) / 2;
    int exponent = bits + d->unit - 56; // of the last bit; the root then has some 55 bits
    for (int most = DBL_MANT_DIG;;) {
        exponent = exponent < -1074 ? -1074 : exponent;
        scaled_root(d, d->unit - exponent, root);
        int size = mpz_sgn(root) == 0 ? 0 : (int)mpz_sizeinbase(root, 2);
        if (size <= most)
            break;
        exponent += size - most;
    }
    double value =
        exponent + DBL_MANT_DIG > DBL_MAX_EXP ? DBL_MAX : ldexp(mpz_get_d(root), exponent);
    mpz_clear(root);
    return value;
}

static void clear_square(distance_square *d)
{
    mpz_clears(d->n, d->m, NULL);
}

double twin_distance(toi_kind kind, const toi_query *query)
{
    distance_square d;
    find_square(kind, query, &d);
    double distance = floor_of_root(&d);
    clear_square(&d);
    return distance;
}

static bool is_within(toi_kind kind, const toi_query *query, double length)
{
    distance_square d, other;
    find_square(kind, query, &d);
    mpz_inits(other.n, other.m, NULL);
    other.unit = split(length, other.n);
    mpz_mul(other.n, other.n, other.n);
    mpz_set_ui(other.m, 1);
    bool within = compare_squares(&d, &other) <= 0;
    clear_square(&d);
    clear_square(&other);
    return within;
}

// ---- All parts

static apart_answer decide(toi_kind kind, const toi_query *query, double s, double t_max)
{
    apart_answer answer = {.time = INFINITY};
    for (int part = 0; part < part_lists[kind].parts; ++part) {
        apart_answer other = decide_part(kind, part, query, s);
        bool same_floor = other.time == answer.time;
        if (other.hit && (other.time < answer.time || (same_floor && other.time_is_exact)))
            answer = other;
    }
    if (!(answer.time <= t_max))
        answer = (apart_answer){.time = INFINITY};
    answer.separation = s;
    return answer;
}

apart_answer twin_apart(toi_kind kind, const toi_query *query, double separation, double t_max)
{
    apart_answer answer = decide(kind, query, separation, t_max);
    answer.starts_inside = answer.hit && answer.time == 0 && answer.time_is_exact;
    return answer;
}

apart_answer twin_apart_relative(toi_kind kind, const toi_query *query, double d_min, double share,
                                 double t_max)
{
    bool inside = is_within(kind, query, d_min);
    double d0 = twin_distance(kind, query), s = d_min;
    if (share > 0)
        s = inside ? share * d0 : d_min + share * (d0 - d_min);
    apart_answer answer = decide(kind, query, s, t_max);
    answer.starts_inside = inside;
    return answer;
}
