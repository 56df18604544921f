// One line of the comparison: what a method cost, and how its answers compare with the truth.

#ifndef TOI_CLI_BENCH_NARROW_ROW_H
#define TOI_CLI_BENCH_NARROW_ROW_H

#include "bench_source.h"

// Errors of times by their size: none at all, then at most 1e-17, 1e-16 and so on to 1.
enum
{
    ERROR_BINS = 19
};
double error_bin_limit(int bin); // the largest error in it

// A narrow phase that is not the library's. It promises nothing.
typedef struct other_phase
{
    const char *name;
    bool no_time;
    // As toi_solve_queries(): states, and times where it finds them.
    toi_status (*solve)(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                        int64_t count, toi_query_result *results);
} other_phase;

// A method as it is run.
typedef struct bench_method
{
    toi_narrow_method method; // of the library
    double tolerance;         // 0: it has none
    const other_phase *other; // NULL: the library's
} bench_method;

bool finds_times(toi_narrow_method method);

const char *method_name(const bench_method *run);
toi_guarantee method_guarantee(const bench_method *run);
bool counts_contacts(const bench_method *run);
bool tells_times(const bench_method *run);

// Queries to decide at once, and the truth about them.
typedef struct query_block
{
    toi_kind kind;
    int64_t count;
    toi_query *queries;
    double *truth;            // the largest double not above the true time; infinite: never
    unsigned char *file_says; // a file_truth each
    toi_query_result *results;
} query_block;

typedef struct bench_row
{
    bench_method run;
    int kind; // a toi_kind; TOI_PAIR_KINDS: both
    int64_t queries;
    double seconds;        // sum over the blocks of the fastest run of each
    double median_seconds; // the same of the median
    int repeats;           // runs of each block that were counted
    int64_t states[TOI_STATE_COUNT];
    // Undecided counts as reported, as it must be treated like a hit.
    int64_t false_positives;
    int64_t false_negatives;
    // The same against what the files say.
    int64_t file_answers;
    int64_t file_false_positives;
    int64_t file_false_negatives;
    // Hits with an odd and an even number of contacts.
    int64_t odd;
    int64_t even;
    // True hits that were reported with a time, and how that differs from the truth.
    int64_t times;
    int64_t late;
    double largest_late;
    double largest_early;
    double error_sum;           // of absolute values
    int64_t errors[ERROR_BINS]; // times by the absolute value of their error
    // Of `exact`: what each rung decided, and how many of those were hits.
    int64_t rungs[TOI_RUNG_COUNT];
    int64_t rung_hits[TOI_RUNG_COUNT];
    uint64_t hash;
} bench_row;

// Adds the answers in block->results.
void judge_block(bench_row *row, const query_block *block);

// Adds the parities in block->results, which were found with `all_roots`.
void count_parities(bench_row *row, const query_block *block);

// Adds up rows of the same method.
void merge_row(bench_row *sum, const bench_row *row);

double row_nanoseconds(const bench_row *row); // a query; 0 where there are none
double row_mean_error(const bench_row *row);  // 0 where there are no times

#endif
