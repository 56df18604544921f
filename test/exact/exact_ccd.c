// The first time of contact, by integer polynomials in t and Sturm sequences.

#include "exact/exact_ccd.h"

#include <math.h>

// ---- Polynomials with integer coefficients

static void init_poly(exact_poly *p)
{
    p->degree = -1;
    for (int i = 0; i < 5; ++i)
        mpz_init(p->c[i]);
}

static void clear_poly(exact_poly *p)
{
    for (int i = 0; i < 5; ++i)
        mpz_clear(p->c[i]);
}

static void trim(exact_poly *p)
{
    p->degree = 4;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static void copy_poly(exact_poly *to, const exact_poly *from)
{
    for (int i = 0; i < 5; ++i)
        mpz_set(to->c[i], from->c[i]);
    to->degree = from->degree;
}

// Divides by the greatest common divisor of the coefficients; signs stay.
static void make_primitive(exact_poly *p)
{
    mpz_t divisor;
    mpz_init(divisor);
    for (int i = 0; i <= p->degree; ++i)
        mpz_gcd(divisor, divisor, p->c[i]);
    if (mpz_sgn(divisor) > 0)
        for (int i = 0; i <= p->degree; ++i)
            mpz_divexact(p->c[i], p->c[i], divisor);
    mpz_clear(divisor);
}

// result += sign a b. The degrees must add up to at most 4.
static void add_product(exact_poly *result, const exact_poly *a, const exact_poly *b, int sign)
{
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            if (sign > 0)
                mpz_addmul(result->c[i + j], a->c[i], b->c[j]);
            else
                mpz_submul(result->c[i + j], a->c[i], b->c[j]);
        }
    trim(result);
}

static void derive(const exact_poly *p, exact_poly *result)
{
    for (int i = 0; i < 4; ++i)
        mpz_mul_ui(result->c[i], p->c[i + 1], (unsigned long)i + 1);
    mpz_set_ui(result->c[4], 0);
    trim(result);
}

// a becomes a positive multiple of a mod b; `quotient`, unless NULL, a multiple of a / b.
static void reduce(exact_poly *a, const exact_poly *b, exact_poly *quotient)
{
    mpz_t factor, lead;
    mpz_inits(factor, lead, NULL);
    mpz_abs(lead, b->c[b->degree]);
    while (a->degree >= b->degree) {
        int shift = a->degree - b->degree;
        mpz_mul_si(factor, a->c[a->degree], mpz_sgn(b->c[b->degree]));
        for (int i = 0; i <= a->degree; ++i)
            mpz_mul(a->c[i], a->c[i], lead);
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(a->c[i + shift], factor, b->c[i]);
        if (quotient) {
            for (int i = 0; i < 5; ++i)
                mpz_mul(quotient->c[i], quotient->c[i], lead);
            mpz_add(quotient->c[shift], quotient->c[shift], factor);
        }
        trim(a);
    }
    make_primitive(a);
    mpz_clears(factor, lead, NULL);
}

// The greatest common divisor of two polynomials, not both zero, up to a factor.
static void common_divisor(const exact_poly *a, const exact_poly *b, exact_poly *result)
{
    exact_poly x, y;
    init_poly(&x);
    init_poly(&y);
    copy_poly(&x, a);
    copy_poly(&y, b);
    while (y.degree >= 0) {
        if (x.degree >= y.degree)
            reduce(&x, &y, NULL);
        exact_poly swap = x;
        x = y;
        y = swap;
    }
    make_primitive(&x);
    copy_poly(result, &x);
    clear_poly(&x);
    clear_poly(&y);
}

// Leaves the roots and makes each of them simple.
static void make_square_free(exact_poly *p)
{
    exact_poly slope, divisor, quotient;
    init_poly(&slope);
    init_poly(&divisor);
    init_poly(&quotient);
    derive(p, &slope);
    if (slope.degree >= 0) {
        common_divisor(p, &slope, &divisor);
        if (divisor.degree > 0) {
            reduce(p, &divisor, &quotient);
            trim(&quotient);
            copy_poly(p, &quotient);
        }
    }
    make_primitive(p);
    clear_poly(&quotient);
    clear_poly(&divisor);
    clear_poly(&slope);
}

// The sign of p(x / 2^bits).
static int sign_at(const exact_poly *p, const mpz_t x, unsigned bits)
{
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    for (int i = p->degree; i >= 0; --i) {
        mpz_mul(sum, sum, x);
        mpz_mul_2exp(term, p->c[i], (mp_bitcnt_t)bits * (mp_bitcnt_t)(p->degree - i));
        mpz_add(sum, sum, term);
    }
    int sign = mpz_sgn(sum);
    mpz_clears(sum, term, NULL);
    return sign;
}

// ---- Sturm sequences: the number of roots in an interval

typedef struct sturm
{
    int count;
    exact_poly p[5];
} sturm;

// `p` must be square-free and not zero.
static void init_sturm(sturm *s, const exact_poly *p)
{
    for (int i = 0; i < 5; ++i)
        init_poly(&s->p[i]);
    copy_poly(&s->p[0], p);
    derive(p, &s->p[1]);
    for (s->count = 1; s->count < 5 && s->p[s->count].degree >= 0; ++s->count) {
        if (s->count == 4)
            continue;
        exact_poly *next = &s->p[s->count + 1];
        copy_poly(next, &s->p[s->count - 1]);
        reduce(next, &s->p[s->count], NULL);
        for (int i = 0; i <= next->degree; ++i)
            mpz_neg(next->c[i], next->c[i]);
    }
}

static void clear_sturm(sturm *s)
{
    for (int i = 0; i < 5; ++i)
        clear_poly(&s->p[i]);
}

static int sign_changes(const sturm *s, const mpz_t x, unsigned bits)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->count; ++i) {
        int sign = sign_at(&s->p[i], x, bits);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

// How many roots in (lo, hi] / 2^bits.
static int count_roots(const sturm *s, const mpz_t lo, const mpz_t hi, unsigned bits)
{
    return sign_changes(s, lo, bits) - sign_changes(s, hi, bits);
}

// ---- Roots

void exact_root_init(exact_root *root)
{
    init_poly(&root->f);
    mpz_inits(root->lo, root->hi, NULL);
    root->bits = 0;
}

void exact_root_clear(exact_root *root)
{
    clear_poly(&root->f);
    mpz_clears(root->lo, root->hi, NULL);
}

// Halves the interval. Exactly one simple root is in (lo, hi], so the sign at hi is that of all
// points behind the root.
static void refine(exact_root *r)
{
    if (mpz_cmp(r->lo, r->hi) == 0)
        return;
    int end = sign_at(&r->f, r->hi, r->bits);
    if (end == 0) {
        mpz_set(r->lo, r->hi);
        return;
    }
    mpz_t middle;
    mpz_init(middle);
    mpz_add(middle, r->lo, r->hi);
    mpz_mul_2exp(r->lo, r->lo, 1);
    mpz_mul_2exp(r->hi, r->hi, 1);
    ++r->bits;
    int sign = sign_at(&r->f, middle, r->bits);
    if (sign == 0 || sign == end)
        mpz_set(r->hi, middle);
    if (sign == 0 || sign != end)
        mpz_set(r->lo, middle);
    mpz_clear(middle);
}

// The sign of g at the root; refines it as far as that needs.
static int sign_at_root(exact_root *r, const exact_poly *g)
{
    if (g->degree < 0 || mpz_cmp(r->lo, r->hi) == 0)
        return g->degree < 0 ? 0 : sign_at(g, r->lo, r->bits);
    exact_poly common;
    sturm s;
    init_poly(&common);
    common_divisor(&r->f, g, &common);
    init_sturm(&s, &common);
    int shared = count_roots(&s, r->lo, r->hi, r->bits);
    clear_sturm(&s);
    int sign = 0;
    if (shared == 0) {
        copy_poly(&common, g);
        make_square_free(&common);
        init_sturm(&s, &common);
        while (count_roots(&s, r->lo, r->hi, r->bits) > 0)
            refine(r);
        sign = sign_at(g, r->hi, r->bits);
        clear_sturm(&s);
    }
    clear_poly(&common);
    return sign;
}

bool exact_root_is_before(const exact_root *r, double t)
{
    int exponent;
    double mantissa = frexp(t, &exponent);
    unsigned bits = 0;
    mpz_t x, bound;
    mpz_inits(x, bound, NULL);
    mpz_set_d(x, ldexp(mantissa, 53));
    exponent -= 53;
    if (exponent < 0)
        bits = (unsigned)-exponent;
    else
        mpz_mul_2exp(x, x, (mp_bitcnt_t)exponent);
    // All over 2^(bits + r->bits).
    mpz_t scaled;
    mpz_init(scaled);
    mpz_mul_2exp(scaled, x, r->bits);
    mpz_mul_2exp(bound, r->lo, bits);
    bool before;
    if (mpz_cmp(r->lo, r->hi) == 0) {
        before = mpz_cmp(bound, scaled) < 0;
    } else if (mpz_cmp(scaled, bound) <= 0) {
        before = false;
    } else {
        mpz_mul_2exp(bound, r->hi, bits);
        int sign = sign_at(&r->f, x, bits);
        before =
            mpz_cmp(scaled, bound) > 0 || (sign != 0 && sign == sign_at(&r->f, r->hi, r->bits));
    }
    mpz_clears(x, bound, scaled, NULL);
    return before;
}

// ---- The polynomials of a query

// Linear in t, and after cross() and dot() of higher degree.
typedef exact_poly poly3[3];

static void init_poly3(poly3 a)
{
    for (int k = 0; k < 3; ++k)
        init_poly(&a[k]);
}

static void clear_poly3(poly3 a)
{
    for (int k = 0; k < 3; ++k)
        clear_poly(&a[k]);
}

static void poly_cross(poly3 a, poly3 b, poly3 result)
{
    for (int k = 0; k < 3; ++k) {
        add_product(&result[k], &a[(k + 1) % 3], &b[(k + 2) % 3], 1);
        add_product(&result[k], &a[(k + 2) % 3], &b[(k + 1) % 3], -1);
    }
}

static void poly_dot(poly3 a, poly3 b, int sign, exact_poly *result)
{
    for (int k = 0; k < 3; ++k)
        add_product(result, &a[k], &b[k], sign);
}

// Points as integers on one grid, exactly.
static void take_integers(const toi_query *query, mpz_t x[2][4][3])
{
    const double *given = &query->start[0][0];
    int least = 2000;
    for (int i = 0; i < 24; ++i) {
        int exponent;
        if (frexp(given[i], &exponent) != 0 && exponent - 53 < least)
            least = exponent - 53;
    }
    for (int i = 0; i < 24; ++i) {
        int exponent;
        double mantissa = frexp(given[i], &exponent);
        mpz_ptr to = x[i / 12][i % 12 / 3][i % 3];
        mpz_init(to);
        mpz_set_d(to, ldexp(mantissa, 53));
        if (mantissa != 0)
            mpz_mul_2exp(to, to, (mp_bitcnt_t)(exponent - 53 - least));
    }
}

// The motion of point a minus point b.
static void take_motion(mpz_t x[2][4][3], int a, int b, poly3 result)
{
    for (int k = 0; k < 3; ++k) {
        mpz_sub(result[k].c[0], x[0][a][k], x[0][b][k]);
        mpz_sub(result[k].c[1], x[1][a][k], x[1][b][k]);
        mpz_sub(result[k].c[1], result[k].c[1], result[k].c[0]);
        trim(&result[k]);
    }
}

// Coplanar where det = P.(E x G) = 0. There, with n = E x G not zero, (u, v) = (un, vn) / nn lies
// in the domain where all of `limits` are >= 0.
typedef struct system_polys
{
    exact_poly det, nn;
    exact_poly limits[4];
    int limit_count;
} system_polys;

static void build_system(toi_kind kind, const toi_query *query, system_polys *s)
{
    mpz_t x[2][4][3];
    poly3 p, e, g, n, c;
    init_poly3(p);
    init_poly3(e);
    init_poly3(g);
    init_poly3(n);
    init_poly3(c);
    init_poly(&s->det);
    init_poly(&s->nn);
    for (int i = 0; i < 4; ++i)
        init_poly(&s->limits[i]);
    take_integers(query, x);
    bool edges = kind == TOI_EDGE_EDGE;
    take_motion(x, 0, edges ? 2 : 1, p);
    take_motion(x, 1, edges ? 0 : 2, e);
    take_motion(x, edges ? 2 : 1, 3, g);
    poly_cross(e, g, n);
    poly_dot(p, n, 1, &s->det);
    poly_dot(n, n, 1, &s->nn);
    exact_poly *un = &s->limits[0], *vn = &s->limits[1];
    poly_cross(g, p, c);
    poly_dot(c, n, 1, un);
    clear_poly3(c);
    init_poly3(c);
    poly_cross(p, e, c);
    poly_dot(c, n, 1, vn);
    s->limit_count = edges ? 4 : 3;
    for (int i = 0; i < 5; ++i) {
        mpz_sub(s->limits[2].c[i], s->nn.c[i], un->c[i]);
        mpz_sub(s->limits[3].c[i], s->nn.c[i], vn->c[i]);
        if (!edges)
            mpz_sub(s->limits[2].c[i], s->limits[2].c[i], vn->c[i]);
    }
    for (int i = 0; i < 4; ++i)
        trim(&s->limits[i]);
    for (int i = 0; i < 24; ++i)
        mpz_clear(x[i / 12][i % 12 / 3][i % 3]);
    clear_poly3(c);
    clear_poly3(n);
    clear_poly3(g);
    clear_poly3(e);
    clear_poly3(p);
}

static void clear_system(system_polys *s)
{
    clear_poly(&s->det);
    clear_poly(&s->nn);
    for (int i = 0; i < 4; ++i)
        clear_poly(&s->limits[i]);
}

static exact_answer judge_root(const system_polys *s, exact_root *root)
{
    if (sign_at_root(root, &s->nn) == 0)
        return EXACT_DEGENERATE;
    for (int i = 0; i < s->limit_count; ++i)
        if (sign_at_root(root, &s->limits[i]) < 0)
            return EXACT_APART;
    return EXACT_TOUCH;
}

// Judges the roots of det in (lo, hi] / 2^bits in order until one is not apart.
static exact_answer judge_roots(const system_polys *s, const sturm *count, const mpz_t lo,
                                const mpz_t hi, unsigned bits, exact_root *root)
{
    int roots = count_roots(count, lo, hi, bits);
    if (roots == 0)
        return EXACT_APART;
    if (roots == 1) {
        mpz_set(root->lo, lo);
        mpz_set(root->hi, hi);
        root->bits = bits;
        return judge_root(s, root);
    }
    mpz_t a, b, middle;
    mpz_inits(a, b, middle, NULL);
    mpz_mul_2exp(a, lo, 1);
    mpz_mul_2exp(b, hi, 1);
    mpz_add(middle, lo, hi);
    exact_answer answer = judge_roots(s, count, a, middle, bits + 1, root);
    if (answer == EXACT_APART)
        answer = judge_roots(s, count, middle, b, bits + 1, root);
    mpz_clears(a, b, middle, NULL);
    return answer;
}

exact_answer exact_first_contact(toi_kind kind, const toi_query *query, exact_root *root)
{
    system_polys s;
    build_system(kind, query, &s);
    exact_answer answer = EXACT_DEGENERATE;
    if (s.det.degree >= 0) {
        sturm count;
        mpz_t zero, one;
        mpz_init_set_ui(zero, 0);
        mpz_init_set_ui(one, 1);
        make_square_free(&s.det);
        copy_poly(&root->f, &s.det);
        init_sturm(&count, &s.det);
        answer = EXACT_APART;
        if (mpz_sgn(s.det.c[0]) == 0) { // a root at t = 0, which (0, 1] leaves out
            mpz_set_ui(root->lo, 0);
            mpz_set_ui(root->hi, 0);
            root->bits = 0;
            answer = judge_root(&s, root);
        }
        if (answer == EXACT_APART)
            answer = judge_roots(&s, &count, zero, one, 0, root);
        clear_sturm(&count);
        mpz_clears(zero, one, NULL);
    }
    clear_system(&s);
    return answer;
}
