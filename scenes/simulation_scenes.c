// The scenes of simulations, metres and seconds: those of "Triangle-SDF continuous collision
// detection" (Pelletier-Guenette et al.) and a nut on a bolt.

#include "simulation_scene.h"

#include "skateboard.h"
#include "threads.h"
#include "wave.h"

#include <string.h>

static const vec3 DOWN = {0.0, 0.0, -9.81};
static const vec3 X = {1.0, 0.0, 0.0};
static const vec3 Y = {0.0, 1.0, 0.0};
static const vec3 Z = {0.0, 0.0, 1.0};
static const double TURN = 6.283185307179586476925;

static void set_body(simulation_scene *scene, vec3 position, vec3 velocity, vec3 spin)
{
    put3(scene->body.at.position, position);
    put3(scene->body.at.velocity, velocity);
    put3(scene->body.at.spin, spin);
}

static void turn_body(simulation_scene *scene, vec3 axis, double turns)
{
    wave half = scene_wave(0.5 * turns);
    scene->body.at.rotation[0] = half.cos;
    put3(scene->body.at.rotation + 1, scale3(half.sin, unit3(axis)));
}

// What a scene does not say otherwise.
static void set_defaults(simulation_scene *scene)
{
    scene->density = 1000.0;
    scene->gravity = DOWN;
    scene->gap = 1e-4;
    scene->reach = 1e-3;
    scene->parts = 0.1;
    scene->body.friction = 0.5;
    scene->body.restitution = 0.2;
}

static void set_view(simulation_scene *scene, vec3 eye, vec3 target, double seconds)
{
    scene->eye = eye;
    scene->target = target;
    scene->seconds = seconds;
    for (int i = 0; i < TOI_SIMULATION_INSTANTS; ++i)
        scene->instants[i] = seconds * i / (TOI_SIMULATION_INSTANTS - 1);
}

static void set_instants(simulation_scene *scene, const double *instants)
{
    memcpy(scene->instants, instants, sizeof scene->instants);
}

// The bunny stands on its feet and is 1 high; a ball with bumps where there is none.
static toi_status make_figure(const toi_simulation_def *def, double height, toi_solid *solid)
{
    if (!def->data || load_solid(def, "meshes/bunny.ply", 1.0, solid) != TOI_OK)
        return toi_make_bumpy_ball(16, 0.4 * height, solid);
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int64_t i = 0; i < solid->point_count; ++i)
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], solid->points[i][k]);
            high[k] = fmax(high[k], solid->points[i][k]);
        }
    double scale = height / (high[1] - low[1]);
    for (int64_t i = 0; i < solid->point_count; ++i) {
        double *p = solid->points[i];
        vec3 from_middle = {p[0] - 0.5 * (low[0] + high[0]), p[1] - 0.5 * (low[1] + high[1]),
                            p[2] - 0.5 * (low[2] + high[2])};
        put3(p, scale3(scale, (vec3){from_middle.x, -from_middle.z, from_middle.y}));
    }
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Bodies that are too fast, too sharp or too well fitted for a look at the end of a step

// A torso: a chest over a waist.
static toi_field *torso(field_maker *m, double offset)
{
    toi_field *chest = SHAPE(m, TOI_SHAPE_CAPSULE, 0.15, 0.07);
    chest = placed_field(m, chest, (vec3){0.0, 0.0, 0.1}, X, 0.25, 0.0);
    toi_field *waist = SHAPE(m, TOI_SHAPE_CAPSULE, 0.13, 0.12);
    waist = placed_field(m, waist, (vec3){0.0, 0.0, -0.1}, Z, 0.0, 0.0);
    toi_field *both = joined_field(m, TOI_COMBINE_UNION, chest, waist);
    return placed_field(m, both, (vec3){0}, Z, 0.0, offset);
}

// A shell 5 mm thick: the front half of a torso, without neck, arms and what is below the belt.
static toi_status breastplate(simulation_scene *scene)
{
    field_maker m = {0};
    toi_field *shell = joined_field(&m, TOI_COMBINE_DIFFERENCE, torso(&m, 0.0), torso(&m, -0.005));
    toi_field *front = SHAPE(&m, TOI_SHAPE_BOX, 0.2, 0.3, 0.22);
    front = placed_field(&m, front, (vec3){0.2, 0.0, 0.02}, Z, 0.0, 0.0);
    shell = joined_field(&m, TOI_COMBINE_INTERSECTION, shell, front);
    toi_field *neck =
        placed_field(&m, SHAPE(&m, TOI_SHAPE_SPHERE, 0.1), (vec3){0.02, 0.0, 0.26}, Z, 0.0, 0.0);
    shell = joined_field(&m, TOI_COMBINE_DIFFERENCE, shell, neck);
    for (int side = -1; side <= 1; side += 2) {
        toi_field *arm = SHAPE(&m, TOI_SHAPE_SPHERE, 0.095);
        arm = placed_field(&m, arm, (vec3){0.03, 0.22 * side, 0.16}, Z, 0.0, 0.0);
        shell = joined_field(&m, TOI_COMBINE_DIFFERENCE, shell, arm);
    }
    return finish_field(&m, shell, scene);
}

// At the end of its first step at 60 a second it is halfway through the shell.
static toi_status make_shuriken(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    set_defaults(scene);
    scene->density = 7800.0;
    scene->body.friction = 0.6;
    scene->body.restitution = 0.05;
    set_body(scene, (vec3){0.165 + 500.0 / 60, 0.02, 0.09}, (vec3){-500.0, 0.0, 0.0},
             (vec3){0.0, 0.0, 40.0});
    set_view(scene, (vec3){0.43, -0.32, 0.42}, (vec3){0.13, 0.0, 0.06}, 0.1);
    set_instants(scene, (const double[]){0.01645, 0.01655, 1.0 / 60, 0.0168, 0.0172, 0.018});
    toi_status status = toi_make_shuriken(111, 0.05, &scene->mesh);
    return status == TOI_OK ? breastplate(scene) : status;
}

static toi_status make_pyramid(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    field_maker m = {0};
    set_defaults(scene);
    turn_body(scene, (vec3){1.0, 0.1, 0.0}, 0.47);
    set_body(scene, (vec3){0.0, 0.0, 1.3}, (vec3){0}, (vec3){0});
    set_view(scene, (vec3){0.95, -1.2, 0.62}, (vec3){0.0, 0.0, 0.2}, 1.5);
    set_instants(scene, (const double[]){0.3, 23.0 / 60, 24.0 / 60, 0.6, 0.75, 1.5});
    toi_field *box = SHAPE(&m, TOI_SHAPE_BOX, 0.6, 0.6, 0.1);
    toi_status status = toi_make_pyramid(6, 0.22, 0.5, &scene->mesh);
    toi_status made = finish_field(&m, box, scene);
    return status == TOI_OK ? made : status;
}

// A body full of holes, thin all over.
static toi_status make_bunny(const toi_simulation_def *def, simulation_scene *scene)
{
    field_maker m = {0};
    set_defaults(scene);
    turn_body(scene, Y, 0.45);
    set_body(scene, (vec3){0.0, 0.03, 0.85}, (vec3){0.0, 0.0, -2.0}, (vec3){0});
    set_view(scene, (vec3){0.95, -1.15, 0.75}, (vec3){0.0, 0.0, 0.2}, 1.6);
    set_instants(scene, (const double[]){0.1, 0.15, 0.2, 0.3, 0.5, 1.6});
    toi_field *lattice = SHAPE(&m, TOI_SHAPE_GYROID, 0.2, 0.02);
    toi_field *ball = SHAPE(&m, TOI_SHAPE_CYLINDER, 0.42, 0.16);
    toi_field *both = joined_field(&m, TOI_COMBINE_INTERSECTION, lattice, ball);
    toi_status made = finish_field(&m, both, scene);
    toi_status status = make_figure(def, 0.3, &scene->mesh);
    return status == TOI_OK ? made : status;
}

// The hoop's sides touch the circle that they are around, which is the sphere's equator.
static toi_status make_hoop(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    enum
    {
        SIDES = 48
    };
    field_maker m = {0};
    set_defaults(scene);
    scene->kind = BODY_SHEET;
    scene->density = 5.0;
    scene->body.restitution = 0.0;
    scene->body.friction = 0.0;
    set_body(scene, (vec3){0.0, 0.0, 1.9}, (vec3){0.0, 0.0, -10.0}, (vec3){0});
    set_view(scene, (vec3){3.6, -4.6, 2.4}, (vec3){0.0, 0.0, 0.35}, 1.0);
    set_instants(scene, (const double[]){0.0, 0.1, 10.0 / 60, 11.0 / 60, 0.25, 1.0});
    toi_status made = finish_field(&m, SHAPE(&m, TOI_SHAPE_SPHERE, 1.0), scene);
    toi_status status = toi_make_hoop(SIDES, 1.0 / scene_wave(0.5 / SIDES).cos, 0.04, &scene->mesh);
    return status == TOI_OK ? made : status;
}

// A full turn in every step at 60 a second; a box stands in the way of the tip.
static toi_status make_full_turn(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    field_maker m = {0};
    set_defaults(scene);
    scene->gravity = (vec3){0};
    scene->body.restitution = 0.3;
    turn_body(scene, Y, 0.25);
    set_body(scene, (vec3){-0.125, 0.0, 0.0}, (vec3){0}, (vec3){0.0, 0.0, TURN * 60});
    set_view(scene, (vec3){0.35, -0.85, 1.0}, (vec3){0.03, 0.13, 0.0}, 0.2);
    set_instants(scene, (const double[]){0.0, 0.002, 0.004, 0.006, 0.012, 1.0 / 60});
    toi_field *box = SHAPE(&m, TOI_SHAPE_BOX, 0.12, 0.12, 0.12);
    box = placed_field(&m, box, (vec3){0.1, 0.4, 0.0}, Z, 0.0, 0.0);
    toi_status status = toi_make_pyramid(4, 0.15, 0.5, &scene->mesh);
    toi_status made = finish_field(&m, box, scene);
    return status == TOI_OK ? made : status;
}

// A ramp, and below it a rail to land on.
static toi_status make_skateboard(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    field_maker m = {0};
    set_defaults(scene);
    scene->density = 500.0;
    scene->body.friction = 0.08;
    scene->body.restitution = 0.1;
    turn_body(scene, Y, 25.0 / 360);
    set_body(scene, (vec3){-1.05, 0.0, 0.95}, (vec3){0}, (vec3){0});
    set_view(scene, (vec3){1.4, -2.7, 1.5}, (vec3){0.15, 0.0, 0.3}, 1.5);
    set_instants(scene, (const double[]){0.0, 0.5, 0.8, 0.9, 1.1, 1.3});
    toi_field *ramp = SHAPE(&m, TOI_SHAPE_BOX, 0.7, 0.35, 0.03);
    ramp = placed_field(&m, ramp, (vec3){-0.9, 0.0, 0.7}, Y, 25.0 / 360, 0.0);
    toi_field *rail = SHAPE(&m, TOI_SHAPE_CAPSULE, 0.03, 0.7);
    rail = placed_field(&m, rail, (vec3){0.55, 0.0, 0.2}, Y, 0.25 + 8.0 / 360, 0.0);
    toi_field *post = SHAPE(&m, TOI_SHAPE_CYLINDER, 0.02, 0.1);
    post = placed_field(&m, post, (vec3){0.6, 0.0, 0.1}, Z, 0.0, 0.0);
    toi_field *all = joined_field(&m, TOI_COMBINE_UNION, ramp, rail);
    all = joined_field(&m, TOI_COMBINE_UNION, all, post);
    toi_field *floor_field = SHAPE(&m, TOI_SHAPE_BOX, 2.2, 1.0, 0.05);
    floor_field = placed_field(&m, floor_field, (vec3){0.4, 0.0, -0.05}, Z, 0.0, 0.0);
    all = joined_field(&m, TOI_COMBINE_UNION, all, floor_field);
    toi_status made = finish_field(&m, all, scene);
    toi_status status = toi_make_skateboard(0.8, &scene->mesh);
    return status == TOI_OK ? made : status;
}

// ---------------------------------------------------------------------------------------------
// Bodies that rest on many points of few triangles

static toi_status make_box_on_spikes(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    field_maker m = {0};
    set_defaults(scene);
    scene->parts = 0.0;
    scene->body.restitution = 0.0;
    turn_body(scene, (vec3){0.05, 0.02, 1.0}, 0.06);
    set_body(scene, (vec3){0.013, 0.021, 0.2}, (vec3){0}, (vec3){0});
    set_view(scene, (vec3){0.65, -0.95, 0.28}, (vec3){0.0, 0.0, 0.05}, 2.0);
    set_instants(scene, (const double[]){0.0, 0.12, 0.2, 0.4, 1.0, 2.0});
    toi_field *spikes = SHAPE(&m, TOI_SHAPE_SPIKES, 0.1, 0.08, 0.035);
    toi_field *block = SHAPE(&m, TOI_SHAPE_BOX, 0.5, 0.5, 0.2);
    block = placed_field(&m, block, (vec3){0.0, 0.0, -0.05}, Z, 0.0, 0.0);
    spikes = joined_field(&m, TOI_COMBINE_INTERSECTION, spikes, block);
    toi_status made = finish_field(&m, spikes, scene);
    toi_status status = toi_make_block((const double[]){0.32, 0.24, 0.012}, &scene->mesh);
    return status == TOI_OK ? made : status;
}

static toi_status one_triangle(toi_solid *solid)
{
    static const double corners[3][3] = {{0.3, 0.0, 0.0}, {-0.2, 0.25, 0.0}, {-0.15, -0.3, 0.0}};
    *solid = (toi_solid){.point_count = 3, .face_count = 1};
    solid->points = toi_allocate(sizeof corners);
    solid->faces = toi_allocate(sizeof *solid->faces);
    if (!solid->points || !solid->faces) {
        toi_free_solid(solid);
        return TOI_ERROR_MEMORY;
    }
    memcpy(solid->points, corners, sizeof corners);
    memcpy(solid->faces[0], (const int32_t[]){0, 1, 2}, sizeof solid->faces[0]);
    return TOI_OK;
}

static toi_status make_flat_triangle(const toi_simulation_def *def, simulation_scene *scene)
{
    (void)def;
    field_maker m = {0};
    set_defaults(scene);
    scene->kind = BODY_SHEET;
    scene->density = 5.0;
    scene->body.restitution = 0.0;
    set_body(scene, (vec3){0.0, 0.0, 0.27}, (vec3){0}, (vec3){0});
    set_view(scene, (vec3){0.7, -0.95, 0.5}, (vec3){0.0, 0.0, 0.03}, 1.0);
    set_instants(scene, (const double[]){0.0, 0.12, 11.0 / 60, 12.0 / 60, 0.4, 1.0});
    toi_field *box = SHAPE(&m, TOI_SHAPE_BOX, 0.4, 0.4, 0.1);
    toi_status made = finish_field(&m, box, scene);
    toi_status status = one_triangle(&scene->mesh);
    return status == TOI_OK ? made : status;
}

static toi_status make_cloth(const toi_simulation_def *def, simulation_scene *scene)
{
    enum
    {
        CELLS = 36
    };
    field_maker m = {0};
    toi_solid figure = {0};
    set_defaults(scene);
    scene->gap = 5e-4;
    scene->reach = 2e-3;
    scene->parts = 0.3;
    scene->cloth_cells = CELLS;
    set_view(scene, (vec3){0.7, -1.05, 0.75}, (vec3){0.0, 0.0, -0.03}, 1.2);
    set_instants(scene, (const double[]){0.0, 0.2, 0.3, 0.45, 0.7, 1.2});
    toi_status status = make_figure(def, 0.4, &figure);
    if (status == TOI_OK)
        status = toi_make_plate(CELLS, 0.8, &scene->mesh);
    for (int64_t i = 0; i < scene->mesh.point_count; ++i)
        scene->mesh.points[i][2] += 0.25;
    m.status = status;
    status = finish_field(&m, mesh_field(&m, &figure, def->workers), scene);
    toi_free_solid(&figure);
    return status;
}

// ---------------------------------------------------------------------------------------------
// A nut on a bolt

// Turned down as if by hand.
static void drive_nut(simulation_scene *scene, double turns_a_second)
{
    scene->density = 7800.0;
    scene->body.friction = 0.05;
    scene->body.restitution = 0.0;
    scene->gap = 3e-5;
    scene->reach = 1e-4;
    scene->body.drive = (motor){Z, -TURN * turns_a_second, 0.02};
}

static toi_status make_nut(const toi_simulation_def *def, simulation_scene *scene)
{
    static const toi_thread thread = {0.008, 0.002, 0.0004, 36};
    const double head = 0.006, length = 0.03, height = 0.008;
    field_maker m = {0};
    toi_solid bolt = {0};
    double lift = 0.0;
    set_defaults(scene);
    drive_nut(scene, 1.0);
    toi_status status = toi_make_bolt(&thread, head, length, &bolt);
    if (status == TOI_OK)
        status = toi_make_nut(&thread, head, height, &scene->mesh, &lift);
    set_body(scene, (vec3){0.0, 0.0, lift + 6 * thread.pitch}, (vec3){0}, (vec3){0});
    set_view(scene, (vec3){0.04, -0.06, 0.045}, (vec3){0.0, 0.0, 0.014}, 1.2);
    m.status = status;
    status = finish_field(&m, mesh_field(&m, &bolt, def->workers), scene);
    toi_free_solid(&bolt);
    return status;
}

static toi_status make_nut_m16(const toi_simulation_def *def, simulation_scene *scene)
{
    field_maker m = {0};
    toi_solid bolt = {0};
    set_defaults(scene);
    drive_nut(scene, 0.5);
    toi_status status = load_solid(def, "meshes/bolt_m16.obj", 1.0, &bolt);
    scene->gap = 2e-6; // the files leave 0.01 mm of play
    scene->reach = 2e-5;
    if (status == TOI_OK)
        status = load_solid(def, "meshes/nut_m16.obj", 1.0, &scene->mesh);
    set_body(scene, (vec3){0.0, 0.0, 0.008}, (vec3){0}, (vec3){0});
    set_view(scene, (vec3){0.05, -0.07, 0.065}, (vec3){0.0, 0.0, 0.02}, 2.0);
    m.status = status;
    status = finish_field(&m, mesh_field(&m, &bolt, def->workers), scene);
    toi_free_solid(&bolt);
    return status;
}

static const simulation_entry ENTRIES[] = {
    {"shuriken", "a throwing star of 888 triangles hits a breastplate of 5 mm at 500 m/s",
     make_shuriken, false},
    {"skateboard", "a skateboard slides down a ramp onto a rail", make_skateboard, false},
    {"pyramid", "a pyramid of ten triangles falls on a box, tip first", make_pyramid, false},
    {"bunny", "a bunny falls on a lattice full of holes, ears first", make_bunny, false},
    {"hoop", "a hoop falls over a sphere of exactly its own radius", make_hoop, false},
    {"cloth", "a cloth falls on a bunny", make_cloth, false},
    {"box-on-spikes", "a thin box of twelve triangles falls on spikes and rests on their tips",
     make_box_on_spikes, false},
    {"flat-triangle", "one triangle falls flat on a box", make_flat_triangle, false},
    {"full-turn", "a pyramid makes a full turn in every step, a box in its way", make_full_turn,
     false},
    {"nut", "a nut is turned down a bolt, 0.2 mm of play", make_nut, false},
    {"nut-m16", "the same with meshes of a real M16 nut and bolt, 0.01 mm of play", make_nut_m16,
     true},
};

const simulation_entry *find_simulation(int index)
{
    return index >= 0 && index < (int)(sizeof ENTRIES / sizeof *ENTRIES) ? &ENTRIES[index] : NULL;
}
