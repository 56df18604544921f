// What two faces have in common, by the signs of volumes and areas alone: docs/overlap.md, "What
// two faces have in common".
//
// What is asked for is the dimension of the intersection: NOTHING, a point, a segment or an area.
// Faces with area in different planes meet along the line that both planes have in common; all
// others, coplanar ones and those that are segments or points, are looked at as flat shapes.

#include "overlap/orientation.h"
#include "overlap/overlap.h"

enum
{
    NOTHING = -1 // else the dimension of what is in common: 0, 1, 2
};

typedef struct face_pair
{
    const toi_corner_view *face[2];
    unsigned shared[2]; // bit i: the other face names the vertex of corner i too
    int shared_count;   // distinct vertices
    bool crossing;      // relative interiors of faces in different planes meet
    bool exact;
} face_pair;

// ---- What they share

static void find_shared(face_pair *pair)
{
    const int32_t *a = pair->face[0]->vertex, *b = pair->face[1]->vertex;
    for (unsigned i = 0; i < 3; ++i) {
        unsigned matches = (unsigned)(a[i] == b[0]) | (unsigned)(a[i] == b[1]) << 1 |
                           (unsigned)(a[i] == b[2]) << 2;
        bool is_new = (matches & ~pair->shared[1]) != 0;
        pair->shared_count += is_new;
        pair->shared[0] |= (unsigned)(matches != 0) << i;
        pair->shared[1] |= matches;
    }
}

// Two vertices are shared: is the side between them a diagonal of this face's polygon?
static bool shares_diagonal(const face_pair *pair, int f)
{
    const toi_corner_view *face = pair->face[f];
    for (unsigned i = 0; i < 3; ++i) {
        unsigned j = (i + 1) % 3, ends = 1U << i | 1U << j;
        if ((pair->shared[f] & ends) == ends && face->vertex[i] != face->vertex[j] &&
            face->diagonals >> i & 1)
            return true;
    }
    return false;
}

// ---- Faces with area, in different planes

// On which sides of the other face's plane the corners of face f are; all 0 if that has no area.
static void find_sides(face_pair *pair, int f, int side[3])
{
    const double *const *plane = pair->face[!f]->corner;
    for (int i = 0; i < 3; ++i)
        side[i] = pair->shared[f] >> i & 1
                      ? 0
                      : toi_volume_sign(plane[0], plane[1], plane[2], pair->face[f]->corner[i],
                                        &pair->exact);
}

// Corners that are not shared are all on the same side of the other's plane, none on it: what is on
// the plane is the hull of the shared ones.
static bool is_clear(const int side[3], unsigned shared)
{
    bool above = true, below = true;
    for (int i = 0; i < 3; ++i) {
        above = above && (side[i] > 0 || shared >> i & 1);
        below = below && (side[i] < 0 || shared >> i & 1);
    }
    return above || below;
}

static bool is_zero(const int side[3])
{
    return side[0] == 0 && side[1] == 0 && side[2] == 0;
}

static bool has_both(const int side[3])
{
    return (side[0] > 0 || side[1] > 0 || side[2] > 0) &&
           (side[0] < 0 || side[1] < 0 || side[2] < 0);
}

// The face meets the other's plane in one corner alone.
static bool has_one_corner_on(const int side[3])
{
    return !has_both(side) && (side[0] == 0) + (side[1] == 0) + (side[2] == 0) == 1;
}

// Where the border of a face, followed along its corners, comes up through the other's plane, or
// down: two corners not above and not below it, one of them off it.
typedef struct passage
{
    int low;
    int high;
} passage;

static passage find_passage(const int side[3], bool up)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        passage way = up ? (passage){i, j} : (passage){j, i};
        if (side[way.low] <= 0 && side[way.high] >= 0 && side[way.low] != side[way.high])
            return way;
    }
    return (passage){0, 0}; // not for faces that reach the plane and are not in it
}

// The sign of q - p along nA x nB, p being where the passage of face 0 meets the plane of face 1,
// and q the other way round. A vertex that both name is p and q.
static int compare_passages(face_pair *pair, passage p, passage q)
{
    const toi_corner_view *a = pair->face[0], *b = pair->face[1];
    if (a->vertex[p.low] == b->vertex[q.low] || a->vertex[p.low] == b->vertex[q.high] ||
        a->vertex[p.high] == b->vertex[q.low] || a->vertex[p.high] == b->vertex[q.high])
        return 0;
    return toi_volume_sign(a->corner[p.low], a->corner[p.high], b->corner[q.low], b->corner[q.high],
                           &pair->exact);
}

// Both faces cut an interval out of the line that their planes have in common. That of face 0 runs
// from where its border comes up to where it goes down, that of face 1 the other way.
static int meet_along_line(face_pair *pair, const int a[3], const int b[3])
{
    int last = compare_passages(pair, find_passage(a, true), find_passage(b, true));
    if (last < 0)
        return NOTHING;
    int first = compare_passages(pair, find_passage(a, false), find_passage(b, false));
    if (first > 0)
        return NOTHING;
    if (last == 0 || first == 0 || has_one_corner_on(a) || has_one_corner_on(b))
        return 0;
    pair->crossing = has_both(a) && has_both(b);
    return 1;
}

// ---- Flat shapes

// A face as the set that it is.
typedef struct shape
{
    int dimension;          // of a point, a segment, a triangle
    int axis;               // along which a triangle's projection has area, a segment has length
    const double *point[3]; // a triangle's, counterclockwise seen along its axis; a segment's ends,
                            // upwards along its axis
} shape;

// Of points on one line: the extreme ones.
static shape make_thin(const double *const corner[3])
{
    shape thin = {0, 0, {corner[0], corner[0], corner[0]}};
    for (int axis = 0; axis < 3; ++axis) {
        const double *low = corner[0], *high = corner[0];
        for (int i = 1; i < 3; ++i) {
            low = corner[i][axis] < low[axis] ? corner[i] : low;
            high = corner[i][axis] > high[axis] ? corner[i] : high;
        }
        if (low[axis] < high[axis])
            return (shape){1, axis, {low, high, high}};
    }
    return thin;
}

static shape make_shape(face_pair *pair, int f)
{
    const double *const *c = pair->face[f]->corner;
    for (int axis = 0; axis < 3; ++axis) {
        int sign = toi_area_sign(c[0], c[1], c[2], axis, &pair->exact);
        if (sign != 0)
            return (shape){2, axis, {c[0], c[sign > 0 ? 1 : 2], c[sign > 0 ? 2 : 1]}};
    }
    return make_thin(c);
}

static bool same_place(const double *p, const double *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool on_one_line(face_pair *pair, const double *a, const double *b, const double *c)
{
    for (int axis = 0; axis < 3; ++axis)
        if (toi_area_sign(a, b, c, axis, &pair->exact) != 0)
            return false;
    return true;
}

// Two segments on one line, on which `axis` has length.
static int meet_on_line(const double *const a[2], const double *const b[2], int axis)
{
    double a_low = fmin(a[0][axis], a[1][axis]), a_high = fmax(a[0][axis], a[1][axis]);
    double b_low = fmin(b[0][axis], b[1][axis]), b_high = fmax(b[0][axis], b[1][axis]);
    double low = fmax(a_low, b_low), high = fmin(a_high, b_high);
    return low > high ? NOTHING : low < high;
}

// A side of a triangle, seen along its axis, that has all of some points of the same plane outside,
// or on it.
typedef struct border
{
    bool apart;            // all outside of a side
    bool touching;         // none inside of a side: of this one
    const double *side[2]; // its ends
    int on_count;          // of the points on it
    const double *on[2];   // these
} border;

static void look_across(face_pair *pair, const shape *triangle, const double *const *point,
                        int count, border *found)
{
    for (int i = 0; i < 3; ++i) {
        const double *p = triangle->point[i], *q = triangle->point[(i + 1) % 3], *on[3];
        int inside = 0, on_count = 0;
        for (int k = 0; k < count && inside == 0; ++k) {
            int sign = toi_area_sign(p, q, point[k], triangle->axis, &pair->exact);
            inside += sign > 0;
            on[on_count] = point[k];
            on_count += sign == 0;
        }
        if (inside > 0)
            continue;
        found->apart = found->apart || on_count == 0;
        found->touching = true;
        found->side[0] = p;
        found->side[1] = q;
        found->on_count = on_count;
        for (int k = 0; k < on_count && k < 2; ++k)
            found->on[k] = on[k];
    }
}

// Along which axis two points of a triangle's plane differ.
static int axis_between(const double *p, const double *q)
{
    return p[0] != q[0] ? 0 : p[1] != q[1] ? 1 : 2;
}

// What touches a side from outside, and is not apart.
static int meet_at_border(const border *found)
{
    if (found->on_count < 2)
        return 0;
    return meet_on_line(found->side, found->on, axis_between(found->side[0], found->side[1]));
}

// In one plane.
static int meet_triangles(face_pair *pair, const shape *a, const shape *b)
{
    border found = {0};
    look_across(pair, a, b->point, 3, &found);
    if (!found.apart)
        look_across(pair, b, a->point, 3, &found);
    if (found.apart)
        return NOTHING;
    return found.touching ? meet_at_border(&found) : 2;
}

// In one plane: a side has the segment outside, or the segment's line has the triangle on one side.
static int meet_flat_segment(face_pair *pair, const shape *segment, const shape *triangle)
{
    border found = {0};
    look_across(pair, triangle, segment->point, 2, &found);
    if (found.apart)
        return NOTHING;
    int above = 0, below = 0;
    for (int i = 0; i < 3; ++i) {
        int sign = toi_area_sign(segment->point[0], segment->point[1], triangle->point[i],
                                 triangle->axis, &pair->exact);
        above += sign > 0;
        below += sign < 0;
    }
    if (above == 3 || below == 3)
        return NOTHING;
    if (found.touching)
        return meet_at_border(&found);
    return above == 0 || below == 0 ? 0 : 1;
}

static int meet_segment_and_triangle(face_pair *pair, const shape *segment, const shape *triangle)
{
    const double *p = segment->point[0], *q = segment->point[1];
    const double *const *c = triangle->point;
    int start = toi_volume_sign(c[0], c[1], c[2], p, &pair->exact);
    int end = toi_volume_sign(c[0], c[1], c[2], q, &pair->exact);
    if (start == 0 && end == 0)
        return meet_flat_segment(pair, segment, triangle);
    if (start == end)
        return NOTHING;
    bool above = false, below = false;
    for (int i = 0; i < 3; ++i) {
        int sign = toi_volume_sign(p, q, c[i], c[(i + 1) % 3], &pair->exact);
        above = above || sign > 0;
        below = below || sign < 0;
    }
    return above && below ? NOTHING : 0;
}

static int meet_segments(face_pair *pair, const shape *a, const shape *b)
{
    const double *p = a->point[0], *q = a->point[1], *r = b->point[0], *s = b->point[1];
    if (toi_volume_sign(p, q, r, s, &pair->exact) != 0)
        return NOTHING;
    bool on_line = true;
    for (int axis = 0; axis < 3; ++axis) {
        int first = toi_area_sign(p, q, r, axis, &pair->exact);
        int second = toi_area_sign(p, q, s, axis, &pair->exact);
        on_line = on_line && first == 0 && second == 0;
        if (first == second && first != 0)
            return NOTHING; // on one side of the line, seen along this axis
        first = toi_area_sign(r, s, p, axis, &pair->exact);
        second = toi_area_sign(r, s, q, axis, &pair->exact);
        if (first == second && first != 0)
            return NOTHING;
    }
    return on_line ? meet_on_line(a->point, b->point, a->axis) : 0;
}

static int meet_point_and_segment(face_pair *pair, const shape *point, const shape *segment)
{
    if (!on_one_line(pair, segment->point[0], segment->point[1], point->point[0]))
        return NOTHING;
    return meet_on_line(point->point, segment->point, segment->axis);
}

static int meet_point_and_triangle(face_pair *pair, const shape *point, const shape *triangle)
{
    const double *const *c = triangle->point;
    if (toi_volume_sign(c[0], c[1], c[2], point->point[0], &pair->exact) != 0)
        return NOTHING;
    border found = {0};
    look_across(pair, triangle, point->point, 1, &found);
    return found.apart ? NOTHING : 0;
}

// Of which a has the lower dimension; triangles are in one plane.
static int meet_shapes(face_pair *pair, const shape *a, const shape *b)
{
    if (a->dimension == 2)
        return meet_triangles(pair, a, b);
    if (a->dimension == 1)
        return b->dimension == 2 ? meet_segment_and_triangle(pair, a, b)
                                 : meet_segments(pair, a, b);
    if (b->dimension == 2)
        return meet_point_and_triangle(pair, a, b);
    if (b->dimension == 1)
        return meet_point_and_segment(pair, a, b);
    return same_place(a->point[0], b->point[0]) ? 0 : NOTHING;
}

// Two vertices are shared, and what is in common is a segment at least: is it longer than from one
// to the other? Only where both faces are segments, on one line.
static bool reaches_beyond(const face_pair *pair, const shape *a, const shape *b)
{
    if (a->dimension == 2 || b->dimension == 2)
        return false;
    double low = fmax(a->point[0][a->axis], b->point[0][a->axis]);
    double high = fmin(a->point[1][a->axis], b->point[1][a->axis]);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 3; ++i)
        if (pair->shared[0] >> i & 1) {
            least = fmin(least, pair->face[0]->corner[i][a->axis]);
            most = fmax(most, pair->face[0]->corner[i][a->axis]);
        }
    return low < least || high > most;
}

// NOTHING also where two vertices are shared, and nothing more.
static int meet_flat(face_pair *pair)
{
    shape a = make_shape(pair, 0), b = make_shape(pair, 1);
    int dimension =
        a.dimension <= b.dimension ? meet_shapes(pair, &a, &b) : meet_shapes(pair, &b, &a);
    if (pair->shared_count == 2 && dimension == 1 && !reaches_beyond(pair, &a, &b))
        return NOTHING;
    return dimension;
}

// ---- Both

static int find_dimension(face_pair *pair)
{
    int a[3], b[3];
    find_sides(pair, 0, a);
    if (is_clear(a, pair->shared[0]))
        return NOTHING;
    if (is_zero(a)) // in one plane, or face 1 has no area
        return meet_flat(pair);
    find_sides(pair, 1, b);
    if (is_clear(b, pair->shared[1]))
        return NOTHING;
    return is_zero(b) ? meet_flat(pair) : meet_along_line(pair, a, b);
}

static toi_overlap_class name_class(const face_pair *pair, int dimension)
{
    static const toi_overlap_class UNSHARED[] = {TOI_OVERLAP_POINT, TOI_OVERLAP_SEGMENT,
                                                 TOI_OVERLAP_COPLANAR};
    if (dimension == NOTHING || (dimension == 0 && pair->shared_count > 0))
        return TOI_OVERLAP_CLASS_COUNT;
    if (pair->shared_count > 0)
        return pair->shared_count == 1 ? TOI_OVERLAP_VERTEX : TOI_OVERLAP_EDGE;
    return pair->crossing ? TOI_OVERLAP_CROSSING : UNSHARED[dimension];
}

toi_overlap_class toi_classify_faces(const toi_corner_view *a, const toi_corner_view *b,
                                     bool *exact)
{
    face_pair pair = {.face = {a, b}};
    *exact = false;
    find_shared(&pair);
    if (pair.shared_count == 3)
        return TOI_OVERLAP_SAME;
    if (pair.shared_count == 2 && (shares_diagonal(&pair, 0) || shares_diagonal(&pair, 1)))
        return TOI_OVERLAP_EDGE;
    toi_overlap_class overlap_class = name_class(&pair, find_dimension(&pair));
    *exact = pair.exact;
    return overlap_class;
}
