// One call of toi_find_overlaps() and its like: how methods are asked for pairs, and what happens
// to the pairs that they hand on.

#ifndef TOI_OVERLAP_CALL_H
#define TOI_OVERLAP_CALL_H

#include "broad/tree/mesh_tree.h"
#include "ccd/records.h"
#include "ccd/scene.h"
#include "device/backend.h"
#include "overlap/overlap.h"

typedef struct toi_overlap_call toi_overlap_call;

// Hands pairs of faces to the receiver: all that have a point in common and share no vertex, each
// once. A pair too many does no harm. Which pairs those are must not depend on the
// workers.
typedef toi_status toi_overlap_search_fn(toi_overlap_call *call, toi_receiver to);

// A method: one line in the table of search.c.
typedef struct toi_overlap_search
{
    const char *name;
    toi_overlap_search_fn *run;
    // How its pairs are named and which there are. Places: along the curve, as the fast method's
    // tree has them. Given: places are the numbers of faces and vertices. Plain: numbers, and all
    // pairs, those that share a vertex too; each goes to the exact test, and there is no table.
    enum
    {
        TOI_PAIRS_ALONG_CURVE,
        TOI_PAIRS_AS_GIVEN,
        TOI_PAIRS_PLAIN
    } pairs;
    // What it takes at most, beside the table.
    int64_t (*need)(const toi_mesh_counts *counts, int workers);
} toi_overlap_search;

// The method, or NULL where there is none of that number.
const toi_overlap_search *toi_overlap_search_of(toi_overlap_method method);

toi_overlap_search_fn toi_search_face_tree, toi_search_face_grid, toi_search_all_faces;
int64_t toi_face_grid_need(const toi_mesh_counts *counts, int workers);

enum
{
    TOI_OVERLAP_BATCH = 1024
};

// What one worker has at hand, and what it has found.
typedef struct toi_overlap_worker
{
    toi_pair waiting[TOI_OVERLAP_BATCH]; // for their signs
    int64_t waiting_count;
    toi_pair crossing[TOI_OVERLAP_BATCH];
    toi_overlap found[TOI_OVERLAP_BATCH];
    int64_t found_count;
    int64_t candidates, exact;
    int64_t by_class[TOI_OVERLAP_CLASS_COUNT];
    _Alignas(64) char end[64];
} toi_overlap_worker;

// What becomes of pairs that are found.
typedef toi_status toi_take_overlaps_fn(toi_overlap_call *call, const toi_overlap *found,
                                        int64_t count, int worker);

struct toi_overlap_call
{
    const toi_overlap_def *def;
    const toi_overlap_search *search;
    int workers;
    toi_scene *scene;   // the caller's, while this call holds it; else the call's own
    toi_scene passing;  // that one
    toi_mesh mesh;      // where it stands; without edges, but for a scene's
    toi_filter filter;  // the scene's or the definition's
    toi_budget *budget; // the scene's
    int64_t entered;    // bytes that the scene had in use when the call began
    toi_meter meter;
    toi_overlap_report report;
    double started;
    // What the faces are made ready in.
    toi_face_table table;
    toi_mesh_order order; // of the fast method
    toi_tree tree;        // likewise
    // What workers do.
    toi_overlap_worker *own; // one a worker
    toi_cull_faces_fn *cull;
    toi_decide_faces_fn *decide;
    toi_take_overlaps_fn *take;
    uint8_t *flags;            // or NULL
    toi_recorder recorder;     // of a list without limit
    toi_overlap_array *list;   // one with a limit
    toi_lock lock;             // of that list
    toi_overlap_answer answer; // of a device
    _Atomic uint64_t beyond;   // key from which on pairs are left out; toi_overlap_key()
};

// Sorts as lists are sorted, and by class then; there are at most TOI_MOST_OVERLAP_FACES.
static inline uint64_t toi_overlap_key(int32_t a, int32_t b, int32_t overlap_class)
{
    return (uint64_t)a << 33 | (uint64_t)b << 3 | (uint64_t)overlap_class;
}

enum
{
    TOI_MOST_OVERLAP_FACES = 1 << 30
};

// ---- The table (table.c)

// Makes the table, along the curve or as the mesh is given; gives it back.
toi_status toi_make_face_table(toi_overlap_call *call);
void toi_free_face_table(toi_overlap_call *call);
int64_t toi_face_table_need(const toi_mesh_counts *counts);

// ---- The search (search.c)

// Makes the stars of the call's scene, unless they are there.
toi_status toi_need_stars(toi_overlap_call *call);

// Finds all pairs, those that share a vertex and the others, and hands them to call->take().
toi_status toi_search_overlaps(toi_overlap_call *call);

// Are all pairs asked about?
bool toi_wants_all(const toi_overlap_call *call);

// Hands on what the last answer of a device leaves to the host.
toi_status toi_search_rest(toi_overlap_call *call);

// ---- Devices (device/overlaps.c)

// Asks the call's device, which keeps the faces of its scene; sets call->answer.
toi_status toi_ask_overlaps(toi_overlap_call *call);

// ---- Lists (lists.c)

// Makes a list of the pairs, sorted; call->take is set.
toi_status toi_list_overlaps(toi_overlap_call *call, toi_overlap_array *list);

#endif
