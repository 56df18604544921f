// Writes a mesh as a binary PLY file.

#include "base/fp_mode.h"
#include "base/status.h"
#include "io/output.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// `view` at row i, whatever the stride; `packed` is the size of a row.
static const void *row_at(const void *data, int64_t stride, int64_t packed, int64_t i)
{
    return (const char *)data + i * (stride ? stride : packed);
}

static void load_point(toi_point_view points, int64_t i, double point[3])
{
    if (points.scalar == TOI_DOUBLE) {
        memcpy(point, row_at(points.data, points.stride, 24, i), 24);
        return;
    }
    float single[3];
    memcpy(single, row_at(points.data, points.stride, sizeof single, i), sizeof single);
    for (int axis = 0; axis < 3; ++axis)
        point[axis] = single[axis];
}

static const int32_t *load_indices(toi_index_view rows, int columns, int64_t i)
{
    return row_at(rows.data, rows.stride, columns * (int64_t)sizeof(int32_t), i);
}

// What could not be read again is not written.
static toi_status check_points(toi_point_view points)
{
    for (int64_t i = 0; i < points.count; ++i) {
        double point[3];
        load_point(points, i, point);
        if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2]))
            return toi_fail(TOI_ERROR_DATA, "point %lld has a coordinate that is not finite",
                            (long long)i);
    }
    return TOI_OK;
}

static toi_status check_indices(toi_index_view rows, int columns, const char *what,
                                int64_t point_count)
{
    for (int64_t i = 0; i < rows.count; ++i) {
        const int32_t *row = load_indices(rows, columns, i);
        for (int column = 0; column < columns; ++column)
            if (row[column] < 0 || row[column] >= point_count)
                return toi_fail(TOI_ERROR_DATA, "%s %lld names point %d of %lld", what,
                                (long long)i, (int)row[column], (long long)point_count);
    }
    return TOI_OK;
}

static void write_little_endian(FILE *file, uint64_t bits, size_t size)
{
    unsigned char bytes[8] = {0};
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    fwrite(bytes, 1, size, file);
}

static void write_header(FILE *file, int64_t points, int64_t faces, int64_t edges)
{
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\nelement vertex %lld\n"
            "property double x\nproperty double y\nproperty double z\n"
            "element face %lld\nproperty list uchar int vertex_indices\n",
            (long long)points, (long long)faces);
    if (edges > 0)
        fprintf(file, "element edge %lld\nproperty int vertex1\nproperty int vertex2\n",
                (long long)edges);
    fputs("end_header\n", file);
}

static void write_points(FILE *file, toi_point_view points)
{
    for (int64_t i = 0; i < points.count; ++i) {
        double point[3];
        load_point(points, i, point);
        for (int axis = 0; axis < 3; ++axis) {
            uint64_t bits;
            memcpy(&bits, &point[axis], sizeof bits);
            write_little_endian(file, bits, sizeof bits);
        }
    }
}

static void write_indices(FILE *file, toi_index_view rows, int columns)
{
    for (int64_t i = 0; i < rows.count; ++i) {
        const int32_t *row = load_indices(rows, columns, i);
        if (columns == 3)
            putc(3, file);
        for (int column = 0; column < columns; ++column)
            write_little_endian(file, (uint32_t)row[column], sizeof *row);
    }
}

toi_status toi_write_ply(const char *path, toi_point_view points, toi_index_view faces,
                         toi_index_view edges)
{
    TOI_GUARD_FP;
    assert(path);
    toi_status status = toi_check_count(points.count, "points");
    if (status == TOI_OK)
        status = toi_check_count(faces.count, "faces");
    if (status == TOI_OK)
        status = toi_check_count(edges.count, "edges");
    if (status == TOI_OK)
        status = check_points(points);
    if (status == TOI_OK)
        status = check_indices(faces, 3, "face", points.count);
    if (status == TOI_OK)
        status = check_indices(edges, 2, "edge", points.count);
    if (status != TOI_OK)
        return status;
    toi_output output;
    status = toi_open_whole(path, &output);
    if (status != TOI_OK)
        return status;
    write_header(output.file, points.count, faces.count, edges.count);
    write_points(output.file, points);
    write_indices(output.file, faces, 3);
    write_indices(output.file, edges, 2);
    return toi_close_output(&output);
}
