// Looks a surface over: every vertex has a list of its faces, and what the edges and the fan around
// it are like is seen there, by vertex, in parallel.

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "mesh/mesh.h"
#include "overlap/orientation.h"
#include "toi/overlap.h"

// ---- Faces of vertices

// A face at one of its vertices, and its vertices after and before that. Once the edges are
// counted, these are faces instead: ones that have the sides to there in common with it, maybe the
// face itself.
typedef struct corner
{
    int32_t face;
    int32_t other[2];
} corner;

typedef struct surface
{
    const toi_mesh *mesh;
    int64_t *first;         // of each vertex in `corners`; one more at the end
    corner *corners;        // upwards by face for each vertex
    int32_t *parents;       // of faces connected by edges
    toi_surface_report *of; // pieces of vertices, then of faces
} surface;

static const int32_t *face_at(const surface *s, int64_t f)
{
    return toi_face_at(&s->mesh->faces, f);
}

static bool names_twice(const int32_t f[3])
{
    return f[0] == f[1] || f[1] == f[2] || f[2] == f[0];
}

static void list_corners(surface *s)
{
    int64_t vertices = s->mesh->start.count, faces = s->mesh->faces.count, sum = 0;
    for (int64_t v = 0; v <= vertices; ++v)
        s->first[v] = 0;
    for (int64_t i = 0; i < faces; ++i) {
        const int32_t *f = face_at(s, i);
        for (int k = 0; k < 3 && !names_twice(f); ++k)
            s->first[f[k]]++;
    }
    for (int64_t v = 0; v <= vertices; ++v) { // the end of each vertex's
        sum += s->first[v];
        s->first[v] = sum;
    }
    for (int64_t i = faces - 1; i >= 0; --i) {
        const int32_t *f = face_at(s, i);
        for (int k = 0; k < 3 && !names_twice(f); ++k)
            s->corners[--s->first[f[k]]] = (corner){(int32_t)i, {f[(k + 1) % 3], f[(k + 2) % 3]}};
    }
}

// ---- One vertex

// Something to be put in order.
typedef struct entry
{
    uint64_t key;
    uint64_t item;
} entry;

static uint64_t entry_key(const void *element, int word)
{
    const entry *e = element;
    return word == 0 ? e->key : e->item;
}

static bool is_after(entry a, entry b)
{
    return a.key > b.key || (a.key == b.key && a.item > b.item);
}

// Nearly always a dozen.
static void sort_entries(entry *e, int64_t count)
{
    if (count > 32) {
        toi_sort_in_place(e, count, sizeof *e, 2, entry_key);
        return;
    }
    for (int64_t i = 1; i < count; ++i) {
        entry moved = e[i];
        int64_t j = i;
        for (; j > 0 && is_after(e[j - 1], moved); --j)
            e[j] = e[j - 1];
        e[j] = moved;
    }
}

// Sets by parents, the lowest member being the root.
static int32_t find_root(int32_t *parents, int32_t i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

// Whether they were two sets.
static bool unite(int32_t *parents, int32_t i, int32_t j)
{
    i = find_root(parents, i);
    j = find_root(parents, j);
    if (i == j)
        return false;
    parents[i > j ? i : j] = i > j ? j : i;
    return true;
}

// A vertex being looked at.
typedef struct star
{
    int32_t vertex;
    int64_t count;   // of its faces
    corner *corners; // these
    entry *entries;  // room for two a face
    int32_t *fans;   // room for one a face
} star;

// Sides of faces at the vertex by their other end; item 2 i: face i leaves along it, else it
// arrives.
static void list_sides(star *at)
{
    for (int64_t i = 0; i < at->count; ++i) {
        for (int k = 0; k < 2; ++k)
            at->entries[2 * i + k] =
                (entry){(uint64_t)at->corners[i].other[k], (uint64_t)(2 * i + k)};
        at->fans[i] = (int32_t)i;
    }
    sort_entries(at->entries, 2 * at->count);
}

static void note_edge(int32_t found[2], int32_t low, int32_t high)
{
    if (found[0] < 0) {
        found[0] = low;
        found[1] = high;
    }
}

// One edge, seen from its lower vertex: `uses` of it.
static void count_edge(const star *at, const entry *use, int64_t uses, toi_surface_report *report)
{
    int32_t high = (int32_t)use->key;
    int64_t leaving = 0;
    for (int64_t i = 0; i < uses; ++i)
        leaving += use[i].item % 2 == 0;
    report->edges++;
    if (uses == 1) {
        report->border_edges++;
        note_edge(report->first_border, at->vertex, high);
    } else if (uses == 2)
        report->flipped_edges += leaving != 1;
    else {
        report->crowded_edges++;
        note_edge(report->first_crowded, at->vertex, high);
    }
    report->oriented = report->oriented && (uses == 1 || 2 * leaving == uses);
}

static void count_edges(star *at, toi_surface_report *report)
{
    bool crowded = false;
    int64_t fans = at->count;
    for (int64_t i = 0, end; i < 2 * at->count; i = end) {
        const entry *use = at->entries + i;
        int32_t fan = (int32_t)(use->item / 2);
        for (end = i; end < 2 * at->count && at->entries[end].key == use->key; ++end) {
            uint64_t item = at->entries[end].item;
            fans -= unite(at->fans, fan, (int32_t)(item / 2));
            at->corners[item / 2].other[item % 2] = at->corners[fan].face;
        }
        crowded = crowded || end - i > 2;
        if ((int64_t)use->key > at->vertex)
            count_edge(at, use, end - i, report);
    }
    if (fans > 1 && !crowded && report->crowded_vertices++ == 0)
        report->first_crowded_vertex = at->vertex;
}

// Faces whose lowest vertex this is, by the two others.
static void count_duplicates(star *at, toi_surface_report *report)
{
    int64_t count = 0;
    for (int64_t i = 0; i < at->count; ++i) {
        const corner *c = &at->corners[i];
        if (c->other[0] > at->vertex && c->other[1] > at->vertex)
            at->entries[count++] =
                (entry){toi_edge_key(c->other[0], c->other[1]), (uint64_t)c->face};
    }
    sort_entries(at->entries, count);
    for (int64_t i = 1; i < count; ++i)
        if (at->entries[i].key == at->entries[i - 1].key) {
            int32_t face = (int32_t)at->entries[i].item;
            if (report->duplicate_faces++ == 0 || face < report->first_duplicate_face)
                report->first_duplicate_face = face;
        }
}

// ---- Many

static const toi_surface_report EMPTY = {.oriented = true,
                                         .first_border = {-1, -1},
                                         .first_crowded = {-1, -1},
                                         .first_crowded_vertex = -1,
                                         .first_degenerate = -1,
                                         .first_duplicate_face = -1,
                                         .first_duplicate_vertex = -1};

static int64_t most_faces(const surface *s, int64_t first, int64_t end)
{
    int64_t most = 0;
    for (int64_t v = first; v < end; ++v)
        most = s->first[v + 1] - s->first[v] > most ? s->first[v + 1] - s->first[v] : most;
    return most;
}

static toi_status look_at_vertices(void *context, int64_t first, int64_t end)
{
    const surface *s = context;
    toi_surface_report *report = &s->of[first / TOI_PIECE];
    int64_t most = most_faces(s, first, end);
    star at = {.entries = toi_take(NULL, 2 * most, sizeof *at.entries),
               .fans = toi_take(NULL, most, sizeof *at.fans)};
    toi_status status = at.entries && at.fans ? TOI_OK : toi_allocation_status();
    for (int64_t v = first; v < end && status == TOI_OK; ++v) {
        at.vertex = (int32_t)v;
        at.corners = s->corners + s->first[v];
        at.count = s->first[v + 1] - s->first[v];
        report->unused_vertices += at.count == 0;
        count_duplicates(&at, report);
        list_sides(&at);
        count_edges(&at, report);
    }
    toi_give_back(at.entries);
    toi_give_back(at.fans);
    return status;
}

static bool has_area(const surface *s, const int32_t f[3])
{
    double x[3][3];
    for (int i = 0; i < 3; ++i)
        toi_load_point(&s->mesh->start, f[i], x[i]);
    for (int axis = 0; axis < 3; ++axis)
        if (toi_sure_sign(toi_estimate_area(x[0], x[1], x[2], axis)) != TOI_UNSURE)
            return true; // a sign that is sure is not zero
    for (int axis = 0; axis < 3; ++axis)
        if (toi_exact_area_sign(x[0], x[1], x[2], axis) != 0)
            return true;
    return false;
}

static toi_status look_at_areas(void *context, int64_t first, int64_t end)
{
    const surface *s = context;
    toi_surface_report *report = &s->of[first / TOI_PIECE];
    for (int64_t f = first; f < end; ++f)
        if (!has_area(s, face_at(s, f)) && report->degenerate_faces++ == 0)
            report->first_degenerate = (int32_t)f;
    return TOI_OK;
}

static void take_first(int32_t *to, int32_t from)
{
    if (from >= 0 && (*to < 0 || from < *to))
        *to = from;
}

static void add_report(toi_surface_report *to, const toi_surface_report *from)
{
    to->edges += from->edges;
    to->oriented = to->oriented && from->oriented;
    to->border_edges += from->border_edges;
    to->crowded_edges += from->crowded_edges;
    to->flipped_edges += from->flipped_edges;
    to->crowded_vertices += from->crowded_vertices;
    to->degenerate_faces += from->degenerate_faces;
    to->duplicate_faces += from->duplicate_faces;
    to->unused_vertices += from->unused_vertices;
    note_edge(to->first_border, from->first_border[0], from->first_border[1]);
    note_edge(to->first_crowded, from->first_crowded[0], from->first_crowded[1]);
    take_first(&to->first_crowded_vertex, from->first_crowded_vertex);
    take_first(&to->first_degenerate, from->first_degenerate);
    take_first(&to->first_duplicate_face, from->first_duplicate_face);
}

static int64_t count_pieces(int64_t count)
{
    return (count + TOI_PIECE - 1) / TOI_PIECE;
}

// Runs over [0, count) and adds up what the pieces found.
static toi_status add_pieces(surface *s, int64_t count, toi_range_fn *look, int workers,
                             toi_surface_report *report)
{
    int64_t pieces = count_pieces(count);
    for (int64_t i = 0; i < pieces; ++i)
        s->of[i] = EMPTY;
    toi_status status = toi_parallel_ranges(workers, count, TOI_PIECE, look, s);
    for (int64_t i = 0; i < pieces; ++i)
        add_report(report, &s->of[i]);
    return status;
}

static void count_components(surface *s, toi_surface_report *report)
{
    int64_t faces = s->mesh->faces.count, corners = s->first[s->mesh->start.count];
    for (int64_t f = 0; f < faces; ++f)
        s->parents[f] = (int32_t)f;
    report->components = corners / 3;
    for (int64_t i = 0; i < corners; ++i)
        for (int k = 0; k < 2; ++k)
            report->components -= unite(s->parents, s->corners[i].face, s->corners[i].other[k]);
}

// Of the vertices that faces name. A place that one of them has been found at is marked at its
// first vertex, by a negative number.
static toi_status count_places(const surface *s, toi_surface_report *report)
{
    const toi_point_view *points = &s->mesh->start;
    int32_t *first = toi_take(NULL, points->count, sizeof *first);
    toi_status status = first ? toi_find_first_at_place(points, first) : toi_allocation_status();
    for (int64_t v = 0; v < points->count && status == TOI_OK; ++v) {
        int32_t place = first[v];
        if (s->first[v + 1] == s->first[v])
            continue;
        if (first[place] >= 0)
            first[place] = ~place;
        else if (report->duplicate_vertices++ == 0)
            report->first_duplicate_vertex = (int32_t)v;
    }
    toi_give_back(first);
    return status;
}

static bool open_surface(surface *s, const toi_mesh *mesh)
{
    int64_t vertices = mesh->start.count, faces = mesh->faces.count;
    int64_t most = vertices > faces ? vertices : faces;
    s->mesh = mesh;
    return (s->first = toi_take(NULL, vertices + 1, sizeof *s->first)) &&
           (s->corners = toi_take(NULL, 3 * faces, sizeof *s->corners)) &&
           (s->parents = toi_take(NULL, faces, sizeof *s->parents)) &&
           (s->of = toi_take(NULL, count_pieces(most), sizeof *s->of));
}

static void close_surface(surface *s)
{
    toi_give_back(s->first);
    toi_give_back(s->corners);
    toi_give_back(s->parents);
    toi_give_back(s->of);
}

static toi_status look_over(const toi_mesh *mesh, int workers, toi_surface_report *report)
{
    surface s = {0};
    toi_status status = open_surface(&s, mesh) ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK) {
        list_corners(&s);
        status = add_pieces(&s, mesh->start.count, look_at_vertices, workers, report);
    }
    if (status == TOI_OK)
        status = add_pieces(&s, mesh->faces.count, look_at_areas, workers, report);
    if (status == TOI_OK)
        count_components(&s, report);
    if (status == TOI_OK)
        status = count_places(&s, report);
    close_surface(&s);
    return status;
}

toi_status toi_check_surface(const toi_mesh *mesh, int workers, toi_surface_report *report)
{
    TOI_GUARD_FP;
    if (!mesh || !report)
        return toi_fail(TOI_ERROR_ARGUMENT, "the %s is NULL", mesh ? "report" : "mesh");
    *report = EMPTY;
    toi_status status = toi_resolve_workers(workers, &workers);
    if (status == TOI_OK)
        status = toi_check_positions(&mesh->start, &mesh->start, workers);
    if (status == TOI_OK)
        status = toi_check_indices(&mesh->faces, 3, mesh->start.count, workers);
    if (status == TOI_OK)
        status = look_over(mesh, workers, report);
    if (status != TOI_OK) {
        *report = EMPTY;
        return status;
    }
    report->vertices = mesh->start.count;
    report->faces = mesh->faces.count;
    report->closed = report->edges > 0 && report->border_edges == 0;
    report->manifold = report->crowded_edges == 0 && report->crowded_vertices == 0;
    return TOI_OK;
}
