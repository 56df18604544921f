// Solvers by number and results as hashes, for the commands about distance fields.

#ifndef TOI_CLI_SDF_RESULTS_H
#define TOI_CLI_SDF_RESULTS_H

#include "toi/sdf.h"

// Is a solver in this build? Those of the literature may be left out.
bool has_sdf_solver(toi_sdf_solver solver);

// The names of the solvers, "" for one that is not in this build, NULL past the last.
const char *sdf_solver_choice(int index);

// XXH64 of what a result says of the contact, without what it cost.
uint64_t hash_result(const toi_sdf_result *result);

#endif
