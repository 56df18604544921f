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

// What the scene of a call keeps on the call's device, made where it is missing.
toi_status toi_make_resident(toi_pipeline *p, toi_resident **resident);

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

// toi_solve_candidates() on the device.
toi_status toi_solve_on_device(toi_pipeline *p, toi_consume_fn *consume, void *context,
                               _Atomic uint64_t *t_max);

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
