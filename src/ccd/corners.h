// The four vertices of a pair, in the order of toi_query: a vertex and its face, or two edges. An
// edge or a vertex in the place of a face is one whose last corners coincide.

#ifndef TOI_CCD_CORNERS_H
#define TOI_CCD_CORNERS_H

#include "kernel/inline.h"
#include "mesh/mesh.h"
#include "toi/broad_phase.h"
#include "toi/narrow_phase.h"

#include <string.h>

// How many of them are the first primitive's.
static inline int toi_first_corners(bool edge_edge)
{
    return edge_edge ? 2 : 1;
}

// Where they stand. Of a vertex that is in the pair itself.
typedef struct toi_corner_rows
{
    const int32_t *a, *b;
} toi_corner_rows;

TOI_INLINE toi_corner_rows toi_find_corners(const toi_mesh *mesh, bool edge_edge,
                                            const toi_pair *pair)
{
    return edge_edge ? (toi_corner_rows){toi_edge_at(&mesh->edges, pair->a),
                                         toi_edge_at(&mesh->edges, pair->b)}
                     : (toi_corner_rows){&pair->a, toi_face_at(&mesh->faces, pair->b)};
}

TOI_INLINE int32_t toi_corner_of(toi_corner_rows corners, bool edge_edge, int c)
{
    int first = toi_first_corners(edge_edge);
    return c < first ? corners.a[c] : corners.b[c - first];
}

TOI_INLINE void toi_copy_corners(const toi_mesh *mesh, bool edge_edge, toi_pair pair,
                                 int32_t corners[4])
{
    toi_corner_rows found = toi_find_corners(mesh, edge_edge, &pair);
    for (int c = 0; c < 4; ++c)
        corners[c] = toi_corner_of(found, edge_edge, c);
}

// Branches once, not at each corner.
static inline void toi_pair_corners(const toi_mesh *mesh, toi_kind kind, toi_pair pair,
                                    int32_t corners[4])
{
    const int32_t *edge;
    switch (kind) {
    case TOI_EDGE_EDGE:
        toi_copy_corners(mesh, true, pair, corners);
        break;
    case TOI_POINT_EDGE:
        edge = toi_edge_at(&mesh->edges, pair.b);
        corners[0] = pair.a;
        corners[1] = edge[0];
        corners[2] = corners[3] = edge[1];
        break;
    case TOI_POINT_POINT:
        corners[0] = pair.a;
        corners[1] = corners[2] = corners[3] = pair.b;
        break;
    default:
        toi_copy_corners(mesh, false, pair, corners);
    }
}

// What the pairs of a kind are made of.
static inline toi_primitive toi_first_primitive(toi_kind kind)
{
    return kind == TOI_EDGE_EDGE ? TOI_EDGE : TOI_VERTEX;
}

static inline toi_primitive toi_second_primitive(toi_kind kind)
{
    static const toi_primitive seconds[TOI_KIND_COUNT] = {TOI_FACE, TOI_EDGE, TOI_EDGE, TOI_VERTEX};
    return seconds[kind];
}

// Are both of the same sort? Then the lower one comes first.
static inline bool toi_kind_is_alike(toi_kind kind)
{
    return kind == TOI_EDGE_EDGE || kind == TOI_POINT_POINT;
}

// Where the corners of queries are read: the positions at either end, one vertex after the other.
typedef struct toi_corner_source
{
    const toi_mesh *mesh;
    const char *at[2];
    int64_t stride[2];
    bool doubles; // else each is loaded as its view says
} toi_corner_source;

static inline toi_corner_source toi_find_corner_source(const toi_mesh *mesh)
{
    const toi_point_view *views[2] = {&mesh->start, &mesh->end};
    toi_corner_source s = {.mesh = mesh, .doubles = true};
    for (int end = 0; end < 2; ++end) {
        s.at[end] = toi_point_address(views[end], 0);
        s.stride[end] = (const char *)toi_point_address(views[end], 1) - s.at[end];
        s.doubles &= views[end]->scalar == TOI_DOUBLE;
    }
    return s;
}

static inline void toi_gather_corners(const toi_corner_source *s, toi_kind kind, toi_pair pair,
                                      toi_query *query)
{
    int32_t corners[4];
    toi_corner_source from = *s; // which writing the query cannot change
    toi_pair_corners(from.mesh, kind, pair, corners);
    for (int c = 0; c < 4 && from.doubles; ++c) {
        memcpy(query->start[c], from.at[0] + corners[c] * from.stride[0], sizeof query->start[c]);
        memcpy(query->end[c], from.at[1] + corners[c] * from.stride[1], sizeof query->end[c]);
    }
    for (int c = 0; c < 4 && !from.doubles; ++c) {
        toi_load_point(&from.mesh->start, corners[c], query->start[c]);
        toi_load_point(&from.mesh->end, corners[c], query->end[c]);
    }
}

// What gathering the pair will read: corners jump about in memory.
static inline void toi_fetch_corners(const toi_corner_source *s, toi_kind kind, toi_pair pair)
{
    int32_t corners[4];
    toi_pair_corners(s->mesh, kind, pair, corners);
    for (int c = 0; c < 4; ++c)
        for (int end = 0; end < 2; ++end)
            __builtin_prefetch(s->at[end] + corners[c] * s->stride[end]);
}

#endif
