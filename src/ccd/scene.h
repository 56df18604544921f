// What lies behind a toi_scene: topology, memory and what is kept from call to call. A stateless
// call has one of its own, which lives as long as the call and looks at the caller's arrays.

#ifndef TOI_CCD_SCENE_H
#define TOI_CCD_SCENE_H

#include "base/memory.h"
#include "broad/broad.h"
#include "mesh/mesh.h"
#include "toi/scene.h"
#include "track/track.h"

// What searches keep from call to call; of lists of boxes, by toi_kind.
enum
{
    TOI_KEPT_VERTICES,    // of lists of vertices' and faces' boxes
    TOI_KEPT_EDGES,       // of a list of edges' boxes
    TOI_KEPT_POINT_EDGE,  // of lists of loose vertices' and loose edges' boxes
    TOI_KEPT_POINT_POINT, // of a list of loose vertices' boxes
    TOI_KEPT_ORDER,       // of the mesh itself
    TOI_KEPT
};

// Faces, edges and filter: the scene's own copies, or views of the caller's; and the loose parts.
typedef struct toi_topology
{
    int64_t vertex_count;
    toi_index_view faces;
    toi_index_view edges;
    toi_loose_parts loose;
    toi_filter filter;
    int32_t *own_faces;
    int64_t face_capacity; // of own_faces
    toi_edge_array own_edges;
    int32_t *own_groups;
    bool plain; // edges are the faces' alone
    bool stale; // there are no edges and loose parts, because the faces have changed
} toi_topology;

// Faces that have changed since the order of the faces was kept; by number, also more than once.
typedef struct toi_changed_list
{
    bool waits; // for the next call that uses the order
    int32_t *data;
    int64_t count;
    int64_t capacity;
} toi_changed_list;

struct toi_scene
{
    atomic_flag busy;
    toi_budget budget;
    int64_t limit; // of its definition
    toi_topology topology;
    _Atomic int64_t vertex_count; // the topology's, for who has not entered
    _Atomic int64_t face_count;   // likewise
    toi_broad_slot kept[TOI_KEPT];
    struct toi_stars *stars; // of the faces, for overlaps (overlap/overlap.h); or NULL
    toi_changed_list changed;
    toi_impact last;               // the first of the last step; TOI_SEPARATED: none is known
    toi_tracking tracking;         // how pairs are found, and what that keeps
    struct toi_resident *resident; // what is kept on a device (device/device.h); or NULL
};

// A scene for one call: empty.
toi_scene toi_passing_scene(void);

// Gives back what it holds, topology included.
void toi_clear_scene(toi_scene *scene);

// Locks a scene for one call, whose limit is `memory_limit` or the scene's own; or refuses when
// another call uses it.
toi_status toi_enter_scene(toi_scene *scene, int64_t memory_limit);
void toi_leave_scene(toi_scene *scene);

// The same without a look at memory.
toi_status toi_lock_scene(toi_scene *scene);

// Brings the order that is kept up to date after faces have changed.
void toi_settle_order(toi_scene *scene);

// Makes edges and loose parts where the faces have changed: for calls that need them.
toi_status toi_freshen_topology(toi_scene *scene, int workers);

// Copies the groups of a filter, if it has some.
toi_status toi_copy_groups(toi_filter *filter, toi_budget *budget, int32_t **own);

// Forgets what searches keep.
void toi_forget_kept(toi_scene *scene);

// Checks the faces and edges of a mesh and takes views of them, or copies; makes edges of the faces
// and of `loose` where there are none. On failure `topology` holds nothing.
typedef struct toi_topology_source
{
    const toi_mesh *mesh; // its positions do not matter, but for their number
    toi_index_view loose;
    const toi_filter *filter;
    bool copy;
} toi_topology_source;
toi_status toi_make_topology(const toi_topology_source *source, int workers, toi_budget *budget,
                             toi_topology *topology);
void toi_free_topology(toi_topology *topology);

#endif
