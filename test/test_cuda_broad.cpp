// What the broad phases of a card compute with, on the host: boxes are the processor's, images keep
// every overlap, boxes that overlap meet in one cell, and trees have every leaf once.

#include "toi/random.h"

#include "cuda/broad.cuh"

extern "C"
{
#include "broad_sets.h"
}

#include <algorithm>
#include <cstdio>
#include <vector>

static toi_card_box card_box(const toi_box &box)
{
    toi_card_box b;
    memcpy(&b, &box, sizeof b);
    return b;
}

static toi_frame frame_of(const box_list &list)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int64_t i = 0; i < list.count; ++i)
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], list.data[i].lo[k]);
            high[k] = std::max(high[k], list.data[i].hi[k]);
        }
    return toi_take_frame(low, high);
}

static toi_grid grid_of(const toi_frame *f, float cells)
{
    toi_grid g;
    for (int k = 0; k < 3; ++k) {
        g.low[k] = f->low[k];
        g.per_unit[k] = f->steps[k] / 32700 * cells;
    }
    return g;
}

// One set of boxes: its images, their cells and their tree.
struct box_images
{
    std::vector<toi_card_box> boxes;
    std::vector<toi_float_row> rows;
    toi_grid grid;
};

static box_images make_images(int kind, int64_t count, uint64_t seed, float cells)
{
    box_list list = make_boxes(kind, count, seed);
    toi_frame frame = frame_of(list);
    box_images made;
    for (int64_t i = 0; i < list.count; ++i) {
        made.boxes.push_back(card_box(list.data[i]));
        made.rows.push_back(toi_image_of(&frame, &made.boxes.back(), (uint32_t)i));
    }
    made.grid = grid_of(&frame, cells);
    free(list.data);
    return made;
}

// A mesh of one edge and one face, at random places and sizes.
static void boxes_are_the_processors(void **state)
{
    (void)state;
    toi_random random = {3};
    int32_t edge[2] = {0, 1}, face[3] = {0, 1, 2};
    for (int64_t i = 0; i < cases(100000); ++i) {
        double x[2][3][3];
        int exponent = (int)toi_random_below(&random, 2100) - 1080;
        for (int j = 0; j < 18; ++j)
            x[j / 9][j / 3 % 3][j % 3] =
                ldexp(toi_random_unit(&random) - 0.5, exponent - (int)toi_random_below(&random, 3));
        toi_mesh mesh = toi_make_mesh(x[0][0], x[1][0], 3, face, 1);
        mesh.edges = toi_index_view{edge, 1, 0};
        double separation =
            i % 2 ? ldexp(toi_random_unit(&random),
                          std::min(exponent + (int)toi_random_below(&random, 60) - 50, 1023))
                  : 0;
        bool widen = i % 3 == 0;
        toi_box all[3];
        for (int primitive = TOI_VERTEX; primitive <= TOI_FACE; ++primitive) {
            toi_box expected;
            toi_box_float rounded;
            toi_card_box found;
            assert_ok(toi_make_boxes(&mesh, (toi_primitive)primitive, separation, 1, all));
            expected = all[0];
            toi_round_boxes(toi_box_view{&expected, 1}, &rounded);
            for (int k = 0; k < 3 && widen; ++k) {
                expected.lo[k] = (double)rounded.lo[k];
                expected.hi[k] = (double)rounded.hi[k];
            }
            toi_start_box(&found);
            for (int c = 0; c <= primitive; ++c) {
                double ends[6];
                memcpy(ends, x[0][c], sizeof x[0][c]);
                memcpy(ends + 3, x[1][c], sizeof x[1][c]);
                toi_enclose(ends, &found);
            }
            toi_finish_box(toi_halve_up(separation), widen, &found);
            for (int k = 0; k < 3; ++k)
                assert_true(found.lo[k] == expected.lo[k] && found.hi[k] == expected.hi[k]);
        }
    }
}

// Every pair that overlaps does so as images, and is in one cell exactly with both.
static void cells_keep_every_pair(void **state)
{
    (void)state;
    int64_t pairs = 0;
    for (int kind = 0; kind < BOX_KINDS; ++kind)
        for (int round = 0; round < 3; ++round) {
            const float cells[] = {1, 7, 900};
            box_images s = make_images(kind, 300, (uint64_t)round + 1, cells[round]);
            for (size_t a = 0; a < s.rows.size(); ++a)
                for (size_t b = a + 1; b < s.rows.size(); ++b) {
                    if (!toi_boxes_overlap(&s.boxes[a], &s.boxes[b]))
                        continue;
                    ++pairs;
                    if (!toi_rows_overlap(s.rows[a], s.rows[b]))
                        fail_msg("%s: images of %zu and %zu are apart", box_kind_name(kind), a, b);
                    uint32_t cell = toi_meeting_cell(&s.grid, s.rows[a], s.rows[b]);
                    uint32_t at[3] = {cell % TOI_CELLS, cell / TOI_CELLS % TOI_CELLS,
                                      cell / TOI_CELLS / TOI_CELLS};
                    for (size_t which : {a, b}) {
                        toi_cell_range r = toi_cells_of(&s.grid, s.rows[which]);
                        for (int k = 0; k < 3; ++k)
                            if (at[k] < r.first[k] || at[k] > r.last[k])
                                fail_msg("%s: %zu is not in the cell of %zu and %zu",
                                         box_kind_name(kind), which, a, b);
                    }
                }
        }
    assert_true(pairs > 100000);
}

static void ranges_have_every_cell_once(void **state)
{
    (void)state;
    toi_random random = {5};
    for (int i = 0; i < 200; ++i) {
        toi_cell_range r;
        std::vector<uint32_t> cells, expected;
        for (int k = 0; k < 3; ++k) {
            r.first[k] = (uint32_t)toi_random_below(&random, TOI_CELLS - 12);
            r.last[k] = r.first[k] + (uint32_t)toi_random_below(&random, 12);
        }
        for (uint64_t c = 0; c < toi_count_cells(&r); ++c)
            cells.push_back(toi_cell_at(&r, c));
        for (uint32_t z = r.first[2]; z <= r.last[2]; ++z)
            for (uint32_t y = r.first[1]; y <= r.last[1]; ++y)
                for (uint32_t x = r.first[0]; x <= r.last[0]; ++x)
                    expected.push_back(toi_cell_key(x, y, z));
        std::sort(cells.begin(), cells.end());
        assert_true(cells == expected); // and so no key is there twice
    }
}

static void keys_are_in_the_order_of_floats(void **state)
{
    (void)state;
    toi_random random = {7};
    std::vector<float> x = {-HUGE_VALF, HUGE_VALF, -0.0f, 0.0f, 0x1p-149f, -0x1p-149f};
    for (int i = 0; i < 2000; ++i)
        x.push_back(ldexpf((float)toi_random_unit(&random) - 0.5f,
                           (int)toi_random_below(&random, 270) - 140));
    for (float a : x)
        for (float b : x)
            if (a < b)
                assert_true(toi_float_key(a) < toi_float_key(b));
}

// Goes down a tree; counts every leaf, and how deep it is.
static int walk(const std::vector<toi_tree_node> &nodes, int32_t first, int32_t last, int32_t node,
                std::vector<int> *seen)
{
    if (first == last) {
        ++(*seen)[(size_t)first];
        return 0;
    }
    toi_tree_node n = nodes[(size_t)node];
    if (n.first != first || n.last != last || n.cut < first || n.cut >= last)
        fail_msg("node %d has the leaves %d to %d, cut after %d, not %d to %d", node, n.first,
                 n.last, n.cut, first, last);
    int left = walk(nodes, first, n.cut, n.cut, seen);
    int right = walk(nodes, n.cut + 1, last, n.cut + 1, seen);
    return 1 + std::max(left, right);
}

static void check_tree(const std::vector<uint32_t> &keys)
{
    int32_t count = (int32_t)keys.size();
    std::vector<toi_tree_node> nodes;
    std::vector<int> seen(keys.size(), 0);
    for (int32_t i = 0; i + 1 < count; ++i)
        nodes.push_back(toi_find_node(keys.data(), count, i));
    int depth = walk(nodes, 0, count - 1, 0, &seen);
    assert_true(depth <= 64); // find_lbvh.cu: STACK
    assert_true(std::count(seen.begin(), seen.end(), 1) == count);
}

static void trees_have_every_leaf_once(void **state)
{
    (void)state;
    toi_random random = {9};
    for (int64_t i = 0; i < cases(2000); ++i) {
        std::vector<uint32_t> keys;
        uint64_t spread = (uint64_t)1 << toi_random_below(&random, 31);
        for (uint64_t n = 1 + toi_random_below(&random, 300); n > 0; --n)
            keys.push_back((uint32_t)toi_random_below(&random, spread));
        std::sort(keys.begin(), keys.end());
        check_tree(keys);
    }
    std::vector<uint32_t> powers; // as deep as can be
    for (int bit = 0; bit < 31; ++bit)
        powers.push_back(1u << bit);
    check_tree(powers);
    for (int kind = 0; kind < BOX_KINDS; ++kind) {
        box_images s = make_images(kind, 500, 1, 1000);
        std::vector<uint32_t> keys;
        for (const toi_float_row &row : s.rows)
            keys.push_back(toi_morton_of(&s.grid, row));
        std::sort(keys.begin(), keys.end());
        assert_true(keys.back() < 1u << 30);
        check_tree(keys);
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_the_processors),
        cmocka_unit_test(cells_keep_every_pair),
        cmocka_unit_test(ranges_have_every_cell_once),
        cmocka_unit_test(keys_are_in_the_order_of_floats),
        cmocka_unit_test(trees_have_every_leaf_once),
    };
    return cmocka_run_group_tests_name("cuda_broad", tests, NULL, NULL);
}
