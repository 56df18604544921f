// Overlaps in order, and what the host wants to know.

#include "cuda/sort.cuh"
#include "cuda/surface.cuh"

enum
{
    LIST_THREADS = 256,
    WORDS = sizeof(toi_overlap) / sizeof(uint32_t)
};

// ---- By counting

// How many there are to be put in order.
static __device__ __forceinline__ toi_count count_of(const toi_surface_step *s)
{
    const toi_surface_control *c = s->control;
    return c->crowded || c->hits.n > s->hit_capacity ? 0 : c->hits.n;
}

static __global__ void __launch_bounds__(LIST_THREADS)
    share_out(const __grid_constant__ toi_surface_step s)
{
    toi_count n = count_of(&s), first = (toi_count)blockIdx.x * LIST_THREADS;
    for (toi_count i = first + threadIdx.x; i < n; i += (toi_count)gridDim.x * LIST_THREADS) {
        toi_overlap hit = s.hits[i];
        s.entries[s.starts[hit.a] + s.ranks[i]] = make_uint2((uint32_t)hit.b, (uint32_t)i);
    }
}

// Three lanes write an overlap, a word each, so that memory of the host gets whole lines.
static __global__ void __launch_bounds__(LIST_THREADS)
    write_out(const __grid_constant__ toi_surface_step s)
{
    toi_count n = count_of(&s) * WORDS, first = (toi_count)blockIdx.x * LIST_THREADS;
    for (toi_count i = first + threadIdx.x; i < n; i += (toi_count)gridDim.x * LIST_THREADS) {
        uint2 entry = s.entries[i / WORDS];
        const toi_overlap *hit = &s.hits[entry.y];
        uint32_t word = ((const uint32_t *)hit)[i % WORDS];
        uint32_t from = s.starts[hit->a], to = from + s.bins[hit->a], place = from;
        for (uint32_t j = from; j < to; ++j)
            place += s.entries[j].x < entry.x;
        ((uint32_t *)&s.sorted[place])[i % WORDS] = word;
    }
}

toi_status toi_start_overlaps(const toi_card *card, const toi_surface_step *step,
                              toi_complaint *complaint)
{
    cudaError_t error = toi_start_sums(card, step->scratch, step->scratch_bytes, step->bins,
                                       step->starts, step->face_count);
    TOI_TRY(toi_check_cuda(error, "add up counts", complaint));
    share_out<<<card->info.multiprocessors * 2, LIST_THREADS, 0, card->stream>>>(*step);
    write_out<<<card->info.multiprocessors * 4, LIST_THREADS, 0, card->stream>>>(*step);
    return TOI_OK;
}

// ---- By a sort of all

static __global__ void __launch_bounds__(LIST_THREADS)
    take_keys(const __grid_constant__ toi_surface_step s, toi_count n, toi_count *keys)
{
    toi_count i = (toi_count)blockIdx.x * LIST_THREADS + threadIdx.x;
    if (i >= n)
        return;
    toi_overlap hit = s.hits[i];
    keys[i] = (toi_count)hit.a << 33 | (toi_count)hit.b << 3 | (toi_count)hit.overlap_class;
}

static __global__ void __launch_bounds__(LIST_THREADS)
    write_keys(const __grid_constant__ toi_surface_step s, toi_count n, const toi_count *keys)
{
    toi_count i = (toi_count)blockIdx.x * LIST_THREADS + threadIdx.x;
    if (i >= n * WORDS)
        return;
    toi_count key = keys[i / WORDS];
    uint32_t words[WORDS] = {(uint32_t)(key >> 33), (uint32_t)(key >> 3) & 0x3fffffffu,
                             (uint32_t)key & 7};
    int word = (int)(i % WORDS);
    ((uint32_t *)s.sorted)[i] = word == 0 ? words[0] : word == 1 ? words[1] : words[2];
}

static size_t key_bytes(toi_count n)
{
    return (size_t)(n * sizeof(toi_count) + 255) / 256 * 256;
}

size_t toi_overlap_sort_scratch(toi_count overlaps)
{
    return toi_word_scratch((int64_t)overlaps) + 2 * key_bytes(overlaps);
}

toi_status toi_start_overlap_sort(const toi_card *card, const toi_surface_step *step,
                                  const toi_room *scratch, toi_count count,
                                  toi_complaint *complaint)
{
    char *at = (char *)scratch->data;
    toi_count *keys[2] = {(toi_count *)at, (toi_count *)(at + key_bytes(count))};
    size_t own = scratch->bytes - 2 * key_bytes(count);
    unsigned blocks = (unsigned)((count + LIST_THREADS - 1) / LIST_THREADS);
    take_keys<<<blocks, LIST_THREADS, 0, card->stream>>>(*step, count, keys[0]);
    cudaError_t error =
        toi_start_words(card, at + 2 * key_bytes(count), own, keys, (int64_t)count, 0, 63);
    TOI_TRY(toi_check_cuda(error, "sort overlaps", complaint));
    blocks = (unsigned)((count * WORDS + LIST_THREADS - 1) / LIST_THREADS);
    write_keys<<<blocks, LIST_THREADS, 0, card->stream>>>(*step, count, keys[0]);
    return TOI_OK;
}

// ---- What the host wants to know

static __global__ void report(const __grid_constant__ toi_surface_step s)
{
    const uint32_t *from = (const uint32_t *)s.control;
    uint32_t *to = (uint32_t *)s.report;
    for (unsigned i = threadIdx.x; i < sizeof *s.control / sizeof *from; i += blockDim.x)
        to[i] = from[i];
}

void toi_start_surface_report(const toi_card *card, const toi_surface_step *step)
{
    report<<<1, 512, 0, card->stream>>>(*step);
}
