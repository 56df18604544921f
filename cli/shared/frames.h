// The two frames a subcommand works on: from two files, or of a scene made in memory.

#ifndef TOI_CLI_FRAMES_H
#define TOI_CLI_FRAMES_H

#include "options.h"
#include "scenes.h"
#include "toi/io.h"
#include "toi/scene.h"

// Which scene, and which frames of it.
typedef struct scene_choice
{
    const char *scene; // NULL: files
    int64_t size;
    int64_t seed;
    double begin;
    int frames; // 0: two, or as many as `frame` needs
    int frame;  // -1: the last but one
} scene_choice;

extern const option scene_options[]; // --size, --seed, --begin, --frames
extern const option frame_options[]; // --scene, --frame and those

scene_choice default_scene_choice(void);

// The scene that is meant; TOI_ERROR_ARGUMENT where choices contradict each other.
toi_status choose_scene(const scene_choice *choice, toi_animation_def *def);

// Refuses files beside a scene, and a scene's options without one.
toi_status check_choice(const scene_choice *choice, const operand_list *operands);

// What of a path is the file's name.
const char *file_name(const char *path);

typedef struct frames
{
    toi_mesh mesh; // with its edges, those the files name themselves among them
    const double (*start)[3];
    const double (*end)[3];
    const int32_t (*faces)[3];
    const int32_t (*loose)[2]; // edges that the file or the scene names itself
    int64_t loose_count;
    const int32_t *groups; // the body of each vertex, or NULL
    bool scene;
    char name[128]; // what it is, for titles

    toi_mesh_file files[2];
    toi_animation made;
    toi_edge_array edges;
} frames;

// Loads what the choice or the operands name. Free in any case.
toi_status load_frames(const scene_choice *choice, const operand_list *operands, frames *f);
void free_frames(frames *f);

// A scene of a mesh that has its edges, for repeated calls.
toi_status make_kept_scene(const toi_mesh *mesh, toi_scene **scene);

#endif
