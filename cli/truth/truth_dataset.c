// Finds the files of a dataset, in any of the layouts that are known.

#include "truth_dataset.h"

#include "toi/io.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *format_choice(int index)
{
    static const char *const names[] = {[FORMAT_BINARY] = "binary",
                                        [FORMAT_BOXES] = "boxes",
                                        [FORMAT_BOOLEANS] = "booleans",
                                        [FORMAT_QUERIES] = "queries",
                                        [FORMAT_TIMES] = "times"};
    return index < FORMAT_COUNT ? names[index] : NULL;
}

bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// ---------------------------------------------------------------------------------------------
// Names

static toi_status write_path(char path[PATH_MAX], const char *format, ...) TOI_PRINTF(2, 3);

static toi_status write_path(char path[PATH_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, PATH_MAX, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_MAX)
        return toi_fail(TOI_ERROR_FILE, "%.200s...: the name is too long", path);
    return TOI_OK;
}

static toi_status name_in_steps(const char *folder, int64_t step, truth_format format,
                                const char *kind, char path[PATH_MAX])
{
    switch (format) {
    case FORMAT_BINARY:
        return write_path(path, "%s/truth/%" PRId64 ".truth", folder, step);
    case FORMAT_BOXES:
        return write_path(path, "%s/boxes/%" PRId64 "%s.json", folder, step, kind);
    case FORMAT_BOOLEANS:
        return write_path(path, "%s/mma_bool/%" PRId64 "%s_mma_bool.json", folder, step, kind);
    case FORMAT_QUERIES:
        return write_path(path, "%s/queries/%" PRId64 "%s.csv", folder, step, kind);
    default:
        return write_path(path, "%s/times/%" PRId64 "%s.csv", folder, step, kind);
    }
}

static toi_status name_in_flat(const char *folder, truth_format format, const char *kind,
                               char path[PATH_MAX])
{
    switch (format) {
    case FORMAT_BOXES:
        return write_path(path, "%s/pairs_%s.json", folder, kind);
    case FORMAT_BOOLEANS:
        return write_path(path, "%s/truth_%s.json", folder, kind);
    case FORMAT_TIMES:
        return write_path(path, "%s/times_%s.csv", folder, kind);
    default:
        path[0] = '\0';
        return TOI_OK;
    }
}

toi_status name_truth_file(const char *folder, truth_layout layout, int64_t step,
                           truth_format format, toi_kind kind, char path[PATH_MAX])
{
    if (layout == LAYOUT_STEPS)
        return name_in_steps(folder, step, format, toi_kind_name(kind), path);
    if (layout == LAYOUT_FLAT)
        return name_in_flat(folder, format, toi_kind_name(kind), path);
    return write_path(path, "%s", format == FORMAT_BINARY ? folder : "");
}

toi_status name_frame_file(const char *folder, int64_t number, char path[PATH_MAX])
{
    return write_path(path, "%s/frames/%" PRId64 ".ply", folder, number);
}

// ---------------------------------------------------------------------------------------------
// Folders

// Numbers in names count as numbers: 9 comes before 10.
static int natural_order(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            unsigned long long number_a = strtoull(a, &end_a, 10);
            unsigned long long number_b = strtoull(b, &end_b, 10);
            if (number_a != number_b)
                return number_a < number_b ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a++ != *b++) {
            return (unsigned char)a[-1] < (unsigned char)b[-1] ? -1 : 1;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

static int by_natural_order(const struct dirent **a, const struct dirent **b)
{
    int order = natural_order((*a)->d_name, (*b)->d_name);
    return order ? order : strcmp((*a)->d_name, (*b)->d_name);
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; ++i)
        free(names[i]);
    free(names);
}

// What is in a folder, in natural order; nothing where there is no such folder.
static toi_status list_folder(const char *folder, const char *inside, struct dirent ***names,
                              int *count)
{
    char path[PATH_MAX];
    *names = NULL;
    *count = 0;
    toi_status status = write_path(path, "%s/%s", folder, inside);
    if (status != TOI_OK)
        return status;
    int found = scandir(path, names, NULL, by_natural_order);
    if (found < 0 && errno != ENOENT)
        return toi_fail_file(path, "read", errno);
    *count = found < 0 ? 0 : found;
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Frames

static bool is_frame(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".ply") == 0;
}

// The last number in a name, -1 where it has none: "cloth_ball92.ply" is frame 92.
static int64_t last_number(const char *name)
{
    const char *end = name + strlen(name) - strlen(".ply");
    while (end > name && !isdigit((unsigned char)end[-1]))
        --end;
    const char *digits = end;
    while (digits > name && isdigit((unsigned char)digits[-1]))
        --digits;
    if (digits == end || end - digits > 18)
        return -1;
    return strtoll(digits, NULL, 10);
}

// Frames whose names do not tell them apart are counted from 0.
static void number_frames(dataset *d)
{
    bool told_apart = true;
    for (int64_t i = 0; i < d->frame_count; ++i) {
        d->frames[i].number = last_number(d->frames[i].name);
        told_apart = told_apart && d->frames[i].number >= 0;
        for (int64_t j = 0; j < i; ++j)
            told_apart = told_apart && d->frames[j].number != d->frames[i].number;
    }
    for (int64_t i = 0; i < d->frame_count && !told_apart; ++i)
        d->frames[i].number = i;
}

static toi_status list_frames(dataset *d)
{
    struct dirent **names;
    int count;
    toi_status status = list_folder(d->path, "frames", &names, &count);
    if (status != TOI_OK)
        return status;
    d->frames = toi_allocate((size_t)count * sizeof *d->frames);
    if (!d->frames)
        status = TOI_ERROR_MEMORY;
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        if (!is_frame(names[i]->d_name))
            continue;
        size_t size = strlen(names[i]->d_name) + 1;
        char *copy = toi_allocate(size);
        if (copy)
            d->frames[d->frame_count++].name = memcpy(copy, names[i]->d_name, size);
        else
            status = TOI_ERROR_MEMORY;
    }
    free_names(names, count);
    number_frames(d);
    return status;
}

toi_status find_step_frames(const dataset *d, int64_t step, char start[PATH_MAX],
                            char end[PATH_MAX])
{
    start[0] = end[0] = '\0';
    if (d->layout == LAYOUT_FLAT) {
        toi_status status = write_path(start, "%s/start.ply", d->path);
        return status == TOI_OK ? write_path(end, "%s/end.ply", d->path) : status;
    }
    const frame_name *first = NULL, *next = NULL;
    for (int64_t i = 0; i < d->frame_count; ++i) {
        const frame_name *frame = &d->frames[i];
        if (frame->number == step)
            first = frame;
        if (frame->number > step && (!next || frame->number < next->number))
            next = frame;
    }
    if (d->frame_count == 0)
        return TOI_OK;
    if (!first || !next)
        return toi_fail(TOI_ERROR_FILE,
                        "%s/frames: there is no frame %" PRId64 "%s for the step of that number",
                        d->path, step, first ? " or later after it" : "");
    toi_status status = write_path(start, "%s/frames/%s", d->path, first->name);
    return status == TOI_OK ? write_path(end, "%s/frames/%s", d->path, next->name) : status;
}

// ---------------------------------------------------------------------------------------------
// Steps

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The step that a file of a format belongs to; -1 where its name is none of that format.
static int64_t step_of_file(const char *name, truth_format format)
{
    char *end;
    long long step = strtoll(name, &end, 10);
    for (int kind = 0; kind < TOI_PAIR_KINDS && isdigit((unsigned char)*name); ++kind) {
        char path[PATH_MAX];
        if (name_in_steps("", step, format, toi_kind_name((toi_kind)kind), path) == TOI_OK &&
            strcmp(strrchr(path, '/') + 1, name) == 0)
            return step;
    }
    return -1;
}

static toi_status add_steps(dataset *d, truth_format format)
{
    static const char *const folders[FORMAT_COUNT] = {[FORMAT_BINARY] = "truth",
                                                      [FORMAT_BOXES] = "boxes",
                                                      [FORMAT_BOOLEANS] = "mma_bool",
                                                      [FORMAT_QUERIES] = "queries",
                                                      [FORMAT_TIMES] = "times"};
    struct dirent **names;
    int count;
    toi_status status = list_folder(d->path, folders[format], &names, &count);
    if (status != TOI_OK)
        return status;
    int64_t *steps = toi_allocate((size_t)(d->step_count + count) * sizeof *steps);
    if (!steps) {
        free_names(names, count);
        return TOI_ERROR_MEMORY;
    }
    if (d->step_count > 0)
        memcpy(steps, d->steps, (size_t)d->step_count * sizeof *steps);
    toi_release(d->steps);
    d->steps = steps;
    for (int i = 0; i < count; ++i) {
        int64_t step = step_of_file(names[i]->d_name, format);
        if (step >= 0)
            steps[d->step_count++] = step;
    }
    free_names(names, count);
    return TOI_OK;
}

static toi_status list_steps(dataset *d)
{
    toi_status status = TOI_OK;
    for (int format = 0; format < FORMAT_COUNT && status == TOI_OK; ++format)
        status = add_steps(d, (truth_format)format);
    if (d->step_count == 0)
        return status;
    qsort(d->steps, (size_t)d->step_count, sizeof *d->steps, by_number);
    int64_t kept = 1;
    for (int64_t i = 1; i < d->step_count; ++i)
        if (d->steps[i] != d->steps[kept - 1])
            d->steps[kept++] = d->steps[i];
    d->step_count = kept;
    return status;
}

static toi_status take_single_step(dataset *d, truth_layout layout)
{
    d->layout = layout;
    d->steps = toi_allocate(sizeof *d->steps);
    if (!d->steps)
        return TOI_ERROR_MEMORY;
    d->steps[d->step_count++] = 0;
    return TOI_OK;
}

toi_status open_dataset(const char *path, dataset *d)
{
    *d = (dataset){.path = path};
    if (is_file(path))
        return take_single_step(d, LAYOUT_FILE);
    char start[PATH_MAX];
    toi_status status = write_path(start, "%s/start.ply", path);
    if (status == TOI_OK && is_file(start))
        return take_single_step(d, LAYOUT_FLAT);
    if (status == TOI_OK)
        status = list_frames(d);
    if (status == TOI_OK)
        status = list_steps(d);
    if (status == TOI_OK && d->step_count == 0)
        status = toi_fail(TOI_ERROR_FILE,
                          "%s: there is no truth: neither a truth file nor a folder with start.ply "
                          "and end.ply or with truth/K.truth, boxes/Kvf.json and so on",
                          path);
    return status;
}

void free_dataset(dataset *d)
{
    for (int64_t i = 0; i < d->frame_count; ++i)
        toi_release(d->frames[i].name);
    toi_release(d->frames);
    toi_release(d->steps);
    *d = (dataset){0};
}
