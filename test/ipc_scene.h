// The scene of the stepping test: a cloth, loose points and rods above a fixed sphere and floor.

#ifndef TOI_TEST_IPC_SCENE_H
#define TOI_TEST_IPC_SCENE_H

#include <stdint.h>

typedef struct ipc_spring
{
    int32_t a, b;
    double rest, stiffness;
} ipc_spring;

typedef struct ipc_scene
{
    int64_t vertex_count, face_count, rod_count, spring_count;
    double (*position)[3];
    double *mass;    // 0: does not move
    int32_t *groups; // what does not move does not collide with itself
    int32_t (*faces)[3];
    int32_t (*rods)[2]; // the edges of the rods
    ipc_spring *springs;
    int64_t cloth_end; // the cloth's vertices are those before
} ipc_scene;

// A cloth of 4 cells^2 triangles, square, above a sphere about the origin whose radius is a fifth
// of the cloth's side.
ipc_scene make_drape(int cells, int points, int rods);
void free_drape(ipc_scene *scene);

#endif
