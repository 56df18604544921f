// Whole numbers of any length, for the last rung of `exact` and for certificates.
//
// Sign and magnitude on GMP's mpn layer; the limbs lie in an arena that is opened on the caller's
// memory and grows from the heap where that is too small. Numbers are never changed once made, so
// two of them may share their limbs, and a whole computation is undone by going back to a mark.
//
// Where memory runs out, the arena remembers it and every result from then on is zero: callers need
// not look at each step, only must their loops end when `failed` is set.

#ifndef TOI_EXACT_INTEGER_H
#define TOI_EXACT_INTEGER_H

#include "base/memory.h"

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(GMP_NUMB_BITS == 64, "limbs are handled as 64-bit words");

__extension__ typedef __int128 toi_int128;
__extension__ typedef unsigned __int128 toi_uint128;

// ---- Doubles

enum
{
    TOI_LEAST_EXPONENT = -1074 // of the least denormal
};

// A finite double is m 2^exponent.
typedef struct toi_decoded
{
    uint64_t m; // below 2^53
    int exponent;
    bool negative;
} toi_decoded;

static inline toi_decoded toi_decode_double(double x)
{
    uint64_t pattern;
    memcpy(&pattern, &x, sizeof pattern);
    int biased = (int)(pattern >> 52) & 0x7ff;
    uint64_t m = pattern & ((UINT64_C(1) << 52) - 1);
    if (biased > 0)
        m |= UINT64_C(1) << 52;
    return (toi_decoded){m, (biased > 0 ? biased : 1) - 1 + TOI_LEAST_EXPONENT,
                         (pattern >> 63) != 0};
}

// Patterns of doubles that are not negative are in the order of the doubles.
static inline uint64_t toi_pattern_of(double x)
{
    uint64_t pattern;
    memcpy(&pattern, &x, sizeof pattern);
    return pattern;
}

static inline double toi_double_of(uint64_t pattern)
{
    double x;
    memcpy(&x, &pattern, sizeof x);
    return x;
}

// ---- The arena

typedef struct toi_integer_block
{
    struct toi_integer_block *next;
    mp_limb_t *end; // the limbs lie between this header and `end`
} toi_integer_block;

typedef struct toi_arena
{
    mp_limb_t *top; // the first free limb
    mp_limb_t *end;
    toi_integer_block *block; // the one that `top` is in
    toi_integer_block *first; // the caller's
    toi_budget *budget;       // of the blocks from the heap, or NULL
    bool failed;
} toi_arena;

typedef struct toi_mark
{
    toi_integer_block *block;
    mp_limb_t *top;
} toi_mark;

// Opens an arena on `bytes` of memory aligned to 16 (at least a few hundred), which stay the
// caller's.
void toi_arena_open(toi_arena *arena, void *memory, size_t bytes);

// Gives the heap its blocks back. Every number of the arena is gone.
void toi_arena_close(toi_arena *arena);

// A block from the heap with room for `limbs`; NULL, and `failed`, where there is none.
mp_limb_t *toi_arena_extend(toi_arena *arena, int64_t limbs);

// Room for `limbs` at the top, to be filled and then accepted, or NULL.
static inline mp_limb_t *toi_arena_room(toi_arena *arena, int64_t limbs)
{
    return arena->end - arena->top >= limbs ? arena->top : toi_arena_extend(arena, limbs);
}

static inline toi_mark toi_arena_mark(const toi_arena *arena)
{
    return (toi_mark){arena->block, arena->top};
}

// Forgets every number made since the mark. Blocks stay until the arena is closed.
static inline void toi_arena_release(toi_arena *arena, toi_mark mark)
{
    arena->block = mark.block;
    arena->top = mark.top;
    arena->end = mark.block->end;
}

// ---- Numbers

typedef struct toi_integer
{
    const mp_limb_t *limbs; // least significant first; the last is not zero
    int64_t size;           // how many limbs, negative for a negative number, 0 for zero
} toi_integer;

static inline int toi_integer_sign(toi_integer a)
{
    return (a.size > 0) - (a.size < 0);
}

static inline int64_t toi_integer_length(toi_integer a)
{
    return a.size < 0 ? -a.size : a.size;
}

static inline toi_integer toi_integer_negate(toi_integer a)
{
    return (toi_integer){a.limbs, -a.size};
}

// Takes the limbs written at toi_arena_room() as a number, leading zeros dropped.
static inline toi_integer toi_arena_accept(toi_arena *arena, mp_limb_t *limbs, int64_t length,
                                           bool negative)
{
    while (length > 0 && limbs[length - 1] == 0)
        --length;
    arena->top = limbs + length;
    return (toi_integer){limbs, negative ? -length : length};
}

// Forgets every number made since the mark but this one.
static inline toi_integer toi_arena_keep(toi_arena *arena, toi_mark mark, toi_integer a)
{
    int64_t length = toi_integer_length(a);
    toi_arena_release(arena, mark);
    mp_limb_t *limbs = toi_arena_room(arena, length);
    if (!limbs)
        return (toi_integer){NULL, 0};
    if (length > 0)
        memmove(limbs, a.limbs, (size_t)length * sizeof *limbs);
    return toi_arena_accept(arena, limbs, length, a.size < 0);
}

toi_integer toi_integer_from_word(toi_arena *arena, uint64_t value);
toi_integer toi_integer_from_int128(toi_arena *arena, toi_int128 value);

// (-1)^negative value 2^shift, shift >= 0.
toi_integer toi_integer_from_shifted(toi_arena *arena, uint64_t value, int64_t shift,
                                     bool negative);

toi_integer toi_integer_add(toi_arena *arena, toi_integer a, toi_integer b);
toi_integer toi_integer_subtract(toi_arena *arena, toi_integer a, toi_integer b);
toi_integer toi_integer_multiply(toi_arena *arena, toi_integer a, toi_integer b);

// a 2^bits, bits >= 0.
toi_integer toi_integer_shift(toi_arena *arena, toi_integer a, int64_t bits);

// The quotient rounded towards zero, of numbers that are not negative; 0 where b is.
toi_integer toi_integer_divide(toi_arena *arena, toi_integer a, toi_integer b);

// The same of numbers of any sign.
toi_integer toi_integer_quotient(toi_arena *arena, toi_integer a, toi_integer b);

// The square root rounded down, of a number that is not negative.
toi_integer toi_integer_square_root(toi_arena *arena, toi_integer a);

// a b + c d and a b - c d.
toi_integer toi_integer_sum_of_products(toi_arena *arena, toi_integer a, toi_integer b,
                                        toi_integer c, toi_integer d);
toi_integer toi_integer_difference_of_products(toi_arena *arena, toi_integer a, toi_integer b,
                                               toi_integer c, toi_integer d);

// -1, 0 or 1: a < b, a = b, a > b.
int toi_integer_compare(toi_integer a, toi_integer b);

// How many bits the magnitude has.
static inline int64_t toi_integer_bits(toi_integer a)
{
    int64_t length = toi_integer_length(a);
    return length == 0 ? 0 : 64 * length - __builtin_clzll(a.limbs[length - 1]);
}

// The number as mantissa 2^exponent, |mantissa| in [1/2, 1], with a relative error below 2^-52.
static inline double toi_integer_approximate(toi_integer a, int64_t *exponent)
{
    int64_t length = toi_integer_length(a);
    *exponent = 0;
    if (length == 0)
        return 0;
    int zeros = __builtin_clzll(a.limbs[length - 1]);
    uint64_t top = a.limbs[length - 1] << zeros;
    if (zeros > 0 && length > 1)
        top |= a.limbs[length - 2] >> (64 - zeros);
    *exponent = 64 * length - zeros;
    double mantissa = (double)top * 0x1p-64;
    return a.size < 0 ? -mantissa : mantissa;
}

// ---- Sums of products

// A sum that is being added up, as a two's complement of fixed length at the arena's top: cheaper
// than a number for each step. Nothing else may be made in the arena until it is taken.
typedef struct toi_sum
{
    mp_limb_t *limbs; // NULL where memory ran out
    int64_t length;
} toi_sum;

// Room for products of up to `limbs` limbs, the lengths of both factors together, and for sums of
// 2^63 of them.
toi_sum toi_sum_open(toi_arena *arena, int64_t limbs);
void toi_sum_add(toi_sum *sum, toi_integer a, toi_integer b);
toi_integer toi_sum_take(toi_arena *arena, toi_sum *sum);

static inline void toi_sum_subtract(toi_sum *sum, toi_integer a, toi_integer b)
{
    toi_sum_add(sum, toi_integer_negate(a), b);
}

// ---- Dyadic numbers: m / 2^bits

typedef struct toi_dyadic
{
    toi_integer m;
    int64_t bits; // >= 0
} toi_dyadic;

// A finite double that is not negative and at most 1.
toi_dyadic toi_dyadic_from_double(toi_arena *arena, double x);

// The largest double not greater than a dyadic number that is in [0, 1]; is it that number?
double toi_dyadic_floor(toi_dyadic x, bool *is_exact);

int toi_dyadic_compare(toi_arena *arena, toi_dyadic a, toi_dyadic b);

#endif
