// The hierarchy over the elements: built from the top by halving the longest axis, kept in
// depth-first order, refitted in every step by workers that have subtrees of their own.
//
// Bounds are floats rounded to nearest. Sums and conversions to nearest are monotone, so the bounds
// of two sets that have a point in common overlap: docs/tracking.md.

#include "track/literature/mccd.h"

#include "kernel/rounding.h"

#include <math.h>
#include <string.h>

enum
{
    SHARES = 128, // a subtree is at most such a share of the leaves
    MOST_SLABS = 4 * TOI_DOP_VECTORS,
    MOST_LATE = 64,   // the second tree has at most such a share of the leaves,
    FEW_LATE = 8,     // and so many more
    WIDE = 1 << 16,   // leaves
    HALVED_DEPTH = 64 // below it, lists are cut in the middle: so the depth is bounded
};

_Static_assert(HALVED_DEPTH + 30 < TOI_MOST_DEPTH, "2^29 leaves");

// Leaves [first, first + count) of the order, the nodes from `node` on.
typedef struct toi_subtree
{
    int64_t first, count;
    int32_t node;
    int depth;
    double surface;
} toi_subtree;

// ---- Memory

// In each of HALVED_DEPTH + 8 levels at most SHARES nodes are larger than a share.
static int64_t most_tops(int64_t leaves)
{
    int64_t most = SHARES * TOI_MOST_DEPTH;
    return leaves < most ? leaves : most;
}

static int64_t most_late(int64_t leaves)
{
    return leaves / MOST_LATE + FEW_LATE;
}

static int64_t most_nodes(int64_t leaves)
{
    return 2 * (leaves + most_late(leaves));
}

toi_status toi_take_hierarchy(toi_volume volume, int64_t leaves, toi_budget *budget,
                              toi_hierarchy *tree)
{
    int64_t nodes = most_nodes(leaves);
    *tree =
        (toi_hierarchy){.volume = volume,
                        .leaves = leaves,
                        .vectors = volume == TOI_VOLUME_BOX ? TOI_BOX_VECTORS : TOI_DOP_VECTORS};
    tree->bounds = toi_take(budget, nodes, 2 * (size_t)tree->vectors * sizeof *tree->bounds);
    tree->right = tree->bounds ? toi_take(budget, nodes, sizeof *tree->right) : NULL;
    tree->tops = tree->right ? toi_take(budget, most_tops(leaves), sizeof *tree->tops) : NULL;
    tree->subtrees =
        tree->tops ? toi_take(budget, most_tops(leaves) + 1, sizeof *tree->subtrees) : NULL;
    if (tree->subtrees)
        return TOI_OK;
    toi_status status = toi_allocation_status();
    toi_free_hierarchy(tree);
    return status;
}

void toi_free_hierarchy(toi_hierarchy *tree)
{
    toi_give_back(tree->bounds);
    toi_give_back(tree->right);
    toi_give_back(tree->tops);
    toi_give_back(tree->subtrees);
    *tree = (toi_hierarchy){0};
}

int64_t toi_hierarchy_bytes(const toi_hierarchy *tree)
{
    int64_t a_node = 2 * tree->vectors * (int64_t)sizeof *tree->bounds + 4;
    int64_t a_top = 4 + (int64_t)sizeof *tree->subtrees;
    return most_nodes(tree->leaves) * a_node + most_tops(tree->leaves) * a_top;
}

// ---- Building

typedef struct building
{
    const toi_hierarchy_source *source;
    toi_hierarchy *tree;
    float (*centres)[3]; // of the elements
    int32_t *order;      // of the elements, by leaf; of all, or of those that were chosen before
    bool all;
} building;

static void enclose(const double *slabs, int count, double *lo, double *hi)
{
    for (int k = 0; k < count; ++k) {
        lo[k] = slabs[k] < lo[k] ? slabs[k] : lo[k];
        hi[k] = slabs[k] > hi[k] ? slabs[k] : hi[k];
    }
}

static toi_status find_centres(void *context, int64_t first, int64_t end)
{
    const building *b = context;
    for (int64_t i = first; i < end; ++i) {
        int32_t element = b->order[i] = b->all ? (int32_t)i : b->order[i];
        double lo[3] = {INFINITY, INFINITY, INFINITY};
        double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int c = 0; c < 3; ++c) {
            int32_t corner = b->source->elements->corners[element][c];
            const toi_moving_vertex *at = &b->source->trajectories[corner];
            enclose(at->start, 3, lo, hi);
            enclose(at->end, 3, lo, hi);
        }
        for (int k = 0; k < 3; ++k)
            b->centres[element][k] = (float)(0.5 * lo[k] + 0.5 * hi[k]);
    }
    return TOI_OK;
}

// A box of centres.
typedef struct centre_box
{
    float lo[3], hi[3];
} centre_box;

static centre_box bound_centres(const building *b, int64_t first, int64_t count)
{
    centre_box box;
    memcpy(box.lo, b->centres[b->order[first]], sizeof box.lo);
    memcpy(box.hi, box.lo, sizeof box.hi);
    for (int64_t i = first + 1; i < first + count; ++i)
        for (int k = 0; k < 3; ++k) {
            float x = b->centres[b->order[i]][k];
            box.lo[k] = x < box.lo[k] ? x : box.lo[k];
            box.hi[k] = x > box.hi[k] ? x : box.hi[k];
        }
    return box;
}

// The longest axis, and its middle.
static int longest_axis(const centre_box *box, float *middle)
{
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (box->hi[k] - box->lo[k] > box->hi[axis] - box->lo[axis])
            axis = k;
    *middle = 0.5f * box->lo[axis] + 0.5f * box->hi[axis];
    return axis;
}

// Moves those up to the middle of the longest axis to the front; returns how many. Where all fall
// on one side the list is cut in the middle.
static int64_t split(const building *b, int64_t first, int64_t count, int depth)
{
    float middle;
    if (depth >= HALVED_DEPTH)
        return count / 2;
    centre_box box = bound_centres(b, first, count);
    int axis = longest_axis(&box, &middle);
    int32_t *lower = b->order + first, *upper = lower + count;
    while (lower < upper) {
        if (b->centres[*lower][axis] <= middle) {
            ++lower;
        } else {
            int32_t id = *--upper;
            *upper = *lower;
            *lower = id;
        }
    }
    int64_t left = lower - (b->order + first);
    return left == 0 || left == count ? count / 2 : left;
}

// The two parts of a range that is not a leaf, `left` of its leaves in the first.
static void cut_at(const building *b, const toi_subtree *range, int64_t left, toi_subtree parts[2])
{
    int32_t right = (int32_t)(range->node + 2 * left); // the left part has 2 left - 1 nodes
    b->tree->right[range->node] = right;
    parts[0] = (toi_subtree){range->first, left, range->node + 1, range->depth + 1, 0};
    parts[1] = (toi_subtree){range->first + left, range->count - left, right, range->depth + 1, 0};
}

static void cut(const building *b, const toi_subtree *range, toi_subtree parts[2])
{
    cut_at(b, range, split(b, range->first, range->count, range->depth), parts);
}

static void build(const building *b, const toi_subtree *range)
{
    toi_subtree parts[2];
    if (range->count == 1) {
        b->tree->right[range->node] = ~b->order[range->first];
        return;
    }
    cut(b, range, parts);
    build(b, &parts[0]);
    build(b, &parts[1]);
}

// ---- The first cuts: of ranges so large that all workers cut one of them together

typedef struct wide_cut
{
    const building *building;
    int64_t first;
    int axis;
    float middle;
    centre_box *boxes; // one a piece
    int64_t *lower;    // how many of a piece go to the lower part; then where they go
    int64_t left;      // of all of them
    int32_t *arranged;
} wide_cut;

static bool is_lower(const wide_cut *w, int64_t i)
{
    const building *b = w->building;
    return b->centres[b->order[w->first + i]][w->axis] <= w->middle;
}

static toi_status bound_piece(void *context, int64_t first, int64_t end)
{
    const wide_cut *w = context;
    w->boxes[first / TOI_PIECE] = bound_centres(w->building, w->first + first, end - first);
    return TOI_OK;
}

static toi_status count_lower(void *context, int64_t first, int64_t end)
{
    const wide_cut *w = context;
    int64_t count = 0;
    for (int64_t i = first; i < end; ++i)
        count += is_lower(w, i);
    w->lower[first / TOI_PIECE] = count;
    return TOI_OK;
}

static toi_status arrange(void *context, int64_t first, int64_t end)
{
    const wide_cut *w = context;
    int64_t lower = w->lower[first / TOI_PIECE], upper = w->left + first - lower;
    for (int64_t i = first; i < end; ++i)
        w->arranged[is_lower(w, i) ? lower++ : upper++] = w->building->order[w->first + i];
    return TOI_OK;
}

static toi_status copy_arranged(void *context, int64_t first, int64_t end)
{
    const wide_cut *w = context;
    memcpy(w->building->order + w->first + first, w->arranged + first,
           (size_t)(end - first) * sizeof *w->arranged);
    return TOI_OK;
}

static void choose_middle(wide_cut *w, int64_t pieces)
{
    centre_box all = w->boxes[0];
    for (int64_t i = 1; i < pieces; ++i)
        for (int k = 0; k < 3; ++k) {
            all.lo[k] = fminf(all.lo[k], w->boxes[i].lo[k]);
            all.hi[k] = fmaxf(all.hi[k], w->boxes[i].hi[k]);
        }
    w->axis = longest_axis(&all, &w->middle);
}

static void place_pieces(wide_cut *w, int64_t pieces)
{
    w->left = 0;
    for (int64_t i = 0; i < pieces; ++i) {
        int64_t lower = w->lower[i];
        w->lower[i] = w->left;
        w->left += lower;
    }
}

static toi_status run_pieces(const wide_cut *w, int64_t count, toi_range_fn *work)
{
    return toi_parallel_ranges(w->building->source->workers, count, TOI_PIECE, work, (void *)w);
}

// As split() does, but for the order within the parts.
static toi_status split_wide(wide_cut *w, int64_t count)
{
    int64_t pieces = (count + TOI_PIECE - 1) / TOI_PIECE;
    toi_status status = run_pieces(w, count, bound_piece);
    choose_middle(w, pieces);
    if (status == TOI_OK)
        status = run_pieces(w, count, count_lower);
    place_pieces(w, pieces);
    if (status == TOI_OK)
        status = run_pieces(w, count, arrange);
    if (w->left == 0 || w->left == count)
        w->left = count / 2;
    return status == TOI_OK ? run_pieces(w, count, copy_arranged) : status;
}

static toi_status cut_wide(const building *b, const toi_subtree *range, toi_subtree parts[2])
{
    toi_budget *budget = b->source->budget;
    int64_t pieces = (range->count + TOI_PIECE - 1) / TOI_PIECE;
    wide_cut w = {.building = b, .first = range->first};
    w.boxes = toi_take(budget, pieces, sizeof *w.boxes);
    w.lower = w.boxes ? toi_take(budget, pieces, sizeof *w.lower) : NULL;
    w.arranged = w.lower ? toi_take(budget, range->count, sizeof *w.arranged) : NULL;
    toi_status status = w.arranged ? split_wide(&w, range->count) : toi_allocation_status();
    toi_give_back(w.arranged);
    toi_give_back(w.lower);
    toi_give_back(w.boxes);
    if (status == TOI_OK)
        cut_at(b, range, w.left, parts);
    return status;
}

static bool is_wide(const toi_subtree *range)
{
    return range->count >= WIDE && range->depth < HALVED_DEPTH;
}

// Ranges that are too large to be handed to one worker; there are less than SHARES.
typedef struct cutting
{
    const building *building;
    int64_t count;
    toi_subtree ranges[SHARES];
    toi_subtree parts[2 * SHARES];
} cutting;

static void sort_in(cutting *c, const toi_subtree *range)
{
    toi_hierarchy *tree = c->building->tree;
    if (range->count == 1 || range->count <= tree->leaves / SHARES) {
        tree->subtrees[tree->subtree_count++] = *range;
    } else {
        tree->tops[tree->top_count++] = range->node;
        c->ranges[c->count++] = *range;
    }
}

static toi_status cut_range(void *context, int64_t index, int worker)
{
    (void)worker;
    cutting *c = context;
    if (!is_wide(&c->ranges[index]))
        cut(c->building, &c->ranges[index], &c->parts[2 * index]);
    return TOI_OK;
}

static toi_status cut_ranges(cutting *c)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < c->count && status == TOI_OK; ++i)
        if (is_wide(&c->ranges[i]))
            status = cut_wide(c->building, &c->ranges[i], &c->parts[2 * i]);
    if (status != TOI_OK)
        return status;
    return toi_parallel(c->building->source->workers, c->count, cut_range, c);
}

// Cuts all large ranges at once, until there are none.
static toi_status build_top(const building *b)
{
    cutting c = {.building = b};
    toi_status status = TOI_OK;
    sort_in(&c, &(toi_subtree){.count = b->tree->leaves});
    while (c.count > 0 && status == TOI_OK) {
        int64_t parts = 2 * c.count;
        status = cut_ranges(&c);
        c.count = 0;
        for (int64_t i = 0; i < parts && status == TOI_OK; ++i)
            sort_in(&c, &c.parts[i]);
    }
    return status;
}

static toi_status build_subtree(void *context, int64_t index, int worker)
{
    (void)worker;
    const building *b = context;
    build(b, &b->tree->subtrees[index]);
    return TOI_OK;
}

static toi_status choose_shape(building *b)
{
    toi_hierarchy *tree = b->tree;
    int workers = b->source->workers;
    tree->top_count = tree->subtree_count = 0;
    toi_status status = toi_parallel_ranges(workers, tree->leaves, TOI_PIECE, find_centres, b);
    if (status == TOI_OK)
        status = build_top(b);
    if (status != TOI_OK)
        return status;
    return toi_parallel(workers, tree->subtree_count, build_subtree, b);
}

// Makes room for the elements that there are now.
static toi_status fit(const toi_hierarchy_source *source, toi_hierarchy *tree)
{
    int64_t leaves = source->elements->count;
    tree->late = 0;
    if (leaves == tree->leaves)
        return TOI_OK;
    toi_volume volume = tree->volume;
    toi_free_hierarchy(tree);
    return toi_take_hierarchy(volume, leaves, source->budget, tree);
}

toi_status toi_build_hierarchy(const toi_hierarchy_source *source, toi_hierarchy *tree)
{
    building b = {.source = source, .tree = tree, .all = true};
    toi_status status = fit(source, tree);
    if (status != TOI_OK)
        return status;
    b.centres = toi_take(source->budget, tree->leaves, sizeof *b.centres);
    b.order = b.centres ? toi_take(source->budget, tree->leaves, sizeof *b.order) : NULL;
    status = b.order ? choose_shape(&b) : toi_allocation_status();
    toi_give_back(b.order);
    toi_give_back(b.centres);
    if (status == TOI_OK)
        status = toi_refit_hierarchy(source, tree);
    tree->built = tree->surface;
    return status;
}

// ---- Faces that have changed

typedef struct amendment
{
    const toi_elements *before, *now;
    toi_hierarchy *tree;
    uint8_t *placed; // one for each element that has a leaf in the first tree
} amendment;

static bool stays(const amendment *a, int32_t element)
{
    int64_t faces =
        a->before->face_count < a->now->face_count ? a->before->face_count : a->now->face_count;
    return element < faces && memcmp(a->before->corners[element], a->now->corners[element],
                                     sizeof *a->now->corners) == 0;
}

static toi_status empty_leaves(void *context, int64_t first, int64_t end)
{
    const amendment *a = context;
    for (int64_t i = first; i < end; ++i) {
        int32_t right = a->tree->right[i];
        if (right >= 0 || right == TOI_EMPTY_LEAF)
            continue;
        if (stays(a, ~right))
            a->placed[~right] = 1;
        else
            a->tree->right[i] = TOI_EMPTY_LEAF;
    }
    return TOI_OK;
}

// Lists what has no leaf, up to `most`; returns how many there are.
static int64_t list_late(const amendment *a, int64_t most, int32_t *list)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->now->count; ++i)
        if (!a->placed[i]) {
            if (count < most)
                list[count] = (int32_t)i;
            ++count;
        }
    return count;
}

static toi_status build_second(const toi_hierarchy_source *source, int32_t *order, int64_t count,
                               toi_hierarchy *tree)
{
    building b = {.source = source, .tree = tree, .order = order};
    toi_subtree all = {.count = count, .node = toi_second_tree(tree)};
    tree->late = count;
    tree->subtrees[tree->subtree_count] = all;
    if (count == 0)
        return TOI_OK;
    b.centres = toi_take(source->budget, source->elements->count, sizeof *b.centres);
    if (!b.centres)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(source->workers, count, TOI_PIECE, find_centres, &b);
    if (status == TOI_OK)
        build(&b, &all);
    toi_give_back(b.centres);
    return status;
}

static toi_status amend(const toi_hierarchy_source *source, amendment *a, int32_t *order,
                        bool *kept)
{
    toi_hierarchy *tree = a->tree;
    int64_t most = most_late(tree->leaves);
    memset(a->placed, 0, (size_t)a->now->count);
    toi_status status =
        toi_parallel_ranges(source->workers, 2 * tree->leaves - 1, TOI_PIECE, empty_leaves, a);
    int64_t count = list_late(a, most, order);
    *kept = count <= most;
    return status == TOI_OK && *kept ? build_second(source, order, count, tree) : status;
}

toi_status toi_amend_hierarchy(const toi_hierarchy_source *source, const toi_elements *before,
                               toi_hierarchy *tree, bool *kept)
{
    amendment a = {.before = before, .now = source->elements, .tree = tree};
    a.placed = toi_take(source->budget, a.now->count, sizeof *a.placed);
    int32_t *order =
        a.placed ? toi_take(source->budget, most_late(tree->leaves), sizeof *order) : NULL;
    toi_status status = order ? amend(source, &a, order, kept) : toi_allocation_status();
    toi_give_back(order);
    toi_give_back(a.placed);
    return status;
}

// ---- Refitting

typedef struct refitting
{
    const toi_hierarchy_source *source;
    toi_hierarchy *tree;
} refitting;

// Where a point lies in each slab. Idle ones are 0.
static void find_slabs(const double x[4], int vectors, double slabs[MOST_SLABS])
{
    for (int k = 0; k < 4; ++k)
        slabs[k] = x[k];
    if (vectors == TOI_BOX_VECTORS)
        return;
    slabs[4] = x[0] + x[1];
    slabs[5] = x[0] - x[1];
    slabs[6] = x[0] + x[2];
    slabs[7] = x[0] - x[2];
    slabs[8] = x[1] + x[2];
    slabs[9] = x[1] - x[2];
    slabs[10] = slabs[11] = 0;
}

static void bound_element(const toi_hierarchy_source *s, int32_t element, int vectors,
                          toi_slabs *bound)
{
    double lo[MOST_SLABS], hi[MOST_SLABS], slabs[MOST_SLABS];
    int count = 4 * vectors;
    for (int k = 0; k < count; ++k) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (int c = 0; c < 3; ++c) {
        const toi_moving_vertex *at = &s->trajectories[s->elements->corners[element][c]];
        find_slabs(at->start, vectors, slabs);
        enclose(slabs, count, lo, hi);
        find_slabs(at->end, vectors, slabs);
        enclose(slabs, count, lo, hi);
    }
    for (int k = 0; k < 3 && s->radius > 0; ++k) { // where it counts, the other slabs do not
        lo[k] = toi_subtract_down(lo[k], s->radius);
        hi[k] = toi_add_up(hi[k], s->radius);
    }
    for (int k = 0; k < count; ++k) {
        bound[k / 4][k % 4] = (float)lo[k];
        bound[vectors + k / 4][k % 4] = (float)hi[k];
    }
}

// Apart from everything.
static void bound_nothing(int vectors, toi_slabs *bound)
{
    for (int k = 0; k < vectors; ++k) {
        bound[k] = (toi_slabs){INFINITY, INFINITY, INFINITY, INFINITY};
        bound[vectors + k] = -bound[k];
    }
}

typedef int32_t slab_mask __attribute__((vector_size(16)));

static toi_slabs choose(slab_mask first, toi_slabs a, toi_slabs b)
{
    return (toi_slabs)((first & (slab_mask)a) | (~first & (slab_mask)b));
}

static void unite(const toi_slabs *a, const toi_slabs *b, int vectors, toi_slabs *bound)
{
    for (int k = 0; k < vectors; ++k)
        bound[k] = choose(a[k] < b[k], a[k], b[k]);
    for (int k = vectors; k < 2 * vectors; ++k)
        bound[k] = choose(a[k] > b[k], a[k], b[k]);
}

// Of its box, and half of it; of one that holds nothing 0.
static double surface(const toi_slabs *bound, int vectors)
{
    double side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = (double)bound[vectors][k] - (double)bound[0][k];
    if (side[0] < 0)
        return 0;
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

static double bound_node(const refitting *r, int32_t node)
{
    const toi_hierarchy *tree = r->tree;
    int vectors = tree->vectors;
    toi_slabs *bound = tree->bounds + 2 * vectors * (int64_t)node;
    int32_t right = tree->right[node];
    if (right == TOI_EMPTY_LEAF)
        bound_nothing(vectors, bound);
    else if (right < 0)
        bound_element(r->source, ~right, vectors, bound);
    else
        unite(bound + 2 * vectors, tree->bounds + 2 * vectors * (int64_t)right, vectors, bound);
    return surface(bound, vectors);
}

// Children come after their parents, so backwards.
static toi_status refit_subtree(void *context, int64_t index, int worker)
{
    (void)worker;
    const refitting *r = context;
    toi_subtree *part = &r->tree->subtrees[index];
    part->surface = 0;
    for (int64_t i = part->node + 2 * part->count - 2; i >= part->node; --i)
        part->surface += bound_node(r, (int32_t)i);
    return TOI_OK;
}

toi_status toi_refit_hierarchy(const toi_hierarchy_source *source, toi_hierarchy *tree)
{
    refitting r = {source, tree};
    int64_t subtrees = tree->subtree_count + (tree->late > 0);
    toi_status status = toi_parallel(source->workers, subtrees, refit_subtree, &r);
    tree->surface = 0;
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < subtrees; ++i)
        tree->surface += tree->subtrees[i].surface;
    for (int64_t i = tree->top_count - 1; i >= 0; --i)
        tree->surface += bound_node(&r, tree->tops[i]);
    return TOI_OK;
}
