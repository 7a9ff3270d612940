/**
 * Elementary functions whose bits agree between compilers, machines, host and device.
 *
 * libm and CUDA's library differ in the last bit, and one bit is another event time. These functions are made
 * of + - * / and moves of bits only (no fma, which a baseline x86-64 lacks), so they return the same bits
 * wherever IEEE 754 double arithmetic rounds to nearest and contraction is off (-ffp-contract=off,
 * --fmad=false).
 *
 * Error against exact values, measured by tests/base/test_math.c and rounded up, in units in the last place:
 *     weir_log 0.9, weir_exp 0.8, weir_pow 0.8, weir_cbrt 0.7, weir_sin and weir_cos 0.9 (any argument).
 * A subnormal result may be 1 off. Where a power is a double, weir_pow returns exactly it.
 * Special cases follow C17, Annex F; every NaN returned is the same one (0x7ff8000000000000). errno and
 * floating-point flags are not part of the contract. Polynomials interpolate their function at Chebyshev
 * nodes (computed with 60 digits, coefficients rounded to double); the degree is what brings their error
 * below a tenth of an ulp.
 */
#ifndef WEIR_MATH_H
#define WEIR_MATH_H

#include <stdint.h>

#include "weir/bits.h"
#include "weir/fn.h"

#define WEIR_LN2_HI 0x1.62e42fefa3800p-1  /* 42 bits: exact times any exponent */
#define WEIR_LN2_LO 0x1.ef35793c76730p-45 /* the next 53 */

/** Positive infinity, without <math.h>. */
WEIR_FN double weir_inf(void)
{
    return weir_double_of_bits(UINT64_C(0x7ff0000000000000));
}

/** A quiet NaN, without <math.h>. */
WEIR_FN double weir_nan(void)
{
    return weir_double_of_bits(UINT64_C(0x7ff8000000000000));
}

/** Absolute value; clears the sign bit, also of NaN. */
WEIR_FN double weir_abs(double x)
{
    return weir_double_of_bits(weir_bits_of_double(x) & ~(UINT64_C(1) << 63));
}

/** Nearest integer, ties to even, for |x| < 2^51: the sum leaves no bits for a fraction. */
WEIR_FN double weir_nearest_small(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/** 2^k for -1022 <= k <= 1023. */
WEIR_FN double weir_power_of_two(int k)
{
    return weir_double_of_bits((uint64_t)(k + 1023) << 52);
}

/** x * 2^k, rounded at most once, for 1/2 <= |x| < 4 and -1100 <= k <= 1100. */
WEIR_FN double weir_scale(double x, int k)
{
    if (WEIR_LIKELY(k >= -1020 && k <= 1020))
        return x * weir_power_of_two(k);
    if (k > 0)
        return x * 0x1p1000 * weir_power_of_two(k - 1000);
    return x * weir_power_of_two(k + 1000) * 0x1p-1000;
}

/** x = m * 2^k with m in [sqrt(1/2), sqrt(2)), for positive finite x. */
WEIR_FN double weir_split_exponent(double x, int *k)
{
    const uint64_t root = UINT64_C(0x3fe6a09e00000000); /* sqrt(1/2), to 20 bits */
    const int subnormal = x < 0x1p-1022;
    const uint64_t above = weir_bits_of_double(subnormal ? x * 0x1p54 : x) - root;
    *k = (int)((int64_t)above >> 52) - (subnormal ? 54 : 0);
    return weir_double_of_bits((above & UINT64_C(0x000fffffffffffff)) + root);
}

/**
 * Natural logarithm.
 *
 * With f = m - 1 and s = f / (2 + f): log m = 2 atanh s = f - f*f/2 + s * (f*f/2 + s-series), where the first
 * terms are nearly exact and the series in s*s is small.
 */
WEIR_FN double weir_log(double x)
{
    if (WEIR_UNLIKELY(!(x > 0.0 && x < weir_inf()))) {
        if (x == 0.0)
            return -weir_inf();
        return x > 0.0 ? x : weir_nan();
    }
    int k;
    const double f = weir_split_exponent(x, &k) - 1.0;
    const double kd = (double)k;
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double w = z * z;
    const double odd = 0x1.99999999952d7p-2 + w * (0x1.c71c62e3f11e6p-3 + w * 0x1.39fe51a7c18f9p-3);
    const double even = 0x1.5555555555558p-1 +
                        w * (0x1.2492492df281ap-2 + w * (0x1.7462b51cb66b1p-3 + w * 0x1.2b5900de53b32p-3));
    const double series = z * even + w * odd;
    const double half = 0.5 * f * f;
    return kd * WEIR_LN2_HI - ((half - (s * (half + series) + kd * WEIR_LN2_LO)) - f);
}

/** exp(hi + lo) for |hi| < 750 and |lo| < 2^-40 |hi|. */
WEIR_FN double weir_exp_sum(double x, double x_lo)
{
    const double k = weir_nearest_small(x * 0x1.71547652b82fep+0);
    const double hi =
        x - k * WEIR_LN2_HI; /* exact: both are multiples of x's or ln2's last bit, and near each other */
    const double lo = x_lo - k * WEIR_LN2_LO;
    const double r = hi + lo; /* within ln(2) / 2 of zero */
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double a = 0.5 + r * 0x1.5555555555557p-3;
    const double b = 0x1.5555555555556p-5 + r * 0x1.11111111100bep-7;
    const double c = 0x1.6c16c16c162c3p-10 + r * 0x1.a01a01abf85abp-13;
    const double d = 0x1.a01a01a6e1e2ap-16 + r * 0x1.71de01fdbf9cap-19;
    const double e = 0x1.27e4db46cddd1p-22 + r * (0x1.af4e554377204p-26 + r * 0x1.1f7340dbc337ep-29);
    const double p = r2 * ((a + r2 * b) + r4 * ((c + r2 * d) + r4 * e));
    /* 1 + hi + (lo + p): what the first sum drops is added back with the small terms. */
    const double t = 1.0 + hi;
    return weir_scale(t + ((hi - (t - 1.0)) + (lo + p)), (int)k);
}

/** Exponential function. */
WEIR_FN double weir_exp(double x)
{
    if (WEIR_UNLIKELY(!(x > -746.0 && x < 710.0))) {
        if (x >= 710.0)
            return weir_inf();
        return x <= -746.0 ? 0.0 : weir_nan();
    }
    return weir_exp_sum(x, 0.0);
}

/** Cube root. */
WEIR_FN double weir_cbrt(double x)
{
    const double ax = weir_abs(x);
    if (WEIR_UNLIKELY(!(ax > 0.0 && ax < weir_inf())))
        return x == x ? x : weir_nan();
    int k;
    double m = weir_split_exponent(ax, &k);
    const int q = (k + 1200) / 3 - 400; /* rounds down */
    m *= weir_power_of_two(k - 3 * q);  /* in [0.7, 5.7) */
    /* A third of the bits is a third of the logarithm, to 4 %; each of Halley's steps triples the digits. */
    double t = weir_double_of_bits(weir_bits_of_double(m) / 3 + UINT64_C(0x2a9f7893782da1ce));
    for (int i = 0; i < 2; i++) {
        const double cube = t * t * t;
        t *= (cube + 2.0 * m) / (2.0 * cube + m);
    }
    /* The last step from 26 bits, whose square is exact, so that only the final sum rounds at full size. */
    t = weir_double_of_bits((weir_bits_of_double(t) + (UINT64_C(1) << 26)) & ~((UINT64_C(1) << 27) - 1));
    const double ratio = m / (t * t);
    t += t * ((ratio - t) / (2.0 * t + ratio));
    t *= weir_power_of_two(q);
    return x < 0.0 ? -t : t;
}

/** A number as hi + lo, |lo| <= ulp(hi) / 2 or little more: what weir_pow, weir_sin and weir_cos reckon
 * in. */
typedef struct weir_pair {
    double hi, lo;
} weir_pair;

/** The upper 26 bits of a. */
WEIR_FN double weir_upper_half(double a)
{
    return weir_double_of_bits(weir_bits_of_double(a) & ~((UINT64_C(1) << 27) - 1));
}

/** a * b to twice the precision, by halves whose products are exact (Dekker). Needs |a|, |b|, |a * b| <
 * 2^1000. */
WEIR_FN weir_pair weir_exact_product(double a, double b)
{
    const double ah = weir_upper_half(a), al = a - ah;
    const double bh = weir_upper_half(b), bl = b - bh;
    weir_pair p;
    p.hi = a * b;
    p.lo = ((ah * bh - p.hi) + ah * bl + al * bh) + al * bl;
    return p;
}

/** (a.hi + a.lo) * (b.hi + b.lo). */
WEIR_FN weir_pair weir_pair_product(weir_pair a, weir_pair b)
{
    weir_pair p = weir_exact_product(a.hi, b.hi);
    p.lo += a.hi * b.lo + a.lo * b.hi;
    return p;
}

/** a + (b.hi + b.lo) for |a| >= |b.hi|, or a = 0. */
WEIR_FN weir_pair weir_pair_sum(double a, weir_pair b)
{
    weir_pair p;
    p.hi = a + b.hi;
    p.lo = (b.hi - (p.hi - a)) + b.lo;
    return p;
}

#include "weir/math_pow.h"
#include "weir/math_trig.h"

#endif
