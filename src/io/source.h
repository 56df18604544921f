// A whole file in memory.

#ifndef TOI_IO_SOURCE_H
#define TOI_IO_SOURCE_H

#include "toi/base.h"

// The bytes of a file and the name it has in messages.
typedef struct toi_source
{
    const char *name;
    const char *data;
    size_t size;
} toi_source;

// Reads a regular file. It is copied rather than mapped: a mapped file that another process
// truncates would kill this one. The source keeps `path`; free with toi_unload().
toi_status toi_load(const char *path, toi_source *source);

void toi_unload(toi_source *source);

// Fails with "NAME: byte N: ...".
toi_status toi_byte_fail(const toi_source *source, size_t byte, toi_status status,
                         const char *format, ...) TOI_PRINTF(4, 5);

#endif
