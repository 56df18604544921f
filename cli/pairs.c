// toi pairs: the candidate pairs of two frames, found and timed without deciding them.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "command.h"
#include "failure.h"
#include "frames.h"
#include "json.h"
#include "kinds.h"
#include "machine.h"
#include "method_options.h"
#include "output.h"
#include "pair_lists.h"
#include "pair_ranges.h"
#include "progress.h"
#include "text.h"

typedef struct settings
{
    toi_ccd_def def;
    scene_choice choice;
    common common;
    int order; // of the file
    const char *out;
    machine_choice machine;
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
     .help = "write every pair as kind,a,b: vf,vertex,face or ee,edge,edge; of loose points "
             "pe,vertex,edge or pp,vertex,vertex"},
    {.name = "order",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, order),
     .argument = "ORDER",
     .help = "order of that file: canonical (sorted), or own (as found)",
     .choice = order_choice},
    {0}};

// Lists that take more, while they are made and sorted, are never held: docs/broad_phases.md.
static const int64_t MOST_LIST_BYTES = (int64_t)512 << 20;

typedef struct answer
{
    toi_pair_array pairs[TOI_KIND_COUNT]; // empty where they are too many
    bool too_many;
    int searches; // made again, where they are
    int64_t counts[TOI_KIND_COUNT];
    double prepare; // seconds
    double search;
    double sort;
    int64_t peak_bytes;
    uint64_t hash;
} answer;

// ---------------------------------------------------------------------------------------------
// Finding

// The most memory that lists may take.
static int64_t list_memory(const settings *s)
{
    return s->def.memory_limit > 0 ? s->def.memory_limit : MOST_LIST_BYTES;
}

static toi_ccd_def make_def(const settings *s, progress *bar)
{
    toi_ccd_def def = s->def;
    def.broad.order = TOI_ORDER_OWN;
    def.progress = progress_function();
    def.progress_context = bar;
    return def;
}

// What lists take while the longer one is sorted.
static int64_t sort_memory(const toi_pair_array lists[TOI_KIND_COUNT])
{
    int64_t held = 0, longest = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        held += lists[kind].capacity;
        longest = lists[kind].count > longest ? lists[kind].count : longest;
    }
    return (held + longest) * (int64_t)sizeof(toi_pair);
}

// TOI_ERROR_LIMIT where they are too many.
static toi_status find_lists(const settings *s, const toi_mesh *mesh, progress *bar, answer *a)
{
    toi_ccd_def def = make_def(s, bar);
    toi_ccd_report report;
    def.memory_limit = list_memory(s);
    toi_status status = toi_find_all_candidates(&def, mesh, a->pairs, &report);
    int64_t sorting = sort_memory(a->pairs);
    if (status == TOI_OK && sorting > def.memory_limit)
        status = TOI_ERROR_LIMIT;
    if (status != TOI_OK)
        return status;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        a->counts[kind] = a->pairs[kind].count;
    a->prepare = report.seconds_prepare;
    a->search = report.seconds_broad;
    a->peak_bytes = sorting > report.peak_bytes ? sorting : report.peak_bytes;
    return TOI_OK;
}

static toi_status count_pairs(const settings *s, const toi_mesh *mesh, progress *bar, answer *a)
{
    toi_ccd_def def = make_def(s, bar);
    candidate_count count;
    toi_status status = count_candidates(&def, mesh, &count);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        a->counts[kind] = count.counts[kind];
    a->prepare = count.prepare;
    a->search = count.search;
    a->peak_bytes = count.peak_bytes;
    return status;
}

static toi_status run_once(const settings *s, const toi_mesh *mesh, progress *bar, answer *a)
{
    toi_status status = a->too_many ? TOI_ERROR_LIMIT : find_lists(s, mesh, bar, a);
    if (status != TOI_ERROR_LIMIT)
        return status;
    a->too_many = true;
    free_pair_lists(a->pairs);
    return count_pairs(s, mesh, bar, a);
}

static toi_status find(const settings *s, const toi_mesh *mesh, answer *a)
{
    progress bar = start_progress(s->common.repeat);
    toi_status status = TOI_OK;
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run) {
        answer run = {.too_many = a->too_many};
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            run.pairs[kind] = a->pairs[kind];
        status = run_once(s, mesh, &bar, &run);
        if (bar.run > 0 && run.prepare + run.search >= a->prepare + a->search) {
            run.prepare = a->prepare;
            run.search = a->search;
        }
        *a = run;
    }
    end_progress(&bar);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The file and the hash

// Takes pairs in order.
typedef struct consumer
{
    FILE *file;                           // or NULL
    XXH64_state_t hashes[TOI_KIND_COUNT]; // as hash_pair_lists() makes them
} consumer;

static toi_status write_pairs(void *context, toi_kind kind, const toi_pair *pairs, int64_t count)
{
    const consumer *c = context;
    for (int64_t i = 0; c->file && i < count; ++i)
        write_pair(c->file, kind_choice(kind), pairs[i].a, pairs[i].b, '\n');
    return TOI_OK;
}

static toi_status write_and_hash(void *context, toi_kind kind, const toi_pair *pairs, int64_t count)
{
    consumer *c = context;
    XXH64_update(&c->hashes[kind], pairs, (size_t)count * sizeof *pairs);
    return write_pairs(context, kind, pairs, count);
}

static toi_status sort(int threads, answer *a)
{
    double started = seconds_now();
    toi_status status = sort_pair_lists(a->pairs, threads);
    a->sort = seconds_now() - started;
    a->hash = hash_pair_lists(a->pairs);
    return status;
}

static void write_lists(consumer *c, const answer *a)
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        write_pairs(c, (toi_kind)kind, a->pairs[kind].data, a->pairs[kind].count);
}

// Lists that are held.
static toi_status finish_lists(const settings *s, answer *a, consumer *c)
{
    if (s->order == TOI_ORDER_OWN)
        write_lists(c, a);
    toi_status status = sort(s->def.workers, a);
    if (status == TOI_OK && s->order == TOI_ORDER_CANONICAL)
        write_lists(c, a);
    return status;
}

// Lists that are too long: found again, in pieces.
static toi_status finish_ranges(const settings *s, const toi_mesh *mesh, answer *a, consumer *c)
{
    double started = seconds_now();
    progress bar = start_progress(1);
    toi_ccd_def def = make_def(s, &bar);
    pair_walk walk = {.memory = list_memory(s)};
    FILE *file = c->file;
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        XXH64_reset(&c->hashes[kind], 0);
    if (file && s->order == TOI_ORDER_OWN) {
        status = visit_own_pairs(&def, mesh, write_pairs, c);
        c->file = NULL;
    }
    if (status == TOI_OK)
        status = visit_sorted_pairs(&def, mesh, &walk, write_and_hash, c);
    c->file = file;
    uint64_t hashes[TOI_KIND_COUNT];
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        hashes[kind] = XXH64_digest(&c->hashes[kind]);
    a->hash = join_list_hashes(hashes, a->counts);
    a->sort = seconds_now() - started;
    a->searches = walk.searches;
    if (walk.peak_bytes > a->peak_bytes)
        a->peak_bytes = walk.peak_bytes;
    end_progress(&bar);
    return status;
}

// Sorts and hashes the pairs, and writes them where a file is asked for.
static toi_status finish_pairs(const settings *s, const toi_mesh *mesh, answer *a)
{
    toi_output output;
    consumer c = {.file = NULL};
    toi_status status = s->out ? toi_open_output(s->out, &output) : TOI_OK;
    if (status != TOI_OK)
        return status;
    c.file = s->out ? output.file : NULL;
    status = a->too_many ? finish_ranges(s, mesh, a, &c) : finish_lists(s, a, &c);
    if (!s->out)
        return status;
    if (status != TOI_OK)
        toi_discard_output(&output);
    return status == TOI_OK ? toi_close_output(&output) : status;
}

// ---------------------------------------------------------------------------------------------
// Reports

static toi_status print_object(const settings *s, const toi_mesh *mesh, const answer *a,
                               int threads)
{
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:s, s:s, s:i}", "vertices", (json_int_t)mesh->start.count,
                  "edges", (json_int_t)mesh->edges.count, "faces", (json_int_t)mesh->faces.count,
                  "broad", broad_choice((int)s->def.broad.method), "device",
                  device_choice(s->machine.device), "threads", threads);
    add_kinds(object, a->counts);
    json_object_set_new(object, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f, s:f}", "boxes", a->prepare, "prepare",
                                  a->prepare, "search", a->search, "sort", a->sort, "total",
                                  a->prepare + a->search));
    json_object_set_new(object, "hash", json_hash(a->hash));
    json_object_set_new(object, "peak_bytes", json_integer(a->peak_bytes));
    return print_json(object);
}

static void print_device(const toi_device *device)
{
    toi_device_info info = toi_describe_device(device);
    toi_device_report report = toi_device_last_report(device);
    printf("device  %s, %s of its memory\n", info.name, bytes_text(report.peak_bytes).at);
}

static void print_summary(const settings *s, const frames *f, const answer *a, int threads)
{
    printf("%s\n", f->name);
    printf("mesh    %s vertices, %s edges, %s faces\n", count_text(f->mesh.start.count).at,
           count_text(f->mesh.edges.count).at, count_text(f->mesh.faces.count).at);
    printf("method  %s, %d thread%s\n", broad_choice((int)s->def.broad.method), threads,
           threads == 1 ? "" : "s");
    if (s->def.device)
        print_device(s->def.device);
    printf("pairs   ");
    print_kinds(a->counts);
    printf("\n");
    printf("time    prepare %s, search %s, total %s; sort %s", seconds_text(a->prepare).at,
           seconds_text(a->search).at, seconds_text(a->prepare + a->search).at,
           seconds_text(a->sort).at);
    if (a->too_many)
        printf(", in %d searches more: the list does not fit in memory", a->searches);
    printf("\n");
    printf("memory  %s working\n", bytes_text(a->peak_bytes).at);
    printf("hash    %s\n", hash_text(a->hash).at);
    if (s->out)
        printf("file    %s\n", s->out);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status run(settings *s, const operand_list *operands)
{
    frames f = {0};
    answer a = {0};
    int threads = apply_threads(&s->common);
    s->def.workers = threads;
    toi_status status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->out);
    if (status == TOI_OK)
        status = open_machine(&s->machine, s->def.memory_limit, &s->def.device);
    if (status == TOI_OK)
        status = load_frames(&s->choice, operands, &f);
    if (status == TOI_OK)
        status = find(s, &f.mesh, &a);
    if (status == TOI_OK)
        status = finish_pairs(s, &f.mesh, &a);
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &f.mesh, &a, threads);
    else if (status == TOI_OK)
        print_summary(s, &f, &a, threads);
    free_pair_lists(a.pairs);
    free_frames(&f);
    toi_close_device(s->def.device);
    return status;
}

int run_pairs(int argc, char **argv)
{
    settings s = {
        .def = toi_default_ccd_def(), .choice = default_scene_choice(), .common = default_common()};
    const option_group groups[] = {{"Output", output_options, &s},
                                   {"Machine", machine_options, &s.machine},
                                   {"A scene instead of files", frame_options, &s.choice},
                                   {"Candidates", broad_options, &s.def},
                                   {"Boxes", separation_options, &s.def.narrow},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "pairs START END [OPTION...]\npairs --scene NAME [OPTION...]",
        .about = "Finds the pairs of a vertex and a face, and of two edges, whose boxes overlap\n"
                 "while a mesh moves from START to END; of vertices that belong to nothing also\n"
                 "those with each other and with edges of no face. The total time is without\n"
                 "reading files and without sorting; the hash is XXH64 of the XXH64 of each\n"
                 "sorted list. Lists that need more than 512M, or than the memory limit, are not\n"
                 "held: they are found again in pieces, and that time counts as sorting.",
        .examples = "pairs start.ply end.ply --broad stq\n"
                    "pairs start.ply end.ply --device cuda --repeat 5\n"
                    "pairs --scene n-body --begin 0.7 --repeat 5 --threads 1 --json",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
