// Distances between a point and a triangle, between two segments, a point and a segment, and two
// points, robust for degenerate ones.
//
// The least distance is attained on a vertex, on a side or inside; each candidate is computed and
// the least taken. A candidate's distance is always that of a real pair of points, so a badly
// conditioned one can only lose to a better one. Coordinates are relative and scaled by a power of
// two: nothing overflows, and a far origin costs nothing. How exact the result is:
// docs/distances.md.

#ifndef TOI_KERNEL_DISTANCE_H
#define TOI_KERNEL_DISTANCE_H

#include "kernel/motion.h"

// The computed distance is wrong by at most this, where the differences are scaled so that the
// largest is below 1: docs/distances.md, section 2.
#define TOI_DISTANCE_ERROR 0x1p-44

// The candidate with the least squared length of F = p + u e + v g so far.
typedef struct toi_closest
{
    toi_real square;
    toi_real u, v;
} toi_closest;

TOI_INLINE toi_real toi_clamp01(toi_real x)
{
    return toi_min(toi_max(x, TOI_SPREAD(0)), TOI_SPREAD(1)); // NaN becomes 0
}

// F at (u, v).
TOI_INLINE void toi_value_at(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                             toi_real u, toi_real v, toi_real f[3])
{
    for (int k = 0; k < 3; ++k)
        f[k] = (p[k] + u * e[k]) + v * g[k];
}

TOI_INLINE toi_closest toi_take_point(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                                      toi_real u, toi_real v)
{
    toi_real f[3];
    toi_value_at(p, e, g, u, v, f);
    toi_closest found = {toi_dot(f, f), u, v};
    return found;
}

TOI_INLINE void toi_keep_nearer(toi_mask nearer, const toi_closest *found, toi_closest *best)
{
    best->square = TOI_SELECT(nearer, found->square, best->square);
    best->u = TOI_SELECT(nearer, found->u, best->u);
    best->v = TOI_SELECT(nearer, found->v, best->v);
}

TOI_INLINE void toi_try_point(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                              toi_real u, toi_real v, toi_closest *best)
{
    toi_closest found = toi_take_point(p, e, g, u, v);
    toi_keep_nearer(TOI_TEST(found.square < best->square), &found, best);
}

// The same in the lanes of the mask alone.
TOI_INLINE void toi_try_point_where(toi_mask allowed, const toi_real p[3], const toi_real e[3],
                                    const toi_real g[3], toi_real u, toi_real v, toi_closest *best)
{
    toi_closest found = toi_take_point(p, e, g, u, v);
    toi_keep_nearer(TOI_TEST(found.square < best->square) & allowed, &found, best);
}

// The squared length of p + s d.
TOI_INLINE toi_real toi_square_along(const toi_real p[3], const toi_real d[3], toi_real s)
{
    toi_real f[3];
    for (int k = 0; k < 3; ++k)
        f[k] = p[k] + s * d[k];
    return toi_dot(f, f);
}

// The parameter in [0, 1] of the point of the segment p + s d that is closest to the origin.
TOI_INLINE toi_real toi_closest_on_segment(const toi_real p[3], const toi_real d[3])
{
    toi_real length = toi_dot(d, d);
    toi_real s = toi_clamp01(-toi_dot(p, d) / length);
    return TOI_SELECT(TOI_TEST(length > 0), s, TOI_SPREAD(0));
}

TOI_INLINE toi_real toi_unit_vector(const toi_real from[3], toi_real to[3])
{
    toi_real largest = toi_max3(from), scale = toi_unit_scale(&largest);
    for (int k = 0; k < 3; ++k)
        to[k] = from[k] * scale;
    return scale;
}

// Two edges, each scaled to one so that the area does not underflow, and their normal.
typedef struct toi_edge_plane
{
    toi_real e[3], g[3], n[3];
    toi_real scale_e, scale_g;
    toi_real area; // squared; not above zero: they span no plane
} toi_edge_plane;

TOI_INLINE void toi_span_plane(const toi_real e[3], const toi_real g[3], toi_edge_plane *plane)
{
    plane->scale_e = toi_unit_vector(e, plane->e);
    plane->scale_g = toi_unit_vector(g, plane->g);
    toi_cross(plane->e, plane->g, plane->n);
    plane->area = toi_dot(plane->n, plane->n);
}

// Is the sine of the angle between them at least 1/8? Then one solution by cross products will do.
TOI_INLINE toi_mask toi_is_wide(const toi_edge_plane *plane)
{
    toi_real sides = toi_dot(plane->e, plane->e) * toi_dot(plane->g, plane->g);
    return TOI_TEST(plane->area >= 0x1p-6 * sides) & TOI_TEST(plane->area > 0);
}

// The unconstrained minimum of |p + u e + v g| by cross products: their error grows with 1 / sine
// of the angle between e and g, not with its square as the normal equations' would.
TOI_INLINE void toi_stationary(const toi_edge_plane *plane, const toi_real p[3], toi_real *u,
                               toi_real *v)
{
    toi_real pg[3], ep[3];
    toi_cross(p, plane->g, pg);
    toi_cross(plane->e, p, ep);
    *u = -toi_dot(pg, plane->n) / plane->area * plane->scale_e;
    *v = -toi_dot(ep, plane->n) / plane->area * plane->scale_g;
}

TOI_INLINE toi_real toi_reclose(const toi_real p[3], const toi_real step[3], toi_real along,
                                const toi_real d[3])
{
    toi_real q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = p[k] + along * step[k];
    return toi_closest_on_segment(q, d);
}

// Solves for what is left of F at (u, v), and tries where that leads.
TOI_INLINE void toi_refine_inside(toi_mask allowed, const toi_edge_plane *plane,
                                  const toi_real p[3], const toi_real e[3], const toi_real g[3],
                                  toi_real *u, toi_real *v, toi_closest *best)
{
    toi_real du, dv, f[3];
    toi_value_at(p, e, g, *u, *v, f);
    toi_stationary(plane, f, &du, &dv);
    *u += du;
    *v += dv;
    toi_mask inside = TOI_TEST(*u >= 0) & TOI_TEST(*v >= 0) & TOI_TEST(*u + *v <= 1);
    toi_try_point_where(inside & allowed, p, e, g, *u, *v, best);
}

// Slivers, where the first solution is off by as much as the sliver is wide: more of the same
// brings them back to full precision.
TOI_INLINE void toi_try_sliver(toi_mask slivers, const toi_edge_plane *plane, const toi_real p[3],
                               const toi_real e[3], const toi_real g[3], toi_real u, toi_real v,
                               toi_closest *best)
{
    for (int step = 0; step < 2; ++step)
        toi_refine_inside(slivers, plane, p, e, g, &u, &v, best);
    // Each projection undoes what the other's error did along its own edge.
    u = toi_clamp01(u);
    v = toi_min(toi_reclose(p, e, u, g), 1 - u);
    toi_try_point_where(slivers, p, e, g, u, v, best);
    u = toi_min(toi_reclose(p, g, v, e), 1 - v);
    toi_try_point_where(slivers, p, e, g, u, v, best);
}

// The minimum inside a triangle.
TOI_INLINE void toi_try_inside(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                               toi_closest *best)
{
    toi_edge_plane plane;
    toi_span_plane(e, g, &plane);
    toi_mask spans = TOI_TEST(plane.area > 0);
    toi_real u, v;
    toi_stationary(&plane, p, &u, &v);
    u += 0; // minus zero becomes zero
    v += 0;
    toi_mask inside = TOI_TEST(u >= 0) & TOI_TEST(v >= 0) & TOI_TEST(u + v <= 1) & spans;
    toi_try_point_where(inside, p, e, g, u, v, best);
    toi_refine_inside(spans, &plane, p, e, g, &u, &v, best);
    toi_mask slivers = spans & ~toi_is_wide(&plane);
    if (toi_any(slivers))
        toi_try_sliver(slivers, &plane, p, e, g, u, v, best);
}

// The least |p + u e + v g| over the two sides v = 0 and u = 0.
TOI_INLINE toi_closest toi_closest_on_corner_sides(const toi_real p[3], const toi_real e[3],
                                                   const toi_real g[3])
{
    toi_real u = toi_closest_on_segment(p, e), v = toi_closest_on_segment(p, g);
    toi_closest best = {toi_square_along(p, e, u), u, TOI_SPREAD(0)};
    toi_closest other = {toi_square_along(p, g, v), TOI_SPREAD(0), v};
    toi_keep_nearer(TOI_TEST(other.square < best.square), &other, &best);
    return best;
}

// The least |p + u e + v g| over the triangle u, v >= 0, u + v <= 1.
TOI_INLINE toi_closest toi_closest_on_triangle(const toi_real p[3], const toi_real e[3],
                                               const toi_real g[3])
{
    toi_real far[3], side[3];
    toi_closest best = toi_closest_on_corner_sides(p, e, g);
    for (int k = 0; k < 3; ++k) {
        far[k] = p[k] + e[k];
        side[k] = g[k] - e[k];
    }
    toi_real s = toi_closest_on_segment(far, side);
    toi_try_point(p, e, g, 1 - s, s, &best);
    toi_try_inside(p, e, g, &best);
    return best;
}

// The parameter of the point of the segment p + at step + s d that is closest, `inverse` being that
// of d.d. Where d is so short that this is infinite, any will do.
TOI_INLINE toi_real toi_closest_share(const toi_real p[3], const toi_real step[3], toi_real at,
                                      const toi_real d[3], const toi_real *inverse)
{
    toi_real q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = p[k] + at * step[k];
    return toi_clamp01(-toi_dot(q, d) * *inverse);
}

// The four sides of the square, in the lanes of the mask alone.
TOI_INLINE void toi_try_square_sides(toi_mask allowed, const toi_real p[3], const toi_real e[3],
                                     const toi_real g[3], const toi_real *by_e,
                                     const toi_real *by_g, toi_closest *best)
{
    const toi_real zero = TOI_SPREAD(0), one = TOI_SPREAD(1);
    toi_real u = toi_clamp01(-toi_dot(p, e) * *by_e), v = toi_clamp01(-toi_dot(p, g) * *by_g);
    toi_try_point_where(allowed, p, e, g, u, zero, best);
    toi_try_point_where(allowed, p, e, g, zero, v, best);
    toi_try_point_where(allowed, p, e, g, toi_closest_share(p, g, one, e, by_e), one, best);
    toi_try_point_where(allowed, p, e, g, one, toi_closest_share(p, e, one, g, by_g), best);
}

// The least |p + u e + v g| over the square u, v in [0, 1]. From the minimum on the plane, brought
// into the domain, each projection undoes what the other's error did along its own edge. Where the
// edges are nearly parallel the sides are tried too.
TOI_INLINE toi_closest toi_closest_on_square(const toi_real p[3], const toi_real e[3],
                                             const toi_real g[3])
{
    toi_real u, v, by_e = 1 / toi_dot(e, e), by_g = 1 / toi_dot(g, g);
    toi_edge_plane plane;
    toi_span_plane(e, g, &plane);
    toi_stationary(&plane, p, &u, &v);
    v = toi_closest_share(p, e, toi_clamp01(u), g, &by_g);
    u = toi_closest_share(p, g, v, e, &by_e);
    toi_closest best = toi_take_point(p, e, g, u, v);
    toi_mask parallel = ~toi_is_wide(&plane);
    if (toi_any(parallel))
        toi_try_square_sides(parallel, p, e, g, &by_e, &by_g, &best);
    return best;
}

// The least |p + u e| over the segment u in [0, 1].
TOI_INLINE toi_closest toi_closest_on_edge(const toi_real p[3], const toi_real e[3])
{
    toi_real u = toi_closest_on_segment(p, e);
    toi_closest best = {toi_square_along(p, e, u), u, TOI_SPREAD(0)};
    return best;
}

// The differences of points that stand still, as kernel/motion.h defines and scales them.
typedef struct toi_standing
{
    toi_real p[3], e[3], g[3]; // all below 1
    toi_real unit, grow;       // powers of two; their product undoes the scaling
} toi_standing;

TOI_INLINE toi_real toi_take_standing_differences(int edge_edge, toi_real points[4][3],
                                                  const toi_real *shrink, toi_standing *s)
{
    for (int k = 0; k < 3; ++k) {
        toi_real x[4] = {points[0][k] * *shrink, points[1][k] * *shrink, points[2][k] * *shrink,
                         points[3][k] * *shrink};
        s->p[k] = TOI_P_OF(edge_edge, x);
        s->e[k] = TOI_E_OF(edge_edge, x);
        s->g[k] = TOI_G_OF(edge_edge, x);
    }
    return toi_max(toi_max(toi_max3(s->p), toi_max3(s->e)), toi_max3(s->g));
}

// Points as in toi_query. Of a point and an edge, or of two points, the last one repeats.
TOI_INLINE void toi_take_standing(int edge_edge, toi_real points[4][3], toi_standing *s)
{
    toi_real shrink = TOI_SPREAD(1);
    toi_real largest = toi_take_standing_differences(edge_edge, points, &shrink, s);
    toi_mask large = TOI_TEST(largest >= TOI_LARGE);
    s->grow = shrink;
    if (toi_any(large)) {
        shrink = TOI_SELECT(large, TOI_SPREAD((toi_number)0x1p-4), shrink);
        s->grow = 1 / shrink;
        largest = toi_take_standing_differences(edge_edge, points, &shrink, s);
    }
    toi_real scale = toi_unit_scale(&largest);
    for (int k = 0; k < 3; ++k) {
        s->p[k] *= scale;
        s->e[k] *= scale;
        s->g[k] *= scale;
    }
    s->unit = toi_from_bits(((toi_to_bits(largest) >> TOI_MANTISSA) + 1) << TOI_MANTISSA);
}

// Sets u and v where `known` is not to where the figure p + u e + v g is closest to the origin.
TOI_INLINE void toi_close_figure(int edge_edge, const toi_mask *known, const toi_real p[3],
                                 const toi_real e[3], const toi_real g[3], toi_real *u, toi_real *v)
{
    toi_real points[4][3];
    toi_standing s;
    for (int k = 0; k < 3; ++k) {
        points[0][k] = p[k];
        points[1][k] = edge_edge ? p[k] + e[k] : TOI_SPREAD(0);
        points[2][k] = edge_edge ? TOI_SPREAD(0) : -e[k];
        points[3][k] = -g[k];
    }
    toi_take_standing(edge_edge, points, &s);
    toi_closest closest =
        edge_edge ? toi_closest_on_square(s.p, s.e, s.g) : toi_closest_on_triangle(s.p, s.e, s.g);
    *u = TOI_SELECT(*known, *u, closest.u);
    *v = TOI_SELECT(*known, *v, closest.v);
}

// A length among the scaled differences, in the unit of the given coordinates, as a division by the
// scale would give it. The inverse of the whole scale may be too large for a number, so there are
// two factors.
TOI_INLINE toi_real toi_given_length(const toi_standing *s, toi_real length)
{
    return length * s->unit * s->grow;
}

// Which part of a triangle or an edge holds the closest point: a number of toi_part. A side's
// parameters add up to 1 when rounded, and so do those of points that rounding cannot tell from it.
#define TOI_PICK(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))

TOI_INLINE toi_mask toi_part_of_triangle(const toi_closest *at)
{
    toi_mask zero = TOI_TEST(at->u != at->u), part = zero + 6;
    toi_mask u0 = TOI_TEST(at->u == 0), v0 = TOI_TEST(at->v == 0);
    part = TOI_PICK(TOI_TEST(at->u + at->v == 1), zero + 4, part);
    part = TOI_PICK(u0, zero + 5, part);
    part = TOI_PICK(v0, zero + 3, part);
    part = TOI_PICK(u0 & v0, zero, part);
    part = TOI_PICK(TOI_TEST(at->u == 1), zero + 1, part);
    return TOI_PICK(TOI_TEST(at->v == 1), zero + 2, part);
}

TOI_INLINE toi_mask toi_part_of_edge(toi_real u)
{
    toi_mask zero = TOI_TEST(u != u), part = zero + 6;
    part = TOI_PICK(TOI_TEST(u == 0), zero, part);
    return TOI_PICK(TOI_TEST(u == 1), zero + 1, part);
}

#endif
