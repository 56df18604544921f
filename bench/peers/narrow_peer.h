// A narrow phase of another library, behind one C function.

#ifndef TOI_PEERS_NARROW_PEER_H
#define TOI_PEERS_NARROW_PEER_H

#include "toi/narrow_phase.h"

TOI_EXTERN_C_BEGIN

// Decides queries like toi_solve_queries(), with def->workers threads and, for what has one, with
// def->tolerance; only states and times are filled in. The other options are toi's own.
typedef toi_status narrow_function(const toi_narrow_def *def, toi_kind kind,
                                   const toi_query *queries, int64_t count,
                                   toi_query_result *results);

// FCL's continuous tests of a vertex and a face, of two edges: the cubic of coplanarity, its root
// by interval Newton, as FCL itself uses them, the same with 1024 times the coordinates, or by the
// closed formula.
narrow_function solve_fcl;
narrow_function solve_fcl_scaled;
narrow_function solve_fcl_cubic;

// Do the convex hulls of the two swept primitives meet? Primitives that touch have hulls that do,
// not the other way round. No times.
narrow_function solve_libccd_gjk;
narrow_function solve_libccd_mpr;

TOI_EXTERN_C_END

#endif
