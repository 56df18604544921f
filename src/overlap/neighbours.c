// Lists pairs of faces that share a vertex and that no embedded star decides.

#include "overlap/stars.h"

#include "base/parallel.h"
#include "mesh/mesh.h"

enum
{
    PAIRS = 512,   // handed on at a time
    VERTICES = 512 // a task
};

typedef struct list_job
{
    const toi_stars *stars;
    const toi_index_view *faces;
    const uint8_t *embedded;
    toi_neighbour_fn *sink;
    void *context;
} list_job;

typedef struct pair_buffer
{
    const list_job *job;
    int worker;
    int64_t count;
    toi_pair pairs[PAIRS];
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
            if (buffer->count == PAIRS)
                status = flush(buffer);
        }
    }
    return status;
}

static toi_status list_range(void *context, int64_t task, int worker)
{
    const list_job *job = context;
    int64_t first = task * VERTICES, end = first + VERTICES;
    end = end < job->stars->vertex_count ? end : job->stars->vertex_count;
    pair_buffer buffer;
    buffer.job = job;
    buffer.worker = worker;
    buffer.count = 0;
    toi_status status = TOI_OK;
    for (int64_t v = first; v < end && status == TOI_OK; ++v)
        if (!job->embedded[v])
            status = list_star(job, v, &buffer);
    return status == TOI_OK ? flush(&buffer) : status;
}

toi_status toi_list_neighbours(const toi_stars *stars, const toi_index_view *faces,
                               const toi_face_table *table, const uint8_t *embedded, int workers,
                               toi_neighbour_fn *sink, void *context)
{
    (void)table;
    list_job job = {stars, faces, embedded, sink, context};
    return toi_parallel(workers, (stars->vertex_count + VERTICES - 1) / VERTICES, list_range, &job);
}
