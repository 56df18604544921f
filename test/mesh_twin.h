// Meshes with surfaces of every kind, and slow twins of their distances and winding numbers.

#ifndef TOI_TEST_MESH_TWIN_H
#define TOI_TEST_MESH_TWIN_H

#include "toi/random.h"
#include "toi/sdf.h"

typedef struct twin_mesh
{
    double (*points)[3];
    int32_t (*faces)[3];
    int64_t point_count;
    int64_t face_count;
} twin_mesh;

// A ball of 2 `rings` x `rings` rectangles, each two triangles, its vertices moved by up to
// `noise`.
twin_mesh make_ball(int rings, double noise, uint64_t seed);

// Boxes of twelve triangles each: [low, high] of every axis.
twin_mesh make_box_mesh(const double (*corners)[2][3], int count);

// Moves all points to scale x + shift.
void move_mesh(twin_mesh *mesh, double scale, double shift);
void turn_inside_out(twin_mesh *mesh);
void free_twin_mesh(twin_mesh *mesh);

// A face's own vertices, shared with no other.
twin_mesh unweld(const twin_mesh *mesh);

toi_point_view twin_points(const twin_mesh *mesh);
toi_index_view twin_faces(const twin_mesh *mesh);

// By every triangle, in long double.
long double twin_mesh_distance(const twin_mesh *mesh, const long double point[3]);
long double twin_winding(const twin_mesh *mesh, const long double point[3]);

// Some point of some face.
void point_of_face(const twin_mesh *mesh, toi_random *random, double point[3]);

#endif
