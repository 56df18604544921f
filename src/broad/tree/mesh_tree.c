// Builds trees over the primitives of a mesh, in the order of its vertices, and searches them.

#include "broad/tree/mesh_tree.h"

#include "base/radix_sort.h"
#include "broad/tree/curve.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Memory

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t tree_bytes(const toi_mesh_boxes *boxes, toi_primitive primitive)
{
    int64_t count = toi_primitive_count(boxes->mesh, primitive);
    return toi_tree_bytes(count, (int)primitive + 1, boxes->moving, boxes->relative > 0);
}

// With the keys that its primitives are sorted by: they stand where all but the ids will.
static int64_t building_bytes(const toi_mesh_boxes *boxes, toi_primitive primitive, int workers)
{
    int64_t count = toi_primitive_count(boxes->mesh, primitive);
    int64_t ids = (count + TOI_BLOCK - 1) / TOI_BLOCK * TOI_BLOCK * (int64_t)sizeof(int32_t);
    int64_t keys = (count + toi_radix_words(count, workers)) * (int64_t)sizeof(uint64_t);
    return larger(tree_bytes(boxes, primitive), toi_whole_lines(ids + keys));
}

// For all that comes one after the other, so that the next finds pages that the last has touched:
// to get as many from the system anew takes as long as filling a tree.
static int64_t room_bytes(const toi_mesh_boxes *boxes, int workers)
{
    int64_t edges = building_bytes(boxes, TOI_EDGE, workers);
    int64_t faces = building_bytes(boxes, TOI_FACE, workers) + tree_bytes(boxes, TOI_VERTEX);
    return larger(edges, faces);
}

// For trees that stay, all at a time; of which each has how much.
static int64_t kept_room_bytes(const toi_mesh_boxes *boxes, int workers, int64_t bytes[3])
{
    bytes[TOI_VERTEX] = tree_bytes(boxes, TOI_VERTEX);
    bytes[TOI_EDGE] = building_bytes(boxes, TOI_EDGE, workers);
    bytes[TOI_FACE] = building_bytes(boxes, TOI_FACE, workers);
    return bytes[TOI_VERTEX] + bytes[TOI_EDGE] + bytes[TOI_FACE];
}

// For searches, or more.
static int64_t asked_bytes(const toi_mesh_boxes *boxes, int workers)
{
    int64_t bytes[3], room = room_bytes(boxes, workers);
    return boxes->roomy ? larger(room, kept_room_bytes(boxes, workers, bytes)) : room;
}

// ---------------------------------------------------------------------------------------------
// Trees

// Notes how loose the blocks of an order are, and drops all orders when they have become looser.
static void judge_order(toi_kept_order *kept, bool points, toi_primitive primitive,
                        double looseness)
{
    double *first = &kept->looseness[points][primitive];
    if (!kept->valid[primitive]) {
        kept->valid[primitive] = true;
        kept->looseness[!points][primitive] = 0;
        *first = looseness;
    } else if (*first == 0) {
        *first = looseness;
    } else if (looseness > TOI_LOOSER * *first) {
        for (int p = TOI_VERTEX; p <= TOI_FACE; ++p)
            kept->valid[p] = false;
    }
}

typedef struct tree_job
{
    const toi_mesh_order *order;
    toi_primitive primitive;
    int64_t count;
    double mean;        // largest extent, about
    bool classes;       // large primitives stand apart
    bool labelled;      // the kept order has their labels
    uint64_t *keys;     // where the tree will be, behind its ids
    const int32_t *ids; // of primitives in order: the tree's own, or those that are kept
    toi_tree *tree;
} tree_job;

static inline const int32_t *corners_of(const toi_mesh *mesh, toi_primitive primitive, int64_t i)
{
    return primitive == TOI_EDGE ? toi_edge_at(&mesh->edges, i) : toi_face_at(&mesh->faces, i);
}

typedef toi_box_quad quad;

// A motion is cut short where less than this share of it is left, unless it is as good as none.
// Boxes are enlarged by their reach on all sides: that pays if it is short beside an edge.
static const double SHORTER = 0.25, SHORT_ENOUGH = 0x1p-10, SHORT_REACH = 0.25;
// From this way on, in edges, whole packets are compared with boxes by the margin.
static const double FAR_WAY = 1;

// How far the boxes of a motion reach.
typedef enum extent
{
    WHOLE, // from one end to the other
    SHORT, // to where it is cut short
    SWEPT, // likewise, the boxes of both ends in one
    REACH  // as far from the start as it matters
} extent;

static extent extent_of(const toi_mesh_order *order)
{
    return order->reach > 0              ? REACH
           : order->until < SHORT_ENOUGH ? SWEPT
           : order->until < 1            ? SHORT
                                         : WHOLE;
}

// Are boxes those of a motion so short that one stands for both ends?
static inline bool is_still(extent reach)
{
    return reach >= SWEPT;
}

static inline const quad *ends_of(const toi_mesh_order *order, int32_t place)
{
    return (const quad *)&order->moving[place];
}

// Where pairs keep a share of their distance, of a motion that is cut short: the box at t = 0,
// enlarged by so much that two that come to their share touch. It stands still.
static inline __attribute__((always_inline)) void bound_reach(const toi_mesh_order *order,
                                                              const int32_t *places, int corners,
                                                              int stride, toi_box_row *box)
{
    const quad *first = ends_of(order, places[0]);
    quad low = first[0], high = -low, end = first[1];
    for (int c = 1; c < corners; ++c) {
        const quad *x = ends_of(order, places[c * stride]);
        low = toi_low_quad(x[0], low);
        high = toi_low_quad(-x[0], high);
        end = toi_low_quad(x[1], end);
    }
    // The fourth numbers are less than nothing, so that the least are those of the farthest.
    const float more = order->pad + order->grain;
    const quad none = {0}, pad = {more, more, more, 0};
    quad way = __builtin_shufflevector(low, none, 3, 3, 3, 4);
    quad reach = way * order->reach + __builtin_shufflevector(end, none, 3, 3, 3, 4) - pad;
    ((quad *)box)[0] = __builtin_shufflevector(low + reach, none, 0, 1, 2, 4);
    ((quad *)box)[1] = __builtin_shufflevector(high + reach, none, 0, 1, 2, 4);
}

// The box where a motion that is cut short ends. Roundings may have put numbers in another order,
// so that each is taken for what it may be at least, and at most: docs/exact.md, section 1.
static inline __attribute__((always_inline)) void bound_end(const toi_mesh_order *order,
                                                            const int32_t *places, int corners,
                                                            int stride, toi_box_row *box)
{
    const quad pad = {order->pad, order->pad, order->pad, 0};
    quad low = {0}, high = {0};
    for (int c = 0; c < corners; ++c) {
        const quad *x = ends_of(order, places[c * stride]);
        quad off = (toi_size_quad(x[0]) + toi_size_quad(x[1])) * 0x1p-22f + 0x1p-140f;
        low = c == 0 ? x[1] - off : toi_low_quad(x[1] - off, low);
        high = c == 0 ? -x[1] - off : toi_low_quad(-x[1] - off, high);
    }
    ((quad *)box)[0] = low - pad;
    ((quad *)box)[1] = high - pad;
}

// The box at one end of the whole motion.
static inline __attribute__((always_inline)) void bound_whole(const toi_mesh_order *order,
                                                              const int32_t *places, int corners,
                                                              int stride, int end, toi_box_row *box)
{
    const quad pad = {order->pad, order->pad, order->pad, 0};
    quad low = ends_of(order, places[0])[end], high = -low;
    for (int c = 1; c < corners; ++c) {
        quad x = ends_of(order, places[c * stride])[end];
        low = toi_low_quad(x, low);
        high = toi_low_quad(-x, high);
    }
    ((quad *)box)[0] = low - pad;
    ((quad *)box)[1] = high - pad;
}

// The boxes of a primitive whose vertices stand at these places, at both ends; if they stand still,
// the first.
static inline __attribute__((always_inline)) void bound_places(const toi_mesh_order *order,
                                                               const int32_t *places, int corners,
                                                               int stride, extent reach,
                                                               toi_box_row ends[2])
{
    if (reach == REACH) {
        bound_reach(order, places, corners, stride, &ends[0]);
        return;
    }
    bound_whole(order, places, corners, stride, 0, &ends[0]);
    if (reach == WHOLE)
        bound_whole(order, places, corners, stride, 1, &ends[1]);
    else
        bound_end(order, places, corners, stride, &ends[1]);
    if (reach == SWEPT)
        toi_widen_row(&ends[0], &ends[1]);
}

// The row of an edge or a face.
static inline void widen_corners(const toi_mesh_order *order, toi_primitive primitive, int64_t i,
                                 toi_box_row *row)
{
    const int32_t *corners = corners_of(order->boxes.mesh, primitive, i);
    if (order->moving) {
        int32_t places[3] = {0};
        toi_box_row ends[2];
        for (int c = 0; c <= (int)primitive; ++c)
            places[c] = order->positions[corners[c]];
        bound_places(order, places, (int)primitive + 1, 1, extent_of(order), ends);
        if (!is_still(extent_of(order)))
            toi_widen_row(&ends[0], &ends[1]);
        *row = ends[0];
        return;
    }
    const int32_t *at = order->positions;
    if (order->points) { // of faces alone
        float(*points)[4] = order->points;
        toi_box_points(points[at[corners[0]]], points[at[corners[1]]], points[at[corners[2]]], row);
        return;
    }
    *row = order->rows[order->positions[corners[0]]];
    for (int c = 1; c <= (int)primitive; ++c)
        toi_widen_row(row, &order->rows[order->positions[corners[c]]]);
}

enum
{
    SAMPLES = 256,
    SPOILT = 6 // mean extents; two or three are usual
};

// About the mean extent: of some of the primitives.
static double sample_extent(const tree_job *job)
{
    double sum = 0;
    int64_t samples = job->count < SAMPLES ? job->count : SAMPLES;
    for (int64_t i = 0; i < samples; ++i) {
        toi_box_row row;
        widen_corners(job->order, job->primitive, toi_piece_start(job->count, samples, i), &row);
        sum += toi_largest_extent(&row);
    }
    return samples > 0 ? sum / (double)samples : 0;
}

static toi_status make_keys(void *context, int64_t first, int64_t end)
{
    tree_job *job = context;
    const toi_mesh_order *order = job->order;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *corners = corners_of(order->boxes.mesh, job->primitive, i);
        uint32_t last = 0;
        for (int c = 0; c <= (int)job->primitive; ++c) {
            uint32_t at = (uint32_t)order->positions[corners[c]];
            last = at > last ? at : last;
        }
        job->keys[i] = (uint64_t)last << 32 | (uint32_t)i;
        if (job->classes) {
            toi_box_row row;
            widen_corners(order, job->primitive, i, &row);
            job->keys[i] |= toi_size_class(&row, job->mean);
        }
    }
    return TOI_OK;
}

// The means of the corners at t = 0.
static inline __attribute__((always_inline)) void fill_middles(const toi_mesh_order *order,
                                                               const int32_t *labels, int corners,
                                                               int count,
                                                               float middles[3][TOI_BLOCK])
{
    for (int lane = 0; lane < TOI_BLOCK; lane += 4) {
        quad means[4] = {0}, columns[3];
        for (int i = 0; i < 4 && lane + i < count; ++i) {
            for (int c = 0; c < corners; ++c)
                means[i] += ends_of(order, labels[c * TOI_BLOCK + lane + i])[0];
            means[i] *= 1.0f / (float)corners;
        }
        toi_turn_quads(means, columns);
        for (int k = 0; k < 3; ++k)
            *(quad *)&middles[k][lane] = columns[k];
    }
}

// The boxes around those of both ends.
static inline void sweep_block(const toi_tree_block *near, const toi_tree_block *far,
                               toi_tree_block *swept)
{
    for (int s = 0; s < TOI_SIDES; ++s)
        for (int lane = 0; lane < TOI_BLOCK; lane += 4) {
            quad a = *(const quad *)&near->bound[s][lane], b = *(const quad *)&far->bound[s][lane];
            *(quad *)&swept->bound[s][lane] =
                s < 3 ? toi_low_quad(a, b) : 0 - toi_low_quad(0 - a, 0 - b);
        }
}

// One block of boxes that are compared with a margin, if they meet at all during the step.
static inline __attribute__((always_inline)) void
fill_with_margin(const toi_mesh_order *order, int corners, int count, toi_tree *tree, int64_t block)
{
    const int32_t *labels = toi_block_labels(tree, block, 0);
    toi_box_row rows[2][TOI_BLOCK], halves[2][2];
    for (int i = 0; i < count; ++i) {
        toi_box_row ends[2];
        bound_places(order, labels + i, corners, TOI_BLOCK, WHOLE, ends);
        rows[0][i] = ends[0];
        rows[1][i] = ends[1];
    }
    toi_fill_block(rows[0], count, &tree->near[block], halves[0]);
    toi_fill_block(rows[1], count, &tree->far[block], halves[1]);
    sweep_block(&tree->near[block], &tree->far[block], &tree->level[0][block]);
    for (int i = 0; i < 2; ++i) {
        tree->ends[block][i] = halves[i][0];
        toi_widen_row(&tree->ends[block][i], &halves[i][1]);
        tree->boxes[block][i] = halves[0][i];
        toi_widen_row(&tree->boxes[block][i], &halves[1][i]);
    }
    fill_middles(order, labels, corners, count, tree->middles[block]);
}

// One block of boxes that move; corner c of primitive i stands at labels[c * TOI_BLOCK + i].
static inline __attribute__((always_inline)) void fill_extent(const toi_mesh_order *order,
                                                              int corners, extent reach, int count,
                                                              toi_tree *tree, int64_t block)
{
    const int32_t *labels = toi_block_labels(tree, block, 0);
    const bool still = is_still(reach);
    if (reach == WHOLE && order->margin.square > 0) {
        fill_with_margin(order, corners, count, tree, block);
        return;
    }
    toi_box_row rows[2][TOI_BLOCK], halves[2];
    for (int i = 0; i < count; ++i) {
        toi_box_row ends[2];
        bound_places(order, labels + i, corners, TOI_BLOCK, reach, ends);
        rows[0][i] = ends[0];
        if (!still)
            rows[1][i] = ends[1];
    }
    toi_fill_block(rows[0], count, &tree->level[0][block], tree->boxes[block]);
    if (!still)
        toi_fill_block(rows[1], count, &tree->far[block], halves);
    for (int end = 0; end < (still ? 1 : 2); ++end) {
        toi_box_row *half = end == 0 ? tree->boxes[block] : halves;
        tree->ends[block][end] = half[0];
        toi_widen_row(&tree->ends[block][end], &half[1]);
    }
    for (int h = 0; h < 2 && !still; ++h)
        toi_widen_row(&tree->boxes[block][h], &halves[h]);
}

// The same, by the corners that the tree's primitives have and by the extent of the motion.
typedef void fill_extent_fn(const toi_mesh_order *order, int count, toi_tree *tree, int64_t block);

#define FILL(corners, reach)                                                                       \
    static void fill_##corners##_##reach(const toi_mesh_order *order, int count, toi_tree *tree,   \
                                         int64_t block)                                            \
    {                                                                                              \
        fill_extent(order, corners, reach, count, tree, block);                                    \
    }
#define FILL_EACH(corners)                                                                         \
    FILL(corners, WHOLE) FILL(corners, SHORT) FILL(corners, SWEPT) FILL(corners, REACH)
FILL_EACH(1)
FILL_EACH(2)
FILL_EACH(3)
#define FILLS(corners)                                                                             \
    {                                                                                              \
        fill_##corners##_WHOLE, fill_##corners##_SHORT, fill_##corners##_SWEPT,                    \
            fill_##corners##_REACH                                                                 \
    }

// Level 0 of a block whose labels are there.
static void fill_moving_block(const toi_mesh_order *order, toi_tree *tree, int64_t block)
{
    static fill_extent_fn *const fills[3][4] = {FILLS(1), FILLS(2), FILLS(3)};
    int64_t rest = tree->count - block * TOI_BLOCK;
    fills[tree->corners - 1][extent_of(order)](order, rest < TOI_BLOCK ? (int)rest : TOI_BLOCK,
                                               tree, block);
}

// The mesh may have the primitives of the next blocks anywhere.
static inline void fetch_corners(const tree_job *job, int64_t first)
{
    enum
    {
        AHEAD = 2 * TOI_BLOCK
    };
    const toi_mesh *mesh = job->order->boxes.mesh;
    for (int64_t i = first + AHEAD; i < first + AHEAD + TOI_BLOCK && i < job->count; ++i)
        __builtin_prefetch(corners_of(mesh, job->primitive, job->ids[i]));
}

// The ids of one block of edges or faces, and their labels: the positions of their vertices.
static inline __attribute__((always_inline)) void label_block(const tree_job *job, int64_t block,
                                                              int count, const int corners)
{
    const toi_mesh_order *order = job->order;
    toi_tree *tree = job->tree;
    int32_t labels[3][TOI_BLOCK];
    int64_t first = block * TOI_BLOCK;
    toi_label_range range = {INT32_MAX, -1};
    fetch_corners(job, first);
    if (tree->ids != job->ids) // else others may read them meanwhile
        memcpy(tree->ids + first, job->ids + first, (size_t)count * sizeof *tree->ids);
    for (int i = 0; i < count; ++i) {
        const int32_t *vertices =
            corners_of(order->boxes.mesh, job->primitive, job->ids[first + i]);
        for (int c = 0; c < corners; ++c) {
            int32_t at = order->positions[vertices[c]];
            labels[c][i] = at;
            range.first = at < range.first ? at : range.first;
            range.last = at > range.last ? at : range.last;
        }
    }
    for (int i = count; i < TOI_BLOCK; ++i) {
        tree->ids[first + i] = -1;
        for (int c = 0; c < corners; ++c)
            labels[c][i] = -1;
    }
    memcpy(toi_block_labels(tree, block, 0), labels, (size_t)corners * sizeof *labels);
    tree->ranges[block] = range;
}

// The same of faces, as they were in the last call.
static void copy_block(const tree_job *job, int64_t block, int count)
{
    const toi_kept_order *kept = job->order->kept;
    toi_tree *tree = job->tree;
    int64_t first = block * TOI_BLOCK;
    for (int i = 0; i < TOI_BLOCK; ++i)
        tree->ids[first + i] = i < count ? kept->ids[TOI_FACE][first + i] : -1;
    memcpy(toi_block_labels(tree, block, 0), kept->labels + first * 3,
           3 * TOI_BLOCK * sizeof *kept->labels);
    tree->ranges[block] = kept->ranges[block];
}

static inline __attribute__((always_inline)) void fill_block(const tree_job *job, int64_t block,
                                                             const int corners, const bool points)
{
    const toi_box_row *vertices = job->order->rows;
    float(*at)[4] = job->order->points;
    toi_tree *tree = job->tree;
    toi_box_row rows[TOI_BLOCK];
    int64_t rest = tree->count - block * TOI_BLOCK;
    int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
    if (corners == 3 && job->labelled)
        copy_block(job, block, count);
    else
        label_block(job, block, count, corners);
    const int32_t *labels = toi_block_labels(tree, block, 0);
    if (job->order->kept && job->ids == tree->ids)
        memcpy(job->order->kept->ids[job->primitive] + block * TOI_BLOCK,
               tree->ids + block * TOI_BLOCK, (size_t)count * sizeof *tree->ids);
    if (job->order->moving) {
        fill_moving_block(job->order, tree, block);
        return;
    }
    for (int i = 0; i < count && points; ++i)
        toi_box_points(at[labels[i]], at[labels[TOI_BLOCK + i]], at[labels[2 * TOI_BLOCK + i]],
                       &rows[i]);
    for (int i = 0; i < count && !points; ++i) {
        rows[i] = vertices[labels[i]];
        for (int c = 1; c < corners; ++c)
            toi_widen_row(&rows[i], &vertices[labels[c * TOI_BLOCK + i]]);
    }
    toi_fill_block(rows, count, &tree->level[0][block], tree->boxes[block]);
}

static void fill_vertex_block(const tree_job *job, int64_t block)
{
    toi_tree *tree = job->tree;
    int64_t first = block * TOI_BLOCK, rest = tree->count - first;
    int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
    for (int i = 0; i < TOI_BLOCK; ++i) {
        tree->ids[first + i] = i < count ? job->order->vertices[first + i] : -1;
        toi_block_labels(tree, block, 0)[i] = i < count ? (int32_t)(first + i) : -1;
    }
    tree->ranges[block] = (toi_label_range){(int32_t)first, (int32_t)first + count - 1};
    if (job->order->moving)
        fill_moving_block(job->order, tree, block);
    else
        toi_fill_block(&job->order->rows[first], count, &tree->level[0][block], tree->boxes[block]);
}

static toi_status fill_blocks(void *context, int64_t first, int64_t end)
{
    tree_job *job = context;
    for (int64_t b = first; b < end; ++b)
        if (job->primitive == TOI_VERTEX)
            fill_vertex_block(job, b);
        else if (job->primitive == TOI_EDGE)
            fill_block(job, b, 2, false);
        else if (job->order->points)
            fill_block(job, b, 3, true);
        else
            fill_block(job, b, 3, false);
    toi_raise_blocks(job->tree, first, end);
    return TOI_OK;
}

static toi_status refill_blocks(void *context, int64_t first, int64_t end)
{
    const tree_job *job = context;
    for (int64_t b = first; b < end; ++b)
        fill_moving_block(job->order, job->tree, b);
    return TOI_OK;
}

// A tree for the motion that has been cut short: its boxes are others, and nothing else is.
static toi_status refill(const toi_mesh_order *order, const toi_broad_job *job, toi_tree *tree)
{
    tree_job work = {.order = order, .tree = tree};
    toi_status status = toi_parallel_ranges(job->workers, tree->blocks[0], TOI_PIECE / TOI_BLOCK,
                                            refill_blocks, &work);
    if (status == TOI_OK)
        toi_raise_tree(tree, job->workers);
    return status;
}

// Orders edges or faces after their last vertex.
static void order_primitives(tree_job *work, int workers)
{
    uint64_t *scratch = work->keys + work->count;
    int64_t places = work->order->boxes.mesh->start.count;
    if (!work->classes && places <= TOI_MOST_PLACES) {
        toi_place_sort sort = {make_keys,   work,   work->keys,     scratch,
                               work->count, places, work->tree->ids};
        toi_sort_by_place(&sort, workers);
        return;
    }
    toi_parallel_ranges(workers, work->count, TOI_PIECE, make_keys, work); // does not fail
    toi_radix_sort_low(work->keys, scratch, work->count, ~(uint64_t)0 << 32, workers,
                       work->tree->ids);
}

// Orders edges or faces, and fills the blocks.
static toi_status fill_tree(tree_job *work, const toi_broad_job *job)
{
    if (work->primitive != TOI_VERTEX && work->ids == work->tree->ids)
        order_primitives(work, job->workers);
    return toi_parallel_ranges(job->workers, work->tree->blocks[0], TOI_PIECE / TOI_BLOCK,
                               fill_blocks, work);
}

static void keep_labels(toi_kept_order *kept, const toi_tree *tree)
{
    int64_t blocks = tree->blocks[0];
    memcpy(kept->labels, tree->labels, (size_t)(blocks * 3 * TOI_BLOCK) * sizeof *kept->labels);
    memcpy(kept->ranges, tree->ranges, (size_t)blocks * sizeof *kept->ranges);
    kept->labelled = true;
}

// In memory of building_bytes().
static toi_status build(const toi_mesh_order *order, toi_primitive primitive,
                        const toi_broad_job *job, toi_tree *tree)
{
    bool kept = toi_is_kept(order, primitive);
    tree_job work = {.order = order,
                     .primitive = primitive,
                     .count = tree->count,
                     .keys = (uint64_t *)tree->level[0],
                     .ids = kept ? order->kept->ids[primitive] : tree->ids,
                     .tree = tree};
    if (primitive != TOI_VERTEX)
        work.mean = sample_extent(&work);
    work.labelled = kept && primitive == TOI_FACE && order->kept->labelled;
    toi_status status = fill_tree(&work, job);
    bool sorted = status == TOI_OK && primitive != TOI_VERTEX && !kept;
    // Large ones among small ones spoil their blocks; then they get blocks of their own.
    if (sorted && toi_mean_half(tree) > SPOILT * work.mean) {
        work.classes = true;
        status = fill_tree(&work, job);
    }
    if (status == TOI_OK && primitive != TOI_VERTEX && order->kept) {
        if (primitive == TOI_FACE && !work.labelled)
            keep_labels(order->kept, tree);
        judge_order(order->kept, order->points || order->until < 1, primitive,
                    toi_mean_half(tree) / work.mean);
    }
    if (status == TOI_OK) {
        tree->exact = order->exact;
        toi_raise_trees(&tree, 1, 2, job->workers);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Searches

static void vertex_box(const void *order, int32_t id, toi_box *box)
{
    toi_order_box(order, TOI_VERTEX, id, box);
}

static void edge_box(const void *order, int32_t id, toi_box *box)
{
    toi_order_box(order, TOI_EDGE, id, box);
}

static void face_box(const void *order, int32_t id, toi_box *box)
{
    toi_order_box(order, TOI_FACE, id, box);
}

static void place_tree(const toi_mesh_order *order, toi_primitive primitive, char *memory,
                       toi_tree *tree)
{
    const toi_mesh_boxes *boxes = &order->boxes;
    int64_t count = toi_primitive_count(boxes->mesh, primitive);
    toi_place_tree(count, (int)primitive + 1, boxes->moving, boxes->relative > 0, memory, tree);
}

static float length(quad x)
{
    x *= x;
    return sqrtf(x[0] + x[1] + x[2]);
}

// About how far vertices move in the whole step, in lengths of an edge: of some edges.
static double mean_way(const toi_mesh_order *order)
{
    const toi_mesh *mesh = order->boxes.mesh;
    int64_t samples = mesh->edges.count < SAMPLES ? mesh->edges.count : SAMPLES;
    double ways = 0, lengths = 0;
    for (int64_t i = 0; i < samples; ++i) {
        const int32_t *edge =
            toi_edge_at(&mesh->edges, toi_piece_start(mesh->edges.count, samples, i));
        const quad *a = ends_of(order, order->positions[edge[0]]);
        const quad *b = ends_of(order, order->positions[edge[1]]);
        ways += length(a[1] - a[0]);
        lengths += length(b[0] - a[0]);
    }
    return lengths > 0 ? ways / lengths : INFINITY;
}

// Cuts the motion short where only its beginning matters; whether it has. Where numbers may have
// been cut off nobody knows where a vertex is between them.
static toi_status shorten(toi_mesh_order *order, bool *shorter)
{
    const toi_mesh_boxes *boxes = &order->boxes;
    *shorter = false;
    if (!boxes->horizon || !(order->largest < TOI_FARTHEST))
        return TOI_OK;
    double horizon = boxes->horizon(boxes->horizon_context);
    *shorter = horizon < order->until * SHORTER && order->until > SHORT_ENOUGH;
    if (*shorter && boxes->relative > 0)
        *shorter = mean_way(order) * horizon < SHORT_REACH * (1 - boxes->relative);
    return *shorter ? toi_shorten_order(order, horizon) : TOI_OK;
}

// Where only the earliest contact is looked for, each part of the search tells how early that is at
// least. What follows is about the motion until then.
static toi_status run_search(toi_mesh_order *order, const toi_broad_job *job,
                             toi_tree_search *search, toi_tree *packets, toi_tree *tree)
{
    search->packets = packets;
    search->tree = tree;
    search->context = order;
    bool parts = order->boxes.horizon && toi_has_parts(search), shorter;
    bool far = order->margin.square > 0 && mean_way(order) > FAR_WAY;
    int part = parts ? TOI_SEARCH_FEW : TOI_SEARCH_ALL;
    int last = parts ? TOI_SEARCH_REST : TOI_SEARCH_ALL;
    toi_status status = TOI_OK;
    for (; part <= last && status == TOI_OK; ++part) {
        search->part = (toi_search_part)part;
        search->margin = order->margin;
        search->margin.packets = far;
        search->still = is_still(extent_of(order));
        status = toi_run_tree_search(search, job);
        if (status == TOI_OK && part < last)
            status = shorten(order, &shorter);
        if (status == TOI_OK && part < last && shorter)
            status = refill(order, job, packets);
        if (status == TOI_OK && part < last && shorter && tree != packets)
            status = refill(order, job, tree);
    }
    return status;
}

static toi_status search_edges(toi_mesh_order *order, const toi_broad_job *job)
{
    if (order->boxes.mesh->edges.count == 0)
        return TOI_OK;
    toi_tree edges;
    bool shorter;
    place_tree(order, TOI_EDGE, order->room, &edges);
    toi_status status = shorten(order, &shorter);
    if (status == TOI_OK)
        status = build(order, TOI_EDGE, job, &edges);
    toi_tree_search search = {.packet_box = edge_box, .tree_box = edge_box};
    order->trees[0] = order->trees[1] = &edges;
    return status == TOI_OK ? run_search(order, job, &search, &edges, &edges) : status;
}

static toi_status search_faces(toi_mesh_order *order, const toi_broad_job *job)
{
    if (order->boxes.mesh->faces.count == 0)
        return TOI_OK;
    toi_tree vertices, faces;
    bool shorter;
    place_tree(order, TOI_FACE, order->room, &faces);
    char *rest = order->room + building_bytes(&order->boxes, TOI_FACE, job->workers);
    place_tree(order, TOI_VERTEX, rest, &vertices);
    toi_status status = shorten(order, &shorter);
    if (status == TOI_OK)
        status = build(order, TOI_FACE, job, &faces);
    if (status == TOI_OK)
        status = build(order, TOI_VERTEX, job, &vertices);
    toi_tree_search search = {.packet_box = face_box, .tree_box = vertex_box};
    order->trees[0] = &vertices;
    order->trees[1] = &faces;
    return status == TOI_OK ? run_search(order, job, &search, &faces, &vertices) : status;
}

static toi_status need_order(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                             const toi_broad_job *job, bool searched)
{
    toi_status status = TOI_OK;
    if (toi_has_order(order) &&
        (order->boxes.moving != boxes->moving || order->boxes.relative != boxes->relative ||
         (searched && order->job.workers < job->workers))) // its room is for fewer
        toi_free_mesh_order(order);
    if (!toi_has_order(order))
        status =
            toi_make_mesh_order(boxes, job, searched ? asked_bytes(boxes, job->workers) : 0, order);
    if (status != TOI_OK)
        toi_free_mesh_order(order); // half of it is none
    return status;
}

// Edges come last: with their search all of it can go.
static toi_status end_search(toi_mesh_order *order, toi_status status)
{
    toi_free_mesh_order(order);
    return status;
}

toi_status toi_search_mesh_tree(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                const toi_broad_job *job)
{
    toi_status status = need_order(boxes, order, job, true);
    if (status != TOI_OK)
        return status;
    order->boxes.horizon = boxes->horizon;
    order->boxes.horizon_context = boxes->horizon_context;
    return job->self ? end_search(order, search_edges(order, job)) : search_faces(order, job);
}

toi_status toi_make_primitive_tree(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                   const toi_broad_job *job, toi_primitive primitive,
                                   toi_tree *tree)
{
    *tree = (toi_tree){0};
    toi_status status = need_order(boxes, order, job, false);
    if (status != TOI_OK)
        return status;
    char *memory = toi_take(job->budget, building_bytes(boxes, primitive, job->workers), 1);
    if (!memory)
        return toi_allocation_status();
    place_tree(order, primitive, memory, tree);
    status = build(order, primitive, job, tree);
    if (status != TOI_OK)
        toi_free_tree(tree);
    return status;
}

toi_status toi_make_primitive_trees(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                    const toi_broad_job *job, toi_tree *const trees[3])
{
    int64_t bytes[3], room = kept_room_bytes(boxes, job->workers, bytes);
    for (int i = TOI_VERTEX; i <= TOI_FACE; ++i)
        *trees[i] = (toi_tree){0};
    toi_status status = toi_make_mesh_order(boxes, job, room, order);
    char *memory = order->room;
    for (int i = TOI_FACE; i >= TOI_VERTEX && status == TOI_OK; memory += bytes[i--]) {
        if (toi_primitive_count(boxes->mesh, (toi_primitive)i) == 0)
            continue;
        place_tree(order, (toi_primitive)i, memory, trees[i]);
        status = build(order, (toi_primitive)i, job, trees[i]);
    }
    if (status != TOI_OK)
        toi_free_mesh_order(order); // and the trees with it
    return status;
}
