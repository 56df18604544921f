// Floors by a search over the doubles themselves; signs at algebraic numbers in plain doubles, else
// in closed form: docs/exact.md, section 6.

#include "exact/moment.h"

#include <math.h>
#include <string.h>

// The moment turns out to be this dyadic number.
static void make_point(toi_arena *arena, toi_moment *moment, toi_dyadic x)
{
    toi_integer power = toi_integer_from_shifted(arena, 1, x.bits, false);
    moment->f = toi_polynomial_linear(power, toi_integer_negate(x.m));
    moment->lo = x.m;
    moment->hi = x.m;
    moment->bits = x.bits;
    moment->sign = 0;
}

toi_moment toi_moment_from_double(toi_arena *arena, double x)
{
    toi_moment moment = {.floor = x, .is_double = true};
    make_point(arena, &moment, toi_dyadic_from_double(arena, x));
    return moment;
}

static toi_dyadic low(const toi_moment *moment)
{
    return (toi_dyadic){moment->lo, moment->bits};
}

static toi_dyadic high(const toi_moment *moment)
{
    return (toi_dyadic){moment->hi, moment->bits};
}

// Sets both ends, on a common grid.
static void set_interval(toi_arena *arena, toi_moment *moment, toi_dyadic lo, toi_dyadic hi)
{
    moment->bits = lo.bits > hi.bits ? lo.bits : hi.bits;
    moment->lo = toi_integer_shift(arena, lo.m, moment->bits - lo.bits);
    moment->hi = toi_integer_shift(arena, hi.m, moment->bits - hi.bits);
}

toi_moment toi_moment_from_root(toi_arena *arena, const toi_polynomial *f, toi_dyadic lo,
                                toi_dyadic hi, int sign)
{
    toi_moment moment = {.f = *f, .sign = sign, .floor = NAN};
    set_interval(arena, &moment, lo, hi);
    return moment;
}

// ---- Floors

// The variable of a search is t, or 1 - t: where a place is known, the distance from its end.
typedef struct floor_search
{
    toi_polynomial f; // in that variable
    bool from_end;
    double a[4]; // its coefficients after shifting, about, divided by 2^scale
    toi_fixed fixed;
    uint64_t below;  // the root is not before this double,
    uint64_t above;  // and before this one, given by their patterns
    bool moved[2];   // f was evaluated at `below`, at `above`
    double estimate; // where the root may be
} floor_search;

// The time that belongs to a value of the shifted variable.
static double time_of(const floor_search *search, double x)
{
    double distance = search->fixed.shift == 0 ? x : ldexp(x, (int)search->fixed.shift);
    return search->from_end ? 1 - distance : distance;
}

// The shifted variable at t, about.
static double variable_at(const floor_search *search, double t)
{
    double distance = search->from_end ? 1 - t : t;
    return search->fixed.shift == 0 ? distance : ldexp(distance, (int)-search->fixed.shift);
}

// The sign of f at t; where that is not zero, Newton's step from there becomes the next estimate.
// The residual is nearly exact, so the estimate gets as good as its slope, however much f's terms
// cancel.
static int look_at(toi_arena *arena, floor_search *search, toi_dyadic at, double t)
{
    int64_t exponent = 0;
    double residual, x = variable_at(search, t);
    toi_mark mark = toi_arena_mark(arena);
    if (search->from_end)
        at = toi_dyadic_complement(arena, at);
    toi_int128 value = toi_fixed_takes(&search->fixed, at) ? toi_fixed_at(&search->fixed, at) : 0;
    if (value > TOI_FIXED_ERROR || value < -TOI_FIXED_ERROR) {
        residual = (double)value * 0x1p-124;
    } else {
        toi_integer exact = toi_polynomial_at(arena, &search->f, at);
        residual = toi_integer_approximate(exact, &exponent);
        exponent -= search->fixed.scale + at.bits * search->f.degree;
    }
    toi_arena_release(arena, mark);
    double slope = search->a[1] + x * (2 * search->a[2] + x * (3 * search->a[3]));
    double scaled = exponent == 0      ? residual
                    : exponent < -1000 ? 0
                                       : ldexp(residual, (int)exponent);
    search->estimate = time_of(search, x - scaled / slope);
    return (residual > 0) - (residual < 0);
}

// Which double to look at next. First where the estimate says; if that keeps failing, ever further
// beyond it, to get at the root from the other side; from then on halving the range of patterns.
static uint64_t propose(const floor_search *search, int tries, bool rising)
{
    uint64_t middle = search->below + (search->above - search->below) / 2;
    if (tries >= 24 || !(search->estimate >= 0))
        return middle;
    uint64_t pattern = toi_pattern_of(search->estimate);
    if (tries >= 3) {
        uint64_t beyond = UINT64_C(1) << 2 * (tries - 3);
        if (beyond > (search->above - search->below) / 2)
            return middle;
        pattern = rising ? pattern + beyond : pattern > beyond ? pattern - beyond : 0;
    }
    if (pattern <= search->below)
        return search->below + 1;
    return pattern >= search->above ? search->above - 1 : pattern;
}

// Looks at f where proposed and moves an end of the range there. Returns false where that is the
// root itself.
static bool narrow_search(toi_arena *arena, toi_moment *moment, floor_search *search,
                          uint64_t pattern, bool *rising)
{
    double x = toi_double_of(pattern);
    toi_mark mark = toi_arena_mark(arena);
    toi_dyadic at = toi_dyadic_from_double(arena, x);
    int sign = look_at(arena, search, at, x);
    if (sign == 0) {
        make_point(arena, moment, at);
        moment->floor = x;
        moment->is_double = true;
        return false;
    }
    toi_arena_release(arena, mark);
    *rising = sign == moment->sign;
    if (*rising)
        search->below = pattern;
    else
        search->above = pattern;
    search->moved[*rising ? 0 : 1] = true;
    return true;
}

// Takes over the ends that the search has moved.
static void take_range(toi_arena *arena, toi_moment *moment, const floor_search *search)
{
    toi_dyadic lo = {moment->lo, moment->bits}, hi = {moment->hi, moment->bits};
    if (search->moved[0])
        lo = toi_dyadic_from_double(arena, toi_double_of(search->below));
    if (search->moved[1])
        hi = toi_dyadic_from_double(arena, toi_double_of(search->above));
    set_interval(arena, moment, lo, hi);
}

// Where coefficients are long, the variable is the distance from the end that the root is near to.
static void choose_variable(toi_arena *arena, toi_moment *moment, floor_search *search)
{
    toi_bracket bracket = {low(moment), high(moment), moment->sign};
    if (toi_polynomial_bits(&moment->f) > TOI_LONG)
        moment->place = toi_find_place(arena, &moment->f, &bracket);
    const toi_place *place = &moment->place;
    search->from_end = place->from_end;
    search->f = place->from_end ? toi_polynomial_reverse(arena, &moment->f) : moment->f;
    toi_polynomial_approximate(&search->f, place->exponent, search->a);
    toi_fixed_from_polynomial(&search->f, place->exponent, &search->fixed);
}

// The doubles strictly between `below` and `above` are strictly inside the moment's interval, so
// the sign of f there tells on which side of the root they are. From the 24th step on the range of
// patterns is halved, so 88 evaluations are the most; two or three are the rule.
bool toi_moment_find_floor(toi_arena *arena, toi_moment *moment, double latest, double guess)
{
    if (!isnan(moment->floor))
        return moment->floor <= latest;
    bool lo_is_double, hi_is_double, rising = true;
    double lo = toi_dyadic_floor((toi_dyadic){moment->lo, moment->bits}, &lo_is_double);
    double hi = toi_dyadic_floor((toi_dyadic){moment->hi, moment->bits}, &hi_is_double);
    floor_search search = {.below = toi_pattern_of(lo),
                           .above = toi_pattern_of(hi) + (hi_is_double ? 0 : 1)};
    uint64_t end = toi_pattern_of(latest) + 1;
    if (end <= search.below)
        return false;
    choose_variable(arena, moment, &search);
    if (end < search.above) {
        if (!narrow_search(arena, moment, &search, end, &rising) || rising)
            return moment->floor <= latest;
    }
    search.estimate = moment->place.m > 0 ? time_of(&search, moment->place.m)
                                          : toi_estimate_root(search.a, moment->sign, lo,
                                                              toi_double_of(search.above), guess);
    for (int tries = 0; search.above - search.below > 1 && !arena->failed; ++tries) {
        uint64_t pattern = propose(&search, tries, rising);
        if (!narrow_search(arena, moment, &search, pattern, &rising))
            return true;
    }
    take_range(arena, moment, &search);
    moment->floor = toi_double_of(search.below);
    return true;
}

// ---- Signs

// The sign of g between `floor` and the next double, where plain doubles can tell; else 0. With
// |t - floor| <= 2^-52 floor, a coefficient's error 2^-52 and four roundings, the value of each
// term is wrong by less than 2^-48 of it; what underflows is far below 2^-900 of the largest
// coefficient. A floor that is not known is NaN and tells nothing.
static int filtered_sign(double floor, const toi_polynomial *g)
{
    double a[4];
    toi_polynomial_approximate(g, 0, a);
    double value = a[0] + floor * (a[1] + floor * a[2]);
    double size = fabs(a[0]) + floor * (fabs(a[1]) + floor * fabs(a[2]));
    double error = 0x1p-48 * size + 0x1p-900;
    return value > error ? 1 : value < -error ? -1 : 0;
}

// The sign at a rational number.
static int sign_at_ratio(toi_arena *arena, const toi_polynomial *linear, const toi_polynomial *g)
{
    toi_integer p = toi_integer_negate(linear->c[0]), q = linear->c[1];
    if (q.size < 0) {
        p = toi_integer_negate(p);
        q = toi_integer_negate(q);
    }
    toi_mark mark = toi_arena_mark(arena);
    int sign = toi_integer_sign(toi_polynomial_at_ratio(arena, g, p, q));
    toi_arena_release(arena, mark);
    return sign;
}

// Where a moment is, seen from a zero of g.
typedef enum side
{
    BEFORE,
    AT,
    AFTER
} side;

// The sign of p + q sqrt(d), d >= 0.
static int surd_sign(toi_arena *arena, toi_integer p, toi_integer q, toi_integer d)
{
    int sign_p = toi_integer_sign(p);
    int sign_q = d.size == 0 ? 0 : toi_integer_sign(q);
    if (sign_p == sign_q || sign_q == 0)
        return sign_p;
    if (sign_p == 0)
        return sign_q;
    toi_integer square = toi_integer_multiply(arena, toi_integer_multiply(arena, q, q), d);
    int order = toi_integer_compare(toi_integer_multiply(arena, p, p), square);
    return order > 0 ? sign_p : order < 0 ? sign_q : 0;
}

// A quadratic a t^2 + b t + c, a > 0, that has real zeros.
typedef struct quadratic
{
    toi_polynomial g;
    toi_polynomial slope;
    toi_integer discriminant;
    toi_integer p; // at its zeros (-b -+ sqrt(discriminant)) / 2 a the moment's polynomial has the
    toi_integer q; // sign of p -+ q sqrt(discriminant)
} quadratic;

// The moment's polynomial at the zeros: its remainder r1 t + r0 divided by g is the same there.
static void put_zeros(toi_arena *arena, const toi_polynomial *f, quadratic *z)
{
    toi_polynomial rest = toi_polynomial_remainder(arena, f, &z->g);
    toi_integer none = {NULL, 0};
    toi_integer r0 = rest.degree >= 0 ? rest.c[0] : none, r1 = rest.degree >= 1 ? rest.c[1] : none;
    z->q = r1;
    z->p = toi_integer_difference_of_products(arena, toi_integer_shift(arena, z->g.c[2], 1), r0,
                                              z->g.c[1], r1);
}

// On which side of the first zero (`which` -1) or of the second (1) the moment is. A zero in the
// interval is before the moment if f has the sign there that it has at lo.
static side side_of_zero(toi_arena *arena, const toi_moment *moment, const quadratic *z, int which,
                         const int signs[2], const int slopes[2])
{
    bool lo_before = which < 0 ? signs[0] > 0 && slopes[0] < 0 : signs[0] < 0 || slopes[0] < 0;
    bool hi_after = which < 0 ? signs[1] < 0 || slopes[1] > 0 : signs[1] > 0 && slopes[1] > 0;
    if (!lo_before)
        return AFTER;
    if (!hi_after)
        return BEFORE;
    int sign = surd_sign(arena, z->p, which < 0 ? toi_integer_negate(z->q) : z->q, z->discriminant);
    return sign == 0 ? AT : sign == moment->sign ? AFTER : BEFORE;
}

// The sign at the moment of a quadratic: which of its zeros the moment is between. Whether f
// changes its sign before or after a zero is a question about a number of degree two, which has a
// closed answer; nothing is iterated.
static int quadratic_sign(toi_arena *arena, const toi_moment *moment, const toi_polynomial *g)
{
    quadratic z = {.g = *g};
    int lead = toi_integer_sign(g->c[2]), signs[2], slopes[2];
    for (int i = 0; i < 3 && lead < 0; ++i)
        z.g.c[i] = toi_integer_negate(g->c[i]);
    toi_integer four_a = toi_integer_shift(arena, z.g.c[2], 2);
    z.discriminant =
        toi_integer_difference_of_products(arena, z.g.c[1], z.g.c[1], four_a, z.g.c[0]);
    if (z.discriminant.size < 0)
        return lead;
    z.slope = toi_polynomial_derivative(arena, &z.g);
    for (int i = 0; i < 2; ++i) {
        toi_dyadic end = i == 0 ? low(moment) : high(moment);
        signs[i] = toi_polynomial_sign_at(arena, &z.g, end);
        slopes[i] = toi_polynomial_sign_at(arena, &z.slope, end);
    }
    put_zeros(arena, &moment->f, &z);
    side first = side_of_zero(arena, moment, &z, -1, signs, slopes);
    side second = side_of_zero(arena, moment, &z, 1, signs, slopes);
    if (first == AT || second == AT)
        return 0;
    return first == second ? lead : -lead;
}

// The sign at the moment of a linear polynomial, in the same way.
static int linear_sign(toi_arena *arena, const toi_moment *moment, const toi_polynomial *g)
{
    int at_lo = toi_polynomial_sign_at(arena, g, low(moment));
    int at_hi = toi_polynomial_sign_at(arena, g, high(moment));
    if (at_lo == at_hi || at_lo == 0)
        return at_hi;
    if (at_hi == 0)
        return at_lo;
    int at_zero = sign_at_ratio(arena, g, &moment->f);
    return at_zero == 0 ? 0 : at_zero == moment->sign ? at_hi : at_lo;
}

int toi_moment_sign(toi_arena *arena, const toi_moment *moment, const toi_polynomial *g)
{
    if (g->degree <= 0)
        return g->degree < 0 ? 0 : toi_integer_sign(g->c[0]);
    int sign = g->degree < 3 ? filtered_sign(moment->floor, g) : 0;
    if (sign != 0)
        return sign;
    if (moment->f.degree == 1)
        return sign_at_ratio(arena, &moment->f, g);
    sign = toi_place_sign(arena, &moment->place, g);
    if (sign != 0)
        return sign;
    toi_mark mark = toi_arena_mark(arena);
    toi_polynomial rest = *g;
    if (g->degree >= moment->f.degree)
        rest = toi_polynomial_remainder(arena, g, &moment->f);
    if (rest.degree == 2)
        sign = quadratic_sign(arena, moment, &rest);
    else if (rest.degree == 1)
        sign = linear_sign(arena, moment, &rest);
    else if (rest.degree == 0)
        sign = toi_integer_sign(rest.c[0]);
    toi_arena_release(arena, mark);
    return sign;
}

// ---- Comparison

// The order of a dyadic number and a moment that is not a point.
static int compare_point(toi_arena *arena, toi_dyadic point, const toi_moment *moment)
{
    if (toi_dyadic_compare(arena, point, low(moment)) <= 0)
        return -1;
    if (toi_dyadic_compare(arena, point, high(moment)) >= 0)
        return 1;
    int sign = toi_polynomial_sign_at(arena, &moment->f, point);
    return sign == 0 ? 0 : sign == moment->sign ? -1 : 1;
}

int toi_moment_compare(toi_arena *arena, const toi_moment *a, const toi_moment *b)
{
    if (a->sign == 0 && b->sign == 0)
        return toi_dyadic_compare(arena, low(a), low(b));
    if (a->sign == 0)
        return compare_point(arena, low(a), b);
    if (b->sign == 0)
        return -compare_point(arena, low(b), a);
    // An end of one interval that is not inside the other moment's time settles it.
    if (compare_point(arena, low(b), a) >= 0 || compare_point(arena, high(a), b) <= 0)
        return -1;
    if (compare_point(arena, low(a), b) >= 0 || compare_point(arena, high(b), a) <= 0)
        return 1;
    // Both are inside both intervals. There b's polynomial changes its sign at b alone.
    int sign = toi_moment_sign(arena, a, &b->f);
    return sign == 0 ? 0 : sign == b->sign ? -1 : 1;
}
