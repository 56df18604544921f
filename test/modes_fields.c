// The functions of sdf.h that make and ask fields in every floating-point mode.

#include "modes.h"

#include "modes_calls.h"
#include "toi/sdf.h"

#include <string.h>

// Rounding tells these apart, flushing too.
static const double points[][3] = {{0.1, 0.2, 0.3},           {1.1, -0.7, 0x1p-1040},
                                   {-3.3, 2.1, 0.9},          {0x1p-1030, 0x1p-1030, -0x1p-1035},
                                   {1e-160, -2e-160, 3e-160}, {1e160, 2e160, -0.1}};

enum
{
    POINTS = sizeof points / sizeof *points
};

static void ask_field(const toi_field *field)
{
    double values[POINTS], gradients[POINTS][3];
    toi_status status;
    toi_field_facts facts;
    IN_MODE(facts = toi_describe_field(field));
    keep(&facts.lipschitz, sizeof facts.lipschitz);
    IN_MODE(status = toi_evaluate_field(field, toi_view_points(points[0], POINTS), 2, values,
                                        gradients[0]));
    assert_int_equal(status, TOI_OK);
    keep(values, sizeof values);
    keep(gradients, sizeof gradients);
    for (int i = 0; i < POINTS; ++i) {
        toi_minorant minorants[TOI_MINORANTS];
        memset(minorants, 0, sizeof minorants);
        int count = 0;
        IN_MODE(status = toi_bound_field(field, points[i], 0.1, minorants, &count));
        assert_int_equal(status, TOI_OK);
        keep(minorants, sizeof minorants);
    }
}

static double own_value(void *context, const double point[3], double gradient[3])
{
    (void)context;
    check_own_mode();
    gradient[0] = 1;
    return point[0] / 3;
}

static int own_bounds(void *context, const double centre[3], double radius, toi_minorant *minorants)
{
    (void)context, (void)radius;
    check_own_mode();
    *minorants =
        (toi_minorant){.distance = centre[0] / 3 - 1e-9, .normal = {0.33, 0, 0}, .slope = 0.01};
    return 1;
}

static toi_field *make_own(void)
{
    toi_field_def def = {own_value, own_bounds, 1, 1e-12, NULL};
    toi_field *field;
    toi_status status;
    IN_MODE(status = toi_make_field(&def, &field));
    assert_int_equal(status, TOI_OK);
    return field;
}

static toi_field *make_shape(toi_shape shape)
{
    double numbers[4] = {1.1, 1.3, 0.5, 0.3};
    toi_field *field;
    toi_status status;
    const char *name;
    int count;
    IN_MODE(name = toi_shape_name(shape));
    assert_non_null(name);
    IN_MODE(count = toi_shape_numbers(shape));
    IN_MODE(status = toi_make_shape(shape, numbers, count, &field));
    assert_int_equal(status, TOI_OK);
    return field;
}

static void call_mesh_field(void)
{
    const double corners[4][3] = {{0.1, 0, 0}, {1.7, 0, 0.3}, {0, 1.1, 0}, {0.3, 0.2, 1.3}};
    const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    toi_mesh_field_report report;
    toi_field *field;
    toi_status status;
    IN_MODE(status = toi_make_mesh_field(toi_view_points(corners[0], 4),
                                         (toi_index_view){faces[0], 4, 0}, 2, &report, &field));
    assert_int_equal(status, TOI_OK);
    keep(&report.volume, sizeof report.volume);
    ask_field(field);
    toi_free_field(field);
}

static void mode_pose(void *context, double time, toi_pose *pose)
{
    (void)context;
    check_own_mode();
    *pose = (toi_pose){.matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .position = {0, 0, 3 - 2 * time}};
    pose->velocity[2] = -2;
}

// One question of a mesh and of a triangle by a motion; all of the result is kept.
static void ask_impact(const toi_sdf_def *def, const toi_surface *surface, double (*points_)[3],
                       const toi_motion *motion, const toi_field *field)
{
    toi_sdf_result result;
    toi_status status;
    memset(&result, 0, sizeof result);
    IN_MODE(status = toi_find_field_impact(def, surface, motion, field, &result));
    assert_int_equal(status, TOI_OK);
    keep(&result, sizeof result);
    const double(*corners)[3] = (const double(*)[3])points_;
    IN_MODE(status = toi_find_triangle_impact(def, corners, motion, field, &result));
    assert_int_equal(status, TOI_OK);
    keep(&result, sizeof result);
}

static void call_motions(toi_motion motion, const toi_surface *surface, double (*points_)[3],
                         const toi_field *field)
{
    double matrix[9], position[3], end[3][3] = {{0.1, 0, -2}, {1, 0.2, -3}, {0, 1, -0.1}};
    toi_sdf_def def;
    const char *name;
    IN_MODE(def = toi_default_sdf_def());
    IN_MODE(name = toi_sdf_solver_name(TOI_SDF_CERTIFIED));
    assert_non_null(name);
    IN_MODE(name = toi_sdf_state_name(TOI_SDF_HIT));
    assert_non_null(name);
    IN_MODE(motion.field = toi_rest());
    motion.mesh.position[2] = 3;
    motion.mesh.velocity[2] = -4.1;
    motion.mesh.spin[1] = 0.7;
    motion.field.spin[0] = 0.3;
    IN_MODE(toi_rigid_pose(&motion.mesh, 0.3, matrix, position));
    keep(matrix, sizeof matrix);
    keep(position, sizeof position);
    ask_impact(&def, surface, points_, &motion, field);
    motion.start = toi_view_points(points_[0], 3);
    motion.end = toi_view_points(end[0], 3);
    ask_impact(&def, surface, points_, &motion, field);
    motion.pose = mode_pose;
    motion.speed[0] = 2;
    ask_impact(&def, surface, points_, &motion, field);
}

static void call_impacts(void)
{
    double corners[3][3] = {{-1, 0, 0.1}, {1, -0.3, 0}, {0, 1, 0}};
    int32_t face[3] = {0, 1, 2};
    toi_surface *surface;
    toi_motion motion;
    toi_status status;
    toi_field *field = make_shape(TOI_SHAPE_TORUS);
    IN_MODE(status = toi_make_surface(toi_view_points(corners[0], 3), (toi_index_view){face, 1, 0},
                                      2, &surface));
    assert_int_equal(status, TOI_OK);
    IN_MODE(motion = toi_default_motion());
    call_motions(motion, surface, corners, field);
    IN_MODE(toi_free_surface(surface));
    toi_free_field(field);
}

void call_fields(void)
{
    call_impacts();
    call_mesh_field();
    toi_field *parts[TOI_SHAPE_COUNT + 1], *all, *placed;
    toi_placement placement;
    toi_status status;
    const char *name;
    for (int i = 0; i < TOI_SHAPE_COUNT; ++i) {
        parts[i] = make_shape((toi_shape)i);
        ask_field(parts[i]);
    }
    parts[TOI_SHAPE_COUNT] = make_own();
    IN_MODE(placement = toi_default_placement());
    placement.scale = 1.0 / 3;
    placement.rotation[2] = 0.7;
    placement.offset = 0.01;
    for (int i = 0; i < TOI_COMBINE_COUNT; ++i) {
        IN_MODE(name = toi_combination_name((toi_combination)i));
        assert_non_null(name);
        IN_MODE(status = toi_combine_fields((toi_combination)i, parts, TOI_SHAPE_COUNT + 1, &all));
        assert_int_equal(status, TOI_OK);
        IN_MODE(status = toi_place_field(all, &placement, &placed));
        assert_int_equal(status, TOI_OK);
        ask_field(placed);
        toi_free_field(all);
        IN_MODE(toi_free_field(placed));
    }
    for (int i = 0; i <= TOI_SHAPE_COUNT; ++i)
        toi_free_field(parts[i]);
}
