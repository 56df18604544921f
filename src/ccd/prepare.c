// The beginning and the end of a pipeline call.

#include "ccd/pipeline.h"

#include "base/radix_sort.h"
#include "base/status.h"
#include "device/device.h"
#include "mesh/mesh.h"

#include <inttypes.h>
#include <math.h>

static const uint32_t CCD_COOKIE = 0xccd00005u;

toi_ccd_def toi_default_ccd_def(void)
{
    return (toi_ccd_def){
        .broad = toi_default_broad_def(), .narrow = toi_default_narrow_def(), .cookie = CCD_COOKIE};
}

toi_zero_time_policy toi_solver_policy(void)
{
    return (toi_zero_time_policy){.relative_separation = 0.2, .rescale = 0.8, .small_time = 1e-6};
}

static toi_status check_def(const toi_ccd_def *def)
{
    TOI_CHECK_DEF(def, CCD_COOKIE, "ccd");
    toi_status status = toi_check_broad_method(def->broad.method);
    if (status != TOI_OK)
        return status;
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    if (def->broad.memory)
        return toi_fail(TOI_ERROR_ARGUMENT, "broad.memory is for lists of boxes; to keep memory "
                                            "between the steps of a mesh, make a toi_scene");
    const toi_zero_time_policy *policy = &def->zero_time;
    // `inclusion` keeps separations in the maximum norm, whose cube would hold more than a half.
    if (!(policy->relative_separation >= 0 && policy->relative_separation <= 0.5))
        return toi_fail(TOI_ERROR_ARGUMENT, "relative_separation is %g; use a number in [0, 0.5]",
                        policy->relative_separation);
    if (!(policy->rescale >= 0 && policy->rescale < 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "rescale is %g; use a number in [0, 1)",
                        policy->rescale);
    if (!(policy->small_time >= 0 && policy->small_time <= 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "small_time is %g; use a number in [0, 1]",
                        policy->small_time);
    if (policy->strict && !(policy->relative_separation > 0) && !(def->narrow.min_separation > 0))
        return toi_fail(TOI_ERROR_ARGUMENT, "strict is about a separation, and there is none; set "
                                            "narrow.min_separation or a relative_separation");
    if (policy->strict && !(policy->relative_separation > 0) &&
        toi_narrow_guarantee(def->narrow.method) != TOI_GUARANTEE_EXACT)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "strict: %s does not say which pairs start too close; use exact, or a "
                        "relative_separation",
                        toi_narrow_name(def->narrow.method));
    status = toi_check_narrow_def(&def->narrow);
    unsigned trait = TOI_NARROW_TRAIT_SEPARATION;
    if (status == TOI_OK && policy->relative_separation > 0 &&
        !(toi_narrow_traits(def->narrow.method) & trait))
        status = toi_refuse_option(def->narrow.method, "relative_separation", trait);
    return status;
}

typedef struct loading
{
    const toi_pipeline *pipeline;
    _Atomic uint64_t far; // bits of the largest coordinate at t = 0
} loading;

static toi_status load_trajectories(void *context, int64_t first, int64_t end)
{
    loading *l = context;
    const toi_pipeline *p = l->pipeline;
    double far = 0;
    for (int64_t i = first; i < end; ++i) {
        toi_moving_vertex *at = &p->trajectories[i];
        *at = (toi_moving_vertex){.start = {0}};
        toi_load_point(&p->mesh.start, i, at->start);
        toi_load_point(&p->mesh.end, i, at->end);
        for (int k = 0; k < 3; ++k)
            far = fabs(at->start[k]) > far ? fabs(at->start[k]) : far;
    }
    uint64_t bits = toi_time_bits(far), most = l->far;
    while (bits > most && !atomic_compare_exchange_weak(&l->far, &most, bits)) {}
    return TOI_OK;
}

float toi_distance_error(double far)
{
    return (float)((far * 0x1p-20 + 0x1p-59) * (1 + 0x1p-20));
}

toi_status toi_take_trajectories(toi_pipeline *p)
{
    int64_t count = p->mesh.start.count;
    if (p->trajectories)
        return TOI_OK;
    p->trajectories = toi_take_touched(p->budget, count, sizeof *p->trajectories, p->workers);
    if (!p->trajectories)
        return toi_allocation_status();
    loading l = {.pipeline = p};
    toi_status status = toi_parallel_ranges(p->workers, count, TOI_PIECE, load_trajectories, &l);
    p->off = toi_distance_error(toi_bits_time(l.far));
    return status;
}

void toi_drop_trajectories(toi_pipeline *p)
{
    toi_give_back(p->trajectories);
    p->trajectories = NULL;
}

void toi_set_end(toi_pipeline *p, toi_point_view end)
{
    toi_drop_trajectories(p);
    toi_free_mesh_order(&p->order);
    p->mesh.end = end;
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

// How many loose parts there are, or can be.
typedef struct loose_counts
{
    int64_t vertices, edges;
} loose_counts;

// What searches of two kinds take: what the first keeps is there during the second.
static int64_t both(const toi_pipeline *p, int64_t first, int64_t second)
{
    return p->kept ? first + second : larger(first, second);
}

static int64_t box_search_need(const toi_pipeline *p, int64_t boxes)
{
    return boxes * (int64_t)sizeof(toi_box) +
           toi_search_need(p->def->broad.method, boxes, p->workers);
}

static int64_t loose_search_need(const toi_pipeline *p, const loose_counts *loose)
{
    if (loose->vertices == 0)
        return 0;
    return both(p, box_search_need(p, loose->vertices + loose->edges),
                box_search_need(p, loose->vertices));
}

static int64_t search_need(const toi_pipeline *p, const toi_mesh_counts *n,
                           const loose_counts *loose)
{
    if (p->def->given)
        return toi_given_need(p->def->given, p->workers);
    int64_t of_loose = loose_search_need(p, loose);
    if (toi_broad_traits(p->def->broad.method) & TOI_BROAD_TRAIT_MESH) // its order stays
        return toi_mesh_tree_need(n, p->workers, p->purpose.solve,
                                  p->def->zero_time.relative_separation > 0) +
               of_loose;
    int64_t in_faces = box_search_need(p, n->vertices + n->faces);
    return both(p, both(p, in_faces, box_search_need(p, n->edges)), of_loose);
}

static bool is_stateless(const toi_pipeline *p)
{
    return p->scene == &p->passing;
}

// Until the topology is there any vertex may be loose, and any edge that is given.
static loose_counts count_loose(const toi_pipeline *p, const toi_mesh_counts *given, bool known)
{
    const toi_loose_parts *loose = &p->scene->topology.loose;
    return known ? (loose_counts){loose->vertex_count, loose->edge_count}
                 : (loose_counts){given->vertices, given->edges};
}

// Notes how many workers the call has use for, and what it takes at most, lists excepted. `known`:
// the topology is there.
static void foresee(toi_pipeline *p, bool known)
{
    enum
    {
        BLOCKS = 64 * TOI_BLOCK_OVERHEAD,
        EDGE_BYTES = 8,
        KEY_BYTES = 8,
        INDEX_BYTES = 4
    };
    toi_mesh_counts n = {in_range(p->mesh.start.count), in_range(p->mesh.edges.count),
                         in_range(p->mesh.faces.count)};
    int64_t given = n.edges, checking = 0, making = 0;
    loose_counts loose = count_loose(p, &n, known);
    bool made = p->scene->topology.own_edges.data;
    if (n.edges == 0 && is_stateless(p) && !made)
        n.edges = 3 * n.faces;
    // More workers would only take memory.
    p->workers = toi_mesh_workers(p->def->broad.method, &n, p->workers);
    int64_t sorting = toi_radix_tables(3 * n.faces + n.edges + n.vertices, p->workers);
    if (is_stateless(p)) {
        checking = (2 * KEY_BYTES + INDEX_BYTES) * given + INDEX_BYTES * n.vertices + sorting;
        if (given == 0 || made)
            making = 3 * n.faces * (2 * KEY_BYTES + EDGE_BYTES) + sorting;
        int64_t lists = INDEX_BYTES * (loose.vertices + loose.edges);
        int64_t loosening = toi_loose_parts_need(n.vertices, given) + sorting;
        making = larger(making, lists + EDGE_BYTES * n.edges + loosening);
    }
    int64_t working = EDGE_BYTES * n.edges + search_need(p, &n, &loose);
    if (is_stateless(p))
        working += INDEX_BYTES * (loose.vertices + loose.edges);
    if (p->purpose.solve)
        working += toi_solve_need(&p->def->narrow, &n, p->workers);
    if (p->purpose.measure)
        working += toi_measure_need(&n, p->workers);
    p->budget->need = p->entered + BLOCKS + larger(working, larger(checking, making));
}

static toi_status enter_passing_scene(toi_pipeline *p, const toi_mesh *mesh)
{
    if (!mesh)
        return toi_fail(TOI_ERROR_ARGUMENT, "the mesh is NULL");
    p->mesh = *mesh;
    return toi_enter_scene(p->scene, p->def->memory_limit);
}

static toi_status enter_scene(toi_pipeline *p, const toi_step *step)
{
    const toi_filter *filter = &p->def->filter;
    if (filter->groups || filter->may_collide)
        return toi_fail(TOI_ERROR_ARGUMENT, "the definition has a filter, but the scene has its "
                                            "own: give it to toi_scene_set_filter()");
    toi_status status = toi_enter_scene(step->scene, p->def->memory_limit);
    if (status != TOI_OK)
        return status;
    status = toi_freshen_topology(step->scene, p->workers);
    if (status != TOI_OK) {
        toi_leave_scene(step->scene);
        return status;
    }
    p->scene = step->scene;
    p->budget = &p->scene->budget;
    p->kept = p->scene->kept;
    p->mesh = toi_scene_mesh(p->scene, step->start, step->end);
    p->resume = step->resume;
    if (p->resume)
        p->mesh.start.count = step->end.count;
    return TOI_OK;
}

toi_status toi_pipeline_begin(toi_pipeline *p, const toi_ccd_def *def, toi_step step,
                              toi_purpose purpose)
{
    *p = (toi_pipeline){.def = def, .purpose = purpose, .started = toi_clock()};
    p->passing = toi_passing_scene();
    p->scene = &p->passing;
    p->budget = &p->scene->budget;
    p->report.earliest.time = INFINITY;
    p->report.first_inside.kind = TOI_KIND_COUNT;
    toi_status status = check_def(def);
    if (status == TOI_OK)
        status = toi_check_device(def, purpose);
    if (status == TOI_OK)
        status = toi_resolve_workers(def->workers, &p->workers);
    if (status == TOI_OK)
        status = step.stateless ? enter_passing_scene(p, step.mesh) : enter_scene(p, &step);
    if (status != TOI_OK)
        return status;
    p->report.decided_by = purpose.solve ? def->narrow.method : TOI_NARROW_COUNT;
    p->budget->list = purpose.list;
    p->policy = def->zero_time;
    p->last_time = toi_last_time(&def->narrow);
    toi_meter_init(&p->meter, def->progress, def->progress_context);
    p->entered = toi_bytes_in_use(p->budget);
    foresee(p, !step.stateless);
    return TOI_OK;
}

// For this call alone: it looks at the caller's arrays.
static toi_status make_scene(toi_pipeline *p)
{
    toi_topology_source source = {.mesh = &p->mesh, .filter = &p->def->filter};
    toi_topology *topology = &p->scene->topology;
    toi_status status = toi_make_topology(&source, p->workers, p->budget, topology);
    if (status != TOI_OK)
        return status;
    p->mesh.edges = topology->edges;
    foresee(p, true); // now it is known how many edges and loose parts there are
    return TOI_OK;
}

// A device looks at the coordinates itself, where they are.
static toi_status check_positions(const toi_pipeline *p)
{
    const toi_point_view *start = p->resume ? &p->mesh.end : &p->mesh.start;
    return p->def->device ? toi_check_point_views(start, &p->mesh.end)
                          : toi_check_positions(start, &p->mesh.end, p->workers);
}

toi_status toi_prepare_step(toi_pipeline *p)
{
    toi_status status = check_positions(p);
    if (status == TOI_OK && is_stateless(p))
        status = make_scene(p);
    if (status != TOI_OK)
        return status;
    if (p->mesh.start.count != p->scene->topology.vertex_count)
        return toi_fail(TOI_ERROR_DATA,
                        "there are positions of %" PRId64 " vertices, but the scene has %" PRId64,
                        p->mesh.start.count, p->scene->topology.vertex_count);
    status = toi_check_given(p);
    if (status != TOI_OK)
        return status;
    p->report.vertices = p->mesh.start.count;
    p->report.edges = p->mesh.edges.count;
    p->report.faces = p->mesh.faces.count;
    p->report.seconds_prepare = toi_clock() - p->started;
    return TOI_OK;
}

toi_status toi_pipeline_end(toi_pipeline *p, toi_status status, toi_ccd_report *report)
{
    toi_give_back(p->trajectories);
    toi_free_mesh_order(&p->order);
    if (is_stateless(p))
        toi_clear_scene(p->scene);
    else if (status == TOI_OK && p->purpose.solve && !p->def->given) // of all pairs, not of some
        p->scene->last = p->report.earliest;
    p->report.peak_bytes = p->budget->peak;
    p->report.seconds_total = toi_clock() - p->started;
    if (status == TOI_OK)
        toi_report_tracking(p);
    toi_leave_scene(p->scene);
    if (status == TOI_OK)
        p->report.state = p->report.earliest.time < INFINITY ? (toi_state)p->report.earliest.state
                                                             : TOI_SEPARATED;
    if (report)
        *report = status == TOI_OK ? p->report
                                   : (toi_ccd_report){.earliest.time = INFINITY,
                                                      .first_inside.kind = TOI_KIND_COUNT};
    return status;
}
