// Branch and bound over a triangle at rest. Bounds are derived in docs/sdf.md, section "Contacts".

#include "sdf/lowest.h"

#include <string.h>

static const double UNIT = 0x1p-53;

enum
{
    LEVELS = 48, // weights are exact that far
    STACK = 3 * LEVELS + 4
};

// A part of the triangle that may hold a lower value.
typedef struct part
{
    double weights[3][3];
    double value; // at its centre
    double lower; // the field is nowhere below
    double radius;
    int level;
} part;

typedef struct search
{
    toi_local *local;
    const toi_resting *triangle;
    double limit;
    double detail;
    int parts;    // that it may take before giving up
    bool touches; // a point is within the limit, but for rounding
    toi_lowest *lowest;
} search;

void toi_rest_triangle(double corners[3][3], double error, toi_resting *triangle)
{
    double largest = 0;
    memcpy(triangle->corners, corners, sizeof triangle->corners);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(corners[i][k]));
    triangle->longest = toi_longest_side(corners);
    triangle->error = error + 16 * UNIT * largest;
}

void toi_resting_point(const toi_resting *triangle, const double weights[3], double point[3])
{
    const double(*c)[3] = triangle->corners;
    for (int k = 0; k < 3; ++k)
        point[k] = c[0][k] + (weights[1] * (c[1][k] - c[0][k]) + weights[2] * (c[2][k] - c[0][k]));
}

// How much the field may fall within a distance.
static double fall(const toi_field *field, double distance)
{
    double plain = field->lipschitz * distance;
    return field->step > 0 ? fmin(plain, distance + field->step) : plain;
}

// A minorant at c + y is at least this: its rounding is taken off.
static double lower_at(const toi_minorant *m, const double y[3], double length)
{
    const double *n = m->normal;
    double bow = m->curvature / 2 * (length * length), cone = m->slope * length;
    double size = fabs(m->distance) + (fabs(n[0]) + fabs(n[1]) + fabs(n[2])) * length + bow + cone;
    double lower = m->distance + toi_dot(n, y) - bow - cone - 24 * UNIT * size;
    return lower == lower ? lower : -INFINITY;
}

// The field over the part is nowhere below what is returned. Minorants are concave: their least is
// at a corner.
static double bound(toi_local *local, double points[3][3], const double centre[3],
                    const toi_field_sample *sample, double radius)
{
    const toi_field *field = local->field;
    toi_minorant minorants[TOI_MINORANTS];
    double plain = (sample->value - sample->error) - fall(field, radius) * (1 + 0x1p-40);
    plain -= 4 * UNIT * fabs(sample->value);
    int count = sample->value == sample->value ? field->class->bound(field, sample, centre, radius,
                                                                     1, minorants, TOI_MINORANTS)
                                               : 0;
    if (count < 0)
        toi_local_fail(local, centre);
    double least = count > 0 ? INFINITY : plain;
    for (int i = 0; i < 3 && count > 0; ++i) {
        double y[3];
        toi_subtract(points[i], centre, y);
        double length = toi_norm(y);
        for (int k = 0; k < count; ++k)
            least = fmin(least, lower_at(&minorants[k], y, length));
    }
    // At or below its floor a field's minorants say nothing of how deep it is.
    return least > field->floor[0] ? fmax(least, plain) : plain;
}

static void keep_lowest(search *s, const double weights[3], double value, double error)
{
    if (value <= s->limit + error + fall(s->local->field, s->triangle->error))
        s->touches = true;
    if (!(value < s->lowest->value))
        return;
    s->lowest->value = value;
    memcpy(s->lowest->weights, weights, sizeof s->lowest->weights);
}

// Samples the centre of a part, and bounds it.
static void look(search *s, part *p)
{
    toi_field_sample sample;
    double points[3][3], middle[3], centre[3], y[3], radius = 0;
    for (int k = 0; k < 3; ++k)
        middle[k] = (p->weights[0][k] + p->weights[1][k] + p->weights[2][k]) / 3;
    toi_resting_point(s->triangle, middle, centre);
    for (int i = 0; i < 3; ++i) {
        toi_resting_point(s->triangle, p->weights[i], points[i]);
        toi_subtract(points[i], centre, y);
        radius = fmax(radius, toi_norm(y));
    }
    p->radius = radius * (1 + 0x1p-50) + 0x1p-500; // squares underflow
    toi_local_sample(s->local, centre, &sample);
    p->value = sample.value;
    p->lower = bound(s->local, points, centre, &sample, p->radius);
    keep_lowest(s, middle, sample.value, sample.error);
}

// Nothing in the part is of interest. False for what is not a number.
static bool done(const search *s, const part *p)
{
    if (s->touches)
        return p->lower >= s->lowest->value - fmax(s->detail, fabs(s->lowest->value) / 64);
    return p->lower > s->limit + fall(s->local->field, s->triangle->error) * (1 + 0x1p-40);
}

// Four parts of half the size.
static void split(const part *p, part children[4])
{
    double middles[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            middles[i][k] = (p->weights[(i + 1) % 3][k] + p->weights[(i + 2) % 3][k]) / 2;
    for (int i = 0; i < 4; ++i) {
        memcpy(children[i].weights, middles, sizeof middles);
        if (i < 3)
            memcpy(children[i].weights[i], p->weights[i], sizeof p->weights[i]);
        children[i].level = p->level + 1;
    }
}

// Pushes the children that matter, the lowest last. Returns the new height of the stack.
static int push_children(search *s, const part *p, part *stack, int height)
{
    part children[4];
    split(p, children);
    int first = height;
    for (int i = 0; i < 4; ++i) {
        look(s, &children[i]);
        if (done(s, &children[i]))
            continue;
        int at = height++;
        for (; at > first && stack[at - 1].value < children[i].value; --at)
            stack[at] = stack[at - 1];
        stack[at] = children[i];
    }
    return height;
}

static void divide(search *s, const part *whole)
{
    part stack[STACK];
    int height = 1, left = s->touches ? s->parts / 256 : s->parts;
    stack[0] = *whole;
    while (height > 0 && left > 0 && !s->local->failed) {
        part p = stack[--height];
        bool touched = s->touches;
        // A part as small as the rounding of its own points cannot be told from contact.
        if (p.radius <= s->triangle->error || p.level >= LEVELS)
            s->touches = true;
        else if (!done(s, &p))
            height = push_children(s, &p, stack, height);
        left = s->touches && !touched ? s->parts / 256 : left - 1;
    }
    s->lowest->apart = height == 0 && !s->touches;
}

// A corner may be lower than all centres of parts.
static void look_at_corners(search *s, double corners[3][3])
{
    toi_field_sample sample;
    double point[3];
    for (int i = 0; i < 3; ++i) {
        toi_resting_point(s->triangle, corners[i], point);
        toi_local_sample(s->local, point, &sample);
        keep_lowest(s, corners[i], sample.value, sample.error);
    }
}

void toi_find_lowest(toi_local *local, const toi_resting *triangle, double corners[3][3],
                     double limit, double detail, int parts, toi_lowest *lowest)
{
    search s = {local, triangle, limit, detail, parts, false, lowest};
    part whole = {.level = 0};
    memcpy(whole.weights, corners, sizeof whole.weights);
    *lowest = (toi_lowest){.value = INFINITY};
    look(&s, &whole);
    lowest->apart = !s.touches && done(&s, &whole);
    if (lowest->apart)
        return;
    look_at_corners(&s, corners);
    divide(&s, &whole);
}
