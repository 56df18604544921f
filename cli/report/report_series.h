// Series of whole pipelines: rows that differ in one thing alone.

#ifndef TOI_CLI_REPORT_SERIES_H
#define TOI_CLI_REPORT_SERIES_H

#include "report_sections.h"

typedef enum variable
{
    OVER_QUERIES,
    OVER_THREADS,
    OVER_LIMIT
} variable;

typedef struct road_series
{
    const ccd_measurement **rows;
    int64_t count;
} road_series;

typedef struct series_list
{
    const ccd_measurement **rows;
    int64_t row_count;
    road_series *at;
    int64_t count;
    curve_point *points;
} series_list;

// Room for all series of a report. free_series() is harmless after a failure.
toi_status make_series(const report_data *data, series_list *list);
void free_series(series_list *list);

// Is there any series at all?
bool has_series(const report_data *data, variable over);

// Fills the list with the series of a machine and a mode, at least two rows each.
void collect_series(const report_data *data, int number, const char *mode, variable over,
                    series_list *list);

// Leaves few enough of them to tell their curves apart, the longest times; `rows` keeps all. Where
// threads vary these are the series with the most numbers of threads, of the default methods if they
// are there: any methods may have been run with two numbers.
void choose_series(series_list *list, variable over);

// Do the series differ in a name, given as its offset in a ccd_measurement?
bool series_differ(const series_list *list, size_t offset);

#endif
