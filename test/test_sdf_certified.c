// The certified search: contacts whose times are known, dense samples in long doubles that never
// touch before t_low, the same bits for any number of workers, and bad fields.

#include "toi/sdf.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double number;

static const double PI = 3.14159265358979323846;

static uint64_t seed = 2463534242;

static double uniform(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static toi_field *shape(toi_shape kind, double a, double b, double c, double d)
{
    double numbers[4] = {a, b, c, d};
    toi_field *field;
    assert_ok(toi_make_shape(kind, numbers, toi_shape_numbers(kind), &field));
    return field;
}

static toi_field *placed(toi_field *field, double x, double y, double z)
{
    toi_placement at = toi_default_placement();
    toi_field *made;
    at.position[0] = x, at.position[1] = y, at.position[2] = z;
    assert_ok(toi_place_field(field, &at, &made));
    toi_free_field(field);
    return made;
}

static toi_surface *surface_of(double (*points)[3], int64_t count, int32_t (*faces)[3],
                               int64_t face_count)
{
    toi_surface *surface;
    toi_index_view view = {faces[0], face_count, 0};
    assert_ok(toi_make_surface(toi_view_points(points[0], count), view, 1, &surface));
    return surface;
}

// A triangle about the origin in the plane z = 0, and one in x = 0.
static double flat[3][3] = {{-2, -1, 0}, {2, -1, 0}, {0, 2, 0}};

static toi_sdf_result ask(toi_sdf_def def, double (*triangle)[3], const toi_motion *motion,
                          const toi_field *field)
{
    toi_sdf_result result;
    assert_ok(toi_find_triangle_impact(&def, (const double(*)[3])triangle, motion, field, &result));
    return result;
}

// The interval holds `time`, is as narrow as asked, and the point is where it should be.
static void expect_time(const toi_sdf_result *r, double time, double tolerance, double scale)
{
    if (r->state != TOI_SDF_HIT || r->t_high - r->t_low > tolerance ||
        !(r->t_low <= time + 4e-15 * scale) || !(r->t_high >= time - tolerance - 4e-13 * scale))
        fail_msg("%s [%.17g, %.17g], not %.17g", toi_sdf_state_name(r->state), r->t_low, r->t_high,
                 time);
    assert_true(r->distance <= r->touch);
    double n = 0;
    for (int k = 0; k < 3; ++k)
        n += r->normal[k] * r->normal[k];
    assert_true(fabs(n - 1) < 1e-12);
}

static void a_triangle_falls_on_shapes(void **state)
{
    (void)state;
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    m.duration = 10;
    m.mesh.position[2] = 5;
    m.mesh.velocity[2] = -1;
    struct
    {
        toi_field *field;
        double time;
    } list[] = {{shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0), 4},
                {shape(TOI_SHAPE_BOX, 1, 1, 0.5, 0), 4.5},
                {shape(TOI_SHAPE_PLANE, 0, 0, 2, 0.25), 4.75},
                {shape(TOI_SHAPE_TORUS, 1, 0.25, 0, 0), 4.75}};
    for (int i = 0; i < 4; ++i) {
        for (int e = 3; e <= (i == 3 ? 6 : 12); e += 3) { // a whole circle of the torus touches
            def.tolerance = pow(10, -e);
            toi_sdf_result r = ask(def, flat, &m, list[i].field);
            expect_time(&r, list[i].time, def.tolerance, 10);
            assert_true(fabs(r.point[2] - (5 - r.t_high)) < 1e-12);
            assert_true(r.normal[2] > 0.99);
        }
        def.margin = 0.125;
        toi_sdf_result near = ask(def, flat, &m, list[i].field);
        assert_true(fabs(near.t_high - (list[i].time - 0.125)) < 1e-9 + def.tolerance);
        assert_true(fabs(near.distance - 0.125) < 1e-9 + def.tolerance);
        def.margin = 0;
        m.duration = list[i].time - (i == 3 ? 1e-6 : 1e-9);
        assert_int_equal(ask(def, flat, &m, list[i].field).state, TOI_SDF_FREE);
        m.duration = 10;
        toi_free_field(list[i].field);
    }
}

// A blade along x from 1 to 3 turns about z; a ball of radius 1/2 is at (0, 2, 0). It is met at the
// angle whose cosine is 1/4, also after whole turns of a faster blade.
static void a_blade_turns(void **state)
{
    (void)state;
    toi_field *ball = placed(shape(TOI_SHAPE_SPHERE, 0.5, 0, 0, 0), 0, 2, 0);
    double blade[3][3] = {{1, 0, 0}, {3, 0, 0}, {3, 0, 0}};
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    static const double spins[] = {1, 20, -1, 700};
    for (int i = 0; i < 4; ++i) {
        m.mesh.spin[2] = spins[i];
        m.duration = 7;
        double angle = spins[i] > 0 ? acos(0.25) : 2 * PI - (PI - acos(0.25));
        toi_sdf_result r = ask(def, blade, &m, ball);
        expect_time(&r, angle / fabs(spins[i]), def.tolerance, 10);
        assert_true(fabs(r.u + r.v - 1) > -1 && r.u >= 0 && r.v >= 0 && r.u + r.v <= 1 + 1e-15);
    }
    // Lifted above the ball, it turns a hundred times without a contact.
    m.mesh.position[2] = 0.5 + 1e-6;
    m.duration = 200 * PI / 700;
    assert_int_equal(ask(def, blade, &m, ball).state, TOI_SDF_FREE);
    m.mesh.position[2] = 0.5 - 1e-6;
    assert_int_equal(ask(def, blade, &m, ball).state, TOI_SDF_HIT);
    toi_free_field(ball);
}

static void corners_move_on_lines(void **state)
{
    (void)state;
    toi_field *ground = shape(TOI_SHAPE_PLANE, 0, 0, 1, 0);
    double start[3][3] = {{0, 0, 1}, {1, 0, 2}, {0, 1, 3}},
           end[3][3] = {{0, 0, 0.5}, {5, 0, -2}, {0, 1, -2}};
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    m.duration = 2;
    m.start = toi_view_points(start[0], 3);
    m.end = toi_view_points(end[0], 3);
    toi_sdf_result r, mesh;
    assert_ok(toi_find_triangle_impact(&def, NULL, &m, ground, &r));
    expect_time(&r, 1, def.tolerance, 4); // the second corner, half way down
    assert_true(r.u > 1 - 1e-6 && r.v < 1e-6);
    assert_true(fabs(r.point[0] - 3) < 1e-6);
    int32_t face[1][3] = {{0, 1, 2}};
    toi_surface *surface = surface_of(start, 3, face, 1);
    assert_ok(toi_find_field_impact(&def, surface, &m, ground, &mesh));
    expect_time(&mesh, 1, def.tolerance, 4);
    m.end.count = 2;
    assert_fails(toi_find_field_impact(&def, surface, &m, ground, &mesh), TOI_ERROR_ARGUMENT,
                 "points");
    m.end.count = 3;
    end[1][2] = NAN;
    assert_fails(toi_find_field_impact(&def, surface, &m, ground, &mesh), TOI_ERROR_DATA,
                 "vertex 1");
    toi_free_surface(surface);
    toi_free_field(ground);
}

// A field that flies at a resting mesh, and one that swings a ball on an arm.
static void fields_move(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    m.duration = 10;
    m.field.position[2] = 1e6 - 5;
    m.mesh.position[2] = 1e6;
    m.field.velocity[2] = 2;
    toi_sdf_result r = ask(def, flat, &m, ball);
    expect_time(&r, 2, def.tolerance, 10);
    assert_true(fabs(r.point[2] - 1e6) < 1e-8 && r.normal[2] > 0.99);
    // The ball's own coordinates turn about a point 4 below its centre: it swings over from the
    // side, and meets the triangle in x >= 0.5 as a clock's hand of length 4 with a disc of 1.
    toi_motion swing = toi_default_motion();
    swing.duration = 3;
    swing.field.centre[1] = -4;
    swing.field.spin[2] = -1;
    double wall[3][3] = {{3, -9, -9}, {3, 9, -9}, {3, 0, 9}};
    r = ask(def, wall, &swing, ball);
    // The hand's tip is at x = 4 sin t; contact at 4 sin t + 1 = 3.
    expect_time(&r, asin(0.5), def.tolerance, 10);
    assert_true(r.normal[0] > 0.99 && fabs(r.point[0] - 3) < 1e-9);
    toi_free_field(ball);
}

static void starts_in_contact(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    static const double heights[] = {0, 0.5, 1};
    for (int i = 0; i < 3; ++i)
        for (int still = 0; still < 2; ++still) {
            m.mesh.position[2] = heights[i];
            m.mesh.velocity[2] = still ? 0 : 3;
            m.duration = still ? 0 : 1;
            toi_sdf_result r = ask(def, flat, &m, ball);
            assert_int_equal(r.state, TOI_SDF_HIT);
            assert_true(r.t_low == 0 && r.t_high == 0 && r.distance <= r.touch);
        }
    // No time and no motion, beside the ball.
    m.mesh.position[2] = 1 + 1e-12;
    m.mesh.velocity[2] = -1;
    m.duration = 0;
    toi_sdf_result r = ask(def, flat, &m, ball);
    assert_true(r.state == TOI_SDF_FREE && r.t_low == 0 && r.t_high == INFINITY);
    m.mesh.velocity[2] = 0;
    m.duration = 1;
    r = ask(def, flat, &m, ball);
    assert_true(r.state == TOI_SDF_FREE && r.t_low == 1 && r.triangle == -1);
    toi_free_field(ball);
}

// Slides past a ball at a distance that is a little more, or less, than it may be.
static void grazing_is_decided(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    m.mesh.position[0] = -4;
    m.mesh.velocity[0] = 8;
    for (int e = 3; e <= 12; e += 3) {
        m.mesh.position[2] = 1 + pow(10, -e);
        assert_int_equal(ask(def, flat, &m, ball).state, TOI_SDF_FREE);
        m.mesh.position[2] = 1 - pow(10, -e);
        toi_sdf_result r = ask(def, flat, &m, ball);
        assert_int_equal(r.state, TOI_SDF_HIT);
        assert_true(r.t_high - r.t_low <= def.tolerance);
    }
    m.mesh.position[2] = 1 + 1e-9;
    def.touch = 1e-6;
    toi_sdf_result r = ask(def, flat, &m, ball);
    assert_true(r.state == TOI_SDF_HIT && r.touch == 1e-6 && r.distance <= 1e-6);
    toi_free_field(ball);
}

static void a_budget_leaves_a_bound(void **state)
{
    (void)state;
    toi_field *ring = shape(TOI_SHAPE_TORUS, 1, 0.25, 0, 0);
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    m.mesh.position[2] = 3;
    m.mesh.velocity[2] = -4;
    m.mesh.spin[0] = 2;
    double time = ask(def, flat, &m, ring).t_high, last = 0;
    int undecided = 0;
    for (def.budget = 1; def.budget < 40; ++def.budget) {
        toi_sdf_result r = ask(def, flat, &m, ring);
        assert_true(r.state != TOI_SDF_FREE && r.t_low <= time && r.t_low >= last);
        assert_true(r.nodes <= def.budget);
        undecided += r.state == TOI_SDF_UNDECIDED;
        last = r.t_low;
    }
    assert_true(undecided > 0);
    toi_free_field(ring);
}

static void flat_faces_take_part(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    m.duration = 5;
    m.mesh.position[2] = 4;
    m.mesh.velocity[2] = -1;
    static double list[][3][3] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                                  {{-1, 0, 0}, {1, 0, 0}, {-1, 0, 0}},
                                  {{-1, -1, 0}, {3, 3, 0}, {0.1, 0.1, 0}},
                                  {{0, 0, 0}, {1e-9, 0, 0}, {0, 1e-300, 0}}};
    for (int i = 0; i < 4; ++i) {
        toi_sdf_result r = ask(def, list[i], &m, ball);
        expect_time(&r, 3, def.tolerance, 10);
    }
    toi_free_field(ball);
}

// The same question at other scales, far from the origin or not, takes the same time of contact.
static void scales_do_not_matter(void **state)
{
    (void)state;
    toi_sdf_def def = toi_default_sdf_def();
    for (int e = -6; e <= 6; e += 3)
        for (int far = 0; far < 3; ++far) {
            double s = pow(10, e), offset = far == 0 ? 0 : 1e6 * s, triangle[3][3];
            toi_field *ball = shape(TOI_SHAPE_SPHERE, s, 0, 0, 0);
            if (far == 1)
                ball = placed(ball, offset, 0, 0);
            toi_motion m = toi_default_motion();
            for (int i = 0; i < 9; ++i)
                triangle[i / 3][i % 3] = s * flat[i / 3][i % 3] + (i % 3 == 0 ? offset : 0);
            if (far == 2)
                m.field.position[0] = offset;
            m.mesh.centre[0] = m.mesh.position[0] = offset;
            m.mesh.position[2] = 5 * s;
            m.mesh.velocity[2] = -8 * s;
            m.mesh.spin[2] = 1;
            toi_sdf_result r = ask(def, triangle, &m, ball);
            expect_time(&r, 0.5, def.tolerance, 1);
            assert_true(r.touch < 1e-7 * s && fabs(r.point[0] - offset) < 1e-3 * s);
            toi_free_field(ball);
        }
}

// ---- Dense samples

typedef enum kind
{
    SPHERE,
    BOX,
    TORUS,
    PLANE,
    KINDS
} kind;

static number field_value(kind k, const double n[4], const number x[3])
{
    if (k == SPHERE)
        return sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - n[0];
    if (k == PLANE)
        return x[2] - n[3];
    if (k == TORUS)
        return hypotl(hypotl(x[0], x[1]) - n[0], x[2]) - n[1];
    number most = -INFINITY, square = 0;
    for (int i = 0; i < 3; ++i) {
        number e = fabsl(x[i]) - n[i];
        most = fmaxl(most, e);
        square += e > 0 ? e * e : 0;
    }
    return most > 0 ? sqrtl(square) : most;
}

static void spin_by(const double spin[3], number t, const number p[3], number out[3])
{
    number rate =
        sqrtl((number)spin[0] * spin[0] + (number)spin[1] * spin[1] + (number)spin[2] * spin[2]);
    number w[3], a[3], b[3];
    memcpy(out, p, 3 * sizeof *out);
    if (rate == 0)
        return;
    for (int k = 0; k < 3; ++k)
        w[k] = spin[k] / rate;
    for (int k = 0; k < 3; ++k)
        a[k] = w[(k + 1) % 3] * p[(k + 2) % 3] - w[(k + 2) % 3] * p[(k + 1) % 3];
    for (int k = 0; k < 3; ++k)
        b[k] = w[(k + 1) % 3] * a[(k + 2) % 3] - w[(k + 2) % 3] * a[(k + 1) % 3];
    for (int k = 0; k < 3; ++k)
        out[k] = p[k] + sinl(rate * t) * a[k] + (1 - cosl(rate * t)) * b[k];
}

typedef struct trial
{
    kind kind;
    double numbers[4];
    double scale;
    double lever; // how far the triangle is from what it turns about, beside its size
    double triangle[3][3];
    double end[3][3];
    toi_motion motion;
} trial;

static number trial_value(const trial *q, number t, number u, number v)
{
    number corner[3][3], x[3], y[3], w[3] = {1 - u - v, u, v};
    const toi_motion *m = &q->motion;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            x[k] = q->triangle[i][k];
        if (m->end.count == 0)
            spin_by(m->mesh.spin, t, x, corner[i]);
        for (int k = 0; k < 3; ++k) {
            if (m->end.count)
                corner[i][k] = x[k] + t / m->duration * ((number)q->end[i][k] - x[k]);
            else
                corner[i][k] += m->mesh.position[k] + t * m->mesh.velocity[k];
            corner[i][k] -= m->field.position[k] + t * m->field.velocity[k];
        }
    }
    for (int k = 0; k < 3; ++k)
        x[k] = w[0] * corner[0][k] + w[1] * corner[1][k] + w[2] * corner[2][k];
    spin_by(m->field.spin, -t, x, y);
    return field_value(q->kind, q->numbers, y);
}

// The least value over the triangle: a lattice, then a search with halving steps from its best.
static number least_value(const trial *q, number t)
{
    enum
    {
        N = 8
    };
    static const int D[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
    number best = INFINITY, u = 0, v = 0;
    for (int i = 0; i <= N; ++i)
        for (int j = 0; i + j <= N; ++j) {
            number f = trial_value(q, t, (number)i / N, (number)j / N);
            if (f < best)
                best = f, u = (number)i / N, v = (number)j / N;
        }
    for (number step = 0.5L / N; step > 1e-9L; step /= 2)
        for (int k = 0; k < 6; ++k) {
            number a = u + D[k][0] * step, b = v + D[k][1] * step;
            if (a < 0 || b < 0 || a + b > 1)
                continue;
            number f = trial_value(q, t, a, b);
            if (f < best)
                best = f, u = a, v = b;
        }
    return best;
}

static void random_trial(trial *q)
{
    static const double scales[] = {1e-6, 1e-3, 1, 1e3, 1e6};
    *q = (trial){.kind = (kind)(uniform(0, 1) * KINDS), .motion = toi_default_motion()};
    q->scale = scales[(int)(uniform(0, 1) * 5)];
    double s = q->scale, far = 3 * s;
    double n[KINDS][4] = {{uniform(0.2, 1), 0, 0, 0},
                          {uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1), 0},
                          {uniform(0.3, 1), uniform(0.05, 0.3), 0, 0},
                          {0, 0, 1, uniform(-1, 1)}};
    for (int k = 0; k < 4; ++k)
        q->numbers[k] = (q->kind == PLANE && k < 3 ? 1 : s) * n[q->kind][k];
    toi_motion *m = &q->motion;
    m->duration = uniform(0.2, 2);
    int style = (int)(uniform(0, 1) * 4); // rigid, lines, and each with a field that moves
    double size = pow(10, uniform(-3, 0.3)) * s;
    for (int k = 0; k < 3; ++k) {
        m->mesh.position[k] = uniform(-far, far);
        m->mesh.velocity[k] = (uniform(-s, s) - m->mesh.position[k]) / m->duration;
        m->mesh.spin[k] = uniform(-1, 1) * pow(10, uniform(-1, 1.3));
        if (style >= 2) {
            m->field.position[k] = uniform(-s, s);
            m->field.velocity[k] = uniform(-s, s);
            m->field.spin[k] = uniform(-3, 3);
        }
        for (int i = 0; i < 3; ++i) {
            q->triangle[i][k] = uniform(-size, size);
            if (style % 2) {
                q->end[i][k] = uniform(-s, s);
                q->triangle[i][k] += m->mesh.position[k];
            }
        }
    }
    q->lever = 1;
    if (style % 2 == 0 && uniform(0, 1) < 0.3) {
        q->lever = 1e5;
        m->mesh.position[0] -= q->lever * s;
        for (int k = 0; k < 3; ++k) {
            q->triangle[k][0] += q->lever * s;
            m->mesh.spin[k] /= q->lever;
        }
    }
    if (style % 2) {
        m->start = toi_view_points(q->triangle[0], 3);
        m->end = toi_view_points(q->end[0], 3);
    }
}

static toi_field *trial_field(const trial *q)
{
    static const toi_shape shapes[KINDS] = {TOI_SHAPE_SPHERE, TOI_SHAPE_BOX, TOI_SHAPE_TORUS,
                                            TOI_SHAPE_PLANE};
    const double *n = q->numbers;
    return shape(shapes[q->kind], n[0], n[1], n[2], n[3]);
}

static void no_sample_touches_before(void **state)
{
    (void)state;
    int64_t hits = 0, count = cases(4000);
    for (int64_t c = 0; c < count; ++c) {
        trial q;
        random_trial(&q);
        toi_field *field = trial_field(&q);
        toi_sdf_def def = toi_default_sdf_def();
        // Where it is below an ulp, nothing hides what rounding does.
        def.tolerance = pow(10, -(int)uniform(3, 21));
        toi_sdf_result r = ask(def, q.triangle, &q.motion, field);
        assert_int_not_equal(r.state, TOI_SDF_UNDECIDED);
        number noise = 1e-18L * q.scale * q.lever;
        for (int i = 0; i < 8 && r.t_low > 0; ++i) {
            // Most of them close to the end, where an error would show.
            number before = i < 4 ? uniform(0, 1) : 1 - powl(10, -(number)uniform(1, 17));
            number least = least_value(&q, before * r.t_low);
            if (!(least > -noise))
                fail_msg("kind %d, scale %g: %Lg inside at %.17Lg before %.17g", (int)q.kind,
                         q.scale, -least, before * r.t_low, r.t_low);
        }
        if (r.state == TOI_SDF_HIT) {
            ++hits;
            assert_true(r.t_high - r.t_low <= def.tolerance);
            assert_true(trial_value(&q, r.t_high, r.u, r.v) <= 2 * r.touch);
            assert_true(r.touch < 1e-11 * q.scale * q.lever);
        }
        toi_free_field(field);
    }
    assert_true(hits > count / 4 && hits < count);
}

// ---- Meshes

typedef struct mesh
{
    double (*points)[3];
    int32_t (*faces)[3];
    int64_t point_count, face_count;
} mesh;

static void free_mesh(mesh *m)
{
    free(m->points);
    free(m->faces);
}

// A band about z with its corners at `radius`.
static mesh hoop(int n, double radius)
{
    mesh m = {malloc(2 * (size_t)n * sizeof(double[3])), malloc(2 * (size_t)n * sizeof(int32_t[3])),
              2 * n, 2 * n};
    for (int i = 0; i < n; ++i) {
        double angle = 2 * PI * i / n;
        int32_t a = 2 * i, b = 2 * ((i + 1) % n);
        int32_t faces[2][3] = {{a, b, a + 1}, {b, b + 1, a + 1}};
        for (int k = 0; k < 2; ++k) {
            double p[3] = {radius * cos(angle), radius * sin(angle), k ? 0.05 : -0.05};
            memcpy(m.points[2 * i + k], p, sizeof p);
        }
        memcpy(m.faces[2 * i], faces, sizeof faces);
    }
    return m;
}

static void workers_do_not_matter(void **state)
{
    (void)state;
    enum
    {
        N = 256
    };
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    mesh m = hoop(N, 1 / cos(PI / N));
    toi_surface *surface = surface_of(m.points, m.point_count, m.faces, m.face_count);
    toi_motion motion = toi_default_motion();
    motion.duration = 1.0 / 60;
    motion.mesh.position[2] = 0.7;
    motion.mesh.velocity[2] = -60;
    toi_sdf_def def = toi_default_sdf_def();
    def.tolerance = 1e-7;
    def.budget = 30000; // a hoop that turns takes more, and has no answer yet
    toi_sdf_result first, r;
    for (int i = 0; i < 3; ++i) {
        motion.mesh.spin[2] = 40 * i;
        motion.field.spin[0] = i == 2 ? 1 : 0;
        memset(&first, 0, sizeof first);
        for (def.workers = 1; def.workers <= 8; def.workers += getenv("TOI_SANITIZED") ? 3 : 1) {
            memset(&r, 0, sizeof r);
            assert_ok(toi_find_field_impact(&def, surface, &motion, ball, &r));
            if (def.workers == 1)
                first = r;
            assert_memory_equal(&r, &first, sizeof r);
        }
        assert_true(first.nodes > 2000); // so many that they were shared out
        assert_true(i > 0 || first.state == TOI_SDF_HIT);
    }
    toi_free_surface(surface);
    free_mesh(&m);
    toi_free_field(ball);
}

static mesh random_soup(int64_t faces)
{
    mesh m = {malloc(3 * (size_t)faces * sizeof(double[3])),
              malloc((size_t)faces * sizeof(int32_t[3])), 3 * faces, faces};
    for (int64_t i = 0; i < faces; ++i) {
        double c[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
        for (int j = 0; j < 3; ++j) {
            m.faces[i][j] = (int32_t)(3 * i + j);
            for (int k = 0; k < 3; ++k)
                m.points[3 * i + j][k] = c[k] + uniform(-0.1, 0.1);
        }
    }
    return m;
}

// The first contact of a mesh is that of its first triangle, whatever moves.
static void meshes_are_their_triangles(void **state)
{
    (void)state;
    toi_sdf_def def = toi_default_sdf_def();
    def.tolerance = 1e-7;
    int64_t hits = 0;
    for (int64_t c = 0; c < cases(60); ++c) {
        mesh m = random_soup(1 + (int64_t)uniform(0, 60));
        double(*end)[3] = malloc((size_t)m.point_count * sizeof *end);
        trial q;
        random_trial(&q);
        toi_motion motion = q.motion;
        double s = q.scale;
        for (int64_t i = 0; i < 3 * m.point_count; ++i) {
            double *x = &m.points[i / 3][i % 3];
            *x = s * *x + (motion.end.count ? motion.mesh.position[i % 3] : 0);
            end[i / 3][i % 3] = s * uniform(-1, 1);
        }
        bool lines = motion.end.count > 0;
        toi_surface *surface = surface_of(m.points, m.point_count, m.faces, m.face_count);
        toi_field *field = trial_field(&q);
        if (lines) {
            motion.start = toi_view_points(m.points[0], m.point_count);
            motion.end = toi_view_points(end[0], m.point_count);
        }
        toi_sdf_result whole, one;
        assert_ok(toi_find_field_impact(&def, surface, &motion, field, &whole));
        double low = motion.duration, high = INFINITY;
        for (int64_t i = 0; i < m.face_count; ++i) {
            if (lines) {
                motion.start = toi_view_points(m.points[3 * i], 3);
                motion.end = toi_view_points(end[3 * i], 3);
            }
            const double(*corners)[3] = (const double(*)[3])m.points[3 * i];
            assert_ok(toi_find_triangle_impact(&def, corners, &motion, field, &one));
            low = fmin(low, one.t_low);
            high = fmin(high, one.t_high);
        }
        // Both intervals hold the first contact, or what comes as close as the touch distance.
        assert_true((high < INFINITY) == (whole.state == TOI_SDF_HIT));
        if (whole.state == TOI_SDF_HIT) {
            assert_true(whole.t_low <= high + 1e-12 && low <= whole.t_high + 1e-12);
            ++hits;
        }
        toi_free_surface(surface);
        toi_free_field(field);
        free(end);
        free_mesh(&m);
    }
    assert_true(hits > 0);
}

static void an_empty_mesh_is_free(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    toi_surface *surface;
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    toi_sdf_result r;
    assert_ok(toi_make_surface((toi_point_view){0}, (toi_index_view){0}, 1, &surface));
    assert_ok(toi_find_field_impact(&def, surface, &m, ball, &r));
    assert_true(r.state == TOI_SDF_FREE && r.t_low == 1);
    toi_free_surface(surface);
    toi_free_surface(NULL);
    toi_free_field(ball);
}

// ---- Fields of the caller

typedef struct faults
{
    double beyond; // no number where x is larger
    double steep;  // how fast the value really falls
    int bad_bounds;
} faults;

static double faulty_value(void *context, const double p[3], double gradient[3])
{
    const faults *f = context;
    gradient[0] = gradient[1] = 0;
    gradient[2] = f->steep;
    return p[0] > f->beyond ? NAN : f->steep * p[2];
}

static int faulty_bounds(void *context, const double centre[3], double radius, toi_minorant *out)
{
    const faults *f = context;
    (void)radius;
    out[0] = (toi_minorant){f->bad_bounds == 1 ? NAN : centre[2] + f->bad_bounds, {0, 0, 1}, 0, 0};
    return 1;
}

static void bad_fields_are_noticed(void **state)
{
    (void)state;
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion m = toi_default_motion();
    double tilted[3][3] = {{-2, -1, 0}, {2, -1, 1}, {0, 2, 3}};
    m.mesh.position[2] = 4;
    m.mesh.velocity[2] = -8;
    faults good = {INFINITY, 1, 0}, hole = {-1, 1, 0}, liar = {INFINITY, 3, 0},
           wild = {INFINITY, 1, 1}, high = {INFINITY, 1, 2};
    struct
    {
        faults *faults;
        toi_status status;
        const char *text;
    } list[] = {{&good, TOI_OK, ""},
                {&hole, TOI_ERROR_DATA, "not a number"},
                {&liar, TOI_ERROR_DATA, "Lipschitz"},
                {&wild, TOI_ERROR_DATA, "bound"},
                {&high, TOI_ERROR_DATA, "above the value"}};
    for (int i = 0; i < 5; ++i)
        for (int bounds = 0; bounds < 2; ++bounds) {
            toi_field_def own = {.value = faulty_value,
                                 .bounds = bounds ? faulty_bounds : NULL,
                                 .lipschitz = 1,
                                 .error = 1e-15,
                                 .context = list[i].faults};
            toi_field *field;
            toi_sdf_result r;
            assert_ok(toi_make_field(&own, &field));
            def.tolerance = bounds ? 1e-9 : 0.05; // a constant alone is dear
            if (i >= 3 && !bounds)
                m.duration = 0.25; // bounds that are not asked for do not matter
            toi_status status =
                toi_find_triangle_impact(&def, (const double(*)[3])tilted, &m, field, &r);
            m.duration = 1;
            if (i == 0 || (i >= 3 && !bounds)) {
                assert_int_equal(status, TOI_OK);
                assert_int_equal(r.state, i == 0 ? TOI_SDF_HIT : TOI_SDF_FREE);
            } else {
                assert_int_equal(status, list[i].status);
                if (!strstr(toi_last_message(), list[i].text))
                    fail_msg("%s", toi_last_message());
                assert_int_equal(r.triangle, -1);
                assert_true(r.state == TOI_SDF_UNDECIDED && r.t_low == 0);
            }
            toi_free_field(field);
        }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0, 0);
    toi_motion m = toi_default_motion();
    toi_sdf_result r;
    const double(*t)[3] = (const double(*)[3])flat;
    double nowhere[3][3] = {{0, 0, 5}, {NAN, 0, 5}, {0, 1, 5}};
    toi_sdf_def good = toi_default_sdf_def(), def = {0};
    assert_fails(toi_find_triangle_impact(&def, t, &m, ball, &r), TOI_ERROR_ARGUMENT, "default");
    assert_fails(toi_find_triangle_impact(&good, NULL, &m, ball, &r), TOI_ERROR_ARGUMENT, "mesh");
    assert_fails(toi_find_triangle_impact(&good, t, NULL, ball, &r), TOI_ERROR_ARGUMENT, "motion");
    assert_fails(toi_find_triangle_impact(&good, t, &m, NULL, &r), TOI_ERROR_ARGUMENT, "field");
    assert_fails(toi_find_triangle_impact(&good, (const double(*)[3])nowhere, &m, ball, &r),
                 TOI_ERROR_DATA, "vertex 1");
    def = good, def.tolerance = 0;
    assert_fails(toi_find_triangle_impact(&def, t, &m, ball, &r), TOI_ERROR_ARGUMENT, "tolerance");
    def = good, def.margin = NAN;
    assert_fails(toi_find_triangle_impact(&def, t, &m, ball, &r), TOI_ERROR_ARGUMENT, "margin");
    def = good, def.budget = 0;
    assert_fails(toi_find_triangle_impact(&def, t, &m, ball, &r), TOI_ERROR_ARGUMENT, "budget");
    def = good, def.solver = TOI_SDF_SOLVER_COUNT;
    assert_fails(toi_find_triangle_impact(&def, t, &m, ball, &r), TOI_ERROR_ARGUMENT, "solver");
    assert_string_equal(toi_sdf_solver_name(TOI_SDF_DISCRETE_PROJECTED), "discrete-projected");
    assert_null(toi_sdf_solver_name(TOI_SDF_SOLVER_COUNT));
    assert_string_equal(toi_sdf_state_name(TOI_SDF_UNDECIDED), "undecided");
    assert_null(toi_sdf_state_name(TOI_SDF_STATE_COUNT));
    toi_free_field(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_falls_on_shapes), cmocka_unit_test(a_blade_turns),
        cmocka_unit_test(corners_move_on_lines),      cmocka_unit_test(fields_move),
        cmocka_unit_test(starts_in_contact),          cmocka_unit_test(grazing_is_decided),
        cmocka_unit_test(a_budget_leaves_a_bound),    cmocka_unit_test(flat_faces_take_part),
        cmocka_unit_test(scales_do_not_matter),       cmocka_unit_test(no_sample_touches_before),
        cmocka_unit_test(workers_do_not_matter),      cmocka_unit_test(meshes_are_their_triangles),
        cmocka_unit_test(an_empty_mesh_is_free),      cmocka_unit_test(bad_fields_are_noticed),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
