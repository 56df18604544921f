// A card: its stream, the memory that is held on it, and errors as values.

#ifndef TOI_CUDA_CARD_CUH
#define TOI_CUDA_CARD_CUH

#include "device/backend.h"

#include <cuda_runtime.h>

// How many blocks of threads fill the card, for each kernel that shares its work out by itself.
struct toi_fillings
{
    int surface_meet, cull, signs, neighbours;
    int blocks, meet[2], scouts[2], filter, contacts[3], hard[2], margins, searches[2], settle[2],
        apart[2], share, write;
};

// Memory of the card, or page-locked memory of the host that the card sees at the same address.
struct toi_room
{
    void *data;
    size_t bytes;
    bool on_host;
};

struct toi_card
{
    toi_device_info info;
    cudaStream_t stream;
    bool own_stream;
    int64_t limit;      // of the bytes below; 0: none
    int64_t held, peak; // bytes of the card's memory
    toi_fillings fillings;
    toi_card_spread_fn *spread; // of the question that is asked, or NULL
    void *spreader;
    toi_room queries; // of lists, and what is known of them
    toi_room cells;   // of `inclusion-queue`
};

#define TOI_TRY(call)                                                                              \
    do {                                                                                           \
        toi_status tried_ = (call);                                                                \
        if (tried_ != TOI_OK)                                                                      \
            return tried_;                                                                         \
    } while (0)

// Says what went wrong, as printf would.
toi_status toi_complain(toi_complaint *complaint, toi_status status, const char *format, ...)
    TOI_PRINTF(3, 4);

// The status of a call of the CUDA runtime; `what` completes "cannot ...".
toi_status toi_check_cuda(cudaError_t error, const char *what, toi_complaint *complaint);

// The same of the kernels started so far.
static inline toi_status toi_check_start(const char *what, toi_complaint *complaint)
{
    return toi_check_cuda(cudaGetLastError(), what, complaint);
}

// Makes room for at least so many bytes; what it held is lost. On failure it is empty.
toi_status toi_make_room(toi_card *card, toi_room *room, size_t bytes, toi_complaint *complaint);
void toi_free_room(toi_card *card, toi_room *room);

// Cuts parts of a room, each on a line of its own; without data it only adds up.
struct toi_cutter
{
    char *data;
    size_t used;

    template <class Item>
    Item *cut(int64_t count)
    {
        Item *part = data ? (Item *)(data + used) : NULL;
        used += ((size_t)count * sizeof(Item) + 255) / 256 * 256;
        return part;
    }
};

// Would so many bytes fit the limit if `room` gave back its own?
bool toi_fits_limit(const toi_card *card, const toi_room *room, size_t bytes);

#endif
