// Prints a table whose columns are as wide as their widest cells.

#include "table.h"

#include <stdio.h>
#include <string.h>

enum
{
    LINE_WIDTH = 100,
    GAP = 2 // between columns
};

table start_table(int columns, int keys)
{
    return (table){.columns = columns, .keys = keys};
}

static bool grow(table *t)
{
    int64_t capacity = t->capacity > 0 ? 2 * t->capacity : 16 * t->columns;
    text *cells = toi_allocate((size_t)capacity * sizeof *cells);
    if (!cells)
        return false;
    if (t->count > 0)
        memcpy(cells, t->cells, (size_t)t->count * sizeof *cells);
    toi_release(t->cells);
    t->cells = cells;
    t->capacity = capacity;
    return true;
}

void add_cell(table *t, text cell)
{
    if (t->count == t->capacity && !grow(t))
        t->failed = true;
    else
        t->cells[t->count++] = cell;
}

void add_empty_line(table *t)
{
    for (int i = 0; i < t->columns; ++i)
        add_cell(t, words(""));
}

static int column_width(const table *t, int column)
{
    size_t width = 0;
    for (int64_t i = column; i < t->count; i += t->columns) {
        size_t length = strlen(t->cells[i].at);
        width = length > width ? length : width;
    }
    return (int)width;
}

static bool is_empty(const table *t, int64_t line)
{
    for (int i = 0; i < t->columns; ++i)
        if (t->cells[line + i].at[0])
            return false;
    return true;
}

// The first column that no longer fits behind the keys and those from `first` on. One always does.
static int find_break(const table *t, int first, int limit)
{
    int width = -GAP;
    for (int i = 0; i < t->keys; ++i)
        width += GAP + column_width(t, i);
    int end = first;
    for (; end < t->columns; ++end) {
        width += GAP + column_width(t, end);
        if (width > limit && end > first)
            break;
    }
    return end;
}

static int count_parts(const table *t, int limit)
{
    int parts = 0;
    for (int first = t->keys; first < t->columns; ++parts)
        first = find_break(t, first, limit);
    return parts;
}

// The narrowest lines that need no more parts: so they come out alike.
static int find_limit(const table *t)
{
    int limit = LINE_WIDTH;
    int parts = count_parts(t, limit);
    while (limit > 1 && count_parts(t, limit - 1) == parts)
        --limit;
    return limit;
}

static void print_cell(const table *t, int64_t line, int column)
{
    int width = column_width(t, column);
    printf("%*s%*s", column == 0 ? 0 : GAP, "", column == 0 ? -width : width,
           t->cells[line + column].at);
}

// All lines, but only the keys and the columns from `first` to before `end`.
static void print_part(const table *t, int first, int end)
{
    for (int64_t line = 0; line + t->columns <= t->count; line += t->columns) {
        for (int i = 0; i < end && !is_empty(t, line); ++i)
            if (i < t->keys || i >= first)
                print_cell(t, line, i);
        putchar('\n');
    }
}

toi_status print_table(table *t)
{
    int limit = t->failed ? 0 : find_limit(t);
    for (int first = t->keys, end; first < t->columns && !t->failed; first = end) {
        end = find_break(t, first, limit);
        if (first > t->keys)
            putchar('\n');
        print_part(t, first, end);
    }
    toi_status status = t->failed ? TOI_ERROR_MEMORY : TOI_OK;
    toi_release(t->cells);
    *t = (table){0};
    return status;
}
