// What a truth file looks like: docs/truth.md, "The file, byte by byte". Read and written as it
// lies in memory, so little-endian machines only.

#ifndef TOI_IO_TRUTH_LAYOUT_H
#define TOI_IO_TRUTH_LAYOUT_H

#include "toi/truth.h"

#define TOI_TRUTH_MAGIC "TOITRUTH"
#define TOI_TRUTH_END_MAGIC "TOIENDED"

enum
{
    TOI_TRUTH_BYTE_ORDER = 0x01020304,
    TOI_TRUTH_VERSION = 1,
    TOI_TRUTH_ALIGNMENT = 64, // of every part, the rest filled with zeros
    TOI_TRUTH_HIT = 1,        // flags of a listed pair
    TOI_TRUTH_EXACT = 2
};

// The sections, in the order of the file; the last three once for each kind.
typedef enum toi_truth_part
{
    TOI_TRUTH_START, // positions at t = 0: three doubles a vertex
    TOI_TRUTH_END,   // and at t = 1
    TOI_TRUTH_FACES, // three int32 each
    TOI_TRUTH_EDGES, // two int32 each
    TOI_TRUTH_PAIRS, // two int32 each
    TOI_TRUTH_FLAGS, // one byte a pair
    TOI_TRUTH_TIMES, // one double for each pair that collides
    TOI_TRUTH_KIND_PARTS = 3,
    TOI_TRUTH_PARTS = TOI_TRUTH_TIMES + 1 + TOI_TRUTH_KIND_PARTS
} toi_truth_part;

typedef struct toi_truth_section
{
    int64_t offset;
    int64_t bytes; // without the zeros after it
    uint64_t hash; // with them
} toi_truth_section;

typedef struct toi_truth_header
{
    char magic[8];
    uint32_t byte_order;
    uint32_t version;
    int64_t listed; // a toi_truth_list
    int64_t vertices;
    int64_t edges;
    int64_t faces;
    int64_t candidates[TOI_PAIR_KINDS];
    int64_t counts[TOI_PAIR_KINDS];
    int64_t hits[TOI_PAIR_KINDS];
    toi_truth_section sections[TOI_TRUTH_PARTS];
    uint64_t reserved[5]; // zero
    uint64_t hash;        // of all before it
} toi_truth_header;

// The last bytes of a file that is complete.
typedef struct toi_truth_footer
{
    char magic[8];
    toi_truth_section certificates;
    toi_truth_section index; // the offset of each certificate's frame
    uint64_t hash;           // of all before it
} toi_truth_footer;

_Static_assert(sizeof(toi_truth_header) == 384, "the header has no gaps");
_Static_assert(sizeof(toi_truth_footer) == 64, "the footer has no gaps");

// A certificate lies in a frame: its size in two bytes, itself, and four bytes to tell a frame that
// was written whole: the lower half of toi_hash() of what is before them.
enum
{
    TOI_FRAME_HEAD = 2,
    TOI_FRAME_TAIL = 4
};

static inline int64_t toi_truth_padded(int64_t bytes)
{
    return (bytes + TOI_TRUTH_ALIGNMENT - 1) / TOI_TRUTH_ALIGNMENT * TOI_TRUTH_ALIGNMENT;
}

// Part `part` of the sections of a kind.
static inline int toi_truth_section_of(toi_truth_part part, int kind)
{
    return (int)part + kind * TOI_TRUTH_KIND_PARTS;
}

// Sets offsets and sizes of the sections from the counts. Returns where the certificates begin.
int64_t toi_truth_lay_out(toi_truth_header *header);

// What is wrong with the header's numbers, the table of sections aside; NULL: nothing.
const char *toi_truth_header_flaw(const toi_truth_header *header);

// What is wrong with an entry after the one before it (NULL: it is the first); NULL: nothing.
const char *toi_truth_entry_flaw(const toi_truth_header *header, toi_kind kind,
                                 const toi_truth_entry *before, const toi_truth_entry *entry);

// The size of the frame at the beginning of `size` bytes; 0 where there is none that can be.
int64_t toi_frame_bytes(const unsigned char *at, int64_t size);

#endif
