// For sources that may round a product and a sum once instead of twice, because they only decide,
// or because they ask for the error of a product. They include this first: GCC fuses other
// operations on its own where a whole source is compiled for it.

#ifndef TOI_SIMD_FUSED_H
#define TOI_SIMD_FUSED_H

#if defined(TOI_ISA_avx2) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("fma")
#endif

#endif
