/* Makers of distributions, their checks and their means. The samplers stand in weir/dist.h. */
#include "weir/dist.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "weir/cdf.h"

weir_dist weir_dist_constant(double value)
{
    return (weir_dist){.kind = WEIR_DIST_CONSTANT, .a = value};
}

weir_dist weir_dist_uniform(double low, double high)
{
    return (weir_dist){.kind = WEIR_DIST_UNIFORM, .a = low, .b = high - low};
}

weir_dist weir_dist_exponential(double mean)
{
    return (weir_dist){.kind = WEIR_DIST_EXPONENTIAL, .a = mean};
}

weir_dist weir_dist_normal(double mean, double deviation)
{
    return weir_dist_normal_min(mean, deviation, -weir_inf());
}

weir_dist weir_dist_normal_min(double mean, double deviation, double minimum)
{
    return (weir_dist){.kind = WEIR_DIST_NORMAL, .a = mean, .b = deviation, .c = minimum};
}

weir_dist weir_dist_pareto(double scale, double shape)
{
    return (weir_dist){.kind = WEIR_DIST_PARETO, .a = scale, .b = -1.0 / shape, .c = 1.0, .d = shape};
}

weir_dist weir_dist_pareto_mean(double mean, double shape)
{
    return weir_dist_pareto(shape > 1 ? mean * (shape - 1) / shape : NAN, shape);
}

weir_dist weir_dist_pareto_bounded(double scale, double shape, double maximum)
{
    weir_dist d = weir_dist_pareto(scale, shape);
    d.c = maximum > scale ? 1.0 - weir_pow(scale / maximum, shape) : NAN;
    return d;
}

weir_dist weir_dist_zipf(uint64_t n, double exponent)
{
    const double top = (double)n;
    return (weir_dist){.kind = WEIR_DIST_ZIPF,
                       .a = top,
                       .b = exponent,
                       .c = weir_zipf_area(1.5, exponent) - 1.0,
                       .d = weir_zipf_area(top + 0.5, exponent)};
}

weir_dist weir_dist_cdf(const weir_cdf_point *points, uint32_t n, bool step, uint64_t offset)
{
    return (weir_dist){.kind = step ? WEIR_DIST_CDF_STEP : WEIR_DIST_CDF_LINEAR,
                       .points = n,
                       .offset = offset,
                       .a = n ? weir_cdf_mean(points, n, step) : NAN};
}

/* Write why a distribution is refused; returns false. */
static bool refuse(char *why, size_t why_size, const char *fmt, ...) WEIR_PRINTF(3, 4);
static bool refuse(char *why, size_t why_size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (why && why_size)
        vsnprintf(why, why_size, fmt, args);
    va_end(args);
    return false;
}

static bool check_pareto(const weir_dist *d, char *why, size_t size)
{
    if (!(d->d >= 0.1 && isfinite(d->d)))
        return refuse(why, size, "Pareto shape is %g; want 0.1 or more", d->d);
    if (isnan(d->a))
        return refuse(why, size, "Pareto shape is %g; want more than 1, for there is no mean at or below",
                      d->d);
    if (!(d->a > 0 && isfinite(d->a)))
        return refuse(why, size, "Pareto scale is %g; want more than 0", d->a);
    if (!(d->c > 0 && d->c <= 1))
        return refuse(why, size, "Pareto maximum is not above the scale, %g", d->a);
    return true;
}

static bool check_normal(const weir_dist *d, char *why, size_t size)
{
    if (!isfinite(d->a))
        return refuse(why, size, "normal mean is %g; want a finite number", d->a);
    if (!(d->b >= 0 && isfinite(d->b)))
        return refuse(why, size, "normal deviation is %g; want 0 or more", d->b);
    if (!(d->c <= d->a + d->b))
        return refuse(why, size, "normal minimum is %g; want at most mean + deviation, %g", d->c,
                      d->a + d->b);
    return true;
}

bool weir_dist_check(const weir_dist *d, char *why, size_t size)
{
    switch (d->kind) {
    case WEIR_DIST_CONSTANT:
        return isfinite(d->a) || refuse(why, size, "value is %g; want a finite number", d->a);
    case WEIR_DIST_UNIFORM:
        return (isfinite(d->a) && d->b >= 0 && isfinite(d->b)) ||
               refuse(why, size, "uniform range from %g to %g; want finite bounds, the lower one first", d->a,
                      d->a + d->b);
    case WEIR_DIST_EXPONENTIAL:
        return (d->a > 0 && isfinite(d->a)) ||
               refuse(why, size, "exponential mean is %g; want more than 0", d->a);
    case WEIR_DIST_NORMAL:
        return check_normal(d, why, size);
    case WEIR_DIST_PARETO:
        return check_pareto(d, why, size);
    case WEIR_DIST_ZIPF:
        if (!(d->a >= 1 && d->a <= 0x1p40))
            return refuse(why, size, "Zipf n is %.0f; want 1 to 2^40", d->a);
        return (d->b >= 0 && d->b <= 100) || refuse(why, size, "Zipf exponent is %g; want 0 to 100", d->b);
    case WEIR_DIST_CDF_LINEAR:
    case WEIR_DIST_CDF_STEP:
        if (d->points == 0)
            return refuse(why, size, "an empirical distribution without points");
        return d->offset % 8 == 0 || refuse(why, size, "points at offset %llu; want a multiple of 8",
                                            (unsigned long long)d->offset);
    default:
        return refuse(why, size, "unknown kind of distribution: %u", (unsigned)d->kind);
    }
}

/* Mean of a normal above a minimum: mean + deviation * phi(t) / (1 - Phi(t)), t the minimum in deviations. */
static double normal_mean(const weir_dist *d)
{
    if (d->b == 0 || isinf(d->c))
        return d->a;
    const double t = (d->c - d->a) / d->b;
    const double density = exp(-0.5 * t * t) / sqrt(2 * acos(-1.0));
    return d->a + d->b * density / (0.5 * erfc(t / sqrt(2.0)));
}

static double pareto_mean(const weir_dist *d)
{
    if (d->c == 1.0)
        return d->d > 1 ? d->a * d->d / (d->d - 1) : INFINITY;
    const double ratio = pow(1 - d->c, 1 / d->d); /* scale / maximum */
    if (fabs(d->d - 1) < 1e-9)
        return d->a * -log(ratio) / d->c;
    return d->a * d->d / (d->d - 1) * (1 - pow(ratio, d->d - 1)) / d->c;
}

/* Sum of k^-s for k = 1..n: the first terms one by one, the rest by the midpoint rule with its first
 * correction. */
static double power_sum(double n, double s)
{
    const double head = n < 10000 ? n : 10000;
    double sum = 0;
    for (double k = head; k >= 1; k--)
        sum += pow(k, -s);
    if (n > head) {
        const double from = head + 0.5, to = n + 0.5;
        sum += s == 1 ? log(to / from) : (pow(to, 1 - s) - pow(from, 1 - s)) / (1 - s);
        sum += s * (pow(to, -s - 1) - pow(from, -s - 1)) / 24;
    }
    return sum;
}

double weir_dist_mean(const weir_dist *d)
{
    switch (d->kind) {
    case WEIR_DIST_UNIFORM:
        return d->a + 0.5 * d->b;
    case WEIR_DIST_NORMAL:
        return normal_mean(d);
    case WEIR_DIST_PARETO:
        return pareto_mean(d);
    case WEIR_DIST_ZIPF:
        return power_sum(d->a, d->b - 1) / power_sum(d->a, d->b);
    default:
        return d->a;
    }
}
