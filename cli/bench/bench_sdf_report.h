// What toi bench sdf has measured: a row for every scene and solver.

#ifndef TOI_CLI_BENCH_SDF_REPORT_H
#define TOI_CLI_BENCH_SDF_REPORT_H

#include "text.h"
#include "toi/sdf.h"

// A solver, and the tolerance of `certified`, or of the searches of `fwgss` (0: the usual one, or
// none).
typedef struct sdf_variant
{
    toi_sdf_solver solver;
    double tolerance;
} sdf_variant;

enum
{
    MOST_SDF_VARIANTS = 16
};

text variant_text(const sdf_variant *variant); // certified 1e-9

typedef struct sdf_row
{
    const char *scene;
    char field[64];
    int64_t triangles; // a question
    int64_t questions;
    sdf_variant variant;
    int threads;
    double seconds; // a question, of the fastest run
    double median_seconds;
    int repeats;
    double triangle_mean; // seconds a triangle by itself; 0: not measured
    double triangle_median;
    double triangle_deviation;
    toi_sdf_probe probe; // triangles searched inside a mesh; certified has none
    int64_t hits;
    int64_t undecided;
    double gap;         // the greatest between t_low and t_high
    double nodes;       // a question
    double evaluations; // likewise
    uint64_t hash;      // of all results
} sdf_row;

typedef struct sdf_rows
{
    sdf_row *data;
    int count;
    int capacity;
} sdf_rows;

toi_status print_sdf_rows(const sdf_rows *rows);
toi_status print_sdf_rows_object(const sdf_rows *rows);
toi_status write_sdf_rows(const char *path, const sdf_rows *rows);

#endif
