// Painting the mesh: far faces first, shaded, those out of sight left out.

#ifndef TOI_CLI_PICTURE_PAINT_H
#define TOI_CLI_PICTURE_PAINT_H

#include "picture_drawing.h"

#include <stdio.h>

enum
{
    SHADES = 40,     // of each colour
    CLEAR_SHADE = 29 // neither in light nor in shadow
};

// How much darker the sides of big faces are.
#define SIDE_SHADE 0.16

// One class a colour and shade: a face then takes few bytes. Big faces show their `sides`; between
// small ones a line of the same colour hides the seams.
void print_shade_styles(FILE *o, const picture *p, bool sides);

// How many colours faces have, and each: those of their kinds, or of bodies.
int count_colours(const picture *p);
const double *face_colour(const picture *p, int index);

// Which of them are in sight.
void find_shown_colours(const drawing *d, bool shown[MOST_KINDS]);

// The brightness of a face, from 0 to 1.
double shade(const drawing *d, const int32_t face[3]);

// Those of great depth first; the order does not depend on how they came.
void sort_strokes(stroke *strokes, int64_t count);

// Faces, loose edges and loose points. A mosaic uses up the faces in the buffer.
void print_mesh(FILE *o, drawing *d);

#endif
