/* The batched relaxation compiled for AVX2; batched.c asks the processor before it calls these. */
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

#include "base/target_end.h"
