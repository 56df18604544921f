// Paints a drawing into pixels, four of them averaged to one, and letters the page.

#include "picture_pixels.h"

#include "lettering.h"
#include "picture_colour.h"
#include "picture_lines.h"
#include "picture_paint.h"
#include "picture_view.h"
#include "png.h"

#include <string.h>

enum
{
    FINENESS = 2 // pixels of the buffer across one of the page
};

typedef struct rgb
{
    double at[3];
} rgb;

static const rgb INK = {{0.20, 0.23, 0.27}};
static const rgb PALE_INK = {{0.40, 0.44, 0.50}};

// The page, and what is drawn on it with now.
typedef struct page
{
    drawing *d;
    double (*pixels)[3]; // PAGE_WIDTH times PAGE_HEIGHT
    rgb colour;
    double strength; // 1: covers what is below
} page;

// ---------------------------------------------------------------------------------------------
// The mesh

static camera finer(camera c)
{
    c.scale *= FINENESS;
    c.shift_x *= FINENESS;
    c.shift_y *= FINENESS;
    return c;
}

static void paper(int y, double colour[3])
{
    static const double TOP[3] = {0.992, 0.992, 0.984}, BOTTOM[3] = {0.914, 0.929, 0.945};
    double share = (double)y / PAGE_HEIGHT;
    for (int k = 0; k < 3; ++k)
        colour[k] = TOP[k] + share * (BOTTOM[k] - TOP[k]);
}

// Is another face right of this pixel, or below?
static bool on_side(const depth_buffer *b, int x, int y)
{
    int at = y * b->width + x;
    return (x + 1 < b->width && b->face[at + 1] != b->face[at]) ||
           (y + 1 < b->height && b->face[at + b->width] != b->face[at]);
}

static void add_fine_pixel(page *p, const depth_buffer *b, const float *bright, int x, int y)
{
    const drawing *d = p->d;
    int32_t face = b->face[y * b->width + x];
    double colour[3];
    double *sum = p->pixels[y / FINENESS * PAGE_WIDTH + x / FINENESS];
    if (face < 0) {
        paper(y / FINENESS, colour);
    } else {
        bool side = d->visible < SIDES_SHOWN && on_side(b, x, y);
        double shaded = bright[face] - (side ? SIDE_SHADE : 0.0);
        shade_colour(face_colour(d->p, d->colours[face]), fmax(0.0, shaded), colour);
    }
    for (int k = 0; k < 3; ++k)
        sum[k] += colour[k] / (FINENESS * FINENESS);
}

static toi_status paint_mesh(page *p)
{
    drawing *d = p->d;
    depth_buffer b;
    toi_status status = create_depth_buffer(&b, FINENESS * PAGE_WIDTH, FINENESS * PAGE_HEIGHT);
    float *bright = toi_allocate((size_t)(d->face_count + 1) * sizeof *bright);
    if (status == TOI_OK && bright) {
        camera c = finer(d->view);
        fill_depth_buffer(&b, d, &c);
        for (int64_t i = 0; i < d->face_count; ++i)
            bright[i] = (float)shade(d, d->faces[i]);
        for (int y = 0; y < b.height; ++y)
            for (int x = 0; x < b.width; ++x)
                add_fine_pixel(p, &b, bright, x, y);
    }
    free_depth_buffer(&b);
    status = bright ? status : TOI_ERROR_MEMORY;
    toi_release(bright);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Lines and letters

static void put_ink(void *context, int x, int y, double ink)
{
    page *p = context;
    if (x < 0 || y < 0 || x >= PAGE_WIDTH || y >= PAGE_HEIGHT)
        return;
    double *pixel = p->pixels[y * PAGE_WIDTH + x];
    for (int k = 0; k < 3; ++k)
        pixel[k] += p->strength * ink * (p->colour.at[k] - pixel[k]);
}

static void use_colour(page *p, const double colour[3], double strength)
{
    memcpy(p->colour.at, colour, sizeof p->colour.at);
    p->strength = strength;
}

static void paint_piece(void *context, int kind, spot from, spot to, bool open)
{
    page *p = context;
    bool point = from.x == to.x && from.y == to.y;
    double half = point ? 3.0 : open ? 1.0 : 0.5;
    use_colour(p, p->d->p->line_kinds[kind].colour, open ? 1.0 : 0.35);
    draw_stroke(from.x - 0.5, from.y - 0.5, to.x - 0.5, to.y - 0.5, half, put_ink, p);
}

// In a size that fits between the margins.
static double write_words(page *p, const char *words, double x, double y, double size, rgb colour)
{
    double width = text_width(words, size), room = PAGE_WIDTH - PAGE_MARGIN - x;
    use_colour(p, colour.at, 1.0);
    return draw_text(words, x, y, width > room ? size * room / width : size, put_ink, p);
}

// A short line or a square of that colour, and what it means. Goes on in the next row where there
// is no room.
static void explain(page *p, const picture_kind *kind, bool line, double *x, double *y)
{
    double width = 30.0 + text_width(kind->name, 9.0);
    if (*x > PAGE_MARGIN && *x + width > PAGE_WIDTH - PAGE_MARGIN) {
        *x = PAGE_MARGIN;
        *y += 24.0;
    }
    double colour[3];
    memcpy(colour, kind->colour, sizeof colour);
    if (!line)
        shade_colour(kind->colour, 0.75, colour);
    use_colour(p, colour, 1.0);
    draw_stroke(*x + 6.0, *y, *x + (line ? 20.0 : 10.0), *y, line ? 1.2 : 6.0, put_ink, p);
    *x = write_words(p, kind->name, *x + 28.0, *y + 5.0, 9.0, INK) + 22.0;
}

static void write_legend(page *p)
{
    const picture *q = p->d->p;
    double x = PAGE_MARGIN, y = PAGE_HEIGHT - PAGE_BOTTOM + 34.0;
    bool shown[MOST_KINDS];
    find_line_kinds(p->d, shown);
    for (int i = 0; i < q->line_kind_count; ++i)
        if (shown[i])
            explain(p, &q->line_kinds[i], true, &x, &y);
    find_shown_colours(p->d, shown);
    for (int i = 0; i < q->kind_count && q->face_kinds; ++i)
        if (shown[i])
            explain(p, &q->kinds[i], false, &x, &y);
    x = PAGE_MARGIN;
    if (p->d->hidden_lines)
        x = write_words(p, "Lines behind a surface are pale. ", x, y + 29.0, 8.0, PALE_INK);
    if (p->d->some_lines)
        write_words(p, "Of many lines some are drawn.", x, y + 29.0, 8.0, PALE_INK);
}

// ---------------------------------------------------------------------------------------------
// The file

static uint8_t level(double share)
{
    return (uint8_t)clamp_int(255.0 * share + 0.5, 0, 255);
}

static toi_status write_page(const char *path, const page *p)
{
    size_t count = (size_t)PAGE_WIDTH * PAGE_HEIGHT;
    uint8_t *bytes = toi_allocate(3 * count);
    if (!bytes)
        return TOI_ERROR_MEMORY;
    for (size_t i = 0; i < 3 * count; ++i)
        bytes[i] = level(p->pixels[i / 3][i % 3]);
    toi_status status = write_png(path, bytes, PAGE_WIDTH, PAGE_HEIGHT);
    toi_release(bytes);
    return status;
}

toi_status write_pixels(const char *path, drawing *d)
{
    size_t bytes = (size_t)PAGE_WIDTH * PAGE_HEIGHT * sizeof(double[3]);
    page p = {.d = d, .pixels = toi_allocate(bytes)};
    if (!p.pixels)
        return TOI_ERROR_MEMORY;
    memset(p.pixels, 0, bytes);
    toi_status status = paint_mesh(&p);
    if (status == TOI_OK) {
        visit_lines(d, paint_piece, &p);
        write_words(&p, d->p->title ? d->p->title : "", PAGE_MARGIN, 54, 19.0, INK);
        write_words(&p, d->p->subtitle ? d->p->subtitle : "", PAGE_MARGIN, 84, 11.0, PALE_INK);
        write_legend(&p);
        status = write_page(path, &p);
    }
    toi_release(p.pixels);
    return status;
}
