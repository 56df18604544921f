// Strips: panels made smaller, captions, and the file.

#include "strip.h"

#include "lettering.h"
#include "png.h"

enum
{
    MARGIN = 6,
    TITLE = 30,
    CAPTION = 22,
};

static const colour PAPER = {1.0f, 1.0f, 1.0f};
static const colour INK = {0.16f, 0.18f, 0.22f};
static const colour WARNING = {0.78f, 0.08f, 0.10f};

typedef struct pen
{
    image *page;
    colour ink;
} pen;

static void put_ink(void *context, int x, int y, double ink)
{
    pen *p = context;
    if (x < 0 || y < 0 || x >= p->page->width || y >= p->page->height)
        return;
    colour *c = &p->page->pixels[y * p->page->width + x];
    float s = (float)ink;
    c->red += s * (p->ink.red - c->red);
    c->green += s * (p->ink.green - c->green);
    c->blue += s * (p->ink.blue - c->blue);
}

toi_status start_strip(strip *s, int rows, int columns, int panel_width, int panel_height,
                       const char *title)
{
    *s = (strip){
        .rows = rows, .columns = columns, .panel_width = panel_width, .panel_height = panel_height};
    int width = columns * (panel_width + MARGIN) + MARGIN;
    int height = TITLE + rows * (panel_height + CAPTION) + MARGIN;
    toi_status status = create_image(&s->page, width, height);
    for (int i = 0; i < width * height && status == TOI_OK; ++i)
        s->page.pixels[i] = PAPER;
    pen p = {&s->page, INK};
    if (status == TOI_OK)
        draw_text(title, MARGIN + 2, TITLE - 10, 11.0, put_ink, &p);
    return status;
}

void free_strip(strip *s)
{
    free_image(&s->page);
}

// The mean of the pixels that become one.
static colour smaller(const image *im, int x, int y)
{
    colour sum = {0};
    for (int i = 0; i < STRIP_FINENESS * STRIP_FINENESS; ++i) {
        int at = (STRIP_FINENESS * y + i / STRIP_FINENESS) * im->width + STRIP_FINENESS * x +
                 i % STRIP_FINENESS;
        sum.red += im->pixels[at].red;
        sum.green += im->pixels[at].green;
        sum.blue += im->pixels[at].blue;
    }
    float share = 1.0f / (STRIP_FINENESS * STRIP_FINENESS);
    return (colour){share * sum.red, share * sum.green, share * sum.blue};
}

void put_panel(strip *s, int row, int column, const image *panel, const char *caption, bool warn)
{
    int left = MARGIN + column * (s->panel_width + MARGIN);
    int top = TITLE + row * (s->panel_height + CAPTION);
    for (int y = 0; y < s->panel_height; ++y)
        for (int x = 0; x < s->panel_width; ++x)
            s->page.pixels[(top + y) * s->page.width + left + x] = smaller(panel, x, y);
    pen p = {&s->page, warn ? WARNING : INK};
    double width = text_width(caption, 8.0), room = s->panel_width - 4;
    double size = width > room ? 8.0 * room / width : 8.0;
    draw_text(caption, left + 2, top + s->panel_height + CAPTION - 8, size, put_ink, &p);
}

static uint8_t level(float share)
{
    return (uint8_t)clamp_int(255.0 * share + 0.5, 0, 255);
}

toi_status write_strip(const strip *s, const char *path)
{
    size_t count = (size_t)s->page.width * (size_t)s->page.height;
    uint8_t *bytes = toi_allocate(3 * count);
    if (!bytes)
        return TOI_ERROR_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        bytes[3 * i] = level(s->page.pixels[i].red);
        bytes[3 * i + 1] = level(s->page.pixels[i].green);
        bytes[3 * i + 2] = level(s->page.pixels[i].blue);
    }
    toi_status status = write_png(path, bytes, s->page.width, s->page.height);
    toi_release(bytes);
    return status;
}
