// Finds the instruction set of the CPU once, and lets tests choose a lesser one.

#include "base/simd.h"

#include <stdatomic.h>
#include <string.h>

static const char *const names[TOI_SIMD_COUNT] = {"baseline", "avx2", "avx512"};

// -1: not asked yet. Asking twice at once gives the same answer.
static _Atomic int level = -1;

static toi_simd best_level(void)
{
#if defined(__x86_64__) && !defined(TOI_ONE_ISA)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return TOI_SIMD_AVX512;
    if (avx2)
        return TOI_SIMD_AVX2;
#endif
    return TOI_SIMD_BASELINE;
}

toi_simd toi_simd_level(void)
{
    int current = level;
    if (current < 0)
        level = current = (int)best_level();
    return (toi_simd)current;
}

const char *toi_simd_name(void)
{
    return names[toi_simd_level()];
}

toi_status toi_set_simd(const char *name)
{
    if (!name) {
        level = (int)best_level();
        return TOI_OK;
    }
    for (int i = 0; i < TOI_SIMD_COUNT; ++i)
        if (strcmp(name, names[i]) == 0) {
            if (i > (int)best_level())
                return toi_fail(TOI_ERROR_UNSUPPORTED, "this CPU has no %s", name);
            level = i;
            return TOI_OK;
        }
    return toi_fail(TOI_ERROR_ARGUMENT, "unknown instruction set '%s': use baseline, avx2, avx512",
                    name);
}
