// Contact at one instant by local optimisation over the triangle (Macklin et al. 2020): by
// Frank-Wolfe and by projected gradient descent.

#include "sdf/local.h"

// A triangle at its instant, and the best of its points so far.
typedef struct instant
{
    double points[3][3];
    double weights[3];
    double value;
} instant;

static void look(toi_local *local, const double weights[3], instant *best, double slopes[3])
{
    toi_field_sample sample;
    double point[3];
    toi_weigh(best->points, weights, point);
    toi_local_sample(local, point, &sample);
    for (int i = 0; i < 3; ++i) // the derivatives by the weights, equation 1.4
        slopes[i] = toi_dot(sample.gradient, best->points[i]);
    if (!(sample.value < best->value))
        return;
    best->value = sample.value;
    for (int i = 0; i < 3; ++i)
        best->weights[i] = weights[i];
}

// Both begin at the corner that is nearest.
static void begin(toi_local *local, const toi_corner corners[3], double time, instant *best)
{
    toi_frame frame;
    toi_track_frame(local->track, time, &frame);
    best->value = INFINITY;
    for (int i = 0; i < 3; ++i)
        toi_track_place(&frame, &corners[i], best->points[i]);
    for (int i = 0; i < 3; ++i) {
        double slopes[3], weights[3] = {i == 0, i == 1, i == 2};
        look(local, weights, best, slopes);
    }
}

static void conclude(const toi_local *local, const instant *best, double time, toi_local_hit *hit)
{
    const double *w = best->weights;
    *hit = (toi_local_hit){best->value <= local->contact, time, {w[0], w[1], w[2]}, best->value};
}

static int least(const double slopes[3])
{
    int best = slopes[1] < slopes[0] ? 1 : 0;
    return slopes[2] < slopes[best] ? 2 : best;
}

void toi_local_discrete(toi_local *local, const toi_corner corners[3], double start, double end,
                        toi_local_hit *hit)
{
    (void)start;
    instant best;
    double slopes[3];
    begin(local, corners, end, &best);
    double w[3] = {best.weights[0], best.weights[1], best.weights[2]};
    for (int i = 0; i < local->iterations; ++i) {
        look(local, w, &best, slopes);
        int towards = least(slopes);
        double here = toi_dot(slopes, w), alpha = 2.0 / (i + 2);
        if (!(slopes[towards] < here)) // no corner is downhill
            break;
        for (int k = 0; k < 3; ++k)
            w[k] *= 1 - alpha;
        w[towards] += alpha;
    }
    conclude(local, &best, end, hit);
}

// The nearest point of the simplex: all weights lowered by one number, those below 0 left out.
static void project(double w[3])
{
    bool in[3] = {true, true, true};
    for (int round = 0; round < 3; ++round) {
        double sum = -1;
        int count = 0;
        for (int i = 0; i < 3; ++i)
            if (in[i]) {
                sum += w[i];
                ++count;
            }
        bool all = true;
        for (int i = 0; i < 3; ++i) {
            w[i] = in[i] ? w[i] - sum / count : 0;
            in[i] = in[i] && w[i] > 0;
            all = all && w[i] >= 0;
        }
        if (all)
            return;
    }
}

// The step begins with one across the triangle and is halved where the field did not fall.
void toi_local_projected(toi_local *local, const toi_corner corners[3], double start, double end,
                         toi_local_hit *hit)
{
    (void)start;
    instant best;
    double slopes[3], there[3];
    begin(local, corners, end, &best);
    look(local, best.weights, &best, slopes);
    double length = 1;
    for (int i = 0; i < local->iterations && length > local->tolerance; ++i) {
        double low = fmin(slopes[0], fmin(slopes[1], slopes[2]));
        double high = fmax(slopes[0], fmax(slopes[1], slopes[2]));
        if (!(low < high))
            break;
        double w[3], before = best.value;
        for (int k = 0; k < 3; ++k)
            w[k] = best.weights[k] - length / (high - low) * slopes[k];
        project(w);
        look(local, w, &best, there);
        if (best.value < before)
            for (int k = 0; k < 3; ++k)
                slopes[k] = there[k];
        else
            length /= 2;
    }
    conclude(local, &best, end, hit);
}
