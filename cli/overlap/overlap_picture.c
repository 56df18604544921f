// Makes lines of the figures that faces have in common.

#include "overlap_picture.h"

#include <string.h>

static toi_status grow(line_list *lines)
{
    int64_t capacity = lines->capacity > 0 ? 2 * lines->capacity : 256;
    picture_line *data = toi_allocate((size_t)capacity * sizeof *data);
    if (!data)
        return TOI_ERROR_MEMORY;
    if (lines->count > 0)
        memcpy(data, lines->data, (size_t)lines->count * sizeof *data);
    toi_release(lines->data);
    lines->data = data;
    lines->capacity = capacity;
    return TOI_OK;
}

toi_status add_line(line_list *lines, const double from[3], const double to[3], int32_t kind)
{
    toi_status status = lines->count == lines->capacity ? grow(lines) : TOI_OK;
    if (status != TOI_OK)
        return status;
    picture_line *line = &lines->data[lines->count++];
    memcpy(line->from, from, sizeof line->from);
    memcpy(line->to, to, sizeof line->to);
    line->kind = kind;
    return TOI_OK;
}

static toi_status add_figure(line_list *lines, const toi_overlap_figure *figure, int32_t kind)
{
    toi_status status = TOI_OK;
    int sides = figure->count > 2 ? figure->count : figure->count > 0; // a segment is one side
    for (int i = 0; i < sides && status == TOI_OK; ++i)
        status = add_line(lines, figure->points[i], figure->points[(i + 1) % figure->count], kind);
    return status;
}

toi_status add_figures(line_list *lines, const toi_mesh *mesh, const toi_overlap *pairs,
                       int64_t count, int32_t kind)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < count && status == TOI_OK; ++i) {
        toi_overlap_figure figure;
        status = toi_find_overlap_figure(mesh, pairs[i].a, pairs[i].b, &figure);
        if (status == TOI_OK)
            status = add_figure(lines, &figure, kind);
    }
    return status;
}
