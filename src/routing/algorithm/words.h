/*
 * Words of distances: two of 16 bits or one of 32, relaxed in one instruction where the device has it (DPX,
 * from compute capability 9.0), and four words moved at once. The same results on host and device.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "weir/fn.h"

#define WI_TILE 128u         /* distances on a side of a tile */
#define WI_TILE_THREADS 256u /* threads that share a tile, 8 x 8 distances each */
#define WI_FAR16 0x7fffu     /* no way yet, or 32,767 and more: twice it fits a lane */
#define WI_FAR32 0x7effffffu /* WI_PATH32_LIMIT */

/* Loops that must disappear for their arrays to live in registers. */
#ifdef __CUDA_ARCH__
#define WI_UNROLL_4 _Pragma("unroll 4")
#define WI_UNROLL _Pragma("unroll")
#else
#define WI_UNROLL_4
#define WI_UNROLL
#endif

/* Sixteen bytes, moved in one instruction on the device. */
typedef struct __attribute__((aligned(16), may_alias)) wi_quad {
    uint32_t x, y, z, w;
} wi_quad;

WEIR_FN const wi_quad *wi_quad_at(const void *p)
{
    return (const wi_quad *)p;
}
WEIR_FN wi_quad *wi_quad_put(void *p)
{
    return (wi_quad *)p;
}

/* min(a + b, c) in each half of a word; no half of a + b may pass 65,535. */
WEIR_FN uint32_t wi_relax_pair(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef __CUDA_ARCH__
    return __viaddmin_u16x2(a, b, c);
#else
    const uint32_t low = (a & 0xffffu) + (b & 0xffffu), high = (a >> 16) + (b >> 16);
    const uint32_t c_low = c & 0xffffu, c_high = c >> 16;
    return (low < c_low ? low : c_low) | (high < c_high ? high : c_high) << 16;
#endif
}

/* min(a + b, c); a + b may not pass 2^32 - 1. */
WEIR_FN uint32_t wi_relax_word(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef __CUDA_ARCH__
    return __viaddmin_u32(a, b, c);
#else
    return a + b < c ? a + b : c;
#endif
}
