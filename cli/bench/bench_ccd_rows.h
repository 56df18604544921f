// What a comparison of the whole pipeline has measured: a row for every combination.

#ifndef TOI_CLI_BENCH_CCD_ROWS_H
#define TOI_CLI_BENCH_CCD_ROWS_H

#include "bench_broad_rows.h"
#include "text.h"

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

// How far pairs are kept apart.
typedef enum ccd_separation_kind
{
    CCD_TOUCHING, // not at all: impacts are contacts
    CCD_ABSOLUTE, // by a part of the mean edge
    CCD_RELATIVE  // by toi_solver_policy()
} ccd_separation_kind;

typedef struct ccd_separation
{
    ccd_separation_kind kind;
    double parts; // CCD_ABSOLUTE: of the mean edge, of which one is kept; else 0
} ccd_separation;

text separation_text(const ccd_separation *separation); // none, edge/200, relative
bool same_separation(const ccd_separation *a, const ccd_separation *b);

typedef struct ccd_row
{
    char scene[BROAD_NAME_BYTES];
    toi_broad_method broad;
    toi_narrow_method narrow;
    ccd_mode mode;
    double fraction; // of the faces
    ccd_separation separation;
    double min_separation; // that number, 0 unless it is absolute
    int64_t memory_limit;  // 0: none
    int threads;
    ccd_calls calls;
    ccd_load load;
    toi_ccd_report report; // of the fastest run
    truth_counts truth;    // of contacts; with CCD_EARLIEST only `late`: 1 where the time is
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

// Can the answer be wrong or late? What is true is known of contacts, not of separations.
bool has_truth(const ccd_row *row);

// The row that was measured in the same way as this one would be; NULL: there is none.
const ccd_row *find_same_run(const ccd_rows *rows, const ccd_row *row);

// The first row with the question of this one: its answer must be the same, bit for bit.
const ccd_row *find_first_answer(const ccd_rows *rows, const ccd_row *row);
bool has_same_answer(const ccd_rows *rows, const ccd_row *row);

// Rows whose answer is not that of the first: there must be none.
int count_wrong_answers(const ccd_rows *rows);

toi_status write_ccd_rows(const char *path, const ccd_rows *rows);

#endif
