// Boxes as float columns in blocks, made for comparing one box with sixteen at a time.
//
// Bounds are rounded to the *nearest* float. Rounding is monotone, so boxes that overlap in double
// overlap in float; and floats that overlap strictly came from doubles that do. Only where two
// float bounds are equal must the doubles be asked: docs/broad_phases.md has the proof.

#ifndef TOI_BROAD_LAYOUT_H
#define TOI_BROAD_LAYOUT_H

#include "broad/broad.h"

#include <string.h>

enum
{
    TOI_BLOCK = 16
};

// Column order: the four bounds that a sweep compares stand first, its own axis last.
enum
{
    TOI_LO1,
    TOI_HI1,
    TOI_LO2,
    TOI_HI2,
    TOI_LO0,
    TOI_HI0,
    TOI_COLUMNS
};

typedef struct toi_box_block
{
    float bound[TOI_COLUMNS][TOI_BLOCK];
} toi_box_block;

// Boxes in the order of a sweep, of cells, or as given. The last block is padded with boxes that
// overlap nothing.
typedef struct toi_layout
{
    int64_t count;
    int axis;   // axis 0 of the columns is this coordinate, 1 and 2 are the next two, cyclically
    bool exact; // every bound is a float: equal floats mean equal doubles
    toi_box_block *blocks;
    float *begins; // the lower bound on axis 0 of each block's first box: the least of the block in
                   // a sweep
    int32_t *ids;  // of the boxes, in the blocks' order; padded like the blocks
    uint8_t *tags; // or NULL: boxes whose tags have a bit in common are not compared
    uint16_t *marks;            // or NULL: more tags
    toi_box_view first, second; // the boxes: those of the second list are numbered after the first
} toi_layout;

static inline bool toi_boxes_overlap(const toi_box *a, const toi_box *b)
{
    for (int k = 0; k < 3; ++k)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k])
            return false;
    return true;
}

// The box that has a number in a layout.
static inline const toi_box *toi_box_numbered(const toi_layout *layout, int32_t id)
{
    return id < layout->first.count ? &layout->first.data[id]
                                    : &layout->second.data[id - layout->first.count];
}

// A float's bits as an unsigned number in the same order; -0 and 0 are made one first.
static inline uint32_t toi_sortable(float x)
{
    x += 0.0f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The bits of a key that hold a bound; a box's number is in the others.
static const uint64_t TOI_KEY_BOUND = ~(uint64_t)0 << 32;

static inline uint64_t toi_key(double bound, int64_t id)
{
    return (uint64_t)toi_sortable((float)bound) << 32 | (uint32_t)id;
}

static inline int64_t toi_key_id(uint64_t key)
{
    return (int64_t)(key & ~TOI_KEY_BOUND);
}

// Lays boxes out by increasing lower bound on `axis` (ties by index), or as given if axis is -1.
toi_status toi_make_layout(toi_box_view boxes, int axis, int workers, toi_budget *budget,
                           toi_layout *layout);

// Lays out both lists of a job under one numbering (b's boxes follow a's; in a search of a list
// against itself there is only a): entry i is the box in the low 32 bits of keys[i], with tags[i]
// unless that is NULL. A box may come more than once, or not at all. Write pairs of such a layout
// with TOI_WRITE_SORTED.
toi_status toi_make_joint_layout(const toi_broad_job *job, int axis, const uint64_t *keys,
                                 const uint8_t *tags, int64_t count, toi_layout *layout);

void toi_free_layout(toi_layout *layout);

static inline float toi_bound(const toi_layout *layout, int column, int64_t i)
{
    return layout->blocks[i / TOI_BLOCK].bound[column][i % TOI_BLOCK];
}

// A run of comparisons: box `probe` of one layout against boxes [begin, end) of another.
typedef struct toi_run
{
    const toi_layout *probe_layout;
    int64_t probe;
    const toi_layout *layout;
    int64_t begin;
    int64_t end;
    bool sorted; // the layout is sorted along axis 0: stop where boxes begin beyond the probe's end
    // How a pair is written: lower number first (where both layouts number alike; the second is
    // then counted from the beginning of its list), or the probe's id first or second.
    enum
    {
        TOI_WRITE_SORTED,
        TOI_WRITE_PROBE_FIRST,
        TOI_WRITE_PROBE_SECOND
    } write;
} toi_run;

// Writes the pairs that overlap to `pairs`, which has room for end - begin + TOI_BLOCK, and returns
// how many. *stopped: no box from here on can overlap the probe.
typedef int64_t toi_overlap_run_fn(const toi_run *run, toi_pair *pairs, bool *stopped);

// For the instruction set in force.
toi_overlap_run_fn *toi_overlap_kernel(void);

// Collects pairs and emits them when a buffer is full.
typedef struct toi_pair_writer
{
    const toi_broad_job *job;
    int64_t task;
    int worker;
    toi_pair *buffer;
    int64_t count;
    toi_pair *own; // the buffer where the receiver has no room to write in place
} toi_pair_writer;

// Pairs a writer holds, and the longest run it takes at once.
enum
{
    TOI_WRITER_PAIRS = 1 << 14,
    TOI_LONGEST_RUN = 1 << 12
};

// One buffer a worker, for writers that have no better place; NULL with the message set on failure.
toi_pair *toi_take_writer_buffers(const toi_broad_job *job);

toi_pair_writer toi_start_writer(const toi_broad_job *job, toi_pair *buffers, int64_t task,
                                 int worker);

// Emits what the writer holds.
toi_status toi_flush_writer(toi_pair_writer *writer);

// Makes room for `count` pairs, and as many as a block more that may be overwritten.
static inline toi_status toi_make_room(toi_pair_writer *writer, int64_t count)
{
    return writer->count + count > TOI_WRITER_PAIRS ? toi_flush_writer(writer) : TOI_OK;
}

// Runs the kernel over [run->begin, run->end) in pieces that fit, emitting when full; *stopped as
// above.
toi_status toi_write_run(toi_pair_writer *writer, toi_run run, bool *stopped);

// Emits what is left and ends the task.
toi_status toi_end_writer(toi_pair_writer *writer);

#endif
