// Decisions in integers: against the certificates, against the slow twin, and where memory runs
// out.

#include "exact/certificate.h"
#include "exact/trial.h"
#include "exact/twin.h"
#include "support.h"

#include "exact/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Against each other, and against the twin

// Coordinates from -2 to 2; or some of them nudged, some of another size, all in a plane, on a
// line, or two points the same.
static toi_query lattice_query(toi_random *random, int64_t i)
{
    toi_query query;
    double *x = &query.start[0][0];
    for (int k = 0; k < 24; ++k)
        x[k] = (double)toi_random_below(random, 5) - 2;
    if (i % 4 == 1)
        nudge_query(&query, 2, random);
    if (i % 4 == 2)
        x[toi_random_below(random, 24)] *= ldexp(1, (int)toi_random_below(random, 120) - 60);
    for (int k = 0; k < 24 && i % 64 == 3; ++k) // from one end of the doubles to the other
        x[k] = ldexp(x[k], toi_random_below(random, 2) == 0 ? -1074 : 1000);
    int shape = (int)toi_random_below(random, 8);
    for (int k = 0; k < 24; ++k)
        if ((shape == 0 && k % 3 == 2) || (shape == 1 && k % 3 != 0))
            x[k] = 0;
    if (shape == 2)
        memcpy(query.end, query.start, sizeof query.end);
    if (shape == 3) {
        memcpy(query.start[1], query.start[3], sizeof query.start[1]);
        memcpy(query.end[1], query.end[3], sizeof query.end[1]);
    }
    return query;
}

static void check_agreement(toi_kind kind, const toi_query *query,
                            const toi_exact_contacts *contacts)
{
    toi_decision first = decide_query(kind, query, false), all = decide_query(kind, query, true);
    const toi_exact_time *time = contacts->count > 0 ? contacts->data[0].from : NULL;
    bool agree = first.state == (time ? TOI_HIT : TOI_SEPARATED) && all.state == first.state &&
                 first.time == (time ? toi_exact_time_floor(time) : INFINITY) &&
                 all.time == first.time && all.contacts == contacts->count &&
                 first.time_is_exact == (time && toi_exact_time_is_double(time)) &&
                 all.time_is_exact == first.time_is_exact;
    if (!agree) {
        print_query(kind, query);
        fail_msg("decided %d at %a, counted %d from %a, %lld certificates", first.state, first.time,
                 all.contacts, all.time, (long long)contacts->count);
    }
}

static void decisions_agree_with_certificates(void **state)
{
    (void)state;
    toi_random random = {13};
    int64_t hits = 0, several = 0, lasting = 0;
    for (int64_t i = 0; i < cases(100000); ++i) {
        toi_kind kind = (toi_kind)(i / 2 % TOI_PAIR_KINDS);
        toi_query query = lattice_query(&random, i);
        toi_exact_contacts contacts = find_contacts(kind, &query);
        check_agreement(kind, &query, &contacts);
        for (int64_t k = 0; k < contacts.count; ++k) {
            check_certificate(contacts.data[k].from);
            check_certificate(contacts.data[k].to);
            assert_true(k == 0 ||
                        compare_times(contacts.data[k - 1].to, contacts.data[k].from) < 0);
            lasting += contacts.data[k].from != contacts.data[k].to;
        }
        hits += contacts.count > 0;
        several += contacts.count > 1;
        toi_free_exact_contacts(&contacts);
    }
    print_message("  %lld hits, %lld with several contacts, %lld contacts that last\n",
                  (long long)hits, (long long)several, (long long)lasting);
    assert_true(hits > 100 && several > 10 && lasting > 10);
}

static void decisions_agree_with_the_twin(void **state)
{
    (void)state;
    toi_random random = {14};
    for (int64_t i = 0; i < cases(10000); ++i) {
        toi_kind kind = (toi_kind)(i / 2 % TOI_PAIR_KINDS);
        toi_query query = lattice_query(&random, i);
        twin_answer truth = twin_decide(kind, &query);
        double t_max = toi_random_below(&random, 2) == 0 && truth.touches
                           ? truth.time
                           : toi_random_unit(&random);
        toi_decision_def def = {
            .kind = kind,
            .t_max = t_max,
            .guess = toi_random_below(&random, 2) == 0 ? NAN : toi_random_range(&random, -0.5, 1.5),
            .count = i % 3 == 0,
            .scratch = scratch};
        toi_decision decision;
        toi_decide(&def, &query, &decision);
        bool hit = truth.touches && truth.time <= t_max;
        if (decision.state != (hit ? TOI_HIT : TOI_SEPARATED) ||
            decision.time != (hit ? truth.time : INFINITY) ||
            decision.time_is_exact != (hit && truth.time_is_exact) ||
            decision.contacts != (def.count ? truth.contacts : 0)) {
            print_query(kind, &query);
            fail_msg("t_max %a: %d at %a, %d contacts; the truth is %a, %d contacts", t_max,
                     decision.state, decision.time, decision.contacts, truth.time, truth.contacts);
        }
    }
}

// ---- Shortcuts in words

enum
{
    LEVEL,    // in a plane perpendicular to an axis
    FLAT,     // P = a E + b G for all t
    AT_START, // the same at t = 0
    ANY_SHAPE,
    SHAPES
};

static int64_t random_word(toi_random *random, int size)
{
    const int64_t most = (INT64_C(1) << 62) - 1;
    int64_t any = (int64_t)(toi_random_bits(random) >> 2);
    int64_t word = size == 0   ? (int64_t)toi_random_below(random, 5) - 2
                   : size == 1 ? most - (int64_t)toi_random_below(random, 3)
                               : any >> toi_random_below(random, 62);
    return toi_random_below(random, 2) == 0 ? word : -word;
}

// Entries of -2 to 2, as large as words may be, or of any size.
static toi_trajectory random_words(toi_random *random, int shape)
{
    toi_trajectory f = {.edge_edge = toi_random_below(random, 2)};
    toi_vector *vectors[3] = {&f.p, &f.e, &f.g};
    int size = (int)toi_random_below(random, 3), axis = (int)toi_random_below(random, 3);
    if (shape == FLAT || shape == AT_START)
        size = 0;
    for (int i = 0; i < 18; ++i)
        if (shape != LEVEL || i % 3 != axis)
            vectors[i / 6]->words[i / 3 % 2][i % 3] = random_word(random, size);
    int64_t a = random_word(random, 0), b = random_word(random, 0);
    for (int i = 0; i < (shape == FLAT ? 6 : 3) && (shape == FLAT || shape == AT_START); ++i)
        f.p.words[i / 3][i % 3] = a * f.e.words[i / 3][i % 3] + b * f.g.words[i / 3][i % 3];
    return f;
}

// The same vectors in the general form, for which there are no shortcuts.
static toi_trajectory without_words(toi_arena *arena, const toi_trajectory *from)
{
    toi_trajectory f = *from;
    toi_vector *vectors[3] = {&f.p, &f.e, &f.g};
    for (int i = 0; i < 18; ++i) {
        toi_vector *v = vectors[i / 6];
        v->form = TOI_VECTOR_INTEGERS;
        v->c[i / 3 % 2][i % 3] = toi_integer_from_int128(arena, v->words[i / 3 % 2][i % 3]);
    }
    return f;
}

static void words_agree_with_integers(void **state)
{
    (void)state;
    static _Alignas(16) char memory[1 << 16];
    static const double latest[] = {0, 0x1p-201, 0x1p-100, 0.5, 1};
    toi_random random = {16};
    int64_t hits[SHAPES] = {0}, later[SHAPES] = {0};
    for (int64_t i = 0; i < cases(100000); ++i) {
        int shape = (int)(i % SHAPES);
        toi_arena arena;
        toi_moment a = {.floor = INFINITY}, b = {.floor = INFINITY};
        toi_contact contacts[TOI_MOST_CONTACTS];
        toi_contact_search search = {latest[toi_random_below(&random, 5)], NAN};
        toi_arena_open(&arena, memory, sizeof memory);
        toi_trajectory words = random_words(&random, shape), same = without_words(&arena, &words);
        bool hit = toi_find_first_contact(&arena, &words, &search, &a);
        assert_int_equal(hit, toi_find_first_contact(&arena, &same, &search, &b));
        assert_true(!hit || (a.floor == b.floor && a.is_double == b.is_double));
        assert_int_equal(toi_find_all_contacts(&arena, &words, contacts),
                         toi_find_all_contacts(&arena, &same, contacts));
        assert_false(arena.failed);
        hits[shape] += hit;
        later[shape] += hit && a.floor > 0;
        toi_arena_close(&arena);
    }
    for (int shape = 0; shape < SHAPES; ++shape) {
        print_message("  shape %d: %lld hits, %lld after t = 0\n", shape, (long long)hits[shape],
                      (long long)later[shape]);
        assert_true(hits[shape] > 10 && later[shape] > 0);
    }
}

// ---- Values in words

// f(x) 2^(124 - scale) less its value in words.
static double error_of_fixed(const toi_polynomial *f, const toi_fixed *fixed, toi_dyadic x)
{
    mpq_t sum, t, c;
    mpz_t view;
    mpq_inits(sum, t, c, NULL);
    mpq_set_z(t, mpz_roinit_n(view, x.m.limbs, x.m.size));
    mpq_div_2exp(t, t, (mp_bitcnt_t)x.bits);
    for (int i = f->degree; i >= 0; --i) {
        mpq_mul(sum, sum, t);
        mpq_set_z(c, mpz_roinit_n(view, f->c[i].limbs, f->c[i].size));
        mpq_add(sum, sum, c);
    }
    if (fixed->scale < TOI_FIXED_BITS)
        mpq_mul_2exp(sum, sum, (mp_bitcnt_t)(TOI_FIXED_BITS - fixed->scale));
    else
        mpq_div_2exp(sum, sum, (mp_bitcnt_t)(fixed->scale - TOI_FIXED_BITS));
    toi_int128 value = toi_fixed_at(fixed, x);
    mp_limb_t limbs[2];
    toi_uint128 magnitude = value < 0 ? -(toi_uint128)value : (toi_uint128)value;
    limbs[0] = (mp_limb_t)magnitude;
    limbs[1] = (mp_limb_t)(magnitude >> 64);
    mpq_set_z(c, mpz_roinit_n(view, limbs, value < 0 ? -2 : 2));
    mpq_sub(sum, sum, c);
    double error = mpq_get_d(sum);
    mpq_clears(sum, t, c, NULL);
    return error;
}

// The filter in words keeps to the error that is derived for it.
static void fixed_values(void **state)
{
    (void)state;
    toi_random random = {18};
    double worst = 0;
    for (int64_t i = 0; i < cases(20000); ++i) {
        toi_arena arena;
        toi_polynomial f = {.degree = 1 + (int)toi_random_below(&random, 3)};
        toi_fixed fixed;
        toi_arena_open(&arena, scratch, sizeof scratch);
        for (int k = 0; k <= f.degree; ++k) {
            toi_integer a = toi_integer_from_shifted(&arena, toi_random_bits(&random),
                                                     (int64_t)toi_random_below(&random, 150),
                                                     toi_random_below(&random, 2) == 0);
            toi_integer b = toi_integer_from_word(&arena, toi_random_bits(&random) >> 1);
            f.c[k] = toi_integer_add(&arena, a, toi_integer_multiply(&arena, a, b));
        }
        int64_t shift = i % 2 == 0 ? 0 : -(int64_t)toi_random_below(&random, 1000);
        toi_fixed_from_polynomial(&f, shift, &fixed);
        toi_dyadic x =
            toi_dyadic_from_double(&arena, ldexp(toi_random_range(&random, 0.5, 1),
                                                 (int)shift - (int)toi_random_below(&random, 10)));
        assert_true(toi_fixed_takes(&fixed, x));
        worst = fmax(worst, fabs(error_of_fixed(&f, &fixed, x)));
        toi_arena_close(&arena);
    }
    print_message("  values wrong by %.3g at most, %d allowed\n", worst, TOI_FIXED_ERROR);
    assert_true(worst > 1 && worst <= TOI_FIXED_ERROR);
}

// ---- Memory

typedef struct counting_hooks
{
    int64_t allowed; // how many more allocations succeed
    int64_t taken;
} counting_hooks;

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    counting_hooks *hooks = user;
    ++hooks->taken;
    if (hooks->allowed-- <= 0)
        return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static toi_hooks hooks_of(counting_hooks *user)
{
    return (toi_hooks){.user = user, .allocate = counted_allocate, .release = counted_release};
}

static toi_query wild_query(toi_random *random)
{
    toi_query query;
    for (int k = 0; k < 24; ++k)
        (&query.start[0][0])[k] =
            ldexp(toi_random_range(random, -1, 1), (int)toi_random_below(random, 2090) - 1070);
    return query;
}

// What a certificate tells needs memory too, and says so.
static void check_without_memory(const toi_exact_time *time, counting_hooks *user)
{
    char *lo, *hi;
    int64_t bits;
    int order = 7;
    for (int64_t allowed = 0; allowed < 2; ++allowed) {
        *user = (counting_hooks){.allowed = allowed};
        assert_int_equal(toi_exact_time_bounds(time, &lo, &hi, &bits), TOI_ERROR_MEMORY);
        assert_null(lo);
        assert_null(hi);
    }
    *user = (counting_hooks){.allowed = 0};
    assert_null(toi_exact_time_coefficient(time, 0));
    toi_status status = toi_exact_time_compare(time, time, &order);
    assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
    assert_int_equal(order, 0);
    *user = (counting_hooks){.allowed = INT64_MAX};
}

// Ordinary coordinates need no heap, wild ones do; if there is none, the query stays undecided, and
// whatever allocation fails nothing else goes wrong.
static void heap_only_where_needed(void **state)
{
    (void)state;
    toi_random random = {16};
    counting_hooks user = {.allowed = INT64_MAX};
    toi_hooks hooks = hooks_of(&user);
    toi_set_hooks(&hooks);
    for (int64_t i = 0; i < cases(2000); ++i) {
        toi_query query = lattice_query(&random, 0);
        if (i % 2 == 0)
            for (int k = 0; k < 24; ++k)
                (&query.start[0][0])[k] =
                    ldexp(toi_random_range(&random, -1, 1), (int)toi_random_below(&random, 10));
        decide_query((toi_kind)(i / 2 % TOI_PAIR_KINDS), &query, i % 3 == 0);
    }
    assert_int_equal(user.taken, 0);
    int64_t needed = 0, undecided = 0;
    for (int64_t i = 0; i < cases(300); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = wild_query(&random);
        user = (counting_hooks){.allowed = INT64_MAX};
        toi_decision truth = decide_query(kind, &query, i % 2 == 0);
        assert_int_not_equal(truth.state, TOI_UNDECIDED);
        int64_t blocks = user.taken;
        needed += blocks > 0;
        for (int64_t allowed = 0; allowed < blocks; ++allowed) {
            user = (counting_hooks){.allowed = allowed};
            toi_decision decision = decide_query(kind, &query, i % 2 == 0);
            assert_int_equal(decision.state, TOI_UNDECIDED);
            assert_true(decision.time == 0 && decision.contacts == 0 && !decision.time_is_exact);
            ++undecided;
        }
        toi_exact_contacts contacts;
        for (int64_t allowed = 0;; ++allowed) {
            user = (counting_hooks){.allowed = allowed};
            toi_status status = toi_find_exact_contacts(kind, &query, &contacts);
            if (status == TOI_OK)
                break;
            assert_int_equal(status, TOI_ERROR_MEMORY);
            assert_null(contacts.data);
        }
        assert_int_equal(contacts.count > 0, truth.state == TOI_HIT);
        if (contacts.count > 0)
            check_without_memory(contacts.data[0].from, &user);
        toi_free_exact_contacts(&contacts);
    }
    toi_set_hooks(NULL);
    assert_true(needed > 0 && undecided > 0);
}

// Certificates from wild coordinates: well formed, and in order with each other.
static void wild_certificates(void **state)
{
    (void)state;
    toi_random random = {17};
    int64_t found = 0;
    toi_exact_contacts last = {NULL, 0};
    for (int64_t i = 0; i < cases(400); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = wild_query(&random);
        toi_exact_contacts contacts = find_contacts(kind, &query);
        check_agreement(kind, &query, &contacts);
        if (contacts.count == 0)
            continue;
        ++found;
        check_certificate(contacts.data[0].from);
        if (last.count > 0) {
            double a = toi_exact_time_floor(last.data[0].from);
            double b = toi_exact_time_floor(contacts.data[0].from);
            int order = compare_times(last.data[0].from, contacts.data[0].from);
            assert_true(a == b || order == (a < b ? -1 : 1));
        }
        toi_free_exact_contacts(&last);
        last = contacts;
    }
    toi_free_exact_contacts(&last);
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_agree_with_certificates),
        cmocka_unit_test(decisions_agree_with_the_twin),
        cmocka_unit_test(words_agree_with_integers),
        cmocka_unit_test(fixed_values),
        cmocka_unit_test(heap_only_where_needed),
        cmocka_unit_test(wild_certificates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
