// What toi bench overlap has measured: a row for every mesh, method, kind of call and number of
// threads.

#ifndef TOI_CLI_BENCH_OVERLAP_ROWS_H
#define TOI_CLI_BENCH_OVERLAP_ROWS_H

#include "toi/overlap.h"

#include <stdio.h>

// How the library is called.
typedef enum overlap_calls
{
    OVERLAP_ONE_SHOT, // a call that takes the whole mesh
    OVERLAP_KEPT,     // a call of a scene that is kept: topology and order are there already
    OVERLAP_CALLS_COUNT
} overlap_calls;

const char *overlap_calls_name(int index); // NULL past the last

typedef struct overlap_row
{
    char scene[48];
    int64_t vertices;
    char method[24];
    overlap_calls calls;
    int threads;
    toi_overlap_report report; // of the fastest run
    double median_seconds;
    double mean_seconds;
    int repeats;
    uint64_t hash; // of the list
} overlap_row;

typedef struct overlap_rows
{
    overlap_row *data;
    int count;
    int capacity;
} overlap_rows;

// Seconds a face, of the fastest run.
double overlap_seconds_per_face(const overlap_row *row);

// Rows of one method, kind of call and number of threads.
bool same_overlap_line(const overlap_row *a, const overlap_row *b);

// The titles of the columns and the rows below them, in the format of --csv.
void write_overlap_titles(FILE *file);
void write_overlap_row(FILE *file, const overlap_row *row);

#endif
