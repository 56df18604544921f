// One run of a simulation, with its frames and its row of pictures.

#ifndef TOI_CLI_SDF_SIMULATE_RUN_H
#define TOI_CLI_SDF_SIMULATE_RUN_H

#include "simulation.h"
#include "strip.h"

typedef struct simulation_run
{
    toi_simulation_def def;
    double seconds;     // 0: as long as the scene takes
    const char *frames; // a folder, or NULL
    int row;            // of the strip
    // What came out.
    toi_simulation_counts counts;
    double least; // the field's least value on the mesh at the end of any step
    double spent; // seconds, without measuring and drawing
    uint64_t hash;
} simulation_run;

// Runs it; `page` may be NULL.
toi_status run_simulation(simulation_run *run, strip *page);

#endif
