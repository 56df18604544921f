// Sequences of steps, and the impacts that fresh calls find in them.

#ifndef TOI_TEST_TRACK_STEPS_H
#define TOI_TEST_TRACK_STEPS_H

#include "scenes.h"
#include "support.h"

#include <stdlib.h>

enum
{
    STEPS = 10,
    MOST_STEPS = 24
};

static inline bool sanitized(void)
{
    return getenv("TOI_SANITIZED") != NULL;
}

// Positions frame after frame, and what the steps between them must give.
typedef struct sequence
{
    toi_animation animation;
    toi_scene_def def;
    int steps;
    toi_impact_array expected[MOST_STEPS];
} sequence;

static inline toi_point_view frame_of(const sequence *s, int frame)
{
    const toi_animation *a = &s->animation;
    return toi_view_points(a->points[frame * a->point_count], a->point_count);
}

static inline toi_scene_def scene_def_of(const toi_animation *a)
{
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = a->point_count;
    def.faces = (toi_index_view){a->faces[0], a->face_count, 0};
    def.loose_edges = (toi_index_view){a->edges ? a->edges[0] : NULL, a->edge_count, 0};
    return def;
}

// Each step of a scene that is made for it alone.
static inline int64_t expect(sequence *s, const toi_ccd_def *def)
{
    int64_t impacts = 0;
    for (int step = 0; step < s->steps; ++step) {
        toi_scene *scene;
        toi_track_def stateless = toi_default_track_def();
        stateless.method = TOI_TRACK_STATELESS;
        assert_ok(toi_make_scene(&s->def, &scene));
        assert_ok(toi_scene_set_tracking(scene, &stateless));
        assert_ok(toi_scene_find_impacts(scene, def, frame_of(s, step), frame_of(s, step + 1),
                                         &s->expected[step], NULL));
        toi_free_scene(scene);
        impacts += s->expected[step].count;
    }
    return impacts;
}

static inline sequence begin_sequence(const char *name, int64_t size, double begin, int steps)
{
    sequence s = {.steps = steps};
    toi_animation_def def = toi_default_animation_def();
    def.name = name;
    def.size = size;
    def.frames = steps + 1;
    def.begin = begin;
    assert_ok(toi_make_animation(&def, &s.animation));
    s.def = scene_def_of(&s.animation);
    return s;
}

static inline sequence make_sequence(const char *name, int64_t size, double begin, int steps)
{
    toi_ccd_def def = toi_default_ccd_def();
    sequence s = begin_sequence(name, size, begin, steps);
    assert_true(expect(&s, &def) > 0); // else there is nothing to lose
    return s;
}

static inline void free_sequence(sequence *s)
{
    for (int step = 0; step < s->steps; ++step)
        toi_free_impacts(&s->expected[step]);
    toi_free_animation(&s->animation);
}

// The steps of a sequence are cut into `parts` equal ones: small motion.
static inline void cut_steps(sequence *s, int parts)
{
    toi_animation *a = &s->animation;
    double(*points)[3] =
        toi_allocate((size_t)((s->steps * parts + 1) * a->point_count) * sizeof *points);
    assert_true(s->steps * parts <= MOST_STEPS);
    for (int frame = 0; frame <= s->steps * parts; ++frame)
        for (int64_t i = 0; i < a->point_count; ++i)
            for (int k = 0; k < 3; ++k) {
                int before = frame / parts, after = frame == s->steps * parts ? before : before + 1;
                double share = (double)(frame % parts) / parts;
                points[frame * a->point_count + i][k] =
                    (1 - share) * a->points[before * a->point_count + i][k] +
                    share * a->points[after * a->point_count + i][k];
            }
    toi_release(a->points);
    a->points = points;
    s->steps *= parts;
}

static inline void ask_step(toi_scene *scene, const sequence *s, const toi_ccd_def *def, int step,
                            toi_impact_array *impacts)
{
    assert_ok(toi_scene_find_impacts(scene, def, frame_of(s, step), frame_of(s, step + 1), impacts,
                                     NULL));
}

static inline void check_step(toi_scene *scene, const sequence *s, const toi_ccd_def *def, int step,
                              toi_impact_array *impacts)
{
    const toi_impact_array *expected = &s->expected[step];
    ask_step(scene, s, def, step, impacts);
    assert_int_equal(impacts->count, expected->count);
    if (impacts->count > 0)
        assert_memory_equal(impacts->data, expected->data,
                            (size_t)impacts->count * sizeof *impacts->data);
}

static inline toi_track_report report_of(const toi_scene *scene)
{
    toi_track_report report;
    assert_ok(toi_scene_track_report(scene, &report));
    return report;
}

static inline toi_scene *make_tracked(const sequence *s, const toi_track_def *track)
{
    toi_scene *scene;
    assert_ok(toi_make_scene(&s->def, &scene));
    assert_ok(toi_scene_set_tracking(scene, track));
    return scene;
}

// `auto` says what it chose.
static inline void check_method(const toi_track_report *report, toi_track_method asked)
{
    if (asked == TOI_TRACK_AUTO)
        assert_in_range(report->method, TOI_TRACK_STATELESS, TOI_TRACK_BUDGETS);
    else
        assert_int_equal(report->method, asked);
}

// All steps; the report of each goes to `reports` unless that is NULL.
static inline void check_sequence(const sequence *s, const toi_track_def *track, int workers,
                                  toi_track_report *reports)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_scene *scene = make_tracked(s, track);
    toi_impact_array impacts = {0};
    def.workers = workers;
    for (int step = 0; step < s->steps; ++step) {
        check_step(scene, s, &def, step, &impacts);
        toi_track_report report = report_of(scene);
        check_method(&report, track->method);
        assert_int_equal(report.steps, step + 1);
        assert_true(report.kept_bytes <= toi_scene_bytes(scene));
        if (reports)
            reports[step] = report;
    }
    toi_free_impacts(&impacts);
    toi_free_scene(scene);
}

static inline toi_track_def track_def(toi_track_method method, toi_volume volume, bool orphans)
{
    toi_track_def def = toi_default_track_def();
    def.method = method;
    def.volume = volume;
    def.orphans = orphans;
    return def;
}

#endif
