// A file that is either written whole or not at all.

#ifndef TOI_IO_OUTPUT_H
#define TOI_IO_OUTPUT_H

#include "toi/base.h"

#include <limits.h>
#include <stdio.h>

typedef struct toi_output
{
    const char *path; // as the caller wrote it, for messages
    char *target;     // with symbolic links followed
    char *temporary;  // beside it
    FILE *file;
} toi_output;

// Where a file of that name is to be renamed to: symbolic links are followed, and what exists must
// be a regular file. Renaming onto a link or a device would replace it: /dev/null is to stay what
// it is.
toi_status toi_find_target(const char *path, char target[PATH_MAX]);

// Opens a temporary file beside `path`, which must not exist or be a regular file. Write to `file`
// without looking at errors, then close; on failure nothing is left to do.
toi_status toi_open_output(const char *path, toi_output *output);

// Moves the temporary file to its place if all was written, else removes it and says what went
// wrong.
toi_status toi_close_output(toi_output *output);

#endif
