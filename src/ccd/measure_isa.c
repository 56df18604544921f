// Measures candidates: the corners of a vector of pairs are transposed into lanes, whose distances
// are those of kernel/distance.h.

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "ccd/corners.h"
#include "ccd/measure.h"
#include "kernel/distance.h"

enum
{
    BLOCK = 64 // pairs that take each step together
};

// The corners of each pair, by number.
typedef struct block_corners
{
    int32_t of[BLOCK][4];
} block_corners;

// An edge's two numbers are copied as one.
TOI_INLINE void find_corners(int kind, const toi_mesh *mesh, toi_pair pair, int32_t corners[4])
{
    if (kind == TOI_EDGE_EDGE) {
        memcpy(corners, toi_edge_at(&mesh->edges, pair.a), 2 * sizeof *corners);
        memcpy(corners + 2, toi_edge_at(&mesh->edges, pair.b), 2 * sizeof *corners);
    } else {
        toi_pair_corners(mesh, (toi_kind)kind, pair, corners);
    }
}

// Lanes beyond the last pair repeat it.
TOI_INLINE void find_block(int kind, const toi_measure_source *s, const toi_pair *pairs, int count,
                           block_corners *b)
{
    for (int i = 0; i < count; ++i)
        find_corners(kind, s->mesh, pairs[i], b->of[i]);
    for (int i = count; i % TOI_LANES != 0; ++i)
        memcpy(b->of[i], b->of[count - 1], sizeof b->of[i]);
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
    typedef double quad __attribute__((vector_size(32), may_alias));
    quad rows[TOI_LANES];
    toi_real xz[2], y[2];
    for (int j = 0; j < TOI_LANES; ++j)
        rows[j] = *(const quad *)from[j]; // memcpy() would go through the stack, in halves
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
    for (int j = 0; j < 4; ++j) {
        int k = j + (j & 2); // 0, 1, 4, 5: what follows then keeps quarters whole
        row[j] = __builtin_shufflevector(rows[k], rows[k + 2], 0, 1, 2, 3, 4, 5, 6, 7);
    }
    for (int i = 0; i < 2; ++i) {
        xz[i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        y[i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    out[0] = __builtin_shufflevector(xz[0], xz[1], 0, 1, 4, 5, 8, 9, 12, 13);
    out[1] = __builtin_shufflevector(y[0], y[1], 0, 1, 4, 5, 8, 9, 12, 13);
    out[2] = __builtin_shufflevector(xz[0], xz[1], 2, 3, 6, 7, 10, 11, 14, 15);
#endif
#endif
}

// What is found of a block, number by number.
typedef struct block_results
{
    double distance[BLOCK], u[BLOCK], v[BLOCK], error[BLOCK];
    int64_t parts[BLOCK]; // of a, and 256 times that of b
    int64_t close[BLOCK]; // all ones: it is
} block_results;

// Vertex and face or two edges; else a point and an edge or two points, which are an edge that is
// none.
TOI_INLINE toi_closest find_closest(int kind, const toi_standing *s)
{
    return kind == TOI_EDGE_EDGE     ? toi_closest_on_square(s->p, s->e, s->g)
           : kind == TOI_VERTEX_FACE ? toi_closest_on_triangle(s->p, s->e, s->g)
                                     : toi_closest_on_edge(s->p, s->e);
}

// The pairs from place `i` of the block on.
TOI_INLINE void measure_lanes(int kind, const toi_measure_source *source, const block_corners *b,
                              int i, block_results *out)
{
    toi_real points[4][3];
    for (int c = 0; c < 4; ++c) {
        const double *from[TOI_LANES];
        for (int j = 0; j < TOI_LANES; ++j)
            from[j] = source->vertices[b->of[i + j][c]].at;
        load_vertices(from, points[c]);
    }
    int edges = kind == TOI_EDGE_EDGE;
    toi_standing s;
    toi_take_standing(edges, points, &s);
    toi_closest at = find_closest(kind, &s);
    toi_real distance = toi_given_length(&s, toi_sqrt(at.square));
    toi_mask part_b =
        kind == TOI_VERTEX_FACE ? toi_part_of_triangle(&at) : toi_part_of_edge(edges ? at.v : at.u);
    toi_mask part_a = edges ? toi_part_of_edge(at.u) : part_b ^ part_b;
    toi_real error = toi_given_length(&s, TOI_SPREAD(TOI_DISTANCE_ERROR));
    toi_mask close = TOI_TEST(distance <= source->radius);
    toi_mask parts = part_a | part_b << 8;
    memcpy(&out->distance[i], &distance, sizeof distance);
    memcpy(&out->error[i], &error, sizeof error);
    memcpy(&out->u[i], &at.u, sizeof at.u);
    memcpy(&out->v[i], &at.v, sizeof at.v);
    memcpy(&out->parts[i], &parts, sizeof parts);
    memcpy(&out->close[i], &close, sizeof close);
}

// Writes the pairs that are close; returns how many.
TOI_INLINE int64_t write_block(int kind, const block_results *x, const toi_pair *pairs, int count,
                               toi_close_pair *found, double *errors)
{
    int64_t kept = 0;
    for (int i = 0; i < count; ++i) {
        uint32_t parts = (uint32_t)x->parts[i];
        toi_close_pair *to = &found[kept];
        to->kind = kind;
        to->a = pairs[i].a;
        to->b = pairs[i].b;
        to->part_a = (uint8_t)parts;
        to->part_b = (uint8_t)(parts >> 8);
        to->reserved[0] = (uint8_t)(parts >> 16); // zero; with the parts it is one store
        to->reserved[1] = (uint8_t)(parts >> 24);
        to->distance = x->distance[i];
        to->u = x->u[i];
        to->v = x->v[i];
        if (errors)
            errors[kept] = x->error[i];
        kept -= x->close[i];
    }
    return kept;
}

// Each step is taken for a whole block. So the loop over vectors is short enough for a processor to
// start on the next one while it waits for the numbers of this one.
TOI_INLINE int64_t measure_pairs(int kind, const toi_measure_source *s, const toi_pair *pairs,
                                 int64_t count, const toi_measured *found)
{
    int64_t kept = 0;
    block_corners corners;
    block_results results;
    for (int64_t first = 0; first < count; first += BLOCK) {
        int n = count - first < BLOCK ? (int)(count - first) : BLOCK;
        find_block(kind, s, pairs + first, n, &corners);
        for (int i = 0; i < n; i += TOI_LANES)
            measure_lanes(kind, s, &corners, i, &results);
        kept += write_block(kind, &results, pairs + first, n, found->pairs + kept,
                            found->errors ? found->errors + kept : NULL);
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
