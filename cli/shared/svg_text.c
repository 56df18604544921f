// Prints text into an SVG, escaped.

#include "svg_text.h"

// How many bytes the UTF-8 character at the start of `text` has; 0 when it is none.
static int utf8_length(const unsigned char *text)
{
    int length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if ((text[0] >= 0x80 && text[0] < 0xc2) || text[0] > 0xf4)
        return 0;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void print_svg_text(FILE *o, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (*c == '&' || *c == '<' || *c == '>')
            fprintf(o, "&#%d;", *c);
        else
            fprintf(o, "%.*s", length && *c >= 32 ? length : 1,
                    length && *c >= 32 ? (const char *)c : "?");
        c += length ? length : 1;
    }
}
