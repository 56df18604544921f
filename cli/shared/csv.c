// Reads a csv file and finds its columns and cells.

#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum
{
    FIRST_BYTES = 1 << 16,
    MOST_BYTES = 1 << 28 // no table of measurements is as large; a wrong file may be
};

static char *copy_bytes(const char *from, size_t count, size_t capacity)
{
    char *copy = toi_allocate(capacity);
    if (copy && count > 0)
        memcpy(copy, from, count);
    return copy;
}

// Reads to the end of the file, and puts a newline after a last line that has none.
static toi_status read_stream(FILE *stream, csv_file *file, size_t *count)
{
    size_t capacity = FIRST_BYTES;
    *count = 0;
    file->bytes = toi_allocate(capacity);
    while (file->bytes) {
        *count += fread(file->bytes + *count, 1, capacity - 1 - *count, stream);
        if (ferror(stream))
            return toi_fail(TOI_ERROR_FILE, "%s: cannot read: %s", file->path, strerror(errno));
        if (*count < capacity - 1)
            break;
        if (capacity >= MOST_BYTES)
            return toi_fail(TOI_ERROR_LIMIT, "%s: larger than %d MiB: no table of measurements",
                            file->path, MOST_BYTES >> 20);
        char *larger = copy_bytes(file->bytes, *count, 2 * capacity);
        toi_release(file->bytes);
        file->bytes = larger;
        capacity *= 2;
    }
    if (!file->bytes)
        return TOI_ERROR_MEMORY;
    if (*count > 0 && file->bytes[*count - 1] != '\n')
        file->bytes[(*count)++] = '\n';
    return TOI_OK;
}

static toi_status read_bytes(csv_file *file, size_t *count)
{
    FILE *stream = fopen(file->path, "rb");
    if (!stream)
        return toi_fail(TOI_ERROR_FILE, "%s: cannot open: %s", file->path, strerror(errno));
    toi_status status = read_stream(stream, file, count);
    fclose(stream);
    return status;
}

static toi_status fail_at_line(const csv_file *file, int64_t line, const char *what)
{
    return toi_fail(TOI_ERROR_FORMAT, "%s:%lld: %s", file->path, (long long)line, what);
}

// Room for all lines and all cells that there could be.
static toi_status make_room(csv_file *file, size_t count)
{
    size_t lines = 0, cells = 0;
    for (size_t i = 0; i < count; ++i) {
        lines += file->bytes[i] == '\n';
        cells += file->bytes[i] == '\n' || file->bytes[i] == ',';
    }
    file->cells = toi_allocate(cells * sizeof *file->cells);
    file->lines = toi_allocate(lines * sizeof *file->lines);
    return file->cells && file->lines ? TOI_OK : TOI_ERROR_MEMORY;
}

// Cuts a line into cells, appended to those that are there, and returns how many it had.
static int64_t split_line(csv_file *file, char *line, int64_t cell)
{
    int64_t first = cell;
    for (char *at = line; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        file->cells[cell++] = at;
        at = comma;
    }
    return cell - first;
}

static toi_status check_names(const csv_file *file, int64_t line)
{
    bool any = false;
    for (int i = 0; i < file->columns; ++i) {
        const char *name = file->cells[i];
        any = any || *name;
        if (*name && find_column(file, name) != i)
            return toi_fail(TOI_ERROR_FORMAT, "%s:%lld: two columns are named '%.40s'", file->path,
                            (long long)line, name);
    }
    return any ? TOI_OK : fail_at_line(file, line, "no names of columns");
}

static toi_status add_line(csv_file *file, char *text, int64_t line)
{
    const int most_columns = 4096;
    int64_t cells = split_line(file, text, (file->rows + (file->columns > 0)) * file->columns);
    if (file->columns == 0) {
        if (cells > most_columns)
            return fail_at_line(file, line, "more columns than any table of measurements has");
        file->columns = (int)cells;
        return check_names(file, line);
    }
    if (cells != file->columns)
        return toi_fail(TOI_ERROR_FORMAT, "%s:%lld: %lld cells, but %d columns have names",
                        file->path, (long long)line, (long long)cells, file->columns);
    file->lines[file->rows++] = line;
    return TOI_OK;
}

static toi_status split_lines(csv_file *file, size_t count)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char *at = file->bytes, *end = file->bytes + count;
    if (count > 3 && memcmp(at, byte_order_mark, 3) == 0)
        at += 3;
    toi_status status = TOI_OK;
    for (int64_t line = 1; status == TOI_OK && at < end; ++line) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        bool is_text = !memchr(at, '\0', (size_t)(newline - at));
        *newline = '\0';
        if (newline > at && newline[-1] == '\r')
            newline[-1] = '\0';
        if (!is_text)
            status = fail_at_line(file, line, "a zero byte; this is no text");
        else if (*at)
            status = add_line(file, at, line);
        at = newline + 1;
    }
    if (status == TOI_OK && file->columns == 0)
        status = toi_fail(TOI_ERROR_FORMAT, "%s: empty; the first line must name the columns",
                          file->path);
    return status;
}

toi_status read_csv(const char *path, csv_file *file)
{
    size_t count = 0, length = strlen(path) + 1;
    *file = (csv_file){.path = copy_bytes(path, length, length)};
    toi_status status = file->path ? read_bytes(file, &count) : TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        status = make_room(file, count);
    if (status == TOI_OK)
        status = split_lines(file, count);
    if (status != TOI_OK)
        free_csv(file);
    return status;
}

void free_csv(csv_file *file)
{
    toi_release(file->path);
    toi_release(file->bytes);
    toi_release(file->cells);
    toi_release(file->lines);
    *file = (csv_file){0};
}

int find_column(const csv_file *file, const char *name)
{
    for (int i = 0; i < file->columns; ++i)
        if (strcmp(file->cells[i], name) == 0)
            return i;
    return -1;
}

const char *column_name(const csv_file *file, int column)
{
    return file->cells[column];
}

const char *csv_cell(const csv_file *file, int64_t row, int column)
{
    return column < 0 ? "" : file->cells[(row + 1) * file->columns + column];
}

const char *csv_named_cell(const csv_file *file, int64_t row, const char *name)
{
    return csv_cell(file, row, find_column(file, name));
}

toi_status fail_at_row(const csv_file *file, int64_t row, const char *what)
{
    return fail_at_line(file, file->lines[row], what);
}
