// Baked fields as files: mapped into memory to be read, written whole.

#include "toi/io.h"

#include "base/fp_mode.h"
#include "io/map.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

// What a field that was read holds on to.
typedef struct mapping
{
    void *bytes;
    size_t size;
} mapping;

static void unmap(void *context)
{
    mapping *m = context;
    munmap(m->bytes, m->size);
    toi_release(m);
}

// A copy of the message: the file's name comes before it.
static toi_status name_file(const char *path, toi_status status)
{
    char message[512];
    snprintf(message, sizeof message, "%s", toi_last_message());
    return toi_fail(status, "%s: %s", path, message);
}

toi_status toi_read_field(const char *path, toi_field **field)
{
    TOI_GUARD_FP;
    *field = NULL;
    mapping *m = toi_allocate(sizeof *m);
    if (!m)
        return TOI_ERROR_MEMORY;
    toi_status status = toi_map_file(path, &m->bytes, &m->size);
    if (status != TOI_OK) {
        toi_release(m);
        return status;
    }
    status = toi_open_field(m->bytes, (int64_t)m->size, unmap, m, field);
    return status == TOI_OK ? TOI_OK : name_file(path, status);
}

toi_status toi_write_field(const char *path, const toi_field *field)
{
    TOI_GUARD_FP;
    const void *bytes;
    int64_t size;
    toi_status status = toi_field_bytes(field, &bytes, &size);
    toi_output output;
    if (status == TOI_OK)
        status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fwrite(bytes, 1, (size_t)size, output.file);
    return toi_close_output(&output);
}
