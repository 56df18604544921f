// Triangles in unrelated motion, like the animated triangles of the BART benchmark: each flies on
// its own straight way between the walls of a box and tumbles about its own axis. They start in
// cells of a lattice, one in each, so that at first nothing touches; their numbers are shuffled, so
// that neighbours in memory are none in space.

#include "parts.h"
#include "recipe.h"
#include "wave.h"

static const int64_t LENGTH = 40;

typedef struct flight
{
    vec3 start;
    vec3 way;        // how far it flies in the whole animation
    vec3 axis;       // it turns about
    double turns;    // how far it turns
    vec3 corners[3]; // about the start
} flight;

// How much of the way has been flown: slow at first, so that it begins without contact.
static double flown(double time)
{
    static const double RAMP = 0.3;
    if (time > RAMP)
        return 0.25 * RAMP + (time - RAMP);
    double share = time / RAMP;
    return 0.25 * RAMP * share * share * share * share;
}

// Which cell each triangle starts in.
static void shuffle(int32_t *cells, int64_t count, toi_random *random)
{
    for (int64_t i = 0; i < count; ++i)
        cells[i] = (int32_t)i;
    for (int64_t i = count - 1; i > 0; --i) {
        int64_t j = (int64_t)toi_random_below(random, (uint64_t)i + 1);
        int32_t cell = cells[i];
        cells[i] = cells[j];
        cells[j] = cell;
    }
}

static flight make_flight(int64_t cell, int64_t side, toi_random *random)
{
    flight f;
    f.start = add3(cube_cell(cell, side), scene_in_cube(random, 0.02));
    double distance = toi_random_range(random, 4.0, 14.0);
    f.way = scale3(distance, scene_direction(random));
    f.axis = scene_direction(random);
    f.turns = toi_random_range(random, -1.5, 1.5);
    for (int i = 0; i < 3; ++i) {
        double reach = toi_random_range(random, 0.3, 0.42);
        f.corners[i] = scale3(reach, scene_direction(random));
    }
    return f;
}

static void pose(const flight *f, double side, double time, double (*points)[3])
{
    double share = flown(time);
    turn3 turn = scene_turn(f->axis, f->turns * share);
    vec3 at = step3(f->start, share, f->way);
    at = (vec3){scene_bounce(side, at.x), scene_bounce(side, at.y), scene_bounce(side, at.z)};
    for (int i = 0; i < 3; ++i)
        put3(points[i], add3(at, apply3(&turn, f->corners[i])));
}

toi_status make_triangles(const toi_animation_def *def, toi_animation *scene)
{
    // One alone would meet nobody.
    int64_t count = def->size < 4 ? 4 : def->size;
    scene_part part = {.kind = PART_TRIANGLE, .copies = count};
    toi_status status = lay_out_parts(def, LENGTH, &part, 1, scene);
    if (status != TOI_OK)
        return status;
    int32_t *cells = scene_scratch(count, sizeof *cells);
    if (!cells)
        return TOI_ERROR_MEMORY;
    toi_random random = {def->seed};
    shuffle(cells, count, &random);
    int64_t side = cube_side_of(count);
    for (int64_t i = 0; i < count; ++i) {
        flight f = make_flight(cells[i], side, &random);
        for (int frame = 0; frame < scene->frames; ++frame)
            pose(&f, (double)side, frame_time(def, scene, frame),
                 part_points(scene, frame, &part, i));
    }
    toi_release(cells);
    return TOI_OK;
}
