// Golden section search (Kiefer 1953; algorithm 1.1 of Pelletier-Guenette et al.), with that
// listing's slips put right: docs/sdf.md.

#ifndef TOI_SDF_GOLDEN_SECTION_H
#define TOI_SDF_GOLDEN_SECTION_H

#include <math.h>

// A function of the share alpha in [0, 1] of the way through an interval.
typedef double toi_section_fn(void *context, double alpha);

// The best share that was looked at, and the value there.
typedef struct toi_section
{
    double alpha;
    double value;
} toi_section;

static inline __attribute__((always_inline)) toi_section toi_lesser(toi_section a, toi_section b)
{
    return b.value < a.value ? b : a;
}

// Looks for a local minimum of `function` until it is between two shares that differ by at most
// `tolerance`. The lowest of the last four points is returned, both ends of [0, 1] among them while
// they are not cut off. Inlined, so that a constant `function` is no call.
static inline __attribute__((always_inline)) toi_section
toi_golden_section(toi_section_fn *function, void *context, double tolerance)
{
    const double far = 0.6180339887498949, near = 1 - far; // 1 / golden ratio, and the rest
    toi_section p0 = {0, function(context, 0)};
    toi_section p1 = {near, function(context, near)};
    toi_section p2 = {far, function(context, far)};
    toi_section p3 = {1, function(context, 1)};
    while (p3.alpha - p0.alpha > tolerance) {
        if (toi_lesser(p0, p1).value < toi_lesser(p2, p3).value) {
            p3 = p2;
            p2 = p1;
            p1.alpha = far * p0.alpha + near * p3.alpha;
            p1.value = function(context, p1.alpha);
        } else {
            p0 = p1;
            p1 = p2;
            p2.alpha = near * p0.alpha + far * p3.alpha;
            p2.value = function(context, p2.alpha);
        }
    }
    return toi_lesser(toi_lesser(p0, p1), toi_lesser(p2, p3));
}

#endif
