// Text inside an SVG.

#ifndef TOI_CLI_SVG_TEXT_H
#define TOI_CLI_SVG_TEXT_H

#include <stdio.h>

// Writes what stands between <text> and </text>. Titles often are file names, so any bytes may
// come: what is not UTF-8 becomes question marks.
void print_svg_text(FILE *o, const char *text);

#endif
