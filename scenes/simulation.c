// Simulations by name: makes a scene, steps it, looks at it.

#include "simulation.h"

#include "cloth_field.h"
#include "parts.h"
#include "rigid.h"
#include "simulation_scene.h"

#include <string.h>

static const uint32_t SIMULATION_COOKIE = 0x53494D01;

struct toi_simulation
{
    toi_simulation_def def;
    simulation_scene scene;
    toi_surface *surface;
    rigid_body body;
    rigid_path path;
    field_cloth cloth;
    stepping world;
    double (*points)[3]; // in the world, now
    double (*before)[3]; // of a cloth, when the last step began
};

toi_simulation_def toi_default_simulation_def(void)
{
    return (toi_simulation_def){.name = find_simulation(0)->name,
                                .solver = TOI_SDF_CERTIFIED,
                                .rate = 60,
                                .subdivision = true,
                                .cookie = SIMULATION_COOKIE};
}

const char *toi_simulation_name(int index)
{
    const simulation_entry *entry = find_simulation(index);
    return entry ? entry->name : NULL;
}

const char *toi_simulation_about(int index)
{
    const simulation_entry *entry = find_simulation(index);
    return entry ? entry->about : NULL;
}

bool toi_simulation_needs_data(int index)
{
    const simulation_entry *entry = find_simulation(index);
    return entry && entry->needs_data;
}

// ---------------------------------------------------------------------------------------------
// Making

static const simulation_entry *named_entry(const char *name)
{
    for (int i = 0; name && find_simulation(i); ++i)
        if (strcmp(name, find_simulation(i)->name) == 0)
            return find_simulation(i);
    return NULL;
}

static toi_status check_def(const toi_simulation_def *def)
{
    if (def->cookie != SIMULATION_COOKIE)
        return toi_fail(TOI_ERROR_ARGUMENT, "start from toi_default_simulation_def()");
    if (!named_entry(def->name))
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no simulation '%s'",
                        def->name ? def->name : "");
    if (def->rate < 1 || def->rate > 100000)
        return toi_fail(TOI_ERROR_ARGUMENT, "the rate is %d steps a second; use 1 to 100000",
                        def->rate);
    return TOI_OK;
}

static vec3 corner(const toi_simulation *s, const double (*points)[3], int64_t face, int k)
{
    const double *p = points[s->scene.mesh.faces[face][k]];
    return (vec3){p[0], p[1], p[2]};
}

static double largest_area(const toi_simulation *s)
{
    double most = 0.0;
    for (int64_t face = 0; face < s->scene.mesh.face_count; ++face) {
        vec3 a = corner(s, (const double(*)[3])s->points, face, 0);
        vec3 normal = cross3(sub3(corner(s, (const double(*)[3])s->points, face, 1), a),
                             sub3(corner(s, (const double(*)[3])s->points, face, 2), a));
        most = fmax(most, 0.5 * length3(normal));
    }
    return most;
}

static void start_world(toi_simulation *s)
{
    const toi_simulation_def *def = &s->def;
    s->world.field = s->scene.field;
    s->world.mesh = &s->scene.mesh;
    s->world.impact = toi_default_sdf_def();
    s->world.impact.solver = def->solver;
    s->world.impact.workers = def->workers;
    s->world.contact = toi_default_contact_def();
    s->world.contact.distance = s->scene.reach;
    s->world.contact.workers = def->workers;
    s->world.contact.least_area = s->scene.parts * largest_area(s);
    if (!def->subdivision) {
        s->world.contact.least_area = HUGE_VAL;
        s->world.contact.per_triangle = 1;
        s->world.forgetful = true;
    }
    s->world.step = 1.0 / def->rate;
    s->world.impact.tolerance = 1e-4 * s->world.step;
    s->world.gap = s->scene.gap;
    s->world.gravity = s->scene.gravity;
    s->world.clock = def->clock;
}

static void copy_cloth(const field_cloth *cloth, double (*points)[3])
{
    for (int64_t i = 0; i < cloth->count; ++i)
        put3(points[i], cloth->now[i]);
}

static void place_points(const toi_simulation *s, const toi_rigid *at, double time,
                         double (*points)[3])
{
    double m[9], p[3];
    toi_rigid_pose(at, time, m, p);
    for (int64_t i = 0; i < s->scene.mesh.point_count; ++i) {
        const double *x = s->scene.mesh.points[i];
        for (int k = 0; k < 3; ++k)
            points[i][k] = m[3 * k] * x[0] + m[3 * k + 1] * x[1] + m[3 * k + 2] * x[2] + p[k];
    }
}

static void take_points(toi_simulation *s)
{
    if (s->scene.cloth_cells) {
        copy_cloth(&s->cloth, s->points);
        return;
    }
    toi_rigid still = s->body.at;
    place_points(s, &still, 0.0, s->points);
}

// The scene gives where the mesh's origin begins; the body is placed by its centre of mass.
static toi_status start_body(toi_simulation *s)
{
    s->body = s->scene.body;
    toi_status status = weigh_body(&s->scene.mesh, s->scene.kind, s->scene.density, &s->body);
    toi_rigid at = s->scene.body.at;
    memcpy(at.centre, s->body.at.centre, sizeof at.centre);
    double m[9], p[3];
    toi_rigid origin = s->scene.body.at;
    toi_rigid_pose(&origin, 0.0, m, p);
    for (int k = 0; k < 3; ++k)
        at.position[k] = m[3 * k] * at.centre[0] + m[3 * k + 1] * at.centre[1] +
                         m[3 * k + 2] * at.centre[2] + p[k];
    s->body.at = at;
    s->path = (rigid_path){.piece = {{0.0, at}}, .count = 1};
    return status;
}

static toi_status fill_simulation(toi_simulation *s)
{
    s->scene.body.at = toi_rest();
    toi_status status = named_entry(s->def.name)->recipe(&s->def, &s->scene);
    toi_solid *mesh = &s->scene.mesh;
    if (status == TOI_OK)
        status = toi_make_surface(toi_solid_points(mesh), toi_solid_faces(mesh), s->def.workers,
                                  &s->surface);
    if (status == TOI_OK)
        status = s->scene.cloth_cells ? make_field_cloth(mesh, s->scene.cloth_cells, &s->cloth)
                                      : start_body(s);
    if (status != TOI_OK)
        return status;
    s->points = scene_scratch(mesh->point_count, sizeof *s->points);
    s->before = scene_scratch(mesh->point_count, sizeof *s->before);
    if (!s->points || !s->before)
        return TOI_ERROR_MEMORY;
    take_points(s);
    start_world(s);
    memcpy(s->before, s->points, (size_t)mesh->point_count * sizeof *s->points);
    return TOI_OK;
}

toi_status toi_make_simulation(const toi_simulation_def *def, toi_simulation **simulation)
{
    *simulation = NULL;
    toi_status status = check_def(def);
    if (status != TOI_OK)
        return status;
    toi_simulation *s = scene_scratch(1, sizeof *s);
    if (!s)
        return TOI_ERROR_MEMORY;
    s->def = *def;
    status = fill_simulation(s);
    if (status == TOI_OK)
        *simulation = s;
    else
        toi_free_simulation(s);
    return status;
}

void toi_free_simulation(toi_simulation *s)
{
    if (!s)
        return;
    toi_free_field_contacts(&s->world.contacts);
    free_field_cloth(&s->cloth);
    toi_free_surface(s->surface);
    toi_free_field(s->scene.field);
    toi_free_solid(&s->scene.mesh);
    toi_release(s->points);
    toi_release(s->before);
    toi_release(s);
}

// ---------------------------------------------------------------------------------------------
// Running and looking

toi_status toi_step_simulation(toi_simulation *s)
{
    memcpy(s->before, s->points, (size_t)s->scene.mesh.point_count * sizeof *s->points);
    toi_status status = s->scene.cloth_cells ? step_cloth(&s->world, s->surface, &s->cloth)
                                             : step_body(&s->world, s->surface, &s->body, &s->path);
    take_points(s);
    return status;
}

toi_simulation_view toi_view_simulation(const toi_simulation *s)
{
    const stepping_counts *c = &s->world.counts;
    toi_simulation_view view = {
        .points = toi_view_points((const double *)s->points, s->scene.mesh.point_count),
        .faces = toi_solid_faces(&s->scene.mesh),
        .field = s->scene.field,
        .cloth = s->scene.cloth_cells > 0,
        .body = s->body.at,
        .time = (double)c->steps / s->def.rate,
        .seconds = s->scene.seconds,
        .gap = s->scene.gap,
        .counts = {c->steps, c->impacts, c->rests, c->rested, c->contacts, c->searches, c->nodes,
                   c->evaluations, c->impact_time, c->impact_least, c->impact_most, c->contact_time,
                   c->solve_time}};
    put3(view.eye, s->scene.eye);
    put3(view.target, s->scene.target);
    memcpy(view.instants, s->scene.instants, sizeof view.instants);
    return view;
}

void toi_simulation_points(const toi_simulation *s, double time, double (*points)[3])
{
    int64_t count = s->scene.mesh.point_count;
    if (!s->scene.cloth_cells) {
        int piece = s->path.count - 1;
        while (piece > 0 && s->path.piece[piece].begin > time)
            --piece;
        place_points(s, &s->path.piece[piece].at, time - s->path.piece[piece].begin, points);
        return;
    }
    double share = time / s->world.step;
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = s->before[i][k] + share * (s->points[i][k] - s->before[i][k]);
}

uint64_t toi_hash_simulation(const toi_simulation *s)
{
    size_t count = (size_t)s->scene.mesh.point_count;
    uint64_t hashes[2] = {toi_hash(s->points, count * sizeof *s->points),
                          s->scene.cloth_cells
                              ? toi_hash(s->cloth.speed, count * sizeof *s->cloth.speed)
                              : toi_hash(&s->body.at, sizeof s->body.at)};
    return toi_hash(hashes, sizeof hashes);
}

// ---------------------------------------------------------------------------------------------
// How deep it is

enum
{
    ALL_SAMPLES = 1 << 16, // about so many in all, but on every near triangle
    LEAST_SIDES = 12,      // as many as belong to this many parts of a side
    MOST_SIDES = 128,
};

// Vertices, samples of their triangles with the field's values there, and the least of those.
typedef struct depth_gauge
{
    const double (*points)[3];
    double (*samples)[3];
    double *values;
    double *middles; // of the triangles
    double least;
} depth_gauge;

static vec3 middle(const toi_simulation *s, const depth_gauge *g, int64_t face)
{
    vec3 sum = add3(add3(corner(s, g->points, face, 0), corner(s, g->points, face, 1)),
                    corner(s, g->points, face, 2));
    return scale3(1.0 / 3, sum);
}

static double radius(const toi_simulation *s, const depth_gauge *g, int64_t face)
{
    vec3 m = middle(s, g, face);
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, length3(sub3(corner(s, g->points, face, k), m)));
    return most;
}

// A triangle whose middle is farther away than its farthest corner cannot be inside.
static bool is_near(const toi_simulation *s, const depth_gauge *g, int64_t face)
{
    return g->middles[face] <= toi_describe_field(s->scene.field).lipschitz * radius(s, g, face);
}

static int sides_for(int64_t near)
{
    double sides = sqrt(2.0 * ALL_SAMPLES / (double)(near > 0 ? near : 1));
    return sides < LEAST_SIDES ? LEAST_SIDES : sides > MOST_SIDES ? MOST_SIDES : (int)sides;
}

static int64_t sample_face(const toi_simulation *s, const depth_gauge *g, int64_t face, int sides,
                           double (*samples)[3])
{
    vec3 a = corner(s, g->points, face, 0);
    vec3 ab = sub3(corner(s, g->points, face, 1), a), ac = sub3(corner(s, g->points, face, 2), a);
    int64_t count = 0;
    for (int i = 0; i <= sides; ++i)
        for (int j = 0; i + j <= sides; ++j)
            put3(samples[count++], step3(step3(a, (double)i / sides, ab), (double)j / sides, ac));
    return count;
}

static toi_status evaluate(const toi_simulation *s, depth_gauge *g, int64_t count, double *values)
{
    toi_point_view view = toi_view_points((const double *)g->samples, count);
    toi_status status = toi_evaluate_field(s->scene.field, view, s->def.workers, values, NULL);
    for (int64_t i = 0; i < count && status == TOI_OK; ++i)
        g->least = fmin(g->least, values[i]);
    return status;
}

static toi_status measure_middles(const toi_simulation *s, depth_gauge *g, int64_t *near)
{
    int64_t faces = s->scene.mesh.face_count;
    for (int64_t face = 0; face < faces; ++face)
        put3(g->samples[face], middle(s, g, face));
    toi_status status = evaluate(s, g, faces, g->middles);
    *near = 0;
    for (int64_t face = 0; face < faces && status == TOI_OK; ++face)
        *near += is_near(s, g, face);
    return status;
}

static toi_status measure_near(const toi_simulation *s, depth_gauge *g, int sides, int64_t room)
{
    toi_status status = TOI_OK;
    int64_t count = 0, faces = s->scene.mesh.face_count, each = (sides + 1) * (sides + 2) / 2;
    for (int64_t face = 0; face < faces && status == TOI_OK; ++face) {
        if (is_near(s, g, face))
            count += sample_face(s, g, face, sides, g->samples + count);
        if (count > room - each || face + 1 == faces) {
            status = evaluate(s, g, count, g->values);
            count = 0;
        }
    }
    return status;
}

toi_status toi_measure_simulation(const toi_simulation *s, const double (*points)[3], double *least)
{
    int64_t faces = s->scene.mesh.face_count, near = 0;
    int64_t room = faces > ALL_SAMPLES ? faces : ALL_SAMPLES;
    depth_gauge g = {points ? points : (const double(*)[3])s->points,
                     scene_scratch(room, sizeof *g.samples), scene_scratch(room, sizeof *g.values),
                     scene_scratch(faces, sizeof *g.middles), HUGE_VAL};
    toi_status status = g.samples && g.values && g.middles ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        status = measure_middles(s, &g, &near);
    if (status == TOI_OK)
        status = measure_near(s, &g, sides_for(near), room);
    toi_release(g.samples);
    toi_release(g.values);
    toi_release(g.middles);
    *least = g.least;
    return status;
}
