// Faces of a scene that come, go and change.

#include "ccd/scene.h"

#include "base/fp_mode.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "broad/tree/mesh_tree.h"
#include "device/device.h"
#include "overlap/stars.h"

#include <inttypes.h>
#include <string.h>

// ---- What is kept

void toi_settle_order(toi_scene *scene)
{
    if (!scene->changed.waits)
        return;
    const toi_topology *t = &scene->topology;
    toi_face_changes changes = {.counts = {t->vertex_count, t->edges.count, t->faces.count},
                                .faces = &t->faces,
                                .changed = scene->changed.data,
                                .count = scene->changed.count};
    toi_fit_kept_order(&scene->kept[TOI_KEPT_ORDER], &changes, &scene->budget);
    scene->changed.count = 0;
    scene->changed.waits = false;
}

// The faces keep their order in space when edges come to be.
static void keep_order_with_edges(toi_scene *scene)
{
    const toi_topology *t = &scene->topology;
    toi_face_changes none = {.counts = {t->vertex_count, t->edges.count, t->faces.count},
                             .faces = &t->faces};
    toi_fit_kept_order(&scene->kept[TOI_KEPT_ORDER], &none, &scene->budget);
}

static toi_status make_parts(toi_scene *scene, int workers)
{
    toi_topology *t = &scene->topology;
    toi_mesh mesh = {.start.count = t->vertex_count, .faces = t->faces};
    toi_status status = toi_find_loose_parts(&mesh, workers, &scene->budget, &t->loose);
    if (status == TOI_OK)
        status = toi_make_edges_within(t->faces, (toi_index_view){0}, t->vertex_count, workers,
                                       &scene->budget, &t->own_edges);
    if (status != TOI_OK)
        toi_free_loose_parts(&t->loose);
    return status;
}

toi_status toi_freshen_topology(toi_scene *scene, int workers)
{
    enum
    {
        SIDE_BYTES = 24, // a key, its place while it is sorted, an edge
        BLOCKS = 16 * TOI_BLOCK_OVERHEAD
    };
    toi_topology *t = &scene->topology;
    if (!t->stale)
        return TOI_OK;
    scene->budget.list = NULL;
    scene->budget.need =
        toi_bytes_in_use(&scene->budget) + BLOCKS + 3 * t->faces.count * SIDE_BYTES +
        toi_radix_tables(3 * t->faces.count, workers) + toi_loose_parts_need(t->vertex_count, 0);
    toi_status status = make_parts(scene, workers);
    if (status != TOI_OK)
        return status;
    t->edges = toi_view_edges(&t->own_edges);
    t->stale = false;
    keep_order_with_edges(scene);
    return TOI_OK;
}

// ---- Checking

typedef struct face_request
{
    int64_t vertex_count;
    int64_t face_count;
    const toi_face_change *changes; // as given
    int64_t change_count;
    const int32_t *groups;
    toi_face_change *sorted; // by face, each once
    int64_t sorted_count;
    int32_t *new_groups;
} face_request;

static toi_status check_counts(const face_request *r)
{
    toi_status status = toi_check_count(r->vertex_count, "vertices");
    if (status == TOI_OK)
        status = toi_check_count(r->face_count, "faces");
    if (status == TOI_OK)
        status = toi_check_count(r->change_count, "changes");
    if (status != TOI_OK)
        return status;
    if (r->vertex_count > INT32_MAX || r->face_count > INT32_MAX || r->change_count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "more than %d vertices, faces or changes", INT32_MAX);
    if (r->change_count > 0 && !r->changes)
        return toi_fail(TOI_ERROR_ARGUMENT, "the changes are NULL");
    return TOI_OK;
}

static toi_status check_changes(const face_request *r)
{
    for (int64_t i = 0; i < r->change_count; ++i) {
        const toi_face_change *change = &r->changes[i];
        if (change->face < 0 || change->face >= r->face_count)
            return toi_fail(TOI_ERROR_DATA,
                            "change %" PRId64 " is of face %" PRId32
                            ", which is not in [0, %" PRId64 ")",
                            i, change->face, r->face_count);
        for (int c = 0; c < 3; ++c)
            if (change->vertices[c] < 0 || change->vertices[c] >= r->vertex_count)
                return toi_fail(TOI_ERROR_DATA,
                                "change %" PRId64 ": vertex index %" PRId32
                                " is not in [0, %" PRId64 ")",
                                i, change->vertices[c], r->vertex_count);
    }
    return TOI_OK;
}

static toi_status check_scene(const toi_topology *t, const face_request *r)
{
    if (!t->plain)
        return toi_fail(TOI_ERROR_ARGUMENT, "the scene's edges or loose edges were given: use "
                                            "toi_scene_change()");
    if (t->filter.groups && !r->groups && r->vertex_count > t->filter.group_count)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the filter has groups for %" PRId64 " vertices of %" PRId64
                        ": give the new groups",
                        t->filter.group_count, r->vertex_count);
    return TOI_OK;
}

// Of several changes of one face the last is taken.
static toi_status sort_changes(toi_budget *budget, face_request *r)
{
    uint64_t *keys = toi_take(budget, r->change_count, sizeof *keys);
    r->sorted = keys ? toi_take(budget, r->change_count, sizeof *r->sorted) : NULL;
    if (!r->sorted) {
        toi_give_back(keys);
        return toi_allocation_status();
    }
    for (int64_t i = 0; i < r->change_count; ++i)
        keys[i] = (uint64_t)r->changes[i].face << 32 | (uint64_t)i;
    toi_sort_in_place(keys, r->change_count, sizeof *keys, 1, toi_whole_key);
    for (int64_t i = 0; i < r->change_count; ++i)
        if (i + 1 == r->change_count || keys[i] >> 32 != keys[i + 1] >> 32)
            r->sorted[r->sorted_count++] = r->changes[(uint32_t)keys[i]];
    toi_give_back(keys);
    return TOI_OK;
}

// The new faces are the last of the sorted changes.
static toi_status check_new_faces(const toi_topology *t, const face_request *r)
{
    for (int64_t f = r->face_count - 1, at = r->sorted_count - 1; f >= t->faces.count; --f, --at)
        if (at < 0 || r->sorted[at].face != f)
            return toi_fail(TOI_ERROR_DATA, "face %" PRId64 " is new, but not among the changes",
                            f);
    return TOI_OK;
}

static bool stays(const toi_changed_faces *changed, int64_t face_count, int32_t face)
{
    int64_t at = toi_find_change(changed, face);
    return face < face_count && (at == changed->count || changed->changes[at].face != face);
}

// A face that stays as it is and names a vertex that is gone; -1: there is none. Where stars are
// not known all faces are looked at.
static int32_t find_lost_face(const toi_scene *scene, const face_request *r)
{
    const toi_topology *t = &scene->topology;
    const toi_stars *stars = scene->stars;
    toi_changed_faces changed = {&t->faces, r->sorted, r->sorted_count};
    for (int64_t v = r->vertex_count; stars && v < t->vertex_count; ++v)
        for (int32_t i = 0; i < stars->stars[v].faces; ++i)
            if (stays(&changed, r->face_count, toi_star_faces(stars, v)[i]))
                return toi_star_faces(stars, v)[i];
    if (stars || r->vertex_count >= t->vertex_count)
        return -1;
    for (int32_t f = 0; f < t->faces.count && f < r->face_count; ++f) {
        const int32_t *row = toi_face_at(&t->faces, f);
        if ((row[0] >= r->vertex_count || row[1] >= r->vertex_count || row[2] >= r->vertex_count) &&
            stays(&changed, r->face_count, f))
            return f;
    }
    return -1;
}

static toi_status check_request(toi_scene *scene, face_request *r)
{
    toi_status status = check_counts(r);
    if (status == TOI_OK)
        status = check_changes(r);
    if (status == TOI_OK)
        status = check_scene(&scene->topology, r);
    if (status == TOI_OK)
        status = sort_changes(&scene->budget, r);
    if (status == TOI_OK)
        status = check_new_faces(&scene->topology, r);
    if (status != TOI_OK)
        return status;
    int32_t lost = find_lost_face(scene, r);
    return lost < 0
               ? TOI_OK
               : toi_fail(TOI_ERROR_DATA,
                          "face %" PRId32 " names a vertex that is gone: there are %" PRId64 " now",
                          lost, r->vertex_count);
}

// ---- Changing

// All memory but that of the stars, before anything changes.
static toi_status make_way(toi_scene *scene, face_request *r)
{
    toi_topology *t = &scene->topology;
    toi_budget *budget = &scene->budget;
    toi_status status = toi_reserve(budget, (void **)&t->own_faces, &t->face_capacity,
                                    r->face_count, 3 * sizeof *t->own_faces);
    t->faces.data = t->own_faces;
    if (status == TOI_OK && scene->kept[TOI_KEPT_ORDER].data)
        status = toi_reserve(budget, (void **)&scene->changed.data, &scene->changed.capacity,
                             scene->changed.count + r->sorted_count, sizeof *scene->changed.data);
    toi_filter filter = {.groups = r->groups, .group_count = r->vertex_count};
    if (status == TOI_OK)
        status = toi_copy_groups(&filter, budget, &r->new_groups);
    return status;
}

static void change_filter(toi_topology *t, face_request *r)
{
    if (r->new_groups) {
        toi_give_back(t->own_groups);
        t->own_groups = r->new_groups;
        t->filter.groups = r->new_groups;
        r->new_groups = NULL;
    }
    t->filter.group_count = t->filter.groups ? r->vertex_count : 0;
}

// Searches of lists of boxes begin anew. So does the order of the faces when much has changed.
static void note_changes(toi_scene *scene, const face_request *r)
{
    enum
    {
        SHARE = 4 // of the faces: more is much
    };
    toi_broad_slot *order = &scene->kept[TOI_KEPT_ORDER];
    for (int i = 0; i < TOI_KEPT; ++i)
        if (i != TOI_KEPT_ORDER)
            toi_empty_slot(&scene->kept[i]);
    scene->changed.waits = order->data;
    if (!order->data)
        return;
    for (int64_t i = 0; i < r->sorted_count; ++i)
        scene->changed.data[scene->changed.count++] = r->sorted[i].face;
    if (scene->changed.count > r->face_count / SHARE) {
        toi_empty_slot(order);
        scene->changed.count = 0;
    }
}

static void change_topology(toi_topology *t, face_request *r)
{
    for (int64_t i = 0; i < r->sorted_count; ++i)
        memcpy(t->own_faces + 3 * (int64_t)r->sorted[i].face, r->sorted[i].vertices,
               sizeof r->sorted[i].vertices);
    t->faces.count = r->face_count;
    t->vertex_count = r->vertex_count;
    toi_free_edges(&t->own_edges);
    toi_free_loose_parts(&t->loose);
    t->edges = (toi_index_view){0};
    t->stale = true;
    change_filter(t, r);
}

static toi_status change_faces(toi_scene *scene, face_request *r)
{
    toi_topology *t = &scene->topology;
    toi_status status = check_request(scene, r);
    if (status == TOI_OK)
        status = make_way(scene, r);
    if (status == TOI_OK && scene->stars)
        status = toi_change_stars(scene->stars, &t->faces, r->vertex_count, r->face_count,
                                  r->sorted, r->sorted_count);
    if (status != TOI_OK)
        return status;
    // From here on nothing can fail.
    toi_change_tracking(&scene->tracking);
    toi_forget_resident(scene);
    note_changes(scene, r);
    change_topology(t, r);
    scene->vertex_count = r->vertex_count;
    scene->face_count = r->face_count;
    scene->last = (toi_impact){.state = TOI_SEPARATED};
    return TOI_OK;
}

toi_status toi_scene_change_faces(toi_scene *scene, int64_t vertex_count, int64_t face_count,
                                  const toi_face_change *changes, int64_t change_count,
                                  const int32_t *groups)
{
    enum
    {
        CHANGE_BYTES = 400, // a change, its place in lists, its vertices' stars
        FACE_BYTES = 60,    // of the faces and stars, when they move to larger arrays
        VERTEX_BYTES = 28   // of the stars, likewise, and a group
    };
    TOI_GUARD_FP; // for the memory hooks
    toi_status status = toi_lock_scene(scene);
    if (status != TOI_OK)
        return status;
    face_request r = {.vertex_count = vertex_count,
                      .face_count = face_count,
                      .changes = changes,
                      .change_count = change_count,
                      .groups = groups};
    toi_budget *budget = &scene->budget;
    toi_begin_call(budget);
    budget->limit = scene->limit;
    budget->list = NULL;
    budget->need =
        toi_bytes_in_use(budget) + CHANGE_BYTES * (change_count > 0 ? change_count : 0) +
        FACE_BYTES * scene->topology.faces.count +
        VERTEX_BYTES * (vertex_count > 0 && vertex_count <= INT32_MAX ? vertex_count : 0);
    status = change_faces(scene, &r);
    toi_give_back(r.sorted);
    toi_give_back(r.new_groups);
    toi_leave_scene(scene);
    return status;
}
