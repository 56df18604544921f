// A table of short texts on standard output, each column as wide as its widest cell. One that is
// wider than a terminal comes in parts, one below the other, so that no line is broken.

#ifndef TOI_CLI_TABLE_H
#define TOI_CLI_TABLE_H

#include "text.h"
#include "toi/base.h"

typedef struct table
{
    int columns;
    int keys;      // the first columns, which every part has
    int64_t count; // of cells, filled line after line
    int64_t capacity;
    text *cells;
    bool failed; // there was no memory for a cell
} table;

// The first `keys` columns say what a line is about.
table start_table(int columns, int keys);

// The next cell of the line, or the first of the next line. Titles are the first line's.
void add_cell(table *t, text cell);

void add_empty_line(table *t);

// Prints and frees. The first column keeps left, the others right.
toi_status print_table(table *t);

#endif
