// Validation: everything the rest of the library takes for granted is checked here, once.

#include "mesh/mesh.h"

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/status.h"

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

toi_status toi_check_indices(const toi_index_view *view, int width, int64_t vertex_count)
{
    const char *name = width == 2 ? "edge" : "face";
    toi_status status = toi_check_count(view->count, width == 2 ? "edges" : "faces");
    if (status != TOI_OK)
        return status;
    if (view->count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " %ss: at most %d are possible", view->count,
                        name, INT32_MAX);
    if (view->count > 0 && !view->data)
        return toi_fail(TOI_ERROR_DATA, "no data for %" PRId64 " %ss", view->count, name);
    for (int64_t i = 0; i < view->count; ++i) {
        const int32_t *row = toi_index_row(view, width, i);
        for (int k = 0; k < width; ++k)
            if (row[k] < 0 || row[k] >= vertex_count)
                return toi_fail(TOI_ERROR_DATA,
                                "%s %" PRId64 ": vertex index %" PRId32 " is not in [0, %" PRId64
                                ")",
                                name, i, row[k], vertex_count);
    }
    return TOI_OK;
}

// Sorted keys of edges, with first[v] the first whose larger vertex is v: a look-up stays inside
// one vertex.
typedef struct edge_set
{
    uint64_t *keys;
    int64_t *first;
} edge_set;

static toi_status fill_edge_set(const toi_mesh *mesh, int workers, toi_budget *budget,
                                edge_set *set)
{
    for (int64_t i = 0; i < mesh->edges.count; ++i) {
        const int32_t *e = toi_edge_at(&mesh->edges, i);
        set->keys[i] = toi_edge_key(e[0], e[1]);
    }
    toi_status status = toi_radix_sort(set->keys, mesh->edges.count, ~(uint64_t)0, workers, budget);
    int64_t next = 0;
    for (int64_t v = 0; v <= mesh->start.count; ++v) {
        while (next < mesh->edges.count && (int64_t)(set->keys[next] >> 32) < v)
            ++next;
        set->first[v] = next;
    }
    return status;
}

static bool has_edge(const edge_set *set, int32_t a, int32_t b)
{
    uint64_t key = toi_edge_key(a, b);
    int64_t lo = set->first[key >> 32], hi = set->first[(key >> 32) + 1];
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (set->keys[middle] < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < set->first[(key >> 32) + 1] && set->keys[lo] == key;
}

typedef struct side_check
{
    const toi_mesh *mesh;
    const edge_set *set;
} side_check;

static toi_status find_missing_side(void *context, int64_t first, int64_t end)
{
    const side_check *check = context;
    const toi_index_view *faces = &check->mesh->faces;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *f = toi_face_at(faces, i);
        for (int k = 0; k < 3; ++k) {
            int32_t a = f[k], b = f[(k + 1) % 3];
            if (a != b && !has_edge(check->set, a, b))
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
    edge_set set = {toi_take(budget, mesh->edges.count, sizeof *set.keys), NULL};
    set.first = set.keys ? toi_take(budget, mesh->start.count + 1, sizeof *set.first) : NULL;
    toi_status status =
        set.first ? fill_edge_set(mesh, workers, budget, &set) : toi_allocation_status();
    side_check check = {mesh, &set};
    if (status == TOI_OK)
        status =
            toi_parallel_ranges(workers, mesh->faces.count, TOI_PIECE, find_missing_side, &check);
    toi_give_back(set.first);
    toi_give_back(set.keys);
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
    toi_status status = toi_check_indices(&mesh->faces, 3, mesh->start.count);
    if (status == TOI_OK)
        status = toi_check_indices(&mesh->edges, 2, mesh->start.count);
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
