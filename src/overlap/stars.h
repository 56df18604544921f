// What stands behind toi_stars: one pool of numbers, and where in it each vertex has its own.

#ifndef TOI_OVERLAP_STARS_H
#define TOI_OVERLAP_STARS_H

#include "mesh/mesh.h"
#include "overlap/overlap.h"
#include "overlap/star.h"

struct toi_stars
{
    toi_budget *budget;
    int64_t vertex_count;
    toi_star *stars; // of the vertices
    int64_t star_capacity;
    int32_t *pool;
    int64_t pool_count;
    int64_t pool_capacity;
    int64_t waste;   // numbers in the pool that are nobody's
    int32_t largest; // most faces that a vertex has, or has had
};

// How many numbers the pool holds for a vertex with so many faces.
static inline int64_t toi_star_room(int64_t faces)
{
    return faces > 0 ? 2 * faces + 1 : 0;
}

// Faces, some of which are others than the view says.
typedef struct toi_changed_faces
{
    const toi_index_view *faces;
    const toi_face_change *changes; // sorted by face, each once
    int64_t count;
} toi_changed_faces;

// The place of the first change of a face that is not below `face`.
static inline int64_t toi_find_change(const toi_changed_faces *changed, int64_t face)
{
    int64_t low = 0, high = changed->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (changed->changes[middle].face < face)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline const int32_t *toi_changed_face(const toi_changed_faces *changed, int32_t face)
{
    int64_t at = changed->count > 0 ? toi_find_change(changed, face) : 0;
    return at < changed->count && changed->changes[at].face == face
               ? changed->changes[at].vertices
               : toi_face_at(changed->faces, face);
}

static inline const int32_t *toi_star_faces(const toi_stars *stars, int64_t vertex)
{
    return stars->pool + stars->stars[vertex].first;
}

static inline const int32_t *toi_star_ring(const toi_stars *stars, int64_t vertex)
{
    const toi_star *star = &stars->stars[vertex];
    return stars->pool + star->first + star->faces;
}

// Does a face name this corner's vertex before it?
static inline bool toi_is_repeated(const int32_t *row, int corner)
{
    return (corner > 0 && row[corner] == row[0]) || (corner == 2 && row[2] == row[1]);
}

// Puts the outer vertices of a vertex's star in order, if they have one; its faces are in the pool.
toi_status toi_order_star(const toi_stars *stars, const toi_changed_faces *faces, int32_t vertex,
                          toi_star *star);

// A number that is its own key, for toi_sort_in_place().
uint64_t toi_whole_key(const void *element, int word);

// toi_find_embedded() for the vertices [first, end).
typedef void toi_judge_stars_fn(const toi_stars *stars, const toi_face_table *table, int64_t first,
                                int64_t end, uint8_t *embedded);

#endif
