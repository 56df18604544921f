// A visit to a triangle or a part of one: a sample, bounds at its corners, a descent to a better
// sample, a witness of contact, a split.

#include "sdf/certified.h"
#include "sdf/vector.h"

#include <string.h>

// When a bound is spent: the part's least possible value is below this share of the sample's.
static const double SPENT = 0.3;

// A part that is nearer than this share of its side is worth a centre of its own.
static const double NEAR = 0.3;

// A bound with less slope than this beside its normal counts as a plane.
static const double FLAT = 0.1;

// Once a contact was looked for in vain, the gap has to shrink to this share for another try.
static const double AGAIN = 0.1;

enum
{
    SEEK_STEPS = 2,
    PLANES = 3,      // samples whose bounds are weighed against each other
    PLANE_STEPS = 4, // samples that are tried for that
    WITNESS_STEPS = 5,
    ROUNDS = 4,
    LANES = 4 // corners, the last twice
};

// A part at an instant.
typedef struct scene
{
    double x[3][3]; // corners
    double v[3][3];
    double px[LANES], py[LANES], pz[LANES];
    double vx[LANES], vy[LANES], vz[LANES];
    double speed[LANES]; // upper bounds, as all that follows
    double bend[LANES];
    double fastest;
    double most_bent;
    double position_error;
    double velocity_error;
} scene;

// A point of a part with the field there.
typedef struct centre
{
    double c[3];
    double weight[3];
    toi_field_sample sample;
    double gap; // value - margin
} centre;

// What bounds say about a part: nothing touches for `step`; its least gap now is `low` at least.
typedef struct advance
{
    double step;
    double low;
    bool clamped; // the step ended with the ball that was asked about
    // The last minorants, for how long they were asked, and how long each corner is free by them.
    toi_minorant minorants[TOI_MINORANTS];
    int count;
    double span;
    double free[LANES];
    // Of the last of them: the gap of corner i stays above a[i] - b[i] tau - c[i] tau^2 for `span`.
    double a[LANES], b[LANES], c[LANES];
} advance;

static inline double max3(const double *a)
{
    double m = a[0] > a[1] ? a[0] : a[1];
    return m > a[2] ? m : a[2];
}

static inline double min3(const double *a)
{
    double m = a[0] < a[1] ? a[0] : a[1];
    return m < a[2] ? m : a[2];
}

static void look(toi_searcher *s, const toi_face_part *part, double time, scene *o)
{
    const toi_field_search *search = s->search;
    const toi_frame *frame = toi_frame_at(s, time);
    o->position_error = search->position_error + part->depth * search->split_error;
    o->velocity_error = search->velocity_error + part->depth * search->split_velocity_error;
    for (int i = 0; i < 3; ++i) {
        toi_track_point(search->track, frame, &part->corner[i], o->x[i], o->v[i], &o->bend[i]);
        o->speed[i] = toi_norm(o->v[i]) * (1 + 8 * TOI_UNIT) + o->velocity_error;
    }
    for (int i = 0; i < LANES; ++i) {
        int k = i < 3 ? i : 2;
        o->px[i] = o->x[k][0], o->py[i] = o->x[k][1], o->pz[i] = o->x[k][2];
        o->vx[i] = o->v[k][0], o->vy[i] = o->v[k][1], o->vz[i] = o->v[k][2];
    }
    o->speed[3] = o->speed[2];
    o->bend[3] = o->bend[2];
    o->fastest = max3(o->speed);
    o->most_bent = max3(o->bend);
}

static void blend(double (*x)[3], const double weight[3], double point[3])
{
    for (int k = 0; k < 3; ++k)
        point[k] = weight[0] * x[0][k] + weight[1] * x[1][k] + weight[2] * x[2][k];
}

static void sample_centre(toi_searcher *s, scene *o, centre *at)
{
    blend(o->x, at->weight, at->c);
    toi_search_sample(s, at->c, &at->sample);
    at->gap = at->sample.value - s->search->margin;
}

// Weights of the corner k alone.
static void at_corner(int k, double weight[3])
{
    for (int i = 0; i < 3; ++i)
        weight[i] = i == k;
}

// Weights on the side from corner i to j, at the share a / b of it.
static void on_side(int i, int j, double a, double b, double weight[3])
{
    double share = b > 0 ? a / b : 0;
    weight[0] = weight[1] = weight[2] = 0;
    weight[j] = share;
    weight[i] = 1 - share;
}

// The weights of the closest of the sides' points, for a triangle without area.
static void closest_on_sides(double (*x)[3], const double p[3], double weight[3])
{
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double side[3], e[3], point[3], w[3];
        toi_subtract(x[j], x[i], side);
        toi_subtract(p, x[i], e);
        double square = toi_dot(side, side), along = toi_dot(side, e);
        on_side(i, j, along > 0 ? along < square ? along : square : 0, square, w);
        blend(x, w, point);
        toi_subtract(p, point, e);
        double distance = toi_dot(e, e);
        if (distance < best || i == 0) {
            best = distance;
            memcpy(weight, w, sizeof w);
        }
    }
}

// The weights of the triangle's point that is closest to p, by the regions of its plane. They only
// steer, so rounding does not matter as long as none is negative.
static void closest(double (*x)[3], const double p[3], double weight[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    toi_subtract(x[1], x[0], ab);
    toi_subtract(x[2], x[0], ac);
    toi_subtract(p, x[0], ap);
    double d1 = toi_dot(ab, ap), d2 = toi_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) {
        at_corner(0, weight);
        return;
    }
    toi_subtract(p, x[1], bp);
    double d3 = toi_dot(ab, bp), d4 = toi_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) {
        at_corner(1, weight);
        return;
    }
    toi_subtract(p, x[2], cp);
    double d5 = toi_dot(ab, cp), d6 = toi_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) {
        at_corner(2, weight);
        return;
    }
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double all = va + vb + vc;
    if (!(all > 0x1p-40 * toi_dot(ab, ab) * toi_dot(ac, ac))) {
        closest_on_sides(x, p, weight);
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        on_side(0, 1, d1, d1 - d3, weight);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        on_side(0, 2, d2, d2 - d6, weight);
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
        on_side(1, 2, d4 - d3, d4 - d3 + d5 - d6, weight);
    } else if (va > 0 && vb > 0 && vc > 0) {
        weight[1] = vb / all;
        weight[2] = vc / all;
        double rest = 1 - weight[1] - weight[2];
        weight[0] = rest > 0 ? rest : 0;
    } else {
        closest_on_sides(x, p, weight);
    }
}

// Downhill over the triangle, each step along the gradient and back into the triangle. The first
// step goes to the field's closest point (right for tips and edges), the next ones have the length
// that the last two gradients suggest (right for smooth faces). Returns whether it moved.
static bool seek(toi_searcher *s, double (*x)[3], double stop, double *stride, centre *best)
{
    centre last = *best;
    bool moved = false;
    if (!(*stride > 0))
        *stride = last.gap > 0 ? last.gap : 0;
    if (*stride == 0) {
        double side[3];
        toi_subtract(x[1], x[0], side);
        *stride = toi_norm(side);
    }
    // Steps that are shorter change the value by less than counts as contact.
    double least = toi_touch_at(s->search, &last.sample) / s->search->lipschitz;
    for (int k = 0; k < SEEK_STEPS && best->gap > stop && !s->failed; ++k) {
        double goal[3], step[3], turn[3];
        centre next;
        for (int i = 0; i < 3; ++i)
            goal[i] = last.c[i] - *stride * last.sample.gradient[i];
        closest(x, goal, next.weight);
        blend(x, next.weight, next.c);
        toi_subtract(next.c, last.c, step);
        double square = toi_dot(step, step);
        if (!(square > least * least))
            break;
        toi_search_sample(s, next.c, &next.sample);
        next.gap = next.sample.value - s->search->margin;
        toi_subtract(next.sample.gradient, last.sample.gradient, turn);
        double bent = toi_dot(step, turn);
        *stride = 16 * bent * *stride > square ? square / bent : 16 * *stride;
        if (next.gap < best->gap)
            *best = next;
        last = next;
        moved = true;
    }
    return moved;
}

static void meet(toi_searcher *s, int32_t triangle, double time, const double weight[3],
                 double touch)
{
    if (time < s->best.time)
        s->best = (toi_witness){time, triangle, weight[1], weight[2], touch};
}

// A point of a part as weights of the whole triangle's corners.
static void whole_weights(const toi_face_part *part, const double weight[3], double whole[3])
{
    whole[1] = whole[2] = 0;
    for (int i = 0; i < 3; ++i) {
        whole[1] += weight[i] * part->place[i][0];
        whole[2] += weight[i] * part->place[i][1];
    }
    whole[0] = 1 - whole[1] - whole[2];
}

// Looks for a time of contact soon after `time`: steps in time by the sample's speed alternate with
// descents over the triangle. It is the whole triangle: under a tip the point of contact moves.
static void find_witness(toi_searcher *s, const toi_face_part *part, double time,
                         const centre *from, double slope)
{
    const toi_field_search *search = s->search;
    toi_corner corner[3];
    toi_frame frame;
    double x[3][3], v[3][3], bend, stride = 0;
    centre at = *from;
    toi_question_corners(search->question, part->triangle, corner);
    whole_weights(part, from->weight, at.weight);
    for (int k = 0; k < WITNESS_STEPS && slope < 0; ++k) {
        double touch = toi_touch_at(search, &at.sample);
        time += (at.gap > touch ? at.gap - touch : 0) / -slope + 0.1 * search->tolerance;
        if (!(time < s->best.time && time <= search->duration))
            return;
        toi_track_frame(search->track, time, &frame);
        for (int i = 0; i < 3; ++i)
            toi_track_point(search->track, &frame, &corner[i], x[i], v[i], &bend);
        blend(x, at.weight, at.c);
        toi_search_sample(s, at.c, &at.sample);
        at.gap = at.sample.value - search->margin;
        touch = toi_touch_at(search, &at.sample);
        if (at.gap > touch)
            seek(s, x, touch, &stride, &at);
        if (s->failed)
            return;
        touch = toi_touch_at(search, &at.sample);
        if (at.gap <= touch) {
            meet(s, part->triangle, time, at.weight, touch);
            return;
        }
        double velocity[3];
        blend(v, at.weight, velocity);
        slope = toi_dot(at.sample.gradient, velocity);
    }
}

// A corner's offset from the centre: its length is an upper bound.
typedef struct offsets
{
    double x[LANES], y[LANES], z[LANES];
    double square[LANES];
    double length[LANES];
    double longest;
} offsets;

static void measure(const scene *o, const double c[3], offsets *e)
{
    for (int i = 0; i < LANES; ++i) {
        e->x[i] = o->px[i] - c[0];
        e->y[i] = o->py[i] - c[1];
        e->z[i] = o->pz[i] - c[2];
        double square = e->x[i] * e->x[i] + e->y[i] * e->y[i] + e->z[i] * e->z[i];
        e->length[i] = sqrt(square) * (1 + 8 * TOI_UNIT) + o->position_error;
        e->square[i] = e->length[i] * e->length[i];
    }
    e->longest = max3(e->length);
}

// The roots of one minorant at the corners lower `free`, its least value there lowers *low.
static void apply_minorant(const toi_field_search *search, const scene *o, const offsets *e,
                           const double *reach, const toi_minorant *m, advance *by, double *free,
                           double *low)
{
    double square = toi_dot(m->normal, m->normal), n = sqrt(square) * (1 + 4 * TOI_UNIT);
    double across = 0.5 * toi_across(search->track, m->normal, square, n), k = m->curvature;
    double size = n + k * e->longest + m->slope;
    double slack = n * o->position_error +
                   8 * TOI_UNIT * (fabs(m->distance) + fabs(search->margin) + e->longest * size);
    double fast = n * o->velocity_error + 16 * TOI_UNIT * max3(reach) * size;
    double d = m->distance - search->margin - slack;
    const double *g = m->normal;
    for (int i = 0; i < LANES; ++i) {
        by->a[i] = d + (g[0] * e->x[i] + g[1] * e->y[i] + g[2] * e->z[i]) - 0.5 * k * e->square[i] -
                   m->slope * e->length[i];
        by->b[i] = (k * e->length[i] + m->slope) * reach[i] + fast -
                   (g[0] * o->vx[i] + g[1] * o->vy[i] + g[2] * o->vz[i]);
        by->c[i] = across * o->bend[i] + 0.5 * k * (reach[i] * reach[i]);
        double tau = toi_root_after(by->a[i], by->b[i], by->c[i], by->span);
        free[i] = tau < free[i] ? tau : free[i];
    }
    double least = min3(by->a);
    *low = least < *low ? least : *low;
}

// From the Lipschitz constant alone: |x - c| <= length + speed tau + bend/2 tau^2.
static void advance_plainly(const toi_field_search *search, const scene *o, const centre *at,
                            const offsets *e, double horizon, advance *out)
{
    double l = search->lipschitz, value = at->sample.value;
    double slack = at->sample.error + 8 * TOI_UNIT * (fabs(value) + fabs(search->margin));
    out->low = at->gap - slack - l * e->longest;
    out->step = toi_root_if_free(out->low, l * o->fastest, 0.5 * l * o->most_bent, horizon);
    if (!(search->field->step > 0))
        return;
    double low = at->gap - slack - search->field->step - e->longest;
    low -= 8 * TOI_UNIT * (search->field->step + e->longest);
    double step = toi_root_if_free(low, o->fastest, 0.5 * o->most_bent, horizon);
    out->low = low > out->low ? low : out->low;
    out->step = step > out->step ? step : out->step;
}

// All minorants at the corners: how long each is free, and the least value now.
static double apply_all(const toi_field_search *search, const scene *o, const offsets *e,
                        const double *reach, advance *by, double *free)
{
    double low = INFINITY;
    for (int i = 0; i < LANES; ++i)
        free[i] = by->span;
    for (int j = 0; j < by->count; ++j)
        apply_minorant(search, o, e, reach, &by->minorants[j], by, free, &low);
    return low;
}

// The field is asked about a ball that holds the part for a while: about one step at first, then
// longer while that pays.
static void advance_part(toi_searcher *s, const scene *o, const centre *at, double horizon,
                         advance *out)
{
    const toi_field_search *search = s->search;
    offsets e;
    measure(o, at->c, &e);
    advance_plainly(search, o, at, &e, horizon, out);
    out->clamped = false;
    out->count = 0;
    double way = at->gap > 0.25 * e.longest ? at->gap : 0.25 * e.longest;
    double v = o->fastest, best = 0, low = -INFINITY;
    for (int round = 0; round < ROUNDS && out->step < horizon; ++round, way *= 4) {
        double h = 2 * way / (v + sqrt(v * v + 2 * o->most_bent * way) + TOI_TINY);
        h = h < horizon ? h : horizon;
        double reach[LANES], radius = 0;
        for (int i = 0; i < LANES; ++i) {
            reach[i] = o->speed[i] + 0.5 * h * o->bend[i];
            double r = e.length[i] + h * reach[i];
            radius = r > radius ? r : radius;
        }
        out->span = h;
        out->count = toi_search_bound(s, &at->sample, at->c, radius * (1 + 8 * TOI_UNIT),
                                      out->minorants, TOI_MINORANTS);
        if (out->count == 0)
            break;
        double least = apply_all(search, o, &e, reach, out, out->free), step = min3(out->free);
        low = least > low ? least : low;
        best = step > best ? step : best;
        out->clamped = step >= h;
        if (step < h || h >= horizon)
            break;
    }
    if (best >= out->step) {
        out->step = best;
        out->low = low > out->low ? low : out->low;
    }
}

static void halve(const toi_corner *a, const toi_corner *b, toi_corner *middle)
{
    for (int k = 0; k < 3; ++k) {
        middle->p[k] = 0.5 * (a->p[k] + b->p[k]);
        middle->v[k] = 0.5 * (a->v[k] + b->v[k]);
    }
}

// The middles of the sides at an instant: speeds and bends are at most the averages.
static void look_at_middles(const scene *o, scene *m)
{
    for (int i = 0; i < LANES; ++i) {
        int k = i < 3 ? i : 2, j = (k + 1) % 3;
        m->px[i] = 0.5 * (o->px[k] + o->px[j]);
        m->py[i] = 0.5 * (o->py[k] + o->py[j]);
        m->pz[i] = 0.5 * (o->pz[k] + o->pz[j]);
        m->vx[i] = 0.5 * (o->vx[k] + o->vx[j]);
        m->vy[i] = 0.5 * (o->vy[k] + o->vy[j]);
        m->vz[i] = 0.5 * (o->vz[k] + o->vz[j]);
        m->speed[i] = 0.5 * (o->speed[k] + o->speed[j]) * (1 + 4 * TOI_UNIT);
        m->bend[i] = 0.5 * (o->bend[k] + o->bend[j]) * (1 + 4 * TOI_UNIT);
    }
    m->position_error = 2 * o->position_error; // more than the averages are rounded by
    m->velocity_error = o->velocity_error + 4 * TOI_UNIT * o->fastest;
}

// Corners of the four parts: 0 to 2 are the whole's, 3 to 5 the middles of its sides.
static const int CORNERS[4][3] = {{3, 4, 5}, {0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

// How long each of four parts is free by what is known about the whole.
static void advance_children(const toi_field_search *search, const scene *o, const centre *at,
                             advance *by, double steps[4])
{
    scene m;
    offsets e;
    double reach[LANES], free[LANES], all[6];
    look_at_middles(o, &m);
    measure(&m, at->c, &e);
    for (int i = 0; i < LANES; ++i)
        reach[i] = m.speed[i] + 0.5 * by->span * m.bend[i];
    apply_all(search, &m, &e, reach, by, free);
    for (int i = 0; i < 3; ++i) {
        all[i] = by->free[i];
        all[3 + i] = free[i];
    }
    for (int q = 0; q < 4; ++q) {
        double own[3] = {all[CORNERS[q][0]], all[CORNERS[q][1]], all[CORNERS[q][2]]};
        steps[q] = min3(own);
    }
}

// Four parts; each begins at its point that is nearest to where the whole was sampled.
static void split(const toi_face_part *part, scene *o, const centre *at, toi_face_part parts[4])
{
    toi_corner corner[6];
    double x[6][3], place[6][2];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        corner[i] = part->corner[i];
        for (int k = 0; k < 2; ++k) {
            place[i][k] = part->place[i][k];
            place[3 + i][k] = 0.5 * (part->place[i][k] + part->place[j][k]);
        }
        halve(&part->corner[i], &part->corner[j], &corner[3 + i]);
        for (int k = 0; k < 3; ++k) {
            x[i][k] = o->x[i][k];
            x[3 + i][k] = 0.5 * (o->x[i][k] + o->x[j][k]);
        }
    }
    for (int q = 0; q < 4; ++q) {
        double y[3][3];
        parts[q] = *part;
        parts[q].depth = (int16_t)(part->depth + 1);
        for (int i = 0; i < 3; ++i) {
            parts[q].corner[i] = corner[CORNERS[q][i]];
            memcpy(y[i], x[CORNERS[q][i]], sizeof y[i]);
            memcpy(parts[q].place[i], place[CORNERS[q][i]], sizeof place[0]);
        }
        closest(y, at->c, parts[q].weight);
    }
}

// A contact at this very time, or the search for one soon after.
static void try_witness(toi_searcher *s, toi_face_part *part, double time, scene *o,
                        const centre *at)
{
    double velocity[3], weight[3], touch = toi_touch_at(s->search, &at->sample);
    // Half, since the same point of the whole triangle has other rounding.
    if (at->gap <= 0.5 * touch) {
        whole_weights(part, at->weight, weight);
        meet(s, part->triangle, time, weight, touch);
        return;
    }
    blend(o->v, at->weight, velocity);
    double slope = toi_dot(at->sample.gradient, velocity);
    if (slope < 0 && at->gap < AGAIN * part->tried &&
        time + at->gap / -slope < s->best.time - 0.5 * s->search->tolerance) {
        part->tried = at->gap;
        find_witness(s, part, time, at, slope);
    }
}

// Is a gap large beside `share` of the part's first side?
static bool is_far(const scene *o, double gap, double share)
{
    double side[3];
    toi_subtract(o->x[1], o->x[0], side);
    return gap * gap > share * share * toi_dot(side, side);
}

// What one visit finds out at an instant.
typedef struct finding
{
    centre sought;         // the sample of the least value
    advance found[PLANES]; // what samples say
    centre there[PLANES];  // where those are
    int best;              // of these, the one that says most
    double step;
    double low;
    double least; // of the samples' gaps
    bool clamped;
} finding;

// Weights of bounds, and of the corners where these are least.
typedef struct balance
{
    double low; // the least value of the weighted bounds
    double of[PLANES];
    double weight[3];
} balance;

// Enters weights of bounds if they do better.
static void try_balance(const finding *f, const double of[PLANES], int count,
                        const double weight[3], balance *out)
{
    double a[3] = {0, 0, 0};
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            a[i] += of[k] * f->found[k].a[i];
    double low = min3(a);
    if (!(low > out->low))
        return;
    out->low = low;
    for (int k = 0; k < PLANES; ++k)
        out->of[k] = k < count ? of[k] : 0;
    memcpy(out->weight, weight, sizeof out->weight);
}

// Two bounds that are balanced at two corners.
static void balance_two(const finding *f, int count, int k, int l, balance *out)
{
    const double *a = f->found[k].a, *b = f->found[l].a;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double p = a[i] - a[j], q = b[i] - b[j], s = a[i] - b[i], t = a[j] - b[j];
        if (!(p * q < 0 && s * t < 0))
            continue;
        double of[PLANES] = {0}, weight[3] = {0, 0, 0};
        of[k] = q / (q - p);
        of[l] = 1 - of[k];
        weight[i] = t / (t - s);
        weight[j] = 1 - weight[i];
        try_balance(f, of, count, weight, out);
    }
}

// x / (sum of x), if none is negative.
static bool to_weights(const double x[3], double weight[3])
{
    double sum = x[0] + x[1] + x[2];
    for (int i = 0; i < 3; ++i) {
        weight[i] = x[i] / sum;
        if (!(weight[i] >= 0 && weight[i] <= 1))
            return false;
    }
    return true;
}

// Three bounds that are balanced at all corners: weights x with A x = 1, by Cramer's rule.
static void balance_three(const finding *f, balance *out)
{
    double x[3], y[3], of[PLANES], weight[3];
    for (int k = 0; k < 3; ++k) {
        const double *a = f->found[(k + 1) % 3].a, *b = f->found[(k + 2) % 3].a;
        double n[3], m[3];
        toi_cross(a, b, n);
        x[k] = n[0] + n[1] + n[2];
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double r[3] = {f->found[0].a[i], f->found[1].a[i], f->found[2].a[i]};
        double s[3] = {f->found[0].a[j], f->found[1].a[j], f->found[2].a[j]};
        toi_cross(r, s, m);
        y[k] = m[0] + m[1] + m[2];
    }
    if (to_weights(x, of) && to_weights(y, weight))
        try_balance(f, of, 3, weight, out);
}

// The weights of bounds whose sum is best. The field lies above each of them, so above the sum.
static void weigh_bounds(const finding *f, int count, balance *out)
{
    // Weights that hold even where no bound is a number.
    *out = (balance){.low = -INFINITY, .of = {1}, .weight = {1}};
    for (int k = 0; k < count; ++k) {
        double of[PLANES] = {0}, weight[3];
        const double *a = f->found[k].a;
        of[k] = 1;
        at_corner(a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2, weight);
        try_balance(f, of, count, weight, out);
    }
    for (int k = 1; k < count; ++k)
        for (int l = 0; l < k; ++l)
            balance_two(f, count, k, l, out);
    if (count == 3)
        balance_three(f, out);
}

// How long a part is free by a weighted sum of bounds; docs/sdf.md, "Several samples".
static double advance_weighed(const finding *f, int count, const double of[PLANES], double *span)
{
    double step = INFINITY;
    *span = INFINITY;
    for (int k = 0; k < count; ++k)
        if (of[k] > 0 && f->found[k].span < *span)
            *span = f->found[k].span;
    for (int i = 0; i < 3; ++i) {
        double a = 0, b = 0, c = 0, slack = 0, fast = 0;
        for (int k = 0; k < count; ++k) {
            const advance *by = &f->found[k];
            a += of[k] * by->a[i];
            b += of[k] * by->b[i];
            c += of[k] * by->c[i];
            slack += of[k] * fabs(by->a[i]);
            fast += of[k] * fabs(by->b[i]);
        }
        double tau = toi_root_after(a - 8 * TOI_UNIT * slack, b + 8 * TOI_UNIT * fast, c, *span);
        step = tau < step ? tau : step;
    }
    return step;
}

// Is a bound spent?
static bool is_spent(const finding *f, double horizon)
{
    return f->low < SPENT * f->least && f->step < horizon;
}

// Takes in what the sample in slot k says.
static void take_in(finding *f, int k)
{
    const advance *by = &f->found[k];
    f->clamped = by->clamped;
    f->low = by->low > f->low ? by->low : f->low;
    if (f->there[k].gap < f->least) {
        f->least = f->there[k].gap;
        f->sought = f->there[k];
    }
    if (by->step > f->step || f->found[f->best].count == 0)
        f->best = k;
    f->step = by->step > f->step ? by->step : f->step;
}

// One bound, and that nearly a plane? More samples do not make up for its curvature or slope.
static bool is_plane(const advance *by)
{
    const toi_minorant *m = &by->minorants[0];
    return by->count == 1 && m->curvature == 0 && m->slope < FLAT;
}

// The next bound takes the place of the one that matters least.
static int next_slot(const finding *f, int count, const balance *all)
{
    if (count < PLANES)
        return count;
    int slot = f->best == 0 ? 1 : 0;
    for (int j = 0; j < PLANES; ++j)
        if (j != f->best && all->of[j] < all->of[slot])
            slot = j;
    return slot;
}

// Weighs the bounds of two samples, and samples where their sum is least, as in a cutting-plane
// method, until it is a good bound. Right for tips and edges, where no single plane is.
static void cut(toi_searcher *s, scene *o, double horizon, finding *f)
{
    for (int k = 0, count = 2; !s->failed; ++k) {
        balance all;
        double span;
        weigh_bounds(f, count, &all);
        double step = advance_weighed(f, count, all.of, &span);
        f->low = all.low > f->low ? all.low : f->low;
        if (step > f->step) {
            f->step = step;
            f->clamped = step >= span;
        }
        if (k == PLANE_STEPS || !is_spent(f, horizon))
            return;
        int slot = next_slot(f, count, &all);
        memcpy(f->there[slot].weight, all.weight, sizeof all.weight);
        sample_centre(s, o, &f->there[slot]);
        advance_part(s, o, &f->there[slot], horizon, &f->found[slot]);
        take_in(f, slot);
        if (!is_plane(&f->found[slot]) || !is_spent(f, horizon))
            return;
        count = count < PLANES ? count + 1 : count;
    }
}

// Samples at the part's centre, and downhill of it where that bound is poor.
static void examine(toi_searcher *s, toi_face_part *part, scene *o, double horizon, finding *f)
{
    centre *first = &f->there[0], *second = &f->there[1];
    for (int i = 0; i < 3; ++i)
        first->weight[i] = part->far ? 1.0 / 3 : part->weight[i];
    if (part->far)
        part->stride = 0;
    sample_centre(s, o, first);
    advance_part(s, o, first, horizon, &f->found[0]);
    f->sought = *first;
    f->best = 0;
    f->step = f->found[0].step;
    f->low = f->found[0].low;
    f->least = first->gap;
    f->clamped = f->found[0].clamped;
    if (!is_spent(f, horizon))
        return;
    *second = *first;
    if (!seek(s, o->x, 0, &part->stride, second))
        return;
    advance_part(s, o, second, horizon, &f->found[1]);
    f->sought = *second;
    take_in(f, 1);
    if (is_spent(f, horizon) && is_plane(&f->found[0]) && is_plane(&f->found[1]))
        cut(s, o, horizon, f);
}

// Splits, with the times until which each part is known to be free.
static void part_with_times(const toi_searcher *s, const toi_face_part *part, scene *o, finding *f,
                            double now, double goal, double time, toi_face_part parts[4],
                            double times[4])
{
    double steps[4] = {0, 0, 0, 0};
    split(part, o, &f->sought, parts);
    if (f->found[f->best].count > 0)
        advance_children(s->search, o, &f->there[f->best], &f->found[f->best], steps);
    for (int k = 0; k < 4; ++k) {
        double later = steps[k] >= goal - now ? goal : toi_later(now, steps[k]);
        times[k] = later > time ? later : time;
    }
}

toi_visit toi_visit_part(toi_searcher *s, toi_face_part *part, double front, double *time,
                         toi_face_part parts[4], double times[4])
{
    for (;;) {
        double now = *time, goal = toi_search_goal(s), horizon = goal - now;
        if (!(horizon > 0))
            return TOI_VISIT_FREE;
        ++s->nodes;
        scene o;
        finding f;
        look(s, part, now, &o);
        examine(s, part, &o, horizon, &f);
        if (s->failed)
            return TOI_VISIT_LATER;
        if (f.step >= horizon) {
            *time = goal;
            return TOI_VISIT_FREE;
        }
        memcpy(part->weight, f.sought.weight, sizeof part->weight);
        try_witness(s, part, now, &o, &f.sought);
        *time = toi_later(now, f.step);
        bool spent = !(f.low > SPENT * f.least || f.clamped) && part->depth < TOI_PART_DEPTH;
        part->far = is_far(&o, f.least, spent ? 0.5 * NEAR : NEAR);
        if (spent) {
            part_with_times(s, part, &o, &f, now, goal, *time, parts, times);
            return TOI_VISIT_SPLIT;
        }
        if (*time > front || s->nodes >= s->node_limit)
            return TOI_VISIT_LATER;
    }
}
