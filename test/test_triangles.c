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

static place_fn *const PLACES[] = {small_lattice, large_lattice, flat_lattice, leaning_lattice,
                                   general_place, nearly_flat,   far_out,      denormal_place,
                                   small_place,   big_place,     tiny_place,   huge_place,
                                   wild_place};
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

static const char *const NAMES[] = {"crossing", "coplanar", "segment", "point",
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
        check_trials(PLACES[i], cases(i < PLACE_COUNT - SLOW_PLACES ? 10000 : 2500),
                     (uint64_t)i + 1, &own);
        for (int k = 0; k <= TOI_OVERLAP_CLASS_COUNT; ++k)
            all.by_class[k] += own.by_class[k];
        assert_true(own.exact > 0);
    }
    for (int k = 0; k <= TOI_OVERLAP_CLASS_COUNT; ++k) {
        print_message("%s: %lld\n", NAMES[k], (long long)all.by_class[k]);
        assert_true(all.by_class[k] > cases(300));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_agree_with_the_twin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
