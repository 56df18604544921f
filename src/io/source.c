// Reads a whole file into memory.

#include "io/source.h"
#include "toi/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads exactly `size` bytes.
static toi_status read_all(int file, const char *path, char *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return toi_fail_file(path, "read", errno);
        if (got == 0)
            return toi_fail(TOI_ERROR_FILE, "%s: became shorter while it was read", path);
        done += (size_t)got;
    }
    return TOI_OK;
}

static toi_status load_open_file(int file, const char *path, toi_source *source)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return toi_fail_file(path, "read", errno);
    if (S_ISDIR(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: is a directory, not a file", path);
    if (!S_ISREG(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: is not a regular file; copy it to one first", path);
    size_t size = (size_t)info.st_size;
    char *data = toi_allocate(size);
    if (!data)
        return TOI_ERROR_MEMORY;
    toi_status status = read_all(file, path, data, size);
    if (status != TOI_OK) {
        toi_release(data);
        return status;
    }
    *source = (toi_source){path, data, size};
    return TOI_OK;
}

toi_status toi_load(const char *path, toi_source *source)
{
    *source = (toi_source){0};
    // Without O_NONBLOCK, opening a FIFO that nobody writes to would never return.
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return toi_fail_file(path, "open", errno);
    toi_status status = load_open_file(file, path, source);
    close(file);
    return status;
}

void toi_unload(toi_source *source)
{
    toi_release((void *)source->data);
    *source = (toi_source){0};
}

toi_status toi_byte_fail(const toi_source *source, size_t byte, toi_status status,
                         const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return toi_fail(status, "%s: byte %zu: %s", source->name, byte, what);
}
