// toi queries: decides the queries of a file, and compares with the file's own answers.

#include "answers.h"
#include "command.h"
#include "failure.h"
#include "json.h"
#include "machine.h"
#include "method_options.h"
#include "output.h"
#include "progress.h"
#include "text.h"
#include "toi/io.h"

#include <inttypes.h>

enum
{
    KIND_MISSING = -1,
    BLOCK = 1 << 18 // queries between two updates of the progress bar
};

typedef struct settings
{
    toi_narrow_def def;
    common common;
    machine_choice machine;
    int kind; // a toi_kind, or KIND_MISSING
    const char *out;
} settings;

static const option query_options[] = {
    {.name = "kind",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, kind),
     .argument = "KIND",
     .help = "what the file holds: vf (a vertex and a face), ee (two edges), pe (a point and an "
             "edge) or pp (two points); must be given",
     .choice = kind_choice},
    {.name = "all-roots",
     .offset = offsetof(settings, def.all_roots),
     .help = "also count the contacts of every query, later ones included"},
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.csv",
     .help = "write every answer as state,time_hex (no time where separated), with --all-roots "
             "also ,contacts"},
    {0}};

typedef struct answer
{
    toi_query_result *results;
    int64_t states[TOI_STATE_COUNT];
    int64_t iterations;
    int64_t contacts;
    int64_t even_hits;       // with an even number of contacts
    int64_t false_positives; // where the file has answers; undecided counts as a hit
    int64_t false_negatives;
    double seconds;
    uint64_t hash;
} answer;

// ---------------------------------------------------------------------------------------------
// Solving

static toi_status solve_once(const settings *s, const toi_query_file *file, progress *bar,
                             toi_query_result *results)
{
    toi_progress_fn *show = progress_function();
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < file->count && status == TOI_OK; i += BLOCK) {
        int64_t count = file->count - i < BLOCK ? file->count - i : BLOCK;
        status =
            toi_solve_queries(&s->def, (toi_kind)s->kind, file->queries + i, count, results + i);
        if (show)
            show(bar, (double)(i + count) / (double)file->count);
    }
    return status;
}

static toi_status solve(const settings *s, const toi_query_file *file, answer *a)
{
    a->results = toi_allocate((size_t)file->count * sizeof *a->results);
    if (!a->results)
        return TOI_ERROR_MEMORY;
    progress bar = start_progress(s->common.repeat);
    toi_status status = TOI_OK;
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run) {
        double started = seconds_now();
        status = solve_once(s, file, &bar, a->results);
        double seconds = seconds_now() - started;
        if (bar.run == 0 || seconds < a->seconds)
            a->seconds = seconds;
    }
    end_progress(&bar);
    return status;
}

static void count_answers(const toi_query_file *file, answer *a)
{
    for (int64_t i = 0; i < file->count; ++i) {
        const toi_query_result *result = &a->results[i];
        bool reported = result->state != TOI_SEPARATED;
        ++a->states[result->state];
        a->iterations += result->iterations;
        a->contacts += result->contacts;
        a->even_hits += result->contacts > 0 && result->contacts % 2 == 0;
        a->false_positives += file->hits && reported && !file->hits[i];
        a->false_negatives += file->hits && !reported && file->hits[i];
    }
    a->hash = hash_answers(0, a->results, file->count);
}

static void write_answer(FILE *file, const toi_query_result *result, bool contacts)
{
    fprintf(file, "%s,", toi_state_name(result->state));
    if (result->state != TOI_SEPARATED)
        fprintf(file, "%a", result->time);
    if (contacts)
        fprintf(file, ",%" PRId32, result->contacts);
    fputc('\n', file);
}

static toi_status write_answers(const settings *s, const toi_query_result *results, int64_t count)
{
    toi_output output;
    toi_status status = toi_open_output(s->out, &output);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < count; ++i)
        write_answer(output.file, &results[i], s->def.all_roots);
    return toi_close_output(&output);
}

// ---------------------------------------------------------------------------------------------
// Reports

static double nanoseconds_each(const answer *a, int64_t count)
{
    return count > 0 ? 1e9 * a->seconds / (double)count : 0;
}

static toi_status print_object(const settings *s, const toi_query_file *file, const answer *a,
                               int threads)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:f, s:I}", "kind", kind_choice(s->kind), "narrow",
        narrow_choice((int)s->def.method), "device", device_choice(s->machine.device), "threads",
        threads, "queries", (json_int_t)file->count, "hits", (json_int_t)a->states[TOI_HIT],
        "undecided", (json_int_t)a->states[TOI_UNDECIDED], "ns_per_query",
        nanoseconds_each(a, file->count), "iterations", (json_int_t)a->iterations);
    if (s->def.all_roots) {
        json_object_set_new(object, "contacts", json_integer(a->contacts));
        json_object_set_new(object, "even_hits", json_integer(a->even_hits));
    }
    if (file->hits) {
        json_object_set_new(object, "false_positives", json_integer(a->false_positives));
        json_object_set_new(object, "false_negatives", json_integer(a->false_negatives));
    }
    json_object_set_new(object, "hash", json_hash(a->hash));
    return print_json(object);
}

static void print_summary(const settings *s, const char *path, const toi_query_file *file,
                          const answer *a)
{
    printf("%s\n", path);
    printf("queries    %s %s, by %s\n", count_text(file->count).at, kind_choice(s->kind),
           narrow_choice((int)s->def.method));
    printf("hits       %s, undecided %s\n", count_text(a->states[TOI_HIT]).at,
           count_text(a->states[TOI_UNDECIDED]).at);
    if (s->def.all_roots)
        printf("contacts   %s; %s hits have an even number of them\n", count_text(a->contacts).at,
               count_text(a->even_hits).at);
    if (file->hits)
        printf("truth      %s false positives, %s false negatives\n",
               count_text(a->false_positives).at, count_text(a->false_negatives).at);
    else
        printf("truth      the file has none\n");
    printf("time       %s, %.0f ns a query\n", seconds_text(a->seconds).at,
           nanoseconds_each(a, file->count));
    printf("hash       %s\n", hash_text(a->hash).at);
    if (s->out)
        printf("file       %s\n", s->out);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status check_settings(const settings *s, const operand_list *operands)
{
    if (operands->count < 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "a file of queries is needed");
    if (s->kind == KIND_MISSING)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "what does the file hold? Give --kind vf, ee, pe or pp");
    return check_output(s->out);
}

static toi_status run(settings *s, const operand_list *operands)
{
    toi_query_file file = {0};
    answer a = {0};
    int threads = apply_threads(&s->common);
    s->def.workers = threads;
    toi_status status = check_settings(s, operands);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = toi_read_queries(operands->at[0], &file);
    if (status == TOI_OK)
        status = open_machine(&s->machine, 0, &s->def.device);
    if (status == TOI_OK)
        status = solve(s, &file, &a);
    if (status == TOI_OK) {
        count_answers(&file, &a);
        status = s->out ? write_answers(s, a.results, file.count) : TOI_OK;
    }
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &file, &a, threads);
    else if (status == TOI_OK)
        print_summary(s, operands->at[0], &file, &a);
    toi_close_device(s->def.device);
    toi_release(a.results);
    toi_free_query_file(&file);
    return status;
}

int run_queries(int argc, char **argv)
{
    settings s = {
        .def = toi_default_narrow_def(), .common = default_common(), .kind = KIND_MISSING};
    const option_group groups[] = {{"Queries", query_options, &s},
                                   {"Decision", narrow_options, &s.def},
                                   {"Machine", machine_options, &s.machine},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "queries FILE.csv --kind vf|ee|pe|pp [OPTION...]",
        .about =
            "Decides the queries of a file: eight rows each of x_num,x_den,y_num,y_den,z_num,\n"
            "z_den and, where the truth is known, hit. Counts the answers that are wrong.\n"
            "Queries of a point and an edge or of two points have eight rows too, four for\n"
            "each end; the points that they do not use are ignored.",
        .examples = "queries vf.csv --kind vf\n"
                    "queries ee.csv --kind ee --narrow inclusion --out answers.csv --json\n"
                    "queries vf.csv --kind vf --narrow exact --all-roots\n"
                    "queries vf.csv --kind vf --device cuda",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
