// The comparison of broad phases as a picture: time and memory of every method on every scene, or
// both over the number of boxes.

#ifndef TOI_CLI_BENCH_BROAD_PICTURE_H
#define TOI_CLI_BENCH_BROAD_PICTURE_H

#include "bench_broad_rows.h"

toi_status draw_broad(const char *path, const broad_rows *rows);

// The second of them, to a file that is open.
void print_curves(FILE *o, const broad_rows *rows);

#endif
