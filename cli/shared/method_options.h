// The library's definitions as options, shared by the subcommands that take them.

#ifndef TOI_CLI_METHOD_OPTIONS_H
#define TOI_CLI_METHOD_OPTIONS_H

#include "options.h"
#include "toi/narrow_phase.h"

// Values: a toi_ccd_def.
extern const option broad_options[]; // method, float boxes, memory limit

// Values: a toi_narrow_def.
extern const option narrow_options[];
extern const option separation_options[]; // only --min-separation

// Names by number, NULL past the last.
const char *device_choice(int index);
const char *broad_choice(int index);
const char *narrow_choice(int index);
const char *kind_choice(int index);

// Says on standard error which options of the benchmarks a method would refuse, and so runs
// without.
void note_dropped_options(const char *command, const toi_narrow_def *def);

#endif
