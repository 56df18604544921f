// Surfaces: meshes in a hierarchy of boxes, and the boxes of one that moves on straight lines.

#include "sdf/surface.h"
#include "sdf/vector.h"

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/mesh.h"

#include <string.h>

// Half sizes and radii are computed with a few roundings each, and may not be too small.
static const double UP = 1 + 0x1p-49;

static void corners_of(const toi_box_tree *tree, int32_t triangle, double x[3][3])
{
    for (int i = 0; i < 3; ++i)
        memcpy(x[i], tree->points[tree->faces[triangle][i]], sizeof x[i]);
}

// The longest distance of a node's vertices from its centre.
static double radius_of(const toi_box_tree *tree, const toi_box_node *node, const double centre[3])
{
    double most = 0;
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        double x[3][3], e[3];
        corners_of(tree, tree->order[i], x);
        for (int k = 0; k < 3; ++k) {
            toi_subtract(x[k], centre, e);
            double square = toi_dot(e, e);
            most = square > most ? square : most;
        }
    }
    return sqrt(most) * UP;
}

static void box_of(const double low[3], const double high[3], toi_surface_box *box)
{
    for (int k = 0; k < 3; ++k) {
        box->centre[k] = 0.5 * low[k] + 0.5 * high[k];
        double up = high[k] - box->centre[k], down = box->centre[k] - low[k];
        box->half[k] = (up > down ? up : down) * UP;
    }
}

static toi_status fill_boxes(void *context, int64_t first, int64_t end)
{
    toi_surface *surface = context;
    for (int64_t i = first; i < end; ++i) {
        const toi_box_node *node = &surface->tree.nodes[i];
        toi_surface_box *box = &surface->boxes[i];
        box_of(node->low, node->high, box);
        double corner = toi_norm(box->half) * UP;
        box->radius = corner;
        // Large nodes have many vertices, and are too seldom asked for to look at them all.
        if (node->count <= 4096) {
            double radius = radius_of(&surface->tree, node, box->centre);
            box->radius = radius < corner ? radius : corner;
        }
    }
    return TOI_OK;
}

toi_status toi_make_surface(toi_point_view points, toi_index_view faces, int workers,
                            toi_surface **surface)
{
    TOI_GUARD_FP;
    int resolved;
    *surface = NULL;
    toi_status status = toi_resolve_workers(workers, &resolved);
    if (status != TOI_OK)
        return status;
    toi_surface *made = toi_take(NULL, 1, sizeof *made);
    if (!made)
        return toi_allocation_status();
    memset(made, 0, sizeof *made);
    status = toi_make_box_tree(points, faces, 1, resolved, &made->tree);
    if (status == TOI_OK) {
        made->boxes = toi_take(NULL, made->tree.node_count, sizeof *made->boxes);
        status = made->boxes ? TOI_OK : toi_allocation_status();
    }
    if (status == TOI_OK)
        status = toi_parallel_ranges(resolved, made->tree.node_count, 256, fill_boxes, made);
    if (status == TOI_OK)
        *surface = made;
    else
        toi_free_surface(made);
    return status;
}

void toi_free_surface(toi_surface *surface)
{
    if (!surface)
        return;
    toi_free_box_tree(&surface->tree);
    toi_give_back(surface->boxes);
    toi_give_back(surface);
}

void toi_question_corners(const toi_sdf_question *question, int32_t triangle, toi_corner corners[3])
{
    if (!question->surface) {
        memcpy(corners, question->single, 3 * sizeof *corners);
        return;
    }
    const toi_box_tree *tree = &question->surface->tree;
    for (int i = 0; i < 3; ++i) {
        int32_t vertex = tree->faces[triangle][i];
        if (question->lines)
            corners[i] = question->lines[vertex];
        else
            toi_track_corner(&question->track, tree->points[vertex], NULL, &corners[i]);
    }
}

void toi_question_box(const toi_sdf_question *question, int64_t node, toi_moving_box *box)
{
    if (question->moving) {
        *box = question->moving[node];
        return;
    }
    const toi_surface_box *still = &question->surface->boxes[node];
    memset(box, 0, sizeof *box);
    toi_track_corner(&question->track, still->centre, NULL, &box->centre);
    memcpy(box->half, still->half, sizeof box->half);
    box->radius = still->radius;
}

// Straight lines: a box at the start and one at the end for every node.
typedef struct refit
{
    const toi_surface *surface;
    const toi_track *track;
    const toi_motion *motion;
    toi_corner *lines;
    double (*low)[2][3]; // a node's box at start and end, relative to the track's centre
    double (*high)[2][3];
    toi_moving_box *moving;
} refit;

static toi_status fill_lines(void *context, int64_t first, int64_t end)
{
    refit *r = context;
    for (int64_t i = first; i < end; ++i) {
        double a[3], b[3];
        toi_load_point(&r->motion->start, i, a);
        toi_load_point(&r->motion->end, i, b);
        toi_track_corner(r->track, a, b, &r->lines[i]);
    }
    return TOI_OK;
}

static void grow_box(const double x[3], double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = x[k] < low[k] ? x[k] : low[k];
        high[k] = x[k] > high[k] ? x[k] : high[k];
    }
}

static void bound_leaf(const refit *r, int64_t node)
{
    const toi_box_tree *tree = &r->surface->tree;
    const toi_box_node *box = &tree->nodes[node];
    for (int e = 0; e < 2; ++e)
        for (int k = 0; k < 3; ++k) {
            r->low[node][e][k] = INFINITY;
            r->high[node][e][k] = -INFINITY;
        }
    for (int32_t i = box->first; i < box->first + box->count; ++i)
        for (int c = 0; c < 3; ++c) {
            const toi_corner *line = &r->lines[tree->faces[tree->order[i]][c]];
            double x[3];
            grow_box(line->p, r->low[node][0], r->high[node][0]);
            for (int k = 0; k < 3; ++k)
                x[k] = line->p[k] + r->track->duration * line->v[k];
            grow_box(x, r->low[node][1], r->high[node][1]);
        }
}

static void bound_children(const refit *r, int64_t node)
{
    int64_t child = r->surface->tree.nodes[node].child;
    memcpy(r->low[node], r->low[child], sizeof r->low[node]);
    memcpy(r->high[node], r->high[child], sizeof r->high[node]);
    for (int e = 0; e < 2; ++e) {
        grow_box(r->low[child + 1][e], r->low[node][e], r->high[node][e]);
        grow_box(r->high[child + 1][e], r->low[node][e], r->high[node][e]);
    }
}

static toi_status fill_moving(void *context, int64_t first, int64_t end)
{
    refit *r = context;
    double duration = r->track->duration;
    for (int64_t i = first; i < end; ++i) {
        toi_surface_box box[2];
        toi_moving_box *moving = &r->moving[i];
        for (int e = 0; e < 2; ++e) {
            box_of(r->low[i][e], r->high[i][e], &box[e]);
            box[e].radius = toi_norm(box[e].half) * UP;
        }
        for (int k = 0; k < 3; ++k) {
            moving->centre.p[k] = box[0].centre[k];
            moving->centre.v[k] = toi_line_rate(box[0].centre[k], box[1].centre[k], duration);
            moving->half[k] = box[0].half[k] + 8 * TOI_ROUND * r->track->reach;
            moving->half_rate[k] = toi_line_rate(box[0].half[k], box[1].half[k], duration);
        }
        moving->radius = box[0].radius + 16 * TOI_ROUND * r->track->reach;
        moving->radius_rate = toi_line_rate(box[0].radius, box[1].radius, duration);
    }
    return TOI_OK;
}

// Children come after their parents, so that going backwards each node finds its own done.
static void bound_nodes(const refit *r)
{
    for (int64_t i = r->surface->tree.node_count - 1; i >= 0; --i) {
        if (r->surface->tree.nodes[i].child)
            bound_children(r, i);
        else
            bound_leaf(r, i);
    }
}

toi_status toi_refit_surface(const toi_surface *surface, const toi_track *track, int workers,
                             toi_corner **lines, toi_moving_box **moving)
{
    refit r = {.surface = surface, .track = track, .motion = track->motion};
    int64_t points = surface->tree.point_count, nodes = surface->tree.node_count;
    r.lines = toi_take(NULL, points, sizeof *r.lines);
    r.low = toi_take(NULL, nodes, sizeof *r.low);
    r.high = toi_take(NULL, nodes, sizeof *r.high);
    r.moving = toi_take(NULL, nodes, sizeof *r.moving);
    bool room = r.lines && r.low && r.high && r.moving;
    toi_status status = room ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, points, TOI_PIECE, fill_lines, &r);
    if (status == TOI_OK) {
        bound_nodes(&r);
        status = toi_parallel_ranges(workers, nodes, TOI_PIECE, fill_moving, &r);
    }
    toi_give_back(r.low);
    toi_give_back(r.high);
    if (status == TOI_OK) {
        *lines = r.lines;
        *moving = r.moving;
        return TOI_OK;
    }
    toi_give_back(r.lines);
    toi_give_back(r.moving);
    return status;
}
