// A random part of a mesh, for measurements over its size.

#ifndef TOI_CLI_BENCH_SUBSET_H
#define TOI_CLI_BENCH_SUBSET_H

#include "frames.h"

typedef struct mesh_subset
{
    toi_mesh mesh;
    double (*start)[3];
    double (*end)[3];
    int32_t (*faces)[3];
    int32_t (*loose)[2];
    toi_edge_array edges;
} mesh_subset;

// Keeps about that share of the faces and of the loose edges, with their vertices and the faces'
// edges, and nothing else. Which ones follows from the seed; a larger share keeps all that a
// smaller one does. TOI_ERROR_DATA where nothing is left. Free in any case.
toi_status make_subset(const frames *whole, double share, uint64_t seed, mesh_subset *subset);
void free_subset(mesh_subset *subset);

#endif
