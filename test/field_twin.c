// Distances by nearest points and features in long double; see field_twin.h.

#include "field_twin.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

// ---------------------------------------------------------------------------------------------
// In the half plane (distance from the axis, z): signed distance to a polygon that ends at the axis

static real to_segment(const real p[2], const real a[2], const real b[2])
{
    real e[2] = {b[0] - a[0], b[1] - a[1]}, square = e[0] * e[0] + e[1] * e[1];
    real t = ((p[0] - a[0]) * e[0] + (p[1] - a[1]) * e[1]) / square;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypotl(p[0] - a[0] - t * e[0], p[1] - a[1] - t * e[1]);
}

// The corners go around with the inside on their left, from the axis to the axis.
static real to_polygon(const real p[2], const real (*corners)[2], int count)
{
    real nearest = INFINITY;
    bool inside = true;
    for (int i = 0; i + 1 < count; ++i) {
        const real *a = corners[i], *b = corners[i + 1];
        nearest = fminl(nearest, to_segment(p, a, b));
        inside = inside && (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0;
    }
    return inside ? -nearest : nearest;
}

static real cylinder(const double n[4], const real p[3])
{
    real h = n[1], q[2] = {hypotl(p[0], p[1]), p[2]};
    return to_polygon(q, (const real[4][2]){{0, -h}, {n[0], -h}, {n[0], h}, {0, h}}, 4);
}

static real cone(const double n[4], const real p[3])
{
    real q[2] = {hypotl(p[0], p[1]), p[2]};
    return to_polygon(q, (const real[3][2]){{0, 0}, {n[0], 0}, {0, n[1]}}, 3);
}

// ---------------------------------------------------------------------------------------------
// The other shapes

static real box(const real half[3], const real p[3])
{
    real away = 0, depth = INFINITY;
    for (int k = 0; k < 3; ++k) {
        real nearest = fminl(fmaxl(p[k], -half[k]), half[k]);
        away = hypotl(away, p[k] - nearest);
        depth = fminl(depth, fminl(half[k] - p[k], half[k] + p[k]));
    }
    return away > 0 ? away : -depth;
}

static real rounded_box(const double n[4], const real p[3])
{
    real half[3] = {(real)n[0] - n[3], (real)n[1] - n[3], (real)n[2] - n[3]};
    return box(half, p) - n[3];
}

static real capsule(const double n[4], const real p[3])
{
    real q[2] = {hypotl(p[0], p[1]), p[2]}, h = n[1];
    return to_segment(q, (const real[2]){0, -h}, (const real[2]){0, h}) - n[0];
}

static real plane(const double n[4], const real p[3])
{
    real length = hypotl(hypotl(n[0], n[1]), n[2]);
    return (n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / length - n[3];
}

static real torus(const double n[4], const real p[3])
{
    return hypotl(hypotl(p[0], p[1]) - n[0], p[2]) - n[1];
}

// The nine cones around, each down to far below.
static real spikes(const double n[4], const real p[3])
{
    real least = p[2], far = fabsl(p[2]) + 2 * n[0] + n[1], slope = n[2] / (real)n[1];
    real column = rintl(p[0] / n[0]), row = rintl(p[1] / n[0]);
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j) {
            real axis = hypotl(p[0] - (column + i) * n[0], p[1] - (row + j) * n[0]);
            real low = -4 * far, wide = (n[1] - low) * slope;
            real q[2] = {axis, p[2]};
            least = fminl(least, to_polygon(q, (const real[2][2]){{wide, low}, {0, n[1]}}, 2));
        }
    return least;
}

static real gyroid(const double n[4], const real p[3])
{
    real tau = 6.283185307179586476925286766559L, c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = tau * remainderl(p[k], n[0]) / n[0];
    real g = sinl(c[0]) * cosl(c[1]) + sinl(c[1]) * cosl(c[2]) + sinl(c[2]) * cosl(c[0]);
    return fabsl(g) * n[0] / (tau * sqrtl(3)) - n[1] / (real)2;
}

static real shape_value(const twin_node *node, const real p[3])
{
    const double *n = node->numbers;
    switch (node->kind) {
    case TOI_SHAPE_SPHERE:
        return hypotl(hypotl(p[0], p[1]), p[2]) - n[0];
    case TOI_SHAPE_BOX:
        return box((const real[3]){n[0], n[1], n[2]}, p);
    case TOI_SHAPE_ROUNDED_BOX:
        return rounded_box(n, p);
    case TOI_SHAPE_CAPSULE:
        return capsule(n, p);
    case TOI_SHAPE_CYLINDER:
        return cylinder(n, p);
    case TOI_SHAPE_CONE:
        return cone(n, p);
    case TOI_SHAPE_PLANE:
        return plane(n, p);
    case TOI_SHAPE_TORUS:
        return torus(n, p);
    case TOI_SHAPE_SPIKES:
        return spikes(n, p);
    default:
        return gyroid(n, p);
    }
}

// ---------------------------------------------------------------------------------------------
// Trees

// R^T v by the quaternion itself: q* v q.
static void turn_back(const double rotation[4], const real v[3], real turned[3])
{
    real length = 0, q[4];
    for (int k = 0; k < 4; ++k)
        length = hypotl(length, rotation[k]);
    for (int k = 0; k < 4; ++k)
        q[k] = (k ? -1 : 1) * rotation[k] / length;
    real c[3] = {q[2] * v[2] - q[3] * v[1], q[3] * v[0] - q[1] * v[2], q[1] * v[1] - q[2] * v[0]};
    real d[3] = {q[2] * c[2] - q[3] * c[1], q[3] * c[0] - q[1] * c[2], q[1] * c[1] - q[2] * c[0]};
    for (int k = 0; k < 3; ++k)
        turned[k] = v[k] + 2 * (q[0] * c[k] + d[k]);
}

static real placed_value(const twin_node *node, const real p[3])
{
    const toi_placement *at = &node->placement;
    real d[3] = {p[0] - at->position[0], p[1] - at->position[1], p[2] - at->position[2]}, q[3];
    turn_back(at->rotation, d, q);
    for (int k = 0; k < 3; ++k)
        q[k] /= at->scale;
    return at->scale * twin_value(node->children[0], q) - at->offset;
}

static real combined_value(const twin_node *node, const real p[3])
{
    real result = twin_value(node->children[0], p);
    for (int i = 1; i < node->count; ++i) {
        real value = twin_value(node->children[i], p);
        if (node->combination == TOI_COMBINE_UNION)
            result = fminl(result, value);
        else
            result = fmaxl(result, node->combination == TOI_COMBINE_DIFFERENCE ? -value : value);
    }
    return result;
}

long double twin_value(const twin_node *node, const long double p[3])
{
    if (node->kind == TWIN_PLACED)
        return placed_value(node, p);
    return node->kind == TWIN_COMBINED ? combined_value(node, p) : shape_value(node, p);
}

static twin_node *new_node(int kind)
{
    twin_node *node = calloc(1, sizeof *node);
    assert_non_null(node);
    node->kind = kind;
    return node;
}

twin_node *random_shape(toi_random *random, toi_shape shape, double size)
{
    twin_node *node = new_node(shape);
    double *n = node->numbers;
    for (int k = 0; k < 4; ++k)
        n[k] = size * exp2(toi_random_range(random, -3, 1));
    if (shape == TOI_SHAPE_ROUNDED_BOX)
        n[3] = fmin(n[0], fmin(n[1], n[2])) * toi_random_range(random, 0.1, 1);
    if (shape == TOI_SHAPE_SPIKES)
        n[2] = n[0] * toi_random_range(random, 0.05, 0.5);
    if (shape == TOI_SHAPE_PLANE)
        for (int k = 0; k < 4; ++k)
            n[k] *= toi_random_range(random, -1, 1);
    if (shape == TOI_SHAPE_GYROID)
        n[1] = n[0] * toi_random_range(random, 0.01, 0.1);
    assert_ok(toi_make_shape(shape, n, toi_shape_numbers(shape), &node->field));
    return node;
}

static twin_node *random_placed(toi_random *random, int depth, double size, double far)
{
    twin_node *node = new_node(TWIN_PLACED);
    toi_placement *at = &node->placement;
    *at = toi_default_placement();
    at->scale = toi_random_below(random, 3) ? exp2(toi_random_range(random, -6, 6)) : 1;
    for (int k = 0; k < 4 && toi_random_below(random, 4); ++k)
        at->rotation[k] = toi_random_range(random, -1, 1) + (k == 0) * 0.01;
    for (int k = 0; k < 3; ++k)
        at->position[k] = toi_random_range(random, -1, 1) * size * far;
    at->offset = toi_random_below(random, 2) ? 0 : toi_random_range(random, -0.1, 0.2) * size;
    node->count = 1;
    node->children[0] = random_tree(random, depth, size / at->scale, far);
    assert_ok(toi_place_field(node->children[0]->field, at, &node->field));
    return node;
}

static twin_node *random_combined(toi_random *random, int depth, double size, double far)
{
    twin_node *node = new_node(TWIN_COMBINED);
    toi_field *fields[TWIN_CHILDREN];
    node->combination = (toi_combination)toi_random_below(random, TOI_COMBINE_COUNT);
    node->count = toi_random_below(random, 20) ? 1 + (int)toi_random_below(random, 4)
                                               : TWIN_CHILDREN; // more than there is room for
    for (int i = 0; i < node->count; ++i) {
        node->children[i] =
            random_tree(random, node->count > 4 ? depth < 1 ? depth : 1 : depth, size, far);
        fields[i] = node->children[i]->field;
    }
    assert_ok(toi_combine_fields(node->combination, fields, node->count, &node->field));
    return node;
}

twin_node *random_tree(toi_random *random, int depth, double size, double far)
{
    if (depth == 0)
        return random_shape(random, (toi_shape)toi_random_below(random, TOI_SHAPE_COUNT), size);
    if (toi_random_below(random, 2))
        return random_placed(random, depth - 1, size, far);
    return random_combined(random, depth - 1, size, far);
}

void free_tree(twin_node *node)
{
    toi_free_field(node->field); // before its parts: it holds on to them
    for (int i = 0; i < node->count; ++i)
        free_tree(node->children[i]);
    free(node);
}
