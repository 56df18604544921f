// toi check: what is wrong with a mesh, or with a step of one.

#include "check.h"

#include "command.h"
#include "failure.h"
#include "output.h"
#include "overlap_picture.h"
#include "picture_options.h"
#include "sides.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

typedef struct settings
{
    check_settings check;
    scene_choice choice;
    common common;
    picture_choice picture;
} settings;

static const option check_options[] = {{.name = "closed",
                                        .offset = offsetof(settings, check.closed),
                                        .help = "a border is an error, not only a note"},
                                       {0}};

// ---------------------------------------------------------------------------------------------
// The picture

enum
{
    FACE_SOUND,
    FACE_MEETS_AT_END,
    FACE_MEETS,
    LINE_MEET = 0,
    LINE_BORDER,
    LINE_CROWDED,
    LINE_FLIPPED,
    LINE_SPOT,
    LINE_IMPACT
};

static void mark_faces(const check_result *r, uint8_t *kinds)
{
    memset(kinds, FACE_SOUND, (size_t)r->at[0].mesh.faces.count);
    for (int i = r->moments - 1; i >= 0; --i) {
        const toi_overlap_array *pairs = &r->at[i].pairs;
        uint8_t kind = i > 0 ? FACE_MEETS_AT_END : FACE_MEETS;
        for (int64_t j = 0; j < pairs->count; ++j)
            kinds[pairs->data[j].a] = kinds[pairs->data[j].b] = kind;
    }
}

// Edges that have not two faces, or two that disagree.
static toi_status add_edges(const frames *f, line_list *lines)
{
    side_list sides;
    toi_status status = list_sides(f->faces, f->mesh.faces.count, &sides);
    for (int64_t i = 0, same; status == TOI_OK && i < sides.count; i += same) {
        const side *s = &sides.data[i];
        same = count_same_edge(&sides, i);
        bool flipped = same == 2 && s->forward == s[1].forward;
        int kind = same == 1 ? LINE_BORDER : same > 2 ? LINE_CROWDED : LINE_FLIPPED;
        if (same != 2 || flipped)
            status = add_line(lines, f->start[s->low], f->start[s->high], kind);
    }
    toi_release(sides.data);
    return status;
}

// The places of findings that are no lines: one point each.
static toi_status add_spots(const check_result *r, line_list *lines)
{
    static const char *const names[] = {"degenerate_faces", "duplicate_vertices",
                                        "crowded_vertices", "duplicate_faces"};
    toi_status status = TOI_OK;
    for (int i = 0; i < r->finding_count; ++i)
        for (int j = 0; j < 4 && status == TOI_OK; ++j)
            if (strcmp(r->findings[i].name, names[j]) == 0)
                status = add_line(lines, r->findings[i].places[0].point,
                                  r->findings[i].places[0].point, LINE_SPOT);
    return status;
}

// Where the mesh is hit, on the mesh as it starts.
static toi_status add_impacts(const frames *f, const check_result *r, line_list *lines)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < r->impacts.count && status == TOI_OK; ++i) {
        const toi_impact *impact = &r->impacts.data[i];
        toi_query q =
            toi_gather_query(&f->mesh, (toi_kind)impact->kind, (toi_pair){impact->a, impact->b});
        double along = impact->kind == TOI_EDGE_EDGE ? impact->u : 0, place[3];
        for (int k = 0; k < 3; ++k)
            place[k] = (1 - along) * q.start[0][k] + along * q.start[1][k];
        status = add_line(lines, place, place, LINE_IMPACT);
    }
    return status;
}

static toi_status add_lines(const frames *f, const check_result *r, line_list *lines)
{
    const moment *start = &r->at[0];
    toi_status status = add_edges(f, lines);
    if (status == TOI_OK)
        status = add_impacts(f, r, lines);
    if (status == TOI_OK)
        status = add_figures(lines, &start->mesh, start->pairs.data, start->pairs.count, LINE_MEET);
    return status == TOI_OK ? add_spots(r, lines) : status;
}

static toi_status draw_lines(const settings *s, const frames *f, const check_result *r,
                             const line_list *lines, const uint8_t *marks)
{
    static const picture_kind kinds[] = {{"sound", {0.80, 0.82, 0.84}},
                                         {"intersecting at the end", {0.97, 0.76, 0.42}},
                                         {"intersecting", {0.95, 0.42, 0.30}}};
    static const picture_kind line_kinds[] = {
        {"intersection", {0.36, 0.0, 0.10}},         {"border", {0.10, 0.40, 0.70}},
        {"three or more faces", {0.80, 0.0, 0.60}},  {"flipped neighbours", {0.0, 0.50, 0.35}},
        {"other error, the first", {0.1, 0.1, 0.1}}, {"hit in the step", {0.45, 0.20, 0.65}}};
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%s faces, %s, %s, %s pairs intersecting%s",
             count_text(f->mesh.faces.count).at, r->at[0].surface.closed ? "closed" : "open",
             r->at[0].surface.manifold ? "manifold" : "not manifold",
             count_text(r->at[0].pairs.count).at, r->moments > 1 ? " at the start" : "");
    picture p = {.title = f->name,
                 .subtitle = subtitle,
                 .point_count = f->mesh.start.count,
                 .start = f->start,
                 .face_count = f->mesh.faces.count,
                 .faces = f->faces,
                 .edge_count = f->loose_count,
                 .edges = f->loose,
                 .face_kinds = marks,
                 .kinds = kinds,
                 .kind_count = 3,
                 .line_count = lines->count,
                 .lines = lines->data,
                 .line_kinds = line_kinds,
                 .line_kind_count = 6,
                 .up = choose_up(s->picture.up, f->scene)};
    return draw_picture(s->picture.path, &p);
}

static toi_status draw(const settings *s, const frames *f, const check_result *r)
{
    line_list lines = {0};
    uint8_t *marks = toi_allocate((size_t)f->mesh.faces.count + 1);
    toi_status status = marks ? add_lines(f, r, &lines) : TOI_ERROR_MEMORY;
    if (status == TOI_OK) {
        mark_faces(r, marks);
        status = draw_lines(s, f, r, &lines, marks);
    }
    toi_release(marks);
    toi_release(lines.data);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status load(const settings *s, const operand_list *operands, bool step, frames *f)
{
    return step ? load_frames(&s->choice, operands, f)
                : load_instant(&s->choice, operands->count > 0 ? operands->at[0] : NULL, f);
}

static toi_status run(settings *s, const operand_list *operands, bool *clean)
{
    frames f = {0};
    check_result r = {0};
    bool step = s->choice.scene || operands->count > 1;
    s->check.workers = apply_threads(&s->common);
    toi_status status = check_output(s->picture.path);
    if (status == TOI_OK)
        status = load(s, operands, step, &f);
    if (status == TOI_OK)
        status = look_over(&s->check, &f, step, &r);
    if (status == TOI_OK && s->picture.path)
        status = draw(s, &f, &r);
    *clean = r.errors == 0;
    if (status == TOI_OK && s->common.json)
        status = print_check_object(f.name, &r);
    else if (status == TOI_OK) {
        describe_check(f.name, &r);
        if (s->picture.path)
            printf("\npicture     %s\n", s->picture.path);
    }
    free_check(&r);
    free_frames(&f);
    return status;
}

int run_check(int argc, char **argv)
{
    settings s = {.choice = default_scene_choice(), .common = default_common()};
    const option_group groups[] = {{"What is asked for", check_options, &s},
                                   {"Picture", picture_options, &s.picture},
                                   {"A scene instead of files", frame_options, &s.choice},
                                   {"Common", common_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "check MESH [OPTION...]\ncheck START END [OPTION...]\n"
                 "check --scene NAME [OPTION...]",
        .about = "Looks a mesh over, or a step from START to END: is it closed, manifold,\n"
                 "oriented; which faces have no area, which vertices are in the same place, which\n"
                 "faces intersect; and with END, which of that is so at the end, and what moves\n"
                 "through what on the way. Each finding comes with a place and with what to do.\n\n"
                 "A mesh is clean if it is manifold, no face is without area or there twice, no\n"
                 "two vertices are in one place, and no faces intersect; a step, if besides\n"
                 "nothing touches on the way. Open borders, neighbours that disagree about the\n"
                 "outside and vertices of no face are notes. Exit code: 0 clean, 2 not clean (or\n"
                 "a file that cannot be read).",
        .examples = "check body.ply\n"
                    "check body.ply --closed --picture body.png\n"
                    "check start.ply end.ply --json\n"
                    "check --scene cloth-ball --begin 0.7",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    bool clean = false;
    int code = parse_command_line(&line, argc, argv, &operands);
    if (code != GO_ON)
        return code;
    code = finish(run(&s, &operands, &clean));
    return code == EXIT_DONE && !clean ? EXIT_INPUT : code;
}
