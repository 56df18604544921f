// Files mapped into memory.

#include "io/map.h"

#include "toi/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static toi_status map_open(int file, const char *path, void **data, size_t *size)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return toi_fail_file(path, "read", errno);
    if (!S_ISREG(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: is not a regular file", path);
    if (info.st_size == 0)
        return toi_fail(TOI_ERROR_FORMAT, "%s: is empty", path);
    void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED)
        return toi_fail_file(path, "map into memory", errno);
    *data = map;
    *size = (size_t)info.st_size;
    return TOI_OK;
}

toi_status toi_map_file(const char *path, void **data, size_t *size)
{
    // Without O_NONBLOCK, opening a FIFO that nobody writes to would never return.
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return toi_fail_file(path, "open", errno);
    toi_status status = map_open(file, path, data, size);
    close(file);
    return status;
}
