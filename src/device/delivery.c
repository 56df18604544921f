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
    IN_SIGHT = 8,   // chunks that a worker looks at in turns, since they do not come in order
    LINE = 64,      // bytes
    LOOKS = 1 << 12 // at all of them, before the card is asked
};

toi_unpack_group_fn toi_unpack_group_baseline, toi_unpack_group_avx2, toi_unpack_group_avx512;

typedef struct unpacking
{
    const toi_card_delivery *delivery;
    toi_unpack_group_fn *unpack;
    toi_impact *to;
    int64_t room;
    int workers;
    _Atomic int64_t taken; // chunks
    _Atomic bool failed;
} unpacking;

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

// What the card wrote before it is there, too.
static uint64_t read_word(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

// ---- A group

// All of it at once: what a card has just written comes from far.
static void fetch_group(const toi_impact_group *group)
{
    for (size_t at = 0; at < sizeof group->packed; at += LINE)
        __builtin_prefetch((const char *)group + at);
}

static void unpack_group(const unpacking *u, int64_t at, int64_t count, bool plain)
{
    const toi_impact_group *group = &u->delivery->groups[at];
    toi_impact last[TOI_PACKED_GROUP], *to = u->to + at * TOI_PACKED_GROUP;
    int64_t rest = count - at * TOI_PACKED_GROUP;
    size_t many = rest < TOI_PACKED_GROUP ? (size_t)rest : TOI_PACKED_GROUP;
    if (plain) {
        memcpy(to, group->plain, many * sizeof *to);
    } else if (many == TOI_PACKED_GROUP) {
        u->unpack(&group->packed, to);
    } else {
        u->unpack(&group->packed, last);
        memcpy(to, last, many * sizeof *to);
    }
}

// A chunk that is there; bits of those of its groups that came as they are.
static void unpack_chunk(const unpacking *u, int64_t chunk, uint64_t plain, int64_t count)
{
    int64_t first = chunk * TOI_PACKED_CHUNK, end = first + TOI_PACKED_CHUNK;
    int64_t groups = (count + TOI_PACKED_GROUP - 1) / TOI_PACKED_GROUP;
    end = end < groups ? end : groups;
    fetch_group(&u->delivery->groups[first]);
    for (int64_t at = first; at < end; ++at) {
        if (at + 1 < end)
            fetch_group(&u->delivery->groups[at + 1]);
        unpack_group(u, at, count, plain >> (at - first) & 1);
    }
}

// ---- A worker's share

// How many impacts come; -1: none, and none will.
static int64_t await_count(const toi_card_delivery *d)
{
    bool runs = true;
    for (unsigned looks = 1; read_word(d->begun) != d->number; ++looks) {
        if (!runs)
            return -1;
        if (looks % LOOKS == 0)
            runs = d->runs(d->mesh);
        relax();
    }
    return (int64_t)*d->count;
}

// Every so manieth chunk: those in sight are looked at in turns.
typedef struct share
{
    int64_t first, step, chunks;
    int64_t begin, end;  // of those in sight, counted in the share
    bool done[IN_SIGHT]; // of those in sight, in a ring
} share;

// Leaves behind what is done, and takes what comes next.
static void slide(share *s)
{
    while (s->begin < s->end && s->done[s->begin % IN_SIGHT])
        ++s->begin;
    for (; s->end < s->begin + IN_SIGHT && s->first + s->end * s->step < s->chunks; ++s->end)
        s->done[s->end % IN_SIGHT] = false;
}

// Whether it is this worker's to unpack: one whose thread does not run keeps no other from it.
static bool take_chunk(unpacking *u, toi_chunk_mark *mark)
{
    uint64_t number = u->delivery->number;
    if (__atomic_exchange_n(&mark->taken, number, __ATOMIC_RELAXED) == number)
        return false;
    ++u->taken;
    return true;
}

// Returns whether something was there.
static bool unpack_in_sight(unpacking *u, share *s, int64_t count)
{
    const toi_card_delivery *d = u->delivery;
    bool some = false;
    for (int64_t i = s->begin; i < s->end; ++i) {
        int64_t chunk = s->first + i * s->step;
        toi_chunk_mark *mark = &d->marks[chunk];
        uint64_t word = read_word(&mark->word);
        if (s->done[i % IN_SIGHT] || word >> TOI_PACKED_CHUNK != d->number)
            continue;
        if (take_chunk(u, mark))
            unpack_chunk(u, chunk, word, count);
        s->done[i % IN_SIGHT] = some = true;
    }
    return some;
}

// Returns false where not all came.
static bool unpack_share(unpacking *u, int64_t number, int64_t chunks, int64_t count)
{
    share s = {.first = number, .step = u->workers, .chunks = chunks};
    bool runs = true;
    slide(&s);
    for (unsigned looks = 1; s.begin < s.end && u->taken < chunks; ++looks, slide(&s)) {
        if (unpack_in_sight(u, &s, count))
            continue;
        if (!runs)
            return false;
        if (looks % LOOKS == 0)
            runs = u->delivery->runs(u->delivery->mesh);
        relax();
    }
    return true;
}

// A worker begins with the share that it had last time: what it wrote then is in its cache. Then it
// helps the others.
static toi_status unpack_some(void *context, int64_t index, int worker)
{
    const int64_t of_chunk = TOI_PACKED_CHUNK * TOI_PACKED_GROUP;
    unpacking *u = context;
    (void)index;
    int64_t count = await_count(u->delivery), chunks = (count + of_chunk - 1) / of_chunk;
    bool done = count >= 0 && count <= u->room;
    for (int i = 0; i < u->workers && done && u->taken < chunks; ++i)
        done = unpack_share(u, (worker + i) % u->workers, chunks, count);
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
    toi_parallel(workers, workers, unpack_some, &u);
    return !u.failed;
}
