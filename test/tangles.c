// Makes meshes that are hard for a search, and finds their candidates slowly.

#include "tangles.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const topology_names[TOPOLOGIES] = {
    "soup", "sheet", "degenerate", "fan", "edges alone", "one face", "same faces", "nothing"};
static const char *const place_names[PLACES] = {"anywhere",  "lattice",       "plane",
                                                "one point", "beyond floats", "largest",
                                                "denormal",  "far away",      "at rest"};
static const char *const layout_names[LAYOUTS] = {"packed", "strided", "floats", "made edges"};

// Arrays in the making.
typedef struct draft
{
    toi_random random;
    int64_t points, faces, loose;
    int32_t (*face)[3];
    int32_t (*edge)[2];
} draft;

static int32_t any_vertex(draft *d)
{
    return (int32_t)toi_random_below(&d->random, (uint64_t)d->points);
}

// Triangles apart, and of every loose triple of vertices two make an edge and one stays alone.
static void join_soup(draft *d, int64_t i)
{
    for (int k = 0; k < 3; ++k)
        d->face[i][k] = (int32_t)(3 * i + k);
    for (int k = 0; k < 2 && i < d->loose; ++k)
        d->edge[i][k] = (int32_t)(3 * d->faces + 3 * i + k);
}

// Two triangles a square of a sheet eight squares wide.
static void join_sheet(draft *d, int64_t i)
{
    int32_t corner = (int32_t)(i / 2 / 8 * 9 + i / 2 % 8);
    const int32_t lower[3] = {corner, corner + 1, corner + 9},
                  upper[3] = {corner + 10, corner + 9, corner + 1};
    memcpy(d->face[i], i % 2 ? upper : lower, sizeof lower);
}

// Any vertices, the same twice or three times too; edges of no length, and edges that faces have.
static void join_degenerate(draft *d, int64_t i)
{
    for (int k = 0; k < 3; ++k)
        d->face[i][k] = k > 0 && i % 5 < k ? d->face[i][0] : any_vertex(d);
    for (int k = 0; k < 2 && i < d->loose; ++k)
        d->edge[i][k] = i % 3 == 0 && k == 1 ? d->edge[i][0] : any_vertex(d);
}

// Every face has the last vertex, which is neither first nor last in space.
static void join_fan(draft *d, int64_t i)
{
    int32_t hub = (int32_t)d->points - 1;
    for (int k = 0; k < 3; ++k)
        d->face[i][k] = k == i % 3 ? hub : (int32_t)((i + k) % hub);
    for (int k = 0; k < 2 && i < d->loose; ++k)
        d->edge[i][k] = k ? hub : (int32_t)((7 * i) % hub);
}

static void join_same(draft *d, int64_t i)
{
    for (int k = 0; k < 3; ++k)
        d->face[i][k] = (int32_t)((i + k) % 3 + (i % 7 == 0 ? 3 : 0));
    for (int k = 0; k < 2 && i < d->loose; ++k)
        d->edge[i][k] = any_vertex(d);
}

static draft start_draft(int topology, int64_t size, uint64_t seed)
{
    draft d = {.random = {seed}, .points = size / 2 + 8, .faces = size, .loose = size / 4};
    if (topology == SOUP)
        d.points = 3 * d.faces + 3 * d.loose;
    if (topology == SHEET)
        d.points = (size / 16 + 2) * 9, d.loose = 0;
    if (topology == EDGES_ALONE)
        d.faces = 0, d.loose = size;
    if (topology == VERTICES_AND_A_FACE)
        d.points = 2 * size + 6, d.faces = 1, d.loose = 0;
    if (topology == NOTHING)
        d.points = size % 2, d.faces = d.loose = 0;
    d.face = calloc((size_t)d.faces + 1, sizeof *d.face);
    d.edge = calloc((size_t)d.loose + 1, sizeof *d.edge);
    return d;
}

static draft join_vertices(int topology, int64_t size, uint64_t seed)
{
    static void (*const join[TOPOLOGIES])(draft *, int64_t) = {[SOUP] = join_soup,
                                                               [SHEET] = join_sheet,
                                                               [DEGENERATE] = join_degenerate,
                                                               [FAN] = join_fan,
                                                               [VERTICES_AND_A_FACE] = join_same,
                                                               [SAME_FACES] = join_same};
    draft d = start_draft(topology, size, seed);
    for (int64_t i = 0; i < d.faces; ++i)
        join[topology](&d, i);
    for (int64_t i = d.faces; i < d.loose; ++i)
        for (int k = 0; k < 2; ++k)
            d.edge[i][k] = any_vertex(&d);
    return d;
}

static double coordinate(toi_random *random, int place, int axis, double usual)
{
    switch (place) {
    case ON_A_LATTICE:
        return (double)toi_random_below(random, 6);
    case IN_A_PLANE:
        return axis == 1 ? 0.1 : usual;
    case AT_ONE_POINT:
        return 0.3;
    case BEYOND_FLOATS:
        return usual * 1e39;
    case NEAR_THE_LARGEST:
        return usual * DBL_MAX;
    case BELOW_NORMAL:
        return usual * 0x1p-1050;
    case FAR_AWAY:
        return usual + (axis == 2 ? 0 : 1e9);
    default:
        return usual;
    }
}

// Both frames of every vertex, one after the other: six doubles each.
static double *place_vertices(int topology, int place, int64_t points, uint64_t seed)
{
    toi_random random = {seed + 99};
    double *frames = malloc((size_t)points * 6 * sizeof *frames + 1);
    double anchor[3] = {0};
    for (int64_t v = 0; v < points; ++v)
        for (int k = 0; k < 3; ++k) {
            if (topology != SOUP || v % 3 == 0)
                anchor[k] = toi_random_range(&random, -0.9, 0.9);
            double usual = anchor[k] + toi_random_range(&random, -0.08, 0.08);
            double moved =
                place == AT_REST ? usual : usual + toi_random_range(&random, -0.02, 0.02);
            frames[6 * v + k] = coordinate(&random, place, k, usual);
            frames[6 * v + 3 + k] =
                place == AT_REST ? frames[6 * v + k] : coordinate(&random, place, k, moved);
        }
    return frames;
}

// Rows of `width` numbers spread out to `wide`, with rubbish in between.
static int32_t *spread_rows(const int32_t *rows, int64_t count, int width, int wide)
{
    int32_t *spread = malloc((size_t)count * (size_t)wide * sizeof *spread + 1);
    for (int64_t i = 0; i < count * wide; ++i)
        spread[i] = i % wide < width ? rows[i / wide * width + i % wide] : -77777;
    return spread;
}

static void *spread_points(const double *frames, int64_t points, bool floats)
{
    size_t size = floats ? sizeof(float) : sizeof(double);
    char *spread = malloc((size_t)points * 7 * size + 1);
    for (int64_t i = 0; i < 7 * points; ++i) {
        double x = i % 7 < 6 ? frames[i / 7 * 6 + i % 7] : NAN;
        float f = (float)fmax(-FLT_MAX, fmin(FLT_MAX, x));
        memcpy(spread + (size_t)i * size, floats ? (const void *)&f : (const void *)&x, size);
    }
    return spread;
}

// Edges in no order, some the other way round, some twice.
static int32_t *shuffle_edges(const toi_edge_array *edges, toi_random *random, int64_t *count)
{
    *count = edges->count + edges->count / 8;
    int32_t(*rows)[2] = malloc((size_t)*count * sizeof *rows + 1);
    for (int64_t i = 0; i < *count; ++i) {
        int64_t other = (int64_t)toi_random_below(random, (uint64_t)i + 1);
        const int32_t *edge = edges->data[i % edges->count];
        bool turn = toi_random_below(random, 2);
        if (other != i)
            memcpy(rows[i], rows[other], sizeof *rows);
        rows[other][0] = edge[turn];
        rows[other][1] = edge[!turn];
    }
    return rows[0];
}

static void lay_out(tangle *t, int layout, const draft *d, const double *frames, toi_random *random)
{
    bool floats = layout == STRIDED_FLOATS, strided = floats || layout == STRIDED;
    toi_mesh *mesh = &t->mesh;
    int64_t size = floats ? sizeof(float) : sizeof(double), edge_count = 0;
    char *points = t->memory[0] = spread_points(frames, d->points, floats);
    mesh->start = (toi_point_view){points, d->points, 7 * size, floats ? TOI_FLOAT : TOI_DOUBLE};
    mesh->end = mesh->start;
    mesh->end.data = points + 3 * size;
    t->memory[1] = spread_rows(d->face[0], d->faces, 3, strided ? 5 : 3);
    mesh->faces = (toi_index_view){t->memory[1], d->faces, strided ? 20 : 0};
    toi_index_view loose = {d->edge[0], d->loose, 0};
    assert_ok(toi_make_edges(mesh->faces, loose, d->points, &t->edges));
    t->with_edges = *mesh;
    t->with_edges.edges = toi_view_edges(&t->edges);
    if (layout == EDGES_NOT_GIVEN)
        return;
    if (strided && t->edges.count > 0) {
        int32_t *rows = t->memory[2] = shuffle_edges(&t->edges, random, &edge_count);
        t->memory[3] = spread_rows(rows, edge_count, 2, 3);
        t->with_edges.edges = (toi_index_view){t->memory[3], edge_count, 12};
    }
    *mesh = t->with_edges;
}

tangle make_tangle(int topology, int place, int layout, int64_t size, uint64_t seed)
{
    tangle t = {.groups = NULL};
    snprintf(t.name, sizeof t.name, "%s, %s, %s, size %d, seed %d", topology_names[topology],
             place_names[place], layout_names[layout], (int)size, (int)seed);
    draft d = join_vertices(topology, size, seed);
    if (layout == EDGES_NOT_GIVEN)
        d.loose = 0; // they could not be told
    double *frames = place_vertices(topology, place, d.points, seed);
    lay_out(&t, layout, &d, frames, &d.random);
    t.groups = malloc((size_t)(d.points + 1) * sizeof *t.groups);
    for (int64_t v = 0; v < d.points; ++v)
        t.groups[v] = (int32_t)toi_random_below(&d.random, 5) - 1;
    free(frames);
    free(d.face);
    free(d.edge);
    assert_ok(toi_check_mesh(&t.mesh));
    return t;
}

void free_tangle(tangle *t)
{
    for (int i = 0; i < 4; ++i)
        free(t->memory[i]);
    free(t->groups);
    toi_free_edges(&t->edges);
}

static const int32_t *row_at(const toi_index_view *rows, int width, int64_t i)
{
    int64_t stride = rows->stride ? rows->stride / 4 : width;
    return rows->data + i * stride;
}

// Do they share no vertex, and may one of one collide with one of the other?
static bool is_allowed(const toi_filter *f, const int32_t *a, int na, const int32_t *b, int nb)
{
    bool allowed = false;
    for (int i = 0; i < na; ++i)
        for (int j = 0; j < nb; ++j) {
            if (a[i] == b[j])
                return false;
            bool same = f->groups && f->groups[a[i]] >= 0 && f->groups[a[i]] == f->groups[b[j]];
            allowed |= !same && (!f->may_collide || f->may_collide(f->context, a[i], b[j]));
        }
    return allowed;
}

static box_list list_boxes(const toi_ccd_def *def, const toi_mesh *mesh, toi_primitive primitive)
{
    int64_t count = primitive == TOI_VERTEX ? mesh->start.count
                    : primitive == TOI_EDGE ? mesh->edges.count
                                            : mesh->faces.count;
    box_list list = {malloc((size_t)(count + 1) * sizeof *list.data), count};
    assert_ok(toi_make_boxes(mesh, primitive, def->narrow.min_separation, 1, list.data));
    for (int64_t i = 0; def->float_boxes && i < count; ++i) {
        toi_box_float rounded;
        toi_round_boxes((toi_box_view){&list.data[i], 1}, &rounded);
        for (int k = 0; k < 3; ++k) {
            list.data[i].lo[k] = (double)rounded.lo[k];
            list.data[i].hi[k] = (double)rounded.hi[k];
        }
    }
    return list;
}

// The primitives of a pair: how many corners each has, by kind.
static const int corner_counts[TOI_KIND_COUNT][2] = {{1, 3}, {2, 2}, {1, 2}, {1, 1}};

// Of primitive `i`, which may be a vertex.
static const int32_t *corners_of(const toi_mesh *mesh, int count, const int32_t *i)
{
    return count == 1 ? i : row_at(count == 2 ? &mesh->edges : &mesh->faces, count, *i);
}

static bool names(const int32_t *row, int width, int32_t vertex)
{
    bool named = false;
    for (int k = 0; k < width; ++k)
        named |= row[k] == vertex;
    return named;
}

static bool is_loose_vertex(const toi_mesh *mesh, int32_t vertex)
{
    bool named = false;
    for (int64_t i = 0; i < mesh->faces.count; ++i)
        named |= names(row_at(&mesh->faces, 3, i), 3, vertex);
    for (int64_t i = 0; i < mesh->edges.count; ++i)
        named |= names(row_at(&mesh->edges, 2, i), 2, vertex);
    return !named;
}

// A face has all three pairs of its corners as sides.
static bool is_loose_edge(const toi_mesh *mesh, int32_t edge)
{
    const int32_t *ends = row_at(&mesh->edges, 2, edge);
    for (int64_t i = 0; i < mesh->faces.count; ++i) {
        const int32_t *f = row_at(&mesh->faces, 3, i);
        for (int k = 0; k < 3; ++k) {
            int32_t a = f[k], b = f[(k + 1) % 3];
            if ((a == ends[0] && b == ends[1]) || (a == ends[1] && b == ends[0]))
                return false;
        }
    }
    return true;
}

// Takes part in pairs of this kind.
static bool *list_members(const toi_mesh *mesh, toi_kind kind, int corners, int64_t count)
{
    bool *members = malloc((size_t)count + 1);
    for (int64_t i = 0; i < count; ++i)
        members[i] = kind < TOI_PAIR_KINDS || (corners == 2 ? is_loose_edge(mesh, (int32_t)i)
                                                            : is_loose_vertex(mesh, (int32_t)i));
    return members;
}

pair_list slow_candidates(const toi_ccd_def *def, const tangle *t, toi_kind kind)
{
    const toi_mesh *mesh = &t->with_edges;
    const int *corners = corner_counts[kind];
    box_list a = list_boxes(def, mesh, (toi_primitive)(corners[0] - 1)),
             b = list_boxes(def, mesh, (toi_primitive)(corners[1] - 1));
    bool *firsts = list_members(mesh, kind, corners[0], a.count),
         *seconds = list_members(mesh, kind, corners[1], b.count);
    pair_list pairs = slow_pairs(a, corners[0] != corners[1] ? &b : NULL);
    int64_t kept = 0;
    for (int64_t i = 0; i < pairs.count; ++i) {
        toi_pair pair = pairs.data[i];
        if (firsts[pair.a] && seconds[pair.b] &&
            is_allowed(&def->filter, corners_of(mesh, corners[0], &pair.a), corners[0],
                       corners_of(mesh, corners[1], &pair.b), corners[1]))
            pairs.data[kept++] = pair;
    }
    pairs.count = kept;
    free(a.data);
    free(b.data);
    free(firsts);
    free(seconds);
    return pairs;
}
