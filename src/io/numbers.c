// Parses doubles and integers from text, whatever the locale.

#include "io/numbers.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

// A decimal number in parts: (negative ? -1 : 1) * mantissa * 10^exponent.
typedef struct decimal
{
    uint64_t mantissa;
    int64_t exponent;
    int digits; // significant ones; the mantissa only holds them all if at most 19
    bool negative;
} decimal;

// Longer words are refused: the exact decimal expansion of any double has at most 1,077 characters
// without an exponent, so nothing that was written in earnest is lost.
#define MAX_LENGTH 2047

// 10^0 to 10^22 are exactly doubles.
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const char *scan_digits(const char *at, const char *end, decimal *number)
{
    for (; at < end && toi_is_digit(*at); ++at) {
        number->digits += number->digits > 0 || *at != '0';
        if (number->digits <= 19)
            number->mantissa = number->mantissa * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

// Returns NULL if there is no number behind the e.
static const char *scan_exponent(const char *at, const char *end, decimal *number)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    if (at == end)
        return NULL;
    int64_t exponent = 0;
    for (; at < end && toi_is_digit(*at); ++at)
        if (exponent < 100000) // enough to be 0 or infinite with any mantissa of MAX_LENGTH digits
            exponent = exponent * 10 + (*at - '0');
    number->exponent += negative ? -exponent : exponent;
    return at;
}

static bool scan(toi_span word, decimal *number)
{
    const char *at = word.at;
    const char *end = word.at + word.size;
    *number = (decimal){0};
    if (at < end && (*at == '-' || *at == '+'))
        number->negative = *at++ == '-';
    const char *start = at;
    at = scan_digits(at, end, number);
    int64_t written = at - start;
    if (at < end && *at == '.') {
        const char *point = ++at;
        at = scan_digits(at, end, number);
        number->exponent = point - at;
        written += at - point;
    }
    if (written == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        at = scan_exponent(at + 1, end, number);
    return at == end;
}

static bool names_infinite(toi_span word)
{
    if (word.size > 0 && (*word.at == '-' || *word.at == '+'))
        word = (toi_span){word.at + 1, word.size - 1};
    // Some writers add a payload, "nan(ind)" or "nan(0x8000)".
    if (word.size > 4 && word.at[3] == '(')
        word.size = 3;
    return toi_span_is_any_case(word, "nan") || toi_span_is_any_case(word, "inf") ||
           toi_span_is_any_case(word, "infinity");
}

// strtod, in the C locale whatever the caller's is: a comma must not become the decimal point.
static double to_double(toi_span word)
{
    char copy[MAX_LENGTH + 1];
    memcpy(copy, word.at, word.size);
    copy[word.size] = '\0';
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(copy, NULL, locale);
    freelocale(locale);
    return value;
}

toi_number_kind toi_parse_double_slowly(toi_span word, double *value)
{
    decimal number;
    if (!scan(word, &number) || word.size > MAX_LENGTH)
        return names_infinite(word) ? TOI_NUMBER_INFINITE : TOI_NUMBER_NONE;
    *value = to_double(word);
    return isfinite(*value) ? TOI_NUMBER_FINITE : TOI_NUMBER_INFINITE;
}

toi_number_kind toi_parse_double(toi_span word, double *value)
{
    // With both parts exact, one operation rounds once (Clinger 1990). A mantissa that lacks digits
    // is greater than this, too.
    decimal number;
    if (!scan(word, &number) || number.mantissa > UINT64_C(1) << 53 || number.exponent > 22 ||
        number.exponent < -22)
        return toi_parse_double_slowly(word, value);
    double mantissa = (double)number.mantissa;
    double magnitude = number.exponent < 0 ? mantissa / powers[-number.exponent]
                                           : mantissa * powers[number.exponent];
    *value = number.negative ? -magnitude : magnitude;
    return TOI_NUMBER_FINITE;
}

bool toi_parse_integer(toi_span word, int64_t *value)
{
    const char *at = word.at;
    const char *end = word.at + word.size;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    if (at == end)
        return false;
    uint64_t magnitude = 0;
    for (; at < end; ++at) {
        if (!toi_is_digit(*at) || magnitude > (INT64_MAX - 9) / 10)
            return false;
        magnitude = magnitude * 10 + (uint64_t)(*at - '0');
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

toi_status toi_text_coordinate(const toi_text *text, toi_span word, double *value)
{
    switch (toi_parse_double(word, value)) {
    case TOI_NUMBER_FINITE:
        return TOI_OK;
    case TOI_NUMBER_INFINITE:
        return toi_text_fail(text, TOI_ERROR_DATA, "the coordinate \"%s\" is not finite",
                             toi_quote(word).text);
    default:
        return toi_text_fail_word(text, word, "a coordinate");
    }
}
