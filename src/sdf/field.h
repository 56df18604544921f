// What every field gives, inside the library. Public: toi/sdf.h.

#ifndef TOI_SDF_FIELD_H
#define TOI_SDF_FIELD_H

#include "toi/sdf.h"

#include <stdatomic.h>

// A field at a point c. The true value phi(c) differs from `value` by at most `error`. The gradient
// steers searches and is not part of any promise. NaN comes from a caller's function alone. Where
// numbers overflow the error is infinite, or NaN: then nothing is known.
typedef struct toi_field_sample
{
    double value;
    double gradient[3];
    double error;
    double own[2]; // what the field's own `bound` wants to know again
} toi_field_sample;

typedef struct toi_field_class
{
    const char *kind;
    void (*sample)(const toi_field *field, const double point[3], toi_field_sample *sample);
    // The value alone, the same bits as sample's.
    double (*value)(const toi_field *field, const double point[3]);
    // Bounds on sign * phi (sign: 1 or -1) in the closed ball of `radius` about `centre`, where
    // `sample` was taken: for every real x in it, sign phi(x) is at least the least of the minorants
    // written, as real functions of the doubles written: all rounding is in them already. Returns how
    // many, at most `room` (1 to TOI_MINORANTS); 0: only the Lipschitz constant is known; -1: bounds
    // of the caller's are none (NaN, a negative curvature or slope, too many): TOI_ERROR_DATA. Not
    // called where the sample's value is NaN. Of a field with a floor they are bounds on
    // max(sign phi, floor) instead.
    int (*bound)(const toi_field *field, const toi_field_sample *sample, const double centre[3],
                 double radius, double sign, toi_minorant *minorants, int room);
    void (*release)(toi_field *field); // what it holds, but for itself; or NULL
} toi_field_class;

// The first member of every field's own structure.
struct toi_field
{
    const toi_field_class *class;
    _Atomic int64_t references;
    // |phi(x) - phi(y)| <= min(lipschitz |x - y|, |x - y| + step) for all real x, y. A step of 0:
    // lipschitz is all that is known (the second bound is for grids of a true distance).
    double lipschitz;
    double step;
    double error;    // of a baked field against its mesh
    int depth;       // of fields within fields; 0 for one that is made of no other
    // Bounds for sign 1 are below max(phi, floor[0]) and for sign -1 below max(-phi, floor[1]), at
    // every point of the ball: where they exceed the floor they bound the field itself. So a search
    // for phi <= margin may use them if margin >= floor[0], and otherwise has the Lipschitz constant
    // alone. -INFINITY for most fields; 0 for a mesh, whose bounds know that a surface is passed but
    // not how deep. Greatest and least of several fields have the greatest floor; a negated field has
    // its floors swapped; s phi - offset has s floor[0] - offset and s floor[1] + offset.
    double floor[2];
    bool user;       // values come from the caller: they are checked against the Lipschitz constant
};

// Room for a field of `size` bytes with one reference and no floor, else zeroed but for the class;
// NULL: no memory.
toi_field *toi_new_field(const toi_field_class *class, size_t size);

// Fields within fields are evaluated by recursion: so deep at most.
enum
{
    TOI_FIELD_DEPTH = 64
};

// TOI_ERROR_ARGUMENT, with a message, for NULL.
toi_status toi_check_field(const toi_field *field);

// One more hold on a field.
toi_field *toi_hold_field(toi_field *field);

static inline void toi_sample_field(const toi_field *field, const double point[3],
                                    toi_field_sample *sample)
{
    field->class->sample(field, point, sample);
}

// Bounds for a search of phi <= level: none where the field's floor is above it.
static inline int toi_bound_above(const toi_field *field, const toi_field_sample *sample,
                                  const double centre[3], double radius, double level,
                                  toi_minorant *minorants, int room)
{
    if (level < field->floor[0])
        return 0;
    return field->class->bound(field, sample, centre, radius, 1, minorants, room);
}

#endif
