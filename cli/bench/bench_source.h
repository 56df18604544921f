// Where a benchmark's queries come from: random numbers, the candidates of two frames, or files.
// Any query can be had by its number, so that a benchmark may take them in blocks, or every
// thousandth.

#ifndef TOI_CLI_BENCH_SOURCE_H
#define TOI_CLI_BENCH_SOURCE_H

#include "bench_broad_rows.h"
#include "frames.h"
#include "toi/ccd.h"
#include "toi/io.h"

typedef enum source_type
{
    SOURCE_RANDOM,
    SOURCE_FRAMES,
    SOURCE_FILES
} source_type;

// What a file says about a query of its own.
typedef enum file_truth
{
    FILE_SAYS_NOTHING,
    FILE_SAYS_SEPARATED,
    FILE_SAYS_HIT
} file_truth;

typedef struct source_file
{
    toi_kind kind;
    toi_query_file file;
} source_file;

typedef struct query_source
{
    source_type type;
    char name[160];                 // what it is, for titles
    char label[BROAD_NAME_BYTES];   // the same in a word, for rows
    int64_t counts[TOI_PAIR_KINDS]; // queries of each kind

    uint64_t seed; // random
    frames frames;
    toi_pair_array pairs[TOI_PAIR_KINDS];
    source_file *files;
    int file_count;
} query_source;

// Each starts from a zeroed source and must be freed in any case. `kind` is a toi_kind, or negative
// for both.

// Every coordinate, at both ends, uniform in [0, 1).
void open_random(uint64_t seed, int64_t count, toi_kind kind, query_source *source);

toi_status open_candidates(const scene_choice *choice, const operand_list *operands, int kind,
                           int workers, query_source *source);

// A file, whose kind must be given; or a folder with vf.csv and ee.csv, or folders that have them.
toi_status open_files(const char *path, int kind, query_source *source);

void free_source(query_source *source);

// Query number `index` of its kind, and what its file says.
file_truth fetch_query(const query_source *source, toi_kind kind, int64_t index, toi_query *query);

#endif
