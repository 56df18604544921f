// A question as the solvers get it: checked, with the motion prepared and every triangle as
// corners.

#ifndef TOI_SDF_SEARCH_H
#define TOI_SDF_SEARCH_H

#include "sdf/field.h"
#include "sdf/motion.h"
#include "sdf/tree.h"

// A box of the hierarchy about some triangles, with numbers that change at constant rates: at time
// t every vertex is within half + t half_rate of the centre along each axis of the mesh, and within
// radius + t radius_rate of it.
typedef struct toi_moving_box
{
    toi_corner centre;
    double half[3];
    double half_rate[3];
    double radius;
    double radius_rate;
} toi_moving_box;

// A box about a node's triangles as the mesh was given.
typedef struct toi_surface_box
{
    double centre[3];
    double half[3];
    double radius;
} toi_surface_box;

struct toi_surface
{
    toi_box_tree tree;
    toi_surface_box *boxes; // one a node
};

typedef struct toi_sdf_question
{
    const toi_sdf_def *def;
    const toi_field *field;
    const toi_surface *surface;   // NULL: one triangle, `single`
    const toi_corner *single;     // its three corners
    toi_corner *lines;            // straight lines, one a vertex; NULL: the mesh is rigid
    toi_moving_box *moving;       // with them, one a node
    toi_track track;
    int workers;
} toi_sdf_question;

// Prepares a mesh's question, all but its `def`; the pointers are checked by the caller. The track of
// a mesh without triangles stays empty. What was opened is to be closed.
toi_status toi_open_question(const toi_surface *surface, const toi_motion *motion,
                             const toi_field *field, int workers, toi_sdf_question *question);
void toi_close_question(toi_sdf_question *question);

// The corners of a triangle.
void toi_question_corners(const toi_sdf_question *question, int32_t triangle,
                          toi_corner corners[3]);

// The box of a node; only with a surface.
void toi_question_box(const toi_sdf_question *question, int64_t node, toi_moving_box *box);

// Fills point, normal and distance of a result whose triangle, u, v and t_high are set, and says
// TOI_ERROR_DATA if the field is not a number there. Counts no evaluation.
toi_status toi_finish_hit(const toi_sdf_question *question, toi_sdf_result *result);

// A solver: answers a question whose result is free and empty so far.
typedef toi_status toi_sdf_solver_fn(const toi_sdf_question *question, toi_sdf_result *result);

toi_sdf_solver_fn toi_search_certified;
toi_sdf_solver_fn toi_search_fwgss;     // sphere_tree.c, like those below
toi_sdf_solver_fn toi_search_fw;
toi_sdf_solver_fn toi_search_discrete;
toi_sdf_solver_fn toi_search_projected;

#endif
