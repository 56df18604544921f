// toi pairs: the candidate pairs of two frames, found and timed without deciding them.

#include "command.h"
#include "failure.h"
#include "frames.h"
#include "json.h"
#include "method_options.h"
#include "output.h"
#include "pair_lists.h"
#include "progress.h"
#include "text.h"

typedef struct settings
{
    toi_ccd_def def;
    scene_choice choice;
    common common;
    int order; // of the file
    const char *out;
    int device;
} settings;

static const char *order_choice(int index)
{
    static const char *const names[] = {
        [TOI_ORDER_CANONICAL] = "canonical", [TOI_ORDER_OWN] = "own"};
    return index < 2 ? names[index] : NULL;
}

static const option output_options[] = {
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.csv",
     .help = "write every pair as kind,a,b: vf,vertex,face or ee,edge,edge"},
    {.name = "order",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, order),
     .argument = "ORDER",
     .help = "order of that file: canonical (sorted), or own (as found)",
     .choice = order_choice},
    {0}};

typedef struct answer
{
    toi_pair_array pairs[TOI_PAIR_KINDS];
    int64_t counts[TOI_PAIR_KINDS];
    double boxes; // seconds
    double search;
    double sort;
    int64_t peak_bytes;
    uint64_t hash;
} answer;

// ---------------------------------------------------------------------------------------------
// Finding

static toi_status run_once(const settings *s, const toi_mesh *mesh, progress *bar, answer *a)
{
    toi_ccd_def def = s->def;
    def.broad.order = TOI_ORDER_OWN;
    def.progress = progress_function();
    def.progress_context = bar;
    toi_ccd_report report;
    toi_status status = toi_find_all_candidates(&def, mesh, a->pairs, &report);
    if (status != TOI_OK)
        return status;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        a->counts[kind] = a->pairs[kind].count;
    a->boxes = report.seconds_boxes;
    a->search = report.seconds_broad;
    a->peak_bytes = report.peak_bytes;
    return TOI_OK;
}

static toi_status find(const settings *s, const toi_mesh *mesh, answer *a)
{
    progress bar = start_progress(s->common.repeat);
    toi_status status = TOI_OK;
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run) {
        answer run = {0};
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            run.pairs[kind] = a->pairs[kind];
        status = run_once(s, mesh, &bar, &run);
        if (bar.run > 0 && run.boxes + run.search >= a->boxes + a->search) {
            run.boxes = a->boxes;
            run.search = a->search;
        }
        *a = run;
    }
    end_progress(&bar);
    return status;
}

static toi_status write_lists(const char *path, const answer *a)
{
    output_file output;
    toi_status status = open_output(path, &output);
    if (status != TOI_OK)
        return status;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        for (int64_t i = 0; i < a->pairs[kind].count; ++i)
            write_pair(output.file, kind_choice(kind), a->pairs[kind].data[i].a,
                       a->pairs[kind].data[i].b, '\n');
    return close_output(&output);
}

static toi_status sort(int threads, answer *a)
{
    double started = seconds_now();
    toi_status status = sort_pair_lists(a->pairs, threads);
    a->sort = seconds_now() - started;
    a->hash = hash_pair_lists(a->pairs);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reports

static toi_status print_object(const settings *s, const toi_mesh *mesh, const answer *a,
                               int threads)
{
    return print_json(json_pack(
        "{s:I, s:I, s:I, s:s, s:i, s:I, s:I, s:{s:f, s:f, s:f, s:f}, s:o, s:I}", "vertices",
        (json_int_t)mesh->start.count, "edges", (json_int_t)mesh->edges.count, "faces",
        (json_int_t)mesh->faces.count, "broad", broad_choice((int)s->def.broad.method), "threads",
        threads, "vf", (json_int_t)a->counts[TOI_VERTEX_FACE], "ee",
        (json_int_t)a->counts[TOI_EDGE_EDGE], "seconds", "boxes", a->boxes, "search", a->search,
        "sort", a->sort, "total", a->boxes + a->search, "hash", json_hash(a->hash), "peak_bytes",
        (json_int_t)a->peak_bytes));
}

static void print_summary(const settings *s, const frames *f, const answer *a, int threads)
{
    printf("%s\n", f->name);
    printf("mesh    %s vertices, %s edges, %s faces\n", count_text(f->mesh.start.count).at,
           count_text(f->mesh.edges.count).at, count_text(f->mesh.faces.count).at);
    printf("method  %s, %d thread%s\n", broad_choice((int)s->def.broad.method), threads,
           threads == 1 ? "" : "s");
    printf("pairs   %s vertex-face, %s edge-edge\n", count_text(a->counts[0]).at,
           count_text(a->counts[1]).at);
    printf("time    boxes %s, search %s, total %s; sort %s\n", seconds_text(a->boxes).at,
           seconds_text(a->search).at, seconds_text(a->boxes + a->search).at,
           seconds_text(a->sort).at);
    printf("memory  %s working\n", bytes_text(a->peak_bytes).at);
    printf("hash    %s\n", hash_text(a->hash).at);
    if (s->out)
        printf("file    %s\n", s->out);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status finish_lists(const settings *s, int threads, answer *a)
{
    toi_status status = TOI_OK;
    if (s->out && s->order == TOI_ORDER_OWN)
        status = write_lists(s->out, a);
    if (status == TOI_OK)
        status = sort(threads, a);
    if (status == TOI_OK && s->out && s->order == TOI_ORDER_CANONICAL)
        status = write_lists(s->out, a);
    return status;
}

static toi_status run(settings *s, const operand_list *operands)
{
    frames f = {0};
    answer a = {0};
    int threads = apply_threads(&s->common);
    s->def.workers = threads;
    toi_status status = check_device(s->device);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->out);
    if (status == TOI_OK)
        status = load_frames(&s->choice, operands, &f);
    if (status == TOI_OK)
        status = find(s, &f.mesh, &a);
    if (status == TOI_OK)
        status = finish_lists(s, threads, &a);
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &f.mesh, &a, threads);
    else if (status == TOI_OK)
        print_summary(s, &f, &a, threads);
    free_pair_lists(a.pairs);
    free_frames(&f);
    return status;
}

int run_pairs(int argc, char **argv)
{
    settings s = {
        .def = toi_default_ccd_def(), .choice = default_scene_choice(), .common = default_common()};
    const option_group groups[] = {{"Output", output_options, &s},
                                   {"Machine", device_options, &s.device},
                                   {"A scene instead of files", frame_options, &s.choice},
                                   {"Candidates", broad_options, &s.def},
                                   {"Boxes", separation_options, &s.def.narrow},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "pairs START END [OPTION...]\npairs --scene NAME [OPTION...]",
        .about = "Finds the pairs of a vertex and a face, and of two edges, whose boxes overlap\n"
                 "while a mesh moves from START to END. The total time is without reading files\n"
                 "and without sorting; the hash is XXH64 of the XXH64 of each sorted list.",
        .examples = "pairs start.ply end.ply --broad stq\n"
                    "pairs --scene n-body --begin 0.7 --repeat 5 --threads 1 --json",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
