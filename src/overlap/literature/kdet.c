// kDet (Weller, Debowski, Zachmann 2017): faces in a hierarchical hash grid, at the level of the
// diameter of their smallest enclosing circle, in the cells that they cross; each is compared with
// those of its own level and with larger ones.
//
// Works on the floats of the table. They are wrong by table->error at most, and cells by a little
// more: the test of a face and a cell enlarges the cell by all of that.

#include "broad/literature/cells/cells.h"
#include "overlap/call.h"
#include "overlap/size.h"

#include <math.h>

typedef struct face_grid
{
    const toi_face_table *table;
    toi_box *boxes;
    float *sizes;
    toi_receiver to;
} face_grid;

static double least(double x, double y)
{
    return x < y ? x : y;
}

static double most(double x, double y)
{
    return x > y ? x : y;
}

static const float *corner_of(const toi_face_table *table, int64_t face, int c)
{
    return table->singles[table->corners[face][c]];
}

static toi_status measure_faces(void *context, int64_t first, int64_t end)
{
    const face_grid *grid = context;
    for (int64_t i = first; i < end; ++i) {
        double p[3][3];
        toi_box *box = &grid->boxes[i];
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 3; ++c)
                p[c][k] = (double)corner_of(grid->table, i, c)[k];
            box->lo[k] = least(p[0][k], least(p[1][k], p[2][k]));
            box->hi[k] = most(p[0][k], most(p[1][k], p[2][k]));
        }
        grid->sizes[i] = (float)toi_triangle_size(p[0], p[1], p[2]);
    }
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// A face and a cell

// Corners from the middle of a box with these half sides.
typedef struct centred_face
{
    double corner[3][3], side[3][3];
    double half[3];
} centred_face;

// The part of the cell that the face's box reaches, enlarged.
static bool centre_face(const face_grid *grid, int64_t face, const toi_box *cell, double slack,
                        centred_face *f)
{
    const toi_box *box = &grid->boxes[face];
    slack += 4 * (double)grid->table->error;
    for (int k = 0; k < 3; ++k) {
        double lo = most(cell->lo[k], box->lo[k]) - slack;
        double hi = least(cell->hi[k], box->hi[k]) + slack;
        if (lo > hi)
            return false;
        double middle = 0.5 * (lo + hi);
        f->half[k] = 0.5 * (hi - lo);
        for (int c = 0; c < 3; ++c)
            f->corner[c][k] = (double)corner_of(grid->table, face, c)[k] - middle;
    }
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            f->side[c][k] = f->corner[(c + 1) % 3][k] - f->corner[c][k];
    return true;
}

// Does the plane of the face miss the box? What is computed is wrong by less than 2^-48 times the
// third power of the largest number in it.
static bool plane_misses(const centred_face *f)
{
    const double *e = f->side[0], *g = f->side[1], *v = f->corner[0];
    double at = 0, reach = 0, largest = 0;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double n = e[i] * g[j] - e[j] * g[i];
        at += n * v[k];
        reach += fabs(n) * f->half[k];
        largest = most(largest, most(fabs(e[k]), most(fabs(g[k]), fabs(v[k]))));
    }
    return fabs(at) > reach + 0x1p-44 * (largest * largest * largest);
}

// Is there a direction across a side and an axis along which the face misses the box? The roundings
// are far below what the box is enlarged by.
static bool side_misses(const centred_face *f, int c)
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double x = f->side[c][j], y = -f->side[c][i];
        const double *near = f->corner[c], *far = f->corner[(c + 2) % 3];
        double one = x * near[i] + y * near[j], other = x * far[i] + y * far[j];
        double reach = fabs(x) * f->half[i] + fabs(y) * f->half[j];
        if (least(one, other) > reach || most(one, other) < -reach)
            return true;
    }
    return false;
}

static bool crosses_cell(const void *context, int64_t face, const toi_box *cell, double slack)
{
    centred_face f;
    return centre_face(context, face, cell, slack, &f) && !plane_misses(&f) &&
           !side_misses(&f, 0) && !side_misses(&f, 1) && !side_misses(&f, 2);
}

// ---------------------------------------------------------------------------------------------
// Buckets of cells

// DJB2 (Bernstein) of the twelve bytes, and then the rest by a prime as large as there is room for.
static uint32_t hash_djb2(const int32_t cell[3])
{
    enum
    {
        PRIME = (1 << TOI_SHAPE_BUCKET_BITS) - 3
    };
    uint64_t hash = 5381;
    for (int k = 0; k < 3; ++k)
        for (int shift = 24; shift >= 0; shift -= 8)
            hash = 33 * hash + ((uint32_t)cell[k] >> shift & 255);
    return (uint32_t)(hash % PRIME);
}

// The lowest eight bits, two zeros after each.
static uint32_t spread_bits(uint32_t bits)
{
    bits &= 0xff;
    bits = (bits | bits << 8) & 0x00f00f;
    bits = (bits | bits << 4) & 0x0c30c3;
    return (bits | bits << 2) & 0x249249;
}

// 256 x 128 x 128 cells; then the same buckets again.
static uint32_t hash_morton(const int32_t cell[3])
{
    uint32_t code = 0;
    for (int k = 0; k < 3; ++k)
        code |= spread_bits((uint32_t)cell[k]) << k;
    return code & ((1u << TOI_SHAPE_BUCKET_BITS) - 1);
}

static toi_cell_hash_fn *const hashes[TOI_CELL_HASH_COUNT] = {
    [TOI_CELL_HASH_DJB2] = hash_djb2, [TOI_CELL_HASH_MORTON] = hash_morton};

// ---------------------------------------------------------------------------------------------
// Pairs

static bool share_vertex(const int32_t *a, const int32_t *b)
{
    bool share = false;
    for (int i = 0; i < 3; ++i)
        share |= (a[i] == b[0]) | (a[i] == b[1]) | (a[i] == b[2]);
    return share;
}

static toi_status emit_apart(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    const face_grid *grid = context;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += !share_vertex(grid->table->corners[pair.a], grid->table->corners[pair.b]);
    }
    return grid->to.emit(grid->to.context, pairs, kept, task, worker);
}

toi_status toi_search_face_grid(toi_overlap_call *call, toi_receiver to)
{
    int64_t count = call->table.face_count;
    face_grid grid = {.table = &call->table, .to = to};
    grid.boxes = toi_take(call->budget, count, sizeof *grid.boxes);
    grid.sizes = grid.boxes ? toi_take(call->budget, count, sizeof *grid.sizes) : NULL;
    toi_status status =
        grid.sizes ? toi_parallel_ranges(call->workers, count, TOI_PIECE, measure_faces, &grid)
                   : toi_allocation_status();
    toi_cell_shapes shapes = {grid.sizes, crosses_cell, &grid, hashes[call->def->hash]};
    toi_broad_job job = {.a = {grid.boxes, count},
                         .b = {grid.boxes, count},
                         .self = true,
                         .workers = call->workers,
                         .budget = call->budget,
                         .meter = &call->meter,
                         .to = {.context = &grid, .emit = emit_apart}};
    if (status == TOI_OK)
        status = toi_search_octaves(&job, &shapes);
    toi_give_back(grid.sizes);
    toi_give_back(grid.boxes);
    return status;
}

int64_t toi_face_grid_need(const toi_mesh_counts *counts, int workers)
{
    enum
    {
        MARK_BYTES = 8 * sizeof(uint16_t), // of entries
        // Of entries that are put in order because their cells share a bucket. A face hardly has two
        // in one (of Morton codes never), and a worker has one bucket at hand.
        PARTED_BYTES = 48,
        MOST_ENTRIES = 8
    };
    int buckets = workers < MOST_ENTRIES ? workers : MOST_ENTRIES;
    return toi_search_need(TOI_BROAD_KDET, counts->faces, workers) +
           counts->faces * (int64_t)(sizeof(toi_box) + sizeof(float) + MARK_BYTES) +
           buckets * counts->faces * PARTED_BYTES;
}
