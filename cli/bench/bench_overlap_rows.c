// Rows of toi bench overlap as csv.

#include "bench_overlap_rows.h"

#include "environment.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *overlap_calls_name(int index)
{
    static const char *const names[OVERLAP_CALLS_COUNT] = {"one-shot", "kept"};
    return index < OVERLAP_CALLS_COUNT ? names[index] : NULL;
}

double overlap_seconds_per_face(const overlap_row *row)
{
    return fmax(row->report.seconds_total, 1e-9) / fmax((double)row->report.faces, 1);
}

bool same_overlap_line(const overlap_row *a, const overlap_row *b)
{
    return strcmp(a->method, b->method) == 0 && a->calls == b->calls && a->threads == b->threads;
}

void write_overlap_titles(FILE *file)
{
    fprintf(file, "scene,vertices,faces,method,calls,threads,pairs");
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        fprintf(file, ",%s", toi_overlap_class_name((toi_overlap_class)i));
    fprintf(file, ",candidates,exact,stars,seconds_prepare,seconds_search,seconds,median_seconds,"
                  "mean_seconds,repeats,peak_bytes,hash,simd," ENVIRONMENT_TITLES "\n");
}

void write_overlap_row(FILE *file, const overlap_row *row)
{
    const toi_overlap_report *r = &row->report;
    fprintf(file, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%d,%" PRId64, row->scene, row->vertices,
            r->faces, row->method, overlap_calls_name((int)row->calls), row->threads, r->pairs);
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        fprintf(file, ",%" PRId64, r->by_class[i]);
    fprintf(file, ",%" PRId64 ",%" PRId64 ",%" PRId64, r->candidates, r->exact, r->stars);
    fprintf(file, ",%.9f,%.9f,%.9f,%.9f,%.9f,%d,%" PRId64 ",%s,%s,", r->seconds_prepare,
            r->seconds_search, r->seconds_total, row->median_seconds, row->mean_seconds,
            row->repeats, r->peak_bytes, hash_text(row->hash).at, toi_simd_name());
    write_environment(file, this_environment());
    fputc('\n', file);
}
