// Compares the pairs and times of a dataset with those that are computed anew.

#include "truth_compare.h"

#include "truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// Names of pairs

static int64_t first_box(const toi_mesh *mesh, toi_kind kind, bool second)
{
    int64_t edges = mesh->start.count;
    if (kind == TOI_EDGE_EDGE)
        return edges;
    return second ? edges + mesh->edges.count : 0;
}

bool pair_of_boxes(const toi_mesh *mesh, toi_kind kind, int64_t a, int64_t b, toi_pair *pair)
{
    // Either order is fine: a pair is a set.
    int64_t least = (a < b ? a : b) - first_box(mesh, kind, false);
    int64_t most = (a < b ? b : a) - first_box(mesh, kind, true);
    bool faces = kind == TOI_VERTEX_FACE;
    int64_t first_count = faces ? mesh->start.count : mesh->edges.count;
    int64_t second_count = faces ? mesh->faces.count : mesh->edges.count;
    if (a == b || least < 0 || least >= first_count || most < 0 || most >= second_count)
        return false;
    *pair = (toi_pair){(int32_t)least, (int32_t)most};
    return true;
}

text pair_text(const toi_mesh *mesh, const listing *l, toi_pair pair)
{
    text result;
    int64_t a = pair.a, b = pair.b;
    if (l->box_numbers) {
        a += first_box(mesh, l->kind, false);
        b += first_box(mesh, l->kind, true);
    }
    snprintf(result.at, sizeof result.at, "%s %" PRId64 " %" PRId64, toi_kind_name(l->kind), a, b);
    return result;
}

static text moment_text(double time)
{
    text result;
    snprintf(result.at, sizeof result.at, "%a (%.9g)", time, time);
    return result;
}

// ---------------------------------------------------------------------------------------------
// The list as a whole

static bool share_vertex(const toi_mesh *mesh, toi_kind kind, toi_pair pair)
{
    bool faces = kind == TOI_VERTEX_FACE;
    const int32_t *a = faces ? &pair.a : index_row(mesh->edges, 2, pair.a);
    const int32_t *b =
        faces ? index_row(mesh->faces, 3, pair.b) : index_row(mesh->edges, 2, pair.b);
    for (int i = 0; i < (faces ? 1 : 2); ++i)
        for (int j = 0; j < (faces ? 3 : 2); ++j)
            if (a[i] == b[j])
                return true;
    return false;
}

static void drop_neighbours(const step_truth *t, listing *l)
{
    for (int64_t i = 0; i < l->count; ++i) {
        if (l->pairs[i].a < 0 || !share_vertex(t->mesh, l->kind, l->pairs[i]))
            continue;
        add_finding(t->found, "%s %s: the two share a vertex, which is no collision", l->name,
                    pair_text(t->mesh, l, l->pairs[i]).at);
        l->pairs[i] = (toi_pair){-1, -1};
    }
}

static const toi_impact *impacts_of(const step_truth *t, toi_kind kind, int64_t *count)
{
    *count = t->report.hits[kind];
    return t->impacts.data + (kind == TOI_VERTEX_FACE ? 0 : t->report.hits[TOI_VERTEX_FACE]);
}

int compare_pair_order(toi_pair a, toi_pair b)
{
    if (a.a != b.a)
        return a.a < b.a ? -1 : 1;
    return (a.b > b.b) - (a.b < b.b);
}

static void find_duplicates(const step_truth *t, const listing *l, const toi_pair *sorted,
                            int64_t count)
{
    for (int64_t i = 0; i < count;) {
        int64_t next = i + 1;
        while (next < count && compare_pair_order(sorted[i], sorted[next]) == 0)
            ++next;
        if (next - i > 1)
            add_finding(t->found, "%s %s: is listed %" PRId64 " times", l->name,
                        pair_text(t->mesh, l, sorted[i]).at, next - i);
        i = next;
    }
}

static void find_missing(const step_truth *t, const listing *l, const toi_pair *sorted,
                         int64_t count)
{
    int64_t hits, at = 0;
    const toi_impact *impacts = impacts_of(t, l->kind, &hits);
    for (int64_t i = 0; i < hits; ++i) {
        toi_pair pair = {impacts[i].a, impacts[i].b};
        while (at < count && compare_pair_order(sorted[at], pair) < 0)
            ++at;
        if (at == count || compare_pair_order(sorted[at], pair) != 0)
            add_finding(t->found, "%s %s: is not listed, collides at %s", l->name,
                        pair_text(t->mesh, l, pair).at, moment_text(impacts[i].time).at);
    }
}

toi_status compare_pairs(const step_truth *t, listing *l)
{
    drop_neighbours(t, l);
    toi_pair *sorted = toi_allocate((size_t)l->count * sizeof *sorted);
    if (!sorted)
        return TOI_ERROR_MEMORY;
    int64_t count = 0;
    for (int64_t i = 0; i < l->count; ++i)
        if (l->pairs[i].a >= 0)
            sorted[count++] = l->pairs[i];
    toi_status status = toi_sort_pairs(sorted, count, t->narrow.workers);
    if (status == TOI_OK) {
        find_duplicates(t, l, sorted, count);
        find_missing(t, l, sorted, count);
    }
    toi_release(sorted);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Pair by pair

toi_status make_solved_block(solved_block *block)
{
    toi_status status = make_hit_block(&block->pairs);
    block->results = toi_allocate(TRUTH_BLOCK * sizeof *block->results);
    return block->results ? status : TOI_ERROR_MEMORY;
}

void free_solved_block(solved_block *block)
{
    free_hit_block(&block->pairs);
    toi_release(block->results);
    block->results = NULL;
}

static int by_pair(const void *key, const void *element)
{
    const toi_pair *pair = key;
    const toi_impact *impact = element;
    return compare_pair_order(*pair, (toi_pair){impact->a, impact->b});
}

// Two ways to the same answer: the pair alone, and the pipeline with its broad phase.
static toi_status check_roads(const step_truth *t, const listing *l, toi_pair pair,
                              const toi_query_result *result)
{
    int64_t count;
    const toi_impact *impacts = impacts_of(t, l->kind, &count);
    const toi_impact *impact =
        count > 0 ? bsearch(&pair, impacts, (size_t)count, sizeof *impacts, by_pair) : NULL;
    bool hit = result->state == TOI_HIT;
    if (hit == (impact != NULL) && (!hit || impact->time == result->time))
        return TOI_OK;
    return toi_fail(TOI_ERROR_UNSUPPORTED,
                    "%s: the pair alone %s, in the whole mesh it %s: a bug in this program, please "
                    "report it",
                    pair_text(t->mesh, l, pair).at, hit ? "collides" : "does not collide",
                    impact ? "does, or at another time" : "does not");
}

static void show_listed(const step_truth *t, const listing *l, int64_t done)
{
    toi_progress_fn *show = progress_function();
    if (show && l->count > 0)
        show(t->found->bar, (t->stage + (double)done / (double)l->count) / CHECK_STAGES);
}

toi_status solve_listed(const step_truth *t, const listing *l, int64_t *next, solved_block *block)
{
    hit_block *pairs = &block->pairs;
    pairs->count = 0;
    for (; *next < l->count && pairs->count < TRUTH_BLOCK; ++*next) {
        if (l->pairs[*next].a < 0)
            continue;
        pairs->queries[pairs->count] = toi_gather_query(t->mesh, l->kind, l->pairs[*next]);
        pairs->indices[pairs->count++] = *next;
    }
    show_listed(t, l, *next);
    toi_status status =
        toi_solve_queries(&t->narrow, l->kind, pairs->queries, pairs->count, block->results);
    for (int64_t i = 0; i < pairs->count && status == TOI_OK; ++i)
        status = check_roads(t, l, l->pairs[pairs->indices[i]], &block->results[i]);
    return status;
}

void compare_answer(const step_truth *t, const listing *l, const char *file, toi_pair pair,
                    bool says_hit, const toi_query_result *result)
{
    bool hit = result->state == TOI_HIT;
    if (says_hit && !hit)
        add_finding(t->found, "%s %s: says true, does not collide", file,
                    pair_text(t->mesh, l, pair).at);
    if (!says_hit && hit)
        add_finding(t->found, "%s %s: says false, collides at %s", file,
                    pair_text(t->mesh, l, pair).at, moment_text(result->time).at);
}

void compare_time(const step_truth *t, const listing *l, const char *file, toi_pair pair,
                  double says, const toi_query_result *result)
{
    if (result->state == TOI_HIT && says != result->time)
        add_finding(t->found, "%s %s: says %s, collides at %s", file,
                    pair_text(t->mesh, l, pair).at, moment_text(says).at,
                    moment_text(result->time).at);
}
