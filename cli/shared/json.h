// JSON on standard output.

#ifndef TOI_CLI_JSON_H
#define TOI_CLI_JSON_H

#include "toi/base.h"

#include <jansson.h>

// A string; bytes that are not UTF-8 (file names may have them) become question marks.
json_t *json_text(const char *words);

// An array of the names (names.h).
json_t *json_names(const char *(*name)(int index));

// {"vf": ..., "ee": ...}, from counts by toi_kind.
json_t *json_kinds(const int64_t counts[2]);

// All four kinds, those of loose points where there are any: as an object, or added to one.
json_t *json_all_kinds(const int64_t counts[4]);
void add_kinds(json_t *object, const int64_t counts[4]);

// A hash as sixteen hexadecimal digits: JSON has no integers that large.
json_t *json_hash(uint64_t hash);

// Prints and frees. NULL, from a failed json_pack(), is out of memory. What the disk or the pipe
// says is found at the end of main().
toi_status print_json(json_t *object);

// The same on one line, and without delay: for one object after the other.
toi_status print_json_line(json_t *object);

#endif
