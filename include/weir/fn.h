/**
 * Macros that let one source serve C17 and CUDA C++, and mark what the library exports.
 *
 * WEIR_FN marks a function whose body stands in a header and is compiled for the host and, under nvcc, for
 * the device. Such code stays in the common subset of C17 and C++: explicit casts, no designated initialisers
 * out of order, no variable-length arrays, no allocation, no globals, no I/O.
 *
 * WEIR_FN_APART is the same, out of line on the device: for large functions that handlers call from many
 * places, which would otherwise fill the device's instruction cache with copies.
 */
#ifndef WEIR_FN_H
#define WEIR_FN_H

#include <stdbool.h>

#if defined(__CUDACC__)
#define WEIR_FN static inline __host__ __device__
#define WEIR_FN_APART static __noinline__ __host__ __device__ __attribute__((unused))
#define WEIR_RESTRICT __restrict__
#else
#define WEIR_FN static inline
#define WEIR_FN_APART static inline
#define WEIR_RESTRICT restrict
#endif

#ifdef __CUDA_ARCH__
#define WEIR_ON_DEVICE 1
#else
#define WEIR_ON_DEVICE 0
#endif

#ifdef __cplusplus
#define WEIR_EXTERN extern "C"
#define WEIR_STATIC_ASSERT static_assert
#else
#define WEIR_EXTERN extern
#define WEIR_STATIC_ASSERT _Static_assert
#endif

#define WEIR_API WEIR_EXTERN __attribute__((visibility("default")))
#define WEIR_NODISCARD __attribute__((warn_unused_result))
/* `struct WEIR_OVERLAY name`: it stands in words of another struct, and the compiler knows that it is the
 * same memory. */
#define WEIR_OVERLAY __attribute__((may_alias))
#define WEIR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define WEIR_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
