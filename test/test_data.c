// The real scenes and queries with their published exact answers: candidates are counted, no impact
// is missed or late, and false positives stay within 1.2 times those of Tight-Inclusion at the same
// tolerance.

#include "real_frames.h"

#include "toi/io.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene_facts
{
    const char *name;
    int64_t candidates[2];
    int64_t most_false_positives[2]; // Tight-Inclusion's; ours may be 1.2 times as many
} scene_facts;

static const scene_facts scenes[] = {
    {"cloth-funnel", {7319, 33770}, {65, 156}},
    {"cloth-ball", {1655541, 5197332}, {2, 3}},
    {"n-body", {9396388, 22366873}, {1, 5}},
};

// In canonical order. test_broad_scenes holds every method against `brute` here; in a long run so
// does this.
static void candidates_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        real_frames l;
        if (!load_real_scene(scenes[s].name, &l))
            skip();
        uint64_t hashes[2][2];
        const toi_broad_method methods[2] = {long_factor() > 1 ? TOI_BROAD_BRUTE : TOI_BROAD_AUTO,
                                             TOI_BROAD_STQ};
        for (int m = 0; m < 2; ++m)
            for (int kind = 0; kind < 2; ++kind) {
                toi_ccd_def def = toi_default_ccd_def();
                def.broad.method = methods[m];
                toi_pair_array pairs = {0};
                assert_ok(toi_find_candidates(&def, &l.mesh, (toi_kind)kind, &pairs, NULL));
                assert_int_equal(pairs.count, scenes[s].candidates[kind]);
                hashes[m][kind] = toi_hash(pairs.data, (size_t)pairs.count * sizeof(toi_pair));
                toi_free_pairs(&pairs);
            }
        assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
        free_real_frames(&l);
    }
}

// One line of times_*.csv: the floor of the exact time where the pair really collides.
typedef struct truth
{
    int64_t a, b; // ids of the primitives themselves
    double time;
} truth;

static int by_ids(const void *x, const void *y)
{
    const truth *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static json_t *read_json(const char *scene, const char *file, const char *kind)
{
    char path[300];
    snprintf(path, sizeof path, "scenes/%s/%s_%s.json", scene, file, kind);
    const char *found = find_data(path);
    assert_non_null(found);
    json_error_t error;
    json_t *json = json_load_file(found, 0, &error);
    if (!json)
        fail_msg("%s: %s", path, error.text);
    return json;
}

// The pairs that really collide, by ids; box ids are turned back into vertices, edges, faces.
static int64_t read_truth(const char *scene, toi_kind kind, const toi_mesh *mesh, truth **out)
{
    const char *name = toi_kind_name(kind);
    json_t *pairs = read_json(scene, "pairs", name), *hits = read_json(scene, "truth", name);
    char path[300];
    snprintf(path, sizeof path, "scenes/%s/times_%s.csv", scene, name);
    FILE *times = fopen(find_data(path), "r");
    assert_non_null(times);
    size_t listed = json_array_size(pairs);
    *out = malloc((listed + 1) * sizeof **out);
    int64_t count = 0, vertices = mesh->start.count;
    for (size_t i = 0; i < listed; ++i) {
        char line[100];
        assert_non_null(fgets(line, sizeof line, times));
        if (!json_is_true(json_array_get(hits, i)))
            continue;
        json_t *pair = json_array_get(pairs, i);
        int64_t a = json_integer_value(json_array_get(pair, 0)),
                b = json_integer_value(json_array_get(pair, 1));
        int64_t low = a < b ? a : b, high = a < b ? b : a;
        bool face = kind == TOI_VERTEX_FACE;
        (*out)[count++] = (truth){face ? low : low - vertices,
                                  face ? high - vertices - mesh->edges.count : high - vertices,
                                  strtod(strchr(line, ',') + 1, NULL)};
    }
    fclose(times);
    json_decref(pairs);
    json_decref(hits);
    qsort(*out, (size_t)count, sizeof **out, by_ids);
    return count;
}

// Nothing may be missed or late; with `exact` nothing else may be reported, and the times have the
// right bits.
static void compare_with_truth(const scene_facts *facts, toi_narrow_method method, toi_kind kind,
                               const toi_mesh *mesh, const toi_impact *impacts, int64_t count)
{
    truth *expected;
    int64_t true_count = read_truth(facts->name, kind, mesh, &expected), found = 0;
    double worst = 0;
    for (int64_t i = 0; i < count; ++i) {
        truth key = {impacts[i].a, impacts[i].b, 0};
        truth *hit = bsearch(&key, expected, (size_t)true_count, sizeof key, by_ids);
        if (!hit)
            continue;
        ++found;
        assert_true(impacts[i].time <= hit->time);
        worst = fmax(worst, hit->time - impacts[i].time);
    }
    print_message(
        "%s %s by %s: %lld true, %lld missed, %lld false positives, early by at most %.2g\n",
        facts->name, toi_kind_name(kind), toi_narrow_name(method), (long long)true_count,
        (long long)(true_count - found), (long long)(count - found), worst);
    assert_true(true_count > 0);
    assert_int_equal(found, true_count);
    if (method == TOI_NARROW_EXACT) {
        assert_int_equal(count, true_count);
        assert_true(worst == 0);
    }
    if (method == TOI_NARROW_INCLUSION)
        assert_true((double)(count - found) <= 1.2 * (double)facts->most_false_positives[kind]);
    free(expected);
}

static void compare_impacts(const scene_facts *facts, const toi_ccd_def *def, const toi_mesh *mesh,
                            toi_ccd_report *report)
{
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(def, mesh, &impacts, report));
    toi_narrow_method method = def->narrow.method;
    compare_with_truth(facts, method, TOI_VERTEX_FACE, mesh, impacts.data, report->hits[0]);
    compare_with_truth(facts, method, TOI_EDGE_EDGE, mesh, impacts.data + report->hits[0],
                       report->hits[1]);
    toi_free_impacts(&impacts);
}

static void no_impact_is_missed(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        real_frames l;
        if (!load_real_scene(scenes[s].name, &l))
            skip();
        toi_ccd_def def = toi_default_ccd_def();
        toi_ccd_report report, earliest, limited;
        assert_int_equal(def.narrow.method, TOI_NARROW_EXACT);
        compare_impacts(&scenes[s], &def, &l.mesh, &report);
        assert_ok(toi_find_earliest(&def, &l.mesh, &earliest));
        assert_memory_equal(&earliest.earliest, &report.earliest, sizeof report.earliest);
        def.memory_limit = 64 << 20;
        assert_ok(toi_find_earliest(&def, &l.mesh, &limited));
        assert_memory_equal(&limited.earliest, &report.earliest, sizeof report.earliest);
        assert_true(limited.peak_bytes <= def.memory_limit);
        free_real_frames(&l);
    }
}

static void conservative_methods_miss_nothing(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        real_frames l;
        if (!load_real_scene(scenes[s].name, &l))
            skip();
        for (int method = 0; method < TOI_NARROW_COUNT; ++method)
            if (toi_narrow_guarantee((toi_narrow_method)method) == TOI_GUARANTEE_CONSERVATIVE) {
                toi_ccd_def def = toi_default_ccd_def();
                toi_ccd_report report;
                def.narrow.method = (toi_narrow_method)method;
                compare_impacts(&scenes[s], &def, &l.mesh, &report);
            }
        free_real_frames(&l);
    }
}

static const char *const query_sets[] = {"unit-tests",
                                         "erleben-spikes",
                                         "erleben-wedges",
                                         "erleben-spike-wedge",
                                         "erleben-spike-crack",
                                         "erleben-wedge-crack",
                                         "erleben-sliding-spike",
                                         "erleben-sliding-wedge",
                                         "erleben-cube-cliff-edges",
                                         "erleben-cube-internal-edges"};

static void read_times(const char *set, toi_kind kind, double *times, int64_t count)
{
    char path[300], line[100];
    snprintf(path, sizeof path, "queries/%s/%s.times.csv", set, toi_kind_name(kind));
    FILE *file = fopen(find_data(path), "r");
    assert_non_null(file);
    for (int64_t i = 0; i < count; ++i) {
        assert_non_null(fgets(line, sizeof line, file));
        times[i] = line[0] == '1' ? strtod(strchr(line, ',') + 1, NULL) : INFINITY;
    }
    fclose(file);
}

// What a method said of the published queries.
typedef struct tally
{
    int64_t queries, false_positives, undecided;
} tally;

static void solve_file(toi_narrow_method method, const char *set, toi_kind kind,
                       const toi_query_file *file, tally *t)
{
    toi_query_result *results = malloc((size_t)file->count * sizeof *results);
    double *times = malloc((size_t)file->count * sizeof *times);
    read_times(set, kind, times, file->count);
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    assert_ok(toi_solve_queries(&def, kind, file->queries, file->count, results));
    for (int64_t i = 0; i < file->count; ++i) {
        if (file->hits[i]) {
            assert_int_not_equal(results[i].state, TOI_SEPARATED);
            assert_true(results[i].time <= times[i]);
            assert_true(method != TOI_NARROW_EXACT || results[i].time == times[i]);
        } else {
            t->false_positives += results[i].state != TOI_SEPARATED;
        }
        t->undecided += results[i].state == TOI_UNDECIDED;
        assert_true(results[i].iterations <= def.max_iterations);
    }
    t->queries += file->count;
    free(times);
    free(results);
}

static void published_queries_are_never_missed_or_late(void **state)
{
    (void)state;
    tally tallies[TOI_NARROW_COUNT] = {{0}};
    for (size_t s = 0; s < sizeof query_sets / sizeof *query_sets; ++s)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
            char path[300];
            snprintf(path, sizeof path, "queries/%s/%s.csv", query_sets[s],
                     toi_kind_name((toi_kind)kind));
            const char *found = find_data(path);
            if (!found)
                skip();
            toi_query_file file;
            assert_ok(toi_read_queries(found, &file));
            assert_non_null(file.hits);
            for (int method = 0; method < TOI_NARROW_COUNT; ++method)
                if (toi_narrow_guarantee((toi_narrow_method)method) != TOI_GUARANTEE_NONE)
                    solve_file((toi_narrow_method)method, query_sets[s], (toi_kind)kind, &file,
                               &tallies[method]);
            toi_free_query_file(&file);
        }
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        const tally *t = &tallies[method];
        if (toi_narrow_guarantee((toi_narrow_method)method) == TOI_GUARANTEE_NONE)
            continue;
        print_message("%lld published queries by %s: no false negative, %lld false positives, %lld "
                      "undecided\n",
                      (long long)t->queries, toi_narrow_name((toi_narrow_method)method),
                      (long long)t->false_positives, (long long)t->undecided);
        assert_true(t->queries > 2000);
    }
    assert_int_equal(tallies[TOI_NARROW_EXACT].false_positives, 0);
    assert_int_equal(tallies[TOI_NARROW_EXACT].undecided, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_the_published_ones),
        cmocka_unit_test(no_impact_is_missed),
        cmocka_unit_test(conservative_methods_miss_nothing),
        cmocka_unit_test(published_queries_are_never_missed_or_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
