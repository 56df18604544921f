// Meshes from files: which format it is, one frame or two.

#include "base/fp_mode.h"
#include "io/mesh_format.h"
#include "io/text.h"
#include "io/weld.h"

#include <assert.h>

typedef enum mesh_format
{
    UNKNOWN,
    PLY,
    OBJ,
    STL
} mesh_format;

// By the first words of the text.
static mesh_format format_of_text(const toi_source *source)
{
    static const char *const obj_keywords[] = {"v", "vt", "vn", "f",      "l",     "p",
                                               "o", "g",  "s",  "mtllib", "usemtl"};
    toi_text text = {source->name, source->data, source->data + source->size, 1};
    toi_span word = toi_text_word_anywhere(&text);
    if (toi_span_is_any_case(word, "solid"))
        return STL;
    while (word.size > 0 && *word.at == '#') {
        toi_text_next_line(&text);
        word = toi_text_word_anywhere(&text);
    }
    for (size_t i = 0; i < sizeof obj_keywords / sizeof *obj_keywords; ++i)
        if (toi_span_is(word, obj_keywords[i]))
            return OBJ;
    return UNKNOWN;
}

static mesh_format format_of_contents(const toi_source *source)
{
    const char *data = source->data;
    if (source->size >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r'))
        return PLY;
    return toi_is_binary_stl(source) ? STL : format_of_text(source);
}

static mesh_format format_of_name(const char *name)
{
    size_t size = strlen(name);
    toi_span ending = size < 4 ? (toi_span){name, 0} : (toi_span){name + size - 4, 4};
    if (toi_span_is_any_case(ending, ".ply"))
        return PLY;
    if (toi_span_is_any_case(ending, ".obj"))
        return OBJ;
    return toi_span_is_any_case(ending, ".stl") ? STL : UNKNOWN;
}

// Leaves an STL's corners apart.
static toi_status parse(const toi_source *source, toi_mesh_file *mesh, mesh_format *format)
{
    *format = UNKNOWN;
    if (source->size == 0)
        return toi_fail(TOI_ERROR_FORMAT, "%s: the file is empty", source->name);
    *format = format_of_contents(source);
    if (*format == UNKNOWN)
        *format = format_of_name(source->name);
    toi_builder builder = {0};
    toi_status status;
    if (*format == PLY)
        status = toi_parse_ply(source, &builder);
    else if (*format == OBJ)
        status = toi_parse_obj(source, &builder);
    else if (*format == STL)
        status = toi_parse_stl(source, &builder);
    else
        status = toi_byte_fail(source, 0, TOI_ERROR_FORMAT, "neither PLY, OBJ nor STL");
    *mesh = builder.mesh;
    if (status == TOI_ERROR_LIMIT)
        return toi_fail(status, "%s: has more than 2,147,483,647 points, faces or edges",
                        source->name);
    return status;
}

static toi_status check_same_rows(const toi_source *start, const toi_source *end, const char *what,
                                  const int32_t *a, int64_t a_count, const int32_t *b,
                                  int64_t b_count, int columns)
{
    if (a_count != b_count)
        return toi_fail(TOI_ERROR_DATA, "%s: has %lld %s, %s has %lld", end->name,
                        (long long)b_count, what, start->name, (long long)a_count);
    for (int64_t i = 0; columns > 0 && i < a_count * columns; ++i)
        if (a[i] != b[i])
            return toi_fail(TOI_ERROR_DATA, "%s: number %lld of its %s names vertex %d, in %s %d",
                            end->name, (long long)(i / columns), what, (int)b[i], start->name,
                            (int)a[i]);
    return TOI_OK;
}

// The same vertices, faces and loose edges.
static toi_status check_same(const toi_source *start_source, const toi_mesh_file *start,
                             const toi_source *end_source, const toi_mesh_file *end)
{
    toi_status status = check_same_rows(start_source, end_source, "points", NULL,
                                        start->point_count, NULL, end->point_count, 0);
    if (status == TOI_OK)
        status =
            check_same_rows(start_source, end_source, "faces", (const int32_t *)start->faces,
                            start->face_count, (const int32_t *)end->faces, end->face_count, 3);
    if (status == TOI_OK)
        status = check_same_rows(start_source, end_source, "edges",
                                 (const int32_t *)start->loose_edges, start->loose_edge_count,
                                 (const int32_t *)end->loose_edges, end->loose_edge_count, 2);
    return status;
}

static toi_status parse_frames(const toi_source *start_source, const toi_source *end_source,
                               toi_mesh_file *start, toi_mesh_file *end)
{
    mesh_format start_format;
    mesh_format end_format;
    toi_status status = parse(start_source, start, &start_format);
    if (status == TOI_OK)
        status = parse(end_source, end, &end_format);
    if (status != TOI_OK)
        return status;
    if ((start_format == STL) != (end_format == STL))
        return toi_fail(TOI_ERROR_DATA,
                        "%s: only one of it and %s is an STL, which has no vertices of its own; "
                        "save both in one format",
                        end_source->name, start_source->name);
    status = check_same(start_source, start, end_source, end);
    if (status == TOI_OK && start_format == STL)
        status = toi_weld(start, end);
    return status;
}

toi_status toi_parse_mesh(const char *name, const void *data, size_t size, toi_mesh_file *mesh)
{
    TOI_GUARD_FP;
    assert(name && mesh && (data || size == 0));
    *mesh = (toi_mesh_file){0};
    toi_source source = {name, data, size};
    mesh_format format;
    toi_status status = parse(&source, mesh, &format);
    if (status == TOI_OK && format == STL)
        status = toi_weld(mesh, NULL);
    if (status != TOI_OK)
        toi_free_mesh_file(mesh);
    return status;
}

toi_status toi_read_mesh(const char *path, toi_mesh_file *mesh)
{
    TOI_GUARD_FP;
    assert(path && mesh);
    *mesh = (toi_mesh_file){0};
    toi_source source;
    toi_status status = toi_load(path, &source);
    if (status == TOI_OK)
        status = toi_parse_mesh(path, source.data, source.size, mesh);
    toi_unload(&source);
    return status;
}

toi_status toi_read_frames(const char *start_path, const char *end_path, toi_mesh_file *start,
                           toi_mesh_file *end)
{
    TOI_GUARD_FP;
    assert(start_path && end_path && start && end && start != end);
    *start = (toi_mesh_file){0};
    *end = (toi_mesh_file){0};
    toi_source start_source;
    toi_source end_source = {0};
    toi_status status = toi_load(start_path, &start_source);
    if (status == TOI_OK)
        status = toi_load(end_path, &end_source);
    if (status == TOI_OK)
        status = parse_frames(&start_source, &end_source, start, end);
    toi_unload(&start_source);
    toi_unload(&end_source);
    if (status != TOI_OK) {
        toi_free_mesh_file(start);
        toi_free_mesh_file(end);
    }
    return status;
}

void toi_free_mesh_file(toi_mesh_file *mesh)
{
    toi_release(mesh->points);
    toi_release(mesh->faces);
    toi_release(mesh->loose_edges);
    *mesh = (toi_mesh_file){0};
}
