// What broad phases are compared on: a mesh between two frames, or a set of boxes.

#ifndef TOI_CLI_BENCH_BROAD_SCENE_H
#define TOI_CLI_BENCH_BROAD_SCENE_H

#include "frames.h"
#include "toi/boxes.h"

// Which scenes, one after the other.
typedef struct broad_source
{
    scene_choice scene; // its `begin` is negative unless given
    bool all;           // every scene and every set
    bool meshes_only;   // there are no sets: they have no impacts
    bool scaling;       // uniform boxes in growing numbers
    int64_t least;      // how many
    int64_t most;
    const char *label; // what files are called in tables; NULL: by their folder
} broad_source;

extern const option broad_scene_options[]; // values: a broad_source, besides frame_options

broad_source default_broad_source(void);

// What a file is called in tables: "cloth-ball" for scenes/cloth-ball/start.ply, for a file without
// a folder its own name.
void name_by_folder(const char *path, char *name, size_t size);

typedef struct broad_scene
{
    char name[48];      // for tables
    frames moving;      // a mesh, unless there is a set
    toi_box *boxes;     // a set; NULL: there is a mesh
    int64_t count;      // of all boxes: of the set, or of vertices, edges and faces
    double comparisons; // of all pairs, which is what brute force does
} broad_scene;

// How many scenes there are to open. TOI_ERROR_ARGUMENT where choices contradict each other. None
// is fine.
toi_status count_scenes(const broad_source *choice, const operand_list *operands, int *count);

// Opens scene number `index`. Close in any case.
toi_status open_scene(const broad_source *choice, const operand_list *operands, int index,
                      broad_scene *scene);
void close_scene(broad_scene *scene);

#endif
