// toi ccd: the earliest impact between two frames, or every impact.

#include "toi/ccd.h"
#include "toi/close.h"
#include "toi/overlap.h"

#include "command.h"
#include "failure.h"
#include "frames.h"
#include "impact_file.h"
#include "json.h"
#include "kinds.h"
#include "machine.h"
#include "method_options.h"
#include "output.h"
#include "pair_ranges.h"
#include "picture.h"
#include "picture_options.h"
#include "progress.h"
#include "text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

// What is asked for by --solver and the options of the policy itself.
typedef struct policy_choice
{
    bool solver;
    toi_zero_time_policy given; // a negative number: not given
} policy_choice;

typedef struct settings
{
    toi_ccd_def def;
    policy_choice policy;
    scene_choice choice;
    common common;
    bool all;
    bool stateless;
    bool check_start;
    const char *impacts; // paths, or NULL
    const char *safe_steps;
    const char *safe_radii;
    const char *picture;
    machine_choice machine;
    int up;
} settings;

static const option output_options[] = {
    {.name = "all",
     .offset = offsetof(settings, all),
     .help = "find every impact, not only the earliest"},
    {.name = "impacts",
     .type = OPTION_FILE,
     .offset = offsetof(settings, impacts),
     .argument = "FILE.csv",
     .help = "write every impact: kind,a,b,time_hex,u,v, then time,state, the point x,y,z and the "
             "normal nx,ny,nz; implies --all"},
    {.name = "safe-steps",
     .type = OPTION_FILE,
     .offset = offsetof(settings, safe_steps),
     .argument = "FILE.csv",
     .help = "write how far every vertex may move, as a share of its motion, when all move at "
             "once: vertex,step_hex; that motion is checked and free"},
    {.name = "safe-radii",
     .type = OPTION_FILE,
     .offset = offsetof(settings, safe_radii),
     .argument = "FILE.csv",
     .help = "write how far every vertex may move from the start, whatever the direction, before "
             "anything can touch: vertex,radius_hex; at most the longest way of a vertex in the "
             "step, or the mean length of an edge if that is longer"},
    {.name = "picture",
     .type = OPTION_FILE,
     .offset = offsetof(settings, picture),
     .argument = "FILE.svg",
     .help = "draw the mesh and its impacts"},
    {.name = "stateless",
     .offset = offsetof(settings, stateless),
     .help = "with --repeat: every run checks the mesh and takes its memory anew, instead of "
             "keeping a scene"},
    {.name = "check-start",
     .offset = offsetof(settings, check_start),
     .help =
         "look whether faces intersect at the start already, which no impact tells; warn if so"},
    {.name = "up",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, up),
     .argument = "AXIS",
     .help = "what points upwards in the picture: x, y, z, or auto: z of scenes, y of files",
     .choice = up_choice},
    {0}};

static const option policy_options[] = {
    {.name = "solver",
     .offset = offsetof(policy_choice, solver),
     .help = "what implicit solvers (IPC) ask for: --relative-separation 0.2 --rescale 0.8 "
             "--small-time 1e-6, each unless given"},
    {.name = "relative-separation",
     .type = OPTION_NUMBER,
     .offset = offsetof(policy_choice, given.relative_separation),
     .argument = "R",
     .help = "every pair keeps this share of what its distance at the start exceeds "
             "min-separation by; one that starts at min-separation or closer keeps this share of "
             "its own distance",
     .most = 0.5,
     .range = "a number from 0 to 0.5"},
    {.name = "rescale",
     .type = OPTION_NUMBER,
     .offset = offsetof(policy_choice, given.rescale),
     .argument = "S",
     .help = "where a time comes out at small-time or earlier, solve the pair again for "
             "min-separation alone and take this share of the time found; pairs that start at "
             "min-separation or closer are not solved again",
     .most = 0x1.fffffffffffffp-1,
     .range = "a number of at least 0 and below 1"},
    {.name = "small-time",
     .type = OPTION_NUMBER,
     .offset = offsetof(policy_choice, given.small_time),
     .argument = "T",
     .help = "times up to this one are small for --rescale; only 0 unless given",
     .most = 1,
     .range = "a number from 0 to 1"},
    {.name = "strict",
     .offset = offsetof(policy_choice, given.strict),
     .help = "a pair that starts at min-separation or closer is an error, and is named"},
    {0}};

static double given_or(double given, double usual)
{
    return given >= 0 ? given : usual;
}

static toi_zero_time_policy make_policy(const policy_choice *choice)
{
    toi_zero_time_policy usual = choice->solver ? toi_solver_policy() : (toi_zero_time_policy){0};
    return (toi_zero_time_policy){
        .relative_separation =
            given_or(choice->given.relative_separation, usual.relative_separation),
        .rescale = given_or(choice->given.rescale, usual.rescale),
        .small_time = given_or(choice->given.small_time, usual.small_time),
        .strict = choice->given.strict};
}

// What the subcommand found.
typedef struct answer
{
    toi_ccd_report report;
    toi_scene *scene;
    toi_impact_array impacts; // with --all
    uint64_t hash;
    int64_t held_back; // vertices that an impact keeps from the end of the step, or from t_max
    int checks;        // of safe steps: motions that were checked
    int64_t overlaps;  // with --check-start: pairs of faces that intersect at the start
    toi_overlap first_overlap;
} answer;

// ---------------------------------------------------------------------------------------------
// Finding

static toi_ccd_def add_progress(toi_ccd_def def, progress *bar)
{
    def.progress = progress_function();
    def.progress_context = bar;
    return def;
}

static toi_status ask(const settings *s, const toi_ccd_def *def, const toi_mesh *mesh, answer *a,
                      toi_ccd_report *report)
{
    if (s->stateless)
        return s->all ? toi_find_impacts(def, mesh, &a->impacts, report)
                      : toi_find_earliest(def, mesh, report);
    return s->all
               ? toi_scene_find_impacts(a->scene, def, mesh->start, mesh->end, &a->impacts, report)
               : toi_scene_find_earliest(a->scene, def, mesh->start, mesh->end, report);
}

static toi_status find(const settings *s, const toi_mesh *mesh, answer *a)
{
    progress bar = start_progress(s->common.repeat);
    toi_ccd_def def = add_progress(s->def, &bar);
    toi_status status = make_kept_scene(mesh, &a->scene);
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run) {
        toi_ccd_report report;
        status = ask(s, &def, mesh, a, &report);
        if (bar.run == 0 || report.seconds_total < a->report.seconds_total)
            a->report = report;
    }
    end_progress(&bar);
    if (status == TOI_OK && !s->def.device) // a device has no need to count them
        status = complete_candidates(&s->def, mesh, &a->report);
    a->hash = toi_hash(a->impacts.data, (size_t)a->impacts.count * sizeof *a->impacts.data);
    return status;
}

// Counts the pairs of faces that intersect at the start, and warns of them.
static toi_status check_start(const settings *s, const toi_mesh *mesh, answer *a)
{
    toi_overlap_array first = {0};
    toi_overlap_report report = {0};
    toi_overlap_def def = toi_default_overlap_def();
    def.workers = s->def.workers;
    def.memory_limit = s->def.memory_limit;
    toi_status status = toi_scene_count_overlaps(a->scene, &def, mesh->start, &report);
    a->overlaps = report.pairs;
    if (status != TOI_OK || a->overlaps == 0)
        return status;
    def.limit = 1;
    status = toi_scene_find_overlaps(a->scene, &def, mesh->start, &first, NULL);
    if (status == TOI_OK) {
        a->first_overlap = first.data[0];
        fprintf(
            stderr,
            "toi ccd: the step starts in intersection: %s pair%s of faces, the first is %" PRId32
            ",%" PRId32 " (%s); no impact tells of that. 'toi check' says where\n",
            count_text(a->overlaps).at, a->overlaps == 1 ? "" : "s", a->first_overlap.a,
            a->first_overlap.b,
            toi_overlap_class_name((toi_overlap_class)a->first_overlap.overlap_class));
    }
    toi_free_overlaps(&first);
    return status;
}

// The spot of the second primitive that is nearest then: they differ where a separation is kept.
static void trace_other(const toi_mesh *mesh, const toi_impact *impact, double start[3],
                        double end[3])
{
    toi_query query =
        toi_gather_query(mesh, (toi_kind)impact->kind, (toi_pair){impact->a, impact->b});
    double u = impact->u, v = impact->v;
    const double shares[TOI_KIND_COUNT][4] = {[TOI_VERTEX_FACE] = {0, 1 - u - v, u, v},
                                              [TOI_EDGE_EDGE] = {0, 0, 1 - v, v},
                                              [TOI_POINT_EDGE] = {0, 1 - u, u, 0},
                                              [TOI_POINT_POINT] = {0, 1, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        start[k] = end[k] = 0;
        for (int c = 1; c < 4; ++c) {
            start[k] += shares[impact->kind][c] * query.start[c][k];
            end[k] += shares[impact->kind][c] * query.end[c][k];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Files

static double distance_of(const double a[3], const double b[3])
{
    return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

static toi_status write_steps(const char *path, const double *steps, int64_t count, double t_max,
                              int64_t *held_back)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < count; ++i) {
        fprintf(output.file, "%" PRId64 ",%a\n", i, steps[i]);
        *held_back += steps[i] < t_max;
    }
    return toi_close_output(&output);
}

static toi_status find_steps(const settings *s, const toi_mesh *mesh, answer *a)
{
    int64_t count = mesh->start.count;
    double *steps = toi_allocate((size_t)count * sizeof *steps);
    if (!steps)
        return TOI_ERROR_MEMORY;
    progress bar = start_progress(1);
    toi_ccd_def def = add_progress(s->def, &bar);
    toi_ccd_report report = {0};
    toi_status status =
        toi_scene_find_safe_steps(a->scene, &def, mesh->start, mesh->end, steps, &report);
    a->checks = report.checks;
    end_progress(&bar);
    if (status == TOI_OK)
        status = write_steps(s->safe_steps, steps, count, def.narrow.t_max, &a->held_back);
    toi_release(steps);
    return status;
}

// What radii need not exceed: the longest way of a vertex, and at least the mean length of edges.
static double most_radius(const frames *f)
{
    const toi_mesh *mesh = &f->mesh;
    double most = 0, sum = 0;
    for (int64_t i = 0; i < mesh->start.count; ++i)
        most = fmax(most, distance_of(f->start[i], f->end[i]));
    for (int64_t i = 0; i < f->edges.count; ++i)
        sum += distance_of(f->start[f->edges.data[i][0]], f->start[f->edges.data[i][1]]) /
               (double)f->edges.count;
    return fmin(fmax(most, sum), DBL_MAX);
}

static toi_status write_radii(const char *path, const double *radii, int64_t count)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < count; ++i)
        fprintf(output.file, "%" PRId64 ",%a\n", i, radii[i]);
    return toi_close_output(&output);
}

static toi_status find_radii(const settings *s, const frames *f, answer *a)
{
    int64_t count = f->mesh.start.count;
    double *radii = toi_allocate((size_t)count * sizeof *radii);
    if (!radii)
        return TOI_ERROR_MEMORY;
    toi_ccd_def def = toi_default_ccd_def(); // nothing moves: what is about motion stays out
    def.broad = s->def.broad;
    def.float_boxes = s->def.float_boxes;
    def.memory_limit = s->def.memory_limit;
    def.workers = s->def.workers;
    def.narrow.min_separation = s->def.narrow.min_separation;
    toi_status status =
        toi_scene_find_safe_radii(a->scene, &def, f->mesh.start, most_radius(f), radii, NULL);
    if (status == TOI_OK)
        status = write_radii(s->safe_radii, radii, count);
    toi_release(radii);
    return status;
}

static bool keeps_apart(const toi_ccd_def *def)
{
    return def->narrow.min_separation > 0 || def->zero_time.relative_separation > 0;
}

static void write_subtitle(const toi_ccd_def *def, const answer *a, char *words, size_t size)
{
    const toi_ccd_report *report = &a->report;
    double least = def->narrow.min_separation, share = def->zero_time.relative_separation;
    text faces = count_text(report->faces);
    if (report->state == TOI_SEPARATED)
        snprintf(words, size, "%s faces, no impact", faces.at);
    else if (a->impacts.count > 0)
        snprintf(words, size, "%s faces, %s impacts, the earliest at t = %.6g", faces.at,
                 count_text(a->impacts.count).at, report->earliest.time);
    else
        snprintf(words, size, "%s faces, earliest impact at t = %.6g", faces.at,
                 report->earliest.time);
    size_t used = strlen(words);
    if (least > 0)
        used += (size_t)snprintf(words + used, size - used, ", separation %g", least);
    if (share > 0)
        snprintf(words + used, size - used, ", relative separation %g", share);
}

static void make_mark(const toi_mesh *mesh, const toi_impact *impact, bool apart,
                      picture_impact *mark)
{
    *mark = (picture_impact){.apart = apart, .time = impact->time};
    memcpy(mark->normal, impact->normal, sizeof mark->normal);
    trace_impact(mesh, impact, mark->start, mark->end);
    trace_other(mesh, impact, mark->other_start, mark->other_end);
}

static toi_status draw(const settings *s, const frames *f, const answer *a)
{
    const toi_impact_array *list = &a->impacts;
    const toi_impact *impacts = list->count > 0 ? list->data : &a->report.earliest;
    int64_t count = list->count > 0 ? list->count : a->report.state != TOI_SEPARATED;
    picture_impact *marks = toi_allocate((size_t)count * sizeof *marks);
    if (!marks)
        return TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < count; ++i)
        make_mark(&f->mesh, &impacts[i], keeps_apart(&s->def), &marks[i]);
    char subtitle[160];
    write_subtitle(&s->def, a, subtitle, sizeof subtitle);
    picture p = {.title = f->name,
                 .subtitle = subtitle,
                 .point_count = f->mesh.start.count,
                 .start = f->start,
                 .end = f->end,
                 .face_count = f->mesh.faces.count,
                 .faces = f->faces,
                 .edge_count = f->loose_count,
                 .edges = f->loose,
                 .groups = f->groups,
                 .impact_count = count,
                 .impacts = marks,
                 .time = -1,
                 .up = choose_up(s->up, f->scene)};
    toi_status status = draw_picture(s->picture, &p);
    toi_release(marks);
    return status;
}

static toi_status write_files(const settings *s, const frames *f, answer *a)
{
    toi_status status = TOI_OK;
    if (s->impacts)
        status = write_impacts(s->impacts, &f->mesh, &a->impacts);
    if (status == TOI_OK && s->safe_steps)
        status = find_steps(s, &f->mesh, a);
    if (status == TOI_OK && s->safe_radii)
        status = find_radii(s, f, a);
    if (status == TOI_OK && s->picture)
        status = draw(s, f, a);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reports

static int64_t peak_resident_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

static json_t *json_vector(const double a[3])
{
    return json_pack("[f, f, f]", a[0], a[1], a[2]);
}

static json_t *json_pair(int32_t kind, int32_t a, int32_t b)
{
    return json_pack("{s:s, s:i, s:i}", "kind", kind_choice(kind), "a", (int)a, "b", (int)b);
}

static json_t *json_start(const answer *a)
{
    const toi_overlap *first = &a->first_overlap;
    const char *name = toi_overlap_class_name((toi_overlap_class)first->overlap_class);
    json_t *pair = a->overlaps > 0 ? json_pack("{s:i, s:i, s:s}", "a", (int)first->a, "b",
                                               (int)first->b, "class", name)
                                   : json_null();
    return json_pack("{s:I, s:o}", "pairs", (json_int_t)a->overlaps, "first", pair);
}

static void add_earliest(json_t *object, const toi_mesh *mesh, const toi_ccd_report *report)
{
    const toi_impact *first = &report->earliest;
    bool none = report->state == TOI_SEPARATED;
    double at[3] = {0, 0, 0};
    if (!none)
        locate_impact(mesh, first, at);
    json_object_set_new(object, "state", json_string(toi_state_name(report->state)));
    json_object_set_new(object, "earliest", none ? json_null() : json_real(first->time));
    json_object_set_new(object, "earliest_hex",
                        none ? json_null() : json_string(time_hex(first->time).at));
    json_object_set_new(object, "pair",
                        none ? json_null() : json_pair(first->kind, first->a, first->b));
    json_object_set_new(object, "u", none ? json_null() : json_real(first->u));
    json_object_set_new(object, "v", none ? json_null() : json_real(first->v));
    json_object_set_new(object, "point", none ? json_null() : json_vector(at));
    json_object_set_new(object, "normal", none ? json_null() : json_vector(first->normal));
}

static void add_separation(json_t *object, const toi_ccd_def *def, bool all,
                           const toi_ccd_report *report)
{
    const toi_zero_time_policy *policy = &def->zero_time;
    const toi_pair_name *first = &report->first_inside;
    json_object_set_new(object, "separation",
                        json_pack("{s:f, s:f, s:f, s:f, s:b}", "min", def->narrow.min_separation,
                                  "relative", policy->relative_separation, "rescale",
                                  policy->rescale, "small_time", policy->small_time, "strict",
                                  policy->strict));
    json_object_set_new(object, "inside", json_integer(report->inside));
    json_object_set_new(object, "first_inside",
                        report->inside > 0 ? json_pair(first->kind, first->a, first->b)
                                           : json_null());
    json_object_set_new(object, "rescaled", all ? json_integer(report->rescaled) : json_null());
}

static toi_status print_object(const settings *s, const toi_mesh *mesh, const answer *a,
                               int threads)
{
    const toi_ccd_report *r = &a->report;
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:s, s:s, s:s, s:i, s:o, s:o}", "vertices", (json_int_t)r->vertices,
        "edges", (json_int_t)r->edges, "faces", (json_int_t)r->faces, "broad",
        broad_choice((int)s->def.broad.method), "narrow", narrow_choice((int)r->decided_by),
        "device", device_choice(s->machine.device), "threads", threads, "candidates",
        s->def.device ? json_null() : json_all_kinds(r->candidates), "tested",
        json_all_kinds(r->tested));
    if (s->all) {
        json_object_set_new(object, "hits", json_all_kinds(r->hits));
        json_object_set_new(object, "undecided", json_integer(sum_kinds(r->undecided)));
        json_object_set_new(object, "hash", json_hash(a->hash));
    }
    add_earliest(object, mesh, r);
    add_separation(object, &s->def, s->all, r);
    if (s->safe_steps) {
        json_object_set_new(object, "held_back", json_integer(a->held_back));
        json_object_set_new(object, "checks", json_integer(a->checks));
    }
    if (s->check_start)
        json_object_set_new(object, "start_intersections", json_start(a));
    json_object_set_new(object, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f, s:f}", "boxes", r->seconds_prepare,
                                  "prepare", r->seconds_prepare, "broad", r->seconds_broad,
                                  "narrow", r->seconds_narrow, "total", r->seconds_total));
    json_object_set_new(object, "peak_bytes", json_integer(r->peak_bytes));
    json_object_set_new(object, "peak_rss_bytes", json_integer(peak_resident_bytes()));
    return print_json(object);
}

// "vertex 3, face 7", with `between` as the comma.
static void print_pair(int32_t kind, int32_t a, const char *between, int32_t b)
{
    static const char *const sides[TOI_KIND_COUNT][2] = {[TOI_VERTEX_FACE] = {"vertex", "face"},
                                                         [TOI_EDGE_EDGE] = {"edge", "edge"},
                                                         [TOI_POINT_EDGE] = {"vertex", "edge"},
                                                         [TOI_POINT_POINT] = {"vertex", "vertex"}};
    printf("%s %" PRId32 "%s%s %" PRId32, sides[kind][0], a, between, sides[kind][1], b);
}

static void print_asked(double least, const toi_zero_time_policy *policy)
{
    double share = policy->relative_separation;
    if (share > 0 && least > 0)
        printf("separation  %g, and %g of what a pair's distance at the start exceeds it by\n",
               least, share);
    else if (share > 0)
        printf("separation  %g of each pair's distance at the start\n", share);
    else
        printf("separation  %g\n", least);
    if (policy->rescale == 0)
        return;
    printf(policy->small_time > 0 ? "            times up to %g are solved again "
                                  : "            times of %g are solved again ",
           policy->small_time);
    if (least > 0)
        printf("for %g alone and multiplied by %g\n", least, policy->rescale);
    else
        printf("without it and multiplied by %g\n", policy->rescale);
}

// What the step keeps away from contact, and which pairs that was not plain for. Nothing where
// only contact was asked for.
static void print_separation(const toi_ccd_def *def, const toi_ccd_report *r)
{
    double least = def->narrow.min_separation;
    const toi_zero_time_policy *policy = &def->zero_time;
    const toi_pair_name *first = &r->first_inside;
    if (least == 0 && policy->relative_separation == 0 && policy->rescale == 0)
        return;
    print_asked(least, policy);
    if (r->inside > 0) {
        printf("            %s pair%s at min-separation or closer; the first: ",
               count_text(r->inside).at, r->inside == 1 ? " starts" : "s start");
        print_pair(first->kind, first->a, ", ", first->b);
        printf("\n");
    }
    if (r->rescaled > 0)
        printf("            %s pair%s solved again\n", count_text(r->rescaled).at,
               r->rescaled == 1 ? " was" : "s were");
}

static void print_earliest(const frames *f, const settings *s, const toi_ccd_report *r)
{
    const toi_impact *first = &r->earliest;
    if (r->state == TOI_SEPARATED) {
        if (s->def.narrow.t_max < 1)
            printf("earliest    none up to t = %g, the end of the search\n", s->def.narrow.t_max);
        else
            printf("earliest    none: the whole step is free\n");
        if (f->scene && s->choice.begin < 0.1)
            printf("            (scenes begin without contact: try --begin 0.7)\n");
        return;
    }
    printf("earliest    t = %.9g  (%s)%s\n", first->time, time_hex(first->time).at,
           r->state == TOI_UNDECIDED ? "  undecided: not before this time" : "");
    printf("            ");
    print_pair(first->kind, first->a, " against ", first->b);
    printf("\n");
    double at[3];
    locate_impact(&f->mesh, first, at);
    printf("            at (%.6g, %.6g, %.6g), normal (%.3g, %.3g, %.3g)\n", at[0], at[1], at[2],
           first->normal[0], first->normal[1], first->normal[2]);
}

static void print_files(const settings *s, const answer *a)
{
    if (s->impacts)
        printf("impacts     %s\n", s->impacts);
    if (s->safe_steps)
        printf("safe steps  %s: %s vertices held back, %d shortened motion%s checked\n",
               s->safe_steps, count_text(a->held_back).at, a->checks, a->checks == 1 ? "" : "s");
    if (s->safe_radii)
        printf("safe radii  %s\n", s->safe_radii);
    if (s->picture)
        printf("picture     %s\n", s->picture);
}

static void print_device(const toi_device *device)
{
    toi_device_info info = toi_describe_device(device);
    toi_device_report report = toi_device_last_report(device);
    printf("device      %s, %s of its memory; pairs left to the host: %s\n", info.name,
           bytes_text(report.peak_bytes).at, count_text(report.hard).at);
}

static void print_summary(const settings *s, const frames *f, const answer *a, int threads)
{
    const toi_ccd_report *r = &a->report;
    printf("%s\n", f->name);
    printf("mesh        %s vertices, %s edges, %s faces\n", count_text(r->vertices).at,
           count_text(r->edges).at, count_text(r->faces).at);
    printf("methods     broad %s, narrow %s, %d thread%s\n", broad_choice((int)s->def.broad.method),
           narrow_choice((int)r->decided_by), threads, threads == 1 ? "" : "s");
    if (s->def.device)
        print_device(s->def.device);
    else {
        printf("candidates  ");
        print_kinds(r->candidates);
        printf("\n");
    }
    printf("tested      ");
    print_kinds(r->tested);
    printf("\n");
    if (s->all) {
        int64_t undecided = sum_kinds(r->undecided);
        printf("hits        ");
        print_kinds(r->hits);
        printf(undecided ? ", %s of them undecided\n" : "\n", count_text(undecided).at);
    }
    print_separation(&s->def, r);
    print_earliest(f, s, r);
    if (s->check_start)
        printf("start       %s pair%s of faces intersect%s\n", count_text(a->overlaps).at,
               a->overlaps == 1 ? "" : "s", a->overlaps == 1 ? "s" : "");
    printf("time        prepare %s, broad %s, narrow %s, total %s\n",
           seconds_text(r->seconds_prepare).at, seconds_text(r->seconds_broad).at,
           seconds_text(r->seconds_narrow).at, seconds_text(r->seconds_total).at);
    printf("memory      %s working, %s resident at most\n", bytes_text(r->peak_bytes).at,
           bytes_text(peak_resident_bytes()).at);
    if (s->all)
        printf("hash        %s\n", hash_text(a->hash).at);
    print_files(s, a);
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status check_settings(const settings *s)
{
    toi_status status = check_output(s->impacts);
    if (status == TOI_OK)
        status = check_output(s->safe_steps);
    if (status == TOI_OK)
        status = check_output(s->safe_radii);
    if (status == TOI_OK)
        status = check_output(s->picture);
    return status;
}

static toi_status run(settings *s, const operand_list *operands)
{
    frames f = {0};
    answer a = {0};
    int threads = apply_threads(&s->common);
    s->def.workers = threads;
    s->def.zero_time = make_policy(&s->policy);
    s->all = s->all || s->impacts;
    toi_status status = check_settings(s);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = load_frames(&s->choice, operands, &f);
    if (status == TOI_OK)
        status = open_machine(&s->machine, s->def.memory_limit, &s->def.device);
    if (status == TOI_OK)
        status = find(s, &f.mesh, &a);
    if (status == TOI_OK && s->check_start)
        status = check_start(s, &f.mesh, &a);
    if (status == TOI_OK)
        status = write_files(s, &f, &a);
    if (status == TOI_OK && s->common.json)
        status = print_object(s, &f.mesh, &a, threads);
    else if (status == TOI_OK)
        print_summary(s, &f, &a, threads);
    toi_free_impacts(&a.impacts);
    toi_free_scene(a.scene);
    toi_close_device(s->def.device);
    free_frames(&f);
    return status;
}

int run_ccd(int argc, char **argv)
{
    settings s = {.def = toi_default_ccd_def(),
                  .policy.given = {.relative_separation = -1, .rescale = -1, .small_time = -1},
                  .choice = default_scene_choice(),
                  .common = default_common()};
    const option_group groups[] = {{"Output", output_options, &s},
                                   {"Machine", machine_options, &s.machine},
                                   {"A scene instead of files", frame_options, &s.choice},
                                   {"Candidates", broad_options, &s.def},
                                   {"Decision", narrow_options, &s.def.narrow},
                                   {"Steps that stop short of contact", policy_options, &s.policy},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "ccd START END [OPTION...]\nccd --scene NAME [OPTION...]",
        .about = "Finds the earliest impact while a mesh moves from START to END (PLY, OBJ or STL\n"
                 "files of the same mesh), every vertex on a straight line: never late.",
        .examples = "ccd start.ply end.ply\n"
                    "ccd start.ply end.ply --all --impacts impacts.csv --memory-limit 1G\n"
                    "ccd start.ply end.ply --solver --safe-steps steps.csv\n"
                    "ccd start.ply end.ply --all --device cuda\n"
                    "ccd --scene cloth-ball --begin 0.7 --all --picture impacts.svg",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
