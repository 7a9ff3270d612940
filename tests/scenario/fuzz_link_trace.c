/* Any bytes as a line's trace, in both formats and the one told by the text: no crash, errors exactly when there is none, and
 * what is read has what the line's arithmetic takes for granted. */
#include <stdlib.h>

#include "network/files/link_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void look_at(const wi_link_trace *t)
{
    must(t->n > 0 && t->rate_bps >= 8000 && (t->points != NULL) != (t->opportunities != NULL));
    for (uint32_t i = 0; i < t->n; i++) {
        must(!t->points || (i == 0 ? t->points[i].at_ps == 0 : t->points[i].at_ps > t->points[i - 1].at_ps));
        must(!t->points || (t->points[i].more_ps >= 0 && t->points[i].bytes >= 0.0));
        must(!t->opportunities || i == 0 || t->opportunities[i] >= t->opportunities[i - 1]);
    }
    const net_trace line = {.kind = t->points ? NET_TRACE_RATES : NET_TRACE_OPPORTUNITIES,
                            .n = t->n,
                            .period_ps = t->period_ps,
                            .pass_bytes = t->pass_bytes,
                            .pass_work = t->pass_work};
    uint64_t served = 0;
    weir_time at_ps = 12345;
    for (int i = 0; i < 20; i++) {
        const weir_time left_ps = t->points ? net_trace_sent(&line, t->points, at_ps, 1500)
                                            : net_trace_served(&line, t->opportunities, &served, at_ps, 1500);
        must(left_ps >= at_ps);
        at_ps = left_ps;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int i = 0; i < 6; i++) {
        static const weir_sc_trace_format formats[] = {WEIR_SC_TRACE_AUTO, WEIR_SC_TRACE_RATES,
                                                       WEIR_SC_TRACE_MAHIMAHI};
        wi_link_trace *t;
        weir_diag *diag = weir_diag_new();
        const weir_status st = wi_link_trace_read(wi_source_memory(diag, "fuzz", (const char *)data, size),
                                                  formats[i % 3], i < 3, &t);
        must((st == WEIR_OK) == (t != NULL));
        must(!diag || (st == WEIR_OK) == (weir_diag_errors(diag) == 0));
        if (t)
            look_at(t);
        wi_link_trace_free(t);
        weir_diag_free(diag);
    }
    return 0;
}
