// Certificates of queries: every contact of one, or the first times of many.

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "exact/contact.h"
#include "exact/decide.h"
#include "exact/time.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// ---- All contacts of a query

void toi_free_exact_contacts(toi_exact_contacts *contacts)
{
    for (int64_t i = 0; i < contacts->count; ++i) {
        if (contacts->data[i].to != contacts->data[i].from)
            toi_free_exact_time(contacts->data[i].to);
        toi_free_exact_time(contacts->data[i].from);
    }
    toi_release(contacts->data);
    *contacts = (toi_exact_contacts){NULL, 0};
}

// Checks the coordinates of the points that the kind names and gives it the form of vertex-face or
// edge-edge: the last point stands for those that are missing.
static toi_status raise_query(toi_kind kind, const toi_query *query, toi_query *raised)
{
    static const int points_of_kind[TOI_KIND_COUNT] = {4, 4, 3, 2};
    if ((unsigned)kind >= TOI_KIND_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no query kind number %d", (int)kind);
    int points = points_of_kind[kind];
    for (int i = 0; i < 24; ++i) {
        int end = i / 12, corner = i % 12 / 3, k = i % 3;
        int from = corner < points ? corner : points - 1;
        double x = end ? query->end[from][k] : query->start[from][k];
        if (!isfinite(x))
            return toi_fail(TOI_ERROR_DATA, "coordinate %c of point %d at t = %d is %g", "xyz"[k],
                            from, end, x);
        if (end)
            raised->end[corner][k] = x;
        else
            raised->start[corner][k] = x;
    }
    return TOI_OK;
}

static bool make_contact(toi_arena *arena, toi_contact *found, toi_exact_contact *contact)
{
    contact->from = toi_make_time(arena, &found->from);
    contact->to = contact->from;
    if (contact->from && !found->is_instant)
        contact->to = toi_make_time(arena, &found->to);
    return contact->from && contact->to;
}

static toi_status find_contacts(toi_arena *arena, toi_kind kind, const toi_query *query,
                                toi_exact_contacts *contacts)
{
    toi_trajectory trajectory;
    toi_contact found[TOI_MOST_CONTACTS];
    toi_trajectory_from_query(arena, kind, query, &trajectory);
    int count = toi_find_all_contacts(arena, &trajectory, found);
    if (arena->failed)
        return TOI_ERROR_MEMORY;
    if (count == 0)
        return TOI_OK;
    contacts->data = toi_allocate((size_t)count * sizeof *contacts->data);
    if (!contacts->data)
        return TOI_ERROR_MEMORY;
    for (int i = 0; i < count; ++i) {
        ++contacts->count; // of the contact that fails too, to be freed with the others
        if (!make_contact(arena, &found[i], &contacts->data[i]))
            return TOI_ERROR_MEMORY;
    }
    return TOI_OK;
}

toi_status toi_find_exact_contacts(toi_kind kind, const toi_query *query,
                                   toi_exact_contacts *contacts)
{
    TOI_GUARD_FP;
    toi_query raised;
    *contacts = (toi_exact_contacts){NULL, 0};
    toi_status status = raise_query(kind, query, &raised);
    if (status != TOI_OK)
        return status;
    size_t bytes = (size_t)toi_decision_scratch_bytes();
    void *scratch = toi_allocate(bytes);
    if (!scratch)
        return TOI_ERROR_MEMORY;
    toi_arena arena;
    toi_arena_open(&arena, scratch, bytes);
    status = find_contacts(&arena, kind, &raised, contacts);
    toi_arena_close(&arena);
    toi_release(scratch);
    if (status != TOI_OK)
        toi_free_exact_contacts(contacts);
    return status;
}

// ---- The first times of many queries

enum
{
    PIECE = 64
};

typedef struct batch
{
    toi_kind kind;
    const toi_query *queries;
    int64_t count;
    toi_exact_time **times;
    char *scratch; // toi_decision_scratch_bytes() for each worker
} batch;

static toi_status find_first_time(toi_kind kind, const toi_query *query, void *scratch,
                                  toi_exact_time **time)
{
    toi_query raised;
    toi_status status = raise_query(kind, query, &raised);
    if (status != TOI_OK)
        return status;
    toi_arena arena;
    toi_trajectory trajectory;
    toi_moment first;
    toi_contact_search search = {.latest = 1, .guess = NAN};
    toi_arena_open(&arena, scratch, (size_t)toi_decision_scratch_bytes());
    toi_trajectory_from_query(&arena, kind, &raised, &trajectory);
    bool hit = toi_find_first_contact(&arena, &trajectory, &search, &first);
    if (hit && !arena.failed)
        *time = toi_make_time(&arena, &first);
    status = arena.failed || (hit && !*time) ? TOI_ERROR_MEMORY : TOI_OK;
    toi_arena_close(&arena);
    return status;
}

static toi_status find_piece(void *context, int64_t piece, int worker)
{
    const batch *all = context;
    int64_t end = (piece + 1) * PIECE < all->count ? (piece + 1) * PIECE : all->count;
    char *scratch = all->scratch + worker * toi_decision_scratch_bytes();
    for (int64_t i = piece * PIECE; i < end; ++i) {
        toi_status status = find_first_time(all->kind, &all->queries[i], scratch, &all->times[i]);
        if (status == TOI_ERROR_DATA) {
            char what[TOI_MESSAGE_BYTES];
            snprintf(what, sizeof what, "%s", toi_last_message());
            return toi_fail(status, "query %" PRId64 ": %s", i, what);
        }
        if (status != TOI_OK)
            return status;
    }
    return TOI_OK;
}

toi_status toi_find_exact_times(toi_kind kind, const toi_query *queries, int64_t count, int workers,
                                toi_exact_time **times)
{
    TOI_GUARD_FP;
    toi_status status = toi_resolve_workers(workers, &workers);
    for (int64_t i = 0; i < count; ++i)
        times[i] = NULL;
    if (status == TOI_OK)
        status = toi_check_count(count, "queries");
    if (status != TOI_OK)
        return status;
    int64_t pieces = (count + PIECE - 1) / PIECE;
    if (workers > pieces)
        workers = pieces > 0 ? (int)pieces : 1;
    batch all = {kind, queries, count, times, NULL};
    all.scratch = toi_take(NULL, workers, (size_t)toi_decision_scratch_bytes());
    status = all.scratch ? toi_parallel(workers, pieces, find_piece, &all) : TOI_ERROR_MEMORY;
    toi_give_back(all.scratch);
    for (int64_t i = 0; status != TOI_OK && i < count; ++i) {
        toi_free_exact_time(times[i]);
        times[i] = NULL;
    }
    return status;
}
