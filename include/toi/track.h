/// @file
/// Step after step: what a scene may remember from one step to the next to answer sooner, and the
/// multi-core method of the literature (MCCD) beside it.
///
/// A scene (scene.h) answers each step by itself; what it keeps saves time and changes no answer.
/// How much is kept, and by which method the pairs of a step are found, is said here. Every method
/// gives the same impacts, bit for bit, for any number of workers.

#ifndef TOI_TRACK_H
#define TOI_TRACK_H

#include "toi/scene.h"

TOI_EXTERN_C_BEGIN

/// How the pairs of a step are found.
typedef enum toi_track_method
{
    /// The cheapest of the three below, chosen at each step from the motion that it measures. Where
    /// only the earliest impact is asked for, and the last step's was early among many pairs, the
    /// order alone: then only the beginning of the motion is looked at.
    TOI_TRACK_AUTO,
    /// As if there had been no step before.
    TOI_TRACK_STATELESS,
    /// The order of the primitives is kept, and the last end's bounds.
    TOI_TRACK_ORDER,
    /// And for pairs of blocks of primitives: which pairs may come close before a budget of
    /// relative motion is spent.
    TOI_TRACK_BUDGETS,
    TOI_TRACK_FRONT,   ///< MCCD (Tang, Manocha, Tong 2010): the front of the test tree is kept
    TOI_TRACK_PHC,     ///< its parallel forerunner: subtasks collected breadth first
    TOI_TRACK_SERIAL,  ///< the same tree, from its root at every step, by one worker
    TOI_TRACK_REBUILD, ///< the tree and the front anew at every step
    TOI_TRACK_COUNT
} toi_track_method;

/// "auto", "stateless", "order", "budgets", "front", "phc", "serial", "rebuild"; NULL when out of
/// range.
TOI_API const char *toi_track_name(toi_track_method method);

/// The method of that name; TOI_TRACK_COUNT when there is none.
TOI_API toi_track_method toi_track_find(const char *name);

/// What the nodes of the tree of MCCD are bounded by.
typedef enum toi_volume
{
    TOI_VOLUME_BOX,   ///< axis-aligned boxes
    TOI_VOLUME_DOP18, ///< nine slabs: the axes, and the sums and differences of two
    TOI_VOLUME_COUNT
} toi_volume;

/// "box", "dop18"; NULL when out of range.
TOI_API const char *toi_volume_name(toi_volume volume);

/// Options; start from toi_default_track_def().
typedef struct toi_track_def
{
    toi_track_method method;
    toi_volume volume; ///< of the four last methods; default TOI_VOLUME_DOP18, as in the paper
    /// Feature pairs that belong to adjacent faces only are listed once, instead of being found in
    /// every step; of the four last methods. Default true.
    bool orphans;
    /// The front is made anew when the nodes that were added since it was made are more than this
    /// share of it (Q1), or those that were left behind (Q2). Defaults 0.30 and 0.45.
    double most_sprouted;
    double most_phantom;
    /// The tree is made anew when its volumes have grown by more than this factor. Default 1.5.
    double most_growth;
    /// The most bytes that a front or budgets may take; beyond it, less is kept. 0: as the scene's
    /// memory limit allows.
    int64_t memory_limit;
    uint32_t cookie; ///< set by the default function; leave it
} toi_track_def;

/// TOI_TRACK_AUTO, and the paper's numbers.
TOI_API toi_track_def toi_default_track_def(void);

/// Says how a scene finds its pairs from the next call on: in toi_scene_find_earliest(),
/// toi_scene_find_impacts() and toi_scene_find_safe_steps() with the broad phase TOI_BROAD_AUTO,
/// no given pairs and no candidates to count; other calls search as before. What was kept for
/// another method is given back. NULL: the default. A scene on which it was never called uses the
/// default too. On failure the scene stays as it was: TOI_ERROR_ARGUMENT, or TOI_ERROR_UNSUPPORTED
/// for a method of the literature (the four last) in a build without them.
///
/// With the four last methods every step may take memory. Where a memory limit leaves none for
/// tracking, a step searches as with TOI_TRACK_STATELESS, and the report says so.
TOI_API toi_status toi_scene_set_tracking(toi_scene *scene, const toi_track_def *def);

/// What the last such call of a scene did.
typedef struct toi_track_report
{
    toi_track_method method; ///< that was used; TOI_TRACK_STATELESS where memory did not suffice
    int64_t steps;           ///< since tracking was set
    bool reordered;          ///< the order of the primitives, or the tree, was made anew
    bool rebuilt;            ///< the front, or all budgets, were made anew
    int64_t volume_tests;    ///< tests of two bounding volumes
    int64_t elementary;      ///< pairs of a vertex and a face or of two edges, handed to the solver
    int64_t adjacent;        ///< of those, from adjacent faces (orphans or not)
    int64_t front;           ///< nodes of the front, or pairs of blocks with a budget
    int64_t sprouted;        ///< nodes added to the front in this step
    int64_t phantom;         ///< nodes that were left behind in this step
    double q1, q2;           ///< the paper's measures of the front
    double motion;           ///< mean length of the vertices' ways, in mean edges
    double seconds_refit;    ///< wall time: bounds
    double seconds_front;    ///< wall time: front, budgets, search
    double seconds_solve;    ///< wall time: elementary tests
    double seconds_total;    ///< wall time of the call
    int64_t kept_bytes;      ///< what the scene keeps for the next step
} toi_track_report;

/// TOI_ERROR_ARGUMENT where no step was made yet.
TOI_API toi_status toi_scene_track_report(const toi_scene *scene, toi_track_report *report);

TOI_EXTERN_C_END

#endif
