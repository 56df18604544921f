// The sides of faces, sorted so that those of one edge are neighbours, and the parts that a mesh
// falls into.

#ifndef TOI_CLI_SIDES_H
#define TOI_CLI_SIDES_H

#include "toi/mesh.h"

typedef struct side
{
    int32_t low; // its vertices
    int32_t high;
    int32_t face;
    bool forward; // the face runs from low to high
} side;

typedef struct side_list
{
    side *data;
    int64_t count;
} side_list;

// Sides whose ends are the same vertex are left out. Free with toi_release(data).
toi_status list_sides(const int32_t (*faces)[3], int64_t count, side_list *sides);

// How many sides from number i on are of the same edge.
int64_t count_same_edge(const side_list *sides, int64_t i);

// Writes for every vertex the number of its part: of what faces and edges connect. Numbered from 0
// by their first vertices; -1 for vertices that no face and no edge names. Returns how many parts
// there are.
int32_t find_parts(const toi_mesh *mesh, int32_t *parts);

#endif
