// Lists of queries on a card, a part at a time.

#ifndef TOI_CUDA_QUERIES_CUH
#define TOI_CUDA_QUERIES_CUH

#include "cuda/step.cuh"

// How many numbers the lists of a part have.
struct toi_query_counts
{
    toi_count left, knots, hits, hard;
};

// Queries that are solved together, and which of them have come how far.
struct toi_query_part
{
    const toi_query *queries;
    toi_query_result *results;
    uint32_t *left, *knots, *hits; // numbers of queries, in any order
    toi_query_counts *counts;
    uint32_t count;
    int32_t edge_edge;
    double t_max;
    int32_t all_roots;
};

// Sets all results to separated; lists what the filter in single precision leaves.
void toi_start_query_filter(const toi_card *card, const toi_query_part *part);

// `inclusion-queue` (inclusion.cu): its filter, and its search for what that leaves.
void toi_start_queue_filter(const toi_card *card, const toi_query_part *part,
                            const toi_narrow_def *def);
toi_status toi_search_part(toi_card *card, const toi_query_part *part, const toi_narrow_def *def,
                           toi_complaint *complaint);

// Candidates of a scene that become queries.
struct toi_gathering
{
    const uint2 *pairs;
    uint32_t count;
    int32_t edge_edge;
    const double2 *positions; // as toi_step has them
    const int32_t *edges, *faces;
    toi_query *queries; // of the candidates that are left
    uint2 *names;       // and which they are
    toi_count *kept;    // how many; goes on past the capacity
    toi_count capacity;
};

// Drops those that a direction separates by more than `separation` in single precision.
void toi_start_gather(const toi_card *card, const toi_gathering *gathering, double separation);

// The queries of `list` by one method of a narrow phase; hard ones get the state TOI_STATE_COUNT.
toi_status toi_solve_on_card(void *card, const toi_card_list *list, toi_device_report *report,
                             toi_complaint *complaint);

#endif
