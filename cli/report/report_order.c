// The order of a report's rows. Rows that differ in nothing but what was measured belong together;
// the fastest of them is kept.

#include "report_data.h"

#include <stdlib.h>
#include <string.h>

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_place(const measurement *a, const measurement *b)
{
    int order = by_number(a->machine, b->machine);
    return order ? order : strcmp(a->scene, b->scene);
}

static int by_road_of_broad(const void *left, const void *right)
{
    const broad_measurement *a = left, *b = right;
    int order = by_place(&a->m, &b->m);
    order = order ? order : a->scaling - b->scaling;
    order = order ? order : strcmp(a->method, b->method);
    return order ? order : by_number(a->m.threads, b->m.threads);
}

static int by_road_of_narrow(const void *left, const void *right)
{
    const narrow_measurement *a = left, *b = right;
    int order = by_place(&a->m, &b->m);
    order = order ? order : strcmp(a->method, b->method);
    order = order ? order : strcmp(a->tolerance, b->tolerance);
    order = order ? order : strcmp(a->kind, b->kind);
    order = order ? order : strcmp(a->stage, b->stage);
    return order ? order : by_number(a->m.threads, b->m.threads);
}

static int by_road_of_ccd(const void *left, const void *right)
{
    const ccd_measurement *a = left, *b = right;
    int order = by_place(&a->m, &b->m);
    order = order ? order : strcmp(a->mode, b->mode);
    order = order ? order : strcmp(a->broad, b->broad);
    order = order ? order : strcmp(a->narrow, b->narrow);
    order = order ? order : by_number(a->m.threads, b->m.threads);
    order = order ? order : by_number(a->memory_limit, b->memory_limit);
    return order ? order : by_number(a->fraction, b->fraction);
}

int family_length(const char *scene)
{
    size_t length = strlen(scene), end = length;
    while (end > 0 && scene[end - 1] >= '0' && scene[end - 1] <= '9')
        --end;
    return (int)(end < length && end > 1 && scene[end - 1] == '-' ? end - 1 : length);
}

int compare_families(const char *a, const char *b)
{
    int x = family_length(a), y = family_length(b);
    int order = strncmp(a, b, (size_t)(x < y ? x : y));
    return order ? order : x - y;
}

static int by_road_of_overlap(const void *left, const void *right)
{
    const overlap_measurement *a = left, *b = right;
    int order = by_number(a->m.machine, b->m.machine);
    order = order ? order : compare_families(a->m.scene, b->m.scene);
    order = order ? order : strcmp(a->method, b->method);
    order = order ? order : strcmp(a->calls, b->calls);
    order = order ? order : by_number(a->m.threads, b->m.threads);
    order = order ? order : by_number(a->faces, b->faces);
    return order ? order : strcmp(a->m.scene, b->m.scene);
}

// The fastest of the same comes first; of equals the one that was read first, so that the page does
// not depend on how qsort() works.
static int by_speed(const measurement *a, const measurement *b)
{
    int order = by_number(a->seconds, b->seconds);
    return order ? order : by_number((double)a->number, (double)b->number);
}

static int by_broad(const void *left, const void *right)
{
    int order = by_road_of_broad(left, right);
    return order ? order : by_speed(left, right);
}

static int by_narrow(const void *left, const void *right)
{
    int order = by_road_of_narrow(left, right);
    return order ? order : by_speed(left, right);
}

static int by_ccd(const void *left, const void *right)
{
    int order = by_road_of_ccd(left, right);
    return order ? order : by_speed(left, right);
}

static int by_road_of_track(const void *left, const void *right)
{
    const track_measurement *a = left, *b = right;
    int order = by_place(&a->m, &b->m);
    order = order ? order : strcmp(a->method, b->method);
    order = order ? order : strcmp(a->volume, b->volume);
    order = order ? order : strcmp(a->orphans, b->orphans);
    order = order ? order : (a->cut > 0) - (b->cut > 0);
    order = order ? order : by_number(a->m.threads, b->m.threads);
    order = order ? order : by_number(a->motion, b->motion);
    return order ? order : by_number(a->cut, b->cut);
}

static int by_track(const void *left, const void *right)
{
    int order = by_road_of_track(left, right);
    return order ? order : by_speed(left, right);
}

static int by_overlap(const void *left, const void *right)
{
    int order = by_road_of_overlap(left, right);
    return order ? order : by_speed(left, right);
}

typedef int comparison(const void *left, const void *right);

// Keeps the first of the rows that belong together; returns how many are left.
static int64_t sort_rows(void *rows, int64_t count, size_t size, comparison *by_all,
                         comparison *by_road)
{
    qsort(rows, (size_t)count, size, by_all);
    char *data = rows;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        char *row = data + (size_t)i * size;
        if (kept > 0 && by_road(data + (size_t)(kept - 1) * size, row) == 0)
            continue;
        memmove(data + (size_t)kept * size, row, size);
        ++kept;
    }
    return kept;
}

void sort_report_data(report_data *data)
{
    data->broad_count =
        sort_rows(data->broad, data->broad_count, sizeof *data->broad, by_broad, by_road_of_broad);
    data->narrow_count = sort_rows(data->narrow, data->narrow_count, sizeof *data->narrow,
                                   by_narrow, by_road_of_narrow);
    data->ccd_count =
        sort_rows(data->ccd, data->ccd_count, sizeof *data->ccd, by_ccd, by_road_of_ccd);
    data->overlap_count = sort_rows(data->overlap, data->overlap_count, sizeof *data->overlap,
                                    by_overlap, by_road_of_overlap);
    data->track_count =
        sort_rows(data->track, data->track_count, sizeof *data->track, by_track, by_road_of_track);
}
