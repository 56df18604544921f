// The certified search: what its files share. docs/sdf.md has the theorems.
//
// A node is a box of the hierarchy, a triangle, or a part of one, together with a time until which
// it is proved to touch nothing. The node of the least time is visited next: from a sample of the
// field its time is moved on by a bound, or it is split. Points found to touch on the way bound the
// first contact from above.

#ifndef TOI_SDF_CERTIFIED_H
#define TOI_SDF_CERTIFIED_H

#include "sdf/search.h"

#include <math.h>

// Half an ulp of 1.
#define TOI_UNIT 0x1p-53

// A triangle or a part of one.
typedef struct toi_face_part
{
    toi_corner corner[3];
    double place[3][2]; // the corners' u and v in the whole triangle
    double weight[3];   // of the corners: where the last visit sampled the field
    double stride;      // of the descent over the part; 0: none yet
    double tried;       // the gap from which a contact was looked for last
    int32_t triangle;
    int16_t depth; // how often it was split
    bool far;      // so far away that the middle is as good as any other point
} toi_face_part;

// No part is split more often than this; by then it is a point.
enum
{
    TOI_PART_DEPTH = 64
};

// A point found in contact.
typedef struct toi_witness
{
    double time; // infinity: none
    int32_t triangle;
    double u;
    double v;
    double touch; // how close counted as contact there
} toi_witness;

// What a search knows, the same for every worker.
typedef struct toi_field_search
{
    const toi_sdf_question *question;
    const toi_field *field;
    const toi_track *track;
    double lipschitz; // at least the field's, raised by rounding
    double margin;
    double tolerance;
    double duration;
    double touch;          // the caller's
    double rounding;       // what positions and times may cost in distance
    double position_error; // of a corner, and what a split adds
    double split_error;
    double velocity_error;
    double split_velocity_error;
    // Of a caller's own field: where the search began, for a check of its Lipschitz constant.
    double first_point[3];
    double first_value;
    double first_error;
} toi_field_search;

// One worker's view of it.
typedef struct toi_searcher
{
    const toi_field_search *search;
    toi_frame frame;
    toi_witness best;
    int64_t evaluations;
    int64_t nodes;
    int64_t node_limit;
    bool failed; // the field gave what no field gives, at `bad`
    bool lied;   // it was a number, but too far from `bad_other`'s
    double bad[3];
    double bad_other[3];
    // The last sample of this visit.
    bool has_last;
    double last[3];
    double last_value;
    double last_error;
} toi_searcher;

// What becomes of a node.
typedef enum toi_visit
{
    TOI_VISIT_FREE,  // touches nothing that matters
    TOI_VISIT_LATER, // touches nothing before a later time
    TOI_VISIT_SPLIT  // likewise, and is to be split
} toi_visit;

// Samples the field. A value that is not a number, or breaks the Lipschitz constant, fails the
// search; the gradient is always finite.
void toi_search_sample(toi_searcher *searcher, const double point[3], toi_field_sample *sample);

// Bounds in a ball; how many, at most `room`. Bounds that are not numbers fail the search.
int toi_search_bound(toi_searcher *searcher, const toi_field_sample *sample, const double centre[3],
                     double radius, toi_minorant *minorants, int room);

// Visits a node that is free until *time, and moves that on while it stays before `front`, the
// time of the next node. A split fills `parts`, and how long each of them, or of the two boxes in
// a box, is free.
toi_visit toi_visit_part(toi_searcher *searcher, toi_face_part *part, double front, double *time,
                         toi_face_part parts[4], double times[4]);
toi_visit toi_visit_box(toi_searcher *searcher, int64_t node, double front, double *time,
                        double times[2]);

// From where on nodes do not matter.
static inline double toi_search_goal(const toi_searcher *s)
{
    double end = s->best.time - s->search->tolerance;
    if (s->best.time - end > s->search->tolerance) // it was rounded down
        end *= 1 + 2 * TOI_UNIT;
    return end < s->search->duration ? end : s->search->duration;
}

// How close counts as contact at a sample.
static inline double toi_touch_at(const toi_field_search *s, const toi_field_sample *sample)
{
    double least = 4 * (s->rounding + sample->error);
    return s->touch > least ? s->touch : least;
}

static inline const toi_frame *toi_frame_at(toi_searcher *s, double time)
{
    // A motion that takes no time is searched as if it took some, at rest.
    if (time > s->search->track->duration)
        time = s->search->track->duration;
    if (s->frame.time != time)
        toi_track_frame(s->search->track, time, &s->frame);
    return &s->frame;
}

// Products that are smaller could lose their digits.
#define TOI_TINY 0x1p-500

// A time in [0, horizon] until which a - b tau - c tau^2 stays positive (c >= 0). All operations
// but b + root are on numbers of one sign, so the root's relative error is a few units; b and c may
// be too small by 32 units each. docs/sdf.md, "The root".
static inline double toi_root_after(double a, double b, double c, double horizon)
{
    double raised = c + TOI_TINY, root = sqrt(b * b + 4 * a * raised);
    double above = b > 0 ? 2 * a : root - b, below = b > 0 ? b + root : 2 * raised;
    double tau = above / below * (1 - 64 * TOI_UNIT);
    tau = tau < horizon ? tau : horizon;
    return a > TOI_TINY && root < 1e150 ? tau : 0;
}

// Likewise, without the work where a is not positive.
static inline double toi_root_if_free(double a, double b, double c, double horizon)
{
    return a > TOI_TINY ? toi_root_after(a, b, c, horizon) : 0;
}

// time + step, never above it.
static inline double toi_later(double time, double step)
{
    double sum = time + step, large = time > step ? time : step, small = time > step ? step : time;
    return sum - large > small ? sum * (1 - TOI_UNIT) : sum;
}

// |n.x''| <= this |x''| for every acceleration of the motion; n has this square and length.
static inline double toi_across(const toi_track *track, const double n[3], double square,
                                double length)
{
    if (!track->has_axis)
        return length * (1 + 0x1p-44);
    double along = n[0] * track->axis[0] + n[1] * track->axis[1] + n[2] * track->axis[2];
    double rest = square - along * along;
    return sqrt((rest > 0 ? rest : 0) + 0x1p-48 * square) + 0x1p-44 * length;
}

#endif
