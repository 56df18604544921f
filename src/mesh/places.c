// Vertices at the same place, by a hash table.

#include "mesh/mesh.h"

static uint64_t hash_point(const double p[3])
{
    double sum[3] = {p[0] + 0.0, p[1] + 0.0, p[2] + 0.0}; // minus zero is zero
    return toi_hash(sum, sizeof sum);
}

static bool same_place(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

toi_status toi_find_first_at_place(const toi_point_view *points, int32_t *first)
{
    int64_t size = 16;
    while (size < 2 * points->count)
        size *= 2;
    int32_t *table = toi_take(NULL, size, sizeof *table);
    if (!table)
        return toi_allocation_status();
    for (int64_t i = 0; i < size; ++i)
        table[i] = -1;
    for (int64_t v = 0; v < points->count; ++v) {
        double p[3], q[3];
        toi_load_point(points, v, p);
        uint64_t at = hash_point(p) & (uint64_t)(size - 1);
        for (; table[at] >= 0; at = (at + 1) & (uint64_t)(size - 1)) {
            toi_load_point(points, table[at], q);
            if (same_place(p, q))
                break;
        }
        if (table[at] < 0)
            table[at] = (int32_t)v;
        first[v] = table[at];
    }
    toi_give_back(table);
    return TOI_OK;
}
