// Disagreements between a dataset and what was computed anew: a line each.

#ifndef TOI_CLI_TRUTH_FINDINGS_H
#define TOI_CLI_TRUTH_FINDINGS_H

#include "json.h"
#include "progress.h"

typedef struct findings
{
    int64_t count;
    int64_t most;  // to print; the others are only counted
    json_t *lines; // NULL: they go to standard output at once
    progress *bar; // to be removed before a line
} findings;

// One disagreement, as printf() would write it.
void add_finding(findings *f, const char *format, ...) TOI_PRINTF(2, 3);

// A file that cannot be read is a disagreement, in the words of its failure, and the check goes on.
// Returns what the check cannot go on after.
toi_status add_failure(findings *f, toi_status status);

#endif
