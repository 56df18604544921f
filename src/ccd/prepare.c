// The beginning and the end of a pipeline call.

#include "ccd/pipeline.h"

#include "base/status.h"
#include "mesh/mesh.h"

#include <inttypes.h>
#include <math.h>

static const uint32_t CCD_COOKIE = 0xccd00003u;

toi_ccd_def toi_default_ccd_def(void)
{
    return (toi_ccd_def){
        .broad = toi_default_broad_def(), .narrow = toi_default_narrow_def(), .cookie = CCD_COOKIE};
}

static toi_status check_def(const toi_ccd_def *def)
{
    TOI_CHECK_DEF(def, CCD_COOKIE, "ccd");
    toi_status status = toi_check_broad_method(def->broad.method);
    if (status != TOI_OK)
        return status;
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    const toi_zero_time_policy *policy = &def->zero_time;
    // Beyond 1/2 the cube of the maximum norm would already hold the initial distance.
    if (!(policy->relative_separation >= 0 && policy->relative_separation <= 0.5))
        return toi_fail(TOI_ERROR_ARGUMENT, "relative_separation is %g; use a number in [0, 0.5]",
                        policy->relative_separation);
    if (!(policy->rescale >= 0 && policy->rescale < 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "rescale is %g; use a number in [0, 1)",
                        policy->rescale);
    return toi_check_narrow_def(&def->narrow);
}

static toi_status check_filter(const toi_filter *filter, int64_t vertex_count)
{
    if (filter->groups && filter->group_count != vertex_count)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the filter has %" PRId64 " groups for %" PRId64 " vertices",
                        filter->group_count, vertex_count);
    return TOI_OK;
}

enum
{
    PIECE = 8192
};

static toi_status load_trajectories(void *context, int64_t piece, int worker)
{
    (void)worker;
    toi_pipeline *p = context;
    int64_t end =
        (piece + 1) * PIECE < p->mesh.start.count ? (piece + 1) * PIECE : p->mesh.start.count;
    for (int64_t i = piece * PIECE; i < end; ++i) {
        p->trajectories[i] = (toi_moving_vertex){.start = {0}};
        toi_load_point(&p->mesh.start, i, p->trajectories[i].start);
        toi_load_point(&p->mesh.end, i, p->trajectories[i].end);
    }
    return TOI_OK;
}

toi_status toi_take_trajectories(toi_pipeline *p)
{
    int64_t count = p->mesh.start.count;
    if (p->trajectories)
        return TOI_OK;
    p->trajectories = toi_take(&p->budget, count, sizeof *p->trajectories);
    if (!p->trajectories)
        return toi_allocation_status();
    return toi_parallel(p->workers, (count + PIECE - 1) / PIECE, load_trajectories, p);
}

// Counts that are out of range are refused later.
static int64_t in_range(int64_t count)
{
    return count < 0 ? 0 : count > INT32_MAX ? INT32_MAX : count;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t search_need(const toi_ccd_def *def, const toi_mesh_counts *n, int workers)
{
    toi_broad_method method = def->broad.method;
    if (toi_broad_traits(method) & TOI_BROAD_TRAIT_MESH)
        return toi_mesh_search_need(method, n, workers);
    int64_t faces = n->vertices + n->faces, box = (int64_t)sizeof(toi_box);
    int64_t in_faces = box * faces + toi_search_need(method, faces, workers);
    int64_t in_edges = box * n->edges + toi_search_need(method, n->edges, workers);
    // What the first search keeps is there during the second.
    return def->broad.memory ? in_faces + in_edges : larger(in_faces, in_edges);
}

// Notes what the call takes at most, lists excepted.
static void foresee(toi_pipeline *p, const toi_mesh *mesh)
{
    enum
    {
        BLOCKS = 64 * TOI_BLOCK_OVERHEAD,
        SORT_BYTES = 17 << 10, // of a table, a worker
        EDGE_BYTES = 8,
        KEY_BYTES = 8
    };
    toi_mesh_counts n = {in_range(mesh->start.count), in_range(mesh->edges.count),
                         in_range(mesh->faces.count)};
    int64_t sorting = p->workers * (int64_t)SORT_BYTES;
    int64_t checking = 2 * KEY_BYTES * n.edges + KEY_BYTES * n.vertices + sorting, making = 0;
    if (n.edges == 0) {
        n.edges = p->made_edges.data ? p->made_edges.count : 3 * n.faces;
        making = 3 * n.faces * (2 * KEY_BYTES + EDGE_BYTES) + sorting;
    }
    int64_t working = EDGE_BYTES * n.edges + search_need(p->def, &n, p->workers);
    if (p->purpose.solve)
        working += toi_solve_need(&p->def->narrow, &n, p->workers);
    p->budget.need = p->entered + BLOCKS + larger(working, larger(checking, making));
}

toi_status toi_pipeline_begin(toi_pipeline *p, const toi_ccd_def *def, const toi_mesh *mesh,
                              toi_purpose purpose)
{
    *p = (toi_pipeline){.def = def, .purpose = purpose, .started = toi_clock()};
    p->report.earliest.time = INFINITY;
    toi_status status = check_def(def);
    if (status == TOI_OK)
        status = toi_resolve_workers(def->workers, &p->workers);
    if (status != TOI_OK)
        return status;
    p->budget.limit = def->memory_limit;
    p->budget.list = purpose.list;
    toi_meter_init(&p->meter, def->progress, def->progress_context);
    status = toi_enter_memory(def->broad.memory, &p->budget);
    if (status != TOI_OK)
        return status;
    p->memory = def->broad.memory;
    p->entered = p->budget.used;
    if (mesh)
        foresee(p, mesh);
    return TOI_OK;
}

toi_status toi_prepare_mesh(toi_pipeline *p, const toi_mesh *mesh)
{
    toi_status status = toi_check_mesh_within(mesh, p->workers, &p->budget);
    if (status == TOI_OK)
        status = check_filter(&p->def->filter, mesh->start.count);
    if (status != TOI_OK)
        return status;
    p->mesh = *mesh;
    if (mesh->edges.count == 0) {
        status = toi_make_edges_within(mesh->faces, mesh->edges, mesh->start.count, p->workers,
                                       &p->budget, &p->made_edges);
        p->mesh.edges = toi_view_edges(&p->made_edges);
        foresee(p, mesh);
    }
    p->report.vertices = p->mesh.start.count;
    p->report.edges = p->mesh.edges.count;
    p->report.faces = p->mesh.faces.count;
    p->report.seconds_prepare = toi_clock() - p->started;
    return status;
}

toi_status toi_pipeline_end(toi_pipeline *p, toi_status status, toi_ccd_report *report)
{
    toi_give_back(p->trajectories);
    toi_free_mesh_order(&p->order);
    toi_free_edges(&p->made_edges);
    toi_leave_memory(p->memory);
    p->report.peak_bytes = p->budget.peak;
    p->report.seconds_total = toi_clock() - p->started;
    if (status == TOI_OK)
        p->report.state = p->report.earliest.time < INFINITY ? (toi_state)p->report.earliest.state
                                                             : TOI_SEPARATED;
    if (report)
        *report = status == TOI_OK ? p->report : (toi_ccd_report){.earliest.time = INFINITY};
    return status;
}
