// The legend: what every kind of mark means that is in the picture, and of no other.

#ifndef TOI_CLI_PICTURE_LEGEND_H
#define TOI_CLI_PICTURE_LEGEND_H

#include "picture_drawing.h"

#include <stdio.h>

// To be printed last, when it is known what was drawn.
void explain_marks(FILE *o, const drawing *d);

#endif
