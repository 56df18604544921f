// Distances to the triangles of a mesh, its winding numbers, and half-spaces that hold its
// triangles.

#include "sdf/mesh_distance.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

#define TOI_ROUNDED_DOWN 0x1p-50 // of a sum of three products of differences: docs/sdf.md

extern const toi_mesh_kernel toi_mesh_kernel_baseline, toi_mesh_kernel_avx2, toi_mesh_kernel_avx512;
static const toi_mesh_kernel *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(&toi_mesh_kernel);

static const toi_mesh_kernel *kernel(void)
{
    return kernels[toi_simd_level()];
}

void toi_find_nearest(const toi_mesh_tree *tree, const double point[3], double limit,
                      toi_nearest *nearest)
{
    *nearest = (toi_nearest){.square = limit, .block = -1};
    kernel()->find_nearest(tree, point, nearest);
    if (nearest->block < 0)
        nearest->square = INFINITY;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(const double a[3], const double b[3], double r[3])
{
    for (int k = 0; k < 3; ++k)
        r[k] = a[k] - b[k];
}

void toi_find_nearest_from(const toi_mesh_tree *tree, const double point[3], toi_nearest *nearest)
{
    // A corner of the given triangle is no nearer than the triangle: a limit that some triangle
    // meets.
    double corners[3][3], least = INFINITY;
    toi_block_corners(&tree->blocks[nearest->block], nearest->lane, corners);
    for (int v = 0; v < 3; ++v) {
        double away[3];
        subtract(corners[v], point, away);
        least = fmin(least, dot(away, away));
    }
    toi_find_nearest(tree, point, least * (1 + 0x1p-30) + 0x1p-800, nearest);
}

static bool boxes_near(const double low[3], const double high[3], const toi_wide_node *node,
                       int lane, double distance)
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = fmax(node->low[k][lane] - high[k], low[k] - node->high[k][lane]);
        square += gap > 0 ? gap * gap : 0;
    }
    return sqrt(square) * (1 - 0x1p-48) <= distance;
}

int64_t toi_list_faces_near(const toi_mesh_tree *tree, const double low[3], const double high[3],
                            double distance, int32_t *faces, int64_t room)
{
    int32_t stack[TOI_WIDE_STACK];
    int top = 0;
    int64_t count = 0;
    stack[top++] = 0;
    while (top > 0) {
        const toi_wide_node *node = &tree->nodes[stack[--top]];
        for (int lane = 0; lane < TOI_WIDE; ++lane) {
            if (!boxes_near(low, high, node, lane, distance))
                continue;
            if (node->child[lane] >= 0) {
                stack[top++] = node->child[lane];
                continue;
            }
            const int32_t *face = tree->blocks[~node->child[lane]].face;
            for (int i = 0; i < TOI_WIDE && face[i] >= 0; ++i)
                if (count++ < room)
                    faces[count - 1] = face[i];
        }
    }
    return count;
}

// The solid angle of a triangle over 4 pi (Van Oosterom and Strackee).
static double solid_angle(const double a[3], const double b[3], const double c[3])
{
    double n[3], x = sqrt(dot(a, a)), y = sqrt(dot(b, b)), z = sqrt(dot(c, c));
    cross(b, c, n);
    return atan2(dot(a, n), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y) /
           6.283185307179586;
}

double toi_sum_solid_angles(const toi_mesh_tree *tree, const double point[3])
{
    double sum = 0;
    for (int64_t i = 0; i < tree->block_count; ++i)
        for (int lane = 0; lane < TOI_WIDE && tree->blocks[i].face[lane] >= 0; ++lane) {
            double corners[3][3];
            toi_block_corners(&tree->blocks[i], lane, corners);
            for (int v = 0; v < 3; ++v)
                subtract(corners[v], point, corners[v]);
            sum += solid_angle(corners[0], corners[1], corners[2]);
        }
    return sum;
}

// What the open sides add: each is drawn out to infinity, away from the ray, which closes the mesh
// without crossing the ray. False: rounding may decide on which side of the ray's line one passes.
static bool add_open_sides(const toi_mesh_tree *tree, const double point[3],
                           const double direction[3], double *winding)
{
    double back[3], length = sqrt(dot(direction, direction));
    for (int k = 0; k < 3; ++k)
        back[k] = -direction[k] / length;
    for (int64_t i = 0; i < tree->open_count; ++i) {
        double a[3], b[3], n[3], largest = 0;
        subtract(tree->points[tree->open[i][0]], point, a);
        subtract(tree->points[tree->open[i][1]], point, b);
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fmax(fabs(a[k]), fabs(b[k])));
        cross(a, b, n);
        if (fabs(dot(n, back)) <= largest * largest * 0x1p-48 + 0x1p-1000)
            return false;
        *winding += solid_angle(a, b, back);
    }
    return true;
}

enum
{
    DIRECTIONS = 8
};

// Rays go mostly along one axis, towards the nearest side of the box, and a little across, so that
// they do not follow the edges of meshes that lie along the axes. The next one is tried where
// rounding may decide.
static void choose_direction(const toi_mesh_tree *tree, const double point[3], int number,
                             double direction[3])
{
    static const double across[DIRECTIONS][2] = {{0.2236067, 0.1414213},  {-0.1732050, 0.2645751},
                                                 {0.3162277, -0.1123456}, {-0.2828427, -0.360555},
                                                 {0.4123105, 0.1357911},  {0.1928374, -0.4795831},
                                                 {-0.4358898, 0.2071067}, {0.1246810, 0.5385164}};
    int axis = 0, sign = 1;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double below = point[k] - tree->low[k], above = tree->high[k] - point[k];
        if (fmin(below, above) < least) {
            least = fmin(below, above);
            axis = k;
            sign = below < above ? -1 : 1;
        }
    }
    axis = (axis + number) % 3;
    sign = number & 1 ? -sign : sign;
    direction[axis] = sign;
    direction[(axis + 1) % 3] = across[number][0];
    direction[(axis + 2) % 3] = across[number][1];
}

double toi_winding_number(const toi_mesh_tree *tree, const double point[3], bool *certain)
{
    *certain = true;
    bool outside = false;
    for (int k = 0; k < 3; ++k)
        outside |= point[k] < tree->low[k] || point[k] > tree->high[k];
    if (outside && tree->open_count == 0)
        return 0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        double direction[3];
        int64_t count;
        choose_direction(tree, point, i, direction);
        if (!kernel()->count_crossings(tree, point, direction, &count))
            continue;
        double winding = (double)count;
        if (add_open_sides(tree, point, direction, &winding))
            return winding;
    }
    *certain = false;
    double sum = toi_sum_solid_angles(tree, point);
    return tree->open_count == 0 ? nearbyint(sum) : sum;
}

// The least of normal.(point - corner), rounded down, for |normal| <= 1.
static double least_support(double corners[3][3], const double point[3], const double normal[3])
{
    double least = INFINITY;
    for (int v = 0; v < 3; ++v) {
        double sum = 0, size = 0;
        for (int k = 0; k < 3; ++k) {
            double part = (point[k] - corners[v][k]) * normal[k];
            sum += part;
            size += fabs(part);
        }
        least = fmin(least, sum - (size * TOI_ROUNDED_DOWN + 0x1p-1000));
    }
    return least;
}

// Makes a vector's length 1, or a little less; false: it is too short.
static bool make_unit(double x[3])
{
    double largest = fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2]));
    if (!(largest > 0))
        return false;
    int exponent;
    frexp(largest, &exponent);
    for (int k = 0; k < 3; ++k)
        x[k] = ldexp(x[k], -exponent);
    double scale = (1 - 0x1p-49) / sqrt(dot(x, x));
    for (int k = 0; k < 3; ++k)
        x[k] *= scale;
    return true;
}

static void keep_better(double corners[3][3], const double point[3], const double normal[3],
                        toi_support *best)
{
    double distance = least_support(corners, point, normal);
    if (distance > best->distance) {
        memcpy(best->normal, normal, sizeof best->normal);
        best->distance = best->first = distance;
    }
}

// Takes out of a direction what is along a side. What is left of rounding then counts by the side's
// length, not by its length over the distance.
static void make_square(const double from[3], const double to[3], double normal[3])
{
    double along[3];
    subtract(to, from, along);
    if (!make_unit(along))
        return;
    for (int turn = 0; turn < 2; ++turn) {
        double part = dot(normal, along);
        for (int k = 0; k < 3; ++k)
            normal[k] -= part * along[k];
        if (!make_unit(normal))
            return;
    }
}

// The corner, or the side, where the nearest point is: from 0 on, or -1, -1: within the face.
static void nearest_part(double u, double v, int part[2])
{
    static const int parts[][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}, {-1, -1}};
    int i = u == 0 && v == 0 ? 0
            : u == 1         ? 1
            : v == 1         ? 2
            : v == 0         ? 3
            : u == 0         ? 4
            : u + v == 1     ? 5
                             : 6;
    memcpy(part, parts[i], sizeof parts[i]);
}

toi_support toi_support_triangle(double corners[3][3], const double point[3], double u, double v,
                                 const double offset[3], double enough)
{
    toi_support best = {{0}, -0x1p-1000, -0x1p-1000}; // of the normal 0: no distance is negative
    double e[3], g[3], normal[3], towards[3];
    subtract(corners[1], corners[0], e);
    subtract(corners[2], corners[0], g);
    subtract(point, corners[0], towards);
    if (make_unit(e) && make_unit(g)) {
        cross(e, g, normal);
        if (make_unit(normal)) {
            double side = dot(normal, towards) < 0 ? -1 : 1;
            for (int k = 0; k < 3; ++k)
                normal[k] *= side;
            keep_better(corners, point, normal, &best);
            if (best.distance >= enough)
                return best;
        }
    }
    int part[2];
    nearest_part(u, v, part);
    if (part[0] >= 0 && part[0] == part[1])
        subtract(point, corners[part[0]], normal);
    else
        memcpy(normal, offset, sizeof normal);
    if (!make_unit(normal))
        return best;
    if (part[0] != part[1])
        make_square(corners[part[0]], corners[part[1]], normal);
    keep_better(corners, point, normal, &best);
    return best;
}

int toi_cover_near(const toi_mesh_tree *tree, const double point[3], const toi_near *near,
                   toi_support *supports, int room)
{
    return kernel()->cover(tree, point, near, supports, room);
}
