// Contacts of a mesh with a field at an instant: none is missed, those of flat triangles hold it,
// the same bits for any number of workers.

#include "support.h"

#include "sdf/lowest.h"
#include "toi/random.h"
#include "toi/sdf.h"

#include <math.h>
#include <string.h>

static toi_random random_numbers = {15};

static double uniform(double low, double high)
{
    return toi_random_range(&random_numbers, low, high);
}

static toi_field *shape(toi_shape kind, double a, double b, double c)
{
    toi_field *field;
    assert_ok(toi_make_shape(kind, (double[]){a, b, c}, toi_shape_numbers(kind), &field));
    return field;
}

static toi_surface *surface_of(const double *points, int64_t count, const int32_t *faces,
                               int64_t face_count)
{
    toi_surface *surface;
    assert_ok(toi_make_surface(toi_view_points(points, count),
                               (toi_index_view){faces, face_count, 0}, 1, &surface));
    return surface;
}

// The largest triangle that three of the contacts of a triangle make, twice its area.
static double spread(const toi_field_contact *c, int64_t count)
{
    double largest = 0;
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < i; ++j)
            for (int64_t k = 0; k < j; ++k) {
                const double *a = c[i].point, *b = c[j].point, *d = c[k].point;
                double x = (b[1] - a[1]) * (d[2] - a[2]) - (b[2] - a[2]) * (d[1] - a[1]);
                double y = (b[2] - a[2]) * (d[0] - a[0]) - (b[0] - a[0]) * (d[2] - a[2]);
                double z = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
                largest = fmax(largest, sqrt(x * x + y * y + z * z));
            }
    return largest;
}

static const int32_t ONE_FACE[3] = {0, 1, 2};

static toi_field_contact_array contacts_of(const toi_contact_def *def, const double corners[9],
                                           const toi_field *field)
{
    toi_surface *surface = surface_of(corners, 3, ONE_FACE, 1);
    toi_motion motion = toi_default_motion();
    toi_field_contact_array contacts = {0};
    assert_ok(toi_find_field_contacts(def, surface, &motion, 0.5, field, &contacts));
    toi_free_surface(surface);
    return contacts;
}

// A triangle flat on a box, larger and smaller than it, and slightly tilted.
static void a_flat_triangle_has_three_contacts(void **state)
{
    (void)state;
    toi_field *box = shape(TOI_SHAPE_BOX, 0.5, 0.5, 0.5);
    for (int i = 0; i < 200; ++i) {
        double size = i % 2 ? 0.4 : 3, turn = uniform(0, 6.28), tilt = i % 3 ? 0 : 1e-7;
        double corners[9];
        for (int k = 0; k < 3; ++k) {
            corners[3 * k] = size * cos(turn + 2.1 * k);
            corners[3 * k + 1] = size * sin(turn + 2.1 * k);
            corners[3 * k + 2] = 0.5 + tilt * k;
        }
        toi_contact_def def = toi_default_contact_def();
        toi_field_contact_array c = contacts_of(&def, corners, box);
        assert_int_equal(c.count, 3);
        assert_true(spread(c.data, c.count) > 0.01 * size * fmin(size, 1));
        for (int64_t k = 0; k < c.count; ++k) {
            assert_true(c.data[k].distance <= def.distance && c.data[k].reserved == 0);
            assert_true(k == 0 || c.data[k].distance >= c.data[k - 1].distance);
            assert_true(fabs(c.data[k].normal[2]) > 0.6); // a corner of the box may be off its top
        }
        toi_free_field_contacts(&c);
        def.least_area = INFINITY;
        c = contacts_of(&def, corners, box);
        assert_int_equal(c.count, 1);
        toi_free_field_contacts(&c);
        def.least_area = 0;
        def.per_triangle = 2;
        c = contacts_of(&def, corners, box);
        assert_int_equal(c.count, 2);
        toi_free_field_contacts(&c);
    }
    toi_free_field(box);
}

static const double BOX[8][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0},
                                 {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
static const int32_t BOX_FACES[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                         {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                         {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

// A box on the tips of spikes: both triangles of its floor rest on three of them, or more.
static void a_box_rests_on_spikes(void **state)
{
    (void)state;
    toi_field *spikes = shape(TOI_SHAPE_SPIKES, 0.3, 0.25, 0.1);
    toi_surface *surface = surface_of(BOX[0], 8, BOX_FACES[0], 12);
    toi_contact_def def = toi_default_contact_def();
    toi_motion motion = toi_default_motion();
    toi_field_contact_array c = {0};
    for (int i = 0; i < 20; ++i) {
        motion.mesh.position[0] = uniform(0, 0.3);
        motion.mesh.position[1] = uniform(0, 0.3);
        motion.mesh.position[2] = 0.25 + uniform(0, 0.9e-6);
        motion.mesh.rotation[3] = uniform(-1, 1);
        assert_ok(toi_find_field_contacts(&def, surface, &motion, 0, spikes, &c));
        assert_int_equal(c.count, 6);
        for (int64_t k = 0; k < 6; ++k) {
            const double *p = c.data[k].point;
            assert_int_equal(c.data[k].triangle, k / 3);
            assert_true(hypot(p[0] - 0.3 * round(p[0] / 0.3), p[1] - 0.3 * round(p[1] / 0.3)) <
                        2e-6);
            assert_true(c.data[k].distance <= def.distance);
        }
        assert_true(spread(c.data, 3) > 0.01 && spread(c.data + 3, 3) > 0.01);
    }
    motion.mesh.position[2] = 0.25 + 1.1e-6;
    assert_ok(toi_find_field_contacts(&def, surface, &motion, 0, spikes, &c));
    assert_int_equal(c.count, 0);
    toi_free_field_contacts(&c);
    toi_free_surface(surface);
    toi_free_field(spikes);
}

enum
{
    SIDE = 24,
    COUNT = SIDE * SIDE * 2
};

// A bumpy sheet, points and faces.
static toi_surface *make_sheet(double points[(SIDE + 1) * (SIDE + 1)][3], int32_t faces[COUNT][3])
{
    for (int i = 0; i <= SIDE; ++i)
        for (int j = 0; j <= SIDE; ++j) {
            double *p = points[i * (SIDE + 1) + j];
            p[0] = 2.0 * i / SIDE - 1;
            p[1] = 2.0 * j / SIDE - 1;
            p[2] = 0.05 * sin(9 * p[0]) * cos(7 * p[1]) + uniform(-0.01, 0.01);
        }
    for (int i = 0; i < SIDE * SIDE; ++i) {
        int32_t a = i / SIDE * (SIDE + 1) + i % SIDE, b = a + SIDE + 1;
        int32_t two[2][3] = {{a, b, a + 1}, {a + 1, b, b + 1}};
        memcpy(faces[2 * i], two, sizeof two);
    }
    return surface_of(points[0], (SIDE + 1) * (SIDE + 1), faces[0], COUNT);
}

// The least value of samples of a triangle, in the field's coordinates.
static double sampled(const toi_motion *motion, double time, double corners[3][3],
                      const toi_field *field)
{
    enum
    {
        N = 16
    };
    double m[9], at[3], fm[9], fat[3], points[(N + 1) * (N + 2) / 2][3];
    double values[(N + 1) * (N + 2) / 2], least = INFINITY;
    int count = 0;
    toi_rigid_pose(&motion->mesh, time, m, at);
    toi_rigid_pose(&motion->field, time, fm, fat);
    for (int i = 0; i <= N; ++i)
        for (int j = 0; i + j <= N; ++j, ++count) {
            double p[3], x[3];
            for (int k = 0; k < 3; ++k)
                p[k] = (corners[0][k] * (N - i - j) + corners[1][k] * i + corners[2][k] * j) / N;
            for (int k = 0; k < 3; ++k)
                x[k] = m[3 * k] * p[0] + m[3 * k + 1] * p[1] + m[3 * k + 2] * p[2] + at[k] - fat[k];
            for (int k = 0; k < 3; ++k)
                points[count][k] = fm[k] * x[0] + fm[3 + k] * x[1] + fm[6 + k] * x[2];
        }
    assert_ok(toi_evaluate_field(field, toi_view_points(points[0], count), 1, values, NULL));
    for (int i = 0; i < count; ++i)
        least = fmin(least, values[i]);
    return least;
}

static toi_motion random_motion(void)
{
    toi_motion motion = toi_default_motion();
    for (int k = 0; k < 3; ++k) {
        motion.mesh.position[k] = uniform(-0.5, 0.5);
        motion.mesh.spin[k] = uniform(-2, 2);
        motion.field.spin[k] = uniform(-2, 2);
        motion.field.position[k] = uniform(-0.3, 0.3);
    }
    return motion;
}

// What samples say is near has a contact; a contact is near, where it says, with its normal.
static void no_triangle_is_missed(void **state)
{
    (void)state;
    static double points[(SIDE + 1) * (SIDE + 1)][3];
    static int32_t faces[COUNT][3];
    toi_surface *surface = make_sheet(points, faces);
    toi_field *fields[4] = {shape(TOI_SHAPE_TORUS, 0.5, 0.2, 0),
                            shape(TOI_SHAPE_BOX, 0.4, 0.6, 0.2), shape(TOI_SHAPE_SPHERE, 0.5, 0, 0),
                            shape(TOI_SHAPE_SPIKES, 0.2, 0.1, 0.05)};
    toi_field_contact_array c = {0};
    int64_t near = 0, missed = 0, total = 0;
    for (int64_t i = 0; i < cases(60); ++i) {
        toi_contact_def def = toi_default_contact_def();
        toi_motion motion = random_motion();
        const toi_field *field = fields[i % 4];
        double time = uniform(0, 1);
        def.distance = i % 3 == 0 ? 0 : i % 3 == 1 ? 1e-6 : 0.02;
        assert_ok(toi_find_field_contacts(&def, surface, &motion, time, field, &c));
        total += c.count;
        static bool has[COUNT];
        memset(has, 0, sizeof has);
        for (int64_t k = 0; k < c.count; ++k) {
            has[c.data[k].triangle] = true;
            assert_true(c.data[k].distance <= def.distance + 1e-12);
            assert_true(k == 0 || c.data[k].triangle >= c.data[k - 1].triangle);
            assert_true(c.data[k].u >= 0 && c.data[k].v >= 0 &&
                        c.data[k].u + c.data[k].v <= 1 + 1e-12);
        }
        for (int k = 0; k < COUNT; ++k) {
            double corners[3][3];
            for (int j = 0; j < 3; ++j)
                memcpy(corners[j], points[faces[k][j]], sizeof corners[j]);
            if (!(sampled(&motion, time, corners, field) <= def.distance))
                continue;
            ++near;
            missed += !has[k];
        }
    }
    assert_int_equal(missed, 0);
    assert_true(near > 10 * cases(60) && total >= near);
    toi_free_field_contacts(&c);
    toi_free_surface(surface);
    for (int i = 0; i < 4; ++i)
        toi_free_field(fields[i]);
}

// Triangles that are as near to a plane as the distance, but for some units in the last place, at
// sizes from 1e-6 to 1e6, near the origin and far from it. Long doubles tell which are near.
static void rounding_misses_nothing(void **state)
{
    (void)state;
    int64_t near = 0, far = 0, count = cases(20000);
    for (int64_t i = 0; i < count; ++i) {
        double size = pow(10, uniform(-6, 6)), away = i % 2 ? size : size * 1000, corners[9];
        double numbers[4] = {uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1), uniform(-away, away)};
        long double length = 0, n[3], least = INFINITY;
        for (int k = 0; k < 3; ++k)
            length += (long double)numbers[k] * numbers[k];
        for (int k = 0; k < 3; ++k)
            n[k] = numbers[k] / sqrtl(length);
        toi_contact_def def = toi_default_contact_def();
        def.distance = size * uniform(0, 1e-3);
        def.least_area = INFINITY;
        for (int k = 0; k < 9; ++k)
            corners[k] = uniform(-away, away);
        for (int k = 0; k < 3; ++k) { // the first is the lowest
            double *c = corners + 3 * k, height = k * size + def.distance;
            height += away * 0x1p-52 * (double)(toi_random_below(&random_numbers, 401) - 200.0);
            c[2] = (double)((height + numbers[3] - n[0] * c[0] - n[1] * c[1]) / n[2]);
            least = fminl(least, n[0] * c[0] + n[1] * c[1] + n[2] * c[2] - numbers[3]);
        }
        toi_field *plane;
        assert_ok(toi_make_shape(TOI_SHAPE_PLANE, numbers, 4, &plane));
        toi_field_contact_array c = contacts_of(&def, corners, plane);
        near += least <= def.distance;
        far += c.count == 0;
        if (least <= def.distance)
            assert_int_equal(c.count, 1);
        toi_free_field_contacts(&c);
        toi_free_field(plane);
    }
    assert_true(near > count / 5 && far > 0);
}

// Points of a triangle by their weights are as near to the exact ones as the triangle says.
static void points_by_weights_are_near(void **state)
{
    (void)state;
    double worst = 0;
    for (int64_t i = 0; i < cases(100000); ++i) {
        double corners[3][3], scale = pow(10, uniform(-6, 6)), point[3], largest = 0;
        double v = toi_random_unit(&random_numbers), u = (1 - v) * toi_random_unit(&random_numbers);
        double weights[3] = {1 - u - v, u, v};
        toi_resting triangle;
        for (int k = 0; k < 9; ++k) {
            corners[k / 3][k % 3] = scale * uniform(-1, 1);
            largest = fmax(largest, fabs(corners[k / 3][k % 3]));
        }
        toi_rest_triangle(corners, 0, &triangle);
        toi_resting_point(&triangle, weights, point);
        long double square = 0;
        for (int k = 0; k < 3; ++k) {
            long double x = (1 - (long double)u - v) * corners[0][k] +
                            (long double)u * corners[1][k] + (long double)v * corners[2][k];
            square += (x - point[k]) * (x - point[k]);
        }
        assert_true(sqrtl(square) <= triangle.error && triangle.error <= 0x1p-48 * largest);
        worst = fmax(worst, (double)sqrtl(square) / triangle.error);
    }
    assert_true(worst > 0.1); // and not because the bound is far too large
}

// Straight lines: the positions at the time are those that count.
static void straight_lines_are_followed(void **state)
{
    (void)state;
    const double start[9] = {0, 0, 3, 1, 0, 3, 0, 1, 3}, end[9] = {0, 0, -1, 1, 0, -1, 0, 1, -1};
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 0.5, 0, 0);
    toi_surface *surface = surface_of(start, 3, ONE_FACE, 1);
    toi_contact_def def = toi_default_contact_def();
    toi_motion motion = toi_default_motion();
    toi_field_contact_array c = {0};
    motion.start = toi_view_points(start, 3);
    motion.end = toi_view_points(end, 3);
    assert_ok(toi_find_field_contacts(&def, surface, &motion, 0.5, ball, &c));
    assert_int_equal(c.count, 0);
    assert_ok(toi_find_field_contacts(&def, surface, &motion, 0.625, ball, &c));
    assert_true(c.count > 0 && fabs(c.data[0].point[2] - 0.5) < 1e-12);
    assert_true(c.data[0].normal[2] == 1 && fabs(c.data[0].u) + fabs(c.data[0].v) < 1e-3);
    toi_free_field_contacts(&c);
    toi_free_surface(surface);
    toi_free_field(ball);
}

static void the_same_for_any_number_of_workers(void **state)
{
    (void)state;
    static double points[(SIDE + 1) * (SIDE + 1)][3];
    static int32_t faces[COUNT][3];
    toi_surface *surface = make_sheet(points, faces);
    toi_field *field = shape(TOI_SHAPE_TORUS, 0.5, 0.2, 0);
    int64_t total = 0;
    for (int i = 0; i < 8; ++i) {
        toi_contact_def def = toi_default_contact_def();
        toi_motion motion = random_motion();
        toi_field_contact_array c[2] = {{0}, {0}};
        def.distance = 0.01;
        for (int workers = 1; workers <= 8; ++workers) {
            toi_field_contact_array *list = &c[workers > 1];
            def.workers = workers;
            assert_ok(toi_find_field_contacts(&def, surface, &motion, 0.3, field, list));
            assert_int_equal(list->count, c[0].count);
            assert_memory_equal(list->data, c[0].data, (size_t)c[0].count * sizeof *c[0].data);
        }
        total += c[0].count;
        toi_free_field_contacts(&c[0]);
        toi_free_field_contacts(&c[1]);
    }
    assert_true(total > 500);
    toi_free_surface(surface);
    toi_free_field(field);
}

// Segments and points take part; a mesh without triangles has no contacts.
static void degenerate_triangles(void **state)
{
    (void)state;
    const double segment[9] = {-1, 0, 0.5, 1, 0, 0.5, 0, 0, 0.5};
    const double point[9] = {0, 0, 0.5, 0, 0, 0.5, 0, 0, 0.5};
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 0.5, 0, 0), *box = shape(TOI_SHAPE_BOX, 2, 2, 0.5);
    toi_contact_def def = toi_default_contact_def();
    toi_field_contact_array c = contacts_of(&def, segment, ball);
    assert_int_equal(c.count, 1);
    toi_free_field_contacts(&c);
    c = contacts_of(&def, segment, box);
    assert_int_equal(c.count, 2); // a third would be on the line
    toi_free_field_contacts(&c);
    c = contacts_of(&def, point, ball);
    assert_int_equal(c.count, 1);
    toi_free_field_contacts(&c);
    toi_surface *nothing = surface_of(segment, 3, ONE_FACE, 0);
    toi_motion motion = toi_default_motion();
    assert_ok(toi_find_field_contacts(&def, nothing, &motion, 0, ball, &c));
    assert_int_equal(c.count, 0);
    toi_free_surface(nothing);
    toi_free_field(ball);
    toi_free_field(box);
    toi_free_field_contacts(NULL);
}

static double steep(void *context, const double point[3], double gradient[3])
{
    gradient[0] = gradient[1] = 0;
    gradient[2] = *(double *)context;
    return point[2] * gradient[2];
}

// A caller's field that falls faster than it says, or is not a number, stops the call.
static void bad_fields_are_noticed(void **state)
{
    (void)state;
    const double slopes[3] = {1, 3, NAN};
    toi_surface *surface = surface_of(BOX[0], 8, BOX_FACES[0], 12);
    toi_motion motion = toi_default_motion();
    toi_contact_def def = toi_default_contact_def();
    toi_field_contact_array c = {0};
    for (int i = 0; i < 3; ++i) {
        double slope = slopes[i];
        toi_field_def own = {.value = steep, .lipschitz = 1, .error = 1e-15, .context = &slope};
        toi_field *field;
        assert_ok(toi_make_field(&own, &field));
        toi_status status = toi_find_field_contacts(&def, surface, &motion, 0, field, &c);
        assert_int_equal(status, i == 0 ? TOI_OK : TOI_ERROR_DATA);
        assert_true((c.count > 0) == (i == 0));
        toi_free_field(field);
    }
    toi_free_field_contacts(&c);
    toi_free_surface(surface);
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 0.5, 0, 0);
    toi_surface *surface = surface_of(BOX[0], 8, BOX_FACES[0], 12);
    toi_motion motion = toi_default_motion();
    toi_field_contact_array c = {0};
    toi_contact_def good = toi_default_contact_def(), bad[5] = {good, good, good, good, good};
    bad[4].cookie = 0;
    bad[0].distance = -1;
    bad[1].least_area = NAN;
    bad[2].per_triangle = 0;
    bad[3].workers = -1;
    const char *words[5] = {"distance", "least area", "contacts a triangle", "workers", "default"};
    assert_ok(toi_find_field_contacts(&good, surface, &motion, 0, ball, &c));
    assert_true(c.count > 0);
    for (int i = 0; i < 5; ++i) {
        assert_fails(toi_find_field_contacts(&bad[i], surface, &motion, 0, ball, &c),
                     TOI_ERROR_ARGUMENT, words[i]);
        assert_int_equal(c.count, 0);
    }
    assert_fails(toi_find_field_contacts(&good, surface, &motion, 1.5, ball, &c),
                 TOI_ERROR_ARGUMENT, "time");
    assert_fails(toi_find_field_contacts(&good, NULL, &motion, 0, ball, &c), TOI_ERROR_ARGUMENT,
                 "mesh");
    assert_fails(toi_find_field_contacts(&good, surface, &motion, 0, NULL, &c), TOI_ERROR_ARGUMENT,
                 "field");
    toi_free_field_contacts(&c);
    toi_free_surface(surface);
    toi_free_field(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_triangle_has_three_contacts),
        cmocka_unit_test(a_box_rests_on_spikes),
        cmocka_unit_test(no_triangle_is_missed),
        cmocka_unit_test(rounding_misses_nothing),
        cmocka_unit_test(points_by_weights_are_near),
        cmocka_unit_test(straight_lines_are_followed),
        cmocka_unit_test(the_same_for_any_number_of_workers),
        cmocka_unit_test(degenerate_triangles),
        cmocka_unit_test(bad_fields_are_noticed),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests_name("sdf_contacts", tests, NULL, NULL);
}
