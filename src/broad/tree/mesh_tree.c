// Orders the vertices of a mesh, builds trees over its primitives in that order, searches them.

#include "broad/tree/mesh_tree.h"

#include "base/radix_sort.h"
#include "broad/tree/curve.h"
#include "kernel/bounds.h"
#include "mesh/mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Orders kept between calls

static toi_status open_kept(toi_mesh_order *order)
{
    if (!order->job.slot)
        return TOI_OK;
    const toi_mesh *mesh = order->boxes.mesh;
    toi_mesh_counts counts = {mesh->start.count, mesh->edges.count, mesh->faces.count};
    order->kept_bytes = toi_kept_order_bytes(&counts);
    bool kept;
    order->kept = toi_open_slot(&order->job, TOI_BROAD_LBVH, order->kept_bytes, &kept);
    if (!order->kept)
        return toi_allocation_status();
    if (!kept)
        *order->kept = (toi_kept_order){.valid = {false}};
    toi_lay_out_order(order->kept, &counts);
    return TOI_OK;
}

static bool is_kept(const toi_mesh_order *order, toi_primitive primitive)
{
    return order->kept && order->kept->valid[primitive];
}

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

// ---------------------------------------------------------------------------------------------
// Vertices along the curve

typedef struct order_job
{
    toi_mesh_order *order;
    toi_box_row *rows; // as the mesh numbers them; at last toi_moving_row, if boxes move
    const uint64_t *keys;
    _Atomic bool inexact;
    _Atomic uint32_t largest; // its bits: numbers that are not negative order like them
} order_job;

static void box_of(const toi_mesh_order *order, toi_primitive primitive, int64_t i, toi_box *box)
{
    toi_swept_box(order->boxes.mesh, primitive, i, order->radius, box);
    if (order->boxes.widen)
        toi_widen_to_floats(box);
}

static void make_point_rows(order_job *job, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; ++i) {
        const float *at = job->order->boxes.points[i];
        job->rows[i] = (toi_box_row){at[0], at[1], at[2], 0, -at[0], -at[1], -at[2], 0};
    }
}

static toi_status make_vertex_rows(void *context, int64_t first, int64_t end)
{
    order_job *job = context;
    bool exact = true;
    if (job->order->boxes.points) {
        make_point_rows(job, first, end);
        return TOI_OK;
    }
    for (int64_t i = first; i < end; ++i) {
        toi_box box;
        box_of(job->order, TOI_VERTEX, i, &box);
        exact &= toi_round_row(&box, &job->rows[i]);
    }
    if (!exact)
        job->inexact = true;
    return TOI_OK;
}

// Both ends of the vertices as the mesh numbers them, instead of their boxes.
static toi_status make_moving_rows(void *context, int64_t first, int64_t end)
{
    order_job *job = context;
    const toi_mesh_order *order = job->order;
    const toi_mesh *mesh = order->boxes.mesh;
    float largest = 0;
    for (int64_t i = first; i < end; ++i) {
        double x[2][3];
        toi_load_point(&mesh->start, i, x[0]);
        toi_load_point(&mesh->end, i, x[1]);
        toi_moving_row row = {0};
        for (int k = 0; k < 6; ++k) {
            float value = toi_moving_number(order, k % 3, x[k / 3][k % 3]);
            row[k + k / 3] = value;
            largest = fabsf(value) > largest ? fabsf(value) : largest;
        }
        job->rows[i] = row;
    }
    uint32_t bits, current = job->largest;
    memcpy(&bits, &largest, sizeof bits);
    while (bits > current && !atomic_compare_exchange_weak(&job->largest, &current, bits)) {}
    return TOI_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The origin is the median of some vertices, and the scale, a power of two, brings the middle half
// of them to about 1: outliers change neither.
static void choose_frame(toi_mesh_order *order)
{
    enum
    {
        TRIED = 63
    };
    const toi_point_view *start = &order->boxes.mesh->start;
    int tried = start->count < TRIED ? (int)start->count : TRIED, exponent;
    double at[3][TRIED], extent = 0, whole = 0;
    for (int i = 0; i < tried; ++i) {
        double x[3];
        toi_load_point(start, toi_piece_start(start->count, tried, i), x);
        for (int k = 0; k < 3; ++k)
            at[k][i] = x[k];
    }
    for (int k = 0; k < 3 && tried > 0; ++k) {
        qsort(at[k], (size_t)tried, sizeof at[k][0], compare_doubles);
        order->origin[k] = at[k][tried / 2];
        extent = fmax(extent, at[k][tried - 1 - tried / 4] - at[k][tried / 4]);
        whole = fmax(whole, at[k][tried - 1] - at[k][0]);
    }
    extent = fmin(extent > 0 ? extent : whole, DBL_MAX);
    frexp(extent, &exponent);
    // A difference of doubles times this is exact, or beyond the floats.
    order->scale = extent > 0 ? ldexp(1, exponent < -1000 ? 1000 : -exponent) : 1;
}

static toi_status arrange_rows(void *context, int64_t first, int64_t end)
{
    order_job *job = context;
    toi_mesh_order *order = job->order;
    toi_box_row *rows = order->moving ? order->moving : order->rows;
    for (int64_t i = first; i < end; ++i) {
        int32_t vertex = job->keys ? (int32_t)(uint32_t)job->keys[i] : order->kept->ids[0][i];
        if (job->keys && order->kept)
            order->kept->ids[0][i] = vertex;
        order->vertices[i] = vertex;
        order->positions[vertex] = (int32_t)i;
        if (order->points)
            memcpy(order->points[i], order->boxes.points[vertex], sizeof *order->points);
        else
            rows[i] = job->rows[vertex];
    }
    return TOI_OK;
}

// In one block: the first touch of each block that is large is the caller's own, and takes as long
// as a page of the largest kind.
static toi_status take_order(toi_budget *budget, int64_t count, int workers, toi_mesh_order *order)
{
    size_t row = order->boxes.points ? sizeof *order->points : sizeof *order->rows;
    size_t indices = sizeof *order->vertices + sizeof *order->positions;
    order->memory = toi_take_touched(budget, count, row + indices, workers);
    if (!order->memory)
        return toi_allocation_status();
    if (order->boxes.moving)
        order->moving = (toi_moving_row *)order->memory;
    else if (order->boxes.points)
        order->points = (float(*)[4])order->memory;
    else
        order->rows = (toi_box_row *)order->memory;
    order->vertices = (int32_t *)(order->memory + (size_t)count * row);
    order->positions = order->vertices + count;
    return TOI_OK;
}

// By what boxes in floats up to `largest` are enlarged, so that boxes that stay apart have more
// than twice the radius between what they hold. A number of a float box is off by u largest, and by
// u (largest + pad) once more when it is enlarged, u = 2^-24; twice that is covered here, and with
// the factors the rounding of the pad itself.
static float enlarge(double radius, float largest)
{
    double pad = (radius + 0x1p-22 * ((double)largest + radius)) * (1 + 0x1p-20);
    // And what underflows. With TOI_FARTHEST every box holds the origin, and none is apart.
    return fminf(toi_round_separation(pad) + 0x1p-146f, TOI_FARTHEST);
}

// By how much more for swept boxes in double, enlarged and rounded outward, to overlap only where
// those in single precision do: at most the last bit of a coordinate.
static double rounded_outward(const toi_mesh_order *order)
{
    double most = 0;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, fabs(order->origin[k]));
    return 0x1p-52 * ((most + order->radius) * order->scale + (double)order->largest);
}

// docs/separation.md, section 2.
static toi_tree_margin take_margin(const toi_mesh_order *order)
{
    double share = order->boxes.relative;
    if (!(share > 0))
        return (toi_tree_margin){0, 0};
    // What has been cut off may be far apart: nothing is dropped.
    double off = order->largest < TOI_FARTHEST
                     ? (3 + share * 46) * 0x1p-24 * ((double)order->largest + order->pad) + 0x1p-73
                     : INFINITY;
    return (toi_tree_margin){toi_float_above(fmax(share * share, 0x1p-100)), toi_float_above(off)};
}

static toi_status make_order(const toi_mesh_boxes *boxes, toi_broad_slot *slot, int workers,
                             toi_budget *budget, toi_mesh_order *order)
{
    double started = toi_clock();
    *order = (toi_mesh_order){
        .boxes = *boxes,
        .job = {.a.count = boxes->mesh->start.count, // the slot's lists are the mesh's
                .b.count = boxes->mesh->edges.count,
                .slot = slot,
                .workers = workers,
                .budget = budget},
        .radius = toi_separation_radius(boxes->min_separation)};
    int64_t count = boxes->mesh->start.count;
    order_job job = {.order = order};
    uint64_t *keys = NULL;
    toi_status status = open_kept(order);
    if (status == TOI_OK)
        status = take_order(budget, count, workers, order);
    bool kept = is_kept(order, TOI_VERTEX);
    if (status == TOI_OK) { // whether they are needed or not: the next call may need them
        int64_t words = count * (int64_t)(sizeof *job.rows / sizeof *keys);
        int64_t more = count + toi_order_words(count, workers);
        keys = toi_take_touched(budget, words + more, sizeof *keys, workers);
        status = keys ? TOI_OK : toi_allocation_status();
        job.rows = (toi_box_row *)keys;
        keys += keys ? words : 0;
    }
    if (status == TOI_OK && boxes->moving)
        choose_frame(order);
    if (status == TOI_OK && !(kept && (order->points || boxes->moving)))
        status = toi_parallel_ranges(workers, count, TOI_PIECE, make_vertex_rows, &job);
    if (status == TOI_OK && !kept) {
        if (order->kept)
            order->kept->labelled = false;
        job.keys = keys;
        status = toi_order_rows(job.rows, count, workers, keys, keys + count);
    }
    if (status == TOI_OK && boxes->moving)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, make_moving_rows, &job);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, arrange_rows, &job);
    if (status == TOI_OK && order->kept)
        order->kept->valid[TOI_VERTEX] = true;
    order->exact = !job.inexact;
    uint32_t largest = job.largest;
    memcpy(&order->largest, &largest, sizeof largest);
    order->largest *= boxes->lasting ? 2 : 1;
    order->error = order->largest * 0x1.01p-23f + 0x1p-140f;
    if (boxes->moving && order->radius > 0) {
        double more = boxes->relative > 0 ? rounded_outward(order) : 0;
        order->pad = enlarge(order->radius * order->scale + more, order->largest);
    }
    order->margin = take_margin(order);
    order->seconds = toi_clock() - started;
    toi_give_back(job.rows); // and the keys
    return status;
}

void toi_free_mesh_order(toi_mesh_order *order)
{
    toi_give_back(order->room);
    if (order->borrowed) {
        *order = (toi_mesh_order){0};
        return;
    }
    toi_give_back(order->memory);
    if (order->kept)
        toi_close_slot(&order->job, TOI_BROAD_LBVH, order->kept_bytes, order->kept, true);
    *order = (toi_mesh_order){0};
}

// ---------------------------------------------------------------------------------------------
// Trees

typedef struct tree_job
{
    const toi_mesh_order *order;
    toi_primitive primitive;
    int64_t count;
    double mean;   // largest extent, about
    bool classes;  // large primitives stand apart
    bool labelled; // the kept order has their labels
    uint64_t *keys;
    toi_tree *tree;
} tree_job;

static inline const int32_t *corners_of(const toi_mesh *mesh, toi_primitive primitive, int64_t i)
{
    return primitive == TOI_EDGE ? toi_edge_at(&mesh->edges, i) : toi_face_at(&mesh->faces, i);
}

typedef float quad __attribute__((vector_size(16)));

static inline quad low_quad(quad a, quad b)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    bits less = a < b;
    return (quad)((less & (bits)a) | (~less & (bits)b));
}

static inline const quad *ends_of(const toi_mesh_order *order, int32_t place)
{
    return (const quad *)&order->moving[place];
}

// The boxes of a primitive whose vertices stand at these places, at both ends.
static inline __attribute__((always_inline)) void bound_places(const toi_mesh_order *order,
                                                               const int32_t *places, int corners,
                                                               int stride, toi_box_row ends[2])
{
    const quad pad = {order->pad, order->pad, order->pad, 0};
    for (int end = 0; end < 2; ++end) {
        quad low = ends_of(order, places[0])[end], high = -low;
        for (int c = 1; c < corners; ++c) {
            quad x = ends_of(order, places[c * stride])[end];
            low = low_quad(x, low);
            high = low_quad(-x, high);
        }
        ((quad *)&ends[end])[0] = low - pad;
        ((quad *)&ends[end])[1] = high - pad;
    }
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
        bound_places(order, places, (int)primitive + 1, 1, ends);
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
        if (is_kept(order, job->primitive)) {
            job->keys[i] = (uint32_t)order->kept->ids[job->primitive][i];
            continue;
        }
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
    for (int i = 0; i < TOI_BLOCK; ++i) {
        quad sum = {0};
        for (int c = 0; c < corners && i < count; ++c)
            sum += ends_of(order, labels[c * TOI_BLOCK + i])[0];
        sum *= 1.0f / (float)corners;
        for (int k = 0; k < 3; ++k)
            middles[k][i] = sum[k];
    }
}

// One block of boxes that move; corner c of primitive i stands at labels[c * TOI_BLOCK + i].
static inline __attribute__((always_inline)) void fill_moving_block(const toi_mesh_order *order,
                                                                    const int32_t *labels,
                                                                    int corners, int count,
                                                                    toi_tree *tree, int64_t block)
{
    toi_box_row rows[2][TOI_BLOCK], halves[2];
    for (int i = 0; i < count; ++i) {
        toi_box_row ends[2];
        bound_places(order, labels + i, corners, TOI_BLOCK, ends);
        rows[0][i] = ends[0];
        rows[1][i] = ends[1];
    }
    toi_fill_block(rows[0], count, &tree->level[0][block], tree->boxes[block]);
    toi_fill_block(rows[1], count, &tree->far[block], halves);
    for (int end = 0; end < 2; ++end) {
        toi_box_row *half = end == 0 ? tree->boxes[block] : halves;
        tree->ends[block][end] = half[0];
        toi_widen_row(&tree->ends[block][end], &half[1]);
    }
    for (int h = 0; h < 2; ++h)
        toi_widen_row(&tree->boxes[block][h], &halves[h]);
    if (tree->middles)
        fill_middles(order, labels, corners, count, tree->middles[block]);
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
    for (int i = 0; i < count; ++i) {
        int32_t id = (int32_t)(uint32_t)job->keys[first + i];
        const int32_t *vertices = corners_of(order->boxes.mesh, job->primitive, id);
        tree->ids[first + i] = id;
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
    if (job->order->kept)
        memcpy(job->order->kept->ids[job->primitive] + block * TOI_BLOCK,
               tree->ids + block * TOI_BLOCK, (size_t)count * sizeof *tree->ids);
    if (job->order->moving) {
        fill_moving_block(job->order, labels, corners, count, tree, block);
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
        fill_moving_block(job->order, toi_block_labels(tree, block, 0), 1, count, tree, block);
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
    return TOI_OK;
}

// Orders edges or faces after their last vertex, and fills the blocks.
static toi_status fill_tree(tree_job *work, const toi_broad_job *job)
{
    toi_status status = TOI_OK;
    if (work->primitive != TOI_VERTEX && !work->labelled) {
        status = toi_parallel_ranges(job->workers, work->count, TOI_PIECE, make_keys, work);
        if (status == TOI_OK && !is_kept(work->order, work->primitive))
            toi_radix_sort_with(work->keys, work->keys + work->count, work->count,
                                ~(uint64_t)0 << 32, job->workers);
    }
    if (status == TOI_OK)
        status = toi_parallel_ranges(job->workers, work->tree->blocks[0], TOI_PIECE / TOI_BLOCK,
                                     fill_blocks, work);
    return status;
}

static void keep_labels(toi_kept_order *kept, const toi_tree *tree)
{
    int64_t blocks = tree->blocks[0];
    memcpy(kept->labels, tree->labels, (size_t)(blocks * 3 * TOI_BLOCK) * sizeof *kept->labels);
    memcpy(kept->ranges, tree->ranges, (size_t)blocks * sizeof *kept->ranges);
    kept->labelled = true;
}

static int64_t key_words(int64_t count, int workers)
{
    return count + toi_radix_words(count, workers);
}

// `keys` are for sorting: as many as key_words() says, but none for vertices.
static toi_status build(const toi_mesh_order *order, toi_primitive primitive,
                        const toi_broad_job *job, uint64_t *keys, toi_tree *tree)
{
    tree_job work = {
        .order = order, .primitive = primitive, .count = tree->count, .keys = keys, .tree = tree};
    if (primitive != TOI_VERTEX)
        work.mean = sample_extent(&work);
    work.labelled = is_kept(order, primitive) && primitive == TOI_FACE && order->kept->labelled;
    toi_status status = fill_tree(&work, job);
    bool sorted = status == TOI_OK && primitive != TOI_VERTEX && !is_kept(order, primitive);
    // Large ones among small ones spoil their blocks; then they get blocks of their own.
    if (sorted && toi_mean_half(tree) > SPOILT * work.mean) {
        work.classes = true;
        status = fill_tree(&work, job);
    }
    if (status == TOI_OK && primitive != TOI_VERTEX && order->kept) {
        if (primitive == TOI_FACE && !work.labelled)
            keep_labels(order->kept, tree);
        judge_order(order->kept, order->points, primitive, toi_mean_half(tree) / work.mean);
    }
    if (status == TOI_OK) {
        tree->exact = order->exact;
        toi_raise_tree(tree, job->workers);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Searches

static void vertex_box(const void *order, int32_t id, toi_box *box)
{
    box_of(order, TOI_VERTEX, id, box);
}

static void edge_box(const void *order, int32_t id, toi_box *box)
{
    box_of(order, TOI_EDGE, id, box);
}

static void face_box(const void *order, int32_t id, toi_box *box)
{
    box_of(order, TOI_FACE, id, box);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t tree_bytes(const toi_mesh_order *order, toi_primitive primitive)
{
    int64_t count = toi_primitive_count(order->boxes.mesh, primitive);
    return toi_tree_bytes(count, (int)primitive + 1, order->moving, order->margin.square > 0);
}

static int64_t key_bytes(const toi_mesh_order *order, toi_primitive primitive, int workers)
{
    int64_t count = toi_primitive_count(order->boxes.mesh, primitive);
    return key_words(count, workers) * (int64_t)sizeof(uint64_t);
}

// One block for either kind of pairs, so that the second finds pages that the first has touched:
// to get as many from the system anew takes as long as filling the tree. Once a tree of faces is
// built its keys make way for the vertices.
static toi_status need_room(toi_mesh_order *order, const toi_broad_job *job)
{
    int64_t edges = tree_bytes(order, TOI_EDGE) + key_bytes(order, TOI_EDGE, job->workers);
    int64_t faces = tree_bytes(order, TOI_FACE) +
                    larger(key_bytes(order, TOI_FACE, job->workers), tree_bytes(order, TOI_VERTEX));
    if (!order->room)
        order->room = toi_take_touched(job->budget, larger(edges, faces), 1, job->workers);
    return order->room ? TOI_OK : toi_allocation_status();
}

static void leave_room(toi_mesh_order *order)
{
    toi_give_back(order->room);
    order->room = NULL;
}

static void place_tree(const toi_mesh_order *order, toi_primitive primitive, char *memory,
                       toi_tree *tree)
{
    int64_t count = toi_primitive_count(order->boxes.mesh, primitive);
    toi_place_tree(count, (int)primitive + 1, order->moving, order->margin.square > 0, memory,
                   tree);
}

static toi_status search_edges(toi_mesh_order *order, const toi_broad_job *job)
{
    if (order->boxes.mesh->edges.count == 0)
        return TOI_OK;
    toi_status status = need_room(order, job);
    if (status != TOI_OK)
        return status;
    toi_tree edges;
    place_tree(order, TOI_EDGE, order->room, &edges);
    uint64_t *keys = (uint64_t *)(order->room + tree_bytes(order, TOI_EDGE));
    status = build(order, TOI_EDGE, job, keys, &edges);
    toi_tree_search search = {.packets = &edges,
                              .tree = &edges,
                              .packet_box = edge_box,
                              .tree_box = edge_box,
                              .context = order,
                              .margin = order->margin};
    order->trees[0] = order->trees[1] = &edges;
    if (status == TOI_OK)
        status = toi_run_tree_search(&search, job);
    leave_room(order); // edges come last
    return status;
}

static toi_status search_faces(toi_mesh_order *order, const toi_broad_job *job)
{
    if (order->boxes.mesh->faces.count == 0)
        return TOI_OK;
    toi_status status = need_room(order, job);
    if (status != TOI_OK)
        return status;
    toi_tree vertices, faces;
    char *rest = order->room + tree_bytes(order, TOI_FACE);
    place_tree(order, TOI_FACE, order->room, &faces);
    place_tree(order, TOI_VERTEX, rest, &vertices);
    status = build(order, TOI_FACE, job, (uint64_t *)rest, &faces);
    if (status == TOI_OK)
        status = build(order, TOI_VERTEX, job, NULL, &vertices);
    toi_tree_search search = {.packets = &faces,
                              .tree = &vertices,
                              .packet_box = face_box,
                              .tree_box = vertex_box,
                              .context = order,
                              .margin = order->margin};
    order->trees[0] = &vertices;
    order->trees[1] = &faces;
    if (status == TOI_OK)
        status = toi_run_tree_search(&search, job);
    return status;
}

static toi_status need_order(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                             const toi_broad_job *job)
{
    toi_status status = TOI_OK;
    if (toi_has_order(order) &&
        (order->boxes.moving != boxes->moving || order->boxes.relative != boxes->relative))
        toi_free_mesh_order(order);
    if (!toi_has_order(order))
        status = make_order(boxes, job->slot, job->workers, job->budget, order);
    if (status != TOI_OK)
        toi_free_mesh_order(order); // half of it is none
    return status;
}

toi_status toi_search_mesh_tree(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                const toi_broad_job *job)
{
    toi_status status = need_order(boxes, order, job);
    if (status != TOI_OK)
        return status;
    return job->self ? search_edges(order, job) : search_faces(order, job);
}

toi_status toi_make_primitive_tree(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                   const toi_broad_job *job, toi_primitive primitive,
                                   toi_tree *tree)
{
    *tree = (toi_tree){0};
    toi_status status = need_order(boxes, order, job);
    if (status != TOI_OK)
        return status;
    int64_t count = toi_primitive_count(boxes->mesh, primitive);
    uint64_t *keys = NULL;
    status = toi_take_tree(job->budget, count, (int)primitive + 1, order->moving,
                           order->margin.square > 0, tree);
    if (status == TOI_OK && primitive != TOI_VERTEX) {
        keys = toi_take(job->budget, key_words(count, job->workers), sizeof *keys);
        status = keys ? TOI_OK : toi_allocation_status();
    }
    if (status == TOI_OK)
        status = build(order, primitive, job, keys, tree);
    toi_give_back(keys);
    if (status != TOI_OK)
        toi_free_tree(tree);
    return status;
}

// From the arrays above that are held at the same time.
int64_t toi_mesh_tree_need(const toi_mesh_counts *counts, int workers, bool moving)
{
    enum
    {
        MOVING_BYTES = 40, // of a tree, more
        VERTEX_BYTES = 40, // of the order
        ORDER_BYTES = 48,  // a vertex, while it is made
        VERTEX_TREE_BYTES = 40,
        EDGE_BYTES = 60, // of the tree, and while it is made
        FACE_BYTES = 64,
        KEPT_BYTES = 4,
        KEPT_LABELS = 13 // a face
    };
    int64_t ordering = ORDER_BYTES * counts->vertices;
    int64_t more = moving ? MOVING_BYTES : 0;
    int64_t in_faces =
        (FACE_BYTES + more) * counts->faces + (VERTEX_TREE_BYTES + more) * counts->vertices;
    int64_t in_edges = (EDGE_BYTES + more) * counts->edges;
    int64_t most = ordering > in_faces ? ordering : in_faces;
    return VERTEX_BYTES * counts->vertices + (most > in_edges ? most : in_edges) +
           KEPT_BYTES * (counts->vertices + counts->edges + counts->faces) +
           KEPT_LABELS * (counts->faces + TOI_BLOCK) + toi_search_need(TOI_BROAD_LBVH, 0, workers);
}
