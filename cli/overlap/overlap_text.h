// Pairs of faces that intersect, for people and for programs.

#ifndef TOI_CLI_OVERLAP_TEXT_H
#define TOI_CLI_OVERLAP_TEXT_H

#include "json.h"
#include "text.h"
#include "toi/overlap.h"

// Names by number, NULL past the last.
const char *overlap_method_choice(int index);
const char *cell_hash_choice(int index);
const char *overlap_class_choice(int index);

// "12 crossing, 3 point": the classes that there are.
void print_classes(const int64_t counts[TOI_OVERLAP_CLASS_COUNT]);

// {"crossing": ..., ...}: all of them.
json_t *json_classes(const int64_t counts[TOI_OVERLAP_CLASS_COUNT]);

json_t *json_point(const double point[3]);

// A point that both faces have in common: the middle of the figure's corners.
toi_status place_overlap(const toi_mesh *mesh, int32_t a, int32_t b, double place[3]);

#endif
