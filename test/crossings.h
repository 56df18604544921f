// Pairs that touch, or come to a share of their distance, exactly, in a single moment, and so close
// to others that single precision cannot see it: what a search must not lose.

#ifndef TOI_TEST_CROSSINGS_H
#define TOI_TEST_CROSSINGS_H

#include "support.h"

enum
{
    CROSSINGS = 200,
    CORNERS = 4
};

// How the crossings are placed, and what else is there.
typedef struct setting
{
    const char *name;
    int exponent;   // of the scale
    double offset;  // of all coordinates
    double outlier; // where one vertex more stands; 0: none
    bool early;     // contacts at about 1/65, and nothing later matters
} setting;

extern const setting settings[];
enum
{
    SETTINGS = 12
};

typedef struct crossings
{
    double start[CORNERS * CROSSINGS + 3][3], end[CORNERS * CROSSINGS + 3][3];
    int32_t faces[CROSSINGS + 1][3], edges[2 * CROSSINGS][2];
} crossings;

double lattice(toi_random *random, int bits);

// A mesh of pairs that pass through each other: vertex 4 n and face n, or edges 2 n and 2 n + 1.
toi_mesh make_crossings(const setting *how, toi_kind kind, toi_random *random, crossings *all);

#define SHARE 0.25
#define PASSED (1.0 / 64) // when early ones come to their separation

// Puts pairs in their places that come exactly to their share of the distance at the start.
void place_followers(toi_kind kind, const setting *how, double least, bool waiting,
                     toi_random *random, crossings *all);

// The same, each of the two moving straight towards the other, to their share at PASSED.
void place_closers(toi_kind kind, const setting *how, double least, toi_random *random,
                   crossings *all);

#endif
