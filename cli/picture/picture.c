// Draws a mesh by the painter's algorithm: far faces first. A depth buffer made beforehand says
// which faces can be seen at all, darkens folds, and finds room for the callout.

#include "picture.h"

#include "output.h"
#include "picture_colour.h"
#include "picture_drawing.h"
#include "picture_impacts.h"
#include "picture_legend.h"
#include "picture_lines.h"
#include "picture_mesh.h"
#include "picture_paint.h"
#include "picture_pixels.h"
#include "picture_view.h"
#include "svg_text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static int64_t find_earliest(const picture *p)
{
    int64_t best = -1;
    for (int64_t i = 0; i < p->impact_count; ++i)
        if (best < 0 || p->impacts[i].time < p->impacts[best].time)
            best = i;
    return best;
}

// Brings the largest coordinate to 1.
static double find_shrink(const picture *p)
{
    double largest = 0.0;
    for (int64_t i = 0; i < p->point_count; ++i)
        for (int k = 0; k < 3; ++k) {
            largest = fmax(largest, fabs(p->start[i][k]));
            largest = p->end ? fmax(largest, fabs(p->end[i][k])) : largest;
        }
    return largest > 1e-300 ? 1.0 / largest : 1.0;
}

static bool is_png(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".png") == 0;
}

static toi_status create_drawing(drawing *d, const picture *p)
{
    *d = (drawing){.p = p, .earliest = find_earliest(p), .shrink = find_shrink(p)};
    d->time = p->time >= 0.0 ? p->time : d->earliest >= 0 ? p->impacts[d->earliest].time : 0.0;
    d->time = fmin(1.0, fmax(0.0, d->time));
    size_t points = (size_t)p->point_count;
    size_t faces = (size_t)p->face_count + 1; // clustering writes one ahead
    d->points = toi_allocate(points * sizeof *d->points);
    d->normals = toi_allocate(points * sizeof *d->normals);
    d->loose = toi_allocate(points * sizeof *d->loose);
    d->faces = toi_allocate(faces * sizeof *d->faces);
    d->colours = toi_allocate(faces * sizeof *d->colours);
    d->seen = toi_allocate(faces * sizeof *d->seen);
    d->strokes = toi_allocate(((size_t)MOST_FACES + 2 * MOST_LOOSE + 2) * sizeof *d->strokes);
    d->marks = toi_allocate((size_t)MARK_COLUMNS * MARK_ROWS * sizeof *d->marks);
    toi_status status = create_depth_buffer(&d->front, PAGE_WIDTH, PAGE_HEIGHT);
    bool all = d->points && d->normals && d->loose && d->faces && d->colours && d->seen &&
               d->strokes && d->marks;
    return all ? status : TOI_ERROR_MEMORY;
}

static void free_drawing(drawing *d)
{
    toi_release(d->points);
    toi_release(d->normals);
    toi_release(d->loose);
    toi_release(d->faces);
    toi_release(d->colours);
    toi_release(d->seen);
    toi_release(d->strokes);
    toi_release(d->marks);
    free_depth_buffer(&d->front);
}

// The style sheet. Big faces show their `sides`.
static void print_styles(FILE *o, const picture *p, bool sides)
{
    fprintf(o, "<style>text{font-family:'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;"
               "fill:#333a45}path{stroke-width:.6;stroke-linejoin:round}"
               ".l{fill:none;stroke:#3d4654;stroke-width:1.3;stroke-linecap:round}"
               ".h{fill:none;stroke:#5b2a6e;stroke-opacity:.7}.s{stroke:#fff;stroke-width:.8}.m{"
               "fill:none;stroke-width:2.2}\n");
    print_shade_styles(o, p, sides);
    print_line_styles(o, p);
    fprintf(o, "</style>\n");
}

static void print_header(FILE *o, const drawing *d)
{
    fprintf(o,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'>\n",
            PAGE_WIDTH, PAGE_HEIGHT, PAGE_WIDTH, PAGE_HEIGHT);
    print_styles(o, d->p, d->visible < SIDES_SHOWN);
    fprintf(o, "<defs><linearGradient id='sky' x2='0' y2='1'><stop stop-color='#fdfdfb'/>"
               "<stop offset='1' stop-color='#e9edf1'/></linearGradient>"
               "<marker id='tip' viewBox='0 0 8 8' refX='4' refY='4' markerWidth='5' "
               "markerHeight='5' orient='auto'><path d='M0 0L8 4L0 8z' fill='#a4123f'/></marker>"
               "<linearGradient id='time'>");
    for (int i = 0; i <= 6; ++i) {
        fprintf(o, "<stop offset='%.3f' stop-color='", i / 6.0);
        print_time_colour(o, i / 6.0);
        fprintf(o, "'/>");
    }
    fprintf(o, "</linearGradient></defs>\n<rect width='%d' height='%d' fill='url(#sky)'/>\n",
            PAGE_WIDTH, PAGE_HEIGHT);
}

// A line of text in a size that fits the page.
static void print_line(FILE *o, const char *text, int y, double size, const char *style)
{
    double letters = (double)strlen(text);
    size = fmin(size, 1.8 * (PAGE_WIDTH - 2 * PAGE_MARGIN) / fmax(letters, 1.0));
    fprintf(o, "<text x='%d' y='%d' font-size='%.1f' style='%s'>", PAGE_MARGIN, y, size, style);
    print_svg_text(o, text);
    fprintf(o, "</text>\n");
}

static toi_status write_picture(const char *path, drawing *d)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    FILE *o = output.file;
    print_header(o, d);
    print_line(o, d->p->title ? d->p->title : "", 54, 30.0, "font-weight:bold");
    print_line(o, d->p->subtitle ? d->p->subtitle : "", 84, 17.0, "fill:#667080");
    print_mesh(o, d);
    print_lines(o, d);
    print_impacts(o, d);
    explain_marks(o, d);
    fprintf(o, "</svg>\n");
    return toi_close_output(&output);
}

toi_status draw_picture(const char *path, const struct picture *p)
{
    drawing d;
    toi_status status = create_drawing(&d, p);
    d.mosaic = is_png(path);
    if (status == TOI_OK) {
        place_points(&d);
        measure_mesh(&d);
        find_loose_points(&d);
        status = compose_view(&d);
    }
    if (status == TOI_OK)
        status = is_png(path) ? write_pixels(path, &d) : write_picture(path, &d);
    free_drawing(&d);
    return status;
}
