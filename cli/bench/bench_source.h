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

// What a command line says of it.
enum
{
    KIND_ANY = -1
};

typedef struct query_choice
{
    int64_t random; // how many; 0: another source
    const char *path;
    scene_choice scene;
    int kind; // a toi_kind, or KIND_ANY
    const char *label;
} query_choice;

extern const option query_options[]; // all but those of the scene

query_choice default_query_choice(void);

// Refuses what contradicts itself, before anything is read.
toi_status check_queries(const query_choice *choice, const operand_list *operands);

// Opens what the choice, which was checked, or the operands name. Starts from a zeroed source,
// which must be freed in any case.
toi_status open_queries(const query_choice *choice, const operand_list *operands, int workers,
                        query_source *source);

void free_source(query_source *source);

// Query number `index` of its kind, and what its file says.
file_truth fetch_query(const query_source *source, toi_kind kind, int64_t index, toi_query *query);

#endif
