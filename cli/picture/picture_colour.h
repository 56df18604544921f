// The colours of bodies and of times, written as SVG has them: #rrggbb.

#ifndef TOI_CLI_PICTURE_COLOUR_H
#define TOI_CLI_PICTURE_COLOUR_H

#include <stdio.h>

enum
{
    BODY_COLOURS = 6, // for bodies that move; the colour of this number is for what stands still
};

// `body` from 0 to BODY_COLOURS, `bright` from 0 to 1.
void print_body_colour(FILE *o, int body, double bright);

// From dark violet at t = 0 to light orange at t = 1: ordered by lightness, so that it reads in
// grey, too.
void print_time_colour(FILE *o, double time);

#endif
