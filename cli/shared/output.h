// What the program adds to toi_output: a check beforehand, rows of numbers, folders.

#ifndef TOI_CLI_OUTPUT_H
#define TOI_CLI_OUTPUT_H

#include "toi/io.h"

// Says now what would go wrong after an hour of work: no such folder, no right to write there, no
// room. NULL is fine.
toi_status check_output(const char *path);

// Writes "name,a,b"; faster than fprintf(), for lists of 10^8 pairs.
void write_pair(FILE *file, const char *name, int32_t a, int32_t b, char end);

// Makes a folder and those it is in, unless they exist.
toi_status make_folder(const char *path);

#endif
