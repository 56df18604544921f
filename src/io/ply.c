// PLY, ascii and binary of either endianness. Text and bytes share one reader of single values, so
// that elements are understood in one place.

#include "io/mesh_format.h"
#include "io/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef enum ply_encoding
{
    ASCII,
    LITTLE_ENDIAN_BYTES,
    BIG_ENDIAN_BYTES
} ply_encoding;

typedef enum ply_type
{
    NO_TYPE,
    INT8,
    UINT8,
    INT16,
    UINT16,
    INT32,
    UINT32,
    FLOAT32,
    FLOAT64,
    TYPE_COUNT
} ply_type;

// All of these types are exact in a double, so that is what every value is read as.
static const struct
{
    const char *names[2];
    size_t size;
    double least; // of the whole numbers
    double greatest;
} types[TYPE_COUNT] = {
    [NO_TYPE] = {{"", ""}, 0, 0, 0},
    [INT8] = {{"char", "int8"}, 1, INT8_MIN, INT8_MAX},
    [UINT8] = {{"uchar", "uint8"}, 1, 0, UINT8_MAX},
    [INT16] = {{"short", "int16"}, 2, INT16_MIN, INT16_MAX},
    [UINT16] = {{"ushort", "uint16"}, 2, 0, UINT16_MAX},
    [INT32] = {{"int", "int32"}, 4, INT32_MIN, INT32_MAX},
    [UINT32] = {{"uint", "uint32"}, 4, 0, UINT32_MAX},
    [FLOAT32] = {{"float", "float32"}, 4, 0, 0},
    [FLOAT64] = {{"double", "float64"}, 8, 0, 0},
};

// What an element or a property is to us.
typedef enum ply_role
{
    UNUSED,
    VERTEX, // elements
    FACE,
    STRIPS,
    EDGE,
    X, // properties of a vertex
    Y,
    Z,
    CORNERS, // of a face, or of a strip's triangles
    END_A,   // of an edge
    END_B,
    ROLE_COUNT
} ply_role;

typedef struct ply_property
{
    ply_role role;
    ply_type type;
    ply_type count_type; // NO_TYPE unless it is a list
} ply_property;

typedef struct ply_element
{
    ply_role role;
    int64_t count;
    int64_t first; // its properties
    int64_t end;
    size_t least_bytes; // of one in a binary file, with lists as short as may be
    size_t least_words; // of one in an ascii file
    bool has_lists;
} ply_element;

typedef struct ply_reader
{
    const toi_source *source;
    ply_encoding encoding;
    toi_text text; // the header, and the body of ascii files
    size_t byte;   // the place in the body of binary files
    ply_element *elements;
    int64_t element_count;
    int64_t element_capacity;
    ply_property *properties;
    int64_t property_count;
    int64_t property_capacity;
    int64_t vertex_count;
    toi_builder *builder;
} ply_reader;

// Fails naming the line, or the byte `offset` bytes back.
static toi_status fail(const ply_reader *reader, size_t offset, toi_status status,
                       const char *format, ...) TOI_PRINTF(4, 5);

static toi_status fail(const ply_reader *reader, size_t offset, toi_status status,
                       const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (reader->encoding == ASCII)
        return toi_text_fail(&reader->text, status, "%s", what);
    return toi_byte_fail(reader->source, reader->byte - offset, status, "%s", what);
}

// ---- The header

static ply_type find_type(toi_span name)
{
    for (ply_type type = INT8; type < TYPE_COUNT; ++type)
        if (toi_span_is(name, types[type].names[0]) || toi_span_is(name, types[type].names[1]))
            return type;
    return NO_TYPE;
}

static bool is_integer(ply_type type)
{
    return type >= INT8 && type <= UINT32;
}

static ply_role find_role(toi_span name, ply_role element)
{
    static const struct
    {
        const char *name;
        ply_role element; // UNUSED for elements themselves
        ply_role role;
    } roles[] = {
        {"vertex", UNUSED, VERTEX},
        {"face", UNUSED, FACE},
        {"tristrips", UNUSED, STRIPS},
        {"edge", UNUSED, EDGE},
        {"x", VERTEX, X},
        {"y", VERTEX, Y},
        {"z", VERTEX, Z},
        {"vertex_indices", FACE, CORNERS},
        {"vertex_index", FACE, CORNERS},
        {"vertex_indices", STRIPS, CORNERS},
        {"vertex_index", STRIPS, CORNERS},
        {"vertex1", EDGE, END_A},
        {"vertex2", EDGE, END_B},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; ++i)
        if (roles[i].element == element && toi_span_is(name, roles[i].name))
            return roles[i].role;
    return UNUSED;
}

static toi_status read_format(ply_reader *reader)
{
    toi_span word = toi_text_word(&reader->text);
    toi_span version = toi_text_word(&reader->text);
    if (!toi_span_is(version, "1.0"))
        return toi_text_fail_word(&reader->text, version, "version 1.0");
    if (toi_span_is(word, "ascii"))
        reader->encoding = ASCII;
    else if (toi_span_is(word, "binary_little_endian"))
        reader->encoding = LITTLE_ENDIAN_BYTES;
    else if (toi_span_is(word, "binary_big_endian"))
        reader->encoding = BIG_ENDIAN_BYTES;
    else
        return toi_text_fail_word(&reader->text, word,
                                  "ascii, binary_little_endian or binary_big_endian");
    return TOI_OK;
}

static toi_status read_element(ply_reader *reader)
{
    toi_text *text = &reader->text;
    toi_span name = toi_text_word(text);
    toi_span number = toi_text_word(text);
    ply_element element = {.first = reader->property_count, .end = reader->property_count};
    if (!toi_parse_integer(number, &element.count) || element.count < 0)
        return toi_text_fail_word(text, number, "how many there are of the element");
    element.role = find_role(name, UNUSED);
    for (int64_t i = 0; element.role != UNUSED && i < reader->element_count; ++i)
        if (reader->elements[i].role == element.role)
            return toi_text_fail(text, TOI_ERROR_FORMAT, "a second element %s",
                                 toi_quote(name).text);
    if (element.role == VERTEX)
        reader->vertex_count = element.count;
    toi_status status =
        toi_grow(&reader->elements, reader->element_count, &reader->element_capacity,
                 reader->element_count + 1, sizeof element);
    if (status == TOI_OK)
        reader->elements[reader->element_count++] = element;
    return status;
}

// A role that is taken must have the right kind of type, and only once in its element.
static toi_status check_property(const ply_reader *reader, const ply_element *element,
                                 ply_property property, toi_span name)
{
    const toi_text *text = &reader->text;
    if (property.role == UNUSED)
        return TOI_OK;
    if ((property.role == CORNERS) != (property.count_type != NO_TYPE))
        return toi_text_fail(text, TOI_ERROR_FORMAT, "%s must %sbe a list", toi_quote(name).text,
                             property.role == CORNERS ? "" : "not ");
    if (property.role >= CORNERS && !is_integer(property.type))
        return toi_text_fail(text, TOI_ERROR_FORMAT, "%s must be whole numbers",
                             toi_quote(name).text);
    for (int64_t i = element->first; i < element->end; ++i)
        if (reader->properties[i].role == property.role)
            return toi_text_fail(text, TOI_ERROR_FORMAT, "a second property %s",
                                 toi_quote(name).text);
    return TOI_OK;
}

static toi_status read_types(ply_reader *reader, ply_property *property)
{
    toi_text *text = &reader->text;
    toi_span word = toi_text_word(text);
    if (toi_span_is(word, "list")) {
        word = toi_text_word(text);
        property->count_type = find_type(word);
        if (!is_integer(property->count_type))
            return toi_text_fail_word(text, word, "an integer type for the length of the list");
        word = toi_text_word(text);
    }
    property->type = find_type(word);
    if (property->type == NO_TYPE)
        return toi_text_fail_word(text, word, "a type such as float, double, uchar or int");
    return TOI_OK;
}

static toi_status read_property(ply_reader *reader)
{
    toi_text *text = &reader->text;
    if (reader->element_count == 0)
        return toi_text_fail(text, TOI_ERROR_FORMAT, "a property before the first element");
    ply_element *element = &reader->elements[reader->element_count - 1];
    ply_property property = {UNUSED, NO_TYPE, NO_TYPE};
    toi_status status = read_types(reader, &property);
    if (status != TOI_OK)
        return status;
    toi_span name = toi_text_word(text);
    if (name.size == 0)
        return toi_text_fail_word(text, name, "the name of the property");
    if (element->role != UNUSED)
        property.role = find_role(name, element->role);
    status = check_property(reader, element, property, name);
    if (status == TOI_OK)
        status = toi_grow(&reader->properties, reader->property_count, &reader->property_capacity,
                          reader->property_count + 1, sizeof property);
    if (status != TOI_OK)
        return status;
    reader->properties[reader->property_count++] = property;
    element->end = reader->property_count;
    bool list = property.count_type != NO_TYPE;
    bool polygon = property.role == CORNERS && element->role == FACE;
    size_t values = polygon ? 3 : !list; // the fewest that are allowed
    element->least_bytes += types[property.count_type].size + values * types[property.type].size;
    element->least_words += list + values;
    element->has_lists |= list;
    return TOI_OK;
}

// The roles without which an element makes no sense.
static toi_status check_elements(const ply_reader *reader)
{
    static const ply_role needed[][3] = {[VERTEX] = {X, Y, Z},
                                         [FACE] = {CORNERS, CORNERS, CORNERS},
                                         [STRIPS] = {CORNERS, CORNERS, CORNERS},
                                         [EDGE] = {END_A, END_B, END_B}};
    static const char *const names[ROLE_COUNT] = {[VERTEX] = "vertex",
                                                  [FACE] = "face",
                                                  [STRIPS] = "tristrips",
                                                  [EDGE] = "edge",
                                                  [X] = "an x",
                                                  [Y] = "a y",
                                                  [Z] = "a z",
                                                  [CORNERS] = "vertex_indices",
                                                  [END_A] = "vertex1",
                                                  [END_B] = "vertex2"};
    bool has_vertices = false;
    for (int64_t e = 0; e < reader->element_count; ++e) {
        const ply_element *element = &reader->elements[e];
        bool found[ROLE_COUNT] = {false};
        for (int64_t i = element->first; i < element->end; ++i)
            found[reader->properties[i].role] = true;
        for (int i = 0; element->role != UNUSED && i < 3; ++i)
            if (!found[needed[element->role][i]])
                return toi_text_fail(&reader->text, TOI_ERROR_FORMAT,
                                     "the header has an element %s without %s",
                                     names[element->role], names[needed[element->role][i]]);
        has_vertices |= element->role == VERTEX;
    }
    if (!has_vertices)
        return toi_text_fail(&reader->text, TOI_ERROR_FORMAT, "the header has no element vertex");
    return TOI_OK;
}

static toi_status read_header_line(ply_reader *reader, toi_span keyword, bool *formatted)
{
    if (toi_span_is(keyword, "comment") || toi_span_is(keyword, "obj_info"))
        return TOI_OK;
    if (toi_span_is(keyword, "format")) {
        *formatted = true;
        return read_format(reader);
    }
    if (toi_span_is(keyword, "element"))
        return read_element(reader);
    if (toi_span_is(keyword, "property"))
        return read_property(reader);
    return toi_text_fail_word(&reader->text, keyword, "a line of the PLY header");
}

static toi_status read_header(ply_reader *reader)
{
    toi_text *text = &reader->text;
    toi_span word = toi_text_word(text);
    if (!toi_span_is(word, "ply"))
        return toi_text_fail_word(text, word, "\"ply\" at the start of a PLY file");
    bool formatted = false;
    while (toi_text_next_line(text)) {
        word = toi_text_word(text);
        if (toi_span_is(word, "end_header")) {
            if (!formatted)
                return toi_text_fail(text, TOI_ERROR_FORMAT, "the header has no format line");
            toi_status status = check_elements(reader);
            // In a binary file exactly one line end follows; what comes next may look like another.
            toi_text_next_line(text);
            reader->byte = (size_t)(text->at - reader->source->data);
            return status;
        }
        toi_status status = TOI_OK;
        if (word.size > 0)
            status = read_header_line(reader, word, &formatted);
        if (status != TOI_OK)
            return status;
    }
    return toi_text_fail(text, TOI_ERROR_FORMAT, "the header has no end_header");
}

// ---- Values

static double decode(const unsigned char *at, ply_encoding encoding, ply_type type)
{
    size_t size = types[type].size;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i)
        bits = bits << 8 | at[encoding == BIG_ENDIAN_BYTES ? i : size - 1 - i];
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case INT8:
        return (int8_t)low;
    case INT16:
        return (int16_t)low;
    case INT32:
        return (int32_t)low;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        return single;
    case FLOAT64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return low;
    }
}

static toi_status read_bytes(ply_reader *reader, ply_type type, double *value)
{
    if (reader->source->size - reader->byte < types[type].size)
        return fail(reader, 0, TOI_ERROR_FORMAT, "the file ends too early");
    const unsigned char *data = (const unsigned char *)reader->source->data;
    *value = decode(data + reader->byte, reader->encoding, type);
    reader->byte += types[type].size;
    return TOI_OK;
}

// Text becomes the nearest double even where the header says float: nothing is gained by rounding
// twice.
static toi_status read_word(ply_reader *reader, ply_type type, double *value)
{
    toi_text *text = &reader->text;
    toi_span word = toi_text_word_anywhere(text);
    if (!is_integer(type)) {
        if (toi_parse_double(word, value) == TOI_NUMBER_NONE)
            return toi_text_fail_word(text, word, "a number");
        return TOI_OK;
    }
    int64_t integer;
    if (!toi_parse_integer(word, &integer) || (double)integer < types[type].least ||
        (double)integer > types[type].greatest) {
        char expected[32];
        snprintf(expected, sizeof expected, "a value of type %s", types[type].names[0]);
        return toi_text_fail_word(text, word, expected);
    }
    *value = (double)integer;
    return TOI_OK;
}

static toi_status read_value(ply_reader *reader, ply_type type, double *value)
{
    *value = INFINITY; // what a text too great for a double leaves
    return reader->encoding == ASCII ? read_word(reader, type, value)
                                     : read_bytes(reader, type, value);
}

// ---- Elements

// The number of a vertex; `least` is 0, or -1 where that may stand in its place.
static toi_status read_index(ply_reader *reader, ply_type type, int32_t least, int32_t *index)
{
    double value;
    toi_status status = read_value(reader, type, &value);
    if (status != TOI_OK)
        return status;
    if (value < least || value >= (double)reader->vertex_count)
        return fail(reader, types[type].size, TOI_ERROR_DATA,
                    "vertex %.0f is out of range: the file has %lld", value,
                    (long long)reader->vertex_count);
    *index = (int32_t)value;
    return TOI_OK;
}

// Reads the length of a list, of which at least the bytes must be there.
static toi_status read_length(ply_reader *reader, ply_property property, int64_t *length)
{
    double value;
    toi_status status = read_value(reader, property.count_type, &value);
    if (status != TOI_OK)
        return status;
    size_t offset = types[property.count_type].size;
    *length = (int64_t)value;
    if (*length < 0)
        return fail(reader, offset, TOI_ERROR_FORMAT, "a list of %lld values", (long long)*length);
    size_t room = (reader->source->size - reader->byte) / types[property.type].size;
    if (reader->encoding != ASCII && (size_t)*length > room)
        return fail(reader, offset, TOI_ERROR_FORMAT,
                    "a list of %lld values, the file has room for %zu", (long long)*length, room);
    return TOI_OK;
}

static toi_status skip_values(ply_reader *reader, ply_type type, int64_t count)
{
    if (reader->encoding != ASCII) {
        if ((reader->source->size - reader->byte) / types[type].size < (size_t)count)
            return fail(reader, 0, TOI_ERROR_FORMAT, "the file ends too early");
        reader->byte += (size_t)count * types[type].size;
        return TOI_OK;
    }
    for (int64_t i = 0; i < count; ++i) {
        toi_span word = toi_text_word_anywhere(&reader->text);
        if (word.size == 0)
            return toi_text_fail_word(&reader->text, word, "a value");
    }
    return TOI_OK;
}

static toi_status read_polygon(ply_reader *reader, ply_property property, int64_t corners)
{
    if (corners < 3)
        return fail(reader, types[property.count_type].size, TOI_ERROR_FORMAT,
                    "a face with %lld corners", (long long)corners);
    int32_t corner[3] = {0}; // first, previous, current
    for (int64_t i = 0; i < corners; ++i) {
        toi_status status = read_index(reader, property.type, 0, &corner[i < 2 ? i : 2]);
        if (status == TOI_OK && i >= 2) {
            status = toi_add_face(reader->builder, corner[0], corner[1], corner[2]);
            corner[1] = corner[2];
        }
        if (status != TOI_OK)
            return status;
    }
    return TOI_OK;
}

// A vertex and the two before it in a strip; every second triangle of a strip turns the other way.
// Two that are the same vertex join one part of a strip to the next: no triangle.
static toi_status add_strip_face(toi_builder *builder, const int32_t corner[3], int64_t number)
{
    int32_t a = corner[number % 2], b = corner[1 - number % 2], c = corner[2];
    return a == b || b == c || c == a ? TOI_OK : toi_add_face(builder, a, b, c);
}

// Strips one behind the other, a -1 between two or after each.
static toi_status read_strips(ply_reader *reader, ply_property property, int64_t length)
{
    int32_t corner[3] = {0}; // the last three
    int64_t count = 0;       // of this strip
    for (int64_t i = 0; i <= length; ++i) {
        int32_t index = -1; // ends the last strip
        toi_status status = TOI_OK;
        if (i < length)
            status = read_index(reader, property.type, -1, &index);
        if (status == TOI_OK && index < 0 && (count == 1 || count == 2))
            status = fail(reader, i < length ? types[property.type].size : 0, TOI_ERROR_FORMAT,
                          "a strip of %lld vertices", (long long)count);
        corner[0] = corner[1];
        corner[1] = corner[2];
        corner[2] = index;
        count = index < 0 ? 0 : count + 1;
        if (status == TOI_OK && count >= 3)
            status = add_strip_face(reader->builder, corner, count - 3);
        if (status != TOI_OK)
            return status;
    }
    return TOI_OK;
}

static toi_status read_list(ply_reader *reader, ply_role element, ply_property property)
{
    int64_t length;
    toi_status status = read_length(reader, property, &length);
    if (status != TOI_OK)
        return status;
    if (property.role != CORNERS)
        return skip_values(reader, property.type, length);
    return element == FACE ? read_polygon(reader, property, length)
                           : read_strips(reader, property, length);
}

static toi_status read_coordinate(ply_reader *reader, ply_type type, double *value)
{
    toi_status status = read_value(reader, type, value);
    if (status == TOI_OK && !isfinite(*value))
        return fail(reader, types[type].size, TOI_ERROR_DATA, "the coordinate is not finite");
    return status;
}

// One vertex, face or edge, or one of the elements that nobody asked for.
static toi_status read_row(ply_reader *reader, const ply_element *element)
{
    double point[3] = {0};
    int32_t end[2] = {0};
    for (int64_t i = element->first; i < element->end; ++i) {
        ply_property property = reader->properties[i];
        toi_status status;
        if (property.count_type != NO_TYPE)
            status = read_list(reader, element->role, property);
        else if (property.role == UNUSED)
            status = skip_values(reader, property.type, 1);
        else if (element->role == VERTEX)
            status = read_coordinate(reader, property.type, &point[property.role - X]);
        else
            status = read_index(reader, property.type, 0, &end[property.role - END_A]);
        if (status != TOI_OK)
            return status;
    }
    // A line that holds more or less than the header says would shift all that follows.
    if (reader->encoding == ASCII && !toi_text_line_ended(&reader->text))
        return fail(reader, 0, TOI_ERROR_FORMAT, "more values on the line than the header says");
    if (element->role == VERTEX)
        return toi_add_point(reader->builder, point);
    return element->role == EDGE ? toi_add_edge(reader->builder, end[0], end[1]) : TOI_OK;
}

// Compares a count with what is left of the file, before any memory is taken for it.
static toi_status check_room(const ply_reader *reader, const ply_element *element)
{
    bool ascii = reader->encoding == ASCII;
    size_t left = ascii ? (size_t)(reader->text.end - reader->text.at) + 1 // the last line's end
                        : reader->source->size - reader->byte;
    size_t each = ascii ? 2 * element->least_words : element->least_bytes;
    if (each > 0 && (uint64_t)element->count > left / each)
        return fail(reader, 0, TOI_ERROR_FORMAT,
                    "%lld elements announced, the file has room for at most %zu",
                    (long long)element->count, left / each);
    return TOI_OK;
}

static toi_status reserve(ply_reader *reader, const ply_element *element)
{
    if (element->role == VERTEX)
        return toi_reserve_points(reader->builder, element->count);
    if (element->role == FACE)
        return toi_reserve_faces(reader->builder, element->count);
    return element->role == EDGE ? toi_reserve_edges(reader->builder, element->count) : TOI_OK;
}

static toi_status read_rows(ply_reader *reader, const ply_element *element)
{
    toi_status status = check_room(reader, element);
    if (status == TOI_OK)
        status = reserve(reader, element);
    if (status != TOI_OK || element->first == element->end)
        return status;
    if (element->role == UNUSED && !element->has_lists && reader->encoding != ASCII) {
        reader->byte += (size_t)element->count * element->least_bytes;
        return TOI_OK;
    }
    for (int64_t i = 0; status == TOI_OK && i < element->count; ++i)
        status = read_row(reader, element);
    return status;
}

// Only line ends may follow the last element: anything else means that a count is wrong.
static toi_status check_end(ply_reader *reader)
{
    const char *end = reader->source->data + reader->source->size;
    const char *at =
        reader->encoding == ASCII ? reader->text.at : reader->source->data + reader->byte;
    while (at < end && (*at == '\n' || toi_is_blank(*at)))
        ++at;
    reader->text.at = at;
    if (at < end)
        return fail(reader, 0, TOI_ERROR_FORMAT, "the file goes on after the last element");
    return TOI_OK;
}

toi_status toi_parse_ply(const toi_source *source, toi_builder *builder)
{
    toi_text text = {source->name, source->data, source->data + source->size, 1};
    ply_reader reader = {.source = source, .text = text, .builder = builder};
    toi_status status = read_header(&reader);
    for (int64_t i = 0; status == TOI_OK && i < reader.element_count; ++i)
        status = read_rows(&reader, &reader.elements[i]);
    if (status == TOI_OK)
        status = check_end(&reader);
    toi_release(reader.elements);
    toi_release(reader.properties);
    return status;
}
