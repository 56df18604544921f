// The truth of the study: a triangle is marched through time in small steps and sampled at each.

#include "bench_sdf_truth.h"

#include "vec3.h"

#include <math.h>
#include <stdbool.h>

enum
{
    SAMPLES = 12 // along a side of the triangle
};

static const double LEAST_STEP = 1e-6; // seconds
static const double GOLDEN = 0.6180339887498948482;

// The question, and the triangle at an instant.
typedef struct dense_search
{
    const torus *solid;
    const toi_rigid *motion;
    vec3 arms[3];   // from the centre of motion to the corners at t = 0
    vec3 axis;      // of the spin
    double rate;    // radians a second
    double speed;   // no corner is faster
    double longest; // side of the triangle
    double reach;   // from the triangle's middle to its farthest corner
    vec3 corners[3];
} dense_search;

static vec3 vector_of(const double v[3])
{
    return (vec3){v[0], v[1], v[2]};
}

static double torus_distance(const torus *solid, vec3 p)
{
    double out = sqrt(p.x * p.x + p.y * p.y) - solid->ring;
    return sqrt(out * out + p.z * p.z) - solid->tube;
}

// ---------------------------------------------------------------------------------------------
// Motion

// A vector turned about a unit axis (Rodrigues).
static vec3 turn_about(vec3 axis, double sine, double cosine, vec3 v)
{
    vec3 across = add3(scale3(cosine, v), scale3(sine, cross3(axis, v)));
    return step3(across, (1 - cosine) * dot3(axis, v), axis);
}

// A vector turned by a quaternion of any length.
static vec3 turn_by(const double q[4], vec3 v)
{
    double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    vec3 u = {q[1], q[2], q[3]};
    vec3 once = add3(cross3(u, v), scale3(q[0], v));
    return step3(v, 2 / norm, cross3(u, once));
}

static void place_triangle(dense_search *s, double time)
{
    vec3 centre = step3(vector_of(s->motion->position), time, vector_of(s->motion->velocity));
    double angle = s->rate * time, sine = sin(angle), cosine = cos(angle);
    for (int i = 0; i < 3; ++i)
        s->corners[i] = add3(centre, turn_about(s->axis, sine, cosine, s->arms[i]));
}

// ---------------------------------------------------------------------------------------------
// One instant

typedef struct sample
{
    double u;
    double v;
    double value;
} sample;

static double value_at(const dense_search *s, double u, double v)
{
    vec3 p = step3(s->corners[0], u, sub3(s->corners[1], s->corners[0]));
    return torus_distance(s->solid, step3(p, v, sub3(s->corners[2], s->corners[0])));
}

static sample best_sample(const dense_search *s)
{
    sample best = {0, 0, INFINITY};
    for (int i = 0; i <= SAMPLES; ++i)
        for (int j = 0; i + j <= SAMPLES; ++j) {
            double u = (double)i / SAMPLES, v = (double)j / SAMPLES;
            double value = value_at(s, u, v);
            if (value < best.value)
                best = (sample){u, v, value};
        }
    return best;
}

// Moves to the best of six neighbours that is better; false: none is.
static bool descend(const dense_search *s, double step, sample *best)
{
    static const int ways[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
    bool better = false;
    double from_u = best->u, from_v = best->v;
    for (int k = 0; k < 6; ++k) {
        double u = fmax(from_u + step * ways[k][0], 0), v = fmax(from_v + step * ways[k][1], 0);
        double sum = fmax(u + v, 1);
        double value = value_at(s, u / sum, v / sum);
        if (value < best->value) {
            *best = (sample){u / sum, v / sum, value};
            better = true;
        }
    }
    return better;
}

// The least value over the triangle. Where even the samples are far, their last digits do not
// matter: the descent ends once its steps are a hundredth of the value.
static double least_value(const dense_search *s)
{
    if (s->longest == 0)
        return value_at(s, 0, 0);
    sample best = best_sample(s);
    for (double step = 1.0 / SAMPLES;
         step > 1e-9 && best.value > -1e-3 && step * s->longest > 0.01 * best.value;)
        if (!descend(s, step, &best))
            step *= 0.5;
    return best.value;
}

// The same, or a lower bound where the ball about the triangle is clear.
static double value_at_time(dense_search *s, double time)
{
    place_triangle(s, time);
    vec3 middle = scale3(1.0 / 3, add3(add3(s->corners[0], s->corners[1]), s->corners[2]));
    double clear = torus_distance(s->solid, middle) - s->reach;
    return clear > 0 ? clear : least_value(s);
}

// ---------------------------------------------------------------------------------------------
// Time

static double bisect(dense_search *s, double clear, double touching)
{
    for (int i = 0; i < 80 && touching - clear > 1e-16; ++i) {
        double middle = 0.5 * (clear + touching);
        if (value_at_time(s, middle) <= 0)
            touching = middle;
        else
            clear = middle;
    }
    return touching;
}

// The time of the least distance between two times, by golden section.
static double find_closest(dense_search *s, double from, double to)
{
    double a = to - GOLDEN * (to - from), b = from + GOLDEN * (to - from);
    double at_a = value_at_time(s, a), at_b = value_at_time(s, b);
    for (int i = 0; i < 60 && at_a > 0 && at_b > 0; ++i) {
        if (at_a < at_b) {
            to = b, b = a, at_b = at_a;
            a = to - GOLDEN * (to - from);
            at_a = value_at_time(s, a);
        } else {
            from = a, a = b, at_a = at_b;
            b = from + GOLDEN * (to - from);
            at_b = value_at_time(s, b);
        }
    }
    return at_a < at_b ? a : b;
}

static double march(dense_search *s, double duration)
{
    double before = 0, last = 0, at_before = INFINITY, at_last = INFINITY;
    for (double time = 0;;) {
        double value = value_at_time(s, time);
        if (value <= 0)
            return time > 0 ? bisect(s, last, time) : 0;
        // A minimum that may reach zero between the samples?
        if (at_before > at_last && at_last < value && at_last < s->speed * (time - before)) {
            double closest = find_closest(s, before, time);
            if (value_at_time(s, closest) <= 0)
                return bisect(s, before, closest);
        }
        if (time >= duration)
            return INFINITY;
        before = last, at_before = at_last;
        last = time, at_last = value;
        time = fmin(duration, time + fmax(LEAST_STEP, 0.5 * value / s->speed));
    }
}

double find_dense_time(const torus *solid, const toi_rigid *motion, const double corners[3][3],
                       double duration)
{
    dense_search s = {.solid = solid, .motion = motion};
    vec3 spin = vector_of(motion->spin), middle = {0, 0, 0};
    s.rate = length3(spin);
    s.axis = unit3(spin);
    for (int i = 0; i < 3; ++i) {
        vec3 arm = sub3(vector_of(corners[i]), vector_of(motion->centre));
        s.arms[i] = turn_by(motion->rotation, arm);
        s.speed = fmax(s.speed, length3(vector_of(motion->velocity)) + s.rate * length3(arm));
        middle = step3(middle, 1.0 / 3, s.arms[i]);
    }
    for (int i = 0; i < 3; ++i) {
        s.longest = fmax(s.longest, length3(sub3(s.arms[(i + 1) % 3], s.arms[i])));
        s.reach = fmax(s.reach, length3(sub3(s.arms[i], middle)) * (1 + 1e-12));
    }
    return march(&s, duration);
}

double find_point_time(const torus *solid, const toi_rigid *motion, const double point[3],
                       double duration)
{
    double corners[3][3];
    for (int i = 0; i < 9; ++i)
        corners[i / 3][i % 3] = point[i % 3];
    return find_dense_time(solid, motion, (const double(*)[3])corners, duration);
}
