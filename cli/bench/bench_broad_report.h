// The comparison of broad phases as tables on the terminal and as JSON.

#ifndef TOI_CLI_BENCH_BROAD_REPORT_H
#define TOI_CLI_BENCH_BROAD_REPORT_H

#include "bench_broad_rows.h"

// `repeat` is how often each was run, 0 where nothing was.
toi_status print_broad(const broad_rows *rows, int repeat);
toi_status print_broad_object(const broad_rows *rows, int repeat);

#endif
