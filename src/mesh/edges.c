// Unique edges in libigl's order: the public truth numbers edges so.

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "mesh/mesh.h"

#include <inttypes.h>

static toi_status push_edge(uint64_t *keys, int64_t *count, const int32_t *row, int a, int b,
                            int64_t vertex_count)
{
    int32_t i = row[a], j = row[b];
    if (i < 0 || j < 0 || i >= vertex_count || j >= vertex_count)
        return toi_fail(TOI_ERROR_DATA, "vertex index %" PRId32 " is not in [0, %" PRId64 ")",
                        i < 0 || i >= vertex_count ? i : j, vertex_count);
    // A side from a vertex to itself (a face that names a vertex twice) is no edge.
    if (i != j)
        keys[(*count)++] =
            i > j ? (uint64_t)i << 32 | (uint32_t)j : (uint64_t)j << 32 | (uint32_t)i;
    return TOI_OK;
}

static toi_status collect(toi_index_view faces, toi_index_view loose, int64_t vertex_count,
                          uint64_t *keys, int64_t *count)
{
    toi_status status = TOI_OK;
    for (int64_t f = 0; f < faces.count; ++f)
        for (int k = 0; k < 3 && status == TOI_OK; ++k)
            status = push_edge(keys, count, toi_face_at(&faces, f), k, (k + 1) % 3, vertex_count);
    for (int64_t e = 0; e < loose.count && status == TOI_OK; ++e)
        status = push_edge(keys, count, toi_edge_at(&loose, e), 0, 1, vertex_count);
    return status;
}

static int64_t drop_repeats(uint64_t *keys, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[kept++] = keys[i];
    return kept;
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
    int64_t count = 0;
    uint64_t *keys = toi_take(budget, 3 * faces.count + loose.count, sizeof *keys);
    if (!keys)
        return toi_allocation_status();
    status = collect(faces, loose, vertex_count, keys, &count);
    if (status == TOI_OK)
        status = toi_radix_sort(keys, count, ~(uint64_t)0, workers, budget);
    if (status == TOI_OK) {
        count = drop_repeats(keys, count);
        if (count > INT32_MAX)
            status = toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " edges: at most %d are possible", count,
                              INT32_MAX);
    }
    if (status == TOI_OK) {
        edges->data = toi_take(budget, count, sizeof *edges->data);
        if (!edges->data)
            status = toi_allocation_status();
    }
    if (status == TOI_OK) {
        edges->count = count;
        for (int64_t i = 0; i < count; ++i) {
            edges->data[i][0] = (int32_t)(uint32_t)keys[i];
            edges->data[i][1] = (int32_t)(keys[i] >> 32);
        }
    }
    toi_give_back(keys);
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
