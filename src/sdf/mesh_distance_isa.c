// Walks through the tree of a mesh, four boxes or four triangles at a time: the nearest triangle,
// the triangles that a ray crosses, and half-spaces that hold what is near. docs/sdf.md has the
// bounds.

#define TOI_LANES 4 // whatever the instruction set: the tree is made so
#include "kernel/distance.h"

#include "base/simd.h"
#include "sdf/mesh_walk.h"

#include <string.h>

_Static_assert(TOI_LANES == TOI_WIDE, "a vector holds a node's children");

TOI_INLINE toi_real load(const double *from)
{
    toi_real x;
    memcpy(&x, from, sizeof x);
    return x;
}

// A child waits with the square of its distance.
typedef struct waiting
{
    double square;
    int32_t child;
} waiting;

// Squares of the distances of a node's boxes. Each is wrong by a factor of at most 1 + 6 ulp.
TOI_INLINE toi_real box_squares(const toi_wide_node *node, const double p[3])
{
    toi_real sum = TOI_SPREAD(0);
    for (int k = 0; k < 3; ++k) {
        toi_real below = load(node->low[k]) - p[k], above = p[k] - load(node->high[k]);
        toi_real gap = toi_max(toi_max(below, above), TOI_SPREAD(0));
        sum += gap * gap;
    }
    return sum;
}

// The greater first.
TOI_INLINE void order(int64_t *a, int64_t *b)
{
    int64_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = high;
    *b = low;
}

// Puts the children nearer than `limit` on the stack, the nearest on top. The last bits of a square
// are replaced by its lane, so that they are sorted without branches; that changes it by 3 ulp at
// most. All lanes are written, those not wanted above the top.
TOI_INLINE int push_near(const toi_wide_node *node, const double p[3], double limit, waiting *stack,
                         int top)
{
    const toi_mask lanes = {0, 1, 2, 3};
    toi_real squares = box_squares(node, p);
    toi_mask near = TOI_TEST(squares < TOI_SPREAD(limit));
    toi_mask bits = (((toi_to_bits(squares) & ~(int64_t)3) | lanes) & near) | ~near;
    int64_t key[TOI_WIDE];
    memcpy(key, &bits, sizeof key);
    order(&key[0], &key[1]);
    order(&key[2], &key[3]);
    order(&key[0], &key[2]);
    order(&key[1], &key[3]);
    order(&key[1], &key[2]);
    for (int i = 0; i < TOI_WIDE; ++i) {
        memcpy(&stack[top + i].square, &key[i], sizeof key[i]);
        stack[top + i].child = node->child[key[i] & 3];
    }
    return top + __builtin_popcount(toi_mask_word(near));
}

// Four triangles as P + u E + v G seen from a point.
typedef struct figure
{
    toi_real p[3], e[3], g[3];
} figure;

TOI_INLINE void see_block(const toi_triangle_block *block, const double point[3], figure *f)
{
    for (int k = 0; k < 3; ++k) {
        toi_real a = load(block->corners[0][k]);
        f->p[k] = a - point[k];
        f->e[k] = load(block->corners[1][k]) - a;
        f->g[k] = load(block->corners[2][k]) - a;
    }
}

// The nearest points of four triangles with wide angles: one solution by cross products is good
// enough, and so are products with rounded inverses. docs/sdf.md has the error.
TOI_INLINE toi_closest closest_on_wide(const toi_triangle_block *block, const figure *f)
{
    toi_real far[3], side[3], pg[3], ep[3], n[3];
    toi_real u = toi_clamp01(-toi_dot(f->p, f->e) * load(block->inverse[0]));
    toi_real v = toi_clamp01(-toi_dot(f->p, f->g) * load(block->inverse[1]));
    toi_closest best = {toi_square_along(f->p, f->e, u), u, TOI_SPREAD(0)};
    toi_closest other = {toi_square_along(f->p, f->g, v), TOI_SPREAD(0), v};
    toi_keep_nearer(TOI_TEST(other.square < best.square), &other, &best);
    for (int k = 0; k < 3; ++k) {
        far[k] = f->p[k] + f->e[k];
        side[k] = f->g[k] - f->e[k];
        n[k] = load(block->normal[k]);
    }
    toi_real s = toi_clamp01(-toi_dot(far, side) * load(block->inverse[2]));
    toi_try_point(f->p, f->e, f->g, 1 - s, s, &best);
    toi_cross(f->p, f->g, pg);
    toi_cross(f->e, f->p, ep);
    u = -toi_dot(pg, n);
    v = -toi_dot(ep, n);
    toi_mask inside = TOI_TEST(u >= 0) & TOI_TEST(v >= 0) & TOI_TEST(u + v <= 1);
    toi_try_point_where(inside, f->p, f->e, f->g, u, v, &best);
    return best;
}

TOI_INLINE toi_closest closest_in_block(const toi_triangle_block *block, const figure *f)
{
    if (block->wide)
        return closest_on_wide(block, f);
    return toi_closest_on_triangle(f->p, f->e, f->g);
}

TOI_INLINE void keep_lane(const figure *f, const toi_closest *at, int lane, int32_t block,
                          toi_nearest *nearest)
{
    nearest->square = at->square[lane];
    nearest->u = at->u[lane];
    nearest->v = at->v[lane];
    nearest->block = block;
    nearest->lane = lane;
    for (int k = 0; k < 3; ++k)
        nearest->offset[k] =
            -((f->p[k][lane] + nearest->u * f->e[k][lane]) + nearest->v * f->g[k][lane]);
}

TOI_INLINE void try_block(const toi_mesh_tree *tree, int32_t index, const double point[3],
                          toi_nearest *nearest)
{
    figure f;
    see_block(&tree->blocks[index], point, &f);
    toi_closest at = closest_in_block(&tree->blocks[index], &f);
    unsigned word = toi_mask_word(TOI_TEST(at.square < TOI_SPREAD(nearest->square)));
    for (; word; word &= word - 1) {
        int lane = __builtin_ctz(word);
        if (at.square[lane] < nearest->square)
            keep_lane(&f, &at, lane, index, nearest);
    }
}

// Starts from the square in *nearest.
static void find_nearest(const toi_mesh_tree *tree, const double point[3], toi_nearest *nearest)
{
    waiting stack[TOI_WIDE_STACK];
    int top = push_near(&tree->nodes[0], point, nearest->square, stack, 0);
    while (top > 0) {
        waiting next = stack[--top];
        if (next.square >= nearest->square)
            continue;
        if (next.child < 0)
            try_block(tree, ~next.child, point, nearest);
        else
            top = push_near(&tree->nodes[next.child], point, nearest->square, stack, top);
    }
}

// Which boxes may the ray meet? Every time of crossing a plane is wrong by 3 ulp at most, so none
// that it meets is left out.
TOI_INLINE unsigned boxes_on_ray(const toi_wide_node *node, const double p[3],
                                 const double direction[3], const double inverse[3])
{
    toi_real enter = TOI_SPREAD(0), leave = TOI_SPREAD((double)INFINITY);
    for (int k = 0; k < 3; ++k) {
        toi_real low = load(node->low[k]) - p[k], high = load(node->high[k]) - p[k];
        enter = toi_max(enter, (direction[k] > 0 ? low : high) * inverse[k]);
        leave = toi_min(leave, (direction[k] > 0 ? high : low) * inverse[k]);
    }
    return toi_mask_word(TOI_TEST(enter <= leave * (1 + 0x1p-48)));
}

// direction.(a x b): which way the ray passes the side from a to b.
TOI_INLINE toi_real pass_side(const toi_real a[3], const toi_real b[3], const double direction[3])
{
    toi_real n[3];
    toi_cross(a, b, n);
    return n[0] * direction[0] + n[1] * direction[1] + n[2] * direction[2];
}

// Counts the faces of a block that the ray crosses; false: rounding may decide for one.
TOI_INLINE bool count_block(const toi_triangle_block *block, const double p[3],
                            const double direction[3], int64_t *count)
{
    toi_real c[3][3], largest = TOI_SPREAD(0), n[3];
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 3; ++k) {
            c[v][k] = load(block->corners[v][k]) - p[k];
            largest = toi_max(largest, toi_abs(c[v][k]));
        }
    toi_real slack = largest * largest * 0x1p-48 + TOI_TINY;
    toi_mask left = TOI_TEST(slack >= 0), right = left, maybe_left = left, maybe_right = left;
    for (int v = 0; v < 3; ++v) {
        toi_real side = pass_side(c[v], c[(v + 1) % 3], direction);
        left &= TOI_TEST(side > slack);
        right &= TOI_TEST(side < -slack);
        maybe_left &= TOI_TEST(side >= -slack);
        maybe_right &= TOI_TEST(side <= slack);
    }
    unsigned used = 0;
    for (int lane = 0; lane < TOI_WIDE; ++lane)
        used |= (block->face[lane] >= 0 ? 1u : 0u) << lane;
    unsigned sure = toi_mask_word(left | right) & used;
    if (toi_mask_word(maybe_left | maybe_right) & used & ~sure)
        return false;
    if (!sure)
        return true;
    toi_cross(c[1], c[2], n);
    toi_real volume = toi_dot(c[0], n), doubt = largest * slack * 2 + TOI_TINY;
    if (toi_mask_word(TOI_TEST(toi_abs(volume) <= doubt)) & sure)
        return false;
    // The ray leaves through a face whose sides it passes on the left, and meets it ahead if the
    // face is seen from within.
    unsigned out = toi_mask_word(left & TOI_TEST(volume > 0)) & sure;
    unsigned in = toi_mask_word(right & TOI_TEST(volume < 0)) & sure;
    *count += __builtin_popcount(out) - __builtin_popcount(in);
    return true;
}

static bool count_crossings(const toi_mesh_tree *tree, const double point[3],
                            const double direction[3], int64_t *count)
{
    double inverse[3] = {1 / direction[0], 1 / direction[1], 1 / direction[2]};
    int32_t stack[TOI_WIDE_STACK];
    int top = 0;
    stack[top++] = 0;
    *count = 0;
    while (top > 0) {
        const toi_wide_node *node = &tree->nodes[stack[--top]];
        unsigned word = boxes_on_ray(node, point, direction, inverse);
        for (; word; word &= word - 1) {
            int32_t child = node->child[__builtin_ctz(word)];
            if (child >= 0)
                stack[top++] = child;
            else if (!count_block(&tree->blocks[~child], point, direction, count))
                return false;
        }
    }
    return true;
}

// Half-spaces so far, and what may still be done.
typedef struct cover
{
    const double *point;
    double slack;
    double enough; // the distance of a half-space that makes the bound at the point no worse
    toi_support *supports;
    int count;
    int room;
    int steps; // until things are no longer looked into
    bool lost; // a half-space holds the point itself: then nothing is said beyond it
} cover;

// Of four things, which half-space needs to be lowered least, to what distance, and by how much.
typedef struct fit
{
    toi_real distance;
    toi_real loss;
    toi_mask index;
} fit;

// n.(c - y), for c - y given: at least this, whatever was rounded.
TOI_INLINE toi_real lower(toi_real sum, toi_real size)
{
    return sum - (size * 0x1p-50 + TOI_TINY);
}

TOI_INLINE toi_real support_boxes(const toi_wide_node *node, const double p[3],
                                  const double normal[3])
{
    toi_real sum = TOI_SPREAD(0), size = TOI_SPREAD(0);
    for (int k = 0; k < 3; ++k) {
        toi_real part = (p[k] - load(normal[k] > 0 ? node->high[k] : node->low[k])) * normal[k];
        sum += part;
        size += toi_abs(part);
    }
    return lower(sum, size);
}

TOI_INLINE toi_real support_triangles(const toi_triangle_block *block, const double p[3],
                                      const double normal[3])
{
    toi_real least = TOI_SPREAD((double)INFINITY);
    for (int v = 0; v < 3; ++v) {
        toi_real sum = TOI_SPREAD(0), size = TOI_SPREAD(0);
        for (int k = 0; k < 3; ++k) {
            toi_real part = (p[k] - load(block->corners[v][k])) * normal[k];
            sum += part;
            size += toi_abs(part);
        }
        least = toi_min(least, lower(sum, size));
    }
    return least;
}

TOI_INLINE void keep_fit(toi_real distance, const toi_support *support, int index, fit *best)
{
    toi_real loss = support->distance - distance;
    toi_mask better = TOI_TEST(loss < best->loss);
    best->loss = TOI_SELECT(better, loss, best->loss);
    best->distance = TOI_SELECT(better, distance, best->distance);
    best->index = (better & ((toi_mask){0} + index)) | (~better & best->index);
}

static const fit UNFIT = {{0}, {INFINITY, INFINITY, INFINITY, INFINITY}, {0}};

// Half-spaces are tried until all things that count are in one; of triangles from number `from` on.
TOI_INLINE void fit_boxes(const cover *c, const toi_wide_node *node, toi_mask count, fit *best)
{
    for (int i = 0; i < c->count && toi_any(TOI_TEST(best->loss > TOI_SPREAD(0)) & count); ++i)
        keep_fit(support_boxes(node, c->point, c->supports[i].normal), &c->supports[i], i, best);
}

TOI_INLINE void fit_triangles(const cover *c, const toi_triangle_block *block, int from, fit *best)
{
    for (int i = from; i < c->count && toi_any(TOI_TEST(best->loss > TOI_SPREAD(0))); ++i)
        keep_fit(support_triangles(block, c->point, c->supports[i].normal), &c->supports[i], i,
                 best);
}

// The fewer half-spaces are left, the more they may be lowered.
TOI_INLINE double slack_now(const cover *c)
{
    return c->slack * (double)(1 << c->count);
}

// Does the best half-space hold a thing, if it may be lowered that far?
TOI_INLINE bool is_held(cover *c, const fit *best, int lane, double slack)
{
    toi_support *s = &c->supports[best->index[lane]];
    double distance = best->distance[lane];
    if (distance >= s->distance)
        return true;
    if (!(distance >= s->first - slack))
        return false;
    s->distance = distance;
    c->lost |= !(distance > 0);
    return true;
}

TOI_INLINE toi_support support_lane(const cover *c, const toi_triangle_block *block,
                                    const figure *f, const toi_closest *at, int lane)
{
    double corners[3][3], offset[3], u = at->u[lane], v = at->v[lane];
    toi_block_corners(block, lane, corners);
    for (int k = 0; k < 3; ++k)
        offset[k] = -((f->p[k][lane] + u * f->e[k][lane]) + v * f->g[k][lane]);
    return toi_support_triangle(corners, c->point, u, v, offset, c->enough);
}

TOI_INLINE void add_support(cover *c, toi_support support)
{
    c->supports[c->count++] = support;
    c->lost |= !(support.distance > 0);
}

// A half-space for the triangles of a block that are in none yet.
TOI_INLINE void cover_block(cover *c, const toi_triangle_block *block, double reach)
{
    fit best = UNFIT;
    fit_triangles(c, block, 0, &best);
    if (!toi_any(TOI_TEST(best.loss > TOI_SPREAD(0))))
        return;
    figure f;
    see_block(block, c->point, &f);
    toi_closest at = closest_in_block(block, &f);
    unsigned word = toi_mask_word(TOI_TEST(at.square <= TOI_SPREAD(reach)));
    for (; word; word &= word - 1) {
        int lane = __builtin_ctz(word);
        if (is_held(c, &best, lane, slack_now(c)))
            continue;
        if (c->count == c->room) {
            is_held(c, &best, lane, INFINITY);
            continue;
        }
        add_support(c, support_lane(c, block, &f, &at, lane));
        fit_triangles(c, block, c->count - 1, &best);
    }
}

// Covers the children of a node, or puts them on the stack to look into them.
TOI_INLINE int cover_node(cover *c, const toi_wide_node *node, double reach, waiting *stack,
                          int top)
{
    int base = top;
    fit best = UNFIT;
    toi_real squares = box_squares(node, c->point);
    toi_mask near = TOI_TEST(squares <= TOI_SPREAD(reach));
    unsigned word = toi_mask_word(near);
    fit_boxes(c, node, near, &best);
    for (; word; word &= word - 1) {
        int lane = __builtin_ctz(word);
        double square = squares[lane];
        if (is_held(c, &best, lane, slack_now(c)))
            continue;
        if (c->steps <= 0) {
            is_held(c, &best, lane, INFINITY);
            continue;
        }
        int at = top++;
        for (; at > base && stack[at - 1].square < square; --at)
            stack[at] = stack[at - 1];
        stack[at] = (waiting){square, node->child[lane]};
    }
    return top;
}

// A face's own half-space is taken if it is no nearer than this share of the nearest one's.
static const double ENOUGH = 1 - 0x1p-6;

enum
{
    MOST_STEPS = 160 // nodes and blocks that a cover looks into
};

// The first half-space: that of the triangle given.
static void cover_first(cover *c, const toi_triangle_block *block, int lane)
{
    figure f;
    see_block(block, c->point, &f);
    toi_closest at = closest_in_block(block, &f);
    add_support(c, support_lane(c, block, &f, &at, lane));
}

static int cover_near(const toi_mesh_tree *tree, const double point[3], const toi_near *near,
                      toi_support *supports, int room)
{
    cover c = {.point = point, .slack = near->slack, .supports = supports, .room = room};
    c.steps = MOST_STEPS;
    c.enough = INFINITY;
    cover_first(&c, &tree->blocks[near->block], near->lane);
    c.enough = supports[0].distance * ENOUGH;
    double reach = near->reach * near->reach * (1 + 0x1p-40); // squared, rounded up
    waiting stack[TOI_WIDE_STACK];
    int top = cover_node(&c, &tree->nodes[0], reach, stack, 0);
    while (top > 0 && !c.lost) {
        waiting next = stack[--top];
        --c.steps;
        if (next.child < 0)
            cover_block(&c, &tree->blocks[~next.child], reach);
        else
            top = cover_node(&c, &tree->nodes[next.child], reach, stack, top);
    }
    return c.lost ? 0 : c.count;
}

extern const toi_mesh_kernel TOI_ISA_NAME(toi_mesh_kernel);
const toi_mesh_kernel TOI_ISA_NAME(toi_mesh_kernel) = {find_nearest, count_crossings, cover_near};
