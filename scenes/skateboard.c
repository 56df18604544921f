// A skateboard as a mesh: the deck is a row of rectangles, a wheel two circles.

#include "skateboard.h"

#include "vec3.h"
#include "wave.h"

enum
{
    SECTIONS = 13, // of the deck
    AROUND = 12,   // a wheel
    WHEELS = 4,
    POINTS = 4 * SECTIONS + WHEELS * 2 * AROUND,
    FACES = 8 * (SECTIONS - 1) + 4 + WHEELS * (4 * AROUND - 4)
};

static void add_point(toi_solid *solid, double x, double y, double z)
{
    put3(solid->points[solid->point_count++], (vec3){x, y, z});
}

static void add_face(toi_solid *solid, int64_t a, int64_t b, int64_t c)
{
    int32_t *face = solid->faces[solid->face_count++];
    face[0] = (int32_t)a;
    face[1] = (int32_t)b;
    face[2] = (int32_t)c;
}

// Joins loops of `count` points each, one after another from `first` on, and closes both ends.
static void join_loops(toi_solid *solid, int64_t first, int64_t count, int64_t loops)
{
    for (int64_t loop = 0; loop + 1 < loops; ++loop)
        for (int64_t i = 0; i < count; ++i) {
            int64_t a = first + loop * count + i, b = first + loop * count + (i + 1) % count;
            add_face(solid, a, b, b + count);
            add_face(solid, a, b + count, a + count);
        }
    int64_t last = first + (loops - 1) * count;
    for (int64_t i = 1; i + 1 < count; ++i) {
        add_face(solid, first, first + i + 1, first + i);
        add_face(solid, last, last + i, last + i + 1);
    }
}

static void add_deck(toi_solid *solid, double length)
{
    int64_t first = solid->point_count;
    double thick = 0.018 * length;
    for (int i = 0; i < SECTIONS; ++i) {
        double share = 2.0 * i / (SECTIONS - 1) - 1; // from tail to nose
        double end = fabs(share) > 0.66 ? fabs(share) - 0.66 : 0.0;
        double half = 0.13 * length * (1 - 3.4 * end * end), lift = 0.25 * length * end;
        double x = 0.5 * length * share;
        add_point(solid, x, -half, lift);
        add_point(solid, x, half, lift);
        add_point(solid, x, half, lift + thick);
        add_point(solid, x, -half, lift + thick);
    }
    join_loops(solid, first, 4, SECTIONS);
}

static void add_wheel(toi_solid *solid, double length, double x, double y)
{
    int64_t first = solid->point_count;
    double radius = 0.045 * length, half = 0.025 * length;
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < AROUND; ++i) {
            wave w = scene_wave((double)i / AROUND);
            add_point(solid, x + radius * w.sin, y + side * half, -0.055 * length + radius * w.cos);
        }
    join_loops(solid, first, AROUND, 2);
}

toi_status toi_make_skateboard(double length, toi_solid *solid)
{
    *solid = (toi_solid){0};
    solid->points = toi_allocate(POINTS * sizeof *solid->points);
    solid->faces = toi_allocate(FACES * sizeof *solid->faces);
    if (!solid->points || !solid->faces) {
        toi_free_solid(solid);
        return TOI_ERROR_MEMORY;
    }
    add_deck(solid, length);
    for (int wheel = 0; wheel < WHEELS; ++wheel)
        add_wheel(solid, length, (wheel & 1 ? 0.25 : -0.25) * length,
                  (wheel & 2 ? 0.1 : -0.1) * length);
    return TOI_OK;
}
