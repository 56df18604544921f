// The table of scenes: adding one is a file with its recipe and a line here.

#ifndef TOI_SCENES_RECIPE_H
#define TOI_SCENES_RECIPE_H

#include "scenes.h"

// Makes the scene `def` asks for, which has been checked. On failure what it has put into `scene`
// is freed by the caller.
typedef toi_status scene_recipe(const toi_animation_def *def, toi_animation *scene);

// X(recipe, name, about)
#define SCENE_TABLE(X)                                                                             \
    X(make_cloth_ball, "cloth-ball",                                                               \
      "a cloth falls on a ball that then turns to and fro: folds, sliding, self-contact")          \
    X(make_cloth_funnel, "cloth-funnel",                                                           \
      "a ball presses a cloth down a funnel: many layers squeezed into little room")               \
    X(make_n_body, "n-body",                                                                       \
      "tessellated balls fly about a box and bounce: many bodies, contacts far apart")             \
    X(make_rod_twist, "rod-twist",                                                                 \
      "a rope twisted until its strands touch and it coils: self-contact, loose edges and points") \
    X(make_triangles, "triangles",                                                                 \
      "loose triangles in unrelated motion: nothing is coherent in space, time or numbering")      \
    X(make_fracture, "fracture",                                                                   \
      "a block falls on the floor and shatters: pieces that fit exactly, then tumble in a heap")   \
    X(make_sheets, "sheets",                                                                       \
      "a stack of wavy sheets is pressed together: gaps far thinner than an edge is long")         \
    X(make_plane, "plane",                                                                         \
      "slivers slide in one plane: every query is coplanar, and boxes overlap far more than they") \
    X(make_box_pile, "boxes",                                                                      \
      "boxes of twelve triangles fall on each other: rigid bodies of few faces, a heap of "        \
      "corners")                                                                                   \
    X(make_chazelle, "chazelle",                                                                   \
      "two blocks with long thin notches, Chazelle's polyhedron: every notch meets every other")   \
    X(make_detail, "detail",                                                                       \
      "a finely detailed body on a plane of two triangles: faces of very different sizes")

#define SCENE_DECLARE(recipe, name, about) scene_recipe recipe;
SCENE_TABLE(SCENE_DECLARE)
#undef SCENE_DECLARE

#endif
