// Bolts and nuts: rings about an axis, and between two of them rows of points that climb like a
// screw, joined to the rings and to themselves one turn on.

#include "threads.h"

#include "vec3.h"
#include "wave.h"

enum
{
    ROWS_A_TURN = 4 // the corners of the profile: two of the root, two of the crest
};

// Where the profile's corners are within a pitch, and how high: 60 degrees between the flanks.
static const double CORNER_AT[ROWS_A_TURN] = {0.0, 0.25, 0.5625, 0.6875};
static const double CORNER_HEIGHT[ROWS_A_TURN] = {0.0, 0.0, 1.0, 1.0};

static double thread_height(const toi_thread *thread)
{
    return 0.625 * 0.86602540378443864676 * thread->pitch;
}

// A body under construction.
typedef struct lathe
{
    const toi_thread *thread;
    toi_solid *solid;
    int around;
    int64_t room[2]; // points and faces that there is memory for
    bool inward;     // faces look towards the axis
} lathe;

static int64_t add_point(lathe *l, double radius, double turns, double z)
{
    wave w = scene_wave(turns);
    put3(l->solid->points[l->solid->point_count], (vec3){radius * w.cos, radius * w.sin, z});
    return l->solid->point_count++;
}

static void add_face(lathe *l, int64_t a, int64_t b, int64_t c)
{
    int32_t *face = l->solid->faces[l->solid->face_count++];
    face[0] = (int32_t)a;
    face[1] = (int32_t)(l->inward ? c : b);
    face[2] = (int32_t)(l->inward ? b : c);
}

static void add_square(lathe *l, int64_t a, int64_t b, int64_t c, int64_t d)
{
    add_face(l, a, b, c);
    add_face(l, a, c, d);
}

// A ring of points, a hexagon's or a circle's, counter-clockwise; returns the first.
static int64_t add_ring(lathe *l, double radius, bool hexagon, double z)
{
    int64_t first = l->solid->point_count;
    for (int i = 0; i < l->around; ++i) {
        double turns = (double)i / l->around;
        double side = 6 * turns - floor(6 * turns) - 0.5; // from the middle of a side
        double r = hexagon ? radius / scene_wave(side / 6).cos : radius;
        add_point(l, r, turns, z);
    }
    return first;
}

// The band from a ring to one above it or, flat, further inward.
static void join_rings(lathe *l, int64_t low, int64_t high)
{
    for (int i = 0; i < l->around; ++i) {
        int next = (i + 1) % l->around;
        add_square(l, low + i, low + next, high + next, high + i);
    }
}

// A disc about the axis; `up` is where it looks.
static void close_ring(lathe *l, int64_t ring, double z, bool up)
{
    int64_t middle = add_point(l, 0.0, 0.0, z);
    for (int i = 0; i < l->around; ++i) {
        int64_t here = ring + i, there = ring + (i + 1) % l->around;
        add_face(l, middle, up ? here : there, up ? there : here);
    }
}

// ---------------------------------------------------------------------------------------------
// The thread between two rings

typedef struct helix
{
    double low; // where the rings are
    double high;
    double begin;  // of the first row at the first column
    double plain;  // radius at the rings
    double root;   // radius where the profile's height is 0
    int corner;    // of the profile that the rows begin with
    int rows;      // a column; the first column has a turn more
    int64_t first; // point
} helix;

// From the axis: the profile, flattened towards the rings over one pitch.
static double helix_radius(const toi_thread *thread, const helix *h, int row, double z)
{
    double from_end = fmin(z - h->low, h->high - z) / thread->pitch;
    double depth = fmax(0.0, fmin(1.0, from_end));
    double profile = h->root + thread_height(thread) * CORNER_HEIGHT[row % ROWS_A_TURN];
    return h->plain + depth * (profile - h->plain);
}

static void add_column(lathe *l, const helix *h, int column, int rows)
{
    double turns = (double)column / l->around, pitch = l->thread->pitch;
    for (int row = h->corner; row < h->corner + rows; ++row) {
        double share = CORNER_AT[row % ROWS_A_TURN] + (double)(row / ROWS_A_TURN) + turns;
        double z = h->begin + pitch * share;
        add_point(l, helix_radius(l->thread, h, row, z), turns, z);
    }
}

// Column `around` is the first, one turn further up.
static int64_t helix_point(const lathe *l, const helix *h, int column, int row)
{
    if (column == l->around)
        return h->first + row + ROWS_A_TURN;
    int64_t before = column > 0 ? (int64_t)column * h->rows + ROWS_A_TURN : 0;
    return h->first + before + row;
}

// Where the screw begins, its first column stands ROWS_A_TURN points above the ring, seen from
// before; where it ends, below the ring, seen from behind. A fan fills each.
static void fill_ends(lathe *l, const helix *h, int64_t low, int64_t high)
{
    int last = l->around - 1;
    int64_t hub = helix_point(l, h, last, 0);
    add_face(l, hub, low + last, low);
    add_face(l, hub, low, helix_point(l, h, 0, 0));
    for (int row = 0; row < ROWS_A_TURN; ++row)
        add_face(l, hub, helix_point(l, h, 0, row), helix_point(l, h, 0, row + 1));
    hub = helix_point(l, h, 1, h->rows - 1);
    add_face(l, hub, high + 1, high);
    add_face(l, hub, high, helix_point(l, h, 0, h->rows + ROWS_A_TURN - 1));
    for (int row = h->rows + ROWS_A_TURN - 1; row >= h->rows; --row)
        add_face(l, hub, helix_point(l, h, 0, row), helix_point(l, h, 0, row - 1));
}

static void add_helix(lathe *l, helix *h, int64_t low, int64_t high)
{
    double pitch = l->thread->pitch;
    // Ends with the second corner of the root or crest that it begins with.
    h->rows = ROWS_A_TURN * (int)((h->high - h->begin - 2 * pitch) / pitch - 0.7) + 2;
    h->first = l->solid->point_count;
    for (int column = 0; column < l->around; ++column)
        add_column(l, h, column, column ? h->rows : h->rows + ROWS_A_TURN);
    for (int column = 0; column < l->around; ++column) {
        for (int row = 0; row + 1 < h->rows; ++row)
            add_square(l, helix_point(l, h, column, row), helix_point(l, h, column + 1, row),
                       helix_point(l, h, column + 1, row + 1), helix_point(l, h, column, row + 1));
        int64_t next = (column + 1) % l->around;
        if (column + 1 < l->around)
            add_square(l, low + column, low + next, helix_point(l, h, column + 1, 0),
                       helix_point(l, h, column, 0));
        if (column > 0)
            add_square(l, helix_point(l, h, column, h->rows - 1),
                       helix_point(l, h, column + 1, h->rows - 1), high + next, high + column);
    }
    fill_ends(l, h, low, high);
}

// ---------------------------------------------------------------------------------------------
// Bodies

static toi_status start_lathe(const toi_thread *thread, double height, toi_solid *solid, lathe *l)
{
    int around = thread->around < 6 ? 6 : thread->around / 6 * 6;
    int64_t rows = ROWS_A_TURN * ((int64_t)(height / thread->pitch) + 2) + 8;
    *l = (lathe){.thread = thread, .solid = solid, .around = around};
    *solid = (toi_solid){0};
    if (rows * around > INT32_MAX / 4)
        return toi_fail(TOI_ERROR_LIMIT, "a thread of %lld points is too fine",
                        (long long)(rows * around));
    solid->points = toi_allocate((size_t)(rows * around) * sizeof *solid->points);
    solid->faces = toi_allocate((size_t)(2 * rows * around) * sizeof *solid->faces);
    if (solid->points && solid->faces)
        return TOI_OK;
    toi_free_solid(solid);
    return TOI_ERROR_MEMORY;
}

toi_status toi_make_bolt(const toi_thread *thread, double head, double length, toi_solid *solid)
{
    lathe l;
    toi_status status = start_lathe(thread, length, solid, &l);
    if (status != TOI_OK)
        return status;
    double core = thread->radius - thread_height(thread);
    int64_t bottom = add_ring(&l, 1.5 * thread->radius, true, 0.0);
    int64_t top = add_ring(&l, 1.5 * thread->radius, true, head);
    int64_t low = add_ring(&l, core, false, head);
    int64_t high = add_ring(&l, core, false, length);
    close_ring(&l, bottom, 0.0, false);
    join_rings(&l, bottom, top);
    join_rings(&l, top, low);
    helix h = {.low = head, .high = length, .plain = core, .root = core};
    h.begin = head + 0.1 * thread->pitch;
    add_helix(&l, &h, low, high);
    close_ring(&l, high, length, true);
    return TOI_OK;
}

toi_status toi_make_nut(const toi_thread *thread, double head, double height, toi_solid *solid,
                        double *lift)
{
    lathe l;
    toi_status status = start_lathe(thread, height, solid, &l);
    if (status != TOI_OK)
        return status;
    double wide = thread->radius + thread->clearance;
    int64_t bottom = add_ring(&l, 1.5 * thread->radius, true, 0.0);
    int64_t top = add_ring(&l, 1.5 * thread->radius, true, height);
    int64_t low = add_ring(&l, wide, false, 0.0);
    int64_t high = add_ring(&l, wide, false, height);
    join_rings(&l, bottom, top);
    join_rings(&l, top, high);
    join_rings(&l, low, bottom);
    helix h = {.low = 0.0, .high = height, .plain = wide};
    h.root = wide - thread_height(thread);
    h.begin = 0.1 * thread->pitch;
    h.corner = 2;
    l.inward = true;
    add_helix(&l, &h, low, high);
    *lift = head;
    return TOI_OK;
}
