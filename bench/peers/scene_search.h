// A broad phase of another library on a scene: the boxes of a mesh, made by toi, or a set of boxes.

#ifndef TOI_PEERS_SCENE_SEARCH_H
#define TOI_PEERS_SCENE_SEARCH_H

#include "bench_broad_scene.h"
#include "peer.h"

// Finds the pairs of boxes that overlap and share no vertex, in any order. The lists keep their
// memory.
toi_status search_scene(peer_function *find, const broad_scene *scene, int threads,
                        toi_pair_array pairs[TOI_PAIR_KINDS]);

#endif
