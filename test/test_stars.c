// Stars of vertices: what is called embedded is so in exact arithmetic, the bound behind it holds,
// the pairs left over are all that there are, and changes give what a new start gives.

#define TOI_SINGLE
#include "kernel/turns.h"

#include "overlap_twin.h"
#include "support.h"

#include "overlap/stars.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---- Meshes

enum
{
    MOST_VERTICES = 700,
    MOST_FACES = 1200
};

// True positions, all at most 1 in size, and the floats that stand for them.
typedef struct small_mesh
{
    int vertices, faces;
    double x[MOST_VERTICES][3];
    float rows[MOST_VERTICES][4];
    int32_t face[MOST_FACES][3];
    float error;
} small_mesh;

static toi_index_view faces_of(const small_mesh *m)
{
    return (toi_index_view){m->face[0], m->faces, 0};
}

static toi_face_table table_of(const small_mesh *m)
{
    return (toi_face_table){.vertex_count = m->vertices,
                            .face_count = m->faces,
                            .scale = 1,
                            .error = m->error,
                            .by_id = (const float(*)[4])m->rows};
}

static toi_corner_view corners_of(const small_mesh *m, int f)
{
    const int32_t *row = m->face[f];
    return (toi_corner_view){{m->x[row[0]], m->x[row[1]], m->x[row[2]]}, row, 0};
}

static bool meets(const small_mesh *m, int a, int b, bool twin)
{
    toi_corner_view x = corners_of(m, a), y = corners_of(m, b);
    bool exact;
    toi_overlap_class found = toi_classify_faces(&x, &y, &exact);
    if (twin)
        assert_int_equal(found, find_twin_class(&x, &y));
    return found != TOI_OVERLAP_CLASS_COUNT;
}

// Rounds the true positions; the error is what it is, to the last bit.
static void round_positions(small_mesh *m)
{
    double most = 0;
    for (int v = 0; v < m->vertices; ++v)
        for (int k = 0; k < 3; ++k) {
            m->rows[v][k] = (float)m->x[v][k];
            most = fmax(most, fabs(m->x[v][k] - (double)m->rows[v][k]));
        }
    m->error = (float)most;
    if ((double)m->error < most)
        m->error = nextafterf(m->error, 1);
}

// The other way round: moves the true positions as far from the floats as the error allows.
static void move_positions(small_mesh *m, toi_random *random)
{
    round_positions(m);
    m->error = ldexpf(1, -12 - (int)toi_random_below(random, 18));
    for (int v = 0; v < m->vertices; ++v)
        for (int k = 0; k < 3; ++k)
            m->x[v][k] = (double)m->rows[v][k] +
                         (double)m->error * ((double)toi_random_below(random, 3) - 1);
}

// Moves the floats instead, nearly as far as the error says.
static void blur_floats(small_mesh *m, toi_random *random)
{
    m->error = 0x1p-14f;
    for (int v = 0; v < m->vertices; ++v)
        for (int k = 0; k < 3; ++k)
            m->rows[v][k] =
                (float)(m->x[v][k] + 0.99 * 0x1p-14 * ((double)toi_random_below(random, 3) - 1));
}

// ---- Shapes of stars: vertex 0, the outer vertices in order, a face between each two

static void put(small_mesh *m, double x, double y, double z)
{
    double *to = m->x[m->vertices++];
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static void close_star(small_mesh *m, bool closed, toi_random *random)
{
    int outer = m->vertices - 1;
    m->faces = 0;
    for (int i = 0; i < outer - !closed; ++i) {
        int32_t row[3] = {0, 1 + i, 1 + (i + 1) % outer};
        int turn = (int)toi_random_below(random, 3), flip = (int)toi_random_below(random, 2);
        for (int c = 0; c < 3; ++c)
            m->face[m->faces][c] = row[(turn + (flip ? 3 - c : c)) % 3];
        ++m->faces;
    }
    for (int i = m->faces - 1; i > 0; --i) {
        int32_t swap[3];
        int j = (int)toi_random_below(random, (uint64_t)i + 1);
        memcpy(swap, m->face[i], sizeof swap);
        memcpy(m->face[i], m->face[j], sizeof swap);
        memcpy(m->face[j], swap, sizeof swap);
    }
}

// Directions whose angles add up to `total`, at all distances, `high` up and down.
static void fan(small_mesh *m, int outer, bool closed, double total, double high,
                toi_random *random)
{
    double at = toi_random_range(random, 0, 6), sum = 0, steps[MOST_VERTICES];
    int count = closed ? outer : outer - 1;
    for (int i = 0; i < count; ++i)
        sum += steps[i] = toi_random_range(random, 0.3, 1);
    m->vertices = 0;
    put(m, 0, 0, 0);
    for (int i = 0; i < outer; ++i) {
        double size = toi_random_range(random, 0.3, 0.9);
        put(m, size * cos(at), size * sin(at), toi_random_range(random, -high, high));
        at += i < count ? steps[i] * total / sum : 0;
    }
    close_star(m, closed, random);
}

static double tiny(toi_random *random)
{
    return ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 34));
}

static const double TURN = 6.283185307179586;

static void common_star(small_mesh *m, toi_random *random)
{
    bool closed = toi_random_below(random, 2);
    fan(m, 3 + (int)toi_random_below(random, 9), closed,
        closed ? TURN : toi_random_range(random, 0.1, TURN), toi_random_range(random, 0, 0.5),
        random);
}

// Open, and its end comes back to its beginning, or nearly, or goes past it.
static void nearly_closed(small_mesh *m, toi_random *random)
{
    fan(m, 4 + (int)toi_random_below(random, 8), false, TURN + tiny(random), fabs(tiny(random)),
        random);
}

// One face is nearly folded onto its neighbour, or nearly without an angle.
static void nearly_folded(small_mesh *m, toi_random *random)
{
    common_star(m, random);
    int i = 1 + (int)toi_random_below(random, (uint64_t)m->vertices - 1);
    int j = 1 + i % (m->vertices - 1);
    for (int k = 0; k < 3; ++k)
        m->x[i][k] = m->x[j][k] + tiny(random) * 0.1;
}

static void wound_twice(small_mesh *m, toi_random *random)
{
    bool closed = toi_random_below(random, 4) > 0;
    fan(m, 5 + (int)toi_random_below(random, 9), closed,
        closed ? 2 * TURN : toi_random_range(random, TURN, 2 * TURN), 0.2 * fabs(tiny(random)),
        random);
}

static void lattice_star(small_mesh *m, toi_random *random)
{
    int outer = 3 + (int)toi_random_below(random, 7), flat = (int)toi_random_below(random, 2);
    m->vertices = 0;
    for (int i = 0; i <= outer; ++i)
        put(m, ((double)toi_random_below(random, 5) - 2) / 4,
            ((double)toi_random_below(random, 5) - 2) / 4,
            flat ? 0 : ((double)toi_random_below(random, 5) - 2) / 4);
    close_star(m, toi_random_below(random, 2), random);
}

static void wild_star(small_mesh *m, toi_random *random)
{
    int outer = 2 + (int)toi_random_below(random, 6);
    m->vertices = 0;
    for (int i = 0; i <= outer; ++i)
        put(m, toi_random_range(random, -0.9, 0.9), toi_random_range(random, -0.9, 0.9),
            toi_random_range(random, -0.9, 0.9));
    close_star(m, toi_random_below(random, 2), random);
}

static void large_star(small_mesh *m, toi_random *random)
{
    bool closed = toi_random_below(random, 2);
    fan(m, 20 + (int)toi_random_below(random, 100), closed, TURN * (closed ? 1 : 0.98), 0.2,
        random);
}

// Small, far from the origin.
static void far_star(small_mesh *m, toi_random *random)
{
    double size = ldexp(1, -6 - (int)toi_random_below(random, 18));
    common_star(m, random);
    for (int v = 0; v < m->vertices; ++v)
        for (int k = 0; k < 3; ++k)
            m->x[v][k] = 0.9 * (k == 1 ? -1 : 1) + 0.1 * size * m->x[v][k];
}

// Turns the axes around, so that none is special.
static void swap_axes(small_mesh *m, toi_random *random)
{
    int turn = (int)toi_random_below(random, 3);
    for (int v = 0; v < m->vertices; ++v) {
        double x[3];
        memcpy(x, m->x[v], sizeof x);
        for (int k = 0; k < 3; ++k)
            m->x[v][k] = x[(k + turn) % 3];
    }
}

typedef void shape_fn(small_mesh *m, toi_random *random);
static shape_fn *const shapes[] = {common_star,  nearly_closed, nearly_folded, wound_twice,
                                   lattice_star, wild_star,     large_star,    far_star};
enum
{
    SHAPES = sizeof shapes / sizeof *shapes
};

static bool is_embedded(const small_mesh *m, int simd)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    toi_index_view faces = faces_of(m);
    toi_face_table table = table_of(m);
    uint8_t embedded[MOST_VERTICES];
    toi_stars *stars;
    toi_set_simd(simd < 0 ? NULL : names[simd]); // where the machine has it
    assert_ok(toi_make_stars(&faces, m->vertices, 1, NULL, &stars));
    assert_ok(toi_find_embedded(stars, &table, 1, embedded));
    toi_free_stars(stars);
    toi_set_simd(NULL);
    return embedded[0];
}

static int count_meetings(const small_mesh *m, bool twin)
{
    int count = 0;
    for (int a = 0; a < m->faces; ++a)
        for (int b = a + 1; b < m->faces; ++b)
            count += meets(m, a, b, twin);
    return count;
}

static void embedded_stars_have_no_overlap(void **state)
{
    (void)state;
    static small_mesh m;
    toi_random random = {1};
    int64_t embedded[SHAPES] = {0}, fine[SHAPES] = {0}, lies = 0;
    for (int64_t i = 0; i < cases(20000); ++i) {
        int shape = (int)(i % SHAPES);
        shapes[shape](&m, &random);
        swap_axes(&m, &random);
        if (toi_random_below(&random, 2))
            move_positions(&m, &random);
        else
            round_positions(&m);
        bool yes = is_embedded(&m, -1),
             free = count_meetings(&m, i % 64 < SHAPES && m.faces < 12) == 0;
        if (i % 16 < SHAPES)
            for (int simd = 0; simd < 3; ++simd)
                assert_int_equal(is_embedded(&m, simd), yes);
        if (yes && !free)
            fail_msg("case %d, shape %d: called embedded", (int)i, shape);
        embedded[shape] += yes;
        fine[shape] += free;
        m.error = 0; // as if the floats were the truth: that must be seen
        lies += !free && is_embedded(&m, -1);
    }
    for (int s = 0; s < SHAPES; ++s)
        print_message("shape %d: %d of %d without an overlap are shown to be\n", s,
                      (int)embedded[s], (int)fine[s]);
    assert_true(embedded[0] > fine[0] / 4 && embedded[6] > fine[6] / 4 && embedded[7] > 0);
    assert_true(lies > 0);
}

// ---- The bound

static void set_exact(mpq_t to[3], const double x[3], const double from[3])
{
    mpq_t other;
    mpq_init(other);
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(to[k], x[k]);
        mpq_set_d(other, from[k]);
        mpq_sub(to[k], to[k], other);
    }
    mpq_clear(other);
}

// v . (a x b) of the true positions, rounded at the very end.
static void exact_turn(const float v[3], mpq_t a[3], mpq_t b[3], mpq_t sum)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_ui(sum, 0, 1);
    for (int k = 0; k < 3; ++k) {
        int q = (k + 1) % 3, r = (k + 2) % 3;
        mpq_mul(x, a[q], b[r]);
        mpq_mul(y, a[r], b[q]);
        mpq_sub(x, x, y);
        mpq_set_d(y, (double)v[k]);
        mpq_mul(x, x, y);
        mpq_add(sum, sum, x);
    }
    mpq_clears(x, y, NULL);
}

// How much of the bound the computed numbers use.
static double used_share(const small_mesh *m, const float v[3])
{
    float e[2][3], g[3], reach = 0;
    mpq_t a[3], b[3], sum;
    mpq_init(sum);
    for (int k = 0; k < 3; ++k) {
        mpq_inits(a[k], b[k], NULL);
        for (int i = 0; i < 2; ++i)
            e[i][k] = m->rows[i + 1][k] - m->rows[0][k];
    }
    set_exact(a, m->x[1], m->x[0]);
    set_exact(b, m->x[2], m->x[0]);
    exact_turn(v, a, b, sum);
    for (int i = 0; i < 2; ++i)
        reach = toi_max(reach, toi_max3(e[i]));
    toi_cross(v, e[0], g);
    double truth = mpq_get_d(sum), bound = (double)toi_turn_error(v, reach, m->error);
    double off = fabs((double)toi_turn(v, e[0], e[1]) - truth);
    off = fmax(off, fabs((double)toi_dot(g, e[1]) - truth));
    for (int k = 0; k < 3; ++k)
        mpq_clears(a[k], b[k], NULL);
    mpq_clear(sum);
    return off / bound;
}

static void turns_are_as_sure_as_their_bound(void **state)
{
    (void)state;
    static small_mesh m;
    toi_random random = {7};
    double most = 0;
    for (int64_t i = 0; i < cases(200000); ++i) {
        double size = ldexp(1, -(int)toi_random_below(&random, 20));
        float v[3];
        m.vertices = 0;
        for (int p = 0; p < 3; ++p)
            put(&m, size * toi_random_range(&random, -1, 1),
                size * toi_random_range(&random, -1, 1), size * toi_random_range(&random, -1, 1));
        for (int k = 0; k < 3; ++k)
            v[k] = (float)(toi_random_below(&random, 3) ? toi_random_range(&random, -1, 1) : 0);
        if (i % 4 == 1)
            for (int p = 0; p < 3; ++p)
                for (int k = 0; k < 3; ++k)
                    m.x[p][k] = size * ((double)toi_random_below(&random, 3) - 1);
        round_positions(&m);
        for (int p = 0; i % 4 == 2 && p < 3; ++p) // rounding alone
            for (int k = 0; k < 3; ++k)
                m.x[p][k] = (double)m.rows[p][k];
        if (i % 2)
            move_positions(&m, &random);
        else
            round_positions(&m);
        most = fmax(most, used_share(&m, v));
    }
    print_message("turns use up to %.3f of their bound\n", most);
    assert_true(most <= 1 && most > 0.3);
}

// ---- A smooth cloth

static void put_cloth(small_mesh *m, int side)
{
    m->vertices = m->faces = 0;
    for (int y = 0; y <= side; ++y)
        for (int x = 0; x <= side; ++x) {
            double u = 1.8 * x / side - 0.9, w = 1.8 * y / side - 0.9;
            put(m, u, w, 0.2 * sin(3 * u) * cos(4 * w));
        }
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            int32_t a = y * (side + 1) + x, b = a + 1, c = a + side + 1, d = c + 1;
            const int32_t rows[2][3] = {{a, b, c}, {d, c, b}};
            memcpy(m->face[m->faces], rows, sizeof rows);
            m->faces += 2;
        }
    round_positions(m);
}

static void a_cloth_is_embedded(void **state)
{
    (void)state;
    static small_mesh m;
    uint8_t embedded[MOST_VERTICES];
    toi_stars *stars;
    int count = 0;
    for (int flat = 0; flat < 2; ++flat) {
        put_cloth(&m, 24);
        for (int v = 0; flat && v < m.vertices; ++v)
            m.x[v][2] = 0;
        round_positions(&m);
        toi_index_view faces = faces_of(&m);
        toi_face_table table = table_of(&m);
        assert_ok(toi_make_stars(&faces, m.vertices, 2, NULL, &stars));
        assert_ok(toi_find_embedded(stars, &table, 2, embedded));
        toi_free_stars(stars);
        for (int v = 0; v < m.vertices; ++v)
            count += embedded[v];
        assert_true(count > 0.99 * (flat + 1) * m.vertices);
    }
}

// ---- Lists of pairs

typedef struct pair_set
{
    atomic_flag lock;
    int8_t seen[MOST_FACES][MOST_FACES];
    int64_t count;
} pair_set;

static toi_status note_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    pair_set *set = context;
    toi_lock_take(&set->lock);
    for (int64_t i = 0; i < count; ++i)
        ++set->seen[pairs[i].a][pairs[i].b];
    set->count += count;
    toi_lock_release(&set->lock);
    return count <= TOI_NEIGHBOURS ? TOI_OK : TOI_ERROR_DATA;
}

static bool is_left(const small_mesh *m, const uint8_t *embedded, int a, int b)
{
    bool shared = false, decided = false;
    for (int c = 0; c < 9; ++c)
        if (m->face[a][c / 3] == m->face[b][c % 3]) {
            shared = true;
            decided |= embedded[m->face[a][c / 3]];
        }
    return shared && !decided;
}

// Faces between few vertices, some of which they name twice, around a part of a cloth.
static void put_tangle(small_mesh *m, toi_random *random)
{
    put_cloth(m, 7);
    for (int v = 0; v < m->vertices; ++v)
        m->x[v][2] += 0.1 * tiny(random);
    round_positions(m);
    for (int i = 0; i < 40; ++i)
        for (int c = 0; c < 3; ++c)
            m->face[m->faces + i][c] = (int32_t)toi_random_below(random, 20);
    m->faces += 40;
}

// Many faces around vertex 0, which cross, share edges and repeat each other.
static void put_crowd(small_mesh *m, int count, toi_random *random)
{
    m->vertices = 0;
    for (int v = 0; v < 400; ++v)
        put(m, toi_random_range(random, -0.9, 0.9), toi_random_range(random, -0.9, 0.9),
            toi_random_range(random, -0.9, 0.9));
    for (int k = 0; k < 3; ++k)
        m->x[399][k] = m->x[0][k]; // a vertex at the centre: no direction
    m->faces = count;
    for (int f = 0; f < m->faces; ++f) {
        int32_t a = (int32_t)toi_random_below(random, 400),
                b = (int32_t)toi_random_below(random, 400);
        int32_t row[3] = {a, f % 50 == 7 ? 0 : b, 0};
        for (int c = 0; c < 3; ++c)
            m->face[f][(c + f) % 3] = row[c];
        for (int k = 0; k < 3; ++k) // most are narrow
            m->x[b][k] =
                f % 7 && a && b != 399 && b ? 0.9 * m->x[a][k] + 0.01 * m->x[b][k] : m->x[b][k];
    }
    round_positions(m);
}

// Most of the faces are pages of a book: they share the edge from 0 to 1. Some lie in one
// half-plane, some have no area.
static void put_book(small_mesh *m, int count, toi_random *random)
{
    put_crowd(m, count, random);
    for (int k = 0; k < 3; ++k)
        m->x[0][k] = m->x[1][k] = k == 2 ? -0.25 : 0;
    m->x[1][2] = 0.25;
    for (int f = 0; f < count; ++f) {
        int32_t b = 2 + (int32_t)toi_random_below(random, 390);
        const int32_t row[3] = {1, b, 0};
        for (int c = 0; c < 3 && f % 3; ++c)
            m->face[f][(c + f) % 3] = row[c];
        for (int k = 0; k < 3 && f % 3; ++k)
            m->x[b][k] = ((double)toi_random_below(random, 31) - 15) / 16;
    }
    round_positions(m);
}

static void compare_lists(const small_mesh *m, int workers, bool all)
{
    static pair_set set;
    toi_index_view faces = faces_of(m);
    toi_face_table table = table_of(m);
    uint8_t embedded[MOST_VERTICES];
    toi_stars *stars;
    memset(&set, 0, sizeof set);
    assert_ok(toi_make_stars(&faces, m->vertices, workers, NULL, &stars));
    assert_ok(toi_find_embedded(stars, &table, workers, embedded));
    assert_ok(toi_list_neighbours(stars, &faces, &table, embedded, workers, note_pairs, &set));
    toi_free_stars(stars);
    int64_t left = 0;
    for (int a = 0; a < m->faces; ++a)
        for (int b = 0; b < m->faces; ++b) {
            bool expected = a < b && is_left(m, embedded, a, b);
            left += expected;
            if (all || !expected || set.seen[a][b])
                assert_int_equal(set.seen[a][b], expected);
            else if (meets(m, a, b, false))
                fail_msg("faces %d and %d meet and are not listed", a, b);
        }
    assert_true(left > 0 && (all || set.count < left / 2));
}

static void lists_have_all_pairs_once(void **state)
{
    (void)state;
    static small_mesh m;
    toi_random random = {3};
    for (int64_t i = 0; i < cases(60); ++i) {
        put_tangle(&m, &random);
        compare_lists(&m, 1 + (int)(i % 3), true);
    }
}

static void lists_of_large_stars_have_all_that_meet(void **state)
{
    (void)state;
    static small_mesh m;
    toi_random random = {4};
    for (int64_t i = 0; i < cases(10); ++i) {
        (i % 2 ? put_book : put_crowd)(&m, 300, &random);
        if (i % 4 > 1)
            blur_floats(&m, &random);
        compare_lists(&m, 1 + (int)(i % 3), false);
    }
}

// Blocks of faces that all have one vertex in common are not compared; other faces are.
static void searches_near_large_stars_miss_nothing(void **state)
{
    (void)state;
    static small_mesh m;
    toi_random random = {8};
    toi_overlap_array found[2] = {{0}};
    for (int64_t i = 0; i < cases(3); ++i) {
        put_crowd(&m, MOST_FACES - 100, &random);
        for (int f = 0; f < 100; ++f)
            for (int c = 0; c < 3; ++c)
                m.face[m.faces + f][c] = (int32_t)toi_random_below(&random, 400);
        m.faces += 100;
        toi_overlap_def def = toi_default_overlap_def();
        toi_point_view points = toi_view_points(m.x[0], m.vertices);
        toi_mesh mesh = {.start = points, .end = points, .faces = faces_of(&m)};
        for (int brute = 0; brute < 2; ++brute) {
            def.method = brute ? TOI_OVERLAP_BRUTE : TOI_OVERLAP_AUTO;
            assert_ok(toi_find_overlaps(&def, &mesh, &found[brute], NULL));
        }
        assert_int_equal(found[0].count, found[1].count);
        assert_memory_equal(found[0].data, found[1].data,
                            (size_t)found[0].count * sizeof *found[0].data);
        assert_true(found[0].count > 100);
    }
    toi_free_overlaps(&found[0]);
    toi_free_overlaps(&found[1]);
}

static toi_status refuse_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)context, (void)pairs, (void)count, (void)worker;
    return TOI_ERROR_CANCELLED;
}

static void who_gets_pairs_can_stop(void **state)
{
    (void)state;
    static small_mesh m;
    uint8_t embedded[MOST_VERTICES] = {0};
    toi_random random = {5};
    toi_stars *stars;
    for (int crowd = 0; crowd < 2; ++crowd) {
        if (crowd)
            put_crowd(&m, 300, &random);
        else
            put_tangle(&m, &random);
        toi_index_view faces = faces_of(&m);
        toi_face_table table = table_of(&m);
        assert_ok(toi_make_stars(&faces, m.vertices, 1, NULL, &stars));
        assert_int_equal(
            toi_list_neighbours(stars, &faces, &table, embedded, 2, refuse_pairs, NULL),
            TOI_ERROR_CANCELLED);
        toi_free_stars(stars);
    }
}

// ---- Changes

static _Atomic int64_t allocations_left; // negative: all succeed

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (allocations_left >= 0 && allocations_left-- <= 0) {
        allocations_left = 0;
        return NULL;
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void plain_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

static void expect_same_stars(const toi_stars *stars, const small_mesh *m)
{
    toi_index_view faces = faces_of(m);
    toi_stars *fresh;
    assert_ok(toi_make_stars(&faces, m->vertices, 1, NULL, &fresh));
    assert_int_equal(stars->vertex_count, m->vertices);
    int64_t used = 0;
    for (int v = 0; v < m->vertices; ++v) {
        const toi_star *a = &stars->stars[v], *b = &fresh->stars[v];
        assert_int_equal(a->faces, b->faces);
        assert_int_equal(a->fan, b->fan);
        int64_t count = a->fan ? toi_star_room(a->faces) : a->faces;
        assert_memory_equal(stars->pool + a->first, fresh->pool + b->first,
                            (size_t)count * sizeof *stars->pool);
        used += toi_star_room(a->faces);
    }
    assert_int_equal(used, stars->pool_count - stars->waste);
    toi_free_stars(fresh);
}

// Makes up changes, and does them to the mesh in the plain way.
static int make_changes(const small_mesh *before, small_mesh *after, toi_face_change *changes,
                        toi_random *random)
{
    *after = *before;
    int grown = (int)toi_random_below(random, 9) - 4, count = 0;
    after->vertices += (int)toi_random_below(random, 4);
    after->faces += before->faces + grown < MOST_FACES - 10 && before->faces > 20 ? grown : 0;
    for (int f = 0; f < after->faces; ++f) {
        if (f < before->faces && toi_random_below(random, 30) > 0)
            continue;
        changes[count].face = f;
        for (int c = 0; c < 3; ++c)
            changes[count].vertices[c] =
                toi_random_below(random, 3)
                    ? before->face[toi_random_below(random, (uint64_t)before->faces)][c]
                    : (int32_t)toi_random_below(random, (uint64_t)after->vertices);
        memcpy(after->face[f], changes[count++].vertices, sizeof after->face[f]);
    }
    int32_t last = 0;
    for (int f = 0; f < after->faces; ++f)
        for (int c = 0; c < 3; ++c)
            last = after->face[f][c] > last ? after->face[f][c] : last;
    if (toi_random_below(random, 3) == 0 || after->vertices > MOST_VERTICES - 10)
        after->vertices = last + 1;
    return count;
}

static void changed_stars_are_fresh_ones(void **state)
{
    (void)state;
    static small_mesh m, next;
    static toi_face_change changes[MOST_FACES];
    toi_random random = {6};
    toi_stars *stars;
    put_tangle(&m, &random);
    toi_index_view faces = faces_of(&m);
    allocations_left = -1;
    toi_set_hooks(&(toi_hooks){.allocate = failing_allocate, .release = plain_release});
    assert_ok(toi_make_stars(&faces, m.vertices, 1, NULL, &stars));
    int failures = 0, compactions = 0;
    for (int64_t i = 0; i < cases(600); ++i) {
        int64_t waste = stars->waste;
        int count = make_changes(&m, &next, changes, &random);
        toi_status status = TOI_ERROR_MEMORY;
        for (int left = i % 3 ? -1 : 0; status != TOI_OK; ++left) {
            allocations_left = left;
            faces = faces_of(&m);
            status = toi_change_stars(stars, &faces, next.vertices, next.faces, changes, count);
            allocations_left = -1;
            if (status != TOI_OK) {
                ++failures;
                assert_int_equal(status, TOI_ERROR_MEMORY);
                expect_same_stars(stars, &m);
            }
        }
        m = next;
        expect_same_stars(stars, &m);
        compactions += stars->waste < waste;
    }
    assert_true(failures > 0 && compactions > 0);
    toi_free_stars(stars);
    toi_set_hooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_stars_have_no_overlap),
        cmocka_unit_test(turns_are_as_sure_as_their_bound),
        cmocka_unit_test(a_cloth_is_embedded),
        cmocka_unit_test(lists_have_all_pairs_once),
        cmocka_unit_test(lists_of_large_stars_have_all_that_meet),
        cmocka_unit_test(searches_near_large_stars_miss_nothing),
        cmocka_unit_test(who_gets_pairs_can_stop),
        cmocka_unit_test(changed_stars_are_fresh_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
