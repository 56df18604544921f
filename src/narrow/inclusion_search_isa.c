// The search of Tight-Inclusion: cells of (t, u, v) are examined in order of their first time until
// one is accepted as a contact or none is left (Belgrod et al., section 6.3; docs/inclusion.md,
// section 6).

#include "kernel/inclusion.h"

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
    MOST_WAITING = 1 << 13,
    // Cells examined for an earlier time once the query is known to be a hit. Most hits need a few.
    REFINEMENTS = 256
};

// A contact's time is refined to this, however slow the motion; most come out far sharper.
#define TIME_RESOLUTION 0x1p-20

typedef struct search
{
    toi_inclusion query;
    double grid; // keys are multiples of 1 / grid; 0: keys are the times themselves
    bool no_zero_time;
    waiting *heap;
    int waiting;
    int64_t born;
    int32_t iterations;
    int32_t most_iterations;
    int32_t refinements;
    double touched; // with a separation: a time at which some pair of points is within it
    double touched_u, touched_v;
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
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 8; ++i) {
            q->p[end][i] = i % 4 < 3 ? f->p[end][i % 4] : 0;
            q->e[end][i] = i % 4 < 3 ? f->e[end][i % 4] : 0;
            q->g[end][i] = i % 4 < 3 ? f->g[end][i % 4] : 0;
        }
    double separation =
        batch->separations ? batch->separations[f->index] : batch->def->min_separation;
    // F is below 16 in size now, so larger tolerances mean the same as 1024, and stay finite.
    q->separation = fmin(separation * f->scale, 1024);
    q->tolerance = fmin(batch->def->tolerance * f->scale, 1024);
    double speed = 0;
    for (int k = 0; k < 3; ++k) {
        q->dp[k] = f->p[1][k] - f->p[0][k];
        q->de[k] = f->e[1][k] - f->e[0][k];
        q->dg[k] = f->g[1][k] - f->g[0][k];
        q->size[k] = f->size[k];
        q->threshold[k] =
            (f->size[k] * (8 * TOI_UNIT) + q->separation + TOI_TINY) * (1 + 4 * TOI_UNIT);
        speed = fmax(speed, fabs(q->dp[k]) + fabs(q->de[k]) + fabs(q->dg[k]));
    }
    q->triangle = batch->kind == TOI_VERTEX_FACE;
    s->no_zero_time = batch->def->no_zero_time;
    // Times closer than the tolerance takes to cross are one time to the queue; a power of two
    // keeps the multiplication exact.
    int exponent;
    frexp(fmin(fmax(speed / q->tolerance, 0x1p4), 0x1p40), &exponent);
    s->grid = s->no_zero_time ? 0 : ldexp(1, exponent);
}

typedef enum verdict
{
    EXCLUDED,
    ACCEPTED,
    OPEN
} verdict;

// Compares the box of F over a cell with what counts as zero.
static verdict judge_hull(const search *s, const toi_cell *cell, bool *narrow)
{
    const toi_inclusion *q = &s->query;
    toi_hull hull;
    toi_cell_hull(q, cell, &hull);
    bool inside = true;
    *narrow = true;
    for (int k = 0; k < 3; ++k) {
        if (hull.lo[k] > q->threshold[k] || hull.hi[k] < -q->threshold[k])
            return EXCLUDED;
        inside &= hull.lo[k] >= -q->threshold[k] && hull.hi[k] <= q->threshold[k];
        *narrow &= hull.hi[k] - hull.lo[k] <= q->tolerance;
    }
    // Inside, every point is a contact as far as doubles can tell: nothing is left to refine.
    return inside ? ACCEPTED : OPEN;
}

// With a separation contact is not a point but a region of (t, u, v), and only its first time is
// wanted: a pair of points that is within the separation at some time bounds that time from above.
static bool is_early_enough(search *s, const toi_cell *cell)
{
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    double time = !s->query.triangle || u + v <= 1 ? toi_entry_time(&s->query, u, v) : INFINITY;
    if (time < s->touched) {
        s->touched = time;
        s->touched_u = u;
        s->touched_v = v;
    }
    if (s->no_zero_time && cell->lo[0] == 0)
        return s->touched == 0;
    return cell->lo[0] >= s->touched - TIME_RESOLUTION;
}

// Examines a cell once: judges it, shrinks it, and says whether shrinking is worth repeating.
// *narrow: the cell is within the tolerance, so the query is a hit; what is left to find is how
// early.
static verdict examine(search *s, toi_cell *cell, toi_expansion *x, bool *again, bool *narrow)
{
    *again = false;
    if (s->query.triangle && !toi_clip_cell(cell))
        return EXCLUDED;
    verdict v = judge_hull(s, cell, narrow);
    if (v != OPEN)
        return v;
    if (s->query.separation > 0) {
        if (is_early_enough(s, cell))
            return ACCEPTED;
        cell->hi[0] = toi_min(cell->hi[0], s->touched);
    }
    toi_cell old = *cell;
    if (!toi_shrink_cell(&s->query, cell, x))
        return EXCLUDED;
    for (int a = 0; a < 3; ++a)
        *again |= cell->hi[a] - cell->lo[a] < 0.5 * (old.hi[a] - old.lo[a]);
    bool done = *narrow && cell->hi[0] - cell->lo[0] <= TIME_RESOLUTION &&
                !(s->no_zero_time && cell->lo[0] == 0);
    return done && !*again ? ACCEPTED : OPEN;
}

// |F| at the centre of a cell's first face.
static double centre_size(const toi_inclusion *q, const toi_cell *cell)
{
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    double t = cell->lo[0], value[3];
    for (int k = 0; k < 3; ++k)
        value[k] = (q->p[0][k] + t * q->dp[k]) + u * (q->e[0][k] + t * q->de[k]) +
                   v * (q->g[0][k] + t * q->dg[k]);
    return toi_max3(value);
}

// Cuts the cell across the variable that moves F most. False: it is too small to be cut.
static bool split(const search *s, const toi_cell *cell, const toi_expansion *x, toi_cell halves[2])
{
    const double *slopes[3] = {x->dt, x->du, x->dv};
    bool zero = s->no_zero_time && cell->lo[0] == 0;
    int best = -1;
    double most = -1;
    for (int a = 0; a < 3; ++a) {
        double middle = 0.5 * (cell->lo[a] + cell->hi[a]);
        if (!(middle > cell->lo[a] && middle < cell->hi[a]))
            continue;
        double reach = (cell->hi[a] - cell->lo[a]) * toi_max3(slopes[a]);
        if (reach > most) {
            most = reach;
            best = a;
        }
    }
    // Below the tolerance only the time matters to a caller that wants it off zero.
    if (zero && most <= s->query.tolerance && 0.5 * cell->hi[0] > 0)
        best = 0;
    if (best < 0)
        return false;
    halves[0] = halves[1] = *cell;
    double middle = 0.5 * (cell->lo[best] + cell->hi[best]);
    halves[0].hi[best] = middle;
    halves[1].lo[best] = middle;
    // The earlier half goes first; of two equally early ones that where F is smaller.
    if (best > 0 && centre_size(&s->query, &halves[1]) < centre_size(&s->query, &halves[0])) {
        toi_cell swapped = halves[0];
        halves[0] = halves[1];
        halves[1] = swapped;
    }
    return true;
}

static void unit_normal(const toi_expansion *x, double normal[3])
{
    double n[3];
    toi_cross3(x->du, x->dv, n);
    double scale = toi_max3(n), reach = toi_max3(x->du) * toi_max3(x->dv);
    if (!(scale > 1e-12 * reach)) { // no plane: fall back on the motion, then on the gap
        for (int k = 0; k < 3; ++k)
            n[k] = -x->dt[k];
        scale = toi_max3(n);
    }
    if (!(scale > 0)) {
        for (int k = 0; k < 3; ++k)
            n[k] = x->value[k];
        scale = toi_max3(n);
    }
    if (!(scale > 0))
        return;
    for (int k = 0; k < 3; ++k)
        n[k] /= scale;
    double length = sqrt(toi_dot3(n, n));
    if (toi_dot3(n, x->dt) > 0)
        length = -length;
    for (int k = 0; k < 3; ++k)
        normal[k] = n[k] / length + 0.0;
}

// `time` is not later than any zero of F; `cell` is where one was found.
static void report(const search *s, toi_state state, const toi_cell *cell, double time,
                   toi_query_result *result)
{
    double u = 0.5 * (cell->lo[1] + cell->hi[1]), v = 0.5 * (cell->lo[2] + cell->hi[2]);
    if (s->touched < INFINITY) { // the place that is known to touch, not the middle of a large cell
        u = s->touched_u;
        v = s->touched_v;
    }
    if (s->query.triangle) // cells reach a little beyond the side they were cut at
        v = toi_min(v, 1 - u);
    toi_cell at = {{time, u, v}, {time, u, v}};
    toi_expansion x;
    toi_expand(&s->query, &at, &x);
    result->state = state;
    result->time = time;
    result->u = u;
    result->v = v;
    unit_normal(&x, result->normal);
}

// Examines a cell until shrinking it no longer pays; OPEN with s->spent set when a budget runs out.
static verdict settle(search *s, toi_cell *cell, toi_expansion *x)
{
    verdict v = OPEN;
    bool again = true;
    while (v == OPEN && again) {
        if (s->iterations >= s->most_iterations || s->waiting + 2 > MOST_WAITING ||
            s->refinements >= REFINEMENTS) {
            s->spent = true;
            return OPEN;
        }
        bool narrow = false;
        ++s->iterations;
        v = examine(s, cell, x, &again, &narrow);
        s->hit |= v == ACCEPTED || (v == OPEN && narrow);
        s->refinements += s->hit && !(s->no_zero_time && cell->lo[0] == 0);
    }
    return v;
}

void TOI_ISA_NAME(toi_search_cells)(const toi_narrow_batch *batch, const toi_filtered *query);

void TOI_ISA_NAME(toi_search_cells)(const toi_narrow_batch *batch, const toi_filtered *query)
{
    search s = {
        .heap = batch->scratch, .most_iterations = batch->def->max_iterations, .touched = INFINITY};
    prepare(batch, query, &s);
    double last_key = time_key(&s, batch->def->t_max);
    toi_cell found = {{INFINITY, 0, 0}, {INFINITY, 0, 0}}, cell = found, halves[2];
    toi_expansion x;
    push(&s, &(toi_cell){{0, 0, 0}, {1, 1, 1}});
    while (s.waiting > 0 && !s.spent && (found.lo[0] < INFINITY || s.heap[0].key <= last_key)) {
        cell = pop(&s);
        if (cell.lo[0] >= found.lo[0])
            continue;
        verdict v = settle(&s, &cell, &x);
        if (s.spent || (v == OPEN && s.waiting > 0 && time_key(&s, cell.lo[0]) > s.heap[0].key))
            push(&s, &cell); // turned out later than another: that one first
        else if (v == OPEN && split(&s, &cell, &x, halves)) {
            push(&s, &halves[1]);
            push(&s, &halves[0]);
        } else if (v != EXCLUDED) {
            s.hit = true; // accepted, or too small to be cut: no double is closer to a contact
            if (cell.lo[0] < found.lo[0])
                found = cell;
        }
    }
    if (s.touched < found.lo[0]) { // cells were cut off there, so nothing later was looked at
        s.hit = true;
        found = cell;
        found.lo[0] = s.touched;
    }
    toi_query_result *result = &batch->results[query->index];
    result->iterations = s.iterations;
    double time = s.spent ? earliest_left(&s, found.lo[0]) : found.lo[0];
    if (time <= batch->def->t_max)
        report(&s, s.hit ? TOI_HIT : TOI_UNDECIDED, found.lo[0] < INFINITY ? &found : &cell, time,
               result);
}
