// The public lists of a step against what was computed anew.

#include "toi/io.h"
#include "truth.h"
#include "truth_compare.h"
#include "truth_dataset.h"
#include "truth_lists.h"

#include <inttypes.h>
#include <math.h>

// What the files say, entry by entry; NULL where they say nothing.
typedef struct claims
{
    listing list;
    bool *booleans;
    double *times; // infinite where there is no impact
    toi_query_file queries;
} claims;

static void free_claims(claims *c)
{
    toi_release(c->list.pairs);
    toi_release(c->booleans);
    toi_release(c->times);
    toi_free_query_file(&c->queries);
}

// ---------------------------------------------------------------------------------------------
// Reading

static toi_status read_pairs(const step_truth *t, const char *path, listing *l)
{
    box_pair *boxes;
    toi_status status = read_box_pairs(path, &boxes, &l->count);
    if (status != TOI_OK)
        return status;
    l->pairs = toi_allocate((size_t)l->count * sizeof *l->pairs);
    for (int64_t i = 0; i < l->count && l->pairs; ++i) {
        if (pair_of_boxes(t->mesh, l->kind, boxes[i].a, boxes[i].b, &l->pairs[i]))
            continue;
        l->pairs[i] = (toi_pair){-1, -1};
        add_finding(t->found, "%s %s %" PRId64 " %" PRId64 ": is no pair of %s", path,
                    toi_kind_name(l->kind), boxes[i].a, boxes[i].b,
                    l->kind == TOI_VERTEX_FACE ? "a vertex and a face" : "two edges");
    }
    toi_release(boxes);
    return l->pairs ? TOI_OK : TOI_ERROR_MEMORY;
}

// A list beside the pairs of another length cannot be told which pair each entry is of.
static bool same_length(const step_truth *t, const listing *l, const char *path, int64_t count)
{
    ++t->totals->files;
    if (count == l->count)
        return true;
    add_finding(t->found, "%s: has %" PRId64 " entries for %" PRId64 " pairs in %s", path, count,
                l->count, l->name);
    return false;
}

static toi_status read_answers(const step_truth *t, const list_files *files, claims *c)
{
    int64_t count;
    toi_status status = TOI_OK;
    if (files->booleans[0]) {
        status = add_failure(t->found, read_booleans(files->booleans, &c->booleans, &count));
        if (c->booleans && !same_length(t, &c->list, files->booleans, count)) {
            toi_release(c->booleans);
            c->booleans = NULL;
        }
    }
    if (status == TOI_OK && files->times[0]) {
        status = add_failure(t->found, read_times(files->times, &c->times, &count));
        if (c->times && !same_length(t, &c->list, files->times, count)) {
            toi_release(c->times);
            c->times = NULL;
        }
    }
    if (status == TOI_OK && files->queries[0]) {
        toi_status opened = toi_read_queries(files->queries, &c->queries);
        status = add_failure(t->found, opened);
        if (opened == TOI_OK && !same_length(t, &c->list, files->queries, c->queries.count))
            toi_free_query_file(&c->queries);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Comparing

static bool same_query(const toi_query *a, const toi_query *b)
{
    for (int point = 0; point < 4; ++point)
        for (int axis = 0; axis < 3; ++axis)
            if (a->start[point][axis] != b->start[point][axis] ||
                a->end[point][axis] != b->end[point][axis])
                return false;
    return true;
}

static void compare_entry(const step_truth *t, const list_files *files, const claims *c,
                          int64_t index, const toi_query *query, const toi_query_result *result)
{
    const listing *l = &c->list;
    toi_pair pair = l->pairs[index];
    if (c->booleans)
        compare_answer(t, l, files->booleans, pair, c->booleans[index], result);
    if (c->times) {
        bool says_hit = isfinite(c->times[index]);
        compare_answer(t, l, files->times, pair, says_hit, result);
        if (says_hit)
            compare_time(t, l, files->times, pair, c->times[index], result);
    }
    if (!c->queries.queries)
        return;
    if (!same_query(&c->queries.queries[index], query))
        add_finding(t->found, "%s %s: query %" PRId64 " is not the query of this pair",
                    files->queries, pair_text(t->mesh, l, pair).at, index);
    if (c->queries.hits)
        compare_answer(t, l, files->queries, pair, c->queries.hits[index], result);
}

static toi_status compare_entries(step_truth *t, const list_files *files, claims *c)
{
    solved_block block = {0};
    toi_status status = make_solved_block(&block);
    for (int64_t next = 0; next < c->list.count && status == TOI_OK;) {
        status = solve_listed(t, &c->list, &next, &block);
        for (int64_t i = 0; i < block.pairs.count && status == TOI_OK; ++i)
            compare_entry(t, files, c, block.pairs.indices[i], &block.pairs.queries[i],
                          &block.results[i]);
    }
    free_solved_block(&block);
    return status;
}

// Queries without a list of pairs can only be held against their own answers.
static toi_status check_lone_queries(const step_truth *t, toi_kind kind, const char *path)
{
    toi_query_file file;
    toi_status status = toi_read_queries(path, &file);
    if (status != TOI_OK)
        return add_failure(t->found, status);
    ++t->totals->files;
    toi_query_result *results = toi_allocate((size_t)file.count * sizeof *results);
    status = results ? toi_solve_queries(&t->narrow, kind, file.queries, file.count, results)
                     : TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < file.count && status == TOI_OK && file.hits; ++i)
        if (file.hits[i] != (results[i].state == TOI_HIT))
            add_finding(t->found, "%s %s: query %" PRId64 " says %s, %s", path, toi_kind_name(kind),
                        i, file.hits[i] ? "true" : "false",
                        file.hits[i] ? "does not collide" : "collides");
    toi_release(results);
    toi_free_query_file(&file);
    return status;
}

static toi_status check_without_pairs(const step_truth *t, toi_kind kind, const list_files *files)
{
    if (files->booleans[0])
        add_finding(t->found, "%s: there is no list of the pairs it is about", files->booleans);
    if (files->times[0])
        add_finding(t->found, "%s: there is no list of the pairs it is about", files->times);
    return files->queries[0] ? check_lone_queries(t, kind, files->queries) : TOI_OK;
}

toi_status check_lists(step_truth *t, toi_kind kind, const list_files *files)
{
    if (!files->boxes[0])
        return check_without_pairs(t, kind, files);
    claims c = {.list = {.name = files->boxes, .kind = kind, .box_numbers = true}};
    toi_status status = read_pairs(t, files->boxes, &c.list);
    if (status == TOI_OK) {
        ++t->totals->files;
        t->totals->pairs[kind] += c.list.count;
        status = read_answers(t, files, &c);
        if (status == TOI_OK)
            status = compare_pairs(t, &c.list);
        if (status == TOI_OK)
            status = compare_entries(t, files, &c);
    } else {
        status = add_failure(t->found, status);
    }
    free_claims(&c);
    return status;
}
