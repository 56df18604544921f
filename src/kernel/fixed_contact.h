// Whether two primitives touch, and when, exactly, in whole numbers of a bounded size: the last
// rung of `exact` for coordinates that fit. The mathematics is that of docs/exact.md, section 6;
// docs/cuda.md, section 5, says what fits.
//
// With s = 1 - t, vectors are s X(0) + t X(1), so that their components, their cross products and
// the volume are forms of degree one, two and three.

#ifndef TOI_KERNEL_FIXED_CONTACT_H
#define TOI_KERNEL_FIXED_CONTACT_H

#include "kernel/fixed_root.h"
#include "kernel/fixed_words.h"

typedef enum toi_fixed_verdict
{
    TOI_FIXED_SEPARATED,
    TOI_FIXED_HIT,
    TOI_FIXED_DECLINED, // it does not fit
    TOI_FIXED_OPEN      // not known yet
} toi_fixed_verdict;

enum
{
    TOI_FIXED_BITS = 83,       // of the differences of coordinates
    TOI_FIXED_POINT_BITS = 160 // of the coordinates
};

// At t = 0 and at t = 1.
typedef struct toi_fixed_vector
{
    uint32_t x[2][3][TOI_ENTRY];
} toi_fixed_vector;

typedef struct toi_fixed_motion
{
    int edge_edge;
    toi_fixed_vector p, e, g; // as in kernel/motion.h
} toi_fixed_motion;

// ---- From doubles

TOI_INLINE void toi_take_whole(double x, int unit, uint32_t r[TOI_SHORT])
{
    int exponent;
    uint64_t digits = toi_take_digits(x, &exponent);
    int shift = digits == 0 ? 0 : exponent - unit;
    toi_whole_set_shifted(r, shift < 0 ? digits >> -shift : digits, shift < 0 ? 0 : shift, x < 0);
}

// The difference of two corners at one end; 0 where it does not fit.
TOI_ROUTINE int toi_take_fixed_difference(const double *to, const double *from, int unit,
                                          uint32_t r[3][TOI_ENTRY])
{
    for (int k = 0; k < 3; ++k) {
        uint32_t a[TOI_SHORT], b[TOI_SHORT];
        toi_take_whole(to[k], unit, a);
        toi_take_whole(from[k], unit, b);
        toi_whole_subtract(a, b, a);
        if (toi_whole_bits(a) > TOI_FIXED_BITS)
            return 0;
        toi_whole_copy(a, r[k]);
    }
    return 1;
}

// The differences of the four corners x at one end.
TOI_INLINE int toi_take_fixed_motion(const double *x, int end, int unit, toi_fixed_motion *m)
{
    const double *second = x + 3, *third = x + 6, *middle = m->edge_edge ? third : second;
    return toi_take_fixed_difference(x, middle, unit, m->p.x[end]) &&
           toi_take_fixed_difference(second, m->edge_edge ? x : third, unit, m->e.x[end]) &&
           toi_take_fixed_difference(middle, x + 9, unit, m->g.x[end]);
}

// The same where they are words.
TOI_INLINE void toi_copy_word(int64_t word, uint32_t *r)
{
    toi_whole_set(r, (uint64_t)(word < 0 ? -word : word), word < 0);
}

TOI_INLINE void toi_copy_words(const toi_word_motion *words, int end, toi_fixed_motion *m)
{
    for (int k = 0; k < 3; ++k) {
        toi_copy_word(words->p[k], m->p.x[end][k]);
        toi_copy_word(words->e[k], m->e.x[end][k]);
        toi_copy_word(words->g[k], m->g.x[end][k]);
    }
}

// ---- Forms

TOI_INLINE void toi_component_form(const toi_fixed_vector *a, int axis, toi_form *f)
{
    f->degree = 1;
    for (int end = 0; end < 2; ++end)
        toi_whole_copy(a->x[end][axis], f->c[end]);
}

TOI_INLINE void toi_combine_vectors(const toi_fixed_vector *a, const toi_fixed_vector *b, int minus,
                                    toi_fixed_vector *r)
{
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k)
            toi_whole_combine(a->x[end][k], b->x[end][k], minus, r->x[end][k]);
}

// One component of a x b, each at one end.
TOI_INLINE void toi_cross_component(const toi_fixed_vector *a, int a_end, const toi_fixed_vector *b,
                                    int b_end, int axis, uint32_t *r)
{
    int i = axis < 2 ? axis + 1 : 0, j = axis > 0 ? axis - 1 : 2;
    toi_whole_cross(a->x[a_end][i], b->x[b_end][j], a->x[a_end][j], b->x[b_end][i], r);
}

TOI_INLINE void toi_set_wide(toi_int128 x, uint32_t *r)
{
    int negative = x < 0;
    toi_int128 size = negative ? -x : x;
    for (int i = 0; i < 4; ++i)
        r[i + 1] = (uint32_t)(size >> (32 * i));
    toi_whole_close(r, 4, negative);
}

// The two components of a vector at both ends that a component of a cross product needs, if they
// are below 2^61.
TOI_INLINE int toi_take_cross_words(const toi_fixed_vector *a, int axis, int64_t words[2][2])
{
    int fits = 1;
    for (int i = 0; i < 4; ++i) {
        int k = axis + 1 + i % 2;
        const uint32_t *x = a->x[i / 2][k < 3 ? k : k - 3];
        int n = toi_whole_length(x);
        uint64_t size = (n > 0 ? x[1] : 0) | (n > 1 ? (uint64_t)x[2] << 32 : 0);
        fits &= n < 3 && size < (uint64_t)1 << 61;
        int64_t word = (int64_t)(size & INT64_MAX);
        words[i / 2][i % 2] = (int32_t)x[0] < 0 ? -word : word;
    }
    return fits;
}

// One coefficient: below 2^123.
TOI_INLINE toi_int128 toi_cross_words_at(const int64_t a[2], const int64_t b[2])
{
    return (toi_int128)a[0] * b[1] - (toi_int128)a[1] * b[0];
}

// A component of a x b. At the ends of the step one coefficient is enough.
TOI_ROUTINE void toi_cross_form(toi_fixed_time when, const toi_fixed_vector *a,
                                const toi_fixed_vector *b, int axis, toi_form *f)
{
    uint32_t other[TOI_SHORT];
    int64_t x[2][2], y[2][2];
    f->degree = 2;
    if (toi_take_cross_words(a, axis, x) & toi_take_cross_words(b, axis, y)) {
        toi_set_wide(toi_cross_words_at(x[0], y[0]), f->c[0]);
        toi_set_wide(toi_cross_words_at(x[0], y[1]) + toi_cross_words_at(x[1], y[0]), f->c[1]);
        toi_set_wide(toi_cross_words_at(x[1], y[1]), f->c[2]);
        return;
    }
    f->c[0][0] = f->c[1][0] = f->c[2][0] = 0;
    if (when != TOI_FIXED_END)
        toi_cross_component(a, 0, b, 0, axis, f->c[0]);
    if (when != TOI_FIXED_START)
        toi_cross_component(a, 1, b, 1, axis, f->c[2]);
    if (when == TOI_FIXED_ROOT) {
        toi_cross_component(a, 0, b, 1, axis, f->c[1]);
        toi_cross_component(a, 1, b, 0, axis, other);
        toi_whole_add(f->c[1], other, f->c[1]);
        TOI_WATCH_NUMBER("cross", f->c[1]);
    }
}

// Adds c n_j t^j times p_i t^i to the volume.
TOI_INLINE void toi_add_to_volume(const uint32_t *n, const uint32_t *p, uint32_t *volume)
{
    uint32_t product[2 * TOI_SHORT];
    toi_whole_multiply(n, p, product);
    toi_whole_add(volume, product, volume);
}

// P . (E x G), of which at t = 0 the first coefficient is enough.
TOI_ROUTINE void toi_volume_form(toi_fixed_time when, const toi_fixed_motion *m, toi_form *volume)
{
    volume->degree = 3;
    for (int i = 0; i < 4; ++i)
        volume->c[i][0] = 0;
    for (int k = 0; k < 3; ++k) {
        toi_form n;
        toi_cross_form(when, &m->e, &m->g, k, &n);
        toi_add_to_volume(n.c[0], m->p.x[0][k], volume->c[0]);
        if (when == TOI_FIXED_START)
            continue;
        toi_add_to_volume(n.c[0], m->p.x[1][k], volume->c[1]);
        for (int j = 1; j < 3; ++j) {
            toi_add_to_volume(n.c[j], m->p.x[0][k], volume->c[j]);
            toi_add_to_volume(n.c[j], m->p.x[1][k], volume->c[j + 1]);
        }
        TOI_WATCH_NUMBER("volume", volume->c[1]);
    }
}

// ---- One moment

TOI_INLINE int toi_fixed_component_sign(toi_fixed_moment *at, const toi_fixed_vector *a, int axis)
{
    toi_form f;
    toi_component_form(a, axis, &f);
    return toi_fixed_sign(at, &f);
}

TOI_ROUTINE int toi_are_parallel(toi_fixed_moment *at, const toi_fixed_vector *a,
                                 const toi_fixed_vector *b)
{
    toi_form f;
    for (int k = 0; k < 3; ++k) {
        toi_cross_form(at->when, a, b, k, &f);
        if (toi_fixed_sign(at, &f) != 0)
            return 0;
    }
    return 1;
}

TOI_INLINE void toi_subtract_forms(const toi_form *a, const toi_form *b, toi_form *r)
{
    r->degree = 2;
    for (int i = 0; i < 3; ++i) {
        toi_whole_subtract(a->c[i], b->c[i], r->c[i]);
        TOI_WATCH_NUMBER("inside test", r->c[i]);
    }
}

// Is the solution of P + u E + v G = 0 in the domain? The tests are those of src/exact/contact.c: u
// N, v N and the rest have the sign of N, on an axis where that is not zero.
TOI_ROUTINE int toi_is_solution_inside(toi_fixed_moment *at, const toi_fixed_motion *m, int axis,
                                       const toi_form *normal, int sign)
{
    toi_form u, v;
    toi_cross_form(at->when, &m->g, &m->p, axis, &u);
    toi_cross_form(at->when, &m->p, &m->e, axis, &v);
    if (toi_fixed_sign(at, &u) * sign < 0 || toi_fixed_sign(at, &v) * sign < 0)
        return 0;
    toi_subtract_forms(normal, &u, &u);
    if (m->edge_edge && toi_fixed_sign(at, &u) * sign < 0)
        return 0;
    toi_subtract_forms(m->edge_edge ? normal : &u, &v, &u);
    return toi_fixed_sign(at, &u) * sign >= 0;
}

// With E and G parallel: is zero one of the values of F?
TOI_ROUTINE int toi_is_zero_on_line(toi_fixed_moment *at, const toi_fixed_motion *m)
{
    int axis = 0, above = 0, below = 0;
    while (axis < 3 && toi_fixed_component_sign(at, &m->e, axis) == 0 &&
           toi_fixed_component_sign(at, &m->g, axis) == 0)
        ++axis;
    if (axis == 3)
        return toi_fixed_component_sign(at, &m->p, 0) == 0 &&
               toi_fixed_component_sign(at, &m->p, 1) == 0 &&
               toi_fixed_component_sign(at, &m->p, 2) == 0;
    if (!toi_are_parallel(at, &m->p, &m->e) || !toi_are_parallel(at, &m->p, &m->g))
        return 0;
    // F takes the values between those at the corners of the domain.
    for (int corner = 0; corner < (m->edge_edge ? 4 : 3); ++corner) {
        toi_form f;
        toi_component_form(&m->p, axis, &f);
        for (int end = 0; end < 2; ++end) {
            if (corner & 1)
                toi_whole_add(f.c[end], m->e.x[end][axis], f.c[end]);
            if (corner & 2)
                toi_whole_add(f.c[end], m->g.x[end][axis], f.c[end]);
        }
        int sign = toi_fixed_sign(at, &f);
        above |= sign >= 0;
        below |= sign <= 0;
    }
    return above && below;
}

// Do they touch at a moment where the volume is zero?
TOI_ROUTINE int toi_touch_when_flat(toi_fixed_moment *at, const toi_fixed_motion *m)
{
    toi_form normal;
    for (int axis = 0; axis < 3; ++axis) {
        toi_cross_form(at->when, &m->e, &m->g, axis, &normal);
        int sign = toi_fixed_sign(at, &normal);
        if (sign != 0)
            return toi_is_solution_inside(at, m, axis, &normal, sign);
    }
    return toi_is_zero_on_line(at, m);
}

// ---- Queries that stay flat

// A point against an edge: Q + s R with s in [0, 1].
typedef struct toi_fixed_side
{
    toi_fixed_vector q, r, sum; // the sum is Q + R
} toi_fixed_side;

// The earliest contact so far; later ones are not looked at.
typedef struct toi_fixed_first
{
    double time;   // above t_max: none
    int is_double; // the contact is at that very time
    int declined;
} toi_fixed_first;

TOI_INLINE void toi_note_first(const toi_fixed_moment *at, int touch, toi_fixed_first *first)
{
    first->declined |= at->declined;
    if (!touch)
        return;
    first->time = at->floor;
    first->is_double = at->is_double;
}

// Is a moment that did fit no earlier than what was found? Of two with the same floor one that is a
// double is the earlier.
TOI_INLINE int toi_is_not_before(const toi_fixed_moment *at, const toi_fixed_first *first)
{
    if (at->floor == first->time)
        return !at->declined && (first->is_double || !at->is_double);
    return at->floor > first->time && !at->declined;
}

TOI_INLINE int toi_is_zero_between(toi_fixed_moment *at, const toi_fixed_side *side)
{
    for (int k = 0; k < 3; ++k)
        if (toi_fixed_component_sign(at, &side->q, k) *
                toi_fixed_component_sign(at, &side->sum, k) >
            0)
            return 0;
    return 1;
}

TOI_INLINE int toi_is_zero_form(const toi_form *f)
{
    for (int i = 0; i <= f->degree; ++i)
        if (toi_whole_sign(f->c[i]) != 0)
            return 0;
    return 1;
}

// The roots of a form that is not zero for all t; contacts with the side where `side` is given, and
// where it is not, of `point` with zero.
TOI_ROUTINE void toi_first_on_roots(const toi_form *f, const toi_fixed_side *side,
                                    const toi_fixed_vector *point, toi_fixed_first *first)
{
    toi_fixed_roots roots;
    toi_fixed_moment at;
    toi_find_fixed_roots(f, &roots);
    first->declined |= roots.declined;
    for (int i = 0; i < roots.count + roots.at_one && !first->declined; ++i) {
        toi_take_fixed_root(&roots, i, &at);
        if (toi_is_not_before(&at, first))
            return;
        int touch =
            side ? toi_is_zero_between(&at, side) && toi_are_parallel(&at, &side->q, &side->r)
                 : toi_fixed_component_sign(&at, point, 0) == 0 &&
                       toi_fixed_component_sign(&at, point, 1) == 0 &&
                       toi_fixed_component_sign(&at, point, 2) == 0;
        toi_note_first(&at, touch, first);
    }
}

// When the point meets zero, where it is not there for all t.
TOI_INLINE void toi_first_of_point(const toi_fixed_vector *point, toi_fixed_first *first)
{
    toi_form f;
    for (int k = 0; k < 3; ++k) {
        toi_component_form(point, k, &f);
        if (!toi_is_zero_form(&f)) {
            toi_first_on_roots(&f, (const toi_fixed_side *)0, point, first);
            return;
        }
    }
}

// Is there an axis on which Q and Q + R are on one side of zero at t = 0 and at t = 1, so always?
TOI_INLINE int toi_side_stays_away(const toi_fixed_side *side)
{
    for (int k = 0; k < 3; ++k) {
        int sign = toi_whole_sign(side->q.x[0][k]);
        if (sign != 0 && toi_whole_sign(side->q.x[1][k]) == sign &&
            toi_whole_sign(side->sum.x[0][k]) == sign && toi_whole_sign(side->sum.x[1][k]) == sign)
            return 1;
    }
    return 0;
}

TOI_ROUTINE void toi_first_of_side(toi_fixed_side *side, toi_fixed_first *first)
{
    toi_form f;
    toi_combine_vectors(&side->q, &side->r, 0, &side->sum);
    if (toi_side_stays_away(side))
        return;
    for (int axis = 0; axis < 3; ++axis) {
        toi_cross_form(TOI_FIXED_ROOT, &side->q, &side->r, axis, &f);
        if (!toi_is_zero_form(&f)) {
            toi_first_on_roots(&f, side, (const toi_fixed_vector *)0, first);
            return;
        }
    }
    toi_first_of_point(&side->q, first);
    toi_first_of_point(&side->sum, first);
}

TOI_ROUTINE void toi_first_of_sides(const toi_fixed_motion *m, toi_fixed_first *first)
{
    toi_fixed_side side;
    side.q = m->p;
    side.r = m->e;
    toi_first_of_side(&side, first);
    side.r = m->g;
    toi_first_of_side(&side, first);
    toi_combine_vectors(&m->p, &m->e, 0, &side.q);
    if (!m->edge_edge)
        toi_combine_vectors(&m->g, &m->e, 1, &side.r);
    toi_first_of_side(&side, first);
    if (!m->edge_edge)
        return;
    toi_combine_vectors(&m->p, &m->g, 0, &side.q);
    side.r = m->e;
    toi_first_of_side(&side, first);
}

// ---- The decision

TOI_ROUTINE void toi_first_on_volume(const toi_form *volume, const toi_fixed_motion *m,
                                     toi_fixed_first *first)
{
    toi_fixed_roots roots;
    toi_fixed_moment at;
    toi_find_fixed_roots(volume, &roots);
    first->declined |= roots.declined;
    for (int i = 0; i < roots.count + roots.at_one && !first->declined; ++i) {
        toi_take_fixed_root(&roots, i, &at);
        if (toi_is_not_before(&at, first))
            return;
        int touch = !at.declined && toi_touch_when_flat(&at, m);
        toi_note_first(&at, touch, first);
        if (touch)
            return;
    }
}

TOI_ROUTINE int toi_touch_at_start(const toi_fixed_motion *m)
{
    toi_form volume;
    toi_fixed_moment start;
    toi_volume_form(TOI_FIXED_START, m, &volume);
    if (toi_whole_sign(volume.c[0]) != 0)
        return 0;
    start.when = TOI_FIXED_START;
    start.f = &volume;
    return toi_touch_when_flat(&start, m);
}

// Takes the motion and the volume, and looks at t = 0. Where coordinates are words of `bits`:
TOI_ROUTINE toi_fixed_verdict toi_begin_in_words(const double *start, const double *end, int unit,
                                                 int bits, toi_fixed_motion *m, toi_form *volume)
{
    toi_word_motion words[2];
    toi_int128 c[4];
    toi_take_word_motion(m->edge_edge, start, unit, &words[0]);
    int touch = toi_touch_in_words(m->edge_edge, &words[0]);
    if (touch > 0)
        return TOI_FIXED_HIT;
    toi_take_word_motion(m->edge_edge, end, unit, &words[1]);
    toi_copy_words(&words[0], 0, m);
    toi_copy_words(&words[1], 1, m);
    if (bits > TOI_SHORT_WORD_BITS) {
        toi_volume_form(TOI_FIXED_ROOT, m, volume);
    } else {
        toi_word_volume(words, c);
        for (int i = 0; i < 4; ++i)
            toi_set_wide(c[i], volume->c[i]);
        volume->degree = 3;
    }
    return touch == 0 && toi_touch_at_start(m) ? TOI_FIXED_HIT : TOI_FIXED_OPEN;
}

// In general.
TOI_ROUTINE toi_fixed_verdict toi_begin_in_limbs(const double *start, const double *end, int unit,
                                                 toi_fixed_motion *m, toi_form *volume)
{
    if (!toi_take_fixed_motion(start, 0, unit, m) || !toi_take_fixed_motion(end, 1, unit, m))
        return TOI_FIXED_DECLINED;
    if (toi_touch_at_start(m))
        return TOI_FIXED_HIT;
    toi_volume_form(TOI_FIXED_ROOT, m, volume);
    return TOI_FIXED_OPEN;
}

// Whether the primitives touch up to t_max, which is in [0, 1], and when first. Corners as in
// toi_query, finite, three numbers each.
TOI_ROUTINE toi_fixed_verdict toi_find_fixed_contact(int edge_edge, const double *start,
                                                     const double *end, double t_max,
                                                     toi_fixed_first *first)
{
    toi_fixed_motion m;
    toi_form volume;
    int unit, bits = toi_find_unit(start, end, &unit);
    first->time = 0;
    first->is_double = 1;
    first->declined = 0;
    if (bits > TOI_FIXED_POINT_BITS)
        return TOI_FIXED_DECLINED;
    m.edge_edge = edge_edge;
    toi_fixed_verdict verdict = bits <= TOI_WORD_BITS
                                    ? toi_begin_in_words(start, end, unit, bits, &m, &volume)
                                    : toi_begin_in_limbs(start, end, unit, &m, &volume);
    if (verdict != TOI_FIXED_OPEN)
        return verdict;
    first->time = toi_from_bits(toi_to_bits(t_max) + 1);
    if (toi_is_zero_form(&volume))
        toi_first_of_sides(&m, first);
    else
        toi_first_on_volume(&volume, &m, first);
    if (first->declined)
        return TOI_FIXED_DECLINED;
    return first->time <= t_max ? TOI_FIXED_HIT : TOI_FIXED_SEPARATED;
}

// The same; *time is the largest double that is not greater than the time of the first contact.
TOI_INLINE toi_fixed_verdict toi_decide_fixed(int edge_edge, const double *start, const double *end,
                                              double t_max, double *time)
{
    toi_fixed_first first;
    toi_fixed_verdict verdict = toi_find_fixed_contact(edge_edge, start, end, t_max, &first);
    *time = first.time;
    return verdict;
}

#endif
