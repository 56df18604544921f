// Collects rows that differ in one thing alone, to be drawn as curves.

#include "report_series.h"

#include <math.h>
#include <stdlib.h>

toi_status make_series(const report_data *data, series_list *list)
{
    size_t count = (size_t)data->ccd_count + 1;
    *list = (series_list){.rows = toi_allocate(count * sizeof *list->rows),
                          .at = toi_allocate(count * sizeof *list->at),
                          .points = toi_allocate(count * sizeof *list->points)};
    return list->rows && list->at && list->points ? TOI_OK : TOI_ERROR_MEMORY;
}

void free_series(series_list *list)
{
    toi_release(list->rows);
    toi_release(list->at);
    toi_release(list->points);
}

bool is_plain_run(const ccd_measurement *row)
{
    return row->fraction == 1 && row->memory_limit == 0;
}

static bool may_vary(const ccd_measurement *row, variable over)
{
    if (over == OVER_QUERIES)
        return row->memory_limit == 0 && candidates_of(row) > 0;
    return over == OVER_LIMIT ? row->fraction == 1 : is_plain_run(row);
}

static bool in_same_series(const ccd_measurement *a, const ccd_measurement *b, variable over)
{
    return same_place(&a->m, &b->m) && same_name(a->mode, b->mode) &&
           same_name(a->broad, b->broad) && same_name(a->narrow, b->narrow) &&
           (over == OVER_THREADS || a->m.threads == b->m.threads);
}

// Rows are sorted so that those of a series follow each other once the others are left out.
void collect_series(const report_data *data, int number, const char *mode, variable over,
                    series_list *list)
{
    int64_t first = 0;
    list->row_count = list->count = 0;
    for (int64_t i = 0; i <= data->ccd_count; ++i) {
        const ccd_measurement *row = i < data->ccd_count ? &data->ccd[i] : NULL;
        if (row &&
            (row->m.machine != number || !same_name(row->mode, mode) || !may_vary(row, over)))
            continue;
        int64_t count = list->row_count - first;
        if (count > 0 && (!row || !in_same_series(list->rows[first], row, over))) {
            if (count > 1)
                list->at[list->count++] = (road_series){list->rows + first, count};
            else
                list->row_count = first;
            first = list->row_count;
        }
        if (row)
            list->rows[list->row_count++] = row;
    }
}

// Keeps the series that are wanted, if there is one.
static void prefer(series_list *list, bool (*wanted)(const road_series *s, double most),
                   double most)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < list->count; ++i)
        kept += wanted(&list->at[i], most);
    if (kept == 0)
        return;
    kept = 0;
    for (int64_t i = 0; i < list->count; ++i)
        if (wanted(&list->at[i], most))
            list->at[kept++] = list->at[i];
    list->count = kept;
}

static bool has_most_rows(const road_series *s, double most)
{
    return (double)s->count == most;
}

static bool is_exact(const road_series *s, double most)
{
    (void)most;
    return same_name(s->rows[0]->narrow, "exact");
}

static bool is_default(const road_series *s, double most)
{
    (void)most;
    return same_name(s->rows[0]->broad, "auto");
}

static int by_size(const void *left, const void *right)
{
    const ccd_measurement *a = ((const road_series *)left)->rows[0];
    const ccd_measurement *b = ((const road_series *)right)->rows[0];
    int order = (a->m.seconds < b->m.seconds) - (a->m.seconds > b->m.seconds);
    return order ? order : (a > b) - (a < b);
}

// By scene and methods, so that both modes show the same series in the same ink.
static int by_names(const void *left, const void *right)
{
    const ccd_measurement *a = ((const road_series *)left)->rows[0];
    const ccd_measurement *b = ((const road_series *)right)->rows[0];
    return (a > b) - (a < b);
}

void choose_series(series_list *list, variable over)
{
    if (over == OVER_THREADS) {
        double most = 0;
        for (int64_t i = 0; i < list->count; ++i)
            most = fmax(most, (double)list->at[i].count);
        prefer(list, has_most_rows, most);
        prefer(list, is_exact, 0);
        prefer(list, is_default, 0);
    }
    qsort(list->at, (size_t)list->count, sizeof *list->at, by_size);
    list->count = list->count < MOST_CURVES ? list->count : MOST_CURVES;
    qsort(list->at, (size_t)list->count, sizeof *list->at, by_names);
}

bool has_series(const report_data *data, variable over)
{
    const ccd_measurement *last = NULL;
    for (int64_t i = 0; i < data->ccd_count; ++i) {
        if (!may_vary(&data->ccd[i], over))
            continue;
        if (last && in_same_series(last, &data->ccd[i], over))
            return true;
        last = &data->ccd[i];
    }
    return false;
}

bool series_differ(const series_list *list, size_t offset)
{
    for (int64_t i = 1; i < list->count; ++i) {
        const char *const *a = (const void *)((const char *)list->at[0].rows[0] + offset);
        const char *const *b = (const void *)((const char *)list->at[i].rows[0] + offset);
        if (!same_name(*a, *b))
            return true;
    }
    return false;
}
