// The depth buffer: what stands in front at each pixel.

#ifndef TOI_CLI_PICTURE_DEPTH_H
#define TOI_CLI_PICTURE_DEPTH_H

#include "picture_camera.h"
#include "toi/base.h"

#include <stdbool.h>

// Which face is nearest at each pixel, and how far it is.
typedef struct depth_buffer
{
    int width;
    int height;
    float *depth;
    int32_t *face; // -1: none
} depth_buffer;

// Not cleared yet. Free in any case.
toi_status create_depth_buffer(depth_buffer *b, int width, int height);
void free_depth_buffer(depth_buffer *b);

// Nothing anywhere.
void clear_depth_buffer(depth_buffer *b);

// Puts a triangle in where it is the nearest so far. `face` is its number.
void fill_triangle(depth_buffer *b, int32_t face, spot p, spot q, spot r);

// The depth at a place of the canvas; infinite where there is nothing.
double depth_at(const depth_buffer *b, double x, double y);

// Can a spot be seen, when it may lie a little way behind a surface?
bool is_visible(const depth_buffer *b, spot s, double slack);

#endif
