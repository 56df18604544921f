// Brings stars up to date after faces have changed: those of the vertices around them are made anew
// at the end of the pool, and nothing counts until all of them are there.

#include "overlap/stars.h"

#include "base/radix_sort.h"

#include <string.h>

// A vertex gets or loses a face: its number in the upper half, the face's, and whether it gets it.
// Sorted, a loss comes before a gain.
static uint64_t edit_of(int32_t vertex, int32_t face, bool gain)
{
    return (uint64_t)vertex << 32 | (uint64_t)face << 1 | gain;
}

static int64_t push_edits(uint64_t *edits, int64_t count, const int32_t *row, int32_t face,
                          bool gain)
{
    for (int c = 0; c < 3; ++c)
        if (!toi_is_repeated(row, c))
            edits[count++] = edit_of(row[c], face, gain);
    return count;
}

// A star that is new, until it counts.
typedef struct new_star
{
    int32_t vertex;
    toi_star star;
} new_star;

typedef struct change_job
{
    toi_stars *stars;
    toi_changed_faces changed;
    int64_t face_count; // from now on
    uint64_t *edits;
    int64_t edit_count;
    new_star *made;
    int64_t made_count;
    int64_t pool_count; // with those that are new
} change_job;

static toi_status collect_edits(change_job *job)
{
    const toi_changed_faces *changed = &job->changed;
    int64_t before = changed->faces->count;
    int64_t gone = before > job->face_count ? before - job->face_count : 0;
    int64_t count = 0;
    job->edits = toi_take(job->stars->budget, 6 * changed->count + 3 * gone, sizeof *job->edits);
    if (!job->edits)
        return toi_allocation_status();
    for (int64_t i = 0; i < changed->count; ++i) {
        int32_t face = changed->changes[i].face;
        if (face < before)
            count = push_edits(job->edits, count, toi_face_at(changed->faces, face), face, false);
        count = push_edits(job->edits, count, changed->changes[i].vertices, face, true);
    }
    for (int64_t f = job->face_count; f < before; ++f)
        count = push_edits(job->edits, count, toi_face_at(changed->faces, f), (int32_t)f, false);
    toi_sort_in_place(job->edits, count, sizeof *job->edits, 1, toi_whole_key);
    job->edit_count = count;
    return TOI_OK;
}

static toi_star star_before(const toi_stars *stars, int32_t vertex)
{
    return vertex < stars->vertex_count ? stars->stars[vertex] : (toi_star){0};
}

// The faces of a vertex with its edits done, upwards; returns how many.
static int32_t edit_faces(const int32_t *old, int32_t old_count, const uint64_t *edits,
                          int64_t edit_count, int32_t *out)
{
    int32_t count = 0, at = 0;
    for (int64_t i = 0; i < edit_count; ++i) {
        int32_t face = (int32_t)((uint32_t)edits[i] >> 1);
        while (at < old_count && old[at] < face)
            out[count++] = old[at++];
        if (at < old_count && old[at] == face)
            ++at;
        if (edits[i] & 1)
            out[count++] = face;
    }
    while (at < old_count)
        out[count++] = old[at++];
    return count;
}

// One vertex with its edits: room at the end of the pool, its faces, their order.
static toi_status make_star(change_job *job, const uint64_t *edits, int64_t edit_count)
{
    toi_stars *stars = job->stars;
    new_star *made = &job->made[job->made_count];
    made->vertex = (int32_t)(edits[0] >> 32);
    toi_star before = star_before(stars, made->vertex);
    int64_t first = job->pool_count, most = toi_star_room(before.faces + edit_count);
    toi_status status = toi_reserve(stars->budget, (void **)&stars->pool, &stars->pool_capacity,
                                    first + most, sizeof *stars->pool);
    if (status != TOI_OK)
        return status;
    int32_t *to = stars->pool + first;
    made->star = (toi_star){
        first, edit_faces(stars->pool + before.first, before.faces, edits, edit_count, to), 0};
    job->pool_count += toi_star_room(made->star.faces);
    ++job->made_count;
    return toi_order_star(stars, &job->changed, made->vertex, &made->star);
}

static toi_status make_new_stars(change_job *job)
{
    int64_t vertices = 0;
    for (int64_t i = 0; i < job->edit_count; ++i)
        vertices += i == 0 || job->edits[i] >> 32 != job->edits[i - 1] >> 32;
    job->pool_count = job->stars->pool_count;
    job->made = toi_take(job->stars->budget, vertices, sizeof *job->made);
    toi_status status = job->made ? TOI_OK : toi_allocation_status();
    for (int64_t i = 0, n; i < job->edit_count && status == TOI_OK; i += n) {
        n = 1;
        while (i + n < job->edit_count && job->edits[i + n] >> 32 == job->edits[i] >> 32)
            ++n;
        status = make_star(job, job->edits + i, n);
    }
    return status;
}

// Closes the gaps when they are more than the rest. Where there is no memory for that they stay.
static void compact(toi_stars *stars)
{
    int64_t used = stars->pool_count - stars->waste, capacity = used + used / 2, next = 0;
    if (stars->waste <= used)
        return;
    int32_t *pool = toi_take_new(stars->budget, capacity, sizeof *pool);
    if (!pool)
        return;
    for (int64_t v = 0; v < stars->vertex_count; ++v) {
        toi_star *star = &stars->stars[v];
        int64_t room = toi_star_room(star->faces);
        memcpy(pool + next, stars->pool + star->first, (size_t)room * sizeof *pool);
        star->first = next;
        next += room;
    }
    toi_give_back(stars->pool);
    stars->pool = pool;
    stars->pool_count = used;
    stars->pool_capacity = capacity;
    stars->waste = 0;
}

// Nothing can fail any more. Vertices that are gone have no faces left.
static void commit(change_job *job, int64_t vertex_count)
{
    toi_stars *stars = job->stars;
    for (int64_t v = stars->vertex_count; v < vertex_count; ++v)
        stars->stars[v] = (toi_star){0};
    for (int64_t i = 0; i < job->made_count; ++i) {
        const new_star *made = &job->made[i];
        stars->waste += toi_star_room(star_before(stars, made->vertex).faces);
        if (made->vertex < vertex_count)
            stars->stars[made->vertex] = made->star;
    }
    stars->vertex_count = vertex_count;
    stars->pool_count = job->pool_count;
    compact(stars);
}

toi_status toi_change_stars(toi_stars *stars, const toi_index_view *faces, int64_t vertex_count,
                            int64_t face_count, const toi_face_change *changes,
                            int64_t change_count)
{
    change_job job = {
        .stars = stars, .changed = {faces, changes, change_count}, .face_count = face_count};
    toi_status status = toi_reserve(stars->budget, (void **)&stars->stars, &stars->star_capacity,
                                    vertex_count, sizeof *stars->stars);
    if (status == TOI_OK)
        status = collect_edits(&job);
    if (status == TOI_OK)
        status = make_new_stars(&job);
    if (status == TOI_OK)
        commit(&job, vertex_count);
    toi_give_back(job.edits);
    toi_give_back(job.made);
    return status;
}
