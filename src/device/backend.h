// What a backend is: a table of functions in a library of its own, which a device loads. It knows
// nothing of the core library, and the core nothing of CUDA. All structures are plain C.

#ifndef TOI_DEVICE_BACKEND_H
#define TOI_DEVICE_BACKEND_H

#include "overlap/star.h"
#include "toi/device.h"
#include "toi/overlap.h"

enum
{
    TOI_BACKEND_VERSION = 4,
    TOI_COMPLAINT_BYTES = 512
};

// What went wrong: what, where, and what to do; as toi_last_message() says it.
typedef struct toi_complaint
{
    char text[TOI_COMPLAINT_BYTES];
} toi_complaint;

// Faces, edges and groups, packed, in memory of the host; read during the call. There is a face or
// two edges: where there is no pair the card is not asked.
typedef struct toi_card_topology
{
    int64_t vertex_count, edge_count, face_count;
    const int32_t *edges;  // pairs of vertices
    const int32_t *faces;  // triples
    const int32_t *groups; // as in toi_filter, or NULL
} toi_card_topology;

typedef enum toi_card_goal
{
    TOI_CARD_ALL,      // every impact
    TOI_CARD_EARLIEST, // those that may be the earliest: the earliest that was decided among them
    // No impacts: pairs that are as close as the policy's separation at some time, and others that
    // may not be.
    TOI_CARD_NEAR
} toi_card_goal;

// How close pairs may come: docs/separation.md, section 5. All zero but for small_time: they may
// not touch.
typedef struct toi_card_policy
{
    double separation; // the least, min_separation
    double relative;   // the share of their distance that they keep
    // These are left to the host, as hard pairs: pairs that do not start inside and come as close
    // up to this time (below 0: none), and all that start at `separation` or closer.
    double small_time;
    bool leave_inside;
} toi_card_policy;

// A list of impacts that comes to the host packed, a group at a time (device/packed_impact.h). Some
// of it is there before the rest is known.
typedef struct toi_card_delivery
{
    uint64_t number;              // of the question
    const uint64_t *begun;        // becomes `number` when `count` is known
    const uint64_t *count;        // of impacts; 0: none come this way
    struct toi_chunk_mark *marks; // of each chunk: `number` in its upper bits when it is there
    const union toi_impact_group *groups;
    bool (*runs)(const void *mesh); // whether the card is still at it; if not nothing more comes
    const void *mesh;
} toi_card_delivery;

// Called while the card works, on the thread that asks, some time before impacts come.
typedef void toi_card_receive_fn(void *receiver, const toi_card_delivery *delivery);

// Runs part(context, i) for i in [0, count), side by side.
typedef void toi_card_spread_fn(void *spreader, int64_t count,
                                void (*part)(void *context, int64_t i), void *context);

// One step. Pairs with a common vertex, and those that the groups forbid, are not asked about.
typedef struct toi_card_question
{
    toi_card_goal goal;
    toi_point_view start; // without data: the last end
    toi_point_view end;
    double t_max; // later impacts do not matter
    toi_card_policy policy;
    toi_residence residence;
    bool measure; // take the times of stages
    // Where pairs are hard, leave the impacts of TOI_CARD_ALL to merge(), which is then called
    // whatever became of them: so the list is put in order and sent once.
    bool defer;
    // Or NULL. Else the list of TOI_CARD_ALL may come packed: then this is called before find()
    // returns.
    toi_card_receive_fn *receive;
    void *receiver;
    toi_card_spread_fn *spread; // or NULL: shares out what the host has to do for the card
    void *spreader;
} toi_card_question;

// What was found; all arrays are the mesh's, until its next call.
typedef struct toi_card_answer
{
    // Where they were asked to be, in canonical order. NULL: deferred, and so is `earliest`.
    const toi_impact *impacts;
    const toi_card_delivery *delivery; // or NULL. Else `impacts` is, and the list is there
    int64_t count;
    int64_t counts[TOI_PAIR_KINDS]; // of them, by toi_kind
    toi_impact earliest;            // of the decided ones; an infinite time where there is none
    const toi_pair_name *hard;      // in host memory: pairs that the host must decide, in any order
    const toi_query *queries; // likewise: where they start and end, which only the card may know
    int64_t hard_count;
    // With a separation: pairs that start at it or closer, but for the hard ones, and the first of
    // them, if any.
    int64_t inside;
    toi_pair_name first_inside;
    const toi_pair_name *near; // of TOI_CARD_NEAR: `count` of them, in host memory, in any order
    bool infinite;             // a coordinate is not finite: nothing else is set
    toi_device_report report;
} toi_card_answer;

// Receives pairs, in memory of the host that it may overwrite; with them, `coming` are known to
// come. Anything but TOI_OK ends the search and is returned from it. It must not use the card.
typedef toi_status toi_card_take_fn(void *context, toi_pair *pairs, int64_t count, int64_t coming);

// Receives impacts, in any order and in memory of the host; the rest is as for toi_card_take_fn.
typedef toi_status toi_card_impacts_fn(void *context, const toi_impact *impacts, int64_t count);

// A search for candidates of one kind: pairs whose swept boxes in double overlap, without a common
// vertex, that the groups allow.
typedef struct toi_card_search
{
    toi_kind kind;           // TOI_VERTEX_FACE or TOI_EDGE_EDGE
    toi_broad_method method; // auto, stq, sweep, grid or lbvh
    bool in_order;           // pairs are wanted in canonical order
    bool same_step;          // positions are those of the mesh's last call
    toi_point_view start;    // without data: the last end
    toi_point_view end;
    double radius;    // boxes are enlarged by it on every side
    bool float_boxes; // and then rounded outward to floats
    bool measure;     // take the times of stages
    toi_card_take_fn *take;
    void *context;
    // Or NULL. Else candidates are not handed on but solved, by inclusion-queue, a part at a time:
    // what is not separated goes to take_impacts() after each. Read anew for every part, so that
    // t_max may fall.
    const toi_narrow_def *narrow;
    toi_card_impacts_fn *take_impacts;
} toi_card_search;

typedef struct toi_card_pairs
{
    int64_t count;
    bool in_order; // they were taken in canonical order, all of them
    bool infinite; // a coordinate is not finite: nothing else is set
    toi_device_report report;
} toi_card_pairs;

// Queries of one kind, in memory of the host.
typedef struct toi_card_list
{
    const toi_narrow_def *def; // checked: what a device does
    toi_kind kind;             // vertex-face or edge-edge
    const toi_query *queries;  // finite
    int64_t count;
    toi_query_result *results; // room for `count`
    bool measure;              // take the times of stages
} toi_card_list;

// Faces and the stars of their vertices, in memory of the host; read during the call. There are two
// faces at least.
typedef struct toi_card_faces
{
    int64_t vertex_count, face_count;
    const int32_t *faces;  // triples, packed
    const toi_star *stars; // one a vertex
    const int32_t *pool;   // what they point into
    int64_t pool_count;
} toi_card_faces;

typedef struct toi_overlap_question
{
    toi_point_view points;
    bool measure;       // take the times of stages
    bool grid;          // kDet's, instead of the card's own method
    toi_cell_hash hash; // of that
} toi_overlap_question;

// What was found; all arrays are the surface's, in memory of the host, until its next call. The
// list and the pairs that are hard have nothing in common, and each pair is there once.
typedef struct toi_overlap_answer
{
    const toi_overlap *overlaps; // that are certain; sorted by a and b
    int64_t count;
    const toi_pair *hard; // faces that the host must decide, in any order
    int64_t hard_count;
    // False: a vertex has too many faces. Then no pair that shares a vertex is above, and the host
    // must look at all of them.
    bool neighbours;
    int64_t stars; // embedded
    int64_t candidates;
    bool infinite; // a coordinate is not finite: nothing else is set
    toi_device_report report;
} toi_overlap_answer;

typedef struct toi_backend
{
    uint32_t version; // TOI_BACKEND_VERSION

    toi_status (*open)(const toi_device_def *def, void **card, toi_device_info *info,
                       toi_complaint *complaint);
    void (*close)(void *card);

    // Page-locked memory of the host.
    toi_status (*allocate)(void *card, size_t size, void **memory, toi_complaint *complaint);
    void (*release)(void *card, void *memory);

    // Is this memory that the host must not read?
    bool (*is_on_card)(void *card, const void *memory);

    // A mesh whose topology, order and buffers stay on the card. After a failure of find() it is as
    // good as new: the next call begins with both sets of positions.
    toi_status (*make_mesh)(void *card, const toi_card_topology *topology, void **mesh,
                            toi_complaint *complaint);
    void (*free_mesh)(void *mesh);
    toi_status (*find)(void *mesh, const toi_card_question *question, toi_card_answer *answer,
                       toi_complaint *complaint);

    // Puts impacts that the host decided, in canonical order and of any kind, among those of the
    // last answer, where these are; once after a find(). Changes impacts, count and counts (of the
    // first two kinds), and `earliest` where that was deferred.
    toi_status (*merge)(void *mesh, const toi_impact *impacts, int64_t count,
                        toi_card_answer *answer, toi_complaint *complaint);

    // Hands every candidate to search->take(), or what became of them to search->take_impacts(), on
    // the calling thread. What holds for find() after a
    // failure holds for it too; a failure of take() has no complaint.
    toi_status (*find_pairs)(void *mesh, const toi_card_search *search, toi_card_pairs *pairs,
                             toi_complaint *complaint);

    // Solves a list. Results have the bits of the processor's; those with the state TOI_STATE_COUNT
    // are left to the host.
    toi_status (*solve)(void *card, const toi_card_list *list, toi_device_report *report,
                        toi_complaint *complaint);

    // Faces whose topology, order and buffers stay on the card, and those of them that overlap.
    toi_status (*make_surface)(void *card, const toi_card_faces *faces, void **surface,
                               toi_complaint *complaint);
    void (*free_surface)(void *surface);
    toi_status (*find_overlaps)(void *surface, const toi_overlap_question *question,
                                toi_overlap_answer *answer, toi_complaint *complaint);
} toi_backend;

// The one symbol of a backend's library: its table, or NULL for a version that it does not have.
typedef const toi_backend *toi_backend_fn(uint32_t version);
#define TOI_BACKEND_SYMBOL "toi_backend_of_cuda"

#endif
