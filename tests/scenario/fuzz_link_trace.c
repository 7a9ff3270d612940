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

static void look_at(const wi_link_trace *trace)
{
    const wi_net_trace_plan *const p = &trace->plan;
    must(p->n > 0 && trace->rate_bps >= 8000 && (p->points != NULL) != (p->opportunities != NULL));
    for (uint32_t i = 0; i < p->n; i++) {
        must(!p->points || (i == 0 ? p->points[i].at_ps == 0 : p->points[i].at_ps > p->points[i - 1].at_ps));
        must(!p->points || (p->points[i].more_ps >= 0 && p->points[i].bytes >= 0.0));
        must(!p->opportunities || i == 0 || p->opportunities[i] >= p->opportunities[i - 1]);
    }
    const net_trace line = {.kind = p->points ? NET_TRACE_RATES : NET_TRACE_OPPORTUNITIES,
                            .n = p->n,
                            .period_ps = p->period_ps,
                            .pass_bytes = p->pass_bytes,
                            .pass_work = p->pass_work};
    uint64_t served = 0;
    weir_time at_ps = 12345;
    for (int i = 0; i < 20; i++) {
        const weir_time left_ps = p->points ? net_trace_sent(&line, p->points, at_ps, 1500)
                                            : net_trace_served(&line, p->opportunities, &served, at_ps, 1500);
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
