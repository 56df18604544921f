// Lists pairs of faces that share a vertex and that no embedded star decides: all pairs of a star,
// or, of a large one, those whose directions, seen from the vertex, may have one in common.

#include "overlap/stars.h"

#include "base/parallel.h"
#include "broad/broad.h"

#include <math.h>

enum
{
    VERTICES = 512, // a task
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

// ---- Large stars
//
// Two faces that have a point beside the vertex in common have its direction in common. The
// directions of a face, on the unit sphere, are an arc of a great circle between those of its two
// other corners, which is no farther from the chord than a quarter of the chord's square:
// docs/overlap.md. Boxes around the arcs are searched for overlaps.

// The direction from the vertex to a point, and how far off it is at most; everything is possible
// where the point may be the vertex.
static double take_direction(const toi_face_table *table, int32_t from, int32_t to,
                             double direction[3])
{
    double square = 0, off = 4 * (double)table->error; // of the difference: 2 sqrt(3) errors
    for (int k = 0; k < 3; ++k) {
        direction[k] = (double)table->by_id[to][k] - (double)table->by_id[from][k];
        square += direction[k] * direction[k];
    }
    double length = sqrt(square);
    if (!(length > 0x1p-140) || !(length > 2 * off))
        return 2;
    for (int k = 0; k < 3; ++k)
        direction[k] /= length;
    return 2 * off / length + 0x1p-40;
}

static toi_box directions_of(const toi_face_table *table, const int32_t *row, int32_t vertex)
{
    int corner = row[0] == vertex ? 0 : row[1] == vertex ? 1 : 2;
    double a[3], b[3], square = 0;
    double off_a = take_direction(table, vertex, row[(corner + 1) % 3], a);
    double off_b = take_direction(table, vertex, row[(corner + 2) % 3], b);
    double off = off_a > off_b ? off_a : off_b;
    if (off >= 2)
        return (toi_box){{-2, -2, -2}, {2, 2, 2}};
    for (int k = 0; k < 3; ++k)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    double chord = sqrt(square) + 2 * off;
    off += chord * chord / 4 + 0x1p-40;
    toi_box box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = (a[k] < b[k] ? a[k] : b[k]) - off;
        box.hi[k] = (a[k] < b[k] ? b[k] : a[k]) + off;
    }
    return box;
}

typedef struct large_star
{
    const list_job *job;
    int32_t vertex;
} large_star;

// The pairs come as places in the star, whose faces go upwards.
static toi_status emit_pairs(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    (void)task;
    const large_star *star = context;
    const list_job *job = star->job;
    const int32_t *own = toi_star_faces(job->stars, star->vertex);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_pair pair = {own[pairs[i].a], own[pairs[i].b]};
        pairs[kept] = pair;
        kept += !is_elsewhere(job, toi_face_at(job->faces, pair.a), toi_face_at(job->faces, pair.b),
                              star->vertex);
    }
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < kept && status == TOI_OK; i += TOI_NEIGHBOURS) {
        int64_t rest = kept - i;
        status = job->sink(job->context, pairs + i, rest < TOI_NEIGHBOURS ? rest : TOI_NEIGHBOURS,
                           worker);
    }
    return status;
}

static toi_status list_large_star(const list_job *job, int64_t vertex)
{
    const int32_t *own = toi_star_faces(job->stars, vertex);
    int64_t count = job->stars->stars[vertex].faces;
    toi_box *boxes = toi_take(job->stars->budget, count, sizeof *boxes);
    if (!boxes)
        return toi_allocation_status();
    for (int64_t i = 0; i < count; ++i)
        boxes[i] = directions_of(job->table, toi_face_at(job->faces, own[i]), (int32_t)vertex);
    large_star star = {job, (int32_t)vertex};
    toi_broad_job search = {.a = {boxes, count},
                            .b = {boxes, count},
                            .self = true,
                            .workers = job->workers,
                            .budget = job->stars->budget,
                            .to = {.context = &star, .emit = emit_pairs}};
    toi_status status = toi_search_lbvh(&search);
    toi_give_back(boxes);
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
