// Which nodes are inside. Two neighbours whose distances sum to more than a cell are on one side:
// no surface crosses the edge between them. So nodes fall into components, and one winding number
// tells the side of each.

#include "base/memory.h"
#include "base/status.h"
#include "sdf/bake.h"

#include <math.h>
#include <string.h>

// More than a cell by more than the distances' errors (docs/sdf.md).
#define CLEAR 1.0001f

// ---- Components

// A component's root is its first node. Nodes are numbered block by block, 512 each; behind them
// comes a number for every block of the lattice, for those without values.
typedef struct forest
{
    toi_bake *bake;
    int32_t *parent;
    int64_t size;
} forest;

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int32_t *parent, int32_t a, int32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

// How many nodes of a block of the lattice lie in the grid, along an axis.
static int nodes_along(const toi_bake *bake, const int32_t block[3], int axis)
{
    return block[axis] + 1 < bake->lattice[axis] ? 8 : 1;
}

static void join_within(const toi_bake *bake, int32_t number, const int limit[3], int32_t *parent)
{
    static const int strides[3] = {1, 8, 64};
    const float *values = bake->values + (int64_t)512 * number;
    int at[3];
    for (at[2] = 0; at[2] < limit[2]; ++at[2])
        for (at[1] = 0; at[1] < limit[1]; ++at[1])
            for (at[0] = 0; at[0] < limit[0]; ++at[0]) {
                int i = at[0] + 8 * at[1] + 64 * at[2];
                for (int axis = 0; axis < 3; ++axis)
                    if (at[axis] > 0 && values[i] + values[i - strides[axis]] > CLEAR)
                        join(parent, 512 * number + i, 512 * number + i - strides[axis]);
            }
}

static toi_status join_block(void *context, int64_t number, int worker)
{
    (void)worker;
    forest *f = context;
    int32_t block[3];
    toi_lattice_place(f->bake->lattice, f->bake->place[number], block);
    int limit[3];
    for (int k = 0; k < 3; ++k)
        limit[k] = nodes_along(f->bake, block, k);
    for (int i = 0; i < 512; ++i) { // nodes beyond the grid go with the first
        bool in = (i & 7) < limit[0] && (i >> 3 & 7) < limit[1] && i >> 6 < limit[2];
        f->parent[512 * number + i] = (int32_t)(512 * number + (in ? i : 0));
    }
    join_within(f->bake, (int32_t)number, limit, f->parent);
    return TOI_OK;
}

// A node of a block of the lattice, or what stands for all of its nodes.
static int32_t node_number(const toi_bake *bake, int64_t place, int local)
{
    int32_t number = bake->table[place];
    return number >= 0 ? 512 * number + local : (int32_t)(512 * (int64_t)bake->count + place);
}

static float node_value(const toi_bake *bake, int64_t place, int local)
{
    int32_t number = bake->table[place];
    return number >= 0 ? bake->values[(int64_t)512 * number + local] : (float)bake->far;
}

// With the next block along an axis.
static void join_across(const forest *f, const int32_t block[3], int axis)
{
    static const int strides[3] = {1, 8, 64};
    const toi_bake *bake = f->bake;
    int32_t next[3] = {block[0], block[1], block[2]};
    ++next[axis];
    int64_t mine = toi_lattice_index(bake->lattice, block);
    int64_t other = toi_lattice_index(bake->lattice, next);
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int j = 0; j < nodes_along(bake, block, c); ++j)
        for (int i = 0; i < nodes_along(bake, block, b); ++i) {
            int low = i * strides[b] + j * strides[c], high = low + 7 * strides[axis];
            if (node_value(bake, mine, high) + node_value(bake, other, low) > CLEAR)
                join(f->parent, node_number(bake, mine, high), node_number(bake, other, low));
        }
}

static void join_blocks(const forest *f)
{
    const toi_bake *bake = f->bake;
    int64_t lattice = (int64_t)bake->lattice[0] * bake->lattice[1] * bake->lattice[2];
    for (int64_t i = 0; i < lattice; ++i)
        f->parent[512 * (int64_t)bake->count + i] = (int32_t)(512 * (int64_t)bake->count + i);
    for (int64_t i = 0; i < lattice; ++i) {
        int32_t block[3];
        toi_lattice_place(bake->lattice, i, block);
        for (int axis = 0; axis < 3; ++axis)
            if (block[axis] + 1 < bake->lattice[axis])
                join_across(f, block, axis);
    }
}

// ---- Winding numbers

// What is known of a component: its node farthest from the surface.
typedef struct component
{
    int32_t node;
    float distance;
    bool inside;
} component;

static int64_t place_of_node(const toi_bake *bake, int64_t node)
{
    int64_t own = 512 * (int64_t)bake->count;
    return node < own ? bake->place[node / 512] : node - own;
}

// In cells.
static void point_of_node(const toi_bake *bake, int64_t node, double point[3])
{
    int32_t block[3];
    int local = node < 512 * (int64_t)bake->count ? (int)(node % 512) : 0;
    toi_lattice_place(bake->lattice, place_of_node(bake, node), block);
    for (int k = 0; k < 3; ++k)
        point[k] = 8 * block[k] + (local >> 3 * k & 7);
}

// Every node then has its root as parent, but for the roots: they have -1 - the component's number.
// (A parent comes before its children.)
static int64_t number_components(const forest *f)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->size; ++i) {
        int32_t p = f->parent[i];
        if (p == i)
            f->parent[i] = (int32_t)(-1 - count++);
        else if (f->parent[p] >= 0)
            f->parent[i] = f->parent[p];
    }
    return count;
}

static int64_t component_of(const forest *f, int64_t node)
{
    int32_t p = f->parent[node];
    return -1 - (int64_t)(p < 0 ? p : f->parent[p]);
}

// Blocks beyond the last cells have one layer of nodes.
static bool in_grid(const toi_bake *bake, int64_t node)
{
    double point[3];
    point_of_node(bake, node, point);
    for (int k = 0; k < 3; ++k)
        if (point[k] > 8 * bake->blocks[k])
            return false;
    return true;
}

static void find_deepest(const forest *f, component *components, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        components[i] = (component){-1, -1, false};
    const toi_bake *bake = f->bake;
    int64_t own = 512 * (int64_t)bake->count;
    for (int64_t i = 0; i < f->size; ++i) {
        if (i >= own && bake->table[i - own] >= 0)
            continue;
        component *c = &components[component_of(f, i)];
        float distance = i < own ? bake->values[i] : (float)bake->far;
        if (distance > c->distance && in_grid(bake, i)) {
            c->node = (int32_t)i;
            c->distance = distance;
        }
    }
}

typedef struct windings
{
    const toi_bake *bake;
    const double (*points)[3];
    double *numbers;
    toi_meter *meter;
} windings;

enum
{
    WINDINGS = 32 // of a task
};

static double winding_at(const toi_bake *bake, const double at[3])
{
    double point[3];
    bool certain; // if not, the point is as good as on the surface, and either side is right
    for (int k = 0; k < 3; ++k)
        point[k] = bake->origin[k] + bake->cell * at[k];
    return toi_winding_number(&bake->mesh, point, &certain);
}

static toi_status wind_some(void *context, int64_t first, int64_t end)
{
    const windings *w = context;
    for (int64_t i = first; i < end; ++i)
        w->numbers[i] = winding_at(w->bake, w->points[i]);
    return toi_meter_add(w->meter, end - first);
}

static toi_status wind_all(toi_bake *bake, const double (*points)[3], int64_t count,
                           double *numbers)
{
    windings w = {bake, points, numbers, &bake->meter};
    bake->meter.base += bake->meter.share;
    bake->meter.share = 0.1;
    bake->meter.total = count;
    bake->meter.done = 0;
    return toi_parallel_ranges(bake->workers, count, WINDINGS, wind_some, &w);
}

// ---- Sides

static double node_side(const toi_bake *bake, int64_t place, int local)
{
    return bake->table[place] >= 0 ? node_value(bake, place, local)
           : bake->inside[place]   ? -bake->far
                                   : bake->far;
}

static void sign_nodes(const forest *f, const component *components)
{
    toi_bake *bake = f->bake;
    int64_t own = 512 * (int64_t)bake->count;
    for (int64_t i = 0; i < f->size; ++i) {
        bool inside = components[component_of(f, i)].inside;
        if (i >= own)
            bake->inside[i - own] = inside;
        else if (inside)
            bake->values[i] = -bake->values[i];
    }
}

static toi_status wind_components(toi_bake *bake, component *components, int64_t count)
{
    double(*points)[3] = toi_take(NULL, count, sizeof *points);
    double *numbers = points ? toi_take(NULL, count, sizeof *numbers) : NULL;
    toi_status status = numbers ? TOI_OK : toi_allocation_status();
    for (int64_t i = 0; status == TOI_OK && i < count; ++i)
        point_of_node(bake, components[i].node, points[i]);
    if (status == TOI_OK)
        status = wind_all(bake, (const double(*)[3])points, count, numbers);
    for (int64_t i = 0; status == TOI_OK && i < count; ++i)
        components[i].inside = numbers[i] >= 0.5;
    toi_give_back(numbers);
    toi_give_back(points);
    return status;
}

// The first component is that of the grid's corner: outside, whatever holes the mesh may have.
// Roots of blocks that have values are components, too; they belong to no node.
static toi_status sign_components(const forest *f)
{
    int64_t count = number_components(f);
    component *components = toi_take(NULL, count, sizeof *components);
    if (!components)
        return toi_allocation_status();
    find_deepest(f, components, count);
    int64_t outside = component_of(f, node_number(f->bake, 0, 0)), used = 0;
    int64_t *of = toi_take(NULL, count, sizeof *of);
    toi_status status = of ? TOI_OK : toi_allocation_status();
    component *asked = status == TOI_OK ? toi_take(NULL, count, sizeof *asked) : NULL;
    if (status == TOI_OK && !asked)
        status = toi_allocation_status();
    for (int64_t i = 0; status == TOI_OK && i < count; ++i)
        if (i != outside && components[i].node >= 0) {
            of[used] = i;
            asked[used++] = components[i];
        }
    if (status == TOI_OK)
        status = wind_components(f->bake, asked, used);
    for (int64_t i = 0; status == TOI_OK && i < used; ++i)
        components[of[i]].inside = asked[i].inside;
    if (status == TOI_OK)
        sign_nodes(f, components);
    toi_give_back(asked);
    toi_give_back(of);
    toi_give_back(components);
    return status;
}

// ---- Doubt

static void note_doubt(const toi_bake *bake, const double at[3], double winding, double share,
                       toi_mesh_field_report *report)
{
    if (fabs(winding - rint(winding)) <= 0.1)
        return;
    for (int k = 0; report->doubtful == 0 && k < 3; ++k)
        report->doubtful_point[k] = bake->origin[k] + bake->cell * at[k];
    report->doubtful += share;
}

// Winding numbers of an open mesh are no integers. One node of each block is looked at.
static toi_status sample_doubt(toi_bake *bake)
{
    int64_t count = bake->count;
    double(*points)[3] = toi_take(NULL, count, sizeof *points);
    double *numbers = points ? toi_take(NULL, count, sizeof *numbers) : NULL;
    toi_status status = numbers ? TOI_OK : toi_allocation_status();
    for (int64_t i = 0; status == TOI_OK && i < count; ++i)
        point_of_node(bake, 512 * i, points[i]);
    if (status == TOI_OK)
        status = wind_all(bake, (const double(*)[3])points, count, numbers);
    for (int64_t i = 0; status == TOI_OK && i < count; ++i)
        note_doubt(bake, points[i], numbers[i], 1 / (double)count, &bake->report);
    toi_give_back(numbers);
    toi_give_back(points);
    return status;
}

// ---- The inner points of edges

// An edge of the grid from a node along an axis: the values at its ends (signed), a third and two
// thirds of it.
typedef struct edge
{
    float ends[2];
    float *inner; // two
} edge;

// False where it leaves the grid.
static bool find_edge(const toi_bake *bake, int32_t number, int local, int axis, edge *e)
{
    static const int strides[3] = {1, 8, 64};
    int32_t block[3];
    int64_t place = bake->place[number];
    toi_lattice_place(bake->lattice, place, block);
    if (block[axis] + 1 == bake->lattice[axis] || !in_grid(bake, (int64_t)512 * number + local))
        return false;
    e->ends[0] = bake->values[(int64_t)512 * number + local];
    int other = local + strides[axis];
    if ((local / strides[axis] & 7) == 7) {
        ++block[axis];
        place = toi_lattice_index(bake->lattice, block);
        other = local - 7 * strides[axis];
    }
    e->ends[1] = (float)node_side(bake, place, other);
    e->inner = bake->bubbles + (int64_t)3072 * number + (3 * local + axis) * 2;
    return true;
}

// Passes signs on from the ends, where no surface is between; 3 - bits: which inner points have
// one.
static int sign_inner(edge *e)
{
    const float clear = CLEAR / 3;
    bool left = fabsf(e->ends[0]) + e->inner[0] > clear;
    bool right = fabsf(e->ends[1]) + e->inner[1] > clear;
    bool middle = e->inner[0] + e->inner[1] > clear;
    float from_left = copysignf(1, e->ends[0]), from_right = copysignf(1, e->ends[1]);
    float first = left ? from_left : right && middle ? from_right : 0;
    float second = right ? from_right : left && middle ? from_left : 0;
    e->inner[0] = first != 0 ? first * e->inner[0] : e->inner[0];
    e->inner[1] = second != 0 ? second * e->inner[1] : e->inner[1];
    return (first == 0) + 2 * (second == 0);
}

// Inner points that need winding numbers of their own.
typedef struct inner_points
{
    float **values;
    double (*points)[3];
    int64_t count;
    int64_t capacity[2];
} inner_points;

static toi_status add_inner(const toi_bake *bake, int64_t node, int axis, int third, float *value,
                            inner_points *list)
{
    toi_status status = toi_reserve(NULL, (void **)&list->values, &list->capacity[0],
                                    list->count + 1, sizeof *list->values);
    if (status == TOI_OK)
        status = toi_reserve(NULL, (void **)&list->points, &list->capacity[1], list->count + 1,
                             sizeof *list->points);
    if (status != TOI_OK)
        return status;
    point_of_node(bake, node, list->points[list->count]);
    list->points[list->count][axis] += (third + 1) / 3.0;
    list->values[list->count++] = value;
    return TOI_OK;
}

static toi_status collect_inner(toi_bake *bake, inner_points *list)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; status == TOI_OK && i < 3 * 512 * (int64_t)bake->count; ++i) {
        edge e;
        int64_t node = i / 3;
        int axis = (int)(i % 3);
        if (!find_edge(bake, (int32_t)(node / 512), (int)(node % 512), axis, &e))
            continue;
        int open = sign_inner(&e);
        for (int third = 0; open && status == TOI_OK && third < 2; ++third)
            if (open >> third & 1)
                status = add_inner(bake, node, axis, third, &e.inner[third], list);
    }
    return status;
}

static toi_status sign_edges(toi_bake *bake)
{
    inner_points list = {0};
    toi_status status = collect_inner(bake, &list);
    double *numbers = status == TOI_OK ? toi_take(NULL, list.count, sizeof *numbers) : NULL;
    if (status == TOI_OK && !numbers)
        status = toi_allocation_status();
    if (status == TOI_OK)
        status = wind_all(bake, (const double(*)[3])list.points, list.count, numbers);
    for (int64_t i = 0; status == TOI_OK && i < list.count; ++i)
        if (numbers[i] >= 0.5)
            *list.values[i] = -*list.values[i];
    toi_give_back(numbers);
    toi_give_back(list.points);
    toi_give_back(list.values);
    return status;
}

toi_status toi_bake_signs(toi_bake *bake)
{
    int64_t lattice = (int64_t)bake->lattice[0] * bake->lattice[1] * bake->lattice[2];
    forest f = {bake, NULL, 512 * (int64_t)bake->count + lattice};
    f.parent = toi_take(NULL, f.size, sizeof *f.parent);
    bake->inside = toi_take(NULL, lattice, 1);
    if (!f.parent || !bake->inside) {
        toi_give_back(f.parent);
        return toi_allocation_status();
    }
    toi_status status = toi_parallel(bake->workers, bake->count, join_block, &f);
    if (status == TOI_OK) {
        join_blocks(&f);
        status = sign_components(&f);
    }
    toi_give_back(f.parent);
    if (status == TOI_OK && bake->cubic)
        status = sign_edges(bake);
    return status == TOI_OK && bake->mesh.open_count > 0 ? sample_doubt(bake) : status;
}
