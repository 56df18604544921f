// The marks of impacts, and the callout of the earliest.

#ifndef TOI_CLI_PICTURE_IMPACTS_H
#define TOI_CLI_PICTURE_IMPACTS_H

#include "picture_drawing.h"

#include <stdio.h>

// Chooses which impacts get a mark, and paints them. Uses up the faces in the buffer.
void print_impacts(FILE *o, drawing *d);

// The mark of the earliest.
void print_ring(FILE *o, double x, double y);

// Attributes of the arrows: that of the earliest impact, and those of others; and of its gap.
extern const char LONG_ARROW_STYLE[];
extern const char GAP_STYLE[];
extern const char SHORT_ARROW_STYLE[];

#endif
