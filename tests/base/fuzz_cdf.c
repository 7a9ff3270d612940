/* Any bytes into the reader of CDFs: no crash, and what it accepts is a distribution that can be sampled. */
#include <math.h>
#include <stdlib.h>

#include "base/dist/cdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_diag *diag = weir_diag_new();
    weir_cdf *cdf;
    const weir_status st = wi_cdf_read(wi_source_memory(diag, "fuzz", (const char *)data, size), &cdf);
    if (st != WEIR_OK)
        must(!cdf && (!diag || weir_diag_count(diag) == 1));
    else {
        must(cdf->n >= 1 && cdf->points[cdf->n - 1].p == 1);
        const weir_dist d = weir_dist_cdf(cdf->points, cdf->n, cdf->step, 0);
        weir_stream s = weir_stream_make(1, 0, 0);
        for (int i = 0; i < 20; i++) {
            const double x = weir_dist_sample(&d, (const unsigned char *)cdf->points, &s);
            must(x >= cdf->points[0].x && x <= cdf->points[cdf->n - 1].x);
        }
        weir_cdf_free(cdf);
    }
    weir_diag_free(diag);
    return 0;
}
