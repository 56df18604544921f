// The numbers in files: decimals against strtod, whole numbers, rationals against GMP.

#include "io/numbers.h"
#include "io/rational.h"
#include "io_support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Numbers

// Random decimals of all shapes: the fast path must give strtod's bits.
static void doubles_agree_with_strtod(void **state)
{
    (void)state;
    toi_random random = {1};
    int fast = 0;
    for (int i = 0; i < 200000; ++i) {
        char word[64];
        uint64_t bits = toi_random_bits(&random) >> toi_random_below(&random, 64);
        int places = (int)toi_random_below(&random, 25);
        int exponent = (int)toi_random_below(&random, i % 2 ? 50 : 700) - (i % 2 ? 25 : 350);
        if (i % 3 == 0)
            snprintf(word, sizeof word, "%.*g", places, ldexp((double)bits, exponent));
        else
            snprintf(word, sizeof word, "%s%llu.%0*d%s%d", i % 4 ? "" : "-",
                     (unsigned long long)bits, places, i, i % 5 ? "e" : "E+", abs(exponent));
        toi_span span = {word, strlen(word)};
        double value = 0;
        double expected = 0;
        toi_number_kind number = toi_parse_double(span, &value);
        assert_int_equal(number, toi_parse_double_slowly(span, &expected));
        assert_memory_equal(&value, &expected, sizeof value);
        assert_true(expected == strtod(word, NULL));
        fast += strlen(word) < 12;
    }
    assert_true(fast > 1000);
}

static void number_words(void **state)
{
    (void)state;
    static const struct
    {
        const char *word;
        toi_number_kind number;
        double value;
    } cases[] = {
        {"0", TOI_NUMBER_FINITE, 0},
        {"-.5", TOI_NUMBER_FINITE, -0.5},
        {"5.", TOI_NUMBER_FINITE, 5},
        {"1e23", TOI_NUMBER_FINITE, 1e23},
        {"9007199254740993", TOI_NUMBER_FINITE, 9007199254740992}, // a tie, to even
        {"9007199254740993.00000000000000000001", TOI_NUMBER_FINITE, 9007199254740994},
        {"0.000000000000000000000000000000000000001", TOI_NUMBER_FINITE, 1e-39},
        {"4.9406564584124654e-324", TOI_NUMBER_FINITE, DBL_TRUE_MIN},
        {"1e-99999999999999999999", TOI_NUMBER_FINITE, 0},
        {"1.7976931348623157e308", TOI_NUMBER_FINITE, DBL_MAX},
        {"1.7976931348623159e308", TOI_NUMBER_INFINITE, 0},
        {"1e99999999999999999999", TOI_NUMBER_INFINITE, 0},
        {"nan", TOI_NUMBER_INFINITE, 0},
        {"-NaN", TOI_NUMBER_INFINITE, 0},
        {"nan(ind)", TOI_NUMBER_INFINITE, 0},
        {"+Inf", TOI_NUMBER_INFINITE, 0},
        {"-infinity", TOI_NUMBER_INFINITE, 0},
        {"", TOI_NUMBER_NONE, 0},
        {"-", TOI_NUMBER_NONE, 0},
        {".", TOI_NUMBER_NONE, 0},
        {"e5", TOI_NUMBER_NONE, 0},
        {"1e", TOI_NUMBER_NONE, 0},
        {"1e+", TOI_NUMBER_NONE, 0},
        {"1,5", TOI_NUMBER_NONE, 0},
        {"1.5.2", TOI_NUMBER_NONE, 0},
        {"0x1p3", TOI_NUMBER_NONE, 0},
        {"1f", TOI_NUMBER_NONE, 0},
        {"--1", TOI_NUMBER_NONE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double value = 0;
        toi_span word = {cases[i].word, strlen(cases[i].word)};
        assert_int_equal(toi_parse_double(word, &value), cases[i].number);
        if (cases[i].number == TOI_NUMBER_FINITE)
            assert_true(value == cases[i].value);
    }
}

// In many countries strtod reads "1.5" as 1.
static void comma_locales_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (int i = 0; !set && i < 4; ++i)
        set = setlocale(LC_ALL, names[i]);
    if (!set) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    double value;
    toi_span word = {BYTES("1.50000000000000000000000001")}; // long enough for the slow path
    assert_int_equal(toi_parse_double(word, &value), TOI_NUMBER_FINITE);
    setlocale(LC_ALL, "C");
    assert_true(value == 1.5);
}

static void integer_words(void **state)
{
    (void)state;
    int64_t value;
    assert_true(toi_parse_integer((toi_span){BYTES("-12")}, &value) && value == -12);
    assert_true(toi_parse_integer((toi_span){BYTES("+7")}, &value) && value == 7);
    assert_true(toi_parse_integer((toi_span){BYTES("922337203685477579")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("99999999999999999999")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("18446744073709551617")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("1.0")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("-")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("")}, &value));
}

// ---- Rationals

static toi_span span_of(const char *text)
{
    return (toi_span){text, strlen(text)};
}

// Both ways of reading a rational must agree, on rationals near the limits of each.
static void rationals_agree_with_gmp(void **state)
{
    (void)state;
    toi_random random = {3};
    toi_rational_reader reader;
    toi_open_rationals(&reader);
    mpz_t number;
    mpz_init(number);
    int outcomes[4] = {0};
    for (int i = 0; i < 50000; ++i) {
        char top[128];
        char bottom[128];
        mpz_set_d(number, (double)(toi_random_bits(&random) >> (toi_random_below(&random, 64))));
        mpz_mul_2exp(number, number, toi_random_below(&random, 70));
        mpz_add_ui(number, number, i % 7 == 0);
        gmp_snprintf(top, sizeof top, "%s%Zd", i % 2 ? "-" : "", number);
        mpz_set_ui(number, i % 5 ? 1 : i % 11);
        mpz_mul_2exp(number, number, toi_random_below(&random, 130));
        gmp_snprintf(bottom, sizeof bottom, "%s%Zd", i % 13 ? "" : "-", number);
        double value = 0;
        double expected = 0;
        toi_rational outcome =
            toi_read_rational_slowly(&reader, span_of(top), span_of(bottom), &expected);
        assert_int_equal(toi_read_rational(&reader, span_of(top), span_of(bottom), &value),
                         outcome);
        assert_memory_equal(&value, &expected, sizeof value);
        ++outcomes[outcome];
    }
    mpz_clear(number);
    toi_close_rationals(&reader);
    for (int i = 0; i < 3; ++i)
        assert_true(outcomes[i] > 100);
}

static void power_of_two(char *text, unsigned exponent, int add)
{
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 2, exponent);
    if (add < 0)
        mpz_sub_ui(power, power, (unsigned)-add);
    mpz_add_ui(power, power, add > 0 ? (unsigned)add : 0);
    mpz_get_str(text, 10, power);
    mpz_clear(power);
}

static void expect_rational(const char *top, const char *bottom, toi_rational expected,
                            double expected_value)
{
    toi_rational_reader reader;
    toi_open_rationals(&reader);
    double value = NAN;
    assert_int_equal(toi_read_rational(&reader, span_of(top), span_of(bottom), &value), expected);
    if (expected == TOI_RATIONAL_EXACT)
        assert_memory_equal(&value, &expected_value, sizeof value);
    toi_close_rationals(&reader);
}

static void rational_limits(void **state)
{
    (void)state;
    char text[512];
    expect_rational("3", "6", TOI_RATIONAL_EXACT, 0.5);
    expect_rational("1", "3", TOI_RATIONAL_NOT_DOUBLE, 0);
    expect_rational("-0", "1", TOI_RATIONAL_EXACT, -0.0);
    expect_rational("0", "7", TOI_RATIONAL_EXACT, 0);
    expect_rational("-3", "-2", TOI_RATIONAL_EXACT, 1.5);
    expect_rational("0", "0", TOI_RATIONAL_UNDEFINED, 0);
    expect_rational("00000000000000000000000000000000000000000000000000001", "2",
                    TOI_RATIONAL_EXACT, 0.5);
    power_of_two(text, 53, 1);
    expect_rational(text, "1", TOI_RATIONAL_NOT_DOUBLE, 0);
    power_of_two(text, 1023, 0);
    expect_rational(text, "1", TOI_RATIONAL_EXACT, 0x1p1023);
    power_of_two(text, 1024, 0);
    expect_rational(text, "1", TOI_RATIONAL_NOT_DOUBLE, 0);
    expect_rational(text, "4", TOI_RATIONAL_EXACT, 0x1p1022);
    power_of_two(text, 1074, 0);
    expect_rational("-1", text, TOI_RATIONAL_EXACT, -DBL_TRUE_MIN);
    expect_rational("3", text, TOI_RATIONAL_EXACT, 3 * DBL_TRUE_MIN);
    power_of_two(text, 1075, 0);
    expect_rational("1", text, TOI_RATIONAL_NOT_DOUBLE, 0);
    expect_rational("3", text, TOI_RATIONAL_NOT_DOUBLE, 0); // would round to even
    expect_rational("2", text, TOI_RATIONAL_EXACT, DBL_TRUE_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_agree_with_strtod),    cmocka_unit_test(number_words),
        cmocka_unit_test(comma_locales_change_nothing), cmocka_unit_test(integer_words),
        cmocka_unit_test(rationals_agree_with_gmp),     cmocka_unit_test(rational_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
