// A backend without a card: it answers by asking the library on the processor, leaves some pairs to
// the host as a card does, and fails where it is told to. For tests of the host's side alone.

#define _GNU_SOURCE // MAP_ANONYMOUS
#include "fake_backend.h"

#include "device/backend.h"
#include "device/packed_impact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT extern fake_knobs toi_fake_knobs;
fake_knobs toi_fake_knobs;
static fake_knobs *const knobs = &toi_fake_knobs;

typedef struct fake_mesh
{
    int64_t vertex_count;
    toi_edge_array edges;
    int32_t *faces;
    int64_t face_count;
    int32_t *groups;
    double *start, *end;
    bool has_end;
    bool loose; // there are vertices of no face and no edge
    toi_impact_array impacts;
    toi_impact *list; // of them, what is not left to the host
    int64_t count;
    toi_residence residence;
    toi_card_policy policy;
    toi_pair_array hard_pairs[TOI_PAIR_KINDS];
    toi_pair_name *hard;
    toi_query *queries;
    // Of a list that comes packed.
    toi_impact_group *packed;
    toi_chunk_mark *marks;
    uint64_t number, begun, coming;
    toi_card_delivery delivery;
} fake_mesh;

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void *copy_of(const void *data, size_t size)
{
    return data ? memcpy(must(malloc(size + 1)), data, size) : NULL;
}

static toi_status end_as(toi_status status, const char *what, toi_complaint *complaint)
{
    if (status != TOI_OK)
        snprintf(complaint->text, sizeof complaint->text, "fake card: %s has failed", what);
    return status;
}

// ---- Cards

static toi_status open_card(const toi_device_def *def, void **card, toi_device_info *info,
                            toi_complaint *complaint)
{
    if (knobs->open != TOI_OK)
        return end_as(knobs->open, "opening it", complaint);
    if (!knobs->card_memory) {
        knobs->card_memory =
            mmap(NULL, FAKE_CARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        knobs->shadow = must(calloc(1, FAKE_CARD_BYTES));
    }
    ++knobs->cards;
    *card = must(malloc(1));
    *info = (toi_device_info){.name = "fake",
                              .number = def->number,
                              .count = 1,
                              .memory_rate = 4e9,
                              .bus_rate = 1e9,
                              .issue_rate = 8e9};
    return TOI_OK;
}

static void close_card(void *card)
{
    --knobs->cards;
    free(card);
}

static toi_status allocate(void *card, size_t size, void **memory, toi_complaint *complaint)
{
    (void)card;
    *memory = size < (size_t)1 << 40 ? malloc(size) : NULL;
    knobs->blocks += *memory != NULL;
    return end_as(*memory ? TOI_OK : TOI_ERROR_MEMORY, "allocating", complaint);
}

static void release(void *card, void *memory)
{
    (void)card;
    --knobs->blocks;
    free(memory);
}

static bool is_on_card(void *card, const void *memory)
{
    (void)card;
    uintptr_t at = (uintptr_t)memory, first = (uintptr_t)knobs->card_memory;
    return first && at >= first && at - first < FAKE_CARD_BYTES;
}

// ---- Meshes

static bool has_loose(const fake_mesh *m)
{
    bool *used = must(calloc((size_t)m->vertex_count + 1, sizeof *used)), loose = false;
    for (int64_t i = 0; i < 2 * m->edges.count; ++i)
        used[m->edges.data[i / 2][i % 2]] = true;
    for (int64_t i = 0; i < 3 * m->face_count; ++i)
        used[m->faces[i]] = true;
    for (int64_t i = 0; i < m->vertex_count; ++i)
        loose |= !used[i];
    free(used);
    return loose;
}

static toi_status make_mesh(void *card, const toi_card_topology *t, void **mesh,
                            toi_complaint *complaint)
{
    (void)card;
    if (knobs->make_mesh != TOI_OK)
        return end_as(knobs->make_mesh, "making a mesh", complaint);
    size_t index = sizeof(int32_t), point = 3 * sizeof(double);
    fake_mesh *m = must(calloc(1, sizeof *m));
    m->vertex_count = t->vertex_count;
    m->edges.data = copy_of(t->edges, 2 * index * (size_t)t->edge_count);
    m->edges.count = t->edge_count;
    m->faces = copy_of(t->faces, 3 * index * (size_t)t->face_count);
    m->face_count = t->face_count;
    m->groups = copy_of(t->groups, index * (size_t)t->vertex_count);
    m->loose = has_loose(m);
    m->start = must(malloc(point * (size_t)t->vertex_count + 1));
    m->end = must(malloc(point * (size_t)t->vertex_count + 1));
    ++knobs->meshes;
    ++knobs->meshes_made;
    *mesh = m;
    return TOI_OK;
}

static void free_mesh(void *mesh)
{
    fake_mesh *m = mesh;
    free(m->edges.data);
    free(m->faces);
    free(m->groups);
    free(m->start);
    free(m->end);
    free(m->hard);
    free(m->queries);
    free(m->list);
    free(m->packed);
    free(m->marks);
    toi_free_impacts(&m->impacts);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_free_pairs(&m->hard_pairs[kind]);
    free(m);
    --knobs->meshes;
}

static toi_mesh view_mesh(const fake_mesh *m)
{
    toi_mesh mesh = toi_make_mesh(m->start, m->end, m->vertex_count, m->faces, m->face_count);
    mesh.edges = toi_view_edges(&m->edges);
    return mesh;
}

// Copies positions from wherever they are; true: all are finite.
static bool load(const toi_point_view *view, double *to)
{
    bool single = view->scalar == TOI_FLOAT, finite = true;
    int64_t packed = 3 * (int64_t)(single ? sizeof(float) : sizeof(double));
    const char *data = view->data;
    if (is_on_card(NULL, data))
        data = knobs->shadow + (data - knobs->card_memory);
    for (int64_t i = 0; i < view->count; ++i) {
        const char *at = data + i * (view->stride ? view->stride : packed);
        for (int k = 0; k < 3; ++k) {
            float x;
            if (single) {
                memcpy(&x, at + (size_t)k * sizeof x, sizeof x);
                to[3 * i + k] = (double)x;
            } else
                memcpy(&to[3 * i + k], at + (size_t)k * sizeof *to, sizeof *to);
            finite &= isfinite(to[3 * i + k]) != 0;
        }
    }
    return finite;
}

// ---- Questions

static bool is_chosen(int32_t kind, int32_t a, int32_t b)
{
    uint32_t key = (uint32_t)kind * 7919u + (uint32_t)a * 31u + (uint32_t)b;
    return knobs->hard_every > 0 && key % (uint32_t)knobs->hard_every == 0;
}

// A card cannot do all of a policy, nor may it count pairs of loose points: then everything is
// left.
static bool is_hard(const fake_mesh *m, int32_t kind, int32_t a, int32_t b)
{
    bool apart = m->policy.separation > 0 || m->policy.relative > 0;
    if (apart && (m->policy.leave_inside || m->policy.small_time >= 0 || m->loose))
        return true;
    return is_chosen(kind, a, b);
}

// Those that are hard, whether they are hit or not.
static toi_status list_hard(fake_mesh *m, const toi_ccd_def *def, toi_card_answer *answer)
{
    toi_mesh mesh = view_mesh(m);
    int64_t count = 0;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        toi_pair_array *pairs = &m->hard_pairs[kind];
        toi_status status = toi_find_candidates(def, &mesh, (toi_kind)kind, pairs, NULL);
        if (status != TOI_OK)
            return status;
        m->hard = must(realloc(m->hard, (size_t)(count + pairs->count + 1) * sizeof *m->hard));
        m->queries =
            must(realloc(m->queries, (size_t)(count + pairs->count + 1) * sizeof *m->queries));
        for (int64_t i = pairs->count; i-- > 0;) { // in any order
            toi_pair pair = pairs->data[i];
            if (!is_hard(m, kind, pair.a, pair.b))
                continue;
            m->hard[count] = (toi_pair_name){kind, pair.a, pair.b};
            m->queries[count++] = toi_gather_query(&mesh, (toi_kind)kind, pair);
        }
    }
    answer->hard = m->hard;
    answer->queries = m->queries;
    answer->hard_count = count;
    return TOI_OK;
}

static void list_impacts(fake_mesh *m, toi_card_answer *answer)
{
    m->list = must(realloc(m->list, (size_t)(m->impacts.count + 1) * sizeof *m->list));
    for (int64_t i = 0; i < m->impacts.count; ++i) {
        const toi_impact *impact = &m->impacts.data[i];
        if (impact->kind >= TOI_PAIR_KINDS || is_hard(m, impact->kind, impact->a, impact->b))
            continue;
        ++answer->counts[impact->kind];
        if (impact->time < answer->earliest.time) // of equal ones the first in the list
            answer->earliest = *impact;
        m->list[answer->count++] = *impact;
    }
}

// Returns false where they do not fit.
static bool pack_group(const toi_impact *impacts, int64_t count, toi_packed_impacts *group)
{
    bool fits = true;
    for (int i = 0; i < TOI_PACKED_GROUP; ++i) {
        uint64_t words[TOI_PACKED_WORDS];
        const toi_impact *impact = &impacts[i < count ? i : count - 1];
        fits = toi_pack_impact(impact, &group->firsts[i], words) && fits;
        for (int k = 0; k < TOI_PACKED_WORDS; ++k)
            group->words[k][i] = words[k];
    }
    return fits;
}

static void pack_list(fake_mesh *m, int64_t count)
{
    int64_t of_chunk = TOI_PACKED_GROUP * TOI_PACKED_CHUNK,
            chunks = (count + of_chunk - 1) / of_chunk;
    free(m->packed);
    free(m->marks);
    m->packed = must(malloc((size_t)(chunks + 1) * TOI_PACKED_CHUNK * sizeof *m->packed));
    m->marks = must(calloc((size_t)chunks + 1, sizeof *m->marks));
    for (int64_t i = 0; i < count; i += TOI_PACKED_GROUP) {
        toi_impact_group *group = &m->packed[i / TOI_PACKED_GROUP];
        uint64_t *word = &m->marks[i / of_chunk].word;
        int64_t rest = count - i, at = i / TOI_PACKED_GROUP % TOI_PACKED_CHUNK;
        bool fits = pack_group(m->list + i, rest, &group->packed);
        *word |= m->number << TOI_PACKED_CHUNK;
        if (fits && at != 1)
            continue;
        *word |= (uint64_t)1 << at;
        for (int k = 0; k < TOI_PACKED_GROUP && k < rest; ++k)
            group->plain[k] = m->list[i + k];
    }
}

static bool runs(const void *mesh)
{
    (void)mesh;
    return false;
}

static void deliver(fake_mesh *m, const toi_card_question *question, toi_card_answer *answer)
{
    ++m->number;
    pack_list(m, answer->count);
    m->begun = knobs->undelivered ? 0 : m->number;
    m->coming = (uint64_t)answer->count;
    m->delivery = (toi_card_delivery){.number = m->number,
                                      .begun = &m->begun,
                                      .count = &m->coming,
                                      .marks = m->marks,
                                      .groups = m->packed,
                                      .runs = runs,
                                      .mesh = m};
    question->receive(question->receiver, &m->delivery);
    if (knobs->undelivered)
        return;
    answer->impacts = NULL;
    answer->delivery = &m->delivery;
    ++knobs->delivered;
}

// Where it was asked for: on the card that is the second half of its memory.
static toi_status place_list(fake_mesh *m, toi_card_answer *answer, toi_complaint *complaint)
{
    size_t bytes = (size_t)answer->count * sizeof *m->list, half = FAKE_CARD_BYTES / 2;
    answer->impacts = m->list;
    if (m->residence == TOI_ON_HOST)
        return TOI_OK;
    if (bytes > half)
        return end_as(TOI_ERROR_MEMORY, "placing the list", complaint);
    memcpy(knobs->shadow + half, m->list, bytes);
    answer->impacts = (const toi_impact *)(const void *)(knobs->card_memory + half);
    return TOI_OK;
}

static toi_status answer_all(fake_mesh *m, const toi_card_question *question,
                             toi_card_answer *answer)
{
    toi_mesh mesh = view_mesh(m);
    toi_ccd_report report;
    toi_ccd_def def = toi_default_ccd_def();
    def.filter = (toi_filter){.groups = m->groups, .group_count = m->groups ? m->vertex_count : 0};
    def.narrow.t_max = question->t_max;
    def.narrow.min_separation = question->policy.separation;
    def.zero_time.relative_separation = question->policy.relative;
    m->policy = question->policy;
    def.workers = 1;
    toi_status status = toi_find_impacts(&def, &mesh, &m->impacts, &report);
    if (status == TOI_OK)
        status = list_hard(m, &def, answer);
    if (status != TOI_OK)
        return status;
    list_impacts(m, answer);
    bool all = knobs->hard_every == 0 && !is_hard(m, 0, 0, 0);
    answer->inside = all ? report.inside : 0;
    answer->first_inside = report.first_inside;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        answer->report.tested[kind] = report.tested[kind];
    return TOI_OK;
}

// More than what is close: every candidate.
static toi_status answer_near(fake_mesh *m, const toi_card_question *question,
                              toi_card_answer *answer)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.filter = (toi_filter){.groups = m->groups, .group_count = m->groups ? m->vertex_count : 0};
    def.narrow.min_separation = question->policy.separation;
    def.workers = 1;
    m->policy = (toi_card_policy){.separation = 1, .leave_inside = true}; // all are hard
    toi_status status = list_hard(m, &def, answer);
    answer->near = m->hard;
    answer->count = answer->hard_count;
    answer->hard_count = 0;
    return status;
}

static toi_status find(void *mesh, const toi_card_question *question, toi_card_answer *answer,
                       toi_complaint *complaint)
{
    fake_mesh *m = mesh;
    ++knobs->finds;
    *answer = (toi_card_answer){.earliest.time = INFINITY};
    if (knobs->find != TOI_OK) {
        m->has_end = false;
        return end_as(knobs->find, "finding impacts", complaint);
    }
    if (!question->start.data && !m->has_end)
        return end_as(TOI_ERROR_ARGUMENT, "going on from no end", complaint);
    bool finite = true;
    if (question->start.data)
        finite = load(&question->start, m->start);
    else {
        memcpy(m->start, m->end, 3 * sizeof *m->start * (size_t)m->vertex_count);
        ++knobs->resumed;
    }
    finite &= load(&question->end, m->end);
    m->has_end = finite;
    answer->infinite = !finite;
    answer->report.stage_count = question->measure;
    // At its ceilings 5, 1 and 4 us: of the time below 10 %.
    answer->report.stage_work[0] = (toi_device_work){20000, 1000, 32000};
    answer->report.stage_seconds[0] = 5e-5;
    answer->report.stage_names[0] = "all";
    if (!finite)
        return TOI_OK;
    m->residence = question->residence;
    if (question->goal == TOI_CARD_NEAR)
        return end_as(answer_near(m, question, answer), "finding close pairs", complaint);
    toi_status status = answer_all(m, question, answer);
    if (status != TOI_OK)
        return end_as(status, "finding impacts", complaint);
    if (question->goal == TOI_CARD_EARLIEST) // only what may be the earliest need be there
        answer->count = 0;
    m->count = answer->count;
    if (question->goal == TOI_CARD_ALL && question->defer && answer->hard_count > 0) {
        answer->earliest = (toi_impact){.time = INFINITY};
        answer->count = 0;
        return TOI_OK;
    }
    toi_status placed = place_list(m, answer, complaint);
    if (placed == TOI_OK && question->receive && knobs->packed && answer->count > 0)
        deliver(m, question, answer);
    return placed;
}

static bool is_before(const toi_impact *a, const toi_impact *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static toi_status merge(void *mesh, const toi_impact *impacts, int64_t count,
                        toi_card_answer *answer, toi_complaint *complaint)
{
    fake_mesh *m = mesh;
    if (knobs->merge != TOI_OK)
        return end_as(knobs->merge, "merging", complaint);
    int64_t old = m->count, i = 0, j = 0;
    bool deferred = !answer->impacts;
    toi_impact *to = must(malloc((size_t)(old + count + 1) * sizeof *to));
    while (i < old || j < count) {
        bool second = i == old || (j < count && is_before(&impacts[j], &m->list[i]));
        to[i + j] = second ? impacts[j] : m->list[i];
        if (second && impacts[j].kind < TOI_PAIR_KINDS)
            ++answer->counts[impacts[j].kind];
        if (deferred && to[i + j].time < answer->earliest.time)
            answer->earliest = to[i + j];
        *(second ? &j : &i) += 1;
    }
    free(m->list);
    m->list = to;
    m->count = answer->count = old + count;
    return place_list(m, answer, complaint);
}

// ---- Candidates

static toi_status load_step(fake_mesh *m, const toi_card_search *search, bool *finite)
{
    *finite = true;
    if (search->same_step)
        return m->has_end ? TOI_OK : TOI_ERROR_ARGUMENT;
    if (!search->start.data && !m->has_end)
        return TOI_ERROR_ARGUMENT;
    if (search->start.data)
        *finite = load(&search->start, m->start);
    else
        memcpy(m->start, m->end, 3 * sizeof *m->start * (size_t)m->vertex_count);
    *finite &= load(&search->end, m->end);
    ++knobs->sent;
    m->has_end = *finite;
    return TOI_OK;
}

// By brute force on the processor, with a separation that has this radius; handed on in parts, and
// out of order where that is not asked for.
static toi_status list_pairs(fake_mesh *m, const toi_card_search *search)
{
    toi_mesh mesh = view_mesh(m);
    toi_ccd_def def = toi_default_ccd_def();
    def.filter = (toi_filter){.groups = m->groups, .group_count = m->groups ? m->vertex_count : 0};
    def.narrow.min_separation = 2 * search->radius;
    def.float_boxes = search->float_boxes;
    def.broad.method = TOI_BROAD_SWEEP;
    def.workers = 1;
    toi_pair_array *pairs = &m->hard_pairs[search->kind];
    toi_status status = toi_find_candidates(&def, &mesh, search->kind, pairs, NULL);
    for (int64_t i = 0, j = pairs->count - 1; i < j && !search->in_order; ++i, --j) {
        toi_pair pair = pairs->data[i];
        pairs->data[i] = pairs->data[j];
        pairs->data[j] = pair;
    }
    return status;
}

// Solves candidates of the step, and hands on what is not separated.
static toi_status solve_pairs(const fake_mesh *m, const toi_card_search *search,
                              const toi_pair *pairs, int64_t count)
{
    toi_mesh mesh = view_mesh(m);
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < count && status == TOI_OK; ++i) {
        toi_narrow_def def = *search->narrow;
        def.device = NULL;
        toi_query query = toi_gather_query(&mesh, search->kind, pairs[i]);
        toi_query_result r;
        status = toi_solve_queries(&def, search->kind, &query, 1, &r);
        toi_impact impact = {.kind = search->kind,
                             .a = pairs[i].a,
                             .b = pairs[i].b,
                             .state = r.state,
                             .time = r.time,
                             .u = r.u,
                             .v = r.v,
                             .normal = {r.normal[0], r.normal[1], r.normal[2]}};
        if (status == TOI_OK && r.state != TOI_SEPARATED)
            status = search->take_impacts(search->context, &impact, 1);
    }
    return status;
}

static toi_status find_pairs(void *mesh, const toi_card_search *search, toi_card_pairs *answer,
                             toi_complaint *complaint)
{
    fake_mesh *m = mesh;
    bool finite;
    *answer = (toi_card_pairs){.in_order = search->in_order};
    toi_status status = knobs->find_pairs;
    if (status == TOI_OK)
        status = load_step(m, search, &finite);
    if (status == TOI_OK && !finite) {
        answer->infinite = true;
        return TOI_OK;
    }
    if (status == TOI_OK)
        status = list_pairs(m, search);
    if (status != TOI_OK) {
        m->has_end = false;
        return end_as(status, "finding pairs", complaint);
    }
    const toi_pair_array *pairs = &m->hard_pairs[search->kind];
    answer->count = pairs->count;
    for (int64_t at = 0; at < pairs->count && status == TOI_OK; at += FAKE_PART) {
        int64_t rest = pairs->count - at;
        int64_t part = rest < FAKE_PART ? rest : FAKE_PART;
        status = search->narrow ? solve_pairs(m, search, pairs->data + at, part)
                                : search->take(search->context, pairs->data + at, part, rest);
    }
    return status;
}

// ---- Lists of queries

static toi_status solve(void *card, const toi_card_list *list, toi_device_report *report,
                        toi_complaint *complaint)
{
    (void)card;
    toi_narrow_def def = *list->def;
    def.device = NULL;
    *report = (toi_device_report){.stage_count = list->measure, .stage_names = {"all"}};
    if (knobs->find != TOI_OK)
        return end_as(knobs->find, "solving queries", complaint);
    toi_status status =
        toi_solve_queries(&def, list->kind, list->queries, list->count, list->results);
    for (int64_t i = 0; i < list->count; ++i)
        if (is_chosen(list->kind, (int32_t)i, 0)) {
            list->results[i] = (toi_query_result){.state = TOI_STATE_COUNT, .time = -1, .u = 7};
            ++report->hard;
        }
    return end_as(status, "solving queries", complaint);
}

// ---- Overlaps

typedef struct fake_surface
{
    int64_t vertex_count, face_count;
    int32_t *faces;
    double *points;
    toi_overlap_array list;
    toi_pair *hard;
} fake_surface;

static toi_status make_surface(void *card, const toi_card_faces *f, void **surface,
                               toi_complaint *complaint)
{
    (void)card;
    if (knobs->make_mesh != TOI_OK)
        return end_as(knobs->make_mesh, "making a surface", complaint);
    fake_surface *m = must(calloc(1, sizeof *m));
    m->vertex_count = f->vertex_count;
    m->face_count = f->face_count;
    m->faces = copy_of(f->faces, 3 * sizeof *m->faces * (size_t)f->face_count);
    m->points = must(malloc(3 * sizeof *m->points * (size_t)f->vertex_count + 1));
    ++knobs->meshes;
    ++knobs->meshes_made;
    *surface = m;
    return TOI_OK;
}

static void free_surface(void *surface)
{
    fake_surface *m = surface;
    free(m->faces);
    free(m->points);
    free(m->hard);
    toi_free_overlaps(&m->list);
    free(m);
    --knobs->meshes;
}

static bool is_neighbour(const fake_surface *m, int32_t a, int32_t b)
{
    bool shared = false;
    for (int i = 0; i < 9; ++i)
        shared |= m->faces[3 * a + i / 3] == m->faces[3 * b + i % 3];
    return shared;
}

// Hard ones are some that overlap and some that do not: faces that follow each other.
static void part_overlaps(fake_surface *m, toi_overlap_answer *answer)
{
    int64_t most = m->list.count + m->face_count, hard = 0, kept = 0;
    m->hard = must(realloc(m->hard, (size_t)(most + 1) * sizeof *m->hard));
    for (int64_t i = 0; i < m->list.count; ++i) {
        toi_overlap o = m->list.data[i];
        if (knobs->large_star && is_neighbour(m, o.a, o.b))
            continue;
        if (is_chosen(0, o.a, o.b))
            m->hard[hard++] = (toi_pair){o.a, o.b};
        else
            m->list.data[kept++] = o;
    }
    for (int32_t a = 0, b = 1; b < m->face_count; ++a, ++b)
        if (is_chosen(0, a, b) && !is_neighbour(m, a, b)) {
            bool listed = false;
            for (int64_t i = 0; i < hard; ++i)
                listed |= m->hard[i].a == a && m->hard[i].b == b;
            if (!listed)
                m->hard[hard++] = (toi_pair){a, b};
        }
    answer->overlaps = m->list.data;
    answer->count = kept;
    answer->hard = m->hard;
    answer->hard_count = answer->report.hard = hard;
    answer->neighbours = !knobs->large_star;
}

static toi_status find_overlaps(void *surface, const toi_overlap_question *question,
                                toi_overlap_answer *answer, toi_complaint *complaint)
{
    fake_surface *m = surface;
    ++knobs->finds;
    *answer = (toi_overlap_answer){.count = 0};
    if (knobs->find != TOI_OK)
        return end_as(knobs->find, "finding overlaps", complaint);
    answer->infinite = !load(&question->points, m->points);
    if (answer->infinite)
        return TOI_OK;
    toi_overlap_def def = toi_default_overlap_def();
    def.workers = 1;
    toi_mesh mesh = toi_make_mesh(m->points, m->points, m->vertex_count, m->faces, m->face_count);
    toi_status status = toi_find_overlaps(&def, &mesh, &m->list, NULL);
    if (status != TOI_OK)
        return end_as(status, "finding overlaps", complaint);
    part_overlaps(m, answer);
    return TOI_OK;
}

static const toi_backend table = {.version = TOI_BACKEND_VERSION,
                                  .open = open_card,
                                  .close = close_card,
                                  .allocate = allocate,
                                  .release = release,
                                  .is_on_card = is_on_card,
                                  .make_mesh = make_mesh,
                                  .free_mesh = free_mesh,
                                  .find = find,
                                  .merge = merge,
                                  .find_pairs = find_pairs,
                                  .solve = solve,
                                  .make_surface = make_surface,
                                  .free_surface = free_surface,
                                  .find_overlaps = find_overlaps};

EXPORT toi_backend_fn toi_backend_of_cuda;
const toi_backend *toi_backend_of_cuda(uint32_t version)
{
    uint32_t own = knobs->version ? knobs->version : TOI_BACKEND_VERSION;
    return version == own ? &table : NULL;
}
