// The comparison of the whole pipeline as text and JSON: answers, costs, and what the costs say of
// each other.

#include "bench_ccd_report.h"

#include "bench_narrow_row.h"
#include "json.h"
#include "kinds.h"
#include "method_options.h"
#include "table.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Columns that are left out where all rows have the same in them

typedef struct choices
{
    bool fraction;
    bool separation;
    bool broad;
    bool limit;
    bool calls;
    bool load;
    bool threads;
} choices;

static choices find_choices(const ccd_rows *rows)
{
    choices found = {.threads = true};
    for (int i = 1; i < rows->count; ++i) {
        const ccd_row *row = &rows->data[i];
        found.fraction = found.fraction || row->fraction != rows->data->fraction;
        found.separation =
            found.separation || !same_separation(&row->separation, &rows->data->separation);
        found.broad = found.broad || row->broad != rows->data->broad;
        found.limit = found.limit || row->memory_limit != rows->data->memory_limit;
        found.calls = found.calls || row->calls != rows->data->calls;
        found.load = found.load || row->load != rows->data->load;
    }
    return found;
}

// `row` NULL: the titles.
static void add_question_cells(table *t, const choices *shown, const ccd_row *row)
{
    add_cell(t, words(row ? narrow_choice((int)row->narrow) : "narrow"));
    add_cell(t, words(row ? ccd_mode_name((int)row->mode) : "mode"));
    if (shown->fraction)
        add_cell(t, row ? decimal("%.4g", row->fraction) : words("fraction"));
    if (shown->separation)
        add_cell(t, row ? separation_text(&row->separation) : words("separation"));
}

static text limit_cell(const ccd_row *row)
{
    return row->memory_limit > 0 ? bytes_text(row->memory_limit) : words("none");
}

// What a row is about; NULL: the titles.
static void add_key_cells(table *t, const choices *shown, const ccd_row *row)
{
    add_question_cells(t, shown, row);
    if (shown->broad)
        add_cell(t, words(row ? broad_choice((int)row->broad) : "broad"));
    if (shown->limit)
        add_cell(t, row ? limit_cell(row) : words("limit"));
    if (shown->calls)
        add_cell(t, words(row ? ccd_calls_name((int)row->calls) : "calls"));
    if (shown->load)
        add_cell(t, words(row ? ccd_load_name((int)row->load) : "load"));
    if (shown->threads)
        add_cell(t, row ? count_text(row->threads) : words("threads"));
}

static int count_question_keys(const choices *shown)
{
    return 2 + shown->fraction + shown->separation;
}

static int count_keys(const choices *shown)
{
    return count_question_keys(shown) + shown->broad + shown->limit + shown->calls + shown->load +
           shown->threads;
}

static bool is_new_ccd_scene(const ccd_rows *rows, int index)
{
    for (int i = 0; i < index; ++i)
        if (strcmp(rows->data[i].scene, rows->data[index].scene) == 0)
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Answers: a line for each question, since all rows of it must have the same

static bool all_have_same_answer(const ccd_rows *rows, const ccd_row *first)
{
    for (int i = 0; i < rows->count; ++i)
        if (same_ccd_question(&rows->data[i], first) && rows->data[i].hash != first->hash)
            return false;
    return true;
}

static text earliest_cell(const ccd_row *row)
{
    if (!finds_times(row->narrow))
        return words("-");
    return row->report.state == TOI_SEPARATED ? words("none")
                                              : decimal("%.6g", row->report.earliest.time);
}

static void add_answer_line(table *t, const choices *shown, const ccd_rows *rows,
                            const ccd_row *row)
{
    bool all = row->mode == CCD_ALL, judged = has_truth(row);
    add_question_cells(t, shown, row);
    add_cell(t, count_text(sum_kinds(row->report.candidates)));
    add_cell(t, count_text(sum_kinds(row->report.tested)));
    add_cell(t, all ? count_text(sum_kinds(row->report.hits)) : words("-"));
    add_cell(t, earliest_cell(row));
    add_cell(t, all && judged ? count_text(row->truth.false_positives) : words("-"));
    add_cell(t, all && judged ? count_text(row->truth.false_negatives) : words("-"));
    add_cell(t, judged && finds_times(row->narrow) ? count_text(row->truth.late) : words("-"));
    add_cell(t, hash_text(row->hash));
    add_cell(t, words(all_have_same_answer(rows, row) ? "same" : "DIFFERENT"));
}

static toi_status print_answers(const ccd_rows *rows, const ccd_row *scene, const choices *shown)
{
    static const char *const titles[] = {"candidates", "tested", "hits", "earliest", "false +",
                                         "false -",    "late",   "hash", "answers"};
    enum
    {
        TITLES = sizeof titles / sizeof *titles
    };
    int keys = count_question_keys(shown);
    table t = start_table(keys + TITLES, keys);
    add_question_cells(&t, shown, NULL);
    for (int i = 0; i < TITLES; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < rows->count; ++i) {
        const ccd_row *row = &rows->data[i];
        if (strcmp(row->scene, scene->scene) == 0 && find_first_answer(rows, row) == row)
            add_answer_line(&t, shown, rows, row);
    }
    return print_table(&t);
}

// ---------------------------------------------------------------------------------------------
// Costs: a line for each row

static void add_cost_line(table *t, const choices *shown, const ccd_row *row)
{
    const toi_ccd_report *r = &row->report;
    add_key_cells(t, shown, row);
    add_cell(t, seconds_text(r->seconds_prepare));
    add_cell(t, seconds_text(r->seconds_broad));
    add_cell(t, seconds_text(r->seconds_narrow));
    add_cell(t, seconds_text(r->seconds_total));
    add_cell(t, bytes_text(r->peak_bytes));
}

static toi_status print_costs(const ccd_rows *rows, const ccd_row *scene, const choices *shown)
{
    static const char *const titles[] = {"prepare", "search", "decide", "total", "memory"};
    enum
    {
        TITLES = sizeof titles / sizeof *titles
    };
    int keys = count_keys(shown);
    table t = start_table(keys + TITLES, keys);
    add_key_cells(&t, shown, NULL);
    for (int i = 0; i < TITLES; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < rows->count; ++i)
        if (strcmp(rows->data[i].scene, scene->scene) == 0)
            add_cost_line(&t, shown, &rows->data[i]);
    return print_table(&t);
}

// ---------------------------------------------------------------------------------------------
// Ratios: rows that differ in one thing, beside each other

static void add_ratio_cells(table *t, double before, double after)
{
    add_cell(t, seconds_text(before));
    add_cell(t, seconds_text(after));
    add_cell(t, decimal("%.2f", after / before));
}

// The fastest runs, as in the costs.
static toi_status print_kept_ratios(const ccd_rows *rows, const ccd_row *scene, choices shown)
{
    shown.calls = false;
    int keys = count_keys(&shown);
    table t = start_table(keys + 3, keys);
    add_key_cells(&t, &shown, NULL);
    add_cell(&t, words("stateless"));
    add_cell(&t, words("kept"));
    add_cell(&t, words("kept/stateless"));
    for (int i = 0; i < rows->count; ++i) {
        const ccd_row *row = &rows->data[i];
        ccd_row other = *row;
        other.calls = CCD_KEPT;
        const ccd_row *kept = find_same_run(rows, &other);
        if (row->calls == CCD_KEPT || !kept || strcmp(row->scene, scene->scene) != 0)
            continue;
        add_key_cells(&t, &shown, row);
        add_ratio_cells(&t, row->report.seconds_total, kept->report.seconds_total);
    }
    printf("\n");
    return print_table(&t);
}

static int most_threads(const ccd_rows *rows)
{
    int most = 0;
    for (int i = 0; i < rows->count; ++i)
        most = rows->data[i].threads > most ? rows->data[i].threads : most;
    return most;
}

// Runs on average: on a busy machine some are not disturbed, and those are not what a solver pays.
static toi_status print_load_ratios(const ccd_rows *rows, const ccd_row *scene, choices shown)
{
    int most = most_threads(rows);
    shown.threads = false;
    int keys = count_keys(&shown);
    table t = start_table(keys + 3, keys);
    add_key_cells(&t, &shown, NULL);
    add_cell(&t, words("mean, 1 thread"));
    add_cell(&t, decimal(most == 1 ? "%.0f thread" : "%.0f threads", most));
    add_cell(&t, words("all/one"));
    for (int i = 0; i < rows->count; ++i) {
        const ccd_row *row = &rows->data[i];
        ccd_row other = *row;
        other.threads = most;
        const ccd_row *all = find_same_run(rows, &other);
        if (row->threads != 1 || !all || strcmp(row->scene, scene->scene) != 0)
            continue;
        add_key_cells(&t, &shown, row);
        add_ratio_cells(&t, row->mean_seconds, all->mean_seconds);
    }
    printf("\n");
    return print_table(&t);
}

static bool differ_in_threads(const ccd_rows *rows)
{
    for (int i = 1; i < rows->count; ++i)
        if (rows->data[i].threads != rows->data->threads)
            return true;
    return false;
}

static const ccd_row *find_touching(const ccd_rows *rows, const ccd_row *row)
{
    ccd_row other = *row;
    other.separation = (ccd_separation){.kind = CCD_TOUCHING};
    return find_same_run(rows, &other);
}

// What the separation costs beside none, which may not have been measured.
static void add_separation_cells(table *t, const ccd_row *row, const ccd_row *none)
{
    const toi_ccd_report *r = &row->report;
    int64_t candidates = sum_kinds(r->candidates), hits = sum_kinds(r->hits);
    int64_t more = none && row->mode == CCD_ALL ? hits - sum_kinds(none->report.hits) : 0;
    bool many = more > 0 && more >= candidates / 100; // of few the time says nothing
    double seconds = r->seconds_total, before = none ? none->report.seconds_total : 0;
    add_cell(t, seconds_text(seconds));
    add_cell(t, none ? decimal("%.2f", seconds / before) : words("-"));
    add_cell(t, count_text(candidates));
    add_cell(t, row->mode == CCD_ALL ? count_text(hits) : words("-"));
    add_cell(t, candidates > 0 ? decimal("%.1f", 1e9 * seconds / (double)candidates) : words("-"));
    add_cell(t, many ? decimal("%.0f", 1e9 * (seconds - before) / (double)more) : words("-"));
}

// The fastest runs, as in the costs.
static toi_status print_separations(const ccd_rows *rows, const ccd_row *scene, choices shown)
{
    static const char *const titles[] = {"total", "ratio",          "candidates",
                                         "hits",  "ns a candidate", "ns a hit more"};
    enum
    {
        TITLES = sizeof titles / sizeof *titles
    };
    shown.threads = differ_in_threads(rows); // room for what the table is about
    int keys = count_keys(&shown);
    table t = start_table(keys + TITLES, keys);
    add_key_cells(&t, &shown, NULL);
    for (int i = 0; i < TITLES; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < rows->count; ++i) {
        const ccd_row *row = &rows->data[i];
        if (strcmp(row->scene, scene->scene) != 0)
            continue;
        add_key_cells(&t, &shown, row);
        add_separation_cells(&t, row, find_touching(rows, row));
    }
    printf("\n");
    return print_table(&t);
}

static void print_notes(const choices *shown)
{
    printf(
        "\nfalse +: reported, yet they never touch. false -: they touch, yet are not reported. "
        "late: times\nlater than the true one. hash: of all impacts, or of the earliest. answers: "
        "the same for every\nbroad phase, number of threads, memory limit, call and load, or not. "
        "Times by the clock on the\nwall; search and decide overlap and are shared out by the "
        "workers' own clocks. total: the whole\ncall. memory: the most working memory held at "
        "once.\n");
    if (shown->separation)
        printf("separation: edge/N: the N-th part of the mean edge in the first frame is kept; "
               "relative: a fifth of\neach pair's distance, and what else solvers ask for. ratio: "
               "total beside that of none. ns a\ncandidate: total, shared out. ns a hit more: what "
               "total has more than that of none, shared out to\nthe hits more, where those are a "
               "hundredth of the candidates. Separations are run in turns.\n");
    if (shown->calls)
        printf("kept: a step of a scene that is kept between calls; stateless: a call that begins "
               "with nothing.\n");
    if (shown->load)
        printf("busy: while other threads take every core. all/one: all threads against one, mean "
               "times; when\nbusy it should stay below 1.2. idle: nothing that this program "
               "started.\n");
}

static void print_title(const ccd_rows *rows)
{
    int least = rows->data->repeats, most = least;
    for (int i = 1; i < rows->count; ++i) {
        int repeats = rows->data[i].repeats;
        least = repeats < least ? repeats : least;
        most = repeats > most ? repeats : most;
    }
    printf("the whole pipeline, %s, ", toi_simd_name());
    if (most == 1)
        printf("one run");
    else if (least == most)
        printf("the fastest of %d runs", most);
    else
        printf("the fastest of %d to %d runs", least, most);
    printf(", not counting the first\n");
}

toi_status print_ccd(const ccd_rows *rows)
{
    choices shown = find_choices(rows);
    toi_status status = TOI_OK;
    print_title(rows);
    for (int i = 0; i < rows->count && status == TOI_OK; ++i) {
        const ccd_row *row = &rows->data[i];
        if (!is_new_ccd_scene(rows, i))
            continue;
        printf("\n%s\n\n", row->scene);
        status = print_answers(rows, row, &shown);
        printf("\n");
        if (status == TOI_OK)
            status = print_costs(rows, row, &shown);
        if (status == TOI_OK && shown.separation)
            status = print_separations(rows, row, shown);
        if (status == TOI_OK && shown.calls)
            status = print_kept_ratios(rows, row, shown);
        if (status == TOI_OK && shown.load)
            status = print_load_ratios(rows, row, shown);
    }
    print_notes(&shown);
    if (rows->skipped > 0)
        printf("%d combinations were skipped: see the messages.\n", rows->skipped);
    return status;
}

// ---------------------------------------------------------------------------------------------
// JSON

static void add_answer(json_t *object, const ccd_rows *rows, const ccd_row *row)
{
    const toi_ccd_report *r = &row->report;
    bool all = row->mode == CCD_ALL, timed = finds_times(row->narrow), judged = has_truth(row);
    bool found = timed && r->state != TOI_SEPARATED;
    json_object_set_new(object, "candidates", json_all_kinds(r->candidates));
    json_object_set_new(object, "tested", json_all_kinds(r->tested));
    json_object_set_new(object, "hits", all ? json_all_kinds(r->hits) : json_null());
    json_object_set_new(object, "undecided",
                        json_integer(all ? sum_kinds(r->undecided) : r->state == TOI_UNDECIDED));
    json_object_set_new(object, "earliest", found ? json_real(r->earliest.time) : json_null());
    json_object_set_new(object, "earliest_hex",
                        found ? json_string(time_hex(r->earliest.time).at) : json_null());
    json_object_set_new(object, "false_positives",
                        all && judged ? json_integer(row->truth.false_positives) : json_null());
    json_object_set_new(object, "false_negatives",
                        all && judged ? json_integer(row->truth.false_negatives) : json_null());
    json_object_set_new(object, "late",
                        timed && judged ? json_integer(row->truth.late) : json_null());
    json_object_set_new(object, "inside", json_integer(r->inside));
    json_object_set_new(object, "hash", json_hash(row->hash));
    json_object_set_new(object, "same", json_boolean(has_same_answer(rows, row)));
}

static json_t *ccd_row_object(const ccd_rows *rows, const ccd_row *row)
{
    const toi_ccd_report *r = &row->report;
    json_t *object = json_pack(
        "{s:o, s:s, s:s, s:s, s:f, s:s, s:f, s:I, s:i, s:s, s:s, s:I, s:I, s:I}", "scene",
        json_text(row->scene), "broad", broad_choice((int)row->broad), "narrow",
        narrow_choice((int)row->narrow), "mode", ccd_mode_name((int)row->mode), "fraction",
        row->fraction, "separation", separation_text(&row->separation).at, "min_separation",
        row->min_separation, "memory_limit", (json_int_t)row->memory_limit, "threads", row->threads,
        "calls", ccd_calls_name((int)row->calls), "load", ccd_load_name((int)row->load), "vertices",
        (json_int_t)r->vertices, "edges", (json_int_t)r->edges, "faces", (json_int_t)r->faces);
    add_answer(object, rows, row);
    json_object_set_new(object, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "prepare", r->seconds_prepare, "broad",
                                  r->seconds_broad, "narrow", r->seconds_narrow, "total",
                                  r->seconds_total));
    json_object_set_new(object, "median_seconds", json_real(row->median_seconds));
    json_object_set_new(object, "mean_seconds", json_real(row->mean_seconds));
    json_object_set_new(object, "repeats", json_integer(row->repeats));
    json_object_set_new(object, "peak_bytes", json_integer(r->peak_bytes));
    return object;
}

toi_status print_ccd_object(const ccd_rows *rows, int repeat)
{
    const environment *here = this_environment();
    json_t *list = json_array();
    for (int i = 0; i < rows->count; ++i)
        json_array_append_new(list, ccd_row_object(rows, &rows->data[i]));
    return print_json(json_pack("{s:i, s:b, s:i, s:s, s:o, s:o, s:o, s:o}", "repeat", repeat,
                                "same", count_wrong_answers(rows) == 0, "skipped", rows->skipped,
                                "simd", toi_simd_name(), "machine", json_text(here->machine),
                                "compiler", json_text(here->compiler), "commit",
                                json_text(here->commit), "rows", list));
}
