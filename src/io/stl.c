// STL, ascii and binary: separate triangles whose corners are welded afterwards.

#include "io/mesh_format.h"
#include "io/numbers.h"

#include <math.h>
#include <stdio.h>

enum
{
    HEADER_BYTES = 80,
    COUNT_BYTES = 4,
    TRIANGLE_BYTES = 50, // the normal, three corners, two unused bytes
    NORMAL_BYTES = 12
};

static uint32_t little_endian(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
           (uint32_t)byte[3] << 24;
}

bool toi_is_binary_stl(const toi_source *source)
{
    if (source->size < HEADER_BYTES + COUNT_BYTES)
        return false;
    size_t body = source->size - HEADER_BYTES - COUNT_BYTES;
    return body % TRIANGLE_BYTES == 0 &&
           body / TRIANGLE_BYTES == little_endian(source->data + HEADER_BYTES);
}

static toi_status read_corner(const toi_source *source, size_t byte, double point[3])
{
    for (int axis = 0; axis < 3; ++axis, byte += 4) {
        uint32_t bits = little_endian(source->data + byte);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            return toi_byte_fail(source, byte, TOI_ERROR_DATA, "the coordinate is not finite");
        point[axis] = value;
    }
    return TOI_OK;
}

static toi_status parse_binary(const toi_source *source, toi_builder *builder)
{
    const size_t start = HEADER_BYTES + COUNT_BYTES;
    if (source->size < start)
        return toi_byte_fail(source, source->size, TOI_ERROR_FORMAT,
                             "the file ends inside the header of a binary STL");
    size_t count = little_endian(source->data + HEADER_BYTES);
    size_t whole = (source->size - start) / TRIANGLE_BYTES;
    if (count > whole)
        return toi_byte_fail(source, HEADER_BYTES, TOI_ERROR_FORMAT,
                             "%zu triangles announced, the file has room for %zu", count, whole);
    if (source->size != start + count * TRIANGLE_BYTES)
        return toi_byte_fail(source, start + count * TRIANGLE_BYTES, TOI_ERROR_FORMAT,
                             "the file goes on after the last triangle");
    toi_status status = toi_reserve_points(builder, 3 * (int64_t)count);
    for (size_t i = 0; status == TOI_OK && i < 3 * count; ++i) {
        size_t byte = start + i / 3 * TRIANGLE_BYTES + NORMAL_BYTES + i % 3 * 12;
        status = read_corner(source, byte, builder->mesh.points[i]);
    }
    if (status == TOI_OK)
        builder->mesh.point_count = 3 * (int64_t)count;
    return status;
}

static toi_status expect(toi_text *text, const char *keyword)
{
    toi_span word = toi_text_word_anywhere(text);
    if (toi_span_is_any_case(word, keyword))
        return TOI_OK;
    char expected[32];
    snprintf(expected, sizeof expected, "\"%s\"", keyword);
    return toi_text_fail_word(text, word, expected);
}

static toi_status read_vertex(toi_text *text, toi_builder *builder)
{
    double point[3];
    toi_status status = expect(text, "vertex");
    for (int axis = 0; status == TOI_OK && axis < 3; ++axis)
        status = toi_text_coordinate(text, toi_text_word_anywhere(text), &point[axis]);
    return status == TOI_OK ? toi_add_point(builder, point) : status;
}

// What follows "facet".
static toi_status read_facet(toi_text *text, toi_builder *builder)
{
    toi_status status = expect(text, "normal");
    for (int axis = 0; axis < 3; ++axis)
        toi_text_word_anywhere(text); // unused, and often "nan"
    if (status == TOI_OK)
        status = expect(text, "outer");
    if (status == TOI_OK)
        status = expect(text, "loop");
    for (int corner = 0; status == TOI_OK && corner < 3; ++corner)
        status = read_vertex(text, builder);
    if (status == TOI_OK)
        status = expect(text, "endloop");
    return status == TOI_OK ? expect(text, "endfacet") : status;
}

static toi_status parse_ascii(const toi_source *source, toi_builder *builder)
{
    toi_text text = {source->name, source->data, source->data + source->size, 1};
    bool inside = false; // between solid and endsolid; a file may hold several
    toi_span word = toi_text_word_anywhere(&text);
    for (; word.size > 0; word = toi_text_word_anywhere(&text)) {
        toi_status status = TOI_OK;
        if (inside && toi_span_is_any_case(word, "facet")) {
            status = read_facet(&text, builder);
        } else if (toi_span_is_any_case(word, inside ? "endsolid" : "solid")) {
            inside = !inside;
            toi_text_next_line(&text); // the name may be anything
        } else {
            status =
                toi_text_fail_word(&text, word, inside ? "\"facet\" or \"endsolid\"" : "\"solid\"");
        }
        if (status != TOI_OK)
            return status;
    }
    return inside ? toi_text_fail_word(&text, word, "\"facet\" or \"endsolid\"") : TOI_OK;
}

toi_status toi_parse_stl(const toi_source *source, toi_builder *builder)
{
    // Many binary files start with "solid" too; only they hold zero bytes.
    size_t head = source->size < 512 ? source->size : 512;
    toi_text text = {source->name, source->data, source->data + source->size, 1};
    bool ascii = toi_span_is_any_case(toi_text_word_anywhere(&text), "solid") &&
                 !memchr(source->data, '\0', head) && !toi_is_binary_stl(source);
    return ascii ? parse_ascii(source, builder) : parse_binary(source, builder);
}
