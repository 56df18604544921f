// Every narrow phase and the whole pipeline on the gallery of traps, test/cases: who is right, who
// misses what. The answers are those of the truth files, which test_cases.c proves.

#include "case_files.h"
#include "exact/trial.h"
#include "io_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int32_t BUDGET = 4096; // some cases spend whatever they get

static toi_truth *open_truth(const toi_case *about)
{
    toi_truth *truth = NULL;
    assert_ok(open_case(about, folder, &truth));
    return truth;
}

static int make_images(void **state)
{
    return make_folder(state) == 0 && write_images(folder) == TOI_OK ? 0 : -1;
}

// ---- Narrow phases

// How one method did on one family.
typedef struct score
{
    int64_t missed, extra, late;
} score;

static toi_narrow_def define(toi_narrow_method method)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.max_iterations = BUDGET;
    def.workers = 1;
    return toi_fit_narrow_def(&def);
}

// Holds the result against the truth and against what the method promises.
static void judge(const char *name, toi_kind kind, const toi_narrow_def *def,
                  const toi_truth_entry *entry, const toi_query_result *r, score *sum)
{
    bool found = r->state != TOI_SEPARATED;
    bool missed = entry->hit && !found;
    bool late = entry->hit && found && r->time > entry->time;
    bool right = well_formed(def, r);
    switch (toi_narrow_guarantee(def->method)) {
    case TOI_GUARANTEE_EXACT:
        right = right && r->state == (entry->hit ? TOI_HIT : TOI_SEPARATED) &&
                r->time == entry->time && r->time_is_exact == entry->time_is_exact;
        break;
    case TOI_GUARANTEE_CONSERVATIVE:
        right = right && !missed && !late;
        break;
    default:
        break;
    }
    if (!right)
        fail_msg("%s: %s (%d, %d): %s says %s at %a, the truth is %s at %a", name,
                 toi_kind_name(kind), (int)entry->pair.a, (int)entry->pair.b,
                 toi_narrow_name(def->method), toi_state_name(r->state), r->time,
                 entry->hit ? "hit" : "separated", entry->time);
    sum->missed += missed;
    sum->late += late;
    sum->extra += found && !entry->hit;
}

// The queries of one kind of a case, and room for their results.
typedef struct question
{
    int64_t count;
    toi_query *queries;
    toi_query_result *results;
} question;

static question ask(const toi_truth *truth, toi_kind kind)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    question q = {.count = toi_truth_count(truth, kind)};
    q.queries = calloc((size_t)q.count + 1, sizeof *q.queries);
    q.results = calloc((size_t)q.count + 1, sizeof *q.results);
    for (int64_t i = 0; i < q.count; ++i)
        q.queries[i] = toi_gather_query(&mesh, kind, toi_truth_at(truth, kind, i).pair);
    return q;
}

static void free_question(question *q)
{
    free(q->queries);
    free(q->results);
}

static void judge_pairs(const char *name, const toi_truth *truth, toi_kind kind, score *scores)
{
    question q = ask(truth, kind);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        toi_narrow_def def = define((toi_narrow_method)method);
        assert_ok(toi_solve_queries(&def, kind, q.queries, q.count, q.results));
        for (int64_t i = 0; i < q.count; ++i) {
            toi_truth_entry entry = toi_truth_at(truth, kind, i);
            judge(name, kind, &def, &entry, &q.results[i], &scores[method]);
        }
    }
    free_question(&q);
}

static void print_scores(const char *family, const score *scores)
{
    bool spotless = true;
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        spotless = spotless && scores[method].missed + scores[method].late == 0;
    if (spotless)
        return;
    print_message("| %s |", family);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        const score *s = &scores[method];
        if (toi_narrow_guarantee((toi_narrow_method)method) == TOI_GUARANTEE_NONE)
            print_message(" %d, %d, %d |", (int)s->missed, (int)s->late, (int)s->extra);
    }
    print_message("\n");
}

// Prints who misses what: for every family, with all its variants, the number of contacts missed,
// of those found late, and of pairs that never touch but are reported.
static void every_narrow_phase_keeps_its_promise(void **state)
{
    (void)state;
    score scores[TOI_NARROW_COUNT] = {0}, sums[TOI_NARROW_COUNT] = {0};
    int64_t pairs = 0, hits = 0;
    print_message("missed, late, extra of those without a guarantee\n| case |");
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        if (toi_narrow_guarantee((toi_narrow_method)method) == TOI_GUARANTEE_NONE)
            print_message(" %s |", toi_narrow_name((toi_narrow_method)method));
    print_message("\n");
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
            judge_pairs(about.name, truth, (toi_kind)kind, scores);
            pairs += toi_truth_count(truth, (toi_kind)kind);
            hits += toi_truth_hits(truth, (toi_kind)kind);
        }
        toi_close_truth(truth);
        if (i + 1 < toi_case_count() && *toi_describe_case(i + 1).variant)
            continue;
        print_scores(about.family, scores);
        for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
            sums[method].missed += scores[method].missed;
            sums[method].late += scores[method].late;
            sums[method].extra += scores[method].extra;
            scores[method] = (score){0};
        }
    }
    print_scores("all", sums);
    print_message("%lld of %lld pairs touch\n", (long long)hits, (long long)pairs);
    // A gallery that no careless method stumbles over would be none.
    assert_true(sums[TOI_NARROW_CUBIC].missed > 0 && sums[TOI_NARROW_PARITY].missed > 0);
}

// The answers to one kind of questions have the same bits with every instruction set.
static void compare_simd(const char *name, const toi_truth *truth, toi_kind kind)
{
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    question q = ask(truth, kind);
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        toi_narrow_def def = define((toi_narrow_method)method);
        uint64_t first = 0;
        for (int level = 0; level < 3; ++level) {
            if (toi_set_simd(levels[level]) != TOI_OK)
                continue;
            assert_ok(toi_solve_queries(&def, kind, q.queries, q.count, q.results));
            uint64_t hash = toi_hash(q.results, (size_t)q.count * sizeof *q.results);
            if (level > 0 && hash != first)
                fail_msg("%s: %s has other bits with %s", name, toi_narrow_name(def.method),
                         levels[level]);
            first = hash;
        }
    }
    free_question(&q);
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            compare_simd(about.name, truth, (toi_kind)kind);
        toi_close_truth(truth);
    }
    assert_ok(toi_set_simd(NULL));
}

// ---- The whole pipeline

static const toi_narrow_method pipeline_methods[] = {TOI_NARROW_EXACT, TOI_NARROW_INCLUSION,
                                                     TOI_NARROW_ADDITIVE_CERTIFIED};

typedef struct pipeline
{
    toi_impact_array impacts;
    toi_ccd_report all, earliest;
    double *steps;
} pipeline;

static pipeline travel(const toi_ccd_def *def, const toi_mesh *mesh)
{
    pipeline r = {.steps = calloc((size_t)mesh->start.count + 1, sizeof *r.steps)};
    toi_ccd_report steps;
    assert_ok(toi_find_impacts(def, mesh, &r.impacts, &r.all));
    assert_ok(toi_find_earliest(def, mesh, &r.earliest));
    assert_ok(toi_find_safe_steps(def, mesh, r.steps, &steps));
    assert_memory_equal(&r.earliest.earliest, &r.all.earliest, sizeof(toi_impact));
    assert_memory_equal(&steps.earliest, &r.all.earliest, sizeof(toi_impact));
    return r;
}

static void free_pipeline(pipeline *r)
{
    toi_free_impacts(&r->impacts);
    free(r->steps);
}

static bool is_impact(const toi_impact *impact, int kind, toi_pair pair)
{
    return impact->kind == kind && impact->a == pair.a && impact->b == pair.b;
}

// How far the impacts have been compared with the truth.
typedef struct comparison
{
    const char *name;
    toi_mesh mesh;
    const pipeline *found;
    bool exact;
    int64_t next, hits;
    double first;
} comparison;

static void compare_next(comparison *c, int kind, toi_pair pair, double time)
{
    const toi_impact_array *found = &c->found->impacts;
    while (c->next < found->count && !is_impact(&found->data[c->next], kind, pair))
        ++c->next; // both lists are in order, so what is passed over never touches
    bool there = c->next < found->count;
    if (!there || found->data[c->next].time > time ||
        (c->exact && found->data[c->next].time != time))
        fail_msg("%s: impact %s (%d, %d) at %a is %s", c->name, toi_kind_name((toi_kind)kind),
                 (int)pair.a, (int)pair.b, time, there ? "at another time" : "missing");
    c->first = fmin(c->first, time);
    ++c->hits;
}

// Truth files have no place for loose points: their times are found here.
static void compare_loose(comparison *c, toi_kind kind)
{
    toi_pair_array pairs = {0};
    toi_ccd_def def = toi_default_ccd_def();
    assert_ok(toi_find_candidates(&def, &c->mesh, kind, &pairs, NULL));
    for (int64_t i = 0; i < pairs.count; ++i) {
        toi_query query = toi_gather_query(&c->mesh, kind, pairs.data[i]);
        toi_exact_time *time;
        assert_ok(toi_find_exact_times(kind, &query, 1, 1, &time));
        if (time)
            compare_next(c, kind, pairs.data[i], toi_exact_time_floor(time));
        toi_free_exact_time(time);
    }
    toi_free_pairs(&pairs);
}

// Every true impact is in the list, not late; with `exact` nothing else is, and the times are the
// very ones. Returns the true first time.
static double compare_impacts(const char *name, const toi_truth *truth, const pipeline *r,
                              bool exact)
{
    comparison c = {name, toi_truth_mesh(truth), r, exact, 0, 0, INFINITY};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        for (int64_t i = 0; i < toi_truth_count(truth, (toi_kind)kind); ++i) {
            toi_truth_entry entry = toi_truth_at(truth, (toi_kind)kind, i);
            if (entry.hit)
                compare_next(&c, kind, entry.pair, entry.time);
        }
    compare_loose(&c, TOI_POINT_EDGE);
    compare_loose(&c, TOI_POINT_POINT);
    if (exact)
        assert_int_equal(r->impacts.count, c.hits);
    return c.first;
}

// Has a vertex of the impact a step at all?
static bool moves(const toi_mesh *mesh, const toi_impact *impact, const double *steps)
{
    static const int counts[TOI_KIND_COUNT][2] = {{1, 3}, {2, 2}, {1, 2}, {1, 1}};
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t *number = side ? &impact->b : &impact->a;
        int count = counts[impact->kind][side];
        const int32_t *row = count == 1   ? number
                             : count == 2 ? mesh->edges.data + 2 * *number
                                          : mesh->faces.data + 3 * *number;
        for (int k = 0; k < count; ++k)
            most = fmax(most, steps[row[k]]);
    }
    return most > 0;
}

// Is the motion to where the steps lead free? `exact` is asked, whatever gave the steps: no pair
// that moves may come to the separation.
static bool is_free(const toi_mesh *mesh, const double *steps, double separation)
{
    toi_mesh moved = *mesh;
    double *positions = calloc((size_t)(3 * mesh->start.count) + 1, sizeof *positions);
    toi_impact_array impacts = {0};
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = separation;
    assert_ok(toi_move_points(mesh, steps, positions));
    moved.end = toi_view_points(positions, mesh->start.count);
    assert_ok(toi_find_impacts(&def, &moved, &impacts, NULL));
    bool freely = true;
    for (int64_t i = 0; i < impacts.count; ++i)
        freely = freely && !moves(mesh, &impacts.data[i], steps);
    toi_free_impacts(&impacts);
    free(positions);
    return freely;
}

// Steps are free, at most 1, and not below the earliest time by more than its 2^-9, unless moving
// all by that much is not free.
static bool steps_are_right(const toi_mesh *mesh, const pipeline *r, double separation)
{
    double least = 1, most = 0, all = fmin(r->all.earliest.time, 1) * (1 - 0x1p-9);
    for (int64_t v = 0; v < mesh->start.count; ++v) {
        least = fmin(least, r->steps[v]);
        most = fmax(most, r->steps[v]);
    }
    bool right = least >= 0 && most <= 1 && is_free(mesh, r->steps, separation);
    if (right && least < all) {
        double *same = calloc((size_t)mesh->start.count + 1, sizeof *same);
        for (int64_t v = 0; v < mesh->start.count; ++v)
            same[v] = all;
        right = !is_free(mesh, same, separation);
        free(same);
    }
    return right;
}

static void check_pipeline(const char *name, const toi_truth *truth, toi_narrow_method method,
                           double separation)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow = define(method);
    def.narrow.min_separation = separation;
    def.workers = 2;
    pipeline r = travel(&def, &mesh);
    bool exact = method == TOI_NARROW_EXACT && separation == 0;
    double first = compare_impacts(name, truth, &r, exact);
    bool early = exact ? r.all.earliest.time == first : r.all.earliest.time <= first;
    if (!early)
        fail_msg("%s: %s with a separation of %g: the earliest time %a is %s, in truth it is %a",
                 name, toi_narrow_name(method), separation, r.all.earliest.time,
                 exact ? "another" : "late", first);
    if (!steps_are_right(&mesh, &r, separation))
        fail_msg("%s: %s with a separation of %g: steps are not free, or small for no reason", name,
                 toi_narrow_name(method), separation);
    free_pipeline(&r);
}

static void the_whole_pipeline_is_safe(void **state)
{
    (void)state;
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        for (int m = 0; m < 3; ++m)
            for (int run = 0; run < 2; ++run)
                check_pipeline(about.name, truth, pipeline_methods[m], run ? 0x1p-10 : 0);
        toi_close_truth(truth);
    }
}

// ---- Images of a case

// Where a coordinate comes from, and its sign.
typedef struct image
{
    const char *what;
    int axis[3];
    double sign[3];
    bool reversed; // start and end change places
} image;

static const image images[] = {
    {"run backwards", {0, 1, 2}, {1, 1, 1}, true},
    {"mirrored in x", {0, 1, 2}, {-1, 1, 1}, false},
    {"turned round the diagonal", {1, 2, 0}, {1, 1, 1}, false},
    {"with axes y and z swapped, negated", {0, 2, 1}, {-1, -1, -1}, false},
};

static void take_image(const image *how, toi_point_view from, double (*to)[3])
{
    const double *x = from.data;
    for (int64_t v = 0; v < from.count; ++v)
        for (int k = 0; k < 3; ++k)
            to[v][k] = how->sign[k] * x[3 * v + how->axis[k]];
}

// An image has the same hits, and the same times unless it runs backwards.
static void compare_image(const char *name, const toi_truth *truth, const image *how)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    toi_mesh changed = mesh;
    double(*points)[3] = calloc((size_t)(2 * mesh.start.count + 1), sizeof *points);
    take_image(how, how->reversed ? mesh.end : mesh.start, points);
    take_image(how, how->reversed ? mesh.start : mesh.end, points + mesh.start.count);
    changed.start.data = points;
    changed.end.data = points + mesh.start.count;
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    toi_impact_array one = {0}, other = {0};
    toi_ccd_report report, changed_report;
    def.count_candidates = true;
    assert_ok(toi_find_impacts(&def, &mesh, &other, &report));
    assert_ok(toi_find_impacts(&def, &changed, &other, &changed_report));
    def.count_candidates = false;
    assert_ok(toi_find_impacts(&def, &mesh, &one, NULL));
    assert_ok(toi_find_impacts(&def, &changed, &other, NULL));
    bool same = one.count == other.count;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        same = same && report.candidates[kind] == changed_report.candidates[kind] &&
               report.candidates[kind] >= 0;
    for (int64_t i = 0; i < one.count && same; ++i)
        same = one.data[i].kind == other.data[i].kind && one.data[i].a == other.data[i].a &&
               one.data[i].b == other.data[i].b &&
               (how->reversed || one.data[i].time == other.data[i].time);
    if (!same)
        fail_msg("%s is not the same %s", name, how->what);
    toi_free_impacts(&one);
    toi_free_impacts(&other);
    free(points);
}

static void images_have_the_same_answer(void **state)
{
    (void)state;
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        for (int k = 0; k < (int)(sizeof images / sizeof *images); ++k)
            compare_image(about.name, truth, &images[k]);
        toi_close_truth(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_narrow_phase_keeps_its_promise),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(the_whole_pipeline_is_safe),
        cmocka_unit_test(images_have_the_same_answer),
    };
    return cmocka_run_group_tests(tests, make_images, remove_folder);
}
