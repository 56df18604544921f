// Datasets on the disk: which files a step has, and where.
//
// Three layouts are known. Steps: the folders frames, boxes, mma_bool and queries of the public
// dataset, with ours, times and truth, beside them; files begin with the number of the step. Flat:
// one step in one folder, start.ply and end.ply with their lists. File: one truth file.

#ifndef TOI_CLI_TRUTH_DATASET_H
#define TOI_CLI_TRUTH_DATASET_H

#include "toi/narrow_phase.h"

#include <limits.h>

// The files of a step, and the names of --formats.
typedef enum truth_format
{
    FORMAT_BINARY,   // everything, toi/truth.h; one file for both kinds of pairs
    FORMAT_BOXES,    // json, the pairs by the numbers of their boxes
    FORMAT_BOOLEANS, // json, for each pair whether it collides
    FORMAT_QUERIES,  // csv of exact rationals
    FORMAT_TIMES,    // csv, for each pair hit,time_hex
    FORMAT_COUNT
} truth_format;

const char *format_choice(int index);

typedef enum truth_layout
{
    LAYOUT_STEPS,
    LAYOUT_FLAT,
    LAYOUT_FILE
} truth_layout;

typedef struct frame_name
{
    int64_t number;
    char *name; // in the folder "frames"
} frame_name;

typedef struct dataset
{
    const char *path; // as given
    truth_layout layout;
    frame_name *frames; // only of the layout of steps
    int64_t frame_count;
    int64_t *steps; // numbers, ascending
    int64_t step_count;
} dataset;

// Looks what is there; free in any case.
toi_status open_dataset(const char *path, dataset *d);
void free_dataset(dataset *d);

// The path of a file of a step, or "" where the layout has no such file; it need not exist. The
// kind does not matter for FORMAT_BINARY.
toi_status name_truth_file(const char *folder, truth_layout layout, int64_t step,
                           truth_format format, toi_kind kind, char path[PATH_MAX]);

// The path of a frame that we write.
toi_status name_frame_file(const char *folder, int64_t number, char path[PATH_MAX]);

// The frames of a step. Both are "" where the dataset has no frames at all; TOI_ERROR_FILE where it
// has, but not these.
toi_status find_step_frames(const dataset *d, int64_t step, char start[PATH_MAX],
                            char end[PATH_MAX]);

bool is_file(const char *path);

#endif
