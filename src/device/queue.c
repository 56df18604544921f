// Steps by inclusion-queue on a device: the card finds candidates and solves them, kind by kind,
// and the host puts together what is not separated.

#include "device/device.h"

#include "base/status.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdatomic.h>

enum
{
    HAND_PIECE = 64 // impacts that are handed on at once
};

typedef struct queue_call
{
    toi_pipeline *p;
    toi_narrow_def narrow; // its t_max falls with the best time so far
    _Atomic uint64_t *t_max;
    toi_consume_fn *consume;
    void *context;
    toi_status status; // of who takes the impacts
} queue_call;

static void lower_limit(queue_call *c)
{
    double last = c->p->last_time;
    c->narrow.t_max = c->t_max ? fmin(last, toi_bits_time(atomic_load(c->t_max))) : last;
}

// A filter's function cannot run on a card: it is asked about what was found.
static toi_status take_impacts(void *context, const toi_impact *impacts, int64_t count)
{
    queue_call *c = context;
    toi_impact allowed[HAND_PIECE];
    for (int64_t i = 0; i < count && c->status == TOI_OK;) {
        int kept = 0;
        for (; i < count && kept < HAND_PIECE; ++i) {
            toi_pair pair = {impacts[i].a, impacts[i].b};
            if (toi_is_allowed(c->p, (toi_kind)impacts[i].kind, pair))
                allowed[kept++] = impacts[i];
        }
        if (kept > 0)
            c->status = c->consume(c->context, allowed, kept, 0);
    }
    if (c->status == TOI_OK)
        c->status = toi_meter_add(&c->p->meter, 0); // somebody may want to cancel
    lower_limit(c);
    return c->status;
}

static toi_status ask_card(queue_call *c, toi_resident *r, toi_kind kind)
{
    toi_pipeline *p = c->p;
    toi_card_pairs answer;
    toi_card_search asked = {.kind = kind,
                             .method = p->def->broad.method,
                             .same_step = p->on_device,
                             .start = p->mesh.start,
                             .end = p->mesh.end,
                             .radius = toi_separation_radius(p->def->narrow.min_separation),
                             .context = c,
                             .narrow = &c->narrow,
                             .take_impacts = take_impacts};
    lower_limit(c);
    toi_status status = toi_search_on_card(p, r, &asked, &c->status, &answer);
    if (status == TOI_OK)
        p->report.candidates[kind] = p->report.tested[kind] = answer.count;
    return status;
}

static toi_status solve_kind(queue_call *c, toi_resident *r, toi_kind kind)
{
    toi_pipeline *p = c->p;
    p->meter.base = (double)kind / TOI_PAIR_KINDS;
    p->meter.share = 1.0 / TOI_PAIR_KINDS;
    p->meter.done = 0;
    p->meter.total = 1;
    toi_status status = ask_card(c, r, kind);
    return status == TOI_OK ? toi_meter_add(&p->meter, 1) : status;
}

toi_status toi_solve_by_queue(toi_pipeline *p, toi_consume_fn *consume, void *context,
                              _Atomic uint64_t *t_max)
{
    queue_call c = {
        .p = p, .narrow = p->def->narrow, .t_max = t_max, .consume = consume, .context = context};
    toi_resident *r;
    double started = toi_clock();
    toi_status status = toi_make_resident(p, &r);
    double made = toi_clock();
    p->report.seconds_prepare += made - started;
    if (status == TOI_OK)
        status = toi_check_resumed(p, r);
    p->on_device = false; // the whole may be asked again, where memory is short
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK && r->mesh; ++kind)
        status = solve_kind(&c, r, (toi_kind)kind);
    p->report.seconds_narrow += toi_clock() - made;
    if (status == TOI_OK)
        status = toi_check_loose_step(p, false);
    return status == TOI_OK ? toi_solve_loose(p, consume, context, t_max) : status;
}
