// kDet on a card (Weller, Debowski, Zachmann 2017): faces in a hierarchical hash grid, each on the
// level of its size; pairs of faces that meet in a cell of the larger one's level.
//
// Cells have powers of two as sides. A face is entered in the cells of its level that its box
// reaches, and looks into the cells of its level and of all coarser ones. A pair is reported in the
// cell of the lower corner of what the two boxes have in common, and so once. Cells are found by a
// monotone function of floats, so nothing is lost by rounding.

#include "cuda/sort.cuh"
#include "cuda/surface.cuh"

enum
{
    GRID_THREADS = 128,
    FINEST = -14, // cells of 2^FINEST, of a mesh that is 1 to 2 wide
    LOW_BITS = 10 // of a cell's coordinates: those of one face differ in them
};

static __device__ __forceinline__ int cell_at(const toi_surface_frame *f, float x, int k, int level)
{
    return (int)floorf((x - f->low[k]) * ldexpf(1.0f, -(FINEST + level)));
}

struct cell_range
{
    int low[3], high[3];
};

static __device__ __forceinline__ cell_range range_of(const toi_surface_frame *f,
                                                      const toi_grid_face &face, int level)
{
    cell_range r;
    for (int k = 0; k < 3; ++k) {
        r.low[k] = cell_at(f, face.low[k], k, level);
        r.high[k] = cell_at(f, face.high[k], k, level);
    }
    return r;
}

// ---- Buckets

static __device__ __forceinline__ uint32_t spread_bits(uint32_t bits)
{
    bits &= 0x3ff;
    bits = (bits | bits << 16) & 0x030000ff;
    bits = (bits | bits << 8) & 0x0300f00f;
    bits = (bits | bits << 4) & 0x030c30c3;
    return (bits | bits << 2) & 0x09249249;
}

// Bernstein's, of the twelve bytes, as on the host; levels share the table.
static __device__ __forceinline__ uint32_t hash_djb2(const int cell[3], int level)
{
    uint64_t hash = 5381 + (uint64_t)level;
    for (int k = 0; k < 3; ++k)
        for (int shift = 24; shift >= 0; shift -= 8)
            hash = 33 * hash + ((uint32_t)cell[k] >> shift & 255);
    return (uint32_t)(hash ^ hash >> 32);
}

static __device__ __forceinline__ uint32_t bucket_of(const toi_surface_step *s, const int cell[3],
                                                     int level)
{
    if (s->grid.hash == TOI_CELL_HASH_DJB2)
        return hash_djb2(cell, level) % s->grid.prime;
    uint32_t code = spread_bits((uint32_t)cell[0]) | spread_bits((uint32_t)cell[1]) << 1 |
                    spread_bits((uint32_t)cell[2]) << 2;
    code += (uint32_t)level * 0x9e3779b1u;
    if (s->grid.hash == TOI_CELL_HASH_MORTON)
        return code & s->grid.mask;
    uint32_t brick[3] = {(uint32_t)cell[0] >> 2, (uint32_t)cell[1] >> 2, (uint32_t)cell[2] >> 2};
    uint32_t mixed = brick[0] * 0x8da6b343u ^ brick[1] * 0xd8163841u ^ brick[2] * 0xcb1ab31fu;
    mixed = (mixed + (uint32_t)level * 0x9e3779b1u) * 0x85ebca6bu;
    return ((mixed >> 4 << 6) | (code & 63)) & s->grid.mask;
}

static __device__ __forceinline__ uint32_t low_bits(const int cell[3])
{
    const uint32_t mask = (1u << LOW_BITS) - 1;
    return ((uint32_t)cell[0] & mask) | ((uint32_t)cell[1] & mask) << LOW_BITS |
           ((uint32_t)cell[2] & mask) << 2 * LOW_BITS;
}

template <class Visit>
static __device__ __forceinline__ void visit_cells(const toi_surface_step *s, const cell_range &r,
                                                   int level, Visit visit)
{
    int cell[3];
    for (cell[0] = r.low[0]; cell[0] <= r.high[0]; ++cell[0])
        for (cell[1] = r.low[1]; cell[1] <= r.high[1]; ++cell[1])
            for (cell[2] = r.low[2]; cell[2] <= r.high[2]; ++cell[2])
                visit(cell, bucket_of(s, cell, level));
}

// ---- Sizes

// The diameter of the smallest circle around a triangle: the longest side, or, where no angle is
// obtuse, that of the circle through its corners. Any number would do.
static __device__ __forceinline__ float diameter_of(float x[3][3])
{
    float squares[3], longest = 0, sum = 0, product = 1;
    for (int c = 0; c < 3; ++c) {
        squares[c] = 0;
        for (int k = 0; k < 3; ++k) {
            float d = x[(c + 1) % 3][k] - x[c][k];
            squares[c] += d * d;
        }
        longest = fmaxf(longest, squares[c]);
        sum += squares[c];
        product *= squares[c];
    }
    if (2 * longest >= sum)
        return sqrtf(longest);
    float e[3], g[3], square = 0;
    for (int k = 0; k < 3; ++k) {
        e[k] = x[1][k] - x[0][k];
        g[k] = x[2][k] - x[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        float n = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
        square += n * n;
    }
    return square > 0 ? sqrtf(product / square) : sqrtf(longest);
}

// Cells of a level are no smaller than its faces.
static __device__ __forceinline__ int level_of(float diameter)
{
    int exponent;
    frexpf(diameter, &exponent); // diameter <= 2^exponent
    int level = diameter > 0 ? exponent - FINEST : 0;
    return level < 0 ? 0 : level > TOI_GRID_LEVELS - 1 ? TOI_GRID_LEVELS - 1 : level;
}

static __global__ void __launch_bounds__(GRID_THREADS)
    measure(const __grid_constant__ toi_surface_step s)
{
    __shared__ toi_surface_frame frame;
    __shared__ uint32_t levels;
    if (s.control->infinite)
        return;
    if (threadIdx.x == 0) {
        frame = toi_surface_frame_of(s.control);
        levels = 0;
    }
    __syncthreads();
    int64_t slot = (int64_t)blockIdx.x * GRID_THREADS + threadIdx.x;
    if (slot < s.face_count) {
        int4 at = s.corners[slot];
        float x[3][3];
        toi_grid_face face;
        toi_load_single(&s, &frame.face, at.x, x[0]);
        toi_load_single(&s, &frame.face, at.y, x[1]);
        toi_load_single(&s, &frame.face, at.z, x[2]);
        for (int k = 0; k < 3; ++k) {
            face.low[k] = fminf(x[0][k], fminf(x[1][k], x[2][k]));
            face.high[k] = fmaxf(x[0][k], fmaxf(x[1][k], x[2][k]));
        }
        face.level = level_of(diameter_of(x));
        s.grid.faces[slot] = face;
        atomicOr(&levels, 1u << face.level);
        uint32_t *counts = s.grid.counts;
        visit_cells(&s, range_of(&frame, face, face.level), face.level,
                    [counts](const int *, uint32_t bucket) { atomicAdd(&counts[bucket], 1u); });
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicOr(&s.control->levels, levels);
}

// ---- Entries

static __global__ void __launch_bounds__(GRID_THREADS)
    enter(const __grid_constant__ toi_surface_step s)
{
    __shared__ toi_surface_frame frame;
    if (s.control->infinite)
        return;
    if (threadIdx.x == 0)
        frame = toi_surface_frame_of(s.control);
    __syncthreads();
    int64_t slot = (int64_t)blockIdx.x * GRID_THREADS + threadIdx.x;
    if (slot == 0)
        s.control->entries.n = s.grid.starts[s.grid.mask + 1];
    if (slot >= s.face_count)
        return;
    toi_grid_face face = s.grid.faces[slot];
    const toi_face_grid grid = s.grid;
    visit_cells(&s, range_of(&frame, face, face.level), face.level,
                [grid, slot](const int *cell, uint32_t bucket) {
                    uint32_t at = grid.starts[bucket] + atomicSub(&grid.counts[bucket], 1u) - 1;
                    if (at < grid.capacity)
                        grid.entries[at] = make_uint2((uint32_t)slot, low_bits(cell));
                });
}

// ---- Pairs

static __device__ __forceinline__ bool boxes_meet(const toi_grid_face &a, const toi_grid_face &b)
{
    bool meet = true;
    for (int k = 0; k < 3; ++k)
        meet = meet && a.low[k] <= b.high[k] && b.low[k] <= a.high[k];
    return meet;
}

static __device__ __forceinline__ bool share_vertex(int4 a, int4 b)
{
    bool first = a.x == b.x || a.x == b.y || a.x == b.z;
    bool second = a.y == b.x || a.y == b.y || a.y == b.z;
    return first || second || a.z == b.x || a.z == b.y || a.z == b.z;
}

// Is this the cell in which a pair is reported?
static __device__ __forceinline__ bool is_its_cell(const toi_surface_frame *f,
                                                   const toi_grid_face &a, const toi_grid_face &b,
                                                   const int cell[3], int level)
{
    bool its = true;
    for (int k = 0; k < 3; ++k)
        its = its && cell_at(f, fmaxf(a.low[k], b.low[k]), k, level) == cell[k];
    return its;
}

static __device__ __forceinline__ void look_into(const toi_surface_step *s,
                                                 const toi_surface_frame *f, uint32_t slot,
                                                 const toi_grid_face &face, const int cell[3],
                                                 uint32_t bucket, int level)
{
    toi_surface_control *c = s->control;
    uint32_t low = low_bits(cell), end = s->grid.starts[bucket + 1];
    end = end < s->grid.capacity ? end : (uint32_t)s->grid.capacity;
    for (uint32_t i = s->grid.starts[bucket]; i < end; ++i) {
        uint2 entry = s->grid.entries[i];
        if (entry.y != low || (level == face.level && entry.x <= slot))
            continue;
        toi_grid_face other = s->grid.faces[entry.x];
        if (other.level != level || !boxes_meet(face, other) ||
            !is_its_cell(f, face, other, cell, level) ||
            share_vertex(s->corners[slot], s->corners[entry.x]))
            continue;
        toi_count at = toi_take_places(&c->window.pairs.n, true);
        if (at < s->pair_capacity)
            s->pairs[at] = make_uint2(slot, entry.x);
    }
}

static __global__ void __launch_bounds__(GRID_THREADS)
    look(const __grid_constant__ toi_surface_step s, toi_window window)
{
    __shared__ toi_surface_frame frame;
    if (s.control->infinite)
        return;
    if (threadIdx.x == 0)
        frame = toi_surface_frame_of(s.control);
    __syncthreads();
    toi_count to = toi_least(window.last, (toi_count)s.face_count);
    toi_count slot = window.first + (toi_count)blockIdx.x * GRID_THREADS + threadIdx.x;
    if (slot >= to)
        return;
    const toi_grid_face face = s.grid.faces[slot];
    const toi_surface_step *step = &s;
    const toi_surface_frame *f = &frame;
    for (uint32_t left = s.control->levels >> face.level << face.level; left; left &= left - 1) {
        int level = __ffs((int)left) - 1;
        visit_cells(&s, range_of(&frame, face, level), level,
                    [=](const int *cell, uint32_t bucket) {
                        look_into(step, f, (uint32_t)slot, face, cell, bucket, level);
                    });
    }
}

// ---- Launches

static unsigned blocks_for(toi_count faces)
{
    return (unsigned)((faces + GRID_THREADS - 1) / GRID_THREADS);
}

toi_status toi_start_grid(const toi_card *card, const toi_surface_step *step,
                          toi_complaint *complaint)
{
    int64_t buckets = (int64_t)step->grid.mask + 2; // and the end of the last
    unsigned blocks = blocks_for((toi_count)step->face_count);
    TOI_TRY(
        toi_check_cuda(cudaMemsetAsync(step->grid.counts, 0,
                                       (size_t)buckets * sizeof *step->grid.counts, card->stream),
                       "clear memory", complaint));
    measure<<<blocks, GRID_THREADS, 0, card->stream>>>(*step);
    TOI_TRY(toi_check_cuda(toi_start_sums(card, step->grid.scratch, step->grid.scratch_bytes,
                                          step->grid.counts, step->grid.starts, buckets),
                           "add up counts", complaint));
    enter<<<blocks, GRID_THREADS, 0, card->stream>>>(*step);
    return TOI_OK;
}

void toi_start_grid_pairs(const toi_card *card, const toi_surface_step *step, toi_window faces)
{
    toi_count last = toi_least(faces.last, (toi_count)step->face_count);
    look<<<blocks_for(last - faces.first), GRID_THREADS, 0, card->stream>>>(*step, faces);
}
