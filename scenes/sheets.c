// A stack of sheets that is pressed together: every sheet follows one common swell, has small waves
// of its own, and loses its distance to the next.
//
// Density: distances are measured in edge lengths, so that the number of candidates per element
// does not depend on the size; but at the end the whole stack of ten is a third of an edge length
// thick, and an element meets its surroundings on most of the sheets: some three vertex-face
// candidates a face and seven edge-edge candidates an edge, nearly all of them close calls.

#include "parts.h"
#include "recipe.h"
#include "wave.h"

static const double WIDTH = 2.0;
static const double OPEN_GAP = 1.2; // between neighbours, in edge lengths
static const double PRESSED_GAP = 0.03;
static const double SWELL = 0.16;

// A sheet's own waves, one along each of two directions.
typedef struct sheet
{
    double x[2]; // waves per unit
    double y[2];
    double phase[2];
    double shift; // how far it slides in the whole animation, in edge lengths
} sheet;

static sheet make_sheet(toi_random *random)
{
    sheet s;
    for (int i = 0; i < 2; ++i) {
        s.x[i] = toi_random_range(random, -2.5, 2.5);
        s.y[i] = toi_random_range(random, -2.5, 2.5);
        s.phase[i] = toi_random_unit(random);
    }
    s.shift = toi_random_range(random, -4.0, 4.0);
    return s;
}

static double own_wave(const sheet *s, double x, double y)
{
    double sum = 0.0;
    for (int i = 0; i < 2; ++i)
        sum += scene_wave(s->x[i] * x + s->y[i] * y + s->phase[i]).sin;
    return 0.5 * sum;
}

static double swell(double x, double y)
{
    return SWELL * scene_wave(0.31 * x + 0.12).sin * scene_wave(0.27 * y + 0.2).cos;
}

// Heights of a sheet: `level` counts gaps from the middle of the stack.
static void pose(const sheet *s, double level, int64_t points, double time, double (*out)[3])
{
    double edge = WIDTH / (double)(points - 1);
    double folded = scene_bounce(1.0, time);
    double pressed = scene_ease(0.05, 1.05, folded);
    double gap = edge * (OPEN_GAP + pressed * (PRESSED_GAP - OPEN_GAP));
    // Neighbours touch where their waves are opposite, from half a gap on.
    double own = gap * (0.32 + 0.4 * pressed);
    double slide = s->shift * folded * edge;
    for (int64_t i = 0; i < points * points; ++i) {
        vec3 at = flat_point(i, points, WIDTH);
        at.z = level * gap + own * own_wave(s, at.x, at.y);
        at.z += (0.4 + 0.6 * pressed) * swell(at.x, at.y);
        put3(out[i], add3(at, (vec3){slide, 0.5 * slide, 0.0}));
    }
}

toi_status make_sheets(const toi_animation_def *def, toi_animation *scene)
{
    int64_t count = def->size < 100 ? 2 : def->size < 1000 ? 4 : 10;
    int64_t points = side_of((double)def->size / (2.0 * (double)count), 1) + 1;
    scene_part part = {.kind = PART_GRID, .copies = count, .a = points, .b = points};
    toi_status status = lay_out_parts(def, 30, &part, 1, scene);
    if (status != TOI_OK)
        return status;
    toi_random random = {def->seed};
    for (int64_t i = 0; i < count; ++i) {
        sheet s = make_sheet(&random);
        double level = (double)i - 0.5 * (double)(count - 1);
        for (int frame = 0; frame < scene->frames; ++frame)
            pose(&s, level, points, frame_time(def, scene, frame),
                 part_points(scene, frame, &part, i));
    }
    return TOI_OK;
}
