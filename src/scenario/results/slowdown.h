/*
 * Slowdown of flows by their size: completion time over that on an empty network, in histograms of 256 bins an octave,
 * so that quantiles are within 0.4 % and nothing grows with the number of flows.
 */
#ifndef WI_SCENARIO_RESULTS_SLOWDOWN_H
#define WI_SCENARIO_RESULTS_SLOWDOWN_H

#include <stddef.h>
#include <stdint.h>

/* Sizes of flows: up to 1 kB, 10 kB, 100 kB, 1 MB, 10 MB, 100 MB, and more. */
enum { WI_SLOWDOWN_SIZES = 7, WI_SLOWDOWN_SUB = 256, WI_SLOWDOWN_BINS = 25 * WI_SLOWDOWN_SUB };

/* Plain data: checkpoints keep it as it is. */
typedef struct wi_slowdown_bucket {
    uint64_t n;
    double sum, most;
    uint64_t bins[WI_SLOWDOWN_BINS]; /* from 0.5 on, octave by octave */
} wi_slowdown_bucket;

typedef struct wi_slowdowns {
    wi_slowdown_bucket of_size[WI_SLOWDOWN_SIZES];
} wi_slowdowns;

/* A flow of `bytes` took `slowdown` times what it takes alone; NaN, of a flow that has no way any more, is left out. */
void wi_slowdown_add(wi_slowdowns *s, uint64_t bytes, double slowdown);
/* All sizes together. */
void wi_slowdown_merge(const wi_slowdowns *s, wi_slowdown_bucket *all);
/* The middle of the bin in which the flow of rank ceil(share n) stands, at most the largest; NaN of none. */
double wi_slowdown_quantile(const wi_slowdown_bucket *b, double share);
double wi_slowdown_mean(const wi_slowdown_bucket *b);

#endif
