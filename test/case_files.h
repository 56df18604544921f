// The gallery of cases (scenes/cases.h) as files: what writes test/cases and what reads it.

#ifndef TOI_TEST_CASE_FILES_H
#define TOI_TEST_CASE_FILES_H

#include "cases.h"
#include "toi/mesh.h"
#include "toi/truth.h"

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

// Files are kept for the first case of a family. The others are exact images of it: tests make
// their files anew, and only the hashes of these are kept.
bool is_image(const toi_case *about);

// Writes the truth of every image to NAME.truth in `folder`, and the hashes of these files to
// images.txt there.
toi_status write_images(const char *folder);

// Opens the truth of a case: a kept one from test/cases, an image from `images`, where
// write_images() has put it.
toi_status open_case(const toi_case *about, const char *images, toi_truth **truth);

// Writes the list of cases for people: the README of the folder.
toi_status write_case_list(const char *path);

#endif
