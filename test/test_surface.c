// What of a surface is in order: hand cases, and random faces against loops over all pairs.

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Hand cases

enum
{
    MOST_VERTICES = 64,
    MOST_FACES = 256
};

typedef struct model
{
    int32_t vertex_count, face_count;
    double x[MOST_VERTICES][3];
    int32_t faces[MOST_FACES][3];
} model;

static toi_surface_report check(const model *m)
{
    toi_mesh mesh = {.start = toi_view_points(m->x[0], m->vertex_count),
                     .faces = {m->faces[0], m->face_count, 0}};
    toi_surface_report report, again;
    assert_ok(toi_check_surface(&mesh, 1, &report));
    assert_ok(toi_check_surface(&mesh, 3, &again));
    assert_memory_equal(&report, &again, sizeof report);
    assert_int_equal(report.vertices, m->vertex_count);
    assert_int_equal(report.faces, m->face_count);
    return report;
}

// A unit cube's corner i at (i & 1, i >> 1 & 1, i >> 2), each side in two triangles.
static void add_cube(model *m, const double at[3])
{
    static const int32_t FACES[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int f = 0; f < 12; ++f)
        for (int k = 0; k < 3; ++k)
            m->faces[m->face_count + f][k] = m->vertex_count + FACES[f][k];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            m->x[m->vertex_count + i][k] = at[k] + (i >> k & 1);
    m->face_count += 12;
    m->vertex_count += 8;
}

static model make_cubes(int count)
{
    model m = {0};
    for (int i = 0; i < count; ++i)
        add_cube(&m, (const double[3]){i, i, i});
    return m;
}

// Every face that names one vertex names the other instead.
static void rename_vertex(model *m, int32_t from, int32_t to)
{
    for (int i = 0; i < 3 * m->face_count; ++i)
        if (m->faces[i / 3][i % 3] == from)
            m->faces[i / 3][i % 3] = to;
}

static void a_cube_is_in_order(void **state)
{
    (void)state;
    model m = make_cubes(1);
    toi_surface_report r = check(&m);
    assert_true(r.closed && r.manifold && r.oriented);
    assert_int_equal(r.edges, 18);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.border_edges + r.crowded_edges + r.flipped_edges + r.crowded_vertices, 0);
    assert_int_equal(r.degenerate_faces + r.duplicate_faces + r.duplicate_vertices, 0);
    assert_int_equal(r.unused_vertices, 0);
    assert_int_equal(r.first_border[0], -1);
    assert_int_equal(r.first_crowded[1], -1);
    assert_int_equal(r.first_crowded_vertex, -1);
    assert_int_equal(r.first_degenerate, -1);
    assert_int_equal(r.first_duplicate_face, -1);
    assert_int_equal(r.first_duplicate_vertex, -1);
}

static void an_open_cube_has_a_border(void **state)
{
    (void)state;
    model m = make_cubes(1);
    m.face_count = 11; // without {3, 7, 5}
    toi_surface_report r = check(&m);
    assert_true(!r.closed && r.manifold && r.oriented);
    assert_int_equal(r.edges, 18);
    assert_int_equal(r.border_edges, 3);
    assert_int_equal(r.first_border[0], 3);
    assert_int_equal(r.first_border[1], 5);
}

static void no_faces_are_not_closed(void **state)
{
    (void)state;
    model m = {.vertex_count = 2, .x = {{0, 0, 0}, {-0.0, 0, 0}}};
    toi_surface_report r = check(&m);
    assert_true(!r.closed && r.manifold && r.oriented);
    assert_int_equal(r.unused_vertices, 2);
    assert_int_equal(r.duplicate_vertices, 0); // no face is at them
    m.vertex_count = 0;
    assert_false(check(&m).closed);
}

static void minus_zero_is_zero(void **state)
{
    (void)state;
    model m = {.vertex_count = 4,
               .face_count = 2,
               .x = {{0, 0, 0}, {-0.0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
               .faces = {{0, 2, 3}, {1, 3, 2}}};
    toi_surface_report r = check(&m);
    assert_int_equal(r.duplicate_vertices, 1);
    assert_int_equal(r.first_duplicate_vertex, 1);
}

// Two cubes corner to corner, with a vertex in common or two at one place.
static void cubes_share_a_vertex(void **state)
{
    (void)state;
    model m = make_cubes(2);
    toi_surface_report r = check(&m);
    assert_true(r.closed && r.manifold && r.oriented);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.duplicate_vertices, 1);
    assert_int_equal(r.first_duplicate_vertex, 8);
    rename_vertex(&m, 8, 7);
    r = check(&m);
    assert_true(r.closed && !r.manifold && r.oriented);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.crowded_vertices, 1);
    assert_int_equal(r.first_crowded_vertex, 7);
    assert_int_equal(r.crowded_edges, 0);
    assert_int_equal(r.unused_vertices, 1);
}

// An edge with four faces, two in each direction; its ends have it as their reason.
static void cubes_share_an_edge(void **state)
{
    (void)state;
    model m = make_cubes(2);
    rename_vertex(&m, 8, 3);
    rename_vertex(&m, 12, 7);
    toi_surface_report r = check(&m);
    assert_true(r.closed && !r.manifold && r.oriented);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.edges, 35);
    assert_int_equal(r.crowded_edges, 1);
    assert_int_equal(r.crowded_vertices, 0);
    assert_int_equal(r.first_crowded[0], 3);
    assert_int_equal(r.first_crowded[1], 7);
}

static void a_bow_tie_has_a_crowded_vertex(void **state)
{
    (void)state;
    model m = {
        5, 2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 3, 4}}};
    toi_surface_report r = check(&m);
    assert_true(!r.closed && !r.manifold && r.oriented);
    assert_int_equal(r.crowded_vertices, 1);
    assert_int_equal(r.first_crowded_vertex, 0);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.border_edges, 6);
}

// Five triangles in a ring, the least Moebius band: manifold, with one border, not oriented.
static void a_moebius_band_is_not_oriented(void **state)
{
    (void)state;
    model m = {.vertex_count = 5, .face_count = 5};
    for (int i = 0; i < 5; ++i) {
        m.x[i][0] = i;
        m.x[i][1] = i * i;
        m.x[i][2] = i * i * i;
        for (int k = 0; k < 3; ++k) // every other one is turned, but five is odd
            m.faces[i][k] = (i + (i % 2 ? 2 - k : k)) % 5;
    }
    toi_surface_report r = check(&m);
    assert_true(!r.closed && r.manifold && !r.oriented);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.edges, 10);
    assert_int_equal(r.border_edges, 5);
    assert_int_equal(r.flipped_edges, 1);
}

static void faces_twice_and_turned(void **state)
{
    (void)state;
    model m = make_cubes(1);
    int32_t turned[3] = {m.faces[4][0], m.faces[4][2], m.faces[4][1]};
    memcpy(m.faces[4], turned, sizeof turned);
    toi_surface_report r = check(&m);
    assert_true(r.closed && r.manifold && !r.oriented);
    assert_int_equal(r.flipped_edges, 3);

    m = make_cubes(1);
    int32_t again[3] = {m.faces[2][1], m.faces[2][2], m.faces[2][0]};
    memcpy(m.faces[m.face_count++], again, sizeof again);
    r = check(&m);
    assert_true(r.closed && !r.manifold && !r.oriented);
    assert_int_equal(r.duplicate_faces, 1);
    assert_int_equal(r.first_duplicate_face, 12);
    assert_int_equal(r.crowded_edges, 3);
}

// A face on a line by one unit in the last place, on it, and one that names a vertex twice.
static void areas_are_exact(void **state)
{
    (void)state;
    model m = {5,
               3,
               {{0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}, {0.4, 0.4, 0.4}, {0.4, 0.4, 0.4}, {9, 9, 9}},
               {{0, 1, 3}, {0, 1, 2}, {1, 1, 4}}};
    m.x[3][2] = nextafter(0.4, 1);
    toi_surface_report r = check(&m);
    assert_int_equal(r.degenerate_faces, 2);
    assert_int_equal(r.first_degenerate, 1);
    assert_int_equal(r.edges, 5); // two faces with a side in common
    assert_int_equal(r.unused_vertices, 1);
    assert_int_equal(r.components, 1);
    for (int i = 0; i < 15; ++i)
        m.x[i / 3][i % 3] *= 0x1p-1000;
    assert_int_equal(check(&m).degenerate_faces, 2);
}

// ---- The twin

static bool has_twice(const int32_t f[3])
{
    return f[0] == f[1] || f[1] == f[2] || f[0] == f[2];
}

// 1: from p to q, -1: from q to p, 0: no side.
static int direction(const int32_t f[3], int32_t p, int32_t q)
{
    for (int k = 0; k < 3; ++k) {
        if (f[k] == p && f[(k + 1) % 3] == q)
            return 1;
        if (f[k] == q && f[(k + 1) % 3] == p)
            return -1;
    }
    return 0;
}

static bool names(const int32_t f[3], int32_t v)
{
    return f[0] == v || f[1] == v || f[2] == v;
}

// How many sets the faces are of that name v (all where it is negative), faces with a common edge
// (at v) being in one.
static int64_t count_sets(const model *m, int32_t v)
{
    int set[MOST_FACES];
    int64_t sets = 0;
    for (int f = 0; f < m->face_count; ++f)
        set[f] = f;
    for (bool again = true; again;) {
        again = false;
        for (int f = 0; f < m->face_count; ++f)
            for (int g = 0; g < m->face_count; ++g)
                for (int k = 0; k < 3; ++k) {
                    int32_t p = m->faces[f][k], q = m->faces[f][(k + 1) % 3];
                    if (set[g] > set[f] && !has_twice(m->faces[f]) && !has_twice(m->faces[g]) &&
                        (v < 0 || p == v || q == v) && direction(m->faces[g], p, q) != 0) {
                        set[g] = set[f];
                        again = true;
                    }
                }
    }
    for (int f = 0; f < m->face_count; ++f)
        sets += set[f] == f && !has_twice(m->faces[f]) && (v < 0 || names(m->faces[f], v));
    return sets;
}

static bool same_vertices(const int32_t f[3], const int32_t g[3])
{
    return names(g, f[0]) && names(g, f[1]) && names(g, f[2]);
}

static void count_twin_edges(const model *m, toi_surface_report *r, bool crowded[MOST_VERTICES])
{
    for (int32_t p = 0; p < m->vertex_count; ++p)
        for (int32_t q = p + 1; q < m->vertex_count; ++q) {
            int uses = 0, sum = 0;
            for (int f = 0; f < m->face_count; ++f)
                if (!has_twice(m->faces[f])) {
                    uses += direction(m->faces[f], p, q) != 0;
                    sum += direction(m->faces[f], p, q);
                }
            r->edges += uses > 0;
            if (uses == 1 && r->border_edges++ == 0)
                r->first_border[0] = p, r->first_border[1] = q;
            if (uses > 2 && r->crowded_edges++ == 0)
                r->first_crowded[0] = p, r->first_crowded[1] = q;
            crowded[p] = crowded[p] || uses > 2;
            crowded[q] = crowded[q] || uses > 2;
            r->flipped_edges += uses == 2 && sum != 0;
            r->oriented = r->oriented && (uses < 2 || sum == 0);
        }
}

static toi_surface_report find_twin(const model *m)
{
    toi_surface_report r = {.vertices = m->vertex_count,
                            .faces = m->face_count,
                            .components = count_sets(m, -1),
                            .oriented = true,
                            .first_border = {-1, -1},
                            .first_crowded = {-1, -1},
                            .first_crowded_vertex = -1,
                            .first_degenerate = -1,
                            .first_duplicate_face = -1,
                            .first_duplicate_vertex = -1};
    bool crowded[MOST_VERTICES] = {false};
    count_twin_edges(m, &r, crowded);
    for (int32_t v = 0; v < m->vertex_count; ++v) {
        int64_t sets = count_sets(m, v);
        r.unused_vertices += sets == 0;
        if (sets > 1 && !crowded[v] && r.crowded_vertices++ == 0)
            r.first_crowded_vertex = v;
        bool twice = false;
        for (int32_t u = 0; u < v; ++u)
            twice = twice || (sets > 0 && count_sets(m, u) > 0 &&
                              memcmp(m->x[u], m->x[v], sizeof m->x[v]) == 0);
        if (twice && r.duplicate_vertices++ == 0)
            r.first_duplicate_vertex = v;
    }
    for (int32_t f = 0; f < m->face_count; ++f) {
        const int32_t *v = m->faces[f];
        bool twice = false;
        double n = 0; // small whole numbers
        for (int g = 0; g < f; ++g)
            twice = twice ||
                    (!has_twice(v) && !has_twice(m->faces[g]) && same_vertices(v, m->faces[g]));
        if (twice && r.duplicate_faces++ == 0)
            r.first_duplicate_face = f;
        for (int k = 0; k < 3; ++k) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            n += fabs((m->x[v[1]][i] - m->x[v[0]][i]) * (m->x[v[2]][j] - m->x[v[0]][j]) -
                      (m->x[v[1]][j] - m->x[v[0]][j]) * (m->x[v[2]][i] - m->x[v[0]][i]));
        }
        if (n == 0 && r.degenerate_faces++ == 0)
            r.first_degenerate = f;
    }
    r.closed = r.edges > 0 && r.border_edges == 0;
    r.manifold = r.crowded_edges == 0 && r.crowded_vertices == 0;
    return r;
}

static void same_reports(const toi_surface_report *a, const toi_surface_report *b)
{
    assert_int_equal(a->edges, b->edges);
    assert_int_equal(a->components, b->components);
    assert_int_equal(a->closed, b->closed);
    assert_int_equal(a->manifold, b->manifold);
    assert_int_equal(a->oriented, b->oriented);
    assert_int_equal(a->border_edges, b->border_edges);
    assert_int_equal(a->crowded_edges, b->crowded_edges);
    assert_int_equal(a->flipped_edges, b->flipped_edges);
    assert_int_equal(a->crowded_vertices, b->crowded_vertices);
    assert_int_equal(a->degenerate_faces, b->degenerate_faces);
    assert_int_equal(a->duplicate_faces, b->duplicate_faces);
    assert_int_equal(a->duplicate_vertices, b->duplicate_vertices);
    assert_int_equal(a->unused_vertices, b->unused_vertices);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(a->first_border[k], b->first_border[k]);
        assert_int_equal(a->first_crowded[k], b->first_crowded[k]);
    }
    assert_int_equal(a->first_crowded_vertex, b->first_crowded_vertex);
    assert_int_equal(a->first_degenerate, b->first_degenerate);
    assert_int_equal(a->first_duplicate_face, b->first_duplicate_face);
    assert_int_equal(a->first_duplicate_vertex, b->first_duplicate_vertex);
}

static void random_faces_agree(void **state)
{
    (void)state;
    toi_random random = {8};
    int64_t manifold = 0, count = cases(20000), crowded = 0;
    for (int64_t n = 0; n < count; ++n) {
        model m = {.vertex_count = 1 + (int32_t)toi_random_below(&random, 10),
                   .face_count = (int32_t)toi_random_below(&random, 14)};
        for (int i = 0; i < 3 * m.vertex_count; ++i)
            m.x[i / 3][i % 3] = (double)toi_random_below(&random, 3);
        for (int i = 0; i < 3 * m.face_count; ++i)
            m.faces[i / 3][i % 3] = (int32_t)toi_random_below(&random, (uint64_t)m.vertex_count);
        toi_surface_report expected = find_twin(&m), found = check(&m);
        same_reports(&found, &expected);
        manifold += found.manifold;
        crowded += found.crowded_vertices > 0;
    }
    assert_true(manifold > count / 50 && manifold < count - count / 50);
    assert_true(crowded > count / 50);
}

// Vertices in pieces, and one with more faces than are sorted by hand: a fan, closed or not, at
// the far end.
static void large_fans(void **state)
{
    (void)state;
    enum
    {
        COUNT = 20000
    };
    double(*x)[3] = calloc(COUNT + 1, sizeof *x);
    int32_t(*faces)[3] = calloc(COUNT, sizeof *faces);
    for (int32_t i = 0; i < COUNT; ++i) {
        x[i][0] = i;
        x[i][1] = (double)i * i;
        faces[i][0] = COUNT;
        faces[i][1] = i;
        faces[i][2] = (i + 1) % COUNT;
    }
    x[COUNT][2] = 1;
    toi_mesh mesh = {.start = toi_view_points(x[0], COUNT + 1), .faces = {faces[0], COUNT, 0}};
    toi_surface_report r;
    assert_ok(toi_check_surface(&mesh, 2, &r));
    assert_true(r.manifold && r.oriented && !r.closed);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.edges, 2 * COUNT);
    assert_int_equal(r.border_edges, COUNT);
    memcpy(faces[COUNT / 2], faces[1], sizeof faces[1]); // leaves two fans, and one face twice
    assert_ok(toi_check_surface(&mesh, 2, &r));
    assert_int_equal(r.duplicate_faces, 1);
    assert_int_equal(r.first_duplicate_face, COUNT / 2);
    assert_int_equal(r.crowded_edges, 2);
    faces[COUNT / 2][1] = faces[COUNT / 2][2] = COUNT; // now two missing would be two fans
    mesh.faces.count = COUNT - 1;
    assert_ok(toi_check_surface(&mesh, 2, &r));
    assert_int_equal(r.crowded_vertices, 1);
    assert_int_equal(r.first_crowded_vertex, COUNT);
    assert_int_equal(r.components, 2);
    free(x);
    free(faces);
}

static void wrong_meshes_are_refused(void **state)
{
    (void)state;
    model m = make_cubes(1);
    toi_mesh mesh = {.start = toi_view_points(m.x[0], 7), .faces = {m.faces[0], 12, 0}};
    toi_surface_report r;
    assert_fails(toi_check_surface(&mesh, 1, &r), TOI_ERROR_DATA, "vertex index 7");
    mesh.start.count = 8;
    assert_fails(toi_check_surface(&mesh, -1, &r), TOI_ERROR_ARGUMENT, "workers");
    assert_fails(toi_check_surface(NULL, 1, &r), TOI_ERROR_ARGUMENT, "mesh is NULL");
    assert_fails(toi_check_surface(&mesh, 1, NULL), TOI_ERROR_ARGUMENT, "report is NULL");
    m.x[3][1] = INFINITY;
    assert_fails(toi_check_surface(&mesh, 1, &r), TOI_ERROR_DATA, "vertex 3: coordinate y");
}

// ---- Memory

typedef struct purse
{
    int64_t left;
    int64_t held;
} purse;

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    purse *p = user;
    if (p->left-- <= 0)
        return NULL;
    ++p->held;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_some(void *user, void *memory, size_t size)
{
    (void)size;
    --((purse *)user)->held;
    free(memory);
}

// A surface, a polygon, and a figure whose numbers do not fit the stack.
static toi_status ask_surface(void)
{
    model m = make_cubes(1);
    toi_mesh mesh = {.start = toi_view_points(m.x[0], 8), .faces = {m.faces[0], 12, 0}};
    toi_surface_report report;
    toi_status status = toi_check_surface(&mesh, 1, &report);
    assert_int_equal(report.edges, status == TOI_OK ? 18 : 0);
    return status;
}

static toi_status ask_polygon(void)
{
    static const double POINTS[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const int32_t CORNERS[] = {0, 1, 2, 3};
    static const int64_t FIRST[] = {0, 4};
    toi_polygon_mesh mesh;
    toi_status status =
        toi_triangulate_polygons(toi_view_points(POINTS[0], 4), CORNERS, FIRST, 1, &mesh);
    assert_int_equal(mesh.count, status == TOI_OK ? 2 : 0);
    assert_true((mesh.faces != NULL) == (status == TOI_OK));
    toi_free_polygon_mesh(&mesh);
    return status;
}

static toi_status ask_figure(void)
{
    static const double POINTS[6][3] = {
        {0x1p-1070, -0x1.fp1000, 0x1p-1070},  {0x1.7p1000, 0x1p-1072, 0x1.3p-1069},
        {-0x1.1p1000, 0x1.9p1000, 0x1p-1074}, {0x1.5p-1060, 0x1.3p900, -0x1.9p1000},
        {0x1.3p990, 0x1p-1074, 0x1.7p1000},   {-0x1.9p-1070, 0x1.1p980, 0x1.5p1000}};
    static const int32_t FACES[2][3] = {{0, 1, 2}, {3, 4, 5}};
    toi_mesh mesh = toi_make_mesh(POINTS[0], POINTS[0], 6, FACES[0], 2);
    toi_overlap_figure figure;
    toi_status status = toi_find_overlap_figure(&mesh, 0, 1, &figure);
    assert_int_equal(figure.count, status == TOI_OK ? 2 : 0);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    toi_status (*const calls[])(void) = {ask_surface, ask_polygon, ask_figure};
    for (int i = 0; i < 3; ++i) {
        purse p = {INT64_MAX, 0};
        toi_hooks hooks = {.user = &p, .allocate = allocate_some, .release = release_some};
        toi_set_hooks(&hooks);
        int64_t room = 0;
        for (toi_status status = TOI_ERROR_MEMORY; status == TOI_ERROR_MEMORY; ++room) {
            p.left = room;
            status = calls[i]();
            assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
            assert_int_equal(p.held, 0);
        }
        toi_set_hooks(NULL);
        assert_true(room > (i < 2 ? 5 : 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_is_in_order),
        cmocka_unit_test(an_open_cube_has_a_border),
        cmocka_unit_test(no_faces_are_not_closed),
        cmocka_unit_test(minus_zero_is_zero),
        cmocka_unit_test(cubes_share_a_vertex),
        cmocka_unit_test(cubes_share_an_edge),
        cmocka_unit_test(a_bow_tie_has_a_crowded_vertex),
        cmocka_unit_test(a_moebius_band_is_not_oriented),
        cmocka_unit_test(faces_twice_and_turned),
        cmocka_unit_test(areas_are_exact),
        cmocka_unit_test(random_faces_agree),
        cmocka_unit_test(large_fans),
        cmocka_unit_test(wrong_meshes_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
