// A packet of sixteen boxes in a tree. Compiled once for each instruction set; all of them write
// the same pairs in the same order.

#include "broad/tree/tree.h"

#include "base/simd.h"
#include "broad/tree/compare_isa.h"
#include "broad/tree/probe_list_isa.h"

// What the compiler is to know when it makes a kernel.
typedef struct shape
{
    bool self;
    int packet_corners;
    int tree_corners;
    int write;
    bool exact;
    bool places;  // pairs are written by place, not by id
    bool moving;  // boxes are at both ends of the step
    bool marked;  // faces in faces: by marks instead of labels
    bool margin;  // of boxes that move, where those over the whole step overlap
    bool still;   // boxes that move stand still: both ends are the first
    bool grouped; // packets go down the tree together
} shape;

// Are boxes compared at both ends of the step?
#define TWO_ENDS(kind) ((kind).moving && !(kind).still && !(kind).margin)

// Boxes that have no vertex in common with the packet for sure need no look at their vertices.
enum
{
    FAR,
    NEAR,
    LISTS
};

// The packet's boxes in double, once they are needed.
typedef struct packet_doubles
{
    bool fetched;
    toi_box box[TOI_BLOCK];
} packet_doubles;

// The packet, at hand during its search.
typedef struct packet
{
    const toi_tree_search *search;
    toi_pair_writer *writer;
    int64_t index;
    moving_columns columns; // those of one time, or over the whole step: the first ones
    middle_columns middles; // where there is a margin
    middle_probe whole;     // likewise
    probe halves[2];        // of the packet
    moving_probe ends;      // the packet's box
    toi_label_range labels;
    label_columns corners;
    int32_t common; // a label that all its boxes have; -1: none, or nobody looked
    packet_doubles doubles;
    probe_list lists[LISTS];
    uint16_t *marks;                        // the worker's
    _Alignas(64) int32_t places[TOI_BLOCK]; // of the packet's boxes
} packet;

// What pairs call the packet's boxes, and a box of the tree.
TOI_LANE_INLINE const int32_t *packet_names(const packet *p, const shape kind)
{
    return kind.places ? p->places : p->search->packets->ids + p->index * TOI_BLOCK;
}

TOI_LANE_INLINE int32_t tree_name(const toi_tree_search *s, const shape kind, uint32_t place)
{
    return kind.places ? (int32_t)place : s->tree->ids[place];
}

// Which boxes of a packet have a label, at the label's place; `set`, or nothing again.
TOI_LANE_INLINE void mark_labels(const int32_t *labels, int count, const bool set, uint16_t *marks)
{
    for (int i = 0; i < count; ++i)
        for (int c = 0; c < 3; ++c) {
            uint16_t *mark = &marks[labels[c * TOI_BLOCK + i]];
            *mark = set ? (uint16_t)(*mark | 1u << i) : 0;
        }
}

// The boxes of the packet that share no corner with a box of the tree.
TOI_LANE_INLINE unsigned unmarked(const uint16_t *marks, const int32_t *theirs)
{
    return ~((unsigned)marks[theirs[0]] | marks[theirs[TOI_BLOCK]] | marks[theirs[2 * TOI_BLOCK]]);
}

// Drops the lanes of the packet that share a corner with the probe.
TOI_LANE_INLINE unsigned drop_neighbours(const toi_tree_search *s, const shape kind, unsigned mask,
                                         const label_columns *ours, int64_t block, int lane)
{
    if (kind.packet_corners == 0) // boxes alone: there are no labels to look at
        return mask;
    const int32_t *theirs = s->tree->labels + block * kind.tree_corners * TOI_BLOCK + lane;
    if (kind.marked)
        return mask & unmarked(s->marks, theirs);
    return differ(mask, ours, kind.packet_corners, theirs, kind.tree_corners);
}

// Takes out the lanes that overlap in float only. The packet's boxes are fetched when a doubt
// arises for the first time: in a flat scene it does with every pair.
static unsigned confirm(const toi_tree_search *s, packet_doubles *doubles, unsigned mask,
                        unsigned doubtful, const int32_t *packet_ids, int32_t probe_id)
{
    for (int lane = 0; !doubles->fetched && lane < TOI_BLOCK && packet_ids[lane] >= 0; ++lane)
        s->packet_box(s->context, packet_ids[lane], &doubles->box[lane]);
    doubles->fetched = true;
    toi_box box;
    s->tree_box(s->context, probe_id, &box);
    for (; doubtful; doubtful &= doubtful - 1) {
        int lane = __builtin_ctz(doubtful);
        if (!toi_boxes_overlap(&doubles->box[lane], &box))
            mask &= ~(1u << lane);
    }
    return mask;
}

// Which of the packet's boxes in `allowed` overlap the box at one place of the tree, in float.
TOI_LANE_INLINE unsigned meet(const toi_tree_search *s, const shape kind, const moving_columns *c,
                              const label_columns *labels, uint32_t place, unsigned allowed,
                              const int list)
{
    int64_t block = place / TOI_BLOCK;
    int lane = place % TOI_BLOCK;
    unsigned mask;
    if (TWO_ENDS(kind)) {
        moving_probe box = load_moving_probe(s->tree, place);
        mask = stay_near(c, &box) & allowed;
    } else {
        probe box = load_probe(&s->tree->level[0][block], lane);
        mask = overlap(&c->at[0], &box, false) & allowed;
    }
    return list == NEAR ? drop_neighbours(s, kind, mask, labels, block, lane) : mask;
}

// Those that overlap in double.
TOI_LANE_INLINE unsigned settle(const toi_tree_search *s, const columns *c, int64_t index,
                                uint32_t place, unsigned mask, packet_doubles *doubles)
{
    probe box = load_probe(&s->tree->level[0][place / TOI_BLOCK], place % TOI_BLOCK);
    unsigned doubtful = mask & ~overlap(c, &box, true);
    if (__builtin_expect(doubtful == 0, 1))
        return mask;
    return confirm(s, doubles, mask, doubtful, s->packets->ids + index * TOI_BLOCK,
                   s->tree->ids[place]);
}

// Places of the tree, and which of the packet's boxes each of them meets.
typedef struct meetings
{
    int32_t at[LIST + TOI_BLOCK];
    uint16_t masks[LIST + TOI_BLOCK];
    int count;
} meetings;

// Those places where there is one: of boxes that move they are so few that it is best to drop the
// others, without a branch that nobody can guess; and of faces most places have only neighbours.
TOI_LANE_INLINE void meet_list(const toi_tree_search *s, const shape kind, const moving_columns *c,
                               const label_columns *labels, const probe_list *list, const int which,
                               meetings *some)
{
    some->count = 0;
    for (int i = 0; i < list->count; ++i) {
        unsigned mask = meet(s, kind, c, labels, (uint32_t)list->at[i], 0xffff, which);
        some->at[some->count] = list->at[i];
        some->masks[some->count] = (uint16_t)mask;
        some->count += mask != 0;
    }
}

// The boxes of the packet that stay apart by the margin from that at one place of the tree.
TOI_LANE_INLINE unsigned clear_of_place(const toi_tree_search *s, const middle_columns *middles,
                                        uint32_t place)
{
    middle_probe box = load_middle_probe(s->tree, &s->margin, place);
    return stay_clear(&s->margin, middles, &box);
}

TOI_LANE_INLINE void drop_clear(const toi_tree_search *s, const middle_columns *middles,
                                meetings *some)
{
    int count = some->count;
    some->count = 0;
    for (int i = 0; i < count; ++i) {
        unsigned clear = clear_of_place(s, middles, (uint32_t)some->at[i]);
        unsigned mask = some->masks[i] & ~clear;
        some->at[some->count] = some->at[i];
        some->masks[some->count] = (uint16_t)mask;
        some->count += mask != 0;
    }
}

TOI_LANE_INLINE toi_pair *run_places(const toi_tree_search *s, const shape kind,
                                     const moving_columns *c, const label_columns *labels,
                                     const probe_list *list, const int which, const int32_t *names,
                                     const middle_columns *middles, toi_pair *out)
{
    meetings some;
    meet_list(s, kind, c, labels, list, which, &some);
    if (kind.margin)
        drop_clear(s, middles, &some);
    for (int i = 0; i < some.count; ++i)
        out += toi_write_lanes(out, some.masks[i], names, some.at[i], kind.write, 0);
    return out;
}

// Where boxes are floats: pairs are written as they are found, whether there are any or not.
TOI_LANE_INLINE toi_pair *run_exact(const toi_tree_search *s, const shape kind,
                                    const moving_columns *c, const label_columns *labels,
                                    const probe_list *list, const int which, const int32_t *names,
                                    toi_pair *out)
{
    for (int i = 0; i < list->count; ++i) {
        uint32_t place = (uint32_t)list->at[i];
        unsigned mask = meet(s, kind, c, labels, place, 0xffff, which);
        out += toi_write_lanes(out, mask, names, tree_name(s, kind, place), kind.write, 0);
    }
    return out;
}

// Else places where nothing overlaps are dropped first: to ask about them in double, too, or not
// to, would be a branch that nobody can guess.
TOI_LANE_INLINE toi_pair *run_near(const toi_tree_search *s, const shape kind,
                                   const moving_columns *c, const label_columns *labels,
                                   int64_t index, const probe_list *list, const int which,
                                   packet_doubles *doubles, toi_pair *out)
{
    const int32_t *ids = s->packets->ids + index * TOI_BLOCK;
    meetings some;
    meet_list(s, kind, c, labels, list, which, &some);
    for (int i = 0; i < some.count; ++i) {
        uint32_t place = (uint32_t)some.at[i];
        unsigned mask = settle(s, &c->at[0], index, place, some.masks[i], doubles);
        out += toi_write_lanes(out, mask, ids, s->tree->ids[place], kind.write, 0);
    }
    return out;
}

TOI_LANE_INLINE toi_status run_list(packet *p, const shape kind, const int list)
{
    toi_pair_writer *writer = p->writer;
    probe_list *of = &p->lists[list];
    if (of->count == 0)
        return TOI_OK;
    toi_status status = toi_make_room(writer, (int64_t)of->count * TOI_BLOCK);
    if (status != TOI_OK)
        return status;
    // Copies that no store of pairs can change, so that the loop keeps them in registers.
    const toi_tree tree = *p->search->tree, packets = *p->search->packets;
    toi_tree_search s = *p->search;
    s.marks = p->marks;
    s.tree = &tree;
    s.packets = &packets;
    const moving_columns mine = p->columns;
    const label_columns labels = p->corners;
    const int64_t index = p->index;
    toi_pair *out = writer->buffer + writer->count;
    const int32_t *names = packet_names(p, kind);
    const middle_columns *middles = &p->middles;
    out = kind.places  ? run_places(&s, kind, &mine, &labels, of, list, names, middles, out)
          : kind.exact ? run_exact(&s, kind, &mine, &labels, of, list, names, out)
                       : run_near(&s, kind, &mine, &labels, index, of, list, &p->doubles, out);
    writer->count = out - writer->buffer;
    of->count = 0;
    return TOI_OK;
}

// The packet against itself: each pair of lanes once.
TOI_LANE_INLINE toi_status run_diagonal(packet *p, const shape kind)
{
    toi_pair_writer *writer = p->writer;
    toi_status status = toi_make_room(writer, TOI_BLOCK * TOI_BLOCK);
    if (status != TOI_OK)
        return status;
    int64_t first = p->index * TOI_BLOCK, rest = p->search->tree->count - first;
    int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
    toi_tree_search own = *p->search;
    const toi_tree_search *s = &own;
    own.marks = p->marks;
    const moving_columns mine = p->columns;
    const label_columns labels = p->corners;
    for (int lane = 0; lane + 1 < count; ++lane) {
        uint32_t place = (uint32_t)(first + lane);
        unsigned mask = meet(s, kind, &mine, &labels, place, ~1u << lane & 0xffff, NEAR);
        if (kind.margin)
            mask &= ~clear_of_place(s, &p->middles, place);
        if (!kind.exact)
            mask = settle(s, &mine.at[0], p->index, place, mask, &p->doubles);
        writer->count +=
            toi_write_lanes(writer->buffer + writer->count, mask, packet_names(p, kind),
                            tree_name(s, kind, place), kind.write, 0);
    }
    return TOI_OK;
}

// Lists the boxes of a block that are near the packet.
TOI_LANE_INLINE toi_status list_block(packet *p, const shape kind, int64_t block)
{
    const toi_tree *tree = p->search->tree;
    unsigned mask;
    if (TWO_ENDS(kind)) {
        moving_columns leaf = load_moving(tree, block);
        mask = stay_near(&leaf, &p->ends);
    } else if (kind.moving) {
        columns leaf = load_columns(&tree->level[0][block]);
        mask = overlap(&leaf, &p->ends.at[0], false);
        if (kind.margin && p->search->margin.packets && mask != 0) {
            middle_columns middles = load_middles(tree, block);
            mask &= ~stay_clear(&p->search->margin, &middles, &p->whole);
        }
    } else {
        columns leaf = load_columns(&tree->level[0][block]);
        mask = overlap(&leaf, &p->halves[0], false) | overlap(&leaf, &p->halves[1], false);
    }
    int list = FAR;
    if (kind.packet_corners > 0) {
        toi_label_range labels = tree->ranges[block];
        if ((labels.first <= p->labels.last) & (p->labels.first <= labels.last))
            list = NEAR;
    }
    append_lanes(&p->lists[list], mask, (int32_t)(block * TOI_BLOCK));
    if (p->lists[list].count <= LIST - TOI_BLOCK)
        return TOI_OK;
    return list == NEAR ? run_list(p, kind, NEAR) : run_list(p, kind, FAR);
}

enum
{
    ROOM = 12, // blocks of boxes of blocks: more are taken in turns, since stacks may be small
    FEW = 4
};

// How many blocks a group has room for.
TOI_LANE_INLINE int group_room(const shape kind)
{
    return ROOM * TOI_BLOCK / (TWO_ENDS(kind) ? 2 : 1);
}

typedef struct group group;
typedef toi_status run_group_fn(group *g);

// Sixteen packets go down the tree together: the blocks near all of them are listed, and each
// packet is compared with that list, sixteen blocks at a time.
struct group
{
    run_group_fn *run; // a function of its own: a copy in every caller would take stack in each
    const toi_tree_search *search;
    toi_pair_writer *writer;
    int64_t first, end; // packets
    bool begun;
    bool crowded;      // more blocks than there is room for
    probe_list blocks; // upwards
};

// The box of a block at one end, or over the whole step, quad by quad: a row that was written in
// quads cannot be read as a whole at once.
TOI_LANE_INLINE void copy_block_row(const toi_tree *tree, int64_t block, int end, const shape kind,
                                    toi_box_row *row)
{
    toi_box_quad *to = (toi_box_quad *)row;
    const toi_box_quad *at = kind.moving && !kind.margin
                                 ? (const toi_box_quad *)&tree->ends[block][end]
                                 : (const toi_box_quad *)tree->boxes[block];
    for (int i = 0; i < 2; ++i)
        to[i] = kind.moving && !kind.margin ? at[i] : toi_low_quad(at[2 + i], at[i]);
}

// Starts the search of a packet.
TOI_LANE_INLINE void load_packet(packet *p, const toi_tree_search *s, int64_t index,
                                 toi_pair_writer *writer, const shape kind)
{
    p->search = s;
    p->writer = writer;
    p->index = index;
    p->doubles.fetched = false;
    if (TWO_ENDS(kind)) {
        p->columns = load_moving(s->packets, index);
        for (int end = 0; end < 2; ++end)
            p->ends.at[end] = row_probe(&s->packets->ends[index][end]);
    } else if (kind.moving) {
        toi_box_row box;
        copy_block_row(s->packets, index, 0, kind, &box);
        p->columns.at[0] = load_columns(&s->packets->level[0][index]);
        p->ends.at[0] = row_probe(&box);
        if (kind.margin) {
            p->middles = load_middles(s->packets, index);
            p->whole = middle_of_block(s->packets->ends[index], &s->margin);
        }
    } else {
        p->columns.at[0] = load_columns(&s->packets->level[0][index]);
        for (int h = 0; h < 2; ++h)
            p->halves[h] = row_probe(&s->packets->boxes[index][h]);
    }
    if (kind.packet_corners > 0) {
        p->labels = s->packets->ranges[index];
        p->corners = load_labels(toi_block_labels(s->packets, index, 0), kind.packet_corners);
    }
    p->common = kind.marked && s->tree->common[0] ? s->tree->common[0][index] : -1;
    p->marks = kind.marked ? s->marks + writer->worker * s->label_count : NULL;
    for (int lane = 0; kind.places && lane < TOI_BLOCK; ++lane)
        p->places[lane] = (int32_t)(index * TOI_BLOCK + lane);
    p->lists[NEAR].count = p->lists[FAR].count = 0;
}

TOI_LANE_INLINE toi_status finish_packet(packet *p, const shape kind)
{
    toi_status status = run_list(p, kind, NEAR);
    return status == TOI_OK ? run_list(p, kind, FAR) : status;
}

// The boxes of the group's blocks at both ends, sixteen at a time.
TOI_LANE_INLINE void arrange_blocks(const group *g, toi_tree_block near[], const shape kind)
{
    const int ends = TWO_ENDS(kind) ? 2 : 1;
    for (int first = 0; first < g->blocks.count; first += TOI_BLOCK) {
        int rest = g->blocks.count - first, count = rest < TOI_BLOCK ? rest : TOI_BLOCK;
        for (int end = 0; end < ends; ++end) {
            toi_box_row rows[TOI_BLOCK], halves[2];
            for (int i = 0; i < count; ++i)
                copy_block_row(g->search->tree, g->blocks.at[first + i], end, kind, &rows[i]);
            toi_fill_block(rows, count, &near[ends * (first / TOI_BLOCK) + end], halves);
        }
    }
}

// Places in the group's list of the blocks that come near the packet, from `from` on.
TOI_LANE_INLINE void choose_blocks(const group *g, toi_tree_block near[], const packet *p, int from,
                                   const shape kind, probe_list *chosen)
{
    chosen->count = 0;
    for (int first = from & -TOI_BLOCK; first < g->blocks.count; first += TOI_BLOCK) {
        const toi_tree_block *at = &near[first / TOI_BLOCK * (TWO_ENDS(kind) ? 2 : 1)];
        columns start = load_columns(&at[0]);
        unsigned mask;
        if (TWO_ENDS(kind)) {
            moving_columns c = {{start, load_columns(&at[1])}};
            mask = stay_near(&c, &p->ends);
        } else if (kind.moving) {
            mask = overlap(&start, &p->ends.at[0], false);
        } else {
            mask = overlap(&start, &p->halves[0], false) | overlap(&start, &p->halves[1], false);
        }
        if (first < from)
            mask &= ~0u << (from - first);
        append_lanes(chosen, mask, first);
    }
}

// A packet that went down the tree alone has nothing to choose.
TOI_LANE_INLINE bool is_alone(const group *g, const shape kind)
{
    return !kind.moving && g->end - g->first == 1;
}

// Lists what the packet at hand comes near to, of the group's blocks from `from` on.
TOI_LANE_INLINE toi_status list_chosen(group *g, packet *p, toi_tree_block near[], int from,
                                       const shape kind)
{
    toi_status status = TOI_OK;
    if (is_alone(g, kind)) {
        for (int i = 0; i < g->blocks.count && status == TOI_OK; ++i)
            status = list_block(p, kind, g->blocks.at[i]);
        return status;
    }
    probe_list chosen;
    choose_blocks(g, near, p, from, kind, &chosen);
    for (int i = 0; i < chosen.count && status == TOI_OK; ++i)
        status = list_block(p, kind, g->blocks.at[chosen.at[i]]);
    return status;
}

TOI_LANE_INLINE toi_status run_group(group *g, const shape kind)
{
    _Alignas(64) toi_tree_block near[ROOM]; // as those of a tree
    int from = 0;
    if (!is_alone(g, kind))
        arrange_blocks(g, near, kind);
    for (int64_t index = g->first; index < g->end; ++index) {
        packet p;
        load_packet(&p, g->search, index, g->writer, kind);
        toi_status status = kind.self && !g->begun ? run_diagonal(&p, kind) : TOI_OK;
        while (kind.self && from < g->blocks.count && g->blocks.at[from] <= index)
            ++from;
        if (status == TOI_OK)
            status = list_chosen(g, &p, near, from, kind);
        if (status == TOI_OK)
            status = finish_packet(&p, kind);
        if (status != TOI_OK)
            return status;
    }
    g->begun = true;
    g->blocks.count = 0;
    return TOI_OK;
}

// What walks down the tree: a packet or a group, and after which block of a tree in itself.
typedef struct walker
{
    const toi_tree_search *search;
    probe box;
    int64_t index;
    packet *packet;
    group *group;
} walker;

// Takes a block that is near; false: the walk ends here.
TOI_LANE_INLINE bool visit_block(const walker *w, const shape kind, int64_t block,
                                 toi_status *status)
{
    if (!kind.grouped) {
        *status = list_block(w->packet, kind, block);
        return *status == TOI_OK;
    }
    group *g = w->group;
    if (g->blocks.count == group_room(kind)) {
        g->crowded = !kind.moving && g->end - g->first > 1;
        if (g->crowded)
            return false;
        *status = g->run(g);
    }
    g->blocks.at[g->blocks.count++] = (int32_t)block;
    return *status == TOI_OK;
}

// Children of a block all of whose boxes share a vertex with all of the packet's.
static unsigned find_relatives(const packet *p, int level, int64_t block)
{
    const toi_tree *tree = p->search->tree;
    int64_t first = block * TOI_BLOCK, rest = tree->blocks[level - 1] - first;
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK && i < rest; ++i)
        mask |= (unsigned)(tree->common[level - 1][first + i] == p->common) << i;
    return mask;
}

// Children of a block of the tree that the box overlaps.
TOI_LANE_INLINE unsigned enter_block(const walker *w, const shape kind, int level, int64_t block)
{
    columns c = load_columns(&w->search->tree->level[level][block]);
    unsigned mask = overlap(&c, &w->box, false);
    if (kind.self) { // only blocks after the packet; at upper levels, its own too
        int64_t first = (w->index >> (4 * (level - 1))) - block * TOI_BLOCK + (level == 1);
        if (first > 0)
            mask &= first < TOI_BLOCK ? ~0u << first : 0;
    }
    if (kind.marked && w->packet->common >= 0)
        mask &= ~find_relatives(w->packet, level, block);
    return mask;
}

// Walks down the tree and lists what is near.
TOI_LANE_INLINE toi_status walk(const walker *w, const shape kind)
{
    struct
    {
        int64_t block;
        unsigned mask;
    } stack[TOI_TREE_LEVELS];
    int top = w->search->tree->levels - 1, level = top;
    toi_status status = TOI_OK;
    if (top == 0) { // a single block
        if (!kind.self)
            visit_block(w, kind, 0, &status);
        return status;
    }
    stack[level].block = 0;
    stack[level].mask = enter_block(w, kind, level, 0);
    while (level <= top) {
        if (!stack[level].mask) {
            ++level;
            continue;
        }
        int64_t child = stack[level].block * TOI_BLOCK + __builtin_ctz(stack[level].mask);
        stack[level].mask &= stack[level].mask - 1;
        if (level > 1) {
            --level;
            stack[level].block = child;
            stack[level].mask = enter_block(w, kind, level, child);
            continue;
        }
        if (!visit_block(w, kind, child, &status))
            return status;
    }
    return TOI_OK;
}

// The swept box of some packets.
TOI_LANE_INLINE probe packets_box(const toi_tree *packets, int64_t first, int64_t end)
{
    toi_box_row box = packets->boxes[first][0];
    for (int64_t i = first; i < end; ++i)
        for (int h = 0; h < 2; ++h)
            toi_widen_row(&box, &packets->boxes[i][h]);
    return row_probe(&box);
}

TOI_LANE_INLINE toi_status search_packet(const toi_tree_search *s, int64_t index,
                                         toi_pair_writer *writer, const shape kind)
{
    packet p;
    load_packet(&p, s, index, writer, kind);
    walker w = {s, packets_box(s->packets, index, index + 1), index, &p, NULL};
    toi_status status = kind.self ? run_diagonal(&p, kind) : TOI_OK;
    if (status == TOI_OK)
        status = walk(&w, kind);
    return status == TOI_OK ? finish_packet(&p, kind) : status;
}

// The packets from `first` to before `end`; of boxes that stand still nothing if they are crowded.
TOI_LANE_INLINE toi_status walk_group(group *g, int64_t first, int64_t end, const shape kind)
{
    g->first = first;
    g->end = end;
    g->begun = g->crowded = false;
    g->blocks.count = 0;
    walker w = {g->search, packets_box(g->search->packets, first, end), first, NULL, g};
    toi_status status = walk(&w, kind);
    return status == TOI_OK && !g->crowded ? g->run(g) : status;
}

// A crowded group goes down the tree in fours, or one by one. The pairs of a packet come in the
// same order in any company: if a group is not crowded, none of its packets alone is.
TOI_LANE_INLINE toi_status search_group(const toi_tree_search *s, int64_t first, int64_t end,
                                        toi_pair_writer *writer, const shape kind,
                                        run_group_fn *run)
{
    group g;
    g.run = run;
    g.search = s;
    g.writer = writer;
    toi_status status = TOI_OK;
    int64_t size = end - first, begin = first;
    while (first < end && status == TOI_OK) {
        int64_t next = first + size < end ? first + size : end;
        status = walk_group(&g, first, next, kind);
        if (g.crowded) {
            size = size > FEW ? FEW : 1;
            continue;
        }
        first = next;
        if (size == 1 && (first - begin) % FEW == 0)
            size = FEW;
    }
    return status;
}

// Places of the tree, each with the boxes of the packet that it may be a pair with.
TOI_LANE_INLINE toi_status run_allowed(packet *p, const toi_near_list *list, const shape kind)
{
    toi_pair_writer *writer = p->writer;
    toi_status status = toi_make_room(writer, (int64_t)list->place_count * TOI_BLOCK);
    if (status != TOI_OK)
        return status;
    const toi_tree tree = *p->search->tree;
    toi_tree_search s = *p->search;
    s.tree = &tree;
    const moving_columns mine = p->columns;
    toi_pair *out = writer->buffer + writer->count;
    for (int i = 0; i < list->place_count; ++i) {
        uint32_t place = (uint32_t)list->places[i];
        unsigned mask = meet(&s, kind, &mine, &p->corners, place, list->allowed[i], FAR);
        out += toi_write_lanes(out, mask, p->places, (int32_t)place, kind.write, 0);
    }
    writer->count = out - writer->buffer;
    return TOI_OK;
}

TOI_LANE_INLINE toi_status search_listed(const toi_tree_search *s, int64_t index,
                                         const toi_near_list *list, toi_pair_writer *writer,
                                         const shape kind)
{
    packet p;
    load_packet(&p, s, index, writer, kind);
    toi_status status = list->diagonal ? run_diagonal(&p, kind) : TOI_OK;
    for (int i = 0; i < list->block_count && status == TOI_OK; ++i)
        status = list_block(&p, kind, list->blocks[i]);
    if (status == TOI_OK)
        status = finish_packet(&p, kind);
    return status == TOI_OK ? run_allowed(&p, list, kind) : status;
}

// A kernel for each kind of search, of groups of packets.
#define KERNEL(name, ...)                                                                          \
    static __attribute__((noinline)) toi_status run_##name(group *g)                               \
    {                                                                                              \
        return run_group(g, (shape){__VA_ARGS__, .grouped = true});                                \
    }                                                                                              \
    static toi_status name(const toi_tree_search *s, int64_t first, int64_t end,                   \
                           toi_pair_writer *w)                                                     \
    {                                                                                              \
        return search_group(s, first, end, w, (shape){__VA_ARGS__, .grouped = true}, run_##name);  \
    }

// Boxes that stand still.
#define KERNELS(name, self, packet_corners, tree_corners, write)                                   \
    KERNEL(name##_exact, self, packet_corners, tree_corners, write, .exact = true)                 \
    KERNEL(name##_near, self, packet_corners, tree_corners, write)

KERNELS(boxes_alone, true, 0, 0, TOI_WRITE_SORTED)
KERNELS(boxes_between, false, 0, 0, TOI_WRITE_PROBE_SECOND)
KERNELS(edges, true, 2, 2, TOI_WRITE_SORTED)
KERNELS(faces_in_vertices, false, 3, 1, TOI_WRITE_PROBE_FIRST)

// Faces in faces, whose boxes are floats always.
static toi_status search_faces(const toi_tree_search *s, int64_t index, toi_pair_writer *w)
{
    uint16_t *marks = s->marks + w->worker * s->label_count;
    const int32_t *labels = toi_block_labels(s->packets, index, 0);
    int64_t rest = s->packets->count - index * TOI_BLOCK;
    int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
    mark_labels(labels, count, true, marks);
    toi_status status = search_packet(
        s, index, w,
        (shape){true, 3, 3, TOI_WRITE_PROBE_FIRST, .exact = true, .places = true, .marked = true});
    mark_labels(labels, count, false, marks);
    return status;
}

static toi_status faces(const toi_tree_search *s, int64_t first, int64_t end, toi_pair_writer *w)
{
    toi_status status = TOI_OK;
    for (int64_t index = first; index < end && status == TOI_OK; ++index)
        status = search_faces(s, index, w);
    return status;
}

// Primitives that move: which pairs there are is decided in single precision.
#define MOVING TOI_WRITE_PROBE_FIRST, .exact = true, .places = true, .moving = true
#define MOVING_KERNELS(name, ...)                                                                  \
    KERNEL(moving_##name, __VA_ARGS__, MOVING)                                                     \
    KERNEL(moving_##name##_with_margin, __VA_ARGS__, MOVING, .margin = true)                       \
    KERNEL(still_##name, __VA_ARGS__, MOVING, .still = true)

MOVING_KERNELS(edges, true, 2, 2)
MOVING_KERNELS(faces, false, 3, 1)

static toi_search_packets_fn *choose_moving(const toi_tree_search *s)
{
    bool margin = s->margin.square > 0;
    if (s->packets->corners == 2)
        return s->still ? still_edges : margin ? moving_edges_with_margin : moving_edges;
    return s->still ? still_faces : margin ? moving_faces_with_margin : moving_faces;
}

toi_search_listed_fn TOI_ISA_NAME(toi_search_listed);
toi_status TOI_ISA_NAME(toi_search_listed)(const toi_tree_search *s, int64_t index,
                                           const toi_near_list *list, toi_pair_writer *writer)
{
    return s->packets == s->tree
               ? search_listed(s, index, list, writer, (shape){true, 2, 2, MOVING})
               : search_listed(s, index, list, writer, (shape){false, 3, 1, MOVING});
}

static toi_search_packets_fn *choose_kernel(const toi_tree_search *s)
{
    bool exact = s->packets->exact && s->tree->exact, self = s->packets == s->tree;
    switch (s->packets->corners) {
    case 2:
        return exact ? edges_exact : edges_near;
    case 3:
        return self ? faces : exact ? faces_in_vertices_exact : faces_in_vertices_near;
    default:
        if (self)
            return exact ? boxes_alone_exact : boxes_alone_near;
        return exact ? boxes_between_exact : boxes_between_near;
    }
}

toi_search_packets_fn TOI_ISA_NAME(toi_search_packets);
toi_status TOI_ISA_NAME(toi_search_packets)(const toi_tree_search *s, int64_t first, int64_t end,
                                            toi_pair_writer *writer)
{
    return (s->packets->far ? choose_moving(s) : choose_kernel(s))(s, first, end, writer);
}
