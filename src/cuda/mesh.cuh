// A mesh whose topology, order and buffers stay on a card.

#ifndef TOI_CUDA_MESH_CUH
#define TOI_CUDA_MESH_CUH

#include "cuda/step.cuh"

// How many entries the queues have room for.
struct toi_capacities
{
    toi_count blocks, pairs, left, hits, hard;
};

// The launches of a whole step, kept for the next one that is alike.
struct toi_launches
{
    cudaGraphExec_t graph; // or NULL
    toi_step step;
    toi_card_goal goal;
    bool seen; // the last step was this one, too
};

// Memory of searches for candidates.
struct toi_find_rooms
{
    toi_room control, report;       // counters, on the card and what the host has seen
    toi_room boxes, order, scratch; // boxes in double, what a method makes of them, sorts
    toi_room found, sorted;         // pairs
    toi_room staged[2];             // likewise, on the host
};

struct toi_card_mesh
{
    toi_card *card;
    toi_step step;
    toi_room topology; // edges, faces, groups of the filter
    const int32_t *edges, *faces, *groups;
    toi_room resident; // positions, slots, bins
    toi_room order_scratch, blocks, pairs, left, found, hits, sort_scratch;
    toi_room control;                                    // on the card
    toi_room host;                                       // header, report and earliest
    toi_room hard, staged[2], on_host, on_card, decided; // lists and positions
    toi_room marks_of_chunks, arrived;                   // of lists on their way
    toi_card_delivery delivery;
    toi_card_receive_fn *receive; // or NULL; with its receiver
    void *receiver;
    bool received;  // receive() was called
    bool delivered; // the list of the last answer is packed
    toi_find_rooms find;
    toi_control *header; // what the control is set to
    toi_capacities capacities;
    toi_launches launches;
    toi_count questions; // so far
    bool has_end;        // positions holds where the last step ended
    bool windowed;       // the last step did not fit the queues
    bool ordered;        // slots have primitives
    toi_count fresh[2]; // block pairs when they were last put in order, or soon after, of whole and
                        // of shortened motions; 0: not known
    int since;          // steps since then
    int in_time;        // steps for which times are not left for later
    int searches;       // for candidates, since slots were put in order for these; 0: they are not
    toi_card_goal goal; // of the last answer
    toi_residence residence;
    toi_count count; // impacts of the last answer
    cudaEvent_t events[TOI_DEVICE_STAGES + 1];
    const char *stages[TOI_DEVICE_STAGES];
    int marks; // events used
    bool measure;
};

// Slots in the order of a space-filling curve, from the positions on the card.
toi_status toi_start_slots(toi_card_mesh *mesh, toi_complaint *complaint);

// Makes a queue of `wanted` entries, or as large as it can be: at least as large as it was.
toi_status toi_make_queue(toi_card *card, toi_room *room, toi_count *capacity, toi_count wanted,
                          size_t entry, toi_complaint *complaint);
// How many entries one of so many parts of what the limit leaves has room for.
toi_count toi_share_of_limit(const toi_card *card, const toi_room *room, size_t entry, int parts);

// Where the card reads positions of `count` vertices: where they are, or, where it cannot, from a
// copy.
toi_status toi_find_source(toi_card *card, int64_t count, const toi_point_view *view,
                           toi_room *staged, toi_source *source, toi_complaint *complaint);

// Rooms for the queues: at least as large as the capacities that are wanted where the limit allows
// it.
toi_status toi_make_queues(toi_card_mesh *mesh, const toi_capacities *wanted,
                           toi_complaint *complaint);

toi_status toi_make_card_mesh(void *card, const toi_card_topology *topology, void **mesh,
                              toi_complaint *complaint);
void toi_free_card_mesh(void *mesh);
toi_status toi_find_on_card(void *mesh, const toi_card_question *question, toi_card_answer *answer,
                            toi_complaint *complaint);
toi_status toi_merge_on_card(void *mesh, const toi_impact *impacts, int64_t count,
                             toi_card_answer *answer, toi_complaint *complaint);

toi_status toi_open_card(const toi_device_def *def, void **card, toi_device_info *info,
                         toi_complaint *complaint);
void toi_close_card(void *card);
toi_status toi_allocate_locked(void *card, size_t size, void **memory, toi_complaint *complaint);
void toi_release_locked(void *card, void *memory);
bool toi_is_on_card(void *card, const void *memory);

#endif
