// A file of comma-separated values in memory: a line of column names, then a line a row.
//
// There is no quoting: every comma separates, a quotation mark is a letter like any other. Columns
// are found by name, so files with more of them, fewer or in another order can be read alike. The
// files are the user's: any bytes may come, and what cannot be read is refused with file and line.

#ifndef TOI_CLI_CSV_H
#define TOI_CLI_CSV_H

#include "toi/base.h"

typedef struct csv_file
{
    int64_t rows; // without the names
    int columns;
    char *path;
    char *bytes;        // the whole file; a zero ends each cell
    const char **cells; // the names, then row after row
    int64_t *lines;     // of the file, from 1: where each row stands
} csv_file;

// Reads the whole file. Empty lines are passed over. Refused are: no names, a name that comes
// twice, a row with more or fewer cells than there are names, a zero byte. On failure `file` is
// empty; free_csv() is harmless then.
toi_status read_csv(const char *path, csv_file *file);
void free_csv(csv_file *file);

// The column of that name; -1: there is none.
int find_column(const csv_file *file, const char *name);

const char *column_name(const csv_file *file, int column);

// The cell, never NULL; "" where the column is -1, so that a column that is not there reads like
// one that is empty.
const char *csv_cell(const csv_file *file, int64_t row, int column);
const char *csv_named_cell(const csv_file *file, int64_t row, const char *name);

// Fails with "FILE:LINE: what" (TOI_ERROR_FORMAT), for a cell that makes no sense.
toi_status fail_at_row(const csv_file *file, int64_t row, const char *what);

#endif
