// Where impacts are, and files of them.

#ifndef TOI_CLI_IMPACT_FILE_H
#define TOI_CLI_IMPACT_FILE_H

#include "toi/ccd.h"

// The spot that is hit, at both ends of the step: the vertex, or a point of the first edge.
void trace_impact(const toi_mesh *mesh, const toi_impact *impact, double start[3], double end[3]);

// Where an impact is, at its time.
void locate_impact(const toi_mesh *mesh, const toi_impact *impact, double at[3]);

// Writes a row for each: kind,a,b,time_hex,u,v, then time,state, the point x,y,z and the normal
// nx,ny,nz.
toi_status write_impacts(const char *path, const toi_mesh *mesh, const toi_impact_array *impacts);

#endif
