// Validation: everything the rest of the library takes for granted is checked here, once.

#include "mesh/mesh.h"

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/edge_set.h"

#include <inttypes.h>
#include <math.h>

toi_point_view toi_view_points(const double *data, int64_t count)
{
    return (toi_point_view){data, count, 0, TOI_DOUBLE};
}

toi_mesh toi_make_mesh(const double *start, const double *end, int64_t vertex_count,
                       const int32_t *faces, int64_t face_count)
{
    return (toi_mesh){.start = toi_view_points(start, vertex_count),
                      .end = toi_view_points(end, vertex_count),
                      .faces = {faces, face_count, 0}};
}

typedef struct point_check
{
    const toi_point_view *view;
    const char *when;
} point_check;

static toi_status check_point_piece(void *context, int64_t first, int64_t end)
{
    const point_check *check = context;
    double zero =
        0; // stays zero unless some coordinate times zero is not: one pass without branches
    for (int64_t i = first; i < end; ++i) {
        double p[3];
        toi_load_point(check->view, i, p);
        zero += p[0] * 0 + p[1] * 0 + p[2] * 0;
    }
    for (int64_t i = first; zero != 0 && i < end; ++i) {
        double p[3];
        toi_load_point(check->view, i, p);
        for (int k = 0; k < 3; ++k)
            if (!isfinite(p[k]))
                return toi_fail(TOI_ERROR_DATA, "vertex %" PRId64 ": coordinate %c at %s is %g", i,
                                "xyz"[k], check -> when, p[k]);
    }
    return TOI_OK;
}

static toi_status check_view(const toi_point_view *view, const char *when)
{
    if (view->count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " vertices: at most %d are possible",
                        view->count, INT32_MAX);
    if (view->count > 0 && !view->data)
        return toi_fail(TOI_ERROR_DATA, "positions at %s: no data for %" PRId64 " vertices", when,
                        view->count);
    if (view->scalar != TOI_DOUBLE && view->scalar != TOI_FLOAT)
        return toi_fail(TOI_ERROR_ARGUMENT, "positions at %s: unknown scalar type %d", when,
                        (int)view->scalar);
    return TOI_OK;
}

toi_status toi_check_coordinates(const toi_point_view *view, const char *when, int workers)
{
    point_check check = {view, when};
    return toi_parallel_ranges(workers, view->count, TOI_PIECE, check_point_piece, &check);
}

// Rows of `width` vertex indices.
typedef struct index_check
{
    const toi_index_view *view;
    int width;
    int64_t vertex_count;
} index_check;

static const char *row_name(int width)
{
    return width == 2 ? "edge" : "face";
}

static toi_status refuse_row(const index_check *check, int64_t i)
{
    const int32_t *row = toi_index_row(check->view, check->width, i);
    int k = 0;
    while (row[k] >= 0 && row[k] < check->vertex_count)
        ++k;
    return toi_fail(TOI_ERROR_DATA,
                    "%s %" PRId64 ": vertex index %" PRId32 " is not in [0, %" PRId64 ")",
                    row_name(check->width), i, row[k], check->vertex_count);
}

// All indices of rows that stand side by side, several at a time: is one of them out of range?
static bool any_wrong(const int32_t *indices, int64_t count, int64_t vertex_count)
{
    uint32_t end = (uint32_t)vertex_count, wrong = 0; // a negative index is a large number
    for (int64_t i = 0; i < count; ++i)
        wrong |= (uint32_t)indices[i] >= end;
    return wrong;
}

static toi_status check_rows(void *context, int64_t first, int64_t end)
{
    const index_check *check = context;
    int64_t stride = check->view->stride, width = check->width;
    bool packed = stride == 0 || stride == width * (int64_t)sizeof(int32_t);
    if (packed && !any_wrong(toi_index_row(check->view, check->width, first), (end - first) * width,
                             check->vertex_count))
        return TOI_OK;
    for (int64_t i = first; i < end; ++i)
        if (any_wrong(toi_index_row(check->view, check->width, i), width, check->vertex_count))
            return refuse_row(check, i);
    return TOI_OK;
}

toi_status toi_check_indices(const toi_index_view *view, int width, int64_t vertex_count,
                             int workers)
{
    const char *name = row_name(width);
    toi_status status = toi_check_count(view->count, width == 2 ? "edges" : "faces");
    if (status != TOI_OK)
        return status;
    if (view->count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " %ss: at most %d are possible", view->count,
                        name, INT32_MAX);
    if (view->count > 0 && !view->data)
        return toi_fail(TOI_ERROR_DATA, "no data for %" PRId64 " %ss", view->count, name);
    index_check check = {view, width, vertex_count};
    return toi_parallel_ranges(workers, view->count, TOI_PIECE, check_rows, &check);
}

static toi_status find_missing_side(void *context, int64_t first, int64_t end)
{
    const toi_edge_set *set = context;
    const toi_index_view *faces = &set->mesh->faces;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *f = toi_face_at(faces, i);
        for (int k = 0; k < 3; ++k) {
            int32_t a = f[k], b = f[(k + 1) % 3];
            if (a != b && toi_find_edge(set, a, b) < 0)
                return toi_fail(TOI_ERROR_DATA,
                                "face %" PRId64 ": its side (%" PRId32 ", %" PRId32
                                ") is not among the edges; make them with toi_make_edges()",
                                i, a, b);
        }
    }
    return TOI_OK;
}

// A side that is not among the edges would never be tested, so it is an error, not a choice.
static toi_status check_sides(const toi_mesh *mesh, int workers, toi_budget *budget)
{
    toi_edge_set set;
    toi_status status = toi_make_edge_set(mesh, workers, budget, &set);
    if (status == TOI_OK)
        status =
            toi_parallel_ranges(workers, mesh->faces.count, TOI_PIECE, find_missing_side, &set);
    toi_free_edge_set(&set);
    return status;
}

toi_status toi_check_point_views(const toi_point_view *start, const toi_point_view *end)
{
    toi_status status = toi_check_count(start->count, "vertices at t = 0");
    if (status == TOI_OK)
        status = toi_check_count(end->count, "vertices at t = 1");
    if (status != TOI_OK)
        return status;
    if (start->count != end->count)
        return toi_fail(TOI_ERROR_DATA, "%" PRId64 " vertices at t = 0 but %" PRId64 " at t = 1",
                        start->count, end->count);
    status = check_view(start, "t = 0");
    return status == TOI_OK ? check_view(end, "t = 1") : status;
}

toi_status toi_check_positions(const toi_point_view *start, const toi_point_view *end, int workers)
{
    toi_status status = toi_check_point_views(start, end);
    if (status == TOI_OK)
        status = toi_check_coordinates(start, "t = 0", workers);
    return status == TOI_OK && end != start ? toi_check_coordinates(end, "t = 1", workers) : status;
}

toi_status toi_check_topology(const toi_mesh *mesh, int workers, toi_budget *budget)
{
    toi_status status = toi_check_indices(&mesh->faces, 3, mesh->start.count, workers);
    if (status == TOI_OK)
        status = toi_check_indices(&mesh->edges, 2, mesh->start.count, workers);
    if (status == TOI_OK && mesh->edges.count > 0 && mesh->faces.count > 0)
        status = check_sides(mesh, workers, budget);
    return status;
}

toi_status toi_check_mesh(const toi_mesh *mesh)
{
    TOI_GUARD_FP;
    if (!mesh)
        return toi_fail(TOI_ERROR_ARGUMENT, "the mesh is NULL");
    int workers = toi_default_workers();
    toi_status status = toi_check_positions(&mesh->start, &mesh->end, workers);
    return status == TOI_OK ? toi_check_topology(mesh, workers, NULL) : status;
}
