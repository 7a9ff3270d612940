/**
 * weir_pow. Include weir/math.h, which says what holds for all functions.
 *
 * x^y = exp(y log x) needs the logarithm to about 2^-65, since y log x grows to 745 and its absolute error is
 * the result's relative error: hence pairs of doubles.
 */
#ifndef WEIR_MATH_POW_H
#define WEIR_MATH_POW_H

#include "weir/math.h"

/** log x to about 2^-66, for positive finite x: the terms 2s and 2/3 s^3 of 2 atanh s in pairs, the rest in
 * doubles. */
WEIR_FN weir_pair weir_log_pair(double x)
{
    int k;
    const double m = weir_split_exponent(x, &k);
    const double f = m - 1.0;
    const double t = m + 1.0;
    const double t_lo = m - (t - 1.0);
    weir_pair s;
    s.hi = f / t;
    const weir_pair st = weir_exact_product(s.hi, t);
    s.lo = (((f - st.hi) - st.lo) - s.hi * t_lo) / t;
    const weir_pair z = weir_pair_product(s, s);

    const double u = z.hi;
    const double high = 0x1.3b1395d2190c1p-3 +
                        u * (0x1.1118c7e4b0917p-3 + u * (0x1.df7cc8e5fa539p-4 + u * 0x1.e02e6fff27908p-4));
    const double rest =
        0x1.999999999999ap-2 +
        u * (0x1.2492492492521p-2 + u * (0x1.c71c71c6eaa10p-3 + u * (0x1.745d177a96056p-3 + u * high)));
    weir_pair c; /* 2/3 + z * rest */
    c.hi = u * rest;
    c.lo = 0x1.5555555555555p-55;
    c = weir_pair_sum(0x1.5555555555555p-1, c);
    weir_pair l = weir_pair_product(s, weir_pair_product(z, c));
    l.lo += 2.0 * s.lo;
    l = weir_pair_sum(2.0 * s.hi, l);
    l.lo += (double)k * WEIR_LN2_LO;
    return weir_pair_sum((double)k * WEIR_LN2_HI, l);
}

/** x^y for positive finite x and finite y. */
WEIR_FN double weir_pow_positive(double x, double y)
{
    const double ay = weir_abs(y);
    if (x == 1.0 || ay < 0x1p-65) /* |log x| < 745, so that the power is within half an ulp of 1 */
        return 1.0;
    if (ay > 0x1p65) /* |log x| >= 2^-53 */
        return (x > 1.0) == (y > 0.0) ? weir_inf() : 0.0;
    const weir_pair l = weir_log_pair(x);
    weir_pair p = weir_exact_product(y, l.hi);
    p.lo += y * l.lo;
    if (p.hi >= 710.0)
        return weir_inf();
    if (p.hi <= -746.0)
        return 0.0;
    return weir_exp_sum(p.hi, p.lo);
}

/** 0 where y is not an integer, 1 where it is odd, 2 where it is even; y is not NaN. */
WEIR_FN int weir_parity(double y)
{
    if (weir_abs(y) >= 0x1p53)
        return 2;
    const int64_t n = (int64_t)y;
    if ((double)n != y)
        return 0;
    return n & 1 ? 1 : 2;
}

/** x to the power y. */
WEIR_FN double weir_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (x != x || y != y)
        return weir_nan();
    const double ax = weir_abs(x);
    if (weir_abs(y) == weir_inf()) {
        if (ax == 1.0)
            return 1.0;
        return (ax > 1.0) == (y > 0.0) ? weir_inf() : 0.0;
    }
    const int negative = (int)(weir_bits_of_double(x) >> 63);
    const int parity = weir_parity(y);
    double power;
    if (ax == 0.0 || ax == weir_inf())
        power = (ax == 0.0) == (y < 0.0) ? weir_inf() : 0.0;
    else if (negative && parity == 0)
        return weir_nan();
    else
        power = weir_pow_positive(ax, y);
    return negative && parity == 1 ? -power : power;
}

#endif
