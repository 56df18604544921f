// Faces on a card: their memory, and calls as rows of launches, all at once or window by window.

#include "cuda/sort.cuh"
#include "cuda/surface.cuh"

#include <cstddef>
#include <cstring>
#include <new>

enum
{
    LEAST_CALLS = 8 // that an order is kept
};

static const toi_window whole = {0, ~(toi_count)0};

struct surface_capacities
{
    toi_count blocks, pairs, left, broken, hits, hard, entries;
};

// The launches of a whole call, kept for the next one that is alike.
struct surface_launches
{
    cudaGraphExec_t graph; // or NULL
    toi_surface_step step;
    bool seen; // the last call was this one, too
};

struct surface
{
    toi_card *card;
    toi_surface_step step;
    toi_room topology, resident;
    toi_room scratch; // of orders and sorts
    toi_room blocks, pairs, left, broken, hits;
    toi_room grid, entries;            // of kDet; empty until it is asked for
    toi_room control;                  // on the card
    toi_room host, hard, list, staged; // on the host
    toi_surface_control *header;       // what the control is set to
    surface_capacities capacities;
    surface_launches launches;
    bool ordered;    // slots have faces
    toi_count fresh; // block pairs when they were last put in order, 0: not known
    int since;       // calls since then
    cudaEvent_t events[TOI_DEVICE_STAGES + 1];
    const char *stages[TOI_DEVICE_STAGES];
    int marks; // events used
    bool measure;
};

// What windows add up to.
struct window_sums
{
    toi_count pairs, left, windows;
};

// ---- Memory

static void cut_resident(toi_cutter *c, toi_surface_step *s)
{
    int64_t places = (int64_t)s->groups * TOI_SLOT_GROUP;
    s->positions = c->cut<double>(3 * s->vertex_count);
    s->embedded = c->cut<uint8_t>(s->vertex_count);
    s->bins = c->cut<uint32_t>(s->face_count);
    s->starts = c->cut<uint32_t>(s->face_count);
    s->corners = c->cut<int4>(places);
    s->rows = c->cut<uint4>(places);
    s->others = c->cut<uint2>(places);
    s->eights = c->cut<uint4>(places / 8);
    s->blocks = c->cut<uint4>(places / TOI_SLOT_BLOCK);
    s->groups_of_blocks = c->cut<uint4>(s->groups);
    s->scratch_bytes = toi_sum_scratch(s->face_count);
    s->scratch = c->cut<char>((int64_t)s->scratch_bytes + 1);
}

static toi_status make_resident(surface *f, toi_complaint *complaint)
{
    toi_surface_step *s = &f->step;
    toi_cutter c = {NULL, 0};
    cut_resident(&c, s);
    TOI_TRY(toi_make_room(f->card, &f->resident, c.used, complaint));
    c = {(char *)f->resident.data, 0};
    cut_resident(&c, s);
    size_t bytes = (size_t)s->groups * TOI_SLOT_GROUP * sizeof *s->corners;
    return toi_check_cuda(cudaMemsetAsync(s->corners, 0xff, bytes, f->card->stream), "clear memory",
                          complaint);
}

static toi_status send_topology(surface *f, const toi_card_faces *t, toi_complaint *complaint)
{
    const void *parts[3] = {t->stars, t->faces, t->pool};
    const size_t sizes[3] = {(size_t)t->vertex_count * sizeof *t->stars,
                             (size_t)t->face_count * 3 * sizeof *t->faces,
                             (size_t)t->pool_count * sizeof *t->pool};
    TOI_TRY(toi_make_room(f->card, &f->topology, sizes[0] + sizes[1] + sizes[2], complaint));
    char *at = (char *)f->topology.data;
    f->step.stars = (const toi_star *)at;
    f->step.faces = (const int32_t *)(at + sizes[0]);
    f->step.pool = (const int32_t *)(at + sizes[0] + sizes[1]);
    for (int i = 0; i < 3; at += sizes[i++])
        if (sizes[i] > 0)
            TOI_TRY(toi_check_cuda(cudaMemcpy(at, parts[i], sizes[i], cudaMemcpyHostToDevice),
                                   "take the faces", complaint));
    return TOI_OK;
}

static size_t hit_bytes()
{
    return sizeof(toi_overlap) + sizeof(uint32_t) + sizeof(uint2);
}

static void cut_queues(surface *f)
{
    toi_surface_step *s = &f->step;
    const surface_capacities *n = &f->capacities;
    s->block_pairs = (uint2 *)f->blocks.data;
    s->pairs = (uint2 *)f->pairs.data;
    s->left = (uint2 *)f->left.data;
    s->broken = (uint2 *)f->broken.data;
    s->entries = (uint2 *)f->hits.data;
    s->hits = (toi_overlap *)(s->entries + n->hits);
    s->ranks = (uint32_t *)(s->hits + n->hits);
    s->hard = (toi_pair *)f->hard.data;
    s->sorted = (toi_overlap *)f->list.data;
    s->block_capacity = n->blocks;
    s->pair_capacity = n->pairs;
    s->left_capacity = n->left;
    s->broken_capacity = n->broken;
    s->hit_capacity = n->hits;
    s->hard_capacity = n->hard;
    s->grid.entries = (uint2 *)f->entries.data;
    s->grid.capacity = n->entries;
}

// Rooms for the queues: as large as is wanted where the limit allows it. Those of pairs take half
// of it at most.
static toi_status make_queues(surface *f, const surface_capacities *wanted,
                              toi_complaint *complaint)
{
    toi_card *card = f->card;
    surface_capacities *n = &f->capacities;
    size_t pair = sizeof(uint2);
    TOI_TRY(toi_make_queue(card, &f->hits, &n->hits, wanted->hits, hit_bytes(), complaint));
    TOI_TRY(toi_make_queue(card, &f->broken, &n->broken, wanted->broken, pair, complaint));
    toi_count blocks = toi_least(wanted->blocks, toi_share_of_limit(card, &f->blocks, pair, 8));
    TOI_TRY(toi_make_queue(card, &f->blocks, &n->blocks, blocks, pair, complaint));
    toi_count pairs = toi_least(wanted->pairs, toi_share_of_limit(card, &f->pairs, pair, 4));
    TOI_TRY(toi_make_queue(card, &f->pairs, &n->pairs, pairs, pair, complaint));
    toi_count left = toi_least(wanted->left, toi_share_of_limit(card, &f->left, pair, 4));
    TOI_TRY(toi_make_queue(card, &f->left, &n->left, left, pair, complaint));
    TOI_TRY(toi_make_queue(card, &f->entries, &n->entries, wanted->entries, pair, complaint));
    TOI_TRY(toi_make_queue(card, &f->hard, &n->hard, wanted->hard, sizeof(toi_pair), complaint));
    TOI_TRY(toi_make_room(card, &f->list, n->hits * sizeof(toi_overlap), complaint));
    cut_queues(f);
    return TOI_OK;
}

static toi_status make_small_rooms(surface *f, toi_complaint *complaint)
{
    size_t header = (sizeof(toi_surface_control) + 255) / 256 * 256;
    f->host.on_host = f->hard.on_host = f->list.on_host = f->staged.on_host = true;
    TOI_TRY(toi_make_room(f->card, &f->control, header, complaint));
    TOI_TRY(toi_make_room(f->card, &f->host, 2 * header, complaint));
    f->step.control = (toi_surface_control *)f->control.data;
    f->header = (toi_surface_control *)f->host.data;
    f->step.report = (toi_surface_control *)((char *)f->host.data + header);
    for (cudaEvent_t &event : f->events)
        TOI_TRY(toi_check_cuda(cudaEventCreate(&event), "make an event", complaint));
    return TOI_OK;
}

static toi_status make_surface(surface *f, const toi_card_faces *t, toi_complaint *complaint)
{
    toi_surface_step *s = &f->step;
    TOI_TRY(toi_check_cuda(cudaSetDevice(f->card->info.number), "be used", complaint));
    s->vertex_count = t->vertex_count;
    s->face_count = t->face_count;
    s->groups = (int32_t)((t->face_count + TOI_SLOT_GROUP - 1) / TOI_SLOT_GROUP);
    TOI_TRY(make_small_rooms(f, complaint));
    TOI_TRY(send_topology(f, t, complaint));
    TOI_TRY(make_resident(f, complaint));
    toi_count faces = (toi_count)t->face_count, vertices = (toi_count)t->vertex_count;
    surface_capacities wanted = {faces + 65536,
                                 4 * faces + 65536,
                                 faces + 65536,
                                 vertices + 16384,
                                 faces / 2 + 16384,
                                 16384,
                                 0};
    s->grid.hash = -1;
    return make_queues(f, &wanted, complaint);
}

toi_status toi_make_card_surface(void *card, const toi_card_faces *faces, void **made,
                                 toi_complaint *complaint)
{
    surface *f = new (std::nothrow) surface();
    *made = NULL;
    if (!f)
        return toi_complain(complaint, TOI_ERROR_MEMORY, "out of memory for faces");
    f->card = (toi_card *)card;
    toi_status status = make_surface(f, faces, complaint);
    if (status != TOI_OK) {
        toi_free_card_surface(f);
        return status;
    }
    *made = f;
    return TOI_OK;
}

void toi_free_card_surface(void *freed)
{
    surface *f = (surface *)freed;
    if (!f)
        return;
    cudaSetDevice(f->card->info.number);
    cudaStreamSynchronize(f->card->stream);
    toi_room *rooms[] = {&f->topology, &f->resident, &f->scratch, &f->blocks,  &f->pairs,
                         &f->left,     &f->broken,   &f->hits,    &f->control, &f->host,
                         &f->hard,     &f->list,     &f->staged,  &f->grid,    &f->entries};
    for (toi_room *room : rooms)
        toi_free_room(f->card, room);
    for (cudaEvent_t event : f->events)
        if (event)
            cudaEventDestroy(event);
    if (f->launches.graph)
        cudaGraphExecDestroy(f->launches.graph);
    cudaGetLastError();
    delete f;
}

// ---- Stages

static void mark(surface *f, const char *stage)
{
    if (!f->measure || f->marks > TOI_DEVICE_STAGES)
        return;
    cudaEventRecord(f->events[f->marks], f->card->stream);
    if (f->marks > 0)
        f->stages[f->marks - 1] = stage;
    ++f->marks;
}

static toi_status clear(surface *f, void *from, size_t bytes, toi_complaint *complaint)
{
    return toi_check_cuda(cudaMemsetAsync(from, 0, bytes, f->card->stream), "clear memory",
                          complaint);
}

// Sets the control from `from` on, and the bins.
static toi_status reset(surface *f, size_t from, toi_complaint *complaint)
{
    TOI_TRY(toi_check_cuda(cudaMemcpyAsync((char *)f->step.control + from,
                                           (const char *)f->header + from,
                                           sizeof(toi_surface_control) - from,
                                           cudaMemcpyHostToDevice, f->card->stream),
                           "take the question", complaint));
    return clear(f, f->step.bins, (size_t)f->step.face_count * sizeof(uint32_t), complaint);
}

static toi_status finish(surface *f, toi_complaint *complaint)
{
    TOI_TRY(toi_check_start("start its work", complaint));
    return toi_check_cuda(cudaStreamSynchronize(f->card->stream), "finish its work", complaint);
}

static toi_status start_boxes(surface *f, toi_complaint *complaint)
{
    const toi_surface_step *s = &f->step;
    mark(f, "begin");
    toi_start_surface_take(f->card, s);
    mark(f, "positions");
    if (!f->ordered) {
        TOI_TRY(toi_start_surface_slots(f->card, s, &f->scratch, complaint));
        mark(f, "curve");
    }
    if (s->grid.hash < 0) {
        toi_start_surface_boxes(f->card, s);
        mark(f, "boxes");
    }
    return TOI_OK;
}

static void start_neighbours(surface *f)
{
    toi_start_stars(f->card, &f->step);
    mark(f, "stars");
    toi_start_neighbours(f->card, &f->step);
    mark(f, "neighbours");
}

static toi_count group_pairs(const toi_surface_step *s)
{
    return (toi_count)s->groups * (toi_count)s->groups;
}

static void start_pairs(surface *f, toi_window window)
{
    if (f->step.grid.hash >= 0)
        toi_start_grid_pairs(f->card, &f->step, window);
    else
        toi_start_surface_meet(f->card, &f->step, window);
}

static toi_status start_search(surface *f, toi_complaint *complaint)
{
    const toi_surface_step *s = &f->step;
    bool grid = s->grid.hash >= 0;
    if (grid)
        TOI_TRY(toi_start_grid(f->card, s, complaint));
    else
        toi_start_surface_blocks(f->card, s, {0, group_pairs(s)});
    mark(f, grid ? "grid" : "blocks");
    start_pairs(f, whole);
    mark(f, "pairs");
    toi_start_cull(f->card, s);
    mark(f, "floats");
    toi_start_signs(f->card, s);
    mark(f, "doubles");
    return TOI_OK;
}

static toi_status start_list(surface *f, toi_complaint *complaint)
{
    TOI_TRY(toi_start_overlaps(f->card, &f->step, complaint));
    mark(f, "list");
    toi_start_surface_report(f->card, &f->step);
    mark(f, "report");
    return TOI_OK;
}

static toi_status start_whole(surface *f, toi_complaint *complaint)
{
    TOI_TRY(reset(f, 0, complaint));
    TOI_TRY(start_boxes(f, complaint));
    start_neighbours(f);
    TOI_TRY(start_search(f, complaint));
    return start_list(f, complaint);
}

// ---- Graphs

static void forget_graph(surface_launches *kept)
{
    if (kept->graph)
        cudaGraphExecDestroy(kept->graph);
    kept->graph = NULL;
}

// Records the launches; where that fails they are started one by one.
static void record(surface *f, toi_complaint *complaint)
{
    cudaGraph_t graph = NULL;
    cudaStream_t stream = f->card->stream;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    toi_status status = start_whole(f, complaint);
    cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (status == TOI_OK && error == cudaSuccess)
        error = cudaGraphInstantiate(&f->launches.graph, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    if (status != TOI_OK || error != cudaSuccess)
        f->launches.graph = NULL;
    cudaGetLastError();
}

// The second call that is alike is recorded, those after it are played.
static toi_status start_kept(surface *f, toi_complaint *complaint)
{
    surface_launches *kept = &f->launches;
    bool alike = f->ordered && kept->seen && memcmp(&kept->step, &f->step, sizeof f->step) == 0;
    if (!alike)
        forget_graph(kept);
    if (alike && !kept->graph)
        record(f, complaint);
    memcpy(&kept->step, &f->step, sizeof f->step);
    kept->seen = f->ordered;
    if (!kept->graph)
        return start_whole(f, complaint);
    return toi_check_cuda(cudaGraphLaunch(kept->graph, f->card->stream), "start its work",
                          complaint);
}

static toi_status run_whole(surface *f, toi_complaint *complaint)
{
    f->marks = 0;
    if (!f->ordered)
        TOI_TRY(toi_make_room(f->card, &f->scratch, toi_key_sort_scratch(f->step.face_count),
                              complaint));
    if (f->measure)
        TOI_TRY(start_whole(f, complaint));
    else
        TOI_TRY(start_kept(f, complaint));
    return finish(f, complaint);
}

// ---- Again, and in windows

static const size_t AGAIN = offsetof(toi_surface_control, crowded);

static toi_status run_again(surface *f, toi_complaint *complaint)
{
    TOI_TRY(reset(f, AGAIN, complaint));
    start_neighbours(f);
    TOI_TRY(start_search(f, complaint));
    TOI_TRY(start_list(f, complaint));
    return finish(f, complaint);
}

// What the card counted so far.
static toi_status look(surface *f, const toi_surface_control **seen, toi_complaint *complaint)
{
    toi_start_surface_report(f->card, &f->step);
    *seen = f->step.report;
    return finish(f, complaint);
}

// A window's next width: as much as fits, where `n` came of this one.
static toi_count next_width(toi_count width, toi_count n, toi_count capacity)
{
    double fit = 0.8 * (double)capacity / (double)(n > 0 ? n : 1) * (double)width;
    double most = 4 * (double)width;
    toi_count next = (toi_count)(fit < most ? fit : most);
    if (n > capacity && next > width / 2) // what did not fit is at least halved
        next = width / 2;
    return next > 0 ? next : 1;
}

// Pairs of blocks, or faces of a grid, up to `to`, in windows whose pairs fit.
static toi_status run_blocks(surface *f, toi_count to, window_sums *sums, toi_complaint *complaint)
{
    const toi_surface_step *s = &f->step;
    const toi_surface_control *seen;
    toi_count width = to;
    for (toi_count from = 0; from < to;) {
        toi_window window = {from, toi_least(from + width, to)};
        TOI_TRY(clear(f, &s->control->window, sizeof s->control->window, complaint));
        start_pairs(f, window);
        toi_start_cull(f->card, s);
        TOI_TRY(look(f, &seen, complaint));
        toi_count pairs = seen->window.pairs.n, left = seen->window.left.n;
        toi_count wide = window.last - window.first;
        width = toi_least(next_width(wide, pairs, s->pair_capacity),
                          next_width(wide, left, s->left_capacity));
        if (pairs > s->pair_capacity || left > s->left_capacity)
            continue;
        toi_start_signs(f->card, s);
        sums->pairs += pairs;
        sums->left += left;
        ++sums->windows;
        from = window.last;
    }
    return TOI_OK;
}

static toi_status run_windows(surface *f, window_sums *sums, toi_complaint *complaint)
{
    const toi_surface_step *s = &f->step;
    const toi_surface_control *seen;
    bool grid = s->grid.hash >= 0;
    toi_count all = grid ? 0 : group_pairs(s), width = all;
    memset(sums, 0, sizeof *sums);
    TOI_TRY(reset(f, AGAIN, complaint));
    start_neighbours(f);
    if (grid) {
        TOI_TRY(toi_start_grid(f->card, s, complaint));
        TOI_TRY(run_blocks(f, (toi_count)s->face_count, sums, complaint));
    }
    for (toi_count from = 0; from < all;) {
        toi_window window = {from, toi_least(from + width, all)};
        size_t bytes = sizeof *s->control - offsetof(toi_surface_control, block_pairs);
        TOI_TRY(clear(f, &s->control->block_pairs, bytes, complaint));
        toi_start_surface_blocks(f->card, s, window);
        TOI_TRY(look(f, &seen, complaint));
        toi_count blocks = seen->block_pairs.n;
        width = next_width(window.last - window.first, blocks, s->block_capacity);
        if (blocks > s->block_capacity)
            continue;
        TOI_TRY(run_blocks(f, blocks, sums, complaint));
        from = window.last;
    }
    // What the last window left behind is no overflow.
    TOI_TRY(clear(f, &s->control->window, sizeof s->control->window, complaint));
    TOI_TRY(start_list(f, complaint));
    return finish(f, complaint);
}

// ---- Queues that were too small

static bool overflowed(const surface *f, bool windows)
{
    const toi_surface_control *seen = f->step.report;
    const surface_capacities *n = &f->capacities;
    bool over = seen->hits.n > n->hits || seen->hard.n > n->hard || seen->broken.n > n->broken ||
                seen->entries.n > n->entries;
    return over || (!windows && (seen->block_pairs.n > n->blocks ||
                                 seen->window.pairs.n > n->pairs || seen->window.left.n > n->left));
}

static void widen(toi_count *wanted, toi_count n)
{
    if (n > *wanted)
        *wanted = n + n / 4 + 1024;
}

// Room for what was counted, as far as the limit allows.
static toi_status grow(surface *f, bool windows, toi_complaint *complaint)
{
    const toi_surface_control *seen = f->step.report;
    surface_capacities wanted = f->capacities;
    if (!windows) {
        widen(&wanted.blocks, seen->block_pairs.n);
        widen(&wanted.pairs, seen->window.pairs.n);
        widen(&wanted.left, seen->window.left.n);
    }
    widen(&wanted.hits, seen->hits.n);
    widen(&wanted.hard, seen->hard.n);
    widen(&wanted.broken, seen->broken.n);
    widen(&wanted.entries, seen->entries.n);
    TOI_TRY(make_queues(f, &wanted, complaint));
    if (f->capacities.entries < seen->entries.n)
        return toi_complain(complaint, TOI_ERROR_LIMIT,
                            "%llu entries of the grid do not fit the card's memory limit of %lld "
                            "bytes: allow more, or use the method auto",
                            seen->entries.n, (long long)f->card->limit);
    if (f->capacities.hits < seen->hits.n || f->capacities.broken < seen->broken.n)
        return toi_complain(complaint, TOI_ERROR_LIMIT,
                            "%llu overlaps or more do not fit the card's memory limit of %lld "
                            "bytes: allow more",
                            seen->hits.n, (long long)f->card->limit);
    return TOI_OK;
}

// Would the queues hold what was counted?
static bool holds(const surface *f)
{
    const toi_surface_control *seen = f->step.report;
    const surface_capacities *n = &f->capacities;
    return seen->block_pairs.n <= n->blocks && seen->window.pairs.n <= n->pairs &&
           seen->window.left.n <= n->left;
}

// Again with larger queues, and in windows where they cannot be large enough.
static toi_status recover(surface *f, window_sums *sums, toi_complaint *complaint)
{
    bool windows = false;
    f->measure = false;
    while (overflowed(f, windows)) {
        TOI_TRY(grow(f, windows, complaint));
        windows = windows || !holds(f);
        if (windows)
            TOI_TRY(run_windows(f, sums, complaint));
        else
            TOI_TRY(run_again(f, complaint));
    }
    return TOI_OK;
}

// ---- Answers

// The largest prime that is no larger.
static uint32_t prime_below(uint32_t n)
{
    for (;; --n) {
        bool prime = true;
        for (uint32_t d = 2; prime && (uint64_t)d * d <= n; ++d)
            prime = n % d != 0;
        if (prime)
            return n;
    }
}

static void cut_grid(toi_cutter *c, toi_surface_step *s)
{
    int64_t buckets = (int64_t)s->grid.mask + 2;
    s->grid.faces = c->cut<toi_grid_face>(s->face_count);
    s->grid.counts = c->cut<uint32_t>(buckets);
    s->grid.starts = c->cut<uint32_t>(buckets);
    s->grid.scratch_bytes = toi_sum_scratch(buckets);
    s->grid.scratch = c->cut<char>((int64_t)s->grid.scratch_bytes + 1);
}

// Slots of a grid are in the order of the faces, those of blocks are not.
static toi_status choose_method(surface *f, const toi_overlap_question *question,
                                toi_complaint *complaint)
{
    toi_surface_step *s = &f->step;
    if (question->grid != (s->grid.hash >= 0))
        f->ordered = false;
    s->grid.hash = question->grid ? (int32_t)question->hash : -1;
    if (!question->grid || f->capacities.entries > 0)
        return TOI_OK;
    uint32_t buckets = 1 << 10;
    while (buckets < 2 * s->face_count && buckets < 1u << 30)
        buckets *= 2;
    s->grid.mask = buckets - 1;
    s->grid.prime = prime_below(buckets);
    toi_cutter c = {NULL, 0};
    cut_grid(&c, s);
    TOI_TRY(toi_make_room(f->card, &f->grid, c.used, complaint));
    c = {(char *)f->grid.data, 0};
    cut_grid(&c, s);
    surface_capacities wanted = f->capacities;
    wanted.entries = 8 * (toi_count)s->face_count + 4096;
    return make_queues(f, &wanted, complaint);
}

static void set_header(surface *f)
{
    toi_surface_control *h = f->header;
    toi_source source = h->source;
    memset(h, 0, sizeof *h);
    h->source = source;
    for (int k = 0; k < 3; ++k)
        h->low[k] = ~(toi_count)0;
}

// Faces that were neighbours drift apart: then there are more and more pairs of blocks.
static void judge_order(surface *f, bool windows)
{
    toi_count pairs = f->step.report->block_pairs.n;
    f->since = f->ordered ? f->since + 1 : 0;
    f->fresh = f->ordered ? f->fresh : windows ? 0 : pairs;
    bool loose = f->fresh > 0 && pairs > f->fresh + f->fresh / 2 + 1024;
    f->ordered = windows || f->since < LEAST_CALLS || !loose;
}

static toi_status sort_crowd(surface *f, toi_complaint *complaint)
{
    toi_count count = f->step.report->hits.n;
    TOI_TRY(toi_make_room(f->card, &f->scratch, toi_overlap_sort_scratch(count), complaint));
    TOI_TRY(toi_start_overlap_sort(f->card, &f->step, &f->scratch, count, complaint));
    return finish(f, complaint);
}

static void set_report(const surface *f, const toi_point_view *points, const window_sums *sums,
                       toi_device_report *report)
{
    const toi_surface_control *seen = f->step.report;
    const size_t scalar = points->scalar == TOI_FLOAT ? sizeof(float) : sizeof(double);
    report->stage_count = f->marks > 0 ? f->marks - 1 : 0;
    for (int i = 0; i < report->stage_count; ++i) {
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, f->events[i], f->events[i + 1]);
        report->stage_names[i] = f->stages[i];
        report->stage_seconds[i] = 1e-3 * milliseconds;
    }
    report->bytes_up = f->step.vertex_count * 3 * (int64_t)scalar;
    report->bytes_down = (int64_t)(sizeof *seen + seen->hard.n * sizeof(toi_pair) +
                                   seen->hits.n * sizeof(toi_overlap));
    report->peak_bytes = f->card->peak;
    report->windows = sums->windows > 0 ? (int64_t)sums->windows : 1;
    report->tested[0] = (int64_t)(sums->windows > 0 ? sums->pairs : seen->window.pairs.n);
    report->tested[1] = (int64_t)seen->neighbours.n;
    report->left[0] = (int64_t)(sums->windows > 0 ? sums->left : seen->window.left.n);
    report->hard = (int64_t)seen->hard.n;
}

static toi_status find(surface *f, const toi_overlap_question *question, toi_overlap_answer *answer,
                       toi_complaint *complaint)
{
    window_sums sums = {0, 0, 0};
    const toi_surface_control *seen = f->step.report;
    TOI_TRY(toi_check_cuda(cudaSetDevice(f->card->info.number), "be used", complaint));
    TOI_TRY(toi_find_source(f->card, f->step.vertex_count, &question->points, &f->staged,
                            &f->header->source, complaint));
    TOI_TRY(choose_method(f, question, complaint));
    set_header(f);
    f->measure = question->measure;
    TOI_TRY(run_whole(f, complaint));
    if (seen->infinite) {
        answer->infinite = true;
        return TOI_OK;
    }
    TOI_TRY(recover(f, &sums, complaint));
    judge_order(f, sums.windows > 0);
    if (seen->crowded)
        TOI_TRY(sort_crowd(f, complaint));
    answer->overlaps = f->step.sorted;
    answer->count = (int64_t)seen->hits.n;
    answer->hard = f->step.hard;
    answer->hard_count = (int64_t)seen->hard.n;
    answer->neighbours = !seen->large;
    answer->stars = (int64_t)seen->embedded.n;
    set_report(f, &question->points, &sums, &answer->report);
    answer->candidates = answer->report.tested[0] + answer->report.tested[1];
    return TOI_OK;
}

toi_status toi_find_overlaps_on_card(void *on, const toi_overlap_question *question,
                                     toi_overlap_answer *answer, toi_complaint *complaint)
{
    surface *f = (surface *)on;
    memset(answer, 0, sizeof *answer);
    toi_status status = find(f, question, answer, complaint);
    if (status != TOI_OK) {
        cudaStreamSynchronize(f->card->stream);
        cudaGetLastError();
        f->ordered = false;
    }
    return status;
}
