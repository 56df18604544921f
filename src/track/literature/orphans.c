// Which pair of elements a pair of features belongs to, and the pairs that belong to none: the
// orphans (Tang, Curtis, Yoon, Manocha: ICCD, 2009). docs/tracking.md has the proof that nothing is
// lost.

#include "track/literature/mccd.h"

#include <stdatomic.h>
#include <string.h>

enum
{
    MOST_AN_ELEMENT = 16, // orphans
    PIECE = 2048          // features that are a task
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

// What a worker has found.
typedef struct found_orphans
{
    toi_pair_array list;
    _Alignas(64) char end[64];
} found_orphans;

// What it found in a piece of the features.
typedef struct orphan_piece
{
    int worker;
    int64_t first, count;
} orphan_piece;

typedef struct orphan_search
{
    const toi_elements *elements;
    const toi_mesh *mesh;
    toi_budget *budget;
    toi_kind kind;
    int workers;
    found_orphans *found; // one a worker
    orphan_piece *pieces;
    int64_t most;
    _Atomic int64_t total;
} orphan_search;

static toi_status note(orphan_search *s, int worker, int32_t a, int32_t b)
{
    toi_pair_array *list = &s->found[worker].list;
    toi_status status = toi_reserve(s->budget, (void **)&list->data, &list->capacity,
                                    list->count + 1, sizeof *list->data);
    if (status == TOI_OK)
        list->data[list->count++] = (toi_pair){a, b};
    ++s->total;
    return status;
}

static bool is_full(const orphan_search *s)
{
    return s->total > s->most;
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

static toi_status try_face(orphan_search *s, int worker, int32_t vertex, int32_t face)
{
    const toi_elements *e = s->elements;
    const int32_t *c = e->corners[face];
    bool orphan = face < e->face_count && c[0] != vertex && c[1] != vertex && c[2] != vertex &&
                  all_adjacent(e, &e->of_vertex, vertex, face);
    return orphan ? note(s, worker, vertex, face) : TOI_OK;
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
static toi_status try_edges(orphan_search *s, int worker, int32_t edge, int32_t element)
{
    const toi_elements *e = s->elements;
    toi_status status = TOI_OK;
    for (int64_t i = e->edges.first[element]; i < e->edges.first[element + 1]; ++i) {
        int32_t other = e->edges.ids[i];
        if (status == TOI_OK && other > edge &&
            e->of_edge.ids[e->of_edge.first[other]] == element && are_orphans(s, edge, other))
            status = note(s, worker, edge, other);
    }
    return status;
}

static toi_status try_about(orphan_search *s, int worker, int32_t feature)
{
    const toi_elements *e = s->elements;
    bool edges = s->kind == TOI_EDGE_EDGE;
    int32_t middle = least_crowded(e, edges ? &e->of_edge : &e->of_vertex, feature);
    toi_status status = TOI_OK;
    for (int k = 0; k < 3; ++k) {
        int32_t corner = e->corners[middle][k];
        if (!toi_is_new_corner(e->corners[middle], k))
            continue;
        for (int64_t i = e->of_vertex.first[corner];
             i < e->of_vertex.first[corner + 1] && status == TOI_OK && !is_full(s); ++i) {
            int32_t element = e->of_vertex.ids[i];
            if (meets_first_at(e, middle, k, element))
                status = edges ? try_edges(s, worker, feature, element)
                               : try_face(s, worker, feature, element);
        }
    }
    return status;
}

static int64_t count_features(const orphan_search *s)
{
    return s->kind == TOI_EDGE_EDGE ? s->mesh->edges.count : s->mesh->start.count;
}

static int64_t count_pieces(const orphan_search *s)
{
    return (count_features(s) + PIECE - 1) / PIECE;
}

static toi_status search_piece(void *context, int64_t index, int worker)
{
    orphan_search *s = context;
    int64_t first = index * PIECE, rest = count_features(s) - first;
    int64_t end = first + (rest < PIECE ? rest : PIECE), before = s->found[worker].list.count;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK && !is_full(s); ++i)
        status = try_about(s, worker, (int32_t)i);
    s->pieces[index] = (orphan_piece){worker, before, s->found[worker].list.count - before};
    return status;
}

// In the order of the features, whoever found what.
static toi_status gather(const orphan_search *s, int64_t count, toi_pair_array *list)
{
    toi_status status = toi_reserve(s->budget, (void **)&list->data, &list->capacity,
                                    count > 0 ? count : 1, sizeof *list->data);
    for (int64_t i = 0; i < count_pieces(s) && status == TOI_OK; ++i) {
        const orphan_piece *piece = &s->pieces[i];
        if (piece->count > 0)
            memcpy(list->data + list->count, s->found[piece->worker].list.data + piece->first,
                   (size_t)piece->count * sizeof *list->data);
        list->count += piece->count;
    }
    return status;
}

static toi_status search_kind(orphan_search *s, toi_kind kind, toi_pair_array *list)
{
    int64_t before = s->total;
    s->kind = kind;
    s->pieces = toi_take(s->budget, count_pieces(s), sizeof *s->pieces);
    if (!s->pieces)
        return toi_allocation_status();
    for (int i = 0; i < s->workers; ++i)
        s->found[i].list.count = 0;
    toi_status status = toi_parallel(s->workers, count_pieces(s), search_piece, s);
    if (status == TOI_OK && !is_full(s))
        status = gather(s, s->total - before, list);
    toi_give_back(s->pieces);
    return status;
}

toi_status toi_find_orphans(const toi_elements *e, const toi_mesh *mesh, int workers,
                            toi_budget *budget, toi_orphans *orphans, bool *few)
{
    *orphans = (toi_orphans){0};
    orphan_search s = {.elements = e,
                       .mesh = mesh,
                       .budget = budget,
                       .workers = workers,
                       .found = toi_take(budget, workers, sizeof *s.found),
                       .most = MOST_AN_ELEMENT * e->count};
    toi_status status = s.found ? TOI_OK : toi_allocation_status();
    for (int i = 0; s.found && i < workers; ++i)
        s.found[i].list = (toi_pair_array){0};
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK && !is_full(&s); ++kind)
        status = search_kind(&s, (toi_kind)kind, &orphans->pairs[kind]);
    for (int i = 0; s.found && i < workers; ++i)
        toi_give_back(s.found[i].list.data);
    toi_give_back(s.found);
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
