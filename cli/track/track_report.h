// What toi track prints: a line or an object a step, and a summary.

#ifndef TOI_CLI_TRACK_REPORT_H
#define TOI_CLI_TRACK_REPORT_H

#include "sequence.h"
#include "toi/track.h"

// A step and what it took.
typedef struct tracked_step
{
    int step;
    toi_ccd_report found;
    toi_track_report track;
    double motion; // the mean way of the vertices in mean edges, which not every method measures
    uint64_t hash; // of its impacts
} tracked_step;

// What was asked for, as far as a report tells.
typedef struct track_settings
{
    toi_track_def def;
    int threads;
    bool check;
    const char *impacts; // a folder, or NULL
} track_settings;

void print_track_head(const sequence *s, const track_settings *settings);
void print_tracked_step(const tracked_step *step);
void print_track_summary(const track_settings *settings, const tracked_step *steps, int count);

toi_status print_step_object(const tracked_step *step, int threads);

#endif
