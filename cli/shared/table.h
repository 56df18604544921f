// A table of short texts on standard output, each column as wide as its widest cell.

#ifndef TOI_CLI_TABLE_H
#define TOI_CLI_TABLE_H

#include "text.h"
#include "toi/base.h"

typedef struct table
{
    int columns;
    int64_t count; // of cells, filled line after line
    int64_t capacity;
    text *cells;
    bool failed; // there was no memory for a cell
} table;

table start_table(int columns);

// The next cell of the line, or the first of the next line. Titles are the first line's.
void add_cell(table *t, text cell);

void add_empty_line(table *t);

// Prints and frees. The first column keeps left, the others right.
toi_status print_table(table *t);

#endif
