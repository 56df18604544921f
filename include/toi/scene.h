/// @file
/// A scene: a mesh whose vertices move from step to step while its faces and edges stay.
///
/// A solver asks about the same faces and edges thousands of times. toi_make_scene() checks them
/// once and keeps what every step can use again: the edges, the order of the primitives in space,
/// and all working memory. The answers are those of ccd.h, bit for bit; from the second step on
/// they come sooner, and without a call of the allocate hook (see toi_scene_find_earliest()).
///
/// One call at a time may use a scene; a second one is refused with TOI_ERROR_ARGUMENT. Any number
/// of scenes may be used by any number of threads at once. A call that fails leaves the scene as
/// usable as it was.

#ifndef TOI_SCENE_H
#define TOI_SCENE_H

#include "toi/ccd.h"

TOI_EXTERN_C_BEGIN

/// A mesh without its positions, and what its calls share.
typedef struct toi_scene toi_scene;

/// What a scene is made of; start from toi_default_scene_def(). Everything it points to is copied,
/// but for the filter's function and its context, which must stay valid while the scene lives.
typedef struct toi_scene_def
{
    /// How many vertices there are. Each is tested against the faces, whether a face or an edge
    /// names it or not; where none does, also against the loose edges and vertices (mesh.h).
    int64_t vertex_count;
    toi_index_view faces; ///< triangles; may be empty
    /// The edges to test, numbered as given; they must contain every side of every face. Leave it
    /// empty (count 0) to have the sides of the faces and `loose_edges`, each once, in the order of
    /// toi_make_edges().
    toi_index_view edges;
    /// Edges beside the faces' own: rods, hair, wires. Only where `edges` is empty.
    toi_index_view loose_edges;
    toi_filter filter; ///< which pairs of vertices may collide; zeroed: all
    /// The most bytes that the scene may hold, while it is made and in every call
    /// (broad_phase.h says what counts); 0: no limit. A call's own limit may be lower.
    int64_t memory_limit;
    int workers;     ///< how many check and copy; 0: toi_default_workers()
    uint32_t cookie; ///< set by the default function; leave it
} toi_scene_def;

/// No vertices, faces or edges yet, every pair may collide, no limit, toi_default_workers().
TOI_API toi_scene_def toi_default_scene_def(void);

/// Checks the faces and edges as toi_check_mesh() does, copies them, and makes the edges where they
/// are not given. On failure *scene is NULL.
TOI_API toi_status toi_make_scene(const toi_scene_def *def, toi_scene **scene);

/// Harmless on NULL.
TOI_API void toi_free_scene(toi_scene *scene);

/// Replaces vertices, faces, edges, filter and memory limit: for tearing, cutting and remeshing.
/// That costs as much as a new scene, but the working memory stays; toi_scene_change_faces()
/// (overlap.h) costs as much as what has changed. Faces and edges are numbered anew, as given. On
/// failure the scene stays as it was.
TOI_API toi_status toi_scene_change(toi_scene *scene, const toi_scene_def *def);

/// Replaces the filter alone, which is cheap. NULL: all may collide.
TOI_API toi_status toi_scene_set_filter(toi_scene *scene, const toi_filter *filter);

/// The scene's faces and edges with these positions, for functions that take a mesh:
/// toi_gather_query(), toi_make_boxes(). Valid until the scene is changed or freed. A mesh without
/// anything if the scene is NULL. After toi_scene_change_faces() (overlap.h) it has no edges until
/// a call has needed them.
TOI_API toi_mesh toi_scene_mesh(const toi_scene *scene, toi_point_view start, toi_point_view end);

/// How many bytes the scene holds now, between calls. Not to be called while a call uses it.
TOI_API int64_t toi_scene_bytes(const toi_scene *scene);

/// Gives back all memory but the faces, edges and filter. The next call takes what it needs again.
TOI_API toi_status toi_scene_trim(toi_scene *scene);

/// toi_find_earliest() for the step from `start` to `end`.
///
/// Here and in all functions below: `start` and `end` have one position for each vertex of the
/// scene, all finite, and are only read during the call. def->filter must be empty: the scene has
/// its own.
///
/// The first call takes what it needs from the allocate hook. Later calls with the same definition
/// take nothing: not this one, not toi_scene_find_safe_steps(), and not toi_scene_find_impacts()
/// while the list handed in has room for the result. (The exception: with several workers, queries
/// of `exact` whose coordinates span more than some hundred powers of two.)
TOI_API toi_status toi_scene_find_earliest(toi_scene *scene, const toi_ccd_def *def,
                                           toi_point_view start, toi_point_view end,
                                           toi_ccd_report *report);

/// toi_find_impacts() for the step. Hand the same list in at every step.
TOI_API toi_status toi_scene_find_impacts(toi_scene *scene, const toi_ccd_def *def,
                                          toi_point_view start, toi_point_view end,
                                          toi_impact_array *impacts, toi_ccd_report *report);

/// toi_find_safe_steps() for the step: one number for each vertex of the scene, all 0 on failure.
TOI_API toi_status toi_scene_find_safe_steps(toi_scene *scene, const toi_ccd_def *def,
                                             toi_point_view start, toi_point_view end,
                                             double *steps, toi_ccd_report *report);

/// toi_find_candidates() for the step.
TOI_API toi_status toi_scene_find_candidates(toi_scene *scene, const toi_ccd_def *def,
                                             toi_point_view start, toi_point_view end,
                                             toi_kind kind, toi_pair_array *pairs,
                                             toi_ccd_report *report);

/// toi_find_all_candidates() for the step.
TOI_API toi_status toi_scene_find_all_candidates(toi_scene *scene, const toi_ccd_def *def,
                                                 toi_point_view start, toi_point_view end,
                                                 toi_pair_array *lists, toi_ccd_report *report);

/// toi_stream_candidates() for the step.
TOI_API toi_status toi_scene_stream_candidates(toi_scene *scene, const toi_ccd_def *def,
                                               toi_point_view start, toi_point_view end,
                                               toi_kind kind, toi_pair_sink_fn *sink, void *context,
                                               toi_ccd_report *report);

TOI_EXTERN_C_END

#endif
