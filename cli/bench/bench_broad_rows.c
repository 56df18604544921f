// The rows of a comparison of broad phases: kept, checked, read and written as csv.

#include "bench_broad_rows.h"

#include "box_sets.h"
#include "csv.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void copy_name(char to[BROAD_NAME_BYTES], const char *from)
{
    snprintf(to, BROAD_NAME_BYTES, "%s", from);
    for (char *c = to; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == ',' || *c == '"')
            *c = '_';
}

toi_status add_row(broad_rows *rows, const broad_row *row)
{
    if (rows->count == rows->capacity) {
        int capacity = rows->capacity > 0 ? 2 * rows->capacity : 64;
        broad_row *data = toi_allocate((size_t)capacity * sizeof *data);
        if (!data)
            return TOI_ERROR_MEMORY;
        if (rows->count > 0)
            memcpy(data, rows->data, (size_t)rows->count * sizeof *data);
        toi_release(rows->data);
        rows->data = data;
        rows->capacity = capacity;
    }
    rows->data[rows->count++] = *row;
    return TOI_OK;
}

void free_rows(broad_rows *rows)
{
    toi_release(rows->data);
    *rows = (broad_rows){0};
}

void set_row_times(broad_row *row, const run_times *times)
{
    row->seconds = least_seconds(times);
    row->median_seconds = median_seconds(times);
    row->repeats = times->count;
}

void judge_row(broad_row *row, const toi_impact_array *truth,
               const toi_pair_array lists[TOI_KIND_COUNT])
{
    row->judged = true;
    row->truth = judge_pairs(truth, lists);
}

// ---------------------------------------------------------------------------------------------
// CSV

static const char titles[] = "scene,method,simd,threads,seconds,pairs,peak_bytes,hash,boxes,"
                             "hits,false_positives,false_negatives,median_seconds,"
                             "repeats," ENVIRONMENT_TITLES;

void write_row_titles(FILE *file)
{
    fprintf(file, "%s\n", titles);
}

void write_row(FILE *file, const broad_row *row)
{
    fprintf(file, "%s,%s,%s,%d,%.9f,%" PRId64 ",%" PRId64 ",%s,%" PRId64 ",", row->scene,
            row->method, row->simd, row->threads, row->seconds, row->pairs, row->peak_bytes,
            hash_text(row->hash).at, row->boxes);
    if (row->judged)
        fprintf(file, "%" PRId64 ",%" PRId64 ",%" PRId64, row->truth.hits,
                row->truth.false_positives, row->truth.false_negatives);
    fputs(row->judged ? "," : ",,,", file);
    if (row->repeats > 0)
        fprintf(file, "%.9f,%d", row->median_seconds, row->repeats);
    fputs(row->repeats > 0 ? "," : ",,", file);
    write_environment(file, &row->made);
    fputc('\n', file);
}

toi_status write_rows(const char *path, const broad_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    write_row_titles(output.file);
    for (int i = 0; i < rows->count; ++i)
        write_row(output.file, &rows->data[i]);
    return toi_close_output(&output);
}

static bool parse_hash(const char *from, uint64_t *hash)
{
    char *end;
    *hash = strtoull(from, &end, 16);
    return strlen(from) == 16 && end == from + 16;
}

static bool parse_count(const csv_file *file, int64_t row, const char *name, int64_t *value)
{
    return parse_integer(csv_named_cell(file, row, name), value) && *value >= 0;
}

static bool parse_seconds(const csv_file *file, int64_t row, const char *name, double *value)
{
    return parse_number(csv_named_cell(file, row, name), value) && *value >= 0 && *value < 1e12;
}

// The columns that every file has.
static bool parse_measurement(const csv_file *file, int64_t at, broad_row *row)
{
    int64_t threads = 0;
    copy_name(row->scene, csv_named_cell(file, at, "scene"));
    copy_name(row->method, csv_named_cell(file, at, "method"));
    copy_name(row->simd, csv_named_cell(file, at, "simd"));
    bool good = parse_count(file, at, "threads", &threads) &&
                parse_seconds(file, at, "seconds", &row->seconds) &&
                parse_count(file, at, "pairs", &row->pairs) &&
                parse_count(file, at, "peak_bytes", &row->peak_bytes) &&
                parse_hash(csv_named_cell(file, at, "hash"), &row->hash) &&
                parse_count(file, at, "boxes", &row->boxes);
    good = good && *row->scene && *row->method && threads >= 1 && threads <= TOI_MAX_WORKERS;
    row->threads = good ? (int)threads : 1;
    return good;
}

// Those that may be missing, or empty.
static bool parse_additions(const csv_file *file, int64_t at, broad_row *row)
{
    int64_t repeats = 0;
    bool good = true;
    row->judged = *csv_named_cell(file, at, "hits");
    if (row->judged)
        good = parse_count(file, at, "hits", &row->truth.hits) &&
               parse_count(file, at, "false_positives", &row->truth.false_positives) &&
               parse_count(file, at, "false_negatives", &row->truth.false_negatives);
    if (*csv_named_cell(file, at, "repeats"))
        good = good && parse_count(file, at, "repeats", &repeats) && repeats <= INT32_MAX &&
               parse_seconds(file, at, "median_seconds", &row->median_seconds);
    row->repeats = good ? (int)repeats : 0;
    snprintf(row->made.machine, sizeof row->made.machine, "%s",
             csv_named_cell(file, at, "machine"));
    snprintf(row->made.compiler, sizeof row->made.compiler, "%s",
             csv_named_cell(file, at, "compiler"));
    snprintf(row->made.commit, sizeof row->made.commit, "%s", csv_named_cell(file, at, "commit"));
    return good;
}

static toi_status check_columns(const char *path, const csv_file *file)
{
    static const char *const needed[] = {"scene", "method",     "simd", "threads", "seconds",
                                         "pairs", "peak_bytes", "hash", "boxes"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i)
        if (find_column(file, needed[i]) < 0)
            return toi_fail(TOI_ERROR_FORMAT,
                            "%s: no column '%s': not a comparison of broad phases", path,
                            needed[i]);
    return file->rows > 0 ? TOI_OK : toi_fail(TOI_ERROR_FORMAT, "%s: no rows", path);
}

static toi_status read_file(const char *path, broad_rows *rows)
{
    csv_file file;
    toi_status status = read_csv(path, &file);
    if (status == TOI_OK)
        status = check_columns(path, &file);
    for (int64_t i = 0; status == TOI_OK && i < file.rows; ++i) {
        broad_row row = {.threads = 1};
        status = parse_measurement(&file, i, &row) && parse_additions(&file, i, &row)
                     ? add_row(rows, &row)
                     : fail_at_row(&file, i, "not a row of a comparison of broad phases");
    }
    free_csv(&file);
    return status;
}

toi_status read_rows(const char *list, broad_rows *rows)
{
    toi_status status = TOI_OK;
    while (list && status == TOI_OK) {
        char path[4096];
        size_t length = strcspn(list, ",");
        if (length >= sizeof path)
            return toi_fail(TOI_ERROR_FILE, "%.80s...: the path is too long", list);
        memcpy(path, list, length);
        path[length] = '\0';
        status = read_file(path, rows);
        list = list[length] ? list + length + 1 : NULL;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// What there is

bool same_scene(const broad_row *a, const broad_row *b)
{
    return strcmp(a->scene, b->scene) == 0;
}

bool same_method(const broad_row *a, const broad_row *b)
{
    return strcmp(a->method, b->method) == 0;
}

static bool is_new(const broad_rows *rows, int index, bool by_scene, bool by_method)
{
    const broad_row *row = &rows->data[index];
    for (int i = 0; i < index; ++i)
        if ((!by_scene || same_scene(&rows->data[i], row)) &&
            (!by_method || same_method(&rows->data[i], row)))
            return false;
    return true;
}

bool is_new_scene(const broad_rows *rows, int index)
{
    return is_new(rows, index, true, false);
}

bool is_new_line(const broad_rows *rows, int index)
{
    return is_new(rows, index, true, true);
}

bool is_new_method(const broad_rows *rows, int index)
{
    return is_new(rows, index, false, true);
}

const broad_row *find_row(const broad_rows *rows, const broad_row *scene, const broad_row *method,
                          int threads)
{
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        if (same_scene(row, scene) && same_method(row, method) && row->threads == threads)
            return row;
    }
    return NULL;
}

int list_threads(const broad_rows *rows, int threads[MOST_THREAD_COUNTS])
{
    int count = 0;
    for (int value = 1; value <= TOI_MAX_WORKERS && count < MOST_THREAD_COUNTS; ++value)
        for (int i = 0; i < rows->count; ++i)
            if (rows->data[i].threads == value) {
                threads[count++] = value;
                break;
            }
    return count;
}

static bool ends_with(const broad_row *row, const char *what)
{
    size_t length = strlen(row->method), ending = strlen(what);
    return length > ending && strcmp(row->method + length - ending, what) == 0;
}

bool is_kept(const broad_row *row)
{
    return ends_with(row, KEPT_ENDING);
}

toi_broad_method method_of(const broad_row *row)
{
    char name[BROAD_NAME_BYTES];
    size_t ending = is_kept(row)                    ? strlen(KEPT_ENDING)
                    : ends_with(row, DEVICE_ENDING) ? strlen(DEVICE_ENDING)
                                                    : 0;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(row->method) - ending), row->method);
    return toi_broad_find(name);
}

// The first row of the library in the scene, or the first of all where there is none.
static const broad_row *find_reference(const broad_rows *rows, const broad_row *scene)
{
    const broad_row *first = NULL;
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        if (!same_scene(row, scene))
            continue;
        if (method_of(row) != TOI_BROAD_COUNT)
            return row;
        first = first ? first : row;
    }
    return first;
}

bool has_same_pairs(const broad_rows *rows, const broad_row *row)
{
    const broad_row *reference = find_reference(rows, row);
    return row->hash == reference->hash && row->pairs == reference->pairs;
}

int count_wrong_rows(const broad_rows *rows)
{
    int wrong = 0;
    for (int i = 0; i < rows->count; ++i)
        wrong +=
            method_of(&rows->data[i]) != TOI_BROAD_COUNT && !has_same_pairs(rows, &rows->data[i]);
    return wrong;
}

bool is_scaling(const broad_rows *rows)
{
    int scenes = 0;
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        char name[BROAD_NAME_BYTES];
        snprintf(name, sizeof name, "%s-%" PRId64, box_set_name(BOX_SET_UNIFORM), row->boxes);
        if (strcmp(row->scene, name) != 0 || row->boxes == 0)
            return false;
        scenes += is_new_scene(rows, i);
    }
    return scenes > 1;
}
