/* The batched relaxation and the bit-parallel search compiled for AVX2; who calls these asks the processor
 * before. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "routing/algorithm/algorithm.h"

#include "base/target_avx2.h"

#define KERNEL_NAME wi_relax16_avx2
#define LANE uint16_t
#include "routing/search/batched_kernel.h"
#undef KERNEL_NAME
#undef LANE
#define KERNEL_NAME wi_relax32_avx2
#define LANE uint32_t
#include "routing/search/batched_kernel.h"
#undef KERNEL_NAME

#if defined(__x86_64__)
#include <immintrin.h>
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define KERNEL_NAME wi_bit_batch_avx2
#include "routing/search/bit_parallel_kernel.h"

#include "base/target_end.h"
