/* The bit-parallel search compiled for AVX2; bit_parallel.c asks the processor before it calls this. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "routing/algorithm/algorithm.h"

#include "base/target_avx2.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define KERNEL_NAME wi_bit_batch_avx2
#include "routing/search/bit_parallel_kernel.h"

#include "base/target_end.h"
