// Finds the pairs of a step, and for each whether it collides and when.

#include "truth_entries.h"

#include "text.h"
#include "truth.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Blocks

toi_status make_hit_block(hit_block *block)
{
    *block = (hit_block){.queries = toi_allocate(TRUTH_BLOCK * sizeof *block->queries),
                         .indices = toi_allocate(TRUTH_BLOCK * sizeof *block->indices)};
    return block->queries && block->indices ? TOI_OK : TOI_ERROR_MEMORY;
}

void free_hit_block(hit_block *block)
{
    toi_release(block->queries);
    toi_release(block->indices);
    *block = (hit_block){0};
}

bool gather_hits(const toi_mesh *mesh, toi_kind kind, const truth_entries *found, int64_t *next,
                 hit_block *block)
{
    block->count = 0;
    for (; *next < found->counts[kind] && block->count < TRUTH_BLOCK; ++*next) {
        const toi_truth_entry *entry = &found->at[kind][*next];
        if (!entry->hit)
            continue;
        block->queries[block->count] = toi_gather_query(mesh, kind, entry->pair);
        block->indices[block->count++] = *next;
    }
    return block->count > 0;
}

// ---------------------------------------------------------------------------------------------
// Lists

// All that is held at once while the entries are made.
static toi_status check_limit(const toi_ccd_def *def, const truth_entries *found,
                              const toi_impact_array *impacts, const toi_pair_array *candidates)
{
    int64_t bytes = impacts->count * (int64_t)sizeof(toi_impact);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        bytes += candidates[kind].count * (int64_t)sizeof(toi_pair) +
                 found->counts[kind] * (int64_t)sizeof(toi_truth_entry);
    if (def->memory_limit == 0 || bytes <= def->memory_limit)
        return TOI_OK;
    return toi_fail(
        TOI_ERROR_LIMIT,
        "the lists of %s pairs take %s, the memory limit is %s; raise --memory-limit or "
        "list fewer pairs (--list hits)",
        count_text(found->counts[0] + found->counts[1]).at, bytes_text(bytes).at,
        bytes_text(def->memory_limit).at);
}

static toi_truth_entry hit_entry(const toi_impact *impact)
{
    return (toi_truth_entry){.pair = {impact->a, impact->b}, .hit = true, .time = impact->time};
}

// Both lists are in canonical order; every impact must be met among the candidates.
static toi_status merge(toi_kind kind, const toi_pair_array *candidates, const toi_impact *impacts,
                        int64_t count, toi_truth_entry *entries)
{
    int64_t met = 0;
    for (int64_t i = 0; i < candidates->count; ++i) {
        toi_pair pair = candidates->data[i];
        bool hit = met < count && impacts[met].a == pair.a && impacts[met].b == pair.b;
        entries[i] = hit ? hit_entry(&impacts[met]) : (toi_truth_entry){pair, .time = INFINITY};
        met += hit;
    }
    if (met == count)
        return TOI_OK;
    return toi_fail(
        TOI_ERROR_UNSUPPORTED,
        "%s %d %d collides and is no candidate: a bug in this program, please report it",
        toi_kind_name(kind), (int)impacts[met].a, (int)impacts[met].b);
}

static toi_status fill(const toi_impact_array *impacts, const toi_pair_array *candidates,
                       toi_truth_list list, truth_entries *found)
{
    const toi_impact *first = impacts->data;
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        int64_t hits = found->hits[kind];
        toi_truth_entry *entries = toi_allocate((size_t)found->counts[kind] * sizeof *entries);
        found->at[kind] = entries;
        if (!entries)
            return TOI_ERROR_MEMORY;
        if (list == TOI_TRUTH_CANDIDATES)
            status = merge((toi_kind)kind, &candidates[kind], first, hits, entries);
        else
            for (int64_t i = 0; i < hits; ++i)
                entries[i] = hit_entry(&first[i]);
        first += hits;
    }
    return status;
}

static toi_status find_lists(const toi_ccd_def *def, const toi_mesh *mesh, toi_truth_list list,
                             toi_impact_array *impacts, toi_pair_array *candidates,
                             truth_entries *found)
{
    toi_ccd_report report;
    toi_ccd_def counting = *def;
    counting.count_candidates = true;
    toi_status status = toi_find_impacts(&counting, mesh, impacts, &report);
    if (status == TOI_OK && list == TOI_TRUTH_CANDIDATES)
        status = toi_find_all_candidates(def, mesh, candidates, NULL);
    if (status != TOI_OK)
        return status;
    found->earliest = INFINITY; // of the kinds that the lists hold
    for (int64_t i = 0; i < impacts->count && impacts->data[i].kind < TOI_PAIR_KINDS; ++i)
        found->earliest = fmin(found->earliest, impacts->data[i].time);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        found->candidates[kind] = report.candidates[kind];
        found->hits[kind] = report.hits[kind];
        found->counts[kind] =
            list == TOI_TRUTH_CANDIDATES ? candidates[kind].count : report.hits[kind];
    }
    status = check_limit(def, found, impacts, candidates);
    return status == TOI_OK ? fill(impacts, candidates, list, found) : status;
}

// ---------------------------------------------------------------------------------------------
// Times

// An impact does not tell whether its time is exactly that double; the query alone does, and it
// must find the same time again.
static toi_status settle_block(const toi_narrow_def *def, toi_kind kind, const hit_block *block,
                               toi_query_result *results, truth_entries *found)
{
    toi_status status = toi_solve_queries(def, kind, block->queries, block->count, results);
    for (int64_t i = 0; i < block->count && status == TOI_OK; ++i) {
        toi_truth_entry *entry = &found->at[kind][block->indices[i]];
        if (results[i].state != TOI_HIT || results[i].time != entry->time)
            status = toi_fail(TOI_ERROR_UNSUPPORTED,
                              "%s %d %d: the pipeline and the query alone disagree: a bug in this "
                              "program, please report it",
                              toi_kind_name(kind), (int)entry->pair.a, (int)entry->pair.b);
        entry->time_is_exact = results[i].time_is_exact;
        found->exact_doubles += entry->time_is_exact;
    }
    return status;
}

static toi_status settle_times(const toi_ccd_def *def, const toi_mesh *mesh, truth_entries *found)
{
    hit_block block;
    toi_narrow_def narrow = def->narrow;
    narrow.workers = def->workers;
    toi_status status = make_hit_block(&block);
    toi_query_result *results = toi_allocate(TRUTH_BLOCK * sizeof *results);
    if (!results)
        status = TOI_ERROR_MEMORY;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        int64_t next = 0;
        while (status == TOI_OK && gather_hits(mesh, (toi_kind)kind, found, &next, &block))
            status = settle_block(&narrow, (toi_kind)kind, &block, results, found);
    }
    toi_release(results);
    free_hit_block(&block);
    return status;
}

toi_status find_entries(const toi_ccd_def *def, const toi_mesh *mesh, toi_truth_list list,
                        truth_entries *found)
{
    *found = (truth_entries){0};
    toi_impact_array impacts = {0};
    toi_pair_array candidates[TOI_KIND_COUNT] = {{0}};
    toi_status status = find_lists(def, mesh, list, &impacts, candidates, found);
    toi_free_impacts(&impacts);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&candidates[kind]);
    return status == TOI_OK ? settle_times(def, mesh, found) : status;
}

void free_entries(truth_entries *found)
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_release(found->at[kind]);
    *found = (truth_entries){0};
}
