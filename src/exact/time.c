// Times of impact as certificates. A certificate owns its numbers (mpz); computations look at them
// through the limbs and work as the decision does.

#include "toi/exact.h"

#include "base/parallel.h"
#include "exact/contact.h"
#include "exact/decide.h"
#include "exact/roots.h"

#include <math.h>

struct toi_exact_time
{
    mpz_t c[4]; // those above the degree are not initialised
    mpz_t lo;
    mpz_t hi;
    int64_t bits;
    int degree;
    int sign; // of the polynomial at lo; 0 where lo = hi
    bool is_double;
    double floor;
};

// ---- One time

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

// A certificate of the moment, whose floor is known; NULL where memory ran out.
static toi_exact_time *make_time(toi_arena *arena, toi_moment *moment)
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
    return time;
}

static void free_time(toi_exact_time *time)
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

static toi_moment view_time(const toi_exact_time *time)
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
    if (other == time->floor)
        return time->is_double ? 0 : 1;
    return other > time->floor ? -1 : 1;
}

toi_status toi_exact_time_compare(const toi_exact_time *time, const toi_exact_time *other,
                                  int *order)
{
    enum
    {
        LIMBS = 512 // more come from the heap
    };
    _Alignas(16) mp_limb_t memory[LIMBS];
    toi_arena arena;
    toi_moment a = view_time(time), b = view_time(other);
    *order = 0;
    toi_arena_open(&arena, memory, sizeof memory);
    toi_fp_state caller = toi_enter_fp();
    int found = toi_moment_compare(&arena, &a, &b);
    toi_leave_fp(caller);
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

// ---- All contacts of a query

void toi_free_exact_contacts(toi_exact_contacts *contacts)
{
    for (int64_t i = 0; i < contacts->count; ++i) {
        if (contacts->data[i].to != contacts->data[i].from)
            free_time(contacts->data[i].to);
        free_time(contacts->data[i].from);
    }
    toi_release(contacts->data);
    *contacts = (toi_exact_contacts){NULL, 0};
}

// Checks the coordinates of the points that the kind names and gives it the form of vertex-face or
// edge-edge: the last point stands for those that are missing.
static toi_status raise_query(toi_kind kind, const toi_query *query, toi_query *raised)
{
    static const int points_of_kind[TOI_KIND_COUNT] = {4, 4, 3, 2};
    if ((unsigned)kind >= TOI_KIND_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no query kind number %d", (int)kind);
    int points = points_of_kind[kind];
    for (int i = 0; i < 24; ++i) {
        int end = i / 12, corner = i % 12 / 3, k = i % 3;
        int from = corner < points ? corner : points - 1;
        double x = end ? query->end[from][k] : query->start[from][k];
        if (!isfinite(x))
            return toi_fail(TOI_ERROR_DATA, "coordinate %c of point %d at t = %d is %g", "xyz"[k],
                            from, end, x);
        if (end)
            raised->end[corner][k] = x;
        else
            raised->start[corner][k] = x;
    }
    return TOI_OK;
}

static bool make_contact(toi_arena *arena, toi_contact *found, toi_exact_contact *contact)
{
    contact->from = make_time(arena, &found->from);
    contact->to = contact->from;
    if (contact->from && !found->is_instant)
        contact->to = make_time(arena, &found->to);
    return contact->from && contact->to;
}

static toi_status find_contacts(toi_arena *arena, toi_kind kind, const toi_query *query,
                                toi_exact_contacts *contacts)
{
    toi_trajectory trajectory;
    toi_contact found[TOI_MOST_CONTACTS];
    toi_trajectory_from_query(arena, kind, query, &trajectory);
    int count = toi_find_all_contacts(arena, &trajectory, found);
    if (arena->failed)
        return TOI_ERROR_MEMORY;
    if (count == 0)
        return TOI_OK;
    contacts->data = toi_allocate((size_t)count * sizeof *contacts->data);
    if (!contacts->data)
        return TOI_ERROR_MEMORY;
    for (int i = 0; i < count; ++i) {
        ++contacts->count; // of the contact that fails too, to be freed with the others
        if (!make_contact(arena, &found[i], &contacts->data[i]))
            return TOI_ERROR_MEMORY;
    }
    return TOI_OK;
}

toi_status toi_find_exact_contacts(toi_kind kind, const toi_query *query,
                                   toi_exact_contacts *contacts)
{
    toi_query raised;
    *contacts = (toi_exact_contacts){NULL, 0};
    toi_status status = raise_query(kind, query, &raised);
    if (status != TOI_OK)
        return status;
    size_t bytes = (size_t)toi_decision_scratch_bytes();
    void *scratch = toi_allocate(bytes);
    if (!scratch)
        return TOI_ERROR_MEMORY;
    toi_arena arena;
    toi_arena_open(&arena, scratch, bytes);
    toi_fp_state caller = toi_enter_fp();
    status = find_contacts(&arena, kind, &raised, contacts);
    toi_leave_fp(caller);
    toi_arena_close(&arena);
    toi_release(scratch);
    if (status != TOI_OK)
        toi_free_exact_contacts(contacts);
    return status;
}
