// Where a kept order stands in memory; and fitting it to a mesh some of whose faces are others:
// what is new goes where the vertices that it knows are.

#include "broad/tree/mesh_tree.h"

#include "base/radix_sort.h"
#include "mesh/mesh.h"

#include <string.h>

typedef struct fit_job
{
    const toi_face_changes *changes;
    const toi_kept_order *from;
    toi_mesh_counts before;
    toi_kept_order *to;
    int32_t *places;  // of the vertices in the old order; -1: it is not there
    uint8_t *changed; // faces: 1
    // What is new: where it goes in the upper half, its number in the lower.
    uint64_t *vertices, *faces;
    int64_t vertex_count, face_count;
} fit_job;

enum
{
    AT_END = INT32_MAX
};

static int64_t face_blocks(const toi_mesh_counts *n)
{
    return (n->faces + TOI_BLOCK - 1) / TOI_BLOCK;
}

int64_t toi_kept_order_bytes(const toi_mesh_counts *n)
{
    int64_t total = n->vertices + n->edges + n->faces + face_blocks(n) * 3 * TOI_BLOCK;
    return (int64_t)sizeof(toi_kept_order) + total * (int64_t)sizeof(int32_t) +
           face_blocks(n) * (int64_t)sizeof(toi_label_range);
}

void toi_lay_out_order(toi_kept_order *kept, const toi_mesh_counts *n)
{
    kept->counts = *n;
    kept->ids[TOI_VERTEX] = (int32_t *)(kept + 1);
    kept->ids[TOI_EDGE] = kept->ids[TOI_VERTEX] + n->vertices;
    kept->ids[TOI_FACE] = kept->ids[TOI_EDGE] + n->edges;
    kept->labels = kept->ids[TOI_FACE] + n->faces;
    kept->ranges = (toi_label_range *)(kept->labels + face_blocks(n) * 3 * TOI_BLOCK);
}

static toi_status take_fit(fit_job *job, toi_budget *budget)
{
    const toi_mesh_counts *n = &job->changes->counts;
    int64_t added = n->vertices > job->before.vertices ? n->vertices - job->before.vertices : 0;
    job->to = toi_take_new(budget, toi_kept_order_bytes(n), 1);
    job->places = toi_take(budget, n->vertices, sizeof *job->places);
    job->changed = toi_take(budget, n->faces, sizeof *job->changed);
    job->vertices = toi_take(budget, added, sizeof *job->vertices);
    job->faces = toi_take(budget, job->changes->count, sizeof *job->faces);
    return job->to && job->places && job->changed && job->vertices && job->faces
               ? TOI_OK
               : toi_allocation_status();
}

static void free_fit(fit_job *job)
{
    toi_give_back(job->to);
    toi_give_back(job->places);
    toi_give_back(job->changed);
    toi_give_back(job->vertices);
    toi_give_back(job->faces);
}

// After the last of the vertices that the old order knows, as all faces stand; at the end if it
// knows none.
static int32_t place_of_face(const fit_job *job, int32_t face)
{
    const int32_t *row = toi_face_at(job->changes->faces, face);
    int32_t last = -1;
    for (int c = 0; c < 3; ++c)
        last = job->places[row[c]] > last ? job->places[row[c]] : last;
    return last < 0 ? AT_END : last;
}

static void find_places(fit_job *job)
{
    const toi_mesh_counts *n = &job->changes->counts;
    memset(job->places, 0xff, (size_t)n->vertices * sizeof *job->places);
    memset(job->changed, 0, (size_t)n->faces);
    for (int64_t i = 0; i < job->before.vertices; ++i) {
        int32_t vertex = job->from->ids[TOI_VERTEX][i];
        if (vertex < n->vertices)
            job->places[vertex] = (int32_t)i;
    }
    for (int64_t v = job->before.vertices; v < n->vertices; ++v)
        job->vertices[job->vertex_count++] = (uint64_t)AT_END << 32 | (uint64_t)v;
}

static uint64_t whole_word(const void *element, int word)
{
    (void)word;
    return *(const uint64_t *)element;
}

// A new vertex goes where a face of it goes.
static void place_changes(fit_job *job)
{
    const toi_face_changes *changes = job->changes;
    for (int64_t i = 0; i < changes->count; ++i) {
        int32_t face = changes->changed[i];
        if (face >= changes->counts.faces || job->changed[face])
            continue;
        job->changed[face] = 1;
        uint64_t place = (uint64_t)place_of_face(job, face);
        job->faces[job->face_count++] = place << 32 | (uint64_t)face;
        const int32_t *row = toi_face_at(changes->faces, face);
        for (int c = 0; c < 3 && place != AT_END; ++c)
            if (row[c] >= job->before.vertices)
                job->vertices[row[c] - job->before.vertices] = place << 32 | (uint64_t)row[c];
    }
    toi_sort_in_place(job->vertices, job->vertex_count, sizeof *job->vertices, 1, whole_word);
    toi_sort_in_place(job->faces, job->face_count, sizeof *job->faces, 1, whole_word);
}

// Writes the new ones that go to `place` or before it.
static int32_t *write_new(const uint64_t *from, int64_t count, int64_t *at, int64_t place,
                          int32_t *out)
{
    while (*at < count && (int64_t)(from[*at] >> 32) <= place)
        *out++ = (int32_t)(uint32_t)from[(*at)++];
    return out;
}

static void merge_vertices(fit_job *job)
{
    int32_t *out = job->to->ids[TOI_VERTEX];
    int64_t at = 0;
    for (int64_t i = 0; i < job->before.vertices; ++i) {
        int32_t vertex = job->from->ids[TOI_VERTEX][i];
        if (vertex < job->changes->counts.vertices)
            *out++ = vertex;
        out = write_new(job->vertices, job->vertex_count, &at, i, out);
    }
    write_new(job->vertices, job->vertex_count, &at, AT_END, out);
}

static void merge_faces(fit_job *job)
{
    int32_t *out = job->to->ids[TOI_FACE];
    int64_t at = 0;
    for (int64_t i = 0; i < job->before.faces; ++i) {
        int32_t face = job->from->ids[TOI_FACE][i];
        if (face >= job->changes->counts.faces || job->changed[face])
            continue;
        if (at < job->face_count) // else nothing waits
            out = write_new(job->faces, job->face_count, &at, place_of_face(job, face), out);
        *out++ = face;
    }
    write_new(job->faces, job->face_count, &at, AT_END, out);
}

static void fit(fit_job *job)
{
    *job->to = *job->from;
    job->to->valid[TOI_EDGE] = false; // edges are numbered anew
    job->to->labelled = false;
    toi_lay_out_order(job->to, &job->changes->counts);
    find_places(job);
    place_changes(job);
    merge_vertices(job);
    if (job->to->valid[TOI_FACE])
        merge_faces(job);
}

void toi_fit_kept_order(toi_broad_slot *slot, const toi_face_changes *changes, toi_budget *budget)
{
    fit_job job = {.changes = changes, .from = slot->data};
    if (job.from)
        job.before = job.from->counts;
    bool good = job.from && slot->method == TOI_BROAD_LBVH && job.from->valid[TOI_VERTEX] &&
                take_fit(&job, budget) == TOI_OK;
    if (good)
        fit(&job);
    toi_empty_slot(slot);
    if (good) {
        *slot = (toi_broad_slot){TOI_BROAD_LBVH, changes->counts.vertices, changes->counts.edges,
                                 toi_kept_order_bytes(&changes->counts), job.to};
        job.to = NULL;
    }
    free_fit(&job);
}
