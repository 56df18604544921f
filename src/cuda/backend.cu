// The backend's table: questions about a mesh, and their answers.

#include "cuda/launch.cuh"
#include "cuda/queries.cuh"
#include "cuda/surface.cuh"

#include <cmath>
#include <cstring>
#include <pthread.h>

enum
{
    PACKERS = 4, // threads, and bytes for each of them at least
    PACKED_BYTES = 1 << 20,
    SPREAD_BYTES = 1 << 15,
    LEAST_STEPS = 8,         // that an order is kept
    LEAST_SCOUTED = 1 << 17, // slots: fewer are searched as quickly without scouts
    STEPS_IN_TIME = 100      // after one whose times could not be found late
};

// ---- Positions

// Points of one array to another that is packed, cut into even parts.
struct pack_job
{
    const char *from;
    char *to;
    int64_t stride, count, parts;
    size_t point;
};

static void pack_part(void *given, int64_t part)
{
    const pack_job *job = (const pack_job *)given;
    int64_t first = job->count * part / job->parts, last = job->count * (part + 1) / job->parts;
    if (job->stride == (int64_t)job->point) {
        size_t skipped = (size_t)first * job->point;
        memcpy(job->to + skipped, job->from + skipped, (size_t)(last - first) * job->point);
        return;
    }
    for (int64_t i = first; i < last; ++i)
        memcpy(job->to + (size_t)i * job->point, job->from + i * job->stride, job->point);
}

// A part for a thread of its own.
struct pack_thread
{
    pack_job *job;
    int64_t part;
    pthread_t thread;
    bool apart;
};

static void *pack_apart(void *given)
{
    const pack_thread *own = (const pack_thread *)given;
    pack_part(own->job, own->part);
    return NULL;
}

// By threads that are made for it.
static void pack_by_few(pack_job *job)
{
    pack_thread threads[PACKERS];
    for (int i = 0; i < (int)job->parts; ++i) {
        threads[i] = {job, i, {}, false};
        if (i + 1 < (int)job->parts)
            threads[i].apart =
                pthread_create(&threads[i].thread, NULL, pack_apart, &threads[i]) == 0;
        if (!threads[i].apart)
            pack_part(job, i);
    }
    for (int i = 0; i < (int)job->parts; ++i)
        if (threads[i].apart)
            pthread_join(threads[i].thread, NULL);
}

// One thread does not read memory as fast as a card does: the workers of a question take parts of
// arrays; where nobody has said who these are, a few threads take parts of long ones.
static void pack(const toi_card *card, const toi_point_view *view, int64_t stride, size_t point,
                 char *to)
{
    size_t bytes = (size_t)view->count * point, least = card->spread ? SPREAD_BYTES : PACKED_BYTES;
    int64_t parts = (int64_t)(bytes / least), most = card->spread ? parts : PACKERS;
    pack_job job = {(const char *)view->data, to, stride, view->count, parts, point};
    job.parts = parts > most ? most : parts > 1 ? parts : 1;
    if (card->spread)
        card->spread(card->spreader, job.parts, pack_part, &job);
    else
        pack_by_few(&job);
}

toi_status toi_find_source(toi_card *card, int64_t count, const toi_point_view *view,
                           toi_room *staged, toi_source *source, toi_complaint *complaint)
{
    size_t point = 3 * (view->scalar == TOI_FLOAT ? sizeof(float) : sizeof(double));
    cudaPointerAttributes at;
    memset(source, 0, sizeof *source);
    if (!view->data)
        return TOI_OK;
    if (view->count != count)
        return toi_complain(complaint, TOI_ERROR_DATA, "there are %lld positions for %lld vertices",
                            (long long)view->count, (long long)count);
    TOI_TRY(
        toi_check_cuda(cudaPointerGetAttributes(&at, view->data), "find the positions", complaint));
    source->stride = view->stride ? view->stride : (int64_t)point;
    if (at.type == cudaMemoryTypeUnregistered || !at.devicePointer) {
        TOI_TRY(toi_make_room(card, staged, (size_t)view->count * point, complaint));
        pack(card, view, source->stride, point, (char *)staged->data);
        source->data = staged->data;
        source->stride = (int64_t)point;
    } else if (at.type == cudaMemoryTypeDevice && at.device != card->info.number) {
        return toi_complain(complaint, TOI_ERROR_ARGUMENT,
                            "the positions are on card %d, the device is card %d", at.device,
                            card->info.number);
    } else {
        source->data = at.devicePointer;
    }
    source->is_float = view->scalar == TOI_FLOAT;
    source->packed = !source->is_float && source->stride == (int64_t)point &&
                     (uintptr_t)source->data % sizeof(double2) == 0;
    return TOI_OK;
}

// ---- Questions

static void set_header(toi_card_mesh *mesh, double t_max)
{
    toi_control *h = mesh->header;
    toi_source start = h->start, end = h->end;
    memset(h, 0, sizeof *h);
    h->start = start;
    h->end = end;
    h->number = ++mesh->questions;
    h->t_max = t_max;
    h->first_inside = ~(toi_count)0;
    for (int k = 0; k < 3; ++k)
        h->low[k] = ~(toi_count)0;
    memcpy(&h->limit, &t_max, sizeof h->limit);
}

// Room for what searches leave of as many pairs as the queue of those has, which becomes shorter
// where the limit does not allow it.
static toi_status make_found(toi_card_mesh *mesh, toi_complaint *complaint)
{
    const toi_count least = 4096;
    toi_status status = TOI_OK;
    while (mesh->step.apart) {
        toi_capacities n = mesh->capacities;
        status =
            toi_make_room(mesh->card, &mesh->found, n.left * sizeof(toi_apart_found), complaint);
        bool full = status == TOI_ERROR_LIMIT || status == TOI_ERROR_MEMORY;
        if (!full || n.left <= least)
            break;
        mesh->capacities.left = n.left / 2 > least ? n.left / 2 : least;
        TOI_TRY(toi_make_queues(mesh, &mesh->capacities, complaint));
    }
    mesh->step.found = (toi_apart_found *)mesh->found.data;
    return status;
}

// What a list takes that comes packed; false: there is no room for that, so it goes as it is.
static bool make_arrivals(toi_card_mesh *mesh)
{
    toi_complaint ignored;
    toi_card *card = mesh->card;
    size_t in_chunk = TOI_PACKED_CHUNK * TOI_PACKED_GROUP;
    size_t chunks = (mesh->capacities.hits + in_chunk - 1) / in_chunk;
    size_t counters = chunks * sizeof(uint32_t), old = mesh->arrived.bytes;
    size_t marks = chunks * sizeof(toi_chunk_mark);
    if (toi_make_room(card, &mesh->arrived, counters, &ignored) != TOI_OK ||
        toi_make_room(card, &mesh->marks_of_chunks, marks, &ignored) != TOI_OK)
        return false;
    mesh->step.arrived = (uint32_t *)mesh->arrived.data;
    mesh->step.marks = (toi_chunk_mark *)mesh->marks_of_chunks.data;
    // Whoever completes a chunk sets its counter back.
    return mesh->arrived.bytes == old ||
           cudaMemsetAsync(mesh->arrived.data, 0, mesh->arrived.bytes, card->stream) == cudaSuccess;
}

// Where the list goes: room for as many as the queue of hits has.
static toi_status make_list(toi_card_mesh *mesh, toi_complaint *complaint)
{
    TOI_TRY(make_found(mesh, complaint));
    toi_room *room = mesh->residence == TOI_ON_DEVICE ? &mesh->on_card : &mesh->on_host;
    if (mesh->goal == TOI_CARD_ALL)
        TOI_TRY(toi_make_room(mesh->card, room,
                              (mesh->capacities.hits + TOI_PACKED_GROUP) * sizeof(toi_impact),
                              complaint)); // of whole groups
    if (mesh->goal == TOI_CARD_NEAR)
        TOI_TRY(toi_make_room(mesh->card, room, mesh->capacities.hits * sizeof(toi_pair_name),
                              complaint));
    mesh->step.pack = mesh->step.pack && make_arrivals(mesh);
    mesh->step.sorted = (toi_impact *)room->data;
    mesh->step.near = (toi_pair_name *)room->data;
    return TOI_OK;
}

toi_status toi_set_sources(toi_card_mesh *mesh, const toi_point_view *start,
                           const toi_point_view *end, double t_max, toi_complaint *complaint)
{
    if (!end->data || (!start->data && !mesh->has_end))
        return toi_complain(complaint, TOI_ERROR_ARGUMENT,
                            "positions are missing: no step has ended on this card yet");
    mesh->has_end = false;
    mesh->step.apart = mesh->step.share = mesh->step.scouts = mesh->step.late = false;
    mesh->step.pack = mesh->delivered = false;
    toi_control *h = mesh->header;
    int64_t vertices = mesh->step.vertex_count;
    TOI_TRY(toi_find_source(mesh->card, vertices, start, &mesh->staged[0], &h->start, complaint));
    TOI_TRY(toi_find_source(mesh->card, vertices, end, &mesh->staged[1], &h->end, complaint));
    set_header(mesh, t_max);
    return TOI_OK;
}

static bool many_slots(const toi_card_mesh *mesh)
{
    int64_t slots = 0;
    for (const toi_slots &kind : mesh->step.slots)
        slots += kind.count;
    return slots >= LEAST_SCOUTED;
}

static toi_status prepare(toi_card_mesh *mesh, const toi_card_question *question,
                          toi_complaint *complaint)
{
    TOI_TRY(toi_check_cuda(cudaSetDevice(mesh->card->info.number), "be used", complaint));
    TOI_TRY(toi_set_sources(mesh, &question->start, &question->end, question->t_max, complaint));
    mesh->header->policy = toi_take_policy(&question->policy);
    mesh->goal = question->goal;
    mesh->residence = question->residence;
    mesh->measure = question->measure;
    mesh->step.on_host = mesh->residence == TOI_ON_HOST;
    mesh->step.defer = question->defer;
    mesh->step.apart = toi_keeps_apart(&question->policy);
    mesh->step.share = question->policy.relative > 0;
    mesh->in_time -= mesh->in_time > 0;
    mesh->step.late = mesh->goal == TOI_CARD_ALL && !mesh->step.apart && mesh->in_time == 0;
    mesh->step.scouts = mesh->goal == TOI_CARD_EARLIEST && many_slots(mesh);
    mesh->step.pack =
        mesh->goal == TOI_CARD_ALL && question->receive && mesh->step.on_host && !mesh->windowed;
    mesh->receive = question->receive;
    mesh->receiver = question->receiver;
    return make_list(mesh, complaint);
}

// ---- Queues that were too small

static bool overflowed(const toi_card_mesh *mesh, bool windows)
{
    const toi_control *seen = mesh->step.report;
    const toi_capacities *n = &mesh->capacities;
    bool over = toi_hit_count(seen) > n->hits || seen->hard.n > n->hard;
    for (int kind = 0; kind < 2 && !windows; ++kind)
        over =
            over || seen->block_pairs[kind].n > n->blocks || seen->window.pairs[kind].n > n->pairs;
    return over || (!windows && toi_left_count(&seen->window) > n->left);
}

static toi_count with_reserve(toi_count n)
{
    return n + n / 4 + 1024;
}

static toi_count larger_of(const toi_tally tallies[2])
{
    return tallies[0].n > tallies[1].n ? tallies[0].n : tallies[1].n;
}

// Room for what was counted, as far as the limit allows; what did not fit also kept later queues
// from being filled.
static toi_status grow(toi_card_mesh *mesh, bool windows, toi_complaint *complaint)
{
    const toi_control *seen = mesh->step.report;
    toi_capacities wanted = mesh->capacities;
    toi_count blocks = larger_of(seen->block_pairs), pairs = larger_of(seen->window.pairs);
    if (!windows && blocks > wanted.blocks)
        wanted.blocks = with_reserve(blocks);
    if (!windows && pairs > wanted.pairs)
        wanted.pairs = with_reserve(pairs);
    toi_count left = toi_left_count(&seen->window);
    if (!windows && left > wanted.left)
        wanted.left = with_reserve(left);
    if (toi_hit_count(seen) > wanted.hits && mesh->goal != TOI_CARD_EARLIEST)
        wanted.hits = with_reserve(toi_hit_count(seen));
    if (seen->hard.n > wanted.hard)
        wanted.hard = with_reserve(seen->hard.n);
    TOI_TRY(toi_make_queues(mesh, &wanted, complaint));
    if (mesh->capacities.hits < toi_hit_count(seen) && mesh->goal != TOI_CARD_EARLIEST)
        return toi_complain(
            complaint, TOI_ERROR_LIMIT,
            "%llu impacts or close pairs, or more, do not fit the card's memory limit of %lld "
            "bytes: allow more",
            toi_hit_count(seen), (long long)mesh->card->limit);
    return make_list(mesh, complaint);
}

// Would the queues hold what was counted?
static bool holds(const toi_card_mesh *mesh)
{
    const toi_control *seen = mesh->step.report;
    const toi_capacities *n = &mesh->capacities;
    return larger_of(seen->block_pairs) <= n->blocks && larger_of(seen->window.pairs) <= n->pairs &&
           toi_left_count(&seen->window) <= n->left;
}

// Of the earliest impacts only the least is wanted: what to look for next, where they do not fit.
static void look_for_ties(toi_card_mesh *mesh, bool complete)
{
    const toi_control *seen = mesh->step.report;
    toi_control *h = mesh->header;
    bool found = complete && h->ties == 1 && seen->limit == h->tied;
    if (h->ties == 0 && toi_hit_count(seen) <= mesh->capacities.hits)
        return;
    h->ties = found ? 2 : 1;
    h->limit = h->tied = seen->limit; // as early as any that was found so far
    h->least = found ? seen->least : ~(toi_count)0;
}

// Do times have to be known before the list is written? Where one could not be told, and where the
// list waits for the host or for a sort.
static bool is_too_late(const toi_card_mesh *mesh)
{
    const toi_control *seen = mesh->step.report;
    bool waits = seen->dense || (mesh->step.defer && seen->hard.n > 0);
    return mesh->step.late && (seen->untimed || waits);
}

// Again with larger queues, and in windows where they cannot be large enough.
static toi_status recover(toi_card_mesh *mesh, bool windows, toi_window_sums *sums,
                          toi_complaint *complaint)
{
    mesh->measure = false;
    for (;;) {
        bool over = overflowed(mesh, windows), late = is_too_late(mesh);
        if (!over && !late && mesh->header->ties != 1)
            return TOI_OK;
        if (!over && late) {
            mesh->step.late = false;
            mesh->in_time = STEPS_IN_TIME;
        }
        if (mesh->goal == TOI_CARD_EARLIEST)
            look_for_ties(mesh, !over);
        TOI_TRY(grow(mesh, windows, complaint));
        windows = windows || !holds(mesh);
        if (windows)
            TOI_TRY(toi_run_windows(mesh, sums, complaint));
        else
            TOI_TRY(toi_run_again(mesh, complaint));
    }
}

// ---- Answers

static toi_impact no_impact()
{
    toi_impact none;
    memset(&none, 0, sizeof none);
    none.time = INFINITY;
    return none;
}

// Of an answer that is one impact, or none.
static void set_counts(toi_card_answer *answer)
{
    answer->count = isfinite(answer->earliest.time) ? 1 : 0;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        answer->counts[kind] = answer->count > 0 && answer->earliest.kind == kind;
}

// One impact of a packed list.
static toi_impact read_packed(const toi_card_mesh *mesh, toi_count place)
{
    const toi_card_delivery *d = &mesh->delivery;
    toi_count at = place / TOI_PACKED_GROUP;
    int i = (int)(place % TOI_PACKED_GROUP);
    const toi_impact_group *group = &d->groups[at];
    uint64_t plain = d->marks[at / TOI_PACKED_CHUNK].word >> at % TOI_PACKED_CHUNK & 1;
    return plain ? group->plain[i] : toi_unpack_impact(&group->packed, i);
}

static void set_list(const toi_card_mesh *mesh, toi_card_answer *answer)
{
    const toi_control *seen = mesh->step.report;
    if (mesh->goal == TOI_CARD_EARLIEST) {
        answer->earliest = toi_hit_count(seen) > 0 ? *mesh->step.earliest : no_impact();
        answer->impacts = mesh->step.earliest;
        set_counts(answer);
        return;
    }
    answer->count = (int64_t)mesh->count;
    if (mesh->goal == TOI_CARD_NEAR) {
        answer->near = mesh->step.near;
        answer->earliest = no_impact();
        return;
    }
    answer->impacts = mesh->delivered ? NULL : mesh->step.sorted;
    answer->delivery = mesh->delivered ? &mesh->delivery : NULL;
    toi_count first = mesh->step.report->first;
    bool any = mesh->count > 0 && first != ~(toi_count)0;
    answer->earliest = !any                 ? no_impact()
                       : mesh->delivered    ? read_packed(mesh, first)
                       : mesh->step.on_host ? answer->impacts[first]
                                            : *mesh->step.earliest;
}

static void set_inside(const toi_control *seen, toi_card_answer *answer)
{
    toi_count key = seen->first_inside;
    answer->inside = (int64_t)seen->inside;
    if (answer->inside > 0)
        answer->first_inside = {key >> 63 ? TOI_EDGE_EDGE : TOI_VERTEX_FACE,
                                (int32_t)(key >> 32 & 0x7fffffff), (int32_t)(uint32_t)key};
}

void toi_set_stages(const toi_card_mesh *mesh, toi_device_report *report)
{
    report->stage_count = mesh->marks > 0 ? mesh->marks - 1 : 0;
    for (int i = 0; i < report->stage_count; ++i) {
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, mesh->events[i], mesh->events[i + 1]);
        report->stage_names[i] = mesh->stages[i];
        report->stage_seconds[i] = 1e-3 * milliseconds;
    }
}

int64_t toi_bytes_sent(const toi_card_mesh *mesh, const toi_point_view *view)
{
    size_t point = 3 * (view->scalar == TOI_FLOAT ? sizeof(float) : sizeof(double));
    return view->data ? mesh->step.vertex_count * (int64_t)point : 0;
}

int64_t toi_list_bytes(const toi_card_mesh *mesh)
{
    toi_count n = mesh->count, plain = mesh->step.report->plain;
    toi_count groups = (n + TOI_PACKED_GROUP - 1) / TOI_PACKED_GROUP;
    if (!mesh->delivered)
        return (int64_t)(n * sizeof(toi_impact));
    return (int64_t)((groups - plain) * sizeof(toi_packed_impacts) +
                     plain * sizeof(toi_impact_group));
}

static void set_report(const toi_card_mesh *mesh, const toi_card_question *question,
                       const toi_window_sums *sums, toi_device_report *report)
{
    const toi_control *seen = mesh->step.report;
    toi_set_stages(mesh, report);
    report->bytes_up = toi_bytes_sent(mesh, &question->start);
    report->bytes_up += toi_bytes_sent(mesh, &question->end);
    report->bytes_down =
        (int64_t)(sizeof *seen + seen->hard.n * (sizeof(toi_pair_name) + sizeof(toi_query)));
    if (mesh->residence == TOI_ON_HOST && mesh->goal == TOI_CARD_ALL)
        report->bytes_down += toi_list_bytes(mesh);
    report->peak_bytes = mesh->card->peak;
    report->windows = sums->windows > 0 ? (int64_t)sums->windows : 1;
    report->hard = (int64_t)seen->hard.n;
    const toi_in_window *w = &seen->window;
    toi_count left[2] = {toi_left_count(w) - toi_left_edges(w), toi_left_edges(w)};
    for (int kind = 0; kind < 2; ++kind) {
        report->tested[kind] = (int64_t)(sums->windows > 0 ? sums->tested[kind] : w->pairs[kind].n);
        report->left[kind] = (int64_t)(sums->windows > 0 ? sums->left[kind] : left[kind]);
    }
    toi_set_work(mesh, report);
}

// Primitives that were neighbours drift apart: then there are more and more pairs of blocks.
static void judge_order(toi_card_mesh *mesh, bool windows)
{
    const toi_control *seen = mesh->step.report;
    toi_count pairs = seen->block_pairs[0].n + seen->block_pairs[1].n;
    toi_count *fresh = &mesh->fresh[seen->shortened != 0];
    mesh->since = mesh->ordered ? mesh->since + 1 : 0;
    if (!mesh->ordered)
        mesh->fresh[0] = mesh->fresh[1] = 0;
    if (*fresh == 0 && !windows)
        *fresh = pairs;
    bool loose = *fresh > 0 && pairs > *fresh + *fresh / 2 + 1024;
    mesh->ordered = windows || mesh->since < LEAST_STEPS || !loose;
}

static toi_status find(toi_card_mesh *mesh, const toi_card_question *question,
                       toi_card_answer *answer, toi_complaint *complaint)
{
    toi_window_sums sums = {{0, 0}, {0, 0}, 0};
    const toi_control *seen = mesh->step.report;
    TOI_TRY(prepare(mesh, question, complaint));
    bool windows = mesh->windowed; // then there is no use in trying all at once
    TOI_TRY(windows ? toi_run_boxes(mesh, complaint) : toi_run_whole(mesh, complaint));
    if (seen->infinite) {
        answer->infinite = true;
        return TOI_OK;
    }
    if (windows)
        TOI_TRY(toi_run_windows(mesh, &sums, complaint));
    TOI_TRY(recover(mesh, windows, &sums, complaint));
    mesh->windowed = sums.windows > 1;
    mesh->count = toi_hit_count(seen);
    judge_order(mesh, sums.windows > 0);
    mesh->has_end = true;
    bool deferred = question->defer && seen->hard.n > 0;
    if (mesh->goal == TOI_CARD_ALL && seen->crowded && !deferred)
        TOI_TRY(toi_run_order(mesh, complaint));
    for (int kind = 0; kind < 2; ++kind)
        answer->counts[kind] = (int64_t)seen->hits[kind].n;
    set_list(mesh, answer);
    if (mesh->goal == TOI_CARD_ALL && deferred) {
        answer->impacts = NULL;
        answer->earliest = no_impact();
    }
    set_inside(seen, answer);
    answer->hard = mesh->step.hard;
    answer->queries = mesh->step.queries;
    answer->hard_count = (int64_t)seen->hard.n;
    set_report(mesh, question, &sums, &answer->report);
    return TOI_OK;
}

toi_status toi_find_on_card(void *on, const toi_card_question *question, toi_card_answer *answer,
                            toi_complaint *complaint)
{
    toi_card_mesh *mesh = (toi_card_mesh *)on;
    memset(answer, 0, sizeof *answer);
    if (mesh->step.vertex_count == 0) {
        answer->earliest = no_impact();
        return TOI_OK;
    }
    mesh->card->spread = question->spread;
    mesh->card->spreader = question->spreader;
    toi_status status = find(mesh, question, answer, complaint);
    mesh->card->spread = NULL;
    if (status != TOI_OK) {
        cudaStreamSynchronize(mesh->card->stream);
        cudaGetLastError();
        mesh->has_end = mesh->ordered = mesh->windowed = false;
    }
    return status;
}

// ---- Impacts from the host

static bool is_before(const toi_impact *a, const toi_impact *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static void merge_earliest(toi_card_mesh *mesh, const toi_impact *impacts, int64_t count,
                           toi_card_answer *answer)
{
    for (int64_t i = 0; i < count; ++i)
        if (is_before(&impacts[i], &answer->earliest))
            answer->earliest = impacts[i];
    *mesh->step.earliest = answer->earliest;
    answer->impacts = mesh->step.earliest;
    set_counts(answer);
}

// Hits at one end of a queue to the same end of another.
static cudaError_t copy_hits(const toi_card_mesh *mesh, const toi_step *old, int kind)
{
    const toi_step *s = &mesh->step;
    toi_count n = s->report->hits[kind].n;
    toi_count from = kind == TOI_EDGE_EDGE ? old->hit_capacity - n : 0;
    toi_count to = kind == TOI_EDGE_EDGE ? s->hit_capacity - n : 0;
    cudaError_t error = cudaMemcpyAsync(s->hits + to, old->hits + from, n * sizeof *s->hits,
                                        cudaMemcpyDeviceToDevice, mesh->card->stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(s->orders + to, old->orders + from, n * sizeof *s->orders,
                                cudaMemcpyDeviceToDevice, mesh->card->stream);
    return error;
}

// A longer queue of hits that keeps what it has.
static toi_status lengthen_hits(toi_card_mesh *mesh, toi_count count, toi_complaint *complaint)
{
    if (count <= mesh->capacities.hits)
        return TOI_OK;
    toi_step old = mesh->step;
    toi_room room = mesh->hits;
    toi_capacities wanted = mesh->capacities;
    wanted.hits = with_reserve(count);
    memset(&mesh->hits, 0, sizeof mesh->hits);
    mesh->capacities.hits = 0;
    toi_status status = toi_make_queues(mesh, &wanted, complaint);
    if (status == TOI_OK && mesh->capacities.hits < count)
        status = toi_complain(complaint, TOI_ERROR_LIMIT,
                              "%llu impacts do not fit the card's memory limit of %lld bytes: "
                              "allow more",
                              count, (long long)mesh->card->limit);
    cudaError_t error = cudaSuccess;
    for (int kind = 0; kind < 2 && status == TOI_OK && error == cudaSuccess; ++kind)
        error = copy_hits(mesh, &old, kind);
    cudaStreamSynchronize(mesh->card->stream);
    toi_free_room(mesh->card, &room);
    TOI_TRY(status);
    TOI_TRY(toi_check_cuda(error, "copy impacts", complaint));
    return make_list(mesh, complaint);
}

// Room for `count` impacts where the list is; what is there stays only where it is put in order
// again.
static toi_status send_impacts(toi_card_mesh *mesh, toi_impact *to, const toi_impact *impacts,
                               int64_t count, toi_complaint *complaint)
{
    if (count == 0)
        return TOI_OK;
    return toi_check_cuda(cudaMemcpyAsync(to, impacts, (size_t)count * sizeof *impacts,
                                          cudaMemcpyDefault, mesh->card->stream),
                          "take impacts", complaint);
}

// Impacts of surfaces join the card's; those of loose points come after all of them, and are in
// order already.
static toi_status merge(toi_card_mesh *mesh, const toi_impact *impacts, int64_t count,
                        toi_card_answer *answer, toi_complaint *complaint)
{
    int64_t joining = 0;
    while (joining < count && impacts[joining].kind < TOI_PAIR_KINDS)
        ++answer->counts[impacts[joining++].kind];
    toi_count first = mesh->count, last = first + (toi_count)joining, loose = count - joining;
    TOI_TRY(toi_check_cuda(cudaSetDevice(mesh->card->info.number), "be used", complaint));
    TOI_TRY(lengthen_hits(mesh, last + loose, complaint));
    TOI_TRY(toi_make_room(mesh->card, &mesh->decided, (size_t)joining * sizeof *impacts + 1,
                          complaint));
    mesh->step.decided = (toi_impact *)mesh->decided.data;
    TOI_TRY(send_impacts(mesh, mesh->step.decided, impacts, joining, complaint));
    toi_start_count(mesh->card, &mesh->step, {first, last});
    mesh->count = last;
    TOI_TRY(toi_run_order(mesh, complaint));
    bool deferred = !answer->impacts;
    toi_impact earliest = answer->earliest;
    set_list(mesh, answer);
    if (!deferred)
        answer->earliest = earliest;
    answer->count += (int64_t)loose;
    TOI_TRY(
        send_impacts(mesh, mesh->step.sorted + last, impacts + joining, (int64_t)loose, complaint));
    return toi_check_cuda(cudaStreamSynchronize(mesh->card->stream), "finish its work", complaint);
}

toi_status toi_merge_on_card(void *on, const toi_impact *impacts, int64_t count,
                             toi_card_answer *answer, toi_complaint *complaint)
{
    toi_card_mesh *mesh = (toi_card_mesh *)on;
    if (mesh->goal == TOI_CARD_EARLIEST) {
        merge_earliest(mesh, impacts, count, answer);
        return TOI_OK;
    }
    if (count == 0 && answer->impacts)
        return TOI_OK;
    toi_status status = merge(mesh, impacts, count, answer, complaint);
    if (status != TOI_OK)
        mesh->has_end = mesh->ordered = false;
    return status;
}

// ---- The table

extern "C" TOI_API const toi_backend *toi_backend_of_cuda(uint32_t version)
{
    static const toi_backend backend = {
        TOI_BACKEND_VERSION,   toi_open_card,          toi_close_card,
        toi_allocate_locked,   toi_release_locked,     toi_is_on_card,
        toi_make_card_mesh,    toi_free_card_mesh,     toi_find_on_card,
        toi_merge_on_card,     toi_find_pairs_on_card, toi_solve_on_card,
        toi_make_card_surface, toi_free_card_surface,  toi_find_overlaps_on_card,
    };
    return version == TOI_BACKEND_VERSION ? &backend : NULL;
}
