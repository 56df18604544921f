// The order of the primitives: along a Hilbert curve through the middles of their boxes.

#include "cuda/curve.cuh"
#include "cuda/mesh.cuh"

#include <cub/device/device_radix_sort.cuh>

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
        float least = 0x1p120f; // steps are few where an axis is wide
        for (int k = 0; k < 3; ++k)
            least = frame.steps[k] > 0 ? fminf(least, frame.steps[k]) : least;
        widest = least;
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
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
        float middle = 0.5f * (low[k] + high[k]) - frame.low[k];
        cell[k] = (uint32_t)fminf(fmaxf(middle * widest * (1.0f / 32), 0.0f), 1023.0f);
    }
    keys[i] = (uint32_t)p.kind << 30 | toi_hilbert(cell[0], cell[1], cell[2]);
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

size_t toi_slots_scratch(int64_t primitives)
{
    size_t own = 0, line = 256;
    cub::DeviceRadixSort::SortPairs(NULL, own, (uint32_t *)NULL, (uint32_t *)NULL, (uint32_t *)NULL,
                                    (uint32_t *)NULL, primitives);
    return own + 4 * ((size_t)primitives * sizeof(uint32_t) + line);
}

toi_status toi_start_slots(toi_card_mesh *mesh, toi_complaint *complaint)
{
    const toi_step *s = &mesh->step;
    int64_t count = s->vertex_count + s->slots[TOI_EDGE].count + s->slots[TOI_FACE].count;
    size_t array = ((size_t)count * sizeof(uint32_t) + 255) / 256 * 256;
    TOI_TRY(toi_make_room(mesh->card, &mesh->order_scratch, toi_slots_scratch(count), complaint));
    char *at = (char *)mesh->order_scratch.data;
    uint32_t *keys[2] = {(uint32_t *)at, (uint32_t *)(at + array)};
    uint32_t *numbers[2] = {(uint32_t *)(at + 2 * array), (uint32_t *)(at + 3 * array)};
    size_t own = mesh->order_scratch.bytes - 4 * array;
    unsigned blocks = (unsigned)((count + ORDER_THREADS - 1) / ORDER_THREADS);
    topology t = {mesh->edges, mesh->faces, mesh->groups};
    cudaStream_t stream = mesh->card->stream;
    take_keys<<<blocks, ORDER_THREADS, 0, stream>>>(*s, t, count, keys[0], numbers[0]);
    TOI_TRY(toi_check_cuda(cub::DeviceRadixSort::SortPairs(at + 4 * array, own, keys[0], keys[1],
                                                           numbers[0], numbers[1], count, 0, 32,
                                                           stream),
                           "sort primitives", complaint));
    fill_slots<<<blocks, ORDER_THREADS, 0, stream>>>(*s, t, count, numbers[1]);
    return TOI_OK;
}
