// Builds the tree that distances to a mesh are found with: four boxes a node, four triangles a
// block, so that a vector holds one number of each.

#include "sdf/mesh_distance.h"

#include "base/memory.h"
#include "base/status.h"
#include "sdf/mesh_report.h"

#include <math.h>
#include <string.h>

typedef struct builder
{
    const toi_box_tree *boxes;
    toi_mesh_tree *tree;
} builder;

static double area(const toi_box_node *n)
{
    double x = n->high[0] - n->low[0], y = n->high[1] - n->low[1], z = n->high[2] - n->low[2];
    return x * y + y * z + z * x;
}

// Up to four nodes below a node: the one of the largest area is replaced by its children, twice.
static int gather(const toi_box_tree *boxes, int32_t node, int32_t children[TOI_WIDE])
{
    int count = 1;
    children[0] = node;
    while (count < TOI_WIDE) {
        int widest = -1;
        for (int i = 0; i < count; ++i)
            if (boxes->nodes[children[i]].child != 0 &&
                (widest < 0 ||
                 area(&boxes->nodes[children[i]]) > area(&boxes->nodes[children[widest]])))
                widest = i;
        if (widest < 0)
            break;
        int32_t child = boxes->nodes[children[widest]].child;
        children[widest] = child;
        children[count++] = child + 1;
    }
    return count;
}

static double square_of(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

// The corner across the longest side.
static int first_corner(const toi_box_tree *boxes, const int32_t face[3])
{
    int first = 0;
    double longest = -1;
    for (int v = 0; v < 3; ++v) {
        const double *a = boxes->points[face[(v + 1) % 3]], *b = boxes->points[face[(v + 2) % 3]];
        double side[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        if (square_of(side) > longest) {
            longest = square_of(side);
            first = v;
        }
    }
    return first;
}

// What need not be computed again for every point. False: the triangle is too narrow for that, or
// of a size at which squares of squares leave the range of numbers.
static bool prepare_lane(toi_triangle_block *block, int lane)
{
    double sides[3][3], normal[3], squares[3];
    for (int k = 0; k < 3; ++k) {
        sides[0][k] = block->corners[1][k][lane] - block->corners[0][k][lane];
        sides[1][k] = block->corners[2][k][lane] - block->corners[0][k][lane];
        sides[2][k] = sides[1][k] - sides[0][k];
    }
    bool ordinary = true;
    for (int i = 0; i < 3; ++i) {
        squares[i] = square_of(sides[i]);
        ordinary = ordinary && squares[i] > 0x1p-400 && squares[i] < 0x1p400;
        block->inverse[i][lane] = ordinary ? 1 / squares[i] : 0;
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = sides[0][i] * sides[1][j] - sides[0][j] * sides[1][i];
    }
    double area = square_of(normal);
    bool wide = ordinary && area >= 0x1p-6 * squares[0] * squares[1];
    for (int k = 0; k < 3; ++k)
        block->normal[k][lane] = wide ? normal[k] / area : 0;
    return wide;
}

static int32_t add_block(builder *b, const toi_box_node *leaf)
{
    const toi_box_tree *boxes = b->boxes;
    toi_triangle_block *block = &b->tree->blocks[b->tree->block_count];
    block->wide = true;
    for (int lane = 0; lane < TOI_WIDE; ++lane) {
        bool used = lane < leaf->count;
        int32_t face = boxes->order[leaf->first + (used ? lane : 0)];
        const int32_t *corners = boxes->faces[face];
        int first = first_corner(boxes, corners);
        block->face[lane] = used ? face : -1;
        for (int v = 0; v < 3; ++v)
            for (int k = 0; k < 3; ++k)
                block->corners[v][k][lane] = boxes->points[corners[(first + v) % 3]][k];
        block->wide = prepare_lane(block, lane) && block->wide;
    }
    return (int32_t)b->tree->block_count++;
}

static void set_lane(toi_wide_node *node, int lane, const double low[3], const double high[3],
                     int32_t child)
{
    for (int k = 0; k < 3; ++k) {
        node->low[k][lane] = low[k];
        node->high[k][lane] = high[k];
    }
    node->child[lane] = child;
}

// Fills a node; its inner children are appended to the nodes still to be filled.
static void fill_node(builder *b, int32_t *waiting, int64_t index)
{
    static const double nowhere[2][3] = {{INFINITY, INFINITY, INFINITY},
                                         {-INFINITY, -INFINITY, -INFINITY}};
    const toi_box_tree *boxes = b->boxes;
    int32_t children[TOI_WIDE];
    int count = gather(boxes, waiting[index], children);
    toi_wide_node *node = &b->tree->nodes[index];
    for (int lane = count; lane < TOI_WIDE; ++lane)
        set_lane(node, lane, nowhere[0], nowhere[1], 0);
    for (int lane = 0; lane < count; ++lane) {
        const toi_box_node *from = &boxes->nodes[children[lane]];
        int32_t child;
        if (from->child == 0)
            child = ~add_block(b, from);
        else {
            child = (int32_t)b->tree->node_count++;
            waiting[child] = children[lane];
        }
        set_lane(node, lane, from->low, from->high, child);
    }
}

static toi_status widen(const toi_box_tree *boxes, toi_mesh_tree *tree)
{
    int64_t leaves = 0;
    for (int64_t i = 0; i < boxes->node_count; ++i)
        leaves += boxes->nodes[i].child == 0;
    int64_t inner = boxes->node_count - leaves + 1; // the root may be a leaf
    tree->nodes = toi_take(NULL, inner, sizeof *tree->nodes);
    tree->blocks = toi_take(NULL, leaves, sizeof *tree->blocks);
    int32_t *waiting = toi_take(NULL, inner, sizeof *waiting);
    toi_status status = TOI_OK;
    if (tree->nodes && tree->blocks && waiting) {
        builder b = {boxes, tree};
        waiting[0] = 0;
        tree->node_count = 1;
        for (int64_t i = 0; i < tree->node_count; ++i)
            fill_node(&b, waiting, i);
    } else
        status = toi_allocation_status();
    toi_give_back(waiting);
    return status;
}

static toi_status check_size(const toi_box_tree *boxes)
{
    if (boxes->face_count == 0)
        return toi_fail(TOI_ERROR_DATA, "the mesh has no faces: there is nothing to be near to");
    for (int64_t i = 0; i < boxes->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            if (fabs(boxes->points[i][k]) > TOI_LARGEST_COORDINATE)
                return toi_fail(TOI_ERROR_DATA,
                                "vertex %" PRId64 ": coordinate %c is %g; scale the mesh so that "
                                "none is above %g",
                                i, "xyz"[k], boxes -> points[i][k], TOI_LARGEST_COORDINATE);
    return TOI_OK;
}

// The longest side of a triangle, rounded up.
static double longest_side(const toi_box_tree *boxes)
{
    double longest = 0;
    for (int64_t f = 0; f < boxes->face_count; ++f)
        for (int v = 0; v < 3; ++v) {
            const double *a = boxes->points[boxes->faces[f][v]];
            const double *b = boxes->points[boxes->faces[f][(v + 1) % 3]];
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            double square = x * x + y * y + z * z;
            longest = square > longest ? square : longest;
        }
    return sqrt(longest) * (1 + 0x1p-48);
}

static toi_status fill_tree(const toi_box_tree *boxes, int workers, toi_mesh_tree *tree,
                            toi_mesh_field_report *report)
{
    toi_status status = check_size(boxes);
    if (status == TOI_OK)
        status = widen(boxes, tree);
    if (status == TOI_OK)
        status = toi_report_mesh(boxes, workers, report, &tree->open, &tree->open_count);
    if (status != TOI_OK)
        return status;
    memcpy(tree->low, boxes->nodes[0].low, sizeof tree->low);
    memcpy(tree->high, boxes->nodes[0].high, sizeof tree->high);
    tree->longest = longest_side(boxes);
    return TOI_OK;
}

toi_status toi_make_mesh_tree(toi_point_view points, toi_index_view faces, int workers,
                              toi_mesh_tree *tree, toi_mesh_field_report *report)
{
    *tree = (toi_mesh_tree){0};
    toi_box_tree boxes;
    toi_status status = toi_make_box_tree(points, faces, TOI_WIDE, workers, &boxes);
    if (status != TOI_OK)
        return status;
    status = fill_tree(&boxes, workers, tree, report);
    if (status == TOI_OK && tree->open_count > 0) { // the tree takes the points
        tree->points = boxes.points;
        boxes.points = NULL;
    }
    toi_free_box_tree(&boxes);
    if (status != TOI_OK)
        toi_free_mesh_tree(tree);
    return status;
}

void toi_free_mesh_tree(toi_mesh_tree *tree)
{
    toi_give_back(tree->nodes);
    toi_give_back(tree->blocks);
    toi_give_back(tree->open);
    toi_give_back(tree->points);
    *tree = (toi_mesh_tree){0};
}
