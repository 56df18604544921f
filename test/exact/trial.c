// Makes queries with a known contact, solves them and judges the answers.

#include "exact/trial.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

int64_t queries_checked;

static int64_t places_beyond;
static toi_query beyond; // the last of them

void print_query(toi_kind kind, const toi_query *query)
{
    const double *x = &query->start[0][0];
    print_error("%s", toi_kind_name(kind));
    for (int i = 0; i < 24; ++i)
        print_error("%s%a", i % 12 == 0 ? (i ? "\n  end   " : "\n  start ") : " ", x[i]);
    print_error("\n");
}

void print_failure(const toi_narrow_def *def, toi_kind kind, const contact *c,
                   const toi_query_result *r)
{
    print_query(kind, &c->query);
    print_error("  touches at t = %a, u = %a, v = %a; separation %a\n", c->time, c->u, c->v,
                c->separation);
    print_error("  tolerance %a, min_separation %a, t_max %a, max_iterations %d, no_zero_time %d\n",
                def->tolerance, def->min_separation, def->t_max, (int)def->max_iterations,
                (int)def->no_zero_time);
    print_error("  got %s, time %a after %d iterations\n", toi_state_name(r->state), r->time,
                (int)r->iterations);
}

bool well_formed(const toi_narrow_def *def, const toi_query_result *r)
{
    if (r->iterations < 0 || r->iterations > def->max_iterations)
        return false;
    if (r->state == TOI_SEPARATED)
        return r->time == INFINITY && r->u == 0 && r->v == 0 && r->normal[0] == 0;
    double length = hypot(hypot(r->normal[0], r->normal[1]), r->normal[2]);
    bool unit = fabs(length - 1) < 1e-12 || length == 0;
    bool inside = r->u >= 0 && r->u <= 1 && r->v >= 0 && r->v <= 1;
    return unit && inside && r->time >= 0 && r->time <= def->t_max;
}

void check_place(toi_kind kind, const toi_query *query, const toi_query_result *r)
{
    if (kind == TOI_VERTEX_FACE && r->state != TOI_SEPARATED && r->u + r->v > 1 + 1e-15) {
        ++places_beyond;
        beyond = *query;
    }
}

bool is_right(const toi_narrow_def *def, const contact *c, const toi_query_result *r)
{
    return well_formed(def, r) && r->state != TOI_SEPARATED && r->time <= c->time;
}

void solve_trial(const toi_narrow_def *def, trial *t)
{
    for (int i = 0; i < t->count; ++i)
        t->queries[i] = t->contacts[i].query;
    assert_ok(toi_solve_queries(def, t->kind, t->queries, t->count, t->results));
    int wrong = 0;
    for (int i = 0; i < t->count; ++i)
        if (!is_right(def, &t->contacts[i], &t->results[i]) && ++wrong <= 3)
            print_failure(def, t->kind, &t->contacts[i], &t->results[i]);
    for (int i = 0; i < t->count; ++i)
        check_place(t->kind, &t->queries[i], &t->results[i]);
    queries_checked += t->count;
    if (wrong > 0)
        fail_msg("%d of %d queries are missed, late or malformed", wrong, t->count);
}

void make_trial(const contact_recipe *recipe, trial *t, toi_random *random)
{
    t->kind = recipe->kind;
    t->count = BATCH;
    bool dense = recipe->gap == 0 && toi_random_below(random, 4) == 0;
    for (int i = 0; i < BATCH; ++i)
        t->contacts[i] = dense ? make_dense_contact(recipe, random) : make_contact(recipe, random);
}

void make_wild_trial(trial *t, toi_random *random)
{
    static const int exponents[] = {0, -30, 30, -900, 1000, 1022, 1024, -1020, -1060};
    static const int spreads[] = {0, 3, 40, 60, 400, 1000, 2000};
    t->kind = (toi_kind)toi_random_below(random, TOI_PAIR_KINDS);
    t->count = BATCH;
    int exponent = exponents[toi_random_below(random, 9)];
    int spread = spreads[toi_random_below(random, 7)];
    for (int i = 0; i < BATCH; ++i)
        t->contacts[i] = make_wild_contact(t->kind, exponent, spread, random);
}

toi_narrow_def random_def(int exponent, toi_random *random)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    def.workers = 1;
    def.max_iterations = toi_random_below(random, 16) == 0 ? 2000 : 300;
    switch (toi_random_below(random, 4)) {
    case 0:
        def.tolerance = ldexp(1e-6, exponent + 20 < 1000 ? exponent + 20 : 1000);
        break;
    case 1:
        def.tolerance = ldexp(1e-12, exponent + 20 < 1000 ? exponent + 20 : 1000);
        break;
    case 2:
        def.tolerance = ldexp(1, (int)toi_random_below(random, 60) - 55);
        break;
    default:
        break;
    }
    if (!(def.tolerance > 0))
        def.tolerance = DBL_TRUE_MIN;
    return def;
}

// u and v name a point of the face: u + v <= 1.
static void assert_places_lie_on_the_face(void)
{
    if (places_beyond > 0) {
        toi_query_result r;
        toi_narrow_def def = toi_default_narrow_def();
        def.method = TOI_NARROW_INCLUSION;
        assert_ok(toi_solve_queries(&def, TOI_VERTEX_FACE, &beyond, 1, &r));
        print_query(TOI_VERTEX_FACE, &beyond);
        fail_msg("%lld vertex-face results have u + v > 1; the last, solved again: u %g, v %g",
                 (long long)places_beyond, r.u, r.v);
    }
}

void close_trials(int64_t least)
{
    assert_places_lie_on_the_face();
    print_message("  %lld queries checked\n", (long long)queries_checked);
    if (!getenv("TOI_SANITIZED"))
        assert_true(queries_checked >= least);
}
