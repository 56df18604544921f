// Runs every narrow phase over the same blocks of queries.

#include "bench_narrow_run.h"

#include "answers.h"
#include "bench_times.h"
#include "pair_ranges.h"
#include "progress.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum
{
    BLOCK = 1 << 18, // queries in memory at once
    PROBE = 2000     // queries that tell whether a method is slow
};

static_assert(BLOCK % ANSWERS_AT_ONCE == 0, "hashes must not depend on the blocks");

static const double SLOW_SECONDS = 2e-6; // a query
static const double MOST_SECONDS = 20;   // a run of a slow method

typedef struct runner
{
    const bench_plan *plan;
    const query_source *source;
    bench_result *result;
    query_block block;
    double costs[MOST_METHODS];   // seconds a query, by a probe
    int64_t limits[MOST_METHODS]; // most queries; 0: all
    progress bar;
    double done; // seconds of work, as the probe estimates it
    double work;
} runner;

// ---------------------------------------------------------------------------------------------
// Blocks

// How many of a kind's queries are taken where at most `limit` of all are, 0: all of them. Kinds
// have the shares that they have of all queries.
static int64_t sample_count(const query_source *source, int kind, int64_t limit)
{
    const int64_t *counts = source->counts;
    int64_t all = counts[TOI_VERTEX_FACE] + counts[TOI_EDGE_EDGE];
    if (limit == 0 || all <= limit || counts[kind] == 0)
        return counts[kind];
    int64_t share = (int64_t)((double)limit * ((double)counts[TOI_VERTEX_FACE] / (double)all));
    if (kind == TOI_EDGE_EDGE)
        share = limit - share;
    return share > 0 ? share : 1;
}

// Number `i` of `sample` queries that are spread evenly over all.
static int64_t sample_index(int64_t i, int64_t sample, int64_t count)
{
    return sample == count ? i : count / sample * i + count % sample * i / sample;
}

static toi_status make_block(query_block *block)
{
    block->queries = toi_allocate(BLOCK * sizeof *block->queries);
    block->truth = toi_allocate(BLOCK * sizeof *block->truth);
    block->file_says = toi_allocate(BLOCK * sizeof *block->file_says);
    block->results = toi_allocate(BLOCK * sizeof *block->results);
    if (!block->queries || !block->truth || !block->file_says || !block->results)
        return TOI_ERROR_MEMORY;
    return TOI_OK;
}

static void free_block(query_block *block)
{
    toi_release(block->queries);
    toi_release(block->truth);
    toi_release(block->file_says);
    toi_release(block->results);
}

static void fill_block(runner *r, toi_kind kind, int64_t first, int64_t sample)
{
    query_block *block = &r->block;
    block->kind = kind;
    block->count = sample - first < BLOCK ? sample - first : BLOCK;
    for (int64_t i = 0; i < block->count; ++i) {
        int64_t index = sample_index(first + i, sample, r->source->counts[kind]);
        block->file_says[i] =
            (unsigned char)fetch_query(r->source, kind, index, &block->queries[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// One block

static toi_status solve_block(runner *r, bench_method method, bool contacts, double *seconds)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method.method;
    if (method.tolerance > 0)
        def.tolerance = method.tolerance;
    def.max_iterations = r->plan->max_iterations;
    def.all_roots = contacts;
    def.workers = r->plan->workers;
    if (!method.other)
        def = toi_fit_narrow_def(&def);
    const query_block *block = &r->block;
    double started = seconds_spent(r->plan->workers);
    toi_status status = (method.other ? method.other->solve : toi_solve_queries)(
        &def, block->kind, block->queries, block->count, block->results);
    *seconds = seconds_spent(r->plan->workers) - started;
    return status;
}

static toi_status find_truth(runner *r)
{
    double seconds;
    toi_status status = solve_block(r, (bench_method){.method = TOI_NARROW_EXACT}, false, &seconds);
    for (int64_t i = 0; i < r->block.count && status == TOI_OK; ++i) {
        const toi_query_result *result = &r->block.results[i];
        r->block.truth[i] = result->state == TOI_SEPARATED ? INFINITY : result->time;
    }
    return status;
}

static toi_status run_block(runner *r, bench_row *row)
{
    run_times times = {.repeat = r->plan->repeat};
    toi_status status = TOI_OK;
    // What the method before it wrote must not pass for its own answers.
    memset(r->block.results, 0, (size_t)r->block.count * sizeof *r->block.results);
    while (status == TOI_OK && wants_run(&times)) {
        double seconds;
        status = solve_block(r, row->run, false, &seconds);
        if (status == TOI_OK)
            count_run(&times, seconds);
    }
    if (status != TOI_OK)
        return status;
    row->seconds += least_seconds(&times);
    row->median_seconds += median_seconds(&times);
    if (row->repeats == 0 || times.count < row->repeats)
        row->repeats = times.count;
    judge_block(row, &r->block);
    if (r->plan->contacts && counts_contacts(&row->run)) {
        double seconds;
        status = solve_block(r, row->run, true, &seconds);
        if (status == TOI_OK)
            count_parities(row, &r->block);
    }
    return status;
}

// The files' answers are counted once, with the queries that all methods get.
static void compare_files(runner *r)
{
    for (int64_t i = 0; i < r->block.count; ++i) {
        file_truth says = (file_truth)r->block.file_says[i];
        bool touches = isfinite(r->block.truth[i]);
        r->result->file_answers += says != FILE_SAYS_NOTHING;
        r->result->file_differences +=
            says != FILE_SAYS_NOTHING && touches != (says == FILE_SAYS_HIT);
    }
}

// ---------------------------------------------------------------------------------------------
// All blocks

static void add_progress(runner *r, int method, int64_t queries)
{
    r->done += r->costs[method] * (double)queries * (r->plan->repeat + 1);
    if (progress_function())
        show_progress(&r->bar, fmin(r->done / r->work, 1));
}

// The methods that have this limit, over the queries of one kind.
static toi_status run_kind(runner *r, int kind, int64_t limit)
{
    int64_t queries = sample_count(r->source, kind, limit);
    toi_status status = TOI_OK;
    for (int64_t first = 0; first < queries && status == TOI_OK; first += BLOCK) {
        fill_block(r, (toi_kind)kind, first, queries);
        status = find_truth(r);
        if (status == TOI_OK && limit == 0)
            compare_files(r);
        for (int m = 0; m < r->plan->method_count && status == TOI_OK; ++m) {
            if (r->limits[m] != limit)
                continue;
            status = run_block(r, &r->result->rows[kind][m]);
            add_progress(r, m, r->block.count);
        }
    }
    return status;
}

static toi_status run_limit(runner *r, int64_t limit)
{
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = run_kind(r, kind, limit);
    return status;
}

// Methods with the same limit share their queries and the truth about them. What files say is
// compared with the truth even where no method gets all queries.
static toi_status run_limits(runner *r)
{
    bool all = r->source->type == SOURCE_FILES;
    for (int m = 0; m < r->plan->method_count; ++m)
        all = all || r->limits[m] == 0;
    toi_status status = all ? run_limit(r, 0) : TOI_OK;
    for (int m = 0; m < r->plan->method_count && status == TOI_OK; ++m) {
        bool again = r->limits[m] == 0;
        for (int other = 0; other < m; ++other)
            again = again || r->limits[other] == r->limits[m];
        if (!again)
            status = run_limit(r, r->limits[m]);
    }
    return status;
}

// Each method on a few queries from all over, twice: the first run finds cold caches.
static toi_status probe(runner *r)
{
    double queries = 0;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        int64_t sample = sample_count(r->source, kind, PROBE);
        if (sample == 0)
            continue;
        fill_block(r, (toi_kind)kind, 0, sample);
        queries += (double)r->block.count;
        for (int m = 0; m < r->plan->method_count; ++m) {
            double cold, warm;
            toi_status status = solve_block(r, r->plan->methods[m], false, &cold);
            if (status == TOI_OK)
                status = solve_block(r, r->plan->methods[m], false, &warm);
            if (status != TOI_OK)
                return status;
            r->costs[m] += fmin(cold, warm);
        }
    }
    for (int m = 0; m < r->plan->method_count; ++m)
        r->costs[m] /= queries;
    return TOI_OK;
}

static void set_limit(runner *r, int method)
{
    double cost = r->costs[method];
    if (r->plan->slow_limit == 0 || cost <= SLOW_SECONDS)
        return;
    double affordable = fmax(MOST_SECONDS / cost, PROBE);
    r->limits[method] = (int64_t)fmin((double)r->plan->slow_limit, affordable);
}

static void start_rows(runner *r)
{
    for (int m = 0; m < r->plan->method_count; ++m) {
        set_limit(r, m);
        for (int kind = 0; kind < BENCH_KINDS; ++kind)
            r->result->rows[kind][m] = (bench_row){.run = r->plan->methods[m], .kind = kind};
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            r->work += r->costs[m] * (double)sample_count(r->source, kind, r->limits[m]) *
                       (r->plan->repeat + 1);
    }
}

static toi_status run_all(runner *r)
{
    toi_status status = make_block(&r->block);
    if (status == TOI_OK)
        status = probe(r);
    if (status != TOI_OK)
        return status;
    start_rows(r);
    status = run_limits(r);
    for (int m = 0; m < r->plan->method_count; ++m)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            merge_row(&r->result->rows[TOI_PAIR_KINDS][m], &r->result->rows[kind][m]);
    return status;
}

toi_status run_methods(const bench_plan *plan, const query_source *source, bench_result *result)
{
    if (source->counts[TOI_VERTEX_FACE] + source->counts[TOI_EDGE_EDGE] == 0)
        return toi_fail(TOI_ERROR_DATA, "%s: there are no queries to decide", source->name);
    runner r = {.plan = plan, .source = source, .result = result, .bar = start_progress(1)};
    toi_status status = run_all(&r);
    end_progress(&r.bar);
    free_block(&r.block);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The pipeline

static toi_status run_pipeline(const bench_plan *plan, const toi_mesh *mesh, bench_method method,
                               bench_pipeline *pipeline)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.method = method.method;
    if (method.tolerance > 0)
        def.narrow.tolerance = method.tolerance;
    def.narrow.max_iterations = plan->max_iterations;
    def.narrow = toi_fit_narrow_def(&def.narrow);
    def.workers = plan->workers;
    progress bar = start_progress(plan->repeat + 1);
    def.progress = progress_function();
    def.progress_context = &bar;
    toi_impact_array impacts = {0};
    run_times times = {.repeat = plan->repeat};
    toi_status status = TOI_OK;
    for (; status == TOI_OK && wants_run(&times); ++bar.run) {
        toi_ccd_report report;
        status = toi_find_impacts(&def, mesh, &impacts, &report);
        if (status == TOI_OK && count_run(&times, report.seconds_narrow))
            pipeline->report = report;
    }
    end_progress(&bar);
    if (status == TOI_OK)
        status = complete_candidates(&def, mesh, &pipeline->report);
    if (status == TOI_OK)
        pipeline->median_seconds = median_seconds(&times);
    pipeline->repeats = times.count;
    pipeline->run = method;
    pipeline->hash = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    toi_free_impacts(&impacts);
    return status;
}

toi_status run_pipelines(const bench_plan *plan, const query_source *source, bench_result *result)
{
    toi_status status = TOI_OK;
    for (int m = 0; m < plan->method_count && status == TOI_OK; ++m) {
        bench_method method = plan->methods[m];
        bool compared = method.method == TOI_NARROW_EXACT || method.method == TOI_NARROW_INCLUSION;
        if (method.other || !compared)
            continue;
        status = run_pipeline(plan, &source->frames.mesh, method,
                              &result->pipelines[result->pipeline_count++]);
    }
    return status;
}
