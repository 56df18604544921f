// Functions of kernels are put into their callers, so that vectors stay in registers and what is
// constant is known. Without optimisation, and under sanitizers, they are called: to copy them into
// every kernel would take the compiler ten times as long there, and gain nothing. TOI_ROUTINE is for
// what is large and rare: it need not be put anywhere. For a card it is visible to other sources: what
// is not, nvcc calls in a way of its own, which loses values of lanes that take different ways (seen
// with 13.0; docs/cuda.md, section 4).

#ifndef TOI_KERNEL_INLINE_H
#define TOI_KERNEL_INLINE_H

#if defined(__CUDACC__)
#define TOI_INLINE static __host__ __device__ inline
#define TOI_ROUTINE inline __host__ __device__ __noinline__
#elif defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TOI_INLINE static inline __attribute__((always_inline))
#define TOI_ROUTINE static inline
#else
#define TOI_INLINE static inline
#define TOI_ROUTINE static inline
#endif

#endif
