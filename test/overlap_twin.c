// Two faces as convex sets in rationals. A face is the hull of its corners on one side, and an
// intersection of half-spaces on the other; a hull is clipped by one half-space after the other.

#include "overlap_twin.h"

#include "exact/integer.h"

#include <math.h>
#include <stdlib.h>

// Nowhere const: before C23 an array of arrays cannot be passed as such.
typedef mpq_t vector[3];

// n . x >= c.
typedef struct half_space
{
    vector n;
    mpq_t c;
} half_space;

typedef struct half_spaces
{
    int count;
    half_space at[8];
} half_spaces;

// ---- Vectors

static void open_vector(vector v)
{
    for (int k = 0; k < 3; ++k)
        mpq_init(v[k]);
}

static void close_vector(vector v)
{
    for (int k = 0; k < 3; ++k)
        mpq_clear(v[k]);
}

static void copy(vector to, vector from)
{
    for (int k = 0; k < 3; ++k)
        mpq_set(to[k], from[k]);
}

static void subtract(vector to, vector a, vector b)
{
    for (int k = 0; k < 3; ++k)
        mpq_sub(to[k], a[k], b[k]);
}

static void dot(mpq_t to, vector a, vector b)
{
    mpq_t product, sum;
    mpq_inits(product, sum, NULL);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, a[k], b[k]);
        mpq_add(sum, sum, product);
    }
    mpq_swap(to, sum);
    mpq_clears(product, sum, NULL);
}

static void cross(vector to, vector a, vector b)
{
    mpq_t product;
    vector result;
    mpq_init(product);
    open_vector(result);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(result[k], a[i], b[j]);
        mpq_mul(product, a[j], b[i]);
        mpq_sub(result[k], result[k], product);
    }
    copy(to, result);
    close_vector(result);
    mpq_clear(product);
}

static bool is_null(vector v)
{
    return mpq_sgn(v[0]) == 0 && mpq_sgn(v[1]) == 0 && mpq_sgn(v[2]) == 0;
}

// ---- Sets

void open_twin_set(twin_set *set)
{
    set->count = 0;
    for (int i = 0; i < TWIN_POINTS; ++i)
        open_vector(set->x[i]);
}

void close_twin_set(twin_set *set)
{
    for (int i = 0; i < TWIN_POINTS; ++i)
        close_vector(set->x[i]);
}

static void remove_point(twin_set *set, int i)
{
    for (--set->count; i < set->count; ++i)
        copy(set->x[i], set->x[i + 1]);
}

static void append(twin_set *set, vector x)
{
    if (set->count == TWIN_POINTS)
        abort();
    copy(set->x[set->count++], x);
}

// x is on the segment from p to q.
static bool is_between(vector x, vector p, vector q)
{
    vector to_x, to_q, product;
    mpq_t along, whole;
    open_vector(to_x), open_vector(to_q), open_vector(product);
    mpq_inits(along, whole, NULL);
    subtract(to_x, x, p);
    subtract(to_q, q, p);
    cross(product, to_x, to_q);
    dot(along, to_x, to_q);
    dot(whole, to_q, to_q);
    bool between =
        is_null(product) &&
        (mpq_sgn(whole) == 0 ? is_null(to_x) : mpq_sgn(along) >= 0 && mpq_cmp(along, whole) <= 0);
    mpq_clears(along, whole, NULL);
    close_vector(to_x), close_vector(to_q), close_vector(product);
    return between;
}

// Leaves the extreme points: drops every one that is on the segment between two others.
static void keep_extremes(twin_set *set)
{
    for (int i = 0; i < set->count;) {
        bool inner = false;
        for (int j = 0; j < set->count && !inner; ++j)
            for (int k = j; k < set->count && !inner; ++k)
                inner = i != j && i != k && is_between(set->x[i], set->x[j], set->x[k]);
        if (inner)
            remove_point(set, i);
        else
            ++i;
    }
}

static void set_from_face(const toi_corner_view *face, twin_set *set)
{
    set->count = 3;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            mpq_set_d(set->x[i][k], face->corner[i][k]);
    keep_extremes(set);
}

// ---- Half-spaces

static void open_half_spaces(half_spaces *all)
{
    all->count = 0;
    for (int i = 0; i < 8; ++i) {
        open_vector(all->at[i].n);
        mpq_init(all->at[i].c);
    }
}

static void close_half_spaces(half_spaces *all)
{
    for (int i = 0; i < 8; ++i) {
        close_vector(all->at[i].n);
        mpq_clear(all->at[i].c);
    }
}

// n . (x - p) >= 0.
static void add_half_space(half_spaces *all, vector n, vector p)
{
    half_space *h = &all->at[all->count++];
    copy(h->n, n);
    dot(h->c, n, p);
}

// n . (x - p) = 0.
static void add_plane(half_spaces *all, vector n, vector p)
{
    vector minus;
    open_vector(minus);
    for (int k = 0; k < 3; ++k)
        mpq_neg(minus[k], n[k]);
    add_half_space(all, n, p);
    add_half_space(all, minus, p);
    close_vector(minus);
}

static void unit(vector e, int axis)
{
    for (int k = 0; k < 3; ++k)
        mpq_set_si(e[k], k == axis, 1);
}

static void point_half_spaces(half_spaces *all, vector p)
{
    vector e;
    open_vector(e);
    for (int axis = 0; axis < 3; ++axis) {
        unit(e, axis);
        add_plane(all, e, p);
    }
    close_vector(e);
}

// Between the planes through its ends, and on two planes along it: of the three products with the
// axes, two that are independent.
static void segment_half_spaces(half_spaces *all, vector p, vector q)
{
    vector d, minus, e;
    open_vector(d), open_vector(minus), open_vector(e);
    subtract(d, q, p);
    subtract(minus, p, q);
    add_half_space(all, d, p);
    add_half_space(all, minus, q);
    int skipped = mpq_sgn(d[0]) != 0 ? 0 : mpq_sgn(d[1]) != 0 ? 1 : 2;
    for (int axis = 0; axis < 3; ++axis)
        if (axis != skipped) {
            unit(e, axis);
            cross(e, e, d);
            add_plane(all, e, p);
        }
    close_vector(d), close_vector(minus), close_vector(e);
}

static void triangle_normal(vector n, twin_set *triangle)
{
    vector u, v;
    open_vector(u), open_vector(v);
    subtract(u, triangle->x[1], triangle->x[0]);
    subtract(v, triangle->x[2], triangle->x[0]);
    cross(n, u, v);
    close_vector(u), close_vector(v);
}

static void triangle_half_spaces(half_spaces *all, twin_set *triangle)
{
    vector n, side;
    open_vector(n), open_vector(side);
    triangle_normal(n, triangle);
    for (int i = 0; i < 3; ++i) {
        subtract(side, triangle->x[(i + 1) % 3], triangle->x[i]);
        cross(side, n, side);
        add_half_space(all, side, triangle->x[i]);
    }
    add_plane(all, n, triangle->x[0]);
    close_vector(n), close_vector(side);
}

static void half_spaces_of(twin_set *face, half_spaces *all)
{
    if (face->count == 1)
        point_half_spaces(all, face->x[0]);
    else if (face->count == 2)
        segment_half_spaces(all, face->x[0], face->x[1]);
    else
        triangle_half_spaces(all, face);
}

// n . x - c.
static void height(mpq_t to, half_space *h, vector x)
{
    dot(to, h->n, x);
    mpq_sub(to, to, h->c);
}

// The point between x and y, at heights f and g of different signs, whose height is zero.
static void append_crossing(twin_set *set, vector x, vector y, const mpq_t f, const mpq_t g)
{
    mpq_t part;
    vector step;
    mpq_init(part);
    open_vector(step);
    subtract(step, y, x);
    mpq_sub(part, f, g);
    mpq_div(part, f, part);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(step[k], step[k], part);
        mpq_add(step[k], step[k], x[k]);
    }
    append(set, step);
    close_vector(step);
    mpq_clear(part);
}

static void clip(twin_set *set, half_space *h, twin_set *spare)
{
    mpq_t heights[TWIN_POINTS];
    for (int i = 0; i < TWIN_POINTS; ++i)
        mpq_init(heights[i]);
    for (int i = 0; i < set->count; ++i)
        height(heights[i], h, set->x[i]);
    spare->count = 0;
    for (int i = 0; i < set->count; ++i) {
        int j = (i + 1) % set->count, here = mpq_sgn(heights[i]), there = mpq_sgn(heights[j]);
        if (here >= 0)
            append(spare, set->x[i]);
        if (here * there < 0)
            append_crossing(spare, set->x[i], set->x[j], heights[i], heights[j]);
    }
    set->count = 0;
    for (int i = 0; i < spare->count; ++i)
        append(set, spare->x[i]);
    for (int i = 0; i < TWIN_POINTS; ++i)
        mpq_clear(heights[i]);
    keep_extremes(set);
}

void find_twin_set(const toi_corner_view *a, const toi_corner_view *b, twin_set *set)
{
    twin_set other;
    half_spaces all;
    open_twin_set(&other);
    open_half_spaces(&all);
    set_from_face(b, &other);
    half_spaces_of(&other, &all);
    set_from_face(a, set);
    for (int i = all.count - 1; i >= 0 && set->count > 0; --i)
        clip(set, &all.at[i], &other);
    close_half_spaces(&all);
    close_twin_set(&other);
}

// ---- Classes

// The hull of the vertices that both name.
static void find_shared_hull(const toi_corner_view *a, const toi_corner_view *b, twin_set *hull,
                             int32_t named[3])
{
    hull->count = 0;
    for (int i = 0; i < 3; ++i) {
        bool in_b = a->vertex[i] == b->vertex[0] || a->vertex[i] == b->vertex[1] ||
                    a->vertex[i] == b->vertex[2];
        for (int k = 0; k < hull->count; ++k)
            in_b = in_b && named[k] != a->vertex[i];
        if (!in_b)
            continue;
        named[hull->count] = a->vertex[i];
        for (int k = 0; k < 3; ++k)
            mpq_set_d(hull->x[hull->count][k], a->corner[i][k]);
        ++hull->count;
    }
}

static bool is_diagonal(const toi_corner_view *face, int32_t p, int32_t q)
{
    for (int i = 0; i < 3; ++i) {
        int32_t from = face->vertex[i], to = face->vertex[(i + 1) % 3];
        if (((from == p && to == q) || (from == q && to == p)) && face->diagonals & 1U << i)
            return true;
    }
    return false;
}

static bool is_larger_than(twin_set *set, twin_set *hull)
{
    for (int i = 0; i < set->count; ++i)
        if (!is_between(set->x[i], hull->x[0], hull->x[hull->count - 1]))
            return true;
    return false;
}

// x, a point of the triangle, is on none of its sides.
static bool is_inside(twin_set *triangle, vector x)
{
    for (int i = 0; i < 3; ++i)
        if (is_between(x, triangle->x[i], triangle->x[(i + 1) % 3]))
            return false;
    return true;
}

// If relative interiors meet at all, then in the middle of what is in common.
static bool is_crossing(const toi_corner_view *a, const toi_corner_view *b, twin_set *segment)
{
    twin_set s, t;
    vector middle;
    mpq_t half;
    open_twin_set(&s), open_twin_set(&t), open_vector(middle), mpq_init(half);
    mpq_set_si(half, 1, 2);
    for (int k = 0; k < 3; ++k) {
        mpq_add(middle[k], segment->x[0][k], segment->x[1][k]);
        mpq_mul(middle[k], middle[k], half);
    }
    set_from_face(a, &s);
    set_from_face(b, &t);
    bool crossing = s.count == 3 && t.count == 3 && is_inside(&s, middle) && is_inside(&t, middle);
    close_twin_set(&s), close_twin_set(&t), close_vector(middle), mpq_clear(half);
    return crossing;
}

static toi_overlap_class unshared_class(const toi_corner_view *a, const toi_corner_view *b,
                                        twin_set *set)
{
    if (set->count == 0)
        return TOI_OVERLAP_CLASS_COUNT;
    if (set->count == 1)
        return TOI_OVERLAP_POINT;
    if (set->count > 2)
        return TOI_OVERLAP_COPLANAR;
    return is_crossing(a, b, set) ? TOI_OVERLAP_CROSSING : TOI_OVERLAP_SEGMENT;
}

toi_overlap_class find_twin_class(const toi_corner_view *a, const toi_corner_view *b)
{
    static const toi_overlap_class SHARED[] = {TOI_OVERLAP_CLASS_COUNT, TOI_OVERLAP_VERTEX,
                                               TOI_OVERLAP_EDGE, TOI_OVERLAP_SAME};
    int32_t named[3];
    twin_set set, hull;
    open_twin_set(&set), open_twin_set(&hull);
    find_shared_hull(a, b, &hull, named);
    toi_overlap_class result = SHARED[hull.count];
    bool beyond = hull.count == 3 || (hull.count == 2 && (is_diagonal(a, named[0], named[1]) ||
                                                          is_diagonal(b, named[0], named[1])));
    if (!beyond) {
        find_twin_set(a, b, &set);
        if (hull.count == 0)
            result = unshared_class(a, b, &set);
        else if (!is_larger_than(&set, &hull))
            result = TOI_OVERLAP_CLASS_COUNT;
    }
    close_twin_set(&set), close_twin_set(&hull);
    return result;
}

// ---- Rounding

// mpq_get_d() rounds towards zero; the true number lies between that and the next double.
double nearest_double(const mpq_t x)
{
    double low = mpq_get_d(x), high = nextafter(low, mpq_sgn(x) < 0 ? -INFINITY : INFINITY);
    mpq_t below, above;
    mpq_inits(below, above, NULL);
    mpq_set_d(below, low);
    mpq_sub(below, x, below);
    mpq_abs(below, below);
    bool is_low = mpq_sgn(below) == 0;
    if (!is_low) {
        mpq_set_d(above, high);
        mpq_sub(above, above, x);
        mpq_abs(above, above);
        int order = mpq_cmp(below, above);
        is_low = order < 0 || (order == 0 && (toi_pattern_of(low) & 1) == 0);
    }
    mpq_clears(below, above, NULL);
    return is_low ? low : high;
}
