// What the leaves of the hierarchy hold, and which of them hold a vertex or an edge.

#include "track/literature/mccd.h"

#include <inttypes.h>
#include <string.h>

// ---- Rows

static void free_rows(toi_row_lists *rows)
{
    toi_give_back(rows->first);
    toi_give_back(rows->ids);
    *rows = (toi_row_lists){0};
}

static toi_status take_starts(toi_row_lists *rows, int64_t count, toi_budget *budget)
{
    rows->first = toi_take(budget, count + 1, sizeof *rows->first);
    if (!rows->first)
        return toi_allocation_status();
    memset(rows->first, 0, (size_t)(count + 1) * sizeof *rows->first);
    return TOI_OK;
}

// From lengths, where row i's is first[i + 1], to starts; and takes the numbers.
static toi_status take_ids(toi_row_lists *rows, int64_t count, toi_budget *budget)
{
    for (int64_t i = 0; i < count; ++i)
        rows->first[i + 1] += rows->first[i];
    rows->ids = toi_take(budget, rows->first[count], sizeof *rows->ids);
    return rows->ids ? TOI_OK : toi_allocation_status();
}

// After rows were filled by first[i]++, each start is the next one's.
static void restore_starts(toi_row_lists *rows, int64_t count)
{
    for (int64_t i = count; i > 0; --i)
        rows->first[i] = rows->first[i - 1];
    rows->first[0] = 0;
}

// Lists, for each vertex, the elements that hold it.
static toi_status list_by_vertex(toi_elements *e, int64_t vertices, toi_budget *budget)
{
    toi_row_lists *rows = &e->of_vertex;
    toi_status status = take_starts(rows, vertices, budget);
    for (int64_t i = 0; i < e->count && status == TOI_OK; ++i)
        for (int k = 0; k < 3; ++k)
            rows->first[e->corners[i][k] + 1] += toi_is_new_corner(e->corners[i], k);
    if (status == TOI_OK)
        status = take_ids(rows, vertices, budget);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < e->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (toi_is_new_corner(e->corners[i], k))
                rows->ids[rows->first[e->corners[i][k]]++] = (int32_t)i;
    restore_starts(rows, vertices);
    return TOI_OK;
}

// ---- Edges

static int64_t row_length(const toi_row_lists *rows, int32_t i)
{
    return rows->first[i + 1] - rows->first[i];
}

static bool holds(const toi_elements *e, int32_t element, int32_t vertex)
{
    const int32_t *c = e->corners[element];
    return c[0] == vertex || c[1] == vertex || c[2] == vertex;
}

// The faces that an edge is a side of, to `faces` unless that is NULL; returns how many. Of an edge
// from a vertex to itself there are none.
static int64_t find_faces(const toi_elements *e, const int32_t edge[2], int32_t *faces)
{
    const toi_row_lists *rows = &e->of_vertex;
    int32_t a = edge[0], b = edge[1];
    if (row_length(rows, b) < row_length(rows, a)) {
        a = edge[1];
        b = edge[0];
    }
    int64_t count = 0;
    for (int64_t i = rows->first[a]; a != b && i < rows->first[a + 1]; ++i)
        if (holds(e, rows->ids[i], b)) {
            if (faces)
                faces[count] = rows->ids[i];
            ++count;
        }
    return count;
}

// One that is a side of no face becomes an element itself, number e->count and so on.
static toi_status list_by_edge(toi_elements *e, const toi_mesh *mesh, toi_budget *budget)
{
    toi_row_lists *rows = &e->of_edge;
    int64_t edges = mesh->edges.count;
    toi_status status = take_starts(rows, edges, budget);
    for (int64_t i = 0; i < edges && status == TOI_OK; ++i) {
        int64_t faces = find_faces(e, toi_edge_at(&mesh->edges, i), NULL);
        rows->first[i + 1] = faces > 0 ? faces : 1;
    }
    if (status == TOI_OK)
        status = take_ids(rows, edges, budget);
    int64_t own = e->count;
    for (int64_t i = 0; i < edges && status == TOI_OK; ++i) {
        int32_t *row = rows->ids + rows->first[i];
        if (find_faces(e, toi_edge_at(&mesh->edges, i), row) == 0)
            row[0] = (int32_t)own++;
    }
    return status;
}

static toi_status list_edges(toi_elements *e, int64_t edges, toi_budget *budget)
{
    toi_row_lists *rows = &e->edges;
    const toi_row_lists *of_edge = &e->of_edge;
    toi_status status = take_starts(rows, e->count, budget);
    for (int64_t i = 0; status == TOI_OK && i < of_edge->first[edges]; ++i)
        ++rows->first[of_edge->ids[i] + 1];
    if (status == TOI_OK)
        status = take_ids(rows, e->count, budget);
    for (int64_t i = 0; i < edges && status == TOI_OK; ++i)
        for (int64_t k = of_edge->first[i]; k < of_edge->first[i + 1]; ++k)
            rows->ids[rows->first[of_edge->ids[k]]++] = (int32_t)i;
    if (status == TOI_OK)
        restore_starts(rows, e->count);
    return status;
}

// ---- Elements

enum
{
    MOST_ELEMENTS = 1 << 29 // so that the nodes of a tree and a sign fit into 32 bits
};

static toi_status check_count(int64_t count)
{
    if (count <= MOST_ELEMENTS)
        return TOI_OK;
    return toi_fail(TOI_ERROR_UNSUPPORTED,
                    "%" PRId64 " faces and loose parts: this tracking method takes at most %d; use "
                    "'auto'",
                    count, MOST_ELEMENTS);
}

// What faces and edges do not name: marks are 1 where they do.
static int64_t mark_named(const toi_elements *e, const toi_mesh *mesh, uint8_t *marks)
{
    int64_t named = 0;
    for (int64_t v = 0; v < mesh->start.count; ++v)
        marks[v] = row_length(&e->of_vertex, (int32_t)v) > 0;
    for (int64_t i = 0; i < mesh->edges.count; ++i)
        for (int k = 0; k < 2; ++k)
            marks[toi_edge_at(&mesh->edges, i)[k]] = 1;
    for (int64_t v = 0; v < mesh->start.count; ++v)
        named += marks[v];
    return named;
}

static int64_t count_loose_edges(const toi_elements *e, int64_t edges)
{
    int64_t loose = 0;
    for (int64_t i = 0; i < edges; ++i)
        loose += e->of_edge.ids[e->of_edge.first[i]] >= e->face_count;
    return loose;
}

static void append(toi_elements *e, int32_t a, int32_t b)
{
    int32_t *corners = e->corners[e->count++];
    corners[0] = a;
    corners[1] = corners[2] = b;
}

static toi_status append_loose(toi_elements *e, const toi_mesh *mesh, const uint8_t *marks,
                               int64_t count, toi_budget *budget)
{
    toi_status status = check_count(count);
    if (status != TOI_OK || count == e->count)
        return status;
    int32_t(*corners)[3] = toi_take(budget, count, sizeof *corners);
    if (!corners)
        return toi_allocation_status();
    memcpy(corners, e->corners, (size_t)e->count * sizeof *corners);
    toi_give_back(e->corners);
    e->corners = corners;
    for (int64_t i = 0; i < mesh->edges.count; ++i)
        if (e->of_edge.ids[e->of_edge.first[i]] >= e->face_count)
            append(e, toi_edge_at(&mesh->edges, i)[0], toi_edge_at(&mesh->edges, i)[1]);
    for (int64_t v = 0; v < mesh->start.count; ++v)
        if (!marks[v])
            append(e, (int32_t)v, (int32_t)v);
    free_rows(&e->of_vertex); // it knows of the faces alone
    return list_by_vertex(e, mesh->start.count, budget);
}

static toi_status add_loose_elements(toi_elements *e, const toi_mesh *mesh, toi_budget *budget)
{
    uint8_t *marks = toi_take(budget, mesh->start.count, sizeof *marks);
    if (!marks)
        return toi_allocation_status();
    int64_t unnamed = mesh->start.count - mark_named(e, mesh, marks);
    int64_t count = e->face_count + count_loose_edges(e, mesh->edges.count) + unnamed;
    toi_status status = append_loose(e, mesh, marks, count, budget);
    toi_give_back(marks);
    return status;
}

static toi_status take_faces(toi_elements *e, const toi_mesh *mesh, toi_budget *budget)
{
    e->corners = toi_take(budget, e->count, sizeof *e->corners);
    if (!e->corners)
        return toi_allocation_status();
    for (int64_t i = 0; i < e->count; ++i)
        memcpy(e->corners[i], toi_face_at(&mesh->faces, i), sizeof *e->corners);
    return TOI_OK;
}

toi_status toi_make_elements(const toi_mesh *mesh, toi_budget *budget, toi_elements *e)
{
    *e = (toi_elements){.face_count = mesh->faces.count, .count = mesh->faces.count};
    toi_status status = check_count(e->count + mesh->edges.count);
    if (status == TOI_OK)
        status = take_faces(e, mesh, budget);
    if (status == TOI_OK)
        status = list_by_vertex(e, mesh->start.count, budget);
    if (status == TOI_OK)
        status = list_by_edge(e, mesh, budget);
    if (status == TOI_OK)
        status = add_loose_elements(e, mesh, budget);
    if (status == TOI_OK)
        status = list_edges(e, mesh->edges.count, budget);
    if (status != TOI_OK)
        toi_free_elements(e);
    return status;
}

void toi_free_elements(toi_elements *e)
{
    toi_give_back(e->corners);
    free_rows(&e->of_vertex);
    free_rows(&e->of_edge);
    free_rows(&e->edges);
    *e = (toi_elements){0};
}

static int64_t row_bytes(const toi_row_lists *rows, int64_t count)
{
    return (count + 1) * (int64_t)sizeof *rows->first +
           rows->first[count] * (int64_t)sizeof *rows->ids;
}

int64_t toi_elements_bytes(const toi_elements *e, const toi_mesh *mesh)
{
    return e->count * (int64_t)sizeof *e->corners + row_bytes(&e->of_vertex, mesh->start.count) +
           row_bytes(&e->of_edge, mesh->edges.count) + row_bytes(&e->edges, e->count);
}
