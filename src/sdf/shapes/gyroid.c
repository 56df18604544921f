// A shell about the gyroid g = sin x cos y + sin y cos z + sin z cos x = 0, without end. The field
// is |g| over the largest length of g's gradient, minus half the thickness: no distance, but never
// more than one.

#include "sdf/shapes/shape.h"

// What is made of the numbers (length of a cell, thickness).
enum
{
    WAVE,     // radians a length: 2 pi / cell
    SCALE,    // 1 / (largest gradient of g): cell / (2 pi sqrt 3)
    CURVATURE // the second derivatives of g are at most 2: 2 WAVE^2 SCALE
};

toi_status toi_prepare_gyroid(toi_shape_field *shape)
{
    shape->made[WAVE] = 0x1.921fb54442d18p+2 / shape->numbers[0];
    shape->made[SCALE] = shape->numbers[0] / 0x1.5c3fddc92b2ddp+3;                // 2 pi sqrt 3
    shape->made[CURVATURE] = toi_raise(shape->made[WAVE] * 0x1.279a74590331dp+0); // 2 / sqrt 3
    return TOI_OK;
}

// Sine and cosine of a coordinate's phase; of 0 where doubles are farther apart than cells.
static inline void phase(double wave, double x, double *sine, double *cosine)
{
    double angle = wave * x;
    if (!(fabs(angle) < 0x1p53))
        angle = 0;
    *sine = sin(angle);
    *cosine = cos(angle);
}

// own[0] is |g| / (largest gradient).
static inline void gyroid_sample(const toi_field *field, const double p[3],
                                 toi_field_sample *sample)
{
    const toi_shape_field *shape = toi_shape_of(field);
    double s[3], c[3], cell = shape->numbers[0], thickness = shape->numbers[1];
    for (int k = 0; k < 3; ++k)
        phase(shape->made[WAVE], p[k], &s[k], &c[k]);
    double g = s[0] * c[1] + s[1] * c[2] + s[2] * c[0];
    double side = copysign(0x1.279a74590331dp-1, g); // 1 / sqrt 3: WAVE times SCALE
    double away = fabs(g) * shape->made[SCALE], value = away - thickness / 2;
    double size = 4 * (fabs(p[0]) + fabs(p[1]) + fabs(p[2])) + 8 * cell + 2 * fabs(value);
    toi_set_sample(sample, value, TOI_HALF_ULP * size + TOI_DUST,
                   side * (c[0] * c[1] - s[2] * s[0]), side * (c[1] * c[2] - s[0] * s[1]),
                   side * (c[2] * c[0] - s[1] * s[2]));
    sample->own[0] = away;
}

static double gyroid_value(const toi_field *field, const double p[3])
{
    toi_field_sample sample;
    gyroid_sample(field, p, &sample);
    return sample.value;
}

// |g| is at least g and at least -g. -|g| is the lesser of g and -g, and only one of them can be
// where the ball is on one side of g = 0.
static int gyroid_bound(const toi_field *field, const toi_field_sample *sample,
                        const double centre[3], double radius, double sign, toi_minorant *minorants,
                        int room)
{
    (void)centre;
    const toi_shape_field *shape = toi_shape_of(field);
    double curvature = shape->made[CURVATURE];
    if (!toi_tangent(sample, sign, curvature, minorants))
        return 0;
    if (sign > 0 || sample->own[0] > toi_raise(radius + sample->error))
        return 1;
    if (room < 2)
        return 0;
    toi_field_sample other = *sample;
    toi_set_sample(&other, -sample->own[0] - shape->numbers[1] / 2, sample->error * 2,
                   -sample->gradient[0], -sample->gradient[1], -sample->gradient[2]);
    return toi_tangent(&other, -1, curvature, minorants + 1) ? 2 : 0;
}

const toi_field_class toi_gyroid_class = {
    .kind = "gyroid", .sample = gyroid_sample, .value = gyroid_value, .bound = gyroid_bound};
