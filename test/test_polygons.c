// Polygons cut into triangles: what is simple is cut into what covers it once, what is not is
// refused by name; against two loops over all sides in whole numbers.

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST = 4096
};

// Corners on a lattice, in the plane z = rise x, or with the axes exchanged.
typedef struct polygon
{
    int32_t count;
    int64_t x[MOST], y[MOST];
} polygon;

// ---- The twin

static int64_t cross(const polygon *p, int i, int j, int k)
{
    return (p->x[j] - p->x[i]) * (p->y[k] - p->y[i]) - (p->y[j] - p->y[i]) * (p->x[k] - p->x[i]);
}

static int sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

static bool is_within(int64_t x, int64_t a, int64_t b)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

static bool is_on_side(const polygon *p, int i, int j, int k)
{
    return cross(p, i, j, k) == 0 && is_within(p->x[k], p->x[i], p->x[j]) &&
           is_within(p->y[k], p->y[i], p->y[j]);
}

static bool sides_meet(const polygon *p, int i, int j, int k, int l)
{
    if (is_on_side(p, i, j, k) || is_on_side(p, i, j, l) || is_on_side(p, k, l, i) ||
        is_on_side(p, k, l, j))
        return true;
    return sign(cross(p, i, j, k)) * sign(cross(p, i, j, l)) < 0 &&
           sign(cross(p, k, l, i)) * sign(cross(p, k, l, j)) < 0;
}

static bool is_simple(const polygon *p)
{
    int n = p->count;
    for (int i = 0; i < n; ++i) {
        int j = (i + 1) % n, after = (i + 2) % n;
        if (is_on_side(p, i, j, after) || is_on_side(p, j, after, i))
            return false;
        for (int k = i + 2; k < n; ++k)
            if ((k + 1) % n != i && sides_meet(p, i, j, k, (k + 1) % n))
                return false;
    }
    return true;
}

// ---- Cutting

// Where an axis of the polygon goes: the plane is turned about and leans.
static void place_corner(const polygon *p, int i, int axis, double lean, double x[3])
{
    x[(axis + 1) % 3] = (double)p->x[i];
    x[(axis + 2) % 3] = (double)p->y[i];
    x[axis] = lean * (double)p->x[i] + 1;
}

static toi_status cut(const polygon *p, int axis, double lean, toi_polygon_mesh *mesh)
{
    static double x[MOST][3];
    static int32_t corners[MOST];
    int64_t first[2] = {0, p->count};
    for (int i = 0; i < p->count; ++i) {
        place_corner(p, i, axis, lean, x[i]);
        corners[i] = i;
    }
    return toi_triangulate_polygons(toi_view_points(x[0], p->count), corners, first, 1, mesh);
}

// Every side of a triangle is a side of the polygon, once and along it, or a diagonal that another
// triangle has the other way round; triangles turn the way the polygon does. So they cover it once.
static void check_cover(const polygon *p, const toi_polygon_mesh *mesh)
{
    static uint8_t ways[64][64];
    int n = p->count;
    int64_t area = 0, covered = 0;
    assert_true(n <= 64);
    memset(ways, 0, sizeof ways);
    assert_int_equal(mesh->count, n - 2);
    for (int i = 1; i + 1 < n; ++i)
        area += cross(p, 0, i, i + 1);
    for (int64_t f = 0; f < mesh->count; ++f) {
        const int32_t *v = mesh->faces[f];
        int64_t own = cross(p, v[0], v[1], v[2]);
        assert_int_equal(sign(own), sign(area));
        covered += own;
        assert_int_equal(mesh->polygons[f], 0);
        for (int k = 0; k < 3; ++k) {
            int i = v[k], j = v[(k + 1) % 3];
            bool diagonal = mesh->diagonals[f] >> k & 1;
            assert_int_equal(diagonal, j != (i + 1) % n && i != (j + 1) % n);
            assert_int_equal(ways[i][j]++, 0);
            assert_true(diagonal || j == (i + 1) % n);
        }
        assert_true(mesh->diagonals[f] < 8);
    }
    assert_int_equal(covered, area);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (j != (i + 1) % n && i != (j + 1) % n)
                assert_int_equal(ways[i][j], ways[j][i]);
            else if (j == (i + 1) % n)
                assert_int_equal(ways[i][j], 1);
}

// As it is, and from the other end.
static bool check_polygon(const polygon *p, int axis, double lean)
{
    bool simple = is_simple(p);
    toi_polygon_mesh mesh;
    toi_status status = cut(p, axis, lean, &mesh);
    if (simple) {
        if (status != TOI_OK)
            fail_msg("refused: %s", toi_last_message());
        check_cover(p, &mesh);
        toi_free_polygon_mesh(&mesh);
    } else
        assert_fails(status, TOI_ERROR_DATA, "polygon 0 is not simple: ");
    assert_null(mesh.faces);
    return simple;
}

static void reverse(polygon *p)
{
    for (int i = 0, j = p->count - 1; i < j; ++i, --j) {
        int64_t x = p->x[i], y = p->y[i];
        p->x[i] = p->x[j];
        p->y[i] = p->y[j];
        p->x[j] = x;
        p->y[j] = y;
    }
}

// Corners at random: short polygons are often simple, and those on small lattices have straight
// corners and touch themselves in every way.
static void random_polygons_agree(void **state)
{
    (void)state;
    static polygon p;
    toi_random random = {5};
    int64_t simple = 0, count = cases(200000);
    for (int64_t n = 0; n < count; ++n) {
        int side = 2 + (int)toi_random_below(&random, 5);
        p.count = 4 + (int32_t)toi_random_below(&random, 6);
        for (int i = 0; i < p.count; ++i) {
            p.x[i] = (int64_t)toi_random_below(&random, (uint64_t)side);
            p.y[i] = (int64_t)toi_random_below(&random, (uint64_t)side);
        }
        simple += check_polygon(&p, (int)toi_random_below(&random, 3),
                                (double)toi_random_below(&random, 3) / 4);
    }
    print_message("%lld of %lld are simple\n", (long long)simple, (long long)count);
    assert_true(simple > count / 20 && simple < count - count / 20);
}

// Sides that cross are exchanged until none does: winding polygons on a lattice.
static void untangle(polygon *p)
{
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < p->count; ++i)
            for (int k = i + 2; k < p->count; ++k) {
                int l = (k + 1) % p->count;
                if (l == i || sign(cross(p, i, i + 1, k)) * sign(cross(p, i, i + 1, l)) >= 0 ||
                    sign(cross(p, k, l, i)) * sign(cross(p, k, l, i + 1)) >= 0)
                    continue;
                for (int a = i + 1, b = k; a < b; ++a, --b) {
                    int64_t x = p->x[a], y = p->y[a];
                    p->x[a] = p->x[b], p->y[a] = p->y[b];
                    p->x[b] = x, p->y[b] = y;
                }
                again = true;
            }
    }
}

static void winding_polygons_are_cut(void **state)
{
    (void)state;
    static polygon p;
    toi_random random = {6};
    int64_t simple = 0, count = cases(4000);
    for (int64_t n = 0; n < count; ++n) {
        p.count = 8 + (int32_t)toi_random_below(&random, 50);
        uint64_t side = n % 2 ? 12 : 200;
        for (int i = 0; i < p.count; ++i) {
            p.x[i] = (int64_t)toi_random_below(&random, side);
            p.y[i] = (int64_t)toi_random_below(&random, side);
        }
        untangle(&p);
        if (n % 3 == 0)
            reverse(&p);
        simple += check_polygon(&p, (int)toi_random_below(&random, 3), 0.5);
    }
    print_message("%lld of %lld are simple\n", (long long)simple, (long long)count);
    assert_true(simple > count / 4 && simple < count);
}

// ---- By name

static void expect(const int64_t (*corners)[2], int count, const char *message)
{
    static polygon p;
    p.count = count;
    for (int i = 0; i < count; ++i) {
        p.x[i] = corners[i][0];
        p.y[i] = corners[i][1];
    }
    toi_polygon_mesh mesh;
    toi_status status = cut(&p, 2, 0, &mesh);
    if (message)
        assert_fails(status, TOI_ERROR_DATA, message);
    else
        assert_ok(status);
    toi_free_polygon_mesh(&mesh);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    expect((const int64_t[][2]){{0, 0}, {4, 0}, {4, 4}, {0, 4}}, 4, NULL);
    expect((const int64_t[][2]){{0, 0}, {2, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 2}}, 6, NULL);
    expect((const int64_t[][2]){{0, 0}, {4, 4}, {4, 0}, {0, 4}}, 4,
           "polygon 0 is not simple: its sides from 0 to 1 and from 2 to 3 meet");
    expect((const int64_t[][2]){{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}}, 5,
           "polygon 0 is not simple: its sides from 0 to 1 and from 3 to 4 meet");
    expect((const int64_t[][2]){{0, 0}, {4, 0}, {0, 0}, {0, 4}}, 4,
           "polygon 0 is not simple: its vertices 0 and 2 are at the same place");
    expect((const int64_t[][2]){{0, 0}, {4, 0}, {6, 0}, {2, 0}}, 4,
           "polygon 0 is not simple: it turns back on itself at vertex 0");
    expect((const int64_t[][2]){{0, 0}, {9, 0}, {9, 9}, {8, 9}, {3, 0}, {7, 9}}, 6,
           "polygon 0 is not simple: vertex 4 is on its side from 0 to 1");
    expect((const int64_t[][2]){{0, 0}, {4, 4}}, 2, "polygon 0 has 2 corners");
    expect((const int64_t[][2]){{0, 0}, {2, 2}, {4, 4}}, 3, NULL); // a face without area
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 2, NAN}};
    int32_t corners[] = {0, 1, 2, 3, 0, 1, 7};
    int64_t first[] = {0, 4, 7}, late[] = {1, 4};
    toi_point_view points = toi_view_points(x[0], 4), bad = toi_view_points(x[0], 5);
    toi_polygon_mesh mesh;
    assert_fails(toi_triangulate_polygons(points, corners, first, 2, &mesh), TOI_ERROR_DATA,
                 "polygon 1: vertex index 7 is not in [0, 4)");
    corners[6] = 2;
    assert_ok(toi_triangulate_polygons(points, corners, first, 2, &mesh));
    assert_int_equal(mesh.count, 3);
    assert_int_equal(mesh.polygons[2], 1);
    toi_polygon_view view = toi_view_polygons(&mesh);
    assert_ptr_equal(view.polygons, mesh.polygons);
    assert_ptr_equal(view.diagonals, mesh.diagonals);
    assert_int_equal(view.count, 3);
    toi_free_polygon_mesh(&mesh);
    toi_free_polygon_mesh(&mesh);
    toi_free_polygon_mesh(NULL);
    assert_ok(toi_triangulate_polygons(points, NULL, NULL, 0, &mesh));
    assert_int_equal(mesh.count, 0);
    toi_free_polygon_mesh(&mesh);
    assert_fails(toi_triangulate_polygons(points, corners, late, 1, &mesh), TOI_ERROR_ARGUMENT,
                 "begins at corner 1");
    assert_fails(toi_triangulate_polygons(points, NULL, first, 1, &mesh), TOI_ERROR_ARGUMENT,
                 "corners are NULL");
    assert_fails(toi_triangulate_polygons(points, corners, first, -1, &mesh), TOI_ERROR_ARGUMENT,
                 "polygons is -1");
    assert_fails(toi_triangulate_polygons(points, corners, first, 2, NULL), TOI_ERROR_ARGUMENT,
                 "NULL");
    assert_fails(toi_triangulate_polygons(bad, corners, first, 2, &mesh), TOI_ERROR_DATA,
                 "vertex 4: coordinate z");
}

// Two corners a little off the plane, coordinates far out, tiny and huge: the same cut as close by.
static void scales_do_not_matter(void **state)
{
    (void)state;
    static const double PLACES[6][2] = {{0, 0}, {4, 0}, {4, 3}, {2, 1}, {0, 3}, {0, 1}};
    static const double SCALES[] = {1, 0x1p60, 0x1p-60, 0x1p-1074, 0x1p1020, 0x1p-1040};
    int32_t corners[] = {0, 1, 2, 3, 4, 5};
    int64_t first[] = {0, 6};
    int32_t expected[4][3];
    for (size_t n = 0; n < sizeof SCALES / sizeof *SCALES; ++n) {
        double x[6][3];
        for (int i = 0; i < 6; ++i) {
            x[i][0] = PLACES[i][0] * SCALES[n];
            x[i][1] = PLACES[i][1] * SCALES[n];
            x[i][2] = i == 2 ? SCALES[n] : 0;
        }
        toi_polygon_mesh mesh;
        assert_ok(toi_triangulate_polygons(toi_view_points(x[0], 6), corners, first, 1, &mesh));
        assert_int_equal(mesh.count, 4);
        if (n == 0)
            memcpy(expected, mesh.faces, sizeof expected);
        assert_memory_equal(mesh.faces, expected, sizeof expected);
        toi_free_polygon_mesh(&mesh);
    }
}

// A comb has half its corners on the sweep line at once, a spiral winds, a saw makes long chains.
static void large_polygons_end(void **state)
{
    (void)state;
    int32_t count = (int32_t)cases(100000) / 2 * 2;
    double(*x)[3] = calloc((size_t)count, sizeof *x);
    int32_t *corners = calloc((size_t)count, sizeof *corners);
    for (int shape = 0; shape < 3; ++shape) {
        for (int32_t i = 0; i < count; ++i) {
            bool inner = i >= count / 2;
            double along = inner ? count - 1 - i : i, angle = 0.01 * along;
            double r = inner ? 9 + angle : 10 + angle;
            corners[i] = i;
            x[i][0] = shape == 0 ? (i % 2) * 1000.0 : shape == 1 ? r * cos(angle) : along;
            x[i][1] = shape == 0   ? i - (i % 2) * 0.5
                      : shape == 1 ? r * sin(angle)
                                   : (inner ? 0 : 1) + (i % 2) * 0.25;
            x[i][2] = 0;
        }
        if (shape == 0) // the last corner brings it back, left of all
            x[count - 1][0] = -1, x[count - 1][1] = count;
        int64_t first[] = {0, count};
        toi_polygon_mesh mesh;
        assert_ok(toi_triangulate_polygons(toi_view_points(x[0], count), corners, first, 1, &mesh));
        assert_int_equal(mesh.count, count - 2);
        toi_free_polygon_mesh(&mesh);
    }
    free(x);
    free(corners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_polygons_agree),  cmocka_unit_test(winding_polygons_are_cut),
        cmocka_unit_test(what_is_wrong_is_named), cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(scales_do_not_matter),   cmocka_unit_test(large_polygons_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
