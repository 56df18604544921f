#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A full disk is no fault of the input.
static toi_status fail_write(const char *path, int error)
{
    bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return toi_fail(full ? TOI_ERROR_LIMIT : TOI_ERROR_FILE, "%s: cannot write: %s", path,
                    strerror(error));
}

// Where the file goes: `path` itself, or the file that a link leads to. Empty for devices and
// pipes, which a rename would replace.
static toi_status find_target(const char *path, char target[PATH_MAX])
{
    struct stat info;
    if (snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return fail_write(path, ENAMETOOLONG);
    if (stat(path, &info) != 0)
        return errno == ENOENT ? TOI_OK : fail_write(path, errno);
    if (S_ISDIR(info.st_mode))
        return fail_write(path, EISDIR);
    if (!S_ISREG(info.st_mode))
        target[0] = '\0';
    else if (!realpath(path, target))
        return fail_write(path, errno);
    return TOI_OK;
}

toi_status check_output(const char *path)
{
    char folder[PATH_MAX];
    if (!path)
        return TOI_OK;
    toi_status status = find_target(path, folder);
    if (status != TOI_OK || !folder[0])
        return status;
    char *slash = strrchr(folder, '/');
    if (!slash)
        memcpy(folder, ".", 2);
    else
        slash[slash == folder] = '\0';
    return access(folder, W_OK | X_OK) == 0 ? TOI_OK : fail_write(path, errno);
}

// Creates a file of a name that nobody else uses. Not mkstemp(), whose files only the owner can
// read.
static int create_temporary(const output_file *output, size_t size)
{
    int file = -1;
    for (int i = 0; file < 0 && (i == 0 || errno == EEXIST); ++i) {
        snprintf(output->temporary, size, "%s.%ld.%d.tmp", output->target, (long)getpid(), i);
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file;
}

static void release(output_file *output)
{
    toi_release(output->target);
    toi_release(output->temporary);
    *output = (output_file){0};
}

toi_status open_output(const char *path, output_file *output)
{
    const size_t extra = 64; // what create_temporary() adds
    char target[PATH_MAX];
    *output = (output_file){.path = path};
    toi_status status = find_target(path, target);
    if (status != TOI_OK)
        return status;
    if (!target[0]) {
        output->file = fopen(path, "wb");
        return output->file ? TOI_OK : fail_write(path, errno);
    }
    size_t size = strlen(target) + 1;
    output->target = toi_allocate(size);
    output->temporary = toi_allocate(size + extra);
    if (!output->target || !output->temporary) {
        release(output);
        return TOI_ERROR_MEMORY;
    }
    memcpy(output->target, target, size);
    int file = create_temporary(output, size + extra);
    if (file >= 0)
        output->file = fdopen(file, "wb");
    if (output->file)
        return TOI_OK;
    status = fail_write(path, errno);
    release(output);
    return status;
}

toi_status close_output(output_file *output)
{
    // stdio remembers that a write failed, not why: the flush fails again and says it.
    int error = 0;
    errno = 0;
    if (fflush(output->file) != 0 || ferror(output->file))
        error = errno ? errno : EIO;
    if (fclose(output->file) != 0 && error == 0)
        error = errno;
    if (output->target && error == 0 && rename(output->temporary, output->target) != 0)
        error = errno;
    toi_status status = TOI_OK;
    if (error != 0) {
        status = fail_write(output->path, error);
        if (output->temporary)
            unlink(output->temporary);
    }
    release(output);
    return status;
}

void discard_output(output_file *output)
{
    fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    release(output);
}

// Writes the digits of a number that is not negative so that they end before `end`.
static char *put_digits(char *end, int32_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    return end;
}

void write_pair(FILE *file, const char *name, int32_t a, int32_t b, char end)
{
    char row[32];
    char *last = row + sizeof row;
    *--last = end;
    last = put_digits(last, b);
    *--last = ',';
    last = put_digits(last, a);
    *--last = ',';
    fputs(name, file);
    fwrite(last, 1, (size_t)(row + sizeof row - last), file);
}

toi_status make_folder(const char *path)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= PATH_MAX)
        return toi_fail(TOI_ERROR_FILE, "%s: cannot create: %s", path, strerror(ENAMETOOLONG));
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777); // one that cannot be made fails the last one below
        *slash = '/';
    }
    if (mkdir(folder, 0777) == 0)
        return TOI_OK;
    int error = errno;
    struct stat info;
    if (error == EEXIST && stat(folder, &info) == 0)
        error = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    return error ? toi_fail(TOI_ERROR_FILE, "%s: cannot create: %s", path, strerror(error))
                 : TOI_OK;
}
