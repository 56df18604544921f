// The parts of a mesh that belong to nothing larger: vertices that no face and no edge names, and
// edges that are no side of a face.

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "mesh/mesh.h"

#include <string.h>

// Rows of vertices, which get a mark.
typedef struct marking
{
    const toi_index_view *view;
    int width;
    uint8_t *marks;
} marking;

static toi_status mark_piece(void *context, int64_t first, int64_t end)
{
    const marking *m = context;
    for (int64_t i = first; i < end; ++i)
        for (int k = 0; k < m->width; ++k) // several workers may set the same one
            __atomic_store_n(&m->marks[toi_index_row(m->view, m->width, i)[k]], 1,
                             __ATOMIC_RELAXED);
    return TOI_OK;
}

static void mark_rows(const toi_index_view *view, int width, uint8_t *marks, int workers)
{
    marking m = {view, width, marks};
    toi_parallel_ranges(workers, view->count, TOI_PIECE, mark_piece, &m); // does not fail
}

static int64_t count_unmarked(const uint8_t *marks, int64_t count)
{
    int64_t unmarked = 0;
    for (int64_t i = 0; i < count; ++i)
        unmarked += !marks[i];
    return unmarked;
}

static uint8_t *take_marks(toi_budget *budget, int64_t count)
{
    uint8_t *marks = toi_take(budget, count, sizeof *marks);
    if (marks)
        memset(marks, 0, (size_t)count);
    return marks;
}

static toi_status list_unmarked(const uint8_t *marks, int64_t count, toi_budget *budget,
                                int32_t **list, int64_t *length)
{
    int64_t unmarked = count_unmarked(marks, count), next = 0;
    if (unmarked == 0)
        return TOI_OK;
    *list = toi_take_new(budget, unmarked, sizeof **list);
    if (!*list)
        return toi_allocation_status();
    for (int64_t i = 0; i < count; ++i)
        if (!marks[i])
            (*list)[next++] = (int32_t)i;
    *length = unmarked;
    return TOI_OK;
}

// Edges are only looked at where the faces have not named every vertex.
static toi_status find_vertices(const toi_mesh *mesh, int workers, toi_budget *budget,
                                toi_loose_parts *loose)
{
    int64_t count = mesh->start.count;
    uint8_t *marks = take_marks(budget, count);
    if (!marks)
        return toi_allocation_status();
    mark_rows(&mesh->faces, 3, marks, workers);
    toi_status status = TOI_OK;
    if (memchr(marks, 0, (size_t)count)) {
        mark_rows(&mesh->edges, 2, marks, workers);
        status = list_unmarked(marks, count, budget, &loose->vertices, &loose->vertex_count);
    }
    toi_give_back(marks);
    return status;
}

// The sides of the faces, sorted, and which edges are among them.
typedef struct side_search
{
    const toi_mesh *mesh;
    uint64_t *sides;
    uint8_t *marks; // of the edges
} side_search;

static bool is_side(const side_search *s, uint64_t key)
{
    int64_t lo = 0, count = 3 * s->mesh->faces.count, hi = count;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (s->sides[middle] < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < count && s->sides[lo] == key;
}

static toi_status mark_sides(void *context, int64_t first, int64_t end)
{
    const side_search *s = context;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *edge = toi_edge_at(&s->mesh->edges, i);
        s->marks[i] = is_side(s, toi_edge_key(edge[0], edge[1]));
    }
    return TOI_OK;
}

static toi_status sort_sides(const side_search *s, int workers, toi_budget *budget)
{
    const toi_index_view *faces = &s->mesh->faces;
    for (int64_t i = 0; i < faces->count; ++i) {
        const int32_t *f = toi_face_at(faces, i);
        for (int k = 0; k < 3; ++k)
            s->sides[3 * i + k] = toi_edge_key(f[k], f[(k + 1) % 3]);
    }
    return toi_radix_sort(s->sides, 3 * faces->count, ~(uint64_t)0, workers, budget);
}

static toi_status find_edges(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_loose_parts *loose)
{
    int64_t count = mesh->edges.count;
    side_search s = {.mesh = mesh, .marks = take_marks(budget, count)};
    s.sides = s.marks ? toi_take(budget, 3 * mesh->faces.count, sizeof *s.sides) : NULL;
    toi_status status = s.sides ? sort_sides(&s, workers, budget) : toi_allocation_status();
    if (status == TOI_OK && mesh->faces.count > 0)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, mark_sides, &s);
    toi_give_back(s.sides);
    if (status == TOI_OK)
        status = list_unmarked(s.marks, count, budget, &loose->edges, &loose->edge_count);
    toi_give_back(s.marks);
    return status;
}

toi_status toi_find_loose_parts(const toi_mesh *mesh, int workers, toi_budget *budget,
                                toi_loose_parts *loose)
{
    *loose = (toi_loose_parts){0};
    toi_status status = find_vertices(mesh, workers, budget, loose);
    if (status == TOI_OK && loose->vertex_count > 0 && mesh->edges.count > 0)
        status = find_edges(mesh, workers, budget, loose);
    if (status != TOI_OK)
        toi_free_loose_parts(loose);
    return status;
}

int64_t toi_loose_parts_need(int64_t vertices, int64_t edges, int64_t faces)
{
    enum
    {
        KEY_BYTES = 2 * 8, // with what sorting takes
        MARK_BYTES = 1
    };
    int64_t sides = edges > 0 ? 3 * faces : 0;
    return MARK_BYTES * (vertices + edges) + KEY_BYTES * sides;
}

void toi_free_loose_parts(toi_loose_parts *loose)
{
    toi_give_back(loose->vertices);
    toi_give_back(loose->edges);
    *loose = (toi_loose_parts){0};
}
