// Files that are written whole or not at all, and rows of numbers in them.

#ifndef TOI_CLI_OUTPUT_H
#define TOI_CLI_OUTPUT_H

#include "toi/io.h"

typedef toi_output output_file;

// Says now what would go wrong after an hour of work: no such folder, no right to write there, no
// room. NULL is fine.
toi_status check_output(const char *path);

// Write to `file` without looking at errors, then close.
toi_status open_output(const char *path, output_file *output);

// Moves the file to its place if all was written, else removes it and says what went wrong.
toi_status close_output(output_file *output);

// Instead of closing it: what was written is forgotten, and an older file stays as it was.
void discard_output(output_file *output);

// Writes "name,a,b"; faster than fprintf(), for lists of 10^8 pairs.
void write_pair(FILE *file, const char *name, int32_t a, int32_t b, char end);

// Makes a folder and those it is in, unless they exist.
toi_status make_folder(const char *path);

#endif
