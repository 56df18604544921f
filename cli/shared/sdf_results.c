// Hashes results, and names solvers.

#include "sdf_results.h"

const char *sdf_solver_choice(int index)
{
    return toi_sdf_solver_name((toi_sdf_solver)index);
}

uint64_t hash_result(const toi_sdf_result *r)
{
    const double numbers[] = {(double)r->state,
                              (double)r->triangle,
                              r->t_low,
                              r->t_high,
                              r->u,
                              r->v,
                              r->point[0],
                              r->point[1],
                              r->point[2],
                              r->normal[0],
                              r->normal[1],
                              r->normal[2],
                              r->distance};
    return toi_hash(numbers, sizeof numbers);
}
