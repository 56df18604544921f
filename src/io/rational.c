// Parses rationals that must be doubles, and splits doubles into rationals.

#include "io/rational.h"

#include "io/builder.h"

#include <math.h>

// Two words hold 38 digits: all that a file of doubles of everyday size has.
__extension__ typedef unsigned __int128 wide;

enum
{
    CHUNK_DIGITS = 19, // fit in one word
    WIDE_DIGITS = 2 * CHUNK_DIGITS
};

void toi_open_rationals(toi_rational_reader *reader)
{
    *reader = (toi_rational_reader){.digits = NULL};
    mpz_inits(reader->numerator, reader->denominator, reader->quotient, NULL);
}

void toi_close_rationals(toi_rational_reader *reader)
{
    mpz_clears(reader->numerator, reader->denominator, reader->quotient, NULL);
    toi_release(reader->digits);
}

static bool strip_sign(toi_span *digits)
{
    bool negative = *digits->at == '-';
    if (negative || *digits->at == '+')
        *digits = (toi_span){digits->at + 1, digits->size - 1};
    return negative;
}

static uint64_t parse_chunk(const char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
        value = value * 10 + (uint64_t)(at[i] - '0');
    return value;
}

// At most WIDE_DIGITS digits.
static wide parse_wide(toi_span digits)
{
    if (digits.size <= CHUNK_DIGITS)
        return parse_chunk(digits.at, digits.size);
    size_t rest = digits.size - CHUNK_DIGITS;
    wide scale = UINT64_C(10000000000000000000);
    return parse_chunk(digits.at, rest) * scale + parse_chunk(digits.at + rest, CHUNK_DIGITS);
}

static int trailing_zeros(wide value)
{
    uint64_t low = (uint64_t)value;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(value >> 64));
}

// magnitude * 2^exponent, if that is a double; the magnitude is below 2^53.
static toi_rational scale(uint64_t magnitude, int64_t exponent, bool negative, double *value)
{
    // Beyond these the result is infinite or 0 whatever the magnitude, and ldexp takes an int.
    int shift = exponent > 2000 ? 2000 : exponent < -2000 ? -2000 : (int)exponent;
    double scaled = ldexp((double)magnitude, shift);
    if (isinf(scaled) || ldexp(scaled, -shift) != (double)magnitude)
        return TOI_RATIONAL_NOT_DOUBLE;
    *value = negative ? -scaled : scaled;
    return TOI_RATIONAL_EXACT;
}

static toi_status set_integer(toi_rational_reader *reader, mpz_t integer, toi_span digits)
{
    toi_status status =
        toi_grow(&reader->digits, 0, &reader->capacity, (int64_t)digits.size + 1, 1);
    if (status != TOI_OK)
        return status;
    memcpy(reader->digits, digits.at, digits.size);
    reader->digits[digits.size] = '\0';
    mpz_set_str(integer, reader->digits, 10);
    return TOI_OK;
}

// Takes all factors 2 out of an integer that is not 0 and returns how many there were.
static int64_t remove_twos(mpz_t integer)
{
    mp_bitcnt_t twos = mpz_scan1(integer, 0);
    mpz_tdiv_q_2exp(integer, integer, twos);
    return (int64_t)twos;
}

toi_rational toi_read_rational_slowly(toi_rational_reader *reader, toi_span numerator,
                                      toi_span denominator, double *value)
{
    bool negative = strip_sign(&numerator) != strip_sign(&denominator);
    if (set_integer(reader, reader->numerator, numerator) != TOI_OK ||
        set_integer(reader, reader->denominator, denominator) != TOI_OK)
        return TOI_RATIONAL_NO_MEMORY;
    if (mpz_sgn(reader->denominator) == 0)
        return TOI_RATIONAL_UNDEFINED;
    if (mpz_sgn(reader->numerator) == 0)
        return scale(0, 0, negative, value);
    // A double is an integer times a power of two: what is left of the denominator must divide.
    int64_t exponent = remove_twos(reader->numerator) - remove_twos(reader->denominator);
    if (!mpz_divisible_p(reader->numerator, reader->denominator))
        return TOI_RATIONAL_NOT_DOUBLE;
    mpz_divexact(reader->quotient, reader->numerator, reader->denominator);
    if (mpz_sizeinbase(reader->quotient, 2) > 53)
        return TOI_RATIONAL_NOT_DOUBLE;
    uint64_t magnitude = 0;
    mpz_export(&magnitude, NULL, -1, sizeof magnitude, 0, 0, reader->quotient);
    return scale(magnitude, exponent, negative, value);
}

toi_rational toi_read_rational(toi_rational_reader *reader, toi_span numerator,
                               toi_span denominator, double *value)
{
    toi_span top = numerator;
    toi_span bottom = denominator;
    bool negative = strip_sign(&top) != strip_sign(&bottom);
    if (top.size > WIDE_DIGITS || bottom.size > WIDE_DIGITS)
        return toi_read_rational_slowly(reader, numerator, denominator, value);
    wide divisor = parse_wide(bottom);
    if (divisor == 0 || (divisor & (divisor - 1)) != 0)
        return toi_read_rational_slowly(reader, numerator, denominator, value);
    wide magnitude = parse_wide(top);
    if (magnitude == 0)
        return scale(0, 0, negative, value);
    int twos = trailing_zeros(magnitude);
    magnitude >>= twos;
    if (magnitude >> 53)
        return TOI_RATIONAL_NOT_DOUBLE;
    return scale((uint64_t)magnitude, twos - trailing_zeros(divisor), negative, value);
}

bool toi_split_double(double value, mpz_t numerator, mpz_t denominator)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    // 2^53 times the fraction is a whole number, which mpz_set_d takes exactly.
    mpz_set_d(numerator, ldexp(fraction, 53));
    mpz_set_ui(denominator, 1);
    if (mpz_sgn(numerator) == 0)
        return signbit(value);
    int64_t shift = remove_twos(numerator) + exponent - 53;
    if (shift >= 0)
        mpz_mul_2exp(numerator, numerator, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(denominator, denominator, (mp_bitcnt_t)-shift);
    return false;
}
