// The certified search: one queue of boxes, triangles and parts by the time until which each is
// proved free. A long queue is worked off in rounds of its first nodes, by any number of workers.

#include "sdf/certified.h"
#include "sdf/vector.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

#include <string.h>

enum
{
    SMALL = 64, // nodes and parts that need no memory from the hooks
    LONG = 256, // from here on the queue is worked off in rounds
    ROUND = 64, // nodes a round
    TASK = 4    // nodes that are worth a task
};

// A node in the queue: a box (id < 0: ~id is the node), or a part.
typedef struct entry
{
    double time;
    int64_t id;
} entry;

// What a node was split into: boxes or parts with their times.
typedef struct outcome
{
    toi_face_part parts[4];
    double times[4];
} outcome;

// What a visit in a round has found.
typedef struct report
{
    entry node;
    toi_visit visit;
    toi_face_part part;
    outcome pieces;
    toi_searcher searcher;
} report;

typedef struct state
{
    toi_field_search search;
    toi_searcher main;
    entry *queue; // a heap
    int64_t count;
    int64_t capacity;
    toi_face_part *parts;
    int64_t part_count;
    int64_t part_capacity;
    int64_t *spare; // parts that may be used again
    int64_t spare_count;
    int64_t spare_capacity;
    report *reports; // ROUND of them, once needed
    int64_t report_count;
    double proved; // what is no longer in the queue is free until then
    double front;  // during a round: the time of the first node that is not in it
    entry queue_room[SMALL];
    toi_face_part part_room[SMALL];
    int64_t spare_room[SMALL];
} state;

static bool contradicts(const toi_field_search *search, const double a[3], double value_a,
                        double error_a, const double b[3], double value_b, double error_b)
{
    double e[3];
    toi_subtract(a, b, e);
    double most = search->lipschitz * toi_norm(e) * (1 + 0x1p-40) + error_a + error_b;
    return fabs(value_a - value_b) > most + 0x1p-50 * (fabs(value_a) + fabs(value_b));
}

static void check_lipschitz(toi_searcher *s, const double point[3], const toi_field_sample *sample)
{
    const toi_field_search *search = s->search;
    const double *other = NULL;
    if (contradicts(search, point, sample->value, sample->error, search->first_point,
                    search->first_value, search->first_error))
        other = search->first_point;
    if (s->has_last && contradicts(search, point, sample->value, sample->error, s->last,
                                   s->last_value, s->last_error))
        other = s->last;
    if (other && !s->failed) {
        s->failed = s->lied = true;
        memcpy(s->bad, point, sizeof s->bad);
        memcpy(s->bad_other, other, sizeof s->bad_other);
    }
    s->has_last = true;
    memcpy(s->last, point, sizeof s->last);
    s->last_value = sample->value;
    s->last_error = sample->error;
}

// A value that is not a number fails the search; a gradient becomes one.
static void mend_sample(toi_searcher *s, const double point[3], toi_field_sample *sample)
{
    if (!isfinite(sample->value) || !isfinite(sample->error)) {
        if (!s->failed)
            memcpy(s->bad, point, sizeof s->bad);
        s->failed = true;
        sample->value = sample->error = 0;
    }
    for (int k = 0; k < 3; ++k)
        if (!isfinite(sample->gradient[k]))
            sample->gradient[k] = 0;
}

void toi_search_sample(toi_searcher *s, const double point[3], toi_field_sample *sample)
{
    const toi_field_search *search = s->search;
    toi_sample_field(search->field, point, sample);
    ++s->evaluations;
    const double *g = sample->gradient;
    double all = sample->value + sample->error + g[0] + g[1] + g[2];
    if (!isfinite(all))
        mend_sample(s, point, sample);
    if (search->field->user)
        check_lipschitz(s, point, sample);
}

int toi_search_bound(toi_searcher *s, const toi_field_sample *sample, const double centre[3],
                     double radius, toi_minorant *minorants, int room)
{
    const toi_field *field = s->search->field;
    int count = toi_bound_above(field, sample, centre, radius, s->search->margin, minorants, room);
    if (count < 0 && !s->failed) {
        memcpy(s->bad, centre, sizeof s->bad);
        s->failed = true;
    }
    return count < 0 ? 0 : count;
}

static bool before(const entry *a, const entry *b)
{
    return a->time < b->time || (a->time == b->time && a->id < b->id);
}

static toi_status grow(void **data, int64_t *capacity, size_t size, const void *room)
{
    void *larger = toi_take(NULL, 4 * *capacity, size);
    if (!larger)
        return toi_allocation_status();
    memcpy(larger, *data, (size_t)*capacity * size);
    if (*data != room)
        toi_give_back(*data);
    *data = larger;
    *capacity *= 4;
    return TOI_OK;
}

static toi_status push(state *s, double time, int64_t id)
{
    if (s->count == s->capacity) {
        toi_status status = grow((void **)&s->queue, &s->capacity, sizeof *s->queue, s->queue_room);
        if (status != TOI_OK)
            return status;
    }
    entry node = {time, id};
    int64_t at = s->count++;
    while (at > 0 && before(&node, &s->queue[(at - 1) / 2])) {
        s->queue[at] = s->queue[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->queue[at] = node;
    return TOI_OK;
}

static entry pop(state *s)
{
    entry first = s->queue[0], last = s->queue[--s->count];
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= s->count)
            break;
        if (child + 1 < s->count && before(&s->queue[child + 1], &s->queue[child]))
            ++child;
        if (!before(&s->queue[child], &last))
            break;
        s->queue[at] = s->queue[child];
        at = child;
    }
    s->queue[at] = last;
    return first;
}

static toi_status keep_part(state *s, const toi_face_part *part, int64_t *id)
{
    if (s->spare_count > 0) {
        *id = s->spare[--s->spare_count];
    } else {
        if (s->part_count == s->part_capacity) {
            toi_status status =
                grow((void **)&s->parts, &s->part_capacity, sizeof *s->parts, s->part_room);
            if (status != TOI_OK)
                return status;
        }
        *id = s->part_count++;
    }
    s->parts[*id] = *part;
    return TOI_OK;
}

static toi_status drop_part(state *s, int64_t id)
{
    if (s->spare_count == s->spare_capacity) {
        toi_status status =
            grow((void **)&s->spare, &s->spare_capacity, sizeof *s->spare, s->spare_room);
        if (status != TOI_OK)
            return status;
    }
    s->spare[s->spare_count++] = id;
    return TOI_OK;
}

static toi_status push_part(state *s, double time, const toi_face_part *part)
{
    int64_t id;
    toi_status status = keep_part(s, part, &id);
    return status == TOI_OK ? push(s, time, id) : status;
}

static toi_status push_triangle(state *s, double time, int32_t triangle)
{
    toi_face_part part = {
        .place = {{0, 0}, {1, 0}, {0, 1}}, .triangle = triangle, .tried = INFINITY, .far = true};
    toi_question_corners(s->search.question, triangle, part.corner);
    return push_part(s, time, &part);
}

// A node enters the queue as a box, or as its triangles if it is a leaf.
static toi_status push_node(state *s, double time, int64_t node)
{
    const toi_box_tree *tree = &s->search.question->surface->tree;
    const toi_box_node *box = &tree->nodes[node];
    if (box->child)
        return push(s, time, ~node);
    toi_status status = TOI_OK;
    for (int32_t k = 0; k < box->count && status == TOI_OK; ++k)
        status = push_triangle(s, time, tree->order[box->first + k]);
    return status;
}

static toi_status open_box(state *s, const double times[2], int64_t node)
{
    int64_t child = s->search.question->surface->tree.nodes[node].child;
    toi_status status = push_node(s, times[0], child);
    return status == TOI_OK ? push_node(s, times[1], child + 1) : status;
}

// Enters what a visit has found. The part may be the node's own.
static toi_status enter(state *s, const entry *node, toi_visit visit, const toi_face_part *part,
                        const outcome *pieces)
{
    bool split = visit == TOI_VISIT_SPLIT;
    if (visit == TOI_VISIT_FREE) {
        s->proved = node->time < s->proved ? node->time : s->proved;
        return node->id < 0 ? TOI_OK : drop_part(s, node->id);
    }
    if (node->id < 0 && split)
        return open_box(s, pieces->times, ~node->id);
    if (node->id >= 0 && (split || part != &s->parts[node->id]))
        s->parts[node->id] = split ? pieces->parts[0] : *part;
    toi_status status = push(s, split ? pieces->times[0] : node->time, node->id);
    for (int k = 1; split && k < 4 && status == TOI_OK; ++k)
        status = push_part(s, pieces->times[k], &pieces->parts[k]);
    return status;
}

static toi_visit visit_node(toi_searcher *searcher, double front, entry *node, toi_face_part *part,
                            outcome *pieces)
{
    searcher->has_last = false;
    if (node->id < 0)
        return toi_visit_box(searcher, ~node->id, front, &node->time, pieces->times);
    return toi_visit_part(searcher, part, front, &node->time, pieces->parts, pieces->times);
}

static toi_status failure(const toi_searcher *s)
{
    const double *a = s->bad, *b = s->bad_other;
    if (s->lied)
        return toi_fail(TOI_ERROR_DATA,
                        "the field breaks its Lipschitz constant %g between (%.17g, %.17g, %.17g) "
                        "and (%.17g, %.17g, %.17g)",
                        s->search->field->lipschitz, a[0], a[1], a[2], b[0], b[1], b[2]);
    return toi_fail(
        TOI_ERROR_DATA,
        "the field's value or a bound of it is not a number, or not finite, or the bound "
        "is above the value, at (%.17g, %.17g, %.17g)",
        a[0], a[1], a[2]);
}

// One node after the other.
static toi_status visit_next(state *s)
{
    entry node = pop(s);
    outcome pieces;
    double front = s->count > 0 ? s->queue[0].time : INFINITY;
    toi_face_part *part = node.id >= 0 ? &s->parts[node.id] : NULL;
    toi_visit visit = visit_node(&s->main, front, &node, part, &pieces);
    return s->main.failed ? failure(&s->main) : enter(s, &node, visit, part, &pieces);
}

static toi_status work_round(void *context, int64_t first, int64_t end)
{
    state *s = context;
    for (int64_t i = first; i < end; ++i) {
        report *r = &s->reports[i];
        r->visit = visit_node(&r->searcher, s->front, &r->node, &r->part, &r->pieces);
    }
    return TOI_OK;
}

static toi_status merge_report(state *s, const report *r)
{
    s->main.nodes += r->searcher.nodes;
    s->main.evaluations += r->searcher.evaluations;
    if (r->searcher.best.time < s->main.best.time)
        s->main.best = r->searcher.best;
    if (r->searcher.failed)
        return failure(&r->searcher);
    return enter(s, &r->node, r->visit, &r->part, &r->pieces);
}

// The first nodes of the queue, none of which sees what another finds: so who does them does not
// matter. Which they are depends on the queue alone.
static toi_status visit_round(state *s)
{
    if (!s->reports)
        s->reports = toi_take(NULL, ROUND, sizeof *s->reports);
    if (!s->reports)
        return toi_allocation_status();
    for (int i = 0; i < ROUND; ++i) {
        report *r = &s->reports[i];
        r->node = pop(s);
        if (r->node.id >= 0)
            r->part = s->parts[r->node.id];
        r->searcher = s->main;
        r->searcher.nodes = r->searcher.evaluations = 0;
        r->searcher.node_limit = (s->main.node_limit - s->main.nodes) / ROUND;
    }
    s->front = s->queue[0].time;
    toi_status status =
        toi_parallel_ranges(s->search.question->workers, ROUND, TASK, work_round, s);
    for (int i = 0; i < ROUND && status == TOI_OK; ++i)
        status = merge_report(s, &s->reports[i]);
    return status;
}

static bool unfinished(const state *s)
{
    if (s->count == 0 || s->main.nodes >= s->main.node_limit)
        return false;
    return s->queue[0].time < toi_search_goal(&s->main);
}

static toi_status run(state *s)
{
    const toi_sdf_question *question = s->search.question;
    toi_status status = question->surface ? push_node(s, 0, 0) : push_triangle(s, 0, 0);
    while (status == TOI_OK && unfinished(s)) {
        bool many = s->count >= LONG && s->main.node_limit - s->main.nodes >= ROUND;
        status = many ? visit_round(s) : visit_next(s);
    }
    return status;
}

// What rounding may cost: docs/sdf.md, "Rounding".
static void prepare(const toi_sdf_question *question, toi_field_search *search)
{
    const toi_track *track = &question->track;
    const toi_sdf_def *def = question->def;
    *search = (toi_field_search){.question = question,
                                 .field = question->field,
                                 .track = track,
                                 .margin = def->margin,
                                 .tolerance = def->tolerance,
                                 .duration = track->duration > 0 ? track->duration : 0x1p-400,
                                 .touch = def->touch};
    search->lipschitz = question->field->lipschitz * (1 + 8 * TOI_UNIT);
    search->position_error = track->position_error;
    search->velocity_error = track->velocity_error;
    search->split_error = 2 * TOI_UNIT * track->reach;
    search->split_velocity_error = 2 * TOI_UNIT * track->speed;
    double place = track->position_error + TOI_PART_DEPTH * search->split_error +
                   8 * TOI_UNIT * track->speed * track->duration;
    search->rounding = search->lipschitz * place + 8 * TOI_UNIT * fabs(def->margin);
}

static void begin(const toi_sdf_question *question, state *s)
{
    prepare(question, &s->search);
    s->queue = s->queue_room;
    s->parts = s->part_room;
    s->spare = s->spare_room;
    s->capacity = s->part_capacity = s->spare_capacity = SMALL;
    s->count = s->part_count = s->spare_count = 0;
    s->reports = NULL;
    s->proved = INFINITY;
    s->main = (toi_searcher){.search = &s->search,
                             .frame.time = -1,
                             .best.time = INFINITY,
                             .node_limit = question->def->budget};
}

// Where the search begins, for a caller's own field.
static void sample_first(state *s)
{
    toi_corner corner[3];
    toi_field_sample sample;
    const toi_sdf_question *question = s->search.question;
    toi_question_corners(question, question->surface ? question->surface->tree.order[0] : 0,
                         corner);
    toi_track_place(toi_frame_at(&s->main, 0), &corner[0], s->search.first_point);
    toi_sample_field(s->search.field, s->search.first_point, &sample);
    s->search.first_value = sample.value;
    s->search.first_error = sample.error;
    toi_search_sample(&s->main, s->search.first_point, &sample);
}

// The point of contact. The touch distance is at least what was taken for contact there, which
// depends on the field's own rounding, and what is found now, from the whole triangle's corners.
static toi_status describe_hit(const state *s, toi_sdf_result *result)
{
    const toi_witness *best = &s->main.best;
    double margin = s->search.margin;
    result->state = TOI_SDF_HIT;
    // Only contact at the very start is found in a motion that takes no time.
    result->t_high = s->search.track->duration > 0 ? best->time : 0;
    result->triangle = best->triangle;
    result->u = best->u;
    result->v = best->v;
    toi_status status = toi_finish_hit(s->search.question, result);
    double found = result->distance - margin;
    found += 4 * TOI_UNIT * (fabs(result->distance) + fabs(margin));
    result->touch = best->touch > result->touch ? best->touch : result->touch;
    result->touch = found > result->touch ? found : result->touch;
    return status;
}

static toi_status conclude(state *s, toi_sdf_result *result)
{
    const toi_witness *best = &s->main.best;
    double low = s->search.duration, touch = 4 * s->search.rounding;
    if (s->count > 0 && s->queue[0].time < low)
        low = s->queue[0].time;
    low = s->proved < low ? s->proved : low;
    low = best->time < low ? best->time : low;
    low = s->search.track->duration < low ? s->search.track->duration : low;
    result->t_low = low;
    result->nodes = s->main.nodes;
    result->evaluations = s->main.evaluations;
    result->touch = touch > s->search.touch ? touch : s->search.touch;
    if (best->time < INFINITY)
        return describe_hit(s, result);
    // A node that is left before the end was not looked at for want of budget.
    if (s->count > 0 && s->queue[0].time < s->search.duration)
        result->state = TOI_SDF_UNDECIDED;
    return TOI_OK;
}

static void end(state *s)
{
    if (s->queue != s->queue_room)
        toi_give_back(s->queue);
    if (s->parts != s->part_room)
        toi_give_back(s->parts);
    if (s->spare != s->spare_room)
        toi_give_back(s->spare);
    toi_give_back(s->reports);
}

toi_status toi_search_certified(const toi_sdf_question *question, toi_sdf_result *result)
{
    state s;
    begin(question, &s);
    if (question->field->user)
        sample_first(&s);
    toi_status status = s.main.failed ? failure(&s.main) : run(&s);
    if (status == TOI_OK)
        status = conclude(&s, result);
    end(&s);
    return status;
}
