// The colours of bodies and of times; written, they are as SVG has them: #rrggbb.

#ifndef TOI_CLI_PICTURE_COLOUR_H
#define TOI_CLI_PICTURE_COLOUR_H

#include <stdio.h>

enum
{
    BODY_COLOURS = 6, // for bodies that move; the colour of this number is for what stands still
};

// `body` from 0 to BODY_COLOURS.
const double *body_colour(int body);

// A colour in light or in shadow, `bright` from 0 to 1.
void shade_colour(const double colour[3], double bright, double shaded[3]);

void print_rgb(FILE *o, const double colour[3]);

// From dark violet at t = 0 to light orange at t = 1: ordered by lightness, so that it reads in
// grey, too.
void print_time_colour(FILE *o, double time);

#endif
