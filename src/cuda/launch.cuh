// How the stages of a step are run.

#ifndef TOI_CUDA_LAUNCH_CUH
#define TOI_CUDA_LAUNCH_CUH

#include "cuda/mesh.cuh"

// What windows add up to, by toi_kind.
struct toi_window_sums
{
    toi_count tested[2], left[2], windows;
};

// Each leaves what was counted in mesh->step.report. The whole step; the header is set.
toi_status toi_run_whole(toi_card_mesh *mesh, toi_complaint *complaint);
// Up to the boxes.
toi_status toi_run_boxes(toi_card_mesh *mesh, toi_complaint *complaint);
// From the boxes on, after queues have grown.
toi_status toi_run_again(toi_card_mesh *mesh, toi_complaint *complaint);
// The same in windows that fit the queues.
toi_status toi_run_windows(toi_card_mesh *mesh, toi_window_sums *sums, toi_complaint *complaint);
// Puts mesh->count impacts in order.
toi_status toi_run_order(toi_card_mesh *mesh, toi_complaint *complaint);

#endif
