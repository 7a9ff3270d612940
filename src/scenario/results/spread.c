/* Values of flows in histograms: their mean, quantiles and largest. */
#include <math.h>

#include "scenario/results/results.h"

/* Bins divide an octave evenly. */
static size_t bin_of(double value, size_t n_bins)
{
    int exponent;
    const double fraction = frexp(value, &exponent); /* value = fraction 2^exponent, fraction in [0.5, 1) */
    if (exponent < 0)
        return 0;
    const size_t bin = (size_t)exponent * WI_SPREAD_SUB + (size_t)((fraction - 0.5) * 2.0 * WI_SPREAD_SUB);
    return bin < n_bins ? bin : n_bins - 1;
}

static double middle_of(size_t bin)
{
    const double fraction = 0.5 + ((double)(bin % WI_SPREAD_SUB) + 0.5) / (2.0 * WI_SPREAD_SUB);
    return ldexp(fraction, (int)(bin / WI_SPREAD_SUB));
}

void wi_spread_add(wi_spread *s, uint64_t *bins, size_t n_bins, double value)
{
    if (!(value > 0.0) || !isfinite(value))
        return;
    s->least = s->n++ ? fmin(value, s->least) : value;
    s->sum += value;
    s->most = fmax(value, s->most);
    bins[bin_of(value, n_bins)]++;
}

double wi_spread_quantile(const wi_spread *s, const uint64_t *bins, size_t n_bins, double share)
{
    const double rank = ceil(share * (double)s->n);
    uint64_t below = 0;
    for (size_t i = 0; i < n_bins; i++) {
        below += bins[i];
        if (below > 0 && (double)below >= rank)
            return i + 1 < n_bins ? fmax(fmin(middle_of(i), s->most), s->least) : s->most;
    }
    return (double)NAN;
}

double wi_spread_mean(const wi_spread *s)
{
    return s->n ? s->sum / (double)s->n : (double)NAN;
}

double wi_spread_most(const wi_spread *s)
{
    return s->n ? s->most : (double)NAN;
}
