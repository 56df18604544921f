// Isolating roots by Descartes' rule on halved intervals, until the conditions are decided there
// too; then the floor, by a search over the doubles. docs/separation.md.

#include "exact/first_root.h"

#include "exact/polynomial.h"

#include <math.h>
#include <string.h>

enum
{
    // Changes of sign of an interval and of what is kept for later add up to six at most, and a
    // point is kept for one of them.
    MOST_PARTS = 16,
    STALLED = 10,      // steps without progress after which multiple roots are looked for
    LEAP = 3,          // steps without progress after which larger ones are tried
    LONGEST_LEAP = 512 // in halvings
};

// An open interval ]from, from + width[ / 2^bits in which f changes its sign, or may; or the root
// `from` / 2^bits. The width is that of the whole range.
typedef struct part
{
    toi_integer from;
    int64_t bits;
    bool is_point;
    int changes;   // of the signs of f's Bernstein coefficients
    int sign;      // of f just after its beginning
    int stalled;   // steps since roots were last kept apart
    int run;       // halvings towards the same end: the beginning (negative) or the end
    int leap;      // how many halvings to leap over next
    bool shrinks;  // a longer leap was too long
    unsigned sure; // the conditions that are known to be positive, a bit each
} part;

typedef struct state
{
    toi_arena *arena;
    const toi_root_search *search;
    toi_sextic f;
    toi_sextic slope; // its derivative
    bool is_square_free;
    toi_sextic under; // without multiple roots, once asked for
    bool has_under;
    toi_integer width;
    part parts[MOST_PARTS]; // what is left, the first last
    int count;
} state;

static toi_open_interval interval_of(const state *s, const part *p)
{
    return (toi_open_interval){p->from, s->width, p->bits};
}

// How often the signs of g change over the interval, and the first and last of them.
static int count_changes(state *s, const toi_sextic *g, const part *p, int *first, int *last)
{
    int signs[TOI_SEXTIC_COEFFICIENTS];
    toi_open_interval interval = interval_of(s, p);
    toi_sextic_signs(s->arena, g, &interval, signs);
    *first = 0;
    for (int i = 0; i <= g->degree && *first == 0; ++i)
        *first = signs[i];
    *last = signs[g->degree];
    return toi_count_changes(signs, g->degree + 1);
}

// ---- Conditions

// 1: the condition is positive all over the interval, or at the point; -1: nowhere; 0: not known.
static int condition_sign(state *s, const toi_sextic *g, const part *p)
{
    int first, last;
    if (g->degree < 0)
        return -1;
    if (p->is_point)
        return toi_sextic_sign_at(s->arena, g, (toi_dyadic){p->from, p->bits}) > 0 ? 1 : -1;
    return count_changes(s, g, p, &first, &last) == 0 ? first : 0;
}

// Is a condition positive nowhere in the part? Notes those that are positive all over it.
static bool is_ruled_out(state *s, part *p)
{
    for (int i = 0; i < s->search->conditions; ++i) {
        if ((p->sure >> i & 1) != 0)
            continue;
        int sign = condition_sign(s, &s->search->condition[i], p);
        if (sign < 0)
            return true;
        p->sure |= sign > 0 ? 1U << i : 0;
    }
    return false;
}

static bool is_sure(const state *s, const part *p)
{
    return p->sure == (1U << s->search->conditions) - 1;
}

// ---- Parts

static void keep(state *s, part p)
{
    s->parts[s->count++] = p;
}

// The part of 1 / 2^steps at the beginning or at the end.
static part end_part(state *s, const part *p, int steps, bool at_end)
{
    part piece = *p;
    toi_integer from = at_end ? toi_integer_add(s->arena, p->from, s->width) : p->from;
    from = toi_integer_shift(s->arena, from, steps);
    piece.from = at_end ? toi_integer_subtract(s->arena, from, s->width) : from;
    piece.bits += steps;
    return piece;
}

// Where Newton's step leads to from the beginning of the interval, for as many roots in one place
// as it has changes; in units of the grid that is finer by `leap` bits.
static toi_integer newton_step(state *s, const part *p)
{
    toi_arena *arena = s->arena;
    toi_dyadic at = {p->from, p->bits};
    toi_integer value = toi_sextic_at(arena, &s->f, at);
    toi_integer slope = toi_sextic_at(arena, &s->slope, at);
    value = toi_integer_multiply(arena, value, toi_integer_from_word(arena, (uint64_t)p->changes));
    return toi_integer_quotient(arena, toi_integer_shift(arena, value, p->leap), slope);
}

// The beginning of the part of 1 / 2^leap whose middle is there, or that is nearest to that.
static toi_integer part_around(state *s, const part *p, toi_integer step)
{
    toi_arena *arena = s->arena;
    part first = end_part(s, p, p->leap, false), last = end_part(s, p, p->leap, true);
    toi_integer half = toi_integer_quotient(arena, s->width, toi_integer_from_word(arena, 2));
    toi_integer from = toi_integer_subtract(arena, first.from, toi_integer_add(arena, step, half));
    if (toi_integer_compare(from, first.from) < 0)
        return first.from;
    return toi_integer_compare(from, last.from) > 0 ? last.from : from;
}

// From the first leap that was too long on they are halved, as long as that is more than halving.
static void shorten_leap(part *p)
{
    p->shrinks = p->leap / 2 > LEAP;
    p->leap = p->shrinks ? p->leap / 2 : LEAP;
}

// Keeps a small part instead of the interval if all changes are in it: the rest has none then,
// since the changes of disjoint intervals add up to no more than those of one around them.
static bool keep_small(state *s, const part *p, toi_integer from, int run)
{
    int last;
    part piece = *p;
    piece.from = from;
    piece.bits += p->leap;
    piece.changes = count_changes(s, &s->f, &piece, &piece.sign, &last);
    if (piece.changes != p->changes)
        return false;
    ++piece.stalled;
    piece.run = run;
    if (!piece.shrinks)
        piece.leap = p->leap < LONGEST_LEAP ? 2 * p->leap : p->leap;
    else
        shorten_leap(&piece);
    keep(s, piece);
    return true;
}

// Where halving keeps to one end, a small part there; else, since roots that are close to each
// other are like one multiple root from afar, a small part around where Newton's step leads.
static bool leap(state *s, part *p)
{
    if (p->stalled < LEAP)
        return false;
    toi_mark mark = toi_arena_mark(s->arena);
    if (p->run <= -LEAP || p->run >= LEAP) {
        part end = end_part(s, p, p->leap, p->run > 0);
        if (keep_small(s, p, end.from, p->run))
            return true;
        toi_arena_release(s->arena, mark);
    }
    toi_integer from = part_around(s, p, newton_step(s, p));
    if (keep_small(s, p, toi_arena_keep(s->arena, mark, from), 0))
        return true;
    toi_arena_release(s->arena, mark);
    shorten_leap(p);
    if (p->shrinks)
        keep(s, *p);
    else
        p->run = 0;
    return p->shrinks;
}

static void halve(state *s, const part *p)
{
    int left_last, right_last;
    part left = end_part(s, p, 1, false), right = end_part(s, p, 1, true);
    ++left.stalled;
    ++right.stalled;
    left.run = p->run < 0 ? p->run - 1 : -1;
    right.run = p->run > 0 ? p->run + 1 : 1;
    left.changes = count_changes(s, &s->f, &left, &left.sign, &left_last);
    if (left.changes == p->changes) {
        keep(s, left);
        return;
    }
    right.changes = count_changes(s, &s->f, &right, &right.sign, &right_last);
    if (right.changes != p->changes)
        left.stalled = right.stalled = left.run = right.run = 0;
    if (right.changes > 0)
        keep(s, right);
    if (left_last == 0)
        keep(s, (part){.from = right.from, .bits = right.bits, .is_point = true});
    if (left.changes > 0)
        keep(s, left);
}

// Takes f without its multiple roots; what was counted for it before no longer holds.
static void make_square_free(state *s, part *p)
{
    int last;
    s->f = toi_sextic_square_free(s->arena, &s->f);
    s->slope = toi_sextic_derivative(s->arena, &s->f);
    s->is_square_free = true;
    p->changes = count_changes(s, &s->f, p, &p->sign, &last);
    for (int i = 0; i < s->count; ++i) {
        part *q = &s->parts[i];
        if (!q->is_point)
            q->changes = count_changes(s, &s->f, q, &q->sign, &last);
    }
}

// Where halving does not help: f has a multiple root, or `under` a zero, which is a multiple root
// too. Returns whether the part is done with.
static bool look_closer(state *s, part *p)
{
    int first, last;
    if (!s->is_square_free) {
        if (p->changes == 1)
            return false;
        make_square_free(s, p);
        return p->changes == 0;
    }
    if (p->changes != 1 || s->search->under->degree < 2)
        return false;
    if (!s->has_under)
        s->under = toi_sextic_square_free(s->arena, s->search->under);
    s->has_under = true;
    // A zero of `under` here is the one root that f has here.
    return count_changes(s, &s->under, p, &first, &last) % 2 == 1;
}

// ---- The floor

// Value and slope in plain doubles.
static double evaluate(const toi_sextic_doubles *f, double y, double *slope)
{
    double value = 0;
    *slope = 0;
    for (int i = TOI_SEXTIC_COEFFICIENTS - 1; i >= 0; --i) {
        *slope = *slope * y + value;
        value = value * y + f->a[i];
    }
    return value;
}

// The root between lo and hi, about: Newton's method, kept between them by halving.
static double estimate_root(const toi_sextic_doubles *f, int sign, double lo, double hi,
                            double guess)
{
    lo = ldexp(lo, (int)-f->shift);
    hi = ldexp(hi, (int)-f->shift);
    double y = ldexp(guess, (int)-f->shift), slope;
    for (int i = 0; i < 40; ++i) {
        if (!(y > lo && y < hi))
            y = lo + (hi - lo) / 2;
        double value = evaluate(f, y, &slope), step = value / slope;
        if ((value > 0) == (sign > 0))
            lo = y;
        else
            hi = y;
        y -= step;
        if (fabs(step) <= 0x1p-50 * y)
            break;
    }
    return ldexp(y, (int)f->shift);
}

// The sign of f at t; Newton's step from there becomes the next estimate. The residual is exact, so
// the estimate gets as good as its slope.
static int look_at(state *s, const toi_sextic_doubles *f, double t, double *estimate)
{
    int64_t exponent;
    toi_mark mark = toi_arena_mark(s->arena);
    toi_dyadic x = toi_dyadic_from_double(s->arena, t);
    toi_integer value = toi_sextic_at(s->arena, &s->f, x);
    double residual = toi_integer_approximate(value, &exponent), slope;
    double y = ldexp(t, (int)-f->shift);
    exponent -= f->scale + x.bits * s->f.degree;
    evaluate(f, y, &slope);
    residual = exponent < -1000 ? 0 : ldexp(residual, (int)exponent);
    *estimate = ldexp(y - residual / slope, (int)f->shift);
    toi_arena_release(s->arena, mark);
    return toi_integer_sign(value);
}

// Of the one root of an interval. The doubles strictly between `below` and `above` are inside it,
// so the sign of f there tells on which side of the root they are. From the 12th step on the range
// of patterns is halved, so 76 evaluations are the most; three are the rule.
static double find_floor(state *s, const part *p)
{
    bool is_double;
    toi_dyadic end = {toi_integer_add(s->arena, p->from, s->width), p->bits};
    uint64_t below = toi_pattern_of(toi_dyadic_floor((toi_dyadic){p->from, p->bits}, &is_double));
    double high = toi_dyadic_floor(end, &is_double), estimate;
    uint64_t above = toi_pattern_of(high) + (is_double ? 0 : 1);
    toi_sextic_doubles f;
    int shift;
    frexp(toi_double_of(above), &shift);
    toi_sextic_approximate(&s->f, shift, &f);
    estimate =
        estimate_root(&f, p->sign, toi_double_of(below), toi_double_of(above), s->search->guess);
    for (int tries = 0; above - below > 1 && !s->arena->failed; ++tries) {
        uint64_t pattern = below + (above - below) / 2;
        if (tries < 12 && estimate >= 0) {
            pattern = toi_pattern_of(estimate);
            pattern = pattern <= below ? below + 1 : pattern >= above ? above - 1 : pattern;
        }
        int sign = look_at(s, &f, toi_double_of(pattern), &estimate);
        if (sign == 0)
            return toi_double_of(pattern);
        if (sign == p->sign)
            below = pattern;
        else
            above = pattern;
    }
    return toi_double_of(below);
}

// ---- The search

static void open_search(state *s)
{
    int last;
    toi_dyadic bound = toi_dyadic_from_double(s->arena, s->search->bound);
    part whole = {.bits = bound.bits, .leap = LEAP};
    s->width = bound.m;
    whole.changes = count_changes(s, &s->f, &whole, &whole.sign, &last);
    if (whole.changes == 0)
        return;
    keep(s, whole);
    s->slope = toi_sextic_derivative(s->arena, &s->f);
}

bool toi_find_first_root(toi_arena *arena, const toi_root_search *search, double *floor)
{
    bool is_double;
    state s = {.arena = arena, .search = search, .f = search->f};
    open_search(&s);
    while (s.count > 0 && !arena->failed) {
        part p = s.parts[--s.count];
        if ((p.changes == 0 && !p.is_point) || is_ruled_out(&s, &p))
            continue;
        if (p.is_point || (p.changes == 1 && is_sure(&s, &p))) {
            *floor = p.is_point ? toi_dyadic_floor((toi_dyadic){p.from, p.bits}, &is_double)
                                : find_floor(&s, &p);
            return true;
        }
        if (p.stalled >= STALLED && look_closer(&s, &p))
            continue;
        if (!leap(&s, &p))
            halve(&s, &p);
    }
    return false;
}
