// The search at both ends of the step, and directions on positions in single precision
// (docs/exact.md, sections 1 and 2): what they drop is apart, whatever the mesh, its size, its
// place and its outliers. Compared with the search of swept boxes, which needs neither.
//
// Looks inside: the filter is compiled into this file.

#define TOI_ISA bounds
#include "ccd/cull_near_isa.c"

#include "broad/tree/mesh_tree.h"
#include "crossings.h"
#include "steps.h"
#include "support.h"
#include "tangles.h"

#include "exact/twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Each instruction set in turn, as far as the machine has them.
static void use_instruction_set(int64_t number)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    if (toi_set_simd(names[number % 3]) != TOI_OK)
        assert_ok(toi_set_simd(NULL));
}

// ---- Contacts that single precision cannot see

// The impact of a crossing.
static void expect_crossing(const setting *how, const toi_mesh *mesh, toi_kind kind, int32_t n,
                            const toi_impact_array *impacts)
{
    bool edges = kind == TOI_EDGE_EDGE;
    toi_pair pair = edges ? (toi_pair){2 * n, 2 * n + 1} : (toi_pair){CORNERS * n, n};
    if (n % 20 == 0) {
        toi_query query = toi_gather_query(mesh, kind, pair);
        assert_true(twin_decide(kind, &query).touches);
    }
    for (int64_t i = 0; i < impacts->count; ++i)
        if (impacts->data[i].kind == (int32_t)kind && impacts->data[i].a == pair.a &&
            impacts->data[i].b == pair.b)
            return;
    fail_msg("%s: pair %d %d of kind %s touches and is no impact", how->name, pair.a, pair.b,
             toi_kind_name(kind));
}

static void grazing_contacts_are_found(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {501};
    int number = 0;
    for (size_t s = 0; s < SETTINGS; ++s)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            for (int simd = 0; simd < 3; ++simd) {
                toi_mesh mesh = make_crossings(&settings[s], (toi_kind)kind, &random, &all);
                toi_ccd_def def = toi_default_ccd_def();
                toi_impact_array impacts = {0};
                toi_ccd_report report;
                use_instruction_set(number++);
                def.narrow.t_max = settings[s].early ? 1.0 / 60 : 1;
                assert_ok(toi_find_impacts(&def, &mesh, &impacts, &report));
                assert_int_equal(report.candidates[kind], -1);
                for (int32_t n = 0; n < CROSSINGS; ++n)
                    expect_crossing(&settings[s], &mesh, (toi_kind)kind, n, &impacts);
                toi_free_impacts(&impacts);
            }
    assert_ok(toi_set_simd(NULL));
}

// ---- Zeros of both signs

enum
{
    PATCHES = 40,
    PATCH = 6 // vertices
};

// Two triangles in the plane z = 0 whose sides cross, and of which each has a corner in the other,
// many times. The plane goes through the origin of positions, since most vertices lie in it.
typedef struct patches
{
    double at[PATCHES * PATCH][3];
    int32_t faces[2 * PATCHES][3];
} patches;

static toi_mesh make_patches(toi_random *random, bool signs, patches *all)
{
    static const double corners[PATCH][2] = {{0, 0},     {1, 0},     {0, 1},
                                             {0.3, 0.3}, {1.3, 0.3}, {0.3, 1.3}};
    for (int i = 0; i < PATCHES * PATCH; ++i) {
        all->at[i][0] = corners[i % PATCH][0] + 2 * (i / PATCH % 8 - 4);
        all->at[i][1] = corners[i % PATCH][1] + 2 * (i / PATCH / 8 - 2);
        all->at[i][2] = signs && toi_random_below(random, 2) ? -0.0 : 0.0;
    }
    for (int i = 0; i < PATCHES * PATCH; ++i)
        all->faces[i / 3][i % 3] = i;
    return toi_make_mesh(all->at[0], all->at[0], PATCHES * PATCH, all->faces[0], 2 * PATCHES);
}

static void expect_same_pairs(const toi_impact_array *impacts, const toi_impact_array *expected)
{
    assert_int_equal(impacts->count, expected->count);
    for (int64_t i = 0; i < impacts->count; ++i) {
        const toi_impact *a = &impacts->data[i], *b = &expected->data[i];
        assert_true(a->kind == b->kind && a->a == b->a && a->b == b->b && a->time == b->time);
    }
}

// What touches at 0 and -0 is found: by searches of both ends, and by what scenes keep of them.
static void zeros_have_no_sign(void **state)
{
    (void)state;
    static const toi_track_method methods[] = {TOI_TRACK_STATELESS, TOI_TRACK_ORDER,
                                               TOI_TRACK_BUDGETS};
    static patches all;
    toi_random random = {509};
    toi_impact_array expected = {0}, impacts = {0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_mesh plain = make_patches(&random, false, &all);
    assert_ok(toi_find_impacts(&def, &plain, &expected, NULL));
    assert_true(expected.count >= 3 * PATCHES);
    for (int number = 0; number < 90; ++number) {
        toi_mesh mesh = make_patches(&random, true, &all);
        toi_track_def track = toi_default_track_def();
        toi_scene *scene;
        use_instruction_set(number);
        track.method = methods[number / 3 % 3];
        assert_ok(make_scene_of(&mesh, NULL, &scene));
        assert_ok(toi_scene_set_tracking(scene, &track));
        for (int step = 0; step < 3; ++step) {
            assert_ok(toi_scene_find_impacts(scene, &def, mesh.start, mesh.end, &impacts, NULL));
            expect_same_pairs(&impacts, &expected);
        }
        toi_free_scene(scene);
    }
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    assert_ok(toi_set_simd(NULL));
}

// ---- Differences beyond the doubles

enum
{
    CROWD = 90 // vertices, most of which are far to one side
};

// A vertex and a face that are as near as the separation, about, so far from the others that the
// way from these to them is no double.
static toi_mesh make_distant(double at[CROWD + 4][3], int32_t face[3], double where)
{
    for (int i = 0; i < CROWD; ++i) {
        at[i][0] = i < CROWD * 2 / 3 ? -1.2e308 : -0.6e308;
        at[i][1] = i * 1e306;
        at[i][2] = 0;
    }
    for (int i = 0; i < 3; ++i) {
        at[CROWD + i][0] = 1e307;
        at[CROWD + i][1] = i == 1 ? 1e306 : 0;
        at[CROWD + i][2] = i == 2 ? 1e306 : 0;
        face[i] = CROWD + i;
    }
    at[CROWD + 3][0] = where;
    at[CROWD + 3][1] = at[CROWD + 3][2] = 0;
    return toi_make_mesh(at[0], at[0], CROWD + 4, face, 1);
}

static void distant_pairs_are_found(void **state)
{
    (void)state;
    static double at[CROWD + 4][3];
    int32_t face[3];
    for (int number = 0; number < 12; ++number) {
        toi_mesh mesh = make_distant(at, face, 1e308 - number / 3 * 2e306);
        toi_ccd_def def = toi_default_ccd_def();
        toi_impact_array found = {0}, expected = {0};
        def.narrow.min_separation = 0.95e308;
        use_instruction_set(number);
        assert_ok(toi_find_impacts(&def, &mesh, &found, NULL));
        def.broad.method = TOI_BROAD_BRUTE;
        assert_ok(toi_find_impacts(&def, &mesh, &expected, NULL));
        expect_same_pairs(&found, &expected);
        bool there = false;
        for (int64_t i = 0; i < found.count; ++i)
            there |= found.data[i].kind == TOI_VERTEX_FACE && found.data[i].a == CROWD + 3;
        assert_true(there);
        toi_free_impacts(&found);
        toi_free_impacts(&expected);
    }
    assert_ok(toi_set_simd(NULL));
}

// ---- Shares of the initial distance that are kept to the last

static void expect_follower(const setting *how, toi_kind kind, int32_t n, bool least,
                            const toi_impact_array *impacts)
{
    bool edges = kind == TOI_EDGE_EDGE;
    toi_pair pair = edges ? (toi_pair){2 * n, 2 * n + 1} : (toi_pair){CORNERS * n, n};
    for (int64_t i = 0; i < impacts->count; ++i)
        if (impacts->data[i].kind == (int32_t)kind && impacts->data[i].a == pair.a &&
            impacts->data[i].b == pair.b) {
            assert_true(impacts->data[i].time == (how->early ? PASSED : 1));
            return;
        }
    fail_msg("%s, %s separation: pair %d %d of kind %s comes to its share and is no impact",
             how->name, least ? "some" : "no", pair.a, pair.b, toi_kind_name(kind));
}

static void shares_are_kept_to_the_last(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {503};
    for (size_t s = 0; s < SETTINGS; ++s)
        for (int number = 0; number < 12; ++number) {
            toi_kind kind = (toi_kind)(number / 2 % 2);
            double least = number % 2 ? 0x1p-20 : 0;
            toi_mesh mesh = make_crossings(&settings[s], kind, &random, &all);
            toi_ccd_def def = toi_default_ccd_def();
            toi_impact_array impacts = {0};
            toi_ccd_report report;
            place_followers(kind, &settings[s], least, false, &random, &all);
            use_instruction_set(number / 4);
            def.narrow.min_separation = ldexp(least, settings[s].exponent);
            def.narrow.t_max = settings[s].early ? PASSED : 1;
            def.zero_time.relative_separation = SHARE;
            assert_ok(toi_find_impacts(&def, &mesh, &impacts, &report));
            assert_int_equal(report.candidates[kind], -1);
            for (int32_t n = 0; n < CROSSINGS; ++n)
                expect_follower(&settings[s], kind, n, least > 0, &impacts);
            toi_free_impacts(&impacts);
        }
    assert_ok(toi_set_simd(NULL));
}

toi_search_near_fn toi_search_near_baseline, toi_search_near_avx2, toi_search_near_avx512;

// Followers by place.
static void place_pairs(const toi_mesh_order *order, const toi_tree *tree, toi_kind kind,
                        toi_pair pairs[CROSSINGS])
{
    bool edges = kind == TOI_EDGE_EDGE;
    for (int32_t place = 0; place < tree->count; ++place) {
        int32_t id = tree->ids[place], n = edges ? id / 2 : id;
        if (edges && id % 2 == 0)
            pairs[n].a = place;
        else
            pairs[n].b = place;
    }
    for (int32_t place = 0; !edges && place < CORNERS * CROSSINGS; ++place)
        if (order->vertices[place] % CORNERS == 0)
            pairs[order->vertices[place] / CORNERS].a = place;
}

// How many of the followers the search on positions in single precision loses if these are off by
// so many of the errors that are known: those that it drops, or has clear after they come to their
// share.
static int count_lost(const setting *how, toi_kind kind, double least, double errors,
                      const toi_mesh *mesh)
{
    static toi_search_near_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_search_near);
    toi_budget budget = {0};
    toi_broad_job job = {.workers = 1, .budget = &budget};
    toi_mesh_boxes boxes = {.mesh = mesh, .moving = true, .relative = SHARE};
    toi_mesh_order order = {0};
    toi_tree tree;
    toi_pair pairs[TOI_SEARCH_BLOCK];
    toi_searched searched[TOI_SEARCH_BLOCK];
    bool edges = kind == TOI_EDGE_EDGE;
    assert_ok(toi_make_primitive_tree(&boxes, &order, &job, edges ? TOI_EDGE : TOI_FACE, &tree));
    toi_near_source source = {.rows = (const float(*)[8])order.moving,
                              .error = (float)errors * order.error,
                              .labels = {edges ? tree.labels : NULL, tree.labels},
                              .kind = kind,
                              .t_max = toi_cull_time(how->early ? PASSED : 1),
                              .euclidean = true,
                              .separation = ldexp(least, how->exponent) * order.scale,
                              .relative = SHARE};
    place_pairs(&order, &tree, kind, pairs);
    int64_t kept = kernels[toi_simd_level()](&source, pairs, CROSSINGS, searched);
    int lost = (int)(CROSSINGS - kept);
    for (int64_t i = 0; i < kept; ++i)
        lost += searched[i].lo > (how->early ? PASSED : 1);
    toi_free_tree(&tree);
    toi_free_mesh_order(&order);
    return lost;
}

static void searches_keep_every_share(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {508};
    int without = 0;
    for (size_t s = 0; s < SETTINGS; ++s)
        for (int number = 0; number < 12 && settings[s].outlier == 0; ++number) {
            toi_kind kind = (toi_kind)(number / 2 % 2);
            double least = number % 2 ? 0x1p-20 : 0;
            toi_mesh mesh = make_crossings(&settings[s], kind, &random, &all);
            place_followers(kind, &settings[s], least, false, &random, &all);
            use_instruction_set(number / 4);
            assert_int_equal(count_lost(&settings[s], kind, least, 1, &mesh), 0);
            without += count_lost(&settings[s], kind, least, 0, &mesh);
        }
    print_message("  %d are lost if positions are taken for exact\n", without);
    assert_true(without > 0);
    assert_ok(toi_set_simd(NULL));
}

// Only pairs whose swept boxes overlap, in double, keep a share.
static void others_keep_no_share(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {505};
    for (int number = 0; number < 12; ++number) {
        toi_kind kind = (toi_kind)(number / 2 % 2);
        double least = number % 2 ? 0x1p-20 : 0;
        toi_mesh mesh = make_crossings(&settings[0], kind, &random, &all);
        toi_ccd_def def = toi_default_ccd_def();
        toi_impact_array impacts = {0};
        place_followers(kind, &settings[0], least, true, &random, &all);
        use_instruction_set(number / 4);
        def.narrow.min_separation = least;
        def.zero_time.relative_separation = SHARE;
        assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
        for (int64_t i = 0; i < impacts.count; ++i)
            assert_int_not_equal(impacts.data[i].a / (kind == TOI_EDGE_EDGE ? 2 : CORNERS),
                                 impacts.data[i].b / (kind == TOI_EDGE_EDGE ? 2 : 1));
        toi_free_impacts(&impacts);
    }
    assert_ok(toi_set_simd(NULL));
}

// A list of faces one above the other, and a vertex below them. All rise, so that swept boxes
// overlap, and at the end only the highest face has come down to its share: the others are closer
// to the vertex at first, and all of them make a packet. Its box is as far from the vertex as the
// pair keeps, and the middle of the box nearer than the face is: what it lacks is to be added.
static void packets_keep_every_share(void **state)
{
    (void)state;
    enum
    {
        PACKET = 16
    };
    static const double flat[3][2] = {{-0x1p-6, -0x1p-6}, {0x1p-6, -0x1p-6}, {0, 0x1p-6}};
    double start[3 * PACKET + 1][3] = {{0}}, end[3 * PACKET + 1][3] = {{0}};
    int32_t faces[PACKET][3], below = 3 * PACKET;
    for (int i = 0; i < 3 * PACKET; ++i) {
        bool highest = i / 3 == PACKET - 1;
        start[i][2] = highest ? 9 : 4 + 0x1p-3 * (i / 3);
        end[i][2] = highest ? 20 + 9 * SHARE : 30 + 0x1p-3 * (i / 3);
        for (int k = 0; k < 2; ++k)
            start[i][k] = end[i][k] = flat[i % 3][k];
        faces[i / 3][i % 3] = i;
    }
    end[below][2] = 20;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], below + 1, faces[0], PACKET);
    for (int simd = 0; simd < 3; ++simd) {
        toi_ccd_def def = toi_default_ccd_def();
        toi_impact_array impacts = {0};
        double time = INFINITY;
        use_instruction_set(simd);
        def.zero_time.relative_separation = SHARE;
        assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
        for (int64_t i = 0; i < impacts.count; ++i)
            if (impacts.data[i].kind == TOI_VERTEX_FACE && impacts.data[i].a == below &&
                impacts.data[i].b == PACKET - 1)
                time = impacts.data[i].time;
        assert_true(time == 1);
        toi_free_impacts(&impacts);
    }
    assert_ok(toi_set_simd(NULL));
}

// So far from the origin that the last bit of a coordinate is more than single precision loses:
// boxes that are enlarged by less are rounded outward by one each, and overlap. Such pairs keep a
// share, too.
static void rounded_boxes_keep_a_share(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {506};
    const double far = 0x1p40, bit = 0x1p-12;
    for (int number = 0; number < 6; ++number) {
        toi_kind kind = (toi_kind)(number % 2);
        toi_mesh mesh = make_crossings(&settings[0], kind, &random, &all);
        for (int32_t i = 0; i < 3 * CORNERS * CROSSINGS; ++i) {
            int corner = i / 3 % CORNERS, axis = i % 3;
            bool first = corner < (kind == TOI_EDGE_EDGE ? 2 : 1);
            double along[TOI_PAIR_KINDS][CORNERS] = {{2, 0, 4, 2}, {0, 4, 0, 4}};
            double place = far + 0x1p-6 * (double)(i / 3 / CORNERS % 64);
            all.start[i / 3][axis] = all.end[i / 3][axis] =
                place + (axis == 0 ? along[kind][corner] * bit : 0);
            if (axis == 2 && first) { // a quarter is left
                all.start[i / 3][axis] += 8 * bit;
                all.end[i / 3][axis] += 2 * bit;
            }
        }
        toi_ccd_def def = toi_default_ccd_def();
        toi_impact_array impacts = {0};
        use_instruction_set(number / 2);
        def.narrow.min_separation = 0x1p-10 * bit;
        def.zero_time.relative_separation = SHARE;
        assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
        int64_t found = 0;
        for (int64_t i = 0; i < impacts.count; ++i)
            found += impacts.data[i].a / (kind == TOI_EDGE_EDGE ? 2 : CORNERS) ==
                     impacts.data[i].b / (kind == TOI_EDGE_EDGE ? 2 : 1);
        assert_int_equal(found, CROSSINGS);
        toi_free_impacts(&impacts);
    }
    assert_ok(toi_set_simd(NULL));
}

// Coordinates that single precision cannot hold are cut off, and look equal: faces at 2^300 and
// vertices at 2^200, much closer to each other on the other axes than the separation. There are
// so many pairs that start inside that the search comes to mark them.
static void cut_off_positions_are_not_inside(void **state)
{
    (void)state;
    if (getenv("TOI_SANITIZED")) // half a million impacts
        skip();
    enum
    {
        FAR_FACES = 280,
        FARTHER = 3 * FAR_FACES, // vertices of the faces; then come others
        OTHERS = 60,
        LOOSE = 5 * (FARTHER + OTHERS), // most vertices are near the origin
        ALL = FARTHER + OTHERS + LOOSE
    };
    static double at[ALL][3];
    static int32_t faces[FAR_FACES][3];
    toi_random random = {507};
    for (int i = 0; i < ALL; ++i)
        for (int k = 0; k < 3; ++k)
            at[i][k] = toi_random_unit(&random);
    for (int i = 0; i < FARTHER + OTHERS; ++i)
        at[i][0] = i < FARTHER ? 0x1p300 : 0x1p200;
    for (int i = 0; i < FARTHER; ++i)
        faces[i / 3][i % 3] = i;
    toi_mesh mesh = toi_make_mesh(at[0], at[0], ALL, faces[0], FAR_FACES);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    def.workers = 1;
    def.narrow.min_separation = 0x1p110;
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    assert_true(impacts.count > FARTHER * (FAR_FACES - 1));
    for (int64_t i = 0; i < impacts.count; ++i)
        assert_true(impacts.data[i].kind != TOI_VERTEX_FACE || impacts.data[i].a < FARTHER);
    toi_free_impacts(&impacts);
}

// ---- The error of positions in single precision

enum
{
    FACES = 2000
};

// How far the row of a vertex less that of another is off, beyond its own rounding, in errors.
static double row_ratio(const toi_near_source *source, const toi_mesh_order *order, toi_pair pair,
                        bool early)
{
    const int32_t places[2] = {pair.a, toi_corner_at(source->labels[1], 3, pair.b, 0)};
    toi_motion_rows rows;
    const toi_mesh *mesh = order->boxes.mesh;
    double worst = 0, allowed = early ? 2.25 * source->error : source->error, x[2][2][3];
    put_near(false, source, &pair, early, 0, &rows);
    for (int c = 0; c < 2; ++c) {
        toi_load_point(&mesh->start, order->vertices[places[c]], x[c][0]);
        toi_load_point(&mesh->end, order->vertices[places[c]], x[c][1]);
    }
    long double t = early ? toi_float_above(source->t_max) : 1;
    for (int k = 0; k < 6; ++k) {
        int end = k / 3, axis = k % 3;
        long double start = (long double)x[0][0][axis] - x[1][0][axis];
        long double whole = (long double)x[0][1][axis] - x[1][1][axis];
        long double truth = (end ? start + t * (whole - start) : start) * order->scale;
        double found = rows.p[0][4 * end + axis];
        worst = fmax(worst, (double)(fabsl(found - truth) - 0x1p-24L * fabsl(truth)) / allowed);
    }
    return worst;
}

// Two clouds far apart: numbers are about as large as the largest.
static void rows_are_within_their_error(void **state)
{
    (void)state;
    static double start[3 * FACES][3], end[3 * FACES][3];
    static int32_t faces[FACES][3];
    toi_random random = {502};
    for (int i = 0; i < 9 * FACES; ++i) {
        double side = i / 9 % 2 ? 0.75 : -0.75;
        start[i / 3][i % 3] = side + toi_random_range(&random, -0.25, 0.25);
        end[i / 3][i % 3] = side + toi_random_range(&random, -0.25, 0.25);
        faces[i / 9][i / 3 % 3] = i / 3;
    }
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 3 * FACES, faces[0], FACES);
    toi_budget budget = {0};
    toi_broad_job job = {.workers = 1, .budget = &budget};
    toi_mesh_boxes boxes = {.mesh = &mesh, .moving = true};
    toi_mesh_order order = {0};
    toi_tree tree;
    assert_ok(toi_make_primitive_tree(&boxes, &order, &job, TOI_FACE, &tree));
    toi_near_source source = {.rows = (const float(*)[8])order.moving,
                              .error = order.error,
                              .labels = {NULL, tree.labels},
                              .kind = TOI_VERTEX_FACE};
    double worst[2] = {0, 0};
    for (int64_t n = 0; n < 200000; ++n) {
        toi_pair pair = {(int32_t)toi_random_below(&random, 3 * FACES),
                         (int32_t)toi_random_below(&random, FACES)};
        bool early = n % 2;
        source.t_max = early ? toi_random_unit(&random) * 0x1p-5 : 1;
        worst[early] = fmax(worst[early], row_ratio(&source, &order, pair, early));
    }
    toi_free_tree(&tree);
    toi_free_mesh_order(&order);
    print_message("  at most %.2f of the error that is allowed, %.2f where motions end early\n",
                  worst[0], worst[1]);
    assert_true(worst[0] <= 1 && worst[1] <= 1);
    assert_true(worst[0] > 0.4 && worst[1] > 0.3);
}

// How far the middle of a face is off, in 5 roundings of the largest number: docs/separation.md,
// section 2, allows that.
static double middle_ratio(const toi_mesh_order *order, const toi_tree *tree, int64_t face)
{
    const toi_mesh *mesh = order->boxes.mesh;
    const int32_t *corners = toi_face_at(&mesh->faces, tree->ids[face]);
    double worst = 0, x[3][3];
    for (int c = 0; c < 3; ++c)
        toi_load_point(&mesh->start, corners[c], x[c]);
    for (int k = 0; k < 3; ++k) {
        long double sum = 0;
        for (int c = 0; c < 3; ++c)
            sum += ((long double)x[c][k] - order->origin[k]) * order->scale;
        double found = tree->middles[face / TOI_BLOCK][k][face % TOI_BLOCK];
        worst = fmax(worst, (double)fabsl(found - sum / 3) / (5 * 0x1p-24 * order->largest));
    }
    return worst;
}

// How much of the margin's `off` two faces need: what the widest gap of their boxes is too large
// by, and their share of what the distance of their middles is too small by.
static double margin_ratio(const toi_mesh_order *order, const toi_tree *tree, const int64_t pair[2])
{
    const toi_mesh *mesh = order->boxes.mesh;
    long double lo[2][3], hi[2][3], mean[2][3], gap = 0, truth = 0, apart = 0;
    float middle[2][3], bound[2][TOI_SIDES], square = 0;
    for (int i = 0; i < 2; ++i) {
        const int32_t *corners = toi_face_at(&mesh->faces, tree->ids[pair[i]]);
        int64_t block = pair[i] / TOI_BLOCK, lane = pair[i] % TOI_BLOCK;
        for (int s = 0; s < TOI_SIDES; ++s)
            bound[i][s] = tree->level[0][block].bound[s][lane];
        for (int k = 0; k < 3; ++k) {
            lo[i][k] = INFINITY, hi[i][k] = -INFINITY, mean[i][k] = 0;
            middle[i][k] = tree->middles[block][k][lane];
            for (int c = 0; c < 3; ++c) {
                double x[3];
                toi_load_point(&mesh->start, corners[c], x);
                long double at = ((long double)x[k] - order->origin[k]) * order->scale;
                lo[i][k] = fminl(lo[i][k], at);
                hi[i][k] = fmaxl(hi[i][k], at);
                mean[i][k] += at / 3;
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        float above = bound[0][k] - bound[1][3 + k], way = middle[0][k] - middle[1][k];
        square += way * way;
        apart += (mean[0][k] - mean[1][k]) * (mean[0][k] - mean[1][k]);
        if (above > gap) {
            gap = above;
            truth = lo[0][k] - hi[1][k];
        }
    }
    long double more = gap - truth, less = sqrtl(apart) - sqrtl(square);
    double share = order->boxes.relative;
    return (double)((fmaxl(more, 0) + share * fmaxl(less, 0)) / order->margin.off);
}

// What `off` must cover, in roundings of the largest position, as docs/separation.md derives it:
// of a gap two sides and the difference, and of the share the middle of a packet, its reach and the
// comparison. No two positions are farther apart than 2 sqrt(3) of the largest.
static double needed_off(double share)
{
    double apart = 2 * sqrt(3);
    return 2 + share * (apart + 16 + 9 + 4.5 * apart);
}

static void middles_are_within_their_error(void **state)
{
    (void)state;
    static double start[3 * FACES][3];
    static int32_t faces[FACES][3];
    toi_random random = {504};
    for (int i = 0; i < 9 * FACES; ++i) {
        start[i / 3][i % 3] = (i / 9 % 2 ? 1 : -1) * toi_random_range(&random, 0.75, 1);
        faces[i / 9][i / 3 % 3] = i / 3;
    }
    toi_mesh mesh = toi_make_mesh(start[0], start[0], 3 * FACES, faces[0], FACES);
    toi_budget budget = {0};
    toi_broad_job job = {.workers = 1, .budget = &budget};
    toi_mesh_boxes boxes = {.mesh = &mesh, .moving = true, .relative = 0.2};
    toi_mesh_order order = {0};
    toi_tree tree;
    double worst = 0, most = 0;
    assert_ok(toi_make_primitive_tree(&boxes, &order, &job, TOI_FACE, &tree));
    for (int64_t i = 0; i < FACES; ++i)
        worst = fmax(worst, middle_ratio(&order, &tree, i));
    for (int64_t n = 0; n < 200000; ++n) {
        int64_t pair[2] = {(int64_t)toi_random_below(&random, FACES),
                           (int64_t)toi_random_below(&random, FACES)};
        most = fmax(most, margin_ratio(&order, &tree, pair));
    }
    double unit = 0x1p-24 * ((double)order.largest + order.pad);
    double spare = order.margin.off / unit / needed_off(boxes.relative);
    toi_free_tree(&tree);
    toi_free_mesh_order(&order);
    print_message("  at most %.2f of the error that is allowed, and %.2f of the margin's\n", worst,
                  most);
    assert_true(worst <= 1 && worst > 0.2);
    assert_true(most <= 1 && most > 0.03);
    assert_true(spare >= 1 && spare < 1.25);
}

// ---- The same answers as without

typedef struct answers
{
    toi_impact_array impacts;
    toi_ccd_report report, earliest;
    double *steps;
} answers;

static answers ask(const toi_ccd_def *def, const toi_mesh *mesh, bool counted)
{
    toi_ccd_def own = *def;
    own.count_candidates = counted;
    answers a = {.steps = calloc((size_t)mesh->start.count + 1, sizeof *a.steps)};
    assert_ok(toi_find_impacts(&own, mesh, &a.impacts, &a.report));
    assert_ok(toi_find_earliest(&own, mesh, &a.earliest));
    if (toi_narrow_guarantee(def->narrow.method) == TOI_GUARANTEE_EXACT)
        assert_ok(toi_find_safe_steps(&own, mesh, a.steps, NULL));
    return a;
}

static void free_answers(answers *a)
{
    toi_free_impacts(&a->impacts);
    free(a->steps);
}

// Returns how many pairs there are more among the candidates than were tested.
static int64_t compare_searches(const char *name, const toi_ccd_def *def, const toi_mesh *mesh)
{
    answers one = ask(def, mesh, false), other = ask(def, mesh, true);
    size_t impacts = (size_t)other.impacts.count * sizeof *other.impacts.data;
    int64_t spared = 0;
    if (one.impacts.count != other.impacts.count ||
        (impacts > 0 && memcmp(one.impacts.data, other.impacts.data, impacts) != 0) ||
        memcmp(&one.earliest.earliest, &other.earliest.earliest, sizeof(toi_impact)) != 0 ||
        memcmp(one.steps, other.steps, (size_t)mesh->start.count * sizeof *one.steps) != 0)
        fail_msg("%s, %s: other answers when candidates are counted", name,
                 toi_narrow_name(def->narrow.method));
    assert_int_equal(one.report.inside, other.report.inside);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        assert_true(other.report.candidates[kind] == other.report.tested[kind]);
        spared += other.report.candidates[kind] - one.report.tested[kind];
    }
    free_answers(&one);
    free_answers(&other);
    return spared;
}

// Each mesh is searched for `exact` and for one of the others, in turn; in long tests for all.
static bool is_turn_of(int method, int mesh)
{
    if (long_factor() > 1 || (method == TOI_NARROW_EXACT && !getenv("TOI_SANITIZED")))
        return true;
    return method == mesh % TOI_NARROW_COUNT;
}

static void every_mesh_has_the_same_answers(void **state)
{
    (void)state;
    int64_t spared = 0;
    int number = 0;
    for (int topology = 0; topology < TOPOLOGIES; ++topology)
        for (int place = 0; place < PLACES; ++place)
            for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
                if (!is_turn_of(method, topology * PLACES + place))
                    continue;
                tangle t = make_tangle(topology, place, number % LAYOUTS, 24,
                                       (uint64_t)(100 * topology + place));
                toi_ccd_def def = toi_default_ccd_def();
                use_instruction_set(number);
                def.workers = 1 + number++ % 3;
                def.narrow.method = (toi_narrow_method)method;
                def.narrow = toi_fit_narrow_def(&def.narrow);
                if (number % 2)
                    def.filter =
                        (toi_filter){.groups = t.groups, .group_count = t.mesh.start.count};
                spared += compare_searches(t.name, &def, &t.mesh);
                if (toi_narrow_guarantee(def.narrow.method) == TOI_GUARANTEE_EXACT) {
                    def.narrow.min_separation = 0.02 * pow(1e300, number % 3 - 1);
                    compare_searches(t.name, &def, &t.mesh);
                    def.zero_time = toi_solver_policy();
                    compare_searches(t.name, &def, &t.mesh);
                    def.narrow.min_separation = 0;
                    spared += compare_searches(t.name, &def, &t.mesh);
                }
                free_tangle(&t);
            }
    assert_ok(toi_set_simd(NULL));
    print_message("  %lld pairs of candidates were not looked at\n", (long long)spared);
    assert_true(spared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_within_their_error),
        cmocka_unit_test(middles_are_within_their_error),
        cmocka_unit_test(grazing_contacts_are_found),
        cmocka_unit_test(zeros_have_no_sign),
        cmocka_unit_test(distant_pairs_are_found),
        cmocka_unit_test(shares_are_kept_to_the_last),
        cmocka_unit_test(searches_keep_every_share),
        cmocka_unit_test(others_keep_no_share),
        cmocka_unit_test(packets_keep_every_share),
        cmocka_unit_test(rounded_boxes_keep_a_share),
        cmocka_unit_test(cut_off_positions_are_not_inside),
        cmocka_unit_test(every_mesh_has_the_same_answers),
    };
    return cmocka_run_group_tests_name("step_search", tests, NULL, NULL);
}
