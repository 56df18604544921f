// The table of scenes, and the function that makes one.

#include "scenes.h"

#include "recipe.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const uint32_t SCENE_COOKIE = 0x5ce9e001;

static const struct scene_entry
{
    const char *name;
    const char *about;
    scene_recipe *make;
} SCENES[] = {
#define SCENE_ENTRY(recipe, name, about) {name, about, recipe},
    SCENE_TABLE(SCENE_ENTRY)
#undef SCENE_ENTRY
};

enum
{
    SCENE_COUNT = sizeof SCENES / sizeof *SCENES
};

toi_animation_def toi_default_animation_def(void)
{
    return (toi_animation_def){
        .name = SCENES[0].name, .size = 10000, .frames = 2, .seed = 1, .cookie = SCENE_COOKIE};
}

const char *toi_animation_name(int index)
{
    return index >= 0 && index < SCENE_COUNT ? SCENES[index].name : NULL;
}

const char *toi_animation_about(int index)
{
    return index >= 0 && index < SCENE_COUNT ? SCENES[index].about : NULL;
}

static toi_status fail_unknown(const char *name)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < SCENE_COUNT; ++i) {
        int wrote = snprintf(names + used, sizeof names - used, i ? ", %s" : "%s", SCENES[i].name);
        assert(wrote > 0 && (size_t)wrote < sizeof names - used);
        used += (size_t)wrote;
    }
    return toi_fail(TOI_ERROR_ARGUMENT, "there is no scene '%s'; there are %s", name, names);
}

static toi_status check(const toi_animation_def *def)
{
    if (def->cookie != SCENE_COOKIE)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the scene definition was not made by toi_default_animation_def()");
    if (def->size < 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "the size of a scene is at least 1, not %lld",
                        (long long)def->size);
    if (def->frames < 2)
        return toi_fail(TOI_ERROR_ARGUMENT, "a scene has at least 2 frames, not %d", def->frames);
    if (!(def->begin >= 0.0 && def->begin <= 1.0))
        return toi_fail(TOI_ERROR_ARGUMENT, "a scene begins between 0 and 1, not at %g",
                        def->begin);
    if (def->size > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "a scene has at most 2147483647 faces, not %lld",
                        (long long)def->size);
    return TOI_OK;
}

toi_status toi_make_animation(const toi_animation_def *def, toi_animation *scene)
{
    *scene = (toi_animation){0};
    toi_status status = check(def);
    if (status != TOI_OK)
        return status;
    for (int i = 0; i < SCENE_COUNT; ++i) {
        if (!def->name || strcmp(def->name, SCENES[i].name) != 0)
            continue;
        status = SCENES[i].make(def, scene);
        if (status != TOI_OK)
            toi_free_animation(scene);
        return status;
    }
    return fail_unknown(def->name ? def->name : "(null)");
}

void toi_free_animation(toi_animation *scene)
{
    toi_release(scene->points);
    toi_release(scene->faces);
    toi_release(scene->edges);
    toi_release(scene->groups);
    *scene = (toi_animation){0};
}
