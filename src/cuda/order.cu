// The order of the primitives: along a Hilbert curve through the middles of their boxes.

#include "cuda/curve.cuh"
#include "cuda/mesh.cuh"
#include "cuda/sort.cuh"

enum
{
    ORDER_THREADS = 256
};

// Which primitive number i is: vertices, edges, faces.
struct primitive
{
    int kind;
    int64_t number;
};

static __device__ __forceinline__ primitive find_primitive(const toi_step *s, int64_t i)
{
    int64_t vertices = s->vertex_count, edges = s->slots[TOI_EDGE].count;
    if (i < vertices)
        return {TOI_VERTEX, i};
    return i < vertices + edges ? primitive{TOI_EDGE, i - vertices}
                                : primitive{TOI_FACE, i - vertices - edges};
}

struct topology
{
    const int32_t *edges, *faces, *groups;
};

static __device__ __forceinline__ int4 find_corners(const topology &t, primitive p)
{
    int n = (int)p.number;
    if (p.kind == TOI_VERTEX)
        return make_int4(n, -1, -1, n);
    if (p.kind == TOI_EDGE)
        return make_int4(t.edges[2 * p.number], t.edges[2 * p.number + 1], -1, n);
    return make_int4(t.faces[3 * p.number], t.faces[3 * p.number + 1], t.faces[3 * p.number + 2],
                     n);
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    take_keys(const __grid_constant__ toi_step s, topology t, int64_t count, uint32_t *keys,
              uint32_t *numbers)
{
    __shared__ toi_frame frame;
    __shared__ float widest;
    if (threadIdx.x == 0) {
        frame = toi_frame_of(s.control);
        widest = toi_widest_steps(frame.steps);
    }
    __syncthreads();
    int64_t i = (int64_t)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= count)
        return;
    primitive p = find_primitive(&s, i);
    int4 corners = find_corners(t, p);
    float low[3], high[3];
    for (int c = 0; c <= p.kind; ++c) {
        int v = c == 0 ? corners.x : c == 1 ? corners.y : corners.z;
        const double2 *at = s.positions + 3 * (int64_t)v;
        double2 a = at[0], b = at[1], d = at[2];
        double x[6] = {a.x, a.y, b.x, b.y, d.x, d.y};
        for (int k = 0; k < 3; ++k) {
            float y = (float)toi_into_frame(&frame, x[k], k);
            float z = (float)toi_into_frame(&frame, x[3 + k], k);
            low[k] = c ? fminf(low[k], fminf(y, z)) : fminf(y, z);
            high[k] = c ? fmaxf(high[k], fmaxf(y, z)) : fmaxf(y, z);
        }
    }
    keys[i] = (uint32_t)p.kind << 30 | toi_curve_key(low, high, frame.low, widest);
    numbers[i] = (uint32_t)p.number;
}

// The group that all corners have, or -1.
static __device__ int32_t body_of(const int32_t *groups, int4 corners)
{
    int32_t body = groups[corners.x];
    if (corners.y >= 0 && groups[corners.y] != body)
        body = -1;
    return corners.z >= 0 && groups[corners.z] != body ? -1 : body;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    fill_slots(const __grid_constant__ toi_step s, topology t, int64_t count,
               const uint32_t *numbers)
{
    int64_t i = (int64_t)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= count)
        return;
    primitive p = find_primitive(&s, i); // of its kind, the place in the order
    int4 corners = find_corners(t, {p.kind, (int64_t)numbers[i]});
    const toi_slots *slots = &s.slots[p.kind];
    slots->corners[p.number] = corners;
    if (slots->bodies)
        slots->bodies[p.number] = body_of(t.groups, corners);
}

toi_status toi_start_slots(toi_card_mesh *mesh, toi_complaint *complaint)
{
    const toi_step *s = &mesh->step;
    int64_t count = s->vertex_count + s->slots[TOI_EDGE].count + s->slots[TOI_FACE].count;
    TOI_TRY(
        toi_make_room(mesh->card, &mesh->order_scratch, toi_key_sort_scratch(count), complaint));
    toi_key_sort sort = toi_cut_key_sort(&mesh->order_scratch, count);
    unsigned blocks = (unsigned)((count + ORDER_THREADS - 1) / ORDER_THREADS);
    topology t = {mesh->edges, mesh->faces, mesh->groups};
    cudaStream_t stream = mesh->card->stream;
    take_keys<<<blocks, ORDER_THREADS, 0, stream>>>(*s, t, count, sort.keys[0], sort.numbers[0]);
    TOI_TRY(toi_start_sort_of(mesh->card, &sort, count, 32, complaint));
    fill_slots<<<blocks, ORDER_THREADS, 0, stream>>>(*s, t, count, sort.numbers[1]);
    return TOI_OK;
}
