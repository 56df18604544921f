// Kernels of steps with memory: bounds of blocks, blocks near a packet, budgets and the pairs that
// they leave. Compiled once for each instruction set.

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "broad/tree/compare_isa.h"
#include "kernel/closest.h"
#include "track/kept.h"

#include <float.h>

// ---- Bounds

typedef toi_quad quad;

TOI_INLINE quad least_quad(quad a, quad b)
{
#if defined(__SSE2__)
    return (quad)_mm_min_ps((__m128)a, (__m128)b);
#else
    typedef int32_t bits __attribute__((vector_size(16)));
    bits less = a < b;
    return (quad)((less & (bits)a) | (~less & (bits)b));
#endif
}

TOI_INLINE quad quad_size(quad a)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    return (quad)((bits)a & INT32_MAX);
}

// Writes four boxes as columns.
TOI_INLINE void put_four(const quad low[4], const quad high[4], int at, toi_tree_block *block)
{
    for (int side = 0; side < 2; ++side) {
        quad sides[3];
        toi_turn_quads(side ? high : low, sides);
        for (int k = 0; k < 3; ++k) {
            quad values = side ? 0 - sides[k] : sides[k]; // tree.h
            memcpy(&block->bound[3 * side + k][at], &values, sizeof values);
        }
    }
}

static void clear_idle_lanes(toi_tree_block *block, int count)
{
    for (int s = 0; s < TOI_SIDES; ++s)
        for (int i = count; i < TOI_BLOCK; ++i)
            block->bound[s][i] = s < 3 ? INFINITY : -INFINITY; // apart from everything
}

// The bounds of a block at one end. Idle lanes are filled like the last one first.
TOI_INLINE void fill_end(const toi_refit *r, const int32_t *labels, int corners, int count, int end,
                         toi_tree_block *block, toi_box_row *whole)
{
    const quad pad = {r->pad, r->pad, r->pad, 0};
    quad least = {INFINITY, INFINITY, INFINITY, 0}, most = least;
    for (int i = 0; i < TOI_BLOCK; i += 4) {
        quad low[4], high[4];
        for (int j = 0; j < 4; ++j) {
            int lane = i + j < count ? i + j : count - 1;
            low[j] = ((const quad *)&r->rows[labels[lane]])[end];
            high[j] = -low[j];
            for (int c = 1; c < corners; ++c) {
                quad x = ((const quad *)&r->rows[labels[c * TOI_BLOCK + lane]])[end];
                low[j] = least_quad(x, low[j]);
                high[j] = least_quad(-x, high[j]);
            }
            low[j] -= pad;
            high[j] -= pad;
            least = least_quad(low[j], least);
            most = least_quad(high[j], most);
        }
        put_four(low, high, i, block);
    }
    ((quad *)whole)[0] = least;
    ((quad *)whole)[1] = most;
    if (count < TOI_BLOCK)
        clear_idle_lanes(block, count);
}

// The box of the displacements. A difference of two floats is off by u of itself; four are allowed
// for, and one is lost again.
TOI_INLINE void fill_way(const toi_refit *r, const int32_t *labels, int corners, int count,
                         toi_box_row *way)
{
    quad least = {INFINITY, INFINITY, INFINITY, 0}, most = least;
    for (int c = 0; c < corners; ++c)
        for (int i = 0; i < count; ++i) {
            const quad *ends = (const quad *)&r->rows[labels[c * TOI_BLOCK + i]];
            quad d = ends[1] - ends[0];
            least = least_quad(d, least);
            most = least_quad(-d, most);
        }
    ((quad *)way)[0] = least - quad_size(least) * 0x1p-22f;
    ((quad *)way)[1] = most - quad_size(most) * 0x1p-22f;
}

TOI_INLINE void refit_blocks(const toi_refit *r, int64_t first, int64_t end, const int corners)
{
    const toi_tree *tree = &r->kept->tree;
    for (int64_t b = first; b < end; ++b) {
        int64_t rest = tree->count - b * TOI_BLOCK;
        int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
        const int32_t *labels = toi_block_labels(tree, b, 0);
        if (r->kept->ways)
            fill_way(r, labels, corners, count, &r->kept->ways[b]);
        if (r->ways_alone)
            continue;
        if (r->start == TOI_START_AT_END)
            tree->ends[b][0] = tree->ends[b][1];
        else if (r->start == TOI_START_ELSEWHERE)
            fill_end(r, labels, corners, count, 0, &tree->level[0][b], &tree->ends[b][0]);
        fill_end(r, labels, corners, count, 1, &tree->far[b], &tree->ends[b][1]);
    }
}

toi_refit_blocks_fn TOI_ISA_NAME(toi_refit_blocks);
void TOI_ISA_NAME(toi_refit_blocks)(const toi_refit *r, int64_t first, int64_t end)
{
    switch (r->kept->tree.corners) {
    case 1:
        refit_blocks(r, first, end, 1);
        break;
    case 2:
        refit_blocks(r, first, end, 2);
        break;
    default:
        refit_blocks(r, first, end, 3);
    }
}

// ---- Blocks near a packet

// Children of a block of the tree that the box overlaps; of a tree in itself those after the packet
// and, where they are blocks of blocks, its own.
TOI_INLINE unsigned enter_block(const toi_tree *tree, const probe *box, int64_t packet, bool self,
                                int level, int64_t block)
{
    columns c = load_columns(&tree->level[level][block]);
    unsigned mask = overlap(&c, box, false);
    int64_t first = (packet >> (4 * (level - 1))) - block * TOI_BLOCK + (level == 1);
    if (self && first > 0)
        mask &= first < TOI_BLOCK ? ~0u << first : 0;
    return mask;
}

toi_near_blocks_fn TOI_ISA_NAME(toi_near_blocks);
int64_t TOI_ISA_NAME(toi_near_blocks)(const toi_tree *packets, const toi_tree *tree, int64_t packet,
                                      int32_t *blocks)
{
    struct
    {
        int64_t block;
        unsigned mask;
    } stack[TOI_TREE_LEVELS];
    bool self = packets == tree;
    int64_t count = 0;
    probe box = row_probe(&packets->boxes[packet][0]);
    if (self || tree->levels == 1) {
        if (blocks)
            blocks[count] = self ? (int32_t)packet : 0;
        ++count;
    }
    int top = tree->levels - 1, level = top;
    if (top == 0)
        return count;
    stack[level].block = 0;
    stack[level].mask = enter_block(tree, &box, packet, self, level, 0);
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
            stack[level].mask = enter_block(tree, &box, packet, self, level, child);
            continue;
        }
        if (blocks)
            blocks[count] = (int32_t)child;
        ++count;
    }
    return count;
}

// ---- Budgets

// A box with its sides in each other's place, negated.
TOI_INLINE void gaps_of(const toi_box_row *a, const toi_box_row *b, quad gaps[2])
{
    gaps[0] = ((const quad *)a)[0] + ((const quad *)b)[1];
    gaps[1] = ((const quad *)a)[1] + ((const quad *)b)[0];
}

// About the square of how far a point of the one block and a point of the other can move relative
// to each other. On an axis that is the larger of both differences of opposite sides.
TOI_INLINE float relative_square(const toi_box_row *a, const toi_box_row *b)
{
    quad gaps[2];
    gaps_of(a, b, gaps);
    quad way = least_quad(gaps[0], gaps[1]), square = way * way;
    return square[0] + square[1] + square[2];
}

// No less than that way: u of it is lost in the difference and 3 u in the square, the sum and the
// root.
TOI_INLINE float relative_way(float square)
{
    return __builtin_sqrtf(square) * (1 + 0x1p-20f) + 0x1p-60f;
}

// What is left of a budget: never more than the difference. 4 u are allowed for, two are lost.
TOI_INLINE float spend(float budget, float way)
{
    return budget * (1 - 0x1p-22f) - way;
}

// What a budget was before that, or less.
TOI_INLINE float give_back_way(float left, float way)
{
    float budget = left + way;
    return budget - (left < 0 ? -left + way : budget) * 0x1p-22f;
}

// How far two boxes are apart on an axis, from below; 0 or less: they may overlap.
TOI_INLINE float axis_gap(const toi_box_row *a, const toi_box_row *b)
{
    quad gaps[2];
    gaps_of(a, b, gaps);
    quad most = -least_quad(-gaps[0], -gaps[1]);
    float xy = most[0] > most[1] ? most[0] : most[1];
    return (most[2] > xy ? most[2] : xy) * (1 - 0x1p-20f);
}

// Pairs whose distance is to be measured.
enum
{
    WORK = 256
};
typedef struct work
{
    int count;
    int64_t entry[WORK + TOI_BLOCK];
    int32_t slot[WORK + TOI_BLOCK];
    toi_pair pairs[WORK + TOI_BLOCK]; // by place: in the tree, in the packets
    float first[WORK + TOI_BLOCK];    // how far it is to the next tick of the entry
    float rate[WORK + TOI_BLOCK];     // ticks a length
} work;

TOI_INLINE int32_t corner_at(const toi_tree *tree, int corners, int32_t place, int c)
{
    int32_t lane = place % TOI_BLOCK;
    return tree->labels[(int64_t)(place - lane) * corners + c * TOI_BLOCK + lane];
}

// Differences at t = 0.
typedef struct start_rows
{
    quad p[TOI_LANES], e[TOI_LANES], g[TOI_LANES];
} start_rows;

TOI_INLINE void put_pair(int edge_edge, const toi_budget_search *s, const toi_pair *pair, int lane,
                         start_rows *rows)
{
    int first = edge_edge ? 2 : 1;
    quad x[4];
    for (int c = 0; c < 4; ++c) {
        int32_t place = c < first ? corner_at(s->search.tree, first, pair->a, c)
                                  : corner_at(s->search.packets, 4 - first, pair->b, c - first);
        x[c] = *(const quad *)&s->rows[place];
    }
    rows->p[lane] = TOI_P_OF(edge_edge, x);
    rows->e[lane] = TOI_E_OF(edge_edge, x);
    rows->g[lane] = TOI_G_OF(edge_edge, x);
}

// The rows as lanes, at both ends of a motion that stands still.
TOI_INLINE void take_columns(const quad rows[TOI_LANES], toi_real at[2][3])
{
    float sides[3][TOI_LANES] __attribute__((aligned(64)));
    for (int i = 0; i < TOI_LANES; i += 4) {
        quad a = __builtin_shufflevector(rows[i], rows[i + 1], 0, 4, 1, 5);
        quad b = __builtin_shufflevector(rows[i + 2], rows[i + 3], 0, 4, 1, 5);
        quad c = __builtin_shufflevector(rows[i], rows[i + 1], 2, 6, 3, 7);
        quad d = __builtin_shufflevector(rows[i + 2], rows[i + 3], 2, 6, 3, 7);
        *(quad *)&sides[0][i] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
        *(quad *)&sides[1][i] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
        *(quad *)&sides[2][i] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    }
    for (int k = 0; k < 3; ++k) {
        memcpy(&at[0][k], sides[k], sizeof at[0][k]);
        at[1][k] = at[0][k];
    }
}

// How far the primitives are apart at t = 0, from below: (d.w - slack) / |d|, d the nearest point
// about, w the corner where d.w is least; toi_direction_slack() is for rounding. 4 u are lost in
// the length and 2 u in what is done here, 16 u are allowed for.
TOI_INLINE toi_real least_distance(int edge_edge, const toi_pair_motion *m)
{
    const toi_real none = TOI_SPREAD(0);
    toi_near_point near;
    toi_find_near_point(edge_edge, m->p[0], m->e[0], m->g[0], &near);
    toi_real w[TOI_MAX_CORNERS][3];
    int corners = toi_corners(edge_edge, m, w) / 2;
    toi_real low = toi_dot(near.f, w[0]);
    for (int c = 1; c < corners; ++c)
        low = toi_min(low, toi_dot(near.f, w[c]));
    low -= toi_direction_slack(m, near.f, &none) * (1 + 0x1p-20f);
    return low / toi_sqrt(toi_dot(near.f, near.f) + 0x1p-100f) * (1 - 0x1p-20f);
}

// Bit j: row j is not empty.
TOI_INLINE unsigned rows_used(const toi_pair_mask *mask)
{
#if defined(__SSE2__)
    const __m128i *halves = (const __m128i *)mask->row, none = _mm_setzero_si128();
    __m128i low = _mm_cmpeq_epi16(_mm_load_si128(halves), none);
    __m128i high = _mm_cmpeq_epi16(_mm_load_si128(halves + 1), none);
    return ~(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & 0xffff;
#else
    unsigned used = 0;
    for (int j = 0; j < TOI_BLOCK; ++j)
        used |= (unsigned)(mask->row[j] != 0) << j;
    return used;
#endif
}

// ---- Levels
//
// A pair of level l > 0 need not be looked at before the l-th tick from now; that of level 0 may
// meet before the first. FAR_LEVEL: not before the entry's reach has passed.

enum
{
    FAR_LEVEL = (1 << TOI_LEVEL_BITS) - 1,
    MOST_LEVEL = FAR_LEVEL - 1
};

TOI_INLINE void set_level(toi_pair_levels *levels, int row, int lane, int level)
{
    uint16_t bit = (uint16_t)(1u << lane);
    for (int k = 0; k < TOI_LEVEL_BITS; ++k) {
        uint16_t *word = &levels->bit[k].row[row];
        *word = (uint16_t)((*word & ~bit) | (-(level >> k & 1) & bit));
    }
}

// A mask as words, which the compiler may take at once.
typedef uint64_t words __attribute__((vector_size(sizeof(toi_pair_mask))));

// Takes `ticks` from all levels but FAR_LEVEL. `due` are those that had no more; their level is 0.
TOI_INLINE void pass_ticks(toi_pair_levels *levels, int ticks, toi_pair_mask *due)
{
    words *bits = (words *)levels, difference[TOI_LEVEL_BITS];
    words borrow = {0}, some = {0}, away = ~borrow;
    for (int k = 0; k < TOI_LEVEL_BITS; ++k) {
        words a = bits[k];
        if (ticks >> k & 1) {
            difference[k] = ~(a ^ borrow);
            borrow = ~a | borrow;
        } else {
            difference[k] = a ^ borrow;
            borrow = ~a & borrow;
        }
        away &= a;
        some |= difference[k];
    }
    words late = (borrow | ~some) & ~away;
    for (int k = 0; k < TOI_LEVEL_BITS; ++k)
        bits[k] = (difference[k] & ~late) | away;
    *(words *)due = late;
}

// Gives measured pairs their levels. A pair that is `gap` beyond the reserve apart stays so until
// the tick at first + (l - 1) unit where that is at most the gap. With all of them below 16 units,
// five roundings are below 2^-18 of a unit.
TOI_INLINE void measure(int edge_edge, const toi_budget_search *s, work *todo)
{
    start_rows rows;
    const toi_block_front *front = s->front;
    for (int i = 0; i < todo->count; i += TOI_LANES) {
        int lanes = todo->count - i < TOI_LANES ? todo->count - i : TOI_LANES;
        for (int lane = 0; lane < TOI_LANES; ++lane)
            put_pair(edge_edge, s, &todo->pairs[i + (lane < lanes ? lane : 0)], lane, &rows);
        toi_pair_motion m;
        toi_real first, rate;
        float ticks[TOI_LANES];
        take_columns(rows.p, m.p);
        take_columns(rows.e, m.e);
        take_columns(rows.g, m.g);
        memcpy(&first, &todo->first[i], sizeof first);
        memcpy(&rate, &todo->rate[i], sizeof rate);
        toi_mask wild = toi_measure_single(&m);
        toi_real late = (least_distance(edge_edge, &m) - s->reserve - first) * rate;
        late = TOI_SELECT(wild, TOI_SPREAD(-1), late - 0x1p-16f);
        memcpy(ticks, &late, sizeof ticks);
        for (int lane = 0; lane < lanes; ++lane) {
            float t = ticks[lane];
            int level = !(t > 0) ? 0 : t < MOST_LEVEL - 1 ? (int)t + 1 : MOST_LEVEL;
            const toi_pair *pair = &todo->pairs[i + lane];
            int32_t slot = todo->slot[i + lane];
            int row = pair->a % TOI_BLOCK, column = pair->b % TOI_BLOCK;
            set_level(&front->levels[slot], row, column, level);
            if (level == 0) {
                front->masks[slot].row[row] |= (uint16_t)(1u << column);
                front->any[todo->entry[i + lane]] = true;
            }
        }
    }
    todo->count = 0;
}

// Finite: idle lanes lie beyond it.
TOI_INLINE probe enlarged(probe box, float by)
{
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = box.lo[k] - by > -FLT_MAX ? box.lo[k] - by : -FLT_MAX;
        box.hi[k] = box.hi[k] + by < FLT_MAX ? box.hi[k] + by : FLT_MAX;
    }
    return box;
}

TOI_INLINE unsigned drop_neighbours(int edge_edge, const toi_budget_search *s, unsigned mask,
                                    int64_t packet, int64_t block, int lane)
{
    const toi_tree *tree = s->search.tree, *packets = s->search.packets;
    const int theirs = edge_edge ? 2 : 1, ours = edge_edge ? 2 : 3;
    label_columns corners = load_labels(packets->labels + packet * ours * TOI_BLOCK, ours);
    return differ(mask, &corners, ours, tree->labels + block * theirs * TOI_BLOCK + lane, theirs);
}

// Two blocks whose budget is looked at.
typedef struct visit
{
    int64_t packet, entry;
    int32_t slot;
    float way;   // in this step
    float first; // from now to the next tick
    float unit;  // from tick to tick
    float rate;  // ticks a length
} visit;

TOI_INLINE void clear_mask(toi_block_front *front, const visit *v)
{
    memset(&front->masks[v->slot], 0, sizeof front->masks[v->slot]);
    front->any[v->entry] = false;
}

// Pairs of a box of the tree.
TOI_INLINE void list_row(int edge_edge, const toi_budget_search *s, const visit *v, int row,
                         unsigned mask, work *todo)
{
    int32_t other = s->front->other[v->entry];
    for (; mask; mask &= mask - 1) {
        todo->entry[todo->count] = v->entry;
        todo->slot[todo->count] = v->slot;
        todo->pairs[todo->count] = (toi_pair){
            other * TOI_BLOCK + row, (int32_t)(v->packet * TOI_BLOCK + __builtin_ctz(mask))};
        todo->first[todo->count] = v->first;
        todo->rate[todo->count++] = v->rate;
    }
    if (todo->count > WORK - TOI_BLOCK)
        measure(edge_edge, s, todo);
}

// Lists pairs of FAR_LEVEL that are not farther apart at t = 0 than `need` on an axis.
TOI_INLINE void list_close(int edge_edge, const toi_budget_search *s, const visit *v, float need,
                           work *todo)
{
    const toi_tree *tree = s->search.tree, *packets = s->search.packets;
    int64_t other = s->front->other[v->entry], packet = v->packet;
    const toi_pair_mask *bits = s->front->levels[v->slot].bit;
    bool own = edge_edge && other == packet;
    const toi_label_range mine = packets->ranges[packet], labels = tree->ranges[other];
    bool related = labels.first <= mine.last && mine.first <= labels.last;
    columns ours = load_columns(&packets->level[0][packet]);
    columns theirs = load_columns(&tree->level[0][other]);
    probe whole = enlarged(row_probe(&packets->ends[packet][0]), need);
    unsigned lanes = overlap(&theirs, &whole, false);
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        unsigned mask = 0xffff;
        for (int k = 0; k < TOI_LEVEL_BITS; ++k)
            mask &= bits[k].row[lane];
        if (!mask)
            continue;
        probe box = enlarged(load_probe(&tree->level[0][other], lane), need);
        mask &= overlap(&ours, &box, false);
        if (own)
            mask &= ~1u << lane;
        if (related && mask)
            mask = drop_neighbours(edge_edge, s, mask, packet, other, lane);
        list_row(edge_edge, s, v, lane, mask, todo);
    }
}

enum
{
    UNIT_STEPS = 4,  // that a unit lasts, about
    LEAST_REACH = 2, // where less is allowed, budgets do not pay
    MOST_REACH = 3   // more makes the first step dear
};

// Lets pairs of FAR_LEVEL be for as many units as they may; no pair that is closer stays one.
TOI_INLINE void extend_reach(int edge_edge, const toi_budget_search *s, const visit *v, work *todo)
{
    float most = s->most / v->unit;
    int reach = most < MOST_REACH ? (int)most : MOST_REACH;
    float need = (v->first + (float)(reach - 1) * v->unit + s->reserve) * (1 + 0x1p-20f);
    s->front->reach[v->entry] = (uint8_t)reach;
    list_close(edge_edge, s, v, need, todo);
}

// How far the blocks are apart beyond the reserve.
TOI_INLINE float block_gap(int edge_edge, const toi_budget_search *s, const visit *v)
{
    int64_t other = s->front->other[v->entry];
    if (edge_edge && other == v->packet)
        return -1;
    float gap = axis_gap(&s->search.packets->ends[v->packet][0], &s->search.tree->ends[other][0]);
    return (gap - s->reserve) * (1 - 0x1p-20f);
}

// Begins to know of two blocks; what is left of their budget after this step.
TOI_INLINE float begin_levels(int edge_edge, const toi_budget_search *s, visit *v, work *todo)
{
    toi_block_front *front = s->front;
    v->unit = UNIT_STEPS * v->way > s->least ? UNIT_STEPS * v->way : s->least;
    v->first = v->unit;
    v->rate = 1 / v->unit;
    front->unit[v->entry] = 0;
    if (!(LEAST_REACH * v->unit <= s->most))
        return -INFINITY;
    float gap = block_gap(edge_edge, s, v);
    clear_mask(front, v);
    if (gap > 2 * v->way) // no pair need be looked at, and this is cheap to find out again
        return spend(gap, v->way);
    memset(&front->levels[v->slot], ~0, sizeof front->levels[v->slot]);
    front->unit[v->entry] = v->unit;
    extend_reach(edge_edge, s, v, todo);
    return spend(v->first, v->way);
}

// How many ticks pass if `left` remains until the first at the start of this step; 0: too many.
// The next one is never later than by the units: with all of them below 16 units, three roundings
// are below 2^-18 of a unit.
TOI_INLINE int count_ticks(visit *v, float left)
{
    float units = (v->way - left) / v->unit;
    if (!(units < MOST_LEVEL) || !(left > -MOST_LEVEL * v->unit))
        return 0;
    for (int ticks = units > 0 ? (int)units + 1 : 1; ticks <= MOST_LEVEL; ++ticks) {
        v->first = left + (float)ticks * v->unit - 0x1p-17f * v->unit;
        if (spend(v->first, v->way) > 0)
            return ticks;
    }
    return 0;
}

TOI_INLINE bool does_unit_fit(const toi_budget_search *s, const visit *v)
{
    return v->unit > v->way && (v->unit < 4 * UNIT_STEPS * v->way || v->unit <= s->least);
}

// Measures again what is due.
TOI_INLINE float pass_tick(int edge_edge, const toi_budget_search *s, visit *v, float left,
                           work *todo)
{
    toi_block_front *front = s->front;
    v->unit = front->unit[v->entry];
    v->rate = 1 / v->unit;
    int ticks = v->unit > 0 ? count_ticks(v, left) : 0;
    bool last = front->reach[v->entry] <= ticks;
    if (ticks == 0 || (last && !does_unit_fit(s, v)))
        return begin_levels(edge_edge, s, v, todo);
    toi_pair_mask due;
    pass_ticks(&front->levels[v->slot], ticks, &due);
    clear_mask(front, v);
    for (unsigned rows = rows_used(&due); rows; rows &= rows - 1) {
        int row = __builtin_ctz(rows);
        list_row(edge_edge, s, v, row, due.row[row], todo);
    }
    front->reach[v->entry] -= (uint8_t)(last ? 0 : ticks);
    if (last)
        extend_reach(edge_edge, s, v, todo);
    return spend(v->first, v->way);
}

TOI_INLINE void spend_and_renew(int edge_edge, const toi_budget_search *s, int64_t packet)
{
    enum
    {
        AT_ONCE = 64
    };
    toi_block_front *front = s->front;
    const toi_box_row mine = s->packet_ways[packet];
    float ways[AT_ONCE], left[AT_ONCE];
    work todo;
    todo.count = 0;
    for (int64_t i = front->start[packet], end = front->start[packet + 1]; i < end; i += AT_ONCE) {
        int count = end - i < AT_ONCE ? (int)(end - i) : AT_ONCE;
        for (int j = 0; j < count; ++j)
            ways[j] = relative_square(&mine, &s->tree_ways[front->other[i + j]]);
        for (int j = 0; j < count; ++j) {
            ways[j] = relative_way(ways[j]);
            left[j] = spend(front->budget[i + j], ways[j]);
        }
        for (int j = 0; j < count; ++j)
            if (!(left[j] > 0)) {
                visit v = {packet, i + j, front->slot[i + j], ways[j], 0, 0, 0};
                left[j] = pass_tick(edge_edge, s, &v, front->budget[i + j], &todo);
            }
        memcpy(&front->budget[i], left, (size_t)count * sizeof *left);
    }
    if (todo.count > 0)
        measure(edge_edge, s, &todo);
}

toi_spend_fn TOI_ISA_NAME(toi_spend);
void TOI_ISA_NAME(toi_spend)(const toi_budget_search *s, int64_t packet, bool back)
{
    const toi_block_front *front = s->front;
    for (int64_t i = front->start[packet]; i < front->start[packet + 1]; ++i) {
        float square = relative_square(&s->packet_ways[packet], &s->tree_ways[front->other[i]]);
        float way = relative_way(square), budget = front->budget[i];
        front->budget[i] = back ? give_back_way(budget, way) : spend(budget, way);
    }
}

// What budgets leave of a packet, a part of it at a time.
typedef struct left_over
{
    const toi_budget_search *search;
    int64_t packet;
    toi_pair_writer *writer;
    toi_near_list list;
    int32_t blocks[TOI_LONGEST_LIST];
    int32_t places[TOI_LONGEST_LIST];
    uint16_t allowed[TOI_LONGEST_LIST];
} left_over;

toi_search_listed_fn TOI_ISA_NAME(toi_search_listed);

static toi_status search_left_over(left_over *l)
{
    toi_status status = TOI_OK;
    if (l->list.block_count + l->list.place_count > 0 || l->list.diagonal)
        status =
            TOI_ISA_NAME(toi_search_listed)(&l->search->search, l->packet, &l->list, l->writer);
    l->list.block_count = l->list.place_count = 0;
    l->list.diagonal = false;
    return status;
}

TOI_INLINE void list_entry(left_over *l, int64_t entry)
{
    const toi_block_front *front = l->search->front;
    int32_t other = front->other[entry];
    if (!(front->budget[entry] > 0)) {
        if (l->search->search.packets == l->search->search.tree && other == l->packet)
            l->list.diagonal = true;
        else
            l->blocks[l->list.block_count++] = other;
        return;
    }
    if (!front->any[entry])
        return;
    const toi_pair_mask *mask = &front->masks[front->slot[entry]];
    for (unsigned rows = rows_used(mask); rows; rows &= rows - 1) {
        int j = __builtin_ctz(rows);
        l->places[l->list.place_count] = other * TOI_BLOCK + j;
        l->allowed[l->list.place_count++] = mask->row[j];
    }
}

toi_search_budgets_fn TOI_ISA_NAME(toi_search_budgets);
toi_status TOI_ISA_NAME(toi_search_budgets)(const toi_budget_search *s, int64_t packet,
                                            toi_pair_writer *writer)
{
    const toi_block_front *front = s->front;
    if (s->search.packets == s->search.tree)
        spend_and_renew(1, s, packet);
    else
        spend_and_renew(0, s, packet);
    left_over l;
    l.search = s;
    l.packet = packet;
    l.writer = writer;
    l.list = (toi_near_list){.blocks = l.blocks, .places = l.places, .allowed = l.allowed};
    toi_status status = TOI_OK;
    for (int64_t i = front->start[packet]; i < front->start[packet + 1] && status == TOI_OK; ++i) {
        list_entry(&l, i);
        if (l.list.block_count == TOI_LONGEST_LIST ||
            l.list.place_count > TOI_LONGEST_LIST - TOI_BLOCK)
            status = search_left_over(&l);
    }
    return status == TOI_OK ? search_left_over(&l) : status;
}
