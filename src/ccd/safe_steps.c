// Safe steps: how far each vertex may move when every vertex moves by a step of its own.
//
// The first impact of each vertex bounds its step. But where vertices stop at different times,
// faces and edges take other paths than those that were asked about. So the shortened motion is
// asked about itself, and shortened again where it is not free: docs/separation.md, section 6.

#include "ccd/question.h"

#include "base/fp_mode.h"
#include "ccd/corners.h"
#include "device/device.h"
#include "mesh/mesh.h"

#include <math.h>

enum
{
    GENTLE_CHECKS = 4, // vertices keep what is free of their steps
    LOCAL_CHECKS = 24  // vertices that still meet something go as far as all may go
};

// What is left of the time up to which all may go, where rounded positions are not free.
static const double SHRINK[] = {1, 1 - 0x1p-40, 1 - 0x1p-30, 1 - 0x1p-20, 1 - 0x1p-10, 0.5, 0};

enum
{
    MOST_SHRUNK = sizeof SHRINK / sizeof *SHRINK - 1
};

typedef struct stepping
{
    toi_question q;
    double *steps;        // the caller's
    double *positions;    // where they lead
    double common;        // all vertices may go so far, but for rounding
    int shrunk;           // how often they had to stop shorter, by rounding
    _Atomic bool met;     // the motion that is checked is not free
    _Atomic bool rounded; // a pair is not although its steps are the least
} stepping;

// No step need be less, so far.
static double least_step(const stepping *s)
{
    return s->common * SHRINK[s->shrunk];
}

// ---- Where steps lead

typedef struct moving
{
    const toi_mesh *mesh;
    const double *steps;
    double *positions;
} moving;

static double move(double from, double to, double step)
{
    double way = to - from;
    if (step == 0 || step == 1)
        return step == 0 ? from : to;
    return isinf(way) ? (1 - step) * from + step * to : from + step * way;
}

static toi_status move_points(void *context, int64_t first, int64_t end)
{
    const moving *m = context;
    for (int64_t i = first; i < end; ++i) {
        double from[3], to[3];
        toi_load_point(&m->mesh->start, i, from);
        toi_load_point(&m->mesh->end, i, to);
        for (int k = 0; k < 3; ++k)
            m->positions[3 * i + k] = move(from[k], to[k], m->steps[i]);
    }
    return TOI_OK;
}

toi_status toi_move_points(const toi_mesh *mesh, const double *steps, double *positions)
{
    TOI_GUARD_FP;
    if (!mesh || ((!steps || !positions) && mesh->start.count > 0))
        return toi_fail(TOI_ERROR_ARGUMENT, "the mesh, the steps or the positions are NULL");
    toi_status status = toi_check_positions(&mesh->start, &mesh->end, 1);
    for (int64_t i = 0; status == TOI_OK && i < mesh->start.count; ++i)
        if (!(steps[i] >= 0 && steps[i] <= 1))
            status = toi_fail(TOI_ERROR_ARGUMENT,
                              "the step of vertex %lld is %g; use a number in [0, 1]", (long long)i,
                              steps[i]);
    moving m = {mesh, steps, positions};
    return status == TOI_OK ? move_points(&m, 0, mesh->start.count) : status;
}

// ---- Checks

// Vertices that do not move at all meet nothing new.
static bool moves(const stepping *s, const int32_t corners[4])
{
    bool any = false;
    for (int c = 0; c < 4; ++c)
        any |= s->steps[corners[c]] > 0;
    return any;
}

// Can no step of the pair be shortened as yet? Then it meets something by rounding.
static bool is_least(const stepping *s, const int32_t corners[4])
{
    bool least = true;
    for (int c = 0; c < 4; ++c)
        least &= s->steps[corners[c]] <= least_step(s);
    return least;
}

static toi_status consume_check(void *context, const toi_impact *impacts, int64_t count, int worker)
{
    (void)worker;
    stepping *s = context;
    for (int64_t i = 0; i < count; ++i) {
        int32_t corners[4];
        toi_pair pair = {impacts[i].a, impacts[i].b};
        toi_pair_corners(&s->q.pipeline.mesh, (toi_kind)impacts[i].kind, pair, corners);
        if (!moves(s, corners))
            continue;
        s->met = true;
        if (is_least(s, corners))
            s->rounded = true;
        for (int c = 0; c < 4; ++c)
            toi_lower_time(&s->q.times[corners[c]], impacts[i].time);
    }
    return TOI_OK;
}

static void reset_times(stepping *s, double time)
{
    for (int64_t i = 0; i < s->q.pipeline.mesh.start.count; ++i)
        atomic_init(&s->q.times[i], toi_time_bits(time));
}

// Asks about the motion to the positions of the steps: does a pair come to min_separation that
// starts farther, or nearer than its share one that does not? The report stays that of the whole
// motion, but for the time that it takes.
static toi_status check_steps(stepping *s, const toi_mesh *whole)
{
    toi_pipeline *p = &s->q.pipeline;
    toi_ccd_report report = p->report;
    moving m = {whole, s->steps, s->positions};
    toi_status status =
        toi_parallel_ranges(p->workers, whole->start.count, TOI_PIECE, move_points, &m);
    if (status != TOI_OK)
        return status;
    reset_times(s, INFINITY);
    s->met = s->rounded = false;
    toi_set_end(p, toi_view_points(s->positions, whole->start.count));
    status = toi_solve_candidates(p, consume_check, s, NULL);
    report.seconds_prepare = p->report.seconds_prepare;
    report.seconds_broad = p->report.seconds_broad;
    report.seconds_narrow = p->report.seconds_narrow;
    p->report = report;
    ++p->report.checks;
    return status;
}

// ---- Shortening

static double shorter_step(const stepping *s, int64_t i, bool gently)
{
    double time = toi_bits_time(atomic_load(&s->q.times[i])), step = s->steps[i];
    if (!(time < INFINITY))
        return step;
    double kept = gently ? step * time * (1 - 0x1p-10) : 0;
    return fmin(step, fmax(kept, least_step(s)));
}

// Shortens the steps of vertices that meet something, after LOCAL_CHECKS those of all. Where a pair
// has the least steps already, that least becomes less, for all who have it: they stay together.
static void shorten(stepping *s, int checks)
{
    bool local = checks <= LOCAL_CHECKS;
    double before = least_step(s);
    s->shrunk += s->rounded && s->shrunk < MOST_SHRUNK;
    for (int64_t i = 0; i < s->q.pipeline.mesh.start.count; ++i) {
        if (!local || s->steps[i] <= before)
            s->steps[i] = fmin(s->steps[i], least_step(s));
        else
            s->steps[i] = shorter_step(s, i, checks <= GENTLE_CHECKS);
    }
}

static bool any_moves(const stepping *s)
{
    bool any = false;
    for (int64_t i = 0; i < s->q.pipeline.mesh.start.count; ++i)
        any |= s->steps[i] > 0;
    return any;
}

static toi_status shorten_until_free(stepping *s)
{
    toi_pipeline *p = &s->q.pipeline;
    toi_mesh whole = p->mesh;
    toi_status status = TOI_OK;
    p->inside_share = p->policy.relative_separation;
    p->policy.relative_separation = p->policy.rescale = 0;
    p->last_time = 1;
    for (int checks = 1; status == TOI_OK && any_moves(s); ++checks) {
        status = check_steps(s, &whole);
        if (status != TOI_OK || !s->met)
            break;
        shorten(s, checks);
    }
    return status;
}

static toi_status take_room(stepping *s)
{
    toi_budget *budget = s->q.pipeline.budget;
    int64_t count = s->q.pipeline.mesh.start.count;
    s->q.times = toi_take(budget, count, sizeof *s->q.times);
    s->positions = s->q.times ? toi_take(budget, count, 3 * sizeof *s->positions) : NULL;
    return s->positions ? TOI_OK : toi_allocation_status();
}

static toi_status solve_whole(stepping *s)
{
    toi_pipeline *p = &s->q.pipeline;
    reset_times(s, p->last_time); // later than that nobody looks
    toi_status status = toi_solve_candidates(p, toi_consume_impacts, &s->q, NULL);
    toi_merge_tallies(&s->q);
    s->common = fmin(p->last_time, p->report.earliest.time);
    for (int64_t i = 0; i < p->mesh.start.count; ++i)
        s->steps[i] = toi_bits_time(atomic_load(&s->q.times[i]));
    return status;
}

// Else the whole motion was asked about, and is free: not so where they touch at t = 1.
static bool must_check(const stepping *s)
{
    return s->common < 1 || s->q.pipeline.report.earliest.time <= 1;
}

static void clear_steps(double *steps, int64_t count)
{
    for (int64_t i = 0; i < count && count <= INT32_MAX; ++i)
        steps[i] = 0;
}

// `count`: how many steps a failed call must clear.
static toi_status find_safe_steps(const toi_ccd_def *def, toi_step step, double *steps,
                                  int64_t count, toi_ccd_report *report)
{
    if (!steps && count > 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the steps are NULL");
    stepping s = {.steps = steps};
    toi_status status = toi_begin_question(&s.q, def, step, NULL);
    if (status == TOI_OK)
        status = toi_need_host_positions(&s.q.pipeline, "safe steps");
    if (status == TOI_OK)
        status = take_room(&s);
    if (status == TOI_OK)
        status = solve_whole(&s);
    if (status == TOI_OK && must_check(&s))
        status = shorten_until_free(&s);
    toi_give_back(s.positions);
    toi_give_back((void *)s.q.times);
    s.q.times = NULL;
    status = toi_end_question(&s.q, status, report);
    if (status != TOI_OK)
        clear_steps(steps, count);
    return status;
}

toi_status toi_find_safe_steps(const toi_ccd_def *def, const toi_mesh *mesh, double *steps,
                               toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_safe_steps(def, toi_mesh_step(mesh), steps, mesh ? mesh->start.count : 0, report);
}

toi_status toi_scene_find_safe_steps(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                                     toi_point_view end, double *steps, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    int64_t count = scene ? scene->vertex_count : 0; // whatever positions are given
    toi_step step = toi_scene_step(scene, start, end);
    toi_status status = find_safe_steps(def, step, steps, count, report);
    return toi_track_less(scene, status) ? find_safe_steps(def, step, steps, count, report)
                                         : status;
}
