// Prints the comparison of narrow phases, as tables, csv and JSON.

#include "bench_narrow_report.h"

#include "environment.h"
#include "json.h"
#include "kinds.h"
#include "method_options.h"
#include "output.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *kind_name(int kind)
{
    return kind < TOI_PAIR_KINDS ? kind_choice(kind) : "both";
}

// Which rows there are: each kind that has queries, and both together if both have.
static bool has_kind(const query_source *source, int kind)
{
    if (kind < TOI_PAIR_KINDS)
        return source->counts[kind] > 0;
    return source->counts[TOI_VERTEX_FACE] > 0 && source->counts[TOI_EDGE_EDGE] > 0;
}

// ---------------------------------------------------------------------------------------------
// Cells

static text method_cell(const bench_row *row)
{
    return words(method_name(&row->run));
}

static text kind_cell(const bench_row *row)
{
    return words(kind_name(row->kind));
}

static text tolerance_cell(const bench_row *row)
{
    return row->run.tolerance > 0 ? decimal("%.0e", row->run.tolerance) : words("-");
}

static text queries_cell(const bench_row *row)
{
    return count_text(row->queries);
}

static text nanoseconds_cell(const bench_row *row)
{
    double each = row_nanoseconds(row);
    return each < 100 ? decimal("%.1f", each) : count_text((int64_t)(each + 0.5));
}

static text hits_cell(const bench_row *row)
{
    return count_text(row->states[TOI_HIT]);
}

static text odd_cell(const bench_row *row)
{
    return counts_contacts(&row->run) ? count_text(row->odd) : words("-");
}

static text even_cell(const bench_row *row)
{
    return counts_contacts(&row->run) ? count_text(row->even) : words("-");
}

static text undecided_cell(const bench_row *row)
{
    return count_text(row->states[TOI_UNDECIDED]);
}

static text positives_cell(const bench_row *row)
{
    return count_text(row->false_positives);
}

static text negatives_cell(const bench_row *row)
{
    return count_text(row->false_negatives);
}

static text file_positives_cell(const bench_row *row)
{
    return count_text(row->file_false_positives);
}

static text file_negatives_cell(const bench_row *row)
{
    return count_text(row->file_false_negatives);
}

static text times_cell(const bench_row *row)
{
    return tells_times(&row->run) ? count_text(row->times) : words("-");
}

static text late_cell(const bench_row *row)
{
    return tells_times(&row->run) ? count_text(row->late) : words("-");
}

// "0" is easier on the eye than "0.0e+00", and tells exactly nothing from very little.
static text error_cell(const bench_row *row, double error)
{
    if (row->times == 0)
        return words("-");
    return error == 0 ? words("0") : decimal("%.1e", error);
}

static text late_by_cell(const bench_row *row)
{
    return error_cell(row, row->largest_late);
}

static text early_by_cell(const bench_row *row)
{
    return error_cell(row, row->largest_early);
}

static text mean_error_cell(const bench_row *row)
{
    return error_cell(row, row_mean_error(row));
}

static text hash_cell(const bench_row *row)
{
    return hash_text(row->hash);
}

// ---------------------------------------------------------------------------------------------
// Tables

typedef enum column_use
{
    ALWAYS,
    WITH_CONTACTS, // where they were counted
    WITH_FILES,    // where files say what is true
    WITH_KINDS     // where there are both
} column_use;

typedef struct column
{
    const char *title;
    text (*cell)(const bench_row *row);
    column_use use;
} column;

static const column answer_columns[] = {{"method", method_cell, ALWAYS},
                                        {"kind", kind_cell, WITH_KINDS},
                                        {"tol", tolerance_cell, ALWAYS},
                                        {"queries", queries_cell, ALWAYS},
                                        {"ns/query", nanoseconds_cell, ALWAYS},
                                        {"hits", hits_cell, ALWAYS},
                                        {"odd", odd_cell, WITH_CONTACTS},
                                        {"even", even_cell, WITH_CONTACTS},
                                        {"undecided", undecided_cell, ALWAYS},
                                        {"false +", positives_cell, ALWAYS},
                                        {"false -", negatives_cell, ALWAYS},
                                        {"file +", file_positives_cell, WITH_FILES},
                                        {"file -", file_negatives_cell, WITH_FILES},
                                        {0}};

static const column time_columns[] = {
    {"method", method_cell, ALWAYS},     {"kind", kind_cell, WITH_KINDS},
    {"tol", tolerance_cell, ALWAYS},     {"times", times_cell, ALWAYS},
    {"late", late_cell, ALWAYS},         {"late by", late_by_cell, ALWAYS},
    {"early by", early_by_cell, ALWAYS}, {"mean error", mean_error_cell, ALWAYS},
    {"hash", hash_cell, ALWAYS},         {0}};

static bool is_shown(const bench_report *report, column_use use)
{
    switch (use) {
    case WITH_CONTACTS:
        return report->plan->contacts;
    case WITH_FILES:
        return report->result->file_answers > 0;
    case WITH_KINDS:
        return has_kind(report->source, TOI_PAIR_KINDS);
    default:
        return true;
    }
}

static void add_line(table *t, const bench_report *report, const column *columns,
                     const bench_row *row)
{
    for (const column *c = columns; c->title; ++c)
        if (is_shown(report, c->use))
            add_cell(t, row ? c->cell(row) : words(c->title));
}

static toi_status print_columns(const bench_report *report, const column *columns)
{
    int shown = 0, keys = 0;
    for (const column *c = columns; c->title; ++c) {
        shown += is_shown(report, c->use);
        if (c->cell == tolerance_cell) // the last of those that name a line
            keys = shown;
    }
    table t = start_table(shown, keys);
    add_line(&t, report, columns, NULL);
    for (int kind = 0, groups = 0; kind < BENCH_KINDS; ++kind) {
        if (!has_kind(report->source, kind))
            continue;
        if (groups++ > 0)
            add_empty_line(&t);
        for (int m = 0; m < report->plan->method_count; ++m)
            add_line(&t, report, columns, &report->result->rows[kind][m]);
    }
    return print_table(&t);
}

// ---------------------------------------------------------------------------------------------
// The other parts of the page

static void print_title(const bench_report *report)
{
    const query_source *source = report->source;
    const bench_plan *plan = report->plan;
    const bench_result *result = report->result;
    printf("%s\n", source->name);
    printf("queries  %s vertex-face, %s edge-edge\n", count_text(source->counts[0]).at,
           count_text(source->counts[1]).at);
    printf(plan->workers == 1 ? "machine  %s, %d thread, its processor time; "
                              : "machine  %s, %d threads, wall time; ",
           toi_simd_name(), plan->workers);
    if (plan->repeat > 1)
        printf("each block by the fastest of %d runs, not counting the first\n", plan->repeat);
    else
        printf("one run, not counting the first\n");
    if (result->file_answers > 0 && result->file_differences == 0)
        printf("truth    exact, which agrees with all %s answers of the file\n",
               count_text(result->file_answers).at);
    else if (result->file_answers > 0)
        printf("truth    exact, which DIFFERS from %s of %s answers of the file\n",
               count_text(result->file_differences).at, count_text(result->file_answers).at);
    else
        printf("truth    exact\n");
    putchar('\n');
}

static bool has_sample(const bench_report *report)
{
    for (int m = 0; m < report->plan->method_count; ++m)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            if (report->result->rows[kind][m].queries < report->source->counts[kind])
                return true;
    return false;
}

static void print_answer_notes(const bench_report *report)
{
    printf("\nfalse +: reported, yet they never touch. false -: they touch, yet called separated. "
           "tol: "
           "the\ntolerance of those methods that have one.\n");
    if (report->result->file_answers > 0)
        printf("file + and file -: the same, where the file's own answers are the truth.\n");
    if (report->plan->contacts)
        printf("odd, even: hits by their number of contacts, from a second run that is not "
               "timed.\n");
    if (has_sample(report))
        printf("Methods above 2,000 ns/query got an even sample of the queries: "
               "see --slow-limit.\n");
    putchar('\n');
}

static void print_time_notes(void)
{
    printf(
        "\ntimes: true hits that were reported. late: reported later than the true time, so that a "
        "step\nthat long passes through. late by, early by: the largest such errors; mean error: "
        "of all times,\nwithout sign. The step is the unit. hash: of all answers. 'toi info' tells "
        "what each method\npromises.\n");
}

static void print_rungs(const bench_row *row)
{
    for (int rung = TOI_RUNG_NONE + 1; rung < TOI_RUNG_COUNT; ++rung)
        printf("%-13s  %4s  %11s  %6.3f %%  %9s\n", toi_rung_name((toi_rung)rung),
               kind_name(row->kind), count_text(row->rungs[rung]).at,
               100 * (double)row->rungs[rung] / (double)row->queries,
               count_text(row->rung_hits[rung]).at);
}

static void print_all_rungs(const bench_report *report)
{
    bool titled = false;
    for (int kind = 0; kind < BENCH_KINDS; ++kind)
        for (int m = 0; m < report->plan->method_count; ++m) {
            const bench_row *row = &report->result->rows[kind][m];
            if (!has_kind(report->source, kind) || row->rungs[TOI_RUNG_NONE] == row->queries)
                continue;
            putchar('\n');
            if (!titled)
                printf("%-13s  %4s  %11s  %8s  %9s\n", "rung of exact", "kind", "decided", "share",
                       "hits");
            titled = true;
            print_rungs(row);
        }
}

static double pipeline_nanoseconds(const bench_pipeline *p)
{
    int64_t candidates = sum_kinds(p->report.candidates);
    return candidates > 0 ? 1e9 * p->report.seconds_narrow / (double)candidates : 0;
}

static void add_pipeline(table *t, const bench_pipeline *p)
{
    add_cell(t, words(method_name(&p->run)));
    add_cell(t, count_text(sum_kinds(p->report.candidates)));
    add_cell(t, count_text(sum_kinds(p->report.tested)));
    add_cell(t, seconds_text(p->report.seconds_narrow));
    add_cell(t, decimal("%.1f", pipeline_nanoseconds(p)));
    add_cell(t, seconds_text(p->report.seconds_total));
    add_cell(t, count_text(sum_kinds(p->report.hits)));
    add_cell(t, count_text(sum_kinds(p->report.undecided)));
    add_cell(t, hash_text(p->hash));
}

static toi_status print_pipelines(const bench_report *report)
{
    static const char *const titles[] = {"pipeline", "candidates",   "tested",
                                         "narrow",   "ns/candidate", "total",
                                         "hits",     "undecided",    "hash"};
    enum
    {
        TITLES = sizeof titles / sizeof *titles
    };
    if (report->result->pipeline_count == 0)
        return TOI_OK;
    putchar('\n');
    table t = start_table(TITLES, 1);
    for (int i = 0; i < TITLES; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < report->result->pipeline_count; ++i)
        add_pipeline(&t, &report->result->pipelines[i]);
    toi_status status = print_table(&t);
    printf(
        "\nWhat users run: it culls before it gathers, and only the rest reaches the method. Boxes "
        "and\nsearch are in the total. Wall time.\n");
    return status;
}

toi_status print_bench(const bench_report *report)
{
    print_title(report);
    toi_status status = print_columns(report, answer_columns);
    print_answer_notes(report);
    if (status == TOI_OK)
        status = print_columns(report, time_columns);
    print_time_notes();
    print_all_rungs(report);
    return status == TOI_OK ? print_pipelines(report) : status;
}

// ---------------------------------------------------------------------------------------------
// CSV

static void write_method(FILE *file, const bench_method *run)
{
    fprintf(file, "%s,%s,", method_name(run), toi_guarantee_name(method_guarantee(run)));
    if (run->tolerance > 0)
        fprintf(file, "%g", run->tolerance);
    fputc(',', file);
}

static void write_errors(FILE *file, const bench_row *row)
{
    for (int bin = 0; bin < ERROR_BINS; ++bin)
        if (row->times > 0)
            fprintf(file, "%" PRId64 ",", row->errors[bin]);
        else
            fputc(',', file);
}

static void write_ending(FILE *file, uint64_t hash, double median, int repeats)
{
    fprintf(file, "%s,%.9f,%d,%s,", hash_text(hash).at, median, repeats, toi_simd_name());
    write_environment(file, this_environment());
    fputc('\n', file);
}

static void write_query_row(FILE *file, const bench_report *report, const bench_row *row)
{
    bool timed = row->times > 0, counted = report->plan->contacts;
    fprintf(file, "%s,queries,%s,", report->source->label, kind_name(row->kind));
    write_method(file, &row->run);
    fprintf(file, "%d,%" PRId64 ",%.9f,%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
            report->plan->workers, row->queries, row->seconds, row_nanoseconds(row),
            row->states[TOI_HIT], row->states[TOI_UNDECIDED], row->false_positives,
            row->false_negatives);
    if (row->file_answers > 0)
        fprintf(file, "%" PRId64 ",%" PRId64, row->file_false_positives, row->file_false_negatives);
    fputs(row->file_answers > 0 ? "," : ",,", file);
    if (counted && counts_contacts(&row->run))
        fprintf(file, "%" PRId64 ",%" PRId64 ",", row->odd, row->even);
    else
        fputs(",,", file);
    if (timed)
        fprintf(file, "%" PRId64 ",%" PRId64 ",%.17g,%.17g,%.17g,", row->times, row->late,
                row->largest_late, row->largest_early, row_mean_error(row));
    else
        fputs(",,,,,", file);
    for (int rung = TOI_RUNG_NONE + 1; rung < TOI_RUNG_COUNT; ++rung)
        fprintf(file, "%" PRId64 ",", row->rungs[rung]);
    write_errors(file, row);
    write_ending(file, row->hash, row->median_seconds, row->repeats);
}

static void write_pipeline(FILE *file, const bench_report *report, const bench_pipeline *p)
{
    fprintf(file, "%s,pipeline,both,", report->source->label);
    write_method(file, &p->run);
    fprintf(file, "%d,%" PRId64 ",%.9f,%.3f,%" PRId64 ",%" PRId64 ",", report->plan->workers,
            sum_kinds(p->report.candidates), p->report.seconds_narrow, pipeline_nanoseconds(p),
            sum_kinds(p->report.hits) - sum_kinds(p->report.undecided),
            sum_kinds(p->report.undecided));
    // From false_positives to mean_error, the rungs and the errors: the pipeline does not tell.
    for (int i = 0; i < 11 + TOI_RUNG_COUNT - 1 + ERROR_BINS; ++i)
        fputc(',', file);
    write_ending(file, p->hash, p->median_seconds, p->repeats);
}

static void write_titles(FILE *file)
{
    fputs("scene,stage,kind,method,guarantee,tolerance,threads,queries,seconds,ns_per_query,hits,"
          "undecided,false_positives,false_negatives,file_false_positives,file_false_negatives,"
          "odd,even,times,late,largest_late,largest_early,mean_error,",
          file);
    for (int rung = TOI_RUNG_NONE + 1; rung < TOI_RUNG_COUNT; ++rung)
        fprintf(file, "rung_%s,", toi_rung_name((toi_rung)rung));
    fputs("error_0,", file);
    for (int bin = 1; bin < ERROR_BINS; ++bin)
        fprintf(file, "error_1e%+d,", bin - ERROR_BINS + 1);
    fputs("hash,median_seconds,repeats,simd," ENVIRONMENT_TITLES "\n", file);
}

toi_status write_bench(const char *path, const bench_report *report)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    write_titles(output.file);
    for (int kind = 0; kind < BENCH_KINDS; ++kind)
        for (int m = 0; m < report->plan->method_count && has_kind(report->source, kind); ++m)
            write_query_row(output.file, report, &report->result->rows[kind][m]);
    for (int i = 0; i < report->result->pipeline_count; ++i)
        write_pipeline(output.file, report, &report->result->pipelines[i]);
    return toi_close_output(&output);
}

// ---------------------------------------------------------------------------------------------
// JSON

static void set_integer(json_t *object, const char *name, int64_t value, bool known)
{
    json_object_set_new(object, name, known ? json_integer(value) : json_null());
}

static void set_number(json_t *object, const char *name, double value, bool known)
{
    json_object_set_new(object, name, known ? json_real(value) : json_null());
}

static json_t *rungs_object(const bench_row *row)
{
    json_t *object = json_object();
    for (int rung = TOI_RUNG_NONE + 1; rung < TOI_RUNG_COUNT; ++rung)
        set_integer(object, toi_rung_name((toi_rung)rung), row->rungs[rung], true);
    return object;
}

// [largest error, how many]: of the times that are right, then bin by bin.
static json_t *errors_array(const bench_row *row)
{
    json_t *array = json_array();
    for (int bin = 0; bin < ERROR_BINS; ++bin)
        json_array_append_new(
            array, json_pack("[f, I]", error_bin_limit(bin), (json_int_t)row->errors[bin]));
    return array;
}

static json_t *row_object(const bench_report *report, const bench_row *row)
{
    bool timed = row->times > 0, told = row->file_answers > 0;
    bool counted = report->plan->contacts && counts_contacts(&row->run);
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(kind_name(row->kind)));
    json_object_set_new(object, "method", json_string(method_name(&row->run)));
    json_object_set_new(object, "guarantee",
                        json_string(toi_guarantee_name(method_guarantee(&row->run))));
    set_number(object, "tolerance", row->run.tolerance, row->run.tolerance > 0);
    set_integer(object, "queries", row->queries, true);
    set_number(object, "seconds", row->seconds, true);
    set_number(object, "ns_per_query", row_nanoseconds(row), true);
    set_integer(object, "hits", row->states[TOI_HIT], true);
    set_integer(object, "undecided", row->states[TOI_UNDECIDED], true);
    set_integer(object, "false_positives", row->false_positives, true);
    set_integer(object, "false_negatives", row->false_negatives, true);
    set_integer(object, "file_false_positives", row->file_false_positives, told);
    set_integer(object, "file_false_negatives", row->file_false_negatives, told);
    set_integer(object, "odd", row->odd, counted);
    set_integer(object, "even", row->even, counted);
    set_integer(object, "times", row->times, tells_times(&row->run));
    set_integer(object, "late", row->late, tells_times(&row->run));
    set_number(object, "largest_late", row->largest_late, timed);
    set_number(object, "largest_early", row->largest_early, timed);
    set_number(object, "mean_error", row_mean_error(row), timed);
    set_integer(object, "repeats", row->repeats, true);
    set_number(object, "median_seconds", row->median_seconds, true);
    json_object_set_new(object, "errors", timed ? errors_array(row) : json_null());
    json_object_set_new(object, "rungs",
                        row->rungs[TOI_RUNG_NONE] < row->queries ? rungs_object(row) : json_null());
    json_object_set_new(object, "hash", json_hash(row->hash));
    return object;
}

static json_t *pipeline_object(const bench_pipeline *p)
{
    const toi_ccd_report *r = &p->report;
    return json_pack("{s:s, s:I, s:I, s:f, s:f, s:i, s:f, s:f, s:I, s:I, s:o}", "method",
                     method_name(&p->run), "candidates", (json_int_t)sum_kinds(r->candidates),
                     "tested", (json_int_t)sum_kinds(r->tested), "seconds_narrow",
                     r->seconds_narrow, "median_seconds", p->median_seconds, "repeats", p->repeats,
                     "ns_per_candidate", pipeline_nanoseconds(p), "seconds_total", r->seconds_total,
                     "hits", (json_int_t)sum_kinds(r->hits), "undecided",
                     (json_int_t)sum_kinds(r->undecided), "hash", json_hash(p->hash));
}

toi_status print_bench_object(const bench_report *report)
{
    const bench_result *result = report->result;
    json_t *rows = json_array(), *pipelines = json_array();
    for (int kind = 0; kind < BENCH_KINDS; ++kind)
        for (int m = 0; m < report->plan->method_count && has_kind(report->source, kind); ++m)
            json_array_append_new(rows, row_object(report, &result->rows[kind][m]));
    for (int i = 0; i < result->pipeline_count; ++i)
        json_array_append_new(pipelines, pipeline_object(&result->pipelines[i]));
    return print_json(json_pack(
        "{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:I, s:I, s:o, s:o}", "source",
        json_text(report->source->name), "scene", json_text(report->source->label), "queries",
        json_kinds(report->source->counts), "simd", toi_simd_name(), "machine",
        json_text(this_environment()->machine), "compiler", json_text(this_environment()->compiler),
        "commit", json_text(this_environment()->commit), "threads", report->plan->workers, "repeat",
        report->plan->repeat, "file_answers", (json_int_t)result->file_answers, "file_differences",
        (json_int_t)result->file_differences, "rows", rows, "pipelines", pipelines));
}
