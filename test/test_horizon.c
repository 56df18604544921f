// The search for the earliest impact goes on about a motion that is cut short where only its
// beginning matters (docs/exact.md, section 1; docs/separation.md, section 2): nothing that comes
// to contact, or to its share, until then is lost, and the earliest is the least of all impacts.

#include "broad/tree/mesh_tree.h"
#include "ccd/cull.h"
#include "crossings.h"
#include "scenes.h"
#include "support.h"

#include "base/simd.h"
#include "mesh/mesh.h"
#include "toi/toi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void use_instruction_set(int64_t number)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    if (toi_set_simd(names[number % 3]) != TOI_OK)
        assert_ok(toi_set_simd(NULL));
}

// ---- One search

// Pairs that a search with a fixed horizon emits, by place, and the rows it made.
typedef struct emitted
{
    toi_pair *pairs;
    int64_t count, capacity;
    double horizon;
} emitted;

static double fixed_horizon(const void *context)
{
    return ((const emitted *)context)->horizon;
}

static toi_status emit(void *context, toi_pair *pairs, int64_t count, int64_t task, int worker)
{
    (void)task;
    (void)worker;
    emitted *to = context;
    if (count == 0)
        return TOI_OK;
    if (to->count + count > to->capacity) {
        to->capacity = 2 * (to->count + count);
        to->pairs = realloc(to->pairs, (size_t)to->capacity * sizeof *to->pairs);
        assert_non_null(to->pairs);
    }
    memcpy(to->pairs + to->count, pairs, (size_t)count * sizeof *pairs);
    to->count += count;
    return TOI_OK;
}

// What each pair that was emitted must pass on its way to the narrow phase.
typedef struct passage
{
    double separation, relative;
    double reach; // of rows, as a share of theirs
} passage;

toi_cull_near_fn toi_cull_start_baseline, toi_cull_start_avx2, toi_cull_start_avx512;

static void pass(const toi_mesh_order *order, toi_kind kind, const passage *how, emitted *found)
{
    static toi_cull_near_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_cull_start);
    int64_t vertices = order->boxes.mesh->start.count;
    float(*rows)[8] = malloc((size_t)vertices * sizeof *rows);
    assert_non_null(rows);
    memcpy(rows, order->moving, (size_t)vertices * sizeof *rows);
    for (int64_t i = 0; i < vertices; ++i)
        for (int k = 3; k < 8; k += 4) // which reaches are made of
            rows[i][k] *= (float)how->reach;
    toi_near_source source = {.rows = (const float(*)[8])rows,
                              .error = order->error,
                              .labels = {order->trees[0]->labels, order->trees[1]->labels},
                              .kind = kind,
                              .t_max = 1,
                              .euclidean = true,
                              .separation = how->separation * order->scale,
                              .relative = how->relative,
                              .reach = order->reach,
                              .grain = order->grain};
    if (order->reach > 0)
        found->count = kernels[toi_simd_level()](&source, found->pairs, found->count);
    free(rows);
}

static toi_pair name_pair(const toi_mesh_order *order, toi_kind kind, toi_pair pair)
{
    int32_t a = order->trees[0]->ids[pair.a], b = order->trees[1]->ids[pair.b];
    return kind == TOI_EDGE_EDGE && b < a ? (toi_pair){b, a} : (toi_pair){a, b};
}

// A receiver that keeps only what passes; trees are there only while the search goes on.
typedef struct search
{
    emitted found; // first: the horizon's context
    toi_mesh_order order;
    toi_kind kind;
    const passage *how;
} search;

static toi_status emit_named(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    search *s = context;
    emitted block = {0};
    toi_status status = emit(&block, pairs, count, task, worker);
    if (s->how)
        pass(&s->order, s->kind, s->how, &block);
    for (int64_t i = 0; i < block.count; ++i)
        block.pairs[i] = name_pair(&s->order, s->kind, block.pairs[i]);
    if (status == TOI_OK)
        status = emit(&s->found, block.pairs, block.count, task, worker);
    free(block.pairs);
    return status;
}

static toi_mesh_boxes boxes_of(const toi_mesh *mesh, const passage *how, search *s)
{
    return (toi_mesh_boxes){.mesh = mesh,
                            .moving = true,
                            .min_separation = how ? how->separation : 0,
                            .relative = how ? how->relative : 0,
                            .horizon = s->found.horizon > 0 ? fixed_horizon : NULL,
                            .horizon_context = s};
}

// All pairs, sorted, that are left of a search up to a horizon; 0: there is none.
static emitted run_search(const toi_mesh *mesh, toi_kind kind, double horizon, const passage *how)
{
    toi_budget budget = {0};
    search s = {.found.horizon = horizon, .kind = kind, .how = how};
    toi_broad_job job = {.self = kind == TOI_EDGE_EDGE,
                         .workers = 1,
                         .budget = &budget,
                         .to = {.context = &s, .emit = emit_named}};
    toi_mesh_boxes boxes = boxes_of(mesh, how, &s);
    assert_ok(toi_search_mesh_tree(&boxes, &s.order, &job));
    toi_free_mesh_order(&s.order);
    return s.found;
}

static int compare_pairs(const void *a, const void *b)
{
    const toi_pair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static int count_missing(const emitted *found, toi_kind kind)
{
    int missing = 0;
    for (int32_t n = 0; n < CROSSINGS; ++n) {
        bool edges = kind == TOI_EDGE_EDGE, there = false;
        toi_pair pair = edges ? (toi_pair){2 * n, 2 * n + 1} : (toi_pair){CORNERS * n, n};
        for (int64_t i = 0; i < found->count; ++i)
            there |= compare_pairs(&found->pairs[i], &pair) == 0;
        missing += !there;
    }
    return missing;
}

// ---- Contacts at the very end of the motion that is left

static void contacts_at_the_horizon_are_found(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {601};
    for (int s = 0; s < SETTINGS; ++s)
        for (int number = 0; number < 6; ++number) {
            setting how = settings[s];
            toi_kind kind = (toi_kind)(number % 2);
            how.early = true; // all touch at 1/65
            toi_mesh mesh = make_crossings(&how, kind, &random, &all);
            use_instruction_set(number / 2);
            double floor = 1.0 / 65 * 65 > 1 ? nextafter(1.0 / 65, 0) : 1.0 / 65;
            emitted found = run_search(&mesh, kind, nextafter(floor, 1), NULL);
            assert_int_equal(count_missing(&found, kind), 0);
            assert_true(found.count < 8 * CROSSINGS); // an outlier does not bring the others near
            free(found.pairs);
        }
    assert_ok(toi_set_simd(NULL));
}

// Both of a pair move straight towards each other: no room is to spare.
static int lose_closers(int s, int number, double share, double reach, toi_random *random)
{
    static crossings all;
    toi_kind kind = (toi_kind)(number / 2 % 2);
    double least = number % 2 ? 0x1p-20 : 0;
    toi_mesh mesh = make_crossings(&settings[s], kind, random, &all);
    passage how = {ldexp(least, settings[s].exponent), share, reach};
    place_closers(kind, &settings[s], least, random, &all);
    use_instruction_set(number / 4);
    emitted found = run_search(&mesh, kind, nextafter(PASSED, 1), &how);
    int missing = count_missing(&found, kind);
    free(found.pairs);
    return missing;
}

static void shares_at_the_horizon_are_kept(void **state)
{
    (void)state;
    toi_random random = {602};
    int closer = 0, shorter = 0;
    for (int s = 0; s < SETTINGS; ++s)
        for (int number = 0; number < 12; ++number) {
            assert_int_equal(lose_closers(s, number, SHARE, 1, &random), 0);
            if (settings[s].outlier != 0) // all pairs near
                continue;
            closer += lose_closers(s, number, SHARE * 0.875, 1, &random);
            shorter += lose_closers(s, number, SHARE, 0.875, &random);
        }
    print_message("  %d are lost where the share is an eighth less, %d where the reach is\n",
                  closer, shorter);
    assert_true(closer > 0);
    assert_true(shorter > 0);
    assert_ok(toi_set_simd(NULL));
}

// Of each vertex: how far its motion matters at the least, by docs/separation.md, section 2, in
// long double; returns by how much of the size of its numbers its reach is more.
static double spare_reach(const toi_mesh_order *order, int64_t place)
{
    const toi_mesh *mesh = order->boxes.mesh;
    const float *row = (const float *)&order->moving[place];
    const long double unit = 0x1p-24L, share = order->boxes.relative, scale = order->scale;
    long double square = 0, sizes = 0;
    for (int k = 0; k < 3; ++k) {
        long double x[2];
        for (int end = 0; end < 2; ++end) {
            double at[3];
            toi_load_point(end ? &mesh->end : &mesh->start, order->vertices[place], at);
            x[end] = ((long double)at[k] - order->origin[k]) * scale;
            sizes += fabsl(x[end]);
        }
        square += (x[1] - x[0]) * (x[1] - x[0]);
    }
    double reach = -(double)row[3] * order->reach - (double)row[7] + order->grain;
    long double need = (order->until * sqrtl(square) + 0x1p-1074L * scale) / (1 - share);
    need += unit * (sqrtl(3) * sizes + sizes + reach) + 0x1p-48L * sizes;
    assert_true(reach > need);
    return sizes > 0 ? (double)((reach - need) / (unit * sizes)) : INFINITY;
}

static void reaches_cover_what_they_must(void **state)
{
    (void)state;
    static crossings all;
    toi_random random = {603};
    toi_budget budget = {0};
    double least = INFINITY;
    for (int s = 0; s < SETTINGS; ++s) {
        toi_mesh mesh = make_crossings(&settings[s], TOI_VERTEX_FACE, &random, &all);
        passage how = {0, 0.5, 1};
        search asked = {.found.horizon = 1};
        toi_mesh_boxes boxes = boxes_of(&mesh, &how, &asked);
        toi_broad_job job = {.workers = 1, .budget = &budget};
        assert_ok(toi_make_mesh_order(&boxes, &job, 0, &asked.order));
        assert_ok(toi_shorten_order(&asked.order, 0.25 - 0x1p-54));
        bool cut_off = !(asked.order.largest < TOI_FARTHEST); // no such motion is cut short
        for (int64_t i = 0; i < mesh.start.count && !cut_off; ++i)
            least = fmin(least, spare_reach(&asked.order, i));
        toi_free_mesh_order(&asked.order);
    }
    print_message("  %.2f rounding units of the numbers to spare, of 4\n", least);
    assert_true(least < 2);
}

// ---- Contacts that rounding moves across the middle between two floats

enum
{
    MIDDLES = 64, // pairs; half of them mirrored
    RESTING = 64, // vertices at 0, so that the origin is there
    MIDDLE_VERTICES = 4 * MIDDLES + RESTING
};

#define MIDDLE_HORIZON (3.0 / 16)
#define MIDDLE (1 + 0x1p-24) // is rounded down to 1, the next double up to 1 + 2^-23

typedef struct middles
{
    double start[MIDDLE_VERTICES][3], end[MIDDLE_VERTICES][3];
    int32_t faces[MIDDLES][3];
} middles;

// A number that falls to MIDDLE or below until the horizon, yet is computed to be above it there.
static void fall_to_middle(toi_random *random, double *start, double *end)
{
    const int64_t middle = (1LL << 54) + (1LL << 30); // in units of 2^-54
    for (;;) {
        int64_t from = (5LL << 49) + (int64_t)(toi_random_unit(random) * 0x1p51); // of 2^-50
        int64_t to = -((13 * from - middle) / 3 + 1 + (int64_t)(toi_random_unit(random) * 3));
        *start = ldexp((double)from, -50);
        *end = ldexp((double)to, -50);
        assert_true(13 * from + 3 * to <= middle); // 16 times where it is
        if (*start + MIDDLE_HORIZON * (*end - *start) > MIDDLE)
            return;
    }
}

// Vertex n falls onto face n, which rests. Vertices stand in this order: mirrored ones, resting
// ones, the others.
static toi_mesh make_middles(toi_random *random, int axis, middles *all)
{
    memset(all, 0, sizeof *all);
    for (int n = 0; n < MIDDLES; ++n) {
        static const double corners[3][2] = {{-1, -1}, {2, -1}, {-1, 2}};
        int32_t first = 4 * n + (2 * n < MIDDLES ? 0 : RESTING);
        double start, end, sign = 2 * n < MIDDLES ? -1 : 1;
        fall_to_middle(random, &start, &end);
        for (int c = 0; c < 4; ++c) {
            double x[3] = {MIDDLE, 8 * n, 0};
            for (int k = 1; k < 3 && c > 0; ++k)
                x[k] += corners[c - 1][k - 1];
            for (int k = 0; k < 3; ++k) {
                all->start[first + c][(axis + k) % 3] = sign * (k || c ? x[k] : start);
                all->end[first + c][(axis + k) % 3] = sign * (k || c ? x[k] : end);
            }
        }
        for (int c = 0; c < 3; ++c)
            all->faces[n][c] = first + 1 + c;
    }
    for (int i = 2 * MIDDLES; i < 2 * MIDDLES + RESTING; ++i)
        all->start[i][(axis + 2) % 3] = all->end[i][(axis + 2) % 3] = 100;
    return toi_make_mesh(all->start[0], all->end[0], MIDDLE_VERTICES, all->faces[0], MIDDLES);
}

static void rounded_ends_are_taken_for_what_they_may_be(void **state)
{
    (void)state;
    static middles all;
    toi_random random = {604};
    for (int number = 0; number < 9; ++number) {
        toi_mesh mesh = make_middles(&random, number % 3, &all);
        use_instruction_set(number / 3);
        emitted found = run_search(&mesh, TOI_VERTEX_FACE, MIDDLE_HORIZON, NULL);
        int there = 0;
        for (int64_t i = 0; i < found.count; ++i)
            there += found.pairs[i].a == all.faces[found.pairs[i].b][0] - 1;
        assert_int_equal(there, MIDDLES);
        assert_int_equal(found.count, MIDDLES);
        free(found.pairs);
    }
    assert_ok(toi_set_simd(NULL));
}

// ---- Parts

static uint64_t sum_pairs(const emitted *found)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < found->count; ++i)
        sum = sum * 31 + (uint64_t)found->pairs[i].a * 7919 + (uint64_t)found->pairs[i].b;
    return sum;
}

// However many packets there are: the last run may be of any length, and in any part.
static void parts_have_every_packet_once(void **state)
{
    (void)state;
    static const int64_t sizes[] = {3000, 4200, 5000, 8300, 16500, 17000, 33000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        toi_animation_def def = toi_default_animation_def();
        toi_animation scene;
        def.name = "n-body";
        def.size = sizes[i];
        def.begin = 0.8;
        assert_ok(toi_make_animation(&def, &scene));
        toi_mesh mesh = toi_make_mesh(scene.points[0], scene.points[scene.point_count],
                                      scene.point_count, scene.faces[0], scene.face_count);
        emitted whole = run_search(&mesh, TOI_VERTEX_FACE, 0, NULL);
        emitted parts = run_search(&mesh, TOI_VERTEX_FACE, 1, NULL);
        emitted shorter = run_search(&mesh, TOI_VERTEX_FACE, 0x1p-8, NULL);
        assert_true(shorter.count < whole.count / 2);
        free(shorter.pairs);
        assert_true(whole.count > 0);
        assert_int_equal(parts.count, whole.count);
        qsort(whole.pairs, (size_t)whole.count, sizeof *whole.pairs, compare_pairs);
        qsort(parts.pairs, (size_t)parts.count, sizeof *parts.pairs, compare_pairs);
        assert_int_equal(sum_pairs(&parts), sum_pairs(&whole));
        free(whole.pairs);
        free(parts.pairs);
        toi_free_animation(&scene);
    }
}

// ---- What only some see

// Two edges so close that their distance has two bits: half of it, three units, is rounded to two.
// They come to that in a sixteenth of the step, and to one and a half only after a vertex and a
// face far away have come to half their distance, which are solved first.
static toi_mesh make_close_edges(double points[2][64][3], int32_t faces[18][3], toi_edge_array *all)
{
    static const int close[4][3] = {{-4, 0, 3}, {4, 0, 3}, {0, -4, 0}, {0, 4, 0}};
    const double unit = 0x1p-1074, large = 0x1p-1040;
    int32_t vertices = 0, count = 0;
    for (; vertices < 4; ++vertices)
        for (int k = 0; k < 3; ++k)
            points[0][vertices][k] = close[vertices][k] * unit;
    for (int n = 0; n < 18; ++n, ++count) // mirrored, so that the edges are in the middle
        for (int c = 0; c < 3; ++c, ++vertices) {
            for (int k = 0; k < 3; ++k)
                points[0][vertices][k] = (n % 2 ? -large : large) * (2 + n / 2 * 3 + (c == k));
            faces[count][c] = vertices;
        }
    double *above = points[0][vertices - 6]; // of the first face
    for (int k = 0; k < 3; ++k)
        above[k] = large * (2 + 1.0 / 3 + 0.1);
    memcpy(points[1], points[0], sizeof points[1]);
    for (int k = 0; k < 3; ++k)
        points[1][vertices - 6][k] -= large * (0.05 / 0.08);
    points[1][0][2] -= 16 * unit;
    points[1][1][2] -= 16 * unit;
    toi_mesh mesh = toi_make_mesh(points[0][0], points[1][0], vertices, faces[0], count);
    static const int32_t loose[2][2] = {{0, 1}, {2, 3}};
    assert_ok(toi_make_edges(mesh.faces, (toi_index_view){loose[0], 2, 0}, vertices, all));
    mesh.edges = toi_view_edges(all);
    return mesh;
}

static void shares_that_are_rounded_up_are_kept(void **state)
{
    (void)state;
    double points[2][64][3] = {0};
    int32_t faces[18][3];
    toi_edge_array edges;
    toi_mesh mesh = make_close_edges(points, faces, &edges);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    def.zero_time.relative_separation = 0.5;
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, &report));
    assert_int_equal(impacts.count, 2);
    assert_true(impacts.data[0].time > 0x1p-4 && impacts.data[0].time < 0x1.8p-4);
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.earliest.kind, TOI_EDGE_EDGE);
    assert_true(report.earliest.time == 0x1p-4);
    toi_free_edges(&edges);
    toi_free_impacts(&impacts);
}

typedef struct telling
{
    double last;
    bool back;
} telling;

static bool watch_progress(void *context, double done)
{
    telling *t = context;
    t->back |= done < t->last;
    t->last = done;
    return true;
}

// ---- Whole questions

typedef struct place
{
    int exponent;
    double offset;
} place;

static const place places[] = {{0, 0}, {0, 0x1p20}, {200, 0}, {-200, 0}, {-1040, 0}, {0, 1.0 / 3}};

typedef struct question
{
    double separation; // in mean edges
    double relative, rescale;
} question;

static const question questions[] = {{0, 0, 0}, {0.05, 0, 0}, {0, 0.2, 0.8}, {0.01, 0.5, 0}};

static double mean_edge(const toi_animation *scene)
{
    double sum = 0;
    for (int64_t f = 0; f < scene->face_count; ++f) {
        const double *a = scene->points[scene->faces[f][0]], *b = scene->points[scene->faces[f][1]];
        sum += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    }
    return sum / (double)scene->face_count;
}

static void expect_least(const toi_ccd_def *def, const toi_mesh *mesh, int number)
{
    toi_impact_array impacts = {0};
    toi_ccd_report all, earliest;
    toi_ccd_def own = *def;
    use_instruction_set(number);
    assert_ok(toi_find_impacts(def, mesh, &impacts, &all));
    for (int workers = 1; workers <= 5; workers += 2) {
        int64_t tested = workers > 1 ? earliest.tested[0] + earliest.tested[1] : 0;
        telling told = {0};
        own.workers = workers;
        own.progress = watch_progress;
        own.progress_context = &told;
        assert_ok(toi_find_earliest(&own, mesh, &earliest));
        assert_true(workers > 1 || (told.last == 1 && !told.back));
        assert_memory_equal(&earliest.earliest, &all.earliest, sizeof all.earliest);
        assert_int_equal(earliest.inside, all.inside);
        if (workers > 1)
            assert_int_equal(earliest.tested[0] + earliest.tested[1], tested);
    }
    assert_true(impacts.count == 0 || all.earliest.state != TOI_SEPARATED);
    toi_free_impacts(&impacts);
}

static int64_t ask_everything(toi_animation *scene, int number)
{
    const place *at = &places[number % (int)(sizeof places / sizeof *places)];
    double edge = ldexp(mean_edge(scene), at->exponent);
    for (int64_t i = 0; i < 2 * scene->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            scene->points[i][k] = ldexp(scene->points[i][k] + at->offset, at->exponent);
    toi_mesh mesh = toi_make_mesh(scene->points[0], scene->points[scene->point_count],
                                  scene->point_count, scene->faces[0], scene->face_count);
    int64_t asked = 0;
    for (size_t q = 0; q < sizeof questions / sizeof *questions; ++q, ++asked) {
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.min_separation = questions[q].separation * edge;
        def.zero_time.relative_separation = questions[q].relative;
        def.zero_time.rescale = questions[q].rescale;
        def.zero_time.small_time = questions[q].rescale > 0 ? 1e-6 : 0;
        expect_least(&def, &mesh, number + (int)q);
    }
    return asked;
}

static void the_earliest_is_the_least_of_all(void **state)
{
    (void)state;
    static const char *const names[] = {"cloth-ball", "n-body", "boxes", "sheets"};
    static const double begins[] = {0.3, 0.7, 0.95};
    int number = 0;
    int64_t asked = 0;
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
        for (size_t b = 0; b < sizeof begins / sizeof *begins; ++b, ++number) {
            toi_animation_def def = toi_default_animation_def();
            toi_animation scene;
            def.name = names[n];
            def.size = getenv("TOI_SANITIZED") ? 800 : long_factor() > 1 ? 6000 : 3000;
            def.begin = begins[b];
            def.seed = 7 + number;
            assert_ok(toi_make_animation(&def, &scene));
            asked += ask_everything(&scene, number);
            toi_free_animation(&scene);
        }
    print_message("  %ld questions\n", (long)asked);
    assert_ok(toi_set_simd(NULL));
}

// A method may report pairs before they touch: a vertex and a face, which are solved first, when
// they have come to a tenth of their distance, and two edges that are still apart by then, but
// reported earlier. So it must be asked about them.
static void other_methods_are_asked_about_all(void **state)
{
    (void)state;
    static const double start[8][3] = {{0, 0, 10},     {-50, -50, 0},   {50, -50, 0}, {0, 50, 0},
                                       {99, 0, 0.098}, {101, 0, 0.098}, {100, -1, 0}, {100, 1, 0}};
    static const int32_t faces[1][3] = {{1, 2, 3}}, loose[2][2] = {{4, 5}, {6, 7}};
    double end[8][3];
    memcpy(end, start, sizeof end);
    end[0][2] = -90;
    end[4][2] = end[5][2] = 0.098 - 1;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 8, faces[0], 1);
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, (toi_index_view){loose[0], 2, 0}, 8, &edges));
    mesh.edges = toi_view_edges(&edges);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report all, earliest;
    toi_impact_array impacts = {0};
    def.narrow.method = TOI_NARROW_ADDITIVE;
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, &all));
    assert_int_equal(impacts.count, 2);
    assert_true(impacts.data[1].time < impacts.data[0].time && impacts.data[0].time < 0.098);
    assert_ok(toi_find_earliest(&def, &mesh, &earliest));
    assert_memory_equal(&earliest.earliest, &all.earliest, sizeof all.earliest);
    toi_free_edges(&edges);
    toi_free_impacts(&impacts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_at_the_horizon_are_found),
        cmocka_unit_test(shares_at_the_horizon_are_kept),
        cmocka_unit_test(reaches_cover_what_they_must),
        cmocka_unit_test(rounded_ends_are_taken_for_what_they_may_be),
        cmocka_unit_test(parts_have_every_packet_once),
        cmocka_unit_test(shares_that_are_rounded_up_are_kept),
        cmocka_unit_test(the_earliest_is_the_least_of_all),
        cmocka_unit_test(other_methods_are_asked_about_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
