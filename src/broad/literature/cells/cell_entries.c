// Why no pair is lost and none is found twice. The cell of a bound is found by steps that are each
// monotone (to float, times a number, plus a number, clamped, truncated), so on an axis a box fills
// all cells from that of its lower bound to that of its upper bound. If two boxes overlap, then on
// every axis the larger of the cells of their lower bounds lies within both ranges: they share the
// cell with these coordinates. Of all cells that they share it is the only one that on no axis both
// begin before, and only there have their tags no bit in common. Boxes of different levels meet in
// that of the larger one; a visitor is left out of cells only where no resident is.
//
// Of shapes, an entry knows which other cells of its box its shape crosses, too, eight at most;
// they are neighbours of the entry's cell. Two shapes that cross cells in common are a pair in the
// first of these, in the order of the cells' coordinates: there, and only there, no cell before it
// is marked by both.

#include "broad/literature/cells/cell_entries.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct key_job
{
    const toi_cell_space *space;
    const toi_cell_level *level;
    toi_cell_keys *keys;
    int64_t first_piece[TOI_CELL_GROUPS + 1];
    int64_t *offsets;       // one a piece of boxes: where it may write
    int64_t *written;       // one a piece: how many it wrote
    toi_bit_word *occupied; // buckets with residents; NULL if there are no visitors
    int occupied_shift;
} key_job;

toi_bit_word *toi_take_bits(toi_budget *budget, int64_t count)
{
    int64_t words = (count + 63) / 64;
    toi_bit_word *bits = toi_take(budget, words, sizeof *bits);
    if (bits)
        memset(bits, 0, (size_t)words * sizeof *bits);
    return bits;
}

// Cells are numbered from 0, the origin being in the middle.
static const double MIDDLE_CELL = 0x1p30, LAST_CELL = 0x1p31 - 2;

static toi_cell_map map_level(const toi_cell_space *space, const toi_cell_level *level)
{
    toi_cell_map map = {.inverse = 1 / (space->size * level->scale)};
    for (int k = 0; k < space->axes; ++k) {
        map.bias[k] = MIDDLE_CELL - space->origin[k] * map.inverse;
        map.first[k] = fmax(0, -(double)FLT_MAX * map.inverse + map.bias[k]);
        map.last[k] = fmin(LAST_CELL, (double)FLT_MAX * map.inverse + map.bias[k]);
    }
    return map;
}

// Neighbours stay together: what is hashed is a brick of four cells a side.
static uint32_t bucket_of(const toi_cell_space *space, const int32_t at[3])
{
    static const uint64_t odd[3] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0xd6e8feb86659fd93u};
    uint64_t hash = 0;
    uint32_t within = 0;
    for (int k = 0; k < 3; ++k) {
        hash += (uint64_t)(at[k] >> 2) * odd[k];
        within |= (uint32_t)(at[k] & 3) << 2 * k;
    }
    hash = (hash ^ hash >> 32) * 0xa0761d6478bd642fu;
    int within_bits = 2 * space->axes;
    return (uint32_t)(hash >> (64 - space->bucket_bits + within_bits)) << within_bits | within;
}

static uint32_t shape_bucket_of(const toi_cell_space *space, const int32_t at[3])
{
    return space->shapes->hash ? space->shapes->hash(at) : bucket_of(space, at);
}

// ---------------------------------------------------------------------------------------------
// Pieces of boxes

typedef struct boxes_piece
{
    int group;
    const toi_layout *source;
    int64_t first, end;
} boxes_piece;

static boxes_piece boxes_of_piece(const key_job *job, int64_t piece)
{
    boxes_piece p = {.group = 0};
    while (piece >= job->first_piece[p.group + 1])
        ++p.group;
    p.source = &job->space->source[p.group & 1];
    p.first = (piece - job->first_piece[p.group]) * TOI_PIECE;
    p.end = p.first + TOI_PIECE < p.source->count ? p.first + TOI_PIECE : p.source->count;
    return p;
}

// The boxes of one block: whether they belong to the group, and their first and last cells.
typedef struct block_cells
{
    bool belongs[TOI_BLOCK];
    int32_t first[3][TOI_BLOCK], last[3][TOI_BLOCK];
} block_cells;

// False if none of the block belongs to the group; then there are no cells.
static bool find_block_cells(const key_job *job, const boxes_piece *piece, int64_t i,
                             block_cells *cells)
{
    const toi_cell_space *space = job->space;
    const toi_box_block *block = &piece->source->blocks[i / TOI_BLOCK];
    bool visitors = piece->group >= TOI_VISITORS_A;
    double least = visitors ? 0 : job->level->above;
    double most = visitors ? job->level->above : job->level->below;
    double extents[TOI_BLOCK];
    toi_find_extents(space, piece->source, i, extents);
    bool any = false;
    for (int lane = 0; lane < TOI_BLOCK; ++lane) {
        cells->belongs[lane] =
            (extents[lane] >= least) & (extents[lane] < most) & (i + lane < piece->end);
        any |= cells->belongs[lane];
    }
    if (!any)
        return false;
    memset(cells->first, 0, sizeof cells->first);
    memset(cells->last, 0, sizeof cells->last);
    for (int k = 0; k < space->axes; ++k) {
        const float *lo = block->bound[space->lo_column[k]];
        toi_cells_at(&job->keys->map, k, TOI_BLOCK, lo, cells->first[k]);
        toi_cells_at(&job->keys->map, k, TOI_BLOCK, lo + TOI_BLOCK, cells->last[k]);
    }
    return true;
}

static void count_piece(const key_job *job, int64_t piece)
{
    boxes_piece p = boxes_of_piece(job, piece);
    uint64_t count = 0;
    for (int64_t i = p.first; i < p.end; i += TOI_BLOCK) {
        block_cells b;
        if (!find_block_cells(job, &p, i, &b))
            continue;
        for (int lane = 0; lane < TOI_BLOCK; ++lane) {
            uint64_t cells = b.belongs[lane];
            for (int k = 0; k < 3; ++k)
                cells *= (uint64_t)(b.last[k][lane] - b.first[k][lane] + 1);
            count += cells;
        }
    }
    job->offsets[piece] = (int64_t)count;
}

static toi_status count_entries(void *context, int64_t first, int64_t end)
{
    for (int64_t piece = first; piece < end; ++piece)
        count_piece(context, piece);
    return TOI_OK;
}

static uint32_t occupied_bit(const key_job *job, uint32_t bucket)
{
    return bucket * 0x9e3779b1u >> job->occupied_shift;
}

static bool is_occupied(const key_job *job, const int32_t at[3])
{
    return toi_get_bit(job->occupied, occupied_bit(job, shape_bucket_of(job->space, at)));
}

// The cells of one box, by bits: offset 0 or 1 on each axis.
typedef struct box_cells
{
    int32_t first[3], last[3];
    bool visitor;
} box_cells;

static void cell_at(const box_cells *cells, unsigned offsets, int32_t at[3])
{
    for (int k = 0; k < 3; ++k)
        at[k] = cells->first[k] + (int32_t)(offsets >> k & 1);
}

// The cell in space; those at the ends go on for ever.
static toi_box bounds_of_cell(const toi_cell_map *map, const int32_t at[3])
{
    toi_box cell;
    for (int k = 0; k < 3; ++k) {
        double begin = ((double)at[k] - map->bias[k]) / map->inverse;
        cell.lo[k] = (double)at[k] <= map->first[k] ? -HUGE_VAL : begin;
        cell.hi[k] = (double)at[k] + 1 > map->last[k] ? HUGE_VAL : begin + 1 / map->inverse;
    }
    return cell;
}

// Which of the cells the shape of a box crosses; of a visitor, among those that may have residents.
// A bound times `inverse` plus `bias`, below 2^31, is wrong by less than 2^-20.
static unsigned find_crossed(const key_job *job, const box_cells *cells, int64_t box)
{
    const toi_cell_shapes *shapes = job->space->shapes;
    const toi_cell_map *map = &job->keys->map;
    unsigned crossed = 0;
    int cut = 0; // axes
    for (int k = 0; k < 3; ++k)
        cut += cells->last[k] > cells->first[k];
    for (unsigned offsets = 0; offsets < 8; ++offsets) {
        int32_t at[3];
        cell_at(cells, offsets, at);
        if (at[0] > cells->last[0] || at[1] > cells->last[1] || at[2] > cells->last[2] ||
            (cells->visitor && !is_occupied(job, at)))
            continue;
        bool crosses =
            cut < 2; // a box touches all its cells, and so does its shape, if there are two
        if (!crosses) {
            toi_box cell = bounds_of_cell(map, at);
            crosses = shapes->crosses(shapes->context, box, &cell, 0x1p-20 / map->inverse);
        }
        crossed |= (unsigned)crosses << offsets;
    }
    return crossed;
}

// Writes a key for each cell that the shape of a box crosses, with the others.
static uint64_t *write_crossed(const key_job *job, const box_cells *cells, uint64_t box,
                               uint64_t *keys)
{
    unsigned crossed = find_crossed(job, cells, (int64_t)(box & INT32_MAX));
    for (unsigned offsets = 0; offsets < 8; ++offsets) {
        if (!(crossed >> offsets & 1))
            continue;
        int32_t at[3];
        cell_at(cells, offsets, at);
        uint32_t bucket = shape_bucket_of(job->space, at);
        uint64_t others = (crossed & ((1u << offsets) - 1)) | crossed >> (offsets + 1) << offsets;
        *keys++ = (uint64_t)bucket << (64 - job->space->bucket_bits) | others << TOI_KEY_CROSSED |
                  (uint64_t)offsets << TOI_KEY_OFFSETS | box;
        if (job->occupied && !cells->visitor)
            toi_set_bit(job->occupied, occupied_bit(job, bucket));
    }
    return keys;
}

// Writes a key for each cell of a box; of a visitor, for those that may have residents.
static uint64_t *write_keys(const key_job *job, const block_cells *b, int lane, bool visitor,
                            uint64_t box, uint64_t *keys)
{
    const toi_cell_space *space = job->space;
    int32_t at[3], first[3], last[3];
    box_cells cells = {.visitor = visitor};
    for (int k = 0; k < 3; ++k) {
        cells.first[k] = first[k] = b->first[k][lane];
        cells.last[k] = last[k] = b->last[k][lane];
        assert(last[k] - first[k] < 1 << space->offset_bits);
    }
    if (space->shapes)
        return write_crossed(job, &cells, box, keys);
    for (at[2] = first[2]; at[2] <= last[2]; ++at[2])
        for (at[1] = first[1]; at[1] <= last[1]; ++at[1])
            for (at[0] = first[0]; at[0] <= last[0]; ++at[0]) {
                uint32_t bucket = bucket_of(space, at);
                if (visitor && !toi_get_bit(job->occupied, occupied_bit(job, bucket)))
                    continue;
                uint64_t offsets = 0;
                for (int k = 0; k < 3; ++k)
                    offsets |= (uint64_t)(at[k] - first[k]) << k * space->offset_bits;
                *keys++ = (uint64_t)bucket << (64 - space->bucket_bits) |
                          offsets << TOI_KEY_OFFSETS | box;
                if (job->occupied && !visitor)
                    toi_set_bit(job->occupied, occupied_bit(job, bucket));
            }
    return keys;
}

static void write_piece(const key_job *job, int64_t piece)
{
    boxes_piece p = boxes_of_piece(job, piece);
    uint64_t *begin = job->keys->data + job->offsets[piece], *keys = begin;
    bool visitor = p.group >= TOI_VISITORS_A;
    uint64_t base = p.group & 1 ? (uint64_t)job->space->job->a.count : 0;
    uint64_t mark = (uint64_t)visitor << TOI_KEY_VISITOR;
    for (int64_t i = p.first; i < p.end; i += TOI_BLOCK) {
        block_cells b;
        if (!find_block_cells(job, &p, i, &b))
            continue;
        for (int lane = 0; lane < TOI_BLOCK; ++lane)
            if (b.belongs[lane]) {
                uint64_t box = base + (uint64_t)p.source->ids[i + lane];
                keys = write_keys(job, &b, lane, visitor, box | mark, keys);
            }
    }
    job->written[piece] = keys - begin;
}

static toi_status write_pieces(void *context, int64_t first, int64_t end)
{
    for (int64_t piece = first; piece < end; ++piece)
        write_piece(context, piece);
    return TOI_OK;
}

static toi_status write_visitors(void *context, int64_t first, int64_t end)
{
    int64_t homes = ((const key_job *)context)->first_piece[TOI_VISITORS_A];
    return write_pieces(context, homes + first, homes + end);
}

// ---------------------------------------------------------------------------------------------
// All boxes

// Finds where each piece of boxes may write, and takes room for all.
static toi_status make_room(key_job *job, int64_t pieces)
{
    const toi_broad_job *broad = job->space->job;
    job->offsets = toi_take(broad->budget, 2 * pieces, sizeof *job->offsets);
    if (!job->offsets)
        return toi_allocation_status();
    job->written = job->offsets + pieces;
    toi_status status = toi_parallel_ranges(broad->workers, pieces, 1, count_entries, job);
    if (status != TOI_OK)
        return status;
    int64_t room = 0;
    for (int64_t p = 0; p < pieces; ++p) {
        int64_t count = job->offsets[p];
        job->offsets[p] = room;
        room += count;
    }
    job->keys->data = toi_take(broad->budget, room, sizeof *job->keys->data);
    return job->keys->data ? TOI_OK : toi_allocation_status();
}

// A table of so many bits that most of it stays 0.
static toi_status start_occupancy(key_job *job)
{
    enum
    {
        LEAST_BITS = 10,
        MOST_BITS = 28,
        BITS_A_BOX = 16
    };
    const int64_t *boxes = job->level->boxes;
    int64_t wanted = BITS_A_BOX * (boxes[TOI_RESIDENTS_A] + boxes[TOI_RESIDENTS_B]);
    int bits = LEAST_BITS;
    while (bits < MOST_BITS && (int64_t)1 << bits < wanted)
        ++bits;
    job->occupied_shift = 32 - bits;
    job->occupied = toi_take_bits(job->space->job->budget, (int64_t)1 << bits);
    return job->occupied ? TOI_OK : toi_allocation_status();
}

// Closes the gaps that visitors without company have left.
static void close_gaps(const key_job *job, int64_t pieces)
{
    toi_cell_keys *keys = job->keys;
    for (int64_t p = 0; p < pieces; ++p) {
        if (job->offsets[p] > keys->count)
            memmove(keys->data + keys->count, keys->data + job->offsets[p],
                    (size_t)job->written[p] * sizeof *keys->data);
        keys->count += job->written[p];
    }
}

toi_status toi_make_cell_keys(const toi_cell_space *space, const toi_cell_level *level,
                              toi_cell_keys *keys)
{
    *keys = (toi_cell_keys){.map = map_level(space, level)};
    key_job job = {.space = space, .level = level, .keys = keys};
    for (int g = 0; g < TOI_CELL_GROUPS; ++g) {
        int64_t boxes = level->boxes[g] > 0 ? space->source[g & 1].count : 0;
        job.first_piece[g + 1] = job.first_piece[g] + toi_cell_pieces(boxes);
    }
    int64_t homes = job.first_piece[TOI_VISITORS_A], pieces = job.first_piece[TOI_CELL_GROUPS];
    int workers = space->job->workers;
    toi_status status = make_room(&job, pieces);
    if (status == TOI_OK && pieces > homes)
        status = start_occupancy(&job);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, homes, 1, write_pieces, &job);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, pieces - homes, 1, write_visitors, &job);
    if (status == TOI_OK)
        close_gaps(&job, pieces);
    toi_give_back(job.occupied);
    toi_give_back(job.offsets);
    return status;
}
