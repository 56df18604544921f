// Why a certificate that passes is right.
//
// The twin knows the floor of the first contact t and whether t is that double. If it is, so must
// the certificate say, and nothing is left to prove. If not, t is strictly between the floor and
// the next double, in the gap. With the differences w_i of the corners of one primitive and the
// other (twin.c), t is a root of the volume det(w_0, w_1, w_2), or, where that is zero for all
// times, of some 2x2 minor or some coordinate of the w_i. Here those polynomials are made anew from
// the query's doubles. None of them has a root in the gap but the certificate's number, and at
// least one has that: so t is that number.
//
// That the number is a root of a polynomial g is seen by the greatest common divisor of g and the
// certificate's polynomial f, which has no multiple root: it changes its sign between the bounds if
// and only if it vanishes at the one root that f has there. Roots in the gap are counted by Sturm's
// theorem.

#include "exact/witness.h"

#include "exact/certificate.h"
#include "exact/trial.h"
#include "exact/twin.h"
#include "support.h"

#include <math.h>

// ---- Polynomials with rational coefficients

typedef struct fraction_poly
{
    int degree; // -1: zero
    mpq_t c[4];
} fraction_poly;

static void init_poly(fraction_poly *f)
{
    f->degree = -1;
    for (int i = 0; i < 4; ++i)
        mpq_init(f->c[i]);
}

static void clear_poly(fraction_poly *f)
{
    for (int i = 0; i < 4; ++i)
        mpq_clear(f->c[i]);
}

static void set_degree(fraction_poly *f)
{
    f->degree = 3;
    while (f->degree >= 0 && mpq_sgn(f->c[f->degree]) == 0)
        --f->degree;
}

static void copy_poly(fraction_poly *to, const fraction_poly *from)
{
    for (int i = 0; i < 4; ++i)
        mpq_set(to->c[i], from->c[i]);
    to->degree = from->degree;
}

// f += sign a b
static void add_product(fraction_poly *f, int sign, const fraction_poly *a, const fraction_poly *b)
{
    mpq_t product;
    mpq_init(product);
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            mpq_mul(product, a->c[i], b->c[j]);
            if (sign > 0)
                mpq_add(f->c[i + j], f->c[i + j], product);
            else
                mpq_sub(f->c[i + j], f->c[i + j], product);
        }
    mpq_clear(product);
    set_degree(f);
}

static int sign_at(const fraction_poly *f, const mpq_t t)
{
    mpq_t value;
    mpq_init(value);
    for (int i = f->degree; i >= 0; --i) {
        mpq_mul(value, value, t);
        mpq_add(value, value, f->c[i]);
    }
    int sign = mpq_sgn(value);
    mpq_clear(value);
    return sign;
}

// Replaces f by its remainder divided by g; `quotient`, unless NULL, receives the quotient.
static void divide(fraction_poly *f, const fraction_poly *g, fraction_poly *quotient)
{
    mpq_t factor, term;
    mpq_inits(factor, term, NULL);
    while (f->degree >= g->degree) {
        int shift = f->degree - g->degree;
        mpq_div(factor, f->c[f->degree], g->c[g->degree]);
        if (quotient)
            mpq_set(quotient->c[shift], factor);
        for (int i = 0; i <= g->degree; ++i) {
            mpq_mul(term, factor, g->c[i]);
            mpq_sub(f->c[i + shift], f->c[i + shift], term);
        }
        set_degree(f);
    }
    if (quotient)
        set_degree(quotient);
    mpq_clears(factor, term, NULL);
}

// Sets `common` to a greatest common divisor of f and g, not both zero.
static void find_common(const fraction_poly *f, const fraction_poly *g, fraction_poly *common)
{
    fraction_poly rest, swap;
    init_poly(&rest);
    copy_poly(common, f);
    copy_poly(&rest, g);
    while (rest.degree >= 0) {
        if (common->degree >= rest.degree)
            divide(common, &rest, NULL);
        swap = *common;
        *common = rest;
        rest = swap;
    }
    clear_poly(&rest);
}

static void differentiate(const fraction_poly *f, fraction_poly *slope)
{
    mpq_t factor;
    mpq_init(factor);
    for (int i = 1; i < 4; ++i) {
        mpq_set_ui(factor, (unsigned long)i, 1);
        mpq_mul(slope->c[i - 1], f->c[i], factor);
    }
    set_degree(slope);
    mpq_clear(factor);
}

static int count_sign_changes(const fraction_poly *chain, int length, const mpq_t t)
{
    int changes = 0, last = 0;
    for (int i = 0; i < length; ++i) {
        int sign = sign_at(&chain[i], t);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

// How many different roots f, not zero, has strictly between a and b: Sturm's theorem for f divided
// by its multiple factors counts those in ]a, b].
static int count_roots(const fraction_poly *f, const mpq_t a, const mpq_t b)
{
    fraction_poly chain[5], common, top;
    int length = 2;
    init_poly(&common);
    init_poly(&top);
    for (int i = 0; i < 5; ++i)
        init_poly(&chain[i]);
    differentiate(f, &chain[1]);
    find_common(f, &chain[1], &common);
    copy_poly(&top, f);
    divide(&top, &common, &chain[0]);
    differentiate(&chain[0], &chain[1]);
    while (length < 5 && chain[length - 1].degree > 0) {
        copy_poly(&chain[length], &chain[length - 2]);
        divide(&chain[length], &chain[length - 1], NULL);
        for (int i = 0; i < 4; ++i)
            mpq_neg(chain[length].c[i], chain[length].c[i]);
        ++length;
    }
    int count = count_sign_changes(chain, length, a) - count_sign_changes(chain, length, b) -
                (sign_at(&chain[0], b) == 0);
    for (int i = 0; i < 5; ++i)
        clear_poly(&chain[i]);
    clear_poly(&common);
    clear_poly(&top);
    return count;
}

// ---- The query's polynomials

typedef struct motion
{
    int points; // how many differences
    fraction_poly w[4][3];
} motion;

static void set_difference(fraction_poly *f, const double from[2], const double to[2])
{
    mpq_t x;
    mpq_init(x);
    for (int end = 0; end < 2; ++end) {
        mpq_set_d(f->c[end], to[end]);
        mpq_set_d(x, from[end]);
        mpq_sub(f->c[end], f->c[end], x);
    }
    mpq_sub(f->c[1], f->c[1], f->c[0]);
    set_degree(f);
    mpq_clear(x);
}

static void make_motion(motion *m, toi_kind kind, const toi_query *query)
{
    static const int pairs[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}, {0, 0}},
                                       {{0, 2}, {0, 3}, {1, 3}, {1, 2}}};
    m->points = kind == TOI_EDGE_EDGE ? 4 : 3;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            int a = pairs[kind][i][0], b = pairs[kind][i][1];
            init_poly(&m->w[i][k]);
            set_difference(&m->w[i][k], (double[2]){query->start[b][k], query->end[b][k]},
                           (double[2]){query->start[a][k], query->end[a][k]});
        }
}

static void clear_motion(motion *m)
{
    for (int i = 0; i < 12; ++i)
        clear_poly(&m->w[i / 3][i % 3]);
}

static void make_minor(const motion *m, int i, int j, int axis, fraction_poly *minor)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    add_product(minor, 1, &m->w[i][x], &m->w[j][y]);
    add_product(minor, -1, &m->w[i][y], &m->w[j][x]);
}

static void make_volume(const motion *m, fraction_poly *volume)
{
    for (int axis = 0; axis < 3; ++axis) {
        fraction_poly minor;
        init_poly(&minor);
        make_minor(m, 1, 2, axis, &minor);
        add_product(volume, 1, &m->w[0][axis], &minor);
        clear_poly(&minor);
    }
}

// ---- The proof

typedef struct claim
{
    number_view numbers;
    fraction_poly f;
    mpq_t gap[2]; // the floor and the next double
} claim;

static void make_claim(claim *c, const toi_exact_time *time)
{
    double floor = toi_exact_time_floor(time);
    view_time(time, &c->numbers);
    init_poly(&c->f);
    for (int i = 0; i < 4; ++i)
        mpq_set_z(c->f.c[i], c->numbers.c[i]);
    set_degree(&c->f);
    mpq_inits(c->gap[0], c->gap[1], NULL);
    mpq_set_d(c->gap[0], floor);
    mpq_set_d(c->gap[1], nextafter(floor, 2));
}

static void clear_claim(claim *c)
{
    clear_view(&c->numbers);
    clear_poly(&c->f);
    mpq_clears(c->gap[0], c->gap[1], NULL);
}

static bool vanishes_at(const fraction_poly *g, const claim *c)
{
    fraction_poly common;
    init_poly(&common);
    find_common(g, &c->f, &common);
    int product = sign_at(&common, c->numbers.lo) * sign_at(&common, c->numbers.hi);
    clear_poly(&common);
    return product < 0;
}

// Has g the claimed number as a root? It may not have another one in the gap.
static bool is_its_root(const fraction_poly *g, const claim *c)
{
    if (g->degree < 0)
        return false;
    int count = count_roots(g, c->gap[0], c->gap[1]);
    bool vanishes = vanishes_at(g, c);
    assert_int_equal(count, vanishes);
    return vanishes;
}

static bool some_minor_vanishes(const motion *m, const claim *c)
{
    bool some = false;
    for (int i = 0; i < m->points; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            some |= is_its_root(&m->w[i][axis], c);
            for (int j = i + 1; j < m->points; ++j) {
                fraction_poly minor;
                init_poly(&minor);
                make_minor(m, i, j, axis, &minor);
                some |= is_its_root(&minor, c);
                clear_poly(&minor);
            }
        }
    return some;
}

static void prove(toi_kind kind, const toi_query *query, const claim *c, witness_tally *tally)
{
    motion m;
    fraction_poly volume;
    init_poly(&volume);
    make_motion(&m, kind, query);
    make_volume(&m, &volume);
    bool flat = volume.degree < 0;
    if (!(flat ? some_minor_vanishes(&m, c) : is_its_root(&volume, c))) {
        print_query(kind, query);
        fail_msg("the certificate is of a number that is no contact");
    }
    ++*(flat ? &tally->flat : &tally->volumes);
    clear_motion(&m);
    clear_poly(&volume);
}

void check_first_time(toi_kind kind, const toi_query *query, const toi_exact_time *time,
                      witness_tally *tally)
{
    twin_answer truth = twin_decide(kind, query);
    if (!truth.touches || truth.time != toi_exact_time_floor(time) ||
        truth.time_is_exact != toi_exact_time_is_double(time)) {
        print_query(kind, query);
        fail_msg("certificate of %a, but the twin says %a", toi_exact_time_floor(time), truth.time);
    }
    check_certificate(time);
    claim c;
    make_claim(&c, time);
    if (truth.time_is_exact) {
        assert_true(mpq_equal(c.numbers.lo, c.gap[0]) && mpq_equal(c.numbers.hi, c.gap[0]));
        ++tally->doubles;
    } else {
        // With the change of sign that check_certificate() has seen: floor < time < next double.
        assert_true(mpq_cmp(c.numbers.lo, c.gap[0]) >= 0);
        assert_true(mpq_cmp(c.numbers.lo, c.numbers.hi) < 0);
        assert_true(mpq_cmp(c.numbers.hi, c.gap[1]) <= 0);
        prove(kind, query, &c, tally);
    }
    clear_claim(&c);
}
