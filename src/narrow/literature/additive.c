// Additive conservative advancement (Li, Kaufman, Jiang 2021, "Codimensional Incremental Potential
// Contact", section 5), as published and certified: docs/additive.md.

#include "kernel/advancement.h"
#include "kernel/distance.h"
#include "kernel/inclusion.h"

#include "narrow/inclusion.h"
#include "narrow/normal.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Advancing ends when the gap has shrunk to this share of the first one: the paper's s, and what a
// method whose steps need no margin can afford.
#define SHARE 0.1
#define CERTIFIED_SHARE 0x1p-10

// A direction that proves this share of the distance is good enough.
#define GOOD_ENOUGH 0.9375

// The primitives at one time, and where they are closest.
typedef struct snapshot
{
    toi_pair_motion m; // [0]: the values at that time
    toi_closest closest;
    double f[3]; // F at the closest place
} snapshot;

static void find_closest(int edge_edge, snapshot *s)
{
    const double *p = s->m.p[0], *e = s->m.e[0], *g = s->m.g[0];
    s->closest = edge_edge ? toi_closest_on_square(p, e, g) : toi_closest_on_triangle(p, e, g);
    toi_value_at(p, e, g, s->closest.u, s->closest.v, s->f);
}

static double separation_of(const toi_narrow_batch *batch, int64_t index)
{
    return batch->separations ? batch->separations[index] : batch->def->min_separation;
}

// A direction at time t: how far apart it proves them there, less the separation, and until when.
typedef struct bound
{
    double n[3];
    double gap, until;
} bound;

// The best of the proposed directions. The first is taken where it is as good as can be, but for a
// share that costs less than trying the others would.
static void find_bound(int edge_edge, const toi_pair_motion *m, double separation, double t,
                       const snapshot *s, bound *best)
{
    double hoped = (sqrt(s->closest.square) - separation) * GOOD_ENOUGH;
    int count = edge_edge ? TOI_DIRECTIONS - 1 : TOI_DIRECTIONS;
    *best = (bound){.gap = -INFINITY, .until = t};
    for (int i = 0; i < count && !(best->gap >= hoped); ++i) {
        bound b;
        toi_heights h;
        toi_propose_direction(i, s->m.e[0], s->m.g[0], s->f, b.n);
        toi_measure_heights(edge_edge, m, b.n, separation, &h);
        b.gap = toi_least_height(&h, t) / sqrt(toi_dot(b.n, b.n));
        b.until = toi_clear_until(&h, t);
        if (b.gap > best->gap)
            *best = b;
    }
}

// The normal is the direction that proves them apart. Where none does, that of a contact.
static void report(const toi_narrow_batch *batch, int64_t index, const snapshot *s, const bound *b,
                   double separation, toi_state state, double time)
{
    toi_query_result *result = &batch->results[index];
    result->state = state;
    result->time = time;
    result->u = s->closest.u;
    result->v = s->closest.v;
    if (b->gap + separation > 0) {
        double length = sqrt(toi_dot(b->n, b->n));
        for (int k = 0; k < 3; ++k)
            result->normal[k] = b->n[k] / length + 0.0;
    } else {
        toi_set_normal(batch->kind, &batch->queries[index], result);
    }
}

// ---------------------------------------------------------------------------------------------
// As published

// Points in plain double, scaled by a power of two, which changes no rounding but keeps squares in
// range.
typedef struct flight
{
    double points[2][4][3]; // where they are, and their displacements without the mean
    double separation;
    double speed; // no two points of the primitives approach faster
} flight;

static void take_off(const toi_narrow_batch *batch, int64_t index, flight *f)
{
    const toi_query *q = &batch->queries[index];
    double largest = 0;
    for (int i = 0; i < 12; ++i)
        largest = fmax(largest, fmax(fabs(q->start[i / 3][i % 3]), fabs(q->end[i / 3][i % 3])));
    largest *= 0x1p-4;
    double scale = toi_unit_scale(&largest) * 0x1p-4;
    f->separation = separation_of(batch, index) * scale;
    for (int k = 0; k < 3; ++k) {
        double mean = 0;
        for (int c = 0; c < 4; ++c) {
            f->points[0][c][k] = q->start[c][k] * scale;
            f->points[1][c][k] = q->end[c][k] * scale - f->points[0][c][k];
            mean += f->points[1][c][k] / 4;
        }
        for (int c = 0; c < 4; ++c)
            f->points[1][c][k] -= mean;
    }
    double most[2] = {0, 0};
    int first = batch->kind == TOI_EDGE_EDGE ? 2 : 1;
    for (int c = 0; c < 4; ++c) {
        const double *d = f->points[1][c];
        most[c >= first] = fmax(most[c >= first], sqrt(toi_dot(d, d)));
    }
    f->speed = most[0] + most[1];
}

// How much further apart than the separation they are now.
static double measure_gap(int edge_edge, flight *f, snapshot *s)
{
    double one = 1;
    toi_take_differences(edge_edge, f->points, &one, &s->m);
    find_closest(edge_edge, s);
    return sqrt(s->closest.square) - f->separation;
}

static void advance(const toi_narrow_batch *batch, int64_t index)
{
    toi_query_result *result = &batch->results[index];
    int edge_edge = batch->kind == TOI_EDGE_EDGE;
    flight f;
    snapshot at[2], *s = &at[0], *next = &at[1]; // at t, and a step later
    take_off(batch, index, &f);
    double gap = measure_gap(edge_edge, &f, s), enough = SHARE * gap, t = 0;
    toi_state state = TOI_HIT;
    while (gap > 0 || t > 0) {
        if (f.speed == 0)
            return;
        if (result->iterations == batch->def->max_iterations) {
            state = TOI_UNDECIDED;
            break;
        }
        ++result->iterations;
        // Rounding can carry the first step past the contact; time does not go back for that.
        double step = fmax(fmin((1 - SHARE) * gap / f.speed, DBL_MAX), 0);
        for (int i = 0; i < 12; ++i)
            f.points[0][i / 3][i % 3] += step * f.points[1][i / 3][i % 3];
        gap = measure_gap(edge_edge, &f, next);
        if (t > 0 && gap < enough)
            break;
        snapshot *spare = s;
        s = next;
        next = spare;
        t += step;
        if (t > batch->def->t_max)
            return;
    }
    bound b; // of primitives that stay where they are, for the normal alone
    memcpy(s->m.p[1], s->m.p[0], sizeof s->m.p[0]);
    memcpy(s->m.e[1], s->m.e[0], sizeof s->m.e[0]);
    memcpy(s->m.g[1], s->m.g[0], sizeof s->m.g[0]);
    toi_take_sizes(&s->m);
    find_bound(edge_edge, &s->m, 0, 0, s, &b);
    report(batch, index, s, &b, 0, state, t);
}

void toi_solve_additive(const toi_narrow_batch *batch)
{
    toi_clear_results(batch);
    for (int64_t i = 0; i < batch->count; ++i)
        advance(batch, i);
}

// ---------------------------------------------------------------------------------------------
// Certified

// Where the primitives are at time t, roughly: directions need not be accurate.
static void look(int edge_edge, const toi_pair_motion *m, double t, snapshot *s)
{
    toi_motion_at(m, &t, s->m.p[0], s->m.e[0], s->m.g[0]);
    find_closest(edge_edge, s);
}

// No contact is before t: true at 0, and each direction found keeps it true for a later t.
static void advance_certified(const toi_narrow_batch *batch, const toi_filtered *from)
{
    toi_query_result *result = &batch->results[from->index];
    int edge_edge = batch->kind == TOI_EDGE_EDGE;
    toi_pair_motion m;
    memcpy(m.p, from->p, sizeof m.p);
    memcpy(m.e, from->e, sizeof m.e);
    memcpy(m.g, from->g, sizeof m.g);
    memcpy(m.size, from->size, sizeof m.size);
    double separation = toi_scale_length(separation_of(batch, from->index), from->scale);
    double t = 0, enough = 0;
    toi_state state = TOI_UNDECIDED;
    snapshot s;
    bound b;
    do {
        look(edge_edge, &m, t, &s);
        find_bound(edge_edge, &m, separation, t, &s, &b);
        if (result->iterations++ == 0)
            enough = CERTIFIED_SHARE * b.gap;
        if (b.until > batch->def->t_max)
            return;
        if (b.until == t || b.gap < enough)
            state = TOI_HIT;
        t = b.until;
    } while (state != TOI_HIT && result->iterations < batch->def->max_iterations);
    report(batch, from->index, &s, &b, separation, state, t);
}

void toi_solve_additive_certified(const toi_narrow_batch *batch)
{
    toi_clear_results(batch);
    for (int64_t first = 0; first < batch->count; first += TOI_FILTER_LANES) {
        toi_filtered left[TOI_FILTER_LANES];
        int count = toi_filter_queries(batch, first, left);
        for (int i = 0; i < count; ++i)
            advance_certified(batch, &left[i]);
    }
}
