// Writes queries as exact rationals in csv.

#include "base/fp_mode.h"
#include "base/status.h"
#include "io/output.h"
#include "io/rational.h"

#include <assert.h>
#include <math.h>

static toi_status check_queries(const toi_query *queries, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        for (int point = 0; point < 4; ++point)
            for (int axis = 0; axis < 3; ++axis)
                if (!isfinite(queries[i].start[point][axis]) ||
                    !isfinite(queries[i].end[point][axis]))
                    return toi_fail(TOI_ERROR_DATA,
                                    "query %lld has a coordinate that is not finite", (long long)i);
    return TOI_OK;
}

// Without GMP, for a double that is an integer of a word over a power of two of a word.
static bool write_small(FILE *file, double value)
{
    int exponent;
    int64_t magnitude = (int64_t)ldexp(frexp(fabs(value), &exponent), 53);
    if (magnitude == 0)
        return false;
    exponent -= 53;
    int twos = __builtin_ctzll((uint64_t)magnitude);
    if (exponent + twos > 0 || exponent + twos < -63)
        return false;
    fprintf(file, "%s%lld,%llu", value < 0 ? "-" : "", (long long)(magnitude >> twos),
            1ULL << -(exponent + twos));
    return true;
}

static void write_rational(FILE *file, double value, mpz_t numerator, mpz_t denominator)
{
    if (write_small(file, value))
        return;
    if (toi_split_double(value, numerator, denominator))
        putc('-', file);
    mpz_out_str(file, 10, numerator);
    putc(',', file);
    mpz_out_str(file, 10, denominator);
}

static void write_point(FILE *file, const double point[3], mpz_t numerator, mpz_t denominator)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (axis > 0)
            putc(',', file);
        write_rational(file, point[axis], numerator, denominator);
    }
}

static void write_rows(FILE *file, const toi_query *queries, const bool *hits, int64_t count)
{
    mpz_t numerator;
    mpz_t denominator;
    mpz_inits(numerator, denominator, NULL);
    for (int64_t i = 0; i < count && !ferror(file); ++i)
        for (int row = 0; row < 8; ++row) {
            const double *point = row < 4 ? queries[i].start[row] : queries[i].end[row - 4];
            write_point(file, point, numerator, denominator);
            if (hits)
                fputs(hits[i] ? ",1" : ",0", file);
            putc('\n', file);
        }
    mpz_clears(numerator, denominator, NULL);
}

toi_status toi_print_queries(FILE *file, const toi_query *queries, const bool *hits, int64_t count)
{
    TOI_GUARD_FP;
    assert(file && (queries || count <= 0));
    toi_status status = toi_check_count(count, "queries");
    if (status == TOI_OK)
        status = check_queries(queries, count);
    if (status == TOI_OK)
        write_rows(file, queries, hits, count);
    return status;
}

toi_status toi_write_queries(const char *path, const toi_query *queries, const bool *hits,
                             int64_t count)
{
    TOI_GUARD_FP;
    assert(path && (queries || count <= 0));
    toi_output output;
    toi_status status = toi_open_whole(path, &output);
    if (status != TOI_OK)
        return status;
    status = toi_print_queries(output.file, queries, hits, count);
    if (status == TOI_OK)
        return toi_close_output(&output);
    toi_discard_output(&output);
    return status;
}
