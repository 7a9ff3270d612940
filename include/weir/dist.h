/**
 * Probability distributions for sizes, gaps and delays.
 *
 * A weir_dist is plain old data without pointers, so that it can lie in a world image and be sampled on the
 * device. It is made by one of the functions below, checked once with weir_dist_check, and sampled in
 * handlers. Values are in the unit that the maker's parameters were in. An empirical distribution's points
 * lie in the image at a byte offset.
 *
 * Repeatability: a sample is a function of the distribution and the stream, same bits on every machine, host
 * and device. Each sample uses one block of the stream, but for those that reject (normal with a minimum,
 * Zipf), which use a few.
 */
#ifndef WEIR_DIST_H
#define WEIR_DIST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/fn.h"
#include "weir/math.h"
#include "weir/random.h"

typedef enum weir_dist_kind {
    WEIR_DIST_CONSTANT,
    WEIR_DIST_UNIFORM,
    WEIR_DIST_EXPONENTIAL,
    WEIR_DIST_NORMAL,
    WEIR_DIST_PARETO,
    WEIR_DIST_ZIPF,
    WEIR_DIST_CDF_LINEAR, /**< straight between points; the first point's share is an atom at its x */
    WEIR_DIST_CDF_STEP,   /**< only the points' x occur */
    WEIR_DIST_KINDS
} weir_dist_kind;

/** One point of a cumulative distribution: P(X <= x) = p. Points rise in p and never fall in x; the last p
 * is 1. */
typedef struct weir_cdf_point {
    double x, p;
} weir_cdf_point;

typedef struct weir_dist {
    uint32_t kind;   /**< a weir_dist_kind */
    uint32_t points; /**< empirical: number of points */
    uint64_t offset; /**< empirical: where the points begin, in bytes from `base`; a multiple of 8 */
    double a, b, c, d;
    /* constant:    a value
     * uniform:     a low, b high - low
     * exponential: a mean
     * normal:      a mean, b standard deviation, c minimum (-inf: none)
     * Pareto:      a scale, b -1/shape, c 1 - (scale/max)^shape (1: unbounded), d shape
     * Zipf:        a n, b exponent, c and d the range that the sampler draws from
     * empirical:   a mean */
} weir_dist;

/** Always `value`, in whatever unit the caller samples. Draws nothing. */
WEIR_API weir_dist weir_dist_constant(double value);
/** Uniform on [low, high); rounding may give high itself. */
WEIR_API weir_dist weir_dist_uniform(double low, double high);
/** Exponential of this mean, > 0, in the unit of the samples. */
WEIR_API weir_dist weir_dist_exponential(double mean);
/**
 * Normal of this mean and standard deviation, >= 0, in the unit of the samples; samples may be negative.
 */
WEIR_API weir_dist weir_dist_normal(double mean, double deviation);
/** Normal given that it is at least `minimum`, which may not lie more than one deviation above the mean. */
WEIR_API weir_dist weir_dist_normal_min(double mean, double deviation, double minimum);
/** P(X > x) = (scale / x)^shape for x >= scale. The mean is infinite for shape <= 1. */
WEIR_API weir_dist weir_dist_pareto(double scale, double shape);
/** The same by its mean; needs shape > 1. */
WEIR_API weir_dist weir_dist_pareto_mean(double mean, double shape);
/** Pareto given that it is at most `maximum`. */
WEIR_API weir_dist weir_dist_pareto_bounded(double scale, double shape, double maximum);
/** Integers 1..n with P(k) proportional to k^-exponent; exponent >= 0, n <= 2^40. */
WEIR_API weir_dist weir_dist_zipf(uint64_t n, double exponent);
/** `n` points that the caller has put, or will put, at `offset` of the image. They are read for the mean
 * only. */
WEIR_API weir_dist weir_dist_cdf(const weir_cdf_point *points, uint32_t n, bool step, uint64_t offset);

/** False when parameters are out of range, with the reason in `why` (may be null). A maker accepts
 * anything. */
WEIR_API WEIR_NODISCARD bool weir_dist_check(const weir_dist *dist, char *why, size_t why_size);

/** Expected value, infinite where it is; for estimates of load (uses libm, so its last bits may vary). */
WEIR_API double weir_dist_mean(const weir_dist *dist);

/** (exp(y) - 1) / y, to about 1e-14. */
WEIR_FN double weir_expm1_ratio(double y)
{
    if (weir_abs(y) > 0x1p-6)
        return (weir_exp(y) - 1.0) / y;
    return 1.0 + y / 2 * (1.0 + y / 3 * (1.0 + y / 4 * (1.0 + y / 5 * (1.0 + y / 6 * (1.0 + y / 7)))));
}

/** log(1 + y) / y for y >= -1, to about 1e-14. */
WEIR_FN double weir_log1p_ratio(double y)
{
    if (weir_abs(y) > 0x1p-6)
        return weir_log(1.0 + y) / y;
    double sum = 0.0;
    for (int i = 8; i >= 1; i--)
        sum = 1.0 / i - y * sum;
    return sum;
}

/** Integral of t^-s from 1 to x, without a hole at s = 1. */
WEIR_FN double weir_zipf_area(double x, double s)
{
    const double log_x = weir_log(x);
    return weir_expm1_ratio((1.0 - s) * log_x) * log_x;
}

/** The x whose area is v. */
WEIR_FN double weir_zipf_area_inverse(double v, double s)
{
    const double y = (1.0 - s) * v;
    return weir_exp(weir_log1p_ratio(y > -1.0 ? y : -1.0) * v);
}

/**
 * Zipf by rejection-inversion (the method of Hörmann and Derflinger).
 *
 * The area under t^-s between k - 1/2 and k + 1/2 is at least k^-s, since the curve is convex. A point
 * uniform on the whole area belongs to some k, and is accepted in the last k^-s of k's part: so k comes with
 * the right weight. For k = 1 the part is cut to exactly 1 from the start. Fewer than 1.3 tries on average.
 */
WEIR_FN double weir_zipf_sample(const weir_dist *d, weir_stream *stream)
{
    for (;;) {
        const double v = d->c + (d->d - d->c) * weir_draw_unit(stream);
        const double x = weir_zipf_area_inverse(v, d->b);
        if (!(x >= 1.5))
            return 1.0;
        const double k = x < d->a ? weir_nearest_small(x) : d->a;
        if (v >= weir_zipf_area(k + 0.5, d->b) - weir_exp(-d->b * weir_log(k)))
            return k;
    }
}

/** Normal by Box and Muller; the second number of the pair is not used, so that a sample depends on one
 * block. */
WEIR_FN double weir_normal_sample(const weir_dist *d, weir_stream *stream)
{
    for (;;) {
        uint64_t u, v;
        weir_draw_pair(stream, &u, &v);
        const double radius = sqrt(-2.0 * weir_log(weir_unit_open_of_bits(u)));
        const double x = d->a + d->b * (radius * weir_cos(0x1.921fb54442d18p+2 * weir_unit_of_bits(v)));
        if (x >= d->c)
            return x;
    }
}

/**
 * One sample of a Pareto distribution, by inversion of its tail: scale / u^(1/shape), at most its bound. One
 * draw.
 */
WEIR_FN double weir_pareto_sample(const weir_dist *d, weir_stream *stream)
{
    const double u = weir_draw_unit(stream);
    return d->a * weir_exp(d->b * weir_log(1.0 - u * d->c)); /* u < 1: the argument is positive */
}

/**
 * One sample of an empirical distribution: the CDF inverted at a uniform draw, linear between its points or
 * in steps. `base`: the world that holds the points.
 */
WEIR_FN double weir_cdf_sample(const weir_dist *d, const unsigned char *base, weir_stream *stream)
{
    const weir_cdf_point *point = (const weir_cdf_point *)(const void *)(base + d->offset);
    const double u = weir_draw_unit(stream);
    uint32_t low = 0,
             high = d->points - 1; /* the first point with p > u is in [low, high]; the last has p = 1 */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (point[middle].p > u)
            high = middle;
        else
            low = middle + 1;
    }
    const weir_cdf_point to = point[low];
    if (low == 0 || d->kind == WEIR_DIST_CDF_STEP)
        return to.x;
    const weir_cdf_point from = point[low - 1];
    const double x = from.x + (to.x - from.x) * ((u - from.p) / (to.p - from.p));
    return x < to.x ? x : to.x; /* rounding may carry it past the end */
}

/** One sample. `base` is the image that holds an empirical distribution's points; other kinds do not look at
 * it. */
WEIR_FN double weir_dist_sample(const weir_dist *d, const unsigned char *base, weir_stream *stream)
{
    switch (d->kind) {
    case WEIR_DIST_UNIFORM:
        return d->a + d->b * weir_draw_unit(stream);
    case WEIR_DIST_EXPONENTIAL:
        return -d->a * weir_log(weir_draw_unit_open(stream));
    case WEIR_DIST_NORMAL:
        return weir_normal_sample(d, stream);
    case WEIR_DIST_PARETO:
        return weir_pareto_sample(d, stream);
    case WEIR_DIST_ZIPF:
        return weir_zipf_sample(d, stream);
    case WEIR_DIST_CDF_LINEAR:
    case WEIR_DIST_CDF_STEP:
        return weir_cdf_sample(d, base, stream);
    default:
        return d->a; /* constant: no draw */
    }
}

/** x to the nearest integer, halves away from zero, not below `low` nor above `high`. */
WEIR_FN int64_t weir_round_clamped(double x, int64_t low, int64_t high)
{
    const double away = x < 0.0 ? x - 0.5 : x + 0.5;
    /* Compared before the conversion, which is undefined out of range. 2^63 itself is not an int64_t. */
    if (!(away > -0x1p63))
        return low;
    if (away >= 0x1p63)
        return high;
    const int64_t n = (int64_t)away;
    return n < low ? low : n > high ? high : n;
}

/** One sample as an integer within [low, high]: bytes, packets, or picoseconds. */
WEIR_FN int64_t weir_dist_sample_integer(const weir_dist *d, const unsigned char *base, weir_stream *stream,
                                         int64_t low, int64_t high)
{
    return weir_round_clamped(weir_dist_sample(d, base, stream), low, high);
}

#endif
