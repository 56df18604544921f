// Searches of the literature that find a local optimum: nothing is promised of what they miss.
// Pelletier-Guenette et al., "Triangle-SDF continuous collision detection"; Macklin et al. 2020,
// "Local optimization for robust signed distance field collision".

#ifndef TOI_SDF_LOCAL_H
#define TOI_SDF_LOCAL_H

#include "sdf/search.h"
#include "sdf/vector.h"

// What a search is given, and what it counts.
typedef struct toi_local
{
    const toi_field *field;
    const toi_track *track;
    double contact; // phi <= this is contact: margin and touch distance
    int iterations; // the most steps for a triangle
    double
        tolerance; // of a golden section search; less than this share of a step is standing still
    int64_t evaluations;
    bool failed;         // the field's value was not a number, or its bounds are none
    double failed_at[3]; // there, in the field's coordinates
    // Of a caller's own field: the first sample, to notice values that no Lipschitz constant
    // allows.
    bool begun;
    double first_point[3];
    double first_value;
} toi_local;

// A point of a triangle in contact: weights of its corners, and the field's value.
typedef struct toi_local_hit
{
    bool hit;
    double time;
    double weights[3];
    double value;
} toi_local_hit;

// Looks for the first contact of a triangle in [start, end].
typedef void toi_local_fn(toi_local *local, const toi_corner corners[3], double start, double end,
                          toi_local_hit *hit);

toi_local_fn toi_local_fwgss;
toi_local_fn toi_local_fw;
toi_local_fn toi_local_discrete;  // at `end` alone
toi_local_fn toi_local_projected; // likewise

// No point of the box's sphere touches from `start` to the time that is returned, rounding
// included; infinite: nor until `end`.
double toi_trace_sphere(toi_local *local, const toi_moving_box *box, double start, double end);

// The field is not what it should be at a point.
static inline void toi_local_fail(toi_local *local, const double point[3])
{
    local->failed = true;
    for (int i = 0; i < 3; ++i)
        local->failed_at[i] = point[i];
}

static inline void toi_local_check(toi_local *local, const double point[3],
                                   const toi_field_sample *sample)
{
    double way[3];
    if (!local->begun) {
        local->begun = true;
        local->first_value = sample->value;
        for (int i = 0; i < 3; ++i)
            local->first_point[i] = point[i];
    }
    toi_subtract(point, local->first_point, way);
    double most = local->field->lipschitz * (1 + 0x1p-20) * toi_norm(way) + 2 * sample->error;
    if (fabs(sample->value - local->first_value) > most)
        toi_local_fail(local, point);
}

// The field at a point; notices a value that it cannot have.
static inline void toi_local_sample(toi_local *local, const double point[3],
                                    toi_field_sample *sample)
{
    toi_sample_field(local->field, point, sample);
    ++local->evaluations;
    if (sample->value != sample->value)
        toi_local_fail(local, point);
    else if (local->field->user)
        toi_local_check(local, point, sample);
}

// The message for a search that has failed.
toi_status toi_local_status(const toi_local *local);

// Where the field is at least `gap` > 0 above a value, it is above it within this distance.
static inline double toi_free_radius(const toi_field *field, double gap)
{
    double plain = gap / field->lipschitz;
    return field->step > 0 ? fmax(plain, gap - field->step) : plain;
}

static inline double toi_longest_side(double corners[3][3])
{
    double square = 0, side[3];
    for (int i = 0; i < 3; ++i) {
        toi_subtract(corners[(i + 1) % 3], corners[i], side);
        square = fmax(square, toi_dot(side, side));
    }
    return sqrt(square);
}

// Of a triangle's corners, or of any three points: the point with these weights.
static inline void toi_weigh(double corners[3][3], const double weights[3], double point[3])
{
    for (int i = 0; i < 3; ++i)
        point[i] =
            weights[0] * corners[0][i] + weights[1] * corners[1][i] + weights[2] * corners[2][i];
}

#endif
