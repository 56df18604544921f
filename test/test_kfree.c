// The k-free analysis: against brute force in long double, its bounds against pairs that do
// intersect, and sets that the paper's constant is too small for.

#include "support.h"

#include "overlap/overlap.h"
#include "overlap/size.h"
#include "toi/io.h"
#include "toi/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

// ---------------------------------------------------------------------------------------------
// Shapes

typedef struct shape
{
    int64_t vertex_count, face_count;
    double (*points)[3];
    int32_t (*faces)[3];
} shape;

static shape take_shape(int64_t vertices, int64_t faces)
{
    shape s = {vertices, faces, malloc((size_t)(vertices + 1) * sizeof *s.points),
               malloc((size_t)(faces + 1) * sizeof *s.faces)};
    return s;
}

static void free_shape(shape *s)
{
    free(s->points);
    free(s->faces);
}

static toi_mesh mesh_of(const shape *s)
{
    return toi_make_mesh(s->points[0], s->points[0], s->vertex_count, s->faces[0], s->face_count);
}

enum
{
    CLOUD,    // triangles of all sizes, some of them without area
    LATTICE,  // corners on a small lattice: ties everywhere
    NEEDLES,  // long and thin
    SHEET,    // a bumpy sheet, which folds over itself
    FAR_AWAY, // a sheet a million sizes from the origin
    KINDS
};

// Triangles that share no vertex.
static shape make_cloud(int kind, int64_t faces, toi_random *random)
{
    shape s = take_shape(3 * faces, faces);
    for (int64_t f = 0; f < faces; ++f) {
        double size = kind == CLOUD ? exp2(-toi_random_range(random, 0, 8)) : 0.5;
        double center[3], way[3];
        for (int k = 0; k < 3; ++k) {
            center[k] = toi_random_range(random, -1, 1);
            way[k] = toi_random_range(random, -1, 1);
        }
        bool flat = toi_random_below(random, 10) == 0;
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k) {
                double *x = &s.points[3 * f + c][k];
                *x = center[k] + size * toi_random_range(random, -1, 1);
                if (kind == LATTICE)
                    *x = (double)toi_random_below(random, 5);
                else if (kind == NEEDLES || flat)
                    *x = center[k] + (c - 1) * way[k] +
                         (flat ? 0 : toi_random_range(random, 0, 0.01));
            }
        for (int c = 0; c < 3; ++c)
            s.faces[f][c] = (int32_t)(3 * f + c);
    }
    return s;
}

static shape make_sheet(int64_t side, bool far_away, toi_random *random)
{
    shape s = take_shape((side + 1) * (side + 1), 2 * side * side);
    for (int64_t i = 0; i < s.vertex_count; ++i) {
        double x = (double)(i % (side + 1)) / (double)side, y = (double)(i / (side + 1));
        s.points[i][0] = x * (far_away ? 1e-6 : 1) + (far_away ? 1 : 0);
        s.points[i][1] = y / (double)side * (far_away ? 1e-6 : 1);
        s.points[i][2] = (0.3 * sin(9 * x) + toi_random_range(random, 0, 0.8 / (double)side)) *
                         (far_away ? 1e-6 : 1);
    }
    for (int64_t f = 0; f < s.face_count; ++f) {
        int64_t at = f / 2 / side * (side + 1) + f / 2 % side;
        int64_t corners[2][3] = {{at, at + 1, at + side + 1},
                                 {at + 1, at + side + 2, at + side + 1}};
        for (int c = 0; c < 3; ++c)
            s.faces[f][c] = (int32_t)corners[f % 2][c];
    }
    return s;
}

static shape make_kind(int kind, uint64_t seed)
{
    toi_random random = {seed};
    if (kind == SHEET || kind == FAR_AWAY)
        return make_sheet(7, kind == FAR_AWAY, &random);
    return make_cloud(kind, 60, &random);
}

// ---------------------------------------------------------------------------------------------
// The twin: distances in long double, feature by feature

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double *a, const double *b, real d[3])
{
    for (int k = 0; k < 3; ++k)
        d[k] = (real)a[k] - (real)b[k];
}

static real length_at(const real p[3], const real e[3], real s, const real g[3], real t)
{
    real f[3];
    for (int k = 0; k < 3; ++k)
        f[k] = p[k] + s * e[k] + t * g[k];
    return sqrtl(dot(f, f));
}

static real clamp(real x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

static real point_to_segment(const real p[3], const real d[3])
{
    static const real none[3] = {0};
    real square = dot(d, d);
    return length_at(p, d, square > 0 ? clamp(-dot(p, d) / square) : 0, none, 0);
}

// |p + s e + t g|, unconstrained, if its (s, t) is in the triangle or the square.
static real inside(bool square, const real p[3], const real e[3], const real g[3])
{
    real ee = dot(e, e), eg = dot(e, g), gg = dot(g, g), pe = dot(p, e), pg = dot(p, g);
    real den = ee * gg - eg * eg;
    if (!(den > 0))
        return HUGE_VALL;
    real s = (eg * pg - gg * pe) / den, t = (eg * pe - ee * pg) / den;
    bool in = s >= 0 && t >= 0 && (square ? s <= 1 && t <= 1 : s + t <= 1);
    return in ? length_at(p, e, s, g, t) : HUGE_VALL;
}

static real point_to_triangle(const double *p, const double *const t[3])
{
    real d[3], e[3], g[3], least;
    subtract(t[0], p, d);
    subtract(t[1], t[0], e);
    subtract(t[2], t[0], g);
    least = inside(false, d, e, g);
    for (int i = 0; i < 3; ++i) {
        subtract(t[i], p, d);
        subtract(t[(i + 1) % 3], t[i], e);
        least = fminl(least, point_to_segment(d, e));
    }
    return least;
}

static real side_to_side(const double *a0, const double *a1, const double *b0, const double *b1)
{
    real p[3], e[3], g[3];
    subtract(b0, a0, p);
    subtract(b1, b0, e);
    subtract(a0, a1, g);
    return inside(true, p, e, g); // ends are corners
}

static real twin_distance(const toi_corner_view *a, const toi_corner_view *b)
{
    bool exact;
    if (toi_classify_faces(a, b, &exact) != TOI_OVERLAP_CLASS_COUNT)
        return 0;
    real least = HUGE_VALL;
    for (int i = 0; i < 3; ++i) {
        least = fminl(least, point_to_triangle(a->corner[i], b->corner));
        least = fminl(least, point_to_triangle(b->corner[i], a->corner));
        for (int j = 0; j < 3; ++j)
            least = fminl(least, side_to_side(a->corner[i], a->corner[(i + 1) % 3], b->corner[j],
                                              b->corner[(j + 1) % 3]));
    }
    return least;
}

static toi_corner_view corners_of(const shape *s, int64_t face)
{
    const int32_t *f = s->faces[face];
    return (toi_corner_view){{s->points[f[0]], s->points[f[1]], s->points[f[2]]}, f, 0};
}

static bool share_vertex(const int32_t *f, const int32_t *g)
{
    for (int i = 0; i < 9; ++i)
        if (f[i / 3] == g[i % 3])
            return true;
    return false;
}

static double size_of(const shape *s, int64_t face)
{
    const int32_t *f = s->faces[face];
    return toi_triangle_size(s->points[f[0]], s->points[f[1]], s->points[f[2]]);
}

// How many other faces, at least as large, are within `share` of the size.
static int32_t twin_count(const shape *s, int64_t face, double share, int64_t *neighbours)
{
    int32_t count = 0;
    double size = size_of(s, face);
    toi_corner_view a = corners_of(s, face);
    for (int64_t other = 0; other < s->face_count; ++other) {
        double larger = size_of(s, other);
        if (other == face || larger < size)
            continue;
        toi_corner_view b = corners_of(s, other);
        bool shared = share_vertex(a.vertex, b.vertex);
        *neighbours += shared;
        count += shared || twin_distance(&a, &b) <= (real)(share * size + 0x1p-40 * larger);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Tests

static toi_kfree_report analyse(const shape *s, int workers, int32_t *counts)
{
    toi_kfree_def def = toi_default_kfree_def();
    def.workers = workers;
    toi_mesh mesh = mesh_of(s);
    toi_kfree_report report;
    assert_ok(toi_kfree(&def, &mesh, counts, &report));
    return report;
}

static void sizes_are_those_of_the_smallest_spheres(void **state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {0.6, 0, 0}, c[3] = {0, 0.8, 0}, d[3] = {0.3, 0.01, 0};
    const double e[3] = {0.3, 0.6 * sqrt(0.75), 0};
    assert_true(fabs(toi_triangle_size(a, b, c) - 1) < 1e-15);                // right
    assert_true(fabs(toi_triangle_size(a, b, d) - 0.6) < 1e-15);              // obtuse
    assert_true(fabs(toi_triangle_size(a, b, e) - 0.6 / sqrt(0.75)) < 1e-15); // acute
    assert_true(toi_triangle_size(a, b, b) == 0.6 && toi_triangle_size(a, a, a) == 0);
    assert_true(toi_triangle_size(b, e, a) == toi_triangle_size(e, a, b));
}

// The smallest sphere is the largest of those around three corners, if they lie in a plane.
static void polygons_have_the_largest_size_of_three_corners(void **state)
{
    (void)state;
    toi_random random = {5};
    for (int64_t i = 0; i < cases(2000); ++i) {
        double points[9][3], largest = 0;
        int32_t corners[9];
        int count = 3 + (int)toi_random_below(&random, 7);
        for (int p = 0; p < count; ++p) {
            corners[p] = p;
            bool round = i % 3 == 0, lattice = i % 3 == 1;
            double x = toi_random_range(&random, -0.5, 0.5),
                   y = toi_random_range(&random, -0.5, 0.5);
            double length = round ? 4 * hypot(x, y) : lattice ? 0.125 : 1;
            points[p][0] = lattice ? floor(4 * x) * length : x / length;
            points[p][1] = lattice ? floor(4 * y) * length : y / length;
            points[p][2] = 0.5 * points[p][0] - 0.25 * points[p][1];
        }
        for (int p = 0; p < count; ++p)
            for (int q = 0; q < p; ++q)
                for (int r = 0; r <= q; ++r)
                    largest = fmax(largest, toi_triangle_size(points[p], points[q], points[r]));
        double size = toi_polygon_size(points, corners, count);
        assert_true(fabs(size - largest) <= 1e-9 * largest);
    }
}

static void counts_agree_with_brute_force(void **state)
{
    (void)state;
    int64_t near = 0;
    for (int64_t i = 0; i < cases(60); ++i) {
        shape s = make_kind((int)(i % KINDS), 100 + (uint64_t)i);
        int32_t counts[200], k = 0, k_near = 0, worst = -1;
        toi_kfree_report report = analyse(&s, 1, counts);
        int64_t neighbours = 0, unused = 0, sum = 0;
        for (int64_t f = 0; f < s.face_count; ++f) {
            int32_t quarter = twin_count(&s, f, 0.25, &neighbours);
            int32_t half = twin_count(&s, f, 0.5, &unused);
            assert_int_equal(counts[f], quarter);
            sum += quarter;
            if (quarter >= k) {
                k = quarter + 1;
                worst = (int32_t)f;
            }
            k_near = half >= k_near ? half + 1 : k_near;
        }
        assert_int_equal(report.k, k);
        assert_int_equal(report.k_near, k_near);
        assert_int_equal(report.worst, worst);
        assert_int_equal(report.self_bound, sum);
        assert_true(report.mean == (double)sum / (double)s.face_count);
        assert_true(report.neighbours == (double)neighbours / (double)s.face_count);
        near += sum;
        free_shape(&s);
    }
    assert_true(near > cases(60) * 60); // else there was little to count
}

static void workers_change_nothing(void **state)
{
    (void)state;
    toi_random random = {3};
    shape s = make_sheet(70, false, &random);
    int32_t *one = malloc((size_t)s.face_count * sizeof *one), *more = malloc(sizeof *more * 9800);
    toi_kfree_report first = analyse(&s, 1, one);
    for (int workers = 2; workers <= 5; ++workers) {
        toi_kfree_report report = analyse(&s, workers, more);
        assert_memory_equal(one, more, (size_t)s.face_count * sizeof *one);
        assert_true(report.k == first.k && report.k_near == first.k_near);
        assert_true(report.mean == first.mean && report.neighbours == first.neighbours);
        assert_true(report.deviation == first.deviation && report.worst == first.worst);
    }
    free(one);
    free(more);
    free_shape(&s);
}

static void scale_and_order_change_nothing(void **state)
{
    (void)state;
    shape s = make_kind(CLOUD, 77);
    int32_t before[60], after[60];
    toi_kfree_report first = analyse(&s, 1, before);
    for (int exponent = -900; exponent <= 900; exponent += 900) {
        shape t = make_kind(CLOUD, 77);
        for (int64_t i = 0; i < 3 * t.vertex_count; ++i)
            t.points[i / 3][i % 3] = ldexp(t.points[i / 3][i % 3], exponent);
        for (int64_t f = 0; f < t.face_count; ++f)
            for (int c = 0; c < 3; ++c)
                t.faces[f][c] = s.faces[t.face_count - 1 - f][(c + 1) % 3];
        toi_kfree_report report = analyse(&t, 1, after);
        for (int64_t f = 0; f < t.face_count; ++f)
            assert_int_equal(after[f], before[t.face_count - 1 - f]);
        assert_true(report.greatest_size == ldexp(first.greatest_size, exponent));
        assert_true(report.height == first.height && report.levels == first.levels);
        free_shape(&t);
    }
    free_shape(&s);
}

static int64_t count_self(const shape *s)
{
    int64_t pairs = 0;
    bool exact;
    for (int64_t f = 0; f < s->face_count; ++f)
        for (int64_t g = 0; g < f; ++g) {
            toi_corner_view a = corners_of(s, f), b = corners_of(s, g);
            pairs += toi_classify_faces(&a, &b, &exact) != TOI_OVERLAP_CLASS_COUNT;
        }
    return pairs;
}

// Pairs of s and of a copy moved by `way`.
static int64_t count_against_copy(const shape *s, const double way[3])
{
    int64_t pairs = 0;
    for (int64_t f = 0; f < s->face_count; ++f) {
        double moved[3][3];
        int32_t numbers[3];
        for (int c = 0; c < 3; ++c) {
            numbers[c] = (int32_t)(s->vertex_count + s->faces[f][c]);
            for (int k = 0; k < 3; ++k)
                moved[c][k] = s->points[s->faces[f][c]][k] + way[k];
        }
        toi_corner_view a = {{moved[0], moved[1], moved[2]}, numbers, 0};
        for (int64_t g = 0; g < s->face_count; ++g) {
            toi_corner_view b = corners_of(s, g);
            bool exact;
            pairs += toi_classify_faces(&a, &b, &exact) != TOI_OVERLAP_CLASS_COUNT;
        }
    }
    return pairs;
}

static void no_object_intersects_more_than_is_proved(void **state)
{
    (void)state;
    toi_random random = {9};
    int64_t most_self = 0, most = 0;
    for (int64_t i = 0; i < cases(60); ++i) {
        shape s = make_kind((int)(i % KINDS), 500 + (uint64_t)i);
        toi_kfree_report report = analyse(&s, 1, NULL);
        int64_t self = count_self(&s);
        assert_true(self <= report.self_bound);
        assert_true(report.self_bound <= s.face_count * (report.k - 1));
        most_self = self > most_self ? self : most_self;
        for (int move = 0; move < 4; ++move) {
            double reach = move == 0 ? 0 : i % KINDS == FAR_AWAY ? 1e-7 : 0.2, way[3];
            for (int k = 0; k < 3; ++k)
                way[k] = toi_random_range(&random, -reach, reach);
            int64_t pairs = count_against_copy(&s, way);
            assert_true((double)pairs <= 2 * report.proven_bound);
            most = pairs > most ? pairs : most;
        }
        free_shape(&s);
    }
    assert_true(most_self > 100 && most > 200);
}

// Ten needles through the points that cut each side of a regular triangle into three. They are a
// little longer than the triangle's size and farther from each other than a quarter of their
// length: a set with k = 1. The triangle meets all ten, where the paper's lemma has at most 3 k.
static void ten_needles_are_more_than_three(void **state)
{
    (void)state;
    const double length = 1.01, side = sqrt(0.75), shrunk = 0.99;
    shape s = take_shape(33, 11);
    const double corner[3][2] = {{0, 0}, {side, 0}, {side / 2, 0.75}};
    int64_t needle = 0;
    for (int i = 0; i <= 3; ++i)
        for (int j = 0; i + j <= 3; ++j, ++needle)
            for (int c = 0; c < 3; ++c) {
                double *p = s.points[3 * needle + c];
                for (int k = 0; k < 2; ++k) {
                    double at =
                        (i * corner[0][k] + j * corner[1][k] + (3 - i - j) * corner[2][k]) / 3;
                    double center = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
                    p[k] = center + shrunk * (at - center) + (c == 2 ? 1e-4 : 0);
                }
                p[2] = (c - 0.5) * length * (c < 2);
            }
    for (int c = 0; c < 3; ++c) {
        s.points[30 + c][0] = corner[c][0];
        s.points[30 + c][1] = corner[c][1];
        s.points[30 + c][2] = 0.01;
    }
    for (int i = 0; i < 33; ++i)
        s.faces[i / 3][i % 3] = i;
    int64_t met = 0;
    bool exact;
    toi_corner_view triangle = corners_of(&s, 10);
    for (int64_t f = 0; f < 10; ++f) {
        toi_corner_view b = corners_of(&s, f);
        met += toi_classify_faces(&triangle, &b, &exact) == TOI_OVERLAP_CROSSING;
        assert_true(size_of(&s, f) >= size_of(&s, 10));
    }
    s.face_count = 10;
    toi_kfree_report report = analyse(&s, 1, NULL);
    assert_int_equal(report.k, 1);
    assert_int_equal(met, 10);
    assert_true(met > 3 * report.k && met <= 12 * report.k && met <= 3 * report.k_near);
    free_shape(&s);
}

// Squares of two faces each, as polygons: a plane of n by n.
static void polygons_are_counted_as_one(void **state)
{
    (void)state;
    toi_random random = {1};
    shape s = make_sheet(6, false, &random);
    for (int64_t i = 0; i < s.vertex_count; ++i)
        s.points[i][2] = 0;
    int32_t polygons[72], counts[36];
    uint8_t diagonals[72];
    for (int f = 0; f < 72; ++f) {
        polygons[f] = f / 2;
        diagonals[f] = f % 2 ? 4 : 2;
    }
    toi_kfree_def def = toi_default_kfree_def();
    def.polygons = (toi_polygon_view){polygons, diagonals, 72};
    toi_mesh mesh = mesh_of(&s);
    toi_kfree_report report;
    assert_ok(toi_kfree(&def, &mesh, counts, &report));
    assert_int_equal(report.faces, 36);
    // Sizes differ by roundings, so of eight neighbours about half are larger; together all are.
    assert_true(report.k <= 9 && report.self_bound >= 110 && report.self_bound <= 220);
    assert_true(fabs(report.greatest_size - sqrt(2) / 6) < 1e-12);
    assert_true(report.bound == 7.0 * 36 * report.k);
    polygons[3] = 72;
    assert_fails(toi_kfree(&def, &mesh, counts, &report), TOI_ERROR_DATA, "polygon number 72");
    def.polygons.count = 71;
    assert_fails(toi_kfree(&def, &mesh, counts, &report), TOI_ERROR_DATA, "71 polygon numbers");
    free_shape(&s);
}

// Numbers that no polygon has are near nothing, each other included, and cost nothing: as pairs
// these would take minutes.
static void gaps_between_polygons_are_empty(void **state)
{
    (void)state;
    enum
    {
        COUNT = 60000
    };
    double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    int32_t(*faces)[3] = malloc(COUNT * sizeof *faces);
    int32_t *polygons = malloc(COUNT * sizeof *polygons), *counts = malloc(COUNT * sizeof *counts);
    for (int i = 0; i < COUNT; ++i) {
        memcpy(faces[i], (int32_t[3]){i > 0, 1 + (i > 0), 2 + (i > 0)}, sizeof *faces);
        polygons[i] = i > 0 ? COUNT - 1 : COUNT / 2;
    }
    toi_kfree_def def = toi_default_kfree_def();
    def.polygons = (toi_polygon_view){polygons, NULL, COUNT};
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 4, faces[0], COUNT);
    toi_kfree_report report;
    assert_ok(toi_kfree(&def, &mesh, counts, &report));
    assert_int_equal(report.faces, COUNT);
    assert_int_equal(report.self_bound, 2);
    for (int i = 0; i < COUNT; ++i)
        assert_int_equal(counts[i], i == COUNT / 2 || i == COUNT - 1);
    assert_true(report.seconds_total < 30);
    free(faces);
    free(polygons);
    free(counts);
}

// The bytes that the last message says are needed.
static int64_t named_bytes(void)
{
    const char *at = strstr(toi_last_message(), "needs");
    int64_t bytes = 0;
    for (at = at ? strchr(at, '(') : NULL; at && *at && *at != ' '; ++at)
        if (*at >= '0' && *at <= '9')
            bytes = 10 * bytes + *at - '0';
    return bytes;
}

static void limits_and_bad_calls(void **state)
{
    (void)state;
    toi_random random = {2};
    shape s = make_sheet(40, false, &random);
    toi_kfree_report free_report = analyse(&s, 2, NULL), report;
    toi_kfree_def def = toi_default_kfree_def();
    toi_mesh mesh = mesh_of(&s);
    def.workers = 2;
    def.memory_limit = free_report.peak_bytes;
    assert_ok(toi_kfree(&def, &mesh, NULL, &report));
    assert_int_equal(report.k, free_report.k);
    for (int64_t limit = 1; limit < free_report.peak_bytes / 2; limit *= 3) {
        def.memory_limit = limit;
        assert_fails(toi_kfree(&def, &mesh, NULL, &report), TOI_ERROR_LIMIT, "limit");
        assert_int_equal(report.k, 0);
        assert_true(report.peak_bytes <= limit);
    }
    def.memory_limit = named_bytes();
    assert_true(def.memory_limit > 0);
    assert_ok(toi_kfree(&def, &mesh, NULL, &report));
    def.memory_limit = -1;
    assert_fails(toi_kfree(&def, &mesh, NULL, &report), TOI_ERROR_ARGUMENT, "negative");
    def.cookie = 0;
    assert_fails(toi_kfree(&def, &mesh, NULL, &report), TOI_ERROR_ARGUMENT,
                 "toi_default_kfree_def");
    s.face_count = 0;
    report = analyse(&s, 1, NULL);
    assert_true(report.k == 0 && report.worst == -1 && report.bound == 0);
    free_shape(&s);
}

static void real_meshes_keep_their_bounds(void **state)
{
    (void)state;
    static const char *const names[] = {"bunny.ply", "two-cubes-close.ply",
                                        "two-cubes-intersecting.ply"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char name[64] = "meshes/";
        const char *path = find_data(strcat(name, names[i]));
        if (!path)
            skip();
        toi_mesh_file file;
        assert_ok(toi_read_mesh(path, &file));
        shape s = {file.point_count, file.face_count, file.points, file.faces};
        toi_kfree_report report = analyse(&s, 1, NULL);
        assert_true(count_self(&s) <= report.self_bound);
        if (s.face_count < 1000) {
            const double way[3] = {0.1, 0.05, 0.02};
            assert_true((double)count_against_copy(&s, way) <= 2 * report.proven_bound);
        }
        int64_t unused = 0;
        int32_t worst = twin_count(&s, report.worst, 0.25, &unused);
        assert_int_equal(worst, report.k - 1);
        toi_free_mesh_file(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_smallest_spheres),
        cmocka_unit_test(polygons_have_the_largest_size_of_three_corners),
        cmocka_unit_test(counts_agree_with_brute_force),
        cmocka_unit_test(workers_change_nothing),
        cmocka_unit_test(scale_and_order_change_nothing),
        cmocka_unit_test(no_object_intersects_more_than_is_proved),
        cmocka_unit_test(ten_needles_are_more_than_three),
        cmocka_unit_test(polygons_are_counted_as_one),
        cmocka_unit_test(gaps_between_polygons_are_empty),
        cmocka_unit_test(limits_and_bad_calls),
        cmocka_unit_test(real_meshes_keep_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
