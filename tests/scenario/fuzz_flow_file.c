/* Any bytes as a list of flows: no crash, errors exactly when there is none, and what is read is what the builder takes for
 * granted. */
#include <stdlib.h>

#include "network/files/flow_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wi_flow_file *f;
    weir_diag *diag = weir_diag_new();
    const weir_status st = wi_flow_file_read(wi_source_memory(diag, "fuzz", (const char *)data, size), &f);
    must((st == WEIR_OK) == (f != NULL));
    must(!diag || (st == WEIR_OK) == (weir_diag_errors(diag) == 0));
    for (size_t i = 0; f && i < f->n; i++) {
        const wi_listed_flow *l = &f->flow[i];
        must(l->at_ps >= 0 && l->bytes > 0 && l->bytes <= f->most_bytes && l->from != l->to);
        must(l->from < f->node.count && l->to < f->node.count &&
             (l->cls == WI_NO_NAME || l->cls < f->cls.count));
    }
    wi_flow_file_free(f);
    weir_diag_free(diag);
    return 0;
}
