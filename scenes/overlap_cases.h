/// @file
/// Small meshes at rest on which tests for intersecting faces are known to fail, each with the
/// answer that a person can derive, and random soups of faces. Part of toi_scenes; the bits do not
/// depend on compiler or platform.

#ifndef TOI_OVERLAP_CASES_H
#define TOI_OVERLAP_CASES_H

#include "solids.h"
#include "toi/overlap.h"

TOI_EXTERN_C_BEGIN

/// What is known of a case before any program has run.
typedef struct toi_overlap_case
{
    char name[64];      ///< "subdivided-ten": the family and the variant
    const char *family; ///< "subdivided": cases that differ by scale or by the names of axes only
    const char *about;  ///< what is true, and why
    int64_t pairs[TOI_OVERLAP_CLASS_COUNT]; ///< how many pairs of each class intersect
} toi_overlap_case;

/// How many cases there are.
int toi_overlap_case_count(void);

/// Case number `index`, in [0, toi_overlap_case_count()). Cases of a family follow each other.
toi_overlap_case toi_describe_overlap_case(int index);

/// Makes its mesh, to free with toi_free_solid(). TOI_ERROR_ARGUMENT where `index` is out of range.
toi_status toi_make_overlap_case(int index, toi_solid *solid);

/// A random soup of `faces` triangles. `side` above 0: corners on the lattice of the whole numbers
/// 0 .. side - 1, so that triangles without area, corners at the same place and faces in one plane
/// are many where it is small. 0: corners anywhere in the unit cube. In both some faces share
/// vertices, some name a vertex twice and some name the vertices of an earlier one.
toi_status toi_make_soup(int64_t faces, int side, uint64_t seed, toi_solid *solid);

TOI_EXTERN_C_END

#endif
