// Exact times of many queries and their encoding: against single certificates, against rational
// arithmetic that shares nothing with the library, on generated and on published scenes.

#include "exact/adversary.h"
#include "exact/certificate.h"
#include "exact/hand_cases.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "exact/witness.h"
#include "real_frames.h"

#include "scenes.h"
#include "toi/io.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct encoding
{
    uint8_t bytes[TOI_EXACT_TIME_BYTES];
    int64_t size;
} encoding;

static encoding encode(const toi_exact_time *time)
{
    encoding e;
    e.size = toi_encode_exact_time(time, e.bytes, sizeof e.bytes);
    assert_in_range(e.size, 1, sizeof e.bytes);
    return e;
}

static void assert_same_bytes(const encoding *a, const encoding *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, (size_t)a->size);
}

// ---- Batches and single queries

// What is decoded is the same number in the same bytes, with the same floor.
static void check_round_trip(const toi_exact_time *time)
{
    encoding e = encode(time);
    uint8_t little[4] = {1, 2, 3, 4};
    assert_int_equal(toi_encode_exact_time(time, NULL, 0), e.size);
    assert_int_equal(toi_encode_exact_time(time, little, 3), e.size); // it does not fit
    assert_memory_equal(little, "\1\2\3\4", 4);
    toi_exact_time *decoded;
    assert_ok(toi_decode_exact_time(e.bytes, e.size, &decoded));
    encoding again = encode(decoded);
    assert_same_bytes(&e, &again);
    assert_true(toi_exact_time_floor(decoded) == toi_exact_time_floor(time));
    assert_int_equal(toi_exact_time_is_double(decoded), toi_exact_time_is_double(time));
    assert_int_equal(compare_times(decoded, time), 0);
    toi_free_exact_time(decoded);
}

static void check_against_contacts(toi_kind kind, const toi_query *query,
                                   const toi_exact_time *time)
{
    toi_exact_contacts contacts = find_contacts(kind, query);
    assert_int_equal(time != NULL, contacts.count > 0);
    if (time) {
        assert_int_equal(compare_times(time, contacts.data[0].from), 0);
        check_round_trip(time);
        for (int64_t i = 0; i < contacts.count; ++i)
            check_round_trip(contacts.data[i].to);
    }
    toi_free_exact_contacts(&contacts);
}

static void free_times(toi_exact_time **times, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        toi_free_exact_time(times[i]);
}

// Solves them with 1 to 8 workers; all must give the same bytes. Returns how many touch.
static int64_t check_batch(toi_kind kind, const toi_query *queries, int64_t count)
{
    toi_exact_time **times = calloc((size_t)count, sizeof *times),
                   **others = calloc((size_t)count, sizeof *others);
    int64_t hits = 0;
    assert_ok(toi_find_exact_times(kind, queries, count, 1, times));
    for (int64_t i = 0; i < count; ++i) {
        check_against_contacts(kind, &queries[i], times[i]);
        hits += times[i] != NULL;
    }
    for (int workers = 2; workers <= 8; workers += 3) {
        assert_ok(toi_find_exact_times(kind, queries, count, workers, others));
        for (int64_t i = 0; i < count; ++i) {
            assert_int_equal(times[i] != NULL, others[i] != NULL);
            if (!times[i])
                continue;
            encoding a = encode(times[i]), b = encode(others[i]);
            assert_same_bytes(&a, &b);
        }
        free_times(others, count);
    }
    free_times(times, count);
    free(times);
    free(others);
    return hits;
}

static void batches_of_hard_queries(void **state)
{
    (void)state;
    enum
    {
        COUNT = 500
    };
    toi_random random = {71};
    toi_query *queries = malloc(COUNT * sizeof *queries);
    for (int family = 0; family < HARD_FAMILIES; ++family)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            int64_t count = cases(COUNT) < COUNT ? cases(COUNT) : COUNT;
            for (int64_t i = 0; i < count; ++i)
                queries[i] = make_hard_query((hard_family)family, (toi_kind)kind, &random);
            int64_t hits = check_batch((toi_kind)kind, queries, count);
            assert_true(hits > 0 || family != HARD_SMALL);
        }
    for (int i = 0; i < hand_case_count; ++i) {
        int64_t hits = check_batch(hand_cases[i].kind, &hand_cases[i].query, 1);
        assert_int_equal(hits, hand_cases[i].contacts > 0);
    }
    free(queries);
}

// Coordinates from one end of the doubles to the other make the longest certificates.
static void longest_certificates(void **state)
{
    (void)state;
    toi_random random = {72};
    int64_t longest = 0;
    for (int64_t i = 0; i < cases(400); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        contact c = make_wild_contact(kind, 0, 2000, &random);
        toi_query query = c.query;
        double *x = &query.start[0][0];
        for (int k = 0; k < 24 && i % 2 == 0; ++k)
            x[k] = ldexp(toi_random_range(&random, -1, 1), i % 4 == 0 ? 1023 : 0) +
                   (toi_random_below(&random, 4) == 0 ? DBL_TRUE_MIN : 0);
        if (i % 2 == 0)
            query.start[0][0] = query.end[3][2] = DBL_TRUE_MIN;
        toi_exact_contacts contacts = find_contacts(kind, &query);
        for (int64_t n = 0; n < contacts.count; ++n) {
            check_round_trip(contacts.data[n].from);
            check_round_trip(contacts.data[n].to);
            int64_t bytes = toi_encode_exact_time(contacts.data[n].from, NULL, 0);
            longest = bytes > longest ? bytes : longest;
        }
        toi_free_exact_contacts(&contacts);
    }
    print_message("the longest certificate of wild queries has %lld bytes\n", (long long)longest);
    assert_true(longest > 1000 || cases(400) < 400);
}

// Two contacts, at (1 -+ 2^-half) / parts, between the same two doubles: what keeps them apart has
// more bits than doubles. With L going from -1 to parts - 1, P = (L + width / 2, -gap - L / 2, 0),
// E = (-width, L, 0) and G = (0, 0, 1), the volume is L^2 - gap width.
static void certificates_inside_a_gap(void **state)
{
    (void)state;
    const double width = 0x1p-20;
    for (int parts = 3; parts <= 11; parts += 2)
        for (int half = 60; half <= 540; half += 40) {
            double gap = ldexp(1, 20 - 2 * half), m = parts - 1;
            toi_query query = {{{-1, 0.5, 0}, {-1 - width, -0.5, 0}, {-width / 2, gap, 0}},
                               {{m, -m / 2, 0}, {m - width, m / 2, 0}, {-width / 2, gap, 0}}};
            memcpy(query.start[3], query.start[2], sizeof query.start[3]);
            memcpy(query.end[3], query.end[2], sizeof query.end[3]);
            query.start[3][2] = query.end[3][2] = -1;
            toi_exact_contacts contacts = find_contacts(TOI_EDGE_EDGE, &query);
            assert_int_equal(contacts.count, 2);
            for (int i = 0; i < 2; ++i)
                check_round_trip(contacts.data[i].from);
            assert_true(toi_exact_time_floor(contacts.data[0].from) ==
                        toi_exact_time_floor(contacts.data[1].from));
            check_batch(TOI_EDGE_EDGE, &query, 1);
            toi_free_exact_contacts(&contacts);
        }
}

// A point that passes through the corner of a triangle in its plane, in and out between the same
// two doubles: at (1 - 2^-60) / 3 and (1 + 2^-60) / 3. Whichever side is looked at first, the first
// contact is the first.
static void first_of_two_events_in_a_gap(void **state)
{
    (void)state;
    const double up = 0x1p-60;
    for (int turn = 0; turn < 6; ++turn) {
        const double corners[3][3] = {{0, 0, 0}, {-1, 1, 0}, {1, 1, 0}};
        toi_query query = {{{-1, up, 0}}, {{2, up, 0}}};
        for (int i = 0; i < 3; ++i) {
            int from = turn < 3 ? (i + turn) % 3 : (turn - i) % 3;
            memcpy(query.start[1 + i], corners[from], sizeof corners[0]);
            memcpy(query.end[1 + i], corners[from], sizeof corners[0]);
        }
        toi_exact_time *time;
        assert_ok(toi_find_exact_times(TOI_VERTEX_FACE, &query, 1, 1, &time));
        check_ratio(time, (1ul << 60) - 1, 3ul << 60);
        toi_free_exact_time(time);
        check_batch(TOI_VERTEX_FACE, &query, 1);
    }
}

static void bad_batches_are_refused(void **state)
{
    (void)state;
    toi_query queries[100] = {0};
    toi_exact_time *times[100];
    queries[77].end[2][1] = INFINITY;
    assert_fails(toi_find_exact_times(TOI_VERTEX_FACE, queries, 100, 3, times), TOI_ERROR_DATA,
                 "query 77: coordinate y of point 2 at t = 1");
    for (int i = 0; i < 100; ++i)
        assert_null(times[i]);
    assert_ok(toi_find_exact_times(TOI_POINT_POINT, queries, 100, 3, times)); // not looked at
    free_times(times, 100);
    assert_fails(toi_find_exact_times(TOI_KIND_COUNT, queries, 1, 1, times), TOI_ERROR_ARGUMENT,
                 "kind");
    assert_fails(toi_find_exact_times(TOI_EDGE_EDGE, queries, -1, 1, times), TOI_ERROR_ARGUMENT,
                 "-1");
    assert_fails(toi_find_exact_times(TOI_EDGE_EDGE, queries, 1, -1, times), TOI_ERROR_ARGUMENT,
                 "workers");
    assert_null(times[0]);
    assert_ok(toi_find_exact_times(TOI_EDGE_EDGE, NULL, 0, 0, NULL));
    toi_free_exact_time(NULL);
}

// ---- Bytes that are not certificates

typedef struct forgery
{
    const char *refusal; // what the message says
    int size;
    uint8_t bytes[32];
} forgery;

// The time 1/2, 2t - 1 at the point 1 / 2^1, is 0d: degree 1, a point, c0 negative; 01 01: c0; 01
// 02: c1; 01: bits; 01 01: lo.
static const uint8_t half[] = {0x0d, 1, 1, 1, 2, 1, 1, 1};

static const forgery forgeries[] = {
    {"it has 0 bytes", 0, {0}},
    {"first byte", 1, {0}},                         // degree 0
    {"first byte", 8, {0x4d, 1, 1, 1, 2, 1, 1, 1}}, // a flag that does not exist
    {"first byte", 8, {0x1d, 1, 1, 1, 2, 1, 1, 1}}, // the leading sign
    {"bytes after its end", 9, {0x0d, 1, 1, 1, 2, 1, 1, 1, 0}},
    {"cut off", 7, {0x0d, 1, 1, 1, 2, 1, 1}},
    {"shortest form", 9, {0x0d, 2, 1, 0, 1, 2, 1, 1, 1}},    // a leading zero
    {"shortest form", 9, {0x0d, 0x81, 0, 1, 1, 2, 1, 1, 1}}, // a count in two bytes
    {"shortest form", 6, {0x0d, 255, 255, 255, 255, 255}},   // a count without an end
    {"shortest form", 7, {0x0d, 0, 1, 2, 1, 1, 1}},          // minus zero
    {"shortest form", 9, {0x09, 1, 1, 1, 3, 1, 1, 1, 0}},    // an interval without width
    {"leading coefficient", 7, {0x0d, 1, 1, 0, 1, 1, 1}},    // zero
    {"common divisor", 8, {0x0d, 1, 2, 1, 4, 1, 1, 1}},      // 4t - 2
    {"not the root", 8, {0x0d, 1, 1, 1, 3, 1, 1, 1}},        // 3t - 1
    {"not the root", 10, {0x0e, 1, 1, 1, 1, 1, 2, 1, 1, 1}}, // 2t^2 + t - 1: not linear
    {"interval is not in its shortest", 8, {0x0d, 1, 1, 1, 2, 2, 1, 2}},    // 2 / 4
    {"not in [0, 1]", 8, {0x0d, 1, 3, 1, 2, 1, 1, 3}},                      // 3 / 2
    {"not in [0, 1]", 12, {0x09, 1, 1, 1, 3, 255, 255, 255, 127, 0, 1, 1}}, // too many bits
    {"a double inside", 9, {0x09, 1, 1, 1, 2, 0, 0, 1, 1}}, // 2t - 1 between 0 and 1
    {"a double inside", 9, {0x09, 1, 1, 1, 3, 0, 0, 1, 1}}, // 3t - 1
    // 3t - 1 from the largest double below 1/3 to the second after it.
    {"a double inside", 16, {9, 1, 1, 1, 3, 54, 7, 85, 85, 85, 85, 85, 85, 21, 1, 2}},
    {"change its sign", 11, {0x02, 1, 1, 0, 1, 1, 0xb2, 8, 0, 1, 1}}, // t^2 + 1 below 2^-1074
};

static void forged_certificates_are_refused(void **state)
{
    (void)state;
    toi_exact_time *time;
    assert_ok(toi_decode_exact_time(half, sizeof half, &time));
    check_ratio(time, 1, 2);
    toi_free_exact_time(time);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; ++i) {
        const forgery *f = &forgeries[i];
        assert_fails(toi_decode_exact_time(f->bytes, f->size, &time), TOI_ERROR_FORMAT, f->refusal);
        assert_null(time);
    }
    static uint8_t large[TOI_EXACT_TIME_BYTES + 1];
    assert_fails(toi_decode_exact_time(large, sizeof large, &time), TOI_ERROR_FORMAT, "8193 bytes");
    assert_fails(toi_decode_exact_time(large, -1, &time), TOI_ERROR_FORMAT, "-1 bytes");
}

// Decodes a cubic with the interval ]lo, lo + 1[ / 2^bits, lo being of 7 bytes.
static toi_status decode_cubic(mpz_t c[4], unsigned long lo, uint8_t bits)
{
    uint8_t bytes[600] = {3}, *at = bytes + 1;
    toi_exact_time *time;
    for (int i = 0; i < 4; ++i) {
        size_t count = mpz_sgn(c[i]) == 0 ? 0 : (mpz_sizeinbase(c[i], 2) + 7) / 8;
        assert_true(count < 128);
        bytes[0] |= (uint8_t)((mpz_sgn(c[i]) < 0) << (3 + i));
        *at++ = (uint8_t)count;
        mpz_export(at, NULL, -1, 1, 0, 0, c[i]);
        at += count;
    }
    *at++ = bits;
    *at++ = 7;
    for (int i = 0; i < 7; ++i)
        *at++ = (uint8_t)(lo >> 8 * i);
    *at++ = 1;
    *at++ = 1;
    toi_status status = toi_decode_exact_time(bytes, at - bytes, &time);
    toi_free_exact_time(time);
    return status;
}

// Three roots between two neighbouring doubles, or one beside a double root: both change the sign.
static void cubics_with_too_many_roots_are_refused(void **state)
{
    (void)state;
    // Doubles beside 1/2 are m / 2^53; roots are (4 m + 1, 2, 3) / 2^55. In s = 2^55 t the cubic
    // (s - a)(s - b)(s - c) has the coefficients below, times powers of 2^55; odd a, b, c keep it
    // primitive in t once 2^165 is a factor of the leading one only.
    const unsigned long m = (1ul << 52) + 12345;
    const int roots[4][3] = {{1, 3, 2}, {1, 1, 1}, {1, -9, -9}, {2, 401, 777}};
    const toi_status expected[4] = {TOI_ERROR_FORMAT, TOI_ERROR_FORMAT, TOI_ERROR_FORMAT, TOI_OK};
    mpz_t r[3], c[4], term;
    mpz_inits(r[0], r[1], r[2], c[0], c[1], c[2], c[3], term, NULL);
    for (int n = 0; n < 4; ++n) {
        for (int i = 0; i < 3; ++i) {
            mpz_set_ui(r[i], 4 * m);
            mpz_set_si(term, roots[n][i]);
            mpz_add(r[i], r[i], term);
        }
        mpz_set_ui(c[3], 1);
        mpz_add(c[2], r[0], r[1]);
        mpz_add(c[2], c[2], r[2]);
        mpz_neg(c[2], c[2]);
        mpz_mul(c[1], r[0], r[1]);
        mpz_addmul(c[1], r[0], r[2]);
        mpz_addmul(c[1], r[1], r[2]);
        mpz_mul(c[0], r[0], r[1]);
        mpz_mul(c[0], c[0], r[2]);
        mpz_neg(c[0], c[0]);
        for (int i = 1; i < 4; ++i)
            mpz_mul_2exp(c[i], c[i], (mp_bitcnt_t)(55 * i));
        mpz_set_ui(term, 0);
        for (int i = 0; i < 4; ++i)
            mpz_gcd(term, term, c[i]);
        for (int i = 0; i < 4; ++i)
            mpz_divexact(c[i], c[i], term);
        assert_int_equal(decode_cubic(c, m, 53), expected[n]);
        assert_true(expected[n] == TOI_OK || strstr(toi_last_message(), "three roots"));
    }
    mpz_clears(r[0], r[1], r[2], c[0], c[1], c[2], c[3], term, NULL);
}

// Whatever is decoded must be sound and have those bytes as its only form.
static void changed_certificates_are_refused_or_sound(void **state)
{
    (void)state;
    toi_random random = {73};
    int64_t accepted = 0, refused = 0;
    for (int64_t n = 0; n < 60; ++n) {
        toi_kind kind = (toi_kind)(n % TOI_PAIR_KINDS);
        toi_query query = make_hard_query((hard_family)(n / 2 % HARD_FAMILIES), kind, &random);
        toi_exact_contacts contacts = find_contacts(kind, &query);
        encoding e = {.size = 0};
        if (contacts.count > 0)
            e = encode(contacts.data[0].from);
        for (int64_t bit = 0; bit < 8 * e.size; ++bit) {
            toi_exact_time *time;
            e.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (toi_decode_exact_time(e.bytes, e.size, &time) == TOI_OK) {
                encoding again = encode(time);
                assert_same_bytes(&e, &again);
                check_certificate(time);
                ++accepted;
            } else {
                assert_null(time);
                ++refused;
            }
            toi_free_exact_time(time);
            e.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        toi_free_exact_contacts(&contacts);
    }
    assert_true(accepted > 0 && refused > 0); // the lowest bits of coefficients may change
}

// ---- Scenes

// Checks every `stride`-th impact of a mesh, of both kinds.
static witness_tally check_scene(const char *name, const toi_mesh *mesh, int64_t most)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    witness_tally tally = {0};
    assert_ok(toi_find_impacts(&def, mesh, &impacts, &report));
    toi_query *queries = malloc((size_t)(impacts.count + 1) * sizeof *queries);
    toi_exact_time **times = calloc((size_t)(impacts.count + 1), sizeof *times);
    for (int64_t i = 0; i < impacts.count; ++i)
        queries[i] = toi_gather_query(mesh, (toi_kind)impacts.data[i].kind,
                                      (toi_pair){impacts.data[i].a, impacts.data[i].b});
    int64_t first = 0;
    for (int kind = 0; kind < TOI_PAIR_KINDS; first += report.hits[kind++])
        assert_ok(toi_find_exact_times((toi_kind)kind, queries + first, report.hits[kind], 2,
                                       times + first));
    int64_t stride = impacts.count / most + 1;
    for (int64_t i = 0; i < impacts.count; ++i) {
        assert_non_null(times[i]);
        assert_true(toi_exact_time_floor(times[i]) == impacts.data[i].time);
        if (i % stride == 0) {
            check_first_time((toi_kind)impacts.data[i].kind, &queries[i], times[i], &tally);
            check_round_trip(times[i]);
        }
    }
    print_message("%s: of %lld times checked in rationals %lld doubles, %lld roots of volumes, "
                  "%lld flat\n",
                  name, (long long)impacts.count, (long long)tally.doubles,
                  (long long)tally.volumes, (long long)tally.flat);
    free_times(times, impacts.count);
    free(times);
    free(queries);
    toi_free_impacts(&impacts);
    return tally;
}

static void generated_scenes(void **state)
{
    (void)state;
    witness_tally sum = {0};
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation_def def = toi_default_animation_def();
        def.name = toi_animation_name(i);
        def.size = 500;
        def.begin = 0.7;
        toi_animation scene;
        assert_ok(toi_make_animation(&def, &scene));
        toi_mesh mesh = toi_make_mesh(scene.points[0], scene.points[scene.point_count],
                                      scene.point_count, scene.faces[0], scene.face_count);
        toi_edge_array edges;
        assert_ok(toi_make_edges(mesh.faces, (toi_index_view){scene.edges[0], scene.edge_count, 0},
                                 scene.point_count, &edges));
        mesh.edges = toi_view_edges(&edges);
        witness_tally tally = check_scene(def.name, &mesh, cases(300));
        sum.doubles += tally.doubles;
        sum.volumes += tally.volumes;
        sum.flat += tally.flat;
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
    assert_true(sum.volumes > 0 && sum.doubles > 0);
}

static void check_published(const char *name, int64_t most)
{
    real_frames frames;
    if (!load_real_scene(name, &frames))
        skip();
    witness_tally tally = check_scene(name, &frames.mesh, most);
    assert_true(tally.volumes + tally.flat + tally.doubles >= (most < 100 ? most : 100));
    free_real_frames(&frames);
}

static void cloth_funnel(void **state)
{
    (void)state;
    check_published("cloth-funnel", 100000); // all of them
}

static void cloth_ball(void **state)
{
    (void)state;
    check_published("cloth-ball", cases(2000));
}

static void n_body(void **state)
{
    (void)state;
    check_published("n-body", cases(2000));
}

// Flat queries, which scenes hardly have.
static void flat_queries(void **state)
{
    (void)state;
    toi_random random = {74};
    witness_tally tally = {0};
    for (int64_t i = 0; i < cases(3000); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = make_hard_query(HARD_SMALL, kind, &random);
        double *x = &query.start[0][0];
        for (int k = 2; k < 24; k += 3)
            x[k] = i % 4 < 2 ? 0 : x[k - 1]; // in a plane
        toi_exact_time *time;
        assert_ok(toi_find_exact_times(kind, &query, 1, 1, &time));
        if (time)
            check_first_time(kind, &query, time, &tally);
        toi_free_exact_time(time);
    }
    assert_true(tally.flat > 0 && tally.doubles > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_hard_queries),
        cmocka_unit_test(longest_certificates),
        cmocka_unit_test(certificates_inside_a_gap),
        cmocka_unit_test(first_of_two_events_in_a_gap),
        cmocka_unit_test(bad_batches_are_refused),
        cmocka_unit_test(forged_certificates_are_refused),
        cmocka_unit_test(cubics_with_too_many_roots_are_refused),
        cmocka_unit_test(changed_certificates_are_refused_or_sound),
        cmocka_unit_test(flat_queries),
        cmocka_unit_test(generated_scenes),
        cmocka_unit_test(cloth_funnel),
        cmocka_unit_test(cloth_ball),
        cmocka_unit_test(n_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
