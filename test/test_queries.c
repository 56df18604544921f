// Files of queries, in rationals: by hand, bad ones, and what the writer makes of queries.

#include "io/rational.h"
#include "io_support.h"

#include <float.h>
#include <string.h>

// ---- Reading

#define ROW "1,2,-3,4,5,1"
#define SIX_ROWS ROW "\n" ROW "\n" ROW "\n" ROW "\n" ROW "\n" ROW "\n"
#define ROWS_OF(row) row "\n" row "\n" row "\n" row "\n" row "\n" row "\n" row "\n" row "\n"

static void query_text(void **state)
{
    (void)state;
    static const char text[] =
        "x_num,x_den,y_num,y_den,z_num,z_den,hit\r\n"
        "1,2,0,1,0,1,1\r\n\r\n"
        "2,2 , 0,1,0,1,1\n3,2,0,1,0,1,1\n4,2,0,1,0,1,1\n5,2,0,1,0,1,1\n"
        "6,2,0,1,0,1,1\n7,2,0,1,0,1,1\n8,2,0,1,-1,8388608,1\n\n" ROWS_OF(ROW ",0");
    toi_query_file file;
    assert_ok(toi_parse_queries("a", BYTES(text), &file));
    assert_int_equal(file.count, 2);
    for (int i = 0; i < 4; ++i) {
        assert_true(file.queries[0].start[i][0] == (i + 1) / 2.0);
        assert_true(file.queries[0].end[i][0] == (i + 5) / 2.0);
        assert_true(file.queries[1].end[i][1] == -0.75);
    }
    assert_true(file.queries[0].end[3][2] == -0x1p-23);
    assert_true(file.hits[0]);
    assert_false(file.hits[1]);
    toi_free_query_file(&file);
    assert_null(file.queries);
}

static void queries_without_hits(void **state)
{
    (void)state;
    toi_query_file file;
    assert_ok(toi_parse_queries("a", BYTES(ROWS_OF(ROW)), &file));
    assert_int_equal(file.count, 1);
    assert_null(file.hits);
    toi_free_query_file(&file);
    assert_ok(toi_parse_queries("a", "", 0, &file));
    assert_int_equal(file.count, 0);
    assert_ok(toi_parse_queries("a", NULL, 0, &file));
}

// ---- Bad files

static const struct
{
    const char *data;
    size_t size;
    toi_status status;
    const char *message;
} bad_queries[] = {
    {BYTES(SIX_ROWS ROW "\n"), TOI_ERROR_FORMAT, "a:8: the last query has 7 of its 8 rows"},
    {BYTES(SIX_ROWS ROW "\n" ROW "\n" ROW), TOI_ERROR_FORMAT, "the last query has 1 of its 8 rows"},
    {BYTES("1,3,0,1,0,1\n"), TOI_ERROR_FORMAT, "a:1: 1/3 is not exactly a double"},
    {BYTES("\n0,1,0,1,9007199254740993,1\n"), TOI_ERROR_FORMAT,
     "a:2: 9007199254740993/1 is not exactly a double"},
    {BYTES("1,0,0,1,0,1\n"), TOI_ERROR_FORMAT, "a:1: the denominator is 0"},
    {BYTES("1,2,0,1,0\n"), TOI_ERROR_FORMAT, "a:1: a denominator is missing"},
    {BYTES("1,2,0,1\n"), TOI_ERROR_FORMAT, "a:1: fewer than six columns"},
    {BYTES("1,2,0,1,0,\n"), TOI_ERROR_FORMAT, "expected an integer, found the end of the line"},
    {BYTES("1,2,0,1,0,1,2\n"), TOI_ERROR_FORMAT, "expected 0 or 1 for the hit, found \"2\""},
    {BYTES("1,2,0,1,0,1,0,0\n"), TOI_ERROR_FORMAT, "more than seven columns"},
    {BYTES(ROW ",0\n" ROW ",1\n"), TOI_ERROR_FORMAT, "a:2: the hit differs"},
    {BYTES(ROW ",0\n" ROW "\n"), TOI_ERROR_FORMAT, "a:2: six columns, unlike the first row"},
    {BYTES(ROW "\n" ROW ",0\n"), TOI_ERROR_FORMAT, "a:2: more than six columns, unlike"},
    {BYTES("1.5,2,0,1,0,1\n"), TOI_ERROR_FORMAT, "expected an integer, found \"1.5\""},
    {BYTES("1 1,2,0,1,0,1\n"), TOI_ERROR_FORMAT, "expected an integer, found \"1 1\""},
    {BYTES("-,2,0,1,0,1\n"), TOI_ERROR_FORMAT, "expected an integer, found \"-\""},
    {BYTES("a,b,c,d,e,f\na,b,c,d,e,f\n"), TOI_ERROR_FORMAT, "a:2: expected an integer"},
    {BYTES("hello\n"), TOI_ERROR_FORMAT, "a:1: expected an integer, found \"hello\""},
    {BYTES("\0\xff\x80\n"), TOI_ERROR_FORMAT, "a:1: expected an integer, found \"???\""},
};

static void bad_queries_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_queries / sizeof *bad_queries; ++i) {
        toi_query_file file;
        toi_status status = toi_parse_queries("a", bad_queries[i].data, bad_queries[i].size, &file);
        if (status != bad_queries[i].status || !strstr(toi_last_message(), bad_queries[i].message))
            fail_msg("case %zu: %s, \"%s\" instead of \"%s\"", i, toi_status_name(status),
                     toi_last_message(), bad_queries[i].message);
        assert_null(file.queries);
        assert_int_equal(file.count, 0);
    }
}

static void too_long_integers_are_refused(void **state)
{
    (void)state;
    char *text = test_malloc(TOI_MAX_DIGITS + 2);
    memset(text, '1', TOI_MAX_DIGITS + 1);
    toi_query_file file;
    assert_fails(toi_parse_queries("a", text, TOI_MAX_DIGITS + 1, &file), TOI_ERROR_FORMAT,
                 "a:1: an integer of more than 100000 digits");
    // One digit less is read, and misses its denominator.
    assert_fails(toi_parse_queries("a", text, TOI_MAX_DIGITS, &file), TOI_ERROR_FORMAT,
                 "denominator");
    test_free(text);
}

// ---- Writing

static void query_round_trip(void **state)
{
    (void)state;
    enum
    {
        COUNT = 300
    };
    toi_random random = {5};
    toi_query queries[COUNT];
    bool hits[COUNT];
    double *values = queries[0].start[0];
    for (int i = 0; i < COUNT * 24; ++i)
        values[i] = i % 2 ? random_finite(&random) : toi_random_range(&random, -1, 1);
    const double special[] = {-0.0, 0,      DBL_TRUE_MIN, -DBL_MAX, DBL_MIN, 1,
                              -1,   0x1p63, 0x1p64,       0x1p-63,  0x1p-64, 0x1.fffffffffffffp-12};
    memcpy(values, special, sizeof special);
    for (int i = 0; i < COUNT; ++i)
        hits[i] = toi_random_below(&random, 2);
    for (int with = 0; with < 2; ++with) {
        toi_query_file file;
        const char *path = path_of("a.csv");
        assert_ok(toi_write_queries(path, queries, with ? hits : NULL, COUNT));
        assert_ok(toi_read_queries(path, &file));
        assert_int_equal(file.count, COUNT);
        assert_memory_equal(file.queries, queries, sizeof queries);
        if (with)
            assert_memory_equal(file.hits, hits, sizeof hits);
        else
            assert_null(file.hits);
        toi_free_query_file(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_text),
        cmocka_unit_test(queries_without_hits),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(too_long_integers_are_refused),
        cmocka_unit_test(query_round_trip),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
