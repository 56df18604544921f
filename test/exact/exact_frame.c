// F at one time, over the rationals: its value, whether it vanishes, the distance.

#include "exact/exact_ccd.h"

// ---- Rational vectors

typedef mpq_t rational3[3];

static void init3(rational3 a)
{
    for (int k = 0; k < 3; ++k)
        mpq_init(a[k]);
}

static void clear3(rational3 a)
{
    for (int k = 0; k < 3; ++k)
        mpq_clear(a[k]);
}

static void dot(rational3 a, rational3 b, mpq_t result)
{
    mpq_t sum, product;
    mpq_inits(sum, product, NULL);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, a[k], b[k]);
        mpq_add(sum, sum, product);
    }
    mpq_set(result, sum);
    mpq_clears(sum, product, NULL);
}

static void cross(rational3 a, rational3 b, rational3 result)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(x, a[i], b[j]);
        mpq_mul(y, a[j], b[i]);
        mpq_sub(result[k], x, y);
    }
    mpq_clears(x, y, NULL);
}

static bool is_zero3(rational3 a)
{
    return mpq_sgn(a[0]) == 0 && mpq_sgn(a[1]) == 0 && mpq_sgn(a[2]) == 0;
}

// a + s b
static void add_scaled(rational3 a, const mpq_t s, rational3 b, rational3 result)
{
    mpq_t x;
    mpq_init(x);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(x, s, b[k]);
        mpq_add(result[k], a[k], x);
    }
    mpq_clear(x);
}

// ---- F at one time: p + u e + v g

typedef struct frame
{
    rational3 p, e, g;
} frame;

static void init_frame(frame *f)
{
    init3(f->p);
    init3(f->e);
    init3(f->g);
}

static void clear_frame(frame *f)
{
    clear3(f->p);
    clear3(f->e);
    clear3(f->g);
}

static void difference(const double a[3], const double b[3], rational3 result)
{
    mpq_t y;
    mpq_init(y);
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(result[k], a[k]);
        mpq_set_d(y, b[k]);
        mpq_sub(result[k], result[k], y);
    }
    mpq_clear(y);
}

static void take_frame(toi_kind kind, const double x[4][3], frame *f)
{
    if (kind == TOI_VERTEX_FACE) {
        difference(x[0], x[1], f->p);
        difference(x[1], x[2], f->e);
        difference(x[1], x[3], f->g);
    } else {
        difference(x[0], x[2], f->p);
        difference(x[1], x[0], f->e);
        difference(x[2], x[3], f->g);
    }
}

// (1 - t) a + t b, into a.
static void blend(rational3 a, rational3 b, const mpq_t t)
{
    mpq_t x;
    mpq_init(x);
    for (int k = 0; k < 3; ++k) {
        mpq_sub(x, b[k], a[k]);
        mpq_mul(x, x, t);
        mpq_add(a[k], a[k], x);
    }
    mpq_clear(x);
}

static void take_frame_at(toi_kind kind, const toi_query *query, const mpq_t t, frame *f)
{
    frame end;
    init_frame(&end);
    take_frame(kind, query->start, f);
    take_frame(kind, query->end, &end);
    blend(f->p, end.p, t);
    blend(f->e, end.e, t);
    blend(f->g, end.g, t);
    clear_frame(&end);
}

static void point_of_frame(frame *f, const mpq_t u, const mpq_t v, rational3 result)
{
    add_scaled(f->p, u, f->e, result);
    add_scaled(result, v, f->g, result);
}

void exact_value(toi_kind kind, const toi_query *query, const mpq_t t, const mpq_t u, const mpq_t v,
                 mpq_t f[3])
{
    frame at;
    init_frame(&at);
    take_frame_at(kind, query, t, &at);
    point_of_frame(&at, u, v, f);
    clear_frame(&at);
}

static bool in_domain(toi_kind kind, const mpq_t u, const mpq_t v)
{
    if (mpq_sgn(u) < 0 || mpq_sgn(v) < 0)
        return false;
    if (kind == TOI_EDGE_EDGE)
        return mpq_cmp_ui(u, 1, 1) <= 0 && mpq_cmp_ui(v, 1, 1) <= 0;
    mpq_t sum;
    mpq_init(sum);
    mpq_add(sum, u, v);
    bool inside = mpq_cmp_ui(sum, 1, 1) <= 0;
    mpq_clear(sum);
    return inside;
}

bool exact_is_contact(toi_kind kind, const toi_query *query, double t, double u, double v,
                      double separation)
{
    mpq_t tq, uq, vq, limit;
    rational3 f;
    mpq_inits(tq, uq, vq, limit, NULL);
    init3(f);
    mpq_set_d(tq, t);
    mpq_set_d(uq, u);
    mpq_set_d(vq, v);
    mpq_set_d(limit, separation);
    exact_value(kind, query, tq, uq, vq, f);
    bool contact = in_domain(kind, uq, vq) && t >= 0 && t <= 1;
    for (int k = 0; k < 3; ++k) {
        mpq_abs(f[k], f[k]);
        contact &= mpq_cmp(f[k], limit) <= 0;
    }
    clear3(f);
    mpq_clears(tq, uq, vq, limit, NULL);
    return contact;
}

// ---- Touching at a given time

// The (u, v) for which p + u e + v g is closest to the origin, by Cramer's rule on cross products
// with n = e x g, which must not be zero.
static void solve_plane(frame *f, rational3 n, mpq_t u, mpq_t v)
{
    rational3 c;
    mpq_t area;
    init3(c);
    mpq_init(area);
    dot(n, n, area);
    cross(f->g, f->p, c);
    dot(c, n, u);
    mpq_div(u, u, area);
    cross(f->p, f->e, c);
    dot(c, n, v);
    mpq_div(v, v, area);
    mpq_clear(area);
    clear3(c);
}

// Is the origin on the closed segment from a to b?
static bool origin_between(rational3 a, rational3 b)
{
    rational3 c;
    mpq_t product;
    init3(c);
    mpq_init(product);
    cross(a, b, c);
    dot(a, b, product);
    bool between = is_zero3(c) && mpq_sgn(product) <= 0;
    mpq_clear(product);
    clear3(c);
    return between;
}

// Where e and g are parallel, the values are a segment between two of the corners.
static bool touch_on_line(toi_kind kind, frame *f)
{
    rational3 corner[4];
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    int count = kind == TOI_EDGE_EDGE ? 4 : 3;
    for (int c = 0; c < 4; ++c)
        init3(corner[c]);
    for (int k = 0; k < 3; ++k)
        mpq_set(corner[0][k], f->p[k]);
    add_scaled(f->p, one, f->e, corner[1]);
    add_scaled(f->p, one, f->g, corner[2]);
    add_scaled(corner[1], one, f->g, corner[3]);
    bool touch = false;
    for (int i = 0; i < count; ++i)
        for (int j = i; j < count; ++j)
            touch |= origin_between(corner[i], corner[j]);
    for (int c = 0; c < 4; ++c)
        clear3(corner[c]);
    mpq_clear(one);
    return touch;
}

bool exact_touch_at(toi_kind kind, const toi_query *query, double t)
{
    frame f;
    rational3 n;
    mpq_t time, u, v;
    init_frame(&f);
    init3(n);
    mpq_inits(time, u, v, NULL);
    mpq_set_d(time, t);
    take_frame_at(kind, query, time, &f);
    cross(f.e, f.g, n);
    bool touch;
    if (is_zero3(n)) {
        touch = touch_on_line(kind, &f);
    } else {
        dot(f.p, n, u);
        touch = mpq_sgn(u) == 0;
        if (touch) {
            solve_plane(&f, n, u, v);
            touch = in_domain(kind, u, v);
        }
    }
    mpq_clears(time, u, v, NULL);
    clear3(n);
    clear_frame(&f);
    return touch;
}

// ---- Distance

static void try_square(rational3 point, mpq_t best, bool *first)
{
    mpq_t square;
    mpq_init(square);
    dot(point, point, square);
    if (*first || mpq_cmp(square, best) < 0)
        mpq_set(best, square);
    *first = false;
    mpq_clear(square);
}

// The point of the segment p + s d, s in [0, 1], that is closest to the origin.
static void try_segment(rational3 p, rational3 d, mpq_t best, bool *first)
{
    rational3 point;
    mpq_t s, length;
    init3(point);
    mpq_inits(s, length, NULL);
    dot(d, d, length);
    dot(p, d, s);
    mpq_neg(s, s);
    if (mpq_sgn(length) == 0 || mpq_sgn(s) < 0)
        mpq_set_ui(s, 0, 1);
    else if (mpq_cmp(s, length) > 0)
        mpq_set_ui(s, 1, 1);
    else
        mpq_div(s, s, length);
    add_scaled(p, s, d, point);
    try_square(point, best, first);
    mpq_clears(s, length, NULL);
    clear3(point);
}

// The least square is on the border of the domain or where the gradient vanishes inside.
void exact_distance_square_at(toi_kind kind, const toi_query *query, double t, mpq_t square)
{
    frame f;
    rational3 pe, pg, other, n;
    mpq_t time, u, v, one, minus;
    init_frame(&f);
    init3(pe);
    init3(pg);
    init3(other);
    init3(n);
    mpq_inits(time, u, v, one, minus, NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set_si(minus, -1, 1);
    mpq_set_d(time, t);
    take_frame_at(kind, query, time, &f);
    add_scaled(f.p, one, f.e, pe);
    add_scaled(f.p, one, f.g, pg);
    bool first = true;
    try_segment(f.p, f.e, square, &first);
    try_segment(f.p, f.g, square, &first);
    if (kind == TOI_EDGE_EDGE) {
        try_segment(pe, f.g, square, &first);
        try_segment(pg, f.e, square, &first);
    } else {
        add_scaled(f.g, minus, f.e, other);
        try_segment(pe, other, square, &first);
    }
    cross(f.e, f.g, n);
    if (!is_zero3(n)) {
        solve_plane(&f, n, u, v);
        if (in_domain(kind, u, v)) {
            point_of_frame(&f, u, v, other);
            try_square(other, square, &first);
        }
    }
    mpq_clears(time, u, v, one, minus, NULL);
    clear3(n);
    clear3(other);
    clear3(pg);
    clear3(pe);
    clear_frame(&f);
}

void exact_distance_square(toi_kind kind, const toi_query *query, mpq_t square)
{
    exact_distance_square_at(kind, query, 0, square);
}
