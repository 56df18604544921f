// Two of Chazelle's polyhedra, of which the upper one sinks into the lower: the worst case of
// everything that counts on triangles that are small or far apart.
//
// A block has notches from below along the lines y = c, z = x y, and notches from above along the
// lines x = c, z = x y + GAP: two families of lines on nearly the same hyperbolic paraboloid. A
// notch is thin and as long as the block, and so is each of its triangles. A block does not touch
// itself: over the point where two notches pass, the walls of the lower one end at most WIDTH (x +
// y) above x y and those of the upper one at most as much below x y + GAP. Two blocks with m
// notches each way, one sunk into the other, have 4 m^2 pairs of walls that cross, of some 64 m
// faces.
//
// The number of faces near a face grows with the size of the scene: no frame can move faces by an
// edge, and no density stays the same.

#include "parts.h"
#include "recipe.h"
#include "wave.h"

static const double BOTTOM = -0.25, TOP = 1.5; // of a block; it is 1 wide, its lines within 0 and 1
static const double ABOVE = 0.35;              // how far the upper one is away at first
static const int64_t FRAMES = 40;

typedef struct notched
{
    int64_t notches; // each way
    double spacing;  // of notches
    double gap;      // between the two families of lines
    double width;    // half of a notch's
    double *at[2];   // where the notches of a family are
} notched;

static notched choose_shape(int64_t notches)
{
    double spacing = 1.0 / (double)(notches + 1);
    return (notched){
        .notches = notches,
        .spacing = spacing,
        .gap = spacing * spacing,
        .width = 0.125 * spacing * spacing, // below gap / (2 (x + y)), x and y up to 1
    };
}

static void place_notches(notched *shape, toi_random *random)
{
    for (int family = 0; family < 2; ++family)
        for (int64_t i = 0; i < shape->notches; ++i)
            shape->at[family][i] =
                ((double)(i + 1) + toi_random_range(random, -0.2, 0.2)) * shape->spacing;
}

// A point across the notches and along them.
static vec3 in_block(int family, double across, double along, double z)
{
    return family == 0 ? (vec3){along, across, z} : (vec3){across, along, z};
}

static void pose(const notched *shape, vec3 shift, double (*points)[3])
{
    int64_t n = shape->notches;
    for (int family = 0; family < 2; ++family)
        for (int end = 0; end < 2; ++end) {
            double rim = family == 0 ? BOTTOM : TOP, other = family == 0 ? TOP : BOTTOM;
            double(*profile)[3] = points + notched_profile(n, family, end, 0);
            double(*border)[3] = points + notched_border(n, family, end, 0);
            put3(profile[0], add3(shift, in_block(family, 0.0, end, rim)));
            put3(profile[3 * n + 1], add3(shift, in_block(family, 1.0, end, rim)));
            for (int64_t i = 0; i < n; ++i) {
                double at = shape->at[family][i];
                double deepest = at * end + (family == 0 ? 0.0 : shape->gap);
                put3(profile[3 * i + 1],
                     add3(shift, in_block(family, at - shape->width, end, rim)));
                put3(profile[3 * i + 2], add3(shift, in_block(family, at, end, deepest)));
                put3(profile[3 * i + 3],
                     add3(shift, in_block(family, at + shape->width, end, rim)));
                put3(border[i], add3(shift, in_block(family, at, end, other)));
            }
        }
}

// The upper block is half a spacing aside. At the end it is so deep that its notches from above
// still reach below the lower one's notches from below.
static vec3 sink(const notched *shape, double time)
{
    double high = TOP - BOTTOM + ABOVE, low = -2.0 * shape->spacing;
    double aside = 0.5 * shape->spacing;
    return (vec3){aside, aside, high + (low - high) * scene_bounce(1.0, time)};
}

toi_status make_chazelle(const toi_animation_def *def, toi_animation *scene)
{
    int64_t notches = (def->size - 24 + 32) / 64;
    notched shape = choose_shape(notches < 1 ? 1 : notches);
    scene_part part = {.kind = PART_NOTCHED, .copies = 2, .a = shape.notches};
    toi_status status = lay_out_parts(def, FRAMES, &part, 1, scene);
    if (status != TOI_OK)
        return status;
    double *at = scene_scratch(2 * shape.notches, sizeof *at);
    if (!at)
        return TOI_ERROR_MEMORY;
    shape.at[0] = at;
    shape.at[1] = at + shape.notches;
    toi_random random = {def->seed};
    for (int copy = 0; copy < 2; ++copy) {
        place_notches(&shape, &random);
        for (int frame = 0; frame < scene->frames; ++frame) {
            vec3 shift = sink(&shape, frame_time(def, scene, frame));
            pose(&shape, copy ? shift : (vec3){0.0, 0.0, 0.0},
                 part_points(scene, frame, &part, copy));
        }
    }
    toi_release(at);
    return TOI_OK;
}
