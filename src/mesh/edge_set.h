// The edges of a mesh by their vertices: is there one between these two, and which?

#ifndef TOI_MESH_EDGE_SET_H
#define TOI_MESH_EDGE_SET_H

#include "mesh/mesh.h"

enum
{
    TOI_EDGES_AT_ONCE = 6 // keys; few vertices are the larger one of more edges
};

// Sorted keys of edges, with first[v] the first whose larger vertex is v: a look-up stays inside
// one vertex.
typedef struct toi_edge_set
{
    const toi_mesh *mesh;
    uint64_t *keys; // and TOI_EDGES_AT_ONCE more that are none
    int32_t *first;
    _Atomic bool unsorted; // as the mesh has the edges
} toi_edge_set;

// Of a mesh with edges, whose indices are checked. Also to be freed where it has failed.
toi_status toi_make_edge_set(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_edge_set *set);
void toi_free_edge_set(toi_edge_set *set);

// The first place of a key from which on keys are not below it, among those of its larger vertex.
static inline int64_t toi_search_edge(const toi_edge_set *set, uint64_t key)
{
    int64_t lo = set->first[key >> 32], hi = set->first[(key >> 32) + 1];
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (set->keys[middle] < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

// The first place where the edge between two vertices stands, or -1.
static inline int64_t toi_find_edge(const toi_edge_set *set, int32_t a, int32_t b)
{
    uint64_t key = toi_edge_key(a, b);
    int64_t first = set->first[key >> 32];
    unsigned found = 0;
    for (int i = 0; i < TOI_EDGES_AT_ONCE; ++i) // without a branch: nobody can guess which
        found |= (unsigned)(set->keys[first + i] == key) << i;
    if (__builtin_expect(found != 0, 1))
        return first + __builtin_ctz(found);
    int64_t at = toi_search_edge(set, key);
    return set->keys[at] == key ? at : -1;
}

#endif
