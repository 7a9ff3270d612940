/* Any bytes as a trace of packets: no crash, errors exactly when there is none, and what is read is what the sender takes for
 * granted. */
#include <stdlib.h>

#include "network/files/udp_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wi_udp_trace *t;
    weir_diag *diag = weir_diag_new();
    const weir_status st = wi_udp_trace_read(wi_source_memory(diag, "fuzz", (const char *)data, size), &t);
    must((st == WEIR_OK) == (t != NULL));
    must(!diag || (st == WEIR_OK) == (weir_diag_errors(diag) == 0));
    must(!t || t->n > 0);
    for (uint32_t i = 0; t && i < t->n; i++) {
        must(t->points[i].bytes >= t->least && t->points[i].bytes <= t->most);
        must(t->points[i].at_ps >= (i ? t->points[i - 1].at_ps : 0));
    }
    must(!t || (t->least >= NET_HEADER_UDP && t->most <= 65535));
    wi_udp_trace_free(t);
    weir_diag_free(diag);
    return 0;
}
