// What a solver's policy promises: the separation is held, what begins inside it neither stops nor
// goes through, and pruning loses no second time.

#include "slow_policy.h"
#include "steps.h"
#include "support.h"

#include <math.h>
#include <string.h>

// A particle above a floor, which is the plane z = 0: its height is its distance, without rounding.
static const double FLOOR[4][3] = {{0, 0, 1}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
static const int32_t FLOOR_FACE[1][3] = {{1, 2, 3}};

typedef struct particle
{
    double start[4][3], end[4][3];
    toi_mesh mesh;
    toi_ccd_def def;
} particle;

static void put_particle(particle *p, double height)
{
    memcpy(p->start, FLOOR, sizeof FLOOR);
    memcpy(p->end, FLOOR, sizeof FLOOR);
    p->start[0][2] = height;
    p->mesh = toi_make_mesh(p->start[0], p->end[0], 4, FLOOR_FACE[0], 1);
    p->def = toi_default_ccd_def();
    p->def.narrow.min_separation = 0.1;
    p->def.zero_time = toi_solver_policy();
}

static toi_ccd_report push(particle *p, double x, double z)
{
    toi_ccd_report report;
    p->end[0][0] = p->start[0][0] + x;
    p->end[0][2] = p->start[0][2] + z;
    assert_ok(toi_find_earliest(&p->def, &p->mesh, &report));
    return report;
}

// All vertices by the same share of the motion.
static void go(particle *p, double step)
{
    double steps[4] = {step, step, step, step};
    assert_ok(toi_move_points(&p->mesh, steps, p->start[0]));
}

// ---- The separation is held

// A second pass without the separation brought it to 1e-8 within twelve steps.
static void a_particle_stays_above_its_floor(void **state)
{
    (void)state;
    particle p;
    put_particle(&p, 1);
    int moved = 0;
    for (int i = 0; i < 200; ++i) {
        double steps[4], before = p.start[0][2];
        p.end[0][2] = before - 1;
        assert_ok(toi_find_safe_steps(&p.def, &p.mesh, steps, NULL));
        assert_ok(toi_move_points(&p.mesh, steps, p.start[0]));
        assert_true(p.start[0][2] > 0.1 && p.start[0][2] <= before);
        moved += p.start[0][2] < before;
        if (before - 0.1 > 1e-12) // the rest is a share of what was left
            assert_true(p.start[0][2] - 0.1 < 0.51 * (before - 0.1));
    }
    assert_true(moved > 20 && p.start[0][2] - 0.1 < 1e-15);
}

// Where the caller goes by the earliest time the rounded position may be at the separation itself.
// That stops nothing, and is counted.
static void rounding_lands_on_the_separation(void **state)
{
    (void)state;
    particle p;
    put_particle(&p, 1);
    int64_t inside = 0;
    for (int i = 0; i < 200; ++i) {
        double before = p.start[0][2];
        toi_ccd_report report = push(&p, 0.01, -1);
        assert_true(report.state == TOI_HIT && report.earliest.time > 0);
        assert_int_equal(report.inside, before <= 0.1);
        go(&p, report.earliest.time);
        assert_true(p.start[0][2] > 0);
        if (before > 0.1)
            assert_true(p.start[0][2] >= 0.1);
        else
            assert_true(p.start[0][2] >= 0.2 * before * (1 - 0x1p-50));
        inside += report.inside;
    }
    assert_true(inside > 100);
}

// ---- What begins inside

static void what_begins_inside_keeps_its_share(void **state)
{
    (void)state;
    static const double heights[] = {0.1, 0.05, 1e-3, 1e-9, 1e-300, 0x1p-1070};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i) {
        particle p;
        put_particle(&p, heights[i]);
        toi_ccd_report report = push(&p, 0, -1);
        assert_int_equal(report.inside, 1);
        assert_true(report.first_inside.kind == TOI_VERTEX_FACE && report.first_inside.a == 0 &&
                    report.first_inside.b == 0);
        assert_true(report.earliest.time <= 0.8 * heights[i] * (1 + 0x1p-40));
        assert_true(report.earliest.time >= 0.8 * heights[i] * (1 - 0x1p-40) - 0x1p-1070);
        report = push(&p, 0.5, 0); // sideways
        assert_true(report.state == TOI_SEPARATED && report.inside == 1);
        report = push(&p, 0.5, 1); // out of it
        assert_true(report.state == TOI_SEPARATED && report.inside == 1);
        report = push(&p, 0.5, -0.5 * heights[i]); // deeper, but by less than its share
        assert_true(report.state == TOI_SEPARATED && report.inside == 1);
    }
}

// Without a share to keep it is hit at once, and counted all the same.
static void inside_without_a_share_is_a_hit_at_once(void **state)
{
    (void)state;
    particle p;
    put_particle(&p, 0.05);
    p.def.zero_time.relative_separation = 0;
    toi_ccd_report report = push(&p, 0, 1);
    assert_true(report.state == TOI_HIT && report.earliest.time == 0);
    assert_int_equal(report.inside, 1);
}

static void touching_pairs_begin_inside_too(void **state)
{
    (void)state;
    particle p;
    put_particle(&p, 0);
    p.def.narrow.min_separation = 0;
    toi_ccd_report report = push(&p, 0.5, 0.5);
    assert_true(report.earliest.time == 0 && report.inside == 1);
    put_particle(&p, 0x1p-1074);
    p.def.narrow.min_separation = 0;
    report = push(&p, 0.5, 0.5);
    assert_true(report.state == TOI_SEPARATED && report.inside == 0);
}

static void strictness_names_what_begins_inside(void **state)
{
    (void)state;
    particle p;
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    double steps[4] = {1, 1, 1, 1};
    put_particle(&p, 0.05);
    push(&p, 0, 1);
    p.def.zero_time.strict = true;
    assert_fails(toi_find_earliest(&p.def, &p.mesh, &report), TOI_ERROR_DATA,
                 "vertex 0 and face 0 start at");
    assert_true(isinf(report.earliest.time));
    assert_fails(toi_find_impacts(&p.def, &p.mesh, &impacts, NULL), TOI_ERROR_DATA,
                 "vertex 0 and face 0 start at");
    assert_int_equal(impacts.count, 0);
    assert_fails(toi_find_safe_steps(&p.def, &p.mesh, steps, NULL), TOI_ERROR_DATA,
                 "vertex 0 and face 0 start at");
    assert_true(steps[0] == 0 && steps[3] == 0);
    p.start[0][2] = nextafter(0.1, 1);
    assert_ok(toi_find_earliest(&p.def, &p.mesh, &report));
    toi_free_impacts(&impacts);
    // Without any separation there is nothing to be strict about.
    p.def.narrow.min_separation = p.def.zero_time.relative_separation = 0;
    assert_fails(toi_find_earliest(&p.def, &p.mesh, &report), TOI_ERROR_ARGUMENT, "strict");
}

// ---- Lists and the earliest

static const double SMALL_TIMES[] = {0, 1e-6, 0.1, 1}, RESCALES[] = {0, 0.5, 0.8};
static const double SHARES[] = {0, 0.2, 0.5}, LAST_TIMES[] = {1, 0.7, 0.05, 0};
static const double SEPARATIONS[] = {0, 1e-3, 0.03};

static toi_ccd_def random_policy(toi_random *random, toi_narrow_method method)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.method = method;
    def.narrow.min_separation = SEPARATIONS[toi_random_below(random, 3)];
    def.narrow.t_max = LAST_TIMES[toi_random_below(random, 4)];
    def.zero_time.small_time = SMALL_TIMES[toi_random_below(random, 4)];
    def.zero_time.rescale = RESCALES[toi_random_below(random, 3)];
    def.zero_time.relative_separation = SHARES[toi_random_below(random, 3)];
    def.float_boxes = toi_random_below(random, 2);
    return def;
}

static void expect_list(const toi_ccd_def *def, toi_scene *scene, const toi_mesh *mesh,
                        const slow_answer *slow)
{
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    assert_ok(ask_impacts(scene, def, mesh, &impacts, &report));
    assert_int_equal(impacts.count, slow->impacts.count);
    if (impacts.count > 0)
        assert_memory_equal(impacts.data, slow->impacts.data,
                            (size_t)impacts.count * sizeof *impacts.data);
    assert_int_equal(report.rescaled, slow->rescaled);
    toi_free_impacts(&impacts);
}

static void expect_earliest(const toi_ccd_def *def, toi_scene *scene, const toi_mesh *mesh,
                            const slow_answer *slow)
{
    toi_ccd_report report;
    assert_ok(ask_earliest(scene, def, mesh, &report));
    assert_memory_equal(&report.earliest, &slow->earliest, sizeof report.earliest);
    assert_int_equal(report.inside, slow->inside);
    assert_memory_equal(&report.first_inside, &slow->first_inside, sizeof report.first_inside);
}

typedef struct tally
{
    int64_t impacts, rescaled, inside, later; // later: the earliest is a second time
} tally;

static void compare_with_slow(toi_random *random, toi_narrow_method method, tally *t)
{
    soup s = make_soup(12, 0.2, 0.4, toi_random_bits(random));
    toi_ccd_def def = random_policy(random, method);
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    slow_answer slow = ask_slowly(&def, &s.mesh);
    for (int i = 0; i < 3; ++i) { // a worker, some, and a scene that remembers the last answer
        def.workers = i == 1 ? 2 + (int)toi_random_below(random, 3) : 1;
        toi_scene *of = i == 2 ? scene : NULL;
        if (i != 1 || toi_random_below(random, 8) == 0)
            expect_list(&def, of, &s.mesh, &slow);
        expect_earliest(&def, of, &s.mesh, &slow);
    }
    expect_earliest(&def, scene, &s.mesh, &slow);
    t->impacts += slow.impacts.count;
    t->rescaled += slow.rescaled;
    t->inside += slow.inside;
    t->later += slow.rescaled > 0 && slow.earliest.time > def.zero_time.small_time;
    toi_free_impacts(&slow.impacts);
    toi_free_scene(scene);
    free_soup(&s);
}

static void the_earliest_is_the_least_of_the_list(void **state)
{
    (void)state;
    toi_random random = {5};
    tally t = {0};
    int64_t count = cases(2000);
    for (int64_t i = 0; i < count; ++i)
        compare_with_slow(&random, i % 4 ? TOI_NARROW_EXACT : TOI_NARROW_ADDITIVE_CERTIFIED, &t);
    print_message("%lld policies: %lld impacts, %lld solved again, %lld pairs inside\n",
                  (long long)count, (long long)t.impacts, (long long)t.rescaled,
                  (long long)t.inside);
    assert_true(t.impacts > count && t.rescaled > count && t.inside > count / 4);
}

// Two particles fall on the floor, at the speed 10. Both first times, 0.0495 and 0.0406, are small.
// The second time of the higher one, halved, is 0.025: less than the first time of the lower one.
// A scene that has met the higher one in its last step solves it first. The other must be looked at
// all the same, for half its second time is 0.0205.
static void second_times_are_not_lost(void **state)
{
    (void)state;
    static const double start[5][3] = {
        {0, 0, 0.51}, {1, 0, 0.6}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    static const int32_t face[1][3] = {{2, 3, 4}};
    double end[5][3];
    memcpy(end, start, sizeof end);
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 5, face[0], 1);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_scene *scene;
    def.narrow.min_separation = 0.1;
    def.zero_time = (toi_zero_time_policy){0.01, 0.5, 0.05, false};
    assert_ok(make_scene_of(&mesh, NULL, &scene));
    end[1][2] -= 10;
    for (def.workers = 1; def.workers <= 4; ++def.workers) {
        end[0][2] = start[0][2];
        assert_ok(ask_earliest(scene, &def, &mesh, &report));
        assert_true(report.earliest.a == 1 && fabs(report.earliest.time - 0.025) < 1e-12);
        end[0][2] -= 10;
        assert_ok(ask_earliest(scene, &def, &mesh, &report));
        assert_true(report.earliest.a == 0 && fabs(report.earliest.time - 0.0205) < 1e-12);
    }
    toi_free_scene(scene);
}

// A pair whose first time is small but that does not come to the separation itself is separated.
// (Aslant from a corner of the floor, so that the boxes, enlarged by the separation, overlap.)
static void second_times_may_be_none(void **state)
{
    (void)state;
    particle p;
    put_particle(&p, 0);
    for (int k = 0; k < 3; ++k) {
        p.start[0][k] = FLOOR[3][k] + 0.101 / sqrt(3);
        p.end[0][k] = FLOOR[3][k] + 0.1001 / sqrt(3);
    }
    toi_ccd_report report;
    p.def.zero_time.small_time = 0.95;
    assert_ok(toi_find_earliest(&p.def, &p.mesh, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
    p.def.zero_time.small_time = 0.5;
    assert_ok(toi_find_earliest(&p.def, &p.mesh, &report));
    assert_true(report.state == TOI_HIT && fabs(report.earliest.time - 8.0 / 9) < 1e-9);
}

// Two points that keep their distance, which is the separation itself: nine of the least double.
static void denormal_separations_are_kept(void **state)
{
    (void)state;
    const double u = 0x1p-1074;
    double start[2][3] = {{16 * u, 2 * u, 8 * u}, {8 * u, u, 4 * u}};
    double end[2][3] = {{0, 0, 0}, {-8 * u, -u, -4 * u}};
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 2, NULL, 0);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    def.narrow.min_separation = 9 * u;
    def.zero_time.relative_separation = 0x1.893710f6p-4;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.inside == 1 && report.first_inside.kind == TOI_POINT_POINT);
    assert_int_equal(report.state, TOI_SEPARATED);
}

// Two edges that start inside; their share of the distance, three of the least double, is rounded
// up to one of it.
static void denormal_shares_are_kept(void **state)
{
    (void)state;
    double start[4][3] = {{-4, -2, 3}, {4, -4, -4}, {0, 2, 4}, {-1, 0, -2}};
    double end[4][3] = {{-2, -2, -3}, {-2, -4, 1}, {4, 1, 2}, {-2, -3, -4}};
    static const int32_t edges[2][2] = {{0, 1}, {2, 3}};
    for (int i = 0; i < 12; ++i) {
        start[i / 3][i % 3] *= 0x1p-1074;
        end[i / 3][i % 3] *= 0x1p-1074;
    }
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, NULL, 0);
    mesh.edges = (toi_index_view){edges[0], 2, 0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    def.narrow.min_separation = 4 * 0x1p-1074;
    def.zero_time.relative_separation = 0.2;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.inside == 1 && report.earliest.time == 0x1.edfe25b05ca8ap-1);
}

// Shares that single precision cannot hold: points come down from far away to three quarters of
// theirs, on so many faces that boxes are compared in tables.
static void tiny_shares_are_kept(void **state)
{
    (void)state;
    enum
    {
        POINTS = 40,
        FACES = 30
    };
    const double share = 0x1p-151, height = 0x1p60, last = 0.75 * share * height;
    double start[3 + POINTS][3] = {{-9, -9, 4 * last}, {9, -9, 4 * last}, {0, 9, 4 * last}};
    double end[3 + POINTS][3] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    int32_t faces[FACES][3];
    for (int i = 3; i < 3 + POINTS; ++i) {
        start[i][0] = end[i][0] = 0.01 * i;
        start[i][2] = height;
        end[i][2] = last;
    }
    for (int i = 0; i < FACES; ++i)
        memcpy(faces[i], (int32_t[3]){0, 1, 2}, sizeof faces[i]);
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 3 + POINTS, faces[0], FACES);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    def.zero_time.relative_separation = share;
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    assert_int_equal(impacts.count, POINTS * FACES);
    toi_free_impacts(&impacts);
}

// Floors that sink on one another, to just below half of their distances, but for the highest,
// which comes down on the next in the end: so bounds are worth making, and directions do not tell.
enum
{
    FLOORS = 60
};

typedef struct floors
{
    double start[3 * FLOORS][3], end[3 * FLOORS][3];
    int32_t faces[FLOORS][3];
} floors;

static void put_floors(floors *f, int exponent)
{
    const double gap = 0.05, share = 0.48, highest = FLOORS - 2;
    for (int i = 0; i < 3 * FLOORS; ++i) {
        int floor = i / 3, corner = i % 3;
        bool top = floor == FLOORS - 1;
        double point[3] = {corner == 1, corner == 2, top ? highest * gap + 1 : floor * gap};
        double low = top ? highest * gap * share + 0.4 : point[2] * share;
        for (int k = 0; k < 3; ++k) {
            f->start[i][k] = ldexp(point[k], exponent);
            f->end[i][k] = ldexp(k == 2 ? low : point[k], exponent);
        }
        f->faces[floor][corner] = i;
    }
}

// Squares of such lengths are nothing in single precision. Scaled by powers of two all times are
// the same.
static void shares_of_tiny_scenes_are_kept(void **state)
{
    (void)state;
    static const int EXPONENTS[] = {0, -60, -70, -75, -100, -140, -400, 100};
    static floors f;
    toi_impact_array list = {0}, first = {0};
    toi_ccd_report report;
    toi_ccd_def def = toi_default_ccd_def();
    def.zero_time.relative_separation = 0.5;
    for (size_t i = 0; i < sizeof EXPONENTS / sizeof *EXPONENTS; ++i) {
        double steps[3 * FLOORS];
        put_floors(&f, EXPONENTS[i]);
        toi_mesh mesh = toi_make_mesh(f.start[0], f.end[0], 3 * FLOORS, f.faces[0], FLOORS);
        assert_ok(toi_find_impacts(&def, &mesh, i > 0 ? &list : &first, NULL));
        assert_ok(toi_find_earliest(&def, &mesh, &report));
        assert_ok(toi_find_safe_steps(&def, &mesh, steps, NULL));
        for (int64_t k = 0; i > 0 && k < first.count; ++k) {
            assert_int_equal(list.count, first.count);
            assert_true(list.data[k].a == first.data[k].a && list.data[k].b == first.data[k].b &&
                        list.data[k].time == first.data[k].time);
        }
        assert_true(first.count > 1000 && report.earliest.time > 0.8 && report.earliest.time < 0.9);
        assert_true(steps[3 * FLOORS - 1] <= report.earliest.time);
    }
    toi_free_impacts(&list);
    toi_free_impacts(&first);
}

// A second time that is rounded to 0 is found where only 0 is asked for.
static void second_times_may_underflow(void **state)
{
    (void)state;
    double start[4][3] = {{0, 0, 1e-100}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, end[4][3];
    static const int32_t faces[1][3] = {{1, 2, 3}};
    memcpy(end, start, sizeof end);
    end[0][2] = -1;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, faces[0], 1);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    def.zero_time = (toi_zero_time_policy){0.2, 1e-300, 1, false};
    def.narrow.t_max = 0;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_true(report.state == TOI_HIT && report.earliest.time == 0);
}

// What starts inside moves on, whatever the method: it keeps its share, and another point falls.
static void every_method_steps_from_inside(void **state)
{
    (void)state;
    double start[5][3] = {{0, 0, 0.05}, {2, 0, 1}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, end[5][3];
    static const int32_t faces[1][3] = {{2, 3, 4}};
    memcpy(end, start, sizeof end);
    end[0][0] += 0.5;
    end[1][2] -= 2;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 5, faces[0], 1);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        toi_ccd_def def = toi_default_ccd_def();
        double steps[5];
        def.narrow.method = (toi_narrow_method)method;
        def.narrow.min_separation = 0.1;
        def.zero_time = toi_solver_policy();
        if (!(toi_narrow_traits(def.narrow.method) & TOI_NARROW_TRAIT_SEPARATION))
            continue;
        assert_ok(toi_find_safe_steps(&def, &mesh, steps, NULL));
        assert_true(steps[0] == 1 && steps[1] > 0.3 && steps[1] < 0.37);
    }
}

static void lists_that_are_null_are_refused(void **state)
{
    (void)state;
    particle p;
    toi_ccd_report report;
    toi_ccd_def still = toi_default_ccd_def();
    double numbers[12] = {0};
    put_particle(&p, 1);
    assert_fails(toi_move_points(&p.mesh, NULL, numbers), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_move_points(&p.mesh, numbers, NULL), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_find_safe_steps(&p.def, &p.mesh, NULL, &report), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_find_close(&still, &p.mesh, 1, NULL, &report), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_stream_close(&still, &p.mesh, 1, NULL, NULL, &report), TOI_ERROR_ARGUMENT,
                 "NULL");
    assert_fails(toi_find_distance(&still, &p.mesh, NULL, &report), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_find_safe_radii(&still, &p.mesh, 1, NULL, &report), TOI_ERROR_ARGUMENT,
                 "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_stays_above_its_floor),
        cmocka_unit_test(rounding_lands_on_the_separation),
        cmocka_unit_test(what_begins_inside_keeps_its_share),
        cmocka_unit_test(inside_without_a_share_is_a_hit_at_once),
        cmocka_unit_test(touching_pairs_begin_inside_too),
        cmocka_unit_test(strictness_names_what_begins_inside),
        cmocka_unit_test(the_earliest_is_the_least_of_the_list),
        cmocka_unit_test(second_times_are_not_lost),
        cmocka_unit_test(second_times_may_be_none),
        cmocka_unit_test(denormal_separations_are_kept),
        cmocka_unit_test(denormal_shares_are_kept),
        cmocka_unit_test(tiny_shares_are_kept),
        cmocka_unit_test(shares_of_tiny_scenes_are_kept),
        cmocka_unit_test(second_times_may_underflow),
        cmocka_unit_test(every_method_steps_from_inside),
        cmocka_unit_test(lists_that_are_null_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
