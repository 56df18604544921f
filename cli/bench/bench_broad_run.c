// Runs every broad phase over a scene, in turns, and measures time and memory.

#include "bench_broad_run.h"

#include "counted_memory.h"
#include "pair_lists.h"
#include "progress.h"

enum
{
    TURNS = 3,
    MOST_CONTESTANTS = (2 * MOST_THREAD_COUNTS + 1) * TOI_BROAD_COUNT
};

static const double BRUTE_COMPARISONS = 1e10; // more of them take seconds

typedef struct runner
{
    const broad_plan *plan;
    const broad_scene *scene;
    broad_rows *rows;
    toi_impact_array truth; // of a mesh
    progress bar;
} runner;

// One search, as it is timed: boxes of both kinds and their pairs, or those of a set.
typedef struct search
{
    toi_broad_method method;
    int threads;
    toi_broad_memory *memory; // of boxes, or NULL
    toi_scene *scene;         // of a mesh, or NULL
    toi_device *device;       // or NULL: the processor
    toi_pair_array pairs[TOI_KIND_COUNT];
} search;

static toi_status search_mesh(runner *r, search *s)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = s->method;
    def.broad.order = TOI_ORDER_OWN;
    def.workers = s->threads;
    def.device = s->device;
    def.progress = progress_function();
    def.progress_context = &r->bar;
    const toi_mesh *mesh = &r->scene->moving.mesh;
    if (!s->scene)
        return toi_find_all_candidates(&def, mesh, s->pairs, NULL);
    return toi_scene_find_all_candidates(s->scene, &def, mesh->start, mesh->end, s->pairs, NULL);
}

// Counts as edges against edges: in both a list is searched against itself.
static toi_status search_set(runner *r, search *s)
{
    toi_broad_def def = toi_default_broad_def();
    def.method = s->method;
    def.order = TOI_ORDER_OWN;
    def.memory = s->memory;
    def.workers = s->threads;
    def.progress = progress_function();
    def.progress_context = &r->bar;
    const toi_box_view boxes = {r->scene->boxes, r->scene->count};
    return toi_find_pairs(&def, boxes, &s->pairs[TOI_EDGE_EDGE]);
}

// What a card does the processor's clock does not tell.
static double clock_of(const search *s)
{
    return s->device ? seconds_now() : seconds_spent(s->threads);
}

static toi_status time_search(runner *r, search *s, double *seconds)
{
    double started = clock_of(s);
    toi_status status = r->scene->boxes ? search_set(r, s) : search_mesh(r, s);
    *seconds = clock_of(s) - started;
    return status;
}

// A method with a number of threads, and its times so far.
typedef struct contestant
{
    toi_broad_method method;
    int threads;
    bool kept;
    toi_device *device; // or NULL: the processor
    run_times times;
    broad_row row;
} contestant;

// Searches again and again with the lists of pairs kept. A memory of past calls has nothing to
// remember in the first; where such are compared, nobody's first call counts.
static toi_status time_repeats(runner *r, search *s, run_times *times)
{
    toi_status status = TOI_OK;
    times->warm = false;
    while (status == TOI_OK && wants_run(times)) {
        double seconds;
        status = time_search(r, s, &seconds);
        if (status == TOI_OK)
            count_run(times, seconds);
    }
    return status;
}

static toi_status look_at_pairs(const runner *r, search *s, broad_row *row)
{
    row->pairs = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        row->pairs += s->pairs[kind].count;
    toi_status status = sort_pair_lists(s->pairs, toi_default_workers());
    row->hash = hash_pair_lists(s->pairs);
    if (status == TOI_OK && !r->scene->boxes)
        judge_row(row, &r->truth, s->pairs);
    return status;
}

static toi_status keep_memory(const runner *r, search *s)
{
    return r->scene->boxes ? toi_make_broad_memory(&s->memory)
                           : make_kept_scene(&r->scene->moving.mesh, &s->scene);
}

// Up to `repeat` runs in all. The pairs of the first turn are looked at.
static toi_status take_turn(runner *r, contestant *c, int repeat)
{
    search s = {.method = c->method, .threads = c->threads, .device = c->device};
    bool first = c->times.count == 0;
    c->times.repeat = repeat;
    if (!wants_run(&c->times))
        return TOI_OK;
    int64_t before = restart_memory_peak();
    toi_status status = c->kept || c->device ? keep_memory(r, &s) : TOI_OK;
    if (status == TOI_OK)
        status = time_repeats(r, &s, &c->times);
    if (first)
        c->row.peak_bytes = memory_peak() - before;
    toi_free_broad_memory(s.memory);
    toi_free_scene(s.scene);
    if (status == TOI_OK && first)
        status = look_at_pairs(r, &s, &c->row);
    free_pair_lists(s.pairs);
    return status;
}

static contestant new_contestant(const runner *r, toi_broad_method method, int threads, bool kept)
{
    contestant c = {
        .method = method,
        .threads = threads,
        .kept = kept,
        .times.always_warm = r->plan->kept,
        .row = {.threads = threads, .boxes = r->scene->count, .made = *this_environment()}};
    copy_name(c.row.scene, r->scene->name);
    copy_name(c.row.simd, toi_simd_name());
    snprintf(c.row.method, sizeof c.row.method, "%s%s", toi_broad_name(method),
             kept ? KEPT_ENDING : "");
    return c;
}

static bool is_run(const runner *r, int method)
{
    const broad_plan *plan = r->plan;
    return plan->methods[method] && (method != TOI_BROAD_BRUTE || plan->brute_anywhere ||
                                     r->scene->comparisons <= BRUTE_COMPARISONS);
}

// On a card a scene is kept, as users would, and threads only copy pairs.
static contestant new_device_contestant(const runner *r, toi_broad_method method)
{
    const broad_plan *plan = r->plan;
    contestant c = new_contestant(r, method, plan->threads[plan->thread_count - 1], false);
    c.device = plan->device;
    c.times.always_warm = true;
    snprintf(c.row.method, sizeof c.row.method, "%s" DEVICE_ENDING, toi_broad_name(method));
    return c;
}

static int list_device_contestants(const runner *r, contestant *list)
{
    static const toi_broad_method methods[] = {TOI_BROAD_AUTO, TOI_BROAD_SWEEP, TOI_BROAD_STQ,
                                               TOI_BROAD_GRID, TOI_BROAD_LBVH};
    int count = 0;
    for (int i = 0; i < 5 && r->plan->device && !r->scene->boxes; ++i)
        if (r->plan->methods[methods[i]])
            list[count++] = new_device_contestant(r, methods[i]);
    return count;
}

static int list_contestants(const runner *r, contestant *list)
{
    const broad_plan *plan = r->plan;
    int count = 0;
    for (int m = 0; m < TOI_BROAD_COUNT; ++m)
        for (int kept = 0; kept < (plan->kept ? 2 : 1); ++kept)
            for (int t = 0; t < plan->thread_count && is_run(r, m); ++t)
                list[count++] = new_contestant(r, (toi_broad_method)m, plan->threads[t], kept == 1);
    return count + list_device_contestants(r, list + count);
}

// The repeats are shared out over some turns, so that a noisy minute of the machine falls on all
// and not on one.
static toi_status run_contest(runner *r, contestant *list, int count)
{
    const int repeat = r->plan->repeat, turns = repeat < TURNS ? repeat : TURNS;
    r->bar = start_progress(count * turns);
    toi_status status = TOI_OK;
    for (int turn = 1; turn <= turns; ++turn)
        for (int i = 0; i < count && status == TOI_OK; ++i, ++r->bar.run)
            status = take_turn(r, &list[i], (int)((int64_t)repeat * turn / turns));
    end_progress(&r->bar);
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        set_row_times(&list[i].row, &list[i].times);
        status = add_row(r->rows, &list[i].row);
    }
    return status;
}

toi_status run_broad(const broad_plan *plan, const broad_scene *scene, broad_rows *rows)
{
    runner r = {.plan = plan, .scene = scene, .rows = rows};
    contestant *list = toi_allocate(MOST_CONTESTANTS * sizeof *list);
    toi_status status = list ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK && !scene->boxes)
        status = find_true_impacts(&scene->moving.mesh, toi_default_workers(), &r.truth);
    if (status == TOI_OK)
        status = run_contest(&r, list, list_contestants(&r, list));
    toi_free_impacts(&r.truth);
    toi_release(list);
    return status;
}
