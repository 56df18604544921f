#include "crossings.h"

#include <math.h>
#include <string.h>

const setting settings[SETTINGS] = {
    {"plain", 0, 0, 0, false},         {"early", 0, 0, 0, true},
    {"far away", 0, 4096, 0, false},   {"far away, early", 0, 4096, 0, true},
    {"tiny", -100, 0, 0, false},       {"tiny, early", -900, 0, 0, true},
    {"huge", 120, 0, 0, false},        {"huge, early", 1020, 0, 0, true},
    {"denormal", -1030, 0, 0, false},  {"some outlier", 0, 0, 64, false},
    {"far outlier", 0, 0, 1e30, true}, {"farthest outlier", 0, 0, 1e308, false},
};

double lattice(toi_random *random, int bits)
{
    return ldexp((double)(1 + toi_random_below(random, ((uint64_t)1 << bits) - 1)), -40);
}

// Two segments along x, or a vertex and a face as thin as a segment, that pass through each other
// on a diagonal of the other axes. Every number is a multiple of 2^-40, so that they touch for
// sure, in a single moment, and rounding moves them by more than single precision's own slack
// allows.
static void make_crossing(toi_kind kind, bool early, toi_random *random, double start[CORNERS][3],
                          double end[CORNERS][3])
{
    static const int along[TOI_PAIR_KINDS][CORNERS] = {{1, 0, 4, 2}, {0, 4, 1, 5}};
    double x = ldexp((double)toi_random_below(random, 1024), -10);
    double y = 0.5 + lattice(random, 38), z = 0.5 + lattice(random, 38);
    double before = lattice(random, 20), after = early ? 64 * before : lattice(random, 20);
    for (int c = 0; c < CORNERS; ++c) {
        bool first = c < (kind == TOI_EDGE_EDGE ? 2 : 1);
        const double from[3] = {x + along[kind][c] * 0x1p-12, first ? y + before : y,
                                first ? z + before : z};
        const double to[3] = {from[0], first ? y - after : y, first ? z - after : z};
        memcpy(start[c], from, sizeof from);
        memcpy(end[c], to, sizeof to);
    }
}

// All coordinates where the setting has them.
static void set_all(const setting *how, int32_t vertices, crossings *all)
{
    for (int32_t i = 0; i < 3 * vertices; ++i) {
        double *from = &all->start[i / 3][i % 3], *to = &all->end[i / 3][i % 3];
        *from = ldexp(*from + how->offset, how->exponent);
        *to = ldexp(*to + how->offset, how->exponent);
    }
}

toi_mesh make_crossings(const setting *how, toi_kind kind, toi_random *random, crossings *all)
{
    int32_t vertices = CORNERS * CROSSINGS, faces = 0, edges = 0;
    for (int32_t n = 0; n < CROSSINGS; ++n) {
        int32_t at = CORNERS * n;
        make_crossing(kind, how->early, random, &all->start[at], &all->end[at]);
        if (kind == TOI_VERTEX_FACE)
            memcpy(all->faces[faces++], (int32_t[3]){at + 1, at + 2, at + 3}, 3 * sizeof(int32_t));
        for (int e = 0; kind == TOI_EDGE_EDGE && e < 2; ++e)
            memcpy(all->edges[edges++], (int32_t[2]){at + 2 * e, at + 2 * e + 1},
                   2 * sizeof(int32_t));
    }
    set_all(how, vertices, all);
    for (int k = 0; how->outlier != 0 && k < 3; ++k)
        all->start[vertices][k] = all->end[vertices][k] = how->outlier;
    toi_mesh mesh = toi_make_mesh(all->start[0], all->end[0], vertices + (how->outlier != 0),
                                  faces > 0 ? all->faces[0] : NULL, faces);
    if (edges > 0)
        mesh.edges = (toi_index_view){all->edges[0], edges, 0};
    return mesh;
}

// Two segments along x, or a vertex and a face as thin as a segment, one above the other. Both
// rise, so that their swept boxes overlap, and come exactly to the separation: when the step ends,
// or, if `early`, at 1/64. The distance of their middles is their own, so nothing is to spare.
// If `waiting`, the lower one rests instead, and all is so close that single precision cannot see
// that their swept boxes are apart.
static void make_follower(toi_kind kind, const setting *how, double least, bool waiting,
                          toi_random *random, double start[CORNERS][3], double end[CORNERS][3])
{
    static const int along[TOI_PAIR_KINDS][CORNERS] = {{2, 0, 4, 2}, {0, 4, 0, 4}};
    double x = ldexp((double)toi_random_below(random, 1024), -10);
    double y = 0.5 + lattice(random, 38), z = 0.5 + lattice(random, 38);
    double height = 4 * lattice(random, waiting ? 6 : 24) + least,
           kept = least + SHARE * (height - least);
    double rise = waiting ? 0 : 5 * height,
           left = how->early && !waiting ? height + (kept - height) / PASSED : kept;
    for (int c = 0; c < CORNERS; ++c) {
        bool first = c < (kind == TOI_EDGE_EDGE ? 2 : 1);
        const double from[3] = {x + along[kind][c] * 0x1p-12, y, first ? z + height : z};
        const double to[3] = {from[0], y, z + rise + (first ? left : 0)};
        memcpy(start[c], from, sizeof from);
        memcpy(end[c], to, sizeof to);
    }
}

void place_followers(toi_kind kind, const setting *how, double least, bool waiting,
                     toi_random *random, crossings *all)
{
    for (int32_t n = 0; n < CROSSINGS; ++n)
        make_follower(kind, how, least, waiting, random, &all->start[CORNERS * n],
                      &all->end[CORNERS * n]);
    set_all(how, CORNERS * CROSSINGS, all);
}

void place_closers(toi_kind kind, const setting *how, double least, toi_random *random,
                   crossings *all)
{
    static const int along[TOI_PAIR_KINDS][CORNERS] = {{2, 0, 4, 2}, {0, 4, 0, 4}};
    for (int32_t n = 0; n < CROSSINGS; ++n) {
        double x = ldexp((double)toi_random_below(random, 1024), -10);
        double y = 0.5 + lattice(random, 38), z = 0.5 + lattice(random, 38);
        double height = 4 * lattice(random, 24) + least;
        double way = (1 - SHARE) * (height - least) / PASSED; // of both together
        for (int c = 0; c < CORNERS; ++c) {
            bool first = c < (kind == TOI_EDGE_EDGE ? 2 : 1);
            const double from[3] = {x + along[kind][c] * 0x1p-12, y, first ? z + height : z};
            const double to[3] = {from[0], y, from[2] + (first ? -0.25 : 0.75) * way};
            memcpy(all->start[CORNERS * n + c], from, sizeof from);
            memcpy(all->end[CORNERS * n + c], to, sizeof to);
        }
    }
    set_all(how, CORNERS * CROSSINGS, all);
}
