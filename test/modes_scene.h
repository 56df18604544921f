// The functions of scene.h in every floating-point mode.

#ifndef TOI_TEST_MODES_SCENE_H
#define TOI_TEST_MODES_SCENE_H

void call_scene(void);

#endif
