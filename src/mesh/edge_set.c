// Puts the edges of a mesh in order, so that they can be looked up by their vertices.

#include "mesh/edge_set.h"

#include "base/parallel.h"
#include "base/radix_sort.h"

typedef struct filling
{
    toi_edge_set *set;
    uint64_t *keys; // in order; NULL: as the mesh has the edges
    _Atomic bool unsorted;
} filling;

static uint64_t key_in_mesh(const toi_mesh *mesh, int64_t i)
{
    const int32_t *e = toi_edge_at(&mesh->edges, i);
    return toi_edge_key(e[0], e[1]);
}

static inline uint64_t key_at(const filling *f, int64_t i)
{
    return f->keys ? f->keys[i] : key_in_mesh(f->set->mesh, i);
}

static toi_status take_edge_keys(void *context, int64_t first, int64_t end)
{
    filling *f = context;
    for (int64_t i = first; i < end; ++i)
        f->keys[i] = key_in_mesh(f->set->mesh, i);
    return TOI_OK;
}

static toi_status take_lower(void *context, int64_t first, int64_t end)
{
    filling *f = context;
    uint64_t last = first > 0 ? key_at(f, first - 1) : 0;
    bool sorted = true;
    for (int64_t i = first; i < end; ++i) {
        uint64_t key = key_at(f, i);
        f->set->lower[i] = (int32_t)(uint32_t)key;
        sorted &= last <= key;
        last = key;
    }
    if (!sorted)
        f->unsorted = true;
    return TOI_OK;
}

// Each piece of edges sets `first` of the vertices from the one after its predecessor's on.
static toi_status find_first_edges(void *context, int64_t first, int64_t end)
{
    const filling *f = context;
    const toi_mesh *mesh = f->set->mesh;
    int64_t v = first > 0 ? (int64_t)(key_at(f, first - 1) >> 32) + 1 : 0;
    for (int64_t i = first; i < end; ++i)
        while (v <= (int64_t)(key_at(f, i) >> 32))
            f->set->first[v++] = (int32_t)i;
    while (end == mesh->edges.count && v <= mesh->start.count)
        f->set->first[v++] = (int32_t)end;
    return TOI_OK;
}

// Edges that are not from toi_make_edges(), which are sorted.
static toi_status sort_edges(filling *f, int workers, toi_budget *budget)
{
    int64_t count = f->set->mesh->edges.count;
    f->keys = toi_take_touched(budget, count, sizeof *f->keys, workers);
    if (!f->keys)
        return toi_allocation_status();
    toi_parallel_ranges(workers, count, TOI_PIECE, take_edge_keys, f); // does not fail
    toi_status status = toi_radix_sort(f->keys, count, ~(uint64_t)0, workers, budget);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, take_lower, f);
    return status;
}

static toi_status fill_edge_set(toi_edge_set *set, int workers, toi_budget *budget)
{
    int64_t count = set->mesh->edges.count;
    filling f = {.set = set};
    toi_status status = toi_parallel_ranges(workers, count, TOI_PIECE, take_lower, &f);
    if (status == TOI_OK && f.unsorted)
        status = sort_edges(&f, workers, budget);
    for (int i = 0; i < TOI_EDGES_AT_ONCE; ++i)
        set->lower[count + i] = -1;
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, find_first_edges, &f);
    toi_give_back(f.keys);
    return status;
}

toi_status toi_make_edge_set(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_edge_set *set)
{
    int64_t places = mesh->edges.count + TOI_EDGES_AT_ONCE;
    *set = (toi_edge_set){.mesh = mesh,
                          .lower = toi_take_touched(budget, places, sizeof *set->lower, workers)};
    set->first = set->lower ? toi_take(budget, mesh->start.count + 1, sizeof *set->first) : NULL;
    return set->first ? fill_edge_set(set, workers, budget) : toi_allocation_status();
}

void toi_free_edge_set(toi_edge_set *set)
{
    toi_give_back(set->first);
    toi_give_back(set->lower);
}
