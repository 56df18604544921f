// Distances at one instant against their slow twins: two loops over all pairs, the public distance
// functions, and rationals.

#include "close_twin.h"
#include "tangles.h"

#include "exact/exact_ccd.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The slow twin

// All pairs whose boxes, enlarged for `separation`, overlap, and that are at most `radius` apart.
static toi_close_array slow_close(toi_ccd_def def, const tangle *t, double separation,
                                  double radius)
{
    toi_close_array list = {0};
    def.narrow.min_separation = separation;
    def.float_boxes = false;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        pair_list pairs = slow_candidates(&def, t, (toi_kind)kind);
        list.data = realloc(list.data, (size_t)(list.count + pairs.count + 1) * sizeof *list.data);
        for (int64_t i = 0; i < pairs.count; ++i) {
            toi_close_pair c = measure_slowly(&t->with_edges, (toi_kind)kind, pairs.data[i]);
            if (c.distance <= radius)
                list.data[list.count++] = c;
        }
        free(pairs.data);
    }
    return list;
}

// ---------------------------------------------------------------------------------------------
// Cases by hand

// One vertex above each part of a triangle; nothing else is near.
static void parts_of_a_face(void **state)
{
    (void)state;
    static const double above[TOI_PART_COUNT][3] = {{-1, -1, 2}, {6, -1, 2}, {-1, 6, 2}, {2, -1, 2},
                                                    {3, 3, 2},   {-1, 2, 2}, {1, 1, 2}};
    static const double squares[TOI_PART_COUNT] = {6, 9, 9, 5, 6, 5, 4};
    static const int32_t face[3] = {0, 1, 2};
    for (int part = 0; part < TOI_PART_COUNT; ++part) {
        double points[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
        memcpy(points[3], above[part], sizeof points[3]);
        toi_mesh mesh = toi_make_mesh(points[0], points[0], 4, face, 1);
        toi_ccd_def def = toi_default_ccd_def();
        toi_close_pair closest;
        assert_ok(toi_find_distance(&def, &mesh, &closest, NULL));
        assert_int_equal(closest.kind, TOI_VERTEX_FACE);
        assert_int_equal(closest.a, 3);
        assert_int_equal(closest.part_a, TOI_PART_CORNER_0);
        assert_int_equal(closest.part_b, part);
        if (part == TOI_PART_SIDE_12)
            assert_true(closest.u == 0.5 && closest.v == 0.5);
        assert_true(fabs(closest.distance - sqrt(squares[part])) < 1e-15 * 8);
        assert_non_null(toi_part_name((toi_part)part));
    }
    assert_string_equal(toi_part_name(TOI_PART_SIDE_12), "side12");
    assert_null(toi_part_name(TOI_PART_COUNT));
}

// Edge b over the start, the middle or beyond the end of edge a, and so reached by its own start,
// middle or end.
static void parts_of_edges(void **state)
{
    (void)state;
    static const double along[3] = {-1, 5, 2};
    static const uint8_t parts[3] = {TOI_PART_CORNER_0, TOI_PART_CORNER_1, TOI_PART_INSIDE};
    static const double from[3] = {1, -3, -1}, to[3] = {3, -1, 1};
    static const int32_t edges[2][2] = {{0, 1}, {2, 3}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double points[4][3] = {
                {0, 0, 0}, {4, 0, 0}, {along[i], from[j], 1}, {along[i], to[j], 1}};
            toi_mesh mesh = {.start = toi_view_points(points[0], 4), .edges = {edges[0], 2, 0}};
            toi_ccd_def def = toi_default_ccd_def();
            toi_close_array list = {0};
            assert_ok(toi_find_close(&def, &mesh, 2, &list, NULL));
            assert_int_equal(list.count, 1);
            assert_int_equal(list.data[0].kind, TOI_EDGE_EDGE);
            assert_int_equal(list.data[0].part_a, parts[i]);
            assert_int_equal(list.data[0].part_b, parts[j]);
            toi_free_close(&list);
        }
}

// At the radius counts, beyond it does not; 0 means touching.
static void the_radius_is_included(void **state)
{
    (void)state;
    double points[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}};
    static const int32_t face[3] = {0, 1, 2};
    toi_mesh mesh = toi_make_mesh(points[0], NULL, 4, face, 1); // the end is not looked at
    mesh.end.count = 7;
    toi_ccd_def def = toi_default_ccd_def();
    toi_close_array list = {0};
    assert_ok(toi_find_close(&def, &mesh, 2, &list, NULL));
    assert_int_equal(list.count, 1);
    assert_ok(toi_find_close(&def, &mesh, nextafter(2, 0), &list, NULL));
    assert_int_equal(list.count, 0);
    points[3][2] = 0;
    assert_ok(toi_find_close(&def, &mesh, 0, &list, NULL));
    assert_int_equal(list.count, 1);
    assert_true(list.data[0].distance == 0);
    assert_ok(toi_find_close(&def, &mesh, -0.0, &list, NULL));
    assert_int_equal(list.count, 1);
    toi_free_close(&list);
}

// ---------------------------------------------------------------------------------------------
// Meshes made to break a search

static void stand_still(tangle *t)
{
    t->mesh.end = t->mesh.start;
    t->with_edges.end = t->with_edges.start;
}

// One mesh: radii from touching to everything, methods, workers, box types, levels in turn.
static int64_t check_tangle(const tangle *t, bool filtered, int turn)
{
    toi_ccd_def def = toi_default_ccd_def();
    double extent = extent_of(&t->with_edges);
    const double radii[] = {0, extent / 64, extent / 6, 2 * extent};
    int64_t found = 0;
    if (filtered)
        def.filter = (toi_filter){.groups = t->groups, .group_count = t->mesh.start.count};
    toi_close_array all = slow_close(def, t, DBL_MAX, DBL_MAX);
    toi_close_pair closest = closest_of(&all);
    for (int i = 0; i < 4; ++i) {
        toi_close_array expected = slow_close(def, t, radii[i], radii[i]);
        for (int m = 0; m < 3; ++m, ++turn) {
            def.broad.method = (toi_broad_method)((turn * 3 + m) % TOI_BROAD_COUNT);
            def.workers = 1 + turn % 8;
            def.float_boxes = turn % 3 == 1;
            set_level(turn);
            check_close(t->name, &def, &t->mesh, radii[i], &expected);
            if (i == 0)
                check_closest(t->name, &def, &t->mesh, &closest);
        }
        found += expected.count;
        free(expected.data);
    }
    free(all.data);
    assert_ok(toi_set_simd(NULL));
    return found;
}

static void meshes_agree_with_two_loops(void **state)
{
    (void)state;
    int64_t found = 0;
    int turn = 0, rounds = getenv("TOI_SANITIZED") ? 1 : 2;
    for (int round = 0; round < rounds; ++round)
        for (int topology = 0; topology < TOPOLOGIES; ++topology)
            for (int place = topology % (3 - rounds); place < PLACES; place += 3 - rounds, ++turn) {
                tangle t = make_tangle(topology, place, turn % LAYOUTS, 12 + 10 * round,
                                       (uint64_t)(turn + 1));
                stand_still(&t);
                found += check_tangle(&t, turn % 3 == 0, turn);
                free_tangle(&t);
            }
    assert_true(found > (rounds > 1 ? 10000 : 2000));
}

// ---------------------------------------------------------------------------------------------
// Safe radii

typedef struct radius_check
{
    mpq_t square, bound, number;
} radius_check;

// Is radius < (sqrt(square) - separation) / 2, in the reals? `slack`: as if it were larger by that.
static bool is_below_half(radius_check *r, double radius, double separation, double slack)
{
    mpq_set_d(r->bound, radius);
    mpq_set_d(r->number, slack);
    mpq_add(r->bound, r->bound, r->number);
    mpq_add(r->bound, r->bound, r->bound);
    mpq_set_d(r->number, separation);
    mpq_add(r->bound, r->bound, r->number);
    mpq_mul(r->bound, r->bound, r->bound);
    return mpq_cmp(r->bound, r->square) < 0;
}

// The corners of a pair, without those that repeat.
static int corners_of(const toi_mesh *mesh, const toi_close_pair *c, int32_t corners[4])
{
    const int32_t *edges = mesh->edges.data, *faces = mesh->faces.data;
    int n = 0;
    if (c->kind == TOI_EDGE_EDGE)
        for (int k = 0; k < 2; ++k)
            corners[n++] = edges[2 * c->a + k];
    else
        corners[n++] = c->a;
    if (c->kind == TOI_VERTEX_FACE)
        for (int k = 0; k < 3; ++k)
            corners[n++] = faces[3 * c->b + k];
    else if (c->kind == TOI_POINT_POINT)
        corners[n++] = c->b;
    else
        for (int k = 0; k < 2; ++k)
            corners[n++] = edges[2 * c->b + k];
    return n;
}

// Loose parts are faces whose last corners coincide: so they are gathered.
static void take_square(const toi_mesh *mesh, const toi_close_pair *c, mpq_t square)
{
    toi_query q = toi_gather_query(mesh, (toi_kind)c->kind, (toi_pair){c->a, c->b});
    exact_distance_square(c->kind == TOI_EDGE_EDGE ? TOI_EDGE_EDGE : TOI_VERTEX_FACE, &q, square);
}

// Every radius below the bound of every pair; and, where it is below the most, just below one.
static void check_radii(const toi_mesh *mesh, const toi_close_array *all, double separation,
                        double most, const double *radii)
{
    radius_check r;
    mpq_inits(r.square, r.bound, r.number, NULL);
    double slack = 0x1p-43 * extent_of(mesh) + DBL_MIN; // half the error of two extents
    bool *tight = calloc((size_t)mesh->start.count + 1, sizeof *tight);
    for (int64_t i = 0; i < all->count; ++i) {
        const toi_close_pair *c = &all->data[i];
        int32_t corners[4];
        int n = corners_of(mesh, c, corners);
        take_square(mesh, c, r.square);
        for (int k = 0; k < n; ++k) {
            double radius = radii[corners[k]];
            if (!is_below_half(&r, radius, separation, 0) && radius != 0)
                fail_msg("vertex %d: radius %a, but %s %d %d is at %a", corners[k], radius,
                         toi_kind_name((toi_kind)c->kind), c->a, c->b, c->distance);
            tight[corners[k]] |= !is_below_half(&r, radius * (1 + 0x1p-40), separation, slack);
        }
    }
    for (int64_t i = 0; i < mesh->start.count; ++i)
        if (!(radii[i] == most || (radii[i] < most && tight[i])))
            fail_msg("vertex %lld: radius %a is needlessly small", (long long)i, radii[i]);
    free(tight);
    mpq_clears(r.square, r.bound, r.number, NULL);
}

// Moves x by at most `radius`: exactly, however the sum is rounded.
static void displace(toi_random *random, double radius, const double x[3], double y[3])
{
    double direction[3], length = 0;
    int axis = (int)toi_random_below(random, 5); // 3, 4: no axis
    for (int k = 0; k < 3; ++k) {
        direction[k] = axis > 2 ? toi_random_range(random, -1, 1) : k == axis ? 1 : 0;
        length += direction[k] * direction[k];
    }
    radius_check r;
    mpq_inits(r.square, r.bound, r.number, NULL);
    for (double share = 1; share > 0; share = share > 0.5 ? share - 0x1p-50 - (1 - share) : 0) {
        mpq_set_ui(r.square, 0, 1);
        for (int k = 0; k < 3; ++k) {
            y[k] = x[k] + share * radius * direction[k] / sqrt(length);
            mpq_set_d(r.bound, y[k]);
            mpq_set_d(r.number, x[k]);
            mpq_sub(r.bound, r.bound, r.number);
            mpq_mul(r.bound, r.bound, r.bound);
            mpq_add(r.square, r.square, r.bound);
        }
        mpq_set_d(r.bound, radius);
        mpq_mul(r.bound, r.bound, r.bound);
        if (mpq_cmp(r.square, r.bound) <= 0) {
            mpq_clears(r.square, r.bound, r.number, NULL);
            return;
        }
    }
    memcpy(y, x, 3 * sizeof *y);
    mpq_clears(r.square, r.bound, r.number, NULL);
}

// Nothing that starts apart touches on the way, and in the end all are still farther than allowed.
static void check_motion(const toi_mesh *mesh, const toi_close_array *all, double separation,
                         const double *radii, double (*moved)[3], toi_random *random)
{
    for (int64_t i = 0; i < mesh->start.count; ++i) {
        toi_pair self = {(int32_t)i, (int32_t)i};
        toi_query q = toi_gather_query(mesh, TOI_POINT_POINT, self); // whatever the layout
        displace(random, radii[i], q.start[0], moved[i]);
    }
    toi_mesh motion = *mesh;
    motion.end = toi_view_points(moved[0], mesh->start.count);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, &motion, &impacts, NULL));
    for (int64_t i = 0; i < impacts.count; ++i)
        if (impacts.data[i].time > 0)
            fail_msg("%d %d %d touch at %a", impacts.data[i].kind, impacts.data[i].a,
                     impacts.data[i].b, impacts.data[i].time);
    radius_check r;
    mpq_inits(r.square, r.bound, r.number, NULL);
    toi_mesh after = *mesh;
    after.start = motion.end;
    for (int64_t i = 0; i < all->count; ++i) {
        const toi_close_pair *c = &all->data[i];
        take_square(mesh, c, r.square);
        if (!is_below_half(&r, 0, separation, 0))
            continue; // starts within
        take_square(&after, c, r.square);
        if (!is_below_half(&r, 0, separation, 0))
            fail_msg("%d %d %d came closer than %a", c->kind, c->a, c->b, separation);
    }
    mpq_clears(r.square, r.bound, r.number, NULL);
    toi_free_impacts(&impacts);
}

static int64_t check_safe_radii(tangle *t, double separation, double most, int turn)
{
    toi_mesh *mesh = &t->with_edges;
    int64_t count = mesh->start.count, small = 0;
    toi_ccd_def def = toi_default_ccd_def();
    toi_random random = {(uint64_t)turn + 99};
    def.narrow.min_separation = separation;
    toi_close_array all = slow_close(def, t, DBL_MAX, INFINITY);
    double *radii = malloc((size_t)(count + 1) * sizeof *radii),
           *again = malloc((size_t)(count + 1) * sizeof *again);
    double(*moved)[3] = malloc((size_t)(count + 1) * sizeof *moved);
    assert_ok(toi_find_safe_radii(&def, mesh, most, radii, NULL));
    check_radii(mesh, &all, separation, most, radii);
    for (int k = 0; k < 3; ++k) {
        check_motion(mesh, &all, separation, radii, moved, &random);
        def.broad.method = (toi_broad_method)((turn + k) % TOI_BROAD_COUNT);
        def.workers = 1 + (turn + k) % 8;
        def.float_boxes = k == 1;
        set_level(turn + k);
        toi_scene *scene = scene_of(mesh, &def.filter);
        assert_ok(k == 2 ? toi_scene_find_safe_radii(scene, &def, mesh->start, most, again, NULL)
                         : toi_find_safe_radii(&def, mesh, most, again, NULL));
        assert_memory_equal(radii, again, (size_t)count * sizeof *radii);
        toi_free_scene(scene);
    }
    for (int64_t i = 0; i < count; ++i)
        small += radii[i] < most;
    assert_ok(toi_set_simd(NULL));
    free(moved);
    free(again);
    free(radii);
    free(all.data);
    return small;
}

static void radii_keep_every_pair_apart(void **state)
{
    (void)state;
    static const int places[] = {ANYWHERE, ON_A_LATTICE, IN_A_PLANE, AT_ONE_POINT, FAR_AWAY};
    int64_t small = 0;
    int turn = 0;
    int stride = getenv("TOI_SANITIZED") ? 2 : 1;
    for (int topology = 0; topology < TOPOLOGIES; ++topology)
        for (int place = topology % stride; place < 5; place += stride, ++turn) {
            tangle t = make_tangle(topology, places[place], PACKED, 8, (uint64_t)(turn + 1));
            stand_still(&t);
            double extent = extent_of(&t.with_edges);
            small += check_safe_radii(&t, turn % 2 ? extent / 50 : 0, extent / 8, turn);
            free_tangle(&t);
        }
    assert_true(small > 200 / stride);
}

// A pair whose boxes touch as floats but not as doubles bounds nobody, whatever boxes are searched.
static void boxes_in_double_decide(void **state)
{
    (void)state;
    double points[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2 + 0x1p-50}};
    static const int32_t face[3] = {0, 1, 2};
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 4, face, 1);
    toi_ccd_def def = toi_default_ccd_def();
    for (int floats = 0; floats < 2; ++floats) {
        double radii[4];
        def.float_boxes = floats;
        assert_ok(toi_find_safe_radii(&def, &mesh, 1, radii, NULL));
        for (int i = 0; i < 4; ++i)
            assert_true(radii[i] == 1);
    }
}

// ---------------------------------------------------------------------------------------------
// Degenerate input, and nothing at all

static void nothing_is_infinitely_far(void **state)
{
    (void)state;
    double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int32_t face[3] = {0, 1, 2};
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 3, face, 1), none = {0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_close_pair closest;
    double radii[3];
    assert_ok(toi_find_distance(&def, &mesh, &closest, NULL));
    assert_true(closest.distance == INFINITY && closest.a == -1 && closest.b == -1);
    assert_ok(toi_find_distance(&def, &none, &closest, NULL));
    assert_true(closest.distance == INFINITY);
    assert_ok(toi_find_safe_radii(&def, &mesh, 3, radii, NULL));
    assert_true(radii[0] == 3 && radii[1] == 3 && radii[2] == 3);
    assert_ok(toi_find_safe_radii(&def, &mesh, 0, radii, NULL));
    assert_true(radii[0] == 0);
}

// Two faces far from each other, whose boxes are nowhere near.
static void far_pairs_are_found(void **state)
{
    (void)state;
    static const int32_t faces[6] = {0, 1, 2, 3, 4, 5};
    for (int exponent = -1000; exponent <= 1000; exponent += 50) {
        double size = ldexp(1, exponent), points[6][3] = {{0}};
        for (int k = 0; k < 2; ++k) {
            points[3 * k + 1][1] = points[3 * k + 2][2] = size;
            for (int i = 0; i < 3; ++i)
                points[3 * k + i][0] = k ? 1024 * size : 0;
        }
        toi_mesh mesh = toi_make_mesh(points[0], points[0], 6, faces, 2);
        toi_ccd_def def = toi_default_ccd_def();
        toi_close_pair closest;
        assert_ok(toi_find_distance(&def, &mesh, &closest, NULL));
        assert_true(closest.distance == 1024 * size);
        assert_int_equal(closest.kind, TOI_VERTEX_FACE);
        assert_int_equal(closest.a, 0);
        assert_int_equal(closest.b, 1);
    }
}

// Pairs that are given are asked about instead of those of a search.
static void given_pairs_are_measured(void **state)
{
    (void)state;
    const double radius = 0.2;
    soup s = make_soup(60, 0.3, 0, 8);
    toi_ccd_def def = toi_default_ccd_def(), wide = def;
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    toi_close_array expected = {0};
    toi_close_pair closest;
    wide.narrow.min_separation = 2 * radius;
    assert_ok(toi_find_all_candidates(&wide, &s.mesh, lists, NULL));
    assert_ok(toi_find_close(&def, &s.mesh, radius, &expected, NULL));
    assert_ok(toi_find_distance(&def, &s.mesh, &closest, NULL));
    def.given = lists;
    toi_close_array list = {0};
    toi_close_pair again;
    assert_ok(toi_find_close(&def, &s.mesh, radius, &list, NULL));
    assert_true(list.count > 100 && list.count == expected.count);
    assert_memory_equal(list.data, expected.data, (size_t)list.count * sizeof *list.data);
    assert_ok(toi_find_distance(&def, &s.mesh, &again, NULL));
    assert_memory_equal(&again, &closest, sizeof again);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        lists[kind].count = 0;
    assert_ok(toi_find_distance(&def, &s.mesh, &again, NULL));
    assert_true(again.distance == INFINITY);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
    toi_free_close(&list);
    toi_free_close(&expected);
    free_soup(&s);
}

// ---------------------------------------------------------------------------------------------
// Errors are values

static toi_status stop(void *context, const toi_close_pair *close, int64_t count, int worker)
{
    (void)close;
    (void)count;
    (void)worker;
    return toi_fail(TOI_ERROR_DATA, "%s", (const char *)context);
}

static bool no(void *context, double done)
{
    (void)context;
    (void)done;
    return false;
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    soup s = make_soup(30, 0.3, 0, 4);
    toi_ccd_def def = toi_default_ccd_def(), bad = def;
    toi_close_array list = {0};
    toi_close_pair closest;
    double *radii = malloc((size_t)s.vertex_count * sizeof *radii);
    const double lengths[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        assert_fails(toi_find_close(&def, &s.mesh, lengths[i], &list, NULL), TOI_ERROR_ARGUMENT,
                     "radius");
        assert_fails(toi_find_safe_radii(&def, &s.mesh, lengths[i], radii, NULL),
                     TOI_ERROR_ARGUMENT, "radius");
    }
    assert_fails(toi_find_safe_radii(&def, &s.mesh, DBL_MAX, radii, NULL), TOI_ERROR_ARGUMENT,
                 "largest double");
    assert_true(radii[0] == 0);
    bad.narrow.min_separation = 0.1;
    assert_fails(toi_find_close(&bad, &s.mesh, 1, &list, NULL), TOI_ERROR_ARGUMENT,
                 "min_separation");
    assert_fails(toi_find_distance(&bad, &s.mesh, &closest, NULL), TOI_ERROR_ARGUMENT,
                 "min_separation");
    struct
    {
        const char *name;
        toi_ccd_def def;
    } options[] = {{"method", def},         {"tolerance", def},    {"t_max", def},
                   {"max_iterations", def}, {"no_zero_time", def}, {"all_roots", def},
                   {"zero_time", def},      {"zero_time", def}};
    options[0].def.narrow.method = TOI_NARROW_INCLUSION;
    options[1].def.narrow.tolerance = 1e-3;
    options[2].def.narrow.t_max = 0.5;
    options[3].def.narrow.max_iterations = 7;
    options[4].def.narrow.no_zero_time = true;
    options[5].def.narrow.all_roots = true;
    options[6].def.zero_time.rescale = 0.8;
    options[7].def.zero_time.relative_separation = 0.2;
    for (int i = 0; i < 8; ++i)
        assert_fails(toi_find_close(&options[i].def, &s.mesh, 1, &list, NULL), TOI_ERROR_ARGUMENT,
                     options[i].name);
    assert_fails(toi_find_close(NULL, &s.mesh, 1, &list, NULL), TOI_ERROR_ARGUMENT, "definition");
    assert_fails(toi_find_close(&def, NULL, 1, &list, NULL), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_stream_close(&def, &s.mesh, 1, stop, "enough", NULL), TOI_ERROR_DATA,
                 "enough");
    bad = def;
    bad.progress = no;
    assert_int_equal(toi_find_close(&bad, &s.mesh, 1, &list, NULL), TOI_ERROR_CANCELLED);
    assert_int_equal(list.count, 0);
    toi_free_close(&list);
    toi_free_close(NULL);
    free(radii);
    free_soup(&s);
}

// ---------------------------------------------------------------------------------------------
// Allocations that fail

static int allocations_left;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (allocations_left-- <= 0)
        return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void plain_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void a_failed_call_leaves_nothing_broken(void **state)
{
    (void)state;
    soup s = make_soup(40, 0.3, 0, 5);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 2;
    double *radii = malloc((size_t)s.vertex_count * sizeof *radii);
    int failures = 0;
    toi_set_hooks(&(toi_hooks){.allocate = failing_allocate, .release = plain_release});
    for (int question = 0; question < 3; ++question)
        for (int allowed = 0; allowed < 400; ++allowed) {
            toi_close_array list = {0};
            toi_close_pair closest;
            allocations_left = allowed;
            toi_status status = question == 0 ? toi_find_close(&def, &s.mesh, 0.2, &list, NULL)
                                : question == 1
                                    ? toi_find_distance(&def, &s.mesh, &closest, NULL)
                                    : toi_find_safe_radii(&def, &s.mesh, 1, radii, NULL);
            assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
            if (status != TOI_OK)
                assert_true(list.count == 0 && (question != 2 || radii[0] == 0));
            failures += status != TOI_OK;
            allocations_left = 1 << 20;
            toi_free_close(&list);
            if (status == TOI_OK)
                break;
        }
    toi_set_hooks(NULL);
    assert_true(failures > 20);
    free(radii);
    free_soup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_face),
        cmocka_unit_test(parts_of_edges),
        cmocka_unit_test(the_radius_is_included),
        cmocka_unit_test(meshes_agree_with_two_loops),
        cmocka_unit_test(radii_keep_every_pair_apart),
        cmocka_unit_test(boxes_in_double_decide),
        cmocka_unit_test(nothing_is_infinitely_far),
        cmocka_unit_test(far_pairs_are_found),
        cmocka_unit_test(given_pairs_are_measured),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(a_failed_call_leaves_nothing_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
