// Certificates of times: making, comparing and printing them.

#include "exact/time.h"

#include "base/fp_mode.h"
#include "exact/roots.h"

static void set_number(mpz_t to, toi_integer from)
{
    mpz_t view;
    mpz_init_set(to, mpz_roinit_n(view, from.limbs, from.size));
}

// Divides by the greatest common divisor of the coefficients and makes the leading one positive.
static void make_primitive(toi_exact_time *time)
{
    mpz_t divisor;
    mpz_init(divisor);
    for (int i = 0; i <= time->degree; ++i)
        mpz_gcd(divisor, divisor, time->c[i]);
    if (mpz_sgn(time->c[time->degree]) < 0) {
        mpz_neg(divisor, divisor);
        time->sign = -time->sign;
    }
    for (int i = 0; i <= time->degree; ++i)
        mpz_divexact(time->c[i], time->c[i], divisor);
    mpz_clear(divisor);
}

// The coarsest grid that both bounds are on: one interval has one form.
static void reduce_bounds(toi_exact_time *time)
{
    mp_bitcnt_t zeros = (mp_bitcnt_t)time->bits;
    if (mpz_sgn(time->lo) != 0 && mpz_scan1(time->lo, 0) < zeros)
        zeros = mpz_scan1(time->lo, 0);
    if (mpz_sgn(time->hi) != 0 && mpz_scan1(time->hi, 0) < zeros)
        zeros = mpz_scan1(time->hi, 0);
    mpz_tdiv_q_2exp(time->lo, time->lo, zeros);
    mpz_tdiv_q_2exp(time->hi, time->hi, zeros);
    time->bits -= (int64_t)zeros;
}

toi_exact_time *toi_make_time(toi_arena *arena, toi_moment *moment)
{
    toi_make_square_free(arena, moment);
    toi_exact_time *time = arena->failed ? NULL : toi_allocate(sizeof *time);
    if (!time)
        return NULL;
    time->degree = moment->f.degree;
    for (int i = 0; i <= time->degree; ++i)
        set_number(time->c[i], moment->f.c[i]);
    set_number(time->lo, moment->lo);
    set_number(time->hi, moment->hi);
    time->bits = moment->bits;
    time->sign = moment->sign;
    time->is_double = moment->is_double;
    time->floor = moment->floor;
    make_primitive(time);
    reduce_bounds(time);
    return time;
}

void toi_free_exact_time(toi_exact_time *time)
{
    if (!time)
        return;
    for (int i = 0; i <= time->degree; ++i)
        mpz_clear(time->c[i]);
    mpz_clears(time->lo, time->hi, NULL);
    toi_release(time);
}

static toi_integer view_number(const mpz_t z)
{
    return (toi_integer){mpz_limbs_read(z), mpz_sgn(z) * (int64_t)mpz_size(z)};
}

toi_moment toi_view_time(const toi_exact_time *time)
{
    toi_moment moment = {.f.degree = time->degree,
                         .lo = view_number(time->lo),
                         .hi = view_number(time->hi),
                         .bits = time->bits,
                         .sign = time->sign,
                         .is_double = time->is_double,
                         .floor = time->floor};
    for (int i = 0; i <= time->degree; ++i)
        moment.f.c[i] = view_number(time->c[i]);
    return moment;
}

double toi_exact_time_floor(const toi_exact_time *time)
{
    return time->floor;
}

bool toi_exact_time_is_double(const toi_exact_time *time)
{
    return time->is_double;
}

// No double is between the floor and the time.
int toi_exact_time_compare_double(const toi_exact_time *time, double other)
{
    TOI_GUARD_FP;
    if (other == time->floor)
        return time->is_double ? 0 : 1;
    return other > time->floor ? -1 : 1;
}

toi_status toi_exact_time_compare(const toi_exact_time *time, const toi_exact_time *other,
                                  int *order)
{
    TOI_GUARD_FP;
    enum
    {
        LIMBS = 512 // more come from the heap
    };
    _Alignas(16) mp_limb_t memory[LIMBS];
    toi_arena arena;
    toi_moment a = toi_view_time(time), b = toi_view_time(other);
    *order = 0;
    toi_arena_open(&arena, memory, sizeof memory);
    int found = toi_moment_compare(&arena, &a, &b);
    bool failed = arena.failed;
    toi_arena_close(&arena);
    if (failed)
        return TOI_ERROR_MEMORY;
    *order = found;
    return TOI_OK;
}

int toi_exact_time_degree(const toi_exact_time *time)
{
    return time->degree;
}

static char *write_number(const mpz_t z)
{
    char *text = toi_allocate(mpz_sizeinbase(z, 10) + 2);
    return text ? mpz_get_str(text, 10, z) : NULL;
}

char *toi_exact_time_coefficient(const toi_exact_time *time, int power)
{
    return power >= 0 && power <= time->degree ? write_number(time->c[power]) : NULL;
}

toi_status toi_exact_time_bounds(const toi_exact_time *time, char **lo, char **hi, int64_t *bits)
{
    *bits = time->bits;
    *lo = write_number(time->lo);
    *hi = *lo ? write_number(time->hi) : NULL;
    if (*hi)
        return TOI_OK;
    toi_release(*lo);
    *lo = NULL;
    return TOI_ERROR_MEMORY;
}
