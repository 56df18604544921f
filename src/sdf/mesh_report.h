// How closed a mesh is.

#ifndef TOI_SDF_MESH_REPORT_H
#define TOI_SDF_MESH_REPORT_H

#include "sdf/tree.h"
#include "toi/sdf.h"

// Fills the report but for what samples say, and lists the open sides as the faces go, each as
// often as it lacks its opposite (NULL, 0: none). Vertices at the same place count as one.
toi_status toi_report_mesh(const toi_box_tree *boxes, int workers, toi_mesh_field_report *report,
                           int32_t (**open)[2], int64_t *open_count);

#endif
