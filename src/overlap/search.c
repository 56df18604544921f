// The table of methods, and what happens to the pairs that they hand on: filter, directions, signs,
// exact arithmetic; then the pairs that share a vertex.

#include "overlap/call.h"

#include "base/literature.h"
#include "base/status.h"
#include "mesh/mesh.h"

// ---------------------------------------------------------------------------------------------
// Which pairs are asked about

// Is there a vertex of the one and another vertex of the other that may collide?
static bool filter_allows(const toi_filter *filter, const int32_t *a, const int32_t *b)
{
    const int32_t *groups = filter->groups;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (a[i] == b[j] || (groups && groups[a[i]] >= 0 && groups[a[i]] == groups[b[j]]))
                continue;
            if (!filter->may_collide || filter->may_collide(filter->context, a[i], b[j]))
                return true;
        }
    return false;
}

// What a face is called in the answer.
static inline int32_t name_of(const toi_overlap_call *call, int32_t face)
{
    const int32_t *polygons = call->def->polygons.polygons;
    return polygons ? polygons[face] : face;
}

static bool is_wanted(const toi_overlap_call *call, int32_t face_a, int32_t face_b)
{
    int32_t a = name_of(call, face_a), b = name_of(call, face_b);
    uint64_t key = a < b ? toi_overlap_key(a, b, 0) : toi_overlap_key(b, a, 0);
    if (a == b || key >= atomic_load_explicit(&call->beyond, memory_order_relaxed))
        return false;
    const toi_filter *filter = &call->filter;
    return !(filter->groups || filter->may_collide) ||
           filter_allows(filter, toi_face_at(&call->mesh.faces, face_a),
                         toi_face_at(&call->mesh.faces, face_b));
}

bool toi_wants_all(const toi_overlap_call *call)
{
    return !call->filter.groups && !call->filter.may_collide && !call->def->polygons.polygons &&
           call->def->limit == 0;
}

// Moves the wanted ones to the front. `ids`: of their places; NULL: they are named by number.
static int64_t keep_wanted(const toi_overlap_call *call, toi_pair *pairs, int64_t count,
                           const int32_t *ids)
{
    int64_t kept = 0;
    if (toi_wants_all(call))
        return count;
    for (int64_t i = 0; i < count; ++i) {
        toi_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += ids ? is_wanted(call, ids[pair.a], ids[pair.b]) : is_wanted(call, pair.a, pair.b);
    }
    return kept;
}

// ---------------------------------------------------------------------------------------------
// What is found

static toi_status hand_on(toi_overlap_call *call, int worker)
{
    toi_overlap_worker *w = &call->own[worker];
    int64_t count = w->found_count;
    w->found_count = 0;
    for (int64_t i = 0; i < count; ++i)
        ++w->by_class[w->found[i].overlap_class];
    return count > 0 ? call->take(call, w->found, count, worker) : TOI_OK;
}

// Two faces, by number.
static toi_status find(toi_overlap_call *call, int32_t face_a, int32_t face_b,
                       toi_overlap_class class, int worker)
{
    toi_overlap_worker *w = &call->own[worker];
    bool polygons = call->def->polygons.polygons; // whose class is known at the end
    if (class == TOI_OVERLAP_CLASS_COUNT || (!polygons && !(call->def->classes >> class & 1)))
        return TOI_OK;
    int32_t a = name_of(call, face_a), b = name_of(call, face_b);
    w->found[w->found_count++] = (toi_overlap){a < b ? a : b, a < b ? b : a, (int32_t) class};
    return w->found_count == TOI_OVERLAP_BATCH ? hand_on(call, worker) : TOI_OK;
}

// A face as the exact test wants it: at the caller's coordinates.
typedef struct exact_face
{
    double points[3][3];
    toi_corner_view view;
} exact_face;

static void load_face(const toi_overlap_call *call, int32_t face, exact_face *f)
{
    const uint8_t *diagonals = call->def->polygons.diagonals;
    f->view.vertex = toi_face_at(&call->mesh.faces, face);
    f->view.diagonals = diagonals ? diagonals[face] : 0;
    for (int c = 0; c < 3; ++c) {
        toi_load_point(&call->mesh.start, f->view.vertex[c], f->points[c]);
        f->view.corner[c] = f->points[c];
    }
}

static toi_status classify(toi_overlap_call *call, int32_t face_a, int32_t face_b, int worker)
{
    exact_face a, b;
    bool exact = false;
    load_face(call, face_a, &a);
    load_face(call, face_b, &b);
    toi_overlap_class class = toi_classify_faces(&a.view, &b.view, &exact);
    call->own[worker].exact += exact;
    return find(call, face_a, face_b, class, worker);
}

// Pairs by number that no filter in floating point is for.
static toi_status classify_pairs(toi_overlap_call *call, const toi_pair *pairs, int64_t count,
                                 int worker)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < count && status == TOI_OK; ++i)
        status = classify(call, pairs[i].a, pairs[i].b, worker);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Pairs that share no vertex

// The signs of those that wait, in double; where these are not certain, exactly.
static toi_status decide_waiting(toi_overlap_call *call, int worker)
{
    toi_overlap_worker *w = &call->own[worker];
    const int32_t *ids = call->table.ids;
    int64_t crossings = 0;
    if (w->waiting_count == 0)
        return TOI_OK;
    int64_t left =
        call->decide(&call->table, w->waiting, w->waiting_count, w->crossing, &crossings);
    toi_status status = TOI_OK;
    w->waiting_count = 0;
    for (int64_t i = 0; i < crossings && status == TOI_OK; ++i)
        status =
            find(call, ids[w->crossing[i].a], ids[w->crossing[i].b], TOI_OVERLAP_CROSSING, worker);
    for (int64_t i = 0; i < left && status == TOI_OK; ++i)
        status = classify(call, ids[w->waiting[i].a], ids[w->waiting[i].b], worker);
    return status;
}

// A block of pairs by place, while it is in a cache. Few are left by the directions: they wait
// until there are enough to fill lanes.
static toi_status sift_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    (void)task;
    toi_overlap_call *call = context;
    toi_overlap_worker *w = &call->own[worker];
    toi_status status = TOI_OK;
    count = keep_wanted(call, pairs, count, call->table.ids);
    w->candidates += count;
    count = call->cull(&call->table, pairs, count);
    for (int64_t done = 0; done < count && status == TOI_OK;) {
        int64_t room = TOI_OVERLAP_BATCH - w->waiting_count;
        int64_t n = count - done < room ? count - done : room;
        memcpy(w->waiting + w->waiting_count, pairs + done, (size_t)n * sizeof *pairs);
        w->waiting_count += n;
        done += n;
        if (w->waiting_count == TOI_OVERLAP_BATCH)
            status = decide_waiting(call, worker);
    }
    return status;
}

// Pairs by number, straight to the exact test.
static toi_status sift_plain(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    (void)task;
    toi_overlap_call *call = context;
    count = keep_wanted(call, pairs, count, NULL);
    call->own[worker].candidates += count;
    return classify_pairs(call, pairs, count, worker);
}

// ---------------------------------------------------------------------------------------------
// Pairs that share a vertex

static toi_status sift_neighbours(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    toi_overlap_call *call = context;
    toi_overlap_worker *w = &call->own[worker];
    toi_status status = toi_meter_add(&call->meter, 0);
    bool all = toi_wants_all(call);
    for (int64_t i = 0; i < count && status == TOI_OK; ++i) {
        if (!all && !is_wanted(call, pairs[i].a, pairs[i].b))
            continue;
        ++w->candidates;
        status = classify(call, pairs[i].a, pairs[i].b, worker);
    }
    return status;
}

toi_status toi_need_stars(toi_overlap_call *call)
{
    if (call->scene->stars)
        return TOI_OK;
    return toi_make_stars(&call->mesh.faces, call->mesh.start.count, call->workers, call->budget,
                          &call->scene->stars);
}

// A list has each pair once in any case.
static toi_status search_diagonals(toi_overlap_call *call)
{
    return toi_list_diagonals(call->scene->stars, &call->mesh.faces, call->def->polygons.diagonals,
                              call->workers, sift_neighbours, call);
}

static toi_status search_neighbours(toi_overlap_call *call)
{
    int64_t count = call->mesh.start.count;
    uint8_t *embedded = toi_take(call->budget, count, sizeof *embedded);
    if (!embedded)
        return toi_allocation_status();
    toi_status status =
        toi_find_embedded(call->scene->stars, &call->table, call->workers, embedded);
    if (status == TOI_OK)
        status = toi_list_neighbours(call->scene->stars, &call->mesh.faces, &call->table, embedded,
                                     call->workers, sift_neighbours, call);
    if (status == TOI_OK && call->def->polygons.diagonals)
        status = search_diagonals(call);
    call->report.stars = 0;
    for (int64_t i = 0; i < count && status == TOI_OK; ++i)
        call->report.stars += embedded[i];
    toi_give_back(embedded);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Methods

toi_status toi_search_face_tree(toi_overlap_call *call, toi_receiver to)
{
    toi_tree_search search = {
        .packets = &call->tree, .tree = &call->tree, .label_count = call->table.vertex_count};
    toi_broad_job job = {
        .workers = call->workers, .budget = call->budget, .meter = &call->meter, .to = to};
    toi_status status = TOI_OK;
    if (toi_has_large_star(call->scene->stars) && !call->tree.common[0])
        status = toi_find_common_labels(call->budget, &call->tree);
    return status == TOI_OK ? toi_run_tree_search(&search, &job) : status;
}

typedef struct all_faces
{
    int64_t count;
    toi_meter *meter;
    toi_receiver to;
} all_faces;

static toi_status pair_face(void *context, int64_t face, int worker)
{
    const all_faces *all = context;
    toi_pair pairs[256];
    toi_status status = TOI_OK;
    for (int64_t other = face + 1; other < all->count && status == TOI_OK;) {
        int64_t n = 0;
        for (; n < 256 && other < all->count; ++n, ++other)
            pairs[n] = (toi_pair){(int32_t)face, (int32_t)other};
        status = all->to.emit(all->to.context, pairs, n, face, worker);
    }
    return status == TOI_OK ? toi_meter_add(all->meter, 1) : status;
}

toi_status toi_search_all_faces(toi_overlap_call *call, toi_receiver to)
{
    all_faces all = {call->mesh.faces.count, &call->meter, to};
    call->meter.total = all.count;
    return toi_parallel(call->workers, all.count, pair_face, &all);
}

static int64_t face_tree_need(const toi_mesh_counts *counts, int workers)
{
    return toi_mesh_tree_need(counts, workers, false, false) +
           workers * counts->vertices * (int64_t)sizeof(uint16_t); // marks
}

static int64_t all_faces_need(const toi_mesh_counts *counts, int workers)
{
    (void)counts;
    (void)workers;
    return 0;
}

static const toi_overlap_search methods[TOI_OVERLAP_METHOD_COUNT] = {
    [TOI_OVERLAP_AUTO] = {"auto", toi_search_face_tree, TOI_PAIRS_ALONG_CURVE, face_tree_need},
    [TOI_OVERLAP_KDET] = {"kdet", TOI_LITERATURE(toi_search_face_grid), TOI_PAIRS_AS_GIVEN,
                          TOI_LITERATURE(toi_face_grid_need)},
    [TOI_OVERLAP_BRUTE] = {"brute", toi_search_all_faces, TOI_PAIRS_PLAIN, all_faces_need},
};

const toi_overlap_search *toi_overlap_search_of(toi_overlap_method method)
{
    return (unsigned)method < TOI_OVERLAP_METHOD_COUNT ? &methods[method] : NULL;
}

// ---------------------------------------------------------------------------------------------
// All of it

static toi_status finish_workers(toi_overlap_call *call)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < call->workers && status == TOI_OK; ++i) {
        status = decide_waiting(call, i);
        if (status == TOI_OK)
            status = hand_on(call, i);
    }
    return status;
}

static void begin_workers(toi_overlap_call *call)
{
    for (int i = 0; i < call->workers; ++i) {
        toi_overlap_worker *w = &call->own[i];
        w->waiting_count = w->found_count = w->candidates = w->exact = 0;
        for (int c = 0; c < TOI_OVERLAP_CLASS_COUNT; ++c)
            w->by_class[c] = 0;
    }
    call->meter.done = 0;
}

// ---- On a device

enum
{
    FOUND_PIECE = 512, // of a task
    HARD_PIECE = 32    // that may need long integers
};

static toi_status sift_found(void *context, int64_t piece, int worker)
{
    toi_overlap_call *call = context;
    int64_t first = piece * FOUND_PIECE, end = first + FOUND_PIECE;
    end = end < call->answer.count ? end : call->answer.count;
    bool all = toi_wants_all(call);
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        const toi_overlap *o = &call->answer.overlaps[i];
        if (all || is_wanted(call, o->a, o->b))
            status = find(call, o->a, o->b, (toi_overlap_class)o->overlap_class, worker);
    }
    return status;
}

static toi_status sift_hard(void *context, int64_t piece, int worker)
{
    toi_overlap_call *call = context;
    int64_t first = piece * HARD_PIECE, end = first + HARD_PIECE;
    end = end < call->answer.hard_count ? end : call->answer.hard_count;
    bool all = toi_wants_all(call);
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        toi_pair pair = call->answer.hard[i];
        if (all || is_wanted(call, pair.a, pair.b))
            status = classify(call, pair.a, pair.b, worker);
    }
    return status;
}

// Stars that are too large for a device, and diagonals.
static toi_status search_what_is_left(toi_overlap_call *call)
{
    call->own[0].candidates += call->answer.candidates;
    call->report.stars = call->answer.stars;
    if (!call->answer.neighbours) {
        toi_status status = call->table.by_id ? TOI_OK : toi_make_face_table(call);
        return status == TOI_OK ? search_neighbours(call) : status;
    }
    return call->def->polygons.diagonals ? search_diagonals(call) : TOI_OK;
}

static toi_status decide_hard(toi_overlap_call *call)
{
    int64_t pieces = (call->answer.hard_count + HARD_PIECE - 1) / HARD_PIECE;
    toi_status status = toi_parallel(call->workers, pieces, sift_hard, call);
    return status == TOI_OK ? search_what_is_left(call) : status;
}

toi_status toi_search_rest(toi_overlap_call *call)
{
    begin_workers(call);
    toi_status status = decide_hard(call);
    return status == TOI_OK ? finish_workers(call) : status;
}

static toi_status search_on_device(toi_overlap_call *call)
{
    toi_status status = toi_ask_overlaps(call);
    if (status != TOI_OK)
        return status;
    int64_t pieces = (call->answer.count + FOUND_PIECE - 1) / FOUND_PIECE;
    status = toi_parallel(call->workers, pieces, sift_found, call);
    if (status == TOI_OK)
        status = decide_hard(call);
    return status == TOI_OK ? finish_workers(call) : status;
}

toi_status toi_search_overlaps(toi_overlap_call *call)
{
    bool plain = call->search->pairs == TOI_PAIRS_PLAIN;
    toi_receiver to = {.context = call, .emit = plain ? sift_plain : sift_block};
    begin_workers(call);
    if (call->mesh.faces.count < 2)
        return TOI_OK;
    if (call->def->device)
        return search_on_device(call);
    toi_status status = plain ? TOI_OK : search_neighbours(call);
    if (status == TOI_OK)
        status = call->search->run(call, to);
    return status == TOI_OK ? finish_workers(call) : status;
}
