// Options that every subcommand with a picture has.

#ifndef TOI_CLI_PICTURE_OPTIONS_H
#define TOI_CLI_PICTURE_OPTIONS_H

#include "options.h"

typedef struct picture_choice
{
    const char *path; // NULL: no picture
    int up;           // of up_choice()
} picture_choice;

// Values: a picture_choice.
extern const option picture_options[];

// "auto", "x", "y", "z", NULL.
const char *up_choice(int index);

// The axis that points upwards, 0 to 2: what was chosen, else z of scenes and y of files.
int choose_up(int up, bool scene);

#endif
