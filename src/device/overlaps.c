// Overlaps that a device finds: the faces that a scene keeps on it, and what it answers.

#include "base/status.h"
#include "device/device.h"
#include "overlap/call.h"
#include "overlap/stars.h"

static toi_status send_faces(toi_overlap_call *call, const int32_t *rows, toi_resident *r)
{
    const toi_stars *stars = call->scene->stars;
    toi_device *device = r->device;
    toi_complaint complaint = {""};
    toi_card_faces faces = {.vertex_count = call->mesh.start.count,
                            .face_count = call->mesh.faces.count,
                            .faces = rows,
                            .stars = stars->stars,
                            .pool = stars->pool,
                            .pool_count = stars->pool_count};
    toi_take_turn(device);
    toi_status status =
        device->backend->make_surface(device->card, &faces, &r->surface, &complaint);
    toi_end_turn(device);
    if (status == TOI_OK)
        return TOI_OK;
    r->surface = NULL;
    return toi_fail_complaint(status, &complaint);
}

static toi_status make_surface(toi_overlap_call *call, toi_resident **resident)
{
    toi_packed_rows rows;
    toi_status status = toi_find_resident(call->scene, call->def->device, resident);
    if (status != TOI_OK || (*resident)->surface)
        return status;
    status = toi_pack_rows(&call->mesh.faces, 3, call->budget, &rows);
    if (status == TOI_OK)
        status = send_faces(call, rows.rows, *resident);
    toi_give_back(rows.own);
    return status;
}

static toi_status check_positions(const toi_overlap_call *call)
{
    toi_device *device = call->def->device;
    toi_take_turn(device);
    bool on_card = device->backend->is_on_card(device->card, call->mesh.start.data);
    toi_end_turn(device);
    if (!on_card)
        return TOI_OK;
    return toi_fail(
        TOI_ERROR_UNSUPPORTED,
        "the positions are only in the card's memory: overlaps that floating point "
        "cannot decide are decided on the host as yet; give them in memory of the host");
}

static toi_status name_infinite(const toi_overlap_call *call)
{
    const toi_point_view *points = &call->mesh.start;
    toi_status status = toi_check_positions(points, points, call->workers);
    return status == TOI_OK
               ? toi_fail(TOI_ERROR_DATA, "a coordinate of a vertex was not finite when the device "
                                          "looked, and has changed meanwhile")
               : status;
}

toi_status toi_ask_overlaps(toi_overlap_call *call)
{
    toi_device *device = call->def->device;
    toi_complaint complaint = {""};
    toi_resident *r;
    toi_status status = check_positions(call);
    if (status == TOI_OK)
        status = make_surface(call, &r);
    if (status != TOI_OK)
        return status;
    toi_take_turn(device);
    toi_overlap_question question = {.points = call->mesh.start,
                                     .measure = device->measure,
                                     .grid = call->def->method == TOI_OVERLAP_KDET,
                                     .hash = call->def->hash};
    status = device->backend->find_overlaps(r->surface, &question, &call->answer, &complaint);
    if (status == TOI_OK)
        device->report = call->answer.report;
    toi_end_turn(device);
    if (status != TOI_OK)
        return toi_fail_complaint(status, &complaint);
    if (call->answer.infinite)
        return name_infinite(call);
    call->meter.total = 1;
    return toi_meter_add(&call->meter, 1);
}
