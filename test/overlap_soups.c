// Small meshes made to break a search for faces that intersect.

#include "overlap_soups.h"

#include "overlap_lattice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int below(toi_random *random, int count)
{
    return (int)toi_random_below(random, (uint64_t)count);
}

static int from_to(toi_random *random, int low, int high)
{
    return low + below(random, high - low + 1);
}

static int32_t add_vertex(overlap_soup *s, int x, int y, int z)
{
    int32_t *at = s->lattice[s->vertices];
    at[0] = x;
    at[1] = y;
    at[2] = z;
    return s->vertices++;
}

static int32_t add_anywhere(overlap_soup *s, int side, toi_random *random)
{
    int x = below(random, side), y = below(random, side);
    return add_vertex(s, x, y, below(random, side));
}

static bool has_room(const overlap_soup *s, int faces, int vertices)
{
    return s->faces + faces <= SOUP_FACES && s->vertices + vertices <= SOUP_VERTICES;
}

static void add_triangle(overlap_soup *s, int32_t a, int32_t b, int32_t c)
{
    int32_t *f = s->face[s->faces++];
    f[0] = a;
    f[1] = b;
    f[2] = c;
}

// ---- Shapes

static void make_loose(overlap_soup *s, int size, toi_random *random)
{
    int side = from_to(random, 2, 4 + (int)cbrt(8.0 * size));
    while (s->faces < size && has_room(s, 1, 3)) {
        int32_t first = add_anywhere(s, side, random);
        add_anywhere(s, side, random);
        add_anywhere(s, side, random);
        add_triangle(s, first, first + 1, first + 2);
    }
}

static void make_shared(overlap_soup *s, int size, toi_random *random)
{
    int side = from_to(random, 2, 12), vertices = from_to(random, 4, 4 + size);
    for (int i = 0; i < vertices; ++i)
        add_anywhere(s, side, random);
    while (s->faces < size)
        add_triangle(s, below(random, vertices), below(random, vertices), below(random, vertices));
}

// Copies, turned and mirrored copies, vertices named twice and thrice.
static void make_broken(overlap_soup *s, int size, toi_random *random)
{
    int side = from_to(random, 2, 5), vertices = from_to(random, 3, 3 + size / 2);
    for (int i = 0; i < vertices; ++i)
        add_anywhere(s, side, random);
    add_triangle(s, 0, 1, 2);
    while (s->faces < size) {
        int32_t a = below(random, vertices), b = below(random, vertices);
        const int32_t *old = s->face[below(random, s->faces)];
        switch (below(random, 6)) {
        case 0:
            add_triangle(s, a, a, b);
            break;
        case 1:
            add_triangle(s, a, b, a);
            break;
        case 2:
            add_triangle(s, a, a, a);
            break;
        case 3:
            add_triangle(s, old[1], old[2], old[0]);
            break;
        case 4:
            add_triangle(s, old[1], old[0], old[2]);
            break;
        default:
            add_triangle(s, a, b, below(random, vertices));
            break;
        }
    }
}

// How a fan goes wrong, if it does.
typedef enum fan_kind
{
    FAN_TWICE,  // around two times
    FAN_SHAKEN, // directions out of order
    FAN_TURNED, // some outer vertices on the other side
    FAN_MIXED,  // faces that list their vertices either way
    FAN_FOLDED, // an outer vertex on the ray of the one before it, nearly so, or slightly past it
    FAN_ROUND,
    FAN_KINDS
} fan_kind;

// The ring of a fan: directions in order around it.
static void add_ring(overlap_soup *s, const int32_t centre[3], int spokes, fan_kind kind,
                     toi_random *random)
{
    static const int way[16][2] = {{8, 0},  {7, 3},  {6, 6},  {3, 7},   {0, 8},   {-3, 7},
                                   {-6, 6}, {-7, 3}, {-8, 0}, {-7, -3}, {-6, -6}, {-3, -7},
                                   {0, -8}, {3, -7}, {6, -6}, {7, -3}};
    bool flat = kind == FAN_FOLDED || below(random, 3) == 0;
    int turns = kind == FAN_TWICE ? 2 : 1, tilt = from_to(random, -2, 2), bend = below(random, 2);
    int folded = kind == FAN_FOLDED ? from_to(random, 1, spokes - 1) : -1;
    int32_t x = centre[0], y = centre[1], z = centre[2];
    for (int i = 0; i < spokes; ++i) {
        int shake = kind == FAN_SHAKEN ? from_to(random, -1, 1) : 0;
        const int *w = way[(16 * turns * (i - (i == folded)) / spokes + shake) & 15];
        int reach = from_to(random, kind == FAN_TURNED ? -1 : 1, 3), up = from_to(random, -3, 3);
        int past = i == folded ? from_to(random, -1, 1) : 0;
        reach *= kind == FAN_FOLDED ? 4 : 1;
        add_vertex(s, x + reach * w[0] + past * (w[1] > 0 ? 1 : -1),
                   y + reach * w[1] - past * (w[0] > 0 ? 1 : -1),
                   z + tilt * (reach * w[0] / 4) + (flat ? bend * reach : up));
    }
}

static void add_fan(overlap_soup *s, int spokes, fan_kind kind, toi_random *random)
{
    int x = from_to(random, -40, 40), y = from_to(random, -40, 40), z = from_to(random, -9, 9);
    bool closed = below(random, 3) > 0;
    int32_t centre = add_vertex(s, x, y, z), first = s->vertices;
    add_ring(s, (int32_t[3]){x, y, z}, spokes, kind, random);
    for (int i = 0; i + (closed ? 0 : 1) < spokes; ++i) {
        int32_t here = first + i, next = first + (i + 1) % spokes;
        bool back = kind == FAN_MIXED && below(random, 4) == 0;
        add_triangle(s, centre, back ? next : here, back ? here : next);
    }
}

static void make_fans(overlap_soup *s, int size, toi_random *random)
{
    while (s->faces < size) {
        int spokes = from_to(random, 2, 12);
        if (!has_room(s, spokes, spokes + 1))
            return;
        add_fan(s, spokes, (fan_kind)below(random, FAN_KINDS), random);
    }
}

static void make_fold(overlap_soup *s, int size, toi_random *random)
{
    add_fan(s, size < 6 ? 6 : size > 12 ? 12 : size, FAN_FOLDED, random);
}

// Narrow faces around one vertex, side by side on a wide cone: each touches the next along a ray,
// on which both have an outer vertex of their own.
static void make_touching_hub(overlap_soup *s, int size, toi_random *random)
{
    int tilt = from_to(random, 5, 40);
    add_vertex(s, 0, 0, 0);
    for (int i = 0; i < size && has_room(s, 1, 2); ++i) {
        for (int end = 0; end < 2; ++end) {
            double angle = 6.2831853 * (i + end) / size;
            int x = (int)rint(100 * cos(angle)), y = (int)rint(100 * sin(angle));
            add_vertex(s, x * (2 - end), y * (2 - end), tilt * (2 - end));
        }
        add_triangle(s, 0, s->vertices - 2, s->vertices - 1);
    }
}

// All faces have one vertex in common, in any directions; some touch along one.
static void make_hub(overlap_soup *s, int size, toi_random *random)
{
    int side = from_to(random, 3, 60), vertices = from_to(random, 4, 2 + 2 * size);
    if (below(random, 2)) {
        make_touching_hub(s, size, random);
        return;
    }
    add_vertex(s, 0, 0, 0);
    for (int i = 1; i < vertices && has_room(s, 0, 1); ++i) {
        const int32_t *old = s->lattice[below(random, s->vertices)];
        int32_t x = add_vertex(s, 2 * old[0] % 256, 2 * old[1] % 256, 2 * old[2] % 256);
        for (int k = 0; k < 3 && below(random, 4) > 0; ++k) // else in the direction of another
            s->lattice[x][k] = from_to(random, -side, side);
    }
    while (s->faces < size) {
        int32_t a = from_to(random, 1, s->vertices - 1), b = from_to(random, 1, s->vertices - 1);
        bool near = below(random, 2); // narrow ones, so that many have no direction in common
        add_triangle(s, 0, a, near ? 1 + a % (s->vertices - 1) : b);
    }
}

// columns x rows quads with their diagonals either way, from a corner, seen in the frame u, v, w.
static int32_t add_sheet(overlap_soup *s, int columns, int rows, const int corner[3],
                         const int u[3], const int v[3], toi_random *random)
{
    int32_t first = s->vertices;
    for (int i = 0; i < (columns + 1) * (rows + 1); ++i) {
        int column = i % (columns + 1), row = i / (columns + 1);
        add_vertex(s, corner[0] + column * u[0] + row * v[0],
                   corner[1] + column * u[1] + row * v[1], corner[2] + column * u[2] + row * v[2]);
    }
    for (int i = 0; i < columns * rows; ++i) {
        int32_t at = first + i / columns * (columns + 1) + i % columns, up = at + columns + 1;
        bool other = below(random, 2);
        add_triangle(s, at, at + 1, other ? up : up + 1);
        add_triangle(s, other ? at + 1 : at, up + 1, up);
    }
    return first;
}

static int sheet_side(int size)
{
    int side = (int)sqrt(size / 2.0);
    return side < 1 ? 1 : side > 16 ? 16 : side;
}

static void make_grid(overlap_soup *s, int size, toi_random *random)
{
    int side = sheet_side(size), moved = below(random, 5);
    int u[3] = {6, from_to(random, -2, 2), from_to(random, -3, 3)};
    int v[3] = {from_to(random, -2, 2), 6, from_to(random, -3, 3)};
    add_sheet(s, side, side, (int[3]){0, 0, 0}, u, v, random);
    for (int i = 0; i < moved; ++i) {
        int32_t *at = s->lattice[below(random, s->vertices)];
        int p = from_to(random, -2, 2), q = from_to(random, -2, 2), out = below(random, 2);
        for (int k = 0; k < 3; ++k)
            at[k] += p * u[k] + q * v[k] + out * from_to(random, -1, 1);
    }
}

// Sheets of different meshes that lie on, close above and slightly through each other.
static void make_sheets(overlap_soup *s, int size, toi_random *random)
{
    int layers = from_to(random, 2, 3), side = sheet_side(size / layers), slope = below(random, 3);
    for (int layer = 0; layer < layers; ++layer) {
        int step = from_to(random, 20, 28);
        int u[3] = {step, layer, slope * step}, v[3] = {-layer, step, 0};
        int corner[3] = {from_to(random, -20, 20), from_to(random, -20, 20), 0};
        corner[2] = slope * corner[0] + from_to(random, -1, 1);
        int32_t first = add_sheet(s, side, side, corner, u, v, random);
        for (int32_t i = first; i < s->vertices && layer > 0; ++i)
            s->lattice[i][2] += below(random, 8) == 0 ? from_to(random, -1, 1) : 0;
    }
}

// A cube's surface, in 2 x 2 or more quads a side, some of its vertices pushed in or out.
static void make_torn(overlap_soup *s, int size, toi_random *random)
{
    int n = (int)sqrt(size / 12.0), pushed = below(random, 4);
    n = n < 1 ? 1 : n > 7 ? 7 : n;
    static const int frames[6][2][3] = {{{1, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {0, 0, 1}},
                                        {{0, 0, 1}, {1, 0, 0}}, {{0, 1, 0}, {1, 0, 0}},
                                        {{0, 0, 1}, {0, 1, 0}}, {{1, 0, 0}, {0, 0, 1}}};
    for (int f = 0; f < 6; ++f) {
        int corner[3] = {0, 0, 0}, u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = 6 * frames[f][0][k];
            v[k] = 6 * frames[f][1][k];
            corner[k] = f >= 3 && u[k] == 0 && v[k] == 0 ? 6 * n : 0;
        }
        add_sheet(s, n, n, corner, u, v, random);
    }
    int32_t first[SOUP_VERTICES]; // vertices at one place become one, unless it is a soup of sides
    bool weld = below(random, 4) > 0;
    for (int i = 0; i < s->vertices; ++i)
        for (first[i] = 0; memcmp(s->lattice[first[i]], s->lattice[i], sizeof *s->lattice) != 0;)
            ++first[i];
    for (int i = 0; i < 3 * s->faces && weld; ++i)
        s->face[i / 3][i % 3] = first[s->face[i / 3][i % 3]];
    for (int i = 0; i < pushed; ++i) {
        int32_t *at = s->lattice[first[below(random, s->vertices)]];
        for (int k = 0; k < 3; ++k)
            at[k] += from_to(random, -8, 8);
    }
}

static void make_sizes(overlap_soup *s, int size, toi_random *random)
{
    while (s->faces < size && has_room(s, 1, 3)) {
        int reach = 1 << below(random, 9);
        int32_t first = s->vertices;
        int x = from_to(random, -200, 200) / 4, y = from_to(random, -200, 200) / 4;
        int z = from_to(random, -200, 200) / 4;
        for (int i = 0; i < 3; ++i) {
            int dx = from_to(random, -reach, reach), dy = from_to(random, -reach, reach);
            add_vertex(s, x + dx, y + dy, z + from_to(random, -reach, reach));
        }
        add_triangle(s, first, first + 1, first + 2);
    }
}

// ---- Places

static void scale_points(overlap_soup *s, const double offset[3], const int exponent[3])
{
    for (int i = 0; i < 3 * s->vertices; ++i)
        s->points[i / 3][i % 3] = ldexp(s->lattice[i / 3][i % 3] + offset[i % 3], exponent[i % 3]);
}

static void scale_alike(overlap_soup *s, double offset, int exponent)
{
    scale_points(s, (double[3]){offset, -offset, 0}, (int[3]){exponent, exponent, exponent});
}

// By the rotation of a random quaternion.
static void turn_points(overlap_soup *s, double size, toi_random *random)
{
    double q[4], m[3][3], n = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = toi_random_range(random, -1, 1);
        n += q[i] * q[i];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double turn = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * q[(3 - i - j) + 1] * q[0];
            double same = q[i + 1] * q[j + 1];
            m[i][j] = 2 * (same + turn) / n + (i == j ? (2 * q[0] * q[0] - n) / n : 0);
        }
    for (int v = 0; v < s->vertices; ++v)
        for (int k = 0; k < 3; ++k)
            s->points[v][k] = size * (m[k][0] * s->lattice[v][0] + m[k][1] * s->lattice[v][1] +
                                      m[k][2] * s->lattice[v][2]);
}

static void nudge_points(overlap_soup *s, toi_random *random)
{
    scale_alike(s, 0, from_to(random, -3, 3));
    for (int i = 0; i < 3 * s->vertices; ++i)
        if (below(random, 3) == 0)
            s->points[i / 3][i % 3] =
                nextafter(s->points[i / 3][i % 3], below(random, 2) ? INFINITY : -INFINITY);
}

static void spread_points(overlap_soup *s, toi_random *random)
{
    double reach = ldexp(1, from_to(random, -30, 1));
    for (int i = 0; i < 3 * s->vertices; ++i)
        s->points[i / 3][i % 3] =
            s->lattice[i / 3][i % 3] + toi_random_range(random, -reach, reach);
}

static void round_far(overlap_soup *s, toi_random *random)
{
    turn_points(s, 1e-6, random);
    for (int i = 0; i < 3 * s->vertices; ++i)
        s->points[i / 3][i % 3] += i % 3 == 2 ? 1 : 1e8;
}

// Every level of 2^±spread, now and then beyond anything.
static void scatter_points(overlap_soup *s, toi_random *random)
{
    static const int spreads[] = {8, 40, 200, 1074};
    int spread = spreads[below(random, 4)], most = spread < 1014 ? spread : 1014;
    for (int i = 0; i < 3 * s->vertices; ++i)
        s->points[i / 3][i % 3] = ldexp(s->lattice[i / 3][i % 3], from_to(random, -spread, most));
}

static void place_points(overlap_soup *s, toi_random *random)
{
    int apart[3] = {0, 0, 0};
    switch (s->place) {
    case PLACE_SMALL:
        scale_alike(s, 0, -60);
        break;
    case PLACE_LARGE:
        scale_alike(s, 0, 60);
        break;
    case PLACE_TINY:
        scale_alike(s, 0, -900);
        break;
    case PLACE_HUGE:
        scale_alike(s, 0, 900);
        break;
    case PLACE_DENORMAL:
        scale_alike(s, 0, -1074);
        break;
    case PLACE_LARGEST:
        scale_alike(s, 0, 1014);
        break;
    case PLACE_FAR:
        scale_alike(s, 1e8 * 0x1p20, -20);
        break;
    case PLACE_FLAT:
        for (int k = 0; k < 3; ++k)
            apart[k] = from_to(random, -150, 150);
        scale_points(s, (double[3]){0, 0, 0}, apart);
        break;
    case PLACE_TURNED:
        turn_points(s, ldexp(1, from_to(random, -40, 40)), random);
        break;
    case PLACE_NUDGED:
        nudge_points(s, random);
        break;
    case PLACE_ANYWHERE:
        spread_points(s, random);
        break;
    case PLACE_ROUNDED:
        round_far(s, random);
        break;
    case PLACE_WILD:
        scatter_points(s, random);
        break;
    default:
        scale_alike(s, 0, 0);
        break;
    }
}

// A vertex of no face, far from the others: it makes floats coarse, and products small.
static void add_stray(overlap_soup *s, toi_random *random)
{
    double size = 0;
    static const int exponents[5][2] = {{4, 12}, {4, 12}, {13, 20}, {1, 40}, {320, 360}};
    const int *range = exponents[s->shape == SHAPE_HUB ? 2 : below(random, 5)];
    int exponent = from_to(random, range[0], range[1]);
    for (int i = 0; i < 3 * s->vertices; ++i)
        size = fmax(size, fabs(s->points[i / 3][i % 3]));
    if (!has_room(s, 0, 1) || ilogb(fmax(size, 1)) + exponent > 1000)
        return;
    int32_t v = add_vertex(s, 0, 0, 0);
    for (int k = 0; k < 3; ++k)
        s->points[v][k] = ldexp(toi_random_range(random, -size, size), exponent);
}

static const char *const SHAPES[SHAPE_COUNT] = {"loose",  "shared", "broken", "fans", "grid",
                                                "sheets", "torn",   "sizes",  "hub",  "fold"};
static const char *const PLACES[PLACE_COUNT] = {"plain",    "small",    "large",   "tiny", "huge",
                                                "denormal", "largest",  "far",     "flat", "turned",
                                                "nudged",   "anywhere", "rounded", "wild"};

static void fit_lattice(overlap_soup *s)
{
    for (int i = 0; i < 3 * s->vertices; ++i) {
        int32_t *x = &s->lattice[i / 3][i % 3];
        *x = *x > LATTICE_MOST ? LATTICE_MOST : *x < -LATTICE_MOST ? -LATTICE_MOST : *x;
    }
}

void make_overlap_soup(overlap_soup *s, soup_shape shape, soup_place place, int size, uint64_t seed)
{
    static void (*const make[SHAPE_COUNT])(overlap_soup *, int, toi_random *) = {
        make_loose,  make_shared, make_broken, make_fans, make_grid,
        make_sheets, make_torn,   make_sizes,  make_hub,  make_fold};
    toi_random random = {seed};
    s->vertices = s->faces = 0;
    s->shape = shape;
    s->place = place;
    snprintf(s->name, sizeof s->name, "%s, %s, size %d, seed %llu", SHAPES[shape], PLACES[place],
             size, (unsigned long long)seed);
    make[shape](s, size, &random);
    fit_lattice(s);
    place_points(s, &random);
    if (shape == SHAPE_FOLD || below(&random, 2))
        add_stray(s, &random);
    for (int i = 0; i < s->vertices; ++i)
        s->groups[i] = from_to(&random, -1, 2);
}

toi_mesh soup_mesh(const overlap_soup *s)
{
    return toi_make_mesh(s->points[0], s->points[0], s->vertices, s->face[0], s->faces);
}

// ---- Other names

static void shuffle(int32_t *order, int count, toi_random *random)
{
    for (int i = 0; i < count; ++i)
        order[i] = i;
    for (int i = count - 1; i > 0; --i) {
        int j = below(random, i + 1);
        int32_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

void shuffle_soup(const overlap_soup *s, overlap_soup *shuffled, int32_t *renamed,
                  toi_random *random)
{
    int32_t vertex[SOUP_VERTICES];
    *shuffled = *s;
    shuffle(vertex, s->vertices, random);
    shuffle(renamed, s->faces, random);
    for (int i = 0; i < s->vertices; ++i) {
        memcpy(shuffled->lattice[vertex[i]], s->lattice[i], sizeof *s->lattice);
        memcpy(shuffled->points[vertex[i]], s->points[i], sizeof *s->points);
        shuffled->groups[vertex[i]] = s->groups[i];
    }
    for (int f = 0; f < s->faces; ++f) {
        int turn = below(random, 3), step = 1 + below(random, 2);
        for (int i = 0; i < 3; ++i)
            shuffled->face[renamed[f]][i] = vertex[s->face[f][(turn + step * i) % 3]];
    }
}
