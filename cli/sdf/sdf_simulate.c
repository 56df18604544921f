// toi sdf simulate: runs a scene of the literature with one solver or several, says how deep bodies
// got into the field and what it cost, and draws what happened.

#include "sdf.h"

#include "failure.h"
#include "json.h"
#include "names.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sdf_simulate_run.h"
#include "strip.h"
#include "table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *on_off(int index)
{
    static const char *const names[] = {"on", "off"};
    return index < 2 ? names[index] : NULL;
}

typedef struct settings
{
    common common;
    const char *solvers;
    int rate;
    double seconds;
    int subdivision; // of on_off()
    const char *frames;
    const char *pictures;
    int panel;
    const char *data;
    bool list;
} settings;

static const option simulate_options[] = {
    {.name = "solver",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, solvers),
     .argument = "LIST",
     .help = "certified (default), fwgss, fw, discrete, discrete-projected; several: a,b"},
    {.name = "rate",
     .type = OPTION_INT,
     .offset = offsetof(settings, rate),
     .argument = "N",
     .help = "steps a second; default 60",
     .least = 1,
     .most = 100000,
     .range = "1 to 100000"},
    {.name = "seconds",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, seconds),
     .argument = "T",
     .help = "simulated; default: until all has happened",
     .least = 0,
     .most = 3600,
     .range = "0 to 3600"},
    {.name = "subdivision",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, subdivision),
     .argument = "on|off",
     .help = "may a triangle have more than one contact? default on",
     .choice = on_off},
    {.name = "frames",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, frames),
     .argument = "DIR",
     .help = "write the mesh after each step there: step_00000.ply ..."},
    {.name = "pictures",
     .type = OPTION_FILE,
     .offset = offsetof(settings, pictures),
     .argument = "FILE.png",
     .help = "draw six instants side by side, a row a solver; what is inside is red"},
    {.name = "panel",
     .type = OPTION_INT,
     .offset = offsetof(settings, panel),
     .argument = "PIXELS",
     .help = "how wide each of them is; default 300",
     .least = 60,
     .most = 2000,
     .range = "60 to 2000"},
    {.name = "data",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, data),
     .argument = "DIR",
     .help = "real meshes (meshes/bunny.ply ...); default $TOI_DATA, else generated ones"},
    {.name = "list", .offset = offsetof(settings, list), .help = "list the scenes"},
    {0}};

// ---------------------------------------------------------------------------------------------
// What was asked for

static toi_status list_scenes(bool json)
{
    json_t *scenes = json_array();
    for (int i = 0; toi_simulation_name(i); ++i) {
        if (json)
            json_array_append_new(scenes,
                                  json_pack("{s:s, s:s, s:b}", "name", toi_simulation_name(i),
                                            "about", toi_simulation_about(i), "needs_data",
                                            toi_simulation_needs_data(i)));
        else
            printf("%-15s%s%s\n", toi_simulation_name(i), toi_simulation_about(i),
                   toi_simulation_needs_data(i) ? " (needs --data)" : "");
    }
    if (json)
        return print_json(json_pack("{s:o}", "scenes", scenes));
    json_decref(scenes);
    printf("\nWithout --data a ball with bumps takes the place of the bunny.\n");
    return TOI_OK;
}

static const char *solver_name(int index)
{
    return toi_sdf_solver_name((toi_sdf_solver)index);
}

// One thread by its own clock, which stands still while others have the processor.
static double own_seconds(void)
{
    return seconds_spent(1);
}

static toi_status prepare(const settings *s, const char *name, simulation_run runs[], int *count)
{
    bool chosen[TOI_SDF_SOLVER_COUNT] = {false};
    if (find_name(name, strlen(name), toi_simulation_name) < 0)
        return fail_name("there is no simulation", name, strlen(name), toi_simulation_name);
    toi_status status = choose_names("solver", s->solvers, solver_name, chosen);
    for (int i = 0; i < TOI_SDF_SOLVER_COUNT; ++i) {
        if (!chosen[i])
            continue;
        simulation_run *run = &runs[(*count)++];
        *run = (simulation_run){.def = toi_default_simulation_def(), .seconds = s->seconds};
        run->def.name = name;
        run->def.solver = (toi_sdf_solver)i;
        run->def.rate = s->rate;
        run->def.subdivision = s->subdivision == 0;
        run->def.workers = s->common.threads;
        run->def.data = s->data;
        run->def.clock = s->common.threads == 1 ? own_seconds : seconds_now;
        run->frames = s->frames;
        run->row = *count - 1;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// What came out

static json_t *run_object(const simulation_run *run)
{
    const toi_simulation_counts *c = &run->counts;
    json_t *object =
        json_pack("{s:s, s:s, s:i, s:b, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:f}", "name",
                  run->def.name, "solver", solver_name((int)run->def.solver), "rate", run->def.rate,
                  "subdivision", run->def.subdivision, "steps", (json_int_t)c->steps, "impacts",
                  (json_int_t)c->impacts, "rests", (json_int_t)c->rests, "rested", c->rested,
                  "contacts", (json_int_t)c->contacts, "searches", (json_int_t)c->searches,
                  "evaluations", (json_int_t)c->evaluations, "least_distance", run->least);
    json_t *times =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "impact", c->impact_time, "impact_least",
                  c->impact_least, "impact_most", c->impact_most, "contact", c->contact_time,
                  "solve", c->solve_time, "all", run->spent);
    if (object && times)
        json_object_update_new(object, times);
    if (object)
        json_object_set_new(object, "hash", json_hash(run->hash));
    return object;
}

static text depth_text(double least)
{
    return least < -1e-9 ? decimal("%.3g mm inside", -1e3 * least)
                         : decimal("%.3g mm outside", 1e3 * least);
}

static toi_status print_runs(const simulation_run *runs, int count)
{
    static const char *const titles[] = {"solver",        "steps",         "impacts",
                                         "cut short",     "deepest",       "impacts/step",
                                         "contacts/step", "response/step", "hash"};
    enum
    {
        COLUMNS = sizeof titles / sizeof *titles
    };
    table t = start_table(COLUMNS, 1);
    for (int i = 0; i < COLUMNS; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < count; ++i) {
        const toi_simulation_counts *c = &runs[i].counts;
        double steps = c->steps > 0 ? (double)c->steps : 1.0;
        add_cell(&t, words(solver_name((int)runs[i].def.solver)));
        add_cell(&t, count_text(c->steps));
        add_cell(&t, count_text(c->impacts));
        add_cell(&t, count_text(c->rests));
        add_cell(&t, depth_text(runs[i].least));
        add_cell(&t, seconds_text(c->impact_time / steps));
        add_cell(&t, seconds_text(c->contact_time / steps));
        add_cell(&t, seconds_text(c->solve_time / steps));
        add_cell(&t, hash_text(runs[i].hash));
    }
    return print_table(&t);
}

static toi_status report(const settings *s, const simulation_run *runs, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i)
        json_array_append_new(list, run_object(&runs[i]));
    if (s->common.json)
        return print_json(json_pack("{s:o}", "runs", list));
    json_decref(list);
    printf("%s, %d steps a second, subdivision %s\n", runs[0].def.name, s->rate,
           on_off(s->subdivision));
    toi_status status = print_runs(runs, count);
    if (s->pictures)
        printf("picture  %s\n", s->pictures);
    return status;
}

static toi_status simulate(const settings *s, const char *name)
{
    simulation_run runs[TOI_SDF_SOLVER_COUNT];
    int count = 0;
    strip page = {0};
    char title[160];
    toi_status status = prepare(s, name, runs, &count);
    if (status == TOI_OK)
        status = check_output(s->pictures);
    if (status == TOI_OK && s->pictures) {
        int index = find_name(name, strlen(name), toi_simulation_name);
        snprintf(title, sizeof title, "%s: %s, %d steps a second%s", name,
                 toi_simulation_about(index), s->rate,
                 s->subdivision == 0 ? "" : ", one contact a triangle");
        status =
            start_strip(&page, count, TOI_SIMULATION_INSTANTS, s->panel, s->panel * 3 / 4, title);
    }
    for (int i = 0; i < count && status == TOI_OK; ++i)
        status = run_simulation(&runs[i], s->pictures ? &page : NULL);
    if (status == TOI_OK && s->pictures)
        status = write_strip(&page, s->pictures);
    if (status == TOI_OK)
        status = report(s, runs, count);
    free_strip(&page);
    return status;
}

int run_sdf_simulate(int argc, char **argv)
{
    settings s = {.common = default_common(), .rate = 60, .panel = 300, .data = getenv("TOI_DATA")};
    s.solvers = "certified";
    const option_group groups[] = {
        {"Simulation", simulate_options, &s}, {"Common", common_options, &s.common}, {0}};
    const command_line line = {
        .usage = "sdf simulate NAME [OPTION...]\nsdf simulate [--list]",
        .about =
            "Simulates a rigid body or a cloth against a distance field, and says how deep the\n"
            "body ever was in it; without a name lists the scenes.",
        .examples = "sdf simulate shuriken --solver certified,discrete --pictures star.png\n"
                    "sdf simulate nut --rate 120 --json",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    if (code != GO_ON)
        return code;
    apply_threads(&s.common);
    return finish(s.list || operands.count == 0 ? list_scenes(s.common.json)
                                                : simulate(&s, operands.at[0]));
}
