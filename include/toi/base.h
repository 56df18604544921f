/// @file
/// Status codes, messages, hooks and hashing: what every other header builds on.
///
/// Unless a function says otherwise, it may be called from any number of threads at once, it only
/// reads its inputs during the call, and on failure it leaves its outputs empty: lists without
/// entries, pointers NULL. What arrays of the caller's own then hold is undefined. Searching and
/// solving (broad_phase.h, narrow_phase.h, ccd.h) need at most 64 KiB of stack, on the calling
/// thread and on those of the workers. The library prints nothing: errors are statuses.
///
/// The caller's floating-point mode neither matters nor changes. Whatever a program has set for
/// rounding, flushing denormals or trapping exceptions, a call computes in round to nearest with
/// gradual underflow and nothing trapped, and returns with the mode and the sticky exception flags
/// as it found them. In that mode it also calls the program back: filters, progress functions,
/// sinks and the parallel-for hook; they must leave the mode as they find it. The memory hooks do
/// not compute, and may find either mode.

#ifndef TOI_BASE_H
#define TOI_BASE_H

#include "toi/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TOI_EXTERN_C_BEGIN                                                                         \
    extern "C"                                                                                     \
    {
#define TOI_EXTERN_C_END }
#else
#define TOI_EXTERN_C_BEGIN
#define TOI_EXTERN_C_END
#endif

/// Marks what the shared library exports; everything else is hidden.
#if defined(__GNUC__)
#define TOI_API __attribute__((visibility("default")))
#else
#define TOI_API
#endif

/// Lets the compiler check the arguments of a printf-like function.
#if defined(__GNUC__)
#define TOI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOI_PRINTF(text, first)
#endif

TOI_EXTERN_C_BEGIN

/// What became of a call. Anything but TOI_OK comes with a sentence in toi_last_message().
typedef enum toi_status
{
    TOI_OK,             ///< done
    TOI_ERROR_ARGUMENT, ///< an option is out of its range, or a definition was not made by its
                        ///< default function
    TOI_ERROR_DATA, ///< the geometry is bad: an index out of range, a coordinate that is not finite
    TOI_ERROR_FILE, ///< a file cannot be opened, read or written
    TOI_ERROR_FORMAT, ///< a file is not what it claims to be: truncated, not numeric, a count
                      ///< beyond its size
    TOI_ERROR_MEMORY, ///< the allocator returned nothing
    TOI_ERROR_LIMIT,  ///< the work does not fit: in the caller's memory limit, in the index types,
                      ///< on the disk
    TOI_ERROR_UNSUPPORTED, ///< this build or this machine cannot do it
    TOI_ERROR_CANCELLED,   ///< the caller's progress function asked to stop
    TOI_STATUS_COUNT
} toi_status;

/// The name of a status ("out of memory"), for messages. Never NULL.
TOI_API const char *toi_status_name(toi_status status);

/// What went wrong in the last call on this thread that did not return TOI_OK: what, where, and
/// what to do. Valid until the next failing call on this thread; "" before the first. Never NULL.
TOI_API const char *toi_last_message(void);

/// The version of the library that is running ("0.1.0"); TOI_VERSION is that of the headers.
TOI_API const char *toi_version(void);

/// One piece of parallel work: number `index` of the count, run by worker number `worker`.
typedef void toi_task_fn(void *context, int64_t index, int worker);

/// Services that the caller may supply. A NULL member keeps the default.
typedef struct toi_hooks
{
    /// Passed to every hook.
    void *user;
    /// Returns `size` bytes aligned to `alignment` (a power of two, at least 64), or NULL. Default:
    /// aligned_alloc, and malloc for what is large. With the first loop of several workers glibc's
    /// malloc is brought to keep up to 64 MiB of free memory, unless the program has set how much.
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /// Takes back what `allocate` returned, with the same size. Default: free.
    void (*release)(void *user, void *memory, size_t size);
    /// Calls task(context, i, worker) once for every i in [0, count), by at most `workers` threads,
    /// each with its own number in [0, workers), and returns when all calls have returned. Default:
    /// threads that the library keeps for all calls of the process. They sleep when idle. Where the
    /// system refuses a thread, inside a task, and inside a parallel region of the caller's OpenMP
    /// (unless it allows nesting) a loop runs with fewer, if need be on the calling thread alone.
    /// They block signals but for those that a thread causes itself, are made anew in a child
    /// process after fork(), and end when the library is unloaded.
    void (*parallel_for)(void *user, int workers, int64_t count, toi_task_fn *task, void *context);
} toi_hooks;

/// Replaces the hooks of the process; NULL restores the defaults. They, the instruction set
/// (toi_set_simd()) and idle threads are the library's only global state: call it before other
/// threads use the library, and not while anything made by the old hooks is alive.
TOI_API void toi_set_hooks(const toi_hooks *hooks);

/// Memory from the allocate hook, aligned to 64 bytes; for size 0 a valid pointer too. On failure
/// returns NULL and sets the message (TOI_ERROR_MEMORY). For libraries built on this one, such as
/// toi_io.
TOI_API void *toi_allocate(size_t size);

/// Gives memory from toi_allocate() back; harmless on NULL.
TOI_API void toi_release(void *memory);

/// Sets this thread's message as printf would and returns `status`. For libraries built on this
/// one.
TOI_API toi_status toi_fail(toi_status status, const char *format, ...) TOI_PRINTF(2, 3);

/// How many workers a definition with `workers == 0` gets: what OpenMP would use (OMP_NUM_THREADS
/// or omp_set_num_threads(), else all cores that the process may use, at most OMP_THREAD_LIMIT). A
/// library built without OpenMP reads these two variables itself, at every call.
TOI_API int toi_default_workers(void);

/// The most workers any definition may ask for.
#define TOI_MAX_WORKERS 1024

/// The SIMD instruction set in use: "avx512", "avx2" or "baseline". Answers are the same bits with
/// each.
TOI_API const char *toi_simd_name(void);

/// Caps the instruction set: "avx512", "avx2", "baseline", or NULL for the best the CPU has. For
/// tests and measurements; TOI_ERROR_UNSUPPORTED when the CPU lacks it. Not to be called while
/// other calls run.
TOI_API toi_status toi_set_simd(const char *name);

/// xxHash (XXH64, seed 0) of `size` bytes: the fingerprint printed beside every result.
TOI_API uint64_t toi_hash(const void *data, size_t size);

/// Asked from time to time during long calls with the share of work done in [0, 1]; return false to
/// stop the call (it then returns TOI_ERROR_CANCELLED). Called by one thread at a time, not always
/// the caller's.
typedef bool toi_progress_fn(void *context, double done);

TOI_EXTERN_C_END

#endif
