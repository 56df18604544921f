// What toi_find_overlaps() must find in a soup, from the classes of all its pairs of faces, for any
// options: by the words of toi/overlap.h, one pair at a time.

#ifndef TOI_TEST_OVERLAP_TRUTH_H
#define TOI_TEST_OVERLAP_TRUTH_H

#include "overlap_soups.h"

// The class of every pair of faces, or polygons, by a * count + b, a < b.
typedef struct overlap_truth
{
    int count;
    uint8_t *classes; // TOI_OVERLAP_CLASS_COUNT: not to be reported
} overlap_truth;

// Which pairs are tested, and what counts as a face.
typedef struct truth_rules
{
    toi_filter filter;
    const int32_t *polygons; // NULL: every face for itself
    const uint8_t *diagonals;
} truth_rules;

// By lattice_classify() where the soup's place is exact, else by the twin in rationals. `rules`
// may be NULL: no filter, no polygons.
overlap_truth find_truth(const overlap_soup *s, const truth_rules *rules);
void free_truth(overlap_truth *truth);

// The same without the twins, from the truth of the soup without rules: where there are no
// diagonals.
overlap_truth restrict_truth(const overlap_truth *truth, const overlap_soup *s,
                             const truth_rules *rules);

// The list of the pairs of these classes, at most `limit` (0: all), as a call must give it;
// *complete: whether none was left out. Free with free().
toi_overlap_array list_truth(const overlap_truth *truth, uint32_t classes, int64_t limit,
                             bool *complete);

// Fails, naming `what`, where a list, its report or both differ from what they should be. `report`
// may be NULL.
void expect_overlaps(const char *what, const toi_overlap_array *expected,
                     const toi_overlap_array *found, const toi_overlap_report *report);

// What the calls of check_overlaps() did, all together.
typedef struct overlap_work
{
    int64_t calls, candidates, exact, stars;
} overlap_work;

extern overlap_work overlap_work_done;

// Calls toi_find_overlaps() and compares; counts and flags too if `all`.
void check_overlaps(const char *what, const toi_overlap_def *def, const toi_mesh *mesh,
                    const overlap_truth *truth, bool all);

#endif
