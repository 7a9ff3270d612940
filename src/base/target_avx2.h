/*
 * From here on functions are compiled for AVX2, where the processor family has it; target_end.h closes. Both
 * are for .c files that hold one build of a kernel: no include guard. What the kernel includes comes first,
 * so that none of it is compiled for AVX2.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#endif
