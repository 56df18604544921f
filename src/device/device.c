// Devices: loading a backend, opening a card with it, and what needs no scene.

#define _GNU_SOURCE // dladdr1
#include "device/device.h"

#include "base/fp_mode.h"
#include "base/status.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint32_t DEVICE_COOKIE = 0xde71ce01u;

#define BACKEND_FILE "libtoi_cuda.so.0"

enum
{
    PATH_BYTES = 4096
};

toi_device_def toi_default_device_def(void)
{
    return (toi_device_def){.cookie = DEVICE_COOKIE};
}

toi_status toi_fail_complaint(toi_status status, const toi_complaint *complaint)
{
    return toi_fail(status, "%s", complaint->text[0] ? complaint->text : "the device failed");
}

void toi_take_turn(toi_device *device)
{
    pthread_mutex_lock(&device->turn);
}

void toi_end_turn(toi_device *device)
{
    pthread_mutex_unlock(&device->turn);
}

// ---- Loading

// The folder that this library, or the program that it is linked into, is in; false: unknown.
static bool find_own_folder(char folder[PATH_BYTES])
{
    Dl_info info;
    struct link_map *map = NULL;
    ssize_t length = -1;
    if (!dladdr1(&DEVICE_COOKIE, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    if (!map || map->l_name[0] == '\0') // the program: its first argument may name anything
        length = readlink("/proc/self/exe", folder, PATH_BYTES - 1);
    else if (strlen(map->l_name) < PATH_BYTES) {
        length = (ssize_t)strlen(map->l_name);
        memcpy(folder, map->l_name, (size_t)length);
    }
    folder[length > 0 ? length : 0] = '\0';
    char *end = strrchr(folder, '/');
    if (end)
        *end = '\0';
    return end;
}

// Beside this library, then where it would be installed for the program that holds it, then where
// the system looks. A file that is there but cannot be loaded is not passed over in silence.
static toi_status load_default(void **library)
{
    static const char *const places[] = {"", "/../" TOI_INSTALL_LIBDIR};
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    bool known = find_own_folder(folder);
    for (int i = 0; known && i < 2; ++i) {
        snprintf(path, sizeof path, "%s%s/" BACKEND_FILE, folder, places[i]);
        if (access(path, F_OK) != 0)
            continue;
        *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        return *library
                   ? TOI_OK
                   : toi_fail(TOI_ERROR_UNSUPPORTED, "the backend cannot be loaded: %s", dlerror());
    }
    *library = dlopen(BACKEND_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (*library)
        return TOI_OK;
    return toi_fail(TOI_ERROR_UNSUPPORTED,
                    "there is no " BACKEND_FILE " in %s, in ../" TOI_INSTALL_LIBDIR " from there, "
                    "or where the system looks (%s): build toi where there is nvcc, with "
                    "-DTOI_CUDA=ON, or install the package that has it",
                    known ? folder : "(unknown)", dlerror());
}

static toi_status load_named(const char *name, void **library)
{
    *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return *library
               ? TOI_OK
               : toi_fail(TOI_ERROR_UNSUPPORTED, "the backend cannot be loaded: %s", dlerror());
}

static toi_status find_table(toi_device *d, const char *name)
{
    void *symbol = dlsym(d->library, TOI_BACKEND_SYMBOL);
    toi_backend_fn *table;
    if (!symbol)
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "%s is no backend of toi: it has no " //
                        TOI_BACKEND_SYMBOL "()",
                        name);
    memcpy(&table, &symbol, sizeof table); // ISO C has no cast for it
    d->backend = table(TOI_BACKEND_VERSION);
    if (!d->backend || d->backend->version != TOI_BACKEND_VERSION)
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "%s is of another version of toi than this library, %s: install both from "
                        "one build",
                        name, toi_version());
    return TOI_OK;
}

static toi_status load(toi_device *d, const char *name)
{
    toi_status status = name ? load_named(name, &d->library) : load_default(&d->library);
    return status == TOI_OK ? find_table(d, name ? name : BACKEND_FILE) : status;
}

// ---- Opening and closing

static toi_status check_def(const toi_device_def *def)
{
    TOI_CHECK_DEF(def, DEVICE_COOKIE, "device");
    if (def->number < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the number of the card is %d; use 0 or more",
                        def->number);
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    return TOI_OK;
}

static toi_status open_card(toi_device *d, const toi_device_def *def)
{
    toi_complaint complaint = {""};
    toi_status status = load(d, def->file);
    if (status != TOI_OK)
        return status;
    status = d->backend->open(def, &d->card, &d->info, &complaint);
    return status == TOI_OK ? TOI_OK : toi_fail_complaint(status, &complaint);
}

toi_status toi_open_device(const toi_device_def *def, toi_device **device)
{
    TOI_GUARD_FP;
    if (!device)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no place for the device");
    *device = NULL;
    toi_status status = check_def(def);
    if (status != TOI_OK)
        return status;
    toi_device *d = toi_take(NULL, 1, sizeof *d);
    if (!d)
        return toi_allocation_status();
    *d = (toi_device){.turn = PTHREAD_MUTEX_INITIALIZER};
    status = open_card(d, def);
    if (status == TOI_OK) {
        *device = d;
        return TOI_OK;
    }
    if (d->library)
        dlclose(d->library);
    toi_give_back(d);
    return status;
}

void toi_close_device(toi_device *device)
{
    TOI_GUARD_FP;
    if (!device)
        return;
    for (toi_resident *r = device->residents, *next; r; r = next) {
        next = r->next;
        if (r->mesh)
            device->backend->free_mesh(r->mesh);
        if (r->surface)
            device->backend->free_surface(r->surface);
        r->mesh = r->surface = NULL;
        r->device = NULL;
        r->next = r->previous = NULL;
    }
    device->backend->close(device->card);
    dlclose(device->library);
    pthread_mutex_destroy(&device->turn);
    toi_give_back(device);
}

// ---- What needs no scene

toi_device_info toi_describe_device(const toi_device *device)
{
    return device ? device->info : (toi_device_info){.number = 0};
}

void *toi_device_allocate(toi_device *device, size_t size)
{
    TOI_GUARD_FP;
    void *memory = NULL;
    toi_complaint complaint = {""};
    if (!device) {
        toi_fail(TOI_ERROR_ARGUMENT, "the device is NULL");
        return NULL;
    }
    toi_take_turn(device);
    toi_status status = device->backend->allocate(device->card, size, &memory, &complaint);
    toi_end_turn(device);
    if (status == TOI_OK)
        return memory;
    toi_fail_complaint(status, &complaint);
    return NULL;
}

void toi_device_release(toi_device *device, void *memory)
{
    TOI_GUARD_FP;
    if (!device || !memory)
        return;
    toi_take_turn(device);
    device->backend->release(device->card, memory);
    toi_end_turn(device);
}

void toi_device_measure(toi_device *device, bool measure)
{
    if (!device)
        return;
    toi_take_turn(device);
    device->measure = measure;
    toi_end_turn(device);
}

toi_device_report toi_device_last_report(const toi_device *device)
{
    toi_device_report report = {.stage_count = 0};
    toi_device *d = (toi_device *)device; // its lock changes, and nothing else
    if (!d)
        return report;
    toi_take_turn(d);
    report = d->report;
    toi_end_turn(d);
    return report;
}
