// What the files of a report say: measurements of each kind, sorted, each once.
//
// Names point into the files. Numbers that a file does not have are NaN. Where the same was
// measured twice, the faster row is kept, as it is for the repeats of one run.

#ifndef TOI_CLI_REPORT_DATA_H
#define TOI_CLI_REPORT_DATA_H

#include "report_files.h"

enum
{
    MOST_MACHINES = 32,
    MOST_VALUES = 6, // of what a machine's files say about themselves
    ERROR_BINS = 19  // exactly right; up to 1e-17, 1e-16, ... 1e-1, 1
};

// Different values of a column, in order of appearance.
typedef struct value_list
{
    const char *at[MOST_VALUES];
    int count;
    bool more;
} value_list;

// Files of one folder, and in it of one machine.
typedef struct machine
{
    const char *folder;
    const char *name; // NULL: no file says it
    value_list compilers;
    value_list commits;
    value_list simds;
    time_t modified; // of the newest file
} machine;

// What all measurements have, and start with.
typedef struct measurement
{
    int64_t number; // in the order of reading
    int machine;
    const char *scene;
    double threads;
    double seconds;
    double median_seconds;
    double repeats;
    double peak_bytes;
} measurement;

typedef struct broad_measurement
{
    measurement m;
    const char *method;
    bool other;   // another library's
    bool scaling; // uniform boxes in growing numbers: a point of a curve
    double pairs;
    double boxes;
    double hits;
    double false_positives;
    double false_negatives;
} broad_measurement;

typedef struct narrow_measurement
{
    measurement m;
    const char *stage;
    const char *kind; // vf, ee, both
    const char *method;
    const char *guarantee;
    const char *tolerance; // "": it has none
    bool other;
    double queries;
    double nanoseconds; // a query
    double hits;
    double undecided;
    double false_positives;
    double false_negatives;
    double times;
    double late;
    double largest_late;
    double largest_early;
    double mean_error;
    double errors[ERROR_BINS]; // how many times are as far from the truth
} narrow_measurement;

typedef struct ccd_measurement
{
    measurement m;
    const char *broad;
    const char *narrow;
    const char *mode; // earliest, all
    double fraction;
    double memory_limit; // 0: none
    double candidates_vf;
    double candidates_ee;
    double hits_vf;
    double hits_ee;
    double undecided;
    double false_positives;
    double false_negatives;
    double late;
    double seconds_prepare;
    double seconds_broad;
    double seconds_narrow;
} ccd_measurement;

typedef struct overlap_measurement
{
    measurement m;
    const char *method;
    const char *calls; // one-shot, kept
    double faces;
    double pairs;
    double candidates;
    double seconds_per_face;
} overlap_measurement;

// Steps by one method; its seconds are a step's.
typedef struct track_measurement
{
    measurement m;
    const char *method;
    const char *volume;  // "": it has none
    const char *orphans; // on, off; "": it has none
    double faces;
    double cut;    // parts that a step was cut into; 0: steps as they are
    double motion; // of a vertex in a step, in edges
    double first_seconds;
    double elementary;
    double front;
    double kept_bytes;
} track_measurement;

typedef struct report_data
{
    report_files files;
    machine machines[MOST_MACHINES];
    int machine_count;
    broad_measurement *broad; // by machine, scene, scaling, method, threads
    int64_t broad_count;
    narrow_measurement *narrow; // by machine, scene, method, tolerance, kind, stage, threads
    int64_t narrow_count;
    ccd_measurement *ccd; // by machine, scene, mode, broad, narrow, threads, limit, fraction
    int64_t ccd_count;
    overlap_measurement *overlap; // by machine, family of scenes, method, calls, threads, faces
    int64_t overlap_count;
    track_measurement *track; // by machine, scene, method, whole steps or parts, threads, motion
    int64_t track_count;
} report_data;

// On failure `data` is empty.
toi_status read_report_data(const char *folder, report_data *data);
void free_report_data(report_data *data);

// Sorts what was read, and keeps the fastest where the same was measured twice.
void sort_report_data(report_data *data);

// Are these names of the same?
bool same_name(const char *a, const char *b);

// How long a scene's name is without the size that it may end with, as in cloth-ball-1000; and
// scenes in the order of such names.
int family_length(const char *scene);
int compare_families(const char *a, const char *b);

// Measured on the same machine in the same scene?
bool same_place(const measurement *a, const measurement *b);

// Rows of narrow phases that hold queries of one kind, and not sums or whole pipelines.
bool is_query_row(const narrow_measurement *row);

double candidates_of(const ccd_measurement *row);

// "" where the method is none of the library's.
const char *guarantee_of(const char *narrow_method);

#endif
