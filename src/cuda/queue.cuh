// The search of `inclusion-queue` for one query and one cell, as the processor has it
// (narrow/literature/inclusion_queue_isa.c, docs/inclusion.md, section 8): what a level finds is
// put together by minima, sums and ors, so no order of cells, and no other query, changes a result.
// Compiles for the host too, where a test runs it.

#ifndef TOI_CUDA_QUEUE_CUH
#define TOI_CUDA_QUEUE_CUH

#include "kernel/cells.h"
#include "kernel/contact_place.h"
#include "kernel/normal.h"
#include "kernel/separation.h"
#include "toi/narrow_phase.h"

enum
{
    TOI_MOST_WAITING = 1 << 10 // cells of one query
};

// What is known of a query between two levels.
struct toi_findings
{
    toi_cell found; // the earliest accepted cell; at infinity where there is none
    toi_cell first; // the earliest cell that waits
    toi_touch touched;
    int32_t waiting;
    int32_t hit; // some cell came within the tolerance
};

struct toi_queued
{
    toi_inclusion query;
    uint32_t index; // in the list
    int32_t iterations, refinements;
    toi_findings now;  // before the level
    toi_findings next; // after it
    double bound;      // no contact is earlier than this
    int32_t ended;
    uint32_t lock; // of `next`
};

struct toi_queue_entry
{
    toi_cell cell;
    uint32_t owner;
};

// What the examination of a cell has found.
struct toi_cell_outcome
{
    toi_touch touched;
    toi_cell cell; // where `accepted`
    toi_cell left[2];
    int remain; // of them
    int hit, accepted;
};

TOI_INLINE void toi_set_nowhere(toi_cell *cell)
{
    for (int i = 0; i < 3; ++i)
        cell->lo[i] = cell->hi[i] = i == 0 ? HUGE_VAL : 0;
}

// ---- Filter and start

// Makes a query ready, unless the filter separates it.
TOI_INLINE int toi_take_queued(int edge_edge, const toi_narrow_def *def, const toi_query *query,
                               toi_queued *q)
{
    double points[2][4][3], shrink, separation = def->min_separation;
    toi_pair_motion m;
    for (int i = 0; i < 12; ++i) {
        points[0][i / 3][i % 3] = query->start[i / 3][i % 3];
        points[1][i / 3][i % 3] = query->end[i / 3][i % 3];
    }
    if (toi_axes_apart(edge_edge, points, (const double *)0, &separation))
        return 0;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    separation *= m.scale;
    if (toi_separated(edge_edge, &m, &separation))
        return 0;
    toi_take_inclusion(m.p, m.e, m.g, m.size, toi_scale_length(def->min_separation, m.scale),
                       toi_scale_length(def->tolerance, m.scale), &q->query);
    q->query.triangle = !edge_edge;
    q->query.no_zero_time = def->no_zero_time;
    q->iterations = q->refinements = 0;
    q->bound = 0;
    q->ended = 0;
    q->lock = 0;
    toi_findings *f = &q->next;
    toi_set_nowhere(&f->found);
    for (int i = 0; i < 3; ++i) {
        f->first.lo[i] = 0;
        f->first.hi[i] = 1;
    }
    f->touched.time = HUGE_VAL;
    f->touched.u = f->touched.v = f->touched.blur = 0;
    f->waiting = 1;
    f->hit = 0;
    return 1;
}

// ---- Cells

// A total order, so that the least of some cells is the same whatever their order.
TOI_INLINE int toi_goes_before(const toi_cell *a, const toi_cell *b)
{
    for (int i = 0; i < 3; ++i)
        if (a->lo[i] != b->lo[i])
            return a->lo[i] < b->lo[i];
    for (int i = 0; i < 3; ++i)
        if (a->hi[i] != b->hi[i])
            return a->hi[i] < b->hi[i];
    return 0;
}

TOI_INLINE int toi_touches_before(const toi_touch *a, const toi_touch *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->u < b->u || (a->u == b->u && a->v < b->v);
}

TOI_INLINE void toi_process_cell(const toi_queued *q, toi_cell cell, toi_cell_outcome *o)
{
    o->touched = q->now.touched;
    o->remain = o->hit = o->accepted = 0;
    if (cell.lo[0] >= q->now.found.lo[0])
        return;
    toi_expansion x;
    bool again, narrow = false;
    toi_cell_verdict v = toi_examine_cell(&q->query, &cell, &o->touched, &x, &again, &narrow);
    if (v == TOI_CELL_EXCLUDED)
        return;
    o->hit = narrow;
    if (v == TOI_CELL_OPEN && again) {
        o->left[0] = cell;
        o->remain = 1;
    } else if (v == TOI_CELL_OPEN && toi_split_cell(&q->query, &cell, &x, o->left)) {
        o->remain = 2;
    } else { // accepted, or too small to be cut: no double is closer to a contact
        o->hit = o->accepted = 1;
        o->cell = cell;
    }
}

// Puts the minima together; the sums and ors are the caller's.
TOI_INLINE void toi_join_outcome(const toi_cell_outcome *o, toi_findings *next)
{
    if (toi_touches_before(&o->touched, &next->touched))
        next->touched = o->touched;
    if (o->accepted && toi_goes_before(&o->cell, &next->found))
        next->found = o->cell;
    for (int i = 0; i < o->remain; ++i)
        if (toi_goes_before(&o->left[i], &next->first))
            next->first = o->left[i];
}

// ---- Levels

TOI_INLINE void toi_report_queued(int edge_edge, const toi_queued *q, const toi_query *asked,
                                  toi_query_result *result)
{
    const toi_findings *f = &q->now;
    const toi_cell *cell = f->found.lo[0] < HUGE_VAL ? &f->found : &f->first;
    double points[2][4][3], shrink, p[3];
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    int touched = f->touched.time < HUGE_VAL;
    if (touched) { // that place, not the middle of a large cell
        u = f->touched.u;
        v = f->touched.v;
    }
    if (!edge_edge) // cells reach a little beyond the side they were cut at
        v = toi_min(v, 1 - u);
    result->state = f->hit || touched ? TOI_HIT : TOI_UNDECIDED;
    result->time = q->bound;
    result->u = u;
    result->v = v;
    toi_pair_motion m;
    toi_contact_frame frame;
    for (int i = 0; i < 12; ++i) {
        points[0][i / 3][i % 3] = asked->start[i / 3][i % 3];
        points[1][i / 3][i % 3] = asked->end[i / 3][i % 3];
    }
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    frame.e_size = toi_largest_end(m.e);
    frame.g_size = toi_largest_end(m.g);
    toi_motion_at(&m, &result->time, p, frame.e, frame.g);
    toi_take_speed(&m, &u, &v, frame.speed);
    toi_hit_place at = {asked->start[0], asked->end[0], result->time, u, v};
    toi_find_normal(edge_edge, &at, &frame, result->normal);
}

// Begins a level of a query: ends it where nothing waits, where no contact can be in time, or where
// its cells would exceed a budget.
TOI_INLINE void toi_begin_level(int edge_edge, const toi_narrow_def *def, const toi_query *asked,
                                toi_queued *q, toi_query_result *result)
{
    if (q->ended)
        return;
    q->now = q->next;
    q->next.waiting = 0;
    toi_set_nowhere(&q->next.first);
    const toi_findings *f = &q->now;
    double earliest = toi_min(toi_min(f->found.lo[0], f->first.lo[0]), f->touched.time);
    q->bound = toi_max(q->bound, earliest);
    int refining = f->hit && !(def->no_zero_time && f->first.lo[0] == 0);
    if (f->waiting == 0 || f->waiting > TOI_MOST_WAITING || q->bound > def->t_max ||
        f->waiting > def->max_iterations - q->iterations ||
        (refining && f->waiting > TOI_REFINEMENTS - q->refinements)) {
        q->ended = 1;
        result->iterations = q->iterations;
        if (q->bound <= def->t_max)
            toi_report_queued(edge_edge, q, asked, result);
        return;
    }
    q->iterations += f->waiting;
    q->refinements += refining ? f->waiting : 0;
}

#endif
