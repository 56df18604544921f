// The features of a query's figure in rationals.

#include "exact/near_figure.h"

#include "narrow/apart.h"

void polynomial_init(polynomial *p)
{
    for (int i = 0; i < COEFFICIENTS; ++i)
        mpq_init(p->c[i]);
}

void polynomial_clear(polynomial *p)
{
    for (int i = 0; i < COEFFICIENTS; ++i)
        mpq_clear(p->c[i]);
}

void polynomial_at(const polynomial *p, const mpq_t t, mpq_t value)
{
    mpq_t sum;
    mpq_init(sum);
    for (int i = COEFFICIENTS - 1; i >= 0; --i) {
        mpq_mul(sum, sum, t);
        mpq_add(sum, sum, p->c[i]);
    }
    mpq_set(value, sum);
    mpq_clear(sum);
}

void polynomial_slope(const polynomial *p, polynomial *slope)
{
    mpq_t power;
    mpq_init(power);
    for (int i = 0; i + 1 < COEFFICIENTS; ++i) {
        mpq_set_si(power, i + 1, 1);
        mpq_mul(slope->c[i], p->c[i + 1], power);
    }
    mpq_set_si(slope->c[COEFFICIENTS - 1], 0, 1);
    mpq_clear(power);
}

// result += factor a b.
static void add_product(polynomial *result, long factor, const polynomial *a, const polynomial *b)
{
    mpq_t term, times;
    mpq_inits(term, times, NULL);
    mpq_set_si(times, factor, 1);
    for (int i = 0; i < COEFFICIENTS; ++i)
        for (int j = 0; i + j < COEFFICIENTS; ++j) {
            if (mpq_sgn(a->c[i]) == 0 || mpq_sgn(b->c[j]) == 0)
                continue;
            mpq_mul(term, a->c[i], b->c[j]);
            mpq_mul(term, term, times);
            mpq_add(result->c[i + j], result->c[i + j], term);
        }
    mpq_clears(term, times, NULL);
}

static void add(polynomial *result, long factor, const polynomial *a)
{
    polynomial one;
    polynomial_init(&one);
    mpq_set_si(one.c[0], 1, 1);
    add_product(result, factor, a, &one);
    polynomial_clear(&one);
}

static void set_zero(polynomial *p)
{
    for (int i = 0; i < COEFFICIENTS; ++i)
        mpq_set_si(p->c[i], 0, 1);
}

void polynomial_excess(const feature_polynomials *f, double separation, polynomial *excess)
{
    mpq_t s, term;
    mpq_inits(s, term, NULL);
    mpq_set_d(s, separation);
    mpq_mul(s, s, s);
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpq_mul(term, s, f->den.c[i]);
        mpq_sub(excess->c[i], f->num.c[i], term);
    }
    mpq_clears(s, term, NULL);
}

// ---- Sturm's sequence

static int degree_of(const polynomial *p)
{
    int degree = COEFFICIENTS - 1;
    while (degree >= 0 && mpq_sgn(p->c[degree]) == 0)
        --degree;
    return degree;
}

// r = -(a modulo b); a is overwritten.
static void negative_remainder(polynomial *a, const polynomial *b, polynomial *r)
{
    int n = degree_of(b);
    mpq_t factor, term;
    mpq_inits(factor, term, NULL);
    for (int m = degree_of(a); m >= n; m = degree_of(a)) {
        mpq_div(factor, a->c[m], b->c[n]);
        for (int i = 0; i <= n; ++i) {
            mpq_mul(term, factor, b->c[i]);
            mpq_sub(a->c[m - n + i], a->c[m - n + i], term);
        }
    }
    for (int i = 0; i < COEFFICIENTS; ++i)
        mpq_neg(r->c[i], a->c[i]);
    mpq_clears(factor, term, NULL);
}

static int variations(const polynomial *sequence, int count, const mpq_t t)
{
    mpq_t value;
    mpq_init(value);
    int changes = 0, last = 0;
    for (int i = 0; i < count; ++i) {
        polynomial_at(&sequence[i], t, value);
        int sign = mpq_sgn(value);
        changes += sign * last < 0;
        last = sign == 0 ? last : sign;
    }
    mpq_clear(value);
    return changes;
}

int count_roots_between(const polynomial *p, const mpq_t a, const mpq_t b)
{
    polynomial sequence[COEFFICIENTS + 2], rest;
    for (int i = 0; i < COEFFICIENTS + 2; ++i)
        polynomial_init(&sequence[i]);
    polynomial_init(&rest);
    add(&sequence[0], 1, p);
    polynomial_slope(p, &sequence[1]);
    int count = 1;
    while (degree_of(&sequence[count]) >= 0) {
        set_zero(&rest);
        add(&rest, 1, &sequence[count - 1]);
        negative_remainder(&rest, &sequence[count], &sequence[count + 1]);
        ++count;
    }
    int roots = variations(sequence, count, a) - variations(sequence, count, b);
    for (int i = 0; i < COEFFICIENTS + 2; ++i)
        polynomial_clear(&sequence[i]);
    polynomial_clear(&rest);
    return roots;
}

// ---- Figures

void figure_init(figure *f)
{
    for (int i = 0; i < 9; ++i)
        polynomial_init(&f->v[i / 3][i % 3]);
}

void figure_clear(figure *f)
{
    for (int i = 0; i < 9; ++i)
        polynomial_clear(&f->v[i / 3][i % 3]);
}

// (x[a] - x[b]) scale as a polynomial.
static void take_difference(polynomial *p, const toi_query *query, int a, int b, int k,
                            double scale)
{
    const double(*ends[2])[3] = {query->start, query->end};
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    set_zero(p);
    for (int end = 0; end < 2; ++end) {
        mpq_set_d(x, ends[end][a][k]);
        mpq_set_d(y, ends[end][b][k]);
        mpq_sub(x, x, y);
        mpq_set_d(y, scale);
        mpq_mul(p->c[end], x, y);
    }
    mpq_sub(p->c[1], p->c[1], p->c[0]);
    mpq_clears(x, y, NULL);
}

void figure_take(figure *f, toi_kind kind, const toi_query *query, double scale)
{
    static const int corners[TOI_PAIR_KINDS][3][2] = {
        [TOI_VERTEX_FACE] = {{0, 1}, {1, 2}, {1, 3}}, [TOI_EDGE_EDGE] = {{0, 2}, {1, 0}, {2, 3}}};
    for (int i = 0; i < 9; ++i)
        take_difference(&f->v[i / 3][i % 3], query, corners[kind][i / 3][0],
                        corners[kind][i / 3][1], i % 3, scale);
}

// ---- Features

void features_init(feature_polynomials *f)
{
    polynomial_init(&f->num);
    polynomial_init(&f->den);
    for (int i = 0; i < MOST_CONDITIONS; ++i)
        polynomial_init(&f->condition[i]);
}

void features_clear(feature_polynomials *f)
{
    polynomial_clear(&f->num);
    polynomial_clear(&f->den);
    for (int i = 0; i < MOST_CONDITIONS; ++i)
        polynomial_clear(&f->condition[i]);
}

bool has_feature(toi_kind kind, int feature)
{
    return kind == TOI_EDGE_EDGE || (feature != 3 && feature != 7);
}

// Where a feature begins and which way the figure lies from there, as sums of P, E and G.
static const int VECTORS[TOI_PAIR_KINDS][TOI_FEATURES][3][3] = {
    [TOI_VERTEX_FACE] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                         {{1, 1, 0}, {0, -1, 0}, {0, -1, 1}},
                         {{1, 0, 1}, {0, 0, -1}, {0, 1, -1}},
                         {{0}},
                         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                         {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                         {{1, 1, 0}, {0, -1, 1}, {0, -1, 0}},
                         {{0}},
                         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    [TOI_EDGE_EDGE] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                       {{1, 1, 0}, {0, -1, 0}, {0, 0, 1}},
                       {{1, 0, 1}, {0, 1, 0}, {0, 0, -1}},
                       {{1, 1, 1}, {0, -1, 0}, {0, 0, -1}},
                       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                       {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                       {{1, 0, 1}, {0, 1, 0}, {0, 0, -1}},
                       {{1, 1, 0}, {0, 0, 1}, {0, -1, 0}},
                       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

static void dot(polynomial *result, long factor, const polynomial a[3], const polynomial b[3])
{
    for (int k = 0; k < 3; ++k)
        add_product(result, factor, &a[k], &b[k]);
}

static void cross(polynomial result[3], const polynomial a[3], const polynomial b[3])
{
    for (int k = 0; k < 3; ++k) {
        set_zero(&result[k]);
        add_product(&result[k], 1, &a[(k + 1) % 3], &b[(k + 2) % 3]);
        add_product(&result[k], -1, &a[(k + 2) % 3], &b[(k + 1) % 3]);
    }
}

static void take_corner(feature_polynomials *f, figure *v)
{
    f->conditions = 2;
    dot(&f->num, 1, v->v[0], v->v[0]);
    mpq_set_si(f->den.c[0], 1, 1);
    dot(&f->condition[0], 1, v->v[0], v->v[1]);
    dot(&f->condition[1], 1, v->v[0], v->v[2]);
}

static void take_side(feature_polynomials *f, figure *v)
{
    figure n;
    figure_init(&n);
    cross(n.v[0], v->v[0], v->v[1]);
    cross(n.v[1], v->v[2], v->v[1]);
    f->conditions = 3;
    dot(&f->num, 1, n.v[0], n.v[0]);
    dot(&f->den, 1, v->v[1], v->v[1]);
    dot(&f->condition[0], -1, v->v[0], v->v[1]);
    dot(&f->condition[1], 1, v->v[0], v->v[1]);
    dot(&f->condition[1], 1, v->v[1], v->v[1]);
    dot(&f->condition[2], 1, n.v[0], n.v[1]);
    figure_clear(&n);
}

static void take_inside(feature_polynomials *f, figure *v, toi_kind kind)
{
    figure n;
    polynomial height;
    figure_init(&n);
    polynomial_init(&height);
    cross(n.v[0], v->v[1], v->v[2]);
    cross(n.v[1], v->v[2], v->v[0]);
    cross(n.v[2], v->v[0], v->v[1]);
    dot(&height, 1, v->v[0], n.v[0]);
    add_product(&f->num, 1, &height, &height);
    dot(&f->den, 1, n.v[0], n.v[0]);
    dot(&f->condition[0], 1, n.v[0], n.v[1]);
    dot(&f->condition[1], 1, n.v[0], n.v[2]);
    for (int i = 0; i < 2; ++i) {
        int both = kind == TOI_VERTEX_FACE ? 2 : 2 + i;
        add(&f->condition[2 + i], 1, &f->den);
        add(&f->condition[both], -1, &f->condition[i]);
    }
    f->conditions = kind == TOI_VERTEX_FACE ? 3 : 4;
    polynomial_clear(&height);
    figure_clear(&n);
}

void features_take(feature_polynomials *f, const figure *figure_, toi_kind kind, int feature)
{
    figure v;
    figure_init(&v);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                add(&v.v[i][k], VECTORS[kind][feature][i][j], &figure_->v[j][k]);
    set_zero(&f->num);
    set_zero(&f->den);
    for (int i = 0; i < MOST_CONDITIONS; ++i)
        set_zero(&f->condition[i]);
    toi_nearness nearness = toi_nearness_of(feature);
    if (nearness == TOI_NEAR_CORNER)
        take_corner(f, &v);
    else if (nearness == TOI_NEAR_SIDE)
        take_side(f, &v);
    else
        take_inside(f, &v, kind);
    figure_clear(&v);
}

// Is the feature's foot in the figure at that time? A corner's always is.
static bool has_foot(const feature_polynomials *f, int feature, const mpq_t t, mpq_t den)
{
    int conditions = feature < TOI_FIRST_SIDE       ? 0
                     : feature < TOI_INSIDE_FEATURE ? 2
                                                    : f->conditions;
    bool in = true;
    for (int i = 0; i < conditions; ++i) {
        polynomial_at(&f->condition[i], t, den);
        in = in && mpq_sgn(den) >= 0;
    }
    polynomial_at(&f->den, t, den);
    return in && mpq_sgn(den) > 0;
}

void figure_square(const figure *moving, toi_kind kind, const mpq_t t, mpq_t square)
{
    figure still; // as it is at that time
    feature_polynomials p;
    mpq_t den, num;
    mpq_inits(den, num, NULL);
    features_init(&p);
    figure_init(&still);
    for (int i = 0; i < 9; ++i)
        polynomial_at(&moving->v[i / 3][i % 3], t, still.v[i / 3][i % 3].c[0]);
    for (int feature = 0; feature < TOI_FEATURES; ++feature) {
        if (!has_feature(kind, feature))
            continue;
        features_take(&p, &still, kind, feature);
        if (!has_foot(&p, feature, t, den))
            continue;
        polynomial_at(&p.num, t, num);
        mpq_div(num, num, den);
        if (feature == 0 || mpq_cmp(num, square) < 0)
            mpq_set(square, num);
    }
    features_clear(&p);
    figure_clear(&still);
    mpq_clears(den, num, NULL);
}
