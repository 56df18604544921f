// Panels side by side in rows, with a title and captions, as one PNG file.

#ifndef TOI_CLI_PICTURE_STRIP_H
#define TOI_CLI_PICTURE_STRIP_H

#include "render.h"

typedef struct strip
{
    int rows;
    int columns;
    int panel_width;
    int panel_height;
    image page;
} strip;

enum
{
    STRIP_FINENESS = 2 // pixels of a panel's image are so many across one of the page
};

// An empty page with a title. Free in any case.
toi_status start_strip(strip *s, int rows, int columns, int panel_width, int panel_height,
                       const char *title);
void free_strip(strip *s);

// Puts an image of STRIP_FINENESS times the panel's size in its place, a caption below it; `warn`
// writes that in red.
void put_panel(strip *s, int row, int column, const image *panel, const char *caption, bool warn);

toi_status write_strip(const strip *s, const char *path);

#endif
