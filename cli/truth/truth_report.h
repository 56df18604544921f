// What was made, told as it is made, or as one JSON object at the end.

#ifndef TOI_CLI_TRUTH_REPORT_H
#define TOI_CLI_TRUTH_REPORT_H

#include "json.h"
#include "truth.h"
#include "truth_entries.h"

#include <limits.h>

typedef struct step_report
{
    int64_t number;
    bool there_already;
    int64_t resumed; // certificates that were there
    double seconds;
    char binary[PATH_MAX]; // "" where none was asked for
    int64_t degrees[4];    // certificates by the degree of their polynomial
    int64_t bytes;         // of the binary
    uint64_t hash;
} step_report;

// Reads the binary again: its size, its hash and, where it was just made, all of its certificates.
toi_status describe_step(step_report *made);

typedef struct truth_report
{
    bool json;
    json_t *object; // with --json
    json_t *steps;  // in it
} truth_report;

truth_report start_truth_report(const truth_settings *s, int threads);
void report_step(truth_report *report, const frames *f, const truth_entries *found,
                 const step_report *made);

// Frees it; prints the object if all went well.
toi_status end_truth_report(truth_report *report, bool good);

#endif
