// Shaded pictures of a mesh and a distance field, pixel by pixel: the field by sphere tracing, the
// mesh by a depth buffer, one light with shadows. Parts of the mesh inside the field shine through
// it in red.

#ifndef TOI_CLI_PICTURE_RENDER_H
#define TOI_CLI_PICTURE_RENDER_H

#include "picture_camera.h"
#include "toi/sdf.h"

#include <stdbool.h>

typedef struct colour
{
    float red;
    float green;
    float blue;
} colour;

// A picture of `width` times `height`, row after row from the top.
typedef struct image
{
    int width;
    int height;
    colour *pixels;
} image;

toi_status create_image(image *im, int width, int height);
void free_image(image *im);

// What a field looks like from an eye: traced once, used for every mesh in front of it.
typedef struct field_view
{
    const toi_field *field;
    int workers;
    int width;
    int height;
    camera view;
    camera light;  // from where the light comes
    double size;   // of what is seen, in the world
    double *depth; // distance along the ray to the surface; infinite: none
    vec *points;
    vec *normals;
    float *lit;     // 1: in the light, 0: in the field's own shadow
    float *open;    // 1: nothing near, 0: in a crevice
    double *values; // scratch, as the next three
    double (*places)[3];
    double (*slopes)[3];
    int32_t *active;
} field_view;

// Free in any case.
toi_status trace_field(const toi_field *field, vec eye, vec target, int width, int height,
                       int workers, field_view *f);
void free_field_view(field_view *f);

typedef struct render_mesh
{
    toi_point_view points;
    toi_index_view faces;
    bool cloth;      // coloured as such
    double depth_of; // deeper in the field than this counts as inside
} render_mesh;

// Draws the mesh and the field. `im` is of the view's size.
toi_status render_scene(const field_view *f, const render_mesh *mesh, image *im);

// The light's direction, towards it; and the mesh's colours.
vec light_direction(void);

#endif
