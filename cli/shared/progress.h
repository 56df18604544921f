// A bar on standard error for work that lasts, and the clock.

#ifndef TOI_CLI_PROGRESS_H
#define TOI_CLI_PROGRESS_H

#include "toi/base.h"

typedef struct progress
{
    double started; // seconds, by seconds_now()
    double shown;   // when the bar was last drawn; 0: never
    int run;        // of the runs that --repeat asks for, from 0
    int runs;
} progress;

progress start_progress(int runs);

// Draws the bar, for the library to call; its context is a progress.
bool show_progress(void *context, double done);

// Removes the bar from the screen.
void end_progress(progress *p);

// show_progress() where there is a terminal to draw on, else NULL.
toi_progress_fn *progress_function(void);

// A clock that only goes forward.
double seconds_now(void);

// The clock to measure work of so many threads with: one thread by its own, which stands still
// while other programs have the processor; several by the clock on the wall.
double seconds_spent(int threads);

#endif
