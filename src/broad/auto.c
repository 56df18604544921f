// The choice that the measurements favour (docs/broad_phases.md): a tree over the boxes in the
// order of a curve, unless there are so few that comparing all is cheaper, or they are rods through
// much of the scene, which no order of centres tells apart; and no more workers than the boxes can
// feed.

#include "broad/tree/mesh_tree.h"

enum
{
    FEW = 192,
    BOXES_A_WORKER = 8192,
    SAMPLES = 1024,
    CROWDED = 1000 // overlaps of a box
};

// How many of the workers so many boxes can feed.
static int fitting_workers(int workers, int64_t boxes)
{
    int64_t fed = boxes / BOXES_A_WORKER;
    return fed >= workers ? workers : fed > 1 ? (int)fed : 1;
}

static const toi_box *box_at(const toi_broad_job *job, int64_t i)
{
    return i < job->a.count ? &job->a.data[i] : &job->b.data[i - job->a.count];
}

// Are the boxes long for the scene, and yet not crowded? From a sample, in any units: numbers that
// overflow only make the choice an ordinary one.
static bool are_rods(const toi_broad_job *job, int64_t boxes)
{
    double low[3], high[3], longest = 0, neighbours = 0;
    for (int k = 0; k < 3; ++k) {
        low[k] = box_at(job, 0)->lo[k];
        high[k] = box_at(job, 0)->hi[k];
    }
    int64_t samples = boxes < SAMPLES ? boxes : SAMPLES;
    for (int64_t i = 0; i < samples; ++i) {
        const toi_box *box = box_at(job, toi_piece_start(boxes, samples, i));
        for (int k = 0; k < 3; ++k) {
            low[k] = box->lo[k] < low[k] ? box->lo[k] : low[k];
            high[k] = box->hi[k] > high[k] ? box->hi[k] : high[k];
        }
    }
    for (int64_t i = 0; i < samples; ++i) {
        const toi_box *box = box_at(job, toi_piece_start(boxes, samples, i));
        double largest = 0, meets = (double)boxes;
        for (int k = 0; k < 3; ++k) {
            if (high[k] == low[k]) // a flat scene: this axis tells nothing
                continue;
            double share = (box->hi[k] - box->lo[k]) / (high[k] - low[k]);
            largest = share > largest ? share : largest;
            meets *= share < 0.5 ? 2 * share : 1;
        }
        longest += largest / (double)samples;
        neighbours += meets / (double)samples;
    }
    return longest > 0.2 && longest <= 1 && neighbours < CROWDED;
}

toi_status toi_search_auto(const toi_broad_job *job)
{
    toi_broad_job chosen = *job;
    int64_t boxes = job->a.count + (job->self ? 0 : job->b.count);
    chosen.workers = fitting_workers(job->workers, boxes);
    if (boxes <= FEW)
        return toi_search_brute(&chosen);
    return are_rods(job, boxes) ? toi_search_interval_tree(&chosen) : toi_search_lbvh(&chosen);
}

int64_t toi_auto_need(int64_t boxes, int workers)
{
    workers = fitting_workers(workers, boxes);
    int64_t tree = toi_search_need(TOI_BROAD_LBVH, boxes, workers);
    int64_t rods = toi_search_need(TOI_BROAD_INTERVAL_TREE, boxes, workers);
    return tree > rods ? tree : rods;
}

// A mesh always gets the tree over its vertices, which needs no boxes.
int toi_auto_mesh_workers(const toi_mesh_counts *counts, int workers)
{
    int64_t boxes = counts->edges + counts->faces;
    return fitting_workers(workers, boxes > counts->vertices ? boxes : counts->vertices);
}
