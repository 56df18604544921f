// Stars of vertices: the faces of each, and the order of these faces around it.

#include "overlap/stars.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/simd.h"

#include <string.h>

toi_judge_stars_fn toi_judge_stars_baseline, toi_judge_stars_avx2, toi_judge_stars_avx512;
static toi_judge_stars_fn *const judge_stars[] = TOI_ISA_TABLE(toi_judge_stars);

// ---- The order of the faces around a vertex

enum
{
    SMALL_STAR = 64 // faces; larger ones are sorted
};

// The side of a face that does not have the vertex; false where the face names the vertex twice.
static bool opposite_side(const int32_t *row, int32_t vertex, int32_t side[2])
{
    int corner = row[0] == vertex ? 0 : row[1] == vertex ? 1 : 2;
    side[0] = row[corner == 2 ? 0 : corner + 1];
    side[1] = row[corner == 0 ? 2 : corner - 1];
    return side[0] != vertex && side[1] != vertex;
}

static void reverse(int32_t *ring, int64_t count)
{
    for (int64_t i = 0, j = count - 1; i < j; ++i, --j) {
        int32_t swap = ring[i];
        ring[i] = ring[j];
        ring[j] = swap;
    }
}

// Moves a side that has the vertex `end` to the front and returns its other vertex; -1: there is
// none.
static int32_t take_side(int32_t (*sides)[2], int count, int32_t end)
{
    for (int j = 0; j < count; ++j)
        if (sides[j][0] == end || sides[j][1] == end) {
            int32_t other = sides[j][0] == end ? sides[j][1] : sides[j][0];
            sides[j][0] = sides[0][0];
            sides[j][1] = sides[0][1];
            return other;
        }
    return -1;
}

// Adds side after side at the end of the ring; where there is no more, once, at its other end.
static bool chain_sides(int32_t (*sides)[2], int count, int32_t *ring)
{
    bool reversed = false;
    ring[0] = sides[0][0];
    ring[1] = sides[0][1];
    for (int k = 1; k < count; ++k) {
        int32_t next = take_side(sides + k, count - k, ring[k]);
        if (next < 0 && !reversed) {
            reversed = true;
            reverse(ring, k + 1);
            next = take_side(sides + k, count - k, ring[k]);
        }
        if (next < 0)
            return false;
        ring[k + 1] = next;
    }
    return true;
}

uint64_t toi_whole_key(const void *element, int word)
{
    (void)word;
    return *(const uint64_t *)element;
}

// For the ends of the sides, two a side, sorted by vertex: the other end at the same vertex, or -1.
// False where three are at one.
static bool pair_ends(const uint64_t *keys, int64_t count, int32_t *mates)
{
    for (int64_t i = 0, n; i < count; i += n) {
        n = 1;
        while (i + n < count && keys[i + n] >> 32 == keys[i] >> 32)
            ++n;
        if (n > 2)
            return false;
        int32_t a = (int32_t)(uint32_t)keys[i], b = (int32_t)(uint32_t)keys[i + n - 1];
        mates[a] = n == 2 ? b : -1;
        mates[b] = n == 2 ? a : -1;
    }
    return true;
}

// Goes from side to side, from an end without a mate if there is one.
static bool walk_sides(int32_t (*sides)[2], const int32_t *mates, int64_t count, int32_t *ring)
{
    int32_t start = 0;
    for (int32_t e = 0; e < 2 * count && mates[start] >= 0; ++e)
        start = mates[e] < 0 ? e : start;
    int32_t end = start;
    const int32_t *vertex_of = &sides[0][0];
    for (int64_t k = 0; k < count; ++k) {
        if (end < 0 || (k > 0 && end == start))
            return false; // the path ends, or closes, before all sides are on it
        ring[k] = vertex_of[end];
        ring[k + 1] = vertex_of[end ^ 1];
        end = mates[end ^ 1];
    }
    return true;
}

static toi_status order_large_star(const toi_stars *stars, int32_t (*sides)[2], int64_t count,
                                   int32_t *ring, bool *fan)
{
    uint64_t *keys = toi_take(stars->budget, 3 * count, sizeof *keys);
    if (!keys)
        return toi_allocation_status();
    int32_t *mates = (int32_t *)(keys + 2 * count);
    for (int64_t e = 0; e < 2 * count; ++e)
        keys[e] = (uint64_t)(&sides[0][0])[e] << 32 | (uint64_t)e;
    toi_sort_in_place(keys, 2 * count, sizeof *keys, 1, toi_whole_key);
    *fan = pair_ends(keys, 2 * count, mates) && walk_sides(sides, mates, count, ring);
    toi_give_back(keys);
    return TOI_OK;
}

toi_status toi_order_star(const toi_stars *stars, const toi_changed_faces *faces, int32_t vertex,
                          toi_star *star)
{
    int32_t few[SMALL_STAR][2], (*sides)[2] = few;
    int64_t count = star->faces;
    star->fan = 0;
    if (count > SMALL_STAR)
        sides = toi_take(stars->budget, count, sizeof *sides);
    if (!sides)
        return toi_allocation_status();
    toi_status status = TOI_OK;
    bool fan = count > 0;
    int32_t *own = stars->pool + star->first, *ring = own + count;
    for (int64_t i = 0; i < count; ++i)
        fan &= opposite_side(toi_changed_face(faces, own[i]), vertex, sides[i]);
    if (fan && count > SMALL_STAR)
        status = order_large_star(stars, sides, count, ring, &fan);
    else if (fan)
        fan = chain_sides(sides, (int)count, ring);
    if (status == TOI_OK)
        star->fan = fan;
    if (sides != few)
        toi_give_back(sides);
    return status;
}

// ---- Making them

typedef struct make_job
{
    toi_stars *stars;
    const toi_index_view *faces;
    int64_t pieces;
} make_job;

// Everyone reads all faces and works on vertices of their own: nobody waits, and the order of the
// faces of a vertex is theirs.
static toi_status count_faces(void *context, int64_t piece, int worker)
{
    (void)worker;
    const make_job *job = context;
    toi_star *stars = job->stars->stars;
    int64_t first = toi_piece_start(job->stars->vertex_count, job->pieces, piece);
    int64_t end = toi_piece_start(job->stars->vertex_count, job->pieces, piece + 1);
    memset(stars + first, 0, (size_t)(end - first) * sizeof *stars);
    for (int64_t f = 0; f < job->faces->count; ++f) {
        const int32_t *row = toi_face_at(job->faces, f);
        for (int c = 0; c < 3; ++c)
            if (row[c] >= first && row[c] < end && !toi_is_repeated(row, c))
                ++stars[row[c]].faces;
    }
    return TOI_OK;
}

static toi_status list_faces(void *context, int64_t piece, int worker)
{
    (void)worker;
    const make_job *job = context;
    toi_star *stars = job->stars->stars;
    int32_t *pool = job->stars->pool;
    int64_t first = toi_piece_start(job->stars->vertex_count, job->pieces, piece);
    int64_t end = toi_piece_start(job->stars->vertex_count, job->pieces, piece + 1);
    for (int64_t f = 0; f < job->faces->count; ++f) {
        const int32_t *row = toi_face_at(job->faces, f);
        for (int c = 0; c < 3; ++c)
            if (row[c] >= first && row[c] < end && !toi_is_repeated(row, c)) {
                toi_star *star = &stars[row[c]];
                pool[star->first + star->faces++] = (int32_t)f;
            }
    }
    return TOI_OK;
}

static toi_status order_stars(void *context, int64_t first, int64_t end)
{
    const make_job *job = context;
    toi_status status = TOI_OK;
    toi_changed_faces faces = {.faces = job->faces};
    for (int64_t v = first; v < end && status == TOI_OK; ++v)
        status = toi_order_star(job->stars, &faces, (int32_t)v, &job->stars->stars[v]);
    return status;
}

// Gives every vertex its place in the pool; its faces are then counted anew as they are listed.
static int64_t place_stars(toi_stars *stars)
{
    int64_t next = 0;
    for (int64_t v = 0; v < stars->vertex_count; ++v) {
        stars->stars[v].first = next;
        next += toi_star_room(stars->stars[v].faces);
        stars->stars[v].faces = 0;
    }
    return next;
}

static toi_status fill_stars(toi_stars *stars, const toi_index_view *faces, int workers)
{
    make_job job = {stars, faces, workers};
    toi_status status = toi_parallel(workers, job.pieces, count_faces, &job);
    if (status == TOI_OK) {
        stars->pool_count = place_stars(stars);
        status = toi_reserve(stars->budget, (void **)&stars->pool, &stars->pool_capacity,
                             stars->pool_count, sizeof *stars->pool);
    }
    if (status == TOI_OK)
        status = toi_parallel(workers, job.pieces, list_faces, &job);
    if (status == TOI_OK)
        status =
            toi_parallel_ranges(workers, stars->vertex_count, TOI_PIECE / 4, order_stars, &job);
    return status;
}

toi_status toi_make_stars(const toi_index_view *faces, int64_t vertex_count, int workers,
                          toi_budget *budget, toi_stars **made)
{
    *made = NULL;
    toi_stars *stars = toi_take(budget, 1, sizeof *stars);
    if (!stars)
        return toi_allocation_status();
    *stars = (toi_stars){.budget = budget, .vertex_count = vertex_count};
    toi_status status = toi_reserve(budget, (void **)&stars->stars, &stars->star_capacity,
                                    vertex_count, sizeof *stars->stars);
    if (status == TOI_OK)
        status = fill_stars(stars, faces, workers);
    if (status == TOI_OK)
        *made = stars;
    else
        toi_free_stars(stars);
    return status;
}

void toi_free_stars(toi_stars *stars)
{
    if (!stars)
        return;
    toi_give_back(stars->stars);
    toi_give_back(stars->pool);
    toi_give_back(stars);
}

// From the arrays here and in neighbours.c. Large stars, of which each worker has one at a time,
// have three times as many faces together as there are.
int64_t toi_stars_need(int64_t vertices, int64_t faces, int workers)
{
    enum
    {
        LARGE_BYTES = 48, // a face
        BLOCKS = 8 * TOI_BLOCK_OVERHEAD
    };
    int64_t pool = (6 * faces + vertices) * (int64_t)sizeof(int32_t);
    return vertices * (int64_t)sizeof(toi_star) + pool + (int64_t)sizeof(toi_stars) +
           (workers < 3 ? workers : 3) * (faces * LARGE_BYTES + BLOCKS);
}

// ---- Those that are embedded

typedef struct judge_job
{
    const toi_stars *stars;
    const toi_face_table *table;
    uint8_t *embedded;
    toi_judge_stars_fn *judge;
} judge_job;

static toi_status judge_range(void *context, int64_t first, int64_t end)
{
    const judge_job *job = context;
    job->judge(job->stars, job->table, first, end, job->embedded);
    return TOI_OK;
}

toi_status toi_find_embedded(const toi_stars *stars, const toi_face_table *table, int workers,
                             uint8_t *embedded)
{
    judge_job job = {stars, table, embedded, judge_stars[toi_simd_level()]};
    return toi_parallel_ranges(workers, stars->vertex_count, TOI_PIECE, judge_range, &job);
}
