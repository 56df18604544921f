// Why the twin is right.
//
// Take the differences w_i(t) of the corners of the first primitive and those of the second: three
// for vertex-face, four for edge-edge, two for point-edge, one for point-point. The primitives
// touch at t where the origin lies in the convex hull of the w_i(t): a triangle, a parallelogram
// (two triangles on a diagonal), a segment, a point. So all that is asked is whether a simplex of
// at most three moving points holds the origin.
//
// By Caratheodory's theorem it does if and only if some of its corners have a linear dependency
// that is unique up to a factor and has positive coefficients only:
//     one corner:    it is zero;
//     two corners:   they are parallel (all 2x2 minors are zero) and of opposite signs, coordinate
//                    by coordinate;
//     three corners: their determinant is zero, and in some coordinate plane the minors (w_j, w_k),
//                    (w_k, w_i), (w_i, w_j) are of one sign and not zero. By Cramer's rule they are
//                    the coefficients of the dependency within that plane, and the span of the
//                    three, being of dimension two, projects to that plane one to one.
// Whether they touch is thus a function of the signs of finitely many polynomials in t: coordinates
// (degree 1), minors (degree 2) and the determinant (degree 3). It can change at their roots only.
// The twin isolates those roots in [0, 1] (square-free part, Descartes' rule, bisection), puts them
// in order, and takes the signs at each of them and at a number between each two neighbours. Where
// the determinant is not zero for all t, its roots are enough, for there is no contact elsewhere;
// the same goes for a minor of a segment and a coordinate of a point.
//
// Doubles are whole multiples of a power of two, and contact does not depend on scale, so all
// coefficients are integers, and moments.c finds the signs at roots without an error.

#include "exact/twin.h"

#include "exact/moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- The moving points and their polynomials

// Which simplices the hull of the differences is made of: -1 ends the corners of one.
typedef struct hull
{
    int points;              // how many differences
    int first[4], second[4]; // difference i is of these two points of the query
    int simplices;
    int corners[2][3];
} hull;

static const hull hulls[TOI_KIND_COUNT] = {
    [TOI_VERTEX_FACE] = {3, {0, 0, 0}, {1, 2, 3}, 1, {{0, 1, 2}}},
    [TOI_EDGE_EDGE] = {4, {0, 0, 1, 1}, {2, 3, 3, 2}, 2, {{0, 1, 2}, {0, 2, 3}}},
    [TOI_POINT_EDGE] = {2, {0, 0}, {1, 2}, 1, {{0, 1, -1}}},
    [TOI_POINT_POINT] = {1, {0}, {1}, 1, {{0, -1, -1}}},
};

typedef struct scene
{
    const hull *shape;
    poly coordinate[4][3]; // of difference i
    poly minor[4][4][3];   // of differences i < j, on the plane without axis k
    poly determinant;      // of differences 0, 1, 2; zero where there are fewer
} scene;

// The coordinates of points as integers, all by the same factor.
static void take_integers(const toi_query *query, const hull *shape, mpz_t x[2][4][3])
{
    int least = 2000, exponent;
    bool used[4] = {false};
    for (int i = 0; i < shape->points; ++i)
        used[shape->first[i]] = used[shape->second[i]] = true;
    for (int i = 0; i < 24; ++i) {
        double value = (&query->start[0][0])[i];
        frexp(value, &exponent);
        if (used[i / 3 % 4] && value != 0 && exponent < least)
            least = exponent;
    }
    for (int i = 0; i < 24; ++i) {
        double value = used[i / 3 % 4] ? (&query->start[0][0])[i] : 0;
        mpz_t *integer = &x[i / 12][i / 3 % 4][i % 3];
        mpz_init(*integer);
        mpz_set_d(*integer, ldexp(frexp(value, &exponent), 53));
        if (value != 0)
            mpz_mul_2exp(*integer, *integer, (mp_bitcnt_t)(exponent - least));
    }
}

static void find_coordinates(scene *s, const toi_query *query)
{
    mpz_t x[2][4][3];
    take_integers(query, s->shape, x);
    for (int i = 0; i < s->shape->points; ++i)
        for (int k = 0; k < 3; ++k) {
            int a = s->shape->first[i], b = s->shape->second[i];
            poly *w = &s->coordinate[i][k];
            mpz_sub(w->c[0], x[0][a][k], x[0][b][k]);
            mpz_sub(w->c[1], x[1][a][k], x[1][b][k]);
            mpz_sub(w->c[1], w->c[1], w->c[0]);
            find_degree(w, 1);
        }
    for (int i = 0; i < 24; ++i)
        mpz_clear(x[i / 12][i / 3 % 4][i % 3]);
}

// f += sign * a * b
static void add_product(poly *f, int sign, const poly *a, const poly *b)
{
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j)
            if (sign > 0)
                mpz_addmul(f->c[i + j], a->c[i], b->c[j]);
            else
                mpz_submul(f->c[i + j], a->c[i], b->c[j]);
}

// Is the segment of differences i < j a side of a simplex, or a diagonal that cuts the hull?
static bool is_side(const hull *shape, int i, int j)
{
    return j < shape->points && !(i == 1 && j == 3);
}

static void find_minors(scene *s)
{
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            for (int k = 0; k < 3 && is_side(s->shape, i, j); ++k) {
                int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
                poly *minor = &s->minor[i][j][k];
                add_product(minor, 1, &s->coordinate[i][k1], &s->coordinate[j][k2]);
                add_product(minor, -1, &s->coordinate[i][k2], &s->coordinate[j][k1]);
                find_degree(minor, 2);
            }
    for (int k = 0; k < 3 && s->shape->points >= 3; ++k)
        add_product(&s->determinant, 1, &s->coordinate[0][k], &s->minor[1][2][k]);
    find_degree(&s->determinant, 3);
}

// Calls `visit` for each polynomial of the scene.
static void visit_polys(scene *s, void visit(poly *))
{
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            visit(&s->coordinate[i][k]);
            for (int j = i + 1; j < 4; ++j)
                visit(&s->minor[i][j][k]);
        }
    visit(&s->determinant);
}

static void scene_init(scene *s, toi_kind kind, const toi_query *query)
{
    s->shape = &hulls[kind];
    visit_polys(s, poly_init);
    find_coordinates(s, query);
    find_minors(s);
}

static void scene_clear(scene *s)
{
    visit_polys(s, poly_clear);
}

// ---- Contact at a moment

static bool is_zero_vector(const scene *s, int i, moment *m)
{
    return sign_at(&s->coordinate[i][0], m) == 0 && sign_at(&s->coordinate[i][1], m) == 0 &&
           sign_at(&s->coordinate[i][2], m) == 0;
}

// Are differences i < j parallel and opposite?
static bool are_opposite(const scene *s, int i, int j, moment *m)
{
    for (int k = 0; k < 3; ++k)
        if (sign_at(&s->coordinate[i][k], m) != -sign_at(&s->coordinate[j][k], m))
            return false;
    for (int k = 0; k < 3; ++k)
        if (sign_at(&s->minor[i][j][k], m) != 0)
            return false;
    return true;
}

// Is the origin strictly inside the triangle of differences a < b < c? Their determinant is zero at
// the moment: that of any three corners of a parallelogram is the determinant up to a sign.
static bool is_inside(const scene *s, int a, int b, int c, moment *m)
{
    for (int k = 0; k < 3; ++k) {
        int sign = sign_at(&s->minor[a][b][k], m);
        if (sign != 0 && sign_at(&s->minor[b][c][k], m) == sign &&
            sign_at(&s->minor[a][c][k], m) == -sign)
            return true;
    }
    return false;
}

static bool touches(const scene *s, moment *m)
{
    if (sign_at(&s->determinant, m) != 0)
        return false;
    const hull *shape = s->shape;
    for (int n = 0; n < shape->simplices; ++n) {
        const int *c = shape->corners[n];
        if (c[2] >= 0 && is_inside(s, c[0], c[1], c[2], m))
            return true;
    }
    for (int i = 0; i < shape->points; ++i) {
        if (is_zero_vector(s, i, m))
            return true;
        for (int j = i + 1; j < shape->points; ++j)
            if (is_side(shape, i, j) && are_opposite(s, i, j, m))
                return true;
    }
    return false;
}

// ---- The whole step

// On some axis all differences have the same sign at both ends, and so at all times.
static bool axis_separates(const scene *s)
{
    for (int k = 0; k < 3; ++k) {
        int positive = 0, negative = 0;
        for (int i = 0; i < s->shape->points; ++i) {
            const poly *w = &s->coordinate[i][k];
            mpz_t end;
            mpz_init(end);
            mpz_add(end, w->c[0], w->c[1]);
            positive += (mpz_sgn(w->c[0]) > 0) + (mpz_sgn(end) > 0);
            negative += (mpz_sgn(w->c[0]) < 0) + (mpz_sgn(end) < 0);
            mpz_clear(end);
        }
        if (positive == 2 * s->shape->points || negative == 2 * s->shape->points)
            return true;
    }
    return false;
}

// A polynomial that is zero whenever there is a contact, but not at all times; NULL where there is
// none.
static const poly *find_necessary(const scene *s)
{
    for (int k = 0; k < 3; ++k) {
        const poly *f = s->shape->points == 1   ? &s->coordinate[0][k]
                        : s->shape->points == 2 ? &s->minor[0][1][k]
                                                : &s->determinant;
        if (f->degree >= 0)
            return f;
    }
    return NULL;
}

static void add_all_roots(const scene *s, moments *list)
{
    for (int i = 0; i < s->shape->points; ++i)
        for (int k = 0; k < 3; ++k) {
            add_roots(list, &s->coordinate[i][k]);
            for (int j = i + 1; j < s->shape->points; ++j)
                if (is_side(s->shape, i, j))
                    add_roots(list, &s->minor[i][j][k]);
        }
}

// Contacts are closed sets: what touches between two moments touches at both.
static void check_closed(bool earlier, bool between, bool later)
{
    if (between && !(earlier && later)) {
        fprintf(stderr, "twin: contact during an open interval only\n");
        abort();
    }
}

// Walks through the moments and what lies between them.
static twin_answer sweep(const scene *s, moments *list)
{
    twin_answer answer = {.time = INFINITY};
    moment middle;
    moment_init(&middle);
    bool earlier = false, between = false;
    for (int i = 0; i < list->count; ++i) {
        bool now = touches(s, &list->at[i]);
        check_closed(earlier, between, now);
        if (now && !answer.touches) {
            answer.touches = true;
            answer.time = floor_of(&list->at[i], &answer.time_is_exact);
        }
        answer.contacts += now && !between;
        if (i + 1 < list->count) {
            find_between(&list->at[i], &list->at[i + 1], &middle);
            between = touches(s, &middle);
        }
        earlier = now;
    }
    moment_clear(&middle);
    return answer;
}

twin_answer twin_decide(toi_kind kind, const toi_query *query)
{
    scene s;
    moments list = {.count = 0};
    mpz_t k;
    scene_init(&s, kind, query);
    mpz_init(k);
    twin_answer answer = {.time = INFINITY};
    if (!axis_separates(&s)) {
        add_moment(&list, k, 0);
        mpz_set_ui(k, 1);
        add_moment(&list, k, 0);
        const poly *necessary = find_necessary(&s);
        if (necessary)
            add_roots(&list, necessary);
        else
            add_all_roots(&s, &list);
        answer = sweep(&s, &list);
    }
    for (int i = 0; i < list.count; ++i)
        moment_clear(&list.at[i]);
    mpz_clear(k);
    scene_clear(&s);
    return answer;
}

bool twin_touches_at(toi_kind kind, const toi_query *query, double t)
{
    scene s;
    moment m;
    scene_init(&s, kind, query);
    moment_init(&m);
    split_double(t, m.k, &m.bits);
    bool touching = touches(&s, &m);
    moment_clear(&m);
    scene_clear(&s);
    return touching;
}
