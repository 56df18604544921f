// Whatever a scene keeps, its impacts are those of a call that knows nothing of the steps before.

#ifndef TOI_TEST_FRESH_CALL_H
#define TOI_TEST_FRESH_CALL_H

#include "steps.h"
#include "support.h"

#include <string.h>

// The scene has the impacts of a fresh call with `alone`, which may have the scene's filter.
// Returns how many there are.
static inline int64_t expect_like(toi_scene *scene, const toi_ccd_def *def,
                                  const toi_ccd_def *alone, const toi_mesh *mesh, const char *what,
                                  int step)
{
    toi_impact_array expected = {0}, found = {0};
    toi_ccd_report fresh, kept;
    assert_ok(toi_find_impacts(alone, mesh, &expected, &fresh));
    assert_ok(toi_scene_find_impacts(scene, def, mesh->start, mesh->end, &found, &kept));
    if (found.count != expected.count ||
        (found.count > 0 &&
         memcmp(found.data, expected.data, (size_t)found.count * sizeof *found.data) != 0))
        fail_msg("%s, step %d: %lld impacts instead of %lld, or others", what, step,
                 (long long)found.count, (long long)expected.count);
    assert_int_equal(kept.state, fresh.state);
    int64_t count = found.count;
    toi_free_impacts(&found);
    toi_free_impacts(&expected);
    return count;
}

static inline int64_t expect_same(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                                  const char *what, int step)
{
    return expect_like(scene, def, def, mesh, what, step);
}

#endif
