// What a comparison of broad phases has measured: a row for every scene, method and number of
// threads. Rows of other programs with the same columns may join them.
//
// Another program that writes such rows (bench/peers) starts from a row of zeros, where all that is
// not filled in is written as an empty cell: set_row_times() from the run_times of its repeats
// (bench_times.h), judge_row() against find_true_impacts() of the scene's mesh (bench_truth.h),
// row.made = *this_environment() (environment.h). It is built with bench_broad_rows.c,
// bench_times.c, bench_truth.c and csv.c, and links toi_environment.

#ifndef TOI_CLI_BENCH_BROAD_ROWS_H
#define TOI_CLI_BENCH_BROAD_ROWS_H

#include "bench_times.h"
#include "bench_truth.h"
#include "environment.h"
#include "options.h"
#include "output.h"
#include "toi/broad_phase.h"

enum
{
    BROAD_NAME_BYTES = 48
};

// After the name of a method that was run with a toi_broad_memory, and on a card.
#define KEPT_ENDING "+kept"
#define DEVICE_ENDING "+cuda"

typedef struct broad_row
{
    char scene[BROAD_NAME_BYTES];
    char method[BROAD_NAME_BYTES];
    char simd[BROAD_NAME_BYTES];
    int threads;
    double seconds; // least of the repeats
    int64_t pairs;
    int64_t peak_bytes;
    uint64_t hash; // of the pairs in canonical order, as 'toi pairs' prints it
    int64_t boxes;
    bool judged;        // were the pairs compared with what truly collides?
    truth_counts truth; // if so
    double median_seconds;
    int repeats; // runs that were counted; 0: not known, as is the median
    environment made;
} broad_row;

typedef struct broad_rows
{
    broad_row *data;
    int count;
    int capacity;
} broad_rows;

toi_status add_row(broad_rows *rows, const broad_row *row);
void free_rows(broad_rows *rows);

void set_row_times(broad_row *row, const run_times *times);
void judge_row(broad_row *row, const toi_impact_array *truth,
               const toi_pair_array lists[TOI_KIND_COUNT]); // sorted

// A name as it may stand in a row: cut to its length, without what separates columns.
void copy_name(char to[BROAD_NAME_BYTES], const char *from);

// Adds the rows of the files in the list "a.csv,b.csv". Columns are found by name; those that files
// of older versions do not have may be missing.
toi_status read_rows(const char *list, broad_rows *rows);

void write_row_titles(FILE *file);
void write_row(FILE *file, const broad_row *row);
toi_status write_rows(const char *path, const broad_rows *rows);

// ---------------------------------------------------------------------------------------------
// What there is in the rows, in the order of its first row

bool same_scene(const broad_row *a, const broad_row *b);
bool same_method(const broad_row *a, const broad_row *b);

// Is this row the first of its scene; of its method in its scene; of its method at all?
bool is_new_scene(const broad_rows *rows, int index);
bool is_new_line(const broad_rows *rows, int index);
bool is_new_method(const broad_rows *rows, int index);

// The row with the scene of one, the method of another and so many threads; NULL: there is none.
const broad_row *find_row(const broad_rows *rows, const broad_row *scene, const broad_row *method,
                          int threads);

// Writes the different numbers of threads, in ascending order, and returns how many.
int list_threads(const broad_rows *rows, int threads[MOST_THREAD_COUNTS]);

// The library's method that a row is of; TOI_BROAD_COUNT: another program's.
toi_broad_method method_of(const broad_row *row);
bool is_kept(const broad_row *row);

// Has the row the pairs of the first method of its scene?
bool has_same_pairs(const broad_rows *rows, const broad_row *row);

// Rows of the library with other pairs than the first of their scene: there must be none.
int count_wrong_rows(const broad_rows *rows);

// Are these uniform boxes in growing numbers, so that each number is a point of a curve?
bool is_scaling(const broad_rows *rows);

#endif
