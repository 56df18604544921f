// What the writers share beside the public toi_output.

#ifndef TOI_IO_OUTPUT_H
#define TOI_IO_OUTPUT_H

#include "toi/io.h"

#include <limits.h>

// Where a file of that name is to be renamed to: symbolic links are followed, and what exists must
// be a regular file. Renaming onto a link or a device would replace it: /dev/null is to stay what
// it is.
toi_status toi_find_target(const char *path, char target[PATH_MAX]);

// As toi_open_output(), but refuses devices and pipes: where to open one may take for ever.
toi_status toi_open_whole(const char *path, toi_output *output);

// Whether an open file still has that name: another program may have removed or renamed it.
bool toi_has_name(int file, const char *name);

#endif
