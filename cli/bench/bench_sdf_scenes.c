// Makes the scenes of toi bench sdf from seeds, and from a scan where it is found.

#include "bench_sdf_scenes.h"

#include "wave.h"

#include "toi/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double TURN = 6.283185307179586476925;

// ---------------------------------------------------------------------------------------------
// Motions

static toi_rigid body_at(vec3 place, vec3 velocity, vec3 spin)
{
    toi_rigid body = toi_rest();
    put3(body.position, place);
    put3(body.velocity, velocity);
    put3(body.spin, spin);
    return body;
}

static vec3 random_spin(toi_random *random, double least, double most)
{
    double rate = toi_random_range(random, least, most);
    return scale3(rate, scene_direction(random));
}

toi_rigid throw_at_torus(toi_random *random)
{
    vec3 from = scale3(0.32, scene_direction(random));
    wave around = scene_wave(toi_random_unit(random));
    vec3 aim = {SDF_RING * around.cos, SDF_RING * around.sin, 0};
    double speed = toi_random_range(random, 20, 60);
    vec3 spin = random_spin(random, 0, TURN / SDF_STEP);
    return body_at(from, scale3(speed, unit3(sub3(aim, from))), spin);
}

void make_random_triangle(toi_random *random, sdf_triangle corners)
{
    vec3 p[3], normal;
    do {
        for (int i = 0; i < 3; ++i)
            p[i] = scale3(0.0577, scene_direction(random));
        normal = cross3(sub3(p[1], p[0]), sub3(p[2], p[0]));
    } while (length3(normal) < 1e-3); // slivers are another study
    for (int i = 0; i < 3; ++i)
        put3(corners[i], p[i]);
}

// Towards the origin from a place `far` away, aimed at a ball of radius `wide` about it.
static toi_rigid throw_at_ball(toi_random *random, vec3 middle, double far, double wide)
{
    vec3 from = scale3(far, scene_direction(random));
    vec3 aim = scale3(wide, scene_direction(random));
    double share = toi_random_range(random, 1, 2);
    vec3 velocity = scale3(share / SDF_STEP, sub3(aim, from));
    vec3 spin = random_spin(random, 0, 0.5 * TURN / SDF_STEP);
    return body_at(add3(middle, from), velocity, spin);
}

// ---------------------------------------------------------------------------------------------
// Memory

static toi_status take_questions(sdf_scene *scene, int64_t wanted, int64_t usual, bool triangles)
{
    scene->count = wanted > 0 ? wanted : usual;
    scene->duration = SDF_STEP;
    scene->motions = toi_allocate((size_t)scene->count * sizeof *scene->motions);
    scene->triangles =
        triangles ? toi_allocate((size_t)scene->count * sizeof *scene->triangles) : NULL;
    return scene->motions && (scene->triangles || !triangles) ? TOI_OK : TOI_ERROR_MEMORY;
}

static toi_status make_field(sdf_scene *scene, toi_shape shape, const double *numbers)
{
    snprintf(scene->field_name, sizeof scene->field_name, "%s", toi_shape_name(shape));
    return toi_make_shape(shape, numbers, toi_shape_numbers(shape), &scene->field);
}

static double lowest_point(const toi_solid *solid)
{
    double low = 0;
    for (int64_t i = 0; i < solid->point_count; ++i)
        low = fmin(low, solid->points[i][2]);
    return low;
}

// ---------------------------------------------------------------------------------------------
// Torus

static toi_status make_torus(sdf_scene *scene)
{
    const double numbers[] = {SDF_RING, SDF_TUBE};
    return make_field(scene, TOI_SHAPE_TORUS, numbers);
}

static toi_status make_triangle_torus(const int *numbers, int64_t count, int workers,
                                      sdf_scene *scene)
{
    (void)numbers, (void)workers;
    toi_random random = {12345};
    toi_status status = take_questions(scene, count, 1024, true);
    for (int64_t i = 0; i < scene->count && status == TOI_OK; ++i) {
        make_random_triangle(&random, scene->triangles[i]);
        scene->motions[i] = throw_at_torus(&random);
    }
    return status == TOI_OK ? make_torus(scene) : status;
}

static toi_status make_shuriken_torus(const int *numbers, int64_t count, int workers,
                                      sdf_scene *scene)
{
    (void)numbers, (void)workers;
    toi_random random = {99};
    toi_status status = take_questions(scene, count, 256, false);
    for (int64_t i = 0; i < scene->count && status == TOI_OK; ++i)
        scene->motions[i] = throw_at_torus(&random);
    if (status == TOI_OK)
        status = toi_make_shuriken(111, 0.05, &scene->solid);
    return status == TOI_OK ? make_torus(scene) : status;
}

// ---------------------------------------------------------------------------------------------
// Spikes

#define SPIKE_SPACING 0.05
#define SPIKE_HEIGHT 0.05
#define SPIKE_RADIUS 0.02

static toi_status make_spikes(sdf_scene *scene)
{
    const double numbers[] = {SPIKE_SPACING, SPIKE_HEIGHT, SPIKE_RADIUS};
    return make_field(scene, TOI_SHAPE_SPIKES, numbers);
}

static toi_rigid fall_on_spikes(toi_random *random, double low, bool fast)
{
    double x = toi_random_range(random, 0, SPIKE_SPACING);
    double y = toi_random_range(random, 0, SPIKE_SPACING);
    double speed = fast ? toi_random_range(random, 10, 40) : toi_random_range(random, 2, 4);
    double side_x = toi_random_range(random, -0.3, 0.3);
    double side_y = toi_random_range(random, -0.3, 0.3);
    vec3 spin = fast ? random_spin(random, 50, 300) : random_spin(random, 0, 10);
    return body_at((vec3){x, y, SPIKE_HEIGHT - low + 0.02},
                   scale3(speed, (vec3){side_x, side_y, -1}), spin);
}

// Numbers: cells of the bumpy ball, and whether it is fast.
static toi_status make_ball_spikes(const int *numbers, int64_t count, int workers, sdf_scene *scene)
{
    (void)workers;
    toi_random random = {7};
    toi_status status = take_questions(scene, count, 20, false);
    if (status == TOI_OK)
        status = toi_make_bumpy_ball(numbers[0], 0.1, &scene->solid);
    double low = status == TOI_OK ? lowest_point(&scene->solid) : 0;
    for (int64_t i = 0; i < scene->count && status == TOI_OK; ++i)
        scene->motions[i] = fall_on_spikes(&random, low, numbers[1] != 0);
    return status == TOI_OK ? make_spikes(scene) : status;
}

// Numbers: cells of the plate, and whether it slides a hair above the tips or falls on them.
static toi_status make_plate_spikes(const int *numbers, int64_t count, int workers,
                                    sdf_scene *scene)
{
    (void)workers, (void)count;
    bool slides = numbers[1] != 0;
    toi_status status = take_questions(scene, 1, 1, false);
    if (status == TOI_OK)
        status = toi_make_plate(numbers[0], 1.47, &scene->solid);
    if (status != TOI_OK)
        return status;
    double height = slides ? SPIKE_HEIGHT + 1e-12 : SPIKE_HEIGHT + 0.02;
    vec3 velocity = slides ? (vec3){3, 0, 0} : (vec3){0, 0, -3};
    scene->motions[0] =
        body_at((vec3){slides ? 0.01 : 0, slides ? 0.02 : 0, height}, velocity, (vec3){0, 0, 0});
    return make_spikes(scene);
}

// ---------------------------------------------------------------------------------------------
// A hoop as wide as a sphere

// Numbers: corners of the hoop.
static toi_status make_hoop_sphere(const int *numbers, int64_t count, int workers, sdf_scene *scene)
{
    (void)workers, (void)count;
    const double radius = 1;
    toi_status status = take_questions(scene, 1, 1, false);
    // The middles of its sides graze the sphere, all at the same time.
    double corners = 1 / scene_wave(0.5 / numbers[0]).cos;
    if (status == TOI_OK)
        status = toi_make_hoop(numbers[0], corners, 0.1, &scene->solid);
    if (status != TOI_OK)
        return status;
    scene->motions[0] = body_at((vec3){0, 0, 0.7}, (vec3){0, 0, -60}, (vec3){0, 0, 0});
    return make_field(scene, TOI_SHAPE_SPHERE, &radius);
}

// ---------------------------------------------------------------------------------------------
// Meshes as fields

// A scan where it is found, else a generated body.
typedef struct figure
{
    toi_mesh_file file;
    toi_solid solid;
    toi_point_view points;
    toi_index_view faces;
    const char *name;
} figure;

static toi_status find_figure(figure *f)
{
    char path[1024];
    const char *root = getenv("TOI_DATA");
    snprintf(path, sizeof path, "%s/meshes/bunny.ply", root && *root ? root : "../shared/data");
    *f = (figure){.name = "bunny"};
    FILE *file = fopen(path, "rb");
    if (!file) {
        f->name = "bumpy ball";
        toi_status status = toi_make_bumpy_ball(80, 0.5, &f->solid);
        f->points = toi_solid_points(&f->solid);
        f->faces = toi_solid_faces(&f->solid);
        return status;
    }
    fclose(file);
    toi_status status = toi_read_mesh(path, &f->file);
    f->points = toi_view_points((const double *)f->file.points, f->file.point_count);
    f->faces = (toi_index_view){(const int32_t *)f->file.faces, f->file.face_count, 0};
    return status;
}

static void free_figure(figure *f)
{
    toi_free_mesh_file(&f->file);
    toi_free_solid(&f->solid);
}

// Its box: the middle, and half its longest side.
static double measure_figure(const figure *f, vec3 *middle)
{
    const double *points = f->points.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < f->points.count; ++i)
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], points[3 * i + k]);
            high[k] = fmax(high[k], points[3 * i + k]);
        }
    *middle = (vec3){0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
    return 0.5 * fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

// A grid of so many cells, or the mesh itself for 0.
static toi_status make_figure_field(const figure *f, int resolution, int workers, sdf_scene *scene)
{
    if (resolution == 0) {
        snprintf(scene->field_name, sizeof scene->field_name, "%s mesh", f->name);
        return toi_make_mesh_field(f->points, f->faces, workers, NULL, &scene->field);
    }
    snprintf(scene->field_name, sizeof scene->field_name, "%s grid %d", f->name, resolution);
    toi_bake_def def = toi_default_bake_def();
    def.resolution = resolution;
    def.workers = workers;
    return toi_bake_field(&def, f->points, f->faces, NULL, &scene->field);
}

// What flies at the figure: single triangles, or a bumpy ball, both a tenth to a fifth as wide.
static toi_status make_visitors(int cells, int64_t count, vec3 middle, double half,
                                sdf_scene *scene)
{
    toi_random random = {2024};
    bool single = cells == 0;
    toi_status status = take_questions(scene, count, single ? 256 : 20, single);
    for (int64_t i = 0; i < scene->count && status == TOI_OK; ++i) {
        scene->motions[i] = throw_at_ball(&random, middle, 2 * half, 0.5 * half);
        if (single)
            make_random_triangle(&random, scene->triangles[i]);
        for (int k = 0; k < 9 && single; ++k)
            scene->triangles[i][k / 3][k % 3] *= 0.2 * half / 0.0577;
    }
    if (status == TOI_OK && !single)
        status = toi_make_bumpy_ball(cells, 0.2 * half, &scene->solid);
    return status;
}

// Numbers: cells of the bumpy ball (0: triangles), and the grid's resolution (0: the mesh itself).
static toi_status make_figure_scene(const int *numbers, int64_t count, int workers,
                                    sdf_scene *scene)
{
    figure f;
    vec3 middle;
    toi_status status = find_figure(&f);
    if (status == TOI_OK) {
        double half = measure_figure(&f, &middle);
        status = make_visitors(numbers[0], count, middle, half, scene);
    }
    if (status == TOI_OK)
        status = make_figure_field(&f, numbers[1], workers, scene);
    free_figure(&f);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The table

typedef toi_status make_scene_fn(const int *numbers, int64_t count, int workers, sdf_scene *scene);

static const struct
{
    const char *name;
    const char *about;
    make_scene_fn *make;
    int numbers[2];
} scenes[] = {
    {"triangle-torus", "a triangle thrown at a torus", make_triangle_torus, {0}},
    {"shuriken-torus", "a shuriken of 888 triangles thrown at a torus", make_shuriken_torus, {0}},
    {"spikes-1k", "a bumpy ball on spikes, 2 to 4 m/s", make_ball_spikes, {9, 0}},
    {"spikes-10k", "likewise", make_ball_spikes, {29, 0}},
    {"spikes-100k", "likewise", make_ball_spikes, {91, 0}},
    {"spikes-1k-fast", "10 to 40 m/s, 50 to 300 rad/s", make_ball_spikes, {9, 1}},
    {"spikes-10k-fast", "likewise", make_ball_spikes, {29, 1}},
    {"spikes-100k-fast", "likewise", make_ball_spikes, {91, 1}},
    {"plate-falls", "a plate of 100k falls flat on 841 tips", make_plate_spikes, {224, 0}},
    {"plate-slides", "it slides 1e-12 above them", make_plate_spikes, {224, 1}},
    {"hoop", "2048 triangles graze a sphere as wide as they", make_hoop_sphere, {1024, 0}},
    {"triangle-grid", "a triangle on a baked grid, 64", make_figure_scene, {0, 64}},
    {"ball-grid", "100k triangles on a baked grid, 128", make_figure_scene, {91, 128}},
    {"triangle-mesh", "a triangle on a mesh as its own field", make_figure_scene, {0, 0}},
    {"ball-mesh", "100k triangles on it", make_figure_scene, {91, 0}},
};

enum
{
    SCENE_COUNT = sizeof scenes / sizeof *scenes
};
_Static_assert((int)SCENE_COUNT <= (int)MOST_SDF_SCENES, "room for all");

const char *sdf_scene_name(int index)
{
    return index < SCENE_COUNT ? scenes[index].name : NULL;
}

const char *sdf_scene_about(int index)
{
    return index < SCENE_COUNT ? scenes[index].about : NULL;
}

toi_status make_sdf_scene(int index, int64_t count, int workers, sdf_scene *scene)
{
    *scene = (sdf_scene){.name = scenes[index].name};
    toi_status status = scenes[index].make(scenes[index].numbers, count, workers, scene);
    if (status == TOI_OK && scene->solid.face_count > 0)
        status = toi_make_surface(toi_solid_points(&scene->solid), toi_solid_faces(&scene->solid),
                                  workers, &scene->surface);
    return status;
}

void free_sdf_scene(sdf_scene *scene)
{
    toi_free_surface(scene->surface);
    toi_free_field(scene->field);
    toi_free_solid(&scene->solid);
    toi_release(scene->motions);
    toi_release(scene->triangles);
    *scene = (sdf_scene){0};
}
