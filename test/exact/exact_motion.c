// Evaluates the motion of a query without rounding.

#include "exact/exact_motion.h"

#include <math.h>

enum
{
    // What is computed is a sum of products of at most seven doubles, each a multiple of 2^-1074
    // below 2^1024.
    EXACT_BITS = 20000
};

void use_long_numbers(void)
{
    mpf_set_default_prec(EXACT_BITS);
}

void motion_init(exact_motion *m)
{
    for (int i = 0; i < 18; ++i)
        mpf_init(m->part[i / 6][i / 3 % 2][i % 3]);
    for (int i = 0; i < 4; ++i)
        mpf_init(m->c[i]);
    mpf_inits(m->x, m->y, m->z, NULL);
}

void motion_clear(exact_motion *m)
{
    for (int i = 0; i < 18; ++i)
        mpf_clear(m->part[i / 6][i / 3 % 2][i % 3]);
    for (int i = 0; i < 4; ++i)
        mpf_clear(m->c[i]);
    mpf_clears(m->x, m->y, m->z, NULL);
}

// result += P_i.(E_j x G_k), the indices being ends.
static void add_determinant(exact_motion *m, int i, int j, int k, mpf_t result)
{
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        mpf_mul(m->x, m->part[1][j][b], m->part[2][k][c]);
        mpf_mul(m->y, m->part[1][j][c], m->part[2][k][b]);
        mpf_sub(m->x, m->x, m->y);
        mpf_mul(m->x, m->x, m->part[0][i][a]);
        mpf_add(result, result, m->x);
    }
}

void motion_take(exact_motion *m, toi_kind kind, const toi_query *query, double scale)
{
    static const int corners[TOI_PAIR_KINDS][3][2] = {{{0, 1}, {1, 2}, {1, 3}},
                                                      {{0, 2}, {1, 0}, {2, 3}}};
    mpf_set_d(m->z, scale);
    for (int i = 0; i < 18; ++i) {
        int part = i / 6, end = i / 3 % 2, k = i % 3;
        const double(*x)[3] = end ? query->end : query->start;
        mpf_set_d(m->x, x[corners[kind][part][0]][k]);
        mpf_set_d(m->y, x[corners[kind][part][1]][k]);
        mpf_sub(m->x, m->x, m->y);
        mpf_mul(m->part[part][end][k], m->x, m->z);
    }
    for (int i = 0; i < 4; ++i)
        mpf_set_ui(m->c[i], 0);
    for (int i = 0; i < 8; ++i) {
        int p = i & 1, e = i >> 1 & 1, g = i >> 2;
        add_determinant(m, p, e, g, m->c[p + e + g]);
    }
}

void motion_bernstein(exact_motion *m, int n, mpf_t *weight, const mpf_t t, mpf_t result)
{
    mpf_ui_sub(m->x, 1, t);
    mpf_set_ui(m->y, 1); // t^i
    mpf_set_ui(result, 0);
    for (int i = 0; i <= n; ++i) { // Horner's scheme in 1 - t
        mpf_mul(result, result, m->x);
        mpf_mul(m->z, weight[i], m->y);
        mpf_add(result, result, m->z);
        mpf_mul(m->y, m->y, t);
    }
}

void motion_cubic(exact_motion *m, const mpf_t t, mpf_t result)
{
    motion_bernstein(m, 3, m->c, t, result);
}

void motion_slope(exact_motion *m, const mpf_t t, mpf_t result)
{
    mpf_t d[3];
    mpf_inits(d[0], d[1], d[2], NULL);
    for (int i = 0; i < 3; ++i) { // (i + 1) c[i + 1] - (3 - i) c[i]
        mpf_mul_ui(d[i], m->c[i + 1], (unsigned long)i + 1);
        mpf_mul_ui(m->x, m->c[i], 3 - (unsigned long)i);
        mpf_sub(d[i], d[i], m->x);
    }
    motion_bernstein(m, 2, d, t, result);
    mpf_clears(d[0], d[1], d[2], NULL);
}

int motion_cubic_sign(exact_motion *m, const mpf_t t)
{
    mpf_t value;
    mpf_init(value);
    motion_cubic(m, t, value);
    int sign = mpf_sgn(value);
    mpf_clear(value);
    return sign;
}

void motion_at(exact_motion *m, const mpf_t t, mpf_t at[3][3])
{
    for (int part = 0; part < 3; ++part)
        for (int k = 0; k < 3; ++k) {
            mpf_sub(m->x, m->part[part][1][k], m->part[part][0][k]);
            mpf_mul(m->x, m->x, t);
            mpf_add(at[part][k], m->part[part][0][k], m->x);
        }
}

double error_of(double computed, const mpf_t exact)
{
    mpf_t x;
    mpf_init(x);
    mpf_set_d(x, computed);
    mpf_sub(x, x, exact);
    double error = fabs(mpf_get_d(x));
    mpf_clear(x);
    return error;
}
