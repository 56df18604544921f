// Frank-Wolfe searches over a triangle and time: fw and fwgss (Pelletier-Guenette et al., sections
// 1.5.2 to 1.5.4), and over a triangle at rest.

#include "sdf/literature/golden_section.h"
#include "sdf/local.h"

// Where a search stands.
typedef struct place
{
    double time;
    double weights[3];
    toi_corner corner; // the weighed corners
    toi_frame frame;
    double point[3];
    double velocity[3];
    toi_field_sample sample;
} place;

static void weigh_corners(const toi_corner corners[3], const double weights[3], toi_corner *corner)
{
    for (int i = 0; i < 3; ++i) {
        corner->p[i] = weights[0] * corners[0].p[i] + weights[1] * corners[1].p[i] +
                       weights[2] * corners[2].p[i];
        corner->v[i] = weights[0] * corners[0].v[i] + weights[1] * corners[1].v[i] +
                       weights[2] * corners[2].v[i];
    }
}

// Goes to a time with the weights as they are, and looks at the field there.
static void arrive(toi_local *local, const toi_corner corners[3], double time, place *at)
{
    double bend;
    at->time = time;
    weigh_corners(corners, at->weights, &at->corner);
    toi_track_frame(local->track, time, &at->frame);
    toi_track_point(local->track, &at->frame, &at->corner, at->point, at->velocity, &bend);
    toi_local_sample(local, at->point, &at->sample);
}

// Likewise, and keeps the first contact seen.
static void look(toi_local *local, const toi_corner corners[3], double time, place *at,
                 toi_local_hit *hit)
{
    arrive(local, corners, time, at);
    const double *w = at->weights, value = at->sample.value;
    if (value <= local->contact + local->near && !(hit->hit && hit->time <= time))
        *hit = (toi_local_hit){true, time, {w[0], w[1], w[2]}, value};
}

// Section 1.5.4: the corner that moves most directly against the gradient, not the nearest.
static void start_at_corner(toi_local *local, const toi_corner corners[3], double time, place *at)
{
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            at->weights[k] = k == i;
        arrive(local, corners, time, at);
        double approach = toi_dot(at->velocity, at->sample.gradient);
        if (approach < least) {
            least = approach;
            best = i;
        }
    }
    for (int k = 0; k < 3; ++k)
        at->weights[k] = k == best;
}

// The corners' positions; returns the length of the longest side.
static double positions(const toi_frame *frame, const toi_corner corners[3], double points[3][3])
{
    for (int i = 0; i < 3; ++i)
        toi_track_place(frame, &corners[i], points[i]);
    return toi_longest_side(points);
}

// Equation 1.15: the corner that is farthest against the gradient.
static int support(double points[3][3], const double gradient[3])
{
    int best = 0;
    for (int i = 1; i < 3; ++i)
        if (toi_dot(points[i], gradient) < toi_dot(points[best], gradient))
            best = i;
    return best;
}

static void step_towards(double weights[3], int corner, double alpha)
{
    for (int i = 0; i < 3; ++i)
        weights[i] *= 1 - alpha;
    weights[corner] += alpha;
}

// Equation 1.17: back in time inside the solid, else against the field's rate of change.
static bool goes_back(const toi_local *local, const place *at)
{
    return at->sample.value <= local->contact || toi_dot(at->sample.gradient, at->velocity) > 0;
}

void toi_local_fw(toi_local *local, const toi_corner corners[3], double start, double end,
                  toi_local_hit *hit)
{
    const double small = local->tolerance * (end - start);
    place at;
    hit->hit = false;
    start_at_corner(local, corners, start, &at);
    double time = start;
    for (int i = 0; i < local->iterations; ++i) {
        double points[3][3], step[3], alpha = 2.0 / (i + 2);
        look(local, corners, time, &at, hit);
        double last = hit->hit ? hit->time : end;
        double longest = positions(&at.frame, corners, points);
        int towards = support(points, at.sample.gradient);
        double way = alpha * (last - start) * (goes_back(local, &at) ? -1 : 1);
        time = fmax(start, fmin(last, time + way)); // equations 1.18 and 1.19
        step_towards(at.weights, towards, alpha);   // 1.20, projected by the weights
        toi_subtract(points[towards], at.point, step);
        if (fabs(time - at.time) <= small && alpha * toi_norm(step) <= local->tolerance * longest)
            break;
    }
}

// The field along the way of one point of the triangle.
typedef struct time_line
{
    toi_local *local;
    const toi_corner *corner;
    double from;
    double to;
    bool inside; // look for the surface, not for the least value
} time_line;

static double value_at_time(void *context, double alpha)
{
    time_line *line = context;
    toi_frame frame;
    double point[3];
    toi_track_frame(line->local->track, line->from + alpha * (line->to - line->from), &frame);
    toi_track_place(&frame, line->corner, point);
    ++line->local->evaluations;
    double value = line->local->field->class->value(line->local->field, point);
    return line->inside ? fabs(value - line->local->contact) : value;
}

// Lines 8 to 21 of algorithm 1.2.
static double search_time(toi_local *local, const place *at, double start, double end)
{
    bool back = goes_back(local, at);
    time_line line = {local, &at->corner, back ? start : at->time, back ? at->time : end,
                      at->sample.value <= local->contact};
    if (!(line.from < line.to))
        return at->time;
    double alpha = toi_golden_section(value_at_time, &line, local->tolerance).alpha;
    return line.from + alpha * (line.to - line.from);
}

// The field between two points.
typedef struct straight_line
{
    toi_local *local;
    const double *from;
    double way[3];
} straight_line;

static double value_on_line(void *context, double alpha)
{
    straight_line *line = context;
    double point[3];
    for (int i = 0; i < 3; ++i)
        point[i] = line->from[i] + alpha * line->way[i];
    ++line->local->evaluations;
    return line->local->field->class->value(line->local->field, point);
}

// Lines 27 to 31: towards the support corner as far as the field falls. Returns how far that was;
// `value` becomes the value reached.
static double search_triangle(toi_local *local, double points[3][3], const double point[3],
                              const double gradient[3], double weights[3], double *value)
{
    int towards = support(points, gradient);
    straight_line line = {local, point, {0}};
    toi_subtract(points[towards], point, line.way);
    double length = toi_norm(line.way);
    if (!(length > 0))
        return 0;
    toi_section best = toi_golden_section(value_on_line, &line, local->tolerance);
    if (!(best.value < *value))
        return 0;
    *value = best.value;
    step_towards(weights, towards, best.alpha);
    return best.alpha * length;
}

void toi_local_fwgss(toi_local *local, const toi_corner corners[3], double start, double end,
                     toi_local_hit *hit)
{
    const double small = local->tolerance * (end - start);
    place at;
    hit->hit = false;
    start_at_corner(local, corners, start, &at);
    look(local, corners, start, &at, hit);
    for (int i = 0; i < local->iterations; ++i) {
        double points[3][3], before = at.time;
        double time = search_time(local, &at, start, hit->hit ? hit->time : end);
        look(local, corners, time, &at, hit);
        double longest = positions(&at.frame, corners, points), value = at.sample.value;
        double moved =
            search_triangle(local, points, at.point, at.sample.gradient, at.weights, &value);
        if (moved <= local->tolerance * longest && fabs(time - before) <= small)
            break;
        look(local, corners, time, &at, hit);
    }
}
