/// @file
/// The gallery of traps: small moving meshes on which collision detection is known to fail, each
/// with the answer that a person can derive. Part of toi_scenes; docs/cases.md says how to add one.
///
/// All coordinates are dyadic numbers with few digits, so that the bits are the same everywhere and
/// the variants (scaled, offset, turned) are exact images that have the same answer.

#ifndef TOI_CASES_H
#define TOI_CASES_H

#include "scenes.h"
#include "toi/narrow_phase.h"

TOI_EXTERN_C_BEGIN

/// What is known of a case before any program has run.
typedef struct toi_case
{
    char name[64];       ///< "spikes-turned": the family and the variant
    const char *family;  ///< "spikes": cases that differ by an exact image only
    const char *variant; ///< "turned"; "" for the family's first case
    const char *about;   ///< the trap, what a careless method does, and what is true
    /// The first contact is at the least root in [0, 1] of first[0] + first[1] t + first[2] t^2 +
    /// first[3] t^3. All zero: nothing ever touches.
    int64_t first[4];
    /// How many pairs of each kind touch at some time.
    int64_t hits[TOI_PAIR_KINDS];
} toi_case;

/// How many cases there are.
int toi_case_count(void);

/// Case number `index`, in [0, toi_case_count()). Cases of a family follow each other.
toi_case toi_describe_case(int index);

/// Makes its mesh: a scene of two frames, to free with toi_free_animation(). TOI_ERROR_ARGUMENT
/// where `index` is out of range.
toi_status toi_make_case(int index, toi_animation *scene);

TOI_EXTERN_C_END

#endif
