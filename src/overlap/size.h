// The sizes of faces and polygons: diameters of smallest enclosing spheres.

#ifndef TOI_OVERLAP_SIZE_H
#define TOI_OVERLAP_SIZE_H

#include <stdint.h>

// Of a triangle. Coordinates are at most 1 in size. The same bits for corners in any order, and for
// triangles whose sides have the same squared lengths. Below 2^-500 it may be 0.
double toi_triangle_size(const double a[3], const double b[3], const double c[3]);

// Of a polygon with these corners; where they do not lie in one plane the sphere is one around them
// all, and may not be the smallest.
double toi_polygon_size(double (*points)[3], const int32_t *corners, int64_t count);

#endif
