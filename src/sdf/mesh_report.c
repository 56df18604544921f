// Says how closed a mesh is: the sides that lack their opposite, faces without area, its volume.

#include "sdf/mesh_report.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

// Both directions of a side differ in the last bit alone.
static uint64_t side_key(int32_t a, int32_t b)
{
    return a > b ? (uint64_t)a << 33 | (uint64_t)b << 1 : (uint64_t)b << 33 | (uint64_t)a << 1 | 1;
}

static int64_t list_sides(const toi_box_tree *boxes, const int32_t *first, uint64_t *keys)
{
    int64_t count = 0;
    for (int64_t f = 0; f < boxes->face_count; ++f)
        for (int k = 0; k < 3; ++k) {
            int32_t a = first[boxes->faces[f][k]], b = first[boxes->faces[f][(k + 1) % 3]];
            if (a != b)
                keys[count++] = side_key(a, b);
        }
    return count;
}

// Runs of equal sides: in which direction, and how often, is one left over? Keeps those keys.
static int64_t keep_open(uint64_t *keys, int64_t count, toi_mesh_field_report *report)
{
    int64_t kept = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        int64_t balance = 0;
        for (end = i; end < count && keys[end] >> 1 == keys[i] >> 1; ++end)
            balance += keys[end] & 1 ? -1 : 1;
        uint64_t key = (keys[i] & ~(uint64_t)1) | (balance < 0);
        if (balance != 0 && report->open_edges++ == 0) {
            report->open_edge[0] = (int32_t)(key >> 1 & UINT32_MAX);
            report->open_edge[1] = (int32_t)(key >> 33);
        }
        for (int64_t n = balance < 0 ? -balance : balance; n > 0; --n)
            keys[kept++] = key; // no more than there were
    }
    return kept;
}

static toi_status write_open(const uint64_t *keys, int64_t count, int32_t (**open)[2])
{
    *open = toi_take(NULL, count, sizeof **open);
    if (!*open)
        return toi_allocation_status();
    for (int64_t i = 0; i < count; ++i) {
        int backward = (int)(keys[i] & 1);
        (*open)[i][backward] = (int32_t)(keys[i] >> 33);
        (*open)[i][!backward] = (int32_t)(keys[i] >> 1 & UINT32_MAX);
    }
    return TOI_OK;
}

static toi_status find_open(const toi_box_tree *boxes, int workers, toi_mesh_field_report *report,
                            int32_t (**open)[2], int64_t *open_count)
{
    int32_t *first = toi_take(NULL, boxes->point_count, sizeof *first);
    uint64_t *keys = first ? toi_take(NULL, 3 * boxes->face_count, sizeof *keys) : NULL;
    toi_point_view points = toi_view_points(boxes->points[0], boxes->point_count);
    toi_status status = keys ? toi_find_first_at_place(&points, first) : toi_allocation_status();
    int64_t count = 0;
    if (status == TOI_OK) {
        count = list_sides(boxes, first, keys);
        status = toi_radix_sort(keys, count, ~(uint64_t)0, workers, NULL);
    }
    if (status == TOI_OK) {
        *open_count = keep_open(keys, count, report);
        status = *open_count > 0 ? write_open(keys, *open_count, open) : TOI_OK;
    }
    toi_give_back(keys);
    toi_give_back(first);
    return status;
}

// Area and volume need no more than a few digits: they are told, not used.
static void measure_faces(const toi_box_tree *boxes, toi_mesh_field_report *report)
{
    const double *o = boxes->points[boxes->faces[0][0]];
    for (int64_t f = 0; f < boxes->face_count; ++f) {
        double x[3][3];
        for (int v = 0; v < 3; ++v)
            for (int k = 0; k < 3; ++k)
                x[v][k] = boxes->points[boxes->faces[f][v]][k] - o[k];
        double n[3];
        for (int k = 0; k < 3; ++k) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            n[k] = (x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) -
                   (x[1][j] - x[0][j]) * (x[2][i] - x[0][i]);
        }
        report->degenerate += n[0] == 0 && n[1] == 0 && n[2] == 0;
        report->volume += (n[0] * x[0][0] + n[1] * x[0][1] + n[2] * x[0][2]) / 6;
    }
}

toi_status toi_report_mesh(const toi_box_tree *boxes, int workers, toi_mesh_field_report *report,
                           int32_t (**open)[2], int64_t *open_count)
{
    *report = (toi_mesh_field_report){.open_edge = {-1, -1}};
    *open = NULL;
    *open_count = 0;
    int resolved;
    toi_status status = toi_resolve_workers(workers, &resolved);
    if (status != TOI_OK)
        return status;
    measure_faces(boxes, report);
    return find_open(boxes, resolved, report, open, open_count);
}
