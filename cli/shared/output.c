// Checks beforehand that a file can be written, writes rows of numbers, makes folders.

#include "output.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

toi_status check_output(const char *path)
{
    struct stat info;
    if (!path || (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return TOI_OK; // to open a pipe is to begin with it
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status == TOI_OK)
        toi_discard_output(&output);
    return status;
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

// Makes a folder unless it is there. Returns 0, or why not.
static int make_one_folder(const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0777) == 0)
        return 0;
    int error = errno;
    if (stat(folder, &info) != 0)
        return error;
    return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}

toi_status make_folder(const char *path)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= PATH_MAX)
        return toi_fail_file(path, "create", ENAMETOOLONG);
    int error = 0;
    for (char *slash = strchr(folder + 1, '/'); slash && !error; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        error = make_one_folder(folder);
        *slash = '/';
    }
    if (!error)
        error = make_one_folder(folder);
    return error ? toi_fail_file(path, "create", error) : TOI_OK;
}
