// Breadth-first inclusion: the cells of many queries in one queue, a level at a time (Belgrod et
// al. 2023, algorithm 3), re-run with half of the queries where the queue overflows (section 6.4).
// docs/inclusion.md, section 8.
//
// A level reads what the levels before it found and writes what the next will read; what a level
// finds is put together by minima, sums and ors. So the order of the cells within a level does not
// matter, nor do the other queries of the queue, nor how often it was re-run: the form that many
// threads can work on at once.

#include "kernel/cells.h"

#include "base/simd.h"
#include "narrow/inclusion.h"

#include <math.h>

enum
{
    MOST_QUERIES = 512, // in the queue at once
    MOST_CELLS = 1 << 13,
    MOST_WAITING = 1 << 10 // of one query
};

_Static_assert(MOST_QUERIES <= MOST_CELLS && 2 * MOST_WAITING <= MOST_CELLS,
               "queries must fit, and one alone never overflows");

// What is known of a query between two levels.
typedef struct findings
{
    toi_cell found; // the earliest accepted cell: t* of the paper; at infinity where there is none
    toi_cell first; // the earliest cell that waits
    int32_t waiting;
    toi_touch touched;
    bool hit; // some cell came within the tolerance
} findings;

typedef struct queued
{
    toi_inclusion query;
    const toi_query *asked;
    toi_query_result *result;
    int32_t iterations;
    int32_t refinements;
    findings now;  // before the level
    findings next; // after it
    double bound;  // no contact is earlier than this
    bool ended;
} queued;

typedef struct entry
{
    toi_cell cell;
    int32_t owner; // index into the queries
} entry;

typedef struct queue
{
    queued queries[MOST_QUERIES];
    entry cells[2][MOST_CELLS];
} queue;

#if defined(TOI_ISA_baseline)
int64_t toi_queue_scratch_bytes(void)
{
    return (int64_t)sizeof(queue);
}
#endif

static const toi_cell NOWHERE = {{INFINITY, 0, 0}, {INFINITY, 0, 0}};

// A total order, so that the least of some cells is the same whatever their order.
static bool goes_before(const toi_cell *a, const toi_cell *b)
{
    for (int i = 0; i < 3; ++i)
        if (a->lo[i] != b->lo[i])
            return a->lo[i] < b->lo[i];
    for (int i = 0; i < 3; ++i)
        if (a->hi[i] != b->hi[i])
            return a->hi[i] < b->hi[i];
    return false;
}

static void keep_earlier(const toi_cell *cell, toi_cell *least)
{
    if (goes_before(cell, least))
        *least = *cell;
}

static void keep_earlier_touch(const toi_touch *touched, toi_touch *least)
{
    bool earlier = touched->time < least->time;
    if (touched->time == least->time)
        earlier = touched->u < least->u || (touched->u == least->u && touched->v < least->v);
    if (earlier)
        *least = *touched;
}

// Examines one cell: what it finds goes to q->next; returns how many cells are left of it.
static int process(queued *q, toi_cell cell, toi_cell left[2])
{
    if (cell.lo[0] >= q->now.found.lo[0])
        return 0;
    toi_expansion x;
    toi_touch touched = q->now.touched;
    bool again, narrow = false;
    toi_cell_verdict v = toi_examine_cell(&q->query, &cell, &touched, &x, &again, &narrow);
    keep_earlier_touch(&touched, &q->next.touched);
    if (v == TOI_CELL_EXCLUDED)
        return 0;
    q->next.hit |= narrow;
    if (v == TOI_CELL_OPEN && again) {
        left[0] = cell;
        return 1;
    }
    if (v == TOI_CELL_OPEN && toi_split_cell(&q->query, &cell, &x, left))
        return 2;
    q->next.hit = true; // accepted, or too small to be cut: no double is closer to a contact
    keep_earlier(&cell, &q->next.found);
    return 0;
}

static void end_query(const toi_narrow_def *def, queued *q)
{
    const findings *f = &q->now;
    bool hit = f->hit || f->touched.time < INFINITY;
    q->ended = true;
    q->result->iterations = q->iterations;
    if (q->bound <= def->t_max)
        toi_report_cell(&q->query, q->asked, hit ? TOI_HIT : TOI_UNDECIDED, q->bound, &f->touched,
                        f->found.lo[0] < INFINITY ? &f->found : &f->first, q->result);
}

// Begins a level of a query: ends it where nothing waits, where no contact can be in time, or where
// its cells would exceed a budget. t_max ends a query or leaves it as it is, so that a time that is
// not later has the same bits with and without it.
static void begin_level(const toi_narrow_def *def, queued *q)
{
    if (q->ended)
        return;
    q->now = q->next;
    q->next.waiting = 0;
    q->next.first = NOWHERE;
    const findings *f = &q->now;
    // Everything before was excluded by proof. The bound of an earlier level holds as well.
    double earliest = toi_min(toi_min(f->found.lo[0], f->first.lo[0]), f->touched.time);
    q->bound = toi_max(q->bound, earliest);
    bool refining = f->hit && !(def->no_zero_time && f->first.lo[0] == 0);
    if (f->waiting == 0 || f->waiting > MOST_WAITING || q->bound > def->t_max ||
        f->waiting > def->max_iterations - q->iterations ||
        (refining && f->waiting > TOI_REFINEMENTS - q->refinements)) {
        end_query(def, q);
        return;
    }
    q->iterations += f->waiting;
    q->refinements += refining ? f->waiting : 0;
}

// Examines the cells of one level; returns how many wait for the next, or -1 where the queue is too
// small for them.
static int examine_level(queued *queries, const entry *cells, int count, entry *next)
{
    int waiting = 0;
    for (int i = 0; i < count; ++i) {
        queued *q = &queries[cells[i].owner];
        if (q->ended)
            continue;
        toi_cell left[2];
        int remain = process(q, cells[i].cell, left);
        if (waiting + remain > MOST_CELLS)
            return -1;
        for (int n = 0; n < remain; ++n) {
            next[waiting++] = (entry){left[n], cells[i].owner};
            keep_earlier(&left[n], &q->next.first);
        }
        q->next.waiting += remain;
    }
    return waiting;
}

static void start_query(queued *q)
{
    const toi_cell whole = {{0, 0, 0}, {1, 1, 1}};
    q->iterations = q->refinements = 0;
    q->next = (findings){NOWHERE, whole, 1, {INFINITY, 0, 0, 0}, false};
    q->bound = 0;
    q->ended = false;
}

// Runs `count` queries to their ends. False: the queue overflowed, and they must be run again,
// fewer at a time.
static bool run(const toi_narrow_def *def, queued *queries, int count, entry cells[2][MOST_CELLS])
{
    int waiting = count;
    for (int i = 0; i < count; ++i) {
        start_query(&queries[i]);
        cells[0][i] = (entry){queries[i].next.first, i};
    }
    for (int level = 0; waiting >= 0; ++level) {
        for (int i = 0; i < count; ++i)
            begin_level(def, &queries[i]);
        if (waiting == 0)
            return true;
        waiting = examine_level(queries, cells[level % 2], waiting, cells[(level + 1) % 2]);
    }
    return false;
}

// Halves the number of queries where they overflow the queue, and doubles it again after.
static void run_parts(const toi_narrow_def *def, queue *q, int count)
{
    int size = count;
    for (int first = 0; first < count;) {
        int part = size < count - first ? size : count - first;
        bool done = run(def, q->queries + first, part, q->cells);
        first += done ? part : 0;
        size = done ? 2 * part : part / 2;
    }
}

toi_narrow_solve_fn TOI_ISA_NAME(toi_solve_queue);

void TOI_ISA_NAME(toi_solve_queue)(const toi_narrow_batch *batch)
{
    queue *q = batch->scratch;
    int count = 0;
    toi_clear_results(batch);
    for (int64_t first = 0; first < batch->count; first += TOI_FILTER_LANES) {
        toi_filtered left[TOI_FILTER_LANES];
        int lanes = toi_filter_queries(batch, first, left);
        for (int i = 0; i < lanes; ++i) {
            toi_prepare_inclusion(batch, &left[i], &q->queries[count].query);
            q->queries[count].asked = &batch->queries[left[i].index];
            q->queries[count++].result = &batch->results[left[i].index];
        }
        if (count > MOST_QUERIES - TOI_FILTER_LANES || first + TOI_FILTER_LANES >= batch->count) {
            run_parts(batch->def, q, count);
            count = 0;
        }
    }
}
