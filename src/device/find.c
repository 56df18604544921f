// Questions about a step that a device answers: what it finds, what it leaves to the host, and both
// put together.

#include "device/device.h"

#include "base/fp_mode.h"
#include "base/status.h"
#include "device/delivery.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

enum
{
    HAND_PIECE = 64, // impacts that are handed on at once
    COPY_PIECE = 1024
};

// ---- What is refused

static toi_status refuse(const char *what, const char *instead)
{
    return toi_fail(TOI_ERROR_UNSUPPORTED, "a device does not do %s as yet: %s", what, instead);
}

static toi_status check_search(const toi_ccd_def *def)
{
    static const toi_broad_method methods[] = {TOI_BROAD_AUTO, TOI_BROAD_STQ, TOI_BROAD_SWEEP,
                                               TOI_BROAD_GRID, TOI_BROAD_LBVH};
    if (def->given)
        return refuse("given pairs", "ask without a device");
    for (int i = 0; i < 5; ++i)
        if (def->broad.method == methods[i])
            return TOI_OK;
    return refuse("this broad phase",
                  "use auto, stq, sweep, grid or lbvh, or ask without a device");
}

static bool keeps_apart(const toi_ccd_def *def)
{
    return def->narrow.min_separation > 0 || def->zero_time.relative_separation > 0;
}

// Candidates are found and solved one after the other, so any search will do.
static toi_status check_queue(const toi_ccd_def *def)
{
    if (def->zero_time.relative_separation > 0 || def->zero_time.rescale > 0)
        return refuse(
            "the zero-time policy with inclusion-queue",
            "leave relative_separation and rescale 0, use exact, or ask without a device");
    if (def->float_boxes)
        return refuse("float_boxes", "clear it, or ask without a device");
    return check_search(def);
}

toi_status toi_check_device(const toi_ccd_def *def, toi_purpose purpose)
{
    static const char *const without = "ask without a device";
    if (!def->device)
        return TOI_OK;
    if (!purpose.solve && !purpose.measure)
        return check_search(def);
    if (purpose.solve && def->narrow.method == TOI_NARROW_INCLUSION_QUEUE)
        return check_queue(def);
    if (purpose.solve && def->narrow.method != TOI_NARROW_EXACT)
        return refuse("narrow phases other than exact and inclusion-queue",
                      "use one of these, or ask without a device");
    if (def->zero_time.rescale > 0 && !keeps_apart(def))
        return refuse("the second pass of the zero-time policy without a separation",
                      "leave zero_time.rescale 0, or ask without a device");
    if (def->given)
        return refuse("given pairs", without);
    if (def->count_candidates || def->float_boxes)
        return refuse("count_candidates and float_boxes", "clear them, or ask without a device");
    if (def->broad.method != TOI_BROAD_AUTO)
        return refuse("broad phases other than its own",
                      "leave broad.method at auto, or ask without a device");
    return TOI_OK;
}

static bool is_on_card(const toi_pipeline *p, const toi_point_view *points)
{
    toi_device *device = p->def->device;
    toi_take_turn(device);
    bool on_card =
        points->data && device->backend->is_on_card(device->card, toi_point_address(points, 0));
    toi_end_turn(device);
    return on_card;
}

// May the host read both ends of the step?
bool toi_has_host_positions(const toi_pipeline *p)
{
    return !p->resume && !is_on_card(p, &p->mesh.start) && !is_on_card(p, &p->mesh.end);
}

toi_status toi_need_host_positions(const toi_pipeline *p, const char *what)
{
    if (!p->def->device || toi_has_host_positions(p))
        return TOI_OK;
    return toi_fail(TOI_ERROR_UNSUPPORTED,
                    "%s: the host does that part, and the positions are only in the card's memory; "
                    "give both ends of the step in memory of the host",
                    what);
}

// ---- What the card answers

typedef struct card_call
{
    toi_pipeline *p;
    toi_resident *resident;
    toi_card_answer answer;
    // Who gets what the host decides.
    toi_consume_fn *consume;
    void *context;
    _Atomic uint64_t *t_max; // as of toi_solve_candidates()
    // Or NULL. Else the list may come packed, and this gets it, with the call.
    toi_card_receive_fn *receive;
} card_call;

// Shares out what a backend has to do on the host.
typedef struct sharing
{
    void (*part)(void *context, int64_t i);
    void *context;
} sharing;

static toi_status do_part(void *context, int64_t i, int worker)
{
    (void)worker;
    const sharing *s = context;
    s->part(s->context, i);
    return TOI_OK;
}

static void spread(void *spreader, int64_t count, void (*part)(void *context, int64_t i),
                   void *context)
{
    const toi_pipeline *p = spreader;
    sharing s = {part, context};
    toi_parallel(p->workers, count, do_part, &s);
}

// Names the coordinate that the card has found not to be finite, where the host can see it.
toi_status toi_name_infinite(const toi_pipeline *p)
{
    toi_status status = TOI_OK;
    if (!p->resume && !is_on_card(p, &p->mesh.start))
        status = toi_check_coordinates(&p->mesh.start, "t = 0", p->workers);
    if (status == TOI_OK && !is_on_card(p, &p->mesh.end))
        status = toi_check_coordinates(&p->mesh.end, "t = 1", p->workers);
    return status == TOI_OK
               ? toi_fail(TOI_ERROR_DATA, "a coordinate of a vertex is not finite; the positions "
                                          "are in the card's memory, so it is not known which")
               : status;
}

toi_status toi_check_resumed(const toi_pipeline *p, const toi_resident *resident)
{
    return !p->resume || resident->has_end
               ? TOI_OK
               : toi_fail(TOI_ERROR_ARGUMENT, "there are no positions at t = 0, and the device has "
                                              "no end of a last step of this scene: give both");
}

static toi_status ask_card(card_call *c, const toi_card_question *question)
{
    toi_resident *r = c->resident;
    toi_device *device = r->device;
    toi_complaint complaint = {""};
    toi_card_question asked = *question;
    toi_take_turn(device);
    asked.measure = device->measure;
    toi_status status = device->backend->find(r->mesh, &asked, &c->answer, &complaint);
    c->answer.report.hard = c->answer.hard_count;
    if (status == TOI_OK)
        device->report = c->answer.report;
    toi_end_turn(device);
    r->has_end = status == TOI_OK && !c->answer.infinite;
    if (status != TOI_OK)
        return toi_fail_complaint(status, &complaint);
    return c->answer.infinite ? toi_name_infinite(c->p) : TOI_OK;
}

static void report_card(toi_pipeline *p, const toi_device_report *report, double seconds)
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        p->report.candidates[kind] = -1;
        p->report.tested[kind] += report->tested[kind];
    }
    p->report.seconds_narrow += seconds;
}

static bool has_rule(const toi_pipeline *p)
{
    return p->scene->topology.filter.may_collide;
}

static void report_inside(toi_pipeline *p, const toi_card_answer *answer)
{
    p->report.inside += answer->inside;
    if (answer->inside > 0 && toi_is_named_before(&answer->first_inside, &p->report.first_inside))
        p->report.first_inside = answer->first_inside;
}

// What the card cannot do is left: the second pass, and what needs to know who starts inside. Where
// there is nothing to keep a distance from, they touch at t = 0, or do not start inside.
static toi_card_policy card_policy(const toi_pipeline *p)
{
    const toi_zero_time_policy *policy = &p->policy;
    return (toi_card_policy){.separation = p->def->narrow.min_separation,
                             .relative = policy->relative_separation,
                             .small_time = policy->rescale > 0 ? policy->small_time : -1,
                             .leave_inside = p->inside_share > 0 || has_rule(p)};
}

// `defer`: merge_rest() follows.
static toi_status ask(card_call *c, toi_card_goal goal, toi_residence residence, bool defer)
{
    toi_pipeline *p = c->p;
    double started = toi_clock();
    c->answer = (toi_card_answer){.earliest.time = INFINITY};
    toi_status status = toi_make_resident(p, &c->resident);
    if (status != TOI_OK)
        return status;
    double made = toi_clock();
    p->report.seconds_prepare += made - started;
    if (!c->resident->mesh) // there are no pairs for it
        return toi_has_host_positions(p)
                   ? toi_check_positions(&p->mesh.start, &p->mesh.end, p->workers)
                   : TOI_OK;
    status = toi_check_resumed(p, c->resident);
    if (status != TOI_OK)
        return status;
    toi_card_question question = {.goal = goal,
                                  .start = p->mesh.start,
                                  .end = p->mesh.end,
                                  .t_max = p->last_time,
                                  .policy = card_policy(p),
                                  .residence = residence,
                                  .defer = defer,
                                  .receive = c->receive,
                                  .receiver = c,
                                  .spread = spread,
                                  .spreader = p};
    status = ask_card(c, &question);
    report_card(p, &c->answer.report, toi_clock() - made);
    if (status != TOI_OK)
        return status;
    report_inside(p, &c->answer);
    p->meter.base = 0;
    p->meter.share = p->meter.total = 1;
    return toi_meter_add(&p->meter, 1);
}

static bool is_allowed(const toi_pipeline *p, const toi_impact *impact)
{
    return toi_is_allowed(p, (toi_kind)impact->kind, (toi_pair){impact->a, impact->b});
}

// ---- What the host decides: hard pairs and loose parts

static bool has_loose(const toi_pipeline *p)
{
    const toi_loose_parts *loose = &p->scene->topology.loose;
    return loose->vertex_count > 1 || (loose->vertex_count > 0 && loose->edge_count > 0);
}

static bool leaves_something(const card_call *c)
{
    return c->answer.hard_count > 0 || has_loose(c->p);
}

static toi_status solve_hard(card_call *c)
{
    toi_left_pairs hard = {c->answer.hard, c->answer.queries, c->answer.hard_count};
    return toi_solve_left(c->p, &hard, c->consume, c->context, c->t_max);
}

// A loose point against edges and points: no kernel of the card's does that.
toi_status toi_solve_loose(toi_pipeline *p, toi_consume_fn *consume, void *context,
                           _Atomic uint64_t *t_max)
{
    if (!has_loose(p))
        return TOI_OK;
    toi_status status = toi_need_host_positions(p, "loose points against edges and points");
    return status == TOI_OK ? toi_solve_kinds(p, TOI_PAIR_KINDS, consume, context, t_max) : status;
}

static toi_status solve_rest(card_call *c)
{
    toi_status status = solve_hard(c);
    return status == TOI_OK ? toi_solve_loose(c->p, c->consume, c->context, c->t_max) : status;
}

// ---- Close pairs

toi_status toi_find_near_on_device(toi_pipeline *p, double separation, toi_near_names *near)
{
    card_call c = {.p = p};
    *near = (toi_near_names){NULL, 0};
    toi_status status = toi_make_resident(p, &c.resident);
    if (status != TOI_OK)
        return status;
    if (!c.resident->mesh) // there are no pairs for it
        return toi_check_positions(&p->mesh.start, &p->mesh.end, p->workers);
    toi_card_question question = {.goal = TOI_CARD_NEAR,
                                  .start = p->mesh.start,
                                  .end = p->mesh.start,
                                  .t_max = 1,
                                  .policy = {.separation = separation, .small_time = -1},
                                  .residence = TOI_ON_HOST};
    status = ask_card(&c, &question);
    c.resident->has_end = false; // this was no step
    *near = (toi_near_names){c.answer.near, status == TOI_OK ? c.answer.count : 0};
    return status;
}

// ---- Impacts for who consumes them

static toi_status hand_on_piece(void *context, int64_t piece, int worker)
{
    const card_call *c = context;
    int64_t first = piece * HAND_PIECE, rest = c->answer.count - first, kept = 0;
    const toi_impact *impacts = c->answer.impacts + first;
    if (!has_rule(c->p))
        return c->consume(c->context, impacts, rest < HAND_PIECE ? rest : HAND_PIECE, worker);
    toi_impact allowed[HAND_PIECE];
    for (int64_t i = 0; i < rest && i < HAND_PIECE; ++i)
        if (is_allowed(c->p, &impacts[i]))
            allowed[kept++] = impacts[i];
    return kept > 0 ? c->consume(c->context, allowed, kept, worker) : TOI_OK;
}

toi_status toi_solve_on_device(toi_pipeline *p, toi_consume_fn *consume, void *context,
                               _Atomic uint64_t *t_max)
{
    card_call c = {.p = p, .consume = consume, .context = context, .t_max = t_max};
    if (p->def->narrow.method == TOI_NARROW_INCLUSION_QUEUE)
        return toi_solve_by_queue(p, consume, context, t_max);
    // The earliest of all may be one that the filter's function forbids.
    bool earliest = t_max && !has_rule(p);
    toi_status status = ask(&c, earliest ? TOI_CARD_EARLIEST : TOI_CARD_ALL, TOI_ON_HOST, false);
    if (status != TOI_OK)
        return status;
    if (!earliest)
        status = toi_parallel(p->workers, (c.answer.count + HAND_PIECE - 1) / HAND_PIECE,
                              hand_on_piece, &c);
    else if (c.answer.earliest.time < INFINITY)
        status = consume(context, &c.answer.earliest, 1, 0);
    return status == TOI_OK ? solve_rest(&c) : status;
}

// ---- Impacts as a list, in canonical order

typedef struct listing
{
    card_call call; // first: who receives has it
    toi_question *q;
    toi_record_array *list; // where impacts are copied; NULL: they stay where the card puts them
    bool unpacked;          // they are there, since they came packed
} listing;

static bool unpack(const listing *l, const toi_card_delivery *d)
{
    return toi_unpack_delivery(d, l->call.p->workers, l->list->data, l->list->capacity);
}

// Unpacks what comes where the list has room for it already.
static void receive(void *receiver, const toi_card_delivery *delivery)
{
    listing *l = receiver;
    l->unpacked = unpack(l, delivery);
}

// Asked again where memory is short.
static toi_status find_rest(void *context)
{
    listing *l = context;
    toi_ccd_report *report = &l->call.p->report;
    toi_reset_tallies(l->q);
    report->rescaled = 0;
    report->inside = l->call.answer.inside;
    return solve_rest(&l->call);
}

static toi_status list_rest(listing *l)
{
    toi_pipeline *p = l->call.p;
    toi_record_array *list = &l->call.resident->decided;
    toi_recorder recorder = {.budget = p->budget,
                             .workers = p->workers,
                             .size = sizeof(toi_impact),
                             .find = find_rest,
                             .context = l};
    list->count = 0;
    l->q->recorder = &recorder;
    toi_status status = toi_make_record_list(&recorder, list);
    l->q->recorder = NULL;
    if (toi_attach(p->budget, list->data)) // it stays the scene's
        return status;
    toi_give_back(list->data);
    *list = (toi_record_array){NULL, 0, 0};
    return status == TOI_OK ? toi_refuse(p->budget, p->budget->limit + 1) : status;
}

static toi_status merge_rest(card_call *c)
{
    toi_resident *r = c->resident;
    toi_device *device = r->device;
    toi_complaint complaint = {""};
    if (!r->mesh) {
        c->answer.impacts = r->decided.data;
        c->answer.count = r->decided.count;
        return TOI_OK;
    }
    if (r->decided.count == 0 && c->answer.hard_count == 0)
        return TOI_OK;
    toi_take_turn(device);
    toi_status status =
        device->backend->merge(r->mesh, r->decided.data, r->decided.count, &c->answer, &complaint);
    toi_end_turn(device);
    return status == TOI_OK ? TOI_OK : toi_fail_complaint(status, &complaint);
}

static toi_status decide_all(listing *l, toi_residence residence)
{
    card_call *c = &l->call;
    toi_pipeline *p = &l->q->pipeline;
    *c = (card_call){.p = p, .consume = toi_consume_impacts, .context = l->q};
    if (l->list && p->workers >= TOI_LEAST_UNPACKERS && !has_loose(p))
        c->receive = receive;
    l->q->recorder = NULL;
    toi_status status = ask(c, TOI_CARD_ALL, residence, true);
    l->unpacked = l->unpacked && c->answer.delivery; // else the card had to find them once more
    if (status == TOI_OK && leaves_something(c))
        status = list_rest(l);
    else if (status == TOI_OK)
        c->resident->decided.count = 0;
    toi_tally *t = &l->q->tallies[0];
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        t->hits[kind] += c->answer.counts[kind]; // which are the card's alone until they are merged
    if (status == TOI_OK)
        status = merge_rest(c);
    if (status == TOI_OK && toi_is_earlier(&c->answer.earliest, &t->earliest))
        t->earliest = c->answer.earliest;
    return status;
}

typedef struct copying
{
    const toi_impact *from;
    toi_impact *to;
} copying;

static toi_status copy_piece(void *context, int64_t first, int64_t end)
{
    const copying *c = context;
    memcpy(c->to + first, c->from + first, (size_t)(end - first) * sizeof *c->to);
    return TOI_OK;
}

// Drops what the filter's function forbids; counts the rest anew.
static toi_status keep_allowed(toi_question *q, toi_impact *impacts, int64_t *count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < *count; ++i)
        if (is_allowed(&q->pipeline, &impacts[i]))
            impacts[kept++] = impacts[i];
    *count = kept;
    toi_reset_tallies(q);
    return kept > 0 ? toi_consume_impacts(q, impacts, kept, 0) : TOI_OK;
}

// Near the limit without the room that a growing list has.
static toi_status make_room(toi_budget *budget, toi_record_array *list, int64_t count)
{
    toi_status status =
        toi_reserve(budget, &list->data, &list->capacity, count, sizeof(toi_impact));
    if (status != TOI_ERROR_LIMIT)
        return status;
    toi_give_back(list->data);
    *list = (toi_record_array){NULL, 0, 0};
    return toi_reserve(budget, &list->data, &list->capacity, count, sizeof(toi_impact));
}

// Where they came packed and the list had no room for them as yet they are unpacked now.
static toi_status fill_list(listing *l)
{
    const toi_card_answer *answer = &l->call.answer;
    copying c = {answer->impacts, l->list->data};
    if (l->unpacked)
        return TOI_OK;
    if (!answer->delivery)
        return toi_parallel_ranges(l->call.p->workers, answer->count, COPY_PIECE, copy_piece, &c);
    return unpack(l, answer->delivery)
               ? TOI_OK
               : toi_fail(TOI_ERROR_UNSUPPORTED, "the impacts did not come from the card");
}

static toi_status copy_answer(listing *l)
{
    toi_pipeline *p = l->call.p;
    toi_record_array *list = l->list;
    toi_status status = make_room(p->budget, list, l->call.answer.count);
    if (status == TOI_OK)
        status = fill_list(l);
    if (status != TOI_OK)
        return status;
    list->count = l->call.answer.count;
    return has_rule(p) ? keep_allowed(l->q, list->data, &list->count) : TOI_OK;
}

toi_status toi_list_from_device(toi_question *q, toi_record_array *list)
{
    listing l = {.q = q, .list = list};
    toi_status status = decide_all(&l, TOI_ON_HOST);
    if (status == TOI_OK)
        status = copy_answer(&l);
    toi_detach(list->data);
    return status;
}

// ---- A view of them

// What the filter's function leaves is a list of the scene's own.
static toi_status view_allowed(listing *l, toi_impact_view *view)
{
    l->list = &l->call.resident->allowed;
    toi_status status = copy_answer(l);
    *view = (toi_impact_view){l->list->data, l->list->count};
    return status;
}

static toi_status view_impacts(toi_question *q, toi_residence residence, toi_impact_view *view)
{
    listing l = {.q = q};
    bool copied = has_rule(&q->pipeline);
    if (residence == TOI_ON_DEVICE && (copied || has_loose(&q->pipeline)))
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "impacts that a filter's function or loose points have a say in are not "
                        "left on the device as yet: use groups, or ask for them on the host");
    toi_status status = decide_all(&l, residence);
    if (status != TOI_OK || copied)
        return status == TOI_OK ? view_allowed(&l, view) : status;
    *view = (toi_impact_view){l.call.answer.impacts, l.call.answer.count};
    return TOI_OK;
}

static toi_status check_view(const toi_ccd_def *def, toi_residence residence,
                             const toi_impact_view *impacts)
{
    if (!impacts)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no place for the view");
    if (!def || !def->device)
        return toi_fail(TOI_ERROR_ARGUMENT, "the definition names no device; without one use "
                                            "toi_scene_find_impacts()");
    if (def->narrow.method == TOI_NARROW_INCLUSION_QUEUE)
        return refuse("views of impacts by inclusion-queue",
                      "use exact, or toi_scene_find_impacts()");
    if (residence != TOI_ON_HOST && residence != TOI_ON_DEVICE)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no residence number %d", (int)residence);
    return TOI_OK;
}

toi_status toi_scene_view_impacts(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                                  toi_point_view end, toi_residence residence,
                                  toi_impact_view *impacts, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    toi_question q;
    toi_impact_view found = {NULL, 0};
    if (impacts)
        *impacts = found;
    if (report)
        *report = (toi_ccd_report){.earliest.time = INFINITY, .first_inside.kind = TOI_KIND_COUNT};
    toi_status status = check_view(def, residence, impacts);
    if (status != TOI_OK)
        return status;
    status = toi_begin_question(&q, def, toi_device_step(def, scene, start, end), NULL);
    if (status == TOI_OK)
        status = view_impacts(&q, residence, &found);
    status = toi_end_question(&q, status, report);
    if (status == TOI_OK)
        *impacts = found;
    return status;
}
