// What a scene keeps on a device: its topology, made when the device is first asked about it.

#include "device/device.h"

#include "mesh/mesh.h"

#include <string.h>

// ---- Packed copies, for views that have gaps

toi_status toi_pack_rows(const toi_index_view *view, int width, toi_budget *budget,
                         toi_packed_rows *to)
{
    size_t bytes = (size_t)width * sizeof(int32_t);
    *to = (toi_packed_rows){view->data, NULL};
    if (view->count == 0 || view->stride == 0 || view->stride == (int64_t)bytes)
        return TOI_OK;
    to->rows = to->own = toi_take(budget, view->count, bytes);
    if (!to->own)
        return toi_allocation_status();
    for (int64_t i = 0; i < view->count; ++i)
        memcpy(to->own + i * width, toi_index_row(view, width, i), bytes);
    return TOI_OK;
}

// ---- The mesh on the card

static toi_status send_mesh(const toi_pipeline *p, const int32_t *edges, const int32_t *faces,
                            toi_resident *r)
{
    const toi_topology *t = &p->scene->topology;
    toi_device *device = r->device;
    toi_complaint complaint = {""};
    toi_card_topology topology = {.vertex_count = t->vertex_count,
                                  .edge_count = t->edges.count,
                                  .face_count = t->faces.count,
                                  .edges = edges,
                                  .faces = faces,
                                  .groups = t->filter.groups};
    toi_take_turn(device);
    toi_status status = device->backend->make_mesh(device->card, &topology, &r->mesh, &complaint);
    toi_end_turn(device);
    if (status == TOI_OK)
        return TOI_OK;
    r->mesh = NULL;
    return toi_fail_complaint(status, &complaint);
}

static toi_status make_mesh(toi_pipeline *p, toi_resident *r)
{
    const toi_topology *t = &p->scene->topology;
    toi_packed_rows edges, faces = {NULL, NULL};
    toi_status status = toi_pack_rows(&t->edges, 2, p->budget, &edges);
    if (status == TOI_OK)
        status = toi_pack_rows(&t->faces, 3, p->budget, &faces);
    if (status == TOI_OK)
        status = send_mesh(p, edges.rows, faces.rows, r);
    toi_give_back(faces.own);
    toi_give_back(edges.own);
    return status;
}

// ---- In the list of its device

static void enlist(toi_resident *r)
{
    toi_device *device = r->device;
    toi_take_turn(device);
    r->next = device->residents;
    if (r->next)
        r->next->previous = r;
    device->residents = r;
    toi_end_turn(device);
}

static void leave_device(toi_resident *r)
{
    toi_device *device = r->device;
    toi_take_turn(device);
    *(r->previous ? &r->previous->next : &device->residents) = r->next;
    if (r->next)
        r->next->previous = r->previous;
    if (r->mesh)
        device->backend->free_mesh(r->mesh);
    if (r->surface)
        device->backend->free_surface(r->surface);
    toi_end_turn(device);
}

void toi_forget_resident(toi_scene *scene)
{
    toi_resident *r = scene->resident;
    if (!r)
        return;
    if (r->device)
        leave_device(r);
    toi_give_back(r->allowed.data);
    toi_give_back(r->decided.data);
    toi_give_back(r);
    scene->resident = NULL;
}

// There are pairs of the kinds that a card looks at.
static bool has_pairs(const toi_topology *t)
{
    return t->faces.count > 0 || t->edges.count > 1;
}

toi_status toi_find_resident(toi_scene *scene, toi_device *device, toi_resident **resident)
{
    if (scene->resident && scene->resident->device != device)
        toi_forget_resident(scene);
    if (!scene->resident) {
        toi_resident *r = toi_take(NULL, 1, sizeof *r);
        if (!r)
            return toi_allocation_status();
        *r = (toi_resident){.device = device};
        scene->resident = r;
        enlist(r);
    }
    *resident = scene->resident;
    return TOI_OK;
}

toi_status toi_make_resident(toi_pipeline *p, toi_resident **resident)
{
    toi_status status = toi_find_resident(p->scene, p->def->device, resident);
    if (status != TOI_OK || (*resident)->mesh || !has_pairs(&p->scene->topology))
        return status;
    return make_mesh(p, *resident);
}
