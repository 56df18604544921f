// Writes the page of a report: its frame, words, tables and the parts of figures.

#include "report_page.h"

#include "svg_text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The frame

void open_page(page *p, const char *title)
{
    fprintf(p->o, "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
                  "<meta name='viewport' content='width=device-width,initial-scale=1'>\n<title>");
    print_page_words(p, title);
    fprintf(p->o, "</title>\n<style>\n");
    for (const char *const *part = report_style; *part; ++part)
        fputs(*part, p->o);
    fprintf(p->o, "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>");
    print_page_words(p, title);
    fprintf(p->o, "</h1>\n");
}

void close_page(page *p)
{
    fprintf(p->o, "</main>\n</body>\n</html>\n");
}

// ---------------------------------------------------------------------------------------------
// Words

void print_page_words(page *p, const char *what)
{
    print_svg_text(p->o, what);
}

void print_sentence(page *p, const char *kind, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fprintf(p->o, "<p class='%s'>", kind);
    print_page_words(p, what);
    fprintf(p->o, "</p>\n");
}

void open_section(page *p, const char *name, const char *title)
{
    fprintf(p->o, "<section id='%s'>\n<h2>", name);
    print_page_words(p, title);
    fprintf(p->o, "</h2>\n");
}

void close_section(page *p)
{
    fprintf(p->o, "</section>\n");
}

void print_subtitle(page *p, const char *title)
{
    int level = p->several_machines ? 4 : 3;
    fprintf(p->o, "<h%d>", level);
    print_page_words(p, title);
    fprintf(p->o, "</h%d>\n", level);
}

// A character of UTF-8 is its first byte and those that continue it.
static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

int count_characters(const char *what)
{
    int count = 0;
    for (; *what; ++what)
        count += !continues_character(*what);
    return count;
}

text fit_words(const char *from, int most)
{
    static const char dots[] = "…";
    text result;
    size_t room = sizeof result.at - sizeof dots, length = 0, cut = 0;
    int characters = 0;
    for (; length < room && from[length]; ++length) {
        characters += !continues_character(from[length]);
        if (characters > most)
            break;
        if (characters < most && !continues_character(from[length + 1]))
            cut = length + 1;
    }
    bool whole = !from[length];
    snprintf(result.at, sizeof result.at, "%.*s%s", (int)(whole ? length : cut), from,
             whole ? "" : dots);
    return result;
}

text compact_count(double count)
{
    text result = unit_text(count, "");
    char *space = strchr(result.at, ' ');
    if (space)
        memmove(space, space + 1, strlen(space));
    return count > 0 ? result : words(isnan(count) ? "-" : "0");
}

text limit_text(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; ++unit)
        bytes /= 1024;
    return bytes > 0 ? compose("%.3g %s", bytes, units[unit]) : words("none");
}

text count_or_dash(double count)
{
    return isnan(count) ? words("-") : count_text((int64_t)count);
}

text threads_text(double threads)
{
    return compose("%.0f thread%s", threads, threads == 1 ? "" : "s");
}

text compose(const char *format, ...)
{
    text result;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result.at, sizeof result.at, format, arguments);
    va_end(arguments);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Tables

static text number_cell(cell_type type, double value)
{
    if (isnan(value))
        return words("-");
    switch (type) {
    case CELL_SECONDS:
        return unit_text(value, "s");
    case CELL_NANOSECONDS:
        return unit_text(1e-9 * value, "s");
    case CELL_LIMIT:
        return limit_text(value);
    case CELL_BYTES:
        return unit_text(value, "B");
    case CELL_ERROR:
        return value > 0 ? decimal("%.1e", value) : words("0");
    case CELL_SHARE:
        return decimal("%.3g %%", 100 * value);
    default:
        return count_text((int64_t)value);
    }
}

static void print_cell(page *p, const page_column *column, const void *row, bool first)
{
    const void *at = (const char *)row + column->offset;
    const char *tag = first ? "th" : "td", *scope = first ? " scope='row'" : "";
    if (column->type == CELL_NAME) {
        fprintf(p->o, "<%s%s class='left'>", tag, scope);
        print_page_words(p, *(const char *const *)at);
    } else {
        double value = *(const double *)at;
        bool bad = column->type == CELL_BAD_COUNT && value > 0;
        fprintf(p->o, "<%s%s%s>", tag, scope, bad ? " class='bad'" : "");
        print_page_words(p, number_cell(column->type, value).at);
    }
    fprintf(p->o, "</%s>", tag);
}

void print_page_table(page *p, const char *summary, const page_column *columns,
                      const void *const *rows, int64_t count)
{
    if (summary) {
        fprintf(p->o, "<details><summary>");
        print_page_words(p, summary);
        fprintf(p->o, "</summary>\n");
    }
    fprintf(p->o, "<div class='scroll' tabindex='0'><table>\n<thead><tr>");
    for (const page_column *c = columns; c->title; ++c) {
        fprintf(p->o, "<th scope='col'%s>", c->type == CELL_NAME ? " class='left'" : "");
        print_page_words(p, c->title);
        fprintf(p->o, "</th>");
    }
    fprintf(p->o, "</tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < count; ++i) {
        fprintf(p->o, "<tr>");
        for (const page_column *c = columns; c->title; ++c)
            print_cell(p, c, rows[i], c == columns);
        fprintf(p->o, "</tr>\n");
    }
    fprintf(p->o, "</tbody></table></div>\n%s", summary ? "</details>\n" : "");
}

// ---------------------------------------------------------------------------------------------
// Figures

void open_figures(page *p, bool wide)
{
    fprintf(p->o, "<div class='figures%s'>\n", wide ? " wide" : "");
}

void close_figures(page *p)
{
    fprintf(p->o, "</div>\n");
}

void open_figure(page *p, const char *name, const char *caption, const char *note, int64_t points,
                 double height)
{
    ++p->figures;
    p->points += points;
    fprintf(p->o, "<figure data-figure=\"%s\" data-points=\"%lld\">\n<figcaption>", name,
            (long long)points);
    print_page_words(p, caption);
    fprintf(p->o, " <small>");
    print_page_words(p, note);
    fprintf(p->o, "</small></figcaption>\n<svg viewBox='0 0 %d %.0f' role='img'>\n<title>",
            CHART_WIDTH, height);
    print_page_words(p, caption);
    fprintf(p->o, ": ");
    print_page_words(p, note);
    fprintf(p->o, "</title>\n");
}

void close_figure(page *p)
{
    fprintf(p->o, "</svg>\n</figure>\n");
}

void print_legend(page *p, const legend_item *items, int count)
{
    fprintf(p->o, "<ul class='legend'>\n");
    for (int i = 0; i < count; ++i) {
        fprintf(p->o, "<li><svg viewBox='0 0 14 14' aria-hidden='true'>");
        open_mark(p->o, items[i].shape, 7, 7);
        fprintf(p->o, " class='swatch %s%s'/></svg><span>",
                items[i].shape == MARK_RING ? "hollow " : "", items[i].kind);
        print_page_words(p, items[i].words.at);
        fprintf(p->o, "</span></li>\n");
    }
    fprintf(p->o, "</ul>\n");
}

// Ends an element that the words explain.
static void close_mark(page *p, const char *tag, const char *note)
{
    ++p->marks;
    fprintf(p->o, "><title>");
    print_page_words(p, note);
    fprintf(p->o, "</title></%s>\n", tag);
}

void print_data_mark(page *p, mark_shape shape, double x, double y, const char *kind,
                     const char *note)
{
    static const char *const tags[MARK_COUNT] = {[MARK_RING] = "circle",
                                                 [MARK_DOT] = "circle",
                                                 [MARK_DIAMOND] = "path",
                                                 [MARK_SQUARE] = "rect",
                                                 [MARK_TRIANGLE] = "path"};
    open_mark(p->o, shape, x, y);
    fprintf(p->o, " class='mark %s%s'", shape == MARK_RING ? "hollow " : "", kind);
    close_mark(p, tags[shape], note);
}

void print_data_bar(page *p, double x, double y, double width, double height, const char *kind,
                    const char *note)
{
    const double least = 0.4; // what is there can be seen
    fprintf(p->o, "<rect class='mark bar %s' x='%.2f' y='%.2f' width='%.2f' height='%.2f'", kind, x,
            y, fmax(width, least), fmax(height, least));
    close_mark(p, "rect", note);
}

void print_chart_words(page *p, double x, double y, const char *kind, const char *anchor,
                       const char *what)
{
    if (*what)
        print_words(p->o, x, y, kind, anchor, NULL, what);
}

static bool is_power_of_ten(double value)
{
    double power = log10(value);
    return fabs(power - round(power)) < 1e-9;
}

// Labels that keep clear of those that are there, powers of ten first.
static int place_labels(const axis *a, const double *ticks, int count, double labels[MOST_TICKS])
{
    const double apart = 48, half = 22;
    int placed = 0;
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < count; ++i) {
            double x = axis_at(a, ticks[i]);
            bool clear = is_power_of_ten(ticks[i]) == (round == 0) && x + half < CHART_WIDTH;
            for (int k = 0; k < placed && clear; ++k)
                clear = fabs(axis_at(a, labels[k]) - x) >= apart;
            if (clear)
                labels[placed++] = ticks[i];
        }
    return placed;
}

void print_bottom_ticks(page *p, const axis *a, double top, double bottom, const char *unit)
{
    double ticks[MOST_TICKS], labels[MOST_TICKS];
    int count = list_ticks(a, ticks), placed = place_labels(a, ticks, count, labels);
    for (int i = 0; i < count; ++i)
        print_rule(p->o, axis_at(a, ticks[i]), top, axis_at(a, ticks[i]), bottom, "grid");
    for (int i = 0; i < placed; ++i)
        print_chart_words(p, axis_at(a, labels[i]), bottom + 15, "tick", "middle",
                          unit_text(labels[i], unit).at);
    print_rule(p->o, a->from, bottom, a->to, bottom, "edge");
}

const char *series_kind(int series)
{
    static const char *const kinds[SERIES_INKS] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    return kinds[series % SERIES_INKS];
}

mark_shape series_shape(int series)
{
    static const mark_shape shapes[MARK_COUNT] = {MARK_DOT, MARK_SQUARE, MARK_DIAMOND,
                                                  MARK_TRIANGLE, MARK_RING};
    return shapes[series % MARK_COUNT];
}
