// toi kfree: the k-free analysis of a mesh, or of many as a table.

#include "kfree.h"

#include "command.h"
#include "failure.h"
#include "output.h"
#include "picture.h"
#include "picture_options.h"
#include "progress.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings
{
    toi_kfree_def def;
    scene_choice choice;
    common common;
    picture_choice picture;
    const char *out;
} settings;

static const option kfree_options[] = {
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.csv",
     .help = "write every face's count: face,count"},
    {.name = "memory-limit",
     .type = OPTION_BYTES,
     .offset = offsetof(settings, def.memory_limit),
     .argument = "BYTES",
     .help = "most working memory, beside the mesh: 1048576, 64M, 1G",
     .least = 1,
     .most = (double)INT64_MAX,
     .range = "1 byte or more, such as 1048576, 64M or 1G"},
    {0}};

enum
{
    MOST_MESHES = 1000
};

// ---------------------------------------------------------------------------------------------
// Finding

static toi_status count_pairs(const settings *s, const toi_mesh *mesh, int64_t *pairs)
{
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_report report;
    def.workers = s->def.workers;
    def.memory_limit = s->def.memory_limit;
    toi_status status = toi_count_overlaps(&def, mesh, &report);
    *pairs = status == TOI_OK ? report.pairs : 0;
    return status;
}

static void find_centre(const instant *m, kfree_face *w)
{
    for (int k = 0; k < 3; ++k) {
        w->centre[k] = 0;
        for (int c = 0; c < 3; ++c)
            w->centre[k] += m->points[m->faces[w->face][c]][k] / 3;
    }
}

// The faces with the greatest counts, of equal ones the first.
static void find_worst(const instant *m, kfree_result *r)
{
    for (int64_t i = 0; i < r->report.faces; ++i) {
        int at = r->worst_count;
        while (at > 0 && r->worst[at - 1].count < r->counts[i])
            --at;
        if (at == WORST)
            continue;
        r->worst_count += r->worst_count < WORST;
        for (int j = r->worst_count - 1; j > at; --j)
            r->worst[j] = r->worst[j - 1];
        r->worst[at] = (kfree_face){.face = (int32_t)i, .count = r->counts[i]};
    }
    for (int i = 0; i < r->worst_count; ++i)
        find_centre(m, &r->worst[i]);
}

static toi_status analyse(const settings *s, const instant *m, kfree_result *r)
{
    progress bar = start_progress(s->common.repeat);
    toi_kfree_def def = s->def;
    def.progress = progress_function();
    def.progress_context = &bar;
    r->counts = toi_allocate((size_t)(m->mesh.faces.count + 1) * sizeof *r->counts);
    r->vertices = m->mesh.start.count;
    snprintf(r->name, sizeof r->name, "%.127s", m->name);
    toi_status status = r->counts ? TOI_OK : TOI_ERROR_MEMORY;
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run) {
        toi_kfree_report report;
        status = toi_kfree(&def, &m->mesh, r->counts, &report);
        if (bar.run == 0 || report.seconds_total < r->report.seconds_total)
            r->report = report;
    }
    end_progress(&bar);
    if (status == TOI_OK)
        status = count_pairs(s, &m->mesh, &r->pairs);
    if (status == TOI_OK)
        find_worst(m, r);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static toi_status write_counts(const char *path, const kfree_result *r)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fputs("face,count\n", output.file);
    for (int64_t i = 0; i < r->report.faces; ++i)
        fprintf(output.file, "%" PRId64 ",%" PRId32 "\n", i, r->counts[i]);
    return toi_close_output(&output);
}

// Ranges of counts that grow wider: highest[i] is the last number of range i.
typedef struct ranges
{
    int count;
    int32_t highest[MOST_KINDS];
    char names[MOST_KINDS][32];
    picture_kind kinds[MOST_KINDS];
} ranges;

// From light grey over orange to dark violet, ordered by lightness.
static const double SCALE[MOST_KINDS][3] = {
    {0.86, 0.87, 0.89}, {0.93, 0.85, 0.78}, {0.96, 0.76, 0.62}, {0.95, 0.61, 0.46},
    {0.86, 0.43, 0.40}, {0.70, 0.28, 0.42}, {0.48, 0.20, 0.45}, {0.27, 0.13, 0.38}};

static void make_ranges(const kfree_result *r, ranges *q)
{
    int32_t most = r->report.k - 1, from = 0;
    *q = (ranges){0};
    for (int step = 1; from <= most; ++step) {
        double end = most * pow((double)step / MOST_KINDS, 1.6); // most counts are small
        int i = q->count;
        q->highest[i] = step == MOST_KINDS ? most : (int32_t)end;
        if (q->highest[i] < from)
            continue;
        ++q->count;
        if (q->highest[i] == from)
            snprintf(q->names[i], sizeof q->names[i], "%" PRId32, from);
        else
            snprintf(q->names[i], sizeof q->names[i], "%" PRId32 " to %" PRId32, from,
                     q->highest[i]);
        q->kinds[i] = (picture_kind){q->names[i], {SCALE[i][0], SCALE[i][1], SCALE[i][2]}};
        from = q->highest[i] + 1;
    }
}

static toi_status draw(const settings *s, const instant *m, const kfree_result *r)
{
    ranges q;
    char subtitle[160];
    uint8_t *kinds = toi_allocate((size_t)r->report.faces + 1);
    if (!kinds)
        return TOI_ERROR_MEMORY;
    make_ranges(r, &q);
    for (int64_t i = 0; i < r->report.faces; ++i)
        for (kinds[i] = 0; r->counts[i] > q.highest[kinds[i]];)
            ++kinds[i];
    snprintf(subtitle, sizeof subtitle,
             "%s faces, k = %" PRId32 ": faces by how many others as large or larger are near",
             count_text(r->report.faces).at, r->report.k);
    picture p = {.title = m->name,
                 .subtitle = subtitle,
                 .point_count = m->mesh.start.count,
                 .start = m->points,
                 .face_count = m->mesh.faces.count,
                 .faces = m->faces,
                 .face_kinds = kinds,
                 .kinds = q.kinds,
                 .kind_count = q.count,
                 .up = choose_up(s->picture.up, m->scene)};
    toi_status status = draw_picture(s->picture.path, &p);
    toi_release(kinds);
    return status;
}

static toi_status write_files(const settings *s, const instant *m, const kfree_result *r)
{
    toi_status status = s->out ? write_counts(s->out, r) : TOI_OK;
    return status == TOI_OK && s->picture.path ? draw(s, m, r) : status;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

// Of several files, which may have the same name in different folders: the end of the path.
static void name_by_path(kfree_result *r, const char *path)
{
    enum
    {
        SHOWN = 40
    };
    size_t length = strlen(path);
    snprintf(r->name, sizeof r->name, "%s%s", length > SHOWN ? "..." : "",
             length > SHOWN ? path + length - SHOWN : path);
}

static toi_status analyse_file(const settings *s, const operand_list *operand, kfree_result *r)
{
    instant m;
    toi_status status = load_instant_mesh(&s->choice, operand, &m);
    if (status == TOI_OK)
        status = analyse(s, &m, r);
    if (status == TOI_OK)
        status = write_files(s, &m, r);
    free_instant_mesh(&m);
    return status;
}

static toi_status report_one(const settings *s, const kfree_result *r)
{
    if (s->common.json)
        return print_json(json_kfree(r));
    toi_status status = describe_kfree(r);
    if (status == TOI_OK && s->out)
        printf("\nfile        %s\n", s->out);
    if (status == TOI_OK && s->picture.path)
        printf("\npicture     %s\n", s->picture.path);
    return status;
}

static toi_status report_all(const settings *s, const kfree_result *results, int count)
{
    if (!s->common.json)
        return print_kfree_table(results, count);
    json_t *meshes = json_array();
    for (int i = 0; i < count; ++i)
        json_array_append_new(meshes, json_kfree(&results[i]));
    return print_json(json_pack("{s:o}", "meshes", meshes));
}

static toi_status check_settings(const settings *s, const operand_list *operands)
{
    if (operands->count > 1 && (s->out || s->picture.path))
        return toi_fail(TOI_ERROR_ARGUMENT, "--out and --picture are for one mesh");
    toi_status status = check_output(s->out);
    if (status == TOI_OK)
        status = check_output(s->picture.path);
    return status == TOI_OK ? check_choice(&s->choice, operands) : status;
}

static toi_status run(settings *s, const operand_list *operands)
{
    int count = operands->count > 0 ? operands->count : 1;
    s->def.workers = apply_threads(&s->common);
    toi_status status = check_settings(s, operands);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status != TOI_OK)
        return status;
    kfree_result *results = toi_allocate((size_t)count * sizeof *results);
    if (!results)
        return TOI_ERROR_MEMORY;
    for (int i = 0; i < count; ++i)
        results[i] = (kfree_result){0};
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        operand_list one = {operands->at + i, operands->count > 0};
        status = analyse_file(s, &one, &results[i]);
        if (count > 1) {
            name_by_path(&results[i], operands->at[i]);
            toi_release(results[i].counts);
            results[i].counts = NULL;
        }
    }
    if (status == TOI_OK)
        status = count == 1 ? report_one(s, results) : report_all(s, results, count);
    for (int i = 0; i < count; ++i)
        toi_release(results[i].counts);
    toi_release(results);
    return status;
}

int run_kfree(int argc, char **argv)
{
    settings s = {.def = toi_default_kfree_def(),
                  .choice = default_scene_choice(),
                  .common = default_common()};
    const option_group groups[] = {{"Analysis", kfree_options, &s},
                                   {"Picture", picture_options, &s.picture},
                                   {"A scene instead of a file", instant_options, &s.choice},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "kfree MESH... [OPTION...]\nkfree --scene NAME [OPTION...]",
        .about = "Says how many intersections a mesh can have (Weller, Debowski, Zachmann 2017).\n"
                 "A face's count is the number of other faces, at least as large, that are no\n"
                 "farther from it than a quarter of its size; k is the greatest count plus one.\n"
                 "Two meshes with the same k and n faces together have at most 3 n k pairs that\n"
                 "intersect. Where k grows with n that is quadratic, and there are meshes that\n"
                 "reach it (Chazelle). One mesh gets a histogram and its worst faces, several\n"
                 "become a table.",
        .examples = "kfree bunny.ply\n"
                    "kfree *.ply *.obj\n"
                    "kfree bunny.ply --picture bunny.png --json\n"
                    "kfree --scene cloth-ball --begin 0.95",
        .groups = groups,
        .most_operands = MOST_MESHES};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
