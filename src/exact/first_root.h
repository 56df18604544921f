// The first root of a polynomial at which other polynomials are positive.

#ifndef TOI_EXACT_FIRST_ROOT_H
#define TOI_EXACT_FIRST_ROOT_H

#include "exact/sextic.h"

// What is looked for: a root of f, which is not zero, in ]0, bound[ at which all conditions are
// positive.
//
// The search ends if at each root of f in ]0, bound[ all conditions are positive, or one is
// negative, or `under`, which is never negative, is zero, f then being zero wherever it is. The
// faces of a figure have it so: docs/separation.md.
typedef struct toi_root_search
{
    toi_sextic f;
    const toi_sextic *condition;
    int conditions;
    const toi_sextic *under;
    double bound; // in ]0, 1]
    double guess; // about where it may be, or NaN
} toi_root_search;

// Finds the floor of the first such root: the largest double not above it. False if there is none.
bool toi_find_first_root(toi_arena *arena, const toi_root_search *search, double *floor);

#endif
