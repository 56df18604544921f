#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static toi_status fail(const char *path, int error)
{
    return toi_fail(TOI_ERROR_FILE, "%s: cannot write: %s", path, strerror(error));
}

toi_status toi_find_target(const char *path, char target[PATH_MAX])
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        if (errno != ENOENT)
            return fail(path, errno);
        size_t size = strlen(path) + 1;
        if (size > PATH_MAX)
            return fail(path, ENAMETOOLONG);
        memcpy(target, path, size);
        return TOI_OK;
    }
    if (!realpath(path, target) || stat(target, &info) != 0)
        return fail(path, errno);
    if (!S_ISREG(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: exists and is not a regular file", path);
    return TOI_OK;
}

// Creates a file of a name that nobody else uses. Not mkstemp, whose files only the owner can read.
static int create_temporary(const char *target, char *temporary, size_t size)
{
    static atomic_uint counter;
    int file;
    do {
        snprintf(temporary, size, "%s.%ld.%u.tmp", target, (long)getpid(), counter++);
        file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file < 0 && errno == EEXIST);
    return file;
}

static void release(toi_output *output)
{
    toi_release(output->target);
    toi_release(output->temporary);
    *output = (toi_output){0};
}

toi_status toi_open_output(const char *path, toi_output *output)
{
    const size_t extra = 64; // what create_temporary() adds
    char target[PATH_MAX];
    *output = (toi_output){0};
    toi_status status = toi_find_target(path, target);
    if (status != TOI_OK)
        return status;
    size_t size = strlen(target) + 1;
    *output = (toi_output){path, toi_allocate(size), toi_allocate(size + extra), NULL};
    if (!output->target || !output->temporary) {
        release(output);
        return TOI_ERROR_MEMORY;
    }
    memcpy(output->target, target, size);
    int file = create_temporary(target, output->temporary, size + extra);
    if (file >= 0)
        output->file = fdopen(file, "wb");
    if (output->file)
        return TOI_OK;
    status = fail(path, errno);
    if (file >= 0) {
        close(file);
        unlink(output->temporary);
    }
    release(output);
    return status;
}

toi_status toi_close_output(toi_output *output)
{
    // stdio remembers that a write failed, not why: the flush fails again and says it.
    int error = 0;
    errno = 0;
    if (fflush(output->file) != 0 || ferror(output->file))
        error = errno ? errno : EIO;
    if (fclose(output->file) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(output->temporary, output->target) != 0)
        error = errno;
    toi_status status = TOI_OK;
    if (error != 0) {
        status = fail(output->path, error);
        unlink(output->temporary);
    }
    release(output);
    return status;
}
