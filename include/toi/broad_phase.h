/// @file
/// Broad phases: all pairs of boxes that overlap.

#ifndef TOI_BROAD_PHASE_H
#define TOI_BROAD_PHASE_H

#include "toi/boxes.h"

TOI_EXTERN_C_BEGIN

/// How candidate pairs are found. Every method returns the same pairs; only the cost differs.
typedef enum toi_broad_method
{
    TOI_BROAD_AUTO,  ///< the one the measurements favour; now TOI_BROAD_STQ
    TOI_BROAD_BRUTE, ///< every pair; the reference for tests
    TOI_BROAD_STQ, ///< sort along the axis of greatest variance, sweep with tiny queues (Belgrod et
                   ///< al.)
    TOI_BROAD_COUNT
} toi_broad_method;

/// The name a method has on the command line ("stq"); NULL when out of range.
TOI_API const char *toi_broad_name(toi_broad_method method);

/// The method of that name; TOI_BROAD_COUNT when there is none.
TOI_API toi_broad_method toi_broad_find(const char *name);

/// The order of a list of pairs.
typedef enum toi_order
{
    TOI_ORDER_CANONICAL, ///< sorted by (a, b): the same list for every method
    TOI_ORDER_OWN ///< as the method finds them: cheaper; still the same for any number of workers
} toi_order;

/// Options of a broad phase; start from toi_default_broad_def().
typedef struct toi_broad_def
{
    toi_broad_method method;
    toi_order order;
    int workers;          ///< 0: toi_default_workers()
    int64_t memory_limit; ///< bytes of working memory, output included; 0: no limit
    toi_progress *progress;
    void *progress_context;
    uint32_t cookie; ///< set by the default function; leave it
} toi_broad_def;

TOI_API toi_broad_def toi_default_broad_def(void);

/// Two overlapping boxes, by their indices. In a list against itself a < b.
typedef struct toi_pair
{
    int32_t a;
    int32_t b;
} toi_pair;

/// A growable list of pairs. Start from a zeroed one; a call reuses its memory; free with
/// toi_free_pairs().
typedef struct toi_pair_array
{
    toi_pair *data;
    int64_t count;
    int64_t capacity;
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
typedef toi_status toi_pair_sink(void *context, const toi_pair *pairs, int64_t count, int worker);

/// Finds the same pairs as the two functions above (pass NULL for `b` to search `a` against itself)
/// without ever holding them all: each block goes to `sink` as soon as it is full. Which pairs
/// share a block, and when it comes, depends on the number of workers; the set of all pairs does
/// not. `def->order` is not used.
TOI_API toi_status toi_stream_pairs(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                                    toi_pair_sink *sink, void *context);

/// Sorts by (a, b). Indices must not be negative.
TOI_API toi_status toi_sort_pairs(toi_pair *pairs, int64_t count, int workers);

TOI_EXTERN_C_END

#endif
