// The test tree and its front. A node {n, n} of the test tree asks about the elements below n among
// each other, a node {a, b} about those below a against those below b. The front is where a walk
// ends: at volumes that are apart, and at pairs of elements. It covers all pairs of elements at any
// time, so a walk may start from it as well as from the root: docs/tracking.md.

#include "track/literature/mccd.h"

#include <stdatomic.h>
#include <string.h>

enum
{
    MOST_PENDING = 1 + 2 * 2 * TOI_MOST_DEPTH, // nodes of a walk: three for one, a level
    BLOCK_NODES = 512,                         // of a block that is cut off a longer one
    MOST_ROOTS = 3,
    BLOCK_ROOM = 768 // a longer one is cut
};

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
    return node.a != node.b && tree->right[node.a] != TOI_EMPTY_LEAF &&
           tree->right[node.b] != TOI_EMPTY_LEAF &&
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

// What a worker has written of the block at hand, what it has made, and what it has done.
typedef struct writer
{
    toi_front_block *made;
    int64_t made_count, made_capacity;
    toi_walk_counts counts;
    int64_t written; // nodes in all
    int count;       // of them, those that are in no block yet
    toi_pair nodes[BLOCK_ROOM];
    _Alignas(64) char end[64];
} writer;

// What stands before the rest of a block in the new front: some of what a worker has made.
typedef struct cut_off
{
    int worker, count;
    int64_t first;
} cut_off;

typedef struct advance
{
    const toi_walk *walk;
    toi_front_block *blocks; // those of the front, and what is left of each at last
    int64_t block_count, count;
    writer *writers;  // one a worker
    cut_off *cut_off; // one a block
    toi_front spare;  // blocks that may be used again
    _Atomic int64_t used;
} advance;

static bool is_limited(const toi_walk *walk)
{
    return walk->most < TOI_NO_LIMIT;
}

// Room to grow, but where memory is short.
static toi_status take_block(const toi_walk *walk, int count, toi_front_block *block)
{
    int room = count >= BLOCK_NODES ? BLOCK_ROOM : count + count / 2;
    room = is_limited(walk) ? count : room;
    *block = (toi_front_block){toi_take_new(walk->budget, room, sizeof *block->nodes), 0, room};
    return block->nodes ? TOI_OK : toi_allocation_status();
}

static toi_status find_block(advance *a, int count, toi_front_block *block)
{
    int64_t i = a->spare.block_count > 0 ? atomic_fetch_add(&a->used, 1) : 0;
    if (i < a->spare.block_count) {
        *block = a->spare.blocks[i];
        a->spare.blocks[i] = (toi_front_block){0};
        if (block->capacity >= count)
            return TOI_OK;
        toi_give_back(block->nodes);
    }
    return take_block(a->walk, count, block);
}

// Moves the first nodes that were written to a block of their own.
static toi_status cut(advance *a, writer *w)
{
    toi_front_block block;
    toi_status status = toi_reserve(a->walk->budget, (void **)&w->made, &w->made_capacity,
                                    w->made_count + 1, sizeof *w->made);
    if (status == TOI_OK)
        status = find_block(a, BLOCK_NODES, &block);
    if (status != TOI_OK)
        return status;
    memcpy(block.nodes, w->nodes, BLOCK_NODES * sizeof *w->nodes);
    block.count = BLOCK_NODES;
    w->made[w->made_count++] = block;
    w->count -= BLOCK_NODES;
    memcpy(w->nodes, w->nodes + BLOCK_NODES, (size_t)w->count * sizeof *w->nodes);
    return TOI_OK;
}

static toi_status write(advance *a, writer *w, toi_pair node)
{
    toi_status status = w->count == BLOCK_ROOM ? cut(a, w) : TOI_OK;
    if (status != TOI_OK)
        return status;
    w->nodes[w->count++] = node;
    ++w->written;
    return TOI_OK;
}

// Replaces a node that is met by where the walk below it ends. The new nodes are at most `room`:
// where there is none, what is met stays as it is, and is walked through again in every step.
static toi_status sprout(advance *a, toi_pair node, int64_t room, writer *w)
{
    const toi_walk *walk = a->walk;
    toi_pair pending[MOST_PENDING], children[3];
    int64_t most = w->written + room;
    toi_status status = TOI_OK;
    int count = find_children(walk, node, children), waiting = 0;
    for (int i = count; i > 0; --i)
        pending[waiting++] = children[i - 1];
    while (waiting > 0 && status == TOI_OK) {
        toi_pair next = pending[--waiting];
        bool met = meet(walk, next, &w->counts.tests);
        if (!met && !walk->keep_apart)
            continue;
        bool deeper = met && !is_leaf_pair(walk->tree, next);
        if (deeper)
            count = find_children(walk, next, children);
        if (deeper && w->written + waiting + count <= most) {
            for (int i = count; i > 0; --i)
                pending[waiting++] = children[i - 1];
        } else {
            status = write(a, w, marked(next, met));
        }
    }
    return status;
}

// How many nodes more a block may have in the new front.
static int64_t spare_room(const advance *a, int64_t nodes)
{
    int64_t most = a->walk->most;
    return most > a->count
               ? (int64_t)((double)(most - a->count) * ((double)nodes / (double)a->count))
               : 0;
}

static bool can_sprout(const advance *a, toi_pair node, int64_t room)
{
    return !is_leaf_pair(a->walk->tree, node) && room >= (node.a == node.b ? 3 : 2);
}

// One that is not the front's own has no room.
static bool is_borrowed(const toi_front_block *block)
{
    return block->capacity == 0;
}

// Puts what is written and not cut off where the block was.
static toi_status keep_rest(advance *a, writer *w, toi_front_block *block)
{
    bool fits = w->count <= block->capacity;
    if (!fits || (is_limited(a->walk) && w->count < block->capacity)) {
        toi_front_block other;
        toi_status status = find_block(a, w->count, &other);
        if (status != TOI_OK)
            return status;
        if (!is_borrowed(block))
            toi_give_back(block->nodes);
        *block = other;
    }
    memcpy(block->nodes, w->nodes, (size_t)w->count * sizeof *w->nodes);
    block->count = w->count;
    return TOI_OK;
}

// Up to its first node that is replaced a block stays where it is; from there on it is written
// anew.
static toi_status advance_nodes(advance *a, writer *w, toi_front_block *block)
{
    int64_t spare = spare_room(a, block->count);
    bool changed = is_borrowed(block);
    toi_status status = TOI_OK;
    w->count = 0;
    for (int i = 0; i < block->count && status == TOI_OK; ++i) {
        toi_pair old = block->nodes[i], node = unmarked(old);
        bool met = meet(a->walk, node, &w->counts.tests);
        bool replaced = met ? can_sprout(a, node, 1 + spare) : !a->walk->keep_apart;
        if (!replaced && changed) {
            status = write(a, w, marked(node, met));
        } else if (!replaced) {
            if (met != toi_is_met(old)) // else its cache line stays clean
                block->nodes[i] = marked(node, met);
        } else {
            if (!changed)
                memcpy(w->nodes, block->nodes, (size_t)i * sizeof *w->nodes);
            w->count = changed ? w->count : i;
            changed = true;
            int64_t before = w->written;
            status = met ? sprout(a, node, 1 + spare, w) : TOI_OK;
            w->counts.sprouted += w->written - before;
            w->counts.left += met;
            spare -= w->written - before - 1;
        }
    }
    return status == TOI_OK && changed ? keep_rest(a, w, block) : status;
}

static toi_status advance_block(void *context, int64_t index, int worker)
{
    advance *a = context;
    writer *w = &a->writers[worker];
    int64_t first = w->made_count;
    toi_status status = advance_nodes(a, w, &a->blocks[index]);
    a->cut_off[index] = (cut_off){worker, (int)(w->made_count - first), first};
    return status;
}

// ---- The new front

static int64_t count_made(const advance *a)
{
    int64_t made = 0;
    for (int i = 0; i < a->walk->workers; ++i)
        made += a->writers[i].made_count;
    return made;
}

// Puts the blocks that were cut off where they belong.
static toi_status insert_blocks(advance *a, toi_front *front, int64_t made)
{
    toi_front_block *all = NULL;
    int64_t capacity = 0, count = 0;
    toi_status status =
        toi_reserve(a->walk->budget, (void **)&all, &capacity, a->block_count + made, sizeof *all);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < a->block_count; ++i) {
        const cut_off *c = &a->cut_off[i];
        const toi_front_block *from = a->writers[c->worker].made + c->first;
        for (int k = 0; k < c->count; ++k)
            all[count++] = from[k];
        all[count++] = a->blocks[i];
    }
    for (int i = 0; i < a->walk->workers; ++i)
        a->writers[i].made_count = 0;
    toi_give_back(front->blocks);
    front->blocks = all;
    front->block_capacity = capacity;
    front->block_count = count;
    return TOI_OK;
}

static void add_up(const advance *a, toi_front *front, toi_walk_counts *counts)
{
    front->count = front->capacity = 0;
    for (int64_t i = 0; i < front->block_count; ++i) {
        front->count += front->blocks[i].count;
        front->capacity += front->blocks[i].capacity;
    }
    for (int i = 0; i < a->walk->workers; ++i) {
        counts->tests += a->writers[i].counts.tests;
        counts->sprouted += a->writers[i].counts.sprouted;
        counts->left += a->writers[i].counts.left;
    }
}

static toi_status advance_blocks(advance *a, toi_front *front, toi_walk_counts *counts)
{
    const toi_walk *walk = a->walk;
    toi_status status = toi_parallel(walk->workers, a->block_count, advance_block, a);
    int64_t made = count_made(a);
    if (status == TOI_OK && made > 0)
        status = insert_blocks(a, front, made);
    if (status == TOI_OK)
        add_up(a, front, counts);
    for (int i = 0; i < walk->workers; ++i) {
        for (int64_t k = 0; k < a->writers[i].made_count; ++k) // after a failure
            toi_give_back(a->writers[i].made[k].nodes);
        toi_give_back(a->writers[i].made);
    }
    return status;
}

// From what a->blocks hold to `front`, whose list of blocks that is.
static toi_status advance_front(advance *a, toi_front *front, toi_walk_counts *counts)
{
    const toi_walk *walk = a->walk;
    a->blocks = front->blocks;
    a->block_count = front->block_count;
    a->count = front->count;
    a->writers = toi_take(walk->budget, walk->workers, sizeof *a->writers);
    a->cut_off = a->writers ? toi_take(walk->budget, a->block_count, sizeof *a->cut_off) : NULL;
    toi_status status = a->cut_off ? TOI_OK : toi_allocation_status();
    for (int i = 0; status == TOI_OK && i < walk->workers; ++i) {
        writer *w = &a->writers[i];
        w->made = NULL;
        w->made_count = w->made_capacity = w->written = 0;
        w->counts = (toi_walk_counts){0};
    }
    if (status == TOI_OK)
        status = advance_blocks(a, front, counts);
    toi_give_back(a->cut_off);
    toi_give_back(a->writers);
    return status;
}

toi_status toi_update_front(const toi_walk *walk, toi_front *front, toi_walk_counts *counts)
{
    advance a = {.walk = walk};
    return advance_front(&a, front, counts);
}

// ---- From the root

// A list of nodes.
typedef struct node_list
{
    toi_pair *nodes;
    int64_t count;
} node_list;

// Of the test tree: one for the first tree, two more for the second, which is gone down first: the
// few it holds may be far apart. Returns how many.
static int find_roots(const toi_walk *walk, toi_pair roots[MOST_ROOTS])
{
    int32_t second = toi_second_tree(walk->tree);
    const toi_pair all[MOST_ROOTS] = {{0, 0}, {second, 0}, {second, second}};
    int count = 0;
    for (int i = 0; i < (walk->tree->late > 0 ? MOST_ROOTS : 1); ++i)
        if (is_node(walk, all[i]))
            roots[count++] = all[i];
    return count;
}

// One level deeper where the list has room for `most` nodes; returns whether that has changed it.
static bool go_deeper(const toi_walk *walk, const node_list *from, node_list *to, int64_t most,
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

// Nodes that cover all pairs of elements, at most so many, breadth first.
static toi_status collect(const toi_walk *walk, int64_t most, node_list *list,
                          toi_walk_counts *counts)
{
    int64_t room = most > MOST_ROOTS ? most : MOST_ROOTS;
    node_list other = {toi_take(walk->budget, room, sizeof *other.nodes), 0};
    *list = (node_list){other.nodes ? toi_take(walk->budget, room, sizeof *list->nodes) : NULL, 0};
    toi_status status = list->nodes ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK)
        list->count = find_roots(walk, list->nodes);
    while (status == TOI_OK && go_deeper(walk, list, &other, most, counts)) {
        node_list swapped = *list;
        *list = other;
        other = swapped;
    }
    toi_give_back(other.nodes);
    return status;
}

// A front of such nodes, a block each, which it does not own.
static toi_status borrow_nodes(const toi_walk *walk, const node_list *list, toi_front *front)
{
    *front = (toi_front){.count = list->count};
    toi_status status = toi_reserve(walk->budget, (void **)&front->blocks, &front->block_capacity,
                                    list->count, sizeof *front->blocks);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < list->count; ++i)
        front->blocks[i] = (toi_front_block){&list->nodes[i], 1, 0};
    front->block_count = list->count;
    return TOI_OK;
}

static void drop_borrowed(toi_front *front)
{
    for (int64_t i = 0; i < front->block_count; ++i)
        if (is_borrowed(&front->blocks[i]))
            front->blocks[i].nodes = NULL;
}

static toi_status walk_from(const toi_walk *walk, const node_list *list, toi_front *front,
                            toi_walk_counts *counts)
{
    advance a = {.walk = walk, .spare = *front};
    toi_status status = borrow_nodes(walk, list, front);
    if (status == TOI_OK && list->count > 0)
        status = advance_front(&a, front, counts);
    drop_borrowed(front);
    toi_free_front(&a.spare);
    return status;
}

toi_status toi_make_front(const toi_walk *walk, int64_t subtasks, toi_front *front,
                          toi_walk_counts *counts)
{
    node_list list;
    if (is_limited(walk))
        toi_free_front(front);                       // else its blocks are used again
    int64_t most = 1 + walk->most / TOI_LEAST_BLOCK; // each gives a block
    toi_status status = collect(walk, subtasks < most ? subtasks : most, &list, counts);
    if (status == TOI_OK)
        status = walk_from(walk, &list, front, counts);
    if (status != TOI_OK)
        toi_free_front(front);
    toi_give_back(list.nodes);
    return status;
}

// ---- After a change of the tree

typedef struct pruning
{
    const toi_walk *walk;
    toi_front *front;
} pruning;

// Nodes of the second tree have it on their first side at least.
static toi_status prune_blocks(void *context, int64_t first, int64_t end)
{
    const pruning *p = context;
    int32_t second = toi_second_tree(p->walk->tree);
    for (int64_t i = first; i < end; ++i) {
        toi_front_block *block = &p->front->blocks[i];
        int count = 0;
        for (int k = 0; k < block->count; ++k)
            if (unmarked(block->nodes[k]).a < second)
                block->nodes[count++] = block->nodes[k];
        block->count = count;
    }
    return TOI_OK;
}

static void drop_empty_blocks(toi_front *front)
{
    int64_t count = 0;
    for (int64_t i = 0; i < front->block_count; ++i)
        if (front->blocks[i].count > 0)
            front->blocks[count++] = front->blocks[i];
        else
            toi_give_back(front->blocks[i].nodes);
    front->block_count = count;
}

static toi_status append_nodes(const toi_walk *walk, const node_list *list, toi_front *front)
{
    toi_status status = toi_reserve(walk->budget, (void **)&front->blocks, &front->block_capacity,
                                    front->block_count + list->count, sizeof *front->blocks);
    for (int64_t i = 0; i < list->count && status == TOI_OK; ++i) {
        toi_front_block *block = &front->blocks[front->block_count];
        status = take_block(walk, 1, block);
        if (status != TOI_OK)
            break;
        block->nodes[block->count++] = list->nodes[i];
        ++front->block_count;
        ++front->count;
    }
    return status;
}

toi_status toi_amend_front(const toi_walk *walk, toi_front *front)
{
    pruning p = {walk, front};
    toi_pair roots[MOST_ROOTS];
    toi_status status = toi_parallel_ranges(walk->workers, front->block_count, 1, prune_blocks, &p);
    drop_empty_blocks(front);
    int count = find_roots(walk, roots), old = count > 0 && roots[0].a == 0;
    node_list late = {roots + old, count - old};
    return status == TOI_OK ? append_nodes(walk, &late, front) : status;
}

void toi_free_front(toi_front *front)
{
    for (int64_t i = 0; i < front->block_count; ++i)
        toi_give_back(front->blocks[i].nodes);
    toi_give_back(front->blocks);
    *front = (toi_front){0};
}

int64_t toi_front_bytes(const toi_front *front)
{
    return front->block_capacity * (int64_t)sizeof *front->blocks +
           front->block_count * TOI_BLOCK_OVERHEAD + front->capacity * (int64_t)sizeof(toi_pair);
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

toi_status toi_visit_block(const toi_walk *walk, const toi_front_block *block,
                           toi_leaf_pair_fn *visit, void *context, int64_t *tests)
{
    const toi_hierarchy *tree = walk->tree;
    toi_status status = TOI_OK;
    for (int i = 0; i < block->count && status == TOI_OK; ++i) {
        toi_pair node = block->nodes[i];
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
