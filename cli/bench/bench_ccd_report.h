// The comparison of the whole pipeline as tables on the terminal and as JSON.

#ifndef TOI_CLI_BENCH_CCD_REPORT_H
#define TOI_CLI_BENCH_CCD_REPORT_H

#include "bench_ccd_rows.h"

toi_status print_ccd(const ccd_rows *rows);

// `repeat` is how often each was to be run.
toi_status print_ccd_object(const ccd_rows *rows, int repeat);

#endif
