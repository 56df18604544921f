// Sorts the sides of faces, and finds the connected parts of a mesh.

#include "sides.h"

#include <stdlib.h>

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

toi_status list_sides(const int32_t (*faces)[3], int64_t count, side_list *sides)
{
    *sides = (side_list){toi_allocate((size_t)(3 * count + 1) * sizeof *sides->data), 0};
    if (!sides->data)
        return TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * count; ++i) {
        int32_t from = faces[i / 3][i % 3], to = faces[i / 3][(i + 1) % 3];
        if (from != to)
            sides->data[sides->count++] = (side){.low = from < to ? from : to,
                                                 .high = from < to ? to : from,
                                                 .face = (int32_t)(i / 3),
                                                 .forward = from < to};
    }
    qsort(sides->data, (size_t)sides->count, sizeof *sides->data, compare_sides);
    return TOI_OK;
}

int64_t count_same_edge(const side_list *sides, int64_t i)
{
    int64_t next = i + 1;
    while (next < sides->count && sides->data[next].low == sides->data[i].low &&
           sides->data[next].high == sides->data[i].high)
        ++next;
    return next - i;
}

// The vertex that stands for a part, with shorter ways for the next who asks.
static int32_t find_root(int32_t *up, int32_t v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

// The lower number stands for both. Vertices take part once they are named.
static void join(int32_t *up, int32_t a, int32_t b)
{
    up[a] = up[a] < 0 ? a : up[a];
    up[b] = up[b] < 0 ? b : up[b];
    a = find_root(up, a);
    b = find_root(up, b);
    up[a < b ? b : a] = a < b ? a : b;
}

int32_t find_parts(const toi_mesh *mesh, int32_t *parts)
{
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->start.count; ++v)
        parts[v] = -1;
    for (int64_t i = 0; i < mesh->faces.count; ++i)
        for (int k = 1; k < 3; ++k)
            join(parts, mesh->faces.data[3 * i], mesh->faces.data[3 * i + k]);
    for (int64_t i = 0; i < mesh->edges.count; ++i)
        join(parts, mesh->edges.data[2 * i], mesh->edges.data[2 * i + 1]);
    for (int32_t v = 0; v < mesh->start.count; ++v)
        parts[v] = parts[v] < 0 ? -1 : find_root(parts, v);
    // A part's first vertex, which stands for all, comes before the others.
    for (int32_t v = 0; v < mesh->start.count; ++v)
        if (parts[v] >= 0)
            parts[v] = parts[v] == v ? count++ : parts[parts[v]];
    return count;
}
