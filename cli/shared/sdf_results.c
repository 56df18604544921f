// Hashes results, and names solvers.

#include "sdf_results.h"

// The library says so when asked: a point far from a ball, at rest.
bool has_sdf_solver(toi_sdf_solver solver)
{
    const double radius = 1, corners[3][3] = {{9, 0, 0}, {9, 0, 0}, {9, 0, 0}};
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion motion = toi_default_motion();
    toi_sdf_result result;
    toi_field *ball;
    def.solver = solver;
    def.workers = 1;
    toi_status status = toi_make_shape(TOI_SHAPE_SPHERE, &radius, 1, &ball);
    if (status == TOI_OK)
        status = toi_find_triangle_impact(&def, corners, &motion, ball, &result);
    toi_free_field(ball);
    return status != TOI_ERROR_UNSUPPORTED;
}

const char *sdf_solver_choice(int index)
{
    const char *name = toi_sdf_solver_name((toi_sdf_solver)index);
    return !name || has_sdf_solver((toi_sdf_solver)index) ? name : "";
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
