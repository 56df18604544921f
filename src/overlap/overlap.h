// The stages behind toi_find_overlaps(): faces made ready, float directions, signs in double, exact
// arithmetic, and the stars of the vertices.

#ifndef TOI_OVERLAP_OVERLAP_H
#define TOI_OVERLAP_OVERLAP_H

#include "base/memory.h"
#include "base/parallel.h"
#include "toi/overlap.h"

// ---- Exact (triangles.c)

// What a face is to the exact test: its corners and their vertex numbers.
typedef struct toi_corner_view
{
    const double *corner[3];
    const int32_t *vertex;
    unsigned diagonals; // bit i: side i is no side of its polygon
} toi_corner_view;

// The class of two faces, TOI_OVERLAP_CLASS_COUNT where they have nothing in common but what they
// share. Exact for all finite coordinates. Cannot fail. *exact: whether floating point had to give
// up.
toi_overlap_class toi_classify_faces(const toi_corner_view *a, const toi_corner_view *b,
                                     bool *exact);

// ---- Faces made ready for a search

// The vertices of a mesh at one instant, along the curve, and its faces, in blocks along it too.
// "Place" is a number in these orders.
//
// Coordinates are x scale in double rows and x scale - centre in float rows, rounded to nearest
// each time; scale is a power of two such that x scale is at most 1 in size.
typedef struct toi_face_table
{
    int64_t vertex_count;
    int64_t face_count;
    double scale;
    double centre[3];           // of the mesh, scaled
    float error;                // of a float coordinate, at most: |float - true (x scale - centre)|
    const float (*singles)[4];  // of the vertices by place, x y z and an idle 0
    const float (*by_id)[4];    // the same by number
    const double (*doubles)[4]; // by place
    const int32_t (*corners)[3]; // of the faces by place: places of vertices
    const int32_t *ids;          // of the faces, by place
} toi_face_table;

// ---- Pairs of faces that share no vertex, by place (directions_isa.c, signs_isa.c)

// Moves the pairs that single precision does not show to be apart to the front, in order; returns
// how many.
typedef int64_t toi_cull_faces_fn(const toi_face_table *table, toi_pair *pairs, int64_t count);

// Drops the pairs that orientation signs in double show to be apart, and writes those that they
// show to cross to `crossing` (room for `count`; *crossings of them); moves the others to the
// front, in order, and returns how many they are.
typedef int64_t toi_decide_faces_fn(const toi_face_table *table, toi_pair *pairs, int64_t count,
                                    toi_pair *crossing, int64_t *crossings);

// For the instruction set in force.
toi_cull_faces_fn *toi_cull_faces_kernel(void);
toi_decide_faces_fn *toi_decide_faces_kernel(void);

// ---- Pairs of faces that share a vertex (stars.c, stars_isa.c)

// What depends on the faces alone: the faces of each vertex, and their outer vertices in order
// where they form one fan, closed or open.
typedef struct toi_stars toi_stars;

// Makes them; on failure *stars is NULL.
toi_status toi_make_stars(const toi_index_view *faces, int64_t vertex_count, int workers,
                          toi_budget *budget, toi_stars **stars);
void toi_free_stars(toi_stars *stars); // harmless on NULL

// Is there a vertex with so many faces that searches of boxes should know?
bool toi_has_large_star(const toi_stars *stars);

// What making and using them takes at most.
int64_t toi_stars_need(int64_t vertices, int64_t faces, int workers);

// Brings them up to date: `changes` as in toi_scene_change_faces(), but sorted by face, each once;
// `faces` the faces before it. Faces that are gone need no change. On failure they are as before.
toi_status toi_change_stars(toi_stars *stars, const toi_index_view *faces, int64_t vertex_count,
                            int64_t face_count, const toi_face_change *changes,
                            int64_t change_count);

// embedded[v] = 1 where the faces of vertex v are shown to have nothing in common but what they
// share.
toi_status toi_find_embedded(const toi_stars *stars, const toi_face_table *table, int workers,
                             uint8_t *embedded);

// Receives pairs of faces, by number, that share a vertex and that no embedded vertex decides, each
// once, from one worker at a time with that number, at most TOI_NEIGHBOURS of them. Pairs of a
// vertex with many faces that have no direction from it in common are left out.
enum
{
    TOI_NEIGHBOURS = 512
};
typedef toi_status toi_neighbour_fn(void *context, const toi_pair *pairs, int64_t count,
                                    int worker);
toi_status toi_list_neighbours(const toi_stars *stars, const toi_index_view *faces,
                               const toi_face_table *table, const uint8_t *embedded, int workers,
                               toi_neighbour_fn *sink, void *context);

// All pairs of faces that share a side which is a diagonal of one of them (bits as in
// toi_polygon_view); some of them twice. Of two polygons these meet inside of one, whatever the
// stars say.
toi_status toi_list_diagonals(const toi_stars *stars, const toi_index_view *faces,
                              const uint8_t *diagonals, int workers, toi_neighbour_fn *sink,
                              void *context);

#endif
