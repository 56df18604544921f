// Which instruction set the kernels run with.

#ifndef TOI_BASE_SIMD_H
#define TOI_BASE_SIMD_H

#include "toi/base.h"

typedef enum toi_simd
{
    TOI_SIMD_BASELINE,
    TOI_SIMD_AVX2,
    TOI_SIMD_AVX512,
    TOI_SIMD_COUNT
} toi_simd;

// The level in force: the best the CPU has unless toi_set_simd() capped it.
toi_simd toi_simd_level(void);

// Sources named *_isa.c are compiled once a level with TOI_ISA set to its name; TOI_ISA_NAME(f) is
// then f_baseline, f_avx2 or f_avx512, and TOI_ISA_TABLE(f) lists the three for the dispatcher.
#define TOI_PASTE2(a, b) a##_##b
#define TOI_PASTE(a, b) TOI_PASTE2(a, b)
#define TOI_ISA_NAME(f) TOI_PASTE(f, TOI_ISA)
#if defined(__x86_64__) && !defined(TOI_ONE_ISA)
#define TOI_ISA_TABLE(f)                                                                           \
    {                                                                                              \
        f##_baseline, f##_avx2, f##_avx512                                                         \
    }
#else
#define TOI_ISA_TABLE(f)                                                                           \
    {                                                                                              \
        f##_baseline, f##_baseline, f##_baseline                                                   \
    }
#endif

#endif
