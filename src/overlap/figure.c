// The figure that two faces have in common: which corners and crossings of sides it has, by exact
// signs, and each crossing as a quotient of whole numbers that is rounded once.

#include "base/fp_mode.h"
#include "base/status.h"
#include "exact/points.h"
#include "mesh/mesh.h"
#include "overlap/triangles.h"

#include <string.h>

enum
{
    ARENA_BYTES = 4096 // enough but for far-apart exponents
};

// ---- Crossings

// m 2^unit, m not zero: the nearest double, ties to even. At least one bit of m is dropped.
static double round_word(uint64_t m, int64_t unit)
{
    int64_t dropped = 64 - __builtin_clzll(m) - 53, least = TOI_LEAST_EXPONENT - unit;
    dropped = dropped > least ? dropped : least;
    uint64_t kept = m >> dropped, rest = m - (kept << dropped);
    uint64_t half = UINT64_C(1) << (dropped - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return ldexp((double)kept, (int)(unit + dropped));
}

// The double nearest to a / b 2^exponent, where b is not zero and nothing overflows.
static double round_quotient(toi_arena *arena, toi_integer a, toi_integer b, int64_t exponent)
{
    toi_integer over = {a.limbs, toi_integer_length(a)}, under = {b.limbs, toi_integer_length(b)};
    // The quotient in a unit that leaves it 56 to 58 bits, fewer where doubles end.
    int64_t unit = toi_integer_bits(over) - toi_integer_bits(under) + exponent - 57;
    unit = unit < TOI_LEAST_EXPONENT - 3 ? TOI_LEAST_EXPONENT - 3 : unit;
    if (exponent >= unit)
        over = toi_integer_shift(arena, over, exponent - unit);
    else
        under = toi_integer_shift(arena, under, unit - exponent);
    toi_integer q = toi_integer_divide(arena, over, under);
    bool rest = toi_integer_compare(toi_integer_multiply(arena, q, under), over) != 0;
    uint64_t m = (q.size == 0 ? 0 : q.limbs[0] << 1) | rest; // what is left over is a last bit
    double size = m == 0 || arena->failed ? 0 : round_word(m, unit - 1);
    return (a.size < 0) != (b.size < 0) ? -size : size;
}

static toi_integer take_integer(toi_arena *arena, const toi_coordinate *x)
{
    return x->m == 0 ? (toi_integer){NULL, 0}
                     : toi_integer_from_shifted(arena, x->m, x->shift, x->negative);
}

// The exponent of the unit that coordinate c of x is in.
static int64_t unit_of(double x, const toi_coordinate *c)
{
    toi_decoded d = toi_decode_double(x);
    return d.exponent + __builtin_ctzll(d.m) - c->shift;
}

// The point p + t (q - p) of a corner that moves from p to q, where f(t) = 0, f linear.
static void place_root(toi_arena *arena, const toi_query *query, const toi_far_points *points,
                       int corner, const toi_polynomial *f, double x[3])
{
    for (int k = 0; k < 3; ++k) {
        toi_mark mark = toi_arena_mark(arena);
        double start = query->start[corner][k], end = query->end[corner][k];
        toi_integer p = take_integer(arena, &points->x[0][corner][k]);
        toi_integer q = take_integer(arena, &points->x[1][corner][k]);
        toi_integer way = toi_integer_subtract(arena, q, p);
        toi_integer over = toi_integer_difference_of_products(arena, f->c[1], p, f->c[0], way);
        if (over.size == 0 || (start == 0 && end == 0))
            x[k] = 0;
        else
            x[k] = round_quotient(arena, over, f->c[1],
                                  start != 0 ? unit_of(start, &points->x[0][corner][k])
                                             : unit_of(end, &points->x[1][corner][k]));
        toi_arena_release(arena, mark);
    }
}

// One corner of the figure.
typedef struct figure_corner
{
    bool crosses;           // it is not a corner of a face
    const double *at;       // that corner; of a crossing nothing
    const double *ends[2];  // the ends of a segment, one on either side of
    const double *plane[3]; // the plane of these or, where the last is NULL, the line of the others
    int axis;               // along which that is seen
    unsigned sides;         // bits 0 to 2 and 3 to 5: sides of the faces that it is on
} figure_corner;

static const toi_difference DIFFERENCES[3] = {{1, 0}, {2, 0}, {3, 0}};

// A query in which one corner moves along the segment, and the others stand.
static toi_status place_crossing(const figure_corner *corner, double x[3])
{
    int moving = corner->plane[2] ? 3 : 2;
    const double *const start[4] = {corner->plane[0], corner->plane[1],
                                    moving == 3 ? corner->plane[2] : corner->ends[0],
                                    corner->ends[0]};
    toi_query query;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            query.start[i][k] = start[i][k];
            query.end[i][k] = i < moving ? start[i][k] : corner->ends[1][k];
        }
    _Alignas(16) unsigned char memory[ARENA_BYTES];
    toi_arena arena;
    toi_arena_open(&arena, memory, sizeof memory);
    toi_far_points points;
    toi_far_points_from_query(&query, &points);
    toi_polynomial f = corner->plane[2]
                           ? toi_far_points_volume(&arena, &points, DIFFERENCES, 1)
                           : toi_far_points_cross(&arena, &points, DIFFERENCES, 1, corner->axis);
    if (!arena.failed)
        place_root(&arena, &query, &points, moving, &f, x);
    bool failed = arena.failed;
    toi_arena_close(&arena);
    return failed ? toi_allocation_status() : TOI_OK;
}

// ---- Faces with area, in different planes

typedef struct corner_list
{
    int count;
    figure_corner corner[6];
} corner_list;

static void add_corner(corner_list *list, figure_corner corner)
{
    list->corner[list->count++] = corner;
}

static void add_passage(const toi_face_pair *pair, int f, const int side[3], toi_passage way,
                        corner_list *list)
{
    const double *const *c = pair->face[f]->corner, *const *plane = pair->face[!f]->corner;
    if (side[way.low] == 0 || side[way.high] == 0)
        add_corner(list, (figure_corner){.at = c[side[way.low] == 0 ? way.low : way.high]});
    else
        add_corner(list, (figure_corner){.crosses = true,
                                         .ends = {c[way.low], c[way.high]},
                                         .plane = {plane[0], plane[1], plane[2]}});
}

// From the later beginning to the earlier end of two intervals.
static void list_along_line(toi_face_pair *pair, const int a[3], const int b[3], corner_list *list)
{
    int dimension = toi_meet_along_line(pair, a, b);
    if (dimension == TOI_NOTHING)
        return;
    toi_passage from[2] = {toi_find_passage(a, true), toi_find_passage(b, false)};
    toi_passage to[2] = {toi_find_passage(a, false), toi_find_passage(b, true)};
    int later = toi_compare_passages(pair, from[0], from[1]) > 0;
    int earlier = toi_compare_passages(pair, to[0], to[1]) < 0;
    add_passage(pair, later, later ? b : a, from[later], list);
    if (dimension == 1)
        add_passage(pair, earlier, earlier ? b : a, to[earlier], list);
}

// ---- Flat shapes

static int side_count(const toi_face_shape *shape)
{
    return shape->dimension == 2 ? 3 : shape->dimension;
}

static int corner_count(const toi_face_shape *shape)
{
    return shape->dimension + 1;
}

// The sides of a triangle that p, a point of it, is on.
static unsigned sides_at(toi_face_pair *pair, const toi_face_shape *triangle, const double *p)
{
    unsigned sides = 0;
    for (int i = 0; i < 3; ++i)
        sides |= (unsigned)(toi_area_sign(triangle->point[i], triangle->point[(i + 1) % 3], p,
                                          triangle->axis, &pair->exact) == 0)
                 << i;
    return sides;
}

static bool is_listed(const corner_list *list, const double *p)
{
    for (int i = 0; i < list->count; ++i) {
        const double *q = list->corner[i].at;
        if (!list->corner[i].crosses && q[0] == p[0] && q[1] == p[1] && q[2] == p[2])
            return true;
    }
    return false;
}

// Corners of one that are in the other. Sides matter for two triangles alone.
static void list_corners(toi_face_pair *pair, const toi_face_shape shape[2], int f,
                         corner_list *list)
{
    for (int i = 0; i < corner_count(&shape[f]); ++i) {
        const double *p = shape[f].point[i];
        toi_face_shape point = {0, 0, {p, p, p}};
        if (is_listed(list, p) || toi_meet_face_shapes(pair, &point, &shape[!f]) == TOI_NOTHING)
            continue;
        figure_corner corner = {.at = p};
        if (shape[0].dimension == 2 && shape[1].dimension == 2)
            corner.sides = sides_at(pair, &shape[0], p) | sides_at(pair, &shape[1], p) << 3;
        add_corner(list, corner);
    }
}

// p and q are on different sides of the line from r to s, seen along an axis, and neither is on it.
static bool parts(toi_face_pair *pair, const double *r, const double *s, const double *p,
                  const double *q, int axis)
{
    int first = toi_area_sign(r, s, p, axis, &pair->exact);
    return first != 0 && first == -toi_area_sign(r, s, q, axis, &pair->exact);
}

// Sides that cross inside of both, of shapes in one plane that has area seen along `axis`.
static void list_crossings(toi_face_pair *pair, const toi_face_shape shape[2], int axis,
                           corner_list *list)
{
    for (int i = 0; i < side_count(&shape[0]); ++i)
        for (int j = 0; j < side_count(&shape[1]); ++j) {
            const double *p = shape[0].point[i], *q = shape[0].point[(i + 1) % 3];
            const double *r = shape[1].point[j], *s = shape[1].point[(j + 1) % 3];
            if (parts(pair, r, s, p, q, axis) && parts(pair, p, q, r, s, axis))
                add_corner(list, (figure_corner){.crosses = true,
                                                 .ends = {p, q},
                                                 .plane = {r, s, NULL},
                                                 .axis = axis,
                                                 .sides = 1U << i | 8U << j});
        }
}

// A segment that passes the plane of a triangle, and no corner of either is on the other.
static void list_piercing(const toi_face_shape *segment, const toi_face_shape *triangle,
                          corner_list *list)
{
    const double *const *c = triangle->point;
    add_corner(list, (figure_corner){.crosses = true,
                                     .ends = {segment->point[0], segment->point[1]},
                                     .plane = {c[0], c[1], c[2]}});
}

static bool is_in_plane(toi_face_pair *pair, const toi_face_shape *segment,
                        const toi_face_shape *triangle)
{
    const double *const *c = triangle->point;
    return toi_volume_sign(c[0], c[1], c[2], segment->point[0], &pair->exact) == 0 &&
           toi_volume_sign(c[0], c[1], c[2], segment->point[1], &pair->exact) == 0;
}

// Of two segments in one plane: seen along the first axis along which they cross.
static void list_crossing_segments(toi_face_pair *pair, const toi_face_shape shape[2],
                                   corner_list *list)
{
    for (int axis = 0; axis < 3 && list->count == 0; ++axis)
        list_crossings(pair, shape, axis, list);
}

static void list_flat(toi_face_pair *pair, corner_list *list)
{
    toi_face_shape shape[2] = {toi_make_face_shape(pair, 0), toi_make_face_shape(pair, 1)};
    if (toi_meet_face_shapes(pair, &shape[0], &shape[1]) == TOI_NOTHING)
        return;
    list_corners(pair, shape, 0, list);
    list_corners(pair, shape, 1, list);
    int large = shape[0].dimension < shape[1].dimension,
        sum = shape[0].dimension + shape[1].dimension;
    if (shape[large].dimension == 2 && sum >= 3) {
        if (sum == 4 || is_in_plane(pair, &shape[!large], &shape[large]))
            list_crossings(pair, shape, shape[large].axis, list);
        else if (list->count == 0)
            list_piercing(&shape[!large], &shape[large], list);
    } else if (sum == 2 && shape[0].dimension == 1)
        list_crossing_segments(pair, shape, list);
}

// ---- All

// Puts the corners of a polygon in order: neighbours are on a common side.
static void put_in_order(corner_list *list)
{
    for (int i = 1; i < list->count; ++i)
        for (int j = i; j < list->count; ++j)
            if (list->corner[j].sides & list->corner[i - 1].sides) {
                figure_corner next = list->corner[j];
                list->corner[j] = list->corner[i];
                list->corner[i] = next;
                break;
            }
}

static bool reaches_plane(const int side[3])
{
    return side[0] == 0 || side[1] == 0 || side[2] == 0 || toi_has_both(side);
}

static void list_figure(toi_face_pair *pair, corner_list *list)
{
    int a[3], b[3];
    toi_find_sides(pair, 0, a);
    toi_find_sides(pair, 1, b);
    if (!reaches_plane(a) || !reaches_plane(b))
        return;
    if (toi_is_zero(a) || toi_is_zero(b))
        list_flat(pair, list);
    else
        list_along_line(pair, a, b, list);
    if (list->count > 2)
        put_in_order(list);
}

static toi_status find_figure(const toi_corner_view *a, const toi_corner_view *b,
                              toi_overlap_figure *figure)
{
    toi_face_pair pair = {.face = {a, b}};
    corner_list list = {0};
    toi_status status = TOI_OK;
    list_figure(&pair, &list);
    *figure = (toi_overlap_figure){.count = list.count};
    for (int i = 0; i < list.count && status == TOI_OK; ++i)
        if (list.corner[i].crosses)
            status = place_crossing(&list.corner[i], figure->points[i]);
        else
            memcpy(figure->points[i], list.corner[i].at, sizeof figure->points[i]);
    if (status != TOI_OK)
        *figure = (toi_overlap_figure){0};
    return status;
}

static toi_status check_face(const toi_mesh *mesh, int32_t face)
{
    if (face >= 0 && face < mesh->faces.count)
        return TOI_OK;
    return toi_fail(TOI_ERROR_ARGUMENT, "face %" PRId32 " is not in [0, %" PRId64 ")", face,
                    mesh->faces.count);
}

toi_status toi_find_overlap_figure(const toi_mesh *mesh, int32_t a, int32_t b,
                                   toi_overlap_figure *figure)
{
    TOI_GUARD_FP;
    if (!mesh || !figure)
        return toi_fail(TOI_ERROR_ARGUMENT, "the %s is NULL", mesh ? "figure" : "mesh");
    *figure = (toi_overlap_figure){0};
    toi_status status = check_face(mesh, a);
    if (status == TOI_OK)
        status = check_face(mesh, b);
    if (status != TOI_OK)
        return status;
    double x[2][3][3];
    const int32_t *vertex[2] = {toi_face_at(&mesh->faces, a), toi_face_at(&mesh->faces, b)};
    for (int f = 0; f < 2; ++f)
        for (int i = 0; i < 3; ++i)
            toi_load_point(&mesh->start, vertex[f][i], x[f][i]);
    toi_corner_view faces[2] = {{{x[0][0], x[0][1], x[0][2]}, vertex[0], 0},
                                {{x[1][0], x[1][1], x[1][2]}, vertex[1], 0}};
    return find_figure(&faces[0], &faces[1], figure);
}
