// Runs searches for intersecting faces and counts what they miss and invent.

#include "overlap_judge.h"

#include "frames.h"
#include "progress.h"

#include <string.h>

const overlap_contestant overlap_contestants[MOST_CONTESTANTS] = {
    {"toi", NULL, TOI_OVERLAP_AUTO, true, true},
    {"toi-one-shot", NULL, TOI_OVERLAP_AUTO, false, true},
    {"toi-kdet", NULL, TOI_OVERLAP_KDET, true, true},
#ifdef TOI_PEERS_CGAL
    {"cgal", overlaps_cgal, TOI_OVERLAP_AUTO, false, true},
#endif
#ifdef TOI_PEERS_FCL
    {"fcl", overlaps_fcl, TOI_OVERLAP_AUTO, false, false},
#endif
#ifdef TOI_PEERS_LIBIGL
    {"libigl", overlaps_libigl, TOI_OVERLAP_AUTO, false, true},
#endif
#ifdef TOI_PEERS_LIBIGL_OLD
    {"libigl-2.5", overlaps_libigl_old, TOI_OVERLAP_AUTO, false, false},
#endif
#ifdef TOI_PEERS_OPEN3D
    {"open3d", overlaps_open3d, TOI_OVERLAP_AUTO, false, false},
#endif
};

const char *overlap_contestant_name(int index)
{
    return index < MOST_CONTESTANTS ? overlap_contestants[index].name : NULL;
}

// ---------------------------------------------------------------------------------------------
// Runs

toi_status start_trial(const overlap_contestant *contestant, const toi_mesh *mesh,
                       overlap_trial *trial)
{
    *trial = (overlap_trial){.contestant = contestant};
    trial->taken = toi_allocate((size_t)mesh->faces.count);
    if (!trial->taken)
        return TOI_ERROR_MEMORY;
    memset(trial->taken, 1, (size_t)mesh->faces.count);
    return contestant->kept ? make_kept_scene(mesh, &trial->scene) : TOI_OK;
}

static toi_status run_own(const toi_mesh *mesh, overlap_trial *trial)
{
    toi_overlap_def def = toi_default_overlap_def();
    def.method = trial->contestant->method;
    def.workers = 1;
    double started = seconds_spent(1);
    toi_status status = trial->scene ? toi_scene_find_overlaps(trial->scene, &def, mesh->start,
                                                               &trial->overlaps, NULL)
                                     : toi_find_overlaps(&def, mesh, &trial->overlaps, NULL);
    trial->seconds = seconds_spent(1) - started;
    return status;
}

toi_status run_trial(const toi_mesh *mesh, overlap_trial *trial)
{
    if (!trial->contestant->find)
        return run_own(mesh, trial);
    peer_overlaps found = {.pairs = &trial->pairs, .taken = trial->taken};
    toi_status status = trial->contestant->find(mesh, &found);
    trial->seconds_prepare = found.seconds_prepare;
    trial->seconds = found.seconds;
    return status;
}

void free_trial(overlap_trial *trial)
{
    toi_free_scene(trial->scene);
    toi_free_overlaps(&trial->overlaps);
    toi_free_pairs(&trial->pairs);
    toi_release(trial->taken);
    *trial = (overlap_trial){.contestant = NULL};
}

toi_status find_true_overlaps(const toi_mesh *mesh, toi_overlap_array *truth)
{
    enum
    {
        FEW_FACES = 4000
    };
    toi_overlap_def def = toi_default_overlap_def();
    if (mesh->faces.count <= FEW_FACES)
        def.method = TOI_OVERLAP_BRUTE;
    return toi_find_overlaps(&def, mesh, truth, NULL);
}

// ---------------------------------------------------------------------------------------------
// Judging

static int64_t found_count(const overlap_trial *trial)
{
    return trial->contestant->find ? trial->pairs.count : trial->overlaps.count;
}

static toi_pair found_pair(const overlap_trial *trial, int64_t index)
{
    if (trial->contestant->find)
        return trial->pairs.data[index];
    return (toi_pair){trial->overlaps.data[index].a, trial->overlaps.data[index].b};
}

static int compare_pairs(toi_pair pair, const toi_overlap *with)
{
    if (pair.a != with->a)
        return pair.a < with->a ? -1 : 1;
    return (pair.b > with->b) - (pair.b < with->b);
}

overlap_verdict judge_trial(const toi_overlap_array *truth, const overlap_trial *trial,
                            int64_t faces)
{
    overlap_verdict verdict = {.found = found_count(trial)};
    int64_t at = 0;
    for (int64_t i = 0; i < truth->count; ++i) {
        const toi_overlap *pair = &truth->data[i];
        if (!trial->contestant->neighbours && pair->overlap_class >= TOI_OVERLAP_VERTEX)
            continue;
        ++verdict.pairs;
        for (; at < verdict.found && compare_pairs(found_pair(trial, at), pair) < 0; ++at)
            ++verdict.invented;
        if (at < verdict.found && compare_pairs(found_pair(trial, at), pair) == 0)
            ++at;
        else if (trial->taken[pair->a] && trial->taken[pair->b])
            ++verdict.missed;
        else
            ++verdict.left_out;
    }
    verdict.invented += verdict.found - at;
    for (int64_t i = 0; i < faces; ++i)
        verdict.faces_left_out += !trial->taken[i];
    return verdict;
}
