// As many words of 32 bits at a time as a register holds.

#ifndef TOI_SIMD_WORDS_H
#define TOI_SIMD_WORDS_H

#if defined(TOI_ISA_avx512)
#define TOI_WORDS 16
#elif defined(TOI_ISA_avx2)
#define TOI_WORDS 8
#else
#define TOI_WORDS 4
#endif

#endif
