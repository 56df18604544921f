// The depth buffer: fills triangles, and tells what can be seen.

#include "picture_depth.h"

toi_status create_depth_buffer(depth_buffer *b, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    *b = (depth_buffer){.width = width, .height = height};
    b->depth = toi_allocate(count * sizeof *b->depth);
    b->face = toi_allocate(count * sizeof *b->face);
    return b->depth && b->face ? TOI_OK : TOI_ERROR_MEMORY;
}

void free_depth_buffer(depth_buffer *b)
{
    toi_release(b->depth);
    toi_release(b->face);
}

void clear_depth_buffer(depth_buffer *b)
{
    for (int i = 0; i < b->width * b->height; ++i) {
        b->face[i] = -1;
        b->depth[i] = INFINITY;
    }
}

static double side_of_line(spot a, spot b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

void fill_triangle(depth_buffer *b, int32_t face, spot p, spot q, spot r)
{
    double area = side_of_line(p, q, r.x, r.y);
    if (area == 0.0)
        return;
    int left = clamp_int(floor(fmin(p.x, fmin(q.x, r.x))), 0, b->width);
    int right = clamp_int(ceil(fmax(p.x, fmax(q.x, r.x))), 0, b->width);
    int top = clamp_int(floor(fmin(p.y, fmin(q.y, r.y))), 0, b->height);
    int bottom = clamp_int(ceil(fmax(p.y, fmax(q.y, r.y))), 0, b->height);
    for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
            double u = side_of_line(q, r, x + 0.5, y + 0.5) / area;
            double v = side_of_line(r, p, x + 0.5, y + 0.5) / area;
            double w = 1.0 - u - v;
            if (u < 0.0 || v < 0.0 || w < 0.0)
                continue;
            float depth = (float)(u * p.depth + v * q.depth + w * r.depth);
            int at = y * b->width + x;
            if (b->face[at] < 0 || depth < b->depth[at]) {
                b->face[at] = face;
                b->depth[at] = depth;
            }
        }
    }
}

double depth_at(const depth_buffer *b, double x, double y)
{
    if (!(x >= 0.0 && y >= 0.0 && x < b->width && y < b->height))
        return INFINITY;
    return b->depth[(int)y * b->width + (int)x];
}

bool is_visible(const depth_buffer *b, spot s, double slack)
{
    return s.depth <= depth_at(b, s.x, s.y) + slack;
}
