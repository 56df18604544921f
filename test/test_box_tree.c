// The hierarchy of boxes over triangles.

#include "support.h"

#include "sdf/tree.h"

#include "toi/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pile
{
    double (*points)[3];
    int32_t (*faces)[3];
    int64_t count;
} pile;

enum
{
    SPREAD,    // small triangles anywhere
    STACKED,   // all the same
    SHRINKING, // each a sixteenth of the last: no plane parts many
    HUGE_ONES, // differences overflow
    SHAPES
};

static double coordinate(int shape, toi_random *random, int64_t f)
{
    double r = toi_random_unit(random);
    switch (shape) {
    case STACKED:
        return 1;
    case SHRINKING:
        return (1 + r) * pow(0.0625, (double)(f % 250));
    case HUGE_ONES:
        return (r - 0.5) * 2 * 1.7e308;
    default:
        return r;
    }
}

static pile make_pile(int shape, int64_t count)
{
    pile s = {malloc((size_t)count * 3 * sizeof *s.points), malloc((size_t)count * sizeof *s.faces),
              count};
    toi_random random = {(uint64_t)shape + 5};
    for (int64_t f = 0; f < count; ++f) {
        double corner[3];
        for (int k = 0; k < 3; ++k)
            corner[k] = coordinate(shape, &random, f);
        for (int v = 0; v < 3; ++v) {
            s.faces[f][v] = (int32_t)(3 * f + v);
            for (int k = 0; k < 3; ++k)
                s.points[3 * f + v][k] =
                    corner[k] + (shape == SPREAD ? 0.01 * toi_random_unit(&random) : 0);
        }
    }
    return s;
}

static void free_pile(pile *s)
{
    free(s->points);
    free(s->faces);
}

static toi_status plant(const pile *s, int leaf, int workers, toi_box_tree *tree)
{
    return toi_make_box_tree(toi_view_points(s->points[0], 3 * s->count),
                             (toi_index_view){s->faces[0], s->count, 0}, leaf, workers, tree);
}

// The box of a node's triangles, from the triangles.
static void check_box(const toi_box_tree *t, const toi_box_node *n)
{
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = n->first; i < n->first + n->count; ++i)
            for (int v = 0; v < 3; ++v) {
                double x = t->points[t->faces[t->order[i]][v]][k];
                low = fmin(low, x);
                high = fmax(high, x);
            }
        assert_true(n->low[k] == low && n->high[k] == high);
    }
}

static int check_node(const toi_box_tree *t, int32_t index, int leaf, int64_t *seen)
{
    const toi_box_node *n = &t->nodes[index];
    ++*seen;
    check_box(t, n);
    assert_true(n->count > 0);
    if (n->child == 0) {
        assert_true(n->count <= leaf);
        return 0;
    }
    const toi_box_node *left = &t->nodes[n->child], *right = left + 1;
    assert_true(n->child > index && n->child + 1 < t->node_count);
    assert_int_equal(left->first, n->first);
    assert_int_equal(right->first, n->first + left->count);
    assert_int_equal(left->count + right->count, n->count);
    int a = check_node(t, n->child, leaf, seen), b = check_node(t, n->child + 1, leaf, seen);
    return 1 + (a > b ? a : b);
}

static void nodes_hold_their_triangles(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; ++shape)
        for (int leaf = 1; leaf <= 9; leaf += 4) {
            pile s = make_pile(shape, 3000);
            toi_box_tree tree;
            assert_ok(plant(&s, leaf, 1, &tree));
            int64_t seen = 0;
            int depth = check_node(&tree, 0, leaf, &seen);
            assert_int_equal(seen, tree.node_count);
            assert_true(depth <= TOI_TREE_DEPTH);
            char *named = calloc(3000, 1);
            for (int i = 0; i < 3000; ++i)
                assert_int_equal(named[tree.order[i]]++, 0);
            free(named);
            toi_free_box_tree(&tree);
            free_pile(&s);
        }
}

static void workers_do_not_matter(void **state)
{
    (void)state;
    pile s = make_pile(SPREAD, 40000);
    toi_box_tree one, many;
    assert_ok(plant(&s, 4, 1, &one));
    for (int workers = 2; workers <= 5; ++workers) {
        assert_ok(plant(&s, 4, workers, &many));
        assert_int_equal(one.node_count, many.node_count);
        assert_memory_equal(one.nodes, many.nodes, (size_t)one.node_count * sizeof *one.nodes);
        assert_memory_equal(one.order, many.order, (size_t)one.face_count * sizeof *one.order);
        toi_free_box_tree(&many);
    }
    assert_true(one.node_count > 10000);
    toi_free_box_tree(&one);
    free_pile(&s);
}

static void faults_are_named(void **state)
{
    (void)state;
    double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t faces[2][3] = {{0, 1, 2}, {0, 1, 3}};
    toi_index_view view = {faces[0], 2, 0};
    toi_box_tree tree;
    assert_ok(toi_make_box_tree(toi_view_points(points[0], 4), (toi_index_view){0}, 4, 1, &tree));
    assert_int_equal(tree.node_count, 0);
    toi_free_box_tree(&tree);
    points[2][1] = NAN;
    assert_fails(toi_make_box_tree(toi_view_points(points[0], 4), view, 4, 1, &tree),
                 TOI_ERROR_DATA, "vertex 2: coordinate y is nan");
    assert_null(tree.points);
    points[2][1] = 0;
    faces[1][2] = 4;
    assert_fails(toi_make_box_tree(toi_view_points(points[0], 4), view, 4, 1, &tree),
                 TOI_ERROR_DATA, "face 1: vertex index 4 is not in [0, 4)");
    assert_fails(toi_make_box_tree(toi_view_points(NULL, 4), view, 4, 1, &tree), TOI_ERROR_DATA,
                 "no data for 4 vertices");
    assert_fails(toi_make_box_tree(toi_view_points(points[0], -1), view, 4, 1, &tree),
                 TOI_ERROR_ARGUMENT, "the number of vertices is -1");
    assert_fails(toi_make_box_tree(toi_view_points(points[0], 4), view, 4, -1, &tree),
                 TOI_ERROR_ARGUMENT, "workers");
    assert_null(tree.faces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_hold_their_triangles),
        cmocka_unit_test(workers_do_not_matter),
        cmocka_unit_test(faults_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
