// Builds a hierarchy of boxes over triangles: from the top, each node cut where the surface area
// heuristic (MacDonald and Booth) is least among some planes across the longest axis.

#include "sdf/tree.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

enum
{
    BINS = 16,
    PART = 8192,         // triangles of a subtree that is a task of its own
    MOST_FACES = 1 << 30 // so that nodes have 32-bit numbers
};

// A triangle while the tree is built.
typedef struct row
{
    double low[3];
    double high[3];
    int32_t face;
} row;

typedef struct range
{
    int64_t node;
    int32_t first;
    int32_t count;
    int32_t depth;
} range;

// Nodes are numbered by where their parent is cut: a cut before row m makes nodes 2m - 1 and 2m. So
// no two workers want the same one. The gaps are closed in the end.
typedef struct builder
{
    row *rows;
    toi_box_node *nodes;
    int leaf;
    range *parts;
    int64_t part_count;
} builder;

typedef struct bin
{
    double low[3];
    double high[3];
    int32_t count;
} bin;

static const bin EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};

static void extend(bin *b, const double low[3], const double high[3], int32_t count)
{
    for (int k = 0; k < 3; ++k) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
    b->count += count;
}

static double area(const bin *b)
{
    double x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

static double middle(const row *r, int axis)
{
    return 0.5 * r->low[axis] + 0.5 * r->high[axis];
}

// Bins of equal width along one axis.
typedef struct cutter
{
    int axis;
    double low;
    double scale;
} cutter;

// Written so that infinities and NaN, from coordinates near the largest number, have a bin as well.
static int bin_of(const cutter *c, const row *r)
{
    double place = (middle(r, c->axis) - c->low) * c->scale;
    return place >= 1 ? (place < BINS - 1 ? (int)place : BINS - 1) : 0;
}

// The box of the rows, and bins across the longest side of the box of their middles.
static cutter survey(const row *rows, int32_t count, bin *around)
{
    bin middles = EMPTY;
    *around = EMPTY;
    for (int32_t i = 0; i < count; ++i) {
        double m[3] = {middle(&rows[i], 0), middle(&rows[i], 1), middle(&rows[i], 2)};
        extend(around, rows[i].low, rows[i].high, 1);
        extend(&middles, m, m, 1);
    }
    cutter c = {0, 0, 0};
    double longest = -1;
    for (int k = 0; k < 3; ++k)
        if (middles.high[k] - middles.low[k] > longest) {
            longest = middles.high[k] - middles.low[k];
            c = (cutter){k, middles.low[k], longest > 0 ? BINS / longest : 0};
        }
    return c;
}

// The bin that begins the right child, by least area times count; 0: all rows are in one bin.
static int best_cut(const bin bins[BINS])
{
    double right_cost[BINS];
    bin right = EMPTY, left = EMPTY;
    for (int b = BINS - 1; b > 0; --b) {
        extend(&right, bins[b].low, bins[b].high, bins[b].count);
        right_cost[b] = right.count > 0 ? area(&right) * right.count : INFINITY;
    }
    int best = 0;
    double least = INFINITY;
    for (int b = 1; b < BINS; ++b) {
        extend(&left, bins[b - 1].low, bins[b - 1].high, bins[b - 1].count);
        double cost = left.count > 0 ? area(&left) * left.count + right_cost[b] : INFINITY;
        if (cost < least) {
            least = cost;
            best = b;
        }
    }
    return best;
}

// Moves the rows of bins below `cut` to the front; returns how many they are.
static int32_t part_rows(row *rows, int32_t count, const cutter *c, int cut)
{
    int32_t left = 0, right = count;
    for (;;) {
        while (left < right && bin_of(c, &rows[left]) < cut)
            ++left;
        while (left < right && bin_of(c, &rows[right - 1]) >= cut)
            --right;
        if (left == right)
            return left;
        row swap = rows[left];
        rows[left++] = rows[--right];
        rows[right] = swap;
    }
}

// How many rows go to the left. Halves as they come where no plane parts them, and far down, so
// that the depth has a limit: TOI_TREE_DEPTH.
static int32_t split(row *rows, int32_t count, int32_t depth, const cutter *c)
{
    if (depth >= TOI_TREE_DEPTH - 32)
        return count / 2;
    bin bins[BINS];
    for (int b = 0; b < BINS; ++b)
        bins[b] = EMPTY;
    for (int32_t i = 0; i < count; ++i)
        extend(&bins[bin_of(c, &rows[i])], rows[i].low, rows[i].high, 1);
    int cut = best_cut(bins);
    return cut > 0 ? part_rows(rows, count, c, cut) : count / 2;
}

// Fills the node of a range; false: it is a leaf. Otherwise children are its halves.
static bool make_node(builder *b, const range *r, range children[2])
{
    row *rows = b->rows + r->first;
    bin around;
    cutter c = survey(rows, r->count, &around);
    toi_box_node *node = &b->nodes[r->node];
    *node = (toi_box_node){.first = r->first, .count = r->count};
    memcpy(node->low, around.low, sizeof node->low);
    memcpy(node->high, around.high, sizeof node->high);
    if (r->count <= b->leaf)
        return false;
    int32_t left = split(rows, r->count, r->depth, &c);
    int32_t cut = r->first + left;
    node->child = cut;
    children[0] = (range){2 * (int64_t)cut - 1, r->first, left, r->depth + 1};
    children[1] = (range){2 * (int64_t)cut, cut, r->count - left, r->depth + 1};
    return true;
}

// Builds the subtree of a range, or only down to ranges that make a task, which are listed.
static void build(builder *b, range root, bool list)
{
    range stack[TOI_TREE_DEPTH + 1];
    int top = 0;
    stack[top++] = root;
    while (top > 0) {
        range next = stack[--top], children[2];
        if (list && next.count <= PART)
            b->parts[b->part_count++] = next;
        else if (make_node(b, &next, children)) {
            stack[top++] = children[1];
            stack[top++] = children[0];
        }
    }
}

static toi_status build_part(void *context, int64_t index, int worker)
{
    (void)worker;
    builder *b = context;
    build(b, b->parts[index], false);
    return TOI_OK;
}

// Copies the nodes to neighbouring places, depth first.
static void close_gaps(const toi_box_node *from, toi_box_tree *tree)
{
    struct
    {
        int64_t from;
        int64_t to;
    } stack[TOI_TREE_DEPTH + 1], next;
    int top = 0;
    tree->node_count = 1;
    stack[top++] = (__typeof__(next)){0, 0};
    while (top > 0) {
        next = stack[--top];
        toi_box_node *node = &tree->nodes[next.to];
        *node = from[next.from];
        if (node->child == 0)
            continue;
        int64_t cut = node->child, child = tree->node_count;
        node->child = (int32_t)child;
        tree->node_count += 2;
        stack[top++] = (__typeof__(next)){2 * cut, child + 1};
        stack[top++] = (__typeof__(next)){2 * cut - 1, child};
    }
}

static toi_status build_nodes(builder *b, int workers, toi_box_tree *tree)
{
    int64_t count = tree->face_count;
    b->part_count = 0;
    build(b, (range){0, 0, (int32_t)count, 0}, true);
    toi_status status = toi_parallel(workers, b->part_count, build_part, b);
    if (status != TOI_OK)
        return status;
    int64_t used = 0;
    for (int64_t i = 0; i < 2 * count - 1; ++i)
        used += b->nodes[i].count > 0;
    tree->nodes = toi_take(NULL, used, sizeof *tree->nodes);
    tree->order = toi_take(NULL, count, sizeof *tree->order);
    if (!tree->nodes || !tree->order)
        return toi_allocation_status();
    close_gaps(b->nodes, tree);
    for (int64_t i = 0; i < count; ++i)
        tree->order[i] = b->rows[i].face;
    return TOI_OK;
}

static void fill_rows(const toi_box_tree *tree, row *rows)
{
    for (int64_t f = 0; f < tree->face_count; ++f) {
        bin box = EMPTY;
        for (int k = 0; k < 3; ++k) {
            const double *p = tree->points[tree->faces[f][k]];
            extend(&box, p, p, 1);
        }
        rows[f].face = (int32_t)f;
        memcpy(rows[f].low, box.low, sizeof box.low);
        memcpy(rows[f].high, box.high, sizeof box.high);
    }
}

static toi_status build_tree(int leaf, int workers, toi_box_tree *tree)
{
    int64_t count = tree->face_count;
    builder b = {.leaf = leaf};
    b.rows = toi_take(NULL, count, sizeof *b.rows);
    b.nodes = b.rows ? toi_take(NULL, 2 * count, sizeof *b.nodes) : NULL;
    b.parts = b.nodes ? toi_take(NULL, count, sizeof *b.parts) : NULL;
    toi_status status = TOI_OK;
    if (b.parts) {
        memset(b.nodes, 0, (size_t)(2 * count) * sizeof *b.nodes);
        fill_rows(tree, b.rows);
        status = build_nodes(&b, workers, tree);
    } else
        status = toi_allocation_status();
    toi_give_back(b.parts);
    toi_give_back(b.nodes);
    toi_give_back(b.rows);
    return status;
}

static toi_status check_view(toi_point_view points)
{
    toi_status status = toi_check_count(points.count, "vertices");
    if (status != TOI_OK)
        return status;
    if (points.count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " vertices: at most %d are possible",
                        points.count, INT32_MAX);
    if (points.count > 0 && !points.data)
        return toi_fail(TOI_ERROR_DATA, "no data for %" PRId64 " vertices", points.count);
    if (points.scalar != TOI_DOUBLE && points.scalar != TOI_FLOAT)
        return toi_fail(TOI_ERROR_ARGUMENT, "positions: unknown scalar type %d",
                        (int)points.scalar);
    return TOI_OK;
}

static toi_status copy_points(toi_point_view points, toi_box_tree *tree)
{
    for (int64_t i = 0; i < points.count; ++i) {
        double *p = tree->points[i];
        toi_load_point(&points, i, p);
        for (int k = 0; k < 3; ++k)
            if (!isfinite(p[k]))
                return toi_fail(TOI_ERROR_DATA, "vertex %" PRId64 ": coordinate %c is %g", i,
                                "xyz"[k], p[k]);
    }
    return TOI_OK;
}

static toi_status copy_mesh(toi_point_view points, toi_index_view faces, toi_box_tree *tree)
{
    tree->points = toi_take(NULL, points.count, sizeof *tree->points);
    tree->faces = toi_take(NULL, faces.count, sizeof *tree->faces);
    if (!tree->points || !tree->faces)
        return toi_allocation_status();
    tree->point_count = points.count;
    tree->face_count = faces.count;
    for (int64_t f = 0; f < faces.count; ++f)
        memcpy(tree->faces[f], toi_face_at(&faces, f), sizeof *tree->faces);
    return copy_points(points, tree);
}

static toi_status check_and_build(toi_point_view points, toi_index_view faces, int leaf,
                                  int workers, toi_box_tree *tree)
{
    int resolved;
    toi_status status = toi_resolve_workers(workers, &resolved);
    if (status == TOI_OK)
        status = check_view(points);
    if (status == TOI_OK)
        status = toi_check_indices(&faces, 3, points.count, resolved);
    if (status == TOI_OK && faces.count > MOST_FACES)
        status = toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " faces: at most %d are possible here",
                          faces.count, MOST_FACES);
    if (status == TOI_OK)
        status = copy_mesh(points, faces, tree);
    if (status == TOI_OK && faces.count > 0)
        status = build_tree(leaf, resolved, tree);
    return status;
}

toi_status toi_make_box_tree(toi_point_view points, toi_index_view faces, int leaf, int workers,
                             toi_box_tree *tree)
{
    *tree = (toi_box_tree){0};
    toi_status status = check_and_build(points, faces, leaf, workers, tree);
    if (status != TOI_OK)
        toi_free_box_tree(tree);
    return status;
}

void toi_free_box_tree(toi_box_tree *tree)
{
    toi_give_back(tree->points);
    toi_give_back(tree->faces);
    toi_give_back(tree->nodes);
    toi_give_back(tree->order);
    *tree = (toi_box_tree){0};
}
