// The slow twin of measuring, and checks of what the library answers about one instant.

#include "close_twin.h"

#include "kernel/distance.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static uint8_t edge_part(double u)
{
    return u == 0 ? TOI_PART_CORNER_0 : u == 1 ? TOI_PART_CORNER_1 : TOI_PART_INSIDE;
}

static uint8_t face_part(double u, double v)
{
    if (v == 1)
        return TOI_PART_CORNER_2;
    if (u == 1)
        return TOI_PART_CORNER_1;
    if (u == 0)
        return v == 0 ? TOI_PART_CORNER_0 : TOI_PART_SIDE_20;
    return v == 0 ? TOI_PART_SIDE_01 : u + v == 1 ? TOI_PART_SIDE_12 : TOI_PART_INSIDE;
}

// A loose point and an edge or another point: the kernel's own one number at a time.
static double loose_distance(const toi_query *q, double uv[2])
{
    double points[4][3];
    memcpy(points, q->start, sizeof points);
    toi_standing s;
    toi_take_standing(0, points, &s);
    toi_closest closest = toi_closest_on_edge(s.p, s.e);
    uv[0] = closest.u;
    uv[1] = 0;
    return toi_given_length(&s, sqrt(closest.square));
}

toi_close_pair measure_slowly(const toi_mesh *mesh, toi_kind kind, toi_pair pair)
{
    toi_query q = toi_gather_query(mesh, kind, pair);
    double(*x)[3] = q.start, uv[2];
    toi_close_pair c = {.kind = kind, .a = pair.a, .b = pair.b};
    c.distance = kind == TOI_EDGE_EDGE     ? toi_edge_edge_distance(x[0], x[1], x[2], x[3], uv)
                 : kind == TOI_VERTEX_FACE ? toi_point_triangle_distance(x[0], x[1], x[2], x[3], uv)
                                           : loose_distance(&q, uv);
    c.u = uv[0];
    c.v = uv[1];
    c.part_a = kind == TOI_EDGE_EDGE ? edge_part(c.u) : (uint8_t)TOI_PART_CORNER_0;
    c.part_b = kind == TOI_VERTEX_FACE ? face_part(c.u, c.v)
                                       : edge_part(kind == TOI_EDGE_EDGE ? c.v : c.u);
    return c;
}

static bool is_closer(const toi_close_pair *x,
                      const toi_close_pair *y) // earlier in the list wins a tie
{
    return x->distance < y->distance;
}

toi_close_pair closest_of(const toi_close_array *list)
{
    toi_close_pair best = {.a = -1, .b = -1, .distance = INFINITY};
    for (int64_t i = 0; i < list->count; ++i)
        if (is_closer(&list->data[i], &best))
            best = list->data[i];
    return best;
}

static const char *const simd_levels[] = {"avx512", "avx2", "baseline"};

void set_level(int turn)
{
    if (toi_set_simd(simd_levels[turn % 3]) != TOI_OK)
        assert_ok(toi_set_simd(NULL));
}

toi_scene *scene_of(const toi_mesh *mesh, const toi_filter *filter)
{
    toi_scene_def def = toi_default_scene_def();
    toi_scene *scene;
    def.vertex_count = mesh->start.count;
    def.faces = mesh->faces;
    def.edges = mesh->edges;
    def.filter = *filter;
    assert_ok(toi_make_scene(&def, &scene));
    return scene;
}

typedef struct stream_sum
{
    _Atomic uint64_t sum;
    _Atomic int64_t count;
} stream_sum;

static toi_status add_close(void *context, const toi_close_pair *close, int64_t count, int worker)
{
    (void)worker;
    stream_sum *s = context;
    for (int64_t i = 0; i < count; ++i)
        s->sum += toi_hash(&close[i], sizeof close[i]);
    s->count += count;
    return TOI_OK;
}

static void compare_lists(const char *name, const toi_close_array *found,
                          const toi_close_array *expected)
{
    if (found->count != expected->count)
        fail_msg("%s: %lld pairs, not %lld", name, (long long)found->count,
                 (long long)expected->count);
    for (int64_t i = 0; i < found->count; ++i)
        if (memcmp(&found->data[i], &expected->data[i], sizeof *found->data) != 0)
            fail_msg("%s: pair %lld is %d %d %d at %a, not %d %d %d at %a", name, (long long)i,
                     found->data[i].kind, found->data[i].a, found->data[i].b,
                     found->data[i].distance, expected->data[i].kind, expected->data[i].a,
                     expected->data[i].b, expected->data[i].distance);
}

// The list, the stream, both of a scene, and the report.
void check_close(const char *name, const toi_ccd_def *def, const toi_mesh *mesh, double radius,
                 const toi_close_array *expected)
{
    toi_close_array list = {0};
    toi_ccd_report report;
    stream_sum whole = {0}, parts = {0};
    add_close(&whole, expected->data, expected->count, 0);
    assert_ok(toi_find_close(def, mesh, radius, &list, &report));
    compare_lists(name, &list, expected);
    int64_t hits = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        hits += report.hits[kind];
    assert_int_equal(hits, expected->count);
    assert_ok(toi_stream_close(def, mesh, radius, add_close, &parts, NULL));
    assert_true(parts.sum == whole.sum && parts.count == whole.count);
    toi_scene *scene = scene_of(mesh, &def->filter);
    toi_ccd_def own = *def;
    own.filter = (toi_filter){0};
    assert_ok(toi_scene_find_close(scene, &own, mesh->start, radius, &list, NULL));
    compare_lists(name, &list, expected);
    parts = (stream_sum){0};
    assert_ok(toi_scene_stream_close(scene, &own, mesh->start, radius, add_close, &parts, NULL));
    assert_true(parts.sum == whole.sum && parts.count == whole.count);
    toi_free_scene(scene);
    toi_free_close(&list);
}

void check_closest(const char *name, const toi_ccd_def *def, const toi_mesh *mesh,
                   const toi_close_pair *expected)
{
    toi_close_pair found, again;
    assert_ok(toi_find_distance(def, mesh, &found, NULL));
    if (memcmp(&found, expected, sizeof found) != 0)
        fail_msg("%s: closest are %d %d %d at %a, not %d %d %d at %a", name, found.kind, found.a,
                 found.b, found.distance, expected->kind, expected->a, expected->b,
                 expected->distance);
    toi_scene *scene = scene_of(mesh, &def->filter);
    toi_ccd_def own = *def;
    own.filter = (toi_filter){0};
    assert_ok(toi_scene_find_distance(scene, &own, mesh->start, &again, NULL));
    assert_memory_equal(&found, &again, sizeof found);
    toi_free_scene(scene);
}

double extent_of(const toi_mesh *mesh)
{
    double extent = 0;
    toi_box *boxes = malloc((size_t)(mesh->start.count + 1) * sizeof *boxes);
    assert_ok(toi_make_boxes(mesh, TOI_VERTEX, 0, 1, boxes));
    for (int k = 0; k < 3; ++k)
        for (int64_t i = 1; i < mesh->start.count; ++i)
            extent = fmax(extent, fabs(boxes[i].lo[k] - boxes[0].lo[k]));
    free(boxes);
    return fmin(extent, DBL_MAX / 4);
}
