// Scenes: making, changing and freeing them, and who may use one.

#include "ccd/scene.h"

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "device/device.h"
#include "mesh/mesh.h"
#include "overlap/overlap.h"

#include <inttypes.h>
#include <string.h>

static const uint32_t SCENE_COOKIE = 0x5ce40001u;

toi_scene_def toi_default_scene_def(void)
{
    return (toi_scene_def){.cookie = SCENE_COOKIE};
}

// ---- Topology

static toi_status check_filter(const toi_filter *filter, int64_t vertex_count)
{
    if (filter->groups && filter->group_count != vertex_count)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the filter has %" PRId64 " groups for %" PRId64 " vertices",
                        filter->group_count, vertex_count);
    return TOI_OK;
}

void toi_free_topology(toi_topology *t)
{
    toi_give_back(t->own_groups);
    toi_free_edges(&t->own_edges);
    toi_give_back(t->own_faces);
    toi_free_loose_parts(&t->loose);
    *t = (toi_topology){0};
}

static toi_status copy_rows(toi_index_view *view, int width, toi_budget *budget, int32_t **own)
{
    *own = toi_take_new(budget, view->count, (size_t)width * sizeof **own);
    if (!*own)
        return toi_allocation_status();
    for (int64_t i = 0; i < view->count; ++i)
        memcpy(*own + i * width, toi_index_row(view, width, i), (size_t)width * sizeof **own);
    *view = (toi_index_view){*own, view->count, 0};
    return TOI_OK;
}

toi_status toi_copy_groups(toi_filter *filter, toi_budget *budget, int32_t **own)
{
    *own = NULL;
    if (!filter->groups)
        return TOI_OK;
    *own = toi_take_new(budget, filter->group_count, sizeof **own);
    if (!*own)
        return toi_allocation_status();
    memcpy(*own, filter->groups, (size_t)filter->group_count * sizeof **own);
    filter->groups = *own;
    return TOI_OK;
}

// Edges that are made are the topology's own in any case.
static toi_status own_edges(const toi_topology_source *source, int workers, toi_budget *budget,
                            toi_topology *t)
{
    toi_status status = TOI_OK;
    if (t->edges.count == 0) {
        status = toi_make_edges_within(t->faces, source->loose, t->vertex_count, workers, budget,
                                       &t->own_edges);
        t->edges = toi_view_edges(&t->own_edges);
    } else if (source->copy) {
        int32_t *rows;
        status = copy_rows(&t->edges, 2, budget, &rows);
        t->own_edges = (toi_edge_array){(int32_t(*)[2])rows, t->edges.count};
    }
    return status;
}

// Edges that are made of the faces alone need no look: none is loose.
static toi_status find_loose_parts(int workers, toi_budget *budget, toi_topology *t)
{
    toi_mesh mesh = {.start.count = t->vertex_count, .faces = t->faces, .edges = t->edges};
    if (t->plain)
        mesh.edges.count = 0;
    return toi_find_loose_parts(&mesh, workers, budget, &t->loose);
}

toi_status toi_make_topology(const toi_topology_source *source, int workers, toi_budget *budget,
                             toi_topology *t)
{
    const toi_mesh *mesh = source->mesh;
    *t = (toi_topology){.vertex_count = mesh->start.count,
                        .faces = mesh->faces,
                        .edges = mesh->edges,
                        .filter = *source->filter,
                        .plain = mesh->edges.count == 0 && source->loose.count == 0};
    toi_status status = toi_check_topology(mesh, workers, budget);
    if (status == TOI_OK)
        status = check_filter(&t->filter, t->vertex_count);
    if (status == TOI_OK)
        status = own_edges(source, workers, budget, t);
    if (status == TOI_OK)
        status = find_loose_parts(workers, budget, t);
    if (status == TOI_OK && source->copy)
        status = copy_rows(&t->faces, 3, budget, &t->own_faces);
    t->face_capacity = t->own_faces ? t->faces.count : 0;
    if (status == TOI_OK && source->copy)
        status = toi_copy_groups(&t->filter, budget, &t->own_groups);
    if (status != TOI_OK)
        toi_free_topology(t);
    return status;
}

// ---- One call at a time

toi_scene toi_passing_scene(void)
{
    return (toi_scene){.busy = ATOMIC_FLAG_INIT};
}

void toi_forget_kept(toi_scene *scene)
{
    for (int i = 0; i < TOI_KEPT; ++i)
        toi_empty_slot(&scene->kept[i]);
    toi_free_stars(scene->stars);
    scene->stars = NULL;
    toi_give_back(scene->changed.data); // of an order that is gone
    scene->changed = (toi_changed_list){0};
    toi_forget_tracking(&scene->tracking);
    toi_forget_resident(scene);
}

void toi_clear_scene(toi_scene *scene)
{
    toi_forget_kept(scene);
    toi_free_topology(&scene->topology);
    toi_close_store(&scene->budget);
}

toi_status toi_lock_scene(toi_scene *scene)
{
    if (!scene)
        return toi_fail(TOI_ERROR_ARGUMENT, "the scene is NULL");
    if (atomic_flag_test_and_set_explicit(&scene->busy, memory_order_acquire))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the scene is in use by another call; give each thread its own");
    return TOI_OK;
}

void toi_leave_scene(toi_scene *scene)
{
    atomic_flag_clear_explicit(&scene->busy, memory_order_release);
}

static int64_t lower_limit(int64_t a, int64_t b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

toi_status toi_enter_scene(toi_scene *scene, int64_t memory_limit)
{
    toi_status status = toi_lock_scene(scene);
    if (status != TOI_OK)
        return status;
    toi_budget *budget = &scene->budget;
    budget->limit = lower_limit(scene->limit, memory_limit);
    if (budget->limit > 0 && budget->used > budget->limit)
        toi_empty_store(budget);
    if (budget->limit > 0 && budget->used > budget->limit) {
        toi_forget_kept(scene);
        toi_empty_store(budget);
    }
    toi_begin_call(budget);
    toi_settle_order(scene);
    return TOI_OK;
}

// ---- What callers do with one

static toi_status check_def(const toi_scene_def *def)
{
    TOI_CHECK_DEF(def, SCENE_COOKIE, "scene");
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    toi_status status = toi_check_count(def->vertex_count, "vertices");
    if (status != TOI_OK)
        return status;
    if (def->vertex_count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " vertices: at most %d are possible",
                        def->vertex_count, INT32_MAX);
    if (def->edges.count != 0 && def->loose_edges.count != 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "loose edges are for scenes whose edges are made: put "
                                            "them among the edges that you give");
    return toi_check_indices(&def->loose_edges, 2, def->vertex_count, toi_default_workers());
}

// What making the topology takes at most, for the message.
static int64_t topology_need(const toi_scene_def *def, int workers)
{
    enum
    {
        BLOCKS = 16 * TOI_BLOCK_OVERHEAD,
        KEY_BYTES = 8,
        INDEX_BYTES = 4
    };
    int64_t sides = 3 * def->faces.count;
    int64_t edges = def->edges.count ? def->edges.count : sides + def->loose_edges.count;
    int64_t keys = 2 * KEY_BYTES * edges + KEY_BYTES * def->vertex_count;
    int64_t loose = toi_loose_parts_need(def->vertex_count, edges);
    int64_t kept = INDEX_BYTES * (3 * edges + def->vertex_count + sides + def->filter.group_count);
    return BLOCKS + toi_radix_tables(edges, workers) + kept + (keys > loose ? keys : loose);
}

static toi_status make_topology(const toi_scene_def *def, toi_budget *budget, toi_topology *t)
{
    int workers;
    toi_status status = check_def(def);
    if (status == TOI_OK)
        status = toi_resolve_workers(def->workers, &workers);
    if (status != TOI_OK)
        return status;
    budget->limit = def->memory_limit;
    budget->need = topology_need(def, workers) + toi_bytes_in_use(budget);
    budget->list = NULL;
    toi_mesh mesh = {.start.count = def->vertex_count, .faces = def->faces, .edges = def->edges};
    toi_topology_source source = {&mesh, def->loose_edges, &def->filter, true};
    return toi_make_topology(&source, workers, budget, t);
}

toi_status toi_make_scene(const toi_scene_def *def, toi_scene **made)
{
    TOI_GUARD_FP; // for the parallel-for hook
    *made = NULL;
    toi_scene *scene = toi_take(NULL, 1, sizeof *scene);
    if (!scene)
        return toi_allocation_status();
    *scene = toi_passing_scene();
    toi_status status = toi_open_store(&scene->budget) ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK)
        status = make_topology(def, &scene->budget, &scene->topology);
    if (status != TOI_OK) {
        toi_free_scene(scene);
        return status;
    }
    scene->vertex_count = scene->topology.vertex_count;
    scene->face_count = scene->topology.faces.count;
    toi_empty_store(&scene->budget); // what making it took is not what its calls take
    scene->limit = def->memory_limit;
    *made = scene;
    return TOI_OK;
}

void toi_free_scene(toi_scene *scene)
{
    if (!scene)
        return;
    toi_clear_scene(scene);
    toi_give_back(scene);
}

toi_status toi_scene_change(toi_scene *scene, const toi_scene_def *def)
{
    TOI_GUARD_FP; // for the parallel-for hook
    toi_status status = toi_lock_scene(scene);
    if (status != TOI_OK)
        return status;
    toi_topology topology;
    toi_begin_call(&scene->budget);
    status = make_topology(def, &scene->budget, &topology);
    if (status == TOI_OK) {
        toi_forget_kept(scene); // an order of other primitives
        scene->last = (toi_impact){.state = TOI_SEPARATED};
        toi_free_topology(&scene->topology);
        scene->topology = topology;
        scene->vertex_count = topology.vertex_count;
        scene->face_count = topology.faces.count;
        scene->limit = def->memory_limit;
    }
    toi_leave_scene(scene);
    return status;
}

toi_status toi_scene_set_filter(toi_scene *scene, const toi_filter *filter)
{
    toi_status status = toi_lock_scene(scene);
    if (status != TOI_OK)
        return status;
    int32_t *groups = NULL;
    toi_filter own = filter ? *filter : (toi_filter){0};
    status = check_filter(&own, scene->topology.vertex_count);
    if (status == TOI_OK) {
        scene->budget.limit = scene->limit;
        scene->budget.need =
            scene->budget.used + TOI_BLOCK_OVERHEAD + own.group_count * (int64_t)sizeof *groups;
        status = toi_copy_groups(&own, &scene->budget, &groups);
    }
    if (status == TOI_OK) {
        toi_give_back(scene->topology.own_groups);
        scene->topology.own_groups = groups;
        scene->topology.filter = own;
        toi_forget_resident(scene); // it has the old groups
    }
    toi_leave_scene(scene);
    return status;
}

toi_mesh toi_scene_mesh(const toi_scene *scene, toi_point_view start, toi_point_view end)
{
    toi_mesh mesh = {.start = start, .end = end};
    if (!scene)
        return (toi_mesh){0};
    mesh.faces = scene->topology.faces;
    mesh.edges = scene->topology.edges;
    return mesh;
}

int64_t toi_scene_bytes(const toi_scene *scene)
{
    return scene ? scene->budget.used : 0;
}

toi_status toi_scene_trim(toi_scene *scene)
{
    toi_status status = toi_lock_scene(scene);
    if (status != TOI_OK)
        return status;
    toi_forget_kept(scene);
    toi_empty_store(&scene->budget);
    toi_leave_scene(scene);
    return TOI_OK;
}
