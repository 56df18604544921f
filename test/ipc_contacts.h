// The pairs that the barrier of the stepping test keeps apart.

#ifndef TOI_TEST_IPC_CONTACTS_H
#define TOI_TEST_IPC_CONTACTS_H

#include "ipc_solver.h"

// One close pair. The vector between its closest points is the sum of weight times corner.
typedef struct ipc_contact
{
    toi_pair_name pair;
    double gap; // distance less separation
    int32_t corner[4];
    double weight[4];
    double normal[3];
    double slope, curvature; // of the barrier, as a function of the distance
} ipc_contact;

typedef struct ipc_contacts
{
    ipc_contact *data;
    int64_t count, capacity;
    double least_gap;      // infinite where none is close
    double energy;         // of all barriers; infinite where one is broken
    toi_close_array close; // what they were made from
} ipc_contacts;

// All pairs in reach of the barrier at these positions.
toi_status ipc_find_contacts(toi_scene *scene, const ipc_options *options, toi_point_view positions,
                             ipc_contacts *contacts);
void ipc_free_contacts(ipc_contacts *contacts);

#endif
