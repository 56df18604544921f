// The class of two faces against the twin in rationals: on lattices, in general position, nearly
// degenerate, far out, tiny and huge, with and without area, sharing vertices by number or place.

#include "overlap_twin.h"
#include "support.h"

#include "overlap/orientation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two faces, each with its own copy of its corners.
typedef struct trial
{
    double x[2][3][3];
    int32_t vertex[2][3];
    unsigned diagonals[2];
} trial;

static toi_corner_view view(const trial *t, int f)
{
    return (toi_corner_view){{t->x[f][0], t->x[f][1], t->x[f][2]}, t->vertex[f], t->diagonals[f]};
}

// ---- Places

typedef void place_fn(toi_random *random, double x[3]);

static void lattice_place(toi_random *random, double x[3], int side)
{
    for (int k = 0; k < 3; ++k)
        x[k] = (double)toi_random_below(random, (uint64_t)side);
}

static void small_lattice(toi_random *random, double x[3])
{
    lattice_place(random, x, 3);
}

static void large_lattice(toi_random *random, double x[3])
{
    lattice_place(random, x, 6);
}

static void flat_lattice(toi_random *random, double x[3])
{
    lattice_place(random, x, 5);
    x[2] = 0;
}

// About a circle: triangles that cross as hexagons.
static void round_lattice(toi_random *random, double x[3])
{
    double angle = toi_random_range(random, 0, 7);
    x[0] = round(9 * cos(angle));
    x[1] = round(9 * sin(angle));
    x[2] = x[0] / 2;
}

static void leaning_lattice(toi_random *random, double x[3])
{
    lattice_place(random, x, 4);
    x[2] = 2 * x[0] - 3 * x[1];
}

static void general_place(toi_random *random, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = toi_random_range(random, -1, 1);
}

// Close to a plane, a line or a point through the origin, by some units in the last place.
static void nearly_flat(toi_random *random, double x[3])
{
    lattice_place(random, x, 4);
    for (int k = 0; k < 3; ++k)
        x[k] /= 3;
    x[2] = x[0] + x[1];
    int k = (int)toi_random_below(random, 3);
    if (toi_random_below(random, 2) == 0)
        x[k] = nextafter(x[k], toi_random_below(random, 2) ? 9 : -9);
}

static void far_out(toi_random *random, double x[3])
{
    lattice_place(random, x, 4);
    for (int k = 0; k < 3; ++k)
        x[k] = 0x1p50 + (k == 2 ? 0.25 : 1) * x[k];
}

// As wide as what words hold, and a little wider.
static void wide_place(toi_random *random, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = ldexp(floor(toi_random_range(random, -0x1p53, 0x1p53)),
                     (int)toi_random_below(random, 12));
}

static void denormal_place(toi_random *random, double x[3])
{
    lattice_place(random, x, 4);
    for (int k = 0; k < 3; ++k)
        x[k] *= 0x1p-1074;
}

static void scaled_place(toi_random *random, double x[3], int exponent)
{
    if (toi_random_below(random, 4) == 0)
        general_place(random, x);
    else
        lattice_place(random, x, 3);
    for (int k = 0; k < 3; ++k)
        x[k] = ldexp(x[k], exponent);
}

static void small_place(toi_random *random, double x[3])
{
    scaled_place(random, x, -60);
}

static void big_place(toi_random *random, double x[3])
{
    scaled_place(random, x, 60);
}

static void tiny_place(toi_random *random, double x[3])
{
    scaled_place(random, x, -1000);
}

static void huge_place(toi_random *random, double x[3])
{
    scaled_place(random, x, 900);
}

// Every axis at a scale of its own, and zeros that are not quite.
static void wild_place(toi_random *random, double x[3])
{
    static const int EXPONENTS[3] = {1020, -1030, 0};
    lattice_place(random, x, 3);
    for (int k = 0; k < 3; ++k) {
        x[k] = ldexp(x[k] - 1, EXPONENTS[k]);
        if (x[k] == 0 && toi_random_below(random, 4) == 0)
            x[k] = 0x1p-1074;
    }
}

static place_fn *const PLACES[] = {small_lattice,   large_lattice,  flat_lattice, round_lattice,
                                   leaning_lattice, general_place,  nearly_flat,  far_out,
                                   wide_place,      denormal_place, small_place,  big_place,
                                   tiny_place,      huge_place,     wild_place};
enum
{
    PLACE_COUNT = sizeof PLACES / sizeof *PLACES,
    SLOW_PLACES = 3 // the last ones have numbers of thousands of bits
};

// ---- Trials

static void copy_corner(trial *t, int f, int i, int g, int j, bool number)
{
    memcpy(t->x[f][i], t->x[g][j], sizeof t->x[f][i]);
    if (number)
        t->vertex[f][i] = t->vertex[g][j];
}

static int corner(toi_random *random)
{
    return (int)toi_random_below(random, 3);
}

// Corner 2 on the line through the others, as far as doubles go.
static void flatten(toi_random *random, trial *t, int f)
{
    static const double PARTS[] = {0.5, 0.25, 2, -1, 0, 1};
    double part = PARTS[toi_random_below(random, 6)];
    for (int k = 0; k < 3; ++k)
        t->x[f][2][k] = t->x[f][0][k] + part * (t->x[f][1][k] - t->x[f][0][k]);
}

// By number, or by place alone.
static void share(toi_random *random, trial *t, bool number)
{
    static const int SHARED[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3};
    int shared = SHARED[toi_random_below(random, 15)], turn = corner(random);
    for (int i = 0; i < shared; ++i)
        copy_corner(t, 1, i, 0, (i + turn) % 3, number);
}

static trial make_trial(toi_random *random, place_fn *place)
{
    trial t = {.vertex = {{10, 11, 12}, {13, 14, 15}}};
    for (int i = 0; i < 6; ++i)
        place(random, t.x[i / 3][i % 3]);
    for (int f = 0; f < 2; ++f) {
        if (toi_random_below(random, 10) == 0)
            flatten(random, &t, f);
        if (toi_random_below(random, 20) == 0)
            copy_corner(&t, f, corner(random), f, corner(random), false);
        if (toi_random_below(random, 30) == 0)
            t.diagonals[f] = (unsigned)toi_random_below(random, 8);
    }
    if (toi_random_below(random, 10) == 0)
        share(random, &t, false);
    // Numbers last: from then on a vertex must not move.
    for (int f = 0; f < 2; ++f)
        if (toi_random_below(random, 20) == 0)
            copy_corner(&t, f, corner(random), f, corner(random), true);
    share(random, &t, true);
    return t;
}

static toi_overlap_class classify(const trial *t, bool *exact)
{
    toi_corner_view a = view(t, 0), b = view(t, 1);
    return toi_classify_faces(&a, &b, exact);
}

static void swap_corners(trial *t, int f, int i, int j)
{
    double x[3];
    memcpy(x, t->x[f][i], sizeof x);
    memcpy(t->x[f][i], t->x[f][j], sizeof x);
    memcpy(t->x[f][j], x, sizeof x);
    int32_t vertex = t->vertex[f][i];
    t->vertex[f][i] = t->vertex[f][j];
    t->vertex[f][j] = vertex;
}

// The same two faces told in another way. Diagonals belong to sides, so corners are turned about.
static trial retell(toi_random *random, const trial *t)
{
    trial other = *t;
    int swap = (int)toi_random_below(random, 2), turn[2] = {corner(random), corner(random)};
    int axis = corner(random), mirror = (int)toi_random_below(random, 2);
    for (int f = 0; f < 2; ++f) {
        other.diagonals[f] = 0;
        for (int i = 0; i < 3; ++i) {
            int from = (i + turn[f]) % 3;
            other.vertex[f][i] = t->vertex[f ^ swap][from];
            other.diagonals[f] |= (t->diagonals[f ^ swap] >> from & 1) << i;
            for (int k = 0; k < 3; ++k) {
                int of = (k + axis) % 3;
                other.x[f][i][k] = t->x[f ^ swap][from][mirror ? 2 - of : of];
            }
        }
        if (other.diagonals[f] == 0 && toi_random_below(random, 2))
            swap_corners(&other, f, 0, 1);
    }
    return other;
}

static void print_trial(const trial *t)
{
    for (int f = 0; f < 2; ++f)
        for (int i = 0; i < 3; ++i)
            print_message("%d: (%a, %a, %a)\n", t->vertex[f][i], t->x[f][i][0], t->x[f][i][1],
                          t->x[f][i][2]);
}

static const char *const CLASSES[] = {"crossing", "coplanar", "segment", "point",
                                      "vertex",   "edge",     "same",    "nothing"};

typedef struct tally
{
    int64_t by_class[TOI_OVERLAP_CLASS_COUNT + 1];
    int64_t exact;
} tally;

static void check_trials(place_fn *place, int64_t count, uint64_t seed, tally *found_so_far)
{
    toi_random random = {seed};
    for (int64_t n = 0; n < count; ++n) {
        trial t = make_trial(&random, place);
        toi_corner_view a = view(&t, 0), b = view(&t, 1);
        toi_overlap_class expected = find_twin_class(&a, &b);
        bool exact;
        toi_overlap_class found = classify(&t, &exact);
        found_so_far->by_class[expected]++;
        found_so_far->exact += exact;
        for (int retold = 0; retold < 4 && found == expected; ++retold) {
            trial other = retell(&random, &t);
            found = classify(&other, &exact);
        }
        if (found != expected) {
            print_trial(&t);
            fail_msg("trial %lld: class %d, the twin says %d", (long long)n, found, expected);
        }
    }
}

static void classes_agree_with_the_twin(void **state)
{
    (void)state;
    tally all = {0};
    for (int i = 0; i < PLACE_COUNT; ++i) {
        tally own = {0};
        check_trials(PLACES[i], slow_cases(i < PLACE_COUNT - SLOW_PLACES ? 4000 : 1000),
                     (uint64_t)i + 1, &own);
        for (int k = 0; k <= TOI_OVERLAP_CLASS_COUNT; ++k)
            all.by_class[k] += own.by_class[k];
        assert_true(own.exact > 0);
    }
    for (int k = 0; k <= TOI_OVERLAP_CLASS_COUNT; ++k) {
        print_message("%s: %lld\n", CLASSES[k], (long long)all.by_class[k]);
        assert_true(all.by_class[k] > slow_cases(120));
    }
}

// ---- Figures

static bool same_point(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// The same corners in the same order, from any of them on, in either direction.
static bool same_figure(const toi_overlap_figure *a, const toi_overlap_figure *b)
{
    if (a->count != b->count)
        return false;
    for (int turn = 0; turn < 2 * a->count; ++turn) {
        bool same = true;
        for (int i = 0; i < a->count && same; ++i) {
            int j = turn < a->count ? turn + i : turn + a->count - i;
            same = same_point(a->points[i], b->points[j % a->count]);
        }
        if (same)
            return true;
    }
    return a->count == 0;
}

static toi_overlap_figure find_twin_figure(const trial *t)
{
    toi_corner_view a = view(t, 0), b = view(t, 1);
    toi_overlap_figure figure = {0};
    twin_set set;
    open_twin_set(&set);
    find_twin_set(&a, &b, &set);
    figure.count = set.count;
    assert_true(set.count <= 6);
    for (int i = 0; i < set.count; ++i)
        for (int k = 0; k < 3; ++k)
            figure.points[i][k] = nearest_double(set.x[i][k]);
    close_twin_set(&set);
    return figure;
}

static toi_overlap_figure find_figure(const trial *t)
{
    double points[16][3] = {{0}};
    for (int i = 0; i < 6; ++i)
        memcpy(points[t->vertex[i / 3][i % 3]], t->x[i / 3][i % 3], sizeof *points);
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 16, t->vertex[0], 2);
    toi_overlap_figure figure;
    assert_ok(toi_find_overlap_figure(&mesh, 0, 1, &figure));
    return figure;
}

static void figures_agree_with_the_twin(void **state)
{
    (void)state;
    int64_t by_count[7] = {0};
    for (int i = 0; i < PLACE_COUNT; ++i) {
        toi_random random = {(uint64_t)i + 100};
        int64_t count = slow_cases(PLACES[i] == round_lattice      ? 12000
                                   : i < PLACE_COUNT - SLOW_PLACES ? 3000
                                                                   : 700);
        for (int64_t n = 0; n < count; ++n) {
            trial t = make_trial(&random, PLACES[i]);
            toi_overlap_figure expected = find_twin_figure(&t), found = find_figure(&t);
            by_count[expected.count]++;
            if (!same_figure(&found, &expected)) {
                print_trial(&t);
                fail_msg("trial %lld of place %d: %d corners, the twin has %d", (long long)n, i,
                         found.count, expected.count);
            }
        }
    }
    for (int i = 0; i < 7; ++i) {
        print_message("%d corners: %lld\n", i, (long long)by_count[i]);
        assert_true(by_count[i] > slow_cases(20));
    }
}

static void wrong_figures_are_refused(void **state)
{
    (void)state;
    double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int32_t face[3] = {0, 1, 2};
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 3, face, 1);
    toi_overlap_figure figure;
    assert_ok(toi_find_overlap_figure(&mesh, 0, 0, &figure));
    assert_int_equal(figure.count, 3); // a face and itself
    assert_fails(toi_find_overlap_figure(&mesh, 0, 1, &figure), TOI_ERROR_ARGUMENT,
                 "face 1 is not in [0, 1)");
    assert_int_equal(figure.count, 0);
    assert_fails(toi_find_overlap_figure(&mesh, -1, 0, &figure), TOI_ERROR_ARGUMENT, "face -1");
    assert_fails(toi_find_overlap_figure(NULL, 0, 0, &figure), TOI_ERROR_ARGUMENT, "mesh is NULL");
    assert_fails(toi_find_overlap_figure(&mesh, 0, 0, NULL), TOI_ERROR_ARGUMENT, "figure is NULL");
}

// ---- Signs

static void exact_volume(double x[4][3], mpq_t volume)
{
    mpq_t d[3][3], product;
    mpq_init(product);
    for (int i = 0; i < 9; ++i) {
        mpq_t base;
        mpq_init(base);
        mpq_init(d[i / 3][i % 3]);
        mpq_set_d(d[i / 3][i % 3], x[i / 3 + 1][i % 3]);
        mpq_set_d(base, x[0][i % 3]);
        mpq_sub(d[i / 3][i % 3], d[i / 3][i % 3], base);
        mpq_clear(base);
    }
    mpq_set_si(volume, 0, 1);
    for (int i = 0; i < 6; ++i) { // permutations: three even, three odd
        int j = i % 3, k = i < 3 ? (j + 1) % 3 : (j + 2) % 3, l = 3 - j - k;
        mpq_mul(product, d[0][j], d[1][k]);
        mpq_mul(product, product, d[2][l]);
        (i < 3 ? mpq_add : mpq_sub)(volume, volume, product);
    }
    for (int i = 0; i < 9; ++i)
        mpq_clear(d[i / 3][i % 3]);
    mpq_clear(product);
}

// |value - truth| as a part of the error that is claimed for it.
static double part_of_error(toi_estimate estimate, const mpq_t truth)
{
    if (!isfinite(estimate.value) || !isfinite(estimate.error))
        return 0; // claims nothing
    mpq_t off, error;
    mpq_inits(off, error, NULL);
    mpq_set_d(off, estimate.value);
    mpq_sub(off, off, truth);
    mpq_abs(off, off);
    mpq_set_d(error, estimate.error);
    mpq_div(off, off, error);
    double part = mpq_get_d(off);
    mpq_clears(off, error, NULL);
    return part;
}

static double volume_part(double x[4][3])
{
    mpq_t truth;
    mpq_init(truth);
    exact_volume(x, truth);
    double part = part_of_error(toi_estimate_volume(x[0], x[1], x[2], x[3]), truth);
    mpq_clear(truth);
    return part;
}

// The area along axis 2 is the volume with a fourth corner straight above.
static double area_part(double x[4][3])
{
    double flat[4][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(flat[i], x[i], sizeof flat[i]);
        flat[i][2] = 0;
    }
    memcpy(flat[3], flat[0], sizeof flat[3]);
    flat[3][2] = 1;
    mpq_t truth;
    mpq_init(truth);
    exact_volume(flat, truth);
    double part = part_of_error(toi_estimate_area(x[0], x[1], x[2], 2), truth);
    mpq_clear(truth);
    return part;
}

// Uphill from random corners, by steps of all sizes.
static double worst_part(double (*part_of)(double[4][3]), toi_random *random, int exponent)
{
    double x[4][3], worst;
    for (int i = 0; i < 12; ++i)
        x[i / 3][i % 3] = ldexp(toi_random_range(random, -1, 1), exponent);
    worst = part_of(x);
    for (int step = 0; step < 300; ++step) {
        double *at = &x[toi_random_below(random, 4)][toi_random_below(random, 3)], old = *at;
        *at += ldexp(toi_random_range(random, -1, 1), exponent - (int)toi_random_below(random, 54));
        if (fabs(*at) > 0x1p1023)
            *at = old;
        double part = part_of(x);
        worst = part > worst ? part : worst;
        if (part < worst)
            *at = old;
    }
    return worst;
}

static void estimates_keep_their_errors(void **state)
{
    (void)state;
    static const int EXPONENTS[] = {0, 0, 0, -200, 200, -340, -350, -500, -1000, 341, 500, 1022};
    double volumes = 0, areas = 0;
    toi_random random = {17};
    for (int64_t n = 0; n < slow_cases(240); ++n) {
        int exponent = EXPONENTS[n % (int64_t)(sizeof EXPONENTS / sizeof *EXPONENTS)];
        volumes = fmax(volumes, worst_part(volume_part, &random, exponent));
        areas = fmax(areas, worst_part(area_part, &random, exponent));
    }
    print_message("of the claimed errors: volumes %.3f, areas %.3f\n", volumes, areas);
    assert_true(volumes <= 1 && areas <= 1);
    assert_true(volumes > 0.2 && areas > 0.2); // the search is worth something
}

// The whole numbers alone, on what the filter would decide too.
static void whole_numbers_agree(void **state)
{
    (void)state;
    mpq_t truth;
    mpq_init(truth);
    int64_t signs[3] = {0};
    for (int i = 0; i < PLACE_COUNT; ++i) {
        toi_random random = {(uint64_t)i + 200};
        for (int64_t n = 0; n < slow_cases(1000); ++n) {
            double x[4][3];
            for (int k = 0; k < 4; ++k)
                PLACES[(i + (k == 3 && n % 4 == 0)) % PLACE_COUNT](&random, x[k]);
            exact_volume(x, truth);
            assert_int_equal(toi_exact_volume_sign(x[0], x[1], x[2], x[3]), mpq_sgn(truth));
            signs[mpq_sgn(truth) + 1]++;
            for (int axis = 0; axis < 3; ++axis) {
                double flat[4][3];
                for (int k = 0; k < 4; ++k)
                    for (int c = 0; c < 3; ++c)
                        flat[k][c] = c == axis ? k == 3 : x[k == 3 ? 0 : k][c];
                exact_volume(flat, truth);
                assert_int_equal(toi_exact_area_sign(x[0], x[1], x[2], axis), mpq_sgn(truth));
            }
        }
    }
    mpq_clear(truth);
    for (int i = 0; i < 3; ++i)
        assert_true(signs[i] > slow_cases(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_agree_with_the_twin),
        cmocka_unit_test(figures_agree_with_the_twin),
        cmocka_unit_test(wrong_figures_are_refused),
        cmocka_unit_test(estimates_keep_their_errors),
        cmocka_unit_test(whole_numbers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
