// A cloth against a distance field: position-based dynamics whose vertices move on straight lines,
// as far as a certificate allows. All vertices stop at t_low of the whole cloth.

#ifndef TOI_SCENES_CLOTH_FIELD_H
#define TOI_SCENES_CLOTH_FIELD_H

#include "solids.h"
#include "stepping.h"
#include "vec3.h"

// A distance between two vertices that wants to stay as it is.
typedef struct cloth_link
{
    int32_t a;
    int32_t b;
    double length;
    double stiffness; // share of the error taken back in a sweep
} cloth_link;

typedef struct field_cloth
{
    int64_t count; // of vertices
    vec3 *now;
    vec3 *end; // where a part of a step leads
    vec3 *speed;
    int64_t link_count;
    cloth_link *links;
    int32_t (*faces)[3]; // of the mesh it was made of
    double friction;
} field_cloth;

// From a plate of `cells` x `cells` squares (toi_make_plate()), whose faces must outlive it. Free
// in any case.
toi_status make_field_cloth(const toi_solid *plate, int cells, field_cloth *cloth);
void free_field_cloth(field_cloth *cloth);

// Moves the cloth on by `world->step` seconds.
toi_status step_cloth(stepping *world, const toi_surface *surface, field_cloth *cloth);

#endif
