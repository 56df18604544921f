// Strokes of a pen, and letters made of them, for pictures made of pixels.

#ifndef TOI_CLI_PICTURE_LETTERING_H
#define TOI_CLI_PICTURE_LETTERING_H

// How dark a text is: called for every pixel that a stroke covers, `ink` from 0 to 1.
typedef void ink_fn(void *context, int x, int y, double ink);

// Writes letters, digits and common signs, `size` pixels high from the line to the top of an A,
// the line at y, from x on. What has no glyph is a gap. Returns where the text ends.
double draw_text(const char *text, double x, double y, double size, ink_fn *ink, void *context);

// A line `half` a width to either side, with round ends.
void draw_stroke(double x0, double y0, double x1, double y1, double half, ink_fn *ink,
                 void *context);

double text_width(const char *text, double size);

#endif
