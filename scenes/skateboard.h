/// @file
/// A skateboard as a mesh: a deck bent up at both ends, and four wheels.

#ifndef TOI_SCENES_SKATEBOARD_H
#define TOI_SCENES_SKATEBOARD_H

#include "solids.h"

TOI_EXTERN_C_BEGIN

/// Along x, `length` long, the wheels below: five closed pieces that overlap or lie apart.
toi_status toi_make_skateboard(double length, toi_solid *solid);

TOI_EXTERN_C_END

#endif
