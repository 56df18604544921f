// toi sdf bake: a mesh as a grid of its signed distances, in a file.

#include "sdf.h"

#include "failure.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "text.h"
#include "toi/sdf.h"

#include <float.h>
#include <stdio.h>

typedef struct settings
{
    toi_bake_def def;
    common common;
    const char *out;
} settings;

static const char *interpolation_choice(int index)
{
    return toi_interpolation_name((toi_interpolation)index);
}

static const option bake_options[] = {
    {.name = "resolution",
     .type = OPTION_INT,
     .offset = offsetof(settings, def.resolution),
     .argument = "N",
     .help = "cells along the longest side of the mesh's box",
     .least = 2,
     .most = 2048,
     .range = "a whole number from 2 to 2048"},
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.sdf",
     .help = "where the field is written"},
    {.name = "interpolation",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, def.interpolation),
     .argument = "KIND",
     .help = "between the values: trilinear, 8 values a cell, or cubic, 32",
     .choice = interpolation_choice},
    {.name = "padding",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, def.padding),
     .argument = "P",
     .help = "room around the mesh's box, as a share of its longest side",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {.name = "band",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, def.band),
     .argument = "B",
     .help = "store only cells nearer than B cell sizes to the surface in full, farther ones "
             "coarser; 0, the default: all",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {0}};

typedef struct answer
{
    toi_mesh_file mesh;
    toi_bake_report report;
    toi_field *field;
    double seconds; // of baking, without files
} answer;

static toi_status bake(settings *s, int threads, answer *a)
{
    progress bar = start_progress(1);
    s->def.workers = threads;
    s->def.progress = progress_function();
    s->def.progress_context = &bar;
    double begin = seconds_now();
    toi_status status = toi_bake_field(
        &s->def, toi_view_points((const double *)a->mesh.points, a->mesh.point_count),
        (toi_index_view){(const int32_t *)a->mesh.faces, a->mesh.face_count, 0}, &a->report,
        &a->field);
    a->seconds = seconds_now() - begin;
    end_progress(&bar);
    return status;
}

static toi_status hash_field(const toi_field *field, uint64_t *hash)
{
    const void *bytes;
    int64_t size;
    toi_status status = toi_field_bytes(field, &bytes, &size);
    if (status == TOI_OK)
        *hash = toi_hash(bytes, (size_t)size);
    return status;
}

static json_t *mesh_object(const toi_mesh_field_report *m)
{
    return json_pack("{s:I, s:[i,i], s:I, s:f, s:[f,f,f]}", "open_edges", (json_int_t)m->open_edges,
                     "open_edge", m->open_edge[0], m->open_edge[1], "degenerate",
                     (json_int_t)m->degenerate, "doubtful", m->doubtful, "doubtful_point",
                     m->doubtful_point[0], m->doubtful_point[1], m->doubtful_point[2]);
}

static toi_status print_object(const settings *s, const answer *a, uint64_t hash, int threads)
{
    const toi_bake_report *r = &a->report;
    return print_json(json_pack(
        "{s:I, s:I, s:i, s:s, s:i, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o}", "vertices",
        (json_int_t)a->mesh.point_count, "faces", (json_int_t)a->mesh.face_count, "resolution",
        s->def.resolution, "interpolation", interpolation_choice((int)s->def.interpolation),
        "threads", threads, "cells", (json_int_t)r->cells, "bytes", (json_int_t)r->bytes,
        "cell_size", r->cell_size, "error", r->error, "lipschitz", r->lipschitz, "seconds",
        a->seconds, "mesh", mesh_object(&r->mesh), "hash", json_hash(hash)));
}

static void print_mesh(const toi_mesh_field_report *m)
{
    if (m->open_edges > 0)
        printf("open    %s sides of faces have no partner, the first from vertex %d to %d\n",
               count_text(m->open_edges).at, m->open_edge[0], m->open_edge[1]);
    if (m->degenerate > 0)
        printf("flat    %s faces without area\n", count_text(m->degenerate).at);
    if (m->doubtful > 0)
        printf(
            "doubt   inside or outside is unclear at %.3g %% of the grid's points, the first at\n"
            "        %.6g, %.6g, %.6g: close the holes there\n",
            100 * m->doubtful, m->doubtful_point[0], m->doubtful_point[1], m->doubtful_point[2]);
}

static void print_summary(const settings *s, const char *name, const answer *a, uint64_t hash,
                          int threads)
{
    const toi_bake_report *r = &a->report;
    printf("%s\n", name);
    printf("mesh    %s vertices, %s faces\n", count_text(a->mesh.point_count).at,
           count_text(a->mesh.face_count).at);
    print_mesh(&r->mesh);
    printf("grid    %s cells of %.6g, %s\n", count_text(r->cells).at, r->cell_size,
           interpolation_choice((int)s->def.interpolation));
    printf("error   at most %.3g from the mesh's own distance\n", r->error);
    printf("slope   at most %.9g\n", r->lipschitz);
    printf("time    %s, %d thread%s\n", seconds_text(a->seconds).at, threads,
           threads == 1 ? "" : "s");
    printf("hash    %s\n", hash_text(hash).at);
    printf("file    %s, %s\n", s->out, bytes_text(r->bytes).at);
}

static toi_status check_arguments(const settings *s, const operand_list *operands)
{
    if (operands->count == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "a mesh file is needed, MESH");
    if (!s->out)
        return toi_fail(TOI_ERROR_ARGUMENT, "a file to write is needed, --out FILE.sdf");
    return check_output(s->out);
}

static toi_status run(settings *s, const operand_list *operands)
{
    answer a = {.field = NULL};
    uint64_t hash = 0;
    int threads = apply_threads(&s->common);
    toi_status status = check_arguments(s, operands);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = toi_read_mesh(operands->at[0], &a.mesh);
    if (status == TOI_OK)
        status = bake(s, threads, &a);
    if (status == TOI_OK)
        status = toi_write_field(s->out, a.field);
    if (status == TOI_OK)
        status = hash_field(a.field, &hash);
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &a, hash, threads);
    else if (status == TOI_OK)
        print_summary(s, operands->at[0], &a, hash, threads);
    toi_free_field(a.field);
    toi_free_mesh_file(&a.mesh);
    return status;
}

int run_sdf_bake(int argc, char **argv)
{
    settings s = {.def = toi_default_bake_def(), .common = default_common()};
    const option_group groups[] = {
        {"Grid", bake_options, &s}, {"Common", common_options, &s.common}, {0}};
    const command_line line = {
        .usage = "sdf bake MESH --resolution N --out FILE.sdf [OPTION...]",
        .about = "Bakes a mesh (PLY, OBJ, STL) into a grid of its signed distances, for use as a\n"
                 "field. The file holds how far the grid may be from the mesh's own distance, and\n"
                 "how steep it may be, so that answers stay certified. Where the mesh has holes,\n"
                 "inside is where its winding number is at least 1/2. The hash is the file's.",
        .examples = "sdf bake bunny.ply --resolution 128 --out bunny.sdf\n"
                    "sdf bake bunny.ply --resolution 256 --band 4 --out bunny.sdf --json",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
