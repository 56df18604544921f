// The promise of toi_find_overlaps(): exactly the pairs that intersect, each with its class, on
// thousands of soups, for any method, workers, instruction set, scale, order and options.

#include "overlap_lattice.h"
#include "overlap_truth.h"
#include "overlap_twin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SOUPS = 3200,
    MOST_WORKERS = 8
};

// How many pairs of each class all soups have.
static int64_t tally[TOI_OVERLAP_CLASS_COUNT];

static overlap_soup tried, other; // large

// ---------------------------------------------------------------------------------------------
// Instruction sets

// The next one that the CPU has, by number.
static void use_simd(int turn)
{
    static const char *const names[] = {"avx512", "avx2", "baseline"};
    for (int i = turn % 3; toi_set_simd(names[i]) != TOI_OK; ++i) {}
}

// ---------------------------------------------------------------------------------------------
// One soup

static int workers_of(int turn)
{
    return turn % 4 == 0 ? 1 + turn / 4 % MOST_WORKERS : 1;
}

static void name_check(char what[160], const overlap_soup *s, const char *check, int turn)
{
    snprintf(what, 160, "%s: %s, %s, %d workers", s->name, check, toi_simd_name(),
             workers_of(turn));
}

// Every method, instruction set and number of workers in turn.
static void check_methods(const overlap_truth *truth, int turn)
{
    char what[160];
    toi_mesh mesh = soup_mesh(&tried);
    toi_overlap_def def = toi_default_overlap_def();
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method) {
        use_simd(turn + method);
        def.method = (toi_overlap_method)method;
        def.hash = (toi_cell_hash)(method == TOI_OVERLAP_KDET ? turn % TOI_CELL_HASH_COUNT : 0);
        def.workers = workers_of(turn + method);
        name_check(what, &tried, toi_overlap_method_name(def.method), turn + method);
        check_overlaps(what, &def, &mesh, truth, turn % 8 == method);
    }
    for (int simd = 0; simd < 3; ++simd) {
        use_simd(simd);
        def.method = TOI_OVERLAP_AUTO;
        def.workers = 1;
        name_check(what, &tried, "auto", 1);
        check_overlaps(what, &def, &mesh, truth, false);
    }
}

// Faces, corners and vertices by other numbers.
static void check_shuffled(const overlap_truth *truth, int turn, toi_random *random)
{
    char what[160];
    int32_t renamed[SOUP_FACES];
    shuffle_soup(&tried, &other, renamed, random);
    overlap_truth moved = {truth->count, malloc((size_t)truth->count * (size_t)truth->count + 1)};
    for (int a = 0; a < truth->count; ++a)
        for (int b = a + 1; b < truth->count; ++b) {
            int p = renamed[a] < renamed[b] ? renamed[a] : renamed[b];
            int q = renamed[a] < renamed[b] ? renamed[b] : renamed[a];
            moved.classes[p * truth->count + q] = truth->classes[a * truth->count + b];
        }
    toi_overlap_def def = toi_default_overlap_def();
    toi_mesh mesh = soup_mesh(&other);
    def.method = turn % 5 == 0 ? TOI_OVERLAP_KDET : TOI_OVERLAP_AUTO;
    def.workers = 1;
    name_check(what, &tried, "shuffled", 1);
    check_overlaps(what, &def, &mesh, &moved, false);
    free_truth(&moved);
}

// Is every coordinate the same after scaling up and down again?
static bool scale_soup(int exponent)
{
    other = tried;
    for (int i = 0; i < 3 * tried.vertices; ++i) {
        other.points[i / 3][i % 3] = ldexp(tried.points[i / 3][i % 3], exponent);
        if (ldexp(other.points[i / 3][i % 3], -exponent) != tried.points[i / 3][i % 3])
            return false;
    }
    return true;
}

static void check_scaled(const overlap_truth *truth)
{
    static const int exponents[] = {-60, 60, -900, 900, 1};
    char what[160];
    toi_overlap_def def = toi_default_overlap_def();
    def.workers = 1;
    for (int i = 0; i < 5; ++i)
        if (scale_soup(exponents[i])) {
            toi_mesh mesh = soup_mesh(&other);
            name_check(what, &tried, "scaled", 1);
            check_overlaps(what, &def, &mesh, truth, false);
        }
}

static uint32_t any_classes(toi_random *random)
{
    return 1 + (uint32_t)toi_random_below(random, (1 << TOI_OVERLAP_CLASS_COUNT) - 1);
}

static void check_limits(const overlap_truth *truth, toi_random *random)
{
    char what[160];
    bool complete;
    toi_overlap_array all = list_truth(truth, UINT32_MAX, 0, &complete);
    toi_mesh mesh = soup_mesh(&tried);
    toi_overlap_def def = toi_default_overlap_def();
    const int64_t limits[] = {1, (int64_t)toi_random_below(random, (uint64_t)all.count + 1) + 1,
                              all.count, all.count + 1};
    name_check(what, &tried, "limit", 1);
    for (int i = 0; i < 4; ++i) {
        def.limit = limits[i];
        def.workers = 1 + i;
        def.method = (toi_overlap_method)toi_random_below(random, TOI_OVERLAP_METHOD_COUNT);
        def.classes = i == 1 ? any_classes(random) : def.classes;
        check_overlaps(what, &def, &mesh, truth, i == 1);
    }
    free(all.data);
}

static bool not_by_three(void *context, int32_t a, int32_t b)
{
    return ((uint32_t)a * (uint32_t)b + *(const uint32_t *)context) % 3 != 0;
}

static void check_filters(const overlap_truth *truth, toi_random *random)
{
    char what[160];
    uint32_t rest = (uint32_t)toi_random_below(random, 3);
    toi_mesh mesh = soup_mesh(&tried);
    toi_overlap_def def = toi_default_overlap_def();
    for (int kind = 1; kind < 4; ++kind) {
        truth_rules rules = {0};
        if (kind & 1) {
            rules.filter.groups = tried.groups;
            rules.filter.group_count = tried.vertices;
        }
        if (kind & 2) {
            rules.filter.may_collide = not_by_three;
            rules.filter.context = &rest;
        }
        overlap_truth allowed = restrict_truth(truth, &tried, &rules);
        def.filter = rules.filter;
        def.workers = kind;
        def.method = (toi_overlap_method)toi_random_below(random, TOI_OVERLAP_METHOD_COUNT);
        name_check(what, &tried, "filter", 1);
        check_overlaps(what, &def, &mesh, &allowed, kind == 3);
        free_truth(&allowed);
    }
}

// The side of a face between two vertices that another names too; -1: none, or several.
static int common_side(const int32_t *f, const int32_t *g)
{
    bool named[3];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        named[i] = f[i] == g[0] || f[i] == g[1] || f[i] == g[2];
        count += named[i];
    }
    if (count != 2 || f[0] == f[1] || f[1] == f[2] || f[2] == f[0])
        return -1;
    return !named[2] ? 0 : !named[0] ? 1 : 2;
}

// Some sides that two faces of a polygon have in common.
static void choose_diagonals(const int32_t *polygons, uint8_t *diagonals, toi_random *random)
{
    memset(diagonals, 0, SOUP_FACES);
    for (int f = 0; f < tried.faces; ++f)
        for (int g = f + 1; g < tried.faces; ++g) {
            int at_f = common_side(tried.face[f], tried.face[g]);
            int at_g = common_side(tried.face[g], tried.face[f]);
            if (polygons[f] != polygons[g] || at_f < 0 || at_g < 0 || toi_random_below(random, 2))
                continue;
            diagonals[f] |= (uint8_t)(1 << at_f);
            diagonals[g] |= (uint8_t)(1 << at_g);
        }
}

// Any numbers as polygons: faces next to each other, or anywhere.
static void check_polygons(toi_random *random)
{
    char what[160];
    int32_t polygons[SOUP_FACES];
    uint8_t diagonals[SOUP_FACES];
    int few = 1 + (int)toi_random_below(random, (uint64_t)tried.faces + 1);
    bool runs = toi_random_below(random, 2);
    for (int f = 0; f < tried.faces; ++f)
        polygons[f] = runs ? f / 2 : (int32_t)toi_random_below(random, (uint64_t)few);
    choose_diagonals(polygons, diagonals, random);
    truth_rules rules = {.polygons = polygons, .diagonals = diagonals};
    if (toi_random_below(random, 4) == 0)
        rules.filter = (toi_filter){.groups = tried.groups, .group_count = tried.vertices};
    overlap_truth truth = find_truth(&tried, &rules);
    toi_mesh mesh = soup_mesh(&tried);
    toi_overlap_def def = toi_default_overlap_def();
    def.filter = rules.filter;
    def.polygons = (toi_polygon_view){polygons, diagonals, tried.faces};
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method) {
        def.method = (toi_overlap_method)method;
        def.workers = 1 + method;
        def.limit = method != 1 ? (int64_t)toi_random_below(random, 5) : 0;
        def.classes = method != 0 ? any_classes(random) : def.classes;
        name_check(what, &tried, "polygons", 1);
        check_overlaps(what, &def, &mesh, &truth, true);
    }
    free_truth(&truth);
}

// Points and faces between other bytes; floats where they hold the coordinates.
static void check_layout(const overlap_truth *truth)
{
    typedef struct wide_point
    {
        char before[8];
        double x[4];
    } wide_point;
    static wide_point points[SOUP_VERTICES];
    static float singles[SOUP_VERTICES][5];
    static int32_t faces[SOUP_FACES][5];
    bool fits = true;
    char what[160];
    memset(points, 0xff, sizeof points);
    memset(faces, 0x7f, sizeof faces);
    for (int i = 0; i < 3 * tried.vertices; ++i) {
        double x = tried.points[i / 3][i % 3];
        points[i / 3].x[i % 3] = x;
        fits = fits && fabs(x) < 1e30 && (float)x == x;
        singles[i / 3][i % 3] = fits ? (float)x : 0;
    }
    for (int i = 0; i < 3 * tried.faces; ++i)
        faces[i / 3][i % 3] = tried.face[i / 3][i % 3];
    toi_overlap_def def = toi_default_overlap_def();
    toi_mesh mesh = {.start = {points[0].x, tried.vertices, sizeof *points, TOI_DOUBLE},
                     .faces = {faces[0], tried.faces, sizeof *faces}};
    def.workers = 1;
    name_check(what, &tried, "strided", 1);
    check_overlaps(what, &def, &mesh, truth, true);
    mesh.start = (toi_point_view){singles, tried.vertices, sizeof *singles, TOI_FLOAT};
    if (fits)
        check_overlaps(what, &def, &mesh, truth, false);
}

static void check_soup(int turn, toi_random *random)
{
    overlap_truth truth = find_truth(&tried, NULL);
    for (int a = 0; a < truth.count; ++a)
        for (int b = a + 1; b < truth.count; ++b)
            if (truth.classes[a * truth.count + b] < TOI_OVERLAP_CLASS_COUNT)
                ++tally[truth.classes[a * truth.count + b]];
    check_methods(&truth, turn);
    use_simd(turn);
    check_shuffled(&truth, turn, random);
    check_scaled(&truth);
    switch (turn % 4) {
    case 0:
        check_limits(&truth, random);
        break;
    case 1:
        check_filters(&truth, random);
        break;
    case 2:
        check_polygons(random);
        break;
    default:
        check_layout(&truth);
        break;
    }
    free_truth(&truth);
}

// ---------------------------------------------------------------------------------------------
// Tests

// Mostly small ones; in rationals small ones alone.
static int size_of(int turn, soup_shape shape, soup_place place, toi_random *random)
{
    bool large = turn % 80 == 79 || (shape == SHAPE_HUB && turn % 12 == 11);
    int most = place >= PLACE_EXACT_COUNT ? 16 : large ? 400 : 40;
    return 2 + (int)toi_random_below(random, (uint64_t)most);
}

static void soups_agree(soup_place first, soup_place end, int64_t count, uint64_t seed)
{
    toi_random random = {seed};
    for (int64_t i = 0; i < count; ++i) {
        soup_shape shape = (soup_shape)toi_random_below(&random, SHAPE_COUNT);
        soup_place place = (soup_place)(first + (int)toi_random_below(&random, end - first));
        int size = size_of((int)(i % 1000), shape, place, &random);
        make_overlap_soup(&tried, shape, place, size, toi_random_bits(&random));
        check_soup((int)(i % 100000), &random);
    }
    use_simd(0);
}

static void soups_on_lattices_agree(void **state)
{
    (void)state;
    soups_agree(PLACE_PLAIN, PLACE_EXACT_COUNT, slow_cases(SOUPS * 3 / 4), 1);
}

static void soups_in_general_position_agree(void **state)
{
    (void)state;
    soups_agree(PLACE_EXACT_COUNT, PLACE_COUNT, slow_cases(SOUPS / 4), 2);
}

// Faces of a star that lie on each other by less than floats can tell.
static void folded_stars_are_seen(void **state)
{
    (void)state;
    toi_random random = {4};
    for (int64_t i = 0; i < slow_cases(6000); ++i) {
        soup_place place = (soup_place)toi_random_below(&random, PLACE_EXACT_COUNT);
        bool hub = i % 150 == 149; // so many faces that directions are compared
        make_overlap_soup(&tried, hub ? SHAPE_HUB : SHAPE_FOLD, place, hub ? 200 : 6 + (int)(i % 7),
                          toi_random_bits(&random));
        overlap_truth truth = find_truth(&tried, NULL);
        toi_mesh mesh = soup_mesh(&tried);
        toi_overlap_def def = toi_default_overlap_def();
        def.workers = 1;
        use_simd((int)(i % 3));
        check_overlaps(tried.name, &def, &mesh, &truth, false);
        free_truth(&truth);
    }
    use_simd(0);
}

// Both twins, which share nothing, and the library, on the same pairs.
static void the_twins_agree(void **state)
{
    (void)state;
    toi_random random = {3};
    int64_t pairs = 0;
    for (int64_t i = 0; i < slow_cases(60); ++i) {
        make_overlap_soup(&tried, (soup_shape)(i % SHAPE_COUNT), PLACE_PLAIN, 16,
                          toi_random_bits(&random));
        overlap_truth by_lattice = find_truth(&tried, NULL);
        tried.place = PLACE_COUNT; // to ask the other one
        overlap_truth by_rationals = find_truth(&tried, NULL);
        size_t count = (size_t)tried.faces * (size_t)tried.faces;
        if (memcmp(by_lattice.classes, by_rationals.classes, count) != 0)
            fail_msg("%s: the twins differ", tried.name);
        pairs += tried.faces * (tried.faces - 1) / 2;
        free_truth(&by_lattice);
        free_truth(&by_rationals);
    }
    print_message("%lld pairs by both twins\n", (long long)pairs);
}

// Without a class, or a stage that nothing reaches, all this would be worth less.
static void every_class_and_stage_occurs(void **state)
{
    (void)state;
    const overlap_work *done = &overlap_work_done;
    print_message("%lld calls, %lld pairs looked at, %lld exactly, %lld stars embedded\n",
                  (long long)done->calls, (long long)done->candidates, (long long)done->exact,
                  (long long)done->stars);
    assert_true(done->exact > done->calls && done->stars > done->calls);
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i) {
        print_message("%8lld %s\n", (long long)tally[i],
                      toi_overlap_class_name((toi_overlap_class)i));
        assert_true(tally[i] > slow_cases(500));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_twins_agree),
        cmocka_unit_test(soups_on_lattices_agree),
        cmocka_unit_test(soups_in_general_position_agree),
        cmocka_unit_test(folded_stars_are_seen),
        cmocka_unit_test(every_class_and_stage_occurs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
