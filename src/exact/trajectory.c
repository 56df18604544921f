// Three ways to the same vectors: in words of 64 bits, by words of 128 bits in integers, and by
// points.

#include "exact/trajectory.h"

#include "exact/words.h"

#include <math.h>
#include <string.h>

#define NARROW_LIMIT (INT64_C(1) << 62)

// ---- From doubles to whole numbers

// Coordinates in the order of the query's memory: start[4][3], then end[4][3].
enum
{
    COORDINATES = 24
};

// All are whole multiples of 2^lowest, the largest such power, and less than 2^(highest + 1); with
// nothing but zeros both are 0.
static void find_span(const double x[COORDINATES], int *lowest, int *highest)
{
    int low = INT32_MAX, high = INT32_MIN;
    for (int i = 0; i < COORDINATES; ++i) {
        toi_decoded d = toi_decode_double(x[i]);
        if (d.m == 0)
            continue;
        int lowest_bit = d.exponent + __builtin_ctzll(d.m);
        low = lowest_bit < low ? lowest_bit : low;
        high = d.exponent > high ? d.exponent : high;
    }
    *lowest = low <= high + 52 ? low : 0;
    *highest = low <= high + 52 ? high + 52 : 0;
}

// Which corners each of P, E, G is the difference of.
static const int corners[2][3][2] = {{{0, 1}, {1, 2}, {1, 3}}, {{0, 2}, {1, 0}, {2, 3}}};

// m 2^(exponent - lowest), which is whole.
static toi_int128 scaled_word(toi_decoded x, int lowest)
{
    int shift = x.m == 0 ? 0 : x.exponent - lowest;
    toi_int128 magnitude = shift >= 0 ? (toi_int128)x.m << shift : (toi_int128)(x.m >> -shift);
    return x.negative ? -magnitude : magnitude;
}

// The vector whose entries are words[0..5], if they fit in `words`, else in integers.
static void set_vector(toi_arena *arena, toi_int128 words[2][3], toi_vector *v)
{
    bool narrow = true;
    for (int i = 0; i < 6; ++i) {
        toi_int128 word = words[i / 3][i % 3];
        narrow &= word < NARROW_LIMIT && word > -NARROW_LIMIT;
        v->words[i / 3][i % 3] = (int64_t)word;
    }
    v->form = narrow ? TOI_VECTOR_WORDS : TOI_VECTOR_INTEGERS;
    for (int i = 0; i < 6 && !narrow; ++i)
        v->c[i / 3][i % 3] = toi_integer_from_int128(arena, words[i / 3][i % 3]);
}

static void convert_words(toi_arena *arena, const double x[COORDINATES], int lowest,
                          toi_trajectory *trajectory)
{
    toi_vector *vectors[3] = {&trajectory->p, &trajectory->e, &trajectory->g};
    toi_int128 points[COORDINATES], words[2][3];
    for (int i = 0; i < COORDINATES; ++i)
        points[i] = scaled_word(toi_decode_double(x[i]), lowest);
    for (int v = 0; v < 3; ++v) {
        const int *pair = corners[trajectory->edge_edge][v];
        for (int k = 0; k < 3; ++k) {
            toi_int128 start = points[3 * pair[0] + k] - points[3 * pair[1] + k];
            toi_int128 end = points[12 + 3 * pair[0] + k] - points[12 + 3 * pair[1] + k];
            words[0][k] = start;
            words[1][k] = end - start;
        }
        set_vector(arena, words, vectors[v]);
    }
}

static void refer_to_points(const toi_query *query, toi_trajectory *trajectory)
{
    toi_vector *vectors[3] = {&trajectory->p, &trajectory->e, &trajectory->g};
    toi_far_points_from_query(query, &trajectory->points);
    for (int v = 0; v < 3; ++v) {
        const int *pair = corners[trajectory->edge_edge][v];
        vectors[v]->form = TOI_VECTOR_POINTS;
        vectors[v]->points = &trajectory->points;
        vectors[v]->between = (toi_difference){pair[0], pair[1]};
    }
}

// The same for the commonest case: scaled by the power of two that brings the largest coordinate
// between 2^59 and 2^60, all are whole, and so words. False where they are not.
static bool convert_short(const double x[COORDINATES], toi_trajectory *trajectory)
{
    int64_t points[COORDINATES], all = 0;
    uint64_t largest = 0;
    for (int i = 0; i < COORDINATES; ++i) {
        uint64_t pattern;
        memcpy(&pattern, &x[i], sizeof pattern);
        pattern &= INT64_MAX;
        largest = pattern > largest ? pattern : largest;
    }
    int exponent = (int)(largest >> 52) - 1023;
    if (exponent < -960)
        return false;
    double scale = toi_double_of((uint64_t)(1023 + 59 - exponent) << 52);
    bool whole = true;
    for (int i = 0; i < COORDINATES; ++i) {
        double scaled = x[i] * scale;
        points[i] = (int64_t)scaled;
        whole &= (double)points[i] == scaled && (scaled != 0 || x[i] == 0); // 0: it may underflow
        all |= points[i];
    }
    if (!whole)
        return false;
    toi_vector *vectors[3] = {&trajectory->p, &trajectory->e, &trajectory->g};
    int zeros = all != 0 ? __builtin_ctzll((uint64_t)all) : 0;
    for (int v = 0; v < 3; ++v) {
        const int64_t *a = points + 3 * corners[trajectory->edge_edge][v][0];
        const int64_t *b = points + 3 * corners[trajectory->edge_edge][v][1];
        vectors[v]->form = TOI_VECTOR_WORDS;
        for (int k = 0; k < 3; ++k) {
            int64_t start = a[k] - b[k], end = a[12 + k] - b[12 + k];
            vectors[v]->words[0][k] = start >> zeros;
            vectors[v]->words[1][k] = (end - start) >> zeros;
        }
    }
    return true;
}

void toi_trajectory_from_query(toi_arena *arena, toi_kind kind, const toi_query *query,
                               toi_trajectory *trajectory)
{
    double x[COORDINATES];
    int lowest, highest;
    memcpy(x, query->start, sizeof query->start);
    memcpy(x + COORDINATES / 2, query->end, sizeof query->end);
    trajectory->edge_edge = kind == TOI_EDGE_EDGE;
    if (convert_short(x, trajectory))
        return;
    find_span(x, &lowest, &highest);
    if (highest - lowest < 124) // differences of differences fit a signed word of 128 bits
        convert_words(arena, x, lowest, trajectory);
    else
        refer_to_points(query, trajectory);
}

// ---- Vectors

// Of a vector that is not between points.
static toi_integer entry(toi_arena *arena, const toi_vector *a, int power, int axis)
{
    return a->form == TOI_VECTOR_WORDS ? toi_integer_from_int128(arena, a->words[power][axis])
                                       : a->c[power][axis];
}

toi_polynomial toi_vector_component(toi_arena *arena, const toi_vector *a, int degree, int axis)
{
    if (a->form == TOI_VECTOR_POINTS)
        return toi_far_points_component(arena, a->points, a->between, degree, axis);
    toi_polynomial f;
    for (int i = 0; i <= degree; ++i)
        f.c[i] = entry(arena, a, i, axis);
    toi_polynomial_trim(&f, degree);
    return f;
}

// The vectors that are added have a point in common, from which one leads and to which the other.
static void combine_points(const toi_vector *a, toi_difference b, toi_vector *sum)
{
    *sum = *a;
    if (a->between.minus == b.corner)
        sum->between.minus = b.minus;
    else
        sum->between.corner = b.corner;
}

static void combine(toi_arena *arena, const toi_vector *a, const toi_vector *b, int sign,
                    toi_vector *sum)
{
    if (a->form == TOI_VECTOR_POINTS) {
        toi_difference minus = {b->between.minus, b->between.corner};
        combine_points(a, sign > 0 ? b->between : minus, sum);
        return;
    }
    if (a->form == TOI_VECTOR_WORDS && b->form == TOI_VECTOR_WORDS) {
        toi_int128 words[2][3];
        for (int i = 0; i < 6; ++i)
            words[i / 3][i % 3] =
                a->words[i / 3][i % 3] + (toi_int128)sign * b->words[i / 3][i % 3];
        set_vector(arena, words, sum);
        return;
    }
    sum->form = TOI_VECTOR_INTEGERS;
    for (int i = 0; i < 6; ++i) {
        toi_integer x = entry(arena, a, i / 3, i % 3), y = entry(arena, b, i / 3, i % 3);
        sum->c[i / 3][i % 3] =
            sign > 0 ? toi_integer_add(arena, x, y) : toi_integer_subtract(arena, x, y);
    }
}

void toi_vector_add(toi_arena *arena, const toi_vector *a, const toi_vector *b, toi_vector *sum)
{
    combine(arena, a, b, 1, sum);
}

void toi_vector_subtract(toi_arena *arena, const toi_vector *a, const toi_vector *b,
                         toi_vector *difference)
{
    combine(arena, a, b, -1, difference);
}

// The coefficients of one component, up to the power 2 degree.
static inline void cross_words(const toi_vector *a, const toi_vector *b, int degree, int axis,
                               toi_int128 c[3])
{
    if (degree > 0)
        toi_cross_moving_words(a, b, axis, c);
    else
        c[0] = toi_cross_words(a->words[0], b->words[0], axis);
}

// The longest of six numbers.
static int64_t longest(toi_integer x[2][3])
{
    int64_t length = 0;
    for (int i = 0; i < 6; ++i) {
        int64_t n = toi_integer_length(x[i / 3][i % 3]);
        length = n > length ? n : length;
    }
    return length;
}

static void cross_integers(toi_arena *arena, toi_integer x[2][3], toi_integer y[2][3], int degree,
                           int axis, toi_integer c[3])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    int64_t length = longest(x) + longest(y);
    for (int power = 0; power <= 2 * degree; ++power) {
        toi_sum sum = toi_sum_open(arena, length);
        for (int a = power > 1 ? 1 : 0; a <= power && a <= 1; ++a) {
            toi_sum_add(&sum, x[a][i], y[power - a][j]);
            toi_sum_subtract(&sum, x[a][j], y[power - a][i]);
        }
        c[power] = toi_sum_take(arena, &sum);
    }
}

toi_polynomial toi_vector_cross(toi_arena *arena, const toi_vector *a, const toi_vector *b,
                                int degree, int axis)
{
    toi_polynomial f;
    if (a->form == TOI_VECTOR_POINTS)
        return toi_far_points_cross(arena, a->points, (toi_difference[]){a->between, b->between},
                                    degree, axis);
    if (a->form == TOI_VECTOR_WORDS && b->form == TOI_VECTOR_WORDS) {
        toi_int128 words[3] = {0, 0, 0};
        int highest = degree > 0 ? 2 : 0;
        cross_words(a, b, degree, axis, words);
        for (int i = 0; i <= highest; ++i)
            f.c[i] = toi_integer_from_int128(arena, words[i]);
    } else {
        toi_integer x[2][3], y[2][3];
        for (int k = 0; k < 6; ++k) {
            x[k / 3][k % 3] = entry(arena, a, k / 3, k % 3);
            y[k / 3][k % 3] = entry(arena, b, k / 3, k % 3);
        }
        cross_integers(arena, x, y, degree, axis, f.c);
    }
    toi_polynomial_trim(&f, 2 * degree);
    return f;
}

static toi_integer take_long(toi_arena *arena, const toi_long_sum *sum)
{
    toi_sum words = toi_sum_open(arena, 2);
    if (words.limbs) {
        words.limbs[0] = sum->low;
        words.limbs[1] = (mp_limb_t)sum->high;
        words.limbs[2] = (mp_limb_t)(sum->high >> 64);
    }
    return toi_sum_take(arena, &words);
}

// Entries below 2^62, so the normal's are below 2^126 and sums of nine products below 2^192.
static inline toi_polynomial volume_words(toi_arena *arena, const toi_trajectory *trajectory,
                                          int degree, toi_polynomial normal[3])
{
    toi_long_sum sums[4] = {{0, 0}};
    toi_polynomial volume;
    for (int k = 0; k < 3; ++k) {
        toi_int128 n[3] = {0, 0, 0};
        cross_words(&trajectory->e, &trajectory->g, degree, k, n);
        for (int j = 0; j <= 2 * degree; ++j) {
            normal[k].c[j] = toi_integer_from_int128(arena, n[j]);
            for (int i = 0; i <= degree; ++i)
                toi_long_add(&sums[i + j], n[j], trajectory->p.words[i][k]);
        }
        toi_polynomial_trim(&normal[k], 2 * degree);
    }
    for (int i = 0; i <= 3 * degree; ++i)
        volume.c[i] = take_long(arena, &sums[i]);
    toi_polynomial_trim(&volume, 3 * degree);
    return volume;
}

static toi_polynomial volume_integers(toi_arena *arena, const toi_trajectory *trajectory,
                                      int degree, toi_polynomial normal[3])
{
    toi_polynomial p[3], volume;
    int64_t length = 0;
    for (int k = 0; k < 3; ++k) {
        p[k] = toi_vector_component(arena, &trajectory->p, degree, k);
        normal[k] = toi_vector_cross(arena, &trajectory->e, &trajectory->g, degree, k);
        for (int i = 0; i <= p[k].degree; ++i)
            for (int j = 0; j <= normal[k].degree; ++j) {
                int64_t n = toi_integer_length(p[k].c[i]) + toi_integer_length(normal[k].c[j]);
                length = n > length ? n : length;
            }
    }
    for (int power = 0; power <= 3 * degree; ++power) {
        toi_sum sum = toi_sum_open(arena, length);
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i <= p[k].degree; ++i)
                if (i <= power && power - i <= normal[k].degree)
                    toi_sum_add(&sum, p[k].c[i], normal[k].c[power - i]);
        volume.c[power] = toi_sum_take(arena, &sum);
    }
    toi_polynomial_trim(&volume, 3 * degree);
    return volume;
}

static toi_polynomial volume_points(toi_arena *arena, const toi_trajectory *trajectory, int degree,
                                    toi_polynomial normal[3])
{
    const toi_difference factors[3] = {trajectory->p.between, trajectory->e.between,
                                       trajectory->g.between};
    for (int k = 0; k < 3; ++k)
        normal[k] = toi_far_points_cross(arena, &trajectory->points, factors + 1, degree, k);
    return toi_far_points_volume(arena, &trajectory->points, factors, degree);
}

toi_polynomial toi_trajectory_volume(toi_arena *arena, const toi_trajectory *trajectory, int degree,
                                     toi_polynomial normal[3])
{
    if (trajectory->p.form == TOI_VECTOR_POINTS)
        return volume_points(arena, trajectory, degree, normal);
    // Inlined twice, with the degree known.
    if (toi_is_in_words(trajectory))
        return degree > 0 ? volume_words(arena, trajectory, 1, normal)
                          : volume_words(arena, trajectory, 0, normal);
    return volume_integers(arena, trajectory, degree, normal);
}
