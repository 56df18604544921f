// The test tree and its front. A node {n, n} of the test tree asks about the elements below n among
// each other, a node {a, b} about those below a against those below b. The front is where a walk
// ends: at volumes that are apart, and at pairs of elements. It covers all pairs of elements at any
// time, so a walk may start from it as well as from the root: docs/tracking.md.

#include "track/literature/mccd.h"

#include <string.h>

enum
{
    MOST_PENDING = 1 + 2 * 2 * TOI_MOST_DEPTH, // nodes of a walk: three for one, a level
    BLOCK_NODES = 1024                         // of a front, that are handed to a worker at once
};

// In place of a node that is replaced by others, or by none. No node of a front is like it.
static const toi_pair REPLACED = {INT32_MIN, 0};

// How many nodes replace one, in front of them.
static toi_pair make_header(int64_t count)
{
    return (toi_pair){(int32_t)(count >> 31), (int32_t)(count & INT32_MAX)};
}

static int64_t read_header(toi_pair header)
{
    return (int64_t)header.a << 31 | header.b;
}

// ---- The test tree

static inline bool is_leaf_pair(const toi_hierarchy *tree, toi_pair node)
{
    return toi_is_leaf(tree, node.a) && toi_is_leaf(tree, node.b);
}

static bool is_node(const toi_walk *walk, toi_pair node)
{
    const toi_hierarchy *tree = walk->tree;
    if (!is_leaf_pair(tree, node))
        return true;
    return node.a != node.b &&
           !(walk->orphans &&
             toi_are_adjacent(walk->elements, ~tree->right[node.a], ~tree->right[node.b]));
}

// Its children, in order; returns how many. Two elements have none.
static int find_children(const toi_walk *walk, toi_pair node, toi_pair children[3])
{
    const toi_hierarchy *tree = walk->tree;
    int32_t a = node.a, b = node.b;
    int all = 2, count = 0;
    toi_pair list[3];
    if (a == b) {
        list[0] = (toi_pair){a + 1, a + 1};
        list[1] = (toi_pair){tree->right[a], tree->right[a]};
        list[2] = (toi_pair){a + 1, tree->right[a]};
        all = 3;
    } else if (!toi_is_leaf(tree, a)) {
        list[0] = (toi_pair){a + 1, b};
        list[1] = (toi_pair){tree->right[a], b};
    } else {
        list[0] = (toi_pair){a, b + 1};
        list[1] = (toi_pair){a, tree->right[b]};
    }
    for (int i = 0; i < all; ++i)
        if (is_node(walk, list[i]))
            children[count++] = list[i];
    return count;
}

static inline __attribute__((always_inline)) bool are_apart(const toi_hierarchy *tree,
                                                            toi_pair node, int vectors)
{
    const toi_slabs *a = tree->bounds + 2 * tree->vectors * (int64_t)node.a;
    const toi_slabs *b = tree->bounds + 2 * tree->vectors * (int64_t)node.b;
    typedef int32_t mask __attribute__((vector_size(16)));
    mask apart = {0};
    for (int k = 0; k < vectors; ++k)
        apart |= (a[k] > b[tree->vectors + k]) | (b[k] > a[tree->vectors + k]);
    return apart[0] | apart[1] | apart[2] | apart[3];
}

// What a node asks about may touch. Of a node about itself that needs no test.
static inline bool meet(const toi_walk *walk, toi_pair node, int64_t *tests)
{
    if (node.a == node.b)
        return true;
    ++*tests;
    return walk->vectors == TOI_BOX_VECTORS ? !are_apart(walk->tree, node, TOI_BOX_VECTORS)
                                            : !are_apart(walk->tree, node, TOI_DOP_VECTORS);
}

static toi_pair marked(toi_pair node, bool met)
{
    return met ? (toi_pair){~node.a, node.b} : node;
}

static toi_pair unmarked(toi_pair node)
{
    return toi_is_met(node) ? (toi_pair){~node.a, node.b} : node;
}

// ---- Walking on from a front

// What a worker has written: for each node that is replaced their number, and the new nodes.
typedef struct sprouts
{
    toi_pair *nodes;
    int64_t count, capacity;
    _Alignas(64) char end[64];
} sprouts;

// One block of the front.
typedef struct block
{
    int worker;
    int64_t first;  // of its part of what the worker wrote
    int64_t length; // of the block in the new front; then where it begins
    toi_walk_counts counts;
} block;

typedef struct advance
{
    const toi_walk *walk;
    toi_front *front;
    sprouts *sprouts; // one a worker
    block *blocks;
    int64_t block_nodes, block_count;
    toi_pair *grown; // the new front
} advance;

static toi_status write(const advance *a, sprouts *to, toi_pair node)
{
    if (to->count == to->capacity) {
        toi_status status = toi_reserve(a->walk->budget, (void **)&to->nodes, &to->capacity,
                                        to->count + BLOCK_NODES, sizeof *to->nodes);
        if (status != TOI_OK)
            return status;
    }
    to->nodes[to->count++] = node;
    return TOI_OK;
}

// Replaces a node that is met by where the walk below it ends. The new nodes are at most `room`:
// where there is none, what is met stays as it is, and is walked through again in every step.
static toi_status sprout(const advance *a, toi_pair node, int64_t room, sprouts *to,
                         toi_walk_counts *counts)
{
    const toi_walk *walk = a->walk;
    toi_pair pending[MOST_PENDING], children[3];
    int64_t header = to->count;
    toi_status status = write(a, to, make_header(0));
    int count = find_children(walk, node, children), waiting = 0;
    for (int i = count; i > 0; --i)
        pending[waiting++] = children[i - 1];
    while (waiting > 0 && status == TOI_OK) {
        toi_pair next = pending[--waiting];
        bool met = meet(walk, next, &counts->tests);
        if (!met && !walk->keep_apart)
            continue;
        bool deeper = met && !is_leaf_pair(walk->tree, next);
        if (deeper)
            count = find_children(walk, next, children);
        if (deeper && to->count - header - 1 + waiting + count <= room) {
            for (int i = count; i > 0; --i)
                pending[waiting++] = children[i - 1];
        } else {
            status = write(a, to, marked(next, met));
        }
    }
    if (status == TOI_OK)
        to->nodes[header] = make_header(to->count - header - 1);
    return status;
}

// How many nodes a block may have in the new front.
static int64_t block_room(const advance *a, int64_t nodes)
{
    int64_t most = a->walk->most, count = a->front->count;
    return most > count
               ? nodes + (int64_t)((double)(most - count) * ((double)nodes / (double)count))
               : nodes;
}

static bool can_sprout(const advance *a, toi_pair node, int64_t room)
{
    return !is_leaf_pair(a->walk->tree, node) && room >= (node.a == node.b ? 3 : 2);
}

static toi_status advance_block(void *context, int64_t index, int worker)
{
    const advance *a = context;
    sprouts *to = &a->sprouts[worker];
    block *b = &a->blocks[index];
    int64_t first = index * a->block_nodes, end = first + a->block_nodes;
    end = end < a->front->count ? end : a->front->count;
    int64_t spare = block_room(a, end - first) - (end - first);
    *b = (block){.worker = worker, .first = to->count, .length = end - first};
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        toi_pair node = unmarked(a->front->nodes[i]);
        bool met = meet(a->walk, node, &b->counts.tests);
        bool replaced = met ? can_sprout(a, node, 1 + spare) : !a->walk->keep_apart;
        a->front->nodes[i] = replaced ? REPLACED : marked(node, met);
        if (!replaced)
            continue;
        int64_t before = to->count;
        status = met ? sprout(a, node, 1 + spare, to, &b->counts) : write(a, to, make_header(0));
        int64_t added = to->count - before - 1;
        b->counts.sprouted += added;
        b->counts.left += met;
        b->length += added - 1;
        spare -= added - 1;
    }
    return status;
}

// ---- The new front

static bool is_replaced(toi_pair node)
{
    return node.a == REPLACED.a;
}

static toi_status copy_block(void *context, int64_t index, int worker)
{
    (void)worker;
    const advance *a = context;
    const block *b = &a->blocks[index];
    int64_t first = index * a->block_nodes, end = first + a->block_nodes;
    end = end < a->front->count ? end : a->front->count;
    const toi_pair *from = a->sprouts[b->worker].nodes + b->first;
    toi_pair *to = a->grown + b->length;
    for (int64_t i = first; i < end; ++i) {
        if (is_replaced(a->front->nodes[i])) {
            int64_t count = read_header(*from);
            memcpy(to, from + 1, (size_t)count * sizeof *to);
            to += count;
            from += 1 + count;
        } else {
            *to++ = a->front->nodes[i];
        }
    }
    return TOI_OK;
}

// From lengths to starts; returns the sum.
static int64_t place_blocks(const advance *a)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < a->block_count; ++i) {
        int64_t length = a->blocks[i].length;
        a->blocks[i].length = sum;
        sum += length;
    }
    return sum;
}

static void add_counts(const advance *a, toi_walk_counts *counts)
{
    for (int64_t i = 0; i < a->block_count; ++i) {
        counts->tests += a->blocks[i].counts.tests;
        counts->sprouted += a->blocks[i].counts.sprouted;
        counts->left += a->blocks[i].counts.left;
    }
}

static bool anything_replaced(const advance *a)
{
    int64_t written = 0;
    for (int i = 0; i < a->walk->workers; ++i)
        written += a->sprouts[i].count;
    return written > 0;
}

static toi_status replace_front(advance *a)
{
    toi_front *front = a->front;
    int64_t capacity = 0, count = place_blocks(a);
    toi_status status = toi_reserve(a->walk->budget, (void **)&a->grown, &capacity,
                                    count > 0 ? count : 1, sizeof *a->grown);
    if (status == TOI_OK)
        status = toi_parallel(a->walk->workers, a->block_count, copy_block, a);
    if (status != TOI_OK) {
        toi_give_back(a->grown);
        return status;
    }
    toi_give_back(front->nodes);
    *front = (toi_front){a->grown, count, capacity};
    return TOI_OK;
}

static toi_status advance_front(advance *a, toi_walk_counts *counts)
{
    const toi_walk *walk = a->walk;
    a->block_count = (a->front->count + a->block_nodes - 1) / a->block_nodes;
    a->sprouts = toi_take(walk->budget, walk->workers, sizeof *a->sprouts);
    a->blocks = a->sprouts ? toi_take(walk->budget, a->block_count, sizeof *a->blocks) : NULL;
    toi_status status = a->blocks ? TOI_OK : toi_allocation_status();
    for (int i = 0; a->sprouts && i < walk->workers; ++i)
        a->sprouts[i] = (sprouts){0};
    if (status == TOI_OK)
        status = toi_parallel(walk->workers, a->block_count, advance_block, a);
    if (status == TOI_OK)
        add_counts(a, counts);
    if (status == TOI_OK && anything_replaced(a))
        status = replace_front(a);
    for (int i = 0; a->sprouts && i < walk->workers; ++i)
        toi_give_back(a->sprouts[i].nodes);
    toi_give_back(a->blocks);
    toi_give_back(a->sprouts);
    return status;
}

toi_status toi_update_front(const toi_walk *walk, toi_front *front, toi_walk_counts *counts)
{
    advance a = {.walk = walk, .front = front, .block_nodes = BLOCK_NODES};
    return advance_front(&a, counts);
}

// ---- From the root

// One level deeper where the list has room for `most` nodes; returns whether that has changed it.
static bool go_deeper(const toi_walk *walk, toi_front *from, toi_front *to, int64_t most,
                      toi_walk_counts *counts)
{
    bool changed = false;
    to->count = 0;
    for (int64_t i = 0; i < from->count; ++i) {
        toi_pair node = from->nodes[i], children[3];
        bool room = to->count + (from->count - i) + 2 <= most;
        int count = 0;
        bool replaced = room && !is_leaf_pair(walk->tree, node) && meet(walk, node, &counts->tests);
        if (replaced)
            count = find_children(walk, node, children);
        else
            to->nodes[to->count++] = node;
        for (int k = 0; k < count; ++k)
            to->nodes[to->count++] = children[k];
        changed |= replaced;
    }
    return changed;
}

static toi_status take_nodes(const toi_walk *walk, int64_t count, toi_front *front)
{
    *front = (toi_front){0};
    return toi_reserve(walk->budget, (void **)&front->nodes, &front->capacity, count,
                       sizeof *front->nodes);
}

// Nodes that cover all pairs of elements, at most so many, breadth first.
static toi_status collect(const toi_walk *walk, int64_t most, toi_front *front,
                          toi_walk_counts *counts)
{
    toi_front other = {0};
    toi_status status = take_nodes(walk, most, front);
    if (status == TOI_OK)
        status = take_nodes(walk, most, &other);
    toi_pair root = {0, 0};
    if (status == TOI_OK && is_node(walk, root))
        front->nodes[front->count++] = root;
    while (status == TOI_OK && go_deeper(walk, front, &other, most, counts)) {
        toi_front swapped = *front;
        *front = other;
        other = swapped;
    }
    toi_give_back(other.nodes);
    return status;
}

toi_status toi_make_front(const toi_walk *walk, int64_t subtasks, toi_front *front,
                          toi_walk_counts *counts)
{
    toi_free_front(front);
    toi_status status = collect(walk, subtasks < walk->most ? subtasks : walk->most, front, counts);
    advance a = {.walk = walk, .front = front, .block_nodes = 1};
    if (status == TOI_OK && front->count > 0)
        status = advance_front(&a, counts);
    if (status != TOI_OK)
        toi_free_front(front);
    return status;
}

void toi_free_front(toi_front *front)
{
    toi_give_back(front->nodes);
    *front = (toi_front){0};
}

// ---- What is met

// The pairs of elements below a node that is met and was not followed, for want of memory.
static toi_status visit_below(const toi_walk *walk, toi_pair node, toi_leaf_pair_fn *visit,
                              void *context, int64_t *tests)
{
    const int32_t *right = walk->tree->right;
    toi_pair pending[MOST_PENDING], children[3];
    int waiting = 0;
    toi_status status = TOI_OK;
    pending[waiting++] = node;
    while (waiting > 0 && status == TOI_OK) {
        toi_pair next = pending[--waiting];
        if (!meet(walk, next, tests))
            continue;
        if (is_leaf_pair(walk->tree, next)) {
            status = visit(context, ~right[next.a], ~right[next.b]);
            continue;
        }
        int count = find_children(walk, next, children);
        for (int i = count; i > 0; --i)
            pending[waiting++] = children[i - 1];
    }
    return status;
}

toi_status toi_visit_front(const toi_walk *walk, const toi_front *front, int64_t first, int64_t end,
                           toi_leaf_pair_fn *visit, void *context, int64_t *tests)
{
    const toi_hierarchy *tree = walk->tree;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        toi_pair node = front->nodes[i];
        if (!toi_is_met(node))
            continue;
        node = unmarked(node);
        if (is_leaf_pair(tree, node))
            status = visit(context, ~tree->right[node.a], ~tree->right[node.b]);
        else
            status = visit_below(walk, node, visit, context, tests);
    }
    return status;
}
