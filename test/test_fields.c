// Fields against their slow twin in long double: values within their error, bounds below the true
// field in every ball, gradients, Lipschitz constants; and every wrong argument.

#include "field_twin.h"
#include "sdf/field.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Random points and balls

static double random_sign(toi_random *random)
{
    return toi_random_below(random, 2) ? 1 : -1;
}

// A vector of length at most 1; half of them on the sphere itself.
static void random_direction(toi_random *random, long double y[3])
{
    long double square = 0;
    do {
        for (int k = 0; k < 3; ++k)
            y[k] = toi_random_range(random, -1, 1);
        square = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    } while (square > 1 || square < 1e-6L);
    if (toi_random_below(random, 2))
        for (int k = 0; k < 3; ++k)
            y[k] *= (1 - 0x1p-60L) / sqrtl(square);
}

// Anywhere in some sizes about the origin, on an axis, or walked to the surface.
static void random_centre(toi_random *random, const toi_field *field, double size, double p[3])
{
    uint64_t way = toi_random_below(random, 8);
    for (int k = 0; k < 3; ++k)
        p[k] = way == 0 && toi_random_below(random, 2) ? 0 : toi_random_range(random, -3, 3) * size;
    for (int i = 0; way >= 3 && i < 8; ++i) {
        toi_field_sample sample;
        toi_sample_field(field, p, &sample);
        double square = 0;
        for (int k = 0; k < 3; ++k)
            square += sample.gradient[k] * sample.gradient[k];
        for (int k = 0; k < 3 && square > 0.01; ++k)
            p[k] -= sample.value * sample.gradient[k] / square;
    }
}

static double largest(const double p[3])
{
    return fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
}

// What long doubles may be off by, in fields of this size at this point: an eighth of the least
// error that the library allows itself for numbers of this size.
static long double twin_error(const double p[3], double size)
{
    return 0x1p-57L * (largest(p) + size) + 0x1p-1070L;
}

// ---------------------------------------------------------------------------------------------
// One field, many balls

typedef struct trial
{
    int64_t balls, bounded, points;
} trial;

static void check_value(const twin_node *node, const double c[3], double size,
                        const toi_field_sample *sample)
{
    double alone = node->field->class->value(node->field, c);
    assert_memory_equal(&alone, &sample->value, sizeof alone);
    long double truth = twin_value(node, (long double[3]){c[0], c[1], c[2]});
    long double off = fabsl(truth - sample->value);
    if (!(off <= sample->error + twin_error(c, size)))
        fail_msg("%s at (%a, %a, %a), size %g: value %a is off by %La, not %a",
                 toi_describe_field(node->field).kind, c[0], c[1], c[2], size, sample->value, off,
                 sample->error);
}

static long double least_minorant(const toi_minorant *minorants, int count, const long double y[3])
{
    long double square = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], least = INFINITY;
    for (int i = 0; i < count; ++i) {
        const toi_minorant *m = &minorants[i];
        long double along = m->normal[0] * y[0] + m->normal[1] * y[1] + m->normal[2] * y[2];
        least = fminl(least, m->distance + along - m->curvature / (long double)2 * square -
                                 m->slope * sqrtl(square));
    }
    return least;
}

static void check_point(const twin_node *node, const double c[3], double radius, double sign,
                        double size, const toi_minorant *minorants, int count, toi_random *random)
{
    long double y[3], x[3];
    random_direction(random, y);
    for (int k = 0; k < 3; ++k) {
        x[k] = c[k] + radius * y[k];
        y[k] = x[k] - c[k];
    }
    long double truth = sign * twin_value(node, x), bound = least_minorant(minorants, count, y);
    if (bound > truth + twin_error(c, size + radius))
        fail_msg("%s, sign %g: about (%a, %a, %a), radius %a, size %g: bound %La above %La by %Lg",
                 toi_describe_field(node->field).kind, sign, c[0], c[1], c[2], radius, size, bound,
                 truth, bound - truth);
}

static void check_ball(const twin_node *node, double size, toi_random *random, trial *counts)
{
    double c[3], sign = random_sign(random);
    random_centre(random, node->field, size, c);
    toi_field_sample sample;
    toi_sample_field(node->field, c, &sample);
    check_value(node, c, size, &sample);
    double radius = size * exp2(toi_random_range(random, -50, 2));
    if (toi_random_below(random, 8) == 0)
        radius = 0;
    int room = toi_random_below(random, 4) ? TOI_MINORANTS
                                           : 1 + (int)toi_random_below(random, TOI_MINORANTS);
    toi_minorant minorants[TOI_MINORANTS];
    memset(minorants, 0xff, sizeof minorants);
    int count = node->field->class->bound(node->field, &sample, c, radius, sign, minorants, room);
    assert_true(count >= 0 && count <= room);
    for (int i = 0; i < count; ++i)
        assert_true(minorants[i].curvature >= 0 && minorants[i].slope >= 0);
    for (int i = 0; i < 6 && count > 0; ++i)
        check_point(node, c, radius, sign, size, minorants, count, random);
    counts->balls += 1;
    counts->bounded += count > 0;
    counts->points += count > 0 ? 6 : 0;
}

static double random_size(toi_random *random)
{
    return toi_random_below(random, 2) ? 1 : pow(10, toi_random_range(random, -6, 6));
}

// Every shape at sizes from 1e-6 to 1e6, near its surface and not, in balls from a hair to several
// sizes, for phi and for -phi.
static void shapes_keep_their_bounds(void **state)
{
    (void)state;
    toi_random random = {1};
    for (int shape = 0; shape < TOI_SHAPE_COUNT; ++shape) {
        trial counts = {0};
        for (int64_t i = 0; i < cases(400); ++i) {
            double size = random_size(&random);
            twin_node *node = random_shape(&random, (toi_shape)shape, size);
            for (int k = 0; k < 50; ++k)
                check_ball(node, size, &random, &counts);
            free_tree(node);
        }
        assert_true(counts.bounded * 3 > counts.balls); // else little was checked
    }
}

// Combined and placed up to four deep.
static void trees_keep_their_bounds(void **state)
{
    (void)state;
    toi_random random = {2};
    trial counts = {0};
    for (int64_t i = 0; i < cases(1500); ++i) {
        double size = random_size(&random);
        twin_node *node = random_tree(&random, 1 + (int)(i % 4), size, 1);
        for (int k = 0; k < 20; ++k)
            check_ball(node, size, &random, &counts);
        free_tree(node);
    }
    assert_true(counts.bounded * 3 > counts.balls);
}

// Placed far from the origin, where coordinates have few digits left for the shape.
static void far_fields_keep_their_bounds(void **state)
{
    (void)state;
    toi_random random = {3};
    for (int64_t i = 0; i < cases(600); ++i) {
        double size = random_size(&random), far = pow(10, toi_random_range(&random, 1, 12));
        twin_node *node = random_tree(&random, 2, size, far);
        trial counts = {0};
        for (int k = 0; k < 20; ++k)
            check_ball(node, size * far, &random, &counts);
        free_tree(node);
    }
}

// Shapes seen from so far that nothing of them is left in the coordinates' digits.
static void far_points_keep_their_bounds(void **state)
{
    (void)state;
    toi_random random = {9};
    for (int64_t i = 0; i < cases(2000); ++i) {
        double far = pow(10, toi_random_range(&random, 1, 20));
        twin_node *node = random_shape(&random, (toi_shape)(i % TOI_SHAPE_COUNT), 1);
        trial counts = {0};
        for (int k = 0; k < 10; ++k)
            check_ball(node, far, &random, &counts);
        free_tree(node);
    }
}

static double first_coordinate(void *context, const double point[3], double gradient[3])
{
    (void)context;
    gradient[0] = 1;
    return point[0];
}

static int linear_bound(void *context, const double centre[3], double radius,
                        toi_minorant *minorants)
{
    (void)context, (void)radius;
    *minorants = (toi_minorant){.distance = centre[0], .normal = {1, 0, 0}};
    return 1;
}

// A bound without any slack of its own: what turning and moving it loses must be added.
static void placing_adds_its_own_errors(void **state)
{
    (void)state;
    toi_random random = {10};
    toi_field_def def = {first_coordinate, linear_bound, 1, 0, NULL};
    twin_node plane = {.kind = TOI_SHAPE_PLANE, .numbers = {1, 0, 0, 0}};
    assert_ok(toi_make_field(&def, &plane.field));
    for (int64_t i = 0; i < cases(4000); ++i) {
        twin_node node = {.kind = TWIN_PLACED, .count = 1, .children = {&plane}};
        node.placement = toi_default_placement();
        node.placement.scale = exp2(toi_random_range(&random, -6, 6));
        for (int k = 0; k < 4; ++k)
            node.placement.rotation[k] = toi_random_range(&random, -1, 1);
        for (int k = 0; k < 3; ++k)
            node.placement.position[k] = toi_random_range(&random, -1, 1);
        assert_ok(toi_place_field(plane.field, &node.placement, &node.field));
        const double *c = node.placement.position; // there a turn alone is what is off
        toi_minorant minorants[TOI_MINORANTS];
        int count;
        assert_ok(toi_bound_field(node.field, c, 100, minorants, &count));
        assert_int_equal(count, 1);
        for (int k = 0; k < 10; ++k)
            check_point(&node, c, 100, 1, 1, minorants, count, &random);
        toi_free_field(node.field);
    }
    toi_free_field(plane.field);
}

// Sizes whose squares underflow or overflow, down to denormals.
static void extreme_sizes_keep_their_bounds(void **state)
{
    (void)state;
    static const double sizes[] = {0x1p-1060, 0x1p-1020, 1e-300, 1e-160, 1e-120,
                                   1e120,     1e155,     1e200,  1e290};
    toi_random random = {4};
    for (int64_t i = 0; i < cases(2000); ++i) {
        double size = sizes[i % 9];
        twin_node *node = random_shape(&random, (toi_shape)(i / 9 % TOI_SHAPE_COUNT), size);
        trial counts = {0};
        for (int k = 0; k < 10; ++k)
            check_ball(node, size, &random, &counts);
        free_tree(node);
    }
}

// ---------------------------------------------------------------------------------------------
// What values, gradients and bounds are besides valid

// A bound that gives away more than rounding at the centre of a small ball is no use.
static void bounds_are_tight_at_the_centre(void **state)
{
    (void)state;
    toi_random random = {5};
    int64_t bounded = 0, all = 0;
    for (int64_t i = 0; i < cases(2000); ++i) {
        twin_node *node = random_tree(&random, (int)(i % 3), 1, 1);
        double c[3];
        random_centre(&random, node->field, 1, c);
        toi_field_sample sample;
        toi_sample_field(node->field, c, &sample);
        toi_minorant minorants[TOI_MINORANTS];
        int count;
        assert_ok(toi_bound_field(node->field, c, 1e-9, minorants, &count));
        for (int k = 0; k < count; ++k)
            assert_true(minorants[k].distance >= sample.value - 1e-12);
        bounded += count > 0;
        ++all;
        free_tree(node);
    }
    assert_true(bounded * 10 > all * 7);
}

// Where the twin's differences to both sides agree, the gradient is theirs.
static void gradients_are_differences(void **state)
{
    (void)state;
    toi_random random = {6};
    int64_t smooth = 0;
    for (int64_t i = 0; i < cases(4000); ++i) {
        twin_node *node = random_tree(&random, (int)(i % 4), 1, 1);
        double c[3];
        random_centre(&random, node->field, 1, c);
        toi_field_sample sample;
        toi_sample_field(node->field, c, &sample);
        for (int k = 0; k < 3; ++k) {
            long double before[3] = {c[0], c[1], c[2]}, after[3] = {c[0], c[1], c[2]}, h = 1e-7L;
            before[k] -= h;
            after[k] += h;
            long double here = twin_value(node, (long double[3]){c[0], c[1], c[2]});
            long double left = (here - twin_value(node, before)) / h;
            long double right = (twin_value(node, after) - here) / h;
            if (fabsl(right - left) > 1e-5L)
                continue;
            assert_true(fabsl(sample.gradient[k] - (left + right) / 2) < 1e-4L);
            ++smooth;
        }
        free_tree(node);
    }
    assert_true(smooth > cases(4000));
}

static void fields_are_lipschitz(void **state)
{
    (void)state;
    toi_random random = {7};
    for (int64_t i = 0; i < cases(4000); ++i) {
        twin_node *node = random_tree(&random, (int)(i % 4), 1, 1);
        double c[3], lipschitz = toi_describe_field(node->field).lipschitz;
        random_centre(&random, node->field, 1, c);
        long double p[3] = {c[0], c[1], c[2]}, q[3], y[3];
        random_direction(&random, y);
        double reach = exp2(toi_random_range(&random, -20, 1));
        for (int k = 0; k < 3; ++k)
            q[k] = p[k] + reach * y[k];
        long double length = hypotl(hypotl(y[0], y[1]), y[2]) * reach;
        assert_true(fabsl(twin_value(node, p) - twin_value(node, q)) <=
                    lipschitz * length + 1e-16L);
        free_tree(node);
    }
}

static toi_field *make(toi_shape shape, const double *numbers)
{
    toi_field *field;
    assert_ok(toi_make_shape(shape, numbers, toi_shape_numbers(shape), &field));
    return field;
}

static double value_at(toi_field *field, double x, double y, double z)
{
    double value;
    assert_ok(toi_evaluate_field(field, toi_view_points((double[3]){x, y, z}, 1), 1, &value, NULL));
    return value;
}

// By hand, with exact answers.
static void hand_values(void **state)
{
    (void)state;
    static const struct
    {
        toi_shape shape;
        double numbers[4], point[3], value;
    } hand[] = {
        {TOI_SHAPE_SPHERE, {2}, {0, 3, 4}, 3},
        {TOI_SHAPE_SPHERE, {2}, {0, 0, 0}, -2},
        {TOI_SHAPE_BOX, {1, 2, 3}, {4, 6, 3}, 5},
        {TOI_SHAPE_BOX, {1, 2, 3}, {-0.5, 0, 0}, -0.5},
        {TOI_SHAPE_ROUNDED_BOX, {2, 2, 2, 1}, {4, 5, 0}, 4},
        {TOI_SHAPE_ROUNDED_BOX, {2, 2, 2, 1}, {0, 0, 0}, -2},
        {TOI_SHAPE_CAPSULE, {1, 2}, {3, 0, 6}, 4},
        {TOI_SHAPE_CAPSULE, {1, 2}, {0, 0, 1}, -1},
        {TOI_SHAPE_CYLINDER, {1, 2}, {4, 0, -6}, 5},
        {TOI_SHAPE_CYLINDER, {1, 2}, {0, 0, 1.75}, -0.25},
        {TOI_SHAPE_CONE, {3, 4}, {0, 0, 6}, 2},
        {TOI_SHAPE_CONE, {3, 4}, {0, 0, -1}, 1},
        {TOI_SHAPE_CONE, {3, 4}, {0, 6, -4}, 5},
        {TOI_SHAPE_CONE, {3, 4}, {0, 0, 0.5}, -0.5},
        {TOI_SHAPE_PLANE, {0, 0, -7, 1}, {5, 5, -3}, 2},
        {TOI_SHAPE_TORUS, {3, 1}, {3, 4, 0}, 1},
        {TOI_SHAPE_TORUS, {3, 1}, {0, 0, 4}, 4},
        {TOI_SHAPE_TORUS, {1, 3}, {0, 0, 0}, -2},
        {TOI_SHAPE_SPIKES, {2, 1, 0.5}, {4, -2, 3}, 2},
        {TOI_SHAPE_SPIKES, {2, 1, 0.5}, {1, 1, 0.125}, 0.125},
        {TOI_SHAPE_GYROID, {1, 0.5}, {0, 0, 0}, -0.25},
    };
    for (size_t i = 0; i < sizeof hand / sizeof *hand; ++i) {
        toi_field *field = make(hand[i].shape, hand[i].numbers);
        const double *p = hand[i].point;
        assert_string_equal(toi_describe_field(field).kind, toi_shape_name(hand[i].shape));
        assert_true(fabs(value_at(field, p[0], p[1], p[2]) - hand[i].value) < 1e-15);
        toi_free_field(field);
    }
}

// Same bits for any number of workers, with and without gradients; floats are their doubles.
static void workers_agree(void **state)
{
    (void)state;
    enum
    {
        COUNT = 5000
    };
    static double points[COUNT][3], values[2][COUNT], gradients[2][COUNT][3];
    static float floats[COUNT][3];
    toi_random random = {8};
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k)
            floats[i][k] = (float)toi_random_range(&random, -3, 3);
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = floats[i][k];
    twin_node *node = random_tree(&random, 3, 1, 1);
    toi_point_view view = toi_view_points(points[0], COUNT);
    assert_ok(toi_evaluate_field(node->field, view, 1, values[0], gradients[0][0]));
    for (int workers = 0; workers <= 5; ++workers) {
        assert_ok(toi_evaluate_field(node->field, view, workers, values[1], gradients[1][0]));
        assert_memory_equal(values[0], values[1], sizeof values[0]);
        assert_memory_equal(gradients[0], gradients[1], sizeof gradients[0]);
        assert_ok(toi_evaluate_field(node->field, view, workers, values[1], NULL));
        assert_memory_equal(values[0], values[1], sizeof values[0]);
    }
    view = (toi_point_view){floats, COUNT, sizeof *floats, TOI_FLOAT};
    assert_ok(toi_evaluate_field(node->field, view, 2, values[1], NULL));
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    free_tree(node);
}

// A field holds on to its parts.
static void parts_may_be_freed_first(void **state)
{
    (void)state;
    toi_field *parts[2] = {make(TOI_SHAPE_SPHERE, (double[]){2}),
                           make(TOI_SHAPE_BOX, (double[]){1, 1, 1})};
    toi_field *both, *placed;
    toi_placement placement = toi_default_placement();
    placement.position[0] = 5;
    assert_ok(toi_combine_fields(TOI_COMBINE_DIFFERENCE, parts, 2, &both));
    toi_free_field(parts[0]);
    toi_free_field(parts[1]);
    assert_ok(toi_place_field(both, &placement, &placed));
    toi_free_field(both);
    assert_true(value_at(placed, 5, 0, 0) == 1);
    assert_true(value_at(placed, 5, 0, 3) == 1);
    assert_string_equal(toi_describe_field(placed).kind, "placed");
    toi_free_field(placed);
    toi_free_field(NULL);
    assert_string_equal(toi_describe_field(NULL).kind, "none");
}

// What a mesh's bounds do not know goes on into what is made of it.
static void floors_are_kept(void **state)
{
    (void)state;
    static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    toi_field *parts[2] = {make(TOI_SHAPE_SPHERE, (double[]){1})}, *all, *placed, *again;
    assert_ok(toi_make_mesh_field(toi_view_points(corners[0], 4), (toi_index_view){faces[0], 4, 0},
                                  1, NULL, &parts[1]));
    parts[1]->floor[1] = -0.5; // as if more were known of one side, to tell the two apart
    toi_placement placement = toi_default_placement();
    placement.scale = 2;
    placement.offset = 0.25;
    for (int i = 0; i < TOI_COMBINE_COUNT; ++i) {
        assert_ok(toi_combine_fields((toi_combination)i, parts, 2, &all));
        assert_ok(toi_place_field(all, &placement, &placed));
        assert_ok(toi_place_field(placed, &placement, &again));
        bool negated = i == TOI_COMBINE_DIFFERENCE;
        assert_true(all->floor[negated] == 0 && all->floor[!negated] == -0.5);
        assert_true(placed->floor[negated] == (negated ? 0.25 : -0.25));
        assert_true(fabs(placed->floor[!negated] - (negated ? -1.25 : -0.75)) < 1e-12);
        assert_true(fabs(again->floor[negated] - (negated ? 0.75 : -0.75)) < 1e-12);
        toi_free_field(again);
        toi_free_field(placed);
        toi_free_field(all);
    }
    assert_true(parts[0]->floor[0] == -INFINITY);
    assert_ok(toi_place_field(parts[0], &placement, &placed));
    assert_true(placed->floor[0] == -INFINITY && placed->floor[1] == -INFINITY);
    toi_free_field(placed);
    toi_free_field(parts[0]);
    toi_free_field(parts[1]);
}

// ---------------------------------------------------------------------------------------------
// The caller's own fields

typedef struct own_field
{
    double value;
    toi_minorant minorant;
    int count;
} own_field;

static double own_value(void *context, const double point[3], double gradient[3])
{
    gradient[0] = 1;
    return ((own_field *)context)->value + point[0];
}

static int own_bounds(void *context, const double centre[3], double radius, toi_minorant *minorants)
{
    (void)radius;
    const own_field *own = context;
    for (int i = 0; i < own->count && i < TOI_MINORANTS; ++i) {
        minorants[i] = own->minorant;
        minorants[i].distance += centre[0];
    }
    return own->count;
}

static void own_fields_are_checked(void **state)
{
    (void)state;
    own_field own = {.minorant = {0, {1, 0, 0}, 0, 0}, .count = 1};
    toi_field_def def = {own_value, own_bounds, 1, 0, &own};
    toi_field *field, *both;
    assert_ok(toi_make_field(&def, &field));
    toi_field *parts[2] = {make(TOI_SHAPE_SPHERE, (double[]){2}), field};
    assert_ok(toi_combine_fields(TOI_COMBINE_UNION, parts, 2, &both));
    assert_true(field->user && both->user);
    const double at[3] = {0.25, 0, 0};
    toi_minorant minorants[TOI_MINORANTS];
    int count;
    assert_ok(toi_bound_field(field, at, 1, minorants, &count));
    assert_true(count == 1 && minorants[0].distance == 0.25 && minorants[0].normal[0] == 1);
    assert_true(value_at(both, 0.25, 0, 0) == -1.75);

    static const toi_minorant wrong[] = {{NAN, {1, 0, 0}, 0, 0},      {0, {1, NAN, 0}, 0, 0},
                                         {0, {1, 0, 0}, -1, 0},       {0, {1, 0, 0}, 0, -1},
                                         {0, {1, 0, 0}, INFINITY, 0}, {0, {1, 0, 0}, 0, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        own.minorant = wrong[i];
        assert_fails(toi_bound_field(field, at, 1, minorants, &count), TOI_ERROR_DATA, "bounds");
        assert_int_equal(count, 0);
        assert_fails(toi_bound_field(both, at, 8, minorants, &count), TOI_ERROR_DATA, "bounds");
    }
    own.minorant = (toi_minorant){0, {1, 0, 0}, 0, 0};
    own.count = TOI_MINORANTS + 1;
    assert_fails(toi_bound_field(field, at, 1, minorants, &count), TOI_ERROR_DATA, "bounds");
    own.count = -1;
    assert_fails(toi_bound_field(field, at, 1, minorants, &count), TOI_ERROR_DATA, "bounds");
    own.count = TOI_MINORANTS; // no room beside the sphere's: the Lipschitz constant
    assert_ok(toi_bound_field(both, at, 8, minorants, &count));
    assert_int_equal(count, 2);
    assert_true(minorants[1].slope == 1 && minorants[1].distance <= 0.25);

    own.value = NAN;
    double value;
    assert_fails(toi_bound_field(both, at, 1, minorants, &count), TOI_ERROR_DATA, "not a number");
    assert_fails(toi_evaluate_field(both, toi_view_points(at, 1), 1, &value, NULL), TOI_ERROR_DATA,
                 "point 0");
    toi_free_field(both);
    toi_free_field(parts[0]);
    toi_free_field(field);
}

// ---------------------------------------------------------------------------------------------
// Wrong arguments

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    toi_field *field = (toi_field *)state;
    assert_fails(toi_make_shape(TOI_SHAPE_COUNT, (double[]){1}, 1, &field), TOI_ERROR_ARGUMENT,
                 "unknown shape");
    assert_null(field);
    assert_fails(toi_make_shape(TOI_SHAPE_TORUS, (double[]){1}, 1, &field), TOI_ERROR_ARGUMENT,
                 "torus takes 2 numbers, not 1");
    assert_fails(toi_make_shape(TOI_SHAPE_TORUS, NULL, 2, &field), TOI_ERROR_ARGUMENT,
                 "torus takes 2");
    assert_fails(toi_make_shape(TOI_SHAPE_TORUS, (double[]){1, -1}, 2, &field), TOI_ERROR_ARGUMENT,
                 "torus: number 2 is -1");
    assert_fails(toi_make_shape(TOI_SHAPE_BOX, (double[]){1, NAN, 1}, 3, &field),
                 TOI_ERROR_ARGUMENT, "box: number 2");
    assert_fails(toi_make_shape(TOI_SHAPE_PLANE, (double[]){0, 0, 1, INFINITY}, 4, &field),
                 TOI_ERROR_ARGUMENT, "plane: number 4 is inf");
    assert_fails(toi_make_shape(TOI_SHAPE_PLANE, (double[]){0, 0, 0, 1}, 4, &field),
                 TOI_ERROR_ARGUMENT, "normal");
    assert_fails(toi_make_shape(TOI_SHAPE_ROUNDED_BOX, (double[]){3, 2, 3, 2.5}, 4, &field),
                 TOI_ERROR_ARGUMENT, "number 2 is 2");
    assert_fails(toi_make_shape(TOI_SHAPE_SPIKES, (double[]){1, 1, 0.75}, 3, &field),
                 TOI_ERROR_ARGUMENT, "base radius");
    assert_fails(toi_make_shape(TOI_SHAPE_SPHERE, (double[]){1}, 1, NULL), TOI_ERROR_ARGUMENT,
                 "no place");
    assert_null(toi_shape_name(TOI_SHAPE_COUNT));
    assert_null(toi_combination_name((toi_combination)-1));
    assert_int_equal(toi_shape_numbers((toi_shape)-1), 0);
    for (int i = 0; i < TOI_SHAPE_COUNT; ++i)
        assert_true(toi_shape_name((toi_shape)i) && toi_shape_numbers((toi_shape)i) > 0);
    for (int i = 0; i < TOI_COMBINE_COUNT; ++i)
        assert_non_null(toi_combination_name((toi_combination)i));
}

static void wrong_combinations_are_refused(void **state)
{
    (void)state;
    toi_field *sphere = make(TOI_SHAPE_SPHERE, (double[]){1}), *field;
    toi_field *parts[2] = {sphere, NULL};
    assert_fails(toi_combine_fields(TOI_COMBINE_COUNT, parts, 1, &field), TOI_ERROR_ARGUMENT,
                 "unknown combination");
    assert_fails(toi_combine_fields(TOI_COMBINE_UNION, parts, 0, &field), TOI_ERROR_ARGUMENT,
                 "union of 0");
    assert_fails(toi_combine_fields(TOI_COMBINE_UNION, NULL, 2, &field), TOI_ERROR_ARGUMENT,
                 "union of 0");
    assert_fails(toi_combine_fields(TOI_COMBINE_DIFFERENCE, parts, 2, &field), TOI_ERROR_ARGUMENT,
                 "difference: field 1 is NULL");
    assert_fails(toi_combine_fields(TOI_COMBINE_UNION, parts, 1, NULL), TOI_ERROR_ARGUMENT,
                 "no place");

    toi_placement placement = toi_default_placement();
    assert_fails(toi_place_field(NULL, &placement, &field), TOI_ERROR_ARGUMENT, "no field");
    assert_fails(toi_place_field(sphere, NULL, &field), TOI_ERROR_ARGUMENT, "no placement");
    assert_fails(toi_place_field(sphere, &placement, NULL), TOI_ERROR_ARGUMENT, "no place for");
    placement.scale = 0;
    assert_fails(toi_place_field(sphere, &placement, &field), TOI_ERROR_ARGUMENT, "scale is 0");
    placement = toi_default_placement();
    placement.rotation[0] = 0;
    assert_fails(toi_place_field(sphere, &placement, &field), TOI_ERROR_ARGUMENT, "rotation");
    placement.rotation[2] = NAN;
    assert_fails(toi_place_field(sphere, &placement, &field), TOI_ERROR_ARGUMENT,
                 "rotation: number 3");
    placement = toi_default_placement();
    placement.position[1] = INFINITY;
    assert_fails(toi_place_field(sphere, &placement, &field), TOI_ERROR_ARGUMENT,
                 "position: number 2");
    placement = toi_default_placement();
    placement.offset = NAN;
    assert_fails(toi_place_field(sphere, &placement, &field), TOI_ERROR_ARGUMENT, "offset");
    assert_null(field);
    toi_free_field(sphere);
}

// So deep and no deeper.
static void depth_is_limited(void **state)
{
    (void)state;
    toi_field *field = make(TOI_SHAPE_SPHERE, (double[]){1}), *next;
    toi_placement placement = toi_default_placement();
    placement.position[0] = 1;
    for (int i = 0; i < TOI_FIELD_DEPTH; ++i) {
        if (i % 2)
            assert_ok(toi_place_field(field, &placement, &next));
        else
            assert_ok(toi_combine_fields(TOI_COMBINE_UNION, &field, 1, &next));
        toi_free_field(field);
        field = next;
    }
    assert_true(value_at(field, 0.5 * TOI_FIELD_DEPTH, 0, 0) == -1);
    assert_fails(toi_place_field(field, &placement, &next), TOI_ERROR_LIMIT, "deep");
    assert_fails(toi_combine_fields(TOI_COMBINE_UNION, &field, 1, &next), TOI_ERROR_LIMIT, "deep");
    toi_free_field(field);
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    toi_field *sphere = make(TOI_SHAPE_SPHERE, (double[]){1}), *field;
    double p[3] = {1, NAN, 0}, value;
    toi_minorant minorants[TOI_MINORANTS];
    int count;
    toi_point_view view = toi_view_points(p, 1);
    assert_fails(toi_evaluate_field(NULL, view, 1, &value, NULL), TOI_ERROR_ARGUMENT, "no field");
    assert_fails(toi_evaluate_field(sphere, view, 1, NULL, NULL), TOI_ERROR_ARGUMENT,
                 "room for values");
    assert_fails(toi_evaluate_field(sphere, view, 1, &value, NULL), TOI_ERROR_DATA,
                 "point 0: coordinate y is nan");
    assert_fails(toi_evaluate_field(sphere, view, -1, &value, NULL), TOI_ERROR_ARGUMENT, "-1");
    view.count = -1;
    assert_fails(toi_evaluate_field(sphere, view, 1, &value, NULL), TOI_ERROR_ARGUMENT, "-1");
    view = (toi_point_view){p, 1, 0, (toi_scalar)7};
    assert_fails(toi_evaluate_field(sphere, view, 1, &value, NULL), TOI_ERROR_ARGUMENT, "7");
    assert_ok(toi_evaluate_field(sphere, (toi_point_view){0}, 1, NULL, NULL));
    assert_fails(toi_bound_field(sphere, p, 1, minorants, &count), TOI_ERROR_ARGUMENT, "y is nan");
    p[1] = 0;
    assert_fails(toi_bound_field(sphere, p, -1, minorants, &count), TOI_ERROR_ARGUMENT, "radius");
    assert_fails(toi_bound_field(NULL, p, 1, minorants, &count), TOI_ERROR_ARGUMENT, "no field");
    assert_fails(toi_bound_field(sphere, NULL, 1, minorants, &count), TOI_ERROR_ARGUMENT, "centre");
    assert_fails(toi_bound_field(sphere, p, 1, NULL, &count), TOI_ERROR_ARGUMENT, "minorants");
    assert_fails(toi_bound_field(sphere, p, 1, minorants, NULL), TOI_ERROR_ARGUMENT, "count");
    assert_fails(toi_make_field(NULL, &field), TOI_ERROR_ARGUMENT, "no definition");
    toi_field_def def = {NULL, NULL, 1, 0, NULL};
    assert_fails(toi_make_field(&def, &field), TOI_ERROR_ARGUMENT, "value");
    def.value = own_value;
    assert_fails(toi_make_field(&def, NULL), TOI_ERROR_ARGUMENT, "no place");
    def.lipschitz = 0;
    assert_fails(toi_make_field(&def, &field), TOI_ERROR_ARGUMENT, "Lipschitz constant is 0");
    def.lipschitz = 1;
    def.error = -1;
    assert_fails(toi_make_field(&def, &field), TOI_ERROR_ARGUMENT, "error of the values is -1");
    assert_null(field);
    toi_free_field(sphere);
}

static void *allocate_nothing(void *user, size_t size, size_t alignment)
{
    (void)user, (void)size, (void)alignment;
    return NULL;
}

static void no_memory_is_said(void **state)
{
    (void)state;
    toi_field *sphere = make(TOI_SHAPE_SPHERE, (double[]){1}), *field = sphere;
    toi_placement placement = toi_default_placement();
    toi_field_def def = {own_value, NULL, 1, 0, NULL};
    toi_set_hooks(&(toi_hooks){.allocate = allocate_nothing});
    expect_news(toi_make_shape(TOI_SHAPE_SPHERE, (double[]){1}, 1, &field), "shape");
    assert_null(field);
    expect_news(toi_combine_fields(TOI_COMBINE_UNION, &sphere, 1, &field), "union");
    expect_news(toi_place_field(sphere, &placement, &field), "placement");
    assert_int_equal(toi_make_field(&def, &field), TOI_ERROR_MEMORY);
    assert_null(field);
    toi_set_hooks(NULL);
    toi_free_field(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_keep_their_bounds),
        cmocka_unit_test(trees_keep_their_bounds),
        cmocka_unit_test(far_fields_keep_their_bounds),
        cmocka_unit_test(far_points_keep_their_bounds),
        cmocka_unit_test(placing_adds_its_own_errors),
        cmocka_unit_test(extreme_sizes_keep_their_bounds),
        cmocka_unit_test(bounds_are_tight_at_the_centre),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(fields_are_lipschitz),
        cmocka_unit_test(hand_values),
        cmocka_unit_test(workers_agree),
        cmocka_unit_test(parts_may_be_freed_first),
        cmocka_unit_test(floors_are_kept),
        cmocka_unit_test(own_fields_are_checked),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(wrong_combinations_are_refused),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
