// Joins the equal corners of separate triangles into shared vertices.

#include "io/weld.h"

#include <string.h>
#include <unistd.h>

// An open-addressed hash table of vertices. The seed is random, so that no file can be made to
// collide on purpose; the result does not depend on it.
typedef struct weld_table
{
    int32_t *slots; // a vertex, or -1
    uint64_t mask;
    uint64_t seed;
} weld_table;

// The corner at one or two times.
typedef struct weld_corner
{
    const double *start;
    const double *end; // or NULL
} weld_corner;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t hash_point(uint64_t hash, const double *point)
{
    for (int axis = 0; axis < 3; ++axis) {
        double value = point[axis] + 0.0; // turns -0 into 0
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash ^ bits);
    }
    return hash;
}

static bool same_point(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static toi_status make_table(int64_t corners, weld_table *made)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)corners)
        size *= 2;
    *made = (weld_table){toi_allocate(size * sizeof *made->slots), size - 1, 0};
    if (!made->slots)
        return TOI_ERROR_MEMORY;
    memset(made->slots, 0xff, size * sizeof *made->slots);
    if (getentropy(&made->seed, sizeof made->seed) != 0)
        made->seed = (uint64_t)(uintptr_t)made->slots; // a weaker secret, but never a wrong answer
    return TOI_OK;
}

// The slot of the vertex equal to a corner, or the empty one where it belongs.
static int32_t *find(const weld_table *table, const toi_mesh_file *start, const toi_mesh_file *end,
                     weld_corner corner)
{
    uint64_t hash = hash_point(table->seed, corner.start);
    if (end)
        hash = hash_point(hash, corner.end);
    for (uint64_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        int32_t vertex = table->slots[i];
        if (vertex < 0)
            return &table->slots[i];
        if (same_point(start->points[vertex], corner.start) &&
            (!end || same_point(end->points[vertex], corner.end)))
            return &table->slots[i];
    }
}

// Vertices are moved to the front of the corners' own array: a vertex never has a higher number
// than its first corner.
static void weld_corners(const weld_table *table, toi_mesh_file *start, toi_mesh_file *end,
                         int32_t *vertex_of_corner)
{
    int64_t vertices = 0;
    for (int64_t i = 0; i < start->point_count; ++i) {
        weld_corner corner = {start->points[i], end ? end->points[i] : NULL};
        int32_t *slot = find(table, start, end, corner);
        if (*slot < 0) {
            *slot = (int32_t)vertices;
            memmove(start->points[vertices], corner.start, sizeof *start->points);
            if (end)
                memmove(end->points[vertices], corner.end, sizeof *end->points);
            ++vertices;
        }
        vertex_of_corner[i] = *slot;
    }
    start->point_count = vertices;
}

// Gives a mesh its faces; `corners` counts the points it had.
static toi_status allocate_faces(toi_mesh_file *mesh, int64_t corners)
{
    if (corners == 0)
        return TOI_OK;
    mesh->faces = toi_allocate((size_t)corners * sizeof(int32_t));
    return mesh->faces ? TOI_OK : TOI_ERROR_MEMORY;
}

toi_status toi_weld(toi_mesh_file *start, toi_mesh_file *end)
{
    int64_t corners = start->point_count;
    toi_status status = allocate_faces(start, corners);
    if (status == TOI_OK && end)
        status = allocate_faces(end, corners);
    if (status != TOI_OK || corners == 0)
        return status;
    weld_table table;
    status = make_table(corners, &table);
    if (status != TOI_OK)
        return status;
    weld_corners(&table, start, end, start->faces[0]);
    toi_release(table.slots);
    start->face_count = corners / 3;
    if (end) {
        memcpy(end->faces, start->faces, (size_t)corners * sizeof(int32_t));
        end->face_count = start->face_count;
        end->point_count = start->point_count;
    }
    return TOI_OK;
}
