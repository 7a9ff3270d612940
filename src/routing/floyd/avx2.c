/* The kernels of floyd.c for AVX2. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "routing/algorithm/algorithm.h"

#include "base/target_avx2.h"

#include "routing/floyd/floyd.h"
#include "routing/cuda/ports_kernel.h"

#define KERNEL_NAME wi_floyd16_avx2
#define LANE uint16_t
#define FAR WI_FAR16
#include "routing/floyd/kernel.h"
#undef KERNEL_NAME
#undef LANE
#undef FAR
#define KERNEL_NAME wi_floyd32_avx2
#define LANE uint32_t
#define FAR WI_FAR32
#include "routing/floyd/kernel.h"

#include "base/target_end.h"
