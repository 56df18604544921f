// What is found of one step before its certificates are made: the pairs, and for each whether it
// collides and when.

#ifndef TOI_CLI_TRUTH_ENTRIES_H
#define TOI_CLI_TRUTH_ENTRIES_H

#include "toi/truth.h"

typedef struct truth_entries
{
    toi_truth_entry *at[TOI_PAIR_KINDS];
    int64_t counts[TOI_PAIR_KINDS];
    int64_t hits[TOI_PAIR_KINDS];
    int64_t candidates[TOI_PAIR_KINDS];
    int64_t exact_doubles; // hits whose time is exactly a double
    double earliest;       // infinite where nothing collides
} truth_entries;

// Finds them: every hit, or every candidate with its boolean. The lists must fit in the memory
// limit of `def`. Free in any case.
toi_status find_entries(const toi_ccd_def *def, const toi_mesh *mesh, toi_truth_list list,
                        truth_entries *found);
void free_entries(truth_entries *found);

// The queries of the next entries that collide, at most TRUTH_BLOCK.
typedef struct hit_block
{
    toi_query *queries;
    int64_t *indices; // which entries they are
    int64_t count;
} hit_block;

toi_status make_hit_block(hit_block *block);
void free_hit_block(hit_block *block);

// Fills the block from entry *next on and moves *next behind the last that was looked at. False
// where no entry was left that collides.
bool gather_hits(const toi_mesh *mesh, toi_kind kind, const truth_entries *found, int64_t *next,
                 hit_block *block);

#endif
