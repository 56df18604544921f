// Meshes on a card: their topology, and the memory of their steps.

#include "cuda/mesh.cuh"

#include <cstring>
#include <new>

static void cut_slots(toi_cutter *c, toi_slots *slots, int corners, bool bodies)
{
    int64_t places = (int64_t)slots->groups * TOI_SLOT_GROUP;
    slots->corners = c->cut<int4>(places);
    slots->numbers = c->cut<float>(places * 6 * corners);
    slots->rows = c->cut<uint4>(places * 2);
    slots->thirds = corners == 3 ? c->cut<int32_t>(places) : NULL;
    slots->ways = c->cut<float>(places);
    slots->bodies = bodies ? c->cut<int32_t>(places) : NULL;
    slots->eights = c->cut<uint4>(places / 4);
    slots->blocks = c->cut<uint4>(places / 16);
}

static void cut_resident(toi_cutter *c, toi_step *s, bool bodies)
{
    s->positions = c->cut<double2>(3 * s->vertex_count);
    s->bins = c->cut<uint32_t>(toi_count_tallies(s));
    s->sums = (toi_count *)(s->bins + toi_count_bins(s));
    s->starts = c->cut<uint32_t>(toi_count_bins(s));
    uint32_t *sides = c->cut<uint32_t>(toi_count_sides(s));
    for (int kind = 0; kind < 3; ++kind) {
        cut_slots(c, &s->slots[kind], kind + 1, bodies);
        s->slots[kind].groups_of_blocks = sides;
        sides += (int64_t)s->slots[kind].groups * TOI_BOX_SIDES;
    }
}

static toi_status make_resident(toi_card_mesh *mesh, bool bodies, toi_complaint *complaint)
{
    toi_cutter c = {NULL, 0};
    cut_resident(&c, &mesh->step, bodies);
    TOI_TRY(toi_make_room(mesh->card, &mesh->resident, c.used, complaint));
    c = {(char *)mesh->resident.data, 0};
    cut_resident(&c, &mesh->step, bodies);
    for (int kind = 0; kind < 3; ++kind) {
        toi_slots *slots = &mesh->step.slots[kind];
        size_t bytes = (size_t)slots->groups * TOI_SLOT_GROUP * sizeof *slots->corners;
        TOI_TRY(toi_check_cuda(cudaMemsetAsync(slots->corners, 0xff, bytes, mesh->card->stream),
                               "clear memory", complaint));
    }
    return TOI_OK;
}

static toi_status send_topology(toi_card_mesh *mesh, const toi_card_topology *t,
                                toi_complaint *complaint)
{
    size_t edges = (size_t)t->edge_count * 2 * sizeof(int32_t);
    size_t faces = (size_t)t->face_count * 3 * sizeof(int32_t);
    size_t groups = t->groups ? (size_t)t->vertex_count * sizeof(int32_t) : 0;
    TOI_TRY(toi_make_room(mesh->card, &mesh->topology, edges + faces + groups + 1, complaint));
    char *at = (char *)mesh->topology.data;
    mesh->edges = (const int32_t *)at;
    mesh->faces = (const int32_t *)(at + edges);
    mesh->groups = t->groups ? (const int32_t *)(at + edges + faces) : NULL;
    const void *parts[3] = {t->edges, t->faces, t->groups};
    const size_t sizes[3] = {edges, faces, groups};
    for (int i = 0; i < 3; at += sizes[i++])
        if (sizes[i] > 0)
            TOI_TRY(toi_check_cuda(
                cudaMemcpyAsync(at, parts[i], sizes[i], cudaMemcpyHostToDevice, mesh->card->stream),
                "take the mesh", complaint));
    return toi_check_cuda(cudaStreamSynchronize(mesh->card->stream), "take the mesh", complaint);
}

// ---- Queues

static size_t hit_bytes()
{
    return sizeof(toi_hit) + sizeof(toi_hit_order) + sizeof(uint4) + sizeof(uint32_t);
}

static size_t hard_bytes()
{
    return sizeof(toi_pair_name) + sizeof(toi_query);
}

static void cut_queues(toi_card_mesh *mesh)
{
    toi_step *s = &mesh->step;
    const toi_capacities *n = &mesh->capacities;
    for (int kind = 0; kind < 2; ++kind) {
        s->block_pairs[kind] = (uint2 *)mesh->blocks.data + kind * n->blocks;
        s->pairs[kind] = (uint2 *)mesh->pairs.data + kind * n->pairs;
    }
    s->left = (uint2 *)mesh->left.data;
    s->knots = s->left + n->left;
    s->firsts = (toi_first *)s->knots;
    s->hits = (toi_hit *)mesh->hits.data;
    s->orders = (toi_hit_order *)(s->hits + n->hits);
    s->entries = (uint4 *)(s->orders + n->hits);
    s->numbers = (uint32_t *)(s->entries + n->hits);
    s->queries = (toi_query *)mesh->hard.data;
    s->hard = (toi_pair_name *)(s->queries + n->hard);
    s->block_capacity = n->blocks;
    s->pair_capacity = n->pairs;
    s->left_capacity = s->knot_capacity = n->left;
    s->hit_capacity = n->hits;
    s->hard_capacity = n->hard;
}

toi_status toi_make_queue(toi_card *card, toi_room *room, toi_count *capacity, toi_count wanted,
                          size_t entry, toi_complaint *complaint)
{
    toi_count least = *capacity > 0 ? *capacity : 4096;
    if (wanted <= *capacity)
        return TOI_OK;
    for (;; wanted = wanted / 2 > least ? wanted / 2 : least) {
        toi_status status = toi_make_room(card, room, wanted * entry, complaint);
        if (status == TOI_OK)
            break;
        if (wanted == least || (status != TOI_ERROR_LIMIT && status != TOI_ERROR_MEMORY))
            return status;
    }
    *capacity = wanted;
    return TOI_OK;
}

toi_count toi_share_of_limit(const toi_card *card, const toi_room *room, size_t entry, int parts)
{
    if (card->limit <= 0)
        return ~(toi_count)0;
    int64_t rest = card->limit - card->held + (int64_t)room->bytes;
    return rest > 0 ? (toi_count)rest / parts / entry : 0;
}

toi_status toi_make_queues(toi_card_mesh *mesh, const toi_capacities *wanted,
                           toi_complaint *complaint)
{
    toi_capacities *n = &mesh->capacities;
    toi_capacities w = *wanted; // queues of pairs take half of the limit at most: impacts must fit
    w.blocks =
        toi_least(w.blocks, toi_share_of_limit(mesh->card, &mesh->blocks, 2 * sizeof(uint2), 8));
    TOI_TRY(toi_make_queue(mesh->card, &mesh->hits, &n->hits, w.hits, hit_bytes(), complaint));
    TOI_TRY(toi_make_queue(mesh->card, &mesh->blocks, &n->blocks, w.blocks, 2 * sizeof(uint2),
                           complaint));
    w.pairs =
        toi_least(w.pairs, toi_share_of_limit(mesh->card, &mesh->pairs, 2 * sizeof(uint2), 4));
    TOI_TRY(
        toi_make_queue(mesh->card, &mesh->pairs, &n->pairs, w.pairs, 2 * sizeof(uint2), complaint));
    w.left = toi_least(w.left, toi_share_of_limit(mesh->card, &mesh->left, 2 * sizeof(uint2), 4));
    TOI_TRY(
        toi_make_queue(mesh->card, &mesh->left, &n->left, w.left, 2 * sizeof(uint2), complaint));
    TOI_TRY(toi_make_queue(mesh->card, &mesh->hard, &n->hard, w.hard, hard_bytes(), complaint));
    cut_queues(mesh);
    return TOI_OK;
}

// ---- Making and freeing

static toi_status make_small_rooms(toi_card_mesh *mesh, toi_complaint *complaint)
{
    toi_step *s = &mesh->step;
    size_t header = (sizeof(toi_control) + 255) / 256 * 256;
    mesh->host.on_host = mesh->hard.on_host = mesh->on_host.on_host = true;
    mesh->marks_of_chunks.on_host = true;
    mesh->staged[0].on_host = mesh->staged[1].on_host = true;
    mesh->find.staged[0].on_host = mesh->find.staged[1].on_host = mesh->find.report.on_host = true;
    TOI_TRY(toi_make_room(mesh->card, &mesh->control, header, complaint));
    TOI_TRY(toi_make_room(mesh->card, &mesh->host, 3 * header, complaint));
    s->control = (toi_control *)mesh->control.data;
    mesh->header = (toi_control *)mesh->host.data;
    s->report = (toi_control *)((char *)mesh->host.data + header);
    s->earliest = (toi_impact *)((char *)mesh->host.data + 2 * header);
    s->answered = (toi_count *)(s->earliest + 1);
    s->arrival = (toi_arrival *)(s->answered + 1);
    *s->answered = 0;
    *s->arrival = {0, 0, 0};
    for (cudaEvent_t &event : mesh->events)
        TOI_TRY(toi_check_cuda(cudaEventCreate(&event), "make an event", complaint));
    return TOI_OK;
}

static toi_status make_mesh(toi_card_mesh *mesh, const toi_card_topology *t,
                            toi_complaint *complaint)
{
    const int64_t counts[3] = {t->vertex_count, t->edge_count, t->face_count};
    TOI_TRY(toi_check_cuda(cudaSetDevice(mesh->card->info.number), "be used", complaint));
    mesh->step.vertex_count = t->vertex_count;
    for (int kind = 0; kind < 3; ++kind) {
        if (counts[kind] > INT32_MAX - TOI_SLOT_GROUP)
            return toi_complain(complaint, TOI_ERROR_LIMIT,
                                "%lld vertices, edges or faces are too many for a card",
                                (long long)counts[kind]);
        mesh->step.slots[kind].count = counts[kind];
        mesh->step.slots[kind].groups =
            (int32_t)((counts[kind] + TOI_SLOT_GROUP - 1) / TOI_SLOT_GROUP);
    }
    TOI_TRY(make_small_rooms(mesh, complaint));
    TOI_TRY(send_topology(mesh, t, complaint));
    TOI_TRY(make_resident(mesh, t->groups != NULL, complaint));
    toi_count all = (toi_count)(counts[0] + counts[1] + counts[2]);
    toi_count hits = mesh->card->limit > 0 ? all / 16 + 4096 : all / 2 + 16384;
    toi_capacities wanted = {all + 65536, 8 * all + 65536, all + 65536, hits, 16384};
    return toi_make_queues(mesh, &wanted, complaint);
}

toi_status toi_make_card_mesh(void *card, const toi_card_topology *topology, void **made,
                              toi_complaint *complaint)
{
    toi_card_mesh *mesh = new (std::nothrow) toi_card_mesh();
    *made = NULL;
    if (!mesh)
        return toi_complain(complaint, TOI_ERROR_MEMORY, "out of memory for a mesh");
    mesh->card = (toi_card *)card;
    toi_status status = make_mesh(mesh, topology, complaint);
    if (status != TOI_OK) {
        toi_free_card_mesh(mesh);
        return status;
    }
    *made = mesh;
    return TOI_OK;
}

void toi_free_card_mesh(void *freed)
{
    toi_card_mesh *mesh = (toi_card_mesh *)freed;
    if (!mesh)
        return;
    cudaSetDevice(mesh->card->info.number);
    cudaStreamSynchronize(mesh->card->stream);
    toi_room *rooms[] = {&mesh->topology,  &mesh->resident,  &mesh->order_scratch,
                         &mesh->blocks,    &mesh->pairs,     &mesh->left,
                         &mesh->found,     &mesh->hits,      &mesh->sort_scratch,
                         &mesh->control,   &mesh->host,      &mesh->hard,
                         &mesh->staged[0], &mesh->staged[1], &mesh->on_host,
                         &mesh->on_card,   &mesh->decided,   &mesh->marks_of_chunks,
                         &mesh->arrived};
    toi_find_rooms *find = &mesh->find;
    toi_room *of_searches[] = {&find->control, &find->report,    &find->boxes,
                               &find->order,   &find->scratch,   &find->found,
                               &find->sorted,  &find->staged[0], &find->staged[1]};
    for (toi_room *room : rooms)
        toi_free_room(mesh->card, room);
    for (toi_room *room : of_searches)
        toi_free_room(mesh->card, room);
    for (cudaEvent_t event : mesh->events)
        if (event)
            cudaEventDestroy(event);
    if (mesh->launches.graph)
        cudaGraphExecDestroy(mesh->launches.graph);
    cudaGetLastError();
    delete mesh;
}
