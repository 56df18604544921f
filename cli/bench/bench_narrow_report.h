// The comparison as tables on the terminal, as a CSV and as JSON.

#ifndef TOI_CLI_BENCH_NARROW_REPORT_H
#define TOI_CLI_BENCH_NARROW_REPORT_H

#include "bench_narrow_run.h"

typedef struct bench_report
{
    const bench_plan *plan;
    const query_source *source;
    const bench_result *result;
} bench_report;

toi_status print_bench(const bench_report *report);
toi_status print_bench_object(const bench_report *report);
toi_status write_bench(const char *path, const bench_report *report);

#endif
