// Waits for groups of impacts, and unpacks them.

#include "device/delivery.h"

#include "base/parallel.h"
#include "base/simd.h"

#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum
{
    GROUPS_AT_ONCE = 4, // that a worker takes: neighbours
    LOOKS = 4096        // at memory, before the card is asked
};

toi_unpack_group_fn toi_unpack_group_baseline, toi_unpack_group_avx2, toi_unpack_group_avx512;

typedef struct unpacking
{
    const toi_card_delivery *delivery;
    toi_unpack_group_fn *unpack;
    toi_impact *to;
    int64_t room;
    int workers;
    _Atomic bool failed;
} unpacking;

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

// Waits for one of the two marks of a group. Returns which, or -1 where the card has ended without.
static int await_group(const toi_card_delivery *d, int64_t group)
{
    const volatile uint32_t *mark = &d->marks[group];
    uint32_t packed = toi_group_mark(d->number, 0);
    bool runs = true;
    for (unsigned looks = 1;; ++looks) {
        uint32_t seen = *mark;
        if ((seen | 1) == (packed | 1)) {
            atomic_thread_fence(memory_order_acquire);
            return (int)(seen & 1);
        }
        if (!runs)
            return -1;
        if (looks % LOOKS == 0)
            runs = d->runs(d->mesh);
        relax();
    }
}

// How many impacts come; -1: none, and none will.
static int64_t await_count(const toi_card_delivery *d)
{
    bool runs = true;
    for (unsigned looks = 1; *d->begun != d->number; ++looks) {
        if (!runs)
            return -1;
        if (looks % LOOKS == 0)
            runs = d->runs(d->mesh);
        relax();
    }
    atomic_thread_fence(memory_order_acquire);
    return (int64_t)*d->count;
}

static bool unpack_one(const unpacking *u, int64_t at, int64_t count)
{
    const toi_impact_group *group = &u->delivery->groups[at];
    toi_impact last[TOI_PACKED_GROUP], *to = u->to + at * TOI_PACKED_GROUP;
    int64_t rest = count - at * TOI_PACKED_GROUP;
    size_t many = rest < TOI_PACKED_GROUP ? (size_t)rest : TOI_PACKED_GROUP;
    int plain = await_group(u->delivery, at);
    if (plain < 0)
        return false;
    if (plain) {
        memcpy(to, group->plain, many * sizeof *to);
    } else if (many == TOI_PACKED_GROUP) {
        u->unpack(&group->packed, to);
    } else {
        u->unpack(&group->packed, last);
        memcpy(to, last, many * sizeof *to);
    }
    return true;
}

// A worker's share: every so manieth few groups, since they come about in order.
static toi_status unpack_share(void *context, int64_t share, int worker)
{
    (void)worker;
    unpacking *u = context;
    int64_t count = await_count(u->delivery);
    int64_t groups = (count + TOI_PACKED_GROUP - 1) / TOI_PACKED_GROUP;
    bool done = count >= 0 && count <= u->room;
    for (int64_t i = share * GROUPS_AT_ONCE; i < groups && done; i += u->workers * GROUPS_AT_ONCE)
        for (int64_t at = i; at < i + GROUPS_AT_ONCE && at < groups && done; ++at)
            done = unpack_one(u, at, count);
    if (!done)
        u->failed = true;
    return TOI_OK;
}

bool toi_unpack_delivery(const toi_card_delivery *delivery, int workers, toi_impact *to,
                         int64_t room)
{
    static toi_unpack_group_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_unpack_group);
    unpacking u = {.delivery = delivery,
                   .unpack = kernels[toi_simd_level()],
                   .to = to,
                   .room = room,
                   .workers = workers};
    toi_parallel(workers, workers, unpack_share, &u);
    return !u.failed;
}
