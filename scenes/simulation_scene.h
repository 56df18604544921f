// What a scene of a simulation consists of. A scene is a function that fills this in, and a line in
// the table of simulation_scenes.c.

#ifndef TOI_SCENES_SIMULATION_SCENE_H
#define TOI_SCENES_SIMULATION_SCENE_H

#include "rigid.h"
#include "simulation.h"

typedef struct simulation_scene
{
    toi_solid mesh;
    toi_field *field;
    rigid_body body; // all but its mass
    body_kind kind;
    double density;
    int cloth_cells; // 0: a rigid body; else the mesh is a plate of so many cells
    vec3 gravity;
    double gap;
    double reach; // contacts are collected up to this distance
    double parts; // a triangle is looked at in parts down to this share of the largest one's area
    double seconds;
    vec3 eye;
    vec3 target;
    double instants[TOI_SIMULATION_INSTANTS];
} simulation_scene;

typedef toi_status simulation_recipe(const toi_simulation_def *def, simulation_scene *scene);

typedef struct simulation_entry
{
    const char *name;
    const char *about;
    simulation_recipe *recipe;
    bool needs_data;
} simulation_entry;

// NULL past the last.
const simulation_entry *find_simulation(int index);

// A scene's mesh from a file under the folder of data, its points multiplied by `scale`.
toi_status load_solid(const toi_simulation_def *def, const char *path, double scale,
                      toi_solid *solid);

// ---------------------------------------------------------------------------------------------
// Fields out of parts: the first failure is kept, and all after it do nothing. Fields that are
// handed in are used up.

typedef struct field_maker
{
    toi_status status;
} field_maker;

toi_field *shape_field(field_maker *m, toi_shape shape, const double *numbers);
toi_field *joined_field(field_maker *m, toi_combination combination, toi_field *a, toi_field *b);
// Turned by `turns` about `axis`, then moved, then grown.
toi_field *placed_field(field_maker *m, toi_field *field, vec3 position, vec3 axis, double turns,
                        double offset);
toi_field *mesh_field(field_maker *m, const toi_solid *solid, int workers);

// Hands the field to the scene, and returns the first failure.
toi_status finish_field(const field_maker *m, toi_field *field, simulation_scene *scene);

#define SHAPE(maker, shape, ...) shape_field(maker, shape, (const double[]){__VA_ARGS__})

#endif
