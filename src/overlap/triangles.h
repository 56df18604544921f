// How triangles.c and figure.c look at two faces: the sides of the other's plane that corners are
// on, where borders pass that plane, and faces without area as the segments or points that they
// are.

#ifndef TOI_OVERLAP_TRIANGLES_H
#define TOI_OVERLAP_TRIANGLES_H

#include "overlap/orientation.h"
#include "overlap/overlap.h"

enum
{
    TOI_NOTHING = -1 // else the dimension of what is in common: 0, 1, 2
};

typedef struct toi_face_pair
{
    const toi_corner_view *face[2];
    unsigned shared[2]; // bit i: the other face names the vertex of corner i too
    int shared_count;   // distinct vertices
    bool crossing;      // relative interiors of faces in different planes meet
    bool exact;
} toi_face_pair;

// ---- Faces with area, in different planes

// On which sides of the other face's plane the corners of face f are; all 0 if that has no area.
void toi_find_sides(toi_face_pair *pair, int f, int side[3]);

static inline bool toi_is_zero(const int side[3])
{
    return side[0] == 0 && side[1] == 0 && side[2] == 0;
}

static inline bool toi_has_both(const int side[3])
{
    return (side[0] > 0 || side[1] > 0 || side[2] > 0) &&
           (side[0] < 0 || side[1] < 0 || side[2] < 0);
}

// The face meets the other's plane in one corner alone.
static inline bool toi_has_one_corner_on(const int side[3])
{
    return !toi_has_both(side) && (side[0] == 0) + (side[1] == 0) + (side[2] == 0) == 1;
}

// Where the border of a face, followed along its corners, comes up through the other's plane, or
// down: two corners not above and not below it, one of them off it.
typedef struct toi_passage
{
    int low;
    int high;
} toi_passage;

// Of a face that reaches the plane and is not in it.
toi_passage toi_find_passage(const int side[3], bool up);

// The sign of q - p along nA x nB, p being where the passage of face 0 meets the plane of face 1,
// and q the other way round.
int toi_compare_passages(toi_face_pair *pair, toi_passage p, toi_passage q);

// Both faces cut an interval out of the line that their planes have in common. That of face 0 runs
// from where its border comes up to where it goes down, that of face 1 the other way. Returns the
// dimension of what the intervals have in common.
int toi_meet_along_line(toi_face_pair *pair, const int a[3], const int b[3]);

// ---- Faces in one plane, and those without area

// A face as the set that it is.
typedef struct toi_face_shape
{
    int dimension;          // of a point, a segment, a triangle
    int axis;               // along which a triangle's projection has area, a segment has length
    const double *point[3]; // a triangle's, counterclockwise seen along its axis; a segment's ends,
                            // upwards along its axis
} toi_face_shape;

toi_face_shape toi_make_face_shape(toi_face_pair *pair, int f);

// The dimension of what they have in common. Triangles must be in one plane.
int toi_meet_face_shapes(toi_face_pair *pair, const toi_face_shape *a, const toi_face_shape *b);

#endif
