// A face's third side, u + v <= 1, in the rows of a cell: every zero of the triangle is kept
// (docs/inclusion.md, section 5).
//
// Looks inside: the kernel is compiled into this file.

#include "kernel/inclusion.h"

#include "support.h"
#include "toi/random.h"

#include <gmp.h>
#include <stdlib.h>

// A row of the triangle u + v <= 1, and a zero (tau, mu, nu) of it: on the third side, or anywhere.
typedef struct side_case
{
    toi_inclusion_row row;
    toi_expansion x;
    double tau, mu, nu;
} side_case;

static double signed_size(toi_random *random, int sign)
{
    return sign * ldexp(toi_random_range(random, 0.5, 1), (int)toi_random_below(random, 40) - 30);
}

static side_case random_side_case(toi_random *random)
{
    toi_inclusion q = {.triangle = 1, .separation = 1};
    toi_cell cell;
    cell.lo[0] = 0, cell.hi[0] = ldexp(1, -(int)toi_random_below(random, 30));
    double width = ldexp(toi_random_unit(random), -(int)toi_random_below(random, 40));
    cell.lo[1] = toi_random_unit(random);
    cell.lo[2] = fmax((1 - cell.lo[1]) - 2 * width * toi_random_unit(random), 0);
    for (int a = 1; a < 3; ++a)
        cell.hi[a] = fmin(cell.lo[a] + width, 1);
    side_case c;
    toi_expand(&q, &cell, &c.x);
    int sign = toi_random_below(random, 2) ? 1 : -1;
    int other = toi_random_below(random, 8) ? sign : -sign;
    bool same = toi_random_below(random, 2); // the side meets the cube all at once
    c.row.slope[0] = signed_size(random, toi_random_below(random, 2) ? 1 : -1);
    c.row.slope[1] = signed_size(random, sign);
    c.row.slope[2] = same ? c.row.slope[1] : signed_size(random, other);
    c.row.mixed[0] = toi_random_below(random, 2) ? 0 : signed_size(random, 1) * 0x1p-20;
    c.row.mixed[1] = -c.row.mixed[0];
    c.row.slack = signed_size(random, 1);
    c.tau = c.x.radius[0] * toi_random_range(random, -0.999, 0.999);
    c.mu = toi_random_range(random, cell.lo[1], cell.hi[1]) - c.x.centre[1];
    c.nu = toi_random_range(random, cell.lo[2], cell.hi[2]) - c.x.centre[2];
    if (toi_random_below(random, 4))
        c.nu = ((1 - c.x.centre[1]) - c.x.centre[2]) - c.mu;
    return c;
}

// 1 - centre_u - centre_v - mu - nu, exactly, is not negative, and neither leaves its radius.
static bool is_in_the_triangle(const side_case *c, mpq_t sum, mpq_t x)
{
    mpq_set_ui(sum, 1, 1);
    const double terms[4] = {c->x.centre[1], c->x.centre[2], c->mu, c->nu};
    for (int i = 0; i < 4; ++i) {
        mpq_set_d(x, terms[i]);
        mpq_sub(sum, sum, x);
    }
    return mpq_sgn(sum) >= 0 && fabs(c->mu) <= c->x.radius[1] && fabs(c->nu) <= c->x.radius[2];
}

// Adds a b c, exactly.
static void add_product(mpq_t sum, double a, double b, double c)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_mul(x, x, y);
    mpq_set_d(y, c);
    mpq_mul(x, x, y);
    mpq_add(sum, sum, x);
    mpq_clears(x, y, NULL);
}

// Sets the row's value so that the zero satisfies it, with all of the slack used up to the last
// bit.
static void choose_value(side_case *c, int sign, mpq_t sum, mpq_t x)
{
    toi_inclusion_row *row = &c->row;
    mpq_set_ui(sum, 0, 1);
    add_product(sum, c->tau, row->slope[0], 1);
    add_product(sum, c->mu, row->slope[1], 1);
    add_product(sum, c->nu, row->slope[2], 1);
    add_product(sum, c->tau, c->mu, row->mixed[0]);
    add_product(sum, c->tau, c->nu, row->mixed[1]);
    mpq_set_d(x, sign * row->slack);
    mpq_sub(x, x, sum); // the value that would be just right
    row->value = mpq_get_d(x);
    mpq_t got;
    mpq_init(got);
    mpq_set_d(got, row->value);
    if (sign > 0 ? mpq_cmp(got, x) > 0 : mpq_cmp(got, x) < 0)
        row->value = nextafter(row->value, sign > 0 ? -INFINITY : INFINITY);
    mpq_clear(got);
}

static void the_third_side_cuts_off_no_zero(void **state)
{
    (void)state;
    toi_random random = {110};
    mpq_t sum, x;
    mpq_inits(sum, x, NULL);
    int64_t tried = 0, cut = 0;
    for (int64_t i = 0; i < cases(300000); ++i) {
        side_case c = random_side_case(&random);
        if (!is_in_the_triangle(&c, sum, x))
            continue;
        choose_value(&c, i % 2 ? 1 : -1, sum, x);
        double lo = -c.x.radius[0], hi = c.x.radius[0];
        cut += c.x.side < c.x.radius[1] + c.x.radius[2];
        ++tried;
        assert_true(toi_solve_row(&c.row, &c.x, 0, &lo, &hi));
        assert_true(lo <= c.tau && c.tau <= hi);
    }
    print_message("  %lld zeros, %lld where the side cuts the cell\n", (long long)tried,
                  (long long)cut);
    assert_true(cut > cases(300000) / 5);
    mpq_clears(sum, x, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_side_cuts_off_no_zero),
    };
    return cmocka_run_group_tests_name("inclusion_side", tests, NULL, NULL);
}
