// What two triangles on a lattice have in common, from its corners: corners of one in the other,
// sides of one through the other, sides that cross.

#include "overlap_lattice.h"

#include <assert.h>

__extension__ typedef __int128 wide;

// The point x / w, w > 0.
typedef struct place
{
    wide x[3];
    wide w;
} place;

enum
{
    MOST_PLACES = 6 + 6 + 9
};

// Places that both have in common; among them all corners of what they have in common.
typedef struct meeting
{
    int count;
    place at[MOST_PLACES];
} meeting;

static place corner_place(const int64_t c[3])
{
    return (place){{c[0], c[1], c[2]}, 1};
}

// p - c, times p's denominator.
static void from_corner(const place *p, const int64_t c[3], wide out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = p->x[k] - c[k] * p->w;
}

static void side(const int64_t from[3], const int64_t to[3], wide out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = to[k] - from[k];
}

static void cross(const wide a[3], const wide b[3], wide out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static wide dot(const wide a[3], const wide b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_zero(const wide a[3])
{
    return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

static void normal_of(const int64_t t[3][3], wide n[3])
{
    wide u[3], v[3];
    side(t[0], t[1], u);
    side(t[0], t[2], v);
    cross(u, v, n);
}

static bool has_area(const int64_t t[3][3])
{
    wide n[3];
    normal_of(t, n);
    return !is_zero(n);
}

static bool on_segment(const int64_t a[3], const int64_t b[3], const place *p)
{
    wide way[3], from[3], n[3];
    side(a, b, way);
    from_corner(p, a, from);
    cross(way, from, n);
    if (is_zero(way))
        return is_zero(from);
    return is_zero(n) && dot(way, from) >= 0 && dot(way, from) <= p->w * dot(way, way);
}

// Is the place in the triangle, or, if `inside`, in it and on none of its sides?
static bool in_triangle(const int64_t t[3][3], const place *p, bool inside)
{
    wide n[3], from[3], way[3], turn[3];
    normal_of(t, n);
    if (is_zero(n)) // three collinear points: the hull is the union of the sides
        return !inside && (on_segment(t[0], t[1], p) || on_segment(t[1], t[2], p) ||
                           on_segment(t[2], t[0], p));
    from_corner(p, t[0], from);
    if (dot(n, from) != 0)
        return false;
    for (int i = 0; i < 3; ++i) {
        side(t[i], t[(i + 1) % 3], way);
        from_corner(p, t[i], from);
        cross(way, from, turn);
        wide sign = dot(n, turn);
        if (sign < 0 || (inside && sign == 0))
            return false;
    }
    return true;
}

static void add_if_common(meeting *m, const lattice_face *a, const lattice_face *b, const place *p)
{
    if (in_triangle(a->corner, p, false) && in_triangle(b->corner, p, false))
        m->at[m->count++] = *p;
}

// p + (q - p) above / below.
static place between(const int64_t p[3], const int64_t q[3], wide above, wide below)
{
    place out = {.w = below < 0 ? -below : below};
    for (int k = 0; k < 3; ++k)
        out.x[k] = p[k] * out.w + (q[k] - p[k]) * (below < 0 ? -above : above);
    return out;
}

// Where the sides of a go through the plane of b.
static void add_piercings(meeting *m, const lattice_face *a, const lattice_face *b)
{
    wide n[3], from[3], level[3];
    normal_of(b->corner, n);
    for (int i = 0; i < 3; ++i) {
        side(b->corner[0], a->corner[i], from);
        level[i] = dot(n, from);
    }
    for (int i = 0; i < 3; ++i) {
        wide here = level[i], there = level[(i + 1) % 3];
        if ((here > 0 && there > 0) || (here < 0 && there < 0) || here == there)
            continue;
        place p = between(a->corner[i], a->corner[(i + 1) % 3], here, here - there);
        add_if_common(m, a, b, &p);
    }
}

// Where the lines of two sides, not parallel, meet.
static void add_crossing(meeting *m, const lattice_face *a, int i, const lattice_face *b, int j)
{
    const int64_t *p = a->corner[i], *q = a->corner[(i + 1) % 3];
    const int64_t *r = b->corner[j], *s = b->corner[(j + 1) % 3];
    wide u[3], v[3], n[3], from[3], turn[3];
    side(p, q, u);
    side(r, s, v);
    side(p, r, from);
    cross(u, v, n);
    cross(from, v, turn);
    if (is_zero(n) || dot(n, from) != 0)
        return;
    int k = n[0] != 0 ? 0 : n[1] != 0 ? 1 : 2;
    place x = between(p, q, turn[k], n[k]);
    add_if_common(m, a, b, &x);
}

static void find_meeting(const lattice_face *a, const lattice_face *b, meeting *m)
{
    m->count = 0;
    for (int i = 0; i < 3; ++i) {
        place p = corner_place(a->corner[i]), q = corner_place(b->corner[i]);
        add_if_common(m, a, b, &p);
        add_if_common(m, a, b, &q);
    }
    add_piercings(m, a, b);
    add_piercings(m, b, a);
    for (int i = 0; i < 9; ++i)
        add_crossing(m, a, i / 3, b, i % 3);
}

// q - p, times both denominators.
static void apart(const place *p, const place *q, wide out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = q->x[k] * p->w - p->x[k] * q->w;
}

static bool same_plane(const lattice_face *a, const lattice_face *b)
{
    wide n[3], from[3];
    normal_of(a->corner, n);
    for (int i = 0; i < 3; ++i) {
        side(a->corner[0], b->corner[i], from);
        if (dot(n, from) != 0)
            return false;
    }
    return true;
}

// Of what they have in common; *other gets a place that is not the first, where there is one.
static int dimension_of(const meeting *m, bool flat, int *other)
{
    wide way[3], next[3], n[3];
    *other = 0;
    for (int i = 1; i < m->count; ++i) {
        apart(&m->at[0], &m->at[i], next);
        if (is_zero(next))
            continue;
        if (*other == 0) {
            *other = i;
            apart(&m->at[0], &m->at[i], way);
            if (!flat) // it is in two planes, or in a segment
                return 1;
        }
        cross(way, next, n);
        if (!is_zero(n))
            return 2;
    }
    return *other > 0 ? 1 : m->count > 0 ? 0 : -1;
}

// Is the middle of two places inside of both?
static bool goes_through(const lattice_face *a, const lattice_face *b, const place *p,
                         const place *q)
{
    place middle = {.w = 2 * p->w * q->w};
    for (int k = 0; k < 3; ++k)
        middle.x[k] = p->x[k] * q->w + q->x[k] * p->w;
    return in_triangle(a->corner, &middle, true) && in_triangle(b->corner, &middle, true);
}

// The numbers of corners of a whose vertices b names too, each vertex once.
static int find_shared(const lattice_face *a, const lattice_face *b, int shared[3])
{
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        bool named = false, again = false;
        for (int j = 0; j < 3; ++j) {
            named = named || a->vertex[i] == b->vertex[j];
            again = again || (j < i && a->vertex[i] == a->vertex[j]);
        }
        if (named && !again)
            shared[count++] = i;
    }
    return count;
}

static bool is_diagonal(const lattice_face *f, int32_t v, int32_t w)
{
    for (int i = 0; i < 3; ++i) {
        int32_t from = f->vertex[i], to = f->vertex[(i + 1) % 3];
        if (((from == v && to == w) || (from == w && to == v)) && (f->diagonals >> i & 1))
            return true;
    }
    return false;
}

static bool more_than(const meeting *m, const int64_t p[3], const int64_t q[3])
{
    for (int i = 0; i < m->count; ++i)
        if (!on_segment(p, q, &m->at[i]))
            return true;
    return false;
}

lattice_answer lattice_classify(const lattice_face *a, const lattice_face *b)
{
    int shared[3], other;
    int count = find_shared(a, b, shared);
    bool areas = has_area(a->corner) && has_area(b->corner), flat = areas && same_plane(a, b);
    meeting m;
    for (int i = 0; i < 9; ++i)
        assert(a->corner[i / 3][i % 3] >= -LATTICE_MOST && a->corner[i / 3][i % 3] <= LATTICE_MOST);
    find_meeting(a, b, &m);
    lattice_answer out = {TOI_OVERLAP_CLASS_COUNT, dimension_of(&m, flat, &other)};
    if (count == 3) {
        out.overlap_class = TOI_OVERLAP_SAME;
    } else if (count > 0) {
        const int32_t v = a->vertex[shared[0]], w = a->vertex[shared[count - 1]];
        bool inner = count == 2 && (is_diagonal(a, v, w) || is_diagonal(b, v, w));
        if (inner || more_than(&m, a->corner[shared[0]], a->corner[shared[count - 1]]))
            out.overlap_class = count == 2 ? TOI_OVERLAP_EDGE : TOI_OVERLAP_VERTEX;
    } else if (out.dimension >= 0) {
        bool through = out.dimension == 1 && areas && goes_through(a, b, &m.at[0], &m.at[other]);
        out.overlap_class = out.dimension == 2   ? TOI_OVERLAP_COPLANAR
                            : out.dimension == 0 ? TOI_OVERLAP_POINT
                            : through            ? TOI_OVERLAP_CROSSING
                                                 : TOI_OVERLAP_SEGMENT;
    }
    return out;
}
