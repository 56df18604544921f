// A step as a row of launches: all at once where the queues suffice, kept as a graph for the steps
// that follow, or window by window where they do not.

#include "cuda/launch.cuh"

#include <atomic>
#include <cstddef>
#include <cstring>

enum
{
    LOOKS = 4096 // at memory, before the runtime is asked
};

static const toi_window whole = {0, ~(toi_count)0};

// ---- Stages

// From positions to boxes.
static toi_status start_boxes(toi_card_mesh *mesh, toi_complaint *complaint)
{
    const toi_step *s = &mesh->step;
    mark(mesh, "begin");
    toi_start_opening(mesh->card, s, mesh->header);
    toi_start_take(mesh->card, s, mesh->goal);
    mark(mesh, "positions");
    if (!mesh->ordered) {
        TOI_TRY(toi_start_slots(mesh, complaint));
        mark(mesh, "curve");
    }
    toi_start_build(mesh->card, s);
    mark(mesh, "boxes");
    return TOI_OK;
}

// Boxes of a shorter motion, where scouts find that one suffices.
static void start_scouts(toi_card_mesh *mesh)
{
    if (mesh->step.apart)
        toi_start_apart_scouts(mesh->card, &mesh->step);
    else
        toi_start_scouts(mesh->card, &mesh->step);
    mark(mesh, "scouts");
    toi_start_shorten(mesh->card, &mesh->step);
    mark(mesh, "boxes again");
}

// From hits to the list, or to the earliest.
static void start_list(toi_card_mesh *mesh)
{
    if (mesh->goal == TOI_CARD_EARLIEST) {
        toi_start_pick(mesh->card, &mesh->step);
        mark(mesh, "earliest");
    } else if (mesh->goal == TOI_CARD_NEAR) {
        toi_start_report(mesh->card, &mesh->step);
        mark(mesh, "report");
    } else {
        toi_start_order(mesh->card, &mesh->step, ~(toi_count)0);
        mark(mesh, "list");
    }
}

// Drops pairs that are certainly apart.
static void start_filter(const toi_card_mesh *mesh)
{
    if (mesh->step.apart)
        toi_start_margins(mesh->card, &mesh->step);
    else
        toi_start_filter(mesh->card, &mesh->step);
}

// When the others come together.
static void start_times(toi_card_mesh *mesh)
{
    const toi_card *card = mesh->card;
    const toi_step *s = &mesh->step;
    if (mesh->goal == TOI_CARD_NEAR) {
        toi_start_names(card, s);
        mark(mesh, "names");
        return;
    }
    if (s->apart) {
        toi_start_apart_search(card, s, mesh->goal);
        mark(mesh, "turns");
        toi_start_apart(card, s, mesh->goal);
        mark(mesh, "times");
        toi_start_apart_knots(card, s, mesh->goal);
        mark(mesh, "knots");
        return;
    }
    toi_start_contacts(card, s, mesh->goal);
    mark(mesh, "contacts");
    toi_start_hard(card, s, mesh->goal);
    mark(mesh, "knots");
}

static void start_pairs(toi_card_mesh *mesh)
{
    const toi_card *card = mesh->card;
    const toi_step *s = &mesh->step;
    toi_start_blocks(card, s, {0, toi_group_pairs(s)});
    mark(mesh, "blocks");
    toi_start_meet(card, s, whole);
    mark(mesh, "pairs");
    start_filter(mesh);
    mark(mesh, "filter");
}

static void start_search(toi_card_mesh *mesh)
{
    start_pairs(mesh);
    start_times(mesh);
    start_list(mesh);
}

static toi_status start_whole(toi_card_mesh *mesh, toi_complaint *complaint)
{
    TOI_TRY(start_boxes(mesh, complaint));
    if (mesh->step.scouts)
        start_scouts(mesh);
    start_search(mesh);
    return TOI_OK;
}

// ---- Graphs

static void forget_graph(toi_launches *kept)
{
    if (kept->graph)
        cudaGraphExecDestroy(kept->graph);
    kept->graph = NULL;
}

// Records the launches; where that fails they are started one by one.
static bool record(toi_card_mesh *mesh, toi_complaint *complaint)
{
    cudaGraph_t graph = NULL;
    cudaStream_t stream = mesh->card->stream;
    forget_graph(&mesh->launches);
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    toi_status status = start_whole(mesh, complaint);
    cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (status == TOI_OK && error == cudaSuccess)
        error = cudaGraphInstantiate(&mesh->launches.graph, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    if (status == TOI_OK && error == cudaSuccess)
        return true;
    mesh->launches.graph = NULL;
    cudaGetLastError();
    return false;
}

// The second step that is alike is recorded, those after it are played.
static toi_status start_kept(toi_card_mesh *mesh, toi_complaint *complaint)
{
    toi_launches *kept = &mesh->launches;
    bool alike = mesh->ordered && kept->seen && kept->goal == mesh->goal &&
                 memcmp(&kept->step, &mesh->step, sizeof mesh->step) == 0;
    if (!alike)
        forget_graph(kept);
    if (alike && !kept->graph && !record(mesh, complaint))
        kept->graph = NULL;
    memcpy(&kept->step, &mesh->step, sizeof mesh->step);
    kept->goal = mesh->goal;
    kept->seen = mesh->ordered;
    if (!kept->graph)
        return start_whole(mesh, complaint);
    return toi_check_cuda(cudaGraphLaunch(kept->graph, mesh->card->stream), "start its work",
                          complaint);
}

static bool runs(const void *mesh)
{
    return cudaStreamQuery(((const toi_card_mesh *)mesh)->card->stream) == cudaErrorNotReady;
}

static bool is_packed(const toi_card_mesh *mesh)
{
    const volatile toi_arrival *a = mesh->step.arrival;
    return mesh->step.pack && a->begun == mesh->header->number && a->count > 0;
}

// Has the host unpack a list that is on its way: soon, where the last one was long, so that its
// workers are awake when it comes.
static void hand_on(toi_card_mesh *mesh)
{
    const volatile toi_arrival *a = mesh->step.arrival;
    bool soon = mesh->count >= TOI_LEAST_PACKED && a->soon == mesh->header->number;
    if (!mesh->step.pack || mesh->received || !(soon || is_packed(mesh)))
        return;
    mesh->received = true;
    mesh->receive(mesh->receiver, &mesh->delivery);
}

// Waits for the report alone, which is there some microseconds before the runtime knows that all
// is done. Where it does not come the runtime says why.
static toi_status await(toi_card_mesh *mesh, toi_complaint *complaint)
{
    const volatile toi_count *answered = mesh->step.answered;
    TOI_TRY(toi_check_start("start its work", complaint));
    for (unsigned looks = 1; *answered != mesh->header->number; ++looks) {
        hand_on(mesh);
        if (looks % LOOKS == 0 && !runs(mesh))
            return finish(mesh, complaint);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return TOI_OK;
}

static void set_delivery(toi_card_mesh *mesh)
{
    const toi_step *s = &mesh->step;
    mesh->delivery = {mesh->header->number,
                      (const uint64_t *)&s->arrival->begun,
                      (const uint64_t *)&s->arrival->count,
                      s->marks,
                      (const toi_impact_group *)s->sorted,
                      runs,
                      mesh};
    mesh->received = false;
}

static toi_status run_whole(toi_card_mesh *mesh, toi_complaint *complaint)
{
    if (mesh->measure) {
        TOI_TRY(start_whole(mesh, complaint));
        return finish(mesh, complaint);
    }
    TOI_TRY(start_kept(mesh, complaint));
    return await(mesh, complaint);
}

toi_status toi_run_whole(toi_card_mesh *mesh, toi_complaint *complaint)
{
    mesh->marks = 0;
    set_delivery(mesh);
    TOI_TRY(run_whole(mesh, complaint));
    hand_on(mesh);
    mesh->delivered = is_packed(mesh);
    return TOI_OK;
}

toi_status toi_run_boxes(toi_card_mesh *mesh, toi_complaint *complaint)
{
    mesh->marks = 0;
    TOI_TRY(start_boxes(mesh, complaint));
    toi_start_report(mesh->card, &mesh->step);
    return finish(mesh, complaint);
}

// ---- Again, and in windows

static toi_status search_again(toi_card_mesh *mesh, toi_complaint *complaint)
{
    mesh->step.pack = mesh->delivered = false;
    size_t tallies = (size_t)toi_count_tallies(&mesh->step);
    TOI_TRY(send_header(mesh, offsetof(toi_control, limit), complaint));
    return clear(mesh, mesh->step.bins, 0, tallies * sizeof(uint32_t), complaint);
}

toi_status toi_run_again(toi_card_mesh *mesh, toi_complaint *complaint)
{
    TOI_TRY(search_again(mesh, complaint));
    start_search(mesh);
    return finish(mesh, complaint);
}

// What the card counted so far.
static toi_status look(toi_card_mesh *mesh, const toi_control **seen, toi_complaint *complaint)
{
    toi_start_report(mesh->card, &mesh->step);
    *seen = mesh->step.report;
    return finish(mesh, complaint);
}

toi_count toi_next_width(toi_count width, toi_count n, toi_count capacity)
{
    double fit = 0.8 * (double)capacity / (double)(n > 0 ? n : 1) * (double)width;
    double most = 4 * (double)width;
    toi_count next = (toi_count)(fit < most ? fit : most);
    if (n > capacity && next > width / 2) // what did not fit is at least halved
        next = width / 2;
    return next > 0 ? next : 1;
}

// Pairs of blocks `from` to `to`, whose queues must fit.
static toi_status run_blocks(toi_card_mesh *mesh, toi_count to, toi_window_sums *sums,
                             toi_complaint *complaint)
{
    const toi_step *s = &mesh->step;
    const toi_control *seen;
    toi_count width = to;
    for (toi_count from = 0; from < to;) {
        toi_window window = {from, toi_least(from + width, to)};
        TOI_TRY(clear(mesh, &s->control->window, 0, sizeof s->control->window, complaint));
        toi_start_meet(mesh->card, s, window);
        start_filter(mesh);
        TOI_TRY(look(mesh, &seen, complaint));
        const toi_in_window *w = &seen->window;
        toi_count vf = w->pairs[TOI_VERTEX_FACE].n, ee = w->pairs[TOI_EDGE_EDGE].n;
        toi_count left = toi_left_count(w), most = vf > ee ? vf : ee,
                  wide = window.last - window.first;
        bool fits = most <= s->pair_capacity && left <= s->left_capacity;
        toi_count by_pairs = toi_next_width(wide, most, s->pair_capacity);
        width = toi_least(by_pairs, toi_next_width(wide, left, s->left_capacity));
        if (!fits)
            continue;
        start_times(mesh);
        sums->tested[TOI_VERTEX_FACE] += vf;
        sums->tested[TOI_EDGE_EDGE] += ee;
        sums->left[TOI_EDGE_EDGE] += toi_left_edges(w);
        sums->left[TOI_VERTEX_FACE] += left - toi_left_edges(w);
        ++sums->windows;
        from = window.last;
    }
    return TOI_OK;
}

toi_status toi_run_windows(toi_card_mesh *mesh, toi_window_sums *sums, toi_complaint *complaint)
{
    const toi_step *s = &mesh->step;
    const toi_control *seen;
    toi_count all = toi_group_pairs(s), width = all;
    memset(sums, 0, sizeof *sums);
    TOI_TRY(search_again(mesh, complaint));
    for (toi_count from = 0; from < all;) {
        toi_window window = {from, toi_least(from + width, all)};
        size_t bytes = sizeof *s->control - offsetof(toi_control, block_pairs);
        TOI_TRY(clear(mesh, s->control->block_pairs, 0, bytes, complaint));
        toi_start_blocks(mesh->card, s, window);
        TOI_TRY(look(mesh, &seen, complaint));
        toi_count vf = seen->block_pairs[TOI_VERTEX_FACE].n;
        toi_count ee = seen->block_pairs[TOI_EDGE_EDGE].n, most = vf > ee ? vf : ee;
        width = toi_next_width(window.last - window.first, most, s->block_capacity);
        if (most > s->block_capacity)
            continue;
        TOI_TRY(run_blocks(mesh, vf + ee, sums, complaint));
        from = window.last;
    }
    // What the last window left behind is no overflow.
    TOI_TRY(clear(mesh, &s->control->window, 0, sizeof s->control->window, complaint));
    start_list(mesh);
    return finish(mesh, complaint);
}

// ---- The list alone

toi_status toi_run_order(toi_card_mesh *mesh, toi_complaint *complaint)
{
    mesh->step.pack = mesh->delivered = false;
    const toi_step *s = &mesh->step;
    size_t chunks = (size_t)(toi_count_bins(s) / TOI_BIN_CHUNK);
    TOI_TRY(clear(mesh, s->sums, 0, chunks * sizeof *s->sums, complaint));
    if (mesh->step.report->crowded) {
        size_t bytes = toi_sort_scratch(mesh->count);
        TOI_TRY(toi_make_room(mesh->card, &mesh->sort_scratch, bytes, complaint));
        TOI_TRY(toi_start_sort(mesh->card, s, &mesh->sort_scratch, mesh->count, complaint));
    } else {
        toi_start_order(mesh->card, s, mesh->count);
    }
    return finish(mesh, complaint);
}
