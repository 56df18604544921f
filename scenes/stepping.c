// The questions that simulators ask about a field, and the margin between a body and the field.

#include "stepping.h"

#include <string.h>

// How fast a lost gap is won back: this share of it in a step.
static const double PUSH_SHARE = 0.2;
// A body that a search has missed and that is deep inside is not thrown out faster than this.
static const double FASTEST_PUSH = 2.0;

double stepping_clock(const stepping *world)
{
    return world->clock ? world->clock() : 0.0;
}

// Of the contacts; the gap where there are none nearer.
static double least_distance(const stepping *world)
{
    double least = 2 * world->gap;
    for (int64_t i = 0; i < world->contacts.count; ++i)
        if (world->contacts.data[i].distance < least)
            least = world->contacts.data[i].distance;
    return least;
}

// The corners of a triangle at the start of a motion.
static void place_corners(const stepping *world, const toi_motion *motion, int32_t triangle,
                          vec3 corners[3])
{
    double m[9], p[3];
    toi_rigid_pose(&motion->mesh, 0.0, m, p);
    for (int i = 0; i < 3; ++i) {
        int32_t vertex = world->mesh->faces[triangle][i];
        const double *x = world->mesh->points[vertex];
        corners[i] = motion->start.count ? ((const vec3 *)motion->start.data)[vertex]
                                         : (vec3){m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + p[0],
                                                  m[3] * x[0] + m[4] * x[1] + m[5] * x[2] + p[1],
                                                  m[6] * x[0] + m[7] * x[1] + m[8] * x[2] + p[2]};
    }
}

// Where a point of a triangle is now, and how far from the field.
static toi_status refresh(const stepping *world, const toi_motion *motion, toi_field_contact *hit)
{
    vec3 corners[3], gradient;
    place_corners(world, motion, hit->triangle, corners);
    vec3 point = step3(step3(corners[0], hit->u, sub3(corners[1], corners[0])), hit->v,
                       sub3(corners[2], corners[0]));
    put3(hit->point, point);
    toi_status status = toi_evaluate_field(world->field, toi_view_points(hit->point, 1), 1,
                                           &hit->distance, &gradient.x);
    put3(hit->normal, unit3(gradient));
    return status;
}

static toi_status add_hits(stepping *world, const toi_motion *motion)
{
    toi_field_contact_array *list = &world->contacts;
    toi_status status = TOI_OK;
    if (list->count + world->hit_count > list->capacity) {
        int64_t room = 2 * (list->count + world->hit_count);
        toi_field_contact *more = toi_allocate((size_t)room * sizeof *more);
        if (!more)
            return TOI_ERROR_MEMORY;
        if (list->count > 0)
            memcpy(more, list->data, (size_t)list->count * sizeof *more);
        toi_release(list->data);
        list->data = more;
        list->capacity = room;
    }
    int kept = 0;
    for (int i = 0; i < world->hit_count && status == TOI_OK; ++i) {
        toi_field_contact hit = world->hits[i];
        status = refresh(world, motion, &hit);
        if (!(hit.distance <= world->contact.distance))
            continue;
        world->hits[kept++] = hit;
        list->data[list->count++] = hit;
    }
    world->hit_count = kept;
    return status;
}

void start_step(stepping *world)
{
    if (world->forgetful)
        world->hit_count = 0;
}

// The oldest makes room.
static void keep_hit(stepping *world, const toi_sdf_result *result)
{
    if (world->hit_count == MOST_HITS)
        memmove(world->hits, world->hits + 1, --world->hit_count * sizeof *world->hits);
    world->hits[world->hit_count++] =
        (toi_field_contact){.triangle = result->triangle, .u = result->u, .v = result->v};
}

toi_status meet_field(stepping *world, const toi_surface *surface, const toi_motion *motion)
{
    double began = stepping_clock(world);
    toi_status status = toi_find_field_contacts(&world->contact, surface, motion, 0.0, world->field,
                                                &world->contacts);
    world->counts.contact_time += stepping_clock(world) - began;
    if (status == TOI_OK)
        status = add_hits(world, motion);
    world->counts.contacts += status == TOI_OK ? world->contacts.count : 0;
    double least = least_distance(world);
    // Inside, where only an uncertified search can lead, it may leave or go a little deeper.
    world->impact.margin = least > 0.0 ? 0.5 * least : 2.0 * least - 1e-6;
    world->impact.touch = 0.125 * fabs(least);
    return status;
}

toi_status find_way(stepping *world, const toi_surface *surface, const toi_motion *motion,
                    double *way)
{
    toi_sdf_result result;
    double began = stepping_clock(world);
    toi_status status =
        toi_find_field_impact(&world->impact, surface, motion, world->field, &result);
    double spent = stepping_clock(world) - began;
    stepping_counts *c = &world->counts;
    c->impact_time += spent;
    c->impact_most = fmax(spent, c->impact_most);
    c->impact_least = c->searches > 0 ? fmin(spent, c->impact_least) : spent;
    ++c->searches;
    if (status != TOI_OK)
        return status;
    c->nodes += result.nodes;
    c->evaluations += result.evaluations;
    c->impacts += result.state != TOI_SDF_FREE;
    *way = result.state == TOI_SDF_FREE ? motion->duration : result.t_low;
    if (result.state == TOI_SDF_HIT)
        keep_hit(world, &result);
    return TOI_OK;
}

double asked_velocity(const stepping *world, double distance, double rest)
{
    double short_of = world->gap - distance;
    if (short_of < 0.0)
        return short_of / rest;
    double push = PUSH_SHARE * short_of / world->step;
    return push < FASTEST_PUSH ? push : FASTEST_PUSH;
}
