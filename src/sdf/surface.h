// The boxes of a surface that moves on straight lines.

#ifndef TOI_SDF_SURFACE_H
#define TOI_SDF_SURFACE_H

#include "sdf/search.h"

// Half an ulp of 1.
#define TOI_ROUND 0x1p-53

// The vertices as straight lines, and the nodes' boxes about them; both are to be given back.
toi_status toi_refit_surface(const toi_surface *surface, const toi_track *track, int workers,
                             toi_corner **lines, toi_moving_box **moving);

#endif
