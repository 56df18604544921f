// The inner loops of baking: squared distances of a group of points to triangles, and winding
// numbers.

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "sdf/bake_triangle.h"

#include <string.h>

// ---- Distances

toi_bake_lower_fn TOI_ISA_NAME(toi_bake_lower);
void TOI_ISA_NAME(toi_bake_lower)(toi_bake_group *group, const toi_bake_triangle *triangles,
                                  int64_t first, int64_t end)
{
    for (int i = 0; i < TOI_BAKE_POINTS; i += TOI_LANES) {
        toi_real at[3], best;
        for (int k = 0; k < 3; ++k)
            memcpy(&at[k], &group->at[k][i], sizeof at[k]);
        memcpy(&best, &group->best[i], sizeof best);
        for (int64_t t = first; t < end; ++t)
            best = toi_min(toi_triangle_square(&triangles[t], at), best);
        memcpy(&group->best[i], &best, sizeof best);
    }
}

// ---- Winding numbers

// Half the solid angle of a triangle is the argument of a complex number. Their product has the sum
// of the arguments, up to whole turns, which are counted where the product crosses the negative
// half of the real axis.
typedef struct turned
{
    toi_real re;
    toi_real im;
    toi_real turns;
} turned;

// Half the solid angle as re + i im (van Oosterom and Strackee).
TOI_INLINE void half_angle(const toi_bake_triangle *t, const toi_real at[3], toi_real *re,
                           toi_real *im)
{
    toi_real p[3][3], length[3], normal[3];
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k)
            p[c][k] = t->corner[c][k] - at[k];
        length[c] = toi_sqrt(toi_dot(p[c], p[c]));
    }
    toi_spread3(t->normal, normal);
    *im = toi_dot(p[0], normal);
    *re = length[0] * length[1] * length[2] + toi_dot(p[0], p[1]) * length[2] +
          toi_dot(p[1], p[2]) * length[0] + toi_dot(p[2], p[0]) * length[1];
}

// Both arguments are in (-pi, pi]. A sum leaves that range only when both have one sign and the
// product has the other.
TOI_INLINE void turn(turned *sum, toi_real re, toi_real im)
{
    toi_real zero = TOI_SPREAD(0), one = TOI_SPREAD(1);
    toi_real x = sum->re * re - sum->im * im, y = sum->re * im + sum->im * re;
    toi_mask up = TOI_TEST(sum->im >= zero) & TOI_TEST(im >= zero) & TOI_TEST(y < zero);
    toi_mask down = TOI_TEST(sum->im < zero) & TOI_TEST(im < zero) & TOI_TEST(y >= zero);
    sum->turns += TOI_SELECT(up, one, zero) - TOI_SELECT(down, one, zero);
    toi_real size = toi_abs(x) + toi_abs(y);
    toi_mask sound = TOI_TEST(size > zero);
    size = TOI_SELECT(sound, size, one);
    sum->re = TOI_SELECT(sound, x / size, sum->re);
    sum->im = TOI_SELECT(sound, y / size, sum->im);
}

TOI_INLINE void wind(const toi_bake_triangle *triangles, int64_t count, const toi_real at[3],
                     double *windings, int used)
{
    turned sum = {TOI_SPREAD(1), TOI_SPREAD(0), TOI_SPREAD(0)};
    for (int64_t t = 0; t < count; ++t) {
        toi_real re, im;
        half_angle(&triangles[t], at, &re, &im);
        turn(&sum, re, im);
    }
    for (int i = 0; i < used; ++i)
        windings[i] = sum.turns[i] + atan2(sum.im[i], sum.re[i]) * (0.5 / 3.14159265358979323846);
}

toi_bake_wind_fn TOI_ISA_NAME(toi_bake_wind);
void TOI_ISA_NAME(toi_bake_wind)(const toi_bake_triangle *triangles, int64_t triangle_count,
                                 const double (*points)[3], int64_t count, double *windings)
{
    for (int64_t first = 0; first < count; first += TOI_LANES) {
        int used = count - first < TOI_LANES ? (int)(count - first) : TOI_LANES;
        double lanes[3][TOI_LANES];
        for (int i = 0; i < TOI_LANES; ++i)
            for (int k = 0; k < 3; ++k)
                lanes[k][i] = points[first + (i < used ? i : 0)][k];
        toi_real at[3];
        memcpy(at, lanes, sizeof at);
        wind(triangles, triangle_count, at, windings + first, used);
    }
}
