// The marks of impacts, and the callout of the earliest.

#ifndef TOI_CLI_PICTURE_IMPACTS_H
#define TOI_CLI_PICTURE_IMPACTS_H

#include "picture_drawing.h"

#include <stdio.h>

// Chooses which impacts get a mark, and paints them. Uses up the faces in the buffer.
void print_impacts(FILE *o, drawing *d);

#endif
