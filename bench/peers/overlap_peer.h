// A search for intersecting faces of another library, behind one C function.

#ifndef TOI_PEERS_OVERLAP_PEER_H
#define TOI_PEERS_OVERLAP_PEER_H

#include "toi/broad_phase.h"
#include "toi/mesh.h"

TOI_EXTERN_C_BEGIN

// What a search gives back. `pairs` and `taken` are the caller's.
typedef struct peer_overlaps
{
    toi_pair_array *pairs;  // a < b, sorted, each once; memory of toi_allocate()
    uint8_t *taken;         // one a face: 0 where the library has no place for it
    double seconds_prepare; // the library's own form of the mesh
    double seconds;         // the search
} peer_overlaps;

// Finds the pairs of faces that intersect, with one thread. The mesh was checked; its points are
// doubles, and they and the faces are packed.
typedef toi_status overlap_peer_fn(const toi_mesh *mesh, peer_overlaps *found);

overlap_peer_fn overlaps_cgal;
overlap_peer_fn overlaps_fcl;
overlap_peer_fn overlaps_libigl;
overlap_peer_fn overlaps_libigl_old;
overlap_peer_fn overlaps_open3d;

TOI_EXTERN_C_END

#endif
