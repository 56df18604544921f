// The query CSV of the public collision datasets: eight rows a query, one point each, its
// coordinates as numerators and denominators, then the truth.

#include "base/fp_mode.h"
#include "io/builder.h"
#include "io/rational.h"
#include "io/source.h"
#include "toi/io.h"

#include <assert.h>

enum
{
    ROWS = 8, // four points at t = 0, then at t = 1
    POINTS = 4
};

typedef struct csv_reader
{
    toi_text text;
    toi_rational_reader rationals;
    toi_query_file file;
    int64_t query_capacity;
    int64_t hit_capacity;
    int64_t row; // so far, in the whole file
    bool has_hits;
} csv_reader;

// The next field of the line, without blanks around it. Moves onto the comma or the line's end.
static toi_span next_field(toi_text *text)
{
    toi_text_skip_blanks(text);
    const char *start = text->at;
    while (text->at < text->end && *text->at != ',' && *text->at != '\n')
        ++text->at;
    const char *end = text->at;
    while (end > start && toi_is_blank(end[-1]))
        --end;
    return (toi_span){start, (size_t)(end - start)};
}

static bool take_comma(toi_text *text)
{
    bool taken = text->at < text->end && *text->at == ',';
    text->at += taken;
    return taken;
}

static toi_status read_integer(toi_text *text, toi_span *digits)
{
    *digits = next_field(text);
    bool sign = digits->size > 0 && (*digits->at == '-' || *digits->at == '+');
    bool good = digits->size > sign;
    for (size_t i = sign; good && i < digits->size; ++i)
        good = toi_is_digit(digits->at[i]);
    if (!good)
        return toi_text_fail_word(text, *digits, "an integer");
    if (digits->size > TOI_MAX_DIGITS)
        return toi_text_fail(text, TOI_ERROR_FORMAT, "an integer of more than %d digits",
                             TOI_MAX_DIGITS);
    return TOI_OK;
}

static toi_status read_coordinate(csv_reader *reader, double *value)
{
    toi_text *text = &reader->text;
    toi_span numerator;
    toi_span denominator;
    toi_status status = read_integer(text, &numerator);
    if (status != TOI_OK)
        return status;
    if (!take_comma(text))
        return toi_text_fail(text, TOI_ERROR_FORMAT, "a denominator is missing");
    status = read_integer(text, &denominator);
    if (status != TOI_OK)
        return status;
    switch (toi_read_rational(&reader->rationals, numerator, denominator, value)) {
    case TOI_RATIONAL_EXACT:
        return TOI_OK;
    case TOI_RATIONAL_NOT_DOUBLE:
        return toi_text_fail(text, TOI_ERROR_FORMAT, "%s/%s is not exactly a double",
                             toi_quote(numerator).text, toi_quote(denominator).text);
    case TOI_RATIONAL_UNDEFINED:
        return toi_text_fail(text, TOI_ERROR_FORMAT, "the denominator is 0");
    default:
        return TOI_ERROR_MEMORY;
    }
}

// The seventh column, which all rows have or none.
static toi_status read_hit(csv_reader *reader, bool *hit)
{
    toi_text *text = &reader->text;
    bool present = take_comma(text);
    if (reader->row == 0)
        reader->has_hits = present;
    if (present != reader->has_hits)
        return toi_text_fail(text, TOI_ERROR_FORMAT, "%s columns, unlike the first row",
                             present ? "more than six" : "six");
    if (!present)
        return TOI_OK;
    toi_span field = next_field(text);
    if (!toi_span_is(field, "0") && !toi_span_is(field, "1"))
        return toi_text_fail_word(text, field, "0 or 1 for the hit");
    *hit = *field.at == '1';
    if (text->at < text->end && *text->at == ',')
        return toi_text_fail(text, TOI_ERROR_FORMAT, "more than seven columns");
    return TOI_OK;
}

static toi_status read_row(csv_reader *reader)
{
    int64_t index = reader->row / ROWS;
    int place = (int)(reader->row % ROWS);
    toi_query *query = &reader->file.queries[index];
    double *point = place < POINTS ? query->start[place] : query->end[place - POINTS];
    for (int axis = 0; axis < 3; ++axis) {
        if (axis > 0 && !take_comma(&reader->text))
            return toi_text_fail(&reader->text, TOI_ERROR_FORMAT, "fewer than six columns");
        toi_status status = read_coordinate(reader, &point[axis]);
        if (status != TOI_OK)
            return status;
    }
    bool hit = false;
    toi_status status = read_hit(reader, &hit);
    if (status != TOI_OK)
        return status;
    if (place > 0 && hit != reader->file.hits[index])
        return toi_text_fail(&reader->text, TOI_ERROR_FORMAT,
                             "the hit differs from the one in the query's first row");
    reader->file.hits[index] = hit;
    ++reader->row;
    reader->file.count = (reader->row + ROWS - 1) / ROWS;
    return TOI_OK;
}

static toi_status make_room(csv_reader *reader)
{
    toi_query_file *file = &reader->file;
    int64_t wanted = reader->row / ROWS + 1;
    toi_status status = toi_grow(&file->queries, file->count, &reader->query_capacity, wanted,
                                 sizeof *file->queries);
    if (status != TOI_OK)
        return status;
    return toi_grow(&file->hits, file->count, &reader->hit_capacity, wanted, sizeof *file->hits);
}

// Names instead of numbers: a letter first, and as many columns as a row has.
static bool is_header(const toi_text *text)
{
    toi_text line = *text;
    toi_text_skip_blanks(&line);
    char first = line.at < line.end ? *line.at : '0';
    bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    int columns = 1;
    for (; line.at < line.end && *line.at != '\n'; ++line.at)
        columns += *line.at == ',';
    return letter && (columns == 6 || columns == 7);
}

static toi_status read_rows(csv_reader *reader)
{
    toi_text *text = &reader->text;
    if (is_header(text))
        toi_text_next_line(text);
    do {
        if (toi_text_line_ended(text))
            continue;
        toi_status status = make_room(reader);
        if (status == TOI_OK)
            status = read_row(reader);
        if (status != TOI_OK)
            return status;
    } while (toi_text_next_line(text));
    if (reader->row % ROWS != 0)
        return toi_text_fail(text, TOI_ERROR_FORMAT, "the last query has %d of its %d rows",
                             (int)(reader->row % ROWS), ROWS);
    return TOI_OK;
}

toi_status toi_parse_queries(const char *name, const void *data, size_t size, toi_query_file *file)
{
    TOI_GUARD_FP;
    assert(name && file && (data || size == 0));
    *file = (toi_query_file){0};
    const char *start = size > 0 ? data : "";
    csv_reader reader = {.text = {name, start, start + size, 1}};
    toi_open_rationals(&reader.rationals);
    toi_status status = read_rows(&reader);
    toi_close_rationals(&reader.rationals);
    if (status != TOI_OK) {
        toi_free_query_file(&reader.file);
        return status;
    }
    if (!reader.has_hits) {
        toi_release(reader.file.hits);
        reader.file.hits = NULL;
    }
    *file = reader.file;
    return TOI_OK;
}

toi_status toi_read_queries(const char *path, toi_query_file *file)
{
    TOI_GUARD_FP;
    assert(path && file);
    *file = (toi_query_file){0};
    toi_source source;
    toi_status status = toi_load(path, &source);
    if (status == TOI_OK)
        status = toi_parse_queries(path, source.data, source.size, file);
    toi_unload(&source);
    return status;
}

void toi_free_query_file(toi_query_file *file)
{
    toi_release(file->queries);
    toi_release(file->hits);
    *file = (toi_query_file){0};
}
