// The questions of ccd.h, asked of a mesh, or of a scene at the mesh's positions.

#ifndef TOI_TEST_STEPS_H
#define TOI_TEST_STEPS_H

#include "toi/close.h"

// A scene of a mesh's faces and edges, with a definition's filter, which a call may not have.
static inline toi_status make_scene_of(const toi_mesh *mesh, const toi_filter *filter,
                                       toi_scene **scene)
{
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = mesh->start.count;
    def.faces = mesh->faces;
    def.edges = mesh->edges;
    if (filter)
        def.filter = *filter;
    return toi_make_scene(&def, scene);
}

static inline toi_status ask_earliest(toi_scene *scene, const toi_ccd_def *def,
                                      const toi_mesh *mesh, toi_ccd_report *report)
{
    return scene ? toi_scene_find_earliest(scene, def, mesh->start, mesh->end, report)
                 : toi_find_earliest(def, mesh, report);
}

static inline toi_status ask_impacts(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                                     toi_impact_array *impacts, toi_ccd_report *report)
{
    return scene ? toi_scene_find_impacts(scene, def, mesh->start, mesh->end, impacts, report)
                 : toi_find_impacts(def, mesh, impacts, report);
}

static inline toi_status ask_safe_steps(toi_scene *scene, const toi_ccd_def *def,
                                        const toi_mesh *mesh, double *steps, toi_ccd_report *report)
{
    return scene ? toi_scene_find_safe_steps(scene, def, mesh->start, mesh->end, steps, report)
                 : toi_find_safe_steps(def, mesh, steps, report);
}

static inline toi_status ask_close(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                                   double radius, toi_close_array *close, toi_ccd_report *report)
{
    return scene ? toi_scene_find_close(scene, def, mesh->start, radius, close, report)
                 : toi_find_close(def, mesh, radius, close, report);
}

static inline toi_status ask_close_stream(toi_scene *scene, const toi_ccd_def *def,
                                          const toi_mesh *mesh, double radius,
                                          toi_close_sink_fn *sink, void *context,
                                          toi_ccd_report *report)
{
    return scene ? toi_scene_stream_close(scene, def, mesh->start, radius, sink, context, report)
                 : toi_stream_close(def, mesh, radius, sink, context, report);
}

static inline toi_status ask_distance(toi_scene *scene, const toi_ccd_def *def,
                                      const toi_mesh *mesh, toi_close_pair *closest,
                                      toi_ccd_report *report)
{
    return scene ? toi_scene_find_distance(scene, def, mesh->start, closest, report)
                 : toi_find_distance(def, mesh, closest, report);
}

static inline toi_status ask_safe_radii(toi_scene *scene, const toi_ccd_def *def,
                                        const toi_mesh *mesh, double most, double *radii,
                                        toi_ccd_report *report)
{
    return scene ? toi_scene_find_safe_radii(scene, def, mesh->start, most, radii, report)
                 : toi_find_safe_radii(def, mesh, most, radii, report);
}

static inline toi_status ask_candidates(toi_scene *scene, const toi_ccd_def *def,
                                        const toi_mesh *mesh, toi_kind kind, toi_pair_array *pairs,
                                        toi_ccd_report *report)
{
    return scene
               ? toi_scene_find_candidates(scene, def, mesh->start, mesh->end, kind, pairs, report)
               : toi_find_candidates(def, mesh, kind, pairs, report);
}

static inline toi_status ask_all_candidates(toi_scene *scene, const toi_ccd_def *def,
                                            const toi_mesh *mesh, toi_pair_array *lists,
                                            toi_ccd_report *report)
{
    return scene ? toi_scene_find_all_candidates(scene, def, mesh->start, mesh->end, lists, report)
                 : toi_find_all_candidates(def, mesh, lists, report);
}

static inline toi_status ask_candidate_stream(toi_scene *scene, const toi_ccd_def *def,
                                              const toi_mesh *mesh, toi_kind kind,
                                              toi_pair_sink_fn *sink, void *context,
                                              toi_ccd_report *report)
{
    return scene ? toi_scene_stream_candidates(scene, def, mesh->start, mesh->end, kind, sink,
                                               context, report)
                 : toi_stream_candidates(def, mesh, kind, sink, context, report);
}

#endif
