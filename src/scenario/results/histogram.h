/* A histogram of bins of one width, from 0 on, of which those that hold anything are kept. */
#ifndef WI_SCENARIO_RESULTS_HISTOGRAM_H
#define WI_SCENARIO_RESULTS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wi_bin {
    uint64_t index, count; /* values from index * width to before (index + 1) * width */
} wi_bin;

/* All zero: empty. */
typedef struct wi_histogram {
    wi_bin *bin; /* [n] by index */
    size_t n, room, last;
} wi_histogram;

/* Count a value of bin `index` once more; false when memory is short. */
bool wi_histogram_add(wi_histogram *h, uint64_t index);
void wi_histogram_free(wi_histogram *h);

#endif
