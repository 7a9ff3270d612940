/**
 * Several numbers at once: weir_wide is WEIR_WIDE doubles on the host, which the compiler keeps in SIMD
 * registers, and one double on a device, where threads take the items. Code for it is written once, with the
 * four operators and the functions below, and gives the same bits item by item for every width: no fma, no
 * libm, nothing that depends on a neighbour.
 *
 * For the bodies of lane loops (weir/lanes.h). What stands here is compiled for the instruction set in force
 * where it is included: a .c file that wants AVX2 includes it between "base/target_avx2.h" and its end.
 *
 * Errors measured by tests/engine/test_lanes.c: weir_wide_sin_turns and weir_wide_cos_turns 7e-16 absolute
 * for |x| < 2^20 (beyond, as far as x itself has a fraction); weir_wide_exp_negative 3e-16 relative. NaN in
 * gives NaN out. Thread-safe.
 */
#ifndef WEIR_WIDE_H
#define WEIR_WIDE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "weir/fn.h"
#include "weir/math.h"

#if defined(__CUDACC__)
enum { WEIR_WIDE = 1 };
typedef double weir_wide;
typedef int64_t weir_wide_bits;
/** A function of wide numbers. */
#define WEIR_WIDE_FN static __forceinline__ __host__ __device__
#else
enum { WEIR_WIDE = 8 };
typedef double weir_wide __attribute__((vector_size(64)));
typedef int64_t weir_wide_bits __attribute__((vector_size(64)));
/** A function of wide numbers. */
#define WEIR_WIDE_FN static inline __attribute__((always_inline))
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* how vectors are passed: all of these are inlined */
#endif
#endif

/** x in every place. */
WEIR_WIDE_FN weir_wide weir_wide_of(double x)
{
#if defined(__CUDACC__)
    return x;
#else
    return (weir_wide){x, x, x, x, x, x, x, x};
#endif
}

/** first, first + 1, ... */
WEIR_WIDE_FN weir_wide weir_wide_items(uint32_t first)
{
#if defined(__CUDACC__)
    return (double)first;
#else
    return (double)first + (weir_wide){0, 1, 2, 3, 4, 5, 6, 7};
#endif
}

/** The bits of x as integers, and back. */
WEIR_WIDE_FN weir_wide_bits weir_wide_to_bits(weir_wide x)
{
    weir_wide_bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}
/** See weir_wide_to_bits. */
WEIR_WIDE_FN weir_wide weir_wide_of_bits(weir_wide_bits b)
{
    weir_wide x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/** Where `yes` is -1, a; where it is 0, b. */
WEIR_WIDE_FN weir_wide weir_wide_choose(weir_wide_bits yes, weir_wide a, weir_wide b)
{
    return weir_wide_of_bits((weir_wide_to_bits(a) & yes) | (weir_wide_to_bits(b) & ~yes));
}

/** a < b, as -1 for yes and 0 for no. */
WEIR_WIDE_FN weir_wide_bits weir_wide_less(weir_wide a, weir_wide b)
{
#if defined(__CUDACC__)
    return -(int64_t)(a < b);
#else
    return (weir_wide_bits)(a < b);
#endif
}

/** |x|. */
WEIR_WIDE_FN weir_wide weir_wide_abs(weir_wide x)
{
    return weir_wide_of_bits(weir_wide_to_bits(x) & INT64_MAX);
}

/** Nearest integer, ties to even, for |x| < 2^51. */
WEIR_WIDE_FN weir_wide weir_wide_nearest(weir_wide x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/** sin(2 pi q) for |q| <= 1/4: a polynomial in q*q that interpolates sin(2 pi q) / q at Chebyshev's
 * points. */
WEIR_WIDE_FN weir_wide weir_wide_sin_quarter(weir_wide q)
{
    const weir_wide z = q * q;
    const weir_wide w = z * z;
    const weir_wide low = (0x1.921fb54442d17p+2 + z * -0x1.4abbce625bd83p+5) +
                          w * (0x1.466bc677522bdp+6 + z * -0x1.32d2cce1ea145p+6);
    const weir_wide high = (0x1.5078327046959p+5 + z * -0x1.e30631bdf732dp+3) +
                           w * (0x1.e89f6fe44fe7bp+1 + z * -0x1.62903d02bb153p-1);
    return q * (low + w * w * high);
}

/** cos(2 pi x) for |x| < 2^51. */
WEIR_WIDE_FN weir_wide weir_wide_cos_turns(weir_wide x)
{
    return weir_wide_sin_quarter(0.25 - weir_wide_abs(x - weir_wide_nearest(x)));
}

/** sin(2 pi x) for |x| < 2^51. */
WEIR_WIDE_FN weir_wide weir_wide_sin_turns(weir_wide x)
{
    const weir_wide r = x - weir_wide_nearest(x);
    const weir_wide q = 0.25 - weir_wide_abs(0.25 - weir_wide_abs(r));
    const weir_wide y = weir_wide_sin_quarter(q);
    return weir_wide_of_bits(weir_wide_to_bits(y) ^ (weir_wide_to_bits(r) & INT64_MIN));
}

/** exp(x) for x <= 0; what lies below -700 counts as -700. */
WEIR_WIDE_FN weir_wide weir_wide_exp_negative(weir_wide x)
{
    const weir_wide least = weir_wide_of(-700.0);
    const weir_wide at = weir_wide_choose(weir_wide_less(x, least), least, x);
    const weir_wide shifted = at * 0x1.71547652b82fep+0 + 0x1.8p52; /* its lowest bits are the power of two */
    const weir_wide k = shifted - 0x1.8p52;
    const weir_wide r = (at - k * WEIR_LN2_HI) - k * WEIR_LN2_LO; /* within ln(2) / 2 */
    const weir_wide r2 = r * r;
    const weir_wide r4 = r2 * r2;
    const weir_wide a = 0.5 + r * 0x1.5555555555557p-3;
    const weir_wide b = 0x1.5555555555556p-5 + r * 0x1.11111111100bep-7;
    const weir_wide c = 0x1.6c16c16c162c3p-10 + r * 0x1.a01a01abf85abp-13;
    const weir_wide d = 0x1.a01a01a6e1e2ap-16 + r * 0x1.71de01fdbf9cap-19;
    const weir_wide e = 0x1.27e4db46cddd1p-22 + r * (0x1.af4e554377204p-26 + r * 0x1.1f7340dbc337ep-29);
    const weir_wide p = 1.0 + (r + r2 * ((a + r2 * b) + r4 * ((c + r2 * d) + r4 * e)));
#if defined(__CUDACC__)
    const int64_t power = (int64_t)((uint64_t)(weir_wide_to_bits(shifted) + 1023) << 52);
#else
    const weir_wide_bits power = (weir_wide_to_bits(shifted) + 1023) << 52;
#endif
    return p * weir_wide_of_bits(power);
}

#endif
