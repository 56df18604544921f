// Makes the faces of a mesh ready for a search: coordinates scaled and recentred, in order.
//
// A coordinate x becomes d = x scale, scale a power of two, and f = float(d - centre). Each of the
// three roundings (the first only where d is subnormal) is monotone: x <= y gives f(x) <= f(y). So
// if two faces have a point in common, with x at least the lower and at most the upper bound of
// both on every axis, the same holds of the floats: boxes of the floats overlap, too, and no pair
// is lost, without any rounding outwards. Nothing overflows for any finite x, and a mesh scaled by
// a power of two gives the same floats.

#include "overlap/call.h"

#include "base/status.h"
#include "kernel/face_frame.h"
#include "mesh/mesh.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Coordinates

typedef struct extent
{
    double lo[3], hi[3];
} extent;

typedef struct point_job
{
    toi_overlap_call *call;
    toi_face_table *table;
    extent *pieces;       // one a piece
    double (*doubles)[4]; // by number or by place
    float (*singles)[4];
    const int32_t *vertices; // by place
} point_job;

static toi_status measure_piece(void *context, int64_t first, int64_t end)
{
    point_job *job = context;
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t i = first; i < end; ++i) {
        double p[3];
        toi_load_point(&job->call->mesh.start, i, p);
        for (int k = 0; k < 3; ++k) {
            e.lo[k] = p[k] < e.lo[k] ? p[k] : e.lo[k];
            e.hi[k] = p[k] > e.hi[k] ? p[k] : e.hi[k];
        }
    }
    job->pieces[first / TOI_PIECE] = e;
    return TOI_OK;
}

static void fit_table(point_job *job, int64_t pieces)
{
    toi_face_table *table = job->table;
    extent e = job->pieces[0];
    for (int64_t i = 1; i < pieces; ++i)
        for (int k = 0; k < 3; ++k) {
            e.lo[k] = fmin(e.lo[k], job->pieces[i].lo[k]);
            e.hi[k] = fmax(e.hi[k], job->pieces[i].hi[k]);
        }
    toi_face_frame frame;
    toi_take_face_frame(e.lo, e.hi, &frame);
    table->scale = frame.scale;
    memcpy(table->centre, frame.centre, sizeof table->centre);
    table->error = frame.error;
}

static toi_status measure_points(point_job *job)
{
    toi_overlap_call *call = job->call;
    int64_t count = call->mesh.start.count, pieces = (count + TOI_PIECE - 1) / TOI_PIECE;
    job->pieces = toi_take(call->budget, pieces, sizeof *job->pieces);
    if (!job->pieces)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(call->workers, count, TOI_PIECE, measure_piece, job);
    if (status == TOI_OK)
        fit_table(job, pieces);
    toi_give_back(job->pieces);
    return status;
}

static toi_status round_piece(void *context, int64_t first, int64_t end)
{
    const point_job *job = context;
    double scale = job->table->scale;
    for (int64_t i = first; i < end; ++i) {
        double p[3];
        toi_load_point(&job->call->mesh.start, i, p);
        for (int k = 0; k < 3; ++k)
            job->singles[i][k] = (float)(p[k] * scale - job->table->centre[k]);
        job->singles[i][3] = 0;
    }
    return TOI_OK;
}

static toi_status arrange_piece(void *context, int64_t first, int64_t end)
{
    const point_job *job = context;
    double scale = job->table->scale;
    for (int64_t i = first; i < end; ++i) {
        int32_t vertex = job->vertices ? job->vertices[i] : (int32_t)i;
        double p[3];
        toi_load_point(&job->call->mesh.start, vertex, p);
        for (int k = 0; k < 3; ++k)
            job->doubles[i][k] = p[k] * scale;
        job->doubles[i][3] = 0;
    }
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Faces

typedef struct face_job
{
    const toi_overlap_call *call;
    int32_t (*corners)[3];
    int32_t *ids;
} face_job;

static toi_status place_faces(void *context, int64_t first, int64_t end)
{
    const face_job *job = context;
    const toi_tree *tree = &job->call->tree;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *labels = toi_block_labels(tree, i / TOI_BLOCK, 0) + i % TOI_BLOCK;
        for (int c = 0; c < 3; ++c)
            job->corners[i][c] = labels[c * TOI_BLOCK];
    }
    return TOI_OK;
}

static toi_status copy_faces(void *context, int64_t first, int64_t end)
{
    const face_job *job = context;
    for (int64_t i = first; i < end; ++i) {
        memcpy(job->corners[i], toi_face_at(&job->call->mesh.faces, i), sizeof *job->corners);
        job->ids[i] = (int32_t)i;
    }
    return TOI_OK;
}

static toi_status take_faces(toi_overlap_call *call, bool ordered)
{
    toi_face_table *table = &call->table;
    face_job job = {.call = call};
    job.corners = toi_take(call->budget, table->face_count, sizeof *job.corners);
    table->corners = (const int32_t(*)[3])job.corners;
    if (table->corners && !ordered)
        job.ids = toi_take(call->budget, table->face_count, sizeof *job.ids);
    table->ids = ordered ? call->tree.ids : job.ids;
    if (!table->corners || !table->ids)
        return toi_allocation_status();
    return toi_parallel_ranges(call->workers, table->face_count, TOI_PIECE,
                               ordered ? place_faces : copy_faces, &job);
}

// ---------------------------------------------------------------------------------------------
// Both

static toi_status order_faces(toi_overlap_call *call)
{
    toi_mesh_boxes boxes = {.mesh = &call->mesh, .points = call->table.by_id};
    bool stateless = call->scene == &call->passing;
    toi_broad_job job = {.slot = stateless ? NULL : &call->scene->kept[TOI_KEPT_ORDER],
                         .workers = call->workers,
                         .budget = call->budget};
    return toi_make_primitive_tree(&boxes, &call->order, &job, TOI_FACE, &call->tree);
}

static toi_status take_points(point_job *job, bool ordered)
{
    toi_overlap_call *call = job->call;
    toi_face_table *table = job->table;
    int64_t count = table->vertex_count;
    table->singles = ordered ? (const float(*)[4])call->order.points : table->by_id;
    job->doubles = toi_take(call->budget, count, sizeof *job->doubles);
    table->doubles = (const double(*)[4])job->doubles;
    if (!table->doubles)
        return toi_allocation_status();
    job->vertices = ordered ? call->order.vertices : NULL;
    return toi_parallel_ranges(call->workers, count, TOI_PIECE, arrange_piece, job);
}

toi_status toi_make_face_table(toi_overlap_call *call)
{
    bool ordered = call->search->pairs == TOI_PAIRS_ALONG_CURVE;
    toi_face_table *table = &call->table;
    *table = (toi_face_table){.vertex_count = call->mesh.start.count,
                              .face_count = call->mesh.faces.count};
    point_job job = {.call = call, .table = table};
    toi_status status = measure_points(&job);
    if (status != TOI_OK)
        return status;
    job.singles = toi_take(call->budget, table->vertex_count, sizeof *job.singles);
    table->by_id = (const float(*)[4])job.singles;
    if (!table->by_id)
        return toi_allocation_status();
    status = toi_parallel_ranges(call->workers, table->vertex_count, TOI_PIECE, round_piece, &job);
    if (status == TOI_OK && ordered)
        status = order_faces(call);
    if (status == TOI_OK)
        status = take_points(&job, ordered);
    return status == TOI_OK ? take_faces(call, ordered) : status;
}

void toi_free_face_table(toi_overlap_call *call)
{
    toi_face_table *table = &call->table;
    if (table->ids != call->tree.ids)
        toi_give_back((void *)table->ids);
    toi_give_back((void *)table->corners);
    toi_give_back((void *)table->doubles);
    toi_give_back((void *)table->by_id);
    toi_free_tree(&call->tree);
    toi_free_mesh_order(&call->order);
    *table = (toi_face_table){0};
}

int64_t toi_face_table_need(const toi_mesh_counts *counts)
{
    enum
    {
        VERTEX_BYTES = 16 + 32, // singles and doubles
        FACE_BYTES = 12 + 4,
        PIECE_BYTES = 48
    };
    return counts->vertices * VERTEX_BYTES + counts->faces * FACE_BYTES +
           (counts->vertices / TOI_PIECE + 1) * PIECE_BYTES;
}
