// Any bytes as a baked field, with its sizes and checksum made right or not: refused with a
// message, or a field whose values, gradients and bounds are numbers.

#include "fuzz.h"

#include "sdf/grid.h"

#include <math.h>

enum
{
    MOST = 1 << 20
};

static _Alignas(64) uint8_t image[MOST];

// The first byte says what is made right, so that what comes after the header is looked at, too.
static int64_t prepare(const uint8_t *data, size_t size)
{
    uint8_t repair = size > 0 ? data[0] : 0;
    size_t length = size > 0 ? size - 1 : 0;
    if (length > MOST)
        length = MOST;
    memset(image, 0, sizeof(toi_grid_header));
    memcpy(image, data + 1, length);
    toi_grid_header *header = (toi_grid_header *)image;
    if (length < sizeof *header || !(repair & 1))
        return (int64_t)length;
    memcpy(header->magic, "toigrid", 8);
    header->version = TOI_GRID_VERSION;
    header->byte_order = 0x01020304;
    memset(header->zeros, 0, sizeof header->zeros);
    memset(header->more_zeros, 0, sizeof header->more_zeros);
    header->size = (int64_t)length;
    header->checksum = toi_hash(image + 64, length - 64);
    return (int64_t)length;
}

static void use(const toi_field *field, fuzz_bytes *bytes)
{
    const toi_grid *grid = (const toi_grid *)field;
    for (int i = 0; i < 20; ++i) {
        double point[3], value, gradient[3];
        for (int k = 0; k < 3; ++k) {
            double u = (take_byte(bytes) - 20) / 215.0 * grid->cells[k];
            point[k] = grid->origin[k] + grid->cell * u;
        }
        toi_point_view one = toi_view_points(point, 1);
        CHECK(toi_evaluate_field(field, one, 1, &value, gradient) == TOI_OK);
        CHECK(isfinite(value) && isfinite(gradient[0] + gradient[1] + gradient[2]));
        toi_minorant minorants[TOI_MINORANTS];
        int count;
        double radius = grid->cell * ldexp(1, take_byte(bytes) % 16 - 8);
        CHECK(toi_bound_field(field, point, radius, minorants, &count) == TOI_OK);
        for (int j = 0; j < count; ++j)
            CHECK(isfinite(minorants[j].distance) && minorants[j].slope >= 0 &&
                  minorants[j].distance <= value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    toi_field *field;
    int64_t length = prepare(data, size);
    if (toi_open_field(image, length, NULL, NULL, &field) != TOI_OK) {
        CHECK(!field && strlen(toi_last_message()) > 0);
        return 0;
    }
    fuzz_bytes bytes = {data, size};
    use(field, &bytes);
    toi_free_field(field);
    return 0;
}
