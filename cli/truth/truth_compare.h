// A list of pairs compared with what was computed anew.

#ifndef TOI_CLI_TRUTH_COMPARE_H
#define TOI_CLI_TRUTH_COMPARE_H

#include "text.h"
#include "truth_entries.h"
#include "truth_findings.h"

// How much was compared.
typedef struct check_totals
{
    int64_t files;
    int64_t candidates[TOI_PAIR_KINDS]; // that we found
    int64_t hits[TOI_PAIR_KINDS];
    int64_t pairs[TOI_PAIR_KINDS]; // listed in the files
    int64_t certificates;
} check_totals;

// The truth of a step, found without looking at the lists.
typedef struct step_truth
{
    const toi_mesh *mesh;
    toi_narrow_def narrow;    // exact
    toi_impact_array impacts; // all of them, in canonical order
    toi_ccd_report report;    // of the search for them
    findings *found;
    check_totals *totals;
    int stage; // of CHECK_STAGES, for the bar
} step_truth;

enum
{
    CHECK_STAGES = 1 + 2 * TOI_PAIR_KINDS // the search, the binary's two lists, the public ones
};

// The pairs of one kind that a file lists. One that is none has negative numbers, so that the
// others keep their places.
typedef struct listing
{
    const char *name; // of the file
    toi_kind kind;
    bool box_numbers; // messages number primitives as boxes are numbered
    toi_pair *pairs;
    int64_t count;
} listing;

// -1, 0 or 1, in canonical order.
int compare_pair_order(toi_pair a, toi_pair b);

// Turns numbers of boxes into those of primitives. False where they are no pair of that kind.
bool pair_of_boxes(const toi_mesh *mesh, toi_kind kind, int64_t a, int64_t b, toi_pair *pair);

// "vf 8877 54785"
text pair_text(const toi_mesh *mesh, const listing *l, toi_pair pair);

// Pairs that share a vertex are reported and made none, then duplicates and colliding pairs that
// are not in the list are reported. Only what every list must fulfil: the answers come next.
toi_status compare_pairs(const step_truth *t, listing *l);

// Pairs of the list, at most TRUTH_BLOCK, decided one by one.
typedef struct solved_block
{
    hit_block pairs; // of those that are pairs; the indices are of the list
    toi_query_result *results;
} solved_block;

toi_status make_solved_block(solved_block *block);
void free_solved_block(solved_block *block);

// Decides the pairs of the list from *next on and moves *next behind the last. Each must come out
// as the whole pipeline had it. Leaves the block empty where the list ends.
toi_status solve_listed(const step_truth *t, const listing *l, int64_t *next, solved_block *block);

// Compare what `file` says of a pair with the result.
void compare_answer(const step_truth *t, const listing *l, const char *file, toi_pair pair,
                    bool says_hit, const toi_query_result *result);
void compare_time(const step_truth *t, const listing *l, const char *file, toi_pair pair,
                  double says, const toi_query_result *result);

// Compares a truth file that is of the mesh at hand. `def` finds its candidates again where it
// lists them all.
toi_status check_binary(step_truth *t, const toi_ccd_def *def, const toi_truth *truth,
                        const char *name);

// The public lists of a kind, by path; an empty one is not there.
typedef struct list_files
{
    const char *boxes;
    const char *booleans;
    const char *times;
    const char *queries;
} list_files;

toi_status check_lists(step_truth *t, toi_kind kind, const list_files *files);

#endif
