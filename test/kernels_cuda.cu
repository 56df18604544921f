// The filters of the `exact` ladder on a CUDA device, one thread a query, against the same
// functions on the host: every number must have the same bits. Compiled twice: the stages in
// double, and with TOI_SINGLE those that come before them, in single precision. Without a device it
// only compiles.

#ifdef TOI_SINGLE
#include "kernel/bounds.h"
#include "kernel/single.h"
#else
#include "kernel/fixed_contact.h"
#include "kernel/normal.h"
#include "kernel/root_time.h"
#include "kernel/rounding.h"
#endif

#include "toi/random.h"

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum
{
    QUERIES = 1 << 18,
    BLOCK = 128
};

struct query
{
    double points[2][4][3]; // as in toi_query
    double t_max;
};

#ifdef TOI_SINGLE
// What the filters in single precision say.
struct findings
{
    toi_pair_motion motion;
    int32_t wild, axes, directions;
    float bounds[2][2][2][3]; // of both primitives, at both ends, low and minus high
    int32_t boxes, boxes_early;
};

TOI_INLINE float bound_below(double x)
{
    float nearest = (float)x, least = x != 0 ? 0x1p-126f : 0;
    return toi_round_bound(&nearest, &least);
}

TOI_INLINE void take_bounds(const double (*corners)[3], int count, float bounds[2][3])
{
    for (int k = 0; k < 3; ++k) {
        double low = corners[0][k], high = low;
        for (int c = 1; c < count; ++c) {
            low = corners[c][k] < low ? corners[c][k] : low;
            high = corners[c][k] > high ? corners[c][k] : high;
        }
        bounds[0][k] = bound_below(low);
        bounds[1][k] = bound_below(-high);
    }
}

TOI_INLINE int32_t boxes_apart(const findings *f, int early, float t)
{
    int32_t apart = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k) {
            float a[2] = {f->bounds[0][0][side][k], f->bounds[0][1][side][k]};
            float b[2] = {f->bounds[1][0][1 - side][k], f->bounds[1][1][1 - side][k]};
            apart |= toi_bounds_apart(a, b, early, &t);
        }
    return apart;
}

TOI_INLINE void climb(int edge_edge, query *q, findings *f)
{
    int first = edge_edge ? 2 : 1;
    float separation = toi_round_separation(0);
    toi_take_single_motion(edge_edge, q->points, q->t_max, &f->motion);
    f->wild = toi_measure_single(&f->motion);
    f->axes = toi_axes_separated(edge_edge, &f->motion, &separation);
    f->directions = toi_separated(edge_edge, &f->motion, &separation);
    for (int end = 0; end < 2; ++end) {
        take_bounds(q->points[end], first, f->bounds[0][end]);
        take_bounds(q->points[end] + first, 4 - first, f->bounds[1][end]);
    }
    f->boxes = boxes_apart(f, 0, 1);
    f->boxes_early = boxes_apart(f, 1, toi_float_above(q->t_max));
}

static bool decides(const findings *f)
{
    return !f->wild && (f->axes || f->directions);
}
#else
// What the stages in double say.
struct findings
{
    toi_mask axes, axes_early, directions;
    toi_cubic cubic;
    toi_root_count roots, pieces[3];
    double cuts[4];
    double root[3], radius[3], time[3];
    toi_inside inside[3];
    toi_mask certain[3];
    toi_contact_place place;
    double normal[3];
    int64_t verdict; // of the whole numbers, and the time that they find
    double first;
    double low, high; // of a box, rounded outward
};

TOI_INLINE void take_normal(int edge_edge, const query *q, findings *f)
{
    const toi_contact_place *p = &f->place;
    toi_hit_place at = {q->points[0][0], q->points[1][0], q->t_max, p->u, p->v};
    toi_contact_frame frame;
    frame.e_size = p->e_size;
    frame.g_size = p->g_size;
    for (int k = 0; k < 3; ++k) {
        frame.e[k] = p->e[k];
        frame.g[k] = p->g[k];
        frame.speed[k] = p->speed[k];
        f->normal[k] = 0;
    }
    toi_find_normal(edge_edge, &at, &frame, f->normal);
}

TOI_INLINE void climb(int edge_edge, query *q, findings *f)
{
    double none = 0, shrink;
    toi_pair_motion m;
    toi_reach reach;
    f->axes = toi_axes_apart(edge_edge, q->points, NULL, &none);
    f->axes_early = toi_axes_apart(edge_edge, q->points, &q->t_max, &none);
    toi_take_scaled_motion(edge_edge, q->points, &shrink, &m);
    f->directions = toi_axes_separated(edge_edge, &m, &none) | toi_separated(edge_edge, &m, &none);
    toi_take_reach(&m, &reach);
    toi_take_cubic(&m, &reach, &f->cubic);
    f->roots = toi_count_roots(f->cubic.c, &f->cubic.end_error, &f->cubic.error);
    f->cuts[0] = 0;
    f->cuts[3] = 1;
    toi_cut_step(&f->cubic, &f->cuts[1], &f->cuts[2]);
    for (int i = 0; i < 3; ++i) {
        double *from = &f->cuts[i], *to = &f->cuts[i + 1];
        f->pieces[i] = toi_count_piece_roots(&f->cubic, from, to);
        f->inside[i] =
            toi_judge_root(edge_edge, &m, &reach, &f->cubic, from, to, &f->root[i], &f->radius[i]);
        f->certain[i] = toi_find_root_time(edge_edge, q->points, &shrink, &m, &f->cubic,
                                           &f->root[i], &f->radius[i], &f->time[i]);
    }
    toi_settle_contact_place(edge_edge, &m, &q->t_max, &f->place);
    take_normal(edge_edge, q, f);
    f->verdict = toi_decide_fixed(edge_edge, q->points[0][0], q->points[1][0], 1, &f->first);
    f->low = toi_subtract_down(q->points[0][0][0], q->t_max);
    f->high = toi_add_up(q->points[0][0][0], q->t_max);
}

// A contact with its time to the last bit: all rungs before it were climbed.
static bool decides(const findings *f)
{
    for (int i = 0; i < 3; ++i)
        if (f->pieces[i].one && f->inside[i].in && f->certain[i])
            return true;
    return false;
}
#endif

__global__ void climb_all(int edge_edge, query *queries, findings *found, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        climb(edge_edge, &queries[i], &found[i]);
}

// ---- Queries

// Points near each other that cross over: smooth numbers, small whole ones, so that much is
// degenerate, and others of any size, up to where differences overflow.
static void make_query(toi_random *random, query *q)
{
    static const double sizes[] = {1, 1, 1, 0x1p-1060, 0x1p-300, 0x1p300, 0x1p1023};
    static const double origins[] = {0, 0, 1e3, -1e9};
    bool whole = toi_random_below(random, 3) == 0, flat = toi_random_below(random, 8) == 0;
    double size = sizes[toi_random_below(random, 7)], away = origins[toi_random_below(random, 4)];
    away = size == 1 ? away : 0;
    for (int i = 0; i < 24; ++i) {
        double x = 2 * toi_random_unit(random) - 1;
        x = whole ? (double)(int)(4 * x) / 4 : x;
        x = flat && i % 3 == 2 ? 0 : x;
        q->points[i / 12][i / 3 % 4][i % 3] = x * size + away;
    }
    q->t_max = toi_random_below(random, 2) ? toi_random_unit(random) : 0x1p-10;
    for (int i = 0; i < 12 && toi_random_below(random, 2); ++i) // others move little
        q->points[1][i / 3][i % 3] = q->points[0][i / 3][i % 3] + 0x1p-8 * size;
}

// Numbers that differ, as what findings are made of; a NaN is any NaN.
static int differences(const findings *a, const findings *b)
{
    static_assert(sizeof(findings) % sizeof(toi_number) == 0, "numbers and masks of one size");
    int count = 0;
    for (size_t at = 0; at < sizeof *a; at += sizeof(toi_number)) {
        toi_number x, y;
        memcpy(&x, (const char *)a + at, sizeof x);
        memcpy(&y, (const char *)b + at, sizeof y);
        count += memcmp(&x, &y, sizeof x) != 0 && !(x != x && y != y);
    }
    return count;
}

static int check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        printf("FAIL: %s: %s\n", what, cudaGetErrorString(error));
    return error != cudaSuccess;
}

static int compare(int edge_edge, std::vector<query> &queries)
{
    query *q;
    findings *f;
    std::vector<findings> found(QUERIES);
    size_t query_bytes = QUERIES * sizeof *q, found_bytes = QUERIES * sizeof *f;
    if (check(cudaMalloc((void **)&q, query_bytes), "memory for queries") ||
        check(cudaMalloc((void **)&f, found_bytes), "memory for findings") ||
        check(cudaMemset(f, 0, found_bytes), "clearing") ||
        check(cudaMemcpy(q, queries.data(), query_bytes, cudaMemcpyHostToDevice), "queries"))
        return 1;
    climb_all<<<QUERIES / BLOCK, BLOCK>>>(edge_edge, q, f, QUERIES);
    if (check(cudaGetLastError(), "starting the filters") ||
        check(cudaMemcpy(found.data(), f, found_bytes, cudaMemcpyDeviceToHost), "findings"))
        return 1;
    int wrong = 0, decided = 0;
    for (int i = 0; i < QUERIES; ++i) {
        findings expected;
        memset(&expected, 0, sizeof expected);
        climb(edge_edge, &queries[i], &expected);
        wrong += differences(&expected, &found[i]) != 0;
        decided += decides(&expected);
    }
    cudaFree(q);
    cudaFree(f);
    printf("%s: %d queries, %d decided, %d differ\n", edge_edge ? "edge-edge" : "vertex-face",
           QUERIES, decided, wrong);
    return wrong != 0 || decided < QUERIES / 64; // filters that decide nothing would pass too
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("no CUDA device: compiled only\n0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    toi_random random = {7};
    std::vector<query> queries(QUERIES);
    for (query &q : queries)
        make_query(&random, &q);
    int failed = compare(0, queries) + compare(1, queries);
    printf("%d passed, %d failed\n", 2 - failed, failed);
    return failed != 0;
}
