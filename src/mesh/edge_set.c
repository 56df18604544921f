// Sorts the edges of a mesh, so that they can be looked up by their vertices.

#include "mesh/edge_set.h"

#include "base/parallel.h"
#include "base/radix_sort.h"

static uint64_t edge_key_at(const toi_mesh *mesh, int64_t i)
{
    const int32_t *e = toi_edge_at(&mesh->edges, i);
    return toi_edge_key(e[0], e[1]);
}

static toi_status take_edge_keys(void *context, int64_t first, int64_t end)
{
    toi_edge_set *set = context;
    uint64_t last = first > 0 ? edge_key_at(set->mesh, first - 1) : 0;
    bool sorted = true;
    for (int64_t i = first; i < end; ++i) {
        set->keys[i] = edge_key_at(set->mesh, i);
        sorted &= last <= set->keys[i];
        last = set->keys[i];
    }
    if (!sorted)
        set->unsorted = true;
    return TOI_OK;
}

static int64_t larger_vertex(const toi_edge_set *set, int64_t i)
{
    return (int64_t)(set->keys[i] >> 32);
}

// Each piece of edges sets `first` of the vertices from the one after its predecessor's on.
static toi_status find_first_edges(void *context, int64_t first, int64_t end)
{
    toi_edge_set *set = context;
    int64_t v = first > 0 ? larger_vertex(set, first - 1) + 1 : 0;
    for (int64_t i = first; i < end; ++i)
        while (v <= larger_vertex(set, i))
            set->first[v++] = (int32_t)i;
    while (end == set->mesh->edges.count && v <= set->mesh->start.count)
        set->first[v++] = (int32_t)end;
    return TOI_OK;
}

// Edges from toi_make_edges() are sorted.
static toi_status fill_edge_set(toi_edge_set *set, int workers, toi_budget *budget)
{
    int64_t count = set->mesh->edges.count;
    toi_status status = toi_parallel_ranges(workers, count, TOI_PIECE, take_edge_keys, set);
    if (status == TOI_OK && set->unsorted)
        status = toi_radix_sort(set->keys, count, ~(uint64_t)0, workers, budget);
    for (int i = 0; i < TOI_EDGES_AT_ONCE; ++i)
        set->keys[count + i] = UINT64_MAX; // no edge
    return status == TOI_OK ? toi_parallel_ranges(workers, count, TOI_PIECE, find_first_edges, set)
                            : status;
}

toi_status toi_make_edge_set(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_edge_set *set)
{
    int64_t keys = mesh->edges.count + TOI_EDGES_AT_ONCE;
    *set = (toi_edge_set){.mesh = mesh,
                          .keys = toi_take_touched(budget, keys, sizeof *set->keys, workers)};
    set->first = set->keys ? toi_take(budget, mesh->start.count + 1, sizeof *set->first) : NULL;
    return set->first ? fill_edge_set(set, workers, budget) : toi_allocation_status();
}

void toi_free_edge_set(toi_edge_set *set)
{
    toi_give_back(set->first);
    toi_give_back(set->keys);
}
