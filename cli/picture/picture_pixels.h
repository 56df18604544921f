// The drawing as a PNG file, pixel by pixel: no face is too small to be seen.

#ifndef TOI_CLI_PICTURE_PIXELS_H
#define TOI_CLI_PICTURE_PIXELS_H

#include "picture_drawing.h"

// Writes faces, lines, title and legend. The view is chosen, and no face is joined with others.
toi_status write_pixels(const char *path, drawing *d);

#endif
