// The time of a contact whose root is bracketed.

#ifndef TOI_CUDA_CONTACT_TIME_CUH
#define TOI_CUDA_CONTACT_TIME_CUH

#include "cuda/ladder.cuh"
#include "cuda/query.cuh"

// Returns a toi_verdict: TOI_VERDICT_CONTACT, or TOI_VERDICT_KNOT where it is not certain.
static __device__ __forceinline__ int toi_look_for_time(const toi_step *s, const toi_slot_pair *p,
                                                        const toi_root_found *found, double *time)
{
    toi_climber c;
    toi_load_points(s, p, c.points);
    toi_take_climber(p->edge_edge, &c);
    return toi_climb_time(p->edge_edge, &c, found, time);
}

#endif
