// Cards: opening and closing them, memory under a limit, and words for errors.

#include "cuda/surface.cuh"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

toi_status toi_complain(toi_complaint *complaint, toi_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
    va_end(arguments);
    return status;
}

toi_status toi_check_cuda(cudaError_t error, const char *what, toi_complaint *complaint)
{
    if (error == cudaSuccess)
        return TOI_OK;
    cudaGetLastError();                     // errors that pass are forgotten
    if (cudaDeviceSynchronize() == error) { // some stay: then nothing works any more
        cudaGetLastError();
        return toi_complain(complaint, TOI_ERROR_UNSUPPORTED,
                            "the card is lost to this process, and what was left on it: it cannot "
                            "%s: %s (%s); ask without a device, or begin a new process",
                            what, cudaGetErrorString(error), cudaGetErrorName(error));
    }
    if (error == cudaErrorMemoryAllocation)
        return toi_complain(complaint, TOI_ERROR_MEMORY,
                            "the card is out of memory: cannot %s; close what else uses it, or set "
                            "a memory limit",
                            what);
    return toi_complain(complaint, TOI_ERROR_UNSUPPORTED, "the card cannot %s: %s (%s)", what,
                        cudaGetErrorString(error), cudaGetErrorName(error));
}

// ---- Memory

bool toi_fits_limit(const toi_card *card, const toi_room *room, size_t bytes)
{
    int64_t others = card->held - (room->on_host ? 0 : (int64_t)room->bytes);
    return room->on_host || card->limit <= 0 || others + (int64_t)bytes <= card->limit;
}

void toi_free_room(toi_card *card, toi_room *room)
{
    if (room->on_host)
        cudaFreeHost(room->data);
    else
        cudaFree(room->data);
    card->held -= room->on_host ? 0 : (int64_t)room->bytes;
    room->data = NULL;
    room->bytes = 0;
}

toi_status toi_make_room(toi_card *card, toi_room *room, size_t bytes, toi_complaint *complaint)
{
    if (bytes <= room->bytes)
        return TOI_OK;
    if (!toi_fits_limit(card, room, bytes))
        return toi_complain(complaint, TOI_ERROR_LIMIT,
                            "%lld bytes of the card's memory are needed, of a limit of %lld: allow "
                            "more",
                            (long long)(card->held - (int64_t)room->bytes + (int64_t)bytes),
                            (long long)card->limit);
    cudaStreamSynchronize(card->stream); // somebody may still be reading what goes away
    toi_free_room(card, room);
    cudaError_t error = room->on_host ? cudaHostAlloc(&room->data, bytes, cudaHostAllocPortable)
                                      : cudaMalloc(&room->data, bytes);
    if (error != cudaSuccess) {
        room->data = NULL;
        return toi_check_cuda(error, "give memory", complaint);
    }
    room->bytes = bytes;
    if (!room->on_host) {
        card->held += (int64_t)bytes;
        card->peak = card->held > card->peak ? card->held : card->peak;
    }
    return TOI_OK;
}

// ---- Opening

static double attribute(cudaDeviceAttr name, int number)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, name, number) == cudaSuccess)
        return value;
    cudaGetLastError();
    return 0;
}

// What the system says of the link to the host: "32.0 GT/s PCIe", "16"; 0: nothing.
static double read_link(const char *card, const char *name)
{
    char path[128];
    double value = 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", card, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lf", &value) != 1)
        value = 0;
    fclose(file);
    return value;
}

// Two transfers a clock of memory; 128 of 130 bits of the link are data. They are for reports: what
// is not known is 0.
static void describe_rates(int number, toi_device_info *info)
{
    char card[32] = "";
    info->memory_rate = 2 * 1e3 * attribute(cudaDevAttrMemoryClockRate, number) *
                        attribute(cudaDevAttrGlobalMemoryBusWidth, number) / 8;
    info->issue_rate =
        128.0 * info->multiprocessors * 1e3 * attribute(cudaDevAttrClockRate, number);
    if (cudaDeviceGetPCIBusId(card, sizeof card, number) != cudaSuccess)
        cudaGetLastError();
    for (char *c = card; *c; ++c)
        *c = *c >= 'A' && *c <= 'F' ? (char)(*c - 'A' + 'a') : *c; // as the system has them
    double width = read_link(card, "max_link_width");
    info->bus_rate = read_link(card, "max_link_speed") * 1e9 * width / 8 * (128.0 / 130);
}

static toi_status describe(int number, toi_device_info *info, toi_complaint *complaint)
{
    cudaDeviceProp properties;
    size_t free_bytes = 0, bytes = 0;
    TOI_TRY(
        toi_check_cuda(cudaGetDeviceProperties(&properties, number), "be described", complaint));
    TOI_TRY(toi_check_cuda(cudaMemGetInfo(&free_bytes, &bytes), "say how much memory it has",
                           complaint));
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    info->number = number;
    info->compute = properties.major * 10 + properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    info->memory = (int64_t)bytes;
    info->memory_free = (int64_t)free_bytes;
    describe_rates(number, info);
    return TOI_OK;
}

static toi_status find_card(const toi_device_def *def, toi_device_info *info,
                            toi_complaint *complaint)
{
    cudaError_t error = cudaGetDeviceCount(&info->count);
    cudaDriverGetVersion(&info->driver);
    cudaRuntimeGetVersion(&info->runtime);
    if (error != cudaSuccess || info->count == 0) {
        cudaGetLastError();
        return toi_complain(complaint, TOI_ERROR_UNSUPPORTED,
                            "there is no CUDA card that can be used: %s (driver for CUDA %d.%d, "
                            "built with %d.%d)",
                            error == cudaSuccess ? "none was found" : cudaGetErrorString(error),
                            info->driver / 1000, info->driver % 1000 / 10, info->runtime / 1000,
                            info->runtime % 1000 / 10);
    }
    if (def->number < 0 || def->number >= info->count)
        return toi_complain(complaint, TOI_ERROR_ARGUMENT, "there is no card %d: there are %d",
                            def->number, info->count);
    TOI_TRY(toi_check_cuda(cudaSetDevice(def->number), "be used", complaint));
    return describe(def->number, info, complaint);
}

static toi_status start_card(const toi_device_def *def, toi_card *card, toi_complaint *complaint)
{
    TOI_TRY(find_card(def, &card->info, complaint));
    card->limit = def->memory_limit;
    card->stream = (cudaStream_t)def->stream;
    TOI_TRY(toi_fill_search(card, complaint));
    TOI_TRY(toi_fill_filter(card, complaint));
    TOI_TRY(toi_fill_ladder(card, complaint));
    TOI_TRY(toi_fill_hard(card, complaint));
    TOI_TRY(toi_fill_margins(card, complaint));
    TOI_TRY(toi_fill_apart(card, complaint));
    TOI_TRY(toi_fill_impacts(card, complaint));
    TOI_TRY(toi_fill_surface_search(card, complaint));
    TOI_TRY(toi_fill_cull(card, complaint));
    TOI_TRY(toi_fill_signs(card, complaint));
    card->own_stream = !def->stream;
    return def->stream
               ? TOI_OK
               : toi_check_cuda(cudaStreamCreateWithFlags(&card->stream, cudaStreamNonBlocking),
                                "make a stream", complaint);
}

toi_status toi_open_card(const toi_device_def *def, void **opened, toi_device_info *info,
                         toi_complaint *complaint)
{
    toi_card *card = new (std::nothrow) toi_card();
    *opened = NULL;
    if (!card)
        return toi_complain(complaint, TOI_ERROR_MEMORY, "out of memory for a card");
    toi_status status = start_card(def, card, complaint);
    if (status != TOI_OK) {
        toi_close_card(card);
        return status;
    }
    *info = card->info;
    *opened = card;
    return TOI_OK;
}

void toi_close_card(void *closed)
{
    toi_card *card = (toi_card *)closed;
    if (!card)
        return;
    cudaSetDevice(card->info.number);
    toi_free_room(card, &card->queries);
    toi_free_room(card, &card->cells);
    if (card->own_stream && card->stream)
        cudaStreamDestroy(card->stream);
    delete card;
}

toi_status toi_allocate_locked(void *on, size_t size, void **memory, toi_complaint *complaint)
{
    toi_card *card = (toi_card *)on;
    *memory = NULL;
    TOI_TRY(toi_check_cuda(cudaSetDevice(card->info.number), "be used", complaint));
    return toi_check_cuda(cudaHostAlloc(memory, size > 0 ? size : 1, cudaHostAllocPortable),
                          "lock memory of the host", complaint);
}

void toi_release_locked(void *on, void *memory)
{
    cudaSetDevice(((toi_card *)on)->info.number);
    cudaFreeHost(memory);
}

bool toi_is_on_card(void *on, const void *memory)
{
    cudaPointerAttributes at;
    cudaSetDevice(((toi_card *)on)->info.number);
    if (cudaPointerGetAttributes(&at, memory) != cudaSuccess) { // the card is lost: keep off
        cudaGetLastError();
        return true;
    }
    return at.type == cudaMemoryTypeDevice;
}
