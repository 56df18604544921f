// Runs a simulation step by step, measures how deep the body is, writes and draws it.

#include "sdf_simulate_run.h"

#include "output.h"
#include "progress.h"

#include <limits.h>
#include <stdio.h>

// A run under way.
typedef struct runner
{
    simulation_run *run;
    toi_simulation *simulation;
    toi_simulation_view view;
    strip *page; // or NULL
    field_view field;
    image panel;
    double (*points)[3]; // at an instant
    int drawn;           // instants so far
} runner;

static toi_status start_drawing(runner *r)
{
    int width = STRIP_FINENESS * r->page->panel_width;
    int height = STRIP_FINENESS * r->page->panel_height;
    const double *eye = r->view.eye, *target = r->view.target;
    r->points = toi_allocate((size_t)r->view.points.count * sizeof *r->points);
    if (!r->points)
        return TOI_ERROR_MEMORY;
    toi_status status = create_image(&r->panel, width, height);
    if (status == TOI_OK)
        status = trace_field(r->view.field, (vec){eye[0], eye[1], eye[2]},
                             (vec){target[0], target[1], target[2]}, width, height,
                             r->run->def.workers, &r->field);
    return status;
}

static toi_status draw_instant(runner *r, double instant, double since)
{
    char caption[96];
    double least;
    toi_simulation_points(r->simulation, since, r->points);
    toi_status status =
        toi_measure_simulation(r->simulation, (const double(*)[3])r->points, &least);
    render_mesh mesh = {toi_view_points((const double *)r->points, r->view.points.count),
                        r->view.faces, r->view.cloth, 1e-6};
    if (status == TOI_OK)
        status = render_scene(&r->field, &mesh, &r->panel);
    bool inside = least < -1e-6;
    int length = snprintf(caption, sizeof caption, "%s%st = %.4g s",
                          r->drawn == 0 ? toi_sdf_solver_name(r->run->def.solver) : "",
                          r->drawn == 0 ? ", " : "", instant);
    if (inside && length > 0)
        snprintf(caption + length, sizeof caption - (size_t)length, ", %.2g mm inside",
                 -1e3 * least);
    if (status == TOI_OK)
        put_panel(r->page, r->run->row, r->drawn, &r->panel, caption, inside);
    ++r->drawn;
    return status;
}

// Draws the instants of the step that has just ended at `time`.
static toi_status draw_step(runner *r, double time)
{
    toi_status status = TOI_OK;
    double step = 1.0 / r->run->def.rate, begin = time - step;
    while (r->page && status == TOI_OK && r->drawn < TOI_SIMULATION_INSTANTS &&
           r->view.instants[r->drawn] <= time + 1e-9) {
        double since = r->view.instants[r->drawn] - begin;
        status = draw_instant(r, r->view.instants[r->drawn], since < step ? since : step);
    }
    return status;
}

static toi_status write_frame(const runner *r, int64_t step)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/step_%05lld.ply", r->run->frames, (long long)step);
    if (length < 0 || (size_t)length >= sizeof path)
        return toi_fail(TOI_ERROR_FILE, "%s: the name is too long", r->run->frames);
    return toi_write_ply(path, r->view.points, r->view.faces, (toi_index_view){0});
}

static toi_status do_step(runner *r, int64_t step)
{
    double began = r->run->def.clock(), least;
    toi_status status = toi_step_simulation(r->simulation);
    r->run->spent += r->run->def.clock() - began;
    r->view = toi_view_simulation(r->simulation);
    if (status == TOI_OK)
        status = toi_measure_simulation(r->simulation, NULL, &least);
    if (status == TOI_OK && least < r->run->least)
        r->run->least = least;
    if (status == TOI_OK && r->run->frames)
        status = write_frame(r, step);
    return status == TOI_OK ? draw_step(r, (double)step / r->run->def.rate) : status;
}

static toi_status do_steps(runner *r)
{
    progress bar = start_progress(1);
    toi_progress_fn *show = progress_function();
    double seconds = r->run->seconds > 0.0 ? r->run->seconds : r->view.seconds;
    int64_t steps = (int64_t)(seconds * r->run->def.rate + 0.5);
    toi_status status = TOI_OK;
    for (int64_t step = 1; step <= steps && status == TOI_OK; ++step) {
        status = do_step(r, step);
        if (show)
            show(&bar, (double)step / (double)steps);
    }
    end_progress(&bar);
    return status;
}

toi_status run_simulation(simulation_run *run, strip *page)
{
    runner r = {.run = run, .page = page};
    toi_status status = toi_make_simulation(&run->def, &r.simulation);
    if (status != TOI_OK)
        return status;
    r.view = toi_view_simulation(r.simulation);
    status = toi_measure_simulation(r.simulation, NULL, &run->least);
    if (status == TOI_OK && run->frames)
        status = make_folder(run->frames);
    if (status == TOI_OK && page)
        status = start_drawing(&r);
    if (status == TOI_OK && page && r.view.instants[0] <= 0.0)
        status = draw_instant(&r, 0.0, 0.0);
    if (status == TOI_OK)
        status = do_steps(&r);
    run->counts = r.view.counts;
    run->hash = toi_hash_simulation(r.simulation);
    free_field_view(&r.field);
    free_image(&r.panel);
    toi_release(r.points);
    toi_free_simulation(r.simulation);
    return status;
}
