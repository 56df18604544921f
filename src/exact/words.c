// Shortcuts for queries whose vectors are words: below 2^62, so sums of three products need a third
// word, which those of kernel/fixed_words.h, below 2^61, do not.

#include "exact/words.h"

int toi_words_touch_at_start(const toi_trajectory *trajectory)
{
    const int64_t *p = trajectory->p.words[0], *e = trajectory->e.words[0];
    const int64_t *g = trajectory->g.words[0];
    toi_int128 normal[3];
    toi_long_sum volume = {0, 0};
    for (int k = 0; k < 3; ++k) {
        normal[k] = toi_cross_words(e, g, k);
        toi_long_add(&volume, normal[k], p[k]);
    }
    if (volume.low != 0 || volume.high != 0)
        return -1;
    int axis = 0;
    while (axis < 3 && normal[axis] == 0)
        ++axis;
    if (axis == 3)
        return 0;
    // The inside tests of contact.c. Products are below 2^125, sums of three below 2^127.
    toi_int128 n = normal[axis], u = toi_cross_words(g, p, axis), v = toi_cross_words(p, e, axis);
    if (n < 0) {
        n = -n;
        u = -u;
        v = -v;
    }
    bool below = trajectory->edge_edge ? u <= n && v <= n : u + v <= n;
    return u >= 0 && v >= 0 && below ? 1 : -1;
}

bool toi_words_stay_level(const toi_trajectory *trajectory)
{
    bool level = false;
    for (int k = 0; k < 3; ++k) {
        int64_t any = 0;
        for (int i = 0; i < 2; ++i)
            any |=
                trajectory->p.words[i][k] | trajectory->e.words[i][k] | trajectory->g.words[i][k];
        level |= any == 0;
    }
    return level;
}

// On one axis: are Q and Q + R on the same side of zero at t = 0 and at t = 1, so always? Sums of
// two words fit a word; of a sum of four the sign is that of a comparison.
static bool axis_separates(const toi_vector *q, const toi_vector *r, int axis)
{
    int64_t q0 = q->words[0][axis], q1 = q0 + q->words[1][axis];
    int64_t r0 = r->words[0][axis], r1 = r0 + r->words[1][axis];
    return (q0 > 0 && q1 > 0 && q0 > -r0 && q1 > -r1) || (q0 < 0 && q1 < 0 && q0 < -r0 && q1 < -r1);
}

// On one axis: have the Bernstein coefficients of Q x R one sign, so that it has no root? All are
// below 2^127.
static bool cross_separates(const toi_vector *q, const toi_vector *r, int axis)
{
    toi_int128 c[3];
    toi_cross_moving_words(q, r, axis, c);
    toi_int128 middle = 2 * c[0] + c[1], end = c[0] + c[1] + c[2];
    return (c[0] > 0 && middle > 0 && end > 0) || (c[0] < 0 && middle < 0 && end < 0);
}

bool toi_words_stay_apart(const toi_vector *q, const toi_vector *r)
{
    if (q->form != TOI_VECTOR_WORDS || r->form != TOI_VECTOR_WORDS)
        return false;
    for (int axis = 0; axis < 3; ++axis)
        if (axis_separates(q, r, axis))
            return true;
    for (int axis = 0; axis < 3; ++axis)
        if (cross_separates(q, r, axis))
            return true;
    return false;
}
