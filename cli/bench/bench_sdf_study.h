// The study of Pelletier-Guenette et al., section 1.6.2: random throws of a triangle and of a
// shuriken at a torus, each solver against the truth.

#ifndef TOI_CLI_BENCH_SDF_STUDY_H
#define TOI_CLI_BENCH_SDF_STUDY_H

#include "bench_sdf_report.h"
#include "bench_sdf_scenes.h"

typedef struct study_request
{
    int64_t count; // throws of each body
    int repeat;
    int threads; // for the truth; times are those of one thread
    const char *csv;
    bool json;
} study_request;

enum
{
    STUDY_SETS = 2,    // triangles that touch within 1e-8 s, and within 1e-6 s, of the first
    STUDY_BODIES = 2,  // a triangle, a shuriken
    STUDY_VARIANTS = 6 // fw, fwgss at 1e-6, 1e-10, certified at 1e-6, 1e-9, 1e-12
};

extern const char *const study_body_names[STUDY_BODIES];
extern const sdf_variant study_variants[STUDY_VARIANTS];

// Numbers as the paper's tables have them.
typedef struct study_spread
{
    int64_t count;
    double least;
    double most;
    double mean;
    double median;
    double deviation;
} study_spread;

// A solver on the throws of one body, or of all (the last).
typedef struct study_row
{
    int64_t throws;
    int64_t hits;     // in truth
    int64_t missed;   // in truth a hit, here not
    int64_t invented; // the other way round
    int64_t undecided;
    int64_t late;                     // t_low is after the truth by more than its own error
    int64_t sets;                     // throws whose contact sets were compared; 0: none
    int64_t sets_missing[STUDY_SETS]; // a triangle in contact is not among those found
    int64_t sets_wrong[STUDY_SETS];   // one is found that is not in contact
    double gap;                       // the greatest
    study_spread time;                // difference to the truth, in seconds
    study_spread travel;              // of the body's centre, likewise, in metres
    double seconds;                   // a throw, one thread, the fastest run
    double evaluations;               // a throw
    uint64_t hash;
} study_row;

typedef struct study_result
{
    study_row rows[STUDY_VARIANTS][STUDY_BODIES + 1];
    int64_t disagree; // throws where dense sampling and certified 1e-12 differ about a hit
    double differ;    // the greatest difference of their times
    double truth_seconds;
    double set_seconds;
} study_result;

toi_status run_sdf_study(const study_request *request);

toi_status print_study(const study_request *request, const study_result *result);
toi_status print_study_object(const study_request *request, const study_result *result);
toi_status write_study(const char *path, const study_result *result);

#endif
