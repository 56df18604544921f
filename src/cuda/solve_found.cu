// Candidates of a scene, solved by `inclusion-queue` where they were found: gathered a part at a
// time, as many as leave no more queries than there is room for; only what is not separated
// travels.

#include "cuda/finder.cuh"
#include "cuda/launch.cuh"
#include "cuda/queries.cuh"

#include <cstring>

enum
{
    NAME_THREADS = 128,
    LEAST_PART = 1 << 10,
    MOST_PART = 1 << 20,
    MOST_GATHERED = 1 << 24 // candidates at once
};

// A part of the candidates: queries and results as lists have them, which ones they are, and what
// becomes of them.
struct found_part
{
    toi_query_part part;
    uint32_t capacity; // queries
    uint2 *names;
    toi_impact *impacts;
    toi_count *kept, *hits; // how many queries and impacts there are
    toi_kind kind;
};

static void cut_part(toi_cutter *cut, uint32_t count, found_part *p)
{
    p->part.counts = cut->cut<toi_query_counts>(1);
    p->kept = cut->cut<toi_count>(1);
    p->hits = cut->cut<toi_count>(1);
    p->part.queries = cut->cut<toi_query>(count);
    p->part.results = cut->cut<toi_query_result>(count);
    p->impacts = cut->cut<toi_impact>(count);
    p->names = cut->cut<uint2>(count);
    p->part.left = cut->cut<uint32_t>(count);
}

static size_t part_bytes(uint32_t count)
{
    found_part p;
    toi_cutter cut = {NULL, 0};
    cut_part(&cut, count, &p);
    return cut.used;
}

// Room for as many candidates as the limit allows; half of what it leaves is for cells.
static toi_status make_part(toi_card *card, toi_count wanted, found_part *p,
                            toi_complaint *complaint)
{
    toi_room *room = &card->queries;
    int64_t free_bytes = card->limit - card->held + (int64_t)room->bytes;
    uint32_t count = (uint32_t)toi_least(wanted, MOST_PART);
    while (count > LEAST_PART && card->limit > 0 && (int64_t)part_bytes(count) > free_bytes / 2)
        count /= 2;
    TOI_TRY(toi_make_room(card, room, part_bytes(count), complaint));
    toi_cutter cut = {(char *)room->data, 0};
    cut_part(&cut, count, p);
    p->capacity = count;
    return TOI_OK;
}

static __global__ void __launch_bounds__(NAME_THREADS) list_impacts(found_part p)
{
    uint32_t i = blockIdx.x * NAME_THREADS + threadIdx.x;
    if (i >= p.part.count)
        return;
    const toi_query_result *r = &p.part.results[i];
    bool some = r->state != TOI_SEPARATED;
    toi_count at = toi_take_places(p.hits, some);
    if (!some)
        return;
    toi_impact *to = &p.impacts[at];
    to->kind = p.kind;
    to->a = (int32_t)p.names[i].x;
    to->b = (int32_t)p.names[i].y;
    to->state = r->state;
    to->time = r->time;
    to->u = r->u;
    to->v = r->v;
    for (int k = 0; k < 3; ++k)
        to->normal[k] = r->normal[k];
}

static toi_status fetch(const toi_card *card, void *to, const void *from, size_t bytes,
                        toi_complaint *complaint)
{
    TOI_TRY(toi_check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, card->stream),
                           "send what it found", complaint));
    return toi_check_cuda(cudaStreamSynchronize(card->stream), "solve candidates", complaint);
}

// Candidates that the filter in single precision leaves become queries, as far as there is room;
// returns how many there are.
static toi_status gather(const toi_card_mesh *mesh, const toi_finder *f, const uint2 *pairs,
                         uint32_t count, double separation, const found_part *p, toi_count *kept,
                         toi_complaint *complaint)
{
    const toi_card *card = mesh->card;
    toi_gathering g;
    memset(&g, 0, sizeof g);
    g.pairs = pairs;
    g.count = count;
    g.edge_edge = p->part.edge_edge;
    g.positions = f->positions;
    g.edges = f->edges;
    g.faces = f->faces;
    g.queries = (toi_query *)p->part.queries;
    g.names = p->names;
    g.kept = p->kept;
    g.capacity = p->capacity;
    TOI_TRY(toi_check_cuda(cudaMemsetAsync(p->kept, 0, sizeof *p->kept, card->stream),
                           "clear memory", complaint));
    TOI_TRY(toi_check_cuda(cudaMemsetAsync(p->hits, 0, sizeof *p->hits, card->stream),
                           "clear memory", complaint));
    TOI_TRY(toi_check_cuda(cudaMemsetAsync(p->part.counts, 0, sizeof *p->part.counts, card->stream),
                           "clear memory", complaint));
    toi_start_gather(card, &g, separation);
    TOI_TRY(toi_check_start("start to gather candidates", complaint));
    return fetch(card, kept, p->kept, sizeof *kept, complaint);
}

// Solves the queries of a part; returns how many impacts there are.
static toi_status solve(toi_card *card, found_part *p, const toi_narrow_def *def, toi_count *hits,
                        toi_complaint *complaint)
{
    unsigned blocks = (p->part.count + NAME_THREADS - 1) / NAME_THREADS;
    *hits = 0;
    if (p->part.count == 0)
        return TOI_OK;
    toi_start_queue_filter(card, &p->part, def);
    TOI_TRY(toi_search_part(card, &p->part, def, complaint));
    list_impacts<<<blocks, NAME_THREADS, 0, card->stream>>>(*p);
    TOI_TRY(toi_check_start("start to list impacts", complaint));
    return fetch(card, hits, p->hits, sizeof *hits, complaint);
}

static toi_status hand_on(toi_card_mesh *mesh, const toi_card_search *search, const found_part *p,
                          toi_count hits, toi_complaint *complaint)
{
    toi_room *staged = &mesh->find.staged[0];
    size_t bytes = hits * sizeof(toi_impact);
    if (hits == 0)
        return TOI_OK;
    TOI_TRY(toi_make_room(mesh->card, staged, bytes, complaint));
    TOI_TRY(fetch(mesh->card, staged->data, p->impacts, bytes, complaint));
    return search->take_impacts(search->context, (const toi_impact *)staged->data, (int64_t)hits);
}

toi_status toi_solve_found(toi_card_mesh *mesh, const toi_finder *f, const toi_card_search *search,
                           toi_count count, toi_device_report *report, toi_complaint *complaint)
{
    found_part p;
    toi_count width = count;
    memset(&p, 0, sizeof p);
    p.kind = search->kind;
    p.part.edge_edge = search->kind == TOI_EDGE_EDGE;
    TOI_TRY(make_part(mesh->card, count, &p, complaint));
    for (toi_count first = 0; first < count;) {
        toi_count some = toi_least(toi_least(width, count - first), MOST_GATHERED), kept, hits;
        toi_narrow_def def = *search->narrow;
        TOI_TRY(gather(mesh, f, f->found + first, (uint32_t)some, def.min_separation, &p, &kept,
                       complaint));
        width = toi_next_width(some, kept, p.capacity);
        if (kept > p.capacity)
            continue;
        p.part.count = (uint32_t)kept;
        TOI_TRY(solve(mesh->card, &p, &def, &hits, complaint));
        TOI_TRY(hand_on(mesh, search, &p, hits, complaint));
        report->left[search->kind] += (int64_t)kept;
        report->bytes_down += (int64_t)(hits * sizeof(toi_impact));
        first += some;
    }
    if (mesh->card->limit > 0) { // the search may want the memory
        toi_free_room(mesh->card, &mesh->card->queries);
        toi_free_room(mesh->card, &mesh->card->cells);
    }
    return TOI_OK;
}
