/// @file
/// Devices: a graphics card that answers the questions of ccd.h and scene.h, with the same bits.
///
/// The library itself needs no card and no driver: what runs on one is a library of its own,
/// libtoi_cuda, which is loaded when a device is opened. Where that fails the status says why, and
/// every question can still be asked without a device, in the same process and of the same scene.
///
/// Steps are answered by `exact` and by `inclusion-queue`; docs/cuda.md lists what is refused.
///
/// A card that is lost, after a fault of its own or of another program part, is lost to the
/// process: every later call on it returns TOI_ERROR_UNSUPPORTED and says so, what was left in its
/// memory is gone, and it cannot be opened again. Scenes stay usable without it.
///
/// Candidates are found on a device by the methods auto, stq, sweep, grid and lbvh: the same lists.
/// In TOI_ORDER_OWN their order is the card's, and another one in every call. What takes a stream
/// of them (toi_pair_sink_fn) must not use the device.
///
/// A device is one card and one stream of work on it. Calls that use the same device take turns;
/// for calls at the same time open one for each. A scene keeps its topology and its order on the
/// device that it was last asked about on, so that from step to step only positions travel.

#ifndef TOI_DEVICE_H
#define TOI_DEVICE_H

#include "toi/ccd.h"
#include "toi/scene.h"

TOI_EXTERN_C_BEGIN

/// What to open; start from toi_default_device_def().
typedef struct toi_device_def
{
    int number; ///< of the card, as its driver counts; default 0
    /// Most bytes of the card's memory that are held at once for this device, over all its scenes;
    /// 0, the default: as much as is free. Where a step wants more it is cut into parts; the answer
    /// is the same.
    int64_t memory_limit;
    /// A stream of the caller's (cudaStream_t) that all work is put on; NULL, the default: one of
    /// the device's own. It must outlive the device.
    void *stream;
    /// The file of the backend; NULL, the default: libtoi_cuda.so.0 beside this library, or where
    /// it is installed with the program that holds it, then where the system looks.
    const char *file;
    uint32_t cookie; ///< set by the default function; leave it
} toi_device_def;

/// Card 0, all its memory, a stream of its own.
TOI_API toi_device_def toi_default_device_def(void);

/// What a card is.
typedef struct toi_device_info
{
    char name[128];      ///< as its driver names it
    int number;          ///< of the card
    int count;           ///< how many cards there are
    int compute;         ///< compute capability: 90 for 9.0
    int multiprocessors; ///< how many there are
    int driver;          ///< the CUDA version that the driver supports: 13000 for 13.0
    int runtime;         ///< the CUDA version that the backend was built with
    int64_t memory;      ///< bytes
    int64_t memory_free; ///< of them, when the device was opened
    // What it can do at most, for who compares with it; 0: not known.
    double memory_rate; ///< bytes of its memory a second, by clock and width
    double bus_rate;    ///< bytes a second to or from the host, by the link's speed and width
    double issue_rate;  ///< instructions of threads a second: 128 a clock and multiprocessor
} toi_device_info;

/// Opens a card. TOI_ERROR_UNSUPPORTED where there is no backend, driver or card that fits;
/// TOI_ERROR_ARGUMENT where no card has that number; TOI_ERROR_MEMORY where the card is full. On
/// failure *device is NULL.
TOI_API toi_status toi_open_device(const toi_device_def *def, toi_device **device);

/// Ends a device, and gives back what scenes keep on it: no call may be using it, that which frees
/// or changes such a scene included, and none may use it after. The scenes stay usable. Memory of
/// toi_device_allocate() must be released before. Harmless on NULL.
TOI_API void toi_close_device(toi_device *device);

/// What the card is; NULL gives a zeroed one.
TOI_API toi_device_info toi_describe_device(const toi_device *device);

/// Memory of the host that the card reads and writes by itself (page-locked): positions and impacts
/// travel fastest from and to it. On failure returns NULL and sets the message.
TOI_API void *toi_device_allocate(toi_device *device, size_t size);

/// Gives it back; harmless on NULL.
TOI_API void toi_device_release(toi_device *device, void *memory);

/// Where a list is left.
typedef enum toi_residence
{
    TOI_ON_HOST,  ///< in page-locked memory of the scene
    TOI_ON_DEVICE ///< in memory of the card
} toi_residence;

/// Impacts that a scene holds, in canonical order, until its next call.
typedef struct toi_impact_view
{
    const toi_impact *data; ///< in the memory that was asked for
    int64_t count;          ///< how many there are
} toi_impact_view;

/// toi_scene_find_impacts() on def->device, without a copy: the list stays where the device put it.
///
/// `start` and `end` may point to memory of the host or of the card; which it is, is found out. A
/// zeroed `start` is the end of the scene's last step on this device, which is still there: then
/// one set of positions travels. TOI_ERROR_ARGUMENT where there is none, as after a change of the
/// scene or a call that failed. (All this holds for toi_scene_find_earliest() and
/// toi_scene_find_impacts() on a device, too.)
///
/// A filter's function is asked on the host about what was found; then, and where there are loose
/// points, impacts can be left on the host alone, and loose points need both ends there. On failure
/// the view is empty. `report` may be NULL.
TOI_API toi_status toi_scene_view_impacts(toi_scene *scene, const toi_ccd_def *def,
                                          toi_point_view start, toi_point_view end,
                                          toi_residence residence, toi_impact_view *impacts,
                                          toi_ccd_report *report);

/// How many stages a call on a device reports at most.
enum
{
    TOI_DEVICE_STAGES = 24
};

/// What a stage has to do at least, by what was counted: docs/cuda.md, section 12. All 0 where
/// nothing tells.
typedef struct toi_device_work
{
    double bytes;        ///< of the card's memory, read and written
    double bus_bytes;    ///< between the card and memory of the host
    double instructions; ///< of threads; what takes two turns counts twice
} toi_device_work;

/// What the last call on a device did, for who tunes it. Times of stages are taken only where
/// `toi_device_measure()` has asked for them, since that costs some microseconds each.
typedef struct toi_device_report
{
    int stage_count;                               ///< how many stages there were
    const char *stage_names[TOI_DEVICE_STAGES];    ///< static words
    double stage_seconds[TOI_DEVICE_STAGES];       ///< on the card
    toi_device_work stage_work[TOI_DEVICE_STAGES]; ///< with times alone
    int64_t bytes_up;                              ///< sent to the card
    int64_t bytes_down;                            ///< sent back
    int64_t peak_bytes;                            ///< of the card's memory that this device held
    int64_t windows;   ///< parts that the memory limit cut the step into
    int64_t tested[2]; ///< pairs that left the search, by toi_kind
    int64_t left[2];   ///< of them, that the filters left
    int64_t hard;      ///< pairs that were solved on the host
} toi_device_report;

/// Has the stages of later calls timed, or not.
TOI_API void toi_device_measure(toi_device *device, bool measure);

/// What the last call on the device did; zeroed before the first, and for NULL.
TOI_API toi_device_report toi_device_last_report(const toi_device *device);

TOI_EXTERN_C_END

#endif
