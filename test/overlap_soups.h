// Small meshes made to break a search for faces that intersect: any way to join vertices, in any
// place. The same seed gives the same mesh on every platform.

#ifndef TOI_TEST_OVERLAP_SOUPS_H
#define TOI_TEST_OVERLAP_SOUPS_H

#include "support.h"
#include "toi/overlap.h"
#include "toi/random.h"

enum
{
    SOUP_VERTICES = 700,
    SOUP_FACES = 700
};

// How vertices are joined, and where they are on the lattice; overlap_soups.c says how each is
// made.
typedef enum soup_shape
{
    SHAPE_LOOSE,  // faces with vertices of their own
    SHAPE_SHARED, // faces of a few vertices
    SHAPE_BROKEN, // without area, the same twice, a vertex twice, vertices at one place
    SHAPE_FANS,   // closed and open, some folded, some around twice
    SHAPE_GRID,   // a flat grid aslant, with a few vertices moved in its plane or out of it
    SHAPE_SHEETS, // sheets nearly in one plane
    SHAPE_TORN,   // a closed surface with some vertices pushed in
    SHAPE_SIZES,  // large faces among small ones
    SHAPE_HUB,    // many faces around one vertex
    SHAPE_FOLD,   // one fan, folded by a little or nothing, and a vertex far away
    SHAPE_COUNT
} soup_shape;

// Where the lattice is put. The first ones are exact: lattice_classify() knows the answer.
typedef enum soup_place
{
    PLACE_PLAIN,
    PLACE_SMALL,    // times 2^-60
    PLACE_LARGE,    // times 2^60
    PLACE_TINY,     // times 2^-900
    PLACE_HUGE,     // times 2^900
    PLACE_DENORMAL, // times 2^-1074
    PLACE_LARGEST,  // times 2^1014
    PLACE_FAR,      // about 10^8 away, in steps of 10^-6
    PLACE_FLAT,     // the axes scaled apart, by up to 2^300
    PLACE_EXACT_COUNT,
    PLACE_TURNED = PLACE_EXACT_COUNT, // by any angle: what touched is a few ulps off, in any size
    PLACE_NUDGED,                     // some coordinates moved to a neighbouring double
    PLACE_ANYWHERE,                   // every vertex near its place: general position
    PLACE_ROUNDED,                    // turned, then 10^8 away with features of 10^-6
    PLACE_WILD,                       // coordinates of unrelated exponents
    PLACE_COUNT
} soup_place;

typedef struct overlap_soup
{
    char name[64];
    soup_shape shape;
    soup_place place;
    int vertices;
    int faces;
    int32_t lattice[SOUP_VERTICES][3];
    double points[SOUP_VERTICES][3];
    int32_t face[SOUP_FACES][3];
    int32_t groups[SOUP_VERTICES]; // as in toi_filter
} overlap_soup;

// `size` is about the number of faces.
void make_overlap_soup(overlap_soup *s, soup_shape shape, soup_place place, int size,
                       uint64_t seed);

toi_mesh soup_mesh(const overlap_soup *s);

// Another order of faces, of corners, and other numbers for vertices. renamed[i] is the new number
// of face i.
void shuffle_soup(const overlap_soup *s, overlap_soup *shuffled, int32_t *renamed,
                  toi_random *random);

#endif
