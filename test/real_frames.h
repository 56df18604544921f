// Two frames of the real data, as a mesh that moves.

#ifndef TOI_TEST_REAL_FRAMES_H
#define TOI_TEST_REAL_FRAMES_H

#include "support.h"
#include "toi/io.h"

typedef struct real_frames
{
    toi_mesh_file start, end;
    toi_edge_array edges;
    toi_mesh mesh; // with its edges
} real_frames;

// Loads two files below the folder of real data; false, after saying so, where there is none.
bool load_real_frames(const char *start, const char *end, real_frames *f);

// The same of scenes/NAME: start.ply and end.ply.
bool load_real_scene(const char *name, real_frames *f);

void free_real_frames(real_frames *f);

#endif
