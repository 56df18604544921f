// The rows of positions that steps keep: moving them on, whether they follow on the last step, and
// what is measured of them.

#include "track/kept.h"

#include "base/simd.h"
#include "broad/tree/curve.h"
#include "ccd/corners.h"
#include "ccd/pipeline.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

typedef toi_kept_steps kept_steps;

// ---- Rows

typedef struct row_job
{
    const toi_mesh_order *order;
    const toi_point_view *start, *end; // NULL: where the row ends now
    const toi_point_view *from;        // to be compared with a side of the rows
    int side;
    uint8_t *moved; // pieces of rows
    _Atomic bool differ;
    _Atomic uint32_t largest; // its bits: numbers that are not negative order like them
} row_job;

static inline void place_row(const toi_mesh_order *order, const toi_point_view *points, int64_t i,
                             float at[3])
{
    double x[3];
    toi_load_point(points, order->vertices[i], x);
    for (int k = 0; k < 3; ++k)
        at[k] = toi_moving_number(order, k, x[k]);
}

// Vertices that are neighbours in space stand anywhere in the caller's arrays.
static inline void fetch_ahead(const toi_mesh_order *order, const toi_point_view *points, int64_t i,
                               int64_t end)
{
    enum
    {
        AHEAD = 24
    };
    if (i + AHEAD < end)
        __builtin_prefetch(toi_point_address(points, order->vertices[i + AHEAD]));
}

static inline bool row_differs(const row_job *job, int64_t i)
{
    float at[3];
    bool differs = false;
    place_row(job->order, job->from, i, at);
    for (int k = 0; k < 3; ++k)
        differs |= at[k] != job->order->moving[i][4 * job->side + k];
    return differs;
}

// Do the rows start or end where this step starts? That is all that counts of the positions.
static toi_status compare_rows(void *context, int64_t first, int64_t end)
{
    row_job *job = context;
    bool differ = false;
    for (int64_t i = first; i < end && !differ; ++i) {
        fetch_ahead(job->order, job->from, i, end);
        differ = row_differs(job, i);
    }
    if (differ)
        job->differ = true;
    return TOI_OK;
}

static toi_status move_rows(void *context, int64_t first, int64_t end)
{
    row_job *job = context;
    float largest = 0;
    for (int64_t i = first; i < end; ++i) {
        toi_moving_row row = job->order->moving[i];
        float at[2][3] = {{row[4], row[5], row[6]}};
        fetch_ahead(job->order, job->end, i, end);
        if (job->start)
            place_row(job->order, job->start, i, at[0]);
        place_row(job->order, job->end, i, at[1]);
        for (int k = 0; k < 6; ++k) {
            float size = fabsf(at[k / 3][k % 3]);
            row[k + k / 3] = at[k / 3][k % 3];
            largest = size > largest ? size : largest;
        }
        job->order->moving[i] = row;
    }
    uint32_t bits, current = job->largest;
    memcpy(&bits, &largest, sizeof bits);
    while (bits > current && !atomic_compare_exchange_weak(&job->largest, &current, bits)) {}
    return TOI_OK;
}

// Moves a piece of rows on from where they end, if that is where this step starts.
static toi_status follow_rows(void *context, int64_t first, int64_t end)
{
    row_job *job = context;
    if (!job->differ)
        compare_rows(context, first, end);
    job->moved[first / TOI_PIECE] = !job->differ;
    return job->differ ? TOI_OK : move_rows(context, first, end);
}

// Puts the ends of such pieces back; where they started is lost.
static toi_status return_rows(void *context, int64_t first, int64_t end)
{
    const row_job *job = context;
    for (int64_t i = first; i < end && job->moved[first / TOI_PIECE]; ++i)
        for (int k = 0; k < 3; ++k)
            job->order->moving[i][4 + k] = job->order->moving[i][k];
    return TOI_OK;
}

static void for_all_rows(const toi_pipeline *p, row_job *job, toi_range_fn *work)
{
    toi_parallel_ranges(p->workers, p->mesh.end.count, TOI_PIECE, work, job); // does not fail
}

static float largest_of(const row_job *job)
{
    uint32_t bits = job->largest;
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    return largest;
}

float toi_set_kept_rows(const toi_pipeline *p, kept_steps *k, const toi_point_view *start,
                        const toi_point_view *end)
{
    row_job job = {.order = &k->order, .start = start, .end = end};
    for_all_rows(p, &job, move_rows);
    return largest_of(&job);
}

static bool starts_at(const toi_pipeline *p, kept_steps *k, int side)
{
    row_job job = {.order = &k->order, .from = &p->mesh.start, .side = side};
    for_all_rows(p, &job, compare_rows);
    return !job.differ;
}

toi_step_start toi_find_kept_start(const toi_pipeline *p, kept_steps *k)
{
    if (starts_at(p, k, 1))
        return TOI_START_AT_END;
    return starts_at(p, k, 0) ? TOI_START_AT_START : TOI_START_ELSEWHERE;
}

bool toi_seems_kept_to_follow(const toi_pipeline *p, const kept_steps *k)
{
    enum
    {
        TRIED = 64
    };
    row_job job = {.order = &k->order, .from = &p->mesh.start, .side = 1};
    int64_t count = p->mesh.start.count, tried = count < TRIED ? count : TRIED;
    bool moved = false;
    for (int64_t n = 0; n < tried; ++n) {
        int64_t i = toi_piece_start(count, tried, n);
        const float *row = (const float *)&k->order.moving[i];
        if (row_differs(&job, i))
            return false;
        moved |= memcmp(row, row + 4, 3 * sizeof *row) != 0;
    }
    return moved;
}

bool toi_follow_kept_rows(const toi_pipeline *p, kept_steps *k, float *largest)
{
    row_job job = {.order = &k->order,
                   .from = &p->mesh.start,
                   .side = 1,
                   .end = &p->mesh.end,
                   .moved = k->moved};
    for_all_rows(p, &job, follow_rows);
    if (job.differ)
        for_all_rows(p, &job, return_rows);
    *largest = largest_of(&job);
    return !job.differ;
}

// ---- Measures

enum
{
    SAMPLES = 256,
    ONE_OF = 16 // where that is fewer: measures must cost a small scene little
};

static int64_t count_samples(int64_t count)
{
    int64_t few = (count + ONE_OF - 1) / ONE_OF;
    return few < SAMPLES ? few : SAMPLES;
}

static double way_between(const float *a, const float *b)
{
    double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static const float *row_of(const kept_steps *k, int64_t place, int end)
{
    return (const float *)&k->order.moving[place] + 4 * end;
}

double toi_kept_mean_edge(const toi_pipeline *p, const kept_steps *k)
{
    int64_t count = p->mesh.edges.count, samples = count_samples(count);
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i) {
        const int32_t *edge = toi_edge_at(&p->mesh.edges, toi_piece_start(count, samples, i));
        sum += way_between(row_of(k, k->order.positions[edge[0]], 0),
                           row_of(k, k->order.positions[edge[1]], 0));
    }
    return samples > 0 ? sum / (double)samples : 0;
}

double toi_kept_mean_way(const toi_pipeline *p, const kept_steps *k)
{
    int64_t count = p->mesh.start.count, samples = count_samples(count);
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i) {
        int64_t at = toi_piece_start(count, samples, i);
        sum += way_between(row_of(k, at, 0), row_of(k, at, 1));
    }
    return samples > 0 && k->edge > 0 ? sum / (double)samples / k->edge : 0;
}

typedef toi_box_quad quad;

// How far the vertices of some labels move relative to each other, at most.
static double relative_way(const kept_steps *k, const int32_t *places, int count)
{
    quad low = {INFINITY, INFINITY, INFINITY, 0}, high = low; // the latter negated
    for (int i = 0; i < count; ++i) {
        const quad *row = (const quad *)&k->order.moving[places[i] < 0 ? places[0] : places[i]];
        quad way = row[1] - row[0];
        low = toi_low_quad(way, low);
        high = toi_low_quad(-way, high);
    }
    quad extent = -high - low, square = extent * extent;
    return sqrt((double)square[0] + square[1] + square[2]);
}

double toi_kept_relative_way(const kept_steps *k)
{
    const toi_tree *tree = &k->trees[TOI_EDGE].tree;
    int64_t blocks = tree->blocks[0], samples = blocks / 8 < 64 ? (blocks + 7) / 8 : 64;
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i) {
        int64_t block = toi_piece_start(blocks, samples, i);
        int count = (block + 1 < blocks ? 2 : 1) * 2 * TOI_BLOCK; // corners of one or two blocks
        sum += relative_way(k, toi_block_labels(tree, block, 0), count);
    }
    return samples > 0 && k->edge > 0 ? sum / (double)samples / k->edge : 0;
}

double toi_kept_looseness(const kept_steps *k)
{
    const toi_tree *tree = &k->trees[TOI_EDGE].tree;
    int64_t blocks = tree->blocks[0], samples = blocks < SAMPLES ? blocks : SAMPLES;
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i)
        sum += toi_largest_extent(&tree->ends[toi_piece_start(blocks, samples, i)][1]);
    return samples > 0 ? sum / (double)samples : 0;
}

// Extent of a block of edges where this step ends, in rows that are still those of the last step.
static double extent_ahead(const toi_pipeline *p, const kept_steps *k, int64_t block)
{
    const toi_tree *tree = &k->trees[TOI_EDGE].tree;
    toi_box_row box = {INFINITY, INFINITY, INFINITY, 0, INFINITY, INFINITY, INFINITY, 0};
    for (int c = 0; c < 2; ++c) {
        const int32_t *places = toi_block_labels(tree, block, c);
        for (int i = 0; i < TOI_BLOCK && places[i] >= 0; ++i) {
            float at[3];
            place_row(&k->order, &p->mesh.end, places[i], at);
            toi_box_row row = {at[0], at[1], at[2], 0, -at[0], -at[1], -at[2], 0};
            toi_widen_row(&box, &row);
        }
    }
    return toi_largest_extent(&box);
}

bool toi_are_kept_blocks_torn(const toi_pipeline *p, const kept_steps *k)
{
    const toi_tree *tree = &k->trees[TOI_EDGE].tree;
    int64_t blocks = tree->blocks[0], samples = blocks / 16 < 64 ? blocks / 16 + 1 : 64;
    double before = 0, after = 0;
    for (int64_t i = 0; i < samples && blocks > 0; ++i) {
        int64_t block = toi_piece_start(blocks, samples, i);
        before += toi_largest_extent(&tree->ends[block][1]);
        after += extent_ahead(p, k, block);
    }
    return after > 2 * before;
}
