// Steps with memory: the order of the primitives and their bounds go on from step to step, and
// budgets where the motion is small.

#include "track/kept.h"

#include "base/simd.h"
#include "broad/tree/curve.h"
#include "ccd/corners.h"
#include "ccd/pipeline.h"
#include "mesh/mesh.h"

#include <float.h>
#include <math.h>
#include <string.h>

toi_refit_blocks_fn toi_refit_blocks_baseline, toi_refit_blocks_avx2, toi_refit_blocks_avx512;

typedef toi_kept_steps kept_steps;

// ---- The order and the bounds

static void forget_kept(void *memory)
{
    kept_steps *k = memory;
    if (!k)
        return;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_free_block_front(&k->fronts[kind]);
    for (int i = 0; i < 3; ++i)
        toi_give_back(k->trees[i].ways);
    toi_give_back(k->moved);
    toi_free_mesh_order(&k->order); // and the trees with it
    toi_give_back(k);
}

// Something that is done with the blocks of all trees.
typedef struct block_job block_job;
typedef void block_fn(block_job *job, toi_kept_tree *kept, int64_t first, int64_t end);
struct block_job
{
    block_fn *work;
    toi_kept_tree *trees;
    int64_t pieces[4]; // before those of each tree
    toi_refit refit;   // but for the tree
    toi_refit_blocks_fn *kernel;
    bool whole; // boxes of the whole step are set
    float margin;
    _Atomic bool left;
};

enum
{
    BLOCKS_A_PIECE = TOI_PIECE / TOI_BLOCK // of level 1 whole blocks
};

static toi_status run_pieces(void *context, int64_t first, int64_t end)
{
    block_job *job = context;
    for (int64_t piece = first, i = 0; piece < end; ++piece) {
        while (piece >= job->pieces[i + 1])
            ++i;
        toi_kept_tree *kept = &job->trees[i];
        int64_t from = (piece - job->pieces[i]) * BLOCKS_A_PIECE, to = from + BLOCKS_A_PIECE;
        job->work(job, kept, from, to < kept->tree.blocks[0] ? to : kept->tree.blocks[0]);
    }
    return TOI_OK;
}

static void for_all_blocks(const toi_pipeline *p, kept_steps *k, block_job *job)
{
    job->trees = k->trees;
    for (int i = 0; i < 3; ++i)
        job->pieces[i + 1] =
            job->pieces[i] + (k->trees[i].tree.blocks[0] + BLOCKS_A_PIECE - 1) / BLOCKS_A_PIECE;
    toi_parallel_ranges(p->workers, job->pieces[3], 1, run_pieces, job); // does not fail
}

static inline void take_whole_box(const toi_tree *tree, int64_t block, toi_box_row *box)
{
    *box = tree->ends[block][0];
    toi_widen_row(box, &tree->ends[block][1]);
}

// Boxes of the whole step, and of level 1 over them.
static void set_boxes(block_job *job, toi_kept_tree *kept, int64_t first, int64_t end)
{
    (void)job;
    const toi_tree *tree = &kept->tree;
    for (int64_t b = first; b < end; ++b) {
        take_whole_box(tree, b, &tree->boxes[b][0]);
        tree->boxes[b][1] = tree->boxes[b][0];
    }
    toi_raise_blocks(tree, first, end);
}

static void refit_blocks(block_job *job, toi_kept_tree *kept, int64_t first, int64_t end)
{
    toi_refit refit = job->refit;
    refit.kept = kept;
    job->kernel(&refit, first, end);
    if (job->whole)
        set_boxes(job, kept, first, end);
}

static void refit(const toi_pipeline *p, kept_steps *k, toi_step_start start, bool ways_alone)
{
    static toi_refit_blocks_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_refit_blocks);
    block_job job = {.work = refit_blocks,
                     .refit = {k->order.moving, k->order.pad, start, ways_alone, NULL},
                     .kernel = kernels[toi_simd_level()],
                     .whole = !ways_alone && !k->fat};
    for (int i = 0; i < 3 && start == TOI_START_AT_END; ++i) {
        toi_tree *tree = &k->trees[i].tree;
        toi_tree_block *blocks = tree->level[0];
        tree->level[0] = tree->far;
        tree->far = blocks;
    }
    for_all_blocks(p, k, &job);
    k->whole |= job.whole;
}

// ---- From step to step

static toi_status make_trees(toi_pipeline *p, kept_steps *k)
{
    toi_mesh_boxes boxes = {
        .mesh = &p->mesh, .min_separation = k->min_separation, .moving = true, .lasting = true};
    toi_broad_job job = {.workers = p->workers, .budget = p->budget};
    toi_tree *trees[3] = {&k->trees[0].tree, &k->trees[1].tree, &k->trees[2].tree};
    return toi_make_primitive_trees(&boxes, &k->order, &job, trees);
}

static toi_status make_kept(toi_pipeline *p, kept_steps **made)
{
    kept_steps *k = toi_take(p->budget, 1, sizeof *k);
    *made = k;
    if (!k)
        return toi_allocation_status();
    *k = (kept_steps){.min_separation = p->def->narrow.min_separation, .whole = true};
    k->moved = toi_take(p->budget, p->mesh.end.count / TOI_PIECE + 1, sizeof *k->moved);
    toi_status status = k->moved ? make_trees(p, k) : toi_allocation_status();
    if (status != TOI_OK)
        return status;
    k->edge = toi_kept_mean_edge(p, k);
    k->looseness = toi_kept_looseness(k);
    return TOI_OK;
}

// Levels above the first.
static void raise_trees(const toi_pipeline *p, kept_steps *k)
{
    toi_tree *trees[3] = {&k->trees[0].tree, &k->trees[1].tree, &k->trees[2].tree};
    toi_raise_trees(trees, 3, 2, p->workers);
}

// Is every block still in the box that fronts were made with?
static void compare_boxes(block_job *job, toi_kept_tree *kept, int64_t first, int64_t end)
{
    const toi_tree *tree = &kept->tree;
    bool left = job->left;
    for (int64_t b = first; b < end && !left; ++b) {
        toi_box_row box = tree->boxes[b][0], wider = box, whole;
        take_whole_box(tree, b, &whole);
        toi_widen_row(&wider, &whole);
        left = memcmp(&wider, &box, sizeof box) != 0;
    }
    if (left)
        job->left = true;
}

static bool are_boxes_held(const toi_pipeline *p, kept_steps *k)
{
    block_job job = {.work = compare_boxes};
    for_all_blocks(p, k, &job);
    return !job.left;
}

enum
{
    STEPS_AHEAD = 16
};

// Boxes of the whole step with a margin, and to where they would be after some more steps like it.
// Finite: idle lanes lie beyond them.
static void set_fat_boxes(block_job *job, toi_kept_tree *kept, int64_t first, int64_t end)
{
    const toi_tree *tree = &kept->tree;
    for (int64_t b = first; b < end; ++b) {
        toi_box_row box, way = kept->ways[b];
        take_whole_box(tree, b, &box);
        for (int s = 0; s < 8; ++s)
            if (s % 4 < 3)
                box[s] = fmaxf(box[s] - (job->margin + (way[s] < 0 ? -STEPS_AHEAD * way[s] : 0)),
                               -FLT_MAX);
        tree->boxes[b][0] = tree->boxes[b][1] = box;
    }
    toi_raise_blocks(tree, first, end);
}

static toi_budget_search budget_search(kept_steps *k, toi_kind kind)
{
    bool edges = kind == TOI_EDGE_EDGE;
    const toi_kept_tree *packets = &k->trees[edges ? TOI_EDGE : TOI_FACE];
    const toi_kept_tree *tree = edges ? packets : &k->trees[TOI_VERTEX];
    const toi_mesh_order *order = &k->order;
    return (toi_budget_search){
        .search = {.packets = &packets->tree, .tree = &tree->tree, .context = order},
        .packet_ways = packets->ways,
        .tree_ways = tree->ways,
        .front = &k->fronts[kind],
        .rows = order->moving,
        .reserve = (float)(2 * order->radius * order->scale * (1 + 0x1p-20)) * (1 + 0x1p-20f) +
                   4 * order->error,
        .most = (float)(0.3 * k->edge),
        .least = (float)(k->edge / 32)};
}

static bool has_front(const kept_steps *k, int kind)
{
    return k->trees[kind == TOI_EDGE_EDGE ? TOI_EDGE : TOI_FACE].tree.count > 0;
}

static void drop_fronts(kept_steps *k)
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_free_block_front(&k->fronts[kind]);
    k->fat = false;
}

static void make_fronts(toi_pipeline *p, kept_steps *k)
{
    int64_t limit = p->scene->tracking.def.memory_limit;
    k->fat = true;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        if (has_front(k, kind)) {
            toi_budget_search search = budget_search(k, (toi_kind)kind);
            toi_make_block_front(&search, limit > 0 ? (limit + 1) / 2 : 0, p->workers, p->budget,
                                 search.front);
        }
}

static bool take_ways(const toi_pipeline *p, kept_steps *k)
{
    bool all = true;
    for (int i = 0; i < 3; ++i)
        if (!k->trees[i].ways && k->trees[i].tree.count > 0) {
            k->trees[i].ways = toi_take(p->budget, k->trees[i].tree.blocks[0], sizeof(toi_box_row));
            all &= k->trees[i].ways != NULL;
        }
    return all;
}

static void give_ways_back(kept_steps *k)
{
    for (int i = 0; i < 3; ++i) {
        toi_give_back(k->trees[i].ways);
        k->trees[i].ways = NULL;
    }
}

static void spend_budgets(const toi_pipeline *p, kept_steps *k, bool back)
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        if (has_front(k, kind)) {
            toi_budget_search search = budget_search(k, (toi_kind)kind);
            toi_spend_budgets(&search, back, p->workers);
        }
}

// Goes on from where the last step ended to where this one starts, at the expense of the budgets.
static void jump(const toi_pipeline *p, kept_steps *k)
{
    toi_set_kept_rows(p, k, NULL, &p->mesh.start);
    if (!k->fat)
        return;
    refit(p, k, TOI_START_ELSEWHERE, true);
    spend_budgets(p, k, false);
}

// Rows of this step, and the largest number in them; returns where it starts.
static toi_step_start move_on(const toi_pipeline *p, kept_steps *k, float *largest)
{
    bool follows = toi_seems_kept_to_follow(p, k);
    if (follows && toi_follow_kept_rows(p, k, largest))
        return TOI_START_AT_END;
    toi_step_start start = follows ? TOI_START_ELSEWHERE : toi_find_kept_start(p, k);
    if (start == TOI_START_ELSEWHERE)
        jump(p, k);
    else if (start == TOI_START_AT_START && k->fat)
        spend_budgets(p, k, true);
    *largest =
        toi_set_kept_rows(p, k, start == TOI_START_AT_END ? NULL : &p->mesh.start, &p->mesh.end);
    return start;
}

// Rows and bounds of this step; false: they have left the range that the error is for.
static bool advance(toi_pipeline *p, kept_steps *k)
{
    float largest;
    if (k->fat && !k->spent) // the last step ended early: some of its motion is in no budget
        drop_fronts(k);
    toi_step_start start = move_on(p, k, &largest);
    if (largest > k->order.largest || largest < k->order.largest / 16)
        return false;
    refit(p, k, start, false);
    return toi_kept_looseness(k) <= TOI_LOOSER * k->looseness;
}

// ---- Which method

// Relative ways, in mean edges. What all have in common costs no budget.
#define SLOW 0.010 // below it budgets last
#define FAST 0.016 // above it they do not

enum
{
    TRIED = 4,   // steps by budgets after which they may be far too slow
    JUDGED = 16, // steps over which their mean cost is taken: it differs much from step to step
    SHORT_PAUSE = 32,
    LONG_PAUSE = 1024
};

// Notes what the last step cost. One that made an order or all budgets says nothing about the next.
static void note_cost(toi_track_choice *c)
{
    double *cost = &c->cost[c->method];
    if (c->run > 1 && c->spent > 0) {
        if (c->method == TOI_TRACK_BUDGETS) {
            c->sum += c->spent;
            *cost = c->sum / ++c->summed;
        } else {
            *cost = *cost > 0 ? 0.75 * *cost + 0.25 * fmin(c->spent, 2 * *cost) : c->spent;
        }
    }
    c->spent = 0;
}

static void begin_sum(toi_track_choice *c)
{
    c->sum = 0;
    c->summed = 0;
}

static bool have_budgets_failed(toi_track_choice *c)
{
    double order = c->cost[TOI_TRACK_ORDER], budgets = c->cost[TOI_TRACK_BUDGETS];
    if (c->rebuilds > TRIED)
        return true;
    if (c->summed < JUDGED)
        return order > 0 && c->summed >= TRIED && budgets > 1.5 * order;
    begin_sum(c);
    return order > 0 && budgets > 0.97 * order;
}

static bool are_budgets_worth_it(toi_track_choice *c, double way)
{
    bool already = c->method == TOI_TRACK_BUDGETS;
    // What the others cost need not be known where it is clear.
    double most = already ? FAST : c->cost[TOI_TRACK_ORDER] > 0 ? SLOW : SLOW / 2;
    if (way > most)
        return false;
    if (c->pause > 0) {
        --c->pause;
        return false;
    }
    if (already && have_budgets_failed(c)) {
        c->pause = c->next_pause > 0 ? c->next_pause : SHORT_PAUSE;
        c->next_pause = 2 * c->pause < LONG_PAUSE ? 2 * c->pause : LONG_PAUSE;
        return false;
    }
    return true;
}

static toi_track_method choose_method(toi_tracking *t, const kept_steps *k)
{
    toi_track_choice *c = &t->choice;
    toi_track_method method = toi_tracking_method(t);
    if (method == TOI_TRACK_AUTO)
        method =
            are_budgets_worth_it(c, toi_kept_relative_way(k)) ? TOI_TRACK_BUDGETS : TOI_TRACK_ORDER;
    c->run = method == c->method && !t->report.reordered ? c->run + 1 : 1;
    if (c->run == 1)
        begin_sum(c);
    c->method = method;
    return method;
}

static void set_fronts(toi_pipeline *p, kept_steps *k)
{
    toi_track_choice *choice = &p->scene->tracking.choice;
    bool held = k->fat && are_boxes_held(p, k);
    choice->rebuilds = held ? 0 : choice->rebuilds + 1;
    if (held)
        return;
    block_job job = {.work = set_fat_boxes, .margin = (float)(0.1 * k->edge)};
    for_all_blocks(p, k, &job);
    k->whole = false;
    raise_trees(p, k);
    make_fronts(p, k);
    p->scene->tracking.report.rebuilt = true;
}

// A scene of less than about a megabyte gets its memory in small pages, and the system takes longer
// to clear one than a step has use for it.
static bool is_small(const toi_pipeline *p)
{
    enum
    {
        LARGE = 1 << 14 // primitives, of some 70 bytes
    };
    const toi_mesh *mesh = &p->mesh;
    return mesh->start.count + mesh->edges.count + mesh->faces.count < LARGE;
}

// Do steps without memory take a block as large as what the next one may keep?
static bool is_roomy(const toi_pipeline *p)
{
    return is_small(p) && p->budget->limit == 0;
}

static toi_status begin_anew(toi_pipeline *p)
{
    toi_tracking *t = &p->scene->tracking;
    if (t->choice.have_seen && !is_roomy(p)) // what steps without memory have left has other sizes
        toi_empty_store(p->budget);
    forget_kept(t->kept);
    t->kept = NULL;
    kept_steps *k;
    toi_status status = make_kept(p, &k);
    t->kept = k;
    t->report.reordered = true;
    return status;
}

static int64_t kept_bytes(const toi_pipeline *p, const kept_steps *k)
{
    int64_t bytes = p->mesh.start.count * (int64_t)(sizeof(toi_moving_row) + 2 * sizeof(int32_t));
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        bytes += toi_block_front_bytes(&k->fronts[kind]);
    for (int i = 0; i < 3; ++i) {
        const toi_tree *tree = &k->trees[i].tree;
        int64_t block = 2 * sizeof(toi_tree_block) + 4 * sizeof(toi_box_row) +
                        (1 + tree->corners) * TOI_BLOCK * (int64_t)sizeof(int32_t) +
                        (int64_t)sizeof(toi_label_range);
        block += k->trees[i].ways ? (int64_t)sizeof(toi_box_row) : 0;
        bytes += tree->blocks[0] * block;
        for (int l = 1; l < tree->levels; ++l)
            bytes += tree->blocks[l] * (int64_t)sizeof(toi_tree_block);
    }
    return bytes;
}

// Budgets for this step if they are chosen and there is memory for them; else bounds alone.
static void set_searches(toi_pipeline *p, kept_steps *k)
{
    toi_track_report *report = &p->scene->tracking.report;
    bool had_ways = k->trees[TOI_VERTEX].ways;
    report->method = choose_method(&p->scene->tracking, k);
    if (report->method == TOI_TRACK_BUDGETS && take_ways(p, k)) {
        if (!had_ways)
            refit(p, k, TOI_START_ELSEWHERE, true);
        set_fronts(p, k);
        return;
    }
    drop_fronts(k);
    give_ways_back(k);
    if (report->reordered) // then trees are those of the step already
        return;
    block_job job = {.work = set_boxes};
    if (!k->whole)
        for_all_blocks(p, k, &job);
    k->whole = true;
    raise_trees(p, k);
}

enum
{
    MOST_ALONE = 31
};

// Is this step made without memory, after some in vain?
static bool is_alone(toi_tracking *t)
{
    toi_track_choice *c = &t->choice;
    return toi_tracking_method(t) == TOI_TRACK_AUTO && c->alone > 0 && c->alone-- > 0;
}

// The first steps of a small scene keep nothing. Memory that is touched for the first time costs it
// more than the next step gains, or two; a few steps more, and that is little beside what they take
// all the same. A large one gets its memory in huge pages, at once.
static bool is_first(const toi_pipeline *p)
{
    enum
    {
        FIRST = 3
    };
    toi_tracking *t = &p->scene->tracking;
    return toi_tracking_method(t) == TOI_TRACK_AUTO && !t->kept && is_small(p) &&
           t->choice.first < FIRST && ++t->choice.first > 0;
}

// What was kept is of no use to this step. Is this step to make it anew? Not where nothing is like
// it was: there this step and some more are made without memory, more of them each time.
static bool is_made_anew(toi_tracking *t, bool torn)
{
    toi_track_choice *c = &t->choice;
    if (toi_tracking_method(t) != TOI_TRACK_AUTO)
        return true;
    int failures = c->failures++;
    if (!torn && failures == 0)
        return true;
    c->alone = failures < 5 ? (1 << failures) - 1 : MOST_ALONE;
    return false;
}

// Of what overflows or underflows nothing is known.
static double distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Notes where some vertices end; returns the sum of their ways since the last note.
static double note_seen(const toi_pipeline *p, toi_track_choice *c)
{
    int64_t count = p->mesh.end.count, samples = count < TOI_TRACK_SEEN ? count : TOI_TRACK_SEEN;
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i) {
        double x[3], *seen = c->seen[i];
        toi_load_point(&p->mesh.end, toi_piece_start(count, samples, i), x);
        sum += distance(x, seen);
        memcpy(seen, x, sizeof x);
    }
    return sum;
}

// Length of as many edges.
static double sum_edges(const toi_pipeline *p)
{
    int64_t count = p->mesh.edges.count, samples = count > 0 ? TOI_TRACK_SEEN : 0;
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i) {
        double x[2][3];
        const int32_t *edge = toi_edge_at(&p->mesh.edges, toi_piece_start(count, samples, i));
        for (int k = 0; k < 2; ++k)
            toi_load_point(&p->mesh.end, edge[k], x[k]);
        sum += distance(x[0], x[1]);
    }
    return sum;
}

// How far as many vertices are from their middle.
static double sum_scatter(const toi_pipeline *p, const toi_track_choice *c)
{
    int64_t count = p->mesh.end.count, samples = count < TOI_TRACK_SEEN ? count : TOI_TRACK_SEEN;
    double middle[3] = {0}, sum = 0;
    for (int64_t i = 0; i < 3 * samples; ++i)
        middle[i % 3] += c->seen[i / 3][i % 3] / (double)samples;
    for (int64_t i = 0; i < samples; ++i) {
        sum += distance(c->seen[i], middle);
    }
    return sum;
}

// Are vertices many edges away from where the last step, made without memory, has left them, and
// anywhere in the scene? Then an order would hardly outlast the step. It may all the same, where
// bodies fly: after some steps it is tried.
static bool is_far_away(const toi_pipeline *p, toi_track_choice *c)
{
    if (!c->have_seen || c->failures >= 4)
        return false;
    double way = note_seen(p, c);
    return way > 4 * sum_edges(p) && way > 0.25 * sum_scatter(p, c);
}

static toi_status go_alone(toi_pipeline *p)
{
    note_seen(p, &p->scene->tracking.choice);
    p->scene->tracking.choice.have_seen = true;
    toi_forget_tracking(&p->scene->tracking);
    p->source = NULL;
    p->kept = NULL;
    p->roomy = is_roomy(p);
    p->scene->tracking.report.method = TOI_TRACK_STATELESS;
    return TOI_OK;
}

// Where only the earliest impact counts, and that is early, a search cuts the motion short
// (broad/tree/mesh_tree.h). In the order that the scene keeps it then takes less than to keep up
// with the whole motion, if that is long and has many pairs: as the last step tells that went
// through all of them, which from time to time one does.
static bool is_cut_short(const toi_pipeline *p)
{
    enum
    {
        MANY = 3, // pairs for each primitive; measured, as is the motion
        MOST_CUTS = 64
    };
    static const double EARLY = 0x1p-5, LONG = 0.25;
    const toi_tracking *t = &p->scene->tracking;
    const toi_impact *last = &p->scene->last;
    const toi_track_choice *c = &t->choice;
    return p->earliest && toi_tracking_method(t) == TOI_TRACK_AUTO &&
           last->state != TOI_SEPARATED && last->time < EARLY && c->density > MANY &&
           c->motion > LONG && c->cuts < MOST_CUTS;
}

// Leaves this step to a search. What is kept stays where the last step has left it: the next that
// goes on from it takes all that lies between as its start being elsewhere.
static toi_status leave_to_search(toi_pipeline *p)
{
    toi_tracking *t = &p->scene->tracking;
    p->source = NULL;
    t->report.method = TOI_TRACK_ORDER;
    t->report.kept_bytes = t->kept ? kept_bytes(p, t->kept) : 0;
    return TOI_OK;
}

static toi_status prepare_kept(toi_pipeline *p)
{
    toi_tracking *t = &p->scene->tracking;
    toi_track_choice *c = &t->choice;
    kept_steps *k = t->kept;
    if (is_alone(t) || is_first(p))
        return go_alone(p);
    if (is_cut_short(p))
        return leave_to_search(p);
    double started = toi_clock();
    note_cost(c);
    toi_status status = TOI_OK;
    bool same = k && k->min_separation == p->def->narrow.min_separation;
    bool torn = same && toi_are_kept_blocks_torn(p, k);
    if (same && !torn && advance(p, k))
        c->failures = 0;
    else if ((same || is_far_away(p, c)) && !is_made_anew(t, torn || !same))
        return go_alone(p);
    else
        status = begin_anew(p);
    if (status != TOI_OK)
        return status;
    c->have_seen = false;
    k = t->kept;
    t->report.motion = toi_kept_mean_way(p, k);
    set_searches(p, k);
    t->report.kept_bytes = kept_bytes(p, k);
    k->spent = false;
    p->order = k->order;
    p->order.borrowed = true;
    p->order.boxes.mesh = &p->mesh; // that of the step that made it is gone
    double seconds = toi_clock() - started;
    t->report.seconds_refit += seconds;
    p->report.seconds_prepare += seconds;
    c->spent += seconds;
    return TOI_OK;
}

static toi_status stream_kept(toi_pipeline *p, toi_kind kind, toi_receiver to)
{
    kept_steps *k = p->scene->tracking.kept;
    if (!has_front(k, kind))
        return TOI_OK;
    toi_broad_job job = {.self = toi_kind_is_alike(kind),
                         .workers = p->workers,
                         .budget = p->budget,
                         .meter = &p->meter,
                         .to = to};
    toi_budget_search search = budget_search(k, kind);
    double started = toi_clock();
    p->order.trees[0] = search.search.tree;
    p->order.trees[1] = search.search.packets;
    toi_status status =
        k->fat ? toi_run_budget_search(&search, &job) : toi_run_tree_search(&search.search, &job);
    const toi_block_front *front = search.front;
    p->scene->tracking.report.front += front->start ? front->start[front->packets] : 0;
    k->spent = status == TOI_OK && kind == TOI_PAIR_KINDS - 1;
    double seconds = toi_clock() - started;
    p->report.seconds_broad += seconds;
    p->scene->tracking.choice.spent += seconds;
    return status;
}

const toi_track_source toi_track_kept = {
    .prepare = prepare_kept, .stream = stream_kept, .forget = forget_kept, .places = true};
