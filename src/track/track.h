// How a scene's pairs are found: what a method of tracking must do, and where the pipeline asks it.

#ifndef TOI_TRACK_TRACK_METHODS_H
#define TOI_TRACK_TRACK_METHODS_H

#include "broad/broad.h"
#include "toi/track.h"

struct toi_pipeline;

enum
{
    TOI_TRACK_SEEN = 64
};

// What TOI_TRACK_AUTO goes by. It has a say in what steps cost, never in what they find.
typedef struct toi_track_choice
{
    toi_track_method method;      // of the last step
    int run;                      // steps in a row by it
    double spent;                 // seconds of this step so far
    int rebuilds;                 // of fronts, in a row
    double cost[TOI_TRACK_COUNT]; // of a step by a method, about; 0: unknown
    double sum;                   // seconds of the last `summed` steps by budgets
    int summed;
    int failures; // steps in a row that had no use for what the last one kept
    int alone;    // steps still to be made without memory, after such
    int first;    // steps made without memory because they were the first
    // Of some vertices where the last step ended, if that was made without memory.
    bool have_seen;
    double seen[TOI_TRACK_SEEN][3];
    // Of the last step that went through all pairs of its motion: how many there were for each
    // primitive, how long it was in edges, and how many steps ago. 0: there was none.
    double density, motion;
    int cuts;
    int pause, next_pause; // steps without budgets, which did not pay: still, and the next time
} toi_track_choice;

// What a scene holds for tracking; zeroed, it is a scene that was never asked.
typedef struct toi_tracking
{
    bool set; // `def` is the caller's; else the default holds
    toi_track_def def;
    bool asked; // `report` tells of a call
    toi_track_report report;
    void *kept; // by the method, from step to step; or NULL
    toi_track_choice choice;
    bool without; // the next call does without, for want of memory
} toi_tracking;

static inline toi_track_method toi_tracking_method(const toi_tracking *t)
{
    return t->set ? t->def.method : TOI_TRACK_AUTO;
}

// A method. Its functions are called in this order, for every motion that a call asks about:
// `prepare` once, then `stream` for vertices and faces and for edges.
typedef struct toi_track_source
{
    // Makes ready for the motion of p->mesh. TOI_ERROR_LIMIT: there is no memory for that; the
    // scene then searches as if there had been no step before. So it does if p->source is NULL
    // afterwards.
    toi_status (*prepare)(struct toi_pipeline *p);
    // Emits every pair of a kind that may count, once, and others perhaps; filtered.
    toi_status (*stream)(struct toi_pipeline *p, toi_kind kind, toi_receiver to);
    // Gives back what a scene keeps; harmless on NULL.
    void (*forget)(void *kept);
    // Faces or edges will be others in the next step: notes that. NULL: everything is forgotten.
    void (*change)(void *kept);
    // Pairs come by place (p->order.trees), as those of toi_stream_near(), and not filtered.
    bool places;
} toi_track_source;

// Of an order and budgets that are kept (track/kept.c).
extern const toi_track_source toi_track_kept;

// Of MCCD (track/literature/mccd.c).
extern const toi_track_source toi_track_mccd;

// Does a call find its pairs as the scene's tracking says?
bool toi_is_tracked(const struct toi_pipeline *p);

// Prepares the motion that is to be solved next, and says where its pairs come from (p->source).
toi_status toi_begin_motion(struct toi_pipeline *p);

// Completes the report of a call that succeeded.
void toi_report_tracking(struct toi_pipeline *p);

// Has a call failed for want of memory that tracking took? Then that is given back, and the call
// may be made again.
bool toi_track_less(toi_scene *scene, toi_status status);

// Faces or edges of the scene change: forgets what cannot go on with others.
void toi_change_tracking(toi_tracking *tracking);

// Forgets what is kept.
void toi_forget_tracking(toi_tracking *tracking);

#endif
