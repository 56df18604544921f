// Culling in single precision and signs in double against the twin in rationals, pair by pair: what
// is dropped is apart, what is called crossing crosses, and every instruction set does the same.

#include "base/simd.h"
#include "overlap_twin.h"
#include "support.h"
#include "toi/random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PAIRS = 601 // no multiple of any number of lanes
};

// Pairs of faces that share nothing, each with six vertices of its own.
typedef struct pair_set
{
    const char *name;
    double x[PAIRS][6][3];
    double scaled[6 * PAIRS][4];
    float singles[6 * PAIRS][4];
    int32_t corners[2 * PAIRS][3];
    toi_pair pairs[PAIRS];
    toi_face_table table;
} pair_set;

// ---- A table, as overlap.h promises it

static void find_frame(const pair_set *set, toi_face_table *table, double centre[3], double *radius)
{
    double largest = 0;
    *radius = 0;
    for (int i = 0; i < 18 * PAIRS; ++i)
        largest = fmax(largest, fabs((&set->x[0][0][0])[i]));
    int exponent;
    frexp(largest, &exponent);
    table->scale = ldexp(1, exponent < -1022 ? 1022 : -exponent);
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 6 * PAIRS; ++i) {
            low = fmin(low, set->x[i / 6][i % 6][k] * table->scale);
            high = fmax(high, set->x[i / 6][i % 6][k] * table->scale);
        }
        centre[k] = 0.5 * low + 0.5 * high;
        *radius = fmax(*radius, fmax(high - centre[k], centre[k] - low));
    }
}

static void make_table(pair_set *set)
{
    toi_face_table *table = &set->table;
    double centre[3], radius;
    find_frame(set, table, centre, &radius);
    table->error = (float)(radius * (0x1p-24 * (1 + 0x1p-20)) + 0x1p-148);
    for (int i = 0; i < 6 * PAIRS; ++i) {
        for (int k = 0; k < 3; ++k) {
            set->scaled[i][k] = set->x[i / 6][i % 6][k] * table->scale;
            set->singles[i][k] = (float)(set->scaled[i][k] - centre[k]);
        }
        set->scaled[i][3] = set->singles[i][3] = NAN; // idle
        set->corners[i / 3][i % 3] = i;
    }
    for (int i = 0; i < PAIRS; ++i)
        set->pairs[i] = (toi_pair){2 * i, 2 * i + 1};
    table->vertex_count = 6 * PAIRS;
    table->face_count = 2 * PAIRS;
    table->singles = (const float(*)[4])set->singles;
    table->doubles = (const double(*)[4])set->scaled;
    table->corners = (const int32_t(*)[3])set->corners;
}

// ---- Pairs

static void any_corners(double x[6][3], double size, toi_random *random)
{
    for (int i = 0; i < 18; ++i)
        x[i / 3][i % 3] = size * toi_random_range(random, -1, 1);
}

// A point of the first face, its plane, or its border, near to rounding.
static void point_of_face(double x[6][3], int on_border, toi_random *random, double p[3])
{
    double u = toi_random_unit(random), v = on_border ? 0 : toi_random_unit(random);
    u = on_border == 2 ? (double)toi_random_below(random, 2) : u;
    for (int k = 0; k < 3; ++k)
        p[k] = x[0][k] + u * (x[1][k] - x[0][k]) + v * (x[2][k] - x[0][k]);
}

// As far from touching as a unit of the last place, or a few; in single precision, or in double.
static void nudge(double p[3], double size, toi_random *random)
{
    static const double units[] = {0,       0x1p-53, 0x1p-52, 0x1p-50, 0x1p-45,
                                   0x1p-30, 0x1p-24, 0x1p-20, 0x1p-15, 0x1p-12};
    double unit = units[toi_random_below(random, 10)] * size;
    for (int k = 0; k < 3; ++k)
        p[k] += unit * (double)((int)toi_random_below(random, 7) - 3);
}

// A corner, or a point of an edge, of the second is next to a point of the first.
static void nearly_touching(double x[6][3], double size, toi_random *random)
{
    double p[3];
    any_corners(x, size, random);
    point_of_face(x, (int)toi_random_below(random, 3), random, p);
    nudge(p, size, random);
    int edge = (int)toi_random_below(random, 2);
    double far = toi_random_range(random, 0.1, 2);
    for (int k = 0; k < 3; ++k)
        if (edge)
            x[4][k] = p[k] + far * (p[k] - x[3][k]);
        else
            x[3][k] = p[k];
}

// All corners in one plane, or next to it: along an axis, or askew.
static void nearly_flat(double x[6][3], double size, toi_random *random)
{
    any_corners(x, size, random);
    int axis = (int)toi_random_below(random, 3), askew = (int)toi_random_below(random, 2);
    for (int i = 0; i < 6; ++i) {
        double height =
            askew ? 0.5 * x[i][(axis + 1) % 3] + 0.25 * x[i][(axis + 2) % 3] : 0.5 * size;
        x[i][axis] = height;
        if (toi_random_below(random, 4) == 0)
            nudge(x[i], size, random);
    }
    double off = toi_random_below(random, 2) ? 1.5 * size : 0;
    for (int i = 3; i < 6; ++i) // side by side, too, where only a direction in the plane helps
        x[i][(axis + 1) % 3] += off * (askew ? 0 : 1);
}

// Whole numbers, few of them: everything touches, faces without area too.
static void lattice(double x[6][3], double size, toi_random *random)
{
    for (int i = 0; i < 18; ++i)
        x[i / 3][i % 3] = size * ((double)toi_random_below(random, 4) / 4);
}

static void thin(double x[6][3], double size, toi_random *random)
{
    any_corners(x, size, random);
    for (int face = 0; face < 2; ++face)
        for (int k = 0; k < 3; ++k) {
            double *corner = &x[3 * face + 2][k], u = 0.5;
            *corner = x[3 * face][k] + u * (x[3 * face + 1][k] - x[3 * face][k]);
            *corner +=
                size * ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 60));
        }
}

// Axes of very different sizes, to below the least number after scaling.
static void stretched(double x[6][3], double size, toi_random *random)
{
    static const int exponents[] = {0, -10, -60, -500, -1000, -1060};
    any_corners(x, size, random);
    for (int k = 0; k < 3; ++k) {
        int exponent = exponents[toi_random_below(random, 6)];
        for (int i = 0; i < 6; ++i)
            x[i][k] = ldexp(x[i][k], exponent);
    }
}

typedef void make_fn(double x[6][3], double size, toi_random *random);

typedef struct recipe
{
    const char *name;
    make_fn *make;
    double size, offset;
    double decided; // at least, as a share
} recipe;

static const recipe recipes[] = {
    {"random", any_corners, 1, 0, 0.99},
    {"random, small", any_corners, 0x1p-10, 1, 0.9},
    {"nearly touching", nearly_touching, 1, 0, 0.3},
    {"nearly touching, small", nearly_touching, 0x1p-10, 1, 0.1},
    {"nearly touching, huge offset", nearly_touching, 1, 0x1p40, 0.1},
    {"nearly touching, tiny", nearly_touching, 0x1p-1030, 0, 0.1},
    {"nearly touching, huge", nearly_touching, 0x1p1021, 0, 0.3},
    {"nearly flat", nearly_flat, 1, 0, 0.1},
    {"nearly flat, huge offset", nearly_flat, 1, 0x1p20, 0.1},
    {"lattice", lattice, 1, 0, 0.1},
    {"lattice, huge offset", lattice, 1, 0x1p45, 0.1},
    {"thin", thin, 1, 0, 0.5},
    {"stretched", stretched, 1, 0, 0.02},
};

static void make_pairs(const recipe *r, pair_set *set, toi_random *random)
{
    set->name = r->name;
    for (int i = 0; i < PAIRS; ++i) {
        r->make(set->x[i], r->size, random);
        double offset = r->offset == 1 ? toi_random_range(random, -1, 1) : r->offset;
        for (int c = 0; c < 18; ++c)
            set->x[i][c / 3][c % 3] += offset;
    }
    make_table(set);
}

// ---- Against the twin

typedef struct verdicts
{
    char cull[PAIRS], decide[PAIRS]; // 'a'part, 'c'rossing, '?'
} verdicts;

static void mark(const toi_pair *pairs, int64_t count, char as, char verdict[PAIRS])
{
    for (int64_t i = 0; i < count; ++i) {
        assert_int_equal(pairs[i].b, pairs[i].a + 1);
        assert_true(i == 0 || pairs[i - 1].a < pairs[i].a); // in order
        verdict[pairs[i].a / 2] = as;
    }
}

// Signs are tried on all pairs, not only on what culling leaves.
static void decide_all(pair_set *set, verdicts *v)
{
    toi_pair pairs[PAIRS], crossing[PAIRS];
    memset(v, 'a', sizeof *v);
    memcpy(pairs, set->pairs, sizeof pairs);
    int64_t kept = toi_cull_faces_kernel()(&set->table, pairs, PAIRS), crossings;
    mark(pairs, kept, '?', v->cull);
    memcpy(pairs, set->pairs, sizeof pairs);
    kept = toi_decide_faces_kernel()(&set->table, pairs, PAIRS, crossing, &crossings);
    mark(pairs, kept, '?', v->decide);
    mark(crossing, crossings, 'c', v->decide);
}

static toi_overlap_class true_class(const double x[6][3])
{
    static const int32_t vertices[6] = {0, 1, 2, 3, 4, 5};
    toi_corner_view a = {{x[0], x[1], x[2]}, vertices, 0};
    toi_corner_view b = {{x[3], x[4], x[5]}, vertices + 3, 0};
    return find_twin_class(&a, &b);
}

static void check_verdict(const pair_set *set, int i, char verdict, const char *stage)
{
    if (verdict == '?')
        return;
    toi_overlap_class expected = verdict == 'a' ? TOI_OVERLAP_CLASS_COUNT : TOI_OVERLAP_CROSSING;
    toi_overlap_class truth = true_class(set->x[i]);
    if (truth == expected)
        return;
    for (int c = 0; c < 6; ++c)
        print_message("    %a %a %a\n", set->x[i][c][0], set->x[i][c][1], set->x[i][c][2]);
    fail_msg("%s, %s: '%c', but the class is %d", set->name, stage, verdict, (int)truth);
}

static int count_of(const char verdict[PAIRS], char which)
{
    int count = 0;
    for (int i = 0; i < PAIRS; ++i)
        count += verdict[i] == which;
    return count;
}

static void what_is_decided_is_true(void **state)
{
    (void)state;
    static pair_set set;
    toi_random random = {977};
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; ++r) {
        int64_t rounds = cases(2), culled = 0, apart = 0, crossing = 0;
        for (int64_t round = 0; round < rounds; ++round) {
            verdicts v;
            make_pairs(&recipes[r], &set, &random);
            decide_all(&set, &v);
            for (int i = 0; i < PAIRS; ++i) {
                check_verdict(&set, i, v.cull[i], "directions");
                check_verdict(&set, i, v.decide[i], "signs");
            }
            culled += count_of(v.cull, 'a');
            apart += count_of(v.decide, 'a');
            crossing += count_of(v.decide, 'c');
        }
        double all = (double)(rounds * PAIRS);
        print_message("  %-28s culled %5.1f %%; signs: apart %5.1f %%, crossing %5.1f %%\n",
                      set.name, 100 * (double)culled / all, 100 * (double)apart / all,
                      100 * (double)crossing / all);
        assert_true((double)(apart + crossing) >= recipes[r].decided * all);
    }
}

// For any number of pairs, whatever lanes they fall into.
static void same_for_every_instruction_set(void **state)
{
    (void)state;
    static const char *const names[TOI_SIMD_COUNT] = {"baseline", "avx2", "avx512"};
    static pair_set set;
    toi_random random = {983};
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; ++r) {
        verdicts first, v;
        make_pairs(&recipes[r], &set, &random);
        assert_ok(toi_set_simd(names[0]));
        decide_all(&set, &first);
        for (int level = 1; level < TOI_SIMD_COUNT; ++level)
            if (toi_set_simd(names[level]) == TOI_OK) {
                decide_all(&set, &v);
                assert_memory_equal(&v, &first, sizeof v);
            }
        for (int64_t count = 0; count < 40; ++count) { // lanes that are left over
            toi_pair pairs[PAIRS];
            memcpy(pairs, set.pairs, sizeof pairs);
            toi_cull_faces_kernel()(&set.table, pairs + 3, count);
            assert_memory_equal(pairs, set.pairs, 3 * sizeof *pairs);
            assert_memory_equal(pairs + 3 + count, set.pairs + 3 + count,
                                (size_t)(PAIRS - 3 - count) * sizeof *pairs);
        }
    }
    assert_ok(toi_set_simd(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_decided_is_true),
        cmocka_unit_test(same_for_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
