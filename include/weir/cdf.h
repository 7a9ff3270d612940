/**
 * Empirical distributions from files: the flow-size CDFs that data-centre papers publish.
 *
 * Format: lines `size cumulative`, separated by blanks or a comma; `#` begins a comment, empty lines are
 * skipped. The cumulative column is on a scale of 0..1 or 0..100, told by its last value. The first line may
 * be a lone number, the mean: files that have one (Homa's) describe a step function, the others straight
 * lines between points. No column may fall and no size be negative; the first cumulative value may be above 0
 * (an atom at the first size).
 */
#ifndef WEIR_CDF_H
#define WEIR_CDF_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/dist.h"
#include "weir/status.h"

typedef struct weir_cdf {
    weir_cdf_point *points; /**< [n], ready for weir_dist_cdf */
    uint32_t n;             /**< at least 1 */
    bool step;              /**< what the file suggests; the caller may decide otherwise */
    double stated_mean;     /**< of the mean line; NaN without one */
} weir_cdf;

/**
 * Read a CDF file.
 *
 * Owner:   *out is the caller's, freed with weir_cdf_free; null on failure.
 * Returns: WEIR_OK; WEIR_E_IO for a file that cannot be read; WEIR_E_FORMAT with file and line for what is
 * wrong in it; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_cdf_load(weir_diag *diag, const char *path, weir_cdf **out);
/** Free a distribution of weir_cdf_load; accepts null. */
WEIR_API void weir_cdf_free(weir_cdf *cdf);

/** Mean of the points under the reading that `step` says. */
WEIR_API double weir_cdf_mean(const weir_cdf_point *points, uint32_t n, bool step);

#endif
