// Truth: what 'toi truth' is asked for, and its two halves.

#ifndef TOI_CLI_TRUTH_H
#define TOI_CLI_TRUTH_H

#include "frames.h"
#include "toi/truth.h"

enum
{
    BROAD_UNSET = -1,  // auto to make, sweep to check
    TRUTH_BLOCK = 4096 // pairs gathered at once
};

typedef struct truth_settings
{
    const char *check; // what is to be checked; NULL: truth is to be made
    const char *out;
    const char *formats;
    scene_choice choice;
    common common;
    int list;      // a toi_truth_list
    int broad;     // a toi_broad_method, or BROAD_UNSET
    int64_t first; // number of the first step
    int64_t most;  // disagreements to print
    int64_t memory_limit;
    bool restart;
} truth_settings;

// Makes the truth of the frames that the operands or the choice name, one step after the other, and
// says what it has made.
toi_status make_truth(const truth_settings *s, const operand_list *operands, int threads);

// Checks a dataset and prints every disagreement. TOI_ERROR_DATA where there was one.
toi_status check_truth(const truth_settings *s, int threads);

// "hits", "candidates", NULL.
const char *list_choice(int index);

// The pipeline as both use it: exact, with that broad phase unless the settings name one.
toi_ccd_def truth_ccd_def(const truth_settings *s, toi_broad_method broad, int threads);

// The same coordinates, bit by bit, the same faces and the same edges?
bool same_mesh(const toi_mesh *a, const toi_mesh *b);

// Row `i` of faces (three columns) or edges (two).
const int32_t *index_row(toi_index_view rows, int columns, int64_t i);

#endif
