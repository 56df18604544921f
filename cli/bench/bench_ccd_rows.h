// What a comparison of the whole pipeline has measured: a row for every combination.

#ifndef TOI_CLI_BENCH_CCD_ROWS_H
#define TOI_CLI_BENCH_CCD_ROWS_H

#include "bench_broad_rows.h"

// What is asked for.
typedef enum ccd_mode
{
    CCD_EARLIEST, // the first impact alone
    CCD_ALL,      // every impact
    CCD_MODES
} ccd_mode;

const char *ccd_mode_name(int mode); // NULL past the last

// What is called.
typedef enum ccd_calls
{
    CCD_STATELESS, // functions that take the mesh, toi_find_earliest() and toi_find_impacts()
    CCD_KEPT,      // those of a scene that is kept between calls
    CCD_CALLS
} ccd_calls;

const char *ccd_calls_name(int calls); // NULL past the last

// What else the machine does.
typedef enum ccd_load
{
    CCD_IDLE, // nothing that we started
    CCD_BUSY, // a thread on every core computes without a pause
    CCD_LOADS
} ccd_load;

const char *ccd_load_name(int load); // NULL past the last

typedef struct ccd_row
{
    char scene[BROAD_NAME_BYTES];
    toi_broad_method broad;
    toi_narrow_method narrow;
    ccd_mode mode;
    double fraction;      // of the faces
    int64_t memory_limit; // 0: none
    int threads;
    ccd_calls calls;
    ccd_load load;
    toi_ccd_report report; // of the fastest run
    truth_counts truth;    // with CCD_EARLIEST only `late`: 1 where the time is
    double median_seconds;
    double mean_seconds;
    int repeats;
    uint64_t hash; // of all impacts, or of the earliest
} ccd_row;

typedef struct ccd_rows
{
    ccd_row *data;
    int count;
    int capacity;
    int skipped; // combinations that take too long, or do not fit in their limit
} ccd_rows;

// Are these of the same mesh, and of the same question?
bool same_ccd_mesh(const ccd_row *a, const ccd_row *b);
bool same_ccd_question(const ccd_row *a, const ccd_row *b); // of the same narrow phase too

// The row that was measured in the same way as this one would be; NULL: there is none.
const ccd_row *find_same_run(const ccd_rows *rows, const ccd_row *row);

// The first row with the question of this one: its answer must be the same, bit for bit.
const ccd_row *find_first_answer(const ccd_rows *rows, const ccd_row *row);
bool has_same_answer(const ccd_rows *rows, const ccd_row *row);

// Rows whose answer is not that of the first: there must be none.
int count_wrong_answers(const ccd_rows *rows);

toi_status write_ccd_rows(const char *path, const ccd_rows *rows);

#endif
