// From the doubles of a query to the polynomials of its figure's faces.

#include "exact/figure.h"

// A vector each of whose components is a polynomial.
typedef struct vector
{
    toi_sextic x[3];
} vector;

// ---- Vectors

static vector subtract(toi_arena *arena, const vector *a, const vector *b)
{
    vector difference;
    for (int k = 0; k < 3; ++k)
        difference.x[k] = toi_sextic_subtract(arena, &a->x[k], &b->x[k]);
    return difference;
}

static toi_sextic dot(toi_arena *arena, const vector *a, const vector *b)
{
    return toi_sextic_dot(arena, a->x, b->x, 3);
}

static toi_sextic negate(const toi_sextic *f)
{
    toi_sextic minus = *f;
    for (int i = 0; i <= f->degree; ++i)
        minus.c[i] = toi_integer_negate(f->c[i]);
    return minus;
}

static vector cross(toi_arena *arena, const vector *a, const vector *b)
{
    vector product;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        toi_sextic left[2] = {a->x[i], negate(&a->x[j])}, right[2] = {b->x[j], b->x[i]};
        product.x[k] = toi_sextic_dot(arena, left, right, 2);
    }
    return product;
}

// ---- Faces

static toi_face corner_face(toi_arena *arena, const vector *a)
{
    toi_face face = {.over = dot(arena, a, a), .conditions = 0};
    face.under = (toi_sextic){0, {toi_integer_from_word(arena, 1)}};
    return face;
}

// From a to a + b: the closest point of the line is a + b (-a.b) / b.b.
static toi_face side_face(toi_arena *arena, const vector *a, const vector *b)
{
    toi_face face = {.conditions = 2};
    vector normal = cross(arena, a, b);
    toi_sextic along = dot(arena, a, b);
    face.over = dot(arena, &normal, &normal);
    face.under = dot(arena, b, b);
    face.condition[0] = negate(&along);
    face.condition[1] = toi_sextic_add(arena, &face.under, &along);
    return face;
}

// a + u b + v c: with n = b x c, the closest point of the plane has u n.n = (c x a).n and
// v n.n = (a x b).n.
static toi_face inside_face(toi_arena *arena, const vector *a, const vector *b, const vector *c,
                            bool is_triangle)
{
    toi_face face;
    vector n = cross(arena, b, c), ca = cross(arena, c, a), ab = cross(arena, a, b);
    toi_sextic height = dot(arena, a, &n);
    face.over = toi_sextic_dot(arena, &height, &height, 1);
    face.under = dot(arena, &n, &n);
    face.condition[0] = dot(arena, &ca, &n);
    face.condition[1] = dot(arena, &ab, &n);
    face.condition[2] = toi_sextic_subtract(arena, &face.under, &face.condition[0]);
    const toi_sextic *from = is_triangle ? &face.condition[2] : &face.under;
    toi_sextic last = toi_sextic_subtract(arena, from, &face.condition[1]);
    face.conditions = is_triangle ? 3 : 4;
    face.condition[face.conditions - 1] = last;
    return face;
}

// ---- The query

// All coordinates are whole multiples of 2^unit, the largest such power; 0 with nothing but zeros.
static int find_unit(const toi_query *query)
{
    int lowest = INT32_MAX;
    for (int i = 0; i < 24; ++i) {
        toi_decoded d = toi_decode_double((i < 12 ? query->start : query->end)[i / 3 % 4][i % 3]);
        int lowest_bit = d.m != 0 ? d.exponent + __builtin_ctzll(d.m) : INT32_MAX;
        lowest = lowest_bit < lowest ? lowest_bit : lowest;
    }
    return lowest < INT32_MAX ? lowest : 0;
}

static toi_integer whole(toi_arena *arena, double x, int unit)
{
    toi_decoded d = toi_decode_double(x);
    int shift = d.exponent - unit;
    if (d.m == 0)
        return (toi_integer){NULL, 0};
    return shift >= 0 ? toi_integer_from_shifted(arena, d.m, shift, d.negative)
                      : toi_integer_from_shifted(arena, d.m >> -shift, 0, d.negative);
}

// start + t (end - start).
static vector moving_point(toi_arena *arena, const double start[3], const double end[3], int unit,
                           int degree)
{
    vector point;
    for (int k = 0; k < 3; ++k) {
        toi_sextic *x = &point.x[k];
        x->c[0] = whole(arena, start[k], unit);
        x->c[1] = (toi_integer){NULL, 0};
        if (degree > 0)
            x->c[1] = toi_integer_subtract(arena, whole(arena, end[k], unit), x->c[0]);
        x->degree = x->c[1].size != 0 ? 1 : x->c[0].size != 0 ? 0 : -1;
    }
    return point;
}

// The figure's corners in order around it: each is one point less another.
static const int corners[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}}, {{0, 2}, {1, 2}, {1, 3}, {0, 3}}};

void toi_figure_from_query(toi_arena *arena, toi_kind kind, const toi_query *query, int degree,
                           toi_figure *figure)
{
    vector points[4], corner[4];
    bool is_triangle = kind == TOI_VERTEX_FACE;
    int count = is_triangle ? 3 : 4, unit = find_unit(query);
    for (int i = 0; i < 4; ++i)
        points[i] = moving_point(arena, query->start[i], query->end[i], unit, degree);
    for (int i = 0; i < count; ++i) {
        const int *pair = corners[!is_triangle][i];
        corner[i] = subtract(arena, &points[pair[0]], &points[pair[1]]);
    }
    figure->unit = unit;
    figure->faces = 2 * count + 1;
    vector sides[4];
    for (int i = 0; i < count; ++i) {
        sides[i] = subtract(arena, &corner[(i + 1) % count], &corner[i]);
        figure->face[i] = corner_face(arena, &corner[i]);
        figure->face[count + i] = side_face(arena, &corner[i], &sides[i]);
    }
    vector back = subtract(arena, &corner[count - 1], &corner[0]);
    figure->face[2 * count] = inside_face(arena, &corner[0], &sides[0], &back, is_triangle);
}
