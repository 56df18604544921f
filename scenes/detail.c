// A finely detailed body that spins while it is pressed into a plane of two triangles: the plane is
// at least 2^11 times as wide as the edges of the body are long. Methods that sort faces by size
// have a deep hierarchy here, and a grid has no good cell.
//
// The body is a ball with bumps of three sizes. As the scene grows its faces get finer and the
// frames more, so that a vertex moves about one edge a frame.

#include "parts.h"
#include "recipe.h"
#include "wave.h"

enum
{
    BUMPS = 24
};

static const double RATIO = 2048.0; // of the plane's width to an edge, at least
static const double LEAST_WIDTH = 8.0;
static const double HIGH = 1.7, LOW = 0.5; // of the body's centre, at the beginning and at the end
static const double TURNS = 1.0;           // in the whole animation

// A wave along a direction.
typedef struct bump
{
    vec3 way; // waves in a unit of length, times the direction
    double height;
    double phase;
} bump;

static void choose_bumps(bump bumps[BUMPS], toi_random *random)
{
    for (int i = 0; i < BUMPS; ++i) {
        double frequency = toi_random_range(random, 0.8, 1.2) * (double)(1 << (i % 3));
        bumps[i].way = scale3(frequency, scene_direction(random));
        bumps[i].height = 0.03 / frequency;
        bumps[i].phase = toi_random_unit(random);
    }
}

static vec3 raise_point(const bump bumps[BUMPS], vec3 at)
{
    double radius = 1.0;
    for (int i = 0; i < BUMPS; ++i)
        radius += bumps[i].height * scene_wave(dot3(bumps[i].way, at) + bumps[i].phase).sin;
    return scale3(radius, at);
}

static void place_body(const vec3 *shape, vec3 axis, double time, const scene_part *part, int frame,
                       toi_animation *scene)
{
    double(*points)[3] = part_points(scene, frame, part, 0);
    turn3 turn = scene_turn(axis, TURNS * time);
    double height = HIGH + (LOW - HIGH) * scene_ease(0.0, 1.0, scene_bounce(1.0, time));
    for (int64_t i = 0; i < part->stride; ++i)
        put3(points[i], add3(apply3(&turn, shape[i]), (vec3){0.0, 0.0, height}));
}

static void place_plane(double width, const scene_part *part, int frame, toi_animation *scene)
{
    double(*points)[3] = part_points(scene, frame, part, 0);
    for (int64_t i = 0; i < part->stride; ++i)
        put3(points[i], flat_point(i, 2, width));
}

toi_status make_detail(const toi_animation_def *def, toi_animation *scene)
{
    int64_t rings = side_of(0.125 * (double)def->size, 2);
    double edge = 1.6 / (double)rings; // about a quarter turn over the rings of a half
    double width = RATIO * edge > LEAST_WIDTH ? RATIO * edge : LEAST_WIDTH;
    scene_part parts[2] = {{.kind = PART_BALL, .copies = 1, .a = rings},
                           {.kind = PART_GRID, .copies = 1, .a = 2, .b = 2}};
    int64_t length = (int64_t)(6.0 / edge);
    toi_status status = lay_out_parts(def, length < 30 ? 30 : length, parts, 2, scene);
    if (status != TOI_OK)
        return status;
    vec3 *shape = scene_scratch(parts[0].stride, sizeof *shape);
    if (!shape)
        return TOI_ERROR_MEMORY;
    toi_random random = {def->seed};
    bump bumps[BUMPS];
    choose_bumps(bumps, &random);
    vec3 axis = scene_direction(&random);
    axis = unit3((vec3){axis.x, axis.y, 0.3 * axis.z}); // it rolls rather than spins
    unit_ball(rings, shape);
    for (int64_t i = 0; i < parts[0].stride; ++i)
        shape[i] = raise_point(bumps, shape[i]);
    for (int frame = 0; frame < scene->frames; ++frame) {
        place_body(shape, axis, frame_time(def, scene, frame), &parts[0], frame, scene);
        place_plane(width, &parts[1], frame, scene);
    }
    toi_release(shape);
    return TOI_OK;
}
