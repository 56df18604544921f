// Points from a csv file: x,y,z a line.

#ifndef TOI_CLI_SDF_POINTS_H
#define TOI_CLI_SDF_POINTS_H

#include "toi/base.h"

typedef struct point_list
{
    double (*at)[3];
    int64_t count;
    int64_t capacity;
    bool titled; // the first line names columns
} point_list;

// Reads lines of x,y,z. A first line that does not begin with a number names the columns; empty
// lines are passed over. What is wrong is TOI_ERROR_FORMAT with FILE:LINE. Free in any case.
toi_status read_points(const char *path, point_list *points);
void free_points(point_list *points);

#endif
