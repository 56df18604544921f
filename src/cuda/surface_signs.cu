// Decides pairs of faces by signs in double precision; what they cannot decide is for the host.

#include "kernel/neighbours.h"
#include "kernel/orientations.h"

#include "cuda/surface.cuh"

enum
{
    SIGN_THREADS = 128,
    SIGN_WARPS = SIGN_THREADS / TOI_WARP
};

static __device__ __forceinline__ void load_scaled(const toi_surface_step *s, double scale,
                                                   int32_t vertex, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = s->positions[3 * (int64_t)vertex + k] * scale;
}

static __device__ __forceinline__ double scale_of(const toi_surface_control *c)
{
    return toi_surface_frame_of(c).face.scale;
}

// ---- Pairs that share no vertex

static __global__ void __launch_bounds__(SIGN_THREADS)
    decide(const __grid_constant__ toi_surface_step s)
{
    __shared__ double scale;
    const toi_surface_control *c = s.control;
    if (c->infinite)
        return;
    if (threadIdx.x == 0)
        scale = scale_of(c);
    __syncthreads();
    toi_count n = toi_least(c->window.left.n, s.left_capacity);
    toi_count threads = (toi_count)gridDim.x * SIGN_THREADS;
    for (toi_count i = (toi_count)blockIdx.x * SIGN_THREADS + threadIdx.x; i < n; i += threads) {
        uint2 pair = s.left[i];
        int4 a = s.corners[pair.x], b = s.corners[pair.y];
        double x[2][3][3], p[TOI_FACE_DIFFERENCES][3];
        const double error = 0; // what scaling loses is below the bound's constant term
        toi_mask apart, crossing;
        load_scaled(&s, scale, a.x, x[0][0]);
        load_scaled(&s, scale, a.y, x[0][1]);
        load_scaled(&s, scale, a.z, x[0][2]);
        load_scaled(&s, scale, b.x, x[1][0]);
        load_scaled(&s, scale, b.y, x[1][1]);
        load_scaled(&s, scale, b.z, x[1][2]);
        toi_take_differences(x, p);
        toi_judge_faces(p, &error, &apart, &crossing);
        toi_add_overlap(&s, crossing != 0, a.w, b.w, TOI_OVERLAP_CROSSING);
        toi_add_hard(&s, !crossing && !apart, a.w, b.w);
    }
}

void toi_start_signs(const toi_card *card, const toi_surface_step *step)
{
    decide<<<card->fillings.signs, SIGN_THREADS, 0, card->stream>>>(*step);
}

// ---- Pairs that share a vertex

static __device__ __forceinline__ bool names(const int32_t *row, int32_t vertex)
{
    return row[0] == vertex || row[1] == vertex || row[2] == vertex;
}

static __device__ __forceinline__ bool names_twice(const int32_t *row)
{
    return row[0] == row[1] || row[1] == row[2] || row[2] == row[0];
}

// A pair belongs to the first vertex that it shares; and where any of them is embedded, it is
// decided.
static __device__ __forceinline__ bool is_elsewhere(const toi_surface_step *s, const int32_t *a,
                                                    const int32_t *b, int32_t vertex)
{
    bool elsewhere = false;
    for (int c = 0; c < 3; ++c)
        if (a[c] != vertex && names(b, a[c]))
            elsewhere = elsewhere || a[c] < vertex || s->embedded[a[c]];
    return elsewhere;
}

// Corners of a face that are not the vertex, those that the other face names first; returns how
// many these are.
static __device__ __forceinline__ int sort_corners(const int32_t *row, const int32_t *other,
                                                   int32_t vertex, int32_t out[2])
{
    int corner = row[0] == vertex ? 0 : row[1] == vertex ? 1 : 2;
    int32_t u = row[(corner + 1) % 3], v = row[(corner + 2) % 3];
    bool first = names(other, u), second = names(other, v);
    out[0] = !first && second ? v : u;
    out[1] = !first && second ? u : v;
    return first + second;
}

enum verdict
{
    APART,
    OVERLAP,
    UNSURE
};

static __device__ __forceinline__ void load_from(const toi_surface_step *s, double scale,
                                                 int32_t vertex, const double centre[3],
                                                 double out[3])
{
    load_scaled(s, scale, vertex, out);
    for (int k = 0; k < 3; ++k)
        out[k] -= centre[k];
}

// Of faces that share one or two vertices and name none twice.
static __device__ __forceinline__ verdict judge(const toi_surface_step *s, double scale,
                                                int32_t vertex, int shared, const int32_t a[2],
                                                const int32_t b[2])
{
    double centre[3], p[4][3];
    load_scaled(s, scale, vertex, centre);
    load_from(s, scale, a[0], centre, p[0]);
    load_from(s, scale, a[1], centre, p[1]);
    load_from(s, scale, b[1], centre, p[2]);
    if (shared == 2) // a[0] is b[0]
        return toi_apart_at_edge(p) ? APART : UNSURE;
    toi_mask apart, overlap;
    load_from(s, scale, b[0], centre, p[3]);
    toi_judge_at_vertex(p, &apart, &overlap);
    return apart ? APART : overlap ? OVERLAP : UNSURE;
}

// Two faces of the star of `vertex`.
static __device__ void decide_neighbours(const toi_surface_step *s, double scale, int32_t vertex,
                                         int32_t fa, int32_t fb, bool real)
{
    const int32_t *a = s->faces + 3 * (int64_t)fa, *b = s->faces + 3 * (int64_t)fb;
    int32_t a_others[2], b_others[2];
    real = real && !is_elsewhere(s, a, b, vertex);
    int shared = 1 + sort_corners(a, b, vertex, a_others);
    sort_corners(b, a, vertex, b_others);
    bool twice = names_twice(a) || names_twice(b);
    verdict v = UNSURE;
    if (real && !twice)
        v = shared == 3 ? OVERLAP : judge(s, scale, vertex, shared, a_others, b_others);
    toi_add_overlap(s, real && v == OVERLAP, fa, fb,
                    shared == 3 ? TOI_OVERLAP_SAME : TOI_OVERLAP_VERTEX);
    toi_add_hard(s, real && v == UNSURE, fa, fb);
    toi_count places = toi_take_places(&s->control->neighbours.n, real);
    (void)places; // they are only counted
}

// A warp takes a piece: pairs number `first` on of all pairs of n faces, in which those of faces i
// and i + 1, around, come first, then i and i + 2 and so on.
static __global__ void __launch_bounds__(SIGN_THREADS)
    neighbours(const __grid_constant__ toi_surface_step s)
{
    __shared__ double scale;
    const toi_surface_control *c = s.control;
    if (c->infinite || c->large)
        return;
    if (threadIdx.x == 0)
        scale = scale_of(c);
    __syncthreads();
    toi_count n = toi_least(c->broken.n, s.broken_capacity);
    toi_count warps = (toi_count)gridDim.x * SIGN_WARPS;
    toi_count warp = (toi_count)blockIdx.x * SIGN_WARPS + threadIdx.x / TOI_WARP;
    for (toi_count i = warp; i < n; i += warps) {
        uint2 piece = s.broken[i];
        toi_star star = s.stars[piece.x];
        const int32_t *own = s.pool + star.first;
        uint32_t faces = (uint32_t)star.faces, pairs = faces * (faces - 1) / 2;
        uint32_t end = piece.y + TOI_STAR_PIECE < pairs ? piece.y + TOI_STAR_PIECE : pairs;
        for (uint32_t first = piece.y; first < end; first += TOI_WARP) {
            bool real = first + toi_lane() < end;
            uint32_t pair = real ? first + toi_lane() : first;
            uint32_t one = pair % faces, other = (one + pair / faces + 1) % faces;
            decide_neighbours(&s, scale, (int32_t)piece.x, own[one], own[other], real);
        }
    }
}

void toi_start_neighbours(const toi_card *card, const toi_surface_step *step)
{
    neighbours<<<card->fillings.neighbours, SIGN_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_signs(toi_card *card, toi_complaint *complaint)
{
    TOI_TRY(toi_fill(card, decide, SIGN_THREADS, &card->fillings.signs, complaint));
    return toi_fill(card, neighbours, SIGN_THREADS, &card->fillings.neighbours, complaint);
}
