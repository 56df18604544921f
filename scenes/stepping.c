// The questions that simulators ask about a field, and the margin between a body and the field.

#include "stepping.h"

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

toi_status meet_field(stepping *world, const toi_surface *surface, const toi_motion *motion)
{
    double began = stepping_clock(world);
    toi_status status = toi_find_field_contacts(&world->contact, surface, motion, 0.0, world->field,
                                                &world->contacts);
    world->counts.contact_time += stepping_clock(world) - began;
    world->counts.contacts += status == TOI_OK ? world->contacts.count : 0;
    double least = least_distance(world);
    // Inside, where only an uncertified search can lead, it may leave or go a little deeper.
    world->impact.margin = least > 0.0 ? 0.5 * least : 2.0 * least - 1e-6;
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
    c->impact_most = spent > c->impact_most ? spent : c->impact_most;
    ++c->searches;
    if (status != TOI_OK)
        return status;
    c->nodes += result.nodes;
    c->evaluations += result.evaluations;
    c->impacts += result.state != TOI_SDF_FREE;
    *way = result.state == TOI_SDF_FREE ? motion->duration : result.t_low;
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
