/// @file
/// A bolt with a metric thread and a nut that turns on it, as closed triangle meshes.

#ifndef TOI_SCENES_THREADS_H
#define TOI_SCENES_THREADS_H

#include "solids.h"

TOI_EXTERN_C_BEGIN

/// What a thread is cut like; lengths in one unit. The z axis is the bolt's.
typedef struct toi_thread
{
    double radius;    ///< of the bolt's crests
    double pitch;     ///< from a crest to the next: a turn moves the nut by this
    double clearance; ///< the nut's profile is further out by this
    int around;       ///< sides of a circle; a multiple of 6
} toi_thread;

/// A bolt with a hexagonal head from z = 0 to `head`, and a thread up to `length`.
toi_status toi_make_bolt(const toi_thread *thread, double head, double length, toi_solid *solid);

/// A hexagonal nut from z = 0 to `height`. It sits in the middle of its play when it is lifted by
/// `lift` plus a whole number of pitches over where the bolt is.
toi_status toi_make_nut(const toi_thread *thread, double head, double height, toi_solid *solid,
                        double *lift);

TOI_EXTERN_C_END

#endif
