// Distances at the nodes of a grid: groups of 4 x 4 x 4 nodes against the triangles that can be
// nearest to one of them.

#include "base/memory.h"
#include "base/simd.h"
#include "base/status.h"
#include "sdf/bake_triangle.h"

#include <math.h>
#include <string.h>

toi_bake_lower_fn toi_bake_lower_baseline, toi_bake_lower_avx2, toi_bake_lower_avx512;
static toi_bake_lower_fn *const lower_functions[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_bake_lower);

// ---- Triangles

// a less its part along the unit vector u; twice, so that what is left is at right angles to u even
// where it is a rounding error.
static void take_off(const double u[3], double a[3])
{
    for (int round = 0; round < 2; ++round) {
        double along = toi_dot(u, a);
        for (int k = 0; k < 3; ++k)
            a[k] -= along * u[k];
    }
}

static double make_unit(double a[3])
{
    double length = sqrt(toi_dot(a, a));
    for (int k = 0; k < 3; ++k)
        a[k] = length > 0 ? a[k] / length : 0;
    return length;
}

// At right angles to u, whatever v is.
static void make_second_axis(const double u[3], const double v[3], double axis[3])
{
    memcpy(axis, v, 3 * sizeof *axis);
    take_off(u, axis);
    if (make_unit(axis) > 0) {
        take_off(u, axis);
        make_unit(axis);
        return;
    }
    int least = fabs(u[0]) <= fabs(u[1]) && fabs(u[0]) <= fabs(u[2]) ? 0
                : fabs(u[1]) <= fabs(u[2])                           ? 1
                                                                     : 2;
    axis[least] = 1;
    take_off(u, axis);
    make_unit(axis);
}

static void set_side(toi_bake_triangle *t, int side, double x, double y)
{
    double length = sqrt(x * x + y * y);
    t->lengths[1 + side] = length;
    t->sides[side][0] = length > 0 ? x / length : 0;
    t->sides[side][1] = length > 0 ? y / length : 0;
}

static int longest_side(double (*points)[3], const int32_t face[3])
{
    double squares[3];
    for (int c = 0; c < 3; ++c) {
        double e[3];
        for (int k = 0; k < 3; ++k)
            e[k] = points[face[(c + 1) % 3]][k] - points[face[c]][k];
        squares[c] = toi_dot(e, e);
    }
    int longest = squares[1] > squares[0];
    return squares[2] > squares[longest] ? 2 : longest;
}

static void prepare_triangle(const toi_box_tree *tree, int32_t number, toi_bake_triangle *t)
{
    const int32_t *face = tree->faces[number];
    int first = longest_side(tree->points, face);
    const double *a = tree->points[face[first]], *b = tree->points[face[(first + 1) % 3]];
    const double *c = tree->points[face[(first + 2) % 3]];
    double third[3];
    for (int k = 0; k < 3; ++k) {
        t->origin[k] = a[k];
        t->axes[0][k] = b[k] - a[k];
        third[k] = c[k] - a[k];
    }
    t->lengths[0] = make_unit(t->axes[0]);
    if (t->lengths[0] == 0)
        t->axes[0][0] = 1;
    make_second_axis(t->axes[0], third, t->axes[1]);
    toi_cross(t->axes[0], t->axes[1], t->axes[2]);
    double x = toi_dot(third, t->axes[0]), y = toi_dot(third, t->axes[1]);
    set_side(t, 0, x - t->lengths[0], y);
    set_side(t, 1, x, y);
    t->least = y > 1e-14 * t->lengths[0] ? 0 : INFINITY;
}

toi_status toi_prepare_bake(toi_bake *bake)
{
    const toi_box_tree *tree = &bake->tree;
    bake->triangles = toi_take(NULL, tree->face_count, sizeof *bake->triangles);
    if (!bake->triangles)
        return toi_allocation_status();
    for (int64_t i = 0; i < tree->face_count; ++i)
        prepare_triangle(tree, tree->order[i], &bake->triangles[i]);
    return TOI_OK;
}

// ---- One point

// The squared distance between a node of the tree and a box; a point is a box, too.
static double box_square(const toi_box_node *node, const double low[3], const double high[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double d = toi_max(toi_max(node->low[k] - high[k], low[k] - node->high[k]), 0);
        sum += d * d;
    }
    return sum;
}

typedef struct waiting
{
    int32_t node;
    double square;
} waiting;

static void search_leaf(const toi_bake *bake, const toi_box_node *node, const double at[3],
                        double *best, int64_t *nearest)
{
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        double square = toi_triangle_square(&bake->triangles[i], at);
        if (square < *best) {
            *best = square;
            *nearest = i;
        }
    }
}

// The squared distance of a point to the mesh; *nearest is a triangle to begin with, and that
// found.
static double nearest_square(const toi_bake *bake, const double at[3], int64_t *nearest)
{
    double best = toi_triangle_square(&bake->triangles[*nearest], at);
    waiting stack[TOI_TREE_DEPTH + 2];
    int count = 0;
    stack[count++] = (waiting){0, box_square(&bake->tree.nodes[0], at, at)};
    while (count > 0) {
        waiting next = stack[--count];
        if (next.square >= best)
            continue;
        const toi_box_node *node = &bake->tree.nodes[next.node];
        if (!node->child) {
            search_leaf(bake, node, at, &best, nearest);
            continue;
        }
        double a = box_square(&bake->tree.nodes[node->child], at, at);
        double b = box_square(&bake->tree.nodes[node->child + 1], at, at);
        int nearer = b < a;
        stack[count++] = (waiting){node->child + !nearer, nearer ? a : b};
        stack[count++] = (waiting){node->child + nearer, nearer ? b : a};
    }
    return best;
}

// ---- Groups

typedef struct group_search
{
    double low[3];
    double high[3];
    double middle[3];
    double reach;       // squared; a nearest triangle is no farther from the group's box
    double from_middle; // squared; nor from its middle
} group_search;

static void begin_group(const double corner[3], toi_bake_group *group, group_search *s)
{
    for (int i = 0; i < TOI_BAKE_POINTS; ++i) {
        group->at[0][i] = corner[0] + (i & 3);
        group->at[1][i] = corner[1] + (i >> 2 & 3);
        group->at[2][i] = corner[2] + (i >> 4);
        group->best[i] = INFINITY;
    }
    for (int k = 0; k < 3; ++k) {
        s->low[k] = corner[k];
        s->high[k] = corner[k] + 3;
        s->middle[k] = corner[k] + 1.5;
    }
}

static double greatest_of(const double best[TOI_BAKE_POINTS])
{
    double greatest = 0;
    for (int i = 0; i < TOI_BAKE_POINTS; ++i)
        greatest = best[i] > greatest ? best[i] : greatest;
    return greatest;
}

static bool may_be_nearest(const toi_box_node *node, const group_search *s)
{
    return box_square(node, s->low, s->high) <= s->reach &&
           box_square(node, s->middle, s->middle) <= s->from_middle;
}

// Every triangle that may be nearest to a point of the group is met, nearer boxes first.
static void walk_group(const toi_bake *bake, group_search *s, toi_bake_group *group)
{
    toi_bake_lower_fn *lower = lower_functions[toi_simd_level()];
    int32_t stack[TOI_TREE_DEPTH + 2];
    int count = 0, leaves = 0;
    stack[count++] = 0;
    while (count > 0) {
        const toi_box_node *node = &bake->tree.nodes[stack[--count]];
        if (!may_be_nearest(node, s))
            continue;
        if (node->child) {
            double a = box_square(&bake->tree.nodes[node->child], s->low, s->high);
            double b = box_square(&bake->tree.nodes[node->child + 1], s->low, s->high);
            stack[count++] = node->child + (a <= b);
            stack[count++] = node->child + (a > b);
            continue;
        }
        lower(group, bake->triangles, node->first, node->first + node->count);
        if (++leaves % 4 == 0)
            s->reach = toi_min(s->reach, greatest_of(group->best) * (1 + 1e-12));
    }
}

// Distances of the 64 points from `corner` on, one cell apart. The middle's distance bounds those
// of all: no point is farther than half the group's diagonal from it.
static void measure_group(const toi_bake *bake, const double corner[3], int64_t *nearest,
                          double distances[TOI_BAKE_POINTS])
{
    toi_bake_group group;
    group_search s;
    const double half_diagonal = 2.5980762113533165;
    begin_group(corner, &group, &s);
    double middle = sqrt(nearest_square(bake, s.middle, nearest));
    double reach = (middle + half_diagonal) * (1 + 1e-12);
    double from_middle = (middle + 2 * half_diagonal) * (1 + 1e-12);
    s.reach = reach * reach;
    s.from_middle = from_middle * from_middle;
    lower_functions[toi_simd_level()](&group, bake->triangles, *nearest, *nearest + 1);
    walk_group(bake, &s, &group);
    for (int i = 0; i < TOI_BAKE_POINTS; ++i)
        distances[i] = sqrt(group.best[i]);
}

// ---- Blocks

static double limited(const toi_bake *bake, double distance)
{
    return distance < bake->far ? distance : bake->far;
}

static int local_node(const int32_t group[3], int i)
{
    return (4 * group[0] + (i & 3)) + 8 * (4 * group[1] + (i >> 2 & 3)) +
           64 * (4 * group[2] + (i >> 4));
}

// The two inner values of the edges from each node along an axis.
static void measure_edges(const toi_bake *bake, const double corner[3], const int32_t group[3],
                          int axis, int64_t *nearest, float *bubbles)
{
    for (int third = 0; third < 2; ++third) {
        double distances[TOI_BAKE_POINTS];
        double from[3] = {corner[0], corner[1], corner[2]};
        from[axis] += (third + 1) / 3.0;
        measure_group(bake, from, nearest, distances);
        for (int i = 0; i < TOI_BAKE_POINTS; ++i)
            bubbles[(3 * local_node(group, i) + axis) * 2 + third] =
                (float)limited(bake, distances[i]);
    }
}

static void measure_block_part(const toi_bake *bake, int64_t number, const int32_t block[3],
                               const int32_t group[3], int64_t *nearest)
{
    double corner[3], distances[TOI_BAKE_POINTS];
    for (int k = 0; k < 3; ++k) {
        corner[k] = 8 * block[k] + 4 * group[k];
        if (corner[k] > 8 * bake->blocks[k])
            return; // beyond the last layer of nodes
    }
    measure_group(bake, corner, nearest, distances);
    for (int i = 0; i < TOI_BAKE_POINTS; ++i)
        bake->values[512 * number + local_node(group, i)] = (float)limited(bake, distances[i]);
    if (bake->cubic)
        for (int axis = 0; axis < 3; ++axis)
            measure_edges(bake, corner, group, axis, nearest, bake->bubbles + 3072 * number);
}

// Blocks are searched on their own, so that it does not matter who searches which.
static toi_status measure_block(void *context, int64_t number, int worker)
{
    (void)worker;
    toi_bake *bake = context;
    int32_t block[3];
    int64_t nearest = 0;
    toi_lattice_place(bake->lattice, bake->place[number], block);
    for (int i = 0; i < 8; ++i)
        measure_block_part(bake, number, block, (int32_t[3]){i & 1, i >> 1 & 1, i >> 2}, &nearest);
    return toi_meter_add(&bake->meter, 1);
}

// ---- Which blocks

// Is any point of a block of cells nearer than `far`?
static toi_status look_at_row(void *context, int64_t row, int worker)
{
    (void)worker;
    toi_bake *bake = context;
    int64_t nearest = 0;
    for (int32_t x = 0; x < bake->blocks[0]; ++x) {
        int32_t at[3] = {x, (int32_t)(row % bake->blocks[1]), (int32_t)(row / bake->blocks[1])};
        double middle[3] = {8.0 * at[0] + 4, 8.0 * at[1] + 4, 8.0 * at[2] + 4};
        double distance = sqrt(nearest_square(bake, middle, &nearest));
        bake->wanted[toi_lattice_index(bake->blocks, at)] = distance < bake->far + 6.9282033;
    }
    return TOI_OK;
}

static void mark_nodes(toi_bake *bake)
{
    int64_t blocks = (int64_t)bake->blocks[0] * bake->blocks[1] * bake->blocks[2];
    for (int64_t i = 0; i < blocks; ++i) {
        int32_t at[3];
        toi_lattice_place(bake->blocks, i, at);
        for (int corner = 0; bake->wanted[i] && corner < 8; ++corner) {
            int32_t of[3] = {at[0] + (corner & 1), at[1] + (corner >> 1 & 1),
                             at[2] + (corner >> 2)};
            bake->table[toi_lattice_index(bake->lattice, of)] = 0;
        }
    }
}

static toi_status number_nodes(toi_bake *bake, int64_t lattice)
{
    bake->count = 0;
    for (int64_t i = 0; i < lattice; ++i)
        if (bake->table[i] == 0)
            bake->table[i] = bake->count++;
    if ((int64_t)bake->count * 512 + lattice > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "the grid has more than 2^31 nodes; choose a lower "
                                         "resolution, or a narrow band");
    bake->place = toi_take(NULL, bake->count, sizeof *bake->place);
    bake->values = toi_take(NULL, (int64_t)bake->count * 512, sizeof *bake->values);
    if (!bake->place || !bake->values)
        return toi_allocation_status();
    if (bake->cubic) {
        bake->bubbles = toi_take(NULL, (int64_t)bake->count * 3072, sizeof *bake->bubbles);
        if (!bake->bubbles)
            return toi_allocation_status();
    }
    for (int64_t i = 0; i < lattice; ++i)
        if (bake->table[i] >= 0)
            bake->place[bake->table[i]] = i;
    return TOI_OK;
}

static toi_status choose_blocks(toi_bake *bake)
{
    int64_t blocks = (int64_t)bake->blocks[0] * bake->blocks[1] * bake->blocks[2];
    int64_t lattice = (int64_t)bake->lattice[0] * bake->lattice[1] * bake->lattice[2];
    bake->wanted = toi_take(NULL, blocks, 1);
    bake->table = toi_take(NULL, lattice, sizeof *bake->table);
    if (!bake->wanted || !bake->table)
        return toi_allocation_status();
    memset(bake->wanted, 1, (size_t)blocks);
    memset(bake->table, 0xff, (size_t)lattice * sizeof *bake->table);
    toi_status status = TOI_OK;
    if (bake->far < INFINITY)
        status = toi_parallel(bake->workers, (int64_t)bake->blocks[1] * bake->blocks[2],
                              look_at_row, bake);
    if (status != TOI_OK)
        return status;
    mark_nodes(bake);
    return number_nodes(bake, lattice);
}

toi_status toi_bake_distances(toi_bake *bake)
{
    toi_status status = choose_blocks(bake);
    if (status != TOI_OK)
        return status;
    bake->meter.share = 0.8;
    bake->meter.total = bake->count;
    return toi_parallel(bake->workers, bake->count, measure_block, bake);
}
