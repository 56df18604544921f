// A broad phase of another library, behind one C function.

#ifndef TOI_PEERS_PEER_H
#define TOI_PEERS_PEER_H

#include "toi/broad_phase.h"

TOI_EXTERN_C_BEGIN

typedef struct peer_search
{
    toi_box_view a;
    toi_box_view b; // not used where a list is searched against itself
    bool self;
    int threads;
    // Is the pair wanted? Boxes of a mesh that share a vertex are not. NULL: all are.
    bool (*is_wanted)(const void *context, int32_t a, int32_t b);
    const void *context;
} peer_search;

// Finds the pairs of boxes that overlap, in any order; in a list against itself a < b. Adds them to
// `pairs`, whose memory is that of toi_allocate().
typedef toi_status peer_function(const peer_search *search, toi_pair_array *pairs);

// Double precision, closed boxes: the pairs that toi has.
peer_function search_cgal;
peer_function search_fcl; // one thread, whatever is asked for

// Single precision, boxes rounded outward: at least the pairs that toi has.
peer_function search_bullet; // one thread, whatever is asked for
peer_function search_embree;

TOI_EXTERN_C_END

#endif
