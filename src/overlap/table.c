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
#include "mesh/mesh.h"

#include <float.h>
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
    double centre[3];     // scaled
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

// The power of two that brings the largest coordinate into [1/2, 1); less where that would
// overflow.
static double scale_of(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1, exponent < -1022 ? 1022 : -exponent);
}

// d is off by 2^-1075 at most, where it is subnormal; d - centre by 2^-53 of itself; the float by
// 2^-24 of what it rounds, or 2^-150 where it is subnormal. `radius`: the largest |d - centre|.
static float error_of(double radius)
{
    return (float)(radius * (0x1p-24 * (1 + 0x1p-20)) + 0x1p-148);
}

static void fit_table(point_job *job, int64_t pieces)
{
    toi_face_table *table = job->table;
    extent e = job->pieces[0];
    double largest = 0, radius = 0;
    for (int64_t i = 1; i < pieces; ++i)
        for (int k = 0; k < 3; ++k) {
            e.lo[k] = fmin(e.lo[k], job->pieces[i].lo[k]);
            e.hi[k] = fmax(e.hi[k], job->pieces[i].hi[k]);
        }
    for (int k = 0; k < 3; ++k)
        largest = fmax(largest, fmax(-e.lo[k], e.hi[k]));
    table->scale = scale_of(largest);
    for (int k = 0; k < 3; ++k) {
        double lo = e.lo[k] * table->scale, hi = e.hi[k] * table->scale;
        job->centre[k] = 0.5 * lo + 0.5 * hi;
        table->origin[k] = job->centre[k] / table->scale;
        radius = fmax(radius, fmax(hi - job->centre[k], job->centre[k] - lo));
    }
    table->error = error_of(radius);
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
            job->singles[i][k] = (float)(p[k] * scale - job->centre[k]);
        job->singles[i][3] = 0;
    }
    return TOI_OK;
}

// Both by place, the doubles anew: as many bytes to read as to gather them.
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
        if (job->singles)
            memcpy(job->singles[i], job->table->by_id[vertex], sizeof *job->singles);
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
    job->singles = ordered ? toi_take(call->budget, count, sizeof *job->singles) : NULL;
    table->singles = ordered ? (const float(*)[4])job->singles : table->by_id;
    if (table->singles)
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
    if (table->singles != table->by_id)
        toi_give_back((void *)table->singles);
    toi_give_back((void *)table->by_id);
    toi_free_tree(&call->tree);
    toi_free_mesh_order(&call->order);
    *table = (toi_face_table){0};
}

int64_t toi_face_table_need(const toi_mesh_counts *counts)
{
    enum
    {
        VERTEX_BYTES = 2 * 16 + 32, // singles twice, doubles
        FACE_BYTES = 12 + 4,
        PIECE_BYTES = 48
    };
    return counts->vertices * VERTEX_BYTES + counts->faces * FACE_BYTES +
           (counts->vertices / TOI_PIECE + 1) * PIECE_BYTES;
}
