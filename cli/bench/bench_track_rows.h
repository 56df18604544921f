// What a comparison of the methods over many steps has measured: a row for every method and motion.

#ifndef TOI_CLI_BENCH_TRACK_ROWS_H
#define TOI_CLI_BENCH_TRACK_ROWS_H

#include "toi/track.h"

enum
{
    TRACK_NAME_BYTES = 64
};

// How the pairs of a step are found.
typedef struct track_variant
{
    toi_track_method method;
    toi_volume volume;
    bool orphans;
    int threads;
} track_variant;

// A method on a motion. Means are over the steps but the first, which builds what the others use;
// where there is no other, it is that of the first.
typedef struct track_row
{
    char scene[TRACK_NAME_BYTES];
    int64_t vertices;
    int64_t edges;
    int64_t faces;
    int cut; // parts that the last step is cut into; 0: the steps as they are
    int steps;
    double motion; // the mean way of a vertex in a step, in mean edges
    track_variant variant;
    double first_seconds;
    double mean_seconds;
    double median_seconds;
    double worst_seconds;
    toi_track_report mean; // times and counts a step; flags and steps are not used
    double rebuilt;        // share of the steps
    double reordered;
    int64_t hits[TOI_KIND_COUNT]; // of all steps
    int repeats;
    uint64_t hash; // of all impacts of all steps
} track_row;

typedef struct track_rows
{
    track_row *data;
    int count;
    int capacity;
} track_rows;

// Is it one of the published methods, which have volumes and orphan sets?
bool is_published(toi_track_method method);

// Are these about the same motion?
bool same_track_motion(const track_row *a, const track_row *b);

// The first row of a motion that has this method, volumes, orphan sets and threads; NULL: none.
const track_row *find_track_row(const track_rows *rows, const track_row *motion,
                                const track_variant *variant);

// Rows whose impacts are not those of the first of their motion: there must be none.
bool has_same_impacts(const track_rows *rows, const track_row *row);
int count_wrong_tracks(const track_rows *rows);

toi_status write_track_rows(const char *path, const track_rows *rows);

#endif
