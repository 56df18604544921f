// The card of the tests that need one, and what they ask about on it.

#ifndef TOI_TEST_CARD_H
#define TOI_TEST_CARD_H

#include "scenes.h"
#include "support.h"
#include "toi/device.h"

// The card's definition: the first one. TOI_TEST_BACKEND: the file of another backend.
toi_device_def card_def(void);

// Is it one? Else what stands for it is slow.
bool has_card(void);
int64_t card_size(int64_t size);

toi_device *open_card(int64_t memory_limit);
toi_ccd_def on_card(toi_device *device);

// Runs the tests; open_group() gives them an open device as their state. Where there is no card
// they are skipped, unless TOI_REQUIRE_CARD is set (`make test-cuda`).
#define run_on_card(name, tests, open, close)                                                      \
    (is_there_a_card(name) ? cmocka_run_group_tests_name(name, tests, open, close)                 \
                           : exit_without_card())
bool is_there_a_card(const char *name);
int exit_without_card(void);
int open_group(void **state);
int close_group(void **state);

// A generated scene from where it becomes crowded, and the step from one of its frames to the next.
// Edges are made where there are none yet.
toi_animation make_animation(const char *name, int64_t size, int frames);
toi_mesh mesh_of(const toi_animation *scene, int frame, toi_edge_array *edges);

// A rule that a filter's function may have.
bool is_not_thrice(void *context, int32_t a, int32_t b);

#endif
