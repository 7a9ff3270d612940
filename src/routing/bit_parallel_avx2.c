/* The bit-parallel search compiled for AVX2; bit_parallel.c asks the processor before it calls this. */
#if defined(__x86_64__)
#pragma GCC target("avx2,bmi,bmi2,lzcnt")
#include <immintrin.h>
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define KERNEL_NAME wi_bit_batch_avx2
#include "routing/bit_parallel_kernel.h"
