// Reads a distance field from a text: shapes, files, placements, combinations.

#include "field_text.h"

#include "failure.h"
#include "names.h"

#include "toi/io.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum
{
    MOST_PARTS = 256,  // joined by the same sign
    MOST_NESTING = 32, // of parentheses
    MOST_NUMBERS = 8,  // of a list
    MOST_SHOWN = 120   // of the text in messages
};

// What the numbers of a shape mean.
static const char *const shape_arguments[TOI_SHAPE_COUNT] = {[TOI_SHAPE_SPHERE] = "r",
                                                             [TOI_SHAPE_BOX] = "hx,hy,hz",
                                                             [TOI_SHAPE_ROUNDED_BOX] = "hx,hy,hz,r",
                                                             [TOI_SHAPE_CAPSULE] = "r,h",
                                                             [TOI_SHAPE_CYLINDER] = "r,h",
                                                             [TOI_SHAPE_CONE] = "r,h",
                                                             [TOI_SHAPE_PLANE] = "nx,ny,nz,d",
                                                             [TOI_SHAPE_TORUS] = "R,r",
                                                             [TOI_SHAPE_SPIKES] =
                                                                 "spacing,height,radius",
                                                             [TOI_SHAPE_GYROID] = "cell,thickness"};

const char field_help[] =
    "FIELD is a shape, sphere:r box:hx,hy,hz rounded-box:hx,hy,hz,r capsule:r,h\n"
    "cylinder:r,h cone:r,h plane:nx,ny,nz,d torus:R,r spikes:spacing,height,radius\n"
    "gyroid:cell,thickness (h is half a length but for the cone), or a file: FILE.sdf\n"
    "is a baked field, .ply .obj .stl a mesh as its own field. Behind it may stand\n"
    "*s (scaled), ~x,y,z (turned about that axis by its length in radians), @x,y,z\n"
    "(moved there), +d or -d (grown, shrunk). FIELD|FIELD is the union, & the\n"
    "intersection, \\ the first without the second, from left to right; parentheses\n"
    "group. Quote what the shell would read: 'box:1,1,1\\sphere:1.2'.";

typedef struct field_reader
{
    const char *text;
    const char *at;
    int workers;
    int depth; // of parentheses
} field_reader;

// ---------------------------------------------------------------------------------------------
// Words and numbers

// TOI_ERROR_ARGUMENT (or another status) with the text, the place in it and what is wrong there.
static toi_status TOI_PRINTF(4, 5)
    fail_at(const field_reader *r, toi_status status, const char *place, const char *format, ...)
{
    char what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return toi_fail(status, "field '%.*s'%s, character %d: %s", MOST_SHOWN, r->text,
                    strlen(r->text) > MOST_SHOWN ? "..." : "", (int)(place - r->text) + 1, what);
}

// The library's own message, with the place.
static toi_status fail_part(const field_reader *r, toi_status status, const char *place)
{
    char said[400];
    snprintf(said, sizeof said, "%s", toi_last_message());
    return status == TOI_ERROR_ARGUMENT ? fail_at(r, status, place, "%s", said) : status;
}

static void skip_spaces(field_reader *r)
{
    while (isspace((unsigned char)*r->at))
        ++r->at;
}

static bool starts_number(const char *at)
{
    at += *at == '+' || *at == '-';
    return isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
}

static toi_status read_number(field_reader *r, double *number)
{
    char *end;
    if (!starts_number(r->at))
        return fail_at(r, TOI_ERROR_ARGUMENT, r->at, "a number is missing");
    *number = strtod(r->at, &end);
    if (!isfinite(*number))
        return fail_at(r, TOI_ERROR_ARGUMENT, r->at, "this number is not finite");
    r->at = end;
    return TOI_OK;
}

// Exactly `count` numbers with commas between them. `name` and `arguments` are for the message.
static toi_status read_numbers(field_reader *r, int count, const char *name, const char *arguments,
                               double *numbers)
{
    const char *begin = r->at;
    toi_status status = TOI_OK;
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        if (i > 0 && *r->at != ',')
            return fail_at(r, TOI_ERROR_ARGUMENT, r->at, "%s takes %d numbers, %s; here are %d",
                           name, count, arguments, i);
        r->at += i > 0;
        status = read_number(r, &numbers[i]);
    }
    if (status == TOI_OK && *r->at == ',')
        return fail_at(r, TOI_ERROR_ARGUMENT, begin, "%s takes %d number%s, %s; here are more",
                       name, count, count == 1 ? "" : "s", arguments);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Shapes and files

static const char *shape_choice(int index)
{
    return toi_shape_name((toi_shape)index);
}

static toi_status read_shape(field_reader *r, size_t length, toi_field **field)
{
    const char *begin = r->at;
    int shape = find_name(begin, length, shape_choice);
    if (shape < 0) {
        fail_name("there is no shape", begin, length, shape_choice);
        return fail_part(r, TOI_ERROR_ARGUMENT, begin);
    }
    double numbers[MOST_NUMBERS];
    int count = toi_shape_numbers((toi_shape)shape);
    r->at += length + 1;
    toi_status status =
        read_numbers(r, count, shape_choice(shape), shape_arguments[shape], numbers);
    if (status != TOI_OK)
        return status;
    status = toi_make_shape((toi_shape)shape, numbers, count, field);
    return status == TOI_OK ? TOI_OK : fail_part(r, status, begin);
}

// Says what a field of an open mesh means, once a mesh.
static void note_open(const char *path, const toi_mesh_field_report *report)
{
    if (report->open_edges > 0)
        fprintf(stderr,
                "%s: note: %s is open: %lld sides of faces have no partner, the first from vertex "
                "%d to %d; inside is where the winding number is at least 1/2\n",
                program_name(), path, (long long)report->open_edges, report->open_edge[0],
                report->open_edge[1]);
}

static toi_status open_mesh(const char *path, int workers, toi_field **field)
{
    toi_mesh_file mesh;
    toi_mesh_field_report report;
    toi_status status = toi_read_mesh(path, &mesh);
    if (status != TOI_OK)
        return status;
    status = toi_make_mesh_field(toi_view_points((const double *)mesh.points, mesh.point_count),
                                 (toi_index_view){(const int32_t *)mesh.faces, mesh.face_count, 0},
                                 workers, &report, field);
    if (status == TOI_OK)
        note_open(path, &report);
    toi_free_mesh_file(&mesh);
    return status;
}

// Is this where a part of a field can end?
static bool ends_part(const char *at)
{
    if (strchr("+-", *at) && *at)
        return isdigit((unsigned char)at[1]) || at[1] == '.';
    return strchr("@*~|&\\()", *at) || isspace((unsigned char)*at); // the end counts
}

// The length of the file's name that the text begins with: up to an ending that we know.
static size_t file_length(const char *text)
{
    static const char *const endings[] = {".sdf", ".ply", ".obj", ".stl"};
    for (const char *at = text; *at; ++at)
        for (int i = 0; *at == '.' && i < 4; ++i)
            if (strncasecmp(at, endings[i], 4) == 0 && ends_part(at + 4))
                return (size_t)(at + 4 - text);
    return 0;
}

static toi_status read_file(field_reader *r, toi_field **field)
{
    size_t length = file_length(r->at);
    if (length == 0)
        return fail_at(r, TOI_ERROR_ARGUMENT, r->at,
                       "'%.40s' is neither SHAPE:NUMBERS nor a file that ends in .sdf, .ply, .obj "
                       "or .stl",
                       r->at);
    char *path = toi_allocate(length + 1);
    if (!path)
        return TOI_ERROR_MEMORY;
    memcpy(path, r->at, length);
    path[length] = '\0';
    r->at += length;
    toi_status status = strcasecmp(path + length - 4, ".sdf") == 0
                            ? toi_read_field(path, field)
                            : open_mesh(path, r->workers, field);
    toi_release(path);
    return status;
}

// A name with a colon behind it is a shape; a file may have one in its name after a dot or a slash.
static toi_status read_shape_or_file(field_reader *r, toi_field **field)
{
    size_t length = strcspn(r->at, ":@+*~|&\\() \t./");
    return r->at[length] == ':' ? read_shape(r, length, field) : read_file(r, field);
}

// ---------------------------------------------------------------------------------------------
// Placements

// What stands behind a part, as long as one placement can hold it: it scales and turns first, then
// moves and grows.
typedef struct pending_placement
{
    toi_placement placement;
    bool scaled;
    bool turned;
    bool moved;
    bool grown;
} pending_placement;

static bool is_pending(const pending_placement *p)
{
    return p->scaled || p->turned || p->moved || p->grown;
}

// Must what is pending be applied before this sign can be read?
static bool must_apply(const pending_placement *p, char sign)
{
    switch (sign) {
    case '*':
        return p->scaled || p->moved || p->grown;
    case '~':
        return p->turned || p->moved || p->grown;
    case '@':
        return p->moved;
    default:
        return p->grown;
    }
}

// Replaces the field by the placed one.
static toi_status apply_placement(const field_reader *r, const char *place, pending_placement *p,
                                  toi_field **field)
{
    toi_field *inner = *field;
    toi_status status = is_pending(p) ? toi_place_field(inner, &p->placement, field) : TOI_OK;
    if (is_pending(p))
        toi_free_field(inner);
    *p = (pending_placement){.placement = toi_default_placement()};
    return status == TOI_OK ? TOI_OK : fail_part(r, status, place);
}

static void turn_placement(toi_placement *placement, const double axis[3])
{
    double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double share = angle > 0 ? sin(0.5 * angle) / angle : 0;
    placement->rotation[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; ++i)
        placement->rotation[1 + i] = share * axis[i];
}

static toi_status read_suffix(field_reader *r, pending_placement *p)
{
    char sign = *r->at;
    double numbers[3] = {0};
    r->at += sign != '+' && sign != '-';
    if (sign == '*') {
        p->scaled = true;
        return read_numbers(r, 1, "*", "s", &p->placement.scale);
    }
    if (sign == '@') {
        p->moved = true;
        return read_numbers(r, 3, "@", "x,y,z", p->placement.position);
    }
    if (sign == '~') {
        p->turned = true;
        toi_status status = read_numbers(r, 3, "~", "x,y,z", numbers);
        if (status == TOI_OK)
            turn_placement(&p->placement, numbers);
        return status;
    }
    p->grown = true;
    return read_numbers(r, 1, "an offset", "+d or -d", &p->placement.offset);
}

static toi_status read_suffixes(field_reader *r, toi_field **field)
{
    pending_placement pending = {.placement = toi_default_placement()};
    const char *begin = r->at;
    toi_status status = TOI_OK;
    while (status == TOI_OK && *r->at && strchr("*~@+-", *r->at)) {
        if (must_apply(&pending, *r->at)) {
            status = apply_placement(r, begin, &pending, field);
            begin = r->at;
        }
        if (status == TOI_OK)
            status = read_suffix(r, &pending);
    }
    return status == TOI_OK ? apply_placement(r, begin, &pending, field) : status;
}

// ---------------------------------------------------------------------------------------------
// Combinations

static toi_status read_expression(field_reader *r, toi_field **field);

static toi_status read_group(field_reader *r, toi_field **field)
{
    const char *begin = r->at++;
    if (++r->depth > MOST_NESTING)
        return fail_at(r, TOI_ERROR_ARGUMENT, begin, "more than %d parentheses within each other",
                       MOST_NESTING);
    toi_status status = read_expression(r, field);
    --r->depth;
    if (status == TOI_OK && *r->at != ')')
        return fail_at(r, TOI_ERROR_ARGUMENT, begin, "this parenthesis is never closed");
    r->at += status == TOI_OK;
    return status;
}

static toi_status read_part(field_reader *r, toi_field **field)
{
    skip_spaces(r);
    if (!*r->at || strchr("|&\\)", *r->at))
        return fail_at(r, TOI_ERROR_ARGUMENT, r->at, "a shape or a file is missing here");
    toi_status status = *r->at == '(' ? read_group(r, field) : read_shape_or_file(r, field);
    if (status == TOI_OK)
        status = read_suffixes(r, field);
    skip_spaces(r);
    return status;
}

static toi_combination combination_of(char sign)
{
    return sign == '|'   ? TOI_COMBINE_UNION
           : sign == '&' ? TOI_COMBINE_INTERSECTION
                         : TOI_COMBINE_DIFFERENCE;
}

// Parts that one sign joins.
typedef struct part_list
{
    toi_field *at[MOST_PARTS];
    int count;
} part_list;

static void free_parts(part_list *parts)
{
    for (int i = 0; i < parts->count; ++i)
        toi_free_field(parts->at[i]);
    parts->count = 0;
}

// Makes one part of all.
static toi_status join_parts(const field_reader *r, const char *place, char sign, part_list *parts)
{
    if (parts->count < 2)
        return TOI_OK;
    toi_field *joined = NULL;
    toi_status status = toi_combine_fields(combination_of(sign), parts->at, parts->count, &joined);
    free_parts(parts);
    if (status != TOI_OK)
        return fail_part(r, status, place);
    parts->at[parts->count++] = joined;
    return TOI_OK;
}

static toi_status add_part(field_reader *r, part_list *parts)
{
    if (parts->count == MOST_PARTS)
        return fail_at(r, TOI_ERROR_ARGUMENT, r->at, "more than %d parts", MOST_PARTS);
    toi_field *part = NULL;
    toi_status status = read_part(r, &part);
    if (status == TOI_OK)
        parts->at[parts->count++] = part;
    else
        toi_free_field(part);
    return status;
}

// Parts joined from left to right. The signs follow each other in runs; a run is one combination.
static toi_status read_expression(field_reader *r, toi_field **field)
{
    part_list parts = {.count = 0};
    const char *begin = r->at;
    toi_status status = add_part(r, &parts);
    char sign = *r->at;
    while (status == TOI_OK && *r->at && strchr("|&\\", *r->at)) {
        if (*r->at != sign)
            status = join_parts(r, begin, sign, &parts);
        sign = *r->at++;
        if (status == TOI_OK)
            status = add_part(r, &parts);
    }
    if (status == TOI_OK)
        status = join_parts(r, begin, sign, &parts);
    if (status == TOI_OK)
        *field = parts.at[0];
    else
        free_parts(&parts);
    return status;
}

toi_status parse_field(const char *text, int workers, toi_field **field)
{
    field_reader r = {.text = text, .at = text, .workers = workers};
    *field = NULL;
    toi_status status = read_expression(&r, field);
    if (status == TOI_OK && *r.at) {
        status = *r.at == ')' ? fail_at(&r, TOI_ERROR_ARGUMENT, r.at, "no parenthesis is open")
                              : fail_at(&r, TOI_ERROR_ARGUMENT, r.at,
                                        "'%.20s' is neither a placement (* ~ @ + -) nor a sign "
                                        "that joins parts (| & \\)",
                                        r.at);
        toi_free_field(*field);
        *field = NULL;
    }
    return status;
}
