// Position-based cloth over a distance field (Müller et al., "Position Based Dynamics", 2007):
// links keep their lengths, contacts keep their distance, and the cloth goes as far as it may.

#include "cloth_field.h"

#include "parts.h"

enum
{
    SWEEPS = 30 // over links and contacts
};

static const double DAMPING = 0.5;  // of speeds, a second
static const double FASTEST = 20.0; // no vertex is faster: a link that has been stretched springs

// Columns and rows to the vertex at the other end, and stiffness: sides and diagonals of a square,
// and across two squares against sharp folds.
static const struct
{
    int columns;
    int rows;
    double stiffness;
} LINKS[] = {{1, 0, 1.0}, {0, 1, 1.0}, {1, 1, 0.5}, {-1, 1, 0.5}, {2, 0, 0.03}, {0, 2, 0.03}};

static void add_links(field_cloth *cloth, int side, int kind)
{
    int columns = LINKS[kind].columns, rows = LINKS[kind].rows;
    for (int row = 0; row + rows < side; ++row)
        for (int column = columns < 0 ? 1 : 0; column + columns < side && column < side; ++column) {
            int32_t a = row * side + column, b = (row + rows) * side + column + columns;
            double length = length3(sub3(cloth->now[a], cloth->now[b]));
            cloth->links[cloth->link_count++] = (cloth_link){a, b, length, LINKS[kind].stiffness};
        }
}

toi_status make_field_cloth(const toi_solid *plate, int cells, field_cloth *cloth)
{
    enum
    {
        KINDS = sizeof LINKS / sizeof *LINKS
    };
    *cloth = (field_cloth){.count = plate->point_count, .faces = plate->faces, .friction = 0.3};
    cloth->now = scene_scratch(cloth->count, sizeof(vec3));
    cloth->end = scene_scratch(cloth->count, sizeof(vec3));
    cloth->speed = scene_scratch(cloth->count, sizeof(vec3));
    cloth->links = scene_scratch(KINDS * cloth->count, sizeof(cloth_link));
    if (!cloth->now || !cloth->end || !cloth->speed || !cloth->links)
        return TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < cloth->count; ++i)
        cloth->now[i] = (vec3){plate->points[i][0], plate->points[i][1], plate->points[i][2]};
    for (int kind = 0; kind < KINDS; ++kind)
        add_links(cloth, cells + 1, kind);
    return TOI_OK;
}

void free_field_cloth(field_cloth *cloth)
{
    toi_release(cloth->now);
    toi_release(cloth->end);
    toi_release(cloth->speed);
    toi_release(cloth->links);
    *cloth = (field_cloth){0};
}

static void keep_length(field_cloth *cloth, const cloth_link *link)
{
    vec3 *a = &cloth->end[link->a], *b = &cloth->end[link->b];
    vec3 apart = sub3(*b, *a);
    double length = length3(apart);
    if (length == 0.0)
        return;
    double share = 0.5 * link->stiffness * (length - link->length) / length;
    *a = step3(*a, share, apart);
    *b = step3(*b, -share, apart);
}

// Moves the point of contact, which the three vertices carry with these weights, by `way`.
static void carry(field_cloth *cloth, const int32_t face[3], const double weights[3], vec3 way)
{
    double squares = weights[0] * weights[0] + weights[1] * weights[1] + weights[2] * weights[2];
    for (int k = 0; k < 3; ++k)
        cloth->end[face[k]] = step3(cloth->end[face[k]], weights[k] / squares, way);
}

// The point of contact must not come nearer than the gap, and drags along the surface.
static void keep_distance(field_cloth *cloth, const toi_field_contact *contact, double least,
                          double friction)
{
    const int32_t *face = cloth->faces[contact->triangle];
    const double weights[3] = {1 - contact->u - contact->v, contact->u, contact->v};
    const vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
    vec3 way = {0};
    for (int k = 0; k < 3; ++k)
        way = step3(way, weights[k], sub3(cloth->end[face[k]], cloth->now[face[k]]));
    double missing = least - dot3(way, normal);
    if (!(missing > 0.0))
        return;
    vec3 slip = reject3(way, normal);
    double length = length3(slip), most = friction * missing;
    double share = length > most ? most / length : 1.0;
    carry(cloth, face, weights, step3(scale3(missing, normal), -share, slip));
}

// Where the vertices want to be a whole step from now. Parts of a step aim as far and go a share of
// the way: a link that is too long by some length would else become faster, the shorter the part.
static void aim(const stepping *world, field_cloth *cloth)
{
    for (int64_t i = 0; i < cloth->count; ++i)
        cloth->end[i] = step3(cloth->now[i], world->step, cloth->speed[i]);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int64_t i = 0; i < cloth->link_count; ++i)
            keep_length(cloth, &cloth->links[sweep % 2 ? cloth->link_count - 1 - i : i]);
        for (int64_t i = 0; i < world->contacts.count; ++i) {
            const toi_field_contact *contact = &world->contacts.data[i];
            double least = world->step * asked_velocity(world, contact->distance, world->step);
            keep_distance(cloth, contact, least, cloth->friction);
        }
    }
}

// The speeds of that, and where they lead in the rest of the step.
static void take_speeds(const stepping *world, field_cloth *cloth, double rest)
{
    for (int64_t i = 0; i < cloth->count; ++i) {
        vec3 speed = scale3(1 / world->step, sub3(cloth->end[i], cloth->now[i]));
        double length = length3(speed);
        cloth->speed[i] = length > FASTEST ? scale3(FASTEST / length, speed) : speed;
        cloth->end[i] = step3(cloth->now[i], rest, cloth->speed[i]);
    }
}

static toi_status go_on(stepping *world, const toi_surface *surface, field_cloth *cloth,
                        double rest, double *way)
{
    toi_motion motion = toi_default_motion();
    motion.duration = rest;
    motion.start = toi_view_points(&cloth->now->x, cloth->count);
    motion.end = motion.start;
    toi_status status = meet_field(world, surface, &motion);
    if (status != TOI_OK)
        return status;
    double began = stepping_clock(world);
    aim(world, cloth);
    take_speeds(world, cloth, rest);
    world->counts.solve_time += stepping_clock(world) - began;
    motion.end = toi_view_points(&cloth->end->x, cloth->count);
    return find_way(world, surface, &motion, way);
}

static void move_vertices(field_cloth *cloth, double share)
{
    for (int64_t i = 0; i < cloth->count; ++i)
        cloth->now[i] = step3(cloth->now[i], share, sub3(cloth->end[i], cloth->now[i]));
}

toi_status step_cloth(stepping *world, const toi_surface *surface, field_cloth *cloth)
{
    double rest = world->step;
    start_step(world);
    double kept = 1 - DAMPING * world->step;
    for (int64_t i = 0; i < cloth->count; ++i)
        cloth->speed[i] = scale3(kept, step3(cloth->speed[i], world->step, world->gravity));
    for (int part = 0; part < MOST_SUBSTEPS && rest > 0.0; ++part) {
        double way;
        toi_status status = go_on(world, surface, cloth, rest, &way);
        if (status != TOI_OK)
            return status;
        move_vertices(cloth, way / rest);
        rest = way < rest ? rest - way : 0.0;
    }
    ++world->counts.steps;
    world->counts.rests += rest > 0.0;
    world->counts.rested += rest;
    return TOI_OK;
}
