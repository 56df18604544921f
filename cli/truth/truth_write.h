// Writing the public lists of a step. Each file is written whole or not at all, and its entries as
// they come, whatever their number.

#ifndef TOI_CLI_TRUTH_WRITE_H
#define TOI_CLI_TRUTH_WRITE_H

#include "truth_dataset.h"
#include "truth_entries.h"

// `format` is any but FORMAT_BINARY.
toi_status write_truth_list(const char *path, truth_format format, toi_kind kind,
                            const toi_mesh *mesh, const truth_entries *found);

#endif
