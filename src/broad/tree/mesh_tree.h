// Trees over the primitives of a mesh, straight from its vertices: no boxes in between, one curve.
//
// Vertices are ordered along the curve; an edge or a face follows that one of its vertices that
// comes last. So one short sort serves every kind of pair, loose vertices and edges need no care,
// and the vertices of neighbouring primitives are neighbours in memory. Pairs that share a vertex
// are dropped during the search.

#ifndef TOI_BROAD_MESH_TREE_H
#define TOI_BROAD_MESH_TREE_H

#include "broad/tree/tree.h"

#include <float.h>
#include <math.h>

// Up to which time contacts matter by now, as a share of the step. It never grows.
typedef double toi_horizon_fn(const void *context);

// How the boxes of a mesh are made.
typedef struct toi_mesh_boxes
{
    const toi_mesh *mesh; // checked, with its edges
    double min_separation;
    bool widen; // to the tightest floats around them
    // Or NULL. Else boxes are of these points, one a vertex: floats, so that none is in doubt.
    const float (*points)[4];
    // Boxes at both ends of the step, in single precision: fewer pairs, named by place
    // (toi_mesh_order.trees). Each holds what it is the box of, enlarged by half the separation.
    bool moving;
    // With boxes that move, if not 0: what pairs keep of their distance at t = 0. Those that stay
    // apart by more than that are dropped, and those whose swept boxes do not overlap.
    double relative;
    // Of boxes that move, or NULL: then the motion is cut short where only its beginning matters.
    toi_horizon_fn *horizon;
    const void *horizon_context;
    bool lasting; // rows may grow to twice the largest number before error and pad are too small
    // The memory has room for the trees of all primitives: the next call, which keeps them, then
    // finds its block in the store, with pages that have been touched.
    bool roomy;
} toi_mesh_boxes;

// How many primitives a mesh has.
typedef struct toi_mesh_counts
{
    int64_t vertices, edges, faces;
} toi_mesh_counts;
// A vertex at t = 0 and t = 1, or where the motion is cut short, less the origin and scaled, as
// nearest floats up to 2^126: x y z and an idle 0, twice. Where pairs keep a share of their
// distance and the motion may be cut short, rows stay those of the whole motion; then the idle
// numbers are minus how far the vertex moves, and minus what its numbers may be off by.
typedef float toi_moving_row __attribute__((vector_size(32)));

// Orders kept from call to call: the boxes of the next frame are where those of the last were, or
// nearly. Any order gives the same pairs; one that has become loose is made again.
typedef struct toi_kept_order
{
    toi_mesh_counts counts; // of the mesh it is for
    bool valid[3];          // by primitive
    // Of the blocks when the order was made, or first used for them: of boxes, and of points, which
    // are smaller where things move. 0: not known yet.
    double looseness[2][3];
    int32_t *ids[3];         // in the same block of memory
    bool labelled;           // the faces' labels are those of both orders
    int32_t *labels;         // as in a tree of the faces
    toi_label_range *ranges; // likewise
} toi_kept_order;

// How large the block of memory is, and where things stand in it.
int64_t toi_kept_order_bytes(const toi_mesh_counts *counts);
void toi_lay_out_order(toi_kept_order *kept, const toi_mesh_counts *counts);

// The vertices along the curve; made once for both kinds of pairs.
typedef struct toi_mesh_order
{
    toi_mesh_boxes boxes;
    toi_broad_job job; // for its budget, workers and slot
    int64_t kept_bytes;
    toi_kept_order *kept; // or NULL
    double radius;
    char *memory;       // of the arrays that follow, and of the room
    toi_box_row *rows;  // of the vertices, along the curve
    float (*points)[4]; // or these, where boxes are of points
    int32_t *vertices;  // along the curve
    int32_t *positions; // of the vertices, in it
    bool exact;         // all rows are what the boxes in double are
    // Of boxes that move, instead of rows.
    double origin[3], scale;
    toi_moving_row *moving;
    float largest; // number in them
    float error;   // of the difference of two of them: docs/exact.md, section 2
    float pad;     // by how much boxes are enlarged
    toi_tree_margin margin;
    double until; // where the motion ends: 1, or where it is cut short
    // Where pairs keep a share of their distance and the motion is cut short, it matters no farther
    // from the start of a vertex than by this share of its way, and what it is off by, and grain.
    float reach; // 0: there are no such bounds
    float grain;
    // During a search of boxes that move: what the first and the second numbers of a pair are
    // places in.
    const toi_tree *trees[2];
    char *room;    // for trees, if there are searches; or NULL
    bool borrowed; // its arrays are another's
} toi_mesh_order;

// Far below the largest float, so that a box can be enlarged by as much and stay finite.
#define TOI_FARTHEST 0x1p126f

// A coordinate less the origin and scaled. A difference beyond the doubles need not be beyond the
// floats when it is scaled: it is taken by halves.
static inline double toi_from_origin(const toi_mesh_order *order, int k, double x)
{
    double from = x - order->origin[k];
    return fabs(from) <= DBL_MAX ? from * order->scale
                                 : (0.5 * x - 0.5 * order->origin[k]) * (2 * order->scale);
}

// A coordinate as rows have it. Subtraction, scaling and rounding are monotone: what is above
// another number afterwards was above it before.
static inline float toi_moving_number(const toi_mesh_order *order, int k, double x)
{
    x = toi_from_origin(order, k, x);
    return x > TOI_FARTHEST ? TOI_FARTHEST : x < -TOI_FARTHEST ? -TOI_FARTHEST : (float)x;
}

static inline bool toi_has_order(const toi_mesh_order *order)
{
    return order->vertices;
}

// Is the order of one sort of primitives that of the last call?
static inline bool toi_is_kept(const toi_mesh_order *order, toi_primitive primitive)
{
    return order->kept && order->kept->valid[primitive];
}

static inline int64_t toi_whole_lines(int64_t bytes)
{
    enum
    {
        LINE = 64 // what trees begin at
    };
    return (bytes + LINE - 1) / LINE * LINE;
}

// Makes the order of a job's vertices, and room of so many bytes, or none. On failure it is to be
// freed all the same.
toi_status toi_make_mesh_order(const toi_mesh_boxes *boxes, const toi_broad_job *asked,
                               int64_t room, toi_mesh_order *order);

// Cuts the motion short: rows are of its part up to a time that is less than where they end.
toi_status toi_shorten_order(toi_mesh_order *order, double until);

// The box of a primitive in double, as the order's boxes are made.
void toi_order_box(const toi_mesh_order *order, toi_primitive primitive, int64_t i, toi_box *box);

// Harmless on an empty order.
void toi_free_mesh_order(toi_mesh_order *order);

// Faces that are others than those an order was kept for.
typedef struct toi_face_changes
{
    toi_mesh_counts counts;      // of the mesh from now on
    const toi_index_view *faces; // from now on
    const int32_t *changed;      // numbers of faces, in any order, also more than once
    int64_t count;
} toi_face_changes;

// Fits the order in a scene's slot to them: those that did not change keep their places. The order
// of the edges is dropped. Where there is no memory, or nothing worth keeping, all is.
void toi_fit_kept_order(toi_broad_slot *slot, const toi_face_changes *changes, toi_budget *budget);

// A search of a mesh: emits all pairs of a vertex and a face, or of two edges (job->self), whose
// boxes overlap and that share no vertex. The job's own lists are not used. An empty order is made
// first; the other kind of pairs needs the same. It keeps what the job's slot is for.
typedef toi_status toi_mesh_search_fn(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                      const toi_broad_job *job);

toi_mesh_search_fn toi_search_mesh_tree;

// The tree of one sort of primitives alone; an empty order is made first. On failure there is no
// tree.
toi_status toi_make_primitive_tree(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                   const toi_broad_job *job, toi_primitive primitive,
                                   toi_tree *tree);

// The order and the trees of all sorts of primitives, by sort, in one block of memory, which is the
// order's; those without primitives are empty. On failure there is neither.
toi_status toi_make_primitive_trees(const toi_mesh_boxes *boxes, toi_mesh_order *order,
                                    const toi_broad_job *job, toi_tree *const trees[3]);

// How much memory the order and the searches take at most, what they keep included. `moving`: where
// boxes may be at both ends of the step; `middles`: and where pairs keep a share of their distance.
int64_t toi_mesh_tree_need(const toi_mesh_counts *counts, int workers, bool moving, bool middles);

// How many of the workers a mesh can feed.
typedef int toi_mesh_workers_fn(const toi_mesh_counts *counts, int workers);

toi_mesh_workers_fn toi_auto_mesh_workers;

// By a method of TOI_BROAD_TRAIT_MESH.
toi_status toi_search_mesh(toi_broad_method method, const toi_mesh_boxes *boxes,
                           toi_mesh_order *order, const toi_broad_job *job);

// How many workers any method has use for.
int toi_mesh_workers(toi_broad_method method, const toi_mesh_counts *counts, int workers);

#endif
