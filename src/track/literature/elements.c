// What the leaves of the hierarchy hold, and which of them hold a vertex or an edge.

#include "track/literature/mccd.h"

#include "base/radix_sort.h"

#include <inttypes.h>
#include <string.h>

// ---- Rows

static void free_rows(toi_row_lists *rows)
{
    toi_give_back(rows->first);
    toi_give_back(rows->ids);
    *rows = (toi_row_lists){0};
}

// Entries of rows: the row above, the number below. Those of row number `count` are dropped.
typedef struct row_entries
{
    const toi_elements *elements;
    uint64_t *keys;
    int64_t key_count, count;
    toi_row_lists *rows;
} row_entries;

static uint64_t entry(int64_t row, int64_t id)
{
    return (uint64_t)row << 32 | (uint64_t)id;
}

static int64_t row_at(const row_entries *r, int64_t i)
{
    return i < 0 ? -1 : i < r->key_count ? (int64_t)(r->keys[i] >> 32) : r->count;
}

// Rows begin where sorted entries change; i runs to the end of the last one.
static toi_status find_starts(void *context, int64_t first, int64_t end)
{
    const row_entries *r = context;
    for (int64_t i = first; i < end; ++i)
        for (int64_t row = row_at(r, i - 1) + 1; row <= row_at(r, i); ++row)
            r->rows->first[row] = i;
    return TOI_OK;
}

static toi_status copy_ids(void *context, int64_t first, int64_t end)
{
    const row_entries *r = context;
    for (int64_t i = first; i < end; ++i)
        r->rows->ids[i] = (int32_t)(uint32_t)r->keys[i];
    return TOI_OK;
}

static toi_status sort_in_rows(row_entries *r, int workers, toi_budget *budget)
{
    toi_row_lists *rows = r->rows;
    toi_status status = toi_radix_sort(r->keys, r->key_count, UINT64_MAX << 32, workers, budget);
    rows->first = status == TOI_OK ? toi_take(budget, r->count + 1, sizeof *rows->first) : NULL;
    if (status == TOI_OK && !rows->first)
        status = toi_allocation_status();
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, r->key_count + 1, TOI_PIECE, find_starts, r);
    if (status != TOI_OK)
        return status;
    rows->ids = toi_take(budget, rows->first[r->count], sizeof *rows->ids);
    if (!rows->ids)
        return toi_allocation_status();
    return toi_parallel_ranges(workers, rows->first[r->count], TOI_PIECE, copy_ids, r);
}

// Makes `count` rows of the entries that `list` writes for `items` items. Entries of a row come in
// the order of the list.
static toi_status make_rows(row_entries *r, int64_t items, toi_range_fn *list, int workers,
                            toi_budget *budget)
{
    r->keys = toi_take(budget, r->key_count, sizeof *r->keys);
    if (!r->keys)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(workers, items, TOI_PIECE, list, r);
    if (status == TOI_OK)
        status = sort_in_rows(r, workers, budget);
    toi_give_back(r->keys);
    return status;
}

static toi_status list_corners(void *context, int64_t first, int64_t end)
{
    const row_entries *r = context;
    for (int64_t i = first; i < end; ++i)
        for (int k = 0; k < 3; ++k) {
            const int32_t *corners = r->elements->corners[i];
            r->keys[3 * i + k] = entry(toi_is_new_corner(corners, k) ? corners[k] : r->count, i);
        }
    return TOI_OK;
}

// Lists, for each vertex, the elements that hold it.
static toi_status list_by_vertex(toi_elements *e, int64_t vertices, int workers, toi_budget *budget)
{
    row_entries r = {
        .elements = e, .key_count = 3 * e->count, .count = vertices, .rows = &e->of_vertex};
    return make_rows(&r, e->count, list_corners, workers, budget);
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

// The rows of edges, while they are made.
typedef struct edge_rows
{
    toi_elements *elements;
    const toi_index_view *edges;
} edge_rows;

static toi_status count_faces(void *context, int64_t first, int64_t end)
{
    const edge_rows *r = context;
    for (int64_t i = first; i < end; ++i)
        r->elements->of_edge.first[i + 1] = find_faces(r->elements, toi_edge_at(r->edges, i), NULL);
    return TOI_OK;
}

static toi_status fill_faces(void *context, int64_t first, int64_t end)
{
    const edge_rows *r = context;
    const toi_row_lists *rows = &r->elements->of_edge;
    for (int64_t i = first; i < end; ++i)
        find_faces(r->elements, toi_edge_at(r->edges, i), rows->ids + rows->first[i]);
    return TOI_OK;
}

// From lengths, where row i's is first[i + 1], to starts. An empty row gets one place.
static int64_t place_rows(toi_row_lists *rows, int64_t count)
{
    int64_t empty = 0;
    rows->first[0] = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t length = rows->first[i + 1];
        empty += length == 0;
        rows->first[i + 1] = rows->first[i] + (length > 0 ? length : 1);
    }
    return empty;
}

// A place that fill_faces() has not written to is that of an edge that is a side of no face: it
// becomes an element itself, number e->count and so on.
static void number_loose(toi_elements *e, int64_t edges)
{
    const toi_row_lists *rows = &e->of_edge;
    int64_t own = e->count;
    for (int64_t i = 0; i < edges; ++i)
        if (rows->ids[rows->first[i]] < 0)
            rows->ids[rows->first[i]] = (int32_t)own++;
}

static toi_status list_by_edge(toi_elements *e, const toi_mesh *mesh, int workers,
                               toi_budget *budget, int64_t *loose)
{
    toi_row_lists *rows = &e->of_edge;
    edge_rows r = {e, &mesh->edges};
    int64_t edges = mesh->edges.count;
    rows->first = toi_take(budget, edges + 1, sizeof *rows->first);
    if (!rows->first)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(workers, edges, TOI_PIECE, count_faces, &r);
    if (status != TOI_OK)
        return status;
    *loose = place_rows(rows, edges);
    rows->ids = toi_take(budget, rows->first[edges], sizeof *rows->ids);
    if (!rows->ids)
        return toi_allocation_status();
    if (*loose > 0)
        memset(rows->ids, -1, (size_t)rows->first[edges] * sizeof *rows->ids);
    status = toi_parallel_ranges(workers, edges, TOI_PIECE, fill_faces, &r);
    if (*loose > 0)
        number_loose(e, edges);
    return status;
}

static toi_status list_elements(void *context, int64_t first, int64_t end)
{
    const row_entries *r = context;
    const toi_row_lists *of_edge = &r->elements->of_edge;
    for (int64_t i = first; i < end; ++i)
        for (int64_t k = of_edge->first[i]; k < of_edge->first[i + 1]; ++k)
            r->keys[k] = entry(of_edge->ids[k], i);
    return TOI_OK;
}

static toi_status list_edges(toi_elements *e, int64_t edges, int workers, toi_budget *budget)
{
    row_entries r = {
        .elements = e, .key_count = e->of_edge.first[edges], .count = e->count, .rows = &e->edges};
    return make_rows(&r, edges, list_elements, workers, budget);
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

// What faces and edges do not name: marks are 1 where they do. Sides of faces need not be looked
// at.
static int64_t mark_named(const toi_elements *e, const toi_mesh *mesh, int64_t loose,
                          uint8_t *marks)
{
    int64_t named = 0;
    for (int64_t v = 0; v < mesh->start.count; ++v)
        marks[v] = row_length(&e->of_vertex, (int32_t)v) > 0;
    for (int64_t i = 0; loose > 0 && i < mesh->edges.count; ++i)
        for (int k = 0; k < 2; ++k)
            marks[toi_edge_at(&mesh->edges, i)[k]] = 1;
    for (int64_t v = 0; v < mesh->start.count; ++v)
        named += marks[v];
    return named;
}

static void append(toi_elements *e, int32_t a, int32_t b)
{
    int32_t *corners = e->corners[e->count++];
    corners[0] = a;
    corners[1] = corners[2] = b;
}

static toi_status append_loose(toi_elements *e, const toi_mesh *mesh, const uint8_t *marks,
                               int64_t count, int workers, toi_budget *budget)
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
    return list_by_vertex(e, mesh->start.count, workers, budget);
}

static toi_status add_loose_elements(toi_elements *e, const toi_mesh *mesh, int64_t loose,
                                     int workers, toi_budget *budget)
{
    uint8_t *marks = toi_take(budget, mesh->start.count, sizeof *marks);
    if (!marks)
        return toi_allocation_status();
    int64_t unnamed = mesh->start.count - mark_named(e, mesh, loose, marks);
    int64_t count = e->face_count + loose + unnamed;
    toi_status status = append_loose(e, mesh, marks, count, workers, budget);
    toi_give_back(marks);
    return status;
}

// The faces of a mesh, while they are copied.
typedef struct face_copy
{
    int32_t (*corners)[3];
    const toi_index_view *faces;
} face_copy;

static toi_status copy_faces(void *context, int64_t first, int64_t end)
{
    const face_copy *c = context;
    for (int64_t i = first; i < end; ++i)
        memcpy(c->corners[i], toi_face_at(c->faces, i), sizeof *c->corners);
    return TOI_OK;
}

static toi_status take_faces(toi_elements *e, const toi_mesh *mesh, int workers, toi_budget *budget)
{
    e->corners = toi_take(budget, e->count, sizeof *e->corners);
    if (!e->corners)
        return toi_allocation_status();
    face_copy c = {e->corners, &mesh->faces};
    return toi_parallel_ranges(workers, e->count, TOI_PIECE, copy_faces, &c);
}

toi_status toi_make_elements(const toi_mesh *mesh, int workers, toi_budget *budget, toi_elements *e)
{
    int64_t loose = 0;
    *e = (toi_elements){.face_count = mesh->faces.count, .count = mesh->faces.count};
    toi_status status = check_count(e->count + mesh->edges.count);
    if (status == TOI_OK)
        status = take_faces(e, mesh, workers, budget);
    if (status == TOI_OK)
        status = list_by_vertex(e, mesh->start.count, workers, budget);
    if (status == TOI_OK)
        status = list_by_edge(e, mesh, workers, budget, &loose);
    if (status == TOI_OK)
        status = add_loose_elements(e, mesh, loose, workers, budget);
    if (status == TOI_OK)
        status = list_edges(e, mesh->edges.count, workers, budget);
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
