// Stable parallel radix sort of 64-bit keys, and a sort of any elements that needs no memory.

#ifndef TOI_BASE_RADIX_SORT_H
#define TOI_BASE_RADIX_SORT_H

#include "base/memory.h"
#include "base/parallel.h"

// Sorts keys[0 .. count) upwards by the bits that `mask` selects; keys equal in those bits keep
// their order, so an index in the other bits is the tie-break. Only bits that differ between keys
// cost a pass. The result does not depend on the number of workers.
toi_status toi_radix_sort(uint64_t *keys, int64_t count, uint64_t mask, int workers,
                          toi_budget *budget);

// The same in memory that the caller has: toi_radix_words() at least.
void toi_radix_sort_with(uint64_t *keys, uint64_t *scratch, int64_t count, uint64_t mask,
                         int workers);
int64_t toi_radix_words(int64_t count, int workers);

// What of that are tables beside the keys, at most, for up to so many keys: for what calls need.
int64_t toi_radix_tables(int64_t count, int workers);

// The same, but only the lower halves of the keys come out, in order; the keys are lost.
void toi_radix_sort_low(uint64_t *keys, uint64_t *scratch, int64_t count, uint64_t mask,
                        int workers, int32_t *low);

// What toi_sort_by_place() sorts: keys of (place << 32 | number), places below `places`.
typedef struct toi_place_sort
{
    toi_range_fn *fill; // writes the keys of a range of numbers; does not fail
    void *context;
    uint64_t *keys;
    uint64_t *scratch; // toi_radix_words()
    int64_t count;
    int64_t places; // up to TOI_MOST_PLACES
    int32_t *order; // of the numbers: by place, and upwards at each
} toi_place_sort;

enum
{
    TOI_MOST_PLACES = 1 << 22
};
void toi_sort_by_place(const toi_place_sort *sort, int workers);

// How elements are counted for a sort by a digit: a row of counts for each piece of them.
typedef struct toi_digit_counts
{
    int64_t *rows;
    int64_t stride; // from row to row
    int pieces, digits;
} toi_digit_counts;

// Turns counts into the places of each piece's first element of each digit: digit by digit, then
// piece by piece, which keeps what is equal in order. `before`: room for a row.
void toi_place_digits(const toi_digit_counts *counts, int64_t *before);

// One of the words of an element's key, the most significant being word 0.
typedef uint64_t toi_key_word_fn(const void *element, int word);

// Sorts elements of at most TOI_LARGEST_ELEMENT bytes upwards by keys of so many words, in place,
// by one thread: for what has no room beside it. Elements with equal keys come in any order.
enum
{
    TOI_LARGEST_ELEMENT = 128
};
void toi_sort_in_place(void *elements, int64_t count, size_t size, int words, toi_key_word_fn *key);

#endif
