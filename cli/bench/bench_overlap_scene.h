// What searches for intersecting faces are compared on: meshes at one instant, from files or of
// scenes.

#ifndef TOI_CLI_BENCH_OVERLAP_SCENE_H
#define TOI_CLI_BENCH_OVERLAP_SCENE_H

#include "frames.h"

// Which meshes, one after the other.
typedef struct overlap_source
{
    scene_choice scene; // the later of its two frames
    bool all;           // every scene
    bool scaling;       // cloth-ball in growing sizes
    int64_t least;      // faces
    int64_t most;
} overlap_source;

extern const option overlap_scene_options[]; // values: an overlap_source, besides frame_options

overlap_source default_overlap_source(void);

typedef struct overlap_scene
{
    char name[48]; // for tables
    toi_mesh mesh; // without edges
    // Where the vertices were a frame before; of a file: where they are.
    toi_point_view before;

    frames moving;
    toi_mesh_file file;
} overlap_scene;

// How many meshes there are to open. TOI_ERROR_ARGUMENT where choices contradict each other or
// there is none.
toi_status count_overlap_scenes(const overlap_source *choice, const operand_list *operands,
                                int *count);

// Opens mesh number `index`. Close in any case.
toi_status open_overlap_scene(const overlap_source *choice, const operand_list *operands, int index,
                              overlap_scene *scene);
void close_overlap_scene(overlap_scene *scene);

#endif
