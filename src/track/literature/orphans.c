// Which pair of elements a pair of features belongs to, and the pairs that belong to none: the
// orphans (Tang, Curtis, Yoon, Manocha: ICCD, 2009). docs/tracking.md has the proof that nothing is
// lost.

#include "track/literature/mccd.h"

enum
{
    MOST_AN_ELEMENT = 16 // orphans
};

// ---- Owners

bool toi_owns_vertex(const toi_elements *e, bool orphans, int32_t a, int32_t vertex, int32_t b)
{
    const int32_t *id = e->of_vertex.ids + e->of_vertex.first[vertex];
    if (!orphans)
        return *id == a;
    while (*id != a && toi_are_adjacent(e, *id, b))
        ++id;
    return *id == a;
}

// `a` holds the lower edge. Whether it and b are adjacent is the caller's to know.
static bool owns_in_order(const toi_elements *e, int32_t a, int32_t edge_a, int32_t b,
                          int32_t edge_b)
{
    const toi_row_lists *rows = &e->of_edge;
    for (int64_t i = rows->first[edge_a]; i < rows->first[edge_a + 1]; ++i)
        for (int64_t k = rows->first[edge_b]; k < rows->first[edge_b + 1]; ++k) {
            if (rows->ids[i] == a && rows->ids[k] == b)
                return true;
            if (!toi_are_adjacent(e, rows->ids[i], rows->ids[k]))
                return false;
        }
    return false;
}

bool toi_owns_edges(const toi_elements *e, bool orphans, int32_t a, int32_t edge_a, int32_t b,
                    int32_t edge_b)
{
    const toi_row_lists *rows = &e->of_edge;
    if (!orphans)
        return rows->ids[rows->first[edge_a]] == a && rows->ids[rows->first[edge_b]] == b;
    return edge_a < edge_b ? owns_in_order(e, a, edge_a, b, edge_b)
                           : owns_in_order(e, b, edge_b, a, edge_a);
}

// ---- Orphans

typedef struct orphan_search
{
    const toi_elements *elements;
    const toi_mesh *mesh;
    toi_budget *budget;
    toi_orphans *orphans;
    int64_t most;
} orphan_search;

static toi_status note(orphan_search *s, toi_kind kind, int32_t a, int32_t b)
{
    toi_pair_array *list = &s->orphans->pairs[kind];
    toi_status status = toi_reserve(s->budget, (void **)&list->data, &list->capacity,
                                    list->count + 1, sizeof *list->data);
    if (status == TOI_OK)
        list->data[list->count++] = (toi_pair){a, b};
    return status;
}

static bool is_full(const orphan_search *s)
{
    return s->orphans->pairs[0].count + s->orphans->pairs[1].count > s->most;
}

// How many elements there are about an element, some counted more than once.
static int64_t count_about(const toi_elements *e, int32_t element)
{
    const int64_t *first = e->of_vertex.first;
    int64_t count = 0;
    for (int k = 0; k < 3; ++k)
        count += first[e->corners[element][k] + 1] - first[e->corners[element][k]];
    return count;
}

// The element of a row with the fewest about it: an orphan's partner is adjacent to it.
static int32_t least_crowded(const toi_elements *e, const toi_row_lists *rows, int32_t row)
{
    int32_t best = rows->ids[rows->first[row]];
    int64_t least = count_about(e, best);
    for (int64_t i = rows->first[row] + 1; i < rows->first[row + 1]; ++i) {
        int64_t count = count_about(e, rows->ids[i]);
        if (count < least) {
            best = rows->ids[i];
            least = count;
        }
    }
    return best;
}

// Is corner k of `a` the first one that `b` has too? So each element about `a` counts once.
static bool meets_first_at(const toi_elements *e, int32_t a, int k, int32_t b)
{
    const int32_t *x = e->corners[a], *y = e->corners[b];
    for (int i = 0; i < k; ++i)
        if (x[i] == y[0] || x[i] == y[1] || x[i] == y[2])
            return false;
    return true;
}

static bool all_adjacent(const toi_elements *e, const toi_row_lists *rows, int32_t row, int32_t b)
{
    for (int64_t i = rows->first[row]; i < rows->first[row + 1]; ++i)
        if (!toi_are_adjacent(e, rows->ids[i], b))
            return false;
    return true;
}

static toi_status try_face(orphan_search *s, int32_t vertex, int32_t face)
{
    const toi_elements *e = s->elements;
    const int32_t *c = e->corners[face];
    bool orphan = face < e->face_count && c[0] != vertex && c[1] != vertex && c[2] != vertex &&
                  all_adjacent(e, &e->of_vertex, vertex, face);
    return orphan ? note(s, TOI_VERTEX_FACE, vertex, face) : TOI_OK;
}

static bool edges_share(const orphan_search *s, int32_t a, int32_t b)
{
    const int32_t *x = toi_edge_at(&s->mesh->edges, a), *y = toi_edge_at(&s->mesh->edges, b);
    return x[0] == y[0] || x[0] == y[1] || x[1] == y[0] || x[1] == y[1];
}

static bool are_orphans(const orphan_search *s, int32_t a, int32_t b)
{
    const toi_elements *e = s->elements;
    if (edges_share(s, a, b))
        return false;
    for (int64_t i = e->of_edge.first[b]; i < e->of_edge.first[b + 1]; ++i)
        if (!all_adjacent(e, &e->of_edge, a, e->of_edge.ids[i]))
            return false;
    return true;
}

// The higher edges that have `element` as their first.
static toi_status try_edges(orphan_search *s, int32_t edge, int32_t element)
{
    const toi_elements *e = s->elements;
    toi_status status = TOI_OK;
    for (int64_t i = e->edges.first[element]; i < e->edges.first[element + 1]; ++i) {
        int32_t other = e->edges.ids[i];
        if (status == TOI_OK && other > edge &&
            e->of_edge.ids[e->of_edge.first[other]] == element && are_orphans(s, edge, other))
            status = note(s, TOI_EDGE_EDGE, edge, other);
    }
    return status;
}

typedef toi_status try_fn(orphan_search *s, int32_t feature, int32_t element);

static toi_status try_about(orphan_search *s, const toi_row_lists *rows, int32_t feature,
                            try_fn *try)
{
    const toi_elements *e = s->elements;
    int32_t middle = least_crowded(e, rows, feature);
    toi_status status = TOI_OK;
    for (int k = 0; k < 3; ++k) {
        int32_t corner = e->corners[middle][k];
        if (!toi_is_new_corner(e->corners[middle], k))
            continue;
        for (int64_t i = e->of_vertex.first[corner]; i < e->of_vertex.first[corner + 1]; ++i)
            if (status == TOI_OK && !is_full(s) &&
                meets_first_at(e, middle, k, e->of_vertex.ids[i]))
                status = try(s, feature, e->of_vertex.ids[i]);
    }
    return status;
}

toi_status toi_find_orphans(const toi_elements *e, const toi_mesh *mesh, toi_budget *budget,
                            toi_orphans *orphans, bool *few)
{
    *orphans = (toi_orphans){0};
    orphan_search s = {e, mesh, budget, orphans, MOST_AN_ELEMENT * e->count};
    toi_status status = TOI_OK;
    for (int64_t v = 0; v < mesh->start.count && status == TOI_OK && !is_full(&s); ++v)
        status = try_about(&s, &e->of_vertex, (int32_t)v, try_face);
    for (int64_t i = 0; i < mesh->edges.count && status == TOI_OK && !is_full(&s); ++i)
        status = try_about(&s, &e->of_edge, (int32_t)i, try_edges);
    *few = !is_full(&s);
    if (status != TOI_OK || !*few)
        toi_free_orphans(orphans);
    return status;
}

void toi_free_orphans(toi_orphans *orphans)
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_give_back(orphans->pairs[kind].data);
    *orphans = (toi_orphans){0};
}
