/* Any bytes as a traffic matrix: no crash, errors exactly when there is none, and what is read is what the
 * header says. */
#include <stdlib.h>

#include "network/files/demands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wi_demands *d;
    weir_diag *diag = weir_diag_new();
    const weir_status st = wi_demands_parse(diag, "fuzz", (const char *)data, size, &d);
    must((st == WEIR_OK) == (d != NULL));
    must(!diag || (st == WEIR_OK) == (weir_diag_errors(diag) == 0));
    if (d) {
        uint64_t total = 0;
        must(d->n > 0);
        for (size_t i = 0; i < d->n; i++) {
            const wi_demand *e = &d->demand[i];
            must(e->source < d->node.count && e->target < d->node.count && e->source != e->target &&
                 e->rate_bps > 0);
            total += e->rate_bps;
        }
        must(total == d->total_bps);
    }
    wi_demands_free(d);
    weir_diag_free(diag);
    return 0;
}
