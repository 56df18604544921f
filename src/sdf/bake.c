// Bakes a mesh into a grid of its signed distances.

#include "sdf/bake.h"

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum
{
    BAKE_COOKIE = 0x62616b65,
    LEAF = 4 // triangles of a leaf: measured
};

toi_bake_def toi_default_bake_def(void)
{
    return (toi_bake_def){.resolution = 64, .padding = 0.1, .cookie = BAKE_COOKIE};
}

static toi_status check_def(const toi_bake_def *def)
{
    TOI_CHECK_DEF(def, BAKE_COOKIE, "bake");
    if (def->resolution < 2 || def->resolution > 2048)
        return toi_fail(TOI_ERROR_ARGUMENT, "resolution is %d; use 2 to 2048", def->resolution);
    if (!toi_interpolation_name(def->interpolation))
        return toi_fail(TOI_ERROR_ARGUMENT, "interpolation is %d; use TOI_TRILINEAR or TOI_CUBIC",
                        (int)def->interpolation);
    if (!(def->padding >= 0 && def->padding <= 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "padding is %g; use 0 to 1", def->padding);
    if (!(def->band >= 0 && def->band <= 4096))
        return toi_fail(TOI_ERROR_ARGUMENT, "band is %g cells; use 0 (all) to 4096", def->band);
    return TOI_OK;
}

// ---- The grid

// The mesh's box in the middle of whole blocks, with room for the padding and for two cells at
// least: the border is outside.
static toi_status choose_grid(const toi_bake_def *def, const toi_box_node *box, bool open,
                              toi_grid_header *header)
{
    double longest = 0, largest = 0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, box->high[k] - box->low[k]);
        largest = fmax(largest, fmax(fabs(box->low[k]), fabs(box->high[k])));
    }
    double h = longest / def->resolution;
    if (!(h >= 0x1p-300 && h <= 0x1p300 && h >= largest * 0x1p-28))
        return toi_fail(
            TOI_ERROR_DATA,
            "the mesh is %g long and up to %g from the origin: too small or too far off "
            "for a grid; scale it, or move it to the origin",
            longest, largest);
    double room = fmax(2, ceil(def->padding * def->resolution));
    for (int k = 0; k < 3; ++k) {
        double cells = ceil((box->high[k] - box->low[k]) / h * (1 - 1e-9)) + 2 * room;
        header->blocks[k] = (int32_t)ceil(cells / TOI_GRID_SIDE);
        header->origin[k] =
            0.5 * (box->low[k] + box->high[k]) - 0.5 * TOI_GRID_SIDE * header->blocks[k] * h;
    }
    header->cell_size = h;
    header->interpolation = (int32_t)def->interpolation;
    header->open = open;
    // Cells nearer than the band have corners nearer than this.
    header->far = def->band > 0 ? (float)(def->band + 1.733) : 0;
    return TOI_OK;
}

// Everything in cells from the grid's origin on. The map is monotonic, rounding included, so boxes
// hold what they held.
static void move_into_grid(toi_box_tree *tree, const toi_grid_header *header)
{
    double inverse = 1 / header->cell_size;
    for (int64_t i = 0; i < tree->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            tree->points[i][k] = (tree->points[i][k] - header->origin[k]) * inverse;
    for (int64_t i = 0; i < tree->node_count; ++i)
        for (int k = 0; k < 3; ++k) {
            toi_box_node *node = &tree->nodes[i];
            node->low[k] = (node->low[k] - header->origin[k]) * inverse;
            node->high[k] = (node->high[k] - header->origin[k]) * inverse;
        }
}

static void free_bake(toi_bake *bake)
{
    toi_free_box_tree(&bake->tree);
    toi_free_mesh_tree(&bake->mesh);
    toi_give_back(bake->triangles);
    toi_give_back(bake->wanted);
    toi_give_back(bake->table);
    toi_give_back(bake->place);
    toi_give_back(bake->values);
    toi_give_back(bake->bubbles);
    toi_give_back(bake->inside);
}

static toi_status compute_nodes(const toi_grid_header *header, toi_bake *bake)
{
    move_into_grid(&bake->tree, header);
    bake->cubic = header->interpolation == TOI_CUBIC;
    bake->far = header->far > 0 ? header->far : INFINITY;
    bake->cell = header->cell_size;
    memcpy(bake->origin, header->origin, sizeof bake->origin);
    for (int k = 0; k < 3; ++k) {
        bake->blocks[k] = header->blocks[k];
        bake->lattice[k] = header->blocks[k] + 1;
    }
    toi_status status = toi_prepare_bake(bake);
    if (status == TOI_OK)
        status = toi_bake_distances(bake);
    return status == TOI_OK ? toi_bake_signs(bake) : status;
}

// ---- The image

// What writes the records of an image.
typedef struct filling
{
    const toi_bake *bake;
    toi_grid *grid;
    toi_grid_facts *facts;  // of a record
    toi_grid_range *ranges; // of a block
} filling;

// A node of a block of cells, 0 to 8 along each axis, in the lattice of nodes.
static int64_t find_node(const toi_bake *bake, const int32_t block[3], const int at[3], int *local)
{
    int32_t of[3];
    *local = 0;
    for (int k = 0; k < 3; ++k) {
        of[k] = block[k] + (at[k] >> 3);
        *local += (at[k] & 7) << 3 * k;
    }
    return bake->table[toi_lattice_index(bake->lattice, of)];
}

static void fill_values(const toi_bake *bake, const int32_t block[3], float *record)
{
    int at[3];
    for (at[2] = 0; at[2] < 9; ++at[2])
        for (at[1] = 0; at[1] < 9; ++at[1])
            for (at[0] = 0; at[0] < 9; ++at[0]) {
                int local;
                int64_t number = find_node(bake, block, at, &local);
                record[at[0] + 9 * at[1] + 81 * at[2]] = bake->values[512 * number + local];
            }
}

// The bubble t (1 - t) (a + b t) through the inner values of an edge, less the line between its
// ends.
static void fill_bubble(double v0, double v1, const float inner[2], float bubble[2])
{
    double first = inner[0] - (2 * v0 + v1) / 3, second = inner[1] - (v0 + 2 * v1) / 3;
    bubble[0] = (float)(4.5 * (2 * first - second));
    bubble[1] = (float)(13.5 * (second - first));
}

static void fill_bubbles(const toi_bake *bake, const int32_t block[3], int axis, float *record)
{
    static const int strides[3] = {1, 9, 81};
    int next = (axis + 1) % 3, last = (axis + 2) % 3, at[3];
    float *bubble = record + TOI_GRID_NODES + 2 * TOI_GRID_EDGES * axis;
    for (at[last] = 0; at[last] < 9; ++at[last])
        for (at[next] = 0; at[next] < 9; ++at[next])
            for (at[axis] = 0; at[axis] < 8; ++at[axis], bubble += 2) {
                int local;
                int64_t number = find_node(bake, block, at, &local);
                const float *value = record + at[0] + 9 * at[1] + 81 * at[2];
                fill_bubble(value[0], value[strides[axis]],
                            bake->bubbles + 3072 * number + (3 * local + axis) * 2, bubble);
            }
}

static toi_status fill_block(void *context, int64_t index, int worker)
{
    (void)worker;
    filling *f = context;
    int32_t number = f->grid->table[index], block[3];
    f->facts[index] = (toi_grid_facts){0};
    f->ranges[index] = (toi_grid_range){{0}, {0}};
    if (number < 0)
        return TOI_OK;
    toi_lattice_place(f->grid->blocks, index, block);
    float *record = (float *)toi_grid_record(f->grid, number);
    memset(record, 0, (size_t)f->grid->stride * sizeof *record);
    fill_values(f->bake, block, record);
    for (int axis = 0; f->grid->cubic && axis < 3; ++axis)
        fill_bubbles(f->bake, block, axis, record);
    toi_measure_block(f->grid, record, (toi_grid_range *)toi_record_ranges(f->grid, record),
                      &f->ranges[index], &f->facts[index]);
    return TOI_OK;
}

// Blocks without a record are all on one side, that of any of their nodes.
static int32_t side_of_block(const toi_bake *bake, int64_t index)
{
    int32_t block[3];
    toi_lattice_place(bake->blocks, index, block);
    int64_t place = toi_lattice_index(bake->lattice, block);
    int32_t number = bake->table[place];
    bool inside = number >= 0 ? bake->values[(int64_t)512 * number] < 0 : bake->inside[place];
    return inside ? TOI_GRID_INSIDE : TOI_GRID_OUTSIDE;
}

static int32_t fill_table(const toi_bake *bake, int64_t blocks, int32_t *table)
{
    int32_t records = 0;
    for (int64_t i = 0; i < blocks; ++i)
        table[i] = bake->wanted[i] ? records++ : side_of_block(bake, i);
    return records;
}

static toi_status fill_blocks(const toi_bake *bake, toi_grid *grid, toi_grid_header *header)
{
    int64_t blocks = (int64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    filling f = {bake, grid, NULL, (toi_grid_range *)grid->ranges[3]};
    f.facts = toi_take(NULL, blocks, sizeof *f.facts);
    if (!f.facts)
        return toi_allocation_status();
    toi_status status = toi_parallel(bake->workers, blocks, fill_block, &f);
    toi_grid_facts all = {0};
    for (int64_t i = 0; status == TOI_OK && i < blocks; ++i) {
        all.lipschitz = fmax(all.lipschitz, f.facts[i].lipschitz);
        all.most = fmax(all.most, f.facts[i].most);
        all.bubble = fmax(all.bubble, f.facts[i].bubble);
    }
    toi_give_back(f.facts);
    toi_note_facts(header, &all);
    header->error = 0.5 * header->step;
    toi_measure_levels(grid, (toi_grid_range *const *)grid->ranges);
    return status;
}

static toi_status make_image(const toi_bake *bake, toi_grid_header *header, void **made)
{
    int64_t blocks = (int64_t)header->blocks[0] * header->blocks[1] * header->blocks[2];
    for (int64_t i = 0; i < blocks; ++i)
        header->records += bake->wanted[i];
    toi_grid_layout layout = toi_lay_grid_out(header);
    char *image = toi_take(NULL, layout.size, 1);
    *made = image;
    if (!image)
        return toi_allocation_status();
    memset(image, 0, (size_t)layout.records);
    memcpy(header->magic, "toigrid", 8);
    header->version = TOI_GRID_VERSION;
    header->byte_order = 0x01020304;
    header->size = layout.size;
    memcpy(image, header, sizeof *header);
    fill_table(bake, blocks, (int32_t *)(image + layout.table));
    toi_grid *grid = toi_view_grid(image);
    toi_status status = grid ? fill_blocks(bake, grid, (toi_grid_header *)image) : TOI_ERROR_MEMORY;
    if (grid)
        toi_free_field(&grid->base);
    header = (toi_grid_header *)image;
    header->checksum = toi_hash(image + 64, (size_t)layout.size - 64);
    return status;
}

// ---- The call

static void write_report(const toi_grid_header *header, const toi_bake *bake,
                         toi_bake_report *report)
{
    report->cells = (int64_t)header->records * TOI_GRID_SIDE * TOI_GRID_SIDE * TOI_GRID_SIDE;
    report->bytes = header->size;
    report->cell_size = header->cell_size;
    report->error = header->error;
    report->lipschitz = header->lipschitz;
    report->mesh = bake->report;
}

static toi_status bake_tree(const toi_bake_def *def, toi_bake *bake, toi_bake_report *report,
                            toi_field **field)
{
    toi_grid_header header = {0};
    void *image = NULL;
    toi_status status = choose_grid(def, &bake->tree.nodes[0], bake->mesh.open_count > 0, &header);
    if (status == TOI_OK)
        status = compute_nodes(&header, bake);
    if (status == TOI_OK)
        status = make_image(bake, &header, &image);
    if (status != TOI_OK) {
        toi_give_back(image);
        return status;
    }
    write_report(image, bake, report);
    return toi_adopt_image(image, field);
}

toi_status toi_bake_field(const toi_bake_def *def, toi_point_view points, toi_index_view faces,
                          toi_bake_report *report, toi_field **field)
{
    TOI_GUARD_FP;
    toi_bake_report unused;
    report = report ? report : &unused;
    *report = (toi_bake_report){0};
    *field = NULL;
    toi_status status = check_def(def);
    if (status != TOI_OK)
        return status;
    toi_bake bake = {0};
    toi_meter_init(&bake.meter, def->progress, def->progress_context);
    status = toi_resolve_workers(def->workers, &bake.workers);
    if (status == TOI_OK)
        status = toi_make_mesh_tree(points, faces, bake.workers, &bake.mesh, &bake.report);
    if (status == TOI_OK)
        status = toi_make_box_tree(points, faces, LEAF, bake.workers, &bake.tree);
    if (status == TOI_OK)
        status = bake_tree(def, &bake, report, field);
    free_bake(&bake);
    if (status != TOI_OK)
        *report = (toi_bake_report){0};
    return status;
}
