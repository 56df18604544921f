// Contacts of a query, found exactly. With N = E x G and the volume V = P . N:
//
// Where V is not zero for all t, contacts are at its roots, three at most. At a root where N is not
// zero, P + u E + v G = 0 has one solution, u N = G x P and v N = P x E, and the signs of one
// component tell whether it is in the domain. Where N is zero, all is on one line or at one point.
//
// Where V is zero for all t, the query stays flat, and contacts may last. Let t be where a contact
// begins or ends. Claim: at t the primitives touch at the boundary of the domain of (u, v), that
// is, an end point of one is on an edge. For if they touched inside only, either N is not zero at
// t, and the one solution (u, v), which changes continuously, is inside for some time before and
// after t; or N is zero, and the solutions are a line or the plane, which leaves the bounded domain
// through its boundary. Such a contact of a point with an edge cannot itself last from before t to
// after t, being a contact of the query, so it begins or ends at t too. The same holds one
// dimension below: where a point and the line of an edge coincide for all t, their contacts begin
// and end where two points meet. What is left to look for, the events, are roots of polynomials
// that are not zero and moments when two points meet, all of them contacts; and between
// neighbouring events nothing changes.

#include "exact/contact.h"

#include "exact/roots.h"
#include "exact/words.h"

#include <math.h>

// ---- One moment

typedef struct instant
{
    toi_arena *arena;
    const toi_trajectory *trajectory;
    const toi_moment *moment; // NULL: at t = 0, for which constant terms suffice
    bool after; // not at the moment but so soon after it that no sign has changed any more
} instant;

static int degree_at(const instant *at)
{
    return at->moment ? 1 : 0;
}

static int sign_of(const instant *at, const toi_polynomial *f)
{
    if (f->degree <= 0)
        return f->degree < 0 ? 0 : toi_integer_sign(f->c[0]);
    int sign = toi_moment_sign(at->arena, at->moment, f);
    if (sign != 0 || !at->after)
        return sign;
    toi_polynomial slope = toi_polynomial_derivative(at->arena, f);
    return sign_of(at, &slope); // f rises from zero where its slope is positive
}

static int component_sign(const instant *at, const toi_vector *a, int axis)
{
    toi_polynomial f = toi_vector_component(at->arena, a, degree_at(at), axis);
    return sign_of(at, &f);
}

static bool vector_is_zero(const instant *at, const toi_vector *a)
{
    return component_sign(at, a, 0) == 0 && component_sign(at, a, 1) == 0 &&
           component_sign(at, a, 2) == 0;
}

static bool are_parallel(const instant *at, const toi_vector *a, const toi_vector *b)
{
    for (int k = 0; k < 3; ++k) {
        toi_polynomial f = toi_vector_cross(at->arena, a, b, degree_at(at), k);
        if (sign_of(at, &f) != 0)
            return false;
    }
    return true;
}

static int inside_tests(const instant *at)
{
    return at->trajectory->edge_edge ? 4 : 3;
}

// The solution (u, v) is in the domain if u N, v N, N - u N (of a face N - u N - v N), and of edges
// N - v N, have the sign of N. One component of the `test`-th, made in this order.
static void make_inside_test(const instant *at, const toi_polynomial *normal, int axis, int test,
                             toi_polynomial made[4])
{
    const toi_trajectory *f = at->trajectory;
    if (test == 0) {
        made[0] = toi_vector_cross(at->arena, &f->g, &f->p, degree_at(at), axis);
    } else if (test == 1) {
        made[1] = toi_vector_cross(at->arena, &f->p, &f->e, degree_at(at), axis);
    } else {
        made[test] = toi_polynomial_subtract(at->arena, normal, &made[test - 2]);
        if (!f->edge_edge)
            made[test] = toi_polynomial_subtract(at->arena, &made[test], &made[1]);
    }
}

// Is the solution in the domain? `normal` is a component of N that is not zero, `sign` its sign.
static bool is_inside(const instant *at, const toi_polynomial *normal, int axis, int sign)
{
    toi_polynomial made[4];
    for (int test = 0; test < inside_tests(at); ++test) {
        make_inside_test(at, normal, axis, test, made);
        if (sign_of(at, &made[test]) * sign < 0)
            return false;
    }
    return true;
}

// The same from the moment's place alone: 1 inside, -1 outside, 0 where that cannot tell. Each test
// may use any axis, and with mixed exponents there often is just one that serves: where the volume
// vanishes because one coordinate nearly does, the components that do not contain it.
static int filter_inside(const instant *at, const toi_polynomial normal[3])
{
    const toi_place *place = &at->moment->place;
    int known[4] = {0}, certain = 0;
    for (int axis = 0; axis < 3 && certain < inside_tests(at); ++axis) {
        toi_polynomial made[4];
        int sign = toi_place_sign(at->arena, place, &normal[axis]);
        for (int test = 0; test < inside_tests(at) && sign != 0; ++test) {
            make_inside_test(at, &normal[axis], axis, test, made);
            if (known[test] != 0)
                continue;
            known[test] = sign * toi_place_sign(at->arena, place, &made[test]);
            if (known[test] < 0)
                return -1;
            certain += known[test];
        }
    }
    return certain == inside_tests(at) ? 1 : 0;
}

// With E and G parallel: is zero one of the values of F?
static bool is_on_line(const instant *at)
{
    const toi_trajectory *f = at->trajectory;
    int axis = 0;
    while (axis < 3 && component_sign(at, &f->e, axis) == 0 && component_sign(at, &f->g, axis) == 0)
        ++axis;
    if (axis == 3)
        return vector_is_zero(at, &f->p);
    if (!are_parallel(at, &f->p, &f->e) || !are_parallel(at, &f->p, &f->g))
        return false;
    // All is on a line that is not perpendicular to the axis; F takes the values between those at
    // the corners of the domain.
    toi_polynomial e = toi_vector_component(at->arena, &f->e, degree_at(at), axis);
    toi_polynomial g = toi_vector_component(at->arena, &f->g, degree_at(at), axis);
    toi_polynomial corners[4] = {toi_vector_component(at->arena, &f->p, degree_at(at), axis)};
    corners[1] = toi_polynomial_add(at->arena, &corners[0], &e);
    corners[2] = toi_polynomial_add(at->arena, &corners[0], &g);
    corners[3] = toi_polynomial_add(at->arena, &corners[1], &g);
    bool some_not_above = false, some_not_below = false;
    for (int i = 0; i < (f->edge_edge ? 4 : 3); ++i) {
        int sign = sign_of(at, &corners[i]);
        some_not_above |= sign <= 0;
        some_not_below |= sign >= 0;
    }
    return some_not_above && some_not_below;
}

// Do they touch, given N, at a moment where the volume is zero?
static bool touch_when_flat(const instant *at, const toi_polynomial normal[3])
{
    toi_mark mark = toi_arena_mark(at->arena);
    int axis = 0, sign = 0;
    int known = at->moment && at->moment->place.m > 0 ? filter_inside(at, normal) : 0;
    if (known != 0) {
        toi_arena_release(at->arena, mark);
        return known > 0;
    }
    while (axis < 3 && (sign = sign_of(at, &normal[axis])) == 0)
        ++axis;
    bool touch = axis < 3 ? is_inside(at, &normal[axis], axis, sign) : is_on_line(at);
    toi_arena_release(at->arena, mark);
    return touch;
}

static bool touch_at_start(toi_arena *arena, const toi_trajectory *trajectory)
{
    int known = toi_is_in_words(trajectory) ? toi_words_touch_at_start(trajectory) : 0;
    if (known != 0)
        return known > 0;
    toi_mark mark = toi_arena_mark(arena);
    toi_polynomial normal[3];
    toi_polynomial volume = toi_trajectory_volume(arena, trajectory, 0, normal);
    bool touch =
        volume.degree < 0 && touch_when_flat(&(instant){arena, trajectory, NULL, false}, normal);
    toi_arena_release(arena, mark);
    return touch;
}

// ---- Events of a query that stays flat

enum
{
    MOST_EVENTS = 8
};

typedef struct event_list
{
    toi_moment moments[MOST_EVENTS];
    int count;
    double latest;   // those with a later floor are not wanted
    bool only_first; // nor are those with a later floor than one that was found
} event_list;

static void add_event(event_list *events, const toi_moment *moment)
{
    events->moments[events->count++] = *moment;
    if (events->only_first)
        events->latest = moment->floor;
}

// A point against an edge: H(t, s) = Q(t) + s R(t), s in [0, 1].
typedef struct edge_problem
{
    const toi_vector *q;
    const toi_vector *r;
    toi_vector sum; // Q + R
} edge_problem;

// Is zero between Q and Q + R? Both are on one line with it.
static bool is_between(const instant *at, const edge_problem *problem)
{
    for (int k = 0; k < 3; ++k)
        if (component_sign(at, problem->q, k) * component_sign(at, &problem->sum, k) > 0)
            return false;
    return true;
}

// Adds the roots of Q x R, which is not zero for all t, that are contacts. `axis` is the first
// whose component is not zero.
static void add_edge_events(toi_arena *arena, const edge_problem *problem, int axis,
                            const toi_polynomial *first, event_list *events)
{
    toi_moment roots[3];
    int count = toi_find_roots(arena, first, roots);
    for (int i = 0; i < count; ++i) {
        instant at = {arena, NULL, &roots[i], false};
        if (!toi_moment_find_floor(arena, &roots[i], events->latest, NAN))
            return;
        bool touch = is_between(&at, problem);
        for (int k = axis + 1; k < 3 && touch; ++k) {
            toi_polynomial other = toi_vector_cross(arena, problem->q, problem->r, 1, k);
            touch = sign_of(&at, &other) == 0;
        }
        if (touch)
            add_event(events, &roots[i]);
    }
}

// Adds the time when a vector that is linear in t, but not zero for all t, is zero.
static void add_point_event(toi_arena *arena, const toi_vector *a, event_list *events)
{
    toi_polynomial components[3];
    toi_moment roots[3];
    int axis = 0;
    for (int k = 2; k >= 0; --k) {
        components[k] = toi_vector_component(arena, a, 1, k);
        if (components[k].degree >= 0)
            axis = k;
    }
    if (components[axis].degree < 0 || toi_find_roots(arena, &components[axis], roots) == 0)
        return;
    for (int k = 0; k < 3; ++k)
        if (toi_moment_sign(arena, &roots[0], &components[k]) != 0)
            return;
    if (toi_moment_find_floor(arena, &roots[0], events->latest, NAN))
        add_event(events, &roots[0]);
}

static void add_events(toi_arena *arena, const toi_vector *q, const toi_vector *r,
                       event_list *events)
{
    if (toi_words_stay_apart(q, r))
        return;
    edge_problem problem = {.q = q, .r = r};
    toi_vector_add(arena, q, r, &problem.sum);
    for (int axis = 0; axis < 3; ++axis) {
        toi_polynomial cross = toi_vector_cross(arena, q, r, 1, axis);
        if (cross.degree >= 0) {
            add_edge_events(arena, &problem, axis, &cross, events);
            return;
        }
    }
    add_point_event(arena, q, events);
    add_point_event(arena, &problem.sum, events);
}

// The events of all sides of the domain, in no order, some of them perhaps the same.
static void find_events(toi_arena *arena, const toi_trajectory *f, event_list *events)
{
    toi_vector corner, side;
    add_events(arena, &f->p, &f->e, events);
    add_events(arena, &f->p, &f->g, events);
    toi_vector_add(arena, &f->p, &f->e, &corner);
    if (!f->edge_edge) {
        toi_vector_subtract(arena, &f->g, &f->e, &side);
        add_events(arena, &corner, &side, events);
        return;
    }
    add_events(arena, &corner, &f->g, events);
    toi_vector_add(arena, &f->p, &f->g, &corner);
    add_events(arena, &corner, &f->e, events);
}

// Sorts the events and drops those that are the same as another.
static void sort_events(toi_arena *arena, event_list *events)
{
    int count = 0;
    for (int i = 0; i < events->count; ++i) {
        toi_moment moment = events->moments[i];
        int place = count, order = 1;
        while (place > 0 &&
               (order = toi_moment_compare(arena, &events->moments[place - 1], &moment)) > 0)
            --place;
        if (place > 0 && order == 0)
            continue;
        for (int j = count; j > place; --j)
            events->moments[j] = events->moments[j - 1];
        events->moments[place] = moment;
        ++count;
    }
    events->count = count;
}

// ---- First contact

static bool is_earlier(toi_arena *arena, const toi_moment *a, const toi_moment *b)
{
    if (a->floor != b->floor || a->is_double || b->is_double)
        return a->floor < b->floor || (a->floor == b->floor && a->is_double && !b->is_double);
    return toi_moment_compare(arena, a, b) < 0;
}

static bool find_first_event(toi_arena *arena, const toi_trajectory *trajectory,
                             const toi_contact_search *search, toi_moment *first)
{
    event_list events;
    events.count = 0;
    events.latest = search->latest;
    events.only_first = true;
    find_events(arena, trajectory, &events);
    for (int i = 0; i < events.count; ++i)
        if (i == 0 || is_earlier(arena, &events.moments[i], first))
            *first = events.moments[i];
    return events.count > 0;
}

bool toi_find_first_contact(toi_arena *arena, const toi_trajectory *trajectory,
                            const toi_contact_search *search, toi_moment *first)
{
    toi_polynomial normal[3];
    if (touch_at_start(arena, trajectory)) {
        *first = toi_moment_from_double(arena, 0);
        return true;
    }
    if (toi_is_in_words(trajectory)) {
        if (search->latest < TOI_LEAST_TIME_IN_WORDS)
            return false;
        if (toi_words_stay_level(trajectory))
            return find_first_event(arena, trajectory, search, first);
    }
    toi_polynomial volume = toi_trajectory_volume(arena, trajectory, 1, normal);
    if (volume.degree < 0)
        return find_first_event(arena, trajectory, search, first);
    toi_moment roots[3];
    int count = toi_find_roots(arena, &volume, roots);
    for (int i = 0; i < count; ++i) {
        if (roots[i].is_double && roots[i].floor == 0)
            continue; // looked at already
        if (!toi_moment_find_floor(arena, &roots[i], search->latest, search->guess))
            return false;
        if (touch_when_flat(&(instant){arena, trajectory, &roots[i], false}, normal)) {
            *first = roots[i];
            return true;
        }
    }
    return false;
}

// ---- All contacts

// Joins the events, each of them a contact, with the times between them that are contacts too:
// those that are just after an event. The ends of [0, 1] are contacts if they are events or what is
// beside them is one.
static int join_events(toi_arena *arena, const toi_trajectory *trajectory,
                       const toi_polynomial normal[3], const event_list *events,
                       toi_contact contacts[TOI_MOST_CONTACTS])
{
    toi_moment start = toi_moment_from_double(arena, 0), end = toi_moment_from_double(arena, 1);
    int count = 0;
    bool lasts = false; // the last contact goes on to the event looked at
    for (int i = 0; i <= events->count; ++i) {
        const toi_moment *from = i > 0 ? &events->moments[i - 1] : &start;
        const toi_moment *to = i < events->count ? &events->moments[i] : &end;
        if (i > 0 && !lasts)
            contacts[count++] = (toi_contact){.is_instant = true, .from = *from};
        lasts = !(from->is_double && to->is_double && from->floor == to->floor) &&
                touch_when_flat(&(instant){arena, trajectory, from, true}, normal);
        if (!lasts)
            continue;
        if (i == 0)
            contacts[count++] = (toi_contact){.from = *from};
        contacts[count - 1].is_instant = false;
        contacts[count - 1].to = *to;
    }
    return count;
}

int toi_find_all_contacts(toi_arena *arena, const toi_trajectory *trajectory,
                          toi_contact contacts[TOI_MOST_CONTACTS])
{
    toi_polynomial normal[3];
    toi_polynomial volume = toi_trajectory_volume(arena, trajectory, 1, normal);
    int count = 0;
    if (volume.degree < 0) {
        event_list events;
        events.count = 0;
        events.latest = 1;
        events.only_first = false;
        find_events(arena, trajectory, &events);
        sort_events(arena, &events);
        return join_events(arena, trajectory, normal, &events, contacts);
    }
    toi_moment roots[3];
    int root_count = toi_find_roots(arena, &volume, roots);
    for (int i = 0; i < root_count; ++i) {
        toi_moment_find_floor(arena, &roots[i], 1, NAN);
        if (touch_when_flat(&(instant){arena, trajectory, &roots[i], false}, normal))
            contacts[count++] = (toi_contact){.is_instant = true, .from = roots[i]};
    }
    return count;
}
