// Swept boxes (Belgrod et al., section 6.1).
//
// Trajectories are straight, so the box of both ends is the box of the whole motion. Minima and
// maxima are exact; only the enlargement rounds, and it rounds outward to the nearest double:
// kernel/rounding.h, docs/boxes.md.

#include "toi/boxes.h"

#include "base/fp_mode.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernel/bounds.h"
#include "kernel/rounding.h"
#include "mesh/mesh.h"

#include <math.h>

typedef struct boxes_job
{
    const toi_mesh *mesh;
    toi_primitive primitive;
    double radius;
    toi_box *boxes;
} boxes_job;

static void enclose(const toi_mesh *mesh, int32_t vertex, toi_box *box)
{
    double start[3], end[3];
    toi_load_point(&mesh->start, vertex, start);
    toi_load_point(&mesh->end, vertex, end);
    for (int k = 0; k < 3; ++k) {
        double lo = start[k] < end[k] ? start[k] : end[k];
        double hi = start[k] < end[k] ? end[k] : start[k];
        box->lo[k] = lo < box->lo[k] ? lo : box->lo[k];
        box->hi[k] = hi > box->hi[k] ? hi : box->hi[k];
    }
}

void toi_swept_box(const toi_mesh *mesh, toi_primitive primitive, int64_t i, double radius,
                   toi_box *box)
{
    *box = (toi_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    int32_t self = (int32_t)i;
    const int32_t *corners = primitive == TOI_VERTEX ? &self
                             : primitive == TOI_EDGE ? toi_edge_at(&mesh->edges, i)
                                                     : toi_face_at(&mesh->faces, i);
    for (int k = 0; k <= (int)primitive; ++k)
        enclose(mesh, corners[k], box);
    if (radius > 0)
        for (int k = 0; k < 3; ++k) {
            box->lo[k] = toi_subtract_down(box->lo[k], radius);
            box->hi[k] = toi_add_up(box->hi[k], radius);
        }
}

double toi_separation_radius(double min_separation)
{
    return toi_halve_up(min_separation);
}

static toi_status make_piece(void *context, int64_t first, int64_t end)
{
    const boxes_job *job = context;
    for (int64_t i = first; i < end; ++i)
        toi_swept_box(job->mesh, job->primitive, i, job->radius, &job->boxes[i]);
    return TOI_OK;
}

TOI_APART static toi_status make_boxes(const toi_mesh *mesh, toi_primitive primitive,
                                       double min_separation, int workers, toi_box *boxes)
{
    static const char *const names[] = {"vertices", "edges", "faces"};
    if ((unsigned)primitive > TOI_FACE)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no kind of primitive number %d",
                        (int)primitive);
    int resolved;
    toi_status status = toi_resolve_workers(workers, &resolved);
    if (status == TOI_OK)
        status = toi_check_count(toi_primitive_count(mesh, primitive), names[primitive]);
    if (status != TOI_OK)
        return status;
    if (!(min_separation >= 0) || !isfinite(min_separation))
        return toi_fail(TOI_ERROR_ARGUMENT, "min_separation is %g; use a finite number >= 0",
                        min_separation);
    boxes_job job = {.mesh = mesh, .primitive = primitive, .boxes = boxes};
    job.radius = toi_separation_radius(min_separation);
    return toi_parallel_ranges(resolved, toi_primitive_count(mesh, primitive), TOI_PIECE,
                               make_piece, &job);
}

toi_status toi_make_boxes(const toi_mesh *mesh, toi_primitive primitive, double min_separation,
                          int workers, toi_box *boxes)
{
    TOI_GUARD_FP;
    return make_boxes(mesh, primitive, min_separation, workers, boxes);
}

static void round_box(const toi_box *box, toi_box_float *rounded)
{
    for (int k = 0; k < 3; ++k) {
        rounded->lo[k] = toi_float_below(box->lo[k]);
        rounded->hi[k] = -toi_float_below(-box->hi[k]);
    }
}

void toi_round_boxes(toi_box_view boxes, toi_box_float *rounded)
{
    TOI_GUARD_FP;
    for (int64_t i = 0; i < boxes.count; ++i)
        round_box(&boxes.data[i], &rounded[i]);
}

void toi_widen_to_floats(toi_box *box)
{
    toi_box_float rounded;
    round_box(box, &rounded);
    for (int k = 0; k < 3; ++k) {
        box->lo[k] = (double)rounded.lo[k];
        box->hi[k] = (double)rounded.hi[k];
    }
}
