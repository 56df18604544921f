// PNG: a header, the rows filtered and compressed by zlib, an end.

#include "png.h"

#include "toi/io.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_big_endian(uint8_t out[4], uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void write_chunk(FILE *file, const char *type, const uint8_t *data, uint32_t size)
{
    uint8_t number[4];
    uLong check = crc32(0, (const Bytef *)type, 4);
    put_big_endian(number, size);
    fwrite(number, 1, 4, file);
    fwrite(type, 1, 4, file);
    if (size > 0) {
        check = crc32(check, data, size);
        fwrite(data, 1, size, file);
    }
    put_big_endian(number, (uint32_t)check);
    fwrite(number, 1, 4, file);
}

// The neighbour that left + above - corner is nearest to.
static int paeth(int left, int above, int corner)
{
    int guess = left + above - corner;
    int a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

// Each byte without what its neighbours let expect: nothing, left, above, their mean, Paeth's.
static void filter_row(int filter, const uint8_t *row, const uint8_t *above, int bytes,
                       uint8_t *out)
{
    out[0] = (uint8_t)filter;
    for (int i = 0; i < bytes; ++i) {
        int a = i >= 3 ? row[i - 3] : 0, b = above ? above[i] : 0;
        int c = i >= 3 && above ? above[i - 3] : 0;
        const int expected[5] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
        out[i + 1] = (uint8_t)(row[i] - expected[filter]);
    }
}

static int64_t weight(const uint8_t *filtered, int bytes)
{
    int64_t sum = 0;
    for (int i = 1; i <= bytes; ++i)
        sum += filtered[i] < 128 ? filtered[i] : 256 - filtered[i];
    return sum;
}

// The filter with the least sum, as the format's specification proposes.
static void choose_filter(const uint8_t *row, const uint8_t *above, int bytes, uint8_t *out,
                          uint8_t *trial)
{
    int64_t least = INT64_MAX;
    for (int filter = 0; filter < 5; ++filter) {
        filter_row(filter, row, above, bytes, trial);
        int64_t sum = weight(trial, bytes);
        if (sum >= least)
            continue;
        least = sum;
        memcpy(out, trial, (size_t)bytes + 1);
    }
}

static toi_status compress_rows(const uint8_t *pixels, int width, int height, uint8_t **data,
                                uLongf *size)
{
    size_t bytes = 3 * (size_t)width, all = (bytes + 1) * (size_t)height;
    uint8_t *rows = malloc(all + bytes + 1);
    *size = compressBound((uLong)all);
    *data = malloc(*size);
    bool ready = rows && *data;
    for (int y = 0; y < height && ready; ++y) {
        const uint8_t *row = pixels + bytes * (size_t)y;
        choose_filter(row, y > 0 ? row - bytes : NULL, (int)bytes, rows + (bytes + 1) * (size_t)y,
                      rows + all);
    }
    ready = ready && compress2(*data, size, rows, (uLong)all, 9) == Z_OK;
    free(rows);
    return ready ? TOI_OK : toi_fail(TOI_ERROR_MEMORY, "no memory to compress a picture");
}

toi_status write_png(const char *path, const uint8_t *pixels, int width, int height)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t header[13] = {[8] = 8, [9] = 2}; // eight bits, red green blue
    uint8_t *data = NULL;
    uLongf size = 0;
    toi_output output;
    put_big_endian(header, (uint32_t)width);
    put_big_endian(header + 4, (uint32_t)height);
    toi_status status = compress_rows(pixels, width, height, &data, &size);
    if (status == TOI_OK)
        status = toi_open_output(path, &output);
    if (status == TOI_OK) {
        fwrite(signature, 1, sizeof signature, output.file);
        write_chunk(output.file, "IHDR", header, sizeof header);
        write_chunk(output.file, "IDAT", data, (uint32_t)size);
        write_chunk(output.file, "IEND", NULL, 0);
        status = toi_close_output(&output);
    }
    free(data);
    return status;
}
