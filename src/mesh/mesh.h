// Reading the caller's strided views.

#ifndef TOI_MESH_MESH_H
#define TOI_MESH_MESH_H

#include "base/memory.h"
#include "toi/boxes.h"

// The two halves of toi_check_mesh(): where the vertices are, and what the indices say (of
// mesh->start only the count is read). The same view twice is checked once. The first is two checks
// itself: of the views, and of the coordinates of each (`when`: "t = 0" or "t = 1").
toi_status toi_check_positions(const toi_point_view *start, const toi_point_view *end, int workers);
toi_status toi_check_point_views(const toi_point_view *start, const toi_point_view *end);
toi_status toi_check_coordinates(const toi_point_view *view, const char *when, int workers);
toi_status toi_check_topology(const toi_mesh *mesh, int workers, toi_budget *budget);

// Rows of `width` indices of vertices.
toi_status toi_check_indices(const toi_index_view *view, int width, int64_t vertex_count,
                             int workers);

// toi_make_edges(), counted against a budget.
toi_status toi_make_edges_within(toi_index_view faces, toi_index_view loose, int64_t vertex_count,
                                 int workers, toi_budget *budget, toi_edge_array *edges);

// first[v]: the first vertex at the place of v; -0 and 0 are one place.
toi_status toi_find_first_at_place(const toi_point_view *points, int32_t *first);

// What belongs to nothing larger, upwards: vertices that no face and no edge names, and edges that
// are no side of a face. The edges are only listed where there are such vertices.
typedef struct toi_loose_parts
{
    int32_t *vertices;
    int64_t vertex_count;
    int32_t *edges;
    int64_t edge_count;
} toi_loose_parts;

// Of a mesh that is checked; of mesh->start only the count is read. Edges that are known to be
// sides of the faces may be left out. On failure there are none.
toi_status toi_find_loose_parts(const toi_mesh *mesh, int workers, toi_budget *budget,
                                toi_loose_parts *loose);
void toi_free_loose_parts(toi_loose_parts *loose);

// What finding them takes at most, without the lists and the tables of a sort.
int64_t toi_loose_parts_need(int64_t vertices, int64_t edges);

// One box of toi_make_boxes(), enlarged by `radius` on every side.
void toi_swept_box(const toi_mesh *mesh, toi_primitive primitive, int64_t i, double radius,
                   toi_box *box);

// By how much boxes are enlarged for a separation: half of it, never less.
double toi_separation_radius(double min_separation);

// Replaces a box by the doubles of its tightest float box.
void toi_widen_to_floats(toi_box *box);

static inline const void *toi_point_address(const toi_point_view *view, int64_t i)
{
    int64_t packed =
        view->scalar == TOI_FLOAT ? 3 * (int64_t)sizeof(float) : 3 * (int64_t)sizeof(double);
    return (const char *)view->data + i * (view->stride ? view->stride : packed);
}

static inline void toi_load_point(const toi_point_view *view, int64_t i, double point[3])
{
    const void *at = toi_point_address(view, i);
    for (int k = 0; k < 3; ++k)
        point[k] =
            view->scalar == TOI_FLOAT ? (double)((const float *)at)[k] : ((const double *)at)[k];
}

static inline int64_t toi_primitive_count(const toi_mesh *mesh, toi_primitive primitive)
{
    return primitive == TOI_VERTEX ? mesh->start.count
           : primitive == TOI_EDGE ? mesh->edges.count
                                   : mesh->faces.count;
}

static inline const int32_t *toi_index_row(const toi_index_view *view, int width, int64_t i)
{
    int64_t packed = width * (int64_t)sizeof(int32_t);
    return (const int32_t *)((const char *)view->data + i * (view->stride ? view->stride : packed));
}

static inline const int32_t *toi_edge_at(const toi_index_view *edges, int64_t i)
{
    return toi_index_row(edges, 2, i);
}

// The same for both directions of an edge.
static inline uint64_t toi_edge_key(int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a; // without a branch: nobody can guess it
    return (uint64_t)high << 32 | (uint32_t)low;
}

static inline const int32_t *toi_face_at(const toi_index_view *faces, int64_t i)
{
    return toi_index_row(faces, 3, i);
}

#endif
