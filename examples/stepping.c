// A cloth falls on an octahedron: a stepping loop in which nothing ever passes through anything.
//
// Build against an installed toi with CMake (see CMakeLists.txt beside this file), or with
//     cc stepping.c $(pkg-config --cflags --libs toi) -lm -o stepping

#include <toi/toi.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    SIDE = 21, // the cloth has SIDE x SIDE vertices
    CLOTH = SIDE * SIDE,
    VERTICES = CLOTH + 6, // and the octahedron six more
    FACES = 2 * (SIDE - 1) * (SIDE - 1) + 8,
    STEPS = 60
};

static const double THICKNESS = 0.001; // of the cloth

static double position[VERTICES][3], proposed[VERTICES][3], velocity[VERTICES][3];
static double safe[VERTICES];
static int32_t faces[FACES][3], groups[VERTICES];

// ---- The simulation. None of this is toi's business.

static void make_bodies(void)
{
    static const double corners[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                         {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    int face = 0;
    for (int i = 0; i < CLOTH; ++i) {
        position[i][0] = 3.0 * (i % SIDE) / (SIDE - 1) - 1.4;
        position[i][1] = 3.0 * (i / SIDE) / (SIDE - 1) - 1.45;
        position[i][2] = 1.25;
        groups[i] = -1; // may collide with everything, itself included
    }
    for (int i = 0; i < CLOTH - SIDE; ++i)
        if (i % SIDE < SIDE - 1) {
            memcpy(faces[face++], (int32_t[3]){i, i + 1, i + SIDE}, sizeof faces[0]);
            memcpy(faces[face++], (int32_t[3]){i + 1, i + SIDE + 1, i + SIDE}, sizeof faces[0]);
        }
    for (int i = 0; i < 6; ++i) {
        memcpy(position[CLOTH + i], corners[i], sizeof corners[i]);
        groups[CLOTH + i] = 0; // one rigid body: its parts do not collide with each other
    }
    for (int i = 0; i < 8; ++i) // one of each pair of opposite corners
        memcpy(faces[face++],
               (int32_t[3]){CLOTH + (i & 1), CLOTH + 2 + (i >> 1 & 1), CLOTH + 4 + (i >> 2)},
               sizeof faces[0]);
}

static void pull_together(int a, int b, double length)
{
    double d[3], distance = 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = proposed[b][k] - proposed[a][k];
        distance += d[k] * d[k];
    }
    distance = sqrt(distance);
    for (int k = 0; k < 3 && distance > length; ++k) {
        double move = 0.5 * (1 - length / distance) * d[k];
        proposed[a][k] += move;
        proposed[b][k] -= move;
    }
}

// Where the vertices would go if nothing were in the way: they fall, and threads hold them
// together.
static void propose(double h)
{
    memcpy(proposed, position, sizeof proposed);
    for (int i = 0; i < CLOTH; ++i)
        for (int k = 0; k < 3; ++k) {
            velocity[i][k] -= k == 2 ? 9.81 * h : 0;
            proposed[i][k] += h * velocity[i][k];
        }
    for (int turn = 0; turn < 20; ++turn)
        for (int i = 0; i < CLOTH; ++i) {
            if (i % SIDE < SIDE - 1)
                pull_together(i, i + 1, 3.0 / (SIDE - 1));
            if (i < CLOTH - SIDE)
                pull_together(i, i + SIDE, 3.0 / (SIDE - 1));
        }
}

static void move(double h)
{
    for (int i = 0; i < CLOTH; ++i)
        for (int k = 0; k < 3; ++k)
            velocity[i][k] = (proposed[i][k] - position[i][k]) / h;
    memcpy(position, proposed, sizeof position);
}

// How many vertices of the cloth are in the octahedron, which none may be.
static int inside(void)
{
    int count = 0;
    for (int i = 0; i < CLOTH; ++i)
        count += fabs(position[i][0]) + fabs(position[i][1]) + fabs(position[i][2]) <= 1;
    return count;
}

// ---- The questions.

static int fail(void)
{
    fprintf(stderr, "stepping: %s\n", toi_last_message());
    return 1;
}

int main(void)
{
    const double h = 1.0 / 60;
    make_bodies();

    // Made once: the faces are checked and copied, their edges are found.
    toi_scene_def bodies = toi_default_scene_def();
    bodies.vertex_count = VERTICES;
    bodies.faces = (toi_index_view){faces[0], FACES, 0};
    bodies.filter = (toi_filter){.groups = groups, .group_count = VERTICES};
    toi_scene *scene;
    if (toi_make_scene(&bodies, &scene) != TOI_OK)
        return fail();

    // Views of our own arrays, which change from step to step.
    toi_point_view start = toi_view_points(position[0], VERTICES);
    toi_point_view end = toi_view_points(proposed[0], VERTICES);
    toi_ccd_def thick = toi_default_ccd_def();
    thick.narrow.min_separation = THICKNESS;
    thick.zero_time = toi_solver_policy();

    toi_ccd_report report;
    int64_t impacts = 0;
    int shortened = 0;
    for (int step = 1; step <= STEPS; ++step) {
        propose(h);

        // How far may each vertex go so that nothing comes closer than the cloth is thick?
        if (toi_scene_find_safe_steps(scene, &thick, start, end, safe, &report) != TOI_OK)
            return fail();
        toi_mesh motion = toi_scene_mesh(scene, start, end);
        if (toi_move_points(&motion, safe, proposed[0]) != TOI_OK)
            return fail();

        move(h);
        int64_t found = report.hits[TOI_VERTEX_FACE] + report.hits[TOI_EDGE_EDGE];
        impacts += found;
        shortened += found > 0;
        if (step % 5 == 0)
            printf("step %2d: time %.3f s, %3d impacts, first at %.3f, %d motions checked\n", step,
                   step * h, (int)found, fmin(report.earliest.time, 1), (int)report.checks);
    }

    // Where it all came to lie, nothing is closer than that: a step without motion.
    thick.zero_time = (toi_zero_time_policy){0};
    if (toi_scene_find_earliest(scene, &thick, start, start, &report) != TOI_OK)
        return fail();
    toi_free_scene(scene);
    printf("%d steps, %d shortened, %d impacts: %s, %d vertices inside\n", STEPS, shortened,
           (int)impacts, toi_state_name(report.state), inside());
    return report.state == TOI_SEPARATED && inside() == 0 ? 0 : 1;
}
