/*
 * Traces that lines follow, from files.
 *
 * Rates: lines `TIME RATE [DELAY]` with units, blanks or commas between ("1.5s, 12Mbps, 30ms"); `#` begins a comment, empty
 * lines are skipped. Times rise from 0s. Rates and delays count from their time on; all lines have a delay, or none. Of a
 * trace that repeats the last line only says when: there the first comes again.
 * Opportunities: Mahimahi's packet-delivery traces, a whole number of milliseconds a line that never falls; each lets 1504
 * bytes go. They repeat from the last line's time on.
 */
#pragma once

#include "base/file/source.h"
#include "packets/build/build.h"
#include "weir/scenario.h"

typedef struct wi_link_trace {
    wi_net_trace_plan plan;
    uint64_t rate_bps;  /* mean of a period; of one that holds, its last */
    weir_time delay_ps; /* least; 0: none is given */
} wi_link_trace;

/*
 * Read a trace from a source, which is closed. Owner: *out is the caller's; null on failure. Returns WEIR_OK; WEIR_E_IO;
 * WEIR_E_FORMAT with the place of the first mistake; WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_link_trace_read(wi_source source, weir_sc_trace_format format, bool repeats,
                                              wi_link_trace **out);
void wi_link_trace_free(wi_link_trace *trace);
