// Other work for the machine: threads that take every core while something is measured.

#ifndef TOI_CLI_BENCH_LOAD_H
#define TOI_CLI_BENCH_LOAD_H

#include "toi/base.h"

typedef struct bench_load bench_load;

// Starts a thread that computes without a pause for each core that the process may use, of the
// priority of the caller, and returns when all of them run. On failure *load is NULL and no thread
// is left. A signal that ends the program ends them with it.
toi_status start_load(bench_load **load);

// Returns when all of its threads have ended. Harmless on NULL.
void stop_load(bench_load *load);

#endif
