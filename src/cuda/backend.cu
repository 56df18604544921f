// The table of the backend: a card is opened and described; questions are not answered yet.

extern "C" {
#include "device/backend.h"
}

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static toi_status complain(toi_complaint *complaint, toi_status status, const char *what,
                           cudaError_t error)
{
    snprintf(complaint->text, sizeof complaint->text, "CUDA: %s: %s", what,
             cudaGetErrorString(error));
    return status;
}

static toi_status open_card(const toi_device_def *def, void **card, toi_device_info *info,
                            toi_complaint *complaint)
{
    size_t unused, total;
    cudaDeviceProp properties;
    *info = {};
    cudaError_t error = cudaGetDeviceCount(&info->count);
    if (error == cudaSuccess)
        error = cudaSetDevice(def->number);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, def->number);
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&unused, &total);
    if (error != cudaSuccess)
        return complain(complaint, TOI_ERROR_UNSUPPORTED, "no card", error);
    snprintf(info->name, sizeof info->name, "%s", properties.name);
    info->number = def->number;
    info->compute = 10 * properties.major + properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    cudaDriverGetVersion(&info->driver);
    cudaRuntimeGetVersion(&info->runtime);
    info->memory = (int64_t)total;
    info->memory_free = (int64_t)unused;
    *card = nullptr;
    return TOI_OK;
}

static void close_card(void *) {}

static toi_status allocate(void *, size_t size, void **memory, toi_complaint *complaint)
{
    cudaError_t error = cudaMallocHost(memory, size);
    return error == cudaSuccess
               ? TOI_OK
               : complain(complaint, TOI_ERROR_MEMORY, "page-locked memory", error);
}

static void release(void *, void *memory)
{
    cudaFreeHost(memory);
}

static bool is_on_card(void *, const void *memory)
{
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

static toi_status make_mesh(void *, const toi_card_topology *, void **, toi_complaint *complaint)
{
    snprintf(complaint->text, sizeof complaint->text, "CUDA: this backend answers nothing as yet");
    return TOI_ERROR_UNSUPPORTED;
}

static void free_mesh(void *) {}

static toi_status find(void *, const toi_card_question *, toi_card_answer *, toi_complaint *)
{
    return TOI_ERROR_UNSUPPORTED;
}

static toi_status merge(void *, const toi_impact *, int64_t, toi_card_answer *, toi_complaint *)
{
    return TOI_ERROR_UNSUPPORTED;
}

static const toi_backend table = {TOI_BACKEND_VERSION, open_card,  close_card, allocate,
                                  release,             is_on_card, make_mesh,  free_mesh,
                                  find,                merge};

extern "C" __attribute__((visibility("default"))) const toi_backend *
toi_backend_of_cuda(uint32_t version)
{
    return version == TOI_BACKEND_VERSION ? &table : nullptr;
}
