// Extended position-based dynamics with small steps and one sweep over the constraints per step
// (Macklin et al., "Small Steps in Physics Simulation", 2019). There is no self-repulsion: the
// layers of a fold run into each other, which is what a collision test wants to see.

#include "cloth.h"

#include "wave.h"

enum
{
    MOST_NODES = 56,      // per side of the simulated grid
    STATES = 200,         // simulated states in all; frames lie between two of them
    STEPS_PER_STATE = 10, // small steps between two states
};

static const double GRAVITY = 9.81;

typedef struct link_kind
{
    int columns; // from a node to the one it is tied to
    int rows;
    double stiffness; // share of the error taken back in a step
} link_kind;

// The sides of a cell keep their length, its diagonals nearly so, and a weak tie across two cells
// makes it hard to fold sharply.
static const link_kind LINKS[] = {{1, 0, 1.0},   {0, 1, 1.0},  {1, 1, 0.25},
                                  {-1, 1, 0.25}, {2, 0, 0.01}, {0, 2, 0.01}};

struct cloth
{
    cloth_def def;
    int nodes; // per side
    double spacing;
    int64_t state; // number of the state in `now`
    vec3 *now;
    vec3 *last; // the state before
    vec3 *before;
    vec3 *speed;
    vec3 *pose; // between last and now
    vec3 *row;  // one row of control points
};

static vec3 flat_node(const cloth *c, int column, int row)
{
    double middle = 0.5 * (double)(c->nodes - 1);
    double x = ((double)column - middle) * c->spacing;
    double y = ((double)row - middle) * c->spacing;
    wave turn = scene_wave(c->def.angle);
    return (vec3){turn.cos * x - turn.sin * y, turn.sin * x + turn.cos * y, c->def.height};
}

// Flat but for slight waves, which decide where it will fold.
static void lay_flat(cloth *c, toi_random *random)
{
    double phase = toi_random_unit(random);
    vec3 first = scene_direction(random);
    vec3 second = scene_direction(random);
    for (int row = 0; row < c->nodes; ++row) {
        for (int column = 0; column < c->nodes; ++column) {
            vec3 node = flat_node(c, column, row);
            double wave_a = scene_wave(0.9 * dot3(first, node) + phase).sin;
            double wave_b = scene_wave(1.7 * dot3(second, node) - phase).sin;
            node.z += c->def.ripple * (wave_a + 0.5 * wave_b);
            c->now[row * c->nodes + column] = node;
            c->last[row * c->nodes + column] = node;
        }
    }
}

static bool allocate_nodes(cloth *c)
{
    int64_t count = (int64_t)c->nodes * c->nodes;
    vec3 **arrays[] = {&c->now, &c->last, &c->before, &c->speed, &c->pose, &c->row};
    for (int i = 0; i < (int)(sizeof arrays / sizeof *arrays); ++i) {
        *arrays[i] = scene_scratch(count, sizeof(vec3));
        if (!*arrays[i])
            return false;
    }
    return true;
}

cloth *cloth_create(const cloth_def *def, toi_random *random)
{
    cloth *c = scene_scratch(1, sizeof *c);
    if (!c)
        return NULL;
    c->def = *def;
    c->nodes = def->points < MOST_NODES ? (int)def->points : MOST_NODES;
    c->spacing = def->side / (double)(c->nodes - 1);
    if (!allocate_nodes(c)) {
        cloth_destroy(c);
        return NULL;
    }
    lay_flat(c, random);
    return c;
}

void cloth_destroy(cloth *c)
{
    if (!c)
        return;
    toi_release(c->now);
    toi_release(c->last);
    toi_release(c->before);
    toi_release(c->speed);
    toi_release(c->pose);
    toi_release(c->row);
    toi_release(c);
}

static void tie(vec3 *a, vec3 *b, double length, double stiffness)
{
    vec3 apart = sub3(*b, *a);
    double distance = length3(apart);
    if (distance == 0.0)
        return;
    double share = 0.5 * stiffness * (distance - length) / distance;
    *a = step3(*a, share, apart);
    *b = step3(*b, -share, apart);
}

// One sweep over all links of a kind; every other step runs backwards, so that no corner of the
// cloth is favoured.
static void tie_all(cloth *c, link_kind link, bool backwards)
{
    double squares = (double)(link.columns * link.columns + link.rows * link.rows);
    double length = c->spacing * sqrt(squares);
    int left = link.columns < 0 ? -link.columns : 0;
    int right = link.columns > 0 ? link.columns : 0;
    int width = c->nodes - left - right;
    int count = width > 0 ? width * (c->nodes - link.rows) : 0;
    for (int i = 0; i < count; ++i) {
        int n = backwards ? count - 1 - i : i;
        int node = n / width * c->nodes + left + n % width;
        tie(&c->now[node], &c->now[node + link.rows * c->nodes + link.columns], length,
            link.stiffness);
    }
}

static void small_step(cloth *c, double time, double step, bool backwards)
{
    double seconds = step * c->def.seconds;
    int count = c->nodes * c->nodes;
    for (int i = 0; i < count; ++i) {
        c->before[i] = c->now[i];
        c->speed[i].z -= GRAVITY * seconds;
        c->now[i] = step3(c->now[i], seconds, c->speed[i]);
    }
    for (int i = 0; i < (int)(sizeof LINKS / sizeof *LINKS); ++i)
        tie_all(c, LINKS[i], backwards);
    double keep = 1.0 - 0.8 * seconds; // the drag of air
    for (int i = 0; i < count; ++i) {
        c->now[i] = c->def.obstacle(c->def.context, c->now[i], c->before[i], time, step);
        c->speed[i] = scale3(keep / seconds, sub3(c->now[i], c->before[i]));
    }
}

static void next_state(cloth *c)
{
    int count = c->nodes * c->nodes;
    for (int i = 0; i < count; ++i)
        c->last[i] = c->now[i];
    double step = 1.0 / (double)(STATES * STEPS_PER_STATE);
    for (int i = 0; i < STEPS_PER_STATE; ++i) {
        int64_t number = c->state * STEPS_PER_STATE + i;
        small_step(c, (double)number * step, step, number % 2);
    }
    c->state += 1;
}

// The four neighbours and their weights for a position on a line of `count` control points: a
// cubic through the points (Catmull-Rom), straight beyond the ends.
typedef struct blend
{
    int index[4];
    double weight[4];
} blend;

static blend make_blend(int64_t position, int64_t positions, int count)
{
    double at = (double)position * (double)(count - 1) / (double)(positions - 1);
    int cell = (int)at < count - 2 ? (int)at : count - 2;
    double t = at - (double)cell;
    blend b = {{cell > 0 ? cell - 1 : 0, cell, cell + 1, cell + 2 < count ? cell + 2 : cell + 1},
               {0.5 * t * (t * (2.0 - t) - 1.0), 0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
                0.5 * t * (t * (4.0 - 3.0 * t) + 1.0), 0.5 * t * t * (t - 1.0)}};
    if (cell == 0) { // the point before the first: 2 p0 - p1
        b.weight[1] += 2.0 * b.weight[0];
        b.weight[2] -= b.weight[0];
        b.weight[0] = 0.0;
    }
    if (cell == count - 2) {
        b.weight[2] += 2.0 * b.weight[3];
        b.weight[1] -= b.weight[3];
        b.weight[3] = 0.0;
    }
    return b;
}

static vec3 blend_four(const blend *b, const vec3 *points, int stride)
{
    vec3 sum = scale3(b->weight[0], points[b->index[0] * stride]);
    for (int i = 1; i < 4; ++i)
        sum = step3(sum, b->weight[i], points[b->index[i] * stride]);
    return sum;
}

static void refine(cloth *c, double (*points)[3])
{
    int64_t fine = c->def.points;
    for (int64_t row = 0; row < fine; ++row) {
        blend across = make_blend(row, fine, c->nodes);
        for (int i = 0; i < c->nodes; ++i)
            c->row[i] = blend_four(&across, c->pose + i, c->nodes);
        for (int64_t column = 0; column < fine; ++column) {
            blend along = make_blend(column, fine, c->nodes);
            put3(points[row * fine + column], blend_four(&along, c->row, 1));
        }
    }
}

void cloth_pose(cloth *c, double time, double (*points)[3])
{
    double at = time * (double)STATES;
    while ((double)c->state < at)
        next_state(c);
    double share = at - (double)(c->state - 1);
    int count = c->nodes * c->nodes;
    for (int i = 0; i < count; ++i)
        c->pose[i] = step3(c->last[i], share, sub3(c->now[i], c->last[i]));
    refine(c, points);
}
