// The coordinates and the numbers of a pair of slots.

#ifndef TOI_CUDA_QUERY_CUH
#define TOI_CUDA_QUERY_CUH

#include "cuda/step.cuh"

enum
{
    TOI_CROWD = 1024, // as many impacts as a bin may have
    TOI_DENSE = 128   // and where their order is found while the list is written
};

struct toi_slot_pair
{
    bool edge_edge;
    int4 a, b; // corners, and the primitive's number in w
};

static __device__ __forceinline__ toi_slot_pair toi_find_slots(const toi_step *s, uint2 pair)
{
    toi_slot_pair found;
    found.edge_edge = (pair.x & TOI_EDGE_BIT) != 0;
    found.a = s->slots[found.edge_edge ? TOI_EDGE : TOI_VERTEX].corners[pair.x & ~TOI_EDGE_BIT];
    found.b = s->slots[found.edge_edge ? TOI_EDGE : TOI_FACE].corners[pair.y];
    if (found.edge_edge && found.a.w > found.b.w) { // the lower edge is the first
        int4 a = found.a;
        found.a = found.b;
        found.b = a;
    }
    return found;
}

static __device__ __forceinline__ void toi_load_points(const toi_step *s, const toi_slot_pair *p,
                                                       double points[2][4][3])
{
    bool ee = p->edge_edge;
    int corners[4] = {p->a.x, ee ? p->a.y : p->b.x, ee ? p->b.x : p->b.y, ee ? p->b.y : p->b.z};
#pragma unroll
    for (int c = 0; c < 4; ++c) {
        const double2 *at = s->positions + 3 * (int64_t)corners[c];
        double2 x = at[0], y = at[1], z = at[2];
        points[0][c][0] = x.x;
        points[0][c][1] = x.y;
        points[0][c][2] = y.x;
        points[1][c][0] = y.y;
        points[1][c][1] = z.x;
        points[1][c][2] = z.y;
    }
}

static __device__ __forceinline__ toi_count toi_key_of(const toi_slot_pair *p)
{
    return (toi_count)((uint32_t)p->a.w | (p->edge_edge ? TOI_EDGE_BIT : 0)) << 32 |
           (uint32_t)p->b.w;
}

// What puts an impact of these primitives in order: it draws a rank among those of its bin.
static __device__ __forceinline__ toi_hit_order toi_draw_order(const toi_step *s, bool edge_edge,
                                                               int first, int second)
{
    toi_hit_order order = {(uint32_t)(edge_edge ? s->vertex_count + first : first),
                           (uint32_t)second, 0, -1};
    order.rank = atomicAdd(&s->bins[order.bin], 1u);
    return order;
}

// Notes it for what is at this place of the queue of hits.
static __device__ __forceinline__ void toi_note_order(const toi_step *s, toi_count at,
                                                      const toi_hit_order &order)
{
    s->orders[at] = order;
    if (order.rank < TOI_DENSE)
        return;
    s->control->dense = 1;
    if (order.rank >= TOI_CROWD)
        s->control->crowded = 1;
}

// A place for each lane that has a hit, of those of vertices or of edges: the lanes that are active
// wait for one atomic operation.
static __device__ __forceinline__ toi_count toi_take_hit_places(toi_tally hits[2], bool hit,
                                                                bool edge_edge)
{
    unsigned active = __activemask();
    unsigned vertices = __ballot_sync(active, hit && !edge_edge);
    unsigned edges = __ballot_sync(active, hit && edge_edge), mine = edge_edge ? edges : vertices;
    int leader = hit ? __ffs(mine) - 1 : toi_lane();
    toi_count at = 0;
    if (hit && toi_lane() == leader)
        at = atomicAdd(&hits[edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE].n,
                       (toi_count)__popc(mine));
    return __shfl_sync(active, at, leader) + __popc(mine & toi_lanes_before());
}

// Lets the host know that a list comes soon; by one thread of a kernel.
static __device__ __forceinline__ void toi_announce_list(const toi_step *s)
{
    if (s->pack && blockIdx.x == 0 && threadIdx.x == 0)
        *(volatile toi_count *)&s->arrival->soon = s->control->number;
}

// Returns whether it is the one that is wanted.
static __device__ __forceinline__ bool toi_note_tie(toi_control *c, toi_count key)
{
    if (c->ties == 1)
        toi_lower(&c->least, key);
    return c->ties == 2 && key == c->least;
}

// Notes a contact whose time, which is not negative, is known; or, with a radius, whose root is
// within it and in time. EARLIEST: what is later than the earliest so far does not matter any more.
template <bool EARLIEST>
static __device__ __forceinline__ void toi_note_hit(const toi_step *s, uint2 pair,
                                                    const toi_slot_pair *p, bool hit, double time,
                                                    float radius = -1)
{
    toi_control *c = s->control;
    hit = hit && (radius >= 0 || time <= toi_limit_of(c));
    if (EARLIEST && c->ties && hit && (toi_count)__double_as_longlong(time) == c->tied)
        hit = toi_note_tie(c, toi_key_of(p));
    // The other end, which may be in use, is left alone. This, a rank and a place are asked for at
    // once: each takes as long as all of them. Where there is no place the rank does not matter.
    toi_count others = hit ? *(volatile toi_count *)&c->hits[!p->edge_edge].n : 0;
    toi_hit_order order = {0, 0, 0, -1};
    if (!EARLIEST && hit)
        order = toi_draw_order(s, p->edge_edge, p->a.w, p->b.w);
    toi_count place = toi_take_hit_places(c->hits, hit, p->edge_edge);
    if (!hit)
        return;
    if (EARLIEST)
        toi_lower(&c->limit, (toi_count)__double_as_longlong(time));
    if (place + others >= s->hit_capacity)
        return;
    toi_count at = p->edge_edge ? s->hit_capacity - 1 - place : place;
    s->hits[at] = {pair.x, pair.y, time};
    order.radius = radius;
    if (!EARLIEST)
        toi_note_order(s, at, order);
}

// Leaves a pair to the host, with its positions.
inline __device__ __noinline__ void toi_hand_over(const toi_step *s, const toi_slot_pair *p,
                                                  const double points[2][4][3])
{
    toi_count at = atomicAdd(&s->control->hard.n, (toi_count)1);
    if (at >= s->hard_capacity)
        return;
    s->hard[at] = {p->edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE, p->a.w, p->b.w};
    double *to = &s->queries[at].start[0][0]; // the end follows the start
    for (int i = 0; i < 24; ++i)
        to[i] = points[i / 12][i / 3 % 4][i % 3];
}

inline __device__ __noinline__ void toi_leave_to_host(const toi_step *s, const toi_slot_pair *p)
{
    double points[2][4][3];
    toi_load_points(s, p, points);
    toi_hand_over(s, p, points);
}

// A pair starts at its separation or closer: counts it. Returns true where it is left to the host
// instead.
static __device__ __forceinline__ bool toi_note_inside(const toi_step *s, const toi_slot_pair *p)
{
    toi_control *c = s->control;
    if (c->policy.asked.leave_inside) {
        toi_leave_to_host(s, p);
        return true;
    }
    atomicAdd(&c->inside, (toi_count)1);
    toi_lower(&c->first_inside, toi_key_of(p));
    return false;
}

// Up to when pairs are to be looked at: what is small is not the last word on its pair.
static __device__ __forceinline__ double toi_search_limit(const toi_control *c)
{
    return fmax(toi_limit_of(c), c->policy.asked.small_time);
}

#endif
