// Choosing the side to look from: where much of the mesh and the earliest impact can be seen.

#ifndef TOI_CLI_PICTURE_VIEW_H
#define TOI_CLI_PICTURE_VIEW_H

#include "picture_drawing.h"

// Can an impact be seen, or does it lie only just behind a surface?
bool is_impact_visible(const drawing *d, const depth_buffer *b, const camera *c,
                       const picture_impact *impact);

// Fills a buffer with the faces as a camera sees them.
void fill_depth_buffer(depth_buffer *b, const drawing *d, const camera *c);

// Simplifies, chooses the view and fills the depth buffer, until few enough faces are in sight.
// Needs the points and their measure.
toi_status compose_view(drawing *d);

#endif
