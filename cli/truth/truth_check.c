// toi truth --check: a dataset against what is computed anew from its frames, without its help.
//
// The impacts come from the frames, a broad phase other than the one that made the dataset, and
// `exact`; every pair that is listed is decided once more by itself. Both must agree with the
// files, and with each other.

#include "text.h"
#include "truth.h"
#include "truth_compare.h"
#include "truth_dataset.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct checker
{
    const truth_settings *s;
    toi_ccd_def def;
    dataset data;
    progress bar;
    findings found;
    check_totals totals;
} checker;

// The frames of a step, its truth file, or both.
typedef struct step_source
{
    frames frames;
    bool has_frames;
    char binary[PATH_MAX];
    toi_truth *truth; // NULL: there is none, or it cannot be read
    toi_mesh mesh;    // of the frames, else of the truth
} step_source;

// ---------------------------------------------------------------------------------------------
// A step

// Leaves `path` empty where there is no such file.
static toi_status find_file(const checker *c, int64_t step, truth_format format, toi_kind kind,
                            char path[PATH_MAX])
{
    toi_status status = name_truth_file(c->data.path, c->data.layout, step, format, kind, path);
    if (!is_file(path))
        path[0] = '\0';
    return status;
}

static toi_status load_step_frames(checker *c, int64_t step, step_source *source)
{
    char start[PATH_MAX], end[PATH_MAX];
    toi_status status = find_step_frames(&c->data, step, start, end);
    if (status != TOI_OK || !start[0])
        return status;
    const char *paths[] = {start, end};
    const operand_list both = {.at = paths, .count = 2};
    const scene_choice files = default_scene_choice();
    status = load_frames(&files, &both, &source->frames);
    source->has_frames = status == TOI_OK;
    return status;
}

// False where there is nothing to compute with.
static toi_status open_step(checker *c, int64_t step, step_source *source, bool *good)
{
    toi_status status = find_file(c, step, FORMAT_BINARY, TOI_VERTEX_FACE, source->binary);
    if (status == TOI_OK && source->binary[0])
        status = add_failure(&c->found, toi_open_truth(source->binary, &source->truth));
    toi_status frames_status = status == TOI_OK ? load_step_frames(c, step, source) : TOI_OK;
    if (status == TOI_OK)
        status = add_failure(&c->found, frames_status);
    *good = status == TOI_OK && frames_status == TOI_OK && (source->has_frames || source->truth);
    if (source->has_frames)
        source->mesh = source->frames.mesh;
    else if (source->truth)
        source->mesh = toi_truth_mesh(source->truth);
    else if (status == TOI_OK && frames_status == TOI_OK && !source->binary[0])
        add_finding(&c->found, "%s: step %" PRId64 " has neither frames nor a truth file",
                    c->data.path, step);
    return status;
}

static void close_step(step_source *source)
{
    free_frames(&source->frames);
    toi_close_truth(source->truth);
}

// Where pairs of one kind are listed, none of the other means that there is none.
static toi_status check_absent(checker *c, const step_truth *t, int64_t step, toi_kind kind)
{
    char listed[PATH_MAX];
    toi_kind other = kind == TOI_VERTEX_FACE ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
    toi_status status = find_file(c, step, FORMAT_BOXES, other, listed);
    if (status == TOI_OK && listed[0] && t->report.hits[kind] > 0)
        add_finding(&c->found,
                    "%s: has no list of %s pairs beside it, of which %" PRId64 " collide", listed,
                    toi_kind_name(kind), t->report.hits[kind]);
    return status;
}

static toi_status check_public(checker *c, step_truth *t, int64_t step, toi_kind kind)
{
    char boxes[PATH_MAX], booleans[PATH_MAX], times[PATH_MAX], queries[PATH_MAX];
    const list_files files = {boxes, booleans, times, queries};
    t->stage = 1 + TOI_PAIR_KINDS + (int)kind;
    toi_status status = find_file(c, step, FORMAT_BOXES, kind, boxes);
    if (status == TOI_OK)
        status = find_file(c, step, FORMAT_BOOLEANS, kind, booleans);
    if (status == TOI_OK)
        status = find_file(c, step, FORMAT_TIMES, kind, times);
    if (status == TOI_OK)
        status = find_file(c, step, FORMAT_QUERIES, kind, queries);
    if (status == TOI_OK && !boxes[0] && !booleans[0] && !times[0] && !queries[0])
        status = check_absent(c, t, step, kind);
    return status == TOI_OK ? check_lists(t, kind, &files) : status;
}

static toi_status compare_step(checker *c, int64_t step, const step_source *source, step_truth *t)
{
    toi_ccd_def counting = c->def;
    counting.count_candidates = true;
    toi_status status = toi_find_impacts(&counting, &source->mesh, &t->impacts, &t->report);
    if (status != TOI_OK)
        return add_failure(&c->found, status);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        c->totals.candidates[kind] += t->report.candidates[kind];
        c->totals.hits[kind] += t->report.hits[kind];
    }
    if (source->truth) {
        toi_mesh mesh = toi_truth_mesh(source->truth);
        if (same_mesh(&mesh, &source->mesh))
            status = check_binary(t, &c->def, source->truth, source->binary);
        else
            add_finding(&c->found, "%s: its mesh is not that of the frames", source->binary);
    }
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = check_public(c, t, step, (toi_kind)kind);
    return status;
}

static toi_status check_step(checker *c, int64_t step)
{
    step_source source = {0};
    step_truth t = {
        .mesh = &source.mesh, .narrow = c->def.narrow, .found = &c->found, .totals = &c->totals};
    t.narrow.workers = c->def.workers;
    bool good;
    toi_status status = open_step(c, step, &source, &good);
    if (status == TOI_OK && good)
        status = compare_step(c, step, &source, &t);
    toi_free_impacts(&t.impacts);
    close_step(&source);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The summary

static toi_status print_object(const checker *c, double seconds)
{
    const check_totals *t = &c->totals;
    return print_json(json_pack(
        "{s:o, s:s, s:i, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:O, s:f}", "path",
        json_text(c->data.path), "broad", toi_broad_name(c->def.broad.method), "threads",
        c->def.workers, "steps", (json_int_t)c->data.step_count, "files", (json_int_t)t->files,
        "candidates", json_kinds(t->candidates), "hits", json_kinds(t->hits), "pairs",
        json_kinds(t->pairs), "certificates", (json_int_t)t->certificates, "disagreements",
        (json_int_t)c->found.count, "lines", c->found.lines, "seconds", seconds));
}

static void print_summary(const checker *c, double seconds)
{
    const check_totals *t = &c->totals;
    if (c->found.count > c->found.most)
        printf("and %s more\n", count_text(c->found.count - c->found.most).at);
    if (c->found.count > 0)
        putchar('\n');
    printf("%s\n", c->data.path);
    printf("computed       %s step%s, broad %s, %d thread%s\n", count_text(c->data.step_count).at,
           c->data.step_count == 1 ? "" : "s", toi_broad_name(c->def.broad.method), c->def.workers,
           c->def.workers == 1 ? "" : "s");
    printf("candidates     %s vertex-face, %s edge-edge\n", count_text(t->candidates[0]).at,
           count_text(t->candidates[1]).at);
    printf("hits           %s vertex-face, %s edge-edge\n", count_text(t->hits[0]).at,
           count_text(t->hits[1]).at);
    if (t->files == 0)
        printf("listed         nothing: there are only frames\n");
    else
        printf("listed         %s vertex-face, %s edge-edge in %s file%s\n",
               count_text(t->pairs[0]).at, count_text(t->pairs[1]).at, count_text(t->files).at,
               t->files == 1 ? "" : "s");
    printf("certificates   %s\n", count_text(t->certificates).at);
    printf("disagreements  %s\n", c->found.count ? count_text(c->found.count).at : "none");
    printf("time           %s\n", seconds_text(seconds).at);
}

// ---------------------------------------------------------------------------------------------
// The check

static bool show_search(void *context, double done)
{
    toi_progress_fn *show = progress_function();
    if (show)
        show(context, done / CHECK_STAGES);
    return true;
}

static toi_status report(const checker *c, double seconds)
{
    toi_status status = TOI_OK;
    if (c->found.lines)
        status = print_object(c, seconds);
    else
        print_summary(c, seconds);
    if (status == TOI_OK && c->found.count > 0)
        status =
            toi_fail(TOI_ERROR_DATA, "%s: %s disagreement%s with the exact truth", c->data.path,
                     count_text(c->found.count).at, c->found.count == 1 ? "" : "s");
    return status;
}

// Another one than the truth was made with.
static toi_broad_method checking_method(void)
{
    bool built = toi_broad_traits(TOI_BROAD_SWEEP) & TOI_BROAD_TRAIT_BUILT;
    return built ? TOI_BROAD_SWEEP : TOI_BROAD_INTERVAL_TREE;
}

toi_status check_truth(const truth_settings *s, int threads)
{
    checker c = {.s = s,
                 .def = truth_ccd_def(s, checking_method(), threads),
                 .found = {.most = s->most, .lines = s->common.json ? json_array() : NULL}};
    double started = seconds_now();
    toi_status status = open_dataset(s->check, &c.data);
    c.bar = start_progress((int)(c.data.step_count > 0 ? c.data.step_count : 1));
    c.found.bar = &c.bar;
    c.def.progress = show_search;
    c.def.progress_context = &c.bar;
    for (; c.bar.run < c.data.step_count && status == TOI_OK; ++c.bar.run)
        status = check_step(&c, c.data.steps[c.bar.run]);
    end_progress(&c.bar);
    if (status == TOI_OK)
        status = report(&c, seconds_now() - started);
    json_decref(c.found.lines);
    free_dataset(&c.data);
    return status;
}
