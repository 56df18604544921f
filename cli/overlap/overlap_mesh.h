// The mesh at one instant that a subcommand looks at: a file, two files side by side, or a frame of
// a scene.

#ifndef TOI_CLI_OVERLAP_MESH_H
#define TOI_CLI_OVERLAP_MESH_H

#include "frames.h"

typedef struct instant
{
    toi_mesh mesh;
    const double (*points)[3];
    const int32_t (*faces)[3];
    toi_filter filter;   // of two files: only pairs between them
    int64_t first_faces; // of two files: the faces of the first come first, so many
    bool two;
    bool scene;
    char name[260]; // for titles

    frames one;
    toi_mesh_file files[2];
    double (*joined_points)[3];
    int32_t (*joined_faces)[3];
    int32_t *groups;
} instant;

// Loads what the choice or the operands, at most two, name. Free in any case.
toi_status load_instant_mesh(const scene_choice *choice, const operand_list *operands, instant *m);
void free_instant_mesh(instant *m);

#endif
