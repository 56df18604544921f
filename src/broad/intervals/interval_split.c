// Expanding a problem of the search with segment trees: it is cut at the median beginning, given to
// the next axis, or left to be swept, whichever some of its boxes say is cheapest.

#include "broad/intervals/interval_tree.h"

#include "broad/layout/axes.h"

#include <math.h>
#include <string.h>

enum
{
    CUTOFF = 256,      // a node with fewer boxes is swept
    LEAST_ACROSS = 32, // fewer boxes that reach across are not worth a problem of their own
    SAMPLES = 128,     // boxes that are asked where to cut
    PROBES = 16,       // and how many others they meet in a sweep
    LONG_RUN = 1024    // comparisons of a box in a sweep that are too many whatever a cut costs
};

// What a cut costs, in comparisons: for each item of a problem, and for each that is then in both
// halves.
static const double MOVE_COST = 20, COPY_COST = 400;

int64_t toi_first_item(const toi_ranked_box *rows, toi_item_set boxes, float x, bool beyond)
{
    int64_t begin = 0, end = boxes.count;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        float at = toi_item_row(rows, boxes.items[middle])->lo[0];
        if (at < x || (beyond && at == x))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

void toi_forget_problem(toi_problem *p)
{
    if (!p->pooled)
        toi_give_back(p->items[0]);
    p->items[0] = NULL;
}

// Takes the memory for so many items of each list, and one more that may be overwritten.
static bool take_items(const toi_expander *e, toi_problem *p, int64_t first, int64_t second)
{
    int64_t count = first + second + 2;
    p->pooled = e->pool && e->pool->count - e->pool->used >= count;
    if (p->pooled) {
        p->items[0] = e->pool->items + e->pool->used;
        e->pool->used += count;
    } else {
        p->items[0] = toi_take(e->budget, count, sizeof **p->items);
    }
    p->items[1] = p->items[0] ? p->items[0] + first + 1 : NULL;
    return p->items[0] != NULL;
}

// Notes where the last box begins that does so in the segment.
void toi_find_end(const toi_ranked_box *rows, toi_problem *p)
{
    p->end = -INFINITY;
    for (int list = 0; list < 2 && p->axis > 0; ++list)
        for (int64_t i = 0; i < toi_list_count(p, list); ++i) {
            uint32_t item = p->items[list][i];
            float lo = toi_item_row(rows, item)->lo[p->axis];
            p->end = lo > p->end && !(item & TOI_REACHES) ? lo : p->end;
        }
}

// About how many comparisons a sweep takes: some boxes are asked how many of the others begin
// inside them.
static double estimate_comparisons(const toi_ranked_box *rows, const toi_problem *p)
{
    int64_t met = 0, probes = 0, step = 1 + toi_item_count(p) / PROBES;
    for (int list = 0; list < 2; ++list) {
        int other = p->single ? list : !list;
        toi_item_set others = {p->items[other], toi_list_count(p, other)};
        for (int64_t i = step / 2; i < toi_list_count(p, list); i += step, ++probes) {
            const toi_ranked_box *row = toi_item_row(rows, p->items[list][i]);
            int64_t first = p->single ? i + 1 : toi_first_item(rows, others, row->lo[0], list == 1);
            met += toi_first_item(rows, others, row->hi[0], true) - first;
        }
    }
    return probes ? (double)met * ((double)toi_item_count(p) / (double)probes) : 0;
}

// Where a segment is cut: at the beginning of a box. Ties are in the order of the rows.
typedef struct cut
{
    float at;
    uint32_t item;
    bool found;
} cut;

static inline bool begins_after(float lo, uint32_t item, cut c)
{
    return (lo > c.at) | ((lo == c.at) & ((item & TOI_ITEM_ROW) >= c.item));
}

// The median of the beginnings of every `step`-th box.
static toi_status find_median(const toi_expander *e, const toi_problem *p, int64_t step, cut *c)
{
    uint64_t local[SAMPLES + 2], *keys = local;
    int64_t most = toi_item_count(p) / step + 2, taken = 0;
    if (most > SAMPLES + 2)
        keys = toi_take(e->budget, most, sizeof *keys);
    if (!keys)
        return toi_allocation_status();
    for (int list = 0; list < 2; ++list)
        for (int64_t i = 0; i < toi_list_count(p, list); i += step) {
            uint32_t item = p->items[list][i];
            keys[taken] =
                toi_key((double)toi_item_row(e->rows, item)->lo[p->axis], item & TOI_ITEM_ROW);
            taken += !(item & TOI_REACHES);
        }
    *c = (cut){.found = taken > 0};
    if (c->found) {
        c->item = (uint32_t)toi_key_id(toi_select_key(keys, taken, taken / 2));
        c->at = toi_item_row(e->rows, c->item)->lo[p->axis];
    }
    if (keys != local)
        toi_give_back(keys);
    return TOI_OK;
}

// How many of some items would be in both halves, and reach across one, as shares of all.
static void look_across(const toi_ranked_box *rows, const toi_problem *p, cut c, double *both,
                        double *across)
{
    int64_t step = 1 + toi_item_count(p) / SAMPLES, asked = 0, in_both = 0, reach_across = 0;
    for (int list = 0; list < 2; ++list)
        for (int64_t i = 0; i < toi_list_count(p, list); i += step, ++asked) {
            uint32_t item = p->items[list][i];
            const toi_ranked_box *row = toi_item_row(rows, item);
            bool reaches = item & TOI_REACHES;
            bool after = !reaches && begins_after(row->lo[p->axis], item, c);
            bool into = !after && row->hi[p->axis] >= c.at;
            in_both += into;
            reach_across += into && (reaches || row->hi[p->axis] >= p->end);
        }
    *both = (double)in_both / (double)asked;
    *across = (double)reach_across / (double)asked;
}

// Items on their way to the pieces of one list.
typedef struct streams
{
    uint32_t *half[2];
    uint32_t *across[2]; // or NULL: all go to the halves
    int64_t half_count[2];
    int64_t across_count[2];
    int64_t after; // boxes that begin in the second half
} streams;

// Deals out the items of one list. Without a branch: where an item goes cannot be foreseen.
static inline void deal_items(const toi_ranked_box *rows, const toi_problem *p, int list, cut c,
                              const bool across, streams *out)
{
    streams o = *out;
    int64_t count = toi_list_count(p, list), last = count - 1;
    for (int64_t i = 0; i < count; ++i) {
        uint32_t item = p->items[list][i];
        __builtin_prefetch(toi_item_row(
            rows, p->items[list][i + TOI_ROWS_AHEAD < last ? i + TOI_ROWS_AHEAD : last]));
        const toi_ranked_box *row = toi_item_row(rows, item);
        bool reaches = item & TOI_REACHES, into = row->hi[p->axis] >= c.at;
        bool after = !reaches & begins_after(row->lo[p->axis], item, c);
        bool across_first = across & reaches & into;
        bool across_second = across & !reaches & !after & (row->hi[p->axis] >= p->end);
        o.half[0][o.half_count[0]] = item;
        o.half_count[0] += !after & !across_first;
        o.half[1][o.half_count[1]] = item | (after ? 0 : TOI_REACHES);
        o.half_count[1] += after | (into & !across_second);
        o.after += after;
        if (across) {
            o.across[0][o.across_count[0]] = item & ~TOI_REACHES;
            o.across_count[0] += across_first;
            o.across[1][o.across_count[1]] = item & ~TOI_REACHES;
            o.across_count[1] += across_second;
        }
    }
    *out = o;
}

void toi_forget_pieces(toi_pieces *out)
{
    for (int i = 0; i < out->count; ++i)
        toi_forget_problem(&out->piece[i]);
    out->count = 0;
}

// Adds the problem of the boxes that reach across a half: on the next axis, against those that
// begin in it.
static bool add_across(const toi_expander *e, const toi_problem *half, int list,
                       const uint32_t *across, int64_t count, toi_pieces *out)
{
    int other = half->single ? list : !list;
    if (count == 0 || half->begins[other] == 0)
        return true;
    toi_problem *p = &out->piece[out->count++];
    *p = (toi_problem){.axis = half->axis - 1, .begins = {count, half->begins[other]}};
    if (!take_items(e, p, count, half->begins[other]))
        return false;
    memcpy(p->items[0], across, (size_t)count * sizeof *across);
    uint32_t *items = p->items[1];
    for (int64_t i = 0; i < toi_list_count(half, other); ++i) {
        *items = half->items[other][i];
        items += !(*items & TOI_REACHES);
    }
    toi_find_end(e->rows, p);
    return true;
}

// Cuts a problem in two halves, and if `across` into up to four problems on the next axis.
static toi_status cut_problem(const toi_expander *e, const toi_problem *p, cut c, bool across,
                              toi_pieces *out)
{
    streams lists[2] = {{.after = 0}, {.after = 0}};
    toi_problem room = {0};
    toi_problem halves[2];
    bool taken = !across || take_items(e, &room, 2 * toi_item_count(p) + 4, 0);
    for (int half = 0; half < 2; ++half) {
        halves[half] =
            (toi_problem){.axis = p->axis, .single = p->single, .end = half == 0 ? c.at : p->end};
        taken = taken && take_items(e, &halves[half], toi_list_count(p, 0), toi_list_count(p, 1));
    }
    uint32_t *free_room = room.items[0];
    for (int list = 0; list < 2 && taken; ++list) {
        for (int half = 0; half < 2; ++half) {
            lists[list].half[half] = halves[half].items[list];
            lists[list].across[half] = free_room;
            if (across)
                free_room += toi_list_count(p, list) + 1;
        }
        if (across)
            deal_items(e->rows, p, list, c, true, &lists[list]);
        else
            deal_items(e->rows, p, list, c, false, &lists[list]);
        int64_t begins[2] = {p->begins[list] - lists[list].after, lists[list].after};
        for (int half = 0; half < 2; ++half) {
            halves[half].begins[list] = begins[half];
            halves[half].reaches[list] = lists[list].half_count[half] - begins[half];
        }
    }
    for (int i = 0; i < 4 && taken; ++i)
        taken = add_across(e, &halves[i / 2], i % 2, lists[i % 2].across[i / 2],
                           lists[i % 2].across_count[i / 2], out);
    toi_status status = taken ? TOI_OK : toi_allocation_status();
    toi_forget_problem(&room);
    out->piece[out->count++] = halves[0];
    out->piece[out->count++] = halves[1];
    return status;
}

// Cuts a problem at about the median; if that was off, at the median, so that the depth is bounded.
static toi_status cut_at_median(const toi_expander *e, const toi_problem *p, cut c, bool across,
                                toi_pieces *out)
{
    toi_status status = cut_problem(e, p, c, across, out);
    if (status != TOI_OK)
        return status;
    const toi_problem *first = &out->piece[out->count - 2];
    int64_t all = p->begins[0] + p->begins[1], before = first->begins[0] + first->begins[1];
    if (before > all / 16 && before < all - all / 16)
        return TOI_OK;
    toi_forget_pieces(out);
    status = find_median(e, p, 1, &c);
    return status == TOI_OK ? cut_problem(e, p, c, across, out) : status;
}

// Gives a problem to another axis; 0: to be swept.
static void turn_problem(const toi_expander *e, toi_problem *p, int axis, toi_pieces *out)
{
    toi_problem *turned = &out->piece[out->count++];
    *turned = *p;
    p->items[0] = NULL;
    turned->axis = axis;
    if (axis == 0)
        return;
    for (int list = 0; list < 2; ++list) {
        int64_t count = toi_list_count(p, list);
        for (int64_t i = 0; i < count; ++i) {
            uint32_t item = turned->items[list][i];
            turned->items[list][i] = (item & TOI_ITEM_ROW) | (item & TOI_REACHES) >> 1;
        }
        turned->begins[list] = count;
        turned->reaches[list] = 0;
    }
    toi_find_end(e->rows, turned);
}

// Gives a problem to another axis as two: in one of them are the boxes that reach into the segment,
// or of two lists those of the second, against those that begin in it.
static toi_status part_problem(const toi_expander *e, const toi_problem *p, int axis,
                               toi_pieces *out)
{
    toi_problem *begins = &out->piece[out->count++], *reaches = &out->piece[out->count++];
    *begins = (toi_problem){.axis = axis, .single = p->single};
    *reaches = (toi_problem){.axis = axis};
    int64_t first = p->single ? p->begins[0] : toi_list_count(p, 0);
    if (!take_items(e, begins, first, p->begins[1]) ||
        !take_items(e, reaches, p->reaches[!p->single], p->begins[0]))
        return toi_allocation_status();
    for (int list = 0; list < 2; ++list)
        for (int64_t i = 0; i < toi_list_count(p, list); ++i) {
            uint32_t item = p->items[list][i] & ~TOI_REACHES;
            bool reaching = p->items[list][i] & TOI_REACHES;
            if (!reaching || (list == 0 && !p->single))
                begins->items[list][begins->begins[list]++] = item;
            if (reaching && list == !p->single)
                reaches->items[0][reaches->begins[0]++] = item;
            if (!reaching && list == 0)
                reaches->items[1][reaches->begins[1]++] = item;
        }
    toi_find_end(e->rows, begins);
    toi_find_end(e->rows, reaches);
    return TOI_OK;
}

// Would most comparisons be of boxes that both only reach into the segment?
static bool mostly_reaches(const toi_problem *p)
{
    int other = p->single ? 0 : 1;
    return 4 * (double)p->reaches[0] * (double)p->reaches[other] >
           (double)toi_list_count(p, 0) * (double)toi_list_count(p, other);
}

// Replaces a problem by smaller ones, or says that it is to be swept. `p` can be forgotten then.
toi_status toi_expand_problem(const toi_expander *e, toi_problem *p, toi_pieces *out)
{
    int64_t items = toi_item_count(p);
    out->count = 0;
    cut c = {.found = false};
    double comparisons = 0, both = 1, across = 0;
    if (p->begins[0] + p->begins[1] > CUTOFF) {
        comparisons = estimate_comparisons(e->rows, p) / (double)items;
        toi_status status = find_median(e, p, 1 + items / SAMPLES, &c);
        if (status != TOI_OK)
            return status;
    }
    if (c.found)
        look_across(e->rows, p, c, &both, &across);
    double gain = comparisons * (0.5 - both) - MOVE_COST - COPY_COST * both;
    bool separates = both < 0.45 || p->axis == 1;
    if (c.found && (gain > 0 || (separates && comparisons > LONG_RUN)))
        return cut_at_median(e, p, c, across * (double)items > LEAST_ACROSS && across > 0.1, out);
    int axis = p->axis == 1 || comparisons < 2 * MOVE_COST ? 0 : p->axis - 1;
    if (mostly_reaches(p))
        return part_problem(e, p, axis, out);
    turn_problem(e, p, axis, out);
    return TOI_OK;
}
