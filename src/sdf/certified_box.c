// A visit to a box of the hierarchy: one sample at its centre, and bounds for all that is in it.

#include "sdf/certified.h"
#include "sdf/vector.h"

// When a bound is spent, as for parts.
static const double SPENT = 0.5;

// A box at an instant, in the field's frame.
typedef struct scene
{
    const toi_frame *frame;
    double half[3];
    double half_rate[3];
    double radius; // upper bounds, as all that follows
    double radius_rate;
    double corner; // |half|
    double x[3];   // the centre
    double v[3];
    double speed; // of the centre
    double bend;  // of the centre
    double corner_bend;
} scene;

static void look(toi_searcher *s, int64_t node, double time, scene *o)
{
    const toi_field_search *search = s->search;
    const toi_track *track = search->track;
    toi_moving_box box;
    double up = 1 + 16 * TOI_UNIT;
    toi_question_box(search->question, node, &box);
    o->frame = toi_frame_at(s, time);
    toi_track_point(track, o->frame, &box.centre, o->x, o->v, &o->bend);
    o->speed = toi_norm(o->v) * up + search->velocity_error;
    for (int k = 0; k < 3; ++k) {
        // The second term is for halves that shrink.
        double half = (box.half[k] + time * box.half_rate[k]) * up + 8 * TOI_UNIT * box.half[k];
        o->half[k] = half > 0 ? half : 0;
        o->half_rate[k] = box.half_rate[k];
    }
    double radius = (box.radius + time * box.radius_rate) * up + 8 * TOI_UNIT * box.radius;
    o->radius = radius > 0 ? radius : 0;
    o->radius_rate = box.radius_rate;
    o->corner = toi_norm(o->half) * up;
    o->corner_bend =
        (o->bend + track->bend[1] * toi_norm(box.half) + track->bend[2] * toi_norm(box.half_rate)) *
        up;
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

// The ball about the centre: turning does not move it.
static bound bound_plainly(const toi_field_search *search, const scene *o,
                           const toi_field_sample *sample, double horizon)
{
    double l = search->lipschitz, r = o->radius + search->position_error;
    double slack = sample->error + 8 * TOI_UNIT * (fabs(sample->value) + fabs(search->margin));
    double gap = sample->value - search->margin - slack;
    double grow = o->radius_rate > 0 ? o->radius_rate : 0;
    double v = o->speed + grow, low = gap - l * r * (1 + 8 * TOI_UNIT);
    bound out = {toi_root_after(low, l * v, 0.5 * l * o->bend, horizon), low};
    if (search->field->step > 0) {
        low = gap - (search->field->step + r) * (1 + 8 * TOI_UNIT);
        take_better(low, toi_root_after(low, v, 0.5 * o->bend, horizon), &out);
    }
    return out;
}

// One minorant over the box. Its corners are at x +- half along each axis of the mesh, so their
// least value and greatest speed towards the field are sums of three absolute values; or over the
// ball, whichever lasts longer.
static bound bound_by(const toi_field_search *search, const scene *o, const toi_minorant *m,
                      double reach, double horizon)
{
    const toi_track *track = search->track;
    double square = toi_dot(m->normal, m->normal), n = sqrt(square) * (1 + 4 * TOI_UNIT);
    double r = o->radius + search->position_error, k = m->curvature;
    double along[3], turned[3], side[3];
    toi_apply_back(o->frame->matrix, m->normal, along);
    toi_cross(m->normal, o->frame->spin, side);
    toi_apply_back(o->frame->matrix, side, turned);
    double extent = 0, faster = 0;
    for (int i = 0; i < 3; ++i) {
        extent += fabs(along[i]) * o->half[i];
        faster += fabs(along[i] * o->half_rate[i] + turned[i] * o->half[i]);
    }
    double size = n + k * r + m->slope;
    double slack = 2 * n * search->position_error +
                   16 * TOI_UNIT * (fabs(m->distance) + fabs(search->margin)) +
                   32 * TOI_UNIT * (r + o->corner) * size;
    double fast = 2 * n * search->velocity_error + 32 * TOI_UNIT * (reach + faster) * size;
    double near = m->distance - search->margin - slack - 0.5 * k * r * r - m->slope * r;
    double b = (k * r + m->slope) * reach + fast - toi_dot(m->normal, o->v);
    double across = 0.5 * toi_across(track, m->normal, square), c = 0.5 * k * reach * reach;
    double grow = n * (o->radius_rate > 0 ? o->radius_rate : 0);
    bound out = {toi_root_after(near - n * r, b + grow, c + across * o->bend, horizon),
                 near - n * r};
    take_better(near - extent,
                toi_root_after(near - extent, b + faster, c + across * o->corner_bend, horizon),
                &out);
    return out;
}

// Minorants over a ball that holds the box for about one step. `horizon` is then how long.
static bool bound_closely(toi_searcher *s, const scene *o, const toi_field_sample *sample,
                          double *horizon, bound *out)
{
    toi_minorant minorants[TOI_MINORANTS];
    double gap = sample->value - s->search->margin, v = o->speed;
    double way = gap > o->corner ? gap : o->corner;
    double h = 2 * way / (v + sqrt(v * v + 2 * o->bend * way) + TOI_TINY);
    h = h < *horizon ? h : *horizon;
    double grow = o->radius_rate > 0 ? o->radius_rate : 0, reach = v + grow + 0.5 * o->bend * h;
    double radius = (o->radius + s->search->position_error + reach * h) * (1 + 8 * TOI_UNIT);
    int count = toi_search_bound(s, sample, o->x, radius, minorants);
    *out = (bound){h, INFINITY};
    for (int j = 0; j < count; ++j) {
        bound one = bound_by(s->search, o, &minorants[j], reach, h);
        out->low = one.low < out->low ? one.low : out->low;
        out->step = one.step < out->step ? one.step : out->step;
    }
    *horizon = h;
    return count > 0;
}

toi_visit toi_visit_box(toi_searcher *s, int64_t node, double front, double *time)
{
    for (;;) {
        double goal = toi_search_goal(s), horizon = goal - *time, asked = INFINITY;
        if (!(horizon > 0))
            return TOI_VISIT_FREE;
        ++s->nodes;
        scene o;
        toi_field_sample sample;
        look(s, node, *time, &o);
        toi_search_sample(s, o.x, &sample);
        bound best = bound_plainly(s->search, &o, &sample, horizon), close;
        if (best.step < horizon) {
            asked = horizon;
            if (bound_closely(s, &o, &sample, &asked, &close) && close.step > best.step)
                best = close;
        }
        if (s->failed)
            return TOI_VISIT_LATER;
        if (best.step >= horizon) {
            *time = goal;
            return TOI_VISIT_FREE;
        }
        *time = toi_later(*time, best.step);
        double gap = sample.value - s->search->margin;
        if (!(best.low > SPENT * gap || best.step >= asked || best.step > 0.25 * horizon))
            return TOI_VISIT_SPLIT;
        if (*time > front || s->nodes >= s->node_limit)
            return TOI_VISIT_LATER;
    }
}
