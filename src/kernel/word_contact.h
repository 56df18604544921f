// Whether two primitives touch, and when, where coordinates are short words: what fixed_contact.h
// decides, as far as signs are certain that are computed in floating point of exact coefficients.
// Most contacts on edges and at corners are such, since what is zero there is often zero for all t.
// Whatever is not certain stays open.

#ifndef TOI_KERNEL_WORD_CONTACT_H
#define TOI_KERNEL_WORD_CONTACT_H

#include "kernel/fixed_contact.h"

// Differences of corners are below 2^40 here, sums of two of them below 2^41, and so the forms of
// degree two that are made of these below 2^84, and volumes below 18 * 2^120.
enum
{
    TOI_SHORT_DIFFERENCE_BITS = 40
};

// ---- Forms

// A vector at both ends of the step.
typedef struct toi_word_vector
{
    int64_t x[2][3];
} toi_word_vector;

// A form of degree two.
typedef struct toi_word_form
{
    toi_int128 c[3];
} toi_word_form;

TOI_INLINE toi_word_vector toi_combine_words(const toi_word_vector *a, const toi_word_vector *b,
                                             int64_t factor)
{
    toi_word_vector r;
    for (int i = 0; i < 6; ++i)
        r.x[i / 3][i % 3] = a->x[i / 3][i % 3] + factor * b->x[i / 3][i % 3];
    return r;
}

// A component of a x b.
TOI_ROUTINE void toi_cross_words(const toi_word_vector *a, const toi_word_vector *b, int axis,
                                 toi_word_form *f)
{
    f->c[0] = toi_word_cross(a->x[0], b->x[0], axis);
    f->c[1] = toi_word_cross(a->x[0], b->x[1], axis) + toi_word_cross(a->x[1], b->x[0], axis);
    f->c[2] = toi_word_cross(a->x[1], b->x[1], axis);
}

// A component of a, times s + t = 1.
TOI_INLINE toi_word_form toi_word_component(const toi_word_vector *a, int axis)
{
    toi_word_form f = {{a->x[0][axis], (toi_int128)a->x[0][axis] + a->x[1][axis], a->x[1][axis]}};
    return f;
}

TOI_INLINE toi_word_form toi_subtract_words(const toi_word_form *a, const toi_word_form *b)
{
    toi_word_form r = {{a->c[0] - b->c[0], a->c[1] - b->c[1], a->c[2] - b->c[2]}};
    return r;
}

// A number below 2^127: its parts are exact, and their last sum is off by 3 u^2.
TOI_ROUTINE toi_doubled toi_double_wide(toi_int128 x)
{
    const toi_int128 one = 1;
    double sign = x < 0 ? -1 : 1;
    toi_int128 size = x < 0 ? -x : x;
    double high = (double)(int64_t)(size >> 75) * 0x1p75;
    double middle = (double)(int64_t)(size >> 37 & ((one << 38) - 1)) * 0x1p37;
    toi_doubled low = {(double)(int64_t)(size & ((one << 37) - 1)), 0};
    toi_doubled sum = toi_doubled_add(toi_quick_sum(high, middle), low);
    sum.high *= sign;
    sum.low *= sign;
    return sum;
}

// ---- Signs at a root that is no double

enum
{
    TOI_SIGN_OPEN = 2 // not certain; 0: the form is zero for all t
};

// The root's floor is t. The bound is that of toi_filter_fixed_sign().
TOI_ROUTINE int toi_sure_word_sign(const toi_word_form *f, double t)
{
    double x[3], s = 1 - t;
    if (f->c[0] == 0 && f->c[1] == 0 && f->c[2] == 0)
        return 0;
    for (int i = 0; i < 3; ++i)
        x[i] = toi_double_wide(f->c[i]).high;
    double slope = fabs(x[0]) * s + fabs(x[1]) + fabs(x[2]) * t;
    double sum = (x[0] * s + x[1] * t) * s + x[2] * t * t;
    double size = (fabs(x[0]) * s + fabs(x[1]) * t) * s + fabs(x[2]) * t * t;
    double error = 0x1p-48 * size + 0x1p-50 * t * slope;
    return sum > error ? 1 : sum < -error ? -1 : TOI_SIGN_OPEN;
}

// What signs there are among several.
typedef struct toi_word_signs
{
    int above, below, open;
} toi_word_signs;

TOI_INLINE int toi_add_word_sign(const toi_word_form *f, double t, toi_word_signs *signs)
{
    int sign = toi_sure_word_sign(f, t);
    signs->above |= sign == 1;
    signs->below |= sign == -1;
    signs->open |= sign == TOI_SIGN_OPEN;
    return sign;
}

typedef struct toi_word_pair
{
    int edge_edge;
    toi_word_vector p, e, g; // as in kernel/motion.h
} toi_word_pair;

// Do they touch at a root of the volume? 1, -1: no, 0: not certain, on this axis. Where they do, P
// + u E + v G = 0, the components of G x P, P x E and of what is left of N = E x G are u N, v N and
// so on: none has the sign that another does not have. And where N is not zero and none of them has
// its opposite sign they touch.
TOI_ROUTINE int toi_touch_on_axis(const toi_word_pair *m, int axis, double t)
{
    toi_word_signs signs = {0, 0, 0};
    toi_word_form n, u, v;
    toi_cross_words(&m->e, &m->g, axis, &n);
    toi_cross_words(&m->g, &m->p, axis, &u);
    toi_cross_words(&m->p, &m->e, axis, &v);
    int normal = toi_add_word_sign(&n, t, &signs);
    toi_add_word_sign(&u, t, &signs);
    toi_add_word_sign(&v, t, &signs);
    u = toi_subtract_words(&n, &u);
    v = toi_subtract_words(m->edge_edge ? &n : &u, &v);
    toi_add_word_sign(&v, t, &signs);
    if (m->edge_edge)
        toi_add_word_sign(&u, t, &signs);
    if (signs.above && signs.below)
        return -1;
    return normal != 0 && !signs.open;
}

TOI_INLINE int toi_touch_at_word_root(const toi_word_pair *m, double t)
{
    for (int axis = 0; axis < 3; ++axis) {
        int touch = toi_touch_on_axis(m, axis, t);
        if (touch != 0)
            return touch;
    }
    return 0;
}

// ---- Roots

typedef struct toi_word_roots
{
    toi_cubic q; // about the form, its degree raised to three
    toi_doubled_form f;
    toi_fixed_part parts[3];
    int count;
} toi_word_roots;

// Keeps as many roots apart as there are changes of sign, where signs show them; else 0.
TOI_INLINE int toi_part_word_roots(toi_word_roots *r)
{
    double places[2], low = 0;
    int found = 0, sign = r->q.c[0] > 0 ? 1 : -1;
    if (r->count > 1)
        toi_critical_points(&r->q, &places[0], &places[1]);
    for (int i = 0; i < 2 && found + 1 < r->count; ++i)
        if (places[i] >= TOI_LEAST_FIXED_TIME && places[i] < 1 &&
            toi_filter_sign_at(&r->f, places[i]) == -sign) {
            toi_set_part(&r->parts[found++], low, places[i], sign);
            low = places[i];
            sign = -sign;
        }
    toi_set_part(&r->parts[found], low, 1, sign);
    return found + 1 == r->count;
}

// Has a form of degree two certainly no root? Each term is off by less than 2^-51 of it.
TOI_INLINE int toi_has_no_root(const toi_doubled_form *f)
{
    double square = f->c[1].high * f->c[1].high, other = 4 * f->c[0].high * f->c[2].high;
    return other - square > 0x1p-49 * (square + fabs(other));
}

// The roots in ]0, 1[ of a form of degree two or three; 0 where that is not certain, or where there
// are roots at 0 or at 1.
TOI_ROUTINE int toi_find_word_roots(const toi_int128 *c, int degree, toi_word_roots *r)
{
    int last = 0;
    r->count = 0;
    r->f.degree = degree;
    for (int i = 0; i <= degree; ++i) {
        r->f.c[i] = toi_double_wide(c[i]);
        int sign = (c[i] > 0) - (c[i] < 0);
        r->count += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    if (c[0] == 0 || c[degree] == 0)
        return 0;
    if (degree == 2 && r->count == 2 && toi_has_no_root(&r->f))
        r->count = 0;
    for (int i = 0; i < 4; ++i) {
        double before = degree == 2 && i > 0 ? r->f.c[i - 1].high : 0;
        r->q.c[i] = before + (i <= degree ? r->f.c[i].high : 0);
    }
    return r->count == 0 || toi_part_word_roots(r);
}

// As toi_find_fixed_floor(); 0 where a sign is not certain.
TOI_ROUTINE int toi_find_word_floor(const toi_word_roots *r, int number, double *floor)
{
    const toi_fixed_part *part = &r->parts[number];
    double least = part->low > TOI_LEAST_FIXED_TIME ? part->low : TOI_LEAST_FIXED_TIME;
    int64_t below = toi_to_bits(least), above = toi_to_bits(part->high), step = 1;
    int64_t next = toi_to_bits(toi_find_root(&r->q, part->low, part->high));
    for (int looks = 0; above - below > 1; ++looks) {
        if (looks >= 12 || next <= below || next >= above)
            next = below + (above - below) / 2;
        int sign = toi_filter_sign_at(&r->f, toi_from_bits(next));
        if (sign == 0)
            return 0;
        if (sign == part->sign)
            below = next;
        else
            above = next;
        next = sign == part->sign ? below + step : above - step;
        step = looks < 12 ? step * 8 : step;
    }
    *floor = toi_from_bits(below);
    return *floor > TOI_LEAST_FIXED_TIME;
}

// ---- Pairs that stay flat: a point against an edge, Q + s R with s in [0, 1]

// Is zero between Q and Q + R at the root of a component of Q x R? 1, -1: no, 0: not certain.
TOI_INLINE int toi_touch_word_side(const toi_word_vector *q, const toi_word_vector *r,
                                   const toi_word_vector *sum, int axis, double t)
{
    int open = 0;
    for (int k = 0; k < 3; ++k) {
        toi_word_signs signs = {0, 0, 0};
        toi_word_form f = toi_word_component(q, k), g = toi_word_component(sum, k);
        int first = toi_add_word_sign(&f, t, &signs), second = toi_add_word_sign(&g, t, &signs);
        if (!signs.open && first * second > 0)
            return -1;
        open |= signs.open;
        toi_cross_words(q, r, k, &f);
        int parallel = k == axis ? 0 : toi_sure_word_sign(&f, t);
        if (parallel == 1 || parallel == -1)
            return -1;
        open |= parallel == TOI_SIGN_OPEN;
    }
    return !open;
}

TOI_INLINE int toi_word_side_stays_away(const toi_word_vector *q, const toi_word_vector *sum)
{
    int away = 0;
    for (int k = 0; k < 3; ++k) {
        int64_t a = q->x[0][k], b = q->x[1][k], c = sum->x[0][k], d = sum->x[1][k];
        away |= (a > 0 && b > 0 && c > 0 && d > 0) || (a < 0 && b < 0 && c < 0 && d < 0);
    }
    return away;
}

// Lowers *first to the floor of the first contact; 0 where that is not certain.
TOI_ROUTINE int toi_first_on_word_side(const toi_word_vector *q, const toi_word_vector *r,
                                       double *first)
{
    toi_word_vector sum = toi_combine_words(q, r, 1);
    toi_word_form f;
    toi_word_roots roots;
    int axis = 0;
    double t;
    if (toi_word_side_stays_away(q, &sum))
        return 1;
    for (; axis < 3; ++axis) {
        toi_cross_words(q, r, axis, &f);
        if (f.c[0] != 0 || f.c[1] != 0 || f.c[2] != 0)
            break;
    }
    if (axis == 3 || !toi_find_word_roots(f.c, 2, &roots))
        return 0;
    for (int i = 0; i < roots.count; ++i) {
        if (!toi_find_word_floor(&roots, i, &t))
            return 0;
        if (t >= *first)
            return 1;
        int touch = toi_touch_word_side(q, r, &sum, axis, t);
        if (touch >= 0) {
            *first = t;
            return touch;
        }
    }
    return 1;
}

// As toi_first_of_sides().
TOI_INLINE int toi_first_on_word_sides(const toi_word_pair *m, double *first)
{
    toi_word_vector far_e = toi_combine_words(&m->p, &m->e, 1);
    toi_word_vector far_g = toi_combine_words(&m->p, &m->g, 1);
    toi_word_vector third = m->edge_edge ? m->g : toi_combine_words(&m->g, &m->e, -1);
    return toi_first_on_word_side(&m->p, &m->e, first) &&
           toi_first_on_word_side(&m->p, &m->g, first) &&
           toi_first_on_word_side(&far_e, &third, first) &&
           (!m->edge_edge || toi_first_on_word_side(&far_g, &m->e, first));
}

// ---- The decision

// The earliest contact at a root of the volume: 1, -1: none, 0: not certain.
TOI_INLINE int toi_first_on_word_volume(const toi_word_pair *m, const toi_int128 c[4], double t_max,
                                        double *time)
{
    toi_word_roots roots;
    if (!toi_find_word_roots(c, 3, &roots))
        return 0;
    for (int i = 0; i < roots.count; ++i) {
        if (!toi_find_word_floor(&roots, i, time))
            return 0;
        if (*time > t_max)
            return -1;
        int touch = toi_touch_at_word_root(m, *time);
        if (touch >= 0)
            return touch;
    }
    return -1;
}

TOI_INLINE uint64_t toi_word_sizes(const toi_word_vector *a)
{
    uint64_t sizes = 0; // together
    for (int i = 0; i < 6; ++i)
        sizes |= (uint64_t)(a->x[i / 3][i % 3] < 0 ? -a->x[i / 3][i % 3] : a->x[i / 3][i % 3]);
    return sizes;
}

// Of primitives that do not touch at the start and whose coordinates, in that unit, need
// TOI_WORD_BITS at most: *time is that of toi_decide_fixed().
TOI_ROUTINE toi_fixed_verdict toi_decide_in_words(int edge_edge, const double *start,
                                                  const double *end, int unit, double t_max,
                                                  double *time)
{
    toi_word_motion words[2];
    toi_word_pair m;
    toi_int128 c[4];
    toi_take_word_motion(edge_edge, start, unit, &words[0]);
    toi_take_word_motion(edge_edge, end, unit, &words[1]);
    m.edge_edge = edge_edge;
    for (int i = 0; i < 6; ++i) {
        m.p.x[i / 3][i % 3] = words[i / 3].p[i % 3];
        m.e.x[i / 3][i % 3] = words[i / 3].e[i % 3];
        m.g.x[i / 3][i % 3] = words[i / 3].g[i % 3];
    }
    uint64_t sizes = toi_word_sizes(&m.p) | toi_word_sizes(&m.e) | toi_word_sizes(&m.g);
    if (sizes >> TOI_SHORT_DIFFERENCE_BITS != 0)
        return TOI_FIXED_OPEN;
    toi_word_volume(words, c);
    if (c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0) {
        *time = toi_from_bits(toi_to_bits(t_max) + 1);
        if (!toi_first_on_word_sides(&m, time))
            return TOI_FIXED_OPEN;
        return *time <= t_max ? TOI_FIXED_HIT : TOI_FIXED_SEPARATED;
    }
    int touch = toi_first_on_word_volume(&m, c, t_max, time);
    return touch > 0 ? TOI_FIXED_HIT : touch < 0 ? TOI_FIXED_SEPARATED : TOI_FIXED_OPEN;
}

#endif
