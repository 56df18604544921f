// Devices of the backend that needs no card, and their answers beside the processor's.

#ifndef TOI_TEST_FAKE_DEVICE_H
#define TOI_TEST_FAKE_DEVICE_H

#include "fake_backend.h"
#include "support.h"

extern fake_knobs *knobs;

// Setup of a group: finds the knobs. Setup and teardown of a test: it must leave nothing behind, on
// the card and on the host.
int find_fake(void **state);
int begin_fake(void **state);
int end_fake(void **state);

toi_device_def fake_def(void);
toi_device *open_fake(void);
toi_ccd_def on_device(toi_device *device);

void same_lists(const toi_impact *a, int64_t a_count, const toi_impact *b, int64_t b_count);
void same_reports(const toi_ccd_report *a, const toi_ccd_report *b);

// Every impact and the earliest, with the definition's device and without, of a mesh or of a scene;
// returns how many impacts.
int64_t compare_devices(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh);

#endif
