// The gallery of traps, test/cases: the files are what the generator makes, what they claim is true
// by independent arithmetic and by the word of a person, and every broad phase finds their pairs.

#include "case_files.h"
#include "exact/moments.h"
#include "exact/twin.h"
#include "io_support.h"
#include "toi/truth.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const char *name, const char *ending)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/test/cases/%s%s", TOI_SOURCE_DIR, name, ending);
    return path;
}

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

// ---- Files

static void assert_same_file(const char *path, const char *expected)
{
    FILE *a = fopen(path, "rb"), *b = fopen(expected, "rb");
    if (!a || !b)
        fail_msg("cannot open %s", a ? expected : path);
    static char left[1 << 18], right[1 << 18];
    size_t size = fread(left, 1, sizeof left, a);
    assert_true(size < sizeof left);
    if (fread(right, 1, sizeof right, b) != size || memcmp(left, right, size) != 0)
        fail_msg("%s is not what the generator makes: run 'make cases' and look at what changed",
                 expected);
    fclose(a);
    fclose(b);
}

static void the_files_are_what_the_generator_makes(void **state)
{
    (void)state;
    for (int i = 0; i < toi_case_count(); ++i) {
        moving_case made;
        assert_ok(make_case(i, &made));
        const char *path = path_of("case.truth");
        if (!is_image(&made.about)) {
            assert_ok(write_case(&made, path));
            assert_same_file(path, file_of(made.about.name, ".truth"));
        }
        free_case(&made);
    }
    assert_same_file(path_of("images.txt"), file_of("images", ".txt"));
    assert_ok(write_case_list(path_of("list.md")));
    assert_same_file(path_of("list.md"), file_of("README", ".md"));
}

// A case that was renamed must not leave its old file behind.
static void there_are_no_other_files(void **state)
{
    (void)state;
    DIR *directory = opendir(file_of("", ""));
    assert_non_null(directory);
    int files = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        files += strstr(entry->d_name, ".truth") != NULL;
    closedir(directory);
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        files -= !is_image(&about);
    }
    assert_int_equal(files, 0);
}

static void names_and_indices_are_sound(void **state)
{
    (void)state;
    assert_true(toi_case_count() > 100);
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case one = toi_describe_case(i);
        assert_true(strlen(one.about) > 10);
        assert_true(strlen(one.name) + 1 < sizeof one.name);
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(one.name, toi_describe_case(j).name);
    }
    toi_animation scene;
    assert_fails(toi_make_case(toi_case_count(), &scene), TOI_ERROR_ARGUMENT, "no number");
    assert_fails(toi_make_case(-1, &scene), TOI_ERROR_ARGUMENT, "no number");
}

// ---- Truth

// The stated first time: the largest double not above it, infinity where there is none.
static double find_stated_time(const int64_t first[4], bool *is_exact)
{
    poly f;
    moments list = {.count = 0};
    poly_init(&f);
    for (int i = 0; i < 4; ++i)
        mpz_set_si(f.c[i], (long)first[i]);
    find_degree(&f, 3);
    add_roots(&list, &f); // those inside (0, 1)
    double time = INFINITY;
    *is_exact = f.degree > 0;
    if (f.degree > 0 && first[0] == 0)
        time = 0;
    else if (list.count > 0)
        time = floor_of(&list.at[0], is_exact);
    else if (f.degree > 0 && first[0] + first[1] + first[2] + first[3] == 0)
        time = 1;
    else if (f.degree > 0)
        fail_msg("the stated polynomial has no root in [0, 1]");
    for (int i = 0; i < list.count; ++i)
        moment_clear(&list.at[i]);
    poly_clear(&f);
    return time;
}

// The first entry in time; of a file without contact an entry with infinite time.
static toi_truth_entry find_first(const toi_truth *truth)
{
    toi_truth_entry first = {.time = INFINITY};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        for (int64_t i = 0; i < toi_truth_count(truth, (toi_kind)kind); ++i) {
            toi_truth_entry entry = toi_truth_at(truth, (toi_kind)kind, i);
            // Of times with the same floor those that are no doubles are later.
            if (entry.time < first.time || (entry.time == first.time && entry.time_is_exact))
                first = entry;
        }
    return first;
}

static void the_truth_is_what_a_person_says(void **state)
{
    (void)state;
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case stated = toi_describe_case(i);
        toi_truth *truth = open_truth(&stated);
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            if (toi_truth_hits(truth, (toi_kind)kind) != stated.hits[kind])
                fail_msg("%s: %d %s hits, not %d as stated", stated.name,
                         (int)toi_truth_hits(truth, (toi_kind)kind), toi_kind_name((toi_kind)kind),
                         (int)stated.hits[kind]);
        bool is_exact;
        double time = find_stated_time(stated.first, &is_exact);
        toi_truth_entry first = find_first(truth);
        if (first.time != time || first.time_is_exact != is_exact)
            fail_msg("%s: first contact at %a, not at %a as stated", stated.name, first.time, time);
        toi_close_truth(truth);
    }
}

// Certificates agree with the entry, entries with the slow twin; returns how many were compared.
static int64_t check_entries(const char *name, const toi_truth *truth, toi_kind kind)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    int64_t hits = 0;
    for (int64_t i = 0; i < toi_truth_count(truth, kind); ++i) {
        toi_truth_entry entry = toi_truth_at(truth, kind, i);
        toi_query query = toi_gather_query(&mesh, kind, entry.pair);
        twin_answer answer = twin_decide(kind, &query);
        if (answer.touches != entry.hit || answer.time != entry.time ||
            (entry.hit && answer.time_is_exact != entry.time_is_exact))
            fail_msg("%s: %s (%d, %d) is %s at %a, but the twin says %s at %a", name,
                     toi_kind_name(kind), (int)entry.pair.a, (int)entry.pair.b,
                     entry.hit ? "hit" : "free", entry.time, answer.touches ? "hit" : "free",
                     answer.time);
        toi_exact_time *time = NULL;
        assert_ok(toi_truth_time(truth, kind, i, &time));
        assert_int_equal(time != NULL, entry.hit);
        if (time) {
            assert_true(toi_exact_time_floor(time) == entry.time);
            assert_int_equal(toi_exact_time_is_double(time), entry.time_is_exact);
        }
        toi_free_exact_time(time);
        hits += entry.hit;
    }
    assert_int_equal(hits, toi_truth_hits(truth, kind));
    return toi_truth_count(truth, kind);
}

static void the_truth_is_what_the_twin_says(void **state)
{
    (void)state;
    int64_t pairs = 0;
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        assert_int_equal(toi_truth_listed(truth), TOI_TRUTH_CANDIDATES);
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            pairs += check_entries(about.name, truth, (toi_kind)kind);
        toi_close_truth(truth);
    }
    print_message("%d cases, %lld pairs\n", toi_case_count(), (long long)pairs);
}

// Entry number `from` or the next one that collides; the count where there is none.
static int64_t find_hit(const toi_truth *truth, toi_kind kind, int64_t from)
{
    while (from < toi_truth_count(truth, kind) && !toi_truth_at(truth, kind, from).hit)
        ++from;
    return from;
}

// The same pairs collide, at the same times. Which pairs are listed may differ: boxes turn with
// nothing.
static void compare_hits(const char *name, const toi_truth *a, const toi_truth *b, toi_kind kind)
{
    assert_int_equal(toi_truth_hits(a, kind), toi_truth_hits(b, kind));
    for (int64_t i = find_hit(a, kind, 0), j = find_hit(b, kind, 0); i < toi_truth_count(a, kind);
         i = find_hit(a, kind, i + 1), j = find_hit(b, kind, j + 1)) {
        toi_truth_entry one = toi_truth_at(a, kind, i), other = toi_truth_at(b, kind, j);
        if (one.pair.a != other.pair.a || one.pair.b != other.pair.b || one.time != other.time ||
            one.time_is_exact != other.time_is_exact)
            fail_msg("%s: %s (%d, %d) at %a is (%d, %d) at %a in the plain case", name,
                     toi_kind_name(kind), (int)other.pair.a, (int)other.pair.b, other.time,
                     (int)one.pair.a, (int)one.pair.b, one.time);
    }
}

static void variants_have_the_same_answer(void **state)
{
    (void)state;
    toi_truth *plain = NULL;
    int compared = 0;
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        if (!is_image(&about)) {
            toi_close_truth(plain);
            plain = truth;
            continue;
        }
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            compare_hits(about.name, plain, truth, (toi_kind)kind);
        toi_close_truth(truth);
        ++compared;
    }
    toi_close_truth(plain);
    assert_true(compared > 100);
}

static bool have_common(const int32_t *a, int a_count, const int32_t *b, int b_count)
{
    for (int i = 0; i < a_count; ++i)
        for (int k = 0; k < b_count; ++k)
            if (a[i] == b[k])
                return true;
    return false;
}

// How many pairs of a kind touch, of all that have no vertex in common.
static int64_t count_contacts(const moving_case *made, toi_kind kind)
{
    bool faces = kind == TOI_VERTEX_FACE;
    int64_t a_count = faces ? made->scene.point_count : made->edges.count, hits = 0;
    int64_t b_count = faces ? made->scene.face_count : made->edges.count;
    for (int32_t a = 0; a < a_count; ++a)
        for (int32_t b = faces ? 0 : a + 1; b < b_count; ++b) {
            toi_query query = toi_gather_query(&made->mesh, kind, (toi_pair){a, b});
            bool common = faces ? have_common(&a, 1, made->scene.faces[b], 3)
                                : have_common(made->edges.data[a], 2, made->edges.data[b], 2);
            hits += !common && twin_decide(kind, &query).touches;
        }
    return hits;
}

// What is no candidate does not touch: every pair is asked.
static void no_contact_is_missing(void **state)
{
    (void)state;
    for (int i = 0; i < toi_case_count(); ++i) {
        moving_case made;
        assert_ok(make_case(i, &made));
        for (int kind = 0; kind < TOI_PAIR_KINDS && !is_image(&made.about); ++kind)
            assert_int_equal(count_contacts(&made, (toi_kind)kind), made.about.hits[kind]);
        free_case(&made);
    }
}

// ---- Broad phases

static bool are_listed(const toi_truth *truth, toi_kind kind, const toi_pair_array *pairs)
{
    if (pairs->count != toi_truth_count(truth, kind))
        return false;
    for (int64_t i = 0; i < pairs->count; ++i) {
        toi_pair pair = toi_truth_at(truth, kind, i).pair;
        if (pair.a != pairs->data[i].a || pair.b != pairs->data[i].b)
            return false;
    }
    return true;
}

static void every_broad_phase_finds_the_pairs(void **state)
{
    (void)state;
    toi_pair_array lists[TOI_KIND_COUNT] = {0};
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        toi_truth *truth = open_truth(&about);
        toi_mesh mesh = toi_truth_mesh(truth);
        int first = getenv("TOI_SANITIZED") ? i % 2 : 0; // one number of workers there
        for (int run = first; run < 2 * TOI_BROAD_COUNT; run += getenv("TOI_SANITIZED") ? 2 : 1) {
            toi_ccd_def def = toi_default_ccd_def();
            def.broad.method = (toi_broad_method)(run / 2);
            def.workers = run % 2 ? 3 : 1;
            assert_ok(toi_find_all_candidates(&def, &mesh, lists, NULL));
            for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
                if (!are_listed(truth, (toi_kind)kind, &lists[kind]))
                    fail_msg("%s: %s with %d workers finds other %s pairs", about.name,
                             toi_broad_name(def.broad.method), def.workers,
                             toi_kind_name((toi_kind)kind));
        }
        toi_close_truth(truth);
    }
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_indices_are_sound),
        cmocka_unit_test(the_files_are_what_the_generator_makes),
        cmocka_unit_test(there_are_no_other_files),
        cmocka_unit_test(the_truth_is_what_a_person_says),
        cmocka_unit_test(the_truth_is_what_the_twin_says),
        cmocka_unit_test(variants_have_the_same_answer),
        cmocka_unit_test(no_contact_is_missing),
        cmocka_unit_test(every_broad_phase_finds_the_pairs),
    };
    return cmocka_run_group_tests(tests, make_images, remove_folder);
}
