// Lines on the mesh: where they are on the canvas, and which parts of them can be seen.

#ifndef TOI_CLI_PICTURE_LINES_H
#define TOI_CLI_PICTURE_LINES_H

#include "picture_drawing.h"

#include <stdio.h>

// Takes a piece of a line of one kind, all of it in sight or none. A point has both ends the same.
typedef void line_piece_fn(void *context, int kind, spot from, spot to, bool open);

// Cuts the lines where they go behind a surface. Of too many only some are shown, the same ones
// each time. Hidden pieces come first. Notes both for the legend.
void visit_lines(drawing *d, line_piece_fn *piece, void *context);

// Which kinds are among the lines.
void find_line_kinds(const drawing *d, bool shown[MOST_KINDS]);

// As SVG: their styles, and all of them.
void print_line_styles(FILE *o, const picture *p);
void print_lines(FILE *o, drawing *d);

#endif
