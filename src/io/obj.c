// Wavefront OBJ: v, f and l; everything else is ignored.

#include "io/mesh_format.h"
#include "io/numbers.h"

typedef struct obj_reader
{
    toi_text text;
    toi_builder *builder;
    // Faces may come before their vertices, so the greatest index is judged at the end.
    int64_t greatest_index;
    int64_t greatest_line;
} obj_reader;

// A backslash before the line's end joins the next line; `at` points to it.
static bool continues(const toi_text *text, const char *at)
{
    if (at >= text->end || *at != '\\')
        return false;
    ++at;
    while (at < text->end && *at == '\r')
        ++at;
    return at < text->end && *at == '\n';
}

// The next word of the statement, over continued lines; empty at its end or at a comment.
static toi_span next_word(toi_text *text)
{
    toi_text_skip_blanks(text);
    while (continues(text, text->at)) {
        toi_text_next_line(text);
        toi_text_skip_blanks(text);
    }
    const char *start = text->at;
    if (start < text->end && *start == '#')
        return (toi_span){start, 0};
    toi_span word = toi_text_word(text);
    if (word.size > 0 && continues(text, text->at - 1)) {
        --text->at;
        --word.size;
    }
    return word;
}

// Moves to the next statement. What is left of this one may go on over several lines, but not if it
// is a comment: "# made from C:\models\" must not swallow the vertex below.
static void skip_statement(toi_text *text)
{
    toi_span word;
    do {
        word = next_word(text);
    } while (word.size > 0);
    toi_text_next_line(text);
}

static toi_status read_vertex(obj_reader *reader)
{
    double point[3];
    for (int axis = 0; axis < 3; ++axis) {
        toi_span word = next_word(&reader->text);
        toi_status status = toi_text_coordinate(&reader->text, word, &point[axis]);
        if (status != TOI_OK)
            return status;
    }
    // A weight or a colour may follow.
    for (toi_span word = next_word(&reader->text); word.size > 0; word = next_word(&reader->text)) {
        double ignored;
        if (toi_parse_double(word, &ignored) == TOI_NUMBER_NONE)
            return toi_text_fail_word(&reader->text, word, "a number");
    }
    return toi_add_point(reader->builder, point);
}

// The vertex of v, v/vt, v//vn or v/vt/vn, from 0.
static toi_status read_index(obj_reader *reader, toi_span word, int32_t *vertex)
{
    const toi_text *text = &reader->text;
    const char *slash = memchr(word.at, '/', word.size);
    for (const char *at = slash; slash && at < word.at + word.size; ++at)
        if (!toi_is_digit(*at) && *at != '/' && *at != '-')
            return toi_text_fail_word(text, word, "a vertex such as 1, 1/2 or 1/2/3");
    toi_span number = {word.at, slash ? (size_t)(slash - word.at) : word.size};
    int64_t index;
    if (!toi_parse_integer(number, &index))
        return toi_text_fail_word(text, word, "a vertex such as 1, 1/2 or 1/2/3");
    int64_t count = reader->builder->mesh.point_count;
    if (index < 0)
        index += count + 1; // -1 is the last vertex so far
    if (index < 1 || index > INT32_MAX)
        return toi_text_fail(text, TOI_ERROR_DATA, "vertex %s is out of range: %lld so far",
                             toi_quote(number).text, (long long)count);
    if (index > reader->greatest_index) {
        reader->greatest_index = index;
        reader->greatest_line = text->line;
    }
    *vertex = (int32_t)(index - 1);
    return TOI_OK;
}

static toi_status read_face(obj_reader *reader)
{
    int32_t corner[3] = {0}; // first, previous, current
    int64_t count = 0;
    for (toi_span word = next_word(&reader->text); word.size > 0; word = next_word(&reader->text)) {
        toi_status status = read_index(reader, word, &corner[count < 2 ? count : 2]);
        if (status == TOI_OK && ++count >= 3) {
            status = toi_add_face(reader->builder, corner[0], corner[1], corner[2]);
            corner[1] = corner[2];
        }
        if (status != TOI_OK)
            return status;
    }
    if (count < 3)
        return toi_text_fail(&reader->text, TOI_ERROR_FORMAT, "a face with %lld corners",
                             (long long)count);
    return TOI_OK;
}

static toi_status read_line(obj_reader *reader)
{
    int32_t end[2] = {0}; // previous, current
    int64_t count = 0;
    for (toi_span word = next_word(&reader->text); word.size > 0; word = next_word(&reader->text)) {
        toi_status status = read_index(reader, word, &end[count > 0]);
        if (status == TOI_OK && ++count >= 2) {
            status = toi_add_edge(reader->builder, end[0], end[1]);
            end[0] = end[1];
        }
        if (status != TOI_OK)
            return status;
    }
    if (count < 2)
        return toi_text_fail(&reader->text, TOI_ERROR_FORMAT, "a polyline with %lld vertices",
                             (long long)count);
    return TOI_OK;
}

static toi_status read_statement(obj_reader *reader)
{
    toi_span keyword = next_word(&reader->text);
    toi_status status = TOI_OK;
    if (toi_span_is(keyword, "v"))
        status = read_vertex(reader);
    else if (toi_span_is(keyword, "f") || toi_span_is(keyword, "fo")) // fo: the old name of f
        status = read_face(reader);
    else if (toi_span_is(keyword, "l"))
        status = read_line(reader);
    else if (keyword.size > 0 && memchr(keyword.at, '\0', keyword.size))
        return toi_text_fail_word(&reader->text, keyword, "the text of an OBJ file");
    if (status == TOI_OK)
        skip_statement(&reader->text);
    return status;
}

toi_status toi_parse_obj(const toi_source *source, toi_builder *builder)
{
    toi_text text = {source->name, source->data, source->data + source->size, 1};
    obj_reader reader = {text, builder, 0, 0};
    while (reader.text.at < reader.text.end) {
        toi_status status = read_statement(&reader);
        if (status != TOI_OK)
            return status;
    }
    int64_t count = builder->mesh.point_count;
    if (count == 0) // any text at all would pass for an OBJ otherwise
        return toi_text_fail(&reader.text, TOI_ERROR_FORMAT, "no vertex (v) in the whole file");
    if (reader.greatest_index > count) {
        reader.text.line = reader.greatest_line;
        return toi_text_fail(&reader.text, TOI_ERROR_DATA,
                             "vertex %lld is out of range: the file has %lld",
                             (long long)reader.greatest_index, (long long)count);
    }
    return TOI_OK;
}
