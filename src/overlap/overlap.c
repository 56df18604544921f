// The entry points for overlaps: options, what a call takes, lists, counts and flags.

#include "overlap/call.h"

#include "base/fp_mode.h"
#include "base/status.h"
#include "mesh/mesh.h"

static const uint32_t OVERLAP_COOKIE = 0x0ea90002u;

enum
{
    ALL_CLASSES = (1 << TOI_OVERLAP_CLASS_COUNT) - 1
};

const char *toi_overlap_method_name(toi_overlap_method method)
{
    const toi_overlap_search *search = toi_overlap_search_of(method);
    return search ? search->name : NULL;
}

const char *toi_cell_hash_name(toi_cell_hash hash)
{
    static const char *const names[TOI_CELL_HASH_COUNT] = {"bricks", "djb2", "morton"};
    return (unsigned)hash < TOI_CELL_HASH_COUNT ? names[hash] : NULL;
}

const char *toi_overlap_class_name(toi_overlap_class overlap_class)
{
    static const char *const names[TOI_OVERLAP_CLASS_COUNT] = {
        "crossing", "coplanar", "segment", "point", "vertex", "edge", "same"};
    return (unsigned)overlap_class < TOI_OVERLAP_CLASS_COUNT ? names[overlap_class] : NULL;
}

toi_overlap_def toi_default_overlap_def(void)
{
    return (toi_overlap_def){.classes = ALL_CLASSES, .cookie = OVERLAP_COOKIE};
}

void toi_free_overlaps(toi_overlap_array *overlaps)
{
    if (!overlaps)
        return;
    toi_give_back(overlaps->data);
    *overlaps = (toi_overlap_array){NULL, 0, 0};
}

// ---------------------------------------------------------------------------------------------
// What may be asked

static toi_status check_def(const toi_overlap_def *def)
{
    TOI_CHECK_DEF(def, OVERLAP_COOKIE, "overlap");
    const toi_overlap_search *search = toi_overlap_search_of(def->method);
    if (!search)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no overlap method number %d",
                        (int)def->method);
    if (!search->run)
        return toi_fail(TOI_ERROR_UNSUPPORTED, "the overlap method %s is not in this build",
                        search->name);
    if ((unsigned)def->hash >= TOI_CELL_HASH_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no hash of cells number %d", (int)def->hash);
    if (def->hash != TOI_CELL_HASH_BRICKS && def->method != TOI_OVERLAP_KDET)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "hash: the overlap method %s does not honour it; leave it at its default, "
                        "or use kdet",
                        search->name);
    if (def->classes == 0 || def->classes > ALL_CLASSES)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "classes is %#" PRIx32 "; use bits of classes (1 << class), one at least",
                        def->classes);
    if (def->limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "limit is %" PRId64 "; use 0 or more", def->limit);
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    if (def->device && def->method == TOI_OVERLAP_BRUTE)
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "a device does not do the overlap method %s as yet: use auto or kdet, or "
                        "ask without a device",
                        search->name);
    return TOI_OK;
}

static toi_status check_polygons(const toi_polygon_view *view, int64_t faces)
{
    if (!view->polygons) {
        if (view->diagonals)
            return toi_fail(TOI_ERROR_ARGUMENT, "diagonals are given, but no polygons");
        return TOI_OK;
    }
    if (view->count != faces)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the polygons are of %" PRId64 " faces, but the mesh has %" PRId64,
                        view->count, faces);
    for (int64_t i = 0; i < faces; ++i) {
        if (view->polygons[i] < 0 || view->polygons[i] >= TOI_MOST_OVERLAP_FACES)
            return toi_fail(TOI_ERROR_DATA,
                            "face %" PRId64 ": polygon number %" PRId32 " is not in [0, %d)", i,
                            view->polygons[i], TOI_MOST_OVERLAP_FACES);
        if (view->diagonals && view->diagonals[i] > 7)
            return toi_fail(TOI_ERROR_DATA,
                            "face %" PRId64 ": the diagonals are %d; three bits are possible", i,
                            view->diagonals[i]);
    }
    return TOI_OK;
}

static toi_status check_faces(const toi_overlap_call *call)
{
    const toi_mesh *mesh = &call->mesh;
    if (mesh->faces.count > TOI_MOST_OVERLAP_FACES)
        return toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " faces: at most %d are possible",
                        mesh->faces.count, TOI_MOST_OVERLAP_FACES);
    return check_polygons(&call->def->polygons, mesh->faces.count);
}

static toi_status check_filter(const toi_filter *filter, int64_t vertices)
{
    if (filter->groups && filter->group_count != vertices)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the filter has %" PRId64 " groups for %" PRId64 " vertices",
                        filter->group_count, vertices);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// The beginning and the end of a call

// Who is asked about: a mesh, or a scene whose vertices are at `points`.
typedef struct subject
{
    const toi_mesh *mesh;
    toi_scene *scene;
    bool stateless;
    toi_point_view points;
} subject;

static bool is_stateless(const toi_overlap_call *call)
{
    return call->scene == &call->passing;
}

static toi_status enter(toi_overlap_call *call, const subject *s)
{
    const toi_filter *filter = &call->def->filter;
    if (s->stateless) {
        if (!s->mesh)
            return toi_fail(TOI_ERROR_ARGUMENT, "the mesh is NULL");
        call->mesh = (toi_mesh){.start = s->mesh->start, .faces = s->mesh->faces};
        call->filter = *filter;
        return toi_enter_scene(call->scene, call->def->memory_limit);
    }
    if (filter->groups || filter->may_collide)
        return toi_fail(TOI_ERROR_ARGUMENT, "the definition has a filter, but the scene has its "
                                            "own: give it to toi_scene_set_filter()");
    toi_status status = toi_enter_scene(s->scene, call->def->memory_limit);
    if (status != TOI_OK)
        return status;
    call->scene = s->scene;
    call->budget = &call->scene->budget;
    call->mesh = toi_scene_mesh(call->scene, s->points, s->points);
    call->filter = call->scene->topology.filter;
    return TOI_OK;
}

static int64_t in_range(int64_t count) // others are refused later
{
    return count < 0 ? 0 : count > INT32_MAX ? INT32_MAX : count;
}

// Notes how many workers the call has use for, and what it takes at most, lists excepted.
static void foresee(toi_overlap_call *call)
{
    enum
    {
        BLOCKS = 32 * TOI_BLOCK_OVERHEAD
    };
    toi_mesh_counts n = {in_range(call->mesh.start.count), in_range(call->mesh.edges.count),
                         in_range(call->mesh.faces.count)};
    call->workers = toi_mesh_workers(TOI_BROAD_AUTO, &n, call->workers);
    int64_t own = call->workers * (int64_t)(sizeof *call->own + sizeof(toi_worker_records));
    // Blocks of a scene may be larger by a quarter; where memory is short, those taken last are
    // not.
    int64_t need = call->entered + BLOCKS + own + own / 4;
    if (!call->def->device) // which has memory of its own
        need += call->search->need(&n, call->workers);
    if (call->search->pairs != TOI_PAIRS_PLAIN) {
        if (!call->def->device)
            need += toi_face_table_need(&n) + n.vertices; // and what is embedded
        if (!call->scene->stars)
            need += toi_stars_need(n.vertices, n.faces, call->workers);
    }
    call->budget->need = need;
}

// Takes nothing yet, so that a list to be reused can be counted first.
static toi_status begin(toi_overlap_call *call, const toi_overlap_def *def, const subject *s,
                        const char *list)
{
    *call = (toi_overlap_call){.def = def, .beyond = UINT64_MAX, .started = toi_clock()};
    call->passing = toi_passing_scene();
    call->scene = &call->passing;
    call->budget = &call->scene->budget;
    call->report.complete = true;
    toi_status status = check_def(def);
    if (status == TOI_OK)
        status = toi_resolve_workers(def->workers, &call->workers);
    if (status == TOI_OK)
        status = enter(call, s);
    if (status != TOI_OK)
        return status;
    call->search = toi_overlap_search_of(def->method);
    call->cull = toi_cull_faces_kernel();
    call->decide = toi_decide_faces_kernel();
    call->budget->list = list;
    toi_meter_init(&call->meter, def->progress, def->progress_context);
    call->entered = toi_bytes_in_use(call->budget);
    foresee(call);
    return TOI_OK;
}

// Will a device look at the coordinates?
static bool is_on_device(const toi_overlap_call *call)
{
    return call->def->device && call->mesh.faces.count > 1;
}

// Checks the mesh, and makes its faces ready.
static toi_status prepare(toi_overlap_call *call)
{
    toi_mesh *mesh = &call->mesh;
    toi_status status = is_on_device(call)
                            ? toi_check_point_views(&mesh->start, &mesh->start)
                            : toi_check_positions(&mesh->start, &mesh->start, call->workers);
    if (status == TOI_OK && is_stateless(call))
        status = toi_check_indices(&mesh->faces, 3, mesh->start.count, call->workers);
    else if (status == TOI_OK && mesh->start.count != call->scene->topology.vertex_count)
        status = toi_fail(TOI_ERROR_DATA,
                          "there are positions of %" PRId64 " vertices, but the scene has %" PRId64,
                          mesh->start.count, call->scene->topology.vertex_count);
    if (status == TOI_OK)
        status = check_filter(&call->filter, mesh->start.count);
    if (status == TOI_OK)
        status = check_faces(call);
    if (status != TOI_OK)
        return status;
    call->report.faces = mesh->faces.count;
    call->own = toi_take(call->budget, call->workers, sizeof *call->own);
    if (!call->own)
        return toi_allocation_status();
    if (mesh->faces.count > 1 && call->search->pairs != TOI_PAIRS_PLAIN && !call->def->device)
        status = toi_make_face_table(call);
    if (status == TOI_OK && mesh->faces.count > 1 && call->search->pairs != TOI_PAIRS_PLAIN)
        status = toi_need_stars(call);
    call->report.seconds_prepare = toi_clock() - call->started;
    return status;
}

static toi_status end(toi_overlap_call *call, toi_status status, toi_overlap_report *report)
{
    toi_overlap_report *r = &call->report;
    toi_free_face_table(call);
    for (int i = 0; status == TOI_OK && i < call->workers; ++i) {
        r->candidates += call->own[i].candidates;
        r->exact += call->own[i].exact;
    }
    toi_give_back(call->own);
    if (is_stateless(call))
        toi_clear_scene(call->scene);
    r->peak_bytes = call->budget->peak;
    toi_leave_scene(call->scene);
    r->seconds_total = toi_clock() - call->started;
    r->seconds_search = r->seconds_total - r->seconds_prepare;
    if (report)
        *report = status == TOI_OK ? *r : (toi_overlap_report){0};
    return status;
}

// ---------------------------------------------------------------------------------------------
// Lists, counts and flags

// Runs of one class at once: a counter in memory would wait for itself.
static void count_list(toi_overlap_call *call, const toi_overlap_array *list)
{
    const toi_overlap *data = list->data;
    call->report.pairs = list->count;
    for (int64_t i = 0, n; i < list->count; i += n) {
        n = 1;
        while (i + n < list->count && data[i + n].overlap_class == data[i].overlap_class)
            ++n;
        call->report.by_class[data[i].overlap_class] += n;
    }
}

static void count_found(toi_overlap_call *call)
{
    for (int i = 0; i < call->workers; ++i)
        for (int c = 0; c < TOI_OVERLAP_CLASS_COUNT; ++c) {
            call->report.by_class[c] += call->own[i].by_class[c];
            call->report.pairs += call->own[i].by_class[c];
        }
}

static toi_status find_overlaps(const toi_overlap_def *def, const subject *s,
                                toi_overlap_array *list, toi_overlap_report *report)
{
    _Static_assert(sizeof(toi_overlap) == 12, "the message says so");
    toi_overlap_call call;
    if (!list) {
        if (report)
            *report = (toi_overlap_report){0};
        return toi_fail(TOI_ERROR_ARGUMENT, "the list of overlaps is NULL");
    }
    list->count = 0;
    toi_status status = begin(&call, def, s, "12 bytes for every pair");
    if (!toi_reuse(call.budget, list->data))
        toi_free_overlaps(list);
    if (status == TOI_OK)
        status = prepare(&call);
    if (status == TOI_OK)
        status = toi_list_overlaps(&call, list);
    else
        toi_detach(list->data);
    if (status == TOI_OK)
        count_list(&call, list);
    return end(&call, status, report);
}

static toi_status take_nothing(toi_overlap_call *call, const toi_overlap *found, int64_t count,
                               int worker)
{
    (void)call;
    (void)found;
    (void)count;
    (void)worker;
    return TOI_OK;
}

// Every writer writes the same.
static toi_status take_flags(toi_overlap_call *call, const toi_overlap *found, int64_t count,
                             int worker)
{
    (void)worker;
    for (int64_t i = 0; i < count; ++i) {
        __atomic_store_n(&call->flags[found[i].a], 1, __ATOMIC_RELAXED);
        __atomic_store_n(&call->flags[found[i].b], 1, __ATOMIC_RELAXED);
    }
    return TOI_OK;
}

// Two polygons may be found several times: it takes a list to count them once.
static toi_status mark_by_list(toi_overlap_call *call)
{
    toi_overlap_array list = {NULL, 0, 0};
    toi_status status = toi_list_overlaps(call, &list);
    if (status == TOI_OK)
        count_list(call, &list);
    if (status == TOI_OK && call->flags)
        take_flags(call, list.data, list.count, 0);
    toi_free_overlaps(&list);
    return status;
}

static toi_status mark(toi_overlap_call *call)
{
    if (call->def->polygons.polygons)
        return mark_by_list(call);
    call->take = call->flags ? take_flags : take_nothing;
    toi_status status = toi_search_overlaps(call);
    if (status == TOI_OK)
        count_found(call);
    return status;
}

// All 0, as far as it is known how many there are.
static void clear_flags(const toi_overlap_def *def, const subject *s, uint8_t *flags)
{
    const toi_overlap_def usual = toi_default_overlap_def();
    const toi_polygon_view *view =
        def && def->cookie == OVERLAP_COOKIE ? &def->polygons : &usual.polygons;
    int64_t faces = s->mesh ? s->mesh->faces.count : s->scene ? s->scene->face_count : 0;
    int64_t count = view->polygons ? 0 : faces;
    for (int64_t i = 0; view->polygons && view->count == faces && i < faces; ++i)
        if (view->polygons[i] >= count && view->polygons[i] < TOI_MOST_OVERLAP_FACES)
            count = (int64_t)view->polygons[i] + 1;
    if (flags && count > 0)
        memset(flags, 0, (size_t)count);
}

static toi_status mark_overlaps(const toi_overlap_def *def, const subject *s, uint8_t *flags,
                                bool flagging, toi_overlap_report *report)
{
    toi_overlap_call call;
    toi_overlap_def unlimited;
    if (def) { // it is a list that has a limit
        unlimited = *def;
        unlimited.limit = 0;
    }
    toi_status status = begin(&call, def ? &unlimited : NULL, s, NULL);
    if (status == TOI_OK && flagging && !flags && call.mesh.faces.count > 0)
        status = toi_fail(TOI_ERROR_ARGUMENT, "the flags are NULL");
    if (status == TOI_OK)
        status = prepare(&call);
    clear_flags(def, s, flags);
    call.flags = flags;
    if (status == TOI_OK)
        status = mark(&call);
    if (status != TOI_OK)
        clear_flags(def, s, flags);
    return end(&call, status, report);
}

// ---------------------------------------------------------------------------------------------
// Of a mesh, and of a scene

toi_status toi_find_overlaps(const toi_overlap_def *def, const toi_mesh *mesh,
                             toi_overlap_array *overlaps, toi_overlap_report *report)
{
    TOI_GUARD_FP;
    return find_overlaps(def, &(subject){.mesh = mesh, .stateless = true}, overlaps, report);
}

toi_status toi_count_overlaps(const toi_overlap_def *def, const toi_mesh *mesh,
                              toi_overlap_report *report)
{
    TOI_GUARD_FP;
    return mark_overlaps(def, &(subject){.mesh = mesh, .stateless = true}, NULL, false, report);
}

toi_status toi_flag_overlaps(const toi_overlap_def *def, const toi_mesh *mesh, uint8_t *flags,
                             toi_overlap_report *report)
{
    TOI_GUARD_FP;
    return mark_overlaps(def, &(subject){.mesh = mesh, .stateless = true}, flags, true, report);
}

toi_status toi_scene_find_overlaps(toi_scene *scene, const toi_overlap_def *def,
                                   toi_point_view points, toi_overlap_array *overlaps,
                                   toi_overlap_report *report)
{
    TOI_GUARD_FP;
    return find_overlaps(def, &(subject){.scene = scene, .points = points}, overlaps, report);
}

toi_status toi_scene_count_overlaps(toi_scene *scene, const toi_overlap_def *def,
                                    toi_point_view points, toi_overlap_report *report)
{
    TOI_GUARD_FP;
    return mark_overlaps(def, &(subject){.scene = scene, .points = points}, NULL, false, report);
}

toi_status toi_scene_flag_overlaps(toi_scene *scene, const toi_overlap_def *def,
                                   toi_point_view points, uint8_t *flags,
                                   toi_overlap_report *report)
{
    TOI_GUARD_FP;
    return mark_overlaps(def, &(subject){.scene = scene, .points = points}, flags, true, report);
}
