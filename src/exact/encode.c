// Certificates as bytes: docs/truth.md, "Certificates".
//
// One certificate has one form: numbers without leading zeros, the polynomial primitive with a
// positive leading coefficient, the interval on the coarsest grid and inside the gap between two
// neighbouring doubles. So the floor can be read off the interval, and what is decoded encodes to
// the same bytes.

#include "base/fp_mode.h"
#include "exact/time.h"

#include <inttypes.h>
#include <string.h>

enum
{
    DEGREE_MASK = 3,
    POINT_FLAG = 4,
    SIGN_SHIFT = 3, // from this bit on: which of c0, c1, c2 are negative
    // Close roots are kept apart at places of 64 * 2^k bits, of which 16384 always suffice.
    MOST_BITS = 16384
};

// ---- Writing

static int64_t number_bytes(const mpz_t z)
{
    return mpz_sgn(z) == 0 ? 0 : (int64_t)(mpz_sizeinbase(z, 2) + 7) / 8;
}

// A count in groups of seven bits, the lowest first, with the top bit set in all but the last.
static int64_t count_bytes(int64_t count)
{
    int64_t bytes = 1;
    while (count >>= 7)
        ++bytes;
    return bytes;
}

static uint8_t *put_count(uint8_t *at, int64_t count)
{
    for (; count >= 128; count >>= 7)
        *at++ = (uint8_t)(count | 128);
    *at++ = (uint8_t)count;
    return at;
}

static uint8_t *put_number(uint8_t *at, const mpz_t z)
{
    size_t written;
    at = put_count(at, number_bytes(z));
    mpz_export(at, &written, -1, 1, 0, 0, z);
    return at + written;
}

static int64_t encoded_bytes(const toi_exact_time *time, const mpz_t width)
{
    int64_t bytes = 1 + count_bytes(time->bits);
    for (int i = 0; i <= time->degree; ++i)
        bytes += count_bytes(number_bytes(time->c[i])) + number_bytes(time->c[i]);
    bytes += count_bytes(number_bytes(time->lo)) + number_bytes(time->lo);
    if (time->sign != 0)
        bytes += count_bytes(number_bytes(width)) + number_bytes(width);
    return bytes;
}

int64_t toi_encode_exact_time(const toi_exact_time *time, void *bytes, int64_t capacity)
{
    mpz_t width;
    mpz_init(width);
    mpz_sub(width, time->hi, time->lo);
    int64_t size = encoded_bytes(time, width);
    if (size <= capacity) {
        uint8_t *at = bytes;
        int first = time->degree | (time->sign == 0 ? POINT_FLAG : 0);
        for (int i = 0; i < time->degree; ++i)
            first |= (mpz_sgn(time->c[i]) < 0) << (SIGN_SHIFT + i);
        *at++ = (uint8_t)first;
        for (int i = 0; i <= time->degree; ++i)
            at = put_number(at, time->c[i]);
        at = put_count(at, time->bits);
        at = put_number(at, time->lo);
        if (time->sign != 0)
            put_number(at, width);
    }
    mpz_clear(width);
    return size;
}

// ---- Reading

typedef struct reader
{
    const uint8_t *at;
    const uint8_t *end;
    bool failed; // the bytes end too early, or a number is not in its shortest form
} reader;

static int64_t take_count(reader *from)
{
    int64_t count = 0;
    for (int shift = 0; shift < 28 && from->at < from->end; shift += 7) {
        int64_t group = *from->at++;
        count |= (group & 127) << shift;
        if (group < 128) {
            from->failed |= group == 0 && shift > 0;
            return count;
        }
    }
    from->failed = true;
    return 0;
}

static void take_number(reader *from, mpz_t z)
{
    int64_t count = take_count(from);
    if (count > from->end - from->at || (count > 0 && from->at[count - 1] == 0))
        from->failed = true;
    if (from->failed)
        return;
    mpz_import(z, (size_t)count, -1, 1, 0, 0, from->at);
    from->at += count;
}

static toi_status refuse(const char *what)
{
    return toi_fail(TOI_ERROR_FORMAT, "not a certificate of a time: %s", what);
}

// Reads the numbers, which are initialised, and checks their form alone.
static toi_status read_numbers(toi_exact_time *time, int first, reader *from)
{
    for (int i = 0; i <= time->degree; ++i) {
        bool negative = first >> (SIGN_SHIFT + i) & 1;
        take_number(from, time->c[i]);
        from->failed |= negative && mpz_sgn(time->c[i]) == 0;
        if (negative)
            mpz_neg(time->c[i], time->c[i]);
    }
    time->bits = take_count(from);
    take_number(from, time->lo);
    if (!(first & POINT_FLAG)) {
        take_number(from, time->hi);
        from->failed |= mpz_sgn(time->hi) == 0;
    }
    mpz_add(time->hi, time->lo, time->hi);
    if (from->failed)
        return refuse("a number is cut off or not in its shortest form");
    if (from->at != from->end)
        return refuse("there are bytes after its end");
    if (mpz_sgn(time->c[time->degree]) <= 0)
        return refuse("the leading coefficient is not positive");
    return TOI_OK;
}

static bool is_primitive(const toi_exact_time *time)
{
    mpz_t divisor;
    mpz_init(divisor);
    for (int i = 0; i <= time->degree; ++i)
        mpz_gcd(divisor, divisor, time->c[i]);
    bool is_one = mpz_cmp_ui(divisor, 1) == 0;
    mpz_clear(divisor);
    return is_one;
}

// The interval is in [0, 1], on the coarsest grid, and no double is inside it. Finds the floor.
static toi_status check_bounds(toi_exact_time *time)
{
    if (time->bits > MOST_BITS || (int64_t)mpz_sizeinbase(time->hi, 2) > time->bits + 1)
        return refuse("its interval is not in [0, 1]");
    toi_moment moment = toi_view_time(time);
    bool hi_is_double;
    double ceiling = toi_dyadic_floor((toi_dyadic){moment.hi, moment.bits}, &hi_is_double);
    if (ceiling > 1 || (ceiling == 1 && !hi_is_double))
        return refuse("its interval is not in [0, 1]");
    if (time->bits > 0 && mpz_even_p(time->lo) && mpz_even_p(time->hi))
        return refuse("its interval is not in its shortest form");
    time->floor = toi_dyadic_floor((toi_dyadic){moment.lo, moment.bits}, &time->is_double);
    uint64_t below, above;
    memcpy(&below, &time->floor, sizeof below);
    memcpy(&above, &ceiling, sizeof above);
    if (above - below > (hi_is_double ? 1 : 0)) // patterns are in the order of the doubles
        return refuse("there is a double inside its interval");
    return TOI_OK;
}

// Has the polynomial, whose signs at the ends differ, one root between them and no multiple one?
// Of an odd number of roots a quadratic has one, and a cubic one or three, which Sturm's sequence
// tells.
static bool isolates(toi_arena *arena, const toi_moment *moment)
{
    if (moment->f.degree < 3)
        return true;
    toi_sturm sturm = toi_sturm_sequence(arena, &moment->f);
    int at_lo[4], at_hi[4];
    if (sturm.s[sturm.length - 1].degree != 0)
        return false;
    for (int i = 0; i < sturm.length; ++i) {
        at_lo[i] =
            toi_polynomial_sign_at(arena, &sturm.s[i], (toi_dyadic){moment->lo, moment->bits});
        at_hi[i] =
            toi_polynomial_sign_at(arena, &sturm.s[i], (toi_dyadic){moment->hi, moment->bits});
    }
    return toi_count_changes(at_lo, sturm.length) - toi_count_changes(at_hi, sturm.length) == 1;
}

// The number that polynomial and interval stand for exists, and there is one only.
static toi_status check_root(toi_arena *arena, toi_exact_time *time)
{
    toi_moment moment = toi_view_time(time);
    time->sign = toi_polynomial_sign_at(arena, &moment.f, (toi_dyadic){moment.lo, moment.bits});
    if (toi_integer_compare(moment.lo, moment.hi) == 0) {
        if (time->degree != 1 || !time->is_double || time->sign != 0)
            return refuse("the double it names is not the root of a linear polynomial");
        return TOI_OK;
    }
    time->is_double = false;
    int sign_hi = toi_polynomial_sign_at(arena, &moment.f, (toi_dyadic){moment.hi, moment.bits});
    if (time->sign * sign_hi != -1)
        return refuse("the polynomial does not change its sign over the interval");
    if (!isolates(arena, &moment))
        return refuse("the polynomial has three roots in the interval, or a multiple one");
    return TOI_OK;
}

static toi_status check_time(toi_exact_time *time)
{
    enum
    {
        LIMBS = 1024 // more come from the heap
    };
    toi_status status = check_bounds(time);
    if (status == TOI_OK && !is_primitive(time))
        status = refuse("the polynomial's coefficients have a common divisor");
    if (status != TOI_OK)
        return status;
    _Alignas(16) mp_limb_t memory[LIMBS];
    toi_arena arena;
    toi_arena_open(&arena, memory, sizeof memory);
    status = check_root(&arena, time);
    if (arena.failed)
        status = TOI_ERROR_MEMORY;
    toi_arena_close(&arena);
    return status;
}

toi_status toi_decode_exact_time(const void *bytes, int64_t size, toi_exact_time **time)
{
    TOI_GUARD_FP;
    reader from = {bytes, NULL, false};
    *time = NULL;
    if (size < 1 || size > TOI_EXACT_TIME_BYTES)
        return toi_fail(TOI_ERROR_FORMAT,
                        "not a certificate of a time: it has %" PRId64 " bytes instead of 1 to %d",
                        size, TOI_EXACT_TIME_BYTES);
    from.end = from.at + size;
    int first = *from.at++, degree = first & DEGREE_MASK;
    if (degree == 0 || first >> (SIGN_SHIFT + degree) != 0)
        return refuse("its first byte is not a degree with flags");
    toi_exact_time *read = toi_allocate(sizeof *read);
    if (!read)
        return TOI_ERROR_MEMORY;
    *read = (toi_exact_time){.degree = degree};
    for (int i = 0; i <= degree; ++i)
        mpz_init(read->c[i]);
    mpz_inits(read->lo, read->hi, NULL);
    toi_status status = read_numbers(read, first, &from);
    if (status == TOI_OK)
        status = check_time(read);
    if (status == TOI_OK)
        *time = read;
    else
        toi_free_exact_time(read);
    return status;
}
