// Searches for intersecting faces of this and other libraries on the same meshes: time, and what
// they miss and invent.

#include "overlap.h"

#include "bench_overlap_scene.h"
#include "bench_times.h"
#include "environment.h"
#include "failure.h"
#include "output.h"
#include "overlap_cases.h"
#include "overlap_judge.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings
{
    overlap_source source;
    bool cases;
    int64_t soups;
    const char *peers;
    int repeat;
    const char *csv;
} settings;

static const option run_options[] = {
    {.name = "cases",
     .offset = offsetof(settings, cases),
     .help = "the cases of scenes/overlap_cases.h instead of a mesh: how many are wrong?"},
    {.name = "soups",
     .type = OPTION_INT64,
     .offset = offsetof(settings, soups),
     .argument = "N",
     .help = "N random soups of each kind instead of a mesh: how many pairs are wrong?",
     .least = 1,
     .most = 1e6,
     .range = "a whole number from 1 to 1000000"},
    {.name = "peers",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, peers),
     .argument = "A,B,C",
     .help = "run these; all that were built unless given"},
    {.name = "repeat",
     .type = OPTION_INT,
     .offset = offsetof(settings, repeat),
     .argument = "N",
     .help = "run N times in turns, count the fastest; what takes longer than 10 s is run once",
     .least = 1,
     .most = MOST_REPEATS,
     .range = REPEAT_RANGE},
    {.name = "csv",
     .type = OPTION_FILE,
     .offset = offsetof(settings, csv),
     .argument = "FILE.csv",
     .help = "write every row"},
    {0}};

// ---------------------------------------------------------------------------------------------
// Rows

// A contestant on a mesh, or on all of a set.
typedef struct peer_row
{
    char set[64];
    const overlap_contestant *contestant;
    int64_t meshes;
    int64_t wrong; // meshes whose list is not the true one
    int64_t faces;
    overlap_verdict verdict; // sums
    double seconds_prepare;
    double seconds;
    double ratio; // to this library's time with a kept scene; 0: not measured
} peer_row;

typedef struct peer_rows
{
    peer_row data[1024];
    int count;
} peer_rows;

static peer_row *row_of(peer_rows *rows, const char *set, const overlap_contestant *contestant)
{
    for (int i = 0; i < rows->count; ++i)
        if (strcmp(rows->data[i].set, set) == 0 && rows->data[i].contestant == contestant)
            return &rows->data[i];
    if (rows->count == (int)(sizeof rows->data / sizeof *rows->data))
        return NULL;
    peer_row *row = &rows->data[rows->count++];
    *row = (peer_row){.contestant = contestant};
    snprintf(row->set, sizeof row->set, "%s", set);
    return row;
}

static void add_verdict(peer_row *row, const overlap_verdict *verdict, int64_t faces)
{
    row->meshes += 1;
    row->faces += faces;
    row->wrong += verdict->missed + verdict->left_out + verdict->invented > 0;
    row->verdict.pairs += verdict->pairs;
    row->verdict.found += verdict->found;
    row->verdict.missed += verdict->missed;
    row->verdict.left_out += verdict->left_out;
    row->verdict.invented += verdict->invented;
    row->verdict.faces_left_out += verdict->faces_left_out;
}

static toi_status fail_rows(void)
{
    return toi_fail(TOI_ERROR_LIMIT, "there are more than 1024 rows");
}

// ---------------------------------------------------------------------------------------------
// One mesh

// Runs all that are chosen in turns, `repeat` times after one that is not counted (0: once), and
// adds what they found to the rows of the set.
static toi_status try_mesh(const char *set, const toi_mesh *mesh,
                           const bool chosen[MOST_CONTESTANTS], int repeat, peer_rows *rows)
{
    toi_overlap_array truth = {0};
    overlap_trial trials[MOST_CONTESTANTS] = {0};
    run_times *times = calloc(MOST_CONTESTANTS, sizeof *times);
    toi_status status = times ? find_true_overlaps(mesh, &truth) : TOI_ERROR_MEMORY;
    for (int i = 0; i < MOST_CONTESTANTS && status == TOI_OK; ++i)
        if (chosen[i]) {
            times[i].repeat = repeat;
            times[i].warm = repeat == 0;
            status = start_trial(&overlap_contestants[i], mesh, &trials[i]);
        }
    for (bool more = true; more && status == TOI_OK;) {
        more = false;
        for (int i = 0; i < MOST_CONTESTANTS && status == TOI_OK; ++i)
            if (chosen[i] && wants_run(&times[i])) {
                status = run_trial(mesh, &trials[i]);
                count_run(&times[i], trials[i].seconds);
                more = true;
            }
    }
    double own = 0;
    for (int i = 0; i < MOST_CONTESTANTS && status == TOI_OK; ++i) {
        if (!chosen[i])
            continue;
        peer_row *row = row_of(rows, set, &overlap_contestants[i]);
        if (!row) {
            status = fail_rows();
            break;
        }
        overlap_verdict verdict = judge_trial(&truth, &trials[i], mesh->faces.count);
        add_verdict(row, &verdict, mesh->faces.count);
        row->seconds += least_seconds(&times[i]);
        row->seconds_prepare += trials[i].seconds_prepare;
        own = i == 0 && repeat > 0 ? row->seconds : own;
        row->ratio = own > 0 ? row->seconds / own : 0;
    }
    for (int i = 0; i < MOST_CONTESTANTS; ++i)
        free_trial(&trials[i]);
    toi_free_overlaps(&truth);
    free(times);
    return status;
}

static toi_mesh mesh_of(const toi_solid *solid)
{
    const double *points = (const double *)solid->points;
    return toi_make_mesh(points, points, solid->point_count, (const int32_t *)solid->faces,
                         solid->face_count);
}

// ---------------------------------------------------------------------------------------------
// Sets

// The answer of a case was derived by hand: the reference must have it.
static toi_status check_case(const toi_overlap_case *known, const toi_mesh *mesh)
{
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_report report;
    def.method = TOI_OVERLAP_BRUTE;
    toi_status status = toi_count_overlaps(&def, mesh, &report);
    if (status == TOI_OK && memcmp(known->pairs, report.by_class, sizeof known->pairs) != 0)
        status = toi_fail(TOI_ERROR_UNSUPPORTED,
                          "case %s: brute force has another answer than the table: a bug of toi",
                          known->name);
    return status;
}

static toi_status run_cases(const bool chosen[MOST_CONTESTANTS], peer_rows *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < toi_overlap_case_count() && status == TOI_OK; ++i) {
        toi_overlap_case known = toi_describe_overlap_case(i);
        toi_solid solid;
        status = toi_make_overlap_case(i, &solid);
        toi_mesh mesh = mesh_of(&solid);
        if (status == TOI_OK)
            status = check_case(&known, &mesh);
        if (status == TOI_OK)
            status = try_mesh(mesh.faces.count > 4 ? "cases: flat sheets" : "cases: few faces",
                              &mesh, chosen, 0, rows);
        toi_free_solid(&solid);
    }
    return status;
}

// Every face gets vertices of its own.
static toi_status take_apart(toi_solid *solid)
{
    double(*points)[3] = toi_allocate((size_t)(3 * solid->face_count) * sizeof *points);
    if (!points)
        return TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * solid->face_count; ++i) {
        int32_t *vertex = &solid->faces[i / 3][i % 3];
        memcpy(points[i], solid->points[*vertex], sizeof *points);
        *vertex = (int32_t)i;
    }
    toi_release(solid->points);
    solid->points = points;
    solid->point_count = 3 * solid->face_count;
    return TOI_OK;
}

// What a soup is made of.
typedef struct soup_kind
{
    const char *name;
    int side;
    bool loose; // every face has vertices of its own
    bool clean; // and none names a vertex twice
} soup_kind;

static toi_status make_soup(const soup_kind *kind, int64_t number, toi_solid *solid)
{
    toi_status status = toi_make_soup(4 + number % 29, kind->side, (uint64_t)number + 1, solid);
    for (int64_t i = 0; i < solid->face_count && solid->face_count > 1 && kind->clean;) {
        const int32_t *v = solid->faces[i];
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
            ++i;
        else
            memcpy(solid->faces[i], solid->faces[--solid->face_count], sizeof *solid->faces);
    }
    return status == TOI_OK && kind->loose ? take_apart(solid) : status;
}

static toi_status run_soups(int64_t count, const bool chosen[MOST_CONTESTANTS], peer_rows *rows)
{
    static const soup_kind kinds[] = {
        {"lattice of 3", 3, false, false},     {"lattice of 8", 8, false, false},
        {"general position", 0, false, false}, {"lattice of 3 loose", 3, true, true},
        {"lattice of 8 loose", 8, true, true}, {"general position loose", 0, true, true}};
    toi_status status = TOI_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (int64_t i = 0; i < count && status == TOI_OK; ++i) {
            toi_solid solid;
            status = make_soup(&kinds[k], i, &solid);
            toi_mesh mesh = mesh_of(&solid);
            if (status == TOI_OK)
                status = try_mesh(kinds[k].name, &mesh, chosen, 0, rows);
            toi_free_solid(&solid);
        }
    return status;
}

static toi_status run_meshes(const settings *s, const operand_list *operands,
                             const bool chosen[MOST_CONTESTANTS], peer_rows *rows)
{
    int count = 0;
    toi_status status = count_overlap_scenes(&s->source, operands, &count);
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        overlap_scene scene;
        status = open_overlap_scene(&s->source, operands, i, &scene);
        if (status == TOI_OK)
            status = try_mesh(scene.name, &scene.mesh, chosen, s->repeat, rows);
        close_overlap_scene(&scene);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reports

static toi_status print_rows(const peer_rows *rows)
{
    static const char *const titles[] = {"mesh",   "method",   "faces",    "pairs",  "found",
                                         "missed", "left out", "invented", "meshes", "wrong",
                                         "time",   "prepare",  "ratio"};
    table t = start_table(sizeof titles / sizeof *titles, 2);
    for (int i = 0; i < t.columns; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < rows->count; ++i) {
        const peer_row *row = &rows->data[i];
        bool first = i == 0 || strcmp(row->set, rows->data[i - 1].set) != 0;
        add_cell(&t, words(first ? row->set : ""));
        add_cell(&t, words(row->contestant->name));
        add_cell(&t, count_text(row->faces));
        add_cell(&t, count_text(row->verdict.pairs));
        add_cell(&t, count_text(row->verdict.found));
        add_cell(&t, count_text(row->verdict.missed));
        add_cell(&t, count_text(row->verdict.left_out));
        add_cell(&t, count_text(row->verdict.invented));
        add_cell(&t, count_text(row->meshes));
        add_cell(&t, count_text(row->wrong));
        add_cell(&t, seconds_text(row->seconds));
        add_cell(&t, seconds_text(row->seconds_prepare));
        add_cell(&t, row->ratio > 0 ? decimal("%.2f", row->ratio) : words("-"));
    }
    return print_table(&t);
}

static toi_status write_rows(const char *path, const peer_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fprintf(output.file, "mesh,method,faces,pairs,found,missed,left_out,invented,faces_left_out,"
                         "meshes,wrong,seconds,seconds_prepare,ratio," ENVIRONMENT_TITLES "\n");
    for (int i = 0; i < rows->count; ++i) {
        const peer_row *row = &rows->data[i];
        const overlap_verdict *v = &row->verdict;
        fprintf(output.file,
                "%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.9f,%.9f,%.3f,",
                row->set, row->contestant->name, row->faces, v->pairs, v->found, v->missed,
                v->left_out, v->invented, v->faces_left_out, row->meshes, row->wrong, row->seconds,
                row->seconds_prepare, row->ratio);
        write_environment(output.file, this_environment());
        fputc('\n', output.file);
    }
    return toi_close_output(&output);
}

// This library must be right everywhere.
static toi_status check_own(const peer_rows *rows)
{
    for (int i = 0; i < rows->count; ++i)
        if (!rows->data[i].contestant->find && rows->data[i].wrong > 0)
            return toi_fail(TOI_ERROR_UNSUPPORTED, "%s has wrong pairs in %s: a bug of toi",
                            rows->data[i].contestant->name, rows->data[i].set);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// The command

static toi_status run(const settings *s, const operand_list *operands)
{
    bool chosen[MOST_CONTESTANTS] = {false};
    peer_rows *rows = calloc(1, sizeof *rows);
    toi_status status = rows ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        status = choose_names("peers", s->peers, overlap_contestant_name, chosen);
    if (status == TOI_OK)
        status = check_output(s->csv);
    apply_threads(&(common){.threads = 1});
    if (status == TOI_OK)
        status = s->cases       ? run_cases(chosen, rows)
                 : s->soups > 0 ? run_soups(s->soups, chosen, rows)
                                : run_meshes(s, operands, chosen, rows);
    if (status == TOI_OK)
        status = print_rows(rows);
    if (status == TOI_OK && s->csv)
        status = write_rows(s->csv, rows);
    if (status == TOI_OK)
        status = check_own(rows);
    free(rows);
    return status;
}

int run_overlap(int argc, char **argv)
{
    settings s = {.source = default_overlap_source(), .repeat = 3};
    const option_group groups[] = {{"Meshes", overlap_scene_options, &s.source},
                                   {"A scene instead of files", frame_options, &s.source.scene},
                                   {"Runs", run_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "--overlap MESH... [OPTION...]\n"
                 "--overlap --scene NAME [OPTION...]\n"
                 "--overlap --cases | --soups N",
        .about = "Runs searches for intersecting faces of this and of other libraries on the same\n"
                 "meshes in turns, one thread each. Missed: pairs there are. Left out: the same,\n"
                 "but the library had no place for a face. Invented: pairs there are not. The\n"
                 "truth is brute force with exact arithmetic up to 4000 faces, then toi's answer.\n"
                 "fcl and open3d are judged on pairs that share no vertex: they know no others.",
        .examples = "--overlap mesh.ply --repeat 5\n"
                    "--overlap --scene cloth-ball --size 100000 --peers toi,cgal\n"
                    "--overlap --soups 500",
        .groups = groups,
        .most_operands = 64};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
