// The four vertices of a pair.

#ifndef TOI_CCD_CORNERS_H
#define TOI_CCD_CORNERS_H

#include "mesh/mesh.h"
#include "toi/broad_phase.h"

#include <string.h>

// In the order of toi_query: a vertex and its face, or two edges.
static inline void toi_pair_corners(const toi_mesh *mesh, bool edge_edge, toi_pair pair,
                                    int32_t corners[4])
{
    if (edge_edge) {
        memcpy(corners, toi_edge_at(&mesh->edges, pair.a), 2 * sizeof *corners);
        memcpy(corners + 2, toi_edge_at(&mesh->edges, pair.b), 2 * sizeof *corners);
    } else {
        corners[0] = pair.a;
        memcpy(corners + 1, toi_face_at(&mesh->faces, pair.b), 3 * sizeof *corners);
    }
}

// How many of them are the first primitive's.
static inline int toi_first_corners(bool edge_edge)
{
    return edge_edge ? 2 : 1;
}

#endif
