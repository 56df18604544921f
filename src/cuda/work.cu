// What the stages of a step have to read, write and compute at least, from what was counted: for
// reports. docs/cuda.md, section 12, has every number here.

#include "cuda/launch.cuh"

#include <cstring>

// Instructions of a thread on the way that every item takes, as nvcc compiles them (the same
// section says how they are counted); those in double precision, which take two turns, twice.
enum
{
    GROUPS_MEET = 39,  // a pair of groups
    BLOCKS_MEET = 25,  // a pair of blocks that is found
    MEET_BLOCKS = 63,  // such a pair, in all lanes: its rows, and which eights meet
    MEET_EIGHTS = 50,  // 64 pairs of slots, in all lanes
    THREE_SIGNS = 350, // a pair in the filter
    MORE_SIGNS = 435,  // one that it keeps
    ROOTS = 636,       // a pair that it has left
    TIME = 2055        // a hit
};

struct counts
{
    double vertices, edges, faces, slots;
    double groups, block_pairs, pairs, left, hits;
};

static counts take_counts(const toi_card_mesh *mesh, const toi_device_report *report)
{
    const toi_step *s = &mesh->step;
    counts n;
    memset(&n, 0, sizeof n);
    n.vertices = (double)s->vertex_count;
    n.edges = (double)s->slots[TOI_EDGE].count;
    n.faces = (double)s->slots[TOI_FACE].count;
    n.slots = n.vertices + n.edges + n.faces;
    n.groups = (double)toi_group_pairs(s);
    for (int kind = 0; kind < 2; ++kind) {
        n.block_pairs += (double)s->report->block_pairs[kind].n;
        n.pairs += (double)report->tested[kind];
        n.left += (double)report->left[kind];
    }
    n.hits = (double)mesh->count;
    return n;
}

// Floats at both ends, of all corners of all slots.
static double number_bytes(const counts *n)
{
    return 24 * (n->vertices + 2 * n->edges + 3 * n->faces);
}

static toi_device_work work_of(const char *stage, const toi_card_mesh *mesh, const counts *n,
                               double sent)
{
    bool resumed = !mesh->header->start.data, on_host = mesh->residence == TOI_ON_HOST;
    double places = n->vertices + n->edges; // of bins
    if (strcmp(stage, "positions") == 0)
        return {(48 + (resumed ? 24 : 0)) * n->vertices, sent, 0};
    if (strcmp(stage, "boxes") == 0)
        return {48 * n->vertices + number_bytes(n) + 53 * n->slots + 4 * n->faces, 0, 0};
    if (strcmp(stage, "blocks") == 0)
        return {n->slots + 8 * n->block_pairs, 0,
                GROUPS_MEET * n->groups + BLOCKS_MEET * n->block_pairs};
    if (strcmp(stage, "pairs") == 0) {
        double eights = n->pairs / 64 > n->block_pairs ? n->pairs / 64 : n->block_pairs;
        return {36 * n->slots + 4 * n->faces + 8 * n->block_pairs + 8 * n->pairs, 0,
                TOI_WARP * (MEET_BLOCKS * n->block_pairs + MEET_EIGHTS * eights)};
    }
    if (strcmp(stage, "filter") == 0 && !mesh->step.apart)
        return {number_bytes(n) + 8 * n->pairs + 8 * n->left, 0,
                THREE_SIGNS * n->pairs + MORE_SIGNS * n->left};
    if (strcmp(stage, "contacts") == 0)
        return {48 * n->vertices + 8 * n->left + 32 * n->hits, 0,
                ROOTS * n->left + (mesh->step.late ? 0 : TIME * n->hits)};
    if (strcmp(stage, "list") == 0)
        return {8 * places + (on_host ? 64 : 64 + 64) * n->hits,
                on_host ? (double)toi_list_bytes(mesh) : 0, mesh->step.late ? TIME * n->hits : 0};
    return {0, 0, 0};
}

void toi_set_work(const toi_card_mesh *mesh, toi_device_report *report)
{
    counts n = take_counts(mesh, report);
    for (int i = 0; i < report->stage_count; ++i)
        report->stage_work[i] = work_of(report->stage_names[i], mesh, &n, (double)report->bytes_up);
}
