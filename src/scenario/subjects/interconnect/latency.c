/* Quantiles of latencies. */
#include <math.h>

#include "scenario/subjects/interconnect/interconnect.h"

/* Quantile of latencies: the middle of its bin, which is 3 % wide. `bins` [IC_LATENCY_BINS]. */
double wi_ic_quantile_s(const int64_t *bins, double q)
{
    int64_t all = 0, below = 0;
    for (uint32_t i = 0; i < IC_LATENCY_BINS; i++)
        all += bins[i];
    for (uint32_t i = 0; i < IC_LATENCY_BINS; i++) {
        below += bins[i];
        if (all > 0 && (double)below >= q * (double)all)
            return 0.5 * weir_seconds(ic_latency_bin_low(i) + ic_latency_bin_low(i + 1));
    }
    return (double)NAN;
}
