// What of a picture shows pairs of faces that intersect: the faces, and the lines they have in
// common.

#ifndef TOI_CLI_OVERLAP_PICTURE_H
#define TOI_CLI_OVERLAP_PICTURE_H

#include "picture.h"
#include "toi/overlap.h"

// A growable list of lines. Start from a zeroed one; free with toi_release(data).
typedef struct line_list
{
    picture_line *data;
    int64_t count;
    int64_t capacity;
} line_list;

toi_status add_line(line_list *lines, const double from[3], const double to[3], int32_t kind);

// Adds what each pair has in common: a segment, the border of a polygon, or a point.
toi_status add_figures(line_list *lines, const toi_mesh *mesh, const toi_overlap *pairs,
                       int64_t count, int32_t kind);

#endif
