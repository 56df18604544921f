// The mesh in front of a traced field: depth buffers from the eye and from the light, and the
// colours of both.

#include "picture_depth.h"
#include "render.h"

static const colour FIELD_COLOUR = {0.80f, 0.77f, 0.71f};
static const colour BODY_COLOUR = {0.13f, 0.43f, 0.60f};
static const colour CLOTH_COLOUR = {0.80f, 0.45f, 0.22f};
static const colour INSIDE_COLOUR = {0.86f, 0.08f, 0.10f};

enum
{
    LIGHT_SIZE = 1024 // of the light's own picture
};

static colour scale_colour(colour c, double s)
{
    float f = (float)s;
    return (colour){f * c.red, f * c.green, f * c.blue};
}

static colour mix(colour a, colour b, double share)
{
    float s = (float)share;
    return (colour){a.red + s * (b.red - a.red), a.green + s * (b.green - a.green),
                    a.blue + s * (b.blue - a.blue)};
}

// What the pictures of one mesh share.
typedef struct mesh_view
{
    const field_view *f;
    const render_mesh *mesh;
    depth_buffer seen;    // by the eye
    depth_buffer lighted; // by the light
    double *values;       // of the field at the mesh's pixels
    double (*places)[3];
} mesh_view;

static vec corner(const render_mesh *mesh, int32_t face, int k)
{
    const double(*points)[3] = (const double(*)[3])mesh->points.data;
    const double *p = points[mesh->faces.data[3 * face + k]];
    return (vec){p[0], p[1], p[2]};
}

// Depth as -1 / distance, which is linear on the canvas.
static void fill(depth_buffer *buffer, const camera *c, const render_mesh *mesh)
{
    clear_depth_buffer(buffer);
    for (int32_t face = 0; face < mesh->faces.count; ++face) {
        spot s[3];
        for (int k = 0; k < 3; ++k) {
            s[k] = project_point(c, corner(mesh, face, k));
            s[k].depth = -1.0 / s[k].depth;
        }
        fill_triangle(buffer, face, s[0], s[1], s[2]);
    }
}

static vec face_normal_of(const render_mesh *mesh, int32_t face)
{
    vec a = corner(mesh, face, 0);
    return unit(cross(minus(corner(mesh, face, 1), a), minus(corner(mesh, face, 2), a)));
}

// The direction through a pixel, of depth 1.
static vec pixel_ray(const camera *c, int at, int width)
{
    vec ray = plus(c->forward, (at % width + 0.5 - c->shift_x) / c->scale, c->right);
    return plus(ray, -(at / width + 0.5 - c->shift_y) / c->scale, c->up);
}

static vec mesh_point(const mesh_view *m, int at)
{
    double distance = -1.0 / m->seen.depth[at];
    return plus(m->f->view.eye, distance, pixel_ray(&m->f->view, at, m->f->width));
}

// 1: in the light; 0: the mesh is between.
static double mesh_light(const mesh_view *m, vec p, double slack)
{
    const camera *c = &m->f->light;
    spot s = project_point(c, plus(p, slack, light_direction()));
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) {
        double depth = depth_at(&m->lighted, s.x + 1.5 * (i % 3 - 1), s.y + 1.5 * (i / 3 - 1));
        sum += !(depth < -1.0 / s.depth);
    }
    return sum / 9;
}

// A ceiling of light, a lamp, and a little from below.
static double shade(vec normal, double lit, double open)
{
    double lamp = fmax(0.0, dot(normal, light_direction())) * lit;
    double sky = 0.5 + 0.5 * normal.z;
    return (0.22 + 0.30 * sky) * (0.45 + 0.55 * open) + 0.62 * lamp;
}

static colour field_colour(const mesh_view *m, int at)
{
    const field_view *f = m->f;
    double lit = f->lit[at] * mesh_light(m, f->points[at], 0.008 * f->size);
    return scale_colour(FIELD_COLOUR, shade(f->normals[at], lit, f->open[at]));
}

static bool is_crease(const mesh_view *m, int at, int other)
{
    int32_t a = m->seen.face[at], b = m->seen.face[other];
    if (a == b || m->mesh->cloth)
        return false;
    if (a < 0 || b < 0)
        return true;
    return fabs(dot(face_normal_of(m->mesh, a), face_normal_of(m->mesh, b))) < 0.9;
}

static colour mesh_colour(const mesh_view *m, int at, double value)
{
    const field_view *f = m->f;
    vec normal = face_normal_of(m->mesh, m->seen.face[at]), p = mesh_point(m, at);
    if (dot(normal, f->view.forward) > 0.0)
        normal = (vec){-normal.x, -normal.y, -normal.z};
    double open = fmin(1.0, fmax(0.0, 0.25 + value / (0.03 * f->size)));
    double lit = mesh_light(m, p, 0.012 * f->size);
    colour base = m->mesh->cloth ? CLOTH_COLOUR : BODY_COLOUR;
    colour c = scale_colour(base, 1.15 * shade(normal, lit, open));
    int x = at % f->width, y = at / f->width;
    bool edge = (x > 0 && is_crease(m, at, at - 1)) || (y > 0 && is_crease(m, at, at - f->width));
    return edge ? scale_colour(c, 0.55) : c;
}

static colour background(const field_view *f, int at)
{
    double share = (double)(at / f->width) / f->height;
    return mix((colour){0.97f, 0.98f, 0.99f}, (colour){0.86f, 0.89f, 0.92f}, share);
}

static double field_depth(const field_view *f, int at)
{
    vec from = minus(f->points[at], f->view.eye);
    return isfinite(f->depth[at]) ? dot(from, f->view.forward) : INFINITY;
}

static colour pixel_colour(const mesh_view *m, int at, double value)
{
    const field_view *f = m->f;
    double behind = field_depth(f, at);
    bool mesh = m->seen.face[at] >= 0;
    // What is outside is hidden only by a surface well in front of it, not by the one it rests on.
    double slack = value >= 0.0 ? 0.004 * f->size : 0.0;
    bool front = mesh && -1.0 / m->seen.depth[at] < behind + slack;
    if (mesh && value < -m->mesh->depth_of)
        return front ? INSIDE_COLOUR : mix(field_colour(m, at), INSIDE_COLOUR, 0.75);
    if (front)
        return mesh_colour(m, at, value);
    return isfinite(behind) ? field_colour(m, at) : background(f, at);
}

static toi_status evaluate_mesh(mesh_view *m)
{
    int count = 0;
    for (int at = 0; at < m->f->width * m->f->height; ++at) {
        if (m->seen.face[at] < 0)
            continue;
        vec p = mesh_point(m, at);
        m->places[count][0] = p.x;
        m->places[count][1] = p.y;
        m->places[count++][2] = p.z;
    }
    return toi_evaluate_field(m->f->field, toi_view_points((const double *)m->places, count),
                              m->f->workers, m->values, NULL);
}

static toi_status draw(mesh_view *m, image *im)
{
    fill(&m->seen, &m->f->view, m->mesh);
    fill(&m->lighted, &m->f->light, m->mesh);
    toi_status status = evaluate_mesh(m);
    int count = 0;
    for (int at = 0; at < im->width * im->height && status == TOI_OK; ++at)
        im->pixels[at] = pixel_colour(m, at, m->seen.face[at] >= 0 ? m->values[count++] : 0.0);
    return status;
}

toi_status render_scene(const field_view *f, const render_mesh *mesh, image *im)
{
    size_t count = (size_t)f->width * (size_t)f->height;
    mesh_view m = {.f = f, .mesh = mesh};
    m.values = toi_allocate(count * sizeof *m.values);
    m.places = toi_allocate(count * sizeof *m.places);
    toi_status status = create_depth_buffer(&m.seen, f->width, f->height);
    if (status == TOI_OK)
        status = create_depth_buffer(&m.lighted, LIGHT_SIZE, LIGHT_SIZE);
    if (status == TOI_OK)
        status = m.values && m.places ? draw(&m, im) : TOI_ERROR_MEMORY;
    free_depth_buffer(&m.seen);
    free_depth_buffer(&m.lighted);
    toi_release(m.values);
    toi_release(m.places);
    return status;
}
