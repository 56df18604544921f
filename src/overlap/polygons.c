// Cuts simple polygons into triangles in one sweep over their corners, which also finds out whether
// they are simple: docs/overlap.md, "Polygons".
//
// A polygon is seen along one axis, counterclockwise, and swept from left to right (by the first
// coordinate, then the second). The sides that cross the sweep line are kept from below to above.
// Between a side with the inside above it and the next one lies a strip that is still to be cut; on
// its left it ends at a chain of corners, to which every new corner of the strip is attached. As
// soon as two neighbours on the chain see each other inside, a triangle is cut (Hertel, Mehlhorn
// 1983). Sides are compared when they become neighbours, so that the first crossing is found before
// it can do harm (Shamos, Hoey 1976).

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "mesh/mesh.h"
#include "overlap/orientation.h"
#include "overlap/overlap.h"

#include <string.h>

enum
{
    NONE = -1,
    NODES = 3 // for a corner at most: where it begins a hole of the inside, one chain becomes two
};

// A corner on a chain; the chain goes on below and above.
typedef struct node
{
    int32_t corner;
    int32_t below;
    int32_t above;
} node;

// What is to be cut above a side, if that has the inside above it: the ends of its chain, and the
// node that was attached last, which is the farthest to the right.
typedef struct strip
{
    int32_t low;
    int32_t high;
    int32_t last;
} strip;

// A corner by its place.
typedef struct ranked
{
    uint64_t key[2];
    int32_t corner;
} ranked;

// One polygon being cut. Corners have numbers from 0 to count - 1; side i runs from corner i to
// the next one.
typedef struct cutter
{
    const int32_t *vertices; // of the corners
    int64_t polygon;
    int32_t count;
    int axis;
    bool backwards; // corners are taken in the opposite order
    double (*x)[3];
    ranked *order;
    int32_t *rank;   // of the corners in that order
    int32_t *active; // sides, from below to above
    int32_t active_count;
    strip *strips; // of the sides
    node *nodes;
    int32_t node_count;
    toi_polygon_mesh *mesh;
    int64_t end; // of this polygon's faces
} cutter;

static int32_t next_of(const cutter *c, int32_t i)
{
    if (c->backwards)
        return i == 0 ? c->count - 1 : i - 1;
    return i == c->count - 1 ? 0 : i + 1;
}

static int32_t previous_of(const cutter *c, int32_t i)
{
    if (c->backwards)
        return i == c->count - 1 ? 0 : i + 1;
    return i == 0 ? c->count - 1 : i - 1;
}

static bool is_before(const cutter *c, int32_t i, int32_t j)
{
    return c->rank[i] < c->rank[j];
}

static bool has_inside_above(const cutter *c, int32_t side)
{
    return is_before(c, side, next_of(c, side));
}

static int32_t left_of(const cutter *c, int32_t side)
{
    return has_inside_above(c, side) ? side : next_of(c, side);
}

static int32_t right_of(const cutter *c, int32_t side)
{
    return has_inside_above(c, side) ? next_of(c, side) : side;
}

// 1: counterclockwise.
static int turn_sign(const cutter *c, int32_t i, int32_t j, int32_t k)
{
    bool exact;
    return toi_area_sign(c->x[i], c->x[j], c->x[k], c->axis, &exact);
}

// 1: above the side.
static int height_sign(const cutter *c, int32_t side, int32_t corner)
{
    return turn_sign(c, left_of(c, side), right_of(c, side), corner);
}

// ---- What is not simple

static toi_status refuse_place(const cutter *c, int32_t i, int32_t j)
{
    return toi_fail(TOI_ERROR_DATA,
                    "polygon %" PRId64 " is not simple: its vertices %" PRId32 " and %" PRId32
                    " are at the same place",
                    c->polygon, c->vertices[i], c->vertices[j]);
}

static toi_status refuse_fold(const cutter *c, int32_t i)
{
    return toi_fail(TOI_ERROR_DATA,
                    "polygon %" PRId64 " is not simple: it turns back on itself at vertex %" PRId32,
                    c->polygon, c->vertices[i]);
}

static toi_status refuse_touch(const cutter *c, int32_t i, int32_t side)
{
    return toi_fail(TOI_ERROR_DATA,
                    "polygon %" PRId64 " is not simple: vertex %" PRId32
                    " is on its side from %" PRId32 " to %" PRId32,
                    c->polygon, c->vertices[i], c->vertices[side], c->vertices[next_of(c, side)]);
}

static toi_status refuse_crossing(const cutter *c, int32_t s, int32_t t)
{
    return toi_fail(TOI_ERROR_DATA,
                    "polygon %" PRId64 " is not simple: its sides from %" PRId32 " to %" PRId32
                    " and from %" PRId32 " to %" PRId32 " meet",
                    c->polygon, c->vertices[s], c->vertices[next_of(c, s)], c->vertices[t],
                    c->vertices[next_of(c, t)]);
}

// ---- Triangles

static bool is_diagonal(const cutter *c, int32_t i, int32_t j)
{
    return j != next_of(c, i) && i != next_of(c, j);
}

// Counterclockwise as seen; stored the way the polygon runs.
static void cut_triangle(cutter *c, int32_t i, int32_t j, int32_t k)
{
    int32_t corner[3] = {i, c->backwards ? k : j, c->backwards ? j : k};
    if (c->mesh->count == c->end)
        return; // only for a polygon whose sides will be found to meet
    int64_t face = c->mesh->count++;
    c->mesh->polygons[face] = (int32_t)c->polygon;
    c->mesh->diagonals[face] = 0;
    for (int s = 0; s < 3; ++s) {
        c->mesh->faces[face][s] = c->vertices[corner[s]];
        c->mesh->diagonals[face] |= (uint8_t)(is_diagonal(c, corner[s], corner[(s + 1) % 3]) << s);
    }
}

static int32_t add_node(cutter *c, int32_t corner)
{
    c->nodes[c->node_count] = (node){corner, NONE, NONE};
    return c->node_count++;
}

static void link_nodes(cutter *c, int32_t low, int32_t high)
{
    c->nodes[low].above = high;
    c->nodes[high].below = low;
}

// Cuts off what a new end of a chain sees of it. All that is left turns to the right, or is
// straight.
static void cut_above(cutter *c, int32_t at)
{
    node *n = c->nodes;
    for (int32_t i = n[at].above, j = n[i].above; j != NONE; i = j, j = n[i].above) {
        if (turn_sign(c, n[at].corner, n[i].corner, n[j].corner) >= 0)
            return;
        cut_triangle(c, n[at].corner, n[j].corner, n[i].corner);
        link_nodes(c, at, j);
    }
}

static void cut_below(cutter *c, int32_t at)
{
    node *n = c->nodes;
    for (int32_t i = n[at].below, j = n[i].below; j != NONE; i = j, j = n[i].below) {
        if (turn_sign(c, n[j].corner, n[i].corner, n[at].corner) >= 0)
            return;
        cut_triangle(c, n[j].corner, n[at].corner, n[i].corner);
        link_nodes(c, j, at);
    }
}

// ---- Strips

static void open_strip(cutter *c, int32_t corner, int32_t side)
{
    int32_t at = add_node(c, corner);
    c->strips[side] = (strip){at, at, at};
}

// A corner at the lower end, where `side` follows upon the one that the strip belonged to.
static void extend_below(cutter *c, int32_t corner, int32_t old_side, int32_t side)
{
    strip s = c->strips[old_side];
    int32_t at = add_node(c, corner);
    link_nodes(c, at, s.low);
    cut_above(c, at);
    c->strips[side] = (strip){at, s.high, at};
}

static void extend_above(cutter *c, int32_t corner, int32_t side)
{
    strip *s = &c->strips[side];
    int32_t at = add_node(c, corner);
    link_nodes(c, s->high, at);
    cut_below(c, at);
    s->high = s->last = at;
}

// A corner in the middle of a strip sees the last one. From there on it is two strips, the upper
// one above `side`.
static void split_strip(cutter *c, int32_t corner, int32_t old_side, int32_t side)
{
    strip s = c->strips[old_side];
    int32_t low = add_node(c, corner), high = add_node(c, corner);
    int32_t copy = add_node(c, c->nodes[s.last].corner), above = c->nodes[s.last].above;
    if (above != NONE)
        link_nodes(c, copy, above);
    link_nodes(c, s.last, low);
    link_nodes(c, high, copy);
    cut_below(c, low);
    cut_above(c, high);
    c->strips[old_side] = (strip){s.low, low, low};
    c->strips[side] = (strip){high, above == NONE ? copy : s.high, high};
}

// A corner at which two strips become one.
static void join_strips(cutter *c, int32_t corner, int32_t low_side, int32_t high_side)
{
    extend_above(c, corner, low_side);
    strip *low = &c->strips[low_side], *high = &c->strips[high_side];
    link_nodes(c, low->last, high->low);
    cut_above(c, low->last);
    low->high = high->high;
}

// A corner at which a strip ends: it sees the whole chain.
static void close_strip(cutter *c, int32_t corner, int32_t side)
{
    const node *n = c->nodes;
    for (int32_t i = c->strips[side].low; n[i].above != NONE; i = n[i].above)
        cut_triangle(c, n[i].corner, corner, n[n[i].above].corner);
}

// ---- The sweep

// Where a corner belongs among the sides: above all those in front of *place, and not above the
// one there.
static int32_t find_place(const cutter *c, int32_t corner)
{
    int32_t low = 0, high = c->active_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (height_sign(c, c->active[middle], corner) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The sides that end at a corner are at its place, and no other touches it.
static toi_status check_place(const cutter *c, int32_t corner, int32_t place, int ending)
{
    for (int32_t i = place; i < place + ending; ++i) {
        int32_t side = i < c->active_count ? c->active[i] : NONE;
        if (side != corner && side != previous_of(c, corner))
            return side == NONE ? refuse_fold(c, corner) : refuse_touch(c, corner, side);
    }
    if (place + ending < c->active_count && height_sign(c, c->active[place + ending], corner) == 0)
        return refuse_touch(c, corner, c->active[place + ending]);
    return TOI_OK;
}

static void replace_sides(cutter *c, int32_t place, int old_count, const int32_t *sides, int count)
{
    int32_t *at = c->active + place;
    memmove(at + count, at + old_count, (size_t)(c->active_count - place - old_count) * sizeof *at);
    for (int i = 0; i < count; ++i)
        at[i] = sides[i];
    c->active_count += count - old_count;
}

// The sides in front of a place and at it do not meet: the one that ends first ends on its own side
// of the other.
static toi_status check_neighbours(const cutter *c, int32_t place)
{
    if (place < 1 || place >= c->active_count)
        return TOI_OK;
    int32_t below = c->active[place - 1], above = c->active[place];
    int32_t p = right_of(c, below), q = right_of(c, above);
    if (p == q)
        return TOI_OK;
    bool apart = is_before(c, p, q) ? height_sign(c, above, p) < 0 : height_sign(c, below, q) > 0;
    return apart ? TOI_OK : refuse_crossing(c, below, above);
}

// The strip that a corner is in: that above the side below it.
static int32_t strip_below(const cutter *c, int32_t place)
{
    return place > 0 && has_inside_above(c, c->active[place - 1]) ? c->active[place - 1] : NONE;
}

// Both neighbours are to the right.
static toi_status begin_sides(cutter *c, int32_t corner, int32_t place)
{
    int32_t before = previous_of(c, corner);
    bool convex = turn_sign(c, before, corner, next_of(c, corner)) > 0;
    int32_t around = strip_below(c, place);
    if (!convex && around == NONE)
        return refuse_fold(c, corner);
    if (convex)
        open_strip(c, corner, corner);
    else
        split_strip(c, corner, around, corner);
    replace_sides(c, place, 0, (int32_t[2]){convex ? corner : before, convex ? before : corner}, 2);
    toi_status status = check_neighbours(c, place);
    return status == TOI_OK ? check_neighbours(c, place + 2) : status;
}

// Both neighbours are to the left.
static toi_status end_sides(cutter *c, int32_t corner, int32_t place)
{
    int32_t before = previous_of(c, corner), around = strip_below(c, place);
    bool convex = turn_sign(c, before, corner, next_of(c, corner)) > 0;
    if (!convex && around == NONE)
        return refuse_fold(c, corner);
    if (convex)
        close_strip(c, corner, before);
    else
        join_strips(c, corner, around, before);
    replace_sides(c, place, 2, NULL, 0);
    return check_neighbours(c, place);
}

// One neighbour is to the left and one to the right.
static toi_status continue_side(cutter *c, int32_t corner, int32_t place)
{
    int32_t before = previous_of(c, corner), around = strip_below(c, place), side = corner;
    if (is_before(c, before, corner))
        extend_below(c, corner, before, corner);
    else {
        if (around == NONE)
            return refuse_fold(c, corner);
        extend_above(c, corner, around);
        side = before;
    }
    replace_sides(c, place, 1, &side, 1);
    toi_status status = check_neighbours(c, place);
    return status == TOI_OK ? check_neighbours(c, place + 1) : status;
}

static toi_status visit_corner(cutter *c, int32_t corner)
{
    int32_t before = previous_of(c, corner), after = next_of(c, corner);
    int ending = is_before(c, before, corner) + is_before(c, after, corner);
    if (ending != 1 && turn_sign(c, before, corner, after) == 0)
        return refuse_fold(c, corner);
    int32_t place = find_place(c, corner);
    toi_status status = check_place(c, corner, place, ending);
    if (status != TOI_OK)
        return status;
    return ending == 0   ? begin_sides(c, corner, place)
           : ending == 2 ? end_sides(c, corner, place)
                         : continue_side(c, corner, place);
}

// ---- One polygon

// Keys in the order of the numbers; minus zero is zero.
static uint64_t key_of(double x)
{
    uint64_t pattern;
    x += 0.0;
    memcpy(&pattern, &x, sizeof pattern);
    return pattern >> 63 ? ~pattern : pattern | UINT64_C(1) << 63;
}

static uint64_t rank_key(const void *element, int word)
{
    return ((const ranked *)element)->key[word];
}

static toi_status put_in_order(cutter *c)
{
    for (int32_t i = 0; i < c->count; ++i) {
        const double *x = c->x[i];
        c->order[i] = (ranked){{key_of(x[(c->axis + 1) % 3]), key_of(x[(c->axis + 2) % 3])}, i};
    }
    toi_sort_in_place(c->order, c->count, sizeof *c->order, 2, rank_key);
    for (int32_t i = 0; i < c->count; ++i) {
        const ranked *r = &c->order[i];
        if (i > 0 && r[-1].key[0] == r->key[0] && r[-1].key[1] == r->key[1])
            return refuse_place(c, r[-1].corner < r->corner ? r[-1].corner : r->corner,
                                r[-1].corner < r->corner ? r->corner : r[-1].corner);
        c->rank[r->corner] = i;
    }
    return TOI_OK;
}

// The axis along which the polygon looks largest, by sums in double: all that depends on it is
// exact. Numbers are scaled so that nothing overflows, and what is small compared with the whole
// may be lost.
static int find_axis(const cutter *c)
{
    double largest = 0, area[3] = {0};
    for (int32_t i = 0; i < c->count; ++i)
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(c->x[i][k]));
    int exponent = largest > 0 ? -ilogb(largest) - 2 : 0;
    double origin[3], d[2][3];
    for (int k = 0; k < 3; ++k)
        origin[k] = ldexp(c->x[0][k], exponent);
    for (int32_t i = 1; i < c->count; ++i) {
        for (int k = 0; k < 3; ++k)
            d[i % 2][k] = ldexp(c->x[i][k], exponent) - origin[k];
        for (int k = 0; k < 3 && i > 1; ++k) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            area[k] += d[(i + 1) % 2][p] * d[i % 2][q] - d[(i + 1) % 2][q] * d[i % 2][p];
        }
    }
    int axis = fabs(area[0]) > fabs(area[1]) ? 0 : 1;
    return fabs(area[axis]) > fabs(area[2]) ? axis : 2;
}

static toi_status cut_polygon(cutter *c)
{
    c->backwards = false;
    c->active_count = c->node_count = 0;
    c->end = c->mesh->count + c->count - 2;
    if (c->count == 3) { // a face like any other, with area or without
        cut_triangle(c, 0, 1, 2);
        return TOI_OK;
    }
    c->axis = find_axis(c);
    toi_status status = put_in_order(c);
    if (status != TOI_OK)
        return status;
    int32_t first = c->order[0].corner; // the farthest to the left, where it must turn its way
    c->backwards = turn_sign(c, previous_of(c, first), first, next_of(c, first)) < 0;
    for (int32_t i = 0; i < c->count && status == TOI_OK; ++i)
        status = visit_corner(c, c->order[i].corner);
    return status;
}

// ---- All

static toi_status check_polygons(const toi_point_view *points, const int32_t *corners,
                                 const int64_t *first, int64_t polygon_count, int64_t *faces,
                                 int64_t *most)
{
    *faces = *most = 0;
    for (int64_t p = 0; p < polygon_count; ++p) {
        int64_t count = first[p + 1] - first[p];
        if (count < 3)
            return toi_fail(TOI_ERROR_DATA,
                            "polygon %" PRId64 " has %" PRId64 " corners; it needs three at least",
                            p, count);
        *faces += count - 2;
        *most = count > *most ? count : *most;
        if (*faces > INT32_MAX / NODES)
            return toi_fail(TOI_ERROR_LIMIT, "polygons of more than %d triangles are too many",
                            INT32_MAX / NODES);
        for (int64_t i = first[p]; i < first[p + 1]; ++i)
            if (corners[i] < 0 || corners[i] >= points->count)
                return toi_fail(TOI_ERROR_DATA,
                                "polygon %" PRId64 ": vertex index %" PRId32
                                " is not in [0, %" PRId64 ")",
                                p, corners[i], points->count);
    }
    return TOI_OK;
}

static bool open_cutter(cutter *c, int64_t most)
{
    return (c->x = toi_take(NULL, most, sizeof *c->x)) &&
           (c->order = toi_take(NULL, most, sizeof *c->order)) &&
           (c->rank = toi_take(NULL, most, sizeof *c->rank)) &&
           (c->active = toi_take(NULL, most, sizeof *c->active)) &&
           (c->strips = toi_take(NULL, most, sizeof *c->strips)) &&
           (c->nodes = toi_take(NULL, NODES * most, sizeof *c->nodes));
}

static void close_cutter(cutter *c)
{
    toi_give_back(c->x);
    toi_give_back(c->order);
    toi_give_back(c->rank);
    toi_give_back(c->active);
    toi_give_back(c->strips);
    toi_give_back(c->nodes);
}

static bool open_mesh(toi_polygon_mesh *mesh, int64_t faces)
{
    return (mesh->faces = toi_take(NULL, faces, sizeof *mesh->faces)) &&
           (mesh->polygons = toi_take(NULL, faces, sizeof *mesh->polygons)) &&
           (mesh->diagonals = toi_take(NULL, faces, sizeof *mesh->diagonals));
}

static toi_status cut_all(const toi_point_view *points, const int32_t *corners,
                          const int64_t *first, int64_t polygon_count, cutter *c)
{
    toi_status status = TOI_OK;
    for (c->polygon = 0; c->polygon < polygon_count && status == TOI_OK; ++c->polygon) {
        c->vertices = corners + first[c->polygon];
        c->count = (int32_t)(first[c->polygon + 1] - first[c->polygon]);
        for (int32_t i = 0; i < c->count; ++i)
            toi_load_point(points, c->vertices[i], c->x[i]);
        status = cut_polygon(c);
    }
    return status;
}

toi_status toi_triangulate_polygons(toi_point_view points, const int32_t *corners,
                                    const int64_t *first, int64_t polygon_count,
                                    toi_polygon_mesh *mesh)
{
    TOI_GUARD_FP;
    if (!mesh)
        return toi_fail(TOI_ERROR_ARGUMENT, "the polygon mesh is NULL");
    *mesh = (toi_polygon_mesh){0};
    toi_status status = toi_check_count(polygon_count, "polygons");
    if (status == TOI_OK)
        status = toi_check_positions(&points, &points, toi_default_workers());
    if (status != TOI_OK)
        return status;
    if (polygon_count > 0 && (!corners || !first))
        return toi_fail(TOI_ERROR_ARGUMENT, "the polygons' %s are NULL",
                        first ? "corners" : "first corners");
    if (polygon_count > 0 && first[0] != 0)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the first polygon begins at corner %" PRId64 "; it must be 0", first[0]);
    int64_t faces = 0, most = 0;
    status = check_polygons(&points, corners, first, polygon_count, &faces, &most);
    cutter c = {.mesh = mesh};
    if (status == TOI_OK && (!open_mesh(mesh, faces) || !open_cutter(&c, most)))
        status = toi_allocation_status();
    if (status == TOI_OK)
        status = cut_all(&points, corners, first, polygon_count, &c);
    close_cutter(&c);
    if (status != TOI_OK)
        toi_free_polygon_mesh(mesh);
    return status;
}

void toi_free_polygon_mesh(toi_polygon_mesh *mesh)
{
    if (!mesh)
        return;
    toi_give_back(mesh->faces);
    toi_give_back(mesh->polygons);
    toi_give_back(mesh->diagonals);
    *mesh = (toi_polygon_mesh){0};
}

toi_polygon_view toi_view_polygons(const toi_polygon_mesh *mesh)
{
    return (toi_polygon_view){mesh->polygons, mesh->diagonals, mesh->count};
}
