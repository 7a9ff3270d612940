/* What the processor at hand can do. */
#pragma once

#include <stdbool.h>

/* True where the machine has AVX2 and the build knows it. */
static inline bool wi_have_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}
