// The edges of a mesh by their vertices: is there one between these two, and which?

#ifndef TOI_MESH_EDGE_SET_H
#define TOI_MESH_EDGE_SET_H

#include "mesh/mesh.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum
{
    TOI_EDGES_AT_ONCE = 8 // that are looked at; few vertices are the larger one of more
};

// Edges sorted by their larger vertex and then by the lower one. `first` of a vertex is the first
// whose larger one it is: a look-up stays inside one vertex.
typedef struct toi_edge_set
{
    const toi_mesh *mesh;
    int32_t *lower; // vertex of each; and TOI_EDGES_AT_ONCE more
    int32_t *first;
} toi_edge_set;

// Of a mesh with edges, whose indices are checked. Also to be freed where it has failed.
toi_status toi_make_edge_set(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_edge_set *set);
void toi_free_edge_set(toi_edge_set *set);

// Bit i: the i-th of TOI_EDGES_AT_ONCE numbers is this one.
static inline unsigned toi_equal_numbers(const int32_t *numbers, int32_t number)
{
#if defined(__SSE2__)
    __m128i same = _mm_set1_epi32(number);
    __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)numbers), same);
    __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)numbers + 1), same);
    __m128i words = _mm_packs_epi32(low, high);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128()));
#else
    unsigned equal = 0;
    for (int i = 0; i < TOI_EDGES_AT_ONCE; ++i)
        equal |= (unsigned)(numbers[i] == number) << i;
    return equal;
#endif
}

// The first of the places from `lo` to before `hi` that has the lower vertex, or -1.
static inline int64_t toi_search_edge(const toi_edge_set *set, int64_t lo, int64_t hi,
                                      int32_t lower)
{
    int64_t end = hi;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (set->lower[middle] < lower)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < end && set->lower[lo] == lower ? lo : -1;
}

// The first place where the edge between two vertices stands, or -1.
static inline int64_t toi_find_edge(const toi_edge_set *set, int32_t a, int32_t b)
{
    int32_t lower = a < b ? a : b, larger = a < b ? b : a;
    int64_t first = set->first[larger], count = set->first[larger + 1] - first;
    // Those behind are another vertex's.
    int own = count < TOI_EDGES_AT_ONCE ? (int)count : TOI_EDGES_AT_ONCE;
    unsigned found = toi_equal_numbers(set->lower + first, lower) & ((1u << own) - 1);
    if (__builtin_expect(found != 0, 1))
        return first + __builtin_ctz(found);
    return count > own ? toi_search_edge(set, first + own, first + count, lower) : -1;
}

#endif
