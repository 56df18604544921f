// Isolating the real roots of a polynomial of degree at most three in [0, 1].
//
// One change of sign of the Bernstein coefficients is one simple root. With more, a Sturm sequence
// counts them. If it shows a multiple root, all roots of a polynomial of so low a degree are
// rational and are written down; if not, roots are kept apart by the zeros of the derivative, where
// f is not zero, taken to as many bits as it needs.

#include "exact/roots.h"

#include "base/fp_mode.h"

#include <math.h>

static const toi_integer ZERO = {NULL, 0};

// Divides by t, which is a factor.
static void divide_by_t(toi_polynomial *f)
{
    for (int i = 0; i < f->degree; ++i)
        f->c[i] = f->c[i + 1];
    --f->degree;
}

// Divides by t - 1, which is a factor.
static void divide_by_one(toi_arena *arena, toi_polynomial *f)
{
    for (int i = f->degree - 1; i > 0; --i)
        f->c[i] = toi_integer_add(arena, f->c[i], f->c[i + 1]);
    divide_by_t(f);
}

// The root of a polynomial that has one in ]0, 1[ only, counted simply, and is not zero at 0 and 1.
static toi_moment only_root(toi_arena *arena, const toi_polynomial *f)
{
    toi_dyadic zero = {ZERO, 0}, one = {toi_integer_from_word(arena, 1), 0};
    return toi_moment_from_root(arena, f, zero, one, toi_integer_sign(f->c[0]));
}

static bool changes_sign(toi_arena *arena, const toi_polynomial *f)
{
    return toi_integer_sign(f->c[0]) * toi_integer_sign(toi_polynomial_at_one(arena, f)) < 0;
}

// ---- Multiple roots

// Adds the root of a linear polynomial if it is in ]0, 1[.
static int add_ratio(toi_arena *arena, const toi_polynomial *linear, toi_moment *roots, int count)
{
    if (changes_sign(arena, linear))
        roots[count++] = only_root(arena, linear);
    return count;
}

// The third root of a cubic c3 t^3 + c2 t^2 + ... whose double one p / q is the root of `twice`,
// from the sum of all three: the root of c3 q t + c2 q + 2 c3 p.
static toi_polynomial third_root(toi_arena *arena, const toi_polynomial *f,
                                 const toi_polynomial *twice)
{
    toi_integer p = toi_integer_negate(twice->c[0]), q = twice->c[1];
    toi_integer p_twice = toi_integer_shift(arena, p, 1);
    return toi_polynomial_linear(toi_integer_multiply(arena, f->c[3], q),
                                 toi_integer_sum_of_products(arena, f->c[2], q, f->c[3], p_twice));
}

// `common` is the greatest common divisor of f and its derivative: a square where f is a cube, else
// linear, its root being the double one.
static int find_multiple_roots(toi_arena *arena, const toi_polynomial *f,
                               const toi_polynomial *common, toi_moment roots[3])
{
    if (common->degree == 2) {
        toi_polynomial linear =
            toi_polynomial_linear(toi_integer_shift(arena, common->c[2], 1), common->c[1]);
        return add_ratio(arena, &linear, roots, 0);
    }
    int count = add_ratio(arena, common, roots, 0);
    if (f->degree == 2)
        return count;
    toi_polynomial third = third_root(arena, f, common);
    count = add_ratio(arena, &third, roots, count);
    if (count == 2 && toi_moment_compare(arena, &roots[0], &roots[1]) > 0) {
        toi_moment swap = roots[0];
        roots[0] = roots[1];
        roots[1] = swap;
    }
    return count;
}

// Only a cubic can have a simple root beside a double one.
void toi_make_square_free(toi_arena *arena, toi_moment *moment)
{
    if (moment->f.degree < 3)
        return;
    toi_sturm sturm = toi_sturm_sequence(arena, &moment->f);
    const toi_polynomial *last = &sturm.s[sturm.length - 1];
    if (last->degree != 1)
        return;
    moment->f = third_root(arena, &moment->f, last);
    moment->sign =
        toi_polynomial_sign_at(arena, &moment->f, (toi_dyadic){moment->lo, moment->bits});
}

// ---- Several simple roots

// The zeros of the derivative times 2^bits, about, in order: (-b -+ sqrt(b^2 - a c)) / a for the
// derivative a t^2 + 2 b t + c, or -b / a twice for a t + b. Those that are negative become zero.
static void find_critical(toi_arena *arena, const toi_polynomial *f, int64_t bits,
                          toi_integer zeros[2])
{
    toi_polynomial g = toi_polynomial_derivative(arena, f);
    zeros[0] = zeros[1] = ZERO;
    if (arena->failed)
        return;
    toi_integer a = g.c[g.degree], b = g.c[0], root = ZERO;
    if (g.degree == 2) {
        b = f->c[2];
        toi_integer square = toi_integer_difference_of_products(arena, b, b, a, g.c[0]);
        if (square.size > 0)
            root = toi_integer_square_root(arena, toi_integer_shift(arena, square, 2 * bits));
    }
    if (a.size < 0) {
        a = toi_integer_negate(a);
        b = toi_integer_negate(b);
    }
    toi_integer minus_b = toi_integer_negate(toi_integer_shift(arena, b, bits));
    toi_integer tops[2] = {toi_integer_subtract(arena, minus_b, root),
                           toi_integer_add(arena, minus_b, root)};
    for (int i = 0; i < 2; ++i)
        if (tops[i].size > 0)
            zeros[i] = toi_integer_divide(arena, tops[i], a);
}

// Keeps `count` (2 or 3) roots in ]0, 1[ apart at two places in order, if f has the signs there
// that show them: opposite to that at 0, and with three roots opposite again.
static bool separate_at(toi_arena *arena, const toi_polynomial *f, int count,
                        const toi_dyadic places[2], toi_moment roots[3])
{
    int sign = toi_integer_sign(f->c[0]), found = 0;
    toi_dyadic one = {toi_integer_from_word(arena, 1), 0}, ends[4] = {{ZERO, 0}};
    for (int i = 0; i < 2 && found + 1 < count; ++i) {
        if (places[i].m.size <= 0 || toi_dyadic_compare(arena, places[i], one) >= 0)
            continue;
        int wanted = found == 0 ? -sign : sign;
        if (toi_polynomial_sign_at(arena, f, places[i]) == wanted)
            ends[++found] = places[i];
    }
    if (found + 1 < count)
        return false;
    ends[count] = one;
    for (int i = 0; i < count; ++i)
        roots[i] = toi_moment_from_root(arena, f, ends[i], ends[i + 1], i == 1 ? -sign : sign);
    return true;
}

// Between two neighbouring simple roots is a zero of the derivative, where f is not zero; at so
// many bits that its approximation lies between them too, f shows that.
static int separate_by_bits(toi_arena *arena, const toi_polynomial *f, int count,
                            toi_moment roots[3])
{
    for (int64_t bits = 64; !arena->failed; bits *= 2) {
        toi_integer zeros[2];
        find_critical(arena, f, bits, zeros);
        toi_dyadic places[2] = {{zeros[0], bits}, {zeros[1], bits}};
        if (separate_at(arena, f, count, places, roots))
            return count;
    }
    return 0;
}

// The same with approximations in floating point, rounded to doubles, which nearly always do.
static bool separate_by_doubles(toi_arena *arena, const toi_polynomial *f, int count,
                                toi_moment roots[3])
{
    TOI_GUARD_LONG_DOUBLE;
    long double a[4], zeros[2] = {0, 0};
    toi_polynomial_approximate_wide(f, a);
    if (f->degree == 2) {
        zeros[0] = -a[1] / (2 * a[2]);
    } else {
        // Of a1 + 2 a2 t + 3 a3 t^2, without cancellation.
        long double square = a[2] * a[2] - 3 * a[1] * a[3];
        if (!(square > 0))
            return false;
        long double q = -(a[2] + copysignl(sqrtl(square), a[2]));
        zeros[0] = fminl(q / (3 * a[3]), a[1] / q);
        zeros[1] = fmaxl(q / (3 * a[3]), a[1] / q);
    }
    toi_dyadic places[2];
    for (int i = 0; i < 2; ++i) {
        double place = zeros[i] > 0 && zeros[i] < 1 ? (double)zeros[i] : 0;
        places[i] = toi_dyadic_from_double(arena, place);
    }
    return separate_at(arena, f, count, places, roots);
}

// ---- Coefficients far apart

// Numbers m 2^exponent.
typedef struct wide
{
    double m;
    int64_t exponent;
} wide;

static wide times(wide a, wide b)
{
    return (wide){a.m * b.m, a.exponent + b.exponent};
}

// The sign of a sum whose terms have relative errors below 2^-49, if that is certain; else 0.
static int sign_of_sum(const wide *terms, int count)
{
    int64_t highest = INT64_MIN;
    for (int i = 0; i < count; ++i)
        if (terms[i].m != 0 && terms[i].exponent > highest)
            highest = terms[i].exponent;
    double sum = 0, size = 0;
    for (int i = 0; i < count; ++i) {
        int64_t below = highest - terms[i].exponent;
        double term = terms[i].m == 0 || below > 1000 ? 0 : ldexp(terms[i].m, (int)-below);
        sum += term;
        size += fabs(term);
    }
    double error = 0x1p-46 * size + 0x1p-900;
    return sum > error ? 1 : sum < -error ? -1 : 0;
}

// The sign of the discriminant of a quadratic or cubic, where doubles can tell: positive if all
// roots are real and simple, negative if some are not real.
static int discriminant_sign(const wide b[4], int degree)
{
    wide bb = times(b[1], b[1]), ac = times(b[0], b[2]);
    if (degree == 2)
        return sign_of_sum((wide[]){bb, {-4 * ac.m, ac.exponent}}, 2);
    wide cc = times(b[2], b[2]), ad = times(b[0], b[3]), bc = times(b[1], b[2]);
    wide abcd = times(ad, bc), bbbd = times(times(bb, b[1]), b[3]);
    wide accc = times(times(cc, b[2]), b[0]), aadd = times(ad, ad);
    abcd.m *= 18;
    bbbd.m *= -4;
    accc.m *= -4;
    aadd.m *= -27;
    return sign_of_sum((wide[]){abcd, bbbd, times(bb, cc), accc, aadd}, 5);
}

// 2^k, or where that is not below 1/2, 1 - 2^-k or so: t / (1 - t) is about 2^k.
static toi_dyadic place_of_power(toi_arena *arena, int64_t k)
{
    toi_dyadic power = {toi_integer_from_word(arena, 1), k < 0 ? -k : k + 1};
    return k < 0 ? power : toi_dyadic_complement(arena, power);
}

// Keeps roots apart where one of the middle terms of the sum of b_i x^i is the largest by far, x =
// t / (1 - t).
static bool separate_by_powers(toi_arena *arena, const toi_polynomial *f, int count,
                               const wide b[4], toi_moment roots[3])
{
    toi_dyadic places[2];
    for (int i = 1; i < 3; ++i) {
        int64_t from = INT64_MIN, to = INT64_MAX;
        for (int j = 0; j <= f->degree; ++j) {
            if (b[j].m == 0 || j == i)
                continue;
            int64_t equal = (b[j].exponent - b[i].exponent) / (i - j);
            if (j < i)
                from = equal > from ? equal : from;
            else
                to = equal < to ? equal : to;
        }
        bool exists = i < f->degree && b[i].m != 0 && from > INT64_MIN && to < INT64_MAX;
        places[i - 1] =
            exists ? place_of_power(arena, from + (to - from) / 2) : (toi_dyadic){ZERO, 0};
    }
    return separate_at(arena, f, count, places, roots);
}

// As many roots as there may be are there if all are real (Descartes' rule is exact then); one or
// none, if two are not. -1: cannot tell.
static int find_far(toi_arena *arena, const toi_polynomial *f, int variations, toi_moment roots[3])
{
    toi_integer whole[4];
    wide b[4];
    toi_polynomial_bernstein(arena, f, whole);
    for (int i = 0; i <= f->degree; ++i)
        b[i].m = toi_integer_approximate(whole[i], &b[i].exponent);
    int discriminant = discriminant_sign(b, f->degree);
    if (discriminant > 0 && separate_by_powers(arena, f, variations, b, roots))
        return variations;
    if (discriminant >= 0)
        return -1;
    if (variations % 2 == 1)
        roots[0] = only_root(arena, f);
    return variations % 2;
}

// ---- All of them

// How many roots f has in ]0, 1].
static int count_roots(toi_arena *arena, const toi_sturm *sturm)
{
    int at_zero[4], at_one[4];
    for (int i = 0; i < sturm->length; ++i) {
        at_zero[i] = toi_integer_sign(sturm->s[i].c[0]);
        at_one[i] = toi_integer_sign(toi_polynomial_at_one(arena, &sturm->s[i]));
    }
    return toi_count_changes(at_zero, sturm->length) - toi_count_changes(at_one, sturm->length);
}

static int find_several(toi_arena *arena, const toi_polynomial *f, int variations,
                        toi_moment roots[3])
{
    int found = toi_polynomial_bits(f) > TOI_LONG ? find_far(arena, f, variations, roots) : -1;
    if (found >= 0)
        return found;
    // As many roots as there may be, if the zeros of the derivative in plain doubles show them.
    if (separate_by_doubles(arena, f, variations, roots))
        return variations;
    toi_sturm sturm = toi_sturm_sequence(arena, f);
    const toi_polynomial *last = &sturm.s[sturm.length - 1];
    if (arena->failed)
        return 0;
    if (last->degree > 0)
        return find_multiple_roots(arena, f, last, roots);
    int count = count_roots(arena, &sturm);
    if (count == 1)
        roots[0] = only_root(arena, f);
    return count < 2 ? count : separate_by_bits(arena, f, count, roots);
}

int toi_find_roots(toi_arena *arena, const toi_polynomial *polynomial, toi_moment roots[3])
{
    toi_polynomial f = *polynomial;
    int count = 0, signs[4] = {1, 1, 1, 1};
    bool at_one = false;
    if (f.degree > 0 && f.c[0].size == 0)
        roots[count++] = toi_moment_from_double(arena, 0);
    while (f.degree > 0 && f.c[0].size == 0)
        divide_by_t(&f);
    while (f.degree > 0) {
        toi_polynomial_bernstein_signs(arena, &f, signs);
        if (signs[f.degree] != 0)
            break;
        divide_by_one(arena, &f);
        at_one = true;
    }
    int variations = toi_count_changes(signs, f.degree + 1);
    if (f.degree > 0 && variations == 1)
        roots[count++] = only_root(arena, &f);
    else if (f.degree > 0 && variations > 1)
        count += find_several(arena, &f, variations, roots + count);
    if (at_one)
        roots[count++] = toi_moment_from_double(arena, 1);
    return count;
}
