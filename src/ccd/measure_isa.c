// Measures candidates: the corners of a vector of pairs are transposed into lanes, whose distances
// are those of kernel/distance.h.

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "ccd/corners.h"
#include "ccd/measure.h"
#include "kernel/distance.h"

// Of each pair, where its four corners stand.
typedef struct batch
{
    const double *corners[4][TOI_LANES];
} batch;

// Finds the corners of a pair, which jump about in memory, and asks for them ahead.
TOI_INLINE void find_corners(int kind, const toi_measure_source *s, const toi_pair *pair, int lane,
                             batch *b)
{
    int32_t corners[4];
    toi_pair_corners(s->mesh, (toi_kind)kind, *pair, corners);
    for (int c = 0; c < 4; ++c) {
        b->corners[c][lane] = s->vertices[corners[c]].at;
        __builtin_prefetch(b->corners[c][lane]);
    }
}

// Lanes beyond the last pair repeat it.
TOI_INLINE void find_batch(int kind, const toi_measure_source *s, const toi_pair *pairs,
                           int64_t first, int64_t count, batch *b)
{
    for (int i = 0; i < TOI_LANES; ++i)
        find_corners(kind, s, &pairs[first + i < count ? first + i : count - 1], i, b);
}

// out[k] lane j = coordinate k of vertex j.
TOI_INLINE void load_vertices(const double *const from[TOI_LANES], toi_real out[3])
{
#if TOI_LANES == 2
    toi_real xy[2], z[2];
    for (int j = 0; j < 2; ++j) {
        memcpy(&xy[j], from[j], sizeof xy[j]);
        memcpy(&z[j], from[j] + 2, sizeof z[j]);
    }
    out[0] = __builtin_shufflevector(xy[0], xy[1], 0, 2);
    out[1] = __builtin_shufflevector(xy[0], xy[1], 1, 3);
    out[2] = __builtin_shufflevector(z[0], z[1], 0, 2);
#else
    typedef double quad __attribute__((vector_size(32)));
    quad rows[TOI_LANES];
    toi_real xz[2], y[2];
    for (int j = 0; j < TOI_LANES; ++j)
        memcpy(&rows[j], from[j], sizeof rows[j]);
#if TOI_LANES == 4
    const quad *row = rows;
    for (int i = 0; i < 2; ++i) {
        xz[i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 0, 4, 2, 6);
        y[i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 1, 5, 3, 7);
    }
    out[0] = __builtin_shufflevector(xz[0], xz[1], 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(y[0], y[1], 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(xz[0], xz[1], 2, 3, 6, 7);
#else
    toi_real row[4];
    for (int j = 0; j < 4; ++j)
        row[j] = __builtin_shufflevector(rows[j], rows[j + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < 2; ++i) {
        xz[i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        y[i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    out[0] = __builtin_shufflevector(xz[0], xz[1], 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(y[0], y[1], 0, 1, 8, 9, 4, 5, 12, 13);
    out[2] = __builtin_shufflevector(xz[0], xz[1], 2, 3, 10, 11, 6, 7, 14, 15);
#endif
#endif
}

// What the lanes hold, number by number.
typedef struct lane_results
{
    double distance[TOI_LANES], u[TOI_LANES], v[TOI_LANES], scale[TOI_LANES];
    int64_t parts[TOI_LANES]; // of a, and 256 times that of b
    int64_t close[TOI_LANES]; // all ones: it is
} lane_results;

// Vertex and face or two edges; else a point and an edge or two points, which are an edge that is
// none.
TOI_INLINE toi_closest find_closest(int kind, const toi_standing *s)
{
    return kind == TOI_EDGE_EDGE     ? toi_closest_on_square(s->p, s->e, s->g)
           : kind == TOI_VERTEX_FACE ? toi_closest_on_triangle(s->p, s->e, s->g)
                                     : toi_closest_on_edge(s->p, s->e);
}

TOI_INLINE void measure_lanes(int kind, const batch *b, double radius, lane_results *out)
{
    toi_real points[4][3];
    for (int c = 0; c < 4; ++c)
        load_vertices(b->corners[c], points[c]);
    int edges = kind == TOI_EDGE_EDGE;
    toi_standing s;
    toi_take_standing(edges, points, &s);
    toi_closest at = find_closest(kind, &s);
    toi_real distance = toi_sqrt(at.square) / s.scale;
    toi_mask part_b =
        kind == TOI_VERTEX_FACE ? toi_part_of_triangle(&at) : toi_part_of_edge(edges ? at.v : at.u);
    toi_mask part_a = edges ? toi_part_of_edge(at.u) : part_b ^ part_b;
    toi_mask close = TOI_TEST(distance <= radius);
    memcpy(out->distance, &distance, sizeof distance);
    memcpy(out->scale, &s.scale, sizeof s.scale);
    memcpy(out->u, &at.u, sizeof at.u);
    memcpy(out->v, &at.v, sizeof at.v);
    toi_mask parts = part_a | part_b << 8;
    memcpy(out->parts, &parts, sizeof parts);
    memcpy(out->close, &close, sizeof close);
}

// Writes the lanes that are close; returns how many.
TOI_INLINE int64_t write_lanes(int kind, const lane_results *x, const toi_pair *pairs, int count,
                               toi_close_pair *found, double *errors)
{
    int64_t kept = 0;
    for (int i = 0; i < count; ++i) {
        found[kept] = (toi_close_pair){.kind = kind,
                                       .a = pairs[i].a,
                                       .b = pairs[i].b,
                                       .part_a = (uint8_t)x->parts[i],
                                       .part_b = (uint8_t)(x->parts[i] >> 8),
                                       .distance = x->distance[i],
                                       .u = x->u[i],
                                       .v = x->v[i]};
        if (errors)
            errors[kept] = TOI_DISTANCE_ERROR / x->scale[i];
        kept -= x->close[i];
    }
    return kept;
}

// The next vector's corners are on their way while one is measured.
TOI_INLINE int64_t measure_pairs(int kind, const toi_measure_source *s, const toi_pair *pairs,
                                 int64_t count, const toi_measured *found)
{
    int64_t kept = 0;
    batch batches[2];
    lane_results results;
    if (count > 0)
        find_batch(kind, s, pairs, 0, count, &batches[0]);
    for (int64_t first = 0, turn = 0; first < count; first += TOI_LANES, turn = !turn) {
        int64_t left = count - first;
        if (left > TOI_LANES)
            find_batch(kind, s, pairs, first + TOI_LANES, count, &batches[!turn]);
        measure_lanes(kind, &batches[turn], s->radius, &results);
        kept += write_lanes(kind, &results, pairs + first, left < TOI_LANES ? (int)left : TOI_LANES,
                            found->pairs + kept, found->errors ? found->errors + kept : NULL);
    }
    return kept;
}

toi_measure_pairs_fn TOI_ISA_NAME(toi_measure_pairs);
int64_t TOI_ISA_NAME(toi_measure_pairs)(const toi_measure_source *source, const toi_pair *pairs,
                                        int64_t count, const toi_measured *found)
{
    switch (source->kind) {
    case TOI_EDGE_EDGE:
        return measure_pairs(TOI_EDGE_EDGE, source, pairs, count, found);
    case TOI_POINT_EDGE:
        return measure_pairs(TOI_POINT_EDGE, source, pairs, count, found);
    case TOI_POINT_POINT:
        return measure_pairs(TOI_POINT_POINT, source, pairs, count, found);
    default:
        return measure_pairs(TOI_VERTEX_FACE, source, pairs, count, found);
    }
}
