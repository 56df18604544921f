// Counts of pairs by their kind. Those of loose points are only shown where there are any.

#ifndef TOI_CLI_KINDS_H
#define TOI_CLI_KINDS_H

#include "toi/narrow_phase.h"

int64_t sum_kinds(const int64_t counts[TOI_KIND_COUNT]);

// "12 vertex-face, 34 edge-edge"
void print_kinds(const int64_t counts[TOI_KIND_COUNT]);

#endif
