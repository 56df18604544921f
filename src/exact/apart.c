// Decides a query with a separation in whole numbers: the first root over all faces of its figure;
// and the distance at t = 0.

#include "exact/apart.h"

#include "exact/figure.h"
#include "exact/first_root.h"

#include <float.h>
#include <math.h>

// What is needed to decide a query: first its figure at t = 0 and the squared distance there, over
// / under. Then, if that is not all, the figure in motion, and f of each face: its squared distance
// less that of the separation, times `under` and a power of two.
typedef struct question
{
    toi_arena arena;
    toi_mark empty; // before all numbers
    toi_figure figure;
    toi_integer over;
    toi_integer under;
    toi_sextic f[TOI_MOST_FACES];
} question;

// Returns whether there was memory for all.
static bool close_question(const toi_apart_def *def, question *q)
{
    bool failed = q->arena.failed;
    if (failed && def->budget && toi_limit_was_reached())
        def->budget->starved = true;
    toi_arena_close(&q->arena);
    return !failed;
}

// A separation is a whole number of units divided by 2^finer; the square of that number.
static toi_integer whole_square(question *q, double separation, int64_t *finer)
{
    toi_decoded s = toi_decode_double(separation);
    int zeros = s.m != 0 ? __builtin_ctzll(s.m) : 0;
    int64_t shift = s.m != 0 ? s.exponent + zeros - q->figure.unit : 0;
    *finer = shift < 0 ? -shift : 0;
    toi_integer whole = toi_integer_from_shifted(&q->arena, s.m >> zeros, shift + *finer, false);
    return toi_integer_multiply(&q->arena, whole, whole);
}

static void set_separation(question *q, double separation)
{
    int64_t finer;
    toi_integer square = whole_square(q, separation, &finer);
    for (int i = 0; i < q->figure.faces; ++i) {
        const toi_face *face = &q->figure.face[i];
        toi_sextic over = toi_sextic_shift(&q->arena, &face->over, 2 * finer);
        toi_sextic under = toi_sextic_scale(&q->arena, &face->under, square);
        q->f[i] = toi_sextic_subtract(&q->arena, &over, &under);
    }
}

// Is the closest point of the face's flat in the face, not on its border?
static bool is_inside(question *q, const toi_face *face, toi_dyadic t)
{
    for (int i = 0; i < face->conditions; ++i)
        if (toi_sextic_sign_at(&q->arena, &face->condition[i], t) <= 0)
            return false;
    return true;
}

// Is the distance at t at most the separation? The closest point of the figure is a corner, or in a
// side or in the inside but not on its border: one face tells.
static bool is_near(question *q, double time)
{
    toi_mark mark = toi_arena_mark(&q->arena);
    toi_dyadic t = toi_dyadic_from_double(&q->arena, time);
    bool near = false;
    for (int i = 0; i < q->figure.faces && !near; ++i)
        near =
            toi_sextic_sign_at(&q->arena, &q->f[i], t) <= 0 && is_inside(q, &q->figure.face[i], t);
    toi_arena_release(&q->arena, mark);
    return near;
}

// ---- The distance at t = 0

static toi_integer constant(const toi_sextic *f)
{
    return f->degree >= 0 ? f->c[0] : (toi_integer){NULL, 0};
}

// Finds its square. A corner has no conditions, so there is one.
static void find_distance(question *q)
{
    toi_dyadic start = {{NULL, 0}, 0};
    q->over = q->under = (toi_integer){NULL, 0};
    for (int i = 0; i < q->figure.faces; ++i) {
        const toi_face *face = &q->figure.face[i];
        toi_integer over = constant(&face->over), under = constant(&face->under);
        if (!is_inside(q, face, start))
            continue;
        if (q->under.size == 0 ||
            toi_integer_difference_of_products(&q->arena, over, q->under, q->over, under).size <
                0) {
            q->over = over;
            q->under = under;
        }
    }
}

static void open_question(const toi_apart_def *def, const toi_query *query, question *q)
{
    toi_arena_open(&q->arena, def->scratch, (size_t)toi_decision_scratch_bytes());
    q->arena.budget = def->budget;
    q->empty = toi_arena_mark(&q->arena);
    toi_figure_from_query(&q->arena, def->kind, query, 0, &q->figure);
    find_distance(q);
}

// Is it at most the separation?
static bool starts_near(question *q, double separation)
{
    int64_t finer;
    toi_mark mark = toi_arena_mark(&q->arena);
    toi_integer square = whole_square(q, separation, &finer);
    toi_integer reach = toi_integer_multiply(&q->arena, square, q->under);
    bool near = toi_integer_compare(toi_integer_shift(&q->arena, q->over, 2 * finer), reach) <= 0;
    toi_arena_release(&q->arena, mark);
    return near;
}

// The root of over / under: of so many of its bits that a double has fewer, rounded down, which
// rounding down to a double then does not see.
static double floor_distance(question *q, bool *is_exact)
{
    toi_mark mark = toi_arena_mark(&q->arena);
    int64_t missing = 132 + toi_integer_bits(q->under) - toi_integer_bits(q->over);
    int64_t bits = missing > 0 ? missing / 2 : 0;
    toi_integer shifted = toi_integer_shift(&q->arena, q->over, 2 * bits);
    toi_integer square = toi_integer_divide(&q->arena, shifted, q->under);
    toi_integer root = toi_integer_square_root(&q->arena, square);
    double floor = toi_dyadic_floor((toi_dyadic){root, bits - q->figure.unit}, is_exact);
    toi_integer again = toi_integer_multiply(&q->arena, root, root);
    again = toi_integer_multiply(&q->arena, again, q->under);
    *is_exact &= toi_integer_compare(again, shifted) == 0;
    toi_arena_release(&q->arena, mark);
    if (floor <= DBL_MAX)
        return floor;
    *is_exact = false;
    return DBL_MAX;
}

void toi_floor_distance(const toi_apart_def *def, const toi_query *query,
                        toi_initial_distance *distance)
{
    question q;
    *distance = (toi_initial_distance){.state = TOI_UNDECIDED};
    open_question(def, query, &q);
    double floor = floor_distance(&q, &distance->is_exact);
    if (close_question(def, &q)) {
        distance->floor = floor;
        distance->state = floor == 0 && distance->is_exact ? TOI_HIT : TOI_SEPARATED;
    }
}

// ---- The first time

// A double not before the floor of the first time: one at which they are near, if that is easy to
// find; else the first that does not matter.
static double find_bound(question *q, const toi_apart_def *def, bool *found)
{
    double latest = fmin(def->t_max, 1), bound = latest < 1 ? nextafter(latest, 1) : 1;
    const double tries[3] = {nextafter(def->guess, 1), def->guess + 0x1p-30 * def->guess, latest};
    *found = true;
    for (int i = 0; i < 3; ++i)
        if (tries[i] >= 0 && tries[i] <= latest && is_near(q, tries[i]))
            return tries[i];
    *found = false;
    return bound;
}

// The first time's floor, if it is not above t_max; they are apart at t = 0. Faces that find an
// earlier root than those before lower the bound for those after.
static bool find_time(question *q, const toi_apart_def *def, double *time)
{
    bool found;
    double bound = find_bound(q, def, &found);
    for (int i = 0; i < q->figure.faces && bound > 0; ++i) {
        const toi_face *face = &q->figure.face[i];
        if (q->f[i].degree < 1)
            continue;
        toi_mark mark = toi_arena_mark(&q->arena);
        toi_root_search search = {q->f[i],      face->condition, face->conditions,
                                  &face->under, bound,           def->guess};
        found |= toi_find_first_root(&q->arena, &search, &bound);
        toi_arena_release(&q->arena, mark);
    }
    *time = bound;
    return found;
}

static void decide_first_time(question *q, const toi_apart_def *def, const toi_query *query,
                              toi_apart_decision *decision)
{
    if (starts_near(q, decision->separation)) {
        decision->state = TOI_HIT;
        decision->time = 0;
        decision->time_is_exact = true;
        return;
    }
    double time;
    toi_arena_release(&q->arena, q->empty);
    toi_figure_from_query(&q->arena, def->kind, query, 1, &q->figure);
    set_separation(q, decision->separation);
    if (find_time(q, def, &time)) {
        decision->state = TOI_HIT;
        decision->time = time;
        decision->time_is_exact = is_near(q, time);
    }
}

// Contact itself is decided as without a separation.
static void decide_contact(const toi_apart_def *def, const toi_query *query,
                           toi_apart_decision *decision)
{
    toi_decision contact;
    toi_decide(&(toi_decision_def){.kind = def->kind,
                                   .t_max = def->t_max,
                                   .guess = def->guess,
                                   .scratch = def->scratch,
                                   .budget = def->budget},
               query, &contact);
    decision->state = contact.state;
    decision->time = contact.time;
    decision->time_is_exact = contact.time_is_exact;
}

static void choose_separation(question *q, const toi_apart_def *def, toi_apart_decision *decision)
{
    bool is_exact;
    double least = def->min_separation;
    decision->starts_inside = starts_near(q, least);
    decision->separation = least;
    if (def->relative <= 0)
        return;
    decision->distance = floor_distance(q, &is_exact);
    decision->separation = decision->starts_inside
                               ? def->relative * decision->distance
                               : least + def->relative * (decision->distance - least);
}

void toi_decide_apart(const toi_apart_def *def, const toi_query *query,
                      toi_apart_decision *decision)
{
    question q;
    *decision = (toi_apart_decision){.state = TOI_SEPARATED, .time = INFINITY};
    if (def->min_separation == 0 && def->relative <= 0) {
        decide_contact(def, query, decision);
        decision->starts_inside = decision->time == 0 && decision->time_is_exact;
        return;
    }
    open_question(def, query, &q);
    choose_separation(&q, def, decision);
    if (decision->separation > 0)
        decide_first_time(&q, def, query, decision);
    if (!close_question(def, &q))
        *decision = (toi_apart_decision){.state = TOI_UNDECIDED};
    else if (decision->separation == 0)
        decide_contact(def, query, decision);
}
