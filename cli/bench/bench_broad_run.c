#include "bench_broad_run.h"

#include "counted_memory.h"
#include "pair_lists.h"
#include "progress.h"

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
    toi_broad_memory *memory; // or NULL
    toi_pair_array pairs[TOI_PAIR_KINDS];
} search;

static toi_status search_mesh(runner *r, search *s)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = s->method;
    def.broad.order = TOI_ORDER_OWN;
    def.broad.memory = s->memory;
    def.workers = s->threads;
    def.progress = progress_function();
    def.progress_context = &r->bar;
    return toi_find_all_candidates(&def, &r->scene->moving.mesh, s->pairs, NULL);
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

static toi_status time_search(runner *r, search *s, double *seconds)
{
    double started = seconds_spent(s->threads);
    toi_status status = r->scene->boxes ? search_set(r, s) : search_mesh(r, s);
    *seconds = seconds_spent(s->threads) - started;
    return status;
}

// Searches again and again with the lists of pairs kept. A memory of past calls has nothing to
// remember in the first; where such are compared, nobody's first call counts.
static toi_status time_repeats(runner *r, search *s, broad_row *row)
{
    run_times times = {.repeat = r->plan->repeat, .always_warm = r->plan->kept};
    toi_status status = TOI_OK;
    while (status == TOI_OK && wants_run(&times)) {
        double seconds;
        status = time_search(r, s, &seconds);
        if (status == TOI_OK)
            count_run(&times, seconds);
    }
    if (status == TOI_OK)
        set_row_times(row, &times);
    return status;
}

static toi_status measure(runner *r, toi_broad_method method, int threads, bool kept)
{
    search s = {.method = method, .threads = threads};
    broad_row row = {.threads = threads, .boxes = r->scene->count, .made = *this_environment()};
    copy_name(row.scene, r->scene->name);
    copy_name(row.simd, toi_simd_name());
    snprintf(row.method, sizeof row.method, "%s%s", toi_broad_name(method),
             kept ? KEPT_ENDING : "");
    int64_t before = restart_memory_peak();
    toi_status status = kept ? toi_make_broad_memory(&s.memory) : TOI_OK;
    if (status == TOI_OK)
        status = time_repeats(r, &s, &row);
    row.peak_bytes = memory_peak() - before;
    toi_free_broad_memory(s.memory);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        row.pairs += s.pairs[kind].count;
    if (status == TOI_OK)
        status = sort_pair_lists(s.pairs, toi_default_workers());
    row.hash = hash_pair_lists(s.pairs);
    if (status == TOI_OK && !r->scene->boxes)
        judge_row(&row, &r->truth, s.pairs);
    free_pair_lists(s.pairs);
    ++r->bar.run;
    return status == TOI_OK ? add_row(r->rows, &row) : status;
}

static bool is_run(const runner *r, int method)
{
    const broad_plan *plan = r->plan;
    return plan->methods[method] && (method != TOI_BROAD_BRUTE || plan->brute_anywhere ||
                                     r->scene->comparisons <= BRUTE_COMPARISONS);
}

toi_status run_broad(const broad_plan *plan, const broad_scene *scene, broad_rows *rows)
{
    runner r = {.plan = plan, .scene = scene, .rows = rows};
    int runs = 0;
    for (int m = 0; m < TOI_BROAD_COUNT; ++m)
        runs += is_run(&r, m) ? plan->thread_count * (1 + plan->kept) : 0;
    r.bar = start_progress(runs);
    toi_status status = TOI_OK;
    if (!scene->boxes)
        status = find_true_impacts(&scene->moving.mesh, toi_default_workers(), &r.truth);
    for (int m = 0; m < TOI_BROAD_COUNT; ++m)
        for (int kept = 0; kept < (plan->kept ? 2 : 1); ++kept)
            for (int t = 0; t < plan->thread_count && status == TOI_OK; ++t)
                if (is_run(&r, m))
                    status = measure(&r, (toi_broad_method)m, plan->threads[t], kept);
    end_progress(&r.bar);
    toi_free_impacts(&r.truth);
    return status;
}
