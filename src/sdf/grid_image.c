// Baked fields as bytes: handed out, opened and checked. All that the certificate rests on is
// computed again from the values; docs/sdf.md says what is left to trust.

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "sdf/grid.h"

#include <math.h>
#include <string.h>

static const char *const interpolation_names[TOI_INTERPOLATION_COUNT] = {"trilinear", "cubic"};

const char *toi_interpolation_name(toi_interpolation interpolation)
{
    return (unsigned)interpolation < TOI_INTERPOLATION_COUNT ? interpolation_names[interpolation]
                                                             : NULL;
}

toi_status toi_field_bytes(const toi_field *field, const void **bytes, int64_t *size)
{
    const toi_grid *grid = toi_as_grid(field);
    *bytes = grid ? grid->header : NULL;
    *size = grid ? grid->header->size : 0;
    if (!grid)
        return toi_fail(TOI_ERROR_ARGUMENT, "the field is not a baked one; bake it first");
    return TOI_OK;
}

// ---- The header

static toi_status refuse(const char *what)
{
    return toi_fail(TOI_ERROR_FORMAT, "not a sound baked field: %s", what);
}

static bool all_zero(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (((const uint8_t *)bytes)[i])
            return false;
    return true;
}

static toi_status check_first_line(const toi_grid_header *header, int64_t size)
{
    if (size < (int64_t)sizeof *header)
        return refuse("it is shorter than a header");
    if (memcmp(header->magic, "toigrid", 8) != 0)
        return refuse("it does not begin as one");
    if (header->byte_order != 0x01020304)
        return refuse("it was written by a machine of another byte order");
    if (header->version != TOI_GRID_VERSION)
        return toi_fail(TOI_ERROR_FORMAT,
                        "the baked field has version %u of the format; this library reads %d",
                        header->version, TOI_GRID_VERSION);
    if (header->size != size)
        return toi_fail(TOI_ERROR_FORMAT,
                        "the baked field says it has %" PRId64 " bytes, there are %" PRId64
                        "; was it cut off?",
                        header->size, size);
    if (!all_zero(header->zeros, sizeof header->zeros))
        return refuse("reserved bytes are set");
    return TOI_OK;
}

// The positions of nodes must be told apart, and products of a few lengths stay in range.
static bool numbers_are_sound(const toi_grid_header *h)
{
    if (!(h->cell_size >= 0x1p-300 && h->cell_size <= 0x1p300 && h->error >= 0 &&
          h->error <= 0x1p400 && h->far >= 0 && h->far <= 0x1p20f))
        return false;
    for (int k = 0; k < 3; ++k)
        if (!(fabs(h->origin[k]) <= 0x1p30 * h->cell_size))
            return false;
    return true;
}

static toi_status check_header(const toi_grid_header *h)
{
    if (!all_zero(h->more_zeros, sizeof h->more_zeros))
        return refuse("reserved bytes are set");
    if (h->open < 0 || h->open > 1 || h->interpolation < 0 ||
        h->interpolation >= TOI_INTERPOLATION_COUNT)
        return refuse("its interpolation or kind of mesh is unknown");
    int64_t blocks = 1;
    for (int k = 0; k < 3; ++k) {
        if (h->blocks[k] < 1 || h->blocks[k] > TOI_GRID_MOST_BLOCKS)
            return refuse("its number of blocks is out of range");
        blocks *= h->blocks[k];
    }
    if (h->records < 0 || h->records > blocks)
        return refuse("its number of records is out of range");
    if (!numbers_are_sound(h))
        return refuse("a number of its header is not finite or out of range");
    if (toi_lay_grid_out(h).size != h->size)
        return refuse("its size is not that of its parts");
    uint64_t checksum = toi_hash((const char *)h + 64, (size_t)h->size - 64);
    if (checksum != h->checksum)
        return refuse("its checksum is wrong; the bytes were damaged");
    return TOI_OK;
}

// Records are numbered as the table names them.
static toi_status check_table(const toi_grid *grid)
{
    int64_t blocks = (int64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    int32_t records = 0;
    for (int64_t i = 0; i < blocks; ++i) {
        int32_t number = grid->table[i];
        bool far = number == TOI_GRID_OUTSIDE || number == TOI_GRID_INSIDE;
        if (!(far ? grid->header->far > 0 : number == records))
            return refuse("its table of blocks is wrong");
        records += !far;
    }
    return records == grid->header->records ? TOI_OK : refuse("its table of blocks is wrong");
}

// ---- Blocks

// The floats of a record on one of its faces: value at (i, j) of the face, or bubble of an edge in
// it. `side` is 0 or 8.
typedef struct face
{
    int axis;
    int side;
} face;

static int node_on(face f, int i, int j)
{
    int at[3];
    at[f.axis] = f.side;
    at[(f.axis + 1) % 3] = i;
    at[(f.axis + 2) % 3] = j;
    return at[0] + 9 * at[1] + 81 * at[2];
}

// Edges of the face along the axis behind its own (which = 1) or the one after that (2): cell i,
// node j.
static int bubble_on(face f, int which, int i, int j)
{
    int along = (f.axis + which) % 3, at[3];
    at[f.axis] = f.side;
    at[along] = i;
    at[3 - f.axis - along] = j;
    return TOI_GRID_NODES + 2 * TOI_GRID_EDGES * along +
           2 * (at[along] + 8 * (at[(along + 1) % 3] + 9 * at[(along + 2) % 3]));
}

// Both records have the same on the face that they share; a block without record is `constant`.
static bool faces_agree(const toi_grid *grid, const float *a, face of_a, const float *b, face of_b,
                        float constant)
{
    for (int j = 0; j < 9; ++j)
        for (int i = 0; i < 9; ++i)
            if (a[node_on(of_a, i, j)] != (b ? b[node_on(of_b, i, j)] : constant))
                return false;
    for (int n = 0; grid->cubic && n < 2 * 8 * 9; ++n) {
        int which = 1 + n / 72, i = n % 8, j = n / 8 % 9;
        const float *p = a + bubble_on(of_a, which, i, j);
        const float *q = b ? b + bubble_on(of_b, which, i, j) : (const float[2]){0, 0};
        if (p[0] != q[0] || p[1] != q[1])
            return false;
    }
    return true;
}

static const float *record_or_null(const toi_grid *grid, int32_t number)
{
    return number < 0 ? NULL : toi_grid_record(grid, number);
}

static float constant_of(const toi_grid *grid, int32_t number)
{
    return number == TOI_GRID_INSIDE ? -grid->header->far : grid->header->far;
}

// With the next block along an axis.
static bool seam_is_sound(const toi_grid *grid, const int32_t at[3], int axis)
{
    int32_t next[3] = {at[0], at[1], at[2]};
    ++next[axis];
    int32_t mine = grid->table[toi_block_index(grid, at)];
    int32_t other = grid->table[toi_block_index(grid, next)];
    const float *a = record_or_null(grid, mine), *b = record_or_null(grid, other);
    face high = {axis, 8}, low = {axis, 0};
    if (a)
        return faces_agree(grid, a, high, b, low, constant_of(grid, other));
    return b ? faces_agree(grid, b, low, NULL, high, constant_of(grid, mine)) : mine == other;
}

// On the grid's own border F must not be negative, or the field would jump there.
static bool border_is_sound(const toi_grid *grid, int32_t number, face f, double least)
{
    if (number < 0)
        return number == TOI_GRID_OUTSIDE;
    const float *record = toi_grid_record(grid, number);
    for (int j = 0; j < 9; ++j)
        for (int i = 0; i < 9; ++i)
            if (!(record[node_on(f, i, j)] >= least))
                return false;
    return true;
}

static bool surroundings_are_sound(const toi_grid *grid, const int32_t at[3], double bubble)
{
    int32_t number = grid->table[toi_block_index(grid, at)];
    for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] == 0 && !border_is_sound(grid, number, (face){axis, 0}, bubble))
            return false;
        if (at[axis] + 1 == grid->blocks[axis]
                ? !border_is_sound(grid, number, (face){axis, 8}, bubble)
                : !seam_is_sound(grid, at, axis))
            return false;
    }
    return true;
}

static bool record_is_finite(const toi_grid *grid, const float *record)
{
    int64_t count = TOI_GRID_NODES + (grid->cubic ? TOI_GRID_BUBBLES : 0);
    bool sound = true;
    for (int64_t i = 0; i < count; ++i)
        sound &= fabsf(record[i]) <= 0x1p20f;
    const float *end = (const float *)(toi_record_ranges(grid, record) + TOI_GRID_RANGES);
    for (; end < record + grid->stride; ++end)
        sound &= *end == 0;
    return sound;
}

// ---- Opening

typedef struct check
{
    const toi_grid *grid;
    toi_grid_facts *facts; // a row of blocks
} check;

static void join_facts(toi_grid_facts *all, const toi_grid_facts *some)
{
    all->lipschitz = fmax(all->lipschitz, some->lipschitz);
    all->most = fmax(all->most, some->most);
    all->bubble = fmax(all->bubble, some->bubble);
}

static toi_status check_block(const toi_grid *grid, const int32_t at[3], toi_grid_facts *facts)
{
    int64_t index = toi_block_index(grid, at);
    const float *record = record_or_null(grid, grid->table[index]);
    toi_grid_range ranges[TOI_GRID_RANGES], whole = {{0}, {0}};
    toi_grid_facts own = {0};
    if (record) {
        if (!record_is_finite(grid, record))
            return refuse("a value is not finite or out of range");
        toi_measure_block(grid, record, ranges, &whole, &own);
        if (memcmp(ranges, toi_record_ranges(grid, record), sizeof ranges) != 0)
            return refuse("the ranges of a block are not those of its values");
        join_facts(facts, &own);
    }
    if (memcmp(&whole, &grid->ranges[3][index], sizeof whole) != 0)
        return refuse("the range of a block is not that of its values");
    if (!surroundings_are_sound(grid, at, own.bubble))
        return refuse("neighbouring blocks do not fit, or the border is inside");
    return TOI_OK;
}

static toi_status check_row(void *context, int64_t index, int worker)
{
    (void)worker;
    const check *c = context;
    c->facts[index] = (toi_grid_facts){0};
    int32_t at[3] = {0, (int32_t)(index % c->grid->blocks[1]),
                     (int32_t)(index / c->grid->blocks[1])};
    toi_status status = TOI_OK;
    for (; status == TOI_OK && at[0] < c->grid->blocks[0]; ++at[0])
        status = check_block(c->grid, at, &c->facts[index]);
    return status;
}

static toi_status check_levels(const toi_grid *grid)
{
    toi_grid_range *levels[TOI_GRID_LEVELS];
    int64_t blocks = (int64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2], total = 0;
    for (int level = 3; level < grid->levels; ++level) {
        const int32_t *size = grid->sizes[level];
        total += (int64_t)size[0] * size[1] * size[2];
    }
    toi_grid_range *memory = toi_take(NULL, total, sizeof *memory);
    if (!memory)
        return toi_allocation_status();
    for (int level = 3; level < grid->levels; ++level)
        levels[level] = memory + (grid->ranges[level] - grid->ranges[3]);
    memcpy(memory, grid->ranges[3], (size_t)blocks * sizeof *memory);
    toi_measure_levels(grid, levels);
    bool same = memcmp(memory, grid->ranges[3], (size_t)total * sizeof *memory) == 0;
    toi_give_back(memory);
    return same ? TOI_OK : refuse("the ranges of large pieces are not those of their parts");
}

static toi_status check_facts(const toi_grid *grid, const toi_grid_facts *rows, int64_t count)
{
    toi_grid_facts all = {0};
    for (int64_t i = 0; i < count; ++i)
        join_facts(&all, &rows[i]);
    toi_grid_header expected = *grid->header;
    toi_note_facts(&expected, &all);
    if (memcmp(&expected, grid->header, sizeof expected) != 0)
        return refuse("its Lipschitz constant is not that of its values");
    return TOI_OK;
}

static toi_status check_image(const toi_grid *grid)
{
    toi_status status = check_table(grid);
    if (status != TOI_OK)
        return status;
    int64_t rows = (int64_t)grid->blocks[1] * grid->blocks[2];
    check c = {grid, toi_take(NULL, rows, sizeof *c.facts)};
    if (!c.facts)
        return toi_allocation_status();
    status = toi_parallel(toi_default_workers(), rows, check_row, &c);
    if (status == TOI_OK)
        status = check_facts(grid, c.facts, rows);
    toi_give_back(c.facts);
    return status == TOI_OK ? check_levels(grid) : status;
}

static toi_status open_image(const void *bytes, int64_t size, toi_field **field)
{
    if (!bytes || (uintptr_t)bytes % 64 != 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the bytes of a baked field must be 64-byte aligned");
    toi_status status = check_first_line(bytes, size);
    if (status == TOI_OK)
        status = check_header(bytes);
    if (status != TOI_OK)
        return status;
    toi_grid *grid = toi_view_grid(bytes);
    if (!grid)
        return TOI_ERROR_MEMORY;
    status = check_image(grid);
    if (status == TOI_OK) {
        toi_finish_grid(grid);
        *field = &grid->base;
    } else {
        toi_free_field(&grid->base);
    }
    return status;
}

toi_status toi_open_field(const void *bytes, int64_t size, void (*release)(void *context),
                          void *context, toi_field **field)
{
    TOI_GUARD_FP;
    *field = NULL;
    toi_status status = open_image(bytes, size, field);
    if (status == TOI_OK) {
        toi_grid *grid = (toi_grid *)*field;
        grid->release = release;
        grid->context = context;
    } else if (release) {
        release(context);
    }
    return status;
}

toi_status toi_adopt_image(void *image, toi_field **field)
{
    toi_grid *grid = toi_view_grid(image);
    *field = grid ? &grid->base : NULL;
    if (!grid) {
        toi_give_back(image);
        return TOI_ERROR_MEMORY;
    }
    toi_finish_grid(grid);
    grid->release = toi_give_back;
    grid->context = image;
    return TOI_OK;
}
