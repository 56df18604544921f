// Corners of a pair by place, from rows of positions in single precision.

#ifndef TOI_CCD_NEAR_ROWS_H
#define TOI_CCD_NEAR_ROWS_H

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "ccd/cull.h"

enum
{
    TOI_NEAR_BLOCK = 16 // TOI_BLOCK
};

#define TOI_ROOT_3 1.7321 // a little more: of an error on each axis

// Where corner c of the primitive at a place stands.
TOI_INLINE int32_t toi_corner_at(const int32_t *labels, int corners, int32_t place, int c)
{
    int32_t lane = place & (TOI_NEAR_BLOCK - 1);
    return labels[(int64_t)(place - lane) * corners + c * TOI_NEAR_BLOCK + lane];
}

// Where the corners of a pair stand.
TOI_INLINE void toi_find_places(int edge_edge, const toi_near_source *s, const toi_pair *pair,
                                int32_t places[4])
{
    int second = edge_edge ? 2 : 1;
    places[0] = edge_edge ? toi_corner_at(s->labels[0], 2, pair->a, 0) : pair->a;
    if (edge_edge)
        places[1] = toi_corner_at(s->labels[0], 2, pair->a, 1);
    for (int c = second; c < 4; ++c)
        places[c] = toi_corner_at(s->labels[1], 4 - second, pair->b, c - second);
}

TOI_INLINE void toi_load_near(int edge_edge, const toi_near_source *s, const toi_pair *pair,
                              toi_motion_row x[4])
{
    int32_t places[4];
    toi_find_places(edge_edge, s, pair, places);
    for (int c = 0; c < 4; ++c)
        memcpy(&x[c], s->rows[places[c]], sizeof x[c]);
}

#endif
