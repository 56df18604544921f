// Arithmetic of whole numbers of any length, in an arena.

#include "exact/integer.h"

#include <math.h>
#include <string.h>

static const toi_integer ZERO = {NULL, 0};

// ---- The arena

enum
{
    BLOCK_BYTES = 1 << 16 // of a block from the heap, at least
};

static mp_limb_t *limbs_of(toi_integer_block *block)
{
    return (mp_limb_t *)(block + 1);
}

static void use_block(toi_arena *arena, toi_integer_block *block)
{
    arena->block = block;
    arena->top = limbs_of(block);
    arena->end = block->end;
}

void toi_arena_open(toi_arena *arena, void *memory, size_t bytes)
{
    toi_integer_block *block = memory;
    block->next = NULL;
    block->end = limbs_of(block) + (bytes - sizeof *block) / sizeof(mp_limb_t);
    arena->first = block;
    arena->budget = NULL;
    arena->failed = false;
    use_block(arena, block);
}

void toi_arena_close(toi_arena *arena)
{
    for (toi_integer_block *block = arena->first->next; block;) {
        toi_integer_block *next = block->next;
        toi_release(block);
        block = next;
    }
    arena->first->next = NULL;
}

mp_limb_t *toi_arena_extend(toi_arena *arena, int64_t limbs)
{
    // Blocks that a release has left behind come first.
    for (toi_integer_block *block = arena->block->next; block && !arena->failed;
         block = block->next)
        if (block->end - limbs_of(block) >= limbs) {
            use_block(arena, block);
            return arena->top;
        }
    size_t bytes = sizeof(toi_integer_block) + (size_t)limbs * sizeof(mp_limb_t);
    if (bytes < BLOCK_BYTES)
        bytes = BLOCK_BYTES;
    toi_integer_block *block = arena->failed ? NULL : toi_take(arena->budget, (int64_t)bytes, 1);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    block->end = limbs_of(block) + (bytes - sizeof *block) / sizeof(mp_limb_t);
    block->next = arena->block->next;
    arena->block->next = block;
    use_block(arena, block);
    return arena->top;
}

// ---- Numbers

toi_integer toi_integer_from_word(toi_arena *arena, uint64_t value)
{
    mp_limb_t *limbs = toi_arena_room(arena, 1);
    if (!limbs)
        return ZERO;
    limbs[0] = value;
    return toi_arena_accept(arena, limbs, 1, false);
}

toi_integer toi_integer_from_int128(toi_arena *arena, toi_int128 value)
{
    mp_limb_t *limbs = toi_arena_room(arena, 2);
    if (!limbs)
        return ZERO;
    toi_uint128 magnitude = value < 0 ? -(toi_uint128)value : (toi_uint128)value;
    limbs[0] = (mp_limb_t)magnitude;
    limbs[1] = (mp_limb_t)(magnitude >> 64);
    int64_t length = limbs[1] != 0 ? 2 : limbs[0] != 0;
    arena->top = limbs + length;
    return (toi_integer){limbs, value < 0 ? -length : length};
}

toi_integer toi_integer_from_shifted(toi_arena *arena, uint64_t value, int64_t shift, bool negative)
{
    int64_t zeros = shift / 64;
    mp_limb_t *limbs = toi_arena_room(arena, zeros + 2);
    if (!limbs)
        return ZERO;
    memset(limbs, 0, (size_t)zeros * sizeof *limbs);
    toi_uint128 shifted = (toi_uint128)value << (shift % 64);
    limbs[zeros] = (mp_limb_t)shifted;
    limbs[zeros + 1] = (mp_limb_t)(shifted >> 64);
    return toi_arena_accept(arena, limbs, zeros + 2, negative);
}

// |a| + |b|, a being the longer, with the sign of a.
static toi_integer add_magnitudes(toi_arena *arena, toi_integer a, toi_integer b)
{
    int64_t length = toi_integer_length(a), shorter = toi_integer_length(b);
    mp_limb_t *limbs = toi_arena_room(arena, length + 1);
    if (!limbs)
        return ZERO;
    limbs[length] = mpn_add(limbs, a.limbs, length, b.limbs, shorter);
    return toi_arena_accept(arena, limbs, length + 1, a.size < 0);
}

// |a| - |b|, |a| >= |b|, with the sign of a.
static toi_integer subtract_magnitudes(toi_arena *arena, toi_integer a, toi_integer b)
{
    int64_t length = toi_integer_length(a);
    mp_limb_t *limbs = toi_arena_room(arena, length);
    if (!limbs)
        return ZERO;
    mpn_sub(limbs, a.limbs, length, b.limbs, toi_integer_length(b));
    return toi_arena_accept(arena, limbs, length, a.size < 0);
}

static int compare_magnitudes(toi_integer a, toi_integer b)
{
    int64_t na = toi_integer_length(a), nb = toi_integer_length(b);
    if (na != nb)
        return na < nb ? -1 : 1;
    return na > 0 ? mpn_cmp(a.limbs, b.limbs, na) : 0;
}

toi_integer toi_integer_add(toi_arena *arena, toi_integer a, toi_integer b)
{
    if (a.size == 0)
        return b;
    if (b.size == 0)
        return a;
    int order = compare_magnitudes(a, b);
    if (order < 0) {
        toi_integer swap = a;
        a = b;
        b = swap;
    }
    if ((a.size < 0) == (b.size < 0))
        return add_magnitudes(arena, a, b);
    return order == 0 ? ZERO : subtract_magnitudes(arena, a, b);
}

toi_integer toi_integer_subtract(toi_arena *arena, toi_integer a, toi_integer b)
{
    return toi_integer_add(arena, a, toi_integer_negate(b));
}

// Writes |a| |b|, neither zero, to as many limbs as both have.
static inline void multiply_magnitudes(mp_limb_t *limbs, toi_integer a, toi_integer b)
{
    int64_t na = toi_integer_length(a), nb = toi_integer_length(b);
    if (na == 1 && nb == 1) {
        toi_uint128 product = (toi_uint128)a.limbs[0] * b.limbs[0];
        limbs[0] = (mp_limb_t)product;
        limbs[1] = (mp_limb_t)(product >> 64);
    } else if (nb == 1) {
        limbs[na] = mpn_mul_1(limbs, a.limbs, na, b.limbs[0]);
    } else if (na == 1) {
        limbs[nb] = mpn_mul_1(limbs, b.limbs, nb, a.limbs[0]);
    } else if (na >= nb) {
        mpn_mul(limbs, a.limbs, na, b.limbs, nb);
    } else {
        mpn_mul(limbs, b.limbs, nb, a.limbs, na);
    }
}

toi_integer toi_integer_multiply(toi_arena *arena, toi_integer a, toi_integer b)
{
    if (a.size == 0 || b.size == 0)
        return ZERO;
    int64_t length = toi_integer_length(a) + toi_integer_length(b);
    mp_limb_t *limbs = toi_arena_room(arena, length);
    if (!limbs)
        return ZERO;
    multiply_magnitudes(limbs, a, b);
    return toi_arena_accept(arena, limbs, length, (a.size < 0) != (b.size < 0));
}

static int64_t product_length(toi_integer a, toi_integer b)
{
    return toi_integer_length(a) + toi_integer_length(b);
}

static toi_integer combine_products(toi_arena *arena, const toi_integer factors[4])
{
    int64_t first = product_length(factors[0], factors[1]);
    int64_t second = product_length(factors[2], factors[3]);
    toi_sum sum = toi_sum_open(arena, first > second ? first : second);
    toi_sum_add(&sum, factors[0], factors[1]);
    toi_sum_add(&sum, factors[2], factors[3]);
    return toi_sum_take(arena, &sum);
}

toi_integer toi_integer_sum_of_products(toi_arena *arena, toi_integer a, toi_integer b,
                                        toi_integer c, toi_integer d)
{
    return combine_products(arena, (toi_integer[4]){a, b, c, d});
}

toi_integer toi_integer_difference_of_products(toi_arena *arena, toi_integer a, toi_integer b,
                                               toi_integer c, toi_integer d)
{
    return combine_products(arena, (toi_integer[4]){a, b, toi_integer_negate(c), d});
}

toi_integer toi_integer_shift(toi_arena *arena, toi_integer a, int64_t bits)
{
    int64_t length = toi_integer_length(a), zeros = bits / 64;
    if (length == 0 || bits == 0)
        return a;
    mp_limb_t *limbs = toi_arena_room(arena, length + zeros + 1);
    if (!limbs)
        return ZERO;
    memset(limbs, 0, (size_t)zeros * sizeof *limbs);
    limbs[zeros + length] = 0;
    if (bits % 64 > 0)
        limbs[zeros + length] = mpn_lshift(limbs + zeros, a.limbs, length, (unsigned)(bits % 64));
    else
        memcpy(limbs + zeros, a.limbs, (size_t)length * sizeof *limbs);
    return toi_arena_accept(arena, limbs, zeros + length + 1, a.size < 0);
}

toi_integer toi_integer_divide(toi_arena *arena, toi_integer a, toi_integer b)
{
    int64_t na = toi_integer_length(a), nb = toi_integer_length(b);
    if (nb == 0 || na < nb)
        return ZERO;
    mp_limb_t *quotient = toi_arena_room(arena, na + 1);
    if (!quotient)
        return ZERO;
    mpn_tdiv_qr(quotient, quotient + (na - nb + 1), 0, a.limbs, na, b.limbs, nb);
    return toi_arena_accept(arena, quotient, na - nb + 1, false);
}

toi_integer toi_integer_quotient(toi_arena *arena, toi_integer a, toi_integer b)
{
    toi_integer x = {a.limbs, toi_integer_length(a)}, y = {b.limbs, toi_integer_length(b)};
    toi_integer quotient = toi_integer_divide(arena, x, y);
    return (a.size < 0) != (b.size < 0) ? toi_integer_negate(quotient) : quotient;
}

toi_integer toi_integer_square_root(toi_arena *arena, toi_integer a)
{
    int64_t length = toi_integer_length(a);
    mp_limb_t *root = toi_arena_room(arena, length);
    if (!root || length == 0)
        return ZERO;
    mpn_sqrtrem(root, NULL, a.limbs, length);
    return toi_arena_accept(arena, root, (length + 1) / 2, false);
}

int toi_integer_compare(toi_integer a, toi_integer b)
{
    if ((a.size < 0) != (b.size < 0))
        return a.size < 0 ? -1 : 1;
    int order = compare_magnitudes(a, b);
    return a.size < 0 ? -order : order;
}

// ---- Sums of products

toi_sum toi_sum_open(toi_arena *arena, int64_t limbs)
{
    toi_sum sum = {toi_arena_room(arena, 2 * limbs + 1), limbs + 1};
    for (int64_t i = 0; sum.limbs && i <= limbs; ++i)
        sum.limbs[i] = 0;
    return sum;
}

// The product is written behind the sum.
void toi_sum_add(toi_sum *sum, toi_integer a, toi_integer b)
{
    if (a.size == 0 || b.size == 0 || !sum->limbs)
        return;
    mp_limb_t *limbs = sum->limbs, *product = limbs + sum->length;
    int64_t length = product_length(a, b);
    multiply_magnitudes(product, a, b);
    if ((a.size < 0) == (b.size < 0)) {
        mp_limb_t carry = mpn_add_n(limbs, limbs, product, length);
        for (int64_t i = length; carry && i < sum->length; ++i)
            carry = ++limbs[i] == 0;
    } else {
        mp_limb_t borrow = mpn_sub_n(limbs, limbs, product, length);
        for (int64_t i = length; borrow && i < sum->length; ++i)
            borrow = limbs[i]-- == 0;
    }
}

toi_integer toi_sum_take(toi_arena *arena, toi_sum *sum)
{
    if (!sum->limbs)
        return ZERO;
    bool negative = sum->limbs[sum->length - 1] >> 63 != 0;
    if (negative)
        mpn_neg(sum->limbs, sum->limbs, sum->length);
    return toi_arena_accept(arena, sum->limbs, sum->length, negative);
}

// ---- Dyadic numbers

toi_dyadic toi_dyadic_from_double(toi_arena *arena, double x)
{
    uint64_t pattern;
    memcpy(&pattern, &x, sizeof pattern);
    int exponent = (int)(pattern >> 52);
    uint64_t m = pattern & ((UINT64_C(1) << 52) - 1);
    if (exponent > 0)
        m |= UINT64_C(1) << 52;
    else
        exponent = 1;
    if (m == 0)
        return (toi_dyadic){ZERO, 0};
    int zeros = __builtin_ctzll(m);
    int64_t bits = 1075 - exponent - zeros;
    return (toi_dyadic){toi_integer_from_word(arena, m >> zeros), bits};
}

double toi_dyadic_floor(toi_dyadic x, bool *is_exact)
{
    *is_exact = true;
    if (x.m.size == 0)
        return 0;
    int64_t unit = toi_integer_bits(x.m) - x.bits - 53; // the exponent of the last place
    if (unit < -1074)
        unit = -1074;
    int64_t dropped = x.bits + unit; // how many low bits of m the double has no room for
    if (dropped <= 0)
        return ldexp((double)x.m.limbs[0], (int)-x.bits);
    *is_exact = (int64_t)mpn_scan1(x.m.limbs, 0) >= dropped;
    if (dropped >= toi_integer_bits(x.m))
        return 0;
    int64_t limb = dropped / 64;
    toi_uint128 window = x.m.limbs[limb];
    if (limb + 1 < toi_integer_length(x.m))
        window |= (toi_uint128)x.m.limbs[limb + 1] << 64;
    return ldexp((double)(uint64_t)(window >> (dropped % 64)), (int)unit);
}

int toi_dyadic_compare(toi_arena *arena, toi_dyadic a, toi_dyadic b)
{
    toi_mark mark = toi_arena_mark(arena);
    if (a.bits < b.bits)
        a.m = toi_integer_shift(arena, a.m, b.bits - a.bits);
    else
        b.m = toi_integer_shift(arena, b.m, a.bits - b.bits);
    int order = toi_integer_compare(a.m, b.m);
    toi_arena_release(arena, mark);
    return order;
}
