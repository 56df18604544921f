// What lies behind a toi_device, what a scene keeps on it, and where the pipeline asks it.

#ifndef TOI_DEVICE_INTERNAL_H
#define TOI_DEVICE_INTERNAL_H

#include "ccd/question.h"
#include "device/backend.h"

#include <pthread.h>

// What a scene keeps on a device. It is the scene's; the device has it in a list, so that either
// may go first.
typedef struct toi_resident
{
    toi_device *device; // NULL once that is closed
    struct toi_resident *next, *previous;
    void *mesh;               // the backend's, or NULL
    void *surface;            // the backend's, for overlaps, or NULL
    bool has_end;             // the end of the last step is still there
    toi_record_array decided; // impacts that the host found; in the scene's budget
    toi_record_array allowed; // of a view: what a filter's function has left; likewise
} toi_resident;

struct toi_device
{
    pthread_mutex_t turn; // of calls
    void *library;
    const toi_backend *backend;
    void *card;
    toi_device_info info;
    toi_resident *residents;
    bool measure;
    toi_device_report report;
};

void toi_take_turn(toi_device *device);
void toi_end_turn(toi_device *device);

// Sets the message to what the backend says; returns `status`.
toi_status toi_fail_complaint(toi_status status, const toi_complaint *complaint);

// What a scene keeps on a device, without a mesh where it is new.
toi_status toi_find_resident(toi_scene *scene, toi_device *device, toi_resident **resident);

// What the scene of a call keeps on the call's device, made where it is missing.
toi_status toi_make_resident(toi_pipeline *p, toi_resident **resident);

// Rows of a view, one after the other: the caller's, or a copy where they have gaps.
typedef struct toi_packed_rows
{
    const int32_t *rows;
    int32_t *own; // or NULL
} toi_packed_rows;

toi_status toi_pack_rows(const toi_index_view *view, int width, toi_budget *budget,
                         toi_packed_rows *to);

// Gives back what a scene keeps on a device; harmless where there is nothing.
void toi_forget_resident(toi_scene *scene);

// A step of a scene, which on a device may start where the last one has ended.
static inline toi_step toi_device_step(const toi_ccd_def *def, toi_scene *scene,
                                       toi_point_view start, toi_point_view end)
{
    toi_step step = toi_scene_step(scene, start, end);
    step.resume = def && def->device && !start.data && start.count == 0;
    return step;
}

// Is there something in the definition that a device does not do?
toi_status toi_check_device(const toi_ccd_def *def, toi_purpose purpose);

// Refuses positions that are in the card's memory alone, for `what` the host needs them.
toi_status toi_need_host_positions(const toi_pipeline *p, const char *what);

// May the host read both ends of the step?
bool toi_has_host_positions(const toi_pipeline *p);

// Names the coordinate that the card has found not to be finite, where the host can see it.
toi_status toi_name_infinite(const toi_pipeline *p);
// Asks a card for pairs, in the device's turn, which is this call's until all are taken; *taken is
// what became of those.
toi_status toi_search_on_card(toi_pipeline *p, toi_resident *r, toi_card_search *asked,
                              const toi_status *taken, toi_card_pairs *answer);

// toi_stream_kind() on the device, of a kind that it has; all pairs are of task 0 and come from
// worker 0. Sets p->in_order.
toi_status toi_stream_on_device(toi_pipeline *p, toi_kind kind, toi_receiver to);

// Before the host looks for pairs of loose parts, or knows that there are none: are there positions
// where it searches, and has somebody looked whether they are finite?
toi_status toi_check_loose_step(const toi_pipeline *p, bool searched);

// Where the step starts at the end of the last one: is that still on the device?
toi_status toi_check_resumed(const toi_pipeline *p, const toi_resident *resident);

// What the host does of a step: loose points against edges and points.
toi_status toi_solve_loose(toi_pipeline *p, toi_consume_fn *consume, void *context,
                           _Atomic uint64_t *t_max);

// toi_solve_on_device() for inclusion-queue: candidates first, then cells.
toi_status toi_solve_by_queue(toi_pipeline *p, toi_consume_fn *consume, void *context,
                              _Atomic uint64_t *t_max);

// toi_solve_candidates() on the device.
toi_status toi_solve_on_device(toi_pipeline *p, toi_consume_fn *consume, void *context,
                               _Atomic uint64_t *t_max);

// toi_solve_queries() on def->device; the definition is checked but for what a device does.
toi_status toi_solve_list_on_device(const toi_narrow_def *def, toi_kind kind,
                                    const toi_query *queries, int64_t count,
                                    toi_query_result *results, int workers);

// Pairs of the first two kinds at one instant, in memory of the device's until its next call.
typedef struct toi_near_names
{
    const toi_pair_name *names;
    int64_t count;
} toi_near_names;

// All pairs that are at this separation or closer, and others that may not be: unordered, and not
// asked about with a filter's function.
toi_status toi_find_near_on_device(toi_pipeline *p, double separation, toi_near_names *near);

// Every impact, into a list that is counted in the call's budget.
toi_status toi_list_from_device(toi_question *q, toi_record_array *list);

#endif
