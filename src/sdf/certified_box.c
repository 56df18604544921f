// A visit to a box of the hierarchy: one sample at its centre, and bounds for all that is in it.

#include "sdf/certified.h"
#include "sdf/vector.h"

// When a bound is spent, as for parts.
static const double SPENT = 0.4;

// Bounds about a box. More of them cost more than their better bound saves.
enum
{
    ROOM = 5
};

// A box at an instant, along the axes of the mesh and relative to the centre of the box whose
// centre was sampled: that box itself, or one in it.
typedef struct block
{
    double offset[3]; // of its centre
    double drift[3];  // how fast that grows
    double half[3];
    double half_rate[3];
    double radius; // upper bounds, as all that follows
    double grow;   // of the radius; not negative
    double far;    // |offset|
    double corner; // |half|
    double speed;  // of the centre in the field's frame
    double bend;   // likewise
    double corner_bend;
} block;

// A minorant along the axes of the mesh, and what its numbers make with the motion.
typedef struct slope
{
    double distance; // without the margin
    double size;     // of the numbers in that
    double curvature;
    double slope;
    double normal;    // its length
    double across;    // half of what accelerations can do
    double away;      // n.v of the centre
    double along[3];  // n
    double turned[3]; // n x spin
} slope;

// The box that was sampled, in the field's frame.
typedef struct scene
{
    const toi_frame *frame;
    toi_moving_box box;
    block own;
    double x[3]; // its centre
    double v[3];
    double spin;
    toi_field_sample sample;
    slope slopes[ROOM];
    int count;      // of them; they hold in a ball about x
    double horizon; // that the box does not leave before so long
    double reach;   // speed at which the box's ball grows about x
} scene;

static const double UP = 1 + 16 * TOI_UNIT;

// Sizes of a box at a time. The last terms are for those that shrink.
static void size_block(const toi_moving_box *box, double time, bool linear, block *b)
{
    if (!linear) {
        for (int k = 0; k < 3; ++k) {
            b->half[k] = box->half[k] * UP;
            b->half_rate[k] = 0;
        }
        b->radius = box->radius * UP;
        b->grow = 0;
        b->corner = toi_norm(b->half) * UP;
        return;
    }
    for (int k = 0; k < 3; ++k) {
        double half = (box->half[k] + time * box->half_rate[k]) * UP + 8 * TOI_UNIT * box->half[k];
        b->half[k] = half > 0 ? half : 0;
        b->half_rate[k] = box->half_rate[k];
    }
    double radius = (box->radius + time * box->radius_rate) * UP + 8 * TOI_UNIT * box->radius;
    b->radius = radius > 0 ? radius : 0;
    b->grow = box->radius_rate > 0 ? box->radius_rate : 0;
    b->corner = toi_norm(b->half) * UP;
}

static double corner_bend(const toi_track *track, const toi_moving_box *box, double corner,
                          double bend)
{
    if (!track->linear)
        return (bend + track->bend[1] * corner) * UP;
    double more = track->bend[1] * toi_norm(box->half) + track->bend[2] * toi_norm(box->half_rate);
    return (bend + more) * UP;
}

// As toi_question_box(), but of a rigid mesh only what does not vanish.
static void load_box(const toi_sdf_question *question, int64_t node, toi_moving_box *box)
{
    if (question->track.linear) {
        toi_question_box(question, node, box);
        return;
    }
    const toi_surface_box *still = &question->surface->boxes[node];
    for (int k = 0; k < 3; ++k) {
        box->centre.p[k] = still->centre[k] - question->track.centre[k];
        box->centre.v[k] = 0;
        box->half[k] = still->half[k];
    }
    box->radius = still->radius;
}

static void look(toi_searcher *s, int64_t node, double time, scene *o)
{
    const toi_field_search *search = s->search;
    load_box(search->question, node, &o->box);
    o->frame = toi_frame_at(s, time);
    toi_track_point(search->track, o->frame, &o->box.centre, o->x, o->v, &o->own.bend);
    o->spin = toi_norm(o->frame->spin) * UP;
    size_block(&o->box, time, search->track->linear, &o->own);
    o->own.far = 0;
    for (int k = 0; k < 3; ++k)
        o->own.offset[k] = o->own.drift[k] = 0;
    o->own.speed = toi_norm(o->v) * UP + search->velocity_error;
    o->own.corner_bend = corner_bend(search->track, &o->box, o->own.corner, o->own.bend);
    o->count = 0;
}

// A box within the one that was sampled.
static void look_within(const toi_searcher *s, int64_t node, const scene *o, block *b)
{
    const toi_track *track = s->search->track;
    toi_moving_box box;
    double apart[3];
    load_box(s->search->question, node, &box);
    size_block(&box, o->frame->time, track->linear, b);
    for (int k = 0; k < 3; ++k) {
        b->offset[k] = apart[k] = box.centre.p[k] - o->box.centre.p[k];
        b->drift[k] = 0;
    }
    double away = 0, drift = 0;
    if (track->linear) {
        for (int k = 0; k < 3; ++k) {
            b->drift[k] = box.centre.v[k] - o->box.centre.v[k];
            b->offset[k] = apart[k] + o->frame->time * b->drift[k];
        }
        away = toi_norm(apart);
        drift = toi_norm(b->drift);
    }
    b->far = toi_norm(b->offset) * UP;
    away = track->linear ? away : b->far;
    b->speed = (o->own.speed + o->spin * b->far + drift) * UP + s->search->velocity_error;
    b->bend = (o->own.bend + track->bend[1] * away + track->bend[2] * drift) * UP;
    b->corner_bend = corner_bend(track, &box, b->corner, b->bend);
}

typedef struct bound
{
    double step;
    double low;
} bound;

static void take_better(double low, double step, bound *out)
{
    out->low = low > out->low ? low : out->low;
    out->step = step > out->step ? step : out->step;
}

// The ball about a block's centre: turning does not move it.
static bound bound_plainly(const toi_field_search *search, const scene *o, const block *b,
                           double horizon)
{
    const toi_field_sample *sample = &o->sample;
    double l = search->lipschitz, r = b->far + b->radius + 2 * search->position_error;
    double slack = sample->error + 8 * TOI_UNIT * (fabs(sample->value) + fabs(search->margin));
    double gap = sample->value - search->margin - slack;
    double v = b->speed + b->grow, low = gap - l * r * (1 + 8 * TOI_UNIT);
    bound out = {toi_root_if_free(low, l * v, 0.5 * l * b->bend, horizon), low};
    if (search->field->step > 0) {
        low = gap - (search->field->step + r) * (1 + 8 * TOI_UNIT);
        take_better(low, toi_root_if_free(low, v, 0.5 * b->bend, horizon), &out);
    }
    return out;
}

// One minorant over a block. Its corners are at offset +- half along each axis of the mesh, so
// their least value and greatest speed towards the field are sums of three absolute values; or over
// its ball, whichever is nearer.
static bound bound_by(const toi_field_search *search, const scene *o, const block *b,
                      const slope *m)
{
    double extent = 0, faster = 0, ahead = 0, away = m->away;
    for (int i = 0; i < 3; ++i) {
        extent += fabs(m->along[i]) * b->half[i];
        ahead += m->along[i] * b->offset[i];
        away += m->turned[i] * b->offset[i];
    }
    if (search->track->linear) {
        for (int i = 0; i < 3; ++i) {
            faster += fabs(m->along[i] * b->half_rate[i] + m->turned[i] * b->half[i]);
            away += m->along[i] * b->drift[i];
        }
    } else {
        for (int i = 0; i < 3; ++i)
            faster += fabs(m->turned[i]) * b->half[i];
    }
    // All of the block is near its own centre, and in the ball about the sample.
    double k = m->curvature, r = b->far + b->radius + search->position_error;
    double reach = b->speed + b->grow + 0.5 * b->bend * o->horizon;
    double whole = o->own.radius + search->position_error, n = m->normal;
    if (whole < r) {
        r = whole;
        reach = o->reach;
    }
    double size = n + k * r + m->slope, around = r + b->far + b->corner;
    double slack =
        4 * n * search->position_error + 16 * TOI_UNIT * m->size + 32 * TOI_UNIT * around * size;
    double fast = 4 * n * search->velocity_error +
                  32 * TOI_UNIT * (reach + faster + b->speed + o->own.speed) * size;
    double near = m->distance - slack + ahead - (0.5 * k * r + m->slope) * r;
    double closing = (k * r + m->slope) * reach + fast - away, c = 0.5 * k * reach * reach;
    bool ball = n * b->radius < extent;
    double low = near - (ball ? n * b->radius : extent);
    closing += ball ? n * b->grow : faster;
    c += m->across * (ball ? b->bend : b->corner_bend);
    return (bound){toi_root_if_free(low, closing, c, o->horizon), low};
}

static void prepare_slope(const toi_field_search *search, const scene *o, const toi_minorant *m,
                          slope *out)
{
    double square = toi_dot(m->normal, m->normal), side[3];
    out->distance = m->distance - search->margin;
    out->size = fabs(m->distance) + fabs(search->margin);
    out->curvature = m->curvature;
    out->slope = m->slope;
    out->normal = sqrt(square) * (1 + 4 * TOI_UNIT);
    out->across = 0.5 * toi_across(search->track, m->normal, square, out->normal);
    out->away = toi_dot(m->normal, o->v);
    toi_cross(m->normal, o->frame->spin, side);
    toi_apply_back(o->frame->matrix, m->normal, out->along);
    toi_apply_back(o->frame->matrix, side, out->turned);
}

// All minorants over a block, up to one that says nothing.
static bound bound_closely(const toi_field_search *search, const scene *o, const block *b)
{
    bound out = {o->horizon, INFINITY};
    for (int j = 0; j < o->count && out.low > 0; ++j) {
        bound one = bound_by(search, o, b, &o->slopes[j]);
        out.low = one.low < out.low ? one.low : out.low;
        out.step = one.step < out.step ? one.step : out.step;
    }
    return o->count > 0 ? out : (bound){0, -INFINITY};
}

// Asks the field about a ball that holds the box for about one step.
static void ask_field(toi_searcher *s, double horizon, scene *o)
{
    const block *b = &o->own;
    toi_minorant minorants[ROOM];
    double gap = o->sample.value - s->search->margin, v = b->speed;
    double way = gap > b->corner ? gap : b->corner;
    double h = 2 * way / (v + sqrt(v * v + 2 * b->bend * way) + TOI_TINY);
    o->horizon = h < horizon ? h : horizon;
    o->reach = v + b->grow + 0.5 * b->bend * o->horizon;
    double radius = b->radius + s->search->position_error + o->reach * o->horizon;
    o->count = toi_search_bound(s, &o->sample, o->x, radius * (1 + 8 * TOI_UNIT), minorants, ROOM);
    for (int j = 0; j < o->count; ++j)
        prepare_slope(s->search, o, &minorants[j], &o->slopes[j]);
}

// What the same sample says about the two boxes in this one.
static void bound_children(toi_searcher *s, int64_t node, const scene *o, double goal,
                           double horizon, double time, double times[2])
{
    int64_t child = s->search->question->surface->tree.nodes[node].child;
    for (int k = 0; k < 2; ++k) {
        block b;
        look_within(s, child + k, o, &b);
        // Where there are minorants, the Lipschitz constant rarely says more.
        double step = o->count > 0 ? bound_closely(s->search, o, &b).step
                                   : bound_plainly(s->search, o, &b, horizon).step;
        double later = step >= horizon ? goal : toi_later(o->frame->time, step);
        times[k] = later > time ? later : time;
    }
}

toi_visit toi_visit_box(toi_searcher *s, int64_t node, double front, double *time, double times[2])
{
    for (;;) {
        double goal = toi_search_goal(s), horizon = goal - *time, asked = INFINITY;
        if (!(horizon > 0))
            return TOI_VISIT_FREE;
        ++s->nodes;
        scene o;
        look(s, node, *time, &o);
        toi_search_sample(s, o.x, &o.sample);
        bound best = bound_plainly(s->search, &o, &o.own, horizon);
        if (best.step < horizon) {
            ask_field(s, horizon, &o);
            asked = o.horizon;
            bound close = bound_closely(s->search, &o, &o.own);
            if (close.step > best.step)
                best = close;
        }
        if (s->failed)
            return TOI_VISIT_LATER;
        if (best.step >= horizon) {
            *time = goal;
            return TOI_VISIT_FREE;
        }
        *time = toi_later(*time, best.step);
        double gap = o.sample.value - s->search->margin;
        if (!(best.low > SPENT * gap || best.step >= asked || best.step > 0.25 * horizon)) {
            bound_children(s, node, &o, goal, horizon, *time, times);
            return TOI_VISIT_SPLIT;
        }
        if (*time > front || s->nodes >= s->node_limit)
            return TOI_VISIT_LATER;
    }
}
