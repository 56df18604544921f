// Lists of queries, part by part, so that a list of any length fits any memory; and `exact`:
// filter, roots and times, whole numbers, places.
//
// No kernel here fuses products: results say which rung decided, so every rung must say what the
// processor's says.

#include "cuda/climb.cuh"

#include "cuda/queries.cuh"

#include <cstring>

enum
{
    CLIMB_THREADS = 128,
    KNOT_THREADS = 64,
    PLACE_THREADS = 128,
    STAGES = 6,
    LEAST_PART = 1 << 10,
    MOST_PART = 1 << 20
};

static __device__ void list_query(uint32_t *list, toi_count *count, uint32_t i, bool some)
{
    toi_count at = toi_take_places(count, some);
    if (some)
        list[at] = i;
}

static __global__ void __launch_bounds__(CLIMB_THREADS) climb(toi_query_part part)
{
    toi_count n = part.counts->left, step = (toi_count)gridDim.x * CLIMB_THREADS;
    for (toi_count k = (toi_count)blockIdx.x * CLIMB_THREADS + threadIdx.x; k < n; k += step) {
        uint32_t i = part.left[k];
        toi_climber c;
        toi_query_result result = part.results[i];
        toi_copy_points(&part.queries[i], c.points);
        int verdict = toi_climb_query(part.edge_edge, &c, part.t_max, part.all_roots, &result);
        part.results[i] = result;
        list_query(part.knots, &part.counts->knots, i, verdict == TOI_VERDICT_KNOT);
        list_query(part.hits, &part.counts->hits, i, verdict == TOI_VERDICT_CONTACT);
    }
}

// A thread each. Contacts are counted by the host alone.
static __global__ void __launch_bounds__(KNOT_THREADS) untie(toi_query_part part)
{
    toi_count n = part.counts->knots, step = (toi_count)gridDim.x * KNOT_THREADS;
    for (toi_count k = (toi_count)blockIdx.x * KNOT_THREADS + threadIdx.x; k < n; k += step) {
        uint32_t i = part.knots[k];
        double points[2][4][3];
        toi_query_result result = part.results[i];
        int state = TOI_STATE_COUNT;
        toi_copy_points(&part.queries[i], points);
        if (!part.all_roots)
            state = toi_untie_query(part.edge_edge, points, part.t_max, &result);
        result.state = (toi_state)state;
        part.results[i] = result;
        list_query(part.hits, &part.counts->hits, i, state == TOI_HIT);
        if (state == TOI_STATE_COUNT)
            atomicAdd(&part.counts->hard, (toi_count)1);
    }
}

static __global__ void __launch_bounds__(PLACE_THREADS) place(toi_query_part part)
{
    toi_count n = part.counts->hits, step = (toi_count)gridDim.x * PLACE_THREADS;
    for (toi_count k = (toi_count)blockIdx.x * PLACE_THREADS + threadIdx.x; k < n; k += step) {
        uint32_t i = part.hits[k];
        double points[2][4][3];
        toi_query_result result = part.results[i];
        toi_copy_points(&part.queries[i], points);
        toi_place_query(part.edge_edge, points, &result);
        part.results[i] = result;
    }
}

// ---- Parts

// What a call has on the card.
struct solving
{
    toi_card *card;
    const toi_card_list *list;
    toi_device_report *report;
    toi_query_part part;      // its first query is `first` of the list
    toi_query_counts counted; // of the last part
    cudaEvent_t marks[STAGES + 1];
    int marked; // of them
};

static size_t part_bytes(uint32_t count)
{
    return sizeof(toi_query_counts) +
           (sizeof(toi_query) + sizeof(toi_query_result) + 3 * sizeof(uint32_t)) * (size_t)count;
}

// Room for as many queries as the limit allows, and the list has; returns how many in *count.
static toi_status make_part(solving *c, uint32_t *count, toi_complaint *complaint)
{
    toi_room *room = &c->card->queries;
    int64_t half = c->card->limit / 2; // the rest is for cells, and for scenes
    *count = c->list->count < MOST_PART ? (uint32_t)c->list->count : MOST_PART;
    while (*count > LEAST_PART && (!toi_fits_limit(c->card, room, part_bytes(*count)) ||
                                   (half > 0 && part_bytes(*count) > (size_t)half)))
        *count = *count / 2;
    TOI_TRY(toi_make_room(c->card, room, part_bytes(*count), complaint));
    char *at = (char *)room->data;
    c->part.queries = (const toi_query *)at;
    c->part.results = (toi_query_result *)(at += *count * sizeof(toi_query));
    c->part.counts = (toi_query_counts *)(at += *count * sizeof(toi_query_result));
    c->part.left = (uint32_t *)(at + sizeof(toi_query_counts));
    c->part.knots = c->part.left + *count;
    c->part.hits = c->part.knots + *count;
    return TOI_OK;
}

// A stage ends here.
static void mark(solving *c, const char *stage)
{
    if (!c->list->measure)
        return;
    if (c->marked > 0)
        c->report->stage_names[c->marked - 1] = stage;
    cudaEventRecord(c->marks[c->marked++], c->card->stream);
}

static toi_status climb_part(solving *c, toi_complaint *complaint)
{
    const toi_card *card = c->card;
    int fill = 8 * card->info.multiprocessors;
    toi_start_query_filter(card, &c->part);
    mark(c, "filter");
    climb<<<fill, CLIMB_THREADS, 0, card->stream>>>(c->part);
    mark(c, "contacts");
    untie<<<fill, KNOT_THREADS, 0, card->stream>>>(c->part);
    mark(c, "knots");
    place<<<fill, PLACE_THREADS, 0, card->stream>>>(c->part);
    mark(c, "places");
    return toi_check_start("start to solve queries", complaint);
}

static toi_status start_part(solving *c, toi_complaint *complaint)
{
    if (c->list->def->method == TOI_NARROW_EXACT)
        return climb_part(c, complaint);
    toi_start_queue_filter(c->card, &c->part, c->list->def);
    mark(c, "filter");
    TOI_TRY(toi_search_part(c->card, &c->part, c->list->def, complaint));
    mark(c, "search");
    return TOI_OK;
}

static void report_part(const solving *c)
{
    toi_device_report *r = c->report;
    int kind = c->part.edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
    r->tested[kind] += c->part.count;
    r->left[kind] += (int64_t)c->counted.left;
    r->hard += (int64_t)c->counted.hard;
    r->bytes_up += (int64_t)(c->part.count * sizeof(toi_query));
    r->bytes_down += (int64_t)(c->part.count * sizeof(toi_query_result) + sizeof c->counted);
    ++r->windows;
    r->stage_count = c->marked > 0 ? c->marked - 1 : 0;
    for (int i = 0; i < r->stage_count; ++i) {
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, c->marks[i], c->marks[i + 1]);
        r->stage_seconds[i] += 1e-3 * milliseconds;
    }
}

static toi_status solve_part(solving *c, int64_t first, toi_complaint *complaint)
{
    cudaStream_t stream = c->card->stream;
    const toi_query_part *p = &c->part;
    c->marked = 0;
    mark(c, NULL);
    TOI_TRY(
        toi_check_cuda(cudaMemcpyAsync((void *)p->queries, c->list->queries + first,
                                       p->count * sizeof *p->queries, cudaMemcpyDefault, stream),
                       "take queries", complaint));
    TOI_TRY(toi_check_cuda(cudaMemsetAsync(p->counts, 0, sizeof *p->counts, stream), "clear memory",
                           complaint));
    mark(c, "up");
    TOI_TRY(start_part(c, complaint));
    TOI_TRY(
        toi_check_cuda(cudaMemcpyAsync(c->list->results + first, p->results,
                                       p->count * sizeof *p->results, cudaMemcpyDefault, stream),
                       "send results", complaint));
    TOI_TRY(toi_check_cuda(
        cudaMemcpyAsync(&c->counted, p->counts, sizeof c->counted, cudaMemcpyDefault, stream),
        "send counts", complaint));
    mark(c, "down");
    TOI_TRY(toi_check_cuda(cudaStreamSynchronize(stream), "solve queries", complaint));
    report_part(c);
    return TOI_OK;
}

static toi_status make_marks(solving *c, toi_complaint *complaint)
{
    for (int i = 0; i <= STAGES && c->list->measure; ++i)
        TOI_TRY(toi_check_cuda(cudaEventCreate(&c->marks[i]), "measure", complaint));
    return TOI_OK;
}

static toi_status solve_parts(solving *c, toi_complaint *complaint)
{
    uint32_t most;
    TOI_TRY(make_marks(c, complaint));
    TOI_TRY(make_part(c, &most, complaint));
    for (int64_t first = 0; first < c->list->count; first += most) {
        int64_t rest = c->list->count - first;
        c->part.count = rest < most ? (uint32_t)rest : most;
        TOI_TRY(solve_part(c, first, complaint));
    }
    return TOI_OK;
}

toi_status toi_solve_on_card(void *on, const toi_card_list *list, toi_device_report *report,
                             toi_complaint *complaint)
{
    solving c;
    memset(&c, 0, sizeof c);
    memset(report, 0, sizeof *report);
    c.card = (toi_card *)on;
    c.list = list;
    c.report = report;
    c.part.edge_edge = list->kind == TOI_EDGE_EDGE;
    c.part.t_max = list->def->t_max;
    c.part.all_roots = list->def->all_roots;
    TOI_TRY(toi_check_cuda(cudaSetDevice(c.card->info.number), "be used", complaint));
    toi_status status = solve_parts(&c, complaint);
    for (int i = 0; i <= STAGES; ++i)
        if (c.marks[i])
            cudaEventDestroy(c.marks[i]);
    if (status != TOI_OK) {
        cudaStreamSynchronize(c.card->stream);
        cudaGetLastError();
    }
    if (c.card->limit > 0) { // scenes may want the memory
        toi_free_room(c.card, &c.card->queries);
        toi_free_room(c.card, &c.card->cells);
    }
    report->peak_bytes = c.card->peak;
    return status;
}
