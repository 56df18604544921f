// Balls that fly about in a box and bounce off its walls and off each other. As the scene grows
// there are more balls in a bigger box, all of the same size, speed and tessellation.

#include "grains.h"
#include "recipe.h"
#include "wave.h"

enum
{
    LENGTH = 40,         // frames of the animation
    STEPS_PER_FRAME = 3, // of the simulation
};

static const double SPACING = 2.6; // of the lattice they start on; the mean radius is 1
// The balls are soft down to this share of their radius: they overlap before they bounce.
static const double FIRM = 0.93;
static const double SPEED = 11.0; // in the whole animation: about a quarter of a radius a frame

// The pace of time: slow at first, so that it begins without contact.
static double pace(double time)
{
    return time < 0.25 ? 64.0 * time * time * time : 1.0;
}

static void place(grains *g, int64_t side, toi_random *random)
{
    for (int64_t i = 0; i < g->count; ++i) {
        grain *a = &g->data[i];
        a->at = add3(scale3(SPACING, cube_cell(i, side)), scene_in_cube(random, 0.1));
        double speed = toi_random_range(random, 0.4, 1.6) * SPEED;
        a->speed = scale3(speed, scene_direction(random));
        double turns = toi_random_range(random, 0.5, 3.0);
        a->spin = scale3(turns, scene_direction(random));
        a->radius = FIRM * toi_random_range(random, 0.9, 1.1);
        vec3 axis = scene_direction(random);
        a->pose = scene_turn(axis, toi_random_unit(random));
    }
}

static void pose_balls(const grains *g, const vec3 *ball, const scene_part *part, int frame,
                       toi_animation *scene)
{
    for (int64_t i = 0; i < g->count; ++i) {
        const grain *a = &g->data[i];
        double(*points)[3] = part_points(scene, frame, part, i);
        for (int64_t k = 0; k < part->stride; ++k)
            put3(points[k], step3(a->at, a->radius / FIRM, apply3(&a->pose, ball[k])));
    }
}

static void fill_frames(const toi_animation_def *def, grains *g, const vec3 *ball,
                        const scene_part *part, toi_animation *scene)
{
    static const double STEP = 1.0 / (LENGTH * STEPS_PER_FRAME);
    int64_t done = 0;
    for (int frame = 0; frame < scene->frames; ++frame) {
        double until = frame_time(def, scene, frame) - 0.5 * STEP;
        for (; (double)done * STEP < until; ++done)
            grains_step(g, STEP * pace((double)done * STEP), true);
        pose_balls(g, ball, part, frame, scene);
    }
}

toi_status make_n_body(const toi_animation_def *def, toi_animation *scene)
{
    // Few balls would hardly meet: small scenes have simpler balls instead.
    static const int64_t LEAST = 12;
    int64_t rings = side_of((double)def->size / (double)(8 * LEAST), 1);
    rings = rings < 5 ? rings : 5;
    int64_t count = (def->size + 4 * rings * rings) / (8 * rings * rings);
    count = count < 2 ? 2 : count;
    scene_part part = {.kind = PART_BALL, .copies = count, .a = rings};
    toi_status status = lay_out_parts(def, LENGTH, &part, 1, scene);
    if (status != TOI_OK)
        return status;

    int64_t side = cube_side_of(count);
    int64_t layers = (count + side * side - 1) / (side * side);
    vec3 room = scale3(SPACING, (vec3){(double)side, (double)side, (double)layers});
    grains g;
    status = grains_create(&g, count, (vec3){0.0, 0.0, 0.0}, room, 2.2 * FIRM);
    if (status != TOI_OK)
        return status;
    toi_random random = {def->seed};
    place(&g, side, &random);
    vec3 *ball = scene_scratch(part.stride, sizeof *ball);
    if (ball) {
        unit_ball(rings, ball);
        fill_frames(def, &g, ball, &part, scene);
    }
    status = ball ? TOI_OK : TOI_ERROR_MEMORY;
    toi_release(ball);
    grains_destroy(&g);
    return status;
}
