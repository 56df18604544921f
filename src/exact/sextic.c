// Arithmetic and signs of polynomials of degree at most six, and their square-free parts.

#include "exact/sextic.h"

#include <math.h>
#include <string.h>

static const toi_integer ZERO = {NULL, 0};

static toi_integer coefficient(const toi_sextic *f, int power)
{
    return power <= f->degree ? f->c[power] : ZERO;
}

static void trim(toi_sextic *f, int highest)
{
    while (highest >= 0 && f->c[highest].size == 0)
        --highest;
    f->degree = highest;
}

// ---- Arithmetic

toi_sextic toi_sextic_add(toi_arena *arena, const toi_sextic *f, const toi_sextic *g)
{
    toi_sextic sum;
    int highest = f->degree > g->degree ? f->degree : g->degree;
    for (int i = 0; i <= highest; ++i)
        sum.c[i] = toi_integer_add(arena, coefficient(f, i), coefficient(g, i));
    trim(&sum, highest);
    return sum;
}

toi_sextic toi_sextic_subtract(toi_arena *arena, const toi_sextic *f, const toi_sextic *g)
{
    toi_sextic minus = *g;
    for (int i = 0; i <= g->degree; ++i)
        minus.c[i] = toi_integer_negate(g->c[i]);
    return toi_sextic_add(arena, f, &minus);
}

static int64_t longest(const toi_sextic *f)
{
    int64_t most = 0;
    for (int i = 0; i <= f->degree; ++i) {
        int64_t length = toi_integer_length(f->c[i]);
        most = length > most ? length : most;
    }
    return most;
}

toi_sextic toi_sextic_dot(toi_arena *arena, const toi_sextic *f, const toi_sextic *g, int count)
{
    toi_sextic sum;
    int64_t length = 0;
    int highest = -1;
    for (int k = 0; k < count; ++k) {
        if (f[k].degree < 0 || g[k].degree < 0)
            continue;
        int64_t both = longest(&f[k]) + longest(&g[k]);
        int degree = f[k].degree + g[k].degree;
        length = both > length ? both : length;
        highest = degree > highest ? degree : highest;
    }
    for (int power = 0; power <= highest; ++power) {
        toi_sum products = toi_sum_open(arena, length);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i <= f[k].degree && i <= power; ++i)
                if (power - i <= g[k].degree)
                    toi_sum_add(&products, f[k].c[i], g[k].c[power - i]);
        sum.c[power] = toi_sum_take(arena, &products);
    }
    trim(&sum, highest);
    return sum;
}

toi_sextic toi_sextic_scale(toi_arena *arena, const toi_sextic *f, toi_integer factor)
{
    toi_sextic product;
    for (int i = 0; i <= f->degree; ++i)
        product.c[i] = toi_integer_multiply(arena, f->c[i], factor);
    trim(&product, f->degree);
    return product;
}

toi_sextic toi_sextic_shift(toi_arena *arena, const toi_sextic *f, int64_t bits)
{
    toi_sextic shifted;
    for (int i = 0; i <= f->degree; ++i)
        shifted.c[i] = toi_integer_shift(arena, f->c[i], bits);
    trim(&shifted, f->degree);
    return shifted;
}

toi_integer toi_sextic_at(toi_arena *arena, const toi_sextic *f, toi_dyadic x)
{
    if (f->degree < 0)
        return ZERO;
    toi_integer value = f->c[f->degree];
    for (int i = f->degree - 1; i >= 0; --i) {
        toi_integer shifted = toi_integer_shift(arena, f->c[i], x.bits * (f->degree - i));
        value = toi_integer_add(arena, toi_integer_multiply(arena, value, x.m), shifted);
    }
    return value;
}

// ---- Signs

// m 2^exponent as a double; 0 where that is below 2^-1000. It is at most 1.
static double small_double(double m, int64_t exponent)
{
    return exponent < -1000 ? 0 : ldexp(m, (int)exponent);
}

void toi_sextic_approximate(const toi_sextic *f, int64_t shift, toi_sextic_doubles *doubles)
{
    int64_t exponents[TOI_SEXTIC_COEFFICIENTS];
    doubles->shift = shift;
    doubles->scale = INT64_MIN;
    for (int i = 0; i < TOI_SEXTIC_COEFFICIENTS; ++i) {
        doubles->a[i] = toi_integer_approximate(coefficient(f, i), &exponents[i]);
        exponents[i] += i * shift;
        if (doubles->a[i] != 0 && exponents[i] > doubles->scale)
            doubles->scale = exponents[i];
    }
    for (int i = 0; i < TOI_SEXTIC_COEFFICIENTS; ++i)
        if (doubles->a[i] != 0)
            doubles->a[i] = small_double(doubles->a[i], exponents[i] - doubles->scale);
}

// What a value in doubles may be wrong by, `size` being the sum of the magnitudes of its terms. A
// term is off by its coefficient's error, up to six of a factor, all below 2^-52, and at most 36
// roundings: below 2^-47 of it. What underflows is far below 2^-900 of the largest coefficient.
static int certain_sign(double value, double size)
{
    double error = 0x1p-46 * size + 0x1p-900;
    return value > error ? 1 : value < -error ? -1 : 0;
}

static int filtered_sign_at(const toi_sextic *f, toi_dyadic x)
{
    toi_sextic_doubles doubles;
    int64_t exponent;
    double y = toi_integer_approximate(x.m, &exponent), value = 0, size = 0;
    toi_sextic_approximate(f, exponent - x.bits, &doubles);
    for (int i = f->degree; i >= 0; --i) {
        value = value * y + doubles.a[i];
        size = size * y + fabs(doubles.a[i]);
    }
    return certain_sign(value, size);
}

int toi_sextic_sign_at(toi_arena *arena, const toi_sextic *f, toi_dyadic x)
{
    if (f->degree <= 0 || x.m.size == 0)
        return toi_integer_sign(coefficient(f, 0));
    int sign = filtered_sign_at(f, x);
    if (sign != 0)
        return sign;
    toi_mark mark = toi_arena_mark(arena);
    sign = toi_integer_sign(toi_sextic_at(arena, f, x));
    toi_arena_release(arena, mark);
    return sign;
}

// In doubles: the variable is t / 2^shift, so that the interval is in [0, 1] and not far below it.
static bool filter_signs(const toi_sextic *f, const toi_open_interval *interval, int *signs)
{
    toi_sextic_doubles doubles;
    int64_t from_exponent, width_exponent;
    double from = toi_integer_approximate(interval->from, &from_exponent);
    double width = toi_integer_approximate(interval->width, &width_exponent), power = 1;
    int64_t top = from_exponent > width_exponent ? from_exponent : width_exponent;
    toi_sextic_approximate(f, top + 1 - interval->bits, &doubles);
    from = small_double(from, from_exponent - top - 1);
    width = small_double(width, width_exponent - top - 1);
    double *a = doubles.a, sizes[TOI_SEXTIC_COEFFICIENTS];
    for (int i = 0; i <= f->degree; ++i)
        sizes[i] = fabs(a[i]);
    for (int i = 0; i < f->degree && from != 0; ++i)
        for (int j = f->degree - 1; j >= i; --j) {
            a[j] += from * a[j + 1];
            sizes[j] += from * sizes[j + 1];
        }
    for (int i = 1; i <= f->degree; ++i) {
        power *= width;
        a[i] *= power;
        sizes[i] *= power;
    }
    for (int i = 1; i <= f->degree; ++i)
        for (int j = i; j > 0; --j) {
            a[j] += a[j - 1];
            sizes[j] += sizes[j - 1];
        }
    bool certain = true;
    for (int i = 0; i <= f->degree; ++i) {
        signs[i] = certain_sign(a[i], sizes[i]);
        certain &= signs[i] != 0;
    }
    return certain;
}

// Numbers of a fixed length in place, two's complements: sums and products with numbers that are
// not negative are right modulo the power of two that stands for the length.

static void write_shifted(mp_limb_t *x, int64_t length, toi_integer a, int64_t shift)
{
    int64_t n = toi_integer_length(a), zeros = shift / 64;
    memset(x, 0, (size_t)length * sizeof *x);
    if (n == 0)
        return;
    if (shift % 64 > 0)
        x[zeros + n] = mpn_lshift(x + zeros, a.limbs, n, (unsigned)(shift % 64));
    else
        memcpy(x + zeros, a.limbs, (size_t)n * sizeof *x);
    if (a.size < 0)
        mpn_neg(x, x, length);
}

// x += a y.
static void add_product(mp_limb_t *x, int64_t length, toi_integer a, const mp_limb_t *y)
{
    for (int64_t i = 0; i < a.size && i < length; ++i)
        mpn_addmul_1(x + i, y, length - i, a.limbs[i]);
}

// Limbs for the numbers of toi_sextic_signs(). With all signs positive they would be at most 2^6
// times the sum of c_i end^i 2^(bits (degree - i)), of seven terms: ten bits more than the longest,
// one for the sign, and what is written past a number by a shift.
static int64_t limbs_for_signs(const toi_sextic *f, const toi_open_interval *interval)
{
    int64_t from = toi_integer_bits(interval->from), width = toi_integer_bits(interval->width),
            most = 0;
    int64_t end = (from > width ? from : width) + 1;
    for (int i = 0; i <= f->degree; ++i) {
        int64_t bits = toi_integer_bits(f->c[i]) + interval->bits * (f->degree - i) + end * i;
        most = bits > most ? bits : most;
    }
    return (most + 11) / 64 + 2;
}

// The coefficients of f(from + width x) times a power of two, then those of x^i in the sum of
// c_i x^i (1 + x)^(n - i): positive multiples of the Bernstein coefficients.
static void exact_signs(toi_arena *arena, const toi_sextic *f, const toi_open_interval *interval,
                        int *signs)
{
    int64_t length = limbs_for_signs(f, interval);
    mp_limb_t *c = toi_arena_room(arena, (f->degree + 1) * length);
    for (int i = 0; i <= f->degree; ++i)
        signs[i] = 0;
    if (arena->failed) // numbers made before this may be zero that must not be
        return;
    for (int i = 0; i <= f->degree; ++i)
        write_shifted(c + i * length, length, f->c[i], interval->bits * (f->degree - i));
    for (int i = 0; i < f->degree; ++i)
        for (int j = f->degree - 1; j >= i; --j)
            add_product(c + j * length, length, interval->from, c + (j + 1) * length);
    for (int i = 1; i <= f->degree; ++i)
        for (int j = i; j <= f->degree; ++j)
            mpn_mul_1(c + j * length, c + j * length, length, interval->width.limbs[0]);
    for (int i = 1; i <= f->degree; ++i)
        for (int j = i; j > 0; --j)
            mpn_add_n(c + j * length, c + j * length, c + (j - 1) * length, length);
    for (int i = 0; i <= f->degree; ++i) {
        const mp_limb_t *x = c + i * length;
        signs[i] = x[length - 1] >> 63 != 0 ? -1 : !mpn_zero_p(x, length);
    }
}

void toi_sextic_signs(toi_arena *arena, const toi_sextic *f, const toi_open_interval *interval,
                      int signs[TOI_SEXTIC_COEFFICIENTS])
{
    if (!filter_signs(f, interval, signs))
        exact_signs(arena, f, interval, signs);
}

// ---- Square-free parts

static toi_integer power_of(toi_arena *arena, toi_integer a, int exponent)
{
    toi_integer power = toi_integer_from_word(arena, 1);
    for (int i = 0; i < exponent; ++i)
        power = toi_integer_multiply(arena, power, a);
    return power;
}

toi_sextic toi_sextic_derivative(toi_arena *arena, const toi_sextic *f)
{
    toi_sextic slope;
    for (int i = 1; i <= f->degree; ++i) {
        toi_integer factor = toi_integer_from_word(arena, (uint64_t)i);
        slope.c[i - 1] = toi_integer_multiply(arena, f->c[i], factor);
    }
    trim(&slope, f->degree - 1);
    return slope;
}

// The remainder of f times lead^(deg f - deg g + 1), lead being the leading coefficient of g.
static toi_sextic pseudo_remainder(toi_arena *arena, const toi_sextic *f, const toi_sextic *g)
{
    toi_sextic rest = *f;
    toi_integer lead = g->c[g->degree];
    for (int d = f->degree; d >= g->degree; --d)
        for (int i = 0; i < d; ++i) {
            toi_integer taken = i >= d - g->degree ? g->c[i - (d - g->degree)] : ZERO;
            rest.c[i] =
                toi_integer_difference_of_products(arena, rest.c[i], lead, rest.c[d], taken);
        }
    trim(&rest, g->degree - 1);
    return rest;
}

// A multiple of the greatest common divisor of f and g, deg f > deg g >= 0: the last of their
// subresultants (Collins), whose coefficients grow no faster than they must.
static toi_sextic common_divisor(toi_arena *arena, toi_sextic f, toi_sextic g)
{
    toi_integer lead = toi_integer_from_word(arena, 1), h = lead;
    while (g.degree > 0 && !arena->failed) {
        int drop = f.degree - g.degree;
        toi_sextic rest = pseudo_remainder(arena, &f, &g);
        if (rest.degree < 0)
            break;
        toi_integer divisor = toi_integer_multiply(arena, lead, power_of(arena, h, drop));
        for (int i = 0; i <= rest.degree; ++i)
            rest.c[i] = toi_integer_quotient(arena, rest.c[i], divisor);
        f = g;
        g = rest;
        lead = f.c[f.degree];
        h = toi_integer_quotient(arena, power_of(arena, lead, drop), power_of(arena, h, drop - 1));
    }
    return g;
}

// f divided by a divisor that is known up to a factor. With p the primitive one, f = p q, and the
// divisor brought to the leading coefficient of f is (lead f / lead p) p, which is whole; so is
// lead p times q, which is what is found.
static toi_sextic divide(toi_arena *arena, const toi_sextic *f, const toi_sextic *divisor)
{
    toi_integer lead = f->c[f->degree], own = divisor->c[divisor->degree];
    toi_sextic rest = toi_sextic_scale(arena, f, lead), g = *divisor, quotient;
    for (int i = 0; i <= g.degree; ++i)
        g.c[i] = toi_integer_quotient(arena, toi_integer_multiply(arena, g.c[i], lead), own);
    for (int d = f->degree; d >= g.degree; --d) {
        int shift = d - g.degree;
        quotient.c[shift] = toi_integer_quotient(arena, rest.c[d], lead);
        for (int i = shift; i < d; ++i) {
            toi_integer taken = toi_integer_multiply(arena, quotient.c[shift], g.c[i - shift]);
            rest.c[i] = toi_integer_subtract(arena, rest.c[i], taken);
        }
    }
    trim(&quotient, f->degree - g.degree);
    return quotient;
}

// Arithmetic modulo this prime shows in no time that most polynomials are square-free.
#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((toi_uint128)a * b % PRIME);
}

static int take_residues(const toi_sextic *f, uint64_t r[TOI_SEXTIC_COEFFICIENTS])
{
    int degree = -1;
    for (int i = 0; i <= f->degree; ++i) {
        uint64_t rest =
            f->c[i].size == 0 ? 0 : mpn_mod_1(f->c[i].limbs, toi_integer_length(f->c[i]), PRIME);
        r[i] = f->c[i].size < 0 && rest > 0 ? PRIME - rest : rest;
        degree = r[i] != 0 ? i : degree;
    }
    return degree;
}

// Euclid's algorithm on residues, without divisions: the degree of the common divisor.
static int common_degree(uint64_t *f, int f_degree, uint64_t *g, int g_degree)
{
    while (g_degree >= 0) {
        for (; f_degree >= g_degree; --f_degree) {
            uint64_t top = f[f_degree], lead = g[g_degree];
            int shift = f_degree - g_degree;
            for (int i = 0; i < f_degree; ++i) {
                uint64_t taken = i >= shift ? times(top, g[i - shift]) : 0;
                f[i] = (times(lead, f[i]) + PRIME - taken) % PRIME;
            }
        }
        while (f_degree >= 0 && f[f_degree] == 0)
            --f_degree;
        uint64_t *swap = f;
        int degree = f_degree;
        f = g;
        f_degree = g_degree;
        g = swap;
        g_degree = degree;
    }
    return f_degree;
}

// A common divisor of f and its derivative is one of their residues too, of the same degree if the
// leading coefficient does not vanish.
static bool is_surely_square_free(const toi_sextic *f, const toi_sextic *slope)
{
    uint64_t a[TOI_SEXTIC_COEFFICIENTS], b[TOI_SEXTIC_COEFFICIENTS];
    int a_degree = take_residues(f, a), b_degree = take_residues(slope, b);
    return a_degree == f->degree && common_degree(a, a_degree, b, b_degree) == 0;
}

toi_sextic toi_sextic_square_free(toi_arena *arena, const toi_sextic *f)
{
    toi_sextic slope = toi_sextic_derivative(arena, f);
    if (f->degree < 2 || arena->failed || is_surely_square_free(f, &slope))
        return *f;
    toi_sextic common = common_divisor(arena, *f, slope);
    if (common.degree <= 0 || arena->failed)
        return *f;
    toi_sextic part = divide(arena, f, &common);
    return arena->failed ? *f : part;
}
