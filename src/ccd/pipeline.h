// The stages of the pipeline: a mesh made ready, its candidates as a stream, and solving a block
// of them.

#ifndef TOI_CCD_PIPELINE_H
#define TOI_CCD_PIPELINE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "broad/tree/mesh_tree.h"
#include "ccd/cull.h"
#include "ccd/records.h"
#include "ccd/scene.h"
#include "narrow/narrow.h"
#include "toi/ccd.h"

// What a call is for, as far as it tells the memory that it takes.
typedef struct toi_purpose
{
    bool solve;       // candidates are to be solved
    bool measure;     // their distances at t = 0 are to be measured
    const char *list; // what its list takes ("8 bytes for every pair"), or NULL
} toi_purpose;

// Receives the impacts of a block in brief (ccd/brief_impact.h).
typedef toi_status toi_consume_brief_fn(void *context, const toi_brief *found, int64_t count,
                                        int worker);

// One call: a step of a scene and what it takes.
typedef struct toi_pipeline
{
    const toi_ccd_def *def;
    int workers;
    toi_scene *scene;                // the caller's, while this call holds it; else the call's own
    toi_scene passing;               // that one
    toi_mesh mesh;                   // at this step; without edges that are still to be made
    bool resume;                     // it starts where the last step on the device has ended
    bool on_device;                  // this call has sent its positions there
    bool in_order;                   // the last search there has streamed canonical order
    toi_moving_vertex *trajectories; // NULL until toi_take_trajectories()
    float off;                       // what the distance of two starts loses in single precision
    toi_mesh_order order;            // empty until a search needs it
    bool roomy;                      // its memory is large enough for what the next step may keep
    toi_purpose purpose;
    toi_zero_time_policy policy; // the definition's, but while safe steps are checked
    double inside_share;         // then what pairs keep that start at min_separation or closer
    double last_time;            // impacts after it do not matter
    bool earliest;               // nor do those after the earliest, which is found exactly
    toi_consume_brief_fn *consume_brief; // instead of impacts (below), or NULL
    toi_broad_slot *kept;                // of the scene; NULL: nothing more is to be kept
    bool tracked;                        // the scene's report on tracking is about this call
    const toi_track_source *source;      // of the pairs of this motion; NULL: a search
    toi_budget *budget;                  // the scene's
    int64_t entered;                     // bytes that the scene had in use when the call began
    toi_meter meter;
    toi_ccd_report report;
    double started;
} toi_pipeline;

// Which step is asked about: of a mesh, for which a scene is made, or of a scene.
typedef struct toi_step
{
    bool stateless;
    const toi_mesh *mesh;
    toi_scene *scene;
    toi_point_view start, end; // of the scene's vertices
    bool resume;               // on a device: `start` is the last end there, and has no data
} toi_step;

static inline toi_step toi_mesh_step(const toi_mesh *mesh)
{
    return (toi_step){.stateless = true, .mesh = mesh};
}

static inline toi_step toi_scene_step(toi_scene *scene, toi_point_view start, toi_point_view end)
{
    return (toi_step){.scene = scene, .start = start, .end = end};
}

// Checks the definition and foresees what the call takes; takes nothing yet, so that lists to be
// reused can be counted first. Call toi_pipeline_end() after success and after failure; it gives
// everything back and completes the report.
toi_status toi_pipeline_begin(toi_pipeline *pipeline, const toi_ccd_def *def, toi_step step,
                              toi_purpose purpose);

// Checks the positions, and makes the scene where there is none.
toi_status toi_prepare_step(toi_pipeline *pipeline);

toi_status toi_pipeline_end(toi_pipeline *pipeline, toi_status status, toi_ccd_report *report);

// Takes what queries are gathered from, unless it is there.
toi_status toi_take_trajectories(toi_pipeline *p);
void toi_drop_trajectories(toi_pipeline *p);

// How far off the distance of two points of bounds may be, where coordinates are not beyond this.
float toi_distance_error(double far);

// Goes on with another end of the motion: what was made of the last one is given back.
void toi_set_end(toi_pipeline *p, toi_point_view end);

// May these two collide: do they share no vertex, and does the filter allow it?
bool toi_is_allowed(const toi_pipeline *p, toi_kind kind, toi_pair pair);

// Moves the pairs that may collide to the front, in order; returns how many.
int64_t toi_keep_allowed(const toi_pipeline *p, toi_kind kind, toi_pair *pairs, int64_t count);

// Likewise those whose swept boxes in double overlap.
int64_t toi_keep_overlapping(const toi_pipeline *p, toi_kind kind, toi_pair *pairs, int64_t count);

// Do the pairs that are given name what the mesh has?
toi_status toi_check_given(const toi_pipeline *p);

// Streams the given pairs of one kind as toi_stream_kind() does what it finds.
toi_status toi_stream_given(toi_pipeline *p, toi_kind kind, toi_receiver to);

// What that takes at most.
int64_t toi_given_need(const toi_pair_array *lists, int workers);

// Streams the filtered candidates of one kind.
toi_status toi_stream_kind(toi_pipeline *p, toi_kind kind, toi_receiver to);

// Is there one right answer for each pair? Then any pair that is proved apart may be dropped; else
// which ones are must follow from the pair alone, since a method may report what only comes close.
static inline bool toi_is_exact(const toi_narrow_def *def)
{
    return toi_narrow_guarantee(def->method) == TOI_GUARANTEE_EXACT;
}

// Streams, by place (p->order.trees), the pairs of one kind that are apart on no axis at both ends
// of the step: fewer than the candidates, all that touch among them. Not filtered. Only where it
// may: where nothing but contact counts, or a share of the initial distance of pairs whose swept
// boxes overlap; then, of those that stay apart by it, not all. With a horizon, which is asked
// about the receiver's context, not those that are apart until then.
bool toi_may_stream_near(const toi_pipeline *p, toi_kind kind);
toi_status toi_stream_near(toi_pipeline *p, toi_kind kind, toi_receiver to,
                           toi_horizon_fn *horizon);

// Receives the impacts of a block, in the block's order.
typedef toi_status toi_consume_fn(void *context, const toi_impact *impacts, int64_t count,
                                  int worker);

// Solves every candidate of both kinds and hands impacts to `consume`. `t_max` holds the bits of
// the best time so far, which prunes; NULL: solve everything.
toi_status toi_solve_candidates(toi_pipeline *pipeline, toi_consume_fn *consume, void *context,
                                _Atomic uint64_t *t_max);

// The same for the kinds from `first` on, never on a device.
toi_status toi_solve_kinds(toi_pipeline *pipeline, int first, toi_consume_fn *consume,
                           void *context, _Atomic uint64_t *t_max);

// The same for pairs of the first two kinds that a device has left, with their positions. Those
// that the filter forbids are passed over.
typedef struct toi_left_pairs
{
    const toi_pair_name *names;
    const toi_query *queries;
    int64_t count;
} toi_left_pairs;
toi_status toi_solve_left(toi_pipeline *pipeline, const toi_left_pairs *left,
                          toi_consume_fn *consume, void *context, _Atomic uint64_t *t_max);

// Of two pairs, does `a` come first in canonical order?
bool toi_is_named_before(const toi_pair_name *a, const toi_pair_name *b);

// What measuring the candidates of a mesh takes at most beside searching for them.
int64_t toi_measure_need(const toi_mesh_counts *counts, int workers);

// What solving candidates of a mesh takes at most beside searching for them.
int64_t toi_solve_need(const toi_narrow_def *def, const toi_mesh_counts *counts, int workers);

// Non-negative doubles order like their bits, so the least can be kept without a lock.
uint64_t toi_time_bits(double time);
double toi_bits_time(uint64_t bits);
void toi_lower_time(_Atomic uint64_t *least, double time);

#endif
