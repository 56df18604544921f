// Shows that stars are embedded, a vector of vertices at a time, in single precision.
//
// Seen along a direction v, every face of the fan must turn the same way about the vertex, and all
// together must not go round more than once: then the faces lie in sectors that have only rays in
// common. docs/overlap.md has the proof and the bound.

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "kernel/turns.h"
#include "overlap/stars.h"

enum
{
    KEPT = 24 // outer vertices that are loaded once; those beyond are loaded twice
};

// As many stars as there are lanes.
typedef struct star_lanes
{
    const float (*points)[4];
    const int32_t *ring[TOI_LANES];
    toi_mask faces;           // of each
    toi_mask last;            // of the outer vertices: the one before it where the fan is closed
    int32_t count[TOI_LANES]; // the same as `faces`
    int32_t most;
    toi_real centre[3];
    toi_real outer[KEPT][3]; // seen from the centre
} star_lanes;

// out[k] lane j = coordinate k of point at[j].
TOI_INLINE void load_points(const float (*points)[4], const int32_t at[TOI_LANES], toi_real out[3])
{
    toi_quad quads[TOI_LANES];
    toi_real z[4];
    for (int j = 0; j < TOI_LANES; ++j)
        memcpy(&quads[j], points[at[j]], sizeof quads[j]);
    for (int j = 0; j < 4; ++j) {
#if TOI_LANES == 4
        z[j] = quads[j];
#else
        toi_motion_row low =
            __builtin_shufflevector(quads[j], quads[4 + j], 0, 1, 2, 3, 4, 5, 6, 7);
#if TOI_LANES == 8
        z[j] = low;
#else
        toi_motion_row high =
            __builtin_shufflevector(quads[8 + j], quads[12 + j], 0, 1, 2, 3, 4, 5, 6, 7);
        z[j] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                       15);
#endif
#endif
    }
    toi_real low01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_QUAD(TOI_LOW_TWO));
    toi_real low23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_QUAD(TOI_LOW_TWO));
    toi_real high01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_QUAD(TOI_HIGH_TWO));
    toi_real high23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_QUAD(TOI_HIGH_TWO));
    out[0] = __builtin_shufflevector(low01, low23, TOI_EACH_QUAD(TOI_LOW_HALVES));
    out[1] = __builtin_shufflevector(low01, low23, TOI_EACH_QUAD(TOI_HIGH_HALVES));
    out[2] = __builtin_shufflevector(high01, high23, TOI_EACH_QUAD(TOI_LOW_HALVES));
}

// Outer vertex i of each star, seen from its centre; stars with fewer repeat their last.
TOI_INLINE void load_outer(const star_lanes *s, int32_t i, toi_real out[3])
{
    int32_t at[TOI_LANES];
    for (int j = 0; j < TOI_LANES; ++j)
        at[j] = s->ring[j][i < s->count[j] ? i : s->count[j]];
    load_points(s->points, at, out);
    for (int k = 0; k < 3; ++k)
        out[k] -= s->centre[k];
}

TOI_INLINE void take_outer(const star_lanes *s, int32_t i, toi_real out[3])
{
    if (i >= KEPT)
        load_outer(s, i, out);
    else
        memcpy(out, s->outer[i], sizeof s->outer[i]);
}

// A star without an order is one without faces, all of whose outer vertices are its centre: that
// turns nowhere.
TOI_INLINE void open_stars(const toi_stars *stars, const toi_face_table *table, int64_t first,
                           int64_t end, int32_t ids[TOI_LANES], star_lanes *s)
{
    s->points = table->by_id;
    s->most = 0;
    for (int j = 0; j < TOI_LANES; ++j) {
        int64_t vertex = first + j < end ? first + j : end - 1;
        const toi_star *star = &stars->stars[vertex];
        const int32_t *ring = toi_star_ring(stars, vertex);
        ids[j] = (int32_t)vertex;
        s->ring[j] = star->fan ? ring : &ids[j];
        s->count[j] = star->fan ? star->faces : 0;
        s->faces[j] = s->count[j];
        s->last[j] = s->count[j] - (s->ring[j][0] == s->ring[j][s->count[j]]);
        s->most = s->count[j] > s->most ? s->count[j] : s->most;
    }
    load_points(s->points, ids, s->centre);
}

// The sum of the normals, along which the star is looked at; returns the greatest coordinate. Where
// a star repeats its last vertex, the normal is zero.
TOI_INLINE toi_real find_view(star_lanes *s, toi_real v[3])
{
    toi_real reach = TOI_SPREAD(0), before[3], e[3], normal[3];
    for (int k = 0; k < 3; ++k)
        v[k] = before[k] = TOI_SPREAD(0);
    for (int32_t i = 0; i <= s->most; ++i) {
        load_outer(s, i, e);
        if (i < KEPT)
            memcpy(s->outer[i], e, sizeof e);
        reach = toi_max(reach, toi_max3(e));
        toi_cross(before, e, normal); // of the first: zero
        for (int k = 0; k < 3; ++k) {
            v[k] += normal[k];
            before[k] = e[k];
        }
    }
    return reach;
}

// Signs against the line through the first outer vertex must be +, then at most one uncertain, then
// -: then the ray through it is not reached again.
TOI_INLINE toi_mask judge_lanes(star_lanes *s, float error)
{
    toi_real v[3], g[3], e[3], before[3];
    toi_real reach = find_view(s, v);
    toi_real bound = toi_turn_error(v, reach, TOI_SPREAD(error));
    toi_mask good = TOI_TEST(s->faces > 0), left = good;
    memcpy(before, s->outer[0], sizeof before);
    toi_cross(v, before, g);
    for (int32_t i = 1; i <= s->most; ++i) {
        take_outer(s, i, e);
        toi_real side = toi_dot(g, e);
        good &= TOI_TEST(toi_turn(v, before, e) > bound) | TOI_TEST(i > s->faces);
        good &= left | TOI_TEST(side < -bound) | TOI_TEST(i > s->last);
        left = i == 1 ? good : TOI_TEST(side > bound); // the first turn is the same number
        memcpy(before, e, sizeof before);
    }
    return good;
}

toi_judge_stars_fn TOI_ISA_NAME(toi_judge_stars);
void TOI_ISA_NAME(toi_judge_stars)(const toi_stars *stars, const toi_face_table *table,
                                   int64_t first, int64_t end, uint8_t *embedded)
{
    star_lanes s;
    int32_t ids[TOI_LANES];
    for (int64_t at = first; at < end; at += TOI_LANES) {
        open_stars(stars, table, at, end, ids, &s);
        unsigned good = s.most > 0 ? toi_mask_word(judge_lanes(&s, table->error)) : 0;
        for (int j = 0; j < TOI_LANES && at + j < end; ++j)
            embedded[at + j] = good >> j & 1;
    }
}
