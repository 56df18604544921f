// Making the truth file of a step: certificates in blocks, each of which is on the disk before the
// next is begun.

#ifndef TOI_CLI_TRUTH_BINARY_H
#define TOI_CLI_TRUTH_BINARY_H

#include "truth_entries.h"

typedef struct binary_job
{
    const char *path;
    const toi_mesh *mesh;
    toi_truth_list list;
    int workers;
    toi_progress_fn *progress; // asked after every block; false stops the work
    void *progress_context;
} binary_job;

// Removes the file and what was begun of it.
toi_status forget_binary(const char *path);

// Is the file that is there the one to be made? Another one is refused, not overwritten: hours may
// be in it.
toi_status look_for_binary(const binary_job *job, const truth_entries *found, bool *there);

// Writes it, or goes on with what was begun: `resumed` receives how many certificates were there.
// Each certificate must be of the time that was found.
toi_status write_binary(const binary_job *job, const truth_entries *found, int64_t *resumed);

#endif
