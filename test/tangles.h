// Meshes made to break a search that goes by the vertices: faces and edges that share, repeat or
// lack vertices, coordinates that coincide, in any layout of the caller's arrays.

#ifndef TOI_TEST_TANGLES_H
#define TOI_TEST_TANGLES_H

#include "broad_sets.h"

// How vertices are joined; tangles.c says how each is made.
enum
{
    SOUP,
    SHEET,
    DEGENERATE,
    FAN,
    EDGES_ALONE,
    VERTICES_AND_A_FACE,
    SAME_FACES,
    NOTHING,
    TOPOLOGIES
};

// Where vertices are and how they move.
enum
{
    ANYWHERE,
    ON_A_LATTICE,
    IN_A_PLANE,
    AT_ONE_POINT,
    BEYOND_FLOATS,
    NEAR_THE_LARGEST,
    BELOW_NORMAL,
    FAR_AWAY,
    AT_REST,
    PLACES
};

// How the arrays stand in memory.
enum
{
    PACKED,
    STRIDED,
    STRIDED_FLOATS,
    EDGES_NOT_GIVEN, // the library makes them in each call
    LAYOUTS
};

typedef struct tangle
{
    char name[100];
    toi_mesh mesh;       // as the caller gives it
    toi_mesh with_edges; // the same with the edges the library works with
    toi_edge_array edges;
    int32_t *groups; // some vertices apart, the rest in four groups
    void *memory[4];
} tangle;

// `size` is about the number of faces.
tangle make_tangle(int topology, int place, int layout, int64_t size, uint64_t seed);
void free_tangle(tangle *t);

// The slow twin of toi_find_candidates(): boxes, two loops, the rule of the filter. Free the data.
pair_list slow_candidates(const toi_ccd_def *def, const tangle *t, toi_kind kind);

#endif
