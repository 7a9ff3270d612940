/*
 * Reading what a Kademlia run has counted: totals, quantiles of its histograms, how full the tables are, and
 * the laws that every run keeps.
 */
#pragma once

#include "models/kademlia/kademlia.h"

/* Totals over the lookups that users asked for; `counters` [KAD_COUNTERS]. */
typedef struct kad_totals {
    int64_t started, finished, aborted, succeeded, exact;
    int64_t judged;        /* finished, those left out that ended by finding a value */
    int64_t sought, found; /* lookups for a value that finished; that found it */
} kad_totals;
/* Add up the counters of these lookups. */
kad_totals wi_kad_totals(const int64_t *counters);

/* Mean of a histogram of whole numbers; NaN where it is empty. */
double wi_kad_mean(const int64_t *bin, uint32_t bins);
/* The least number that at least the share q of them does not exceed; NaN where there are none. */
double wi_kad_quantile(const int64_t *bin, uint32_t bins, double q);
/* Quantile of the latencies in seconds: the middle of its bin, which is 1.6 % wide. */
double wi_kad_latency_quantile_s(const int64_t *counters, double q);

/* How full bucket b is, over all peers. */
typedef struct kad_occupancy {
    double mean;  /* contacts */
    double full;  /* share of peers whose bucket holds k */
    double range; /* peers expected in it */
} kad_occupancy;
/* `out` [n_buckets]. O(N log N). */
void wi_kad_occupancy(const wi_kad *kad, const weir_sim *sim, kad_occupancy *out);

/* Requests = responses + timeouts + abandoned + open; lookups started = finished + aborted + open.
 * WEIR_E_MODEL with the numbers where that does not hold. */
WEIR_NODISCARD weir_status wi_kad_check(weir_diag *diag, const wi_kad *kad, const weir_sim *sim);
