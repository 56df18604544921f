// Takes a random share of a mesh's faces and edges, with the vertices they need.

#include "bench_subset.h"

#include "toi/random.h"

#include <string.h>

typedef struct selection
{
    double share;
    uint64_t seeds[2]; // of faces, of loose edges
    int32_t *numbers;  // a vertex's number in the subset; negative: it is not in it
} selection;

static bool is_kept(const selection *s, bool loose, int64_t index)
{
    toi_random random = {s->seeds[loose] + (uint64_t)index};
    return toi_random_unit(&random) < s->share;
}

// Marks the corners of an element that is kept.
static void mark(selection *s, const int32_t *corners, int count)
{
    for (int i = 0; i < count; ++i)
        s->numbers[corners[i]] = 0;
}

// Marks what is kept and returns how many vertices that are, numbered as they come in the mesh.
static int64_t number_vertices(selection *s, const frames *whole, int64_t *faces, int64_t *loose)
{
    const toi_mesh *mesh = &whole->mesh;
    for (int64_t i = 0; i < mesh->start.count; ++i)
        s->numbers[i] = -1;
    for (int64_t i = 0; i < mesh->faces.count; ++i)
        if (is_kept(s, false, i)) {
            mark(s, whole->faces[i], 3);
            ++*faces;
        }
    for (int64_t i = 0; i < whole->loose_count; ++i)
        if (is_kept(s, true, i)) {
            mark(s, whole->loose[i], 2);
            ++*loose;
        }
    int32_t count = 0;
    for (int64_t i = 0; i < mesh->start.count; ++i)
        if (s->numbers[i] == 0)
            s->numbers[i] = count++;
    return count;
}

static void copy_elements(const selection *s, const frames *whole, mesh_subset *subset)
{
    int64_t face = 0, edge = 0;
    for (int64_t i = 0; i < whole->mesh.start.count; ++i)
        if (s->numbers[i] >= 0) {
            memcpy(subset->start[s->numbers[i]], whole->start[i], sizeof *subset->start);
            memcpy(subset->end[s->numbers[i]], whole->end[i], sizeof *subset->end);
        }
    for (int64_t i = 0; i < whole->mesh.faces.count; ++i)
        if (is_kept(s, false, i)) {
            for (int k = 0; k < 3; ++k)
                subset->faces[face][k] = s->numbers[whole->faces[i][k]];
            ++face;
        }
    for (int64_t i = 0; i < whole->loose_count; ++i)
        if (is_kept(s, true, i)) {
            for (int k = 0; k < 2; ++k)
                subset->loose[edge][k] = s->numbers[whole->loose[i][k]];
            ++edge;
        }
}

static toi_status fill_subset(selection *s, const frames *whole, mesh_subset *subset)
{
    int64_t faces = 0, loose = 0, vertices = number_vertices(s, whole, &faces, &loose);
    if (vertices == 0)
        return toi_fail(TOI_ERROR_DATA, "a share of %g of %s has no faces and no edges", s->share,
                        whole->name);
    subset->start = toi_allocate((size_t)vertices * sizeof *subset->start);
    subset->end = toi_allocate((size_t)vertices * sizeof *subset->end);
    subset->faces = toi_allocate((size_t)faces * sizeof *subset->faces);
    subset->loose = toi_allocate((size_t)loose * sizeof *subset->loose);
    if (!subset->start || !subset->end || !subset->faces || !subset->loose)
        return TOI_ERROR_MEMORY;
    copy_elements(s, whole, subset);
    subset->mesh = toi_make_mesh((const double *)subset->start, (const double *)subset->end,
                                 vertices, (const int32_t *)subset->faces, faces);
    const toi_index_view edges = {(const int32_t *)subset->loose, loose, 0};
    toi_status status = toi_make_edges(subset->mesh.faces, edges, vertices, &subset->edges);
    subset->mesh.edges = toi_view_edges(&subset->edges);
    return status == TOI_OK ? toi_check_mesh(&subset->mesh) : status;
}

toi_status make_subset(const frames *whole, double share, uint64_t seed, mesh_subset *subset)
{
    *subset = (mesh_subset){.start = NULL};
    toi_random random = {seed};
    selection s = {.share = share};
    s.seeds[false] = toi_random_bits(&random);
    s.seeds[true] = toi_random_bits(&random);
    s.numbers = toi_allocate((size_t)whole->mesh.start.count * sizeof *s.numbers);
    toi_status status = s.numbers ? fill_subset(&s, whole, subset) : TOI_ERROR_MEMORY;
    toi_release(s.numbers);
    return status;
}

void free_subset(mesh_subset *subset)
{
    toi_release(subset->start);
    toi_release(subset->end);
    toi_release(subset->faces);
    toi_release(subset->loose);
    toi_free_edges(&subset->edges);
    *subset = (mesh_subset){.start = NULL};
}
