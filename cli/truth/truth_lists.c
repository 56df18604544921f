// Files of 10^7 pairs are read in one pass over their bytes: a tree of JSON values would take a
// hundred times the memory of the numbers.

#include "truth_lists.h"

#include "toi/io.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A file in memory, with a zero behind its last byte.
typedef struct reader
{
    const char *path;
    char *bytes;
    size_t size;
    const char *at;
    int64_t entry; // which is being read
} reader;

static toi_status fail_file(const char *path)
{
    return toi_fail_file(path, "read", errno);
}

static toi_status read_bytes(reader *r, FILE *file)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return fail_file(r->path);
    if (!S_ISREG(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: is not a regular file", r->path);
    r->size = (size_t)info.st_size;
    r->bytes = toi_allocate(r->size + 1);
    if (!r->bytes)
        return TOI_ERROR_MEMORY;
    if (fread(r->bytes, 1, r->size, file) != r->size)
        return fail_file(r->path);
    r->bytes[r->size] = '\0';
    r->at = r->bytes;
    return TOI_OK;
}

static toi_status open_reader(const char *path, reader *r)
{
    *r = (reader){.path = path};
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_file(path);
    toi_status status = read_bytes(r, file);
    fclose(file);
    return status;
}

static toi_status fail_entry(const reader *r, const char *what)
{
    bool ended = r->at == r->bytes + r->size;
    return toi_fail(TOI_ERROR_FORMAT, "%s: entry %" PRId64 " (byte %td): %s", r->path, r->entry,
                    r->at - r->bytes, ended ? "the file ends too early" : what);
}

static void skip_spaces(reader *r)
{
    while (*r->at && strchr(" \t\r\n", *r->at))
        ++r->at;
}

static bool take(reader *r, char expected)
{
    skip_spaces(r);
    if (*r->at != expected)
        return false;
    ++r->at;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    skip_spaces(r);
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool take_number(reader *r, int64_t *number)
{
    skip_spaces(r);
    char *end;
    errno = 0;
    *number = strtoll(r->at, &end, 10);
    if (!isdigit((unsigned char)*r->at) || errno != 0 || *end == '.' || *end == 'e' || *end == 'E')
        return false;
    r->at = end;
    return true;
}

// Reads entry number r->entry into its place of an array.
typedef bool read_entry(reader *r, void *array);

static bool read_pair(reader *r, void *array)
{
    box_pair *pair = (box_pair *)array + r->entry;
    return take(r, '[') && take_number(r, &pair->a) && take(r, ',') && take_number(r, &pair->b) &&
           take(r, ']');
}

static bool read_boolean(reader *r, void *array)
{
    bool is_true = take_word(r, "true");
    ((bool *)array)[r->entry] = is_true;
    return is_true || take_word(r, "false");
}

static toi_status read_entries(reader *r, read_entry *read, const char *what, void *array)
{
    if (!take(r, '['))
        return fail_entry(r, "a list begins with '['");
    for (bool more = !take(r, ']'); more; ++r->entry) {
        if (!read(r, array))
            return fail_entry(r, what);
        more = take(r, ',');
        if (!more && !take(r, ']'))
            return fail_entry(r, "expected ',' or ']'");
    }
    skip_spaces(r);
    if (r->at != r->bytes + r->size)
        return fail_entry(r, "there is more behind the list");
    return TOI_OK;
}

// One allocation serves: an entry of any of the lists takes at least `least` bytes of the file.
static toi_status read_list(const char *path, size_t least, size_t entry_size, read_entry *read,
                            const char *what, void **array, int64_t *count)
{
    reader r;
    *array = NULL;
    *count = 0;
    toi_status status = open_reader(path, &r);
    if (status == TOI_OK) {
        *array = toi_allocate((r.size / least + 1) * entry_size);
        status = *array ? read_entries(&r, read, what, *array) : TOI_ERROR_MEMORY;
    }
    toi_release(r.bytes);
    if (status == TOI_OK) {
        *count = r.entry;
        return TOI_OK;
    }
    toi_release(*array);
    *array = NULL;
    return status;
}

toi_status read_box_pairs(const char *path, box_pair **pairs, int64_t *count)
{
    void *array;
    toi_status status = read_list(path, strlen("[0,1]"), sizeof **pairs, read_pair,
                                  "expected a pair of numbers, [a,b]", &array, count);
    *pairs = array;
    return status;
}

toi_status read_booleans(const char *path, bool **booleans, int64_t *count)
{
    void *array;
    toi_status status = read_list(path, strlen("true"), sizeof **booleans, read_boolean,
                                  "expected true or false", &array, count);
    *booleans = array;
    return status;
}

// Reads the line "0,", or "1," and a time; a carriage return before its end is fine.
static bool read_time(reader *r, double *time)
{
    char hit = *r->at;
    if ((hit != '0' && hit != '1') || r->at[1] != ',')
        return false;
    r->at += 2;
    char *end = (char *)r->at;
    *time = INFINITY;
    if (hit == '1') {
        *time = isspace((unsigned char)*r->at) ? NAN : strtod(r->at, &end);
        if (end == r->at || !isfinite(*time))
            return false;
    }
    r->at = end;
    if (*r->at == '\r')
        ++r->at;
    if (*r->at != '\n')
        return false;
    ++r->at;
    return true;
}

toi_status read_times(const char *path, double **times, int64_t *count)
{
    reader r;
    *times = NULL;
    *count = 0;
    toi_status status = open_reader(path, &r);
    if (status == TOI_OK) {
        *times = toi_allocate((r.size / strlen("0,\n") + 1) * sizeof **times);
        status = *times ? TOI_OK : TOI_ERROR_MEMORY;
    }
    for (; status == TOI_OK && r.at < r.bytes + r.size; ++r.entry)
        if (!read_time(&r, *times + r.entry))
            status = fail_entry(&r, "expected a line '0,' or '1,TIME'");
    toi_release(r.bytes);
    if (status == TOI_OK) {
        *count = r.entry;
        return TOI_OK;
    }
    toi_release(*times);
    *times = NULL;
    return status;
}
