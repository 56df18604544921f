// Prints and draws the comparison over many steps.

#ifndef TOI_CLI_BENCH_TRACK_REPORT_H
#define TOI_CLI_BENCH_TRACK_REPORT_H

#include "bench_track_rows.h"
#include "text.h"

// "front", "front box", "front, no orphans"
text variant_text_of_track(const track_variant *variant);

// Tables after figures 4, 7, 9, 12, 13 and table 2 of Tang, Manocha, Tong (2010), and cost against
// motion.
toi_status print_track_rows(const track_rows *rows);
toi_status print_track_object(const track_rows *rows);

// Time a step over the motion of a step, and speedup over threads, a panel for each motion.
toi_status draw_track_curves(const char *path, const track_rows *rows);

#endif
