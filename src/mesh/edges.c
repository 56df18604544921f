// Unique edges in libigl's order: the public truth numbers edges so.

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "mesh/mesh.h"

#include <inttypes.h>

// A side from a vertex to itself (a face that names a vertex twice) is no edge. It sorts last.
#define NO_EDGE UINT64_MAX

enum
{
    PIECES = 64 // of the sorted keys
};

typedef struct edge_job
{
    toi_index_view faces, loose;
    int64_t vertex_count;
    uint64_t *keys; // one for each side of a face and each loose edge
    int64_t key_count;
    int64_t starts[PIECES + 1]; // how many edges the pieces before have
    int32_t (*edges)[2];
} edge_job;

static toi_status key_of(const edge_job *job, int32_t i, int32_t j, uint64_t *key)
{
    if (i < 0 || j < 0 || i >= job->vertex_count || j >= job->vertex_count)
        return toi_fail(TOI_ERROR_DATA, "vertex index %" PRId32 " is not in [0, %" PRId64 ")",
                        i < 0 || i >= job->vertex_count ? i : j, job->vertex_count);
    *key = i == j  ? NO_EDGE
           : i > j ? (uint64_t)i << 32 | (uint32_t)j
                   : (uint64_t)j << 32 | (uint32_t)i;
    return TOI_OK;
}

static toi_status take_sides(void *context, int64_t first, int64_t end)
{
    const edge_job *job = context;
    toi_status status = TOI_OK;
    for (int64_t f = first; f < end; ++f) {
        const int32_t *row = toi_face_at(&job->faces, f);
        for (int k = 0; k < 3 && status == TOI_OK; ++k)
            status = key_of(job, row[k], row[(k + 1) % 3], &job->keys[3 * f + k]);
    }
    return status;
}

static toi_status take_loose(void *context, int64_t first, int64_t end)
{
    const edge_job *job = context;
    toi_status status = TOI_OK;
    for (int64_t e = first; e < end && status == TOI_OK; ++e) {
        const int32_t *row = toi_edge_at(&job->loose, e);
        status = key_of(job, row[0], row[1], &job->keys[3 * job->faces.count + e]);
    }
    return status;
}

static toi_status take_keys(edge_job *job, int workers)
{
    toi_status status = toi_parallel_ranges(workers, job->faces.count, TOI_PIECE, take_sides, job);
    return status == TOI_OK
               ? toi_parallel_ranges(workers, job->loose.count, TOI_PIECE, take_loose, job)
               : status;
}

// Is this the first of its key?
static bool is_first(const uint64_t *keys, int64_t i)
{
    return (i == 0 || keys[i] != keys[i - 1]) && keys[i] != NO_EDGE;
}

static toi_status count_edges(void *context, int64_t piece, int worker)
{
    (void)worker;
    edge_job *job = context;
    int64_t end = toi_piece_start(job->key_count, PIECES, piece + 1), count = 0;
    for (int64_t i = toi_piece_start(job->key_count, PIECES, piece); i < end; ++i)
        count += is_first(job->keys, i);
    job->starts[piece + 1] = count;
    return TOI_OK;
}

static toi_status write_edges(void *context, int64_t piece, int worker)
{
    (void)worker;
    const edge_job *job = context;
    int64_t end = toi_piece_start(job->key_count, PIECES, piece + 1), at = job->starts[piece];
    for (int64_t i = toi_piece_start(job->key_count, PIECES, piece); i < end; ++i)
        if (is_first(job->keys, i)) {
            job->edges[at][0] = (int32_t)(uint32_t)job->keys[i];
            job->edges[at++][1] = (int32_t)(job->keys[i] >> 32);
        }
    return TOI_OK;
}

// Of sorted keys.
static toi_status list_edges(edge_job *job, int workers, toi_budget *budget, toi_edge_array *edges)
{
    toi_parallel(workers, PIECES, count_edges, job);
    for (int i = 0; i < PIECES; ++i)
        job->starts[i + 1] += job->starts[i];
    int64_t count = job->starts[PIECES];
    if (count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " edges: at most %d are possible", count,
                        INT32_MAX);
    job->edges = toi_take(budget, count, sizeof *job->edges);
    if (!job->edges)
        return toi_allocation_status();
    toi_parallel(workers, PIECES, write_edges, job);
    *edges = (toi_edge_array){job->edges, count};
    return TOI_OK;
}

toi_status toi_make_edges_within(toi_index_view faces, toi_index_view loose, int64_t vertex_count,
                                 int workers, toi_budget *budget, toi_edge_array *edges)
{
    *edges = (toi_edge_array){NULL, 0};
    toi_status status = toi_check_count(faces.count, "faces");
    if (status == TOI_OK)
        status = toi_check_count(loose.count, "loose edges");
    if (status == TOI_OK)
        status = toi_check_count(vertex_count, "vertices");
    if (status != TOI_OK)
        return status;
    if (faces.count > INT32_MAX || loose.count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "more faces or edges than an index can number");
    edge_job job = {.faces = faces,
                    .loose = loose,
                    .vertex_count = vertex_count,
                    .key_count = 3 * faces.count + loose.count};
    job.keys = toi_take(budget, job.key_count, sizeof *job.keys);
    if (!job.keys)
        return toi_allocation_status();
    status = take_keys(&job, workers);
    if (status == TOI_OK)
        status = toi_radix_sort(job.keys, job.key_count, ~(uint64_t)0, workers, budget);
    if (status == TOI_OK)
        status = list_edges(&job, workers, budget, edges);
    toi_give_back(job.keys);
    return status;
}

toi_status toi_make_edges(toi_index_view faces, toi_index_view loose, int64_t vertex_count,
                          toi_edge_array *edges)
{
    TOI_GUARD_FP; // for the parallel-for hook
    return toi_make_edges_within(faces, loose, vertex_count, toi_default_workers(), NULL, edges);
}

void toi_free_edges(toi_edge_array *edges)
{
    if (!edges)
        return;
    toi_give_back(edges->data);
    *edges = (toi_edge_array){NULL, 0};
}

toi_index_view toi_view_edges(const toi_edge_array *edges)
{
    return (toi_index_view){edges->data ? edges->data[0] : NULL, edges->count, 0};
}
