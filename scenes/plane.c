// Slivers that slide in the plane z = 0, exactly: every query is coplanar at all times, and every
// box is flat.
//
// They lie aslant in lanes. First each lane slides along itself, and slivers never touch although
// their boxes overlap those of the lanes around; then each sliver turns, too, and runs into others.
// Density: a sliver is ten lanes long, so that its box meets those of some twenty others: at any
// size some ten vertex-face candidates a face and twelve edge-edge candidates an edge, several
// times as many as in the other scenes.

#include "parts.h"
#include "recipe.h"
#include "wave.h"

static const double LENGTH = 10.0; // of a sliver; lanes are 1 apart
static const double WIDTH = 0.5;
static const double PITCH = 12.0; // from one sliver to the next in its lane
static const int64_t FRAMES = 30;

typedef struct sliver
{
    double lane;  // across
    double along; // where in the lane
    double speed; // of the lane
    double own;   // how far it leaves its place in the lane
    double turns;
} sliver;

static void pose(const sliver *s, wave slant, double time, double (*points)[3])
{
    double stray = scene_ease(0.2, 1.0, scene_bounce(1.0, time));
    double at = s->along + s->speed * scene_bounce(1.0, time) + s->own * stray;
    wave turn = scene_wave(s->turns * stray);
    double corners[3][2] = {
        {-0.5 * LENGTH, -0.5 * WIDTH}, {0.5 * LENGTH, 0.0}, {-0.5 * LENGTH, 0.5 * WIDTH}};
    for (int i = 0; i < 3; ++i) {
        double u = at + turn.cos * corners[i][0] - turn.sin * corners[i][1];
        double v = s->lane + turn.sin * corners[i][0] + turn.cos * corners[i][1];
        put3(points[i], (vec3){slant.cos * u - slant.sin * v, slant.sin * u + slant.cos * v, 0.0});
    }
}

toi_status make_plane(const toi_animation_def *def, toi_animation *scene)
{
    int64_t count = def->size < 4 ? 4 : def->size;
    scene_part part = {.kind = PART_TRIANGLE, .copies = count};
    toi_status status = lay_out_parts(def, FRAMES, &part, 1, scene);
    if (status != TOI_OK)
        return status;
    int64_t lanes = side_of(PITCH * (double)count, 1);
    lanes = lanes < count ? lanes : count;
    int64_t each = (count + lanes - 1) / lanes;
    toi_random random = {def->seed};
    wave slant = scene_wave(toi_random_range(&random, 0.11, 0.14));
    sliver s = {0};
    for (int64_t i = 0; i < count; ++i) {
        if (i % each == 0)
            s.speed = toi_random_range(&random, -8.0, 8.0);
        int64_t lane = i / each;
        s.lane = (double)lane - 0.5 * (double)lanes;
        s.along = ((double)(i % each) - 0.5 * (double)each) * PITCH;
        s.own = toi_random_range(&random, -2.0, 2.0);
        s.turns = toi_random_range(&random, -0.08, 0.08);
        for (int frame = 0; frame < scene->frames; ++frame)
            pose(&s, slant, frame_time(def, scene, frame), part_points(scene, frame, &part, i));
    }
    return TOI_OK;
}
