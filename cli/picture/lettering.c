// A pen's font: every glyph is a few lines between points of a grid, two digits a point (column 0
// to 4, row 0 to 8: the line is at row 2, capitals reach row 8), a blank between lines.

#include "lettering.h"

#include "picture_vector.h"

#include <stdbool.h>
#include <string.h>

static const struct
{
    char letter;
    const char *lines;
} GLYPHS[] = {
    {'A', "022842 1434"},
    {'B', "0208 083847463505 3544433202"},
    {'C', "4738180703123243"},
    {'D', "02082847432202"},
    {'E', "48080242 0535"},
    {'F', "480802 0535"},
    {'G', "47381807031232434525"},
    {'H', "0208 4248 0545"},
    {'I', "2228 1232 1838"},
    {'J', "4843321203"},
    {'K', "0208 4804 1542"},
    {'L', "080242"},
    {'M', "0208254842"},
    {'N', "02084248"},
    {'O', "120307183847433212"},
    {'P', "02083847463505"},
    {'Q', "120307183847433212 2442"},
    {'R', "02083847463505 2542"},
    {'S', "473818070615354443321203"},
    {'T', "2228 0848"},
    {'U', "080312324348"},
    {'V', "082248"},
    {'W', "0812263248"},
    {'X', "0248 0842"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
    {'a', "4642 4536160503123243"},
    {'b', "0802 0516364543321203"},
    {'c', "4536160503123243"},
    {'d', "4842 4536160503123243"},
    {'e', "04444536160503123243"},
    {'f', "38281712 0636"},
    {'g', "4641301001 4536160503123243"},
    {'h', "0802 0516364542"},
    {'i', "2226 2828"},
    {'j', "26211000 2828"},
    {'k', "0802 3604 1532"},
    {'l', "2822"},
    {'m', "0206 05162522 25364542"},
    {'n', "0206 0516364542"},
    {'o', "120305163645433212"},
    {'p', "0006 0516364543321203"},
    {'q', "4046 4536160503123243"},
    {'r', "0206 05163646"},
    {'s', "45361605143443321203"},
    {'t', "18132232 0636"},
    {'u', "0603123243 4642"},
    {'v', "062246"},
    {'w', "0612243246"},
    {'x', "0246 0642"},
    {'y', "0622 4610"},
    {'z', "06460242"},
    {'0', "120307183847433212"},
    {'1', "172822 1232"},
    {'2', "07183847460242"},
    {'3', "084825354443321203"},
    {'4', "32380444"},
    {'5', "480805354443321203"},
    {'6', "4738180703123243443505"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "463515060718384743321203"},
    {'.', "2222"},
    {',', "2211"},
    {'_', "0141"},
    {':', "2323 2626"},
    {'-', "0535"},
    {'+', "0545 2327"},
    {'/', "0248"},
    {'=', "0444 0646"},
    {'%', "0248 1717 3333"},
    {'(', "38262432"},
    {')', "18262412"},
};

static const double ADVANCE = 5.6; // columns from a letter to the next

static const char *glyph_of(char letter)
{
    for (int i = 0; i < (int)(sizeof GLYPHS / sizeof *GLYPHS); ++i)
        if (GLYPHS[i].letter == letter)
            return GLYPHS[i].lines;
    return "";
}

double text_width(const char *text, double size)
{
    return (double)strlen(text) * ADVANCE * size / 6;
}

// How far p is from the line between a and b; all in pixels, z unused.
static double line_distance(vec p, vec a, vec b)
{
    vec way = minus(b, a), from = minus(p, a);
    double squared = dot(way, way);
    double share = squared > 0.0 ? fmin(1.0, fmax(0.0, dot(from, way) / squared)) : 0.0;
    vec rest = plus(from, -share, way);
    return sqrt(dot(rest, rest));
}

void draw_stroke(double x0, double y0, double x1, double y1, double half, ink_fn *ink,
                 void *context)
{
    vec a = {x0, y0, 0}, b = {x1, y1, 0};
    int left = (int)floor(fmin(a.x, b.x) - half - 1), right = (int)ceil(fmax(a.x, b.x) + half + 1);
    int top = (int)floor(fmin(a.y, b.y) - half - 1), end = (int)ceil(fmax(a.y, b.y) + half + 1);
    for (int y = top; y <= end; ++y)
        for (int x = left; x <= right; ++x) {
            double over = half + 0.5 - line_distance((vec){x, y, 0}, a, b);
            if (over > 0.0)
                ink(context, x, y, fmin(1.0, over));
        }
}

static void draw_glyph(const char *lines, double x, double y, double unit, ink_fn *ink,
                       void *context)
{
    vec last = {0};
    bool drawing = false;
    for (; lines[0] && lines[1]; ++lines) {
        if (lines[0] == ' ') {
            drawing = false;
            continue;
        }
        vec next = {x + unit * (lines[0] - '0'), y - unit * (lines[1] - '2'), 0};
        if (drawing)
            draw_stroke(last.x, last.y, next.x, next.y, 0.45 * unit, ink, context);
        last = next;
        drawing = true;
        ++lines;
    }
}

double draw_text(const char *text, double x, double y, double size, ink_fn *ink, void *context)
{
    double unit = size / 6;
    for (; *text; ++text, x += ADVANCE * unit)
        draw_glyph(glyph_of(*text), x, y, unit, ink, context);
    return x;
}
