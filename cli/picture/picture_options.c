// Options of pictures.

#include "picture_options.h"

const char *up_choice(int index)
{
    static const char *const names[] = {"auto", "x", "y", "z"};
    return index < 4 ? names[index] : NULL;
}

int choose_up(int up, bool scene)
{
    return up > 0 ? up - 1 : scene ? 2 : 1;
}

const option picture_options[] = {
    {.name = "picture",
     .type = OPTION_FILE,
     .offset = offsetof(picture_choice, path),
     .argument = "FILE.svg|png",
     .help = "draw the mesh; a name that ends in .png gives pixels, any other an SVG"},
    {.name = "up",
     .type = OPTION_CHOICE,
     .offset = offsetof(picture_choice, up),
     .argument = "AXIS",
     .help = "what points upwards in the picture: x, y, z, or auto: z of scenes, y of files",
     .choice = up_choice},
    {0}};
