// Projects points to the canvas with perspective, and fits the camera to a mesh.

#include "picture_camera.h"

spot project_point(const camera *c, vec a)
{
    vec from_eye = minus(a, c->eye);
    double depth = fmax(dot(from_eye, c->forward), c->near);
    return (spot){c->shift_x + c->scale * dot(from_eye, c->right) / depth,
                  c->shift_y - c->scale * dot(from_eye, c->up) / depth, depth};
}

camera aim_camera(vec centre, double radius, int up, double azimuth, double elevation)
{
    double degree = 3.14159265358979 / 180.0;
    double flat = cos(elevation * degree);
    double view[3] = {flat * cos(azimuth * degree), flat * sin(azimuth * degree),
                      sin(elevation * degree)};
    // Axes are renamed in a cycle, so that the picture is never mirrored.
    double turned[3];
    double top[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k)
        turned[(up + 1 + k) % 3] = view[k];
    top[up] = 1.0;
    vec away = {turned[0], turned[1], turned[2]};
    camera c = {.near = 0.5 * radius};
    c.forward = minus((vec){0.0, 0.0, 0.0}, away);
    c.right = unit(cross(c.forward, (vec){top[0], top[1], top[2]}));
    c.up = cross(c.right, c.forward);
    c.eye = plus(centre, 4.2 * radius, away);
    return c;
}

void fit_camera(camera *c, const vec *points, int64_t count, rectangle box)
{
    double low[2] = {0.0, 0.0};
    double high[2] = {0.0, 0.0};
    c->scale = 1.0;
    c->shift_x = 0.0;
    c->shift_y = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        spot s = project_point(c, points[i]);
        low[0] = i ? fmin(low[0], s.x) : s.x;
        low[1] = i ? fmin(low[1], s.y) : s.y;
        high[0] = i ? fmax(high[0], s.x) : s.x;
        high[1] = i ? fmax(high[1], s.y) : s.y;
    }
    c->scale =
        fmin(box.width / fmax(high[0] - low[0], 1e-9), box.height / fmax(high[1] - low[1], 1e-9));
    c->shift_x = box.x + 0.5 * box.width - 0.5 * c->scale * (low[0] + high[0]);
    c->shift_y = box.y + 0.5 * box.height - 0.5 * c->scale * (low[1] + high[1]);
}
