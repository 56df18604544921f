// Cloth in a funnel: it sinks into the cone, and a ball on a rod's path pushes it down the spout.

#include "cloth.h"
#include "recipe.h"
#include "wave.h"

// The funnel's wall, from the rim down: a cone, then the spout.
static const double RIM = 1.2;
static const double THROAT = 0.3;
static const double CONE_DEPTH = 0.9;
static const double SPOUT_DEPTH = 0.9;

static const double BALL_RADIUS = 0.22;
static const double SIDE = 1.66; // of the cloth: it fits inside the rim

// The height of the ball's centre: it waits while the cloth settles, comes down to it, and then
// presses it through the throat more slowly.
static double ball_height(double time)
{
    double quick = 0.6 - 4.5 * (time - 0.1);
    double slow = -0.75 - 1.4 * (time - 0.4);
    double lowest = 0.5 * BALL_RADIUS - CONE_DEPTH - SPOUT_DEPTH;
    double height = quick > slow ? quick : slow;
    height = height < 0.6 ? height : 0.6;
    return height > lowest ? height : lowest;
}

// How far nodes keep off the wall and off the ball, so that faces between them hardly cut in.
typedef struct padding
{
    double wall;
    double ball;
} padding;

// Moves a node out of a surface it is `depth` deep in, along the unit vector `out`. Friction takes
// back its way along the surface, which itself moves by `drift`, but no more than its share of the
// push (Coulomb's law).
static vec3 push(vec3 node, vec3 before, vec3 out, double depth, vec3 drift, double friction)
{
    vec3 pushed = step3(node, depth, out);
    vec3 slip = reject3(sub3(sub3(pushed, before), drift), out);
    double way = length3(slip);
    double hold = friction * depth;
    return step3(pushed, way > hold ? -hold / way : -1.0, slip);
}

static vec3 push_off_wall(vec3 node, vec3 before, double gap)
{
    double radius = sqrt(node.x * node.x + node.y * node.y);
    if (radius == 0.0 || node.z > 0.0 || node.z < -CONE_DEPTH - SPOUT_DEPTH)
        return node;
    vec3 inward = {-node.x / radius, -node.y / radius, 0.0};
    vec3 none = {0.0, 0.0, 0.0};
    double slope = (RIM - THROAT) / CONE_DEPTH;
    double steep = 1.0 / sqrt(1.0 + slope * slope);
    double cone = (radius - RIM - slope * node.z) * steep + gap; // how deep it is in the wall
    double spout = radius - THROAT + gap;
    // Beyond both surfaces, continued to infinity, lies the wall of the whole funnel.
    if (cone <= 0.0 || spout <= 0.0)
        return node;
    if (spout < cone)
        return push(node, before, inward, spout, none, 0.6);
    vec3 up = {inward.x * steep, inward.y * steep, slope * steep};
    return push(node, before, up, cone, none, 1.5);
}

static vec3 push_out(const void *context, vec3 node, vec3 before, double time, double step)
{
    const padding *pad = context;
    double height = ball_height(time + step);
    vec3 apart = sub3(node, (vec3){0.0, 0.0, height});
    double distance = length3(apart);
    double reach = BALL_RADIUS + pad->ball;
    if (distance < reach && distance > 0.0) {
        vec3 drift = {0.0, 0.0, height - ball_height(time)};
        vec3 out = scale3(1.0 / distance, apart);
        node = push(node, before, out, reach - distance, drift, 0.8);
    }
    return push_off_wall(node, before, pad->wall);
}

static void pose_ball(const vec3 *ball, int64_t count, double time, double (*points)[3])
{
    vec3 centre = {0.0, 0.0, ball_height(time)};
    for (int64_t i = 0; i < count; ++i)
        put3(points[i], step3(centre, BALL_RADIUS, ball[i]));
}

// A ring's radius and height when rings are spread evenly along the wall.
static void pose_funnel(const scene_part *part, double (*points)[3])
{
    double slant = sqrt((RIM - THROAT) * (RIM - THROAT) + CONE_DEPTH * CONE_DEPTH);
    for (int64_t ring = 0; ring < part->b; ++ring) {
        double way = (slant + SPOUT_DEPTH) * (double)ring / (double)(part->b - 1);
        double cone = way < slant ? way / slant : 1.0;
        double radius = RIM + cone * (THROAT - RIM);
        double z = -cone * CONE_DEPTH - (way < slant ? 0.0 : way - slant);
        for (int64_t i = 0; i < part->a; ++i) {
            wave around = scene_wave((double)i / (double)part->a);
            put3(points[ring * part->a + i], (vec3){radius * around.cos, radius * around.sin, z});
        }
    }
}

static void fill_frames(const toi_animation_def *def, const scene_part *parts, cloth *c,
                        const vec3 *ball, toi_animation *scene)
{
    for (int frame = 0; frame < scene->frames; ++frame) {
        double time = frame_time(def, scene, frame);
        cloth_pose(c, time, part_points(scene, frame, &parts[0], 0));
        pose_ball(ball, parts[1].stride, time, part_points(scene, frame, &parts[1], 0));
        pose_funnel(&parts[2], part_points(scene, frame, &parts[2], 0));
    }
}

toi_status make_cloth_funnel(const toi_animation_def *def, toi_animation *scene)
{
    double size = (double)def->size;
    int64_t points = side_of(0.65 * size / 2.0, 1) + 1;
    int64_t rings = side_of(0.1 * size / 8.0, 1);
    int64_t around = side_of(0.25 * size, 3);
    scene_part parts[] = {{.kind = PART_GRID, .copies = 1, .a = points, .b = points},
                          {.kind = PART_BALL, .copies = 1, .a = rings},
                          {.kind = PART_TUBE, .copies = 1, .a = around, .b = around / 2 + 1}};
    toi_status status = lay_out_parts(def, side_of(0.64 * size, 20), parts, 3, scene);
    if (status != TOI_OK)
        return status;

    toi_random random = {def->seed};
    double edge = SIDE / (double)(points - 1);
    double side = 2.0 * RIM / (double)around;
    padding pad = {.wall = 0.0008 + 1.1 * side * side / RIM,
                   .ball = 0.0005 + 0.1 * edge * edge / BALL_RADIUS};
    cloth_def sheet = {.points = points,
                       .side = SIDE,
                       .height = 0.2,
                       .angle = toi_random_range(&random, 0.02, 0.1),
                       .seconds = 2.0,
                       .ripple = 0.01,
                       .obstacle = push_out,
                       .context = &pad};
    cloth *c = cloth_create(&sheet, &random);
    vec3 *ball = scene_scratch(parts[1].stride, sizeof *ball);
    if (c && ball) {
        unit_ball(rings, ball);
        fill_frames(def, parts, c, ball, scene);
    }
    status = c && ball ? TOI_OK : TOI_ERROR_MEMORY;
    toi_release(ball);
    cloth_destroy(c);
    return status;
}
