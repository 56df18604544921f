// The gallery of cases (scenes/cases.h) as files: what writes test/cases and what reads it.

#ifndef TOI_TEST_CASE_FILES_H
#define TOI_TEST_CASE_FILES_H

#include "cases.h"
#include "toi/mesh.h"

// A case as the generator makes it; free with free_case().
typedef struct moving_case
{
    toi_case about;
    toi_animation scene;
    toi_edge_array edges;
    toi_mesh mesh;
} moving_case;

toi_status make_case(int index, moving_case *made);
void free_case(moving_case *made);

// Writes the truth of a case: every candidate, whether it collides, and when.
toi_status write_case(const moving_case *made, const char *path);

// Writes the list of cases for people: the README of the folder.
toi_status write_case_list(const char *path);

#endif
