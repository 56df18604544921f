// Cloth on a ball: it falls, drapes over the ball, and the ball begins to turn to and fro.

#include "cloth.h"
#include "recipe.h"
#include "wave.h"

static const double RADIUS = 0.5;
static const double SIDE = 2.8;
static const double SECONDS = 2.4;

// How far the ball has turned, in turns: at rest until the cloth hangs, then to and fro, which
// wraps the cloth around it.
static double ball_angle(double time)
{
    double since = time - 0.4;
    return since > 0.0 ? 0.11 * scene_wave(2.6 * since).sin : 0.0;
}

// Out of the ball along its radius; friction drags the node along with the ball's surface.
static vec3 push_out(const void *context, vec3 node, vec3 before, double time, double step)
{
    double reach = *(const double *)context;
    double distance = length3(node);
    if (distance >= reach || distance == 0.0)
        return node;
    vec3 normal = scale3(1.0 / distance, node);
    vec3 out = scale3(reach, normal);
    turn3 turn = scene_turn((vec3){0.0, 0.0, 1.0}, ball_angle(time + step) - ball_angle(time));
    vec3 slip = reject3(sub3(out, apply3(&turn, before)), normal);
    return step3(out, -0.2, slip);
}

static void pose_ball(const vec3 *ball, int64_t count, double time, double (*points)[3])
{
    turn3 turn = scene_turn((vec3){0.0, 0.0, 1.0}, ball_angle(time));
    for (int64_t i = 0; i < count; ++i)
        put3(points[i], scale3(RADIUS, apply3(&turn, ball[i])));
}

static void fill_frames(const toi_animation_def *def, const scene_part *parts, cloth *c,
                        const vec3 *ball, toi_animation *scene)
{
    for (int frame = 0; frame < scene->frames; ++frame) {
        double time = frame_time(def, scene, frame);
        cloth_pose(c, time, part_points(scene, frame, &parts[0], 0));
        pose_ball(ball, parts[1].stride, time, part_points(scene, frame, &parts[1], 0));
    }
}

toi_status make_cloth_ball(const toi_animation_def *def, toi_animation *scene)
{
    double size = (double)def->size;
    int64_t points = side_of(0.8 * size / 2.0, 1) + 1;
    int64_t rings = side_of(0.2 * size / 8.0, 1);
    scene_part parts[] = {{.kind = PART_GRID, .copies = 1, .a = points, .b = points},
                          {.kind = PART_BALL, .copies = 1, .a = rings}};
    int64_t length = side_of(0.64 * size, 20);
    toi_status status = lay_out_parts(def, length, parts, 2, scene);
    if (status != TOI_OK)
        return status;

    toi_random random = {def->seed};
    // Nodes stay so far out that faces between them hardly cut into the ball.
    double edge = SIDE / (double)(points - 1);
    double reach = RADIUS + 0.1 * edge * edge / RADIUS + 0.0007;
    cloth_def sheet = {.points = points,
                       .side = SIDE,
                       .height = 1.2,
                       .angle = toi_random_range(&random, 0.02, 0.1),
                       .seconds = SECONDS,
                       .ripple = 0.01,
                       .obstacle = push_out,
                       .context = &reach};
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
