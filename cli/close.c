// toi close: the pairs of one frame that are close, and the closest of all.

#include "command.h"
#include "failure.h"
#include "frames.h"
#include "json.h"
#include "machine.h"
#include "method_options.h"
#include "output.h"
#include "progress.h"
#include "text.h"

#include "toi/close.h"

#include <float.h>
#include <stdio.h>

typedef struct settings
{
    toi_ccd_def def;
    scene_choice choice;
    common common;
    machine_choice machine;
    double radius;
    const char *out;
} settings;

static const option close_options[] = {
    {.name = "radius",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, radius),
     .argument = "R",
     .help = "list the pairs at this distance or closer; 0, the default: those that touch",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.csv",
     .help = "write every pair as kind,a,b,distance_hex,u,v,distance,part_a,part_b"},
    {0}};

// Which distance it is that two parts have.
typedef enum measure
{
    POINT_POINT,
    POINT_LINE,
    POINT_PLANE,
    LINE_LINE,
    MEASURES
} measure;

static const char *const measure_names[MEASURES] = {"point-point", "point-line", "point-plane",
                                                    "line-line"};

typedef struct answer
{
    toi_scene *scene;
    toi_close_array close;
    toi_close_pair closest;
    toi_ccd_report report;
    int64_t measures[MEASURES];
    uint64_t hash;
} answer;

// ---------------------------------------------------------------------------------------------
// Finding

static measure measure_of(const toi_close_pair *c)
{
    bool inside_a = c->part_a == TOI_PART_INSIDE, inside_b = c->part_b == TOI_PART_INSIDE;
    if (c->kind == TOI_VERTEX_FACE)
        return inside_b ? POINT_PLANE : c->part_b >= TOI_PART_SIDE_01 ? POINT_LINE : POINT_POINT;
    return inside_a && inside_b ? LINE_LINE : inside_a || inside_b ? POINT_LINE : POINT_POINT;
}

static toi_status find(const settings *s, const toi_mesh *mesh, answer *a)
{
    progress bar = start_progress(s->common.repeat + 1);
    toi_ccd_def def = s->def;
    def.progress = progress_function();
    def.progress_context = &bar;
    toi_status status = make_kept_scene(mesh, &a->scene);
    for (; bar.run < s->common.repeat && status == TOI_OK; ++bar.run) {
        toi_ccd_report report;
        status = toi_scene_find_close(a->scene, &def, mesh->start, s->radius, &a->close, &report);
        if (bar.run == 0 || report.seconds_total < a->report.seconds_total)
            a->report = report;
    }
    if (status == TOI_OK)
        status = toi_scene_find_distance(a->scene, &def, mesh->start, &a->closest, NULL);
    end_progress(&bar);
    for (int64_t i = 0; i < a->close.count; ++i)
        ++a->measures[measure_of(&a->close.data[i])];
    a->hash = toi_hash(a->close.data, (size_t)a->close.count * sizeof *a->close.data);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reports

static toi_status write_file(const char *path, const toi_close_array *close)
{
    toi_output output;
    toi_status status = path ? toi_open_output(path, &output) : TOI_OK;
    if (status != TOI_OK || !path)
        return status;
    for (int64_t i = 0; i < close->count; ++i) {
        const toi_close_pair *c = &close->data[i];
        write_pair(output.file, kind_choice(c->kind), c->a, c->b, ',');
        fprintf(output.file, "%a,%.17g,%.17g,%.17g,%s,%s\n", c->distance, c->u, c->v, c->distance,
                toi_part_name((toi_part)c->part_a), toi_part_name((toi_part)c->part_b));
    }
    return toi_close_output(&output);
}

// The counts of all four kinds, whether there are any or not.
static json_t *close_object(const int64_t counts[TOI_KIND_COUNT])
{
    json_t *object = json_object();
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        json_object_set_new(object, kind_choice(kind), json_integer(counts[kind]));
    return object;
}

static json_t *smallest_object(const toi_close_pair *c)
{
    return c->a < 0 ? json_null()
                    : json_pack("{s:s, s:i, s:i, s:f, s:s}", "kind", kind_choice(c->kind), "a",
                                c->a, "b", c->b, "distance", c->distance, "distance_hex",
                                time_hex(c->distance).at);
}

static json_t *closest_object(const toi_close_pair *c)
{
    return c->a < 0
               ? json_null()
               : json_pack("{s:s, s:i, s:i, s:s, s:s, s:f, s:f, s:f}", "kind", kind_choice(c->kind),
                           "a", c->a, "b", c->b, "part_a", toi_part_name((toi_part)c->part_a),
                           "part_b", toi_part_name((toi_part)c->part_b), "distance", c->distance,
                           "u", c->u, "v", c->v);
}

static toi_status print_object(const settings *s, const toi_mesh *mesh, const answer *a,
                               int threads)
{
    const toi_ccd_report *r = &a->report;
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:s, s:s, s:i, s:f, s:{s:I, s:I, s:I, s:I}, s:o, s:{s:f, s:f, s:f, s:f}, "
        "s:o, "
        "s:I}",
        "vertices", (json_int_t)mesh->start.count, "edges", (json_int_t)mesh->edges.count, "faces",
        (json_int_t)mesh->faces.count, "broad", broad_choice((int)s->def.broad.method), "device",
        device_choice(s->machine.device), "threads", threads, "radius", s->radius, "distances",
        measure_names[0], (json_int_t)a->measures[0], measure_names[1], (json_int_t)a->measures[1],
        measure_names[2], (json_int_t)a->measures[2], measure_names[3], (json_int_t)a->measures[3],
        "closest", closest_object(&a->closest), "seconds", "prepare", r->seconds_prepare, "search",
        r->seconds_broad, "measure", r->seconds_narrow, "total", r->seconds_total, "hash",
        json_hash(a->hash), "peak_bytes", (json_int_t)r->peak_bytes);
    if (object) {
        add_kinds(object, r->hits);
        json_object_set_new(object, "close", close_object(r->hits));
        json_object_set_new(object, "smallest", smallest_object(&a->closest));
    }
    return print_json(object);
}

static void print_closest(const toi_close_pair *c)
{
    if (c->a < 0)
        printf("closest no pair at all\n");
    else
        printf("closest %s %d %d at %.17g (%s, %s)\n", kind_choice(c->kind), c->a, c->b,
               c->distance, toi_part_name((toi_part)c->part_a), toi_part_name((toi_part)c->part_b));
}

static void print_summary(const settings *s, const char *name, const toi_mesh *mesh,
                          const answer *a, int threads)
{
    const toi_ccd_report *r = &a->report;
    printf("%s\n", name);
    printf("mesh    %s vertices, %s edges, %s faces\n", count_text(mesh->start.count).at,
           count_text(mesh->edges.count).at, count_text(mesh->faces.count).at);
    printf("method  %s, %d thread%s\n", broad_choice((int)s->def.broad.method), threads,
           threads == 1 ? "" : "s");
    if (s->def.device)
        printf("device  %s, %s of its memory\n", toi_describe_device(s->def.device).name,
               bytes_text(toi_device_last_report(s->def.device).peak_bytes).at);
    printf("close   ");
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        if (kind < TOI_PAIR_KINDS || r->hits[kind] > 0)
            printf("%s%s %s", kind > 0 ? ", " : "", count_text(r->hits[kind]).at,
                   kind_choice(kind));
    printf(" within %g\n        ", s->radius);
    for (int i = 0; i < MEASURES; ++i)
        printf("%s%s %s", i > 0 ? ", " : "", count_text(a->measures[i]).at, measure_names[i]);
    printf("\n");
    print_closest(&a->closest);
    printf("time    prepare %s, search %s, measure %s, total %s\n",
           seconds_text(r->seconds_prepare).at, seconds_text(r->seconds_broad).at,
           seconds_text(r->seconds_narrow).at, seconds_text(r->seconds_total).at);
    printf("memory  %s working\n", bytes_text(r->peak_bytes).at);
    printf("hash    %s\n", hash_text(a->hash).at);
    if (s->out)
        printf("file    %s\n", s->out);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

// One frame: a file that is its own end, or the first of a scene's two.
static toi_status load_frame(const scene_choice *choice, const operand_list *operands, frames *f)
{
    if (!choice->scene && operands->count == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "a file is needed, FRAME, or --scene NAME");
    const char *twice[] = {operands->count > 0 ? operands->at[0] : NULL, NULL};
    twice[1] = twice[0];
    operand_list both = {twice, 2 * operands->count};
    toi_status status = load_frames(choice, &both, f);
    if (status == TOI_OK && choice->scene)
        snprintf(f->name, sizeof f->name, "%s, frame %d", choice->scene,
                 choice->frame >= 0 ? choice->frame : f->made.frames - 2);
    else if (status == TOI_OK)
        snprintf(f->name, sizeof f->name, "%s", twice[0]);
    return status;
}

static toi_status run(settings *s, const operand_list *operands)
{
    frames f = {0};
    answer a = {.close = {0}};
    int threads = apply_threads(&s->common);
    s->def.workers = threads;
    toi_status status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->out);
    if (status == TOI_OK)
        status = open_machine(&s->machine, s->def.memory_limit, &s->def.device);
    if (status == TOI_OK)
        status = load_frame(&s->choice, operands, &f);
    if (status == TOI_OK)
        status = find(s, &f.mesh, &a);
    if (status == TOI_OK)
        status = write_file(s->out, &a.close);
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &f.mesh, &a, threads);
    else if (status == TOI_OK)
        print_summary(s, f.name, &f.mesh, &a, threads);
    toi_free_scene(a.scene);
    toi_free_close(&a.close);
    free_frames(&f);
    toi_close_device(s->def.device);
    return status;
}

int run_close(int argc, char **argv)
{
    settings s = {
        .def = toi_default_ccd_def(), .choice = default_scene_choice(), .common = default_common()};
    const option_group groups[] = {{"Distances", close_options, &s},
                                   {"Machine", machine_options, &s.machine},
                                   {"A scene instead of a file", frame_options, &s.choice},
                                   {"Candidates", broad_options, &s.def},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "close FRAME [OPTION...]\nclose --scene NAME [OPTION...]",
        .about = "Finds the pairs of a vertex and a face, and of two edges, that are close in one\n"
                 "frame of a mesh, and the closest pair of all. It counts them by what decides\n"
                 "their distance: two points, a point and a line, a point and a plane, two lines.\n"
                 "Loose points take part too. Of a scene it takes frame I. The hash is XXH64 of\n"
                 "the sorted list.",
        .examples = "close frame.ply --radius 0.01 --out close.csv\n"
                    "close frame.ply --radius 0.01 --device cuda\n"
                    "close --scene cloth-ball --begin 0.7 --radius 0.001 --json",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
