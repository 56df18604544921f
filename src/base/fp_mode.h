// The floating-point mode that the library computes in: round to nearest, gradual underflow,
// nothing trapped. Every bound relies on it, and a program may have set another: linked with
// -ffast-math it flushes denormals, in search of NaNs it traps exceptions.
//
// So every public function that computes, reads or prints floating-point numbers begins with
//
//     TOI_GUARD_FP;
//
// which sets the mode and, wherever the function returns, gives the caller's back, sticky exception
// flags included. Guards nest. test/test_modes.c calls every exported function in every mode.
//
// Compilers do not know that arithmetic depends on the mode. They move no load or store across the
// guard, but may move arithmetic on values that are in registers already, or still. So a guarded
// function that takes or returns floating-point numbers by value computes in another function,
// marked TOI_APART.

#ifndef TOI_BASE_FP_MODE_H
#define TOI_BASE_FP_MODE_H

#include <fenv.h>
#include <stdint.h>

#define TOI_APART __attribute__((noinline))

#define TOI_GUARD_FP                                                                               \
    __attribute__((cleanup(toi_leave_fp_mode))) toi_fp_mode toi_callers_mode;                      \
    toi_enter_fp_mode(&toi_callers_mode)

// Long doubles are the x87 unit's on x86-64, and its sticky flags would cost every guard as much as
// all the rest. The few functions that compute with long doubles keep them instead.
#define TOI_GUARD_LONG_DOUBLE                                                                      \
    __attribute__((cleanup(toi_leave_x87))) toi_x87_state toi_callers_x87;                         \
    toi_enter_x87(&toi_callers_x87)

#if defined(__x86_64__)

// The unit's environment as FNSTENV stores it.
typedef struct toi_x87_state
{
    uint32_t words[7];
} toi_x87_state;

typedef struct toi_fp_mode
{
    uint32_t sse; // MXCSR: mode and sticky flags
    uint16_t x87; // the x87 unit's control word; C libraries read and print decimals by it, too
    toi_x87_state x87_state; // only where that word is not ours
} toi_fp_mode;

static const uint32_t TOI_SSE_MODE = 0x1f80;
static const uint16_t TOI_X87_MODE = 0x037f;

// Named as overwritten, so that no number is in them: FLDENV declares them as empty as they were.
#define TOI_X87_REGISTERS "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"

// FNSTENV masks the exceptions as it stores: FLDCW alone would raise one that the caller has
// pending.
static inline void toi_enter_x87(toi_x87_state *caller)
{
    __asm__ volatile("fnstenv %0\n\tfldcw %1"
                     : "=m"(*caller)
                     : "m"(TOI_X87_MODE)
                     : "memory", TOI_X87_REGISTERS);
}

static inline void toi_leave_x87(const toi_x87_state *caller)
{
    __asm__ volatile("fldenv %0" : : "m"(*caller) : "memory", TOI_X87_REGISTERS);
}

// Reading MXCSR takes ten times as long as writing it, so it is read once and always written.
static inline void toi_enter_fp_mode(toi_fp_mode *caller)
{
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %2\n\tfnstcw %1"
                     : "=m"(caller->sse), "=m"(caller->x87)
                     : "m"(TOI_SSE_MODE)
                     : "memory");
    // cppcheck-suppress ctuuninitvar ; it does not know that assembly sets its outputs
    if (caller->x87 != TOI_X87_MODE)
        toi_enter_x87(&caller->x87_state);
}

static inline void toi_leave_fp_mode(const toi_fp_mode *caller)
{
    if (caller->x87 != TOI_X87_MODE)
        toi_leave_x87(&caller->x87_state);
    __asm__ volatile("ldmxcsr %0" : : "m"(caller->sse) : "memory");
}

#else

typedef fenv_t toi_fp_mode;
typedef struct toi_x87_state
{
    char none;
} toi_x87_state;

static inline void toi_enter_fp_mode(toi_fp_mode *caller)
{
    fegetenv(caller);
    fesetenv(FE_DFL_ENV);
}

static inline void toi_leave_fp_mode(const toi_fp_mode *caller)
{
    fesetenv(caller);
}

static inline void toi_enter_x87(toi_x87_state *caller)
{
    caller->none = 0;
}

static inline void toi_leave_x87(const toi_x87_state *caller)
{
    (void)caller;
}

#endif

#endif
