// Contacts: the roots of D, whether they are inside, and when, in double precision and beyond.
//
// A warp looks at 32 pairs at a time. Those with several roots, and contacts whose time is wanted,
// wait in shared memory until there are 32 of them. What cannot be told goes to the queue of knots.

#define TOI_FUSED
#include "cuda/contact_time.cuh"

#include "cuda/scout.cuh"

enum
{
    CONTACT_THREADS = 128,
    CONTACT_WARPS = CONTACT_THREADS / TOI_WARP
};

struct contact_warp
{
    uint2 folded[64], pairs[96];
    toi_root_found roots[96];
};

static __device__ __forceinline__ int look(const toi_step *s, uint2 pair, bool folded, double limit,
                                           toi_root_found *found)
{
    toi_climber c;
    toi_slot_pair p = toi_find_slots(s, pair);
    toi_load_points(s, &p, c.points);
    toi_take_climber(p.edge_edge, &c);
    return folded ? toi_climb_folded(p.edge_edge, &c, limit, found)
                  : toi_climb_first(p.edge_edge, &c, limit, found);
}

static __device__ __forceinline__ void note_knot(const toi_step *s, uint2 pair, bool knot)
{
    toi_count at = toi_take_places(&s->control->window.knots.n, knot);
    if (knot && at < s->knot_capacity)
        s->knots[at] = pair;
}

// Counts of what waits in a warp's shared memory.
struct waiting
{
    uint32_t folded, contacts;
};

template <bool EARLIEST>
static __device__ __forceinline__ double limit_now(const toi_step *s, double at_start)
{
    return EARLIEST ? toi_limit_of(s->control) : at_start;
}

// Puts what `many` lanes found where it belongs.
static __device__ __forceinline__ void sort_out(const toi_step *s, contact_warp &w, waiting *n,
                                                uint2 pair, int verdict,
                                                const toi_root_found *found)
{
    __syncwarp();
    unsigned contact = __ballot_sync(TOI_ALL_LANES, verdict == TOI_VERDICT_CONTACT);
    unsigned folded = __ballot_sync(TOI_ALL_LANES, verdict == TOI_VERDICT_FOLDED);
    if (verdict == TOI_VERDICT_CONTACT) {
        uint32_t at = n->contacts + __popc(contact & toi_lanes_before());
        w.pairs[at] = pair;
        w.roots[at] = *found;
    }
    if (verdict == TOI_VERDICT_FOLDED)
        w.folded[n->folded + __popc(folded & toi_lanes_before())] = pair;
    n->contacts += __popc(contact);
    n->folded += __popc(folded);
    note_knot(s, pair, verdict == TOI_VERDICT_KNOT);
    __syncwarp();
}

template <bool EARLIEST, bool LATE>
static __device__ __forceinline__ void time_contacts(const toi_step *s, contact_warp &w, waiting *n,
                                                     double at_start)
{
    uint32_t many = n->contacts < TOI_WARP ? n->contacts : TOI_WARP;
    n->contacts -= many;
    if (toi_lane() < many) {
        uint2 pair = w.pairs[n->contacts + toi_lane()];
        toi_root_found found = w.roots[n->contacts + toi_lane()];
        toi_slot_pair p = toi_find_slots(s, pair);
        double time = found.root;
        float radius = -1;
        int verdict = TOI_VERDICT_APART;
        if (LATE) {
            // The floor of a root that is at most the limit, but for a rounding, is at most the
            // limit.
            bool in_time = found.root + found.radius <= at_start;
            verdict = in_time ? TOI_VERDICT_CONTACT : TOI_VERDICT_KNOT;
            radius = __double2float_ru(found.radius);
        } else if (!EARLIEST || found.root - found.radius <= limit_now<EARLIEST>(s, at_start))
            verdict = toi_look_for_time(s, &p, &found, &time);
        toi_note_hit<EARLIEST>(s, pair, &p, verdict == TOI_VERDICT_CONTACT, time, radius);
        note_knot(s, pair, verdict == TOI_VERDICT_KNOT);
    }
    __syncwarp();
}

// Times take more registers than roots.
template <bool EARLIEST, bool LATE>
static __global__ void __launch_bounds__(CONTACT_THREADS, LATE ? 4 : 3)
    contacts(const __grid_constant__ toi_step s)
{
    __shared__ contact_warp warps[CONTACT_WARPS];
    if (s.control->infinite)
        return;
    if (!EARLIEST)
        toi_announce_list(&s);
    contact_warp &w = warps[threadIdx.x / TOI_WARP];
    toi_count n = toi_least(toi_left_count(&s.control->window), s.left_capacity);
    toi_count step = (toi_count)gridDim.x * CONTACT_THREADS;
    toi_count base = (toi_count)blockIdx.x * CONTACT_THREADS + threadIdx.x / TOI_WARP * TOI_WARP;
    double at_start = toi_limit_of(s.control);
    waiting wait = {0, 0};
    for (bool last = false; !last; base += step) {
        last = base >= n;
        for (int folded = 0; folded < 2; ++folded) { // new ones, then folded ones
            uint32_t many = !folded ? (last ? 0 : (uint32_t)toi_least(n - base, TOI_WARP))
                            : wait.folded >= TOI_WARP ? TOI_WARP
                            : last                    ? wait.folded
                                                      : 0;
            if (!many)
                continue;
            wait.folded -= folded ? many : 0;
            int verdict = TOI_VERDICT_APART;
            uint2 pair = make_uint2(0, 0);
            toi_root_found found = {0, 0};
            if (toi_lane() < many) {
                pair = folded ? w.folded[wait.folded + toi_lane()]
                              : toi_left_at(&s, base + toi_lane());
                verdict = look(&s, pair, folded, limit_now<EARLIEST>(&s, at_start), &found);
            }
            sort_out(&s, w, &wait, pair, verdict, &found);
        }
        while (wait.contacts >= TOI_WARP || (last && wait.contacts))
            time_contacts<EARLIEST, LATE>(&s, w, &wait, at_start);
    }
}

void toi_start_contacts(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    const int *blocks = card->fillings.contacts;
    if (goal == TOI_CARD_EARLIEST)
        contacts<true, false><<<blocks[1], CONTACT_THREADS, 0, card->stream>>>(*step);
    else if (step->late)
        contacts<false, true><<<blocks[2], CONTACT_THREADS, 0, card->stream>>>(*step);
    else
        contacts<false, false><<<blocks[0], CONTACT_THREADS, 0, card->stream>>>(*step);
}

// ---- Scouts

// Where a contact is certain the earliest is not later.
struct contact_scout
{
    template <int KIND>
    __device__ __forceinline__ void look(const toi_step *s, uint2 pair) const
    {
        toi_control *c = s->control;
        toi_root_found found = {0, 0};
        pair.x |= KIND == TOI_EDGE_EDGE ? TOI_EDGE_BIT : 0;
        if (::look(s, pair, false, toi_limit_of(c), &found) != TOI_VERDICT_CONTACT)
            return;
        double latest = (found.root + found.radius) * (1 + 0x1p-50);
        toi_lower(&c->limit, (toi_count)__double_as_longlong(latest));
    }
};

static __global__ void __launch_bounds__(TOI_SCOUT_THREADS, 3)
    scout(const __grid_constant__ toi_step s)
{
    toi_scout(&s, contact_scout());
}

void toi_start_scouts(const toi_card *card, const toi_step *step)
{
    scout<<<card->fillings.scouts[0], TOI_SCOUT_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_ladder(toi_card *card, toi_complaint *complaint)
{
    int *blocks = card->fillings.contacts;
    TOI_TRY(toi_fill(card, scout, TOI_SCOUT_THREADS, &card->fillings.scouts[0], complaint));
    TOI_TRY(toi_fill(card, contacts<false, false>, CONTACT_THREADS, &blocks[0], complaint));
    TOI_TRY(toi_fill(card, contacts<true, false>, CONTACT_THREADS, &blocks[1], complaint));
    return toi_fill(card, contacts<false, true>, CONTACT_THREADS, &blocks[2], complaint);
}
