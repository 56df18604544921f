// How the stages of a step are run.

#ifndef TOI_CUDA_LAUNCH_CUH
#define TOI_CUDA_LAUNCH_CUH

#include "cuda/mesh.cuh"

// ---- Pieces of a row of launches

// Notes a stage's end, where stages are timed.
static inline void mark(toi_card_mesh *mesh, const char *stage)
{
    if (!mesh->measure || mesh->marks > TOI_DEVICE_STAGES)
        return;
    cudaEventRecord(mesh->events[mesh->marks], mesh->card->stream);
    if (mesh->marks > 0)
        mesh->stages[mesh->marks - 1] = stage;
    ++mesh->marks;
}

static inline toi_status clear(toi_card_mesh *mesh, void *from, int byte, size_t bytes,
                               toi_complaint *complaint)
{
    return toi_check_cuda(cudaMemsetAsync(from, byte, bytes, mesh->card->stream), "clear memory",
                          complaint);
}

// What the control is set to, from a place on.
static inline toi_status send_header(toi_card_mesh *mesh, size_t from, toi_complaint *complaint)
{
    return toi_check_cuda(
        cudaMemcpyAsync((char *)mesh->step.control + from, (const char *)mesh->header + from,
                        sizeof(toi_control) - from, cudaMemcpyHostToDevice, mesh->card->stream),
        "take the question", complaint);
}

static inline toi_status finish(toi_card_mesh *mesh, toi_complaint *complaint)
{
    TOI_TRY(toi_check_start("start its work", complaint));
    return toi_check_cuda(cudaStreamSynchronize(mesh->card->stream), "finish its work", complaint);
}

// A window's next width: as much as fits, where `n` came of this one.
toi_count toi_next_width(toi_count width, toi_count n, toi_count capacity);

// ---- Steps

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

// ---- Questions

// Where the card reads positions, and a control for a step from there: the header.
toi_status toi_set_sources(toi_card_mesh *mesh, const toi_point_view *start,
                           const toi_point_view *end, double t_max, toi_complaint *complaint);

// Of the marks.
void toi_set_stages(const toi_card_mesh *mesh, toi_device_report *report);

// What the stages of a whole step had to do at least, from what the report has counted and sent.
void toi_set_work(const toi_card_mesh *mesh, toi_device_report *report);

// What the list of the last answer took on its way to the host.
int64_t toi_list_bytes(const toi_card_mesh *mesh);

// What a set of positions takes.
int64_t toi_bytes_sent(const toi_card_mesh *mesh, const toi_point_view *view);

// Solves candidates that are on the card (search->narrow), and hands on what is not separated.
struct toi_finder;
toi_status toi_solve_found(toi_card_mesh *mesh, const toi_finder *f, const toi_card_search *search,
                           toi_count count, toi_device_report *report, toi_complaint *complaint);

toi_status toi_find_pairs_on_card(void *mesh, const toi_card_search *search, toi_card_pairs *pairs,
                                  toi_complaint *complaint);

#endif
