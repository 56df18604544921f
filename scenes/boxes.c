// Boxes of twelve triangles that fall on each other and come to lie in a heap: the rigid bodies of
// a game or a robot's bin. As the scene grows there are more boxes in a wider room, all of about
// the same size; the heap grows no higher than a few of them.

#include "grains.h"
#include "recipe.h"
#include "wave.h"

enum
{
    LENGTH = 40,         // frames of the whole motion
    STEPS_PER_FRAME = 3, // of the simulation
    MOST_LAYERS = 5,     // of boxes, one above the other, at the start
    CORNERS = 8,
};

static const double SPACING = 2.7; // of the lattice they start on: none reaches its neighbours
static const double LEAST_HALF = 0.45, MOST_HALF = 0.7; // of an edge
// The radius of the ball that stands in for a box, in its mean half edges: corners reach beyond it.
static const double ROUND = 1.15;
static const double GRAVITY =
    60.0; // per length of the motion squared: half an edge a frame when they land

static vec3 choose_half(toi_random *random)
{
    double x = toi_random_range(random, LEAST_HALF, MOST_HALF);
    double y = toi_random_range(random, LEAST_HALF, MOST_HALF);
    double z = toi_random_range(random, LEAST_HALF, MOST_HALF);
    return (vec3){x, y, z};
}

static void place(grains *g, vec3 *halves, int64_t side, toi_random *random)
{
    for (int64_t i = 0; i < g->count; ++i) {
        grain *a = &g->data[i];
        vec3 half = choose_half(random);
        halves[i] = half;
        a->radius = ROUND / 3.0 * (half.x + half.y + half.z);
        a->at = add3(scale3(SPACING, cube_cell(i, side)), scene_in_cube(random, 0.1));
        double turns = toi_random_range(random, 0.5, 2.0);
        a->spin = scale3(turns, scene_direction(random));
        vec3 axis = scene_direction(random);
        a->pose = scene_turn(axis, toi_random_unit(random));
    }
}

static void pose_boxes(const grains *g, const vec3 *halves, const scene_part *part, int frame,
                       toi_animation *scene)
{
    for (int64_t i = 0; i < g->count; ++i) {
        const grain *a = &g->data[i];
        vec3 half = halves[i];
        double(*points)[3] = part_points(scene, frame, part, i);
        for (int k = 0; k < CORNERS; ++k) {
            vec3 corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y,
                           k & 4 ? half.z : -half.z};
            put3(points[k], add3(a->at, apply3(&a->pose, corner)));
        }
    }
}

static void fill_frames(const toi_animation_def *def, grains *g, const vec3 *halves,
                        const scene_part *part, toi_animation *scene)
{
    static const double STEP = 1.0 / (LENGTH * STEPS_PER_FRAME);
    int64_t done = 0;
    for (int frame = 0; frame < scene->frames; ++frame) {
        double until = frame_time(def, scene, frame) - 0.5 * STEP;
        for (; (double)done * STEP < until; ++done)
            grains_step(g, STEP, true);
        pose_boxes(g, halves, part, frame, scene);
    }
}

// Boxes along a side of the room.
static int64_t room_side(int64_t count)
{
    int64_t side = cube_side_of(count);
    while (side * side * MOST_LAYERS < count)
        ++side;
    return side;
}

toi_status make_box_pile(const toi_animation_def *def, toi_animation *scene)
{
    int64_t count = (def->size + 6) / 12;
    count = count < 2 ? 2 : count;
    scene_part part = {.kind = PART_BOX, .copies = count};
    toi_status status = lay_out_parts(def, LENGTH, &part, 1, scene);
    if (status != TOI_OK)
        return status;

    int64_t side = room_side(count);
    double width = SPACING * (double)side;
    grains g;
    status =
        grains_create(&g, count, (vec3){0.0, 0.0, 0.0},
                      (vec3){width, width, SPACING * (MOST_LAYERS + 1)}, 2.0 * ROUND * MOST_HALF);
    if (status != TOI_OK)
        return status;
    g.gravity = GRAVITY;
    g.restitution = 0.3;
    g.friction = 0.04;
    toi_random random = {def->seed};
    vec3 *halves = scene_scratch(count, sizeof *halves);
    if (halves) {
        place(&g, halves, side, &random);
        fill_frames(def, &g, halves, &part, scene);
    }
    status = halves ? TOI_OK : TOI_ERROR_MEMORY;
    toi_release(halves);
    grains_destroy(&g);
    return status;
}
