// Places on a Hilbert curve, a vector at a time (after Skilling, "Programming the Hilbert curve").
// Integers only once the centres are cut to cells: the same keys in every instruction set.

#include "broad/tree/curve.h"

#include "base/simd.h"
#include "simd/words.h"

typedef uint32_t lanes __attribute__((vector_size(4 * TOI_WORDS)));

// All ones where bit `bit` of x is set.
#define BIT_MASK(x, bit) ((lanes){0} - (((x) >> (bit)) & 1))

// Turns three coordinates of `bits` bits into the transposed index: bit b of x, y, z are bits 3b+2,
// 3b+1, 3b of the place on the curve.
static inline void transpose_to_curve(lanes x[3], int bits)
{
    for (int b = bits - 1; b > 0; --b) {
        uint32_t below = ((uint32_t)1 << b) - 1;
        for (int k = 0; k < 3; ++k) {
            lanes set = BIT_MASK(x[k], b);
            lanes swap = (x[0] ^ x[k]) & below & ~set;
            x[0] ^= (set & below) | swap;
            if (k > 0)
                x[k] ^= swap;
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    lanes flips = {0};
    for (int b = bits - 1; b > 0; --b)
        flips ^= BIT_MASK(x[2], b) & (((uint32_t)1 << b) - 1);
    for (int k = 0; k < 3; ++k)
        x[k] ^= flips;
}

// Puts two zero bits between the ten bits of each lane.
static inline void spread(lanes *x)
{
    *x = (*x | *x << 16) & 0x030000ff;
    *x = (*x | *x << 8) & 0x0300f00f;
    *x = (*x | *x << 4) & 0x030c30c3;
    *x = (*x | *x << 2) & 0x09249249;
}

static inline uint32_t cell(const toi_curve *c, const toi_box_row *row, int axis)
{
    double centre = (double)(*row)[axis] - (double)(*row)[4 + axis];
    double at = (centre - c->origin[axis]) * c->scale;
    double most = (double)((1 << c->bits) - 1);
    at = at < most ? at : most;
    return at > 0 ? (uint32_t)at : 0; // not a number: 0
}

toi_curve_keys_fn TOI_ISA_NAME(toi_curve_keys);

void TOI_ISA_NAME(toi_curve_keys)(const toi_curve *curve, const toi_box_row *rows, int64_t first,
                                  int64_t count, uint64_t *keys)
{
    for (int64_t i = first; i < first + count; i += TOI_WORDS) {
        int n = first + count - i < TOI_WORDS ? (int)(first + count - i) : TOI_WORDS;
        lanes x[3] = {{0}};
        for (int lane = 0; lane < n; ++lane)
            for (int k = 0; k < 3; ++k)
                x[k][lane] = cell(curve, &rows[i + lane], k);
        transpose_to_curve(x, curve->bits);
        for (int k = 0; k < 3; ++k)
            spread(&x[k]);
        lanes key = x[0] << 2 | x[1] << 1 | x[2];
        for (int lane = 0; lane < n; ++lane)
            keys[i + lane] = (uint64_t)key[lane] << 32 | (uint32_t)(i + lane);
    }
}
