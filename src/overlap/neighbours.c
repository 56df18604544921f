// Lists pairs of faces that share a vertex and that no embedded star decides: all pairs of a star,
// or, of a large one, those whose directions, seen from the vertex, may have one in common; and
// pairs that share a diagonal.

#include "overlap/stars.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "broad/broad.h"

#include <math.h>

enum
{
    VERTICES = 512, // a task; or faces
    LARGE_STAR = 128
};

typedef struct list_job
{
    const toi_stars *stars;
    const toi_index_view *faces;
    const uint8_t *embedded;
    toi_neighbour_fn *sink;
    void *context;
    const toi_face_table *table;
    int workers;
    _Atomic bool has_large; // stars that wait
} list_job;

typedef struct pair_buffer
{
    const list_job *job;
    int worker;
    int64_t count;
    toi_pair pairs[TOI_NEIGHBOURS];
} pair_buffer;

static toi_status flush(pair_buffer *buffer)
{
    int64_t count = buffer->count;
    buffer->count = 0;
    return count == 0
               ? TOI_OK
               : buffer->job->sink(buffer->job->context, buffer->pairs, count, buffer->worker);
}

static bool names(const int32_t *row, int32_t vertex)
{
    return row[0] == vertex || row[1] == vertex || row[2] == vertex;
}

// A pair belongs to the first vertex that it shares; and where any of them is embedded, it is
// decided.
static bool is_elsewhere(const list_job *job, const int32_t *a, const int32_t *b, int32_t vertex)
{
    bool elsewhere = false;
    for (int c = 0; c < 3; ++c)
        elsewhere |= a[c] != vertex && names(b, a[c]) && (a[c] < vertex || job->embedded[a[c]]);
    return elsewhere;
}

// The faces of a star come upwards.
static toi_status list_star(const list_job *job, int64_t vertex, pair_buffer *buffer)
{
    const int32_t *own = toi_star_faces(job->stars, vertex);
    int64_t count = job->stars->stars[vertex].faces;
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < count; ++i) {
        const int32_t *a = toi_face_at(job->faces, own[i]);
        for (int64_t j = i + 1; j < count && status == TOI_OK; ++j) {
            if (is_elsewhere(job, a, toi_face_at(job->faces, own[j]), (int32_t)vertex))
                continue;
            buffer->pairs[buffer->count++] = (toi_pair){own[i], own[j]};
            if (buffer->count == TOI_NEIGHBOURS)
                status = flush(buffer);
        }
    }
    return status;
}

static bool is_large(const list_job *job, int64_t vertex)
{
    return !job->embedded[vertex] && job->stars->stars[vertex].faces > LARGE_STAR;
}

static toi_status list_range(void *context, int64_t task, int worker)
{
    list_job *job = context;
    int64_t first = task * VERTICES, end = first + VERTICES;
    end = end < job->stars->vertex_count ? end : job->stars->vertex_count;
    pair_buffer buffer;
    buffer.job = job;
    buffer.worker = worker;
    buffer.count = 0;
    toi_status status = TOI_OK;
    for (int64_t v = first; v < end && status == TOI_OK; ++v)
        if (is_large(job, v))
            job->has_large = true;
        else if (!job->embedded[v])
            status = list_star(job, v, &buffer);
    return status == TOI_OK ? flush(&buffer) : status;
}

// ---- Diagonals

typedef struct diagonal_job
{
    list_job list;
    const uint8_t *diagonals;
} diagonal_job;

// The other faces at a side that is a diagonal of this one.
static toi_status list_across(const diagonal_job *job, int32_t face, int side, pair_buffer *buffer)
{
    const toi_stars *stars = job->list.stars;
    const int32_t *row = toi_face_at(job->list.faces, face);
    int32_t u = row[side], v = row[(side + 1) % 3];
    int32_t centre = stars->stars[u].faces < stars->stars[v].faces ? u : v;
    const int32_t *own = toi_star_faces(stars, centre);
    toi_status status = TOI_OK;
    for (int64_t i = 0; u != v && i < stars->stars[centre].faces && status == TOI_OK; ++i) {
        if (own[i] == face || !names(toi_face_at(job->list.faces, own[i]), u ^ v ^ centre))
            continue;
        buffer->pairs[buffer->count++] = (toi_pair){face, own[i]};
        if (buffer->count == TOI_NEIGHBOURS)
            status = flush(buffer);
    }
    return status;
}

static toi_status list_diagonals(void *context, int64_t task, int worker)
{
    const diagonal_job *job = context;
    int64_t first = task * VERTICES, end = first + VERTICES;
    end = end < job->list.faces->count ? end : job->list.faces->count;
    pair_buffer buffer;
    buffer.job = &job->list;
    buffer.worker = worker;
    buffer.count = 0;
    toi_status status = TOI_OK;
    for (int64_t f = first; f < end; ++f)
        for (int side = 0; side < 3 && status == TOI_OK; ++side)
            if (job->diagonals[f] >> side & 1)
                status = list_across(job, (int32_t)f, side, &buffer);
    return status == TOI_OK ? flush(&buffer) : status;
}

toi_status toi_list_diagonals(const toi_stars *stars, const toi_index_view *faces,
                              const uint8_t *diagonals, int workers, toi_neighbour_fn *sink,
                              void *context)
{
    diagonal_job job = {{.stars = stars, .faces = faces, .sink = sink, .context = context},
                        diagonals};
    return toi_parallel(workers, (faces->count + VERTICES - 1) / VERTICES, list_diagonals, &job);
}

// ---- Large stars
//
// Two faces that have a point beside the vertex in common have its direction in common. The
// directions of a face, on the unit sphere, are an arc of a great circle between those of its two
// other corners, which is no farther from the chord than a quarter of the chord's square:
// docs/overlap.md. Boxes around the arcs are searched for overlaps.
//
// The arcs of faces that share an edge meet, always. Where many do, like the pages of a book, they
// are searched among themselves by the directions of the pages, seen along the edge.

// A direction, and how far off each of its components is at most; 0 and 2 where any is possible.
typedef struct direction
{
    double x[3], off;
} direction;

// Of a vector that is off by so much.
static direction unit_direction(const double x[3], double off)
{
    direction d = {{0}, 2};
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (!(length > 0x1p-140) || !(length > 2 * off))
        return d;
    for (int k = 0; k < 3; ++k)
        d.x[k] = x[k] / length;
    d.off = 2 * off / length + 0x1p-40;
    return d;
}

static double difference_error(const toi_face_table *table) // 2 sqrt(3) errors
{
    return 4 * (double)table->error;
}

static void difference(const toi_face_table *table, int32_t from, int32_t to, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = (double)table->by_id[to][k] - (double)table->by_id[from][k];
}

static direction direction_to(const toi_face_table *table, int32_t from, int32_t to)
{
    double x[3];
    difference(table, from, to, x);
    return unit_direction(x, difference_error(table));
}

static const toi_box EVERYWHERE = {{-2, -2, -2}, {2, 2, 2}};

static toi_box directions_of(const toi_face_table *table, const int32_t *row, int32_t vertex)
{
    int corner = row[0] == vertex ? 0 : row[1] == vertex ? 1 : 2;
    direction a = direction_to(table, vertex, row[(corner + 1) % 3]);
    direction b = direction_to(table, vertex, row[(corner + 2) % 3]);
    double off = a.off > b.off ? a.off : b.off, square = 0;
    if (off >= 2)
        return EVERYWHERE;
    for (int k = 0; k < 3; ++k)
        square += (a.x[k] - b.x[k]) * (a.x[k] - b.x[k]);
    double chord = sqrt(square) + 2 * off;
    off += chord * chord / 4 + 0x1p-40;
    toi_box box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = (a.x[k] < b.x[k] ? a.x[k] : b.x[k]) - off;
        box.hi[k] = (a.x[k] < b.x[k] ? b.x[k] : a.x[k]) + off;
    }
    return box;
}

// The direction of a face seen along its edge from `vertex` to `end`.
static toi_box page_direction(const toi_face_table *table, const int32_t *row, int32_t vertex,
                              int32_t end)
{
    double x[3], along = 0, square = 0;
    int32_t other = row[0] ^ row[1] ^ row[2] ^ vertex ^ end;
    direction axis = direction_to(table, vertex, end);
    difference(table, vertex, other, x);
    for (int k = 0; k < 3; ++k) {
        along += x[k] * axis.x[k];
        square += x[k] * x[k];
    }
    for (int k = 0; k < 3; ++k)
        x[k] -= along * axis.x[k];
    // A projection across the axis changes by twice as much as the axis at most.
    direction page = unit_direction(x, difference_error(table) + 4 * axis.off * sqrt(square));
    toi_box box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = page.x[k] - page.off;
        box.hi[k] = page.x[k] + page.off;
    }
    return box;
}

// A large star with its faces by group: those of one crowded edge each, and before them all others.
typedef struct large_star
{
    const list_job *job;
    int32_t vertex;
    int64_t count;
    uint64_t *keys;  // group and place in the star
    int32_t *groups; // of the faces: the edge's other vertex, or -1
    int32_t *faces;
    toi_box *arcs, *pages;
} large_star;

static toi_status take_star(large_star *star)
{
    toi_budget *budget = star->job->stars->budget;
    star->keys = toi_take(budget, 2 * star->count, sizeof *star->keys);
    star->groups = toi_take(budget, star->count, sizeof *star->groups);
    star->faces = toi_take(budget, star->count, sizeof *star->faces);
    star->arcs = toi_take(budget, star->count, sizeof *star->arcs);
    star->pages = toi_take(budget, star->count, sizeof *star->pages);
    return star->keys && star->groups && star->faces && star->arcs && star->pages
               ? TOI_OK
               : toi_allocation_status();
}

static void free_star(large_star *star)
{
    toi_give_back(star->keys);
    toi_give_back(star->groups);
    toi_give_back(star->faces);
    toi_give_back(star->arcs);
    toi_give_back(star->pages);
}

// Notes which faces are at a crowded edge. One that names a vertex twice has no edge to tell.
static void find_crowded_edges(large_star *star)
{
    const int32_t *own = toi_star_faces(star->job->stars, star->vertex);
    int64_t count = 0;
    for (int64_t i = 0; i < star->count; ++i) {
        const int32_t *row = toi_face_at(star->job->faces, own[i]);
        star->groups[i] = -1;
        for (int c = 0; c < 3; ++c)
            if (row[c] != star->vertex && row[0] != row[1] && row[1] != row[2] && row[2] != row[0])
                star->keys[count++] = (uint64_t)row[c] << 32 | (uint64_t)i;
    }
    toi_sort_in_place(star->keys, count, sizeof *star->keys, 1, toi_whole_key);
    for (int64_t i = 0, n; i < count; i += n) {
        n = 1;
        while (i + n < count && star->keys[i + n] >> 32 == star->keys[i] >> 32)
            ++n;
        for (int64_t j = i; n > LARGE_STAR && j < i + n; ++j)
            if (star->groups[(uint32_t)star->keys[j]] < 0)
                star->groups[(uint32_t)star->keys[j]] = (int32_t)(star->keys[j] >> 32);
    }
}

static void fill_star(large_star *star)
{
    const int32_t *own = toi_star_faces(star->job->stars, star->vertex);
    const toi_face_table *table = star->job->table;
    for (int64_t i = 0; i < star->count; ++i)
        star->keys[i] = (uint64_t)(star->groups[i] + 1) << 32 | (uint64_t)i;
    toi_sort_in_place(star->keys, star->count, sizeof *star->keys, 1, toi_whole_key);
    for (int64_t i = 0; i < star->count; ++i) {
        int32_t end = (int32_t)(star->keys[i] >> 32) - 1;
        star->faces[i] = own[(uint32_t)star->keys[i]];
        const int32_t *row = toi_face_at(star->job->faces, star->faces[i]);
        star->arcs[i] = directions_of(table, row, star->vertex);
        if (end >= 0)
            star->pages[i] = page_direction(table, row, star->vertex, end);
    }
}

// Two runs of faces, or one with itself.
typedef struct face_runs
{
    const large_star *star;
    const int32_t *a, *b;
} face_runs;

static toi_status emit_pairs(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    (void)task;
    const face_runs *runs = context;
    const list_job *job = runs->star->job;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        int32_t a = runs->a[pairs[i].a], b = runs->b[pairs[i].b];
        pairs[kept] = (toi_pair){a < b ? a : b, a < b ? b : a};
        kept += !is_elsewhere(job, toi_face_at(job->faces, a), toi_face_at(job->faces, b),
                              runs->star->vertex);
    }
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < kept && status == TOI_OK; i += TOI_NEIGHBOURS) {
        int64_t rest = kept - i;
        status = job->sink(job->context, pairs + i, rest < TOI_NEIGHBOURS ? rest : TOI_NEIGHBOURS,
                           worker);
    }
    return status;
}

// The faces from `first` on among themselves, by `boxes`; or with `others` before them, by arcs.
static toi_status search_run(const large_star *star, int64_t first, int64_t count,
                             const toi_box *boxes, int64_t others)
{
    face_runs runs = {star, star->faces + first, others > 0 ? star->faces : star->faces + first};
    toi_broad_job search = {.a = {boxes + first, count},
                            .b = {others > 0 ? boxes : boxes + first, others > 0 ? others : count},
                            .self = others == 0,
                            .workers = star->job->workers,
                            .budget = star->job->stars->budget,
                            .to = {.context = &runs, .emit = emit_pairs}};
    return toi_search_lbvh(&search);
}

static toi_status list_large_star(const list_job *job, int64_t vertex)
{
    large_star star = {
        .job = job, .vertex = (int32_t)vertex, .count = job->stars->stars[vertex].faces};
    toi_status status = take_star(&star);
    if (status == TOI_OK) {
        find_crowded_edges(&star);
        fill_star(&star);
    }
    for (int64_t i = 0, n; i < star.count && status == TOI_OK; i += n) {
        n = 1;
        while (i + n < star.count && star.keys[i + n] >> 32 == star.keys[i] >> 32)
            ++n;
        status = search_run(&star, i, n, star.keys[i] >> 32 ? star.pages : star.arcs, 0);
        if (status == TOI_OK && i > 0)
            status = search_run(&star, i, n, star.arcs, i);
    }
    free_star(&star);
    return status;
}

toi_status toi_list_neighbours(const toi_stars *stars, const toi_index_view *faces,
                               const toi_face_table *table, const uint8_t *embedded, int workers,
                               toi_neighbour_fn *sink, void *context)
{
    list_job job = {.stars = stars,
                    .faces = faces,
                    .embedded = embedded,
                    .sink = sink,
                    .context = context,
                    .table = table,
                    .workers = workers};
    int64_t tasks = (stars->vertex_count + VERTICES - 1) / VERTICES;
    toi_status status = toi_parallel(workers, tasks, list_range, &job);
    // Each of these keeps all workers busy.
    for (int64_t v = 0; job.has_large && v < stars->vertex_count && status == TOI_OK; ++v)
        if (is_large(&job, v))
            status = list_large_star(&job, v);
    return status;
}
