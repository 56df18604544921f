// Searches for candidates, from boxes to pairs in memory of the host. What does not fit the room
// for pairs is counted all the same; then the room grows, or the search is made again in windows
// that fit.

#include "cuda/finder.cuh"
#include "cuda/launch.cuh"

#include <cmath>
#include <cstddef>
#include <cstring>

enum
{
    STAGED_PAIRS = 1 << 19,    // that travel at once
    OWN_ORDER_PAIRS = 1 << 24, // of a window, where they need not be sorted
    LEAST_PAIRS = 4096,
    KEEP_ORDER = 16 // searches, until slots are put in order anew
};

struct find_call
{
    toi_card_mesh *mesh;
    const toi_card_search *search;
    toi_card_pairs *answer;
    toi_complaint *complaint;
    toi_finder f;
    bool full; // the room for pairs cannot grow
};

// ---- Rooms

static toi_status make_room(find_call *c, toi_room *room, size_t bytes)
{
    return toi_make_room(c->mesh->card, room, bytes, c->complaint);
}

static const toi_find_control *seen_by(const find_call *c)
{
    return (const toi_find_control *)c->mesh->find.report.data;
}

static toi_status make_boxes_room(find_call *c)
{
    toi_find_rooms *rooms = &c->mesh->find;
    toi_finder *f = &c->f;
    TOI_TRY(make_room(c, &rooms->control, sizeof(toi_find_control)));
    TOI_TRY(make_room(c, &rooms->report, sizeof(toi_find_control)));
    TOI_TRY(make_room(c, &rooms->boxes, (size_t)f->total * sizeof(toi_card_box)));
    f->control = (toi_find_control *)rooms->control.data;
    f->boxes[0] = (toi_card_box *)rooms->boxes.data;
    f->boxes[1] = f->boxes[0] + f->counts[0];
    return TOI_OK;
}

// What a method sorts: `entries` keys with a number each, and rows of all boxes; of a tree its
// nodes too.
static void cut_order(toi_cutter *cut, toi_finder *f, int64_t entries, int64_t leaves)
{
    f->rows = cut->cut<toi_float_row>(f->total);
    f->keys = cut->cut<uint32_t>(entries);
    f->numbers = cut->cut<uint32_t>(entries);
    f->other_keys = cut->cut<uint32_t>(entries);
    f->others = cut->cut<uint32_t>(entries);
    f->nodes = cut->cut<toi_tree_box>(leaves);
    f->parents = cut->cut<int32_t>(2 * leaves);
    f->lasts = cut->cut<int32_t>(leaves);
    f->visits = cut->cut<uint32_t>(leaves);
}

static size_t order_bytes(const find_call *c, int64_t entries, int64_t leaves)
{
    toi_finder f = c->f;
    toi_cutter cut = {NULL, 0};
    cut_order(&cut, &f, entries, leaves);
    return cut.used;
}

static toi_status make_order_room(find_call *c, int64_t entries, int64_t leaves)
{
    toi_find_rooms *rooms = &c->mesh->find;
    size_t bytes = order_bytes(c, entries, leaves);
    TOI_TRY(make_room(c, &rooms->order, bytes));
    TOI_TRY(make_room(c, &rooms->scratch, toi_find_sort_scratch(entries)));
    toi_cutter cut = {(char *)rooms->order.data, 0};
    cut_order(&cut, &c->f, entries, leaves);
    return TOI_OK;
}

// Room for `wanted` pairs, or for as many as there can be: at least as many as one box has.
static toi_status make_found_room(find_call *c, toi_count wanted)
{
    toi_room *room = &c->mesh->find.found;
    toi_count least = (toi_count)c->f.total > LEAST_PAIRS ? (toi_count)c->f.total : LEAST_PAIRS;
    toi_count had = room->bytes / sizeof(uint2);
    least = had > least ? had : least;
    wanted = wanted > least ? wanted : least;
    for (;; wanted = wanted / 2 > least ? wanted / 2 : least) {
        toi_status status = make_room(c, room, wanted * sizeof(uint2));
        if (status != TOI_OK && wanted > least)
            continue;
        c->f.found = (uint2 *)room->data;
        c->f.capacity = room->bytes / sizeof(uint2);
        return status;
    }
}

// Makes room for what a window has found; false: it does not fit, and none will.
static toi_status grow_found(find_call *c, toi_count found, bool *grown)
{
    toi_count wanted = found + found / 8;
    *grown = false;
    if (!c->search->in_order && wanted > OWN_ORDER_PAIRS)
        wanted = OWN_ORDER_PAIRS;
    toi_count share = (toi_count)c->mesh->card->limit / 8 / sizeof(uint2);
    if (c->search->narrow && share > 0 && wanted > share) // queries and cells are larger
        wanted = share;
    if (c->full || wanted <= c->f.capacity)
        return TOI_OK;
    TOI_TRY(make_found_room(c, wanted));
    *grown = c->f.capacity >= found;
    c->full = c->f.capacity < wanted;
    return TOI_OK;
}

// ---- Looking at counters

static toi_status clear_found(find_call *c)
{
    return clear(c->mesh, &c->f.control->found, 0, sizeof c->f.control->found, c->complaint);
}

static toi_status fetch(find_call *c, void *to, const void *from, size_t bytes)
{
    return toi_check_cuda(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, c->mesh->card->stream),
        "send what it counted", c->complaint);
}

// What the card has counted so far, in both controls.
static toi_status look(find_call *c)
{
    const toi_step *s = &c->mesh->step;
    TOI_TRY(fetch(c, s->report, s->control, sizeof *s->control));
    TOI_TRY(fetch(c, c->mesh->find.report.data, c->f.control, sizeof *c->f.control));
    return finish(c->mesh, c->complaint);
}

// ---- Boxes

static toi_status make_boxes(find_call *c)
{
    toi_card_mesh *mesh = c->mesh;
    const toi_card_search *search = c->search;
    mark(mesh, "begin");
    if (!search->same_step) {
        TOI_TRY(toi_set_sources(mesh, &search->start, &search->end, 1, c->complaint));
        TOI_TRY(send_header(mesh, 0, c->complaint));
        toi_start_take(mesh->card, &mesh->step, TOI_CARD_NEAR);
        mark(mesh, "positions");
    } else if (!mesh->has_end) {
        return toi_complain(c->complaint, TOI_ERROR_ARGUMENT, "there are no positions on the card");
    }
    TOI_TRY(make_boxes_room(c));
    TOI_TRY(clear(mesh, c->f.control, 0, sizeof *c->f.control, c->complaint));
    toi_start_boxes(mesh->card, &c->f, &mesh->step);
    mark(mesh, "boxes");
    TOI_TRY(look(c));
    c->f.frame = seen_by(c)->frame;
    mesh->has_end = !mesh->step.report->infinite;
    return TOI_OK;
}

// The axis on which middles vary most.
static int widest_axis(const find_call *c)
{
    const toi_find_control *seen = seen_by(c);
    double n = (double)c->f.total, most = -1;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        double mean = seen->middles[k] / n, variance = seen->squares[k] / n - mean * mean;
        if (variance > most) {
            most = variance;
            axis = k;
        }
    }
    return axis;
}

// Cells of one size on all axes, as many as there may be at most.
static toi_grid make_grid(const find_call *c, double size)
{
    const toi_frame *frame = &c->f.frame;
    double width = 0;
    for (int k = 0; k < 3; ++k)
        width = frame->steps[k] > 0 ? fmax(width, 32700 / (double)frame->steps[k]) : width;
    double least = width / TOI_CELLS;
    size = size > least ? size : least;
    toi_grid grid;
    for (int k = 0; k < 3; ++k) {
        grid.low[k] = frame->low[k];
        grid.per_unit[k] = size > 0x1p-100 && size < 0x1p100 ? (float)(1 / size) : 0.0f;
    }
    return grid;
}

// ---- Windows

// Starts a part of the pairs on its way.
static toi_status send_part(find_call *c, const uint2 *pairs, toi_count first, toi_count count,
                            int turn)
{
    toi_count part = toi_least(count - first, STAGED_PAIRS);
    return fetch(c, c->mesh->find.staged[turn].data, pairs + first, part * sizeof *pairs);
}

// Pairs of a window, a part at a time: while one is taken the next one travels.
static toi_status hand_on(find_call *c, const uint2 *pairs, toi_count count)
{
    const toi_card_search *search = c->search;
    toi_room *staged = c->mesh->find.staged;
    for (int i = 0; i < 2; ++i)
        TOI_TRY(make_room(c, &staged[i], toi_least(count, STAGED_PAIRS) * sizeof *pairs));
    TOI_TRY(send_part(c, pairs, 0, count, 0));
    int turn = 0;
    for (toi_count at = 0; at < count; at += STAGED_PAIRS, turn ^= 1) {
        toi_count part = toi_least(count - at, STAGED_PAIRS);
        TOI_TRY(finish(c->mesh, c->complaint));
        if (count - at > part)
            TOI_TRY(send_part(c, pairs, at + part, count, turn ^ 1));
        TOI_TRY(search->take(search->context, (toi_pair *)staged[turn].data, (int64_t)part,
                             (int64_t)(count - at)));
    }
    return TOI_OK;
}

// Sorts the pairs of the only window, where there is room for it; else the host does.
static toi_status sort_found(find_call *c, toi_count count, uint2 **pairs)
{
    toi_find_rooms *rooms = &c->mesh->find;
    toi_status status = make_room(c, &rooms->sorted, count * sizeof(uint2));
    if (status == TOI_OK)
        status = make_room(c, &rooms->scratch, toi_pair_sort_scratch(count));
    c->answer->in_order = status == TOI_OK;
    if (status == TOI_ERROR_LIMIT || status == TOI_ERROR_MEMORY)
        return TOI_OK;
    TOI_TRY(status);
    return toi_start_pair_sort(c->mesh->card, &c->f, count, (uint2 *)rooms->sorted.data,
                               &rooms->scratch, pairs, c->complaint);
}

// A window whose pairs are all there; `whole`: it is the only one.
static toi_status end_window(find_call *c, toi_count count, bool whole)
{
    toi_card_pairs *answer = c->answer;
    uint2 *pairs = c->f.found;
    answer->count += (int64_t)count;
    answer->report.windows += 1;
    answer->in_order = whole && c->search->in_order;
    if (count == 0)
        return TOI_OK;
    if (c->search->narrow) {
        TOI_TRY(toi_solve_found(c->mesh, &c->f, c->search, count, &answer->report, c->complaint));
        mark(c->mesh, "solve");
        return TOI_OK;
    }
    if (whole && c->search->in_order) {
        TOI_TRY(sort_found(c, count, &pairs));
        mark(c->mesh, "order");
    }
    TOI_TRY(hand_on(c, pairs, count));
    mark(c->mesh, "list");
    return TOI_OK;
}

// A search whose boxes, entries or queries are independent of each other.
static toi_status run_windows(find_call *c, toi_start_find_fn *start, toi_count all)
{
    toi_count width = all;
    TOI_TRY(make_found_room(c, 4 * (toi_count)c->f.total));
    for (toi_count from = 0; from < all;) {
        toi_window window = {from, toi_least(from + width, all)};
        TOI_TRY(clear_found(c));
        start(c->mesh->card, &c->f, window);
        mark(c->mesh, "search");
        TOI_TRY(look(c));
        toi_count found = seen_by(c)->found.n;
        bool grown = false;
        if (found > c->f.capacity)
            TOI_TRY(grow_found(c, found, &grown));
        if (!grown)
            width = toi_next_width(window.last - window.first, found, c->f.capacity);
        if (grown || found > c->f.capacity)
            continue;
        TOI_TRY(end_window(c, found, window.first == 0 && window.last == all));
        from = window.last;
    }
    c->answer->report.tested[c->f.kind] = c->answer->count;
    return TOI_OK;
}

// ---- The methods

static toi_status find_by_sweep(find_call *c)
{
    toi_finder *f = &c->f;
    const toi_card *card = c->mesh->card;
    TOI_TRY(make_order_room(c, f->total, 0));
    f->axis = widest_axis(c);
    toi_start_axis_keys(card, f);
    TOI_TRY(toi_start_key_sort(card, f, f->total, 32, &c->mesh->find.scratch, c->complaint));
    toi_start_rows(card, f, true);
    mark(c->mesh, "sort");
    bool queue = c->search->method == TOI_BROAD_STQ;
    return run_windows(c, queue ? toi_start_stq : toi_start_sweep, (toi_count)f->total);
}

static toi_status find_by_lbvh(find_call *c)
{
    toi_finder *f = &c->f;
    const toi_card *card = c->mesh->card;
    bool edges = f->kind == TOI_EDGE_EDGE;
    TOI_TRY(make_order_room(c, f->total, f->counts[edges ? 0 : 1]));
    f->grid = make_grid(c, 0);
    toi_start_curve_keys(card, f);
    TOI_TRY(toi_start_key_sort(card, f, f->total, 31, &c->mesh->find.scratch, c->complaint));
    toi_start_rows(card, f, true);
    mark(c->mesh, "sort");
    TOI_TRY(toi_start_tree(card, f, c->complaint));
    mark(c->mesh, "tree");
    return run_windows(c, toi_start_lbvh, (toi_count)f->counts[0]);
}

// As many entries as are worth their memory, and fit it.
static toi_count most_entries(const find_call *c)
{
    const toi_find_rooms *rooms = &c->mesh->find;
    toi_count total = (toi_count)c->f.total, most = 8 * total + LEAST_PAIRS;
    while (most > total &&
           !toi_fits_limit(c->mesh->card, &rooms->order,
                           order_bytes(c, (int64_t)most, 0) + toi_find_sort_scratch((int64_t)most)))
        most /= 2;
    return most > total ? most : total;
}

// Cells of twice the mean extent of boxes; larger ones where some boxes are in very many.
static toi_status choose_cells(find_call *c)
{
    toi_finder *f = &c->f;
    const toi_find_control *seen = seen_by(c);
    double size = 0;
    toi_count most = most_entries(c);
    for (int k = 0; k < 3; ++k)
        size = fmax(size, 2 * seen->extents[k] / (double)f->total);
    for (f->entries = ~(toi_count)0; f->entries > most; size *= 2) {
        f->grid = make_grid(c, size);
        size = f->grid.per_unit[0] > 0 ? 1 / (double)f->grid.per_unit[0] : INFINITY;
        TOI_TRY(clear(c->mesh, &f->control->entries, 0, sizeof f->control->entries, c->complaint));
        toi_start_cell_count(c->mesh->card, f);
        TOI_TRY(look(c));
        f->entries = seen->entries.n;
    }
    return TOI_OK;
}

static toi_status find_by_grid(find_call *c)
{
    toi_finder *f = &c->f;
    const toi_card *card = c->mesh->card;
    TOI_TRY(make_order_room(c, f->total, 0));
    toi_start_rows(card, f, false);
    TOI_TRY(choose_cells(c));
    TOI_TRY(make_order_room(c, (int64_t)f->entries, 0)); // rows may have moved
    toi_start_rows(card, f, false);
    TOI_TRY(clear(c->mesh, &f->control->entries, 0, sizeof f->control->entries, c->complaint));
    toi_start_cells(card, f);
    mark(c->mesh, "cells");
    TOI_TRY(toi_start_key_sort(card, f, (int64_t)f->entries, 3 * TOI_CELL_BITS,
                               &c->mesh->find.scratch, c->complaint));
    mark(c->mesh, "sort");
    return run_windows(c, toi_start_grid, f->entries);
}

// ---- Our own

static toi_status order_slots(find_call *c)
{
    toi_card_mesh *mesh = c->mesh;
    bool kept = mesh->ordered || (mesh->searches > 0 && mesh->searches < KEEP_ORDER);
    if (!kept) {
        mesh->searches = 0;
        TOI_TRY(toi_start_slots(mesh, c->complaint));
        mark(mesh, "curve");
    }
    mesh->searches = mesh->ordered ? 0 : mesh->searches + 1;
    return TOI_OK;
}

// Larger queues, as far as the limit allows; false: as large as they were.
static toi_status grow_queues(find_call *c, toi_count blocks, toi_count pairs, bool *grown)
{
    toi_card_mesh *mesh = c->mesh;
    toi_capacities before = mesh->capacities, wanted = before;
    if (blocks > wanted.blocks)
        wanted.blocks = blocks + blocks / 4;
    if (pairs > wanted.pairs)
        wanted.pairs = pairs + pairs / 4;
    TOI_TRY(toi_make_queues(mesh, &wanted, c->complaint));
    *grown = mesh->capacities.blocks > before.blocks || mesh->capacities.pairs > before.pairs;
    return TOI_OK;
}

// Pairs of `all` blocks; `whole`: there are no others.
static toi_status run_blocks(find_call *c, toi_count all, bool whole)
{
    toi_card_mesh *mesh = c->mesh;
    const toi_step *s = &mesh->step;
    toi_count width = all;
    int kind = c->f.kind;
    for (toi_count from = 0; from < all;) {
        toi_window window = {from, toi_least(from + width, all)};
        toi_in_window *counters = &s->control->window;
        TOI_TRY(clear(mesh, counters, 0, sizeof *counters, c->complaint));
        TOI_TRY(clear_found(c));
        toi_start_meet(mesh->card, s, window);
        mark(mesh, "pairs");
        toi_start_sieve(mesh->card, s, &c->f);
        mark(mesh, "sieve");
        TOI_TRY(look(c));
        toi_count pairs = s->report->window.pairs[kind].n, found = seen_by(c)->found.n;
        bool queues = false, room = false, fits = true;
        if (pairs > s->pair_capacity) { // then not all of them were looked at
            fits = false;
            TOI_TRY(grow_queues(c, 0, pairs, &queues));
        }
        if (found > c->f.capacity) {
            fits = false;
            TOI_TRY(grow_found(c, found, &room));
        }
        if (fits || (!queues && !room)) {
            toi_count wide = window.last - window.first;
            toi_count by_pairs = toi_next_width(wide, pairs, s->pair_capacity);
            width = toi_least(by_pairs, toi_next_width(wide, found, c->f.capacity));
        }
        if (!fits)
            continue;
        c->answer->report.tested[kind] += (int64_t)pairs;
        TOI_TRY(end_window(c, found, whole && window.first == 0 && window.last == all));
        from = window.last;
    }
    return TOI_OK;
}

static toi_status find_by_blocks(find_call *c)
{
    toi_card_mesh *mesh = c->mesh;
    const toi_step *s = &mesh->step;
    TOI_TRY(order_slots(c));
    toi_start_swept(mesh->card, s, &c->f);
    mark(mesh, "slots");
    TOI_TRY(make_found_room(c, 4 * (toi_count)c->f.total));
    toi_count edges = (toi_count)s->slots[TOI_EDGE].groups, of_edges = edges * edges;
    bool first = c->f.kind == TOI_EDGE_EDGE;
    toi_count begin = first ? 0 : of_edges, end = first ? of_edges : toi_group_pairs(s);
    toi_count width = end - begin;
    for (toi_count from = begin; from < end;) {
        toi_window window = {from, toi_least(from + width, end)};
        size_t bytes = sizeof *s->control - offsetof(toi_control, block_pairs);
        TOI_TRY(clear(mesh, s->control->block_pairs, 0, bytes, c->complaint));
        toi_start_blocks(mesh->card, s, window);
        mark(mesh, "blocks");
        TOI_TRY(look(c));
        toi_count blocks = s->report->block_pairs[c->f.kind].n;
        bool grown = false, fits = blocks <= s->block_capacity;
        if (!fits)
            TOI_TRY(grow_queues(c, blocks, 0, &grown));
        if (!grown)
            width = toi_next_width(window.last - window.first, blocks, s->block_capacity);
        if (!fits)
            continue;
        TOI_TRY(run_blocks(c, blocks, window.first == begin && window.last == end));
        from = window.last;
    }
    return TOI_OK;
}

// ---- The question

static toi_status find_pairs(find_call *c)
{
    const toi_card_search *search = c->search;
    c->mesh->measure = search->measure;
    c->mesh->marks = 0;
    TOI_TRY(toi_check_cuda(cudaSetDevice(c->mesh->card->info.number), "be used", c->complaint));
    TOI_TRY(make_boxes(c));
    if (c->mesh->step.report->infinite) {
        c->answer->infinite = true;
        return TOI_OK;
    }
    if (c->f.total < 2 || (search->kind == TOI_VERTEX_FACE && c->f.counts[1] == 0)) {
        c->answer->in_order = true;
        return TOI_OK;
    }
    switch (search->method) {
    case TOI_BROAD_AUTO:
        return find_by_blocks(c);
    case TOI_BROAD_SWEEP:
    case TOI_BROAD_STQ:
        return find_by_sweep(c);
    case TOI_BROAD_GRID:
        return find_by_grid(c);
    case TOI_BROAD_LBVH:
        return find_by_lbvh(c);
    default:
        return toi_complain(c->complaint, TOI_ERROR_UNSUPPORTED,
                            "broad phase number %d does not run on a card", (int)search->method);
    }
}

static void describe(const toi_card_mesh *mesh, const toi_card_search *search, toi_finder *f)
{
    const toi_step *s = &mesh->step;
    bool edges = search->kind == TOI_EDGE_EDGE;
    f->kind = search->kind;
    f->counts[0] = s->slots[edges ? TOI_EDGE : TOI_VERTEX].count;
    f->counts[1] = edges ? 0 : s->slots[TOI_FACE].count;
    f->total = f->counts[0] + f->counts[1];
    f->edges = mesh->edges;
    f->faces = mesh->faces;
    f->groups = mesh->groups;
    f->positions = s->positions;
    f->radius = search->radius;
    f->widen = search->float_boxes;
}

static void report_search(const find_call *c, toi_device_report *report)
{
    const toi_card_search *search = c->search;
    toi_set_stages(c->mesh, report);
    if (!search->same_step)
        report->bytes_up =
            toi_bytes_sent(c->mesh, &search->start) + toi_bytes_sent(c->mesh, &search->end);
    report->peak_bytes = c->mesh->card->peak;
    if (search->narrow) // which has counted
        return;
    report->bytes_down = c->answer->count * (int64_t)sizeof(toi_pair);
    report->left[search->kind] = c->answer->count;
}

toi_status toi_find_pairs_on_card(void *on, const toi_card_search *search, toi_card_pairs *answer,
                                  toi_complaint *complaint)
{
    toi_card_mesh *mesh = (toi_card_mesh *)on;
    find_call c = {mesh, search, answer, complaint, {}, false};
    memset(answer, 0, sizeof *answer);
    describe(mesh, search, &c.f);
    toi_status status = find_pairs(&c);
    if (status == TOI_OK) {
        report_search(&c, &answer->report);
        return TOI_OK;
    }
    cudaStreamSynchronize(mesh->card->stream);
    cudaGetLastError();
    mesh->has_end = mesh->ordered = false;
    mesh->searches = 0;
    return status;
}
