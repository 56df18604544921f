#include "bench_broad_rows.h"

#include "box_sets.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void copy_name(char to[BROAD_NAME_BYTES], const char *from)
{
    snprintf(to, BROAD_NAME_BYTES, "%s", from);
    for (char *c = to; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == ',' || *c == '"')
            *c = '_';
}

toi_status add_row(broad_rows *rows, const broad_row *row)
{
    if (rows->count == rows->capacity) {
        int capacity = rows->capacity > 0 ? 2 * rows->capacity : 64;
        broad_row *data = toi_allocate((size_t)capacity * sizeof *data);
        if (!data)
            return TOI_ERROR_MEMORY;
        if (rows->count > 0)
            memcpy(data, rows->data, (size_t)rows->count * sizeof *data);
        toi_release(rows->data);
        rows->data = data;
        rows->capacity = capacity;
    }
    rows->data[rows->count++] = *row;
    return TOI_OK;
}

void free_rows(broad_rows *rows)
{
    toi_release(rows->data);
    *rows = (broad_rows){0};
}

// ---------------------------------------------------------------------------------------------
// CSV

static const char titles[] = "scene,method,simd,threads,seconds,pairs,peak_bytes,hash,boxes";

enum
{
    FIELDS = 9,
    LINE_BYTES = 512
};

void write_row_titles(FILE *file)
{
    fprintf(file, "%s\n", titles);
}

void write_row(FILE *file, const broad_row *row)
{
    fprintf(file, "%s,%s,%s,%d,%.9f,%" PRId64 ",%" PRId64 ",%s,%" PRId64 "\n", row->scene,
            row->method, row->simd, row->threads, row->seconds, row->pairs, row->peak_bytes,
            hash_text(row->hash).at, row->boxes);
}

toi_status write_rows(const char *path, const broad_rows *rows)
{
    output_file output;
    toi_status status = open_output(path, &output);
    if (status != TOI_OK)
        return status;
    write_row_titles(output.file);
    for (int i = 0; i < rows->count; ++i)
        write_row(output.file, &rows->data[i]);
    return close_output(&output);
}

// Cuts the line into its fields; false unless there are as many as there should be.
static bool split_line(char *line, char *fields[FIELDS])
{
    line[strcspn(line, "\r\n")] = '\0';
    int count = 0;
    for (char *at = line; at; ++count) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        if (count < FIELDS)
            fields[count] = at;
        at = comma;
    }
    return count == FIELDS;
}

static bool parse_hash(const char *from, uint64_t *hash)
{
    char *end;
    *hash = strtoull(from, &end, 16);
    return strlen(from) == 16 && end == from + 16;
}

static bool parse_row(char *line, broad_row *row)
{
    char *fields[FIELDS];
    int64_t threads;
    if (!split_line(line, fields))
        return false;
    copy_name(row->scene, fields[0]);
    copy_name(row->method, fields[1]);
    copy_name(row->simd, fields[2]);
    bool good = parse_integer(fields[3], &threads) && parse_number(fields[4], &row->seconds) &&
                parse_integer(fields[5], &row->pairs) &&
                parse_integer(fields[6], &row->peak_bytes) && parse_hash(fields[7], &row->hash) &&
                parse_integer(fields[8], &row->boxes);
    good = good && threads >= 1 && threads <= TOI_MAX_WORKERS && row->seconds >= 0 &&
           row->seconds < 1e12 && row->pairs >= 0 && row->peak_bytes >= 0 && row->boxes >= 0;
    row->threads = good ? (int)threads : 1;
    return good;
}

static toi_status read_lines(const char *path, FILE *file, broad_rows *rows)
{
    char line[LINE_BYTES];
    toi_status status = TOI_OK;
    for (int number = 1; status == TOI_OK && fgets(line, sizeof line, file); ++number) {
        broad_row row;
        if (number == 1 && strncmp(line, titles, strlen(titles)) != 0)
            return toi_fail(TOI_ERROR_FORMAT, "%s: the first line is not '%s'", path, titles);
        if (number > 1)
            status = parse_row(line, &row) ? add_row(rows, &row)
                                           : toi_fail(TOI_ERROR_FORMAT, "%s:%d: not a row of '%s'",
                                                      path, number, titles);
    }
    return status;
}

static toi_status read_file(const char *path, broad_rows *rows)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return toi_fail(TOI_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    int before = rows->count;
    toi_status status = read_lines(path, file, rows);
    if (status == TOI_OK && ferror(file))
        status = toi_fail(TOI_ERROR_FILE, "%s: cannot read", path);
    if (status == TOI_OK && rows->count == before)
        status = toi_fail(TOI_ERROR_FORMAT, "%s: no rows", path);
    fclose(file);
    return status;
}

toi_status read_rows(const char *list, broad_rows *rows)
{
    toi_status status = TOI_OK;
    while (list && status == TOI_OK) {
        char path[4096];
        size_t length = strcspn(list, ",");
        if (length >= sizeof path)
            return toi_fail(TOI_ERROR_FILE, "%.80s...: the path is too long", list);
        memcpy(path, list, length);
        path[length] = '\0';
        status = read_file(path, rows);
        list = list[length] ? list + length + 1 : NULL;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// What there is

bool same_scene(const broad_row *a, const broad_row *b)
{
    return strcmp(a->scene, b->scene) == 0;
}

bool same_method(const broad_row *a, const broad_row *b)
{
    return strcmp(a->method, b->method) == 0;
}

static bool is_new(const broad_rows *rows, int index, bool by_scene, bool by_method)
{
    const broad_row *row = &rows->data[index];
    for (int i = 0; i < index; ++i)
        if ((!by_scene || same_scene(&rows->data[i], row)) &&
            (!by_method || same_method(&rows->data[i], row)))
            return false;
    return true;
}

bool is_new_scene(const broad_rows *rows, int index)
{
    return is_new(rows, index, true, false);
}

bool is_new_line(const broad_rows *rows, int index)
{
    return is_new(rows, index, true, true);
}

bool is_new_method(const broad_rows *rows, int index)
{
    return is_new(rows, index, false, true);
}

const broad_row *find_row(const broad_rows *rows, const broad_row *scene, const broad_row *method,
                          int threads)
{
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        if (same_scene(row, scene) && same_method(row, method) && row->threads == threads)
            return row;
    }
    return NULL;
}

int list_threads(const broad_rows *rows, int threads[MOST_THREAD_COUNTS])
{
    int count = 0;
    for (int value = 1; value <= TOI_MAX_WORKERS && count < MOST_THREAD_COUNTS; ++value)
        for (int i = 0; i < rows->count; ++i)
            if (rows->data[i].threads == value) {
                threads[count++] = value;
                break;
            }
    return count;
}

bool is_kept(const broad_row *row)
{
    size_t length = strlen(row->method), ending = strlen(KEPT_ENDING);
    return length > ending && strcmp(row->method + length - ending, KEPT_ENDING) == 0;
}

toi_broad_method method_of(const broad_row *row)
{
    char name[BROAD_NAME_BYTES];
    size_t ending = is_kept(row) ? strlen(KEPT_ENDING) : 0;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(row->method) - ending), row->method);
    return toi_broad_find(name);
}

// The first row of the library in the scene, or the first of all where there is none.
static const broad_row *find_reference(const broad_rows *rows, const broad_row *scene)
{
    const broad_row *first = NULL;
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        if (!same_scene(row, scene))
            continue;
        if (method_of(row) != TOI_BROAD_COUNT)
            return row;
        first = first ? first : row;
    }
    return first;
}

bool has_same_pairs(const broad_rows *rows, const broad_row *row)
{
    const broad_row *reference = find_reference(rows, row);
    return row->hash == reference->hash && row->pairs == reference->pairs;
}

int count_wrong_rows(const broad_rows *rows)
{
    int wrong = 0;
    for (int i = 0; i < rows->count; ++i)
        wrong +=
            method_of(&rows->data[i]) != TOI_BROAD_COUNT && !has_same_pairs(rows, &rows->data[i]);
    return wrong;
}

bool is_scaling(const broad_rows *rows)
{
    int scenes = 0;
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        char name[BROAD_NAME_BYTES];
        snprintf(name, sizeof name, "%s-%" PRId64, box_set_name(BOX_SET_UNIFORM), row->boxes);
        if (strcmp(row->scene, name) != 0 || row->boxes == 0)
            return false;
        scenes += is_new_scene(rows, i);
    }
    return scenes > 1;
}
