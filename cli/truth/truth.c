// toi truth: exact truth for the frames of a mesh, made or checked.

#include "truth.h"

#include "command.h"
#include "failure.h"
#include "method_options.h"
#include "truth_dataset.h"

#include <limits.h>
#include <string.h>

const char *list_choice(int index)
{
    static const char *const names[] = {
        [TOI_TRUTH_HITS] = "hits", [TOI_TRUTH_CANDIDATES] = "candidates"};
    return index < 2 ? names[index] : NULL;
}

static const option make_options[] = {
    {.name = "out",
     .type = OPTION_TEXT,
     .offset = offsetof(truth_settings, out),
     .argument = "DIR",
     .help = "where the dataset goes; made unless it exists. Work that was stopped goes on, and "
             "steps that are there are not made again"},
    {.name = "list",
     .type = OPTION_CHOICE,
     .offset = offsetof(truth_settings, list),
     .argument = "PAIRS",
     .help = "hits: every pair that collides and no other; candidates: every pair whose swept "
             "boxes overlap",
     .choice = list_choice},
    {.name = "formats",
     .type = OPTION_TEXT,
     .offset = offsetof(truth_settings, formats),
     .argument = "LIST",
     .help = "which files, of binary,boxes,booleans,queries,times; all unless given"},
    {.name = "name",
     .type = OPTION_INT64,
     .offset = offsetof(truth_settings, first),
     .argument = "K",
     .help = "number of the first step; 0 unless given",
     .most = INT32_MAX,
     .range = "a whole number from 0 to 2147483647"},
    {.name = "restart",
     .offset = offsetof(truth_settings, restart),
     .help = "make everything anew, whatever is there"},
    {.name = "memory-limit",
     .type = OPTION_BYTES,
     .offset = offsetof(truth_settings, memory_limit),
     .argument = "BYTES",
     .help = "most working memory, beside the mesh: 1048576, 64M, 1G",
     .least = 1,
     .most = (double)INT64_MAX,
     .range = "1 byte or more, such as 1048576, 64M or 1G"},
    {0}};

static const option scene_name_options[] = {
    {.name = "scene",
     .type = OPTION_TEXT,
     .offset = offsetof(scene_choice, scene),
     .argument = "NAME",
     .help = "all frames of this scene instead of files; 'toi scene' lists them"},
    {0}};

static const option check_options[] = {
    {.name = "check",
     .type = OPTION_TEXT,
     .offset = offsetof(truth_settings, check),
     .argument = "PATH",
     .help = "check a dataset, or one truth file, instead of making one"},
    {.name = "most",
     .type = OPTION_INT64,
     .offset = offsetof(truth_settings, most),
     .argument = "N",
     .help = "print at most N disagreements; the others are counted",
     .most = (double)INT64_MAX,
     .range = "a whole number of at least 0"},
    {0}};

static const option method_options[] = {
    {.name = "broad",
     .type = OPTION_CHOICE,
     .offset = offsetof(truth_settings, broad),
     .argument = "METHOD",
     .help = "how candidate pairs are found: auto unless given, or sweep to check; brute compares "
             "every pair of boxes",
     .choice = broad_choice},
    {0}};

toi_ccd_def truth_ccd_def(const truth_settings *s, toi_broad_method broad, int threads)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = s->broad == BROAD_UNSET ? broad : (toi_broad_method)s->broad;
    def.workers = threads;
    def.memory_limit = s->memory_limit;
    return def;
}

// ---------------------------------------------------------------------------------------------
// Meshes

const int32_t *index_row(toi_index_view rows, int columns, int64_t i)
{
    int64_t stride = rows.stride ? rows.stride : columns * (int64_t)sizeof(int32_t);
    return (const int32_t *)((const char *)rows.data + i * stride);
}

static bool same_rows(toi_index_view a, toi_index_view b, int columns)
{
    if (a.count != b.count)
        return false;
    for (int64_t i = 0; i < a.count; ++i)
        if (memcmp(index_row(a, columns, i), index_row(b, columns, i),
                   (size_t)columns * sizeof(int32_t)) != 0)
            return false;
    return true;
}

// Packed doubles: what files are read to, and what truth files hold.
static bool same_points(toi_point_view a, toi_point_view b)
{
    const size_t point = 3 * sizeof(double);
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.data, b.data, (size_t)a.count * point) == 0);
}

bool same_mesh(const toi_mesh *a, const toi_mesh *b)
{
    return same_points(a->start, b->start) && same_points(a->end, b->end) &&
           same_rows(a->faces, b->faces, 3) && same_rows(a->edges, b->edges, 2);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status check_settings(const truth_settings *s, const operand_list *operands)
{
    bool making =
        s->out || s->formats || s->restart || s->first || s->choice.scene || operands->count > 0;
    if (s->check && making)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "--check stands alone: what it needs is in the dataset; leave out '%s'",
                        operands->count > 0 ? operands->at[0] : "the options that make truth");
    if (!s->check && !s->out)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "where does the truth go? Give --out DIR, or --check PATH to check one");
    return TOI_OK;
}

static toi_status run(const truth_settings *s, const operand_list *operands)
{
    int threads = apply_threads(&s->common);
    toi_status status = check_settings(s, operands);
    if (status != TOI_OK)
        return status;
    return s->check ? check_truth(s, threads) : make_truth(s, operands, threads);
}

int run_truth(int argc, char **argv)
{
    truth_settings s = {.choice = default_scene_choice(),
                        .common = default_common(),
                        .broad = BROAD_UNSET,
                        .most = 100};
    const option_group groups[] = {{"Making truth", make_options, &s},
                                   {"Checking it", check_options, &s},
                                   {"A scene instead of files", scene_name_options, &s.choice},
                                   {"The scene", scene_options, &s.choice},
                                   {"Candidates", method_options, &s},
                                   {"Common", common_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "truth START END [FRAME...] --out DIR [OPTION...]\n"
                 "truth --scene NAME --out DIR [OPTION...]\n"
                 "truth --check PATH [OPTION...]",
        .about =
            "Finds every pair that collides between one frame of a mesh and the next, and\n"
            "when, as algebraic numbers, and writes them in the formats of the public dataset\n"
            "and as one binary file a step. With --check, computes all of that anew for a\n"
            "dataset, ours or the public one, and prints every disagreement; the exit code\n"
            "is 2 if there is one.",
        .examples = "truth start.ply end.ply --out truth\n"
                    "truth frame_*.ply --out truth --name 40 --formats binary\n"
                    "truth --scene cloth-ball --begin 0.7 --frames 5 --out truth\n"
                    "truth --check truth --broad brute",
        .groups = groups,
        .most_operands = INT_MAX};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
