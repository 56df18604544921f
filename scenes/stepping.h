// What the simulators of rigid bodies and of cloth share: the questions they ask about a field, and
// the rule that decides how far a body may go.
//
// A body that starts a step at least `least` > 0 away from the field asks for the first time at
// which it comes within a margin of half that. It goes to t_low and no further, so it is still
// outside, and never stuck: whoever keeps half of his distance can move. Contacts push it back to
// `gap`, where it rests.

#ifndef TOI_SCENES_STEPPING_H
#define TOI_SCENES_STEPPING_H

#include "solids.h"
#include "toi/sdf.h"
#include "vec3.h"

enum
{
    MOST_SUBSTEPS = 24, // of a step; then the body rests until the next
    MOST_HITS = 32      // points of impact that stay contacts
};

// What a run has cost and met.
typedef struct stepping_counts
{
    int64_t steps;
    int64_t impacts;     // steps or parts of them that ended before their time
    int64_t rests;       // steps that were cut short
    double rested;       // seconds that were lost thereby
    int64_t contacts;    // solved for, in all parts of all steps
    int64_t nodes;       // that the impact search looked at
    int64_t evaluations; // of the field, likewise
    double impact_time;  // seconds spent looking for impacts
    double contact_time; // for contacts
    double solve_time;   // for velocities
    double impact_least; // seconds of the fastest search, and of the slowest
    double impact_most;
    int64_t searches;
} stepping_counts;

typedef struct stepping
{
    const toi_field *field;
    toi_sdf_def impact;      // margin is set anew in every part
    toi_contact_def contact; // its distance is how far contacts are collected
    double step;             // seconds
    double gap;              // the distance that a resting body keeps
    vec3 gravity;
    double (*clock)(void); // seconds, or NULL: times are not measured
    const toi_solid *mesh; // of the body, in its own coordinates
    toi_field_contact_array contacts;
    toi_field_contact hits[MOST_HITS]; // where parts of steps have ended, as long as they are near
    int hit_count;
    bool forgetful; // hits are forgotten when their step ends
    stepping_counts counts;
} stepping;

// Begins a step.
void start_step(stepping *world);

// Collects the contacts at the start of a motion, and sets the margin from the closest. Where there
// was an impact, that point of the mesh is a contact as well while it is near: a large triangle has
// more places to rest on than the contacts that are looked for.
toi_status meet_field(stepping *world, const toi_surface *surface, const toi_motion *motion);

// How far the motion may go: all of it, or to t_low of its first impact, which is kept.
toi_status find_way(stepping *world, const toi_surface *surface, const toi_motion *motion,
                    double *way);

// The normal velocity that a contact asks for in the next `rest` seconds: so fast towards the field
// as its distance allows, or away from it to win back the gap.
double asked_velocity(const stepping *world, double distance, double rest);

// Seconds by the world's clock.
double stepping_clock(const stepping *world);

#endif
