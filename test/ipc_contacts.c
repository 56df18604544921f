// Close pairs and their barriers, for the solver of the stepping test.

#include "ipc_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The barrier reaches so many separations beyond the separation itself.
static const double REACH = 2;

// ---- Where a pair is closest

static void copy_corners(int32_t *to, const toi_index_view *rows, int64_t row, int count)
{
    memcpy(to, rows->data + count * row, (size_t)count * sizeof *to);
}

// What a kind has no corner for is named again, with a weight of 0.
static void set_corners(const toi_mesh *mesh, const toi_close_pair *pair, int32_t corner[4])
{
    corner[0] = corner[1] = pair->a;
    corner[2] = corner[3] = pair->b;
    if (pair->kind == TOI_VERTEX_FACE)
        copy_corners(corner + 1, &mesh->faces, pair->b, 3);
    if (pair->kind == TOI_EDGE_EDGE)
        copy_corners(corner, &mesh->edges, pair->a, 2);
    if (pair->kind == TOI_EDGE_EDGE || pair->kind == TOI_POINT_EDGE)
        copy_corners(corner + 2, &mesh->edges, pair->b, 2);
}

static void set_weights(const toi_close_pair *pair, double weight[4])
{
    double u = pair->u, v = pair->v;
    const double of[TOI_KIND_COUNT][4] = {[TOI_VERTEX_FACE] = {1, -(1 - u - v), -u, -v},
                                          [TOI_EDGE_EDGE] = {1 - u, u, -(1 - v), -v},
                                          [TOI_POINT_EDGE] = {1, 0, -(1 - u), -u},
                                          [TOI_POINT_POINT] = {1, 0, -1, 0}};
    memcpy(weight, of[pair->kind], sizeof of[pair->kind]);
}

static void set_normal(const toi_mesh *mesh, double distance, ipc_contact *contact)
{
    const double *positions = mesh->start.data;
    memset(contact->normal, 0, sizeof contact->normal);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            contact->normal[k] +=
                contact->weight[c] * positions[3 * (int64_t)contact->corner[c] + k] / distance;
}

// ---- The barrier: -(g - r)^2 log(g / r) for a gap g below the reach r

static double set_barrier(double reach, double stiffness, ipc_contact *contact)
{
    double gap = contact->gap, beyond = gap - reach;
    double logarithm = log(gap / reach), ratio = beyond / gap;
    contact->slope = -stiffness * beyond * (2 * logarithm + ratio);
    contact->curvature = -stiffness * (2 * logarithm + ratio * (4 - ratio));
    return -stiffness * beyond * beyond * logarithm;
}

static void add_contact(ipc_contacts *contacts, const toi_mesh *mesh, const toi_close_pair *pair,
                        const ipc_options *options)
{
    ipc_contact *contact = &contacts->data[contacts->count];
    *contact = (ipc_contact){.pair = {pair->kind, pair->a, pair->b},
                             .gap = pair->distance - options->separation};
    double reach = REACH * options->separation;
    if (contact->gap >= reach)
        return;
    set_corners(mesh, pair, contact->corner);
    set_weights(pair, contact->weight);
    set_normal(mesh, pair->distance, contact);
    contacts->energy +=
        contact->gap > 0 ? set_barrier(reach, options->stiffness, contact) : INFINITY;
    contacts->least_gap = fmin(contacts->least_gap, contact->gap);
    ++contacts->count;
}

static toi_status take_room(ipc_contacts *contacts, int64_t count)
{
    if (count <= contacts->capacity)
        return TOI_OK;
    ipc_contact *data = realloc(contacts->data, 2 * (size_t)count * sizeof *data);
    if (!data)
        return toi_fail(TOI_ERROR_MEMORY, "no room for %lld contacts", (long long)(2 * count));
    contacts->data = data;
    contacts->capacity = 2 * count;
    return TOI_OK;
}

toi_status ipc_find_contacts(toi_scene *scene, const ipc_options *options, toi_point_view positions,
                             ipc_contacts *contacts)
{
    toi_mesh mesh = toi_scene_mesh(scene, positions, positions);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = options->workers;
    toi_status status = toi_scene_find_close(
        scene, &def, positions, (1 + REACH) * options->separation, &contacts->close, NULL);
    contacts->count = 0;
    contacts->energy = 0;
    contacts->least_gap = INFINITY;
    if (status == TOI_OK)
        status = take_room(contacts, contacts->close.count);
    for (int64_t i = 0; status == TOI_OK && i < contacts->close.count; ++i)
        add_contact(contacts, &mesh, &contacts->close.data[i], options);
    return status;
}

void ipc_free_contacts(ipc_contacts *contacts)
{
    toi_free_close(&contacts->close);
    free(contacts->data);
    memset(contacts, 0, sizeof *contacts);
}
