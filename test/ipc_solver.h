// A small solver of the kind that asks for a separation in every step: incremental potential
// contact (Li et al. 2020), implicit Euler as a minimisation with a barrier between close pairs.

#ifndef TOI_TEST_IPC_SOLVER_H
#define TOI_TEST_IPC_SOLVER_H

#include "ipc_scene.h"
#include "toi/toi.h"

// What the tests vary; the rest are constants of the solver.
typedef struct ipc_options
{
    toi_narrow_method method;
    double separation; // no pair comes so close: the thickness of everything
    double stiffness;  // of the barrier, to begin with
    int workers;
} ipc_options;

// What one time step did.
typedef struct ipc_step_report
{
    int iterations;
    int refused;       // accepted energies whose rounded positions were not free
    double least_step; // of the line searches, each a share of its direction
    double covered;    // 1 - the product of what the line searches left of the way
    double correction; // largest component of the last direction, for a time step of 1
    double seconds_ccd, seconds_close, seconds_total;
} ipc_step_report;

typedef struct ipc_solver ipc_solver;

// The scene must stay as it is, but for its positions, which the solver moves.
toi_status ipc_make_solver(ipc_scene *scene, const ipc_options *options, ipc_solver **solver);
toi_status ipc_step(ipc_solver *solver, ipc_step_report *report);
void ipc_free_solver(ipc_solver *solver);

// What every motion has passed: no pair comes to the separation.
toi_ccd_def ipc_motion_check(const ipc_solver *solver);
toi_scene *ipc_collision_scene(ipc_solver *solver);

// The pairs in reach of the barrier where everything is now: ipc_contacts.h.
const struct ipc_contacts *ipc_current_contacts(const ipc_solver *solver);

#endif
