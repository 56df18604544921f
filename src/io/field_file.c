// Baked fields as files: mapped into memory to be read, written whole.

#include "toi/io.h"

#include "base/fp_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

static toi_status map_file(int file, const char *path, mapping *m)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return toi_fail_file(path, "read", errno);
    if (!S_ISREG(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: is not a regular file", path);
    if (info.st_size == 0)
        return toi_fail(TOI_ERROR_FORMAT, "%s: is empty, not a baked field", path);
    m->size = (size_t)info.st_size;
    m->bytes = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, file, 0);
    return m->bytes != MAP_FAILED ? TOI_OK : toi_fail_file(path, "map", errno);
}

// A copy of the message: the file's name comes before it.
static toi_status name_file(const char *path, toi_status status)
{
    char message[512];
    snprintf(message, sizeof message, "%s", toi_last_message());
    return toi_fail(status, "%s: %s", path, message);
}

static toi_status open_mapped(int file, const char *path, toi_field **field)
{
    mapping *m = toi_allocate(sizeof *m);
    if (!m)
        return TOI_ERROR_MEMORY;
    toi_status status = map_file(file, path, m);
    if (status != TOI_OK) {
        toi_release(m);
        return status;
    }
    status = toi_open_field(m->bytes, (int64_t)m->size, unmap, m, field);
    return status == TOI_OK ? TOI_OK : name_file(path, status);
}

toi_status toi_read_field(const char *path, toi_field **field)
{
    TOI_GUARD_FP;
    *field = NULL;
    // Without O_NONBLOCK, opening a FIFO that nobody writes to would never return.
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return toi_fail_file(path, "open", errno);
    toi_status status = open_mapped(file, path, field);
    close(file);
    return status;
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
