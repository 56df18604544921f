// From space to the canvas: a camera with perspective.

#ifndef TOI_CLI_PICTURE_CAMERA_H
#define TOI_CLI_PICTURE_CAMERA_H

#include "picture_vector.h"

#include <stdint.h>

typedef struct camera
{
    vec right;
    vec up;
    vec forward;
    vec eye;
    double near;  // nothing is closer to the eye
    double scale; // from the plane at distance 1 to the canvas
    double shift_x;
    double shift_y;
} camera;

// A place on the canvas, and how far it is from the eye.
typedef struct spot
{
    double x;
    double y;
    double depth;
} spot;

// A part of the canvas, y downwards.
typedef struct rectangle
{
    double x;
    double y;
    double width;
    double height;
} rectangle;

// Looks at the centre of a ball from an azimuth and a height, in degrees; the axis `up` (0, 1 or 2)
// points upwards. Needs fit_camera() before it can project.
camera aim_camera(vec centre, double radius, int up, double azimuth, double elevation);

// Scales and shifts so that all points fill a rectangle.
void fit_camera(camera *c, const vec *points, int64_t count, rectangle box);

spot project_point(const camera *c, vec a);

#endif
