// Distances to the triangles of a mesh, and its winding numbers: for mesh fields and baking. How
// exact they are: docs/sdf.md.

#ifndef TOI_SDF_MESH_DISTANCE_H
#define TOI_SDF_MESH_DISTANCE_H

#include "sdf/mesh_walk.h"
#include "toi/sdf.h"

// Checks, copies and builds; says in *report (never NULL) how closed the mesh is. A mesh without
// faces, or with coordinates beyond TOI_LARGEST_COORDINATE, is refused. On failure the tree is
// empty.
toi_status toi_make_mesh_tree(toi_point_view points, toi_index_view faces, int workers,
                              toi_mesh_tree *tree, toi_mesh_field_report *report);
void toi_free_mesh_tree(toi_mesh_tree *tree);

// The nearest triangle of those whose squared distance is below `limit` (INFINITY: of all). No
// coordinate of p may be beyond TOI_LARGEST_COORDINATE.
void toi_find_nearest(const toi_mesh_tree *tree, const double point[3], double limit,
                      toi_nearest *nearest);

// The same, from a triangle that may be near: its block and lane are in *nearest. What is found
// does not depend on it but for triangles equally near as rounded.
void toi_find_nearest_from(const toi_mesh_tree *tree, const double point[3], toi_nearest *nearest);

// |distance - true distance| is at most this.
static inline double toi_mesh_distance_error(const toi_mesh_tree *tree, double distance)
{
    return 0x1p-43 * (distance + tree->longest) + 0x1p-400;
}

// Lists triangles: all whose boxes are no farther than `distance` from the box, and maybe some
// more. Returns how many there are; the first `room` are written.
int64_t toi_list_faces_near(const toi_mesh_tree *tree, const double low[3], const double high[3],
                            double distance, int32_t *faces, int64_t room);

// The winding number: exact for a closed mesh, an integer then. *certain false: the point is so
// near to the surface that rounding decides.
double toi_winding_number(const toi_mesh_tree *tree, const double point[3], bool *certain);

// The slow twin: the sum of all solid angles.
double toi_sum_solid_angles(const toi_mesh_tree *tree, const double point[3]);

// Writes half-spaces for a point, at most `room` >= 1; returns how many. 0: there is more around
// the point than so few can hold without holding the point as well.
int toi_cover_near(const toi_mesh_tree *tree, const double point[3], const toi_near *near,
                   toi_support *supports, int room);

#endif
