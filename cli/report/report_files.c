// Finds and reads the csv files of a folder and of the folders in it.

#include "report_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum
{
    MOST_FILES = 4096
};

const char *report_kind_name(report_kind kind)
{
    static const char *const names[REPORT_KINDS] = {"broad",   "narrow", "ccd",
                                                    "overlap", "track",  "unknown"};
    return names[kind];
}

// ---------------------------------------------------------------------------------------------
// One file

static report_kind kind_of(const csv_file *csv)
{
    bool named = find_column(csv, "method") >= 0 && find_column(csv, "threads") >= 0;
    if (named && find_column(csv, "ns_per_query") >= 0)
        return REPORT_NARROW;
    if (named && find_column(csv, "motion") >= 0 && find_column(csv, "mean_seconds") >= 0)
        return REPORT_TRACK;
    if (find_column(csv, "scene") < 0 || find_column(csv, "seconds") < 0)
        return REPORT_UNKNOWN;
    if (find_column(csv, "seconds_narrow") >= 0 && find_column(csv, "candidates_vf") >= 0)
        return REPORT_CCD;
    if (named && find_column(csv, "faces") >= 0 && find_column(csv, "calls") >= 0)
        return REPORT_OVERLAP;
    if (named && find_column(csv, "boxes") >= 0 && find_column(csv, "pairs") >= 0)
        return REPORT_BROAD;
    return REPORT_UNKNOWN;
}

static char *copy_text(const char *from, size_t length)
{
    char *copy = toi_allocate(length + 1);
    if (copy) {
        memcpy(copy, from, length);
        copy[length] = '\0';
    }
    return copy;
}

static char *scene_of(const char *name)
{
    static const char prefix[] = "narrow-";
    size_t length = strlen(name) - strlen(".csv");
    size_t start = strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    start = start < length ? start : 0;
    return copy_text(name + start, length - start);
}

static bool make_room(report_files *files)
{
    if (files->count < files->capacity)
        return true;
    int capacity = files->capacity > 0 ? 2 * files->capacity : 16;
    report_file *data = toi_allocate((size_t)capacity * sizeof *data);
    if (!data)
        return false;
    if (files->count > 0)
        memcpy(data, files->data, (size_t)files->count * sizeof *data);
    toi_release(files->data);
    files->data = data;
    files->capacity = capacity;
    return true;
}

static toi_status add_file(report_files *files, const char *path, const char *folder,
                           const char *name, time_t modified)
{
    if (files->count == MOST_FILES)
        return toi_fail(TOI_ERROR_LIMIT, "more than %d csv files; point at a smaller folder",
                        MOST_FILES);
    if (!make_room(files))
        return TOI_ERROR_MEMORY;
    report_file *file = &files->data[files->count++];
    *file = (report_file){.folder = copy_text(folder, strlen(folder)),
                          .name = copy_text(name, strlen(name)),
                          .scene = scene_of(name),
                          .modified = modified};
    if (!file->folder || !file->name || !file->scene)
        return TOI_ERROR_MEMORY;
    toi_status status = read_csv(path, &file->csv);
    if (status == TOI_OK)
        file->kind = kind_of(&file->csv);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Folders

static bool is_csv(const char *name)
{
    const char *ending = strrchr(name, '.');
    return name[0] != '.' && ending && strcmp(ending, ".csv") == 0;
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(entries);
}

static toi_status add_folder(report_files *files, const char *path, const char *folder);

// A file is read; a folder is looked into if it is directly in the one that was asked for.
static toi_status add_entry(report_files *files, const char *path, const char *folder,
                            const char *name)
{
    char whole[PATH_MAX];
    struct stat info;
    if (snprintf(whole, sizeof whole, "%s/%s", path, name) >= PATH_MAX)
        return toi_fail(TOI_ERROR_FILE, "%.80s...: the path is too long", path);
    if (name[0] == '.' || stat(whole, &info) != 0)
        return TOI_OK;
    if (S_ISREG(info.st_mode) && is_csv(name))
        return add_file(files, whole, folder, name, info.st_mtime);
    if (S_ISDIR(info.st_mode) && !*folder)
        return add_folder(files, whole, name);
    return TOI_OK;
}

static toi_status fail_folder(const char *path, int error)
{
    if (error == ENOENT)
        return toi_fail(TOI_ERROR_FILE, "%s: there is no such folder", path);
    if (error == ENOTDIR)
        return toi_fail(TOI_ERROR_FILE, "%s: is no folder; give the one that holds the csv files",
                        path);
    return toi_fail(TOI_ERROR_FILE, "%s: cannot open: %s", path, strerror(error));
}

static toi_status add_folder(report_files *files, const char *path, const char *folder)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return fail_folder(path, errno);
    toi_status status = TOI_OK;
    for (int i = 0; i < count && status == TOI_OK; ++i)
        status = add_entry(files, path, folder, entries[i]->d_name);
    free_entries(entries, count);
    return status;
}

toi_status read_report_files(const char *folder, report_files *files)
{
    *files = (report_files){0};
    toi_status status = add_folder(files, folder, "");
    if (status == TOI_OK && files->count == 0)
        status = toi_fail(TOI_ERROR_FILE,
                          "%s: no csv files; 'toi bench broad --csv FILE' writes one, narrow and "
                          "ccd likewise",
                          folder);
    if (status != TOI_OK)
        free_report_files(files);
    return status;
}

void free_report_files(report_files *files)
{
    for (int i = 0; i < files->count; ++i) {
        free_csv(&files->data[i].csv);
        toi_release(files->data[i].folder);
        toi_release(files->data[i].name);
        toi_release(files->data[i].scene);
    }
    toi_release(files->data);
    *files = (report_files){0};
}

int64_t count_rows(const report_files *files, report_kind kind)
{
    int64_t rows = 0;
    for (int i = 0; i < files->count; ++i)
        rows += files->data[i].kind == kind ? files->data[i].csv.rows : 0;
    return rows;
}
