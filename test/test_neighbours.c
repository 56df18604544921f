// Faces that share a vertex or an edge, by signs in double as a card decides them, against exact
// arithmetic: never wrong, on random, lattice and degenerate pairs of any scale; how many are left
// is printed.

#include "support.h"

#include "kernel/face_frame.h"
#include "kernel/neighbours.h"
#include "overlap/overlap.h"
#include "toi/random.h"

#include <math.h>

// Five corners at most: the shared vertex, two of the first face, two of the second. With an edge
// in common, corner 1 is corner 3.
typedef struct corner_set
{
    double x[5][3];
    bool edge;
} corner_set;

static toi_overlap_class classify(const corner_set *p)
{
    static const int32_t names[2][2][3] = {{{0, 1, 2}, {0, 3, 4}}, {{0, 1, 2}, {0, 1, 4}}};
    toi_corner_view face[2];
    bool exact;
    for (int f = 0; f < 2; ++f) {
        face[f] = (toi_corner_view){.vertex = names[p->edge][f]};
        for (int c = 0; c < 3; ++c)
            face[f].corner[c] = p->x[names[p->edge][f][c]];
    }
    return toi_classify_faces(&face[0], &face[1], &exact);
}

enum
{
    APART,
    OVERLAP,
    UNSURE
};

// As the card does it, in the frame of these corners alone.
static int judge(const corner_set *p)
{
    double low[3], high[3], seen[4][3];
    toi_face_frame frame;
    for (int k = 0; k < 3; ++k) {
        low[k] = high[k] = p->x[0][k];
        for (int c = 1; c < 5; ++c) {
            low[k] = fmin(low[k], p->x[c][k]);
            high[k] = fmax(high[k], p->x[c][k]);
        }
    }
    toi_take_face_frame(low, high, &frame);
    for (int c = 1; c < 5; ++c)
        for (int k = 0; k < 3; ++k)
            seen[c - 1][k] = p->x[c][k] * frame.scale - p->x[0][k] * frame.scale;
    if (p->edge) {
        double three[3][3];
        memcpy(three, seen, 2 * sizeof *seen);
        memcpy(three[2], seen[3], sizeof *seen);
        return toi_apart_at_edge(three) ? APART : UNSURE;
    }
    toi_mask apart, overlap;
    toi_judge_at_vertex(seen, &apart, &overlap);
    assert_false(apart && overlap);
    return apart ? APART : overlap ? OVERLAP : UNSURE;
}

// Counts verdicts; [edge][verdict].
static int64_t counts[2][3];

static void check(const corner_set *p)
{
    int verdict = judge(p);
    toi_overlap_class truth = classify(p);
    ++counts[p->edge][verdict];
    if (verdict == UNSURE)
        return;
    toi_overlap_class claimed = verdict == OVERLAP ? TOI_OVERLAP_VERTEX : TOI_OVERLAP_CLASS_COUNT;
    if (claimed != truth) {
        for (int c = 0; c < 5; ++c)
            print_message("%a %a %a\n", p->x[c][0], p->x[c][1], p->x[c][2]);
        fail_msg("%s: class %d instead of %d", p->edge ? "edge" : "vertex", (int)claimed,
                 (int)truth);
    }
}

static void check_both(corner_set *p)
{
    p->edge = false;
    check(p);
    p->edge = true;
    memcpy(p->x[3], p->x[1], sizeof p->x[1]);
    check(p);
}

static void report(const char *what)
{
    for (int edge = 0; edge < 2; ++edge) {
        int64_t *n = counts[edge], all = n[APART] + n[OVERLAP] + n[UNSURE];
        print_message("%s, %s: %lld pairs, %.2f %% apart, %.2f %% overlap, %.2f %% left\n", what,
                      edge ? "an edge" : "a vertex", (long long)all, 100.0 * (double)n[APART] / all,
                      100.0 * (double)n[OVERLAP] / all, 100.0 * (double)n[UNSURE] / all);
    }
}

static void random_pairs_are_decided(void **state)
{
    (void)state;
    toi_random random = {11};
    corner_set p;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < cases(200000); ++i) {
        for (int j = 0; j < 15; ++j)
            p.x[j / 3][j % 3] = toi_random_range(&random, -1, 1);
        check_both(&p);
    }
    report("general position");
    assert_int_equal(counts[0][UNSURE], 0);
    assert_int_equal(counts[1][UNSURE], 0);
    assert_true(counts[0][OVERLAP] > counts[0][APART] / 100);
}

static void lattices_are_never_wrong(void **state)
{
    (void)state;
    toi_random random = {12};
    corner_set p;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < cases(200000); ++i) {
        double size = ldexp(1, (int)toi_random_below(&random, 1900) - 1000);
        for (int j = 0; j < 15; ++j)
            p.x[j / 3][j % 3] = size * ((double)toi_random_below(&random, 5) - 2);
        check_both(&p);
    }
    report("lattice");
    assert_true(counts[0][UNSURE] > 0 && counts[0][OVERLAP] > 0);
}

// Nearly in one plane, by an ulp or a few, far from the origin or not: where bounds matter.
static void near_misses_are_never_wrong(void **state)
{
    (void)state;
    toi_random random = {13};
    corner_set p;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < cases(200000); ++i) {
        double away = i % 3 == 0 ? 0 : ldexp(1, (int)toi_random_below(&random, 30)), e[2][3];
        for (int j = 0; j < 6; ++j)
            e[j / 3][j % 3] = toi_random_range(&random, -1, 1);
        for (int c = 0; c < 5; ++c) {
            double u = c ? toi_random_range(&random, -1, 1) : 0;
            double v = c ? toi_random_range(&random, -1, 1) : 0;
            for (int k = 0; k < 3; ++k) {
                double x = away + u * e[0][k] + v * e[1][k];
                for (uint64_t n = toi_random_below(&random, 3); n > 0; --n)
                    x = nextafter(x, i % 2 ? INFINITY : -INFINITY);
                p.x[c][k] = x;
            }
        }
        check_both(&p);
    }
    report("nearly flat");
    assert_true(counts[0][UNSURE] > 0);
    assert_true(counts[1][UNSURE] > 0);
}

// Coordinates of unrelated exponents, denormal ones among them.
static void wild_pairs_are_never_wrong(void **state)
{
    (void)state;
    toi_random random = {14};
    corner_set p;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < cases(200000); ++i) {
        int range = i % 2 ? 2000 : 60;
        for (int j = 0; j < 15; ++j)
            p.x[j / 3][j % 3] = ldexp(toi_random_range(&random, -1, 1),
                                      (int)toi_random_below(&random, (uint64_t)range) - range / 2);
        check_both(&p);
    }
    report("wild");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_are_decided),
        cmocka_unit_test(lattices_are_never_wrong),
        cmocka_unit_test(near_misses_are_never_wrong),
        cmocka_unit_test(wild_pairs_are_never_wrong),
    };
    return cmocka_run_group_tests_name("neighbours", tests, NULL, NULL);
}
