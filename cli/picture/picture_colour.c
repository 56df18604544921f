// Prints the colours of bodies and of times.

#include "picture_colour.h"

#include "picture_vector.h"

// Surfaces in light, muted colours that people with any colour vision can tell apart, so that the
// dark marks of impacts stand out. The last is that of what stands still.
static const double COLOURS[BODY_COLOURS + 1][3] = {
    {0.47, 0.67, 0.85}, {0.93, 0.76, 0.44}, {0.50, 0.78, 0.68}, {0.88, 0.62, 0.56},
    {0.71, 0.65, 0.84}, {0.74, 0.77, 0.52}, {0.80, 0.79, 0.77},
};

void print_rgb(FILE *o, const double colour[3])
{
    int value[3];
    for (int k = 0; k < 3; ++k)
        value[k] = clamp_int(255.0 * colour[k] + 0.5, 0, 255);
    fprintf(o, "#%02x%02x%02x", value[0], value[1], value[2]);
}

const double *body_colour(int body)
{
    return COLOURS[body];
}

void shade_colour(const double colour[3], double bright, double shaded[3])
{
    for (int k = 0; k < 3; ++k) {
        // Shadows lean to blue, lights to white: a pure multiple looks dirty.
        double shadow = colour[k] * (0.25 + 0.12 * k);
        double lit = 0.35 * colour[k] + 0.65;
        shaded[k] = bright < 0.75 ? shadow + (colour[k] - shadow) * bright / 0.75
                                  : colour[k] + (lit - colour[k]) * (bright - 0.75) / 0.25;
    }
}

void print_time_colour(FILE *o, double time)
{
    static const double SCALE[4][3] = {
        {0.24, 0.06, 0.44}, {0.64, 0.13, 0.49}, {0.93, 0.35, 0.37}, {1.0, 0.73, 0.45}};
    double at = 3.0 * fmin(1.0, fmax(0.0, time));
    int cell = at < 2.0 ? (int)at : 2;
    double mixed[3];
    for (int k = 0; k < 3; ++k)
        mixed[k] = SCALE[cell][k] + (at - cell) * (SCALE[cell + 1][k] - SCALE[cell][k]);
    print_rgb(o, mixed);
}
