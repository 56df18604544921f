// The first contact of a mesh or a triangle with a field: checks, and the table of solvers.

#include "sdf/surface.h"
#include "sdf/vector.h"

#include "base/fp_mode.h"
#include "base/literature.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/mesh.h"

#include <string.h>

static const uint32_t SDF_COOKIE = 0x53444601;

toi_sdf_def toi_default_sdf_def(void)
{
    return (toi_sdf_def){.solver = TOI_SDF_CERTIFIED,
                         .tolerance = 1e-9,
                         .budget = (int64_t)1 << 22,
                         .iterations = 50,
                         .search_tolerance = 1e-6,
                         .cookie = SDF_COOKIE};
}

static const struct
{
    const char *name;
    toi_sdf_solver_fn *search; // NULL where it is left out of this build
} SOLVERS[TOI_SDF_SOLVER_COUNT] = {
    [TOI_SDF_CERTIFIED] = {"certified", toi_search_certified},
    [TOI_SDF_FWGSS] = {"fwgss", TOI_LITERATURE(toi_search_fwgss)},
    [TOI_SDF_FW] = {"fw", TOI_LITERATURE(toi_search_fw)},
    [TOI_SDF_DISCRETE] = {"discrete", TOI_LITERATURE(toi_search_discrete)},
    [TOI_SDF_DISCRETE_PROJECTED] = {"discrete-projected", TOI_LITERATURE(toi_search_projected)}};

const char *toi_sdf_solver_name(toi_sdf_solver solver)
{
    return (unsigned)solver < TOI_SDF_SOLVER_COUNT ? SOLVERS[solver].name : NULL;
}

const char *toi_sdf_state_name(toi_sdf_state state)
{
    static const char *const NAMES[TOI_SDF_STATE_COUNT] = {"free", "hit", "undecided"};
    return (unsigned)state < TOI_SDF_STATE_COUNT ? NAMES[state] : NULL;
}

static toi_status check_def(const toi_sdf_def *def)
{
    TOI_CHECK_DEF(def, SDF_COOKIE, "sdf");
    if ((unsigned)def->solver >= TOI_SDF_SOLVER_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no solver number %d", (int)def->solver);
    if (!SOLVERS[def->solver].search)
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "the solver '%s' is not in this build; use 'certified', or build the "
                        "library with TOI_LITERATURE=ON",
                        SOLVERS[def->solver].name);
    if (!(def->tolerance > 0) || !(def->touch >= 0) || !isfinite(def->touch))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the tolerance is %g and the touch distance %g; use more than 0, and a "
                        "finite number of at least 0",
                        def->tolerance, def->touch);
    if (!(fabs(def->margin) <= 1e60))
        return toi_fail(TOI_ERROR_ARGUMENT, "the margin is %g; it must be finite", def->margin);
    if (def->budget < 1 || def->iterations < 1 || !(def->search_tolerance > 0))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the budget is %" PRId64
                        ", the iterations %d, the search tolerance %g; all must be positive",
                        def->budget, def->iterations, def->search_tolerance);
    return TOI_OK;
}

static void clear(const toi_motion *motion, toi_sdf_result *result)
{
    *result = (toi_sdf_result){
        .state = TOI_SDF_FREE, .triangle = -1, .t_low = motion->duration, .t_high = INFINITY};
}

// What a call that fails leaves behind: nothing is promised, not even that all is free.
static void know_nothing(toi_sdf_result *result)
{
    *result = (toi_sdf_result){.state = TOI_SDF_UNDECIDED, .triangle = -1, .t_high = INFINITY};
}

toi_status toi_finish_hit(const toi_sdf_question *question, toi_sdf_result *result)
{
    const toi_track *track = &question->track;
    toi_corner corner[3];
    toi_frame frame;
    toi_field_sample sample;
    double x[3][3], point[3], u = result->u, v = result->v, w = 1 - u - v;
    toi_question_corners(question, result->triangle, corner);
    toi_track_frame(track, result->t_high, &frame);
    for (int i = 0; i < 3; ++i)
        toi_track_place(&frame, &corner[i], x[i]);
    for (int k = 0; k < 3; ++k)
        point[k] = w * x[0][k] + u * x[1][k] + v * x[2][k];
    toi_sample_field(question->field, point, &sample);
    if (!isfinite(sample.value))
        return toi_fail(TOI_ERROR_DATA,
                        "the field's value is not a number at (%.17g, %.17g, %.17g)", point[0],
                        point[1], point[2]);
    double length = toi_norm(sample.gradient), normal[3];
    bool known = length > 0 && isfinite(length);
    for (int k = 0; k < 3; ++k)
        normal[k] = known ? sample.gradient[k] / length : k == 2;
    result->distance = sample.value;
    toi_track_to_world(track, result->t_high, point, normal, result->point, result->normal);
    return TOI_OK;
}

static toi_status solve(toi_sdf_question *question, toi_sdf_result *result)
{
    toi_sdf_solver_fn *search = SOLVERS[question->def->solver].search;
    clear(question->track.motion, result);
    toi_status status = search(question, result);
    if (status != TOI_OK)
        know_nothing(result);
    return status;
}

static toi_status check_question(const toi_sdf_def *def, const toi_motion *motion,
                                 const toi_field *field, const void *mesh, toi_sdf_result *result)
{
    if (!result)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no room for the result");
    know_nothing(result);
    toi_status status = check_def(def);
    if (status != TOI_OK)
        return status;
    if (!motion || !field || !mesh)
        return toi_fail(TOI_ERROR_ARGUMENT, "the %s is missing",
                        !motion  ? "motion"
                        : !field ? "field"
                                 : "mesh");
    return TOI_OK;
}

// The box of the mesh's points at t = 0 and the greatest velocities of straight lines along each
// axis, which hold for the corners of boxes about them as well.
typedef struct extent
{
    double low[3];
    double high[3];
    double fast[3];
} extent;

static void extend(const double start[3], const double end[3], double duration, extent *e)
{
    for (int k = 0; k < 3; ++k) {
        double rate = fabs(toi_line_rate(start[k], end[k], duration));
        e->low[k] = !(start[k] >= e->low[k]) ? start[k] : e->low[k];
        e->high[k] = !(start[k] <= e->high[k]) ? start[k] : e->high[k];
        e->fast[k] = !(rate <= e->fast[k]) ? rate : e->fast[k];
    }
}

static const extent NOTHING = {.low = {INFINITY, INFINITY, INFINITY},
                               .high = {-INFINITY, -INFINITY, -INFINITY}};

static toi_status track_of(const toi_motion *motion, const extent *e, toi_track *track)
{
    double pace = toi_moves_linearly(motion) ? toi_norm(e->fast) * (1 + 0x1p-40) : 0;
    return toi_make_track(motion, e->low, e->high, pace, track);
}

static toi_status check_vertex(int64_t vertex, const double start[3], const double end[3])
{
    for (int k = 0; k < 3; ++k)
        if (!isfinite(start[k]) || !isfinite(end[k]))
            return toi_fail(TOI_ERROR_DATA, "a coordinate of vertex %" PRId64 " is not finite",
                            vertex);
    return TOI_OK;
}

static toi_status measure_lines(const toi_motion *motion, extent *e)
{
    for (int64_t i = 0; i < motion->start.count; ++i) {
        double a[3], b[3];
        toi_load_point(&motion->start, i, a);
        toi_load_point(&motion->end, i, b);
        toi_status status = check_vertex(i, a, b);
        if (status != TOI_OK)
            return status;
        extend(a, b, motion->duration, e);
    }
    return TOI_OK;
}

static toi_status check_lines(const toi_motion *motion, int64_t points)
{
    if (!toi_moves_linearly(motion) ||
        (motion->start.count == points && motion->end.count == points))
        return TOI_OK;
    return toi_fail(TOI_ERROR_ARGUMENT,
                    "the motion has %" PRId64 " points at its start and %" PRId64
                    " at its end; the mesh has %" PRId64,
                    motion->start.count, motion->end.count, points);
}

static toi_status prepare_mesh(toi_sdf_question *question, const toi_motion *motion)
{
    const toi_box_tree *tree = &question->surface->tree;
    extent e = NOTHING;
    toi_status status = check_lines(motion, tree->point_count);
    if (status != TOI_OK)
        return status;
    if (!toi_moves_linearly(motion)) {
        memcpy(e.low, tree->nodes[0].low, sizeof e.low);
        memcpy(e.high, tree->nodes[0].high, sizeof e.high);
        return track_of(motion, &e, &question->track);
    }
    status = measure_lines(motion, &e);
    if (status == TOI_OK)
        status = track_of(motion, &e, &question->track);
    if (status == TOI_OK)
        status = toi_refit_surface(question->surface, &question->track, question->workers,
                                   &question->lines, &question->moving);
    return status;
}

toi_status toi_open_question(const toi_surface *surface, const toi_motion *motion,
                             const toi_field *field, int workers, toi_sdf_question *question)
{
    *question = (toi_sdf_question){.field = field, .surface = surface};
    toi_status status = toi_resolve_workers(workers, &question->workers);
    if (status == TOI_OK && surface->tree.face_count > 0)
        status = prepare_mesh(question, motion);
    if (status != TOI_OK)
        toi_close_question(question);
    return status;
}

void toi_close_question(toi_sdf_question *question)
{
    toi_give_back(question->lines);
    toi_give_back(question->moving);
}

toi_status toi_find_field_impact(const toi_sdf_def *def, const toi_surface *surface,
                                 const toi_motion *motion, const toi_field *field,
                                 toi_sdf_result *result)
{
    TOI_GUARD_FP;
    toi_sdf_question question;
    toi_status status = check_question(def, motion, field, surface, result);
    if (status == TOI_OK)
        status = toi_open_question(surface, motion, field, def->workers, &question);
    if (status != TOI_OK)
        return status;
    question.def = def;
    if (surface->tree.face_count > 0)
        status = solve(&question, result);
    else
        clear(motion, result);
    toi_close_question(&question);
    return status;
}

static toi_status prepare_triangle(const double corners[3][3], const toi_motion *motion,
                                   toi_corner single[3], toi_track *track)
{
    extent e = NOTHING;
    double x[3][3], y[3][3];
    bool lines = toi_moves_linearly(motion);
    toi_status status = check_lines(motion, 3);
    if (status != TOI_OK)
        return status;
    for (int i = 0; i < 3 && status == TOI_OK; ++i) {
        memcpy(x[i], corners[i], sizeof x[i]);
        memcpy(y[i], corners[i], sizeof y[i]);
        if (lines) {
            toi_load_point(&motion->start, i, x[i]);
            toi_load_point(&motion->end, i, y[i]);
        }
        status = check_vertex(i, x[i], y[i]);
        extend(x[i], y[i], motion->duration, &e);
    }
    if (status == TOI_OK)
        status = track_of(motion, &e, track);
    for (int i = 0; i < 3 && status == TOI_OK; ++i)
        toi_track_corner(track, x[i], y[i], &single[i]);
    return status;
}

toi_status toi_find_triangle_impact(const toi_sdf_def *def, const double corners[3][3],
                                    const toi_motion *motion, const toi_field *field,
                                    toi_sdf_result *result)
{
    TOI_GUARD_FP;
    // Straight lines say where the corners are.
    bool given = corners || (motion && toi_moves_linearly(motion));
    toi_status status = check_question(def, motion, field, given ? "" : NULL, result);
    if (status != TOI_OK)
        return status;
    static const double NONE[3][3];
    toi_corner single[3];
    toi_sdf_question question = {.def = def, .field = field, .single = single, .workers = 1};
    status = prepare_triangle(corners ? corners : NONE, motion, single, &question.track);
    return status == TOI_OK ? solve(&question, result) : status;
}
