// Signs of volumes and areas in whole numbers: of four words where the coordinates of each axis fit
// 61 bits, else of as many as it takes.

#include "overlap/orientation.h"

#include "exact/points.h"

enum
{
    WORD_BITS = 61,  // so that a difference is below 2^62 and a product of two below 2^124
    FAR_BYTES = 6144 // both sides of a sum of 6300 bits take 1700
};

// ---- Differences of words

// The differences of corner 1, 2, ... from corner 0 along an axis, all multiplied by one power of
// two, which does not change a sign. False where they do not fit.
static bool take_differences(const double *const *corner, int corners, int axis, int64_t *d)
{
    toi_decoded x[4];
    int lowest = 4096, highest = -4096; // beyond all exponents
    for (int i = 0; i < corners; ++i) {
        x[i] = toi_decode_double(corner[i][axis]);
        if (x[i].m == 0)
            continue;
        int first = x[i].exponent + __builtin_ctzll(x[i].m);
        int end = x[i].exponent + 64 - __builtin_clzll(x[i].m);
        lowest = first < lowest ? first : lowest;
        highest = end > highest ? end : highest;
    }
    if (highest > lowest + WORD_BITS)
        return false;
    int64_t words[4];
    for (int i = 0; i < corners; ++i) {
        int shift = x[i].m == 0 ? 0 : x[i].exponent - lowest;
        int64_t word = (int64_t)(shift < 0 ? x[i].m >> -shift : x[i].m << shift);
        words[i] = x[i].negative ? -word : word;
    }
    for (int i = 1; i < corners; ++i)
        d[i - 1] = words[i] - words[0];
    return true;
}

static int sign_of(toi_int128 x)
{
    return (x > 0) - (x < 0);
}

// A number of 192 bits: high 2^64 + low.
typedef struct wide
{
    toi_int128 high;
    uint64_t low;
} wide;

// sum + m d, where |m| < 2^125 and |d| < 2^62.
static wide add_product(wide sum, toi_int128 m, int64_t d)
{
    toi_int128 low = (toi_int128)(uint64_t)m * d;
    toi_int128 all = (toi_int128)sum.low + (uint64_t)low;
    sum.high += (toi_int128)(int64_t)(m >> 64) * d + (low >> 64) + (all >> 64);
    sum.low = (uint64_t)all;
    return sum;
}

static toi_int128 minor_of(const int64_t *x, const int64_t *y, int i, int j)
{
    return (toi_int128)x[i] * y[j] - (toi_int128)y[i] * x[j];
}

// ---- Far apart

// Four corners that do not move.
static void take_far_points(const double *const *corner, int corners, toi_far_points *points)
{
    toi_query query;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            query.start[i][k] = query.end[i][k] = corner[i < corners ? i : 0][k];
    toi_far_points_from_query(&query, points);
}

static const toi_difference DIFFERENCES[3] = {{1, 0}, {2, 0}, {3, 0}};

// Apart from the rest for its room on the stack.
static __attribute__((noinline)) int far_sign(const double *const *corner, int corners, int axis)
{
    _Alignas(16) unsigned char memory[FAR_BYTES];
    toi_arena arena;
    toi_arena_open(&arena, memory, sizeof memory);
    toi_far_points points;
    take_far_points(corner, corners, &points);
    toi_polynomial f = corners == 4 ? toi_far_points_volume(&arena, &points, DIFFERENCES, 0)
                                    : toi_far_points_cross(&arena, &points, DIFFERENCES, 0, axis);
    int sign = f.degree < 0 ? 0 : toi_integer_sign(f.c[0]);
    toi_arena_close(&arena);
    return sign;
}

// ---- Signs

int toi_exact_volume_sign(const double *a, const double *b, const double *c, const double *d)
{
    for (int k = 0; k < 3; ++k)
        if (a[k] == b[k] && a[k] == c[k] && a[k] == d[k])
            return 0; // floors and walls are common
    const double *corner[4] = {a, b, c, d};
    int64_t x[3], y[3], z[3];
    if (!take_differences(corner, 4, 0, x) || !take_differences(corner, 4, 1, y) ||
        !take_differences(corner, 4, 2, z))
        return far_sign(corner, 4, 0);
    wide sum = add_product((wide){0, 0}, minor_of(x, y, 0, 1), z[2]);
    sum = add_product(sum, minor_of(y, z, 0, 1), x[2]);
    sum = add_product(sum, minor_of(z, x, 0, 1), y[2]);
    return sum.high != 0 ? sign_of(sum.high) : sum.low != 0;
}

int toi_exact_area_sign(const double *a, const double *b, const double *c, int axis)
{
    const double *corner[3] = {a, b, c};
    int64_t x[2], y[2];
    if (!take_differences(corner, 3, (axis + 1) % 3, x) ||
        !take_differences(corner, 3, (axis + 2) % 3, y))
        return far_sign(corner, 3, axis);
    return sign_of(minor_of(x, y, 0, 1));
}
