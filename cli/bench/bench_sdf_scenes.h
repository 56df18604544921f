// The scenes of toi bench sdf: a mesh or single triangles, a field, and motions, each a question.

#ifndef TOI_CLI_BENCH_SDF_SCENES_H
#define TOI_CLI_BENCH_SDF_SCENES_H

#include "solids.h"
#include "toi/random.h"
#include "toi/sdf.h"

typedef double sdf_triangle[3][3];

typedef struct sdf_scene
{
    const char *name;
    char field_name[64];
    toi_solid solid;         // empty: every question has a triangle of its own
    sdf_triangle *triangles; // those
    toi_surface *surface;    // of the solid
    toi_field *field;
    toi_rigid *motions;
    int64_t count; // of questions
    double duration;
} sdf_scene;

// Names by number, NULL past the last.
const char *sdf_scene_name(int index);

// A line on each.
const char *sdf_scene_about(int index);

enum
{
    MOST_SDF_SCENES = 32
};

// Makes scene number `index` with `count` questions; 0: as many as it has. Free in any case. Where
// a scan is not found, a generated body stands in for it, and the field's name says so.
toi_status make_sdf_scene(int index, int64_t count, int workers, sdf_scene *scene);
void free_sdf_scene(sdf_scene *scene);

// A step at 60 steps a second, and the torus of the literature: 30 cm wide.
#define SDF_STEP (1.0 / 60)
#define SDF_RING 0.11
#define SDF_TUBE 0.04

// A body thrown at the ring of that torus from 32 cm, at 20 to 60 m/s, with up to one turn a step.
toi_rigid throw_at_torus(toi_random *random);

// A triangle some 10 cm wide about the origin.
void make_random_triangle(toi_random *random, sdf_triangle corners);

#endif
