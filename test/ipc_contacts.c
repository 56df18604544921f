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

static void pair_corners(const toi_mesh *mesh, toi_kind kind, toi_pair pair, int32_t corner[4])
{
    corner[0] = corner[1] = pair.a;
    corner[2] = corner[3] = pair.b;
    if (kind == TOI_VERTEX_FACE)
        copy_corners(corner + 1, &mesh->faces, pair.b, 3);
    if (kind == TOI_EDGE_EDGE)
        copy_corners(corner, &mesh->edges, pair.a, 2);
    if (kind == TOI_EDGE_EDGE || kind == TOI_POINT_EDGE)
        copy_corners(corner + 2, &mesh->edges, pair.b, 2);
}

static void set_weights(ipc_contact *contact, bool face, const double uv[2])
{
    double u = uv[0], v = uv[1];
    const double of_face[4] = {1, -(1 - u - v), -u, -v}, of_edges[4] = {1 - u, u, -(1 - v), -v};
    memcpy(contact->weight, face ? of_face : of_edges, sizeof of_face);
}

// Sets corners, weights and normal; returns the distance. Points are edges without length.
static double measure(const toi_mesh *mesh, toi_kind kind, toi_pair pair, ipc_contact *contact)
{
    bool face = kind == TOI_VERTEX_FACE;
    const double *at[4];
    double uv[2];
    pair_corners(mesh, kind, pair, contact->corner);
    for (int c = 0; c < 4; ++c)
        at[c] = (const double *)mesh->start.data + 3 * (int64_t)contact->corner[c];
    double distance = face ? toi_point_triangle_distance(at[0], at[1], at[2], at[3], uv)
                           : toi_edge_edge_distance(at[0], at[1], at[2], at[3], uv);
    set_weights(contact, face, uv);
    for (int k = 0; k < 3; ++k) {
        contact->normal[k] = 0;
        for (int c = 0; c < 4; ++c)
            contact->normal[k] += contact->weight[c] * at[c][k] / distance;
    }
    return distance;
}

// ---- The barrier: -(g - r)^2 log(g / r) for a gap g below the reach r

static double set_barrier(double reach, double stiffness, ipc_contact *contact)
{
    double gap = contact->gap, beyond = gap - reach, logarithm = log(gap / reach),
           ratio = beyond / gap;
    contact->slope = -stiffness * beyond * (2 * logarithm + ratio);
    contact->curvature = -stiffness * (2 * logarithm + ratio * (4 - ratio));
    return -stiffness * beyond * beyond * logarithm;
}

static toi_status add_contact(ipc_contacts *contacts, const ipc_contact *contact)
{
    if (contacts->count == contacts->capacity) {
        int64_t capacity = 2 * contacts->capacity + 1000;
        ipc_contact *data = realloc(contacts->data, (size_t)capacity * sizeof *data);
        if (!data)
            return toi_fail(TOI_ERROR_MEMORY, "no room for %lld contacts", (long long)capacity);
        contacts->data = data;
        contacts->capacity = capacity;
    }
    contacts->data[contacts->count++] = *contact;
    return TOI_OK;
}

static toi_status add_if_close(ipc_contacts *contacts, const toi_mesh *mesh, toi_kind kind,
                               toi_pair pair, const ipc_options *options)
{
    ipc_contact contact = {.pair = {(int32_t)kind, pair.a, pair.b}};
    double reach = REACH * options->separation;
    contact.gap = measure(mesh, kind, pair, &contact) - options->separation;
    if (contact.gap >= reach)
        return TOI_OK;
    contacts->energy +=
        contact.gap > 0 ? set_barrier(reach, options->stiffness, &contact) : INFINITY;
    contacts->least_gap = fmin(contacts->least_gap, contact.gap);
    return add_contact(contacts, &contact);
}

toi_status ipc_find_contacts(toi_scene *scene, const ipc_options *options, toi_point_view positions,
                             ipc_contacts *contacts)
{
    toi_mesh mesh = toi_scene_mesh(scene, positions, positions);
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = (1 + REACH) * options->separation;
    def.workers = options->workers;
    contacts->count = 0;
    contacts->energy = 0;
    contacts->least_gap = INFINITY;
    toi_status status =
        toi_scene_find_all_candidates(scene, &def, positions, positions, contacts->pairs, NULL);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        for (int64_t i = 0; status == TOI_OK && i < contacts->pairs[kind].count; ++i)
            status = add_if_close(contacts, &mesh, (toi_kind)kind, contacts->pairs[kind].data[i],
                                  options);
    return status;
}

void ipc_free_contacts(ipc_contacts *contacts)
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&contacts->pairs[kind]);
    free(contacts->data);
    memset(contacts, 0, sizeof *contacts);
}
