// toi intersect: all pairs of faces of a mesh, or of two, that intersect.

#include "command.h"
#include "failure.h"
#include "machine.h"
#include "method_options.h"
#include "output.h"
#include "overlap_mesh.h"
#include "overlap_picture.h"
#include "overlap_text.h"
#include "picture_options.h"
#include "progress.h"

#include <inttypes.h>
#include <string.h>

typedef struct settings
{
    toi_overlap_def def;
    scene_choice choice;
    common common;
    picture_choice picture;
    machine_choice machine;
    bool count;
    bool stateless;
    const char *classes; // a list, or NULL: all
    const char *out;     // paths, or NULL
    const char *figures;
    const char *flags;
} settings;

static const option search_options[] = {
    {.name = "method",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, def.method),
     .argument = "METHOD",
     .help = "how candidates are found: auto, kdet (a hierarchical hash grid) or brute (every "
             "pair); all give the same answer",
     .choice = overlap_method_choice},
    {.name = "hash",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, def.hash),
     .argument = "HASH",
     .help =
         "how kdet finds the bucket of a cell: bricks, djb2 or morton; all give the same answer",
     .choice = cell_hash_choice},
    {.name = "classes",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, classes),
     .argument = "LIST",
     .help = "only these: crossing, coplanar, segment, point (of faces that share no vertex), "
             "vertex, edge, same (of faces that share one, two or three); as a,b; default: all"},
    {.name = "limit",
     .type = OPTION_INT64,
     .offset = offsetof(settings, def.limit),
     .argument = "N",
     .help = "at most the first N pairs; default: all",
     .least = 1,
     .most = (double)INT64_MAX,
     .range = "a whole number of at least 1"},
    {.name = "count",
     .offset = offsetof(settings, count),
     .help = "only count: no list is made, nothing is hashed"},
    {.name = "memory-limit",
     .type = OPTION_BYTES,
     .offset = offsetof(settings, def.memory_limit),
     .argument = "BYTES",
     .help = "most working memory, beside the mesh: 1048576, 64M, 1G",
     .least = 1,
     .most = (double)INT64_MAX,
     .range = "1 byte or more, such as 1048576, 64M or 1G"},
    {.name = "stateless",
     .offset = offsetof(settings, stateless),
     .help = "with --repeat: every run makes all anew, instead of keeping a scene"},
    {0}};

static const option file_options[] = {
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.csv",
     .help = "write every pair, sorted: a,b,class; of two meshes a is a face of the first and b "
             "one of the second, each by its own number"},
    {.name = "figures",
     .type = OPTION_FILE,
     .offset = offsetof(settings, figures),
     .argument = "FILE.csv",
     .help = "write what each pair has in common, a corner a line: a,b,class,corner,x,y,z; one "
             "corner is a point, two a segment, more a polygon"},
    {.name = "flags",
     .type = OPTION_FILE,
     .offset = offsetof(settings, flags),
     .argument = "FILE.csv",
     .help = "write of every face whether it intersects another: mesh,face,intersects; mesh is 1 "
             "or 2, intersects 0 or 1; --limit does not matter"},
    {0}};

typedef struct answer
{
    toi_scene *scene;
    toi_overlap_array pairs;
    toi_overlap_report report;
    uint64_t hash;
} answer;

// ---------------------------------------------------------------------------------------------
// Finding

static toi_status make_scene(const instant *m, answer *a)
{
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = m->mesh.start.count;
    def.faces = m->mesh.faces;
    def.filter = m->filter;
    return toi_make_scene(&def, &a->scene);
}

// A scene has its own filter.
static toi_status ask(const settings *s, const toi_overlap_def *def, const instant *m, answer *a,
                      toi_overlap_report *report)
{
    toi_overlap_def scene_def = *def;
    scene_def.filter = (toi_filter){0};
    if (s->count)
        return a->scene ? toi_scene_count_overlaps(a->scene, &scene_def, m->mesh.start, report)
                        : toi_count_overlaps(def, &m->mesh, report);
    return a->scene
               ? toi_scene_find_overlaps(a->scene, &scene_def, m->mesh.start, &a->pairs, report)
               : toi_find_overlaps(def, &m->mesh, &a->pairs, report);
}

// One run is a call that knows nothing; further ones keep what the faces give.
static toi_status find(const settings *s, const instant *m, answer *a)
{
    progress bar = start_progress(s->common.repeat);
    toi_overlap_def def = s->def;
    def.filter = m->filter;
    def.progress = progress_function();
    def.progress_context = &bar;
    toi_status status = s->common.repeat > 1 && !s->stateless ? make_scene(m, a) : TOI_OK;
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run) {
        toi_overlap_report report;
        status = ask(s, &def, m, a, &report);
        if (bar.run == 0 || report.seconds_total < a->report.seconds_total)
            a->report = report;
    }
    end_progress(&bar);
    return status;
}

// The second mesh's faces by their own numbers, from here on; the mesh has them behind the first's.
static void renumber(const instant *m, answer *a)
{
    for (int64_t i = 0; i < a->pairs.count && m->two; ++i)
        a->pairs.data[i].b -= (int32_t)m->first_faces;
    a->hash = toi_hash(a->pairs.data, (size_t)a->pairs.count * sizeof *a->pairs.data);
}

// ---------------------------------------------------------------------------------------------
// Files

static toi_status write_list(const char *path, const toi_overlap_array *pairs)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fputs("a,b,class\n", output.file);
    for (int64_t i = 0; i < pairs->count; ++i)
        fprintf(output.file, "%" PRId32 ",%" PRId32 ",%s\n", pairs->data[i].a, pairs->data[i].b,
                overlap_class_choice(pairs->data[i].overlap_class));
    return toi_close_output(&output);
}

static toi_status write_figure(FILE *file, const instant *m, const toi_overlap *pair)
{
    toi_overlap_figure figure;
    toi_status status = toi_find_overlap_figure(&m->mesh, pair->a, pair->b, &figure);
    int32_t b = pair->b - (m->two ? (int32_t)m->first_faces : 0);
    for (int i = 0; i < figure.count && status == TOI_OK; ++i)
        fprintf(file, "%" PRId32 ",%" PRId32 ",%s,%d,%.17g,%.17g,%.17g\n", pair->a, b,
                overlap_class_choice(pair->overlap_class), i, figure.points[i][0],
                figure.points[i][1], figure.points[i][2]);
    return status;
}

static toi_status write_figures(const char *path, const instant *m, const toi_overlap_array *pairs)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fputs("a,b,class,corner,x,y,z\n", output.file);
    for (int64_t i = 0; i < pairs->count && status == TOI_OK; ++i)
        status = write_figure(output.file, m, &pairs->data[i]);
    if (status != TOI_OK)
        toi_discard_output(&output);
    return status == TOI_OK ? toi_close_output(&output) : status;
}

static toi_status print_flags(const char *path, const instant *m, const uint8_t *flags)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fputs("mesh,face,intersects\n", output.file);
    for (int64_t i = 0; i < m->mesh.faces.count; ++i) {
        bool first = i < m->first_faces;
        fprintf(output.file, "%d,%" PRId64 ",%d\n", first ? 1 : 2, first ? i : i - m->first_faces,
                flags[i]);
    }
    return toi_close_output(&output);
}

static toi_status write_flags(const settings *s, const instant *m)
{
    uint8_t *flags = toi_allocate((size_t)m->mesh.faces.count + 1);
    if (!flags)
        return TOI_ERROR_MEMORY;
    toi_overlap_def def = s->def;
    def.filter = m->filter;
    toi_status status = toi_flag_overlaps(&def, &m->mesh, flags, NULL);
    if (status == TOI_OK)
        status = print_flags(s->flags, m, flags);
    toi_release(flags);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The picture

static void mark_faces(const instant *m, const toi_overlap_array *pairs, uint8_t *kinds)
{
    for (int64_t i = 0; i < m->mesh.faces.count; ++i)
        kinds[i] = i < m->first_faces ? 0 : 1;
    for (int64_t i = 0; i < pairs->count; ++i)
        kinds[pairs->data[i].a] = kinds[pairs->data[i].b] = 2;
}

static toi_status draw(const settings *s, const instant *m, const answer *a)
{
    static const picture_kind line_kinds[] = {{"what they have in common", {0.36, 0.0, 0.10}}};
    picture_kind kinds[] = {{m->two ? "first mesh" : "free", {0.80, 0.82, 0.84}},
                            {"second mesh", {0.60, 0.74, 0.86}},
                            {"intersecting", {0.95, 0.42, 0.30}}};
    line_list lines = {0};
    char subtitle[160];
    uint8_t *marks = toi_allocate((size_t)m->mesh.faces.count + 1);
    toi_status status = marks ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        status = add_figures(&lines, &m->mesh, a->pairs.data, a->pairs.count, 0);
    if (status == TOI_OK) {
        mark_faces(m, &a->pairs, marks);
        snprintf(subtitle, sizeof subtitle, "%s faces, %s%s pair%s intersecting",
                 count_text(m->mesh.faces.count).at, a->report.complete ? "" : "at least ",
                 count_text(a->pairs.count).at, a->pairs.count == 1 ? "" : "s");
        picture p = {.title = m->name,
                     .subtitle = subtitle,
                     .point_count = m->mesh.start.count,
                     .start = m->points,
                     .face_count = m->mesh.faces.count,
                     .faces = m->faces,
                     .face_kinds = marks,
                     .kinds = kinds,
                     .kind_count = 3,
                     .line_count = lines.count,
                     .lines = lines.data,
                     .line_kinds = line_kinds,
                     .line_kind_count = 1,
                     .up = choose_up(s->picture.up, m->scene)};
        status = draw_picture(s->picture.path, &p);
    }
    toi_release(lines.data);
    toi_release(marks);
    return status;
}

static toi_status write_files(const settings *s, const instant *m, answer *a)
{
    toi_status status = TOI_OK;
    if (s->figures)
        status = write_figures(s->figures, m, &a->pairs);
    if (status == TOI_OK && s->flags)
        status = write_flags(s, m);
    if (status == TOI_OK && s->picture.path)
        status = draw(s, m, a);
    renumber(m, a);
    if (status == TOI_OK && s->out)
        status = write_list(s->out, &a->pairs);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reports

static json_t *json_first(const toi_overlap *first, const double place[3])
{
    if (!first)
        return json_null();
    return json_pack("{s:i, s:i, s:s, s:o}", "a", (int)first->a, "b", (int)first->b, "class",
                     overlap_class_choice(first->overlap_class), "point", json_point(place));
}

static toi_status print_object(const settings *s, const instant *m, const answer *a,
                               const double place[3], int threads)
{
    const toi_overlap_report *r = &a->report;
    json_t *object = json_pack(
        "{s:I, s:I, s:s, s:s, s:i, s:I, s:b, s:o, s:I, s:I, s:I, s:{s:f, s:f, s:f}, s:I}",
        "vertices", (json_int_t)m->mesh.start.count, "faces", (json_int_t)m->mesh.faces.count,
        "method", overlap_method_choice((int)s->def.method), "device",
        device_choice(s->machine.device), "threads", threads, "pairs", (json_int_t)r->pairs,
        "complete", (int)r->complete, "classes", json_classes(r->by_class), "candidates",
        (json_int_t)r->candidates, "exact", (json_int_t)r->exact, "stars", (json_int_t)r->stars,
        "seconds", "prepare", r->seconds_prepare, "search", r->seconds_search, "total",
        r->seconds_total, "peak_bytes", (json_int_t)r->peak_bytes);
    if (object && s->def.method == TOI_OVERLAP_KDET)
        json_object_set_new(object, "cell_hash", json_string(cell_hash_choice((int)s->def.hash)));
    if (object && m->two)
        json_object_set_new(object, "meshes",
                            json_pack("[{s:I}, {s:I}]", "faces", (json_int_t)m->first_faces,
                                      "faces", (json_int_t)(m->mesh.faces.count - m->first_faces)));
    if (object && !s->count) {
        json_object_set_new(object, "first",
                            json_first(a->pairs.count > 0 ? a->pairs.data : NULL, place));
        json_object_set_new(object, "hash", json_hash(a->hash));
    }
    return print_json(object);
}

static void print_found(const instant *m, const answer *a, const double place[3])
{
    const toi_overlap_report *r = &a->report;
    if (r->pairs == 0) {
        printf("pairs    none: no face %s\n",
               m->two ? "of one mesh intersects one of the other" : "intersects another");
        return;
    }
    printf("pairs    %s%s: ", count_text(r->pairs).at, r->complete ? "" : ", and there are more");
    print_classes(r->by_class);
    printf("\n");
    if (a->pairs.count == 0)
        return;
    const toi_overlap *first = a->pairs.data;
    printf("first    face %" PRId32 " and face %" PRId32 "%s, %s, at (%.6g, %.6g, %.6g)\n",
           first->a, first->b, m->two ? " of the second mesh" : "",
           overlap_class_choice(first->overlap_class), place[0], place[1], place[2]);
}

static void print_paths(const settings *s)
{
    const struct
    {
        const char *name;
        const char *path;
    } files[] = {{"list", s->out},
                 {"figures", s->figures},
                 {"flags", s->flags},
                 {"picture", s->picture.path}};
    for (int i = 0; i < 4; ++i)
        if (files[i].path)
            printf("%-9s%s\n", files[i].name, files[i].path);
}

static void print_device(const toi_device *device)
{
    toi_device_info info = toi_describe_device(device);
    toi_device_report report = toi_device_last_report(device);
    printf("device   %s, %s of its memory; pairs left to the host: %s\n", info.name,
           bytes_text(report.peak_bytes).at, count_text(report.hard).at);
}

static void print_summary(const settings *s, const instant *m, const answer *a,
                          const double place[3], int threads)
{
    const toi_overlap_report *r = &a->report;
    printf("%s\n", m->name);
    printf("mesh     %s vertices, %s faces\n", count_text(m->mesh.start.count).at,
           count_text(m->mesh.faces.count).at);
    bool hashed = s->def.method == TOI_OVERLAP_KDET;
    printf("method   %s%s%s, %d thread%s\n", overlap_method_choice((int)s->def.method),
           hashed ? " with the hash " : "", hashed ? cell_hash_choice((int)s->def.hash) : "",
           threads, threads == 1 ? "" : "s");
    print_found(m, a, place);
    printf("work     %s pairs looked at one by one, %s of them in exact arithmetic\n",
           count_text(r->candidates).at, count_text(r->exact).at);
    printf("time     prepare %s, search %s, total %s\n", seconds_text(r->seconds_prepare).at,
           seconds_text(r->seconds_search).at, seconds_text(r->seconds_total).at);
    printf("memory   %s working\n", bytes_text(r->peak_bytes).at);
    if (s->def.device)
        print_device(s->def.device);
    if (!s->count)
        printf("hash     %s\n", hash_text(a->hash).at);
    print_paths(s);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status check_settings(settings *s)
{
    bool chosen[TOI_OVERLAP_CLASS_COUNT];
    toi_status status = choose_names("classes", s->classes, overlap_class_choice, chosen);
    if (status == TOI_OK && s->count &&
        (s->out || s->figures || s->picture.path || s->def.limit > 0))
        status = toi_fail(TOI_ERROR_ARGUMENT, "--count makes no list: it goes with none of --out, "
                                              "--figures, --picture and --limit");
    s->def.classes = 0;
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT && status == TOI_OK; ++i)
        s->def.classes |= chosen[i] ? 1u << i : 0u;
    const char *paths[] = {s->out, s->figures, s->flags, s->picture.path};
    for (int i = 0; i < 4 && status == TOI_OK; ++i)
        status = check_output(paths[i]);
    return status;
}

static toi_status run(settings *s, const operand_list *operands)
{
    instant m = {0};
    answer a = {0};
    double place[3] = {0, 0, 0}; // of the first pair
    int threads = apply_threads(&s->common);
    s->def.workers = threads;
    toi_status status = check_settings(s);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = load_instant_mesh(&s->choice, operands, &m);
    if (status == TOI_OK)
        status = open_machine(&s->machine, s->def.memory_limit, &s->def.device);
    if (status == TOI_OK)
        status = find(s, &m, &a);
    if (status == TOI_OK && a.pairs.count > 0)
        status = place_overlap(&m.mesh, a.pairs.data[0].a, a.pairs.data[0].b, place);
    if (status == TOI_OK)
        status = write_files(s, &m, &a);
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &m, &a, place, threads);
    else if (status == TOI_OK)
        print_summary(s, &m, &a, place, threads);
    toi_free_scene(a.scene);
    toi_close_device(s->def.device);
    toi_free_overlaps(&a.pairs);
    free_instant_mesh(&m);
    return status;
}

int run_intersect(int argc, char **argv)
{
    settings s = {.def = toi_default_overlap_def(),
                  .choice = default_scene_choice(),
                  .common = default_common()};
    const option_group groups[] = {{"Search", search_options, &s},
                                   {"Files", file_options, &s},
                                   {"Picture", picture_options, &s.picture},
                                   {"Machine", machine_options, &s.machine},
                                   {"A scene instead of a file", instant_options, &s.choice},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "intersect MESH [OPTION...]\nintersect MESH MESH2 [OPTION...]\n"
                 "intersect --scene NAME [OPTION...]",
        .about =
            "Finds all pairs of faces that intersect: of one mesh, or of two the pairs with\n"
            "a face of each. Exact: touching counts, and so does all that two neighbours have\n"
            "in common beyond the vertices they share. Vertices are told apart by their\n"
            "numbers: faces that only meet at two vertices in the same place touch there\n"
            "(toi check names such vertices). Polygons are cut into triangles, and each\n"
            "triangle is a face. Faces count from 0. The hash is XXH64 of the sorted list.",
        .examples = "intersect body.ply --out pairs.csv\n"
                    "intersect nut.obj bolt.obj --picture contact.png\n"
                    "intersect body.ply --classes crossing,coplanar --count\n"
                    "intersect body.ply --device cuda --repeat 10\n"
                    "intersect --scene cloth-ball --begin 0.95 --size 100000 --repeat 10 --json",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
