// Orders the vertices of a mesh along a curve, in memory that has room for the trees of a search.

#include "broad/tree/mesh_tree.h"

#include "base/radix_sort.h"
#include "broad/tree/curve.h"
#include "kernel/bounds.h"
#include "mesh/mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// While vertices are put in order: rows and keys of them.
static int64_t ordering_bytes(int64_t count, int workers)
{
    return count * (int64_t)sizeof(toi_box_row) +
           (count + toi_order_words(count, workers)) * (int64_t)sizeof(uint64_t);
}

// In one block, with room for searches if there are to be any: the first touch of each block that
// is large takes as long as a page of the largest kind.
static toi_status take_order(toi_mesh_order *order, int64_t room)
{
    const toi_mesh_boxes *boxes = &order->boxes;
    const toi_broad_job *job = &order->job;
    int64_t count = boxes->mesh->start.count;
    size_t row = boxes->points ? sizeof *order->points : sizeof *order->rows;
    size_t indices = sizeof *order->vertices + sizeof *order->positions;
    int64_t arrays = toi_whole_lines(count * (int64_t)(row + indices));
    order->memory = toi_take_touched(job->budget, arrays + room, 1, job->workers);
    if (!order->memory)
        return toi_allocation_status();
    if (boxes->moving)
        order->moving = (toi_moving_row *)order->memory;
    else if (boxes->points)
        order->points = (float(*)[4])order->memory;
    else
        order->rows = (toi_box_row *)order->memory;
    order->vertices = (int32_t *)(order->memory + (size_t)count * row);
    order->positions = order->vertices + count;
    order->room = room > 0 ? order->memory + arrays : NULL;
    return TOI_OK;
}

typedef struct order_job
{
    toi_mesh_order *order;
    toi_box_row *rows; // as the mesh numbers them
    const uint64_t *keys;
    _Atomic bool inexact;
    _Atomic uint32_t largest; // its bits: numbers that are not negative order like them
} order_job;

void toi_order_box(const toi_mesh_order *order, toi_primitive primitive, int64_t i, toi_box *box)
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

// What toi_order_box() and toi_round_row() make of a vertex whose box is not enlarged.
static inline bool make_swept_row(const toi_mesh *mesh, int64_t i, toi_box_row *row)
{
    double start[3], end[3];
    bool exact = true;
    toi_load_point(&mesh->start, i, start);
    toi_load_point(&mesh->end, i, end);
    for (int k = 0; k < 3; ++k) {
        double lo = start[k] < end[k] ? start[k] : end[k];
        double hi = start[k] < end[k] ? end[k] : start[k];
        float low = toi_finite_float(lo), high = toi_finite_float(hi);
        exact &= (double)low == lo && (double)high == hi;
        (*row)[k] = low;
        (*row)[4 + k] = -high;
    }
    (*row)[3] = (*row)[7] = 0;
    return exact;
}

static toi_status make_vertex_rows(void *context, int64_t first, int64_t end)
{
    order_job *job = context;
    const toi_mesh_boxes *boxes = &job->order->boxes;
    bool exact = true;
    if (boxes->points) {
        make_point_rows(job, first, end);
        return TOI_OK;
    }
    bool plain = !(job->order->radius > 0) && !boxes->widen;
    for (int64_t i = first; i < end && plain; ++i)
        exact &= make_swept_row(boxes->mesh, i, &job->rows[i]);
    for (int64_t i = first; i < end && !plain; ++i) {
        toi_box box;
        toi_order_box(job->order, TOI_VERTEX, i, &box);
        exact &= toi_round_row(&box, &job->rows[i]);
    }
    if (!exact)
        job->inexact = true;
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

// How far the vertex of a row moves, and what its numbers may be off by: no less than that, and
// less than nothing. docs/separation.md, section 2.
static inline void measure_row(toi_moving_row *row)
{
    double square = 0;
    float off = 0;
    for (int k = 0; k < 3; ++k) {
        double way = (double)(*row)[4 + k] - (double)(*row)[k];
        square += way * way;
        off += (fabsf((*row)[k]) + fabsf((*row)[4 + k])) * 0x1p-22f;
    }
    (*row)[3] = -(float)(sqrt(square) * (1 + 0x1p-20));
    (*row)[7] = -off;
}

// Both ends of a vertex; returns the largest number in them.
static inline float make_moving_row(const toi_mesh_order *order, int32_t vertex,
                                    toi_moving_row *row)
{
    const toi_mesh *mesh = order->boxes.mesh;
    double x[2][3];
    float largest = 0;
    toi_load_point(&mesh->start, vertex, x[0]);
    toi_load_point(&mesh->end, vertex, x[1]);
    *row = (toi_moving_row){0};
    for (int k = 0; k < 6; ++k) {
        float value = toi_moving_number(order, k % 3, x[k / 3][k % 3]);
        (*row)[k + k / 3] = value;
        largest = fabsf(value) > largest ? fabsf(value) : largest;
    }
    if (order->boxes.relative > 0 && order->boxes.horizon)
        measure_row(row);
    return largest;
}

static void raise_largest(order_job *job, float largest)
{
    uint32_t bits, current = job->largest;
    memcpy(&bits, &largest, sizeof bits);
    while (bits > current && !atomic_compare_exchange_weak(&job->largest, &current, bits)) {}
}

static inline int32_t vertex_at(const order_job *job, int64_t i)
{
    return job->keys ? (int32_t)(uint32_t)job->keys[i] : job->order->kept->ids[0][i];
}

enum
{
    AHEAD = 16 // vertices that are fetched before they are read
};

// Vertices that are neighbours in space stand anywhere in the caller's arrays.
static inline void fetch_vertex(const toi_mesh_order *order, int32_t vertex)
{
    const toi_mesh *mesh = order->boxes.mesh;
    if (!order->moving)
        return;
    __builtin_prefetch(toi_point_address(&mesh->start, vertex));
    __builtin_prefetch(toi_point_address(&mesh->end, vertex));
    __builtin_prefetch(&order->positions[vertex], 1);
}

static toi_status arrange_rows(void *context, int64_t first, int64_t end)
{
    order_job *job = context;
    toi_mesh_order *order = job->order;
    float largest = 0;
    for (int64_t i = first; i < end; ++i) {
        int32_t vertex = vertex_at(job, i);
        if (i + AHEAD < end)
            fetch_vertex(order, vertex_at(job, i + AHEAD));
        if (job->keys && order->kept)
            order->kept->ids[0][i] = vertex;
        order->vertices[i] = vertex;
        order->positions[vertex] = (int32_t)i;
        if (order->moving)
            largest = fmaxf(largest, make_moving_row(order, vertex, &order->moving[i]));
        else if (order->points)
            memcpy(order->points[i], order->boxes.points[vertex], sizeof *order->points);
        else
            order->rows[i] = job->rows[vertex];
    }
    raise_largest(job, largest);
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
        return (toi_tree_margin){0};
    // What has been cut off may be far apart: nothing is dropped.
    double off = order->largest < TOI_FARTHEST
                     ? (3 + share * 46) * 0x1p-24 * ((double)order->largest + order->pad) + 0x1p-73
                     : INFINITY;
    return (toi_tree_margin){.square = toi_float_above(fmax(share * share, 0x1p-100)),
                             .off = toi_float_above(off)};
}

// The vertices in order, in memory that is there: rows and keys of them are not needed after it.
static toi_status arrange_vertices(toi_mesh_order *order, char *memory)
{
    const toi_mesh_boxes *boxes = &order->boxes;
    int64_t count = boxes->mesh->start.count;
    int workers = order->job.workers;
    order_job job = {.order = order, .rows = (toi_box_row *)memory};
    uint64_t *keys = (uint64_t *)(memory + (size_t)count * sizeof *job.rows);
    bool kept = toi_is_kept(order, TOI_VERTEX);
    toi_status status = TOI_OK;
    if (boxes->moving)
        choose_frame(order);
    if (!(kept && (order->points || boxes->moving)))
        status = toi_parallel_ranges(workers, count, TOI_PIECE, make_vertex_rows, &job);
    if (status == TOI_OK && !kept) {
        if (order->kept)
            order->kept->labelled = false;
        job.keys = keys;
        status = toi_order_rows(job.rows, count, workers, keys, keys + count);
    }
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, arrange_rows, &job);
    if (status == TOI_OK && order->kept)
        order->kept->valid[TOI_VERTEX] = true;
    order->exact = !job.inexact;
    uint32_t largest = job.largest;
    memcpy(&order->largest, &largest, sizeof largest);
    return status;
}

// ---- Motions that are cut short: docs/exact.md, section 1

// A vertex where the motion ends now. Numbers of both ends of the whole motion are finite floats.
static void shorten_row(const toi_mesh_order *order, int32_t vertex, toi_moving_row *row)
{
    const toi_mesh *mesh = order->boxes.mesh;
    double x[2][3];
    toi_load_point(&mesh->start, vertex, x[0]);
    toi_load_point(&mesh->end, vertex, x[1]);
    for (int k = 0; k < 3; ++k) {
        double start = toi_from_origin(order, k, x[0][k]);
        double way = toi_from_origin(order, k, x[1][k]) - start;
        (*row)[4 + k] = (float)(start + order->until * way);
    }
}

static toi_status shorten_rows(void *context, int64_t first, int64_t end)
{
    const toi_mesh_order *order = context;
    for (int64_t i = first; i < end; ++i) {
        if (i + AHEAD < end)
            fetch_vertex(order, order->vertices[i + AHEAD]);
        shorten_row(order, order->vertices[i], &order->moving[i]);
    }
    return TOI_OK;
}

toi_status toi_shorten_order(toi_mesh_order *order, double until)
{
    double share = order->boxes.relative, stretch = (1 + 0x1p-19) / (1 - share);
    order->until = until;
    if (share > 0) { // boxes are enlarged by what they reach instead
        order->margin = (toi_tree_margin){0};
        order->reach = toi_float_above(until * stretch);
        order->grain = toi_float_above(fmax(0x1p-1074 * order->scale, 0x1p-120) * stretch);
        return TOI_OK;
    }
    return toi_parallel_ranges(order->job.workers, order->boxes.mesh->start.count, TOI_PIECE,
                               shorten_rows, order);
}

toi_status toi_make_mesh_order(const toi_mesh_boxes *boxes, const toi_broad_job *asked,
                               int64_t room, toi_mesh_order *order)
{
    *order = (toi_mesh_order){
        .boxes = *boxes,
        .job = {.a.count = boxes->mesh->start.count, // the slot's lists are the mesh's
                .b.count = boxes->mesh->edges.count,
                .slot = asked->slot,
                .workers = asked->workers,
                .budget = asked->budget},
        .radius = toi_separation_radius(boxes->min_separation),
        .until = 1};
    int64_t bytes = ordering_bytes(boxes->mesh->start.count, asked->workers);
    toi_status status = open_kept(order);
    if (status == TOI_OK)
        status = take_order(order, room > 0 && room < bytes ? bytes : room);
    char *own = NULL;
    if (status == TOI_OK && !order->room) { // whether needed or not: the next call may need it
        own = toi_take_touched(asked->budget, bytes, 1, asked->workers);
        status = own ? TOI_OK : toi_allocation_status();
    }
    if (status == TOI_OK)
        status = arrange_vertices(order, own ? own : order->room);
    order->largest *= boxes->lasting ? 2 : 1;
    order->error = order->largest * 0x1.01p-23f + 0x1p-140f;
    if (boxes->moving && order->radius > 0) {
        double more = boxes->relative > 0 ? rounded_outward(order) : 0;
        order->pad = enlarge(order->radius * order->scale + more, order->largest);
    }
    order->margin = take_margin(order);
    toi_give_back(own);
    return status;
}

void toi_free_mesh_order(toi_mesh_order *order)
{
    if (!order->borrowed)
        toi_give_back(order->memory);
    if (!order->borrowed && order->kept)
        toi_close_slot(&order->job, TOI_BROAD_LBVH, order->kept_bytes, order->kept, true);
    *order = (toi_mesh_order){0};
}

// From the arrays of orders and trees that are held at the same time.
int64_t toi_mesh_tree_need(const toi_mesh_counts *counts, int workers, bool moving, bool middles)
{
    enum
    {
        MOVING_BYTES = 28, // of a tree, more
        MIDDLE_BYTES = 36, // likewise, for a margin
        VERTEX_BYTES = 40, // of the order
        ORDER_BYTES = 48,  // a vertex, while it is made
        VERTEX_TREE_BYTES = 40,
        EDGE_BYTES = 44,
        FACE_BYTES = 48,
        KEPT_BYTES = 4,
        KEPT_LABELS = 13 // a face
    };
    int64_t ordering = ORDER_BYTES * counts->vertices;
    int64_t more = (moving ? MOVING_BYTES : 0) + (middles ? MIDDLE_BYTES : 0);
    int64_t in_faces =
        (FACE_BYTES + more) * counts->faces + (VERTEX_TREE_BYTES + more) * counts->vertices;
    int64_t in_edges = (EDGE_BYTES + more) * counts->edges;
    int64_t most = ordering > in_faces ? ordering : in_faces;
    return VERTEX_BYTES * counts->vertices + (most > in_edges ? most : in_edges) +
           KEPT_BYTES * (counts->vertices + counts->edges + counts->faces) +
           KEPT_LABELS * (counts->faces + TOI_BLOCK) + toi_search_need(TOI_BROAD_LBVH, 0, workers) +
           toi_radix_tables(counts->vertices + counts->edges + counts->faces, workers);
}
