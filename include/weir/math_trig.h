/**
 * weir_sin and weir_cos. Include weir/math.h, which says what holds for all functions.
 *
 * The argument is brought to within pi/4 of zero as a pair: up to 10^6 by subtracting a multiple of pi/2 in
 * four parts, beyond by multiplying with those bits of 2/pi that matter (Payne and Hanek), so that no finite
 * argument loses accuracy.
 */
#ifndef WEIR_MATH_TRIG_H
#define WEIR_MATH_TRIG_H

#include "weir/math.h"

/** Remainder of |x| <= 2^20 * pi/2; returns the quadrant, modulo 4. The parts of pi/2 have 33 bits, so that n
 * times one is exact, and each difference is either exact or kept with what it drops. */
WEIR_FN int weir_reduce_medium(double x, weir_pair *r)
{
    const double n = weir_nearest_small(x * 0x1.45f306dc9c883p-1);
    const double a = x - n * 0x1.921fb54400000p+0;
    const double b = n * 0x1.0b4611a600000p-34;
    const double c = n * 0x1.3198a2e000000p-69;
    const double d = n * 0x1.b839a252049c1p-104;
    /* a - b, then - c, exactly as pairs (Knuth's sum needs no order of sizes) */
    const double ab = a - b;
    const double ab_a = ab + b;
    const double ab_lo = (a - ab_a) - (b - (ab_a - ab));
    const double abc = ab - c;
    const double abc_ab = abc + c;
    const double abc_lo = (ab - abc_ab) - (c - (abc_ab - abc));
    const double lo = ab_lo + (abc_lo - d);
    r->hi = abc + lo;
    r->lo = (abc - r->hi) + lo;
    return (int)((int64_t)n & 3);
}

/** 64 bits of 2/pi from bit `at`, where bit 64 has weight 1/2 (a word of zeros stands before). */
WEIR_FN uint64_t weir_two_over_pi(int at)
{
    static const uint64_t words[21] = {
        0,
        UINT64_C(0xa2f9836e4e441529),
        UINT64_C(0xfc2757d1f534ddc0),
        UINT64_C(0xdb6295993c439041),
        UINT64_C(0xfe5163abdebbc561),
        UINT64_C(0xb7246e3a424dd2e0),
        UINT64_C(0x06492eea09d1921c),
        UINT64_C(0xfe1deb1cb129a73e),
        UINT64_C(0xe88235f52ebb4484),
        UINT64_C(0xe99c7026b45f7e41),
        UINT64_C(0x3991d639835339f4),
        UINT64_C(0x9c845f8bbdf9283b),
        UINT64_C(0x1ff897ffde05980f),
        UINT64_C(0xef2f118b5a0a6d1f),
        UINT64_C(0x6d367ecf27cb09b7),
        UINT64_C(0x4f463f669e5fea2d),
        UINT64_C(0x7527bac7ebe5f17b),
        UINT64_C(0x3d0739f78a5292ea),
        UINT64_C(0x6bfb5fb11f8d5d08),
        UINT64_C(0x56033046fc7b6bab),
        UINT64_C(0xf0cfbc209af4361d),
    };
    const int word = at >> 6, shift = at & 63;
    return shift ? words[word] << shift | words[word + 1] >> (64 - shift) : words[word];
}

/** Remainder of any finite |x| >= 2^20; returns the quadrant, modulo 4. */
WEIR_FN int weir_reduce_large(double x, weir_pair *r)
{
    const uint64_t bits = weir_bits_of_double(x);
    const int exponent = (int)(bits >> 52 & 2047) - 1075; /* |x| = m * 2^exponent */
    const uint64_t m = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(1) << 52;
    /* Bits of 2/pi whose product with m * 2^exponent is a multiple of 4 are left out; 192 that follow are
     * enough for the closest approach of a double to a multiple of pi/2, which is about 2^-61. */
    const int at = 64 + exponent - 2;
    const uint64_t w2 = weir_two_over_pi(at), w1 = weir_two_over_pi(at + 64), w0 = weir_two_over_pi(at + 128);
    uint64_t p0 = m * w0;
    const uint64_t carry1 = weir_mulhi64(m, w0);
    uint64_t p1 = m * w1 + carry1;
    uint64_t p2 = m * w2 + weir_mulhi64(m, w1) + (p1 < carry1 ? 1u : 0u);
    int quadrant = (int)(p2 >> 62);
    p2 = p2 << 2 | p1 >> 62; /* now a fraction of pi/2 */
    p1 = p1 << 2 | p0 >> 62;
    p0 <<= 2;
    const int above = (int)(p2 >> 63); /* past the middle: count from the next quadrant, downward */
    if (above) {
        quadrant++;
        p0 = ~p0;
        p1 = ~p1;
        p2 = ~p2;
    }
    int zeros = 0;
    for (; zeros < 128 && !(p2 >> 63); zeros++) {
        p2 = p2 << 1 | p1 >> 63;
        p1 = p1 << 1 | p0 >> 63;
        p0 <<= 1;
    }
    weir_pair f;
    f.hi = (double)(p2 >> 11) * 0x1p-53 * weir_power_of_two(-zeros);
    f.lo = (double)((p2 & 2047) << 42 | p1 >> 22) * 0x1p-106 * weir_power_of_two(-zeros);
    weir_pair half_pi;
    half_pi.hi = 0x1.921fb54442d18p+0;
    half_pi.lo = 0x1.1a62633145c07p-54;
    *r = weir_pair_product(f, half_pi);
    const int negate = above ^ (int)(bits >> 63);
    if (negate) {
        r->hi = -r->hi;
        r->lo = -r->lo;
    }
    return (bits >> 63 ? -quadrant : quadrant) & 3;
}

/**
 * Argument reduction: x minus the nearest multiple of pi/2, as an unevaluated sum; returns that multiple
 * modulo 4. Any finite x.
 */
WEIR_FN int weir_reduce(double x, weir_pair *r)
{
    return weir_abs(x) < 0x1p20 ? weir_reduce_medium(x, r) : weir_reduce_large(x, r);
}

/** sin(r.hi + r.lo) within pi/4 of zero. */
WEIR_FN double weir_sin_near(weir_pair r)
{
    const double z = r.hi * r.hi;
    const double w = z * z;
    const double series =
        (-0x1.5555555555555p-3 + z * 0x1.1111111111110p-7) +
        w * ((-0x1.a01a01a01992fp-13 + z * 0x1.71de3a545f836p-19) +
             w * ((-0x1.ae645410e937bp-26 + z * 0x1.61217d9252c03p-33) - w * 0x1.ab16f5caa198ap-41));
    return r.hi + (r.hi * z * series + r.lo * (1.0 - 0.5 * z));
}

/** cos(r.hi + r.lo) within pi/4 of zero. */
WEIR_FN double weir_cos_near(weir_pair r)
{
    const double z = r.hi * r.hi;
    const double w = z * z;
    const double series = (0x1.5555555555555p-5 - z * 0x1.6c16c16c16963p-10) +
                          w * ((0x1.a01a019f4ddfdp-16 - z * 0x1.27e4fa16cc2d1p-22) +
                               w * (0x1.1eeb67d026ec6p-29 - z * 0x1.907cd8ff5ede7p-37));
    const double half = 0.5 * z;
    const double t = 1.0 - half;
    return t + (((1.0 - t) - half) + (w * series - r.hi * r.lo));
}

/** Sine of x radians; NaN for infinities. */
WEIR_FN double weir_sin(double x)
{
    weir_pair r;
    if (!(weir_abs(x) < weir_inf()))
        return weir_nan();
    if (weir_abs(x) < 0x1p-27) /* also keeps the sign of zero */
        return x;
    const int quadrant = weir_reduce(x, &r);
    const double y = quadrant & 1 ? weir_cos_near(r) : weir_sin_near(r);
    return quadrant & 2 ? -y : y;
}

/** Cosine of x radians; NaN for infinities. */
WEIR_FN double weir_cos(double x)
{
    weir_pair r;
    if (!(weir_abs(x) < weir_inf()))
        return weir_nan();
    const int quadrant = weir_reduce(x, &r);
    const double y = quadrant & 1 ? weir_sin_near(r) : weir_cos_near(r);
    return ((quadrant + 1) & 2) ? -y : y;
}

#endif
