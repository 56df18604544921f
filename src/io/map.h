// Whole files mapped into memory, for formats that are read where they lie.

#ifndef TOI_IO_MAP_H
#define TOI_IO_MAP_H

#include "toi/base.h"

// The file's bytes, to be read only; `size` is not 0. Give them back with munmap().
toi_status toi_map_file(const char *path, void **data, size_t *size);

#endif
