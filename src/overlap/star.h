// The faces around one vertex, as the search for overlaps keeps them; plain C, for cards too.

#ifndef TOI_OVERLAP_STAR_H
#define TOI_OVERLAP_STAR_H

#include <stdint.h>

// `faces` numbers of faces, upwards, from `first` in a pool of numbers on; then, one more, the
// outer vertices. Where the faces are a fan, face by face around the vertex, these come in order:
// each face has two that are next to each other. A closed fan has its first again at the end. Which
// way round a face lists its vertices does not matter.
typedef struct toi_star
{
    int64_t first;
    int32_t faces;
    int32_t fan; // 1: the faces are one; 0: the outer vertices mean nothing
} toi_star;

#endif
