// Calls of test_modes.c that have a file of their own.

#ifndef TOI_TEST_MODES_CALLS_H
#define TOI_TEST_MODES_CALLS_H

void call_contacts(void);
void call_devices(void);
void call_faces(void);
void call_fields(void);
void call_grids(void);
void call_overlaps(void);
void call_pipeline(void);
void call_scene(void);

#endif
