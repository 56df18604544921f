// Lists of impacts that come from a card packed, a group at a time: workers of the host unpack what
// is there while the card computes the rest.

#ifndef TOI_DEVICE_DELIVERY_H
#define TOI_DEVICE_DELIVERY_H

#include "device/backend.h"
#include "device/packed_impact.h"

enum
{
    TOI_LEAST_UNPACKERS = 6 // workers: fewer take longer than what is saved on the bus
};

// All impacts of a group.
typedef void toi_unpack_group_fn(const toi_packed_impacts *group, toi_impact *to);

// Unpacks a delivery into `to`, which has room for `room` impacts, with all workers. Waits for what
// is on its way. Returns false where there is no room, or not all came.
bool toi_unpack_delivery(const toi_card_delivery *delivery, int workers, toi_impact *to,
                         int64_t room);

#endif
