// The comparison of searches for intersecting faces, as text, JSON, csv and a chart.

#ifndef TOI_CLI_BENCH_OVERLAP_REPORT_H
#define TOI_CLI_BENCH_OVERLAP_REPORT_H

#include "bench_overlap_rows.h"

// How much more a face may take in the largest mesh of --scaling than in the smallest.
#define OVERLAP_GROWTH 1.5

toi_status print_overlap_rows(const overlap_rows *rows, bool scaling);
toi_status print_overlap_object(const overlap_rows *rows, bool scaling);
toi_status write_overlap_rows(const char *path, const overlap_rows *rows);

// Time a face over the number of faces, a curve for every method, kind of call and number of
// threads.
toi_status draw_overlap_curves(const char *path, const overlap_rows *rows);

// How many rows have another list than the first of their mesh: 0 unless there is a bug.
int count_wrong_overlaps(const overlap_rows *rows);

#endif
