// The clock, and a bar on standard error for work that lasts.

#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double seconds_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double seconds_spent(int threads)
{
    return read_clock(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

progress start_progress(int runs)
{
    return (progress){.started = seconds_now(), .runs = runs};
}

bool show_progress(void *context, double done)
{
    static const char full[] = "##############################";
    const int width = sizeof full - 1;
    progress *p = context;
    double now = seconds_now();
    if (now - p->started < 0.5 || now - p->shown < 0.1)
        return true;
    p->shown = now;
    double share = (p->run + done) / p->runs;
    int filled = (int)(share * width);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %.0f s\033[K", filled, full, width - filled, "",
            100 * share, now - p->started);
    return true;
}

void end_progress(progress *p)
{
    if (p->shown > 0)
        fputs("\r\033[K", stderr);
    p->shown = 0;
}

toi_progress_fn *progress_function(void)
{
    return isatty(STDERR_FILENO) ? show_progress : NULL;
}
