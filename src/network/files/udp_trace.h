/*
 * Traces of packets that UDP senders replay, from files.
 *
 * Lines `TIME SIZE`, blanks or a comma between: the time from the flow's start on, in seconds or with a unit (20ms), and the
 * bytes of the IP packet, its 28 of headers included, or with a unit (1.2kB). Times never fall; packets of one time go one
 * after the other. `#` begins a comment; empty lines, and a first line of names (`time,size`), are passed over.
 */
#pragma once

#include "base/file/source.h"
#include "net/packet/world.h"

typedef struct wi_udp_trace {
    net_udp_point *points; /* [n], n > 0 */
    uint32_t n;
    uint32_t least, most; /* bytes */
} wi_udp_trace;

/*
 * Read a trace from a source, which is closed.
 *
 * Owner:   *out is the caller's (wi_udp_trace_free), null on failure.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT with the place of the first mistake: no time or size, a size beyond
 * 28 B to 65,535 B, a time that goes back or lies beyond a million seconds, a field too many, no packet at all.
 */
WEIR_NODISCARD weir_status wi_udp_trace_read(wi_source source, wi_udp_trace **out);
void wi_udp_trace_free(wi_udp_trace *trace);
