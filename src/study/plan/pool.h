/*
 * Samples of all replications of a parameter set together: what each run keeps of them, and quantiles with intervals.
 *
 * A run keeps at most WI_POOL_VALUES distinct values with their counts, as a text, which its row carries. Where it has more,
 * all are cut to as many binary digits as leave no more, and stand for the middle of what they were cut to: over k octaves
 * that is an error of about k / 2,048 of a value at most. Order and counts are exact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WI_POOL_VALUES = 1024, WI_POOL_METRICS = 4 /* of a study: a row's text has its limits */ };

/* Of n values, those that are finite; to be freed. Null: no memory. */
char *wi_pool_text(const double *values, size_t n);
/* Is it such a text? */
bool wi_pool_is(const char *text);

/* Some values, ascending, and what share of all is at or below each. */
typedef struct wi_pool wi_pool;

/* Of n texts, of which some may be null: a replication each. Null: no memory. wi_pool_free accepts null. */
wi_pool *wi_pool_make(const char *const *texts, uint32_t n);
/* Frees a pool; accepts null. */
void wi_pool_free(wi_pool *pool);

typedef struct wi_pool_quantile {
    double value, low, high; /* NaN: there is none */
} wi_pool_quantile;

/*
 * The least value with at least the share q of all samples at or below it, and an interval of what it would be over ever more
 * replications. Samples of a replication may depend on each other, replications do not: so an interval of the share below the
 * value is taken from replications, and its ends are turned back into values (Woodruff's; R's survey::svyquantile with
 * interval.type = "mean" and replications as clusters). The share is a ratio of sums over R replications, c below of n: its
 * variance is R / (R - 1) times the sum of (c - share n)^2 over (sum of n)^2, and Student's t has R - 1 degrees. Empty with
 * fewer than two replications that have samples; an end beyond all samples is, too. Where the value is the largest
 * sample, the spread is that of the share at or below the next smaller one, and there is no upper end; where all are equal, the
 * interval is that value.
 */
wi_pool_quantile wi_pool_find(const wi_pool *pool, double q, double confidence);
