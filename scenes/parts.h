// What scenes are put together from: grids, balls, boxes, tubes, lines, loose points and triangles.
// A scene lists its parts; lay_out_parts() takes the memory and writes the topology, and the scene
// then only fills in positions, part after part, copy after copy.

#ifndef TOI_SCENES_PARTS_H
#define TOI_SCENES_PARTS_H

#include "scenes.h"
#include "vec3.h"

typedef enum part_kind
{
    PART_GRID, // a x b points, row after row: a columns, b rows, both at least 2
    PART_BALL, // a subdivided octahedron of 8 a^2 faces: see unit_ball()
    PART_BOX,  // eight corners, twelve faces; corner i is high in x, y, z where bits 0, 1, 2 are
    PART_TUBE, // b rings of a points each, open at the ends; a >= 3, b >= 2
    PART_LINE, // a points joined by loose edges; a >= 2
    PART_DUST, // a loose points
    PART_TRIANGLE, // three points
    PART_NOTCHED,  // a block with `a` notches each way: see notched_profile()
} part_kind;

// `copies` bodies of one shape; each copy is a group of its own.
typedef struct scene_part
{
    part_kind kind;
    int64_t copies;
    int64_t a;
    int64_t b;
    int64_t first;  // set by lay_out_parts(): the first point of the first copy
    int64_t stride; // set likewise: how many points a copy has
} scene_part;

// Takes the arrays of the scene and fills in faces, loose edges and groups. `length` is the number
// of frames of the animation. TOI_ERROR_LIMIT when indices or sizes would overflow.
toi_status lay_out_parts(const toi_animation_def *def, int64_t length, scene_part *parts, int count,
                         toi_animation *scene);

// Where the points of a copy of a part are in a frame.
double (*part_points(const toi_animation *scene, int frame, const scene_part *part,
                     int64_t copy))[3];

// The time in the animation, 0 at its beginning and 1 at its end, of a frame.
double frame_time(const toi_animation_def *def, const toi_animation *scene, int frame);

// `count` zeroed elements of `size` bytes for scratch work, or NULL with the message set.
void *scene_scratch(int64_t count, size_t size);

// The square root rounded to a whole number, at least `least`: how many cells per side give about
// `area` cells in all.
int64_t side_of(double area, int64_t least);

// The least side of a cube of at least `count` cells.
int64_t cube_side_of(int64_t count);

// The middle of cell number `index` of a cube of unit cells.
vec3 cube_cell(int64_t index, int64_t side);

// Point number `index` of a square grid of `points` per side, flat and around the origin.
vec3 flat_point(int64_t index, int64_t points, double width);

// Points of a PART_NOTCHED, a closed block of 32 a + 12 faces. Notches of family 0 are cut into its
// bottom and run along x, those of family 1 into its top and run along y. Across the notches, at
// either end (0: low, 1: high), a profile goes from corner to corner: point 0 is a corner, 3 i + 1
// and 3 i + 3 are the rims of notch i, 3 i + 2 lies on its deepest line, 3 a + 1 is a corner.
int64_t notched_profile(int64_t a, int family, int end, int64_t index);

// The point across from the end of the deepest line of notch `index`, on the rim of the other
// surface.
int64_t notched_border(int64_t a, int family, int end, int64_t index);

// The points of a PART_BALL with `a` rings per half, on the unit sphere. The rings have 4, 8, .. 4a
// .. 8, 4 points and lie at even angles, which keeps the triangles nearly alike.
void unit_ball(int64_t a, vec3 *points);

#endif
