// Vectors of three doubles and matrices of nine, row by row.

#ifndef TOI_SDF_VECTOR_H
#define TOI_SDF_VECTOR_H

#include <math.h>

static inline double toi_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double toi_norm(const double a[3])
{
    return sqrt(toi_dot(a, a));
}

static inline void toi_cross(const double a[3], const double b[3], double c[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
}

static inline void toi_subtract(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] - b[k];
}

// c = m a; they may not overlap.
static inline void toi_apply(const double m[9], const double a[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = m[3 * k] * a[0] + m[3 * k + 1] * a[1] + m[3 * k + 2] * a[2];
}

// c = m^T a; likewise.
static inline void toi_apply_back(const double m[9], const double a[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = m[k] * a[0] + m[k + 3] * a[1] + m[k + 6] * a[2];
}

// c = a b; likewise.
static inline void toi_multiply(const double a[9], const double b[9], double c[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[j + 3] + a[3 * i + 2] * b[j + 6];
}

static inline void toi_transpose(const double a[9], double c[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] = a[3 * j + i];
}

#endif
