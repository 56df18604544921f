// The mesh of a drawing at one time, and simplified by joining the points in the cells of a grid.

#ifndef TOI_CLI_PICTURE_MESH_H
#define TOI_CLI_PICTURE_MESH_H

#include "picture_drawing.h"

// Where an impact is marked: on the spot that is hit, at the drawing's time.
vec place_impact(const drawing *d, const picture_impact *impact);

// A place of the caller's as the drawing has it.
vec place_point(const drawing *d, const double a[3]);

// A spot at the time of the drawing.
vec place_moving(const drawing *d, const double start[3], const double end[3]);

// The points at the drawing's time; then the ball around them; which belong to no face or edge.
void place_points(drawing *d);
void measure_mesh(drawing *d);
void find_loose_points(drawing *d);

// Takes every `stride`-th face of the caller's as it is.
void take_faces(drawing *d, int64_t stride);

// Makes the mesh one step coarser. Bodies so small that they would vanish in the cells of the grid
// make it a mosaic.
toi_status coarsen_faces(drawing *d);

// Sums up at each point the normals of its faces.
void make_normals(drawing *d);

// Twice the area as a vector.
vec face_normal(const drawing *d, const int32_t face[3]);
double face_area(const drawing *d, const int32_t face[3]);

// Of all faces as they now are.
double total_area(const drawing *d);

#endif
