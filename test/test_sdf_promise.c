// The promise of the certified search: nothing touches before t_low. Random fields, triangles,
// meshes and motions of every kind, looked at densely with long doubles.

#include "sdf/certified.h"

#include "field_twin.h"
#include "mesh_twin.h"
#include "motion_twin.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double number;

// ---------------------------------------------------------------------------------------------
// Fields

enum
{
    BAKED = 4, // ways to bake the ball
    COMPOSED = 6
};

// A field of about unit size, or as large as its twin was made.
typedef struct subject
{
    const toi_field *field;
    const twin_node *twin; // NULL: the field answers for itself
    double size;
} subject;

// Fields that take long to make, made once: a ball of triangles, baked in every way, as it is, and
// as part of others.
typedef struct collection
{
    toi_field *fields[BAKED + 1 + COMPOSED];
    int count;
} collection;

static void add_baked(collection *c, const twin_mesh *ball, toi_interpolation interpolation,
                      double band)
{
    toi_bake_def def = toi_default_bake_def();
    def.resolution = 20;
    def.interpolation = interpolation;
    def.band = band;
    assert_ok(
        toi_bake_field(&def, twin_points(ball), twin_faces(ball), NULL, &c->fields[c->count++]));
}

// The mesh grown and shrunk, with a baked one, hollow, and as what is taken away: its bounds hold
// down to its surface alone.
static void add_composed(collection *c)
{
    toi_field *mesh = c->fields[BAKED], **made = &c->fields[c->count], *box;
    toi_placement at = toi_default_placement();
    at.scale = 0.7;
    at.rotation[1] = 0.3;
    at.position[2] = 0.4;
    at.offset = 0.01;
    assert_ok(toi_place_field(mesh, &at, &made[0]));
    at.offset = -0.1;
    assert_ok(toi_place_field(mesh, &at, &made[1]));
    toi_field *both[2] = {c->fields[0], made[0]};
    assert_ok(toi_combine_fields(TOI_COMBINE_UNION, both, 2, &made[2]));
    assert_ok(
        toi_combine_fields(TOI_COMBINE_DIFFERENCE, (toi_field *[2]){mesh, made[1]}, 2, &made[3]));
    assert_ok(toi_make_shape(TOI_SHAPE_BOX, (double[3]){1, 0.8, 1.2}, 3, &box));
    assert_ok(toi_combine_fields(TOI_COMBINE_DIFFERENCE, (toi_field *[2]){box, mesh}, 2, &made[4]));
    assert_ok(
        toi_combine_fields(TOI_COMBINE_INTERSECTION, (toi_field *[2]){box, made[0]}, 2, &made[5]));
    toi_free_field(box);
    c->count += COMPOSED;
}

static collection make_collection(void)
{
    collection c = {0};
    twin_mesh ball = make_ball(8, 0.1, 7);
    add_baked(&c, &ball, TOI_TRILINEAR, 0);
    add_baked(&c, &ball, TOI_TRILINEAR, 3);
    add_baked(&c, &ball, TOI_CUBIC, 0);
    add_baked(&c, &ball, TOI_CUBIC, 3);
    assert_ok(
        toi_make_mesh_field(twin_points(&ball), twin_faces(&ball), 1, NULL, &c.fields[c.count++]));
    add_composed(&c);
    free_twin_mesh(&ball);
    return c;
}

static void free_collection(collection *c)
{
    for (int i = 0; i < c->count; ++i)
        toi_free_field(c->fields[i]);
}

static number norm(const number x[3])
{
    return fmaxl(fabsl(x[0]), fmaxl(fabsl(x[1]), fabsl(x[2])));
}

// The field at a point, and how wrong that may be.
static number value_at(const subject *s, const number x[3], number *error)
{
    if (s->twin) {
        *error = 0x1p-57L * (norm(x) + s->size);
        return twin_value(s->twin, x);
    }
    double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
    toi_field_sample sample;
    toi_sample_field(s->field, p, &sample);
    *error = sample.error + 2 * 0x1p-53L * norm(x) * s->field->lipschitz;
    return sample.value;
}

// ---------------------------------------------------------------------------------------------
// Where the triangle is

typedef struct question
{
    subject subject;
    twin_motion moving;
    toi_sdf_def def;
    number path_error; // what rounding of long doubles costs the path
} question;

static number path_error(const question *q)
{
    const toi_motion *m = &q->moving.motion;
    number far = 0, turned = 0;
    for (int k = 0; k < 3; ++k) {
        far += fabsl(q->moving.body.position[k]) + fabsl(q->moving.start[0][k]) +
               fabsl(m->field.position[k]) + fabsl(m->field.centre[k]);
        far += m->duration * (fabsl(q->moving.body.velocity[k]) + fabsl(m->field.velocity[k]));
        turned += m->duration * (fabsl(q->moving.body.spin[k]) + fabsl(m->field.spin[k]));
    }
    return far * (0x1p-58L + 0x1p-62L * turned);
}

static void corners_at(const question *q, number t, number x[3][3])
{
    for (int i = 0; i < 3; ++i) {
        twin_path world, path;
        twin_corner_path(&q->moving, i, t, &world);
        twin_in_field(&q->moving.motion.field, t, &world, &path);
        memcpy(x[i], path.x, sizeof x[i]);
    }
}

static number value_of(const question *q, number x[3][3], number u, number v, number *error)
{
    number p[3];
    for (int k = 0; k < 3; ++k)
        p[k] = (1 - u - v) * x[0][k] + u * x[1][k] + v * x[2][k];
    number value = value_at(&q->subject, p, error);
    *error += q->path_error * q->subject.field->lipschitz;
    return value;
}

// A field changes by no more than this over the triangle, or over two of a lattice's spacings; as
// generous as to hold for fields that get their Lipschitz constant wrong by half.
static number change_over(const question *q, number x[3][3])
{
    number longest = 0;
    for (int i = 0; i < 3; ++i) {
        number side[3];
        for (int k = 0; k < 3; ++k)
            side[k] = x[i][k] - x[(i + 1) % 3][k];
        longest = fmaxl(longest, twin_length(side));
    }
    return 2 * q->subject.field->lipschitz * longest;
}

// A low point of the triangle: the lowest of a lattice, and downhill from there. Says whether it is
// in contact for certain. Where values are too high for contact nearby, it looks no further.
static bool touches(const question *q, number t, number u, number v)
{
    enum
    {
        LATTICE = 4
    };
    static const int way[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
    number x[3][3], error, low;
    corners_at(q, t, x);
    low = value_of(q, x, u, v, &error);
    number change = change_over(q, x);
    if (low > q->def.margin + change)
        return false;
    for (int i = 0; i <= LATTICE; ++i)
        for (int j = 0; i + j <= LATTICE; ++j) {
            number a = (number)i / LATTICE, b = (number)j / LATTICE;
            number value = value_of(q, x, a, b, &error);
            if (value < low) {
                low = value;
                u = a;
                v = b;
            }
        }
    if (low > q->def.margin + change / LATTICE)
        return false;
    for (number step = 0.5L / LATTICE; step > 1e-3L && low > q->def.margin; step /= 2)
        for (int k = 0; k < 6; ++k) {
            number a = u + step * way[k][0], b = v + step * way[k][1];
            if (a < 0 || b < 0 || a + b > 1)
                continue;
            number value = value_of(q, x, a, b, &error);
            if (value < low) {
                low = value;
                u = a;
                v = b;
            }
        }
    low = value_of(q, x, u, v, &error);
    return low + error < q->def.margin;
}

// ---------------------------------------------------------------------------------------------
// Random questions

static toi_random source = {20251214};

static double pick(double low, double high)
{
    return toi_random_range(&source, low, high);
}

static int below(int count)
{
    return (int)toi_random_below(&source, (uint64_t)count);
}

// Moves the motion of an unit scene away by an offset, and scales it; fields at rest stay.
static void direct_motion(question *q, double size, double offset)
{
    twin_motion *m = &q->moving;
    double way[3], aim[3], far[3], length = 0, slow = pick(0.3, 2) / m->motion.duration;
    random_vector(&source, 1, way);
    random_vector(&source, 0.5 * size, aim);
    random_vector(&source, offset, far);
    toi_rigid *field = &m->motion.field;
    for (int k = 0; k < 3; ++k)
        length += way[k] * way[k];
    length = sqrt(length) + 0.01;
    double part = size * exp2(pick(-7, 0)), scatter = below(3) ? 0 : pick(0, 1) * size;
    for (int k = 0; k < 3; ++k) {
        double from = way[k] / length * pick(1.5, 3) * size, to = aim[k];
        bool rests = field->position[k] == 0 && field->velocity[k] == 0;
        double base = rests ? 0 : far[k];
        if (!rests)
            field->position[k] = base;
        field->centre[k] *= 0.1;
        m->body.position[k] = base + from;
        m->body.velocity[k] = (to - from) * slow + field->velocity[k];
        for (int i = 0; i < 3; ++i) {
            double at = m->start[i][k] / size * part;
            bool lines = m->motion.end.count > 0;
            m->start[i][k] = lines ? base + from + at : at + m->body.centre[k];
            m->end[i][k] =
                m->start[i][k] + m->motion.duration * m->body.velocity[k] + scatter * pick(-1, 1);
        }
        m->body.centre[k] += below(4) ? 0 : 0.5 * size * pick(-1, 1);
    }
    m->motion.mesh = m->body;
    if (m->motion.pose)
        use_twin_pose(m);
    if (m->motion.end.count > 0)
        use_twin_lines(m);
}

// Now and then the field turns as the mesh does, or against it; or all takes very long or short.
static void change_rates(twin_motion *m)
{
    double faster = below(6) ? 1 : exp2(pick(-30, 30)), sign = below(2) ? 1 : -1;
    bool same = below(6) == 0;
    m->motion.duration /= faster;
    for (int k = 0; k < 3; ++k) {
        m->motion.field.velocity[k] *= faster;
        m->motion.field.spin[k] *= faster;
        m->body.spin[k] *= faster;
        if (same)
            m->body.spin[k] = sign * m->motion.field.spin[k];
    }
}

static void random_question(question *q, subject about)
{
    static const double offsets[] = {0, 0, 1, 1e3, 1e6, 1e10}, turns[] = {0, 0.1, 0.5, 3, 300};
    double size = about.size;
    int mesh = below(TWIN_MESH_MOTIONS), field = below(TWIN_FIELD_MOTIONS);
    q->subject = about;
    random_motion(&source, mesh, field, size, 0, turns[below(100) ? below(4) : 4], &q->moving);
    if (q->moving.motion.duration == 0)
        q->moving.motion.duration = 1;
    change_rates(&q->moving);
    // A function of the caller's may round by less than large offsets do.
    direct_motion(q, size, size * offsets[below(mesh == TWIN_POSE ? 3 : 6)]);
    q->def = toi_default_sdf_def();
    q->def.workers = 1;
    q->def.budget = 4000;
    q->def.tolerance = q->moving.motion.duration * pow(10, pick(-12, -2));
    q->def.margin = below(4) ? 0 : size * pick(-0.05, 0.1);
    q->def.touch = below(10) ? 0 : size * pow(10, pick(-9, -1));
    q->path_error = path_error(q);
}

// ---------------------------------------------------------------------------------------------
// The check

typedef struct tally
{
    int64_t states[TOI_SDF_STATE_COUNT];
    int64_t late;
    int64_t starts; // in contact from the beginning
} tally;

static void describe(const question *q, const toi_sdf_result *r, number t)
{
    const toi_field_facts facts = toi_describe_field(q->subject.field);
    printf("late: %s, size %g, %s mesh, duration %g, t_low %.17g, contact at %.17Lg, state %s\n",
           facts.kind, q->subject.size,
           q->moving.motion.pose        ? "posed"
           : q->moving.motion.end.count ? "linear"
                                        : "rigid",
           q->moving.motion.duration, r->t_low, t, toi_sdf_state_name(r->state));
}

enum
{
    TIMES = 13
};

// Times before t_low, `count` of them: the last one, some ever closer to it, and some all over.
static bool is_late(const question *q, const toi_sdf_result *r, int count)
{
    number times[TIMES] = {nextafter(r->t_low, 0)};
    for (int k = 0; k < 7; ++k)
        times[1 + k] = r->t_low * (1 - powl(10, -(number)pick(2 * k, 2 * k + 2)));
    for (int k = 0; k < 5; ++k)
        times[8 + k] = r->t_low * (k + pick(0, 1)) / 5;
    for (int k = 0; k < count; ++k)
        if (times[k] >= 0 && times[k] < r->t_low && touches(q, times[k], r->u, r->v)) {
            describe(q, r, times[k]);
            return true;
        }
    return false;
}

// At t_high a point is as near as the result says.
static void check_witness(const question *q, const toi_sdf_result *r)
{
    number x[3][3], error;
    corners_at(q, r->t_high, x);
    number value = value_of(q, x, r->u, r->v, &error);
    double slack = 0x1p-30 * q->subject.size;
    assert_true(r->distance <= q->def.margin + r->touch);
    assert_true(r->t_low <= r->t_high && r->t_high <= q->moving.motion.duration);
    assert_true(value <= q->def.margin + r->touch + 64 * error + slack);
}

static toi_sdf_result ask(const question *q, tally *t)
{
    toi_sdf_result r;
    assert_ok(toi_find_triangle_impact(&q->def, (const double(*)[3])q->moving.start,
                                       &q->moving.motion, q->subject.field, &r));
    ++t->states[r.state];
    t->starts += r.t_low == 0;
    t->late += is_late(q, &r, TIMES);
    if (r.state == TOI_SDF_FREE)
        assert_true(r.t_low == q->moving.motion.duration);
    if (r.state == TOI_SDF_HIT)
        check_witness(q, &r);
    return r;
}

// The time at which the point of contact gets there, from long doubles; 0: not soon.
static double contact_time(const question *q, const toi_sdf_result *r)
{
    number low = r->t_low, high = r->t_high, x[3][3], error;
    for (int k = 0; k < 40; ++k) {
        high += (r->t_high - r->t_low) + 0x1p-52L * r->t_high;
        corners_at(q, high, x);
        if (value_of(q, x, r->u, r->v, &error) < q->def.margin)
            break;
        if (k == 39)
            return 0;
    }
    for (int k = 0; k < 70; ++k) {
        number middle = (low + high) / 2;
        corners_at(q, middle, x);
        if (value_of(q, x, r->u, r->v, &error) < q->def.margin)
            high = middle;
        else
            low = middle;
    }
    return (double)high;
}

// The same question, but it ends at the very moment of contact, or an ulp or two beside: rounding
// decides, so every error bound is needed.
static void ask_until_contact(question *q, const toi_sdf_result *r, tally *t)
{
    double time = contact_time(q, r);
    if (!(time > 0) || time >= q->moving.motion.duration)
        return;
    twin_motion *m = &q->moving;
    if (m->motion.end.count > 0) {
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                m->end[i][k] = (double)(m->start[i][k] + ((number)m->end[i][k] - m->start[i][k]) *
                                                             time / m->motion.duration);
    }
    for (int k = below(5); k > 0; --k)
        time = nextafter(time, INFINITY);
    m->motion.duration = time;
    if (m->motion.end.count > 0)
        use_twin_lines(m);
    q->def.tolerance = 0x1p-50 * time;
    ask(q, t);
}

static void ask_all(subject about, tally *t)
{
    question q;
    random_question(&q, about);
    toi_sdf_result r = ask(&q, t);
    if (r.state == TOI_SDF_HIT && r.t_low > 0 && below(3) == 0)
        ask_until_contact(&q, &r, t);
}

// Every tenth at least must hit on the way and be free, or the questions are too easy.
static void judge(const tally *t, int64_t count)
{
    printf("%lld free, %lld hit (%lld at the start), %lld undecided, %lld late\n",
           (long long)t->states[TOI_SDF_FREE], (long long)t->states[TOI_SDF_HIT],
           (long long)t->starts, (long long)t->states[TOI_SDF_UNDECIDED], (long long)t->late);
    assert_int_equal(t->late, 0);
    assert_true(t->states[TOI_SDF_FREE] * 10 > count);
    assert_true((t->states[TOI_SDF_HIT] - t->starts) * 10 > count);
}

static double random_size(void)
{
    return below(2) ? 1 : below(4) ? exp2(pick(-20, 20)) : exp2(pick(-100, 100));
}

static void shapes_are_never_late(void **state)
{
    (void)state;
    tally t = {0};
    int64_t count = slow_cases(60000);
    for (int64_t i = 0; i < count; ++i) {
        double size = random_size();
        twin_node *node = random_shape(&source, (toi_shape)(i % TOI_SHAPE_COUNT), size);
        ask_all((subject){node->field, node, size}, &t);
        free_tree(node);
    }
    judge(&t, count);
}

static void combined_fields_are_never_late(void **state)
{
    (void)state;
    tally t = {0};
    int64_t count = slow_cases(25000);
    for (int64_t i = 0; i < count; ++i) {
        double size = random_size();
        twin_node *node = random_tree(&source, 1 + below(3), size, 1);
        ask_all((subject){node->field, node, size}, &t);
        free_tree(node);
    }
    judge(&t, count);
}

static void baked_fields_and_meshes_are_never_late(void **state)
{
    (void)state;
    tally t = {0};
    int64_t count = slow_cases(13000);
    collection c = make_collection();
    for (int64_t i = 0; i < count; ++i)
        ask_all((subject){c.fields[i % c.count], NULL, 1}, &t);
    free_collection(&c);
    judge(&t, count);
}

// ---------------------------------------------------------------------------------------------
// Whole meshes

// A mesh that moves as a question's triangle does.
typedef struct crowd
{
    twin_mesh mesh;
    double (*end)[3]; // for straight lines
    toi_surface *surface;
} crowd;

// A ball, with some faces that are segments or points, some twice; its size is the triangle's.
static crowd random_crowd(question *q)
{
    crowd c = {.mesh = make_ball(3 + below(2), 0.3, toi_random_bits(&source))};
    twin_motion *m = &q->moving;
    number side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = (number)m->start[1][k] - m->start[0][k];
    double size = (double)twin_length(side) * pick(0.1, 1), loose = below(2) ? 0 : 0.3 * size;
    // Straight lines may make it swell or shrink, faster than it moves.
    double swell = below(3) ? 1 : 1 + pick(-1, 2) * q->subject.size / size;
    for (int64_t i = 0; i < c.mesh.face_count / 10; ++i) {
        int32_t *face = c.mesh.faces[below((int)c.mesh.face_count)];
        face[below(3)] = face[below(3)];
    }
    memcpy(c.mesh.faces[0], c.mesh.faces[1], sizeof *c.mesh.faces);
    c.end = calloc((size_t)c.mesh.point_count, sizeof *c.end);
    double flat[3]; // flat or long ones have boxes that are better than their balls
    for (int k = 0; k < 3; ++k)
        flat[k] = below(2) ? 1 : exp2(pick(-6, 0));
    for (int64_t i = 0; i < c.mesh.point_count; ++i)
        for (int k = 0; k < 3; ++k) {
            double at = size * flat[k] * c.mesh.points[i][k];
            c.mesh.points[i][k] = m->start[0][k] + at;
            c.end[i][k] = m->end[0][k] + swell * at + loose * pick(-1, 1);
        }
    assert_ok(toi_make_surface(twin_points(&c.mesh), twin_faces(&c.mesh), 1, &c.surface));
    return c;
}

static void free_crowd(crowd *c)
{
    free_twin_mesh(&c->mesh);
    free(c->end);
    toi_free_surface(c->surface);
}

// The question of one of the faces.
static void pick_face(const crowd *c, int64_t face, question *q)
{
    for (int i = 0; i < 3; ++i) {
        int32_t vertex = c->mesh.faces[face][i];
        memcpy(q->moving.start[i], c->mesh.points[vertex], sizeof q->moving.start[i]);
        memcpy(q->moving.end[i], c->end[vertex], sizeof q->moving.end[i]);
    }
}

// Asks about the mesh and looks at all its faces.
static void ask_faces(question *q, const crowd *c, const toi_motion *motion, tally *t)
{
    toi_sdf_result r;
    assert_ok(toi_find_field_impact(&q->def, c->surface, motion, q->subject.field, &r));
    ++t->states[r.state];
    t->starts += r.t_low == 0;
    bool late = false;
    for (int64_t i = 0; i < c->mesh.face_count && !late; ++i) {
        pick_face(c, i, q);
        late = is_late(q, &r, i == r.triangle ? TIMES : 4);
    }
    t->late += late;
    if (r.state == TOI_SDF_HIT) {
        pick_face(c, r.triangle, q);
        check_witness(q, &r);
    }
}

static void ask_crowd(subject about, tally *t)
{
    question q;
    random_question(&q, about);
    crowd c = random_crowd(&q);
    toi_motion motion = q.moving.motion;
    if (motion.end.count > 0) {
        motion.start = twin_points(&c.mesh);
        motion.end = toi_view_points(c.end[0], c.mesh.point_count);
    }
    q.path_error *= 2; // a face may be farther away than the triangle was
    ask_faces(&q, &c, &motion, t);
    free_crowd(&c);
}

static void meshes_are_never_late(void **state)
{
    (void)state;
    tally t = {0};
    int64_t count = slow_cases(3000);
    collection c = make_collection();
    for (int64_t i = 0; i < count; ++i) {
        if (i % 4 == 0) {
            ask_crowd((subject){c.fields[i / 4 % c.count], NULL, 1}, &t);
            continue;
        }
        double size = random_size();
        twin_node *node = random_tree(&source, below(3), size, 1);
        ask_crowd((subject){node->field, node, size}, &t);
        free_tree(node);
    }
    free_collection(&c);
    judge(&t, count);
}

// ---------------------------------------------------------------------------------------------
// Plates

enum
{
    PLATE = 5,
    PLATE_POINTS = (PLATE + 1) * (PLATE + 1),
    PLATE_FACES = 2 * PLATE * PLATE
};

// A plate that lies flat, at the end of a long lever: its boxes are flat as well, so that rounding
// alone keeps their bounds from being too high.
static void make_plate(double lever, crowd *c, double points[PLATE_POINTS][3],
                       int32_t faces[PLATE_FACES][3])
{
    for (int i = 0; i < PLATE_POINTS; ++i) {
        points[i][0] = lever + i % (PLATE + 1) * 0.2;
        points[i][1] = lever * 0.7 + i / (PLATE + 1) * 0.2;
        points[i][2] = lever * 0.3;
    }
    for (int i = 0; i < PLATE_FACES; ++i) {
        int32_t at = i / 2 % PLATE + (PLATE + 1) * (i / 2 / PLATE), far = at + PLATE + 2;
        int32_t face[3] = {at, i % 2 ? at + 1 : far, i % 2 ? far : at + PLATE + 1};
        memcpy(faces[i], face, sizeof face);
    }
    c->mesh = (twin_mesh){points, faces, PLATE_POINTS, PLATE_FACES};
    c->end = points; // not looked at
    assert_ok(toi_make_surface(twin_points(&c->mesh), twin_faces(&c->mesh), 1, &c->surface));
}

// It falls on a plane that is as flat, until a little after contact, or not so far.
static void drop_plate(double lever, tally *t)
{
    double points[PLATE_POINTS][3], height = pick(0.5, 2), matrix[9], origin[3];
    int32_t faces[PLATE_FACES][3];
    crowd c;
    question q = {.def = toi_default_sdf_def()};
    make_plate(lever, &c, points, faces);
    toi_rigid *body = &q.moving.body;
    *body = toi_rest();
    for (int k = 0; k < 4; ++k)
        body->rotation[k] = pick(-1, 1);
    toi_rigid_pose(body, 0, matrix, origin);
    twin_node plane = {.kind = TOI_SHAPE_PLANE};
    for (int k = 0; k < 3; ++k) {
        const double *row = &matrix[3 * k];
        plane.numbers[k] = row[2];
        body->position[k] = row[2] * height -
                            (row[0] * points[0][0] + row[1] * points[0][1] + row[2] * points[0][2]);
        body->velocity[k] = -row[2] + 0.3 * row[0];
    }
    assert_ok(toi_make_shape(TOI_SHAPE_PLANE, plane.numbers, 4, &plane.field));
    q.subject = (subject){plane.field, &plane, 1};
    q.moving.motion = toi_default_motion();
    q.moving.motion.mesh = *body;
    q.moving.motion.duration = height + (below(4) ? 0x1p-53 * lever * exp2(pick(-2, 6)) : -0.1);
    q.def.workers = 1;
    q.def.tolerance = 1e-16;
    pick_face(&c, 0, &q);
    q.path_error = path_error(&q);
    ask_faces(&q, &c, &q.moving.motion, t);
    toi_free_field(plane.field);
    toi_free_surface(c.surface);
}

static void plates_are_never_late(void **state)
{
    (void)state;
    tally t = {0};
    int64_t count = slow_cases(600);
    for (int64_t i = 0; i < count; ++i)
        drop_plate(exp2(pick(5, 30)), &t);
    judge(&t, count);
}

// Steps in time are rounded down: what is proved until a time is not proved an ulp later.
static void times_are_never_rounded_up(void **state)
{
    (void)state;
    for (int64_t i = 0; i < slow_cases(200000); ++i) {
        double time = pick(0, 1) * exp2(pick(-30, 0)), step = pick(0, 1) * exp2(pick(-70, 0));
        double later = toi_later(time, step);
        number rest = (number)later - fmax(time, step); // exact, as is what it is compared with
        assert_true(rest <= fmin(time, step) && later >= fmax(time, step) * (1 - 0x1p-52));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_never_rounded_up),
        cmocka_unit_test(shapes_are_never_late),
        cmocka_unit_test(combined_fields_are_never_late),
        cmocka_unit_test(baked_fields_and_meshes_are_never_late),
        cmocka_unit_test(meshes_are_never_late),
        cmocka_unit_test(plates_are_never_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
