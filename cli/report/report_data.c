// Reads the measurements of a report from its files.

#include "report_data.h"

#include "names.h"
#include "text.h"
#include "toi/ccd.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum
{
    MOST_ROWS = 100000 // of one kind: more would be no page that anyone reads
};

// ---------------------------------------------------------------------------------------------
// Names

bool same_name(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool same_place(const measurement *a, const measurement *b)
{
    return a->machine == b->machine && same_name(a->scene, b->scene);
}

bool is_query_row(const narrow_measurement *row)
{
    return same_name(row->stage, "queries") && !same_name(row->kind, "both");
}

double candidates_of(const ccd_measurement *row)
{
    return row->candidates_vf + row->candidates_ee;
}

const char *guarantee_of(const char *narrow_method)
{
    const char *name = toi_guarantee_name(toi_narrow_guarantee(toi_narrow_find(narrow_method)));
    return name ? name : "";
}

// Methods of the library, in this build or not.
static const char *broad_name(int index)
{
    return toi_broad_name((toi_broad_method)index);
}

static const char *narrow_name(int index)
{
    return toi_narrow_name((toi_narrow_method)index);
}

// "bvh+kept" is bvh too.
static bool is_ours(const char *method, const char *(*name)(int index))
{
    return find_name(method, strcspn(method, "+"), name) >= 0;
}

// ---------------------------------------------------------------------------------------------
// Machines

static void add_value(value_list *list, const char *value)
{
    for (int i = 0; i < list->count; ++i)
        if (same_name(list->at[i], value))
            return;
    if (list->count == MOST_VALUES)
        list->more = list->more || *value;
    else if (*value)
        list->at[list->count++] = value;
}

// Rows that do not name their machine belong to the first one of their folder.
static int find_machine(report_data *data, const char *folder, const char *name)
{
    for (int i = 0; i < data->machine_count; ++i) {
        machine *known = &data->machines[i];
        if (!same_name(known->folder, folder))
            continue;
        if (*name && !known->name)
            known->name = name;
        if (!*name || same_name(known->name, name))
            return i;
    }
    if (data->machine_count == MOST_MACHINES)
        return -1;
    data->machines[data->machine_count] = (machine){.folder = folder, .name = *name ? name : NULL};
    return data->machine_count++;
}

// ---------------------------------------------------------------------------------------------
// Cells

typedef struct field
{
    const char *name;
    size_t offset; // of a double
} field;

static const field common_fields[] = {{"threads", offsetof(measurement, threads)},
                                      {"seconds", offsetof(measurement, seconds)},
                                      {"median_seconds", offsetof(measurement, median_seconds)},
                                      {"repeats", offsetof(measurement, repeats)},
                                      {"peak_bytes", offsetof(measurement, peak_bytes)},
                                      {0}};

static const field broad_fields[] = {
    {"pairs", offsetof(broad_measurement, pairs)},
    {"boxes", offsetof(broad_measurement, boxes)},
    {"hits", offsetof(broad_measurement, hits)},
    {"false_positives", offsetof(broad_measurement, false_positives)},
    {"false_negatives", offsetof(broad_measurement, false_negatives)},
    {0}};

static const field narrow_fields[] = {
    {"queries", offsetof(narrow_measurement, queries)},
    {"ns_per_query", offsetof(narrow_measurement, nanoseconds)},
    {"hits", offsetof(narrow_measurement, hits)},
    {"undecided", offsetof(narrow_measurement, undecided)},
    {"false_positives", offsetof(narrow_measurement, false_positives)},
    {"false_negatives", offsetof(narrow_measurement, false_negatives)},
    {"times", offsetof(narrow_measurement, times)},
    {"late", offsetof(narrow_measurement, late)},
    {"largest_late", offsetof(narrow_measurement, largest_late)},
    {"largest_early", offsetof(narrow_measurement, largest_early)},
    {"mean_error", offsetof(narrow_measurement, mean_error)},
    {0}};

static const field ccd_fields[] = {{"fraction", offsetof(ccd_measurement, fraction)},
                                   {"memory_limit", offsetof(ccd_measurement, memory_limit)},
                                   {"candidates_vf", offsetof(ccd_measurement, candidates_vf)},
                                   {"candidates_ee", offsetof(ccd_measurement, candidates_ee)},
                                   {"hits_vf", offsetof(ccd_measurement, hits_vf)},
                                   {"hits_ee", offsetof(ccd_measurement, hits_ee)},
                                   {"undecided", offsetof(ccd_measurement, undecided)},
                                   {"false_positives", offsetof(ccd_measurement, false_positives)},
                                   {"false_negatives", offsetof(ccd_measurement, false_negatives)},
                                   {"late", offsetof(ccd_measurement, late)},
                                   {"seconds_prepare", offsetof(ccd_measurement, seconds_prepare)},
                                   {"seconds_broad", offsetof(ccd_measurement, seconds_broad)},
                                   {"seconds_narrow", offsetof(ccd_measurement, seconds_narrow)},
                                   {0}};

static const field overlap_fields[] = {{"faces", offsetof(overlap_measurement, faces)},
                                       {"pairs", offsetof(overlap_measurement, pairs)},
                                       {"candidates", offsetof(overlap_measurement, candidates)},
                                       {0}};

static const field track_fields[] = {{"threads", offsetof(track_measurement, m.threads)},
                                     {"mean_seconds", offsetof(track_measurement, m.seconds)},
                                     {"repeats", offsetof(track_measurement, m.repeats)},
                                     {"faces", offsetof(track_measurement, faces)},
                                     {"cut", offsetof(track_measurement, cut)},
                                     {"motion", offsetof(track_measurement, motion)},
                                     {"first_seconds", offsetof(track_measurement, first_seconds)},
                                     {"elementary_tests", offsetof(track_measurement, elementary)},
                                     {"front", offsetof(track_measurement, front)},
                                     {"kept_bytes", offsetof(track_measurement, kept_bytes)},
                                     {0}};

// Every number of a measurement is a count or an amount.
static toi_status read_number(const csv_file *csv, int64_t row, const char *name, double *value)
{
    const double most = 1e18;
    const char *cell = csv_named_cell(csv, row, name);
    *value = NAN;
    if (!*cell || (parse_number(cell, value) && *value >= 0 && *value <= most))
        return TOI_OK;
    char what[160];
    snprintf(what, sizeof what, "%.40s is '%.40s', which is no amount", name, cell);
    return fail_at_row(csv, row, what);
}

static toi_status read_numbers(const csv_file *csv, int64_t row, const field *fields, void *values)
{
    toi_status status = TOI_OK;
    for (const field *f = fields; f->name && status == TOI_OK; ++f)
        status = read_number(csv, row, f->name, (double *)(void *)((char *)values + f->offset));
    return status;
}

// ---------------------------------------------------------------------------------------------
// Rows

static int64_t count_measurements(const report_data *data)
{
    return data->broad_count + data->narrow_count + data->ccd_count + data->overlap_count +
           data->track_count;
}

static toi_status read_place(report_data *data, const report_file *file, int64_t row,
                             measurement *m)
{
    const csv_file *csv = &file->csv;
    m->number = count_measurements(data);
    m->scene = csv_named_cell(csv, row, "scene");
    m->machine = find_machine(data, file->folder, csv_named_cell(csv, row, "machine"));
    if (m->machine < 0)
        return toi_fail(TOI_ERROR_LIMIT, "%s: more than %d machines; make a report of fewer",
                        csv->path, MOST_MACHINES);
    machine *of = &data->machines[m->machine];
    add_value(&of->compilers, csv_named_cell(csv, row, "compiler"));
    add_value(&of->commits, csv_named_cell(csv, row, "commit"));
    add_value(&of->simds, csv_named_cell(csv, row, "simd"));
    of->modified = file->modified > of->modified ? file->modified : of->modified;
    return TOI_OK;
}

// Those of a measurement that starts with `m`.
static toi_status read_timed(const csv_file *csv, int64_t row, const field *fields, measurement *m)
{
    toi_status status = read_numbers(csv, row, fields, m);
    if (status == TOI_OK && (isnan(m->seconds) || isnan(m->threads)))
        status = fail_at_row(csv, row, "no seconds or no threads");
    return status;
}

static toi_status read_common(report_data *data, const report_file *file, int64_t row,
                              measurement *m)
{
    toi_status status = read_place(data, file, row, m);
    return status == TOI_OK ? read_timed(&file->csv, row, common_fields, m) : status;
}

static toi_status read_broad(report_data *data, const report_file *file, int64_t row)
{
    broad_measurement *b = &data->broad[data->broad_count++];
    toi_status status = read_common(data, file, row, &b->m);
    if (status == TOI_OK)
        status = read_numbers(&file->csv, row, broad_fields, b);
    b->method = csv_named_cell(&file->csv, row, "method");
    b->other = !is_ours(b->method, broad_name);
    b->scaling = false;
    return status;
}

// A file of uniform boxes in growing numbers and of nothing else is one of curves. The same boxes
// in one number may be a scene among others.
static void mark_scaling(broad_measurement *rows, int64_t count)
{
    bool several = false;
    for (int64_t i = 0; i < count; ++i) {
        if (!same_name(rows[i].m.scene, decimal("uniform-%.0f", rows[i].boxes).at))
            return;
        several = several || rows[i].boxes != rows[0].boxes;
    }
    for (int64_t i = 0; i < count; ++i)
        rows[i].scaling = several;
}

static toi_status read_errors(const csv_file *csv, int64_t row, double errors[ERROR_BINS])
{
    toi_status status = read_number(csv, row, "error_0", &errors[0]);
    for (int i = 1; i < ERROR_BINS && status == TOI_OK; ++i) {
        char name[32];
        snprintf(name, sizeof name, "error_1e%+d", i - ERROR_BINS + 1);
        status = read_number(csv, row, name, &errors[i]);
    }
    return status;
}

static toi_status read_narrow(report_data *data, const report_file *file, int64_t row)
{
    const csv_file *csv = &file->csv;
    narrow_measurement *n = &data->narrow[data->narrow_count++];
    toi_status status = read_common(data, file, row, &n->m);
    if (status == TOI_OK)
        status = read_numbers(csv, row, narrow_fields, n);
    if (status == TOI_OK)
        status = read_errors(csv, row, n->errors);
    if (find_column(csv, "scene") < 0) // older files: it is in their name
        n->m.scene = file->scene;
    n->stage = find_column(csv, "stage") < 0 ? "queries" : csv_named_cell(csv, row, "stage");
    n->kind = csv_named_cell(csv, row, "kind");
    n->method = csv_named_cell(csv, row, "method");
    n->guarantee = csv_named_cell(csv, row, "guarantee");
    n->tolerance = csv_named_cell(csv, row, "tolerance");
    n->other = !is_ours(n->method, narrow_name);
    return status;
}

// The figures are of contacts, by calls that take the whole mesh, on a machine without other work.
// Older files have no other rows, and do not say so.
static bool is_shown_ccd(const csv_file *csv, int64_t row)
{
    const char *calls = csv_named_cell(csv, row, "calls");
    const char *load = csv_named_cell(csv, row, "load");
    const char *separation = csv_named_cell(csv, row, "separation");
    return (!*calls || same_name(calls, "stateless")) && (!*load || same_name(load, "idle")) &&
           (!*separation || same_name(separation, "none"));
}

static toi_status read_ccd(report_data *data, const report_file *file, int64_t row)
{
    ccd_measurement *c = &data->ccd[data->ccd_count++];
    toi_status status = read_common(data, file, row, &c->m);
    if (status == TOI_OK)
        status = read_numbers(&file->csv, row, ccd_fields, c);
    if (status == TOI_OK && find_column(&file->csv, "seconds_prepare") < 0) // its older name
        status = read_number(&file->csv, row, "seconds_boxes", &c->seconds_prepare);
    c->broad = csv_named_cell(&file->csv, row, "broad");
    c->narrow = csv_named_cell(&file->csv, row, "narrow");
    c->mode = csv_named_cell(&file->csv, row, "mode");
    c->mode = *c->mode ? c->mode : "all";
    if (status == TOI_OK && !same_name(c->mode, "all") && !same_name(c->mode, "earliest"))
        status = fail_at_row(&file->csv, row, "the mode is neither 'all' nor 'earliest'");
    c->fraction = isnan(c->fraction) ? 1 : c->fraction;
    c->memory_limit = isnan(c->memory_limit) ? 0 : c->memory_limit;
    return status;
}

static toi_status read_overlap(report_data *data, const report_file *file, int64_t row)
{
    overlap_measurement *o = &data->overlap[data->overlap_count++];
    toi_status status = read_common(data, file, row, &o->m);
    if (status == TOI_OK)
        status = read_numbers(&file->csv, row, overlap_fields, o);
    if (status == TOI_OK && !(o->faces > 0))
        status = fail_at_row(&file->csv, row, "no faces");
    o->method = csv_named_cell(&file->csv, row, "method");
    o->calls = csv_named_cell(&file->csv, row, "calls");
    o->seconds_per_face = o->m.seconds / o->faces;
    return status;
}

static toi_status read_track(report_data *data, const report_file *file, int64_t row)
{
    track_measurement *t = &data->track[data->track_count++];
    *t = (track_measurement){.method = csv_named_cell(&file->csv, row, "method"),
                             .volume = csv_named_cell(&file->csv, row, "volume"),
                             .orphans = csv_named_cell(&file->csv, row, "orphans")};
    toi_status status = read_place(data, file, row, &t->m);
    return status == TOI_OK ? read_timed(&file->csv, row, track_fields, &t->m) : status;
}

// ---------------------------------------------------------------------------------------------
// All

static toi_status read_rows_of(report_data *data, const report_file *file)
{
    int64_t broad_before = data->broad_count;
    toi_status status = TOI_OK;
    for (int64_t row = 0; row < file->csv.rows && status == TOI_OK; ++row) {
        if (file->kind == REPORT_BROAD)
            status = read_broad(data, file, row);
        else if (file->kind == REPORT_NARROW)
            status = read_narrow(data, file, row);
        else if (file->kind == REPORT_CCD && is_shown_ccd(&file->csv, row))
            status = read_ccd(data, file, row);
        else if (file->kind == REPORT_OVERLAP)
            status = read_overlap(data, file, row);
        else if (file->kind == REPORT_TRACK)
            status = read_track(data, file, row);
    }
    mark_scaling(data->broad + broad_before, data->broad_count - broad_before);
    return status;
}

static toi_status make_room(report_data *data, const char *folder)
{
    int64_t counts[REPORT_UNKNOWN];
    for (int kind = 0; kind < REPORT_UNKNOWN; ++kind) {
        counts[kind] = count_rows(&data->files, (report_kind)kind);
        if (counts[kind] > MOST_ROWS)
            return toi_fail(TOI_ERROR_LIMIT, "%s: more than %d rows; point at a smaller folder",
                            folder, MOST_ROWS);
    }
    data->broad = toi_allocate((size_t)counts[REPORT_BROAD] * sizeof *data->broad);
    data->narrow = toi_allocate((size_t)counts[REPORT_NARROW] * sizeof *data->narrow);
    data->ccd = toi_allocate((size_t)counts[REPORT_CCD] * sizeof *data->ccd);
    data->overlap = toi_allocate((size_t)counts[REPORT_OVERLAP] * sizeof *data->overlap);
    data->track = toi_allocate((size_t)counts[REPORT_TRACK] * sizeof *data->track);
    bool all = data->broad && data->narrow && data->ccd && data->overlap && data->track;
    return all ? TOI_OK : TOI_ERROR_MEMORY;
}

static toi_status check_any(const report_data *data, const char *folder)
{
    if (count_measurements(data) > 0)
        return TOI_OK;
    return toi_fail(TOI_ERROR_FORMAT,
                    "%s: no measurements in its csv files; they are read by the names of their "
                    "columns, as 'toi bench' writes them, without rows of 'bench ccd' that are "
                    "kept or busy, or keep a separation",
                    folder);
}

toi_status read_report_data(const char *folder, report_data *data)
{
    *data = (report_data){0};
    toi_status status = read_report_files(folder, &data->files);
    if (status == TOI_OK)
        status = make_room(data, folder);
    for (int i = 0; i < data->files.count && status == TOI_OK; ++i)
        status = read_rows_of(data, &data->files.data[i]);
    if (status == TOI_OK)
        status = check_any(data, folder);
    if (status != TOI_OK) {
        free_report_data(data);
        return status;
    }
    sort_report_data(data);
    return TOI_OK;
}

void free_report_data(report_data *data)
{
    toi_release(data->broad);
    toi_release(data->narrow);
    toi_release(data->ccd);
    toi_release(data->overlap);
    toi_release(data->track);
    free_report_files(&data->files);
    *data = (report_data){0};
}
