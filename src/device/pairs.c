// Candidates that a device finds, and how they get to who asked for them.

#include "device/device.h"

#include "base/status.h"
#include "mesh/mesh.h"

#include <string.h>

enum
{
    COPY_PIECE = 1 << 15 // pairs
};

typedef struct taking
{
    toi_pipeline *p;
    toi_receiver to;
    int64_t taken;
    toi_status status; // of who takes them
} taking;

typedef struct copying
{
    const toi_pair *from;
    toi_pair *to;
} copying;

static toi_status copy_piece(void *context, int64_t first, int64_t end)
{
    const copying *c = context;
    memcpy(c->to + first, c->from + first, (size_t)(end - first) * sizeof *c->to);
    return TOI_OK;
}

// Straight into the list that is being made, where there is one, by all workers.
static toi_status place(taking *t, toi_pair **pairs, int64_t count)
{
    toi_room room;
    if (!t->to.room)
        return TOI_OK;
    toi_status status = t->to.room(t->to.context, count, 0, &room);
    copying c = {*pairs, room.pairs};
    if (status == TOI_OK)
        status = toi_parallel_ranges(t->p->workers, count, COPY_PIECE, copy_piece, &c);
    *pairs = room.pairs;
    return status;
}

// A list grows at once to what is known to come: the meter tells.
static toi_status take_pairs(void *context, toi_pair *pairs, int64_t count, int64_t coming)
{
    taking *t = context;
    toi_meter *meter = &t->p->meter;
    meter->total = t->taken + coming + 1; // the last one is for the end
    t->taken += count;
    toi_status status = toi_meter_add(meter, count);
    if (status == TOI_OK)
        status = place(t, &pairs, count);
    if (status == TOI_OK)
        status = t->to.emit(t->to.context, pairs, count, 0, 0);
    t->status = status;
    return status;
}

toi_status toi_search_on_card(toi_pipeline *p, toi_resident *r, toi_card_search *asked,
                              const toi_status *taken, toi_card_pairs *answer)
{
    toi_device *device = r->device;
    toi_complaint complaint = {""};
    toi_take_turn(device);
    asked->measure = device->measure;
    toi_status status = device->backend->find_pairs(r->mesh, asked, answer, &complaint);
    if (status == TOI_OK)
        device->report = answer->report;
    toi_end_turn(device);
    p->on_device = r->has_end = status == TOI_OK && !answer->infinite;
    if (*taken != TOI_OK)
        return *taken;
    if (status != TOI_OK)
        return toi_fail_complaint(status, &complaint);
    return answer->infinite ? toi_name_infinite(p) : TOI_OK;
}

static toi_status search(taking *t, toi_resident *r, toi_kind kind)
{
    toi_pipeline *p = t->p;
    const toi_ccd_def *def = p->def;
    toi_card_pairs answer;
    toi_card_search asked = {.kind = kind,
                             .method = def->broad.method,
                             .in_order = def->broad.order == TOI_ORDER_CANONICAL && t->to.room,
                             .same_step = p->on_device,
                             .start = p->mesh.start,
                             .end = p->mesh.end,
                             .radius = toi_separation_radius(def->narrow.min_separation),
                             .float_boxes = def->float_boxes,
                             .take = take_pairs,
                             .context = t};
    toi_status status = toi_search_on_card(p, r, &asked, &t->status, &answer);
    if (status == TOI_OK)
        p->in_order = answer.in_order;
    return status;
}

toi_status toi_check_loose_step(const toi_pipeline *p, bool searched)
{
    toi_status status = TOI_OK;
    if (searched)
        status = toi_need_host_positions(p, "points that belong to nothing");
    if (status != TOI_OK || p->on_device || !toi_has_host_positions(p))
        return status;
    return toi_check_positions(&p->mesh.start, &p->mesh.end, p->workers);
}

toi_status toi_stream_on_device(toi_pipeline *p, toi_kind kind, toi_receiver to)
{
    taking t = {.p = p, .to = to};
    toi_resident *r;
    double started = toi_clock();
    toi_status status = toi_make_resident(p, &r);
    if (status != TOI_OK)
        return status;
    double made = toi_clock();
    p->report.seconds_prepare += made - started;
    if (!r->mesh) // there are no pairs for it
        return toi_has_host_positions(p)
                   ? toi_check_positions(&p->mesh.start, &p->mesh.end, p->workers)
                   : TOI_OK;
    status = toi_check_resumed(p, r);
    if (status != TOI_OK)
        return status;
    p->meter.total = 1;
    status = search(&t, r, kind);
    p->report.seconds_broad += toi_clock() - made;
    if (status == TOI_OK)
        status = toi_meter_add(&p->meter, 1);
    return status == TOI_OK && to.end_task ? to.end_task(to.context, 0, 0) : status;
}
