// Reads points from a csv file line by line.

#include "sdf_points.h"

#include "text.h"
#include "toi/io.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static toi_status add_point(point_list *points, const double point[3])
{
    if (points->count == points->capacity) {
        int64_t capacity = points->capacity > 0 ? 2 * points->capacity : 1024;
        double(*larger)[3] = toi_allocate((size_t)capacity * sizeof *larger);
        if (!larger)
            return TOI_ERROR_MEMORY;
        if (points->count > 0)
            memcpy(larger, points->at, (size_t)points->count * sizeof *larger);
        toi_release(points->at);
        points->at = larger;
        points->capacity = capacity;
    }
    memcpy(points->at[points->count++], point, 3 * sizeof *point);
    return TOI_OK;
}

// Does a line name columns? A number never begins with a letter, but for "inf" and "nan", which are
// no coordinates either; quotation marks are not read.
static bool names_columns(const char *line)
{
    return isalpha((unsigned char)*line) || *line == '"' || *line == '#';
}

static toi_status read_line(const char *path, char *line, int64_t number, point_list *points)
{
    double point[3];
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line)
        return TOI_OK;
    if (number == 1 && names_columns(line)) {
        points->titled = true;
        return TOI_OK;
    }
    if (!parse_vector(line, point))
        return toi_fail(TOI_ERROR_FORMAT, "%s:%lld: '%.40s' is not x,y,z, three finite numbers",
                        path, (long long)number, line);
    return add_point(points, point);
}

toi_status read_points(const char *path, point_list *points)
{
    *points = (point_list){0};
    FILE *file = fopen(path, "r");
    if (!file)
        return toi_fail_file(path, "open", errno);
    char *line = NULL;
    size_t capacity = 0;
    toi_status status = TOI_OK;
    for (int64_t number = 1; status == TOI_OK && getline(&line, &capacity, file) >= 0; ++number)
        status = read_line(path, line, number, points);
    if (status == TOI_OK && ferror(file))
        status = toi_fail_file(path, "read", errno);
    free(line);
    fclose(file);
    return status;
}

void free_points(point_list *points)
{
    toi_release(points->at);
    *points = (point_list){0};
}
