#include "table.h"

#include <stdio.h>
#include <string.h>

table start_table(int columns)
{
    return (table){.columns = columns};
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

static void print_line(const table *t, int64_t line)
{
    for (int i = 0; i < t->columns && !is_empty(t, line); ++i) {
        int width = column_width(t, i);
        printf("%s%*s", i == 0 ? "" : "  ", i == 0 ? -width : width, t->cells[line + i].at);
    }
    putchar('\n');
}

toi_status print_table(table *t)
{
    for (int64_t line = 0; line + t->columns <= t->count && !t->failed; line += t->columns)
        print_line(t, line);
    toi_status status = t->failed ? TOI_ERROR_MEMORY : TOI_OK;
    toi_release(t->cells);
    *t = (table){0};
    return status;
}
