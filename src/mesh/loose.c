// The parts of a mesh that belong to nothing larger: vertices that no face and no edge names, and
// edges that are no side of a face.

#include "base/parallel.h"
#include "mesh/edge_set.h"

#include <string.h>

// Rows of vertices, which get a mark.
typedef struct marking
{
    const toi_index_view *view;
    int width;
    bool alone; // one worker
    uint8_t *marks;
} marking;

// Several workers may set the same mark, but only where it is not set yet: a cache line that all of
// them write to is with one of them at a time.
static inline void set_mark(uint8_t *mark)
{
    if (!__atomic_load_n(mark, __ATOMIC_RELAXED))
        __atomic_store_n(mark, 1, __ATOMIC_RELAXED);
}

// Alone there is nobody to share with, and to look first would be a branch that nobody can guess.
static void mark_alone(const marking *m, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; ++i)
        for (int k = 0; k < m->width; ++k)
            m->marks[toi_index_row(m->view, m->width, i)[k]] = 1;
}

static toi_status mark_piece(void *context, int64_t first, int64_t end)
{
    const marking *m = context;
    if (m->alone) {
        mark_alone(m, first, end);
        return TOI_OK;
    }
    for (int64_t i = first; i < end; ++i)
        for (int k = 0; k < m->width; ++k)
            set_mark(&m->marks[toi_index_row(m->view, m->width, i)[k]]);
    return TOI_OK;
}

static void mark_rows(const toi_index_view *view, int width, uint8_t *marks, int workers)
{
    marking m = {view, width, workers == 1, marks};
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

// Edges, and which of them are sides of faces.
typedef struct side_search
{
    toi_edge_set edges;
    uint8_t *sides; // by place in the set: the first of those that are alike
    uint8_t *marks; // by edge
} side_search;

static toi_status find_sides(void *context, int64_t first, int64_t end)
{
    const side_search *s = context;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *f = toi_face_at(&s->edges.mesh->faces, i);
        for (int k = 0; k < 3; ++k) {
            int64_t at = toi_find_edge(&s->edges, f[k], f[(k + 1) % 3]);
            if (at >= 0) // a side from a vertex to itself need not be among the edges
                set_mark(&s->sides[at]);
        }
    }
    return TOI_OK;
}

static toi_status mark_sides(void *context, int64_t first, int64_t end)
{
    const side_search *s = context;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *edge = toi_edge_at(&s->edges.mesh->edges, i);
        s->marks[i] = s->sides[toi_find_edge(&s->edges, edge[0], edge[1])];
    }
    return TOI_OK;
}

static toi_status find_edges(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_loose_parts *loose)
{
    int64_t count = mesh->edges.count;
    side_search s = {.sides = take_marks(budget, 2 * count)};
    if (!s.sides)
        return toi_allocation_status();
    s.marks = s.sides + count;
    toi_status status = toi_make_edge_set(mesh, workers, budget, &s.edges);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, mesh->faces.count, TOI_PIECE, find_sides, &s);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, count, TOI_PIECE, mark_sides, &s);
    toi_free_edge_set(&s.edges);
    if (status == TOI_OK)
        status = list_unmarked(s.marks, count, budget, &loose->edges, &loose->edge_count);
    toi_give_back(s.sides);
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

int64_t toi_loose_parts_need(int64_t vertices, int64_t edges)
{
    enum
    {
        EDGE_BYTES = 4 + 2 * 8 + 2, // its lower vertex, a key with what sorting takes, two marks
        FIRST_BYTES = 4,
        MARK_BYTES = 1
    };
    int64_t set = edges > 0 ? EDGE_BYTES * edges + FIRST_BYTES * vertices : 0;
    return MARK_BYTES * vertices > set ? MARK_BYTES * vertices : set;
}

void toi_free_loose_parts(toi_loose_parts *loose)
{
    toi_give_back(loose->vertices);
    toi_give_back(loose->edges);
    *loose = (toi_loose_parts){0};
}
