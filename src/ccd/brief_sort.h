// The order of records in brief, by their whole keys.

#ifndef TOI_CCD_BRIEF_SORT_H
#define TOI_CCD_BRIEF_SORT_H

#include "ccd/key_order.h"
#include "ccd/records.h"

enum
{
    TOI_BRIEF_RUN = 512,
    TOI_RANKED_BITS = 22 // a word has room for them and for a place in a run
};

// What is sorted comes out in order but for short runs, of at most TOI_BRIEF_RUN that are alike in
// their first bits. Those are put in order when they are read: so all of it is copied once less.
typedef struct toi_brief_order
{
    toi_key_packing pack;
    int left;      // bits of the packed key beyond the first; 0: all is in order
    uint64_t mask; // of a whole key, what the first are
} toi_brief_order;

typedef struct toi_brief_sort
{
    toi_brief *found;   // lost
    toi_brief *scratch; // as many
    toi_brief *sorted;  // as many
    int64_t *tables;    // two words for each
    int64_t count;
    uint64_t all; // the bits that occur in keys, at least
} toi_brief_sort;

// Puts at most TOI_BRIEF_RUN that differ in the last TOI_RANKED_BITS of their packed keys, or in
// less, in order somewhere else.
typedef void toi_rank_briefs_fn(const toi_key_packing *pack, const toi_brief *run, int count,
                                toi_brief *to);

toi_brief_order toi_sort_brief(const toi_brief_sort *sort, int workers);

// No later than `at`, and not before `least`, which is such a place too: no short run goes on here.
int64_t toi_between_runs(const toi_brief_order *order, const toi_brief *sorted, int64_t least,
                         int64_t at);

// Reads the first of so many, up to TOI_BRIEF_RUN, in order; returns how many.
int64_t toi_read_briefs(const toi_brief_order *order, const toi_brief *sorted, int64_t count,
                        toi_brief to[TOI_BRIEF_RUN]);

#endif
