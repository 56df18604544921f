// The csv files of a folder and of the folders in it, read.

#ifndef TOI_CLI_REPORT_FILES_H
#define TOI_CLI_REPORT_FILES_H

#include "csv.h"

#include <time.h>

// What a file holds, by its columns.
typedef enum report_kind
{
    REPORT_BROAD,   // of 'toi bench broad'
    REPORT_NARROW,  // of 'toi bench narrow'
    REPORT_CCD,     // of 'toi bench ccd'
    REPORT_OVERLAP, // of 'toi bench overlap'
    REPORT_TRACK,   // of 'toi bench track'
    REPORT_UNKNOWN,
    REPORT_KINDS
} report_kind;

const char *report_kind_name(report_kind kind);

typedef struct report_file
{
    report_kind kind;
    csv_file csv;
    char *folder; // below the one that was asked for; "": that one
    char *name;   // of the file, without the folders
    char *scene;  // "cloth-ball" of "narrow-cloth-ball.csv", for files that say it nowhere else
    time_t modified;
} report_file;

typedef struct report_files
{
    report_file *data; // by folder, then by name
    int count;
    int capacity;
} report_files;

// Reads every file whose name ends with .csv; refuses a folder that has none, and a file that is
// no table. On failure `files` is empty.
toi_status read_report_files(const char *folder, report_files *files);
void free_report_files(report_files *files);

int64_t count_rows(const report_files *files, report_kind kind);

#endif
