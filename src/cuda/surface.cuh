// Faces at one instant on a card, for overlaps: slots, queues and counters, as the kernels see
// them. Slots, eights, blocks and groups are as in step.cuh.

#ifndef TOI_CUDA_SURFACE_CUH
#define TOI_CUDA_SURFACE_CUH

#include "cuda/mesh.cuh"
#include "kernel/face_frame.h"

enum
{
    TOI_STAR_PIECE = 256, // pairs of a star that a warp looks at
    TOI_GRID_LEVELS = 18
};

// Set anew for every window of block pairs.
struct toi_surface_window
{
    toi_tally next, pairs, left;
};

struct toi_surface_control
{
    // Set anew for every call.
    toi_source source;
    toi_count low[3], high[3]; // least and greatest coordinates, as numbers that compare alike
    uint32_t infinite;         // a coordinate is not finite

    // Set anew whenever the pairs are looked for again.
    uint32_t crowded; // a face has very many overlaps
    uint32_t large;   // a star that is not shown to be embedded has too many faces for a card
    toi_tally hits, hard;
    toi_tally embedded;   // stars
    toi_tally broken;     // pieces of the other stars
    toi_tally neighbours; // pairs of these that were looked at
    toi_tally entries;    // of the grid
    uint32_t levels;      // bits of those that have faces
    toi_tally block_pairs;
    toi_surface_window window;
};

// A face in a hash grid: its box, and its level.
struct toi_grid_face
{
    float low[3], high[3];
    int32_t level;
};

// The hash grid of TOI_OVERLAP_KDET.
struct toi_face_grid
{
    int32_t hash; // a toi_cell_hash; -1: no grid
    uint32_t mask, prime;
    toi_grid_face *faces;      // of slots, which are in the order of the faces
    uint32_t *counts, *starts; // of buckets
    uint2 *entries;            // slot, and low bits of the cell
    toi_count capacity;
    void *scratch;
    size_t scratch_bytes;
};

struct toi_surface_step
{
    toi_face_grid grid;
    int64_t vertex_count, face_count;
    int32_t groups; // of slots
    const int32_t *faces;
    const toi_star *stars;
    const int32_t *pool;
    double *positions; // x y z of every vertex
    int4 *corners;     // of slots: vertices, and the number of the face in w, or -1
    uint4 *rows;       // of slots: box and first vertex
    uint2 *others;     // of slots: second and third vertex
    uint4 *eights, *blocks, *groups_of_blocks; // boxes
    uint8_t *embedded;                         // by vertex
    uint2 *block_pairs, *pairs, *left;
    uint2 *broken;     // vertex, and which piece of the pairs of its star
    toi_overlap *hits; // in any order
    toi_pair *hard;    // in memory of the host
    // Overlaps are sorted by counting, each in the bin of its first face.
    uint32_t *bins;      // how many a bin has
    uint32_t *starts;    // the place of its first
    uint32_t *ranks;     // by hit: which of its bin it is, in any order
    uint2 *entries;      // by bin and rank: second face, and hit
    toi_overlap *sorted; // in memory of the host
    toi_surface_control *control;
    toi_surface_control *report; // in memory of the host
    toi_count block_capacity, pair_capacity, left_capacity, broken_capacity, hit_capacity,
        hard_capacity;
    void *scratch; // of the sum over the bins
    size_t scratch_bytes;
};

// ---- The frame, and boxes of 15 bits a side in it, as in boxes.cuh

struct toi_surface_frame
{
    toi_face_frame face;
    float low[3], steps[3];
};

static __device__ __forceinline__ toi_surface_frame
toi_surface_frame_of(const toi_surface_control *c)
{
    toi_surface_frame f;
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = toi_out_of_order(c->low[k]);
        high[k] = toi_out_of_order(c->high[k]);
    }
    toi_take_face_frame(low, high, &f.face);
    for (int k = 0; k < 3; ++k) {
        f.low[k] = toi_face_single(&f.face, low[k], k);
        float size = toi_face_single(&f.face, high[k], k) - f.low[k];
        f.steps[k] = size > 0x1p-100f ? 32700 / size : 0;
    }
    return f;
}

static __device__ __forceinline__ void
toi_load_single(const toi_surface_step *s, const toi_face_frame *f, int32_t vertex, float x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = toi_face_single(f, s->positions[3 * (int64_t)vertex + k], k);
}

// ---- What is found

// Writes an overlap of two faces, by number, for the lanes that have one.
static __device__ __forceinline__ void toi_add_overlap(const toi_surface_step *s, bool some,
                                                       int32_t a, int32_t b, int32_t overlap_class)
{
    enum
    {
        CROWD = 256
    };
    toi_surface_control *c = s->control;
    toi_count at = toi_take_places(&c->hits.n, some);
    if (!some || at >= s->hit_capacity)
        return;
    int32_t first = a < b ? a : b;
    s->hits[at] = {first, a < b ? b : a, overlap_class};
    uint32_t rank = atomicAdd(&s->bins[first], 1u);
    s->ranks[at] = rank;
    if (rank >= CROWD)
        c->crowded = 1;
}

static __device__ __forceinline__ void toi_add_hard(const toi_surface_step *s, bool some, int32_t a,
                                                    int32_t b)
{
    toi_count at = toi_take_places(&s->control->hard.n, some);
    if (some && at < s->hard_capacity)
        s->hard[at] = {a < b ? a : b, a < b ? b : a};
}

// ---- The stages, in order; each starts its kernels on the card's stream

void toi_start_surface_take(const toi_card *card, const toi_surface_step *step);
void toi_start_surface_boxes(const toi_card *card, const toi_surface_step *step);
// Which stars are embedded; pieces of the others are queued.
void toi_start_stars(const toi_card *card, const toi_surface_step *step);
// Decides the pairs of the queued pieces.
void toi_start_neighbours(const toi_card *card, const toi_surface_step *step);
// Pairs of blocks of the window of pairs of groups.
void toi_start_surface_blocks(const toi_card *card, const toi_surface_step *step,
                              toi_window groups);
// Pairs of slots of the window of block pairs.
void toi_start_surface_meet(const toi_card *card, const toi_surface_step *step, toi_window blocks);
// The same by a grid: faces entered into it, and pairs of the window of faces.
toi_status toi_start_grid(const toi_card *card, const toi_surface_step *step,
                          toi_complaint *complaint);
void toi_start_grid_pairs(const toi_card *card, const toi_surface_step *step, toi_window faces);
// Drops pairs in single precision.
void toi_start_cull(const toi_card *card, const toi_surface_step *step);
// Decides pairs in double precision.
void toi_start_signs(const toi_card *card, const toi_surface_step *step);
// Puts the hits in order, by counting.
toi_status toi_start_overlaps(const toi_card *card, const toi_surface_step *step,
                              toi_complaint *complaint);
// The same by a sort of all `count`, for crowded bins; the scratch is that of
// toi_overlap_sort_scratch().
toi_status toi_start_overlap_sort(const toi_card *card, const toi_surface_step *step,
                                  const toi_room *scratch, toi_count count,
                                  toi_complaint *complaint);
void toi_start_surface_report(const toi_card *card, const toi_surface_step *step);
size_t toi_overlap_sort_scratch(toi_count overlaps);

// Slots in the order of a space-filling curve, from the positions on the card; or of the faces.
toi_status toi_start_surface_slots(const toi_card *card, const toi_surface_step *step,
                                   const toi_room *scratch, toi_complaint *complaint);

toi_status toi_fill_surface_search(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_cull(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_signs(toi_card *card, toi_complaint *complaint);

// ---- The backend's functions

toi_status toi_make_card_surface(void *card, const toi_card_faces *faces, void **surface,
                                 toi_complaint *complaint);
void toi_free_card_surface(void *surface);
toi_status toi_find_overlaps_on_card(void *surface, const toi_overlap_question *question,
                                     toi_overlap_answer *answer, toi_complaint *complaint);

#endif
