/// @file
/// Broad phases: all pairs of boxes that overlap.
///
/// **The memory limit** of a call is a promise: from its beginning to its end the call never holds
/// more than `memory_limit` bytes. What counts is every block from the allocate hook, 64 bytes of
/// bookkeeping each included: working memory, what a toi_broad_memory or toi_scene holds, and the
/// lists that come back. A list that is handed in to be reused counts from the beginning; where it
/// stands in the way it is freed. What does not count: the caller's own arrays, the object
/// toi_broad_memory or toi_scene itself (at most 4 KiB), stacks, and what the C library, OpenMP and
/// GMP allocate for themselves.
///
/// Near the limit a call takes longer rather than more: a list that does not fit while it grows is
/// made by counting the pairs first and searching again, and sorted in place, so that a list of n
/// pairs needs 8 n bytes and the search's own memory. If that does not fit, the call returns
/// TOI_ERROR_LIMIT, and the message names the whole need: the same call with that limit succeeds.
/// (If not even the search itself fits, the message says so and names what that needs, to which
/// the list comes.) The need that is named is enough for any boxes of that number, often half would
/// do.

#ifndef TOI_BROAD_PHASE_H
#define TOI_BROAD_PHASE_H

#include "toi/boxes.h"

TOI_EXTERN_C_BEGIN

/// How candidate pairs are found. Every method returns the same pairs; only the cost differs
/// (docs/broad_phases.md). Those marked * are cheaper with a toi_broad_memory.
typedef enum toi_broad_method
{
    TOI_BROAD_AUTO,  ///< the one the measurements favour for the boxes at hand *
    TOI_BROAD_BRUTE, ///< every pair; the reference for tests
    TOI_BROAD_SWEEP, ///< sort along one axis, compare with all that begin before the end
    TOI_BROAD_SWEEP_INCREMENTAL, ///< three sorted axes kept from call to call, the best swept *
    TOI_BROAD_STQ,               ///< sort and sweep with tiny queues (Belgrod et al.)
    TOI_BROAD_GRID,              ///< uniform cells, every pair of a cell
    TOI_BROAD_GRID_SWEEP,        ///< columns of cells, a sweep inside each
    TOI_BROAD_HASH,              ///< cells of the mean size in a hash table
    TOI_BROAD_BVH,               ///< dynamic tree of boxes, refitted, searched against itself *
    TOI_BROAD_LBVH,              ///< tree over blocks of boxes along a space-filling curve *
    TOI_BROAD_KDTREE,            ///< space cut in two again and again
    TOI_BROAD_TRACY,             ///< segmented sorted axes with insertion (Tracy et al.) *
    TOI_BROAD_KDET,          ///< hierarchical hash grid, each against larger ones (Weller et al.)
    TOI_BROAD_INTERVAL_TREE, ///< streamed segment trees (Zomorodian and Edelsbrunner)
    TOI_BROAD_COUNT
} toi_broad_method;

/// The name a method has on the command line ("stq"); NULL when out of range.
TOI_API const char *toi_broad_name(toi_broad_method method);

/// The method of that name; TOI_BROAD_COUNT when there is none.
TOI_API toi_broad_method toi_broad_find(const char *name);

/// What a method can do, and what helps it.
typedef enum toi_broad_trait
{
    /// It can be used. What was left out when the library was built returns TOI_ERROR_UNSUPPORTED.
    TOI_BROAD_TRAIT_BUILT = 1 << 0,
    /// In ccd.h it searches the mesh itself, without lists of boxes: less memory, and no limit on
    /// the sum of vertices and faces.
    TOI_BROAD_TRAIT_MESH = 1 << 1,
    /// It is cheaper with a toi_broad_memory.
    TOI_BROAD_TRAIT_MEMORY = 1 << 2,
    /// Its cells get their size from the edges and the motion of a mesh, where there is one
    /// (ccd.h).
    TOI_BROAD_TRAIT_CELL_SIZE = 1 << 3
} toi_broad_trait;

/// The traits of a method, or-ed; 0 when there is no such method.
TOI_API unsigned toi_broad_traits(toi_broad_method method);

/// The order of a list of pairs.
typedef enum toi_order
{
    TOI_ORDER_CANONICAL, ///< sorted by (a, b): the same list for every method
    TOI_ORDER_OWN ///< as the method finds them: cheaper; still the same for any number of workers
} toi_order;

/// What methods keep from one call to the next, for frames of the same objects: an order, a tree,
/// sorted axes, and the memory they stand in. The pairs found are the same with and without it. One
/// call at a time may use it; lists of other lengths or another method begin anew. What it holds is
/// counted against the memory limit of each call that uses it.
typedef struct toi_broad_memory toi_broad_memory;

/// Makes an empty memory; free with toi_free_broad_memory(). On failure it is NULL.
TOI_API toi_status toi_make_broad_memory(toi_broad_memory **memory);

/// Harmless on NULL.
TOI_API void toi_free_broad_memory(toi_broad_memory *memory);

/// Options of a broad phase; start from toi_default_broad_def().
typedef struct toi_broad_def
{
    toi_broad_method method;   ///< default TOI_BROAD_AUTO
    toi_order order;           ///< of the list of pairs
    int workers;               ///< 0: toi_default_workers()
    int64_t memory_limit;      ///< most bytes held at once, see above; 0: no limit
    toi_broad_memory *memory;  ///< from toi_make_broad_memory(), for methods that profit; or NULL
    toi_progress_fn *progress; ///< or NULL
    void *progress_context;    ///< passed to `progress`
    uint32_t cookie;           ///< set by the default function; leave it
} toi_broad_def;

/// `auto`, canonical order, toi_default_workers(), no limit, no memory kept.
TOI_API toi_broad_def toi_default_broad_def(void);

/// Two overlapping boxes, by their indices. In a list against itself a < b.
typedef struct toi_pair
{
    int32_t a; ///< in the first list
    int32_t b; ///< in the second list, or in the same one
} toi_pair;

/// A growable list of pairs. Start from a zeroed one; a call reuses its memory, or frees it where
/// it does not fit the memory limit; free with toi_free_pairs().
typedef struct toi_pair_array
{
    toi_pair *data;   ///< the pairs; NULL while there is no room
    int64_t count;    ///< how many there are
    int64_t capacity; ///< how many there is room for
} toi_pair_array;

/// Frees and empties; harmless on a zeroed array.
TOI_API void toi_free_pairs(toi_pair_array *pairs);

/// Finds all pairs of boxes in one list that overlap, touching included.
TOI_API toi_status toi_find_pairs(const toi_broad_def *def, toi_box_view boxes,
                                  toi_pair_array *pairs);

/// Finds all pairs (i, j) such that a[i] and b[j] overlap.
TOI_API toi_status toi_find_pairs_between(const toi_broad_def *def, toi_box_view a, toi_box_view b,
                                          toi_pair_array *pairs);

/// Receives a block of pairs; may be called by several workers at once, each with its own number in
/// [0, workers). The block is only valid during the call. Anything but TOI_OK stops the search and
/// is returned from it.
typedef toi_status toi_pair_sink_fn(void *context, const toi_pair *pairs, int64_t count,
                                    int worker);

/// Finds the same pairs as the two functions above (pass NULL for `b` to search `a` against itself)
/// without ever holding them all: each block goes to `sink` as soon as it is full. Which pairs
/// share a block, and when it comes, depends on the number of workers; the set of all pairs does
/// not. `def->order` is not used.
TOI_API toi_status toi_stream_pairs(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                                    toi_pair_sink_fn *sink, void *context);

/// Sorts by (a, b). Indices must not be negative. Takes 8 bytes a pair while it sorts; where there
/// is no memory it takes none, and longer.
TOI_API toi_status toi_sort_pairs(toi_pair *pairs, int64_t count, int workers);

TOI_EXTERN_C_END

#endif
