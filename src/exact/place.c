// With mixed exponents the roots of a volume crowd at 0 and at 1: at 2^-900, or at 1 - 2^-900,
// where neither t nor the double below it says how far from the end it is. So the distance from the
// nearer end is the variable, and it has an exponent of its own.

#include "exact/place.h"

#include <math.h>

static const toi_place UNKNOWN = {0, 0, false};

// The sign of a polynomial given by its coefficients, about, at x in ]0, 1], which is within
// `spread` of what is meant, relatively; else 0. A coefficient's error of 2^-52 and six roundings
// are less than 2^-48 of each term, what underflows is far below 2^-900 of the largest coefficient.
static int sign_near(const double a[4], double x, double spread)
{
    double value = a[0] + x * (a[1] + x * (a[2] + x * a[3]));
    double size = fabs(a[0]) + x * (fabs(a[1]) + x * (fabs(a[2]) + x * fabs(a[3])));
    double error = (spread + 0x1p-48) * size + 0x1p-900;
    return value > error ? 1 : value < -error ? -1 : 0;
}

toi_polynomial toi_polynomial_reverse(toi_arena *arena, const toi_polynomial *f)
{
    toi_polynomial g = *f;
    for (int i = 0; i < f->degree; ++i)
        for (int j = f->degree - 1; j >= i; --j)
            g.c[j] = toi_integer_add(arena, g.c[j], g.c[j + 1]);
    for (int i = 1; i <= f->degree; i += 2)
        g.c[i] = toi_integer_negate(g.c[i]);
    return g;
}

toi_dyadic toi_dyadic_complement(toi_arena *arena, toi_dyadic x)
{
    toi_integer one = toi_integer_from_shifted(arena, 1, x.bits, false);
    return (toi_dyadic){toi_integer_subtract(arena, one, x.m), x.bits};
}

// The exponent of the power of two next above a number: it is in [2^(e-1), 2^e[.
static int64_t exponent_of(toi_dyadic x)
{
    return toi_integer_bits(x.m) - x.bits;
}

// Turns to the distance from the end of [0, 1] that the root is nearer to. False: it is in the
// middle, or a bound at hand is missing.
static bool turn_to_end(toi_arena *arena, toi_polynomial *f, toi_bracket *b, bool *from_end)
{
    toi_dyadic half = {toi_integer_from_word(arena, 1), 1};
    if (toi_dyadic_compare(arena, b->hi, half) <= 0) {
        *from_end = false;
    } else if (toi_dyadic_compare(arena, b->lo, half) >= 0) {
        *from_end = true;
    } else {
        int sign = toi_polynomial_sign_at(arena, f, half);
        *from_end = sign == b->sign;
        if (sign == 0)
            return false;
        *(*from_end ? &b->lo : &b->hi) = half;
    }
    if (*from_end) {
        toi_dyadic lo = toi_dyadic_complement(arena, b->hi);
        b->hi = toi_dyadic_complement(arena, b->lo);
        b->lo = lo;
        b->sign = -b->sign;
        *f = toi_polynomial_reverse(arena, f);
    }
    return b->lo.m.size != 0 || f->c[0].size != 0;
}

// The exponent k of the root x, 2^(k-1) < x < 2^k; false where a sign at a power of two is not
// certain. f(0) is a whole number, so |x| is more than 1 divided by the sum of the other
// coefficients.
static bool find_exponent(const toi_polynomial *f, const toi_bracket *b, int64_t *exponent)
{
    int64_t below = b->lo.m.size == 0 ? -toi_polynomial_bits(f) - 2 : exponent_of(b->lo) - 1;
    int64_t above = exponent_of(b->hi);
    while (above - below > 1) {
        double a[4];
        int64_t middle = below + (above - below) / 2;
        toi_polynomial_approximate(f, middle, a);
        int sign = sign_near(a, 1, 0);
        if (sign == 0)
            return false;
        if (sign == b->sign)
            below = middle;
        else
            above = middle;
    }
    *exponent = above;
    return true;
}

// x 2^-exponent, about, for an x in the binade below 2^exponent or further down.
static double scaled(toi_dyadic x, int64_t exponent)
{
    int64_t own;
    double m = toi_integer_approximate(x.m, &own);
    int64_t shift = own - x.bits - exponent;
    return shift < -1000 ? 0 : ldexp(m, (int)shift);
}

double toi_estimate_root(const double a[4], int sign_lo, double lo, double hi, double guess)
{
    double x = guess > lo && guess < hi ? guess : 0.5 * (lo + hi);
    for (int step = 0; step < 40; ++step) {
        double value = a[0] + x * (a[1] + x * (a[2] + x * a[3]));
        double slope = a[1] + x * (2 * a[2] + x * (3 * a[3]));
        if (value == 0)
            return x;
        if ((value > 0) == (sign_lo > 0))
            lo = x;
        else
            hi = x;
        double next = x - value / slope;
        if (!(next > lo && next < hi))
            next = 0.5 * (lo + hi);
        if (fabs(next - x) <= 0x1p-53 * x)
            return next;
        x = next;
    }
    return x;
}

// The signs of f on both sides prove that the root is between them, given that both are in the
// bracket.
toi_place toi_find_place(toi_arena *arena, const toi_polynomial *polynomial,
                         const toi_bracket *bracket)
{
    toi_mark mark = toi_arena_mark(arena);
    toi_polynomial f = *polynomial;
    toi_bracket b = *bracket;
    toi_place place = UNKNOWN;
    if (turn_to_end(arena, &f, &b, &place.from_end) && !arena->failed &&
        find_exponent(&f, &b, &place.exponent)) {
        double a[4], lo = scaled(b.lo, place.exponent), hi = scaled(b.hi, place.exponent);
        toi_polynomial_approximate(&f, place.exponent, a);
        double x = toi_estimate_root(a, b.sign, fmax(lo, 0.5), fmin(hi, 1), NAN);
        double below = x * (1 - 0x1p-31), above = x * (1 + 0x1p-31);
        if (below > lo * (1 + 0x1p-40) && above < hi * (1 - 0x1p-40) &&
            sign_near(a, below, 0) == b.sign && sign_near(a, above, 0) == -b.sign)
            place.m = x;
    }
    toi_arena_release(arena, mark);
    return place;
}

// The root is within 2^-31 of m, so m^i is within 2^-29 of its power for i up to 3.
int toi_place_sign(toi_arena *arena, const toi_place *place, const toi_polynomial *g)
{
    if (!(place->m > 0))
        return 0;
    toi_mark mark = toi_arena_mark(arena);
    toi_polynomial f = place->from_end ? toi_polynomial_reverse(arena, g) : *g;
    double a[4];
    toi_polynomial_approximate(&f, place->exponent, a);
    toi_arena_release(arena, mark);
    return sign_near(a, place->m, 0x1p-28);
}
