// The search of Tight-Inclusion: cells of (t, u, v) are examined in order of their first time until
// one is accepted as a contact or none is left (Belgrod et al., section 6.3; docs/inclusion.md,
// section 6).

#include "kernel/cells.h"

#include "base/simd.h"
#include "narrow/inclusion.h"

#include <math.h>

// A cell waiting to be examined.
typedef struct waiting
{
    toi_cell cell;
    double key;   // its first time, rounded down to the query's grid of times
    int64_t born; // of equal keys the youngest goes first: a family of equally early cells is
                  // searched in depth
} waiting;

enum
{
    MOST_WAITING = 1 << 13
};

typedef struct search
{
    toi_inclusion query;
    double grid; // keys are multiples of 1 / grid; 0: keys are the times themselves
    waiting *heap;
    int waiting;
    int64_t born;
    int32_t iterations;
    int32_t most_iterations;
    int32_t refinements;
    toi_touch touched;
    bool hit;   // some cell came within the tolerance
    bool spent; // a budget ran out with cells still waiting
} search;

#if defined(TOI_ISA_baseline)
int64_t toi_search_scratch_bytes(void)
{
    return MOST_WAITING * (int64_t)sizeof(waiting);
}
#endif

static bool goes_before(const waiting *a, const waiting *b)
{
    return a->key < b->key || (a->key == b->key && a->born > b->born);
}

static double time_key(const search *s, double time)
{
    return s->grid > 0 ? floor(time * s->grid) : time;
}

// The caller makes sure that there is room.
static void push(search *s, const toi_cell *cell)
{
    waiting entry = {*cell, time_key(s, cell->lo[0]), s->born++};
    int i = s->waiting++;
    while (i > 0 && goes_before(&entry, &s->heap[(i - 1) / 2])) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = entry;
}

static toi_cell pop(search *s)
{
    toi_cell top = s->heap[0].cell;
    waiting entry = s->heap[--s->waiting];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= s->waiting)
            break;
        if (child + 1 < s->waiting && goes_before(&s->heap[child + 1], &s->heap[child]))
            ++child;
        if (!goes_before(&s->heap[child], &entry))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = entry;
    return top;
}

// No zero of F that has not been ruled out is earlier than this.
static double earliest_left(const search *s, double time)
{
    for (int i = 0; i < s->waiting; ++i)
        if (s->heap[i].cell.lo[0] < time)
            time = s->heap[i].cell.lo[0];
    return time;
}

static void prepare(const toi_narrow_batch *batch, const toi_filtered *f, search *s)
{
    toi_inclusion *q = &s->query;
    toi_prepare_inclusion(batch, f, q);
    double speed = 0;
    for (int k = 0; k < 3; ++k)
        speed = fmax(speed, fabs(q->dp[k]) + fabs(q->de[k]) + fabs(q->dg[k]));
    // Times closer than the tolerance takes to cross are one time to the queue; a power of two
    // keeps the multiplication exact.
    int exponent;
    frexp(fmin(fmax(speed / q->tolerance, 0x1p4), 0x1p40), &exponent);
    s->grid = q->no_zero_time ? 0 : ldexp(1, exponent);
}

// Examines a cell until shrinking it no longer pays; open with s->spent set when a budget runs out.
static toi_cell_verdict settle(search *s, toi_cell *cell, toi_expansion *x)
{
    toi_cell_verdict v = TOI_CELL_OPEN;
    bool again = true;
    while (v == TOI_CELL_OPEN && again) {
        if (s->iterations >= s->most_iterations || s->waiting + 2 > MOST_WAITING ||
            s->refinements >= TOI_REFINEMENTS) {
            s->spent = true;
            return TOI_CELL_OPEN;
        }
        bool narrow = false;
        ++s->iterations;
        v = toi_examine_cell(&s->query, cell, &s->touched, x, &again, &narrow);
        s->hit |= v == TOI_CELL_ACCEPTED || (v == TOI_CELL_OPEN && narrow);
        s->refinements += s->hit && !(s->query.no_zero_time && cell->lo[0] == 0);
    }
    return v;
}

void TOI_ISA_NAME(toi_search_cells)(const toi_narrow_batch *batch, const toi_filtered *query);

void TOI_ISA_NAME(toi_search_cells)(const toi_narrow_batch *batch, const toi_filtered *query)
{
    search s = {.heap = batch->scratch,
                .most_iterations = batch->def->max_iterations,
                .touched = {INFINITY, 0, 0, 0}};
    prepare(batch, query, &s);
    double last_key = time_key(&s, batch->def->t_max);
    toi_cell found = {{INFINITY, 0, 0}, {INFINITY, 0, 0}}, cell = found, halves[2];
    toi_expansion x;
    push(&s, &(toi_cell){{0, 0, 0}, {1, 1, 1}});
    while (s.waiting > 0 && !s.spent && (found.lo[0] < INFINITY || s.heap[0].key <= last_key)) {
        cell = pop(&s);
        if (cell.lo[0] >= found.lo[0])
            continue;
        toi_cell_verdict v = settle(&s, &cell, &x);
        if (s.spent ||
            (v == TOI_CELL_OPEN && s.waiting > 0 && time_key(&s, cell.lo[0]) > s.heap[0].key))
            push(&s, &cell); // turned out later than another: that one first
        else if (v == TOI_CELL_OPEN && toi_split_cell(&s.query, &cell, &x, halves)) {
            push(&s, &halves[1]);
            push(&s, &halves[0]);
        } else if (v != TOI_CELL_EXCLUDED) {
            s.hit = true; // accepted, or too small to be cut: no double is closer to a contact
            if (cell.lo[0] < found.lo[0])
                found = cell;
        }
    }
    if (s.touched.time < found.lo[0]) { // cells were cut off there, so nothing later was looked at
        s.hit = true;
        found = cell;
        found.lo[0] = s.touched.time;
    }
    toi_query_result *result = &batch->results[query->index];
    result->iterations = s.iterations;
    double time = s.spent ? earliest_left(&s, found.lo[0]) : found.lo[0];
    if (time <= batch->def->t_max)
        toi_report_cell(&s.query, &batch->queries[query->index], s.hit ? TOI_HIT : TOI_UNDECIDED,
                        time, &s.touched, found.lo[0] < INFINITY ? &found : &cell, result);
}
